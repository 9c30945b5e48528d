//! How far triangles with their vertices on a surface are from it.
//!
//! Linear interpolation over a triangle of parameters errs by at most `(|S_uu| Δu² + 2 |S_uv| Δu Δv + |S_vv| Δv²) / 8`
//! (Filip, Magedson & Markot 1986). Where a curve turns about an axis, the mixed term is a slide along the surface: the
//! distance of a point `Σ λ ρ` of the triangle from the axis is at most `Σ λ ρ` and at least that times the cosine of
//! `Δu / 2`, so that the triangle is within `ρ Δu² / 8` of the chord of the generating curve. The nearest points of the
//! triangles of a face to its surface cover the face up to its boundary, because they do so with their boundary (degree of
//! a map): the bound holds in both directions.

use crate::surface::Surface;
use glam::DVec2;

impl Surface {
    /// A bound on the distance of a triangle whose parameters have this extent, in a box, from the surface.
    pub(crate) fn bow(&self, extent: DVec2, [low, high]: [DVec2; 2]) -> f64 {
        let slopes = self.slopes(low, high);
        let is_turned = matches!(
            self,
            Self::Cylinder { .. } | Self::Cone { .. } | Self::Sphere { .. } | Self::Torus { .. }
        );
        let mixed = if is_turned { 0.0 } else { 2.0 * slopes.uv * extent.x * extent.y };
        (slopes.uu * extent.x * extent.x + mixed + slopes.vv * extent.y * extent.y) / 8.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Frame;
    use noli_testing::Random;

    #[test]
    fn triangles_are_within_the_bound() {
        let frame = Frame::WORLD;
        let surfaces = [
            Surface::Cylinder { frame, radius: 2.0 },
            Surface::Cone { frame, radius: 2.0, half_angle: 0.6 },
            Surface::Sphere { frame, radius: 2.0 },
            Surface::Torus { frame, major: 3.0, minor: 1.0 },
        ];
        let mut random = Random::new(41);
        for surface in &surfaces {
            for _ in 0..2000 {
                let width = random.between(0.01, 1.2);
                let origin = DVec2::new(random.between(-3.0, 3.0), random.between(-1.5, 1.5));
                let mut corner = || {
                    let uv = origin + DVec2::new(random.between(0.0, width), random.between(0.0, width));
                    DVec2::new(uv.x, uv.y.clamp(-1.5, 1.5))
                };
                let uv: [DVec2; 3] = std::array::from_fn(|_| corner());
                let (low, high) = (uv[0].min(uv[1]).min(uv[2]), uv[0].max(uv[1]).max(uv[2]));
                let bound = surface.bow(high - low, [low, high]);
                let [a, b, c] = uv.map(|uv| surface.point(uv));
                for (s, t) in [(0.33, 0.33), (0.5, 0.0), (0.5, 0.5), (0.0, 0.5), (0.1, 0.2)] {
                    let off = surface.side(a + (b - a) * s + (c - a) * t).unwrap().abs();
                    assert!(off <= bound + 1e-12, "{:?}: {off} above {bound}", surface.kind());
                }
            }
        }
    }
}
