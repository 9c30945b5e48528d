//! Pairs that only curved surfaces find in contact are listed like all others.

use crate::support::Studio;
use noli_testing::Step;

/// Two shafts that touch along a line, whose triangles are separated, and a plate that intersects the first.
#[test]
fn contacts_of_curved_surfaces_are_listed() {
    let mut step = Step::default();
    let shaft = step.ring("shaft", [0.0, 10.0], [0.0, 40.0]);
    let scene = "units = 'mm'\n\
        [[body]]\nname = 'left'\nfile = 'shaft.step'\npose = { rpy_deg = [0, 0, 11] }\n\
        [[body]]\nname = 'right'\nfile = 'shaft.step'\npose = { xyz = [20, 0, -7], rpy_deg = [0, 0, 11] }\n\
        [[body]]\nname = 'plate'\nbox = [10, 10, 10]\n";
    let studio = Studio::start_with("curved", &[("scene.toml", scene), ("shaft.step", &step.text(&[shaft]))]);
    let mut tab = studio.tab();
    tab.wait("hello");
    let results = tab.wait("results");
    let pairs = results["pairs"].as_array().unwrap();
    let pair = |a: usize, b: usize| pairs.iter().find(|pair| pair["a"] == a && pair["b"] == b);
    assert_eq!(pair(0, 2).unwrap()["relation"], "intersecting", "{results}");
    let shafts = pair(0, 1).unwrap_or_else(|| panic!("{results}"));
    assert_eq!(
        (&shafts["relation"], &shafts["guarantee"]),
        (&"touching".into(), &"curved".into()),
        "{shafts}"
    );
    assert!(shafts["place"].is_array() && shafts["clash"].is_object(), "{shafts}");
    assert_eq!(results["groups"].as_array().unwrap().len(), pairs.len(), "{results}");
}
