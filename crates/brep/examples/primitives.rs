//! Prints random pairs of primitives, or of the parts of STEP files, with their clearance, one JSON object a line, for
//! comparison with another kernel (`peers/occt/distances.py`).
//!
//! `cargo run --release -p noli-brep --example primitives -- COUNT [--seed N] [--mill] [FILE.step...]`
//!
//! Of files, those with one solid take part. With `--mill` a cylinder along z stands in a part and is drawn back by a
//! hundredth of the size of the part in each step, like the end mill of OCCT issue 1123. Medians of the time a query
//! takes go to standard error.

use glam::{DQuat, DVec3};
use noli_brep::{Brep, Options, PairReport, clearance, overlap, relation, step};
use noli_geom::{Bracket, Pose, Relation};
use noli_testing::Random;
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

/// Most faces of a part that takes part.
const MAX_FACES: usize = 300;
/// Positions of a mill before it is moved to another place.
const BACKWARD_STEPS: usize = 4;
/// Seed of the random numbers if none is given.
const SEED: u64 = 41;
/// Queries that are timed.
const QUERIES: [&str; 3] = ["clearance", "relation", "overlap"];

/// A body with its description and its own pose.
#[derive(Clone)]
struct Given {
    is_file: bool,
    text: String,
    body: Arc<Brep>,
    pose: Pose,
}

/// Two bodies with their poses.
type Drawn = [(Given, Pose); 2];

/// Answers about a pair and the microseconds they took.
struct Answers {
    clearance: Bracket,
    report: PairReport,
    overlap: Option<bool>,
    micros: [f64; 3],
}

fn main() -> std::io::Result<()> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let seed = seed(&mut arguments)?;
    let is_mill = arguments.iter().any(|text| text == "--mill");
    arguments.retain(|text| text != "--mill");
    let mut arguments = arguments.into_iter();
    let count = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(1000);
    let parts: Vec<Given> = arguments.filter_map(|path| part(&path)).collect();
    if is_mill && parts.is_empty() {
        return Err(std::io::Error::other("--mill needs a STEP file with one solid"));
    }
    let mut random = Random::new(seed);
    let mut out = std::io::stdout().lock();
    let mut times: BTreeMap<String, Vec<[f64; 3]>> = BTreeMap::new();
    let mut at = 0;
    while at < count {
        let pairs = if is_mill {
            milled(&parts[random.index(parts.len())], &mut random)
        } else {
            vec![pair(&parts, &mut random)]
        };
        for pair in pairs.into_iter().take(count - at) {
            let answers = query(&pair);
            if answers
                .overlap
                .is_some_and(|found| answers.report.is_certain && found != answers.report.relation.overlaps())
            {
                return Err(std::io::Error::other(format!(
                    "verdicts differ: {:?}, {:?}",
                    answers.report, answers.overlap
                )));
            }
            let contact = if answers.report.relation == Relation::Separated { "apart" } else { "in contact" };
            let kind = if pair[0].0.is_file { "parts" } else { "primitives" };
            times.entry(format!("{kind} {contact}")).or_default().push(answers.micros);
            writeln!(out, "{}", row(&pair, &answers))?;
            at += 1;
        }
    }
    let mut log = std::io::stderr().lock();
    for (kind, times) in times {
        for (k, query) in QUERIES.into_iter().enumerate() {
            let mut times: Vec<f64> = times.iter().map(|pair| pair[k]).collect();
            times.sort_by(f64::total_cmp);
            let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
            let (median, most) = (at(0.5), at(0.9));
            writeln!(
                log,
                "{kind}: {query}, {} pairs, median {median:.1} us, 90 % {most:.1} us",
                times.len()
            )?;
        }
    }
    Ok(())
}

/// Takes the seed of the random numbers out of the arguments.
fn seed(arguments: &mut Vec<String>) -> std::io::Result<u64> {
    let Some(at) = arguments.iter().position(|text| text == "--seed") else { return Ok(SEED) };
    let found = arguments.get(at + 1).and_then(|text| text.parse().ok());
    arguments.drain(at..arguments.len().min(at + 2));
    found.ok_or_else(|| std::io::Error::other("--seed needs a whole number"))
}

fn query([(a, pose_a), (b, pose_b)]: &Drawn) -> Answers {
    let (bodies, placed) = ([&*a.body, &*b.body], [*pose_a * a.pose, *pose_b * b.pose]);
    let options = Options::default();
    let mut micros = [0.0; 3];
    let mut time = |k: usize, start: Instant| micros[k] = start.elapsed().as_secs_f64() * 1e6;
    let start = Instant::now();
    let clearance = clearance(bodies[0], bodies[1], &placed[0], &placed[1], &options);
    time(0, start);
    let start = Instant::now();
    let report = relation(bodies[0], bodies[1], &placed[0], &placed[1], &options);
    time(1, start);
    let start = Instant::now();
    let overlap = overlap(bodies[0], bodies[1], &placed[0], &placed[1], &options);
    time(2, start);
    Answers { clearance, report, overlap, micros }
}

