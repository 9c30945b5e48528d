//! The best partition of a few faces (Eckstein 1998, section 3.4.1): branch and bound.
//!
//! A lower bound is the quality of what has been placed: it holds where more faces cannot make a volume
//! smaller, so for smallest balls and axis-aligned boxes under volume, surface and diameter. Elsewhere the
//! result is the best found, not proven. Faces inside a volume need no branch, but must be looked at anew at
//! every node: the smallest ball around more faces need not hold the old one.

use super::problem::Problem;
use super::{Split, exchange};
use crate::tree::{Aggregate, Degree, Fit, TreeOptions, VolumeChoice};
use noli::tree::Faces;
use noli_geom::{AnyVolume, Measure, Triangle, Volume, VolumeKind};

/// The best partition found.
#[derive(Clone, Debug, PartialEq)]
pub struct Proven {
    /// The parts; some may be empty.
    pub parts: Vec<Vec<u32>>,
    /// Their quality; empty parts count as 0.
    pub quality: f64,
    /// Whether no partition is better.
    pub proven: bool,
    /// How many partial partitions were looked at.
    pub looked_at: usize,
}

/// Partial partitions looked at before giving up the proof.
const LIMIT: usize = 20_000;

/// The best partition of some triangles into at most `degree` parts.
pub fn branch_and_bound(triangles: &[Triangle], degree: usize, options: &TreeOptions) -> Proven {
    let all = Faces::new(triangles);
    let faces: Vec<u32> = (0..triangles.len() as u32).collect();
    let options = TreeOptions { degree: Degree::Fixed(degree), split: Split::BranchAndBound, ..*options };
    solve(&Problem { all: &all, faces: &faces, options: &options }, degree)
}

pub(super) fn parts(problem: &Problem<'_>, degree: usize) -> Vec<Vec<u32>> {
    solve(problem, degree).parts
}

fn solve(problem: &Problem<'_>, degree: usize) -> Proven {
    let mut start = exchange::parts(problem, degree);
    start.resize(degree, Vec::new());
    let mut search =
        Search { problem, degree, best: rate(problem, degree, &start), parts: start, looked_at: 0 };
    search.branch(&vec![Vec::new(); degree], problem.faces.to_vec());
    let proven = search.looked_at < LIMIT && bounds_hold(problem.options);
    Proven { parts: search.parts, quality: search.best, proven, looked_at: search.looked_at }
}

/// Whether more faces can never make a fitted volume smaller.
fn bounds_hold(options: &TreeOptions) -> bool {
    let smallest = match options.volume {
        VolumeChoice::Kind(VolumeKind::Sphere) => options.fit == Fit::Best,
        VolumeChoice::Kind(VolumeKind::Aabb) => true,
        _ => false,
    };
    smallest && options.measure != Measure::Hausdorff
}

/// Quality with empty parts as 0: the mean always divides by the degree.
fn rate(problem: &Problem<'_>, degree: usize, parts: &[Vec<u32>]) -> f64 {
    let sizes = parts.iter().filter(|part| !part.is_empty()).map(|part| problem.quality(part));
    match problem.options.aggregate {
        Aggregate::Mean => sizes.sum::<f64>() / degree as f64,
        Aggregate::Max => sizes.fold(0.0, f64::max),
    }
}

struct Search<'a> {
    problem: &'a Problem<'a>,
    degree: usize,
    best: f64,
    parts: Vec<Vec<u32>>,
    looked_at: usize,
}

