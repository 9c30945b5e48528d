//! Invariants of the parts of a robot, and data derived from them.

use super::{Joint, JointKind, Limits, Link, variables_of};
use crate::geometry::{MAX_LENGTH, check_pose};
use crate::message::suggestion;
use crate::{Fault, MAX_ANGLE, RobotError};
use glam::DVec3;
use std::collections::HashMap;

/// More links than any robot has; bounds memory whatever a text claims.
const MAX_LINKS: usize = 100_000;

pub(super) fn check_counts(links: &[Link], joints: &[Joint]) -> Result<(), RobotError> {
    if links.is_empty() {
        return Err(Fault::NoLinks.into());
    }
    let most = MAX_LINKS;
    if links.len() > most {
        return Err(RobotError::at(links[most].place, Fault::TooMany { what: "links", most }));
    }
    if joints.len() > most {
        return Err(RobotError::at(joints[most].place, Fault::TooMany { what: "joints", most }));
    }
    Ok(())
}

pub(super) fn number_links(links: &[Link]) -> Result<HashMap<&str, u32>, RobotError> {
    let mut numbers = HashMap::new();
    for (number, link) in links.iter().enumerate() {
        if numbers.insert(link.name.as_str(), number as u32).is_some() {
            let fault = Fault::Duplicate { what: "link", name: link.name.clone() };
            return Err(RobotError::at(link.place, fault));
        }
    }
    Ok(numbers)
}

pub(super) fn check_link(link: &Link) -> Result<(), RobotError> {
    link.visual.iter().chain(&link.collision).try_for_each(|geometry| geometry.check(&link.name))?;
    let Some(inertial) = &link.inertial else {
        return Ok(());
    };
    let what = |part: &str| format!("the {part} of link `{}`", link.name);
    check_pose(&inertial.link_from_center, link.place, || what("centre of mass"))?;
    if let Some(value) = inertial.inertia.to_cols_array().into_iter().find(|x| !x.is_finite()) {
        return Err(RobotError::at(link.place, Fault::NotFinite { what: what("inertia"), value }));
    }
    let value = inertial.mass;
    if !value.is_finite() {
        return Err(RobotError::at(link.place, Fault::NotFinite { what: what("mass"), value }));
    }
    if value < 0.0 {
        let fault = Fault::OutOfRange { what: what("mass"), value, range: "0 or more" };
        return Err(RobotError::at(link.place, fault));
    }
    Ok(())
}

/// Checks the joints by themselves and gives their axes length 1.
pub(super) fn check_joints(joints: &mut [Joint]) -> Result<HashMap<String, usize>, RobotError> {
    let mut names = HashMap::new();
    for (number, joint) in joints.iter_mut().enumerate() {
        if names.insert(joint.name.clone(), number).is_some() {
            let fault = Fault::Duplicate { what: "joint", name: joint.name.clone() };
            return Err(RobotError::at(joint.place, fault));
        }
        let name = joint.name.clone();
        check_pose(&joint.parent_from_joint, joint.place, || format!("the origin of joint `{name}`"))?;
        check_pose(&joint.joint_from_child, joint.place, || format!("the offset behind joint `{name}`"))?;
        joint.axis = unit_axis(joint)?;
        check_joint_limits(joint)?;
        // Published robots fix joints and leave their laws behind; what does not move follows nothing.
        joint.mimic = joint.mimic.take().filter(|_| joint.kind != JointKind::Fixed);
        if let Some(mimic) = &joint.mimic {
            for (part, value) in [("multiplier", mimic.multiplier), ("offset", mimic.offset)] {
                if !value.is_finite() {
                    let what = format!("the {part} of the mimic joint `{name}`");
                    return Err(RobotError::at(joint.place, Fault::NotFinite { what, value }));
                }
            }
        }
    }
    Ok(names)
}

