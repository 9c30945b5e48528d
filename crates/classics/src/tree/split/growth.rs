//! Parts that grow from seeds (Eckstein 1998, section 3.4.3).
//!
//! Usually cheaper than in the thesis: a trial keeps the axes of a box and the middle of a sphere enlarges; a
//! part is fitted anew each time it has grown by half. [`Trial::Fitted`] fits at every trial, as published.

use super::boxes::centers;
use super::problem::Problem;
use crate::tree::choice::{Insertion, Seeding};
use crate::tree::draw;
use crate::tree::options::{Aggregate, Trial};
use glam::DVec3;
use noli_geom::{Aabb, AnyVolume, Kdop, Obb, Sphere, Triangle};

/// Nodes of more faces than this are too many for [`Insertion::Best`].
const BEST_FACES: usize = 256;

pub(super) fn parts(
    problem: &Problem<'_>,
    degree: usize,
    seeding: Seeding,
    insertion: Insertion,
) -> Vec<Vec<u32>> {
    let seeds = seeds(problem, degree, seeding);
    let mut parts: Vec<Part> = seeds.iter().map(|&seed| Part::new(problem, seed)).collect();
    let mut rest: Vec<u32> = problem.faces.iter().copied().filter(|f| !seeds.contains(f)).collect();
    shuffle(&mut rest);
    let choose_best = insertion == Insertion::Best && rest.len() <= BEST_FACES;
    while !rest.is_empty() {
        let candidates = if choose_best { 0..rest.len() } else { rest.len() - 1..rest.len() };
        let tried = candidates.map(|i| (placement(problem, &parts, rest[i]), i));
        let Some(((_, part), index)) = tried.min_by(|a, b| a.0.0.total_cmp(&b.0.0).then(a.1.cmp(&b.1)))
        else {
            break;
        };
        let face = rest.swap_remove(index);
        parts[part].add(problem, face);
    }
    parts.into_iter().map(|part| part.faces).collect()
}

/// A growing part.
struct Part {
    faces: Vec<u32>,
    volume: AnyVolume,
    quality: f64,
    /// Number of its faces at the last fit.
    fitted: usize,
}

impl Part {
    fn new(problem: &Problem<'_>, seed: u32) -> Self {
        let volume = problem.volume(&[seed]);
        Self { faces: vec![seed], volume, quality: size(problem, &volume), fitted: 1 }
    }

    fn add(&mut self, problem: &Problem<'_>, face: u32) {
        self.volume = self.joined(problem, face);
        self.faces.push(face);
        if problem.rules.trial == Trial::Enlarged && 2 * self.faces.len() >= 3 * self.fitted {
            self.volume = problem.volume(&self.faces);
            self.fitted = self.faces.len();
        }
        self.quality = size(problem, &self.volume);
    }

    /// The volume with a face more.
    fn joined(&self, problem: &Problem<'_>, face: u32) -> AnyVolume {
        match problem.rules.trial {
            Trial::Enlarged => grown(&self.volume, &problem.all.triangles()[face as usize]),
            Trial::Fitted => {
                let faces: Vec<u32> = self.faces.iter().copied().chain([face]).collect();
                problem.volume(&faces)
            }
        }
    }
}

/// Returns the size by the measure used for fits: the Hausdorff distance is too costly for so many trials.
fn size(problem: &Problem<'_>, volume: &AnyVolume) -> f64 {
    use noli_geom::Volume;
    volume.measure(problem.options.measure.fitted())
}

/// The quality of the whole where the face joins the part that it spoils least, and that part. Under the
/// maximum many places tie and the first part would swallow all: the mean settles.
fn placement(problem: &Problem<'_>, parts: &[Part], face: u32) -> (f64, usize) {
    let tried = (0..parts.len()).map(|i| {
        let joined = size(problem, &parts[i].joined(problem, face));
        let qualities = || (0..parts.len()).map(|j| if i == j { joined } else { parts[j].quality });
        (problem.options.aggregate.of(qualities()), Aggregate::Mean.of(qualities()), i)
    });
    let best = tried.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
    best.map_or((0.0, 0), |(quality, _, part)| (quality, part))
}

