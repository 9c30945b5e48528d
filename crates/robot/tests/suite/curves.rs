//! Joint curves: values against naive formulas, bounds against samples, verdicts against the state checker.

use crate::support::*;
use glam::{DQuat, DVec3, dvec3};
use noli::{Convex, Impact, Mesh, Model};
use noli_geom::{GroupMotion, Pose, Sphere};
use noli_robot::cell::{Cell, CellBuilder, MotionStatus, StateStatus, TubeStatus};
use noli_robot::*;
use std::sync::Arc;

/// A curve near configurations within the limits, of every kind in turn.
pub(crate) fn random_curve(random: &mut Random, robot: &Robot, kind: usize, size: f64) -> JointCurve {
    let base = random.configuration(robot);
    let near = |random: &mut Random| -> Vec<f64> {
        let to = random.configuration(robot);
        base.iter().zip(&to).map(|(a, b)| a + (b - a) * size).collect()
    };
    let count = 2 + random.index(4);
    let points: Vec<Vec<f64>> = (0..count + 3).map(|_| near(random)).collect();
    let mut times = vec![random.between(-1.0, 5.0)];
    for _ in 1..count {
        times.push(times[times.len() - 1] + random.between(0.1, 1.0));
    }
    let rates = |random: &mut Random| -> Vec<Vec<f64>> {
        (0..count).map(|_| base.iter().map(|_| 2.0 * size * random.real()).collect()).collect()
    };
    let (velocities, accelerations) = (rates(random), rates(random));
    let rows = |all: &[Vec<f64>]| -> Vec<Vec<f64>> { all[..count].to_vec() };
    fn by(rows: &[Vec<f64>]) -> Vec<&[f64]> {
        rows.iter().map(Vec::as_slice).collect()
    }
    match kind % 4 {
        0 => JointCurve::linear(&times, &by(&rows(&points))),
        1 => JointCurve::cubic(&times, &by(&rows(&points)), &by(&velocities)),
        2 => JointCurve::quintic(&times, &by(&rows(&points)), &by(&velocities), &by(&accelerations)),
        _ => {
            let degree = 2 + random.index(2);
            let mut knots = vec![0.0];
            while knots.len() < points.len() + degree + 1 {
                // Some knots repeat.
                let repeats =
                    knots.len() > 1 && knots[knots.len() - 1] > knots[knots.len() - 2] && random.one_in(4);
                let step = if repeats { 0.0 } else { random.between(0.1, 1.0) };
                knots.push(knots[knots.len() - 1] + step);
            }
            JointCurve::b_spline(degree, &knots, &by(&points))
        }
    }
    .unwrap()
}

#[test]
fn hermite_pieces_have_the_given_derivatives() {
    let mut random = Random::new(3);
    for _ in 0..200 {
        let mut draw = |scale: f64| -> Vec<Vec<f64>> {
            (0..4).map(|_| (0..3).map(|_| scale * random.real()).collect()).collect()
        };
        let (positions, velocities, accelerations) = (draw(3.0), draw(2.0), draw(5.0));
        let by = |rows: &[Vec<f64>]| -> Vec<Vec<f64>> { rows.to_vec() };
        let (p, v, a) = (by(&positions), by(&velocities), by(&accelerations));
        let [p, v, a] = [&p, &v, &a].map(|rows| rows.iter().map(Vec::as_slice).collect::<Vec<&[f64]>>());
        let times = [0.5, 1.25, 1.5, 4.0];
        let cubic = JointCurve::cubic(&times, &p, &v).unwrap();
        let quintic = JointCurve::quintic(&times, &p, &v, &a).unwrap();
        let close = |found: &[f64], wanted: &[f64]| {
            assert!(found.iter().zip(wanted).all(|(x, y)| (x - y).abs() < 1e-6), "{found:?} {wanted:?}");
        };
        for k in 0..4 {
            assert_eq!(cubic.position(times[k]), positions[k]);
            assert_eq!(quintic.position(times[k]), positions[k]);
            // From before and from after the knot: the curves have continuous derivatives.
            for time in [times[k], times[k] - 1e-13] {
                close(&cubic.derivative(time, 1), &velocities[k]);
                close(&quintic.derivative(time, 1), &velocities[k]);
                close(&quintic.derivative(time, 2), &accelerations[k]);
            }
        }
        // The textbook formula of the cubic, in powers of time.
        let (h, s) = (0.75, 0.3);
        for joint in 0..3 {
            let (p0, p1) = (positions[0][joint], positions[1][joint]);
            let (v0, v1) = (velocities[0][joint], velocities[1][joint]);
            let (c2, c3) = (
                3.0 * (p1 - p0) / (h * h) - (2.0 * v0 + v1) / h,
                -2.0 * (p1 - p0) / (h * h * h) + (v0 + v1) / (h * h),
            );
            let wanted = p0 + v0 * s + c2 * s * s + c3 * s * s * s;
            assert!((cubic.position(0.5 + s)[joint] - wanted).abs() < 1e-12);
        }
    }
}

