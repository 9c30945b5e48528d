//! Mesh files of every format, in and out.

use MeshFormat::{Dxf, Gltf, Obj, Off, Ply, Stl, ThreeMf};
use glam::{DVec3, dvec3};
use noli_formats::*;
use noli_geom::{Mesh, MeshOptions, Polygons};
use proptest::prelude::*;

const PLAIN: ReadOptions =
    ReadOptions { weld: Some(false), weld_within: None, shells: false, chord_mm: None, cad: CadReader::Auto };

fn read(bytes: &[u8], format: MeshFormat) -> MeshFile {
    read_bytes(bytes, format, &PLAIN).unwrap()
}

fn read_one(bytes: &[u8], format: MeshFormat) -> Mesh {
    let [object] = &read(bytes, format).objects[..] else { panic!("one object expected") };
    object.mesh.clone()
}

fn error(bytes: &[u8], format: MeshFormat) -> FileError {
    read_bytes(bytes, format, &PLAIN).unwrap_err()
}

/// Four triangles around numbers that do not round in any format.
fn tetrahedron() -> Mesh {
    let vertices = vec![dvec3(0.0, 0.0, 0.5), DVec3::X, DVec3::Y * 2.0, DVec3::Z * -3.25];
    let faces = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    Mesh::from_triangles(vertices, faces, &MeshOptions::default()).unwrap()
}

fn named(name: &str, mesh: Mesh) -> NamedMesh {
    NamedMesh { name: name.into(), mesh }
}

const OBJ_TEXT: &str = "# a comment\r\nmtllib x.mtl\r\no first thing\r\nv 0 0 0\r\nv 1 0 0 1.0\r\nv 1 1 0 0.5 0.5 0.5\r\n\
    v 0 1e0 -0.0 # trailing\r\nvt 0 0\r\nvn 0 0 1\r\nusemtl red\r\ns off\r\nf 1/1/1 2/1/1 3//1 \\\r\n 4\r\n\
    o second\r\nv 0 0 5\r\nf -5 -4 -1 # last\r\nl 1 2\r\no first thing\r\nf 1 2 5\r\n";

