//! Robots among other bodies: the same verdicts as asking every pair, whatever decides them.

use glam::{DQuat, dvec3};
use noli::{Convex, Impact, Mesh, Model, Overlap, Pose, overlap};
use noli_robot::cell::{
    Cell, CellBuilder, DisableReason, PairRule, PartKind, ProofOptions, Reachability, StateStatus,
};
use noli_robot::{LinkGeometry, LinkShape, PumaSet, Robot, Srdf, puma560};
use std::sync::Arc;

struct Draw(u64);

impl Draw {
    fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 * 2f64.powi(-53)
    }

    fn state(&mut self, robot: &Robot) -> Vec<f64> {
        let ranges = robot.variables().iter().map(|variable| variable.limits.range.unwrap_or([-3.0, 3.0]));
        let mut values: Vec<f64> = ranges.map(|[low, high]| low + (high - low) * self.share()).collect();
        robot.apply_laws(&mut values);
        values
    }

    fn pose(&mut self, size: f64) -> Pose {
        let mut number = || self.share() - 0.5;
        let turn = DQuat::from_xyzw(number(), number(), number(), number()).normalize();
        Pose::new(turn, 2.0 * size * dvec3(number(), number(), number()))
    }
}

fn shapes(robot: &Robot) -> Vec<LinkShape> {
    robot.shapes(|file| Err(file.to_owned())).unwrap()
}

fn model(shape: &LinkShape) -> Model {
    match &shape.solid {
        LinkGeometry::Convex(convex) => Model::new(convex.clone()).unwrap(),
        LinkGeometry::Mesh(mesh) => Model::new(mesh.clone()).unwrap(),
    }
}

/// Pairs of links that meet in every one of some configurations, as plain bodies at a wrist do.
fn ever_meeting(robot: &Arc<Robot>, parts: &[LinkShape]) -> Vec<[String; 2]> {
    let mut plan = CellBuilder::default();
    plan.add_robot("", robot.clone(), Pose::IDENTITY, parts).unwrap();
    let cell = plan.build();
    let (mut checker, mut draw, mut hits) = (cell.checker(), Draw(1), Vec::new());
    let mut counts = vec![0; cell.pairs().len()];
    for _ in 0..40 {
        checker.colliding_pairs(&draw.state(robot), &mut hits).unwrap();
        hits.iter().for_each(|hit| counts[hit.pair] += 1);
    }
    let often = (0..counts.len()).filter(|&pair| counts[pair] > 20);
    often.map(|pair| cell.pair_names(pair).map(str::to_owned)).collect()
}

