//! Faults of published descriptions: what is tolerated, and the warnings.

use noli_robot::*;
use std::collections::BTreeSet;

fn robot(text: &str) -> (Robot, Vec<String>) {
    let (robot, warnings) =
        Robot::from_urdf_str_with_warnings(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    (robot, warnings.iter().map(ToString::to_string).collect())
}

fn with_joint(kind: &str, inside: &str) -> (Robot, Vec<String>) {
    let ends = "<parent link=\"a\"/><child link=\"b\"/>";
    let links = "<link name=\"a\"/><link name=\"b\"/>";
    robot(&format!(
        "<robot name=\"r\">{links}\n<joint name=\"j\" type=\"{kind}\">{ends}{inside}</joint></robot>"
    ))
}

fn with_shape(shape: &str) -> (Robot, Vec<String>) {
    let collision = format!("<collision>{shape}</collision>");
    robot(&format!("<robot name=\"r\"><link name=\"a\">\n{collision}</link></robot>"))
}

#[test]
fn limits_that_are_none_are_taken_as_such() {
    for (limit, said) in [
        ("lower=\"-1e16\" upper=\"1e16\"", "goes from -1e16 to 1e16: taken as unlimited"),
        ("lower=\"-inf\" upper=\"inf\"", "goes from -inf to inf: taken as unlimited"),
        ("lower=\"0\" upper=\"1e300\"", "taken as unlimited"),
        ("lower=\"1\" upper=\"-1\"", "are reversed, from 1 to -1: taken as unlimited"),
    ] {
        for (kind, taken) in [("revolute", JointKind::Continuous), ("prismatic", JointKind::Prismatic)] {
            let (robot, warnings) = with_joint(kind, &format!("<limit {limit}/>"));
            assert_eq!(robot.variables()[0].limits.range, None, "{limit}");
            assert_eq!(robot.joints()[0].kind, taken);
            assert!(warnings.len() == 1 && warnings[0].contains(said), "{warnings:?}");
            assert!(warnings[0].starts_with("line 2, column"), "{warnings:?}");
            let again = Robot::from_urdf_str(&robot.to_urdf()).unwrap();
            assert_eq!(again.variables()[0].limits.range, None);
        }
    }
    let (robot, warnings) =
        with_joint("revolute", "<limit lower=\"0\" upper=\"1\" velocity=\"-3\" effort=\"inf\"/>");
    assert_eq!((robot.joints()[0].limits.velocity, robot.joints()[0].limits.effort), (None, None));
    assert!(warnings[0].contains("`velocity` of joint `j` is negative: taken as not stated"), "{warnings:?}");
    assert!(with_joint("continuous", "").1.is_empty());
    // An effort bounds no planar or floating joint.
    for kind in ["planar", "floating"] {
        let (robot, _) = with_joint(kind, "<limit effort=\"1\" velocity=\"1\"/>");
        assert!(robot.variables().iter().all(|variable| variable.limits.range.is_none()), "{kind}");
    }
}

/// An inertial without a mass says nothing about shapes: it is left out.
#[test]
fn an_inertial_without_a_mass_is_left_out() {
    let inertial = |mass: &str| {
        let inside = format!("<inertial>{mass}<inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial>");
        format!("<robot name=\"r\">\n<link name=\"a\">{inside}</link></robot>")
    };
    let (light, warnings) = robot(&inertial(""));
    assert_eq!(light.links()[0].inertial, None);
    assert!(warnings.len() == 1 && warnings[0].contains("has no mass: it is left out"), "{warnings:?}");
    assert!(warnings[0].starts_with("line 2"), "{warnings:?}");
    assert_eq!(robot(&inertial("<mass value=\"2\"/>")).0.links()[0].inertial.unwrap().mass, 2.0);
    assert!(Robot::from_urdf_str(&inertial("<mass value=\"heavy\"/>")).is_err());
}

#[test]
fn joints_that_mimic_nothing_move_by_themselves() {
    let limit = "<limit lower=\"0\" upper=\"1\"/>";
    let (robot, warnings) = with_joint("revolute", &format!("<mimic joint=\"gone\"/>{limit}"));
    assert_eq!((robot.joints()[0].mimic.clone(), robot.variables()[0].mimic), (None, None));
    assert!(warnings[0].contains("joint `j` mimics `gone`"), "{warnings:?}");
}

#[test]
fn numbers_as_people_write_them() {
    let box_of = |size: &str| format!("<geometry><box size=\"{size}\"/></geometry>");
    let (robot, warnings) = with_shape(&format!("<origin xyz=\"0.07, 0, -0.69\"/>{}", box_of("1 1 1")));
    assert_eq!(robot.links()[0].collision[0].link_from_shape.translation.to_array(), [0.07, 0.0, -0.69]);
    assert!(warnings[0].contains("`xyz` of origin has commas between its numbers"), "{warnings:?}");
    for (scale, said, wanted) in [
        ("0.5 0.5 0.25 1", "`scale` of mesh is 4 numbers: the last is left out", [0.5, 0.5, 0.25]),
        ("0.001", "`scale` of mesh is one number: taken for all axes", [0.001; 3]),
    ] {
        let mesh = format!("<geometry><mesh filename=\"f\" scale=\"{scale}\"/></geometry>");
        let (robot, warnings) = with_shape(&mesh);
        let GeometryKind::Mesh { scale, .. } = &robot.links()[0].collision[0].form else { panic!("a mesh") };
        assert_eq!(scale.to_array(), wanted);
        assert!(warnings[0].ends_with(said), "{warnings:?}");
    }
    for text in ["0,5 1 1", "1 1", "1 1 1 1 1"] {
        let box_of = format!("<collision>{}</collision>", box_of(text));
        let text = format!("<robot name=\"r\"><link name=\"a\">{box_of}</link></robot>");
        assert!(Robot::from_urdf_str(&text).is_err(), "{text}");
    }
}

/// Toes of published robots are points; flat boxes are walls.
#[test]
fn shapes_without_an_inside_are_shapes() {
    for shape in [
        "<sphere radius=\"0\"/>",
        "<box size=\"1 0 1\"/>",
        "<capsule radius=\"0.1\" length=\"0\"/>",
        "<cylinder radius=\"0.1\" length=\"0\"/>",
    ] {
        let (robot, _) = with_shape(&format!("<geometry>{shape}</geometry>"));
        assert_eq!(robot.shapes(|_| Err("no files")).unwrap().len(), 1, "{shape}");
    }
}

#[test]
fn a_declaration_may_come_late() {
    let robot_text = "<robot name=\"r\"><link name=\"a\"/></robot>";
    for start in ["\n", "  \n<!-- a comment -->\n"] {
        let (_, warnings) = robot(&format!("{start}<?xml version=\"1.0\" ?>\n{robot_text}"));
        assert!(warnings[0].contains("the XML declaration does not begin the text"), "{warnings:?}");
    }
    let first = format!("\u{feff}<?xml version=\"1.0\"?>{robot_text}");
    assert!(robot(&first).1.is_empty());
    assert!(robot(&format!("{robot_text}\r\n\0")).1.is_empty());
    let error =
        Robot::from_urdf_str("\n<?xml version=\"1.0\"?>\n<robot name=\"r\">\n<link/></robot>").unwrap_err();
    assert_eq!(error.place.map(|place| place.line), Some(4), "places stay");
}

/// A description by joints: `kind name parent child`, with ` = other` behind it if it follows another joint.
fn tree(joints: &str) -> String {
    let links: BTreeSet<&str> =
        joints.lines().flat_map(|line| line.split_whitespace().skip(2).take(2)).collect();
    let links: String = links.iter().map(|link| format!("<link name=\"{link}\"/>")).collect();
    let joint = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let mimic = words.get(5).map_or(String::new(), |other| format!("<mimic joint=\"{other}\"/>"));
        let ends = format!("<parent link=\"{}\"/><child link=\"{}\"/>", words[2], words[3]);
        let limit = "<limit lower=\"0\" upper=\"1\"/>";
        format!("<joint name=\"{}\" type=\"{}\">{ends}{limit}{mimic}</joint>", words[1], words[0])
    };
    let joints: String = joints.lines().filter(|line| !line.trim().is_empty()).map(joint).collect();
    format!("<robot name=\"r\">{links}{joints}</robot>")
}

