//! One draw, one answer; many answers, one tally.

use crate::plan::{Histogram, Question};
use crate::random_draws::{Draw, Generator};
use crate::shard::{Row, Tally, Witness};
use glam::DVec3;
use noli::answer::{Bracket, Overlap};
use noli::motion::{RigidMotion, Still};
use noli::query::{ClearanceQuery, ImpactQuery};
use noli::world::{BodyId, Snapshot};
use noli::{Impact, Placed, QueryContext};
use noli_gpu::StateTally;
use noli_robot::cell::{Cell, StateStatus};
use std::ops::Range;

/// Bodies of the queries, ready for use.
#[derive(Clone, Debug)]
pub(crate) enum Bodies {
    /// One body of a world that is moved among all others, where these rest.
    One { world: Snapshot, moved: BodyId },
    /// Bodies of a world that deviate, and the pairs of them that matter.
    Parts { world: Snapshot, pairs: Vec<Pair> },
    /// A robot alone.
    Robot(Box<Cell>),
}

/// Two bodies of a world, in order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    pub(crate) bodies: [BodyId; 2],
    /// The places of both among the drawn ones.
    pub(crate) drawn: [usize; 2],
    /// Required clearance of the pair, by the rules of the world.
    pub(crate) margin: f64,
}

/// The query and its bodies.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) bodies: Bodies,
    pub(crate) generator: Generator,
    pub(crate) question: Question,
    pub(crate) margin: f64,
    pub(crate) histogram: Option<Histogram>,
    pub(crate) seed: u64,
    pub(crate) rows: bool,
}

/// The answer to one draw.
struct Answer {
    verdict: Overlap,
    value: Bracket,
}

impl Answer {
    /// A verdict without a value.
    fn plain(verdict: Overlap) -> Self {
        let value = match verdict {
            Overlap::Hit => Bracket::ZERO,
            Overlap::Free | Overlap::Unknown => Bracket::OPEN,
        };
        Self { verdict, value }
    }
}

impl Asked {
    /// The answers to some draws, one after the other.
    pub(crate) fn tally(&self, range: Range<u64>, context: &mut QueryContext<'_>) -> (Tally, Vec<Row>) {
        let (mut tally, mut rows) = (self.blank(), Vec::new());
        match &self.bodies {
            Bodies::Robot(cell) => self.robot(cell, range, &mut tally, &mut rows),
            Bodies::One { world, moved } => {
                for index in range {
                    let draw = self.generator.draw(self.seed, index);
                    let answer = self.one(world, *moved, &draw, context);
                    self.count(index, &draw, &answer, &mut tally, &mut rows);
                }
            }
            Bodies::Parts { world, pairs } => {
                tally.pair_hits = vec![0; pairs.len()];
                for index in range {
                    let draw = self.generator.draw(self.seed, index);
                    let answer = self.parts(world, pairs, &draw, &mut tally.pair_hits, context);
                    self.count(index, &draw, &answer, &mut tally, &mut rows);
                }
            }
        }
        (tally, rows)
    }

    /// Nothing counted yet.
    pub(crate) fn blank(&self) -> Tally {
        let bins = self.histogram.as_ref().map_or(0, |histogram| histogram.bins + 2);
        Tally { histogram: vec![0; bins], ..Tally::default() }
    }

    /// The summary of configurations that were counted elsewhere.
    pub(crate) fn counted(&self, found: &StateTally) -> Tally {
        let mut tally = self.blank();
        (tally.count, tally.hits, tally.unknown) = (found.count, found.hits, found.unknown);
        if let (Some(first), Some(last)) = (&self.histogram, tally.histogram.len().checked_sub(1)) {
            // As `Answer::plain` has them: collisions are at 0, all others without bounds.
            tally.histogram[first.bin(0.0)] += found.hits;
            tally.histogram[last] += found.count - found.hits;
        }
        tally.smallest = found.first_hit.map(|index| Witness {
            index,
            at_least: 0.0,
            at_most: 0.0,
            numbers: self.generator.draw(self.seed, index).numbers(),
        });
        tally
    }

