//! Bodies that a question is about: files, folders, a scene, or a bundled assembly.

use crate::opened::Opened;
use crate::part::place_parts;
use crate::{AskError, Context, Length, PartPose};
use noli_formats::{CadReader, Kernel, ReadOptions, Units};
use noli_project::{
    Body, CloudOptions, OpenOptions, Shape, Source, StageOptions, TakeAs, open_bundled, open_paths, stage,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Bodies that a question is about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "args", derive(clap::Args))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Subject {
    /// A scene (TOML), mesh files (OBJ, STL, PLY, OFF, glTF, 3MF, COLLADA, DXF; also packed as .gz), CAD files (STEP; IFC with
    /// a kernel installed) or folders of them.
    #[cfg_attr(feature = "args", arg(value_name = "PATH"))]
    pub files: Vec<PathBuf>,
    /// Ask about a bundled scene instead of files; `noli scenes list` shows all.
    #[cfg_attr(feature = "args", arg(
        long, value_name = "NAME", num_args = 0..=1, default_missing_value = "engine-bay", conflicts_with = "files"
    ))]
    pub demo: Option<String>,
    /// With --demo: mesh resolution of the generated assembly (2); triangles grow with the square.
    #[cfg_attr(feature = "args", arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=32)))]
    pub detail: Option<u32>,
    /// Interpret meshes as surfaces or as the solids they bound. `auto` takes closed, consistently oriented meshes
    /// as solids and reports it. A scene's own setting for a body takes precedence.
    #[cfg_attr(feature = "args", arg(long = "as", value_name = "KIND", value_enum, default_value_t = TakeAs::Auto))]
    #[serde(rename = "as")]
    pub kind: TakeAs,
    /// Merge vertices with equal coordinates (always done for STL, glTF and DXF), so that seams do not count
    /// as borders. With a length, as in --weld=1e-6, also vertices within that distance; edges closed by it
    /// are reported.
    #[cfg_attr(feature = "args", arg(
        long, value_name = "LENGTH", num_args = 0..=1, require_equals = true, default_missing_value = "0",
        value_parser = crate::quantity::length
    ))]
    pub weld: Option<Length>,
    /// Make bodies of the parts of a file that share no edge, for files without objects (STL, PLY, OFF).
    #[cfg_attr(feature = "args", arg(long, value_name = "INTO", value_enum))]
    pub split: Option<Split>,
    /// Unit of lengths of mesh files whose format defines none. Those that define theirs (glTF, COLLADA, 3MF, STEP, IFC)
    /// are converted to it. A scene has its own.
    #[cfg_attr(feature = "args", arg(long, value_name = "UNIT", value_parser = crate::quantity::units, conflicts_with = "demo"))]
    pub units: Option<Units>,
    /// Leave out files of a folder that look like 3D models but cannot be read (FBX, USD, ...), with a warning.
    /// They are an error otherwise.
    #[cfg_attr(feature = "args", arg(long))]
    pub leave_out: bool,
    /// Maximum chordal deviation of the triangles of STEP and IFC files from their true surfaces, in millimetres or with a
    /// unit (0.1).
    #[cfg_attr(feature = "args", arg(
        long, value_name = "LENGTH", value_parser = crate::quantity::positive_length, conflicts_with = "demo"
    ))]
    pub chord: Option<Length>,
    /// Radius of the points of point clouds (PCD, PLY without faces, XYZ, NPY, depth cameras), in the unit of the files or with
    /// its own. A scene has it for each.
    #[cfg_attr(feature = "args", arg(
        long, value_name = "LENGTH", value_parser = crate::quantity::positive_length, conflicts_with = "demo"
    ))]
    pub radius: Option<Length>,
    /// Thin point clouds: every removed point lies within this distance of a kept one, and it is added to the radius.
    #[cfg_attr(feature = "args", arg(
        long, value_name = "LENGTH", value_parser = crate::quantity::positive_length, requires = "radius"
    ))]
    pub thin: Option<Length>,
    /// Reader of STEP files: `own` keeps the curved surfaces and decides pairs on them, `kernel` triangulates the file by an
    /// installed OpenCASCADE, `auto` uses the kernel for files that the own reader does not read as a whole.
    #[cfg_attr(feature = "args", arg(
        long, value_name = "WHICH", value_enum, default_value_t = CadReader::Auto, conflicts_with = "demo"
    ))]
    pub cad_reader: CadReader,
    /// Poses of parts, groups or files by name, applied in front of their own.
    #[cfg_attr(feature = "args", arg(skip))]
    pub poses: BTreeMap<String, PartPose>,
}

