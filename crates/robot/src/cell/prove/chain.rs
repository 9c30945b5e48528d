//! The joints between two parts.

use super::domain::{Domain, DomainRange, Move, RangeOrigin, domain_of};
use crate::cell::data::{Arm, CellData, PartKind};
use crate::tree::JointAxisKind;
use std::f64::consts::PI;

/// A step between two bodies that a variable moves.
pub(super) struct Between {
    /// Which of the free variables, and how it moves the step.
    pub(super) free: usize,
    pub(super) by: Move,
    /// How far the value may be from what the free variable gives it.
    pub(super) slack: f64,
    /// The robot, the link the step leads to, and the step among those of its limb.
    pub(super) arm: usize,
    pub(super) link: usize,
    pub(super) step: usize,
    /// The value of the step itself in a configuration.
    value: usize,
}

/// The steps between two parts, from the first to the second, and the variables that move them.
#[derive(Default)]
pub(super) struct Chain {
    pub(super) steps: Vec<Between>,
    pub(super) free: Vec<DomainRange>,
}

impl Chain {
    /// The steps between two parts; with `laws`, followers move with the variable that they follow.
    pub(super) fn new(data: &CellData, parts: [usize; 2], laws: bool, assumed: &[(usize, [f64; 2])]) -> Self {
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
        chain.set_ranges(data, assumed);
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
            let own = (variable as usize, 1.0, 0.0);
            let (of, factor, offset) = law.map_or(own, |law| (law.of, law.multiplier, law.offset));
            let by = Move { movement, factor, offset, follows: law.is_some() };
            let [free, value] = [of, variable as usize].map(|variable| owner.first_value + variable);
            let free = self.number_of(free);
            self.steps.push(Between { free, by, slack: 0.0, arm, link, step, value });
        }
    }

    /// The number of a free variable; its range is set when all that it moves is known.
    fn number_of(&mut self, value: usize) -> usize {
        let known = self.free.iter().position(|free| free.value == value);
        known.unwrap_or_else(|| {
            self.free.push(DomainRange { value, range: [0.0; 2], origin: RangeOrigin::Limits });
            self.free.len() - 1
        })
    }

    fn set_ranges(&mut self, data: &CellData, assumed: &[(usize, [f64; 2])]) {
        for (number, free) in self.free.iter_mut().enumerate() {
            let moves: Vec<Move> =
                self.steps.iter().filter(|step| step.free == number).map(|step| step.by).collect();
            let assumed = assumed.iter().find(|(value, _)| *value == free.value).map(|(_, range)| *range);
            (free.range, free.origin) = domain_of(data.variable(free.value), &moves, assumed);
        }
        for step in &mut self.steps {
            step.slack = step.by.slack(self.free[step.free].origin);
        }
    }

    /// Joint values that it is about.
    pub(super) fn domain(&self) -> Domain {
        Domain::new(self.free.clone())
    }

    /// Lets joints that turn with a common variable but never come back to where they were together turn by themselves:
    /// more than they can, in boxes that can be searched. Returns `true` if there are such.
    pub(super) fn loosen(&mut self) -> bool {
        let turns = |free: usize| {
            let mut own = self.steps.iter().filter(|step| step.free == free);
            own.all(|step| step.by.movement == JointAxisKind::Turn)
        };
        let endless = |(number, free): (usize, &DomainRange)| {
            (free.origin == RangeOrigin::AllValues && turns(number)).then_some(number)
        };
        let loose: Vec<usize> = self.free.iter().enumerate().filter_map(endless).collect();
        for step in self.steps.iter_mut().filter(|step| loose.contains(&step.free)) {
            let half = PI.next_up();
            let range = DomainRange { value: step.value, range: [-half, half], origin: RangeOrigin::Period };
            step.by = Move { factor: 1.0, offset: 0.0, follows: false, ..step.by };
            step.free = self.free.len();
            self.free.push(range);
        }
        !loose.is_empty()
    }
}

/// The variables between the parts of a pair, each by itself: its number, what it does, and its limits.
pub(in crate::cell) fn variables_between(
    data: &CellData,
    pair: usize,
) -> Vec<(usize, JointAxisKind, Option<[f64; 2]>)> {
    let chain = Chain::new(data, data.pairs[pair].parts, false, &[]);
    let own = |free: &DomainRange| {
        let variable = data.variable(free.value);
        (free.value, variable.movement, variable.limits.range)
    };
    chain.free.iter().map(own).collect()
}
