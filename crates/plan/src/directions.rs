//! Directions of straight pulls.

use glam::DVec3;

/// Directions all over: along the axes first, then between them, then so many more on a spiral over the sphere.
pub(crate) fn directions(more: u32) -> Vec<DVec3> {
    let mut all = Vec::new();
    for squares in 1..=3 {
        for x in [-1, 0, 1] {
            for y in [-1, 0, 1] {
                for z in [-1, 0, 1_i32] {
                    if i32::abs(x) + i32::abs(y) + z.abs() == squares {
                        all.push(DVec3::new(x.into(), y.into(), z.into()).normalize());
                    }
                }
            }
        }
    }
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    all.extend((0..more).map(|k| {
        let z = 1.0 - (2.0 * f64::from(k) + 1.0) / f64::from(more);
        let (r, phi) = ((1.0 - z * z).sqrt(), golden * f64::from(k));
        DVec3::new(r * phi.cos(), r * phi.sin(), z)
    }));
    all
}