pub(super) fn unit_axis(joint: &Joint) -> Result<DVec3, RobotError> {
    if matches!(joint.kind, JointKind::Fixed | JointKind::Floating) {
        return Ok(DVec3::Z);
    }
    let axis = joint.axis;
    if let Some(value) = axis.to_array().into_iter().find(|x| !x.is_finite()) {
        let what = format!("the axis of joint `{}`", joint.name);
        return Err(RobotError::at(joint.place, Fault::NotFinite { what, value }));
    }
    let largest = axis.abs().max_element();
    if largest == 0.0 {
        return Err(RobotError::at(joint.place, Fault::ZeroAxis { joint: joint.name.clone() }));
    }
    // By the largest part first, so that squares neither overflow nor vanish.
    let scaled = axis / largest;
    Ok(scaled / scaled.length())
}

pub(super) fn check_joint_limits(joint: &mut Joint) -> Result<(), RobotError> {
    let Limits { range, velocity, acceleration, effort } = joint.limits;
    let place = joint.place;
    match (joint.kind, range) {
        (JointKind::Continuous, _) => joint.limits.range = None,
        (JointKind::Revolute, None) => {
            let fault = Fault::NoLimits { joint: joint.name.clone(), kind: joint.kind.word() };
            return Err(RobotError::at(place, fault));
        }
        (_, Some([lower, upper])) => {
            let what = || format!("a limit of joint `{}`", joint.name);
            for value in [lower, upper] {
                if !value.is_finite() {
                    return Err(RobotError::at(place, Fault::NotFinite { what: what(), value }));
                }
                let turns = joint.kind == JointKind::Revolute;
                if value.abs() > if turns { MAX_ANGLE } else { MAX_LENGTH } {
                    let range = "at most 2^25 for an angle and 2^250 for a length";
                    return Err(RobotError::at(place, Fault::OutOfRange { what: what(), value, range }));
                }
            }
            if lower > upper {
                let fault = Fault::ReversedLimits { joint: joint.name.clone(), lower, upper };
                return Err(RobotError::at(place, fault));
            }
        }
        _ => {}
    }
    for (part, value) in [("velocity", velocity), ("acceleration", acceleration), ("effort", effort)] {
        let Some(value) = value else { continue };
        let what = format!("the largest {part} of joint `{}`", joint.name);
        if !value.is_finite() {
            return Err(RobotError::at(place, Fault::NotFinite { what, value }));
        }
        if value < 0.0 {
            return Err(RobotError::at(place, Fault::OutOfRange { what, value, range: "0 or more" }));
        }
    }
    Ok(())
}

pub(super) fn find_ends(
    joints: &[Joint],
    links: &[Link],
    numbers: &HashMap<&str, u32>,
) -> Result<Vec<[u32; 2]>, RobotError> {
    let find = |joint: &Joint, name: &str| {
        numbers.get(name).copied().ok_or_else(|| {
            let hint = suggestion(name, links.iter().map(|link| link.name.as_str()));
            let (user, name) = (joint.name.clone(), name.to_owned());
            RobotError::at(joint.place, Fault::NoSuch { user, what: "link", name, hint })
        })
    };
    joints.iter().map(|joint| Ok([find(joint, &joint.parent)?, find(joint, &joint.child)?])).collect()
}

pub(super) fn find_parents(
    joints: &[Joint],
    links: &[Link],
    ends: &[[u32; 2]],
) -> Result<Vec<Option<u32>>, RobotError> {
    let mut joint_of: Vec<Option<u32>> = vec![None; links.len()];
    for (number, &[_, child]) in ends.iter().enumerate() {
        if let Some(other) = joint_of[child as usize].replace(number as u32) {
            let link = links[child as usize].name.clone();
            let both = [joints[other as usize].name.clone(), joints[number].name.clone()];
            return Err(RobotError::at(joints[number].place, Fault::TwoParents { link, joints: both }));
        }
    }
    Ok(joint_of)
}

