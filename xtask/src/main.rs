//! Project chores: `cargo xtask test` runs every check, `cargo xtask peers` builds the programs that
//! noli is compared with.
#![allow(clippy::print_stdout, reason = "a command-line tool: its output is its purpose")]

mod browser;
mod peers;

use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

const USAGE: &str = "\
usage: cargo xtask COMMAND
  test   formatting, lints, tests, doc-tests, documentation, and the page in a browser; stops at the first failure
  peers  build the peers of `noli bench --peers` that this machine can build";

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("test") => test(),
        Some("peers") => peers::build_all(),
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// One command of `cargo xtask test`.
struct Step {
    name: &'static str,
    cargo_args: &'static [&'static str],
    env: Option<(&'static str, &'static str)>,
}

const TEST_STEPS: [Step; 4] = [
    Step { name: "format", cargo_args: &["fmt", "--all", "--check"], env: None },
    Step {
        name: "clippy",
        cargo_args: &["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"],
        env: None,
    },
    Step { name: "test", cargo_args: &["test", "--quiet", "--workspace"], env: None },
    Step {
        name: "doc",
        cargo_args: &["doc", "--quiet", "--workspace", "--no-deps"],
        env: Some(("RUSTDOCFLAGS", "-D warnings")),
    },
];

/// Needs a browser, so it is left out where there is none.
const BROWSER_STEP: Step = Step {
    name: "browser",
    cargo_args: &["test", "--quiet", "-p", "noli-cli", "--test", "page", "--", "--ignored"],
    env: None,
};

fn test() -> ExitCode {
    if !TEST_STEPS.iter().all(run) {
        return ExitCode::FAILURE;
    }
    if let Err(missing) = browser::find_or_install() {
        println!("== browser SKIPPED: {missing}");
        println!("== all others passed");
        return ExitCode::SUCCESS;
    }
    if !run(&BROWSER_STEP) {
        return ExitCode::FAILURE;
    }
    println!("== all passed");
    ExitCode::SUCCESS
}

/// Runs a step and says how it went.
fn run(step: &Step) -> bool {
    println!("== {}: cargo {}", step.name, step.cargo_args.join(" "));
    let start = Instant::now();
    let mut command = cargo();
    command.args(step.cargo_args).current_dir(workspace()).envs(step.env);
    let passed = match command.status() {
        Ok(status) => status.success(),
        Err(error) => {
            eprintln!("cannot start cargo: {error}");
            false
        }
    };
    let seconds = start.elapsed().as_secs_f64();
    if passed {
        println!("== {} passed in {seconds:.1} s", step.name);
    } else {
        eprintln!("== {} FAILED after {seconds:.1} s; the steps after it did not run", step.name);
    }
    passed
}

/// The cargo that runs us, so that a chosen toolchain stays chosen.
fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the workspace")
}
