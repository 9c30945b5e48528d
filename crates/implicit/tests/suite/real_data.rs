//! Published expression graphs; skipped where the data is not present.

use crate::support::Random;
use glam::{DQuat, DVec3, dvec3};
use noli_geom::{Aabb, Pose};
use noli_implicit::{Field, FieldQuery, FieldVerdict, field_overlap, parse_vm};

/// A graph, shrunk by so much.
///
/// Parts cut from each other leave skins without thickness, where the function is zero and nowhere negative:
/// samples never see them.
fn graph(name: &str, shrunk: f64) -> Option<Field> {
    let path = noli_testing::data("implicit")?.join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let expr = parse_vm(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    Some(Field::new(&(expr + shrunk)))
}

fn cube(half: f64) -> Aabb {
    Aabb { min: DVec3::splat(-half), max: DVec3::splat(half) }
}

#[test]
fn colonnade_and_tanglecube_agree_with_samples() {
    let counts = compare_graphs(1e-2, &FieldQuery::default());
    assert!(counts.is_none_or(|[free, hit, open]| free > 2 && hit > 2 && open == 0), "{counts:?}");
}

/// As published, two of the pairs share nothing but points of skins: these are contacts, which vanish when
/// the graphs are shrunk.
#[test]
fn raw_graphs_are_decided_too() {
    let counts = compare_graphs(0.0, &FieldQuery { cells: 1000, ..Default::default() });
    assert!(counts.is_none_or(|counts| counts == [7, 5, 0]), "{counts:?}");
    let shrunk = compare_graphs(1e-3, &FieldQuery { cells: 50_000, ..Default::default() });
    assert!(shrunk.is_none_or(|counts| counts == [9, 3, 0]), "{shrunk:?}");
}

/// Counts the free, hit and undecided of twelve poses, each verdict checked against samples.
fn compare_graphs(shrunk: f64, query: &FieldQuery<'_>) -> Option<[usize; 3]> {
    let (colonnade, tanglecube) = (graph("colonnade.vm", shrunk)?, graph("tanglecube.vm", shrunk)?);
    let colonnade = colonnade.within(cube(1.0));
    let mut rng = Random::new(9);
    let mut counts = [0; 3];
    for case in 0..12 {
        let turn = DQuat::from_xyzw(rng.real(), rng.real(), rng.real(), rng.real());
        let pose = Pose::new(turn, if case == 0 { DVec3::ZERO } else { rng.vector() * 4.0 });
        let back = pose.inverse();
        let sampled = (0..10_000).any(|_| {
            let p = rng.vector();
            colonnade.value(p) <= 0.0 && tanglecube.value(back.transform_point(p)) <= 0.0
        });
        let found = field_overlap(&colonnade.at(Pose::IDENTITY), &tanglecube.at(pose), query);
        match found.verdict {
            FieldVerdict::Free => {
                counts[0] += 1;
                assert!(!sampled, "case {case}: a common point was sampled");
            }
            FieldVerdict::Hit { point } => {
                counts[1] += 1;
                // On a skin the point is the nearest that there is.
                assert!(colonnade.value(point) <= 1e-14, "case {case}");
                assert!(tanglecube.value(back.transform_point(point)) <= 1e-9);
            }
            FieldVerdict::Unknown { within } => {
                eprintln!("case {case}: {within:?} after {} cells", found.cells);
                counts[2] += 1;
            }
        }
    }
    Some(counts)
}

/// The text of the graph as a plate, pressed against a sphere and lifted off.
#[test]
fn the_extruded_text_meets_a_sphere_where_it_says() {
    let Some(text) = graph("prospero.vm", 1e-2) else { return };
    let flat = Aabb { min: dvec3(-1.0, -1.0, -0.05), max: dvec3(1.0, 1.0, 0.05) };
    let text = text.within(flat);
    let sphere = Field::parse("x^2+y^2+z^2 <= 0.0004").unwrap();
    let mut rng = Random::new(21);
    let mut counts = [0; 2];
    for case in 0..10 {
        let at = dvec3(rng.real() * 0.9, rng.real() * 0.9, 0.05);
        let found = field_overlap(
            &text.at(Pose::IDENTITY),
            &sphere.at(Pose::from_translation(at)),
            &FieldQuery::default(),
        );
        let sampled = (0..2000).any(|_| {
            let p = at + rng.vector().normalize_or_zero() * 0.02 * rng.unit();
            p.z.abs() <= 0.05 && text.value(p) <= 0.0
        });
        match found.verdict {
            FieldVerdict::Free => {
                counts[0] += 1;
                assert!(!sampled, "case {case}");
            }
            FieldVerdict::Hit { point } => {
                counts[1] += 1;
                assert!(text.value(point) <= 0.0 && point.distance(at) <= 0.02 + 1e-9);
            }
            FieldVerdict::Unknown { .. } => panic!("case {case}: {found:?}"),
        }
    }
    assert!(counts[0] > 0 && counts[1] > 0, "{counts:?}");
}
