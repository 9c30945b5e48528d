//! Long work: it runs on a copy of the world, reports its progress, and can be stopped.

use super::cast::Cast;
use super::cell::RanProgram;
use super::recorded_path::GuidedPath;
use super::swept::{ComputedSwept, SweepJob};
use super::{Session, Trouble, recorded_path, simulated, tracks};
use crate::project::confined;
use crate::protocol::{Drag, TrackView};
use noli::motion::{KeyFrames, Motion, Turning};
use noli::query::{Clock, SteadyClock};
use noli::world::{BodyId, BodySelector, CheckOptions, CheckResult, Finding};
use noli::{Budget, Pose};
use noli_ask::{AskError, Check, CheckedPairs, ComparePairs, Context, Opened};
use noli_formats::Units;
use noli_pages::MOST_SEGMENTS;
use noli_project::report::{CheckReport, MethodReport};
use noli_project::{RemovalTrial, Staged};
use noli_scenes::Removal;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Background work of the session.
#[derive(Debug)]
pub struct Work {
    kind: Kind,
    staged: Box<Staged>,
    cast: Cast,
}

/// Bodies moved since all pairs were compared, and the findings about the others.
#[derive(Debug)]
pub(super) struct MovedBodies {
    bodies: BTreeSet<BodyId>,
    others: Vec<Finding>,
    /// Number of pairs enabled by the rules.
    pairs: usize,
}

impl ComparePairs for MovedBodies {
    /// Compares the pairs of the moved bodies; all other findings still hold. Depths are measured together, because the
    /// effort for each depends on their number, and lists of clearances hold all pairs.
    fn compare(
        &self,
        staged: &Staged,
        options: &CheckOptions<'_>,
        _: Option<&str>,
    ) -> Result<(CheckResult, Option<MethodReport>), AskError> {
        if options.penetration.is_some() || options.far {
            return Ok((staged.world.check(options)?, None));
        }
        let mut world = staged.world.clone();
        let sides = self.bodies.iter().map(|&id| [BodySelector::Body(id), BodySelector::Anyone]);
        world.rules_mut().keep_only(sides.collect());
        let mut findings = world.check(options)?.findings;
        // Rules about single pairs count more than the one above.
        findings.retain(|finding| finding.pair.iter().any(|id| self.bodies.contains(id)));
        findings.extend(self.others.iter().cloned());
        findings.sort_by(Finding::by_severity);
        Ok((CheckResult { pairs: self.pairs, findings }, None))
    }
}

#[derive(Debug)]
pub(super) enum Kind {
    Check {
        title: String,
        units: Option<Units>,
        edition: u64,
        clashes: Box<noli_project::Check>,
        moved: Option<MovedBodies>,
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
    Slide(GuidedPath),
    Pass(GuidedPath),
    /// A removal path.
    Way {
        body: BodyId,
    },
    /// A program in its cell.
    Run(Box<super::cell::ProgramRun>),
    /// A path of the arm to a location.
    PlanJoints(Box<super::cell::JointPlan>),
    /// A swept volume.
    Sweep(Box<SweepJob>),
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
    /// A planned path of the arm, and the configuration at its end.
    Planned(TrackView, Vec<f64>),
    /// A swept volume.
    Swept(Box<ComputedSwept>),
    /// Nothing, because of this.
    Failed(Trouble),
    /// It was stopped.
    Stopped,
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
        let (clashes, moved) = (Box::new(self.clashes.clone()), self.moved_bodies());
        self.work(Kind::Check { title, units, edition, clashes, moved })
    }

    fn moved_bodies(&self) -> Option<MovedBodies> {
        let (checked, bodies) = (self.checked.as_ref()?, self.moved.clone()?);
        let result = &checked.result;
        let others = result.findings.iter().filter(|it| !it.pair.iter().any(|id| bodies.contains(id)));
        Some(MovedBodies { others: others.cloned().collect(), bodies, pairs: result.pairs })
    }

    pub(super) fn run_work(&self) -> Result<Work, Trouble> {
        Ok(self.work(Kind::Run(self.program_run()?)))
    }

    pub(super) fn plan_work(&self, location: &str) -> Result<Work, Trouble> {
        Ok(self.work(Kind::PlanJoints(self.joint_plan(location)?)))
    }

