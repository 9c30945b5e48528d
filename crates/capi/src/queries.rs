//! Queries on two models at rest.

use crate::border::{Answer, ErrorCode, In, Out, border, changed, fill, place, room};
use crate::context::ask;
use crate::model::Held;
use crate::values::{ContextHandle, PlacedRecord, guarantee, non_negative, points, verdict};
use noli::answer::{Contact, Verdict};
use noli::penetration::PenetrationQuery;
use noli::query::ClearanceQuery;
use noli::{Placed, QueryContext, Relation};

/// Distance of two bodies; `noli_clearance_result` in C.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct ClearanceRecord {
    /// No two points are closer.
    pub at_least: f64,
    /// Some pair of points is at most this close; infinite if none was found.
    pub at_most: f64,
    /// Nearest point of A, in world coordinates.
    pub on_a: [f64; 3],
    /// Nearest point of B.
    pub on_b: [f64; 3],
    /// 1 if the points are set.
    pub has_points: i32,
    /// A value of `noli_guarantee`.
    pub guarantee: i32,
}

/// Contact of two bodies; `noli_contact_point` in C.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct ContactRecord {
    /// Point of A.
    pub on_a: [f64; 3],
    /// Point of B.
    pub on_b: [f64; 3],
    /// Unit vector from A to B.
    pub normal: [f64; 3],
    /// Lower bound of the penetration depth.
    pub depth_at_least: f64,
    /// Upper bound of the penetration depth.
    pub depth_at_most: f64,
}

/// Room for contacts; `noli_contact_list` in C.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ContactList {
    /// The contacts.
    pub items: *mut ContactRecord,
    /// Number of records that fit.
    pub capacity: usize,
    /// Number of records found, written by the query; those beyond `capacity` are not stored.
    pub count: usize,
    /// A value of `noli_verdict`.
    pub verdict: i32,
}

/// Penetration depth; `noli_penetration_result` in C.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct PenetrationRecord {
    /// No shorter translation separates the bodies.
    pub at_least: f64,
    /// A translation of this length does; infinite if none was found.
    pub at_most: f64,
    /// Unit vector along which B moves; zero if none was found.
    pub direction: [f64; 3],
}

