//! Halves, quarters and eighths of round bodies, cut through poles, seams and apexes, against closed forms.

use crate::sectors::{Piece, Sector};
use glam::{DQuat, DVec2, DVec3, dvec2};
use noli_brep::{Brep, Location, step};
use noli_testing::{Random, for_all};
use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::sync::{Arc, Mutex};

/// Every so many of the cases are checked in each run.
const EVERY: usize = 11;
/// Chord of the triangles; the bodies have radii of a few units.
const CHORD: f64 = 0.01;
/// Chord of ellipsoids, whose splines take many triangles.
const SPLINE_CHORD: f64 = 0.1;

fn line(from: [f64; 2], to: [f64; 2]) -> Piece {
    Piece::Line(from.into(), to.into())
}

fn arc(center: [f64; 2], half: [f64; 2], [from, to]: [f64; 2]) -> Piece {
    Piece::Arc { center: center.into(), half: half.into(), from, to }
}

fn ball() -> Vec<Piece> {
    vec![arc([0.0, 0.0], [6.0; 2], [-FRAC_PI_2, FRAC_PI_2]), line([0.0, 6.0], [0.0, -6.0])]
}

/// The upper half of a ball, whose quarter is an eighth of it.
fn dome() -> Vec<Piece> {
    let rim = arc([0.0, 0.0], [6.0; 2], [0.0, FRAC_PI_2]);
    vec![line([0.0, 0.0], [6.0, 0.0]), rim, line([0.0, 6.0], [0.0, 0.0])]
}

/// A hollow ball.
fn bowl() -> Vec<Piece> {
    let inner = arc([0.0, 0.0], [5.0; 2], [FRAC_PI_2, -FRAC_PI_2]);
    let outer = arc([0.0, 0.0], [6.0; 2], [-FRAC_PI_2, FRAC_PI_2]);
    vec![outer, line([0.0, 6.0], [0.0, 5.0]), inner, line([0.0, -5.0], [0.0, -6.0])]
}

fn others() -> Vec<(&'static str, Vec<Piece>)> {
    let ring = |from: f64, to: f64| arc([5.0, 1.0], [2.0; 2], [from, to]);
    vec![
        ("torus", vec![ring(0.0, PI), ring(PI, TAU)]),
        ("torus in four", vec![ring(1.0, 2.5), ring(2.5, 4.0), ring(4.0, 6.0), ring(6.0, 1.0 + TAU)]),
        (
            "cone",
            vec![line([0.0, 0.0], [3.0, 0.0]), line([3.0, 0.0], [0.0, 4.0]), line([0.0, 4.0], [0.0, 0.0])],
        ),
        (
            "double cone",
            vec![line([0.0, -2.0], [3.0, 1.0]), line([3.0, 1.0], [0.0, 4.0]), line([0.0, 4.0], [0.0, -2.0])],
        ),
        (
            "funnel",
            vec![
                line([0.0, 0.0], [3.0, 4.0]),
                line([3.0, 4.0], [2.0, 4.0]),
                line([2.0, 4.0], [0.0, 1.0]),
                line([0.0, 1.0], [0.0, 0.0]),
            ],
        ),
        (
            "cylinder",
            vec![
                line([0.0, 0.0], [3.0, 0.0]),
                line([3.0, 0.0], [3.0, 5.0]),
                line([3.0, 5.0], [0.0, 5.0]),
                line([0.0, 5.0], [0.0, 0.0]),
            ],
        ),
        (
            "ellipsoid",
            vec![arc([0.0, 0.0], [3.0, 5.0], [-FRAC_PI_2, FRAC_PI_2]), line([0.0, 5.0], [0.0, -5.0])],
        ),
        (
            "half ellipsoid",
            vec![
                line([0.0, 0.0], [3.0, 0.0]),
                arc([0.0, 0.0], [3.0, 5.0], [0.0, FRAC_PI_2]),
                line([0.0, 5.0], [0.0, 0.0]),
            ],
        ),
    ]
}

