//! Point clouds and occupancy trees on the command line.

use crate::PROGRAM;
use noli_testing::Folder;
use std::process::{Command, Output};

fn run(folder: &Folder, words: &str) -> (Option<i32>, String) {
    let Output { status, stdout, stderr } =
        Command::new(PROGRAM).args(words.split(' ')).current_dir(&folder.0).output().unwrap();
    (status.code(), format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr)))
}

const CLOUD: &str = "VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 3\nHEIGHT 1\n\
                     POINTS 3\nDATA ascii\n1 0 0\n2 0 0\nnan nan nan\n";

/// A link that a joint turns about z, with a bar of one metre along x from its axis.
const ARM: &str = r#"<robot name="arm"><link name="base"/><link name="bar"><collision>
<origin xyz="0.5 0 0"/><geometry><box size="1 0.1 0.1"/></geometry></collision></link>
<joint name="turn" type="revolute"><parent link="base"/><child link="bar"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3" velocity="1" effort="1"/></joint></robot>"#;

fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.file("cloud.pcd", CLOUD);
    // A box from -0.5 to 0.5.
    let corner = |k: usize| [0, 1, 2].map(|axis| if k >> axis & 1 == 1 { 0.5 } else { -0.5 });
    let vertices: String = (0..8).map(corner).map(|[x, y, z]| format!("v {x} {y} {z}\n")).collect();
    let faces = "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
    folder.file("box.obj", vertices + faces);
    folder.file("arm.urdf", ARM);
    folder.file("states.csv", "turn\n0\n0.5\n1.5\n");
    folder
}

#[test]
fn files_and_scenes_of_points_are_checked() {
    let folder = folder("clouds-check");
    let (code, text) = run(&folder, "check cloud.pcd box.obj --radius 0.5");
    assert_eq!(code, Some(1), "touching at exactly the radius counts: {text}");
    assert!(text.contains("touching") && text.contains("1 of 3 points were dropped"), "{text}");
    let (code, text) = run(&folder, "check cloud.pcd box.obj --radius 0.51");
    assert_eq!(code, Some(1), "{text}");
    let (code, text) = run(&folder, "check cloud.pcd box.obj --radius 0.49");
    assert_eq!(code, Some(0), "{text}");
    let (code, text) = run(&folder, "check cloud.pcd box.obj --radius 0.3 --thin 0.25");
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("thinned from 2 to 2 points"), "{text}");
    let (code, text) = run(&folder, "check cloud.pcd box.obj");
    assert!(code == Some(2) && text.contains("--radius LENGTH"), "{text}");
    let scene = |radius: &str| {
        format!(
            "units = 'm'\n[[body]]\nname = 'scan'\npoints = 'cloud.pcd'\n{radius}\n\
             [[body]]\nname = 'part'\nfile = 'box.obj'\n"
        )
    };
    for (radius, expected) in
        [("radius = 0.6", 1), ("radius = 0.4", 0), ("", 2), ("radius = 0.6\nas = 'surface'", 2)]
    {
        folder.file("scene.toml", scene(radius));
        let (code, text) = run(&folder, "check scene.toml");
        assert_eq!(code, Some(expected), "{radius}: {text}");
    }
    folder.file("scene.toml", scene("radius = 0.6").replace("units = 'm'", "units = 'mm'"));
    assert_eq!(run(&folder, "check scene.toml").0, Some(1));
    let (code, text) = run(&folder, "check scene.toml --html page.html");
    assert!(code == Some(1) && folder.0.join("page.html").is_file(), "{text}");
}

