//! Mesh files in: the format is found, the file parsed, and its objects are made.

use crate::error::{FileError, Place, Warning};
use crate::file_bytes::{bytes_of, without_byte_order_mark};
use crate::format::MeshFormat;
use crate::objects::MeshFile;
use crate::raw::{self, Raw};
use crate::units::Units;
use crate::{
    convert, dae, display_name, dxf, gltf, obj, off, orient, packed, ply, shells, stl, threemf, unsupported,
    weld,
};
use noli_geom::{Mesh, MeshKind, MeshOptions};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Reader of STEP files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "args", derive(clap::ValueEnum))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum CadReader {
    /// That of noli if it reads the whole file and all its solids are closed, otherwise an installed kernel.
    #[default]
    Auto,
    /// An installed kernel, which triangulates the file; curved surfaces are not kept.
    Kernel,
    /// That of noli only.
    Own,
}

/// Options for reading a mesh file.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReadOptions {
    /// `true` if vertices with equal coordinates are merged. `None` welds STL and DXF, whose faces have
    /// their own vertices, and glTF and COLLADA, which split vertices wherever a normal or texture
    /// coordinate differs. It leaves other files unchanged.
    pub weld: Option<bool>,
    /// Maximum distance of vertices that are merged, at the position of the first; openings closed by this are
    /// reported as a warning. Unlike [`weld`](Self::weld) this moves vertices.
    pub weld_within: Option<f64>,
    /// `true` if the parts of every object that share no edge become separate objects, named `object/1`,
    /// `object/2`: for files that hold an unmarked assembly. Their vertices are welded.
    pub shells: bool,
    /// Maximum chordal deviation of the triangles of STEP and IFC files, in millimetres; `None` is 0.1.
    pub chord_mm: Option<f64>,
    /// Reader of STEP files.
    pub cad: CadReader,
}

/// Returns the unit of a file if its format defines it: metres of glTF, COLLADA and IFC, millimetres of 3MF and STEP.
pub fn defined_units(path: &Path) -> Option<Units> {
    let kernel = convert::Kernel::of(path).map(convert::Kernel::units);
    kernel.or_else(|| MeshFormat::from_extension(path)?.own_units())
}

