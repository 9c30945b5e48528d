//! A teach pendant: the arm is jogged in steps, stops before it touches, and remembers where it was.

use super::PartLocation;
use super::profile::segment_at;
use super::work::{WorkCell, WorkCellError};
use crate::{ArmChoice, Host, VirtualController};
use glam::{DQuat, DVec3};
use noli::answer::{Bracket, Impact};
use noli_geom::{Pose, Sphere};
use noli_robot::ConfigurationError;
use noli_robot::IkError;
use noli_robot::StraightLine;
use noli_robot::cell::{Cell, EdgeError};
use std::fmt::Write as _;

/// In which frame the tool is jogged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JogFrame {
    /// Along the axes of the world.
    World,
    /// Along those of the tool.
    Tool,
}

/// A step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Jog {
    /// One joint, from 0, by radians or metres.
    Joint(usize, f64),
    /// The tool goes straight by so much, and turns about its centre by so much: axis times radians.
    Tool {
        /// In which frame.
        frame: JogFrame,
        /// Translation in metres.
        path: DVec3,
        /// Turn in radians.
        turn: DVec3,
    },
}

/// Result of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Jogged {
    /// Performed share of it: 1 if nothing blocked it.
    pub share: f64,
    /// The parts that stopped it.
    pub stopped_by: Option<[String; 2]>,
    /// Point in the world where they would touch.
    pub point: Option<DVec3>,
    /// The smallest clearance where the arm is now.
    pub clearance: Bracket,
    /// The parts that are that close.
    pub nearest: Option<[String; 2]>,
}

/// Reason that a step is impossible.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PendantError {
    /// The workplace is none.
    #[error(transparent)]
    WorkCell(#[from] WorkCellError),
    /// The joint does not exist.
    #[error("the arm has {count} joints, and no joint {joint}")]
    NoJoint {
        /// The joint, from 1.
        joint: usize,
        /// Actual count.
        count: usize,
    },
    /// Beyond what a joint can do.
    #[error(transparent)]
    Limits(#[from] ConfigurationError),
    /// The arm does not reach there.
    #[error(transparent)]
    Unreachable(#[from] IkError),
    /// The tool cannot go there on a straight line.
    #[error("{0}")]
    Line(String),
    /// The path cannot be tested.
    #[error(transparent)]
    Path(#[from] EdgeError),
    /// An invalid name of a location.
    #[error(
        "`{0}` is no name of a location; begin with a letter, go on with letters, digits, dots and underscores"
    )]
    Name(String),
}

/// The pendant of an arm in a cell.
#[derive(Debug)]
pub struct Pendant<'w> {
    work: &'w WorkCell,
    arm: VirtualController,
    cell: Cell,
    joints: Vec<f64>,
    /// Taught so far: names, and whether as joint values.
    taught: Vec<(String, Spot)>,
}

#[derive(Clone, Debug)]
enum Spot {
    Frame(Pose),
    Joints(Vec<f64>),
}

impl<'w> Pendant<'w> {
    /// Creates a pendant with the arm and all parts at their start.
    pub fn new(work: &'w WorkCell) -> Result<Self, PendantError> {
        let parts: Vec<PartLocation> =
            work.loose.iter().map(|part| PartLocation::Stands(part.place)).collect();
        let cell = work.cell(&parts, None)?;
        let arm = VirtualController::new(work.robot.clone(), work.flange);
        let mut arm =
            arm.ok_or_else(|| WorkCellError::Immovable(work.robot.links()[work.flange].name.clone()))?;
        arm.start = work.start.clone();
        work.robot.apply_laws(&mut arm.start);
        arm.line_tolerance = work.line_tolerance;
        let joints = arm.joints(&arm.start);
        Ok(Self { work, arm, cell, joints, taught: Vec::new() })
    }

    /// The joints, in the order of the chain.
    pub fn joints(&self) -> &[f64] {
        &self.joints
    }

    /// The values of all variables of the arm.
    pub fn values(&self) -> Vec<f64> {
        self.arm.values(&self.joints)
    }

