//! Domains of proofs about pairs: joints without limits, and joints that follow them.

use glam::{DVec3, dvec3};
use noli::{Overlap, Pose};
use noli_robot::cell::{Cell, CellBuilder, ProofOptions, RangeOrigin, Reachability};
use noli_robot::{
    Geometry, GeometryKind, Joint, JointAxisKind, JointKind, Limits, Link, Mimic, Parts, Robot,
};
use noli_testing::Random;
use std::sync::Arc;

fn cell_of(robot: &Arc<Robot>) -> Cell {
    let shapes = robot.shapes(|file| Err(file.to_owned())).unwrap();
    let mut builder = CellBuilder::default();
    builder.add_robot("", robot.clone(), Pose::IDENTITY, &shapes).unwrap();
    builder.build()
}

/// A link with a box of a size at a place.
fn block(name: &str, at: DVec3, size: DVec3) -> Link {
    let link_from_shape = Pose::from_translation(at);
    let form = GeometryKind::Box { size };
    let collision = vec![Geometry { name: None, link_from_shape, form, place: None }];
    Link { collision, ..Link::named(name) }
}

fn joint(name: &str, kind: JointKind, [parent, child]: [&str; 2], at: DVec3) -> Joint {
    Joint { parent_from_joint: Pose::from_translation(at), ..Joint::new(name, kind, parent, child) }
}

/// An arm that turns by a radian either way at most, and a slider three metres above it.
fn rail(limits: Option<[f64; 2]>) -> Arc<Robot> {
    let links = vec![
        block("base", DVec3::ZERO, DVec3::splat(0.1)),
        block("arm", dvec3(0.5, 0.0, 0.0), dvec3(0.2, 0.1, 0.1)),
        block("slider", DVec3::ZERO, dvec3(1.2, 0.1, 0.1)),
    ];
    let mut turn = joint("j1", JointKind::Revolute, ["base", "arm"], DVec3::ZERO);
    turn.limits.range = Some([-1.0, 1.0]);
    let mut slide = joint("p", JointKind::Prismatic, ["base", "slider"], DVec3::Z * 3.0);
    slide.limits.range = limits;
    Arc::new(Robot::new(Parts { name: "rail".into(), links, joints: vec![turn, slide] }).unwrap())
}

/// An arm that follows an endless joint with a ratio, and a block in its way at half a turn.
fn gear(multiplier: f64) -> Arc<Robot> {
    let links = vec![
        block("base", dvec3(-0.5, 0.0, 0.0), dvec3(0.1, 0.1, 0.2)),
        Link::named("motor"),
        block("arm", dvec3(0.5, 0.0, 0.0), DVec3::splat(0.1)),
    ];
    let leader = joint("m", JointKind::Continuous, ["base", "motor"], DVec3::Z);
    let mut follower = joint("a", JointKind::Continuous, ["base", "arm"], DVec3::ZERO);
    follower.mimic = Some(Mimic { joint: "m".into(), multiplier, offset: 0.0 });
    Arc::new(Robot::new(Parts { name: "gear".into(), links, joints: vec![leader, follower] }).unwrap())
}

fn proof(cell: &Cell, names: [&str; 2], assumed: &[(usize, [f64; 2])]) -> Reachability {
    let pair = (0..cell.pairs().len()).find(|&pair| cell.pair_names(pair) == names).unwrap();
    let options = ProofOptions { samples: 2_000, cells: 20_000, assumed, ..ProofOptions::default() };
    let found = cell.prove(pair, &options).meeting;
    if let Reachability::Possible { witness } = &found {
        assert_eq!(cell.checker().pair_overlap(witness, pair), Ok(Overlap::Hit));
    }
    found
}

fn is_possible(found: &Reachability) -> bool {
    matches!(found, Reachability::Possible { .. })
}

#[test]
fn a_slide_without_limits_is_looked_at_as_far_as_it_goes() {
    let robot = rail(None);
    let cell = cell_of(&robot);
    assert!(is_possible(&proof(&cell, ["arm", "slider"], &[])));
    assert!(is_possible(&proof(&cell, ["base", "slider"], &[])));
    // Far to the side it never comes near, wherever it is.
    let mut parts = (*robot).clone().into_parts();
    parts.joints[1].parent_from_joint.translation = dvec3(0.0, 3.0, 0.0);
    let aside = cell_of(&Arc::new(Robot::new(parts).unwrap()));
    let found = proof(&aside, ["arm", "slider"], &[]);
    assert!(found.is_never(), "{found:?}");
    let range = found.domain().unwrap().ranges()[1];
    assert_eq!((range.value, range.origin), (1, RangeOrigin::AllValues));
}

