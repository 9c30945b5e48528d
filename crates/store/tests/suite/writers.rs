//! Many readers, and writers that are killed.

use crate::support::{add_cube, cube};
use noli_formats::{NamedMesh, write_bytes};
use noli_robot::{PumaSet, puma560};
use noli_store::{ImportOptions, Store};
use noli_testing::Folder;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

#[test]
fn many_read_while_one_writes() {
    let readers: usize = std::env::var("NOLI_READERS").ok().and_then(|n| n.parse().ok()).unwrap_or(12);
    let folder = Folder::new("readers");
    let file = folder.join("parts.db");
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
            let two = folder.join(format!("two-{number}.obj"));
            std::fs::write(&two, write_bytes(noli_formats::MeshFormat::Obj, &named).unwrap()).unwrap();
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
    let file = folder.join("parts.db");
    drop(Store::init(&file).unwrap());
    let mut total = 0;
    for kill in 0..kills {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "writers::writer_that_is_killed", "--nocapture", "--test-threads=1"])
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
