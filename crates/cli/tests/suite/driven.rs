//! Trajectories proven as driven, trajectories written, and swept volumes.

use crate::support::{Folder, json, noli};

const SLIDER: &str = r#"<robot name="slider"><link name="base"/>
<link name="tool"><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
<joint name="x" type="prismatic"><parent link="base"/><child link="tool"/><axis xyz="1 0 0"/>
<limit lower="-2" upper="2" velocity="1"/></joint></robot>"#;
const WALL: &str = "units = 'm'\n[[body]]\nname = 'wall'\nbox = [0.2, 1, 1]\npose = { xyz = [0.75, 0, 0] }\n";

/// A cubic overshoots into a wall that straight segments stay clear of.
#[test]
fn an_interpolation_that_collides_is_found() {
    let folder = Folder::new("driven-check");
    let robot = folder.file("slider.urdf", SLIDER);
    let wall = folder.file("wall.toml", WALL);
    let straight = folder.file("straight.csv", "time,x\n0,0\n1,0.5\n");
    let cubic = folder.file(
        "cubic.yaml",
        "joint_names: [x]\npoints:\n- {positions: [0], velocities: [0], time_from_start: {sec: 0}}\n\
         - {positions: [0.5], velocities: [-2], time_from_start: {sec: 1, nanosec: 0}}\n",
    );
    let check = |file: &str, more: &[&str]| {
        let words = ["robot", "check", &robot, "--around", &wall, "--trajectory", file];
        noli(&[&words[..], more].concat())
    };
    let free = check(&straight, &["--clearance"]);
    assert_eq!(free.status.code(), Some(0), "{free:?}");
    let text = String::from_utf8(free.stdout).unwrap();
    assert!(text.contains("1 linear") && text.contains("collision-free as driven"), "{text}");
    let hit = check(&cubic, &[]);
    assert_eq!(hit.status.code(), Some(1), "{hit:?}");
    let text = String::from_utf8(hit.stdout).unwrap();
    assert!(text.contains("1 cubic") && text.contains("the interpolation collides"), "{text}");
    assert!(text.contains("velocity"), "the limit of 1 m/s is exceeded: {text}");
    // The tool touches at x = 0.55; the cubic reaches that once.
    let report = json(&check(&cubic, &["--json"]));
    let time = report["contact"]["time_s"].as_f64().unwrap();
    let value = 0.5 * (3.0 * time * time - 2.0 * time.powi(3)) - 2.0 * (time.powi(3) - time * time);
    assert!((value - 0.55).abs() < 1e-3, "{value} at {time}");
    // Within 4 cm the straight one is proven, within 6 cm it is not.
    assert_eq!(check(&straight, &["--tracking-error", "4cm"]).status.code(), Some(0));
    assert_eq!(check(&straight, &["--tracking-error", "6cm"]).status.code(), Some(1));
    // Of its single link the tool is all, and both deviations add up.
    let proof = folder.join("tube.ncert").display().to_string();
    let near = check(&straight, &["--tool-deviation", "4cm", "--certificate", &proof]);
    assert_eq!(near.status.code(), Some(0), "{near:?}");
    let text = String::from_utf8(near.stdout).unwrap();
    assert!(text.contains("within 0.04 m of each point of the tool, proven"), "{text}");
    assert_eq!(noli(&["verify", &proof]).status.code(), Some(0));
    let far = check(&straight, &["--tool-deviation", "6cm", "--tip", "tool", "--json"]);
    assert_eq!(far.status.code(), Some(1), "{far:?}");
    let report = json(&far);
    assert_eq!((&report["tool"][0], &report["tool_deviation"]), (&"tool".into(), &0.06.into()));
    assert_eq!(
        report["contact"]["safe_until_s"],
        serde_json::Value::Null,
        "only a deviation collides: {report}"
    );
    let both = ["--tool-deviation", "3cm", "--tracking-error", "3cm"];
    assert_eq!(check(&straight, &both).status.code(), Some(1));
    assert_eq!(check(&straight, &["--tool-deviation", "1cm", "--tip", "hand"]).status.code(), Some(2));
    let single = folder.file("single.csv", "time,x\n0,0\n");
    assert_eq!(check(&single, &[]).status.code(), Some(2));
}

