//! URDF, SRDF and DH text: what is read, what is refused and where, and that nothing panics.

use crate::support::*;
use glam::DVec3;
use noli_robot::*;

fn wrong(text: &str) -> RobotError {
    Robot::from_urdf_str(text).expect_err("this is no robot")
}

/// A robot of two links whose joint is given; the joint begins on line 3.
fn with_joint(joint: &str) -> String {
    format!("<robot name=\"r\">\n<link name=\"a\"/><link name=\"b\"/>\n{joint}\n</robot>")
}

fn revolute(inside: &str) -> String {
    with_joint(&format!(
        "<joint name=\"j\" type=\"revolute\">\n<parent link=\"a\"/><child link=\"b\"/>\n{inside}\n</joint>"
    ))
}

#[test]
fn errors_name_their_place_and_a_remedy() {
    let limit = "<limit lower=\"0\" upper=\"1\"/>";
    let cases = [
        ("", "line 1, column 1: "),
        ("<robot name=\"r\"/>", "a robot needs at least one link"),
        ("<robot/>", "a robot needs at least one link"),
        ("<arm name=\"r\"/>", "line 1, column 1: the element `robot` is missing in the text"),
        (
            "<robot name=\"r\"><link name=\"a\"/>\n <link name=\"a\"/></robot>",
            "line 2, column 2: the link name `a` is used twice",
        ),
        (
            "<robot name=\"r\"><link name=\"a\"/>\n<link name=\"b\"/></robot>",
            "line 2, column 1: the links `a`, `b` have no parent",
        ),
        ("<robot name=\"r\"><link/></robot>", "line 1, column 17: the attribute `name` is missing in link"),
    ];
    for (text, start) in cases {
        let message = wrong(text).to_string();
        assert!(message.starts_with(start), "{message}");
    }
    let inside = [
        ("", "line 3, column 1: joint `j` is revolute and has no limits"),
        ("<limit lower=\"nan\" upper=\"1\"/>", "line 5, column 8: `lower` of limit is NaN"),
        ("<limit lower=\"zero\" upper=\"1\"/>", "line 5, column 8: `lower` of limit: `zero` is not a number"),
        (
            "<axis xyz=\"0 0 0\"/><limit lower=\"0\" upper=\"1\"/>",
            "line 3, column 1: the axis of joint `j` is zero",
        ),
        ("<axis xyz=\"0 0\"/>", "line 5, column 7: `xyz` of axis: `0 0` is not 3 numbers"),
        ("<axis xyz=\"0 0 1 0\"/>", "line 5, column 7: `xyz` of axis: `0 0 1 0` is not 3 numbers"),
        (
            "<origin xyz=\"1e99 0 0\"/><limit lower=\"0\" upper=\"1\"/>",
            "line 3, column 1: the origin of joint `j` is 1000",
        ),
        (
            "<mimic joint=\"j\"/><limit lower=\"0\" upper=\"1\"/>",
            "line 3, column 1: the joints `j` mimic each other in a ring",
        ),
    ];
    for (inside, start) in inside {
        let message = wrong(&revolute(inside)).to_string();
        assert!(message.starts_with(start), "{message}");
    }
    let joint = |from: &str, to: &str, kind: &str| {
        let head = format!("<joint name=\"j{to}\" type=\"{kind}\">");
        format!("{head}<parent link=\"{from}\"/><child link=\"{to}\"/>{limit}</joint>\n")
    };
    let joints = [
        (joint("a", "c", "revolute"), "line 3, column 1: `jc` names the link `c`, which does not exist"),
        (
            joint("a", "b", "sphere"),
            "line 3, column 18: `sphere` is not a known type of joint; known are fixed, ",
        ),
        (joint("a", "b", "fixed") + &joint("b", "a", "fixed"), "line 4, column 1: the links `"),
        (joint("b", "b", "fixed"), "line 3, column 1: the links `b` form a loop"),
        (
            joint("a", "b", "fixed") + &joint("a", "b", "fixed"),
            "line 4, column 1: the joint name `jb` is used twice",
        ),
        (
            joint("a", "b", "fixed") + &joint("a", "b", "fixed").replace("jb", "other"),
            "line 4, column 1: the link `b` is the child of `jb` and of `other`",
        ),
    ];
    for (joints, start) in joints {
        let message = wrong(&with_joint(&joints)).to_string();
        assert!(message.starts_with(start), "{message}");
    }
}

