//! The studio of the program in a browser.

use super::Folder;
use super::browser::Browser;
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// `noli serve` until the end of the test.
pub(crate) struct Studio {
    pub(crate) server: Child,
    pub(crate) url: String,
}

impl Studio {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::start_in(std::path::Path::new("."), arguments)
    }

    /// With a folder of its own to work in.
    pub(crate) fn start_in(folder: &std::path::Path, arguments: &[&str]) -> Self {
        Self::start_with(folder, "0", arguments)
    }

    /// At a port.
    pub(crate) fn start_at(port: &str, arguments: &[&str]) -> Self {
        Self::start_with(std::path::Path::new("."), port, arguments)
    }

    fn start_with(folder: &std::path::Path, port: &str, arguments: &[&str]) -> Self {
        let mut command = Command::new(crate::PROGRAM);
        command.current_dir(folder);
        command.arg("serve").args(arguments).args(["--port", port, "--no-browser"]);
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
    pub(crate) fn reopen_in(&self, browser: &Browser) {
        browser.ask("POST", "/url", json!({ "url": self.url }));
        wait_true(browser, "the studio", "return document.body.dataset.ready === 'true'");
        browser.rest();
    }

    /// Ends the server after its page was left: one server at a time has a scene.
    pub(crate) fn leave(self, browser: &Browser) {
        browser.ask("POST", "/url", json!({ "url": "about:blank" }));
        drop(self);
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

/// Waits until a script of the page returns a text, and returns it.
pub(crate) fn wait_text(browser: &Browser, what: &str, script: &str) -> String {
    browser.wait_for(what, |browser| {
        browser.run(script).as_str().filter(|text| !text.is_empty()).map(str::to_owned)
    })
}

pub(crate) fn wait_true(browser: &Browser, what: &str, script: &str) {
    browser.wait_for(what, |browser| (browser.run(script) == true).then_some(()));
}

/// Types into a field, as far as the page can tell, once it is drawn.
pub(crate) fn fill(browser: &Browser, selector: &str, value: &str) {
    let script = format!(
        "const field = document.querySelector({}); if (!field) return false; field.value = {};
         field.dispatchEvent(new Event('input')); field.dispatchEvent(new Event('change')); return true",
        json!(selector),
        json!(value)
    );
    wait_true(browser, selector, &script);
}

/// Takes everything back.
pub(crate) fn undo_all(browser: &Browser) {
    browser.wait_for("everything to be taken back", |browser| {
        let button = "document.querySelector('#undo')";
        browser.run(&format!("if ({button}.disabled) return true; {button}.click()")).as_bool()
    });
}
