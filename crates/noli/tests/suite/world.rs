//! Worlds against slow and simple versions of themselves.

use crate::common::{mesh, model, solids, vector};
use glam::{DQuat, DVec3, dvec3};
use noli::broad::Method;
use noli::motion::{GroupMotion, Motion, RigidGroup, RigidMotion, Still};
use noli::query::ImpactQuery;
use noli::world::{
    Basis, BodyId, BodySelector, InitialContact, Move, PairTestMode, Pattern, StepOptions, StepPolicy,
    StopPolicy, WorldError,
};
use noli::{Budget, Guarantee, Impact, Overlap, Pose, QueryContext, Scratch, World, overlap};
use noli_geom::Sphere;
use noli_scenes::SplitMix64;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bodies with random motions in groups; some stand still.
struct Traffic {
    world: World,
    ids: Vec<BodyId>,
    motions: Vec<Vec<(BodyId, RigidMotion)>>,
}

impl Traffic {
    fn new(seed: u64, method: Method) -> Self {
        let mut random = SplitMix64::new(seed);
        let (models, mut world) = (solids(), World::new(method));
        let count = 6 + random.below(8);
        let ids: Vec<BodyId> = (0..count)
            .map(|k| {
                let pose = Pose::new(random.rotation(), vector(&mut random, 2.0));
                world.add(format!("body{k}"), &models[k % 3], pose).unwrap()
            })
            .collect();
        if seed.is_multiple_of(3) {
            world.rules_mut().set([BodySelector::Named(Pattern::new("body1*")), BodySelector::Anyone], false);
            world.rules_mut().set_default_margin(0.05);
        }
        let groups = 1 + random.below(4);
        let mut motions = vec![Vec::new(); groups];
        for (k, &id) in ids.iter().enumerate().take(2 * groups) {
            let (shift, turn) = (vector(&mut random, 2.0), vector(&mut random, 1.0));
            let start = world.body(id).unwrap().pose();
            motions[k % groups].push((id, RigidMotion::with_velocities(&start, shift, turn, DVec3::ZERO)));
        }
        Self { world, ids, motions }
    }

    fn moves(&self) -> Vec<Move> {
        let part = |&(id, motion): &(BodyId, RigidMotion)| (id, Arc::new(motion) as Arc<dyn Motion>);
        let group =
            |(k, group): (usize, &Vec<_>)| Move::new(format!("group{k}"), group.iter().map(part).collect());
        self.motions.iter().enumerate().map(group).collect()
    }

    /// Everything by hand: all pairs, no boxes.
    fn brute_force(&self) -> (HashMap<[BodyId; 2], Impact<noli::answer::Touch>>, Vec<f64>) {
        let group_of: HashMap<BodyId, (usize, RigidMotion)> = self
            .motions
            .iter()
            .enumerate()
            .flat_map(|(g, list)| list.iter().map(move |&(id, m)| (id, (g, m))))
            .collect();
        let margin = if self.world.rules().clone().default_margin() > 0.0 { 0.05 } else { 0.0 };
        let mut impacts = HashMap::new();
        let mut island: Vec<usize> = (0..self.motions.len()).collect();
        let mut limits = Vec::new();
        for (i, &a) in self.ids.iter().enumerate() {
            for &b in &self.ids[i + 1..] {
                if !group_of.contains_key(&a) && !group_of.contains_key(&b) {
                    continue;
                }
                let [body_a, body_b] = [a, b].map(|id| self.world.body(id).unwrap());
                if margin > 0.0 && [body_a, body_b].iter().any(|body| body.name().starts_with("body1")) {
                    continue;
                }
                let stills = [Still(body_a.pose()), Still(body_b.pose())];
                let motion = |id: BodyId, still: &'static Still| -> &dyn Motion {
                    group_of.get(&id).map_or(still as &dyn Motion, |(_, motion)| motion)
                };
                let [still_a, still_b]: [&'static Still; 2] =
                    stills.map(|still| &*Box::leak(Box::new(still)));
                let (x, y) =
                    (body_a.model().moving(motion(a, still_a)), body_b.model().moving(motion(b, still_b)));
                let query = ImpactQuery { margin, ..Default::default() };
                let context =
                    |query| QueryContext::new(&mut Scratch::default()).time_of_impact(&x, &y, &query);
                let impact = match context(query) {
                    Impact::AtStart(touch) => match context(ImpactQuery { margin: 0.0, ..query }) {
                        Impact::Free => Impact::AtStart(touch),
                        touching => touching,
                    },
                    other => other,
                };
                let groups: Vec<usize> =
                    [a, b].iter().filter_map(|id| group_of.get(id)).map(|(g, _)| *g).collect();
                limits.push((groups, impact));
                impacts.insert([a, b], impact);
            }
        }
        // Groups that touch anybody together; every pair of moved groups whose boxes may meet is an edge, which here is a superset.
        let mut times = vec![1.0f64; self.motions.len()];
        for (groups, impact) in &limits {
            if let (Impact::At { time, .. }, Some(&first)) = (impact, groups.first()) {
                times[first] = times[first].min(time.safe_until);
                if let Some(&second) = groups.get(1) {
                    times[second] = times[second].min(time.safe_until);
                    island[second] = island[second].min(first);
                }
            }
        }
        (impacts, times)
    }
}

