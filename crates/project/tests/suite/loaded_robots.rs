//! Robots of the real data with their meshes.

use noli::{Model, Pose};
use noli_project::{LinkKind, LoadedRobot, RobotOptions, load_robot, load_srdf};
use noli_robot::{JointKind, LinkGeometry, LinkShape};
use noli_testing::{Folder, data};
use std::path::Path;

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
            let options = RobotOptions { packages, visual: true, ..RobotOptions::default() };
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
    assert!(error.contains("arm.urdf:3: mesh `package://arm/meshes/a.dae`: is at none of "), "{error}");
    assert!(error.contains("arm/arm/meshes/a.dae, ") && error.contains("--packages arm=FOLDER"), "{error}");
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

/// A base with collision geometry and a hand that is only to be seen, by a mesh in a package.
const SEEN: &str = "<robot name=\"arm\">\n<link name=\"a\"><collision><geometry><box size=\"1 1 1\"/></geometry></collision>\
    </link>\n<link name=\"hand\"><visual><geometry><mesh filename=\"package://arm_support/meshes/hand.obj\"/></geometry>\
    </visual></link><joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"hand\"/></joint></robot>";
const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

#[test]
fn links_without_collision_geometry_collide_on_request() {
    let folder = Folder::new("robots-visual");
    let urdf = folder.join("arm.urdf");
    std::fs::write(&urdf, SEEN).unwrap();
    let says =
        |robot: &noli_project::LoadedRobot, part: &str| robot.warnings.iter().any(|w| w.text.contains(part));
    // A mesh that is only to be seen may be missing.
    let loaded = load_robot(&urdf, &RobotOptions::default()).unwrap();
    assert_eq!(loaded.shapes.len(), 1);
    assert!(
        says(&loaded, "link `hand` has no collision geometry: it does not collide"),
        "{:?}",
        loaded.warnings
    );
    let visual = RobotOptions { visual: true, ..RobotOptions::default() };
    let error = load_robot(&urdf, &visual).unwrap_err().to_string();
    assert!(error.contains("--packages arm_support=FOLDER"), "{error}");
    std::fs::create_dir_all(folder.join("other/meshes")).unwrap();
    std::fs::write(folder.join("other/meshes/hand.obj"), TETRAHEDRON).unwrap();
    let named = format!("arm_support={}", folder.join("other").display()).into();
    let loaded = load_robot(&urdf, &RobotOptions { packages: vec![named], ..visual.clone() }).unwrap();
    assert_eq!(loaded.shapes.len(), 2);
    assert!(
        says(&loaded, "its visual geometry is used") && loaded.warnings.len() == 1,
        "{:?}",
        loaded.warnings
    );
    // Found beside the description, which a warning says.
    std::fs::create_dir_all(folder.join("meshes")).unwrap();
    std::fs::write(folder.join("meshes/hand.obj"), TETRAHEDRON).unwrap();
    let loaded = load_robot(&urdf, &visual).unwrap();
    assert!(says(&loaded, "is not where its package should be: taken from "), "{:?}", loaded.warnings);
    // In the folder above that of the description, as renamed packages have it.
    std::fs::create_dir_all(folder.join("urdf")).unwrap();
    std::fs::rename(&urdf, folder.join("urdf/arm.urdf")).unwrap();
    assert_eq!(load_robot(folder.join("urdf/arm.urdf"), &visual).unwrap().shapes.len(), 2);
}

#[test]
fn a_mesh_without_faces_is_an_error() {
    let folder = Folder::new("robots-empty");
    let text = "<robot name=\"arm\"><link name=\"a\"><collision><geometry><mesh filename=\"a.dae\"/></geometry></collision>\
        </link></robot>";
    std::fs::write(folder.join("arm.urdf"), text).unwrap();
    std::fs::write(folder.join("a.dae"), "<?xml version=\"1.0\"?><COLLADA></COLLADA>").unwrap();
    let error = load_robot(folder.join("arm.urdf"), &RobotOptions::default()).unwrap_err().to_string();
    assert!(error.contains("a.dae") && error.contains("faces"), "{error}");
}

#[test]
fn names_that_an_srdf_invents_are_warnings() {
    let folder = Folder::new("robots-srdf");
    std::fs::write(folder.join("arm.urdf"), SEEN).unwrap();
    let mut text = String::from("<robot name=\"arm\">\n<group_state name=\"home\"/>\n");
    for k in 0..20 {
        text += &format!("<disable_collisions link1=\"a\" link2=\"ghost{}\"/>\n", k % 10);
    }
    std::fs::write(folder.join("arm.srdf"), text + "</robot>").unwrap();
    let robot = load_robot(folder.join("arm.urdf"), &RobotOptions::default()).unwrap().robot;
    let path = folder.join("arm.srdf");
    let srdf = load_srdf(&path, &robot).unwrap();
    assert_eq!((srdf.disabled.len(), srdf.warnings.len()), (20, 10));
    let lines = noli_project::srdf_warnings(&srdf, &path);
    assert!(lines[0].contains("arm.srdf:3: `disable_collisions` names the link `ghost0`"), "{lines:?}");
    assert_eq!(lines.len(), 9);
    assert!(lines[8].ends_with("2 more of this kind"), "{lines:?}");
}