/// B-splines, splines and profiles are proven as driven, certified and swept; a wrong one is named with its line.
#[test]
fn files_that_say_how_they_are_driven_are_proven_so() {
    let folder = Folder::new("driven-forms");
    let robot = folder.file("slider.urdf", SLIDER);
    let wall = folder.file("wall.toml", WALL);
    let points = |values: &[f64]| -> String {
        values.iter().enumerate().fold(String::new(), |text, (k, x)| {
            text + &format!("- {{positions: [{x}], time_from_start: {}}}\n", 2 * k)
        })
    };
    // The tool touches at x = 0.55. Points of the spline are clear of the wall, and the spline between them is not; of the
    // B-spline a control point is in the wall, and the curve is clear of it.
    let over = [0.0, 0.54, 0.54, 0.0];
    let files = [
        ("spline", 1, format!("joint_names: [x]\ninterpolation: spline\npoints:\n{}", points(&over))),
        (
            "b-spline",
            0,
            "joint_names: [x]\ninterpolation: b-spline\nduration: 4\ncontrol_points: [[0], [0.9], [0], [0]]\n"
                .to_owned(),
        ),
        ("trapezoidal", 0, "joint_names: [x]\nprofile: trapezoidal\npoints: [[0], [0.5], [-0.5]]\n".to_owned()),
        ("s-curve", 1, "{\"joint_names\": [\"x\"], \"profile\": \"s-curve\", \"points\": [[0], [0.6]]}".to_owned()),
    ];
    for (form, code, text) in &files {
        let file = folder.file(&format!("{form}.yaml"), text);
        let words = ["robot", "check", &robot, "--around", &wall, "--trajectory", &file];
        let found = noli(&[&words[..], &["--json"]].concat());
        assert_eq!(found.status.code(), Some(*code), "{form}: {found:?}");
        let report = json(&found);
        assert_eq!(report["form"], *form, "{report}");
        assert_eq!(
            (&report["linear"], &report["beyond_limits"][0]["joint"]),
            (&0.into(), &serde_json::Value::Null)
        );
        let text = String::from_utf8(noli(&words).stdout).unwrap();
        assert!(text.contains(&format!("driven as {form}")), "{text}");
        if *form == "spline" {
            assert_eq!(report["straight_segments"], "free");
        }
        if *code == 0 {
            let proof = folder.join(format!("{form}.ncert")).display().to_string();
            let prove = ["prove", "path", &robot, "--around", &wall, "--trajectory", &file, "-o", &proof];
            let proven = noli(&prove);
            assert_eq!(proven.status.code(), Some(0), "{form}: {proven:?}");
            assert_eq!(noli(&["verify", &proof]).status.code(), Some(0), "{form}");
            let volume = folder.join(format!("{form}.stl")).display().to_string();
            let swept = noli(&[
                "robot",
                "sweep",
                &robot,
                "--trajectory",
                &file,
                "--volume",
                &volume,
                "--error",
                "5cm",
            ]);
            assert_eq!(swept.status.code(), Some(0), "{form}: {swept:?}");
        }
    }
    let file = folder.join("b-spline.yaml").display().to_string();
    let refused = noli(&["robot", "check", &robot, "--around", &wall, "--states", &file]);
    let text = String::from_utf8(refused.stderr).unwrap();
    assert!(refused.status.code() == Some(2) && text.contains("give the file as a trajectory"), "{text}");
    let wrong = folder.file("wrong.yaml", files[1].2.replace("duration: 4", "knots: [0, 1]"));
    let refused = noli(&["robot", "check", &robot, "--around", &wall, "--trajectory", &wrong]);
    let text = String::from_utf8(refused.stderr).unwrap();
    assert!(
        text.contains("wrong.yaml:3:") && text.contains("2 knots for 4 control points of degree 3; give 8"),
        "{text}"
    );
}

/// Every format of a written trajectory is read back and proven as driven.
#[test]
fn written_trajectories_are_proven_as_driven() {
    let folder = Folder::new("driven-plan");
    for (end, shape) in [("csv", "smooth"), ("json", "circular"), ("yaml", "smooth")] {
        let file = folder.join(format!("out.{end}")).display().to_string();
        let words = ["robot", "plan", "--demo", "--from", "j1=-1.2,j2=0.3", "--to", "j1=1.2,j3=0.4"];
        let room = ["--tool-deviation", "2mm", "--tip", "link6"];
        let blends =
            [&["--trajectory", &file, "--blend", "10deg", "--blend-shape", shape, "--json"][..], &room]
                .concat();
        let found = noli(&[&words[..], &blends].concat());
        assert_eq!(found.status.code(), Some(0), "{found:?}");
        let driven = json(&found)["driven"].clone();
        assert_eq!(driven["tool_deviation"], 0.002, "{driven}");
        let check = ["robot", "check", "--demo", "--trajectory", &file, "--json"];
        let checked = noli(&[&check[..], &room].concat());
        assert_eq!(checked.status.code(), Some(0), "{checked:?}");
        let report = json(&checked);
        assert_eq!(report["duration_s"], driven["seconds"]);
        assert_eq!((&report["linear"], &report["cubic"]), (&0.into(), &0.into()));
        assert_eq!(report["beyond_limits"].as_array().map(Vec::len), Some(0), "{report}");
    }
}

