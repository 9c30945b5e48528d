//! Bundled scenes and cells that are saved as files.

use noli_serve::protocol::{Command, Event, Hello, Primitive};
use noli_serve::session::{Answer, Session};
use noli_serve::{Opening, Project};

fn hello(session: &Session) -> Hello {
    let Event::Hello(hello) = session.hello(1) else { panic!("the first message is a greeting") };
    hello
}

fn troubles(answer: &Answer) -> Vec<String> {
    let text = |event: &Event| match event {
        Event::Trouble { text, .. } => Some(text.clone()),
        _ => None,
    };
    answer.events.iter().filter_map(|(_, event)| text(event)).collect()
}

/// Names and places in the world of all bodies that are there, and the shapes they have.
fn bodies(session: &Session) -> Vec<String> {
    let hello = hello(session);
    let rounded = |x: f64| (x * 1e9).round() / 1e9 + 0.0;
    let metre = |(x, middle): (&f64, &f64)| rounded(x / hello.scale + middle);
    let there = hello.bodies.iter().filter(|body| !body.gone);
    let body = |body: &noli_serve::protocol::BodyView| {
        let at: Vec<f64> = body.at.iter().zip(&hello.middle).map(metre).collect();
        format!("{} {at:?} {:?} {}", body.name, body.turn.map(rounded), body.triangles)
    };
    there.map(body).collect()
}

fn open(opening: &Opening) -> Session {
    Session::new(Project::open(opening).unwrap()).unwrap().0
}

#[test]
fn a_bundled_scene_is_saved_with_its_changes_and_opens_the_same() {
    for name in ["engine-bay", noli_scenes::written()[0].name] {
        let folder = noli_testing::Folder::new("serve-save-bundled");
        let mut session = open(&Opening::Bundled(name.to_owned(), 1));
        session.set_save_folder(folder.canonicalize().unwrap());
        let first = hello(&session);
        assert!(!first.can_save && !first.is_stored, "nothing of a demo is stored");
        assert_eq!(first.save_as, Some(format!("{name}.toml")));
        let place = Command::Place { body: 0, xyz: [123.5, -4.25, 7.0], quaternion: [0.0, 0.0, 0.0, 1.0] };
        assert_eq!(troubles(&session.handle(1, place)), [""; 0]);
        session.handle(1, Command::Add { shape: Primitive::Box { size: [3.0, 4.0, 5.0] } });
        assert_eq!(hello(&session).edits.unsaved, 2);
        // Without a name, nothing is written.
        assert_eq!(troubles(&session.handle(1, Command::Save)), ["this is in no file yet"]);
        let save = |file: &str| Command::SaveAs { file: file.to_owned() };
        for bad in ["../out.toml", "out.sh", "", "/out.toml"] {
            assert_eq!(troubles(&session.handle(1, save(bad))).len(), 1, "{bad}");
        }
        let answer = session.handle(1, save("mine.toml"));
        assert_eq!(troubles(&answer), [""; 0]);
        assert!(answer.renew);
        let file = folder.join("mine.toml");
        assert_eq!(bodies(&open(&Opening::Path(file.clone()))), bodies(&session), "{name}");
        let saved = hello(&session);
        assert!(saved.can_save && saved.is_stored && saved.edits.unsaved == 0);
        assert!(troubles(&session.handle(1, save("mine.toml")))[0].contains("already"));
        // From here on changes are stored at once, and saved into that file.
        session.handle(1, Command::Add { shape: Primitive::Box { size: [1.0, 1.0, 1.0] } });
        let place = Command::Place { body: 1, xyz: [50.0, 6.5, 8.0], quaternion: [0.0, 0.6, 0.0, 0.8] };
        assert_eq!(troubles(&session.handle(1, place)), [""; 0]);
        assert_eq!(bodies(&open(&Opening::Path(file.clone()))), bodies(&session), "from the journal");
        assert_eq!(troubles(&session.handle(1, Command::Save)), [""; 0]);
        assert_eq!(bodies(&open(&Opening::Path(file))), bodies(&session));
    }
}

#[test]
fn a_bundled_cell_is_saved_with_its_locations_and_its_program() {
    let folder = noli_testing::Folder::new("serve-save-cell");
    let mut session = open(&Opening::Bundled("magazine".to_owned(), 1));
    session.set_save_folder(folder.canonicalize().unwrap());
    assert_eq!(
        troubles(&session.handle(1, Command::Teach { name: "via".to_owned(), precise: false })),
        [""; 0]
    );
    let answer = session.handle(1, Command::SaveAs { file: "mine.toml".to_owned() });
    assert_eq!(troubles(&answer), [""; 0]);
    let again = open(&Opening::Path(folder.join("mine.toml")));
    let [new, old] = [&again, &session].map(|session| hello(session).robot.unwrap());
    assert_eq!(new.program, old.program);
    assert!(!new.program.is_empty() && new.errors.is_empty(), "{:?}", new.errors);
    assert!(new.locations.iter().any(|location| location.name == "VIA"));
    assert_eq!(new.robots.len(), 1, "it can be changed");
}

