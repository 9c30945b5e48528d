//! Robots of the real data with their meshes.

use noli_project::{LinkKind, RobotOptions, load_robot, load_srdf};
use noli_robot::LinkGeometry;
use noli_testing::{Folder, data};

#[test]
fn every_robot_of_the_data_loads_with_its_meshes() {
    let Some(folder) = data("robots") else { return };
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
            let found =
                loaded.shapes.iter().filter(|shape| matches!(shape.solid, LinkGeometry::Mesh(_))).count();
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
    let folder = Folder::new("robots");
    std::fs::create_dir_all(folder.join("arm/meshes")).unwrap();
    let urdf = folder.join("arm/arm.urdf");
    let text = "<robot name=\"arm\">\n<link name=\"a\"><collision><geometry>\n\
        <mesh filename=\"package://arm/meshes/a.dae\"/>\
        </geometry></collision></link></robot>";
    std::fs::write(&urdf, text).unwrap();
    let error = load_robot(&urdf, &RobotOptions::default()).unwrap_err().to_string();
    assert!(error.contains("arm.urdf:3: mesh `package://arm/meshes/a.dae`: is neither at "), "{error}");
    let dae = "<COLLADA><library_geometries><geometry><mesh>\
        <source id=\"s\"><float_array>0 0 0 1 0 0 0 1 0</float_array></source>\
        <vertices id=\"v\"><input semantic=\"POSITION\" source=\"#s\"/></vertices><triangles>\
        <input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>0 1 2</p></triangles>\
        </mesh></geometry></library_geometries></COLLADA>";
    std::fs::write(folder.join("arm/meshes/a.dae"), dae).unwrap();
    let loaded = load_robot(&urdf, &RobotOptions::default()).unwrap();
    assert_eq!(loaded.shapes.len(), 1);
    assert!(loaded.warnings[0].text.contains("is not closed"), "{:?}", loaded.warnings);
    let elsewhere = text.replace("package://arm/", "package://ros_arm/configs/arm/");
    std::fs::write(&urdf, elsewhere).unwrap();
    let found = load_robot(&urdf, &RobotOptions::default()).unwrap();
    let warned = found.warnings.iter().any(|w| w.text.contains("is not where its package should be"));
    assert!(found.shapes == loaded.shapes && warned, "{:?}", found.warnings);
    let nowhere = RobotOptions { packages: vec![folder.join("nowhere")], ..RobotOptions::default() };
    let error = load_robot(&urdf, &nowhere).unwrap_err().to_string();
    assert!(error.contains("nowhere: cannot be listed"), "{error}");
    std::fs::write(&urdf, "<robot name=\"arm\">\n<link/></robot>").unwrap();
    let error = load_robot(&urdf, &RobotOptions::default()).unwrap_err().to_string();
    assert!(error.contains("arm.urdf:2: column 1: the attribute `name` is missing in link"), "{error}");
}

/// What Pinocchio and Coal found at 200 configurations of each robot, as surfaces: the same pairs collide.
#[test]
fn the_same_links_collide_as_in_the_reference() {
    let Some(folder) = data("robots") else { return };
    let cases = [
        (
            "panda",
            "moveit_resources_panda_description/urdf/panda.urdf",
            "moveit_resources_panda_description/srdf/panda.srdf",
        ),
        ("puma560", "puma560_description/urdf/puma560_robot.urdf", ""),
        ("ur5_robotiq85", "ur5_robotiq85/ur5.urdf", "ur5_robotiq85/ur5.srdf"),
    ];
    for (name, urdf, srdf) in cases {
        let options = RobotOptions { packages: vec![folder.clone()], kind: LinkKind::Surface };
        let loaded = load_robot(folder.join(urdf), &options).unwrap();
        let robot = &loaded.robot;
        let models: Vec<noli::Model> = loaded
            .shapes
            .iter()
            .map(|shape| match &shape.solid {
                LinkGeometry::Mesh(mesh) => noli::Model::new(mesh.clone()).unwrap(),
                LinkGeometry::Convex(convex) => noli::Model::new(convex.clone()).unwrap(),
            })
            .collect();
        let off: Vec<[usize; 2]> = if srdf.is_empty() {
            (0..robot.joints().len()).map(|joint| robot.ends(joint)).collect()
        } else {
            let srdf = load_srdf(folder.join(srdf), robot).unwrap();
            srdf.disabled.iter().map(|pair| [0, 1].map(|k| robot.link(&pair.links[k]).unwrap())).collect()
        };
        // Links that fixed joints hold together never meet.
        let carrier = |mut link: usize| {
            while let Some(joint) = robot.joint_of_link(link)
                && robot.joints()[joint].kind == noli_robot::JointKind::Fixed
            {
                link = robot.ends(joint)[0];
            }
            link
        };
        let active = |a: usize, b: usize| {
            let (a, b) = (loaded.shapes[a].link, loaded.shapes[b].link);
            carrier(a) != carrier(b) && !off.contains(&[a, b]) && !off.contains(&[b, a])
        };
        let file = folder.join(format!("ref-selfcollision-{name}.csv"));
        let text = std::fs::read_to_string(file).unwrap();
        let table = noli_robot::JointTable::from_csv_str(&text, robot).unwrap();
        let mut poses = vec![noli_geom::Pose::IDENTITY; robot.links().len()];
        let mut colliding = 0;
        for (row, line) in table.rows.iter().zip(text.lines().skip(1)) {
            robot.link_poses(row, &mut poses);
            let mut found = Vec::new();
            for a in 0..models.len() {
                for b in a + 1..models.len() {
                    let place = |k: usize| poses[loaded.shapes[k].link] * loaded.shapes[k].link_from_shape;
                    if active(a, b)
                        && noli::overlap(&models[a].at(place(a)), &models[b].at(place(b)))
                            == noli::Overlap::Hit
                    {
                        let label = |k: usize| {
                            let shape = &loaded.shapes[k];
                            format!("{}_{}", robot.links()[shape.link].name, shape.piece)
                        };
                        let mut pair = [label(a), label(b)];
                        pair.sort();
                        found.push(pair.join("|"));
                    }
                }
            }
            found.sort();
            let columns = robot.variables().len() - table.assumed_zero.len();
            let wanted = line.split(',').nth(columns + 1).unwrap();
            let mut wanted: Vec<String> = wanted
                .split(' ')
                .flat_map(|part| part.split(';'))
                .filter(|pair| !pair.is_empty())
                .map(|pair| {
                    let mut both: Vec<&str> = pair.split('|').collect();
                    both.sort_unstable();
                    both.join("|")
                })
                .collect();
            wanted.sort();
            assert_eq!(found, wanted, "{name}: {line}");
            colliding += usize::from(!found.is_empty());
        }
        assert_eq!(table.rows.len(), 200);
        eprintln!("{name}: {colliding} of 200 configurations collide, as in the reference");
    }
}
