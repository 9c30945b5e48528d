//! Times of impact of functionally defined objects against closed forms.

use crate::common::shift;
use glam::{DQuat, DVec3};
use noli::motion::{RigidMotion, Still};
use noli::{Field, Impact, Model, Pose, time_of_impact};

fn field(formula: &str) -> Model {
    let field = Field::parse(formula).unwrap_or_else(|error| panic!("{error}"));
    Model::new(field).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn flying_spheres_meet_in_time() {
    let (a, b) = (field("x^2+y^2+z^2 <= 1"), field("x^2+y^2+z^2 <= 0.25"));
    for miss in [0.0, 0.7, 1.4, 1.6] {
        let flight = RigidMotion::between(&shift(-4.0, miss, 0.0), &shift(6.0, miss, 0.0), DVec3::ZERO);
        let rest = Still(Pose::IDENTITY);
        let impact = time_of_impact(&a.moving(&rest), &b.moving(&flight));
        if miss > 1.5 {
            assert!(matches!(impact, Impact::Free), "{impact:?}");
            continue;
        }
        let Impact::At { time, touch } = impact else { panic!("{miss} {impact:?}") };
        let exact = (4.0 - (2.25 - miss * miss).sqrt()) / 10.0;
        assert!(time.safe_until <= exact && exact <= time.touching_by, "{miss} {exact} {time:?}");
        assert!(time.width() <= 1e-4, "{time:?}");
        assert!(touch.proven, "{touch:?}");
        assert!(touch.witness.is_none_or(|witness| witness.on_a.point.length() <= 1.0 + 1e-9), "{touch:?}");
    }
}

#[test]
fn a_turning_rod_meets_a_sphere() {
    // A rod of half length 2 turns a half turn about z; the sphere stands at 45 degrees.
    let rod = field("max(abs(x) - 2, y^2 + z^2 - 0.01)");
    let sphere = field("x^2+y^2+z^2 <= 0.01");
    let turned = |angle: f64| Pose::from_rotation(DQuat::from_rotation_z(angle));
    let turn = RigidMotion::between(&turned(0.0), &turned(2.0), DVec3::ZERO);
    let rest = Still(shift(1.0, 1.0, 0.0));
    let impact = time_of_impact(&rod.moving(&turn), &sphere.moving(&rest));
    let Impact::At { time, .. } = impact else { panic!("{impact:?}") };
    // The sphere's centre is at distance √2; contact when the axis is 0.2 away from it.
    let exact = (std::f64::consts::FRAC_PI_4 - (0.2 / 2f64.sqrt()).asin()) / 2.0;
    assert!(time.safe_until <= exact && exact <= time.touching_by + 1e-12, "{exact} {time:?}");
    assert!(time.width() <= 2e-3);
}

#[test]
fn starts_in_contact_and_rests() {
    let sphere = field("x^2+y^2+z^2 <= 1");
    let (here, near, far) = (Still(Pose::IDENTITY), Still(shift(1.5, 0.0, 0.0)), Still(shift(3.0, 0.0, 0.0)));
    assert!(matches!(time_of_impact(&sphere.moving(&here), &sphere.moving(&near)), Impact::AtStart(_)));
    assert!(matches!(time_of_impact(&sphere.moving(&here), &sphere.moving(&far)), Impact::Free));
}
