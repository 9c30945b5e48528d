//! The removal study: can each part be taken out of the engine bay along its path, and how much room is left?

use crate::Outcome;
use crate::output::{self, Progress, Table, short};
use crate::sweep::Hit;
use anyhow::Result;
use noli::{
    BodyId, ClearanceQuery, KeyFrames, Model, Motion, Move, Pace, Scratch, StepOptions, Window, World,
    clearance_in,
};
use noli_scenes::{Assembly, Removal, engine_bay, engine_bay_removals};
use rayon::prelude::*;
use serde::Serialize;

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
    gap: f64,
    to: String,
    point: [f64; 3],
}

pub(super) fn run(detail: u32, json: bool) -> Result<Outcome> {
    let bay = engine_bay(detail);
    let models: Vec<Model> =
        bay.parts.par_iter().map(|part| Model::new(&part.mesh, &Default::default())).collect();
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
    motion: KeyFrames,
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
        Ok(Self { motion: KeyFrames::new(&keys, pivot, Pace::Even)?, world, part })
    }

    /// Until when the part may go with at least this much room, and what stops it.
    fn advance(&mut self, margin: f64, until: f64) -> Result<(f64, Option<Hit>)> {
        self.world.rules_mut().set_default_margin(margin);
        let window = Window { motion: &self.motion, from: 0.0, to: until };
        let going = Move::rigid("part", vec![(self.part, Box::new(window) as Box<dyn Motion + '_>)]);
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
                best = Some(Station { time, gap: gap.at_most, to, point });
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
        let length = |until: f64| self.length(removal, until);
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
            travelled: length(free_until),
            path_length: length(1.0),
            blocked_by,
            clearance_at_least,
            clearance_at_most: tightest.as_ref().map_or(f64::INFINITY, |station| station.gap),
            tightest,
            stations: looks.into_iter().step_by(every).collect(),
        })
    }

    /// How far the pivot goes, along its straight pieces.
    fn length(&self, removal: &Removal, until: f64) -> f64 {
        let last = (removal.path.len() - 1) as f64;
        let mut times: Vec<f64> =
            (0..removal.path.len()).map(|k| k as f64 / last).filter(|&t| t < until).collect();
        times.push(until);
        let at = |&t: &f64| self.motion.pose(t).translation;
        times.windows(2).map(|pair| at(&pair[0]).distance(at(&pair[1]))).sum()
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
            "Removal study: {} ({} bodies, {} triangles; lengths in {})\n\n",
            self.scene, self.bodies, self.triangles, self.units
        );
        let mut table =
            Table::new(3, ["removal", "part", "verdict", "path", "reached", "room left (proven .. seen)"]);
        for finding in &self.removals {
            table.row([
                finding.name.clone(),
                finding.part.clone(),
                if finding.verdict == "free" { "free, proven" } else { finding.verdict }.to_owned(),
                short(finding.path_length),
                short(finding.travelled),
                format!("{} .. {}", short(finding.clearance_at_least), short(finding.clearance_at_most)),
            ]);
        }
        text += &table.to_string();
        for finding in &self.removals {
            text += &finding.text();
        }
        text + "\nFree means proven at all times of the motion, not only at the stations; blocked parts stop just before contact.\n"
    }
}

impl Finding {
    fn text(&self) -> String {
        let mut text = format!("\n{}: {}", self.name, self.part);
        if !self.without.is_empty() {
            text += &format!(", after {} was taken out", self.without.join(", "));
        }
        text += "\n";
        if let Some(hit) = &self.blocked_by {
            let other = if hit.a == self.part { &hit.b } else { &hit.a };
            let point = hit.point.map_or("-".into(), |point| point.map(short).join(" "));
            let features = hit.features.as_deref().unwrap_or("-");
            text += &format!(
                "  blocked by {other} after {} of {}, at ({point}), {features}\n",
                short(self.travelled),
                short(self.path_length)
            );
        }
        if let Some(station) = &self.tightest {
            text += &format!(
                "  tightest at {} % of the way: {} to {}\n",
                short((station.time * 1000.0).round() / 10.0),
                short(station.gap),
                station.to
            );
        }
        let mut table = Table::new(0, ["  way", "room", "nearest part"]);
        for station in &self.stations {
            table.row([format!("  {:.0} %", station.time * 100.0), short(station.gap), station.to.clone()]);
        }
        text + &table.to_string()
    }
}
