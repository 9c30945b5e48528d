//! The server as strangers meet it: other origins, wrong tokens, paths that lead out, messages that are none, tabs that
//! vanish. It answers everyone rightly and goes on serving.

use noli_serve::session::Session;
use noli_serve::{Opening, Project, Server};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A studio on a scene in a folder of its own.
struct Studio {
    folder: PathBuf,
    port: u16,
    token: String,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

const SCENE: &str = r#"units = "mm" # kept
[[body]]
name = "wall"
box = [2, 100, 100]
pose = { xyz = [50, 0, 0] }

[[body]]
name = "ball"
sphere = { radius = 5 }

[[body]]
name = "far"
box = [1, 1, 1]
pose = { xyz = [-40, 30, 30] }
"#;

impl Studio {
    fn start(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("noli-serve-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(folder.join("project")).unwrap();
        std::fs::write(folder.join("secret.stl"), "secret").unwrap();
        std::fs::write(folder.join("project/scene.toml"), SCENE).unwrap();
        Self::reopen(folder)
    }

    fn reopen(folder: PathBuf) -> Self {
        let project = Project::open(&Opening::Path(folder.join("project/scene.toml"))).unwrap();
        let (session, _) = Session::new(project).unwrap();
        let server = Server::bind(0).unwrap();
        let url = server.url();
        let port = url.split([':', '/']).nth(4).unwrap().parse().unwrap();
        let token = url.split_once("token=").unwrap().1.to_owned();
        let (stop, stopped) = tokio::sync::oneshot::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(noli_serve::serve(server, session, async { drop(stopped.await) })).unwrap();
        });
        Self { folder, port, token, stop: Some(stop), thread: Some(thread) }
    }

    fn project(&self) -> PathBuf {
        self.folder.join("project")
    }

    /// Ends the server as Ctrl-C does.
    fn end(&mut self) {
        self.stop.take().map(|stop| stop.send(()));
        self.thread.take().map(std::thread::JoinHandle::join);
    }

