//! Point clouds: every format reads back what was written, other writers' files are read, and faults have a place.

use glam::{DVec3, dvec3};
use noli_formats::{
    PointFormat, is_point_file, read_point_bytes, read_points, write_point_bytes, write_points,
};
use noli_testing::{Folder, Random};

const WRITTEN: [PointFormat; 4] = [PointFormat::Pcd, PointFormat::Ply, PointFormat::Xyz, PointFormat::Npy];

fn cloud(count: usize, seed: u64) -> Vec<DVec3> {
    let mut random = Random::new(seed);
    (0..count).map(|_| dvec3(random.real(), 1e3 * random.real(), 1e-9 * random.real())).collect()
}

#[test]
fn written_points_read_back_the_same() {
    let rounded = |point: &DVec3| point.as_vec3().as_dvec3();
    for format in WRITTEN {
        for count in [1, 2, 17, 1000] {
            let points = cloud(count, 7);
            let short: Vec<DVec3> = points.iter().map(rounded).collect();
            for points in [points, short] {
                let bytes = write_point_bytes(format, &points).unwrap();
                if format != PointFormat::Xyz {
                    assert_eq!(PointFormat::from_content(&bytes), Some(format));
                }
                let file = read_point_bytes(&bytes, format).unwrap();
                assert_eq!(file.points, points, "{format:?}");
                assert_eq!((file.dropped, file.warnings.len()), (0, 0));
            }
        }
    }
}

/// As PCL writes it: more fields, an organised cloud with NaN, a viewpoint.
fn pcd(data: &str) -> Vec<u8> {
    format!(
        "# .PCD v.7 - Point Cloud Data file format\nVERSION .7\nFIELDS rgb x y z normal\nSIZE 4 4 4 8 4\n\
         TYPE U F F F F\nCOUNT 1 1 1 1 3\nWIDTH 2\nHEIGHT 2\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 4\nDATA {data}\n"
    )
    .into_bytes()
}

const ROWS: [[f64; 3]; 4] =
    [[1.0, 2.0, 3.5], [f64::NAN, f64::NAN, f64::NAN], [-0.5, 0.25, 1e9], [0.0, f64::INFINITY, 0.0]];

fn check_rows(bytes: &[u8]) {
    let file = read_point_bytes(bytes, PointFormat::Pcd).unwrap();
    assert_eq!(file.points, [dvec3(1.0, 2.0, 3.5), dvec3(-0.5, 0.25, 1e9)]);
    assert_eq!((file.dropped, file.viewpoint), (2, None));
}

#[test]
fn organised_pcd_files_of_other_writers_are_read() {
    let mut text = pcd("ascii");
    for [x, y, z] in ROWS {
        text.extend(format!("4278190080 {x} {y} {z} 0 0 1\n").to_lowercase().into_bytes());
    }
    check_rows(&text);
    let mut binary = pcd("binary");
    for [x, y, z] in ROWS {
        binary.extend(7u32.to_le_bytes());
        binary.extend((x as f32).to_le_bytes());
        binary.extend((y as f32).to_le_bytes());
        binary.extend(z.to_le_bytes());
        binary.extend([0; 12]);
    }
    check_rows(&binary);
    // Literal runs alone are a valid compression.
    let mut columns = vec![0; 4 * 4];
    ROWS.iter().for_each(|row| columns.extend((row[0] as f32).to_le_bytes()));
    ROWS.iter().for_each(|row| columns.extend((row[1] as f32).to_le_bytes()));
    ROWS.iter().for_each(|row| columns.extend(row[2].to_le_bytes()));
    columns.extend([0; 4 * 12]);
    let mut packed = Vec::new();
    for run in columns.chunks(32) {
        packed.push(run.len() as u8 - 1);
        packed.extend_from_slice(run);
    }
    let mut compressed = pcd("binary_compressed");
    compressed.extend((packed.len() as u32).to_le_bytes());
    compressed.extend((columns.len() as u32).to_le_bytes());
    compressed.extend(packed);
    check_rows(&compressed);
    for length in (0..compressed.len()).step_by(3) {
        assert!(read_point_bytes(&compressed[..length], PointFormat::Pcd).is_err(), "{length}");
    }
}

