//! Random motions for tests and campaigns.

use crate::SplitMix64;
use noli_geom::{Pose, RigidMotion};

/// A motion of one of the kinds there are, that starts 1.5 to 3.5 from the origin and is aimed near it; it
/// turns by up to `fastest` radians.
pub fn random_motion(random: &mut SplitMix64, fastest: f64) -> RigidMotion {
    let start = Pose::new(random.rotation(), random.direction() * (1.5 + 2.0 * random.unit()));
    let aim = random.direction() * (1.2 * random.unit());
    let pivot = random.direction() * random.unit();
    let turn = random.direction() * (fastest * random.unit());
    match (4.0 * random.unit()) as u32 {
        0 => RigidMotion::between(&start, &Pose::new(random.rotation(), aim), pivot),
        1 => RigidMotion::nlerp_between(&start, &Pose::new(random.rotation(), aim), pivot),
        2 => RigidMotion::screw(&start, aim, turn, turn.length(), random.unit() - 0.5),
        _ => RigidMotion::with_velocities(&start, 2.0 * (aim - start.translation), turn, pivot),
    }
}
