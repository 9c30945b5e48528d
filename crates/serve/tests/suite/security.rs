//! The server as strangers meet it: other origins, wrong tokens, paths that lead out, messages that are none, tabs that
//! vanish. It answers everyone rightly and goes on serving.

use crate::support::{Studio, Tab, head_of};
use noli_testing::PATIENCE;
use serde_json::json;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

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
        "http://other.example",
        "null",
        "http://127.0.0.1:1",
        "https://127.0.0.1",
        "http://localhost.other.example",
    ] {
        assert_eq!(studio.get(&path, &format!("\r\nOrigin: {origin}")).0, 403, "{origin}");
    }
    assert_eq!(studio.get(&path, &format!("\r\nOrigin: http://127.0.0.1:{}", studio.port)).0, 200);
    // Names of hosts have no case.
    let own = format!("LocalHost:{}", studio.port);
    assert_eq!(studio.ask(&format!("GET {path} HTTP/1.1\r\nHost: {own}"), b"").0, 200);
    for host in ["other.example", "127.0.0.1:1", "127.0.0.1.other.example", ""] {
        assert_eq!(studio.ask(&format!("GET {path} HTTP/1.1\r\nHost: {host}"), b"").0, 403, "{host}");
    }
}

const FACET: &str = "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid x\n";

#[test]
fn no_path_leads_out_of_the_project() {
    let studio = Studio::start("paths");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(studio.folder.join("secret.stl"), studio.project().join("link.stl"))
            .unwrap();
        std::os::unix::fs::symlink(&studio.folder.0, studio.project().join("up")).unwrap();
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
    for name in ["..%2Fstray.stl", "%2Fstray.stl", "stray.sh", ".hidden.stl", "scene.toml", "a%2Fb.stl", ""] {
        assert_eq!(upload(name, b"solid"), 400, "{name}");
    }
    assert_eq!(upload("link.stl", b"solid"), 409, "links are not written through");
    assert_eq!(upload("part.stl", FACET.as_bytes()), 201);
    assert_eq!(upload("part.stl", b"other"), 409, "nothing is written over");
    assert_eq!(std::fs::read(studio.folder.join("secret.stl")).unwrap(), b"secret");
    let strays = [studio.folder.join("stray.stl"), Path::new("/").join("stray.stl")];
    assert!(strays.iter().all(|stray| !stray.exists()), "nothing is written elsewhere");
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
        json!({ "do": "try_path", "body": 0, "path": [] }),
        json!({ "do": "study", "name": "M9" }),
        json!({ "do": "play", "frames": 0 }),
        json!({ "do": "panel", "panel": "slow", "message": { "body": 99 } }),
        json!({ "do": "panel", "panel": "none", "message": null }),
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
        r#"{"do":"find_path","body":1}"#,
        r#"{"do":"panel","panel":"slow","message":{"body":0}}"#,
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
        assert!(start.elapsed() < PATIENCE);
    }
}

