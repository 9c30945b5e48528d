//! Long work: it runs on a copy of the world, reports its progress, and can be stopped.

use super::cell::RanProgram;
use super::{Session, Trouble, recorded_path, simulated};
use crate::protocol::TrackView;
use glam::DVec3;
use noli::motion::{KeyFrames, Motion, Turning};
use noli::penetration::PenetrationQuery;
use noli::query::{Clock, SteadyClock};
use noli::world::{
    BodyId, BodySelector, CheckOptions, CheckResult, Move, PassageOptions, PathClearance, StepOptions,
};
use noli::{Budget, Pose, World};
use noli_formats::Units;
use noli_pages::shape::View;
use noli_pages::{MOST_SEGMENTS, Room, words};
use noli_plan::{Effort, RemovalResult, RemoveOptions, RigidSpace, remove};
use noli_project::clash::{ClashOptions, Tolerance};
use noli_project::report::{CheckReport, ImpactKind, ImpactReport, ReportOptions};
use noli_project::{Check, RemovalTrial, Staged};
use noli_scenes::Removal;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// Background work of the session.
#[derive(Debug)]
pub struct Work {
    kind: Kind,
    staged: Box<Staged>,
    cast: Cast,
}

#[derive(Debug)]
pub(super) enum Kind {
    Check {
        title: String,
        units: Option<Units>,
        edition: u64,
        clashes: Box<Check>,
    },
    Play {
        frames: u32,
    },
    /// One body along a path; others are removed.
    Follow {
        title: String,
        body: BodyId,
        motion: Arc<dyn Motion>,
        without: Vec<BodyId>,
    },
    /// A path by hand, sliding along obstacles or passing through.
    Slide(recorded_path::Way),
    Pass(recorded_path::Way),
    /// A removal path.
    Way {
        body: BodyId,
    },
    /// A program in its cell.
    Run(Box<super::cell::ProgramRun>),
    /// A recording of contact or dynamics.
    Recording {
        path: PathBuf,
    },
    /// Contact or dynamics of a scene file.
    Simulate {
        scene: PathBuf,
        dynamics: bool,
    },
}

/// Result of the work.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "one to a task")]
pub enum Finished {
    /// All pairs.
    Checked {
        /// The world then.
        staged: Box<Staged>,
        /// Result.
        result: CheckResult,
        /// The same for people.
        report: CheckReport,
        /// Duration.
        seconds: f64,
        /// Edition of the state it refers to.
        edition: u64,
    },
    /// A motion.
    Track(TrackView),
    /// A program, as a motion and as a report.
    Ran(TrackView, Box<RanProgram>),
    /// Nothing, because of this.
    Failed(Trouble),
    /// It was stopped.
    Stopped,
}

/// Mapping from bodies to page numbers.
#[derive(Clone, Debug)]
pub(super) struct Cast {
    pub(super) view: View,
    unit: &'static str,
    numbers: HashMap<BodyId, usize>,
    middles: HashMap<BodyId, DVec3>,
    names: HashMap<BodyId, String>,
}

impl Session {
    pub(super) fn work(&self, kind: Kind) -> Work {
        let there = || self.entries.iter().filter_map(|entry| Some((entry.id?, entry)));
        let cast = Cast {
            view: self.view,
            unit: self.unit,
            numbers: self.numbers.clone(),
            middles: there().map(|(id, entry)| (id, entry.middle)).collect(),
            names: there().map(|(id, entry)| (id, entry.name.clone())).collect(),
        };
        Work { kind, staged: Box::new(self.staged.clone()), cast }
    }

    /// Returns the check of all current pairs.
    pub fn check_work(&self) -> Work {
        let (title, units, edition) = (self.title.clone(), self.units, self.edition);
        self.work(Kind::Check { title, units, edition, clashes: Box::new(self.clashes.clone()) })
    }

    pub(super) fn run_work(&self) -> Result<Work, Trouble> {
        Ok(self.work(Kind::Run(self.program_run()?)))
    }

    pub(super) fn play_work(&self, frames: u32) -> Result<Work, Trouble> {
        if self.staged.moves.is_empty() {
            return Err(Trouble::new(
                "nothing moves in this scene",
                "add a [[motion]] to it, or plan a removal path for a body",
            ));
        }
        Ok(self.work(Kind::Play { frames: frames.clamp(1, 2000) }))
    }

