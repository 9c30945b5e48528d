//! The studio: `noli serve` on the files of a case, its reports and its page's connection.

use crate::{Case, Door, NO_KERNELS, Reply};
use noli_testing::{Folder, poll};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// The program, and the folder that it runs in.
pub struct Studio<'a> {
    /// The program.
    pub noli: PathBuf,
    /// The files of the cases.
    pub folder: &'a Folder,
}

/// A server until it is dropped.
struct Server {
    child: Child,
    address: String,
    token: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Door for Studio<'_> {
    fn answer(&mut self, case: &Case) -> Option<Reply> {
        let is_cell = ["robot-run", "robot-plan"].contains(&case.kind.as_str()) && !case.scene.is_empty();
        let is_known = is_cell || ["check", "sweep", "remove"].contains(&case.kind.as_str());
        // Options are changes of the document, and several files are none.
        let [file] = &case.files()[..] else { return None };
        let has_part =
            case.kind != "remove" || case.scene.contains(&format!("name = \"{}\"", case.text("part")));
        if !is_known || !has_part || !case.options().is_empty() {
            return None;
        }
        let part = |hello: &Value| {
            let bodies = hello["bodies"].as_array().into_iter().flatten();
            bodies.map(|body| &body["name"]).position(|name| name == case.text("part"))
        };
        let reply = self.open(file).and_then(|server| match case.kind.as_str() {
            "check" => server.report().map(|report| Reply::of_check(&report)),
            "sweep" => server.track(&|_| json!({"do": "play", "frames": 64})).map(|track| outcome(&track)),
            "robot-run" => server.track(&|_| json!({"do": "run"})).map(|track| outcome(&track)),
            "robot-plan" => {
                let to = case.text("to");
                server
                    .track(&|_| json!({"do": "plan_to", "location": format!("#{to}")}))
                    .map(|track| Reply::of_plan(&json!({"found": track["free"]})))
            }
            _ => server
                .track(&|hello| json!({"do": "find_path", "body": part(hello)}))
                .map(|track| removal(&track)),
        });
        Some(reply.unwrap_or_else(|error| case.error(&error, self.folder)))
    }
}

/// The outcome of a motion.
fn outcome(track: &Value) -> Reply {
    Reply::of_outcome(if track["free"] == true { "free" } else { "touching" }, track["stop_line"].as_u64())
}

/// The verdict of a removal, which the studio states as a sentence.
fn removal(track: &Value) -> Reply {
    let sentence = track["verdict"].as_str().unwrap_or_default();
    let held = sentence.split_once("by proof: held by ").map(|(_, by)| by.split(", ").collect::<Vec<_>>());
    Reply::of_removal(&match held {
        Some(by) => json!({"verdict": "blocked", "blocked_by": by}),
        None if track["free"] == true => json!({"verdict": "found"}),
        None => json!({"verdict": "not-found"}),
    })
}

impl Studio<'_> {
    /// Opens a file; the reason why it cannot be opened is the last line of the program.
    fn open(&self, file: &str) -> Result<Server, String> {
        let mut command = Command::new(&self.noli);
        command
            .args(["serve", file, "--port", "0", "--no-browser"])
            .env(NO_KERNELS.0, NO_KERNELS.1)
            .current_dir(&**self.folder);
        let started = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = started.unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let mut url = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut url).expect("the program writes");
        if let Some((address, token)) = url.trim().trim_start_matches("http://").split_once("/?token=") {
            return Ok(Server { child, address: address.to_owned(), token: token.to_owned() });
        }
        let mut said = String::new();
        child.stderr.take().expect("a pipe").read_to_string(&mut said).expect("the program writes");
        let _ = child.wait();
        Err(said.trim().trim_start_matches("noli: ").to_owned())
    }
}

impl Server {
    /// The report of the check that follows opening.
    fn report(&self) -> Result<Value, String> {
        let (status, body) = poll(|| {
            let (status, body) = self.get("/api/export/report.json");
            (!body.contains("nothing has been compared yet")).then_some((status, body))
        })
        .expect("a check ends");
        match status {
            200 => Ok(serde_json::from_str(&body).expect("a report")),
            _ => Err(body),
        }
    }

    fn get(&self, path: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).expect("the studio listens");
        let head = format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\r\n",
            self.address, self.token
        );
        let mut answer = String::new();
        stream
            .write_all(head.as_bytes())
            .and_then(|()| stream.read_to_string(&mut answer))
            .expect("an answer");
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        (status, answer.split_once("\r\n\r\n").map_or(String::new(), |(_, body)| body.to_owned()))
    }

    /// Gives a command, and returns the motion that the studio shows in answer, or the trouble.
    fn track(&self, command: &dyn Fn(&Value) -> Value) -> Result<Value, String> {
        let url = format!("ws://{}/api/live?token={}", self.address, self.token);
        let (mut tab, _) = tungstenite::connect(url).expect("the studio listens");
        loop {
            let message = tab.read().expect("a message");
            let event: Value = serde_json::from_str(message.to_text().unwrap_or("null")).unwrap_or_default();
            match event["say"].as_str() {
                Some("hello") => {
                    let command = command(&event).to_string();
                    tab.send(command.into()).expect("the studio reads");
                }
                Some("track") => return Ok(event),
                Some("trouble") => {
                    return Err(format!("{}; {}", event["text"], event["help"]).replace('"', ""));
                }
                _ => {}
            }
        }
    }
}
