//! Contact manifold of two convex cores: the features that face each other, clipped against each other's sides
//! (as physics engines do after Baraff).
//!
//! Approximate by nature: an angle threshold selects the facing features. The depth of every contact is
//! measured along the one normal.

use glam::{DVec3, dvec3};
use noli_geom::Core;

/// Vertices of round caps.
const CAP: usize = 8;

/// Features within this sine of facing a direction count as facing it.
const FACING: f64 = 0.02;

/// The vertices of the feature of a core that faces a direction (of unit length): a polygon in order, a segment or a point.
pub(crate) fn features(core: &Core, d: DVec3, out: &mut Vec<DVec3>) {
    out.clear();
    match core {
        Core::Segment { half_length } if d.z.abs() < FACING => {
            out.extend([DVec3::Z, DVec3::NEG_Z].map(|z| z * *half_length))
        }
        Core::Box { half_extents } => face_of_box(*half_extents, d, out),
        Core::Cylinder { half_height, radius } if d.z.abs() > 0.7 => {
            cap(*radius, half_height.copysign(d.z), out)
        }
        Core::Cylinder { half_height, radius } if d.z.abs() < FACING => {
            let rim = dvec3(d.x, d.y, 0.0).normalize_or_zero() * *radius;
            out.extend([rim.with_z(*half_height), rim.with_z(-half_height)]);
        }
        Core::Cone { half_height, radius } => face_of_cone(*half_height, *radius, d, out),
        Core::Hull(hull) if hull.dimension() >= 2 => {
            let facing = |f: &usize| hull.normal(*f).dot(d);
            let best = (0..hull.faces().len()).max_by(|f, g| facing(f).total_cmp(&facing(g))).unwrap_or(0);
            out.extend(hull.faces()[best].iter().map(|&v| hull.vertices()[v as usize]));
        }
        Core::Hull(hull) => out.extend(hull.vertices()),
        _ => out.push(core.support_point(d)),
    }
}

fn face_of_box(half: DVec3, d: DVec3, out: &mut Vec<DVec3>) {
    let axis = d.abs().to_array().iter().enumerate().max_by(|x, y| x.1.total_cmp(y.1)).map_or(0, |(k, _)| k);
    let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
    let turn = d[axis].signum();
    for (x, y) in [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)] {
        let mut vertex = half;
        vertex[axis] *= turn;
        vertex[i] *= x;
        vertex[j] *= y * turn;
        out.push(vertex);
    }
}

fn cap(radius: f64, z: f64, out: &mut Vec<DVec3>) {
    let turn = if z < 0.0 { -1.0 } else { 1.0 };
    out.extend((0..CAP).map(|k| {
        let angle = turn * std::f64::consts::TAU * k as f64 / CAP as f64;
        dvec3(radius * angle.cos(), radius * angle.sin(), z)
    }));
}

fn face_of_cone(half_height: f64, radius: f64, d: DVec3, out: &mut Vec<DVec3>) {
    let flat = d.x.hypot(d.y);
    // The side's normal rises by radius over height.
    let slope = (2.0 * half_height).hypot(radius);
    let off_side = (flat * radius - d.z * 2.0 * half_height).abs();
    let tip = DVec3::Z * half_height;
    if d.z < -0.7 {
        cap(radius, -half_height, out);
    } else if off_side < FACING * slope && flat > 0.0 {
        out.extend([tip, dvec3(d.x / flat * radius, d.y / flat * radius, -half_height)]);
    } else {
        out.push(Core::Cone { half_height, radius }.support_point(d));
    }
}

/// The part of a polygon, segment or point that lies above or below a reference polygon, seen along its normal.
pub(crate) fn clip(subject: &[DVec3], reference: &[DVec3], normal: DVec3) -> Vec<DVec3> {
    let mut kept = subject.to_vec();
    for (k, &vertex) in reference.iter().enumerate() {
        let edge = reference[(k + 1) % reference.len()] - vertex;
        // A segment has no sides but its ends.
        let side = if reference.len() > 2 { edge.cross(normal) } else { -edge };
        let inside = |p: DVec3| side.dot(p - vertex) <= 0.0;
        let before = std::mem::take(&mut kept);
        let edges = if before.len() > 2 { before.len() } else { before.len().saturating_sub(1) };
        for (i, &p) in before.iter().enumerate() {
            if inside(p) {
                kept.push(p);
            }
            let q = before[(i + 1) % before.len()];
            if i < edges && inside(p) != inside(q) {
                let (x, y) = (side.dot(p - vertex), side.dot(q - vertex));
                kept.push(p + (q - p) * (x / (x - y)));
            }
        }
    }
    kept
}

/// At most four of some points that span about as much: the deepest, the furthest from it, and the furthest to
/// either side of the line between.
pub(crate) fn four_of(points: &mut Vec<(DVec3, f64)>, normal: DVec3) {
    if points.len() <= 4 {
        return;
    }
    let deepest = points.iter().copied().max_by(|p, q| p.1.total_cmp(&q.1));
    let Some(first) = deepest else { return };
    let far = |p: &&(DVec3, f64), q: &&(DVec3, f64)| {
        p.0.distance_squared(first.0).total_cmp(&q.0.distance_squared(first.0))
    };
    let Some(&second) = points.iter().max_by(far) else { return };
    let across = normal.cross(second.0 - first.0);
    let by_side = |p: &&(DVec3, f64), q: &&(DVec3, f64)| across.dot(p.0).total_cmp(&across.dot(q.0));
    let (left, right) = (points.iter().max_by(by_side).copied(), points.iter().min_by(by_side).copied());
    let mut four = vec![first, second];
    for point in [left, right].into_iter().flatten() {
        if four.iter().all(|p| p.0 != point.0) {
            four.push(point);
        }
    }
    *points = four;
}