/// The recursion of Cox and de Boor, as printed.
fn basis(degree: usize, i: usize, knots: &[f64], t: f64) -> f64 {
    if degree == 0 {
        return f64::from(u8::from(knots[i] <= t && t < knots[i + 1]));
    }
    let part = |above: f64, below: f64| if below == 0.0 { 0.0 } else { above / below };
    part(t - knots[i], knots[i + degree] - knots[i]) * basis(degree - 1, i, knots, t)
        + part(knots[i + degree + 1] - t, knots[i + degree + 1] - knots[i + 1])
            * basis(degree - 1, i + 1, knots, t)
}

#[test]
fn b_splines_are_sums_of_basis_functions() {
    let mut random = Random::new(8);
    for round in 0..100 {
        let degree = 1 + round % 5;
        let count = degree + 1 + random.index(6);
        let points: Vec<[f64; 2]> = (0..count).map(|_| [random.real(), 5.0 * random.real()]).collect();
        let mut knots = vec![-1.0];
        while knots.len() < count + degree + 1 {
            let step = if random.one_in(4) { 0.0 } else { random.unit() };
            knots.push(knots[knots.len() - 1] + step);
        }
        let rows: Vec<&[f64]> = points.iter().map(|point| &point[..]).collect();
        let Ok(curve) = JointCurve::b_spline(degree, &knots, &rows) else { continue };
        for _ in 0..50 {
            let t = random.between(curve.span()[0], curve.span()[1]);
            let found = curve.position(t);
            for joint in 0..2 {
                let wanted: f64 = (0..count).map(|i| points[i][joint] * basis(degree, i, &knots, t)).sum();
                assert!((found[joint] - wanted).abs() < 1e-10, "{} {wanted}", found[joint]);
            }
        }
    }
    let (a, b): (&[f64], &[f64]) = (&[0.0], &[1.0]);
    assert!(matches!(JointCurve::b_spline(2, &[0.0; 5], &[a, b]), Err(JointCurveError::Knots { .. })));
    assert!(matches!(JointCurve::b_spline(1, &[0.0; 4], &[a, b]), Err(JointCurveError::Knots { .. })));
    assert_eq!(JointCurve::b_spline(12, &[0.0; 4], &[a, b]), Err(JointCurveError::Degree(12)));
    assert_eq!(JointCurve::linear(&[0.0, 0.0], &[a, b]), Err(JointCurveError::Times(1)));
    assert_eq!(JointCurve::linear(&[0.0], &[a]), Err(JointCurveError::TooFew(1)));
    assert!(JointCurve::linear(&[0.0, f64::NAN], &[a, b]).is_err());
    assert!(JointCurve::cubic(&[0.0, 1.0], &[a, b], &[a, &[]]).is_err());
}

