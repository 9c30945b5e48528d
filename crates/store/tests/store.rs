//! The database as a file: versions, damage, many readers, killed writers, round trips.
#![allow(clippy::print_stdout, reason = "figures for those who run it")]

use noli_geom::{Mesh, Pose};
use noli_io::{NamedMesh, RobotOptions, Units, load_robot, write_bytes};
use noli_robot::{JointMotion, PumaSet, puma560};
use noli_store::{ImportOptions, NewComponent, SCHEMA_VERSION, Store, StoreError, content_hash};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A folder of its own that goes when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("noli-store-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn cube(size: f64) -> (Mesh, Vec<u8>) {
    let mesh = Mesh::cuboid(glam::DVec3::splat(size)).unwrap();
    let named = [NamedMesh { name: "cube".into(), mesh: mesh.clone() }];
    let bytes = write_bytes(noli_io::MeshFormat::Obj, &named).unwrap();
    (mesh, bytes)
}

fn add_cube(store: &mut Store, name: &str, size: f64) {
    let (mesh, bytes) = cube(size);
    let new = NewComponent {
        name: name.to_owned(),
        bytes: &bytes,
        format: "obj".into(),
        object: None,
        units: Units::Millimetre,
        mesh: &mesh,
        density: Some(7800.0),
        source: String::new(),
    };
    store.add_component(&new, false).unwrap();
}

#[test]
fn every_earlier_version_is_brought_up_to_date() {
    let folder = Folder::new("versions");
    for version in 1..=SCHEMA_VERSION {
        let file = folder.file(&format!("v{version}.db"));
        let mut store = Store::init_version(&file, version).unwrap();
        store.add_program("home", "READY").unwrap();
        drop(store);
        if version < SCHEMA_VERSION {
            let refused = Store::open_to_read(&file).unwrap_err().to_string();
            assert!(refused.contains("open it for writing once"), "{refused}");
        }
        let mut store = Store::open(&file).unwrap();
        assert_eq!(store.version().unwrap(), SCHEMA_VERSION);
        assert_eq!(store.program("home").unwrap(), "READY");
        add_cube(&mut store, "cube", 10.0);
        assert_eq!(store.check().unwrap(), Vec::<String>::new());
        assert_eq!(Store::open_to_read(&file).unwrap().list(None).unwrap().len(), 2);
    }
}

#[test]
fn newer_foreign_and_damaged_files_are_refused() {
    let folder = Folder::new("refused");
    let file = folder.file("parts.db");
    let mut store = Store::init(&file).unwrap();
    for number in 0..40 {
        add_cube(&mut store, &format!("cube-{number}"), 10.0 + f64::from(number));
    }
    drop(store);
    assert!(matches!(Store::init(&file), Err(StoreError::Exists(_))));
    // Bytes 60 to 63 of a database are its version; in one place they are the next version's.
    let whole = std::fs::read(&file).unwrap();
    let newer = folder.file("newer.db");
    let mut bytes = whole.clone();
    bytes[60..64].copy_from_slice(&(SCHEMA_VERSION as u32 + 1).to_be_bytes());
    std::fs::write(&newer, &bytes).unwrap();
    let refused = Store::open(&newer).unwrap_err();
    assert!(matches!(refused, StoreError::Newer { .. }), "{refused}");
    assert!(refused.to_string().contains("written by a newer noli"));
    assert_eq!(std::fs::read(&newer).unwrap(), bytes, "a refused file is not touched");
    for (name, contents) in [("empty.db", Vec::new()), ("text.db", b"not a database at all\n".repeat(100))] {
        let foreign = folder.file(name);
        std::fs::write(&foreign, contents).unwrap();
        assert!(matches!(Store::open(&foreign), Err(StoreError::Foreign(_))), "{name}");
    }
    assert!(matches!(Store::open(folder.file("none.db")), Err(StoreError::NoFile(_))));
    // Every page overwritten in turn: refused when opened or found by the check, never taken for sound.
    let (mut refused, mut found) = (0, 0);
    for page in 0..(whole.len() / 4096).min(24) {
        let mut bytes = whole.clone();
        // The first sixteen bytes of the file say that it is SQLite's.
        bytes[(page * 4096).max(16)..(page + 1) * 4096].fill(0x5a);
        let damaged = folder.file(&format!("damaged-{page}.db"));
        std::fs::write(&damaged, &bytes).unwrap();
        match Store::open(&damaged).and_then(|store| store.check()) {
            Err(_) => refused += 1,
            Ok(wrong) => {
                assert!(!wrong.is_empty(), "page {page} is broken and nobody says so");
                found += 1;
            }
        }
    }
    assert!(refused + found >= 8, "{refused} refused, {found} found");
    // A file that was cut off.
    let cut = folder.file("cut.db");
    std::fs::write(&cut, &whole[..whole.len() / 2]).unwrap();
    assert!(Store::open(&cut).and_then(|store| store.check()).map_or(true, |wrong| !wrong.is_empty()));
}