/// Bodies into which the objects of files are split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "args", derive(clap::ValueEnum))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Split {
    /// The objects that they name, as always.
    Objects,
    /// The parts of each object that share no edge.
    Shells,
}

impl Subject {
    /// Names a bundled scene or assembly.
    pub fn bundled(name: &str) -> Self {
        Self { demo: Some(name.to_owned()), ..Self::default() }
    }

    /// Names files, folders or a scene.
    pub fn files(paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        Self { files: paths.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// Reads the files, and stages them as a world.
    pub fn open(&self, context: &Context<'_>) -> Result<Opened, AskError> {
        let mut source = self.read(context)?;
        self.refuse_unused(&source)?;
        place_parts(&mut source, &self.poses)?;
        let progress = context.stage("preparing models");
        let options = StageOptions { take_as: self.kind, progress: Some(&progress) };
        let staged = stage(&source.scene, &options)?;
        let Source { title, scene, units, is_files, inputs } = source;
        let assemblies = if is_files { scene.scene.groups.len().max(1) } else { 0 };
        Ok(Opened { title, units, check: scene.scene.check, inputs, assemblies, staged })
    }

    pub(crate) fn read(&self, context: &Context<'_>) -> Result<Source, AskError> {
        if let Some(name) = &self.demo {
            if !self.files.is_empty() {
                return Err(AskError::option(
                    "a bundled scene is asked about alone; drop the files or `demo`",
                ));
            }
            return Ok(open_bundled(name, self.detail.unwrap_or(2))?);
        }
        if self.detail.is_some() {
            return Err(AskError::option("--detail is for --demo: files have their own meshes"));
        }
        for (option, length) in [("chord", self.chord), ("radius", self.radius), ("thin", self.thin)] {
            if length.is_some_and(|length| length.value() <= 0.0) {
                return Err(AskError::option(format!("--{option}: it must be greater than 0")));
            }
        }
        let own = |option: &str, length: Option<Length>| {
            length.map(|length| length.of(option, self.units)).transpose()
        };
        let weld = own("--weld", self.weld)?;
        let read = ReadOptions {
            weld: weld.map(|_| true),
            weld_within: weld.filter(|&within| within > 0.0),
            shells: self.split == Some(Split::Shells),
            chord_mm: Some(self.chord.map_or(CHORD_MM, |chord| chord.of_unit(Units::Millimetre))),
            cad: self.cad_reader,
        };
        let cloud = CloudOptions {
            radius: own("--radius", self.radius)?,
            thin: own("--thin", self.thin)?,
            ..CloudOptions::default()
        };
        let progress = context.stage("reading files");
        let (units, leave_out) = (self.units, self.leave_out);
        Ok(open_paths(
            &self.files,
            &OpenOptions { read, cloud, units, leave_out, progress: Some(&progress) },
        )?)
    }

    /// Options that no file is about are mistakes.
    fn refuse_unused(&self, source: &Source) -> Result<(), AskError> {
        let kernels = || source.inputs.iter().map(|path| Kernel::of(path));
        let is_cloud = |body: &Body| matches!(body.shape, Shape::Points { .. });
        let has_step = || kernels().any(|kernel| kernel == Some(Kernel::OpenCascade));
        let unused = if self.chord.is_some() && !kernels().any(|kernel| kernel.is_some()) {
            "--chord is about STEP and IFC files, and none was read"
        } else if self.radius.is_some() && !source.scene.scene.bodies.iter().any(is_cloud) {
            "--radius is about point clouds, and none was read"
        } else if self.cad_reader != CadReader::Auto && !has_step() {
            "--cad-reader is about STEP files, and none was read"
        } else {
            return Ok(());
        };
        Err(AskError::option(unused))
    }
}

/// Chordal deviation of triangles of STEP and IFC files, in millimetres.
const CHORD_MM: f64 = 0.1;
