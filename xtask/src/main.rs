//! Project chores: `cargo xtask test` runs every check, `cargo xtask peers` builds the programs that
//! noli is compared with.
#![allow(clippy::print_stdout, reason = "a command-line tool: its output is its purpose")]

mod book;
mod browser;
mod budgets;
mod capi;
mod cold;
mod dist;
mod doors;
mod floors;
mod gpu;
mod libraries;
mod licences;
mod mutants;
mod npm;
mod package;
mod peers;
mod python;
mod searches;
mod skips;
mod steps;
mod stranger;
mod targets;
mod tests;
mod web;
mod words;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const USAGE: &str = "\
usage: cargo xtask COMMAND
  test [--strict]       every check: formatting, libraries, floors, licences, packages, lints, tests, doc-tests,
                        documentation, the Python package, the pages in a browser; names all failures. Checks
                        without their data or tools are listed; with --strict, or where there is data, they fail
  libraries             library crates open no files, read no clock and call nothing of one system
  floors                imports within a crate lead to no circle, those of `noli` only downwards
  licences              what the default build depends on and bundles may be used freely
  words                 public documentation uses the vocabulary of the field
  mutants [TEXT]        a sample of the rows of lab/COVERAGE.md: with the code changed that a row names, its test fails.
                        With TEXT, the rows whose item, file or test contains it. Changes files and
                        restores them
  book                  the pages of docs/ as a site under target/book, with every link checked
  dist [--quick]        release files under target/dist: programs for x86-64 and ARM, bills of materials, wheels, npm
                        package, crates, checksums; with --quick the program of this machine and the crates, not built
  doors                 the same questions through the program, Python, the tools for agents, the studio, C and npm
  package               the published crates can be packaged
  stranger              the programs of `examples/` build and run in a crate outside the workspace
  budgets [--cold]      size of the program and dependencies of the library; with --cold, the time from nothing
                        to the first table, and the time of each crate
  targets               check the libraries for wasm32 and ARM, and the program for Windows
  python                all tests of the Python package, in an environment of its own with all that it works with
  gpu                   the tests and benchmarks that need a GPU
  capi --prefix DIR     build the C interface and install it below DIR: libraries, headers, pkg-config, CMake package
  npm                   build and pack the npm package under target/npm (needs Node and the target wasm32)
  npm --check           its tests in Node and in a browser, with answers compared to those of the C interface
  web                   the built pages are what their sources give (needs Node)
  peers                 build the peers of `noli-lab bench --peers` that this machine can build";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let passed = match arguments.as_slice() {
        ["test"] => steps::test(false),
        ["test", "--strict"] => steps::test(true),
        ["libraries"] => told(libraries::check()),
        ["floors"] => told(floors::check()),
        ["licences"] => told(licences::check()),
        ["words"] => told(words::check()),
        ["mutants"] => told(mutants::check("")),
        ["mutants", wanted] => told(mutants::check(wanted)),
        ["book"] => told(book::build()),
        ["dist"] => told(dist::make(false)),
        ["dist", "--quick"] => told(dist::make(true)),
        ["doors"] => told(doors::check()),
        ["package"] => told(package::check()),
        ["stranger"] => told(stranger::check()),
        ["budgets"] => told(budgets::measure(false)),
        ["budgets", "--cold"] => told(budgets::measure(true)),
        ["targets"] => told(targets::check()),
        ["python"] => told(python::all()),
        ["gpu"] => told(gpu::check()),
        ["capi", "--prefix", prefix] => told(capi::install(prefix)),
        ["npm"] => told(npm::pack()),
        ["npm", "--check"] => told(npm::check()),
        ["web"] => told(web::check()),
        ["peers"] => return peers::build_all(),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Returns `true` if a command, which prints its own output, succeeded.
fn started(command: &mut Command) -> bool {
    command.status().map(|status| status.success()).unwrap_or_else(|error| {
        eprintln!("cannot start cargo: {error}");
        false
    })
}

/// Returns all that a command prints, as an error if it failed.
fn output_of(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("cannot start {command:?}: {error}"))?;
    let said = [&output.stdout, &output.stderr]
        .map(|text| String::from_utf8_lossy(text).trim().to_owned())
        .join("\n");
    let said = said.trim().to_owned();
    if output.status.success() { Ok(said) } else { Err(said) }
}

/// Returns the standard output of a command, untrimmed at its start; its messages as an error if it failed.
fn stdout_of(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("cannot start {command:?}: {error}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
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
