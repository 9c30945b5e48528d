//! Messages that are nearly right: whatever they say, the session answers and goes on.
//!
//! A sample of what `NOLI_MESSAGES=1000000 cargo test -p noli-serve --test suite messages::` does at length; the target
//! `studio` of `fuzz/` does the same guided by coverage.
#![allow(clippy::print_stdout, reason = "figures for those who run it")]

use noli_serve::protocol::Command;
use noli_serve::session::Session;
use noli_serve::{Opening, Project};
use noli_store::{ImportOptions, Store};

/// Commands that take long, each on a small part of the messages.
const COSTLY: &[&str] = &[
    r#"{"do":"formula","body":null,"formula":{"text":"sphere(1)","bounds":[[-1,-1,-1],[1,1,1]]}}"#,
    r#"{"do":"tree","body":0,"choice":{"volume":"obb","split":"median","walk":"hybrid","degree":2,"level":3,"against":1}}"#,
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
    r#"{"do":"record","file":"lab/record/a/b.json"}"#,
    r#"{"do":"study","name":"M2"}"#,
    r#"{"do":"find_way","body":0}"#,
    r#"{"do":"try_way","body":0,"way":[[0,0,0,0,0,0,1],[1,2,3,0,0,0,1]]}"#,
    r#"{"do":"try_way","body":0,"mode":"ghost","way":[[0,0,0,0,0,0,1],[1,2,3,0,0,0,1]]}"#,
    r#"{"do":"try_way","body":0,"mode":"slide","way":[[0,0,0,0,0,0,1],[1,2,3,0,0,0,1]]}"#,
    r#"{"do":"jog","values":[0.1,-1,2,0,1,0],"seq":4}"#,
    r#"{"do":"jog_tool","step":[0,0,0.01],"turn_deg":[0,5,0],"seq":5}"#,
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

struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        // Steele, Lea and Flood (2014).
        self.0 = self.0.wrapping_add(0x9e3779b97f4a7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d049bb133111eb);
        ((z ^ (z >> 31)) % count.max(1) as u64) as usize
    }
}

/// A message with another number, other letters, or a piece of another one.
fn mutated(random: &mut Random) -> Vec<u8> {
    let seeds = if random.below(500) == 0 { COSTLY } else { SEEDS };
    let mut text = seeds[random.below(seeds.len())].as_bytes().to_vec();
    for _ in 0..random.below(4) {
        let at = random.below(text.len());
        match random.below(8) {
            0..4 => {
                let is_number = |byte: &u8| byte.is_ascii_digit() || b"-.".contains(byte);
                let Some(start) = (at..text.len()).find(|&k| is_number(&text[k])) else { continue };
                let end = (start..text.len()).find(|&k| !is_number(&text[k])).unwrap_or(text.len());
                text.splice(start..end, NUMBERS[random.below(NUMBERS.len())].bytes());
            }
            4 => text[at] = random.below(256) as u8,
            5 => drop(text.splice(at..(at + random.below(9)).min(text.len()), [])),
            6 => text.insert(at, b"[]{}\",:0*\\\n"[random.below(11)]),
            _ => {
                let other = SEEDS[random.below(SEEDS.len())].as_bytes();
                let from = random.below(other.len());
                let piece = other[from..(from + random.below(40)).min(other.len())].to_vec();
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
    let folder = std::env::temp_dir().join(format!("noli-serve-messages-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(
        folder.join("brick.obj"),
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n",
    )
    .unwrap();
    let mut store = Store::init(folder.join("parts.db")).unwrap();
    store.import(folder.join("brick.obj"), &ImportOptions::default()).unwrap();
    drop(store);
    let openings = [
        Opening::Bundled("knob-through-plate".into(), 1),
        Opening::Path(folder.join("parts.db")),
        Opening::Bundled("magazine".into(), 1),
    ];
    let mut random = Random(21);
    let (mut read, mut done) = (0, 0);
    let mut session = None;
    for number in 0..count {
        // Anew at times: what is added by a message is there for the next ones.
        if number % 4000 == 0 {
            let opening = &openings[(number / 4000) % openings.len()];
            session = Some(Session::new(Project::open(opening).unwrap()).unwrap().0);
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
    let _ = std::fs::remove_dir_all(&folder);
    println!("{count} messages, {read} commands, {done} answered");
    assert!(read > count / 4, "the mutations are not all nonsense: {read} of {count}");
}
