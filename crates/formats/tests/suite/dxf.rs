//! DXF, entity by entity.

use glam::{DMat4, DVec3, dvec3};
use noli_formats::{FileError, MeshFile, MeshFormat, Place, ReadOptions, read_bytes};
use proptest::prelude::*;

/// Group codes and values, separated by spaces or line ends, as the lines of a file.
fn lines(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join("\r\n")
}

fn file(blocks: &str, entities: &str) -> String {
    let [blocks, entities] = [blocks, entities].map(lines);
    lines("0 SECTION 2 BLOCKS ")
        + "\r\n"
        + &[blocks, lines("0 ENDSEC 0 SECTION 2 ENTITIES"), entities, lines("0 ENDSEC 0 EOF")]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join("\r\n")
}

fn read(text: &str) -> MeshFile {
    read_bytes(text.as_bytes(), MeshFormat::Dxf, &ReadOptions::default()).unwrap()
}

fn error(text: &str) -> FileError {
    read_bytes(text.as_bytes(), MeshFormat::Dxf, &ReadOptions::default()).unwrap_err()
}

const FACE: &str = "0 3DFACE 8 0 10 0 20 0 30 0 11 1 21 0 31 0 12 1 22 1 32 0 13 0 23 1 33 0 ";

fn block(name: &str, base: &str, content: &str) -> String {
    format!("0 BLOCK 8 0 2 {name} 70 0 {base} {content} 0 ENDBLK 8 0 ")
}

fn vertices(file: &MeshFile) -> Vec<DVec3> {
    file.objects.iter().flat_map(|object| object.mesh.vertices().to_vec()).collect()
}

#[test]
fn faces_of_three_and_four_vertices_by_layer() {
    let triangle = "0 3DFACE 8 B 10 0 20 0 11 1 21 0 12 1 22 1 13 1 23 1 ";
    let file = read(&file("", &[FACE, triangle, "0 LINE 8 0 10 0 20 0 11 1 21 1 ", FACE].concat()));
    let [zero, b] = &file.objects[..] else { panic!("two layers expected") };
    assert_eq!((zero.name.as_str(), b.name.as_str()), ("0", "B"));
    assert_eq!((zero.mesh.face_count(), zero.mesh.triangle_count()), (2, 4));
    assert_eq!((b.mesh.face_count(), b.mesh.triangle_count()), (1, 1));
    assert_eq!(zero.mesh.vertices().len(), 4, "welded");
    assert_eq!(zero.mesh.user_face(2), 2);
    let [warning] = &file.warnings[..] else { panic!("one warning expected") };
    assert!(warning.text.contains("1 entities hold no faces: passed over (1 LINE)"), "{warning}");
}

#[test]
fn vertices_named_twice_leave_fewer() {
    let [p, q, r, s] = ["0 0", "2 0", "2 2", "0 2"];
    for (vertices, count) in [
        ([p, q, r, s], 4),
        ([p, q, r, r], 3),
        ([p, p, q, r], 3),
        ([p, q, q, r], 3),
        ([p, q, r, p], 3),
        ([p, p, p, q], 3),
        ([p, p, p, p], 3),
    ] {
        let text: String = vertices
            .iter()
            .enumerate()
            .map(|(i, vertex)| {
                let (x, y) = vertex.split_once(' ').unwrap();
                format!("{} {x} {} {y} ", 10 + i, 20 + i)
            })
            .collect();
        let object = read(&file("", &format!("0 3DFACE 8 0 {text}"))).objects.remove(0);
        assert_eq!(object.mesh.face(0).len(), count, "{vertices:?}");
        let area = object.mesh.iter_triangles().map(|t| t.doubled_area_vector().length()).sum::<f64>();
        let expected =
            [0.0, 0.0, 0.0, 4.0, 8.0][vertices.iter().collect::<std::collections::HashSet<_>>().len()];
        assert_eq!(area, expected, "{vertices:?}");
    }
}

const POLYFACE: &str = "0 POLYLINE 8 P 66 1 70 64 71 4 72 2 \
    0 VERTEX 8 P 10 0 20 0 30 0 70 192 0 VERTEX 8 P 10 1 20 0 30 0 70 192 \
    0 VERTEX 8 P 10 1 20 1 30 0 70 192 0 VERTEX 8 P 10 0 20 1 30 1 70 192 \
    0 VERTEX 8 P 10 0 20 0 30 0 70 128 71 1 72 -2 73 3 0 VERTEX 8 P 70 128 71 1 72 2 73 3 74 4 \
    0 VERTEX 8 P 70 128 71 1 72 2 0 SEQEND 8 P ";

