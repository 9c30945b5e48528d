//! Brackets on known distances.

use glam::{DQuat, DVec3, dvec3};
use noli_geom::Pose;
use noli_implicit::{
    DistanceGoal, Field, FieldClearance, FieldQuery, FieldVerdict, field_distance, field_overlap,
};

fn field(formula: &str) -> Field {
    Field::parse(formula).unwrap_or_else(|error| panic!("{error}"))
}

/// The bracket of A at the origin and B at a pose, as wide as a share of the smaller object.
fn bracket(a: &Field, b: &Field, pose: Pose, share: f64, query: &FieldQuery<'_>) -> FieldClearance {
    let [size_a, size_b] = [a, b].map(|field| field.bounds().size().max_element());
    let goal = DistanceGoal::narrow(share * size_a.min(size_b));
    field_distance(&a.at(Pose::IDENTITY), &b.at(pose), &goal, query)
}

#[test]
fn brackets_hold_known_distances() {
    let sphere = field("x^2+y^2+z^2 <= 1");
    let ring = field("(sqrt(x^2+y^2)-2.5)^2+z^2 <= 0.25");
    let cube = field("max(abs(x), abs(y), abs(z)) <= 1");
    let turned = DQuat::from_xyzw(0.3, -0.2, 0.5, 0.8);
    let cases = [
        (&sphere, &sphere, Pose::from_translation(dvec3(2.0, 2.0, 1.0)), 1.0),
        (&sphere, &sphere, Pose::new(turned, dvec3(2.001, 0.0, 0.0)), 0.001),
        (&ring, &sphere, Pose::new(turned, DVec3::ZERO), 1.0),
        (&ring, &sphere, Pose::from_translation(dvec3(0.7, 0.0, 0.0)), 0.3),
        (&cube, &sphere, Pose::new(turned, dvec3(0.3, 0.2, 2.5)), 0.5),
        (&cube, &cube, Pose::from_translation(dvec3(2.25, 0.1, 0.2)), 0.25),
    ];
    for (a, b, pose, distance) in cases {
        let query = FieldQuery { cells: 200_000, ..Default::default() };
        let found = bracket(a, b, pose, 1e-3, &query);
        assert!(
            found.at_least <= distance * (1.0 + 1e-12) && distance <= found.at_most + 1e-12,
            "{distance} {found:?}"
        );
        assert!(found.at_most - found.at_least <= 8e-3, "{distance} {found:?}");
        if let Some([p, q]) = found.witness {
            assert!((p.distance(q) - found.at_most).abs() < 1e-9);
            assert!(a.value(p) <= 1e-12 && b.value(pose.inverse().transform_point(q)) <= 1e-9);
        }
    }
    let (here, there) = (sphere.at(Pose::IDENTITY), sphere.at(Pose::from_translation(dvec3(1.0, 0.5, 0.2))));
    let common = field_overlap(&here, &there, &FieldQuery::default()).verdict;
    assert!(matches!(common, FieldVerdict::Hit { .. }), "{common:?}");
    assert_eq!(
        field_distance(&here, &there, &DistanceGoal::narrow(2e-3), &FieldQuery::default()).at_least,
        0.0
    );
}

#[test]
fn being_stopped_widens_and_never_lies() {
    let (a, b) = (field("x^2+y^2+z^2-1+0.1*sin(8*x)*sin(9*y)"), field("(sqrt(x^2+y^2)-1)^2+z^2 <= 0.1"));
    let pose = Pose::from_translation(dvec3(0.4, 3.0, 0.3));
    let best = bracket(&a, &b, pose, 1e-4, &FieldQuery::default());
    assert!(best.at_most - best.at_least < 1e-3, "{best:?}");
    for cells in [0, 1, 10, 100, 1000] {
        let query = FieldQuery { cells, ..Default::default() };
        let stopped = bracket(&a, &b, pose, 1e-4, &query);
        assert!(stopped.at_least <= best.at_most && best.at_least <= stopped.at_most, "{cells} {stopped:?}");
    }
    let nothing = field("1");
    let far = bracket(&a, &nothing, Pose::IDENTITY, 1e-3, &FieldQuery::default());
    assert_eq!(far.at_least, f64::INFINITY);
}
