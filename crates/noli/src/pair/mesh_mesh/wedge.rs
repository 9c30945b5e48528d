//! Wedge of space that planes of one solid leave for the other body around a common point.
//!
//! Most contacts are of this kind: a box on a floor, a door in its frame, a window in a wall. Then signs of
//! vertices prove that the bodies share nothing, and no neighbourhood is needed.

use super::inside::far_end;
use super::touch::{ATTEMPTS, Touch};
use crate::context::QueryContext;
use noli_geom::{CommonPoint, Triangle, VertexNeighborhood};

/// Directions from a common point that lie on one side of some planes through it.
///
/// All of the other body's faces at the point are on this side of each plane, or in it (of a surface, those that the wedge is
/// for), and none of the owner's comes in. So all of the wedge or nothing is in the owner, and all of what lies out of it or
/// nothing is in the other.
struct Wedge {
    /// Number of the body whose faces lie in the planes.
    owner: usize,
    side: i8,
    planes: Vec<Triangle>,
    /// That of the faces on the wedge's rim.
    rim: Triangle,
}

impl Touch<'_, '_> {
    /// Returns `true` if two bodies certainly share only surface near a common point. A solid then has a wedge
    /// around the other body, and neither occupies the other's side. Cheap, and true of most contacts.
    pub(super) fn are_parted(
        &self,
        point: &CommonPoint,
        faces: &[Vec<u32>; 2],
        context: &mut QueryContext<'_>,
    ) -> Option<bool> {
        let solid = self.solid();
        let triangles = [0, 1].map(|body| self.triangles(body, &faces[body]));
        for owner in (0..2).filter(|&body| solid[body]) {
            let (own, others) = (&triangles[owner], &triangles[1 - owner]);
            let planes = self.planes(owner, own);
            // Where faces look outward only what is out of them can be free.
            let sides: &[i8] = if self.outward[owner] { &[1] } else { &[1, -1] };
            for &side in sides {
                if let Some(wedge) = self.wedge((owner, &planes), side, own, others)
                    && self.are_free(&wedge, point, faces, context)?
                {
                    return Some(true);
                }
            }
            // Each face of a surface may have a wedge of its own, where no ray is needed to know that it is free.
            let has_one = |face| self.wedge((owner, &planes), 1, own, std::slice::from_ref(face)).is_some();
            if self.outward[owner] && !solid[1 - owner] && others.len() > 1 && others.iter().all(has_one) {
                return Some(true);
            }
        }
        Some(false)
    }

    /// The wedge that planes of the owner's faces at a point leave for faces of the other body there, if no face of the owner
    /// comes in.
    fn wedge(
        &self,
        (owner, planes): (usize, &[Triangle]),
        side: i8,
        own: &[Triangle],
        others: &[Triangle],
    ) -> Option<Wedge> {
        let has_them = |plane: &&Triangle| self.are_on(side, (owner, plane), (1 - owner, others));
        let planes: Vec<Triangle> = planes.iter().filter(has_them).copied().collect();
        let stays_on = |side: i8, plane: &Triangle, face: &Triangle| {
            self.are_on(side, (owner, plane), (owner, std::slice::from_ref(face)))
        };
        // The owner ends at one plane, as around a point of a convex body.
        if let Some(&end) = planes.iter().find(|plane| own.iter().all(|face| stays_on(-side, plane, face))) {
            return Some(Wedge { owner, side, planes: vec![end], rim: end });
        }
        if !own.iter().all(|face| planes.iter().any(|plane| stays_on(-side, plane, face))) {
            return None;
        }
        let is_rim = |face: &&Triangle| planes.iter().all(|plane| stays_on(side, plane, face));
        let rim = *planes.iter().find(is_rim)?;
        Some(Wedge { owner, side, planes, rim })
    }

    /// Returns `true` if faces of a body lie on one side of a plane, or in it.
    fn are_on(
        &self,
        side: i8,
        (owner, plane): (usize, &Triangle),
        (body, faces): (usize, &[Triangle]),
    ) -> bool {
        faces.iter().all(|face| !self.sides(owner, plane, body, face).contains(&-side))
    }

