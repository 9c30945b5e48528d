//! Somebody else's planner on the same problems, as a program of its own; what it says is in `peers/README.md`.

use anyhow::{Context, Result, bail, ensure};
use noli_project::ProblemFiles;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A program that is asked one problem after the other; it ends when nothing more is asked.
pub(super) struct Peer {
    child: Child,
    ask: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    pub(super) name: String,
}

/// A way of a peer.
pub(super) struct PeerPath {
    /// Seconds of the CPU until it was there.
    pub(super) seconds: f64,
    /// Values of the joints named in the answer.
    pub(super) configurations: Vec<Vec<f64>>,
}

/// Answer of a peer to a problem.
pub(super) struct Answer {
    pub(super) joints: Vec<String>,
    pub(super) seconds: f64,
    /// As found, and simplified; none where there is no way.
    pub(super) paths: Option<[PeerPath; 2]>,
}

impl Peer {
    /// Starts `command`, a program and its first arguments, for a robot.
    pub(super) fn start(command: &str, robot: [&Path; 3], seed: u64, seconds: f64) -> Result<Self> {
        let mut words = command.split_whitespace();
        let program = words.next().context("a peer without a program")?;
        let mut child = Command::new(program)
            .args(words)
            .args(robot)
            .args([seed.to_string(), seconds.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("the peer {program} does not start"))?;
        let ask = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().context("a peer without an answer")?);
        let mut peer = Self { child, ask, answers, name: String::new() };
        let first = peer.line()?;
        peer.name =
            first.strip_prefix("peer ").with_context(|| format!("a peer begins with {first:?}"))?.to_owned();
        Ok(peer)
    }

    /// Asks about a problem.
    pub(super) fn solve(&mut self, problem: &ProblemFiles) -> Result<Answer> {
        let ask = self.ask.as_mut().context("a peer that has ended")?;
        writeln!(ask, "{} {}", problem.scene.display(), problem.request.display())?;
        ask.flush()?;
        let line = self.line()?;
        let joints = line.strip_prefix("joints ").with_context(|| format!("the peer says {line:?}"))?;
        let joints = joints.split(',').map(str::to_owned).collect();
        let line = self.line()?;
        if let Some(seconds) = line.strip_prefix("none ") {
            return Ok(Answer { joints, seconds: seconds.parse()?, paths: None });
        }
        let found = self.path("way", &line)?;
        let line = self.line()?;
        let simplified = self.path("simplified", &line)?;
        Ok(Answer { joints, seconds: found.seconds, paths: Some([found, simplified]) })
    }

    fn path(&mut self, word: &str, line: &str) -> Result<PeerPath> {
        let words: Vec<&str> = line.split(' ').collect();
        let &[said, seconds, count] = &words[..] else { bail!("the peer says {line:?}") };
        ensure!(said == word, "the peer says {line:?} instead of {word}");
        let mut configurations = Vec::new();
        for _ in 0..count.parse::<usize>()? {
            let line = self.line()?;
            let values = line.split(',').map(str::parse).collect::<Result<Vec<f64>, _>>();
            configurations.push(values.with_context(|| format!("the peer says {line:?}"))?);
        }
        Ok(PeerPath { seconds: seconds.parse()?, configurations })
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        ensure!(self.answers.read_line(&mut line)? > 0, "the peer ended without an answer");
        Ok(line.trim_end().to_owned())
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.ask = None;
        let _ = self.child.wait();
    }
}
