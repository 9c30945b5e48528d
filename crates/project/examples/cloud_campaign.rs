//! Robot configurations and edges among point clouds, compared with all points one by one, on all cores:
//!
//! ```text
//! cargo run --release -p noli-project --example cloud_campaign -- panda.urdf panda.srdf [--points 1000,10000,100000,1000000]
//!     [--states 1000000] [--edges 10000] [--places 20] [--length 1] [--radius 0.01] [--mixed] [--seed 1] [--threads T]
//! ```
//!
//! Counts are for each cloud, or a list with one for each. With `--mixed` radii differ, from an eighth of the radius to all
//! of it. The oracle has no tree and no grid: every point is compared with the bounding sphere of a link, those near it
//! with the link's box, and each of these is a sphere that the exact engine tests against the link. A configuration
//! reported as collision-free must be so for all links, one in collision for the reported link. Edges proven
//! collision-free are tested at random places, the others at the reported one. Self-collisions are not checked: they
//! would hide answers. Work is cut into chunks with a seed each, so that counts do not depend on threads. Exit code 1 on
//! any difference.

#![allow(clippy::print_stdout, reason = "this is a program")]

#[path = "robot_rates/setup.rs"]
#[allow(unreachable_pub, dead_code, reason = "other examples have it too")]
mod setup;
#[path = "robot_rates/surfaces.rs"]
#[allow(unreachable_pub, reason = "another example has it too")]
mod surfaces;

use glam::{DVec3, Vec4};
use noli::{Convex, Model, Overlap, Placed, PointCloud, Pose, QueryContext, Scratch};
use noli_geom::Aabb;
use noli_robot::Robot;
use noli_robot::cell::{Cell, MotionStatus, PairRule, StateStatus};
use setup::{Problem, Words, draw, ranges, shares, step};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Questions of a chunk.
const STATES: u64 = 500;
const EDGES: u64 = 10;
/// Fours of points that are compared with all links in turn.
const BLOCK: usize = 256;
/// Single precision is off by less than this share of the extent of a scene.
const SLACK: f64 = 1e-5;

/// Tests every point of a cloud against a link.
struct Oracle<'c> {
    cell: &'c Cell,
    points: &'c [DVec3],
    /// Four points each, by coordinate; infinitely far where there are fewer.
    fours: Vec<[Vec4; 3]>,
    radius: f64,
    /// Spheres of the radii that there are; points take turns.
    spheres: Vec<Model>,
    slack: f64,
    /// The shapes of the robot in each checked pair, with their boxes; none in other pairs.
    links: Vec<Vec<(usize, &'c Model, Aabb)>>,
}

impl<'c> Oracle<'c> {
    fn new(cell: &'c Cell, points: &'c [DVec3], radii: &[f64]) -> Result<Self, Problem> {
        let radius = radii.iter().copied().fold(0.0, f64::max);
        let shapes: Vec<(usize, &Model)> = cell.shapes().collect();
        let of_pair = |pair: &noli_robot::cell::Pair| -> Vec<_> {
            let PairRule::Checked { .. } = pair.rule else { return Vec::new() };
            let bodies = shapes
                .iter()
                .enumerate()
                .filter(|(_, (part, model))| pair.parts.contains(part) && model.point_cloud().is_none());
            bodies.map(|(body, (_, model))| (body, *model, model.aabb())).collect()
        };
        let lane = |four: &[DVec3], axis: usize| {
            Vec4::from_array([0, 1, 2, 3].map(|k| four.get(k).map_or(f32::INFINITY, |p| p[axis] as f32)))
        };
        let extent = points.iter().fold(1.0, |far: f64, point| far.max(point.abs().max_element()));
        Ok(Self {
            cell,
            points,
            fours: points.chunks(4).map(|four| [0, 1, 2].map(|axis| lane(four, axis))).collect(),
            radius,
            spheres: radii
                .iter()
                .map(|&radius| Ok(Model::new(Convex::sphere(radius)?)?))
                .collect::<Result<_, Problem>>()?,
            slack: SLACK * (extent + radius),
            links: cell.pairs().iter().map(of_pair).collect(),
        })
    }

