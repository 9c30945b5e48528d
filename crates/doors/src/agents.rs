//! The tools for agents: `noli mcp`, with messages as lines.

use crate::{Case, Door, Lines, NO_KERNELS, Reply};
use noli_testing::Folder;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::process::Command;

/// A session with the server, and the folder that it may read.
pub struct Agents<'a> {
    server: Lines,
    folder: &'a Folder,
    last: u64,
}

impl<'a> Agents<'a> {
    /// Starts the server.
    pub fn start(noli: &Path, folder: &'a Folder) -> Self {
        let mut command = Command::new(noli);
        let mut agents = Self {
            server: Lines::start(command.arg("mcp").arg(&**folder).env(NO_KERNELS.0, NO_KERNELS.1)),
            folder,
            last: 0,
        };
        let client = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "doors", "version": "1"}});
        agents.request("initialize", client);
        agents
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let message = json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params});
        self.server.query(&message)["result"].take()
    }

    /// The structured answer of a tool, or the reason why it refuses.
    fn call(&mut self, tool: &str, arguments: Map<String, Value>) -> Result<Value, String> {
        let mut result = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        match result["isError"] == true {
            true => Err(result["content"][0]["text"].as_str().unwrap_or_default().to_owned()),
            false => Ok(result["structuredContent"].take()),
        }
    }

    fn reply(&mut self, case: &Case) -> Option<Result<Reply, String>> {
        let mut arguments = case.options();
        arguments.insert("picture".to_owned(), false.into());
        if case.kind.starts_with("robot") {
            arguments.insert("robot".to_owned(), case.text("robot").into());
        } else {
            arguments.insert("files".to_owned(), case.files().into());
        }
        Some(match case.kind.as_str() {
            "check" => self.call("check_files", arguments).map(|answer| Reply::of_check(&answer)),
            "sweep" => self.call("sweep", arguments).map(|answer| Reply::of_sweep(&answer, "contacts")),
            "remove" => {
                arguments.insert("part".to_owned(), case.text("part").into());
                self.call("can_remove", arguments).map(|answer| Reply::of_removal(&answer))
            }
            "robot-check" => self.states(case, &arguments),
            _ => return None,
        })
    }

    /// The tool answers one configuration.
    fn states(&mut self, case: &Case, arguments: &Map<String, Value>) -> Result<Reply, String> {
        let mut outcome = Value::from("free");
        let mut states = Vec::new();
        for state in case.states() {
            let mut arguments = arguments.clone();
            arguments.insert("configuration".to_owned(), state.into());
            let answer = self.call("robot_check", arguments)?;
            if answer["outcome"] != "free" {
                outcome = answer["outcome"].clone();
            }
            let pairs = answer["colliding_pairs"].as_array().into_iter().flatten();
            states.push(pairs.map(|pair| pair["links"].clone()).collect());
        }
        Ok(Reply::of_states(&outcome, &states))
    }
}

impl Door for Agents<'_> {
    fn answer(&mut self, case: &Case) -> Option<Reply> {
        let reply = self.reply(case)?;
        Some(reply.unwrap_or_else(|error| case.error(&error, self.folder)))
    }
}
