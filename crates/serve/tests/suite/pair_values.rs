//! Depths and volumes of pairs for the list of clashes.

use crate::support::{Studio, Tab};
use serde_json::{Value, json};

/// Two boxes that overlap by 3 x 10 x 10, one inside another, and a separated one.
const SCENE: &str = r#"units = "mm"
[[body]]
name = "left"
box = [10, 10, 10]

[[body]]
name = "right"
box = [10, 10, 10]
pose = { xyz = [7, 0, 0] }

[[body]]
name = "core"
box = [2, 2, 2]

[[body]]
name = "far"
box = [1, 1, 1]
pose = { xyz = [90, 0, 0] }
"#;

fn values(tab: &mut Tab, pairs: Value, exact: bool) -> Value {
    tab.say(json!({ "do": "values", "pairs": pairs, "exact": exact }));
    tab.wait("values")
}

fn contains(bounds: &Value, value: f64) -> bool {
    let [low, high] = [0, 1].map(|k| bounds[k].as_f64().unwrap());
    low <= value + 1e-9 && value <= high + 1e-9
}

#[test]
fn depths_and_volumes_are_brackets_that_narrow_on_demand() {
    let studio = Studio::start_with("values", &[("values.toml", SCENE)]);
    let mut tab = studio.tab();
    tab.wait("hello");
    // As many as the time allows, at least one; the page asks again for the others.
    let wanted = [[0, 1], [0, 2], [0, 3]];
    let mut known: Vec<Value> = Vec::new();
    while known.len() < wanted.len() {
        let some = values(&mut tab, json!(wanted[known.len()..]), false);
        let some = some["values"].as_array().unwrap();
        assert!(!some.is_empty(), "no progress");
        known.extend(some.iter().cloned());
    }
    let pairs: Vec<Value> = known.iter().map(|one| json!([one["a"], one["b"]])).collect();
    assert_eq!(json!(pairs), json!(wanted));
    assert!(contains(&known[0]["depth"], 3.0) && contains(&known[0]["volume"], 300.0), "{}", known[0]);
    assert!(contains(&known[1]["depth"], 6.0) && contains(&known[1]["volume"], 8.0), "{}", known[1]);
    assert_eq!((&known[2]["depth"], &known[2]["volume"]), (&json!([0.0, 0.0]), &json!([0.0, 0.0])));
    let exact = values(&mut tab, json!([[0, 1]]), true);
    assert_eq!(exact["is_exact"], true);
    let width = |value: &Value| value["depth"][1].as_f64().unwrap() - value["depth"][0].as_f64().unwrap();
    let exact = &exact["values"][0];
    assert!(contains(&exact["depth"], 3.0) && width(exact) <= width(&known[0]) + 1e-12, "{exact}");
    // A removed body has no values, and too many pairs at once are refused.
    tab.say(json!({ "do": "remove", "body": 2 }));
    tab.wait("edits");
    assert!(values(&mut tab, json!([[0, 2]]), false)["values"][0]["depth"].is_null());
    tab.say(json!({ "do": "values", "pairs": vec![[0, 1]; 201] }));
    assert!(tab.wait("trouble")["text"].as_str().unwrap().contains("201"));
}
