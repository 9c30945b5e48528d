//! Robots by the rows of Denavit and Hartenberg (1955), standard or as modified by Craig (1986).
//!
//! Standard: `A = Rz(θ)·Tz(d)·Tx(a)·Rx(α)`, the joint before its link. Modified: `A =
//! Rx(α)·Tx(a)·Rz(θ)·Tz(d)`, the offsets before the joint. The joint's value is added to θ, or to d where it
//! slides.

use crate::message::suggestion;
use crate::text::{Lines, fixed_angles};
use crate::tree::{Joint, JointKind, Limits, Link, Parts, Robot};
use crate::{Fault, Place, RobotError};
use glam::DVec3;
use noli_geom::Pose;
use std::str::FromStr;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Position of a row's joint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Convention {
    /// Before its link: the joint of row i turns about the z of frame i − 1.
    #[default]
    Standard,
    /// Behind its offsets: the joint of row i turns about the z of frame i.
    Modified,
}

/// One joint and the link behind it. Radians and metres.
#[derive(Clone, Debug, PartialEq)]
pub struct DhRow {
    /// The joint's name.
    pub name: String,
    /// `true` if it slides along z instead of rotating about it.
    pub slides: bool,
    /// θ of the joint's zero.
    pub theta: f64,
    /// d of the joint's zero.
    pub d: f64,
    /// Length along x.
    pub a: f64,
    /// Twist about x.
    pub alpha: f64,
    /// Limits of range and speed.
    pub limits: Limits,
    /// Position in the source text.
    pub place: Option<Place>,
}

/// A chain of such rows.
#[derive(Clone, Debug, PartialEq)]
pub struct DhTable {
    /// The robot's name.
    pub name: String,
    /// Position of the joints in their rows.
    pub convention: Convention,
    /// From the base outwards.
    pub rows: Vec<DhRow>,
    /// Pose of the tool on the last link, which becomes a link `tool`; `None` without a tool.
    pub last_from_tool: Option<Pose>,
}

impl DhTable {
    /// The robot: links `base`, `link1`, `link2`, …, and `tool` if there is one. Without limits a turn is
    /// continuous; a slide must have some.
    pub fn robot(&self) -> Result<Robot, RobotError> {
        let mut parts = Parts { name: self.name.clone(), links: vec![Link::named("base")], joints: vec![] };
        for (i, row) in self.rows.iter().enumerate() {
            let child = format!("link{}", i.saturating_add(1));
            let kind = match (row.slides, row.limits.range) {
                (true, _) => JointKind::Prismatic,
                (false, Some(_)) => JointKind::Revolute,
                (false, None) => JointKind::Continuous,
            };
            let parent = parts.links.last().map_or_else(String::new, |link| link.name.clone());
            let mut joint = Joint::new(row.name.clone(), kind, parent, child.clone());
            for (what, angle) in [("theta", row.theta), ("alpha", row.alpha)] {
                if angle.is_nan() || angle.abs() > crate::MAX_ANGLE {
                    let what = format!("{what} of joint `{}`", row.name);
                    let fault = Fault::OutOfRange { what, value: angle, range: "at most 2^25 radians" };
                    return Err(RobotError::at(row.place, fault));
                }
            }
            let about_z = Pose::from_rotation(fixed_angles(DVec3::Z * row.theta));
            let along_z = Pose::from_translation(DVec3::Z * row.d);
            let offsets = Pose::new(fixed_angles(DVec3::X * row.alpha), DVec3::X * row.a);
            // θ and d commute with any movement about or along z.
            (joint.parent_from_joint, joint.joint_from_child) = match self.convention {
                Convention::Standard => (Pose::IDENTITY, about_z * along_z * offsets),
                Convention::Modified => (offsets, about_z * along_z),
            };
            joint.limits = row.limits;
            joint.place = row.place;
            parts.joints.push(joint);
            parts.links.push(Link { place: row.place, ..Link::named(child) });
        }
        if let Some(last_from_tool) = self.last_from_tool {
            let last = parts.links.last().map_or_else(String::new, |link| link.name.clone());
            let mut joint = Joint::new("tool", JointKind::Fixed, last, "tool");
            joint.parent_from_joint = last_from_tool;
            parts.joints.push(joint);
            parts.links.push(Link::named("tool"));
        }
        Robot::new(parts)
    }
}

impl Robot {
    /// Builds the robot of a table of Denavit and Hartenberg, a [`DhTable`] in TOML.
    pub fn from_dh_str(text: &str) -> Result<Self, RobotError> {
        text.parse::<DhTable>()?.robot()
    }
}

impl FromStr for DhTable {
    type Err = RobotError;

