//! Placement of one body in another's frame in double-double numbers: good to a last bit of `f64` unless
//! coordinates cancel by more than half their bits.

use super::{RelativePose, near_unit};
use crate::number::double_double::{DoubleDouble, split};
use crate::number::real::Real;
use crate::number::ring;
use glam::{DQuat, DVec3};

/// `a_from_b` with entries of about 100 bits.
#[derive(Debug)]
pub(crate) struct FinePose {
    columns: [FineVector; 3],
    translation: FineVector,
}

/// `hi + lo`, and `hi` in two halves whose products with other halves are exact.
#[derive(Debug)]
struct FineVector {
    hi: DVec3,
    lo: DVec3,
    halves: (DVec3, DVec3),
}

impl FineVector {
    fn new(v: [DoubleDouble; 3]) -> Self {
        let (hi, lo) = (DVec3::from_array(v.map(|c| c.hi)), DVec3::from_array(v.map(|c| c.lo)));
        let high = DVec3::from_array(hi.to_array().map(|c| split(c).0));
        Self { hi, lo, halves: (high, hi - high) }
    }
}

impl FinePose {
    /// By the formulas of [`RelativePose::new`] with roundoff `2^-103` in place of `u`: entries of the
    /// matrix err by at most `40·2^-103 < 2^-97`, the translation by `24·2^-103` of `|tb − ta|₁`, which is
    /// at most 3 times its own largest coordinate: `2^-96`.
    pub(crate) fn new(pose: &RelativePose) -> Self {
        let [qa, qb] = [pose.world_from_a.rotation, pose.world_from_b.rotation].map(quaternion);
        let of_a = rotation(qa);
        let columns = if pose.rotation_error == 0.0 {
            rotation([0.0, 0.0, 0.0, 1.0].map(DoubleDouble::from))
        } else {
            rotation(ring::conjugate_product(&qa, &qb))
        };
        let (ta, tb) = (pose.world_from_a.translation, pose.world_from_b.translation);
        let offset = DoubleDouble::offset(tb, ta);
        Self {
            columns: columns.map(FineVector::new),
            translation: FineVector::new(of_a.map(|column| ring::dot(&column, &offset))),
        }
    }

    /// B's points in A's frame, and a bound on the error of each coordinate; `None` if products could
    /// underflow.
    pub(crate) fn place(&self, points: &[DVec3; 3]) -> Option<([[DoubleDouble; 3]; 3], f64)> {
        let reach = points.iter().fold(0.0, |m: f64, p| m.max(p.abs().max_element()));
        let largest = reach.max(self.translation.hi.abs().max_element());
        if largest < 2.0f64.powi(-700) {
            return None;
        }
        let [p, q, r] = *points;
        let placed = [self.place_point(p), self.place_point(q), self.place_point(r)];
        Some((placed, largest * 2.0f64.powi(-94)))
    }

    /// The compensated dot product of Ogita, Rump & Oishi 2005: leading products and sums are kept
    /// with their errors, which are summed plainly. For four terms of at most `M` that errs by
    /// `γ₄²·4M < 2^-99·M`; matrix and translation add `(3·2^-97 + 2^-96)·M`. We state `2^-94·M`.
    fn place_point(&self, point: DVec3) -> [DoubleDouble; 3] {
        let (mut sum, mut rest) = (self.translation.hi, self.translation.lo);
        for (column, y) in self.columns.iter().zip(point.to_array()) {
            let (y_high, y_low) = split(y);
            let (high, low) = column.halves;
            let product = column.hi * y;
            let lost = ((high * y_high - product) + high * y_low + low * y_high) + low * y_low;
            let next = sum + product;
            let part = next - sum;
            rest += ((sum - (next - part)) + (product - part)) + (lost + column.lo * y);
            sum = next;
        }
        let hi = sum + rest;
        let rest_part = hi - sum;
        let lo = (sum - (hi - rest_part)) + (rest - rest_part);
        [(hi.x, lo.x), (hi.y, lo.y), (hi.z, lo.z)].map(|(hi, lo)| DoubleDouble { hi, lo })
    }
}

fn quaternion(q: DQuat) -> [DoubleDouble; 4] {
    near_unit(q).to_array().map(DoubleDouble::from)
}

/// The columns of `R(q)`.
fn rotation(q: [DoubleDouble; 4]) -> [[DoubleDouble; 3]; 3] {
    let (norm_sq, columns) = ring::rotation(&q);
    ring::scaled_rotation(&DoubleDouble::from(1.0), &(DoubleDouble::from(2.0) / norm_sq), &columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pose::ExactPose;
    use crate::{Pose, UNIT_ROUNDOFF};
    use proptest::prelude::*;

    fn vector(reach: f64) -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-reach..reach).prop_map(DVec3::from_array)
    }

    fn pose() -> impl Strategy<Value = Pose> {
        let rotation = prop::array::uniform4(-1.0..1.0f64).prop_map(DQuat::from_array);
        let valid = rotation.prop_filter("far from zero", |q| q.length_squared() > 1e-3);
        (valid, vector(3.0)).prop_map(|(q, t)| Pose::new(q, t))
    }

    proptest! {
        /// Both stated error bounds, the fine pose's and the rounded one's, against exact integers.
        #[test]
        fn bounds_hold(a in pose(), b in pose(), p in vector(1.0)) {
            let relative = RelativePose::new(&a, &b);
            let exact = ExactPose::new(&relative);
            let truth = exact.place_finely(p);
            let (placed, error) = FinePose::new(&relative).place(&[p; 3]).unwrap();
            let rounded = relative.transform_point(p);
            let bound = relative.point_error(p.abs().max_element());
            for k in 0..3 {
                prop_assert!((placed[0][k] - truth[k]).hi.abs() <= error);
                let off = DoubleDouble::from(rounded[k]) - truth[k];
                prop_assert!(off.hi.abs() <= bound);
                prop_assert!(bound < 600.0 * UNIT_ROUNDOFF * (1.0 + relative.translation.length()));
            }
        }
    }
}