#[test]
fn a_part_knows_its_mass_and_keeps_its_tree() {
    let folder = Folder::new("mass");
    let mut store = Store::init(folder.file("parts.db")).unwrap();
    add_cube(&mut store, "cube", 100.0);
    let info = store.component("cube").unwrap();
    let close = |a: f64, b: f64| (a - b).abs() < 1e-12 * b.abs().max(1e-9);
    assert!(close(info.volume.unwrap(), 1e-3) && close(info.mass.unwrap(), 7.8), "{info:?}");
    // A cube of edge a has the inertia a^5/6 for density 1.
    assert!(info.inertia.unwrap()[..3].iter().all(|i| close(*i, 0.1f64.powi(5) / 6.0)), "{info:?}");
    assert!(info.center.unwrap().iter().all(|c| c.abs() < 1e-15));
    let first = store.component_model("cube").unwrap();
    let second = store.component_model("cube").unwrap();
    assert_eq!(first.store_tree(), second.store_tree());
    store.set_mass("cube", None, Some(3.0)).unwrap();
    assert_eq!(store.component("cube").unwrap().mass, Some(3.0));
    let taken = store.add_program("home", "READY").and_then(|()| store.add_program("home", "READY"));
    assert!(taken.unwrap_err().to_string().contains("already"));
    let none = store.component("cubes").unwrap_err().to_string();
    assert_eq!(none, "there is no component `cubes`; there are cube, home");
    // Two parts of the same bytes keep them once.
    add_cube(&mut store, "twin", 100.0);
    let twin = store.component("twin").unwrap();
    assert_eq!(twin.blob, store.component("cube").unwrap().blob);
    assert_eq!(content_hash(&store.blob(&twin.blob).unwrap()), twin.blob);
}

