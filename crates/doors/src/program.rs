//! The program `noli`: a command for each question, with `--json`.

use crate::{Case, Door, NO_KERNELS, Reply};
use noli_testing::Folder;
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::process::Command;

/// Returns the program that cargo has built; `None` if it has built none.
pub fn program() -> Option<PathBuf> {
    let name = format!("noli{}", std::env::consts::EXE_SUFFIX);
    let test = std::env::current_exe().ok()?;
    test.ancestors().map(|folder| folder.join(&name)).find(|found| found.is_file())
}

/// The program, and the folder that it runs in.
pub struct Program<'a> {
    /// The program.
    pub noli: PathBuf,
    /// The files of the cases.
    pub folder: &'a Folder,
}

impl Door for Program<'_> {
    fn answer(&mut self, case: &Case) -> Option<Reply> {
        let (own, exit) = self.report(&command(case, self.folder));
        if let Some(error) = own["error"].as_str() {
            assert_eq!(exit, 2, "{}: exit code of an error", case.name);
            return Some(case.error(error, self.folder));
        }
        let reply = match case.kind.as_str() {
            "check" => Reply::of_check(&own),
            "sweep" => Reply::of_sweep(&own, "impacts"),
            "remove" => Reply::of_removal(&own),
            "robot-check" => {
                let all = own["states"].as_array().cloned().unwrap_or_default();
                let links = |state: &Value| {
                    state["pairs"]
                        .as_array()
                        .into_iter()
                        .flatten()
                        .map(|pair| pair["links"].clone())
                        .collect()
                };
                Reply::of_states(&own["outcome"], &all.iter().map(links).collect::<Vec<Value>>())
            }
            "robot-pairs" => {
                let pairs = own["pairs"].as_array().into_iter().flatten();
                let row = |pair: &Value| {
                    Value::from_iter(
                        [&pair["links"][0], &pair["links"][1], &pair["meeting"]].map(Value::clone),
                    )
                };
                Reply::of_reachability(&pairs.map(row).collect())
            }
            "robot-plan" => Reply::of_plan(&own),
            "robot-trajectory" => Reply::of_trajectory(&own),
            "robot-run" => Reply::of_run(&own),
            other => panic!("{}: no question is called {other}", case.name),
        };
        let wanted = match own["outcome"].as_str() {
            Some("free") => 0,
            Some("touching") => 1,
            Some("undecided") => 3,
            _ => exit,
        };
        assert_eq!(exit, wanted, "{}: the exit code is not that of the outcome", case.name);
        Some(reply)
    }
}

impl Program<'_> {
    /// The JSON of a command, and its exit code.
    fn report(&self, arguments: &[String]) -> (Value, i32) {
        let mut command = Command::new(&self.noli);
        command.args(arguments).arg("--json").env(NO_KERNELS.0, NO_KERNELS.1).current_dir(&**self.folder);
        let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let report = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
            panic!("{command:?}: {error}\n{}", String::from_utf8_lossy(&output.stderr))
        });
        (report, output.status.code().unwrap_or(-1))
    }
}

/// Returns the arguments of the program for a case; writes the configurations that they name.
pub fn command(case: &Case, folder: &Folder) -> Vec<String> {
    // A robot, or a cell that has one.
    let robot =
        || Some(case.text("robot")).filter(|robot| !robot.is_empty()).map_or(case.file(), str::to_owned);
    let place = |name: &str| {
        let joints = case.question[name].as_object().into_iter().flatten();
        let named: Vec<String> = joints.map(|(joint, value)| format!("{joint}={value}")).collect();
        format!("--{name}={}{}", case.text(name), named.join(","))
    };
    let mut all = match case.kind.as_str() {
        "check" => [vec!["check".to_owned()], case.files()].concat(),
        "sweep" => vec!["sweep".to_owned(), case.file()],
        "remove" => vec!["remove".to_owned(), case.file(), case.text("part").to_owned()],
        "robot-check" => vec![
            "robot".to_owned(),
            "check".to_owned(),
            robot(),
            format!("--states={}", states(case, folder)),
        ],
        "robot-run" => vec!["robot".to_owned(), "run".to_owned(), case.file()],
        "robot-trajectory" => vec![
            "robot".to_owned(),
            "check".to_owned(),
            robot(),
            format!("--trajectory={}", case.text("trajectory")),
        ],
        "robot-pairs" => vec!["robot".to_owned(), "pairs".to_owned(), robot()],
        "robot-plan" => vec!["robot".to_owned(), "plan".to_owned(), robot(), place("from"), place("to")],
        other => panic!("{}: no question is called {other}", case.name),
    };
    all.extend(flags(&case.options()));
    all
}

/// Writes the configurations as a table, and returns its name.
fn states(case: &Case, folder: &Folder) -> String {
    let states = case.states();
    let names: Vec<&str> = states.first().into_iter().flat_map(Map::keys).map(String::as_str).collect();
    let row = |state: &Map<String, Value>| {
        names.iter().map(|name| state[*name].to_string()).collect::<Vec<_>>().join(",")
    };
    let table: Vec<String> = std::iter::once(names.join(",")).chain(states.iter().map(row)).collect();
    let file = case.file().replace(".toml", ".csv");
    folder.file(&file, table.join("\n"));
    file
}

/// Returns options as the program takes them.
fn flags(options: &Map<String, Value>) -> Vec<String> {
    let one = |name: &str, value: &Value| match value {
        Value::Bool(_) => format!("--{name}"),
        Value::String(text) => format!("--{name}={text}"),
        other => format!("--{name}={other}"),
    };
    let all = options.iter().flat_map(|(name, value)| match value {
        Value::Array(several) => several.iter().map(|value| one(name, value)).collect(),
        single => vec![one(name, single)],
    });
    all.collect()
}