#[test]
fn points_stay_within_the_bounds_of_curves() {
    let mut random = Random::new(31);
    let mut robots = vec![puma560(PumaSet::FuGonzalezLee), Robot::from_urdf_str(EVERY_KIND).unwrap()];
    robots.extend(real_robots().iter().map(|(_, text)| Robot::from_urdf_str(text).unwrap()));
    for robot in robots.into_iter().map(Arc::new) {
        for round in 0..300 {
            let size = [1.0, 0.2, 0.02][random.index(3)];
            let curve = random_curve(&mut random, &robot, round, size);
            let place = Pose::new(DQuat::from_xyzw(0.1, 0.2, -0.4, 0.8), random.in_sphere() * 3.0);
            let motion = CurveMotion::new(robot.clone(), place, &curve).unwrap();
            let link = random.index(robot.links().len());
            let sphere = Sphere { center: random.in_sphere() * 0.3, radius: random.unit() * 0.2 };
            let mut points = vec![sphere.center];
            points.extend((0..6).map(|_| sphere.center + random.in_sphere().normalize() * sphere.radius));
            let length = [1.0, 0.3, 0.03, 0.001][random.index(4)];
            let t0 = random.unit() * (1.0 - length);
            let (path, stray) = sampled(&motion, link, &points, t0, t0 + length);
            let travel = motion.travel(link, &sphere, t0, t0 + length);
            let deviation = motion.chord_deviation(link, &sphere, t0, t0 + length);
            assert!(path <= travel, "{}: {path} > {travel}", robot.name());
            assert!(stray <= deviation, "{}: {stray} > {deviation}", robot.name());
        }
    }
}

fn sampled(motion: &CurveMotion, link: usize, points: &[DVec3], t0: f64, t1: f64) -> (f64, f64) {
    let (start, end) = (motion.pose(link, t0), motion.pose(link, t1));
    let (mut path, mut stray) = (0.0f64, 0.0f64);
    for k in 0..=64 {
        let share = f64::from(k) / 64.0;
        let pose = motion.pose(link, t0 + (t1 - t0) * share);
        for &point in points {
            let (a, b) = (start.transform_point(point), end.transform_point(point));
            let now = pose.transform_point(point);
            path = path.max(now.distance(a));
            stray = stray.max(now.distance(a.lerp(b, share)));
        }
    }
    (path, stray)
}

/// Robots of primitives among a few bodies.
pub(crate) fn cells() -> Vec<(Arc<Robot>, Cell)> {
    let mut robots = vec![puma560(PumaSet::FuGonzalezLee), Robot::from_urdf_str(EVERY_KIND).unwrap()];
    let plain = real_robots().into_iter().filter(|(file, _)| file.contains("spherized"));
    robots.extend(plain.map(|(_, text)| Robot::from_urdf_str(&text).unwrap()));
    robots.into_iter().map(Arc::new).map(|robot| (robot.clone(), cell_of(robot))).collect()
}

fn cell_of(robot: Arc<Robot>) -> Cell {
    let shapes = robot.shapes(|file| Err(file.to_owned())).unwrap();
    let build = |skipped: &[[String; 2]]| {
        let (mut plan, mut random) = (CellBuilder::default(), Random::new(77));
        let place = Pose::from_rotation(DQuat::from_rotation_z(0.3));
        plan.add_robot("", robot.clone(), place, &shapes).unwrap();
        skipped.iter().for_each(|[a, b]| plan.disable(a, b, "they always meet").unwrap());
        let sphere = Model::new(Convex::sphere(0.06).unwrap()).unwrap();
        let torus = Model::new(Mesh::torus(0.2, 0.02, 24, 12).unwrap().into_solid()).unwrap();
        for k in 0..3 {
            let place = Pose::from_translation(random.in_sphere() * 0.7 + dvec3(0.0, 0.0, 0.6));
            plan.add_obstacle(&format!("body{k}"), if k == 0 { &torus } else { &sphere }, place).unwrap();
        }
        plan.build()
    };
    let cell = build(&[]);
    let mut counts = vec![0; cell.pairs().len()];
    let (mut checker, mut hits, mut draw) = (cell.checker(), Vec::new(), Random::new(1));
    for _ in 0..40 {
        checker.colliding_pairs(&draw.configuration(&robot), &mut hits).unwrap();
        hits.iter().for_each(|hit| counts[hit.pair] += 1);
    }
    let often = (0..counts.len()).filter(|&pair| counts[pair] > 12);
    build(&often.map(|pair| cell.pair_names(pair).map(str::to_owned)).collect::<Vec<_>>())
}

