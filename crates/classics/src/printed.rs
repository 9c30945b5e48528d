//! The classics as printed where that differs from what holds: approximate, kept to show what they miss.

use super::boyse::meeting;
use super::lin_canny::{Feature, FeatureHull, Walk, walk};
use super::polyhedron::{Stood, inside};
use super::work::Tally;
use super::{Interference, Polyhedron};
use glam::DVec3;
use noli_geom::{Aabb, Mesh, PairFrame, Pose, RelativePose, Triangle, TrianglePair};

/// Approximate: returns the intersection of an edge and a face, as the robot cell of 1998 prints it. The
/// point is that of the edge's line nearest to its projection's line, if it is also the nearest point of
/// the projection's line.
///
/// The determinants use full lengths and the cross product directions. So one point is off by the length of
/// the projection and the other by that of the edge. They coincide only where the edge starts in the plane,
/// and every other contact is lost. Neither the ends of the edge nor the outline of the face are tested. An
/// edge perpendicular to the plane or in it gives `None`. [`edge_meets_face`](super::edge_meets_face) is
/// corrected.
pub fn edge_face(edge: [DVec3; 2], face: &Triangle) -> Option<DVec3> {
    let [on_edge, on_projection] = edge_face_points(edge, face)?;
    // The print asks for the same point, which rounding would seldom give.
    let same = on_edge.distance(on_projection) <= 1e-9 * edge[0].distance(edge[1]);
    same.then_some(on_edge)
}

/// The two points that [`edge_face`] compares, on the edge's line and on that of its projection.
pub fn edge_face_points([p, q]: [DVec3; 2], face: &Triangle) -> Option<[DVec3; 2]> {
    let normal = face.doubled_area_vector().try_normalize()?;
    let project = |x: DVec3| x - normal * normal.dot(x - face.vertices[0]);
    let (along, full) = (q - p, project(q) - project(p));
    let (u, w) = (along.try_normalize()?, full.try_normalize()?);
    let m = u.cross(w);
    let shift = project(p) - p;
    let det = |a: DVec3| glam::DMat3::from_cols(shift, a, m).determinant() / m.length_squared();
    let (t, s) = (det(full), det(along));
    (t.is_finite() && s.is_finite()).then(|| [p + u * t, project(p) + w * s])
}

/// Approximate: computes the relation of two bodies by Boyse's edges against faces. If none intersect, it
/// tests one vertex of each as printed: a body of several parts may have another one inside. `None` if a
/// pose is invalid. [`interference`](super::interference) is corrected.
pub fn boyse((a, pose_a): (&Polyhedron, &Pose), (b, pose_b): (&Polyhedron, &Pose)) -> Option<Interference> {
    if !pose_a.is_valid() || !pose_b.is_valid() {
        return None;
    }
    let mut tally = Tally::new(&noli::Budget::UNLIMITED);
    let (a, b) = (Stood { body: a, pose: pose_a }, Stood { body: b, pose: pose_b });
    if let Some(meeting) = meeting(&a, &b, &mut tally)? {
        return Some(meeting);
    }
    let mut holds = |solid: &Stood<'_>, other: &Stood<'_>| match other.body.mesh().triangles().first() {
        Some(&[first, ..]) => inside(other.body.vertex(first), other.pose, solid, &mut tally),
        None => Some(false),
    };
    Some(match (holds(&b, &a)?, holds(&a, &b)?) {
        (true, _) => Interference::AInsideB,
        (_, true) => Interference::BInsideA,
        _ => Interference::Disjoint,
    })
}

/// Approximate: tests a face against a voxel as printed: returns `true` if it intersects one of the six
/// walls. Loses faces between the walls.
pub fn face_meets_voxel(face: &Triangle, voxel: &Aabb) -> bool {
    let frame = PairFrame::new(&RelativePose::identity());
    walls(voxel).iter().any(|wall| TrianglePair::new(face, wall, &frame).overlaps())
}

/// Two triangles for each wall of a box.
fn walls(bounds: &Aabb) -> [Triangle; 12] {
    let vertices = bounds.vertices();
    std::array::from_fn(|i| {
        let (wall, second) = (i / 2, i % 2);
        let (axis, side) = (wall / 2, wall % 2);
        let (x, y) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
        let first = side << axis;
        let middle = if second == 0 { first | x } else { first | y };
        Triangle::new(vertices[first], vertices[middle], vertices[first | x | y])
    })
}

/// Treatment of a point on the surface: inside or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Touching {
    /// It does not, as printed.
    Free,
    /// It does.
    Counts,
}

/// A point of one body inside the other, for a response to act on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penetration {
    /// Contact point, in the world.
    pub point: DVec3,
    /// `true` if it is a point of A inside B; otherwise the reverse.
    pub of_a: bool,
    /// The one of the three steps that found it.
    pub step: Step,
}

/// The three steps of Moore and Wilhelms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// A vertex.
    Vertex,
    /// The middle of a part of an edge.
    EdgePart,
    /// The middle of a face.
    Face,
}

/// Approximate: tests if two convex bodies share a point, by the three steps as printed. These are a vertex
/// inside, the middle of a part of an edge inside, the middle of a face inside. With strict tests, they
/// miss bodies that share their inside where none of these points is strictly inside. The faces are the
/// polygons the meshes were made of.
pub fn moore(a: &Mesh, pose_a: &Pose, b: &Mesh, pose_b: &Pose, touching: Touching) -> bool {
    !penetrations(a, pose_a, b, pose_b, touching).is_empty()
}

