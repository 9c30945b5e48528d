//! Project chores: `cargo xtask test` runs every check, `cargo xtask peers` builds the programs that
//! noli is compared with.
#![allow(clippy::print_stdout, reason = "a command-line tool: its output is its purpose")]

mod browser;
mod budgets;
mod gpu;
mod libraries;
mod licences;
mod package;
mod peers;
mod python;
mod skips;
mod stranger;
mod targets;
mod web;

use skips::Skips;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

const USAGE: &str = "\
usage: cargo xtask COMMAND
  test [--allow-skips]  every check: formatting, libraries, licences, packages, lints, tests, doc-tests,
                        documentation, the Python package, the pages in a browser; stops at the first failure, fails
                        where checks were skipped unless --allow-skips or NOLI_ALLOW_SKIPS=1 is given
  libraries             library crates open no files, read no clock and call nothing of one system
  licences              what the default build depends on and bundles may be used freely
  package               the published crates can be packaged
  stranger              the programs of `examples/` build and run in a crate outside the workspace
  budgets [--cold]      size of the program and dependencies of the library; with --cold, the time from nothing
                        to the first table
  targets               check the libraries for wasm32 and ARM, and the program for Windows
  python                all tests of the Python package, in an environment of its own with all that it works with
  gpu                   the tests and benchmarks that need a card
  web                   the built pages are what their sources give (needs Node)
  peers                 build the peers of `noli bench --peers` that this machine can build";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let passed = match arguments.as_slice() {
        ["test"] => test(std::env::var_os("NOLI_ALLOW_SKIPS").is_some_and(|value| value == "1")),
        ["test", "--allow-skips"] => test(true),
        ["libraries"] => told(libraries::check()),
        ["licences"] => told(licences::check()),
        ["package"] => told(package::check()),
        ["stranger"] => told(stranger::check()),
        ["budgets"] => told(budgets::measure(false)),
        ["budgets", "--cold"] => told(budgets::measure(true)),
        ["targets"] => told(targets::check()),
        ["python"] => told(python::all()),
        ["gpu"] => told(gpu::check()),
        ["web"] => told(web::check()),
        ["peers"] => return peers::build_all(),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// One step of `cargo xtask test`.
enum Step {
    /// A check of our own.
    Own(&'static str, fn() -> Result<String, String>),
    /// A command of cargo.
    Cargo {
        name: &'static str,
        arguments: &'static [&'static str],
        env: Option<(&'static str, &'static str)>,
    },
}

impl Step {
    fn name(&self) -> &'static str {
        match self {
            Self::Own(name, _) | Self::Cargo { name, .. } => name,
        }
    }

    fn title(&self) -> String {
        match self {
            Self::Own(name, _) => (*name).to_owned(),
            Self::Cargo { name, arguments, .. } => format!("{name}: cargo {}", arguments.join(" ")),
        }
    }

    /// What a step of cargo starts.
    fn command(&self, skips: &Skips) -> Command {
        let mut command = cargo();
        command.current_dir(workspace()).envs(skips.env());
        if let Self::Cargo { name, arguments, env } = self {
            command.args(*arguments).envs(*env);
            // Only now, because installing them takes longer than the steps before.
            if *name == "test" {
                command.envs([python::kernels()]);
            }
        }
        command
    }
}

/// Quick ones first.
const TEST_STEPS: [Step; 6] = [
    Step::Cargo { name: "format", arguments: &["fmt", "--all", "--check"], env: None },
    Step::Own("libraries", libraries::check),
    Step::Own("licences", licences::check),
    Step::Cargo {
        name: "clippy",
        arguments: &["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"],
        env: None,
    },
    Step::Own("package", package::check),
    // Without the examples, which clippy has compiled: linking them would take longer than many tests.
    Step::Cargo {
        name: "test",
        arguments: &["test", "--quiet", "--workspace", "--tests"],
        // The same cases for everybody, so that a change is judged by what it changes; campaigns draw others.
        env: Some(("PROPTEST_RNG_SEED", "1")),
    },
];

/// Beside the Python package and the pages: each side keeps about one processor busy.
const SIDE_STEPS: [Step; 3] = [
    Step::Own("stranger", stranger::check),
    Step::Cargo { name: "doc-test", arguments: &["test", "--quiet", "--workspace", "--doc"], env: None },
    Step::Cargo {
        name: "doc",
        arguments: &["doc", "--quiet", "--workspace", "--no-deps"],
        env: Some(("RUSTDOCFLAGS", "-D warnings")),
    },
];

/// Needs a browser, so it counts as skipped where there is none.
const BROWSER_STEP: Step = Step::Cargo {
    name: "browser",
    // Of the whole workspace, as the tests before: one package alone has other features and is built anew.
    arguments: &[
        "test",
        "--quiet",
        "--workspace",
        "--test",
        "suite",
        "--",
        "--ignored",
        "page::",
        "studio::",
    ],
    env: None,
};