/// The volume enlarged to hold a face as well.
fn grown(volume: &AnyVolume, face: &Triangle) -> AnyVolume {
    match volume {
        AnyVolume::Sphere(sphere) => {
            AnyVolume::Sphere(face.vertices.iter().fold(*sphere, |sphere, vertex| {
                let distance = sphere.center.distance(*vertex);
                if distance <= sphere.radius {
                    return sphere;
                }
                let radius = 0.5 * (sphere.radius + distance);
                Sphere {
                    center: vertex + (sphere.center - vertex) * (radius / distance),
                    radius: radius * (1.0 + 1e-12),
                }
            }))
        }
        AnyVolume::Aabb(aabb) => AnyVolume::Aabb(aabb.union(face.aabb())),
        AnyVolume::Obb(obb) => {
            let local = face.vertices.map(|c| obb.axes.transpose() * (c - obb.center));
            let own = Aabb { min: -obb.half_extents, max: obb.half_extents };
            let both = own.union(Aabb::from_points(local));
            let center = obb.center + obb.axes * both.center();
            AnyVolume::Obb(Obb { center, half_extents: both.size() * 0.5, ..*obb })
        }
        AnyVolume::Kdop(dop) => {
            let mut slabs = dop.slabs;
            for (slab, direction) in slabs.iter_mut().zip(&Kdop::DIRECTIONS) {
                for vertex in face.vertices {
                    let along = direction.dot(vertex);
                    *slab = [slab[0].min(along), slab[1].max(along)];
                }
            }
            AnyVolume::Kdop(Kdop { slabs })
        }
    }
}

/// Distinct faces to start from.
fn seeds(problem: &Problem<'_>, degree: usize, seeding: Seeding) -> Vec<u32> {
    match seeding {
        Seeding::Random => {
            let mut faces = problem.faces.to_vec();
            shuffle(&mut faces);
            faces.truncate(degree);
            faces
        }
        Seeding::Sphere => from_sphere(problem, degree, directions(problem.faces.len(), 12.max(2 * degree))),
        Seeding::Icosahedron => from_sphere(problem, degree, icosahedron()),
        Seeding::Space => {
            let around = problem.oriented_box();
            let mut order = [0, 1, 2];
            order.sort_by(|&i, &j| around.half_extents[j].total_cmp(&around.half_extents[i]).then(i.cmp(&j)));
            let mut chosen = Vec::new();
            for center in centers(&around, order[0], order[1], degree) {
                chosen.extend(nearest(problem, center, &chosen));
            }
            chosen
        }
    }
}

/// Of the faces nearest to points of the enclosing sphere those farthest from each other; where they are too
/// few, from parts of the box.
fn from_sphere(problem: &Problem<'_>, degree: usize, points: Vec<DVec3>) -> Vec<u32> {
    let sphere = Sphere::smallest(&problem.vertices(problem.faces));
    let mut near: Vec<u32> =
        points.into_iter().filter_map(|p| nearest(problem, sphere.center + p * sphere.radius, &[])).collect();
    near.sort_unstable();
    near.dedup();
    match near.len() < degree {
        true => seeds(problem, degree, Seeding::Space),
        false => scattered(problem, near, degree),
    }
}

/// Largest number of subsets of faces that are all tested; six of twelve are 924.
const SUBSETS: u64 = 1000;

