//! Common representations of rotations and conversions between them, safe at no turn and at half a turn.
//!
//! Exponential and logarithm after the appendix of Eckstein's thesis (1998) with its quotients replaced by
//! `atan2`; matrix to quaternion after Shepperd (1978).

use crate::pose::near_unit;
use glam::{DMat3, DQuat, DVec3};

/// The rotation about `turn` by an angle of its length.
pub fn exp(turn: DVec3) -> DQuat {
    let angle = turn.length();
    // The factor's series: at this angle its next term is below one rounding.
    let factor = if angle < 1e-4 { 0.5 - angle * angle / 48.0 } else { (0.5 * angle).sin() / angle };
    let v = turn * factor;
    DQuat::from_xyzw(v.x, v.y, v.z, (0.5 * angle).cos())
}

/// The shortest turn that is this rotation: along its axis, at most π long.
pub fn log(rotation: DQuat) -> DVec3 {
    let q = near_unit(rotation);
    let q = if q.w < 0.0 { -q } else { q };
    let v = DVec3::new(q.x, q.y, q.z);
    let sin = v.length();
    if sin == 0.0 {
        return DVec3::ZERO;
    }
    v * (2.0 * sin.atan2(q.w) / sin)
}

/// Axis of unit length and angle in [0, π]. A rotation by nothing has any axis.
pub fn to_axis_angle(rotation: DQuat) -> (DVec3, f64) {
    let turn = log(rotation);
    (turn.try_normalize().unwrap_or(DVec3::Z), turn.length())
}

/// Rotation by an angle about an axis of any length but 0.
pub fn from_axis_angle(axis: DVec3, angle: f64) -> DQuat {
    exp(axis.try_normalize().unwrap_or(DVec3::Z) * angle)
}

/// The quaternion of a rotation matrix, from its largest component.
pub fn from_matrix(m: &DMat3) -> DQuat {
    let (x, y, z) = (m.x_axis, m.y_axis, m.z_axis);
    let trace = x.x + y.y + z.z;
    // Four times the square of each component.
    let squares = [1.0 + 2.0 * x.x - trace, 1.0 + 2.0 * y.y - trace, 1.0 + 2.0 * z.z - trace, 1.0 + trace];
    let largest = (0..4).fold(0, |k, i| if squares[i] > squares[k] { i } else { k });
    let root = squares[largest].sqrt();
    let (lead, rest) = (0.5 * root, 0.5 / root);
    match largest {
        0 => DQuat::from_xyzw(lead, (x.y + y.x) * rest, (z.x + x.z) * rest, (y.z - z.y) * rest),
        1 => DQuat::from_xyzw((x.y + y.x) * rest, lead, (y.z + z.y) * rest, (z.x - x.z) * rest),
        2 => DQuat::from_xyzw((z.x + x.z) * rest, (y.z + z.y) * rest, lead, (x.y - y.x) * rest),
        _ => DQuat::from_xyzw((y.z - z.y) * rest, (z.x - x.z) * rest, (x.y - y.x) * rest, lead),
    }
}

/// The quaternion of a matrix that is a rotation: no entry of MᵀM − 1 exceeds `tolerance`, and it does not mirror.
/// `None` for any other. Not normalised: without roots, so that turns by right angles are exact.
pub fn of_matrix(m: &DMat3, tolerance: f64) -> Option<DQuat> {
    let deviation = m.transpose() * *m - DMat3::IDENTITY;
    // Not `largest > tolerance`: numbers that are none must not pass.
    let close = deviation.to_cols_array().iter().all(|entry| entry.abs() <= tolerance);
    if !close || m.determinant() < 0.0 {
        return None;
    }
    let e = |row: usize, column: usize| m.col(column)[row];
    let [x, y, z] = [e(2, 1) - e(1, 2), e(0, 2) - e(2, 0), e(1, 0) - e(0, 1)];
    let [xy, xz, yz] = [e(0, 1) + e(1, 0), e(0, 2) + e(2, 0), e(1, 2) + e(2, 1)];
    let [a, b, c] = [e(0, 0), e(1, 1), e(2, 2)];
    // Each is the quaternion times four times one of its components: take the largest.
    let candidates = [
        DQuat::from_xyzw(x, y, z, 1.0 + a + b + c),
        DQuat::from_xyzw(1.0 + a - b - c, xy, xz, x),
        DQuat::from_xyzw(xy, 1.0 - a + b - c, yz, y),
        DQuat::from_xyzw(xz, yz, 1.0 - a - b + c, z),
    ];
    candidates.into_iter().max_by(|p, q| p.length_squared().total_cmp(&q.length_squared()))
}

/// Rotation about the fixed axes x, then y, then z, by these angles (roll, pitch, yaw).
pub fn from_fixed_angles(angles: DVec3) -> DQuat {
    let [x, y, z] = [(DVec3::X, angles.x), (DVec3::Y, angles.y), (DVec3::Z, angles.z)]
        .map(|(axis, angle)| exp(axis * angle));
    z * y * x
}

