//! The page of `--html`: table and 3D view in one file that needs no network.
//!
//! Shapes are for looking at, not for measuring: corners are rounded to 16 bits of their body's box. The
//! scene is brought to the middle and to an ordinary size first, because graphics cards count in 32 bits. All
//! numbers of the table are those of the report.

use super::{Checked, report};
use crate::output::{plural, short};
use anyhow::{Context, Result};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use glam::DVec3;
use noli::Mesh;
use noli::model::Aabb;
use noli::world::Body;
use noli::world::{Finding, Standing};
use noli_io::report::{PairReport, Trust, WhichInside};
use serde::Serialize;
use std::collections::HashMap;

/// Segments drawn for each pair.
pub(super) const MOST_SEGMENTS: usize = 2000;
/// Triangles on a page: some 25 MB. Bodies beyond that are drawn as boxes, those without hits first.
const MOST_TRIANGLES: usize = 2_000_000;
/// How large the scene is on the page.
const SIZE: f64 = 100.0;

/// What the script gets.
#[derive(Serialize)]
struct Page<'a> {
    title: &'a str,
    outcome: String,
    summary: String,
    notes: Vec<String>,
    unit: &'static str,
    shapes: Vec<Shape>,
    bodies: Vec<PageBody<'a>>,
    pairs: Vec<PagePair>,
}

/// Triangles, with corners as 16-bit numbers between the corners of a box.
#[derive(Serialize)]
struct Shape {
    min: [f64; 3],
    size: [f64; 3],
    corners: String,
    triangles: String,
}

#[derive(Serialize)]
struct PageBody<'a> {
    name: &'a str,
    shape: usize,
    turn: [f64; 4],
    at: [f64; 3],
}

#[derive(Serialize)]
struct PagePair {
    a: usize,
    b: usize,
    relation: &'static str,
    hit: bool,
    says: String,
    crossings: Option<u64>,
    gap: String,
    guarantee: Trust,
    place: Option<[f64; 3]>,
    place_text: String,
    segments: String,
}

/// From the scene to the page: `(x - middle) * scale`.
#[derive(Clone, Copy)]
struct View {
    middle: DVec3,
    scale: f64,
}

impl View {
    fn new(checked: &Checked<'_>) -> Self {
        // A half-space has no end; the others show the way.
        let finite = |bounds: &Aabb| !bounds.is_empty() && bounds.size().is_finite();
        let boxes = checked.staged.world.bodies().map(|(_, body)| body.bounds()).filter(finite);
        let whole = boxes.fold(Aabb::EMPTY, Aabb::union);
        if whole.is_empty() {
            return Self { middle: DVec3::ZERO, scale: 1.0 };
        }
        let size = whole.size().max_element();
        Self { middle: whole.center(), scale: if size > 0.0 { SIZE / size } else { 1.0 } }
    }

    fn point(&self, point: DVec3) -> [f64; 3] {
        ((point - self.middle) * self.scale).to_array()
    }
}

pub(super) fn page(checked: &Checked<'_>) -> Result<String> {
    let view = View::new(checked);
    let mut shapes = Shapes::new(view.scale);
    let shape_of = shapes.add_all(checked);
    let mut notes = checked.report.warnings.clone();
    if shapes.boxes > 0 {
        notes.push(format!(
            "{} drawn as boxes: too many triangles for a page",
            plural(shapes.boxes, "shape", "shapes")
        ));
    }
    let data = Page {
        title: &checked.report.source,
        outcome: outcome(checked),
        summary: report::summary(checked).trim().to_owned(),
        notes,
        unit: checked.report.units.map_or("", noli_io::Units::sign),
        bodies: checked
            .staged
            .world
            .bodies()
            .zip(shape_of)
            .map(|((_, body), shape)| page_body(body, shape, view))
            .collect(),
        shapes: shapes.made,
        pairs: checked
            .report
            .pairs
            .iter()
            .zip(&checked.result.findings)
            .map(|(pair, finding)| PagePair::new(pair, finding, checked, view))
            .collect(),
    };
    // A name such as `</script>` must not end the script.
    let data = serde_json::to_string(&data).context("cannot write the page")?.replace('<', "\\u003c");
    Ok(format!(
        include_str!("page/page.html"),
        style = include_str!("page/page.css"),
        three = include_str!("../../vendor/three/three.min.js"),
        licence = include_str!("../../vendor/three/LICENSE"),
        script = include_str!("page/page.js"),
        data = data,
    ))
}

/// The result in one sentence.
fn outcome(checked: &Checked<'_>) -> String {
    match (checked.report.summary.hits, checked.report.summary.undecided) {
        (0, 0) => "Nothing touches".to_owned(),
        (0, open) => format!("{} undecided", plural(open, "pair", "pairs")),
        (hits, _) => format!("{} to look at", plural(hits, "pair", "pairs")),
    }
}

fn page_body(body: &Body, shape: usize, view: View) -> PageBody<'_> {
    let pose = body.pose();
    let turn = pose.rotation.normalize().to_array();
    PageBody { name: body.name(), shape, turn, at: view.point(pose.translation) }
}

