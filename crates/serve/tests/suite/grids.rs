//! Voxel grids in the studio: from the file to the cells that are sent, and those that collide.

use crate::support::Studio;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const CELL: &str = "units = \"mm\"\n[robot]\npuma560 = \"fu-gonzalez-lee\"\nstand_in = 45\nflange = \"link6\"\n\
                    base = { xyz = [0, 0, 660] }\n\n[[body]]\nname = \"map\"\n";

type Cells = BTreeMap<[i32; 3], bool>;

/// A tree of OctoMap in which these cells are occupied or free.
fn octomap(resolution: f64, cells: &Cells) -> Vec<u8> {
    let mut tree = Vec::new();
    node(&mut tree, [-(1 << 15); 3], 1 << 16, cells);
    // Two bytes for every inner node, and a leaf for every cell.
    let size = tree.len() / 2 + cells.len();
    let header = format!("# Octomap OcTree binary file\nid OcTree\nsize {size}\nres {resolution}\ndata\n");
    [header.as_bytes(), &tree].concat()
}

fn node(bytes: &mut Vec<u8>, low: [i32; 3], side: i32, cells: &Cells) {
    let half = side / 2;
    let child = |k: usize| [0, 1, 2].map(|axis| low[axis] + if k >> axis & 1 == 1 { half } else { 0 });
    let inside = |low: [i32; 3], cell: &[i32; 3]| {
        (0..3).all(|axis| (low[axis]..low[axis] + half).contains(&cell[axis]))
    };
    let status = |k: usize| match cells.iter().find(|(cell, _)| inside(child(k), cell)) {
        None => 0,
        Some((_, is_occupied)) if half == 1 => 1 + u16::from(*is_occupied),
        Some(_) => 3,
    };
    let bits = (0..8).map(|k| status(k) << (2 * k)).sum::<u16>();
    bytes.extend(bits.to_le_bytes());
    (0..8).filter(|&k| status(k) == 3).for_each(|k| node(bytes, child(k), half, cells));
}

/// The file of a cell with a grid, and the studio on it.
fn studio(name: &str, body: &str, files: &[(&str, &[u8])]) -> Studio {
    let folder = crate::support::folder(name, &[("cell.toml", &format!("{CELL}{body}\n"))]);
    files.iter().for_each(|(file, bytes)| drop(folder.file(&format!("project/{file}"), bytes)));
    Studio::reopen(folder, "cell.toml")
}

fn grid(hello: &Value) -> (usize, &Value) {
    let bodies = hello["bodies"].as_array().unwrap();
    let number = bodies.iter().position(|body| body["name"] == "map").unwrap();
    assert_eq!(bodies[number]["kind"], "voxel grid");
    (number, &bodies[number])
}

/// The cells of a body as they are sent, in cells of its own frame: certain and uncertain ones.
fn sent(studio: &Studio, hello: &Value, edge: f64) -> [BTreeSet<[i32; 3]>; 2] {
    let (_, body) = grid(hello);
    let bytes = studio.shapes();
    let word = |at: usize| <[u8; 4]>::try_from(&bytes[at..at + 4]).unwrap();
    let count = |at: usize| u32::from_le_bytes(word(at)) as usize;
    let number = |at: usize| f64::from(f32::from_le_bytes(word(at)));
    let mut at = 0;
    (0..body["shape"].as_u64().unwrap()).for_each(|_| at += 20 + 12 * (count(at + 4) + count(at + 8)));
    let [kind, places, triangles, certain] = [0, 4, 8, 12].map(|offset| count(at + offset));
    assert_eq!((kind, triangles), (2, 0));
    let scale = hello["scale"].as_f64().unwrap();
    assert!((number(at + 16) - edge * scale).abs() < 1e-6 * edge * scale, "the length of a cell");
    let cell = |k: usize| {
        let own = |axis: usize| {
            number(at + 20 + 12 * k + 4 * axis) / scale + body["middle"][axis].as_f64().unwrap()
        };
        [0, 1, 2].map(|axis| (own(axis) / edge).floor() as i32)
    };
    [(0..certain).map(cell).collect(), (certain..places).map(cell).collect()]
}

/// An occupancy tree of a block of occupied cells beside unknown ones, in the arm.
#[test]
fn surface_cells_of_an_occupancy_tree_are_sent_and_colliding_ones_listed() {
    let edge = 0.05;
    let mut cells: Cells = (0..1000).map(|k| ([k % 10 - 5, k / 10 % 10 - 5, k / 100 + 3], true)).collect();
    cells.insert([8, 0, 5], false);
    let studio = studio("octomap", "grid = \"map.bt\"", &[("map.bt", &octomap(edge, &cells))]);
    let mut tab = studio.tab();
    let hello = tab.wait("hello");
    let (number, body) = grid(&hello);
    // The box around all known cells has 14 x 10 x 10 cells.
    assert!(body["cells"].as_str().unwrap().starts_with("1000 occupied and 399 unknown cells"), "{body}");
    let occupied: BTreeSet<[i32; 3]> = cells.iter().filter(|(_, is)| **is).map(|(cell, _)| *cell).collect();
    let boxed = (0..1400).map(|k| [k % 14 - 5, k / 14 % 10 - 5, k / 140 + 3]);
    let all: BTreeSet<[i32; 3]> = boxed.filter(|cell| cells.get(cell) != Some(&false)).collect();
    let exposed = |[x, y, z]: [i32; 3], filled: &BTreeSet<[i32; 3]>| {
        let around =
            [[x - 1, y, z], [x + 1, y, z], [x, y - 1, z], [x, y + 1, z], [x, y, z - 1], [x, y, z + 1]];
        around.iter().any(|next| !filled.contains(next))
    };
    let surface = occupied.iter().filter(|cell| exposed(**cell, &occupied)).copied().collect();
    let unknown = all.difference(&occupied).filter(|cell| exposed(**cell, &all)).copied().collect();
    assert_eq!(sent(&studio, &hello, edge), [surface, unknown]);
    let pairs = hello["results"]["pairs"].as_array().unwrap();
    let pair =
        pairs.iter().find(|pair| pair["a"] == number || pair["b"] == number).expect("the arm is in it");
    tab.say(json!({ "do": "depth", "a": pair["a"], "b": pair["b"] }));
    let found = tab.wait("depth");
    let colliding = found["colliding"].as_u64().unwrap();
    assert!(0 < colliding && colliding < 1399, "{colliding}");
    let scale = hello["scale"].as_f64().unwrap();
    assert!((found["cell"][0].as_f64().unwrap() - edge * scale).abs() < 1e-9 * scale);
    // Centres of obstacles, each once.
    let middle = |axis: usize| hello["middle"][axis].as_f64().unwrap();
    let cell = |point: &Value| {
        [0, 1, 2].map(|axis| ((point[axis].as_f64().unwrap() / scale + middle(axis)) / edge).floor() as i32)
    };
    let marked: BTreeSet<[i32; 3]> = found["points"].as_array().unwrap().iter().map(cell).collect();
    assert_eq!(marked.len() as u64, colliding);
    assert!(marked.is_subset(&all));
}