#[test]
fn polyface_meshes() {
    let object = read(&file("", POLYFACE)).objects.remove(0);
    assert_eq!(object.name, "P");
    assert_eq!(object.mesh.faces().collect::<Vec<_>>(), [&[0, 1, 2][..], &[0, 1, 2, 3]]);
    let wrong = error(&file("", &POLYFACE.replace("73 3 74 4", "73 3 74 5")));
    assert!(wrong.reason.contains("names vertex 5, but there are 4"), "{wrong}");
    assert!(matches!(wrong.place, Place::Line(_)));
}

#[test]
fn polygon_meshes_open_closed_and_smooth() {
    let entities: String =
        (0..6).map(|i| format!("0 VERTEX 8 0 10 {} 20 {} 30 0 70 64 ", i / 3, i % 3)).collect();
    let grid = |flags: u32| format!("0 POLYLINE 8 0 70 {flags} 71 2 72 3 {entities} 0 SEQEND ");
    for (flags, faces) in [(16, 2), (16 + 32, 3), (16 + 1, 4), (16 + 33, 6)] {
        assert_eq!(read(&file("", &grid(flags))).objects[0].mesh.face_count(), faces, "{flags}");
    }
    let control = "0 VERTEX 8 0 10 9 20 9 30 9 70 80 ".repeat(4);
    let smooth = format!("0 POLYLINE 8 0 70 20 71 2 72 2 73 2 74 3 75 6 {control}{entities} 0 SEQEND ");
    let smooth = read(&file("", &smooth));
    assert_eq!(smooth.objects[0].mesh.face_count(), 2);
    assert!(!vertices(&smooth).contains(&DVec3::splat(9.0)));
    let wrong = error(&file("", &grid(16).replace("72 3", "72 4")));
    assert!(wrong.reason.contains("2 by 4 has 6 vertices"), "{wrong}");
    let line = read(&file("", &(format!("0 POLYLINE 8 0 70 0 {entities} 0 SEQEND ") + FACE)));
    assert_eq!(line.objects[0].mesh.face_count(), 1);
}

const MESH: &str = "0 MESH 8 M 100 AcDbSubDMesh 71 2 72 0 91 0 92 4 10 0 20 0 30 0 10 1 20 0 30 0 \
    10 1 20 1 30 0 10 0 20 1 30 2 93 8 90 3 90 0 90 1 90 2 90 3 90 0 90 2 90 3 94 1 90 0 90 1 95 0 90 0 ";