#[test]
fn many_read_while_one_writes() {
    let readers: usize = std::env::var("NOLI_READERS").ok().and_then(|n| n.parse().ok()).unwrap_or(12);
    let folder = Folder::new("readers");
    let file = folder.file("parts.db");
    let mut store = Store::init(&file).unwrap();
    add_cube(&mut store, "cube-0", 1.0);
    let (done, looks) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..readers {
            scope.spawn(|| {
                let reader = Store::open_to_read(&file).unwrap();
                let mut last = 0;
                while !done.load(Ordering::Relaxed) {
                    let now = reader.list(Some("component")).unwrap().len();
                    // Two parts are stored at a time: never one of them alone, and never fewer than before.
                    assert!(now % 2 == 1 && now >= last, "{now} after {last}");
                    last = now;
                    looks.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let (mesh, bytes) = cube(2.0);
        for number in 0..50 {
            let named = [0, 1].map(|k| NamedMesh { name: format!("n{number}-{k}"), mesh: mesh.clone() });
            let two = folder.file(&format!("two-{number}.obj"));
            std::fs::write(&two, write_bytes(noli_io::MeshFormat::Obj, &named).unwrap()).unwrap();
            store.import(&two, &ImportOptions::default()).unwrap();
        }
        let _ = bytes;
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(store.list(Some("component")).unwrap().len(), 101);
    assert!(looks.load(Ordering::Relaxed) >= readers);
    assert_eq!(store.check().unwrap(), Vec::<String>::new());
    println!("{readers} readers looked {} times while 50 imports were made", looks.load(Ordering::Relaxed));
}

/// Writes for ever and says what is committed; started by the test below, and killed.
#[test]
fn writer_that_is_killed() {
    let Ok(file) = std::env::var("NOLI_KILLED_WRITER") else { return };
    let mut store = Store::open(&file).unwrap();
    let mut number = store.list(Some("component")).unwrap().len();
    loop {
        let name = format!("part-{number}");
        if number % 3 == 2 {
            // Two parts of one file, and a description with its joints: several tables in one transaction.
            let file = Path::new(&file).with_file_name(format!("{name}.obj"));
            std::fs::write(&file, cube(1.0 + number as f64).1).unwrap();
            store.import(&file, &ImportOptions::default()).unwrap();
            std::fs::remove_file(&file).unwrap();
            store.add_robot(&name, &puma560(PumaSet::Eaik), false).unwrap();
        } else {
            add_cube(&mut store, &name, 1.0 + number as f64);
        }
        store.set_mass(&name, Some(1000.0), Some(number as f64)).unwrap();
        store.set_preference("last", &name).unwrap();
        println!("committed {name}");
        number += 1;
    }
}

#[test]
fn what_was_committed_survives_a_killed_writer() {
    let kills: usize = std::env::var("NOLI_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(6);
    let folder = Folder::new("killed");
    let file = folder.file("parts.db");
    drop(Store::init(&file).unwrap());
    let mut total = 0;
    for kill in 0..kills {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "writer_that_is_killed", "--nocapture", "--test-threads=1"])
            .env("NOLI_KILLED_WRITER", &file)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Killed after another number of commits each time, at whatever the writer is doing then.
        let wanted = 1 + (kill * 7) % 11;
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let mut committed = Vec::new();
        while committed.len() < wanted {
            let Some(line) = lines.next() else { break };
            // The harness may have written on the same line.
            if let Some((_, name)) = line.split_once("committed ") {
                committed.push(name.to_owned());
            }
        }
        std::thread::sleep(std::time::Duration::from_micros((kill as u64 * 1371) % 9000));
        child.kill().unwrap();
        child.wait().unwrap();
        committed.extend(lines.filter_map(|line| Some(line.split_once("committed ")?.1.to_owned())));
        assert!(committed.len() >= wanted, "the writer did not write");
        let store = Store::open_to_read(&file).unwrap();
        assert_eq!(store.check().unwrap(), Vec::<String>::new(), "after kill {kill}");
        for name in &committed {
            let number: f64 = name.strip_prefix("part-").unwrap().parse().unwrap();
            assert_eq!(store.component(name).unwrap().mass, Some(number), "{name} after kill {kill}");
            let robot = store.robot(name).map(|robot| robot.parts.joints.len());
            assert_eq!(robot.ok(), (number % 3.0 == 2.0).then_some(6), "{name} after kill {kill}");
        }
        total += committed.len();
    }
    println!("{kills} kills: {total} commits all there, every check clean");
}

#[test]
fn robots_come_back_to_the_bit() {
    let folder = Folder::new("robots");
    let mut store = Store::init(folder.file("parts.db")).unwrap();
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
    store.export("puma", folder.file("puma.urdf")).unwrap();
    let read = load_robot(folder.file("puma.urdf"), &RobotOptions::default()).unwrap();
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
        let mut store = Store::init(folder.file("parts.db")).unwrap();
        let options = ImportOptions { packages: vec![robots.clone()], ..ImportOptions::default() };
        let done = store.import(&urdf, &options).unwrap();
        let name = &done.entries.iter().find(|entry| entry[0] == "manipulator").unwrap()[1];
        let target = folder.file("out/robot.urdf");
        store.export(name, &target).unwrap();
        let robot_options = RobotOptions { packages: vec![robots.clone()], ..RobotOptions::default() };
        let before = load_robot(&urdf, &robot_options).unwrap();
        let after = load_robot(&target, &RobotOptions::default()).unwrap();
        assert_eq!(before.shapes, after.shapes, "{file}");
        // As a cell takes it, straight from the tables: the same bodies, link by link.
        let arm = store.arm(name, noli_io::LinkKind::Auto).unwrap().loaded;
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

/// The same cube drawn face by face and as one polyface mesh, one of its faces the wrong way round.
#[test]
fn a_drawing_becomes_a_part_a_link_and_a_robot_that_runs() {
    let folder = Folder::new("drawing");
    let mut store = Store::init(folder.file("parts.db")).unwrap();
    std::fs::write(folder.file("faces.dxf"), drawn_faces(20.0)).unwrap();
    std::fs::write(folder.file("polyface.dxf"), drawn_polyface(20.0)).unwrap();
    let done = store.import(folder.file("faces.dxf"), &ImportOptions::default()).unwrap();
    assert!(done.warnings.iter().any(|text| text.contains("turned round")), "{:?}", done.warnings);
    store.import(folder.file("polyface.dxf"), &ImportOptions::default()).unwrap();
    let [faces, polyface] = ["faces", "polyface"].map(|name| store.component(name).unwrap());
    assert!(faces.closed && polyface.closed);
    assert_eq!((faces.triangles, faces.volume), (polyface.triangles, polyface.volume));
    let composition = "name = \"arm\"\nunits = \"mm\"\n[[part]]\nname = \"foot\"\ncomponent = \"faces\"\n[[part]]\n\
        name = \"hand\"\ncomponent = \"polyface\"\npose = { xyz = [100, 0, 0] }\n[[joint]]\nname = \"turn\"\n\
        kind = \"revolute\"\nfixed = \"foot\"\nmoving = \"hand\"\nrange_deg = [-170, 170]\n";
    assert_eq!(store.compose(composition, false).unwrap(), "arm");
    let wrong =
        composition.replace("fixed = \"foot\"\nmoving = \"hand\"", "fixed = \"hand\"\nmoving = \"foot\"");
    let refused = store.compose(&wrong.replace("\"arm\"", "\"other\""), false).unwrap_err().to_string();
    assert!(refused.contains("list it before the one that moves"), "{refused}");
    store.export("arm", folder.file("arm.urdf")).unwrap();
    std::fs::write(
        folder.file("cell.toml"),
        "units = \"mm\"\n[robot]\nurdf = \"arm.urdf\"\n[[body]]\nname = \"wall\"\nbox = [20, 20, 20]\n\
         pose = { xyz = [0, 110, 10] }\n",
    )
    .unwrap();
    let cell = noli_io::cell::load_cell(folder.file("cell.toml")).unwrap();
    let source = noli_io::cell::read_program_text("DRIVE 1, 80, 100", Path::new("turn.val")).unwrap();
    let done = noli_robot::run::run(&cell.work, &source.programs, &source.main, &Default::default()).unwrap();
    let contact = &done.contacts[0];
    assert_eq!(contact.parts, ["hand".to_owned(), "wall".to_owned()]);
    // Corners of the hand reach the wall's face at x = 10 mm first.
    assert!(contact.share[1] < 1.0 && contact.point.is_some());
    let report = noli_io::cell::run_report(&cell, &source, &done);
    let id = store.log_run(&report).unwrap();
    let logged = store.runs(10).unwrap();
    assert_eq!((logged[0].id, logged[0].contacts.len(), logged[0].outcome.as_str()), (id, 1, "touching"));
    store.import(folder.file("cell.toml"), &ImportOptions::default()).unwrap();
    store.export("cell", folder.file("again/cell.toml")).unwrap();
    assert_eq!(
        store.export("cell", folder.file("still.glb")).unwrap().warnings.len(),
        1,
        "no program is named"
    );
    assert!(noli_io::cell::load_cell(folder.file("again/cell.toml")).is_ok());
    assert_eq!(store.check().unwrap(), Vec::<String>::new());
}

/// A published drawing becomes a part, the part a link, the link a robot that a cell takes straight from the
/// database, and its program an animation: the page in `docs/robots.md`.
#[test]
fn a_published_drawing_becomes_a_robot_that_runs() {
    let Some(drawings) = noli_testing::data("dxf") else { return };
    let folder = Folder::new("published");
    let mut store = Store::init(folder.file("parts.db")).unwrap();
    let options = ImportOptions { name: Some("egg".into()), ..ImportOptions::default() };
    let done = store.import(drawings.join("PinkEggFromLW.dxf"), &options).unwrap();
    let egg = &done.entries[0][1];
    let info = store.component(egg).unwrap();
    assert!(info.triangles > 100, "{info:?}");
    let mesh = store.component_mesh(egg).unwrap();
    let size = mesh.vertices().iter().fold(0.0, |most: f64, v| most.max(v.length()));
    // Scaled by where it is put: the egg's own size away from the axis.
    let composition = format!(
        "name = \"arm\"\nunits = \"mm\"\n[[part]]\nname = \"foot\"\nbox = [1, 1, 1]\n[[part]]\nname = \"hand\"\n\
         component = \"{egg}\"\npose = {{ xyz = [{}, 0, 0] }}\n[[joint]]\nname = \"turn\"\nkind = \"revolute\"\n\
         fixed = \"foot\"\nmoving = \"hand\"\nrange_deg = [-170, 170]\n",
        3.0 * size
    );
    store.compose(&composition, false).unwrap();
    let cell = |pillar: f64| {
        format!(
            "units = \"mm\"\nprogram = \"turn.val\"\n[robot]\nstored = \"arm\"\ndatabase = \"parts.db\"\n\
             [[body]]\nname = \"pillar\"\nbox = [{size}, {size}, {size}]\npose = {{ xyz = [0, {pillar}, 0] }}\n"
        )
    };
    std::fs::write(folder.file("turn.val"), "DRIVE 1, 120, 100\n").unwrap();
    for (pillar, touches) in [(3.0 * size, true), (9.0 * size, false)] {
        std::fs::write(folder.file("cell.toml"), cell(pillar)).unwrap();
        let cell = noli_store::load_cell(folder.file("cell.toml")).unwrap();
        let source = noli_io::cell::RunSource::of_cell(&cell).unwrap();
        let run =
            noli_robot::run::run(&cell.work, &source.programs, &source.main, &Default::default()).unwrap();
        let parts = run.contacts.first().map(|contact| contact.parts.clone());
        assert_eq!(parts, touches.then(|| ["hand".to_owned(), "pillar".to_owned()]));
    }
    // What the user says of pairs in the database holds in the cell.
    store.set_pair("arm", ["foot", "hand"], true, Some(0.5 * size / 1000.0), "keep clear").unwrap();
    let loaded = noli_store::load_cell(folder.file("cell.toml")).unwrap();
    let stands = loaded.work.cell(&[], None).unwrap();
    let pair = stands.pair("foot", "hand").unwrap();
    assert!(matches!(stands.pairs()[pair].rule, noli_robot::cell::Rule::On { margin } if margin > 0.0));
    // Into the database and out again as pictures, still and moving.
    store.import(folder.file("cell.toml"), &ImportOptions::default()).unwrap();
    for (name, moves) in [(egg.as_str(), false), ("arm", false), ("cell", true)] {
        let target = folder.file("out.glb");
        let written = store.export(name, &target).unwrap();
        assert_eq!(written.files, std::slice::from_ref(&target), "{:?}", written.warnings);
        let bytes = std::fs::read(&target).unwrap();
        let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        let json: serde_json::Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
        assert_eq!(json["animations"][0]["channels"].as_array().map(Vec::len), moves.then_some(2), "{name}");
        assert!(noli_io::read_objects(&target, &Default::default()).is_ok(), "{name}");
    }
    for (text, words) in
        [("stored = \"arm\"", "stored = \"arms\""), ("parts.db", "none.db")].map(|(old, new)| {
            let wrong = cell(1.0).replace(old, new);
            std::fs::write(folder.file("wrong.toml"), wrong).unwrap();
            let error = noli_store::load_cell(folder.file("wrong.toml")).unwrap_err().to_string();
            (error, if new == "none.db" { "there is no such file" } else { "there is no manipulator `arms`" })
        })
    {
        assert!(text.contains(words), "{text}");
    }
    assert_eq!(store.check().unwrap(), Vec::<String>::new());
}

const CORNERS: [[f64; 3]; 8] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [1.0, 1.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 0.0, 1.0],
    [1.0, 1.0, 1.0],
    [0.0, 1.0, 1.0],
];

const FACES: [[usize; 4]; 6] =
    [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];

fn drawn_faces(size: f64) -> String {
    let mut text = "0\nSECTION\n2\nENTITIES\n".to_owned();
    for (number, face) in FACES.iter().enumerate() {
        let mut face = *face;
        if number == 2 {
            face.reverse();
        }
        text += "0\n3DFACE\n8\ncube\n";
        for (k, &corner) in face.iter().enumerate() {
            for (axis, x) in CORNERS[corner].iter().enumerate() {
                text += &format!("{}\n{}\n", 10 * (axis + 1) + k, x * size);
            }
        }
    }
    text + "0\nENDSEC\n0\nEOF\n"
}

fn drawn_polyface(size: f64) -> String {
    let mut text = "0\nSECTION\n2\nENTITIES\n0\nPOLYLINE\n8\ncube\n66\n1\n70\n64\n".to_owned();
    for corner in CORNERS {
        let [x, y, z] = corner.map(|x| x * size);
        text += &format!("0\nVERTEX\n8\ncube\n10\n{x}\n20\n{y}\n30\n{z}\n70\n192\n");
    }
    for face in FACES {
        text += "0\nVERTEX\n8\ncube\n10\n0\n20\n0\n30\n0\n70\n128\n";
        for (k, corner) in face.iter().enumerate() {
            text += &format!("{}\n{}\n", 71 + k, corner + 1);
        }
    }
    text + "0\nSEQEND\n0\nENDSEC\n0\nEOF\n"
}

/// How long ten thousand parts take to be stored, listed and found: figures for the record.
#[test]
#[ignore = "takes a while; prints figures"]
fn ten_thousand_parts() {
    let folder = Folder::new("many");
    let mut store = Store::init(folder.file("parts.db")).unwrap();
    let start = std::time::Instant::now();
    for number in 0..10_000 {
        add_cube(&mut store, &format!("part-{number:05}"), 1.0 + f64::from(number));
    }
    let stored = start.elapsed();
    let start = std::time::Instant::now();
    assert_eq!(store.list(Some("component")).unwrap().len(), 10_000);
    let listed = start.elapsed();
    let start = std::time::Instant::now();
    for number in 0..1000 {
        store.component(&format!("part-{:05}", number * 9)).unwrap();
    }
    println!("stored in {stored:?}, listed in {listed:?}, found in {:?} each", start.elapsed() / 1000);
}

/// Everything that the tables hold, as text; contents and prepared trees left out.
fn rows(file: &Path) -> Vec<String> {
    let connection = rusqlite::Connection::open(file).unwrap();
    let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('blob', 'prepared')";
    let mut tables = connection.prepare(tables).unwrap();
    let tables: Vec<String> =
        tables.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap();
    let mut all = Vec::new();
    for table in tables {
        let mut rows = connection.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let columns = rows.column_count();
        let text = |row: &rusqlite::Row<'_>| {
            let values = (0..columns).map(|k| format!("{:?}", row.get_ref(k).unwrap()));
            Ok(format!("{table}: {}", values.collect::<Vec<_>>().join(", ")))
        };
        all.extend(rows.query_map([], text).unwrap().map(Result::unwrap));
    }
    all.sort();
    all
}

#[test]
fn changes_are_taken_back_and_made_again_to_the_last_bit() {
    let folder = Folder::new("undo");
    let file = folder.file("parts.db");
    let mut store = Store::init(&file).unwrap();
    add_cube(&mut store, "kept", 0.1 + 0.2);
    let composed = |height: f64| {
        noli_store::compose_text()
            .replace("\"base\"\n\n", "\"kept\"\n\n")
            .replace("component = \"disc\"", "component = \"new\"")
            .replace("[0, 0, 100]", &format!("[0, 0, {height}]"))
    };
    let mut states = vec![rows(&file)];
    let mut changes = Vec::new();
    let (mesh, bytes) = cube(1.0 / 3.0);
    std::fs::write(folder.file("new.obj"), &bytes).unwrap();
    assert!(mesh.triangles().len() == 12);
    for step in 0..4 {
        let ((), change) = store
            .watched(|store| {
                match step {
                    0 => drop(store.import(folder.file("new.obj"), &ImportOptions::default())?),
                    1 => drop(store.compose(&composed(100.0), false)?),
                    // In place of the one before, which has rows in five tables.
                    2 => drop(store.compose(&composed(1.0 / 7.0), true)?),
                    _ => store.set_preference("unit", "it's")?,
                }
                Ok(())
            })
            .unwrap();
        assert!(!change.is_empty());
        states.push(rows(&file));
        assert_ne!(states[step], states[step + 1]);
        changes.push(change);
    }
    // A component that a robot needs stays, and nothing is half done.
    let before = rows(&file);
    let refused = store.apply(&changes[0].clone().inverse()).unwrap_err().to_string();
    assert!(refused.contains("nothing was changed"), "{refused}");
    assert_eq!(rows(&file), before);
    for _ in 0..2 {
        for step in (0..4).rev() {
            store.apply(&changes[step].clone().inverse()).unwrap();
            assert_eq!(rows(&file), states[step], "step {step} taken back");
            assert_eq!(store.check().unwrap(), Vec::<String>::new());
        }
        for step in 0..4 {
            store.apply(&changes[step]).unwrap();
            assert_eq!(rows(&file), states[step + 1], "step {step} made again");
        }
    }
    // What fails leaves nothing to take back, and the store goes on unwatched.
    assert!(store.watched(|store| store.compose("name = 3", false)).is_err());
    let (_, none) = store.watched(|store| store.list(None)).unwrap();
    assert!(none.is_empty());
    assert!(store.apply(&changes[1]).is_err(), "what is there is not made twice");
}
