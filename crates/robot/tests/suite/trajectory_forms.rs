//! Trajectory files that say how their points are driven.

use crate::support::*;
use noli_robot::profile::{DriveLimits, Profile, drive_straight};
use noli_robot::*;

fn puma() -> Robot {
    puma560(PumaSet::FuGonzalezLee)
}

fn read(text: &str) -> JointTable {
    JointTable::from_trajectory_str(text, &puma()).unwrap()
}

fn error(text: &str) -> String {
    JointTable::from_trajectory_str(text, &puma()).unwrap_err().to_string()
}

const B_SPLINE: &str = "joint_names: [j1, j2_deg]
interpolation: b-spline
degree: 2
knots: [0, 0, 0, 1, 3, 3, 3]
control_points:
- [0.0, 0]
- [1.0, 90]
- positions: [0.0, 0]
- [0.5, 45]
";

const SPLINE: &str = "joint_trajectory:
  joint_names: [j1, j3]
  interpolation: spline
  points:
  - {positions: [0.0, 0.0], time_from_start: 0, velocities: [0.5, 0.0]}
  - {positions: [1.0, 0.2], time_from_start: 1, velocities: []}
  - {positions: [0.5, 0.1], time_from_start: 2.5}
  - {positions: [0.0, 0.4], time_from_start: 3}
";

const PROFILE: &str = "joint_names: [j1, j2]
profile: s-curve
limits: {velocity: 1.0, acceleration: [2, 4], jerk: 20}
points:
- [0.0, 0.0]
- {positions: [1.0, -0.5]}
- [1.0, -0.5]
- [0.2, 0.3]
";

/// A quadratic B-spline by its closed form: on its first span it is `c0 (1-t)² + c1 (2t - 4t²/3) + c2 t²/3`.
#[test]
fn b_splines_are_driven_by_their_control_points() {
    let table = read(B_SPLINE);
    assert_eq!(
        (table.form.word(), table.form.passes_rows(), table.times.is_none()),
        ("b-spline", false, true)
    );
    let curve = table.curve().unwrap();
    assert_eq!((curve.knots(), curve.variables()), (&[0.0, 1.0, 3.0][..], 6));
    for k in 0..=20 {
        let t = f64::from(k) / 20.0;
        let wanted = 2.0 * t - 4.0 / 3.0 * t * t;
        let found = curve.position(t);
        assert!((found[0] - wanted).abs() < 1e-14, "{found:?} {wanted}");
        assert!((found[1] - wanted.to_radians() * 90.0).abs() < 1e-14);
    }
    assert_eq!(curve.position(3.0)[0], 0.5);
    // Even knots over a duration, and degree three, unless given.
    let even = B_SPLINE.replace("degree: 2\nknots: [0, 0, 0, 1, 3, 3, 3]", "duration: 2");
    let curve = read(&even).curve().unwrap();
    assert_eq!((curve.knots(), curve.position(0.0)[0], curve.position(2.0)[0]), (&[0.0, 2.0][..], 0.0, 0.5));
    assert_eq!(JointCurve::clamped_knots(2, 5, 3.0), [0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 3.0, 3.0]);
}

/// Accelerations are continuous, velocities at the ends as given; a cubic is its own spline.
#[test]
fn splines_pass_through_points_with_continuous_accelerations() {
    let table = read(SPLINE);
    let curve = table.curve().unwrap();
    for (row, &time) in table.rows.iter().zip(curve.knots()) {
        assert_eq!(&curve.position(time), row);
    }
    for &knot in &curve.knots()[1..3] {
        for order in 0..3 {
            let [before, after] = [knot - 1e-9, knot + 1e-9].map(|time| curve.derivative(time, order));
            before.iter().zip(&after).for_each(|(a, b)| assert!((a - b).abs() < 1e-6, "{order} at {knot}"));
        }
    }
    assert_eq!((curve.derivative(0.0, 1)[0], curve.derivative(3.0, 1)[0]), (0.5, 0.0));
    let cubic = |t: f64| t * t * t - 2.0 * t * t + 0.5 * t;
    let rate = |t: f64| 3.0 * t * t - 4.0 * t + 0.5;
    let times = [0.0, 0.3, 1.1, 1.2, 2.0];
    let values = times.map(|t| [cubic(t)]);
    let rows: Vec<&[f64]> = values.iter().map(|row| &row[..]).collect();
    let curve = JointCurve::spline(&times, &rows, [&[rate(0.0)], &[rate(2.0)]]).unwrap();
    for k in 0..=100 {
        let t = f64::from(k) / 50.0;
        assert!((curve.position(t)[0] - cubic(t)).abs() < 1e-13, "{t}");
    }
    // Two points: the cubic between them.
    let two = JointCurve::spline(&[0.0, 1.0], &[&[0.0], &[1.0]], [&[0.0], &[0.0]]).unwrap();
    assert_eq!(two, JointCurve::cubic(&[0.0, 1.0], &[&[0.0], &[1.0]], &[&[0.0], &[0.0]]).unwrap());
}

