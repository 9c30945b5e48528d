//! The best partition of a few faces (Eckstein 1998, section 3.4.1): branch and bound.
//!
//! A lower bound is the quality of the faces placed so far. It holds where more faces cannot make a volume
//! smaller, so for smallest spheres and axis-aligned boxes under volume, surface and diameter. Elsewhere
//! the result is the best found, not proven. Faces inside a volume need no branch, but must be tested again
//! at every node. The smallest sphere around more faces need not contain the old one.

use super::exchange;
use super::problem::Problem;
use crate::tree::choice::{BoundRules, BranchFace, NextProblem, Split};
use crate::tree::options::{Aggregate, Degree, Fit, Rules, TreeOptions, VolumeChoice};
use noli::tree::Faces;
use noli_geom::{AnyVolume, Measure, Triangle, Volume, VolumeKind};

/// The best partition found.
#[derive(Clone, Debug, PartialEq)]
pub struct Proven {
    /// The parts; some may be empty.
    pub parts: Vec<Vec<u32>>,
    /// Their quality; empty parts count as 0.
    pub quality: f64,
    /// `true` if no partition is better.
    pub proven: bool,
    /// Number of partial partitions tested.
    pub looked_at: usize,
    /// The qualities of the best partition as it was replaced, from that of the heuristic down.
    pub improvements: Vec<f64>,
}

/// The best partition of some triangles into at most `degree` parts.
pub fn branch_and_bound(triangles: &[Triangle], degree: usize, options: &TreeOptions) -> Proven {
    branch_and_bound_by(triangles, degree, options, &BoundRules::default())
}

/// The same with other choices of the search.
pub fn branch_and_bound_by(
    triangles: &[Triangle],
    degree: usize,
    options: &TreeOptions,
    by: &BoundRules,
) -> Proven {
    let all = Faces::new(triangles);
    let faces: Vec<u32> = (0..triangles.len() as u32).collect();
    let options = TreeOptions { degree: Degree::Fixed(degree), split: Split::BranchAndBound, ..*options };
    solve(&Problem { all: &all, faces: &faces, options: &options, rules: &Rules::USUAL }, degree, by)
}

pub(super) fn parts(problem: &Problem<'_>, degree: usize) -> Vec<Vec<u32>> {
    solve(problem, degree, &problem.rules.bounds).parts
}

fn solve(problem: &Problem<'_>, degree: usize, by: &BoundRules) -> Proven {
    let mut start = exchange::parts(problem, degree);
    start.resize(degree, Vec::new());
    let mut search = Search { problem, degree, by: *by, best: Vec::new(), parts: Vec::new(), looked_at: 0 };
    search.offer(rate(problem, degree, &start), start);
    let mut open = vec![Partial {
        placed: vec![Vec::new(); degree],
        free: problem.faces.to_vec(),
        lower: 0.0,
        upper: search.best(),
    }];
    while let Some(next) = search.take(&mut open) {
        search.looked_at += 1;
        if search.looked_at >= by.limit {
            break;
        }
        open.extend(search.children(&next));
    }
    let proven = search.looked_at < by.limit && bounds_hold(problem.options);
    let quality = search.best();
    Proven { parts: search.parts, quality, proven, looked_at: search.looked_at, improvements: search.best }
}

/// Returns `true` if more faces can never make a fitted volume smaller.
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

/// A partition of some of the faces.
#[derive(Clone, Debug)]
struct Partial {
    placed: Vec<Vec<u32>>,
    free: Vec<u32>,
    /// The quality of what is placed.
    lower: f64,
    /// That of a completion; infinite where none was made.
    upper: f64,
}

struct Search<'a> {
    problem: &'a Problem<'a>,
    degree: usize,
    by: BoundRules,
    /// The qualities of the best partitions, the last the least.
    best: Vec<f64>,
    parts: Vec<Vec<u32>>,
    looked_at: usize,
}

