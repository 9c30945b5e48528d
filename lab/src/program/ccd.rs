//! `noli-lab ccd`: feature queries from files, answered by one method, compared with the truth.

use crate::measured;
use anyhow::{Result, ensure};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use noli_cli::output;
use noli_geom::FeatureKind;
use noli_lab::ccd::{Method, Plan};
use std::path::PathBuf;

/// Answer files of moving vertex-face and edge-edge pairs; count misses, false alarms and late answers.
///
/// A file has 8 rows for each query: four points at the start, four at the end. Each coordinate is a numerator
/// and a denominator; the truth may follow. Folders are searched; a folder with `frames` and `boxes` is a
/// scene, whose queries are rebuilt. Without a truth the exact decision replaces it.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Files of queries (.csv) or folders.
    #[arg(required = true, value_name = "FILE")]
    paths: Vec<PathBuf>,
    /// Method of answering.
    #[arg(long, value_parser = method(), default_value = Method::default().name())]
    method: Method,
    /// Kind of the features, if the path does not name it.
    #[arg(long, value_enum)]
    kind: Option<Kind>,
    /// Distance at which a conservative method may report a near miss, relative to the size of the pair.
    #[arg(long, default_value_t = 1e-6)]
    tolerance: f64,
    /// The clearance at or below which features count as touching, for conservative methods. The truth is about
    /// contact: expect false alarms.
    #[arg(long, default_value_t = 0.0)]
    margin: f64,
    /// At most so many steps for each query of a conservative method.
    #[arg(long, default_value_t = 10_000)]
    budget: u32,
    /// Also run ipctk (tight inclusion and additive CCD), if `cargo xtask peers` has found it.
    #[arg(long)]
    peers: bool,
    /// Print one JSON object instead of a table.
    #[arg(long)]
    json: bool,
    /// Print the answer to every query as comma-separated values instead of the table, or write them to a file as
    /// well.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    csv: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Kind {
    VertexFace,
    EdgeEdge,
}

/// Methods by the names that the lab gives them.
fn method() -> impl TypedValueParser<Value = Method> {
    let named =
        |name: &str| Method::ALL.iter().find(|(_, known, _)| *known == name).map(|(method, ..)| *method);
    PossibleValuesParser::new(Method::ALL.map(|(_, name, help)| PossibleValue::new(name).help(help)))
        .try_map(move |name| named(&name).ok_or("there is no such method"))
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    if let Some(missing) = arguments.paths.iter().find(|path| !path.exists()) {
        anyhow::bail!(
            "{}: cannot be read: there is no such file or folder; check the path",
            missing.display()
        );
    }
    let plan = Plan {
        paths: arguments.paths.clone(),
        method: arguments.method,
        kind: arguments.kind.map(|kind| match kind {
            Kind::VertexFace => FeatureKind::VertexFace,
            Kind::EdgeEdge => FeatureKind::EdgeEdge,
        }),
        tolerance: arguments.tolerance,
        margin: arguments.margin,
        steps: arguments.budget,
        peers: arguments.peers,
    };
    let printed = arguments.csv.as_deref().is_some_and(output::is_standard);
    ensure!(
        !(printed && arguments.json),
        "JSON and CSV cannot both be printed; write one to a file: --csv=answers.csv"
    );
    output::refuse_inputs(&arguments.csv, &plan.files()?)?;
    let report = measured::with_bar(|progress| plan.run(progress))?;
    if !printed {
        measured::show(&report, arguments.json)?;
    }
    if let Some(target) = &arguments.csv {
        output::deliver(target, &report.csv())?;
    }
    measured::no_failures(&report)
}
