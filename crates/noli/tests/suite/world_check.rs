//! `World::check` against asking about every pair by hand, and the rules against following them pair by pair.

use crate::common::mesh;
use crate::common::polycubes::pick;
use glam::{DVec3, dvec3};
use noli::broad::Method;
use noli::world::{BodyId, BodySelector, Pattern};
use noli::world::{CheckOptions, CheckResult, Finding, PairStatus};
use noli::{
    Budget, Convex, Guarantee, Mesh, Model, Overlap, Pose, Relation, Shape, World, clearance, intersections,
    relation, within_distance,
};
use noli_scenes::SplitMix64;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// Solids, surfaces, a solid with a hole, round bodies, a floor and a body without faces.
fn models() -> Vec<Model> {
    let new = |mesh: Mesh| Model::from(mesh);
    let cube = mesh(noli_scenes::cuboid(DVec3::splat(0.5)));
    let mut holed = noli_scenes::cuboid(DVec3::splat(0.5));
    holed.triangles.pop();
    vec![
        new(cube.clone().into_solid()),
        new(cube),
        new(mesh(noli_scenes::torus(0.6, 0.2, 12, 8)).into_solid()),
        new(mesh(holed).into_solid()),
        Model::from(Convex::sphere(0.6).unwrap()),
        Model::from(Convex::cylinder(1.0, 0.4).unwrap()),
        Model::new(Shape::HalfSpace).unwrap(),
        new(mesh(noli_scenes::TriangleSet::default())),
    ]
}

const GROUPS: [&str; 3] = ["frame", "arm", "tool"];

fn who(random: &mut SplitMix64, ids: &[BodyId]) -> BodySelector {
    match pick(random, 6) {
        0 => BodySelector::Anyone,
        1 => BodySelector::Body(ids[pick(random, ids.len())]),
        2 => BodySelector::Group(GROUPS[pick(random, 3)].into()),
        3 => BodySelector::Layer(pick(random, 4) as u8),
        4 => BodySelector::Named(Pattern::new(["a*", "*3", "b1*", "c*", "*"][pick(random, 5)])),
        _ => BodySelector::Named(Pattern::new(format!("a{}", pick(random, 9)))),
    }
}

/// On a coarse grid with and without turns, so that many just touch.
fn pose(random: &mut SplitMix64) -> Pose {
    let mut whole = |count: usize| pick(random, count) as f64;
    let place = dvec3(whole(7), whole(7), whole(3)) * 0.5;
    if whole(2) == 0.0 { Pose::from_translation(place) } else { Pose::new(random.rotation(), place) }
}

fn add(world: &mut World, random: &mut SplitMix64, models: &[Model], number: usize) -> BodyId {
    let name = format!("{}{number}", ["a", "b", "c"][number % 3]);
    // One floor is enough.
    let model = if number == 5 { 6 } else { [0, 0, 1, 2, 3, 4, 5, 7][pick(random, 8)] };
    let at = if model == 6 { Pose::from_translation(DVec3::Z * -0.5) } else { pose(random) };
    let id = world.add(name, &models[model], at).unwrap();
    if pick(random, 3) > 0 {
        world.set_group(id, GROUPS[pick(random, 3)]).unwrap();
    }
    world.set_layers(id, pick(random, 16) as u32).unwrap();
    id
}

fn add_rule(world: &mut World, random: &mut SplitMix64, ids: &[BodyId]) {
    let pair = |random: &mut SplitMix64| [who(random, ids), who(random, ids)];
    let matters = pick(random, 2) == 0;
    match pick(random, 7) {
        0 | 1 => world.rules_mut().set(pair(random), matters),
        2 => {
            let kept = (0..1 + pick(random, 4))
                .map(|_| pair(random))
                .chain([[BodySelector::Anyone, BodySelector::Layer(0)]]);
            world.rules_mut().keep_only(kept.collect());
        }
        3 => world.rules_mut().set_within_groups(matters),
        4 => world.rules_mut().set([0, 1].map(|_| BodySelector::Body(ids[pick(random, ids.len())])), matters),
        5 => world.rules_mut().set_default_margin(pick(random, 3) as f64 * 0.25),
        _ => world.rules_mut().set_margin(pair(random), pick(random, 4) as f64 * 0.3),
    }
}

fn assembly(seed: u64, bodies: usize, rules: usize) -> World {
    let mut random = SplitMix64::new(seed);
    let (models, mut world) = (models(), World::new(Method::ALL[seed as usize % 4]));
    let ids: Vec<BodyId> = (0..bodies).map(|k| add(&mut world, &mut random, &models, k)).collect();
    (0..rules).for_each(|_| add_rule(&mut world, &mut random, &ids));
    world
}