#[test]
fn viewpoints_are_reported_and_not_applied() {
    let text = "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 1\nHEIGHT 1\nVIEWPOINT 1 2 3 1 0 0 0\nDATA ascii\n5 6 7\n";
    let file = read_point_bytes(text.as_bytes(), PointFormat::Pcd).unwrap();
    assert_eq!(file.points, [dvec3(5.0, 6.0, 7.0)]);
    assert_eq!(file.viewpoint.unwrap().translation, dvec3(1.0, 2.0, 3.0));
    assert!(file.warnings[0].text.contains("VIEWPOINT"));
}

#[test]
fn texts_are_read_as_people_write_them() {
    let text = "x,y,z,intensity\n1,2,3,9\n\n# note\n4; 5;6\r\n7\t8 9 1 2 3\nnan nan nan\n// end\n";
    let file = read_point_bytes(text.as_bytes(), PointFormat::Xyz).unwrap();
    assert_eq!(file.points, [dvec3(1.0, 2.0, 3.0), dvec3(4.0, 5.0, 6.0), dvec3(7.0, 8.0, 9.0)]);
    assert_eq!((file.dropped, file.warnings.len()), (1, 0), "names of columns need no warning");
    let counted = read_point_bytes(b"2\n1 2 3\n4 5 6\n", PointFormat::Xyz).unwrap();
    assert_eq!(counted.points.len(), 2);
}

#[test]
fn arrays_of_numpy_are_read() {
    let array = |dict: &str, data: Vec<u8>| {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((dict.len() as u16).to_le_bytes());
        bytes.extend(dict.as_bytes());
        bytes.extend(data);
        bytes
    };
    let big: Vec<u8> = (1..=8).flat_map(|k| (k as f32).to_be_bytes()).collect();
    let dict = "{'descr': '>f4', 'fortran_order': False, 'shape': (2, 4), }\n";
    let file = read_point_bytes(&array(dict, big), PointFormat::Npy).unwrap();
    assert_eq!(file.points, [dvec3(1.0, 2.0, 3.0), dvec3(5.0, 6.0, 7.0)]);
    let columns: Vec<u8> = (1..=6).flat_map(|k| f64::from(k).to_le_bytes()).collect();
    let dict = "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }\n";
    let file = read_point_bytes(&array(dict, columns.clone()), PointFormat::Npy).unwrap();
    assert_eq!(file.points, [dvec3(1.0, 3.0, 5.0), dvec3(2.0, 4.0, 6.0)]);
    for dict in [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }\n",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (6,), }\n",
        "{'descr': '|O', 'fortran_order': False, 'shape': (2, 3), }\n",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999999, 3), }\n",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 3), }\n",
        "{'descr': '<f8'}\n",
    ] {
        assert!(read_point_bytes(&array(dict, columns.clone()), PointFormat::Npy).is_err(), "{dict}");
    }
}

