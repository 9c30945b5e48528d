//! Output of `noli field`.

use super::Found;
use crate::output::{plural, print as print_text, print_report, short};
use anyhow::Result;
use glam::DVec3;
use noli::{Overlap, Shape};
use noli_geom::Aabb;
use serde::Serialize;
use std::fmt::Write as _;

#[derive(Serialize)]
struct Json {
    outcome: &'static str,
    a: ObjectJson,
    b: ObjectJson,
    point: Option<[f64; 3]>,
    /// `true` if both are proven to contain the point; otherwise they intersect within rounding of it.
    point_exact: Option<bool>,
    clearance_at_least: Option<f64>,
    clearance_at_most: Option<f64>,
    nearest: Option<[[f64; 3]; 2]>,
    /// `true` if the clearance has the requested accuracy.
    clearance_reached: Option<bool>,
    steps: u64,
}

#[derive(Serialize)]
struct ObjectJson {
    name: String,
    operations: usize,
    bounds: Option<[[f64; 3]; 2]>,
}

fn vertices(bounds: &Aabb) -> [[f64; 3]; 2] {
    [bounds.min.to_array(), bounds.max.to_array()]
}

fn object(object: &super::Object) -> ObjectJson {
    let (operations, bounds) = match &object.shape {
        Shape::Field(field) => (field.operations(), field.is_bounded().then(|| field.bounds())),
        shape => (0, Some(shape.aabb())),
    };
    let bounds = bounds.filter(|bounds| !bounds.is_empty());
    ObjectJson { name: object.name.clone(), operations, bounds: bounds.map(|bounds| vertices(&bounds)) }
}

pub(super) fn print(found: &Found<'_>, json: bool) -> Result<()> {
    let outcome = match found.overlap {
        Overlap::Free => "free",
        Overlap::Hit => "touching",
        Overlap::Unknown => "undecided",
    };
    let clearance = found.clearance.map(|found| found.distance);
    if json {
        let finite = |x: f64| x.is_finite().then_some(x);
        let nearest = found.clearance.and_then(|clearance| clearance.witness);
        return print_report(
            "field",
            &Json {
                outcome,
                a: object(found.a),
                b: object(found.b),
                point: found.point.map(|p| p.to_array()),
                point_exact: found.point.map(|_| found.point_is_exact),
                clearance_at_least: clearance.and_then(|clearance| finite(clearance.at_least)),
                clearance_at_most: clearance.and_then(|clearance| finite(clearance.at_most)),
                nearest: nearest.map(|w| [w.on_a.point.to_array(), w.on_b.point.to_array()]),
                clearance_reached: found.clearance.map(|_| found.clearance_is_reached),
                steps: found.steps,
            },
        );
    }
    let mut text = String::new();
    let place = |p: DVec3| format!("({}, {}, {})", short(p.x), short(p.y), short(p.z));
    match (found.overlap, found.point) {
        (Overlap::Hit, Some(point)) if found.point_is_exact => {
            writeln!(text, "in collision: both contain the point {}", place(point))?
        }
        (Overlap::Hit, Some(point)) => {
            writeln!(text, "in collision: both contain a point within rounding of {}", place(point))?
        }
        (Overlap::Hit, None) => writeln!(text, "in collision")?,
        (Overlap::Free, _) => writeln!(text, "free: no common point, proven")?,
        (Overlap::Unknown, _) => writeln!(
            text,
            "undecided: no common point was found, and none is excluded{}; cut the objects off where they may meet \
             (--bounds), allow more cells (--budget N), or move them a little",
            if found.out_of_time { " in half a minute" } else { "" }
        )?,
    }
    if let Some(clearance) = clearance {
        let short_of =
            if found.clearance_is_reached { "" } else { " (wider than requested: the budget ran out)" };
        writeln!(
            text,
            "clearance: at least {}, at most {}{short_of}",
            short(clearance.at_least),
            short(clearance.at_most)
        )?;
    }
    writeln!(
        text,
        "{} visited",
        plural(usize::try_from(found.steps).unwrap_or(usize::MAX), "cell", "cells")
    )?;
    print_text(&text)
}
