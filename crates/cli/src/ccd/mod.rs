//! `noli ccd`: feature queries from files, answered by one method, compared with the truth.

mod inputs;
mod measure;
mod method;
mod peers;
mod report;

use crate::output::Progress;
use anyhow::{Context, Result, bail, ensure};
use inputs::Input;
use measure::Tally;
use method::Method;
use noli_geom::FeatureKind;
use std::path::PathBuf;

/// Answer files of moving vertex-face and edge-edge pairs; count misses, false alarms and late answers.
///
/// A file has 8 rows for each query: four points at the start, four at the end, each coordinate as numerator
/// and denominator, and perhaps the truth. Folders are searched; a folder with `frames` and `boxes` is a
/// scene, whose queries are rebuilt. Without a truth the exact decision stands in for it.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Files of queries (.csv) or folders.
    #[arg(required = true, value_name = "FILE")]
    paths: Vec<PathBuf>,
    /// How to answer.
    #[arg(long, value_enum, default_value_t)]
    method: Method,
    /// What the features are, where the path does not say.
    #[arg(long, value_enum)]
    kind: Option<Kind>,
    /// How near a near miss may be reported by a conservative method, relative to the size of the pair.
    #[arg(long, default_value_t = 1e-6)]
    tolerance: f64,
    /// The gap at or below which features count as touching, for conservative methods. The truth is about
    /// contact: expect false alarms.
    #[arg(long, default_value_t = 0.0)]
    margin: f64,
    /// At most so many steps for each query of a conservative method.
    #[arg(long, default_value_t = 10_000)]
    budget: u32,
    /// Also ask ipctk (tight inclusion and additive CCD), if `cargo xtask peers` has found it.
    #[arg(long)]
    peers: bool,
    /// Print one JSON object instead of a table.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Kind {
    VertexFace,
    EdgeEdge,
}

impl Arguments {
    fn kind(&self) -> Option<FeatureKind> {
        self.kind.map(|kind| match kind {
            Kind::VertexFace => FeatureKind::VertexFace,
            Kind::EdgeEdge => FeatureKind::EdgeEdge,
        })
    }
}

/// One method on all files.
struct Column {
    name: String,
    guarantee: &'static str,
    /// One for each input.
    files: Vec<Tally>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    ensure!(
        arguments.tolerance >= 0.0 && arguments.margin >= 0.0,
        "--tolerance and --margin must be numbers of at least 0"
    );
    let sources = inputs::find(&arguments.paths)?;
    let asker = method::Asker::new(arguments.method, arguments.tolerance, arguments.margin, arguments.budget);
    let peers = if arguments.peers { peers::find() } else { (Vec::new(), Vec::new()) };
    let mut columns = vec![Column {
        name: format!("noli {}", arguments.method),
        guarantee: arguments.method.guarantee(),
        files: Vec::new(),
    }];
    columns.extend(peers.0.iter().map(|peer| Column {
        name: peer.name(),
        guarantee: "conservative",
        files: Vec::new(),
    }));
    let mut names = Vec::new();
    let progress = Progress::new(sources.len() * columns.len());
    for source in &sources {
        let input = Input::read(source, arguments.kind())?;
        progress.step(&input.name);
        columns[0].files.push(measure::ours(&input, &asker));
        for (peer, column) in peers.0.iter().zip(&mut columns[1..]) {
            progress.step(&format!("{}: {}", input.name, column.name));
            let tally = peer.ask(&input).with_context(|| format!("{} on {}", peer.name(), input.name))?;
            column.files.push(tally);
        }
        names.push((input.name, input.kind));
    }
    drop(progress);
    report::print(&names, &columns, &peers.1, arguments)?;
    let missed: usize = columns[0].files.iter().map(Tally::misses).sum();
    if missed > 0 && arguments.method.guarantee() != "approximate" {
        bail!("{missed} contacts missed by a method that must not miss; please report the file");
    }
    Ok(())
}