    pub(super) fn study_work(&self, name: &str) -> Result<Work, Trouble> {
        let removals = removals_of(self.bundled.as_ref());
        let none = || Trouble::new(format!("there is no removal {name}"), "choose one of the list");
        let (_, removal) = removals.iter().find(|(title, _)| title == name).ok_or_else(none)?;
        let there = |part: &str| {
            let gone = || Trouble::new(format!("{part} is not there"), "undo its removal");
            self.named(part).and_then(|number| self.entries[number].id).ok_or_else(gone)
        };
        let body = there(removal.part)?;
        let without = removal.without.iter().map(|part| there(part)).collect::<Result<Vec<_>, _>>()?;
        // The path of the plan begins where the part stood; from where it stands now it takes the same way.
        let motion = self.keyed(body, &removal.path)?;
        Ok(self.work(Kind::Follow { title: format!("{name}: {}", removal.part), body, motion, without }))
    }

    pub(super) fn path_work(&self, body: usize) -> Result<Work, Trouble> {
        Ok(self.work(Kind::Way { body: self.id(body)? }))
    }

    pub(super) fn keyed(&self, body: BodyId, path: &[Pose]) -> Result<Arc<dyn Motion>, Trouble> {
        let last = (path.len().max(2) - 1) as f64;
        let keys: Vec<_> = path.iter().enumerate().map(|(k, &pose)| (k as f64 / last, pose)).collect();
        let pivot = self.staged.world.body(body)?.model().aabb().center();
        let motion = KeyFrames::new(&keys, pivot, Turning::Slerp);
        Ok(Arc::new(
            motion.map_err(|error| Trouble::new(format!("invalid path: {error}"), "record another one"))?,
        ))
    }
}

/// Removals that come with a bundled scene, planned and hasty ones.
pub(super) fn removals_of(bundled: Option<&(String, u32)>) -> Vec<(String, Removal)> {
    if bundled.is_none_or(|(name, _)| name != "engine-bay") {
        return Vec::new();
    }
    let [planned, hasty] = RemovalTrial::of_engine_bay();
    let needy: Vec<Removal> = planned.iter().filter(|removal| !removal.without.is_empty()).cloned().collect();
    let mut all: Vec<(String, Removal)> = planned.into_iter().map(|r| (r.name.to_owned(), r)).collect();
    let left_in = |(removal, planned): (Removal, &Removal)| {
        (format!("{}, {} left in", removal.name, planned.without.join(", ")), removal)
    };
    all.extend(hasty.into_iter().zip(&needy).map(left_in));
    all
}

impl Work {
    /// Returns a short description.
    pub fn words(&self) -> String {
        match &self.kind {
            Kind::Check { .. } => "Comparing pairs".to_owned(),
            Kind::Play { .. } => "Playing the motions".to_owned(),
            Kind::Follow { title, .. } => format!("Following {title}"),
            Kind::Slide(path) | Kind::Pass(path) => format!("Following {}", path.title),
            Kind::Run(_) => "Proving the program".to_owned(),
            Kind::Recording { .. } => "Reading the recording".to_owned(),
            Kind::Simulate { .. } => "Simulating".to_owned(),
            Kind::Way { body } => format!("Searching a removal path for {}", self.cast.name(*body)),
        }
    }

    /// Returns `true` if it only updates the list of pairs.
    pub fn is_check(&self) -> bool {
        matches!(self.kind, Kind::Check { .. })
    }

    /// Runs the work. `progress` receives words, and a share from 0 to 1.
    pub fn run(self, cancel: &AtomicBool, progress: &(dyn Fn(&str, f64) + Sync)) -> Finished {
        let words = self.words();
        let Self { kind, mut staged, cast } = self;
        let told = match kind {
            Kind::Check { title, units, edition, clashes } => {
                let about = (title.as_str(), units, edition);
                return check(staged, about, &clashes, cancel, &|share| progress(&words, share));
            }
            Kind::Play { frames } => {
                play(&mut staged, &cast, frames, cancel, &|share| progress(&words, share))
            }
            Kind::Follow { title, body, motion, without } => {
                follow(&mut staged.world, &cast, (title, body, motion), &without).map(Some)
            }
            Kind::Slide(way) => {
                recorded_path::slide(&mut staged, &cast, way, cancel, &|share| progress(&words, share))
            }
            Kind::Pass(way) => {
                recorded_path::pass(&staged, &cast, way, cancel, &|share| progress(&words, share)).map(Some)
            }
            Kind::Run(run) => match run.run() {
                Ok(_) if cancel.load(Relaxed) => return Finished::Stopped,
                Ok((track, report)) => return Finished::Ran(track, report),
                Err(trouble) => Err(trouble),
            },
            Kind::Recording { path } => simulated::read(&path, &staged.world, &cast).map(Some),
            Kind::Simulate { scene, dynamics } => {
                let about = (&staged.world, &cast);
                simulated::simulate(&scene, dynamics, about, cancel, &|share| progress(&words, share))
            }
            Kind::Way { body } => {
                removal_path(&mut staged.world, &cast, body, cancel, &|share| progress(&words, share))
            }
        };
        match told {
            _ if cancel.load(Relaxed) => Finished::Stopped,
            Ok(Some(track)) => Finished::Track(track),
            Ok(None) => Finished::Stopped,
            Err(trouble) => Finished::Failed(trouble),
        }
    }
}

