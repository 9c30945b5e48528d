//! A program that answers one line of JSON with another.

use serde_json::Value;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A running program.
pub struct Lines {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Lines {
    /// Starts a program.
    ///
    /// # Panics
    ///
    /// If it does not start.
    pub fn start(command: &mut Command) -> Self {
        let started = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = started.unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { child, input, output }
    }

    /// Sends a line and returns the line that answers it.
    ///
    /// # Panics
    ///
    /// If the program has ended.
    pub fn exchange(&mut self, line: &str) -> String {
        writeln!(self.input, "{line}").and_then(|()| self.input.flush()).expect("the program reads");
        let mut answer = String::new();
        self.output.read_line(&mut answer).expect("the program writes");
        assert!(!answer.is_empty(), "the program ended at: {line}");
        answer.trim_end().to_owned()
    }

    /// The same with JSON.
    ///
    /// # Panics
    ///
    /// If the answer is not JSON.
    pub fn query(&mut self, question: &Value) -> Value {
        let answer = self.exchange(&question.to_string());
        serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{error}: {answer}"))
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