fn read(sector: &Sector) -> Result<Arc<Brep>, String> {
    let file = step::read(sector.text().as_bytes()).map_err(|error| error.to_string())?;
    match (&file.unread[..], &file.parts[..]) {
        ([], [part]) if part.body.is_solid() => Ok(Arc::clone(&part.body)),
        (unread, parts) => Err(format!("{unread:?}, {} parts", parts.len())),
    }
}

/// A box around the outline of a sector.
fn true_bounds(sector: &Sector) -> [DVec3; 2] {
    let share = |k: i32| f64::from(k) / 60.0;
    let points = sector.profile.iter().flat_map(|piece| {
        (0..=60).flat_map(move |k| {
            let p = piece.at(share(k));
            (0..=60).map(move |l| {
                let (sin, cos) = (sector.angle * share(l)).sin_cos();
                sector.turn * DVec3::new(p.x * cos, p.x * sin, p.y)
            })
        })
    });
    points.fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |[low, high], p| [low.min(p), high.max(p)])
}

/// Area and volume of its triangles, distances and locations of points, and its box against closed forms.
fn check(sector: &Sector, seed: u64) -> Result<(), String> {
    let holds = |is_right: bool, message: String| if is_right { Ok(()) } else { Err(message) };
    let body = read(sector)?;
    let chord = if sector.has_splines() { SPLINE_CHORD } else { CHORD };
    let (mesh, deviation) = body.tessellated(chord).unwrap();
    let [volume, area] = sector.volume_and_area();
    let triangles = (0..mesh.triangle_count() as u32).map(|k| mesh.triangle(k).vertices);
    let found: f64 = triangles.map(|[a, b, c]| 0.5 * (b - a).cross(c - a).length()).sum();
    // Thin triangles of a curved face have more area than the face.
    holds((found / area - 1.0).abs() < 0.03, format!("area {found} of {area}"))?;
    let found: f64 = body.faces().iter().map(|face| face.area).sum();
    holds((found / area - 1.0).abs() < 5e-4, format!("area of faces {found} of {area}"))?;
    let found = mesh.signed_volume();
    holds((found / volume - 1.0).abs() < 1e-2, format!("volume {found} of {volume}"))?;
    holds(mesh.is_closed(), "open mesh".to_owned())?;
    holds(deviation < 20.0 * chord, format!("deviation {deviation}"))?;
    let mut random = Random::new(seed);
    for _ in 0..12 {
        let point = random.vector() * 8.0;
        let expected = sector.distance(point);
        if expected.abs() < 1e-3 {
            continue;
        }
        let location = body.locate(point);
        let outside = if expected > 0.0 { Location::Outside } else { Location::Inside };
        holds(location == outside, format!("{point}: {location:?} at {expected}"))?;
        let found = body.distance_to_surface(point, 1e-4, 4000);
        let is_held = found.at_least <= expected.abs() + 1e-4 && expected.abs() <= found.at_most + 1e-4;
        holds(is_held, format!("{point}: {found:?} for {expected}"))?;
    }
    let [low, high] = true_bounds(sector);
    let bounds = body.bounds();
    let is_around = bounds.min.cmple(low + 1e-4).all() && bounds.max.cmpge(high - 1e-4).all();
    holds(is_around, format!("{bounds:?} for {low} to {high}"))?;
    let excess = (low - bounds.min).max(bounds.max - high).max_element();
    holds(excess < 0.04 * (high - low).max_element(), format!("{bounds:?} for {low} to {high}"))
}

