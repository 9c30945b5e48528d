//! Bundled scenes under contact: what must come of them whatever way is taken.

use noli_formats::{ReadOptions, read_mesh};
use noli_project::{
    SimulationError, SimulationOptions, SimulationReport, SimulationSetup, Watch, simulate_contact,
    simulate_dynamics,
};
use noli_scenes::Thread;
use std::ops::ControlFlow;

fn simulated(name: &str, frames: Option<u32>) -> SimulationReport {
    let setup = SimulationSetup::demo(name, 1).unwrap();
    let watch = Watch { clock: &|| 0.0, frame: &|_| ControlFlow::Continue(()) };
    let options = SimulationOptions { frames, ..Default::default() };
    let report = simulate_contact(&setup, &options, &watch).unwrap();
    let summary = &report.summary;
    assert_eq!(summary.penetrations, 0, "{name}");
    assert!(summary.time_lost <= 1e-3, "{name}: {}", summary.time_lost);
    assert!(summary.residual_most < 1e-9, "{name}: {}", summary.residual_most);
    report
}

#[test]
fn a_plane_rolls_along_the_runway_without_tilting() {
    let report = simulated("runway", None);
    let group = &report.summary.groups[0];
    assert!(group.reached, "{group:?}");
    assert!(group.turned_deg.iter().all(|angle| angle.abs() < 1e-9), "{group:?}");
    assert!(report.summary.contacts_least >= 3);
    let plane = report.bodies.iter().position(|name| name == "plane").unwrap();
    let (mut rolling, skin) = (0, 2e-3);
    for frame in report.frames.iter().filter(|frame| frame.contacts > 0) {
        rolling += 1;
        let [x, y, z, ..] = frame.poses[plane];
        // Its wheels stand on its own z = 0; what is wanted is piecewise straight.
        let t = frame.time / report.seconds;
        let (asked_x, asked_y) = if t <= 0.2 {
            (30.0 * t, 0.0)
        } else if t <= 0.9 {
            (6.0 + 39.0 * (t - 0.2) / 0.7, 0.9 * (t - 0.2) / 0.7)
        } else {
            (45.0 + 50.0 * (t - 0.9), 0.9 + (t - 0.9))
        };
        assert!((x - asked_x).abs() < 1e-6 && (y - asked_y).abs() < 1e-6, "{t}: {x} {y}");
        assert!(z > 0.0 && z <= skin, "{z}");
    }
    assert!(rolling > 150, "{rolling}");
}

#[test]
fn a_bolt_turns_out_by_its_pitch_and_is_not_pulled_out() {
    let thread = Thread::default();
    let turned = simulated("screw", Some(80));
    let group = &turned.summary.groups[0];
    let turns = group.turned_deg[2] / 360.0;
    assert!(turns.abs() > 1.5, "{group:?}");
    let off = (group.moved[2].abs() - thread.pitch * turns.abs()).abs();
    assert!(off <= 2.0 * thread.axial_play(), "{group:?}: {off}");
    assert!(turned.summary.contacts_least >= 50, "{:?}", turned.summary);
    let pulled = simulated("screw-pull", Some(20));
    let group = &pulled.summary.groups[0];
    assert!(!group.reached && group.moved[2].abs() <= 2.0 * thread.axial_play(), "{group:?}");
}

#[test]
fn a_hesitant_hand_gets_the_bulbs_out_by_contact_alone() {
    let report = simulated("bulbs", None);
    assert_eq!(report.summary.groups.len(), 2);
    for group in &report.summary.groups {
        assert!(group.reached && group.free_without_contact < 0.5, "{group:?}");
    }
    assert!(report.frames.iter().all(|frame| frame.overlaps == 0));
    assert!(report.frames.iter().any(|frame| !frame.forces.is_empty()));
}

/// Real assemblies for a moment, as slow as they are meant and a hundred times faster; `examples/simulate.rs` does more.
#[test]
fn real_assemblies_never_penetrate() {
    let Some(folder) = noli_testing::data("cad/rigid-ipc") else { return };
    let mut mesh = |name: &str| {
        read_mesh(folder.join("meshes").join(name), &ReadOptions::default()).map_err(|e| e.to_string())
    };
    let scenes = ["chain-10-links", "bolt", "gears-single-kinematic", "092-piston"];
    for (name, speed) in
        scenes.map(|name| (name, 1.0)).into_iter().chain([(scenes[2], 100.0), (scenes[3], 100.0)])
    {
        let text = std::fs::read_to_string(folder.join(format!("scenes/{name}.json"))).unwrap();
        let setup = SimulationSetup::rigid_ipc(name, &text, 0.1, &mut mesh).unwrap();
        let options = SimulationOptions {
            speed: Some(speed),
            seconds: Some(0.1 / speed),
            frames: Some(6),
            ..Default::default()
        };
        let report = simulate_dynamics(
            &setup,
            &options,
            &Watch { clock: &|| 0.0, frame: &|_| ControlFlow::Continue(()) },
        )
        .unwrap();
        let summary = &report.summary;
        assert_eq!(summary.penetrations, 0, "{name} {speed}");
        assert!(summary.time_lost <= 1e-3, "{name} {speed}: {}", summary.time_lost);
        // What is driven is where it was to be.
        for group in &setup.groups {
            let end = report.frames.last().unwrap().poses[group.bodies[0]];
            let wanted = group.wanted.pose(1.0);
            let turn = wanted.rotation.dot(glam::DQuat::from_slice(&end[3..])).abs();
            assert!(turn > 1.0 - 1e-12, "{name} {speed}: {end:?} {wanted:?}");
        }
    }
}

#[test]
fn what_is_no_scene_of_the_collection_is_refused_in_words() {
    let mut none = |_: &str| Err("there is none".to_owned());
    for text in ["", "{}", r#"{"rigid_body_problem": {"rigid_bodies": [{"mesh": "a.obj"}]}}"#] {
        let refused = SimulationSetup::rigid_ipc("scene", text, 1.0, &mut none);
        assert!(matches!(refused, Err(SimulationError::RigidIpc(..))), "{text}");
    }
}
