//! Static against dynamic tests over the removal motions (section 10.2): time per step, and what each misses.

mod features;
mod turning;

use crate::{Cell, Session, Table, Verdict};
use anyhow::{Context, Result};
use features::{Obstacle, Part, StepFeatures};
use glam::{DQuat, DVec3};
use noli::motion::{RigidMotion, Still};
use noli::{Impact, Overlap, Pose, overlap, time_of_impact};
use noli_geom::{ApproximateQuery, Finder};
use noli_scenes::{Removal, SplitMix64, engine_bay, engine_bay_removals};
use serde::Deserialize;
use std::time::Instant;

#[derive(Deserialize)]
struct Config {
    detail: u32,
    steps: u32,
    hasty: usize,
    removals: usize,
    stray_mm: f64,
    turn_rad: f64,
    turning: usize,
    turning_rad: f64,
    seed: u64,
}

#[derive(Deserialize)]
struct Printed {
    support_points: u32,
}

/// A way to test one step.
#[derive(Clone, Copy)]
enum Method {
    /// Only the pose at the end.
    Static,
    Finder(ApproximateQuery),
    /// Features that overlap at the end, dated by a finder.
    Mixed(ApproximateQuery),
    /// Every pair of features by inclusion.
    Inclusion,
    /// Two trees, conservative: the truth of this experiment.
    Guaranteed,
}

/// What a method did over all steps.
#[derive(Clone, Default)]
struct Score {
    seconds: f64,
    missed: u32,
    false_alarms: u32,
}

/// What became of all paths.
#[derive(Default)]
struct Paths {
    all: u32,
    not_free: u32,
    accepted_by_static: u32,
    accepted_but_not_free: Vec<String>,
    steps: u32,
}

pub(super) fn run(session: &mut Session<'_>) -> Result<()> {
    let (config, printed): (Config, Printed) = (session.config()?, session.printed()?);
    let methods = methods(printed.support_points.saturating_sub(1));
    let mut scores = vec![Score::default(); methods.len()];
    let mut paths = Paths::default();
    let bay = engine_bay(config.detail);
    let mut random = SplitMix64::new(config.seed);
    for removal in engine_bay_removals().into_iter().take(config.removals) {
        let part = bay.part(removal.part).context("the removals name parts of the bay")?;
        let part = Part::new(&part.mesh);
        let stays = |name: &str| name != removal.part && !removal.without.contains(&name);
        let obstacles: Vec<Obstacle> =
            bay.parts.iter().filter(|p| stays(&p.name)).map(|p| Obstacle::new(&p.mesh, p.pose)).collect();
        for attempt in 0..=config.hasty {
            session.step(&format!("{} attempt {attempt}", removal.name));
            let poses = path_points(&removal, &config, attempt > 0, &mut random);
            let steps = steps(&poses, part.pivot(), config.steps);
            let name = if attempt == 0 {
                format!("{} as planned", removal.name)
            } else {
                format!("{} hasty {attempt}", removal.name)
            };
            walk(&name, &part, &obstacles, &steps, (&methods, &mut scores), &mut paths);
        }
    }
    report(session, &methods, &scores, &paths);
    turning::run(session, &config)
}

/// The five finders of the thesis.
fn finders(cells: u32) -> [(&'static str, Finder); 5] {
    [
        ("linear interpolation", Finder::Linear),
        ("regula falsi", Finder::RegulaFalsi),
        ("quadratic", Finder::Quadratic),
        ("sampling", Finder::Sampling { cells }),
        ("sampling + regula falsi", Finder::SamplingRegulaFalsi { cells }),
    ]
}

fn methods(cells: u32) -> Vec<(String, Method)> {
    let mut methods = vec![("static".to_owned(), Method::Static)];
    for (name, finder) in finders(cells) {
        let query = ApproximateQuery { finder, ..Default::default() };
        methods.push((
            format!("{name}, as printed"),
            Method::Finder(ApproximateQuery { literal: true, ..query }),
        ));
        methods.push((name.to_owned(), Method::Finder(query)));
    }
    methods.push(("mixed static–dynamic".to_owned(), Method::Mixed(ApproximateQuery::default())));
    methods.push(("inclusion on features".to_owned(), Method::Inclusion));
    methods.push(("guaranteed, two trees".to_owned(), Method::Guaranteed));
    methods
}

/// The way points of a removal; a hasty one strays from all but the first.
fn path_points(removal: &Removal, config: &Config, hasty: bool, random: &mut SplitMix64) -> Vec<Pose> {
    let mut stray = |pose: &Pose| {
        let shift = random.direction() * random.between(0.0, config.stray_mm);
        let turn = DQuat::from_axis_angle(random.direction(), random.between(0.0, config.turn_rad));
        Pose::new(turn * pose.rotation, pose.translation + shift)
    };
    let (first, rest) = (removal.path[0], &removal.path[1..]);
    let rest: Vec<Pose> = if hasty { rest.iter().map(&mut stray).collect() } else { rest.to_vec() };
    std::iter::once(first).chain(rest).collect()
}

/// A path in about so many steps, by the length of its legs.
fn steps(poses: &[Pose], pivot: DVec3, count: u32) -> Vec<RigidMotion> {
    let length = |pair: &[Pose]| pair[0].transform_point(pivot).distance(pair[1].transform_point(pivot));
    let whole: f64 = poses.windows(2).map(length).sum();
    let leg = |pair: &[Pose]| {
        let motion = RigidMotion::between(&pair[0], &pair[1], pivot);
        let n = (f64::from(count) * length(pair) / whole).ceil().max(1.0) as u32;
        let at = move |k: u32| noli::motion::Motion::pose(&motion, f64::from(k) / f64::from(n));
        (0..n).map(move |k| RigidMotion::between(&at(k), &at(k + 1), pivot)).collect::<Vec<_>>()
    };
    poses.windows(2).flat_map(leg).collect()
}

/// Follow a path up to its first contact with every method; the static test follows it to its end.
fn walk(
    name: &str,
    part: &Part,
    obstacles: &[Obstacle],
    steps: &[RigidMotion],
    (methods, scores): (&[(String, Method)], &mut [Score]),
    paths: &mut Paths,
) {
    paths.all += 1;
    let accepted = steps.iter().all(|motion| !Step::new(part, obstacles, motion).overlaps_at_end());
    paths.accepted_by_static += u32::from(accepted);
    for motion in steps {
        paths.steps += 1;
        let step = Step::new(part, obstacles, motion);
        let start = Instant::now();
        let features = step.features();
        let collecting = start.elapsed().as_secs_f64();
        let truth = step.collides();
        for ((_, method), score) in methods.iter().zip(&mut *scores) {
            let start = Instant::now();
            let found = step.says_contact(*method, &features);
            score.seconds += start.elapsed().as_secs_f64();
            score.seconds += if method.needs_features() { collecting } else { 0.0 };
            score.missed += u32::from(truth && !found);
            score.false_alarms += u32::from(found && !truth);
        }
        if truth {
            paths.not_free += 1;
            if accepted {
                paths.accepted_but_not_free.push(name.to_owned());
            }
            return;
        }
    }
}

/// A step and the obstacles it may reach.
struct Step<'a> {
    part: &'a Part,
    near: Vec<&'a Obstacle>,
    motion: &'a RigidMotion,
}

