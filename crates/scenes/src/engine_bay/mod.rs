//! An engine bay after Eckstein's disassembly study (dissertation, chapter 10): densely packed parts around
//! two lamps whose covers and bulbs are to be removed.
//!
//! The data of the study is lost; this is a substitute of the same kind. x points to the side, y forward, z
//! up. Two lamps face forward through the front panel; their covers and bulbs come out backward.

mod hesitant;
mod lamps;
mod lines;
mod units;

use crate::solid::{Flat, Tube, block, revolve};
use crate::{Assembly, TriangleSet};
use glam::{DQuat, DVec3};
use noli_geom::Pose;

use lamps::Covers;
pub use lamps::{Removal, engine_bay_removals};

/// The engine bay. The number of triangles grows with the square of `detail`: about 16 thousand at 1
/// (0 counts as 1), 5 million at 18.
///
/// Parts of the lamps that the removals move collide with nothing. Elsewhere there are clashes (a hose
/// through a bracket, a cable through the battery, …), parts wholly inside others, and parts that rest
/// exactly on others.
///
/// ```
/// use noli_geom::Relation;
/// let bay = noli_scenes::engine_bay(1);
/// assert_eq!(bay.expected("cable.plus", "battery.case"), Relation::Intersecting);
/// assert_eq!(bay.expected("headlight.bulb", "headlight.housing"), Relation::Separated);
/// ```
pub fn engine_bay(detail: u32) -> Assembly {
    bay("engine-bay", detail, Covers::Plain)
}

/// The engine bay with covers that have to be turned: `headlight.screw_cover` on a thread, and
/// `auxiliary.bayonet_cover` behind two lugs.
pub fn engine_bay_turned(detail: u32) -> Assembly {
    bay("engine-bay-turned", detail, Covers::Turned)
}

/// The same with what keeps both covers from coming off: `headlight.seal`, a ring of wire through an eye, and
/// `auxiliary.stop`, which leaves no room to turn.
pub fn engine_bay_sealed(detail: u32) -> Assembly {
    bay("engine-bay-sealed", detail, Covers::Sealed)
}

fn bay(name: &str, detail: u32, covers: Covers) -> Assembly {
    let mut bay = Bay { assembly: Assembly::new(name), detail: detail.max(1) };
    lamps::add(&mut bay, covers);
    units::add(&mut bay);
    lines::add(&mut bay);
    bay.assembly
}

/// Turns +z forward, +y down.
const FORWARD: DQuat = DQuat::from_xyzw(-1.0, 0.0, 0.0, 1.0);
/// Turns +y up, +z backward.
const UPRIGHT: DQuat = DQuat::from_xyzw(1.0, 0.0, 0.0, 1.0);
/// Turns x forward, y up, z sideways.
const SIDEWAYS: DQuat = DQuat::from_xyzw(1.0, 1.0, 1.0, 1.0);

/// The bay as it grows.
struct Bay {
    assembly: Assembly,
    detail: u32,
}

impl Bay {
    fn add(&mut self, name: &str, set: TriangleSet, pose: Pose) {
        self.assembly.add(name, set, pose);
    }

    /// A box between two vertices.
    fn block(&mut self, name: &str, low: [f64; 3], high: [f64; 3]) {
        let (low, high) = (DVec3::from(low), DVec3::from(high));
        let set = block(((high - low) * 0.5).into(), 3 * self.detail);
        self.add(name, set, Pose::from_translation((low + high) * 0.5));
    }

    /// A solid of revolution.
    fn round(&mut self, name: &str, profile: &[[f64; 2]], pose: Pose) {
        self.add(name, revolve(profile, 16 * self.detail, self.detail), pose);
    }

    /// A plate.
    fn plate(&mut self, name: &str, flat: &Flat, thickness: f64, pose: Pose) {
        self.add(name, flat.extrude(&[0.0, thickness], self.detail), pose);
    }

    /// A hose or cable in world coordinates.
    fn line(&mut self, name: &str, tube: Tube, points: &[[f64; 3]]) {
        let points: Vec<DVec3> = points.iter().map(|&point| point.into()).collect();
        self.add(name, tube.along(&points, 8 * self.detail, 4 * self.detail), Pose::IDENTITY);
    }
}

/// A shift.
fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z))
}

/// A turn and a shift.
fn turned(rotation: DQuat, x: f64, y: f64, z: f64) -> Pose {
    Pose::new(rotation, DVec3::new(x, y, z))
}
