//! Seeds far from each other, faces to the nearest, with and without exchange afterwards.

use super::problem::Problem;
use glam::DVec3;
use noli_geom::Sphere;

/// Centres are vertices, the first at the rim, each next one farthest from all before; each face goes to the
/// centre whose sphere about it needs the least radius (Gonzalez 1985, which the thesis calls modified
/// Hochbaum–Shmoys).
pub(super) fn farthest_parts(problem: &Problem<'_>, degree: usize) -> Vec<Vec<u32>> {
    let centers = farthest_centers(problem, degree);
    let mut parts = vec![Vec::new(); centers.len()];
    for &face in problem.faces {
        parts[closest(problem, &centers, face)].push(face);
    }
    parts
}

fn farthest_centers(problem: &Problem<'_>, degree: usize) -> Vec<DVec3> {
    let vertices = problem.vertices(problem.faces);
    let middle = Sphere::smallest(&vertices).center;
    let mut centers: Vec<DVec3> = Vec::new();
    let mut nearest: Vec<f64> = vertices.iter().map(|c| c.distance(middle)).collect();
    for _ in 0..degree {
        let far = (0..vertices.len()).max_by(|&i, &j| nearest[i].total_cmp(&nearest[j]).then(j.cmp(&i)));
        let Some(far) = far else { break };
        let first = centers.is_empty();
        centers.push(vertices[far]);
        for (known, vertex) in nearest.iter_mut().zip(&vertices) {
            let distance = vertex.distance(vertices[far]);
            *known = if first { distance } else { known.min(distance) };
        }
    }
    centers
}

/// The centre whose sphere about the face is smallest, the first of equals.
fn closest(problem: &Problem<'_>, centers: &[DVec3], face: u32) -> usize {
    let reach = |i: usize| problem.reach(centers[i], face);
    (0..centers.len()).min_by(|&i, &j| reach(i).total_cmp(&reach(j)).then(i.cmp(&j))).unwrap_or(0)
}

/// Means are taken of middles while assignment goes by vertices, so a pass may undo another for ever; it ends
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

/// Faces that are free join parts whose members stay: centres are the means of the parts, for empty ones the
/// middle of the free face worst off, as long as there is one.
pub(super) fn completed(problem: &Problem<'_>, placed: &[Vec<u32>], free: &[u32]) -> Vec<Vec<u32>> {
    let mut parts = placed.to_vec();
    let mut homes: Vec<usize> = (0..parts.len()).filter(|&i| !parts[i].is_empty()).collect();
    let mut centers: Vec<DVec3> = homes.iter().map(|&i| problem.mean(&parts[i])).collect();
    let mut empty = (0..parts.len()).filter(|&i| placed[i].is_empty());
    while let Some(next) = empty.next().filter(|_| centers.len() < placed.len()) {
        let worst = |&face: &u32| match centers.is_empty() {
            true => 0.0,
            false => problem.reach(centers[closest(problem, &centers, face)], face),
        };
        let Some(face) = free.iter().copied().max_by(|x, y| worst(x).total_cmp(&worst(y)).then(y.cmp(x)))
        else {
            break;
        };
        centers.push(problem.all.middle(face));
        homes.push(next);
    }
    for &face in free {
        parts[homes[closest(problem, &centers, face)]].push(face);
    }
    parts
}

/// The same with exchange (Eckstein 1998, end of section 3.4.2): free faces join the nearest mean, then change to nearer
/// ones while the means follow, first among the parts that have members; each missing centre is the middle of the free
/// face worst off, and free faces change again. Members that were placed stay.
pub(super) fn completed_with_exchange(
    problem: &Problem<'_>,
    placed: &[Vec<u32>],
    free: &[u32],
) -> Vec<Vec<u32>> {
    let homes: Vec<usize> = (0..placed.len()).filter(|&i| !placed[i].is_empty()).collect();
    let empty: Vec<usize> = (0..placed.len()).filter(|&i| placed[i].is_empty()).collect();
    let mut homes_and_centers: Vec<(usize, DVec3)> =
        homes.iter().map(|&i| (i, problem.mean(&placed[i]))).collect();
    let mut empty = empty.into_iter();
    if homes_and_centers.is_empty() {
        let (Some(first), false) = (empty.next(), free.is_empty()) else { return placed.to_vec() };
        homes_and_centers.push((first, problem.mean(free)));
    }
    let mut part: Vec<usize> = vec![0; free.len()];
    settle(problem, placed, free, &mut homes_and_centers, &mut part);
    for next in empty {
        let reach = |i: usize| problem.reach(homes_and_centers[part[i]].1, free[i]);
        let worst = (0..free.len()).max_by(|&i, &j| reach(i).total_cmp(&reach(j)).then(j.cmp(&i)));
        let Some(worst) = worst else { break };
        homes_and_centers.push((next, problem.all.middle(free[worst])));
        settle(problem, placed, free, &mut homes_and_centers, &mut part);
    }
    let mut parts = placed.to_vec();
    free.iter().zip(&part).for_each(|(&face, &at)| parts[homes_and_centers[at].0].push(face));
    parts
}