fn check_all(cases: &[Sector], seed: u64) {
    let wrong = Mutex::new(Vec::new());
    for_all(cases, |sector| {
        if let Err(message) = check(sector, seed) {
            wrong.lock().unwrap().push(format!("{message}: {sector:?}"));
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

fn turns() -> [DQuat; 3] {
    [DQuat::IDENTITY, DQuat::from_rotation_y(FRAC_PI_2), DQuat::from_xyzw(0.3, -0.5, 0.2, 0.7).normalize()]
}

/// Spheres described from any axis: poles at vertices, inside edges, inside the face and outside of it.
fn pieces_of_balls() -> Vec<Sector> {
    let tilted = DVec3::new(1.0, 2.0, 3.0).normalize();
    let quarter = DVec3::new(1.0, 1.0, 0.0).normalize();
    let axes = [
        [DVec3::Z, DVec3::X],
        [DVec3::Z, DVec3::NEG_Y],
        [DVec3::NEG_Z, DVec3::Y],
        [DVec3::X, DVec3::Z],
        [DVec3::NEG_X, DVec3::Y],
        [DVec3::Y, DVec3::X],
        [DVec3::NEG_Y, DVec3::NEG_Z],
        [quarter, DVec3::Z],
        [tilted, DVec3::X],
    ];
    let mut cases = Vec::new();
    for profile in [ball(), dome(), bowl()] {
        for angle in [FRAC_PI_2, PI, 1.5 * PI, 0.4] {
            for axes in axes {
                for is_parted in [false, true] {
                    for first in 0..if is_parted { 4 } else { 2 } {
                        let turn = turns()[cases.len() % 3];
                        cases.push(Sector { axes, is_parted, first, turn, ..Sector::new(&profile, angle) });
                    }
                }
            }
        }
    }
    cases
}

/// Tori, cones with their apexes, cylinders and ellipsoids, whose seams lie on and off the cut.
fn pieces_of_others() -> Vec<Sector> {
    let mut cases = Vec::new();
    for (_, profile) in others() {
        for angle in [FRAC_PI_2, PI, 1.5 * PI, 0.4] {
            for seam in [DVec3::X, DVec3::NEG_X, DVec3::new(1.0, 0.3, 0.0)] {
                for is_parted in [false, true] {
                    let (first, turn) = (cases.len() % 8, turns()[cases.len() % 3]);
                    let axes = [DVec3::Z, seam];
                    cases.push(Sector { axes, is_parted, first, turn, ..Sector::new(&profile, angle) });
                }
            }
        }
    }
    cases
}

fn some(cases: &[Sector]) -> Vec<Sector> {
    cases.iter().step_by(EVERY).cloned().collect()
}

#[test]
fn pieces_of_balls_are_read_from_any_axis() {
    check_all(&some(&pieces_of_balls()), 7);
}

#[test]
fn pieces_of_other_round_bodies_are_read() {
    let mut round = pieces_of_others();
    // Those take thousands of triangles to a face.
    round.retain(|sector| !sector.has_splines());
    check_all(&some(&round), 8);
}

#[test]
#[ignore = "takes minutes"]
fn all_pieces_are_read() {
    check_all(&[pieces_of_balls(), pieces_of_others()].concat(), 9);
}

/// The closed forms of the cases themselves.
#[test]
fn closed_forms_of_sectors() {
    let half = Sector::new(&ball(), PI);
    let [volume, area] = half.volume_and_area();
    assert!((volume / (2.0 / 3.0 * PI * 216.0) - 1.0).abs() < 1e-4);
    assert!((area / (3.0 * PI * 36.0) - 1.0).abs() < 1e-4);
    assert!((half.distance(DVec3::new(0.0, -2.0, 0.0)) - 2.0).abs() < 1e-5);
    assert!((half.distance(DVec3::new(0.0, 4.5, 0.0)) + 1.5).abs() < 1e-5);
    assert!((half.distance(DVec3::new(0.0, 0.0, 8.0)) - 2.0).abs() < 1e-5);
    assert_eq!(half.profile.len(), 2);
    assert_eq!(ball()[0].at(0.5), dvec2(6.0, 0.0) + DVec2::ZERO);
}