/// The angles of [`from_fixed_angles`], the second in [-π/2, π/2]. Where the first and third turn about one
/// axis (the second is ±π/2), the third is 0.
pub fn to_fixed_angles(rotation: DQuat) -> DVec3 {
    let m = crate::Pose::from_rotation(rotation).rotation_matrix();
    let (x, y, z) = (m.x_axis, m.y_axis, m.z_axis);
    let cos_pitch = x.x.hypot(x.y);
    let pitch = (-x.z).atan2(cos_pitch);
    if cos_pitch < 1e-12 {
        return DVec3::new(pitch.signum() * y.x.atan2(y.y), pitch, 0.0);
    }
    DVec3::new(y.z.atan2(z.z), pitch, x.y.atan2(x.x))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pose;
    use std::f64::consts::{FRAC_PI_2, PI};

    #[test]
    fn matrices_are_taken_only_if_they_are_rotations() {
        for q in some_rotations() {
            let back = of_matrix(&matrix(q), 1e-9).map(matrix);
            assert!(back.is_some_and(|back| back.abs_diff_eq(matrix(q), 1e-12)), "{q}");
        }
        let right_angle = DMat3::from_cols(DVec3::Y, -DVec3::X, DVec3::Z);
        assert_eq!(of_matrix(&right_angle, 0.0).map(matrix), Some(right_angle));
        for wrong in [DVec3::new(1.0, 1.0, -1.0), DVec3::splat(2.0), DVec3::NAN] {
            assert_eq!(of_matrix(&DMat3::from_diagonal(wrong), 1e-6), None);
        }
    }

    fn matrix(q: DQuat) -> DMat3 {
        Pose::from_rotation(q).rotation_matrix()
    }

    fn some_rotations() -> Vec<DQuat> {
        let mut all = vec![DQuat::IDENTITY, DQuat::from_xyzw(0.0, 0.0, 0.0, -2.0)];
        let axes =
            [DVec3::X, DVec3::Y, DVec3::Z, -DVec3::Z, DVec3::new(1.0, 2.0, 3.0), DVec3::new(-1.0, 1e-9, 0.0)];
        for axis in axes {
            for angle in
                [1e-300, 1e-12, 1e-5, 0.9e-4, 1.1e-4, 0.5, 1.0, FRAC_PI_2, 3.0, PI - 1e-9, PI, 4.0, 6.2]
            {
                all.push(from_axis_angle(axis, angle));
            }
        }
        all
    }

    #[test]
    fn every_form_comes_back() {
        for q in some_rotations() {
            let turn = log(q);
            assert!(turn.length() <= PI * (1.0 + 1e-15));
            assert!(matrix(exp(turn)).abs_diff_eq(matrix(q), 1e-12), "{q}");
            assert!(matrix(from_matrix(&matrix(q))).abs_diff_eq(matrix(q), 1e-12), "{q}");
            let (axis, angle) = to_axis_angle(q);
            assert!(matrix(from_axis_angle(axis, angle)).abs_diff_eq(matrix(q), 1e-12), "{q}");
            assert!(matrix(from_fixed_angles(to_fixed_angles(q))).abs_diff_eq(matrix(q), 1e-11), "{q}");
        }
    }

    #[test]
    fn fixed_angles_survive_gimbal_lock() {
        for pitch in [FRAC_PI_2, -FRAC_PI_2] {
            for (roll, yaw) in [(0.0, 0.0), (0.4, 0.0), (0.0, -1.1), (2.0, 1.0)] {
                let q = from_fixed_angles(DVec3::new(roll, pitch, yaw));
                let again = from_fixed_angles(to_fixed_angles(q));
                assert!(matrix(again).abs_diff_eq(matrix(q), 1e-11));
            }
        }
    }

    #[test]
    fn a_quarter_about_x_after_one_about_y_is_a_third_about_the_diagonal() {
        let both = from_axis_angle(DVec3::X, FRAC_PI_2) * from_axis_angle(DVec3::Y, FRAC_PI_2);
        let (axis, angle) = to_axis_angle(both);
        assert!((angle - 2.0 * PI / 3.0).abs() < 1e-15);
        assert!(axis.abs_diff_eq(DVec3::ONE.normalize(), 1e-15));
    }

    #[test]
    fn fixed_angles_of_a_slanted_axis() {
        let angles = to_fixed_angles(from_axis_angle(DVec3::new(1.0, 2.0, 3.0), 1.0));
        let expected = DVec3::new(0.4674638, 0.3589363, 0.9120202);
        assert!(angles.abs_diff_eq(expected, 1e-7), "{angles}");
    }

    #[test]
    fn the_small_angle_series_joins_smoothly() {
        let [below, above] = [1e-4 * (1.0 - 1e-9), 1e-4 * (1.0 + 1e-9)].map(|a| exp(DVec3::X * a).x / a);
        assert!((below - above).abs() < 1e-12);
    }
}
