//! Round trips of robots.

use noli_geom::{Mesh, Pose};
use noli_project::{RobotOptions, load_robot};
use noli_robot::{JointMotion, PumaSet, puma560};
use noli_store::{ImportOptions, Store, StoreError, content_hash};
use noli_testing::Folder;
use std::sync::Arc;

#[test]
fn robots_come_back_to_the_bit() {
    let folder = Folder::new("robots");
    let mut store = Store::init(folder.join("parts.db")).unwrap();
    // One built from rows, through the tables.
    let robot = puma560(PumaSet::FuGonzalezLee);
    store.add_robot("puma", &robot, false).unwrap();
    let back = noli_robot::Robot::new(store.robot("puma").unwrap().parts).unwrap();
    let values = [0.3, -0.7, 1.1, 0.2, -0.4, 2.0];
    let poses = |robot: &noli_robot::Robot| {
        let mut poses = vec![Pose::IDENTITY; robot.links().len()];
        robot.link_poses(&values, &mut poses);
        (0..poses.len()).map(|k| (robot.links()[k].name.clone(), poses[k])).collect::<Vec<_>>()
    };
    let mut before = poses(&robot);
    let mut after = poses(&back);
    before.sort_by(|a, b| a.0.cmp(&b.0));
    after.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(before, after);
    // As URDF its bodies are where they were, up to the rounding of angles.
    store.export("puma", folder.join("puma.urdf"), false).unwrap();
    let read = load_robot(folder.join("puma.urdf"), &RobotOptions::default()).unwrap();
    for shape in robot.shapes(|_| Err::<Mesh, ()>(())).unwrap() {
        let link = read.robot.link(&robot.links()[shape.link].name).unwrap();
        let other = read.shapes.iter().find(|s| s.link == link && s.piece == shape.piece).unwrap();
        let [mut a, mut b] = [&robot, &read.robot].map(|r| vec![Pose::IDENTITY; r.links().len()]);
        robot.link_poses(&values, &mut a);
        read.robot.link_poses(&values, &mut b);
        let (here, there) = (a[shape.link] * shape.link_from_shape, b[link] * other.link_from_shape);
        assert!(here.translation.distance(there.translation) < 1e-14, "{}", robot.links()[shape.link].name);
    }
    assert_eq!(store.check().unwrap(), Vec::<String>::new());
    let motion = JointMotion::between(Arc::new(back), Pose::IDENTITY, &values, &[0.0; 6]);
    assert!(motion.is_ok());
    let shown = store.show("puma").unwrap();
    assert!(
        shown.values.iter().any(|(key, value)| key == "joint 1" && value.contains("revolute")),
        "{shown:?}"
    );
}

#[test]
fn descriptions_with_meshes_come_back_to_the_bit() {
    let Some(robots) = noli_testing::data("robots") else { return };
    let files = [
        "puma560_description/urdf/puma560_robot.urdf",
        "moveit_resources_panda_description/urdf/panda.urdf",
        "ur5_robotiq85/ur5.urdf",
    ];
    for file in files {
        let urdf = robots.join(file);
        let folder = Folder::new("description");
        let mut store = Store::init(folder.join("parts.db")).unwrap();
        let options = ImportOptions { packages: vec![robots.clone()], ..ImportOptions::default() };
        let done = store.import(&urdf, &options).unwrap();
        let name = &done.entries.iter().find(|entry| entry[0] == "manipulator").unwrap()[1];
        let target = folder.join("out/robot.urdf");
        store.export(name, &target, false).unwrap();
        let robot_options = RobotOptions { packages: vec![robots.clone()], ..RobotOptions::default() };
        let before = load_robot(&urdf, &robot_options).unwrap();
        let after = load_robot(&target, &RobotOptions::default()).unwrap();
        assert_eq!(before.shapes, after.shapes, "{file}");
        // As a cell takes it, straight from the tables: the same bodies, link by link.
        let arm = store.arm(name, &RobotOptions::default()).unwrap().loaded;
        for shape in &before.shapes {
            let link = arm.robot.link(&before.robot.links()[shape.link].name).unwrap();
            let other = arm.shapes.iter().find(|s| s.link == link && s.piece == shape.piece).unwrap();
            assert_eq!(
                (shape.link_from_shape, &shape.solid),
                (other.link_from_shape, &other.solid),
                "{file}"
            );
        }
        let poses = |robot: &noli_robot::Robot| {
            let mut values = robot.neutral().0;
            for (value, variable) in values.iter_mut().zip(robot.variables()) {
                let [low, high] = variable.limits.range.unwrap_or([-1.0, 1.0]);
                // By name, so that the order of variables does not matter.
                let share = f64::from(content_hash(variable.name.as_bytes()).as_bytes()[0]) / 256.0;
                *value = low + (high - low) * share;
            }
            robot.apply_laws(&mut values);
            let mut poses = vec![Pose::IDENTITY; robot.links().len()];
            robot.link_poses(&values, &mut poses);
            let mut named: Vec<_> = robot.links().iter().map(|link| link.name.clone()).zip(poses).collect();
            named.sort_by(|a, b| a.0.cmp(&b.0));
            named
        };
        assert_eq!(poses(&before.robot), poses(&after.robot), "{file}");
        assert_eq!(poses(&before.robot), poses(&arm.robot), "{file}");
        assert_eq!(store.check().unwrap(), Vec::<String>::new());
        // A second time its name is taken, and nothing has changed.
        assert!(matches!(store.import(&urdf, &options), Err(StoreError::Taken { .. })));
    }
}

#[test]
fn tools_are_stored_listed_replaced_and_refer_to_components() {
    let folder = noli_testing::Folder::new("tools");
    let mut store = noli_store::Store::init(folder.join("parts.db")).unwrap();
    crate::support::add_cube(&mut store, "jaw", 1.0);
    let tool = |component: Option<&str>, z: f64| noli_store::StoredTool {
        name: "hand".into(),
        component: component.map(str::to_owned),
        flange_from_tool: noli_geom::Pose::new(
            glam::DQuat::from_rotation_y(0.3),
            glam::DVec3::new(0.1, 0.2, z),
        ),
    };
    store.add_tool(&tool(None, 0.5), false).unwrap();
    assert!(store.add_tool(&tool(None, 0.5), false).is_err(), "the name is taken");
    assert!(store.add_tool(&tool(Some("none"), 0.5), true).is_err(), "no such component");
    assert!(store.add_tool(&tool(None, f64::NAN), true).is_err(), "no pose");
    store.add_tool(&tool(Some("jaw"), 1.0 / 3.0), true).unwrap();
    assert_eq!(store.tool("hand").unwrap(), tool(Some("jaw"), 1.0 / 3.0), "to the last bit");
    let listed = store.list(Some("tool")).unwrap();
    assert_eq!((listed.len(), listed[0].about.as_str()), (1, "jaw"));
    assert!(store.show("hand").unwrap().values.contains(&("component".to_owned(), "jaw".to_owned())));
    assert!(store.tool("hands").unwrap_err().to_string().contains("hand"), "what there is is named");
    assert!(store.check().unwrap().is_empty());
}