    /// Some of the faces, one for each plane; those without area have none.
    fn planes(&self, body: usize, faces: &[Triangle]) -> Vec<Triangle> {
        let mut planes: Vec<Triangle> = Vec::new();
        for face in faces {
            let is_known = |plane: &Triangle| self.sides(body, plane, body, face) == [0; 3];
            if !planes.iter().any(is_known) && self.faces((body, face), (body, face)).are_alike() {
                planes.push(*face);
            }
        }
        planes
    }

    /// Tests without a ray whether the owner does not enter a wedge, and whether the other body does not leave it.
    /// `Some(false)` if the opposite is certain.
    fn without_ray(&self, wedge: &Wedge, faces: &[Vec<u32>; 2]) -> [Option<bool>; 2] {
        let Wedge { owner, side, planes, rim } = wedge;
        let (owner, other) = (*owner, 1 - owner);
        let keeps_to =
            |body: usize, side: i8| planes.iter().any(|plane| self.keeps_to(body, (owner, plane, side)));
        let mut free = [None; 2];
        free[owner] =
            if self.outward[owner] { Some(*side > 0) } else { keeps_to(owner, -side).then_some(true) };
        // A surface is its faces, and none at the point is out of the wedge.
        free[other] = (!self.solid()[other] || keeps_to(other, *side)).then_some(true);
        if free[other].is_none() && self.outward[other] {
            let vertices = faces[other].iter().map(|&face| self.triangle(other, face));
            let mut alike = vertices.filter_map(|face| self.alike((owner, rim), (other, &face)));
            free[other] = alike.next().map(|alike| alike == (*side < 0));
        }
        free
    }

    /// Returns `true` if two coplanar faces, one of each body, have the same orientation; `None` if they are not
    /// coplanar or have no area.
    fn alike(&self, (owner, plane): (usize, &Triangle), (other, face): (usize, &Triangle)) -> Option<bool> {
        if self.sides(owner, plane, other, face) != [0; 3] {
            return None;
        }
        let turned = Triangle::new(face.vertices[0], face.vertices[2], face.vertices[1]);
        let alike = |face: &Triangle| self.faces((owner, plane), (other, face)).are_alike();
        if alike(face) { Some(true) } else { alike(&turned).then_some(false) }
    }

    /// Returns `true` if the owner does not enter a wedge, and the other body does not leave it.
    fn are_free(
        &self,
        wedge: &Wedge,
        point: &CommonPoint,
        faces: &[Vec<u32>; 2],
        context: &mut QueryContext<'_>,
    ) -> Option<bool> {
        let known = self.without_ray(wedge, faces);
        if known.contains(&Some(false)) {
            return Some(false);
        }
        let mut free = known.map(|free| free == Some(true));
        // Where no ray is needed to look, none is worth its while here.
        if free == [true; 2] || self.outward == [true; 2] {
            return Some(free == [true; 2]);
        }
        let (given, from) = self.origin(point);
        let picture = VertexNeighborhood::new(&self.pair.frame, point, [&[], &[]]);
        for attempt in 0..ATTEMPTS {
            let end = far_end(from, &self.bodies[given].world_from_self, &self.bodies, attempt);
            let towards = |plane: &Triangle| {
                self.sides(wedge.owner, plane, given, &Triangle::new(end, end, end))[0] * wedge.side
            };
            let body = match wedge.planes.iter().map(towards).min() {
                Some(1) => wedge.owner,
                Some(-1) => 1 - wedge.owner,
                _ => continue,
            };
            if free[body] {
                continue;
            }
            // Faces at the point are elsewhere.
            let held = |face: u32| faces[body].contains(&face);
            match self.winding_along(&picture, (point, end), body, &held, context)? {
                None => {}
                Some(0) => free[body] = true,
                Some(_) => return Some(false),
            }
            if free == [true; 2] {
                return Some(true);
            }
        }
        Some(false)
    }

    /// Returns `true` if a body's box lies on one side of a plane, or in it: then no point of the body is beyond.
    fn keeps_to(&self, body: usize, (owner, plane, side): (usize, &Triangle, i8)) -> bool {
        let vertices = self.bodies[body].model.bounds.vertices();
        [[0, 1, 2], [3, 4, 5], [6, 7, 7]].into_iter().all(|[i, j, k]| {
            let three = Triangle::new(vertices[i], vertices[j], vertices[k]);
            !self.sides(owner, plane, body, &three).contains(&-side)
        })
    }
}
