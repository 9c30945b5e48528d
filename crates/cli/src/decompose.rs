//! `noli decompose`: convex decomposition that encloses a solid.

use crate::limits::Limits;
use crate::output::{self, Progress, plural, short};
use anyhow::{Context, Result, ensure};
use noli::pieces::DecompositionQuery;
use noli_ask::quantity::{self, Length};
use noli_formats::{MeshFormat, ReadOptions, Units, read_objects};
use noli_project::report::DecomposeReport;
use std::path::PathBuf;
use std::time::Instant;

/// Cut the solids of a file into convex parts whose union encloses them.
///
/// Planes cut the mesh as given: nothing is remeshed or expanded, holes stay holes, and every vertex lies in a
/// part. The distance by which parts extend beyond the solid is measured and reported in the unit of the file.
/// Meshes that are not closed are rejected.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The mesh file; each of its objects is cut for itself.
    #[arg(value_name = "MESH")]
    mesh: PathBuf,
    /// Output file, one object for each part (OBJ), or all in one (OFF, PLY, STL).
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Cut until no part extends further beyond the solid than this, in the unit of the file.
    #[arg(long, value_name = "LENGTH", conflicts_with = "pieces", value_parser = quantity::positive_length)]
    error: Option<Length>,
    /// Maximum number of parts for each object; by default 32, or as many as --error takes.
    #[arg(long, value_name = "N")]
    pieces: Option<usize>,
    /// Merge vertices with equal coordinates, or with a length such as --weld=1e-6 also those that are so near.
    #[arg(long, value_name = "LENGTH", num_args = 0..=1, require_equals = true, default_missing_value = "0", value_parser = quantity::length)]
    weld: Option<Length>,
    /// Unit of the file's lengths, for lengths with another unit.
    #[arg(long, value_name = "UNIT", value_parser = noli_ask::quantity::units)]
    units: Option<Units>,
    #[command(flatten)]
    limits: Limits,
    /// Number of threads; by default one for each CPU.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Print one JSON object instead of a summary.
    #[arg(long)]
    json: bool,
}

/// Maximum number of parts for a given error.
const MOST: usize = 4096;

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let Arguments { mesh, output, pieces, units, .. } = arguments;
    let error = arguments.error.map(|error| error.of("--error", *units)).transpose()?;
    let weld = arguments.weld.map(|weld| weld.of("--weld", *units)).transpose()?;
    let format = MeshFormat::from_extension(output)
        .with_context(|| format!("{}: use .obj, .off, .ply or .stl for the pieces", output.display()))?;
    ensure!(*pieces != Some(0), "--pieces is at least 1");
    output::refuse_inputs([output], std::slice::from_ref(mesh))?;
    let read = ReadOptions {
        weld: weld.map(|_| true),
        weld_within: weld.filter(|&within| within > 0.0),
        ..Default::default()
    };
    let progress = Progress::of_time("cutting into convex parts");
    let (start, running) = (Instant::now(), arguments.limits.start()?);
    let file = read_objects(mesh, &read)?;
    let most = pieces.unwrap_or(if error.is_some() { MOST } else { DecompositionQuery::default().pieces });
    let query = DecompositionQuery { error, pieces: most };
    let source = mesh.display().to_string();
    let (mut report, written) = crate::on_threads(arguments.threads, || {
        DecomposeReport::new(&source, &file.objects, &query, running.budget(None))
            .with_context(|| source.clone())
    })?;
    drop(progress);
    report.warnings = file.warnings.iter().map(ToString::to_string).collect();
    if let Some(limit) = running.reached() {
        report.warnings.push(format!("{limit} was reached: pieces were cut no further"));
    }
    if !report.reached {
        report.warnings.push(format!(
            "{} did not suffice: they reach up to {} beyond the solid",
            plural(report.summary.pieces, "piece", "pieces"),
            short(report.error.at_most)
        ));
    }
    let bytes = noli_formats::write_bytes(format, &written)?;
    output::write_file(output, &bytes)?;
    if arguments.json {
        return output::print_report("decompose", &report);
    }
    let summary = &report.summary;
    output::warn_all(&report.warnings);
    output::print(&format!(
        "{}: {} of {} into {}\nreaching at most {} beyond the solid ({} of its diagonal), at least {}\n\
         {} of {} vertices outside the pieces; volume {}, of the pieces {}; {:.2} s\n",
        output.display(),
        plural(summary.pieces, "convex piece", "convex pieces"),
        plural(summary.solids, "solid", "solids"),
        format_args!("{}", format.name()),
        short(report.error.at_most),
        format_args!("{:.2} %", 100.0 * report.error.at_most / summary.diagonal.max(f64::MIN_POSITIVE)),
        short(report.error.at_least),
        summary.vertices_outside,
        summary.vertices,
        short(summary.volume),
        short(summary.pieces_volume),
        start.elapsed().as_secs_f64()
    ))
}
