//! `noli field`: intersection of implicit objects with each other or with meshes.

mod input;
mod report;

use crate::limits::{Limits, Running};
use crate::{Outcome, Verdict, output};
use anyhow::{Context, Result, ensure};
use glam::DVec3;
pub use input::{Object, pose};
use noli::query::{ClearanceQuery, Clock, SteadyClock, Tolerance};
use noli::{Clearance, Model, Overlap, QueryContext, Scratch, Shape};
use noli_formats::NamedMesh;
use noli_geom::{Aabb, Pose};
use noli_project::report::Asked;
use std::path::PathBuf;
use std::time::Duration;

/// Test two objects given by formulas for a common point: proven, refuted or undecided.
///
/// A and B are formulas such as "x^2 + y^2 + z^2 <= 1" (or an expression that is negative inside). Files that
/// contain one and .vm files are read too. One of them may be a mesh: a solid if it is closed, a surface
/// otherwise.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    objects: Objects,
    /// Maximum number of cells to visit, without a time limit; by default a million, or half a minute. A formula of
    /// more than 1000 operations counts once for every 1000.
    #[arg(long, value_name = "CELLS")]
    budget: Option<u64>,
    #[command(flatten)]
    limits: Limits,
    /// Also bracket the clearance, to this share of the smaller object's size.
    #[arg(long, value_name = "SHARE", num_args = 0..=1, default_missing_value = "1e-3", value_parser = input::share)]
    clearance: Option<f64>,
    /// Write triangles around the objects at their poses (.obj, .stl, .off, .ply); for display.
    #[arg(long, value_name = "FILE")]
    mesh: Option<PathBuf>,
    /// Number of grid cells of the triangles along the longest side of an object.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=512))]
    mesh_cells: u32,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
}

/// Two objects and their poses.
#[derive(clap::Args)]
pub struct Objects {
    /// The first object: a formula or a file.
    #[arg(value_name = "A", allow_hyphen_values = true)]
    a: String,
    /// The second object; may be left out with --mesh.
    #[arg(value_name = "B", allow_hyphen_values = true)]
    b: Option<String>,
    /// Pose of A: x,y,z or x,y,z,qx,qy,qz,qw.
    #[arg(long, value_name = "POSE", value_parser = input::pose, allow_hyphen_values = true)]
    pose_a: Option<Pose>,
    /// Pose of B: x,y,z or x,y,z,qx,qy,qz,qw.
    #[arg(long, value_name = "POSE", value_parser = input::pose, allow_hyphen_values = true)]
    pose_b: Option<Pose>,
    /// Cut both objects off at x0,x1,y0,y1,z0,z1 in their own frames: needed where they have no end.
    #[arg(long, value_name = "BOX", value_parser = input::bounds, allow_hyphen_values = true)]
    bounds: Option<Aabb>,
}

impl Objects {
    /// Reads both objects.
    pub fn read(&self) -> Result<(Object, Option<Object>)> {
        let a = Object::read(&self.a, self.pose_a, self.bounds)?;
        let b = self.b.as_deref();
        Ok((a, b.map(|text| Object::read(text, self.pose_b, self.bounds)).transpose()?))
    }
}

/// Query and result.
struct Found<'a> {
    a: &'a Object,
    b: &'a Object,
    overlap: Overlap,
    /// A common point, if one was found.
    point: Option<DVec3>,
    /// `true` if both are proven to contain it, rounding included.
    point_is_exact: bool,
    clearance: Option<Clearance>,
    /// `true` if the clearance has the requested accuracy.
    clearance_is_reached: bool,
    steps: u64,
    /// `true` if the time limit was reached, not the cell limit.
    out_of_time: bool,
}

/// Default number of visited cells.
const CELLS: u64 = 1_000_000;
/// Default time limit if no number of cells is given: a user who waits gets an answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// An object this many times as large as the other is cut off at it like one without end.
const MUCH_LARGER: f64 = 100.0;
/// An object without end is followed this far for its clearance, in sizes of the other.
const FURTHEST: f64 = 1e6;

