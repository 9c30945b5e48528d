//! Swept volumes as files: options, meshes and their description, for scenes and robots.

use crate::output::{self, plural, short};
use anyhow::{Context, Result, ensure};
use noli::Pose;
use noli_ask::quantity::{self, Length};
use noli_formats::{GltfBody, MeshFormat, NamedMesh, Units};
use noli_geom::Mesh;
use noli_sweep::{SweepOptions, SweptBody, sweep};
use serde::Serialize;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Options of a swept volume.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Also a closed mesh within the swept volume.
    #[arg(long, value_name = "FILE", requires = "volume")]
    inner: Option<PathBuf>,
    /// No point of the outer mesh is further from the swept volume, such as 5mm; by default a fiftieth of the extent
    /// of the motion.
    #[arg(long, value_name = "LENGTH", value_parser = quantity::positive_length, requires = "volume")]
    error: Option<Length>,
    /// Print at most so many boxes that enclose the volume.
    #[arg(long, value_name = "N", requires = "volume")]
    boxes: Option<usize>,
    /// Cells of the octree at most.
    #[arg(long, value_name = "N", default_value_t = 20_000_000, requires = "volume")]
    cells: usize,
}

/// A swept volume in a report.
#[derive(Serialize)]
pub(crate) struct VolumeReport {
    file: String,
    /// No point of the mesh is further from the swept volume.
    error: f64,
    /// The part of it that is due to triangles in place of curved surfaces: their greatest distance from these.
    #[serde(skip_serializing_if = "Option::is_none")]
    tessellation: Option<f64>,
    /// Edge of the smallest cells.
    edge: f64,
    triangles: usize,
    /// Upper and lower bound on the volume.
    outer_volume: f64,
    inner_volume: f64,
    inner_file: Option<String>,
    /// Boxes that enclose it: lower and upper vertex.
    boxes: Vec<[[f64; 3]; 2]>,
    cells: usize,
    seconds: f64,
}

impl Options {
    /// Files that are written.
    pub(crate) fn outputs(&self) -> impl Iterator<Item = &PathBuf> {
        self.inner.iter()
    }

    /// Refuses file names that are no mesh files, and no boxes.
    pub(crate) fn check(&self, volume: &Path) -> Result<()> {
        for path in std::iter::once(volume).chain(self.inner.as_deref()) {
            let format = MeshFormat::from_extension(path);
            ensure!(
                matches!(format, Some(MeshFormat::Obj | MeshFormat::Stl | MeshFormat::Off | MeshFormat::Ply))
                    || is_binary_gltf(path),
                "{}: use .obj, .stl, .off, .ply or .glb for the volume",
                path.display()
            );
        }
        ensure!(self.boxes != Some(0), "--boxes is at least 1");
        Ok(())
    }
}

/// Bodies in motion, with the unit of their lengths.
pub(crate) struct Swept<'a> {
    pub(crate) bodies: Vec<SweptBody<'a>>,
    pub(crate) units: Units,
    /// Greatest distance of triangles from the curved surfaces that they replace; 0 without any.
    pub(crate) deviation: f64,
}

/// Computes a swept volume and writes its meshes.
pub(crate) fn write(options: &Options, volume: &Path, moving: &Swept<'_>) -> Result<VolumeReport> {
    let start = Instant::now();
    let Swept { bodies, units, deviation } = moving;
    let (units, deviation) = (*units, *deviation);
    let error = match options.error {
        Some(error) => error.of("--error", Some(units))?,
        None => {
            let fitting = SweepOptions::fitting(bodies, deviation);
            fitting.context("nothing moves, or a body has no bounds: there is no volume")?.error
        }
    };
    let sign = units.sign();
    ensure!(
        error > 2.0 * deviation,
        "--error {} {sign}: the triangles of curved bodies are within {} {sign} of their surfaces, and the error is more \
         than twice that; give a larger one",
        short(error),
        short(deviation)
    );
    let mut wanted = SweepOptions::new(error);
    wanted.cells = options.cells;
    wanted.deviation = deviation;
    let swept = sweep(bodies, &wanted)?;
    let mesh = swept.outer_mesh()?;
    let triangles = mesh.triangles().len();
    write_mesh(volume, "swept", mesh, units)?;
    let mut inner_file = None;
    if let Some(path) = &options.inner {
        let mesh = swept.inner_mesh()?.with_context(|| {
            format!(
                "{}: no cell is proven inside; give a smaller --error, or leave out --inner",
                path.display()
            )
        })?;
        write_mesh(path, "inner", mesh, units)?;
        inner_file = Some(path.display().to_string());
    }
    let boxes = options.boxes.map_or(Vec::new(), |most| swept.boxes(most));
    Ok(VolumeReport {
        file: volume.display().to_string(),
        error: swept.error(),
        tessellation: (deviation > 0.0).then_some(deviation),
        edge: swept.edge(),
        triangles,
        outer_volume: swept.outer_volume(),
        inner_volume: swept.inner_volume(),
        inner_file,
        boxes: boxes.iter().map(|aabb| [aabb.min.to_array(), aabb.max.to_array()]).collect(),
        cells: swept.visited(),
        seconds: start.elapsed().as_secs_f64(),
    })
}

fn is_binary_gltf(path: &Path) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case("glb"))
}

/// Writes a mesh in the format of its extension; glTF is in metres.
fn write_mesh(path: &Path, name: &str, mesh: Mesh, units: Units) -> Result<()> {
    if !is_binary_gltf(path) {
        return Ok(noli_formats::write_mesh(path, &[NamedMesh { name: name.to_owned(), mesh }])?);
    }
    let mesh = &mesh.scaled(units.convert(1.0, Units::Metre))?;
    let bytes = noli_formats::write_gltf(&[GltfBody { name, mesh, pose: Pose::IDENTITY }], None)?;
    output::write_file(path, &bytes)
}

/// Describes a volume in lines.
pub(crate) fn text(report: &VolumeReport, unit: &str) -> String {
    let mut text = format!(
        "{}: closed mesh of {} that encloses every instant, within {} {unit}\n",
        report.file,
        plural(report.triangles, "triangle", "triangles"),
        short(report.error)
    );
    if let Some(deviation) = report.tessellation {
        let within = short(deviation);
        let _ = writeln!(
            text,
            "of the curved bodies themselves, whose triangles are within {within} {unit} of their surfaces"
        );
    }
    let (low, high) = (short(report.inner_volume), short(report.outer_volume));
    let _ = writeln!(text, "swept volume from {low} to {high} {unit}³, proven");
    if let Some(file) = &report.inner_file {
        let _ = writeln!(text, "{file}: closed mesh within the swept volume");
    }
    if !report.boxes.is_empty() {
        let (low, high) = (format!("from ({unit})"), format!("to ({unit})"));
        let mut table = output::Table::new(1, ["box", &low, &high]);
        for (number, [low, high]) in report.boxes.iter().enumerate() {
            let place = |at: &[f64; 3]| at.map(short).join(" ");
            table.row([(number + 1).to_string(), place(low), place(high)]);
        }
        let _ = write!(text, "\n{table}\n");
    }
    let _ = writeln!(text, "{} in {:.2} s", plural(report.cells, "cell", "cells"), report.seconds);
    text
}
