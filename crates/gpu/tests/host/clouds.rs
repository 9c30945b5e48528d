//! Point clouds among the obstacles: the verdict of every stage on links and clouds against the CPU's.

use super::robots::{panda, states};
use super::stages::{Asked, ask, compare, compare_edges};
use glam::{DQuat, DVec3, dvec3};
use noli::{Mesh, Model, PointCloud, Pose};
use noli_gpu::StateSource;
use noli_robot::Robot;
use noli_robot::cell::{Cell, CellBuilder};
use noli_scenes::SplitMix64;
use std::sync::Arc;

/// Three links of rough stones, one behind the other.
const ARM: &str = r#"<robot name="stones">
  <link name="base"/>
  <link name="one"><collision><geometry><mesh filename="stone"/></geometry></collision></link>
  <link name="two"><collision><geometry><mesh filename="stone"/></geometry></collision></link>
  <link name="three"><collision><geometry><mesh filename="stone"/></geometry></collision></link>
  <joint name="a" type="continuous"><parent link="base"/><child link="one"/><axis xyz="0 0 1"/>
    <origin xyz="0.3 0 0.2"/></joint>
  <joint name="b" type="continuous"><parent link="one"/><child link="two"/><axis xyz="0 1 0"/>
    <origin xyz="0.4 0 0"/></joint>
  <joint name="c" type="continuous"><parent link="two"/><child link="three"/><axis xyz="1 0 0"/>
    <origin xyz="0.4 0.1 0"/></joint>
</robot>"#;

fn points(random: &mut SplitMix64, count: usize, side: f64) -> Vec<DVec3> {
    let mut share = || (random.next_u64() >> 11) as f64 * 0.5f64.powi(53) - 0.5;
    (0..count).map(|_| side * dvec3(share(), share(), share())).collect()
}

/// The arm among points with a radius or with several, of solids or of surfaces.
fn stones(count: usize, radius: f64, [is_solid, differ]: [bool; 2]) -> Cell {
    let robot = Arc::new(Robot::from_urdf_str(ARM).expect("sound"));
    let rough = noli_scenes::bumpy_sphere(10, 0.3);
    let vertices = rough.vertices.iter().map(|p| *p * 0.15).collect();
    let mesh = Mesh::from_triangles(vertices, rough.triangles, &noli_geom::MeshOptions::default());
    let mesh = mesh.expect("sound");
    let mesh = if is_solid { mesh.into_solid() } else { mesh };
    let shapes = robot.shapes(|_| Ok::<_, String>(mesh.clone())).expect("a mesh");
    let mut plan = CellBuilder::default();
    plan.add_robot("", robot, Pose::IDENTITY, &shapes).expect("sound");
    let cloud = PointCloud::new(points(&mut SplitMix64::new(4), count, 2.6), radius).expect("sound");
    let cloud = if differ {
        cloud.with_radii((0..count).map(|k| radius / (1 + k % 3) as f64).collect())
    } else {
        Ok(cloud)
    };
    let cloud = cloud.expect("as many");
    let place = Pose::new(DQuat::from_xyzw(0.1, 0.3, -0.2, 1.0), dvec3(0.1, 0.2, 0.1));
    plan.add_obstacle("cloud", &Model::new(cloud).expect("sound"), place).expect("a new name");
    plan.margin("two", "cloud", 0.01).expect("names of the cell");
    plan.build()
}

#[test]
fn every_stage_gives_the_verdict_of_the_cpu_among_points() {
    let mut decided_by_faces = 0;
    let cases = [
        (40, 0.0, [true, false]),
        (150, 0.01, [true, false]),
        (150, 0.02, [false, false]),
        (150, 0.02, [true, true]),
        (9000, 1e-4, [true, false]),
    ];
    for (count, radius, kind) in cases {
        let cell = stones(count, radius, kind);
        let rows = states(&cell, &mut SplitMix64::new(31), 400);
        let Some(found) = ask(&cell, 400, &Asked::Rows(&rows)) else { return };
        let decided = compare(&cell, &found);
        decided_by_faces += decided[4];
        // Points without a radius may be on a face, and of several radii only the least is certain.
        assert!(decided[5] * 4 < found.len(), "{count} points: {decided:?}");
    }
    assert!(decided_by_faces > 200, "{decided_by_faces}");
}

#[test]
fn edges_among_points_are_as_the_cpu_has_them() {
    let cell = stones(60, 0.01, [true, false]);
    let Some([free, blocked, open]) = compare_edges(&cell, 120, 0.05) else { return };
    assert!(free > 10 && blocked > 10 && 4 * open < 120, "{free} {blocked} {open}");
}

#[test]
fn a_panda_among_points_is_as_the_cpu_has_it() {
    let Some(mut plan) = panda() else { return };
    let cloud = PointCloud::new(points(&mut SplitMix64::new(6), 3000, 1.8), 0.01).expect("sound");
    plan.add_obstacle(
        "cloud",
        &Model::new(cloud).expect("sound"),
        Pose::from_translation(dvec3(0.3, 0.0, 0.5)),
    )
    .expect("new");
    let cell = plan.build();
    let source = StateSource::new(&cell, 5);
    let Some(found) = ask(&cell, 300, &Asked::Drawn(&source, 0)) else { return };
    let decided = compare(&cell, &found);
    assert!(decided[4] > 20 && decided[5] < 40, "{decided:?}");
}
