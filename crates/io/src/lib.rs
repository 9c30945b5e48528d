//! Bytes and data: mesh files (OBJ, STL, OFF and PLY in and out; glTF, 3MF and DXF in; STEP and IFC through a kernel
//! that the user has), scenes, reports, recordings and BCF.
//!
//! [`load_scene`] reads a scene and all files it names, [`stage`] makes a [`World`](noli::World) and its
//! moves of it, and [`report`] holds what a check, a sweep or a study of it says, as JSON. [`open_paths`]
//! takes mesh files and folders for scenes too.
//!
//! Coordinates are `f64`, correctly rounded from text; nothing is rounded further, dropped or moved,
//! except that the nodes of glTF and the block references of DXF are brought to world coordinates.
//! A file that cannot be right is refused with the place, the reason and a remedy; one that is merely
//! odd is read with a warning. Memory is bounded by the size of the file, whatever its header claims
//! and however often it uses a part.

mod assembly;
pub mod bcf;
pub mod cell;
pub mod clash;
mod convert;
mod dae;
mod dxf;
mod error;
mod feature_queries;
mod foreign;
mod format;
mod gltf;
mod names;
mod obj;
mod off;
mod orient;
mod packed;
mod picture;
mod pieces;
mod planning;
mod ply;
mod raw;
mod recording;
mod removal;
pub mod report;
mod robot;
mod scene;
mod simulation;
mod source;
mod stage;
mod stl;
mod surroundings;
mod text;
mod threemf;
mod whole;
mod write;

pub use error::{FileError, Place, Warning};
pub use feature_queries::{
    FeatureQueries, benchmark_edges, feature_kind_of, parse_feature_queries, read_feature_queries,
    read_truths, rebuild_feature_queries,
};
pub use format::MeshFormat;
pub use gltf::{GltfBody, GltfTrack, write_gltf};
pub use planning::{ProblemFiles, list_problems};
pub use recording::{Frame, FrameTime, GroupFrame, Recording};
pub use removal::{RemovalTrial, TrialError};
pub use robot::{
    LinkKind, LoadedRobot, RobotOptions, check_states, load_robot, load_srdf, load_states, load_states_of,
    read_link_bytes, robot_files,
};
pub use scene::{
    Body, Check, FieldSource, Group, KeyFrame, LoadedBody, LoadedMotion, LoadedScene, MotionPath, Mover,
    Named, Pattern, Physics, Scene, SceneMotion, SceneRemoval, Shape, Simulation, Turning, Units, load_scene,
    load_scene_text, parse_poses, parse_scene, read_field, read_scene,
};
pub use simulation::{
    ForceReport, FrameTimes, GroupSummary, SetupBody, SetupGroup, SimulationError, SimulationFrame,
    SimulationOptions, SimulationReport, SimulationSetup, SimulationSummary, Watch, simulate_contact,
    simulate_dynamics,
};
pub use source::{OpenOptions, Source, bundled_names, open_bundled, open_paths};
pub use stage::{StageError, StageOptions, Staged, StagedBody, StagedRemoval, TakeAs, stage};
pub use surroundings::{Surrounding, load_surroundings, stage_configuration};
pub use whole::{is_same_file, remove_unfinished, write_whole};
pub use write::{write_bytes, write_mesh};

use noli_geom::{Mesh, MeshOptions};
use raw::Raw;
use std::path::Path;

/// How a mesh file is read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReadOptions {
    /// Whether vertices with equal coordinates become one. `None` welds STL and DXF, whose faces have
    /// their own corners, and glTF, which parts vertices wherever a normal or texture coordinate
    /// differs; it leaves other files as they are.
    pub weld: Option<bool>,
    /// Vertices at most this far apart become one, at the place of the first; what that closed is told as a
    /// warning. Unlike [`weld`](Self::weld) this moves vertices.
    pub weld_within: Option<f64>,
    /// Whether the parts of every object that share no edge become objects of their own, named `object/1`,
    /// `object/2`: for files that hold an assembly without saying so. Vertices are welded for it.
    pub shells: bool,
    /// How far the triangles of STEP and IFC files may lie from the true surfaces, in millimetres; `None` is 0.1.
    pub chord_mm: Option<f64>,
}

/// One object of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedMesh {
    /// Its name in the file; the file's own name, without extension, where it has none.
    pub name: String,
    /// Its surface. User vertex and face numbers are those of the whole file, counted from 0; where a
    /// glTF mesh or a DXF block is used several times, its vertices and faces count each time.
    pub mesh: Mesh,
}