fn row(pair: &Drawn, answers: &Answers) -> String {
    let body = |(given, pose): &(Given, Pose)| {
        let (q, t) = (pose.rotation.normalize(), pose.translation);
        let numbers = [q.x, q.y, q.z, q.w, t.x, t.y, t.z].map(|x| format!("{x:?}")).join(",");
        format!("{{{},\"faces\":{},\"pose\":[{numbers}]}}", given.text, given.body.faces().len())
    };
    let Answers { clearance, report, overlap, micros } = answers;
    let points =
        report.points.map_or_else(|| "null".into(), |points| format!("{:?}", points.map(|p| p.to_array())));
    let overlap = overlap.map_or_else(|| "null".into(), |found| found.to_string());
    format!(
        "{{\"a\":{},\"b\":{},\"at_least\":{:?},\"at_most\":{:?},\"size\":{:?},\"within\":{:?},\"certain\":{},\
         \"relation\":\"{:?}\",\"overlap\":{overlap},\"points\":{points},\"us\":{micros:.1?}}}",
        body(&pair[0]),
        body(&pair[1]),
        clearance.at_least,
        clearance.at_most.min(f64::MAX),
        pair[0].0.body.size().max(pair[1].0.body.size()),
        report.within,
        report.is_certain,
        report.relation,
    )
}

/// Two primitives or parts at random poses.
fn pair(parts: &[Given], random: &mut Random) -> Drawn {
    let mut draw = || match parts {
        [] => primitive(random),
        parts => parts[random.index(parts.len())].clone(),
    };
    let bodies = [draw(), draw()];
    let size = bodies[0].body.size().max(bodies[1].body.size());
    let far = [0.4, 0.8, 1.6][random.index(3)];
    let poses = [pose(random, 0.4 * size), pose(random, far * size)];
    let [a, b] = bodies;
    [(a, poses[0]), (b, poses[1])]
}

/// A mill in a part, and drawn back in steps.
fn milled(part: &Given, random: &mut Random) -> Vec<Drawn> {
    let bounds = part.body.bounds();
    let size = part.body.size();
    let [radius, height] = [random.between(0.01, 0.04) * size, 0.6 * size];
    let share = DVec3::new(random.unit(), random.unit(), random.unit());
    let tip = part.pose.transform_point(bounds.min + bounds.size() * share);
    let text = format!("\"kind\":\"cylinder\",\"sizes\":{:?}", [radius, height]);
    let body = Arc::new(Brep::cylinder(radius, height));
    let mill = Given { is_file: false, text, body, pose: Pose::IDENTITY };
    let at = |step: usize| Pose::from_translation(tip + DVec3::Z * (0.01 * size * step as f64));
    (0..BACKWARD_STEPS).map(|step| [(part.clone(), Pose::IDENTITY), (mill.clone(), at(step))]).collect()
}

/// The part of a file with one solid.
fn part(path: &str) -> Option<Given> {
    let file = step::read(&std::fs::read(path).ok()?).ok()?;
    let [part] = &file.parts[..] else { return None };
    let is_usable = file.unread.is_empty()
        && part.body.is_solid()
        && !part.body.is_tessellated()
        && part.body.faces().len() <= MAX_FACES;
    let text = format!("\"kind\":\"file\",\"path\":{path:?}");
    is_usable.then(|| Given { is_file: true, text, body: part.body.clone(), pose: part.pose })
}

/// A random primitive.
fn primitive(random: &mut Random) -> Given {
    let mut size = || random.between(0.3, 1.5);
    let (a, b, c) = (size(), size(), size());
    let (kind, sizes, body) = match random.index(5) {
        0 => ("sphere", vec![a], Brep::sphere(a)),
        1 => ("cylinder", vec![a, b], Brep::cylinder(a, b)),
        2 => ("cone", vec![a, b, c], Brep::cone(a, b, c)),
        3 => ("torus", vec![a + 0.3, 0.3 * a], Brep::torus(a + 0.3, 0.3 * a)),
        _ => ("block", vec![a, b, c], Brep::block(DVec3::new(a, b, c))),
    };
    let text = format!("\"kind\":\"{kind}\",\"sizes\":{sizes:?}");
    Given { is_file: false, text, body: Arc::new(body), pose: Pose::IDENTITY }
}

fn pose(random: &mut Random, far: f64) -> Pose {
    let turn = DQuat::from_xyzw(random.real(), random.real(), random.real(), random.real());
    Pose::new(turn, random.vector() * far)
}
