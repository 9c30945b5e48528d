//! Times of impact against closed forms.

use glam::{DQuat, DVec3, dvec3};
use noli_geom::{Impact, Pose, RigidMotion, Still};
use noli_implicit::{Field, FieldImpactQuery, field_time_of_impact};

fn field(formula: &str) -> Field {
    Field::parse(formula).unwrap_or_else(|error| panic!("{error}"))
}

fn shift(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(dvec3(x, y, z))
}

#[test]
fn flying_balls_meet_in_time() {
    let (a, b) = (field("x^2+y^2+z^2 <= 1"), field("x^2+y^2+z^2 <= 0.25"));
    for miss in [0.0, 0.7, 1.4, 1.6] {
        let flight = RigidMotion::between(&shift(-4.0, miss, 0.0), &shift(6.0, miss, 0.0), DVec3::ZERO);
        let rest = Still(Pose::IDENTITY);
        let impact = field_time_of_impact(&a.moving(&rest), &b.moving(&flight), &FieldImpactQuery::default());
        if miss > 1.5 {
            assert_eq!(impact, Impact::Free);
            continue;
        }
        let Impact::At { time, touch } = impact else { panic!("{miss} {impact:?}") };
        let exact = (4.0 - (2.25 - miss * miss).sqrt()) / 10.0;
        assert!(time.safe_until <= exact && exact <= time.touching_by, "{miss} {exact} {time:?}");
        assert!(time.width() <= 1e-4, "{time:?}");
        let point = touch.expect("a proven contact");
        assert!(point.length() <= 1.0 + 1e-9);
    }
}

#[test]
fn a_turning_rod_meets_a_ball() {
    // A rod of half length 2 turns a half turn about z; the ball stands at 45 degrees.
    let rod = field("max(abs(x) - 2, y^2 + z^2 - 0.01)");
    let ball = field("x^2+y^2+z^2 <= 0.01");
    let turned = |angle: f64| Pose::from_rotation(DQuat::from_rotation_z(angle));
    let turn = RigidMotion::between(&turned(0.0), &turned(2.0), DVec3::ZERO);
    let rest = Still(shift(1.0, 1.0, 0.0));
    let query = FieldImpactQuery { tolerance: 1e-3, ..Default::default() };
    let impact = field_time_of_impact(&rod.moving(&turn), &ball.moving(&rest), &query);
    let Impact::At { time, .. } = impact else { panic!("{impact:?}") };
    // The ball's centre is at distance √2; contact when the axis is 0.2 away from it.
    let exact = (std::f64::consts::FRAC_PI_4 - (0.2 / 2f64.sqrt()).asin()) / 2.0;
    assert!(time.safe_until <= exact && exact <= time.touching_by + 1e-12, "{exact} {time:?}");
    assert!(time.width() <= 2e-3);
}

#[test]
fn starts_in_contact_and_rests() {
    let ball = field("x^2+y^2+z^2 <= 1");
    let (here, near, far) = (Still(Pose::IDENTITY), Still(shift(1.5, 0.0, 0.0)), Still(shift(3.0, 0.0, 0.0)));
    let query = FieldImpactQuery::default();
    assert!(matches!(
        field_time_of_impact(&ball.moving(&here), &ball.moving(&near), &query),
        Impact::AtStart(Some(_))
    ));
    assert_eq!(field_time_of_impact(&ball.moving(&here), &ball.moving(&far), &query), Impact::Free);
}
