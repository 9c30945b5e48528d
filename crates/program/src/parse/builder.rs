//! A program as its lines come in: blocks that are open, targets that are not known yet.

use super::{ProgramError, ProgramFault};
use crate::code::{Name, Op, Program, ProgramLine};
use noli_robot::Place;
use std::collections::HashMap;

/// A block that waits for its end. Numbers are those of lines whose jump is still to be filled in.
pub(super) enum Block {
    If { test: usize, done: Option<usize> },
    While { test: usize },
    Do { start: usize },
    For { slot: usize, variable: Name, test: usize },
    Case { slot: usize, test: Option<usize>, done: Vec<usize>, any: bool },
}

impl Block {
    pub(super) fn words(&self) -> (&'static str, &'static str) {
        match self {
            Self::If { .. } => ("IF", "END"),
            Self::While { .. } => ("WHILE", "END"),
            Self::Do { .. } => ("DO", "UNTIL"),
            Self::For { .. } => ("FOR", "END"),
            Self::Case { .. } => ("CASE", "END"),
        }
    }
}

pub(super) struct Builder {
    pub(super) program: Program,
    pub(super) blocks: Vec<(Block, Place)>,
    pub(super) labels: HashMap<u32, usize>,
    /// Lines that jump to a label.
    pub(super) jumps: Vec<(usize, u32, Place)>,
}

/// A jump that is still to be filled in.
pub(super) const OPEN: usize = usize::MAX;

impl Builder {
    pub(super) fn new(name: String, place: Place) -> Self {
        let program = Program { name, place, lines: Vec::new(), slots: 0 };
        Self { program, blocks: Vec::new(), labels: HashMap::new(), jumps: Vec::new() }
    }

    pub(super) fn push(&mut self, place: Place, op: Op) -> usize {
        let line = self.here();
        self.program.lines.push(ProgramLine { place, op });
        line
    }

    pub(super) fn here(&self) -> usize {
        self.program.lines.len()
    }

    pub(super) fn fill(&mut self, line: usize, target: usize) {
        let Some(line) = self.program.lines.get_mut(line) else { return };
        match &mut line.op {
            Op::Jump(to)
            | Op::JumpIf { to, .. }
            | Op::ForTest { exit: to, .. }
            | Op::CaseTest { otherwise: to, .. }
            | Op::Grasp { otherwise: Some(to), .. } => *to = target,
            _ => {}
        }
    }

    pub(super) fn finish(mut self) -> Result<Program, ProgramError> {
        if let Some((block, place)) = self.blocks.pop() {
            let (word, end) = block.words();
            let last = self.program.lines.last().map_or(place, |line| line.place);
            return Err(ProgramError::new(last, ProgramFault::NeverClosed { word, place, end }));
        }
        for (line, label, place) in std::mem::take(&mut self.jumps) {
            let Some(&target) = self.labels.get(&label) else {
                return Err(ProgramError::new(place, ProgramFault::NoLabel(label)));
            };
            self.fill(line, target);
        }
        Ok(self.program)
    }
}