/// Straight in joint space, at rest at each point, within limits at every sample, and as quick as closed forms.
#[test]
fn profiles_keep_limits_on_straight_segments() {
    let curve = read(PROFILE).curve().unwrap();
    // The second joint is at its limit of acceleration later than the first: 1 s at full speed, and ramps of a/j and v/a.
    let wanted = 1.0 + 1.0 / 2.0 + 2.0 / 20.0;
    let met = curve.knots().iter().find(|&&knot| curve.position(knot)[0] == 1.0).unwrap();
    assert!((met - wanted).abs() < 1e-6, "{met}");
    for k in 0..=10_000 {
        let time = curve.time_at(f64::from(k) / 10_000.0);
        for (order, most) in [(1, [1.0, 1.0]), (2, [2.0, 4.0]), (3, [20.0, 20.0])] {
            let rates = curve.derivative(time, order);
            assert!(rates[0].abs() <= most[0] * (1.0 + 1e-9) && rates[1].abs() <= most[1] * (1.0 + 1e-9));
        }
        let at = curve.position(time);
        let off = if time <= *met { at[1] + 0.5 * at[0] } else { at[0] - 1.0 + at[1] + 0.5 };
        assert!(off.abs() < 1e-12, "{at:?} is not on a straight segment");
    }
    let trapezoid = read(&PROFILE.replace("s-curve", "trapezoidal"));
    assert_eq!(trapezoid.form.word(), "trapezoidal");
    let curve = trapezoid.curve().unwrap();
    let met = curve.knots().iter().find(|&&knot| curve.position(knot)[0] == 1.0).unwrap();
    assert!((met - 1.5).abs() < 1e-9, "{met}");
    assert_eq!(curve.derivative(*met, 1), [0.0; 6]);
    // Without limits in the file they are the robot's.
    let own = read(&PROFILE.replace("limits: {velocity: 1.0, acceleration: [2, 4], jerk: 20}\n", ""));
    let Form::Profile { limits, .. } = &own.form else { panic!("{:?}", own.form) };
    assert_eq!(limits, &DriveLimits::of_robot(&puma()));
}

/// Random waypoints and limits: velocities, accelerations and jerks hold at samples, the path is straight and ends rest.
#[test]
fn random_profiles_keep_their_limits() {
    let mut random = Random::new(31);
    for round in 0..300 {
        let mut draw =
            |low: f64, high: f64| -> Vec<f64> { (0..3).map(|_| random.between(low, high)).collect() };
        let rows: Vec<Vec<f64>> = (0..2 + round % 4).map(|_| draw(-3.0, 3.0)).collect();
        let limits =
            DriveLimits { velocity: draw(0.1, 3.0), acceleration: draw(0.5, 10.0), jerk: draw(5.0, 200.0) };
        let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        for profile in [Profile::Trapezoidal, Profile::SCurve] {
            let curve = drive_straight(&rows, &limits, profile).unwrap();
            assert_eq!(curve.position(curve.duration()), rows[rows.len() - 1]);
            for k in 0..=1000 {
                let time = curve.time_at(f64::from(k) / 1000.0);
                let most = [&limits.velocity, &limits.acceleration, &limits.jerk];
                let orders = if profile == Profile::Trapezoidal { 2 } else { 3 };
                for (order, most) in (1..=orders).zip(most) {
                    for (rate, most) in curve.derivative(time, order).iter().zip(most) {
                        assert!(rate.abs() <= most * (1.0 + 1e-9), "{profile:?} {order}: {rate} > {most}");
                    }
                }
            }
        }
    }
    let none = DriveLimits { velocity: vec![1.0], acceleration: vec![0.0], jerk: vec![1.0] };
    let refused = drive_straight(&[&[0.0], &[1.0]], &none, Profile::SCurve);
    assert_eq!(refused, Err(JointCurveError::Limit { what: "acceleration", variable: 0 }));
}