#[test]
fn shapes_that_are_none_are_refused() {
    let with = |shape: &str| {
        format!(
            "<robot name=\"r\"><link name=\"a\">\n<collision><geometry>{shape}</geometry></collision>\
             </link></robot>"
        )
    };
    for (shape, part) in [
        ("<box size=\"1 -1 1\"/>", "an edge of a shape of link `a` is -1"),
        ("<plane normal=\"0 0 1\"/>", "the shape `plane`, an extension of Bullet, is not read; give a box"),
        ("<sphere radius=\"-1\"/>", "the radius of a shape of link `a` is -1"),
        ("<sphere/>", "the attribute `radius` is missing in sphere"),
        ("<mesh filename=\"f\" scale=\"1 1 0\"/>", "the scale of a shape of link `a` is 0"),
        ("<mesh filename=\"f\" scale=\"1 1 1e200\"/>", "the scale of a shape of link `a` is 1000"),
        ("<pyramid/>", "`pyramid` is not a known shape"),
        ("", "a shape is missing in geometry"),
    ] {
        let error = wrong(&with(shape));
        assert_eq!(error.place.map(|place| place.line), Some(2));
        assert!(error.to_string().contains(part), "{error}");
    }
    assert!(Robot::from_urdf_str(&with("<mesh filename=\"f\" scale=\"1 -1 1\"/>")).is_ok());
}

/// Entities that expand tenfold at each of ten levels.
#[test]
fn xml_bombs_are_refused() {
    let mut bomb = String::from("<!DOCTYPE robot [<!ENTITY a \"aaaaaaaaaa\">");
    for level in 1..10u8 {
        let (name, before) = ((b'a' + level) as char, (b'a' + level - 1) as char);
        bomb += &format!("<!ENTITY {name} \"{}\">", format!("&{before};").repeat(10));
    }
    bomb += "]><robot name=\"&j;\"><link name=\"a\"/></robot>";
    let message = wrong(&bomb).to_string();
    assert!(message.contains("a document type is not read"), "{message}");
    let deep =
        "<robot name=\"r\">".to_owned() + &"<a>".repeat(200_000) + &"</a>".repeat(200_000) + "</robot>";
    assert!(Robot::from_urdf_str(&deep).is_err());
    assert_eq!(
        Robot::from_urdf_str(&" ".repeat((64 << 20) + 1)).unwrap_err().fault,
        Fault::TooLong { most: 64 << 20 }
    );
    let macros = "<robot name=\"r\" xmlns:xacro=\"http://www.ros.org/wiki/xacro\"><xacro:arm/></robot>";
    assert!(wrong(macros).to_string().contains("expand the file with the program `xacro` first"));
}

#[test]
fn other_formats_are_named() {
    let inside = "<robot name=\"r\" xmlns:xacro=\"http://ros.org/wiki/xacro\"><link name=\"a\">\n\
        <xacro:body/></link></robot>";
    let number = "<robot name=\"r\"><link name=\"a\"><collision><geometry><sphere radius=\"${r}\"/>\
        </geometry></collision></link></robot>";
    for (text, part) in [
        (
            "<sdf version=\"1.6\"><model name=\"m\"/></sdf>",
            "SDF, the format of Gazebo, is not read; give the URDF",
        ),
        ("<mujoco model=\"m\"/>", "MJCF, the format of MuJoCo, is not read; give the URDF"),
        ("<robot name=\"r\"><xacro:arm/></robot>", "program `xacro`"),
        (
            inside,
            "line 2, column 1: the macro element `body` is not read; expand the file with the program `xacro`",
        ),
        (number, "the macro expression in `radius` of sphere is not read; expand the file"),
    ] {
        let message = wrong(text).to_string();
        assert!(message.contains(part), "{message}");
    }
}

