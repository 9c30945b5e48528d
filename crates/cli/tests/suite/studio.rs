//! The studio as its users meet it, in a real browser: each test is one of their stories.
//!
//! Runs only when asked, as `page` does: `cargo test -p noli-cli --test suite -- --ignored studio::`.
//! Figures are printed with `--nocapture`, pictures left in the folder named by `NOLI_SCREENSHOTS`.
#![allow(clippy::print_stdout, reason = "figures for those who run it")]

use crate::support::browser::Browser;
use crate::support::{Folder, noli};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

/// `noli serve` until the end of the test.
pub(crate) struct Studio {
    server: Child,
    url: String,
}

impl Studio {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_noli"));
        command.arg("serve").args(arguments).args(["--port", "0", "--no-browser"]);
        let mut server = command.stdout(Stdio::piped()).spawn().expect("the program starts");
        let mut line = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { server, url: line.trim().to_owned() }
    }

    pub(crate) fn open(&self, folder: &Folder, size: [u32; 2]) -> Browser {
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

impl Studio {
    /// Another studio in a browser that is there.
    fn reopen_in(&self, browser: &Browser) {
        browser.ask("POST", "/url", json!({ "url": self.url }));
        wait_true(browser, "the studio", "return document.body.dataset.ready === 'true'");
        browser.rest();
    }

    pub(crate) fn process(&self) -> u32 {
        self.server.id()
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

/// A file of the studio, as soon as there is one.
fn fetched(studio: &Studio, name: &str) -> Vec<u8> {
    let (address, token) = studio.url.strip_prefix("http://").unwrap().split_once("/?").unwrap();
    let start = Instant::now();
    loop {
        let mut stream = TcpStream::connect(address).unwrap();
        let head = format!(
            "GET /api/export/{name}?{token} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        if answer.starts_with(b"HTTP/1.1 200") {
            let body = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
            return answer.split_off(body);
        }
        assert!(start.elapsed().as_secs() < 60, "{}", String::from_utf8_lossy(&answer));
        std::thread::sleep(std::time::Duration::from_millis(30));
    }
}

/// What is exported has depths, volumes, tolerances and groups: it is what the command line writes, to the last byte.
#[test]
fn exports_are_what_the_command_line_writes() {
    let folder = Folder::new("studio-exports");
    let scene = "units = \"mm\"\n[[body]]\nname = \"block\"\nbox = [20, 20, 20]\n\n\
                 [[body]]\nname = \"pin\"\nbox = [4, 4, 30]\npose = { xyz = [0, 0, 20] }\n\n\
                 [[body]]\nname = \"shim\"\nbox = [20, 20, 2]\npose = { xyz = [0, 0, -10.9] }\n\n\
                 [[body]]\nname = \"nut\"\nbox = [2, 2, 2]\npose = { xyz = [30, 0, 0] }\n\n[check]\nmargin = 0.5\ntolerance = 0.2\n";
    let file = folder.file("block.toml", scene);
    // Dates are in topics, and the time that a check took in pages.
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_noli"));
        command.args(arguments).env("SOURCE_DATE_EPOCH", "1700000000").stdout(Stdio::piped());
        command
    };
    let written = |name: &str| folder.0.join(name).display().to_string();
    let mut check = vec!["check".to_owned(), file.clone()];
    for (option, name) in [("json", "r.json"), ("csv", "r.csv"), ("html", "r.html"), ("bcf", "r.bcf")] {
        check.push(format!("--{option}={}", written(name)));
    }
    let check = run(&check.iter().map(String::as_str).collect::<Vec<_>>()).output().unwrap();
    assert_eq!(crate::support::exit_code(&check), 1, "{}", crate::support::stderr(&check));
    let mut server = run(&["serve", &file, "--port", "0", "--no-browser"]).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let studio = Studio { server, url: line.trim().to_owned() };
    for (ours, theirs) in [("report.json", "r.json"), ("report.csv", "r.csv"), ("report.bcf", "r.bcf")] {
        let (ours, theirs) = (fetched(&studio, ours), std::fs::read(written(theirs)).unwrap());
        assert!(
            ours == theirs,
            "{} and {} bytes: {}",
            ours.len(),
            theirs.len(),
            String::from_utf8_lossy(&ours)
        );
    }
    let timeless = |page: &[u8]| {
        let page = String::from_utf8_lossy(page);
        let (before, after) = page.split_once("checked in ").expect("it says what it took");
        format!("{before}{}", after.split_once(" s;").unwrap().1)
    };
    let theirs = std::fs::read(written("r.html")).unwrap();
    assert_eq!(timeless(&fetched(&studio, "report.html")), timeless(&theirs));
    let report: Value = serde_json::from_slice(&fetched(&studio, "report.json")).unwrap();
    assert_eq!(report["summary"]["within_tolerance"], 1, "{report}");
}

/// What a script of the page says, once it says something.
fn wait_text(browser: &Browser, what: &str, script: &str) -> String {
    browser.wait_for(what, |browser| {
        browser.run(script).as_str().filter(|text| !text.is_empty()).map(str::to_owned)
    })
}

fn wait_true(browser: &Browser, what: &str, script: &str) {
    browser.wait_for(what, |browser| (browser.run(script) == true).then_some(()));
}

/// Types into a field, as far as the page can tell.
fn fill(browser: &Browser, selector: &str, value: &str) {
    browser.run(&format!(
        "const field = document.querySelector({}); field.value = {};
         field.dispatchEvent(new Event('input')); field.dispatchEvent(new Event('change'))",
        json!(selector),
        json!(value)
    ));
}

/// Takes everything back.
fn undo_all(browser: &Browser) {
    browser.wait_for("everything to be taken back", |browser| {
        let button = "document.querySelector('#undo')";
        browser.run(&format!("if ({button}.disabled) return true; {button}.click()")).as_bool()
    });
}

/// The names of pairs that cross; nothing while they are being compared.
fn crossing(browser: &Browser) -> Option<Vec<String>> {
    let pairs = browser.run(
        "const { studio } = noli; if (studio.results.stale) return null;
         return studio.results.pairs.filter((pair) => pair.hit && pair.relation === 'crossing')
           .map((pair) => studio.nameOf(pair.a) + '|' + studio.nameOf(pair.b))",
    );
    Some(pairs.as_array()?.iter().map(|pair| pair.as_str().unwrap().to_owned()).collect())
}

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn an_engineer_finds_a_clash_and_moves_the_part_until_it_is_free() {
    let folder = Folder::new("studio-clash");
    let studio = Studio::start(&["--demo", "--detail", "1"]);
    let browser = studio.open(&folder, [1280, 800]);
    assert_eq!(browser.run("return document.querySelector('.outcome').textContent"), "16 pairs to look at");
    browser.screenshot("studio");
    let pair = "bracket.left|hose.washer".to_owned();
    assert!(crossing(&browser).unwrap().contains(&pair));
    browser.click(&format!(".results [data-pair='{pair}']"));
    let depth = wait_text(&browser, "the depth", "return noli.studio.depth");
    assert!(depth.contains("mm; the arrow leads out"), "{depth}");
    browser.rest();
    browser.screenshot("studio-clash");
    assert_eq!(
        browser.run("return document.querySelector('.card .says').textContent"),
        "bracket.left and hose.washer pass through each other."
    );
    // The hose is taken with the mouse and pulled: the clash does not hold it, everything else does.
    browser.click(".card .row button:last-child");
    wait_true(&browser, "the hose to be chosen", "return document.body.dataset.chosen === 'hose.washer'");
    browser.rest();
    let grip = browser.run(
        "const { studio } = noli, box = studio.viewer.canvas.getBoundingClientRect();
         for (let y = 0.4 * box.height; y < box.height; y += 4) for (let x = 0.3 * box.width; x < 0.8 * box.width; x += 4) {
           const at = { clientX: box.left + x, clientY: box.top + y };
           if (studio.viewer.bodyAt(at)?.body === studio.chosen) return [Math.round(at.clientX), Math.round(at.clientY)];
         }",
    );
    let [x, y] =
        [0, 1].map(|k| grip[k].as_i64().unwrap_or_else(|| panic!("the hose is not in sight: {grip}")));
    browser.drag([x, y], &[[x + 30, y + 10], [x + 60, y + 20], [x + 90, y + 30]]);
    wait_true(&browser, "the hose to be dropped", "return noli.studio.edits.undo === 'move hose.washer'");
    browser.screenshot("studio-dragged");
    // The rest by steps, until it is free.
    browser.run("document.querySelector('input[aria-label=\"Step\"]').value = 10");
    browser.wait_for("the clash to be gone", |browser| {
        let found = crossing(browser)?;
        if !found.contains(&pair) {
            return Some(());
        }
        browser.click("[data-nudge='y1']");
        None
    });
    browser.screenshot("studio-moved");
    let figures = browser.run(
        "const half = (all) => [...all].sort((a, b) => a - b)[all.length >> 1];
         return [half(noli.studio.latency), half(noli.studio.micros) / 1000, half(noli.studio.viewer.frameTimes)]",
    );
    println!("wish to accepted pose, the server's share of it, one picture (medians, ms): {figures}");
    // What is exported is what is seen.
    let exported = browser.run(
        "const request = new XMLHttpRequest(); request.open('GET', document.querySelector('#export a[href*=json]').href, false);
         request.send(); return JSON.parse(request.responseText)",
    );
    let crosses = |pair: &&Value| {
        pair["a"] == "bracket.left" && pair["b"] == "hose.washer" && pair["relation"] == "crossing"
    };
    assert_eq!(exported["pairs"].as_array().unwrap().iter().find(crosses), None);
    let topics = browser.run(
        "const request = new XMLHttpRequest(); request.open('GET', document.querySelector('#export a[href*=bcf]').href, false);
         request.send(); return [request.status, request.responseText.slice(0, 2)]",
    );
    assert_eq!(topics, json!([200, "PK"]), "an archive of topics");
    // What is so by design is left out by a rule about names.
    browser.click("[data-panel='Pairs']");
    fill(&browser, "[aria-label='One side of the rule']", "fuses*");
    fill(&browser, "[aria-label='Other side of the rule']", "fuses*");
    browser.click("[data-rule='add']");
    wait_true(
        &browser,
        "the fuses to be left out",
        "const { studio } = noli; return !studio.results.stale
           && !studio.results.pairs.some((pair) => pair.hit && studio.nameOf(pair.a).startsWith('fuses') && studio.nameOf(pair.b).startsWith('fuses'))",
    );
    browser.screenshot("studio-pairs");
    undo_all(&browser);
    browser.wait_for("the clash to be back", |browser| crossing(browser)?.contains(&pair).then_some(()));
    browser.logs_no_errors();
}

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn a_mechanic_watches_the_bulb_come_out_and_sees_what_blocks_it() {
    let folder = Folder::new("studio-removal");
    let studio = Studio::start(&["--demo", "--detail", "1"]);
    let browser = studio.open(&folder, [1366, 768]);
    let verdict = |what: &str| {
        wait_text(&browser, what, "return document.querySelector('.verdict')?.textContent ?? ''")
    };
    browser.click("[data-panel='Play']");
    browser.click("[data-play='M2']");
    let planned = verdict("the verdict");
    assert!(planned.contains("Free, proven for the whole way, with at least 1.7"), "{planned}");
    browser.run("noli.studio.timeline.go(0.4)");
    browser.rest();
    browser.screenshot("studio-removal");
    let moved = browser.run(
        "const { studio } = noli, bulb = studio.track.bodies[0];
         return Math.hypot(...studio.viewer.bodies[bulb].at.map((x, k) => x - studio.bodies[bulb].at[k]))",
    );
    assert!(moved.as_f64().unwrap() > 1.0, "the bulb is on its way: {moved}");
    browser.click("[data-play='M2, headlight.cover left in']");
    wait_true(
        &browser,
        "the other verdict",
        "return document.querySelector('.verdict').textContent.includes('Blocked by headlight.cover')",
    );
    browser.screenshot("studio-blocked");
    // A way that noli looks for itself: the cover comes out, and the bulb behind it does not.
    let choose = |name: &str| {
        browser.run(&format!(
            "noli.studio.choose(noli.studio.bodies.findIndex((body) => body.name === '{name}'))"
        ));
        browser.click("[data-panel='Play']");
        browser.click("[data-play='way']");
    };
    choose("headlight.cover");
    let found = verdict("a way for the cover");
    assert!(found.contains("A way out for headlight.cover: Free, proven"), "{found}");
    browser.rest();
    browser.screenshot("studio-way");
    // A search that goes on for long can be watched and stopped.
    choose("radiator.fan");
    wait_true(&browser, "the progress", "return !document.querySelector('[data-play=stop]').hidden");
    browser.click("[data-play='stop']");
    wait_true(
        &browser,
        "the end of it",
        "return [...document.querySelectorAll('.note')].some((note) => note.textContent.includes('Stopped'))",
    );
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
    let lesson_done = || {
        wait_true(&browser, "the end of the lesson", "return document.body.dataset.lesson === 'done'");
    };
    browser.click("[data-panel='Learn']");
    browser.click("[data-lesson='2']");
    browser.run("noli.studio.choose(noli.studio.bodies.findIndex((body) => body.name === 'hose.upper'))");
    browser.click("[data-panel='Trees']");
    wait_true(&browser, "the root", "return noli.studio.tree?.volumes.length === 1");
    fill(&browser, "[aria-label='Level']", "3");
    wait_true(&browser, "eight balls", "return noli.studio.tree.volumes.length === 8");
    browser.rest();
    browser.screenshot("studio-tree-dark");
    let other = browser.run("return noli.studio.bodies.findIndex((body) => body.name === 'cable.sensor')");
    fill(&browser, "[aria-label='Against']", &other.to_string());
    let tests = "return noli.studio.tree.facts.find(([term]) => term === 'tests of volumes')?.[1] ?? ''";
    let one_sided = wait_text(&browser, "the walk", tests);
    fill(&browser, "[aria-label='Walk']", "simultaneous");
    let simultaneous = browser.wait_for("another walk", |_| {
        Some(wait_text(&browser, "it", tests)).filter(|tests| *tests != one_sided)
    });
    println!("tests of volumes: one-sided {one_sided}, simultaneous {simultaneous}");
    lesson_done();
    // The lesson about touching and crossing, by its own buttons.
    browser.run("noli.studio.whole()");
    browser.click("[data-panel='Learn']");
    browser.click("[data-lesson='0']");
    let at_step = |step: &str| {
        wait_true(&browser, "the next step", &format!("return document.body.dataset.lesson === '{step}'"));
        browser.click(".lesson .do");
    };
    for (step, relation) in [("0.0", ""), ("0.1", ""), ("0.2", "touching"), ("0.3", "crossing")] {
        at_step(step);
        if relation.is_empty() {
            continue;
        }
        let row = ".results [data-pair='box|box-2']";
        wait_true(
            &browser,
            "the pair of boxes",
            &format!(
                "const {{ studio }} = noli;
                 return !studio.results.stale && document.querySelector(\"{row}\") !== null && studio.results.pairs.some((pair) =>
                   pair.relation === '{relation}' && studio.nameOf(pair.a) === 'box' && studio.nameOf(pair.b) === 'box-2')"
            ),
        );
        browser.click(row);
    }
    lesson_done();
    browser.screenshot("studio-lesson");
    // Why sampling misses: numbers jump over the wall, a pull does not.
    browser.run("noli.studio.whole()");
    undo_all(&browser);
    browser.click("[data-panel='Learn']");
    browser.click("[data-lesson='1']");
    for step in ["1.0", "1.1", "1.2", "1.3"] {
        at_step(step);
    }
    browser.run("noli.studio.choose(noli.studio.bodies.findIndex((body) => body.name === 'ball'))");
    browser.click("[data-panel='Place']");
    browser.run("document.querySelector('input[aria-label=\"Step\"]').value = 200");
    browser.click("[data-nudge='x1']");
    lesson_done();
    // A formula, meshed as it is typed.
    browser.run("noli.studio.whole()");
    browser.click("[data-panel='Formula']");
    fill(&browser, "[aria-label='Formula']", "torus(100, 20)");
    browser.click("[data-formula='make']");
    wait_true(&browser, "the ring", "return document.body.dataset.chosen === 'formula'");
    let triangles = || {
        browser.run("const { studio } = noli; return studio.shapes[studio.bodies[studio.chosen].shape].triangles.length")
    };
    let ring = triangles();
    fill(&browser, "[aria-label='Formula']", "blend(torus(100, 20), sphere(60), 30");
    let error = wait_text(&browser, "what is wrong", "return noli.studio.formula.error");
    assert!(error.contains("formula"), "{error}");
    fill(&browser, "[aria-label='Formula']", "blend(torus(100, 20), sphere(60), 30)");
    browser.wait_for("another mesh", |_| (triangles() != ring).then_some(()));
    browser.rest();
    browser.screenshot("studio-formula");
    let fits = browser.run(
        "const { scrollWidth, clientWidth } = document.documentElement; return scrollWidth <= clientWidth",
    );
    assert_eq!(fits, true, "the page is not wider than the window");
    browser.logs_no_errors();
}

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn a_programmer_jogs_teaches_and_mends_a_program_that_would_touch() {
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
    // The post that somebody left there is met, in a line that is named, at a place that is shown.
    let run = |what: &str| {
        browser.run("noli.studio.closeTrack(); noli.studio.track = null");
        browser.click("[data-run='run']");
        wait_text(&browser, what, "return noli.studio.track?.verdict ?? ''")
    };
    let verdict = run("the run");
    assert!(verdict.contains("stops in line 14") && verdict.contains("post"), "{verdict}");
    browser.run("noli.studio.timeline.go(1)");
    browser.rest();
    browser.screenshot("studio-robot-clash");
    assert_eq!(browser.run("return document.body.dataset.line"), "14");
    assert_eq!(browser.run("return noli.studio.viewer.marks.length"), 1, "the place is marked");
    // Step by step from the beginning, with a line at which playing stops.
    browser.click("[data-run='step']");
    assert_eq!(browser.run("return document.body.dataset.line"), "11");
    browser.click("[data-run='step']");
    assert_eq!(browser.run("return document.body.dataset.line"), "12");
    browser.click(".gutter button[aria-label='Line 14']");
    browser.run("noli.studio.timeline.go(0.9)");
    browser.click("[data-run='pause']");
    wait_true(
        &browser,
        "the breakpoint",
        "return document.body.dataset.line === '14' && !noli.studio.timeline.playing",
    );
    // A place above the post is taught: there and back again.
    let tool = |browser: &Browser| {
        let at = browser.run("return noli.studio.jogged?.tool_at ?? noli.studio.robot.tool_at");
        [0, 1, 2].map(|k| at[k].as_f64().unwrap())
    };
    let near = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
    browser.click("[data-go='seguranca']");
    browser
        .wait_for("the tool at its location", |browser| near(tool(browser), [0.43, 0.0, 0.56]).then_some(()));
    for (step, arrow, end) in [(240, "z1", [0.43, 0.0, 0.8]), (200, "y-1", [0.43, -0.2, 0.8])] {
        fill(&browser, "[aria-label='Step of the tool']", &step.to_string());
        browser.click(&format!("[data-tool='{arrow}']"));
        browser.wait_for("the tool", |browser| near(tool(browser), end).then_some(()));
    }
    let gap = browser.run("return noli.studio.jogged.gap_text");
    assert!(gap.as_str().unwrap().contains("mm between"), "{gap}");
    fill(&browser, "[aria-label='Name of the location']", "via");
    browser.click("[data-run='teach']");
    wait_true(
        &browser,
        "the location",
        "return noli.studio.robot.locations.some(({ name }) => name === 'VIA')",
    );
    // A word that is none is marked in its line.
    let program = browser.run("return document.querySelector('.code').value");
    let program = program.as_str().unwrap();
    fill(&browser, ".code", &program.replace("SPEED 20", "SPED 20"));
    let error = wait_text(&browser, "the error", "return document.querySelector('.errors').textContent");
    assert!(error.contains("Line 18"), "{error}");
    fill(&browser, ".code", program);
    wait_true(&browser, "no error", "return document.querySelector('.errors').textContent === ''");
    // The arm goes over the post before it approaches, and on its way back.
    for line in [19, 12] {
        browser.run(&format!(
            "const code = document.querySelector('.code'), at = code.value.split('\\n').slice(0, {line}).join('\\n').length;
             code.setSelectionRange(at, at)"
        ));
        browser.click("[data-move='via']");
    }
    let mended = run("the mended run");
    assert!(mended.contains("motions proven free and driven"), "{mended}");
    browser.run("noli.studio.timeline.stop(); noli.studio.timeline.go(0.2)");
    browser.rest();
    browser.screenshot("studio-robot-mended");
    // How the arm is made, by its axes.
    assert_eq!(browser.run("return document.querySelectorAll('.dh tbody tr').length"), 6);
    // The other ways to stand, and what is written of the run.
    browser.click("[data-run='branches']");
    wait_true(&browser, "the branches", "return noli.studio.branches.length === 8");
    // The lesson about frames and branches, to its end.
    browser.run("noli.studio.closeTrack()");
    browser.click("[data-panel='Learn']");
    browser.click("[data-lesson='3']");
    let at_step = |step: &str| {
        wait_true(&browser, "the next step", &format!("return document.body.dataset.lesson === '3.{step}'"));
    };
    at_step("0");
    browser.click(".lesson .do");
    browser.run(
        "const slider = document.querySelectorAll('.joint input')[1]; slider.value = Number(slider.value) - 3;
         slider.dispatchEvent(new Event('input'))",
    );
    at_step("1");
    fill(&browser, "[aria-label='Step of the tool']", "10");
    browser.click("[data-tool='z-1']");
    at_step("2");
    browser.click("[data-run='branches']");
    at_step("3");
    browser.run("document.querySelector('.branches button:not(:disabled)').click()");
    wait_true(&browser, "the end of the lesson", "return document.body.dataset.lesson === 'done'");
    let report = browser.run(
        "const request = new XMLHttpRequest(); request.open('GET', document.querySelector('#export a[href*=json]').href, false);
         request.send(); return JSON.parse(request.responseText).contacts.length",
    );
    assert_eq!(report, 0);
    browser.logs_no_errors();
}

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn a_designer_composes_a_manipulator_and_looks_at_forces_and_figures() {
    let folder = Folder::new("studio-parts");
    let stored = Folder::new("studio-parts-db");
    stored.file("plate.obj", &write_box([120.0, 80.0, 12.0]));
    stored.file("lever.obj", &write_box([30.0, 30.0, 160.0]));
    let database = stored.0.join("parts.db").to_str().unwrap().to_owned();
    assert!(noli(&["db", "init", &database]).status.success());
    let studio = Studio::start(&[&database]);
    let browser = studio.open(&folder, [1440, 900]);
    assert_eq!(
        browser.run("return document.querySelector('#tabs [aria-selected=true]').textContent"),
        "Parts"
    );
    for (file, name) in [("plate.obj", "plate"), ("lever.obj", "lever")] {
        fill(&browser, "[aria-label='File to take in']", file);
        browser.click("[data-parts='import']");
        wait_true(
            &browser,
            "the part",
            &format!("return noli.studio.stored.entries.some((entry) => entry.name === '{name}')"),
        );
    }
    browser.click("[data-part='plate']");
    wait_true(&browser, "the plate in the view", "return noli.studio.bodies[0]?.name === 'plate'");
    for name in ["plate", "lever", "lever"] {
        fill(&browser, "[aria-label='Component']", name);
        browser.click("[data-parts='add']");
    }
    browser.run(
        "const text = document.querySelector('[aria-label=Composition]');
         text.value = text.value.replace('axis = [0, 0, 1]\\nrange_deg = [-180, 180]\\n\\n', 'axis = [0, 1, 0]\\nrange_deg = [-90, 90]\\n\\n')",
    );
    browser.click("[data-parts='compose']");
    wait_true(
        &browser,
        "the arm",
        "return noli.studio.part?.name === 'arm' && noli.studio.bodies.length === 3",
    );
    assert_eq!(browser.run("return document.querySelectorAll('.card .figures tbody tr').length"), 2);
    browser.rest();
    browser.screenshot("studio-parts");
    let has_arm = "noli.studio.stored.entries.some((entry) => entry.name === 'arm')";
    browser.click("#undo");
    wait_true(
        &browser,
        "the arm to be taken back",
        &format!("return !{has_arm} && noli.studio.part === null"),
    );
    browser.click("#redo");
    wait_true(&browser, "the arm again", &format!("return {has_arm}"));
    browser.logs_no_errors();
    // What bears a brick that has fallen.
    let scene = "units = \"m\"\n[[body]]\nname = \"floor\"\nbox = [4, 4, 1]\npose = { xyz = [0, 0, -0.5] }\nfixed = true\n\n\
                 [[body]]\nname = \"brick\"\nbox = [0.8, 0.6, 0.4]\npose = { xyz = [0, 0, 0.4] }\nrestitution = 0\n\n\
                 [simulation]\nseconds = 0.6\n";
    let fall = Studio::start(&[&folder.file("fall.toml", scene)]);
    fall.reopen_in(&browser);
    browser.click("[data-panel='Play']");
    browser.click("[data-play='dynamics']");
    wait_true(&browser, "the simulation", "return (noli.studio.track?.forces.length ?? 0) > 0");
    browser.run("noli.studio.timeline.go(1)");
    assert_ne!(browser.run("return noli.studio.forcesShown"), 0, "the brick rests on something");
    browser.rest();
    browser.screenshot("studio-forces");
    // Figures of the lab, in a folder that has some.
    let plot = json!({ "title": "Cost", "x": "degree", "y": "ms", "shape": "lines", "places": [],
        "series": [{ "name": "ours", "points": [[2, 0.12], [3, 0.09], [4, 0.11]] }, { "name": "theirs", "points": [[2, 0.2], [4, 0.3]] }] });
    let bars = json!({ "title": "Tests", "x": "walk", "y": "tests", "shape": "bars", "places": ["one-sided", "hybrid"],
        "series": [{ "name": "tests", "points": [[0, 120], [1, 80]] }] });
    let record = json!({ "experiment": "demo", "machine": { "name": "here" }, "date": "2026-11-15", "seconds": 2.5, "notes": [],
        "findings": [{ "claim": "Three is best", "verdict": "confirmed", "why": "0.09 ms" }],
        "tables": [{ "title": "Cost", "columns": ["degree", "ms"], "rows": [{ "label": "2", "cells": [{ "ours": 0.12, "printed": 0.1 }] }] }],
        "plots": [plot, bars] });
    std::fs::create_dir_all(folder.0.join("lab/record/here")).unwrap();
    folder.file("lab/record/here/demo.json", &record.to_string());
    let lab = Studio::start(&[&folder.file("other.toml", scene)]);
    lab.reopen_in(&browser);
    browser.click("[data-panel='Lab']");
    browser.click("[data-record='demo']");
    wait_true(&browser, "the plots", "return document.querySelectorAll('.chart').length === 2");
    assert_eq!(browser.run("return document.querySelectorAll('.chart rect').length"), 2);
    browser.screenshot("studio-lab");
    // On a small screen, in the dark.
    browser.cdp(
        "Emulation.setDeviceMetricsOverride",
        json!({ "width": 1024, "height": 768, "deviceScaleFactor": 1, "mobile": false }),
    );
    let dark = json!({ "features": [{ "name": "prefers-color-scheme", "value": "dark" }] });
    browser.cdp("Emulation.setEmulatedMedia", dark);
    let cut_off = "const cut = [...document.querySelectorAll('#tabs button, .pane')].filter((part) => !part.hidden
           && part.getBoundingClientRect().right > innerWidth + 1).map((part) => part.textContent.slice(0, 20)); return cut.join(', ')";
    browser.rest();
    browser.screenshot("studio-lab-dark");
    assert_eq!(browser.run(cut_off), "");
    studio.reopen_in(&browser);
    browser.click("[data-part='arm']");
    wait_true(&browser, "the arm again", "return noli.studio.part?.name === 'arm'");
    browser.rest();
    browser.screenshot("studio-parts-dark");
    assert_eq!(browser.run(cut_off), "");
    browser.logs_no_errors();
}

/// A box with these lengths as OBJ text.
fn write_box([x, y, z]: [f64; 3]) -> String {
    let mut text = String::new();
    crate::support::write_object(&mut text, "box", &noli_scenes::cuboid(0.5 * glam::dvec3(x, y, z)), 0);
    text
}

/// A list of very many bodies holds those in sight, and goes by keys as far as its end.
#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn very_many_bodies_are_found_by_keys() {
    let folder = Folder::new("studio-many");
    let studio = Studio::start(&[&folder.file("chain.toml", &crate::page::chain(1200))]);
    let browser = studio.open(&folder, [1280, 800]);
    let rows = |list: &str| {
        browser
            .run(&format!("return document.querySelectorAll('.{list} li:not(.spacer)').length"))
            .as_u64()
            .unwrap()
    };
    for list in ["bodies", "results"] {
        assert!((10..100).contains(&rows(list)), "{list}: {}", rows(list));
    }
    let key = |list: &str, key: &str| {
        browser.run(&format!(
            "const list = document.querySelector('.{list}'); list.focus();
             list.dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}', bubbles: true }}))"
        ))
    };
    for pressed in ["End", "ArrowUp", "Enter"] {
        key("bodies", pressed);
    }
    assert_eq!(browser.run("return document.body.dataset.chosen"), "box1198");
    let row = "const row = document.querySelector('.bodies .chosen'), list = document.querySelector('.bodies');
        return row && row.id === list.getAttribute('aria-activedescendant') && row.getBoundingClientRect().bottom <= list.getBoundingClientRect().bottom
          && document.activeElement === list && Number(row.getAttribute('aria-posinset'))";
    assert_eq!(browser.run(row), 1199);
    key("bodies", " ");
    assert_eq!(
        browser.run("return [...noli.studio.hidden].map((body) => noli.studio.nameOf(body)).join()"),
        "box1198"
    );
    browser.click("[data-panel='Results']");
    for _ in 0..60 {
        key("results", "ArrowDown");
    }
    let pair = browser.run("return document.querySelector('.results .chosen')?.dataset.pair ?? ''");
    assert_ne!(pair, "", "the pair that is looked at is in sight");
    browser.logs_no_errors();
}

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn two_tabs_see_one_state_and_a_killed_server_loses_nothing() {
    let folder = Folder::new("studio-tabs");
    let scene = "units = \"mm\"\n[[body]]\nname = \"wall\"\nbox = [2, 100, 100]\npose = { xyz = [50, 0, 0] }\n\n\
                 [[body]]\nname = \"ball\"\nsphere = { radius = 5 }\n";
    let file = folder.file("scene.toml", scene);
    let mut studio = Studio::start(&[&file]);
    let browser = studio.open(&folder, [1024, 700]);
    let first = browser.ask("GET", "/window", Value::Null);
    let second = browser.ask("POST", "/window/new", json!({ "type": "tab" }))["handle"].clone();
    let go = |tab: &Value| browser.ask("POST", "/window", json!({ "handle": tab }));
    go(&second);
    browser.ask("POST", "/url", json!({ "url": studio.url }));
    wait_true(&browser, "the second tab", "return document.body.dataset.ready === 'true'");
    let ball = "return JSON.stringify(noli.studio.bodies[1].at)";
    let before = browser.run(ball);
    browser.run("noli.studio.choose(1)");
    browser.click("[data-panel='Place']");
    fill(&browser, "[aria-label='Step']", "20");
    browser.click("[data-nudge='x1']");
    wait_true(&browser, "the change", "return noli.studio.edits.undo === 'move ball'");
    let after = browser.run(ball);
    assert_ne!(before, after);
    go(&first);
    browser.wait_for("the first tab to see it", |browser| (browser.run(ball) == after).then_some(()));
    assert_eq!(browser.run("return noli.studio.edits.unsaved"), 1);
    // No farewell, and the page says so.
    studio.server.kill().unwrap();
    studio.server.wait().unwrap();
    wait_true(&browser, "the page to notice", "return document.body.dataset.link !== 'open'");
    wait_true(&browser, "the page to say what to do", "return !document.getElementById('gone').hidden");
    browser.screenshot("studio-lost");
    let again = Studio::start(&[&file]);
    browser.ask("POST", "/url", json!({ "url": again.url }));
    wait_true(&browser, "the studio again", "return document.body.dataset.ready === 'true'");
    assert_eq!(browser.run(ball), after, "nothing was lost");
    browser.click("#save");
    wait_true(&browser, "the scene to be saved", "return noli.studio.edits.unsaved === 0");
    let saved = noli_io::parse_scene(&std::fs::read(&file).unwrap()).unwrap();
    let place = saved.bodies[1].pose.translation;
    assert!((place.x - 20.0).abs() < 1e-9 && place.y == 0.0, "{place}");
}

