//! Motions of bodies and groups: read and validated here, executed elsewhere.

use super::body::{Body, Group};
use super::body_names::{BodyNames, no_such_body};
use crate::data::entry::{Item, Table};
use crate::data::pose::{pose, pose_of};
use crate::data::suggest::{did_you_mean, shortened};
use glam::DVec3;
use noli_formats::{FileError, Place};
use noli_geom::{Pose, Turning};
use std::collections::HashSet;
use std::path::PathBuf;

/// Target of a motion.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Mover {
    /// A body, by number. Bodies that have it as parent go along.
    Body(usize),
    /// A part of a split body, by name: `body/object`.
    Part(String),
    /// A group, by number: all its bodies as one rigid whole.
    Group(usize),
}

/// A motion of a body or group, over the time from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneMotion {
    /// The moving object.
    pub mover: Mover,
    /// Along which path.
    pub path: MotionPath,
    /// Duration, in seconds.
    pub seconds: f64,
    /// Its line in the scene file, counted from 1.
    pub line: usize,
}

impl SceneMotion {
    /// Returns `true` if a requested motion moves nothing. `start` is the pose of the mover in the frame of the
    /// path.
    pub(crate) fn stays(&self, start: &Pose) -> bool {
        match &self.path {
            MotionPath::Straight { from, to, .. } => from.as_ref().unwrap_or(start) == to,
            MotionPath::Screw { angle_rad, advance, .. } => *angle_rad == 0.0 && *advance == 0.0,
            MotionPath::Velocity { linear, angular_rad, .. } => {
                *linear == DVec3::ZERO && *angular_rad == DVec3::ZERO
            }
            MotionPath::KeyFrames { keys, .. } => keys.array_windows().all(|[a, b]| a.pose == b.pose),
            MotionPath::PoseList { .. } => false,
        }
    }
}

/// A pose at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeyFrame {
    /// The time, from 0 to 1.
    pub time: f64,
    /// The pose then.
    pub pose: Pose,
}

/// A path. Poses are those of a body in its parent's frame; those of a group apply to the whole group, as
/// a rigid body whose frame is that of the world at the start. Angles are radians.
#[derive(Clone, Debug, PartialEq)]
pub enum MotionPath {
    /// From one pose to another: the pivot along a straight line, orientation by interpolation.
    Straight {
        /// The start; the current pose of the body if not given.
        from: Option<Pose>,
        /// The end.
        to: Pose,
        /// The point of the body that moves straight, in its own frame.
        pivot: DVec3,
        /// Rotation mode.
        turning: Turning,
    },
    /// A turn about an axis with an advance along it.
    Screw {
        /// A point on the axis.
        point: DVec3,
        /// Its direction, of unit length.
        axis: DVec3,
        /// The angle of the turn.
        angle_rad: f64,
        /// The advance.
        advance: f64,
    },
    /// Constant velocities, per second.
    Velocity {
        /// Of the pivot.
        linear: DVec3,
        /// About the pivot.
        angular_rad: DVec3,
        /// A point of the body, in its own frame.
        pivot: DVec3,
    },
    /// Poses at times, interpolated.
    KeyFrames {
        /// In order of time; the first at 0, the last at 1.
        keys: Vec<KeyFrame>,
        /// The point of the body that moves straight between poses, in its own frame.
        pivot: DVec3,
        /// Rotation mode between poses.
        turning: Turning,
    },
    /// Poses listed in a file, interpolated.
    PoseList {
        /// Its path, as given: relative to the scene file.
        path: PathBuf,
        /// The point of the body that moves straight between poses, in its own frame.
        pivot: DVec3,
        /// Rotation mode between poses.
        turning: Turning,
    },
}

#[derive(Clone, Copy)]
enum Kind {
    Straight,
    Screw,
    Velocity,
    KeyFrames,
    PoseList,
}

const KINDS: [(&str, Kind); 5] = [
    ("straight", Kind::Straight),
    ("screw", Kind::Screw),
    ("velocity", Kind::Velocity),
    ("keyframes", Kind::KeyFrames),
    ("poses", Kind::PoseList),
];

pub(super) fn motions(
    root: &mut Table<'_>,
    bodies: &[Body],
    groups: &[Group],
    names: &mut BodyNames<'_>,
) -> Result<Vec<SceneMotion>, FileError> {
    let tables = root.take("motion").map(|item| item.tables("motion")).transpose()?.unwrap_or_default();
    let mut moved = HashSet::new();
    let mut motions = Vec::new();
    for mut table in tables {
        let mover = mover(&mut table, bodies, groups, names)?;
        let Place::Line(line) = table.place() else { unreachable!("tables of a scene have lines") };
        let seconds = table.take("seconds").map(|item| item.positive()).transpose()?.unwrap_or(1.0);
        let path = path(&mut table)?;
        for body in moved_by(&mover, groups) {
            if !moved.insert(body) {
                let name = bodies.get(body).map_or(String::new(), |body| shortened(&body.name));
                return Err(
                    table.error(format!("body `{name}` has two motions"), "join them into key frames")
                );
            }
        }
        table.finish()?;
        motions.push(SceneMotion { mover, path, seconds, line });
    }
    Ok(motions)
}

/// Bodies that are moved whole; what moves of split ones is known only when their files are.
fn moved_by(mover: &Mover, groups: &[Group]) -> Vec<usize> {
    match mover {
        Mover::Body(body) => vec![*body],
        Mover::Part(_) => Vec::new(),
        Mover::Group(group) => groups.get(*group).map_or(Vec::new(), |group| group.bodies.clone()),
    }
}