/// A PUMA of meshes and true shapes among fixed bodies: every verdict and every list of hits is that of
/// asking each pair of shapes.
#[test]
fn verdicts_are_those_of_asking_every_pair() {
    let robot = Arc::new(puma560(PumaSet::FuGonzalezLee));
    let mut parts = shapes(&robot);
    // Every other link a mesh, so that cells, vertices and inner spheres of meshes are used.
    for shape in parts.iter_mut().filter(|shape| shape.link % 2 == 0) {
        let mesh = Mesh::cuboid(dvec3(0.15, 0.12, 0.3)).unwrap();
        shape.solid = LinkGeometry::Mesh(if shape.link % 4 == 0 { mesh.into_solid() } else { mesh });
    }
    let place = Pose::new(DQuat::from_rotation_z(0.3), dvec3(0.1, 0.0, 0.2));
    let mut plan = CellBuilder::default();
    plan.add_robot("", robot.clone(), place, &parts).unwrap();
    let skipped = ever_meeting(&robot, &parts);
    skipped.iter().for_each(|[a, b]| plan.disable(a, b, "they always meet").unwrap());
    let mut draw = Draw(9);
    let sphere = Model::new(Convex::sphere(0.12).unwrap()).unwrap();
    let torus = Model::new(Mesh::torus(0.3, 0.05, 24, 12).unwrap().into_solid()).unwrap();
    let boxy = Model::new(Convex::cuboid(dvec3(0.3, 0.1, 0.2)).unwrap()).unwrap();
    let mut fixed = Vec::new();
    for k in 0..9 {
        let (model, pose) = ([&sphere, &torus, &boxy][k % 3], draw.pose(1.0));
        plan.add_obstacle(&format!("body{k}"), model, pose).unwrap();
        fixed.push((model, pose));
    }
    let cell = plan.build();
    let models: Vec<Model> = parts.iter().map(model).collect();
    let off: Vec<[usize; 2]> = (0..robot.joints().len()).map(|joint| robot.ends(joint)).collect();
    let mut poses = vec![Pose::IDENTITY; robot.links().len()];
    let mut checker = cell.checker();
    let (mut free, mut hits, mut states) = (0, Vec::new(), Vec::new());
    for _ in 0..1500 {
        let values = draw.state(&robot);
        // Chained from the robot's place, as a motion does it.
        let motion = noli_robot::JointMotion::between(robot.clone(), place, &values, &values).unwrap();
        noli::motion::GroupMotion::poses(&motion, 0.0, &mut poses);
        let at = |k: usize| models[k].at(poses[parts[k].link] * parts[k].link_from_shape);
        let mut wanted: Vec<[String; 2]> = Vec::new();
        let name = |k: usize| robot.links()[parts[k].link].name.clone();
        for a in 0..parts.len() {
            for b in a + 1..parts.len() {
                let links = [parts[a].link, parts[b].link];
                let joined =
                    links[0] == links[1] || off.contains(&links) || off.contains(&[links[1], links[0]]);
                let joined = joined || skipped.contains(&[name(a), name(b)]);
                if !joined && overlap(&at(a), &at(b)) == Overlap::Hit {
                    wanted.push([name(a), name(b)]);
                }
            }
            for (k, (model, pose)) in fixed.iter().enumerate().filter(|_| parts[a].link != robot.root()) {
                if overlap(&at(a), &model.at(*pose)) == Overlap::Hit {
                    wanted.push([name(a), format!("body{k}")]);
                }
            }
        }
        wanted.sort();
        wanted.dedup();
        checker.colliding_pairs(&values, &mut hits).unwrap();
        let mut found: Vec<[String; 2]> =
            hits.iter().map(|hit| cell.pair_names(hit.pair).map(str::to_owned)).collect();
        found.sort();
        assert_eq!(found, wanted);
        let first = checker.check_state(&values).unwrap();
        match first {
            StateStatus::Free => assert!(wanted.is_empty()),
            StateStatus::Hit(pair) => assert!(wanted.contains(&cell.pair_names(pair).map(str::to_owned))),
            StateStatus::Unknown(_) => panic!("there is no field"),
        }
        let clearance = checker.clearance(&values).unwrap();
        assert_eq!(clearance.clearance.at_most == 0.0, !wanted.is_empty());
        free += usize::from(wanted.is_empty());
        states.push((values, first));
    }
    assert!(free > 50 && free < 1450, "both kinds occur: {free}");
    lanes_change_nothing(&cell, states);
}

/// Neighbours, order and threads change no status.
fn lanes_change_nothing(cell: &Cell, mut states: Vec<(Vec<f64>, StateStatus)>) {
    for order in [false, true] {
        if order {
            states.reverse();
        }
        for cut in [states.len(), states.len() - 7, 3] {
            let flat: Vec<f64> = states[..cut].iter().flat_map(|(values, _)| values.clone()).collect();
            let wanted: Vec<StateStatus> = states[..cut].iter().map(|(_, status)| *status).collect();
            assert_eq!(cell.check_states(&flat).unwrap(), wanted);
        }
    }
}

