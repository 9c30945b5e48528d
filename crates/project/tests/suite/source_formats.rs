//! Packed and converted files as sources of scenes.

use noli_formats::{ReadOptions, Units};
use noli_project::{OpenOptions, open_paths};
use noli_testing::Folder;
use noli_testing::{data, python_with};
use std::io::Write;

const VERTICES: &str = r#"<vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="1" z="0"/><vertex x="0" y="0" z="1"/>"#;
const TRIANGLES: &str = r#"<triangle v1="0" v2="2" v3="1"/><triangle v1="0" v2="1" v3="3"/><triangle v1="0" v2="3" v3="2"/><triangle v1="1" v2="2" v3="3"/>"#;

fn mesh() -> String {
    format!("<mesh><vertices>{VERTICES}</vertices><triangles>{TRIANGLES}</triangles></mesh>")
}

fn model(unit: &str, resources: &str, build: &str) -> String {
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<model unit="{unit}" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02" xmlns:p="http://schemas.microsoft.com/3dmanufacturing/production/2015/06">
<resources>{resources}</resources>
<build>{build}</build>
</model>"#
    )
}

fn packed(files: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in files {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn units_that_files_say_are_followed() {
    let folder = Folder::new("own-units");
    let item = r#"<item objectid="1"/>"#;
    let text = model("meter", &format!(r#"<object id="1">{}</object>"#, mesh()), item);
    folder.file("tip.3mf", packed(&[("3D/3dmodel.model", &text)]));
    let path = folder.0.join("tip.3mf");
    let source = open_paths(std::slice::from_ref(&path), &OpenOptions::default()).unwrap();
    assert_eq!(source.units, Some(Units::Millimetre));
    let wanted = OpenOptions { units: Some(Units::Metre), ..Default::default() };
    let source = open_paths(&[path], &wanted).unwrap();
    assert_eq!(source.scene.bodies[0].look.aabb().max.x, 1.0);
    folder.file("scene.toml", "units = 'cm'\n[[body]]\nname = 'tip'\nfile = 'tip.3mf'\n");
    let scene = noli_project::load_scene(folder.0.join("scene.toml"), &ReadOptions::default()).unwrap();
    assert_eq!(scene.bodies[0].look.aabb().max.x, 100.0);
}

#[test]
fn ifc_is_triangulated_where_a_kernel_is_there() {
    let kernel = python_with("ifcopenshell.geom");
    let Some(data) = data("ifc").filter(|_| kernel.is_some()) else { return };
    let source = open_paths(&[data.join("Building-Architecture.ifc")], &OpenOptions::default()).unwrap();
    assert_eq!(source.units, Some(Units::Metre));
    let names: Vec<&str> = source.scene.bodies.iter().map(|body| body.name.as_str()).collect();
    assert!(names.contains(&"00 groundfloor/IfcWall/plumbing wall/1uS5vfZPn9R8PlAaVd73on"), "{names:?}");
    // The same elements as in the published conversion.
    let text = std::fs::read_to_string(data.join("pcert-building.obj")).unwrap();
    let mut known: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("o Building-Architecture/")?.rsplit('/').next())
        .collect();
    let mut found: Vec<&str> = names.iter().filter_map(|name| name.rsplit('/').next()).collect();
    known.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, known);
}

#[test]
fn packed_meshes_of_a_folder_are_bodies() {
    let folder = Folder::new("packed");
    let text = "o tip\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    let pack = |text: &[u8]| {
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gz.write_all(text).unwrap();
        gz.finish().unwrap()
    };
    folder.file("tip.obj.gz", pack(text.as_bytes()));
    folder.file("flat.off.gz", pack(b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"));
    let source = open_paths(std::slice::from_ref(&folder.0), &OpenOptions::default()).unwrap();
    let names: Vec<&str> = source.scene.bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!(names, ["flat", "tip"]);
}
