//! SRDF: what a robot's links and joints are for, and which pairs of links need no check.
//!
//! Only the disabled pairs matter for a check. Elements with faults are left out with a warning, as other readers do:
//! a pair that is not disabled is checked.

use crate::message::suggestion;
use crate::tree::{JointKind, Robot};
use crate::urdf_write::fixed_axes;
use crate::xml::{Element, Xml, escaped, without_late_declaration};
use crate::{Fault, Place, RobotError};
use glam::DQuat;
use noli_geom::Pose;
use noli_geom::internals::sort_by_key;
use std::collections::{BTreeSet, HashSet};
use std::fmt::Write;
use std::str::FromStr;

/// Content of an SRDF file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Srdf {
    /// The robot it is about.
    pub robot: String,
    /// Sets of links and joints.
    pub groups: Vec<Group>,
    /// Named values for the joints of a group.
    pub states: Vec<GroupState>,
    /// Hands and tools.
    pub end_effectors: Vec<EndEffector>,
    /// Connection of the robot to the world.
    pub virtual_joints: Vec<VirtualJoint>,
    /// Joints that nothing drives.
    pub passive_joints: Vec<(String, Option<Place>)>,
    /// Pairs of links that need no check.
    pub disabled: Vec<DisabledPair>,
    /// Faults that were tolerated: elements left out, and names that do not exist.
    pub warnings: Vec<RobotError>,
}

/// A set of links and joints.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// Its links; the parent joint of each belongs to it too.
    pub links: Vec<String>,
    /// Its joints; the child link of each belongs to it too.
    pub joints: Vec<String>,
    /// Chains from one link to another.
    pub chains: Vec<Chain>,
    /// Groups that belong to it.
    pub groups: Vec<String>,
    /// Position in the source text.
    pub place: Option<Place>,
}

/// All links and joints between two links.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// The link nearer to the root.
    pub base: String,
    /// The link at the end.
    pub tip: String,
}

/// Named values for the joints of a group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroupState {
    /// Its name.
    pub name: String,
    /// The group; empty if not stated.
    pub group: String,
    /// A value for each joint, radians or metres; joints with several variables are named by those.
    pub values: Vec<(String, f64)>,
    /// Position in the source text.
    pub place: Option<Place>,
}

/// A hand or a tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EndEffector {
    /// Its name.
    pub name: String,
    /// Its links and joints.
    pub group: String,
    /// The link that carries it.
    pub parent_link: String,
    /// The group of the arm that it is attached to; `None` if not stated.
    pub parent_group: Option<String>,
    /// Position in the source text.
    pub place: Option<Place>,
}

/// Connection of the robot to the world.
#[derive(Clone, Debug, PartialEq)]
pub struct VirtualJoint {
    /// Its name.
    pub name: String,
    /// Fixed, planar or floating.
    pub kind: JointKind,
    /// A frame of the world.
    pub parent_frame: String,
    /// The robot's link.
    pub child_link: String,
    /// Position in the source text.
    pub place: Option<Place>,
}

/// Two links that need no check.
#[derive(Clone, Debug, PartialEq)]
pub struct DisabledPair {
    /// Both links.
    pub links: [String; 2],
    /// Reason, such as `Adjacent` or `Never`; empty if not stated.
    pub reason: String,
    /// Position in the source text.
    pub place: Option<Place>,
}

impl FromStr for Srdf {
    type Err = RobotError;

    /// Reads the text of an SRDF file. Names are looked up by [`Srdf::check`].
    fn from_str(text: &str) -> Result<Self, RobotError> {
        let (text, _) = without_late_declaration(text);
        let xml = Xml::parse(&text, "SRDF")?;
        let root = xml.root("robot")?;
        xml.refuse_macros()?;
        root.refuse_children(&["link", "joint"], "a URDF", "give the SRDF of the robot")?;
        let mut srdf = Srdf { robot: root.text_of("name")?, ..Srdf::default() };
        for element in root.children() {
            if let Err(error) = srdf.add(element) {
                element.tolerate(error);
            }
        }
        srdf.warnings = xml.into_warnings();
        Ok(srdf)
    }
}

