//! Hubbard's second sphere tree: spheres on the medial axis, joined eight to one.
//!
//! The spheres that touch the surface from inside stand in the lowest level, eight at a time are joined, and the
//! spheres are enlarged until all of the surface is held (Hubbard 1995, after Eckstein 1998, section 3.2.1).
//! Differs from the source: maximal inscribed spheres are found by shrinking (Ma, Bae and Choi 2012), one for
//! every face, in place of the vertices of a Voronoi diagram of samples. Quadratic in the faces.

use super::spheres::SphereTree;
use glam::DVec3;
use noli::tree::{Tree, TreeNode};
use noli_geom::{Sphere, Triangle};

/// Spheres that are joined to one.
const JOINED: usize = 8;
/// Shrinkings of a sphere; each moves it to another point of the surface.
const SHRINKINGS: usize = 40;

/// A sphere tree from the medial axis upward (Hubbard 1995, second method). Faces must look outward; of a surface
/// that is not closed, spheres are at most as large as the body.
///
/// ```
/// use noli_classics::tree::hubbard_medial;
/// # let mesh = noli::Mesh::cuboid(glam::DVec3::ONE)?;
/// let triangles: Vec<_> = mesh.iter_triangles().collect();
/// assert_eq!(hubbard_medial(&triangles).tree.check(triangles.len()), Ok(()));
/// # Ok::<(), noli::MeshError>(())
/// ```
pub fn hubbard_medial(triangles: &[Triangle]) -> SphereTree {
    let samples: Vec<DVec3> =
        triangles.iter().flat_map(|face| face.vertices.into_iter().chain([middle(face)])).collect();
    let largest = Sphere::smallest(&samples).radius;
    let leaf = |(number, face): (u32, &Triangle)| Group {
        sphere: Sphere::centered(inscribed_center(face, &samples, largest), &face.vertices),
        faces: vec![number],
        parts: Vec::new(),
    };
    let mut row: Vec<Group> = (0..).zip(triangles).map(leaf).collect();
    while row.len() > 1 {
        row = joined(row, triangles);
    }
    let mut built = SphereTree { tree: Tree::default(), spheres: Vec::new() };
    if let Some(root) = row.pop() {
        built.tree.nodes.push(TreeNode { faces: 0..0, children: 0..0 });
        built.spheres.push(root.sphere);
        lay_out(&mut built, 0, root);
    }
    built
}

/// A sphere that holds all of these faces, and the spheres that it was joined of.
struct Group {
    sphere: Sphere,
    faces: Vec<u32>,
    parts: Vec<Self>,
}

fn middle(face: &Triangle) -> DVec3 {
    face.vertices.iter().map(|vertex| *vertex / 3.0).sum()
}

/// The centre of the largest sphere that touches a face in its middle from inside and holds no sample: on the
/// medial axis of the samples.
fn inscribed_center(face: &Triangle, samples: &[DVec3], largest: f64) -> DVec3 {
    let at = middle(face);
    let [a, b, c] = face.vertices.map(|vertex| (vertex - at) / largest);
    let inward = (c - a).cross(b - a).normalize_or_zero();
    let mut radius = largest;
    for _ in 0..SHRINKINGS {
        let center = at + inward * radius;
        let far = |sample: &&DVec3| (**sample - center).length();
        let nearest = samples.iter().min_by(|x, y| far(x).total_cmp(&far(y)));
        let Some(nearest) = nearest.filter(|sample| far(sample) < radius * (1.0 - 1e-9)) else { break };
        // The sphere through both points with its centre on the normal.
        let chord = (*nearest - at) / largest;
        let smaller = largest * chord.length_squared() / (2.0 * inward.dot(chord));
        if !(smaller > 0.0 && smaller < radius) {
            break;
        }
        radius = smaller;
    }
    at + inward * radius
}

/// One level up: the sphere farthest from the middle with those nearest to it, then of the others.
fn joined(mut row: Vec<Group>, triangles: &[Triangle]) -> Vec<Group> {
    let count = row.len() as f64;
    let mean: DVec3 = row.iter().map(|group| group.sphere.center / count).sum();
    let from = |point: DVec3, group: &Group| (group.sphere.center - point).length();
    let mut above = Vec::new();
    while !row.is_empty() {
        let far = |i: &usize| from(mean, &row[*i]);
        let seed = (0..row.len()).max_by(|x, y| far(x).total_cmp(&far(y))).unwrap_or(0);
        let seed = row[seed].sphere.center;
        row.sort_by(|x, y| from(seed, y).total_cmp(&from(seed, x)));
        let parts = row.split_off(row.len().saturating_sub(JOINED));
        let faces: Vec<u32> = parts.iter().flat_map(|part| part.faces.iter().copied()).collect();
        let vertices: Vec<DVec3> = faces.iter().flat_map(|&face| triangles[face as usize].vertices).collect();
        above.push(Group { sphere: Sphere::smallest(&vertices), faces, parts });
    }
    above
}

fn lay_out(built: &mut SphereTree, node: usize, group: Group) {
    let start = built.tree.faces.len() as u32;
    if group.parts.is_empty() {
        built.tree.faces.extend(group.faces);
    } else {
        let first = built.tree.nodes.len();
        built.tree.nodes[node].children = first as u32..(first + group.parts.len()) as u32;
        for part in &group.parts {
            built.tree.nodes.push(TreeNode { faces: 0..0, children: 0..0 });
            built.spheres.push(part.sphere);
        }
        for (child, part) in group.parts.into_iter().enumerate() {
            lay_out(built, first + child, part);
        }
    }
    built.tree.nodes[node].faces = start..built.tree.faces.len() as u32;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In a plate every sphere but those near the rim is as large as the plate is thick, and centred in its middle.
    #[test]
    fn spheres_in_a_plate_are_on_its_middle_plane() {
        let set = noli_scenes::cuboid(DVec3::new(4.0, 4.0, 1.0));
        let fine = noli_scenes::grid_plane(4.0, 16);
        let samples: Vec<DVec3> = (set.vertices.iter().copied())
            .chain(fine.vertices.iter().flat_map(|v| [DVec3::new(v.x, v.y, 0.5), DVec3::new(v.x, v.y, -0.5)]))
            .collect();
        let face =
            Triangle { vertices: [[-0.1, -0.1, 0.5], [0.2, -0.1, 0.5], [-0.1, 0.2, 0.5]].map(DVec3::from) };
        let center = inscribed_center(&face, &samples, 4.0);
        assert!(center.z.abs() < 0.1, "{center}");
    }
}