    /// Counts a verdict that was computed elsewhere.
    pub(crate) fn count_verdict(
        &self,
        index: u64,
        draw: &Draw,
        verdict: Overlap,
        tally: &mut Tally,
        rows: &mut Vec<Row>,
    ) {
        self.count(index, draw, &Answer::plain(verdict), tally, rows);
    }

    fn count(&self, index: u64, draw: &Draw, answer: &Answer, tally: &mut Tally, rows: &mut Vec<Row>) {
        let Bracket { at_least, at_most } = answer.value;
        tally.count += 1;
        let hit = match answer.verdict {
            Overlap::Hit => Some(true),
            Overlap::Free => Some(false),
            Overlap::Unknown => None,
        };
        tally.hits += u64::from(hit == Some(true));
        tally.unknown += u64::from(hit.is_none());
        if let Some(histogram) = &self.histogram {
            tally.histogram[histogram.bin(at_most)] += 1;
        }
        if at_most.is_finite() && tally.smallest.as_ref().is_none_or(|smallest| at_most < smallest.at_most) {
            tally.smallest = Some(Witness { index, at_least, at_most, numbers: draw.numbers() });
        }
        if self.rows {
            rows.push(Row { index, hit, at_least, at_most });
        }
    }

    fn one(&self, world: &Snapshot, moved: BodyId, draw: &Draw, context: &mut QueryContext<'_>) -> Answer {
        let model = world[moved].model();
        let others = world.bodies().filter(|(id, _)| *id != moved).map(|(_, body)| body);
        match draw {
            Draw::Pose(pose) => {
                let here = model.at(*pose);
                let pairs = others.map(|other| (other.model().at(other.pose()), here, self.margin));
                self.nearest(pairs, |_| {}, context)
            }
            Draw::Way(start, end) => {
                let motion = RigidMotion::between(start, end, DVec3::ZERO);
                self.first(others.map(|other| {
                    let query = ImpactQuery { margin: self.margin, ..ImpactQuery::default() };
                    let still = Still(other.pose());
                    context
                        .time_of_impact(&other.model().moving(&still), &model.moving(&motion), &query)
                        .with_touch(())
                }))
            }
            Draw::Places(_) | Draw::Values(_) | Draw::ValuesPath(..) => Answer::plain(Overlap::Unknown),
        }
    }

    fn parts(
        &self,
        world: &Snapshot,
        pairs: &[Pair],
        draw: &Draw,
        hits: &mut [u64],
        context: &mut QueryContext<'_>,
    ) -> Answer {
        let Draw::Places(places) = draw else { return Answer::plain(Overlap::Unknown) };
        let placed = pairs.iter().map(|pair| {
            let [a, b] = [0, 1].map(|k| world[pair.bodies[k]].model().at(places[pair.drawn[k]]));
            (a, b, self.margin.max(pair.margin))
        });
        self.nearest(placed, |pair| hits[pair] += 1, context)
    }

