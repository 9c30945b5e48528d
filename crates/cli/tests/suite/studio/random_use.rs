//! Random use: no error in the page, no growth of the server, and the same state after a reload.

use super::{Studio, engine_bay, wait_true};
use crate::support::Folder;
use crate::support::browser::Browser;
use serde_json::{Value, json};

/// One random action of a user; the argument selects it. Returns its name.
const ACT: &str = "
    const { studio } = noli, n = studio.bodies.length;
    let seed = arguments[0];
    const random = (below) => { seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0; return Math.floor((seed / 4294967296) * below); };
    const body = () => { for (;;) { const found = random(n); if (!studio.bodies[found].gone) return found; } };
    const pair = () => studio.results?.pairs[random(studio.results.pairs.length)] ?? null;
    const click = (selector) => { const all = [...document.querySelectorAll(selector)].filter((it) => !it.disabled && it.offsetParent); all[random(all.length)]?.click(); };
    const actions = {
      choose: () => studio.choose(body()),
      also: () => studio.chooseAlso([body(), body()]),
      nudge: () => { studio.choose(body()); studio.nudge('xyz'[random(3)], random(200) / 10 - 10); },
      place: () => studio.say({ do: 'place', body: body(), xyz: [random(800), random(600), random(500)], quaternion: [0, 0, 0, 1] }),
      look: () => studio.look(pair()),
      status: () => { const it = pair(); if (it) studio.say({ do: 'status', a: it.a, b: it.b, status: ['active', 'approved', 'resolved'][random(3)], comment: 'c' + random(9) }); },
      hide: () => studio.hide(body()),
      isolate: () => studio.isolate([body()]),
      xray: () => click('#tools button'),
      panel: () => click('#tabs button'),
      rows: () => click('.results [data-pair]'),
      undo: () => document.querySelector('#undo').click(),
      redo: () => document.querySelector('#redo').click(),
      add: () => studio.say({ do: 'add', shape: { kind: 'box', size: [random(40) + 1, 10, 10] } }),
      copy: () => studio.say({ do: 'copy', body: body() }),
      remove: () => studio.say({ do: 'remove', body: body() }),
      margin: () => studio.say({ do: 'margin', value: random(3) }),
      off: () => studio.say({ do: 'pair', a: body(), b: 0, on: false }),
      mode: () => { studio.mode = ['stop', 'slide', 'ghost'][random(3)]; },
      view: () => studio.viewer.lookFrom([random(9) - 4, random(9) - 4, random(5)]),
      whole: () => studio.whole(),
    };
    const names = Object.keys(actions), there = studio.bodies.filter(({ gone }) => !gone).length;
    let name = names[random(names.length)];
    // A person removes what is too much.
    if (there > 80 && (name === 'add' || name === 'copy')) name = 'remove';
    actions[name]();
    return name;";

/// Everything that a tab shows of the shared state.
fn state(browser: &Browser) -> Value {
    browser.run(
        "const { bodies, rules, results, edits } = noli.studio, untagged = ({ say, ...rest }) => rest;
         return { bodies: bodies.map(({ name, at, turn, gone }) => [name, at, turn, gone]), rules: untagged(rules), edits: untagged(edits),
           outcome: results.outcome, status: results.status, pairs: results.pairs.map(({ a, b, relation }) => [a, b, relation]) }",
    )
}

fn resident_mib(process: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse::<f64>().ok().map(|kib| kib / 1024.0)
}

/// Compares all pairs until no change is left out, whatever was under way.
fn compare(browser: &Browser) {
    for _ in 0..2 {
        browser.run("window.before = noli.studio.results; noli.studio.say({ do: 'check' })");
        wait_true(browser, "a comparison", "return noli.studio.results !== window.before");
    }
    wait_true(browser, "the results", "return noli.studio.results !== null && !noli.studio.results.stale");
}

/// Seconds of the long version, in which a page is loaded anew every so many actions.
const SECONDS: &str = "NOLI_RANDOM_USE_SECONDS";
const RELOAD: u32 = 1000;

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn random_use_neither_fails_nor_grows_nor_loses() {
    const ROUND: u32 = 100;
    let seconds: Option<f64> = std::env::var(SECONDS).ok().and_then(|text| text.parse().ok());
    let folder = Folder::new("studio-random");
    let bay = engine_bay(&folder, &["--detail", "1"]);
    let studio = Studio::start(&[&bay]);
    let browser = studio.open(&folder, [1280, 800]);
    let rest = "return !noli.studio.isPending() && !noli.studio.results.stale && document.body.dataset.still === 'true'";
    let (start, mut held, mut action) = (std::time::Instant::now(), Vec::new(), 0);
    while seconds.map_or(action < 4 * ROUND, |seconds| start.elapsed().as_secs_f64() < seconds) {
        for _ in 0..ROUND {
            action += 1;
            let seed = json!(action.wrapping_mul(2_654_435_761_u32));
            browser.ask("POST", "/execute/sync", json!({ "script": ACT, "args": [seed] }));
        }
        wait_true(&browser, "everything to rest", rest);
        held.extend(resident_mib(studio.process()));
        browser.logs_no_errors();
        assert_eq!(browser.run("return document.body.dataset.link"), "open");
        if action % RELOAD == 0 {
            reload(&studio, &browser);
        }
        let heap = browser.run("return Math.round(performance.memory.usedJSHeapSize / 1048576)");
        let count = browser.run("const { bodies } = noli.studio; return [bodies.filter(({ gone }) => !gone).length, bodies.length]");
        println!(
            "{:.0} s, {action} actions: the server holds {:.1} MiB, the scripts of the page {heap} MiB, bodies {count}",
            start.elapsed().as_secs_f64(),
            held.last().unwrap_or(&0.0)
        );
    }
    if let Some((second, last)) = held.get(held.len() / 2).zip(held.last()) {
        assert!(*last < 1.25 * second + 8.0, "memory of the server grows: {held:?} MiB");
    }
    reload(&studio, &browser);
}

/// A page that is loaded anew has the same state.
fn reload(studio: &Studio, browser: &Browser) {
    compare(browser);
    let before = state(browser);
    studio.reopen_in(browser);
    wait_true(browser, "the results", "return noli.studio.results !== null && !noli.studio.results.stale");
    assert_eq!(state(browser), before);
    browser.logs_no_errors();
}
