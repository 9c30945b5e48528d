//! Functionally defined objects as models, against every other form and every question.

use crate::common::{mesh, model, shift};
use glam::{DQuat, DVec3, dvec3};
use noli::answer::{Location, RaySide, Verdict};
use noli::model::{Aabb, MeshKind, Voxels};
use noli::motion::{RigidMotion, Still};
use noli::query::{ClearanceQuery, ImpactQuery, Ray, Tolerance};
use noli::{
    Budget, Convex, Field, Guarantee, Impact, Model, Overlap, Pose, QueryContext, Relation, Scratch, Shape,
    ShapeError, clearance, closest_approach, contact, intersections, locate_point, overlap, ray_cast,
    relation, self_intersections, time_of_impact, within_distance,
};
use noli_scenes::{cuboid, icosphere};

fn field(formula: &str) -> Model {
    let field = Field::parse(formula).unwrap_or_else(|error| panic!("{error}"));
    Model::new(field).unwrap_or_else(|error| panic!("{error}"))
}

fn sphere() -> Model {
    field("x^2 + y^2 + z^2 <= 1")
}

fn shape(shape: impl Into<Shape>) -> Model {
    Model::new(shape.into()).unwrap()
}

/// Bodies that reach exactly one unit towards negative x from their origin, each about the x axis there.
fn partners() -> Vec<(&'static str, Model)> {
    let cube = mesh(cuboid(DVec3::ONE));
    let two = Shape::Compound(vec![
        (shift(0.5, 0.0, 0.0), Convex::cuboid(DVec3::new(3.0, 1.0, 1.0)).unwrap().into()),
        (shift(3.0, 0.0, 0.0), Convex::sphere(1.0).unwrap().into()),
    ]);
    vec![
        ("field", field("torus(0.75, 0.25)")),
        ("field sphere", sphere()),
        ("sphere", shape(Convex::sphere(1.0).unwrap())),
        ("box", shape(Convex::cuboid(DVec3::splat(2.0)).unwrap())),
        ("cylinder", shape(Convex::cylinder(1.0, 1.0).unwrap())),
        ("ellipsoid", shape(Convex::ellipsoid(DVec3::new(1.0, 0.5, 2.0)).unwrap())),
        (
            "hull",
            shape(Convex::hull((0..8).map(vertex)).unwrap().rounded(0.25).unwrap().scaled(0.8).unwrap()),
        ),
        ("solid", model(&cube.clone().with_kind(MeshKind::Solid))),
        ("surface", model(&cube)),
        (
            "voxels",
            shape(
                Voxels::new(0.5, (-2..2).map(|x| [x, 0, 0]).chain([[-2, -1, -1], [-2, -1, 0], [-2, 0, -1]]))
                    .unwrap(),
            ),
        ),
        ("compound", shape(two)),
    ]
}

fn vertex(k: usize) -> DVec3 {
    DVec3::from_array([0, 1, 2].map(|axis| if k >> axis & 1 == 0 { -1.0 } else { 1.0 }))
}

/// Position at which a unit sphere and the partner touch at a point of the x axis.
fn place(clearance: f64) -> Pose {
    shift(2.0 + clearance, 0.0, 0.0)
}

