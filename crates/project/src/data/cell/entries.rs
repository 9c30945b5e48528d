//! The text of a cell file.

use super::file::{
    CellFile, CellGripper, CellLocation, CellPart, CellRobot, CellRule, CellSignal, Fingers, JointList,
    LocationPlace, RobotSource, SignalDrive,
};
use crate::data::entry::{Item, Table};
use crate::data::link_kind::LinkKind;
use crate::data::pose::{pose, pose_of};
use crate::data::scene::{Scene, parse_with};
use crate::data::suggest::shortened;
use glam::{DQuat, DVec3};
use noli::world::Pattern;
use noli_formats::{FileError, Place, Units};
use noli_geom::Pose;
use noli_program::run::OnContact;
use noli_robot::PumaSet;
use std::path::PathBuf;

/// Reads the text of a cell. Files that it names are not opened.
pub fn parse_cell(text: &[u8]) -> Result<CellFile, FileError> {
    let (scene, mut cell) = parse_with(text, "the cell", |root| {
        let units = root.take("units").map(|item| item.units()).transpose()?.unwrap_or_default();
        Reader { units }.cell(root)
    })?;
    cell.scene = scene;
    Ok(cell)
}

struct Reader {
    units: Units,
}

fn line(place: Place) -> usize {
    if let Place::Line(line) = place { line } else { 0 }
}

fn path(item: &Item<'_>) -> Result<PathBuf, FileError> {
    item.name().map(PathBuf::from)
}

impl Reader {
    fn length(&self, value: f64) -> f64 {
        self.units.convert(value, Units::Metre)
    }

    fn metres(&self, pose: Pose) -> Pose {
        Pose::new(pose.rotation, pose.translation.map(|x| self.length(x)))
    }

