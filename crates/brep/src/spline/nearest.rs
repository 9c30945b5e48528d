//! Nearest points of spline surfaces.

use super::surface::SplineSurface;
use glam::{DVec2, DVec3};

/// Starts of a search over a whole surface that are followed to the end.
const STARTS: usize = 4;

/// The parameters of the point of a surface nearest to a point: Gauss–Newton from a start, or from the nearest of many.
pub(crate) fn nearest_parameters(spline: &SplineSurface, point: DVec3, near: Option<DVec2>) -> DVec2 {
    let [low, high] = spline.search_domain();
    if let Some(uv) = near {
        return descend(spline, point, uv.clamp(low, high)).1;
    }
    let mut starts: Vec<(f64, DVec2)> =
        spline.starts().map(|uv| ((spline.evaluate(uv)[0] - point).length_squared(), uv)).collect();
    let count = STARTS.min(starts.len());
    starts.select_nth_unstable_by(count - 1, |a, b| a.0.total_cmp(&b.0));
    let found = starts[..count].iter().map(|&(_, uv)| descend(spline, point, uv));
    found.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(low, |best| best.1)
}

/// The end of a search from a start, with the square of its distance.
fn descend(spline: &SplineSurface, point: DVec3, start: DVec2) -> (f64, DVec2) {
    let [low, high] = spline.search_domain();
    let size = |uv: DVec2| (spline.evaluate(uv)[0] - point).length_squared();
    let mut best = (size(start), start);
    let mut step = 1.0;
    for _ in 0..60 {
        let [p, su, sv] = spline.evaluate(best.1);
        let r = p - point;
        let (a, b, c) = (su.dot(su), su.dot(sv), sv.dot(sv));
        let (x, y) = (r.dot(su), r.dot(sv));
        let determinant = a * c - b * b;
        let mut change = DVec2::new(c * x - b * y, a * y - b * x) / determinant;
        // Along the boundary of the domain, or where the derivatives are parallel, one parameter at a time.
        if !change.is_finite() || determinant <= 1e-12 * a * c {
            change = DVec2::new(if a > 0.0 { x / a } else { 0.0 }, if c > 0.0 { y / c } else { 0.0 });
        }
        let held = |at: f64, low: f64, high: f64, change: f64| {
            (at <= low && change > 0.0) || (at >= high && change < 0.0)
        };
        if held(best.1.x, low.x, high.x, change.x) {
            change = DVec2::new(0.0, if c > 0.0 { y / c } else { 0.0 });
        } else if held(best.1.y, low.y, high.y, change.y) {
            change = DVec2::new(if a > 0.0 { x / a } else { 0.0 }, 0.0);
        }
        let uv = (best.1 - change * step).clamp(low, high);
        let found = size(uv);
        if found < best.0 {
            best = (found, uv);
            step = (2.0 * step).min(1.0);
        } else {
            step *= 0.25;
            if step < 1e-4 {
                break;
            }
        }
    }
    best
}