impl Search<'_> {
    /// Look at all completions of a partial partition, the most promising placement first.
    fn branch(&mut self, placed: &[Vec<u32>], free: Vec<u32>) {
        self.looked_at += 1;
        if self.looked_at >= LIMIT {
            return;
        }
        let lower = rate(self.problem, self.degree, placed);
        if lower >= self.best {
            return;
        }
        let volumes: Vec<Option<AnyVolume>> =
            placed.iter().map(|part| (!part.is_empty()).then(|| self.problem.volume(part))).collect();
        let home = |face: u32| {
            let corners = self.problem.all.triangles()[face as usize].corners;
            let holds = |v: &Option<AnyVolume>| v.is_some_and(|v| corners.iter().all(|c| v.holds(*c)));
            volumes.iter().position(holds)
        };
        let open: Vec<u32> = free.iter().copied().filter(|&face| home(face).is_none()).collect();
        if open.is_empty() {
            let mut parts = placed.to_vec();
            free.iter().for_each(|&face| parts[home(face).unwrap_or(0)].push(face));
            let quality = rate(self.problem, self.degree, &parts);
            if quality < self.best {
                (self.best, self.parts) = (quality, parts);
            }
            return;
        }
        // The face whose cheapest place is dearest raises the bounds of all children most.
        let placements = open.iter().map(|&face| (face, self.placements(placed, face)));
        let hardest = placements.max_by(|a, b| a.1[0].0.total_cmp(&b.1[0].0).then(b.0.cmp(&a.0)));
        let Some((face, places)) = hardest else { return };
        let rest: Vec<u32> = free.into_iter().filter(|&f| f != face).collect();
        for (bound, part) in places {
            if bound < self.best {
                let mut next = placed.to_vec();
                next[part].push(face);
                self.branch(&next, rest.clone());
            }
        }
    }

    /// Where a face may go, and the bound there, the smallest first. Empty parts are alike: only the first
    /// counts.
    fn placements(&self, placed: &[Vec<u32>], face: u32) -> Vec<(f64, usize)> {
        let first_empty = placed.iter().position(Vec::is_empty).unwrap_or(self.degree);
        let mut tried: Vec<(f64, usize)> = (0..self.degree)
            .filter(|&part| part <= first_empty || !placed[part].is_empty())
            .map(|part| {
                let mut next = placed.to_vec();
                next[part].push(face);
                (rate(self.problem, self.degree, &next), part)
            })
            .collect();
        tried.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        tried
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use noli_scenes::SplitMix64;

    fn exhaustive(problem: &Problem<'_>, degree: usize) -> f64 {
        let count = problem.faces.len();
        let mut best = f64::INFINITY;
        for code in 0..degree.pow(count as u32) {
            let mut parts = vec![Vec::new(); degree];
            let mut rest = code;
            for &face in problem.faces {
                parts[rest % degree].push(face);
                rest /= degree;
            }
            best = best.min(rate(problem, degree, &parts));
        }
        best
    }

    fn triangles(random: &mut SplitMix64, count: usize) -> Vec<Triangle> {
        let mut near = |middle: DVec3| middle + random.direction() * 0.5;
        (0..count)
            .map(|i| {
                let middle = near(DVec3::ZERO) * (1.0 + i as f64 / 4.0);
                Triangle::new(near(middle), near(middle), near(middle))
            })
            .collect()
    }

    #[test]
    fn equals_exhaustive_search() {
        let mut random = SplitMix64::new(17);
        for (count, degree) in [(4, 2), (6, 2), (8, 2), (4, 3), (6, 3), (7, 3), (8, 3)] {
            let triangles = triangles(&mut random, count);
            for kind in [VolumeKind::Sphere, VolumeKind::Aabb] {
                for aggregate in [Aggregate::Mean, Aggregate::Max] {
                    for measure in [Measure::Volume, Measure::Surface, Measure::Diameter] {
                        let options = TreeOptions {
                            volume: kind.into(),
                            measure,
                            aggregate,
                            ..TreeOptions::workshop()
                        };
                        let found = branch_and_bound(&triangles, degree, &options);
                        assert!(found.proven);
                        let (all, faces): (_, Vec<u32>) =
                            (Faces::new(&triangles), (0..count as u32).collect());
                        let problem = Problem { all: &all, faces: &faces, options: &options };
                        let best = exhaustive(&problem, degree);
                        // Balls are smallest up to the roundings of their search.
                        assert!(
                            (found.quality - best).abs() <= 1e-9 * best,
                            "{kind:?} {aggregate:?} {measure:?}: {found:?} {best}"
                        );
                        let mut seen = found.parts.concat();
                        seen.sort_unstable();
                        assert_eq!(seen, faces);
                    }
                }
            }
        }
    }

    /// The ball around (±1, 0, 0) holds (0, 1, 0); with (0, −3, 0) joined it does not: a face that was inside
    /// must be looked at again.
    #[test]
    fn a_face_inside_may_fall_out_later() {
        let speck = |x: f64, y: f64| Triangle { corners: [DVec3::new(x, y, 0.0); 3] };
        let specks = [speck(-1.0, 0.0), speck(1.0, 0.0), speck(0.0, 1.0), speck(0.0, -3.0)];
        let options = TreeOptions { volume: VolumeKind::Sphere.into(), ..TreeOptions::workshop() };
        let found = branch_and_bound(&specks, 1, &options);
        let surface = found.quality / crate::tree::COLLISION_COST[VolumeKind::Sphere as usize];
        assert!((surface / (4.0 * std::f64::consts::PI) - 4.0).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn oriented_boxes_are_not_proven() {
        let found = branch_and_bound(&triangles(&mut SplitMix64::new(3), 5), 2, &TreeOptions::workshop());
        assert!(!found.proven && found.parts.concat().len() == 5);
    }
}