#[test]
fn verdicts_at_known_clearances_against_every_form() {
    let sphere = sphere();
    for (name, other) in partners() {
        for gap in [0.5, 1e-1, 1e-3, 1e-5, 1e-7] {
            let (a, b) = (sphere.at(Pose::IDENTITY), other.at(place(gap)));
            assert_eq!(overlap(&a, &b), Overlap::Free, "{name} {gap}");
            assert_eq!(overlap(&b, &a), Overlap::Free, "{name} {gap}");
            assert_eq!(relation(&a, &b), Relation::Separated, "{name} {gap}");
            assert_eq!(within_distance(&a, &b, 0.9 * gap), Overlap::Free, "{name} {gap}");
            assert_eq!(within_distance(&b, &a, 1.1 * gap), Overlap::Hit, "{name} {gap}");
            assert_eq!(contact(&a, &b), Verdict::Free, "{name} {gap}");
            let b = other.at(place(-gap));
            assert_eq!(overlap(&a, &b), Overlap::Hit, "{name} {gap}");
            assert_eq!(overlap(&b, &a), Overlap::Hit, "{name} {gap}");
            assert_eq!(relation(&b, &a), Relation::Intersecting, "{name} {gap}");
            let found = clearance(&a, &b);
            assert_eq!((found.distance.at_least, found.distance.at_most), (0.0, 0.0), "{name} {gap}");
        }
        assert_eq!(sphere.guarantee(&other), Guarantee::Conservative);
    }
}

#[test]
fn brackets_hold_the_clearance_of_every_form() {
    let sphere = sphere();
    for (name, other) in partners() {
        for gap in [2.0, 0.25, 1e-3] {
            let (a, b) = (sphere.at(Pose::IDENTITY), other.at(place(gap)));
            let found = clearance(&a, &b);
            assert!(
                found.distance.at_least <= gap * (1.0 + 1e-12)
                    && gap * (1.0 - 1e-12) <= found.distance.at_most,
                "{name} {found:?}"
            );
            assert!(found.distance.at_most - found.distance.at_least < 1e-5, "{name} {gap} {found:?}");
            let witness = found.witness.expect("nearest points");
            let width = (witness.on_a.point - witness.on_b.point).length();
            assert!(
                (width - gap).abs() < 1e-5 && witness.on_a.point.length() < 1.0 + 1e-9,
                "{name} {witness:?}"
            );
            let back = clearance(&b, &a);
            assert!(
                back.distance.at_least <= gap && gap <= back.distance.at_most * (1.0 + 1e-12),
                "{name} {back:?}"
            );
        }
    }
}

/// Moving B along the normal by the depth takes the bodies apart.
#[test]
fn contacts_bound_the_depth() {
    let sphere = sphere();
    for (name, other) in partners() {
        let (a, b) = (sphere.at(Pose::IDENTITY), other.at(place(-0.25)));
        let found = contact(&a, &b).hit().unwrap_or_else(|| panic!("{name}"));
        assert!(
            found.depth.at_least <= 0.25 && 0.25 <= found.depth.at_most * (1.0 + 1e-9),
            "{name} {found:?}"
        );
        let away = shift(0.0, 0.0, 0.0).translation + found.normal * found.depth.at_most * (1.0 + 1e-6);
        let moved = Pose::from_translation(place(-0.25).translation + away);
        assert_eq!(overlap(&a, &other.at(moved)), Overlap::Free, "{name} {found:?}");
    }
    let floor = shape(Shape::HalfSpace);
    for gap in [1.0, 1e-2, 1e-5] {
        let context = |gap: f64| (floor.at(Pose::IDENTITY), sphere.at(shift(9.0, -7.0, 1.0 + gap)));
        let (a, b) = context(gap);
        assert_eq!((overlap(&a, &b), relation(&a, &b)), (Overlap::Free, Relation::Separated));
        assert_eq!(
            (within_distance(&a, &b, 0.9 * gap), within_distance(&a, &b, 1.1 * gap)),
            (Overlap::Free, Overlap::Hit)
        );
        let found = clearance(&a, &b);
        assert!(
            found.distance.at_least <= gap
                && gap <= found.distance.at_most
                && found.distance.at_most - found.distance.at_least < 1e-5,
            "{found:?}"
        );
        let (a, b) = context(-gap);
        assert_eq!((overlap(&a, &b), relation(&a, &b)), (Overlap::Hit, Relation::Intersecting));
    }
    let found = contact(&floor.at(Pose::IDENTITY), &sphere.at(shift(0.0, 0.0, 0.75))).hit().unwrap();
    assert!(
        found.depth.at_least <= 0.25
            && 0.25 <= found.depth.at_most
            && found.depth.at_most - found.depth.at_least < 1e-5,
        "{found:?}"
    );
    assert!(found.normal.abs_diff_eq(DVec3::Z, 1e-12), "{found:?}");
}

