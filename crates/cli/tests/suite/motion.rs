//! `noli sweep` and `noli play` as their users meet them.

use crate::support::{Folder, exit_code, json, noli, stderr, stdout};

/// Two carts that drive at a wall, one behind the other; `free` takes the wall away.
fn carts(free: bool) -> String {
    let wall = "[[body]]\nname = 'wall'\nbox = [1, 4, 4]\npose = { xyz = [5, 0, 0] }\n";
    format!(
        "{}
[[body]]
name = 'front'
box = [1, 1, 1]
[[body]]
name = 'load'
box = [0.5, 0.5, 0.5]
parent = 'front'
pose = {{ xyz = [0, 0, 1] }}
[[body]]
name = 'back'
box = [1, 1, 1]
pose = {{ xyz = [-2, 0, 0] }}
[[motion]]
body = 'front'
kind = 'velocity'
linear = [8, 0, 0]
[[motion]]
body = 'back'
kind = 'keyframes'
keys = [{{ time = 0, xyz = [-2, 0, 0] }}, {{ time = 0.5, xyz = [2, 0, 0] }}, {{ time = 1, xyz = [6, 0, 0] }}]
",
        if free { "" } else { wall }
    )
}

#[test]
fn a_sweep_tells_the_earliest_impact() {
    let folder = Folder::new("sweep");
    let scene = folder.file("carts.toml", carts(false));
    let output = noli(&["sweep", &scene, "--json"]);
    assert_eq!(exit_code(&output), 1, "{}", stderr(&output));
    let report = json(&output);
    let first = &report["impacts"][0];
    assert_eq!((first["a"].as_str(), first["b"].as_str()), (Some("wall"), Some("front")));
    // The clearance of 4 is closed at speed 8.
    assert!((first["touching_by"].as_f64().unwrap() - 0.5).abs() < 1e-6, "{first}");
    assert!(first["safe_until"].as_f64().unwrap() <= 0.5);
    let text = stdout(&noli(&["sweep", &scene]));
    // Rounded down: nothing is claimed beyond the proof.
    assert!(text.contains("proven free until 0.499999 s"), "{text}");
    let free = folder.file("free.toml", carts(true));
    let output = noli(&["sweep", &free]);
    assert_eq!(exit_code(&output), 0, "{}", stdout(&output));
    assert_eq!(exit_code(&noli(&["sweep", &scene, "--steps", "0"])), 3);
    let still = folder.file("still.toml", "[[body]]\nname = 'a'\nbox = [1, 1, 1]\n");
    let output = noli(&["sweep", &still]);
    assert_eq!(exit_code(&output), 2);
    assert!(stderr(&output).contains("nothing moves"), "{}", stderr(&output));
}

#[test]
fn a_recording_plays_again_with_any_number_of_threads() {
    let folder = Folder::new("play");
    let scene = folder.file("carts.toml", carts(false));
    let path = folder.0.join("run.json");
    let record = path.to_str().unwrap();
    let output = noli(&["play", &scene, "--frames", "20", "--threads", "1", "--record", record]);
    assert_eq!(exit_code(&output), 1, "{}", stderr(&output));
    assert!(stdout(&output).contains("front stops at 0.5"), "{}", stdout(&output));
    let again = noli(&["play", &scene, "--frames", "20", "--threads", "3", "--compare", record]);
    assert!(stdout(&again).contains("bit for bit"), "{} {}", stdout(&again), stderr(&again));
    let other = noli(&["play", &scene, "--frames", "10", "--compare", record]);
    assert_eq!(exit_code(&other), 2);
    assert!(stderr(&other).contains("frame_count"), "{}", stderr(&other));
    let odd = folder.file("odd.json", "{}");
    assert!(stderr(&noli(&["play", &scene, "--compare", &odd])).contains("--record"));
    let budget = noli(&["play", &scene, "--budget", "2"]);
    assert!(stderr(&budget).contains("2ms"), "{}", stderr(&budget));
}

#[test]
fn the_removal_study_proves_what_is_free_and_finds_what_is_not() {
    let output = noli(&["play", "--demo", "--detail", "1", "--json"]);
    assert_eq!(exit_code(&output), 1, "{}", stderr(&output));
    let study = json(&output);
    let removals = study["removals"].as_array().unwrap();
    assert_eq!(removals.len(), 6);
    for removal in removals {
        let name = removal["name"].as_str().unwrap();
        let blocked = name.contains("left in");
        assert_eq!(removal["verdict"] == "blocked", blocked, "{name}");
        if blocked {
            let cover = removal["part"].as_str().unwrap().replace("bulb", "cover");
            let by = &removal["blocked_by"];
            assert!(by["a"] == cover.as_str() || by["b"] == cover.as_str(), "{name}: {by}");
        } else {
            let [least, most] =
                ["clearance_at_least", "clearance_at_most"].map(|key| removal[key].as_f64().unwrap());
            assert!(0.0 < least && least <= most && most <= 1.1 * least, "{name}: {least} {most}");
        }
    }
}

/// The load slides sideways on the cart that carries it; a post stands where it gets by neither motion alone.
#[test]
fn a_load_that_moves_on_a_moving_cart_is_followed_in_every_frame() {
    let scene = "[[body]]
name = 'cart'
box = [1, 1, 1]
[[body]]
name = 'load'
box = [1, 1, 1]
parent = 'cart'
pose = { xyz = [0, 0, 1.5] }
[[motion]]
body = 'cart'
kind = 'velocity'
linear = [4, 0, 0]
[[motion]]
body = 'load'
kind = 'velocity'
linear = [0, 4, 0]
";
    let folder = Folder::new("carried");
    let free = folder.file("free.toml", scene);
    let output = noli(&["play", &free, "--frames", "7", "--json"]);
    assert_eq!(exit_code(&output), 0, "{}", stderr(&output));
    let last = json(&output)["frames"][6]["poses"][1].clone();
    for (axis, wanted) in [4.0, 4.0, 1.5].into_iter().enumerate() {
        assert!((last[axis].as_f64().unwrap() - wanted).abs() < 1e-9, "{last}");
    }
    let post = "[[body]]\nname = 'post'\nbox = [1, 1, 1]\npose = { xyz = [4, 4, 1.5] }\n";
    let blocked = folder.file("blocked.toml", format!("{post}{scene}"));
    for command in ["sweep", "play"] {
        let output = noli(&[command, &blocked]);
        assert_eq!(exit_code(&output), 1, "{}", stderr(&output));
        let text = stdout(&output);
        assert!(text.contains("0.75") || text.contains("0.74999"), "{text}");
    }
}
