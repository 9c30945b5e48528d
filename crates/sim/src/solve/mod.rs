//! Contact constraints: the nearest permitted motion in the mass metric.

mod constraint;
mod gauss_seidel;
mod least_squares;
mod nearest;

pub use constraint::Constraint;
pub(crate) use constraint::{MassState, Twist};
pub use gauss_seidel::{Sweeps, gauss_seidel};
pub(crate) use nearest::exact_twist;
pub use nearest::{NearestTwist, nearest_twist};

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DMat3, DVec3};

    fn unit_body() -> MassState {
        MassState { inverse_mass: 1.0, inverse_inertia: DMat3::IDENTITY, center: DVec3::ZERO }
    }

    fn floor(point: DVec3) -> Constraint {
        let (normal, points) = (DVec3::Z, [point; 2]);
        Constraint { bodies: [None, Some(0)], points, normal, least: 0.0, friction: 0.0, given: DVec3::ZERO }
    }

    #[test]
    fn a_body_on_four_points_keeps_the_tangential_part_of_what_is_wanted() {
        let vertices = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)];
        let constraints = vertices.map(|(x, y)| floor(DVec3::new(x, y, -0.5)));
        let wanted = Twist { linear: DVec3::new(1.0, 2.0, -3.0), angular: DVec3::Z };
        let found = nearest_twist(&[unit_body()], &constraints, &[wanted]);
        assert!(found.residual < 1e-14, "{found:?}");
        assert!(found.twists[0].linear.abs_diff_eq(DVec3::new(1.0, 2.0, 0.0), 1e-14));
        assert!(found.twists[0].angular.abs_diff_eq(DVec3::Z, 1e-14));
        let sum: f64 = found.impulses.iter().sum();
        assert!((sum - 3.0).abs() < 1e-13);
    }

    /// Both methods minimise the same convex function.
    #[test]
    fn active_set_and_gauss_seidel_agree() {
        let mut state = 7u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
        };
        for round in 0..200 {
            let count = 1 + round % 3;
            let bodies: Vec<MassState> = (0..count)
                .map(|k| MassState {
                    inverse_mass: 0.5 + random().abs(),
                    inverse_inertia: DMat3::from_diagonal(DVec3::new(1.0, 2.0, 0.7)),
                    center: DVec3::X * k as f64,
                })
                .collect();
            let constraints: Vec<Constraint> = (0..4 + round % 9)
                .map(|k| {
                    let mut vector = || DVec3::new(random(), random(), random());
                    let (point, normal) = (vector(), (vector() + DVec3::Z * 1.5).normalize());
                    let below = if k % 3 == 0 && count > 1 { Some((k + 1) % count) } else { None };
                    let bodies = [below.filter(|&b| b != k % count), Some(k % count)];
                    let points = [point; 2];
                    Constraint { bodies, points, normal, least: -0.1, friction: 0.0, given: DVec3::ZERO }
                })
                .collect();
            let wanted: Vec<Twist> = (0..count)
                .map(|_| Twist {
                    linear: DVec3::new(random(), random(), random() - 1.0),
                    angular: DVec3::new(random(), random(), random()),
                })
                .collect();
            let found = nearest_twist(&bodies, &constraints, &wanted);
            let (mut twists, mut impulses) = (wanted.clone(), vec![DVec3::ZERO; constraints.len()]);
            let until = Sweeps { most: 200_000, tolerance: 1e-13 };
            let left = gauss_seidel(&bodies, &constraints, &mut twists, &mut impulses, until);
            assert!(found.residual < 1e-9, "{round}: {found:?}");
            if left < 1e-12 {
                for (x, y) in found.twists.iter().zip(&twists) {
                    assert!(x.linear.abs_diff_eq(y.linear, 1e-8), "{round}: {x:?} {y:?}");
                    assert!(x.angular.abs_diff_eq(y.angular, 1e-8), "{round}: {x:?} {y:?}");
                }
            }
        }
    }

    #[test]
    fn contradiction_is_standing_still_not_a_hang() {
        let squeezed = [
            Constraint { least: 1.0, ..floor(DVec3::ZERO) },
            Constraint { least: 1.0, normal: DVec3::NEG_Z, ..floor(DVec3::ZERO) },
        ];
        let wanted = Twist { linear: DVec3::new(1.0, 0.0, -1.0), angular: DVec3::ZERO };
        let found = nearest_twist(&[unit_body()], &squeezed, &[wanted]);
        assert!(found.twists[0].linear.abs_diff_eq(DVec3::X, 1e-12), "{found:?}");
    }
}
