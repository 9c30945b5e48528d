//! Values of expressions and locations.

use super::{Host, Interpreter, Pace, Ran, RunFault, Spot};
use crate::code::{Expression, Function, Location, Name, Operator};
use glam::{DMat3, DQuat, DVec3};
use noli_geom::{Pose, rotation};
use noli_robot::sin_cos;
use std::borrow::Cow;

/// Largest relative difference of a whole number from its value by rounding.
const ROUNDING: f64 = 1e-9;

impl<H: Host> Interpreter<'_, H> {
    /// The name with its index worked out.
    pub(super) fn key(&mut self, name: &Name) -> Ran<String> {
        match &name.index {
            None => Ok(name.word.clone()),
            Some(index) => {
                let index =
                    self.whole(index, || format!("the index of `{}`", name.word).into(), [0, 1_000_000])?;
                Ok(format!("{}[{index}]", name.word))
            }
        }
    }

    pub(super) fn variable(&mut self, name: &Name) -> Ran<f64> {
        let key = self.key(name)?;
        let found = self.variables.get(&key).copied();
        found.ok_or_else(|| no_element(&key, self.variables.keys()).unwrap_or(RunFault::NoValue(key)))
    }

    /// A whole number of a range; differences by rounding are none.
    pub(super) fn whole(
        &mut self,
        value: &Expression,
        what: impl FnOnce() -> Cow<'static, str>,
        [least, most]: [i32; 2],
    ) -> Ran<i64> {
        let value = self.number(value)?;
        let whole = value.round();
        let is_whole = (value - whole).abs() <= ROUNDING * whole.abs().max(1.0);
        if !is_whole || whole < f64::from(least) || whole > f64::from(most) {
            let range = format!("a whole number from {least} to {most}").into();
            return Err(RunFault::OutOfRange { what: what(), value, range });
        }
        Ok(truncated(whole))
    }

    pub(super) fn signal_number(&mut self, value: &Expression) -> Ran<i64> {
        let signal = self.whole(value, || "the signal".into(), [-9999, 9999])?;
        if signal == 0 {
            return Err(RunFault::OutOfRange {
                what: "the signal".into(),
                value: 0.0,
                range: "not 0".into(),
            });
        }
        Ok(signal)
    }

    pub(super) fn numbers<const N: usize>(&mut self, all: &[Expression; N]) -> Ran<[f64; N]> {
        let mut values = [0.0; N];
        for (value, expression) in values.iter_mut().zip(all) {
            *value = self.number(expression)?;
        }
        Ok(values)
    }

    pub(super) fn number(&mut self, expression: &Expression) -> Ran<f64> {
        let truth = |is: bool| if is { -1.0 } else { 0.0 };
        let value = match expression {
            Expression::Number(value) => *value,
            Expression::Variable(name) => self.variable(name)?,
            Expression::Negative(inner) => -self.number(inner)?,
            Expression::Not(inner) => truth(self.number(inner)? == 0.0),
            Expression::Complement(inner) => !bits(self.number(inner)?)? as f64,
            Expression::Binary(operator, both) => {
                let [a, b] = self.numbers(both)?;
                binary(*operator, a, b)?
            }
            Expression::Call(function, arguments) => self.function(*function, arguments)?,
            Expression::Distance(both) => {
                let [a, b] = &**both;
                let (a, b) = (self.pose(a)?, self.pose(b)?);
                a.translation.distance(b.translation) * 1000.0
            }
            Expression::Coordinate(axis, location) => self.pose(location)?.translation[*axis] * 1000.0,
            Expression::InRange(location) => match self.spot(location)? {
                Spot::Joints(_) => 0.0,
                Spot::Frame(pose) => truth(self.reach(&pose, false).is_err()),
            },
        };
        finite(value)
    }

    pub(super) fn function(&mut self, function: Function, arguments: &[Expression]) -> Ran<f64> {
        if function == Function::Sig {
            let mut all = true;
            for signal in arguments {
                let signal = self.signal_number(signal)?;
                all &= self.signal_is(signal);
            }
            return Ok(if all { -1.0 } else { 0.0 });
        }
        if function == Function::Timer {
            let Some(number) = arguments.first() else { return Ok(0.0) };
            let number = magnitude(self.whole(number, || "the timer".into(), [-99, 99])?);
            return Ok(self.clock - self.timers.get(&number).copied().unwrap_or(0.0));
        }
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.number(argument)?);
        }
        let x = values.first().copied().unwrap_or(0.0);
        Ok(match function {
            Function::Abs => x.abs(),
            Function::Sin => turned(x)?.0,
            Function::Cos => turned(x)?.1,
            Function::Atan2 => x.atan2(values.get(1).copied().unwrap_or(0.0)).to_degrees(),
            Function::Sqrt if x < 0.0 => {
                return Err(RunFault::Arithmetic("the square root of a negative number"));
            }
            Function::Sqrt => x.sqrt(),
            Function::Sqr => x * x,
            Function::Sign => {
                if x < 0.0 {
                    -1.0
                } else {
                    1.0
                }
            }
            Function::Int => x.trunc(),
            Function::Fract => x.fract(),
            Function::Min => values.iter().copied().fold(f64::INFINITY, f64::min),
            Function::Max => values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            Function::Speed => match self.pace {
                Pace::Percent(percent) => percent,
                Pace::Tool(speed) => speed * 1000.0,
                Pace::Seconds(seconds) => seconds,
            },
            Function::Hand => self.opening * 1000.0,
            Function::Random => {
                // Linear congruence (Knuth's MMIX constants): the same numbers in every run.
                self.random = self
                    .random
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                (self.random >> 11) as f64 * 2f64.powi(-53)
            }
            Function::Sig | Function::Timer => 0.0,
        })
    }

    pub(super) fn pose(&mut self, location: &Location) -> Ran<Pose> {
        match self.spot(location)? {
            Spot::Frame(pose) => Ok(pose),
            Spot::Joints(joints) => Ok(self.tool_pose(&joints)),
        }
    }

    pub(super) fn spot(&mut self, location: &Location) -> Ran<Spot> {
        let pose = match location {
            Location::Named(name) => {
                let key = self.key(name)?;
                if let Some(point) = key.strip_prefix('#') {
                    let Some(joints) = self.locations.points.get(point) else {
                        return Err(match no_element(point, self.locations.points.keys()) {
                            Some(RunFault::NoElement { least, most, .. }) => {
                                RunFault::NoElement { name: key, least, most }
                            }
                            _ => RunFault::NoLocation(key),
                        });
                    };
                    return self.joint_spot(joints.clone());
                }
                let known = &self.locations.transformations;
                *known
                    .get(&key)
                    .ok_or_else(|| no_element(&key, known.keys()).unwrap_or(RunFault::NoLocation(key)))?
            }
            Location::Compound(parts) => {
                let mut pose = Pose::IDENTITY;
                for part in parts {
                    pose = pose * self.pose(part)?;
                }
                pose
            }
            Location::Here => {
                let joints = self.joints_now();
                self.tool_pose(&joints)
            }
            Location::Destination => {
                let joints = self.joints.clone();
                self.tool_pose(&joints)
            }
            Location::Null => Pose::IDENTITY,
            Location::Base => self.base,
            Location::Tool => self.tool,
            Location::Transformation(parts) => {
                let [x, y, z, o, a, t] = self.numbers(parts)?;
                let (sin, cos) = noli_robot::sin_cos(0.5 * bounded(a)?.to_radians());
                let about_y = DQuat::from_xyzw(0.0, sin, 0.0, cos);
                Pose::new(turn_z(o)? * about_y * turn_z(t)?, DVec3::new(x, y, z) / 1000.0)
            }
            Location::Shift(inner, by) => {
                let pose = self.pose(inner)?;
                let by = DVec3::from_array(self.numbers(by)?) / 1000.0;
                Pose::new(pose.rotation, pose.translation + by)
            }
            Location::Inverse(inner) => self.pose(inner)?.inverse(),
            Location::Frame(four) => {
                let mut at = [DVec3::ZERO; 4];
                for (point, location) in at.iter_mut().zip(four.iter()) {
                    *point = self.pose(location)?.translation;
                }
                let x = (at[1] - at[0]).try_normalize();
                let z = x.and_then(|x| x.cross(at[2] - at[0]).try_normalize());
                let (Some(x), Some(z)) = (x, z) else {
                    return Err(RunFault::Arithmetic("the points of a frame lie on one line"));
                };
                let turn = rotation::from_matrix(&DMat3::from_cols(x, z.cross(x), z));
                Pose::new(turn, at[3])
            }
            Location::Precision(values) => {
                let mut joints = Vec::with_capacity(values.len());
                for (joint, value) in values.iter().enumerate() {
                    let value = self.number(value)?;
                    let turns = joint < self.joints.len() && self.host.turns(joint);
                    joints.push(if turns { bounded(value)?.to_radians() } else { value / 1000.0 });
                }
                return self.joint_spot(joints);
            }
        };
        if !pose.is_valid() {
            return Err(RunFault::Arithmetic("invalid location: a number is too large"));
        }
        Ok(Spot::Frame(pose))
    }

    pub(super) fn joint_spot(&self, joints: Vec<f64>) -> Ran<Spot> {
        let (found, wanted) = (joints.len(), self.joints.len());
        if found == wanted { Ok(Spot::Joints(joints)) } else { Err(RunFault::JointCount { found, wanted }) }
    }
}