#[test]
fn what_lies_inside_is_told() {
    let (sphere, small) = (sphere(), field("x^2 + y^2 + z^2 <= 0.01"));
    let cube = mesh(cuboid(DVec3::splat(0.1)));
    let big = mesh(cuboid(DVec3::splat(2.0)));
    let turn = Pose::new(DQuat::from_xyzw(0.1, 0.2, 0.3, 0.9), dvec3(0.3, 0.2, 0.1));
    let within: [(&str, Model); 5] = [
        ("field", small.clone()),
        ("box", shape(Convex::cuboid(DVec3::splat(0.2)).unwrap())),
        ("sphere", shape(Convex::sphere(0.2).unwrap())),
        ("solid", model(&cube.clone().with_kind(MeshKind::Solid))),
        ("surface", model(&cube)),
    ];
    for (name, inner) in &within {
        assert_eq!(relation(&sphere.at(Pose::IDENTITY), &inner.at(turn)), Relation::Inside, "{name}");
        assert_eq!(relation(&inner.at(turn), &sphere.at(Pose::IDENTITY)), Relation::Inside, "{name}");
    }
    let around: [(&str, Model); 4] = [
        ("field", field("x^2 + y^2 + z^2 <= 9")),
        ("box", shape(Convex::cuboid(DVec3::splat(4.0)).unwrap())),
        ("solid", model(&big.clone().with_kind(MeshKind::Solid))),
        ("floor", shape(Shape::HalfSpace)),
    ];
    for (name, outer) in &around {
        let at = if *name == "floor" { shift(0.0, 0.0, 3.0) } else { Pose::IDENTITY };
        assert_eq!(relation(&sphere.at(turn), &outer.at(at)), Relation::Inside, "{name}");
    }
    // A surface has no inside.
    assert_eq!(relation(&sphere.at(turn), &model(&big).at(Pose::IDENTITY)), Relation::Separated);
    // Tangency at a point with short coordinates is proven, and is not a clash.
    assert_eq!(relation(&sphere.at(Pose::IDENTITY), &sphere.at(shift(2.0, 0.0, 0.0))), Relation::Touching);
    assert!(intersections(&sphere.at(Pose::IDENTITY), &sphere.at(turn)).is_empty(), "there are no faces");
    assert!(self_intersections(&sphere).is_empty());
}

#[test]
fn times_of_impact_bracket_the_exact_one() {
    let sphere = sphere();
    let flight = RigidMotion::between(&shift(7.0, 0.0, 0.0), &shift(-3.0, 0.0, 0.0), DVec3::ZERO);
    // Touching at x = 2, half way along.
    let exact = 0.5;
    for (name, other) in partners() {
        let impact = time_of_impact(&sphere.moving(&Still::default()), &other.moving(&flight));
        let Impact::At { time, touch } = impact else { panic!("{name} {impact:?}") };
        assert!(time.safe_until <= exact && exact <= time.touching_by + 1e-5, "{name} {time:?}");
        assert!(touch.proven && time.width() < 1e-3, "{name} {time:?} {touch:?}");
        // Past each other, by a hair more than a tenth.
        let (start, end) = (shift(7.0, 0.0, 3.2), shift(-3.0, 0.0, 3.2));
        let past = RigidMotion::between(&start, &end, DVec3::ZERO);
        let impact = time_of_impact(&sphere.moving(&Still::default()), &other.moving(&past));
        assert!(matches!(impact, Impact::Free), "{name} {impact:?}");
    }
}