    /// Tests the links of one pair, or of all.
    fn hit(&self, values: &[f64], pair: Option<usize>, scratch: &mut Scratch) -> Result<bool, Problem> {
        let poses = self.cell.shape_poses(values)?;
        let links = match pair {
            Some(pair) => &self.links[pair..=pair],
            None => &self.links[..],
        };
        let place = |(body, model, bounds): &(usize, &'c Model, Aabb)| {
            let center = poses[*body].transform_point(bounds.center());
            let reach = (0.5 * bounds.size().length() + self.radius + self.slack) * (1.0 + SLACK);
            PlacedLink {
                link: model.at(poses[*body]),
                own_from_world: poses[*body].inverse(),
                around: bounds.expanded(self.radius + self.slack),
                center: center.as_vec3().to_array().map(Vec4::splat),
                square: Vec4::splat(reach.powi(2) as f32),
            }
        };
        let links: Vec<PlacedLink<'_>> = links.iter().flatten().map(place).collect();
        let mut context = QueryContext::new(scratch);
        // A block stays in the cache while all links are compared with it.
        Ok(self.fours.chunks(BLOCK).enumerate().any(|(block, fours)| {
            links.iter().any(|link| {
                fours.iter().enumerate().any(|(four, points)| {
                    let near = link.near(points);
                    let first = 4 * (BLOCK * block + four);
                    near != 0
                        && (0..4).any(|k| near >> k & 1 == 1 && self.collides(link, first + k, &mut context))
                })
            })
        }))
    }

    /// Tests one point exactly, unless it is far from the box of the link.
    fn collides(&self, link: &PlacedLink<'_>, number: usize, context: &mut QueryContext<'_>) -> bool {
        let (point, sphere) = (self.points[number], &self.spheres[turn(number, self.spheres.len())]);
        let own = link.own_from_world.transform_point(point);
        own.cmpge(link.around.min).all()
            && own.cmple(link.around.max).all()
            && context.overlap(&sphere.at(Pose::from_translation(point)), &link.link) == Overlap::Hit
    }
}

/// A link in one configuration.
struct PlacedLink<'c> {
    link: Placed<'c>,
    own_from_world: Pose,
    /// Its box, grown by the radius of points.
    around: Aabb,
    /// A sphere around it, and the square of its radius with that of points.
    center: [Vec4; 3],
    square: Vec4,
}

impl PlacedLink<'_> {
    /// The points, of four, in the sphere.
    fn near(&self, points: &[Vec4; 3]) -> u32 {
        let [x, y, z] = [0, 1, 2].map(|axis| points[axis] - self.center[axis]);
        (x * x + y * y + z * z).cmple(self.square).bitmask()
    }
}

/// The one, of some radii, that a point has: neighbours on a surface have different ones.
fn turn(point: usize, radii: usize) -> usize {
    point / 4 % radii
}

/// Counts of one kind of question.
#[derive(Default)]
struct Tally {
    asked: u64,
    free: u64,
    blocked: u64,
    /// Configurations tested by the oracle.
    tested: u64,
    misses: u64,
    false_alarms: u64,
    checker_seconds: f64,
    first_wrong: Option<String>,
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.asked += other.asked;
        self.free += other.free;
        self.blocked += other.blocked;
        self.tested += other.tested;
        self.misses += other.misses;
        self.false_alarms += other.false_alarms;
        self.checker_seconds += other.checker_seconds;
        self.first_wrong = self.first_wrong.take().or(other.first_wrong);
    }

    /// Compares a verdict with that of the oracle.
    fn compare(&mut self, collides: bool, wanted: bool, values: &[f64]) {
        self.tested += 1;
        self.misses += u64::from(wanted && !collides);
        self.false_alarms += u64::from(collides && !wanted);
        if collides != wanted {
            let text = || format!("{values:?} reported as colliding: {collides}, oracle: {wanted}");
            self.first_wrong.get_or_insert_with(text);
        }
    }
}

