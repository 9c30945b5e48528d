//! ipctk as a separate program; the protocol is in `peers/README.md`.

use super::inputs::Input;
use super::measure::{AnswerAndTime, Tally};
use super::method::Answer;
use anyhow::{Context, Result, ensure};
use noli_geom::FeatureKind;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Its methods that find a time of impact.
const METHODS: [&str; 2] = ["tight-inclusion", "additive"];

/// One method of a program.
pub(super) struct Peer {
    program: PathBuf,
    method: &'static str,
}

/// ipctk's methods if it was installed, or what to do about it.
pub(super) fn find() -> (Vec<Peer>, Vec<String>) {
    let program = crate::peers::folder().map(|folder| folder.join("ipctk")).filter(|path| path.is_file());
    match program {
        Some(program) => (METHODS.map(|method| Peer { program: program.clone(), method }).into(), Vec::new()),
        None => (
            Vec::new(),
            vec!["ipctk is missing; `cargo xtask peers` installs it or says what to do".to_owned()],
        ),
    }
}

impl Peer {
    pub(super) fn name(&self) -> String {
        format!("ipctk {}", self.method)
    }

    /// Runs the peer in a separate process.
    pub(super) fn ask(&self, input: &Input) -> Result<Tally> {
        let kind = match input.kind {
            FeatureKind::VertexFace => "vertex-face",
            FeatureKind::EdgeEdge => "edge-edge",
        };
        let mut command = Command::new(&self.program);
        command.args(["ccd", kind, self.method]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().with_context(|| {
            format!("{} does not start; install it again with: cargo xtask peers", self.program.display())
        })?;
        let points = input.pairs.iter().flat_map(|pair| pair.start.into_iter().chain(pair.end));
        let bytes: Vec<u8> = points.flat_map(|p| p.to_array()).flat_map(f64::to_le_bytes).collect();
        // Small answers are read after all queries are written: the program reads to the end first.
        child.stdin.take().context("no input")?.write_all(&bytes).context("it stopped reading")?;
        let output = child.wait_with_output()?;
        ensure!(output.status.success(), "it failed on {}", input.path.display());
        let answers = parse(&String::from_utf8_lossy(&output.stdout))?;
        ensure!(
            answers.len() == input.pairs.len(),
            "{} answers to {} queries",
            answers.len(),
            input.pairs.len()
        );
        Ok(Tally::new(input, answers))
    }
}

/// Below the line that names it: hit (0 or 1), time of impact, microseconds.
fn parse(text: &str) -> Result<Vec<AnswerAndTime>> {
    let mut lines = text.lines();
    ensure!(lines.next().is_some_and(|line| line.starts_with("peer ")), "it does not speak the protocol");
    lines
        .map(|line| {
            let cells: Vec<&str> = line.split_whitespace().collect();
            let [hit, time, micros] = cells[..] else { anyhow::bail!("unexpected answer: {line}") };
            let (time, micros): (f64, f64) = (time.parse()?, micros.parse()?);
            let answer = if hit == "1" { Answer::at(time) } else { Answer::FREE };
            Ok(AnswerAndTime { answer, micros })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        let answers = parse("peer ipctk 1.6.1\n1 0.25 3.5\n0 1 1.25\n").unwrap();
        assert_eq!(answers[0].answer, Answer::at(0.25));
        assert_eq!((answers[1].answer, answers[1].micros), (Answer::FREE, 1.25));
        assert!(parse("1 0.25 3.5\n").is_err());
        assert!(parse("peer ipctk 1.6.1\n1 0.25\n").is_err());
    }
}