#[test]
fn a_hundred_tabs_slow_ones_and_lost_ones_do_not_stop_the_server() {
    let studio = Studio::start("hundred");
    let mut tabs: Vec<Tab> = (0..100).map(|_| studio.tab()).collect();
    tabs.iter_mut().for_each(|tab| drop(tab.wait("hello")));
    // Half vanish in the middle of work, a quarter never read again.
    for (k, tab) in tabs.iter_mut().enumerate() {
        tab.say(json!({ "do": "find_path", "body": k % 3 }));
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

/// 270 tabs that connected at once were let in, where 256 is the most.
#[test]
fn tabs_that_connect_at_once_are_counted() {
    let studio = Studio::start("tabs-at-once");
    let request = studio.live_request();
    let (mut streams, mut heads) = (Vec::new(), Vec::new());
    // Fewer at once than connections without the token that are kept.
    for _ in 0..5 {
        let mut some: Vec<_> = (0..60).map(|_| studio.connect()).collect();
        some.iter_mut().for_each(|stream| stream.write_all(request.as_bytes()).unwrap());
        heads.extend(some.iter_mut().map(head_of));
        streams.append(&mut some);
    }
    let [open, refused] =
        ["101", "503"].map(|code| heads.iter().filter(|head| head.contains(&format!(" {code} "))).count());
    assert_eq!([open, refused], [256, 44]);
}

/// Half requests of somebody without the token, more than the machine lends files to a program: the owner is answered.
#[test]
fn half_requests_of_others_do_not_shut_the_owner_out() {
    let studio = Studio::start("half-requests");
    let mut half = Vec::new();
    for _ in 0..400 {
        let mut stream = studio.connect();
        let _ = std::io::Write::write_all(&mut stream, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ");
        half.push(stream);
    }
    let start = Instant::now();
    assert_eq!(studio.own("/").0, 200);
    assert!(start.elapsed() < PATIENCE / 2, "{:?}", start.elapsed());
    // A tab that is known stays, however long it is silent.
    let mut tab = studio.tab();
    tab.wait("hello");
    // Each of the others is closed: the oldest as newer ones came, the rest after their time.
    for stream in &mut half {
        let mut answer = Vec::new();
        let closed = std::io::Read::read_to_end(stream, &mut answer);
        assert!(closed.is_ok() || closed.is_err_and(|error| error.kind() != std::io::ErrorKind::WouldBlock));
    }
    assert!(start.elapsed() < PATIENCE);
    tab.say(json!({ "do": "undo" }));
    tab.wait("trouble");
}

#[test]
fn every_answer_has_the_headers_that_harden_it() {
    let studio = Studio::start("headers");
    let port = studio.port;
    let token = &studio.token;
    for (request, status) in [
        (format!("GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}"), 401),
        (format!("GET /?token=0 HTTP/1.1\r\nHost: 127.0.0.1:{port}"), 403),
        (format!("GET /?token={token} HTTP/1.1\r\nHost: other"), 403),
        (format!("GET /nothing?token={token} HTTP/1.1\r\nHost: 127.0.0.1:{port}"), 404),
        (format!("GET /?token={token} HTTP/1.1\r\nHost: 127.0.0.1:{port}"), 200),
        // Ports that only numbers would take for ours, and two names at once.
        (format!("GET /?token={token} HTTP/1.1\r\nHost: 127.0.0.1:+{port}"), 403),
        (format!("GET /?token={token} HTTP/1.1\r\nHost: 127.0.0.1:0{port}"), 403),
        (format!("GET /?token={token} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nHost: other"), 403),
    ] {
        let mut stream = studio.connect();
        std::io::Write::write_all(&mut stream, format!("{request}\r\nConnection: close\r\n\r\n").as_bytes())
            .unwrap();
        let mut answer = Vec::new();
        let _ = std::io::Read::read_to_end(&mut stream, &mut answer);
        let answer = String::from_utf8_lossy(&answer).to_ascii_lowercase();
        assert!(answer.starts_with(&format!("http/1.1 {status}")), "{request}: {answer}");
        for header in
            ["content-security-policy: default-src 'none'", "x-content-type-options: nosniff", "no-referrer"]
        {
            assert!(answer.contains(header), "{request}: {header}");
        }
    }
}

#[test]
fn files_that_are_announced_too_large_are_refused_at_once() {
    let studio = Studio::start("announced");
    let mut stream = studio.connect();
    let head = format!(
        "POST /api/upload?name=a.stl HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n\
         Connection: close\r\nContent-Length: 99999999999\r\n\r\n",
        studio.port, studio.token
    );
    std::io::Write::write_all(&mut stream, head.as_bytes()).unwrap();
    let mut answer = [0; 12];
    std::io::Read::read_exact(&mut stream, &mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 413");
}

/// Memory of this process in MB; `None` where the system does not report it.
fn resident() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.split_whitespace().next()?.parse::<f64>().ok()? / 1024.0)
}

#[test]
fn an_upload_is_written_as_it_comes_and_half_of_one_is_not_kept() {
    const MIB: usize = 192;
    let studio = Studio::start("streamed");
    let mut stream = studio.connect();
    let head = format!(
        "POST /api/upload?name=large.stl HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n\
         Content-Length: {}\r\n\r\n",
        studio.port,
        studio.token,
        (2 * MIB) << 20
    );
    stream.write_all(head.as_bytes()).unwrap();
    let (file, piece) = (studio.project().join("large.stl"), vec![7_u8; 1 << 20]);
    let before = resident();
    (0..MIB).for_each(|_| stream.write_all(&piece).unwrap());
    let length = || std::fs::metadata(&file).map_or(0, |found| found.len());
    noli_testing::eventually(|| {
        if length() > (MIB as u64 - 8) << 20 { Ok(()) } else { Err(length().to_string()) }
    });
    if let (Some(before), Some(after)) = (before, resident()) {
        assert!(after < before + 0.4 * MIB as f64, "{before} MB became {after} MB");
    }
    drop(stream);
    noli_testing::eventually(|| if file.exists() { Err("it is still there".to_owned()) } else { Ok(()) });
}

#[test]
fn a_chunked_upload_beyond_the_limit_is_refused_and_not_kept() {
    let studio = Studio::start("chunked");
    let mut stream = studio.connect();
    let head = format!(
        "POST /api/upload?name=endless.stl HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n\
         Transfer-Encoding: chunked\r\n\r\n",
        studio.port, studio.token
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut chunk = b"1000000\r\n".to_vec();
    chunk.resize(chunk.len() + (16 << 20), 7);
    chunk.extend(b"\r\n");
    // The server may close before it has read everything.
    let sent = (0..33).take_while(|_| stream.write_all(&chunk).is_ok()).count();
    assert!(sent >= 31, "{sent}");
    let mut answer = [0; 12];
    if std::io::Read::read_exact(&mut stream, &mut answer).is_ok() {
        assert_eq!(&answer, b"HTTP/1.1 413");
    }
    let file = studio.project().join("endless.stl");
    noli_testing::eventually(|| if file.exists() { Err("it is still there".to_owned()) } else { Ok(()) });
}

#[test]
fn a_token_that_is_kept_opens_the_next_server_too() {
    let mut studio = Studio::start("kept-token");
    let (port, token) = (studio.port, studio.token.clone());
    studio.end();
    let again = Studio::reopen_at(studio.folder.clone(), "scene.toml", (port, token.clone()));
    assert_eq!((again.port, &again.token), (port, &token));
    again.tab().wait("hello");
    assert_eq!(again.own("/").0, 200);
}

/// A folder from elsewhere may hold a link where the journal of changes is to be.
#[cfg(unix)]
#[test]
fn changes_are_not_written_through_a_link() {
    let folder = crate::support::folder("journal-link", &[("scene.toml", crate::support::SCENE)]);
    let victim = folder.file("victim.txt", "precious");
    std::os::unix::fs::symlink(&victim, folder.join("project/scene.studio.jsonl")).unwrap();
    let project =
        noli_serve::Project::open(&noli_serve::Opening::Path(folder.join("project/scene.toml"))).unwrap();
    assert!(noli_serve::session::Session::with_panels(project, Vec::new()).is_err());
    assert_eq!(std::fs::read(&victim).unwrap(), b"precious");
}