/// The box reaches to 0.5; the point at 1 has one radius, and a point far away another.
#[test]
fn radii_of_files_are_those_of_the_points() {
    let folder = folder("clouds-radii");
    let array = |radius: f64| {
        let dict = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 4), }\n";
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((dict.len() as u16).to_le_bytes());
        bytes.extend(dict.as_bytes());
        [1.0, 0.0, 0.0, radius, 9.0, 0.0, 0.0, 2.0].iter().for_each(|x: &f64| bytes.extend(x.to_le_bytes()));
        bytes
    };
    let pcd = |radius: f64| {
        let header = CLOUD.replace("x y z", "x y z radius").replace("4 4 4", "4 4 4 4");
        let header = header.replace("F F F", "F F F F").replace("1 1 1", "1 1 1 1");
        let rows = format!("1 0 0 {radius}\n9 0 0 2\nnan nan nan 1\n");
        header.replace("1 0 0\n2 0 0\nnan nan nan\n", &rows)
    };
    for (radius, expected) in [(0.51, 1), (0.5, 1), (0.49, 0)] {
        std::fs::write(folder.0.join("a.npy"), array(radius)).unwrap();
        folder.file("a.xyz", format!("1 0 0 {radius}\n9 0 0 2\n"));
        folder.file("b.csv", format!("x,y,z,radius\n1,0,0,{radius}\n9,0,0,2\n"));
        folder.file("c.pcd", pcd(radius));
        for (file, is_unnamed) in [("a.npy", true), ("a.xyz", true), ("b.csv", false), ("c.pcd", false)] {
            let (code, text) = run(&folder, &format!("check {file} box.obj"));
            assert_eq!(code, Some(expected), "{file}, {radius}: {text}");
            assert_eq!(text.contains("fourth column"), is_unnamed, "{file}: {text}");
            let (code, text) = run(&folder, &format!("check {file} box.obj --radius 0.1"));
            assert!(code == Some(0) && !text.contains("fourth column"), "{file}: {text}");
            let scene = format!(
                "units = 'm'\n[[body]]\nname = 'scan'\npoints = '{file}'\n[[body]]\nname = 'part'\nfile = 'box.obj'\n"
            );
            folder.file("scene.toml", scene);
            let (code, text) = run(&folder, "check scene.toml");
            assert_eq!(code, Some(expected), "{file}, {radius}: {text}");
        }
    }
    folder.file("near.xyz", "x y z radius\n0.8 0.1 0 0.04\n5 5 5 1\n");
    let check = "robot check arm.urdf --states states.csv --obstacles near.xyz";
    assert_eq!(run(&folder, check).0, Some(0));
    folder.file("near.xyz", "x y z radius\n0.8 0.1 0 0.06\n5 5 5 1\n");
    assert_eq!(run(&folder, check).0, Some(1));
}

#[test]
fn robots_among_points_and_cells_are_checked_and_planned() {
    let folder = folder("clouds-robot");
    folder.file("near.xyz", "0.8 0 0\n5 5 5\n");
    let (code, text) =
        run(&folder, "robot check arm.urdf --states states.csv --obstacles near.xyz --radius 10mm");
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("bar - near") && text.contains("1 colliding"), "{text}");
    let (code, text) = run(&folder, "robot check arm.urdf --states states.csv --obstacles near.xyz");
    assert!(code == Some(2) && text.contains("--radius"), "{text}");
    let plan = "robot plan arm.urdf --from turn=0.5 --to turn=1.5 --obstacles near.xyz --radius 10mm";
    let (code, text) = run(&folder, plan);
    assert_eq!(code, Some(0), "{text}");
    let (code, text) = run(&folder, &(plan.replace("turn=0.5", "turn=-0.5") + " --time 2s"));
    assert_eq!(code, Some(3), "the only joint passes through the point: {text}");
    let path = "\u{3}\0".repeat(15);
    folder.file(
        "map.bt",
        format!("# Octomap OcTree binary file\nid OcTree\nsize 18\nres 0.05\ndata\n{path}B\0"),
    );
    let (code, text) = run(&folder, "robot check arm.urdf --states states.csv --obstacles map.bt");
    assert!(text.contains("1 occupied, 1 free, 2 unknown cells, taken as obstacles"), "{code:?} {text}");
    let (_, text) =
        run(&folder, "robot check arm.urdf --states states.csv --obstacles map.bt --unknown-free");
    assert!(text.contains("taken as free"), "{text}");
}
