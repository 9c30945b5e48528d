//! The studio as its users meet it, in a real browser: each test is one of their stories.
//!
//! Runs only when asked, as `page` does: `cargo test -p noli-cli --test suite -- --ignored studio::`.
#![allow(clippy::print_stdout, reason = "figures for those who run it")]

use crate::support::Folder;
use crate::support::browser::Browser;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// `noli serve` until the end of the test.
struct Studio {
    server: Child,
    url: String,
}

impl Studio {
    fn start(arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_noli"));
        command.arg("serve").args(arguments).args(["--port", "0", "--no-browser"]);
        let mut server = command.stdout(Stdio::piped()).spawn().expect("the program starts");
        let mut line = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { server, url: line.trim().to_owned() }
    }

    fn open(&self, folder: &Folder, size: [u32; 2]) -> Browser {
        let browser = Browser::start(folder, size);
        browser.ask("POST", "/url", json!({ "url": self.url }));
        browser.wait_for("the studio", |browser| {
            (browser.run("return document.body.dataset.ready") == "true").then_some(())
        });
        browser.wait_for("the first results", |browser| {
            (browser.run("return document.body.dataset.outcome") != "").then_some(())
        });
        browser.rest();
        browser
    }
}

impl Drop for Studio {
    fn drop(&mut self) {
        self.server.kill().ok();
        self.server.wait().ok();
    }
}

#[test]
fn the_address_is_one_line_and_a_polite_kill_ends_the_server() {
    let mut studio = Studio::start(&["--demo", "--detail", "1"]);
    assert!(studio.url.starts_with("http://127.0.0.1:") && studio.url.contains("/?token="), "{}", studio.url);
    #[cfg(unix)]
    {
        Command::new("kill").arg(studio.server.id().to_string()).status().unwrap();
        assert!(studio.server.wait().unwrap().success(), "it ends by itself, with code 0");
    }
}