#[test]
fn margins_spans_and_closest_approach_of_fields() {
    let (sphere, ring) = (sphere(), field("torus(3, 0.5)"));
    let mut scratch = Scratch::default();
    let fall = RigidMotion::between(&shift(0.25, 0.0, 6.0), &shift(0.25, 0.0, -6.0), DVec3::ZERO);
    let rest = Still::default();
    let (still, falling) = (ring.moving(&rest), sphere.moving(&fall));
    assert!(matches!(time_of_impact(&still, &falling), Impact::Free), "it falls through the ring");
    let nearest = closest_approach(&still, &falling);
    let clearance = nearest.clearance;
    assert!(
        clearance.distance.at_least <= 1.25
            && 1.25 <= clearance.distance.at_most + 1e-9
            && clearance.distance.at_most - clearance.distance.at_least < 0.1,
        "{nearest:?}"
    );
    // Within two of the ring: √(z² + 2.75²) = 3.5.
    let query = ImpactQuery { margin: 2.0, ..Default::default() };
    let exact = 0.5 - (3.5f64.powi(2) - 2.75f64.powi(2)).sqrt() / 12.0;
    match QueryContext::new(&mut scratch).time_of_impact(&still, &falling, &query) {
        Impact::At { time, .. } => {
            assert!(
                time.safe_until <= exact && exact <= time.touching_by + 1e-5 && time.width() < 1e-2,
                "{time:?}"
            );
        }
        other => panic!("{other:?}"),
    }
    let after = ImpactQuery { margin: 2.0, span: (0.7, 1.0), ..Default::default() };
    assert!(matches!(QueryContext::new(&mut scratch).time_of_impact(&still, &falling, &after), Impact::Free));
}

/// A sequence of numbers in [-1, 1] that needs no crate.
struct Sequence(f64);

impl Sequence {
    fn next(&mut self) -> f64 {
        self.0 = (self.0 + 0.618_033_988_749_894_9).fract();
        (self.0 * 77.7).sin()
    }

    fn vector(&mut self) -> DVec3 {
        dvec3(self.next(), self.next(), self.next())
    }
}

/// Points of one body that lie in the other tell that they meet; a proof that they do not must agree.
#[test]
fn mixed_pairs_agree_with_dense_samples() {
    let objects = [
        field("blend(sphere(0.8), move(cuboid(0.2,0.2,1.2), 0.5,0,0), 0.3)"),
        field("max(sphere(1), 0.15*sin(9*x)*sin(9*y)*sin(9*z) + length(x,y,z) - 0.8)"),
        field("difference(cuboid(1,0.8,0.5), move(sphere(0.7), 0.3,0.2,0.4))"),
    ];
    let mut sequence = Sequence(0.3);
    let mut counts = [0; 3];
    for (name, other) in partners() {
        for (i, object) in objects.iter().enumerate() {
            for _ in 0..4 {
                let v = sequence.vector();
                let turn = DQuat::from_xyzw(v.x, v.y, v.z, 0.4);
                let (a, b) = (object.at(Pose::IDENTITY), other.at(Pose::new(turn, sequence.vector() * 1.6)));
                let bounds = object.aabb();
                let sampled = (0..3000).any(|_| {
                    let p = bounds.center() + sequence.vector() * 0.5 * bounds.size();
                    let held = |body: &noli::Placed<'_>| locate_point(body, p) == Location::Inside;
                    held(&a) && held(&b)
                });
                let verdict = overlap(&a, &b);
                assert!(!sampled || verdict == Overlap::Hit, "{name} {i}");
                let gap = clearance(&a, &b);
                match verdict {
                    Overlap::Free => {
                        counts[0] += 1;
                        assert!(
                            gap.distance.at_least > 0.0 && gap.distance.at_least <= gap.distance.at_most,
                            "{name} {i} {gap:?}"
                        );
                        assert_eq!(relation(&a, &b), Relation::Separated, "{name} {i}");
                    }
                    Overlap::Hit => {
                        counts[1] += 1;
                        assert_eq!(gap.distance.at_most, 0.0, "{name} {i} {gap:?}");
                        assert_eq!(relation(&a, &b).overlap(), Overlap::Hit, "{name} {i}");
                        assert!(contact(&a, &b).hit().is_some(), "{name} {i}");
                    }
                    Overlap::Unknown => counts[2] += 1,
                }
            }
        }
    }
    assert!(counts[0] > 30 && counts[1] > 30 && counts[2] == 0, "{counts:?}");
}