fn check(
    staged: Box<Staged>,
    (title, units, edition): (&str, Option<Units>, u64),
    clashes: &Check,
    cancel: &AtomicBool,
    progress: &(dyn Fn(f64) + Sync),
) -> Finished {
    let clock = SteadyClock::start();
    let told = |done: usize, all: usize| progress(done as f64 / all.max(1) as f64);
    // How deep bodies may reach into each other is asked only where the scene permits a depth.
    let is_uncertain = || staged.bodies.iter().any(|body| body.origin.uncertainty > 0.0);
    let permits = clashes.tolerance.map_or_else(is_uncertain, |tolerance| tolerance > 0.0);
    let asks_depth = permits || !clashes.tolerances.is_empty();
    let options = CheckOptions {
        keep: MOST_SEGMENTS,
        penetration: asks_depth.then_some(PenetrationQuery::FAST),
        budget: Budget::UNLIMITED.cancelled_by(cancel),
        progress: Some(&told),
        ..Default::default()
    };
    match staged.world.check(&options) {
        _ if cancel.load(Relaxed) => Finished::Stopped,
        Err(error) => Finished::Failed(error.into()),
        Ok(result) => {
            let options = ReportOptions {
                source: title,
                units,
                touching_counts: true,
                segments: 0,
                budget: noli::Budget::UNLIMITED,
            };
            let mut report = CheckReport::new(&staged, &result, &options);
            let tolerance = Tolerance { all: clashes.tolerance, some: &clashes.tolerances };
            let Check { exclusions, clash_groups: groups, .. } = clashes;
            report.settle(&staged, &ClashOptions { exclusions, tolerance, groups, ..Default::default() });
            Finished::Checked { staged, result, report, seconds: clock.now().as_secs_f64(), edition }
        }
    }
}

impl Cast {
    fn name(&self, id: BodyId) -> &str {
        self.names.get(&id).map_or("", String::as_str)
    }

    /// The body of a name.
    pub(super) fn named(&self, name: &str) -> Option<BodyId> {
        self.names.iter().find(|(_, known)| *known == name).map(|(id, _)| *id)
    }

    /// Its number on the page.
    pub(super) fn number(&self, id: BodyId) -> Option<usize> {
        self.numbers.get(&id).copied()
    }

    /// Seven numbers for every pose, as the page draws it.
    pub(super) fn numbers(&self, id: BodyId, pose: &Pose) -> [f32; 7] {
        let (at, turn) = self.view.pose(pose, self.middles.get(&id).copied().unwrap_or_default());
        let [x, y, z] = at.map(|x| x as f32);
        let [qx, qy, qz, qw] = turn.map(|x| x as f32);
        [x, y, z, qx, qy, qz, qw]
    }