    fn cell(&self, root: &mut Table<'_>) -> Result<CellFile, FileError> {
        let robots = root.need("robot", "add a [[robot]] with `urdf`, `dh` or `puma560`")?;
        // One robot may stand under [robot].
        let tables = if robots.is_array() { robots.tables("robot")? } else { vec![robots.table()?] };
        let robots = tables.into_iter().map(|table| self.robot(table)).collect::<Result<Vec<_>, _>>()?;
        if robots.is_empty() {
            return Err(root.error("the cell has no robot", "add a [[robot]] with `urdf`, `dh` or `puma560`"));
        }
        let gripper = root.take("gripper").map(|item| self.gripper(item.table()?)).transpose()?;
        let locations = list(root, "location", |table| self.location(table))?;
        for (k, location) in locations.iter().enumerate() {
            let same = |other: &CellLocation| {
                let precise = |l: &CellLocation| matches!(l.place, LocationPlace::Joints(_));
                other.name.eq_ignore_ascii_case(&location.name) && precise(other) == precise(location)
            };
            if locations.iter().take(k).any(same) {
                let reason = format!("there are two locations called `{}`", shortened(&location.name));
                let place = Place::Line(location.line);
                return Err(FileError::new(
                    place,
                    reason,
                    "give each its own name; letter case does not count",
                ));
            }
        }
        let parts = list(root, "part", |table| self.part(table))?;
        let signals = list(root, "signal", |table| self.signal(table))?;
        let (rules, margin) = match root.take("collisions") {
            Some(item) => self.rules(item.table()?)?,
            None => (Vec::new(), 0.0),
        };
        let program = root.take("program").map(|item| path(&item)).transpose()?;
        let policies = [("stop", OnContact::Stop), ("warn", OnContact::Warn)];
        let on_contact = root.take("on_contact").map(|item| item.choice(&policies)).transpose()?;
        let blend = root.take("blend").map(|item| item.not_negative()).transpose()?.unwrap_or(0.0);
        let (mut turn_speed, mut tool_speed) = (None, None);
        if let Some(item) = root.take("speed") {
            let mut table = item.table()?;
            let two = |item: Item<'_>| -> Result<[f64; 2], FileError> {
                let two: [f64; 2] = item.numbers()?;
                if two.iter().all(|x| *x > 0.0) {
                    Ok(two)
                } else {
                    Err(item.wrong("give speed and acceleration, both above 0"))
                }
            };
            turn_speed = table.take("joint_deg").map(two).transpose()?.map(|two| two.map(f64::to_radians));
            tool_speed = table.take("tool").map(two).transpose()?.map(|two| two.map(|x| self.length(x)));
            table.finish()?;
        }
        Ok(CellFile {
            scene: Scene::default(),
            robots,
            gripper,
            locations,
            parts,
            signals,
            rules,
            margin,
            program,
            on_contact: on_contact.unwrap_or_default(),
            blend: self.length(blend),
            turn_speed,
            tool_speed,
        })
    }

    fn robot(&self, mut table: Table<'_>) -> Result<CellRobot, FileError> {
        let name = table.take("name").map(|item| item.name()).transpose()?;
        let found = table.take_one(&["urdf", "dh", "puma560", "stored"])?;
        let (radius, database) = (table.take("stand_in"), table.take("database"));
        let Some((key, item)) = found else {
            let reason = format!("{} is described nowhere", table.what());
            let remedy = "add `urdf = \"FILE\"`, `dh = \"FILE\"`, `puma560 = \"fu-gonzalez-lee\"`, or `stored = \"NAME\"` \
                and `database = \"FILE\"`";
            return Err(table.error(reason, remedy));
        };
        if let (Some(database), true) = (&database, key != "stored") {
            return Err(database.error("only `stored` is in a database", "drop `database`"));
        }
        if let (Some(radius), true) = (&radius, key != "puma560") {
            return Err(radius.error("only `puma560` has stand-ins", "drop `stand_in`"));
        }
        let source = match key {
            "urdf" => RobotSource::Urdf(path(&item)?),
            "dh" => RobotSource::Dh(path(&item)?),
            "stored" => {
                let Some(database) = database else {
                    let reason = "a `stored` robot needs the file it is stored in";
                    return Err(item.error(reason, "add `database = \"FILE\"`"));
                };
                RobotSource::Stored { database: path(&database)?, name: item.name()? }
            }
            _ => {
                let set = item.choice(&PumaSet::ALL.map(|set| (set.name(), set)))?;
                let radius = radius.map(|item| item.positive()).transpose()?;
                RobotSource::Puma(set, radius.map_or(0.06, |radius| self.length(radius)))
            }
        };
        let srdf = table.take("srdf").map(|item| path(&item)).transpose()?;
        let packages = match table.take("packages") {
            Some(item) => item.array()?.iter().map(path).collect::<Result<_, _>>()?,
            None => Vec::new(),
        };
        let kinds = [("auto", LinkKind::Auto), ("solid", LinkKind::Solid), ("surface", LinkKind::Surface)];
        let kind = table.take("as").map(|item| item.choice(&kinds)).transpose()?.unwrap_or_default();
        let visual = table.take("visual").map(|item| item.boolean()).transpose()?.unwrap_or(false);
        let base = pose_of(&mut table, "base")?.unwrap_or_default();
        let flange = table.take("flange").map(|item| item.name()).transpose()?;
        let tool = pose_of(&mut table, "tool")?.unwrap_or_default();
        let start = self.joints(&mut table, ["start_deg", "start_rad"])?;
        let ready = self.joints(&mut table, ["ready_deg", "ready_rad"])?;
        let line = line(table.place());
        table.finish()?;
        Ok(CellRobot {
            prefix: name.map_or_else(String::new, |name| format!("{name}/")),
            source,
            srdf,
            packages,
            kind,
            visual,
            base: self.metres(base),
            flange,
            tool: self.metres(tool),
            start,
            ready,
            line,
        })
    }

    /// Reads joint values as given, and the unit of angles. The revolute joints among them are not yet determined.
    fn joints(&self, table: &mut Table<'_>, keys: [&'static str; 2]) -> Result<Option<JointList>, FileError> {
        let Some((key, item)) = table.take_one(&keys)? else { return Ok(None) };
        let values = item.array()?.iter().map(Item::number).collect::<Result<Vec<f64>, _>>()?;
        Ok(Some(JointList { values, degrees: key.ends_with("_deg") }))
    }

    fn boxed(&self, item: &Item<'_>) -> Result<([f64; 3], Pose), FileError> {
        let mut table = item.table()?;
        let size = table.need("box", "add `box = [x, y, z]`")?;
        let edges: [f64; 3] = size.numbers()?;
        if edges.iter().any(|x| *x <= 0.0) {
            return Err(size.wrong("give three edges greater than 0"));
        }
        let place = pose(&mut table)?;
        table.finish()?;
        Ok((edges.map(|x| self.length(x)), self.metres(place)))
    }

    fn gripper(&self, mut table: Table<'_>) -> Result<CellGripper, FileError> {
        let link = table.take("link").map(|item| item.name()).transpose()?;
        let palm = table.take("palm").map(|item| self.boxed(&item)).transpose()?;
        let finger = table.take("finger").map(|item| self.boxed(&item)).transpose()?;
        let axis = table.take("axis").map(|item| item.direction()).transpose()?;
        let joints = table.take("fingers");
        let fingers = match (palm, finger, joints, link) {
            (Some(palm), Some(finger), None, None) => {
                Fingers::Boxes { palm, finger, axis: axis.unwrap_or(DVec3::Y) }
            }
            (None, None, Some(joints), Some(link)) => {
                let mut all = Vec::new();
                for item in joints.array()? {
                    let mut table = item.table()?;
                    let name = table.need("joint", "add `joint = \"…\"`")?.name()?;
                    let closed = table.need("closed", "add `closed`: the value when closed")?.number()?;
                    let open = table.need("open", "add `open`: the value when open")?.number()?;
                    table.finish()?;
                    all.push((name, [closed, open].map(|x| self.length(x))));
                }
                if all.is_empty() {
                    return Err(joints.wrong("name at least one joint"));
                }
                Fingers::Joints { link, joints: all }
            }
            (None, None, None, Some(link)) => Fingers::Sucker { link },
            _ => {
                let remedy = "give `palm` and `finger` (boxes), or `link` and `fingers` (joints), or `link` alone (a sucker)";
                return Err(table.error("the gripper is described neither way", remedy));
            }
        };
        let opening = match table.take("opening") {
            Some(item) => {
                let [closed, open] = item.numbers()?;
                if !(0.0 <= closed && closed <= open) {
                    return Err(item.wrong("give the opening when closed and when open, the smaller first"));
                }
                [closed, open]
            }
            None => [0.0, 0.0],
        };
        if matches!(fingers, Fingers::Boxes { .. }) && opening[0] == opening[1] {
            return Err(table.error("the gripper does not open", "add `opening = [closed, open]`"));
        }
        let slack = table.take("slack").map(|item| item.not_negative()).transpose()?;
        let seconds = table.take("seconds").map(|item| item.not_negative()).transpose()?;
        let line = line(table.place());
        table.finish()?;
        Ok(CellGripper {
            fingers,
            opening: opening.map(|x| self.length(x)),
            slack: slack.map_or(0.002, |slack| self.length(slack)),
            seconds: seconds.unwrap_or(0.2),
            line,
        })
    }

    fn location(&self, mut table: Table<'_>) -> Result<CellLocation, FileError> {
        let name = table.need("name", "add `name = \"…\"`")?;
        let (line, name) = (line(name.place()), val_name(&name)?);
        table.rename(format!("location `{}`", shortened(&name)));
        let joints = self.joints(&mut table, ["joints_deg", "joints_rad"])?;
        let frame = table.take("in").map(|item| item.name()).transpose()?;
        let relative = table.take("relative").map(|item| item.boolean()).transpose()?.unwrap_or(false);
        let turns = table.take("zyz_deg").map(|item| item.numbers::<3>()).transpose()?;
        let at = pose(&mut table)?;
        let at = match turns {
            None => at,
            Some(_) if at.rotation != DQuat::IDENTITY => {
                return Err(table.error(format!("{} is turned twice", table.what()), "keep one rotation"));
            }
            Some([o, a, t]) => {
                let turn = |axis: DVec3, degrees: f64| DQuat::from_axis_angle(axis, degrees.to_radians());
                Pose::new(turn(DVec3::Z, o) * turn(DVec3::Y, a) * turn(DVec3::Z, t), at.translation)
            }
        };
        let at = self.metres(at);
        let place = match (joints, frame, relative) {
            (Some(joints), None, false) => LocationPlace::Joints(joints),
            (None, Some(frame), false) => LocationPlace::In(frame, at),
            (None, None, true) => LocationPlace::Relative(at),
            (None, None, false) => LocationPlace::World(at),
            _ => {
                let reason = format!("{} is given in two ways", table.what());
                return Err(table.error(reason, "keep one of joints, `in` and `relative`"));
            }
        };
        table.finish()?;
        Ok(CellLocation { name, place, line })
    }

    fn part(&self, mut table: Table<'_>) -> Result<CellPart, FileError> {
        let body = table.need("body", "add `body = \"…\"`: a body of this file, or several by *")?;
        let (line, body) = (line(body.place()), Pattern::new(body.name()?));
        let may_touch = match table.take("may_touch") {
            Some(item) => item.array()?.iter().map(Item::name).collect::<Result<_, _>>()?,
            None => Vec::new(),
        };
        table.finish()?;
        Ok(CellPart { body, may_touch, line })
    }

    fn signal(&self, mut table: Table<'_>) -> Result<CellSignal, FileError> {
        let number = table.need("number", "add `number`")?.whole(1..=9999)?;
        table.rename(format!("signal {number}"));
        let name = table.take("name").map(|item| val_name(&item)).transpose()?;
        let delay = table.take("delay").map(|item| item.not_negative()).transpose()?;
        let inverted = table.take("inverted").map(|item| item.boolean()).transpose()?;
        let found = table.take_one(&["on", "at", "follows", "sees"])?;
        let Some((key, item)) = found else {
            let reason = format!("nothing drives {}", table.what());
            let remedy = "add `on = true`, `at = [[seconds, true]]`, `follows = OUTPUT` or `sees = { box = …, xyz = … }`";
            return Err(table.error(reason, remedy));
        };
        if key != "follows" && (delay.is_some() || inverted.is_some()) {
            return Err(item.error("only `follows` has `delay` and `inverted`", "drop them"));
        }
        let drive = match key {
            "on" => SignalDrive::Constant(item.boolean()?),
            "at" => {
                let mut changes = Vec::new();
                for entry in item.array()? {
                    let pair: [Item<'_>; 2] = entry
                        .array()?
                        .try_into()
                        .map_err(|_| entry.wrong("give [seconds, true or false]"))?;
                    changes.push((pair[0].not_negative()?, pair[1].boolean()?));
                }
                if changes.array_windows().any(|[one, next]| next.0 <= one.0) {
                    return Err(item.error("the times do not increase", "list the changes in order of time"));
                }
                SignalDrive::Timed(changes)
            }
            "follows" => SignalDrive::Follows {
                output: item.whole(1..=9999)?,
                delay: delay.unwrap_or(0.0),
                inverted: inverted.unwrap_or(false),
            },
            _ => {
                let (size, place) = self.boxed(&item)?;
                SignalDrive::Sees { size, place }
            }
        };
        table.finish()?;
        Ok(CellSignal { number, name, drive })
    }

    fn rules(&self, mut table: Table<'_>) -> Result<(Vec<CellRule>, f64), FileError> {
        let mut rules = Vec::new();
        if let Some(item) = table.take("skip") {
            for entry in item.array()? {
                let names = entry.array()?;
                let remedy = "give two names in [ ], and why as a third text";
                let (pair, reason) = match &names[..] {
                    [a, b] => ([a, b], "said in the cell file".to_owned()),
                    [a, b, why] => ([a, b], why.text()?.to_owned()),
                    _ => return Err(entry.wrong(remedy)),
                };
                let pair = [Pattern::new(pair[0].name()?), Pattern::new(pair[1].name()?)];
                rules.push(CellRule { pair, margin: None, reason, line: line(entry.place()) });
            }
        }
        let margin = table.take("margin").map(|item| item.not_negative()).transpose()?.unwrap_or(0.0);
        if let Some(item) = table.take("margins") {
            for entry in item.array()? {
                let mut table = entry.table()?;
                let pair = table.need("pair", "add `pair = [\"a\", \"b\"]`")?;
                let [a, b]: [Item<'_>; 2] =
                    pair.array()?.try_into().map_err(|_| pair.wrong("give two names in [ ]"))?;
                let pair = [Pattern::new(a.name()?), Pattern::new(b.name()?)];
                let own = table.need("margin", "add `margin`")?;
                let own_margin = own.not_negative()?;
                if own_margin < margin {
                    return Err(own.error(
                        "this margin is smaller than that of all pairs",
                        "give a larger one, or lower `margin`",
                    ));
                }
                table.finish()?;
                let margin = Some(self.length(own_margin - margin));
                rules.push(CellRule { pair, margin, reason: String::new(), line: line(entry.place()) });
            }
        }
        table.finish()?;
        Ok((rules, self.length(margin)))
    }
}

fn list<T>(
    root: &mut Table<'_>,
    key: &'static str,
    read: impl FnMut(Table<'_>) -> Result<T, FileError>,
) -> Result<Vec<T>, FileError> {
    let Some(item) = root.take(key) else { return Ok(Vec::new()) };
    item.tables(key)?.into_iter().map(read).collect()
}

/// Reads a name that is valid in programs.
fn val_name(item: &Item<'_>) -> Result<String, FileError> {
    let name = item.name()?;
    let first = name.chars().next().is_some_and(|c| c.is_ascii_alphabetic());
    if first && name.chars().all(|c| c.is_ascii_alphanumeric() || "._".contains(c)) {
        return Ok(name);
    }
    let reason = format!("`{}` is not a name that a program can say", shortened(&name));
    Err(item.error(reason, "begin with a letter; go on with letters, digits, dots and underscores"))
}
