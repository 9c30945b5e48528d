//! Start and goal configurations of paths in a work cell, by the names of its programs.

use super::WorkCell;
use noli_robot::{IkError, IkOptions, SphericalWrist, solve_ik};

/// Reason that a name gives no configuration.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlaceError {
    /// Nothing is called so.
    #[error("the cell has no location `{name}`; it has {}", known.join(", "))]
    NoSuch {
        /// The name.
        name: String,
        /// All there are.
        known: Vec<String>,
    },
    /// A precision point of another arm.
    #[error("`{name}` gives {found} joints, the arm has {wanted}")]
    Joints {
        /// The name.
        name: String,
        /// Actual number of values.
        found: usize,
        /// Number of joints up to the flange.
        wanted: usize,
    },
    /// No configuration puts the tool there.
    #[error("`{name}` cannot be reached: {reason}")]
    Unreachable {
        /// The name.
        name: String,
        /// Reason.
        reason: IkError,
    },
}

/// Returns all configurations of a work cell's arm for a place, the nearest to `near` first. A place is
/// `start`, `ready`, a precision point, or a location of the tool, which has up to eight solutions with a
/// spherical wrist. Names are case-insensitive, and the `#` of a precision point is optional, as in programs.
pub fn configurations_at(work: &WorkCell, name: &str, near: &[f64]) -> Result<Vec<Vec<f64>>, PlaceError> {
    let key = name.trim_start_matches('#').to_uppercase();
    let name = || name.to_owned();
    if let Some(joints) = work.locations.points.get(&key) {
        let chain = arm_variables(work);
        if joints.len() != chain.len() {
            return Err(PlaceError::Joints { name: name(), found: joints.len(), wanted: chain.len() });
        }
        let mut values = near.to_vec();
        chain.iter().zip(joints).for_each(|(&variable, joint)| values[variable] = *joint);
        work.robot.apply_laws(&mut values);
        return Ok(vec![values]);
    }
    let Some(root_from_tool) = work.locations.transformations.get(&key) else {
        return match key.as_str() {
            "START" => Ok(vec![work.start.clone()]),
            "READY" => Ok(vec![work.ready.clone()]),
            _ => Err(PlaceError::NoSuch { name: name(), known: known(work) }),
        };
    };
    let flange = *root_from_tool * work.tool.inverse();
    let found = match SphericalWrist::new(&work.robot, work.flange) {
        Ok(wrist) => wrist
            .solve(&work.robot, &flange, near)
            .map(|all| all.iter().map(|solution| wrist.place(near, solution)).collect::<Vec<_>>()),
        Err(_) => solve_ik(&work.robot, work.flange, &flange, near, &IkOptions::default())
            .map(|reached| vec![reached.values]),
    };
    let mut found = found.map_err(|reason| PlaceError::Unreachable { name: name(), reason })?;
    let far = |values: &Vec<f64>| values.iter().zip(near).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    found.sort_by(|a, b| far(a).total_cmp(&far(b)));
    Ok(found)
}

/// The variables of the joints from the root to the flange, in their order.
pub fn arm_variables(work: &WorkCell) -> Vec<usize> {
    let joints = work.robot.joints_to(work.flange);
    let own = |variable: &usize| {
        let variable = &work.robot.variables()[*variable];
        variable.mimic.is_none() && joints.contains(&variable.joint)
    };
    let mut all: Vec<usize> = (0..work.robot.variables().len()).filter(own).collect();
    all.sort_by_key(|&variable| {
        joints.iter().position(|&joint| joint == work.robot.variables()[variable].joint)
    });
    all
}

fn known(work: &WorkCell) -> Vec<String> {
    let locations = &work.locations;
    let mut names: Vec<String> =
        locations.transformations.keys().chain(locations.points.keys()).cloned().collect();
    names.extend(["START".to_owned(), "READY".to_owned()]);
    names.sort();
    names.dedup();
    names
}