#[test]
fn a_mesh_the_sphere_it_approximates_and_the_true_sphere_nest() {
    let inscribed = mesh(icosphere(4)).with_kind(MeshKind::Solid);
    let (inscribed, smooth, exact) = (model(&inscribed), sphere(), shape(Convex::sphere(1.0).unwrap()));
    let pose = shift(0.1, -0.2, 0.3);
    // The mesh is inside the sphere and touches it with its vertices; a slightly smaller one is inside for certain.
    let shrunk = inscribed.scaled(0.999).unwrap();
    assert_eq!(relation(&smooth.at(pose), &shrunk.at(pose)), Relation::Inside);
    let other = shape(Convex::cuboid(DVec3::ONE).unwrap());
    for distance in [1.8, 2.0, 4.0] {
        let place = Pose::new(
            DQuat::from_xyzw(0.3, 0.1, 0.2, 0.9),
            pose.translation + dvec3(0.6, 0.0, 0.8) * distance,
        );
        let to = |body: &Model| clearance(&body.at(pose), &other.at(place));
        let [faces, formula, sphere] = [to(&inscribed), to(&smooth), to(&exact)];
        assert!(formula.distance.at_least <= faces.distance.at_most, "{formula:?} {faces:?}");
        assert!(
            formula.distance.at_least <= sphere.distance.at_most
                && sphere.distance.at_least <= formula.distance.at_most,
            "{formula:?} {sphere:?}"
        );
    }
}

/// Sizes that powers of two tell apart get the same answers, scaled.
#[test]
fn powers_of_two_scale_answers() {
    let objects = ["torus(0.75, 0.25)", "blend(sphere(0.8), move(cuboid(0.2,0.2,1.2), 0.5,0,0), 0.3)"];
    let turn = DQuat::from_xyzw(0.1, 0.2, 0.3, 0.9);
    // A factor of one is simplified away, which saves a rounding.
    let factors = [1, -100, -20, 30, 100].map(|exponent| 2f64.powi(exponent));
    for formula in objects {
        let object = field(formula);
        // Finding the bounds of an object takes longer than all that is asked about it.
        let objects = factors.map(|factor| object.scaled(factor).unwrap());
        for (name, other) in partners() {
            let others = factors.map(|factor| other.scaled(factor).unwrap());
            for place in [dvec3(2.6, 0.1, 0.2), dvec3(0.9, 0.1, 0.2)] {
                let context = |k: usize| {
                    let factor = factors[k];
                    let (a, b) =
                        (objects[k].at(Pose::IDENTITY), others[k].at(Pose::new(turn, place * factor)));
                    let gap = clearance(&a, &b);
                    (
                        overlap(&a, &b),
                        relation(&a, &b),
                        gap.distance.at_least / factor,
                        gap.distance.at_most / factor,
                    )
                };
                let usual = context(0);
                for k in 1..factors.len() {
                    assert_eq!(context(k), usual, "{formula} {name} {:e}", factors[k]);
                }
            }
        }
    }
}