    /// Returns the combined verdict on all pairs. Every pair is tested; `hit` receives those that collide.
    fn nearest<'a>(
        &self,
        pairs: impl Iterator<Item = (Placed<'a>, Placed<'a>, f64)>,
        mut hit: impl FnMut(usize),
        context: &mut QueryContext<'_>,
    ) -> Answer {
        let mut all = Answer { verdict: Overlap::Free, value: Bracket::INFINITE };
        for (number, (a, b, margin)) in pairs.enumerate() {
            let verdict = match self.question {
                Question::Clearance => {
                    // Beyond what is nearest so far a pair need not be measured, but its margin must be.
                    let max_distance = all.value.at_most.max(margin);
                    let query = ClearanceQuery { max_distance, ..ClearanceQuery::default() };
                    let clearance = context.clearance(&a, &b, &query).distance;
                    all.value.at_most = all.value.at_most.min(clearance.at_most);
                    all.value.at_least = all.value.at_least.min(clearance.at_least);
                    if clearance.at_most <= margin {
                        Overlap::Hit
                    } else if clearance.at_least > margin {
                        Overlap::Free
                    } else {
                        self.meets(&a, &b, margin, context)
                    }
                }
                Question::Overlap | Question::Impact => self.meets(&a, &b, margin, context),
            };
            match verdict {
                Overlap::Hit => {
                    hit(number);
                    all.verdict = Overlap::Hit;
                }
                Overlap::Unknown if all.verdict == Overlap::Free => all.verdict = Overlap::Unknown,
                Overlap::Unknown | Overlap::Free => {}
            }
        }
        if self.question != Question::Clearance {
            return Answer::plain(all.verdict);
        }
        all.value.at_least = all.value.at_least.min(all.value.at_most);
        all
    }

    fn meets(&self, a: &Placed<'_>, b: &Placed<'_>, margin: f64, context: &mut QueryContext<'_>) -> Overlap {
        if margin > 0.0 { context.within_distance(a, b, margin) } else { context.overlap(a, b) }
    }

    /// The earliest of several impacts.
    fn first(&self, impacts: impl Iterator<Item = Impact<()>>) -> Answer {
        let mut all =
            Answer { verdict: Overlap::Free, value: Bracket { at_least: 1.0, at_most: f64::INFINITY } };
        for impact in impacts {
            all.value.at_least = all.value.at_least.min(impact.safe_until());
            match impact {
                Impact::Free => {}
                Impact::AtStart(()) => (all.verdict, all.value.at_most) = (Overlap::Hit, 0.0),
                Impact::At { time, .. } => {
                    all.verdict = Overlap::Hit;
                    all.value.at_most = all.value.at_most.min(time.touching_by);
                }
                Impact::Unknown { .. } if all.verdict == Overlap::Free => all.verdict = Overlap::Unknown,
                Impact::Unknown { .. } => {}
            }
        }
        all
    }

    fn robot(&self, cell: &Cell, range: Range<u64>, tally: &mut Tally, rows: &mut Vec<Row>) {
        let mut checker = cell.checker();
        let draws: Vec<Draw> = range.clone().map(|index| self.generator.draw(self.seed, index)).collect();
        let mut statuses = Vec::new();
        if self.question == Question::Overlap {
            let states: Vec<f64> = draws.iter().flat_map(Draw::numbers).collect();
            if checker.check_states(&states, &mut statuses).is_err() {
                statuses = vec![StateStatus::Unknown(0); draws.len()];
            }
            // Without variables all draws are one configuration.
            if let (0, Some(&status)) = (cell.value_count(), statuses.first()) {
                statuses = vec![status; draws.len()];
            }
        }
        for (number, (index, draw)) in range.zip(&draws).enumerate() {
            let answer = match (draw, self.question) {
                (Draw::Values(_), Question::Overlap) => Answer::plain(match statuses[number] {
                    StateStatus::Free => Overlap::Free,
                    StateStatus::Hit(_) => Overlap::Hit,
                    StateStatus::Unknown(_) => Overlap::Unknown,
                }),
                (Draw::Values(values), _) => {
                    let value = checker.clearance(values).map_or(Bracket::OPEN, |nearest| nearest.clearance);
                    let verdict = match value {
                        Bracket { at_most, .. } if at_most <= self.margin => Overlap::Hit,
                        Bracket { at_least, .. } if at_least > self.margin => Overlap::Free,
                        _ => Overlap::Unknown,
                    };
                    Answer { verdict, value }
                }
                (Draw::ValuesPath(start, end), _) => {
                    let impact = checker
                        .first_contact_on_edge(start, end)
                        .unwrap_or(Impact::Unknown { safe_until: 0.0 });
                    self.first(std::iter::once(impact.with_touch(())))
                }
                _ => Answer::plain(Overlap::Unknown),
            };
            self.count(index, draw, &answer, tally, rows);
        }
    }
}

impl Histogram {
    /// Returns the bin of a value.
    fn bin(&self, value: f64) -> usize {
        if value == 0.0 {
            0
        } else if value <= self.to {
            // From 0, left out, to 1.
            let share = value / self.to;
            1 + ((share * self.bins as f64).ceil() as usize).clamp(1, self.bins) - 1
        } else {
            self.bins + 1
        }
    }
}