impl Srdf {
    fn add(&mut self, element: Element<'_, '_>) -> Result<(), RobotError> {
        let place = Some(element.place());
        match element.name() {
            "group" => {
                let group = group(element)?;
                if self.groups.iter().any(|other| other.name == group.name) {
                    let fault = Fault::Duplicate { what: "group", name: group.name };
                    return Err(RobotError::at(place, fault));
                }
                self.groups.push(group);
            }
            "group_state" => self.states.push(state(element)?),
            "end_effector" => self.end_effectors.push(EndEffector {
                name: element.text_of("name")?,
                group: element.text_of("group")?,
                parent_link: element.text_of("parent_link")?,
                parent_group: element.attribute("parent_group").map(|(name, _)| name.to_owned()),
                place,
            }),
            "virtual_joint" => self.virtual_joints.push(virtual_joint(element)?),
            "passive_joint" => self.passive_joints.push((element.text_of("name")?, place)),
            "disable_collisions" => self.disabled.push(DisabledPair {
                links: [element.text_of("link1")?, element.text_of("link2")?],
                reason: element.attribute("reason").map_or_else(String::new, |(reason, _)| reason.to_owned()),
                place,
            }),
            _ => {}
        }
        Ok(())
    }
}

fn group(element: Element<'_, '_>) -> Result<Group, RobotError> {
    let mut group =
        Group { name: element.text_of("name")?, place: Some(element.place()), ..Group::default() };
    for member in element.children() {
        match member.name() {
            "link" => group.links.push(member.text_of("name")?),
            "joint" => group.joints.push(member.text_of("name")?),
            "group" => group.groups.push(member.text_of("name")?),
            "chain" => group
                .chains
                .push(Chain { base: member.text_of("base_link")?, tip: member.text_of("tip_link")? }),
            _ => {}
        }
    }
    Ok(group)
}

/// Suffixes of the variables of a planar and of a floating joint.
const PLANAR: [&str; 3] = ["/x", "/y", "/theta"];
const FLOATING: [&str; 6] = ["/x", "/y", "/z", "/yaw", "/pitch", "/roll"];

fn state(element: Element<'_, '_>) -> Result<GroupState, RobotError> {
    let mut values = Vec::new();
    for joint in element.named("joint") {
        match joint_values(joint) {
            Ok(found) => values.extend(found),
            Err(error) => joint.tolerate(error),
        }
    }
    let group = element.attribute("group").map_or_else(String::new, |(group, _)| group.to_owned());
    Ok(GroupState { name: element.text_of("name")?, group, values, place: Some(element.place()) })
}

/// The values of a joint. Those of a joint with several variables are named as these are. Orientations may be given
/// as Pinocchio and MoveIt do: an angle as cosine and sine, a rotation as a quaternion.
fn joint_values(joint: Element<'_, '_>) -> Result<Vec<(String, f64)>, RobotError> {
    let name = joint.text_of("name")?;
    let (text, place) = joint.need("value")?;
    let what = || format!("`value` of {}", joint.what());
    let wrong = |wanted: &str| {
        let (what, text) = (what(), crate::message::excerpt(text));
        RobotError::at(place, Fault::NotANumber { what, text, wanted: wanted.to_owned() })
    };
    let words = text.split(|c: char| c.is_ascii_whitespace() || c == ',').filter(|word| !word.is_empty());
    let numbers = words.map(|word| crate::text::numbers(word, place, what).map(|[value]| value));
    let numbers = numbers.collect::<Result<Vec<f64>, _>>()?;
    let angle = |cos: f64, sin: f64| {
        let unit = (cos.hypot(sin) - 1.0).abs() < 1e-3;
        if unit { Ok(sin.atan2(cos)) } else { Err(wrong("the cosine and sine of an angle")) }
    };
    let (suffixes, values): (&[&str], Vec<f64>) = match numbers[..] {
        [value] => (&[""], vec![value]),
        [cos, sin] => (&[""], vec![angle(cos, sin)?]),
        [_, _, _] => (&PLANAR, numbers),
        [x, y, cos, sin] => (&PLANAR, vec![x, y, angle(cos, sin)?]),
        [_, _, _, _, _, _] => (&FLOATING, numbers),
        [x, y, z, qx, qy, qz, qw] => {
            let pose = Pose::from_rotation(DQuat::from_xyzw(qx, qy, qz, qw));
            if !pose.is_valid() {
                return Err(wrong("a position and a quaternion"));
            }
            let turns = fixed_axes(&pose.rotation_matrix());
            (&FLOATING, vec![x, y, z, turns.z, turns.y, turns.x])
        }
        _ => return Err(wrong("1, 2, 3, 4, 6 or 7 numbers")),
    };
    Ok(suffixes.iter().map(|suffix| name.clone() + suffix).zip(values).collect())
}

