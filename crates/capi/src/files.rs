//! Models of mesh files, by path or from their bytes.

use crate::border::{ErrorCode, Failure, Out, border, slice, text};
use crate::model::keep;
use crate::values::ModelHandle;
use noli::Mesh;
use noli_formats::{FileError, ReadOptions, read_link_bytes, read_mesh};
use std::ffi::c_char;
use std::path::Path;

fn keep_read(mesh: Result<Mesh, FileError>, solid: i32, out: Out<'_, ModelHandle>) -> Result<(), Failure> {
    let mesh = mesh.map_err(|error| Failure::new(ErrorCode::File, error))?;
    keep(if solid == 0 { mesh } else { mesh.into_solid() }.into(), out)
}

/// Creates the model of a mesh file (OBJ, STL, OFF, PLY, glTF, 3MF, DXF, COLLADA). The file is taken in its own unit.
///
/// # Safety
///
/// `path` is a text that ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn noli_model_file(
    path: *const c_char,
    solid: i32,
    out: Out<'_, ModelHandle>,
) -> ErrorCode {
    border(|| {
        // SAFETY: as the caller states.
        let path = unsafe { text(path, "path") }?;
        keep_read(read_mesh(path, &ReadOptions::default()), solid, out)
    })
}

/// Creates the model of the bytes of a mesh file. `name` is used in messages, and its extension where the bytes do not
/// declare their format. A glTF file must contain its buffers.
///
/// # Safety
///
/// `bytes` has `count` bytes, and `name` is a text that ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn noli_model_bytes(
    bytes: *const u8,
    count: usize,
    name: *const c_char,
    solid: i32,
    out: Out<'_, ModelHandle>,
) -> ErrorCode {
    border(|| {
        // SAFETY: as the caller states.
        let (bytes, name) = unsafe { (slice(bytes, count, "bytes")?, text(name, "name")?) };
        let path = Path::new(name);
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        keep_read(read_link_bytes(bytes, &extension).map_err(|error| error.in_file(path)), solid, out)
    })
}
