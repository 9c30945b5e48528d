//! Messages that are nearly right: whatever they say, the session answers and goes on.
//!
//! A sample of what `NOLI_MESSAGES=1000000 cargo test -p noli-serve --test suite messages::` does at length; the target
//! `studio` of `fuzz/` does the same guided by coverage.
#![allow(clippy::print_stdout, reason = "figures for those who run it")]

use noli_serve::protocol::Command;
use noli_serve::session::Session;
use noli_serve::{Opening, Project};
use noli_store::{ImportOptions, Store};
use noli_testing::{Folder, Random};

/// Commands that take long, each on a small part of the messages.
const COSTLY: &[&str] = &[
    r#"{"do":"formula","body":null,"formula":{"text":"sphere(1)","bounds":[[-1,-1,-1],[1,1,1]]}}"#,
    r#"{"do":"panel","panel":"slow","message":{"body":0}}"#,
    r#"{"do":"compose","text":"name = \"a\"\n[[part]]\nname = \"p\"\ncomponent = \"brick\"\n","replace":true}"#,
    r#"{"do":"depth","a":0,"b":1}"#,
];

/// One of each other.
const SEEDS: &[&str] = &[
    r#"{"do":"drag","body":1,"seq":1,"at":[10,0,0],"turn":[0,0,0,1],"mode":"slide"}"#,
    r#"{"do":"drag","body":0,"seq":2,"at":[-3.5,1e-3,7],"turn":[0.1,0.2,0.3,0.9]}"#,
    r#"{"do":"drag","body":1,"seq":3,"at":[0,0,0],"turn":[0,0,0,1],"mode":"ghost"}"#,
    r#"{"do":"drop","body":1}"#,
    r#"{"do":"place","body":1,"xyz":[1,2,3],"quaternion":[0,0,0,1]}"#,
    r#"{"do":"undo"}"#,
    r#"{"do":"redo"}"#,
    r#"{"do":"check"}"#,
    r#"{"do":"pair","a":0,"b":1,"on":false}"#,
    r#"{"do":"pattern","rule":{"a":"*","b":"kn*","margin":1},"on":true}"#,
    r#"{"do":"margin","value":2.5}"#,
    r#"{"do":"status","a":0,"b":1,"status":"approved"}"#,
    r#"{"do":"add","shape":{"kind":"box","size":[1,2,3]}}"#,
    r#"{"do":"add","shape":{"kind":"cylinder","radius":1,"height":3}}"#,
    r#"{"do":"add_file","file":"part.obj"}"#,
    r#"{"do":"copy","body":0}"#,
    r#"{"do":"remove","body":1}"#,
    r#"{"do":"measure","a":0,"b":1}"#,
    r#"{"do":"play","frames":100}"#,
    r#"{"do":"recording","file":"fall.json"}"#,
    r#"{"do":"simulate","dynamics":true}"#,
    r#"{"do":"parts","search":"a"}"#,
    r#"{"do":"part","name":"brick"}"#,
    r#"{"do":"import_part","file":"brick.obj"}"#,
    r#"{"do":"use_part","name":"brick"}"#,
    r#"{"do":"stored_mass","name":"brick","density":2700,"mass":null}"#,
    r#"{"do":"stored_pair","name":"arm","links":["a","b"],"on":false,"reason":"why"}"#,
    r#"{"do":"stored_tool","name":"hand","component":null,"xyz":[0,0,0.1],"quaternion":[0,0,0,1]}"#,
    r#"{"do":"study","name":"M2"}"#,
    r#"{"do":"find_path","body":0}"#,
    r#"{"do":"try_path","body":0,"path":[[0,0,0,0,0,0,1],[1,2,3,0,0,0,1]]}"#,
    r#"{"do":"try_path","body":0,"mode":"ghost","path":[[0,0,0,0,0,0,1],[1,2,3,0,0,0,1]]}"#,
    r#"{"do":"try_path","body":0,"mode":"slide","path":[[0,0,0,0,0,0,1],[1,2,3,0,0,0,1]]}"#,
    r#"{"do":"jog","values":[0.1,-1,2,0,1,0],"seq":4}"#,
    r#"{"do":"jog_tool","step":[0,0,0.01],"turn_deg":[0,5,0],"seq":5}"#,
    r#"{"do":"drag_tool","at":[1,2,3],"turn":[0,0,0,1],"seq":5}"#,
    r#"{"do":"go","location":"seguranca","seq":6}"#,
    r#"{"do":"state","group":"all","name":"up","seq":7}"#,
    r#"{"do":"branches"}"#,
    r#"{"do":"teach","name":"via"}"#,
    r#"{"do":"program","text":"PROGRAM a\n  MOVE b\nRETURN\n"}"#,
    r#"{"do":"run"}"#,
    r#"{"do":"save"}"#,
    r#"{"do":"cancel"}"#,
];

