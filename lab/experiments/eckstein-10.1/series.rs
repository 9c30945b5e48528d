//! The figures D.8 to D.48 of the thesis: the cost, or the time, of every step.

use super::settings::{GOTTSCHALK, WITH, WITHOUT, ZACHMANN};
use super::{InMotion, Ran};
use crate::{Plot, Series, Session};

/// As many points as a picture shows.
const POINTS: usize = 60;

/// Settings that a figure compares.
#[derive(Clone, Copy)]
enum Shown {
    Degrees,
    Rates,
    /// Named ones.
    These(&'static [&'static str]),
}

/// Figures over the same settings, one for each motion.
struct Figure {
    name: &'static str,
    family: &'static [&'static str],
    shown: Shown,
    motions: &'static [&'static str],
    /// Measured times in place of costs.
    times: bool,
}

const fn figure(
    name: &'static str,
    family: &'static [&'static str],
    shown: Shown,
    motions: &'static [&'static str],
) -> Figure {
    Figure { name, family, shown, motions, times: false }
}

const fn times(figure: Figure) -> Figure {
    Figure { times: true, ..figure }
}

/// The motions of D.20, D.21, D.25, D.26, D.33 and D.34 are not named in the text.
const FIGURES: [Figure; 22] = [
    figure("D.8, D.9", &[ZACHMANN], Shown::Degrees, &["M2", "M1"]),
    figure("D.10, D.11", &[ZACHMANN], Shown::Rates, &["M2", "M1"]),
    figure("D.12, D.13", &[ZACHMANN], Shown::These(&["degree 3", "degree 6", "rate 0.5"]), &["M2", "M1"]),
    figure("D.14, D.15", &[GOTTSCHALK], Shown::Degrees, &["M2", "M3"]),
    figure("D.16, D.17", &[GOTTSCHALK], Shown::Rates, &["M1", "M3"]),
    figure("D.18, D.19", &[GOTTSCHALK], Shown::These(&["degree 6", "rate 0.75"]), &["M1", "M3"]),
    figure(
        "D.20",
        &["volumes, without"],
        Shown::These(&["oriented boxes, degree 5", "mixed, degree 5"]),
        &["M3"],
    ),
    figure(
        "D.21",
        &["volumes, without"],
        Shown::These(&["oriented boxes, degree 6", "mixed, degree 6"]),
        &["M3"],
    ),
    figure("D.22", &[WITHOUT], Shown::Degrees, &["M3"]),
    figure("D.23", &[WITHOUT], Shown::Rates, &["M3"]),
    figure("D.24", &[WITHOUT], Shown::These(&["degree 3", "degree 4", "degree 5", "rate 0.75"]), &["M3"]),
    figure(
        "D.25",
        &["volumes, with"],
        Shown::These(&["oriented boxes, degree 5", "mixed, degree 5"]),
        &["M3"],
    ),
    figure(
        "D.26",
        &["volumes, with"],
        Shown::These(&["oriented boxes, degree 6", "mixed, degree 6"]),
        &["M3"],
    ),
    figure("D.27, D.28", &[WITH], Shown::Degrees, &["M2", "M3"]),
    figure("D.29, D.30", &[WITH], Shown::Rates, &["M2", "M3"]),
    figure("D.31, D.32", &[WITH], Shown::These(&["degree 3", "degree 5", "rate 0.75"]), &["M2", "M1"]),
    figure("D.33 to D.36", &[ZACHMANN, GOTTSCHALK, WITHOUT, WITH], FINAL, &["M2", "M3"]),
    times(figure("D.37 to D.40", &[GOTTSCHALK, WITHOUT, WITH], FINAL, &["M1", "M2", "M3", "M4"])),
    figure("D.41, D.42", &["walks, with"], WALKS, &["M1", "M3"]),
    figure("D.43, D.44", &["walks, without"], WALKS, &["M1", "M3"]),
    times(figure("D.45, D.46", &["walks, with"], WALKS, &["M1", "M3"])),
    times(figure("D.47, D.48", &["walks, without"], WALKS, &["M1", "M3"])),
];

const FINAL: Shown = Shown::These(&["final"]);
const WALKS: Shown = Shown::These(&["one-sided", "simultaneous", "hybrid", "hybrid by count (ours)"]);

impl Shown {
    fn holds(self, ran: &Ran) -> bool {
        match self {
            Self::Degrees => ran.degree >= 2.0,
            Self::Rates => ran.degree < 1.0,
            Self::These(names) => {
                names.contains(&&ran.setting[..])
                    || names == ["final"] && super::settings::is_final(ran.family, &ran.setting)
            }
        }
    }
}

/// Plots every figure whose settings and motions were run, over the first hand.
pub(super) fn plot(session: &mut Session<'_>, ran: &[Ran]) {
    for figure in &FIGURES {
        let rows: Vec<&Ran> =
            ran.iter().filter(|r| figure.family.contains(&r.family) && figure.shown.holds(r)).collect();
        for &motion in figure.motions {
            let one_family = figure.family.len() == 1;
            let series = rows.iter().filter_map(|r| {
                let steps = r.motions.iter().find(|m| m.name == motion)?;
                let name = if one_family { r.setting.clone() } else { r.family.to_owned() };
                Some(Series { name, points: points(steps, figure.times) })
            });
            let series: Vec<Series> = series.collect();
            if series.len() > 1 {
                session.plot(drawn(figure, motion, series));
            }
        }
    }
}

fn drawn(figure: &Figure, motion: &str, series: Vec<Series>) -> Plot {
    let what = if figure.times { "Time here" } else { "Cost of 1998" };
    let family = if figure.family.len() == 1 { figure.family[0] } else { "final settings" };
    Plot {
        title: format!("{what} of each step of {motion}: {family} (as {})", figure.name),
        x: "step".into(),
        y: if figure.times { "time, µs".into() } else { "cost, ms".into() },
        series,
        ..Plot::default()
    }
}

/// The largest of every few steps of the first run, to four digits.
fn points(motion: &InMotion, times: bool) -> Vec<[f64; 2]> {
    let steps = if times { motion.first_times() } else { motion.of_run(super::Unit::Printed, 0) };
    let unit = if times { 1e3 } else { 1.0 };
    let stride = steps.len().div_ceil(POINTS).max(1);
    let rounded = |n: f64| if n > 0.0 { digits(n) } else { 0.0 };
    let largest = |part: &[f64]| rounded(unit * part.iter().copied().fold(0.0, f64::max));
    steps.chunks(stride).enumerate().map(|(k, part)| [(k * stride) as f64, largest(part)]).collect()
}

fn digits(n: f64) -> f64 {
    let unit = 10f64.powf(n.log10().floor() - 3.0);
    (n / unit).round() * unit
}