#[test]
fn obj_objects_groups_and_index_forms() {
    let file = read(OBJ_TEXT.as_bytes(), Obj);
    assert!(file.warnings[0].text.contains("several objects called `first thing`"), "{:?}", file.warnings);
    let [first, second, third] = &file.objects[..] else { panic!("three objects expected") };
    let names = [first, second, third].map(|object| object.name.as_str());
    assert_eq!(names, ["first thing", "second", "first thing-2"]);
    assert_eq!(first.mesh.faces().collect::<Vec<_>>(), [&[0, 1, 2, 3][..]]);
    assert_eq!(second.mesh.triangles(), [[0, 1, 2]]);
    assert_eq!(second.mesh.user_vertex(2), 4);
    assert_eq!(second.mesh.user_face(0), 1);
    assert_eq!(third.mesh.user_face(0), 2);
    let grouped = read(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\ng a b\nf 3 2 1\ng\nf 1 3 2", Obj);
    assert_eq!(grouped.objects.iter().map(|o| o.name.as_str()).collect::<Vec<_>>(), ["", "a b"]);
}

#[test]
fn obj_lone_carriage_returns_and_forward_references() {
    assert_eq!(read_one(b"f 1 2 3\rv 0 0 0\rv 1 0 0\rv 0 1 0\r", Obj).triangle_count(), 1);
}

#[test]
fn obj_errors_name_line_and_remedy() {
    let start = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    for (line, reason) in [
        ("f 1 2 4", "names vertex 4, but the file has 3"),
        ("f 1 2 0", "`0` names no vertex"),
        ("f 1 2 -4", "`-4` names no vertex"),
        ("f 1 2 x", "`x` names no vertex"),
        ("f 1 2 99999999999999999999", "names no vertex"),
        ("f", "no vertices"),
        ("v 1 2", "coordinate is missing"),
        ("v 1 2 nan", "is NaN"),
        ("v 1 2 1e999", "is inf"),
        ("v 1 2 1e200", "exceeds"),
        ("v 1 2 3,5", "`3,5` is not a number"),
    ] {
        let error = error(format!("{start}{line}\n").as_bytes(), Obj);
        assert_eq!(error.place, Place::Line(4), "{line}");
        assert!(error.reason.contains(reason), "{line}: {error}");
        assert!(!error.remedy.is_empty());
    }
}

#[test]
fn obj_foreign_lines_are_warned_about() {
    let file = read(b"3 1\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", Obj);
    assert_eq!(file.objects[0].mesh.triangle_count(), 1);
    assert_eq!(file.warnings[0].place, Place::Line(1));
    assert!(file.warnings[0].to_string().contains("`3` is no OBJ statement"));
    assert_eq!(error(b"<html>\n<body>", Obj).place, Place::Line(1));
    assert!(error(b"", Obj).reason.contains("holds no faces"));
}

#[test]
fn off_variants() {
    let square = "4 1 4\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n";
    let coloured =
        "COFF # comment\n\n4 1\n0 0 0 255 0 0 255\n#\n1 0 0 1 1 1 1\n1 1 0\n0 1 0\n4 0 1 2 3 0.5 0.5 0.5\n";
    for text in [square.to_owned(), format!("OFF\n{square}"), format!("OFF {square}"), coloured.to_owned()] {
        assert_eq!(read_one(text.as_bytes(), Off).face(0), [0, 1, 2, 3], "{text}");
    }
    assert_eq!(read(format!("{square}stray").as_bytes(), Off).warnings.len(), 1);
}

#[test]
fn off_errors() {
    for (text, line, reason) in [
        ("OFF BINARY\n", 1, "binary"),
        ("4OFF\n1 1 0\n", 1, "`4OFF` is not supported"),
        ("OFF\nx 1\n", 2, "`x` found where"),
        ("OFF\n2000000000 1 0\n0 0 0\n", 4, "after 1 of 2000000000 vertices"),
        ("OFF\n1 1 0\n0 0 0\n3 0 0 1\n", 4, "names vertex 1, but the file has 1"),
        ("OFF\n1 1 0\n0 0 0\n3 0 0\n", 4, "no vertex number"),
        ("OFF\n1 1 0\n0 0 0\n0\n", 4, "no number of vertices"),
        ("OFF\n1 1 0\n0 0\n", 3, "missing"),
        ("", 1, "empty"),
    ] {
        let error = error(text.as_bytes(), Off);
        assert!(error.reason.contains(reason), "{error}");
        assert_eq!(error.place, Place::Line(line), "{error}");
    }
}

fn text_stl(name: &str) -> String {
    let facet =
        "facet normal nan 0 1\nouter loop\nvertex 0 0 0\nVERTEX 1 0 0\nvertex 0 1 0.1\nendloop\nendfacet\n";
    format!("solid {name}\n{facet}{facet}endsolid {name}\n")
}

#[test]
fn text_stl_solids_are_objects() {
    let text = text_stl("a 1") + &text_stl("b");
    let file = read_bytes(text.as_bytes(), Stl, &ReadOptions::default()).unwrap();
    assert_eq!(file.objects.iter().map(|o| o.name.as_str()).collect::<Vec<_>>(), ["a 1", "b"]);
    assert_eq!(file.objects[1].mesh.vertices(), [dvec3(0., 0., 0.), dvec3(1., 0., 0.), dvec3(0., 1., 0.1)]);
    assert_eq!(file.objects[1].mesh.user_face(0), 2);
    assert_eq!(file.objects[1].mesh.user_vertex(1), 7);
    let cut = text.trim_end().trim_end_matches("endsolid b");
    assert_eq!(read(cut.as_bytes(), Stl).warnings.len(), 1);
    let error = error(text.replacen("endloop", "vertex 1 1 1", 1).as_bytes(), Stl);
    assert_eq!(
        (error.place, error.reason.as_str()),
        (Place::Line(7), "`vertex` found where `endloop` was expected")
    );
}

#[test]
fn binary_stl_may_start_with_solid() {
    let mut bytes = write_bytes(Stl, &[named("", tetrahedron())]).unwrap();
    bytes[..12].copy_from_slice(b"solid facet\n");
    assert_eq!(read_one(&bytes, Stl).triangle_count(), 4);
    assert_eq!(MeshFormat::from_content(&bytes), Some(Stl));
    bytes.extend([0; 7]);
    assert_eq!(read(&bytes, Stl).warnings[0].place, Place::Byte(284));
    let short = error(&bytes[..200], Stl);
    assert_eq!(
        (short.place, short.reason.as_str()),
        (Place::Byte(200), "the file ends after 2 of 4 triangles")
    );
    bytes[84 + 50 + 12..][..4].copy_from_slice(&f32::NAN.to_le_bytes());
    assert_eq!(error(&bytes, Stl).place, Place::Byte(84 + 50 + 12));
    assert!(read_bytes(b"abc", Stl, &PLAIN).is_err());
}

const PLY_TEXT: &str = "ply\nformat ascii 1.0\ncomment hi\nobj_info x\nelement material 2\nproperty list uchar float k\n\
    property int id\nelement vertex 4\nproperty float nx\nproperty double x\nproperty double y\nproperty double z\n\
    property list uchar int tags\nelement face 2\nproperty uchar red\nproperty list uchar int vertex_index\n\
    property list uchar float uv\nelement nothing 4000000000\nend_header\n2 1 2 7\n0 8\n9 0 0 0 0\n9 1 0 0 1 5\n\
    9 1 1 0 0\n9 0 1 0 2 5 5\n255 4 0 1 2 3 0\n0 3 0 1 2 2 0.5 0.5\n";

#[test]
fn ply_text_with_extra_elements_and_properties() {
    let mesh = read_one(PLY_TEXT.as_bytes(), Ply);
    assert_eq!(mesh.faces().collect::<Vec<_>>(), [&[0, 1, 2, 3][..], &[0, 1, 2]]);
    assert_eq!(mesh.vertices()[2], dvec3(1., 1., 0.));
    assert_eq!(read_one(PLY_TEXT.replace('\n', "\r\n").as_bytes(), Ply), mesh);
}

fn binary_ply(little_endian: bool) -> Vec<u8> {
    let order = if little_endian { "little" } else { "big" };
    let mut bytes = format!(
        "ply\nformat binary_{order}_endian 1.0\nelement vertex 3\nproperty uchar a\nproperty float x\n\
         property short y\nproperty double z\nelement face 1\nproperty list ushort uint8 vertex_indices\nend_header\n"
    )
    .into_bytes();
    let mut put = |le: &[u8]| {
        let mut le = le.to_vec();
        if !little_endian {
            le.reverse();
        }
        bytes.extend(le);
    };
    for i in 0..3i16 {
        put(&[7]);
        put(&(f32::from(i) + 0.25).to_le_bytes());
        put(&(-i * i).to_le_bytes());
        put(&0.1f64.to_le_bytes());
    }
    put(&3u16.to_le_bytes());
    [2, 1, 0].iter().for_each(|&vertex| put(&[vertex]));
    bytes
}

#[test]
fn ply_binary_in_both_byte_orders() {
    for little_endian in [true, false] {
        let mesh = read_one(&binary_ply(little_endian), Ply);
        assert_eq!(mesh.triangles(), [[2, 1, 0]]);
        assert_eq!(mesh.vertices()[2], dvec3(2.25, -4.0, 0.1));
    }
}

#[test]
fn ply_errors() {
    let bytes = binary_ply(true);
    let late = error(&bytes[..bytes.len() - 1], Ply);
    assert_eq!(late.place, Place::Byte(bytes.len() - 1));
    let greedy = PLY_TEXT.replace("vertex 4", "vertex 2000000000");
    assert!(error(greedy.as_bytes(), Ply).reason.contains("claims 2000000000 of `vertex`"));
    for (from, to, reason) in [
        ("4 0 1 2 3", "4 0 1 2 4", "names vertex 4"),
        ("4 0 1 2 3", "4 0 1 2 -1", "-1 found where"),
        ("4 0 1 2 3", "4 0 1 2 0.5", "0.5 found where"),
        ("9 1 1 0 0", "9 1 inf 0 0", "is inf"),
        ("double z", "double q", "lacks a property"),
        ("vertex_index", "vertices", "lacks a list"),
        ("uchar red", "colour red", "`colour` is no PLY type"),
        ("ascii", "utf8", "`utf8` is no PLY format"),
        ("end_header", "end_footer", "no PLY header line"),
        ("format ascii 1.0\n", "", "no `format` line"),
        ("ply\n", "plywood\n", "does not start with"),
    ] {
        let error = error(PLY_TEXT.replacen(from, to, 1).as_bytes(), Ply);
        assert!(error.reason.contains(reason), "{to}: {error}");
    }
}

#[test]
fn every_format_round_trips() {
    let square = vec![DVec3::ZERO, DVec3::X, dvec3(1.0, 1.0, 0.1), dvec3(1e-300, 1e90, -5e-324)];
    let quads =
        Mesh::from_polygons(square, [[0, 1, 2, 3]].iter().collect(), &MeshOptions::default()).unwrap();
    let objects = [named("a tetrahedron", tetrahedron()), named("a quad", quads)];
    let again = read(&write_bytes(Obj, &objects).unwrap(), Obj).objects;
    for (object, again) in objects.iter().zip(&again) {
        assert_eq!(again.name, object.name);
        let positions = |mesh: &Mesh| mesh.iter_triangles().collect::<Vec<_>>();
        assert_eq!(positions(&again.mesh), positions(&object.mesh));
    }
    for format in [Off, Ply] {
        let mesh = read_one(&write_bytes(format, &objects).unwrap(), format);
        let both: Vec<DVec3> = objects.iter().flat_map(|o| o.mesh.vertices().to_vec()).collect();
        assert_eq!(mesh.vertices(), both);
        assert_eq!(mesh.faces().last().unwrap(), [4, 5, 6, 7]);
    }
    let welded = read_bytes(&write_bytes(Stl, &objects[..1]).unwrap(), Stl, &ReadOptions::default()).unwrap();
    assert!(welded.objects[0].mesh.report().closed);
    assert_eq!(welded.objects[0].mesh.signed_volume(), tetrahedron().signed_volume());
    assert!(write_bytes(Stl, &objects).unwrap_err().reason.contains("too large for STL"));
}

#[test]
fn files_are_recognised_by_content_and_name() {
    let folder = std::env::temp_dir().join(format!("noli-formats-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let objects = [named("t", tetrahedron())];
    for name in ["a.OBJ", "a.stl", "a.Off", "a.ply"] {
        let path = folder.join(name);
        write_mesh(&path, &objects).unwrap();
        assert_eq!(read_mesh(&path, &ReadOptions::default()).unwrap().triangle_count(), 4);
    }
    let misnamed = folder.join("b.stl");
    std::fs::rename(folder.join("a.ply"), &misnamed).unwrap();
    let file = read_objects(&misnamed, &ReadOptions::default()).unwrap();
    assert_eq!((file.objects[0].name.as_str(), file.warnings.len()), ("b", 1));
    std::fs::copy(folder.join("a.OBJ"), folder.join("bare")).unwrap();
    assert_eq!(read_mesh(folder.join("bare"), &PLAIN).unwrap().triangle_count(), 4);
    std::fs::copy(folder.join("a.OBJ"), folder.join("c.stl")).unwrap();
    let file = read_objects(folder.join("c.stl"), &ReadOptions::default()).unwrap();
    assert!(file.warnings[0].text.contains("named as STL, but its content is OBJ"), "{:?}", file.warnings);
    let wide: Vec<u8> = "v 0 0 0\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (name, bytes, wanted) in [
        ("empty.glb", vec![], "the file is empty; check that it was written completely"),
        ("wide.obj", [vec![0xff, 0xfe], wide].concat(), "the text is UTF-16; save it as UTF-8"),
    ] {
        std::fs::write(folder.join(name), bytes).unwrap();
        let error = read_mesh(folder.join(name), &PLAIN).unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
    }
    let a_folder = read_mesh(&folder, &PLAIN).unwrap_err().to_string();
    assert!(a_folder.contains("name a file, not a folder"), "{a_folder}");
    let missing = read_mesh(folder.join("none.obj"), &PLAIN).unwrap_err().to_string();
    assert!(missing.contains("none.obj: cannot be read"), "{missing}");
    std::fs::write(folder.join("bad.obj"), "v 0 0 0\nf 1 1 2\n").unwrap();
    let bad = read_mesh(folder.join("bad.obj"), &PLAIN).unwrap_err().to_string();
    assert!(bad.contains("bad.obj:2: a face names vertex 2"), "{bad}");
    assert!(write_mesh(folder.join("a.xyz"), &objects).is_err());
    let read_only = write_mesh(folder.join("a.glb"), &objects).unwrap_err().to_string();
    assert!(read_only.contains("a.glb: glTF files are read but not written; use .obj"), "{read_only}");
    assert!(write_mesh(folder.join("no/such/folder.obj"), &objects).is_err());
    assert!(
        std::fs::read_dir(&folder).unwrap().all(|e| e
            .unwrap()
            .path()
            .extension()
            .is_none_or(|e| e != "part"))
    );
}

/// Small files of every kind, to be damaged.
fn seeds() -> Vec<(Vec<u8>, MeshFormat)> {
    let objects = [named("t", tetrahedron())];
    let mut seeds = vec![
        (OBJ_TEXT.as_bytes().to_vec(), Obj),
        (text_stl("x").into_bytes(), Stl),
        (PLY_TEXT.as_bytes().to_vec(), Ply),
        (binary_ply(true), Ply),
        (binary_ply(false), Ply),
    ];
    for format in [Obj, Stl, Off, Ply] {
        seeds.push((write_bytes(format, &objects).unwrap(), format));
    }
    seeds
}

fn damage() -> impl Strategy<Value = Vec<(usize, u8)>> {
    let byte = prop_oneof![any::<u8>(), prop::sample::select(b"0123456789-.e/ \n\r\\#".to_vec())];
    prop::collection::vec((any::<usize>(), byte), 0..6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn damaged_files_never_panic(
        which in 0..9usize,
        damage in damage(),
        cut in prop::option::of(any::<usize>()),
        weld: bool,
    ) {
        let (mut bytes, format) = seeds().swap_remove(which);
        for (at, byte) in damage {
            let length = bytes.len();
            bytes[at % length] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut % (bytes.len() + 1));
        }
        MeshFormat::from_content(&bytes);
        if let Ok(file) = read_bytes(&bytes, format, &ReadOptions { weld: Some(weld), ..Default::default() }) {
            for object in &file.objects {
                object.mesh.report();
            }
        }
    }

    #[test]
    fn any_bytes_in_any_format_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        for format in [Obj, Stl, Off, Ply, Gltf, Dxf, ThreeMf] {
            read_bytes(&bytes, format, &PLAIN).ok();
        }
    }

    #[test]
    fn coordinates_survive_text(values in prop::collection::vec(-1e90..1e90f64, 9), small in -1.0..1.0f64) {
        let vertices: Vec<DVec3> = values.chunks(3).map(|v| dvec3(v[0], v[1], v[2] * small)).collect();
        let faces: Polygons = [[0, 1, 2]].iter().collect();
        let mesh = Mesh::from_polygons(vertices, faces, &MeshOptions::default()).unwrap();
        for format in [Obj, Off, Ply] {
            let again = read_one(&write_bytes(format, &[named("", mesh.clone())]).unwrap(), format);
            prop_assert_eq!(again.vertices(), mesh.vertices());
        }
    }
}
