//! Two parts by one plane, as the surveyed methods make them.

use super::problem::Problem;
use crate::tree::choice::{AxisRule, HalfAt, PlaneAt};
use glam::DVec3;
use noli_geom::{Aabb, Hull, Measure, Obb, Volume};

/// The halves of a box across its longest axis, else the next (Gottschalk et al. 1996); none where no axis
/// parts the middles.
pub(super) fn gottschalk(problem: &Problem<'_>, around: &Obb, at: HalfAt) -> Vec<Vec<u32>> {
    let at = match at {
        HalfAt::Middle => around.center,
        HalfAt::HullMean => match Hull::new(problem.vertices(problem.faces)) {
            Ok(hull) => hull.vertices().iter().sum::<DVec3>() / hull.vertices().len() as f64,
            Err(_) => around.center,
        },
    };
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| around.half_extents[j].total_cmp(&around.half_extents[i]).then(i.cmp(&j)));
    let halves = order.iter().map(|&k| {
        let axis = around.axes.col(k);
        sides(problem, |face| axis.dot(problem.all.middle(face) - at) < 0.0)
    });
    proper(halves).unwrap_or_default()
}

/// A plane across an axis of the world (Klosowski et al. 1998); none where no axis parts the middles.
pub(super) fn klosowski(problem: &Problem<'_>, axis: AxisRule, at: PlaneAt) -> Vec<Vec<u32>> {
    let cut = |k: usize| {
        let mut along: Vec<f64> = problem.faces.iter().map(|&face| problem.all.middle(face)[k]).collect();
        let at = match at {
            PlaneAt::Mean => along.iter().sum::<f64>() / along.len() as f64,
            PlaneAt::Median => {
                along.sort_by(f64::total_cmp);
                along[along.len() / 2]
            }
        };
        sides(problem, |face| problem.all.middle(face)[k] < at)
    };
    let volumes = |parts: &Vec<Vec<u32>>| {
        let of = |part: &Vec<u32>| {
            if part.is_empty() { 0.0 } else { problem.volume(part).measure(Measure::Volume) }
        };
        [of(&parts[0]), of(&parts[1])]
    };
    let parted = |parts: &Vec<Vec<u32>>| parts.iter().all(|part| !part.is_empty());
    let rank = |k: usize| match axis {
        AxisRule::LeastSum => volumes(&cut(k)).iter().sum::<f64>(),
        AxisRule::LeastMax => volumes(&cut(k)).into_iter().fold(0.0, f64::max),
        AxisRule::Variance => {
            let mean = problem.mean(problem.faces)[k];
            -problem.faces.iter().map(|&face| (problem.all.middle(face)[k] - mean).powi(2)).sum::<f64>()
        }
        AxisRule::LongestSide => -problem.aligned_box().half_extents[k],
    };
    let mut order = [0, 1, 2].map(|k| (rank(k), k));
    order.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
    order.iter().map(|&(_, k)| cut(k)).find(parted).unwrap_or_default()
}

/// The halves of the box of the middles across its longest side (Quinlan 1994), else the next; none where all middles are in
/// one place. His leaves are spheres on a grid over the faces; here a leaf holds whole faces.
pub(super) fn quinlan(problem: &Problem<'_>) -> Vec<Vec<u32>> {
    let around = Aabb::from_points(problem.faces.iter().map(|&face| problem.all.middle(face)));
    let (size, middle) = (around.size(), around.center());
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| size[j].total_cmp(&size[i]).then(i.cmp(&j)));
    proper(order.iter().map(|&k| sides(problem, |face| problem.all.middle(face)[k] < middle[k])))
        .unwrap_or_default()
}

fn sides(problem: &Problem<'_>, below: impl Fn(u32) -> bool) -> Vec<Vec<u32>> {
    let (one, two) = problem.faces.iter().partition(|&&face| below(face));
    vec![one, two]
}

