//! An expression made ready for evaluation: a list of steps over a few slots of memory.
//!
//! Evaluation is generic over the kind of number (points, intervals, affine forms, whole lanes of either).
//! Over a cell most `min` and `max` are decided; a tape can be shortened to what is left (Keeter 2020).

use super::graph::Graph;
use super::number::Number;
use crate::expression::expr::Expr;
use crate::expression::op::{Binary, Op, Unary};

/// A compiled expression. Immutable and shareable; memory for evaluation is lent.
#[derive(Clone, Debug)]
pub struct Tape {
    /// Every operation after its operands, the value last.
    ops: Vec<Op<u32>>,
    /// The same with slots for operands, and where each result goes.
    steps: Vec<(Op<u32>, u32)>,
    slots: usize,
    choices: usize,
}

/// For each `min` and `max` of a tape, for which lanes the first operand suffices, and for which the second.
#[derive(Clone, Debug, Default)]
pub struct Choices(Vec<[u8; 2]>);

impl Tape {
    /// Compile an expression: equal parts are shared, constants folded, identities applied.
    pub fn new(expr: &Expr) -> Self {
        let mut graph = Graph::sharing();
        let root = graph.add(expr);
        Self::from_ops(graph.ops, root)
    }

    /// Returns the number of operations.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Returns `true` if there are no operations; never the case.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Returns the number of `min` and `max` operations.
    pub fn choices(&self) -> usize {
        self.choices
    }

    /// Returns the value at a point, or its equivalent for the kind of number. `slots` is borrowed memory.
    pub fn evaluate<T: Number>(&self, xyz: &[T; 3], slots: &mut Vec<T>) -> T {
        self.run(xyz, slots, |_, _, _| {})
    }

    /// [`evaluate`](Self::evaluate), and note which operands of `min` and `max` matter.
    pub fn evaluate_choosing<T: Number>(&self, xyz: &[T; 3], slots: &mut Vec<T>, choices: &mut Choices) -> T {
        choices.0.clear();
        self.run(xyz, slots, |function, a, b| {
            let (a_at_most, b_at_most) = (a.certainly_at_most(b), b.certainly_at_most(a));
            choices.0.push(match function {
                Binary::Max => [b_at_most, a_at_most],
                _ => [a_at_most, b_at_most],
            });
        })
    }

    #[inline]
    fn run<T: Number>(&self, xyz: &[T; 3], slots: &mut Vec<T>, mut choice: impl FnMut(Binary, &T, &T)) -> T {
        if slots.len() < self.slots {
            slots.resize(self.slots, T::constant(0.0));
        }
        let slots = &mut slots[..self.slots];
        for (op, out) in &self.steps {
            let value = match op {
                Op::Coordinate(axis) => xyz[usize::from(*axis)],
                Op::Constant(c) => T::constant(*c),
                Op::Unary(function, a) => slots[*a as usize].unary(*function),
                Op::Binary(function, a, b) => {
                    let (a, b) = (&slots[*a as usize], &slots[*b as usize]);
                    if matches!(function, Binary::Min | Binary::Max) {
                        choice(*function, a, b);
                    }
                    a.binary(*function, b)
                }
                Op::Noise([x, y, z]) => {
                    T::noise([&slots[*x as usize], &slots[*y as usize], &slots[*z as usize]])
                }
            };
            slots[*out as usize] = value;
        }
        // The value is computed last and into slot 0.
        slots[0]
    }