    /// Computes the pose of the tool in the world.
    pub fn tool(&mut self) -> Pose {
        let joints = self.joints.clone();
        self.work.world_from_root * self.arm.flange(&joints) * self.work.tool
    }

    /// Returns `true` if a joint, from 0, is revolute; `false` if prismatic or absent.
    pub fn turns(&self, joint: usize) -> bool {
        self.arm.turns(joint)
    }

    /// Sets the configuration of the arm, without a collision test of the motion.
    pub fn place(&mut self, joints: &[f64]) -> Result<(), PendantError> {
        let (joint, count) = (joints.len().saturating_add(1), self.joints.len());
        if joints.len() != count {
            return Err(PendantError::NoJoint { joint, count });
        }
        self.work.robot.check_limits(&self.arm.values(joints))?;
        self.joints = joints.to_vec();
        Ok(())
    }

    /// Makes a step, or as much of it as is proven free.
    pub fn jog(&mut self, jog: &Jog) -> Result<Jogged, PendantError> {
        let keys = match jog {
            Jog::Joint(joint, by) => {
                let mut to = self.joints.clone();
                let count = to.len();
                let value = to
                    .get_mut(*joint)
                    .ok_or(PendantError::NoJoint { joint: joint.saturating_add(1), count })?;
                *value += by;
                let values = self.arm.values(&to);
                self.work.robot.check_limits(&values)?;
                vec![(0.0, self.values()), (1.0, values)]
            }
            Jog::Tool { frame, path, turn } => self.straight(*frame, *path, *turn)?,
        };
        let rows: Vec<Vec<f64>> = keys.iter().map(|key| [&key.1[..], &self.work.others].concat()).collect();
        let path: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        let mut checker = self.cell.checker();
        let found = checker.first_contact_on_path(&path)?;
        let (time, touch) = match found {
            Impact::Free => (1.0, None),
            Impact::AtStart(touch) => (0.0, Some(touch)),
            Impact::At { time, touch } => (time.safe_until, Some(touch)),
            Impact::Unknown { safe_until } => (safe_until, None),
        };
        let (k, part) = segment_at(keys.len(), time);
        let two = keys.get(k..).and_then(|keys| keys.first_chunk());
        let Some([from, to]) = two else { return Err(PendantError::Line("the step has no path".to_owned())) };
        let values: Vec<f64> = match part {
            1.0.. => to.1.clone(),
            _ => from.1.iter().zip(&to.1).map(|(a, b)| a + (b - a) * part).collect(),
        };
        self.joints = self.arm.joints(&values);
        let share = from.0 + (to.0 - from.0) * part;
        let nearest =
            checker.clearance(&[&values[..], &self.work.others].concat()).map_err(EdgeError::from)?;
        let names = |pair: usize| self.cell.pair_names(pair).map(str::to_owned);
        Ok(Jogged {
            share,
            stopped_by: touch.map(|touch| names(touch.pair)),
            point: touch.and_then(|t| t.touch.witness).map(|w| 0.5 * (w.on_a.point + w.on_b.point)),
            clearance: nearest.clearance,
            nearest: nearest.pair.map(names),
        })
    }

    fn straight(
        &mut self,
        frame: JogFrame,
        path: DVec3,
        turn: DVec3,
    ) -> Result<Vec<(f64, Vec<f64>)>, PendantError> {
        let joints = self.joints.clone();
        let flange = self.arm.flange(&joints);
        let (base, tool) = (self.work.world_from_root, flange * self.work.tool);
        let spin = DQuat::from_scaled_axis(turn);
        let to = match frame {
            JogFrame::Tool => tool * Pose::new(spin, path),
            JogFrame::World => {
                let world = base * tool;
                let moved = Pose::new(spin * world.rotation, world.translation + path);
                base.inverse() * moved
            }
        };
        let wanted = to * self.work.tool.inverse();
        let line = StraightLine {
            sphere: Sphere { center: self.work.tool.translation, radius: 0.0 },
            tolerance: self.work.line_tolerance,
            ..StraightLine::new(self.work.flange, flange, wanted)
        };
        let (robot, start) = (self.work.robot.clone(), self.values());
        let arm = &mut self.arm;
        let followed = line.follow(&robot, &start, &mut |flange, near| {
            let joints = arm.inverse(flange, &arm.joints(near), &ArmChoice::default())?;
            Ok(arm.values(&joints))
        });
        let followed = followed.map_err(|error| PendantError::Line(error.to_string()))?;
        let rows = followed.motion.configurations().map(<[f64]>::to_vec);
        Ok(followed.motion.times().iter().copied().zip(rows).collect())
    }