/// A URDF as an SRDF disabled nothing, so that neighbours collided, without a word.
#[test]
fn urdf_and_srdf_are_not_taken_for_each_other() {
    let urdf = "<robot name=\"r\">\n<link name=\"a\"/></robot>";
    let srdf = "<robot name=\"r\">\n<disable_collisions link1=\"a\" link2=\"b\" reason=\"Never\"/></robot>";
    let message = urdf.parse::<Srdf>().expect_err("this is a URDF").to_string();
    assert!(
        message.contains("line 2, column 1: a URDF in place of this file is not read; give the SRDF"),
        "{message}"
    );
    let message = wrong(srdf).to_string();
    assert!(
        message.contains("line 2, column 1: an SRDF in place of this file is not read; give the URDF"),
        "{message}"
    );
}

#[test]
fn axes_are_made_unit_whatever_their_scale() {
    for (axis, unit) in [
        ("0 0 -2", DVec3::NEG_Z),
        ("3e-300 0 4e-300", DVec3::new(0.6, 0.0, 0.8)),
        ("3e300 4e300 0", DVec3::new(0.6, 0.8, 0.0)),
        ("0 5e-324 0", DVec3::Y),
    ] {
        let robot = Robot::from_urdf_str(&revolute(&format!(
            "<axis xyz=\"{axis}\"/><limit lower=\"0\" upper=\"1\"/>"
        )))
        .unwrap();
        assert!(robot.joints()[0].axis.abs_diff_eq(unit, 1e-15), "{axis}");
    }
}

#[test]
fn long_chains_and_many_links_take_no_recursion() {
    let mut text = String::from("<robot name=\"r\"><link name=\"0\"/>");
    for i in 0..50_000 {
        text += &format!("<link name=\"{}\"/>", i + 1);
        let ends = format!("<parent link=\"{i}\"/><child link=\"{}\"/>", i + 1);
        text += &format!("<joint name=\"{i}\" type=\"fixed\">{ends}<origin xyz=\"0 0 1\"/></joint>");
    }
    text += "</robot>";
    let robot = Robot::from_urdf_str(&text).unwrap();
    let mut poses = vec![noli_geom::Pose::IDENTITY; robot.links().len()];
    robot.link_poses(&[], &mut poses);
    assert_eq!(poses[50_000].translation.z, 50_000.0);
}

#[test]
fn real_descriptions_are_read() {
    for (file, text) in real_robots() {
        let robot = Robot::from_urdf_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert!(robot.links().len() > 6, "{file}");
    }
    let Some(folder) = robots() else { return };
    let read = |file: &str| std::fs::read_to_string(folder.join(file)).unwrap();
    let panda = Robot::from_urdf_str(&read("moveit_resources_panda_description/urdf/panda.urdf")).unwrap();
    assert_eq!(panda.variables().len(), 9);
    assert_eq!(panda.variables()[8].mimic, Some(MimicRelation { of: 7, multiplier: 1.0, offset: 0.0 }));
    let srdf = read("moveit_resources_panda_description/srdf/panda.srdf").parse::<Srdf>().unwrap();
    assert_eq!(srdf.check(&panda), []);
    assert_eq!(srdf.disabled.len(), 34);
    assert_eq!(srdf.group_joints(&panda, "panda_arm"), (0..7).collect::<Vec<_>>());
    let puma = Robot::from_urdf_str(&read("puma560_description/urdf/puma560_robot.urdf")).unwrap();
    assert_eq!(puma.links()[0].collides_by(true), GeometrySource::Visual);
    assert!(puma.links()[0].geometry(puma.links()[0].collides_by(false)).is_empty());
    let ur5 = Robot::from_urdf_str(&read("ur5_robotiq85/ur5.urdf")).unwrap();
    assert_eq!(read("ur5_robotiq85/ur5.srdf").parse::<Srdf>().unwrap().check(&ur5), []);
}