/// The root and the joints in an order in which parents come before children.
pub(super) fn order(
    links: &[Link],
    joints: &[Joint],
    ends: &[[u32; 2]],
    joint_of: &[Option<u32>],
) -> Result<(usize, Vec<usize>), RobotError> {
    let roots: Vec<usize> = (0..links.len()).filter(|&link| joint_of[link].is_none()).collect();
    if roots.len() > 1 {
        let names = roots.iter().map(|&root| links[root].name.clone()).collect();
        return Err(RobotError::at(links[roots[1]].place, Fault::Disconnected { roots: names }));
    }
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); links.len()];
    for (joint, &[parent, _]) in ends.iter().enumerate() {
        children[parent as usize].push(joint);
    }
    let mut order = Vec::with_capacity(joints.len());
    let mut reached = vec![false; links.len()];
    let mut next: Vec<usize> = roots.clone();
    while let Some(link) = next.pop() {
        reached[link] = true;
        for &joint in children[link].iter().rev() {
            next.push(ends[joint][1] as usize);
        }
        order.extend(joint_of[link].map(|joint| joint as usize));
    }
    // Every link but the root hangs on exactly one, so what was not reached lies on or behind a ring.
    if let Some(lost) = reached.iter().position(|&reached| !reached) {
        return Err(ring(lost, links, joints, ends, joint_of));
    }
    Ok((roots[0], order))
}

pub(super) fn ring(
    start: usize,
    links: &[Link],
    joints: &[Joint],
    ends: &[[u32; 2]],
    joint_of: &[Option<u32>],
) -> RobotError {
    let parent = |link: usize| joint_of[link].map(|joint| (joint as usize, ends[joint as usize][0] as usize));
    let mut at = start;
    for _ in 0..links.len() {
        at = parent(at).map_or(at, |(_, up)| up);
    }
    let (first, mut names, mut place) = (at, Vec::new(), None);
    while let Some((joint, up)) = parent(at) {
        names.push(links[at].name.clone());
        place = place.max(joints[joint].place);
        at = up;
        if at == first {
            break;
        }
    }
    names.reverse();
    RobotError::at(place, Fault::Cycle { links: names })
}

/// The joint followed, factor and offset.
pub(super) type JointLaw = (usize, f64, f64);

/// For each joint that follows another, its law in terms of one that moves by itself.
pub(super) fn find_laws(
    joints: &[Joint],
    names: &HashMap<String, usize>,
) -> Result<Vec<Option<JointLaw>>, RobotError> {
    let single = |joint: &Joint| variables_of(joint.kind).len() == 1;
    let mut laws = vec![None; joints.len()];
    for (number, joint) in joints.iter().enumerate() {
        let (mut at, mut multiplier, mut offset) = (number, 1.0, 0.0);
        let mut seen = vec![];
        while let Some(mimic) = &joints[at].mimic {
            let Some(&of) = names.get(&mimic.joint) else {
                let hint = suggestion(&mimic.joint, joints.iter().map(|joint| joint.name.as_str()));
                let (user, name) = (joints[at].name.clone(), mimic.joint.clone());
                let fault = Fault::NoSuch { user, what: "joint", name, hint };
                return Err(RobotError::at(joints[at].place, fault));
            };
            if !single(&joints[at]) || !single(&joints[of]) {
                let fault = Fault::MimicKind { joint: joints[at].name.clone(), of: mimic.joint.clone() };
                return Err(RobotError::at(joints[at].place, fault));
            }
            seen.push(joints[at].name.clone());
            // Longer rows than any gripper's are taken for rings, so that none costs much.
            if of == number || seen.len() > 1000 {
                return Err(RobotError::at(joint.place, Fault::MimicLoop { joints: seen }));
            }
            offset += multiplier * mimic.offset;
            multiplier *= mimic.multiplier;
            at = of;
        }
        if at != number {
            if !(multiplier.is_finite() && offset.is_finite()) {
                let what = format!("the law of the mimic joint `{}`", joint.name);
                let fault = Fault::NotFinite { what, value: multiplier + offset };
                return Err(RobotError::at(joint.place, fault));
            }
            laws[number] = Some((at, multiplier, offset));
        }
    }
    Ok(laws)
}