/// What a mesh file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshFile {
    /// Its objects, in order of appearance; those without faces are left out.
    pub objects: Vec<NamedMesh>,
    /// What was odd about it.
    pub warnings: Vec<Warning>,
}

/// Reads a file as one mesh. Warnings are dropped: [`read_objects`] has them.
pub fn read_mesh(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Mesh, FileError> {
    let path = path.as_ref();
    let read = || -> Result<Mesh, FileError> {
        let (raw, format) = load(path, options)?;
        let mesh = facing(raw.into_mesh(&mesh_options(options, format))?, format)?;
        let welded = options.weld_within.map(|within| pieces::weld_within(&mesh, within));
        let welded = welded.transpose().map_err(raw::unexpected)?.flatten();
        Ok(welded.map_or(mesh, |welded| welded.mesh))
    };
    read().map_err(|error| error.in_file(path))
}

/// Reads a file as its named objects: `o` (or else `g`) of OBJ, the solids of text STL, the nodes of
/// glTF (names made unique, such as `bolt`, `bolt-2`), the layers of DXF.
pub fn read_objects(path: impl AsRef<Path>, options: &ReadOptions) -> Result<MeshFile, FileError> {
    let path = path.as_ref();
    let name = names::stem(path);
    let read = || {
        let (raw, format) = load(path, options)?;
        into_file(raw, &name, options, format)
    };
    read().map_err(|error| error.in_file(path))
}

/// Reads the bytes of a mesh file as its named objects. Bytes have no folder, so a glTF file must hold
/// its buffers.
pub fn read_bytes(bytes: &[u8], format: MeshFormat, options: &ReadOptions) -> Result<MeshFile, FileError> {
    into_file(parse(bytes, format, None)?, "", options, format)
}

/// All of a file, or of standard input where it is called `-`.
pub(crate) fn bytes_of(path: &Path) -> Result<Vec<u8>, FileError> {
    let read = || -> std::io::Result<Vec<u8>> {
        if path != Path::new("-") {
            return std::fs::read(path);
        }
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut std::io::stdin().lock(), &mut bytes)?;
        Ok(bytes)
    };
    read().map_err(|error| {
        let remedy = match error.kind() {
            std::io::ErrorKind::IsADirectory => "name a file, not a folder",
            _ => "check the path and its permissions",
        };
        FileError::new(Place::Whole, format!("cannot be read: {error}"), remedy)
    })
}

/// Refuses what no reader can make sense of, whatever the format.
fn refuse_nonsense(bytes: &[u8]) -> Result<(), FileError> {
    let wrong = |reason: &str, remedy: &str| Err(FileError::new(Place::Whole, reason, remedy));
    match bytes {
        [] => wrong("the file is empty", "check that it was written completely"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] if !stl::fits_binary(bytes) => {
            wrong("the text is UTF-16", "save it as UTF-8")
        }
        _ => Ok(()),
    }
}

/// Whether a line of the beginning is a vertex as only OBJ writes it.
fn looks_like_obj(bytes: &[u8]) -> bool {
    let is_vertex = |line: &[u8]| {
        let Some(rest) = line.strip_prefix(b"v ") else { return false };
        let numbers = std::str::from_utf8(rest).unwrap_or_default().split_whitespace();
        numbers.take(3).filter(|word| word.parse::<f64>().is_ok()).count() == 3
    };
    bytes.split(|&byte| byte == b'\n' || byte == b'\r').take(1000).any(is_vertex)
}

