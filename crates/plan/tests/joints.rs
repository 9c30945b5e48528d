//! Ways of robots: proven, looked at again, never worse for more effort, the same on any number of threads.

use glam::{DVec3, dvec3};
use noli::{Convex, Model, Overlap, Pose, overlap};
use noli_plan::{Effort, JointOptions, JointOutcome, JointPath, JointPlanError, plan_joints};
use noli_robot::Robot;
use noli_robot::cell::{Cell, CellBuilder, MotionStatus, PairRule};
use std::sync::Arc;

/// Three bars of 0.3 in a row that turn in one plane.
fn urdf() -> String {
    let mut text = String::from("<robot name=\"chain\"><link name=\"base\"/>");
    for (k, parent) in ["base", "bar0", "bar1"].into_iter().enumerate() {
        let at = if k == 0 { 0.0 } else { 0.3 };
        text += &format!(
            "<link name=\"bar{k}\"><collision><origin xyz=\"0.15 0 0\"/><geometry><box size=\"0.28 0.04 0.04\"/></geometry>\
             </collision></link><joint name=\"turn{k}\" type=\"revolute\"><parent link=\"{parent}\"/><child link=\"bar{k}\"/>\
             <origin xyz=\"{at} 0 0\"/><axis xyz=\"0 0 1\"/><limit lower=\"-2.9\" upper=\"2.9\" velocity=\"1\" effort=\"1\"/></joint>"
        );
    }
    text + "</robot>"
}

/// The chain among posts: sizes and places.
fn cell(posts: &[(DVec3, DVec3)]) -> Cell {
    let robot = Arc::new(Robot::from_urdf_str(&urdf()).unwrap());
    let shapes = robot.shapes(|file| Err(file.to_owned())).unwrap();
    let mut plan = CellBuilder::default();
    plan.add_robot("", robot, Pose::IDENTITY, &shapes).unwrap();
    for (number, (size, at)) in posts.iter().enumerate() {
        let post = Model::new(Convex::cuboid(*size).unwrap()).unwrap();
        plan.add_obstacle(&format!("post{number}"), &post, Pose::from_translation(*at)).unwrap();
    }
    plan.build()
}

const POST: (DVec3, DVec3) = (dvec3(0.05, 0.05, 1.0), dvec3(0.5, 0.0, 0.0));
const FROM: [f64; 3] = [-0.9, 0.0, 0.0];
const TO: [f64; 3] = [0.9, 0.0, 0.0];

fn planned(cell: &Cell, shorten: u64, seed: u64) -> Result<JointOutcome, JointPlanError> {
    let effort = Effort { seed, searches: 2, steps: 20_000, ..Effort::default() };
    plan_joints(cell, &FROM, &TO, &[0, 1, 2], &JointOptions { effort, shorten, ..JointOptions::default() })
}

fn path(cell: &Cell, shorten: u64, seed: u64) -> JointPath {
    planned(cell, shorten, seed).unwrap().path.expect("around the post")
}

/// By another road than the proof: every pair of shapes by itself, at poses from the kinematics in double precision.
fn assert_free_at(cell: &Cell, path: &JointPath, count: u32) {
    let shapes: Vec<_> = cell.shapes().collect();
    for pair in path.configurations.windows(2) {
        for k in 0..=count {
            let share = f64::from(k) / f64::from(count);
            let values: Vec<f64> = pair[0].iter().zip(&pair[1]).map(|(a, b)| a + (b - a) * share).collect();
            let poses = cell.shape_poses(&values).unwrap();
            for asked in cell.pairs().iter().filter(|pair| matches!(pair.rule, PairRule::Checked { .. })) {
                let of = |part: usize| (0..shapes.len()).filter(|&k| shapes[k].0 == part).collect::<Vec<_>>();
                for &a in &of(asked.parts[0]) {
                    for &b in &of(asked.parts[1]) {
                        let verdict = overlap(&shapes[a].1.at(poses[a]), &shapes[b].1.at(poses[b]));
                        assert_eq!(verdict, Overlap::Free, "{:?} at {values:?}", asked.parts);
                    }
                }
            }
        }
    }
}

fn is_proven(cell: &Cell, path: &JointPath) -> bool {
    let mut checker = cell.checker();
    path.configurations
        .windows(2)
        .all(|pair| checker.check_motion(&pair[0], &pair[1]) == Ok(MotionStatus::Free))
}

#[test]
fn a_way_leads_around_a_post_and_is_free_everywhere() {
    let cell = cell(&[POST]);
    assert_ne!(cell.checker().check_motion(&FROM, &TO), Ok(MotionStatus::Free), "straight on is the post");
    let path = path(&cell, 80, 1);
    assert_eq!((&path.configurations[0][..], &path.configurations.last().unwrap()[..]), (&FROM[..], &TO[..]));
    let bars: f64 = path
        .configurations
        .windows(2)
        .map(|w| w[0].iter().zip(&w[1]).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt())
        .sum();
    assert!((path.cost - bars).abs() < 1e-12 && bars > 1.8, "{bars}");
    assert!(is_proven(&cell, &path));
    assert_free_at(&cell, &path, 2_000);
}

