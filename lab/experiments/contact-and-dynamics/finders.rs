//! Bodies that pass through with another detection: cubes shot at a thin plate and bars that turn next to it,
//! tested frame by frame.

use anyhow::Result;
use glam::DVec3;
use noli::motion::{Motion, RigidMotion, Still};
use noli::{Impact, Mesh, Model, Overlap, Pose, overlap, time_of_impact};
use noli_geom::{ApproximateQuery, FeatureKind, Finder, approximate_impact};
use noli_scenes::SplitMix64;
use std::f64::consts::PI;

/// Frames a second.
const RATE: f64 = 60.0;
const SIDE: f64 = 0.01;
const PLATE: DVec3 = DVec3::new(0.001, 0.4, 0.4);

/// Numbers of tested shots, and of hits that went through, for each detection.
pub(super) struct LetThrough {
    pub(super) hits: u32,
    /// By [`DETECTIONS`].
    pub(super) missed: [u32; 5],
}

/// Names of the detections.
pub(super) const DETECTIONS: [&str; 5] =
    ["overlap at the ends of frames", "linear", "regula falsi", "sampling + regula falsi", "guaranteed"];

/// A body that moves past a plate.
struct Range {
    models: [Model; 2],
    features: Features,
}

impl Range {
    fn new(body: DVec3) -> Result<Self> {
        let (body, plate) = (Mesh::cuboid(body)?, Mesh::cuboid(PLATE)?);
        let models = [&body, &plate].map(Model::from);
        Ok(Self { models, features: Features::new(&body, &plate) })
    }

    /// Go on for some frames, each by `way` and `spin`; who sees a contact.
    fn look(&self, mut pose: Pose, [path, spin]: [DVec3; 2], frames: u32) -> [bool; 5] {
        let mut seen = [false; 5];
        for _ in 0..frames {
            let motion = RigidMotion::with_velocities(&pose, path, spin, DVec3::ZERO);
            let still = Still(Pose::IDENTITY);
            pose = motion.pose(1.0);
            seen[0] |= overlap(&self.models[0].at(pose), &self.models[1].at(Pose::IDENTITY)) == Overlap::Hit;
            let finders = [Finder::Linear, Finder::RegulaFalsi, Finder::SamplingRegulaFalsi { cells: 4 }];
            for (seen, finder) in seen[1..4].iter_mut().zip(finders) {
                *seen = *seen || self.features.any_impact(&motion, finder);
            }
            seen[4] |= time_of_impact(&self.models[0].moving(&motion), &self.models[1].moving(&still))
                != Impact::Free;
        }
        seen
    }
}

impl LetThrough {
    /// A contact that anybody sees is one.
    fn add(&mut self, seen: [bool; 5]) {
        if seen.contains(&true) {
            self.hits += 1;
            self.missed.iter_mut().zip(seen).for_each(|(missed, seen)| *missed += u32::from(!seen));
        }
    }
}

/// So many cubes at a speed, turning, from anywhere within a frame's way of the plate.
pub(super) fn shots(speed: f64, count: u32) -> Result<LetThrough> {
    let range = Range::new(DVec3::splat(SIDE))?;
    let mut random = SplitMix64::new(18);
    let mut found = LetThrough { hits: 0, missed: [0; 5] };
    for _ in 0..count {
        let mut aside = || random.between(-0.2, 0.2);
        let path = DVec3::new(1.0, aside(), aside()).normalize() * (speed / RATE);
        let before = random.between(0.02, 0.02 + path.x);
        // The middle of the plate is met.
        let start = Pose::new(random.rotation(), path * (-before / path.x));
        let spin = random.direction() * random.between(0.0, 2.0);
        // As many frames as it takes to be behind the plate.
        let frames = ((before + 0.02) / path.x).ceil() as u32;
        found.add(range.look(start, [path, spin], frames));
    }
    Ok(found)
}

/// So many bars that turn about their middles beside the plate, in radians per second, for half a turn.
pub(super) fn swings(rate: f64, count: u32) -> Result<LetThrough> {
    let range = Range::new(DVec3::new(0.2, SIDE, SIDE))?;
    let mut random = SplitMix64::new(18);
    let mut found = LetThrough { hits: 0, missed: [0; 5] };
    for _ in 0..count {
        let beside = Pose::new(random.rotation(), DVec3::X * -random.between(0.02, 0.09));
        if overlap(&range.models[0].at(beside), &range.models[1].at(Pose::IDENTITY)) == Overlap::Hit {
            continue;
        }
        let spin = random.direction() * (rate / RATE);
        found.add(range.look(beside, [DVec3::ZERO, spin], (PI * RATE / rate).ceil() as u32));
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
                    let [a, b, c] = face.vertices;
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