#[test]
fn meshes_are_found_beside_the_description_and_in_folders() {
    let Some(folder) = robots() else { return };
    for (file, text) in real_robots() {
        let description = folder.join(&file);
        let robot = Robot::from_urdf_str(&text).unwrap();
        let (mut found, mut named) = (0, 0);
        for geometry in robot.links().iter().flat_map(|link| &link.collision) {
            let GeometryKind::Mesh { file, .. } = &geometry.form else { continue };
            named += 1;
            let paths =
                resolve_package_uri(file, description.parent().unwrap(), std::slice::from_ref(&folder));
            found += usize::from(paths.iter().any(|path| path.is_file()));
        }
        assert_eq!(found, named, "{file}");
    }
    let none = resolve_package_uri("package://a/../../secret", std::path::Path::new("/x"), &[]);
    assert!(none.is_empty());
}

const SRDF: &str = r#"<?xml version="1.0"?>
<robot name="every">
  <group name="arm"><chain base_link="cart" tip_link="hand"/></group>
  <group name="all"><group name="arm"/><joint name="finger"/><link name="right"/></group>
  <group_state name="home" group="arm"><joint name="shoulder" value="0.5"/></group_state>
  <group_state name="placed" group="all"><joint name="floor" value="1 2 0.5"/></group_state>
  <end_effector name="grip" parent_link="hand" group="all" parent_group="arm"/>
  <virtual_joint name="base" type="floating" parent_frame="map" child_link="world"/>
  <passive_joint name="spin"/>
  <disable_collisions link1="cart" link2="arm" reason="Adjacent &amp; &quot;near&quot;"/>
  <disable_collisions link1="cart" link2="hand"/>
</robot>"#;