fn tip_of(text: &str) -> String {
    let (robot, _) = robot(text);
    robot.links()[robot.tip()].name.clone()
}

const TWO_JOINTS: &str = "revolute j1 world upper\nrevolute j2 upper lower\n";

#[test]
fn the_tip_is_that_of_the_longest_chain() {
    let more = "fixed flange_joint lower tool\nfixed camera upper eye\nfixed foot world base\n";
    assert_eq!(tip_of(&tree(&format!("{TWO_JOINTS}{more}"))), "tool");
    assert_eq!(tip_of("<robot name=\"r\"><link name=\"a\"/></robot>"), "a");
}

#[test]
fn the_tip_stops_before_a_gripper() {
    let with = |more: &str| tip_of(&tree(&format!("{TWO_JOINTS}{more}")));
    let fingers = "fixed mount lower hand\nprismatic left hand left\nprismatic right hand right = left\n";
    assert_eq!(with(fingers), "hand");
    // Fingers on mounts of their own, and a camera farther out than the hand.
    let mounted = "fixed mount lower hand\nfixed m1 hand left_mount\nfixed m2 hand right_mount\n\
                   prismatic left left_mount left\nprismatic right right_mount right\n\
                   fixed c1 hand camera\nfixed c2 camera optical\n";
    assert_eq!(with(mounted), "hand");
    // One finger alone may be any further joint.
    assert_eq!(with("fixed mount lower hand\nprismatic left hand left\n"), "left");
    // Hands of a torso: it has fewer joints before it than each arm.
    let arms = "revolute l1 lower l_1\nrevolute l2 l_1 l_2\nrevolute r1 lower r_1\nrevolute r2 r_1 r_2\n";
    assert_eq!(with(arms), "l_2");
    // A hand alone.
    assert_eq!(tip_of(&tree("prismatic left palm left\nprismatic right palm right\n")), "left");
}

