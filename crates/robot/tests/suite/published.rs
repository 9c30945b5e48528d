//! Faults of published descriptions: what is tolerated, and the warnings.

use noli_robot::*;

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

#[test]
fn the_tip_is_that_of_the_longest_chain() {
    let joint = |name: &str, kind: &str, from: &str, to: &str| {
        let ends = format!("<parent link=\"{from}\"/><child link=\"{to}\"/>");
        let limit = "<limit lower=\"0\" upper=\"1\"/>";
        format!("<link name=\"{to}\"/><joint name=\"{name}\" type=\"{kind}\">{ends}{limit}</joint>")
    };
    let text = format!(
        "<robot name=\"r\"><link name=\"world\"/>{}{}{}{}{}</robot>",
        joint("j1", "revolute", "world", "upper"),
        joint("j2", "revolute", "upper", "lower"),
        joint("flange", "fixed", "lower", "tool"),
        joint("camera", "fixed", "upper", "eye"),
        joint("foot", "fixed", "world", "base"),
    );
    let (robot, _) = robot(&text);
    assert_eq!(robot.links()[robot.tip()].name, "tool");
    let (still, _) = self::robot("<robot name=\"r\"><link name=\"a\"/></robot>");
    assert_eq!(still.tip(), 0);
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
