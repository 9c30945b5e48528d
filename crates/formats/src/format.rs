//! Mesh format of a file.

use crate::text::Text;
use crate::units::Units;
use crate::{dae, dxf, gltf, off, packed, stl};
use std::path::Path;

/// A mesh file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MeshFormat {
    /// Wavefront OBJ.
    Obj,
    /// STL, text or binary.
    Stl,
    /// Object File Format, text.
    Off,
    /// Stanford PLY, text or binary.
    Ply,
    /// glTF 2.0, as JSON (`.gltf`) or in one binary file (`.glb`); read only.
    Gltf,
    /// AutoCAD DXF, text; read only.
    Dxf,
    /// 3MF, meshes in a zip archive; read only.
    ThreeMf,
    /// COLLADA, text; read only.
    Collada,
}

impl MeshFormat {
    /// The format that the extension of a path promises, in whatever case.
    pub fn from_extension(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        if extension == "gz" {
            // Of `part.ply.gz`, what it is when it is unpacked.
            return Self::from_extension(Path::new(path.file_stem()?));
        }
        Some(match extension.as_str() {
            "obj" => Self::Obj,
            "stl" => Self::Stl,
            "off" => Self::Off,
            "ply" => Self::Ply,
            "gltf" | "glb" => Self::Gltf,
            "dxf" => Self::Dxf,
            "3mf" => Self::ThreeMf,
            "dae" => Self::Collada,
            _ => return None,
        })
    }

    /// The format that a file declares in its first bytes; OBJ declares nothing.
    pub fn from_content(bytes: &[u8]) -> Option<Self> {
        if gltf::is_binary(bytes) {
            return Some(Self::Gltf);
        }
        // Other programs pack their files as zip too.
        if packed::is_zip(bytes) && bytes.windows(6).any(|word| word == b".model") {
            return Some(Self::ThreeMf);
        }
        if dae::looks_like(bytes) {
            return Some(Self::Collada);
        }
        if dxf::looks_like(bytes) {
            return Some(Self::Dxf);
        }
        let first = Text::new(bytes).token().unwrap_or_default();
        if first == b"ply" {
            Some(Self::Ply)
        } else if off::is_keyword(first) {
            Some(Self::Off)
        } else if stl::fits_binary(bytes) || stl::looks_like_text(bytes) {
            Some(Self::Stl)
        } else if first.starts_with(b"{") {
            Some(Self::Gltf)
        } else {
            None
        }
    }

    /// Returns the unit of its files, if the format defines it.
    pub fn own_units(self) -> Option<Units> {
        match self {
            Self::Gltf | Self::Collada => Some(Units::Metre),
            Self::ThreeMf => Some(Units::Millimetre),
            Self::Obj | Self::Stl | Self::Off | Self::Ply | Self::Dxf => None,
        }
    }

    /// Its usual name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Obj => "OBJ",
            Self::Stl => "STL",
            Self::Off => "OFF",
            Self::Ply => "PLY",
            Self::Gltf => "glTF",
            Self::Dxf => "DXF",
            Self::ThreeMf => "3MF",
            Self::Collada => "COLLADA",
        }
    }
}
