//! Internal interfaces for `noli-classics`, `noli-sim` and `noli-gpu`, not for users. They expose trees for a
//! device, and parts of the engine whose public query would round or would do the work being measured. No
//! promise of stability.

use crate::answer::FeatureContact;
use crate::context::with_context;
use crate::convex::{self, Bodies, Goal, SearchEnd};
use crate::model::{Form, Model, Placed};
use crate::pair::mesh_mesh;
use crate::tree::Tree;
pub use crate::tree::packed::{Image, RECORD};
pub use crate::tree::points::PointTree;
use glam::{DMat3, DVec3};
use noli_geom::{Aabb, Convex, Mesh, PairFrame, Sphere};
use std::borrow::Cow;

/// The faces of a mesh or of a polyhedral core, the tree over them, and a box around the faces of each of its
/// nodes; `None` for any other form.
pub fn faces(model: &Model) -> Option<(&Mesh, &Tree, &[Aabb])> {
    model.faces().map(|faces| (&faces.mesh, faces.tree(), faces.boxes()))
}

/// Spheres that together hold a body in its own frame, as far as its motion goes: no point of it goes further, or strays further
/// from its chord, than some point of these.
pub fn cover(model: &Model) -> Cow<'_, [Sphere]> {
    match model.faces() {
        Some(faces) if model.mesh().is_some() => Cow::Borrowed(faces.cover()),
        _ => Cow::Owned(vec![model.sphere()]),
    }
}

/// Returns the tree over the points of a point cloud; `None` for any other form.
pub fn point_tree(model: &Model) -> Option<&PointTree> {
    match model.form() {
        Form::Cloud(cloud) => Some(&cloud.tree),
        _ => None,
    }
}

/// Returns the tree of a mesh for a device, `true` if the mesh is a solid, and a point of each of its
/// connected parts. `None` for any other form, and for an empty mesh.
pub fn image(model: &Model) -> Option<(Image, bool, &[DVec3])> {
    let mesh = model.mesh().and(model.faces())?;
    if mesh.mesh.is_empty() {
        return None;
    }
    Some((mesh.packed.image(&mesh.mesh)?, mesh.is_solid(), mesh.probes()))
}

/// Returns `true` if a part of one body lies inside the other, given that their surfaces do not intersect;
/// `None` for bodies without faces. Points are located in the frame they are given in, so nothing is rounded
/// to the world. Faces are not traversed again, as `overlap` would.
pub fn contained(a: &Placed<'_>, b: &Placed<'_>) -> Option<bool> {
    let (a, b) = a.core_faces().zip(b.core_faces())?;
    with_context(|ask| mesh_mesh::contained(&a, &b, ask))
}

/// Orthonormal, right-handed eigenvectors of a symmetric matrix, largest eigenvalue first; `mixed` holds its
/// entries xy, xz and yz.
pub fn principal_axes(diagonal: DVec3, mixed: DVec3) -> DMat3 {
    crate::tree::principal::principal_axes(diagonal, mixed)
}

/// Two convex cores: what support functions prove of the clearance between them, all rounding included.
pub struct Supports<'a>(Bodies<'a>);

impl<'a> Supports<'a> {
    /// Two bodies and the pose between them.
    pub fn new(a: &'a Convex, b: &'a Convex, frame: &'a PairFrame) -> Self {
        Self(Bodies::new(a, b, frame))
    }

    /// The clearance is at least this, by the furthest points along a direction in A's frame; NaN for none.
    pub fn at_least_along(&self, direction: DVec3) -> f64 {
        direction.dot(self.0.support(direction).w) / direction.length() - self.0.height_error
    }

    /// The clearance is at most this, by a point of each body in A's frame.
    pub fn at_most_between(&self, on_a: DVec3, on_b: DVec3) -> f64 {
        (on_b - on_a).length() * (1.0 + 1e-15) + self.0.point_error
    }

    /// Computes a bracket on the clearance by a search (Gilbert, Johnson and Keerthi 1988) that ends once the
    /// clearance is proven to exceed `separated`.
    pub fn search(&self, separated: f64) -> [f64; 2] {
        let goal = Goal { separated, near: 0.0, tolerance: 0.0 };
        let clearance = convex::core_distance(&self.0, &goal, &mut SearchEnd::default());
        [clearance.at_least, clearance.at_most]
    }

    /// The largest length of any point involved.
    pub fn size(&self) -> f64 {
        self.0.size
    }
}

/// The contacts of two bodies with faces, from all pairs of these: what [`contacts`](crate::contacts::contacts) is held
/// against. `None` for bodies without faces.
pub fn contacts_of_all(a: &Placed<'_>, b: &Placed<'_>, within: f64) -> Option<Vec<FeatureContact>> {
    crate::pair::contacts_of_all(a, b, within)
}