/// Every pair with its margin, by following every rule for it.
fn asked(world: &World) -> HashMap<[BodyId; 2], f64> {
    let bodies: Vec<_> = world.bodies().collect();
    let mut asked = HashMap::new();
    for (place, &a) in bodies.iter().enumerate() {
        for &b in &bodies[place + 1..] {
            if let Some(margin) = world.rules().margin_between(a, b) {
                asked.insert([a.0, b.0], margin);
            }
        }
    }
    asked
}

/// One pair, asked by hand.
fn status(world: &World, [a, b]: [BodyId; 2], margin: f64) -> PairStatus {
    let [a, b] = [a, b].map(|id| world.body(id).unwrap());
    let (a, b) = (a.model().at(a.pose()), b.model().at(b.pose()));
    match relation(&a, &b) {
        Relation::Intersecting => PairStatus::Intersecting,
        Relation::Inside => PairStatus::Inside,
        Relation::Touching => PairStatus::Touching,
        Relation::Separated if within_distance(&a, &b, margin) == Overlap::Hit => PairStatus::Closer,
        Relation::Separated => PairStatus::Separated,
        Relation::Unknown => panic!("unknown without a budget"),
    }
}

fn check_finding(world: &World, finding: &Finding) {
    let [a, b] = finding.pair.map(|id| world.body(id).unwrap());
    let (at_a, at_b) = (a.model().at(a.pose()), b.model().at(b.pose()));
    let gap = clearance(&at_a, &at_b);
    assert_eq!(finding.clearance.distance, gap.distance);
    let meshes = a.model().mesh().is_some() && b.model().mesh().is_some();
    if meshes && finding.status.meets() {
        let (intersection, touching) = (finding.intersecting_faces.unwrap(), finding.touching_faces.unwrap());
        assert_eq!(intersection + touching, intersections(&at_a, &at_b).len() as u64);
        assert_eq!(finding.containment.hit().is_some(), finding.status == PairStatus::Inside);
        // Solids may also cross where faces only slide along each other.
        assert!(intersection == 0 || finding.status == PairStatus::Intersecting);
        assert_eq!(finding.intersections.len() as u64, intersection.min(2));
    }
    if finding.status.meets() {
        assert!(finding.place.is_some(), "{} {}: {finding:?}", a.name(), b.name());
        assert!(finding.contact.is_some_and(|contact| contact.depth.at_least <= contact.depth.at_most));
    }
    let solid = |body: &noli::world::Body| {
        body.model().mesh().is_none_or(|mesh| mesh.kind() == noli::model::MeshKind::Solid)
    };
    let holed = |body: &noli::world::Body| {
        solid(body) && body.model().mesh().is_some_and(|mesh| mesh.report().flaw().is_some())
    };
    let own = a.model().guarantee(b.model());
    let guarantee = match finding.status {
        PairStatus::Intersecting => own,
        _ if holed(a) || holed(b) => Guarantee::Approximate,
        _ => own,
    };
    assert_eq!(finding.guarantee, guarantee, "{} {}: {:?}", a.name(), b.name(), finding.status);
}

#[test]
fn a_check_says_what_asking_about_every_pair_says() {
    let mut seen: HashMap<PairStatus, usize> = HashMap::new();
    for seed in 0..60 {
        let world = assembly(seed, 24, seed as usize % 6);
        let asked = asked(&world);
        let options = CheckOptions { keep: 2, depth: true, ..Default::default() };
        let near = world.check(&options).unwrap();
        let far = world.check(&CheckOptions { far: true, ..options }).unwrap();
        assert_eq!((near.pairs, far.pairs, far.findings.len()), (asked.len(), asked.len(), asked.len()));
        let listed: HashMap<[BodyId; 2], &Finding> = near.findings.iter().map(|f| (f.pair, f)).collect();
        for finding in &far.findings {
            let margin = asked[&finding.pair];
            assert_eq!((finding.margin, finding.status), (margin, status(&world, finding.pair, margin)));
            *seen.entry(finding.status).or_default() += 1;
            match listed.get(&finding.pair) {
                Some(same) => assert_eq!(*same, finding),
                // What is inside a solid with a hole is a guess, and may lie outside its box.
                None if finding.guarantee == Guarantee::Approximate => {}
                None => assert_eq!(finding.status, PairStatus::Separated, "seed {seed}"),
            }
            check_finding(&world, finding);
        }
        let sorted = |result: &CheckResult| result.findings.is_sorted_by(|x, y| x.by_severity(y).is_le());
        assert!(sorted(&near) && sorted(&far));
        assert_eq!(near.separated_by_boxes() + near.findings.len(), asked.len());
    }
    let all = PairStatus::ALL.into_iter().filter(|&status| status != PairStatus::Undecided);
    assert!(all.into_iter().all(|status| seen.contains_key(&status)), "{seen:?}");
}