const GRIPPER: &str = r#"<robot name="gantry">
<link name="rail"><collision><geometry><box size="2 0.1 0.1"/></geometry></collision></link>
<link name="cart"><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
<link name="hand"><collision><geometry><box size="0.3 0.1 0.1"/></geometry></collision></link>
<link name="left"><collision><origin xyz="0 0 -0.15"/>
<geometry><box size="0.02 0.05 0.2"/></geometry></collision></link>
<link name="right"><collision><origin xyz="0 0 -0.15"/>
<geometry><box size="0.02 0.05 0.2"/></geometry></collision></link>
<joint name="slide" type="prismatic"><parent link="rail"/><child link="cart"/><origin xyz="0 0 -0.3"/>
<axis xyz="1 0 0"/><limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
<joint name="spin" type="continuous"><parent link="cart"/><child link="hand"/><origin xyz="0 0 -0.3"/>
<axis xyz="0 0 1"/></joint>
<joint name="open" type="prismatic"><parent link="hand"/><child link="left"/><axis xyz="1 0 0"/>
<limit lower="0" upper="0.1" velocity="1" effort="1"/></joint>
<joint name="other" type="prismatic"><parent link="hand"/><child link="right"/><axis xyz="-1 0 0"/>
<limit lower="0" upper="0.1" velocity="1" effort="1"/><mimic joint="open"/></joint></robot>"#;

/// A gantry whose axis turns for ever, with a gripper whose jaws follow each other, and a part in it.
#[test]
fn a_gantry_carries_a_part() {
    let robot = Arc::new(Robot::from_urdf_str(GRIPPER).unwrap());
    let part = Model::new(Mesh::cuboid(dvec3(0.06, 0.06, 0.06)).unwrap().into_solid()).unwrap();
    let wall = Model::new(Convex::cuboid(dvec3(0.1, 2.0, 2.0)).unwrap()).unwrap();
    let build = |carried: bool, padding: f64| {
        let mut plan = CellBuilder::default();
        plan.add_robot("", robot.clone(), Pose::IDENTITY, &shapes(&robot)).unwrap();
        plan.add_obstacle("wall", &wall, Pose::from_translation(dvec3(0.8, 0.0, -1.3))).unwrap();
        if carried {
            let below = Pose::from_translation(dvec3(0.0, 0.0, -0.2));
            plan.attach("hand", "part", &part, below, &["left", "right"]).unwrap();
        }
        plan.set_padding("wall", padding).unwrap();
        plan.build()
    };
    let state = |slide: f64, spin: f64, open: f64| {
        robot.configuration(&[("slide", slide), ("spin", spin), ("open", open)]).unwrap().0
    };
    let (bare, holding) = (build(false, 0.0), build(true, 0.0));
    let rule = |cell: &Cell, a: &str, b: &str| cell.pairs()[cell.pair(a, b).unwrap()].rule.clone();
    assert_eq!(rule(&holding, "hand", "part"), PairRule::Disabled(DisableReason::MayTouch));
    assert_eq!(rule(&holding, "left", "part"), PairRule::Disabled(DisableReason::MayTouch));
    assert_eq!(rule(&holding, "cart", "part"), PairRule::Checked { margin: 0.0 });
    assert_eq!(rule(&holding, "rail", "wall"), PairRule::Disabled(DisableReason::HeldTogether));
    assert_eq!(rule(&holding, "cart", "hand"), PairRule::Disabled(DisableReason::Adjacent));
    assert!(holding.parts().iter().any(|part| matches!(part.holder, PartKind::Carried { .. })));

    // Closed, the jaws overlap each other; with 0.02 between their middles they touch, and beyond they do
    // not.
    let mut checker = bare.checker();
    assert!(matches!(checker.check_state(&state(0.0, 0.0, 0.005)).unwrap(), StateStatus::Hit(_)));
    assert_eq!(checker.check_state(&state(0.0, 0.0, 0.011)).unwrap(), StateStatus::Free);
    // The hand, turned out, is 0.15 long: the wall begins at 0.75. Turns of the axis by the million change
    // nothing.
    for turns in [0.0, 1.0, 1e3] {
        let spin = turns * std::f64::consts::TAU;
        assert_eq!(checker.check_state(&state(0.599, spin, 0.05)).unwrap(), StateStatus::Free);
        assert!(matches!(checker.check_state(&state(0.601, spin, 0.05)).unwrap(), StateStatus::Hit(_)));
    }
    // Padding makes near enough a hit, and clearance does not change.
    let padded = build(false, 0.01);
    let mut careful = padded.checker();
    assert!(matches!(careful.check_state(&state(0.595, 0.0, 0.05)).unwrap(), StateStatus::Hit(_)));
    assert_eq!(careful.check_state(&state(0.585, 0.0, 0.05)).unwrap(), StateStatus::Free);
    let clearance =
        careful.clearance_of(&state(0.595, 0.0, 0.05), |pair| padded.pair_names(pair).contains(&"wall"));
    assert!((clearance.unwrap().clearance.at_least - 0.005).abs() < 1e-9);

    // On the way along the rail the cart's arm meets the wall at 0.6.
    let way = checker.first_contact_on_edge(&state(-0.5, 0.0, 0.05), &state(1.0, 0.0, 0.05)).unwrap();
    let Impact::At { time, touch } = way else { panic!("{way:?}") };
    assert_eq!(bare.pair_names(touch.pair), ["hand", "wall"]);
    assert!((1.5 * time.safe_until - 1.1).abs() < 1e-5, "{time:?}");
    assert!(time.safe_until <= 1.1 / 1.5);
    let back = checker.first_contact_on_edge(&state(-0.5, 0.0, 0.05), &state(0.5, 6.0, 0.09)).unwrap();
    assert!(matches!(back, Impact::Free), "{back:?}");
    let path = [state(0.0, 0.0, 0.05), state(0.2, 1.0, 0.05), state(0.9, 1.0, 0.05)];
    let path: Vec<&[f64]> = path.iter().map(Vec::as_slice).collect();
    let found = checker.first_contact_on_path(&path).unwrap();
    assert!(found.is_hit() && found.safe_until() > 0.5, "{found:?}");
}

