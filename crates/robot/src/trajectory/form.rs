//! Trajectory files that say how their points are driven: splines, B-splines, and profiles of speed.
//!
//! The keys are on the level of `joint_names`, as ROS messages have none for this.

use super::builder::{Builder, Holds};
use super::{JointTable, add_rows, is_given, read_points};
use crate::curve::JointCurve;
use crate::message::suggestion;
use crate::profile::{DriveLimits, Profile};
use crate::yaml::{Node, Value};
use crate::{Fault, RobotError};

/// How the rows of a table are driven.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Form {
    /// As ROS controllers interpolate: by the data that both ends of a segment have.
    #[default]
    Interpolated,
    /// A cubic spline through all rows, with continuous accelerations; velocities count at both ends, or are 0 there.
    Spline,
    /// A B-spline; the rows are its control points.
    BSpline {
        /// Degree of its pieces.
        degree: usize,
        /// Knots in seconds.
        knots: Vec<f64>,
    },
    /// Straight segments in joint space, from rest to rest.
    Profile {
        /// Profile of the speed.
        profile: Profile,
        /// Limits of all variables.
        limits: DriveLimits,
    },
}

impl Form {
    /// Returns its word in files and reports.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Interpolated => "interpolated",
            Self::Spline => "spline",
            Self::BSpline { .. } => "b-spline",
            Self::Profile { profile: Profile::Trapezoidal, .. } => "trapezoidal",
            Self::Profile { profile: Profile::SCurve, .. } => "s-curve",
        }
    }

    /// Returns `true` if the motion passes through all rows.
    pub fn passes_rows(&self) -> bool {
        !matches!(self, Self::BSpline { .. })
    }
}

/// Keys of one form alone.
const OWN: [(&str, Kind); 5] = [
    ("degree", Kind::BSpline),
    ("knots", Kind::BSpline),
    ("control_points", Kind::BSpline),
    ("duration", Kind::BSpline),
    ("limits", Kind::Profile),
];
/// Keys that name a form.
pub(super) const NAMING: [&str; 2] = ["interpolation", "profile"];

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Interpolated,
    Spline,
    BSpline,
    Profile,
}

/// Reads the points of a trajectory as its keys say; names of the joints are known.
pub(super) fn read(trajectory: &Node, mut builder: Builder<'_>) -> Result<JointTable, RobotError> {
    let (kind, profile) = named(trajectory)?;
    check_keys(trajectory, kind)?;
    let (form, node) = match (kind, profile) {
        (Kind::BSpline, _) => {
            let points = trajectory.need("control_points")?;
            add_untimed(points.list("control_points")?, "knots give the times", &mut builder)?;
            let form = b_spline(trajectory, builder.table.rows.len())?;
            (form, trajectory.get("knots").unwrap_or(points))
        }
        (Kind::Profile, Some(profile)) => {
            let points = trajectory.need("points")?;
            add_untimed(points.list("points")?, "limits give the times", &mut builder)?;
            (Form::Profile { profile, limits: limits(trajectory, &builder)? }, points)
        }
        (Kind::Spline, _) => {
            read_points(trajectory, &mut builder)?;
            check_spline(trajectory)?;
            (Form::Spline, trajectory.need("points")?)
        }
        _ => {
            read_points(trajectory, &mut builder)?;
            return Ok(builder.finish());
        }
    };
    let mut table = builder.finish();
    table.form = form;
    match table.curve() {
        Ok(_) => Ok(table),
        Err(error) => Err(RobotError::at(node.place, Fault::Curve { error })),
    }
}

/// The form that a trajectory names.
fn named(trajectory: &Node) -> Result<(Kind, Option<Profile>), RobotError> {
    if let Value::Map(entries) = &trajectory.value {
        let typo = |(name, _): &&(String, Node)| {
            !NAMING.contains(&name.as_str()) && !suggestion(name, NAMING.into_iter()).is_empty()
        };
        if let Some((name, node)) = entries.iter().find(typo) {
            return Err(unknown(node, "key", name, &NAMING));
        }
    }
    match (trajectory.get("interpolation"), trajectory.get("profile")) {
        (None, None) => Ok((Kind::Interpolated, None)),
        (Some(_), Some(node)) => Err(refused(node, "`profile` beside `interpolation`", "give one of them")),
        (Some(node), None) => match node.text("interpolation")?.as_str() {
            "spline" => Ok((Kind::Spline, None)),
            "b-spline" | "bspline" => Ok((Kind::BSpline, None)),
            other => Err(unknown(node, "interpolation", other, &["spline", "b-spline"])),
        },
        (None, Some(node)) => match node.text("profile")?.as_str() {
            "trapezoidal" => Ok((Kind::Profile, Some(Profile::Trapezoidal))),
            "s-curve" => Ok((Kind::Profile, Some(Profile::SCurve))),
            other => Err(unknown(node, "profile", other, &["trapezoidal", "s-curve"])),
        },
    }
}

/// Refuses keys of another form, which would be driven differently than the file says.
fn check_keys(trajectory: &Node, kind: Kind) -> Result<(), RobotError> {
    for (key, of) in OWN.into_iter().filter(|(_, of)| *of != kind) {
        // Other programs may write these two with plain points.
        let foreign = kind == Kind::Interpolated && matches!(key, "duration" | "limits");
        if let Some(node) = trajectory.get(key).filter(|_| !foreign) {
            let remedy = match of {
                Kind::Profile => "give `profile: trapezoidal` or `profile: s-curve` with it, or leave it out",
                _ => "give `interpolation: b-spline` with it, or leave it out",
            };
            return Err(refused(node, &format!("`{key}`"), remedy));
        }
    }
    match trajectory.get("points").filter(|_| kind == Kind::BSpline) {
        Some(node) => Err(refused(node, "`points` of a B-spline", "give `control_points`")),
        None => Ok(()),
    }
}

