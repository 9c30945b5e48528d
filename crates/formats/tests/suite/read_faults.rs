//! Files that were once read wrongly. Each test is named after what broke.

use glam::DVec3;
use noli_formats::{
    MeshFormat, NamedMesh, ReadOptions, is_same_file, read_bytes, read_objects, write_bytes, write_whole,
};
use noli_geom::Mesh;
use noli_testing::Folder;

/// A cube of edge 2 about a place.
fn cube(name: &str, place: [f64; 3]) -> NamedMesh {
    let mesh = Mesh::cuboid(DVec3::splat(2.0)).unwrap();
    let vertices = mesh.vertices().iter().map(|&v| v + DVec3::from(place)).collect();
    NamedMesh { name: name.into(), mesh: mesh.with_vertices(vertices).unwrap() }
}

fn written(format: MeshFormat, objects: &[NamedMesh]) -> Vec<u8> {
    write_bytes(format, objects).unwrap()
}

#[test]
fn obj_objects_of_one_name_became_one_body() {
    let twice = written(MeshFormat::Obj, &[cube("bolt", [0.0; 3]), cube("bolt", [1.0, 0.0, 0.0])]);
    let file = read_bytes(&twice, MeshFormat::Obj, &ReadOptions::default()).unwrap();
    let names: Vec<&str> = file.objects.iter().map(|object| object.name.as_str()).collect();
    assert_eq!(names, ["bolt", "bolt-2"]);
    assert!(file.warnings[0].text.contains("several objects called `bolt`"), "{:?}", file.warnings);
}

#[test]
fn files_without_faces_and_cut_off_faces_were_free() {
    let folder = Folder::new("no-faces");
    for (name, text, reason) in [
        ("empty.obj", "", "the file is empty"),
        ("points.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n", "holds no faces"),
        ("empty.stl", "solid a\nendsolid a\n", "holds no faces"),
    ] {
        let error = read_objects(folder.file(name, text), &ReadOptions::default()).unwrap_err();
        assert!(error.reason.contains(reason), "{name}: {error}");
    }
    // Robots read COLLADA by another path, and a link that nothing can touch is free.
    let empty = "<?xml version=\"1.0\"?><COLLADA version=\"1.4.1\"></COLLADA>";
    let file = folder.file("empty.dae", empty);
    for error in [
        read_objects(&file, &ReadOptions::default()).unwrap_err(),
        noli_formats::read_link_mesh(file.as_ref()).unwrap_err(),
        noli_formats::read_link_bytes(empty.as_bytes(), "dae").unwrap_err(),
        noli_formats::read_link_bytes(b"solid a\nendsolid a\n", "stl").unwrap_err(),
        read_bytes(
            b"ply\nformat ascii 1.0\nelement vertex 0\nend_header\n",
            MeshFormat::Ply,
            &Default::default(),
        )
        .unwrap_err(),
    ] {
        assert!(error.reason.contains("holds no faces"), "{error}");
    }
    let some = folder.file("some.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\no bolt\no plate\nf 1 2 3\n");
    let some = read_objects(some, &ReadOptions::default()).unwrap();
    assert_eq!((some.objects.len(), some.objects[0].name.as_str()), (1, "plate"));
    assert!(some.warnings[0].text.contains("`bolt` holds no faces"), "{:?}", some.warnings);
    let cut = folder.file("cut.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 2");
    let error = read_objects(cut, &ReadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("cut.obj:5: a face has only 1 vertices"), "{error}");
}

#[test]
fn control_characters_in_names_reached_the_terminal() {
    let folder = Folder::new("control");
    let text = String::from_utf8(written(MeshFormat::Obj, &[cube("a", [0.0; 3])])).unwrap();
    let file = folder.file("esc.obj", text.replace("o a", "o \x1b[31mRED"));
    let file = read_objects(file, &ReadOptions::default()).unwrap();
    assert_eq!(file.objects[0].name, "\\u{1b}[31mRED");
}

#[test]
fn shells_of_stl_and_ply_are_bodies() {
    let two = [cube("a", [0.0; 3]), cube("b", [9.0, 0.0, 0.0])];
    for format in [MeshFormat::Stl, MeshFormat::Ply, MeshFormat::Off] {
        let bytes = written(format, &two);
        let plain = read_bytes(&bytes, format, &ReadOptions::default()).unwrap();
        assert_eq!(plain.objects.len(), 1);
        let split = read_bytes(&bytes, format, &ReadOptions { shells: true, ..Default::default() }).unwrap();
        assert_eq!(split.objects.len(), 2, "{format:?}");
        let faces: usize = split.objects.iter().map(|object| object.mesh.triangle_count()).sum();
        assert_eq!(faces, plain.objects[0].mesh.triangle_count());
        assert!(split.objects.iter().all(|object| object.mesh.report().flaw().is_none()));
    }
}