    /// A motion of one body as a track: it stays where it is stopped.
    fn track(
        &self,
        title: String,
        (body, motion): (BodyId, &dyn Motion),
        without: &[BodyId],
        path_clearance: &PathClearance,
        world: &World,
    ) -> TrackView {
        const MOMENTS: u32 = 240;
        let times: Vec<f64> = (0..=MOMENTS).map(|k| f64::from(k) / f64::from(MOMENTS)).collect();
        let poses =
            times.iter().flat_map(|t| self.numbers(body, &motion.pose(t.min(path_clearance.free_until))));
        let stop = path_clearance.stopped_by.as_ref().and_then(|answer| ImpactReport::new(world, answer));
        let free = stop.is_none() && path_clearance.free_until >= 1.0;
        let unit = self.unit;
        let verdict = match &stop {
            None => format!(
                "Free, proven along the whole path, with at least {} {unit} of room",
                words::short(path_clearance.room_at_least)
            ),
            Some(hit) if hit.impact == ImpactKind::Undecided => {
                format!("Undecided because of {}", hit.other(self.name(body)))
            }
            Some(hit) => format!("Blocked by {}", hit.other(self.name(body))),
        };
        let events = stop.iter().map(|hit| {
            let relation = if hit.impact == ImpactKind::Undecided { "undecided" } else { "intersecting" };
            (path_clearance.free_until, verdict.clone() + &format!(" ({} and {})", hit.a, hit.b), relation)
        });
        TrackView {
            title,
            free,
            seconds: 4.0,
            bodies: self.numbers.get(&body).copied().into_iter().collect(),
            without: without.iter().filter_map(|id| self.numbers.get(id).copied()).collect(),
            poses: poses.collect(),
            events: events.collect(),
            room: self.room(path_clearance),
            times,
            verdict,
            lines: Vec::new(),
            signals: Vec::new(),
            contact: None,
            unit: None,
            forces: Vec::new(),
            longest: String::new(),
        }
    }

    fn room(&self, path_clearance: &PathClearance) -> Vec<Room> {
        let look = |look: &noli::world::PathSample| Room {
            time: look.time,
            clearance: look.clearance.distance.at_least,
            to: self.name(look.to).to_owned(),
        };
        path_clearance.looks.iter().map(look).filter(|room| room.clearance.is_finite()).collect()
    }
}

fn follow(
    world: &mut World,
    cast: &Cast,
    (title, body, motion): (String, BodyId, Arc<dyn Motion>),
    without: &[BodyId],
) -> Result<TrackView, Trouble> {
    for &gone in without {
        // What others hang on stays, and is not asked about.
        if world.remove(gone).is_err() {
            world.rules_mut().set([BodySelector::Body(body), BodySelector::Body(gone)], false);
        }
    }
    // The room is that to bodies that are asked about.
    let is_unasked = |id: &BodyId| *id != body && matches!(world.margin_between(body, *id), Ok(None));
    let unasked: Vec<BodyId> = world.bodies().map(|(id, _)| id).filter(is_unasked).collect();
    unasked.into_iter().for_each(|id| drop(world.remove(id)));
    // A way by hand begins where it was recorded, which the body may have left.
    world.move_to(body, motion.pose(0.0))?;
    let path_clearance = world.path_clearance(body, &motion, &PassageOptions::default())?;
    Ok(cast.track(title, (body, &*motion), without, &path_clearance, world))
}

/// Time limit of a path search.
const SEARCH: Duration = Duration::from_secs(90);

/// Plans a removal path; if none exists or is found, returns the pull that gets furthest.
fn removal_path(
    world: &mut World,
    cast: &Cast,
    body: BodyId,
    cancel: &AtomicBool,
    progress: &(dyn Fn(f64) + Sync),
) -> Result<Option<TrackView>, Trouble> {
    let clock = SteadyClock::start();
    let told = |error: noli_plan::PlanError| Trouble::new(error.to_string(), "choose another body");
    let space = RigidSpace::new(world, &world.with_descendants(body)?, &[]).map_err(told)?;
    let stop = || {
        let share = clock.now().as_secs_f64() / SEARCH.as_secs_f64();
        progress(share.min(1.0));
        cancel.load(Relaxed) || share >= 1.0
    };
    let effort = Effort { steps: 60_000, stop: &stop, ..Default::default() };
    let removal = remove(&space, &RemoveOptions { effort, ..Default::default() });
    if cancel.load(Relaxed) {
        return Ok(None);
    }
    let name = cast.name(body);
    let start = world.body(body)?.pose();
    let furthest = || {
        let best = removal.pulls.iter().max_by(|a, b| a.free.total_cmp(&b.free));
        best.map_or(start, |pull| Pose::new(start.rotation, start.translation + pull.direction * pull.free))
    };
    let held = |by: &[BodyId]| by.iter().map(|&id| cast.name(id)).collect::<Vec<_>>().join(", ");
    let (poses, verdict, free) = match &removal.found {
        RemovalResult::Path(path) => {
            let room = words::short(path.clearance.at_least);
            let length = words::short(path.length);
            let unit = cast.unit;
            let text = format!(
                "Free, proven along the whole path of {length} {unit}, with at least {room} {unit} of room"
            );
            (path.poses.clone(), text, true)
        }
        RemovalResult::Infeasible(blocked) => (
            vec![start, furthest()],
            format!("No removal path exists, by proof: held by {}", held(&blocked.by)),
            false,
        ),
        RemovalResult::Stopped(_) | RemovalResult::Nothing => {
            let text = "No path was found, which proves nothing; this pull gets furthest".to_owned();
            (vec![start, furthest()], text, false)
        }
    };
    // A way turns about the origin of the part.
    let last = (poses.len().max(2) - 1) as f64;
    let mut keys: Vec<_> = poses.iter().enumerate().map(|(k, &pose)| (k as f64 / last, pose)).collect();
    if keys.len() < 2 {
        keys.push((1.0, start));
    }
    let motion = KeyFrames::new(&keys, DVec3::ZERO, Turning::Slerp)
        .map_err(|error| Trouble::new(format!("the path cannot be shown: {error}"), "tell us"))?;
    let motion: Arc<dyn Motion> = Arc::new(motion);
    let path_clearance = world.path_clearance(body, &motion, &PassageOptions::default())?;
    let mut track =
        cast.track(format!("Removal path for {name}"), (body, &*motion), &[], &path_clearance, world);
    if free {
        // What starts in contact slides off it, which the plan has proven and a look at single moments may not see.
        let whole = PathClearance { free_until: 1.0, stopped_by: None, ..path_clearance };
        track = cast.track(track.title, (body, &*motion), &[], &whole, world);
    }
    Ok(Some(TrackView { verdict, free, ..track }))
}