/// Free faces change to strictly nearer centres, and centres follow their members, until none changes.
fn settle(
    problem: &Problem<'_>,
    placed: &[Vec<u32>],
    free: &[u32],
    centers: &mut [(usize, DVec3)],
    part: &mut [usize],
) {
    for _ in 0..PASSES {
        let now: Vec<DVec3> = centers.iter().map(|(_, center)| *center).collect();
        let mut changed = false;
        for (&face, at) in free.iter().zip(part.iter_mut()) {
            let nearest = closest(problem, &now, face);
            if problem.reach(now[nearest], face) < problem.reach(now[*at], face) {
                (*at, changed) = (nearest, true);
            }
        }
        for (i, (home, center)) in centers.iter_mut().enumerate() {
            let joined = free.iter().zip(part.iter()).filter(|(_, at)| **at == i).map(|(face, _)| *face);
            let members: Vec<u32> = placed[*home].iter().copied().chain(joined).collect();
            if !members.is_empty() {
                *center = problem.mean(&members);
            }
        }
        if !changed {
            break;
        }
    }
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
    use crate::tree::{Rules, TreeOptions};
    use noli::tree::Faces;
    use noli_geom::Triangle;
    use noli_scenes::SplitMix64;

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
        let problem = Problem { all: &all, faces: &[0, 1, 2, 3], options: &options, rules: &Rules::USUAL };
        assert_eq!(sorted(parts(&problem, 2)), [[0, 1], [2, 3]]);
        assert_eq!(sorted(farthest_parts(&problem, 2)), [[0, 1], [2, 3]]);
    }

    /// As printed these three alternate between two partitions for ever.
    #[test]
    fn a_partition_that_would_alternate_for_ever_ends() {
        let triangle = |c: [[f64; 3]; 3]| Triangle { vertices: c.map(DVec3::from) };
        let three = [
            triangle([[-1., 1., -2.], [1., 4., -2.], [7., 5., 5.]]),
            triangle([[6., -3., 1.], [6., -6., -3.], [4., -3., 5.]]),
            triangle([[5., 0., -1.], [6., 5., -1.], [-1., 4., 4.]]),
        ];
        let (all, options) = (Faces::new(&three), TreeOptions::workshop());
        let problem = Problem { all: &all, faces: &[0, 1, 2], options: &options, rules: &Rules::USUAL };
        assert_eq!(parts(&problem, 3).concat().len(), 3);
    }

    fn specks(random: &mut SplitMix64, count: usize) -> Vec<Triangle> {
        (0..count)
            .map(|_| Triangle { vertices: [random.direction() * random.between(0.0, 2.0); 3] })
            .collect()
    }

    /// For points the greedy centres need at most twice the radius of the best spheres, whatever their centres.
    #[test]
    fn greedy_radii_are_at_most_twice_the_best() {
        let (mut random, mut worst) = (SplitMix64::new(12), 0.0f64);
        for round in 0..40 {
            let (count, degree) = (5 + round % 4, 2 + round % 2);
            let faces = specks(&mut random, count);
            let numbers: Vec<u32> = (0..count as u32).collect();
            let (all, options) = (Faces::new(&faces), TreeOptions::workshop());
            let problem = Problem { all: &all, faces: &numbers, options: &options, rules: &Rules::USUAL };
            let centers = farthest_centers(&problem, degree);
            let near = |face: u32| problem.reach(centers[closest(&problem, &centers, face)], face);
            let greedy = numbers.iter().map(|&face| near(face)).fold(0.0, f64::max);
            let radius =
                |part: &Vec<DVec3>| if part.is_empty() { 0.0 } else { Sphere::smallest(part).radius };
            let mut best = f64::INFINITY;
            for code in 0..degree.pow(count as u32) {
                let mut parts = vec![Vec::new(); degree];
                let mut rest = code;
                for face in &faces {
                    parts[rest % degree].push(face.vertices[0]);
                    rest /= degree;
                }
                best = best.min(parts.iter().map(radius).fold(0.0, f64::max));
            }
            assert!(greedy <= 2.0 * best * (1.0 + 1e-9), "{greedy} {best}");
            worst = worst.max(greedy / best);
        }
        assert!(worst > 1.2, "the greedy rule is not the best: {worst}");
    }

    /// After exchange has ended by itself, no face is nearer to the mean of another part.
    #[test]
    fn exchange_ends_where_no_face_is_nearer_elsewhere() {
        let (mut random, mut ended) = (SplitMix64::new(13), 0);
        for _ in 0..40 {
            let faces = specks(&mut random, 12);
            let numbers: Vec<u32> = (0..12).collect();
            let (all, options) = (Faces::new(&faces), TreeOptions::workshop());
            let problem = Problem { all: &all, faces: &numbers, options: &options, rules: &Rules::USUAL };
            let parts: Vec<Vec<u32>> =
                parts(&problem, 3).into_iter().filter(|part| !part.is_empty()).collect();
            let means: Vec<DVec3> = parts.iter().map(|part| problem.mean(part)).collect();
            let settled = |part: usize, face: u32| {
                let nearest = closest(&problem, &means, face);
                problem.reach(means[part], face) <= problem.reach(means[nearest], face) * (1.0 + 1e-12)
            };
            let all = parts.iter().enumerate().all(|(i, part)| part.iter().all(|&face| settled(i, face)));
            ended += usize::from(all && parts.len() == 3);
        }
        // Points have one distance, not two: passes lower a sum, and none goes on for ever.
        assert_eq!(ended, 40);
    }

    /// Completion keeps what was placed and places all that is free.
    #[test]
    fn completion_moves_free_faces_alone() {
        let mut random = SplitMix64::new(14);
        for round in 0..20u32 {
            let faces = specks(&mut random, 9);
            let numbers: Vec<u32> = (0..9).collect();
            let (all, options) = (Faces::new(&faces), TreeOptions::workshop());
            let problem = Problem { all: &all, faces: &numbers, options: &options, rules: &Rules::USUAL };
            let placed = [vec![0, 1], vec![2], Vec::new()];
            let placed = &placed[..2 + (round % 2) as usize];
            let done = completed(&problem, placed, &numbers[3..]);
            assert!(placed.iter().zip(&done).all(|(before, after)| after.starts_with(before)));
            let mut seen = done.concat();
            seen.sort_unstable();
            assert_eq!(seen, numbers);
        }
        let faces = specks(&mut random, 2);
        let (all, options) = (Faces::new(&faces), TreeOptions::workshop());
        let problem = Problem { all: &all, faces: &[0, 1], options: &options, rules: &Rules::USUAL };
        assert_eq!(completed(&problem, &vec![Vec::new(); 2], &[0, 1]).concat().len(), 2);
    }

    /// With exchange placed faces stay, all free ones are placed, and none of those is nearer to another mean; with
    /// nothing placed it is the split itself. Without exchange some are.
    #[test]
    fn completion_with_exchange_settles_free_faces() {
        let (mut random, mut unsettled) = (SplitMix64::new(15), 0);
        for round in 0..40u32 {
            let faces = specks(&mut random, 12);
            let numbers: Vec<u32> = (0..12).collect();
            let (all, options) = (Faces::new(&faces), TreeOptions::workshop());
            let problem = Problem { all: &all, faces: &numbers, options: &options, rules: &Rules::USUAL };
            let placed = [vec![0, 1], vec![2], Vec::new()];
            let placed = &placed[..2 + (round % 2) as usize];
            let settled = |parts: &[Vec<u32>]| {
                let own = |face: u32| parts.iter().position(|part| part.contains(&face)).unwrap();
                let means: Vec<DVec3> = parts.iter().map(|part| problem.mean(part)).collect();
                let reach = |part: usize, face: u32| problem.reach(means[part], face);
                numbers[3..].iter().all(|&face| {
                    (0..parts.len()).all(|k| reach(own(face), face) <= reach(k, face) * (1.0 + 1e-12))
                })
            };
            let done = completed_with_exchange(&problem, placed, &numbers[3..]);
            assert!(placed.iter().zip(&done).all(|(before, after)| after.starts_with(before)));
            let mut seen = done.concat();
            seen.sort_unstable();
            assert_eq!(seen, numbers);
            assert!(settled(&done), "{done:?}");
            unsettled += usize::from(!settled(&completed(&problem, placed, &numbers[3..])));
            let alone = completed_with_exchange(&problem, &vec![Vec::new(); 3], &numbers);
            assert_eq!(sorted(alone), sorted(parts(&problem, 3)));
        }
        assert!(unsettled > 5, "{unsettled}");
        let (all, options) = (Faces::new(&[]), TreeOptions::workshop());
        let problem = Problem { all: &all, faces: &[], options: &options, rules: &Rules::USUAL };
        assert!(completed_with_exchange(&problem, &[Vec::new(), Vec::new()], &[]).concat().is_empty());
    }
}