/// Reads a file as one mesh; that of the solids of a STEP file is a solid. Warnings are dropped: [`read_objects`] has them.
pub fn read_mesh(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Mesh, FileError> {
    let path = path.as_ref();
    let read = || -> Result<Mesh, FileError> {
        let (raw, format) = load(path, options)?;
        let is_solid = holds_solids(&raw);
        let mesh = facing(raw.into_mesh(&mesh_options(options, format))?, format)?;
        let welded = options.weld_within.map(|within| weld::weld_within(&mesh, within));
        let welded = welded.transpose().map_err(raw::unexpected)?.flatten();
        let mesh = welded.map_or(mesh, |welded| welded.mesh);
        let is_solid = is_solid && mesh.report().flaw().is_none();
        Ok(if is_solid { mesh.with_kind(MeshKind::Solid) } else { mesh })
    };
    read().map_err(|error| error.in_file(path))
}

/// Returns `true` if the file calls all its bodies solids.
#[cfg(feature = "step")]
fn holds_solids(raw: &Raw) -> bool {
    !raw.curved.is_empty() && raw.curved.iter().all(|curved| curved.body.is_solid())
}

#[cfg(not(feature = "step"))]
fn holds_solids(_: &Raw) -> bool {
    false
}

/// Reads a file as its named objects: `o` (or else `g`) of OBJ, the solids of text STL, the nodes of
/// glTF and COLLADA (names made unique, such as `bolt`, `bolt-2`), the meshes that items of 3MF place, the layers
/// of DXF.
pub fn read_objects(path: impl AsRef<Path>, options: &ReadOptions) -> Result<MeshFile, FileError> {
    let path = path.as_ref();
    let name = display_name::stem(path);
    let read = || {
        let (raw, format) = load(path, options)?;
        into_file(raw, &name, options, format)
    };
    read().map_err(|error: FileError| error.in_file(path))
}

/// Reads the bytes of a mesh file as its named objects. Bytes have no folder, so a glTF file must hold
/// its buffers.
pub fn read_bytes(bytes: &[u8], format: MeshFormat, options: &ReadOptions) -> Result<MeshFile, FileError> {
    into_file(parse(bytes, format, None)?, "", options, format)
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

/// Returns `true` if an early line is a vertex in OBJ-only syntax.
fn looks_like_obj(bytes: &[u8]) -> bool {
    let is_vertex = |line: &[u8]| {
        let Some(rest) = line.strip_prefix(b"v ") else { return false };
        let numbers = std::str::from_utf8(rest).unwrap_or_default().split_whitespace();
        numbers.take(3).filter(|word| word.parse::<f64>().is_ok()).count() == 3
    };
    bytes.split(|&byte| byte == b'\n' || byte == b'\r').take(1000).any(is_vertex)
}

/// Reads a STEP file by `noli-brep`: whether it is whole and closed, with its content. `None` for other files.
#[cfg(feature = "step")]
fn without_kernel(
    bytes: &[u8],
    kernel: convert::Kernel,
    chord_mm: f64,
) -> Option<(bool, Result<Raw, FileError>)> {
    (kernel == convert::Kernel::OpenCascade).then(|| match crate::step::parse(bytes, chord_mm) {
        Ok(parsed) => (parsed.is_watertight, Ok(parsed.raw)),
        Err(error) => (false, Err(error)),
    })
}

#[cfg(not(feature = "step"))]
fn without_kernel(_: &[u8], _: convert::Kernel, _: f64) -> Option<(bool, Result<Raw, FileError>)> {
    None
}

/// Reads a CAD file by the reader that the options ask for.
fn cad(path: &Path, bytes: &[u8], kernel: convert::Kernel, options: &ReadOptions) -> Result<Raw, FileError> {
    let chord_mm = options.chord_mm.unwrap_or(convert::CHORD_MM);
    let own = match options.cad {
        CadReader::Auto | CadReader::Own => without_kernel(bytes, kernel, chord_mm),
        CadReader::Kernel => None,
    };
    let own = match own {
        Some((is_whole, own)) if is_whole || options.cad == CadReader::Own => return own,
        Some((_, own)) => Some(own),
        None => None,
    };
    let converted = match convert::convert(path, bytes, kernel, options.chord_mm) {
        // Without a kernel, what the own reader made of the file, or the reason why it made nothing.
        Err(error) if error.reason.starts_with(&kernel.missing_reason()) => return own.unwrap_or(Err(error)),
        converted => converted?,
    };
    let mut raw = obj::parse(&converted.bytes)?;
    raw.warnings = converted.warnings;
    raw.uncertainty = kernel.uncertainty(options.chord_mm);
    Ok(raw)
}

fn load(path: &Path, options: &ReadOptions) -> Result<(Raw, MeshFormat), FileError> {
    let mut bytes = bytes_of(path)?;
    if let Some(kernel) = convert::Kernel::of(path) {
        return cad(path, &bytes, kernel, options).map(|raw| (raw, MeshFormat::Obj));
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
        if let Some(unsupported::Unsupported { reason, remedy }) = unsupported::format_of(path) {
            return Err(FileError::new(Place::Whole, reason, remedy));
        }
        let reason = "neither the extension nor the content is that of a mesh file";
        return Err(FileError::new(
            Place::Whole,
            reason,
            "give an .obj, .stl, .off, .ply, .gltf, .glb, .3mf, .dae, .dxf, .step or .ifc file",
        ));
    };
    let mut raw = parse(&bytes, format, path.parent())?;
    if let Some(promised) = promised.filter(|&promised| promised != format) {
        let text =
            format!("named as {}, but its content is {}: read as that", promised.name(), format.name());
        raw.warn(Place::Whole, text);
    }
    Ok((raw, format))
}

/// Parses a file; files named in it are read from `folder`. A file without faces is an error: nothing could
/// touch it, so every check of it would pass.
fn parse(bytes: &[u8], format: MeshFormat, folder: Option<&Path>) -> Result<Raw, FileError> {
    let bytes = without_byte_order_mark(bytes);
    let raw = match format {
        MeshFormat::Obj => obj::parse(bytes),
        MeshFormat::Stl => stl::parse(bytes),
        MeshFormat::Off => off::parse(bytes),
        MeshFormat::Ply => ply::parse(bytes),
        MeshFormat::Gltf => gltf::parse(bytes, folder),
        MeshFormat::Dxf => dxf::parse(bytes),
        MeshFormat::ThreeMf => threemf::parse(bytes),
        MeshFormat::Collada => dae::parse(bytes),
    }?;
    if raw.faces.is_empty() {
        let remedy =
            "check that it was written completely, and that it holds faces, not only points, lines or curves";
        return Err(FileError::new(Place::Whole, "the file holds no faces: nothing could touch it", remedy));
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
    let uncertainty = raw.uncertainty;
    #[cfg(feature = "step")]
    let curved = std::mem::take(&mut raw.curved);
    let weld = MeshOptions { weld: options.shells || mesh_options(options, format).weld };
    let mut objects = raw.into_objects(&display_name::printable(name), &weld, &mut warnings)?;
    if let Some(within) = options.weld_within {
        for object in &mut objects {
            let Some(welded) = weld::weld_within(&object.mesh, within).map_err(raw::unexpected)? else {
                continue;
            };
            let weld::Welded { mesh, moved, furthest, borders: [before, after] } = welded;
            if mesh.report().zero_area_triangles == mesh.triangle_count() {
                let reason =
                    format!("{}: welding within {within:?} leaves no face with an area", object.name);
                return Err(FileError::new(Place::Whole, reason, "weld within a smaller length"));
            }
            let text = format!(
                "{}: welding within {within:?} moved {moved} vertices by at most {furthest:.3e}; border edges: \
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
        let shells = objects.into_iter().map(shells::shells).collect::<Result<Vec<_>, _>>();
        objects = shells.map_err(raw::unexpected)?.into_iter().flatten().collect();
    }
    Ok(MeshFile {
        warnings,
        uncertainty,
        // Objects that were left out or split have no surfaces of their own.
        #[cfg(feature = "step")]
        curved: if curved.len() == objects.len() && !options.shells { curved } else { Vec::new() },
        objects,
    })
}

/// Orients the faces of DXF consistently where possible; they are drawn one by one, in either orientation.
fn facing(mesh: Mesh, format: MeshFormat) -> Result<Mesh, FileError> {
    if format != MeshFormat::Dxf {
        return Ok(mesh);
    }
    Ok(orient::oriented(&mesh).map_err(raw::unexpected)?.map_or(mesh, |oriented| oriented.mesh))
}

fn mesh_options(options: &ReadOptions, format: MeshFormat) -> MeshOptions {
    let parted = matches!(format, MeshFormat::Stl | MeshFormat::Gltf | MeshFormat::Dxf | MeshFormat::Collada);
    MeshOptions { weld: options.weld.unwrap_or(parted) }
}

/// Reads the mesh of a robot's link from the bytes of a file with this extension.
pub fn read_link_bytes(bytes: &[u8], extension: &str) -> Result<Mesh, FileError> {
    let named = MeshFormat::from_extension(Path::new(&format!("x.{extension}")));
    let Some(format) = MeshFormat::from_content(bytes).or(named) else {
        let remedy = "give an .obj, .stl, .off, .ply, .glb, .dxf or .dae file";
        return Err(FileError::new(
            Place::Whole,
            format!("`.{extension}` is not a supported mesh format"),
            remedy,
        ));
    };
    let raw = parse(bytes, format, None)?;
    facing(raw.into_mesh(&mesh_options(&ReadOptions::default(), format))?, format)
}

/// Reads the mesh of a robot's link from a file, with its warnings.
pub fn read_link_mesh(path: &Path) -> Result<(Mesh, Vec<Warning>), FileError> {
    let read = || {
        let options = ReadOptions::default();
        let (mut raw, format) = load(path, &options)?;
        let warnings = std::mem::take(&mut raw.warnings);
        Ok((facing(raw.into_mesh(&mesh_options(&options, format))?, format)?, warnings))
    };
    read().map_err(|error: FileError| error.in_file(path))
}