fn mover(
    table: &mut Table<'_>,
    bodies: &[Body],
    groups: &[Group],
    names: &mut BodyNames<'_>,
) -> Result<Mover, FileError> {
    let Some((key, item)) = table.take_one(&["body", "group"])? else {
        return Err(table.error(format!("{} moves nothing", table.what()), "add `body` or `group`"));
    };
    let name = item.name()?;
    table.rename(format!("the motion of `{}`", shortened(&name)));
    if key == "body" {
        if let Some(number) = bodies.iter().position(|body| body.name == name) {
            return Ok(Mover::Body(number));
        }
        if names.part(&item, &name) {
            return Ok(Mover::Part(name));
        }
        return Err(no_such_body(&item, &name, bodies));
    }
    let number = groups.iter().position(|group| group.name == name);
    number.map(Mover::Group).ok_or_else(|| {
        let suggestion = did_you_mean(&name, groups.iter().map(|group| group.name.as_str()));
        let remedy = suggestion.unwrap_or_else(|| "name a group of this scene".into());
        item.error(format!("there is no group `{}`", shortened(&name)), remedy)
    })
}

pub(super) fn path(table: &mut Table<'_>) -> Result<MotionPath, FileError> {
    let kind = table.need("kind", "add `kind`: straight, screw, velocity, keyframes or poses")?;
    match kind.choice(&KINDS)? {
        Kind::Straight => straight(table),
        Kind::Screw => screw(table),
        Kind::Velocity => velocity(table),
        Kind::KeyFrames => key_frames(table),
        Kind::PoseList => {
            let path = PathBuf::from(table.need("file", "add `file`, the list of poses")?.name()?);
            Ok(MotionPath::PoseList { path, pivot: vector(table, "pivot")?, turning: turning(table)? })
        }
    }
}

fn turning(table: &mut Table<'_>) -> Result<Turning, FileError> {
    let choices = [("slerp", Turning::Slerp), ("nlerp", Turning::Nlerp)];
    table.take("turning").map_or(Ok(Turning::Slerp), |item| item.choice(&choices))
}

fn vector(table: &mut Table<'_>, key: &'static str) -> Result<DVec3, FileError> {
    table.take(key).map_or(Ok(DVec3::ZERO), |item| item.vector())
}

fn straight(table: &mut Table<'_>) -> Result<MotionPath, FileError> {
    let from = pose_of(table, "from")?;
    let Some(to) = pose_of(table, "to")? else {
        return Err(table.error(format!("{} has no `to`", table.what()), "add `to`, the pose at the end"));
    };
    Ok(MotionPath::Straight { from, to, pivot: vector(table, "pivot")?, turning: turning(table)? })
}

/// The angle under `key_deg` or `key_rad`.
fn angle(table: &mut Table<'_>) -> Result<Option<f64>, FileError> {
    let Some((key, item)) = table.take_one(&["angle_deg", "angle_rad"])? else { return Ok(None) };
    let number = item.number()?;
    Ok(Some(if key == "angle_deg" { number.to_radians() } else { number }))
}

fn screw(table: &mut Table<'_>) -> Result<MotionPath, FileError> {
    let axis = table.need("axis", "add `axis = [x, y, z]`")?.direction()?;
    let point = vector(table, "point")?;
    let angle_rad = angle(table)?;
    let advance = table.take("advance").map(|item| item.number()).transpose()?;
    if angle_rad.is_none() && advance.is_none() {
        let reason = format!("{} neither turns nor advances", table.what());
        return Err(table.error(reason, "add `angle_deg`, `angle_rad` or `advance`"));
    }
    let (angle_rad, advance) = (angle_rad.unwrap_or(0.0), advance.unwrap_or(0.0));
    Ok(MotionPath::Screw { point, axis, angle_rad, advance })
}

fn velocity(table: &mut Table<'_>) -> Result<MotionPath, FileError> {
    let linear = vector(table, "linear")?;
    let angular_rad = match table.take_one(&["angular_deg", "angular_rad"])? {
        Some(("angular_deg", item)) => item.vector()? * 1.0f64.to_radians(),
        Some((_, item)) => item.vector()?,
        None => DVec3::ZERO,
    };
    Ok(MotionPath::Velocity { linear, angular_rad, pivot: vector(table, "pivot")? })
}

fn key_frames(table: &mut Table<'_>) -> Result<MotionPath, FileError> {
    let item = table.need("keys", "add `keys`, a list of { time, pose keys }")?;
    let keys: Vec<KeyFrame> = item.array()?.iter().map(key_frame).collect::<Result<_, _>>()?;
    check_times(&keys).map_err(|reason| item.error(reason, "give times from 0 to 1 in rising order"))?;
    Ok(MotionPath::KeyFrames { keys, pivot: vector(table, "pivot")?, turning: turning(table)? })
}

fn key_frame(item: &Item<'_>) -> Result<KeyFrame, FileError> {
    let mut table = item.table()?;
    let time = table.need("time", "add `time`, from 0 to 1")?.number()?;
    let pose = pose(&mut table)?;
    table.finish()?;
    Ok(KeyFrame { time, pose })
}

/// Checks that these are key frames over the time from 0 to 1, or returns the reason.
pub(super) fn check_times(keys: &[KeyFrame]) -> Result<(), String> {
    let [first, .., last] = keys else { return Err("there are fewer than two poses".into()) };
    if first.time != 0.0 || last.time != 1.0 {
        return Err(format!("times run from {} to {}, not from 0 to 1", first.time, last.time));
    }
    check_rising(keys)
}

/// Checks that times rise, or returns the reason.
pub(super) fn check_rising(keys: &[KeyFrame]) -> Result<(), String> {
    let Some([before, bad]) = keys.array_windows().find(|[a, b]| a.time >= b.time) else { return Ok(()) };
    Err(format!("time {} follows time {}", bad.time, before.time))
}
