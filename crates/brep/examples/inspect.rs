//! Lists the bodies of STEP files: solids, faces by kind, gaps, what was not read, and the relations of all pairs.
//!
//! `cargo run --release -p noli-brep --example inspect -- FILE...`

use noli_brep::{Options, relation, step};
use std::collections::BTreeMap;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = std::io::stdout().lock();
    for path in std::env::args().skip(1) {
        report(&path, &mut out)?;
    }
    Ok(())
}

fn report(path: &str, out: &mut impl std::io::Write) -> std::io::Result<()> {
    let start = Instant::now();
    let file = match step::read(&std::fs::read(path)?) {
        Ok(file) => file,
        Err(error) => return writeln!(out, "{path}\terror: {error}"),
    };
    let time = start.elapsed();
    let mut kinds = BTreeMap::new();
    let mut gap = 0.0f64;
    for part in &file.parts {
        for (kind, count) in part.body.kinds() {
            *kinds.entry(kind.to_string()).or_insert(0) += count;
        }
        gap = gap.max(part.body.gap() / part.body.size());
    }
    let solids = file.parts.iter().filter(|part| part.body.is_solid()).count();
    writeln!(
        out,
        "{path}\tsolids {solids}\tparts {}\t{kinds:?}\tgap {gap:.1e}\t{time:.1?}",
        file.parts.len()
    )?;
    for unread in file.unread.iter().take(5) {
        writeln!(out, "  unread: line {}: {}: {}", unread.line, unread.entity, unread.reason)?;
    }
    if file.parts.len() > 60 || std::env::var_os("NO_PAIRS").is_some() {
        return Ok(());
    }
    for (i, a) in file.parts.iter().enumerate() {
        for b in &file.parts[i + 1..] {
            let start = Instant::now();
            let found = relation(&a.body, &b.body, &a.pose, &b.pose, &Options::default());
            let fit = found.fits.first().map(|f| format!("fit {:+.6}", f.clearance)).unwrap_or_default();
            writeln!(
                out,
                "  {} - {}: {:?}{} [{:.9}, {:.9}] depth {:.2e} {fit} {:.1?}",
                a.path.join("/"),
                b.path.join("/"),
                found.relation,
                if found.is_certain { "" } else { " (uncertain)" },
                found.clearance.at_least,
                found.clearance.at_most,
                found.depth,
                start.elapsed(),
            )?;
        }
    }
    Ok(())
}
