//! Planes in doubles: most hold with so much to spare that rounding cannot matter. The rest are computed exactly.

use crate::dyadic::Dyadic;
use crate::kinematics::Placed;
use crate::shape::{Mesh, Part, Shape};

/// More than all roundings of a support, relative to the sum of the magnitudes of its terms: some fifty, of 2^-52 each.
const SLACK: f64 = 1.0 / (1u64 << 44) as f64;
/// More than the rounding of a bound that is turned into a double, or of a few products of such.
const UP: f64 = 1.0 + 1.0 / (1u64 << 40) as f64;

/// A placed body in doubles.
pub(crate) struct NearlyPlaced<'p> {
    mesh: Option<&'p Mesh>,
    rotation: [[f64; 3]; 3],
    translation: [f64; 3],
}

impl<'p> NearlyPlaced<'p> {
    pub(crate) fn new(placed: &'p Placed<'_>) -> Self {
        let over = placed.over.to_double_down();
        let quotient = |x: &Dyadic| x.to_double_down() / over;
        Self {
            mesh: if let Shape::Mesh(mesh) = placed.shape { Some(mesh) } else { None },
            rotation: placed.rotation.each_ref().map(|row| row.each_ref().map(quotient)),
            translation: placed.translation.each_ref().map(quotient),
        }
    }

    /// Returns `true` if the plane certainly separates by more than the room, and by so much that the smallest
    /// clearance stays what it is.
    pub(crate) fn separates(
        &self,
        other: &Self,
        [a, b]: [Part; 2],
        n: [i64; 3],
        [room, slack]: [&Dyadic; 2],
        least: f64,
    ) -> bool {
        let n = n.map(|x| x as f64);
        let (Some((top_a, error_a)), Some((top_b, error_b))) =
            (self.support(a, n), other.support(b, n.map(|x| -x)))
        else {
            return false;
        };
        let margin = -top_b - top_a - (error_a + error_b);
        let length = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt() * UP;
        let up = |bound: &Dyadic| bound.to_double_down() * UP;
        // Sums of magnitudes far from the ends of the range: no product was lost, none is infinite.
        let usual = 1e-250 < error_a && 1e-250 < error_b && margin < 1e250;
        usual && margin > 0.0 && margin > up(room) * length && margin > (least + up(slack)) * UP * length
    }

    /// A support of a node of a mesh, and a bound on its error.
    fn support(&self, node: Part, n: [f64; 3]) -> Option<(f64, f64)> {
        let mesh = self.mesh?;
        let m = &self.rotation;
        let w: [f64; 3] = std::array::from_fn(|j| m[0][j] * n[0] + m[1][j] * n[1] + m[2][j] * n[2]);
        let along = |v: &[f64; 3]| w[0] * v[0] + w[1] * v[1] + w[2] * v[2];
        let size = |v: &[f64; 3]| v[0].abs() + v[1].abs() + v[2].abs();
        let (reach, extent) = match node {
            Part::Whole => return None,
            Part::Cover(index) => {
                let [c, u1, u2, u3] = &mesh.cover.as_ref()?.nodes[index].cell.rounded;
                let reach = along(c) + along(u1).abs() + along(u2).abs() + along(u3).abs();
                (reach, size(c) + size(u1) + size(u2) + size(u3))
            }
            Part::Face(face) => {
                let points = mesh.faces[face].map(|vertex| &mesh.points[vertex]);
                let [a, b, c] = points.map(along);
                let [p, q, r] = points.map(size);
                (a.max(b).max(c), p.max(q).max(r))
            }
        };
        let t = &self.translation;
        let top = n[0] * t[0] + n[1] * t[1] + n[2] * t[2] + reach;
        // Entries of a rotation are at most 1 in magnitude, so those of w at most the sum of those of n.
        let error = SLACK * 2.0 * size(&n) * (size(t) + extent);
        top.is_finite().then_some((top, error))
    }
}