const GANTRY: &str = r#"<robot name="gantry"><link name="base"/><link name="beam"/>
<link name="tool"><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
<joint name="x" type="prismatic"><parent link="base"/><child link="beam"/><axis xyz="1 0 0"/>
<limit lower="-2" upper="2" velocity="1"/></joint>
<joint name="y" type="prismatic"><parent link="beam"/><child link="tool"/><axis xyz="0 1 0"/>
<limit lower="-2" upper="2" velocity="1"/></joint></robot>"#;

/// A straight path passes a post by 3 cm; one for a tool that may be 6 cm off its place goes around it.
#[test]
fn a_path_is_planned_for_the_deviation_of_the_tool() {
    let folder = Folder::new("driven-deviation");
    let robot = folder.file("gantry.urdf", GANTRY);
    let post = WALL.replace("[0.2, 1, 1]", "[0.2, 0.2, 1]").replace("[0.75, 0, 0]", "[0, 0.23, 0]");
    let post = folder.file("post.toml", post);
    let file = folder.join("path.csv").display().to_string();
    let plan = |from: &str, deviation: &str| {
        let words = ["robot", "plan", &robot, "--around", &post, "--from", from, "--to", "x=1"];
        noli(&[&words[..], &["--trajectory", &file, "--tool-deviation", deviation, "--json"]].concat())
    };
    let near = json(&plan("x=-1", "2cm"));
    assert!((near["cost"].as_f64().unwrap() - 2.0).abs() < 1e-9, "{near}");
    let far = plan("x=-1", "6cm");
    assert_eq!(far.status.code(), Some(0), "{far:?}");
    let report = json(&far);
    assert!(report["cost"].as_f64().unwrap() > 2.0 && report["driven"]["tool_deviation"] == 0.06, "{report}");
    let blocked = plan("x=0", "6cm");
    assert_eq!(blocked.status.code(), Some(1), "{blocked:?}");
    let report = json(&blocked);
    let reason = report["reason"].as_str().unwrap();
    assert!(reason.contains("tool may be off its place by 0.06 m"), "{reason}");
}

#[test]
fn swept_volumes_are_closed_files() {
    let folder = Folder::new("driven-sweep");
    let at = |name: &str| folder.join(name).display().to_string();
    let scene = folder.file(
        "scene.toml",
        "[[body]]\nname = 'a'\nbox = [1, 1, 1]\n[[body]]\nname = 'b'\nbox = [1, 1, 1]\npose = { xyz = [0, 9, 0] }\n[[motion]]\n\
         body = 'a'\nkind = 'straight'\nto = { xyz = [3, 0, 0] }\n",
    );
    let (outer, inner) = (at("outer.obj"), at("inner.obj"));
    let swept = noli(&[
        "sweep", &scene, "--volume", &outer, "--inner", &inner, "--error", "0.2", "--boxes", "3", "--json",
    ]);
    assert_eq!(swept.status.code(), Some(0), "{swept:?}");
    let volume = json(&swept)["volume"].clone();
    let number = |name: &str| volume[name].as_f64().unwrap();
    assert!(number("inner_volume") < 4.0 && 4.0 < number("outer_volume"), "{volume}");
    for file in [&outer, &inner] {
        let report = json(&noli(&["check", file, "--json"]));
        assert_eq!((&report["closed"], &report["self_intersections"]), (&true.into(), &0.into()), "{report}");
    }
    let path = folder.file("path.csv", "j1,j2\n0,0\n0.8,0.4\n");
    let found = noli(&[
        "robot",
        "sweep",
        "--demo",
        "--path",
        &path,
        "--volume",
        &at("arm.stl"),
        "--error",
        "8cm",
        "--boxes",
        "4",
    ]);
    assert_eq!(found.status.code(), Some(0), "{found:?}");
    let text = String::from_utf8(found.stdout).unwrap();
    assert!(text.contains("encloses every instant, within 0.08 m"), "{text}");
    assert_eq!(noli(&["sweep", &scene, "--volume", &at("x.gltf")]).status.code(), Some(2));
    // Scenes without a unit are in millimetres, and binary glTF in metres.
    let glb = at("outer.glb");
    let swept = noli(&["sweep", &scene, "--volume", &glb, "--error", "0.2", "--json"]);
    assert_eq!(swept.status.code(), Some(0), "{swept:?}");
    let read = noli_formats::read_mesh(&glb, &noli_formats::ReadOptions::default()).unwrap();
    let along = |better: fn(f64, f64) -> f64| read.vertices().iter().map(|v| v.x).reduce(better).unwrap();
    let extent = along(f64::max) - along(f64::min);
    assert!(extent > 4e-3 && extent < 4.5e-3, "{extent}");
    assert!(json(&noli(&["check", &glb, "--json"]))["closed"] == true);
}
