//! The comparison of certificates with descriptions of robots.

#[macro_use]
mod support;

use noli_verify::{Options, Report, check};
use std::path::PathBuf;
use support::{Draft, Item, code, leaf, solid, tetrahedron};

/// Two arms that turn about z, and a slide: joints `a`, `b` and `s`.
const ROBOT: &str = r#"<?xml version="1.0"?>
<robot name="r"><link name="base"><collision><geometry><sphere radius="0.25"/></geometry></collision></link>
<link name="upper"><collision><origin xyz="1 0 0" rpy="0 0 0.5"/><geometry><box size="1 0.1 0.1"/></geometry></collision></link>
<link name="lower"><collision><geometry><cylinder radius="0.1" length="0.5"/></geometry></collision></link>
<link name="foot"><collision><geometry><capsule radius="0.1" length="0.5"/></geometry></collision></link>
<joint name="a" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 10" rpy="0.1 0.2 0.3"/>
<axis xyz="0 0 2"/><limit lower="-1.5" upper="1.5" effort="1" velocity="1"/></joint>
<joint name="b" type="continuous"><parent link="upper"/><child link="lower"/><origin xyz="0 0 10"/><axis xyz="0 0 1"/></joint>
<joint name="s" type="prismatic"><parent link="base"/><child link="foot"/><origin xyz="9 0 0"/><axis xyz="1 0 0"/>
<limit lower="0" upper="0.5" effort="1" velocity="1"/></joint></robot>"#;

