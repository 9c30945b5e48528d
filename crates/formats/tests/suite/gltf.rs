//! glTF, part by part.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use glam::{DMat4, DQuat, DVec3, dvec3};
use noli_formats::{FileError, MeshFile, MeshFormat, Place, ReadOptions, read_bytes, read_objects};
use noli_testing::Folder;
use proptest::prelude::*;

fn read(bytes: &[u8]) -> MeshFile {
    read_bytes(bytes, MeshFormat::Gltf, &ReadOptions::default()).unwrap()
}

fn error(bytes: &[u8]) -> FileError {
    read_bytes(bytes, MeshFormat::Gltf, &ReadOptions::default()).unwrap_err()
}

/// Four vertices as floats (bytes 0 to 47), then 0 1 2 0 2 3 as bytes (48), shorts (54) and words (66);
/// then the sparse index 3 (90) and its value (91 to 102).
fn data() -> Vec<u8> {
    let mut bytes = Vec::new();
    for x in [0., 0., 0., 1., 0., 0., 1., 1., 0., 0., 1., 0.25_f32] {
        bytes.extend(x.to_le_bytes());
    }
    let numbers = [0u8, 1, 2, 0, 2, 3];
    bytes.extend(numbers);
    numbers.iter().for_each(|&n| bytes.extend(u16::from(n).to_le_bytes()));
    numbers.iter().for_each(|&n| bytes.extend(u32::from(n).to_le_bytes()));
    bytes.push(3);
    [7., 8., 9_f32].iter().for_each(|x| bytes.extend(x.to_le_bytes()));
    bytes
}

const ACCESSORS: &str = r#"{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"},
{"bufferView":1,"componentType":5121,"count":6,"type":"SCALAR"},
{"bufferView":1,"byteOffset":6,"componentType":5123,"count":6,"type":"SCALAR"},
{"bufferView":1,"byteOffset":18,"componentType":5125,"count":6,"type":"SCALAR"},
{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3","sparse":{"count":1,
"indices":{"bufferView":1,"byteOffset":42,"componentType":5121},"values":{"bufferView":1,"byteOffset":43}}},
{"bufferView":0,"componentType":5121,"count":16,"type":"VEC3","normalized":true}"#;

const SQUARE: &str = r#"{"primitives":[{"attributes":{"POSITION":0,"NORMAL":9},"indices":2}]}"#;

fn json(buffer: &str, nodes: &str, mesh: &str) -> String {
    format!(
        r#"{{"asset":{{"version":"2.0"}},
"buffers":[{{"byteLength":103{buffer}}}],
"bufferViews":[{{"buffer":0,"byteLength":48}},{{"buffer":0,"byteOffset":48,"byteLength":55}}],
"accessors":[{ACCESSORS}],
"meshes":[{mesh}],
"nodes":[{nodes}]}}"#
    )
}