#[test]
fn the_tip_is_a_tool_frame_by_name() {
    let with = |more: &str| tip_of(&tree(&format!("{TWO_JOINTS}{more}")));
    let fingers = "fixed mount lower hand\nprismatic left hand left\nprismatic right hand right\n";
    assert_eq!(with(&format!("{fingers}fixed t hand hand_tcp\nfixed f lower flange\n")), "hand_tcp");
    assert_eq!(with("fixed a lower arm/ee_link\nfixed b lower tool0\nfixed c tool0 clamp\n"), "tool0");
    assert_eq!(with("fixed a lower mytool0\n"), "mytool0", "the last link, whatever its name");
    assert_eq!(with("fixed a lower mytool0\nfixed b mytool0 end\n"), "end", "a part of a word is no name");
    // Fixed fingers: the link that carries both.
    assert_eq!(with("fixed m lower hand\nfixed l hand left\nfixed r hand right\n"), "hand");
}

#[test]
fn the_tip_of_published_robots() {
    let Some(data) = noli_testing::data("robots") else { return };
    for (file, tip) in [
        ("moveit_resources_panda_description/urdf/panda.urdf", "panda_hand"),
        ("moveit_resources_panda_description/urdf/panda_spherized.urdf", "panda_hand"),
        ("ur5_robotiq85/ur5.urdf", "tool0"),
        ("ur5_robotiq85/ur5_spherized.urdf", "tool0"),
        ("puma560_description/urdf/puma560_robot.urdf", "link7"),
    ] {
        let text = std::fs::read_to_string(data.join(file)).unwrap();
        assert_eq!(tip_of(&text), tip, "{file}");
    }
}

const ARM: &str = "<robot name=\"arm\"><link name=\"a\"/><link name=\"b\"/><joint name=\"ns/j\" type=\"continuous\">\
    <parent link=\"a\"/><child link=\"b\"/></joint></robot>";