impl<'a> Step<'a> {
    fn new(part: &'a Part, obstacles: &'a [Obstacle], motion: &'a RigidMotion) -> Self {
        let swept = part.swept_box(motion);
        let near = obstacles.iter().filter(|obstacle| obstacle.bounds().overlaps(&swept)).collect();
        Self { part, near, motion }
    }

    fn features(&self) -> Vec<StepFeatures<'a>> {
        self.near.iter().map(|other| StepFeatures::new(self.part, other, self.motion)).collect()
    }

    fn overlaps_at_end(&self) -> bool {
        let end = self.part.model().at(noli::motion::Motion::pose(self.motion, 1.0));
        self.near.iter().any(|other| overlap(&end, &other.model().at(other.pose())) == Overlap::Hit)
    }

    /// The guaranteed answer, where it is proven that bodies overlap: what only comes within the tolerance is no
    /// collision to be missed.
    fn collides(&self) -> bool {
        self.near.iter().any(|other| {
            let still = Still(other.pose());
            let (a, b) = (self.part.model().moving(self.motion), other.model().moving(&still));
            let impact = time_of_impact(&a, &b);
            matches!(impact, Impact::AtStart(_)) || matches!(impact, Impact::At { touch, .. } if touch.proven)
        })
    }

    /// Whether a method says that the part meets an obstacle.
    fn says_contact(&self, method: Method, features: &[StepFeatures<'_>]) -> bool {
        match method {
            Method::Static => self.overlaps_at_end(),
            Method::Guaranteed => self.collides(),
            Method::Finder(query) => features.iter().any(|pairs| pairs.any_impact(&query)),
            Method::Inclusion => features.iter().any(StepFeatures::any_inclusion),
            Method::Mixed(query) => {
                self.near.iter().any(|other| features::mixed(self.part, other, self.motion, &query))
            }
        }
    }
}

impl Method {
    fn needs_features(self) -> bool {
        matches!(self, Method::Finder(_) | Method::Inclusion)
    }
}

fn report(session: &mut Session<'_>, methods: &[(String, Method)], scores: &[Score], paths: &Paths) {
    let mut table = Table::new(
        format!("{} steps of {} paths, {} of them not free", paths.steps, paths.all, paths.not_free),
        ["method", "ms per step", "collisions missed", "false alarms"],
    );
    for ((name, _), score) in methods.iter().zip(scores) {
        let milliseconds = 1e3 * score.seconds / f64::from(paths.steps);
        table.row(
            name.clone(),
            [milliseconds, score.missed.into(), score.false_alarms.into()].map(Cell::Ours),
        );
    }
    session.table(table);
    let missed = |what: &str| {
        methods.iter().zip(scores).find(|((name, _), _)| name == what).map_or(0, |(_, s)| s.missed)
    };
    session.finding(
        "A path accepted by static tests turned out not to be free",
        Verdict::of(!paths.accepted_but_not_free.is_empty()),
        format!(
            "Static tests accepted {} of {} paths; {} of those are not free ({}). At the step of first contact they saw nothing in {} of {} cases.",
            paths.accepted_by_static,
            paths.all,
            paths.accepted_but_not_free.len(),
            paths.accepted_but_not_free.join(", "),
            missed("static"),
            paths.not_free
        ),
    );
    let dearer = scores[1..].iter().all(|score| score.seconds > scores[0].seconds);
    session.finding(
        "Dynamic tests cost more than static ones",
        Verdict::of(dearer),
        "Times per step in the table.",
    );
    let (linear, finest) = (missed("linear interpolation"), missed("sampling + regula falsi"));
    session.note(format!(
        "Over whole steps the finders do not differ much (missed: linear interpolation {linear}, sampling with regula falsi {finest}): in short steps some pair of features shows a collision to every \
         finder. Single pairs of features that turn tell them apart: the last table.",
    ));
    session.note("The data of the study is lost; the engine bay is a generated stand-in. The truth is the conservative answer over two trees, where it is proven that the bodies overlap.");
    session.note("All finders look at the same pairs of features, those whose boxes over the step overlap; each asks for poses by itself.");
}
