//! Parts by name: a body, its object, its group or its file; their poses and motions.

use crate::AskError;
use crate::opened::Opened;
use glam::{DQuat, DVec3, EulerRot};
use noli::motion::RigidMotion;
use noli::world::BodyId;
use noli::{Pose, World};
use noli_project::{LoadedBody, Source};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::path::Path;

/// Names that an error lists.
const FEW: usize = 40;

/// The pose of a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PartPose {
    /// Translation.
    pub xyz: [f64; 3],
    /// Rotation as roll, pitch and yaw about the fixed axes x, y and z, in degrees.
    pub rpy_deg: Option<[f64; 3]>,
    /// Rotation as a quaternion.
    pub quaternion_xyzw: Option<[f64; 4]>,
}

impl PartPose {
    fn pose(&self) -> Result<Pose, AskError> {
        let rotation = match (self.rpy_deg, self.quaternion_xyzw) {
            (Some(_), Some(_)) => {
                return Err(AskError::option("a pose has rpy_deg or quaternion_xyzw, not both"));
            }
            (Some(rpy), None) => {
                let [roll, pitch, yaw] = rpy.map(f64::to_radians);
                DQuat::from_euler(EulerRot::ZYX, yaw, pitch, roll)
            }
            (None, quaternion) => quaternion.map_or(DQuat::IDENTITY, DQuat::from_array),
        };
        let pose = Pose::new(rotation, DVec3::from_array(self.xyz));
        let wrong = "invalid pose: give finite numbers, and a quaternion other than zero";
        if pose.is_valid() { Ok(pose) } else { Err(AskError::option(wrong)) }
    }
}

/// The motion of a part: a translation, or a rotation about an axis, which may advance along it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PartMotion {
    /// The moving part, group or file; without it, the motions of the scene.
    pub part: Option<String>,
    /// Parts that move along.
    pub with: Vec<String>,
    /// Translation of the part, in the unit of the files.
    pub translate: Option<[f64; 3]>,
    /// Direction of the rotation axis.
    pub axis: Option<[f64; 3]>,
    /// A point on the axis; the origin by default.
    pub point: Option<[f64; 3]>,
    /// Angle of the rotation, right-handed.
    pub angle_deg: Option<f64>,
    /// Advance along the axis during the rotation.
    pub advance: f64,
}

impl PartMotion {
    /// Replaces the motions of a scene by this one, if a part is named.
    pub(crate) fn apply(&self, opened: &mut Opened) -> Result<(), AskError> {
        let Some(part) = &self.part else { return Ok(()) };
        let world = &opened.staged.world;
        let mut bodies = parts(world, part)?;
        bodies.extend(all_parts(world, &self.with)?);
        let point = self.point.map_or(DVec3::ZERO, DVec3::from_array);
        let axis = self.axis.map(DVec3::from_array);
        let moved = match (self.translate.map(DVec3::from_array), axis, self.angle_deg) {
            (Some(by), None, None) if by != DVec3::ZERO => world.carry(part, &bodies, |start: &Pose| {
                RigidMotion::with_velocities(start, by, DVec3::ZERO, DVec3::ZERO)
            }),
            (None, Some(axis), Some(angle)) => {
                let unit = axis.try_normalize().ok_or_else(|| AskError::option("`axis` has no direction"))?;
                if angle == 0.0 && self.advance == 0.0 {
                    return Err(AskError::option("nothing moves: `angle_deg` and `advance` are 0"));
                }
                let (angle, advance) = (angle.to_radians(), self.advance);
                world.carry(part, &bodies, |start: &Pose| {
                    RigidMotion::screw(start, point, unit, angle, advance)
                })
            }
            _ => {
                return Err(AskError::option(
                    "give either `translate` (not zero), or `axis` with `angle_deg`, for the motion of the part",
                ));
            }
        };
        opened.staged.moves = vec![moved?];
        opened.staged.seconds = 1.0;
        Ok(())
    }
}

