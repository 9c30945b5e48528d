//! Random placements of two convex bodies, as in the papers on double hierarchies.

use crate::peers::{self, JobFolder};
use crate::record::Size;
use crate::timing::micros;
use anyhow::{Context, Result, ensure};
use noli::{Convex, Model, Overlap, Pose, overlap};
use noli_classics::double::{DoubleOptions, DoubleTree, HitBy};
use noli_geom::{AnyVolume, Hull, Polytope, RelativePose, Volume};
use noli_scenes::{Polyhedron, SplitMix64, TriangleSet};
use serde::Deserialize;

/// A pair of bodies of a paper, and how many of 100,000 placements it printed as hits in each of its two spaces.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Pair {
    pub(crate) a: String,
    pub(crate) b: String,
    /// Hits by inner volumes in the large and the small space.
    pub(crate) inner: [f64; 2],
    /// Hits by faces.
    pub(crate) faces: [f64; 2],
    /// Mean microseconds of a hit by inner volumes.
    pub(crate) inner_us: [f64; 2],
    /// Mean microseconds of a hit by faces.
    pub(crate) faces_us: [f64; 2],
    /// Known and unknown properties of the printed bodies.
    pub(crate) known: String,
}

impl Pair {
    pub(crate) fn name(&self) -> String {
        format!("{} – {}", self.a, self.b)
    }

    /// The printed share of hits among the placements of a space.
    pub(crate) fn hit_rate(&self, space: usize) -> f64 {
        (self.inner[space] + self.faces[space]) / 100_000.0
    }

    /// The printed share of hits by inner volumes among all hits.
    pub(crate) fn inner_share(&self, space: usize) -> f64 {
        self.inner[space] / (self.inner[space] + self.faces[space])
    }
}

/// The body with its vertices at distance 1 at most; the cube keeps its edge of 1.
pub(crate) fn body(name: &str, all: &[Polyhedron]) -> Result<Polytope> {
    let one =
        all.iter().find(|one| one.name == name).with_context(|| format!("no polyhedron is called {name}"))?;
    let reach = one.body.vertices.iter().map(|v| v.length()).fold(0.0, f64::max);
    let scale = if name == "Cubo" { 1.0 } else { 1.0 / reach };
    let faces: Vec<Vec<u32>> = one.body.faces.iter().map(|face| face.vertices.clone()).collect();
    Polytope::new(one.body.vertices.iter().map(|v| *v * scale).collect(), &faces)
        .context("a face has no area")
}

/// Placements of both bodies with their centres uniform in a sphere of this radius.
pub(crate) fn placements(seed: u64, radius: f64, count: usize) -> Vec<[Pose; 2]> {
    let mut random = SplitMix64::new(seed);
    let mut one = || {
        let distance = radius * random.unit().cbrt();
        Pose::new(random.rotation(), random.direction() * distance)
    };
    (0..count).map(|_| [one(), one()]).collect()
}

fn hits(a: &DoubleTree, b: &DoubleTree, at: &[[Pose; 2]]) -> f64 {
    let hit = |p: &&[Pose; 2]| overlap(&a.model().at(p[0]), &b.model().at(p[1])) == Overlap::Hit;
    at.iter().filter(hit).count() as f64 / at.len() as f64
}