/// A robot in one cloud.
struct Campaign<'c> {
    robot: &'c Robot,
    cell: &'c Cell,
    oracle: Oracle<'c>,
    ranges: Vec<[f64; 2]>,
    length: f64,
    places: u64,
    seed: u64,
}

impl Campaign<'_> {
    /// Far apart for chunks that are neighbours.
    fn shares(&self, chunk: u64) -> impl FnMut() -> f64 + use<> {
        shares(self.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ chunk.wrapping_mul(0xD1B5_4A32_D192_ED03))
    }

    fn draw(&self, count: usize, share: &mut impl FnMut() -> f64) -> Vec<f64> {
        let mut states = draw(&self.ranges, count, share);
        states.chunks_exact_mut(self.ranges.len()).for_each(|values| self.robot.apply_laws(values));
        states
    }

    fn states(&self, chunk: u64, count: u64) -> Result<Tally, Problem> {
        let states = self.draw(count as usize, &mut self.shares(chunk));
        let (mut checker, mut found) = (self.cell.checker(), Vec::new());
        let (mut tally, mut scratch) = (Tally { asked: count, ..Tally::default() }, Scratch::default());
        let begun = Instant::now();
        checker.check_states(&states, &mut found)?;
        tally.checker_seconds = begun.elapsed().as_secs_f64();
        for (k, values) in states.chunks_exact(self.ranges.len()).enumerate() {
            let pair = match found[k] {
                StateStatus::Hit(pair) | StateStatus::Unknown(pair) => Some(pair),
                StateStatus::Free => None,
            };
            // A batch and a single configuration take different paths.
            let alone = checker.check_state(values)?;
            let wanted = self.oracle.hit(values, pair, &mut scratch)?;
            tally.free += u64::from(pair.is_none());
            tally.blocked += u64::from(pair.is_some());
            tally.compare(pair.is_some(), wanted, values);
            if (alone == StateStatus::Free) != pair.is_none() {
                tally.compare(pair.is_none(), pair.is_some(), values);
            }
        }
        Ok(tally)
    }

    fn edges(&self, chunk: u64, count: u64) -> Result<Tally, Problem> {
        let (mut tally, mut scratch) = (Tally::default(), Scratch::default());
        let (mut checker, mut share) = (self.cell.checker(), self.shares(chunk));
        while tally.asked < count {
            let from = self.draw(1, &mut share);
            if checker.check_state(&from)? != StateStatus::Free {
                continue;
            }
            let mut to = step(&self.ranges, &from, self.length, &mut share);
            self.robot.apply_laws(&mut to);
            let at = |s: f64| -> Vec<f64> { from.iter().zip(&to).map(|(a, b)| a + (b - a) * s).collect() };
            tally.asked += 1;
            let begun = Instant::now();
            let status = checker.check_motion(&from, &to)?;
            tally.checker_seconds += begun.elapsed().as_secs_f64();
            match status {
                MotionStatus::Free => {
                    tally.free += 1;
                    for k in 0..self.places {
                        let values = at((k as f64 + share()) / self.places as f64);
                        tally.compare(false, self.oracle.hit(&values, None, &mut scratch)?, &values);
                    }
                }
                MotionStatus::Blocked { at: moment, pair } => {
                    tally.blocked += 1;
                    let values = at(moment);
                    tally.compare(true, self.oracle.hit(&values, Some(pair), &mut scratch)?, &values);
                }
                MotionStatus::Close { .. } => {}
            }
        }
        Ok(tally)
    }
}

/// Runs chunks on threads and adds up their counts.
fn on_threads(
    threads: usize,
    (count, per_chunk): (u64, u64),
    work: impl Fn(u64, u64) -> Result<Tally, Problem> + Sync,
) -> Result<Tally, Problem> {
    let (next, chunks) = (AtomicU64::new(0), count.div_ceil(per_chunk));
    let all: Mutex<Result<Tally, Problem>> = Mutex::new(Ok(Tally::default()));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let chunk = next.fetch_add(1, Ordering::Relaxed);
                    if chunk >= chunks {
                        break;
                    }
                    let found = work(chunk, per_chunk.min(count - chunk * per_chunk));
                    let mut all = all.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    match (found, &mut *all) {
                        (Ok(found), Ok(tally)) => tally.add(found),
                        (Err(error), Ok(_)) => *all = Err(error),
                        (_, Err(_)) => break,
                    }
                }
            });
        }
    });
    all.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn row(points: u64, kind: &str, tally: &Tally, seconds: f64) {
    println!(
        "{points:<9} {kind:<7} {:>9} {:>9} {:>9} {:>6} {:>10} {:>7} {:>13} {:>10.0} {seconds:>8.1}",
        tally.asked,
        tally.free,
        tally.blocked,
        tally.asked - tally.free - tally.blocked,
        tally.tested,
        tally.misses,
        tally.false_alarms,
        tally.asked as f64 / tally.checker_seconds,
    );
}

