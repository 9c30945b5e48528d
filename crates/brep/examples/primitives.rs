//! Prints random pairs of primitives, or of the parts of STEP files, with their clearance, one JSON object a line, for
//! comparison with another kernel (`peers/occt/distances.py`).
//!
//! `cargo run --release -p noli-brep --example primitives -- COUNT [FILE.step...]`
//!
//! Of files, those with one solid take part. Medians of the time a query takes go to standard error.

use glam::{DQuat, DVec3};
use noli_brep::{Brep, Options, Volumes, clearance, overlap, relation, step};
use noli_geom::{Pose, Relation};
use noli_testing::Random;
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

/// Most faces of a part that takes part.
const MAX_FACES: usize = 300;

/// A body with its description and its own pose.
struct Given {
    kind: &'static str,
    text: String,
    body: Arc<Brep>,
    pose: Pose,
}

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let count = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(1000);
    let parts: Vec<Given> = arguments.filter_map(|path| part(&path)).collect();
    let mut random = Random::new(41);
    let mut out = std::io::stdout().lock();
    let mut times: BTreeMap<&str, Vec<[f64; 3]>> = BTreeMap::new();
    for _ in 0..count {
        let mut draw = || if parts.is_empty() { primitive(&mut random) } else { drawn(&parts, &mut random) };
        let bodies = [draw(), draw()];
        let size = bodies[0].body.size().max(bodies[1].body.size());
        let far = [0.4, 0.8, 1.6][random.index(3)];
        let poses = [pose(&mut random, 0.4 * size), pose(&mut random, far * size)];
        let placed = [poses[0] * bodies[0].pose, poses[1] * bodies[1].pose];
        let [a, b] = [&*bodies[0].body, &*bodies[1].body];
        let query = |volumes: Volumes| {
            let options = Options { volumes, ..Options::default() };
            let start = Instant::now();
            let found = clearance(a, b, &placed[0], &placed[1], &options);
            let distance = start.elapsed().as_secs_f64() * 1e6;
            let start = Instant::now();
            let verdict = relation(a, b, &placed[0], &placed[1], &options);
            let status = start.elapsed().as_secs_f64() * 1e6;
            (found, verdict, [distance, status])
        };
        let (_, known, spheres) = query(Volumes::Spheres);
        let (found, verdict, boxes) = query(Volumes::Boxes);
        let start = Instant::now();
        let is_overlapping = overlap(a, b, &placed[0], &placed[1], &Options::default());
        let quick = start.elapsed().as_secs_f64() * 1e6;
        if known.is_certain && verdict.is_certain && known.relation != verdict.relation
            || is_overlapping.is_some_and(|found| verdict.is_certain && found != verdict.relation.overlaps())
        {
            writeln!(
                std::io::stderr().lock(),
                "verdicts differ: {known:?}, {verdict:?}, {is_overlapping:?}"
            )?;
        }
        let is_apart = verdict.relation == Relation::Separated;
        let kind = match (bodies[0].kind == "file", is_apart) {
            (true, true) => "parts apart",
            (true, false) => "parts in contact",
            (false, true) => "primitives apart",
            (false, false) => "primitives in contact",
        };
        let at = usize::from(!is_apart);
        times.entry(kind).or_default().push([spheres[at], boxes[at], quick]);
        let micros = boxes[0];
        let text = |k: usize| {
            let (q, t) = (poses[k].rotation.normalize(), poses[k].translation);
            let numbers = [q.x, q.y, q.z, q.w, t.x, t.y, t.z].map(|x| format!("{x:?}")).join(",");
            format!("{},\"pose\":[{numbers}]", bodies[k].text)
        };
        writeln!(
            out,
            "{{\"a\":{{{}}},\"b\":{{{}}},\"at_least\":{:?},\"at_most\":{:?},\"size\":{size:?},\"certain\":{},\"us\":{micros:.1}}}",
            text(0),
            text(1),
            found.at_least,
            found.at_most,
            verdict.is_certain,
        )?;
    }
    let mut log = std::io::stderr().lock();
    for (kind, times) in times {
        let question = if kind.ends_with("apart") { "clearance" } else { "relation" };
        let by = [(question, "spheres"), (question, "boxes"), ("overlap", "boxes")];
        for (k, (question, volumes)) in by.into_iter().enumerate() {
            let mut times: Vec<f64> = times.iter().map(|pair| pair[k]).collect();
            times.sort_by(f64::total_cmp);
            let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
            let (median, most) = (at(0.5), at(0.9));
            writeln!(
                log,
                "{kind}: {question} by {volumes}, {} pairs, median {median:.1} us, 90 % {most:.1} us",
                times.len()
            )?;
        }
    }
    Ok(())
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
    is_usable.then(|| Given { kind: "file", text, body: part.body.clone(), pose: part.pose })
}

fn drawn(parts: &[Given], random: &mut Random) -> Given {
    let part = &parts[random.index(parts.len())];
    Given { kind: part.kind, text: part.text.clone(), body: part.body.clone(), pose: part.pose }
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
    Given { kind, text, body: Arc::new(body), pose: Pose::IDENTITY }
}

fn pose(random: &mut Random, far: f64) -> Pose {
    let turn = DQuat::from_xyzw(random.real(), random.real(), random.real(), random.real());
    Pose::new(turn, random.vector() * far)
}
