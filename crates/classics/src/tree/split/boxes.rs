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

    /// Centres turn with the box.
    #[test]
    fn centers_turn_with_the_box() {
        let half_extents = DVec3::new(3.0, 2.0, 1.0);
        let here = Obb { center: DVec3::ZERO, axes: DMat3::IDENTITY, half_extents };
        let turn = DMat3::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 0.7);
        let there = Obb { center: DVec3::new(5.0, -2.0, 1.0), axes: turn, half_extents };
        for degree in 2..=9 {
            for (p, q) in centers(&here, 0, 1, degree).iter().zip(centers(&there, 0, 1, degree)) {
                assert!((turn * *p + there.center).distance(q) < 1e-12, "{degree}");
            }
        }
    }

    /// Two parts are the halves of the box across its longest axis; where all middles are in one half, another axis
    /// parts them.
    #[test]
    fn two_parts_are_halves_and_the_next_axis_is_tried() {
        use crate::tree::{Rules, TreeOptions};
        use noli::tree::Faces;
        use noli_geom::Triangle;
        use noli_scenes::SplitMix64;
        let (mut random, options) = (SplitMix64::new(21), TreeOptions::workshop());
        for _ in 0..50 {
            let mut point = || random.direction() * DVec3::new(3.0, 2.0, 1.0) * random.between(0.0, 1.0);
            let faces: Vec<Triangle> = (0..9).map(|_| Triangle::new(point(), point(), point())).collect();
            let (all, numbers): (_, Vec<u32>) = (Faces::new(&faces), (0..9).collect());
            let problem = Problem { all: &all, faces: &numbers, options: &options, rules: &Rules::USUAL };
            for around in [problem.oriented_box(), problem.aligned_box()] {
                let size = around.half_extents;
                let long = (0..3).max_by(|&i, &j| size[i].total_cmp(&size[j])).unwrap();
                let below = |f: &u32| around.axes.col(long).dot(all.middle(*f) - around.center) < 0.0;
                let halves: (Vec<u32>, Vec<u32>) = numbers.iter().copied().partition(below);
                if halves.0.is_empty() || halves.1.is_empty() {
                    continue;
                }
                assert_eq!(parts(&problem, 2, &around), [halves.0, halves.1]);
            }
        }
        let long = Triangle::new(DVec3::ZERO, DVec3::Y, DVec3::new(9.0, 0.5, 0.0));
        let faces = [long, Triangle { vertices: long.vertices.map(|c| c + DVec3::Z) }];
        let all = Faces::new(&faces);
        let problem = Problem { all: &all, faces: &[0, 1], options: &options, rules: &Rules::USUAL };
        for degree in 2..=6 {
            let found = parts(&problem, degree, &problem.aligned_box());
            assert_eq!(found.iter().filter(|part| !part.is_empty()).count(), 2, "{degree}");
        }
    }
}