/// The fault of an element without a value, if its array has others.
fn no_element<'k>(key: &str, known: impl Iterator<Item = &'k String>) -> Option<RunFault> {
    let (array, _) = key.split_once('[')?;
    let index = |other: &'k String| -> Option<i64> {
        other.strip_prefix(array)?.strip_prefix('[')?.strip_suffix(']')?.parse().ok()
    };
    let indices = known.filter_map(index);
    let (least, most) = indices.fold((i64::MAX, i64::MIN), |(least, most), k| (least.min(k), most.max(k)));
    (least <= most).then(|| RunFault::NoElement { name: key.to_owned(), least, most })
}

/// A number with at most six decimals, and none that are 0 at its end.
pub(super) fn short(value: f64) -> String {
    let text = format!("{value:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

pub(super) fn finite(value: f64) -> Ran<f64> {
    if value.is_finite() { Ok(value) } else { Err(RunFault::Arithmetic("a number is too large")) }
}

pub(super) fn binary(operator: Operator, a: f64, b: f64) -> Ran<f64> {
    let truth = |is: bool| Ok(if is { -1.0 } else { 0.0 });
    match operator {
        Operator::Add => Ok(a + b),
        Operator::Subtract => Ok(a - b),
        Operator::Multiply => Ok(a * b),
        Operator::Divide | Operator::Modulo if b == 0.0 => Err(RunFault::Arithmetic("a division by zero")),
        Operator::Divide => Ok(a / b),
        Operator::Modulo => Ok(a % b),
        Operator::Equal => truth(a == b),
        Operator::NotEqual => truth(a != b),
        Operator::Less => truth(a < b),
        Operator::LessOrEqual => truth(a <= b),
        Operator::Greater => truth(a > b),
        Operator::GreaterOrEqual => truth(a >= b),
        Operator::And => truth(a != 0.0 && b != 0.0),
        Operator::Or => truth(a != 0.0 || b != 0.0),
        Operator::Xor => truth((a != 0.0) != (b != 0.0)),
        Operator::BitAnd => Ok((bits(a)? & bits(b)?) as f64),
        Operator::BitOr => Ok((bits(a)? | bits(b)?) as f64),
        Operator::BitXor => Ok((bits(a)? ^ bits(b)?) as f64),
    }
}

/// A whole number of at most 32 bits, which a sum holds exactly.
pub(super) fn bits(value: f64) -> Ran<i64> {
    if value.fract() != 0.0 || value.abs() > f64::from(u32::MAX) {
        return Err(RunFault::OutOfRange {
            what: "a number taken bit by bit".into(),
            value,
            range: "whole, of 32 bits".into(),
        });
    }
    Ok(truncated(value))
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "of a whole number within a stated range; the cast saturates"
)]
fn truncated(value: f64) -> i64 {
    value as i64
}

/// The number of a signal or a timer, whose sign is a state.
pub(super) fn magnitude(number: i64) -> u32 {
    u32::try_from(number.unsigned_abs()).unwrap_or(u32::MAX)
}

/// An angle in degrees that has a sine.
pub(super) fn bounded(degrees: f64) -> Ran<f64> {
    if degrees.abs() <= 1e9 {
        return Ok(degrees);
    }
    Err(RunFault::OutOfRange { what: "an angle".into(), value: degrees, range: "at most 1e9 degrees".into() })
}

pub(super) fn turned(degrees: f64) -> Ran<(f64, f64)> {
    Ok(sin_cos(bounded(degrees)?.to_radians()))
}

pub(super) fn turn_z(degrees: f64) -> Ran<DQuat> {
    let (sin, cos) = sin_cos(0.5 * bounded(degrees)?.to_radians());
    Ok(DQuat::from_xyzw(0.0, 0.0, sin, cos))
}

pub(super) fn back_along_tool(distance: f64) -> Pose {
    Pose::from_translation(DVec3::Z * -distance)
}

/// The tool's z along the nearest of the world's axes, by the shortest turn.
pub(super) fn aligned(pose: &Pose) -> Pose {
    let z = pose.transform_vector(DVec3::Z);
    // The first of the longest components.
    let longer =
        |axis: DVec3, other: &DVec3| if z.dot(*other).abs() > z.dot(axis).abs() { *other } else { axis };
    let axis = DVec3::AXES.iter().fold(DVec3::X, longer);
    let axis = axis * z.dot(axis).signum();
    let turn = z.cross(axis);
    let half = DQuat::from_xyzw(turn.x, turn.y, turn.z, 1.0 + z.dot(axis)).normalize();
    Pose::new(half * pose.rotation, pose.translation)
}