#[test]
fn srdf_is_read_checked_written_and_read_again() {
    let robot = Robot::from_urdf_str(EVERY_KIND).unwrap();
    let srdf = SRDF.parse::<Srdf>().unwrap();
    assert_eq!((srdf.check(&robot), &srdf.warnings[..]), (vec![], &[][..]));
    let names = |group| {
        let joints = srdf.group_joints(&robot, group);
        joints.into_iter().map(|joint| robot.joints()[joint].name.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(names("arm"), ["shoulder", "wrist"]);
    assert_eq!(names("all"), ["shoulder", "wrist", "finger", "thumb"]);
    assert_eq!(srdf.states[1].values[2], ("floor/theta".to_owned(), 0.5));
    assert_eq!(srdf.disabled[0].reason, "Adjacent & \"near\"");
    let again = srdf.to_xml().parse::<Srdf>().unwrap();
    assert_eq!(without_places(again), without_places(srdf));
}

fn without_places(mut srdf: Srdf) -> Srdf {
    srdf.groups.iter_mut().for_each(|x| x.place = None);
    srdf.states.iter_mut().for_each(|x| x.place = None);
    srdf.end_effectors.iter_mut().for_each(|x| x.place = None);
    srdf.virtual_joints.iter_mut().for_each(|x| x.place = None);
    srdf.passive_joints.iter_mut().for_each(|x| x.1 = None);
    srdf.disabled.iter_mut().for_each(|x| x.place = None);
    srdf.warnings.clear();
    srdf
}

#[test]
fn names_an_srdf_invents_are_found_with_their_line() {
    let robot = Robot::from_urdf_str(EVERY_KIND).unwrap();
    let line = |text: &str, with: &str| {
        let changed = SRDF.replacen(text, with, 1);
        assert_ne!(changed, SRDF);
        changed.parse::<Srdf>().unwrap().check(&robot)[0].to_string()
    };
    assert_eq!(
        line("tip_link=\"hand\"", "tip_link=\"hnd\""),
        "line 3, column 3: `arm` names the link `hnd`, which does not exist; did you mean `hand`?"
    );
    assert!(
        line("<group name=\"arm\"/>", "<group name=\"leg\"/>").starts_with("line 4, column 3: `all` names")
    );
    assert!(
        line("name=\"shoulder\"", "name=\"elbow\"").starts_with("line 5, column 3: `home` names the joint")
    );
    assert!(line("link2=\"arm\"", "link2=\"army\"").starts_with("line 10, column 3: `disable_collisions`"));
    let twice = SRDF.replace("<group name=\"all\">", "<group name=\"arm\">");
    let warned = twice.parse::<Srdf>().unwrap().warnings[0].to_string();
    assert!(warned.starts_with("line 4, column 3: the group name `arm`"), "{warned}");
}

#[test]
fn tables_of_denavit_and_hartenberg_are_read() {
    let text = r#"
name = "puma"
unit = "mm"
[[joint]]
alpha_deg = -90
range_deg = [-160, 160]
[[joint]]
a = 431.8
d = 149.09
[[joint]]
alpha_deg = 90.0
a = -20.32
[[joint]]
alpha_deg = -90
d = 433.07
[[joint]]
alpha_deg = 90
[[joint]]
d = 56.25
"#;
    let mut ours = vec![noli_geom::Pose::IDENTITY; 7];
    let mut preset = ours.clone();
    let values = [0.3, -1.0, 0.5, 0.2, 0.7, -0.4];
    Robot::from_dh_str(text).unwrap().link_poses(&values, &mut ours);
    puma560(PumaSet::FuGonzalezLee).link_poses(&values, &mut preset);
    for (a, b) in ours.iter().zip(&preset) {
        assert!(a.translation.abs_diff_eq(b.translation, 1e-14));
    }
    for (change, message) in [
        (
            "alpha_dgr = 3",
            "line 5, column 1: `joint 1` names the key `alpha_dgr`, which does not exist; did you mean",
        ),
        ("alpha_deg = \"x\"", "line 5, column 13: `alpha_deg` of joint 1: `x` is not a number"),
        ("alpha_deg = nan", "line 5, column 13: `alpha_deg` of joint 1 is NaN; give a finite number"),
        ("alpha_deg = ", "line 5"),
    ] {
        let changed = text.replacen("alpha_deg = -90", change, 1);
        let found = changed.parse::<DhTable>().unwrap_err().to_string();
        assert!(found.starts_with(message), "{found}");
    }
    let reversed = text.replace("[-160, 160]", "[160, -160]");
    let found = reversed.parse::<DhTable>().unwrap().robot().unwrap_err().to_string();
    assert!(found.starts_with("line 4, column 1: the limits of joint `joint1` are reversed"), "{found}");
    assert!("name = \"x\"".parse::<DhTable>().unwrap_err().to_string().contains("a `[[joint]]` is missing"));
}

/// Craig's modified rows of the same arm: other rows, the same places of wrist and tool.
#[test]
fn modified_rows_of_a_planar_arm() {
    let standard = "[[joint]]\na = 1.0\n[[joint]]\na = 0.5\n";
    let modified =
        "convention = \"modified\"\n[[joint]]\n[[joint]]\na = 1.0\n[tool]\ntranslation = [0.5, 0, 0]\n";
    let tip = |text: &str| {
        let robot = Robot::from_dh_str(text).unwrap();
        let mut poses = vec![noli_geom::Pose::IDENTITY; robot.links().len()];
        robot.link_poses(&[0.4, -1.1], &mut poses);
        poses[robot.links().len() - 1]
    };
    let (a, b) = (tip(standard), tip(modified));
    assert!(a.translation.abs_diff_eq(b.translation, 1e-15));
    let by_hand = DVec3::new(0.4f64.cos() + 0.5 * 0.7f64.cos(), 0.4f64.sin() - 0.5 * 0.7f64.sin(), 0.0);
    assert!(a.translation.abs_diff_eq(by_hand, 1e-15));
}

#[test]
fn presets_have_bodies_of_their_own() {
    for set in PumaSet::ALL {
        let robot = puma560(set);
        let shapes = robot.shapes(|_| Err::<noli_geom::Mesh, _>("no files")).unwrap();
        assert!((0..7).all(|link| shapes.iter().any(|shape| shape.link == link) || link == 0), "{set:?}");
    }
    let broken = "<robot name=\"r\"><link name=\"a\"><visual><geometry><mesh filename=\"f.stl\"/>\
        </geometry></visual></link></robot>";
    let broken = Robot::from_urdf_str(broken).unwrap();
    assert!(broken.shapes(|_| Err::<noli_geom::Mesh, _>("gone")).unwrap().is_empty());
    let error = broken.shapes_or_visual(|_| Err::<noli_geom::Mesh, _>("gone")).unwrap_err();
    assert_eq!(error.to_string(), "line 1, column 50: mesh `f.stl`: gone");
}

#[test]
fn mirrored_meshes_keep_their_faces_outward() {
    let robot = |scale: &str| {
        let mesh = format!("<mesh filename=\"f\" scale=\"{scale}\"/>");
        let link = format!("<link name=\"a\"><collision><geometry>{mesh}</geometry></collision></link>");
        Robot::from_urdf_str(&format!("<robot name=\"r\">{link}</robot>")).unwrap()
    };
    let vertices = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].to_vec();
    let faces = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let mesh = noli_geom::Mesh::from_triangles(vertices, faces, &Default::default()).unwrap();
    for scale in ["2 2 2", "-2 2 2", "-2 -2 -2", "-2 -2 2"] {
        let shapes = robot(scale).shapes(|_| Ok::<_, String>(mesh.clone())).unwrap();
        let LinkGeometry::Mesh(scaled) = &shapes[0].solid else { panic!("a mesh") };
        assert!((scaled.signed_volume() - 8.0 / 6.0).abs() < 1e-12, "{scale}");
    }
}

/// Texts with bytes changed, cut out, doubled and swapped; whatever comes out of them is a robot or an error.
#[test]
fn mutated_texts_never_panic() {
    let mut random = Random::new(11);
    let dh = "name = \"p\"\nunit = \"mm\"\n[[joint]]\nalpha_deg = -90\nrange_deg = [-1, 1]\n\
        [tool]\nrpy_deg = [0, 0, 9]\n";
    let words = [
        "nan",
        "inf",
        "-",
        "1e308",
        "\"",
        "<",
        "/>",
        "<link name=\"a\"/>",
        "0",
        "&#0;",
        "é",
        "\n",
        "[[",
        "]",
    ];
    let start = std::time::Instant::now();
    let (mut good, mut all) = (0, 0);
    while all < 30_000 && start.elapsed().as_secs() < 20 {
        all += 1;
        let which = all % 3;
        let source = [EVERY_KIND, SRDF, dh][which];
        let mut bytes = source.as_bytes().to_vec();
        for _ in 0..1 + random.index(4) {
            let at = random.index(bytes.len().max(1));
            let end = (at + random.index(12)).min(bytes.len());
            match random.index(5) {
                0 if at < bytes.len() => bytes[at] = random.bits() as u8,
                1 => drop(bytes.drain(at..end)),
                2 => {
                    let piece = bytes[at..end].to_vec();
                    bytes.splice(at..at, piece);
                }
                3 => drop(bytes.splice(at..end, words[random.index(words.len())].bytes())),
                _ => bytes.truncate(bytes.len() - random.index(30).min(bytes.len())),
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        good += match which {
            0 => Robot::from_urdf_str(&text).map(|robot| {
                let mut poses = vec![noli_geom::Pose::IDENTITY; robot.links().len()];
                robot.link_poses(&robot.zero().0, &mut poses);
            }),
            1 => text.parse::<Srdf>().map(|srdf| {
                assert_eq!(without_places(srdf.to_xml().parse::<Srdf>().unwrap()), without_places(srdf));
            }),
            _ => Robot::from_dh_str(&text).map(drop),
        }
        .map_or_else(|error| usize::from(error.to_string().is_empty()), |()| 1);
    }
    eprintln!("{good} of {all} mutants were still robots");
    assert!(good > 100 && good < all);
}

#[test]
fn text_that_xml_cannot_hold_is_escaped_or_replaced() {
    assert_eq!(
        noli_robot::escaped("a<\"&>\n\r\t\u{1}\u{7f}\u{fffe}é"),
        "a&lt;&quot;&amp;&gt;&#10;&#13;&#9;?\u{7f}?é"
    );
}
