//! The link that is the tool of a robot.

use super::known_link;
use anyhow::Result;
use noli_robot::{Robot, Srdf};

/// The link that is the tool of a robot.
pub(super) struct Tool {
    pub(super) link: usize,
    /// A remark that names it where nothing was given.
    pub(super) remark: Option<String>,
}

impl Tool {
    pub(super) fn named(link: usize) -> Self {
        Self { link, remark: None }
    }
}

/// Returns the link that is the tool. Without a name it is the tip
/// of the longest chain that a group of the SRDF has, else the link that carries an end effector of the SRDF, else
/// [`Robot::tip`].
pub(super) fn tip(name: Option<&str>, robot: &Robot, srdf: Option<&Srdf>) -> Result<Tool> {
    if let Some(name) = name {
        return known_link(robot, "--tip", name).map(Tool::named);
    }
    let chains = srdf.iter().flat_map(|srdf| &srdf.groups).flat_map(|group| &group.chains);
    let hands = srdf.iter().flat_map(|srdf| &srdf.end_effectors);
    let by_group = longest(robot, chains.map(|chain| chain.tip.as_str()));
    if let Some(tip) = by_group.or_else(|| longest(robot, hands.map(|hand| hand.parent_link.as_str()))) {
        return Ok(Tool::named(tip));
    }
    let tip = robot.tip();
    let name = &robot.links()[tip].name;
    let remark = format!("the tool is `{name}`, as no SRDF names another; --tip LINK chooses another");
    Ok(Tool { link: tip, remark: Some(remark) })
}

/// Returns the link with the most joints before it; the first of several.
fn longest<'n>(robot: &Robot, names: impl Iterator<Item = &'n str>) -> Option<usize> {
    let links = names.filter_map(|name| robot.link(name));
    // The last of equal ones wins: the order is turned for the first.
    let links: Vec<usize> = links.collect();
    links.into_iter().rev().max_by_key(|&link| robot.joints_to(link).len())
}
