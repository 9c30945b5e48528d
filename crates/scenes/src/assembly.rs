//! A small machine with a bit of everything: what `noli check --demo` looks at.

use crate::{TriangleSet, cuboid, cylinder, torus, uv_sphere};
use glam::DVec3;
use noli_geom::Pose;

/// A body of a generated scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// What it is called.
    pub name: &'static str,
    /// Its surface, closed, in its own frame.
    pub mesh: TriangleSet,
    /// Where it stands.
    pub world_from_self: Pose,
}

/// Parts of a fixture, in millimetres: the pin pierces the bracket, the post stands on the plate (and
/// the block too), a screw is lost inside the block, the shaft passes the ring with 0.2 to spare, the
/// cover hangs 0.5 above the post and the ball lies far from everything.
///
/// All coordinates of the plate, the post and the block are small integers, so the two contacts are exact.
pub fn assembly() -> Vec<Part> {
    let part = |name, mesh, x: f64, y: f64, z: f64| Part {
        name,
        mesh,
        world_from_self: Pose::from_translation(DVec3::new(x, y, z)),
    };
    vec![
        part("plate", cuboid(DVec3::new(60.0, 40.0, 4.0)), 0.0, 0.0, -4.0),
        part("post", cuboid(DVec3::new(6.0, 6.0, 20.0)), -40.0, 20.0, 20.0),
        part("block", cuboid(DVec3::new(12.0, 12.0, 12.0)), 36.0, 16.0, 12.0),
        part("screw", cylinder(2.0, 6.0, 24), 36.0, 16.0, 12.0),
        part("bracket", cuboid(DVec3::new(3.0, 10.0, 8.0)), -10.0, -20.0, 12.0),
        part("pin", cylinder(2.5, 14.0, 48), -10.0, -20.0, 22.0),
        part("ring", torus(8.0, 2.0, 96, 48), 10.0, -20.0, 12.0),
        part("shaft", cylinder(5.8, 11.0, 96), 10.0, -20.0, 12.0),
        part("cover", cuboid(DVec3::new(20.0, 16.0, 1.0)), -36.0, 20.0, 41.5),
        part("ball", uv_sphere(32, 64).map_vertices(|v| v * 5.0), 80.0, 60.0, 30.0),
    ]
}