fn embedded(nodes: &str, mesh: &str) -> String {
    let data = BASE64_STANDARD.encode(data());
    json(&format!(r#","uri":"data:application/octet-stream;base64,{data}""#), nodes, mesh)
}

fn binary(json: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"glTF\x02\0\0\0\0\0\0\0".to_vec();
    for (kind, content, filler) in [(b"JSON", json.as_bytes(), b' '), (b"BIN\0", data, 0)] {
        let mut content = content.to_vec();
        content.resize(content.len().next_multiple_of(4), filler);
        bytes.extend((content.len() as u32).to_le_bytes());
        bytes.extend(kind);
        bytes.extend(content);
    }
    let length = bytes.len() as u32;
    bytes[8..12].copy_from_slice(&length.to_le_bytes());
    bytes
}

fn vertices(file: &MeshFile) -> &[DVec3] {
    file.objects[0].mesh.vertices()
}

const NODE: &str = r#"{"mesh":0}"#;

#[test]
fn every_index_type_and_container() {
    for indices in [1, 2, 3] {
        let mesh = SQUARE.replace(r#""indices":2"#, &format!(r#""indices":{indices}"#));
        for bytes in [embedded(NODE, &mesh).into_bytes(), binary(&json("", NODE, &mesh), &data())] {
            let file = read(&bytes);
            assert_eq!(file.warnings, []);
            assert_eq!(file.objects[0].name, "node 0");
            assert_eq!(file.objects[0].mesh.triangles(), [[0, 1, 2], [0, 2, 3]]);
            assert_eq!(vertices(&file)[3], dvec3(0.0, 1.0, 0.25));
            assert_eq!(MeshFormat::from_content(&bytes), Some(MeshFormat::Gltf));
        }
    }
}

#[test]
fn buffers_in_files_beside() {
    let folder = Folder::new("gltf");
    let path = folder.file("square.gltf", json(r#","uri":"a%20b.bin""#, NODE, SQUARE));
    let missing = read_objects(&path, &ReadOptions::default()).unwrap_err().to_string();
    assert!(missing.contains("square.gltf:2: buffer 0: `a%20b.bin` cannot be read"), "{missing}");
    folder.file("a b.bin", data());
    let file = read_objects(&path, &ReadOptions::default()).unwrap();
    assert_eq!(file.objects[0].mesh.triangle_count(), 2);
    folder.file("a b.bin", &data()[..50]);
    let short = read_objects(&path, &ReadOptions::default()).unwrap_err();
    assert!(short.reason.contains("should have 103 bytes, but there are 50"), "{short}");
    for (uri, reason) in [
        ("a.bin", "which bytes alone cannot name"),
        ("/etc/passwd", "is not a relative path"),
        ("http://x/a.bin", "is not a relative path"),
        ("data:text/plain,abc", "without base64"),
        ("data:;base64,****", "is not base64"),
        ("data:;base64,AAAA", "should have 103 bytes, but there are 3"),
    ] {
        let error = error(json(&format!(r#","uri":"{uri}""#), NODE, SQUARE).as_bytes());
        assert!(error.reason.contains(reason), "{error}");
        assert_eq!(error.place, Place::Line(2));
    }
}

#[test]
fn strips_fans_and_bare_vertices() {
    let with = |rest: &str| {
        let mesh = format!(r#"{{"primitives":[{{"attributes":{{"POSITION":0}}{rest}}}]}}"#);
        read(embedded(NODE, &mesh).as_bytes())
    };
    let triangles = |rest: &str| with(rest).objects[0].mesh.triangles().to_vec();
    assert_eq!(triangles(r#","mode":5"#), [[0, 1, 2], [1, 3, 2]]);
    assert_eq!(triangles(r#","mode":6"#), [[1, 2, 0], [2, 3, 0]]);
    let odd = with("");
    assert_eq!(odd.objects[0].mesh.triangles(), [[0, 1, 2]]);
    assert!(odd.warnings[0].text.contains("past the last triangle"));
    let lines = r#"},{"attributes":{"POSITION":0},"mode":1"#;
    let lines = with(&format!(r#","mode":5{lines}"#));
    assert!(lines.warnings[0].text.contains("1 primitives passed over"), "{:?}", lines.warnings);
    assert_eq!(lines.warnings[0].place, Place::Line(11));
}

#[test]
fn sparse_and_normalized_positions() {
    let sparse = read(embedded(NODE, &SQUARE.replace(r#""POSITION":0"#, r#""POSITION":4"#)).as_bytes());
    assert_eq!(vertices(&sparse)[3], dvec3(7.0, 8.0, 9.0));
    let mesh = r#"{"primitives":[{"attributes":{"POSITION":5}}]}"#;
    let normalized = read(embedded(NODE, mesh).as_bytes());
    // The float 1.0 is the bytes 0, 0, 128, 63.
    assert!(vertices(&normalized).contains(&dvec3(0.0, 0.0, 128.0 / 255.0)));
    let nothing = embedded(NODE, SQUARE).replacen(r#""bufferView":0,"#, "", 1);
    assert_eq!(vertices(&read(nothing.as_bytes())), [DVec3::ZERO], "zeros where there is no view");
}

#[test]
fn nodes_are_placed_in_the_world() {
    let nodes = r#"{"name":"root","children":[1,2,3],"translation":[10,0,0],"rotation":[0,0,2,2]},
        {"name":"a","mesh":0,"translation":[1,2,3],"scale":[2,2,-2]},
        {"name":"a","mesh":0,"matrix":[0,1,0,0, -1,0,0,0, 0,0,1,0, 5,6,7,1]},
        {"mesh":0,"name":""}"#;
    let file = read(embedded(nodes, &SQUARE.replace(r#"{"prim"#, r#"{"name":"a","prim"#)).as_bytes());
    let names: Vec<&str> = file.objects.iter().map(|object| object.name.as_str()).collect();
    assert_eq!(names, ["a", "a-2", "a-3"]);
    let vertices = |object: usize| file.objects[object].mesh.vertices();
    // A quarter turn about z, then 10 along x.
    // Vertices are numbered as the faces, turned over, meet them.
    assert_eq!(vertices(0), [dvec3(6., 3., 3.), dvec3(8., 3., 3.), dvec3(8., 1., 3.), dvec3(6., 1., 2.5)]);
    assert_eq!(vertices(1)[1], dvec3(10.0 - 7.0, 5.0, 7.0));
    assert_eq!(vertices(2)[1], dvec3(10.0, 1.0, 0.0));
    // Mirrored along z only, so a part that looked up must look down.
    assert!(file.objects[0].mesh.triangle(0).doubled_area_vector().z < 0.0);
    assert_eq!(file.objects[1].mesh.user_face(0), 2);
}

#[test]
fn only_the_chosen_scene_is_read() {
    let nodes = format!(r#"{NODE},{{"name":"b","mesh":0}}"#);
    let text = embedded(&nodes, SQUARE);
    assert_eq!(read(text.as_bytes()).objects.len(), 2);
    let scenes = text.replacen('{', r#"{"scene":1,"scenes":[{"nodes":[0]},{"nodes":[1]}],"#, 1);
    let names: Vec<String> = read(scenes.as_bytes()).objects.into_iter().map(|o| o.name).collect();
    assert_eq!(names, ["b"]);
    assert!(
        error(scenes.replace(r#""scene":1"#, r#""scene":2"#).as_bytes()).reason.contains("scene 2 is named")
    );
    assert!(error(scenes.replace("[1]", "[7]").as_bytes()).reason.contains("node 7 is named"));
    assert!(error(scenes.replace("[1]", "[1,1]").as_bytes()).reason.contains("holds it twice"));
}

#[test]
fn node_graphs_that_are_no_trees_are_refused() {
    for (nodes, reason) in [
        (r#"{"children":[0]}"#, "a descendant of itself"),
        (r#"{"children":[1]},{"children":[0],"mesh":0}"#, "a descendant of itself"),
        (r#"{"children":[2]},{"children":[2]},{"mesh":0}"#, "a child of node 0 and of node 1"),
        (r#"{"children":[5]}"#, "node 5 is named, but the file has 1"),
        (r#"{"mesh":3}"#, "mesh 3 is named"),
        (r#"{"mesh":0,"rotation":[0,0,0,0]}"#, "no quaternion"),
        (r#"{"mesh":0,"matrix":[1,0,0,1,0,1,0,0,0,0,1,0,0,0,0,1]}"#, "more than move"),
        (r#"{"mesh":0,"scale":[1e200,1,1]}"#, "exceeds"),
        (r#"{"mesh":0,"scale":[1e999,1,1]}"#, "out of range"),
    ] {
        let error = error(embedded(nodes, SQUARE).as_bytes());
        assert!(error.reason.contains(reason), "{error}");
        assert_eq!(error.place, Place::Line(12), "{error}");
    }
    let chain: Vec<String> = (1..50_000).map(|i| format!(r#"{{"children":[{i}]}}"#)).collect();
    let deep = embedded(&(chain.join(",") + r#",{"mesh":0}"#), SQUARE);
    assert_eq!(read(deep.as_bytes()).objects.len(), 1, "depth needs no stack");
}

#[test]
fn claims_are_checked_before_memory_is_asked_for() {
    let text = embedded(NODE, SQUARE);
    for (from, to, line, reason) in [
        (r#""count":4"#, r#""count":5"#, 4, "5 elements 12 bytes apart do not fit into 48"),
        (r#""count":4"#, r#""count":18446744073709551615"#, 4, "do not fit"),
        (
            r#""bufferView":0,"componentType":5126,"count":4"#,
            r#""componentType":5126,"count":4000000000"#,
            4,
            "too large",
        ),
        (
            r#""byteLength":48"#,
            r#""byteLength":104"#,
            3,
            "takes 104 bytes from byte 0 on, but its buffer has 103",
        ),
        (r#""byteLength":48"#, r#""byteLength":48,"byteOffset":18446744073709551615"#, 3, "takes"),
        (r#""byteLength":48"#, r#""byteLength":48,"byteStride":4"#, 4, "cannot be 4 bytes apart"),
        (r#""byteLength":103"#, r#""byteLength":104"#, 2, "should have 104 bytes"),
        (r#""type":"VEC3""#, r#""type":"VEC2""#, 4, "positions must be VEC3"),
        (r#""componentType":5126"#, r#""componentType":5124"#, 4, "5124 is no component type"),
        (r#""byteOffset":6,"componentType":5123"#, r#""byteOffset":6,"componentType":5122"#, 6, "unsigned"),
        (r#""byteOffset":6,"#, r#""byteOffset":7,"#, 6, "names vertex 256"),
        (
            r#""count":6,"type":"SCALAR"},
{"bufferView":1,"byteOffset":18"#,
            r#""count":-6,"type":"SCALAR"},
{"bufferView":1,"byteOffset":18"#,
            6,
            "accessor 2: invalid value: integer `-6`",
        ),
        (r#""POSITION":0"#, r#""POSITION":10"#, 11, "accessor 10 is named"),
        (r#""POSITION":0"#, r#""PLACE":0"#, 11, "no positions"),
        (r#""indices":2}"#, r#""indices":2,"mode":7}"#, 11, "7 is no mode"),
    ] {
        assert!(text.contains(from), "{from}");
        let error = error(text.replacen(from, to, 1).as_bytes());
        assert!(error.reason.contains(reason), "{error}");
        assert_eq!(error.place, Place::Line(line), "{error}");
        assert!(!error.remedy.is_empty());
    }
    let many = vec![NODE; 100].join(",");
    let zeros = embedded(&many, SQUARE).replacen(
        r#""bufferView":0,"componentType":5126,"count":4"#,
        r#""componentType":5126,"count":100000"#,
        1,
    );
    assert!(error(zeros.as_bytes()).reason.contains("used too often"));
}

#[test]
fn containers_versions_and_extensions() {
    let whole = binary(&json("", NODE, SQUARE), &data());
    for cut in 0..whole.len() {
        assert!(read_bytes(&whole[..cut], MeshFormat::Gltf, &ReadOptions::default()).is_err(), "{cut}");
    }
    let changed = |at: usize, byte: u8| {
        let mut bytes = whole.clone();
        bytes[at] = byte;
        error(&bytes)
    };
    assert!(changed(4, 1).reason.contains("version 1"));
    assert_eq!(changed(16, b'X').place, Place::Byte(12));
    let bad_count = binary(&json("", NODE, SQUARE).replacen(r#""count":4"#, r#""count":5"#, 1), &data());
    assert!(
        matches!(error(&bad_count).place, Place::Byte(at) if bad_count[at..].starts_with(b"{\"bufferView\":0"))
    );
    let text = embedded(NODE, SQUARE);
    assert!(error(text.replace(r#""2.0""#, r#""1.0""#).as_bytes()).reason.contains("version `1.0`"));
    let broken = error(text.replace(r#""meshes":["#, r#""meshes":[,"#).as_bytes());
    assert_eq!(broken.place, Place::Line(11), "{broken}");
    assert!(error(b"{}").reason.contains("missing field `asset`"));
    let requiring = |name: &str| text.replacen('{', &format!(r#"{{"extensionsRequired":["{name}"],"#), 1);
    assert!(error(requiring("KHR_draco_mesh_compression").as_bytes()).remedy.contains("without compression"));
    assert_eq!(read(requiring("KHR_mesh_quantization").as_bytes()).objects.len(), 1);
    let odd = r#"{"mesh":0,"skin":0}"#;
    assert_eq!(read(embedded(odd, SQUARE).as_bytes()).warnings.len(), 1);
}

/// Read as one, most copies were not checked, and the outcome was free.
#[test]
fn instances_in_an_extension_were_read_as_one() {
    let odd = r#"{"mesh":0,"extensions":{"EXT_mesh_gpu_instancing":{}}}"#;
    let error = error(embedded(odd, SQUARE).as_bytes());
    assert!(error.reason.contains("copies are in an extension"), "{error}");
}

/// CAD writes the name of a part on the node above the one with its mesh.
#[test]
fn parents_of_nodes_were_lost() {
    let nodes = r#"{"name":"scene","children":[1,3]},
        {"name":"bracket:1","children":[2]},{"name":"Body1","mesh":0},
        {"name":"motor:1","children":[4]},{"name":"Body1","mesh":0}"#;
    let file = read(embedded(nodes, SQUARE).as_bytes());
    let names: Vec<&str> = file.objects.iter().map(|object| object.name.as_str()).collect();
    assert_eq!(names, ["bracket:1/Body1", "motor:1/Body1"]);
}

#[test]
fn a_uri_led_out_of_the_folder() {
    let error = error(json(r#","uri":"../../secret.bin""#, NODE, SQUARE).as_bytes());
    assert!(error.reason.contains("leads out of the folder"), "{error}");
}

fn numbers<const N: usize>() -> impl Strategy<Value = [f64; N]> {
    prop::array::uniform(-4.0..4.0f64)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Chains of nodes against the product of 4×4 matrices that `glam` makes of their parts.
    #[test]
    fn chains_of_nodes_multiply(
        parts in prop::collection::vec((numbers::<3>(), numbers::<4>(), numbers::<3>(), any::<bool>()), 1..6),
    ) {
        let mut world = DMat4::IDENTITY;
        let mut nodes = Vec::new();
        for (i, &(translation, rotation, scale, as_matrix)) in parts.iter().enumerate() {
            prop_assume!(rotation.iter().map(|x| x * x).sum::<f64>() > 1e-3);
            let unit = DQuat::from_array(rotation).normalize();
            let local = DMat4::from_scale_rotation_translation(scale.into(), unit, translation.into());
            world *= local;
            let place = if as_matrix {
                format!(r#""matrix":{:?}"#, local.to_cols_array())
            } else {
                format!(r#""translation":{translation:?},"rotation":{rotation:?},"scale":{scale:?}"#)
            };
            let last = i + 1 == parts.len();
            let content = if last { r#""mesh":0"#.into() } else { format!(r#""children":[{}]"#, i + 1) };
            nodes.push(format!("{{{place},{content}}}"));
        }
        let file = read(embedded(&nodes.join(","), SQUARE).as_bytes());
        let reach = |t: &[f64; 3], s: &[f64; 3]| t.iter().chain(s).map(|x| x.abs()).sum::<f64>();
        let size: f64 = parts.iter().map(|(t, _, s, _)| 10.0 + reach(t, s)).product();
        for (x, y, z) in [(0., 0., 0.), (1., 0., 0.), (1., 1., 0.), (0., 1., 0.25)] {
            let expected = world.transform_point3(dvec3(x, y, z));
            let nearest = vertices(&file).iter().map(|v| v.distance(expected)).fold(f64::INFINITY, f64::min);
            prop_assert!(nearest <= 1e-14 * size, "{nearest}");
        }
    }

    /// Triangles come back as they were written, in every index type that can number them.
    #[test]
    fn triangles_survive(
        positions in prop::collection::vec(prop::array::uniform3(-1e30f32..1e30), 1..300),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 3..60),
    ) {
        let indices: Vec<u32> = picks.iter().map(|pick| pick.index(positions.len()) as u32).collect();
        let indices = &indices[..indices.len() / 3 * 3];
        let mut data: Vec<u8> = positions.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        let start = data.len();
        let mut kinds = vec![(5125, 4), (5123, 2)];
        if positions.len() <= 256 {
            kinds.push((5121, 1));
        }
        for (kind, size) in kinds {
            data.truncate(start);
            indices.iter().for_each(|i| data.extend(&i.to_le_bytes()[..size]));
            let json = format!(
                r#"{{"asset":{{"version":"2.0"}},"buffers":[{{"byteLength":{}}}],"nodes":[{{"mesh":0}}],
                "bufferViews":[{{"buffer":0,"byteLength":{start}}},{{"buffer":0,"byteOffset":{start},"byteLength":{}}}],
                "accessors":[{{"bufferView":0,"componentType":5126,"count":{},"type":"VEC3"}},
                {{"bufferView":1,"componentType":{kind},"count":{},"type":"SCALAR"}}],
                "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}]}}"#,
                data.len(), data.len() - start, positions.len(), indices.len(),
            );
            let plain = ReadOptions { weld: Some(false), ..Default::default() };
            let file = read_bytes(&binary(&json, &data), MeshFormat::Gltf, &plain).unwrap();
            let mesh = &file.objects[0].mesh;
            prop_assert_eq!(mesh.triangles().as_flattened(), indices);
            let expected: Vec<DVec3> = positions.iter().map(|p| DVec3::from(p.map(f64::from))).collect();
            prop_assert_eq!(mesh.vertices(), expected);
        }
    }
}

/// A shape that a weight changes is another shape; with weights of 0 it is the one that is stored.
#[test]
fn morph_targets_with_a_weight_are_refused() {
    let mesh = |weights: &str| {
        let target = r#""targets":[{"POSITION":0}]"#;
        format!(r#"{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":2,{target}}}]{weights}}}"#)
    };
    let node = r#"{"mesh":0}"#;
    for (node, weights) in [(node, r#","weights":[0.5]"#), (r#"{"mesh":0,"weights":[1]}"#, "")] {
        let error = error(embedded(node, &mesh(weights)).as_bytes());
        assert!(error.reason.contains("morph targets"), "{error}");
    }
    for (node, weights) in
        [(node, ""), (node, r#","weights":[0]"#), (r#"{"mesh":0,"weights":[0]}"#, r#","weights":[1]"#)]
    {
        assert!(read(embedded(node, &mesh(weights)).as_bytes()).warnings.is_empty());
    }
}