#[test]
fn mesh_entities() {
    let object = read(&file("", MESH)).objects.remove(0);
    assert_eq!(object.mesh.triangles(), [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(object.mesh.vertices()[3], dvec3(0.0, 1.0, 2.0));
    assert_eq!(read(&file("", &MESH.replace("91 0", "91 2"))).warnings.len(), 1);
    for (from, to, reason) in [
        ("93 8", "93 99999999999", "claims 99999999999 numbers"),
        ("93 8", "93 -1", "claims"),
        ("93 8 90 3", "93 8 90 0", "claims 0 vertices"),
        ("90 2 90 3 94", "90 2 90 4 94", "names vertex 4"),
        ("93 8", "96 8", "no list of faces"),
    ] {
        let error = error(&file("", &MESH.replace(from, to)));
        assert!(error.reason.contains(reason), "{error}");
    }
}

#[test]
fn blocks_are_moved_scaled_turned_and_repeated() {
    let blocks = block("b", "10 1 20 1 30 0", FACE);
    let insert = "0 INSERT 8 L 2 B 10 10 20 0 30 5 41 2 42 3 43 4 50 90 70 2 71 3 44 100 45 1000 ";
    let file = read(&file(&blocks, insert));
    assert_eq!((file.objects.len(), file.objects[0].name.as_str()), (1, "L"), "layer 0 yields");
    assert_eq!(file.objects[0].mesh.face_count(), 6);
    // The base point is the vertex (1, 1); the vertex (0, 0) is (-2, -3) from it, turned (3, -2).
    let vertices = vertices(&file);
    assert!(vertices.contains(&dvec3(10.0, 0.0, 5.0)) && vertices.contains(&dvec3(13.0, -2.0, 5.0)));
    assert!(vertices.contains(&dvec3(10.0 - 2000.0, 100.0, 5.0)), "last row, last column");
}

#[test]
fn nested_mirrored_and_extruded_blocks() {
    let blocks = block("INNER", "", FACE) + &block("OUTER", "", "0 INSERT 8 X 2 inner 10 5 20 0 41 -1 ");
    let file_at = |insert: &str| read(&file(&blocks, insert));
    let mirrored = file_at("0 INSERT 8 Y 2 OUTER 10 0 20 7 ");
    assert_eq!(mirrored.objects[0].name, "X");
    let mesh = &mirrored.objects[0].mesh;
    assert!(mesh.triangle(0).doubled_area_vector().z > 0.0, "faces look as before");
    assert!(mesh.vertices().contains(&dvec3(4.0, 7.0, 0.0)));
    let down = file_at("0 INSERT 8 Y 2 INNER 10 1 20 2 30 3 210 0 220 0 230 -1 ");
    // The axes of the direction -z are -x, y, -z.
    assert!(vertices(&down).contains(&dvec3(-2.0, 3.0, -3.0)), "{:?}", vertices(&down));
    let along_x = file_at("0 INSERT 8 Y 2 INNER 10 0 20 0 30 3 210 1 220 0 230 0 ");
    assert!(vertices(&along_x).contains(&dvec3(3.0, 1.0, 1.0)));
}

#[test]
fn circular_deep_and_endless_blocks_are_refused() {
    let circle = block("A", "", "0 INSERT 2 B 10 0 20 0 ") + &block("B", "", "0 INSERT 2 a 10 0 20 0 ");
    let wrong = error(&file(&circle, "0 INSERT 2 A 10 0 20 0 "));
    assert!(wrong.reason.contains("block `A` is placed inside itself"), "{wrong}");
    let chain = |copies: usize, length: usize| -> String {
        let insert = |i: usize| format!("0 INSERT 2 b{} 10 0 20 0 ", i + 1).repeat(copies);
        (0..length).map(|i| block(&format!("b{i}"), "", &insert(i))).collect::<String>()
            + &block(&format!("b{length}"), "", FACE)
    };
    let start = "0 INSERT 2 b0 10 0 20 0 ";
    assert_eq!(read(&file(&chain(1, 63), start)).objects[0].mesh.face_count(), 1);
    assert!(error(&file(&chain(1, 64), start)).reason.contains("more than 64 deep"));
    assert!(error(&file(&chain(2, 40), start)).reason.contains("used too often"));
    let endless = "0 INSERT 2 e 10 0 20 0 70 4000000000 71 4000000000 ";
    assert!(error(&file(&block("E", "", ""), endless)).reason.contains("used too often"));
}

#[test]
fn what_is_odd_is_warned_about() {
    let paper = FACE.replace("8 0", "67 1 8 0");
    let odd = read(&file("", &[FACE, &paper, "0 INSERT 2 nowhere 10 0 20 0 "].concat()));
    assert_eq!(odd.objects[0].mesh.face_count(), 1);
    assert_eq!(odd.warnings.len(), 2);
    assert!(odd.warnings[0].text.contains("no block `NOWHERE`"));
    let whole = file("", FACE);
    let cut = whole.trim_end_matches("0\r\nEOF");
    assert!(read(cut).warnings[0].text.contains("EOF"));
    assert!(read(&(whole.clone() + "\r\n\x1a\r\nrubbish")).warnings.is_empty());
    assert_eq!(read(&format!("999\r\na comment\r\n{}", whole.replace("\r\n", "\n"))).objects.len(), 1);
    assert!(error("").reason.contains("holds no faces"));
}

#[test]
fn errors_name_line_and_remedy() {
    let whole = file("", FACE);
    let count = whole.lines().count();
    for (text, line, reason) in [
        (whole.replacen("3DFACE\r\n8", "3DFACE\r\nx", 1), 13, "`x` found where a group code was expected"),
        (whole.replacen("11\r\n1", "11\r\n1,5", 1), 22, "`1,5` is not a number"),
        (whole.replacen("11\r\n1", "11\r\nnan", 1), 22, "is NaN"),
        (whole.replacen("11\r\n", "51\r\n", 1), 12, "lacks one of its first three vertices"),
        (whole.trim_end_matches("\r\nEOF").to_owned(), count - 1, "ends after the group code 0"),
        ("0\nLINE\n".to_owned(), 2, "`LINE` found where a SECTION was expected"),
        (file("", "0 INSERT 10 0 "), 12, "names no block"),
        (file("", "0 INSERT 2 b 41 inf "), 16, "a number is inf"),
        (file("", "0 INSERT 2 b 70 -2 "), 12, "-2 columns"),
        (file("", "0 INSERT 2 b 210 0 220 0 230 0 "), 12, "has no length"),
        (file("0 BLOCK 8 0 ", ""), 6, "a BLOCK has no name"),
        (file("", "0 POLYLINE 70 64 0 VERTEX 70 192 "), 16, "a VERTEX has no position"),
        (file("", "0 POLYLINE 70 x "), 14, "`x` found where a whole number"),
    ] {
        let error = error(&text);
        assert!(error.reason.contains(reason), "{error}");
        assert_eq!(error.place, Place::Line(line), "{error}");
        assert!(!error.remedy.is_empty());
    }
    let binary = error("AutoCAD Binary DXF\r\n\x1a\0...");
    assert!(binary.to_string().contains("save it as text (ASCII) DXF"), "{binary}");
}

#[test]
fn files_are_known_by_their_content() {
    let known = |bytes: &[u8]| MeshFormat::from_content(bytes);
    assert_eq!(known(file("", FACE).as_bytes()), Some(MeshFormat::Dxf));
    assert_eq!(known(b"999\nhello\n  0\nSECTION\n"), Some(MeshFormat::Dxf));
    assert_eq!(known(b"AutoCAD Binary DXF\r\n\x1a\0"), Some(MeshFormat::Dxf));
    assert_eq!(known(b"0 0 0\nSECTION"), None);
}

fn vector() -> impl Strategy<Value = [f64; 3]> {
    prop::array::uniform3(-4.0..4.0f64)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Blocks in blocks against the product of the 4×4 matrices of their references.
    #[test]
    fn chains_of_blocks_multiply(
        inserts in prop::collection::vec(
            (vector(), vector(), -400.0..400.0f64, vector()),
            1..6,
        ),
    ) {
        let mut world = DMat4::IDENTITY;
        let mut blocks = String::new();
        let mut content = String::new();
        for (i, &(point, scale, degrees, base)) in inserts.iter().enumerate() {
            world = world
                * DMat4::from_translation(point.into())
                * DMat4::from_rotation_z(degrees.to_radians())
                * DMat4::from_scale(scale.into())
                * DMat4::from_translation(-DVec3::from(base));
            let ([x, y, z], [u, v, w], [a, b, c]) = (point, scale, base);
            let insert = format!("0 INSERT 2 b{i} 10 {x} 20 {y} 30 {z} 41 {u} 42 {v} 43 {w} 50 {degrees} ");
            if i == 0 {
                content = insert;
            } else {
                blocks = blocks.replace("<inside>", &insert);
            }
            blocks += &block(&format!("b{i}"), &format!("10 {a} 20 {b} 30 {c}"), "<inside>");
        }
        let file = read(&file(&blocks.replace("<inside>", FACE), &content));
        let reach = |lengths: [&[f64; 3]; 3]| lengths.into_iter().flatten().map(|x| x.abs()).sum::<f64>();
        let size: f64 = inserts.iter().map(|(p, s, _, b)| 10.0 + reach([p, s, b])).product();
        for (x, y) in [(0., 0.), (1., 0.), (1., 1.), (0., 1.)] {
            let expected = world.transform_point3(dvec3(x, y, 0.0));
            let nearest = vertices(&file).iter().map(|v| v.distance(expected)).fold(f64::INFINITY, f64::min);
            prop_assert!(nearest <= 1e-13 * size, "{nearest}");
        }
    }

    /// Faces come back in order, in the words of their file.
    #[test]
    fn faces_survive(faces in prop::collection::vec(prop::array::uniform9(-1e80..1e80f64), 1..40)) {
        let mut text = String::new();
        for [a, b, c, d, e, f, g, h, i] in &faces {
            text += &format!("0 3DFACE 8 0 10 {a:?} 20 {b:?} 30 {c:?} 11 {d:?} 21 {e:?} 31 {f:?} ");
            text += &format!("12 {g:?} 22 {h:?} 32 {i:?} ");
        }
        let plain = ReadOptions { weld: Some(false), ..Default::default() };
        let read = read_bytes(file("", &text).as_bytes(), MeshFormat::Dxf, &plain).unwrap();
        let vertices = faces.as_flattened().as_chunks::<3>().0;
        let expected: Vec<DVec3> = vertices.iter().map(|&vertex| vertex.into()).collect();
        prop_assert_eq!(read.objects[0].mesh.vertices(), expected);
    }
}