    /// The tape without what does not matter in any of the `lanes`; `None` where nothing falls away.
    pub fn shortened(&self, choices: &Choices, lanes: u8) -> Option<Self> {
        let decided = |[first, second]: [u8; 2]| {
            if first & lanes == lanes {
                Some(0)
            } else if second & lanes == lanes {
                Some(1)
            } else {
                None
            }
        };
        if lanes == 0 || !choices.0.iter().any(|&choice| decided(choice).is_some()) {
            return None;
        }
        // Where each operation went: itself or the operand that stands for it.
        let mut kept: Vec<Option<u32>> = vec![None; self.ops.len()];
        let mut choice = choices.0.iter();
        for (i, op) in self.ops.iter().enumerate() {
            if let Op::Binary(Binary::Min | Binary::Max, a, b) = op {
                kept[i] = choice.next().and_then(|&c| decided(c)).map(|side| [*a, *b][side]);
            }
        }
        let mut live = vec![false; self.ops.len()];
        live[self.ops.len() - 1] = true;
        for (i, op) in self.ops.iter().enumerate().rev() {
            if live[i] {
                match kept[i] {
                    Some(operand) => live[operand as usize] = true,
                    None => op.operands().for_each(|&operand| live[operand as usize] = true),
                }
            }
        }
        let mut graph = Graph::plain(self.ops.len());
        let mut place = vec![0; self.ops.len()];
        for (i, op) in self.ops.iter().enumerate().filter(|&(i, _)| live[i]) {
            place[i] = match kept[i] {
                Some(operand) => place[operand as usize],
                None => graph.push(op.map(|&operand| place[operand as usize])),
            };
        }
        Some(Self::from_ops(graph.ops, place[self.ops.len() - 1]))
    }

    /// The function that one of the operations computes.
    pub(crate) fn of_part(&self, root: u32) -> Self {
        Self::from_ops(self.ops.clone(), root)
    }

    /// The function with its sign turned.
    pub(crate) fn negated(&self) -> Self {
        let mut ops = self.ops.clone();
        let root = ops.len() as u32;
        ops.push(Op::Unary(Unary::Neg, root - 1));
        Self::from_ops(ops, root)
    }

    /// The function of coordinates times a factor.
    pub(crate) fn of_scaled(&self, factor: f64) -> Self {
        let mut ops = Vec::with_capacity(self.ops.len() + 3);
        let mut place = Vec::with_capacity(self.ops.len());
        for op in &self.ops {
            ops.push(op.map(|&operand| place[operand as usize]));
            if let Op::Coordinate(_) = op {
                ops.push(Op::Unary(Unary::Times(factor), ops.len() as u32 - 1));
            }
            place.push(ops.len() as u32 - 1);
        }
        let root = ops.len() as u32 - 1;
        Self::from_ops(ops, root)
    }

    /// Keep what the root needs and give every result a slot, used again once the result has been.
    fn from_ops(ops: Vec<Op<u32>>, root: u32) -> Self {
        const NONE: u32 = u32::MAX;
        let mut live = vec![false; ops.len()];
        live[root as usize] = true;
        for i in (0..=root as usize).rev().filter(|&i| i < ops.len()) {
            if live[i] {
                ops[i].operands().for_each(|&operand| live[operand as usize] = true);
            }
        }
        let mut place = vec![NONE; ops.len()];
        let mut compact = Vec::with_capacity(ops.len());
        for (i, op) in ops.iter().enumerate().filter(|&(i, _)| live[i]) {
            place[i] = compact.len() as u32;
            compact.push(op.map(|&operand| place[operand as usize]));
        }
        let (steps, slots) = allocate(&compact);
        let is_choice = |op: &&Op<u32>| matches!(op, Op::Binary(Binary::Min | Binary::Max, ..));
        let choices = compact.iter().filter(is_choice).count();
        Self { ops: compact, steps, slots, choices }
    }

    /// Every operation with the indices of its operands among the earlier ones; the value is the last.
    pub fn ops(&self) -> &[Op<u32>] {
        &self.ops
    }
}

/// Slots by a scan from the end: an operand gets one where it is needed last, a result gives its own back.
fn allocate(ops: &[Op<u32>]) -> (Vec<(Op<u32>, u32)>, usize) {
    const NONE: u32 = u32::MAX;
    let mut slot = vec![NONE; ops.len()];
    let mut free: Vec<u32> = Vec::new();
    let mut used = 1;
    if let Some(root) = slot.last_mut() {
        *root = 0;
    }
    let mut steps = Vec::with_capacity(ops.len());
    for (i, op) in ops.iter().enumerate().rev() {
        let out = slot[i];
        free.push(out);
        let in_slots = op.map(|&operand| {
            let place = &mut slot[operand as usize];
            if *place == NONE {
                *place = free.pop().unwrap_or_else(|| {
                    used += 1;
                    used - 1
                });
            }
            *place
        });
        steps.push((in_slots, out));
    }
    steps.reverse();
    (steps, used as usize)
}