/// Approximate: all points that the three steps find inside, those of A first.
pub fn penetrations(
    a: &Mesh,
    pose_a: &Pose,
    b: &Mesh,
    pose_b: &Pose,
    touching: Touching,
) -> Vec<Penetration> {
    let (a, b) = (Printed::new(a, pose_a), Printed::new(b, pose_b));
    let points = |one: &Printed, other: &Printed, of_a: bool| {
        let found = one.points_in(other, touching);
        found.into_iter().map(move |(step, point)| Penetration { point, of_a, step }).collect::<Vec<_>>()
    };
    [points(&a, &b, true), points(&b, &a, false)].concat()
}

/// Vertices of faces in the world, outward normals.
struct Printed {
    vertices: Vec<DVec3>,
    faces: Vec<Vec<DVec3>>,
    planes: Vec<(DVec3, DVec3)>,
}

impl Printed {
    fn new(mesh: &Mesh, pose: &Pose) -> Self {
        let vertices: Vec<DVec3> = mesh.vertices().iter().map(|&p| pose.transform_point(p)).collect();
        let faces: Vec<Vec<DVec3>> =
            mesh.faces().map(|face| face.iter().map(|&v| vertices[v as usize]).collect()).collect();
        let plane = |face: &Vec<DVec3>| {
            let n = face.len();
            let newell = (0..n).map(|k| face[k].cross(face[(k + 1) % n])).sum::<DVec3>();
            (newell, face[0])
        };
        let planes = faces.iter().map(plane).collect();
        Self { vertices, faces, planes }
    }

    fn holds(&self, point: DVec3, touching: Touching) -> bool {
        self.planes.iter().all(|(normal, on)| match touching {
            Touching::Free => normal.dot(point - *on) < 0.0,
            Touching::Counts => normal.dot(point - *on) <= 0.0,
        })
    }

    /// The points of the three steps that lie inside another body.
    fn points_in(&self, other: &Self, touching: Touching) -> Vec<(Step, DVec3)> {
        let middle = |face: &Vec<DVec3>| face.iter().sum::<DVec3>() / face.len() as f64;
        // An edge is in two faces, once in each direction.
        let order = |p: DVec3, q: DVec3| p.to_array() < q.to_array();
        let edges = self
            .faces
            .iter()
            .flat_map(|face| (0..face.len()).map(move |k| [face[k], face[(k + 1) % face.len()]]))
            .filter(|[p, q]| order(*p, *q));
        let vertices = self.vertices.iter().map(|&vertex| (Step::Vertex, vertex));
        let parts = edges.flat_map(|edge| other.middles_of_parts(edge)).map(|point| (Step::EdgePart, point));
        let faces = self.faces.iter().map(|face| (Step::Face, middle(face)));
        vertices.chain(parts).chain(faces).filter(|(_, point)| other.holds(*point, touching)).collect()
    }

    /// The middles of the parts into which the planes cut an edge.
    fn middles_of_parts(&self, [p, q]: [DVec3; 2]) -> Vec<DVec3> {
        let mut cuts = vec![0.0, 1.0];
        for (normal, on) in &self.planes {
            let (at_p, at_q) = (normal.dot(p - *on), normal.dot(q - *on));
            if at_p * at_q < 0.0 {
                cuts.push(at_p.abs() / (at_p.abs() + at_q.abs()));
            }
        }
        cuts.sort_by(f64::total_cmp);
        cuts.windows(2).map(|pair| p + (q - p) * (0.5 * (pair[0] + pair[1]))).collect()
    }
}

/// Approximate: an array of space as printed, one word a cell. It forgets the second occupant of a cell, so
/// that who leaves may erase who stays.
#[derive(Clone, Debug, Default)]
pub struct WordSpace(std::collections::BTreeMap<[u32; 3], super::Occupant>);

impl WordSpace {
    /// Take up a cell; who was there before, if it was another.
    pub fn occupy(&mut self, cell: [u32; 3], number: super::Occupant) -> Option<super::Occupant> {
        let there = *self.0.entry(cell).or_insert(number);
        (there != number).then_some(there)
    }

    /// Leave a cell, which empties its word.
    pub fn vacate(&mut self, cell: [u32; 3]) {
        self.0.remove(&cell);
    }
}

/// Approximate: computes the distance of two convex bodies by Lin and Canny's walk as printed, from any two
/// features. A value "less than zero" is meant to indicate collision, but the distance of two features
/// never is. Overlapping bodies are reported separated, or the walk cycles, which returns `None` here.
/// [`closest_features`](super::closest_features) is corrected.
pub fn lin_canny(
    (a, pose_a): (&FeatureHull, &Pose),
    (b, pose_b): (&FeatureHull, &Pose),
    from: [Feature; 2],
) -> Option<f64> {
    let mut features = from;
    match walk([a, b], &RelativePose::new(pose_a, pose_b), &mut features, false).0 {
        Walk::Separated([on_a, on_b]) => Some(on_a.distance(on_b)),
        Walk::Overlap | Walk::Lost => None,
    }
}