/// Of some faces, so many that the least distance of two is largest; where there are too many subsets, a
/// greedy choice of them.
fn scattered(problem: &Problem<'_>, faces: Vec<u32>, count: usize) -> Vec<u32> {
    let subsets = (0..count as u64)
        .try_fold(1u64, |c, i| c.checked_mul((faces.len() as u64).saturating_sub(i)).map(|c| c / (i + 1)));
    if subsets.is_none_or(|subsets| subsets > SUBSETS) {
        return scattered_greedily(problem, faces, count);
    }
    let distance = |a: u32, b: u32| problem.all.middle(a).distance(problem.all.middle(b));
    let mut best: (f64, Vec<u32>) = (f64::NEG_INFINITY, Vec::new());
    let mut open: Vec<(usize, f64, Vec<u32>)> = vec![(0, f64::INFINITY, Vec::new())];
    while let Some((from, least, chosen)) = open.pop() {
        if chosen.len() == count {
            if least > best.0 {
                best = (least, chosen);
            }
            continue;
        }
        for (i, &face) in faces.iter().enumerate().skip(from) {
            let least = chosen.iter().map(|&other| distance(face, other)).fold(least, f64::min);
            if least > best.0 {
                open.push((i + 1, least, chosen.iter().copied().chain([face]).collect()));
            }
        }
    }
    if best.1.is_empty() { scattered_greedily(problem, faces, count) } else { best.1 }
}

/// The two farthest, then always the one farthest from those chosen.
fn scattered_greedily(problem: &Problem<'_>, faces: Vec<u32>, count: usize) -> Vec<u32> {
    let distance = |a: u32, b: u32| problem.all.middle(a).distance(problem.all.middle(b));
    let pairs = faces.iter().flat_map(|&a| faces.iter().map(move |&b| (a, b))).filter(|(a, b)| a != b);
    let Some((a, b)) = pairs.max_by(|x, y| distance(x.0, x.1).total_cmp(&distance(y.0, y.1))) else {
        return faces;
    };
    let mut chosen = vec![a, b];
    while chosen.len() < count {
        let least = |f: u32| chosen.iter().map(|&c| distance(c, f)).fold(f64::INFINITY, f64::min);
        let open = faces.iter().copied().filter(|f| !chosen.contains(f));
        let Some(next) = open.max_by(|&x, &y| least(x).total_cmp(&least(y))) else { break };
        chosen.push(next);
    }
    chosen.truncate(count);
    chosen
}

/// The face nearest to a point that is not among those used.
fn nearest(problem: &Problem<'_>, point: DVec3, used: &[u32]) -> Option<u32> {
    let distance = |f: u32| problem.all.triangles()[f as usize].closest_to(point).distance_squared(point);
    let open = problem.faces.iter().copied().filter(|f| !used.contains(f));
    open.min_by(|&a, &b| distance(a).total_cmp(&distance(b)).then(a.cmp(&b)))
}

fn icosahedron() -> Vec<DVec3> {
    let golden = (1.0 + 5.0f64.sqrt()) / 2.0;
    let signs = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)];
    let vertex = |(s, t): (f64, f64)| {
        let (a, b) = (s, t * golden);
        [DVec3::new(0.0, a, b), DVec3::new(a, b, 0.0), DVec3::new(b, 0.0, a)].map(DVec3::normalize)
    };
    signs.into_iter().flat_map(vertex).collect()
}

/// An order drawn by lot that depends on the count alone.
fn shuffle(faces: &mut [u32]) {
    let mut state = faces.len() as u64;
    for last in (1..faces.len()).rev() {
        faces.swap(last, draw::number(&mut state) as usize % (last + 1));
    }
}