/// Two arms that reach for each other: configurations one after the other, names with prefixes.
#[test]
fn two_arms_in_one_cell() {
    let robot = Arc::new(puma560(PumaSet::FuGonzalezLee));
    let mut plan = CellBuilder::default();
    let around = Pose::new(DQuat::from_rotation_z(std::f64::consts::PI), dvec3(0.8, 0.3, 0.0));
    for (prefix, place) in [("left/", Pose::IDENTITY), ("right/", around)] {
        plan.add_robot(prefix, robot.clone(), place, &shapes(&robot)).unwrap();
    }
    assert!(plan.add_robot("left/", robot.clone(), around, &shapes(&robot)).is_err(), "names are taken");
    let srdf = "<robot name=\"p\"><disable_collisions link1=\"a\" link2=\"b\" reason=\"Never\"/></robot>";
    plan.apply_srdf(0, &srdf.parse::<Srdf>().unwrap());
    let cell = plan.build();
    assert_eq!(cell.value_count(), 12);
    let mut checker = cell.checker();
    assert!(checker.check_state(&[0.0; 6]).is_err());
    let mut hits = Vec::new();
    checker.colliding_pairs(&[0.0; 12], &mut hits).unwrap();
    let across = |pair: usize| {
        let [a, b] = cell.pair_names(pair);
        a.starts_with("left/") != b.starts_with("left/")
    };
    assert!(hits.iter().any(|hit| across(hit.pair)), "stretched out they meet");
    let separated = [[1.5; 1].as_slice(), &[0.0; 5], &[1.5; 1], &[0.0; 5]].concat();
    checker.colliding_pairs(&separated, &mut hits).unwrap();
    assert!(!hits.iter().any(|hit| across(hit.pair)), "turned away they do not");
}

