//! Records shared by several functions: handles, poses, placed models.

use crate::border::{Answer, Failure};
use glam::{DQuat, DVec3};
use noli::{Guarantee, Pose};

/// Handle of a model; `noli_model` in C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct ModelHandle {
    /// The number; 0 is no model.
    pub id: u64,
}

/// Handle of a query context; `noli_context` in C. Number 0 is the default context of the calling thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct ContextHandle {
    /// The number.
    pub id: u64,
}

/// Handle of a world; `noli_world` in C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct WorldHandle {
    /// The number; 0 is no world.
    pub id: u64,
}

/// Handle of a robot in its cell; `noli_robot` in C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct RobotHandle {
    /// The number; 0 is no robot.
    pub id: u64,
}

/// Pose: a translation and a quaternion of any length but zero; `noli_pose` in C.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct PoseRecord {
    /// Translation, x.
    pub x: f64,
    /// Translation, y.
    pub y: f64,
    /// Translation, z.
    pub z: f64,
    /// Quaternion, x.
    pub qx: f64,
    /// Quaternion, y.
    pub qy: f64,
    /// Quaternion, z.
    pub qz: f64,
    /// Quaternion, w: the real part.
    pub qw: f64,
}

impl PoseRecord {
    /// Returns the pose, or an error that names it.
    pub(crate) fn pose(&self, what: &str) -> Answer<Pose> {
        let rotation = DQuat::from_xyzw(self.qx, self.qy, self.qz, self.qw);
        let pose = Pose { rotation, translation: DVec3::new(self.x, self.y, self.z) };
        if pose.is_valid() {
            return Ok(pose);
        }
        let message = format!(
            "invalid pose of {what}: {self:?}; give finite numbers and a quaternion x, y, z, w of non-zero length"
        );
        Err(Failure::value(message))
    }
}

/// A model at a pose; `noli_placed` in C.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct PlacedRecord {
    /// The model.
    pub model: ModelHandle,
    /// World from model.
    pub pose: PoseRecord,
}

/// Returns a vector of finite numbers, or an error that names it.
pub(crate) fn vector(numbers: [f64; 3], what: &str) -> Answer<DVec3> {
    let vector = DVec3::from_array(numbers);
    if vector.is_finite() {
        return Ok(vector);
    }
    Err(Failure::value(format!("`{what}` is {vector}; give finite numbers")))
}

/// Returns a number that is at least 0, infinity included, or an error that names it.
pub(crate) fn non_negative(number: f64, what: &str) -> Answer<f64> {
    if number >= 0.0 {
        return Ok(number);
    }
    Err(Failure::value(format!("`{what}` is {number}; give a number that is at least 0")))
}

/// Returns a number that is at least 0 and finite, or an error that names it.
pub(crate) fn length(number: f64, what: &str) -> Answer<f64> {
    let number = non_negative(number, what)?;
    if number.is_infinite() {
        return Err(Failure::value(format!("`{what}` is infinite; give a length")));
    }
    Ok(number)
}

/// Returns the points of both bodies; zeros if there are none.
pub(crate) fn points(witness: Option<noli::answer::Witness>) -> [[f64; 3]; 2] {
    witness.map_or([[0.0; 3]; 2], |at| [at.on_a.point.to_array(), at.on_b.point.to_array()])
}

/// Values of `noli_guarantee`.
pub(crate) fn guarantee(guarantee: Guarantee) -> i32 {
    match guarantee {
        Guarantee::Exact => 0,
        Guarantee::Conservative => 1,
        Guarantee::Approximate => 2,
    }
}

/// Values of `noli_verdict`.
pub(crate) fn verdict(overlap: noli::Overlap) -> i32 {
    match overlap {
        noli::Overlap::Free => 0,
        noli::Overlap::Hit => 1,
        noli::Overlap::Unknown => 2,
    }
}

/// Values of `noli_completeness`.
pub(crate) fn completeness(completeness: noli::answer::Completeness) -> i32 {
    match completeness {
        noli::answer::Completeness::Complete => 0,
        noli::answer::Completeness::Enough => 1,
        noli::answer::Completeness::Partial => 2,
    }
}
