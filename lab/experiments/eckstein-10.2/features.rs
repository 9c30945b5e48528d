//! The pairs of features that may meet during a step, for the methods that work on features.

use glam::DVec3;
use noli::model::Triangle;
use noli::motion::{Motion, RigidMotion, Still};
use noli::{Impact, Mesh, Model, Pose};
use noli_classics::Polyhedron;
use noli_geom::{
    Aabb, ApproximateQuery, FeatureKind, MixedImpact, RigidFeatures, Sphere, approximate_impact, mixed_impact,
};

/// The part that moves.
pub(super) struct Part {
    model: Model,
    body: Polyhedron,
}

impl Part {
    pub(super) fn new(mesh: &Mesh) -> Self {
        Self { model: Model::from(mesh), body: Polyhedron::new(mesh) }
    }

    pub(super) fn model(&self) -> &Model {
        &self.model
    }

    /// The middle of the part.
    pub(super) fn pivot(&self) -> DVec3 {
        self.body.sphere().center
    }

    /// A box around all places of the part during a step.
    pub(super) fn swept_box(&self, motion: &RigidMotion) -> Aabb {
        let Sphere { center, radius } = *self.body.sphere();
        let start = motion.pose(0.0).transform_point(center);
        let reach = DVec3::splat(radius + motion.travel(&Sphere { center, radius: 0.0 }, 0.0, 1.0));
        Aabb { min: start - reach, max: start + reach }
    }
}

/// A part that stays.
pub(super) struct Obstacle {
    model: Model,
    pose: Pose,
    body: Polyhedron,
    /// In the world.
    vertices: Vec<DVec3>,
    bounds: Aabb,
}

impl Obstacle {
    pub(super) fn new(mesh: &Mesh, pose: Pose) -> Self {
        let body = Polyhedron::new(mesh);
        let vertices: Vec<DVec3> = body.mesh().vertices().iter().map(|&p| pose.transform_point(p)).collect();
        let Aabb { min, max } = Aabb::from_points(vertices.iter().copied());
        // Room for the rounding of the vertices.
        let room = 1e-9 * min.abs().max(max.abs());
        let bounds = Aabb { min: min - room, max: max + room };
        Self { model: Model::from(mesh), pose, body, vertices, bounds }
    }

    pub(super) fn model(&self) -> &Model {
        &self.model
    }

    pub(super) fn pose(&self) -> Pose {
        self.pose
    }

    pub(super) fn bounds(&self) -> &Aabb {
        &self.bounds
    }
}

/// A pair of features: points of the moving part in its own frame, the others in the world.
struct Pair {
    kind: FeatureKind,
    points: [DVec3; 4],
    /// Whether the first feature is the one that moves.
    first_moves: bool,
}

/// Pairs of features whose boxes over a step overlap.
pub(super) struct StepFeatures<'a> {
    pairs: Vec<Pair>,
    motion: &'a RigidMotion,
}

/// A feature with the box it stays in: its points, in its own frame.
struct Boxed<const N: usize> {
    points: [DVec3; N],
    bounds: Aabb,
}

impl<'a> StepFeatures<'a> {
    pub(super) fn new(part: &Part, obstacle: &Obstacle, motion: &'a RigidMotion) -> Self {
        let moving = moving_boxes(part, motion);
        let near = |bounds: &Aabb| bounds.overlaps(obstacle.bounds());
        let swept = part.swept_box(motion);
        let mine = part.body.mesh();
        let theirs: Vec<Aabb> = obstacle.vertices.iter().map(|&p| Aabb { min: p, max: p }).collect();
        let of_mine = (mine.vertices(), &moving[..]);
        let of_theirs = (&obstacle.vertices[..], &theirs[..]);
        let (faces_a, faces_b) = (
            boxed(mine.triangles(), of_mine, &near),
            boxed(obstacle.body.mesh().triangles(), of_theirs, &|b| b.overlaps(&swept)),
        );
        let (edges_a, edges_b) = (
            boxed(part.body.edges(), of_mine, &near),
            boxed(obstacle.body.edges(), of_theirs, &|b| b.overlaps(&swept)),
        );
        let vertices = |count: usize| (0..count as u32).map(|v| [v]).collect::<Vec<_>>();
        let vertices_a = boxed(&vertices(mine.vertices().len()), of_mine, &near);
        let vertices_b = boxed(&vertices(obstacle.vertices.len()), of_theirs, &|b| b.overlaps(&swept));
        let mut pairs = Vec::new();
        let vertex_face = |first_moves| {
            move |v: &Boxed<1>, f: &Boxed<3>| {
                let ([v], [a, b, c]) = (v.points, f.points);
                Pair { kind: FeatureKind::VertexFace, points: [v, a, b, c], first_moves }
            }
        };
        collect(&vertices_a, &faces_b, vertex_face(true), &mut pairs);
        collect(&vertices_b, &faces_a, vertex_face(false), &mut pairs);
        let edges = |e: &Boxed<2>, f: &Boxed<2>| {
            let ([a, b], [c, d]) = (e.points, f.points);
            Pair { kind: FeatureKind::EdgeEdge, points: [a, b, c, d], first_moves: true }
        };
        collect(&edges_a, &edges_b, edges, &mut pairs);
        Self { pairs, motion }
    }

