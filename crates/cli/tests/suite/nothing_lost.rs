//! Acknowledged changes are kept: with several processes at once, flipped bits, full disks and ends at any
//! write.

use crate::support::{Folder, cubes, exit_code, json, noli, stderr, stdout};
use serde_json::Value;
use std::process::{Command, Output, Stdio};

fn value(folder: &Folder, name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(folder.join(name)).unwrap()).unwrap()
}

/// Cubes of which each two neighbours clash.
fn clashes(folder: &Folder, count: usize) -> (String, Vec<String>) {
    let places: Vec<f64> = (0..=count).map(|k| 1.5 * k as f64).collect();
    let parts = folder.file("parts.obj", cubes(&places));
    let results = folder.join("results.json").display().to_string();
    assert_eq!(exit_code(&noli(&["check", &parts, "--results", &results])), 1);
    let ids = value(folder, "results.json")["clashes"].as_array().unwrap().clone();
    (results, ids.iter().map(|clash| clash["id"].as_str().unwrap().to_owned()).collect())
}

fn status_of<'v>(results: &'v Value, id: &str) -> &'v str {
    let clashes = results["clashes"].as_array().unwrap();
    clashes.iter().find(|clash| clash["id"] == id).unwrap()["status"].as_str().unwrap()
}

#[test]
fn decisions_of_many_processes_are_all_kept() {
    let folder = Folder::new("many-decisions");
    let (results, ids) = clashes(&folder, 32);
    assert!(ids.len() >= 32, "{}", ids.len());
    let set = |id: &String| {
        let arguments = ["clash", "set", &results, id, "--status", "approved"];
        Command::new(crate::PROGRAM)
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let ended: Vec<(Output, &String)> = {
        let started: Vec<_> = ids.iter().map(|id| (set(id), id)).collect();
        // A check that runs meanwhile keeps what is decided.
        let parts = folder.join("parts.obj").display().to_string();
        assert!(exit_code(&noli(&["check", &parts, "--results", &results])) < 2);
        started.into_iter().map(|(child, id)| (child.wait_with_output().unwrap(), id)).collect()
    };
    let kept = value(&folder, "results.json");
    for (output, id) in ended {
        assert_eq!(exit_code(&output), 0, "{}", stderr(&output));
        assert_eq!(status_of(&kept, id), "approved", "{id} was acknowledged");
    }
    let left = std::fs::read_dir(&folder).unwrap().count();
    assert_eq!(left, 2, "nothing is left beside the files");
}

const PLAN: &str = r#"
count = 300
chunk = 100
scene = """
[[body]]
name = "a"
box = [1, 1, 1]
[[body]]
name = "b"
box = [1, 1, 1]
"""
[draw]
kind = "poses"
body = "b"
low = [-2, -2, -2]
high = [2, 2, 2]
"#;

#[test]
fn no_flipped_bit_of_a_shard_changes_a_sum() {
    let folder = Folder::new("flipped-bits");
    let plan = folder.file("plan.toml", PLAN);
    let whole = json(&noli(&["campaign", &plan, "--json"]));
    let shard = folder.join("plan.campaign/chunk-000000001.parquet");
    let bytes = std::fs::read(&shard).unwrap();
    // A bit of every byte is flipped in the tests of the crate; here some of them through the program.
    for at in (0..bytes.len()).step_by(bytes.len() / 24) {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        std::fs::write(&shard, &changed).unwrap();
        let output = noli(&["campaign", &plan, "merge", "--json"]);
        assert_eq!(exit_code(&output), 2, "byte {at}: {}", stdout(&output));
        let said = stderr(&output);
        assert!(said.contains("1 of 3 chunks") && said.contains("chunk-000000001.parquet"), "{said}");
    }
    let partial = noli(&["campaign", &plan, "merge", "--partial", "--json"]);
    assert_eq!(exit_code(&partial), 0);
    assert!(stderr(&partial).contains("chunk 1 is not counted"), "{}", stderr(&partial));
    assert_eq!(json(&partial)["count"].as_u64(), Some(200));
    assert_eq!(json(&noli(&["campaign", &plan, "resume", "--json"])), whole);
    assert_eq!(std::fs::read(&shard).unwrap(), bytes);
}

/// Runs the program where no file may grow beyond so many blocks of 512 bytes: the write that would fails, or ends the
/// program at once if it is to be `killed` by it.
#[cfg(unix)]
fn limited(blocks: usize, killed: bool, arguments: &[&str]) -> Output {
    let trap = if killed { "" } else { "trap '' XFSZ;" };
    let script = format!("{trap} ulimit -c 0; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    // `dash` and `sh` count blocks of 512 bytes, `bash` as itself of 1024.
    Command::new("sh").arg("-c").arg(script).arg(crate::PROGRAM).args(arguments).output().unwrap()
}

/// Parts left by a write that was refused, those of a killed program aside: nobody could remove them.
#[cfg(unix)]
fn parts_in(folder: &std::path::Path) -> usize {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.extension().is_some_and(|end| end == "part")).count()
}

#[cfg(unix)]
#[test]
fn results_and_pages_are_old_or_new_whichever_write_fails() {
    let folder = Folder::new("failing-results");
    let (results, ids) = clashes(&folder, 6);
    let parts = folder.join("parts.obj").display().to_string();
    let page = folder.file("page.html", "old");
    let before = std::fs::read(&results).unwrap();
    let mut refused = 0;
    for killed in [false, true] {
        for blocks in 0..=before.len() / 512 + 2 {
            std::fs::write(&results, &before).unwrap();
            let output =
                limited(blocks, killed, &["clash", "set", &results, &ids[0], "--status", "approved"]);
            let now = value(&folder, "results.json");
            let is_done = output.status.success();
            refused += usize::from(!is_done);
            assert_eq!(
                status_of(&now, &ids[0]) == "approved",
                is_done,
                "{blocks} blocks: {}",
                stderr(&output)
            );
            assert_eq!(now["clashes"].as_array().unwrap().len(), ids.len());
        }
        if !killed {
            assert_eq!(parts_in(&folder), 0, "what was not finished is removed");
        }
    }
    assert!(refused > 4, "{refused} writes failed");
    for blocks in [0, 1, 7, 60] {
        let output = limited(blocks, false, &["check", &parts, "--html", &page]);
        assert_eq!(exit_code(&output), 2, "{}", stderr(&output));
        assert_eq!(std::fs::read(&page).unwrap(), b"old");
    }
}

#[cfg(unix)]
#[test]
fn shards_count_only_if_they_are_whole_whichever_write_fails() {
    let folder = Folder::new("failing-shards");
    let plan = folder.file("plan.toml", PLAN);
    let whole = json(&noli(&["campaign", &plan, "--json"]));
    let shards = folder.join("plan.campaign");
    for killed in [false, true] {
        for blocks in 0..6 {
            std::fs::remove_dir_all(&shards).unwrap();
            let output = limited(blocks, killed, &["campaign", &plan, "run", "--threads", "1"]);
            let status = json(&noli(&["campaign", &plan, "status", "--json"]));
            assert_eq!(status["foreign"].as_u64(), Some(0), "{blocks} blocks: no shard is half one");
            assert_eq!(output.status.success(), status["done"].as_u64() == Some(3), "{blocks} blocks");
            assert_eq!(json(&noli(&["campaign", &plan, "resume", "--json"])), whole);
        }
    }
}

/// Imports into one database under a limit that rises block by block: each that was acknowledged stays, the others leave
/// nothing, and the file is in order after every one of them.
#[cfg(unix)]
#[test]
fn databases_keep_what_was_acknowledged_whichever_write_fails() {
    let folder = Folder::new("failing-database");
    let db = folder.join("parts.db").display().to_string();
    // No file is left of a database that could not be made.
    for blocks in [0, 1, 7, 8, 40, 100] {
        let output = limited(blocks, false, &["db", "init", &db]);
        let is_there = std::fs::exists(&db).unwrap();
        assert_eq!(output.status.success(), is_there, "{blocks} blocks: {}", stderr(&output));
        if is_there {
            std::fs::remove_file(&db).unwrap();
        }
    }
    assert_eq!(exit_code(&noli(&["db", "init", &db])), 0);
    let (mut kept, mut refused) = (Vec::new(), 0);
    for (number, blocks) in (0..400).step_by(8).enumerate() {
        let name = format!("part-{number}");
        let part = folder.file("part.obj", cubes(&[number as f64]));
        let output = limited(blocks, number % 2 == 1, &["db", "import", &db, &part, "--name", &name]);
        match output.status.success() {
            true => kept.push(name),
            false => refused += 1,
        }
        if number % 5 == 4 {
            let check = noli(&["db", "check", &db]);
            assert_eq!(exit_code(&check), 0, "{blocks} blocks: {}", stderr(&check));
        }
    }
    let listed = json(&noli(&["db", "list", &db, "--kind", "component", "--json"]));
    let mut listed: Vec<&str> =
        listed["entries"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    for name in &kept {
        let at = listed.iter().position(|one| one == name);
        listed.remove(at.unwrap_or_else(|| panic!("{name} was acknowledged and is lost")));
    }
    assert!(refused > 10 && !kept.is_empty(), "{refused} refused, {} kept", kept.len());
    // Killed after the commit and before the answer: there, but nobody was told so.
    assert!(listed.len() <= refused, "{listed:?}");
    assert_eq!(exit_code(&noli(&["db", "check", &db])), 0);
}