/// Applies poses to parts of mesh files.
pub(crate) fn place_parts(source: &mut Source, poses: &BTreeMap<String, PartPose>) -> Result<(), AskError> {
    if poses.is_empty() {
        return Ok(());
    }
    if !source.is_files {
        return Err(AskError::option("`poses`: a scene has its own poses; change them in its file"));
    }
    let groups: Vec<String> = source.scene.scene.groups.iter().map(|group| group.name.clone()).collect();
    let named =
        |body: &LoadedBody| (body.name.clone(), body.group.and_then(|group| groups.get(group).cloned()));
    let named: Vec<_> = source.scene.bodies.iter().map(named).collect();
    let named: Vec<_> = named.iter().map(|(name, group)| (name.as_str(), group.as_deref())).collect();
    for (name, pose) in poses {
        let pose = pose.pose().map_err(|error| AskError::option(format!("poses.{name}: {error}")))?;
        for number in select(name, &named)? {
            if let Some(body) = source.scene.bodies.get_mut(number) {
                body.pose = pose * body.pose;
            }
        }
    }
    Ok(())
}

/// Whether a part of a name and a group is selected.
type Fits<'f> = dyn Fn(&str, Option<&str>) -> bool + 'f;

/// Returns the numbers of the parts that a name selects: the part of that name; all of a group or file, with or without its
/// ending; or the only object that is called so within its file.
fn select(name: &str, parts: &[(&str, Option<&str>)]) -> Result<Vec<usize>, AskError> {
    let is_file = |group: &str| {
        // Groups of files are called by the number of the path, and the path.
        let path = Path::new(group.split_once(' ').map_or(group, |(_, path)| path));
        let is = |found: Option<&OsStr>| found.is_some_and(|found| found == name);
        is(path.file_name()) || is(path.file_stem()) || path.ends_with(name)
    };
    let is_object = |part: &str| part.rsplit(['/', '.']).next() == Some(name);
    let fitting = |fits: &Fits<'_>| -> Vec<usize> {
        let all = parts.iter().enumerate().filter(|(_, (part, group))| fits(part, *group));
        all.map(|(number, _)| number).collect()
    };
    let steps: [&Fits<'_>; 4] = [
        &|part, _| part == name,
        &|_, group| group == Some(name),
        &|_, group| group.is_some_and(is_file),
        &|part, _| is_object(part),
    ];
    let found = steps.map(fitting);
    if found[..3].iter().all(Vec::is_empty) && found[3].len() > 1 {
        return Err(AskError::option(format!(
            "several parts are called `{name}`; give the whole name of one"
        )));
    }
    let chosen = found.into_iter().find(|numbers| !numbers.is_empty());
    chosen.ok_or_else(|| no_part(name, parts.iter().map(|(part, _)| *part)))
}

fn no_part<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> AskError {
    let mut names: Vec<&str> = names.take(FEW + 1).collect();
    let more = if names.len() > FEW { ", …" } else { "" };
    names.truncate(FEW);
    AskError::option(format!("there is no part `{name}`; the parts are {}{more}", names.join(", ")))
}

/// Returns the bodies that a name selects, with their attached objects: a body, a group, a file, or an object of one.
pub fn parts(world: &World, name: &str) -> Result<Vec<BodyId>, AskError> {
    let (ids, named): (Vec<BodyId>, Vec<_>) =
        world.bodies().map(|(id, body)| (id, (body.name(), body.group()))).unzip();
    let found = select(name, &named)?.into_iter().filter_map(|number| ids.get(number).copied());
    let mut all = Vec::new();
    for id in found {
        all.extend(world.with_descendants(id)?);
    }
    let mut seen = HashSet::new();
    all.retain(|id| seen.insert(*id));
    Ok(all)
}

/// Returns the bodies of several names.
pub fn all_parts(world: &World, names: &[String]) -> Result<Vec<BodyId>, AskError> {
    let mut all = Vec::new();
    for name in names {
        all.extend(parts(world, name)?);
    }
    Ok(all)
}
