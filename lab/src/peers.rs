//! Other engines, as separate programs; the protocol is in `peers/README.md`.

use anyhow::{Context, Result, bail, ensure};
use noli::Pose;
use noli_formats::PrivateFolder;
use noli_scenes::{TriangleSet, pose_table, raw_mesh};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns `target/peers` next to the folder of this program, or else under the current folder.
pub fn folder() -> Option<PathBuf> {
    let beside = std::env::current_exe().ok();
    let beside =
        beside.as_deref().and_then(Path::parent).and_then(Path::parent).map(|target| target.join("peers"));
    beside.into_iter().chain([PathBuf::from("target/peers")]).find(|folder| folder.is_dir())
}

/// Reply of a peer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// Microseconds to build its model of A.
    pub build_us: f64,
    /// The answer for each pose, and its microseconds.
    pub answers: Vec<[f64; 2]>,
}

/// Runs a program in a separate process; `None` if the engine does not support this query.
pub fn ask<'a>(
    program: &Path,
    job: &JobFolder,
    arguments: impl IntoIterator<Item = &'a str>,
) -> Result<Option<Reply>> {
    let place = || format!("{}; rebuild it with: cargo xtask peers", program.display());
    let output = Command::new(program).arg(job.0.path()).args(arguments).output().with_context(place)?;
    ensure!(
        output.status.success(),
        "{} failed: {}",
        place(),
        String::from_utf8_lossy(&output.stderr).trim()
    );
    parse(&String::from_utf8_lossy(&output.stdout))
        .with_context(|| format!("{} gave an answer outside the protocol", place()))
}

/// The peer's standard output.
fn parse(text: &str) -> Result<Option<Reply>> {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().context("no first line")?.split(' ').collect();
    let &["peer", _, _, build_us] = header.as_slice() else { bail!("the first line is {header:?}") };
    let mut reply = Reply { build_us: build_us.parse().context("the build time")?, answers: Vec::new() };
    for line in lines {
        if line.starts_with("unsupported") {
            return Ok(None);
        }
        let (answer, micros) = line.split_once(' ').with_context(|| format!("the line is {line:?}"))?;
        let number = |text: &str| text.parse::<f64>().with_context(|| format!("{line:?}"));
        reply.answers.push([number(answer)?, number(micros)?]);
    }
    Ok(Some(reply))
}

/// Meshes and poses where the peers find them; removed when dropped.
pub struct JobFolder(PrivateFolder);

impl JobFolder {
    /// Write the meshes.
    pub fn new(meshes: &[TriangleSet; 2]) -> Result<Self> {
        let folder = PrivateFolder::new()?;
        let path = folder.path();
        let place = || format!("{}: cannot be written; check TMPDIR and the free space", path.display());
        for (name, mesh) in ["a.raw", "b.raw"].iter().zip(meshes) {
            std::fs::write(path.join(name), raw_mesh(mesh)).with_context(place)?;
        }
        Ok(Self(folder))
    }

    /// Write the poses of B.
    pub fn set_poses(&self, poses: &[Pose]) -> Result<()> {
        self.write_poses("poses.csv", poses)
    }

    /// Write where the motions of B begin.
    pub fn set_starts(&self, starts: &[Pose]) -> Result<()> {
        self.write_poses("starts.csv", starts)
    }

    fn write_poses(&self, file: &str, poses: &[Pose]) -> Result<()> {
        let path = self.0.path().join(file);
        std::fs::write(&path, pose_table(poses))
            .with_context(|| format!("{}: cannot be written; check the free space", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        let text = "peer fcl-obbrss 0.7.0 340000.5\n1 22.5\n0 3.25\n";
        let reply = Reply { build_us: 340000.5, answers: vec![[1.0, 22.5], [0.0, 3.25]] };
        assert_eq!(parse(text).unwrap(), Some(reply));
    }

    #[test]
    fn what_is_not_the_protocol_is_an_error() {
        assert!(parse("").is_err());
        assert!(parse("hello\n").is_err());
        assert!(parse("peer x 1 1.0\n1\n").is_err());
        assert!(parse("peer x 1 1.0\nunsupported distance\n").unwrap().is_none());
    }
}