    /// Reads a table from TOML text.
    ///
    /// ```
    /// let text = r#"
    /// name = "elbow"
    /// convention = "standard"   # or "modified"
    /// unit = "mm"               # of lengths; metres if not stated
    /// [[joint]]
    /// a = 300.0
    /// alpha_deg = 90.0
    /// range_deg = [-160.0, 160.0]
    /// [[joint]]
    /// slides = true
    /// range = [0.0, 250.0]
    /// "#;
    /// let robot = noli_robot::Robot::from_dh_str(text)?;
    /// assert_eq!(robot.variables()[1].limits.range, Some([0.0, 0.25]));
    /// # Ok::<(), noli_robot::RobotError>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, RobotError> {
        let lines = Lines::new(text)?;
        let root = DeTable::parse(text).map_err(|error| {
            let place = lines.place(error.span().map_or(0, |span| span.start));
            let reason = error.message().to_owned();
            RobotError::at(place, Fault::Syntax { format: "TOML", reason })
        })?;
        let mut table = Table::new(root.get_ref(), root.span().start, "the table", &lines);
        let name = table.string("name")?.map_or_else(|| "robot".to_owned(), |(name, _)| name);
        let convention = match table.word("convention", &["standard", "modified"])? {
            Some(1) => Convention::Modified,
            _ => Convention::Standard,
        };
        let meter = match table.word("unit", &["m", "mm", "cm", "in"])? {
            Some(1) => 1e-3,
            Some(2) => 1e-2,
            Some(3) => 0.0254,
            _ => 1.0,
        };
        let mut rows = Vec::new();
        for (number, (row, start)) in table.tables("joint")?.into_iter().enumerate() {
            let row = Table::new(row, start, format!("joint {}", number.saturating_add(1)), &lines);
            rows.push(read_row(row, number, meter)?);
        }
        if rows.is_empty() {
            return Err(table.missing("a `[[joint]]`"));
        }
        let last_from_tool = match table.table("tool")? {
            None => None,
            Some((tool, start)) => Some(read_tool(Table::new(tool, start, "the tool", &lines), meter)?),
        };
        table.finish()?;
        Ok(DhTable { name, convention, rows, last_from_tool })
    }
}

fn read_row(mut row: Table<'_>, number: usize, meter: f64) -> Result<DhRow, RobotError> {
    let name =
        row.string("name")?.map_or_else(|| format!("joint{}", number.saturating_add(1)), |(name, _)| name);
    let slides = row.truth("slides")?.unwrap_or(false);
    let mut angle = |key| Ok::<_, RobotError>(row.number(key)?.unwrap_or(0.0).to_radians());
    let (theta, alpha) = (angle("theta_deg")?, angle("alpha_deg")?);
    let mut length = |key| Ok::<_, RobotError>(row.number(key)?.unwrap_or(0.0) * meter);
    let (d, a) = (length("d")?, length("a")?);
    // Only the keys of its own kind: a joint that slides has no range in degrees.
    let (keys, unit) = if slides {
        (["range", "velocity", "acceleration"], meter)
    } else {
        (["range_deg", "velocity_deg", "acceleration_deg"], 1f64.to_radians())
    };
    let range = row.numbers::<2>(keys[0])?.map(|range| range.map(|x| x * unit));
    let velocity = row.number(keys[1])?.map(|x| x * unit);
    let acceleration = row.number(keys[2])?.map(|x| x * unit);
    let place = Some(row.lines.place(row.start));
    row.finish()?;
    let limits = Limits { range, velocity, acceleration, effort: None };
    Ok(DhRow { name, slides, theta, d, a, alpha, limits, place })
}

fn read_tool(mut tool: Table<'_>, meter: f64) -> Result<Pose, RobotError> {
    let translation = DVec3::from_array(tool.numbers::<3>("translation")?.unwrap_or([0.0; 3])) * meter;
    let angles = DVec3::from_array(tool.numbers::<3>("rpy_deg")?.unwrap_or([0.0; 3]).map(f64::to_radians));
    let place = tool.lines.place(tool.start);
    tool.finish()?;
    if let Some(value) = angles.to_array().into_iter().find(|angle| angle.abs() > crate::MAX_ANGLE) {
        let what = "`rpy_deg` of the tool".to_owned();
        return Err(RobotError::at(place, Fault::OutOfRange { what, value, range: "at most 2^25 radians" }));
    }
    Ok(Pose::new(fixed_angles(angles), translation))
}

/// A TOML table that keeps its position and the keys that were read.
struct Table<'a> {
    table: &'a DeTable<'a>,
    start: usize,
    what: String,
    lines: &'a Lines<'a>,
    known: Vec<&'static str>,
}

impl<'a> Table<'a> {
    fn new(table: &'a DeTable<'a>, start: usize, what: impl Into<String>, lines: &'a Lines<'a>) -> Self {
        Self { table, start, what: what.into(), lines, known: Vec::new() }
    }

    fn take(&mut self, key: &'static str) -> Option<&'a Spanned<DeValue<'a>>> {
        self.known.push(key);
        self.table.get(key)
    }

