//! The removal study: can each part be taken out of the engine bay along its path, and how much room is left?

use crate::Outcome;
use crate::output::{self, Progress, Table};
use crate::sweep::Hit;
use anyhow::Result;
use noli::{
    BodyId, ClearanceQuery, Clip, KeyFrames, Model, Motion, Move, Scratch, StepOptions, Turning, World,
    clearance_in,
};
use noli_scenes::{Assembly, Removal, engine_bay, engine_bay_removals};
use rayon::prelude::*;
use serde::Serialize;
use std::sync::Arc;

/// Looks at the way before anything is proven about the room along it.
const SAMPLES: u32 = 60;
/// Looks that are printed.
const STATIONS: u32 = 6;
/// What is proven is this share of the smallest gap that was seen.
const PROVEN_SHARE: f64 = 0.98;
/// How often a smaller gap may be found in the attempt.
const ATTEMPTS: u32 = 8;

#[derive(Serialize)]
struct Study {
    scene: &'static str,
    units: &'static str,
    bodies: usize,
    triangles: usize,
    removals: Vec<Finding>,
}

#[derive(Serialize)]
struct Finding {
    name: String,
    part: String,
    without: Vec<String>,
    /// "free" (proven), "blocked" or "undecided".
    verdict: &'static str,
    /// How much of the path is proven free, from 0 to 1.
    free_until: f64,
    /// How far the part's origin gets along its path until then, and how long the path is.
    travelled: f64,
    path_length: f64,
    blocked_by: Option<Hit>,
    /// Along the whole free path the gap to anything is at least this, proven between the looks too.
    clearance_at_least: f64,
    /// And at one place at most this.
    clearance_at_most: f64,
    tightest: Option<Station>,
    stations: Vec<Station>,
}

/// A look at the part on its way.
#[derive(Clone, Serialize)]
struct Station {
    time: f64,
    /// How far the part has come.
    travelled: f64,
    gap: f64,
    to: String,
    point: [f64; 3],
}

pub(super) fn run(detail: u32, json: bool) -> Result<Outcome> {
    let bay = engine_bay(detail);
    let models: Vec<Model> = bay.parts.par_iter().map(|part| Model::from(&part.mesh)).collect();
    let tasks = tasks();
    let progress = Progress::new(tasks.len());
    let mut removals = Vec::new();
    for (name, removal) in tasks {
        progress.step(&name);
        removals.push(Trial::new(&bay, &models, &removal)?.finding(name, &removal)?);
    }
    drop(progress);
    let study = Study {
        scene: "engine-bay",
        units: "mm",
        bodies: bay.parts.len(),
        triangles: bay.triangle_count(),
        removals,
    };
    if json {
        output::print_json(&study)?
    } else {
        output::print(&study.text())?
    }
    Ok(study.outcome())
}

/// The four removals, and those that need a part to be taken out before, with that part left in.
fn tasks() -> Vec<(String, Removal)> {
    let planned = engine_bay_removals();
    let hasty = planned.iter().filter(|removal| !removal.without.is_empty());
    let hasty = hasty.map(|removal| {
        (
            format!("{}, {} left in", removal.name, removal.without.join(", ")),
            Removal { without: &[], ..removal.clone() },
        )
    });
    let mut tasks: Vec<(String, Removal)> =
        planned.iter().map(|removal| (removal.name.to_owned(), removal.clone())).collect();
    tasks.extend(hasty);
    tasks
}

/// One removal in a world of its own.
struct Trial {
    world: World,
    part: BodyId,
    motion: Arc<dyn Motion>,
}

