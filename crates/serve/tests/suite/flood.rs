//! Very many messages: the memory of the server stays as it is, and nobody waits for another's.
//!
//! A sample of what `NOLI_FLOOD=1000000 cargo test -p noli-serve --test suite flood:: -- --nocapture` does at length.
#![allow(clippy::print_stdout, reason = "figures for those who run it")]

use crate::support::Studio;
use serde_json::{Value, json};
use std::time::Instant;

/// Memory of this process, which is the server too, in MB; `None` where the system does not report it.
fn resident() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.split_whitespace().next()?.parse::<f64>().ok()? / 1024.0)
}

fn message(k: u64) -> Value {
    let x = (k % 17) as f64;
    match k % 8 {
        0..3 => {
            json!({ "do": "drag", "body": 1, "seq": k, "at": [x, 1, 2], "turn": [0, 0, 0, 1], "mode": "slide" })
        }
        3 => json!({ "do": "drop", "body": 1 }),
        4 => json!({ "do": "place", "body": 2, "xyz": [-40.0, 30.0, x], "quaternion": [0, 0, 0, 1] }),
        5 => json!({ "do": "measure", "a": 0, "b": 1 }),
        6 => json!({ "do": "undo" }),
        _ => json!({ "do": "what", "padding": "x".repeat(2000) }),
    }
}

#[test]
fn many_messages_leave_the_memory_as_it_is() {
    let count: u64 = std::env::var("NOLI_FLOOD").ok().and_then(|count| count.parse().ok()).unwrap_or(8000);
    let studio = Studio::start("flood");
    let (mut says, mut hears) = studio.tab().halves();
    hears.wait("hello");
    // What grows once, as the list of changes, has grown by then.
    let warm = count / 4;
    let writer = std::thread::spawn(move || {
        for k in 0..count {
            says.say(message(k));
            if k == warm {
                says.say(json!({ "do": "margin", "value": 0.25 }));
            }
        }
        says.say(json!({ "do": "margin", "value": 0.5 }));
        says
    });
    let start = Instant::now();
    let (mut before, mut told, mut bytes) = (None, 0_u64, 0_usize);
    loop {
        let event = hears.read().expect("the line holds");
        (told, bytes) = (told + 1, bytes + event.to_string().len());
        if event["say"] == "rules" && event["margin"] == 0.25 {
            before = resident();
        }
        if event["say"] == "rules" && event["margin"] == 0.5 {
            break;
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let says = writer.join().unwrap();
    println!(
        "{count} messages in {seconds:.1} s, {:.0} a second; {told} answers, {:.1} MB",
        count as f64 / seconds,
        bytes as f64 / 1e6
    );
    if let (Some(before), Some(after)) = (before, resident()) {
        println!("memory: {before:.0} MB after {warm} messages, {after:.0} MB after all");
        assert!(after < before + 48.0, "{before} MB became {after} MB");
    }
    drop(says);
    studio.tab().wait("hello");
}

#[test]
fn nobody_waits_for_the_flood_of_another() {
    const FLOOD: usize = 3000;
    let studio = Studio::start("flood-others");
    let (mut says, mut hears) = studio.tab().halves();
    let mut other = studio.tab();
    hears.wait("hello");
    other.wait("hello");
    let flood = std::thread::spawn(move || {
        let command = json!({ "do": "panel", "panel": "slow", "message": { "body": 1 } }).to_string();
        // Whoever asked has gone by the end.
        (0..FLOOD).take_while(|_| says.frame(1, command.as_bytes()).is_ok()).count()
    });
    hears.wait("panel");
    other.say(json!({ "do": "margin", "value": 0.125 }));
    // Told to all, in the order in which things were done.
    let mut answers = 0;
    loop {
        match hears.read().expect("the line holds")["say"].as_str() {
            Some("panel") => answers += 1,
            Some("rules") => break,
            _ => {}
        }
    }
    assert!(answers < FLOOD / 3, "{answers} of {FLOOD} were done before one word of another tab was heard");
    hears.close();
    flood.join().unwrap();
    drop(studio);
}
