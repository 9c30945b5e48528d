//! The classics as printed where that differs from what holds: approximate, kept to show what they miss.

use super::lin_canny::{Feature, FeatureHull, Walk, walk};
use glam::DVec3;
use noli_geom::{Aabb, Mesh, PairFrame, Pose, RelativePose, Triangle, TrianglePair};

/// Approximate: where an edge meets a face, as the robot cell of 1998 prints it.
///
/// The edge is projected on the face's plane and its line met with that of the projection. The determinants
/// use the full length of the projection and the cross product its direction, so the point is off by that
/// length; neither the ends of the edge nor the outline of the face are looked at; an edge square to the
/// plane or in it gives nothing. [`edge_meets_face`](super::edge_meets_face) is mended.
pub fn edge_face([p, q]: [DVec3; 2], face: &Triangle) -> Option<DVec3> {
    let normal = face.doubled_area_vector().try_normalize()?;
    let project = |x: DVec3| x - normal * normal.dot(x - face.corners[0]);
    let (along, full) = (q - p, project(q) - project(p));
    let (u, w) = (along.try_normalize()?, full.try_normalize()?);
    let m = u.cross(w);
    let t = glam::DMat3::from_cols(project(p) - p, full, m).determinant() / m.length_squared();
    t.is_finite().then(|| p + u * t)
}

/// Approximate: whether a face meets a voxel, as printed: whether it meets one of the six walls. Loses faces
/// between the walls.
pub fn face_meets_voxel(face: &Triangle, voxel: &Aabb) -> bool {
    let frame = PairFrame::new(&RelativePose::identity());
    walls(voxel).iter().any(|wall| TrianglePair::new(face, wall, &frame).overlaps())
}

/// Two triangles for each wall of a box.
fn walls(bounds: &Aabb) -> [Triangle; 12] {
    let corners = bounds.corners();
    std::array::from_fn(|i| {
        let (wall, second) = (i / 2, i % 2);
        let (axis, side) = (wall / 2, wall % 2);
        let (x, y) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
        let first = side << axis;
        let middle = if second == 0 { first | x } else { first | y };
        Triangle::new(corners[first], corners[middle], corners[first | x | y])
    })
}

/// Approximate: whether two convex bodies share a point, by the three strict steps as printed: a vertex
/// inside, the middle of a part of an edge inside, the middle of a face inside. Misses bodies that share
/// their inside where none of these points is strictly inside. The faces are the polygons the meshes were
/// made of.
pub fn moore(a: &Mesh, pose_a: &Pose, b: &Mesh, pose_b: &Pose) -> bool {
    let (a, b) = (Printed::new(a, pose_a), Printed::new(b, pose_b));
    a.penetrated_by(&b) || b.penetrated_by(&a)
}

/// Corners of faces in the world, outward normals.
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

    fn strictly_inside(&self, point: DVec3) -> bool {
        self.planes.iter().all(|(normal, on)| normal.dot(point - *on) < 0.0)
    }

    fn penetrated_by(&self, other: &Self) -> bool {
        let middle = |face: &Vec<DVec3>| face.iter().sum::<DVec3>() / face.len() as f64;
        let mut edges = other
            .faces
            .iter()
            .flat_map(|face| (0..face.len()).map(move |k| [face[k], face[(k + 1) % face.len()]]));
        other.vertices.iter().any(|&v| self.strictly_inside(v))
            || edges.any(|edge| self.holds_middle_of(edge))
            || other.faces.iter().any(|face| self.strictly_inside(middle(face)))
    }

    fn holds_middle_of(&self, [p, q]: [DVec3; 2]) -> bool {
        let mut cuts = vec![0.0, 1.0];
        for (normal, on) in &self.planes {
            let (at_p, at_q) = (normal.dot(p - *on), normal.dot(q - *on));
            if at_p * at_q < 0.0 {
                cuts.push(at_p.abs() / (at_p.abs() + at_q.abs()));
            }
        }
        cuts.sort_by(f64::total_cmp);
        cuts.windows(2).any(|pair| self.strictly_inside(p + (q - p) * (0.5 * (pair[0] + pair[1]))))
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

/// Approximate: the distance of two convex bodies by Lin and Canny's walk as printed, from any two features.
/// "Less than zero" is said to mean collision, but the distance of two features never is: bodies that overlap
/// are told to be apart, or the walk goes in circles, for which nothing is returned here.
/// [`closest_features`](super::closest_features) is mended.
pub fn lin_canny(
    (a, pose_a): (&FeatureHull, &Pose),
    (b, pose_b): (&FeatureHull, &Pose),
    from: [Feature; 2],
) -> Option<f64> {
    let mut features = from;
    match walk([a, b], &RelativePose::new(pose_a, pose_b), &mut features, false).0 {
        Walk::Apart([on_a, on_b]) => Some(on_a.distance(on_b)),
        Walk::Overlap | Walk::Lost => None,
    }
}