/// All motions of the scene, frame by frame.
fn play(
    staged: &mut Staged,
    cast: &Cast,
    frames: u32,
    cancel: &AtomicBool,
    progress: &dyn Fn(f64),
) -> Result<Option<TrackView>, Trouble> {
    let whole = std::mem::take(&mut staged.moves);
    let mut ids: Vec<BodyId> = whole.iter().flat_map(Move::bodies).collect();
    ids.sort_unstable();
    ids.dedup();
    let room = match &whole[..] {
        [only] if only.bodies().count() == 1 => {
            let (id, motion) = only.parts().next().expect("it has one");
            cast.room(&staged.world.path_clearance(id, motion, &PassageOptions::default())?)
        }
        _ => Vec::new(),
    };
    let snapshot = |world: &World| -> Result<Vec<f32>, Trouble> {
        let each = ids.iter().map(|&id| Ok(cast.numbers(id, &world.body(id)?.pose())));
        Ok(each.collect::<Result<Vec<_>, Trouble>>()?.concat())
    };
    let (mut times, mut poses, mut events) = (vec![0.0], snapshot(&staged.world)?, Vec::new());
    let mut blocked = vec![false; whole.len()];
    for frame in 0..frames {
        if cancel.load(Relaxed) {
            return Ok(None);
        }
        progress(f64::from(frame) / f64::from(frames));
        let [from, to] = [frame, frame + 1].map(|k| f64::from(k) / f64::from(frames));
        let going: Vec<usize> = (0..whole.len()).filter(|&mover| !blocked[mover]).collect();
        if going.is_empty() {
            break;
        }
        let moves = going.iter().map(|&mover| whole[mover].clip(from, to)).collect();
        let options = StepOptions { cut: noli::world::StopPolicy::InOrder, ..Default::default() };
        let step = staged.world.step(moves, &options)?;
        for (&mover, outcome) in going.iter().zip(&step.outcomes) {
            blocked[mover] = outcome.free_until < 1.0;
            let by = outcome.first.and_then(|first| ImpactReport::new(&staged.world, &step.answers[first]));
            if let (true, Some(hit)) = (blocked[mover], by) {
                let time = from + outcome.free_until / f64::from(frames);
                events.push((
                    time,
                    format!("{} stops: {} and {}", whole[mover].name(), hit.a, hit.b),
                    "intersecting",
                ));
            }
        }
        times.push(to);
        poses.extend(snapshot(&staged.world)?);
    }
    let free = events.is_empty();
    Ok(Some(TrackView {
        title: "The motions of the scene".into(),
        verdict: if free { "Everything reaches its end, proven".into() } else { events[0].1.clone() },
        free,
        seconds: staged.seconds.max(1e-6),
        times,
        bodies: ids.iter().filter_map(|id| cast.numbers.get(id).copied()).collect(),
        without: Vec::new(),
        poses,
        events,
        room,
        lines: Vec::new(),
        signals: Vec::new(),
        contact: None,
        unit: None,
        forces: Vec::new(),
        longest: String::new(),
    }))
}