#[test]
fn rays_and_points() {
    let ring = field("torus(3, 0.5)");
    let ray = Ray { origin: dvec3(-10.0, 0.0, 0.0), direction: DVec3::X };
    let hits = ray_cast(&ring.at(Pose::IDENTITY), &ray).unwrap();
    let sides: Vec<RaySide> = hits.iter().map(|hit| hit.side).collect();
    assert_eq!(sides, [RaySide::Front, RaySide::Back, RaySide::Front, RaySide::Back]);
    for (hit, t) in hits.iter().zip([6.5, 7.5, 12.5, 13.5]) {
        assert!((hit.t - t).abs() < 1e-9, "{hits:?}");
    }
    let inside = Ray { origin: dvec3(-3.0, 0.0, 0.0), direction: DVec3::X };
    assert_eq!(ray_cast(&ring.at(Pose::IDENTITY), &inside).unwrap().len(), 3);
    let past = Ray { origin: dvec3(-10.0, 0.0, 0.500001), direction: DVec3::X };
    assert!(ray_cast(&ring.at(Pose::IDENTITY), &past).unwrap().is_empty());
    let turned = ring.at(Pose::new(DQuat::from_xyzw(0.0, 0.5f64.sqrt(), 0.0, 0.5f64.sqrt()), DVec3::ZERO));
    assert_eq!(ray_cast(&turned, &ray).unwrap().len(), 0, "through the hole");
    assert_eq!(ring.locate_point(dvec3(3.0, 0.0, 0.1)), Location::Inside);
    assert_eq!(ring.locate_point(dvec3(3.5, 0.0, 0.0)), Location::OnSurface);
    assert_eq!(ring.locate_point(DVec3::ZERO), Location::Outside);
    assert_eq!(ring.locate_point(dvec3(f64::NAN, 0.0, 0.0)), Location::Unknown);
    let cut = Model::new(
        Field::parse("x^2 + y^2 <= 1")
            .unwrap()
            .within(noli::model::Aabb { min: dvec3(-2.0, -2.0, -1.0), max: dvec3(2.0, 2.0, 1.0) }),
    )
    .unwrap();
    let along = Ray { origin: dvec3(0.25, 0.0, 5.0), direction: DVec3::NEG_Z };
    let hits = ray_cast(&cut.at(Pose::IDENTITY), &along).unwrap();
    assert_eq!(hits.iter().map(|hit| hit.t).collect::<Vec<_>>(), [4.0, 6.0], "bounds cut like a surface");
}

#[test]
fn nothing_nowhere_and_no_end() {
    let endless = Field::parse("x + y <= 0").unwrap();
    assert_eq!(Model::new(endless).unwrap_err(), ShapeError::Unbounded);
    let (sphere, nothing) = (sphere(), field("x^2 + y^2 + z^2 + 1"));
    let nowhere = shift(f64::NAN, 0.0, 0.0);
    for (name, other) in partners().into_iter().chain([("nothing", nothing.clone())]) {
        let (a, b) = (nothing.at(Pose::IDENTITY), other.at(Pose::IDENTITY));
        assert_eq!(overlap(&a, &b), Overlap::Free, "{name}");
        assert_eq!(relation(&b, &a), Relation::Separated, "{name}");
        assert_eq!(clearance(&a, &b).distance.at_least, f64::INFINITY, "{name}");
        assert_eq!(contact(&a, &b), Verdict::Free, "{name}");
        let b = other.at(nowhere);
        if name != "nothing" {
            assert_eq!(overlap(&sphere.at(Pose::IDENTITY), &b), Overlap::Unknown, "{name}");
            assert_eq!(clearance(&sphere.at(Pose::IDENTITY), &b).distance.at_most, f64::INFINITY, "{name}");
        }
        assert_eq!(
            relation(&sphere.at(nowhere), &other.at(Pose::IDENTITY)),
            if name == "nothing" { Relation::Separated } else { Relation::Unknown },
            "{name}"
        );
    }
    assert!(matches!(
        time_of_impact(&nothing.moving(&Still::default()), &sphere.moving(&Still::default())),
        Impact::Free
    ));
    // A function without values is nowhere provably anything.
    let undefined = Model::new(Field::parse("x/0").unwrap().within(sphere.aabb())).unwrap();
    assert_ne!(overlap(&undefined.at(Pose::IDENTITY), &sphere.at(Pose::IDENTITY)), Overlap::Hit);
    assert!(sphere.scaled(f64::NAN).is_err() && sphere.scaled(0.0).is_err());
}

