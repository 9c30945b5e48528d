//! Mesh files in and out: OBJ, STL, OFF and PLY are read and written, glTF is read and written, 3MF, DXF and COLLADA are
//! read. STEP and IFC are read through a CAD kernel that the user has installed.
//!
//! ```
//! use noli_formats::{MeshFormat, read_bytes};
//!
//! let text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
//! let file = read_bytes(text, MeshFormat::Obj, &Default::default())?;
//! assert_eq!(file.objects[0].mesh.triangle_count(), 1);
//! # Ok::<(), noli_formats::FileError>(())
//! ```
//!
//! Coordinates are `f64`, correctly rounded from text; nothing is rounded further, dropped or moved,
//! except that the nodes of glTF and the block references of DXF are brought to world coordinates.
//! A file that cannot be right is refused with the place, the reason and a remedy; one that is merely
//! odd is read with a warning. Memory is bounded by the size of the file and by [`memory_limit`], whatever its
//! header claims, however far it unfolds and however often it uses a part.

// Numbers of a file are not to wrap. Tests make their own. (`cast_precision_loss` is left out: no count is that large.)
#![cfg_attr(
    not(test),
    warn(
        clippy::arithmetic_side_effects,
        clippy::cast_lossless,
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]

mod assembly;
mod atomic_file;
mod convert;
mod dae;
pub mod display_name;
mod dxf;
mod error;
mod feature_queries;
mod file_bytes;
mod format;
mod gltf;
mod locked_file;
mod memory_limit;
mod number;
mod obj;
mod objects;
mod off;
#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "numbers of vertices and faces of a mesh, which was checked when it was made"
)]
mod orient;
pub mod packed;
mod ply;
mod points;
mod private_folder;
mod raw;
mod read;
mod read_folders;
#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "numbers of vertices and faces of a mesh, which was checked when it was made"
)]
mod shells;
#[cfg(feature = "step")]
mod step;
mod stl;
mod text;
mod threemf;
mod units;
pub mod unsupported;
#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "numbers of vertices and faces of a mesh, which was checked when it was made"
)]
mod weld;
mod write;

pub use atomic_file::{is_same_file, remove_unfinished, write_whole};
pub use convert::Kernel;
pub use error::{FileError, Place, Warning, without_numbers};
pub use feature_queries::{
    FeatureQueries, benchmark_edges, feature_kind_of, parse_feature_queries, read_feature_queries,
    read_truths, rebuild_feature_queries,
};
pub use file_bytes::{bytes_of, refuse_stream, text_of, without_byte_order_mark};
pub use format::MeshFormat;
pub use gltf::{GltfBody, GltfTrack, write_gltf};
pub use locked_file::LockedFile;
pub use memory_limit::{memory_limit, set_memory_limit};
#[cfg(feature = "step")]
pub use objects::CurvedBody;
pub use objects::{MeshFile, NamedMesh};
pub use orient::{Oriented, oriented};
pub use points::{
    DistanceGridFile, OccupancyFile, PointFile, PointFormat, UnknownCells, is_distance_grid, is_point_file,
    read_distance_grid, read_octomap, read_octomap_bytes, read_point_bytes, read_points, write_point_bytes,
    write_points,
};
pub use private_folder::PrivateFolder;
pub use read::{
    CadReader, ReadOptions, defined_units, read_bytes, read_link_bytes, read_link_mesh, read_mesh,
    read_objects,
};
pub use read_folders::{readable_folders, restrict_reading};
pub use shells::shells;
pub use units::Units;
pub use weld::closing_weld_length;
pub use write::{write_bytes, write_mesh};

/// The examples of the readme are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
