//! A user who starts with files only.

use super::{Studio, wait_true, write_box};
use crate::support::Folder;
use crate::support::browser::Browser;
use serde_json::json;

/// Simulates a file drop onto the page.
fn drop_file(browser: &Browser, name: &str, text: &str) {
    browser.run(&format!(
        "const data = new DataTransfer(); data.items.add(new File([{}], {}));
         for (const kind of ['dragover', 'drop']) document.getElementById('view').dispatchEvent(new DragEvent(kind, {{ dataTransfer: data, bubbles: true, cancelable: true }}))",
        json!(text),
        json!(name)
    ));
}

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn a_beginner_starts_in_an_empty_folder_with_dropped_files() {
    let (folder, project) = (Folder::new("studio-empty"), Folder::new("studio-empty-project"));
    let studio = Studio::start(&[project.0.to_str().unwrap()]);
    let browser = studio.open(&folder, [1024, 768]);
    let visible = "return !document.getElementById('welcome').hidden";
    assert_eq!(browser.run(visible), true, "the page shows instructions");
    assert_eq!(browser.run("return document.querySelector('.outcome').textContent"), "Nothing to compare");
    browser.screenshot("studio-empty");
    let mut blocks = write_box([40.0, 40.0, 10.0]).replace("o box", "o plate");
    crate::support::write_object(&mut blocks, "post", &noli_scenes::cuboid(glam::dvec3(4.0, 4.0, 30.0)), 8);
    drop_file(&browser, "blocks.obj", &blocks);
    let names = "return noli.studio.bodies.filter((body) => !body.gone).map((body) => body.name).join()";
    wait_true(
        &browser,
        "both objects of the file",
        &format!("return (() => {{ {names} }})() === 'blocks/plate,blocks/post'"),
    );
    assert_eq!(browser.run(visible), false);
    wait_true(
        &browser,
        "the clash",
        "return noli.studio.results.pairs.some((pair) => pair.relation === 'intersecting')",
    );
    browser.rest();
    browser.screenshot("studio-dropped");
    let seen = browser.run(
        "const { viewer } = noli.studio, box = viewer.canvas.getBoundingClientRect();
         const at = (x, y) => viewer.bodyAt({ clientX: box.left + x * box.width, clientY: box.top + y * box.height })?.body ?? null;
         return [at(0.5, 0.5) !== null, at(0.02, 0.98), at(0.98, 0.2)]",
    );
    assert_eq!(seen, json!([true, null, null]), "the dropped bodies are in the view");
    // From here on the browser itself logs refused requests.
    browser.logs_no_errors();
    // Refused: a file name in use, and a file that is no mesh. The menu adds the file a second time.
    for (name, reason) in [("blocks.obj", "has a file of this name"), ("notes.txt", "Only mesh files")] {
        drop_file(&browser, name, "o x\n");
        let has_note = format!(
            "return [...document.querySelectorAll('.note')].some((note) => note.textContent.includes('{reason}'))"
        );
        wait_true(&browser, reason, &has_note);
    }
    browser.run("noli.studio.link.socket.close()");
    wait_true(
        &browser,
        "the file in the menu",
        "return document.querySelector('[data-file=\"blocks.obj\"]') !== null",
    );
    browser.run("document.querySelector('[data-file=\"blocks.obj\"]').click()");
    wait_true(
        &browser,
        "another plate",
        "return noli.studio.bodies.some((body) => body.name === 'blocks-2/plate')",
    );
    browser.click("#save");
    wait_true(&browser, "the scene to be saved", "return noli.studio.edits.unsaved === 0");
    let scene = noli_project::parse_scene(&std::fs::read(project.0.join("scene.toml")).unwrap()).unwrap();
    assert_eq!(scene.bodies.len(), 4);
}