/// The names of pairs that are hits, and whether they are up to date.
fn hits(browser: &Browser) -> Vec<String> {
    let pairs = browser.run(
        "const { studio } = noli; if (studio.results.stale) return null;
         return studio.results.pairs.filter((pair) => pair.hit && pair.relation === 'crossing')
           .map((pair) => studio.nameOf(pair.a) + '|' + studio.nameOf(pair.b))",
    );
    pairs
        .as_array()
        .map_or(Vec::new(), |pairs| pairs.iter().map(|pair| pair.as_str().unwrap().to_owned()).collect())
}

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn an_engineer_finds_a_clash_and_moves_the_part_until_it_is_free() {
    let folder = Folder::new("studio-clash");
    let studio = Studio::start(&["--demo"]);
    let browser = studio.open(&folder, [1440, 900]);
    assert_eq!(browser.run("return document.querySelector('.outcome').textContent"), "16 pairs to look at");
    browser.screenshot("studio");
    let pair = "bracket.left|hose.washer";
    assert!(hits(&browser).contains(&pair.to_owned()));
    browser.click(&format!(".results [data-pair='{pair}']"));
    browser.rest();
    browser.screenshot("studio-clash");
    assert_eq!(
        browser.run("return document.querySelector('.card .says').textContent"),
        "bracket.left and hose.washer pass through each other."
    );
    // The hose is chosen and pulled aside, as far as nothing else is met, until the clash is gone.
    browser.click(".card .row button:last-child");
    browser.wait_for("the gizmo's panel", |browser| {
        (browser.run("return document.body.dataset.chosen") == "hose.washer").then_some(())
    });
    browser.run("document.querySelector('input[aria-label=\"Step\"]').value = 10");
    let mut tries = 0;
    browser.wait_for("the clash to be gone", |browser| {
        tries += 1;
        assert!(tries < 80, "the hose does not come free: {:?}", hits(browser));
        browser.click("[data-nudge='y1']");
        std::thread::sleep(std::time::Duration::from_millis(400));
        let found = hits(browser);
        (!found.is_empty() && !found.contains(&pair.to_owned())).then_some(())
    });
    browser.screenshot("studio-moved");
    let median = browser
        .run("const all = [...noli.studio.latency].sort((a, b) => a - b); return all[all.length >> 1]");
    println!("from the wish to the accepted pose, median: {median} ms");
    // What is exported is what is seen.
    let exported = browser.run(
        "const request = new XMLHttpRequest(); request.open('GET', document.querySelector('#export a[href*=json]').href, false);
         request.send(); return JSON.parse(request.responseText)",
    );
    let crossing = |pair: &&Value| {
        pair["a"] == "bracket.left" && pair["b"] == "hose.washer" && pair["relation"] == "crossing"
    };
    assert_eq!(exported["pairs"].as_array().unwrap().iter().find(crossing), None);
    browser.click("#undo");
    browser
        .wait_for("the clash to be back", |browser| hits(browser).contains(&pair.to_owned()).then_some(()));
    browser.logs_no_errors();
}

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn a_mechanic_watches_the_bulb_come_out_and_sees_what_blocks_it() {
    let folder = Folder::new("studio-removal");
    let studio = Studio::start(&["--demo", "--detail", "1"]);
    let browser = studio.open(&folder, [1366, 768]);
    browser.click("[data-panel='Play']");
    browser.click("[data-play='M2']");
    let verdict = browser.wait_for("the verdict", |browser| {
        let text = browser.run("return document.querySelector('.verdict')?.textContent ?? ''");
        Some(text.as_str().unwrap().to_owned()).filter(|text| !text.is_empty())
    });
    assert!(verdict.contains("Free, proven for the whole way"), "{verdict}");
    browser.run("noli.studio.timeline.go(0.4)");
    browser.rest();
    browser.screenshot("studio-removal");
    let moved = browser.run(
        "const { studio } = noli, bulb = studio.track.bodies[0];
         return Math.hypot(...studio.viewer.bodies[bulb].at.map((x, k) => x - studio.bodies[bulb].at[k]))",
    );
    assert!(moved.as_f64().unwrap() > 1.0, "the bulb is on its way: {moved}");
    browser.click("[data-play='M2, headlight.cover left in']");
    browser.wait_for("the other verdict", |browser| {
        let text = browser.run("return document.querySelector('.verdict').textContent");
        text.as_str().unwrap().contains("Blocked by headlight.cover").then_some(())
    });
    browser.screenshot("studio-blocked");
    browser.logs_no_errors();
}

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn a_student_draws_a_tree_compares_walks_and_finishes_lessons() {
    let folder = Folder::new("studio-student");
    let studio = Studio::start(&["--demo", "--detail", "1"]);
    let browser = studio.open(&folder, [1024, 768]);
    browser.cdp(
        "Emulation.setEmulatedMedia",
        json!({ "features": [{ "name": "prefers-color-scheme", "value": "dark" }] }),
    );
    browser.click("[data-panel='Learn']");
    browser.click("[data-lesson='2']");
    browser.run("noli.studio.choose(noli.studio.bodies.findIndex((body) => body.name === 'hose.upper'))");
    browser.click("[data-panel='Trees']");
    let volumes =
        |browser: &Browser| browser.run("return noli.studio.tree?.volumes.length ?? 0").as_u64().unwrap();
    browser.wait_for("the root", |browser| (volumes(browser) == 1).then_some(()));
    let set = |label: &str, value: &str, event: &str| {
        browser.run(&format!(
            "const input = document.querySelector('[aria-label=\"{label}\"]'); input.value = {value};
             input.dispatchEvent(new Event('{event}'))"
        ));
    };
    set("Level", "3", "input");
    browser.wait_for("eight balls", |browser| (volumes(browser) == 8).then_some(()));
    browser.rest();
    browser.screenshot("studio-tree-dark");
    set("Against", "noli.studio.bodies.findIndex((body) => body.name === 'cable.sensor')", "change");
    let tests = |browser: &Browser| {
        browser.wait_for("the walk", |browser| {
            let fact = browser
                .run("return noli.studio.tree.facts.find(([term]) => term === 'tests of volumes')?.[1]");
            fact.as_str().map(str::to_owned)
        })
    };
    let one_sided = tests(&browser);
    set("Walk", "'simultaneous'", "change");
    let other =
        browser.wait_for("another walk", |browser| Some(tests(browser)).filter(|tests| *tests != one_sided));
    println!("tests of volumes: one-sided {one_sided}, simultaneous {other}");
    browser.wait_for("the end of the lesson", |browser| {
        (browser.run("return document.body.dataset.lesson") == "done").then_some(())
    });
    // The lesson about touching and crossing, by its own buttons.
    browser.run("noli.studio.whole()");
    browser.click("[data-panel='Learn']");
    browser.click("[data-lesson='0']");
    for step in ["0.0", "0.1", "0.2", "0.3"] {
        browser.wait_for("the next step", |browser| {
            (browser.run("return document.body.dataset.lesson") == step).then_some(())
        });
        browser.click(".lesson .do");
        if let ("0.2", relation) | ("0.3", relation) =
            (step, if step == "0.2" { "touching" } else { "crossing" })
        {
            browser.wait_for("the pair of boxes", |browser| {
                let found = browser.run(&format!(
                    "const {{ studio }} = noli;
                     const pair = studio.results.pairs.find((pair) => !studio.results.stale && pair.relation === '{relation}'
                       && studio.nameOf(pair.a) === 'box' && studio.nameOf(pair.b) === 'box-2');
                     if (pair) studio.look(pair);
                     return pair !== undefined"
                ));
                (found == true).then_some(())
            });
        }
    }
    browser.wait_for("the end of the lesson", |browser| {
        (browser.run("return document.body.dataset.lesson") == "done").then_some(())
    });
    browser.screenshot("studio-lesson");
    let fits = browser.run(
        "const { scrollWidth, clientWidth } = document.documentElement; return scrollWidth <= clientWidth",
    );
    assert_eq!(fits, true, "the page is not wider than the window");
    browser.logs_no_errors();
}

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn a_programmer_jogs_teaches_mends_the_program_and_sees_where_it_would_touch() {
    let folder = Folder::new("studio-robot");
    let studio = Studio::start(&["--demo", "magazine-clash"]);
    let browser = studio.open(&folder, [1440, 900]);
    browser.screenshot("studio-robot");
    let value = |browser: &Browser| browser.run("return noli.studio.robot.joints[0].value").as_f64().unwrap();
    let before = value(&browser);
    browser.run(
        "const slider = document.querySelector('.joint input'); slider.value = Number(slider.value) + 5;
         slider.dispatchEvent(new Event('input'))",
    );
    browser.wait_for("the joint to move", |browser| (value(browser) > before + 0.05).then_some(()));
    browser.run("document.querySelector('[aria-label=\"Name of the location\"]').value = 'via'");
    browser.click("[data-run='teach']");
    browser.wait_for("the location", |browser| {
        let known = browser.run("return noli.studio.robot.locations.some(({ name }) => name === 'VIA')");
        (known == true).then_some(())
    });
    // The post that somebody left there is met, in a line that is named.
    browser.click("[data-run='run']");
    let verdict = browser.wait_for("the run", |browser| {
        let text = browser.run("return noli.studio.timeline ? noli.studio.track.verdict : ''");
        Some(text.as_str().unwrap().to_owned()).filter(|text| !text.is_empty())
    });
    assert!(verdict.contains("stops in line") && verdict.contains("post"), "{verdict}");
    browser.run("noli.studio.timeline.go(1)");
    browser.rest();
    browser.screenshot("studio-robot-clash");
    // A word that is none is marked in its line.
    let edit = |browser: &Browser, text: &str| {
        browser.run(&format!(
            "const code = document.querySelector('.code'); code.value = {}; code.dispatchEvent(new Event('input'))",
            json!(text)
        ));
    };
    edit(&browser, "main program short\n    SPED 10\nRETURN\n");
    browser.wait_for("the error", |browser| {
        let text = browser.run("return document.querySelector('.errors')?.textContent ?? ''");
        text.as_str().unwrap().contains("Line 2").then_some(())
    });
    edit(&browser, "main program short\n    SPEED 10\n    DELAY 1\nRETURN\n");
    browser.wait_for("no error", |browser| {
        (browser.run("return document.querySelector('.errors').textContent") == "").then_some(())
    });
    browser.click("[data-run='run']");
    browser.wait_for("the mended run", |browser| {
        (browser.run("return noli.studio.track?.title === 'Program SHORT' || noli.studio.track?.title === 'Program short'")
            == true)
            .then_some(())
    });
    assert_eq!(browser.run("return noli.studio.track.free"), true);
    browser.logs_no_errors();
}
