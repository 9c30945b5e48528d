//! A studio in a thread, and tabs that speak to it by hand.

use noli_serve::session::Session;
use noli_serve::session::Trouble;
use noli_serve::{Opening, Panel, PanelHost, Project, Server};
use noli_testing::{Folder, PATIENCE};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A studio on a scene in a folder of its own.
pub(crate) struct Studio {
    pub(crate) folder: Arc<Folder>,
    pub(crate) port: u16,
    pub(crate) token: String,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

pub(crate) const SCENE: &str = r#"units = "mm" # kept
[[body]]
name = "wall"
box = [2, 100, 100]
pose = { xyz = [50, 0, 0] }

[[body]]
name = "sphere"
sphere = { radius = 5 }

[[body]]
name = "far"
box = [1, 1, 1]
pose = { xyz = [-40, 30, 30] }
"#;

/// A folder with files of a project, and one that is none of the project's.
pub(crate) fn folder(name: &str, files: &[(&str, &str)]) -> Folder {
    let folder = Folder::new(&format!("serve-{name}"));
    std::fs::create_dir_all(folder.join("project")).unwrap();
    folder.file("secret.stl", "secret");
    files.iter().for_each(|(file, text)| drop(folder.file(&format!("project/{file}"), text)));
    folder
}

/// A panel whose answers take a millisecond.
pub(crate) struct Slow;

impl Panel for Slow {
    fn name(&self) -> &'static str {
        "slow"
    }

    fn offer(&self, session: &dyn PanelHost) -> Value {
        json!({ "folder": session.folder().is_some() })
    }

    fn answer(&self, message: Value, session: &dyn PanelHost) -> Result<Value, Trouble> {
        std::thread::sleep(Duration::from_millis(1));
        let body = message["body"].as_u64().ok_or_else(|| Trouble::new("no body is named", "name a body"))?;
        Ok(json!({ "name": session.body(body as usize)?.name }))
    }
}

impl Studio {
    pub(crate) fn start(name: &str) -> Self {
        Self::start_with(name, &[("scene.toml", SCENE)])
    }

    /// On files of a project, the first of which is opened.
    pub(crate) fn start_with(name: &str, files: &[(&str, &str)]) -> Self {
        Self::reopen(folder(name, files), files[0].0)
    }

    pub(crate) fn reopen(folder: impl Into<Arc<Folder>>, file: &str) -> Self {
        Self::reopen_at(folder, file, (0, noli_serve::new_token().unwrap()))
    }

    /// At a port and with a token of an earlier server.
    pub(crate) fn reopen_at(
        folder: impl Into<Arc<Folder>>,
        file: &str,
        (port, token): (u16, String),
    ) -> Self {
        let folder = folder.into();
        let project = Project::open(&Opening::Path(folder.join("project").join(file))).unwrap();
        let (session, _) = Session::with_panels(project, vec![Box::new(Slow)]).unwrap();
        let server = Server::bind_with(port, token).unwrap();
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

    pub(crate) fn project(&self) -> PathBuf {
        self.folder.join("project")
    }

    /// Ends the server as Ctrl-C does.
    pub(crate) fn end(&mut self) {
        self.stop.take().map(|stop| stop.send(()));
        self.thread.take().map(std::thread::JoinHandle::join);
    }

    /// The status and the body of an answer.
    pub(crate) fn ask(&self, head: &str, body: &[u8]) -> (u16, String) {
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

    /// All shapes as they are sent.
    pub(crate) fn shapes(&self) -> Vec<u8> {
        let mut stream = self.connect();
        let (port, token) = (self.port, &self.token);
        let head = format!(
            "GET /api/shapes?token={token} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let body = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
        answer.split_off(body)
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    pub(crate) fn get(&self, path: &str, more: &str) -> (u16, String) {
        self.ask(&format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{}{more}", self.port), b"")
    }

    /// With the token.
    pub(crate) fn own(&self, path: &str) -> (u16, String) {
        self.get(path, &format!("\r\nAuthorization: Bearer {}", self.token))
    }

    pub(crate) fn tab(&self) -> Tab {
        let mut stream = self.connect();
        stream.write_all(self.live_request().as_bytes()).unwrap();
        let head = head_of(&mut stream);
        assert!(head.starts_with("HTTP/1.1 101"), "{head}");
        Tab { stream }
    }

    /// The request that opens a tab.
    pub(crate) fn live_request(&self) -> String {
        format!(
            "GET /api/live?token={} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            self.token, self.port
        )
    }
}

/// The head of an answer.
pub(crate) fn head_of(stream: &mut TcpStream) -> String {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    String::from_utf8_lossy(&head).into_owned()
}

impl Drop for Studio {
    fn drop(&mut self) {
        self.end();
    }
}

/// A WebSocket, by hand.
pub(crate) struct Tab {
    stream: TcpStream,
}

impl Tab {
    /// One to say by and one to hear by.
    pub(crate) fn halves(self) -> (Self, Self) {
        (Self { stream: self.stream.try_clone().unwrap() }, self)
    }

    /// Ends the line, also for its other half.
    pub(crate) fn close(&self) {
        let _ = self.stream.shutdown(std::net::Shutdown::Both);
    }

    pub(crate) fn frame(&mut self, kind: u8, bytes: &[u8]) -> std::io::Result<()> {
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

    pub(crate) fn say(&mut self, command: Value) {
        self.frame(1, command.to_string().as_bytes()).unwrap();
    }

    pub(crate) fn read(&mut self) -> Option<Value> {
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

    /// Pulls a body, again while the time limit of an answer held it: a busy machine takes longer for the same.
    pub(crate) fn pull(&mut self, command: &Value) -> Value {
        let mut pulled = Value::Null;
        for _ in 0..60 {
            self.say(command.clone());
            pulled = loop {
                let event = self.read().expect("an answer to a pull");
                if ["dragged", "trouble"].contains(&event["say"].as_str().unwrap_or_default()) {
                    break event;
                }
            };
            if pulled["stopped"]["proven"] != false {
                break;
            }
        }
        pulled
    }

    /// The next message of a kind.
    pub(crate) fn wait(&mut self, say: &str) -> Value {
        let start = Instant::now();
        loop {
            let event = self.read().unwrap_or_else(|| panic!("closed before {say}"));
            if event["say"] == say {
                return event;
            }
            assert!(start.elapsed() < PATIENCE, "waited in vain for {say}");
        }
    }
}

pub(crate) fn at(value: &Value) -> [f64; 3] {
    [0, 1, 2].map(|k| value["at"][k].as_f64().unwrap())
}
