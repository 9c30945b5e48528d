//! Domains of proofs about robots: what `robot pairs` and `prove pairs` claim of joints without limits.

use crate::support::{Folder, exit_code, json, noli, stderr, stdout};
use serde_json::Value;

/// An arm below a slider without limits, or with these.
fn rail(lower: &str, upper: &str) -> String {
    format!(
        r#"<robot name="rail">
<link name="base"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
<link name="arm"><collision><origin xyz="0.5 0 0"/><geometry><box size="0.2 0.1 0.1"/></geometry></collision></link>
<link name="slider"><collision><geometry><box size="1.2 0.1 0.1"/></geometry></collision></link>
<joint name="j1" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="p" type="prismatic"><parent link="base"/><child link="slider"/><origin xyz="0 0 3"/><axis xyz="0 0 1"/>
<limit lower="{lower}" upper="{upper}" effort="1" velocity="1"/></joint></robot>"#
    )
}

/// An arm that turns a tenth of what an endless motor does, past a block.
const GEAR: &str = r#"<robot name="gear">
<link name="base"><collision><origin xyz="-0.5 0 0.02"/><geometry><box size="0.1 0.1 0.2"/></geometry></collision></link>
<link name="motor"/>
<link name="mid"><collision><geometry><box size="0.05 0.05 0.05"/></geometry></collision></link>
<link name="arm"><collision><origin xyz="0.5 0 0"/><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
<joint name="m" type="continuous"><parent link="base"/><child link="motor"/><origin xyz="0 0 1"/><axis xyz="0 0 1"/></joint>
<joint name="f" type="fixed"><parent link="base"/><child link="mid"/></joint>
<joint name="a" type="continuous"><parent link="mid"/><child link="arm"/><axis xyz="0 0 1"/>
<mimic joint="m" multiplier="0.1"/></joint></robot>"#;

fn claims(report: &Value) -> Vec<(String, String)> {
    let claim = |pair: &Value| {
        let links = pair["links"].as_array().unwrap().iter().map(|link| link.as_str().unwrap());
        (links.collect::<Vec<_>>().join(" "), pair["meeting"].as_str().unwrap().to_owned())
    };
    report["pairs"].as_array().unwrap().iter().map(claim).collect()
}

/// A written SRDF leaves `check` seeing what happens beyond a metre, for limits that are absent and those that the reader
/// drops; nothing is proven of less than the joint may do.
#[test]
fn an_srdf_of_a_slide_without_limits_hides_no_collision() {
    let folder = Folder::new("domain-rail");
    let states = folder.file("s.csv", "j1,p\n0,-3\n");
    for (name, lower, upper) in [("rail", "-1e16", "1e16"), ("reversed", "4", "-4")] {
        let urdf = folder.file(&format!("{name}.urdf"), rail(lower, upper));
        let srdf = folder.join(format!("{name}.srdf")).display().to_string();
        let report = json(&noli(&["robot", "pairs", &urdf, "--write", &srdf, "--json"]));
        for (links, meeting) in claims(&report) {
            assert_eq!(meeting, if links == "base arm" { "never" } else { "can" }, "{name}: {links}");
        }
        assert_eq!(exit_code(&noli(&["robot", "check", &urdf, "--srdf", &srdf, "--states", &states])), 1);
        let certificate = folder.join(format!("{name}.cert")).display().to_string();
        let proven = noli(&["prove", "pairs", &urdf, "--output", &certificate]);
        assert_eq!(exit_code(&proven), 0, "{}", stderr(&proven));
        let verified = stdout(&noli(&["verify", &certificate]));
        assert!(!verified.contains("arm and slider never"), "{verified}");
    }
}

#[test]
fn followers_of_an_endless_joint_are_not_disabled() {
    let folder = Folder::new("domain-gear");
    let urdf = folder.file("gear.urdf", GEAR);
    let srdf = folder.join("gear.srdf").display().to_string();
    let states = folder.file("s.csv", "m\n31.4159265\n");
    let report = json(&noli(&["robot", "pairs", &urdf, "--write", &srdf, "--json"]));
    assert!(claims(&report).contains(&("base arm".to_owned(), "can".to_owned())), "{report}");
    assert_eq!(exit_code(&noli(&["robot", "check", &urdf, "--srdf", &srdf, "--states", &states])), 1);
}

#[test]
fn assumed_ranges_stand_beside_the_claim_and_disable_nothing() {
    let folder = Folder::new("domain-assumed");
    let urdf = folder.file("rail.urdf", rail("-1e16", "1e16"));
    let srdf = folder.join("rail.srdf").display().to_string();
    let assume = ["robot", "pairs", &urdf, "--assume", "p=-1..500mm"];
    let text = stdout(&noli(&assume));
    assert!(text.contains("never within p in [-1, 0.5]"), "{text}");
    assert!(text.contains("2 claims hold only within the assumed ranges"), "{text}");
    let report = json(&noli(&[&assume[..], &["--write", &srdf, "--json"]].concat()));
    let slider =
        report["pairs"].as_array().unwrap().iter().find(|pair| pair["links"][1] == "slider").unwrap();
    assert_eq!(slider["domain"], serde_json::json!([{"joint": "p", "range": [-1.0, 0.5]}]));
    let written = std::fs::read_to_string(&srdf).unwrap();
    assert!(!written.contains("\"arm\" link2=\"slider\""), "{written}");
    // An SRDF that claims more is not confirmed.
    let claim = folder.file(
        "claim.srdf",
        r#"<robot name="rail"><disable_collisions link1="arm" link2="slider" reason="Never"/></robot>"#,
    );
    let against = noli(&[&assume[..], &["--against", &claim]].concat());
    assert_eq!(exit_code(&against), 3, "{}", stdout(&against));
    for (wrong, words) in
        [("p=1", "LOW..HIGH"), ("q=0..1", "these do: j1, p"), ("p=2..1", "LOW..HIGH"), ("j1=0..1m", "turns")]
    {
        let output = noli(&["robot", "pairs", &urdf, "--assume", wrong]);
        assert!(exit_code(&output) == 2 && stderr(&output).contains(words), "{}", stderr(&output));
    }
}
