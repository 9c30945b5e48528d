//! What `noli field` prints.

use super::Found;
use super::input::Shape;
use crate::output::{print as print_text, print_json, short};
use anyhow::Result;
use glam::DVec3;
use noli_geom::Aabb;
use noli_implicit::FieldVerdict;
use serde::Serialize;
use std::fmt::Write as _;

#[derive(Serialize)]
struct Json {
    outcome: &'static str,
    a: ObjectJson,
    b: ObjectJson,
    point: Option<[f64; 3]>,
    point_in_frame: Option<[f64; 3]>,
    within: Option<[[f64; 3]; 2]>,
    gap_at_least: Option<f64>,
    gap_at_most: Option<f64>,
    nearest: Option<[[f64; 3]; 2]>,
    cells: u64,
    pairs: Option<u64>,
}

#[derive(Serialize)]
struct ObjectJson {
    name: String,
    operations: usize,
    bounds: Option<[[f64; 3]; 2]>,
}

fn corners(bounds: &Aabb) -> [[f64; 3]; 2] {
    [bounds.min.to_array(), bounds.max.to_array()]
}

fn object(object: &super::Object) -> ObjectJson {
    let (operations, bounds) = match &object.shape {
        Shape::Field(field) => (field.operations(), field.is_bounded().then(|| field.bounds())),
        Shape::Mesh(mesh) => (0, Some(mesh.bounds())),
    };
    let bounds = bounds.filter(|bounds| !bounds.is_empty());
    ObjectJson { name: object.name.clone(), operations, bounds: bounds.map(|bounds| corners(&bounds)) }
}

pub(super) fn print(found: &Found<'_>, json: bool) -> Result<()> {
    let (outcome, point_in_frame, within) = match found.overlap.verdict {
        FieldVerdict::Free => ("free", None, None),
        FieldVerdict::Hit { point } => ("touching", Some(point), None),
        FieldVerdict::Unknown { within } => ("undecided", None, Some(within)),
    };
    let world = point_in_frame.map(|point| found.frame.transform_point(point));
    if json {
        let finite = |x: f64| x.is_finite().then_some(x);
        return print_json(&Json {
            outcome,
            a: object(found.a),
            b: object(found.b),
            point: world.map(|p| p.to_array()),
            point_in_frame: point_in_frame.map(|p| p.to_array()),
            within: within.filter(|w| !w.is_empty()).map(|w| corners(&w)),
            gap_at_least: found.gap.and_then(|gap| finite(gap.at_least)),
            gap_at_most: found.gap.and_then(|gap| finite(gap.at_most)),
            nearest: found.gap.and_then(|gap| gap.witness).map(|points| points.map(|p| p.to_array())),
            cells: found.overlap.cells,
            pairs: found.gap.map(|gap| gap.pairs),
        });
    }
    let mut text = String::new();
    let place = |p: DVec3| format!("({}, {}, {})", short(p.x), short(p.y), short(p.z));
    match (world, within) {
        (Some(point), _) => writeln!(text, "touching: both hold the point {}", place(point))?,
        (None, None) => writeln!(text, "free: no common point, proven")?,
        (None, Some(within)) => writeln!(
            text,
            "undecided: a common point can only lie between {} and {} (frame of the first formula); try --resolution or --budget",
            place(within.min),
            place(within.max)
        )?,
    }
    if let Some(gap) = &found.gap {
        writeln!(text, "gap: at least {}, at most {}", short(gap.at_least), short(gap.at_most))?;
    }
    writeln!(text, "{} cells looked at", found.overlap.cells)?;
    print_text(&text)
}