fn main() -> Result<ExitCode, Problem> {
    let words = Words::new();
    let list = |name: &str, absent: &str| -> Result<Vec<u64>, Problem> {
        let text = words.after(name).unwrap_or(absent);
        Ok(text.split(',').map(str::parse).collect::<Result<_, _>>()?)
    };
    let clouds = list("--points", "1000,10000,100000,1000000")?;
    let (states, edges) = (list("--states", "1000000")?, list("--edges", "10000")?);
    if [&clouds, &states, &edges].iter().any(|counts| counts.iter().all(|&count| count == 0)) {
        return Err("nothing to compare: --points, --states and --edges must be positive".into());
    }
    let of = |counts: &[u64], cloud: usize| counts.get(cloud).or(counts.last()).copied().unwrap_or_default();
    let (radius, seed): (f64, u64) = (words.number("--radius", 0.01)?, words.number("--seed", 1)?);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads: usize = words.number("--threads", cores)?;
    let (robot, mut builder) = setup::plan(&words)?;
    let links: Vec<String> = builder.part_names().map(str::to_owned).collect();
    for (k, a) in links.iter().enumerate() {
        links[..k].iter().try_for_each(|b| builder.disable(a, b, "only the cloud is of interest"))?;
    }
    let classes = if words.has("--mixed") { 8 } else { 1 };
    let radii: Vec<f64> = (1..=classes).map(|k| radius * f64::from(k) / f64::from(classes)).collect();
    println!("{}, radii {radii:?}, {threads} threads, seed {seed}", robot.name());
    println!(
        "points    kind        asked      free colliding  close     tested  misses  false alarms  a second*  seconds"
    );
    let mut wrong = 0;
    for (number, &count) in clouds.iter().enumerate() {
        let points = surfaces::scene(count as usize, &mut shares(seed ^ count));
        let mut builder = builder.clone();
        let each = (0..points.len()).map(|point| radii[turn(point, radii.len())]).collect();
        let cloud = Model::new(PointCloud::new(points.clone(), radius)?.with_radii(each)?)?;
        builder.add_obstacle("cloud", &cloud, Pose::IDENTITY)?;
        let cell = builder.build();
        cell.prepare();
        let campaign = Campaign {
            robot: &robot,
            cell: &cell,
            oracle: Oracle::new(&cell, &points, &radii)?,
            ranges: ranges(&robot),
            length: words.number("--length", 1.0)?,
            places: words.number("--places", 20)?,
            seed,
        };
        // The first exact queries make trees.
        let warm = campaign.draw(4000, &mut shares(seed));
        cell.checker().check_states(&warm, &mut Vec::new())?;
        let begun = Instant::now();
        let found =
            on_threads(threads, (of(&states, number), STATES), |chunk, count| campaign.states(chunk, count))?;
        row(count, "states", &found, begun.elapsed().as_secs_f64());
        let begun = Instant::now();
        let proven =
            on_threads(threads, (of(&edges, number), EDGES), |chunk, count| campaign.edges(!chunk, count))?;
        row(count, "edges", &proven, begun.elapsed().as_secs_f64());
        wrong += [&found, &proven].map(|tally| tally.misses + tally.false_alarms).iter().sum::<u64>();
        for text in [found.first_wrong, proven.first_wrong].into_iter().flatten() {
            println!("  {text}");
        }
    }
    println!("* of one thread, without the oracle");
    Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