pub(crate) fn run(arguments: &Arguments) -> Result<Option<Verdict>> {
    let running = arguments.limits.start()?;
    let (a, b) = arguments.objects.read()?;
    ensure!(
        b.is_some() || arguments.mesh.is_some(),
        "there is nothing to compare; give a second object, or --mesh FILE to look at one"
    );
    if let Some(path) = &arguments.mesh {
        let inputs: Vec<PathBuf> = [Some(&arguments.objects.a), arguments.objects.b.as_ref()]
            .into_iter()
            .flatten()
            .map(PathBuf::from)
            .collect();
        output::refuse_inputs([path], &inputs)?;
        write_mesh(path, [Some(&a), b.as_ref()].into_iter().flatten(), arguments.mesh_cells)?;
    }
    let Some(b) = b else { return Ok(None) };
    let progress = output::Progress::of_time("comparing");
    let found = compare(&a, &b, (arguments, &running))?;
    drop(progress);
    if found.overlap == Overlap::Free {
        for object in [&a, &b] {
            ensure!(!object.is_empty(), object.no_point(arguments.objects.bounds));
        }
    }
    report::print(&found, arguments.json)?;
    let outcome = match found.overlap {
        Overlap::Free => Outcome::Free,
        Overlap::Hit => Outcome::Touching,
        Overlap::Unknown => Outcome::Undecided,
    };
    Ok(Some(Verdict::new(outcome, Asked::new(1)?)))
}

/// Tests two objects for a common point, and computes their clearance if requested.
fn compare<'a>(
    a: &'a Object,
    b: &'a Object,
    (arguments, running): (&Arguments, &Running),
) -> Result<Found<'a>> {
    let is_mesh = |object: &Object| matches!(object.shape, Shape::Mesh(_));
    ensure!(!(is_mesh(a) && is_mesh(b)), "both objects are meshes; compare them with `noli check`");
    ensure!(
        a.is_bounded() || b.is_bounded(),
        "neither object is proven to end; cut them off with --bounds x0,x1,y0,y1,z0,z1"
    );
    // The search works in the frame of the first: with the longer formula there, cells are cheaper to discard, and
    // the answer does not depend on the order in which the two were named.
    let is_swapped = operations(b) > operations(a);
    let [first, second] = if is_swapped { [b, a] } else { [a, b] };
    let (clock, mut scratch) = (SteadyClock::start(), Scratch::default());
    let mut budget = running.budget(Some(arguments.budget.unwrap_or(CELLS)));
    let is_patient = arguments.budget.is_some() || running.is_timed();
    if !is_patient {
        budget = budget.until(PATIENCE, &clock);
    }
    let mut ask = QueryContext::new(&mut scratch).with_budget(budget);
    let [x, y] = models(first, second, 0.0)?;
    let verdict = ask.contact(&x.at(first.pose), &y.at(second.pose));
    let point = verdict.hit().map(|contact| contact.on_a.point);
    let mut found = Found {
        a,
        b,
        overlap: verdict.overlap(),
        point,
        point_is_exact: point.is_some_and(|point| a.holds(point) && b.holds(point)),
        clearance: None,
        clearance_is_reached: true,
        steps: 0,
        out_of_time: false,
    };
    if let Some(share) = arguments.clearance {
        let mut clearance = clearance(first, second, share, &mut ask)?;
        if let Some(witness) = clearance.witness.as_mut().filter(|_| is_swapped) {
            std::mem::swap(&mut witness.on_a, &mut witness.on_b);
        }
        found.clearance_is_reached =
            clearance.distance.at_most - clearance.distance.at_least <= accuracy(a, b, share);
        found.clearance = Some(clearance);
    }
    found.steps = ask.steps();
    found.out_of_time = !is_patient && clock.now() >= PATIENCE;
    Ok(found)
}