fn virtual_joint(element: Element<'_, '_>) -> Result<VirtualJoint, RobotError> {
    let (word, place) = element.need("type")?;
    let kinds = [JointKind::Fixed, JointKind::Planar, JointKind::Floating];
    let Some(kind) = kinds.into_iter().find(|kind| kind.word() == word) else {
        let known = kinds.iter().map(|kind| kind.word()).collect();
        let fault = Fault::UnknownWord { what: "type of virtual joint".into(), word: word.into(), known };
        return Err(RobotError::at(place, fault));
    };
    Ok(VirtualJoint {
        name: element.text_of("name")?,
        kind,
        parent_frame: element.text_of("parent_frame")?,
        child_link: element.text_of("child_link")?,
        place: Some(element.place()),
    })
}

impl Srdf {
    /// Looks up every link, joint and group that it names, and returns those that do not exist. A name that is used
    /// several times is returned once, with its first place.
    pub fn check(&self, robot: &Robot) -> Vec<RobotError> {
        let mut names = Names { srdf: self, robot, seen: HashSet::new(), missing: Vec::new() };
        for group in &self.groups {
            group.links.iter().for_each(|name| names.link(&group.name, name, group.place));
            group.joints.iter().for_each(|name| names.joint(&group.name, name, group.place));
            group.groups.iter().for_each(|name| names.group(&group.name, name, group.place));
            for chain in &group.chains {
                names.link(&group.name, &chain.base, group.place);
                names.link(&group.name, &chain.tip, group.place);
            }
        }
        for state in &self.states {
            names.group(&state.name, &state.group, state.place);
            for (name, _) in by_joint(&state.values) {
                names.joint(&state.name, name, state.place);
            }
        }
        for hand in &self.end_effectors {
            names.group(&hand.name, &hand.group, hand.place);
            names.link(&hand.name, &hand.parent_link, hand.place);
        }
        for base in &self.virtual_joints {
            names.link(&base.name, &base.child_link, base.place);
        }
        for pair in &self.disabled {
            pair.links.iter().for_each(|name| names.link("disable_collisions", name, pair.place));
        }
        self.passive_joints.iter().for_each(|(name, place)| names.joint("passive_joint", name, *place));
        names.missing
    }

    /// Returns the numbers of a group's movable joints, from the root outwards; empty if the group does not exist.
    pub fn group_joints(&self, robot: &Robot, group: &str) -> Vec<usize> {
        let mut wanted = BTreeSet::new();
        let (mut todo, mut seen) = (vec![group], HashSet::new());
        while let Some(name) = todo.pop() {
            let Some(group) = self.groups.iter().find(|group| group.name == name) else { continue };
            if !seen.insert(name) {
                continue;
            }
            todo.extend(group.groups.iter().map(String::as_str));
            let by_link = group.links.iter().filter_map(|name| robot.joint_of_link(robot.link(name)?));
            let by_name = group.joints.iter().filter_map(|name| robot.joint(name));
            wanted.extend(by_link.chain(by_name));
            for chain in &group.chains {
                let (Some(base), Some(tip)) = (robot.link(&chain.base), robot.link(&chain.tip)) else {
                    continue;
                };
                let above = robot.joints_to(base).len();
                wanted.extend(robot.joints_to(tip).into_iter().skip(above));
            }
        }
        let moves =
            |joint: &usize| robot.joints().get(*joint).is_some_and(|joint| joint.kind != JointKind::Fixed);
        let mut joints: Vec<usize> = wanted.into_iter().filter(moves).collect();
        sort_by_key(&mut joints, |&joint| (robot.joints_to(robot.ends(joint)[1]).len(), joint));
        joints
    }
}

/// Names of an SRDF while they are looked up.
struct Names<'a> {
    srdf: &'a Srdf,
    robot: &'a Robot,
    seen: HashSet<(&'static str, String)>,
    missing: Vec<RobotError>,
}

impl Names<'_> {
    fn link(&mut self, user: &str, name: &str, place: Option<Place>) {
        if self.robot.link(name).is_none() {
            let hint = suggestion(name, self.robot.links().iter().map(|link| link.name.as_str()));
            self.miss(user, ("link", name), hint, place);
        }
    }

    fn joint(&mut self, user: &str, name: &str, place: Option<Place>) {
        let is_virtual = self.srdf.virtual_joints.iter().any(|joint| joint.name == name);
        // Pinocchio calls a floating base so, which is no joint of the description.
        if self.robot.joint(name).is_none() && !is_virtual && name != "root_joint" {
            let hint = suggestion(name, self.robot.joints().iter().map(|joint| joint.name.as_str()));
            self.miss(user, ("joint", name), hint, place);
        }
    }

    fn group(&mut self, user: &str, name: &str, place: Option<Place>) {
        if !name.is_empty() && !self.srdf.groups.iter().any(|group| group.name == name) {
            let hint = suggestion(name, self.srdf.groups.iter().map(|group| group.name.as_str()));
            self.miss(user, ("group", name), hint, place);
        }
    }

    fn miss(&mut self, user: &str, (what, name): (&'static str, &str), hint: String, place: Option<Place>) {
        if self.seen.insert((what, name.to_owned())) {
            let (user, name) = (user.to_owned(), name.to_owned());
            self.missing.push(RobotError::at(place, Fault::NoSuch { user, what, name, hint }));
        }
    }
}