#[test]
fn budgets_widen_answers_and_never_falsify_them() {
    let (ring, knot) = (field("torus(2, 0.5)"), field("length(x,y,z) - 1 + 0.2*sin(8*x)*sin(8*y)*sin(8*z)"));
    let mut scratch = Scratch::default();
    let turn = DQuat::from_xyzw(0.3, 0.1, -0.2, 0.9);
    for x in [0.0, 3.3, 3.6, 4.0] {
        let (a, b) = (ring.at(Pose::IDENTITY), knot.at(Pose::new(turn, dvec3(x, 0.2, 0.1))));
        let (truth, exact) = (overlap(&a, &b), clearance(&a, &b));
        for steps in [0, 1, 10, 100, 1000, 10_000] {
            let budget = Budget::UNLIMITED.steps(steps);
            let found = QueryContext::new(&mut scratch).with_budget(budget).overlap(&a, &b);
            assert!(found == truth || found == Overlap::Unknown, "{x} {steps} {found:?}");
            let tolerance = Tolerance::Length(1e-4);
            let query = ClearanceQuery { tolerance, ..Default::default() };
            let gap = QueryContext::new(&mut scratch).with_budget(budget).clearance(&a, &b, &query).distance;
            assert!(
                gap.at_least <= exact.distance.at_most && exact.distance.at_least <= gap.at_most,
                "{x} {steps} {gap:?}"
            );
        }
        let cancelled = std::sync::atomic::AtomicBool::new(true);
        let budget = Budget::UNLIMITED.cancelled_by(&cancelled);
        assert_eq!(QueryContext::new(&mut scratch).with_budget(budget).overlap(&a, &b), Overlap::Unknown);
    }
    let fall = RigidMotion::between(&shift(5.0, 0.0, 4.0), &shift(0.0, 0.0, 0.5), DVec3::ZERO);
    let rest = Still::default();
    let (still, falling) = (ring.moving(&rest), knot.moving(&fall));
    let exact = time_of_impact(&still, &falling);
    let Impact::At { time, .. } = exact else { panic!("{exact:?}") };
    for steps in [1, 100, 2000, 20_000] {
        let mut context = QueryContext::new(&mut scratch).with_budget(Budget::UNLIMITED.steps(steps));
        let found = context.time_of_impact(&still, &falling, &ImpactQuery::default());
        assert!(found.safe_until() <= time.touching_by, "{steps} {found:?}");
    }
}

/// A long formula spends more of a budget for every cell, and its bounds are found with fewer cells.
#[test]
fn the_length_of_a_formula_counts_against_the_budget() {
    let long = vec!["x"; 10_000].join("+");
    let slab = Field::parse(&format!("max(abs({long}), max(abs(y), abs(z))) <= 1")).unwrap();
    let bounds = Aabb { min: DVec3::splat(-2.0), max: DVec3::splat(2.0) };
    let slab = Model::new(slab.within(bounds)).unwrap();
    let sphere = Model::new(Field::parse("x^2 + y^2 + z^2 <= 1").unwrap()).unwrap();
    let near = Pose::from_translation(DVec3::new(0.5, 2.0 - 1e-9, 0.0));
    let mut scratch = Scratch::default();
    let mut ask = QueryContext::new(&mut scratch).with_budget(Budget::default().steps(100));
    let _ = ask.overlap(&slab.at(Pose::IDENTITY), &sphere.at(near));
    assert!(ask.steps() <= 100, "{}", ask.steps());
    let _ = ask.clearance(&slab.at(Pose::IDENTITY), &sphere.at(near), &ClearanceQuery::default());
    assert!(ask.steps() <= 100, "{}", ask.steps());
}
