//! `noli field`: whether objects given by formulas meet each other or meshes.

mod input;
mod report;

use crate::{Outcome, Verdict, output};
use anyhow::{Context, Result, ensure};
use glam::DVec3;
use input::Object;
use noli::query::{ClearanceQuery, Tolerance};
use noli::{Ask, Budget, Clearance, Model, Overlap, Scratch, Shape};
use noli_geom::{Aabb, Pose};
use noli_io::NamedMesh;
use noli_io::report::Asked;
use std::path::PathBuf;

/// Whether two objects given by formulas share a point: proven either way, or undecided.
///
/// A and B are formulas such as "x^2 + y^2 + z^2 <= 1" (or an expression that is negative inside), files that hold
/// one, .vm files, or (one of them) a mesh: a solid if it is closed, a surface otherwise.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The first object: a formula or a file.
    #[arg(value_name = "A", allow_hyphen_values = true)]
    a: String,
    /// The second object; may be left out with --mesh.
    #[arg(value_name = "B", allow_hyphen_values = true)]
    b: Option<String>,
    /// Where A stands: x,y,z or x,y,z,qx,qy,qz,qw.
    #[arg(long, value_name = "POSE", value_parser = input::pose, allow_hyphen_values = true)]
    pose_a: Option<Pose>,
    /// Where B stands: x,y,z or x,y,z,qx,qy,qz,qw.
    #[arg(long, value_name = "POSE", value_parser = input::pose, allow_hyphen_values = true)]
    pose_b: Option<Pose>,
    /// Cut both objects off at x0,x1,y0,y1,z0,z1 in their own frames: needed where they have no end.
    #[arg(long, value_name = "BOX", value_parser = input::bounds, allow_hyphen_values = true)]
    bounds: Option<Aabb>,
    /// The most cells to look at.
    #[arg(long, value_name = "CELLS")]
    budget: Option<u64>,
    /// Also bracket the gap, to this share of the smaller object's size.
    #[arg(long, value_name = "SHARE", num_args = 0..=1, default_missing_value = "1e-3", value_parser = input::share)]
    gap: Option<f64>,
    /// Write triangles around the objects where they stand (.obj, .stl, .off, .ply); for looking at.
    #[arg(long, value_name = "FILE")]
    mesh: Option<PathBuf>,
    /// How many grid cells the triangles have along the longest side of an object.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=512))]
    mesh_cells: u32,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
}

/// What was asked and what was found.
struct Found<'a> {
    a: &'a Object,
    b: &'a Object,
    overlap: Overlap,
    /// A point that both hold, if there is one.
    point: Option<DVec3>,
    gap: Option<Clearance>,
    steps: u64,
}

/// Cells that are looked at where nothing else is said.
const CELLS: u64 = 1_000_000;
/// An object without end is followed this far for its gap, in sizes of the other.
const FURTHEST: f64 = 1e6;

pub(crate) fn run(arguments: &Arguments) -> Result<Option<Verdict>> {
    let a = Object::read(&arguments.a, arguments.pose_a, arguments.bounds)?;
    let b = arguments.b.as_deref();
    let b = b.map(|text| Object::read(text, arguments.pose_b, arguments.bounds)).transpose()?;
    ensure!(
        b.is_some() || arguments.mesh.is_some(),
        "there is nothing to compare; give a second object, or --mesh FILE to look at one"
    );
    if let Some(path) = &arguments.mesh {
        let inputs: Vec<PathBuf> =
            [Some(&arguments.a), arguments.b.as_ref()].into_iter().flatten().map(PathBuf::from).collect();
        output::refuse_inputs([path], &inputs)?;
        write_mesh(path, [Some(&a), b.as_ref()].into_iter().flatten(), arguments.mesh_cells)?;
    }
    let Some(b) = b else { return Ok(None) };
    let found = compare(&a, &b, arguments)?;
    report::print(&found, arguments.json)?;
    let outcome = match found.overlap {
        Overlap::Free => Outcome::Free,
        Overlap::Hit => Outcome::Touching,
        Overlap::Unknown => Outcome::Undecided,
    };
    Ok(Some(Verdict::new(outcome, Asked::new(1)?)))
}

/// Whether two objects share a point, and their gap if asked for.
fn compare<'a>(a: &'a Object, b: &'a Object, arguments: &Arguments) -> Result<Found<'a>> {
    let is_mesh = |object: &Object| matches!(object.shape, Shape::Mesh(_));
    ensure!(!(is_mesh(a) && is_mesh(b)), "both objects are meshes; compare them with `noli check`");
    ensure!(
        a.is_bounded() || b.is_bounded(),
        "neither object is proven to end; cut them off with --bounds x0,x1,y0,y1,z0,z1"
    );
    let mut scratch = Scratch::default();
    let budget = Budget::default().steps(arguments.budget.unwrap_or(CELLS));
    let mut ask = Ask::new(&mut scratch).within(budget);
    let [x, y] = models(a, b, 0.0)?;
    let verdict = ask.contact(&x.at(a.pose), &y.at(b.pose));
    let mut found = Found { a, b, overlap: verdict.overlap(), point: None, gap: None, steps: 0 };
    found.point = verdict.hit().map(|contact| contact.on_a.point);
    if let Some(share) = arguments.gap {
        found.gap = Some(gap(a, b, share, &mut ask)?);
    }
    found.steps = ask.steps();
    Ok(found)
}

/// Both objects prepared; one without end is cut off at the other's box, grown by `reach` times its size. What is
/// further away shares no point with the other, and is no nearer to it than that.
fn models(a: &Object, b: &Object, reach: f64) -> Result<[Model; 2]> {
    let prepare = |object: &Object, other: &Object| {
        let shape = match &object.shape {
            Shape::Field(field) if !field.is_bounded() => {
                let seen = object.pose.inverse() * other.pose;
                let near = other.shape.aabb().moved(&seen);
                // The product of two poses is rounded.
                let far = object.pose.translation.length() + other.pose.translation.length();
                let rounding = 1e-12 * (far + near.min.abs().max(near.max.abs()).length());
                Shape::Field(field.clone().within(near.grown(rounding + reach * near.size().length())))
            }
            shape => shape.clone(),
        };
        Model::new(shape).with_context(|| format!("{} cannot be prepared", object.name))
    };
    Ok([prepare(a, b)?, prepare(b, a)?])
}

/// The gap, to a share of the smaller object's size.
fn gap(a: &Object, b: &Object, share: f64, ask: &mut Ask<'_>) -> Result<Clearance> {
    let size = |object: &Object| match object.is_bounded() {
        true => object.shape.aabb().size().max_element(),
        false => f64::INFINITY,
    };
    let tolerance = Tolerance::Length(share * size(a).min(size(b)));
    let query = ClearanceQuery { tolerance, ..Default::default() };
    let finite = if a.is_bounded() { a } else { b };
    let mut reach = 1.0;
    loop {
        let [x, y] = models(a, b, reach)?;
        let mut found = ask.clearance(&x.at(a.pose), &y.at(b.pose), &query);
        // What was cut off is no nearer than this.
        let cut_at = reach * finite.shape.aabb().size().length();
        if a.is_bounded() && b.is_bounded() || found.gap.at_most <= cut_at {
            return Ok(found);
        }
        found.gap.at_least = found.gap.at_least.min(cut_at);
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
    noli_io::write_mesh(path, &meshes)?;
    let triangles: usize = meshes.iter().map(|object| object.mesh.triangle_count()).sum();
    eprintln!("noli: wrote {triangles} triangles to {}", path.display());
    Ok(())
}