#[test]
fn faults_have_a_place_and_a_remedy() {
    let cases: [(&str, PointFormat, &str); 8] = [
        ("# empty\n", PointFormat::Xyz, "holds no points"),
        ("1 2 3\n1 2 x\n", PointFormat::Xyz, "line 2: `x` is not a number"),
        ("1 2 3\n1 2\n", PointFormat::Xyz, "line 2: `1 2` is not a point"),
        (
            "FIELDS x y\nSIZE 4 4\nTYPE F F\nPOINTS 1\nDATA ascii\n1 2\n",
            PointFormat::Pcd,
            "no fields x, y and z",
        ),
        ("FIELDS x y z\nSIZE 4 4\nTYPE F F F\nPOINTS 1\nDATA ascii\n", PointFormat::Pcd, "line 5: SIZE"),
        (
            "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nPOINTS 2\nDATA ascii\n1 2 3\n",
            PointFormat::Pcd,
            "end after 1",
        ),
        (
            "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nPOINTS 99999999999999\nDATA binary\n",
            PointFormat::Pcd,
            "limit",
        ),
        (
            "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nPOINTS 1\nDATA ascii\nnan 0 0\n",
            PointFormat::Pcd,
            "none of the 1",
        ),
    ];
    for (text, format, said) in cases {
        let error = read_point_bytes(text.as_bytes(), format).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
    assert!(read_point_bytes(b"", PointFormat::Xyz).is_err());
}

/// A grey PNG of 16 bits, stored without compression, each row with another filter.
fn png(width: usize, rows: &[Vec<u16>]) -> Vec<u8> {
    let bytes: Vec<Vec<u8>> =
        rows.iter().map(|row| row.iter().flat_map(|x| x.to_be_bytes()).collect()).collect();
    let mut raw = Vec::new();
    for (number, row) in bytes.iter().enumerate() {
        let filter = number % 3;
        raw.push(filter as u8);
        for (k, &x) in row.iter().enumerate() {
            let left = if k >= 2 { row[k - 2] } else { 0 };
            let up = if number > 0 { bytes[number - 1][k] } else { 0 };
            raw.push(x.wrapping_sub([0, left, up][filter]));
        }
    }
    let mut zlib = vec![0x78, 0x01];
    for (number, block) in raw.chunks(65_535).enumerate() {
        zlib.push(u8::from((number + 1) * 65_535 >= raw.len()));
        zlib.extend((block.len() as u16).to_le_bytes());
        zlib.extend((!(block.len() as u16)).to_le_bytes());
        zlib.extend_from_slice(block);
    }
    let (mut a, mut b) = (1u32, 0u32);
    for &byte in &raw {
        a = (a + u32::from(byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    zlib.extend((b << 16 | a).to_be_bytes());
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut header = Vec::new();
    header.extend((width as u32).to_be_bytes());
    header.extend((rows.len() as u32).to_be_bytes());
    header.extend([16, 0, 0, 0, 0]);
    for (kind, body) in [(b"IHDR", header), (b"IDAT", zlib), (b"IEND", Vec::new())] {
        out.extend((body.len() as u32).to_be_bytes());
        out.extend(kind);
        out.extend(body);
        out.extend([0; 4]);
    }
    out
}

#[test]
fn depth_images_become_points_in_front_of_the_camera() {
    let folder = Folder::new("depth");
    let rows = vec![vec![1000, 0, 2000, 1500], vec![1000, 1001, 1002, 65535], vec![1, 500, 0, 250]];
    folder.file("depth.png", png(4, &rows));
    let camera = r#"{"depth": "depth.png", "fx": 100, "fy": 200, "cx": 1.5, "cy": 1, "depth_scale": 0.001,
        "max_depth": 60, "pose": {"translation": [1, 2, 3]}}"#;
    let path = folder.file("camera.json", camera);
    assert!(is_point_file(path.as_ref()));
    let file = read_points(&path).unwrap();
    assert_eq!((file.points.len(), file.dropped), (9, 3));
    let expected = |u: f64, v: f64, raw: f64| {
        let z = 0.001 * raw;
        dvec3(1.0 + (u - 1.5) * z / 100.0, 2.0 + (v - 1.0) * z / 200.0, 3.0 + z)
    };
    assert!(file.points[0].distance(expected(0.0, 0.0, 1000.0)) < 1e-12);
    assert!(file.points[1].distance(expected(2.0, 0.0, 2000.0)) < 1e-12);
    assert!(file.points[8].distance(expected(3.0, 2.0, 250.0)) < 1e-12);
    for (wrong, said) in [
        (camera.replace("\"fx\": 100", "\"fx\": 0"), "fx is 0"),
        (camera.replace("\"fx\"", "\"f_x\""), "unknown field `f_x`"),
        (camera.replace("depth.png", "missing.png"), "missing.png"),
        (camera.replace("[1, 2, 3]", "[1, 2]"), "not a camera file"),
    ] {
        let error = read_points(folder.file("wrong.json", wrong)).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
    let mut broken = png(4, &rows);
    broken.truncate(60);
    folder.file("depth.png", broken);
    assert!(read_points(&path).unwrap_err().to_string().contains("too early"));
}

#[test]
fn files_are_recognised_by_content_and_extension() {
    let folder = Folder::new("clouds");
    let points = cloud(20, 3);
    for name in ["a.pcd", "a.ply", "a.xyz", "a.npy"] {
        let path = folder.file(name, b"");
        write_points(&path, &points).unwrap();
        assert!(is_point_file(path.as_ref()), "{name}");
        assert_eq!(read_points(&path).unwrap().points, points);
    }
    let mesh = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
                element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 nan\n3 0 1 2\n";
    let path = folder.file("mesh.ply", mesh);
    assert!(!is_point_file(path.as_ref()), "it has faces");
    let file = read_points(&path).unwrap();
    assert_eq!((file.points.len(), file.dropped, file.warnings.len()), (2, 1, 1));
    assert!(write_points(folder.file("a.obj", b""), &points).is_err());
    assert!(read_points(folder.file("a.bin", b"\0\0\0")).is_err());
}

/// Damaged files are read or refused; nothing panics.
#[test]
fn damaged_files_are_read_or_refused() {
    let mut random = Random::new(11);
    let points = cloud(40, 5);
    let mut compressed = pcd("binary_compressed");
    compressed.extend(write_point_bytes(PointFormat::Pcd, &points).unwrap());
    let mut files = vec![(PointFormat::Pcd, compressed), (PointFormat::Camera, b"{\"depth\": 1}".to_vec())];
    files.extend(WRITTEN.map(|format| (format, write_point_bytes(format, &points).unwrap())));
    for (format, bytes) in files {
        for _ in 0..2000 {
            let mut bytes = bytes.clone();
            for _ in 0..=random.index(4) {
                let at = random.index(bytes.len().min(400));
                match random.index(3) {
                    0 => bytes[at] = random.index(256) as u8,
                    1 => bytes.truncate(at + 1),
                    _ => bytes.insert(at, b"0159 \n-.e"[random.index(9)]),
                }
            }
            let _ = read_point_bytes(&bytes, format);
        }
    }
}

/// Positions, radii and whether these are a column without a name.
fn spheres(bytes: &[u8], format: PointFormat) -> (Vec<[f64; 3]>, Option<Vec<f64>>, bool) {
    let file = read_point_bytes(bytes, format).unwrap();
    (file.points.iter().map(|point| point.to_array()).collect(), file.radii, file.has_unnamed_radii)
}

const SPHERES: [[f64; 4]; 3] = [[0.0, 1.0, 2.0, 0.25], [f64::NAN, 1.0, 2.0, 0.5], [3.0, 4.0, 5.0, 0.75]];

fn kept_spheres(is_unnamed: bool) -> (Vec<[f64; 3]>, Option<Vec<f64>>, bool) {
    (vec![[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]], Some(vec![0.25, 0.75]), is_unnamed)
}

/// A PCD file of x, y, r and z with the radius as four bytes.
fn pcd_of_spheres(data: &str, name: &str) -> Vec<u8> {
    let mut bytes = format!(
        "VERSION .7\nFIELDS x y {name} z\nSIZE 8 8 4 8\nTYPE F F F F\nCOUNT 1 1 1 1\nWIDTH 3\nHEIGHT 1\nPOINTS 3\n\
         DATA {data}\n"
    )
    .into_bytes();
    for [x, y, z, radius] in SPHERES {
        match data {
            "ascii" => bytes.extend(format!("{x} {y} {radius} {z}\n").to_lowercase().into_bytes()),
            _ => {
                bytes.extend([x, y].iter().flat_map(|x| x.to_le_bytes()));
                bytes.extend((radius as f32).to_le_bytes());
                bytes.extend(z.to_le_bytes());
            }
        }
    }
    bytes
}

#[test]
fn points_of_pcd_files_have_radii_where_a_field_has_that_name() {
    for data in ["ascii", "binary"] {
        for name in ["radius", "Radius", "scalar_radius"] {
            assert_eq!(spheres(&pcd_of_spheres(data, name), PointFormat::Pcd), kept_spheres(false), "{data}");
        }
        let other = read_point_bytes(&pcd_of_spheres(data, "intensity"), PointFormat::Pcd).unwrap();
        assert_eq!((other.points.len(), other.radii), (2, None), "{data}");
    }
    let text = String::from_utf8(pcd_of_spheres("ascii", "radius")).unwrap();
    for bad in ["-0.75", "nan", "inf"] {
        let wrong = text.replace(" 0.75 ", &format!(" {bad} "));
        let error = read_point_bytes(wrong.as_bytes(), PointFormat::Pcd).unwrap_err().to_string();
        assert!(error.contains("invalid radius"), "{error}");
    }
}

#[test]
fn columns_of_texts_are_radii_by_name_or_as_the_last_of_four() {
    let plain = "0 1 2 0.25\nnan 1 2 0.5\n3 4 5 0.75\n";
    assert_eq!(spheres(plain.as_bytes(), PointFormat::Xyz), kept_spheres(true));
    for names in ["x y z radius\n", "# X Y Z Radius\n", "//X,Y,Z,scalar_Radius\n", "# a scan\nx;y;z;radius\n"]
    {
        let text = format!("{names}{plain}");
        assert_eq!(spheres(text.as_bytes(), PointFormat::Xyz), kept_spheres(false), "{names}");
    }
    let wide = "x y z i radius\n0 1 2 7 0.25\nnan 1 2 7 0.5\n3 4 5 7 0.75\n";
    assert_eq!(spheres(wide.as_bytes(), PointFormat::Xyz), kept_spheres(false));
    // Intensities, a count as of .pts files, lines of different lengths, and numbers that no radius is.
    let longer = plain.replace("0.75", "0.75 1");
    let negative = plain.replace("0.75", "-0.75");
    for text in [format!("x y z intensity\n{plain}"), format!("3\n{plain}"), longer, negative] {
        let file = read_point_bytes(text.as_bytes(), PointFormat::Xyz).unwrap();
        assert_eq!((file.points.len(), file.radii, file.has_unnamed_radii), (2, None, false), "{text}");
    }
    for (text, reason) in [
        ("x y z radius\n0 1 2 0.25\n3 4 5\n", "line 3: the point has 3 columns, its radius is column 4"),
        ("x y z radius\n0 1 2 0.25\n3 4 5 -1\n", "line 3: invalid radius of a point: -1"),
        ("x y z radius\n0 1 2 big\n", "line 2: `big` is not a number"),
        ("y x z\n0 1 2\n", "line 1: the columns are `y x z`, and the first three are read as x, y and z"),
        ("id;x;y;z\n7;0;1;2\n", "line 1: the columns are `id;x;y;z`"),
    ] {
        let error = read_point_bytes(text.as_bytes(), PointFormat::Xyz).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn the_fourth_column_of_an_array_of_four_is_the_radius() {
    let array = |width: usize, fourth: f64| {
        let dict = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': (3, {width}), }}\n");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((dict.len() as u16).to_le_bytes());
        bytes.extend(dict.as_bytes());
        for row in SPHERES {
            let all = row.iter().copied().chain(std::iter::repeat(fourth)).take(width);
            all.for_each(|x| bytes.extend(x.to_le_bytes()));
        }
        bytes
    };
    assert_eq!(spheres(&array(4, 0.0), PointFormat::Npy), kept_spheres(true));
    for width in [3, 5, 7] {
        assert_eq!(read_point_bytes(&array(width, 1.0), PointFormat::Npy).unwrap().radii, None, "{width}");
    }
    let negative: Vec<u8> = array(4, 0.0).into_iter().rev().skip(8).collect();
    let negative: Vec<u8> = negative.into_iter().rev().chain((-0.75f64).to_le_bytes()).collect();
    assert_eq!(read_point_bytes(&negative, PointFormat::Npy).unwrap().radii, None);
}

#[test]
fn ply_points_have_radii_where_the_file_has_them() {
    for name in ["radius", "scalar_radius"] {
        let text = format!(
            "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float {name}\n\
             property float z\nend_header\n0 1 0.25 2\nnan 1 0.5 2\n3 4 0.75 5\n"
        );
        let file = read_point_bytes(text.as_bytes(), PointFormat::Ply).unwrap();
        assert_eq!((file.points.len(), file.dropped), (2, 1));
        assert_eq!(file.points[1].to_array(), [3.0, 4.0, 5.0]);
        assert_eq!(file.radii, Some(vec![0.25, 0.75]));
        for bad in ["-0.25", "nan"] {
            let wrong = text.replace(" 0.75 ", &format!(" {bad} "));
            let error = read_point_bytes(wrong.as_bytes(), PointFormat::Ply).unwrap_err().to_string();
            assert!(error.contains("radius"), "{error}");
        }
    }
    let plain = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n\
                 end_header\n0 1 2\n";
    assert_eq!(read_point_bytes(plain.as_bytes(), PointFormat::Ply).unwrap().radii, None);
}

/// Each COUNT is allowed by itself; together they promise more numbers a point than memory holds.
#[test]
fn a_pcd_header_takes_no_memory_for_rows_that_are_not_there() {
    let columns = 100_000;
    let row = |key: &str, of_axis: &str, other: &str| {
        format!("{key}{}{}\n", format!(" {of_axis}").repeat(3), format!(" {other}").repeat(columns))
    };
    let names = format!("FIELDS x y z{}\n", " f".repeat(columns));
    let [sizes, types, counts] = [row("SIZE", "4", "4"), row("TYPE", "F", "F"), row("COUNT", "1", "1048576")];
    let text = format!("{names}{sizes}{types}{counts}WIDTH 1\nHEIGHT 1\nPOINTS 1\nDATA ascii\n1 2 3\n");
    let error = read_point_bytes(text.as_bytes(), PointFormat::Pcd).unwrap_err();
    assert!(error.to_string().contains("the data end after 0 points"), "{error}");
}
