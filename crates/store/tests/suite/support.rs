//! Parts for the tests.

use noli_formats::{NamedMesh, Units, write_bytes};
use noli_geom::Mesh;
use noli_store::{NewComponent, Store};

pub(crate) fn cube(size: f64) -> (Mesh, Vec<u8>) {
    let mesh = Mesh::cuboid(glam::DVec3::splat(size)).unwrap();
    let named = [NamedMesh { name: "cube".into(), mesh: mesh.clone() }];
    let bytes = write_bytes(noli_formats::MeshFormat::Obj, &named).unwrap();
    (mesh, bytes)
}

pub(crate) fn add_cube(store: &mut Store, name: &str, size: f64) {
    let (mesh, bytes) = cube(size);
    let new = NewComponent {
        name: name.to_owned(),
        bytes: &bytes,
        format: "obj".into(),
        object: None,
        units: Units::Millimetre,
        mesh: &mesh,
        density: Some(7800.0),
        source: String::new(),
    };
    store.add_component(&new, false).unwrap();
}