#[test]
fn more_effort_is_never_worse_and_threads_change_nothing() {
    let cell = cell(&[POST]);
    for seed in 1..=4 {
        let costs = [0, 80, 160, 320].map(|shorten| path(&cell, shorten, seed).cost);
        assert!(costs.windows(2).all(|pair| pair[1] <= pair[0]), "seed {seed}: {costs:?}");
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| planned(&cell, 80, seed).unwrap())
        };
        assert_eq!(on(1), on(2), "seed {seed}");
    }
}

/// Stopped at any moment, what there is is proven and no worse than what there was before.
#[test]
fn stopping_later_never_gives_a_longer_way() {
    use std::sync::atomic::{AtomicU64, Ordering};
    let cell = cell(&[POST]);
    let mut last = f64::INFINITY;
    for most in [200, 2_000, 20_000, 2_000_000] {
        let asked = AtomicU64::new(0);
        let stop = || asked.fetch_add(1, Ordering::Relaxed) >= most;
        let effort = Effort { seed: 3, searches: 1, steps: 20_000, stop: &stop };
        let options = JointOptions { effort, shorten: 400, ..JointOptions::default() };
        let found = plan_joints(&cell, &FROM, &TO, &[0, 1, 2], &options).unwrap().path;
        assert!(found.is_some() || last == f64::INFINITY, "what was found is not lost");
        if let Some(path) = found {
            assert!(path.cost <= last && is_proven(&cell, &path), "{} after {last}", path.cost);
            last = path.cost;
        }
    }
    assert!(last.is_finite());
}

/// A pin of a tenth of a millimetre where the last bar passes: the way is refuted, and another one leads past it.
#[test]
fn a_planted_pin_refutes_a_path() {
    let free = cell(&[POST]);
    let path = path(&free, 80, 1);
    let [a, b] = [&path.configurations[0], &path.configurations[1]];
    let middle: Vec<f64> = a.iter().zip(b).map(|(a, b)| 0.5 * (a + b)).collect();
    let last = free.shapes().count() - 2;
    let tip = free.shape_poses(&middle).unwrap()[last].transform_point(dvec3(0.139, 0.019, 0.0));
    let pinned = cell(&[POST, (dvec3(1e-4, 1e-4, 0.2), tip)]);
    assert!(is_proven(&free, &path) && !is_proven(&pinned, &path));
    if let Some(other) = planned(&pinned, 80, 1).unwrap().path {
        assert!(other != path && is_proven(&pinned, &other));
        assert_free_at(&pinned, &other, 200);
    }
}

#[test]
fn an_end_that_is_not_free_is_named() {
    let cell = cell(&[POST, (dvec3(0.05, 0.05, 1.0), dvec3(0.5 * 0.9f64.cos(), 0.5 * 0.9f64.sin(), 0.0))]);
    let error = planned(&cell, 0, 1).unwrap_err();
    assert!(
        matches!(&error, JointPlanError::NotFree { end: "goal", pair } if pair.contains(&"post1".to_owned())),
        "{error}"
    );
}

/// A two-joint arm with a reach of 3.9 m before a wall 10 mm thick: the samples of a search step through it.
fn long_arm() -> Cell {
    let link = |name: &str, x: f64, length: f64| {
        format!(
            "<link name=\"{name}\"><collision><origin xyz=\"{x} 0 0\"/><geometry><box size=\"{length} 0.02 0.1\"/></geometry>\
             </collision></link>"
        )
    };
    let joint = |name: &str, parent: &str, child: &str, at: f64| {
        format!(
            "<joint name=\"{name}\" type=\"revolute\"><parent link=\"{parent}\"/><child link=\"{child}\"/>\
             <origin xyz=\"{at} 0 0\"/><axis xyz=\"0 0 1\"/><limit lower=\"-3\" upper=\"3\" velocity=\"1\" effort=\"1\"/></joint>"
        )
    };
    let text = format!(
        "<robot name=\"long\"><link name=\"base\"/>{}{}{}{}</robot>",
        link("upper", 2.0, 0.6),
        link("lower", 0.5, 0.8),
        joint("shoulder", "base", "upper", 0.0),
        joint("elbow", "upper", "lower", 3.0)
    );
    let robot = Arc::new(Robot::from_urdf_str(&text).unwrap());
    let shapes = robot.shapes(|file| Err(file.to_owned())).unwrap();
    let mut plan = CellBuilder::default();
    plan.add_robot("", robot, Pose::IDENTITY, &shapes).unwrap();
    let wall = Model::new(Convex::cuboid(dvec3(0.5, 0.01, 1.0)).unwrap()).unwrap();
    plan.add_obstacle("wall", &wall, Pose::from_translation(dvec3(3.5, 1.2, 0.0))).unwrap();
    plan.build()
}

#[test]
fn a_thin_wall_at_a_long_reach_is_passed() {
    let cell = long_arm();
    for seed in 1..=20 {
        let effort = Effort { seed, searches: 1, steps: 2_000, ..Effort::default() };
        let options = JointOptions { effort, ..JointOptions::default() };
        let found = plan_joints(&cell, &[-0.8, 0.0], &[0.8, 0.0], &[0, 1], &options).unwrap();
        let path = found.path.unwrap_or_else(|| panic!("seed {seed}: none after {} edges", found.steps));
        assert!(is_proven(&cell, &path), "seed {seed}");
        assert_free_at(&cell, &path, 500);
    }
}
