//! Mesh files out. Text holds the shortest decimals that read back to the same `f64`; PLY is binary
//! with `double` coordinates; STL can only hold `f32`, so it rounds, and triangles, so it drops the
//! polygons.

use crate::atomic_file::write_whole;
use crate::error::{FileError, Place};
use crate::format::MeshFormat;
use crate::number::{index, single};
use crate::objects::NamedMesh;
use noli_geom::Mesh;
use std::fmt::Write;
use std::path::Path;

/// Writes objects to a file in the format of its extension. Either the whole file appears or none.
pub fn write_mesh(path: impl AsRef<Path>, objects: &[NamedMesh]) -> Result<(), FileError> {
    let path = path.as_ref();
    let bytes = || {
        let format = MeshFormat::from_extension(path).ok_or_else(|| {
            let reason = "the extension is not that of a mesh file";
            FileError::new(Place::Whole, reason, "use .obj, .stl, .off or .ply")
        })?;
        write_bytes(format, objects)
    };
    write_whole(path, &bytes().map_err(|error: FileError| error.in_file(path))?)
}

/// The bytes of a mesh file. Only OBJ keeps names; the other formats hold all objects as one.
pub fn write_bytes(format: MeshFormat, objects: &[NamedMesh]) -> Result<Vec<u8>, FileError> {
    if u32::try_from(total(objects, |mesh| mesh.vertices().len().max(mesh.triangle_count()))).is_err() {
        let reason = "there are too many vertices or triangles for one mesh file";
        return Err(FileError::new(Place::Whole, reason, "write several files"));
    }
    match format {
        MeshFormat::Obj => Ok(obj(objects).into_bytes()),
        MeshFormat::Stl => stl(objects),
        MeshFormat::Off => Ok(off(objects).into_bytes()),
        MeshFormat::Ply => Ok(ply(objects)),
        MeshFormat::Gltf | MeshFormat::Dxf | MeshFormat::ThreeMf | MeshFormat::Collada => {
            let reason = format!("{} files are read but not written", format.name());
            Err(FileError::new(Place::Whole, reason, "use .obj, .stl, .off or .ply"))
        }
    }
}

/// The objects, each with the number of its first vertex in the whole file.
fn numbered(objects: &[NamedMesh]) -> impl Iterator<Item = (&NamedMesh, u32)> {
    objects.iter().scan(0, |next, object| {
        let first = *next;
        *next = u32::saturating_add(*next, index(object.mesh.vertices().len()));
        Some((object, first))
    })
}

fn meshes(objects: &[NamedMesh]) -> impl Iterator<Item = &Mesh> {
    objects.iter().map(|object| &object.mesh)
}

fn total(objects: &[NamedMesh], count: impl Fn(&Mesh) -> usize) -> usize {
    meshes(objects).map(count).sum()
}

fn obj(objects: &[NamedMesh]) -> String {
    let mut out = String::new();
    for (object, first) in numbered(objects) {
        // A line break in a name would start a statement.
        let name = object.name.replace(['\n', '\r', '\\'], " ");
        if !name.trim().is_empty() {
            push(&mut out, format_args!("o {}\n", name.trim()));
        }
        for v in object.mesh.vertices() {
            push(&mut out, format_args!("v {:?} {:?} {:?}\n", v.x, v.y, v.z));
        }
        for face in object.mesh.faces() {
            out.push('f');
            face.iter().for_each(|&v| {
                push(&mut out, format_args!(" {}", u64::from(v.saturating_add(first)).saturating_add(1)))
            });
            out.push('\n');
        }
    }
    out
}

fn off(objects: &[NamedMesh]) -> String {
    let mut out = String::new();
    let [vertices, faces] = [total(objects, |m| m.vertices().len()), total(objects, Mesh::face_count)];
    push(&mut out, format_args!("OFF\n{vertices} {faces} 0\n"));
    for v in meshes(objects).flat_map(Mesh::vertices) {
        push(&mut out, format_args!("{:?} {:?} {:?}\n", v.x, v.y, v.z));
    }
    for (object, first) in numbered(objects) {
        for face in object.mesh.faces() {
            push(&mut out, format_args!("{}", face.len()));
            face.iter().for_each(|&v| push(&mut out, format_args!(" {}", v.saturating_add(first))));
            out.push('\n');
        }
    }
    out
}

fn ply(objects: &[NamedMesh]) -> Vec<u8> {
    let [vertices, faces] = [total(objects, |m| m.vertices().len()), total(objects, Mesh::face_count)];
    let mut out = format!(
        "ply\nformat binary_little_endian 1.0\nelement vertex {vertices}\nproperty double x\n\
         property double y\nproperty double z\nelement face {faces}\n\
         property list uint uint vertex_indices\nend_header\n"
    )
    .into_bytes();
    for v in meshes(objects).flat_map(Mesh::vertices) {
        v.to_array().iter().for_each(|x| out.extend(x.to_le_bytes()));
    }
    for (object, first) in numbered(objects) {
        for face in object.mesh.faces() {
            out.extend(index(face.len()).to_le_bytes());
            face.iter().for_each(|&v| out.extend(v.saturating_add(first).to_le_bytes()));
        }
    }
    out
}

fn stl(objects: &[NamedMesh]) -> Result<Vec<u8>, FileError> {
    let mut out = vec![b' '; 80];
    out.extend(index(total(objects, Mesh::triangle_count)).to_le_bytes());
    for triangle in meshes(objects).flat_map(Mesh::iter_triangles) {
        let normal = triangle.doubled_area_vector().normalize_or_zero();
        for vector in [normal, triangle.vertices[0], triangle.vertices[1], triangle.vertices[2]] {
            let rounded = vector.to_array().map(single);
            if !rounded.iter().all(|x| x.is_finite()) {
                let reason = "a coordinate is too large for STL, which holds 32-bit numbers";
                return Err(FileError::new(Place::Whole, reason, "write OBJ, OFF or PLY"));
            }
            rounded.iter().for_each(|x| out.extend(x.to_le_bytes()));
        }
        out.extend([0, 0]);
    }
    Ok(out)
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("writing to a string cannot fail");
}
