//! Queries whose answers are lists: intersecting faces, rays; and the location of a point.

use crate::border::{ErrorCode, Failure, In, Out, border, changed, fill, given, place, room};
use crate::context::ask;
use crate::model::Held;
use crate::values::{ContextHandle, PlacedRecord, completeness, vector};
use noli::answer::{Completeness, Intersection, Location, Next, RayHit, RaySide, Sink};
use noli::query::{IntersectionsQuery, Ray, RayQuery};
use std::mem::MaybeUninit;

/// Two intersecting faces; `noli_intersection` in C.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct IntersectionRecord {
    /// Triangle of A.
    pub triangle_a: u32,
    /// Triangle of B.
    pub triangle_b: u32,
    /// `NOLI_RELATION_TOUCHING` or `NOLI_RELATION_INTERSECTING`.
    pub relation: i32,
    /// Start of the common segment, in world coordinates.
    pub start: [f64; 3],
    /// Its end.
    pub end: [f64; 3],
}

/// Room for intersecting faces; `noli_intersection_list` in C.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct IntersectionList {
    /// The intersections.
    pub items: *mut IntersectionRecord,
    /// Number of records that fit.
    pub capacity: usize,
    /// Number of records that were stored.
    pub count: usize,
    /// A value of `noli_completeness`.
    pub completeness: i32,
}

/// A ray; `noli_ray` in C.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct RayRecord {
    /// Start, in world coordinates.
    pub origin: [f64; 3],
    /// Direction; its length is the unit of `t`.
    pub direction: [f64; 3],
    /// Hits beyond this `t` are left out.
    pub until: f64,
}

/// An intersection of a ray; `noli_ray_hit` in C.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct RayHitRecord {
    /// Parameter of the intersection.
    pub t: f64,
    /// Triangle, or -1 for a body without faces.
    pub triangle: i64,
    /// 0 from the front, 1 from the back, 2 grazing.
    pub side: i32,
}

/// Room for intersections of a ray; `noli_ray_hit_list` in C.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct RayHitList {
    /// The hits, ordered by `t`.
    pub items: *mut RayHitRecord,
    /// Number of records that fit.
    pub capacity: usize,
    /// Number of records found, written by the query; those beyond `capacity` are not stored.
    pub count: usize,
    /// A value of `noli_completeness`.
    pub completeness: i32,
}

/// Stores intersections while there is room.
struct Store<'a> {
    items: &'a mut [MaybeUninit<IntersectionRecord>],
    count: usize,
}

impl Sink for Store<'_> {
    fn hit(&mut self, found: &Intersection) -> Next {
        let Some(item) = self.items.get_mut(self.count) else { return Next::Stop };
        let ends =
            found.segment.map_or([[0.0; 3]; 2], |segment| [segment.start, segment.end].map(|p| p.to_array()));
        item.write(IntersectionRecord {
            triangle_a: found.triangle_a,
            triangle_b: found.triangle_b,
            relation: if found.relation == noli_geom::Relation::Touching { 1 } else { 2 },
            start: ends[0],
            end: ends[1],
        });
        self.count += 1;
        if self.count == self.items.len() { Next::Stop } else { Next::Continue }
    }
}

/// Lists the intersecting faces of two bodies, always in the same order, until the room is filled.
///
/// # Safety
///
/// `list.items` has room for `list.capacity` records.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn noli_intersections(
    context: ContextHandle,
    a: In<'_, PlacedRecord>,
    b: In<'_, PlacedRecord>,
    list: Option<&mut IntersectionList>,
) -> ErrorCode {
    border(|| {
        let list = changed(list, "list")?;
        // SAFETY: as the caller states.
        let items = unsafe { room(list.items, list.capacity, "items") }?;
        let [a, b] = Held::both([a, b])?;
        if items.is_empty() {
            return Err(Failure::value("`capacity` is 0; give room for at least one intersection"));
        }
        let mut store = Store { items, count: 0 };
        let query = IntersectionsQuery::default();
        let found = ask(context, |ask| ask.intersections(&a.placed(), &b.placed(), &query, &mut store))?;
        list.count = store.count;
        list.completeness = completeness(found);
        Ok(())
    })
}

/// Lists the intersections of a ray with a body, ordered by `t`.
///
/// # Safety
///
/// `list.items` has room for `list.capacity` records.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn noli_ray_cast(
    context: ContextHandle,
    body: In<'_, PlacedRecord>,
    ray: In<'_, RayRecord>,
    list: Option<&mut RayHitList>,
) -> ErrorCode {
    border(|| {
        let list = changed(list, "list")?;
        // SAFETY: as the caller states.
        let items = unsafe { room(list.items, list.capacity, "items") }?;
        let (body, ray) = (Held::new(body, "body")?, given(ray, "ray")?);
        if ray.until.is_nan() {
            return Err(Failure::value("`until` is NaN; give a number, or infinity"));
        }
        let query = RayQuery { until: ray.until };
        let ray =
            Ray { origin: vector(ray.origin, "origin")?, direction: vector(ray.direction, "direction")? };
        let mut hits = Vec::new();
        let found = ask(context, |ask| ask.ray_cast(&body.placed(), &ray, &query, &mut hits))?;
        let found: Completeness = found.map_err(Failure::value)?;
        list.count = fill(items, hits.iter().map(ray_hit_record));
        list.completeness = completeness(found);
        Ok(())
    })
}

fn ray_hit_record(hit: &RayHit) -> RayHitRecord {
    let side = match hit.side {
        RaySide::Front => 0,
        RaySide::Back => 1,
        RaySide::Grazing => 2,
    };
    RayHitRecord { t: hit.t, triangle: hit.triangle.map_or(-1, i64::from), side }
}

/// Classifies a point given in world coordinates.
#[unsafe(no_mangle)]
pub extern "C" fn noli_locate_point(
    context: ContextHandle,
    body: In<'_, PlacedRecord>,
    point: In<'_, [f64; 3]>,
    out: Out<'_, i32>,
) -> ErrorCode {
    border(|| {
        let (out, point) = (place(out, "out")?, vector(*given(point, "point")?, "point")?);
        let body = Held::new(body, "body")?;
        out.write(match ask(context, |ask| ask.locate_point(&body.placed(), point))? {
            Location::Outside => 0,
            Location::OnSurface => 1,
            Location::Inside => 2,
            Location::Unknown => 3,
        });
        Ok(())
    })
}