    /// Whether a finder finds any contact.
    pub(super) fn any_impact(&self, query: &ApproximateQuery) -> bool {
        self.pairs.iter().any(|pair| {
            let count = if pair.kind == FeatureKind::VertexFace { 1 } else { 2 };
            let place = |t: f64| -> [DVec3; 4] {
                let pose = self.motion.pose(t);
                let moves = |k: usize| (k < count) == pair.first_moves;
                std::array::from_fn(|k| {
                    if moves(k) { pose.transform_point(pair.points[k]) } else { pair.points[k] }
                })
            };
            approximate_impact(pair.kind, &place, query).is_some()
        })
    }

    /// Whether inclusion cannot exclude a contact of some pair.
    pub(super) fn any_inclusion(&self) -> bool {
        let still = Still(Pose::IDENTITY);
        self.pairs.iter().any(|pair| {
            let (a, b): (&dyn Motion, &dyn Motion) =
                if pair.first_moves { (self.motion, &still) } else { (&still, self.motion) };
            let features = RigidFeatures { kind: pair.kind, points: pair.points, a, b };
            features.impact(&Default::default()) != Impact::Free
        })
    }
}

/// A box around the path of each vertex.
fn moving_boxes(part: &Part, motion: &RigidMotion) -> Vec<Aabb> {
    let ends = [motion.pose(0.0), motion.pose(1.0)];
    let swept = |&p: &DVec3| {
        let Aabb { min, max } = Aabb::from_points(ends.map(|pose| pose.transform_point(p)));
        let room = motion.chord_deviation(&Sphere { center: p, radius: 0.0 }, 0.0, 1.0);
        Aabb { min: min - room, max: max + room }
    };
    part.body.mesh().vertices().iter().map(swept).collect()
}

/// Features given by their vertices, with the boxes of these, if they are near enough to matter.
fn boxed<const N: usize>(
    features: &[[u32; N]],
    (points, boxes): (&[DVec3], &[Aabb]),
    near: &dyn Fn(&Aabb) -> bool,
) -> Vec<Boxed<N>> {
    let make = |feature: &[u32; N]| Boxed {
        points: feature.map(|v| points[v as usize]),
        bounds: feature.iter().fold(Aabb::EMPTY, |all, &v| all.union(boxes[v as usize])),
    };
    features.iter().map(make).filter(|feature| near(&feature.bounds)).collect()
}

fn collect<const N: usize, const M: usize>(
    first: &[Boxed<N>],
    second: &[Boxed<M>],
    pair: impl Fn(&Boxed<N>, &Boxed<M>) -> Pair,
    pairs: &mut Vec<Pair>,
) {
    for one in first {
        pairs.extend(
            second.iter().filter(|other| other.bounds.overlaps(&one.bounds)).map(|other| pair(one, other)),
        );
    }
}

/// Whether the mixed test finds a contact among the faces that are near at the end.
pub(super) fn mixed(
    part: &Part,
    obstacle: &Obstacle,
    motion: &RigidMotion,
    query: &ApproximateQuery,
) -> bool {
    let end = motion.pose(1.0);
    let near = |mesh: &Mesh, pose: &Pose, other: &Aabb| -> Vec<Triangle> {
        let placed = |t: &Triangle| Triangle { vertices: t.vertices.map(|p| pose.transform_point(p)) }.aabb();
        mesh.iter_triangles().filter(|t| placed(t).overlaps(other)).collect()
    };
    let a = near(part.body.mesh(), &end, obstacle.bounds());
    let around = a.iter().map(|t| Triangle { vertices: t.vertices.map(|p| end.transform_point(p)) }.aabb());
    let around = around.fold(Aabb::EMPTY, Aabb::union);
    let b = near(obstacle.body.mesh(), &obstacle.pose, &around);
    let still = Still(obstacle.pose);
    matches!(mixed_impact((&a, motion), (&b, &still), query), MixedImpact::At { .. })
}
