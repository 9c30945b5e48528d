//! Nearest points of spline surfaces.

use super::surface::SplineSurface;
use glam::{DVec2, DVec3};

/// The parameters of the point of a surface nearest to a point: Gauss–Newton from the nearest start.
pub(crate) fn nearest_parameters(spline: &SplineSurface, point: DVec3, near: Option<DVec2>) -> DVec2 {
    let [low, high] = spline.search_domain();
    let size = |uv: DVec2| (spline.evaluate(uv)[0] - point).length_squared();
    let start = match near {
        Some(uv) => uv.clamp(low, high),
        None => {
            let best = spline.starts().map(|uv| (size(uv), uv));
            best.fold((f64::INFINITY, low), |a, b| if b.0 < a.0 { b } else { a }).1
        }
    };
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
    best.1
}
