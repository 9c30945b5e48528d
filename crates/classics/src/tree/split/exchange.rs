//! Seeds far from each other, faces to the nearest, with and without exchange afterwards.

use super::problem::Problem;
use glam::DVec3;
use noli_geom::Sphere;

/// Centres are vertices, the first at the rim, each next one farthest from all before; each face goes to the
/// centre whose ball about it needs the least radius (Gonzalez 1985, which the thesis calls modified
/// Hochbaum–Shmoys).
pub(super) fn farthest_parts(problem: &Problem<'_>, degree: usize) -> Vec<Vec<u32>> {
    let corners = problem.corners(problem.faces);
    let middle = Sphere::smallest(&corners).center;
    let mut centers: Vec<DVec3> = Vec::new();
    let mut nearest: Vec<f64> = corners.iter().map(|c| c.distance(middle)).collect();
    for _ in 0..degree {
        let far = (0..corners.len()).max_by(|&i, &j| nearest[i].total_cmp(&nearest[j]).then(j.cmp(&i)));
        let Some(far) = far else { break };
        let first = centers.is_empty();
        centers.push(corners[far]);
        for (known, corner) in nearest.iter_mut().zip(&corners) {
            let distance = corner.distance(corners[far]);
            *known = if first { distance } else { known.min(distance) };
        }
    }
    let mut parts = vec![Vec::new(); centers.len()];
    for &face in problem.faces {
        parts[closest(problem, &centers, face)].push(face);
    }
    parts
}

/// The centre whose ball about the face is smallest, the first of equals.
fn closest(problem: &Problem<'_>, centers: &[DVec3], face: u32) -> usize {
    let reach = |i: usize| problem.reach(centers[i], face);
    (0..centers.len()).min_by(|&i, &j| reach(i).total_cmp(&reach(j)).then(i.cmp(&j))).unwrap_or(0)
}

/// Means are taken of middles while assignment goes by corners, so a pass may undo another for ever; it ends
/// here.
const PASSES: usize = 32;

/// Part by part: the face worst off founds the next, then all faces change to the nearest mean until none
/// does (Eckstein 1998, section 3.4.2).
pub(super) fn parts(problem: &Problem<'_>, degree: usize) -> Vec<Vec<u32>> {
    let faces = problem.faces;
    let mut centers = vec![problem.mean(faces)];
    let mut part = vec![0; faces.len()];
    for _ in 1..degree {
        let reach = |i: usize| problem.reach(centers[part[i]], faces[i]);
        let worst = (0..faces.len()).max_by(|&i, &j| reach(i).total_cmp(&reach(j)).then(j.cmp(&i)));
        let Some(worst) = worst else { break };
        centers.push(problem.all.middle(faces[worst]));
        let mut changed = reassign(problem, &centers, &mut part);
        for _ in 0..PASSES {
            if !changed {
                break;
            }
            for (i, center) in centers.iter_mut().enumerate() {
                let mine: Vec<u32> =
                    faces.iter().zip(&part).filter(|(_, p)| **p == i).map(|(f, _)| *f).collect();
                // An emptied part keeps its centre.
                if !mine.is_empty() {
                    *center = problem.mean(&mine);
                }
            }
            changed = reassign(problem, &centers, &mut part);
        }
    }
    let mut parts = vec![Vec::new(); centers.len()];
    faces.iter().zip(&part).for_each(|(&face, &part)| parts[part].push(face));
    parts
}

/// Move every face to a strictly nearer centre, if there is one.
fn reassign(problem: &Problem<'_>, centers: &[DVec3], part: &mut [usize]) -> bool {
    let mut changed = false;
    for (&face, part) in problem.faces.iter().zip(part) {
        let nearest = closest(problem, centers, face);
        if problem.reach(centers[nearest], face) < problem.reach(centers[*part], face) {
            (*part, changed) = (nearest, true);
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::TreeOptions;
    use noli::tree::Faces;
    use noli_geom::Triangle;

    fn sorted(parts: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
        let mut parts: Vec<Vec<u32>> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.iter_mut().for_each(|part| part.sort_unstable());
        parts.sort();
        parts
    }

    #[test]
    fn four_specks_part_into_two_pairs() {
        let speck = |x: f64| {
            let p = DVec3::new(x, 0.0, 0.0);
            Triangle::new(p, p + DVec3::Y * 1e-3, p + DVec3::Z * 1e-3)
        };
        let specks = [0.0, 1.0, 10.0, 11.0].map(speck);
        let (all, options) = (Faces::new(&specks), TreeOptions::workshop());
        let problem = Problem { all: &all, faces: &[0, 1, 2, 3], options: &options };
        assert_eq!(sorted(parts(&problem, 2)), [[0, 1], [2, 3]]);
        assert_eq!(sorted(farthest_parts(&problem, 2)), [[0, 1], [2, 3]]);
    }

    /// As printed these three alternate between two partitions for ever.
    #[test]
    fn a_partition_that_would_alternate_for_ever_ends() {
        let triangle = |c: [[f64; 3]; 3]| Triangle { corners: c.map(DVec3::from) };
        let three = [
            triangle([[-1., 1., -2.], [1., 4., -2.], [7., 5., 5.]]),
            triangle([[6., -3., 1.], [6., -6., -3.], [4., -3., 5.]]),
            triangle([[5., 0., -1.], [6., 5., -1.], [-1., 4., 4.]]),
        ];
        let (all, options) = (Faces::new(&three), TreeOptions::workshop());
        let problem = Problem { all: &all, faces: &[0, 1, 2], options: &options };
        assert_eq!(parts(&problem, 3).concat().len(), 3);
    }
}
