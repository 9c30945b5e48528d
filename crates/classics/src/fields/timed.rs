//! Functions of place and time, `f(x, y, z, t)`, as Vyatkin's formula (3) has them: one object for each frame.

use noli_implicit::{Expr, FormulaError, parse_formula};

/// Reads a formula in x, y, z and the time `t`, at one time: the object of one frame of a motion or a deformation. All
/// else is as in [`parse_formula`]; a definition of `t` in the formula itself is an error.
///
/// ```
/// use noli_classics::fields::formula_at;
/// use noli_implicit::Field;
/// // A sphere that moves along x and grows.
/// let text = "(x - 3*t)^2 + y^2 + z^2 <= (1 + t)^2";
/// let at = |t: f64| Field::new(&formula_at(text, t).unwrap()).value(glam::dvec3(3.0, 1.5, 0.0));
/// assert!(at(0.0) > 0.0 && at(1.0) < 0.0);
/// ```
///
/// # Errors
/// Those of [`parse_formula`], at places counted in `text`; and a time that is not finite.
pub fn formula_at(text: &str, time: f64) -> Result<Expr, FormulaError> {
    if !time.is_finite() {
        let (reason, remedy) = (format!("invalid time: {time}"), "give a finite number".to_owned());
        return Err(FormulaError { line: 1, column: 1, excerpt: text.to_owned(), caret: 0, reason, remedy });
    }
    // A line of its own, so that columns stay those of the text.
    parse_formula(&format!("t = {time:?}\n{text}"))
        .map_err(|error| FormulaError { line: error.line.saturating_sub(1).max(1), ..error })
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DVec3, dvec3};
    use noli_geom::Pose;
    use noli_implicit::shapes::{Waves, gardner_noise, noise_sphere};
    use noli_implicit::{Field, FieldVerdict, field_overlap};

    /// Formula (3) with `x(t)`: the noise sphere of a frame is the resting one in the frame's pose.
    #[test]
    fn a_moving_noise_sphere_is_the_resting_one_in_its_pose() {
        let waves = Waves::default();
        let resting = Field::new(&noise_sphere(23.0, &waves));
        let Waves { amplitude: a, frequency: f, shift: s } = waves;
        let factor = |along: &str, across: &str| {
            format!("({a}*sin({along}*{f}) + {a}/1.17*sin({along}*{f}/1.35 + {s}*sin({across}*{f})))")
        };
        let noise = [factor("u", "w"), factor("v", "u"), factor("w", "v")].join("*");
        let text = format!("u = x - 40*t; v = y + 5*t; w = z\n u^2 + v^2 + w^2 - 23^2 - {noise}");
        for t in [0.0, 0.3, 1.0] {
            let moved = Field::new(&formula_at(&text, t).unwrap());
            let shift = dvec3(40.0 * t, -5.0 * t, 0.0);
            for k in 0..200 {
                let p = 30.0
                    * DVec3::new(
                        (1.3 * f64::from(k)).sin(),
                        (2.1 * f64::from(k)).cos(),
                        (0.7 * f64::from(k)).sin(),
                    );
                let (here, there) = (moved.value(p + shift), resting.value(p));
                assert!((here - there).abs() < 1e-7 * (1.0 + there.abs()), "{t} {p}: {here} {there}");
            }
        }
        assert!(Field::new(&gardner_noise(&waves)).value(DVec3::ONE).abs() > 1e-3, "there is noise");
    }

    /// A growing sphere and one at rest: the frame of the first contact is where the radii and the distance say.
    #[test]
    fn growing_spheres_collide_from_their_frame_on() {
        let rest = Field::parse("(x - 4)^2 + y^2 + z^2 <= 1").unwrap();
        for frame in 0..=20 {
            let t = f64::from(frame) / 10.0;
            let growing = Field::new(&formula_at("x^2 + y^2 + z^2 <= (1 + t)^2", t + 0.05).unwrap());
            let found =
                field_overlap(&growing.at(Pose::IDENTITY), &rest.at(Pose::IDENTITY), &Default::default());
            // Radii 1 + t + 0.05 and 1 at distance 4.
            match t + 0.05 >= 2.0 {
                true => assert!(matches!(found.verdict, FieldVerdict::Hit { .. }), "{t}"),
                false => assert_eq!(found.verdict, FieldVerdict::Free, "{t}"),
            }
        }
    }

    #[test]
    fn errors_are_placed_in_the_text() {
        let error = formula_at("x^2 +\n sin(y", 0.5).unwrap_err();
        let plain = parse_formula("x^2 +\n sin(y").unwrap_err();
        assert_eq!((error.line, error.column, error.reason), (plain.line, plain.column, plain.reason));
        assert!(formula_at("t = 2; x - t", 0.0).unwrap_err().to_string().contains("already has a meaning"));
        assert!(formula_at("x - t", f64::NAN).unwrap_err().to_string().contains("invalid time"));
        assert!(parse_formula("x - t").is_err(), "without a time it has no meaning");
        assert!(formula_at("x - t", -1e-9).is_ok());
    }
}