fn test(allow_skips: bool) -> bool {
    let start = Instant::now();
    let mut skips = match Skips::new(&target()) {
        Ok(skips) => skips,
        Err(error) => return told(Err(error)),
    };
    if !TEST_STEPS.iter().all(|step| run(step, &skips)) {
        return false;
    }
    let mut other_steps = Vec::new();
    match python::environment() {
        Ok(_) => other_steps.push(Step::Own("python", python::quick)),
        Err(missing) => skips.add(&format!("python: {missing}")),
    }
    match web::has_node() {
        true => other_steps.push(Step::Own("web", web::check)),
        false => skips.add("web: there is no npm, so the built pages were not compared with their sources"),
    }
    if !run_beside(&SIDE_STEPS, &other_steps, &skips) {
        return false;
    }
    match browser::find_or_install() {
        Ok(()) if !run(&BROWSER_STEP, &skips) => return false,
        Ok(()) => {}
        Err(missing) => skips.add(&format!("browser: {missing}")),
    }
    let seconds = start.elapsed().as_secs_f64();
    let verdict = skips.verdict(allow_skips);
    if verdict.is_ok() {
        println!("== passed in {seconds:.0} s");
    }
    told(verdict)
}

/// Runs a step and says how it went.
fn run(step: &Step, skips: &Skips) -> bool {
    println!("== {}", step.title());
    let start = Instant::now();
    let passed = match step {
        Step::Own(_, check) => told(check()),
        Step::Cargo { .. } => started(&mut step.command(skips)),
    };
    say_how(step, passed, start);
    passed
}

/// Runs two rows of steps beside each other; what a step says comes when it ends, all at once. After a failure no step
/// begins.
fn run_beside(one: &[Step], other: &[Step], skips: &Skips) -> bool {
    let failed = AtomicBool::new(false);
    let row = |steps: &[Step]| {
        for step in steps {
            if failed.load(Ordering::Relaxed) {
                return;
            }
            let start = Instant::now();
            let result = match step {
                Step::Own(_, check) => check(),
                Step::Cargo { .. } => output_of(&mut step.command(skips)),
            };
            let _whole = SPEAKING.lock();
            println!("== {}", step.title());
            let passed = told(result);
            say_how(step, passed, start);
            failed.fetch_or(!passed, Ordering::Relaxed);
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| row(one));
        row(other);
    });
    !failed.into_inner()
}

/// Held by who prints several lines that belong together.
static SPEAKING: Mutex<()> = Mutex::new(());

fn say_how(step: &Step, passed: bool, start: Instant) {
    let (name, seconds) = (step.name(), start.elapsed().as_secs_f64());
    if passed {
        println!("== {name} passed in {seconds:.1} s");
    } else {
        eprintln!("== {name} FAILED after {seconds:.1} s; the steps after it did not run");
    }
}

fn started(command: &mut Command) -> bool {
    command.status().map(|status| status.success()).unwrap_or_else(|error| {
        eprintln!("cannot start cargo: {error}");
        false
    })
}

/// All that a command prints, as an error if it failed.
fn output_of(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("cannot start cargo: {error}"))?;
    let said = [&output.stdout, &output.stderr]
        .map(|text| String::from_utf8_lossy(text).trim().to_owned())
        .join("\n");
    let said = said.trim().to_owned();
    if output.status.success() { Ok(said) } else { Err(said) }
}

/// Prints what a check found.
fn told(result: Result<String, String>) -> bool {
    match &result {
        Ok(text) if text.is_empty() => {}
        Ok(text) => println!("{text}"),
        Err(text) => eprintln!("{text}"),
    }
    result.is_ok()
}

/// The cargo that runs us, so that a chosen toolchain stays chosen.
fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// What a command of cargo prints, or what went wrong.
fn cargo_output<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Result<String, String> {
    let output = cargo().args(arguments).current_dir(workspace()).output();
    let output = output.map_err(|error| format!("cannot start cargo: {error}"))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
    }
}

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the workspace")
}

/// Where cargo builds.
fn target() -> PathBuf {
    workspace().join(std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_fails_beside_others_fails_all_and_ends_both_rows() {
        let skips = Skips::new(&std::env::temp_dir().join("noli-xtask-beside")).unwrap();
        let good = || Step::Own("good", || Ok(String::new()));
        let bad = || Step::Own("bad", || Err("as it should".to_owned()));
        let never = || Step::Own("never", || panic!("a step began after a failure"));
        assert!(run_beside(&[good(), good()], &[good()], &skips));
        assert!(run_beside(&[], &[], &skips));
        assert!(!run_beside(&[good(), bad(), never()], &[good()], &skips));
        assert!(!run_beside(&[good()], &[bad(), never()], &skips));
    }
}
