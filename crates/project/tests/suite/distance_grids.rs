//! Distance grids from files as obstacles of robots: never a miss, and unknown where the samples do not decide.

use glam::{DVec3, dvec3};
use noli::{Convex, Model, Pose};
use noli_project::{CloudOptions, TakeAs, load_obstacles};
use noli_robot::Robot;
use noli_robot::cell::{CellBuilder, MotionStatus, StateStatus};
use noli_testing::{Folder, Random};
use std::path::PathBuf;
use std::sync::Arc;

/// An NPY file of format 1, the last index fastest.
fn npy(shape: &str, values: &[f32]) -> Vec<u8> {
    let mut header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}");
    while !(header.len() + 11).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    bytes
}

/// A sphere of radius 0.4 at the origin, as a grid of 24 cells along each axis.
fn write_grid(folder: &Folder, description: &str) -> PathBuf {
    let center = |k: usize| 0.05 * k as f64 - 0.575;
    let value =
        |k: usize| (dvec3(center(k / 576), center(k / 24 % 24), center(k % 24)).length() - 0.4) as f32;
    let values: Vec<f32> = (0..24 * 24 * 24).map(value).collect();
    folder.file("esdf.npy", npy("(24, 24, 24)", &values));
    folder.file("grid.json", description).into()
}

const DESCRIPTION: &str =
    r#"{ "distances": "esdf.npy", "voxel_size": 0.05, "origin": [-0.575, -0.575, -0.575], "error": 1e-6 }"#;

/// A small sphere on three slides.
fn robot() -> Arc<Robot> {
    let slide = |name: &str, parent: &str, child: &str, axis: &str| {
        format!(
            r#"<joint name="{name}" type="prismatic"><parent link="{parent}"/><child link="{child}"/><axis xyz="{axis}"/>
            <limit lower="-2" upper="2" effort="1" velocity="1"/></joint>"#
        )
    };
    let urdf = format!(
        r#"<robot name="sphere"><link name="base"/><link name="a"/><link name="b"/><link name="tip"><collision><geometry>
        <sphere radius="0.05"/></geometry></collision></link>{}{}{}</robot>"#,
        slide("x", "base", "a", "1 0 0"),
        slide("y", "a", "b", "0 1 0"),
        slide("z", "b", "tip", "0 0 1")
    );
    Arc::new(Robot::from_urdf_str(&urdf).unwrap())
}

#[test]
fn robots_never_miss_the_shape_behind_a_grid() {
    let folder = Folder::new("distance_grids");
    let path = write_grid(&folder, DESCRIPTION);
    let (found, warnings) = load_obstacles(&[path], TakeAs::Auto, &CloudOptions::default()).unwrap();
    assert!(warnings[0].contains("undecided cells"), "{warnings:?}");
    let robot = robot();
    let shapes = robot.shapes(|file| Err(file.to_owned())).unwrap();
    let build = |add: &dyn Fn(&mut CellBuilder)| {
        let mut plan = CellBuilder::default();
        plan.add_robot("", robot.clone(), Pose::IDENTITY, &shapes).unwrap();
        add(&mut plan);
        plan.build()
    };
    let grid = build(&|plan| {
        let _ = found[0].add_to(plan).unwrap();
    });
    let sphere = Model::new(Convex::sphere(0.4).unwrap()).unwrap();
    let exact = build(&|plan| {
        let _ = plan.add_obstacle("sphere", &sphere, Pose::IDENTITY).unwrap();
    });
    let (mut of_grid, mut of_shape) = (grid.checker(), exact.checker());
    let mut random = Random::new(39);
    let mut counts = [0; 3];
    for _ in 0..300 {
        let place = 0.7 * dvec3(random.real(), random.real(), random.real());
        let state = place.to_array();
        let hit = matches!(of_shape.check_state(&state).unwrap(), StateStatus::Hit(_));
        match of_grid.check_state(&state).unwrap() {
            StateStatus::Free => {
                assert!(!hit, "{place} is missed");
                counts[0] += 1;
            }
            StateStatus::Hit(_) => {
                assert!(hit, "{place} is a false alarm");
                counts[1] += 1;
            }
            StateStatus::Unknown(_) => counts[2] += 1,
        }
        let [bracket, true_one] =
            [&mut of_grid, &mut of_shape].map(|of| of.clearance(&state).unwrap().clearance);
        assert!(bracket.at_least <= true_one.at_most + 1e-12 && true_one.at_least <= bracket.at_most + 1e-12);
        let to = (place + 0.2 * DVec3::X).to_array();
        if of_grid.check_motion(&state, &to).unwrap() == MotionStatus::Free {
            assert_eq!(of_shape.check_motion(&state, &to).unwrap(), MotionStatus::Free);
        }
    }
    assert!(counts[0] > 100 && counts[1] > 30 && counts[2] > 20, "free, hit, unknown: {counts:?}");
}

#[test]
fn bad_grids_are_errors_with_the_file() {
    let folder = Folder::new("bad_distance_grids");
    let error = |description: &str| {
        let path = write_grid(&folder, description);
        load_obstacles(&[path], TakeAs::Auto, &CloudOptions::default()).unwrap_err().to_string()
    };
    let steep = error(&DESCRIPTION.replace("0.05,", "0.01,"));
    assert!(steep.contains("grid.json") && steep.contains("ESDF"), "{steep}");
    let misspelt = error(&DESCRIPTION.replace("\"error\"", "\"eror\""));
    assert!(misspelt.contains("eror"), "{misspelt}");
    let missing = error(&DESCRIPTION.replace("esdf.npy", "other.npy"));
    assert!(missing.contains("other.npy"), "{missing}");
    folder.file("flat.npy", npy("(2, 3)", &[0.0; 6]));
    let flat = error(&DESCRIPTION.replace("esdf.npy", "flat.npy"));
    assert!(flat.contains("flat.npy") && flat.contains("(x, y, z)"), "{flat}");
    folder.file("short.npy", npy("(24, 24, 24)", &[0.0; 6]));
    let short = error(&DESCRIPTION.replace("esdf.npy", "short.npy"));
    assert!(short.contains("short.npy") && short.contains("promises"), "{short}");
}
