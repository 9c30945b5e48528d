//! Random use of a scene and of a cell by messages as the page sends them: no message is left without an answer, no
//! state is lost when the server starts anew, and its memory does not grow with the number of actions.
//!
//! A sample of what `NOLI_RANDOM_ACTIONS=12000 cargo test -p noli-serve --test suite random_use:: -- --nocapture
//! --test-threads 1` does at length: a busy person makes some 1,500 changes an hour.
#![allow(clippy::print_stdout, reason = "figures for those who run it")]

use crate::support::{Studio, Tab, folder};
use noli_serve::protocol::Command;
use noli_serve::session::Session;
use noli_serve::{Opening, Project};
use noli_testing::Random;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Instant;

/// Actions between two starts of the server.
const STINT: usize = 1500;
/// A person removes what is too much.
const MOST_BODIES: usize = 80;

/// Returns the resident memory of this process, which is the server too, in MB.
fn resident() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.split_whitespace().next()?.parse::<f64>().ok()? / 1024.0)
}

fn actions(sample: usize) -> usize {
    std::env::var("NOLI_RANDOM_ACTIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(sample)
}

/// A tab, and the state that its events report.
struct User {
    tab: Tab,
    random: Random,
    hello: Value,
    seq: u64,
    refused: BTreeMap<String, usize>,
}

impl User {
    fn new(studio: &Studio, seed: u64) -> Self {
        let mut tab = studio.tab();
        let hello = tab.wait("hello");
        Self { tab, random: Random::new(seed), hello, seq: 0, refused: BTreeMap::new() }
    }

    /// Sends a command and reads all events up to the answer to a message that is no command.
    fn say(&mut self, command: Value) {
        self.tab.say(command);
        self.tab.say(json!({ "do": "no command" }));
        while !self.hear() {}
    }

    /// Reads one event; returns `true` for the answer to the message that is no command.
    fn hear(&mut self) -> bool {
        let event = self.tab.read().expect("the server answers");
        match event["say"].as_str().unwrap_or_default() {
            "hello" => self.hello = event,
            "bodies" => self.hello["bodies"] = event["bodies"].clone(),
            "bodies_change" => {
                let bodies = self.hello["bodies"].as_array_mut().unwrap();
                for change in event["changed"].as_array().unwrap() {
                    let number = change[0].as_u64().unwrap() as usize;
                    bodies.resize(bodies.len().max(number + 1), Value::Null);
                    bodies[number] = change[1].clone();
                }
            }
            "robot" => self.hello["robot"] = event,
            "rules" | "edits" => {
                let key = event["say"].as_str().unwrap().to_owned();
                self.hello[key] = event;
            }
            "plays" => self.hello["plays"] = event["plays"].clone(),
            "program" => self.hello["robot"]["program"] = event["text"].clone(),
            "jogged" => {
                for (joint, value) in event["values"].as_array().unwrap().iter().enumerate() {
                    self.hello["robot"]["joints"][joint]["value"] = value.clone();
                }
            }
            "moved" | "dragged" => {
                let body = event["body"].as_u64().unwrap() as usize;
                for key in ["at", "turn"] {
                    self.hello["bodies"][body][key] = event[key].clone();
                }
            }
            "trouble" => {
                let text = event["text"].as_str().unwrap();
                if text.starts_with("this is no command") {
                    return true;
                }
                assert!(!text.contains("wrong inside noli"), "{event}");
                let kind: String = text.chars().filter(|c| !c.is_numeric()).take(40).collect();
                *self.refused.entry(kind).or_default() += 1;
            }
            _ => {}
        }
        false
    }

    fn bodies(&self) -> Vec<usize> {
        let all = self.hello["bodies"].as_array().unwrap().iter().enumerate();
        all.filter(|(_, body)| body["gone"] != true).map(|(number, _)| number).collect()
    }

    fn body(&mut self) -> usize {
        let there = self.bodies();
        there[self.random.index(there.len())]
    }

    fn name(&self, body: usize) -> String {
        self.hello["bodies"][body]["name"].as_str().unwrap().to_owned()
    }

    /// Drags a body, or two, in some steps, and drops it.
    fn drag(&mut self) {
        let (body, other, mode) = (self.body(), self.body(), self.random.index(3));
        let with = if self.random.one_in(4) && other != body { vec![other] } else { vec![] };
        let [at, turn] = ["at", "turn"].map(|key| self.hello["bodies"][body][key].clone());
        let mut at: Vec<f64> = at.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        let by = self.random.in_sphere() * 4.0;
        for _ in 0..=self.random.index(6) {
            at.iter_mut().zip(by.to_array()).for_each(|(x, by)| *x += by);
            self.seq += 1;
            let mode = ["stop", "slide", "ghost"][mode];
            let pull = json!({ "do": "drag", "body": body, "with": with, "seq": self.seq, "at": at, "turn": turn, "mode": mode });
            self.say(pull);
        }
        self.say(json!({ "do": "drop", "body": body }));
    }

    fn place(&mut self, reach: f64) -> Value {
        let by = self.random.in_sphere() * reach;
        json!({ "do": "place", "body": self.body(), "xyz": by.to_array(), "quaternion": [0, 0, 0, 1] })
    }

    fn act_on_scene(&mut self) {
        let (a, b) = (self.body(), self.body());
        let is_full = self.bodies().len() > MOST_BODIES;
        let size = 1.0 + 40.0 * self.random.unit();
        let at = |x: f64| json!([x, 0.0, 10.0, 0.0, 0.0, 0.0, 1.0]);
        let command = match self.random.index(24) {
            0..6 => return self.drag(),
            6 | 7 => self.place(800.0),
            8 => json!({ "do": "status", "a": a, "b": b, "status": "approved", "comment": size.to_string() }),
            9 if !is_full => json!({ "do": "add", "shape": { "kind": "box", "size": [size, 10, 10] } }),
            10 if !is_full => json!({ "do": "copy", "body": a }),
            9..12 => json!({ "do": "remove", "body": a, "with": [b] }),
            12..15 => json!({ "do": "undo" }),
            15 | 16 => json!({ "do": "redo" }),
            17 => json!({ "do": "margin", "value": self.random.below(3) }),
            18 => json!({ "do": "pair", "a": a, "b": b, "on": self.random.one_in(2) }),
            19 => {
                let rule = json!({ "a": self.name(a), "b": "*", "margin": self.random.below(3) });
                json!({ "do": "pattern", "rule": rule, "on": self.random.one_in(2) })
            }
            20 => json!({ "do": "depth", "a": a, "b": b }),
            21 => {
                json!({ "do": "keep_path", "name": format!("path {}", size as u32), "body": a, "path": [at(0.0), at(size)] })
            }
            22 if self.random.one_in(8) => json!({ "do": "save" }),
            22 => json!({ "do": "try_path", "body": a, "path": [at(0.0), at(size)], "mode": "slide" }),
            _ => {
                json!({ "do": "formula", "body": null, "formula": { "text": format!("sphere({size:.1})") } })
            }
        };
        if is_full && command["do"] == "formula" {
            return;
        }
        self.say(command);
    }

    fn act_on_cell(&mut self) {
        let is_full = self.bodies().len() > MOST_BODIES / 2;
        let name = ["a", "b", "c", "above"][self.random.index(4)];
        let values: Vec<f64> = (0..6).map(|_| self.random.between(-1.5, 1.5)).collect();
        let step = (self.random.in_sphere() * 0.1).to_array();
        self.seq += 1;
        let (seq, body) = (self.seq, self.body());
        let command = match self.random.index(22) {
            0 => json!({ "do": "jog", "values": values, "seq": seq }),
            1..5 => {
                json!({ "do": "jog_tool", "step": step, "turn_deg": [0, 5, 0], "frame": "tool", "seq": seq })
            }
            5 => json!({ "do": "go", "location": name, "seq": seq }),
            6 | 7 => json!({ "do": "teach", "name": name }),
            8 => json!({ "do": "forget", "name": name }),
            9 => {
                json!({ "do": "program", "text": format!("PROGRAM way\n    MOVE {name}\n    MOVE above\nRETURN\n") })
            }
            10 => json!({ "do": "run" }),
            11 => json!({ "do": "branches" }),
            12 | 13 if !is_full => json!({ "do": "add", "shape": { "kind": "sphere", "radius": 0.05 } }),
            12 | 13 => json!({ "do": "remove", "body": body, "with": [self.body()] }),
            14 => return self.drag(),
            15 => self.place(1.5),
            16 => json!({ "do": "margin", "value": 0.001 * self.random.unit() }),
            17 | 18 => json!({ "do": "undo" }),
            19 => json!({ "do": "redo" }),
            20 if self.random.one_in(8) => json!({ "do": "save" }),
            20 => json!({ "do": "place_robot", "robot": 0, "xyz": step, "quaternion": [0, 0, 0, 1] }),
            // Planning and proofs go on in the background.
            _ if self.random.one_in(6) => json!({ "do": "plan_to", "location": name }),
            _ => json!({ "do": "branches" }),
        };
        self.say(command);
    }
}

/// A number as text, without the last digits: the page may have another scale after a start.
fn rounded(value: &Value) -> String {
    format!("{:.6e}", (value.as_f64().unwrap() * 1e6).round() / 1e6 + 0.0)
}

/// State that outlives the server: bodies in the coordinates of the scene, rules by names, statuses, locations, program.
fn state(hello: &Value) -> Value {
    let scale = hello["scale"].as_f64().unwrap();
    let name = |number: &Value| hello["bodies"][number.as_u64().unwrap() as usize]["name"].clone();
    // An arm starts as its file has it.
    let is_still = |body: &&Value| {
        let parts = hello["robot"]["parts"].as_array();
        parts.is_none_or(|parts| parts.iter().any(|part| part[0] == body["name"] && part[1] == true))
    };
    let there = hello["bodies"].as_array().unwrap().iter().filter(|body| body["gone"] != true);
    let place = |one: &Value| -> Vec<String> {
        let scene = |k: usize| one["at"][k].as_f64().unwrap() / scale + hello["middle"][k].as_f64().unwrap();
        (0..3).map(|k| rounded(&json!(scene(k)))).collect()
    };
    let bodies = there.filter(is_still).map(|body| {
        let turn = body["turn"].as_array().unwrap().iter().map(rounded).collect::<Vec<_>>();
        (body["name"].as_str().unwrap().to_owned(), json!([place(body), turn]))
    });
    let named = |list: &Value| -> Vec<Value> {
        let mut all: Vec<Value> = list.as_array().unwrap().clone();
        for pair in &mut all {
            let mut names = [name(&pair[0]), name(&pair[1])];
            names.sort_by_key(ToString::to_string);
            (pair[0], pair[1]) = names.into();
        }
        all.sort_by_key(ToString::to_string);
        all
    };
    let rules = &hello["rules"];
    let robot = &hello["robot"];
    let locations = robot["locations"].as_array().into_iter().flatten();
    let locations: BTreeMap<_, _> = locations.map(|one| (one["name"].to_string(), place(one))).collect();
    json!({
        "bodies": bodies.collect::<BTreeMap<_, _>>(),
        "by_hand": named(&rules["by_hand"]),
        "off": named(&rules["off"]),
        "patterns": rules["patterns"],
        "margin": rules["margin"],
        "plays": hello["plays"],
        "locations": locations,
        "program": robot["program"],
        "robots": robot["robots"],
        "acm": robot["off"],
        "cell margin": robot["margin"],
    })
}

/// Relations of all pairs by names, when no change is left out; `null` if nothing was compared.
fn relations(studio: &Studio) -> Value {
    let of = |hello: &Value| {
        let results = &hello["results"];
        if hello["robot"].is_null() && results["stale"] != false {
            return Err("results are under way".to_owned());
        }
        let name = |number: &Value| hello["bodies"][number.as_u64().unwrap() as usize]["name"].to_string();
        let pairs = results["pairs"].as_array().into_iter().flatten();
        let hits = pairs.filter(|pair| pair["hit"] == true);
        let mut all: Vec<_> = hits
            .map(|pair| {
                let mut names = [name(&pair["a"]), name(&pair["b"])];
                names.sort();
                format!("{} {} {}", names[0], names[1], pair["relation"])
            })
            .collect();
        all.sort();
        Ok(json!(all))
    };
    noli_testing::eventually(|| of(&studio.tab().wait("hello")))
}

/// Random actions with a new start of the server every so often, as after a kill: the state is the same.
fn use_at_random(mut studio: Studio, file: &str, count: usize, act: fn(&mut User)) {
    let (start, mut done, mut held) = (Instant::now(), 0, Vec::new());
    let mut refused = BTreeMap::new();
    while done < count {
        let mut user = User::new(&studio, done as u64 + 1);
        let stint = STINT.min(count - done);
        for k in 0..stint {
            act(&mut user);
            if (done + k + 1) % 250 == 0 {
                held.extend(resident());
            }
        }
        done += stint;
        // What is under way is not to change the arm any more.
        user.say(json!({ "do": "cancel" }));
        std::thread::sleep(std::time::Duration::from_millis(200));
        user.say(json!({ "do": "cancel" }));
        let fresh = studio.tab().wait("hello");
        let [by_events, before] = [state(&user.hello), state(&fresh)];
        for key in before.as_object().unwrap().keys() {
            assert_eq!(
                by_events[key], before[key],
                "{key} by events after {done} actions, and by a page loaded anew"
            );
        }
        let found = relations(&studio);
        for (text, times) in std::mem::take(&mut user.refused) {
            *refused.entry(text).or_insert(0) += times;
        }
        drop(user);
        studio.end();
        studio = Studio::reopen(studio.folder.clone(), file);
        let again = studio.tab().wait("hello");
        let after = state(&again);
        for key in before.as_object().unwrap().keys() {
            assert_eq!(before[key], after[key], "{key} after {done} actions and a new start");
        }
        if fresh["robot"].is_null() {
            assert_eq!(found, relations(&studio), "relations after {done} actions and a new start");
        }
        println!(
            "{:.0} s, {done} actions, {} bodies ({} with removed ones), memory {:.1} MB",
            start.elapsed().as_secs_f64(),
            fresh["bodies"].as_array().unwrap().iter().filter(|body| body["gone"] != true).count(),
            fresh["bodies"].as_array().unwrap().len(),
            resident().unwrap_or(0.0)
        );
    }
    println!("refused: {refused:?}");
    println!("memory in MB: {held:.1?}");
    if let Some((middle, last)) = held.get(held.len() / 2).zip(held.last()) {
        assert!(*last < 1.3 * middle + 24.0, "memory grows: {held:.1?} MB");
    }
}

#[test]
fn random_use_of_a_scene_loses_nothing() {
    let folder = folder("random-scene", &[]);
    let bundled = Project::open(&Opening::Bundled("engine-bay".to_owned(), 1)).unwrap();
    let (mut session, _) = Session::new(bundled).unwrap();
    session.set_save_folder(folder.join("project").canonicalize().unwrap());
    session.handle(1, Command::SaveAs { file: "bay.toml".to_owned() });
    drop(session);
    let studio = Studio::reopen(folder, "bay.toml");
    use_at_random(studio, "bay.toml", actions(250), User::act_on_scene);
}

#[test]
fn random_use_of_a_cell_loses_nothing() {
    let files = [("cell.toml", crate::cells::CELL), ("way.val", crate::cells::PROGRAM)];
    let studio = Studio::start_with("random-cell", &files);
    use_at_random(studio, "cell.toml", actions(120), User::act_on_cell);
}
