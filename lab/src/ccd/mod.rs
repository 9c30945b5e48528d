//! Feature queries from files: a moving vertex and triangle, or two moving edges, answered by one method and compared
//! with the truth.

mod inputs;
mod measure;
mod method;
mod peers;
mod report;

pub use method::Method;
pub use report::{Figures, FileFigures, PeerFigures, Report};

use crate::measured::Progress;
use anyhow::{Context, Result, ensure};
use inputs::Input;
use measure::Tally;
use noli_geom::FeatureKind;
use std::path::PathBuf;

/// Queries and method.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Files of queries (.csv) or folders of them; a folder with `frames` and `boxes` is a scene, whose queries are
    /// rebuilt.
    pub paths: Vec<PathBuf>,
    /// Method of answering.
    pub method: Method,
    /// Kind of the features, if the path does not name it.
    pub kind: Option<FeatureKind>,
    /// Distance at which a conservative method may report a near miss, relative to the size of the pair.
    pub tolerance: f64,
    /// The clearance at or below which features count as touching, for conservative methods.
    pub margin: f64,
    /// At most so many steps for each query of a conservative method.
    pub steps: u32,
    /// `true` if ipctk is run as well, where `cargo xtask peers` installed it.
    pub peers: bool,
}

/// One method on all files.
struct Column {
    name: String,
    /// One for each input.
    files: Vec<Tally>,
}

impl Plan {
    /// The files that queries are read from.
    pub fn files(&self) -> Result<Vec<PathBuf>> {
        Ok(inputs::find(&self.paths)?.into_iter().flat_map(inputs::Source::files).collect())
    }

    /// Answers every query, and compares. Without a truth the exact decision replaces it.
    pub fn run(&self, progress: Progress<'_>) -> Result<Report> {
        ensure!(
            self.tolerance >= 0.0 && self.margin >= 0.0,
            "tolerance and margin must be numbers of at least 0"
        );
        let sources = inputs::find(&self.paths)?;
        let asker = method::Asker::new(self.method, self.tolerance, self.margin, self.steps);
        let (peers, notes) = if self.peers { peers::find() } else { (Vec::new(), Vec::new()) };
        let mut ours = Vec::new();
        let mut theirs: Vec<Column> =
            peers.iter().map(|peer| Column { name: peer.name(), files: Vec::new() }).collect();
        let mut names = Vec::new();
        let total = sources.len() * (1 + peers.len());
        for source in &sources {
            let input = Input::read(source, self.kind)?;
            progress(&input.name, total);
            ours.push(measure::ours(&input, &asker));
            for (peer, column) in peers.iter().zip(&mut theirs) {
                progress(&format!("{}: {}", input.name, column.name), total);
                let tally = peer.ask(&input).with_context(|| format!("{} on {}", peer.name(), input.name))?;
                column.files.push(tally);
            }
            names.push((input.name, input.kind));
        }
        Ok(Report::new(self, &names, &ours, &theirs, notes))
    }
}