const SCENES: u64 = 200;

/// Each group stops at its own earliest time.
#[derive(Debug)]
pub(crate) struct EachAlone;

impl StepPolicy for EachAlone {
    fn stops_together(&self) -> bool {
        false
    }
}

#[test]
fn a_step_equals_one_by_brute_force() {
    let mut hits = 0;
    for seed in 0..SCENES {
        let mut traffic = Traffic::new(seed, Method::ALL[seed as usize % 4]);
        let (impacts, times) = traffic.brute_force();
        let options = StepOptions { policy: &EachAlone, sleep: false, ..Default::default() };
        let step = traffic.world.plan(traffic.moves(), &options).unwrap();
        let mut seen = HashSet::new();
        for answer in &step.answers {
            assert_eq!(answer.impact, impacts[&answer.pair], "seed {seed}, pair {:?}", answer.pair);
            assert_eq!((answer.basis, answer.guarantee), (Basis::Tested, Guarantee::Conservative));
            seen.insert(answer.pair);
        }
        for (pair, impact) in impacts.iter().filter(|(pair, _)| !seen.contains(*pair)) {
            assert_eq!(*impact, Impact::Free, "seed {seed}: {pair:?} was not a candidate");
        }
        for (outcome, time) in step.outcomes.iter().zip(times) {
            assert!(outcome.free_until <= time && outcome.free_until >= time - 1e-4, "seed {seed}");
        }
        hits += step.hits().count();
        // Islands and in order: what was apart stays apart.
        for cut in [StopPolicy::Islands, StopPolicy::InOrder] {
            let mut traffic = Traffic::new(seed, Method::Grid);
            let separated = |world: &World| -> HashSet<[BodyId; 2]> {
                let place = |id: BodyId| world.body(id).unwrap();
                let pairs = impacts.keys().filter(|&&[a, b]| {
                    overlap(&place(a).model().at(place(a).pose()), &place(b).model().at(place(b).pose()))
                        == Overlap::Free
                });
                pairs.copied().collect()
            };
            let before = separated(&traffic.world);
            let moves = traffic.moves();
            let done = traffic.world.step(moves, &StepOptions { cut, ..Default::default() }).unwrap();
            let lost: Vec<_> = before.difference(&separated(&traffic.world)).copied().collect();
            assert!(lost.is_empty(), "seed {seed}, {cut:?}: {lost:?} {:?}", done.outcomes);
        }
    }
    assert!(hits > 100, "{hits} hits");
}

fn cube_world(places: &[f64]) -> (World, Vec<BodyId>) {
    let cube = model(&mesh(noli_scenes::cuboid(DVec3::splat(0.5))).into_solid());
    let mut world = World::default();
    let ids = places
        .iter()
        .map(|&x| world.add(format!("at{x}"), &cube, Pose::from_translation(DVec3::X * x)).unwrap());
    let ids = ids.collect();
    (world, ids)
}