    /// The status and the body of an answer.
    fn ask(&self, head: &str, body: &[u8]) -> (u16, String) {
        let mut stream = self.connect();
        let request = format!("{head}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", body.len());
        stream.write_all(request.as_bytes()).unwrap();
        // A server that refuses early may close before it has read everything.
        let _ = stream.write_all(body);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        (status, answer.split_once("\r\n\r\n").map_or(String::new(), |(_, body)| body.to_owned()))
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    fn get(&self, path: &str, more: &str) -> (u16, String) {
        self.ask(&format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{}{more}", self.port), b"")
    }

    /// With the token.
    fn own(&self, path: &str) -> (u16, String) {
        self.get(path, &format!("\r\nAuthorization: Bearer {}", self.token))
    }

    fn tab(&self) -> Tab {
        let mut stream = self.connect();
        let request = format!(
            "GET /api/live?token={} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            self.token, self.port
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            stream.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        assert!(head.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&head));
        Tab { stream }
    }
}

impl Drop for Studio {
    fn drop(&mut self) {
        self.end();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// A WebSocket, by hand.
struct Tab {
    stream: TcpStream,
}

impl Tab {
    fn frame(&mut self, kind: u8, bytes: &[u8]) -> std::io::Result<()> {
        let mut frame = vec![0x80 | kind];
        match bytes.len() {
            short @ 0..126 => frame.push(0x80 | short as u8),
            middle @ 126..65536 => {
                frame.push(0x80 | 126);
                frame.extend((middle as u16).to_be_bytes());
            }
            long => {
                frame.push(0x80 | 127);
                frame.extend((long as u64).to_be_bytes());
            }
        }
        // A mask of zeros is a mask.
        frame.extend([0; 4]);
        frame.extend(bytes);
        self.stream.write_all(&frame)
    }

    fn say(&mut self, command: Value) {
        self.frame(1, command.to_string().as_bytes()).unwrap();
    }

    fn read(&mut self) -> Option<Value> {
        let mut head = [0; 2];
        self.stream.read_exact(&mut head).ok()?;
        let length = match head[1] & 0x7f {
            126 => {
                let mut more = [0; 2];
                self.stream.read_exact(&mut more).ok()?;
                u64::from(u16::from_be_bytes(more))
            }
            127 => {
                let mut more = [0; 8];
                self.stream.read_exact(&mut more).ok()?;
                u64::from_be_bytes(more)
            }
            short => u64::from(short),
        };
        let mut text = vec![0; length as usize];
        self.stream.read_exact(&mut text).ok()?;
        if head[0] & 0x0f == 8 {
            return None;
        }
        serde_json::from_slice(&text).ok()
    }

    /// The next message of a kind.
    fn wait(&mut self, say: &str) -> Value {
        let start = Instant::now();
        loop {
            let event = self.read().unwrap_or_else(|| panic!("closed before {say}"));
            if event["say"] == say {
                return event;
            }
            assert!(start.elapsed() < Duration::from_secs(30), "waited in vain for {say}");
        }
    }
}

fn at(value: &Value) -> [f64; 3] {
    [0, 1, 2].map(|k| value["at"][k].as_f64().unwrap())
}

#[test]
fn nobody_without_the_token_gets_anything() {
    let studio = Studio::start("token");
    let wrong = "0".repeat(48);
    for path in [
        "/",
        "/assets/viewer.js",
        "/api/shapes",
        "/api/export/report.json",
        "/api/file/scene.toml",
        "/api/live",
        "/nothing",
    ] {
        assert_eq!(studio.get(path, "").0, 401, "{path}");
        assert_eq!(studio.get(&format!("{path}?token={wrong}"), "").0, 403, "{path}");
        assert_eq!(studio.get(&format!("{path}?token="), "").0, 403, "{path}");
        let cookie = format!("\r\nCookie: noli{}={wrong}", studio.port);
        assert_eq!(studio.get(path, &cookie).0, 403, "{path}");
    }
    assert_eq!(studio.own("/").0, 200);
    assert_eq!(studio.get("/", &format!("\r\nCookie: a=b; noli{}={}", studio.port, studio.token)).0, 200);
    assert!(studio.own("/").1.contains("noli studio"));
    assert_eq!(studio.own("/nothing").0, 404);
}

#[test]
fn other_origins_and_other_names_are_refused_even_with_the_token() {
    let studio = Studio::start("origin");
    let path = format!("/?token={}", studio.token);
    for origin in [
        "http://evil.example",
        "null",
        "http://127.0.0.1:1",
        "https://127.0.0.1",
        "http://localhost.evil.example",
    ] {
        assert_eq!(studio.get(&path, &format!("\r\nOrigin: {origin}")).0, 403, "{origin}");
    }
    assert_eq!(studio.get(&path, &format!("\r\nOrigin: http://127.0.0.1:{}", studio.port)).0, 200);
    for host in ["evil.example", "127.0.0.1:1", "127.0.0.1.evil.example", ""] {
        assert_eq!(studio.ask(&format!("GET {path} HTTP/1.1\r\nHost: {host}"), b"").0, 403, "{host}");
    }
}

#[test]
fn no_path_leads_out_of_the_project() {
    let studio = Studio::start("paths");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(studio.folder.join("secret.stl"), studio.project().join("link.stl"))
            .unwrap();
        std::os::unix::fs::symlink(&studio.folder, studio.project().join("up")).unwrap();
    }
    for path in [
        "..%2Fsecret.stl",
        "link.stl",
        "up%2Fsecret.stl",
        "%2Fetc%2Fpasswd",
        "..%5Csecret.stl",
        "%00",
        "....",
    ] {
        let (status, body) = studio.own(&format!("/api/file/{path}"));
        assert!(status == 404 || status == 400, "{path}: {status}");
        assert!(!body.contains("secret\n") && !body.contains("root:"), "{path}");
    }
    assert_eq!(studio.own("/api/file/scene.toml").0, 200);
    let upload = |name: &str, bytes: &[u8]| {
        let head = format!(
            "POST /api/upload?name={name} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}",
            studio.port, studio.token
        );
        studio.ask(&head, bytes).0
    };
    for name in
        ["..%2Fevil.stl", "%2Ftmp%2Fevil.stl", "evil.sh", ".hidden.stl", "scene.toml", "a%2Fb.stl", ""]
    {
        assert_eq!(upload(name, b"solid"), 400, "{name}");
    }
    assert_eq!(upload("link.stl", b"solid"), 409, "links are not written through");
    assert_eq!(upload("part.stl", b"solid x\nendsolid x\n"), 201);
    assert_eq!(upload("part.stl", b"other"), 409, "nothing is written over");
    assert_eq!(std::fs::read(studio.folder.join("secret.stl")).unwrap(), b"secret");
    assert!(!studio.folder.join("evil.stl").exists() && !Path::new("/tmp/evil.stl").exists());
    let mut tab = studio.tab();
    for file in ["../secret.stl", "link.stl", "up/secret.stl", "/etc/passwd"] {
        tab.say(json!({ "do": "add_file", "file": file }));
        assert!(tab.wait("trouble")["text"].as_str().unwrap().contains("no file"), "{file}");
    }
}

#[test]
fn odd_and_oversized_messages_end_nothing_but_their_own_line() {
    let studio = Studio::start("odd");
    let mut tab = studio.tab();
    tab.wait("hello");
    let nine = "[".repeat(9000);
    for text in [
        "",
        "{",
        "null",
        "[]",
        "{\"do\":\"drag\"}",
        "{\"do\":\"no such\"}",
        "{\"do\":\"undo\",\"x\":1}",
        "\u{0}",
        &nine,
    ] {
        tab.frame(1, text.as_bytes()).unwrap();
        tab.wait("trouble");
    }
    let huge = f64::MAX;
    for command in [
        json!({ "do": "drag", "body": 0, "seq": 1, "at": [huge, 0, 0], "turn": [0, 0, 0, 1] }),
        json!({ "do": "drag", "body": 0, "seq": 1, "at": [0, 0, 0], "turn": [0, 0, 0, 0] }),
        json!({ "do": "drag", "body": 99, "seq": 1, "at": [0, 0, 0], "turn": [0, 0, 0, 1] }),
        json!({ "do": "place", "body": 0, "xyz": [huge, huge, huge], "quaternion": [0, 0, 0, 1] }),
        json!({ "do": "margin", "value": -1 }),
        json!({ "do": "pair", "a": 1, "b": 1, "on": true }),
        json!({ "do": "status", "a": 0, "b": 1, "status": "</script>" }),
        json!({ "do": "add", "shape": { "kind": "box", "size": [0, -1, huge] } }),
        json!({ "do": "add", "shape": { "kind": "sphere", "radius": -1 } }),
        json!({ "do": "try_way", "body": 0, "way": [] }),
        json!({ "do": "study", "name": "M9" }),
        json!({ "do": "play", "frames": 0 }),
        json!({ "do": "tree", "body": 0, "choice": { "volume": "x", "split": "x", "walk": "x", "degree": 0, "level": 9 } }),
        json!({ "do": "undo" }),
        json!({ "do": "redo" }),
    ] {
        tab.say(command.clone());
        let trouble = tab.wait("trouble");
        assert!(!trouble["help"].as_str().unwrap().is_empty(), "{command}: every error says what to do");
    }
    tab.frame(2, b"binary").unwrap();
    tab.wait("trouble");
    // Too long: the line is closed, and only this one.
    let _ = tab.frame(1, &vec![b'x'; 1 << 20]);
    while tab.read().is_some() {}
    let mut other = studio.tab();
    other.wait("hello");
    assert_eq!(studio.own("/").0, 200);
}

/// A sample of what a fuzzer would send: commands with pieces cut out, doubled and replaced.
#[test]
fn mangled_commands_never_stop_the_server() {
    let studio = Studio::start("mangled");
    let mut tab = studio.tab();
    tab.wait("hello");
    let seeds = [
        r#"{"do":"drag","body":1,"seq":1,"at":[1e1,0,0],"turn":[0,0,0,1],"mode":"slide"}"#,
        r#"{"do":"place","body":2,"xyz":[1,2,3],"quaternion":[0,0,0,1]}"#,
        r#"{"do":"copy","body":1}"#,
        r#"{"do":"pair","a":0,"b":1,"on":false}"#,
        r#"{"do":"undo"}"#,
        r#"{"do":"remove","body":2}"#,
        r#"{"do":"find_way","body":1}"#,
        r#"{"do":"tree","body":0,"choice":{"volume":"obb","split":"median","walk":"hybrid","degree":2,"level":1}}"#,
    ];
    let mut state = 1u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below.max(1)
    };
    for _ in 0..400 {
        let mut bytes = seeds[random(seeds.len())].as_bytes().to_vec();
        for _ in 0..random(3) {
            let at = random(bytes.len());
            match random(3) {
                0 => drop(bytes.remove(at)),
                1 => bytes.insert(at, b"0123456789-e.,{}[]\"n"[random(20)]),
                _ => bytes[at] = b' ' + random(95) as u8,
            }
        }
        tab.frame(1, &bytes).unwrap();
    }
    tab.say(json!({ "do": "margin", "value": 0.125 }));
    let start = Instant::now();
    while tab.wait("rules")["margin"] != 0.125 {
        assert!(start.elapsed() < Duration::from_secs(30));
    }
}

#[test]
fn a_dragged_body_stops_at_the_wall_and_all_tabs_see_it() {
    let studio = Studio::start("drag");
    let (mut tab, mut other) = (studio.tab(), studio.tab());
    let hello = tab.wait("hello");
    other.wait("hello");
    let scale = hello["scale"].as_f64().unwrap();
    let ball = &hello["bodies"][1];
    let start = at(ball);
    // Far beyond the wall, in one pull: what lies between is not jumped over.
    let mut seq = 0;
    let mut pull = |tab: &mut Tab, x: f64| {
        seq += 1;
        let to = [start[0] + x * scale, start[1], start[2]];
        tab.say(json!({ "do": "drag", "body": 1, "seq": seq, "at": to, "turn": [0, 0, 0, 1] }));
        tab.wait("dragged")
    };
    let stopped = pull(&mut tab, 90.0);
    assert_eq!(stopped["stopped"]["by"], 0, "{stopped}");
    let reached = (at(&stopped)[0] - start[0]) / scale;
    assert!((43.99..=44.0).contains(&reached), "the ball touches at 44, it stops at {reached}");
    assert_eq!(stopped["gap"]["to"], 0);
    assert!(stopped["gap"]["at_least"].as_f64().unwrap() >= 0.0);
    let back = pull(&mut tab, 40.0);
    assert!(back["stopped"].is_null());
    let gap = back["gap"]["at_most"].as_f64().unwrap();
    assert!((gap - 4.0).abs() < 1e-6, "the gap is measured: {gap}");
    tab.say(json!({ "do": "drop", "body": 1 }));
    assert_eq!(tab.wait("edits")["undo"], "move ball");
    let seen = loop {
        let moved = other.wait("moved");
        if ((at(&moved)[0] - start[0]) / scale - 40.0).abs() < 1e-9 {
            break moved;
        }
    };
    assert_eq!(seen["body"], 1);
    other.say(json!({ "do": "undo" }));
    loop {
        if at(&tab.wait("moved")) == start {
            break;
        }
    }
    // Two tabs pull the same body: both end up with one place.
    for (k, x) in [10.0, -10.0, 5.0].into_iter().enumerate() {
        let who = if k % 2 == 0 { &mut tab } else { &mut other };
        pull(who, x);
        who.say(json!({ "do": "drop", "body": 1 }));
    }
    let (mut late, mut later) = (studio.tab(), studio.tab());
    let [one, two] = [late.wait("hello"), later.wait("hello")];
    assert_eq!(one["bodies"], two["bodies"]);
}

#[test]
fn a_clash_can_be_pulled_apart_and_contact_is_not_passed_through() {
    let studio = Studio::start("touch");
    let mut tab = studio.tab();
    let hello = tab.wait("hello");
    let scale = hello["scale"].as_f64().unwrap();
    let start = at(&hello["bodies"][1]);
    let place = |tab: &mut Tab, x: f64| {
        tab.say(json!({ "do": "place", "body": 1, "xyz": [x, 0, 0], "quaternion": [0, 0, 0, 1] }));
        tab.wait("moved");
    };
    let mut seq = 0;
    let mut pull = |tab: &mut Tab, x: f64| {
        seq += 1;
        let to = [start[0] + x * scale, start[1], start[2]];
        tab.say(json!({ "do": "drag", "body": 1, "seq": seq, "at": to, "turn": [0, 0, 0, 1] }));
        (at(&tab.wait("dragged"))[0] - start[0]) / scale
    };
    place(&mut tab, 47.0);
    assert!((pull(&mut tab, 46.0) - 46.0).abs() < 1e-6, "a clash does not stop what pulls it apart");
    assert!((pull(&mut tab, 30.0) - 30.0).abs() < 1e-6);
    assert!((pull(&mut tab, 60.0) - 44.0).abs() < 0.01, "once apart it stops again");
    tab.say(json!({ "do": "drop", "body": 1 }));
    place(&mut tab, 44.0);
    assert!((pull(&mut tab, 44.5) - 44.0).abs() < 1e-6, "what touches exactly is not passed through");
}

#[test]
fn a_killed_server_loses_nothing_and_a_saved_scene_keeps_its_comments() {
    let mut studio = Studio::start("journal");
    let mut tab = studio.tab();
    tab.wait("hello");
    tab.say(json!({ "do": "place", "body": 1, "xyz": [0.1, 0.2, 0.3], "quaternion": [0, 0, 0, 1] }));
    tab.wait("edits");
    tab.say(json!({ "do": "add", "shape": { "kind": "box", "size": [3, 3, 3] } }));
    tab.wait("edits");
    tab.say(json!({ "do": "copy", "body": 2 }));
    tab.wait("edits");
    tab.say(json!({ "do": "pair", "a": 0, "b": 2, "on": false }));
    tab.wait("edits");
    // No farewell: as after a kill, there is only what is on disk.
    let journal = std::fs::read_to_string(studio.project().join("scene.studio.jsonl")).unwrap();
    assert_eq!(journal.lines().count(), 5, "{journal}");
    studio.end();
    let folder = studio.folder.join("again");
    std::fs::create_dir_all(folder.join("project")).unwrap();
    for file in ["scene.toml", "scene.studio.jsonl"] {
        std::fs::copy(studio.project().join(file), folder.join("project").join(file)).unwrap();
    }
    let again = Studio::reopen(folder);
    let mut tab = again.tab();
    let hello = tab.wait("hello");
    let names: Vec<&str> =
        hello["bodies"].as_array().unwrap().iter().map(|body| body["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["wall", "ball", "far", "box", "far-2"]);
    assert_eq!(
        (&hello["edits"]["unsaved"], &hello["rules"]["by_hand"]),
        (&json!(4), &json!([[0, 2, false]]))
    );
    tab.say(json!({ "do": "save" }));
    tab.wait("note");
    let saved = std::fs::read_to_string(again.project().join("scene.toml")).unwrap();
    assert!(saved.contains("# kept") && saved.contains("[0.1, 0.2, 0.3]"), "{saved}");
    assert!(!again.project().join("scene.studio.jsonl").exists());
    let scene = noli_io::parse_scene(saved.as_bytes()).unwrap();
    assert_eq!((scene.bodies.len(), scene.check.skip.len()), (5, 1), "{saved}");
}

#[test]
fn a_hundred_tabs_slow_ones_and_lost_ones_do_not_stop_the_server() {
    let studio = Studio::start("hundred");
    let mut tabs: Vec<Tab> = (0..100).map(|_| studio.tab()).collect();
    tabs.iter_mut().for_each(|tab| drop(tab.wait("hello")));
    // Half vanish in the middle of work, a quarter never read again.
    for (k, tab) in tabs.iter_mut().enumerate() {
        tab.say(json!({ "do": "find_way", "body": k % 3 }));
    }
    tabs.truncate(50);
    let mut first = tabs.remove(0);
    for k in 0..200 {
        first.say(json!({ "do": "place", "body": 1, "xyz": [f64::from(k) * 0.1, 0, 0], "quaternion": [0, 0, 0, 1] }));
    }
    first.say(json!({ "do": "margin", "value": 0.5 }));
    while first.wait("rules")["margin"] != 0.5 {}
    assert_eq!(studio.own("/").0, 200);
    let mut fresh = studio.tab();
    let hello = fresh.wait("hello");
    assert_eq!(hello["rules"]["margin"], 0.5);
}