fn proper(mut halves: impl Iterator<Item = Vec<Vec<u32>>>) -> Option<Vec<Vec<u32>>> {
    halves.find(|parts| parts.iter().all(|part| !part.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Rules, TreeOptions, VolumeKind};
    use noli::tree::Faces;
    use noli_geom::Triangle;

    fn specks(at: &[[f64; 3]]) -> Vec<Triangle> {
        at.iter().map(|&p| Triangle { vertices: [DVec3::from(p); 3] }).collect()
    }

    /// Mean and middle part unevenly spread specks otherwise; specks in one place are not parted at all.
    #[test]
    fn original_cuts_are_where_they_are_said_to_be() {
        let options = TreeOptions { volume: VolumeKind::Aabb.into(), ..TreeOptions::workshop() };
        // The middle is 5; the mean of all six, which are vertices of their hull, is 3.33, and one is between.
        let between =
            specks(&[[0., 0., 0.], [1., 1., 0.], [2., 0., 1.], [3., 1., 1.], [4., 0., 1.], [10., 0., 0.]]);
        let all = Faces::new(&between);
        let problem =
            Problem { all: &all, faces: &[0, 1, 2, 3, 4, 5], options: &options, rules: &Rules::USUAL };
        let around = problem.aligned_box();
        assert_eq!(gottschalk(&problem, &around, HalfAt::Middle), [vec![0, 1, 2, 3, 4], vec![5]]);
        assert_eq!(gottschalk(&problem, &around, HalfAt::HullMean), [vec![0, 1, 2, 3], vec![4, 5]]);
        let uneven = specks(&[[0., 0., 0.], [1., 1., 0.], [2., 0., 1.], [3., 1., 1.], [10., 0., 0.]]);
        let all = Faces::new(&uneven);
        let problem = Problem { all: &all, faces: &[0, 1, 2, 3, 4], options: &options, rules: &Rules::USUAL };
        for axis in [AxisRule::Variance, AxisRule::LongestSide] {
            assert_eq!(klosowski(&problem, axis, PlaneAt::Mean), [vec![0, 1, 2, 3], vec![4]]);
            assert_eq!(klosowski(&problem, axis, PlaneAt::Median), [vec![0, 1], vec![2, 3, 4]]);
        }
        let one_place = specks(&[[1., 1., 1.]; 4]);
        let all = Faces::new(&one_place);
        let problem = Problem { all: &all, faces: &[0, 1, 2, 3], options: &options, rules: &Rules::USUAL };
        assert!(gottschalk(&problem, &around, HalfAt::Middle).is_empty());
        assert!(klosowski(&problem, AxisRule::LongestSide, PlaneAt::Median).is_empty());
    }

    /// Quinlan's cut is in the middle of the middles, however many are on each side.
    #[test]
    fn quinlan_halves_space_and_not_the_count() {
        let options = TreeOptions::workshop();
        let uneven = specks(&[[0., 0., 0.], [1., 1., 0.], [2., 0., 1.], [3., 1., 1.], [10., 0., 0.]]);
        let all = Faces::new(&uneven);
        let problem = Problem { all: &all, faces: &[0, 1, 2, 3, 4], options: &options, rules: &Rules::USUAL };
        assert_eq!(quinlan(&problem), [vec![0, 1, 2, 3], vec![4]]);
        let one_place = specks(&[[1., 1., 1.]; 4]);
        let all = Faces::new(&one_place);
        let problem = Problem { all: &all, faces: &[0, 1, 2, 3], options: &options, rules: &Rules::USUAL };
        assert!(quinlan(&problem).is_empty());
    }

    /// All middles in one half of the longest axis: the next axis parts them.
    #[test]
    fn the_next_axis_is_tried() {
        let options = TreeOptions::workshop();
        let long = Triangle::new(DVec3::ZERO, DVec3::new(0.0, 1.0, 0.0), DVec3::new(9.0, 0.5, 0.0));
        let faces = [long, Triangle { vertices: long.vertices.map(|c| c + DVec3::Z) }];
        let all = Faces::new(&faces);
        let problem = Problem { all: &all, faces: &[0, 1], options: &options, rules: &Rules::USUAL };
        assert_eq!(gottschalk(&problem, &problem.aligned_box(), HalfAt::Middle), [vec![0], vec![1]]);
    }

    /// Each rule picks the axis it names: rows along x are parted cheaply across y, variance is largest along x.
    #[test]
    fn axes_are_chosen_by_their_rule() {
        let options = TreeOptions { volume: VolumeKind::Aabb.into(), ..TreeOptions::workshop() };
        let row = |y: f64| (0..4).map(move |i| [3.0 * f64::from(i), y, 0.1 * f64::from(i)]);
        let rows: Vec<[f64; 3]> = row(0.0).chain(row(1.0)).collect();
        let faces: Vec<Triangle> = rows
            .iter()
            .map(|&p| {
                Triangle::new(
                    DVec3::from(p),
                    DVec3::from(p) + DVec3::X * 0.1,
                    DVec3::from(p) + DVec3::Z * 0.1,
                )
            })
            .collect();
        let all = Faces::new(&faces);
        let problem =
            Problem { all: &all, faces: &[0, 1, 2, 3, 4, 5, 6, 7], options: &options, rules: &Rules::USUAL };
        // Flat rows have no volume.
        let by_row = [vec![0, 1, 2, 3], vec![4, 5, 6, 7]];
        assert_eq!(klosowski(&problem, AxisRule::LeastSum, PlaneAt::Mean), by_row);
        assert_eq!(klosowski(&problem, AxisRule::LeastMax, PlaneAt::Mean), by_row);
        let across = [vec![0, 1, 4, 5], vec![2, 3, 6, 7]];
        assert_eq!(klosowski(&problem, AxisRule::Variance, PlaneAt::Mean), across);
        assert_eq!(klosowski(&problem, AxisRule::LongestSide, PlaneAt::Mean), across);
    }
}