impl PagePair {
    fn new(pair: &PairReport, finding: &Finding, checked: &Checked<'_>, view: View) -> Self {
        let drawn = finding.crossings.iter().take(MOST_SEGMENTS);
        let ends = drawn.flat_map(|crossing| [crossing.segment.start, crossing.segment.end]);
        let [a, b] = finding.pair.map(|id| id.index() as usize);
        Self {
            a,
            b,
            relation: report::word(finding.standing),
            hit: pair.hit,
            says: says(pair, checked),
            crossings: pair.crossings.filter(|&count| count > 0),
            gap: report::gap(pair),
            guarantee: pair.guarantee,
            place: finding.place.map(|place| view.point(place)),
            place_text: pair.place.map_or(String::new(), |place| place.map(short).join(", ")),
            segments: encode(ends.flat_map(|end| view.point(end)).flat_map(|x| (x as f32).to_le_bytes())),
        }
    }
}

/// What was found, in plain words.
fn says(pair: &PairReport, checked: &Checked<'_>) -> String {
    let [a, b] = [&pair.a, &pair.b];
    let unit = checked.report.units.map_or(String::new(), |unit| format!(" {}", unit.sign()));
    let gap = report::gap(pair);
    match pair.standing() {
        Standing::Crossing => format!("{a} and {b} pass through each other."),
        Standing::Inside => match pair.which_inside {
            Some(WhichInside::AInB) => format!("{a} lies inside {b}."),
            Some(WhichInside::BInA) => format!("{b} lies inside {a}."),
            Some(WhichInside::Same) => format!("{a} and {b} fill the same space."),
            Some(WhichInside::Parts) => format!("Parts of {a} and {b} lie inside the other."),
            None => format!("One of {a} and {b} lies inside the other."),
        },
        Standing::Touching => format!("{a} and {b} touch, and neither passes through the other."),
        Standing::Closer => {
            let margin = short(pair.margin);
            format!("{a} and {b} are {gap}{unit} apart: no more than the margin of {margin}{unit}.")
        }
        Standing::Undecided => {
            format!("How {a} and {b} stand to each other was not decided within the steps allowed.")
        }
        Standing::Apart => format!("{a} and {b} are {gap}{unit} apart."),
    }
}

/// Shapes on the page, each once.
struct Shapes {
    scale: f64,
    made: Vec<Shape>,
    triangles: usize,
    /// How many are drawn as boxes.
    boxes: usize,
}

impl Shapes {
    fn new(scale: f64) -> Self {
        Self { scale, made: Vec::new(), triangles: 0, boxes: 0 }
    }

    /// The number of each body's shape. Bodies of hits come first to the triangles that a page may have.
    fn add_all(&mut self, checked: &Checked<'_>) -> Vec<usize> {
        let bodies = &checked.staged.bodies;
        let pairs = checked.report.pairs.iter().zip(&checked.result.findings);
        let hits = pairs.filter(|(pair, _)| pair.hit);
        let numbers = |finding: &Finding| finding.pair.map(|id| id.index() as usize);
        let order = hits.flat_map(|(_, finding)| numbers(finding)).chain(0..bodies.len());
        let mut numbers: HashMap<*const DVec3, usize> = HashMap::new();
        let mut shape_of = vec![0; bodies.len()];
        for body in order {
            let mesh = &bodies[body].look;
            shape_of[body] = *numbers.entry(mesh.vertices().as_ptr()).or_insert_with(|| self.add(mesh));
        }
        shape_of
    }

    fn add(&mut self, mesh: &Mesh) -> usize {
        let bounds = mesh.aabb();
        if self.triangles + mesh.triangle_count() <= MOST_TRIANGLES {
            self.triangles += mesh.triangle_count();
            self.made.push(self.shape(&bounds, mesh.vertices(), mesh.triangles()));
        } else {
            self.boxes += 1;
            self.made.push(self.shape(&bounds, &bounds.corners(), &BOX_TRIANGLES));
        }
        self.made.len() - 1
    }

    fn shape(&self, bounds: &Aabb, vertices: &[DVec3], triangles: &[[u32; 3]]) -> Shape {
        let (min, size) =
            if bounds.is_empty() { (DVec3::ZERO, DVec3::ZERO) } else { (bounds.min, bounds.size()) };
        let part = |x: f64, size: f64| if size > 0.0 { (x / size * 65535.0).round() as u16 } else { 0 };
        let corner = |v: &DVec3| {
            let from_min = *v - min;
            [0, 1, 2].map(|axis| part(from_min[axis], size[axis]))
        };
        let corners = vertices.iter().flat_map(corner).flat_map(u16::to_le_bytes);
        let triangles = triangles.iter().flatten().flat_map(|vertex| vertex.to_le_bytes());
        Shape {
            min: (min * self.scale).to_array(),
            size: (size * self.scale).to_array(),
            corners: encode(corners),
            triangles: encode(triangles),
        }
    }
}

fn encode(bytes: impl Iterator<Item = u8>) -> String {
    BASE64_STANDARD.encode(bytes.collect::<Vec<u8>>())
}

/// Two for each side of a box whose corner `i` has the greater x, y or z where bit 0, 1 or 2 of `i` is set.
const BOX_TRIANGLES: [[u32; 3]; 12] = [
    [0, 2, 1],
    [1, 2, 3],
    [4, 5, 6],
    [5, 7, 6],
    [0, 1, 4],
    [1, 5, 4],
    [2, 6, 3],
    [3, 6, 7],
    [0, 4, 2],
    [2, 4, 6],
    [1, 3, 5],
    [3, 7, 5],
];