/// What is called collision-free has no collision at samples, and what is called blocked collides at that time.
#[test]
fn verdicts_on_curves_are_those_of_samples() {
    const SAMPLES: usize = 400;
    let mut random = Random::new(5);
    for (robot, cell) in cells() {
        let mut checker = cell.checker();
        let mut counts = [0usize; 3];
        for round in 0..400 {
            let size = [0.5, 0.15, 0.05][random.index(3)];
            let curve = random_curve(&mut random, &robot, round, size);
            let status = checker.check_curve(&curve).unwrap();
            let at = |share: f64| curve.position(curve.time_at(share));
            let states: Vec<f64> = (0..=SAMPLES).flat_map(|k| at(k as f64 / SAMPLES as f64)).collect();
            let hit = checker.any_in_collision(&states).unwrap();
            match status {
                MotionStatus::Free => {
                    counts[0] += 1;
                    assert_eq!(hit, None, "{} round {round}", robot.name());
                    assert!(matches!(checker.first_contact_on_curve(&curve).unwrap(), Impact::Free));
                }
                MotionStatus::Blocked { at: share, .. } => {
                    counts[1] += 1;
                    assert!(matches!(checker.check_state(&at(share)).unwrap(), StateStatus::Hit(_)));
                }
                MotionStatus::Close { .. } => counts[2] += 1,
            }
        }
        eprintln!("{}: free, blocked, close {counts:?}", robot.name());
        assert!(counts[2] < 8, "{counts:?}");
        if cell.pairs().len() > 3 {
            assert!(counts[0] > 20 && counts[1] > 20, "{counts:?}");
        }
    }
}

/// Within the tolerance of a tube that is called collision-free, no random configuration collides.
#[test]
fn tubes_that_are_proven_have_no_collision() {
    let mut random = Random::new(17);
    for (robot, cell) in cells() {
        let mut checker = cell.checker();
        let (mut counts, mut witnesses) = ([0usize; 3], 0);
        for round in 0..120 {
            let curve = random_curve(&mut random, &robot, round, 0.1);
            let width = [0.001, 0.01, 0.03][random.index(3)];
            let tolerance: Vec<f64> = (0..curve.variables()).map(|_| width * random.unit()).collect();
            let TubeStatus { status, deviation } = checker.tube(&curve, &tolerance).unwrap();
            if status == MotionStatus::Free {
                counts[0] += 1;
                assert_eq!(checker.check_curve(&curve).unwrap(), MotionStatus::Free);
                let states: Vec<f64> = (0..600)
                    .flat_map(|_| {
                        let values = curve.position(curve.time_at(random.unit()));
                        let off = |value: f64, most: f64, random: &mut Random| {
                            value
                                + most * if random.one_in(2) { random.real() } else { random.real().signum() }
                        };
                        values
                            .iter()
                            .zip(&tolerance)
                            .map(|(v, t)| off(*v, *t, &mut random))
                            .collect::<Vec<_>>()
                    })
                    .collect();
                assert_eq!(checker.any_in_collision(&states).unwrap(), None, "{} {round}", robot.name());
            } else if let MotionStatus::Blocked { at, .. } = status {
                counts[1] += 1;
                let itself = checker.check_curve(&curve).unwrap() != MotionStatus::Free;
                assert!(itself || deviation.is_some(), "{} {round}", robot.name());
                let Some(values) = deviation else { continue };
                witnesses += 1;
                assert!(matches!(checker.check_state(&values).unwrap(), StateStatus::Hit(_)));
                let center = curve.position(curve.time_at(at));
                let away = values.iter().zip(&center).zip(&tolerance);
                assert!(
                    away.into_iter()
                        .all(|((value, center), most)| (value - center).abs() <= most * (1.0 + 1e-12))
                );
            } else {
                counts[2] += 1;
            }
        }
        eprintln!(
            "{}: {witnesses} deviations that collide; tubes free, blocked, close {counts:?}",
            robot.name()
        );
        assert!(counts[0] > 10);
    }
}