fn load(path: &Path, options: &ReadOptions) -> Result<(Raw, MeshFormat), FileError> {
    let mut bytes = bytes_of(path)?;
    if let Some(kernel) = convert::Kernel::of(path) {
        let converted = convert::convert(path, &bytes, kernel, options.chord_mm)?;
        let mut raw = obj::parse(&converted.bytes)?;
        raw.warnings = converted.warnings;
        return Ok((raw, MeshFormat::Obj));
    }
    if packed::is_gz(&bytes) {
        bytes = packed::from_gz(&bytes)?;
    }
    refuse_nonsense(&bytes)?;
    let promised = MeshFormat::from_extension(path);
    let declared = MeshFormat::from_content(&bytes);
    // What every other format would have declared is missing, so its vertices count for more than its name.
    let declared = declared.or_else(|| looks_like_obj(&bytes).then_some(MeshFormat::Obj));
    let Some(format) = declared.or(promised) else {
        if let Some(remedy) = foreign::remedy(path) {
            return Err(FileError::new(Place::Whole, "this format of 3D models is not read", remedy));
        }
        let reason = "neither the extension nor the content is that of a mesh file";
        return Err(FileError::new(
            Place::Whole,
            reason,
            "give an .obj, .stl, .off, .ply, .gltf, .glb, .3mf, .dxf, .step or .ifc file",
        ));
    };
    let mut raw = parse(&bytes, format, path.parent())?;
    if raw.faces.is_empty() {
        let remedy =
            "check that it was written completely, and that it holds faces, not only points, lines or curves";
        return Err(FileError::new(Place::Whole, "the file holds no faces: nothing could touch it", remedy));
    }
    if let Some(promised) = promised.filter(|&promised| promised != format) {
        let text =
            format!("named as {}, but its content is {}: read as that", promised.name(), format.name());
        raw.warn(Place::Whole, text);
    }
    Ok((raw, format))
}

/// `folder` is where files named in this one are looked for.
fn parse(bytes: &[u8], format: MeshFormat, folder: Option<&Path>) -> Result<Raw, FileError> {
    let mut raw = match format {
        MeshFormat::Obj => obj::parse(bytes),
        MeshFormat::Stl => stl::parse(bytes),
        MeshFormat::Off => off::parse(bytes),
        MeshFormat::Ply => ply::parse(bytes),
        MeshFormat::Gltf => gltf::parse(bytes, folder),
        MeshFormat::Dxf => dxf::parse(bytes),
        MeshFormat::ThreeMf => threemf::parse(bytes),
    }?;
    if raw.faces.is_empty() {
        raw.warn(Place::Whole, "the file holds no faces: nothing can touch it");
    }
    Ok(raw)
}

fn into_file(
    mut raw: Raw,
    name: &str,
    options: &ReadOptions,
    format: MeshFormat,
) -> Result<MeshFile, FileError> {
    let mut warnings = std::mem::take(&mut raw.warnings);
    let weld = MeshOptions { weld: options.shells || mesh_options(options, format).weld };
    let mut objects = raw.into_objects(&names::printable(name), &weld, &mut warnings)?;
    if let Some(within) = options.weld_within {
        for object in &mut objects {
            let Some(welded) = pieces::weld_within(&object.mesh, within).map_err(raw::unexpected)? else {
                continue;
            };
            let pieces::Welded { mesh, moved, furthest, borders: [before, after] } = welded;
            let text = format!(
                "{}: welding within {within} moved {moved} vertices by at most {furthest:.3e}; border edges: \
                 {before} before, {after} after",
                object.name
            );
            warnings.push(Warning { place: Place::Whole, text });
            object.mesh = mesh;
        }
    }
    if format == MeshFormat::Dxf {
        // Its faces are drawn one by one, whichever way round.
        for object in &mut objects {
            let Some(oriented) = orient::oriented(&object.mesh).map_err(raw::unexpected)? else { continue };
            let text = format!("{}: {}", object.name, oriented.said());
            warnings.push(Warning { place: Place::Whole, text });
            object.mesh = oriented.mesh;
        }
    }
    if options.shells {
        let shells = objects.into_iter().map(pieces::shells).collect::<Result<Vec<_>, _>>();
        objects = shells.map_err(raw::unexpected)?.into_iter().flatten().collect();
    }
    Ok(MeshFile { objects, warnings })
}

/// The faces of DXF are drawn one by one, whichever way round: they are made to agree where that is possible.
fn facing(mesh: Mesh, format: MeshFormat) -> Result<Mesh, FileError> {
    if format != MeshFormat::Dxf {
        return Ok(mesh);
    }
    Ok(orient::oriented(&mesh).map_err(raw::unexpected)?.map_or(mesh, |oriented| oriented.mesh))
}

fn mesh_options(options: &ReadOptions, format: MeshFormat) -> MeshOptions {
    let parted = matches!(format, MeshFormat::Stl | MeshFormat::Gltf | MeshFormat::Dxf);
    MeshOptions { weld: options.weld.unwrap_or(parted) }
}

/// The examples of the readme are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The program for beginners is tested.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/first-program.md")]
struct FirstProgram;