/// Drops a file onto the page, as far as the page can tell.
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
fn a_beginner_starts_in_an_empty_folder_with_files_that_are_dropped() {
    let (folder, project) = (Folder::new("studio-empty"), Folder::new("studio-empty-project"));
    let studio = Studio::start(&[project.0.to_str().unwrap()]);
    let browser = studio.open(&folder, [1024, 768]);
    let visible = "return !document.getElementById('welcome').hidden";
    assert_eq!(browser.run(visible), true, "the page says what to do");
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
        "return noli.studio.results.pairs.some((pair) => pair.relation === 'crossing')",
    );
    browser.rest();
    browser.screenshot("studio-dropped");
    let seen = browser.run(
        "const { viewer } = noli.studio, box = viewer.canvas.getBoundingClientRect();
         const at = (x, y) => viewer.bodyAt({ clientX: box.left + x * box.width, clientY: box.top + y * box.height })?.body ?? null;
         return [at(0.5, 0.5) !== null, at(0.02, 0.98), at(0.98, 0.2)]",
    );
    assert_eq!(seen, json!([true, null, null]), "what was dropped is in the view");
    // From here on the browser itself logs what is refused.
    browser.logs_no_errors();
    // A file of that name is there now; one that is no mesh is none, and a second one comes from the menu.
    for (name, told) in [("blocks.obj", "has a file of this name"), ("notes.txt", "Only mesh files")] {
        drop_file(&browser, name, "o x\n");
        let said = format!(
            "return [...document.querySelectorAll('.note')].some((note) => note.textContent.includes('{told}'))"
        );
        wait_true(&browser, told, &said);
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
    let scene = noli_io::parse_scene(&std::fs::read(project.0.join("scene.toml")).unwrap()).unwrap();
    assert_eq!(scene.bodies.len(), 4);
}

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn a_way_is_recorded_by_mouse_and_by_six_axes_and_played_in_every_mode() {
    let folder = Folder::new("studio-record");
    let scene = "units = \"mm\"\n[[body]]\nname = \"wall\"\nbox = [2, 100, 100]\npose = { xyz = [50, 0, 0] }\n\n\
                 [[body]]\nname = \"brick\"\nbox = [10, 8, 6]\n";
    let studio = Studio::start(&[&folder.file("scene.toml", scene)]);
    let browser = studio.open(&folder, [1280, 800]);
    let brick = "noli.studio.bodies[1]";
    let x = |browser: &Browser| {
        let x = browser.run(&format!(
            "const {{ at }} = {brick}; return at[0] / noli.studio.hello.scale + noli.studio.hello.middle[0]"
        ));
        x.as_f64().unwrap()
    };
    // By mouse, through the wall: from the side, so that right is along x.
    browser
        .run("noli.studio.choose(1); noli.studio.mode = 'ghost'; noli.studio.viewer.lookFrom([0, -1, 0.01])");
    browser.rest();
    browser.click("[data-panel='Play']");
    browser.click("[data-play='record']");
    let places = browser.run(
        "const { viewer, bodies } = noli.studio, box = viewer.canvas.getBoundingClientRect();
         const seen = (at) => { for (let y = 0; y < box.height; y += 3) for (let x = 0; x < box.width; x += 3) {
           const place = { clientX: box.left + x, clientY: box.top + y };
           if (viewer.bodyAt(place)?.body === at) return [Math.round(place.clientX + 4), Math.round(place.clientY + 4)];
         } };
         return [seen(1), seen(0)]",
    );
    let [from, wall] =
        [0, 1].map(|k| [0, 1].map(|n| places[k][n].as_i64().unwrap_or_else(|| panic!("{places}"))));
    let beyond = wall[0] + (wall[0] - from[0]) / 3;
    browser.drag(from, &[[(from[0] + wall[0]) / 2, from[1]], [wall[0], from[1]], [beyond, from[1]]]);
    wait_true(&browser, "the brick to be dropped", "return noli.studio.edits.undo === 'move brick'");
    assert!(x(&browser) > 55.0, "it was carried through the wall: {}", x(&browser));
    browser.click("[data-play='record']");
    let verdict = |said: &str| {
        wait_true(
            &browser,
            said,
            &format!("return (document.querySelector('.verdict')?.textContent ?? '').includes('{said}')"),
        );
    };
    verdict("Blocked by wall");
    for (mode, said) in [("ghost", "Passes through wall"), ("slide", "held back by contact")] {
        browser.click(&format!("[data-replay='{mode}']"));
        verdict(said);
        browser.rest();
        browser.screenshot(&format!("studio-by-hand-{mode}"));
    }
    let start = browser
        .run("return noli.studio.track.poses[0] / noli.studio.hello.scale + noli.studio.hello.middle[0]");
    assert!(start.as_f64().unwrap().abs() < 0.1, "a way begins where it was recorded: {start}");
    // By a device of six axes, which the page finds as it finds a real one.
    browser.run("noli.studio.closeTrack()");
    undo_all(&browser);
    browser.run(
        "window.pad = { axes: [0, 0, 0, 0, 0, 0], buttons: [], mapping: '' };
         navigator.getGamepads = () => [null, window.pad];
         noli.studio.choose(1); noli.studio.mode = 'stop'; dispatchEvent(new Event('gamepadconnected'))",
    );
    let record = "document.querySelector('[data-play=record]').click()";
    browser.run(record);
    browser.run("pad.axes[5] = -0.5");
    wait_true(&browser, "a turn", &format!("return {brick}.turn[2] > 0.02"));
    browser.run("pad.axes[5] = 0; pad.axes[0] = 1");
    wait_true(&browser, "the wall", "return noli.studio.stopped !== null && noli.studio.lastStop === 'wall'");
    browser.run("pad.axes[0] = 0.05");
    wait_true(&browser, "the brick to be let go of", "return noli.studio.edits.undo === 'move brick'");
    let reached = x(&browser);
    assert!((40.0..45.0).contains(&reached), "it stops at the wall: {reached}");
    browser.run(record);
    verdict("Free, proven for the whole way");
    assert_eq!(browser.run("return noli.studio.way.places.length > 3"), true);
    browser.logs_no_errors();
}