    /// Remembers where the arm is, as a transformation, or with `precise` as joint values. A name taught again is
    /// taught anew.
    pub fn teach(&mut self, name: &str, precise: bool) -> Result<(), PendantError> {
        let first = name.chars().next().is_some_and(|c| c.is_ascii_alphabetic());
        if !first || !name.chars().all(|c| c.is_ascii_alphanumeric() || "._".contains(c)) {
            return Err(PendantError::Name(name.to_owned()));
        }
        let spot = if precise { Spot::Joints(self.joints.clone()) } else { Spot::Frame(self.tool()) };
        self.taught.retain(|taught| !taught.0.eq_ignore_ascii_case(name));
        self.taught.push((name.to_owned(), spot));
        Ok(())
    }

    /// A program that goes through all that was taught, in order: a text that can be run.
    pub fn program(&self, name: &str) -> String {
        let mut text = format!(".PROGRAM {name}\n");
        let root_from_world = self.work.world_from_root.inverse();
        for (name, spot) in &self.taught {
            // Writing to a string cannot fail.
            let _ = match spot {
                Spot::Joints(joints) => {
                    let joints = self.joints_text(joints);
                    writeln!(text, "    SET #{name} = #PPOINT({joints})\n    MOVE #{name}")
                }
                Spot::Frame(pose) => {
                    let [place, turns] = pose_text(&(root_from_world * *pose));
                    writeln!(text, "    SET {name} = TRANS({place}, {turns})\n    MOVE {name}")
                }
            };
        }
        text.push_str(".END\n");
        text
    }

    /// Returns the taught locations as tables of a cell file, in millimetres and degrees of the world.
    pub fn locations(&self) -> String {
        let mut text = String::new();
        for (name, spot) in &self.taught {
            let _ = match spot {
                Spot::Joints(joints) => {
                    let joints = self.joints_text(joints);
                    writeln!(text, "[[location]]\nname = \"{name}\"\njoints_deg = [{joints}]\n")
                }
                Spot::Frame(pose) => {
                    let [place, turns] = pose_text(pose);
                    let pose = format!("xyz = [{place}]\nzyz_deg = [{turns}]");
                    writeln!(text, "[[location]]\nname = \"{name}\"\n{pose}\n")
                }
            };
        }
        text
    }

    /// Degrees and millimetres.
    fn joints_text(&self, joints: &[f64]) -> String {
        let shown = |(k, value): (usize, &f64)| {
            number(if self.arm.turns(k) { value.to_degrees() } else { value * 1000.0 })
        };
        joints.iter().enumerate().map(shown).collect::<Vec<_>>().join(", ")
    }
}

/// A place in millimetres, and turns about z, y and z in degrees.
fn pose_text(pose: &Pose) -> [String; 2] {
    let place = (pose.translation * 1000.0).to_array();
    [place, turns(pose).map(f64::to_degrees)].map(|numbers| numbers.map(number).join(", "))
}

/// To a billionth of a millimetre or a degree, as short as that allows.
fn number(value: f64) -> String {
    let text = format!("{value:.9}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Turns about z, y and z, as programs have them.
fn turns(pose: &Pose) -> [f64; 3] {
    let m = pose.rotation_matrix();
    let z = m.z_axis;
    let across = z.x.hypot(z.y);
    let a = across.atan2(z.z);
    if across < 1e-12 {
        // Straight up or down: one turn tells all.
        let t = if z.z > 0.0 { m.x_axis.y.atan2(m.x_axis.x) } else { m.x_axis.y.atan2(-m.x_axis.x) };
        return [0.0, a, t];
    }
    let o = z.y.atan2(z.x);
    let t = m.y_axis.z.atan2(-m.x_axis.z);
    [o, a, t]
}