#[test]
fn a_claim_about_assumed_values_is_no_claim_about_the_robot() {
    let robot = rail(None);
    let cell = cell_of(&robot);
    let found = proof(&cell, ["arm", "slider"], &[(1, [-1.0, 1.0])]);
    let domain = found.domain().unwrap();
    assert!(matches!(found, Reachability::Never { .. }) && !found.is_never() && !domain.is_everything());
    assert_eq!(domain.words(|value| &robot.variables()[value].name), " within p in [-1, 1]");
    // What covers the limits is no assumption.
    let cell = cell_of(&rail(Some([-1.0, 1.0])));
    for (assumed, everything) in [([-2.0, 1.0], true), ([-1.0, 0.5], false)] {
        let found = proof(&cell, ["arm", "slider"], &[(1, assumed)]);
        assert_eq!(found.is_never(), everything);
        assert!(matches!(found, Reachability::Never { .. }));
    }
}

#[test]
fn followers_of_an_endless_joint_go_all_the_way_round() {
    for multiplier in [0.1, -0.1, 1.0 / 3.0, 0.01, 3.0, 1e-3, std::f64::consts::FRAC_1_SQRT_2] {
        let found = proof(&cell_of(&gear(multiplier)), ["base", "arm"], &[]);
        assert!(is_possible(&found), "{multiplier}: {found:?}");
    }
}

/// Two arms whose angles have a ratio: one before the other, so that only some pairs of angles occur.
#[test]
fn a_period_is_that_of_all_that_turns_together() {
    let two = |multiplier: f64| {
        let links = vec![
            block("post", dvec3(-1.0, 0.0, 0.0), DVec3::splat(0.1)),
            block("upper", dvec3(0.25, 0.0, 0.3), dvec3(0.5, 0.05, 0.05)),
            block("fore", dvec3(0.5, 0.0, 0.0), DVec3::splat(0.05)),
        ];
        let first = joint("a", JointKind::Continuous, ["post", "upper"], DVec3::ZERO);
        let mut second = joint("b", JointKind::Continuous, ["upper", "fore"], dvec3(0.5, 0.0, 0.0));
        second.mimic = Some(Mimic { joint: "a".into(), multiplier, offset: 0.0 });
        let joints = vec![first, second];
        Arc::new(Robot::new(Parts { name: "two".into(), links, joints }).unwrap())
    };
    // Half a turn of the first with whole turns of the second: even ratios, or fractions after several turns.
    for (multiplier, hits) in [(2.0, true), (0.4, true), (0.5, false), (1.0, false)] {
        let robot = two(multiplier);
        let found = proof(&cell_of(&robot), ["post", "fore"], &[]);
        let mut checker_free = true;
        let cell = cell_of(&robot);
        let mut checker = cell.checker();
        let pair = (0..cell.pairs().len()).find(|&pair| cell.pair_names(pair) == ["post", "fore"]).unwrap();
        for k in -20_000..20_000 {
            let mut values = vec![f64::from(k) * 1e-2, 0.0];
            robot.apply_laws(&mut values);
            checker_free &= checker.pair_overlap(&values, pair) == Ok(Overlap::Free);
        }
        assert_eq!(checker_free, !hits, "{multiplier}");
        assert_eq!(found.is_never(), !hits, "{multiplier}: {found:?}");
    }
}

/// A random tree of links with joints of every kind, some without limits, some that follow others.
fn random_robot(random: &mut Random) -> Arc<Robot> {
    const RATIOS: [f64; 10] = [0.1, -0.5, 2.0, 3.0, 1.0 / 3.0, -1.0, 2.5, 0.7, 0.333, 1e-2];
    let count = 2 + random.index(4);
    let place = |random: &mut Random, far: f64| far * random.vector();
    let mut links = vec![block("l0", place(random, 0.1), DVec3::splat(0.2))];
    let mut joints: Vec<Joint> = Vec::new();
    for k in 1..=count {
        let size = DVec3::splat(0.05) + random.vector().abs() * 0.3;
        links.push(block(&format!("l{k}"), place(random, 0.4), size));
        let kinds = [JointKind::Continuous, JointKind::Prismatic, JointKind::Revolute, JointKind::Planar];
        let kind = kinds[random.index(if k == 1 { 4 } else { 3 })];
        let parent = format!("l{}", random.index(k));
        let mut joint = joint(&format!("j{k}"), kind, [&parent, &format!("l{k}")], place(random, 0.5));
        joint.axis = if random.index(2) == 0 { DVec3::Z } else { random.vector() + DVec3::Z * 1e-3 };
        let limited = kind == JointKind::Revolute || kind == JointKind::Prismatic && random.index(3) == 0;
        let low = random.between(-2.0, 0.0);
        joint.limits =
            Limits { range: limited.then(|| [low, low + random.between(0.1, 3.0)]), ..Limits::default() };
        let leaders: Vec<&Joint> =
            joints.iter().filter(|other| other.kind != JointKind::Planar && other.mimic.is_none()).collect();
        if kind != JointKind::Planar && !leaders.is_empty() && random.index(2) == 0 {
            let of = leaders[random.index(leaders.len())].name.clone();
            let offset = random.between(-1.0, 1.0);
            joint.mimic = Some(Mimic { joint: of, multiplier: RATIOS[random.index(RATIOS.len())], offset });
        }
        joints.push(joint);
    }
    Arc::new(Robot::new(Parts { name: "random".into(), links, joints }).unwrap())
}

