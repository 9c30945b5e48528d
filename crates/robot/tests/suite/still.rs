//! Robots without a moving joint: every question about a cell has an answer.

use crate::support::{Configurations, Random};
use glam::DVec3;
use noli::{Convex, Impact, Model, Pose};
use noli_robot::cell::{Cell, CellBuilder, MotionStatus, ProofOptions, StateStatus};
use noli_robot::{JointTable, PumaSet, Robot, puma560};
use std::sync::Arc;

const ONE: &str = "<robot name=\"a\"><link name=\"a\"><collision><geometry><box size=\"1 1 1\"/></geometry></collision>\
    </link></robot>";

/// A robot and a sphere; pairs of `asked` links with it are checked although nothing moves between them.
fn with_obstacle(text: &str, at: DVec3, asked: &[&str]) -> Cell {
    let robot = Arc::new(Robot::from_urdf_str(text).unwrap());
    let shapes = robot.shapes(|file| Err(file.to_owned())).unwrap();
    let mut plan = CellBuilder::default();
    plan.add_robot("", robot, Pose::IDENTITY, &shapes).unwrap();
    let sphere = Model::new(Convex::sphere(0.5).unwrap()).unwrap();
    plan.add_obstacle("sphere", &sphere, Pose::from_translation(at)).unwrap();
    asked.iter().for_each(|link| plan.margin(link, "sphere", 0.0).unwrap());
    plan.build()
}

#[test]
fn one_link_has_one_configuration() {
    for (x, hit) in [(0.9, true), (1.5, false)] {
        let cell = with_obstacle(ONE, DVec3::X * x, &["a"]);
        assert_eq!(cell.value_count(), 0);
        let mut checker = cell.checker();
        let is_hit = |status: StateStatus| matches!(status, StateStatus::Hit(_));
        assert_eq!(is_hit(checker.check_state(&[]).unwrap()), hit);
        let mut all = Vec::new();
        checker.check_states(&[], &mut all).unwrap();
        assert_eq!(all.iter().map(|status| is_hit(*status)).collect::<Vec<_>>(), [hit]);
        assert_eq!(cell.check_states(&[]).unwrap(), all);
        assert_eq!(checker.any_in_collision(&[]).unwrap(), hit.then_some(0));
        let mut pairs = Vec::new();
        checker.colliding_pairs(&[], &mut pairs).unwrap();
        assert_eq!(pairs.len(), usize::from(hit));
        let clearance = checker.clearance(&[]).unwrap().clearance;
        assert_eq!(clearance.at_most > 0.0, !hit);
        assert_eq!(checker.check_motion(&[], &[]).unwrap() == MotionStatus::Free, !hit);
        assert_eq!(matches!(checker.first_contact_on_edge(&[], &[]).unwrap(), Impact::Free), !hit);
        let proof = cell.prove(0, &ProofOptions::default()).meeting;
        assert!(if hit { proof.is_always() } else { proof.is_never() });
        cell.prepare();
        assert_eq!(is_hit(checker.check_state(&[]).unwrap()), hit);
        assert!(cell.check_states(&[1.0]).is_err() && checker.check_states(&[1.0], &mut all).is_err());
    }
}

#[test]
fn links_on_fixed_joints_are_one_body() {
    let text = "<robot name=\"a\"><link name=\"a\"><collision><geometry><box size=\"1 1 1\"/></geometry></collision></link>\
        <link name=\"b\"><collision><geometry><sphere radius=\"0.5\"/></geometry></collision></link><link name=\"c\"/>\
        <joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/><origin xyz=\"2 0 0\"/></joint>\
        <joint name=\"k\" type=\"fixed\"><parent link=\"b\"/><child link=\"c\"/></joint></robot>";
    let cell = with_obstacle(text, DVec3::X * 2.9, &["a", "b"]);
    let StateStatus::Hit(pair) = cell.checker().check_state(&[]).unwrap() else { panic!("they overlap") };
    assert_eq!(cell.pair_names(pair), ["b", "sphere"]);
    assert_eq!(cell.body_pairs().len(), 2);
}

#[test]
fn any_table_is_one_of_configurations() {
    let robot = Robot::from_urdf_str(ONE).unwrap();
    let table = JointTable::from_csv_str("note\nfirst\nsecond\n", &robot).unwrap();
    assert_eq!((table.rows, table.ignored_columns), (vec![vec![]; 2], vec!["note".to_owned()]));
}

