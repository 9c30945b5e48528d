//! `noli field`: whether objects given by formulas meet each other or meshes.

mod input;
mod report;

use crate::Outcome;
use anyhow::{Context, Result, bail, ensure};
use input::{Object, Shape};
use noli::FieldTarget;
use noli_geom::{Aabb, Pose};
use noli_implicit::{
    FieldClearance, FieldOverlap, FieldQuery, FieldVerdict, PlacedField, field_clearance, field_overlap,
};
use noli_io::NamedMesh;
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
    /// Cells of this share of the region searched are not cut further.
    #[arg(long, value_name = "SHARE", value_parser = input::share)]
    resolution: Option<f64>,
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
    /// The frame of points and boxes found: that of the first object that is not a mesh.
    frame: Pose,
    overlap: FieldOverlap,
    gap: Option<FieldClearance>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let a = Object::read(&arguments.a, arguments.pose_a, arguments.bounds)?;
    let b = arguments.b.as_deref();
    let b = b.map(|text| Object::read(text, arguments.pose_b, arguments.bounds)).transpose()?;
    ensure!(
        b.is_some() || arguments.mesh.is_some(),
        "there is nothing to compare; give a second object, or --mesh FILE to look at one"
    );
    if let Some(path) = &arguments.mesh {
        write_mesh(path, [Some(&a), b.as_ref()].into_iter().flatten(), arguments.mesh_cells)?;
    }
    let Some(b) = b else { return Ok(Outcome::Free) };
    let defaults = FieldQuery::default();
    let query = FieldQuery {
        resolution: arguments.resolution.unwrap_or(defaults.resolution),
        cells: arguments.budget.unwrap_or(defaults.cells),
        ..defaults
    };
    let (overlap, gap) = compare(&a, &b, &query, arguments.gap)?;
    let frame = if matches!(a.shape, Shape::Field(_)) { a.pose } else { b.pose };
    let found = Found { a: &a, b: &b, frame, overlap, gap };
    report::print(&found, arguments.json)?;
    Ok(match overlap.verdict {
        FieldVerdict::Free => Outcome::Free,
        FieldVerdict::Hit { .. } => Outcome::Touching,
        FieldVerdict::Unknown { .. } => Outcome::Undecided,
    })
}

/// Whether two objects share a point, and their gap if asked for.
fn compare(
    a: &Object,
    b: &Object,
    query: &FieldQuery<'_>,
    tolerance: Option<f64>,
) -> Result<(FieldOverlap, Option<FieldClearance>)> {
    Ok(match (&a.shape, &b.shape) {
        (Shape::Field(f), Shape::Field(g)) => {
            ensure!(
                f.is_bounded() || g.is_bounded(),
                "neither object is proven to end; cut them off with --bounds x0,x1,y0,y1,z0,z1"
            );
            let (f, g) = (f.at(a.pose), g.at(b.pose));
            let gap = tolerance.map(|tolerance| field_clearance(&f, &g, tolerance, query));
            (field_overlap(&f, &g, query), gap)
        }
        (Shape::Field(f), Shape::Mesh(mesh)) => with_mesh(&f.at(a.pose), mesh, &b.pose, query, tolerance),
        (Shape::Mesh(mesh), Shape::Field(g)) => with_mesh(&g.at(b.pose), mesh, &a.pose, query, tolerance),
        (Shape::Mesh(_), Shape::Mesh(_)) => bail!("both objects are meshes; compare them with `noli check`"),
    })
}

fn with_mesh(
    field: &PlacedField<'_>,
    mesh: &FieldTarget,
    pose: &Pose,
    query: &FieldQuery<'_>,
    tolerance: Option<f64>,
) -> (FieldOverlap, Option<FieldClearance>) {
    let gap = tolerance.map(|tolerance| mesh.clearance(pose, field, tolerance, query));
    (mesh.overlap(pose, field, query), gap)
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
    noli_io::write_mesh(path, &meshes)?;
    Ok(())
}
