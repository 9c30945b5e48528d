//! First contact of moving bodies, and the smallest clearance where there is none.

use glam::DVec3;
use noli::motion::{RigidMotion, Still};
use noli::{Convex, Impact, Mesh, Model, Pose, closest_approach, time_of_impact};
use std::f64::consts::PI;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A blade turns through a whole turn past a peg.
    let blade = Model::new(Mesh::cuboid(DVec3::new(2.0, 0.1, 0.1))?)?;
    let turn = RigidMotion::with_velocities(&Pose::IDENTITY, DVec3::ZERO, DVec3::Z * 2.0 * PI, DVec3::ZERO);
    let peg = Model::new(Convex::cylinder(1.0, 0.05)?)?;
    for x in [0.9, 1.2] {
        let stand = Still(Pose::from_translation(DVec3::new(0.0, x, 0.0)));
        let (blade, peg) = (blade.moving(&turn), peg.moving(&stand));
        match time_of_impact(&blade, &peg) {
            Impact::At { time, touch } => {
                println!("peg at {x}: free until {}, in contact by {}", time.safe_until, time.touching_by);
                println!("  normal {:?}, proven: {}", touch.normal, touch.proven);
            }
            Impact::Free => {
                let nearest = closest_approach(&blade, &peg);
                let distance = nearest.clearance.distance;
                println!("peg at {x}: free; clearance {} to {} at time {}", distance.at_least, distance.at_most, nearest.time);
            }
            other => println!("peg at {x}: {other:?}"),
        }
    }
    Ok(())
}
