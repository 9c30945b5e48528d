//! Formats that are packed, or that others convert.

use noli_formats::{FileError, MeshFile, MeshFormat, ReadOptions, read_bytes, read_mesh, read_objects};
use noli_testing::Folder;
use noli_testing::{data, python_with};
use std::io::Write;
use std::path::Path;

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

fn read(bytes: &[u8]) -> Result<MeshFile, FileError> {
    read_bytes(bytes, MeshFormat::ThreeMf, &ReadOptions::default())
}

#[test]
fn meshes_that_items_of_3mf_place_are_objects() {
    let resources = format!(
        r#"<object id="1" name="vertex">{}</object>
        <object id="2" type="model"><components>
            <component objectid="1"/><component objectid="1" transform="1 0 0 0 1 0 0 0 1 5 0 0"/>
        </components></object>
        <object id="3" type="support">{}</object>"#,
        mesh(),
        mesh()
    );
    let build = r#"<item objectid="1" transform="0 1 0 -1 0 0 0 0 1 10 0 0"/><item objectid="2" partnumber="pair"/><item objectid="3"/><item objectid="1"/>"#;
    let bytes = packed(&[("3D/3dmodel.model", &model("centimeter", &resources, build))]);
    assert_eq!(MeshFormat::from_content(&bytes), Some(MeshFormat::ThreeMf));
    let file = read(&bytes).unwrap();
    let names: Vec<&str> = file.objects.iter().map(|object| object.name.as_str()).collect();
    // An object that is built twice is two bodies, and so are components of one item.
    assert_eq!(names, ["vertex", "pair/vertex", "pair/vertex-2", "vertex-2"]);
    // Turned about z by a right angle and moved by 10 cm; in millimetres.
    let vertex = &file.objects[0].mesh;
    assert_eq!(vertex.aabb().min.to_array(), [90.0, 0.0, 0.0]);
    assert_eq!(vertex.aabb().max.to_array(), [100.0, 10.0, 10.0]);
    let pair = [&file.objects[1].mesh, &file.objects[2].mesh];
    assert_eq!(pair.map(|part| (part.triangle_count(), part.aabb().max.x)), [(4, 10.0), (4, 60.0)]);
    assert!(vertex.report().flaw().is_none() && vertex.report().signed_volume > 0.0);
    assert!(file.warnings.iter().any(|warning| warning.text.contains("support")), "{:?}", file.warnings);
}

/// A component that is a support, and nested components without a name.
#[test]
fn nested_components_of_3mf_are_bodies_and_supports_are_not() {
    let resources = format!(
        r#"<object id="1">{mesh}</object><object id="2" type="support">{mesh}</object>
        <object id="3"><components><component objectid="1"/><component objectid="2"/></components></object>
        <object id="4"><components><component objectid="3"/></components></object>"#,
        mesh = mesh()
    );
    let build = r#"<item objectid="4" partnumber="all"/>"#;
    let file = read(&packed(&[("3D/3dmodel.model", &model("millimeter", &resources, build))])).unwrap();
    let names: Vec<&str> = file.objects.iter().map(|object| object.name.as_str()).collect();
    assert_eq!(names, ["all/1"]);
    assert!(file.warnings.iter().any(|warning| warning.text.contains("support")), "{:?}", file.warnings);
}

