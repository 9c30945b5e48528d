//! Joint curves of published robots with their meshes: verdicts against states that are tested one by one.

use noli::{Convex, Model, Pose};
use noli_project::{RobotOptions, load_robot, load_srdf};
use noli_robot::JointCurve;
use noli_robot::cell::{CellBuilder, MotionStatus, StateStatus};
use noli_testing::{Random, data};

const CURVES: usize = 150;
const SAMPLES: usize = 200;

#[test]
fn verdicts_on_curves_of_meshes_are_those_of_samples() {
    let Some(folder) = data("robots") else { return };
    let panda = "moveit_resources_panda_description";
    for (file, srdf) in [
        (format!("{panda}/urdf/panda.urdf"), Some(format!("{panda}/srdf/panda.srdf"))),
        ("puma560_description/urdf/puma560_robot.urdf".to_owned(), None),
        ("ur5_robotiq85/ur5.urdf".to_owned(), Some("ur5_robotiq85/ur5.srdf".to_owned())),
    ] {
        let options = RobotOptions { visual: true, ..RobotOptions::default() };
        let loaded = load_robot(folder.join(&file), &options).unwrap();
        let srdf = srdf.map(|srdf| load_srdf(folder.join(srdf), &loaded.robot).unwrap());
        let mut plan = CellBuilder::default();
        loaded.add_to(&mut plan, "", Pose::IDENTITY, srdf.as_ref()).unwrap();
        let mut random = Random::new(41);
        let sphere = Model::new(Convex::sphere(0.07).unwrap()).unwrap();
        for k in 0..4 {
            let place = Pose::from_translation(random.in_sphere() * 0.6 + glam::dvec3(0.0, 0.0, 0.5));
            plan.add_obstacle(&format!("sphere{k}"), &sphere, place).unwrap();
        }
        let cell = plan.build();
        let (mut checker, variables) = (cell.checker(), loaded.robot.variables());
        let mut counts = [0usize; 3];
        for _ in 0..CURVES {
            let mut draw = |share: f64| -> Vec<f64> {
                let mut values: Vec<f64> = variables
                    .iter()
                    .map(|variable| {
                        let [low, high] = variable.limits.range.unwrap_or([-3.0, 3.0]);
                        0.5 * (low + high) + share * 0.5 * (high - low) * random.real()
                    })
                    .collect();
                loaded.robot.apply_laws(&mut values);
                values
            };
            let base = draw(0.9);
            let near: Vec<Vec<f64>> = (0..6)
                .map(|_| base.iter().zip(draw(0.9)).map(|(a, b)| a + 0.15 * (b - a)).collect())
                .collect();
            let rows: Vec<&[f64]> = near.iter().map(Vec::as_slice).collect();
            let knots = [0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 3.0, 3.0, 3.0];
            let curve = JointCurve::b_spline(3, &knots, &rows).unwrap();
            let at = |share: f64| curve.position(curve.time_at(share));
            match checker.check_curve(&curve).unwrap() {
                MotionStatus::Free => {
                    counts[0] += 1;
                    let states: Vec<f64> =
                        (0..=SAMPLES).flat_map(|k| at(k as f64 / SAMPLES as f64)).collect();
                    let mut statuses = Vec::new();
                    checker.check_states(&states, &mut statuses).unwrap();
                    assert!(statuses.iter().all(|status| *status == StateStatus::Free), "{file}");
                }
                MotionStatus::Blocked { at: share, .. } => {
                    counts[1] += 1;
                    assert!(matches!(checker.check_state(&at(share)).unwrap(), StateStatus::Hit(_)));
                }
                MotionStatus::Close { .. } => counts[2] += 1,
            }
        }
        eprintln!("{file}: free, blocked, close {counts:?}");
        assert!(counts[0] > 10 && counts[2] < 10, "{file}: {counts:?}");
    }
}