/// The first contact lies before the first sample that collides, and nothing collides before it.
#[test]
fn first_contacts_on_curves_bracket_those_of_samples() {
    const SAMPLES: usize = 2000;
    let mut random = Random::new(6);
    for (robot, cell) in cells().into_iter().take(3) {
        let mut checker = cell.checker();
        let mut found = 0;
        for round in 0..80 {
            let curve = random_curve(&mut random, &robot, round, 0.3);
            let at = |share: f64| curve.position(curve.time_at(share));
            let mut statuses = Vec::new();
            let states: Vec<f64> = (0..=SAMPLES).flat_map(|k| at(k as f64 / SAMPLES as f64)).collect();
            checker.check_states(&states, &mut statuses).unwrap();
            let first = statuses.iter().position(|status| *status != StateStatus::Free);
            let impact = checker.first_contact_on_curve(&curve).unwrap();
            let Some(first) = first else { continue };
            let sample = first as f64 / SAMPLES as f64;
            match impact {
                Impact::AtStart(_) => assert_eq!(first, 0),
                Impact::At { time, .. } => {
                    found += 1;
                    assert!(time.safe_until <= sample, "{time:?} {sample}");
                    let before = (0..first).rev().find(|&k| statuses[k] == StateStatus::Free);
                    // Contacts between samples are real: they may come earlier, but not by chance later.
                    assert!(time.safe_until <= time.touching_by && before.is_some());
                }
                Impact::Unknown { safe_until } => assert!(safe_until <= sample),
                Impact::Free => panic!("a sample collides at {sample}"),
            }
        }
        eprintln!("{}: {found} contacts", robot.name());
    }
}

#[test]
fn straight_curves_are_edges() {
    let mut random = Random::new(15);
    let (robot, cell) = cells().swap_remove(0);
    let mut checker = cell.checker();
    for _ in 0..300 {
        let (a, b) = (random.configuration(&robot), random.configuration(&robot));
        let b: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a + 0.3 * (b - a)).collect();
        let curve = JointCurve::linear(&[0.0, 1.0], &[&a, &b]).unwrap();
        let (edge, along) = (checker.check_motion(&a, &b).unwrap(), checker.check_curve(&curve).unwrap());
        let kind = |status| match status {
            MotionStatus::Free => 0,
            MotionStatus::Blocked { .. } => 1,
            MotionStatus::Close { .. } => 2,
        };
        assert!(kind(edge) == kind(along) || kind(edge) == 2 || kind(along) == 2, "{edge:?} {along:?}");
        if along == MotionStatus::Free {
            let (x, y) = (
                checker.clearance_along(&[&a, &b], 60).unwrap().clearance,
                checker.clearance_along_curve(&curve, 60).unwrap().clearance,
            );
            assert!(x.at_least <= y.at_most && y.at_least <= x.at_most, "{x:?} {y:?}");
        }
    }
}