/// Records that come with noli, looked at in the folder that they lie in.
#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn every_record_of_the_lab_is_drawn() {
    let folder = Folder::new("studio-records");
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let studio = Studio::start(&[root]);
    let browser = studio.open(&folder, [1440, 900]);
    let records = browser.run("return noli.studio.hello.records");
    let records: Vec<&str> = records.as_array().unwrap().iter().map(|file| file.as_str().unwrap()).collect();
    assert!(records.len() > 10, "{records:?}");
    browser.click("[data-panel='Lab']");
    let mut plots = 0;
    for file in records {
        browser.run(&format!("noli.studio.say({{ do: 'record', file: {} }})", json!(file)));
        wait_true(&browser, file, &format!("return noli.studio.recordFile === {}", json!(file)));
        let wrong = browser.run(
            "const { plots = [], tables } = noli.studio.record, charts = [...document.querySelectorAll('.chart')];
             if (charts.length !== plots.length || document.querySelectorAll('.pane .figures').length !== tables.length) return 'something is missing';
             const numbers = charts.flatMap((chart) => [...chart.querySelectorAll('*')].flatMap((part) => [...part.attributes].map(({ value }) => value)));
             const cut = charts.flatMap((chart) => [...chart.querySelectorAll('text')].filter((text) => {
               const [all, own] = [chart, text].map((part) => part.getBoundingClientRect());
               return own.bottom > all.bottom + 1 || own.left < all.left - 1 || own.right > all.right + 1;
             }));
             if (cut.length > 0) return 'cut off: ' + cut[0].textContent;
             return numbers.find((value) => /NaN|Infinity|undefined/.test(value)) ?? charts.length",
        );
        plots += wrong.as_u64().unwrap_or_else(|| panic!("{file}: {wrong}"));
    }
    assert!(plots > 0, "some have plots");
    browser.screenshot("studio-records");
    browser.logs_no_errors();
}
