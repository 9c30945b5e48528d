//! Lenses: the parts between a curved side of a planar face and its chord.
//!
//! Where a side bends into the face, as that of a hole does, its lens is no part of the face. Triangles cover it all the same:
//! that of the side, by whose deviation it is bounded, and others that it reaches into.

use glam::DVec3;

/// The part between a side of a planar face and its chord.
#[derive(Clone, Debug)]
pub(crate) struct Lens {
    pub(crate) chord: [DVec3; 2],
    /// No point of the side is further from its chord.
    pub(crate) sagitta: f64,
    /// Centre and radius of a side that is an arc.
    pub(crate) arc: Option<(DVec3, f64)>,
}

impl Lens {
    /// Bound on the distance from the side of a point in the lens; 0 elsewhere.
    pub(crate) fn depth(&self, point: DVec3, slack: f64) -> f64 {
        let [a, b] = self.chord;
        let along = b - a;
        let share = ((point - a).dot(along) / along.length_squared()).clamp(0.0, 1.0);
        if point.distance(a + along * share) > self.sagitta + slack {
            return 0.0;
        }
        match self.arc {
            Some((center, radius)) => {
                (radius - point.distance(center) + slack).clamp(0.0, self.sagitta + slack)
            }
            None => self.sagitta + slack,
        }
    }
}