fn drive(world: &World, id: BodyId, by: f64) -> Move {
    let motion = |start: &Pose| RigidMotion::with_velocities(start, DVec3::X * by, DVec3::ZERO, DVec3::ZERO);
    world.carry(format!("{id}"), &[id], motion).unwrap()
}

/// Motions that count how often they are evaluated: each by itself, or all of a group at once.
#[derive(Debug)]
struct Counted {
    motions: Vec<RigidMotion>,
    evaluations: Arc<AtomicUsize>,
}

impl GroupMotion for Counted {
    fn members(&self) -> usize {
        self.motions.len()
    }

    fn poses(&self, t: f64, out: &mut [Pose]) {
        self.evaluations.fetch_add(1, Ordering::Relaxed);
        out.iter_mut().zip(&self.motions).for_each(|(pose, motion)| *pose = motion.pose(t));
    }

    fn travel(&self, member: usize, sphere: &Sphere, t0: f64, t1: f64) -> f64 {
        self.motions[member].travel(sphere, t0, t1)
    }

    fn chord_deviation(&self, member: usize, sphere: &Sphere, t0: f64, t1: f64) -> f64 {
        self.motions[member].chord_deviation(sphere, t0, t1)
    }
}

impl Motion for Counted {
    fn pose(&self, t: f64) -> Pose {
        self.evaluations.fetch_add(1, Ordering::Relaxed);
        self.motions[0].pose(t)
    }

    fn travel(&self, sphere: &Sphere, t0: f64, t1: f64) -> f64 {
        self.motions[0].travel(sphere, t0, t1)
    }

    fn chord_deviation(&self, sphere: &Sphere, t0: f64, t1: f64) -> f64 {
        self.motions[0].chord_deviation(sphere, t0, t1)
    }
}

/// Bit for bit the same step, for fewer evaluations.
#[test]
fn a_group_motion_moves_bodies_as_motions_of_their_own_do() {
    let [alone, together] = [(); 2].map(|()| Arc::new(AtomicUsize::new(0)));
    for seed in 0..24 {
        let cut = [StopPolicy::Islands, StopPolicy::InOrder][seed as usize % 2];
        let options = StepOptions { cut, ..Default::default() };
        let mut separated = Traffic::new(seed, Method::default());
        let own = |&(id, motion): &(BodyId, RigidMotion)| {
            let counted = Counted { motions: vec![motion], evaluations: alone.clone() };
            (id, Arc::new(counted) as Arc<dyn Motion>)
        };
        let moves = separated.motions.iter().map(|list| Move::new("own", list.iter().map(own).collect()));
        let moves = moves.collect();
        let expected = separated.world.step(moves, &options).unwrap();
        let mut grouped = Traffic::new(seed, Method::default());
        let group = |list: &Vec<(BodyId, RigidMotion)>| {
            let (ids, motions): (Vec<BodyId>, _) = list.iter().copied().unzip();
            let group: Arc<dyn GroupMotion> = Arc::new(Counted { motions, evaluations: together.clone() });
            Move::group("group", &ids, &group).unwrap()
        };
        let moves = grouped.motions.iter().map(group).collect();
        let step = grouped.world.step(moves, &options).unwrap();
        assert_eq!((step.answers, step.outcomes), (expected.answers, expected.outcomes), "{seed}");
        let poses = |traffic: &Traffic| -> Vec<Pose> {
            traffic.ids.iter().map(|&id| traffic.world.body(id).unwrap().pose()).collect()
        };
        assert_eq!(poses(&grouped), poses(&separated));
    }
    let [alone, together] = [alone, together].map(|count| count.load(Ordering::Relaxed));
    assert!(together < alone, "{together} {alone}");
}

#[test]
fn a_group_motion_needs_a_body_for_each_member() {
    let (_, ids) = cube_world(&[0.0, 3.0]);
    let starts = [Pose::IDENTITY; 3];
    let group: Arc<dyn GroupMotion> = Arc::new(RigidGroup::new(Arc::new(Still::default()), &starts));
    let refused = Move::group("three", &ids, &group).unwrap_err();
    assert_eq!(refused, WorldError::Members { bodies: 2, members: 3 });
}

