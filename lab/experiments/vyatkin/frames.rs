//! Functions of place and time, `f(x, y, z, t)`: noise spheres that move, turn their noise and grow, one object a frame.

use super::Config;
use crate::{Cell, Session, Table};
use anyhow::{Context, Result, ensure};
use noli::Pose;
use noli_classics::fields::{SobolQuery, formula_at, sobol_search_as_published};
use noli_implicit::{Field, FieldQuery, FieldVerdict, field_overlap};

/// Two spheres with waves on them, after formula (3); the first moves past the second, the second grows and its waves run.
const MOVING: &str = "u = x - 6 + 9*t
    u^2 + y^2 + z^2 - 4 - 0.5*sin(3*u)*sin(3*y)*sin(3*z)";
const GROWING: &str = "r = 1.2 + 0.8*t
    x^2 + (y + 3.2)^2 + z^2 - r^2 - 0.5*sin(3*x + 9*t)*sin(3*y)*sin(3*z)";

pub(super) fn run(session: &mut Session<'_>, config: &Config) -> Result<()> {
    session.step("functions of time");
    let columns = ["time", "proven", "cells", "found by starts as published", "values"];
    let mut table =
        Table::new("Noise spheres f(x, y, z, t): one moves, one grows and its noise runs", columns);
    let frames = config.distances.max(2);
    for frame in 0..frames {
        let t = f64::from(frame) / f64::from(frames - 1);
        let [a, b] = [MOVING, GROWING].map(|text| formula_at(text, t).map(|expr| Field::new(&expr)));
        let (a, b) = (a.context("the moving sphere")?, b.context("the growing sphere")?);
        let (a, b) = (a.at(Pose::IDENTITY), b.at(Pose::IDENTITY));
        let found = field_overlap(&a, &b, &FieldQuery { cells: 400_000, ..Default::default() });
        let query = SobolQuery { points: config.starts, tolerance: 1e-3 };
        let published = sobol_search_as_published(&a, &b, &query);
        let proven = match found.verdict {
            FieldVerdict::Free => "free",
            FieldVerdict::Hit { .. } => "hit",
            FieldVerdict::Unknown { .. } => "undecided",
        };
        ensure!(proven != "free" || published.hit.is_none(), "a common point of separated objects at {t}");
        let seen = if published.hit.is_some() { "hit" } else { "nothing" };
        table.row(
            format!("{t:.3}"),
            [
                Cell::Text(proven.into()),
                Cell::Ours(found.cells as f64),
                Cell::Text(seen.into()),
                Cell::Ours(published.points as f64),
            ],
        );
    }
    session.table(table);
    Ok(())
}