#[test]
fn unknown_cells_can_be_free_and_bad_grids_are_refused() {
    let cells = Cells::from([([0, 0, 0], true), ([3, 0, 0], false)]);
    let bytes = octomap(0.05, &cells);
    let studio = studio("octomap-free", "grid = \"map.bt\"\nunknown = \"free\"", &[("map.bt", &bytes)]);
    let hello = studio.tab().wait("hello");
    assert_eq!(grid(&hello).1["cells"], "1 occupied cell");
    assert_eq!(sent(&studio, &hello, 0.05), [BTreeSet::from([[0; 3]]), BTreeSet::new()]);
    for (body, bytes, expected) in [
        ("grid = \"map.bt\"\nas = \"surface\"", &bytes[..], "is a grid and has no faces"),
        ("grid = \"map.bt\"\nunknown = \"solid\"", &bytes, "unknown"),
        ("grid = \"map.bt\"", &bytes[..bytes.len() - 1], "the tree ends too early"),
        (
            "grid = \"map.bt\"\nunknown = \"free\"",
            &octomap(0.05, &Cells::from([([0; 3], false)])),
            "is an obstacle",
        ),
    ] {
        let folder = crate::support::folder("octomap-bad", &[("cell.toml", &format!("{CELL}{body}\n"))]);
        folder.file("project/map.bt", bytes);
        let opening = noli_serve::Opening::Path(folder.join("project/cell.toml"));
        let Err(error) = noli_serve::Project::open(&opening) else { panic!("it is refused") };
        let error = error.to_string();
        assert!(error.contains(expected), "{error}");
    }
}

/// A distance grid of a sphere: solid cells are certain, a layer around them undecided.
#[test]
fn a_distance_grid_is_sent_with_its_undecided_cells() {
    let center = |k: usize| 0.05 * k as f64 - 0.475;
    let place = |k: usize| [center(k / 400), center(k / 20 % 20), center(k % 20)];
    let value = |k: usize| (place(k).map(|x| x * x).iter().sum::<f64>().sqrt() - 0.3) as f32;
    let mut npy = b"\x93NUMPY\x01\x00".to_vec();
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (20, 20, 20), }\n";
    npy.extend((header.len() as u16).to_le_bytes());
    npy.extend(header.as_bytes());
    (0..8000).for_each(|k| npy.extend(value(k).to_le_bytes()));
    let json = br#"{ "distances": "esdf.npy", "voxel_size": 0.05, "origin": [-0.475, -0.475, -0.475], "error": 1e-6 }"#;
    let files: [(&str, &[u8]); 2] = [("map.json", json), ("esdf.npy", &npy)];
    let studio = studio("esdf", "grid = \"map.json\"\npose = { xyz = [0, 0, 500] }", &files);
    let hello = studio.tab().wait("hello");
    let (_, body) = grid(&hello);
    assert!(body["cells"].as_str().unwrap().contains(" undecided cells"), "{body}");
    let [solid, undecided] = sent(&studio, &hello, 0.05);
    // The first cell has its centre at the origin of the file: cell 9 is from -0.05 to 0.
    let away =
        |cell: &[i32; 3]| cell.map(|k| 0.05 * f64::from(k) - 0.475).iter().map(|x| x * x).sum::<f64>().sqrt();
    assert!(!solid.is_empty() && solid.iter().all(|cell| away(cell) < 0.3));
    assert!(!undecided.is_empty() && undecided.iter().all(|cell| (away(cell) - 0.3).abs() < 0.09));
    // Placed by hand, the file places the grid, not its first cell.
    let metres = |hello: &Value| {
        let body = grid(hello).1;
        [0, 1, 2].map(|axis| {
            let [at, whole, own] =
                [&body["at"], &hello["middle"], &body["middle"]].map(|place| place[axis].as_f64().unwrap());
            at / hello["scale"].as_f64().unwrap() + whole - own
        })
    };
    let [x, y, z] = metres(&hello);
    let mut tab = studio.tab();
    tab.wait("hello");
    let (number, xyz) = (grid(&hello).0, [x + 0.25, y, z]);
    tab.say(json!({ "do": "place", "body": number, "xyz": xyz, "quaternion": [0, 0, 0, 1] }));
    let placed = metres(&tab.wait("hello"));
    assert!(placed.iter().zip(xyz).all(|(x, expected)| (x - expected).abs() < 1e-9), "{placed:?} {xyz:?}");
}
