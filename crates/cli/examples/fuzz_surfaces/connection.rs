//! The studio over its connections.

use crate::damage::damaged;
use noli_formats::PrivateFolder;
use noli_serve::session::Session;
use noli_serve::{Opening, Project, Server};
use noli_testing::Random;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

/// Set by a panic of any thread.
static PANICKED: AtomicBool = AtomicBool::new(false);

/// A studio in a thread.
pub struct Studio {
    _folder: PrivateFolder,
    port: u16,
    token: String,
    executions: u64,
}

const SCENE: &str = "units = \"mm\"\n[[body]]\nname = \"a\"\nbox = [2, 2, 2]\n[[body]]\nname = \"b\"\nsphere = { radius = 1 }\n\
    pose = { xyz = [1, 0, 0] }\n";

/// Words of requests.
const WORDS: [&[u8]; 12] = [
    b"\r\n",
    b"\r\n\r\n",
    b"Host: x\r\n",
    b"Content-Length: 99999999999\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"%2e%2e%2f",
    b"?token=",
    b"Cookie: ",
    b"Origin: null\r\n",
    b"HTTP/1.1",
    b"\0",
    b"Expect: 100-continue\r\n",
];

/// Words of messages.
const MESSAGES: [&[u8]; 12] = [
    b"{\"do\":\"",
    b"\"body\":0,",
    b"\"at\":[1e308,0,0],",
    b"null",
    b"-1",
    b"1e400",
    b"\"seq\":1,",
    b"\"turn\":[0,0,0,0],",
    b"[",
    b"}",
    b"\"file\":\"../x\",",
    b"\\u0000",
];

/// Commands of the page.
const COMMANDS: [&str; 8] = [
    r#"{"do":"drag","body":1,"seq":1,"at":[1,2,3],"turn":[0,0,0,1],"mode":"slide"}"#,
    r#"{"do":"place","body":1,"xyz":[4,5,6],"quaternion":[0,0,0,1]}"#,
    r#"{"do":"measure","a":0,"b":1}"#,
    r#"{"do":"add","shape":{"kind":"box","size":[1,2,3]}}"#,
    r#"{"do":"add_file","file":"part.obj"}"#,
    r#"{"do":"margin","value":0.5}"#,
    r#"{"do":"undo"}"#,
    r#"{"do":"pair","a":0,"b":1,"on":false}"#,
];

impl Studio {
    pub fn start() -> Self {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |about| {
            PANICKED.store(true, SeqCst);
            before(about);
        }));
        let folder = PrivateFolder::new().expect("a folder");
        let scene = folder.path().join("scene.toml");
        std::fs::write(&scene, SCENE).expect("a scene");
        let project = Project::open(&Opening::Path(scene)).expect("a project");
        let (session, _) = Session::with_panels(project, Vec::new()).expect("a session");
        let server = Server::bind(0).expect("a port");
        let url = server.url();
        let (address, token) = url.split_once("/?token=").expect("a token");
        let port = address.rsplit_once(':').and_then(|(_, port)| port.parse().ok()).expect("a port");
        let token = token.to_owned();
        std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            let _ = runtime.block_on(noli_serve::serve(server, session, std::future::pending()));
        });
        Self { _folder: folder, port, token, executions: 0 }
    }

    fn connect(&self) -> Result<TcpStream, String> {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).map_err(|error| error.to_string())?;
        stream.set_read_timeout(Some(Duration::from_secs(8))).map_err(|error| error.to_string())?;
        Ok(stream)
    }

    fn head(&self, line: &str) -> String {
        let (port, token) = (self.port, &self.token);
        format!(
            "{line} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n"
        )
    }

    /// A damaged request, most of them with the token.
    pub fn request(&mut self, random: &mut Random) -> Vec<u8> {
        let whole = match random.index(6) {
            0 => self.head("GET /") + "\r\n",
            1 => self.head("GET /api/file/scene.toml") + "\r\n",
            2 => self.head("GET /api/shapes?from=0") + "\r\n",
            3 => self.head("GET /api/export/report.json") + "\r\n",
            4 => self.head("POST /api/upload?name=part.obj") + "Content-Length: 8\r\n\r\nv 0 0 0\n",
            _ => format!("GET / HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", self.port),
        };
        damaged(random, whole.as_bytes(), &WORDS)
    }

    /// Damaged messages, one to a line.
    pub fn frames(&mut self, random: &mut Random) -> Vec<u8> {
        let lines: Vec<Vec<u8>> = (0..=random.index(6))
            .map(|_| {
                let command = COMMANDS[random.index(COMMANDS.len())];
                damaged(random, command.as_bytes(), &MESSAGES)
            })
            .collect();
        lines.join(&b'\n')
    }

    pub fn execute_request(&mut self, input: &[u8]) -> Result<bool, String> {
        let mut stream = self.connect()?;
        let _ = stream.write_all(input);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut answer = Vec::new();
        let _ = stream.take(1 << 24).read_to_end(&mut answer);
        self.is_well()?;
        Ok(!answer.starts_with(b"HTTP/1.1 2"))
    }

    pub fn execute_frames(&mut self, input: &[u8]) -> Result<bool, String> {
        let mut stream = self.connect()?;
        let request = self.head("GET /api/live").replace("close", "Upgrade")
            + "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
        stream.write_all(request.as_bytes()).map_err(|error| error.to_string())?;
        for line in input.split(|&byte| byte == b'\n') {
            // As text, sometimes not UTF-8; masked with zeros. A line that begins oddly is a frame as it is.
            let length = u16::try_from(line.len()).unwrap_or(u16::MAX);
            let [high, low] = length.to_be_bytes();
            let is_raw = line.first().is_some_and(|first| !first.is_ascii());
            let head: &[u8] = if is_raw { &[] } else { &[0x81, 0xfe, high, low, 0, 0, 0, 0] };
            let _ = stream.write_all(&[head, line].concat());
        }
        // Answers come in order, so all are there when that to a last command is.
        let margin = (1_000_000 + self.executions) as f64 * 1e-6;
        let last = format!("{{\"do\":\"margin\",\"value\":{margin}}}");
        let length = u8::try_from(last.len()).unwrap_or(0) | 0x80;
        let _ = stream.write_all(&[&[0x81, length, 0, 0, 0, 0], last.as_bytes()].concat());
        let (mut answer, mut part) = (Vec::new(), [0; 4096]);
        let end = format!(":{margin}");
        while !answer.windows(end.len()).any(|text| text == end.as_bytes()) {
            match stream.read(&mut part) {
                Ok(count @ 1..) => answer.extend_from_slice(&part[..count]),
                _ => break,
            }
        }
        self.is_well()?;
        Ok(String::from_utf8_lossy(&answer).contains("\"trouble\""))
    }

    /// No thread panicked, and from time to time: the owner is answered.
    fn is_well(&mut self) -> Result<(), String> {
        if PANICKED.load(SeqCst) {
            return Err("a thread of the studio panicked".to_owned());
        }
        self.executions += 1;
        if !self.executions.is_multiple_of(32) {
            return Ok(());
        }
        let mut stream = self.connect()?;
        let request = self.head("GET /assets/viewer.css") + "\r\n";
        stream.write_all(request.as_bytes()).map_err(|error| error.to_string())?;
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).map_err(|error| format!("the owner is not answered: {error}"))?;
        if &answer == b"HTTP/1.1 200" { Ok(()) } else { Err("the owner is refused".to_owned()) }
    }
}
