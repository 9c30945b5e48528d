//! Project chores: `cargo xtask test` runs every check, `cargo xtask peers` builds the programs that
//! noli is compared with.
#![allow(clippy::print_stdout, reason = "a command-line tool: its output is its purpose")]

mod book;
mod browser;
mod budgets;
mod cold;
mod dist;
mod floors;
mod gpu;
mod libraries;
mod licences;
mod package;
mod peers;
mod python;
mod skips;
mod stranger;
mod targets;
mod tests;
mod web;
mod words;

use skips::Skips;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use tests::Tests;

const USAGE: &str = "\
usage: cargo xtask COMMAND
  test [--allow-skips]  every check: formatting, libraries, floors, licences, packages, lints, tests, doc-tests,
                        documentation, the Python package, the pages in a browser; stops at the first failure, fails
                        where checks were skipped unless --allow-skips or NOLI_ALLOW_SKIPS=1 is given
  libraries             library crates open no files, read no clock and call nothing of one system
  floors                imports within a crate lead to no circle, those of `noli` only downwards
  licences              what the default build depends on and bundles may be used freely
  words                 public documentation uses the vocabulary of the field
  book                  the pages of docs/ as a site under target/book, with every link checked
  dist [--quick]        release files under target/dist: archive, bill of materials, wheel, crates, checksums; with
                        --quick without the wheel and without building the packaged crates
  package               the published crates can be packaged
  stranger              the programs of `examples/` build and run in a crate outside the workspace
  budgets [--cold]      size of the program and dependencies of the library; with --cold, the time from nothing
                        to the first table, and the time of each crate
  targets               check the libraries for wasm32 and ARM, and the program for Windows
  python                all tests of the Python package, in an environment of its own with all that it works with
  gpu                   the tests and benchmarks that need a GPU
  web                   the built pages are what their sources give (needs Node)
  peers                 build the peers of `noli-lab bench --peers` that this machine can build";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let passed = match arguments.as_slice() {
        ["test"] => test(std::env::var_os("NOLI_ALLOW_SKIPS").is_some_and(|value| value == "1")),
        ["test", "--allow-skips"] => test(true),
        ["libraries"] => told(libraries::check()),
        ["floors"] => told(floors::check()),
        ["licences"] => told(licences::check()),
        ["words"] => told(words::check()),
        ["book"] => told(book::build()),
        ["dist"] => told(dist::make(false)),
        ["dist", "--quick"] => told(dist::make(true)),
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
    /// A program that cargo has built of tests.
    Tests(Tests),
}

impl Step {
    fn name(&self) -> &str {
        match self {
            Self::Own(name, _) | Self::Cargo { name, .. } => name,
            Self::Tests(tests) => &tests.name,
        }
    }

    fn title(&self) -> String {
        match self {
            Self::Own(..) | Self::Tests(_) => self.name().to_owned(),
            Self::Cargo { name, arguments, .. } => format!("{name}: cargo {}", arguments.join(" ")),
        }
    }

    /// Runs the step, and returns its output.
    fn take(&self, skips: &Skips) -> Result<String, String> {
        match self {
            Self::Own(_, check) => check(),
            Self::Tests(tests) => tests.run(skips),
            Self::Cargo { arguments, env, .. } => {
                output_of(cargo().args(*arguments).envs(*env).envs(skips.env()).current_dir(workspace()))
            }
        }
    }
}

/// Quick steps, run alone.
const FIRST_STEPS: [Step; 8] = [
    Step::Cargo { name: "format", arguments: &["fmt", "--all", "--check"], env: None },
    Step::Own("libraries", libraries::check),
    Step::Own("floors", floors::check),
    Step::Own("licences", licences::check),
    Step::Own("words", words::check),
    Step::Own("book", book::build),
    Step::Cargo {
        name: "clippy",
        arguments: &["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"],
        env: None,
    },
    Step::Own("package", package::check),
];

/// Steps run along with the tests.
const SIDE_STEPS: [Step; 3] = [
    Step::Own("stranger", stranger::check),
    Step::Cargo { name: "doc-test", arguments: &["test", "--quiet", "--workspace", "--doc"], env: None },
    Step::Cargo {
        name: "doc",
        arguments: &["doc", "--quiet", "--workspace", "--no-deps"],
        env: Some(("RUSTDOCFLAGS", "-D warnings")),
    },
];