#[test]
fn wrong_forms_say_where_and_what_to_do() {
    let changes = [
        (
            B_SPLINE,
            "b-spline\n",
            "bezier\n",
            "line 2, column 16: `bezier` is not a known interpolation; known are spline",
        ),
        (B_SPLINE, "interpolation", "interpolaton", "line 2, column 15: `interpolaton` is not a known key"),
        (
            B_SPLINE,
            "degree: 2",
            "degree: 2.5",
            "line 3, column 9: `degree`: `2.5` is not a whole number from 1 to 9",
        ),
        (
            B_SPLINE,
            "degree: 2",
            "degree: 12",
            "line 3, column 9: `degree`: `12` is not a whole number from 1 to 9",
        ),
        (
            B_SPLINE,
            "degree: 2",
            "degree: 3",
            "line 4, column 8: 7 knots for 4 control points of degree 3; give 8",
        ),
        (
            B_SPLINE,
            "1, 3, 3",
            "1, 3, 2",
            "line 4, column 8: 7 knots for 4 control points of degree 2; give 7, none",
        ),
        (B_SPLINE, "1, 3,", "x, 3,", "line 4, column 18: `knots`: `x` is not a finite number"),
        (
            B_SPLINE,
            "knots: [0, 0, 0, 1, 3, 3, 3]\n",
            "",
            "line 1, column 1: `knots`, or the `duration` of even ones, is",
        ),
        (B_SPLINE, "degree: 2", "duration: 2", "line 3, column 11: `duration` beside `knots` is not read"),
        (
            B_SPLINE,
            "control_points",
            "points",
            "line 6, column 3: `points` of a B-spline is not read; give `control_",
        ),
        (
            B_SPLINE,
            "interpolation: b-spline\n",
            "",
            "line 2, column 9: `degree` is not read; give `interpolation",
        ),
        (B_SPLINE, "[1.0, 90]", "[1.0]", "line 7, column 3: row 2 has 1 cells, the heading has 2"),
        (
            B_SPLINE,
            "[0.0, 0]\n- [0.5",
            "[0.0, 0]\n  time_from_start: 1\n- [0.5",
            "line 9, column 20: `time_from_start` of a point whose knots give",
        ),
        (SPLINE, ", time_from_start: 2.5", "", "line 7, column 5: `time_from_start` is missing"),
        (
            SPLINE,
            "velocities: []",
            "velocities: [0, 0]",
            "line 6, column 61: a velocity or acceleration inside a spline is not read",
        ),
        (
            SPLINE,
            "interpolation: spline",
            "profile: slow",
            "line 3, column 12: `slow` is not a known profile; known are trap",
        ),
        (
            SPLINE,
            "interpolation: spline",
            "profile: s-curve",
            "line 5, column 46: `time_from_start` of a point whose limits",
        ),
        (
            SPLINE,
            "joint_trajectory",
            "profile: s-curve\njoint_trajectory",
            "line 1, column 10: the form of a trajectory outside",
        ),
        (
            PROFILE,
            "profile",
            "interpolation: spline\nprofile",
            "line 3, column 10: `profile` beside `interpolation`",
        ),
        (PROFILE, "velocity: 1.0", "velocity: 0", "line 3, column 20: `velocity` is 0; it must be above 0"),
        (PROFILE, "velocity", "speed", "line 3, column 17: `speed` is not a known limit; known are velocity"),
        (
            PROFILE,
            "[2, 4]",
            "[2]",
            "line 3, column 39: `acceleration`: `a list` is not one number, or one for each of 2",
        ),
        (
            PROFILE,
            "- [0.0, 0.0]\n- {positions: [1.0, -0.5]}\n- [1.0, -0.5]\n- [0.2, 0.3]",
            "- [1, 1]\n- [1, 1]",
            "line 5, column 3: a curve needs at least two",
        ),
    ];
    let mut wrong = Vec::new();
    for (text, change, with, message) in changes {
        let changed = text.replacen(change, with, 1);
        assert_ne!(changed, text);
        let found = error(&changed);
        if !found.starts_with(message) {
            wrong.push(format!("{found}\nwanted {message}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // What other programs write beside points is left aside.
    let plain =
        "joint_names: [j1]\nduration: 3\nlimits: none\npoints: [{positions: [0]}, {positions: [1]}]\n";
    assert_eq!(read(plain).form, Form::Interpolated);
}

#[test]
fn mutated_forms_never_panic() {
    let (mut random, robot) = (Random::new(5), puma());
    let words = [
        "nan",
        "[",
        "]",
        "{",
        "}",
        ": ",
        "- ",
        "\n",
        "1e308",
        "-1e308",
        "1e-308",
        "0",
        "9",
        "spline",
        "b-spline",
        "s-curve",
        "trapezoidal",
    ];
    let start = std::time::Instant::now();
    let (mut good, mut all) = (0, 0);
    while all < 20_000 && start.elapsed().as_secs() < 20 {
        all += 1;
        let mut bytes = [B_SPLINE, SPLINE, PROFILE][all % 3].as_bytes().to_vec();
        mutate(&mut bytes, &words, &mut random);
        let Ok(table) = JointTable::from_trajectory_str(&String::from_utf8_lossy(&bytes), &robot) else {
            continue;
        };
        good += 1;
        if table.form != Form::Interpolated {
            let curve = table.curve().expect("read as a curve");
            assert!(curve.position(curve.time_at(0.3)).iter().all(|value| value.is_finite()));
        }
    }
    eprintln!("{good} of {all} mutants were still trajectories");
    assert!(good > 100 && good < all);
}