/// Titles of the removals that can be played.
fn removals(session: &Session) -> Vec<String> {
    let plays = hello(session).plays.into_iter().map(|play| play.name);
    plays.map(|name| name.strip_prefix("removal ").unwrap_or(&name).to_owned()).collect()
}

/// The saved scene has the removals of the bundled one, along the same paths also between the key frames.
#[test]
fn planned_removals_of_a_demo_are_saved_with_their_paths() {
    let folder = noli_testing::Folder::new("serve-save-removals");
    let mut session = open(&Opening::Bundled("engine-bay".to_owned(), 1));
    session.set_save_folder(folder.canonicalize().unwrap());
    let listed = removals(&session);
    assert_eq!(listed.len(), 6, "{listed:?}");
    // A path of a generated part that was kept here, under a name that is free.
    let hello = hello(&session);
    let bulb = hello.bodies.iter().position(|body| body.name == "headlight.bulb").unwrap();
    let ([x, y, z], [qx, qy, qz, qw]) = (hello.bodies[bulb].at, hello.bodies[bulb].turn);
    let path = vec![[x, y, z, qx, qy, qz, qw], [x, y - 9.0, z + 2.0, 0.0, 0.0, 1.0, 0.0]];
    let keep = |name: &str| Command::KeepPath { name: name.to_owned(), body: bulb, path: path.clone() };
    assert_eq!(troubles(&session.handle(1, keep("M2"))).len(), 1, "the demo has a removal of that name");
    assert_eq!(troubles(&session.handle(1, keep("mine"))), [""; 0]);
    let save = Command::SaveAs { file: "mine.toml".to_owned() };
    assert_eq!(troubles(&session.handle(1, save)), [""; 0]);
    let file = folder.join("mine.toml");
    let again = open(&Opening::Path(file.clone()));
    assert_eq!(removals(&again), [&listed[..], &["mine".to_owned()]].concat());
    assert_eq!(removals(&session), removals(&again), "the open session, too");
    let scene = noli_project::load_scene(&file, &Default::default()).unwrap();
    let staged = noli_project::stage(&scene, &Default::default()).unwrap();
    let assembly = noli_scenes::assembly("engine-bay", 1).unwrap();
    let models: Vec<noli::Model> = assembly.parts.iter().map(|part| noli::Model::from(&part.mesh)).collect();
    let expected = noli_project::RemovalTrial::of_engine_bay().concat();
    for (found, expected) in staged.removals.iter().zip(&expected) {
        assert_eq!(found.removal.part, expected.part);
        assert_eq!(found.removal.without, expected.without);
        let trial = noli_project::RemovalTrial::new(&assembly, &models, expected).unwrap();
        same_path(found, &*trial.motion);
    }
    let centre =
        models[assembly.parts.iter().position(|part| part.name == "headlight.bulb").unwrap()].aabb().center();
    let pose = |&[x, y, z, qx, qy, qz, qw]: &[f64; 7]| {
        let rotation = glam::DQuat::from_xyzw(qx, qy, qz, qw);
        let middle = glam::DVec3::from(hello.bodies[bulb].middle);
        let at = glam::DVec3::new(x, y, z) / hello.scale + glam::DVec3::from(hello.middle);
        noli::Pose::new(rotation, at - rotation * middle)
    };
    let keys: Vec<(f64, noli::Pose)> =
        path.iter().enumerate().map(|(k, key)| (k as f64, pose(key))).collect();
    let kept = noli::motion::KeyFrames::new(&keys, centre, noli::motion::Turning::Slerp).unwrap();
    same_path(staged.removals.last().unwrap(), &kept);
}

fn same_path(found: &noli_project::StagedRemoval, expected: &dyn noli::motion::Motion) {
    let (_, motion) = found.moving.as_ref().unwrap().parts().next().unwrap();
    for k in 0..=40 {
        let [found, expected] = [&**motion, expected].map(|motion| motion.pose(f64::from(k) / 40.0));
        let off = found.translation.distance(expected.translation);
        // Coordinates of a few metres in millimetres, through one inverse and three products of poses.
        assert!(off < 1e-8 && found.rotation.dot(expected.rotation).abs() > 1.0 - 1e-12, "{k}: {off}");
    }
}