/// B follows A closely; A hits the wall at a third of its way. Alone, B goes on into A.
#[test]
fn islands_do_not_run_into_those_who_stopped() {
    let policies: [(&dyn StepPolicy, StopPolicy, bool); 3] = [
        (&EachAlone, StopPolicy::Islands, true),
        (&PairTestMode::Dynamic, StopPolicy::Islands, false),
        (&PairTestMode::Dynamic, StopPolicy::InOrder, false),
    ];
    for (policy, cut, overlaps) in policies {
        let (mut world, ids) = cube_world(&[0.0, 1.5, 3.5]);
        let moves = vec![drive(&world, ids[1], 3.0), drive(&world, ids[0], 3.0)];
        let step = world.step(moves, &StepOptions { policy, cut, ..Default::default() }).unwrap();
        let touching = world.touching(&Budget::UNLIMITED);
        assert_eq!(!touching.is_empty(), overlaps, "{policy:?}, {cut:?}: {touching:?}");
        if cut == StopPolicy::InOrder {
            assert!(
                step.outcomes[1].free_until > step.outcomes[0].free_until + 0.1,
                "the follower closes up"
            );
        }
    }
}

#[test]
fn moving_the_table_moves_the_cup_and_reports_it() {
    let (mut world, ids) = cube_world(&[0.0, 0.0, 4.0]);
    world.move_to(ids[1], Pose::from_translation(dvec3(0.0, 0.0, 1.2))).unwrap();
    world.move_to(ids[2], Pose::from_translation(dvec3(4.0, 0.0, 1.2))).unwrap();
    world.attach(ids[1], ids[0]).unwrap();
    let moves = vec![drive(&world, ids[0], 5.0)];
    let step = world.step(moves, &StepOptions::default()).unwrap();
    let first = step.outcomes[0].first.unwrap();
    assert_eq!(step.answers[first].pair, [ids[1], ids[2]]);
    assert!(world.body(ids[0]).unwrap().pose().translation.x < 3.0);
}

#[test]
fn modes_see_what_they_say_they_see() {
    let question = |mode: PairTestMode, by: f64| {
        let (mut world, ids) = cube_world(&[0.0, 3.0]);
        let moves = vec![drive(&world, ids[0], by)];
        let step = world.plan(moves, &StepOptions { policy: &mode, ..Default::default() }).unwrap();
        step.answers.first().map(|answer| (answer.impact.is_hit(), answer.guarantee))
    };
    // Through and out again.
    assert_eq!(question(PairTestMode::Static, 6.0), None);
    assert_eq!(question(PairTestMode::Dynamic, 6.0), Some((true, Guarantee::Conservative)));
    // Ending inside.
    assert_eq!(question(PairTestMode::Static, 3.0), Some((true, Guarantee::Exact)));
}

#[test]
fn static_hits_refuse_the_whole_motion() {
    let (mut world, ids) = cube_world(&[0.0, 3.0]);
    let moves = vec![drive(&world, ids[0], 3.0)];
    let step =
        world.step(moves, &StepOptions { policy: &PairTestMode::Static, ..Default::default() }).unwrap();
    assert_eq!(step.outcomes[0].free_until, 0.0);
    assert_eq!(world.body(ids[0]).unwrap().pose(), Pose::IDENTITY);
}

#[test]
fn overlap_at_the_start_is_reported_and_stops_only_if_asked_to() {
    for (at_start, until) in
        [(InitialContact::Leave, 1.0), (InitialContact::Ignore, 1.0), (InitialContact::Refuse, 0.0)]
    {
        let (mut world, ids) = cube_world(&[0.0, 0.5]);
        let moves = vec![drive(&world, ids[0], -3.0)];
        let step = world.step(moves, &StepOptions { at_start, ..Default::default() }).unwrap();
        assert!(matches!(step.answers[0].impact, Impact::AtStart(_)));
        assert_eq!(step.outcomes[0].free_until, until);
    }
}