/// In place of a number.
const NUMBERS: &[&str] = &[
    "0",
    "-0.0",
    "1",
    "-1",
    "2",
    "1e-300",
    "5e-324",
    "1e308",
    "-1e308",
    "1e9",
    "0.5",
    "65",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775808",
    "4294967296",
    "null",
    "true",
    "[]",
    "\"1\"",
    "1e400",
    "3.0000000001",
];

/// A message with another number, other letters, or a piece of another one.
fn mutated(random: &mut Random) -> Vec<u8> {
    let seeds = if random.index(500) == 0 { COSTLY } else { SEEDS };
    let mut text = seeds[random.index(seeds.len())].as_bytes().to_vec();
    for _ in 0..random.index(4) {
        let at = random.index(text.len());
        match random.index(8) {
            0..4 => {
                let is_number = |byte: &u8| byte.is_ascii_digit() || b"-.".contains(byte);
                let Some(start) = (at..text.len()).find(|&k| is_number(&text[k])) else { continue };
                let end = (start..text.len()).find(|&k| !is_number(&text[k])).unwrap_or(text.len());
                text.splice(start..end, NUMBERS[random.index(NUMBERS.len())].bytes());
            }
            4 => text[at] = random.index(256) as u8,
            5 => drop(text.splice(at..(at + random.index(9)).min(text.len()), [])),
            6 => text.insert(at, b"[]{}\",:0*\\\n"[random.index(11)]),
            _ => {
                let other = SEEDS[random.index(SEEDS.len())].as_bytes();
                let from = random.index(other.len());
                let piece = other[from..(from + random.index(40)).min(other.len())].to_vec();
                text.splice(at..at, piece);
            }
        }
        if text.is_empty() {
            break;
        }
    }
    text
}

#[test]
fn no_message_ends_a_session() {
    let count = std::env::var("NOLI_MESSAGES").ok().and_then(|count| count.parse().ok()).unwrap_or(20_000);
    let folder = Folder::new("serve-messages");
    let brick = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    folder.file("brick.obj", brick);
    let mut store = Store::init(folder.join("parts.db")).unwrap();
    store.import(folder.join("brick.obj"), &ImportOptions::default()).unwrap();
    drop(store);
    let openings = [
        Opening::Bundled("knob-through-plate".into(), 1),
        Opening::Path(folder.join("parts.db")),
        Opening::Bundled("magazine".into(), 1),
    ];
    let mut random = Random::new(21);
    let (mut read, mut done) = (0, 0);
    let mut session = None;
    for number in 0..count {
        // Anew at times: what is added by a message is there for the next ones.
        if number % 4000 == 0 {
            let opening = &openings[(number / 4000) % openings.len()];
            session = Some(
                Session::with_panels(Project::open(opening).unwrap(), vec![Box::new(crate::support::Slow)])
                    .unwrap()
                    .0,
            );
        }
        let Some(session) = &mut session else { continue };
        let text = mutated(&mut random);
        let Ok(command) = serde_json::from_slice::<Command>(&text) else { continue };
        read += 1;
        let answer = session.handle(1, command);
        for (_, event) in &answer.events {
            assert!(serde_json::to_string(event).is_ok(), "{}", String::from_utf8_lossy(&text));
        }
        done += usize::from(!answer.events.is_empty());
    }
    println!("{count} messages, {read} commands, {done} answered");
    assert!(read > count / 4, "the mutations are not all nonsense: {read} of {count}");
}