/// A robot with the pairs of links that are tested, of which fixed joints hold none together.
struct Reference {
    loaded: LoadedRobot,
    models: Vec<Model>,
    disabled: Vec<[usize; 2]>,
}

impl Reference {
    fn load(folder: &Path, urdf: &str, srdf: &str) -> Self {
        let options =
            RobotOptions { packages: vec![folder.to_owned()], kind: LinkKind::Surface, visual: true };
        let loaded = load_robot(folder.join(urdf), &options).unwrap();
        let robot = &loaded.robot;
        let model = |shape: &LinkShape| match &shape.solid {
            LinkGeometry::Mesh(mesh) => Model::new(mesh.clone()).unwrap(),
            LinkGeometry::Convex(convex) => Model::new(convex.clone()).unwrap(),
        };
        let disabled = if srdf.is_empty() {
            (0..robot.joints().len()).map(|joint| robot.ends(joint)).collect()
        } else {
            let srdf = load_srdf(folder.join(srdf), robot).unwrap();
            srdf.disabled.iter().map(|pair| [0, 1].map(|k| robot.link(&pair.links[k]).unwrap())).collect()
        };
        Self { models: loaded.shapes.iter().map(model).collect(), loaded, disabled }
    }

    /// Returns the first link of those that fixed joints hold together.
    fn carrier(&self, mut link: usize) -> usize {
        let robot = &self.loaded.robot;
        while let Some(joint) = robot.joint_of_link(link)
            && robot.joints()[joint].kind == JointKind::Fixed
        {
            link = robot.ends(joint)[0];
        }
        link
    }

    /// Returns the colliding pairs of shapes, sorted.
    fn colliding(&self, values: &[f64]) -> Vec<String> {
        let Self { loaded: LoadedRobot { robot, shapes, .. }, models, disabled } = self;
        let mut links = vec![Pose::IDENTITY; robot.links().len()];
        robot.link_poses(values, &mut links);
        let placed = |k: usize| models[k].at(links[shapes[k].link] * shapes[k].link_from_shape);
        let label = |k: usize| format!("{}_{}", robot.links()[shapes[k].link].name, shapes[k].piece);
        let mut found = Vec::new();
        for a in 0..models.len() {
            for b in a + 1..models.len() {
                let [x, y] = [a, b].map(|k| shapes[k].link);
                if self.carrier(x) != self.carrier(y)
                    && !disabled.contains(&[x, y])
                    && !disabled.contains(&[y, x])
                    && noli::overlap(&placed(a), &placed(b)) == noli::Overlap::Hit
                {
                    found.push(sorted_pair([&*label(a), &*label(b)]));
                }
            }
        }
        found.sort();
        found
    }
}

fn sorted_pair(mut pair: [&str; 2]) -> String {
    pair.sort_unstable();
    pair.join("|")
}

/// Results of Pinocchio and Coal at 200 configurations of each robot, as surfaces: the same pairs collide.
#[test]
fn the_same_links_collide_as_in_the_reference() {
    let Some(folder) = data("robots") else { return };
    let panda = "moveit_resources_panda_description";
    let cases = [
        ("panda", format!("{panda}/urdf/panda.urdf"), format!("{panda}/srdf/panda.srdf")),
        ("puma560", "puma560_description/urdf/puma560_robot.urdf".to_owned(), String::new()),
        ("ur5_robotiq85", "ur5_robotiq85/ur5.urdf".to_owned(), "ur5_robotiq85/ur5.srdf".to_owned()),
    ];
    for (name, urdf, srdf) in cases {
        let reference = Reference::load(&folder, &urdf, &srdf);
        let robot = &reference.loaded.robot;
        let file = folder.join(format!("ref-selfcollision-{name}.csv"));
        let text = std::fs::read_to_string(file).unwrap();
        let table = noli_robot::JointTable::from_csv_str(&text, robot).unwrap();
        let columns = robot.variables().len() - table.assumed_zero.len();
        let mut colliding = 0;
        for (row, line) in table.rows.iter().zip(text.lines().skip(1)) {
            let found = reference.colliding(row);
            let pairs = line.split(',').nth(columns + 1).unwrap().split([' ', ';']);
            let pairs = pairs.filter_map(|pair| Some(sorted_pair(pair.split_once('|')?.into())));
            let mut wanted: Vec<String> = pairs.collect();
            wanted.sort();
            assert_eq!(found, wanted, "{name}: {line}");
            colliding += usize::from(!found.is_empty());
        }
        assert_eq!(table.rows.len(), 200);
        eprintln!("{name}: {colliding} of 200 configurations collide, as in the reference");
    }
}