/// Adds rows without times and rates.
fn add_untimed(points: &[Node], why: &str, builder: &mut Builder<'_>) -> Result<(), RobotError> {
    for point in points {
        for key in ["time_from_start", "velocities", "accelerations"] {
            if let Some(node) = point.get(key).filter(|node| is_given(node)) {
                return Err(refused(node, &format!("`{key}` of a point whose {why}"), "leave it out"));
            }
        }
    }
    add_rows(points, builder)
}

fn b_spline(trajectory: &Node, points: usize) -> Result<Form, RobotError> {
    let degree = match trajectory.get("degree") {
        None => 3,
        Some(node) => {
            let wrong = || node.wrong("degree", "a whole number from 1 to 9");
            let degree: usize = node.text("degree")?.parse().map_err(|_| wrong())?;
            if !(1..=9).contains(&degree) {
                return Err(wrong());
            }
            degree
        }
    };
    let knots = match (trajectory.get("knots"), trajectory.get("duration")) {
        (Some(_), Some(node)) => return Err(refused(node, "`duration` beside `knots`", "give one of them")),
        (Some(knots), None) => {
            let knot = |node: &Node| node.number("knots");
            knots.list("knots")?.iter().map(knot).collect::<Result<Vec<f64>, RobotError>>()?
        }
        (None, Some(node)) => JointCurve::clamped_knots(degree, points, positive(node, "duration")?),
        (None, None) => return Err(trajectory.missing("`knots`, or the `duration` of even ones,")),
    };
    Ok(Form::BSpline { degree, knots })
}

/// A spline needs times, and has velocities at its ends only: between them they follow from its points.
fn check_spline(trajectory: &Node) -> Result<(), RobotError> {
    let points = trajectory.need("points")?.list("points")?;
    for (number, point) in points.iter().enumerate() {
        point.need("time_from_start")?;
        let inside = number > 0 && number < points.len().saturating_sub(1);
        let velocities = point.get("velocities").filter(|node| inside && is_given(node));
        let accelerations = point.get("accelerations").filter(|node| is_given(node));
        if let Some(node) = velocities.or(accelerations) {
            let what = "a velocity or acceleration inside a spline";
            return Err(refused(
                node,
                what,
                "give velocities at both ends only, or leave out `interpolation`",
            ));
        }
    }
    Ok(())
}

/// Limits of a profile: those of the robot where the trajectory gives no others.
fn limits(trajectory: &Node, builder: &Builder<'_>) -> Result<DriveLimits, RobotError> {
    const KNOWN: [&str; 3] = ["velocity", "acceleration", "jerk"];
    let mut limits = DriveLimits::of_robot(builder.robot);
    let Some(node) = trajectory.get("limits") else { return Ok(limits) };
    let Value::Map(entries) = &node.value else { return Err(node.wrong("limits", "a table")) };
    if let Some((name, node)) = entries.iter().find(|(name, _)| !KNOWN.contains(&name.as_str())) {
        return Err(unknown(node, "limit", name, &KNOWN));
    }
    let given = |what: &str| match node.get(what) {
        Some(node) => per_variable(node, what, builder),
        None => Ok(Vec::new()),
    };
    let set = |all: &mut [f64], (variable, limit): (usize, f64)| {
        all.get_mut(variable).into_iter().for_each(|own| *own = limit);
    };
    given("velocity")?.into_iter().for_each(|own| set(&mut limits.velocity, own));
    given("acceleration")?.into_iter().for_each(|(variable, limit)| limits.accelerate(variable, limit));
    given("jerk")?.into_iter().for_each(|own| set(&mut limits.jerk, own));
    Ok(limits)
}

/// Limits of variables: one number for all, or one for each name.
fn per_variable(node: &Node, what: &str, builder: &Builder<'_>) -> Result<Vec<(usize, f64)>, RobotError> {
    let Value::List(items) = &node.value else {
        let limit = positive(node, what)?;
        return Ok((0..builder.robot.variables().len()).map(|variable| (variable, limit)).collect());
    };
    if items.len() != builder.columns.len() {
        let wanted = format!("one number, or one for each of {} joints", builder.columns.len());
        return Err(node.wrong(what, &wanted));
    }
    let mut all = Vec::new();
    for (column, item) in builder.columns.iter().zip(items) {
        if let Holds::Variable(variable, factor, _) = column {
            all.push((*variable, positive(item, what)? * factor));
        }
    }
    Ok(all)
}

fn positive(node: &Node, what: &str) -> Result<f64, RobotError> {
    let value = node.number(what)?;
    if value > 0.0 {
        return Ok(value);
    }
    Err(RobotError::at(node.place, Fault::OutOfRange { what: format!("`{what}`"), value, range: "above 0" }))
}

pub(super) fn refused(node: &Node, what: &str, remedy: &'static str) -> RobotError {
    RobotError::at(node.place, Fault::Refused { what: what.to_owned(), remedy })
}

fn unknown(node: &Node, what: &str, word: &str, known: &[&'static str]) -> RobotError {
    let word = crate::message::excerpt(word);
    RobotError::at(node.place, Fault::UnknownWord { what: what.to_owned(), word, known: known.to_vec() })
}
