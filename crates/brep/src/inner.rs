//! Spheres inside a solid: two that share a point prove an intersection of their solids (inner sphere cover,
//! Weller and Zachmann 2009).
//!
//! Differs from the paper: a few spheres, centred halfway to the opposite face, without a hierarchy. Each has a proven
//! distance from the surface and a centre located inside.

use crate::body::Brep;
use crate::locate::Location;
use crate::patch::Patch;
use noli_geom::Sphere;

/// How many spheres are sought inside a solid.
#[derive(Clone, Copy)]
pub(crate) enum Inner {
    /// Enough to find most intersections.
    Few,
    /// Enough to know their depth, at ten times the cost.
    Many,
}

impl Inner {
    /// Most patches that a sphere is sought under.
    const fn candidates(self) -> usize {
        match self {
            Self::Few => 8,
            Self::Many => 96,
        }
    }
}

/// Most spheres.
const MAX_SPHERES: usize = 32;
/// Centres nearer than this share of the radius to that of a larger sphere are left out.
const SPACING: f64 = 0.4;
/// Steps of a ray and of a distance.
const STEPS: usize = 400;

impl Brep {
    /// Spheres inside the solid, largest first; computed once for each number, and none for a body that is no solid. If many
    /// are known, these are returned for few.
    pub(crate) fn inner_spheres(&self, inner: Inner) -> &[Sphere] {
        let [few, many] = &self.inner;
        let kept = match inner {
            Inner::Few if many.get().is_none() => few,
            Inner::Few | Inner::Many => many,
        };
        kept.get_or_init(|| {
            if !self.is_solid {
                return Vec::new();
            }
            let every = self.patches.len().div_ceil(inner.candidates()).max(1);
            let found = self.patches.iter().step_by(every).filter_map(|patch| self.sphere_under(patch));
            let mut found: Vec<Sphere> = found.collect();
            found.sort_by(|x, y| y.radius.total_cmp(&x.radius));
            let mut kept: Vec<Sphere> = Vec::new();
            for sphere in found {
                let is_near = |other: &Sphere| other.center.distance(sphere.center) < SPACING * other.radius;
                if kept.len() < MAX_SPHERES && !kept.iter().any(is_near) {
                    kept.push(sphere);
                }
            }
            kept
        })
    }

    /// A sphere between a patch and the face behind it.
    fn sphere_under(&self, patch: &Patch) -> Option<Sphere> {
        let face = &self.faces[patch.face as usize];
        let size = self.size();
        let at = patch.middle();
        let inward = face.surface.normal(at).try_normalize()? * if face.same_sense { -1.0 } else { 1.0 };
        let point = face.surface.point(at);
        // The ray starts at the length below which a part has no wall, off its own patch.
        let start = 1e-4 * size;
        let hit = self.ray_cast(point + inward * start, inward, 1e-3 * size, STEPS)?;
        let center = point + inward * (0.5 * (start + hit.distance.at_least));
        let found = self.surface_bracket(center, STEPS, |b| b.at_least >= 0.9 * b.at_most);
        let radius = found.at_least - self.rounding - self.gap;
        let is_inside = radius > start && self.locate(center) == Location::Inside;
        is_inside.then_some(Sphere { center, radius })
    }
}
