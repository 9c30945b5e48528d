//! Brackets on known gaps.

use glam::{DQuat, DVec3, dvec3};
use noli_geom::Pose;
use noli_implicit::{Field, FieldQuery, field_clearance};

fn field(formula: &str) -> Field {
    Field::parse(formula).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn brackets_hold_known_gaps() {
    let ball = field("x^2+y^2+z^2 <= 1");
    let ring = field("(sqrt(x^2+y^2)-2.5)^2+z^2 <= 0.25");
    let cube = field("max(abs(x), abs(y), abs(z)) <= 1");
    let turned = DQuat::from_xyzw(0.3, -0.2, 0.5, 0.8);
    let cases = [
        (&ball, &ball, Pose::from_translation(dvec3(2.0, 2.0, 1.0)), 1.0),
        (&ball, &ball, Pose::new(turned, dvec3(2.001, 0.0, 0.0)), 0.001),
        (&ring, &ball, Pose::new(turned, DVec3::ZERO), 1.0),
        (&ring, &ball, Pose::from_translation(dvec3(0.7, 0.0, 0.0)), 0.3),
        (&cube, &ball, Pose::new(turned, dvec3(0.3, 0.2, 2.5)), 0.5),
        (&cube, &cube, Pose::from_translation(dvec3(2.25, 0.1, 0.2)), 0.25),
        (&ball, &ball, Pose::from_translation(dvec3(1.0, 0.5, 0.2)), 0.0),
    ];
    for (a, b, pose, gap) in cases {
        let query = FieldQuery { cells: 200_000, ..Default::default() };
        let found = field_clearance(&a.at(Pose::IDENTITY), &b.at(pose), 1e-3, &query);
        assert!(found.at_least <= gap * (1.0 + 1e-12) && gap <= found.at_most + 1e-12, "{gap} {found:?}");
        assert!(found.at_most - found.at_least <= 8e-3, "{gap} {found:?}");
        if let Some([p, q]) = found.witness {
            assert!((p.distance(q) - found.at_most).abs() < 1e-9);
            assert!(a.value(p) <= 1e-12 && b.value(pose.inverse().transform_point(q)) <= 1e-9);
        }
    }
}

#[test]
fn being_stopped_widens_and_never_lies() {
    let (a, b) = (field("x^2+y^2+z^2-1+0.1*sin(8*x)*sin(9*y)"), field("(sqrt(x^2+y^2)-1)^2+z^2 <= 0.1"));
    let pose = Pose::from_translation(dvec3(0.4, 3.0, 0.3));
    let best = field_clearance(&a.at(Pose::IDENTITY), &b.at(pose), 1e-4, &FieldQuery::default());
    assert!(best.at_most - best.at_least < 1e-3, "{best:?}");
    for cells in [0, 1, 10, 100, 1000] {
        let query = FieldQuery { cells, ..Default::default() };
        let stopped = field_clearance(&a.at(Pose::IDENTITY), &b.at(pose), 1e-4, &query);
        assert!(stopped.at_least <= best.at_most && best.at_least <= stopped.at_most, "{cells} {stopped:?}");
    }
    let nothing = field("1");
    let far =
        field_clearance(&a.at(Pose::IDENTITY), &nothing.at(Pose::IDENTITY), 1e-3, &FieldQuery::default());
    assert_eq!(far.at_least, f64::INFINITY);
}