/// Points of the unit sphere drawn by lot.
fn directions(seed: usize, count: usize) -> Vec<DVec3> {
    let mut state = seed as u64;
    (0..count).map(|_| draw::direction(&mut state)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Rules, TreeOptions, VolumeChoice, branch_and_bound};
    use noli::tree::Faces;
    use noli_geom::{Measure, VolumeKind};
    use noli_scenes::SplitMix64;

    /// A part had its first quality in other units than all later ones, so that parts of a single face were cheap or dear.
    #[test]
    fn a_copy_of_its_face_costs_a_part_nothing() {
        let face = Triangle { vertices: [[0., 0., 0.], [2., 0., 1.], [0., 3., 1.]].map(DVec3::from) };
        let faces = [face, face];
        let all = Faces::new(&faces);
        for volume in
            [VolumeKind::Sphere, VolumeKind::Aabb, VolumeKind::Obb, VolumeKind::Kdop].map(VolumeChoice::Kind)
        {
            // A face has no volume to compare.
            for measure in [Measure::Surface, Measure::Diameter] {
                let options = TreeOptions { volume, measure, ..TreeOptions::workshop() };
                let problem = Problem { all: &all, faces: &[0, 1], options: &options, rules: &Rules::USUAL };
                let mut part = Part::new(&problem, 0);
                let alone = part.quality;
                part.add(&problem, 1);
                assert!((part.quality - alone).abs() <= 1e-9 * alone, "{volume:?} {measure:?}");
            }
        }
    }

    /// All distances between these are zero, and a face was the farthest from itself: it grew two parts.
    #[test]
    fn seeds_with_one_middle_are_distinct() {
        let triangle = |c: [[f64; 3]; 3]| Triangle { vertices: c.map(DVec3::from) };
        let crossed = [
            triangle([[-1., -1., 0.], [1., -1., 0.], [0., 2., 0.]]),
            triangle([[0., -1., -1.], [0., -1., 1.], [0., 2., 0.]]),
            triangle([[-1., 0., -1.], [1., 0., -1.], [0., 0., 2.]]),
        ];
        let (all, options) = (Faces::new(&crossed), TreeOptions::workshop());
        let problem = Problem { all: &all, faces: &[0, 1, 2], options: &options, rules: &Rules::USUAL };
        for seeding in [Seeding::Random, Seeding::Sphere, Seeding::Icosahedron, Seeding::Space] {
            for degree in 2..=3 {
                let mut faces = parts(&problem, degree, seeding, Insertion::Best).concat();
                faces.sort_unstable();
                assert_eq!(faces, [0, 1, 2], "{seeding:?}");
            }
        }
    }

    fn faces(random: &mut SplitMix64, count: usize) -> Vec<Triangle> {
        let mut near = |middle: DVec3, by: f64| middle + random.direction() * by;
        (0..count)
            .map(|_| {
                let middle = near(DVec3::ZERO, 2.0);
                Triangle::new(near(middle, 0.4), near(middle, 0.4), near(middle, 0.4))
            })
            .collect()
    }

    /// With a volume fitted at every trial the whole never gets better as faces join, whatever the seeds and the
    /// order, and it ends no better than the best of all partitions.
    #[test]
    fn parts_only_grow_and_never_beat_the_best() {
        let mut random = SplitMix64::new(4);
        let rules = Rules { trial: Trial::Fitted, ..Rules::USUAL };
        for round in 0..6 {
            let faces = faces(&mut random, 8);
            let (all, numbers): (_, Vec<u32>) = (Faces::new(&faces), (0..8).collect());
            for kind in [VolumeKind::Sphere, VolumeKind::Aabb] {
                let options = TreeOptions { volume: kind.into(), ..TreeOptions::workshop() };
                let problem = Problem { all: &all, faces: &numbers, options: &options, rules: &rules };
                let best = branch_and_bound(&faces, 2 + round % 2, &options);
                assert!(best.proven);
                for seeding in [Seeding::Random, Seeding::Sphere, Seeding::Icosahedron, Seeding::Space] {
                    for insertion in [Insertion::Shuffled, Insertion::Best] {
                        let parts = parts(&problem, 2 + round % 2, seeding, insertion);
                        let mut seen = parts.concat();
                        seen.sort_unstable();
                        assert_eq!(seen, numbers);
                        assert!(problem.quality_of(&parts) >= best.quality * (1.0 - 1e-9));
                        // Parts keep the order in which faces joined.
                        for part in &parts {
                            let sizes = (1..=part.len()).map(|n| size(&problem, &problem.volume(&part[..n])));
                            let sizes: Vec<f64> = sizes.collect();
                            assert!(sizes.windows(2).all(|two| two[1] >= two[0] * (1.0 - 1e-9)), "{sizes:?}");
                        }
                    }
                }
            }
        }
    }

    /// Every face joins the part that spoils the whole least, with volumes fitted anew: a greedy search written out. The
    /// trials of the engine, which enlarge, part other faces.
    #[test]
    fn fitted_trials_are_the_greedy_search_written_out() {
        let (mut random, mut others) = (SplitMix64::new(8), 0);
        for round in 0..12 {
            let faces = faces(&mut random, 14);
            let (all, numbers): (_, Vec<u32>) = (Faces::new(&faces), (0..14).collect());
            let volume = [VolumeKind::Sphere, VolumeKind::Obb][round % 2].into();
            let options = TreeOptions { volume, ..TreeOptions::workshop() };
            let by = |trial: Trial| {
                let rules = Rules { trial, ..Rules::USUAL };
                let problem = Problem { all: &all, faces: &numbers, options: &options, rules: &rules };
                parts(&problem, 3, Seeding::Space, Insertion::Shuffled)
            };
            let fitted = by(Trial::Fitted);
            let rules = Rules { trial: Trial::Fitted, ..Rules::USUAL };
            let problem = Problem { all: &all, faces: &numbers, options: &options, rules: &rules };
            let mut grown: Vec<Vec<u32>> = fitted.iter().map(|part| vec![part[0]]).collect();
            let mut rest: Vec<u32> =
                numbers.iter().copied().filter(|f| !grown.concat().contains(f)).collect();
            shuffle(&mut rest);
            while let Some(face) = rest.pop() {
                let whole = |at: usize| -> f64 {
                    let of = |(k, part): (usize, &Vec<u32>)| {
                        let joined: Vec<u32> =
                            part.iter().copied().chain((k == at).then_some(face)).collect();
                        size(&problem, &problem.volume(&joined))
                    };
                    grown.iter().enumerate().map(of).sum()
                };
                let best = (0..3).min_by(|&i, &j| whole(i).total_cmp(&whole(j)).then(i.cmp(&j))).unwrap();
                grown[best].push(face);
            }
            assert_eq!(fitted, grown, "{volume:?}");
            others += usize::from(by(Trial::Enlarged) != fitted);
        }
        assert!(others > 0, "{others}");
    }

    /// All subsets are tested: none has a larger least distance than the one chosen, which a greedy choice
    /// misses.
    #[test]
    fn seeds_are_the_most_scattered_of_all() {
        let (mut random, mut better) = (SplitMix64::new(6), 0);
        for _ in 0..20 {
            let faces = faces(&mut random, 9);
            let (all, numbers): (_, Vec<u32>) = (Faces::new(&faces), (0..9).collect());
            let options = TreeOptions::workshop();
            let problem = Problem { all: &all, faces: &numbers, options: &options, rules: &Rules::USUAL };
            let least = |chosen: &[u32]| {
                let pairs = chosen
                    .iter()
                    .flat_map(|&a| chosen.iter().filter(move |&&b| b != a).map(move |&b| (a, b)));
                pairs.map(|(a, b)| all.middle(a).distance(all.middle(b))).fold(f64::INFINITY, f64::min)
            };
            let found = least(&scattered(&problem, numbers.clone(), 4));
            for code in 0..1u32 << 9 {
                let chosen: Vec<u32> = numbers.iter().copied().filter(|i| code >> i & 1 == 1).collect();
                assert!(chosen.len() != 4 || least(&chosen) <= found);
            }
            better += usize::from(found > least(&scattered_greedily(&problem, numbers.clone(), 4)));
        }
        assert!(better > 0);
    }
}
