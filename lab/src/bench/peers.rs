//! Other engines, as separate programs; the protocol is in `peers/README.md`.

use super::measure::{Answer, Samples};
use super::w1::Question;
pub(super) use crate::peers::JobFolder;
use crate::peers::{self, folder};
use anyhow::{Result, ensure};
use std::path::{Path, PathBuf};

/// The peers of the project, and their configurations worth a column. A program that is not
/// listed here runs with its defaults.
const KNOWN: [(&str, &[&str]); 3] = [("parry", &[]), ("fcl", &["obbrss"]), ("coal", &["obbrss", "obb"])];

/// Peers that answer other questions than those about two meshes.
const ELSEWHERE: [&str; 2] = ["ipctk", "fidget"];

/// A program and one configuration of it.
pub(super) struct Peer {
    program: String,
    path: PathBuf,
    volume: Option<&'static str>,
}

/// Configurations of the peers for convex bodies; the flag is `true` if they start from their last answer.
const CONVEX: [(&str, &str, bool); 4] = [
    ("parry", "convex", false),
    ("fcl", "convex", false),
    ("coal", "convex", false),
    ("coal", "convex-warm", true),
];

/// Returns the built peers for convex bodies; the flag is `true` for warm starts.
pub(super) fn find_convex() -> Vec<(Peer, bool)> {
    let Some(folder) = folder() else { return Vec::new() };
    let built = CONVEX.iter().filter(|(program, ..)| folder.join(program).is_file());
    let peer = |&(program, volume, warm): &(&str, &'static str, bool)| {
        (Peer { program: program.to_owned(), path: folder.join(program), volume: Some(volume) }, warm)
    };
    built.map(peer).collect()
}

/// Every peer that was built, and what to do about those that were not.
pub(super) fn find() -> (Vec<Peer>, Vec<String>) {
    let Some(folder) = folder() else {
        return (Vec::new(), vec!["no peers found; build them with: cargo xtask peers".to_owned()]);
    };
    let programs = programs(&folder);
    let missing = KNOWN.iter().map(|(known, _)| known).filter(|known| !programs.iter().any(|p| p == *known));
    let note = |known| format!("{known} is missing; `cargo xtask peers` builds it or says what to install");
    let notes = missing.map(note).collect();
    let paths = programs.iter().flat_map(|program| volumes(program).into_iter().map(move |v| (program, v)));
    let peer = |(program, volume): (&String, _)| Peer {
        program: program.clone(),
        path: folder.join(program),
        volume,
    };
    (paths.map(peer).collect(), notes)
}

/// Returns every built program, by name, for queries independent of the volume.
pub(super) fn programs_found() -> Vec<(String, PathBuf)> {
    let Some(folder) = folder() else { return Vec::new() };
    programs(&folder).into_iter().map(|name| (name.clone(), folder.join(name))).collect()
}

/// The names of the files in a folder, in order.
fn programs(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.path().is_file());
    let mut names: Vec<String> = files.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| !ELSEWHERE.contains(&name.as_str()));
    names.sort();
    names
}

/// Returns the values of `--volume` for a program; `None` is its default.
fn volumes(program: &str) -> Vec<Option<&'static str>> {
    match KNOWN.iter().find(|(known, _)| program == *known) {
        Some((_, volumes)) if !volumes.is_empty() => volumes.iter().copied().map(Some).collect(),
        _ => vec![None],
    }
}

impl Peer {
    pub(super) fn name(&self) -> String {
        self.volume.map_or(self.program.clone(), |volume| format!("{}-{volume}", self.program))
    }

    /// Returns `true` if it counts intersecting triangle pairs once, like noli: only FCL.
    pub(super) fn counts_intersections_as_we_do(&self) -> bool {
        self.program == "fcl"
    }

    /// Returns a sufficient number of poses: parry needs milliseconds for a verdict and most of a second for a
    /// distance.
    fn limit(&self, question: Question) -> Option<usize> {
        match (self.program.as_str(), question) {
            _ if self.volume.is_some_and(|volume| volume.starts_with("convex")) => None,
            ("parry", Question::Clearance) => Some(5),
            ("parry", Question::Impact) => Some(10),
            (_, Question::Impact) => Some(30),
            ("parry", _) => Some(50),
            _ => None,
        }
    }

    /// Returns `true` if one pass of one round must suffice: an answer takes most of a second.
    pub(super) fn is_slow(&self, question: Question) -> bool {
        question == Question::Impact || self.limit(question).is_some_and(|limit| limit < 10)
    }

    /// Runs a query in a separate process; `None` if the engine does not support it.
    pub(super) fn ask(&self, question: Question, job: &JobFolder, passes: usize) -> Result<Option<Samples>> {
        let query = match question {
            Question::Depth => "depth",
            Question::Overlap => "overlap",
            Question::Clearance => "distance",
            Question::Intersections => "contacts",
            Question::Segments => return Ok(None),
            Question::Impact => "impact",
            Question::Build(_) => "build",
        };
        let limit = self.limit(question);
        // Seconds each: the pass that would warm up is the one that counts.
        let passes = if self.is_slow(question) { 0 } else { passes };
        let (passes, limit) = (passes.to_string(), limit.map(|limit| limit.to_string()));
        let mut arguments = vec![query, &passes];
        arguments.extend(limit.iter().flat_map(|limit| ["--limit", limit]));
        arguments.extend(self.volume.iter().flat_map(|volume| ["--volume", *volume]));
        let Some(reply) = peers::ask(&self.path, job, arguments)? else { return Ok(None) };
        if let Question::Build(_) = question {
            return Ok(Some(Samples { micros: vec![reply.build_us], ..Samples::default() }));
        }
        ensure!(!reply.answers.is_empty(), "{} gave no answers", self.path.display());
        let answers = reply.answers.iter().map(|[answer, _]| Answer::exactly(*answer)).collect();
        Ok(Some(Samples { answers, micros: reply.answers.iter().map(|[_, micros]| *micros).collect() }))
    }
}
