//! For which configurations a statement holds, in words (section 10).

use crate::binding::Robot;
use crate::dyadic::Dyadic;
use crate::header::{Model, Region, Statement, sorted};
use crate::span::up;
use std::collections::HashSet;

/// Names the ranges of the joints that matter, unless a description of the robot shows that they are everything.
pub(crate) fn over(model: &Model, statement: &Statement, robot: Option<&Robot>) -> String {
    let ranges = match &statement.region {
        Region::At(_) => return "one configuration".to_owned(),
        Region::Curve(pieces, _) if statement.is_straight => return format!("edges: {}", pieces.len()),
        Region::Curve(pieces, deviation) => {
            let off = if deviation.iter().any(Dyadic::is_positive) { ", with deviations" } else { "" };
            return format!("curves: {}{off}", pieces.len());
        }
        Region::Box(ranges) => ranges,
    };
    let between = between(model, statement);
    let matters = |(joint, low, high): &&(usize, Dyadic, Dyadic)| {
        between.contains(joint) && !robot.is_some_and(|robot| robot.is_all(*joint, low, high))
    };
    let range = |(joint, low, high): &(usize, Dyadic, Dyadic)| {
        let name = model.joints.get(*joint).map_or("", |joint| &joint.name);
        // Adding 0 turns -0 into 0.
        format!("{name} in [{:?}, {:?}]", up(low) + 0.0, high.to_double_down() + 0.0)
    };
    let ranges: Vec<String> = ranges.iter().filter(matters).map(range).collect();
    if ranges.is_empty() { "every configuration".to_owned() } else { format!("within {}", ranges.join(", ")) }
}

/// The joints between the bodies of the pairs, those that follow others replaced by what they follow.
fn between(model: &Model, statement: &Statement) -> HashSet<usize> {
    let link = |body: usize| model.bodies.get(body).map_or(0, |body| body.link);
    let links: HashSet<_> = statement.pairs.iter().map(|&(a, b)| sorted(&(link(a), link(b)))).collect();
    let mut joints = HashSet::new();
    for (a, b) in links {
        let (up, down) = model.paths(a, b);
        let found = up.into_iter().chain(down).filter_map(|link| model.links.get(link)?.joint);
        joints.extend(found.map(|joint| {
            let mimic = model.joints.get(joint).and_then(|joint| joint.mimic.as_ref());
            mimic.map_or(joint, |mimic| mimic.0)
        }));
    }
    joints
}
