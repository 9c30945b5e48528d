//! Displacement by each variable.

use noli_robot::JointAxisKind;
use noli_robot::cell::Cell;

/// Returns for each variable of a cell how far the farthest point behind it moves at most, in metres for one radian or
/// metre. Bodies without bounds do not count.
pub(super) fn reach(cell: &Cell) -> Vec<f64> {
    let (mut all, mut first_link) = (Vec::new(), 0);
    for robot in cell.robots() {
        let mut own = vec![0.0f64; robot.variables().len()];
        let mut links = vec![0.0f64; robot.links().len()];
        for body in cell.bodies() {
            let link = body.carrier().and_then(|link| link.checked_sub(first_link));
            let sphere = body.bounding_sphere();
            let far = sphere.center.length() + sphere.radius;
            if let Some(reach) = link.and_then(|link| links.get_mut(link)).filter(|_| far.is_finite()) {
                *reach = reach.max(far);
            }
        }
        // Children come after their parents.
        for limb in robot.limbs().iter().rev() {
            let mut far = links[limb.child as usize];
            for step in robot.steps(limb).iter().rev() {
                if let Some((movement, variable)) = step.variable {
                    let variable = variable as usize;
                    let turns = movement == JointAxisKind::Turn;
                    own[variable] = own[variable].max(if turns { far } else { 1.0 });
                    let range = robot.variables()[variable].limits.range;
                    if let (Some([low, high]), false) = (range, turns) {
                        far += low.abs().max(high.abs());
                    }
                }
                far += step.shift.iter().map(|x| x * x).sum::<f64>().sqrt();
            }
            let parent = &mut links[limb.parent as usize];
            *parent = parent.max(far);
        }
        first_link += robot.links().len();
        all.extend(own);
    }
    all
}