/// The radius of the sphere of centres for which this share of placements collides, by bisection with the engine's exact query.
pub(crate) fn calibrated(a: &DoubleTree, b: &DoubleTree, rate: f64, seed: u64, size: Size) -> f64 {
    let (count, steps) = if size == Size::Full { (20_000, 14) } else { (500, 8) };
    let (mut low, mut high) = (0.1, 6.0);
    for _ in 0..steps {
        let middle = 0.5 * (low + high);
        if hits(a, b, &placements(seed, middle, count)) > rate {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// Results on the placements of one space.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// Hits by inner volumes, faces and containment.
    pub(crate) hits: [f64; 3],
    pub(crate) misses: f64,
    /// Mean microseconds of each kind of hit, and of a miss.
    pub(crate) hit_us: [f64; 3],
    pub(crate) miss_us: f64,
    /// Of each placement whether it is a hit.
    pub(crate) verdicts: Vec<bool>,
}

impl Tally {
    pub(crate) fn all_hits(&self) -> f64 {
        self.hits.iter().sum()
    }

    pub(crate) fn inner_share(&self) -> f64 {
        self.hits[0] / self.all_hits().max(1.0)
    }

    /// Mean microseconds of any hit.
    pub(crate) fn any_hit_us(&self) -> f64 {
        let total: f64 = self.hits.iter().zip(&self.hit_us).map(|(n, us)| n * us).sum();
        total / self.all_hits().max(1.0)
    }

    /// Mean microseconds of any placement.
    pub(crate) fn mean_us(&self) -> f64 {
        let total = self.any_hit_us() * self.all_hits() + self.miss_us * self.misses;
        total / (self.all_hits() + self.misses).max(1.0)
    }
}

/// Tests every placement, with or without inner volumes.
pub(crate) fn tally(a: &DoubleTree, b: &DoubleTree, at: &[[Pose; 2]], inner: bool) -> Tally {
    let mut tally = Tally::default();
    let mut sums = [0.0; 4];
    for [pose_a, pose_b] in at {
        let (found, micros) = micros(|| a.overlap(pose_a, b, pose_b, inner));
        let kind = match found.hit {
            Some(HitBy::InnerVolumes) => 0,
            Some(HitBy::Faces) => 1,
            Some(HitBy::Containment) => 2,
            None => 3,
        };
        tally.verdicts.push(kind < 3);
        if kind < 3 {
            tally.hits[kind] += 1.0
        } else {
            tally.misses += 1.0
        }
        sums[kind] += micros;
    }
    for kind in 0..3 {
        tally.hit_us[kind] = sums[kind] / tally.hits[kind].max(1.0);
    }
    tally.miss_us = sums[3] / tally.misses.max(1.0);
    tally
}

/// Shares of the hits that overlapping inner volumes can prove, whatever the order of the walk.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Provable {
    /// By those of the two roots.
    pub(crate) by_roots: f64,
    /// By those of any two nodes.
    pub(crate) by_some_pair: f64,
}

/// Tests the inner volumes of all pairs of nodes in every placement that is a hit.
pub(crate) fn provable(a: &DoubleTree, b: &DoubleTree, at: &[[Pose; 2]], verdicts: &[bool]) -> Provable {
    let inner =
        |tree: &DoubleTree| -> Vec<AnyVolume> { tree.nodes().iter().filter_map(|node| node.inner).collect() };
    let roots = [a, b].map(|tree| tree.nodes().first().and_then(|node| node.inner));
    let (all_a, all_b) = (inner(a), inner(b));
    let (mut hits, mut by_roots, mut by_some) = (0u32, 0u32, 0u32);
    for ([pose_a, pose_b], _) in at.iter().zip(verdicts).filter(|(_, hit)| **hit) {
        hits += 1;
        let relative = RelativePose::new(pose_a, pose_b);
        let overlap = |a: &AnyVolume, b: &AnyVolume| a.distance_bound(b, &relative) <= 0.0;
        by_roots += u32::from(matches!(&roots, [Some(a), Some(b)] if overlap(a, b)));
        by_some += u32::from(all_a.iter().any(|a| all_b.iter().any(|b| overlap(a, b))));
    }
    let share = |count: u32| f64::from(count) / f64::from(hits.max(1));
    Provable { by_roots: share(by_roots), by_some_pair: share(by_some) }
}

/// The same placements by the engine's query, on solid meshes or on convex hulls (GJK): mean microseconds of a hit and of a miss. Every
/// verdict must be that of the double tree.
pub(crate) fn engine(a: &Model, b: &Model, at: &[[Pose; 2]], verdicts: &[bool]) -> Result<[f64; 2]> {
    let (mut sums, mut counts) = ([0.0; 2], [0.0; 2]);
    for ([pose_a, pose_b], known) in at.iter().zip(verdicts) {
        let (verdict, micros) = micros(|| overlap(&a.at(*pose_a), &b.at(*pose_b)));
        let hit = verdict == Overlap::Hit;
        ensure!(hit == *known, "the double tree says {known}, the engine {verdict:?}: {pose_a:?} {pose_b:?}");
        sums[usize::from(!hit)] += micros;
        counts[usize::from(!hit)] += 1.0;
    }
    Ok([sums[0] / f64::max(counts[0], 1.0), sums[1] / f64::max(counts[1], 1.0)])
}

/// Times of another current engine for the same placements.
#[derive(Clone, Debug)]
pub(crate) struct PeerTimes {
    pub(crate) name: &'static str,
    /// Mean microseconds of a hit and of a miss, by our verdict.
    pub(crate) us: [f64; 2],
    /// Verdicts that are not ours.
    pub(crate) differing: usize,
}

/// The peers to run: bodies as triangles in a tree, then as convex bodies.
const PEERS: [(&str, &str, &str); 6] = [
    ("FCL, triangles (OBBRSS)", "fcl", "obbrss"),
    ("Coal, triangles (OBBRSS)", "coal", "obbrss"),
    ("parry, triangles", "parry", ""),
    ("FCL, convex", "fcl", "convex"),
    ("Coal, convex (GJK)", "coal", "convex"),
    ("parry, convex (GJK)", "parry", "convex"),
];

/// The same placements by every peer that was built; nothing where none was.
pub(crate) fn peers(pair: &Pair, all: &[Polyhedron], at: &[[Pose; 2]]) -> Result<Vec<PeerTimes>> {
    let Some(folder) = peers::folder() else { return Ok(Vec::new()) };
    let bodies = [body(&pair.a, all)?, body(&pair.b, all)?];
    let hulls = [hull(&pair.a, all)?, hull(&pair.b, all)?];
    let hit = |p: &[Pose; 2]| overlap(&hulls[0].at(p[0]), &hulls[1].at(p[1])) == Overlap::Hit;
    let truth: Vec<bool> = at.iter().map(hit).collect();
    let job = JobFolder::new(&bodies.each_ref().map(triangles))?;
    job.set_poses(&at.iter().map(|[a, b]| a.inverse() * *b).collect::<Vec<Pose>>())?;
    let mut ran = Vec::new();
    for (name, program, volume) in PEERS {
        let program = folder.join(program);
        if !program.is_file() {
            continue;
        }
        // The median of three passes, so that an interruption does not count.
        let mut arguments = vec!["overlap", "3"];
        if !volume.is_empty() {
            arguments.extend(["--volume", volume]);
        }
        let Some(reply) = peers::ask(&program, &job, arguments)? else { continue };
        ensure!(reply.answers.len() == at.len(), "{name} answers {} placements", reply.answers.len());
        let mut times = PeerTimes { name, us: [0.0; 2], differing: 0 };
        for ([answer, micros], hit) in reply.answers.iter().zip(&truth) {
            times.us[usize::from(!hit)] += micros;
            times.differing += usize::from((*answer != 0.0) != *hit);
        }
        let hits = truth.iter().filter(|hit| **hit).count();
        let mean = |sum: f64, count: usize| sum / count.max(1) as f64;
        times.us = [mean(times.us[0], hits), mean(times.us[1], truth.len() - hits)];
        ran.push(times);
    }
    Ok(ran)
}

/// The faces of a body as triangles that share its vertices.
fn triangles(body: &Polytope) -> TriangleSet {
    let fan = |corners: &[u32]| -> Vec<[u32; 3]> {
        corners[1..].windows(2).map(|edge| [corners[0], edge[0], edge[1]]).collect()
    };
    TriangleSet {
        vertices: body.vertices.clone(),
        triangles: body.faces.iter().flat_map(|face| fan(&face.vertices)).collect(),
    }
}

/// A body of the papers as a convex hull.
pub(crate) fn hull(name: &str, all: &[Polyhedron]) -> Result<Model> {
    Ok(Convex::from(Hull::new(body(name, all)?.vertices)?).into())
}

/// Both trees of a pair.
pub(crate) fn trees(pair: &Pair, all: &[Polyhedron], options: &DoubleOptions) -> Result<[DoubleTree; 2]> {
    let tree = |name: &str| {
        DoubleTree::new(&body(name, all)?, options).with_context(|| format!("{name} has no volume"))
    };
    Ok([tree(&pair.a)?, tree(&pair.b)?])
}

/// The share of placements that collide, by the kinematic formula of integral geometry, for a fixed body and a centre uniform in a sphere: what
/// random placements are checked against.
#[cfg(test)]
fn expected_hits(a: [f64; 3], b: [f64; 3], radius: f64) -> f64 {
    let [volume_a, area_a, curvature_a] = a;
    let [volume_b, area_b, curvature_b] = b;
    let pi = std::f64::consts::PI;
    let mean = volume_a + volume_b + (area_a * curvature_b + area_b * curvature_a) / (4.0 * pi);
    mean / (4.0 / 3.0 * pi * radius.powi(3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    /// Two unit cubes, the centre of one uniform in a sphere of radius √3 about the other: 50.538 % collide.
    #[test]
    fn hits_of_two_cubes_are_as_integral_geometry_has_them() {
        let cube = [1.0, 6.0, 3.0 * std::f64::consts::PI];
        let radius = 3.0f64.sqrt();
        let expected = expected_hits(cube, cube, radius);
        assert!((expected - 0.50538).abs() < 1e-4);
        let body = body("Cubo", &noli_scenes::polyhedra()).unwrap();
        let tree = DoubleTree::new(&body, &DoubleOptions::default()).unwrap();
        let mut at = placements(3, radius, 4000);
        at.iter_mut().for_each(|p| p[0].translation = DVec3::ZERO);
        let found = hits(&tree, &tree, &at);
        // Three standard deviations of 4000 draws.
        assert!((found - expected).abs() < 0.024, "{found}");
    }

    /// The walk proves by inner volumes at least where the roots do, and never where no pair does; two cubes are their
    /// own inner boxes, so that the roots prove all.
    #[test]
    fn what_the_walk_proves_lies_between() {
        let all = noli_scenes::polyhedra();
        let at = placements(5, 1.1, 400);
        let shares = |names: [&str; 2], options: &DoubleOptions| {
            let [a, b] = names.map(|name| DoubleTree::new(&body(name, &all).unwrap(), options).unwrap());
            let tally = tally(&a, &b, &at, true);
            (provable(&a, &b, &at, &tally.verdicts), tally.inner_share())
        };
        let (spheres, walked) = shares(["Troctaedro", "Octaedro"], &DoubleOptions::spheres_as_printed());
        assert!(spheres.by_roots <= walked && walked <= spheres.by_some_pair, "{spheres:?} {walked}");
        assert!(spheres.by_roots < spheres.by_some_pair, "{spheres:?}");
        let (boxes, walked) = shares(["Cubo", "Cubo"], &DoubleOptions::boxes_as_printed());
        assert!(boxes.by_roots > 0.99 && walked > 0.99, "{boxes:?} {walked}");
    }
}