#[test]
fn parts_in_other_files_of_the_archive_are_found() {
    let rels = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Target="/3D/all.model" Id="r" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>"#;
    let resources = r#"<object id="7" name="whole"><components><component p:path="/3D/part.model" objectid="1"/></components></object>"#;
    let root = model("meter", resources, r#"<item objectid="7"/>"#);
    let part = model("inch", &format!(r#"<object id="1">{}</object>"#, mesh()), "");
    let bytes = packed(&[("_rels/.rels", rels), ("3D/all.model", &root), ("3D/part.model", &part)]);
    let file = read(&bytes).unwrap();
    assert_eq!((file.objects[0].name.as_str(), file.objects[0].mesh.aabb().max.x), ("whole", 25.4));
}

#[test]
fn wrong_3mf_is_refused_with_the_reason() {
    let of = |resources: &str, build: &str| {
        let text = model("millimeter", resources, build);
        read(&packed(&[("3D/3dmodel.model", &text)])).map(drop).expect_err(resources).to_string()
    };
    let item = r#"<item objectid="1"/>"#;
    let itself = r#"<object id="1"><components><component objectid="1"/></components></object>"#;
    assert!(of(itself, item).contains("holds itself"), "{}", of(itself, item));
    let beyond = format!(r#"<object id="1">{}</object>"#, mesh().replace(r#"v3="3""#, r#"v3="4""#));
    assert!(of(&beyond, item).contains("names vertex 4"));
    let wide = format!(r#"<object id="1">{}</object>"#, mesh().replace(r#"x="1""#, r#"x="wide""#));
    assert!(of(&wide, item).contains("line 3"), "{}", of(&wide, item));
    assert!(of("", item).contains("object 1 is not in"));
    assert!(
        of(&format!(r#"<object id="1">{}</object>"#, mesh()), r#"<item objectid="1" transform="1 0"/>"#)
            .contains("12")
    );
    let text = model("furlong", "", item);
    assert!(read(&packed(&[("3D/3dmodel.model", &text)])).unwrap_err().reason.contains("furlong"));
    let beams = model("millimeter", "", item)
        .replace("<model ", r#"<model requiredextensions="b" xmlns:b="http://example.org/beams" "#);
    assert!(read(&packed(&[("3D/3dmodel.model", &beams)])).unwrap_err().reason.contains("example.org/beams"));
    assert!(
        read(b"PK").is_err()
            && read(&packed(&[("a.txt", "")])).unwrap_err().reason.contains("not in the archive")
    );
    // Cut or changed anywhere: an error or another mesh, never a panic.
    let whole = packed(&[(
        "3D/3dmodel.model",
        &model("millimeter", &format!(r#"<object id="1">{}</object>"#, mesh()), item),
    )]);
    for at in 0..whole.len() {
        assert!(read(&whole[..at]).is_err());
        let mut changed = whole.clone();
        changed[at] ^= 0x21;
        let _ = read(&changed);
    }
}

#[test]
fn packed_meshes_are_unpacked() {
    let folder = Folder::new("packed");
    let text = "o tip\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    let pack = |text: &[u8]| {
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gz.write_all(text).unwrap();
        gz.finish().unwrap()
    };
    folder.file("tip.obj.gz", pack(text.as_bytes()));
    folder.file("flat.off.gz", pack(b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"));
    assert_eq!(MeshFormat::from_extension(Path::new("a/part.PLY.GZ")), Some(MeshFormat::Ply));
    let file = read_objects(folder.0.join("tip.obj.gz"), &ReadOptions::default()).unwrap();
    assert_eq!((file.objects[0].name.as_str(), file.objects[0].mesh.triangle_count()), ("tip", 4));
    let whole = pack(text.as_bytes());
    folder.file("cut.obj.gz", &whole[..whole.len() / 2]);
    let error = read_mesh(folder.0.join("cut.obj.gz"), &ReadOptions::default()).unwrap_err();
    assert!(error.reason.contains("gz"), "{error}");
}

#[test]
fn step_is_triangulated_where_a_kernel_is_there() {
    let kernel = python_with("OCP");
    let Some(data) = data("cad/step").filter(|_| kernel.is_some()) else { return };
    let path = data.join("featuretype.STEP");
    let read =
        |chord| read_objects(&path, &ReadOptions { chord_mm: Some(chord), ..Default::default() }).unwrap();
    let [coarse, fine] = [1.0, 0.02].map(read);
    assert_eq!((coarse.objects.len(), fine.objects.len()), (1, 1));
    let [coarse, fine] = [coarse, fine].map(|file| file.objects.into_iter().next().unwrap().mesh);
    assert!(fine.triangle_count() > coarse.triangle_count());
    for mesh in [&coarse, &fine] {
        let report = mesh.report();
        assert!(report.flaw().is_none() && report.signed_volume > 0.0, "{report:?}");
    }
    // Both lie within their chords of the same surface, so their boxes and volumes nearly agree.
    let separated = (coarse.aabb().size() - fine.aabb().size()).abs().max_element();
    assert!(separated <= 2.04, "{separated}");
    let [a, b] = [&coarse, &fine].map(|mesh| mesh.report().signed_volume);
    assert!((a / b - 1.0).abs() < 0.05, "{a} {b}");
}

/// With a kernel or without one, the chord is stated.
#[cfg(feature = "step")]
#[test]
fn step_is_read_without_a_kernel() {
    let Some(data) = data("cad/step") else { return };
    let file = read_objects(data.join("featuretype.STEP"), &ReadOptions::default()).unwrap();
    assert_eq!(file.objects.len(), 1);
    assert!(file.objects[0].mesh.triangle_count() > 500);
    assert!(file.warnings.iter().any(|warning| warning.text.contains("triangulated")), "{:?}", file.warnings);
}