fn map(entries: &[(&'static str, Item)]) -> Item {
    Item::Map(entries.to_vec())
}

fn joint(kind: &str, name: &str, axis: [i64; 3]) -> Item {
    map(&[("kind", kind.into()), ("axis", axis.into()), ("name", name.into())])
}

fn link(name: &str, parent: i64, origin: Item, joint: Option<Item>) -> Item {
    let mut entries = vec![("name", name.into()), ("parent", parent.into()), ("origin", origin)];
    entries.extend(joint.map(|joint| ("joint", joint)));
    Item::Map(entries)
}

/// The robot with the claim that no two of its links but neighbours collide, in these ranges.
fn draft(ranges: [[f64; 2]; 3]) -> Draft {
    let mut draft = Draft::new();
    let radius = ("radius", 0.1.into());
    let length = ("length", 0.5.into());
    draft.shapes = vec![
        map(&[("kind", "sphere".into()), ("radius", 0.25.into())]),
        map(&[("kind", "box".into()), ("size", [1.0, 0.1, 0.1].into())]),
        map(&[("kind", "cylinder".into()), radius.clone(), length.clone()]),
        map(&[("kind", "capsule".into()), radius, length]),
    ];
    let origin = list![0i64, 0i64, 10i64, 0.1, 0.2, 0.3];
    draft.links.extend([
        link("base", 0, [0i64; 3].into(), None),
        link("upper", 1, origin, Some(joint("turn", "a", [0, 0, 1]))),
        link("lower", 2, [0i64, 0, 10].into(), Some(joint("turn", "b", [0, 0, 3]))),
        link("foot", 1, [9i64, 0, 0].into(), Some(joint("slide", "s", [1, 0, 0]))),
    ]);
    draft.add_body("base", 1, 0, [0i64; 3]);
    draft.add_body("upper", 2, 1, list![1i64, 0i64, 0i64, 0i64, 0i64, 0.5]);
    draft.add_body("lower", 3, 2, [0i64; 3]);
    draft.add_body("foot", 4, 3, [0i64; 3]);
    let pairs = [[0i64, 1], [0, 3], [1, 2], [1, 3]];
    draft.statements.push(map(&[
        ("claim", "separated".into()),
        ("pairs", pairs.into()),
        ("region", map(&[("box", ranges.into())])),
    ]));
    for (pair, plane) in [[0i64, 0, 1], [1, 0, 0], [0, 0, 1], [0, 0, -1]].into_iter().enumerate() {
        draft.items.push(list!["proof", 0i64, pair as i64, 0i64, list![], list![list![plane]]]);
    }
    draft
}

const ALL: [[f64; 2]; 3] = [[-1.5, 1.5], [-3.1415926535897936, 3.1415926535897936], [0.0, 0.5]];

/// A file that is gone with its owner.
struct File(PathBuf);

impl File {
    fn new(name: &str, content: &[u8]) -> Self {
        let folder = std::env::temp_dir().join(format!("noli-verify-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let own = Self(folder.join("robot.urdf"));
        std::fs::write(&own.0, content).unwrap();
        own
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(self.0.parent().unwrap());
    }
}

fn bound(name: &str, draft: &Draft, robot: &str) -> Report {
    let file = File::new(name, robot.as_bytes());
    check(&draft.bytes(), &Options::default().with_threads(1).with_urdf(&file.0))
}

fn binding(name: &str, draft: &Draft, robot: &str) -> Result<Vec<String>, &'static str> {
    let report = bound(name, draft, robot);
    report.error.map_or(Ok(report.not_compared.unwrap_or_default()), |error| Err(error.code))
}

fn set(item: &mut Item, key: &'static str, value: Item) {
    let Item::Map(entries) = item else { panic!("no map") };
    entries.retain(|(own, _)| *own != key);
    entries.push((key, value));
}

#[test]
fn a_certificate_of_all_that_a_robot_can_do_is_bound() {
    let own = draft(ALL);
    assert_eq!(code(&own.bytes()), "valid");
    let report = bound("whole", &own, ROBOT);
    assert_eq!(report.error, None);
    assert_eq!(report.not_compared, Some(Vec::new()));
    assert_eq!(report.statements[0].over, "every configuration");
    let alone = support::report(&own.bytes());
    assert_eq!(alone.not_compared, None);
    let over = "within a in [-1.5, 1.5], b in [-3.1415926535897936, 3.1415926535897936], s in [0.0, 0.5]";
    assert_eq!(alone.statements[0].over, over);
}

#[test]
fn ranges_are_printed_unless_they_are_all_that_is_allowed() {
    let over = |name: &str, ranges: [[f64; 2]; 3], robot: &str| {
        let report = bound(name, &draft(ranges), robot);
        assert_eq!(report.error, None, "{name}");
        report.statements[0].over.clone()
    };
    let [a, b, s] = ALL;
    assert_eq!(over("low", [[-1.4, 1.5], b, s], ROBOT), "within a in [-1.4, 1.5]");
    assert_eq!(over("high", [a, b, [0.0, 0.4999]], ROBOT), "within s in [0.0, 0.4999]");
    // Twice the double next to π is less than a turn.
    let pi = std::f64::consts::PI;
    assert_eq!(over("turn", [a, [-pi, pi], s], ROBOT), "within b in [-3.141592653589793, 3.141592653589793]");
    assert_eq!(over("elsewhere", [a, [1.0, 7.3], s], ROBOT), "every configuration");
    let limits = r#"<limit lower="-1.5" upper="1.5" effort="1" velocity="1"/>"#;
    for (name, other) in [
        ("none", ""),
        ("reversed", r#"<limit lower="1.5" upper="-1.5"/>"#),
        ("endless", r#"<limit lower="-inf" upper="inf"/>"#),
        ("huge", r#"<limit lower="-1e999" upper="2"/>"#),
        ("wider", r#"<limit lower="-1.5000000001" upper="1.5"/>"#),
    ] {
        let robot = ROBOT.replace(limits, other);
        assert_eq!(over(name, ALL, &robot), "within a in [-1.5, 1.5]", "{name}");
    }
    let half = ROBOT.replace(limits, r#"<limit upper="1.5"/>"#);
    assert_eq!(over("half", [[0.0, 1.5], b, s], &half), "every configuration");
    let slide = ROBOT.replace(r#"<limit lower="0" upper="0.5" effort="1" velocity="1"/>"#, "");
    assert_eq!(over("rail", ALL, &slide), "within s in [0.0, 0.5]");
    let reversed = ROBOT.replace(r#"<limit lower="0" upper="0.5""#, r#"<limit lower="0.5" upper="0""#);
    assert_eq!(over("reversed rail", ALL, &reversed), "within s in [0.0, 0.5]");
}

#[test]
fn a_range_is_not_that_of_joints_that_do_not_matter() {
    let mut own = draft([[0.0, 0.0], [0.0, 0.0], ALL[2]]);
    set(&mut own.statements[0], "pairs", [[0i64, 3]].into());
    own.items = vec![list!["proof", 0i64, 0i64, 0i64, list![], list![list![[1i64, 0, 0]]]]];
    assert_eq!(bound("one pair", &own, ROBOT).statements[0].over, "every configuration");
}

/// The joint `b` follows `a`, which turns without limits.
fn geared(multiplier: f64, range: [f64; 2]) -> (Draft, String) {
    let mut own = draft([range, [0.0, 0.0], ALL[2]]);
    let ranges = list![range, Item::Null, ALL[2]];
    set(&mut own.statements[0], "region", map(&[("box", ranges)]));
    set(&mut own.statements[0], "pairs", [[1i64, 2]].into());
    own.items = vec![list!["proof", 0i64, 0i64, 0i64, list![], list![list![[0i64, 0, 1]]]]];
    let mut follower = joint("turn", "b", [0, 0, 1]);
    set(&mut follower, "mimic", list![0i64, multiplier, 0i64]);
    own.links[3] = link("lower", 2, [0i64, 0, 10].into(), Some(follower));
    let robot = ROBOT.replace(r#"name="a" type="revolute""#, r#"name="a" type="continuous""#).replace(
        r#"<axis xyz="0 0 1"/></joint>"#,
        &format!(r#"<axis xyz="0 0 1"/><mimic joint="a" multiplier="{multiplier}"/></joint>"#),
    );
    (own, robot)
}

#[test]
fn a_turn_is_everything_only_with_all_that_follows_it() {
    let turn = 3.1415926535897936;
    let cases = [
        (2.0, turn, true),
        (-1.0, turn, true),
        (0.5, turn, false),
        (0.5, 2.0 * turn, true),
        (0.1, turn, false),
        (0.1, 9.9 * turn, false),
        (0.1, 10.0 * turn, true),
        (0.3333, 20.0 * turn, false),
    ];
    for (number, (multiplier, half, all)) in cases.into_iter().enumerate() {
        let (own, robot) = geared(multiplier, [-half, half]);
        let report = bound(&format!("gear {number}"), &own, &robot);
        assert_eq!(report.error, None, "{multiplier}");
        let over = &report.statements[0].over;
        assert_eq!(over == "every configuration", all, "{multiplier} over {half}: {over}");
    }
    let (own, robot) = geared(2.0, [-turn, turn]);
    assert_eq!(
        binding("other gear", &own, &robot.replace(r#"multiplier="2""#, r#"multiplier="3""#)),
        Err("E-BINDING")
    );
    assert_eq!(binding("no gear", &own, ROBOT), Err("E-BINDING"));
}

#[test]
fn a_body_on_another_link_is_not_bound() {
    let mut own = draft(ALL);
    set(&mut own.bodies[1], "link", 1i64.into());
    set(&mut own.bodies[1], "pose", list![1i64, 0i64, 10i64, 0i64, 0i64, 0.5]);
    set(&mut own.statements[0], "pairs", [[0i64, 1]].into());
    own.items = vec![list!["proof", 0i64, 0i64, 0i64, list![], list![list![[0i64, 0, 1]]]]];
    assert_eq!(code(&own.bytes()), "valid");
    assert_eq!(binding("on the base", &own, ROBOT), Err("E-BINDING"));
}

/// A statement about a whole robot, and everything of it that may be another.
#[test]
fn whatever_differs_is_not_bound() {
    let changed = |change: &dyn Fn(&mut Draft)| {
        let mut own = draft(ALL);
        change(&mut own);
        own
    };
    let forged: Vec<(&str, Draft)> = vec![
        ("name of body", changed(&|d| set(&mut d.bodies[1], "name", "lower".into()))),
        ("prefix of one body", changed(&|d| set(&mut d.bodies[1], "name", "left/upper".into()))),
        (
            "size",
            changed(&|d| {
                d.shapes[1] = map(&[("kind", "box".into()), ("size", [1.0, 0.1, 0.1000001].into())])
            }),
        ),
        (
            "radius",
            changed(&|d| d.shapes[0] = map(&[("kind", "sphere".into()), ("radius", 0.2499999.into())])),
        ),
        ("kind of shape", changed(&|d| set(&mut d.bodies[2], "shape", 3i64.into()))),
        ("pose", changed(&|d| set(&mut d.bodies[0], "pose", [0.0, 1e-9, 0.0].into()))),
        (
            "turned pose",
            changed(&|d| set(&mut d.bodies[0], "pose", list![0i64, 0i64, 0i64, 0i64, 0i64, 1e-9])),
        ),
        (
            "axis",
            changed(&|d| {
                d.links[4] = link("foot", 1, [9i64, 0, 0].into(), Some(joint("slide", "s", [-1, 0, 0])))
            }),
        ),
        (
            "kind",
            changed(&|d| {
                d.links[3] = link("lower", 2, [0i64, 0, 10].into(), Some(joint("slide", "b", [0, 0, 1])))
            }),
        ),
        (
            "name of joint",
            changed(&|d| {
                d.links[4] = link("foot", 1, [9i64, 0, 0].into(), Some(joint("slide", "x", [1, 0, 0])))
            }),
        ),
        ("name of link", changed(&|d| set(&mut d.links[4], "name", "feet".into()))),
        (
            "two links of a name",
            changed(&|d| {
                let twin = link("foot", 1, [0i64; 3].into(), None);
                d.links.push(twin);
            }),
        ),
        ("origin", changed(&|d| set(&mut d.links[4], "origin", [9.0, 0.0, 1e-9].into()))),
        ("parent", changed(&|d| set(&mut d.links[4], "parent", 0i64.into()))),
        (
            "limits",
            changed(&|d| {
                let mut slide = joint("slide", "s", [1, 0, 0]);
                set(&mut slide, "limits", [0.0, 0.4].into());
                d.links[4] = link("foot", 1, [9i64, 0, 0].into(), Some(slide));
            }),
        ),
        (
            "limits of a continuous joint",
            changed(&|d| {
                let mut turn = joint("turn", "b", [0, 0, 1]);
                set(&mut turn, "limits", [-3.0, 3.0].into());
                d.links[3] = link("lower", 2, [0i64, 0, 10].into(), Some(turn));
            }),
        ),
    ];
    for (name, own) in &forged {
        assert_eq!(binding(name, own, ROBOT), Err("E-BINDING"), "{name}");
    }
    // A second joint on the way to a link.
    let mut own = draft([ALL[0], ALL[1], ALL[2]]);
    own.links.insert(4, link("#foot/0", 1, [0i64; 3].into(), Some(joint("turn", "hidden", [0, 0, 1]))));
    own.links[5] = link("foot", 4, [9i64, 0, 0].into(), Some(joint("slide", "s", [1, 0, 0])));
    set(&mut own.bodies[3], "link", 5i64.into());
    let ranges = list![ALL[0], ALL[1], [0.0, 0.0], ALL[2]];
    set(&mut own.statements[0], "region", map(&[("box", ranges)]));
    assert_eq!(code(&own.bytes()), "valid");
    assert_eq!(binding("second joint", &own, ROBOT), Err("E-BINDING"));
    // Without a joint the step is a part of the origin.
    own.links[4] = link("#foot/0", 1, [4i64, 0, 0].into(), None);
    own.links[5] = link("foot", 4, [5i64, 0, 0].into(), Some(joint("slide", "s", [1, 0, 0])));
    set(&mut own.statements[0], "region", map(&[("box", ALL.into())]));
    assert_eq!(binding("a step", &own, ROBOT), Ok(Vec::new()));
}

#[test]
fn what_is_not_compared_is_said() {
    let said = |name: &str, own: &Draft, robot: &str, wanted: &[&str]| {
        let found = binding(name, own, robot).unwrap();
        assert_eq!(found.len(), wanted.len(), "{name}: {found:?}");
        for (text, words) in found.iter().zip(wanted) {
            assert!(text.contains(words), "{name}: {text}");
        }
    };
    let mut own = draft(ALL);
    own.add_body("table", 0, 0, [0i64, 50, 0]);
    said("table", &own, ROBOT, &["body 4 \"table\""]);
    let mut own = draft(ALL);
    set(&mut own.links[1], "origin", [0i64, 0, 1].into());
    said("place", &own, ROBOT, &["the place of \"base\""]);
    let floating = ROBOT.replace(r#"name="s" type="prismatic""#, r#"name="s" type="planar""#);
    said("planar", &draft(ALL), &floating, &["joint \"s\", which is planar"]);
    assert_eq!(bound("planar range", &draft(ALL), &floating).statements[0].over, "within s in [0.0, 0.5]");
    // One of two shapes of a link.
    let two = ROBOT.replace(
        r#"<link name="foot">"#,
        r#"<link name="foot"><collision><origin xyz="0 0 -1"/><geometry><sphere radius="0.25"/></geometry></collision>"#,
    );
    assert_eq!(binding("missing shape", &draft(ALL), &two), Err("E-BINDING"));
    let mut own = draft(ALL);
    own.add_body("foot", 4, 0, [0i64, 0, -1]);
    said("half of a link", &own, &two, &["\"base\" and \"foot\"", "\"upper\" and \"foot\""]);
    // A configuration that the robot does not reach.
    let mut own = draft(ALL);
    set(&mut own.statements[0], "region", map(&[("at", [0.0, 0.0, 2.0].into())]));
    said("beyond", &own, ROBOT, &["joint \"s\" is beyond its limits"]);
}

#[test]
fn followers_follow_in_every_configuration() {
    let (mut own, robot) = geared(2.0, [-1.0, 1.0]);
    for (name, state, wanted) in
        [("does", [0.5, 1.0, 0.0], Ok(Vec::new())), ("does not", [0.5, 1.1, 0.0], Err("E-BINDING"))]
    {
        set(&mut own.statements[0], "region", map(&[("along", [[0.0; 3], state].into())]));
        assert_eq!(code(&own.bytes()), "valid");
        assert_eq!(binding(name, &own, &robot), wanted);
    }
}

#[test]
fn meshes_are_compared_by_their_triangles() {
    let triangles = tetrahedron([0.0; 3], 1.0, false);
    let mut own = draft(ALL);
    let (shape, faces) = solid(&triangles);
    own.shapes[0] = shape;
    own.items.insert(0, list!["cover", 0i64, list![leaf(&faces, (0..4).collect())]]);
    // Rays are not needed where one plane parts the bodies.
    assert_eq!(code(&own.bytes()), "valid");
    let obj = |scale: f64| {
        let points = [[0.0; 3], [scale, 0.0, 0.0], [0.0, scale, 0.0], [0.0, 0.0, scale]];
        let lines: String = points.iter().map(|[x, y, z]| format!("v {x} {y} {z}\n")).collect();
        format!("{lines}f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    };
    let robot = |file: &str, scale: &str| {
        ROBOT.replace(r#"<sphere radius="0.25"/>"#, &format!(r#"<mesh filename="{file}" {scale}/>"#))
    };
    let found = |name: &str, file: &str, scale: &str, content: Option<String>| {
        let urdf = File::new(name, robot(file, scale).as_bytes());
        let folder = urdf.0.parent().unwrap();
        let path = folder.join("pkg/mesh.obj");
        std::fs::create_dir_all(folder.join("pkg")).unwrap();
        if let Some(content) = content {
            std::fs::write(&path, content).unwrap();
        }
        let report = check(&own.bytes(), &Options::default().with_threads(1).with_urdf(&urdf.0));
        report.error.map_or(Ok(report.not_compared.unwrap_or_default()), |error| Err(error.code))
    };
    assert_eq!(found("own mesh", "pkg/mesh.obj", "", Some(obj(1.0))), Ok(Vec::new()));
    assert_eq!(found("package", "package://pkg/mesh.obj", "", Some(obj(1.0))), Ok(Vec::new()));
    assert_eq!(found("scaled", "pkg/mesh.obj", "scale=\"0.5 0.5 0.5\"", Some(obj(2.0))), Ok(Vec::new()));
    assert_eq!(found("other mesh", "pkg/mesh.obj", "", Some(obj(2.0))), Err("E-BINDING"));
    assert_eq!(found("other scale", "pkg/mesh.obj", "scale=\"2 1 1\"", Some(obj(1.0))), Err("E-BINDING"));
    let unread = found("no mesh", "pkg/mesh.obj", "", None).unwrap();
    assert!(unread.len() == 1 && unread[0].contains("its file is not there"), "{unread:?}");
    let unread = found("dae", "pkg/mesh.dae", "", None).unwrap();
    assert!(unread.len() == 1, "{unread:?}");
    // The same triangles without an inside.
    let mut hollow = own.clone();
    set(&mut hollow.shapes[0], "solid", false.into());
    let urdf = File::new("hollow", robot("mesh.obj", "").as_bytes());
    std::fs::write(urdf.0.parent().unwrap().join("mesh.obj"), obj(1.0)).unwrap();
    let report = check(&hollow.bytes(), &Options::default().with_threads(1).with_urdf(&urdf.0));
    assert!(report.not_compared.unwrap()[0].contains("about its surface"));
}

#[test]
fn descriptions_that_do_not_say_one_thing_are_refused() {
    let twice = |part: &str| ROBOT.replace(part, &part.repeat(2));
    let wrong = [
        ROBOT.replace("<robot ", "<model ").replace("</robot>", "</model>"),
        twice(r#"<axis xyz="1 0 0"/>"#),
        twice(r#"<origin xyz="9 0 0"/>"#),
        twice(r#"<parent link="upper"/>"#),
        twice(r#"<sphere radius="0.25"/>"#),
        ROBOT.replace("</robot>", r#"<link name="base"/></robot>"#),
        ROBOT.replace("</robot>", r#"<link name="loose"/></robot>"#),
        ROBOT.replace(
            "</robot>",
            r#"<joint name="t" type="fixed"><parent link="lower"/><child link="base"/></joint></robot>"#,
        ),
        ROBOT.replace(r#"xyz="9 0 0""#, r#"xyz="9 0""#),
        ROBOT.replace(r#"xyz="9 0 0""#, r#"xyz="9 0 0 0""#),
        ROBOT.replace(r#"xyz="9 0 0""#, r#"xyz="9 0 nan""#),
        ROBOT.replace(r#"xyz="9 0 0""#, r#"xyz="9,0,0""#),
        ROBOT.replace(r#"radius="0.25""#, r#"radius="0.25m""#),
        ROBOT.replace("<?xml version=\"1.0\"?>", "<!DOCTYPE robot>"),
        ROBOT.replace(r#"link="lower""#, r#"link="nobody""#),
        String::new(),
    ];
    for (number, robot) in wrong.iter().enumerate() {
        assert_ne!(robot, ROBOT);
        assert_eq!(binding(&format!("wrong {number}"), &draft(ALL), robot), Err("E-BINDING"), "{number}");
    }
    let missing = check(&draft(ALL).bytes(), &Options::default().with_urdf("no/such.urdf"));
    assert_eq!(missing.error.map(|error| error.code), Some("E-MISSING"));
}