impl Trial {
    fn new(bay: &Assembly, models: &[Model], removal: &Removal) -> Result<Self> {
        let (mut world, mut moved) = (World::default(), None);
        for (part, model) in bay.parts.iter().zip(models) {
            if removal.without.contains(&part.name.as_str()) {
                continue;
            }
            let id = world.add(part.name.clone(), model, part.pose)?;
            if part.name == removal.part {
                moved = Some(id);
            }
        }
        let part = moved.ok_or_else(|| anyhow::anyhow!("the bay has no part {}", removal.part))?;
        let last = (removal.path.len() - 1) as f64;
        let keys: Vec<_> =
            removal.path.iter().enumerate().map(|(k, &pose)| (k as f64 / last, pose)).collect();
        let pivot = world.body(part)?.model().aabb().center();
        Ok(Self { motion: Arc::new(KeyFrames::new(&keys, pivot, Turning::Slerp)?), world, part })
    }

    /// Until when the part may go with at least this much room, and what stops it.
    fn advance(&mut self, margin: f64, until: f64) -> Result<(f64, Option<Hit>)> {
        self.world.rules_mut().set_default_margin(margin);
        let clip = Clip::new(self.motion.clone(), 0.0, until);
        let going = Move::rigid("part", vec![(self.part, Arc::new(clip) as Arc<dyn Motion>)]);
        let step = self.world.plan(vec![going], &StepOptions { sleep: false, ..Default::default() })?;
        let outcome = step.outcomes[0];
        let by = outcome.first.and_then(|first| Hit::new(&self.world, &step.answers[first]));
        Ok((outcome.free_until * until, by))
    }

    /// The nearest part at a time.
    fn look(&self, time: f64) -> Result<Option<Station>> {
        let (part, mut best, mut scratch) = (self.world.body(self.part)?, None, Scratch::default());
        let here = part.model().at(self.motion.pose(time));
        for (id, other) in self.world.bodies().filter(|(id, _)| *id != self.part) {
            let nearest = best.as_ref().map_or(f64::INFINITY, |station: &Station| station.gap);
            let query = ClearanceQuery { max_distance: nearest, ..Default::default() };
            let gap = clearance_in(&here, &other.model().at(other.pose()), &query, &mut scratch);
            if gap.at_most < nearest {
                let to = self.world.body(id)?.name().to_owned();
                let point = gap.witness.map_or([f64::NAN; 3], |w| ((w.on_a + w.on_b) * 0.5).to_array());
                best = Some(Station { time, travelled: self.length(time), gap: gap.at_most, to, point });
            }
        }
        Ok(best)
    }

    fn finding(mut self, name: String, removal: &Removal) -> Result<Finding> {
        let (free_until, blocked_by) = self.advance(0.0, 1.0)?;
        let times: Vec<f64> = (0..=SAMPLES).map(|k| free_until * f64::from(k) / f64::from(SAMPLES)).collect();
        let looks: Vec<Station> = times
            .par_iter()
            .map(|&time| self.look(time))
            .collect::<Result<Vec<_>>>()?
            .into_iter()
            .flatten()
            .collect();
        let mut tightest = looks.iter().min_by(|x, y| x.gap.total_cmp(&y.gap)).cloned();
        let mut clearance_at_least = 0.0;
        for _ in 0..ATTEMPTS {
            let Some(gap) = tightest.as_ref().map(|station| station.gap).filter(|&gap| gap > 0.0) else {
                break;
            };
            let (reached, _) = self.advance(PROVEN_SHARE * gap, free_until)?;
            if reached >= free_until {
                clearance_at_least = PROVEN_SHARE * gap;
                break;
            }
            let closer = self.look(reached)?.filter(|station| station.gap < gap);
            if closer.is_none() {
                break;
            }
            tightest = closer;
        }
        let every = (SAMPLES / STATIONS) as usize;
        Ok(Finding {
            name,
            part: removal.part.to_owned(),
            without: removal.without.iter().map(|&part| part.to_owned()).collect(),
            verdict: match &blocked_by {
                None => "free",
                Some(hit) if hit.impact == "undecided" => "undecided",
                Some(_) => "blocked",
            },
            free_until,
            travelled: self.length(free_until),
            path_length: self.length(1.0),
            blocked_by,
            clearance_at_least,
            clearance_at_most: tightest.as_ref().map_or(f64::INFINITY, |station| station.gap),
            tightest,
            stations: looks.into_iter().step_by(every).collect(),
        })
    }

