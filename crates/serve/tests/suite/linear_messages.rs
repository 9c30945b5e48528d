//! Messages about bodies and rules: what is sent after a change does not grow with the square of the number of bodies.

use crate::support::{Studio, Tab};
use serde_json::json;

/// Boxes in a row; a rule of the scene disables all pairs of those whose names begin with `b1`.
fn scene(count: usize) -> String {
    let mut text = "units = \"mm\"\n[check]\nskip = [[\"b1*\", \"b1*\"]]\n".to_owned();
    for k in 0..count {
        let body =
            format!("[[body]]\nname = \"b{k}\"\nbox = [1, 1, 1]\npose = {{ xyz = [{}, 0, 0] }}\n", 3 * k);
        text.push_str(&body);
    }
    text
}

/// Bytes of all messages but results and tasks until the change is known.
fn bytes_of(tab: &mut Tab, command: serde_json::Value) -> usize {
    tab.say(command);
    let mut sum = 0;
    loop {
        let event = tab.read().unwrap();
        let say = event["say"].as_str().unwrap_or_default();
        if say == "edits" {
            return sum + event.to_string().len();
        }
        if !["results", "results_change", "task"].contains(&say) {
            sum += event.to_string().len();
        }
    }
}

#[test]
fn a_change_sends_what_has_changed_and_the_rules_once() {
    let sizes = [100, 400].map(|count| {
        let text = scene(count);
        let studio = Studio::start_with(&format!("linear-{count}"), &[("row.toml", &text)]);
        let mut tab = studio.tab();
        let hello = tab.wait("hello");
        assert_eq!((&hello["rules"]["is_whole"], &hello["rules"]["off"]), (&json!(false), &json!([])));
        let first = bytes_of(&mut tab, json!({ "do": "copy", "body": 0 }));
        let second = bytes_of(&mut tab, json!({ "do": "copy", "body": 0 }));
        let removed = bytes_of(&mut tab, json!({ "do": "remove", "body": 3 }));
        let undone = bytes_of(&mut tab, json!({ "do": "undo" }));
        // Disabled pairs are those of one body.
        tab.say(json!({ "do": "disabled_pairs", "body": 10 }));
        let off = tab.wait("disabled_pairs")["off"].as_array().unwrap().len();
        assert_eq!(off, (0..count).filter(|k| *k != 10 && format!("b{k}").starts_with("b1")).count());
        [first, second, removed, undone]
    });
    assert!(sizes.iter().flatten().all(|&bytes| bytes < 1500), "a body is a few bytes: {sizes:?}");
}

#[test]
fn few_bodies_have_all_their_disabled_pairs_listed() {
    let text = scene(20);
    let studio = Studio::start_with("linear-few", &[("row.toml", &text)]);
    let mut tab = studio.tab();
    let rules = tab.wait("hello")["rules"].clone();
    assert_eq!((&rules["is_whole"], rules["off"].as_array().unwrap().len()), (&json!(true), 11 * 10 / 2));
    // A change that is none of the rules sends no rules.
    tab.say(json!({ "do": "margin", "value": 1.5 }));
    assert_eq!(tab.wait("rules")["margin"], 1.5);
    tab.say(json!({ "do": "place", "body": 0, "xyz": [0, 9, 0], "quaternion": [0, 0, 0, 1] }));
    tab.say(json!({ "do": "margin", "value": 1.5 }));
    tab.say(json!({ "do": "measure", "a": 0, "b": 1 }));
    loop {
        let event = tab.read().unwrap();
        assert_ne!(event["say"], "rules", "{event}");
        if event["say"] == "measured" {
            break;
        }
    }
}
