//! Groups made by hand.

use crate::support::{SCENE, Studio};
use serde_json::{Value, json};

fn group(tab: &mut crate::support::Tab, command: Value) -> Value {
    tab.say(command);
    tab.wait("groups")["groups"].clone()
}

#[test]
fn groups_are_made_renamed_dissolved_undone_and_kept_with_the_scene() {
    let mut studio = Studio::start("groups");
    let mut tab = studio.tab();
    assert_eq!(tab.wait("hello")["groups"], json!([]));
    let made = group(&mut tab, json!({ "do": "group", "name": " pair ", "bodies": [0, 2] }));
    assert_eq!(made, json!([{ "name": "pair", "bodies": [0, 2] }]));
    let renamed = group(&mut tab, json!({ "do": "rename_group", "name": "pair", "to": "walls" }));
    assert_eq!(renamed, json!([{ "name": "walls", "bodies": [0, 2] }]));
    tab.say(json!({ "do": "group", "name": "a*", "bodies": [0] }));
    assert!(tab.wait("trouble")["text"].as_str().unwrap().contains("no name of a group"));
    tab.say(json!({ "do": "group", "name": "none", "bodies": [] }));
    tab.wait("trouble");
    // A removed body is not in it until it is brought back.
    assert_eq!(group(&mut tab, json!({ "do": "remove", "body": 2 }))[0]["bodies"], json!([0]));
    assert_eq!(group(&mut tab, json!({ "do": "undo" }))[0]["bodies"], json!([0, 2]));
    // Editing the scene keeps the groups: they are in a file of their own, by names.
    studio.end();
    assert!(studio.project().join("scene.groups.json").exists());
    std::fs::write(studio.project().join("scene.toml"), format!("# edited\n{SCENE}")).unwrap();
    let again = Studio::reopen(studio.folder.clone(), "scene.toml");
    let mut tab = again.tab();
    assert_eq!(tab.wait("hello")["groups"], json!([{ "name": "walls", "bodies": [0, 2] }]));
    assert_eq!(group(&mut tab, json!({ "do": "ungroup", "name": "walls" })), json!([]));
    let edits = tab.wait("edits");
    assert_eq!(edits["undo"], "dissolve group walls");
    assert_eq!(edits["unsaved"], 0, "it is on disk at once");
    assert_eq!(group(&mut tab, json!({ "do": "undo" }))[0]["name"], "walls");
}
