//! The pages of `--html` in a real browser: a row is clicked, and the clash stands out; time is moved, and bodies move.
//!
//! Needs Debian's `chromium` and `chromium-driver`, so it runs only when asked: `cargo xtask test` does, and
//! `cargo test -p noli-cli --test page -- --ignored`. Screenshots are left in the folder named by `NOLI_SCREENSHOTS`.

use crate::support::{Folder, exit_code, noli};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A browser behind chromedriver, spoken to by WebDriver: JSON over HTTP.
struct Browser {
    driver: Child,
    port: u16,
    session: String,
}

impl Browser {
    fn start(profile: &Folder, [width, height]: [u32; 2]) -> Self {
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let driver = Command::new("chromedriver")
            .arg(format!("--port={port}"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver starts");
        let mut browser = Self { driver, port, session: String::new() };
        let profile = profile.0.join(format!("profile-{width}"));
        let arguments = json!([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--use-angle=swiftshader",
            "--enable-unsafe-swiftshader",
            "--hide-scrollbars",
            "--force-device-scale-factor=1",
            format!("--window-size={width},{height}"),
            format!("--user-data-dir={}", profile.display()),
        ]);
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "goog:loggingPrefs": { "browser": "ALL" }, "goog:chromeOptions": { "args": arguments },
        } } });
        let started = browser.wait_for("a session", |browser| browser.try_ask("POST", "/session", &wanted));
        browser.session = started["sessionId"].as_str().unwrap_or_else(|| panic!("{started}")).to_owned();
        // The window has a frame even without a screen: set the inside.
        browser.cdp(
            "Emulation.setDeviceMetricsOverride",
            json!({
                "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false,
            }),
        );
        browser
    }

    /// One request; the `value` of the answer, or nothing where nobody listens yet.
    fn try_ask(&self, method: &str, path: &str, body: &Value) -> Option<Value> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let body = if method == "POST" { body.to_string() } else { String::new() };
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all((head + &body).as_bytes()).ok()?;
        let answer = whole_answer(&mut stream)?;
        Some(serde_json::from_str::<Value>(&answer).ok()?["value"].clone())
    }

    fn ask(&self, method: &str, path: &str, body: Value) -> Value {
        let path = format!("/session/{}{path}", self.session);
        let value = self.try_ask(method, &path, &body).unwrap_or_else(|| panic!("no answer to {path}"));
        assert!(value.get("error").is_none(), "{path}: {value}");
        value
    }

    fn cdp(&self, command: &str, parameters: Value) {
        self.ask("POST", "/goog/cdp/execute", json!({ "cmd": command, "params": parameters }));
    }

    fn run(&self, script: &str) -> Value {
        self.ask("POST", "/execute/sync", json!({ "script": script, "args": [] }))
    }

    /// A click as a mouse makes it.
    fn click(&self, selector: &str) {
        let found = self.ask("POST", "/element", json!({ "using": "css selector", "value": selector }));
        let id = found.as_object().and_then(|found| found.values().next()).and_then(Value::as_str).unwrap();
        self.ask("POST", &format!("/element/{id}/click"), json!({}));
    }

    fn wait_for<T>(&self, what: &str, mut ask: impl FnMut(&Self) -> Option<T>) -> T {
        let start = Instant::now();
        loop {
            if let Some(answer) = ask(self) {
                return answer;
            }
            assert!(start.elapsed() < Duration::from_secs(60), "waited in vain for {what}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Waits until the camera rests.
    fn rest(&self) {
        std::thread::sleep(Duration::from_millis(200));
        self.wait_for("the camera to rest", |browser| {
            (browser.run("return document.body.dataset.still") == "true").then_some(())
        });
    }

    /// Of the pixels of the view, how many are red, orange and blue: the colours of clash, A and B. Marks do not count.
    fn colours(&self) -> [u64; 3] {
        let counts = self.run(
            "const view = noli.view;
             view.showMarks(false);
             view.draw();
             view.showMarks(true);
             const from = view.canvas, to = document.createElement('canvas');
             [to.width, to.height] = [from.width, from.height];
             const pen = to.getContext('2d');
             pen.drawImage(from, 0, 0);
             const seen = pen.getImageData(0, 0, to.width, to.height).data;
             const counts = [0, 0, 0];
             for (let i = 0; i < seen.length; i += 4) {
               const [r, g, b, a] = seen.slice(i, i + 4);
               if (a < 100) continue;
               if (r > 190 && g < 90 && b < 90) counts[0]++;
               else if (r > b + 60 && g > b + 20) counts[1]++;
               else if (b > r + 60) counts[2]++;
             }
             return counts;",
        );
        [0, 1, 2].map(|colour| counts[colour].as_u64().unwrap())
    }

    fn logs_no_errors(&self) {
        let log = self.ask("POST", "/se/log", json!({ "type": "browser" }));
        let severe = |entry: &&Value| entry["level"] == "SEVERE";
        assert_eq!(log.as_array().unwrap().iter().find(severe), None, "the page logs no errors");
    }

    fn screenshot(&self, name: &str) {
        let Some(folder) = std::env::var_os("NOLI_SCREENSHOTS") else { return };
        let png = self.ask("GET", "/screenshot", Value::Null);
        std::fs::create_dir_all(&folder).unwrap();
        let path = std::path::Path::new(&folder).join(format!("{name}.png"));
        let decoded = base64::Engine::decode(&base64::prelude::BASE64_STANDARD, png.as_str().unwrap());
        std::fs::write(path, decoded.unwrap()).unwrap();
    }
}

/// The body of an HTTP answer. The driver keeps the connection open, so the header has to say how long it is.
fn whole_answer(stream: &mut TcpStream) -> Option<String> {
    let (mut answer, mut piece) = (Vec::new(), [0; 1 << 16]);
    loop {
        let count = stream.read(&mut piece).ok().filter(|&count| count > 0)?;
        answer.extend_from_slice(&piece[..count]);
        let text = String::from_utf8_lossy(&answer);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let head = head.to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length:"))?;
        if body.len() >= length.trim().parse().ok()? {
            return Some(body.to_owned());
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Ends the browser; the driver alone would leave it running.
        let ended = self.try_ask("DELETE", &format!("/session/{}", self.session), &Value::Null);
        if ended != Some(Value::Null) {
            eprintln!("the browser was not ended: {ended:?}");
        }
        self.driver.kill().ok();
        self.driver.wait().ok();
    }
}

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn clicking_a_row_shows_the_clash() {
    let folder = Folder::new("page");
    let page = folder.0.join("page.html");
    assert_eq!(exit_code(&noli(&["check", "--demo", "--html", page.to_str().unwrap()])), 1);
    for (size, name) in [([1920, 1080], "desktop"), ([1366, 768], "laptop")] {
        let browser = Browser::start(&folder, size);
        browser.ask("POST", "/url", json!({ "url": format!("file://{}", page.display()) }));
        browser.rest();
        browser.screenshot(name);
        assert_eq!(browser.run("return document.querySelector('h1').textContent"), "16 pairs to look at");
        assert_eq!(browser.run("return noli.marks()"), 16);
        let [_, orange, blue] = browser.colours();
        assert_eq!((orange, blue), (0, 0), "nothing stands out before a click");

        browser.click("tr[data-pair='1']");
        browser.rest();
        browser.screenshot(&format!("{name}-clash"));
        assert_eq!(browser.run("return document.body.dataset.selected"), "1");
        let row = "document.querySelector('tr[data-pair=\"1\"]')";
        assert_eq!(browser.run(&format!("return {row}.getAttribute('aria-selected')")), "true");
        let says = browser.run("return document.getElementById('says').textContent");
        assert_eq!(says, "bracket.left and hose.washer pass through each other.");
        let [red, orange, blue] = browser.colours();
        assert!(red > 20 && orange > 1000 && blue > 1000, "red {red}, orange {orange}, blue {blue}");
        // The clash is in the middle of the view.
        let off = browser.run("return noli.view.project(noli.data.pairs[1].place)");
        assert!(off[0].as_f64().unwrap().abs() < 0.5 && off[1].as_f64().unwrap().abs() < 0.5, "{off}");

        browser.click("#whole");
        browser.rest();
        let [_, orange, blue] = browser.colours();
        assert_eq!((orange, blue), (0, 0), "nothing stands out any more");
        let fits = browser.run("const { scrollWidth, clientWidth } = document.documentElement; return scrollWidth <= clientWidth");
        assert_eq!(fits, true, "the page is not wider than the window");
        // A click on a heading sorts, another one turns the order round.
        browser.click("#head th:nth-child(2) button");
        let first =
            || browser.run("return document.querySelector('#rows tr:not([hidden])').children[1].textContent");
        assert_eq!(first(), "auxiliary.housing");
        browser.click("#head th:nth-child(2) button");
        assert_eq!(first(), "washer.tank");
        browser.logs_no_errors();
    }
}

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn a_page_of_motions_has_a_time_line() {
    let folder = Folder::new("motion-page");
    let [scene, page] = ["knob-through-plate.toml", "page.html"].map(|name| folder.0.join(name));
    let [scene, page] = [&scene, &page].map(|path| path.to_str().unwrap());
    assert_eq!(
        exit_code(&noli(&["scenes", "write", "knob-through-plate", "-o", folder.0.to_str().unwrap()])),
        0
    );
    for (command, events) in [("sweep", 1), ("play", 1)] {
        assert_eq!(exit_code(&noli(&[command, scene, "--html", page])), 1);
        let browser = Browser::start(&folder, [1024, 768]);
        browser.cdp(
            "Emulation.setEmulatedMedia",
            json!({ "features": [{ "name": "prefers-color-scheme", "value": "dark" }] }),
        );
        browser.ask("POST", "/url", json!({ "url": format!("file://{page}") }));
        browser.rest();
        assert_eq!(browser.run("return document.documentElement.dataset.theme"), "dark");
        let ticks =
            browser.run("return document.querySelectorAll('.timeline .tick').length").as_u64().unwrap();
        assert!(ticks >= events, "{command}: {ticks}");
        let height = |time: f64| {
            browser.run(&format!("noli.timeline.go({time})"));
            let at = browser.run("return noli.view.bodies[noli.data.play.bodies[0]].at");
            at[2].as_f64().unwrap()
        };
        let [start, later] = [height(0.0), height(0.3)];
        assert!(later < start, "{command}: the knob falls, {start} to {later}");
        browser.click("#rows tr");
        browser.rest();
        browser.screenshot(&format!("{command}-dark"));
        assert!(
            browser.run("return noli.timeline.time").as_f64().unwrap() > 0.3,
            "{command}: the row goes to its time"
        );
        browser.logs_no_errors();
    }
}
