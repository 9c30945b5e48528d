//! Transformations of mapped items and of components.

use super::geometry::{Reader, Refusal};
use super::part21::{Instance, Record, Value};
use crate::frame::{Frame, unit};
use glam::{DMat3, DQuat, DVec3};
use noli_geom::Pose;

/// Largest difference of a scale from 1.
const SCALE_TOLERANCE: f64 = 1e-12;

impl Reader<'_> {
    /// The representation that a mapped item repeats, and where its map has its origin.
    pub(super) fn map(&self, record: &Record) -> Result<(u64, u64), Refusal> {
        let (_, map) = self.record(self.reference(record, 1)?)?;
        Ok((self.reference(map, 1)?, self.reference(map, 0)?))
    }

    /// The frame that a mapped item places the origin of its map in: a placement, or a rigid operator.
    pub(super) fn target(&self, id: u64) -> Result<Frame, Refusal> {
        let instance = self.instance(id)?;
        let is_operator = |r: &Record| r.keyword.starts_with("CARTESIAN_TRANSFORMATION_OPERATOR");
        if instance.records.iter().any(is_operator) { self.operator(instance) } else { self.frame(id) }
    }

    /// The frame of a CARTESIAN_TRANSFORMATION_OPERATOR_3D (ISO 10303-42): its axes are made orthogonal as `base_axis` does.
    fn operator(&self, instance: &Instance) -> Result<Frame, Refusal> {
        let wrong = |reason: String| Refusal::at(instance, reason);
        // The attributes follow names of supertypes; a complex instance has the third axis in a record of its own.
        let last = |keyword: &str, count: usize| {
            let values = &instance.record(keyword)?.values;
            values.get(values.len().checked_sub(count)?..)
        };
        let three = "CARTESIAN_TRANSFORMATION_OPERATOR_3D";
        let values: Option<Vec<&Value>> = match last("CARTESIAN_TRANSFORMATION_OPERATOR", 4) {
            Some(four) => last(three, 1).map(|third| four.iter().chain(third).collect()),
            None => last(three, 5).map(|five| five.iter().collect()),
        };
        let Some([first, second, origin, scale, third]) = values.as_deref() else {
            return Err(wrong("an operator without its axes, origin and scale".to_owned()));
        };
        let scale = if **scale == Value::Unset { Some(1.0) } else { scale.number() };
        match scale {
            Some(scale) if (scale - 1.0).abs() <= SCALE_TOLERANCE => {}
            Some(scale) => {
                return Err(wrong(format!(
                    "it scales by {scale}: only rotations and translations of bodies are supported"
                )));
            }
            None => return Err(wrong("its scale is no number".to_owned())),
        }
        let Some(origin) = origin.reference() else {
            return Err(wrong("its local origin is not a reference".to_owned()));
        };
        let origin = self.point(origin)?;
        let axis = |value: &Value| value.reference().map(|id| self.direction(id)).transpose();
        let no_axes = || wrong("its axes have no direction, or are parallel".to_owned());
        let across = |v: DVec3, normals: &[DVec3]| {
            let rest = normals.iter().fold(v, |rest, n| rest - *n * rest.dot(*n));
            unit(rest).filter(|_| rest.length() > 1e-9 * v.length())
        };
        let z = unit(axis(third)?.unwrap_or(DVec3::Z)).ok_or_else(no_axes)?;
        let x = match axis(first)? {
            Some(axis) => across(axis, &[z]),
            None => across(DVec3::X, &[z]).or_else(|| across(DVec3::Y, &[z])),
        };
        let x = x.ok_or_else(no_axes)?;
        let y = z.cross(x);
        // A missing second axis is that of a right-handed frame, as exporters mean it.
        if axis(second)?.is_some_and(|axis| axis.dot(y) < 0.0) {
            return Err(wrong(
                "it mirrors: only rotations and translations of bodies are supported".to_owned(),
            ));
        }
        Ok(Frame { origin, x, y, z })
    }
}

/// The pose that takes one frame to another.
pub(super) fn between(from: &Frame, to: &Frame) -> Pose {
    if from == to {
        return Pose::IDENTITY;
    }
    let (a, b) = (DMat3::from_cols(from.x, from.y, from.z), DMat3::from_cols(to.x, to.y, to.z));
    let rotation = if a == b { DQuat::IDENTITY } else { DQuat::from_mat3(&(b * a.transpose())) };
    let pose = Pose::from_rotation(rotation);
    Pose::new(rotation, to.origin - pose.transform_point(from.origin))
}