#[test]
fn states_of_published_srdfs_are_read() {
    let text = r#"<robot name="arm">
      <group_state name="half" group="legs"><joint name="root_joint" value="0. 0. 0.26 0. 0. 0. 1."/>
        <joint name="ns/j" value="0.5"/></group_state>
      <group_state name="turned"><joint name="ns/j" value="0 1"/></group_state>
      <group_state name="planar"><joint name="root_joint" value="1, 2, 0, 1"/></group_state>
      <group_state name="odd"><joint name="ns/j" value="1 2 3 4 5"/><joint name="ns/j" value="1"/></group_state>
      <end_effector name="hand" parent_link="gone" group="nobody"/>
      <virtual_joint name="base" type="magic" parent_frame="map" child_link="a"/>
      <disable_collisions link1="a" link2="ghost"/><disable_collisions link1="ghost" link2="b"/>
      <disable_collisions link1="a"/><disable_collisions link1="a" link2="b" reason="Never"/>
    </robot>"#;
    let srdf = text.parse::<Srdf>().unwrap();
    let state = |name: &str| srdf.states.iter().find(|state| state.name == name).unwrap();
    assert_eq!(state("half").values.len(), 7);
    assert_eq!(state("half").values[2], ("root_joint/z".to_owned(), 0.26));
    assert_eq!(state("half").values[6], ("ns/j".to_owned(), 0.5));
    assert_eq!(
        (state("turned").group.as_str(), state("turned").values[0].1),
        ("", std::f64::consts::FRAC_PI_2)
    );
    assert_eq!(state("planar").values[2], ("root_joint/theta".to_owned(), std::f64::consts::FRAC_PI_2));
    assert_eq!(state("odd").values, [("ns/j".to_owned(), 1.0)]);
    let said: Vec<String> = srdf.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(said.len(), 3, "{said:?}");
    assert!(said[0].contains("is not 1, 2, 3, 4, 6 or 7 numbers"), "{said:?}");
    assert!(said[1].contains("`magic` is not a known type of virtual joint"), "{said:?}");
    assert!(said[2].contains("the attribute `link2` is missing"), "{said:?}");
    let missing: Vec<String> =
        srdf.check(&Robot::from_urdf_str(ARM).unwrap()).iter().map(ToString::to_string).collect();
    // Each unknown name is told once.
    assert_eq!(missing.len(), 4, "{missing:?}");
    for name in ["legs", "nobody", "gone", "ghost"] {
        assert!(missing.iter().any(|text| text.contains(&format!("`{name}`"))), "{missing:?}");
    }
    let again = srdf.to_xml().parse::<Srdf>().unwrap();
    let values = |srdf: &Srdf| srdf.states.iter().map(|state| state.values.clone()).collect::<Vec<_>>();
    assert_eq!(values(&again), values(&srdf));
}

#[test]
fn packages_are_found_by_name_and_in_folders_that_were_renamed() {
    use std::path::{Path, PathBuf};
    let urdf = Path::new("/data/kuka_lbr_iiwa/urdf");
    let name = "package://kuka_lbr_iiwa_support/meshes/link_0.stl";
    let guesses = guess_package_path(name, urdf);
    assert!(guesses.contains(&PathBuf::from("/data/kuka_lbr_iiwa/meshes/link_0.stl")), "{guesses:?}");
    let given = [PathBuf::from("kuka_lbr_iiwa_support=/elsewhere")];
    let found = resolve_package_uri(name, urdf, &given);
    assert_eq!(found[0], PathBuf::from("/elsewhere/meshes/link_0.stl"));
    let beside = guess_package_path("package://nopkg/b.stl", urdf);
    assert_eq!(beside[0], urdf.join("b.stl"));
    assert!(!resolve_package_uri("package://nopkg/b.stl", urdf, &[]).contains(&urdf.join("b.stl")));
    assert!(guess_package_path("package://a/../b.stl", urdf).is_empty());
}