/// Returns the length of the formula; 0 for a mesh.
fn operations(object: &Object) -> usize {
    match &object.shape {
        Shape::Field(field) => field.operations(),
        _ => 0,
    }
}

fn size(object: &Object) -> f64 {
    if object.is_bounded() { object.shape.aabb().size().max_element() } else { f64::INFINITY }
}

/// Returns `true` if only the part near the other matters: the object is unbounded, or nearly so by its size.
fn is_endless(object: &Object, other: &Object) -> bool {
    matches!(object.shape, Shape::Field(_))
        && size(other).is_finite()
        && size(object) > MUCH_LARGER * size(other)
}

/// The length that a share of the smaller object's size is.
fn accuracy(a: &Object, b: &Object, share: f64) -> f64 {
    share * size(a).min(size(b))
}

/// Prepares both objects. One that is unbounded, or much larger than the other, is cut off at the other's box,
/// expanded by `reach` times its size. Points further away are not shared with the other, and lie at least that
/// far from it.
fn models(a: &Object, b: &Object, reach: f64) -> Result<[Model; 2]> {
    let prepare = |object: &Object, other: &Object| {
        let shape = match &object.shape {
            Shape::Field(field) if is_endless(object, other) => {
                let seen = object.pose.inverse() * other.pose;
                let near = other.shape.aabb().transformed(&seen);
                // The product of two poses is rounded.
                let far = object.pose.translation.length() + other.pose.translation.length();
                let rounding = 1e-12 * (far + near.min.abs().max(near.max.abs()).length());
                Shape::Field(field.clone().within(near.expanded(rounding + reach * near.size().length())))
            }
            shape => shape.clone(),
        };
        Model::new(shape).with_context(|| format!("{} cannot be prepared", object.name))
    };
    Ok([prepare(a, b)?, prepare(b, a)?])
}

/// The clearance, to a share of the smaller object's size.
fn clearance(a: &Object, b: &Object, share: f64, ask: &mut QueryContext<'_>) -> Result<Clearance> {
    let tolerance = Tolerance::Length(accuracy(a, b, share));
    let query = ClearanceQuery { tolerance, ..Default::default() };
    let is_cut = is_endless(a, b) || is_endless(b, a);
    let finite = if is_endless(a, b) { b } else { a };
    let mut reach = 1.0;
    loop {
        let [x, y] = models(a, b, reach)?;
        let mut found = ask.clearance(&x.at(a.pose), &y.at(b.pose), &query);
        // What was cut off is no nearer than this.
        let cut_at = reach * finite.shape.aabb().size().length();
        if !is_cut || found.distance.at_most <= cut_at {
            return Ok(found);
        }
        found.distance.at_least = found.distance.at_least.min(cut_at);
        if reach >= FURTHEST {
            return Ok(found);
        }
        reach *= 4.0;
    }
}

fn write_mesh<'a>(path: &PathBuf, objects: impl Iterator<Item = &'a Object>, cells: u32) -> Result<()> {
    let mut meshes = Vec::new();
    for object in objects {
        // A mesh needs no drawing.
        let Shape::Field(field) = &object.shape else { continue };
        ensure!(
            field.is_bounded(),
            "{} is not proven to end; cut it off with --bounds x0,x1,y0,y1,z0,z1",
            object.name
        );
        let found = field.triangles(cells);
        let vertices = found.vertices.iter().map(|&v| object.pose.transform_point(v)).collect();
        let mesh = noli::Mesh::from_triangles(vertices, found.triangles, &Default::default())
            .with_context(|| format!("no surface of {} could be drawn", object.name))?;
        meshes.push(NamedMesh { name: object.name.clone(), mesh });
    }
    ensure!(!meshes.is_empty(), "there is nothing to draw: a mesh is a drawing already");
    noli_formats::write_mesh(path, &meshes)?;
    let triangles: usize = meshes.iter().map(|object| object.mesh.triangle_count()).sum();
    output::note(&format!("wrote {triangles} triangles to {}", path.display()));
    Ok(())
}
