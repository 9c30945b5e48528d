//! Turns composed, and the motion of one body as another sees it.

use glam::{DMat3, DQuat, DVec3, dvec3};
use noli_geom::{Motion, Pose, RigidMotion, rotation};

/// The composition of two turns by axis and angle, as the appendix of Eckstein's thesis has it: the product of the matrices.
#[test]
fn turns_compose_by_axis_and_angle() {
    let axes =
        [DVec3::X, dvec3(1.0, 2.0, 3.0), dvec3(-0.3, 0.1, 2.0), dvec3(0.0, -1.0, 1.0)].map(DVec3::normalize);
    let angles = [0.0f64, 1e-6, 0.4, 1.9, 3.0];
    let all = || axes.into_iter().flat_map(|axis| angles.map(|angle| (axis, angle)));
    for (r, phi) in all() {
        for (s, theta) in all() {
            let ((sp, cp), (st, ct)) = ((0.5 * phi).sin_cos(), (0.5 * theta).sin_cos());
            let w = cp * ct - sp * st * r.dot(s);
            let v = s * (cp * st) + r * (ct * sp) + r.cross(s) * (sp * st);
            let composed = rotation::from_axis_angle(v.normalize_or(DVec3::Z), 2.0 * v.length().atan2(w));
            let product = DMat3::from_axis_angle(r, phi) * DMat3::from_axis_angle(s, theta);
            let off = (DMat3::from_quat(composed) - product).to_cols_array();
            assert!(off.iter().all(|x| x.abs() < 1e-12), "{r} {phi} {s} {theta}");
        }
    }
}

/// The relative motion of two bodies that each turn evenly is not the even motion between the relative poses at its ends.
#[test]
fn relative_motions_are_not_interpolated_poses() {
    let turn = |from: DVec3, angle: f64| {
        let end = Pose::new(DQuat::from_rotation_z(angle), from);
        RigidMotion::between(&Pose::from_translation(from), &end, DVec3::ZERO)
    };
    let (a, b) = (turn(DVec3::X * 2.0, 1.5), turn(DVec3::ZERO, 1.5));
    let relative = |t: f64| b.pose(t).inverse() * a.pose(t);
    let shortcut = RigidMotion::between(&relative(0.0), &relative(1.0), DVec3::ZERO);
    let (place, wrong) = (relative(0.5).translation, shortcut.pose(0.5).translation);
    // Seen from B, A goes around it on a circle; the shortcut takes the chord.
    assert!((place.length() - 2.0).abs() < 1e-12);
    assert!((wrong.length() - 2.0 * 0.75f64.cos()).abs() < 1e-12 && place.distance(wrong) > 0.5);
    // A point of A in the frame of a face of B is where the world says.
    for t in [0.0, 0.3, 0.7, 1.0] {
        let point = dvec3(0.2, -0.4, 0.1);
        let seen = relative(t).transform_point(point);
        assert!(b.pose(t).transform_point(seen).distance(a.pose(t).transform_point(point)) < 1e-12);
    }
}