/// What is proven free is free at every sample; what is found is there.
#[test]
fn edges_are_proven() {
    let robot = Arc::new(puma560(PumaSet::FuGonzalezLee));
    let mut plan = CellBuilder::default();
    plan.add_robot("", robot.clone(), Pose::IDENTITY, &shapes(&robot)).unwrap();
    for [a, b] in ever_meeting(&robot, &shapes(&robot)) {
        plan.disable(&a, &b, "they always meet").unwrap();
    }
    let sphere = Model::new(Convex::sphere(0.15).unwrap()).unwrap();
    let mut draw = Draw(3);
    for k in 0..6 {
        plan.add_obstacle(&format!("sphere{k}"), &sphere, draw.pose(0.9)).unwrap();
    }
    let cell = plan.build();
    let mut checker = cell.checker();
    let (mut free, mut blocked) = (0, 0);
    for _ in 0..600 {
        let from = draw.state(&robot);
        if checker.check_state(&from).unwrap() != StateStatus::Free {
            continue;
        }
        let target = draw.state(&robot);
        let to: Vec<f64> = from.iter().zip(&target).map(|(a, b)| a + 0.15 * (b - a)).collect();
        let found = checker.first_contact_on_edge(&from, &to).unwrap();
        let safe = found.safe_until();
        for k in 0..=200 {
            let share = safe * f64::from(k) / 200.0 * (1.0 - 1e-9);
            let values: Vec<f64> = from.iter().zip(&to).map(|(a, b)| a + (b - a) * share).collect();
            assert_eq!(checker.check_state(&values).unwrap(), StateStatus::Free, "{found:?} at {share}");
        }
        match found {
            Impact::Free => free += 1,
            Impact::At { time, touch } => {
                blocked += 1;
                let by = time.touching_by;
                let values: Vec<f64> = from.iter().zip(&to).map(|(a, b)| a + (b - a) * by).collect();
                let clearance = checker.pair_clearance(&values, touch.pair).unwrap().clearance;
                assert!(clearance.at_least < 1e-5, "{clearance:?} at {by}");
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(free > 20 && blocked > 5, "{free} free, {blocked} blocked");
}

/// A proof holds at every sample, and a witness collides.
#[test]
fn pairs_are_proven() {
    let mut counts = [0; 4];
    let robots = [puma560(PumaSet::FuGonzalezLee), Robot::from_urdf_str(GRIPPER).unwrap()];
    for robot in robots.map(Arc::new) {
        let mut plan = CellBuilder::default();
        plan.add_robot("", robot.clone(), Pose::IDENTITY, &shapes(&robot)).unwrap();
        let cell = plan.build();
        let all: Vec<usize> = (0..cell.pairs().len()).collect();
        let options = ProofOptions { samples: 500, cells: 3_000, ..ProofOptions::default() };
        let proved = cell.prove_all(&all, &options);
        let always: Vec<bool> = proved.iter().map(|found| found.meeting.is_always()).collect();
        assert_eq!(cell.prove_always(&all, &options), always);
        let mut checker = cell.checker();
        let mut draw = Draw(11);
        let states: Vec<Vec<f64>> = (0..300).map(|_| draw.state(&robot)).collect();
        for found in &proved {
            assert_eq!(found.meeting, cell.prove(found.pair, &options).meeting, "threads change nothing");
            let mut overlaps = |values: &[f64]| checker.pair_overlap(values, found.pair).unwrap();
            let kind = match &found.meeting {
                Reachability::Never { .. } => {
                    assert!(states.iter().all(|values| overlaps(values) == Overlap::Free));
                    0
                }
                Reachability::Always { .. } => {
                    assert!(states.iter().all(|values| overlaps(values) == Overlap::Hit));
                    1
                }
                Reachability::Possible { witness } => {
                    assert!(robot.check_limits(witness).is_ok());
                    assert_eq!(overlaps(witness), Overlap::Hit);
                    2
                }
                Reachability::Undecided => 3,
            };
            counts[kind] += 1;
        }
        let stop = std::sync::atomic::AtomicBool::new(true);
        let stopped = ProofOptions { stop: Some(&stop), ..options };
        let moves =
            cell.pairs().iter().position(|pair| pair.rule == PairRule::Checked { margin: 0.0 }).unwrap();
        assert_eq!(cell.prove(moves, &stopped).meeting, Reachability::Undecided);
    }
    assert!(counts[..3].iter().all(|&count| count > 0), "never, always, can, undecided: {counts:?}");
}
