//! The joints between two parts.

use crate::cell::data::{Arm, CellData, PartKind, range};
use crate::tree::JointAxisKind;

/// A step between two bodies that a variable moves.
pub(super) struct Between {
    pub(super) movement: JointAxisKind,
    /// Which of the free variables, and its factor.
    pub(super) free: usize,
    pub(super) factor: f64,
    /// The robot, the link the step leads to, and the step among those of its limb.
    pub(super) arm: usize,
    pub(super) link: usize,
    pub(super) step: usize,
}

/// A variable that moves by itself and lies between two parts.
pub(super) struct Free {
    pub(super) value: usize,
    pub(super) range: [f64; 2],
}

/// The steps between two parts, from the first to the second, and the variables that move them.
#[derive(Default)]
pub(super) struct Chain {
    pub(super) steps: Vec<Between>,
    pub(super) free: Vec<Free>,
}

impl Chain {
    /// The steps between two parts; with `laws`, followers move with the variable that they follow.
    pub(super) fn new(data: &CellData, parts: [usize; 2], laws: bool) -> Self {
        let place = |part: usize| match data.parts[part].holder {
            PartKind::Link { arm, link } | PartKind::Carried { arm, link } => Some((arm, link)),
            PartKind::World => None,
        };
        let way_up = |at: Option<(usize, usize)>| {
            let mut links = Vec::new();
            if let Some((arm, mut link)) = at {
                let robot = &data.arms[arm].robot;
                while let Some(limb) = robot.limb_of(link) {
                    links.push((arm, link));
                    link = limb.parent as usize;
                }
            }
            links
        };
        let (mut up, mut down) = (way_up(place(parts[0])), way_up(place(parts[1])));
        while let (Some(a), Some(b)) = (up.last(), down.last())
            && a == b
        {
            up.pop();
            down.pop();
        }
        let mut chain = Self::default();
        for &(arm, link) in &up {
            chain.add_steps(&data.arms[arm], (arm, link), true, laws);
        }
        for &(arm, link) in down.iter().rev() {
            chain.add_steps(&data.arms[arm], (arm, link), false, laws);
        }
        chain
    }

    fn add_steps(&mut self, owner: &Arm, (arm, link): (usize, usize), upwards: bool, laws: bool) {
        let Some(limb) = owner.robot.limb_of(link) else { return };
        let steps = owner.robot.steps(limb);
        let mut numbers: Vec<usize> = (0..steps.len()).collect();
        if upwards {
            numbers.reverse();
        }
        for step in numbers {
            let Some((movement, variable)) = steps[step].variable else { continue };
            let law = owner.robot.variables()[variable as usize].mimic.filter(|_| laws);
            let (of, factor) = law.map_or((variable as usize, 1.0), |law| (law.of, law.multiplier));
            let value = owner.first_value + of;
            let free = self.free.iter().position(|free| free.value == value).unwrap_or_else(|| {
                self.free.push(Free { value, range: range(&owner.robot.variables()[of]) });
                self.free.len() - 1
            });
            self.steps.push(Between { movement, free, factor: factor.abs(), arm, link, step });
        }
    }
}

/// The variables between the parts of a pair, each by itself: its number, what it does, and its limits.
pub(in crate::cell) fn variables_between(
    data: &CellData,
    pair: usize,
) -> Vec<(usize, JointAxisKind, Option<[f64; 2]>)> {
    let chain = Chain::new(data, data.pairs[pair].parts, false);
    let movement = |number: usize| {
        let step = chain.steps.iter().find(|step| step.free == number);
        step.map_or(JointAxisKind::Turn, |step| step.movement)
    };
    let limits = |value: usize| {
        let arm = data.arms.iter().rev().find(|arm| arm.first_value <= value)?;
        arm.robot.variables()[value - arm.first_value].limits.range
    };
    let free = chain.free.iter().enumerate();
    free.map(|(number, free)| (free.value, movement(number), limits(free.value))).collect()
}