fn test(allow_skips: bool) -> bool {
    let start = Instant::now();
    let mut skips = match Skips::new(&target()) {
        Ok(skips) => skips,
        Err(error) => return told(Err(error)),
    };
    if !FIRST_STEPS.iter().all(|step| run(step, &skips)) {
        return false;
    }
    let tests = match tests::build() {
        Ok(tests) => tests,
        Err(error) => return told(Err(error)),
    };
    // What takes longest by itself comes first.
    let mut steps = Vec::new();
    match browser::find_or_install() {
        Ok(()) => {
            steps.extend(tests.iter().filter_map(Tests::in_browser).map(Step::Tests));
            if steps.len() < 2 {
                return told(Err("== a program lacks its tests that need a browser".to_owned()));
            }
        }
        Err(missing) => skips.add(&format!("browser: {missing}")),
    }
    steps.extend(tests.into_iter().map(Step::Tests));
    match python::environment() {
        Ok(_) => steps.push(Step::Own("python", python::quick)),
        Err(missing) => skips.add(&format!("python: {missing}")),
    }
    match web::has_node() {
        true => steps.push(Step::Own("web", web::check)),
        false => skips.add("web: there is no npm, so the built pages were not compared with their sources"),
    }
    steps.extend(SIDE_STEPS);
    let at_once = std::thread::available_parallelism().map_or(1, usize::from);
    if !run_beside(&steps, at_once, &skips) {
        return false;
    }
    let seconds = start.elapsed().as_secs_f64();
    let verdict = skips.verdict(allow_skips);
    if verdict.is_ok() {
        println!("== passed in {seconds:.0} s");
    }
    told(verdict)
}

/// Runs a step and reports its result.
fn run(step: &Step, skips: &Skips) -> bool {
    println!("== {}", step.title());
    let start = Instant::now();
    let passed = told(step.take(skips));
    say_how(step, passed, start);
    passed
}

/// Runs steps, so many at once; the output of a step is printed when it ends. After a failure no step starts.
fn run_beside(steps: &[Step], at_once: usize, skips: &Skips) -> bool {
    let failed = AtomicBool::new(false);
    let left = Mutex::new(steps.iter());
    // Held by who prints several lines that belong together.
    let speaking = Mutex::new(());
    let next = || left.lock().ok()?.next().filter(|_| !failed.load(Ordering::Relaxed));
    let work = || {
        while let Some(step) = next() {
            let start = Instant::now();
            let result = step.take(skips);
            let _whole = speaking.lock();
            println!("== {}", step.title());
            let passed = told(result);
            say_how(step, passed, start);
            failed.fetch_or(!passed, Ordering::Relaxed);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(work);
        }
    });
    !failed.into_inner()
}

fn say_how(step: &Step, passed: bool, start: Instant) {
    let (name, seconds) = (step.name(), start.elapsed().as_secs_f64());
    if passed {
        println!("== {name} passed in {seconds:.1} s");
    } else {
        eprintln!("== {name} FAILED after {seconds:.1} s; no step began after that");
    }
}

/// Returns `true` if a command, which prints its own output, succeeded.
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

/// The cargo that runs us, so that a chosen toolchain stays chosen. Everything is built here, often from nothing: what compiles
/// a change sooner next time would take a quarter longer now.
fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    if std::env::var_os("CARGO_INCREMENTAL").is_none() {
        command.env("CARGO_INCREMENTAL", "0");
    }
    command
}

/// Returns the output of a cargo command, or the error.
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

/// Returns the build folder of cargo.
fn target() -> PathBuf {
    workspace().join(std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from))
}

#[cfg(test)]
mod steps {
    use super::*;

    #[test]
    fn a_step_that_fails_beside_others_fails_all_and_no_other_begins() {
        let skips = Skips::new(&std::env::temp_dir().join("noli-xtask-beside")).unwrap();
        let good = || Step::Own("good", || Ok(String::new()));
        let bad = || Step::Own("bad", || Err("as it should".to_owned()));
        let never = || Step::Own("never", || panic!("a step began after a failure"));
        assert!(run_beside(&[good(), good(), good()], 2, &skips));
        assert!(run_beside(&[], 2, &skips));
        assert!(!run_beside(&[good(), bad(), never()], 1, &skips));
        assert!(!run_beside(&[good(), good(), bad()], 3, &skips));
    }
}