/// Computes an answer about two bodies and writes it.
fn pair<R>(
    context: ContextHandle,
    bodies: [In<'_, PlacedRecord>; 2],
    out: Out<'_, R>,
    query: impl FnOnce(&mut QueryContext<'_>, &Placed<'_>, &Placed<'_>) -> R,
) -> Answer<()> {
    let out = place(out, "out")?;
    let [a, b] = Held::both(bodies)?;
    out.write(ask(context, |ask| query(ask, &a.placed(), &b.placed()))?);
    Ok(())
}

/// Tests whether the bodies share a point.
#[unsafe(no_mangle)]
pub extern "C" fn noli_overlap(
    context: ContextHandle,
    a: In<'_, PlacedRecord>,
    b: In<'_, PlacedRecord>,
    out: Out<'_, i32>,
) -> ErrorCode {
    border(|| pair(context, [a, b], out, |ask, a, b| verdict(ask.overlap(a, b))))
}

/// Tests whether the distance of the bodies is at most `distance`.
#[unsafe(no_mangle)]
pub extern "C" fn noli_within_distance(
    context: ContextHandle,
    a: In<'_, PlacedRecord>,
    b: In<'_, PlacedRecord>,
    distance: f64,
    out: Out<'_, i32>,
) -> ErrorCode {
    border(|| {
        let distance = non_negative(distance, "distance")?;
        pair(context, [a, b], out, |ask, a, b| verdict(ask.within_distance(a, b, distance)))
    })
}

/// Classifies the bodies: separated, touching, intersecting, or one inside the other.
#[unsafe(no_mangle)]
pub extern "C" fn noli_relation(
    context: ContextHandle,
    a: In<'_, PlacedRecord>,
    b: In<'_, PlacedRecord>,
    out: Out<'_, i32>,
) -> ErrorCode {
    let number = |relation| match relation {
        Relation::Separated => 0,
        Relation::Touching => 1,
        Relation::Intersecting => 2,
        Relation::Inside => 3,
        Relation::Unknown => 4,
    };
    border(|| pair(context, [a, b], out, |ask, a, b| number(ask.relation(a, b))))
}

/// Computes the distance of the bodies; beyond `max_distance` no exact answer is needed.
#[unsafe(no_mangle)]
pub extern "C" fn noli_clearance(
    context: ContextHandle,
    a: In<'_, PlacedRecord>,
    b: In<'_, PlacedRecord>,
    max_distance: f64,
    out: Out<'_, ClearanceRecord>,
) -> ErrorCode {
    border(|| {
        let query = ClearanceQuery {
            max_distance: non_negative(max_distance, "max_distance")?,
            ..ClearanceQuery::default()
        };
        pair(context, [a, b], out, |ask, a, b| clearance_record(&ask.clearance(a, b, &query)))
    })
}

pub(crate) fn clearance_record(found: &noli::Clearance) -> ClearanceRecord {
    let [on_a, on_b] = points(found.witness);
    ClearanceRecord {
        at_least: found.distance.at_least,
        at_most: found.distance.at_most,
        on_a,
        on_b,
        has_points: i32::from(found.witness.is_some()),
        guarantee: guarantee(found.guarantee),
    }
}

/// Computes the shortest translation that separates the bodies. `tolerance` is the permitted width of the bracket as a
/// share of its upper end; 0 selects 0.2.
#[unsafe(no_mangle)]
pub extern "C" fn noli_penetration(
    context: ContextHandle,
    a: In<'_, PlacedRecord>,
    b: In<'_, PlacedRecord>,
    tolerance: f64,
    out: Out<'_, PenetrationRecord>,
) -> ErrorCode {
    border(|| {
        let tolerance = non_negative(tolerance, "tolerance")?;
        let query = match tolerance {
            0.0 => PenetrationQuery::FAST,
            tolerance => PenetrationQuery { tolerance, ..PenetrationQuery::THOROUGH },
        };
        pair(context, [a, b], out, |ask, a, b| {
            let found = ask.penetration(a, b, &query);
            PenetrationRecord {
                at_least: found.depth.at_least,
                at_most: found.depth.at_most,
                direction: found.direction.unwrap_or_default().to_array(),
            }
        })
    })
}

fn contact_record(contact: &Contact) -> ContactRecord {
    ContactRecord {
        on_a: contact.on_a.point.to_array(),
        on_b: contact.on_b.point.to_array(),
        normal: contact.normal.to_array(),
        depth_at_least: contact.depth.at_least,
        depth_at_most: contact.depth.at_most,
    }
}

/// Computes the deepest contact of the bodies. `verdict` is a value of `noli_verdict`; `out` is written if they collide.
#[unsafe(no_mangle)]
pub extern "C" fn noli_contact(
    context: ContextHandle,
    a: In<'_, PlacedRecord>,
    b: In<'_, PlacedRecord>,
    verdict: Out<'_, i32>,
    out: Out<'_, ContactRecord>,
) -> ErrorCode {
    border(|| {
        let (verdict, out) = (place(verdict, "verdict")?, place(out, "out")?);
        let [a, b] = Held::both([a, b])?;
        let found = ask(context, |ask| ask.contact(&a.placed(), &b.placed()))?;
        if let Verdict::Hit(contact) = &found {
            out.write(contact_record(contact));
        }
        verdict.write(crate::values::verdict(found.overlap()));
        Ok(())
    })
}

/// Computes up to four contacts that share a normal.
///
/// # Safety
///
/// `list.items` has room for `list.capacity` records.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn noli_manifold(
    context: ContextHandle,
    a: In<'_, PlacedRecord>,
    b: In<'_, PlacedRecord>,
    list: Option<&mut ContactList>,
) -> ErrorCode {
    border(|| {
        let list = changed(list, "list")?;
        // SAFETY: as the caller states.
        let items = unsafe { room(list.items, list.capacity, "items") }?;
        let [a, b] = Held::both([a, b])?;
        let found = ask(context, |ask| ask.manifold(&a.placed(), &b.placed()))?;
        list.verdict = verdict(found.overlap());
        let contacts = found.hit().map_or_else(Vec::new, |manifold| manifold.contacts);
        list.count = fill(items, contacts.iter().map(contact_record));
        Ok(())
    })
}