/// A configuration within the limits, and where there are none far beyond a turn and a metre.
fn far_state(robot: &Robot, random: &mut Random) -> Vec<f64> {
    let value = |random: &mut Random, turns: bool| {
        let far = if turns { [4.0, 100.0, 1e4, 3e6] } else { [1.5, 3.0, 6.0, 1e3] }[random.index(4)];
        random.between(-far, far)
    };
    let mut values: Vec<f64> = robot
        .variables()
        .iter()
        .map(|variable| match variable.limits.range {
            Some([low, high]) => random.between(low, high),
            None => value(random, variable.movement == JointAxisKind::Turn),
        })
        .collect();
    robot.apply_laws(&mut values);
    values
}

/// Proofs of the pairs of a random robot within a budget of cells; those of *never* are held against far states, witnesses
/// against the engine. Counts of never, always, possible and undecided.
fn hold(seed: u64, [cells, states]: [usize; 2]) -> [usize; 4] {
    let mut random = Random::new(seed);
    let robot = random_robot(&mut random);
    let cell = cell_of(&robot);
    let all: Vec<usize> = (0..cell.pairs().len()).collect();
    let options = ProofOptions { samples: 40, cells, ..ProofOptions::default() };
    let proofs: Vec<Reachability> = all.iter().map(|&pair| cell.prove(pair, &options).meeting).collect();
    let states: Vec<Vec<f64>> = (0..states).map(|_| far_state(&robot, &mut random)).collect();
    let (mut checker, mut counts) = (cell.checker(), [0; 4]);
    for (pair, found) in proofs.iter().enumerate() {
        let mut overlap = |values: &[f64]| checker.pair_overlap(values, pair).unwrap();
        let kind = match found {
            Reachability::Never { .. } => {
                let hit = states.iter().find(|values| overlap(values) == Overlap::Hit);
                assert_eq!(hit, None, "seed {seed}: {:?} {found:?}", cell.pair_names(pair));
                0
            }
            Reachability::Always { .. } => {
                let free = states.iter().find(|values| overlap(values) == Overlap::Free);
                assert_eq!(free, None, "seed {seed}: {:?} {found:?}", cell.pair_names(pair));
                1
            }
            Reachability::Possible { witness } => {
                assert_eq!(overlap(witness), Overlap::Hit, "seed {seed}");
                assert_eq!(robot.check_values(witness), Ok(()));
                2
            }
            Reachability::Undecided => 3,
        };
        counts[kind] += 1;
    }
    counts
}

fn held(seeds: std::ops::Range<u64>, effort: [usize; 2]) -> [usize; 4] {
    let counts = std::sync::Mutex::new([0; 4]);
    let seeds: Vec<u64> = seeds.collect();
    noli_testing::for_all(&seeds, |&seed| {
        let own = hold(seed, effort);
        counts.lock().unwrap().iter_mut().zip(own).for_each(|(all, own)| *all += own);
    });
    counts.into_inner().unwrap()
}

#[test]
fn never_holds_far_outside_of_a_turn_and_a_metre() {
    let counts = held(0..300, [400, 200]);
    assert!(counts[0] > 100 && counts[2] > 100, "never, always, possible, undecided: {counts:?}");
}

/// A million domains: `cargo test --release -p noli-robot --test suite -- --ignored --nocapture a_million_domains`.
#[test]
#[ignore = "minutes on all threads"]
fn a_million_domains() {
    let counts = held(1_000_000..1_120_000, [120, 50]);
    assert!(counts.iter().sum::<usize>() > 1_000_000);
}
