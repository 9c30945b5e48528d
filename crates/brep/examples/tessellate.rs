//! Triangulates the bodies of STEP files: triangles, deviation, flaws and self-intersections of every body.
//!
//! `cargo run --release -p noli-brep --example tessellate -- CHORD FILE...`

use noli_brep::step;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    let mut arguments = std::env::args().skip(1);
    let chord: f64 = arguments.next().ok_or("a chord in millimetres")?.parse()?;
    for path in arguments {
        let start = Instant::now();
        let file = match step::read(&std::fs::read(&path)?) {
            Ok(file) => file,
            Err(error) => {
                writeln!(out, "{path}\terror: {error}")?;
                continue;
            }
        };
        let read = start.elapsed();
        let mut seen = std::collections::HashSet::new();
        for part in file.parts.iter().filter(|part| seen.insert(std::sync::Arc::as_ptr(&part.body))) {
            let body = &part.body;
            let start = Instant::now();
            let (mesh, deviation) = body.tessellated_within(chord)?;
            let report = mesh.report();
            writeln!(
                out,
                "{path}\t{}\tfaces {}\ttriangles {}\tdeviation {deviation:.4}\tgap {:.1e}\tsolid {}\t{:?}\tvolume {:.6}\tarea {:.6}\tread {read:.1?}\t{:.1?}",
                part.path.join("/"),
                body.faces().len(),
                mesh.triangle_count(),
                body.gap(),
                body.is_solid(),
                report.flaw(),
                report.signed_volume,
                mesh.iter_triangles().map(|t| 0.5 * t.doubled_area_vector().length()).sum::<f64>(),
                start.elapsed(),
            )?;
        }
        for unread in file.unread.iter().take(3) {
            writeln!(out, "{path}\tunread: line {}: {}: {}", unread.line, unread.entity, unread.reason)?;
        }
    }
    Ok(())
}
