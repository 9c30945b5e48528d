//! The room that planes of one solid leave for the other body around a point of both.
//!
//! Most contacts are of this kind: a box on a floor, a door in its frame, a window in a wall. Then signs of corners tell
//! that the bodies share nothing, and no picture need be drawn.

use super::inside::far_end;
use super::touch::{ATTEMPTS, Touch};
use crate::context::Ask;
use noli_geom::{CommonPoint, LocalPicture, Triangle};

/// Directions from a common point that lie on one side of some planes through it.
///
/// All of the other body's faces at the point are on this side of each plane, or in it (of a surface, those that the niche is
/// for), and none of the owner's comes in. So all of the niche or nothing is in the owner, and all of what lies out of it or
/// nothing is in the other.
struct Niche {
    /// Whose faces lie in the planes.
    owner: usize,
    side: i8,
    planes: Vec<Triangle>,
    /// That of the faces on the niche's rim.
    rim: Triangle,
}

impl Touch<'_, '_> {
    /// Whether two bodies are known to share nothing but surface near a point of both: a solid has a niche around the other
    /// body, and neither is where the other may be. Cheap, and true of most contacts.
    pub(super) fn are_parted(
        &self,
        point: &CommonPoint,
        faces: &[Vec<u32>; 2],
        ask: &mut Ask<'_>,
    ) -> Option<bool> {
        let solid = self.solid();
        let triangles = [0, 1].map(|body| self.triangles(body, &faces[body]));
        for owner in (0..2).filter(|&body| solid[body]) {
            let (own, others) = (&triangles[owner], &triangles[1 - owner]);
            let planes = self.planes(owner, own);
            // Where faces look outward only what is out of them can be free.
            let sides: &[i8] = if self.outward[owner] { &[1] } else { &[1, -1] };
            for &side in sides {
                if let Some(niche) = self.niche((owner, &planes), side, own, others)
                    && self.are_free(&niche, point, faces, ask)?
                {
                    return Some(true);
                }
            }
            // Each face of a surface may have a niche of its own, where no ray is needed to know that it is free.
            let has_one = |face| self.niche((owner, &planes), 1, own, std::slice::from_ref(face)).is_some();
            if self.outward[owner] && !solid[1 - owner] && others.len() > 1 && others.iter().all(has_one) {
                return Some(true);
            }
        }
        Some(false)
    }

    /// The niche that planes of the owner's faces at a point leave for faces of the other body there, if no face of the owner
    /// comes in.
    fn niche(
        &self,
        (owner, planes): (usize, &[Triangle]),
        side: i8,
        own: &[Triangle],
        others: &[Triangle],
    ) -> Option<Niche> {
        let has_them = |plane: &&Triangle| self.are_on(side, (owner, plane), (1 - owner, others));
        let planes: Vec<Triangle> = planes.iter().filter(has_them).copied().collect();
        let stays_on = |side: i8, plane: &Triangle, face: &Triangle| {
            self.are_on(side, (owner, plane), (owner, std::slice::from_ref(face)))
        };
        // The owner ends at one plane, as around a point of a convex body.
        if let Some(&end) = planes.iter().find(|plane| own.iter().all(|face| stays_on(-side, plane, face))) {
            return Some(Niche { owner, side, planes: vec![end], rim: end });
        }
        if !own.iter().all(|face| planes.iter().any(|plane| stays_on(-side, plane, face))) {
            return None;
        }
        let is_rim = |face: &&Triangle| planes.iter().all(|plane| stays_on(side, plane, face));
        let rim = *planes.iter().find(is_rim)?;
        Some(Niche { owner, side, planes, rim })
    }

    /// Whether faces of a body lie on one side of a plane, or in it.
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

    /// Whether the owner is known to be nowhere in a niche, and the other body nowhere out of it, without a ray; `Some(false)`
    /// where the opposite is.
    fn without_ray(&self, niche: &Niche, faces: &[Vec<u32>; 2]) -> [Option<bool>; 2] {
        let Niche { owner, side, planes, rim } = niche;
        let (owner, other) = (*owner, 1 - owner);
        let keeps_to =
            |body: usize, side: i8| planes.iter().any(|plane| self.keeps_to(body, (owner, plane, side)));
        let mut free = [None; 2];
        free[owner] =
            if self.outward[owner] { Some(*side > 0) } else { keeps_to(owner, -side).then_some(true) };
        // A surface is its faces, and none at the point is out of the niche.
        free[other] = (!self.solid()[other] || keeps_to(other, *side)).then_some(true);
        if free[other].is_none() && self.outward[other] {
            let corners = faces[other].iter().map(|&face| self.triangle(other, face));
            let mut alike = corners.filter_map(|face| self.alike((owner, rim), (other, &face)));
            free[other] = alike.next().map(|alike| alike == (*side < 0));
        }
        free
    }

    /// Whether two faces in one plane, each of one of the bodies, look the same way; `None` if they are in none or have no
    /// area.
    fn alike(&self, (owner, plane): (usize, &Triangle), (other, face): (usize, &Triangle)) -> Option<bool> {
        if self.sides(owner, plane, other, face) != [0; 3] {
            return None;
        }
        let turned = Triangle::new(face.corners[0], face.corners[2], face.corners[1]);
        let alike = |face: &Triangle| self.faces((owner, plane), (other, face)).are_alike();
        if alike(face) { Some(true) } else { alike(&turned).then_some(false) }
    }

    /// Whether the owner is nowhere in a niche, and the other body nowhere out of it.
    fn are_free(
        &self,
        niche: &Niche,
        point: &CommonPoint,
        faces: &[Vec<u32>; 2],
        ask: &mut Ask<'_>,
    ) -> Option<bool> {
        let known = self.without_ray(niche, faces);
        if known.contains(&Some(false)) {
            return Some(false);
        }
        let mut free = known.map(|free| free == Some(true));
        // Where no ray is needed to look, none is worth its while here.
        if free == [true; 2] || self.outward == [true; 2] {
            return Some(free == [true; 2]);
        }
        let (given, from) = self.origin(point);
        let picture = LocalPicture::new(&self.pair.frame, point, [&[], &[]]);
        for attempt in 0..ATTEMPTS {
            let end = far_end(from, &self.bodies[given].world_from_self, &self.bodies, attempt);
            let towards = |plane: &Triangle| {
                self.sides(niche.owner, plane, given, &Triangle::new(end, end, end))[0] * niche.side
            };
            let body = match niche.planes.iter().map(towards).min() {
                Some(1) => niche.owner,
                Some(-1) => 1 - niche.owner,
                _ => continue,
            };
            if free[body] {
                continue;
            }
            // Faces at the point are elsewhere.
            let held = |face: u32| faces[body].contains(&face);
            match self.winding_along(&picture, point, end, body, &held, ask)? {
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

    /// Whether a body's box lies on one side of a plane, or in it: then the body is nowhere beyond.
    fn keeps_to(&self, body: usize, (owner, plane, side): (usize, &Triangle, i8)) -> bool {
        let corners = self.bodies[body].model.bounds.corners();
        [[0, 1, 2], [3, 4, 5], [6, 7, 7]].into_iter().all(|[i, j, k]| {
            let three = Triangle::new(corners[i], corners[j], corners[k]);
            !self.sides(owner, plane, body, &three).contains(&-side)
        })
    }
}