#[test]
fn seams_that_are_nearly_closed_are_welded_within_a_length() {
    // The twelve triangles of a cube with vertices of their own, the last ones off by a little.
    let mesh = cube("a", [0.0; 3]).mesh;
    let vertex = |k: usize, v: DVec3| v + DVec3::X * if k.is_multiple_of(5) { 3e-9 } else { 0.0 };
    let vertices: Vec<DVec3> = mesh.iter_triangles().flat_map(|triangle| triangle.vertices).collect();
    let vertices: Vec<DVec3> = vertices.into_iter().enumerate().map(|(k, v)| vertex(k, v)).collect();
    let triangles = (0..vertices.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let open = Mesh::from_triangles(vertices, triangles, &Default::default()).unwrap();
    let bytes = written(MeshFormat::Obj, &[NamedMesh { name: "seams".into(), mesh: open }]);
    let read = |options: ReadOptions| read_bytes(&bytes, MeshFormat::Obj, &options).unwrap();
    let exact = read(ReadOptions { weld: Some(true), ..Default::default() });
    assert!(exact.objects[0].mesh.report().border_edges > 0);
    let near = read(ReadOptions { weld: Some(true), weld_within: Some(1e-8), ..Default::default() });
    assert_eq!(near.objects[0].mesh.report().flaw(), None);
    assert!(near.warnings[0].text.contains("0 after"), "{:?}", near.warnings);
    let coarse = read(ReadOptions { weld: Some(true), weld_within: Some(1e-10), ..Default::default() });
    assert!(coarse.objects[0].mesh.report().border_edges > 0);
}

#[cfg(unix)]
#[test]
fn outputs_replaced_links_and_pipes() {
    use std::os::unix::fs::FileTypeExt;
    let folder = Folder::new("outputs");
    let real = folder.file("real.txt", "old");
    let link = folder.0.join("link.txt");
    std::os::unix::fs::symlink("real.txt", &link).unwrap();
    write_whole(&link, b"new").unwrap();
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert_eq!(std::fs::read(&real).unwrap(), b"new");
    assert!(is_same_file(&link, &real));
    let pipe = folder.0.join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || std::fs::read(pipe).unwrap()
    });
    write_whole(&pipe, b"through").unwrap();
    assert_eq!(reader.join().unwrap(), b"through");
    assert!(std::fs::metadata(&pipe).unwrap().file_type().is_fifo());
    write_whole("/dev/null", b"gone").unwrap();
    assert!(std::fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    // A link that leads nowhere yet makes the file it names.
    let dangling = folder.0.join("dangling");
    std::os::unix::fs::symlink("made.txt", &dangling).unwrap();
    write_whole(&dangling, b"made").unwrap();
    assert_eq!(std::fs::read(folder.0.join("made.txt")).unwrap(), b"made");
}

/// Nodes of one name, in metres: bodies of an assembly, not only meshes of robots.
#[test]
fn collada_is_read_as_bodies() {
    let text = r##"<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="centimeter" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="n" count="12">0 0 0 100 0 0 0 100 0 0 0 100</float_array>
<technique_common><accessor source="#n" count="4" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s">
<node name="tip"><instance_geometry url="#g"/></node>
<node name="tip"><translate>500 0 0</translate><instance_geometry url="#g"/></node>
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>"##;
    assert_eq!(MeshFormat::from_content(text.as_bytes()), Some(MeshFormat::Collada));
    let folder = Folder::new("collada");
    let file = read_objects(folder.file("tips.dae", text), &ReadOptions::default()).unwrap();
    let names: Vec<&str> = file.objects.iter().map(|object| object.name.as_str()).collect();
    assert_eq!(names, ["tip", "tip-2"]);
    assert_eq!(file.objects[1].mesh.aabb().min.x, 5.0);
    assert!(file.objects[0].mesh.report().flaw().is_none());
    let scene = folder.file("table.scene", "(noname)+\n* box\n1\nbox\n1 1 1\n");
    let error = read_objects(scene, &ReadOptions::default()).unwrap_err();
    assert!(error.reason.contains("MoveIt planning scene") && error.remedy.contains("--around"), "{error}");
}
