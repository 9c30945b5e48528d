//! Robots of the real data with their meshes.

use noli_io::{LinkKind, RobotOptions, load_robot, load_srdf};
use noli_robot::Solid;
use std::path::PathBuf;

fn robots() -> Option<PathBuf> {
    let beside = || {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
        let places = [root.join("../shared/data"), root.join("../../shared/data")];
        places.into_iter().find(|path| path.is_dir())
    };
    let found = std::env::var_os("NOLI_DATA").map(PathBuf::from).or_else(beside);
    let folder = found.map(|all| all.join("robots")).filter(|path| path.is_dir());
    if folder.is_none() {
        eprintln!("skipped: no robots in shared/data beside the checkout, and NOLI_DATA is not set");
    }
    folder
}

#[test]
fn every_robot_of_the_data_loads_with_its_meshes() {
    let Some(folder) = robots() else { return };
    let cases = [
        (
            "moveit_resources_panda_description/urdf/panda.urdf",
            11,
            Some("moveit_resources_panda_description/srdf/panda.srdf"),
        ),
        ("puma560_description/urdf/puma560_robot.urdf", 7, None),
        ("ur5_robotiq85/ur5.urdf", 0, Some("ur5_robotiq85/ur5.srdf")),
    ];
    for (file, meshes, srdf) in cases {
        // Beside the description, and by a folder of packages.
        for packages in [vec![], vec![folder.clone()]] {
            let options = RobotOptions { packages, kind: LinkKind::Auto };
            let loaded = load_robot(folder.join(file), &options).unwrap_or_else(|error| panic!("{error}"));
            let found = loaded.shapes.iter().filter(|shape| matches!(shape.solid, Solid::Mesh(_))).count();
            assert!(if meshes == 0 { found > 6 } else { found == meshes }, "{file}: {found} meshes");
            let visual =
                loaded.warnings.iter().filter(|w| w.text.contains("visual geometry is used")).count();
            assert_eq!(visual > 0, file.contains("puma"), "{file}");
            if let Some(srdf) = srdf {
                assert!(!load_srdf(folder.join(srdf), &loaded.robot).unwrap().disabled.is_empty());
            }
        }
    }
}

#[test]
fn what_is_missing_is_named_with_its_line() {
    let folder = std::env::temp_dir().join(format!("noli-robots-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("arm/meshes")).unwrap();
    let urdf = folder.join("arm/arm.urdf");
    let text = "<robot name=\"arm\">\n<link name=\"a\"><collision><geometry>\n\
        <mesh filename=\"package://arm/meshes/a.dae\"/>\
        </geometry></collision></link></robot>";
    std::fs::write(&urdf, text).unwrap();
    let error = load_robot(&urdf, &RobotOptions::default()).unwrap_err().to_string();
    assert!(error.contains("arm.urdf:3: mesh `package://arm/meshes/a.dae`: is in none of"), "{error}");
    let dae = "<COLLADA><library_geometries><geometry><mesh>\
        <source id=\"s\"><float_array>0 0 0 1 0 0 0 1 0</float_array></source>\
        <vertices id=\"v\"><input semantic=\"POSITION\" source=\"#s\"/></vertices><triangles>\
        <input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>0 1 2</p></triangles>\
        </mesh></geometry></library_geometries></COLLADA>";
    std::fs::write(folder.join("arm/meshes/a.dae"), dae).unwrap();
    let loaded = load_robot(&urdf, &RobotOptions::default()).unwrap();
    assert_eq!(loaded.shapes.len(), 1);
    assert!(loaded.warnings[0].text.contains("is not closed"), "{:?}", loaded.warnings);
    std::fs::write(&urdf, "<robot name=\"arm\">\n<link/></robot>").unwrap();
    let error = load_robot(&urdf, &RobotOptions::default()).unwrap_err().to_string();
    assert!(error.contains("arm.urdf:2: column 1: the attribute `name` is missing in link"), "{error}");
    std::fs::remove_dir_all(&folder).unwrap();
}