impl Srdf {
    /// The text of an SRDF file; reading it gives the same data, places aside.
    pub fn to_xml(&self) -> String {
        let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        // Writing to a string cannot fail.
        let _ = write_all(self, &mut out);
        out
    }
}

fn write_all(srdf: &Srdf, out: &mut String) -> std::fmt::Result {
    writeln!(out, "<robot name=\"{}\">", escaped(&srdf.robot))?;
    for group in &srdf.groups {
        writeln!(out, "  <group name=\"{}\">", escaped(&group.name))?;
        for (tag, names) in [("link", &group.links), ("joint", &group.joints), ("group", &group.groups)] {
            for name in names {
                writeln!(out, "    <{tag} name=\"{}\"/>", escaped(name))?;
            }
        }
        for chain in &group.chains {
            let (base, tip) = (escaped(&chain.base), escaped(&chain.tip));
            writeln!(out, "    <chain base_link=\"{base}\" tip_link=\"{tip}\"/>")?;
        }
        writeln!(out, "  </group>")?;
    }
    for state in &srdf.states {
        write!(out, "  <group_state name=\"{}\"", escaped(&state.name))?;
        if !state.group.is_empty() {
            write!(out, " group=\"{}\"", escaped(&state.group))?;
        }
        writeln!(out, ">")?;
        for (joint, values) in by_joint(&state.values) {
            let values: Vec<_> = values.iter().map(f64::to_string).collect();
            writeln!(out, "    <joint name=\"{}\" value=\"{}\"/>", escaped(joint), values.join(" "))?;
        }
        writeln!(out, "  </group_state>")?;
    }
    for hand in &srdf.end_effectors {
        let (name, group, link) = (escaped(&hand.name), escaped(&hand.group), escaped(&hand.parent_link));
        write!(out, "  <end_effector name=\"{name}\" parent_link=\"{link}\" group=\"{group}\"")?;
        if let Some(parent) = &hand.parent_group {
            write!(out, " parent_group=\"{}\"", escaped(parent))?;
        }
        writeln!(out, "/>")?;
    }
    for base in &srdf.virtual_joints {
        let (name, kind) = (escaped(&base.name), base.kind.word());
        let (frame, link) = (escaped(&base.parent_frame), escaped(&base.child_link));
        write!(out, "  <virtual_joint name=\"{name}\" type=\"{kind}\"")?;
        writeln!(out, " parent_frame=\"{frame}\" child_link=\"{link}\"/>")?;
    }
    for (name, _) in &srdf.passive_joints {
        writeln!(out, "  <passive_joint name=\"{}\"/>", escaped(name))?;
    }
    for pair in &srdf.disabled {
        let [a, b] = [escaped(&pair.links[0]), escaped(&pair.links[1])];
        write!(out, "  <disable_collisions link1=\"{a}\" link2=\"{b}\"")?;
        if !pair.reason.is_empty() {
            write!(out, " reason=\"{}\"", escaped(&pair.reason))?;
        }
        writeln!(out, "/>")?;
    }
    writeln!(out, "</robot>")
}

/// Values of one joint together, as the file has them.
fn by_joint(values: &[(String, f64)]) -> Vec<(&str, Vec<f64>)> {
    let mut joints: Vec<(&str, Vec<f64>)> = Vec::new();
    let mut rest = values;
    while let Some(((name, _), _)) = rest.split_first() {
        let whole = |suffixes: &[&str]| {
            let joint = name.strip_suffix(*suffixes.first()?)?;
            let mut named = rest.iter().zip(suffixes);
            let all = named.all(|((name, _), suffix)| name.strip_suffix(suffix) == Some(joint));
            (rest.len() >= suffixes.len() && all).then_some((joint, suffixes.len()))
        };
        let (joint, count) = whole(&FLOATING).or_else(|| whole(&PLANAR)).unwrap_or((name, 1));
        let (own, others) = rest.split_at_checked(count).unwrap_or((rest, &[]));
        joints.push((joint, own.iter().map(|(_, value)| *value).collect()));
        rest = others;
    }
    joints
}