#[test]
fn rules_in_classes_say_what_they_say_pair_by_pair() {
    let models = models();
    let mut asked_of_none = 0;
    for seed in 0..200 {
        let mut random = SplitMix64::new(1000 + seed);
        let mut world = World::default();
        let mut ids: Vec<BodyId> = (0..12).map(|k| add(&mut world, &mut random, &models, k)).collect();
        for round in 0..12 {
            match pick(&mut random, 5) {
                0 => {
                    let gone = ids.swap_remove(pick(&mut random, ids.len()));
                    world.remove(gone).unwrap();
                    ids.push(add(&mut world, &mut random, &models, 12 + round));
                }
                1 => {
                    let id = ids[pick(&mut random, ids.len())];
                    world.set_group(id, GROUPS[pick(&mut random, 3)]).unwrap();
                    world.set_layers(id, pick(&mut random, 16) as u32).unwrap();
                }
                _ => add_rule(&mut world, &mut random, &ids),
            }
            let expected = asked(&world);
            for (place, &a) in ids.iter().enumerate() {
                for &b in &ids[place + 1..] {
                    let margin = expected.get(&[a.min(b), a.max(b)]).copied();
                    assert_eq!(world.margin_between(a, b), Ok(margin), "seed {seed}, round {round}");
                    assert_eq!(world.margin_between(b, a), Ok(margin));
                }
            }
            assert_eq!(world.pair_count(), expected.len(), "seed {seed}, round {round}");
            asked_of_none += usize::from(expected.is_empty());
        }
    }
    assert!(asked_of_none < 1200, "most rules must leave something: {asked_of_none}");
}

#[test]
fn a_check_can_be_watched_stopped_and_kept_short() {
    let world = assembly(3, 24, 0);
    let (begun, flag) = (AtomicUsize::new(0), AtomicBool::new(false));
    let progress = |_, total: usize| {
        begun.fetch_add(1, Relaxed);
        assert!(total > 0);
    };
    let options = CheckOptions { progress: Some(&progress), ..Default::default() };
    let whole = world.check(&options).unwrap();
    assert_eq!(begun.load(Relaxed), whole.findings.len());
    flag.store(true, Relaxed);
    let budget = Budget::UNLIMITED.cancelled_by(&flag);
    let stopped = world.check(&CheckOptions { budget, ..Default::default() }).unwrap();
    assert_eq!(stopped.findings.len(), whole.findings.len());
    assert!(stopped.findings.iter().all(|finding| finding.status == PairStatus::Undecided));
    // More budget never turns one verdict into another.
    let mut decided = 0;
    for steps in [0, 1, 5, 20, 100, 10_000] {
        let budget = Budget::UNLIMITED.steps(steps);
        let short = world.check(&CheckOptions { budget, ..Default::default() }).unwrap();
        let known = |finding: &&Finding| finding.status != PairStatus::Undecided;
        for finding in short.findings.iter().filter(known) {
            let full = whole.findings.iter().find(|other| other.pair == finding.pair).unwrap();
            assert_eq!(finding.status, full.status, "{steps} steps");
        }
        let count = short.findings.iter().filter(known).count();
        assert!(count >= decided, "{steps} steps");
        decided = count;
    }
    assert_eq!(decided, whole.findings.len());
}

#[test]
fn clearances_beyond_what_is_asked_for_are_left_open() {
    let world = assembly(8, 24, 0);
    let far = CheckOptions { far: true, ..Default::default() };
    let whole = world.check(&far).unwrap();
    let short = world.check(&CheckOptions { max_clearance: 0.5, ..far }).unwrap();
    for finding in &short.findings {
        let full = whole.findings.iter().find(|other| other.pair == finding.pair).unwrap();
        assert_eq!(finding.status, full.status);
        assert!(
            finding.clearance.distance.at_least <= full.clearance.distance.at_least
                && full.clearance.distance.at_most <= finding.clearance.distance.at_most
        );
        assert!(
            full.clearance.distance.at_most > 0.5
                || finding.clearance.distance.at_most == full.clearance.distance.at_most
        );
    }
}

/// Another method is heard, and one that contradicts a proof is refused.
#[test]
fn a_method_that_contradicts_is_refused() {
    let world = assembly(5, 24, 2);
    let whole = world.check(&CheckOptions::default()).unwrap();
    struct Liar;
    impl noli::world::PairTest for Liar {
        fn guarantee(&self) -> Guarantee {
            Guarantee::Exact
        }
        fn overlap(&mut self, _: [BodyId; 2], _: [&Pose; 2], _: &Budget<'_>) -> Overlap {
            Overlap::Free
        }
    }
    assert!(world.cross_check(&mut whole.findings.clone(), &mut Liar, &Budget::UNLIMITED).is_err());
}
