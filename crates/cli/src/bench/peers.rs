//! Other engines, as separate programs; the protocol is in `peers/README.md`.

use super::measure::{Answer, Samples};
use super::workload::Question;
use anyhow::{Context, Result, bail, ensure};
use noli::Pose;
use noli_scenes::{TriangleSet, pose_table, raw_mesh};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The peers of the project, and the ways to ask them that are worth a column. A program that is not
/// listed here is asked with its defaults.
const KNOWN: [(&str, &[&str]); 3] = [("parry", &[]), ("fcl", &["obbrss"]), ("coal", &["obbrss", "obb"])];

/// Peers that answer other questions than those about two meshes.
const ELSEWHERE: [&str; 2] = ["ipctk", "fidget"];

/// A program and one way to ask it.
pub(super) struct Peer {
    program: String,
    path: PathBuf,
    volume: Option<&'static str>,
}

/// The ways to ask the peers about convex bodies; the second says whether they start from their last answer.
const CONVEX: [(&str, &str, bool); 4] = [
    ("parry", "convex", false),
    ("fcl", "convex", false),
    ("coal", "convex", false),
    ("coal", "convex-warm", true),
];

/// The peers that were built, to be asked about convex bodies; and whether each is warm.
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
    let ways = programs.iter().flat_map(|program| volumes(program).into_iter().map(move |v| (program, v)));
    let peer = |(program, volume): (&String, _)| Peer {
        program: program.clone(),
        path: folder.join(program),
        volume,
    };
    (ways.map(peer).collect(), notes)
}

/// Every program that was built, by name, for questions that are no volume's business.
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

/// The values of `--volume` to ask a program with; none is its default.
fn volumes(program: &str) -> Vec<Option<&'static str>> {
    match KNOWN.iter().find(|(known, _)| program == *known) {
        Some((_, volumes)) if !volumes.is_empty() => volumes.iter().copied().map(Some).collect(),
        _ => vec![None],
    }
}

/// `target/peers` beside the folder of this program, or else under the current folder.
fn folder() -> Option<PathBuf> {
    let beside = std::env::current_exe().ok();
    let beside =
        beside.as_deref().and_then(Path::parent).and_then(Path::parent).map(|target| target.join("peers"));
    beside.into_iter().chain([PathBuf::from("target/peers")]).find(|folder| folder.is_dir())
}

impl Peer {
    pub(super) fn name(&self) -> String {
        self.volume.map_or(self.program.clone(), |volume| format!("{}-{volume}", self.program))
    }

    /// Only FCL counts each pair of triangles that meet once, like noli.
    pub(super) fn counts_crossings_as_we_do(&self) -> bool {
        self.program == "fcl"
    }

    /// How many poses are enough: parry needs milliseconds for a verdict and most of a second for a distance.
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

    /// Whether one pass of one round has to do: an answer takes most of a second.
    pub(super) fn is_slow(&self, question: Question) -> bool {
        question == Question::Impact || self.limit(question).is_some_and(|limit| limit < 10)
    }

    /// Ask in a process of its own; nothing where the engine has no answer to this question.
    pub(super) fn ask(&self, question: Question, job: &JobFolder, passes: usize) -> Result<Option<Samples>> {
        let query = match question {
            Question::Depth => "depth",
            Question::Overlap => "overlap",
            Question::Clearance => "distance",
            Question::Crossings => "contacts",
            Question::Segments => return Ok(None),
            Question::Impact => "impact",
            Question::Build(_) => "build",
        };
        let limit = self.limit(question);
        // Seconds each: the pass that would warm up is the one that counts.
        let passes = if self.is_slow(question) { 0 } else { passes };
        let mut command = Command::new(&self.path);
        command.arg(&job.0).arg(query).arg(passes.to_string());
        if let Some(limit) = limit {
            command.args(["--limit", &limit.to_string()]);
        }
        if let Some(volume) = self.volume {
            command.args(["--volume", volume]);
        }
        let place = || format!("{}; rebuild it with: cargo xtask peers", self.path.display());
        let output = command.output().with_context(place)?;
        ensure!(
            output.status.success(),
            "{} failed: {}",
            place(),
            String::from_utf8_lossy(&output.stderr).trim()
        );
        parse(&String::from_utf8_lossy(&output.stdout), question)
            .with_context(|| format!("{} gave an answer outside the protocol", place()))
    }
}

/// The peer's standard output.
fn parse(text: &str, question: Question) -> Result<Option<Samples>> {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().context("no first line")?.split(' ').collect();
    let &["peer", _, _, build_micros] = header.as_slice() else { bail!("the first line is {header:?}") };
    let mut samples = Samples::default();
    if let Question::Build(_) = question {
        samples.micros.push(build_micros.parse().context("the build time")?);
        return Ok(Some(samples));
    }
    for line in lines {
        if line.starts_with("unsupported") {
            return Ok(None);
        }
        let (answer, micros) = line.split_once(' ').with_context(|| format!("the line is {line:?}"))?;
        samples.answers.push(Answer::exactly(answer.parse().with_context(|| format!("{line:?}"))?));
        samples.micros.push(micros.parse().with_context(|| format!("{line:?}"))?);
    }
    ensure!(!samples.micros.is_empty(), "no answers");
    Ok(Some(samples))
}

/// Meshes and poses where the peers find them; removed when dropped.
pub(super) struct JobFolder(PathBuf);

impl JobFolder {
    pub(super) fn new(meshes: &[TriangleSet; 2]) -> Result<Self> {
        let path = std::env::temp_dir().join(format!("noli-bench-{}", std::process::id()));
        let place = || format!("{}: cannot be written; check TMPDIR and the free space", path.display());
        std::fs::create_dir_all(&path).with_context(place)?;
        let job = Self(path.clone());
        for (name, mesh) in ["a.raw", "b.raw"].iter().zip(meshes) {
            std::fs::write(path.join(name), raw_mesh(mesh)).with_context(place)?;
        }
        Ok(job)
    }

    pub(super) fn set_poses(&self, poses: &[Pose]) -> Result<()> {
        self.write_poses("poses.csv", poses)
    }

    pub(super) fn set_starts(&self, starts: &[Pose]) -> Result<()> {
        self.write_poses("starts.csv", starts)
    }

    fn write_poses(&self, file: &str, poses: &[Pose]) -> Result<()> {
        let path = self.0.join(file);
        std::fs::write(&path, pose_table(poses))
            .with_context(|| format!("{}: cannot be written; check the free space", path.display()))
    }
}

impl Drop for JobFolder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        let text = "peer fcl-obbrss 0.7.0 340000.5\n1 22.5\n0 3.25\n";
        let samples = parse(text, Question::Overlap).unwrap().unwrap();
        assert_eq!(samples.micros, [22.5, 3.25]);
        assert_eq!(samples.answers, [Answer::exactly(1.0), Answer::exactly(0.0)]);
        let build = parse(text, Question::Build(Default::default())).unwrap().unwrap();
        assert_eq!(build.micros, [340000.5]);
    }

    #[test]
    fn what_is_not_the_protocol_is_an_error() {
        assert!(parse("", Question::Overlap).is_err());
        assert!(parse("hello\n", Question::Overlap).is_err());
        assert!(parse("peer x 1 1.0\n", Question::Overlap).is_err());
        assert!(parse("peer x 1 1.0\n1\n", Question::Overlap).is_err());
        assert!(parse("peer x 1 1.0\nunsupported distance\n", Question::Clearance).unwrap().is_none());
    }
}
