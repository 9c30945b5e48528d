//! SRDF: what a robot's links and joints are for, and which pairs of links need no check.

use crate::message::suggestion;
use crate::tree::{JointKind, Robot};
use crate::xml::{Element, Xml, escaped};
use crate::{Fault, Place, RobotError};
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
    /// The group.
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
        let xml = Xml::parse(text, "SRDF")?;
        let root = xml.root("robot")?;
        let mut srdf = Srdf { robot: root.text_of("name")?, ..Srdf::default() };
        for element in root.children() {
            let place = Some(element.place());
            match element.name() {
                "group" => srdf.groups.push(group(element)?),
                "group_state" => srdf.states.push(state(element)?),
                "end_effector" => srdf.end_effectors.push(EndEffector {
                    name: element.text_of("name")?,
                    group: element.text_of("group")?,
                    parent_link: element.text_of("parent_link")?,
                    parent_group: element.attribute("parent_group").map(|(name, _)| name.to_owned()),
                    place,
                }),
                "virtual_joint" => srdf.virtual_joints.push(virtual_joint(element)?),
                "passive_joint" => srdf.passive_joints.push((element.text_of("name")?, place)),
                "disable_collisions" => srdf.disabled.push(DisabledPair {
                    links: [element.text_of("link1")?, element.text_of("link2")?],
                    reason: element
                        .attribute("reason")
                        .map_or_else(String::new, |(reason, _)| reason.to_owned()),
                    place,
                }),
                _ => {}
            }
        }
        check_unique("group", srdf.groups.iter().map(|group| (group.name.as_str(), group.place)))?;
        Ok(srdf)
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

/// A joint with several values gives them one after the other; they are named as its variables are.
fn state(element: Element<'_, '_>) -> Result<GroupState, RobotError> {
    let mut values = Vec::new();
    for joint in element.named("joint") {
        let name = joint.text_of("name")?;
        let (text, place) = joint.need("value")?;
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let suffixes: &[&str] = match words.len() {
            3 => &["/x", "/y", "/theta"],
            6 => &["/x", "/y", "/z", "/yaw", "/pitch", "/roll"],
            _ => &[""],
        };
        let wanted = if words.len() == suffixes.len() { &words[..] } else { &[text][..] };
        for (suffix, word) in suffixes.iter().zip(wanted) {
            let [value] = crate::text::numbers(word, place, || format!("`value` of {}", joint.what()))?;
            values.push((name.clone() + suffix, value));
        }
    }
    let (name, group) = (element.text_of("name")?, element.text_of("group")?);
    Ok(GroupState { name, group, values, place: Some(element.place()) })
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

fn check_unique<'a>(
    what: &'static str,
    names: impl Iterator<Item = (&'a str, Option<Place>)>,
) -> Result<(), RobotError> {
    let mut seen = std::collections::HashSet::new();
    for (name, place) in names {
        if !seen.insert(name) {
            return Err(RobotError::at(place, Fault::Duplicate { what, name: name.to_owned() }));
        }
    }
    Ok(())
}

impl Srdf {
    /// Checks that every link, joint and group it names exists; otherwise returns the missing one.
    pub fn check(&self, robot: &Robot) -> Result<(), RobotError> {
        let link = |user: &str, name: &str, place| {
            let names = || robot.links().iter().map(|link| link.name.as_str());
            known(user, "link", name, place, names)
        };
        let joint = |user: &str, name: &str, place| {
            let own = || self.virtual_joints.iter().map(|joint| joint.name.as_str());
            let names = || robot.joints().iter().map(|joint| joint.name.as_str()).chain(own());
            known(user, "joint", name, place, names)
        };
        let group = |user: &str, name: &str, place| {
            known(user, "group", name, place, || self.groups.iter().map(|group| group.name.as_str()))
        };
        for g in &self.groups {
            g.links.iter().try_for_each(|name| link(&g.name, name, g.place))?;
            g.joints.iter().try_for_each(|name| joint(&g.name, name, g.place))?;
            g.groups.iter().try_for_each(|name| group(&g.name, name, g.place))?;
            for chain in &g.chains {
                link(&g.name, &chain.base, g.place)?;
                link(&g.name, &chain.tip, g.place)?;
            }
        }
        for state in &self.states {
            group(&state.name, &state.group, state.place)?;
            for (name, _) in &state.values {
                let name = name.split_once('/').map_or(name.as_str(), |(joint, _)| joint);
                joint(&state.name, name, state.place)?;
            }
        }
        for hand in &self.end_effectors {
            group(&hand.name, &hand.group, hand.place)?;
            link(&hand.name, &hand.parent_link, hand.place)?;
        }
        for base in &self.virtual_joints {
            link(&base.name, &base.child_link, base.place)?;
        }
        for pair in &self.disabled {
            pair.links.iter().try_for_each(|name| link("disable_collisions", name, pair.place))?;
        }
        self.passive_joints.iter().try_for_each(|(name, place)| joint("passive_joint", name, *place))
    }

    /// Returns the numbers of a group's movable joints, from the root outwards; empty if the group does not exist.
    pub fn group_joints(&self, robot: &Robot, group: &str) -> Vec<usize> {
        let mut wanted = vec![false; robot.joints().len()];
        let (mut todo, mut seen) = (vec![group], std::collections::HashSet::new());
        while let Some(name) = todo.pop() {
            let Some(group) = self.groups.iter().find(|group| group.name == name) else { continue };
            if !seen.insert(name) {
                continue;
            }
            todo.extend(group.groups.iter().map(String::as_str));
            let by_link = group.links.iter().filter_map(|name| robot.joint_of_link(robot.link(name)?));
            let by_name = group.joints.iter().filter_map(|name| robot.joint(name));
            by_link.chain(by_name).for_each(|joint| wanted[joint] = true);
            for chain in &group.chains {
                let (Some(base), Some(tip)) = (robot.link(&chain.base), robot.link(&chain.tip)) else {
                    continue;
                };
                let above = robot.joints_to(base).len();
                robot.joints_to(tip).into_iter().skip(above).for_each(|joint| wanted[joint] = true);
            }
        }
        let moves = |joint: &usize| robot.joints()[*joint].kind != JointKind::Fixed;
        let mut joints: Vec<usize> = (0..wanted.len()).filter(|&joint| wanted[joint]).filter(moves).collect();
        joints.sort_by_key(|&joint| (robot.joints_to(robot.ends(joint)[1]).len(), joint));
        joints
    }
}

fn known<'a, I: Iterator<Item = &'a str>>(
    user: &str,
    what: &'static str,
    name: &str,
    place: Option<Place>,
    names: impl Fn() -> I,
) -> Result<(), RobotError> {
    if names().any(|other| other == name) {
        return Ok(());
    }
    let hint = suggestion(name, names());
    let (user, name) = (user.to_owned(), name.to_owned());
    Err(RobotError::at(place, Fault::NoSuch { user, what, name, hint }))
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
        let (name, group) = (escaped(&state.name), escaped(&state.group));
        writeln!(out, "  <group_state name=\"{name}\" group=\"{group}\">")?;
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
    for (name, value) in values {
        let whole = name.rsplit_once('/').map_or(name.as_str(), |(joint, _)| joint);
        match joints.last_mut() {
            Some((last, values)) if *last == whole && whole != name => values.push(*value),
            _ => joints.push((whole, vec![*value])),
        }
    }
    joints
}
