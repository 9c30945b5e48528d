//! Debian's chromium behind chromedriver.

use noli_testing::{Folder, PATIENCE, poll};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A browser behind chromedriver, spoken to by WebDriver: JSON over HTTP.
pub(crate) struct Browser {
    driver: Child,
    port: u16,
    session: String,
}

impl Browser {
    pub(crate) fn start(profile: &Folder, [width, height]: [u32; 2]) -> Self {
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
        let patience = PATIENCE.as_millis() as u64;
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "timeouts": { "script": patience, "pageLoad": patience },
            "goog:loggingPrefs": { "browser": "ALL" }, "goog:chromeOptions": { "args": arguments },
        } } });
        // The driver gives a browser a minute to start, which may be too little where many start at once.
        let mut started = Value::Null;
        for _ in 0..3 {
            started = browser.wait_for("a session", |browser| browser.try_ask("POST", "/session", &wanted));
            if started["sessionId"].is_string() {
                break;
            }
        }
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
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let body = if method == "POST" { body.to_string() } else { String::new() };
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all((head + &body).as_bytes()).ok()?;
        let answer = whole_answer(&mut stream)?;
        Some(serde_json::from_str::<Value>(&answer).ok()?["value"].clone())
    }

    pub(crate) fn ask(&self, method: &str, path: &str, body: Value) -> Value {
        let path = format!("/session/{}{path}", self.session);
        let value = self.try_ask(method, &path, &body).unwrap_or_else(|| panic!("no answer to {path}"));
        assert!(value.get("error").is_none(), "{path}: {value}");
        value
    }

    pub(crate) fn cdp(&self, command: &str, parameters: Value) {
        self.ask("POST", "/goog/cdp/execute", json!({ "cmd": command, "params": parameters }));
    }

    pub(crate) fn run(&self, script: &str) -> Value {
        self.ask("POST", "/execute/sync", json!({ "script": script, "args": [] }))
    }

    /// A script that calls the last of its arguments when it is done.
    pub(crate) fn run_later(&self, script: &str, arguments: &[Value]) -> Value {
        self.ask("POST", "/execute/async", json!({ "script": script, "args": arguments }))
    }

    /// A click as a mouse makes it, once there is something to click: a page may draw it later than it knows of it, or
    /// draw it anew between the search and the click.
    pub(crate) fn click(&self, selector: &str) {
        let answer = |path: &str, body: Value| {
            let path = format!("/session/{}/element{path}", self.session);
            self.try_ask("POST", &path, &body).filter(|value| value.get("error").is_none())
        };
        self.wait_for(selector, |_| {
            let found = answer("", json!({ "using": "css selector", "value": selector }))?;
            let id = found.as_object()?.values().next()?.as_str()?;
            answer(&format!("/{id}/click"), json!({}))
        });
    }

    /// Takes what is at a place of the page with the mouse, and carries it along.
    pub(crate) fn drag(&self, from: [i64; 2], along: &[[i64; 2]]) {
        let go = |[x, y]: [i64; 2], duration: u32| json!({ "type": "pointerMove", "x": x, "y": y, "duration": duration });
        let mut actions = vec![go(from, 0), json!({ "type": "pointerDown", "button": 0 })];
        actions.extend(along.iter().map(|&place| go(place, 60)));
        actions.push(json!({ "type": "pause", "duration": 100 }));
        actions.push(json!({ "type": "pointerUp", "button": 0 }));
        let mouse = json!({ "type": "pointer", "id": "mouse", "parameters": { "pointerType": "mouse" }, "actions": actions });
        self.ask("POST", "/actions", json!({ "actions": [mouse] }));
    }

    pub(crate) fn wait_for<T>(&self, what: &str, mut ask: impl FnMut(&Self) -> Option<T>) -> T {
        poll(|| ask(self)).unwrap_or_else(|| {
            let script = json!({ "script": "return document.body.innerText", "args": [] });
            let page = self.try_ask("POST", &format!("/session/{}/execute/sync", self.session), &script);
            panic!("waited in vain for {what}; the page says: {page:?}");
        })
    }

    /// Waits until the camera rests.
    pub(crate) fn rest(&self) {
        std::thread::sleep(Duration::from_millis(120));
        self.wait_for("the camera to rest", |browser| {
            (browser.run("return document.body.dataset.still") == "true").then_some(())
        });
    }

    /// Of the pixels of the view, how many are red, orange and blue: the colours of clash, A and B. Marks do not count.
    pub(crate) fn colours(&self) -> [u64; 3] {
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

    pub(crate) fn logs_no_errors(&self) {
        let log = self.ask("POST", "/se/log", json!({ "type": "browser" }));
        let severe = |entry: &&Value| entry["level"] == "SEVERE";
        assert_eq!(log.as_array().unwrap().iter().find(severe), None, "the page logs no errors");
    }

    pub(crate) fn screenshot(&self, name: &str) {
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