/// A checker that goes on with kept memory answers as a new one; memory of another cell is of no use and no harm.
#[test]
fn kept_memory_changes_no_answer() {
    let text = "<robot name=\"r\"><link name=\"a\"><collision><geometry><box size=\"1 1 1\"/></geometry></collision></link>\
        <link name=\"b\"><collision><origin xyz=\"1 0 0\"/><geometry><box size=\"0.4 0.4 0.4\"/></geometry></collision>\
        </link><joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/><axis xyz=\"0 0 1\"/></joint></robot>";
    let cells = [1.3, 0.0].map(|y| with_obstacle(text, DVec3::new(0.0, y, 0.0), &[]));
    let mut random = Random::new(3);
    let mut kept = None;
    for k in 0..2000 {
        let cell = &cells[usize::from(k % 7 == 0)];
        let values = [random.between(-4.0, 4.0)];
        let mut checker = match kept.take() {
            Some(memory) => cell.checker_with(memory),
            None => cell.checker(),
        };
        assert_eq!(checker.check_state(&values), cell.checker().check_state(&values));
        kept = Some(checker.into_memory());
    }
}

/// The bundled arm, past the number of queries from which on there are tables.
#[test]
fn a_verdict_of_spheres_is_that_of_the_exact_check() {
    let robot = Arc::new(puma560(PumaSet::FuGonzalezLee));
    let shapes = robot.shapes(|file| Err(file.to_owned())).unwrap();
    let mut plan = CellBuilder::default();
    plan.add_robot("", robot.clone(), Pose::IDENTITY, &shapes).unwrap();
    for (a, b) in [("link2", "link4"), ("link4", "link6")] {
        plan.disable(a, b, "always in collision").unwrap();
    }
    let sphere = Model::new(Convex::sphere(0.2).unwrap()).unwrap();
    plan.add_obstacle("sphere", &sphere, Pose::from_translation(DVec3::new(0.5, 0.3, 0.2))).unwrap();
    let cell = plan.build();
    let (mut quick, mut whole) = (cell.checker(), cell.checker());
    let mut random = Random::new(40);
    let mut decided = [0; 2];
    for _ in 0..6000 {
        let values = random.configuration(&robot);
        let exact = whole.check_state(&values).unwrap();
        let is_hit = matches!(exact, StateStatus::Hit(_));
        match quick.try_check_state(&values).unwrap() {
            Some(status) => {
                assert_eq!(matches!(status, StateStatus::Hit(_)), is_hit, "{values:?}");
                decided[usize::from(is_hit)] += 1;
            }
            None => assert_eq!(matches!(quick.check_state(&values).unwrap(), StateStatus::Hit(_)), is_hit),
        }
    }
    assert!(decided.iter().all(|count| *count > 500), "{decided:?}");
    assert_eq!(quick.exact_query_count() > 0, whole.exact_query_count() > 0);
    assert!(quick.try_check_state(&[0.0]).is_err());
}

/// Pairs are listed without models, and a long chain takes no time that grows with the cube of its length.
#[test]
fn rules_of_a_long_chain_need_no_model() {
    let shape = "<collision><geometry><box size=\"0.1 0.1 0.1\"/></geometry></collision>";
    let mut text = format!("<robot name=\"r\"><link name=\"0\">{shape}</link>");
    for i in 0..600 {
        text += &format!("<link name=\"{}\">{shape}</link>", i + 1);
        let ends = format!("<parent link=\"{i}\"/><child link=\"{}\"/>", i + 1);
        text += &format!("<joint name=\"{i}\" type=\"continuous\">{ends}<origin xyz=\"0 0 1\"/></joint>");
    }
    let robot = Arc::new(Robot::from_urdf_str(&(text + "</robot>")).unwrap());
    let shapes = robot.shapes(|file| Err(file.to_owned())).unwrap();
    let mut plan = CellBuilder::default();
    plan.add_robot("", robot, Pose::IDENTITY, &shapes).unwrap();
    let begun = std::time::Instant::now();
    assert_eq!((plan.parts().len(), plan.pairs().len()), (601, 601 * 600 / 2));
    assert!(begun.elapsed().as_secs_f64() < 5.0, "{:?}", begun.elapsed());
}