/// Time of thirty cubic segments of seven joints; reported, with a generous limit.
#[test]
fn thirty_cubic_segments_are_proven_quickly() {
    let Some((_, text)) = real_robots().into_iter().find(|(file, _)| file.ends_with("panda_spherized.urdf"))
    else {
        return noli_testing::skip("no Panda");
    };
    let robot = Arc::new(Robot::from_urdf_str(&text).unwrap());
    let cell = cell_of(robot.clone());
    let mut checker = cell.checker();
    let mut random = Random::new(9);
    let mut curve = None;
    // Smooth curves whose every piece is free: points found one after the other.
    'search: for _ in 0..200 {
        let mut rows = vec![random.configuration(&robot)];
        while rows.len() < 31 {
            let last = rows[rows.len() - 1].clone();
            let next = (0..100).find_map(|_| {
                let to = random.configuration(&robot);
                let to: Vec<f64> = last.iter().zip(&to).map(|(a, b)| a + 0.1 * (b - a)).collect();
                (checker.check_motion(&last, &to) == Ok(MotionStatus::Free)).then_some(to)
            });
            let Some(next) = next else { continue 'search };
            rows.push(next);
        }
        let times: Vec<f64> = (0..31).map(f64::from).collect();
        let rate = |k: usize, joint: usize| match k {
            0 | 30 => 0.0,
            k => 0.5 * (rows[k + 1][joint] - rows[k - 1][joint]),
        };
        let rates: Vec<Vec<f64>> =
            (0..31).map(|k| (0..rows[0].len()).map(|joint| rate(k, joint)).collect()).collect();
        let by = |rows: &[Vec<f64>]| -> Vec<Vec<f64>> { rows.to_vec() };
        let (p, v) = (by(&rows), by(&rates));
        let [p, v] = [&p, &v].map(|rows| rows.iter().map(Vec::as_slice).collect::<Vec<&[f64]>>());
        let found = JointCurve::cubic(&times, &p, &v).unwrap();
        if checker.check_curve(&found) == Ok(MotionStatus::Free) {
            curve = Some(found);
            break;
        }
    }
    let curve = curve.expect("some curve is free");
    // What is made once for many questions is not theirs.
    cell.prepare();
    let start = std::time::Instant::now();
    for _ in 0..10 {
        assert_eq!(checker.check_curve(&curve), Ok(MotionStatus::Free));
    }
    let each = start.elapsed() / 10;
    let before = checker.exact_query_count();
    let (start, mut queries) = (std::time::Instant::now(), 0);
    let ends: Vec<Vec<f64>> = curve.knots().iter().map(|&knot| curve.position(knot)).collect();
    for two in ends.windows(2) {
        let _ = checker.check_motion(&two[0], &two[1]).unwrap();
        queries = checker.exact_query_count() - before;
    }
    eprintln!("30 straight edges: {:?}, {queries} exact queries", start.elapsed());
    let before = checker.exact_query_count();
    let _ = checker.check_curve(&curve).unwrap();
    eprintln!("curve: {} exact queries", checker.exact_query_count() - before);
    let room = checker.clearance_along_curve(&curve, 400).unwrap();
    eprintln!("clearance {:?}", room.clearance);
    eprintln!("30 cubic segments, {} joints: {each:?}", robot.variables().len());
    assert!(each.as_secs_f64() < 2.0);
}

/// A slide that stops 5 cm before a wall: only deviations at its end collide, and one of them is returned.
#[test]
fn a_tube_that_collides_at_its_end_alone_has_a_witness() {
    let text = "<robot name=\"slider\"><link name=\"base\"/><link name=\"tool\"><collision><geometry><box size=\"0.1 0.1 0.1\"/>\
        </geometry></collision></link><joint name=\"x\" type=\"prismatic\"><parent link=\"base\"/><child link=\"tool\"/>\
        <axis xyz=\"1 0 0\"/><limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"1\"/></joint></robot>";
    let robot = Arc::new(Robot::from_urdf_str(text).unwrap());
    let shapes = robot.shapes(|file| Err(file.to_owned())).unwrap();
    let mut builder = CellBuilder::default();
    builder.add_robot("", robot, Pose::IDENTITY, &shapes).unwrap();
    let wall = Model::new(Convex::cuboid(dvec3(0.1, 1.0, 1.0)).unwrap()).unwrap();
    builder.add_obstacle("wall", &wall, Pose::from_translation(DVec3::X * 0.65)).unwrap();
    let cell = builder.build();
    let mut checker = cell.checker();
    let curve = JointCurve::linear(&[0.0, 1.0], &[&[0.0], &[0.5]]).unwrap();
    assert_eq!(checker.check_tube(&curve, &[0.04]), Ok(MotionStatus::Free));
    let found = checker.tube(&curve, &[0.06]).unwrap();
    assert!(matches!(found.status, MotionStatus::Blocked { at, .. } if at > 0.9), "{found:?}");
    let x = found.deviation.unwrap()[0];
    assert!(x > 0.55 - 1e-9 && x <= 0.56 + 1e-12, "{x}");
}
