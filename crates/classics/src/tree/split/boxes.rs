//! Centres of equal parts of a box (Eckstein 1998, section 3.4.4): after Gottschalk with oriented boxes,
//! after Zachmann with axis-aligned ones. Two parts are the halves of the box across its longest axis.

use super::problem::Problem;
use glam::DVec3;
use noli_geom::Obb;

/// Every face goes to the centre nearest to its middle. Where all fall to one, the roles of the axes change.
pub(super) fn parts(problem: &Problem<'_>, degree: usize, around: &Obb) -> Vec<Vec<u32>> {
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| around.half_extents[j].total_cmp(&around.half_extents[i]).then(i.cmp(&j)));
    let [long, middle, short] = order;
    let mut parts = Vec::new();
    for (first, second) in
        [(long, middle), (middle, long), (short, long), (long, short), (middle, short), (short, middle)]
    {
        parts = nearest_center(problem, &centers(around, first, second, degree));
        if parts.iter().filter(|part| !part.is_empty()).count() >= 2 {
            break;
        }
    }
    parts
}

fn nearest_center(problem: &Problem<'_>, centers: &[DVec3]) -> Vec<Vec<u32>> {
    let mut parts = vec![Vec::new(); centers.len()];
    for &face in problem.faces {
        let middle = problem.all.middle(face);
        let near = (0..centers.len()).min_by(|&i, &j| {
            middle.distance_squared(centers[i]).total_cmp(&middle.distance_squared(centers[j]))
        });
        parts[near.unwrap_or(0)].push(face);
    }
    parts
}

/// Centres of equal parts of a box along two of its axes. The thesis has 2 to 6; more continue the rows of 6.
pub(super) fn centers(around: &Obb, first: usize, second: usize, degree: usize) -> Vec<DVec3> {
    let a = around.axes.col(first) * around.half_extents[first];
    let b = around.axes.col(second) * around.half_extents[second];
    let row = |count: usize, across: f64| {
        (0..count).map(move |i| around.center + a * ((2 * i + 1) as f64 / count as f64 - 1.0) + b * across)
    };
    match degree {
        0 | 1 => vec![around.center],
        2 | 3 => row(degree, 0.0).collect(),
        5 => row(2, -0.5).chain(row(2, 0.5)).chain([around.center]).collect(),
        _ => row(degree / 2, -0.5).chain(row(degree.div_ceil(2), 0.5)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DMat3;

    /// The table of the thesis for a box of half extents 3, 2, 1.
    #[test]
    fn centers_are_those_of_the_table() {
        let around =
            Obb { center: DVec3::ZERO, axes: DMat3::IDENTITY, half_extents: DVec3::new(3.0, 2.0, 1.0) };
        let at = |degree| centers(&around, 0, 1, degree).iter().map(|p| (p.x, p.y)).collect::<Vec<_>>();
        let near = |found: Vec<(f64, f64)>, wanted: &[(f64, f64)]| {
            found.len() == wanted.len()
                && found
                    .iter()
                    .zip(wanted)
                    .all(|(f, w)| (f.0 - w.0).abs() < 1e-12 && (f.1 - w.1).abs() < 1e-12)
        };
        assert!(near(at(2), &[(-1.5, 0.0), (1.5, 0.0)]));
        assert!(near(at(3), &[(-2.0, 0.0), (0.0, 0.0), (2.0, 0.0)]));
        assert!(near(at(4), &[(-1.5, -1.0), (1.5, -1.0), (-1.5, 1.0), (1.5, 1.0)]));
        assert_eq!(at(5)[4], (0.0, 0.0));
        assert!(near(at(6), &[(-2.0, -1.0), (0.0, -1.0), (2.0, -1.0), (-2.0, 1.0), (0.0, 1.0), (2.0, 1.0)]));
    }
}
