//! What is let through by the detection underneath: cubes shot at a thin plate, looked at frame by frame.

use anyhow::Result;
use glam::DVec3;
use noli::motion::{Motion, RigidMotion, Still};
use noli::{Impact, Mesh, Model, Pose, overlap, time_of_impact};
use noli_geom::{ApproximateQuery, FeatureKind, Finder, approximate_impact};
use noli_scenes::SplitMix64;

/// Frames a second.
const RATE: f64 = 60.0;
const SIDE: f64 = 0.01;
const PLATE: DVec3 = DVec3::new(0.001, 0.4, 0.4);

/// How many shots were looked at, and how many of those that hit went through, for each detection.
pub(super) struct LetThrough {
    pub(super) hits: u32,
    /// By [`DETECTIONS`].
    pub(super) missed: [u32; 5],
}

/// What stands underneath.
pub(super) const DETECTIONS: [&str; 5] =
    ["overlap at the ends of frames", "linear", "regula falsi", "sampling + regula falsi", "guaranteed"];

/// So many cubes at a speed, turning, from anywhere within a frame's way of the plate.
pub(super) fn shots(speed: f64, count: u32) -> Result<LetThrough> {
    let (cube, plate) = (Mesh::cuboid(DVec3::splat(SIDE))?, Mesh::cuboid(PLATE)?);
    let models = [&cube, &plate].map(Model::from);
    let features = Features::new(&cube, &plate);
    let mut random = SplitMix64::new(18);
    let mut found = LetThrough { hits: 0, missed: [0; 5] };
    for _ in 0..count {
        let way = DVec3::new(1.0, random.between(-0.2, 0.2), random.between(-0.2, 0.2)).normalize()
            * (speed / RATE);
        let before = random.between(0.02, 0.02 + way.x);
        let mut pose =
            Pose::new(random.rotation(), DVec3::new(-before, 0.0, 0.0) - DVec3::new(0.0, way.y, way.z) * 0.5);
        let spin = random.direction() * random.between(0.0, 2.0);
        // As many frames as it takes to be behind the plate.
        let frames = ((before + 0.02) / way.x).ceil() as u32;
        let (mut hit, mut seen) = (false, [false; 5]);
        for _ in 0..frames {
            let motion = RigidMotion::with_velocities(&pose, way, spin, DVec3::ZERO);
            let still = Still(Pose::IDENTITY);
            let guaranteed = time_of_impact(&models[0].moving(&motion), &models[1].moving(&still));
            pose = motion.pose(1.0);
            let end = overlap(&models[0].at(pose), &models[1].at(Pose::IDENTITY));
            hit |= guaranteed != Impact::Free;
            seen[0] |= end == noli::Overlap::Hit;
            let finders = [Finder::Linear, Finder::RegulaFalsi, Finder::SamplingRegulaFalsi { cells: 4 }];
            for (seen, finder) in seen[1..4].iter_mut().zip(finders) {
                *seen = *seen || features.any_impact(&motion, finder);
            }
            seen[4] |= guaranteed != Impact::Free;
        }
        if hit {
            found.hits += 1;
            found.missed.iter_mut().zip(seen).for_each(|(missed, seen)| *missed += u32::from(!seen));
        }
    }
    Ok(found)
}

/// All pairs of features, the moving cube's points first where it has the vertex.
struct Features {
    pairs: Vec<(FeatureKind, [DVec3; 4], [bool; 4])>,
}

impl Features {
    fn new(cube: &Mesh, plate: &Mesh) -> Self {
        let mut pairs = Vec::new();
        for (vertices, faces, moves) in [(cube, plate, true), (plate, cube, false)] {
            for &vertex in vertices.vertices() {
                for face in faces.iter_triangles() {
                    let [a, b, c] = face.corners;
                    pairs.push((FeatureKind::VertexFace, [vertex, a, b, c], [moves, !moves, !moves, !moves]));
                }
            }
        }
        let edges = |mesh: &Mesh| -> Vec<[DVec3; 2]> {
            let sides = mesh.triangles().iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
            let once = sides.filter(|[u, v]| u < v);
            once.map(|ends| ends.map(|v| mesh.vertices()[v as usize])).collect()
        };
        for [a, b] in edges(cube) {
            for [c, d] in edges(plate) {
                pairs.push((FeatureKind::EdgeEdge, [a, b, c, d], [true, true, false, false]));
            }
        }
        Self { pairs }
    }

    fn any_impact(&self, motion: &RigidMotion, finder: Finder) -> bool {
        let query = ApproximateQuery { finder, ..Default::default() };
        self.pairs.iter().any(|(kind, points, moves)| {
            let place = |t: f64| -> [DVec3; 4] {
                let pose = motion.pose(t);
                std::array::from_fn(|k| if moves[k] { pose.transform_point(points[k]) } else { points[k] })
            };
            approximate_impact(*kind, &place, &query).is_some()
        })
    }
}
