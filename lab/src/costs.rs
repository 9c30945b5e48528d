//! Mean times of single tests on this machine.

use crate::timing::seconds_per_call;
use glam::{DMat3, DVec3};
use noli::Pose;
use noli_classics::edge_face;
use noli_classics::tree::{AnyVolume, THESIS_COSTS, Volume};
use noli_geom::{Aabb, Directions, Kdop, Obb, PairFrame, RelativePose, Sphere, Triangle, TrianglePair};
use noli_scenes::SplitMix64;

/// Seconds of one test.
pub(crate) struct Costs {
    /// By kinds, in the order of `VolumeKind::ALL`.
    pub(crate) volumes: [[f64; 4]; 4],
    /// Shares of the tests with intersecting volumes.
    pub(crate) meeting: [[f64; 4]; 4],
    pub(crate) faces: f64,
    /// An edge against a face, the base test of the thesis.
    pub(crate) edge_faces: f64,
}

impl Costs {
    /// Returns the costs printed in the thesis, in seconds. It has no k-DOPs: their tests keep their ratio here to
    /// those of oriented boxes.
    pub(crate) fn printed(&self) -> Self {
        const EDGE_FACE: f64 = 0.0081e-3;
        let mut volumes = [[0.0; 4]; 4];
        for i in 0..4 {
            for j in 0..4 {
                let known = THESIS_COSTS.get(i).and_then(|row| row.get(j)).map(|ms| 1e-3 * ms);
                let ratio = 1e-3 * THESIS_COSTS[2][2] / self.volumes[2][2];
                volumes[i][j] = known.unwrap_or(self.volumes[i][j] * ratio);
            }
        }
        Self { volumes, meeting: self.meeting, faces: 6.0 * EDGE_FACE, edge_faces: EDGE_FACE }
    }
}

/// Two bodies in a random pose, each in a volume of every kind.
struct Case {
    volumes: [[AnyVolume; 4]; 2],
    faces: [Triangle; 2],
    frame: PairFrame,
}

impl Case {
    fn new(random: &mut SplitMix64) -> Self {
        let mut body = || {
            let half =
                DVec3::new(random.between(0.1, 1.0), random.between(0.1, 1.0), random.between(0.1, 1.0));
            let axes = DMat3::from_quat(random.rotation());
            let vertices = Aabb { min: -half, max: half }.vertices().map(|vertex| axes * vertex);
            let volumes = [
                AnyVolume::Sphere(Sphere::centered(DVec3::ZERO, &vertices)),
                AnyVolume::Aabb(Aabb::from_points(vertices.iter().copied())),
                AnyVolume::Obb(Obb { center: DVec3::ZERO, axes, half_extents: half }),
                AnyVolume::Kdop(Kdop::new(&vertices, Directions::default())),
            ];
            (volumes, Triangle::new(vertices[0], vertices[3], vertices[5]))
        };
        let ((volumes_a, face_a), (volumes_b, face_b)) = (body(), body());
        let pose = Pose::new(random.rotation(), random.direction() * random.between(0.0, 2.4));
        let frame = PairFrame::new(&RelativePose::new(&Pose::IDENTITY, &pose));
        Self { volumes: [volumes_a, volumes_b], faces: [face_a, face_b], frame }
    }
}

/// Measure all kinds of tests on so many pairs.
pub(crate) fn measure(pairs: usize, rounds: usize, seed: u64) -> Costs {
    let mut random = SplitMix64::new(seed);
    let cases: Vec<Case> = (0..pairs).map(|_| Case::new(&mut random)).collect();
    let mut costs = Costs { volumes: [[0.0; 4]; 4], meeting: [[0.0; 4]; 4], faces: 0.0, edge_faces: 0.0 };
    for i in 0..4 {
        for j in 0..4 {
            let test = |c: &Case| c.volumes[0][i].distance_bound(&c.volumes[1][j], c.frame.pose()) <= 0.0;
            costs.volumes[i][j] = seconds_per_call(&cases, rounds, test);
            costs.meeting[i][j] = cases.iter().filter(|c| test(c)).count() as f64 / pairs as f64;
        }
    }
    costs.faces = seconds_per_call(&cases, rounds, |c| {
        TrianglePair::new(&c.faces[0], &c.faces[1], &c.frame).overlaps()
    });
    costs.edge_faces = seconds_per_call(&cases, rounds, |c| {
        let [a, b, _] = c.faces[0].vertices;
        let edge = [a, b].map(|p| c.frame.pose().transform_point(p));
        edge_face(edge, &c.faces[1].vertices, 1e-12).is_some()
    });
    costs
}