    pub(super) fn play_work(&self, frames: u32) -> Result<Work, Trouble> {
        if self.staged.moves.is_empty() {
            return Err(Trouble::new(
                "nothing moves in this scene",
                "add a [[motion]] to it, or plan a removal path for a body",
            ));
        }
        self.staged.refuse_open_solids().map_err(AskError::from)?;
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

    pub(super) fn sweep_work(
        &self,
        path: (Option<usize>, &[[f64; 7]]),
        name: Option<&str>,
        error: Option<f64>,
    ) -> Result<Work, Trouble> {
        Ok(self.work(Kind::Sweep(Box::new(self.sweep_job(path, name, error)?))))
    }

    pub(super) fn path_work(&self, body: usize) -> Result<Work, Trouble> {
        Ok(self.work(Kind::Way { body: self.id(body)? }))
    }

    pub(super) fn try_work(&self, body: usize, path: &[[f64; 7]], mode: Drag) -> Result<Work, Trouble> {
        const MOST: usize = 5000;
        if path.len() < 2 || path.len() > MOST {
            return Err(Trouble::new("invalid path", format!("record from 2 to {MOST} places")));
        }
        let id = self.id(body)?;
        let poses = path
            .iter()
            .map(|&[x, y, z, qx, qy, qz, qw]| self.pose_from_page(body, [x, y, z], [qx, qy, qz, qw]));
        let poses = poses.collect::<Result<Vec<Pose>, _>>()?;
        self.guided_work(format!("Recorded path of {}", self.entries[body].name), id, &poses, mode)
    }

    /// Returns the work that follows a path in a mode.
    pub(super) fn guided_work(
        &self,
        title: String,
        id: BodyId,
        poses: &[Pose],
        mode: Drag,
    ) -> Result<Work, Trouble> {
        let motion = self.keyed(id, poses)?;
        Ok(self.work(match mode {
            Drag::Stop => Kind::Follow { title, body: id, motion, without: Vec::new() },
            Drag::Slide => Kind::Slide(GuidedPath { title: title + ", sliding along", body: id, motion }),
            Drag::Ghost => Kind::Pass(GuidedPath { title: title + ", passing through", body: id, motion }),
        }))
    }

    pub(super) fn recording_work(&self, file: &str) -> Result<Work, Trouble> {
        let none = || Trouble::new(format!("there is no recording {file:?}"), "choose one of the list");
        let folder = self.folder.get().ok_or_else(none)?;
        let path = confined(folder, file).filter(|path| simulated::is_recording(path)).ok_or_else(none)?;
        Ok(self.work(Kind::Recording { path }))
    }

    pub(super) fn simulate_work(&self, dynamics: bool) -> Result<Work, Trouble> {
        let none = || Trouble::new("there is no scene file", "save the scene first, then simulate it");
        let scene = self.scene_file.clone().filter(|_| self.cell.is_none()).ok_or_else(none)?;
        Ok(self.work(Kind::Simulate { scene, dynamics }))
    }

    pub(super) fn keyed(&self, body: BodyId, path: &[Pose]) -> Result<Arc<dyn Motion>, Trouble> {
        let last = path.len().saturating_sub(1).max(1) as f64;
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
            Kind::PlanJoints(plan) => format!("Planning a path to {}", plan.location),
            Kind::Sweep(job) => job.words(),
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
            Kind::Check { title, units, edition, clashes, moved } => {
                let opened = Opened { check: *clashes, ..Opened::of_staged(&title, units, *staged) };
                let compare = moved.as_ref().map(|moved| moved as &dyn ComparePairs);
                let shown = Shown(&|share| progress(&words, share));
                let budget = Budget::UNLIMITED.cancelled_by(cancel);
                let context = Context { budget, progress: Some(&shown), compare, clock: None };
                return match check(opened, &context, edition) {
                    _ if cancel.load(Relaxed) => Finished::Stopped,
                    found => found.unwrap_or_else(|error| Finished::Failed(error.into())),
                };
            }
            Kind::Play { frames } => {
                tracks::play(&mut staged, &cast, frames, cancel, &|share| progress(&words, share))
            }
            Kind::Follow { title, body, motion, without } => {
                tracks::follow(&mut staged.world, &cast, (title, body, motion), &without).map(Some)
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
            Kind::PlanJoints(plan) => match plan.run(cancel, &|share| progress(&words, share)) {
                _ if cancel.load(Relaxed) => return Finished::Stopped,
                Ok((track, end)) => return Finished::Planned(track, end),
                Err(trouble) => Err(trouble),
            },
            Kind::Sweep(job) => match job.run(cancel, &|share| progress(&words, share)) {
                Ok(Some(swept)) => return Finished::Swept(Box::new(swept)),
                Ok(None) => return Finished::Stopped,
                Err(trouble) => Err(trouble),
            },
            Kind::Recording { path } => simulated::read(&path, &staged.world, &cast).map(Some),
            Kind::Simulate { scene, dynamics } => {
                let about = (&staged.world, &cast);
                simulated::simulate(&scene, dynamics, about, cancel, &|share| progress(&words, share))
            }
            Kind::Way { body } => {
                let opened = Opened::of_staged(&words, Some(staged.units), *staged);
                tracks::removal_path(opened, &cast, body, cancel, &|share| progress(&words, share))
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

/// The share of the pairs that were compared.
struct Shown<'p>(&'p (dyn Fn(f64) + Sync));

impl noli_ask::Progress for Shown<'_> {
    fn stage(&self, _: &'static str) {}

    fn begun(&self, count: usize, total: usize) {
        (self.0)(count as f64 / total.max(1) as f64);
    }
}

/// Compares all pairs. The list shows depths only where the scene permits one; reports measure them.
fn check(opened: Opened, context: &Context<'_>, edition: u64) -> Result<Finished, AskError> {
    let clock = SteadyClock::start();
    let question = Check { measure: false, pictured: MOST_SEGMENTS, ..Check::default() };
    let CheckedPairs { opened, result, report, .. } = question.compare(opened, context)?;
    let (staged, seconds) = (Box::new(opened.staged), clock.now().as_secs_f64());
    Ok(Finished::Checked { staged, result, report, seconds, edition })
}
