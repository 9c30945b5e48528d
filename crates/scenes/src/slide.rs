//! Poses at a wanted distance, for workloads "this far from contact".

use glam::DVec3;
use noli_geom::Pose;

/// Relative error of the distance that is small enough.
const GAP_TOLERANCE: f64 = 1e-12;
/// Calls of the distance function before giving up; a slide takes some tens.
const MAX_CALLS: usize = 300;

/// Slides a body along the line from the origin through its own origin until its distance to the body at
/// the origin is `gap`.
///
/// `distance` takes a pose of the moving body and returns its distance, 0 when overlapping. It may change
/// by at most the length of the slide, as distances do, and should grow outward. A body whose origin is the
/// origin itself slides along x.
///
/// The distance reached is `gap` within a relative error of 1e-12, or as near to it as rounding in
/// `distance` allows. `None` if the body never comes that close while sliding in, or if `distance` is not a
/// distance (NaN, or bounded far out).
pub fn slide_to_distance(pose: Pose, gap: f64, distance: impl Fn(&Pose) -> f64) -> Option<Pose> {
    let direction = pose.translation.try_normalize().unwrap_or(DVec3::X);
    let at = |along: f64| Pose::new(pose.rotation, direction * along);
    let excess = |along: f64| distance(&at(along)) - gap;
    let (near, far) = bracket(pose.translation.length(), gap, &excess)?;
    Some(at(root(near, far, gap * GAP_TOLERANCE, &excess)))
}

/// A place on the line and by how much the distance there exceeds the distance.
#[derive(Clone, Copy)]
struct Sample {
    along: f64,
    excess: f64,
}

/// Returns two positions that bracket the target distance: too near (or exact), too far.
///
/// A step inward by the excess cannot pass the target; a little more, growing, reaches it.
fn bracket(start: f64, distance: f64, excess: &impl Fn(f64) -> f64) -> Option<(Sample, Sample)> {
    let sample = |along| Sample { along, excess: excess(along) };
    let mut here = sample(start);
    let outward = here.excess <= 0.0;
    let mut more = distance;
    for _ in 0..MAX_CALLS {
        let step = here.excess.abs() + more;
        let next = sample(if outward { here.along + step } else { here.along - step });
        match (outward, next.excess <= 0.0) {
            (true, false) => return Some((here, next)),
            (false, true) => return Some((next, here)),
            _ if next.along < 0.0 => return None, // passed the centre without coming close
            _ => here = next,
        }
        more *= 2.0;
    }
    None
}

/// Finds the root by regula falsi (Illinois variant: an end that stays put twice loses half its weight).
/// Every third step is a bisection, because an overlapping body gives no depth.
fn root(near: Sample, far: Sample, tolerance: f64, excess: &impl Fn(f64) -> f64) -> f64 {
    let (mut near, mut far) = (near, far);
    let mut best = if near.excess.abs() < far.excess.abs() { near } else { far };
    let mut came_near = None;
    for call in 0..MAX_CALLS {
        // No distance is known better than the rounding of the place.
        if best.excess.abs() <= tolerance + f64::EPSILON * best.along {
            break;
        }
        let share = if call % 3 == 2 { 0.5 } else { near.excess / (near.excess - far.excess) };
        let along = near.along + (far.along - near.along) * share;
        let sample = Sample { along, excess: excess(along) };
        if sample.excess.abs() < best.excess.abs() {
            best = sample;
        }
        let is_near = sample.excess <= 0.0;
        let (replaced, kept) = if is_near { (&mut near, &mut far) } else { (&mut far, &mut near) };
        *replaced = sample;
        if came_near.replace(is_near) == Some(is_near) {
            kept.excess *= 0.5;
        }
    }
    best.along
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Two unit spheres, the second one off its own centre.
    fn spheres(scale: f64) -> impl Fn(&Pose) -> f64 {
        let off_centre = DVec3::new(0.1, -0.2, 0.05) * scale;
        move |pose| (pose.transform_point(off_centre).length() - 2.0 * scale).max(0.0)
    }

    #[test]
    fn reaches_the_distance_from_both_sides_at_every_scale() {
        for scale in [1.0, 1e-6, 1e6] {
            for start in [0.3, 1.9, 2.1, 5.0] {
                for gap in [0.1, 1e-2, 1e-4, 1e-8].map(|gap| gap * scale) {
                    let pose = Pose::from_translation(DVec3::new(start, 0.4, -0.6) * scale);
                    let calls = Cell::new(0);
                    let distance = |pose: &Pose| {
                        calls.set(calls.get() + 1);
                        spheres(scale)(pose)
                    };
                    let slid = slide_to_distance(pose, gap, distance).unwrap();
                    let error = (spheres(scale)(&slid) - gap).abs();
                    assert!(error <= 1e-12 * gap + 1e-15 * scale, "distance {gap}: off by {error}");
                    assert!(slid.translation.cross(pose.translation).length() < 1e-14 * scale * scale);
                    assert!(calls.get() < 100, "{} calls", calls.get());
                }
            }
        }
    }

    #[test]
    fn a_body_that_never_comes_close_has_no_such_pose() {
        let shell = |pose: &Pose| (pose.translation.length() - 2.0).abs() + 0.5;
        assert!(slide_to_distance(Pose::from_translation(DVec3::X * 4.0), 0.1, shell).is_none());
        assert!(slide_to_distance(Pose::IDENTITY, 0.1, |_| f64::NAN).is_none());
        assert!(slide_to_distance(Pose::IDENTITY, 0.1, |_| 0.0).is_none());
    }

    #[test]
    fn a_body_at_the_centre_slides_along_x() {
        let slid = slide_to_distance(Pose::IDENTITY, 0.5, |pose| (pose.translation.length() - 2.0).max(0.0));
        assert!(slid.unwrap().translation.abs_diff_eq(DVec3::X * 2.5, 1e-12));
    }
}