impl Search<'_> {
    fn best(&self) -> f64 {
        self.best.last().copied().unwrap_or(f64::INFINITY)
    }

    /// Keep a partition of all faces if it is better.
    fn offer(&mut self, quality: f64, parts: Vec<Vec<u32>>) {
        if quality < self.best() {
            self.best.push(quality);
            self.parts = parts;
        }
    }

    /// The next partial partition by the rule.
    fn take(&self, open: &mut Vec<Partial>) -> Option<Partial> {
        let rank = |one: &Partial| {
            let (free, placed) = (one.free.len() as f64, (self.problem.faces.len() - one.free.len()) as f64);
            match self.by.next {
                NextProblem::Newest => 0.0,
                NextProblem::Lowest => one.lower,
                NextProblem::Estimate => one.lower * placed + one.upper * free,
                NextProblem::Potential => -(one.upper - one.lower) * free,
            }
        };
        // Of equals the newest.
        let next = (0..open.len()).rev().min_by(|&i, &j| rank(&open[i]).total_cmp(&rank(&open[j])))?;
        Some(open.swap_remove(next))
    }

    /// Returns `true` if every partial partition has a completion.
    fn completes(&self) -> bool {
        self.by.complete || matches!(self.by.next, NextProblem::Estimate | NextProblem::Potential)
    }

    /// The partial partitions with one face more, the most promising last; none where nothing better can come of
    /// this one.
    fn children(&mut self, parent: &Partial) -> Vec<Partial> {
        if parent.lower >= self.best() {
            return Vec::new();
        }
        let volumes: Vec<Option<AnyVolume>> =
            parent.placed.iter().map(|part| (!part.is_empty()).then(|| self.problem.volume(part))).collect();
        let home = |face: u32| {
            let vertices = self.problem.all.triangles()[face as usize].vertices;
            let holds = |v: &Option<AnyVolume>| v.is_some_and(|v| vertices.iter().all(|c| v.holds(*c)));
            volumes.iter().position(holds)
        };
        let unsettled: Vec<u32> = parent.free.iter().copied().filter(|&face| home(face).is_none()).collect();
        if unsettled.is_empty() {
            let mut parts = parent.placed.clone();
            parent.free.iter().for_each(|&face| parts[home(face).unwrap_or(0)].push(face));
            self.offer(rate(self.problem, self.degree, &parts), parts);
            return Vec::new();
        }
        let (face, places) = self.branching_face(&parent.placed, &unsettled);
        let free: Vec<u32> = parent.free.iter().copied().filter(|&f| f != face).collect();
        let mut children = Vec::new();
        for (lower, part) in places {
            let mut placed = parent.placed.clone();
            placed[part].push(face);
            let mut upper = f64::INFINITY;
            if self.completes() {
                // By either heuristic of the thesis, the better of which bounds from above.
                let by_centers = exchange::completed(self.problem, &placed, &free);
                let by_exchange = exchange::completed_with_exchange(self.problem, &placed, &free);
                for whole in [by_centers, by_exchange] {
                    let quality = rate(self.problem, self.degree, &whole);
                    upper = upper.min(quality);
                    self.offer(quality, whole);
                }
            }
            children.push(Partial { placed, free: free.clone(), lower, upper });
        }
        let best = self.best();
        children.retain(|child| child.lower < best);
        children.reverse();
        children
    }

    fn branching_face(&self, placed: &[Vec<u32>], unsettled: &[u32]) -> (u32, Vec<(f64, usize)>) {
        let random = self.looked_at.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 7;
        let drawn = unsettled[random % unsettled.len()];
        let candidates = match self.by.face {
            BranchFace::Dearest => unsettled,
            BranchFace::Random => std::slice::from_ref(&drawn),
        };
        let placements = candidates.iter().map(|&face| (face, self.placements(placed, face)));
        let dearest = placements.max_by(|a, b| a.1[0].0.total_cmp(&b.1[0].0).then(b.0.cmp(&a.0)));
        dearest.unwrap_or_else(|| (drawn, self.placements(placed, drawn)))
    }

    /// Returns the possible parts for a face, and the bound of each, the smallest first. Empty parts are
    /// equivalent: only the first counts.
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
                        let problem =
                            Problem { all: &all, faces: &faces, options: &options, rules: &Rules::USUAL };
                        let best = exhaustive(&problem, degree);
                        // Spheres are smallest up to the roundings of their search.
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

    /// The sphere around (±1, 0, 0) contains (0, 1, 0); with (0, −3, 0) added it does not. A face that was
    /// inside must be tested again.
    #[test]
    fn a_face_inside_may_fall_out_later() {
        let speck = |x: f64, y: f64| Triangle { vertices: [DVec3::new(x, y, 0.0); 3] };
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

    /// Every choice of face, of the next partition and of completion proves the same quality; the best never
    /// gets worse during the search.
    #[test]
    fn every_choice_of_the_search_finds_the_best() {
        let mut random = SplitMix64::new(18);
        for (count, degree) in [(6, 2), (7, 3)] {
            let triangles = triangles(&mut random, count);
            for kind in [VolumeKind::Sphere, VolumeKind::Aabb] {
                for aggregate in [Aggregate::Mean, Aggregate::Max] {
                    let options = TreeOptions { volume: kind.into(), aggregate, ..TreeOptions::workshop() };
                    let usual = branch_and_bound(&triangles, degree, &options);
                    for face in [BranchFace::Dearest, BranchFace::Random] {
                        use NextProblem::{Estimate, Lowest, Newest, Potential};
                        for next in [Newest, Lowest, Estimate, Potential] {
                            for complete in [false, true] {
                                let by = BoundRules { face, next, complete, ..BoundRules::USUAL };
                                let found = branch_and_bound_by(&triangles, degree, &options, &by);
                                assert!(found.proven, "{by:?}");
                                let same = (found.quality - usual.quality).abs() <= 1e-9 * usual.quality;
                                assert!(same, "{by:?}: {found:?} {usual:?}");
                                assert!(
                                    found.improvements.windows(2).all(|two| two[1] < two[0]),
                                    "{found:?}"
                                );
                                assert_eq!(found.improvements.last(), Some(&found.quality));
                            }
                        }
                    }
                }
            }
        }
    }

    /// Along every path lower bounds grow, completions are partitions of all faces, and no bound is above the best
    /// completion below it.
    #[test]
    fn bounds_grow_along_every_path() {
        let (mut random, mut seen) = (SplitMix64::new(19), 0);
        let faces = triangles(&mut random, 7);
        let (all, numbers): (_, Vec<u32>) = (Faces::new(&faces), (0..7).collect());
        for kind in [VolumeKind::Sphere, VolumeKind::Aabb] {
            let options = TreeOptions { volume: kind.into(), ..TreeOptions::workshop() };
            let problem = Problem { all: &all, faces: &numbers, options: &options, rules: &Rules::USUAL };
            let best = exhaustive(&problem, 2);
            let by = BoundRules { complete: true, ..Default::default() };
            let mut search = Search {
                problem: &problem,
                degree: 2,
                by,
                best: Vec::new(),
                parts: Vec::new(),
                looked_at: 0,
            };
            let root = Partial {
                placed: vec![Vec::new(); 2],
                free: numbers.clone(),
                lower: 0.0,
                upper: f64::INFINITY,
            };
            let mut open = vec![root];
            while let Some(parent) = open.pop() {
                for child in search.children(&parent) {
                    assert!(child.lower >= parent.lower * (1.0 - 1e-9), "{child:?} {parent:?}");
                    assert!(child.upper >= child.lower * (1.0 - 1e-9) && child.upper >= best * (1.0 - 1e-9));
                    seen += 1;
                    open.push(child);
                }
            }
            assert!((search.best() - best).abs() <= 1e-9 * best);
        }
        assert!(seen > 10, "{seen}");
    }
}
