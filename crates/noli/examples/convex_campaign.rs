//! Millions of random and degenerate convex pairs: every search ends, every bracket holds together.
//!
//! ```text
//! cargo run --release -p noli --example convex_campaign -- 100000000 [SEED]
//! ```
//!
//! Prints how many pairs of each kind were asked, the longest search and the widest bracket. Every two hundredth pair of
//! polyhedra is asked again of exact meshes. Ends with an error at the first answer that contradicts itself.

use glam::{DQuat, DVec3};
use noli::answer::Bracket;
use noli::model::{Hull, Triangle};
use noli::query::ClearanceQuery;
use noli::{Convex, Guarantee, Hint, Model, Overlap, Pose, QueryContext, Scratch, clearance};
use noli_scenes::SplitMix64;

/// Placements of a pair.
const KINDS: [&str; 5] = ["random", "on a grid", "same place", "nearly touching", "far scale"];

#[derive(Default)]
struct Tally {
    pairs: u64,
    hits: u64,
    longest: u32,
    widest: f64,
    checked: u64,
}

struct Body {
    model: Model,
    mesh: Option<Model>,
    reach: f64,
}

/// Of the pair before.
#[derive(Default)]
struct Memory {
    scratch: Scratch,
    hint: Hint,
}

fn main() {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>().expect("a whole number"));
    let (pairs, seed) = (arguments.next().unwrap_or(1_000_000), arguments.next().unwrap_or(1));
    let mut random = SplitMix64::new(seed);
    let bodies: Vec<Body> = (0..600).map(|i| body(i, &mut random)).collect();
    let mut tallies: [Tally; 5] = Default::default();
    let mut memory = Memory::default();
    for pair in 0..pairs {
        let kind = (pair % 5) as usize;
        let pick = |random: &mut SplitMix64| &bodies[(random.next_u64() % bodies.len() as u64) as usize];
        let a = pick(&mut random);
        let b = if kind == 2 { a } else { pick(&mut random) };
        let pose = place(kind, a, b, &mut random);
        ask([a, b], &pose, pair, &mut tallies[kind], &mut memory);
    }
    for (kind, tally) in KINDS.iter().zip(&tallies) {
        let Tally { pairs, hits, longest, widest, checked } = tally;
        eprintln!(
            "{kind:16} {pairs:>12} pairs, {hits:>12} hits, longest search {longest:>4} steps, \
             widest bracket {widest:.1e} of the size, {checked} against meshes"
        );
    }
}

fn ask([a, b]: [&Body; 2], pose: &Pose, pair: u64, tally: &mut Tally, Memory { scratch, hint }: &mut Memory) {
    let (here, there) = (a.model.at(Pose::IDENTITY), b.model.at(*pose));
    let mut cold = Hint::default();
    let gap = QueryContext::new(scratch)
        .with_hint(&mut cold)
        .clearance(&here, &there, &ClearanceQuery::default())
        .distance;
    let context = || format!("pair {pair}: {:?} {:?} {pose:?}", a.model, b.model);
    assert!(gap.at_least <= gap.at_most && gap.at_most.is_finite(), "{gap:?} {}", context());
    let hit = QueryContext::new(scratch).overlap(&here, &there) == Overlap::Hit;
    let exact = a.model.guarantee(&b.model) == Guarantee::Exact;
    assert!(hit == (gap.at_most == 0.0) || !exact, "{gap:?} {}", context());
    if exact {
        // A hint of another pair, and the other order, change nothing.
        let with_hint = QueryContext::new(scratch).with_hint(hint).overlap(&here, &there) == Overlap::Hit;
        let turned = QueryContext::new(scratch).overlap(&there, &here) == Overlap::Hit;
        assert!(with_hint == hit && turned == hit, "{gap:?} {with_hint} {turned} {}", context());
        if let (Some(x), Some(y), true) = (&a.mesh, &b.mesh, pair % 1000 < 5) {
            let Bracket { at_least, at_most } = clearance(&x.at(Pose::IDENTITY), &y.at(*pose)).distance;
            let separated = gap.at_least > at_most || gap.at_most < at_least || (at_most == 0.0) != hit;
            assert!(!separated, "{gap:?} {at_least} {at_most} {}", context());
            tally.checked += 1;
        }
    }
    let size = a.reach + b.reach + pose.translation.length();
    tally.pairs += 1;
    tally.hits += u64::from(hit);
    tally.longest = tally.longest.max(cold.steps());
    if size > 0.0 {
        tally.widest = tally.widest.max((gap.at_most - gap.at_least) / size);
    }
}

/// Points on a coarse grid make coplanar, collinear and equal vertices.
fn grid(random: &mut SplitMix64) -> DVec3 {
    let mut step = || (random.next_u64() % 5) as f64 - 2.0;
    DVec3::new(step(), step(), step()) * 0.5
}

fn body(i: usize, random: &mut SplitMix64) -> Body {
    let count = 1 + (random.next_u64() % 40) as usize;
    let squeeze = [1.0, 0.1, 1e-3, 1e-6][(random.next_u64() % 4) as usize];
    let scale = DVec3::new(1.0, squeeze, squeeze * squeeze);
    let convex = match i % 12 {
        0 | 1 => Convex::hull((0..count + 3).map(|_| random.direction() * scale)),
        2 | 3 => Convex::hull((0..count).map(|_| grid(random))),
        4 => Convex::cuboid(random.direction().abs()),
        5 => Convex::cuboid(grid(random).abs()),
        6 => Convex::triangle(Triangle::new(grid(random), grid(random), grid(random))),
        7 => Convex::sphere(random.unit()),
        8 => Convex::capsule(random.unit(), random.unit() * squeeze),
        9 => Convex::cylinder(random.unit(), random.unit() * squeeze),
        10 => Convex::cone(random.unit() * squeeze, random.unit()),
        _ => Convex::ellipsoid(random.direction().abs() * scale),
    };
    let convex = convex.expect("lengths in range");
    let mesh = (convex.radius() == 0.0).then(|| convex.core().to_hull()).flatten();
    let mesh = mesh.map(|hull: Hull| Model::new(hull.to_mesh().expect("in range")).unwrap());
    Body { reach: convex.bounding_radius(), model: Model::new(convex).unwrap(), mesh }
}

fn place(kind: usize, a: &Body, b: &Body, random: &mut SplitMix64) -> Pose {
    let rotation = random.rotation();
    match kind {
        0 => Pose::new(rotation, random.direction() * (random.between(0.0, 1.5) * (a.reach + b.reach))),
        1 => {
            let quarter = DQuat::from_xyzw(0.0, 0.0, 1.0, 1.0);
            let turns = [DQuat::IDENTITY, quarter, DQuat::from_xyzw(1.0, 1.0, 1.0, 1.0)];
            Pose::new(turns[(random.next_u64() % 3) as usize], grid(random) * 2.0)
        }
        2 => Pose::new(if random.unit() < 0.5 { DQuat::IDENTITY } else { rotation }, DVec3::ZERO),
        3 => {
            // Slide to a tiny clearance or overlap.
            let along = random.direction();
            let mut distance = a.reach + b.reach;
            for _ in 0..3 {
                let there = b.model.at(Pose::new(rotation, along * distance));
                distance -= clearance(&a.model.at(Pose::IDENTITY), &there).distance.at_least;
            }
            let nudge = [0.0, 1e-15, -1e-15, 1e-9, -1e-9, 1e-6][(random.next_u64() % 6) as usize];
            Pose::new(rotation, along * (distance + nudge))
        }
        _ => Pose::new(rotation, random.direction() * 10f64.powf(random.between(-9.0, 9.0))),
    }
}