    /// How far the part's origin goes, along its straight pieces.
    fn length(&self, until: f64) -> f64 {
        let (mut t, mut length) = (0.0, 0.0);
        while t < until {
            let end = self.motion.next_bend(t).min(until);
            length += self.motion.pose(t).translation.distance(self.motion.pose(end).translation);
            t = end;
        }
        length
    }
}

impl Study {
    fn outcome(&self) -> Outcome {
        let any = |verdict: &str| self.removals.iter().any(|finding| finding.verdict == verdict);
        if any("blocked") {
            Outcome::Touching
        } else if any("undecided") {
            Outcome::Undecided
        } else {
            Outcome::Free
        }
    }

    fn text(&self) -> String {
        let mut text = format!(
            "Removal study: {}, {} bodies, {} triangles; lengths in {}\n\n",
            self.scene, self.bodies, self.triangles, self.units
        );
        let mut table = Table::new(3, ["removal", "part", "verdict", "way out", "gets to", "room left"]);
        for finding in &self.removals {
            table.row([
                finding.name.clone(),
                finding.part.clone(),
                if finding.is_free() { "free, proven" } else { finding.verdict }.to_owned(),
                length(finding.path_length),
                length(finding.travelled),
                match finding.verdict {
                    "free" => room(finding.clearance_at_least),
                    "blocked" => "none".to_owned(),
                    _ => "unknown".to_owned(),
                },
            ]);
        }
        text += &table.to_string();
        for finding in &self.removals {
            text += &finding.text(self.units);
        }
        text + "\nWhat is proven holds at every moment of the way, not only where the tables look. Room left is rounded down.\n"
    }
}

fn length(x: f64) -> String {
    format!("{x:.2}")
}

/// Rounded down: nobody is promised room that is not there.
fn room(x: f64) -> String {
    length((x * 100.0).floor() / 100.0)
}

fn place(point: [f64; 3]) -> String {
    point.map(|x| format!("{x:.1}")).join(", ")
}

impl Finding {
    fn is_free(&self) -> bool {
        self.verdict == "free"
    }

    fn text(&self, units: &str) -> String {
        let mut text = format!("\n{}: {} is taken out", self.name, self.part);
        if !self.without.is_empty() {
            text += &format!(", after {}", self.without.join(", "));
        }
        text += "\n";
        text += &self.verdict_text(units);
        if let Some(tightest) = self.tightest.as_ref().filter(|_| self.is_free()) {
            text += &format!(
                "  tightest place found: {} {units} to {}, at ({}), after {} {units}\n",
                room(tightest.gap),
                tightest.to,
                place(tightest.point),
                length(tightest.travelled)
            );
        }
        let mut table = Table::new(0, ["  after", "room", "nearest part"]);
        for station in &self.stations {
            table.row([format!("  {}", length(station.travelled)), room(station.gap), station.to.clone()]);
        }
        text + &table.to_string()
    }

    /// What is proven, or what is in the way.
    fn verdict_text(&self, units: &str) -> String {
        let (reached, whole) = (length(self.travelled), length(self.path_length));
        let Some(hit) = &self.blocked_by else {
            return format!(
                "  free: proven for the whole way of {whole} {units}, with at least {} {units} of room all along\n",
                room(self.clearance_at_least)
            );
        };
        let other = if hit.a == self.part { &hit.b } else { &hit.a };
        let at = hit.point.map_or(String::new(), |point| format!(", at ({})", place(point)));
        // Features of A and B, in this order.
        let features = hit.features.as_deref().and_then(|features| features.split_once(" / "));
        let features =
            features.map_or(String::new(), |(a, b)| format!(": {a} of {}, {b} of {}", hit.a, hit.b));
        let verdict = if self.verdict == "undecided" { "undecided, because of" } else { "blocked by" };
        format!("  {verdict} {other} after {reached} of {whole} {units}{at}{features}\n")
    }
}