    fn wrong(&self, key: &str, value: &Spanned<DeValue<'_>>, wanted: &str) -> RobotError {
        let what = format!("`{key}` of {}", self.what);
        let text = match value.get_ref() {
            DeValue::String(text) => crate::message::excerpt(text),
            DeValue::Integer(number) => crate::message::excerpt(number.as_str()),
            DeValue::Float(number) => crate::message::excerpt(number.as_str()),
            DeValue::Boolean(truth) => truth.to_string(),
            DeValue::Datetime(_) => "a date".to_owned(),
            DeValue::Array(_) => "a list".to_owned(),
            DeValue::Table(_) => "a table".to_owned(),
        };
        let fault = Fault::NotANumber { what, text, wanted: wanted.to_owned() };
        RobotError::at(self.lines.place(value.span().start), fault)
    }

    fn string(&mut self, key: &'static str) -> Result<Option<(String, Place)>, RobotError> {
        let Some(value) = self.take(key) else { return Ok(None) };
        match value.get_ref() {
            DeValue::String(text) => Ok(Some((text.to_string(), self.lines.place(value.span().start)))),
            _ => Err(self.wrong(key, value, "a text in quotes")),
        }
    }

    /// Returns the index of its word in `known`.
    fn word(&mut self, key: &'static str, known: &[&'static str]) -> Result<Option<usize>, RobotError> {
        let Some((word, place)) = self.string(key)? else { return Ok(None) };
        let found = known.iter().position(|other| *other == word);
        found.map(Some).ok_or_else(|| {
            let word = crate::message::excerpt(&word);
            RobotError::at(place, Fault::UnknownWord { what: key.to_owned(), word, known: known.to_vec() })
        })
    }

    fn truth(&mut self, key: &'static str) -> Result<Option<bool>, RobotError> {
        let Some(value) = self.take(key) else { return Ok(None) };
        match value.get_ref() {
            DeValue::Boolean(truth) => Ok(Some(*truth)),
            _ => Err(self.wrong(key, value, "true or false")),
        }
    }

    fn one(&self, key: &str, value: &Spanned<DeValue<'_>>) -> Result<f64, RobotError> {
        let number = match value.get_ref() {
            DeValue::Integer(number) if number.radix() == 10 => number.as_str().parse::<f64>().ok(),
            DeValue::Float(number) => number.as_str().parse().ok(),
            _ => None,
        };
        match number {
            Some(number) if number.is_finite() => Ok(number),
            Some(number) => {
                let what = format!("`{key}` of {}", self.what);
                let place = self.lines.place(value.span().start);
                Err(RobotError::at(place, Fault::NotFinite { what, value: number }))
            }
            None => Err(self.wrong(key, value, "a number")),
        }
    }

    fn number(&mut self, key: &'static str) -> Result<Option<f64>, RobotError> {
        let Some(value) = self.take(key) else { return Ok(None) };
        self.one(key, value).map(Some)
    }

    fn numbers<const N: usize>(&mut self, key: &'static str) -> Result<Option<[f64; N]>, RobotError> {
        let Some(value) = self.take(key) else { return Ok(None) };
        let DeValue::Array(items) = value.get_ref() else {
            return Err(self.wrong(key, value, &format!("a list of {N} numbers")));
        };
        if items.len() != N {
            return Err(self.wrong(key, value, &format!("a list of {N} numbers")));
        }
        let mut numbers = [0.0; N];
        for (number, item) in numbers.iter_mut().zip(items.iter()) {
            *number = self.one(key, item)?;
        }
        Ok(Some(numbers))
    }

    fn table(&mut self, key: &'static str) -> Result<Option<(&'a DeTable<'a>, usize)>, RobotError> {
        let Some(value) = self.take(key) else { return Ok(None) };
        match value.get_ref() {
            DeValue::Table(table) => Ok(Some((table, value.span().start))),
            _ => Err(self.wrong(key, value, "a table")),
        }
    }

    fn tables(&mut self, key: &'static str) -> Result<Vec<(&'a DeTable<'a>, usize)>, RobotError> {
        let Some(value) = self.take(key) else { return Ok(Vec::new()) };
        let DeValue::Array(items) = value.get_ref() else {
            return Err(self.wrong(key, value, "a list of tables"));
        };
        let table = |item: &'a Spanned<DeValue<'a>>| match item.get_ref() {
            DeValue::Table(table) => Ok((table, item.span().start)),
            _ => Err(self.wrong(key, item, "a table")),
        };
        items.iter().map(table).collect()
    }

    fn missing(&self, what: &str) -> RobotError {
        let fault = Fault::Missing { what: what.to_owned(), place: self.what.clone() };
        RobotError::at(self.lines.place(self.start), fault)
    }

    /// Rejects keys that were not read.
    fn finish(self) -> Result<(), RobotError> {
        let unknown = self.table.keys().filter(|key| !self.known.contains(&key.get_ref().as_ref()));
        let Some(key) = unknown.min_by_key(|key| key.span().start) else { return Ok(()) };
        let name: &str = key.get_ref();
        let place = self.lines.place(key.span().start);
        let hint = suggestion(name, self.known.iter().copied());
        let name = crate::message::excerpt(name);
        Err(RobotError::at(place, Fault::NoSuch { user: self.what, what: "key", name, hint }))
    }
}
