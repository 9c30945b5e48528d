//! The Python package: a script that answers one question after the other.

use crate::{Case, Door, Lines, NO_KERNELS, Reply};
use noli_testing::Folder;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

/// The script, and the folder that it runs in.
pub struct Python<'a> {
    script: Lines,
    folder: &'a Folder,
}

impl<'a> Python<'a> {
    /// Starts the script with a Python that has the package.
    pub fn start(python: &Path, folder: &'a Folder) -> Self {
        Self { script: start(python, folder), folder }
    }
}

/// Starts the script.
pub(crate) fn start(python: &Path, folder: &Folder) -> Lines {
    let mut command = Command::new(python);
    command.args(["-c", include_str!("python.py")]).env(NO_KERNELS.0, NO_KERNELS.1);
    Lines::start(command.current_dir(&**folder))
}

impl Door for Python<'_> {
    fn answer(&mut self, case: &Case) -> Option<Reply> {
        let mut question = Value::Object(case.question.clone());
        question["ask"] = case.kind.clone().into();
        question["files"] = case.files().into();
        question["options"] = case.options().into();
        question["bodies"] = match case.bodies() {
            Some(bodies) => bodies.iter().map(|body| json!([body.name, body.words])).collect(),
            None => Value::Null,
        };
        let answer = self.script.query(&question);
        if let Some(error) = answer["error"].as_str() {
            return Some(case.error(error, self.folder));
        }
        Some(match case.kind.as_str() {
            _ if answer.is_null() => return None,
            "check" => Reply::of_check(&answer),
            "remove" => Reply::of_removal(&answer),
            "robot-check" => {
                Reply::of_states(&answer["outcome"], answer["states"].as_array().map_or(&[], Vec::as_slice))
            }
            "robot-plan" => Reply::of_plan(&answer),
            "robot-trajectory" => Reply::of_trajectory(&answer),
            _ => Reply::of_reachability(&answer),
        })
    }
}