#[test]
fn clients_may_stop_a_group_earlier_and_edits_make_a_plan_outdated() {
    let (mut world, ids) = cube_world(&[0.0, 30.0]);
    let moves = vec![drive(&world, ids[0], 4.0)];
    let mut step = world.plan(moves, &StepOptions::default()).unwrap();
    step.outcomes[0].free_until = 0.25;
    world.commit(&step).unwrap();
    assert_eq!(world.body(ids[0]).unwrap().pose().translation.x, 1.0);
    assert_eq!(world.commit(&step), Err(WorldError::Outdated));
    let twice = vec![drive(&world, ids[0], 1.0), drive(&world, ids[0], 1.0)];
    assert_eq!(world.plan(twice, &StepOptions::default()).err(), Some(WorldError::MovedTwice(ids[0])));
    let nowhere = Pose::from_translation(DVec3::X * f64::NAN);
    assert_eq!(world.move_to(ids[0], nowhere), Err(WorldError::NotAPose(ids[0])));
}

#[test]
fn the_last_rule_that_fits_counts_and_pairs_count_most() {
    let (mut world, ids) = cube_world(&[0.0, 0.5, 0.9]);
    world.set_group(ids[0], "robot").unwrap();
    world.set_layers(ids[2], 0b1000).unwrap();
    let count = |world: &mut World| world.touching(&Budget::UNLIMITED).len();
    assert_eq!(count(&mut world), 3);
    world.rules_mut().set([BodySelector::Layer(3), BodySelector::Anyone], false);
    assert_eq!(count(&mut world), 1);
    world.rules_mut().set([BodySelector::Group("robot".into()), BodySelector::Layer(3)], true);
    assert_eq!(count(&mut world), 2);
    world.rules_mut().set([BodySelector::Body(ids[2]), BodySelector::Body(ids[0])], false);
    assert_eq!(count(&mut world), 1);
    world.rules_mut().unset(ids[0], ids[2]);
    assert_eq!(count(&mut world), 2);
    world
        .rules_mut()
        .set([BodySelector::Named(Pattern::new("at*")), BodySelector::Named(Pattern::new("*"))], false);
    assert_eq!(count(&mut world), 0);
}

/// A walk of one ring among others: with and without sleep, the same poses to the bit; with sleep, fewer tests.
#[test]
fn sleep_changes_the_cost_and_nothing_else() {
    let run = |sleep: bool| {
        let [_, _, ring] = solids();
        let mut world = World::default();
        for k in 0..6 {
            let angle = f64::from(k);
            let place = dvec3(angle.cos(), angle.sin(), 0.0) * 1.6;
            world.add(format!("ring{k}"), &ring, Pose::new(DQuat::from_rotation_x(angle), place)).unwrap();
        }
        let walker = world.add("walker", &ring, Pose::IDENTITY).unwrap();
        let (mut random, mut tests, mut poses) = (SplitMix64::new(3), 0, Vec::new());
        for k in 0..150 {
            let (shift, turn) = (vector(&mut random, 0.02), vector(&mut random, 0.02));
            let motion = |start: &Pose| RigidMotion::with_velocities(start, shift, turn, DVec3::ZERO);
            let walk = world.carry("walk", &[walker], motion).unwrap();
            let step = world.step(vec![walk], &StepOptions { sleep, ..Default::default() }).unwrap();
            tests += step.stats.tested;
            if k % 40 == 39 {
                world.move_by(walker, Pose::from_translation(dvec3(0.01, 0.0, 0.0))).unwrap();
            }
            poses.push(world.body(walker).unwrap().pose());
        }
        (poses, tests)
    };
    let ((with, few), (without, many)) = (run(true), run(false));
    assert_eq!(with, without);
    assert!(2 * few < many, "{few} tests against {many}");
}

#[test]
fn threads_change_nothing() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut all = Vec::new();
            for seed in 0..20 {
                let mut traffic = Traffic::new(seed, Method::default());
                for steps in [u64::MAX, 300] {
                    let budget = Budget::UNLIMITED.steps(steps);
                    let budget = if steps == u64::MAX { Budget::UNLIMITED } else { budget };
                    let moves = traffic.moves();
                    let step =
                        traffic.world.plan(moves, &StepOptions { budget, ..Default::default() }).unwrap();
                    all.push(format!("{:?} {:?} {:?}", step.answers, step.outcomes, step.stats));
                }
            }
            all
        })
    };
    assert_eq!(run(1), run(4));
}
