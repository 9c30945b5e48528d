//! Misuse is a defined error, and nothing leaks.

use crate::compiler::{Dialect, compile, here, library_folder, run};
use noli_testing::{Folder, skip_tool};
use std::process::Command;

#[test]
fn null_nan_freed_handles_and_two_threads_are_errors() {
    let folder = Folder::new("capi_misuse");
    let source = here().join("tests/programs/misuse.c");
    let Some(program) = compile(&folder, &source, Dialect::C, &[]) else { return };
    let said = run(&mut Command::new(program));
    assert!(said.contains("failures 0") && said.contains("live 0"), "{said}");
}

#[test]
fn a_million_calls_do_not_leak() {
    let folder = Folder::new("capi_leaks");
    let source = here().join("tests/programs/leaks.c");
    let Some(program) = compile(&folder, &source, Dialect::C, &[]) else { return };
    let said = run(Command::new(program).arg("1000000"));
    assert!(said.contains("live 0"), "{said}");
}

/// Returns `true` if the compiler has the sanitizer, and a program with it starts on this system.
fn has(folder: &Folder, flag: &str) -> bool {
    let source = folder.file("probe.c", "int main(void) { return 0; }\n");
    let program = folder.join("probe");
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let linked = Command::new(compiler).args([flag, &source, "-o"]).arg(&program).output();
    linked.is_ok_and(|output| output.status.success())
        && Command::new(program).output().is_ok_and(|output| output.status.success())
}

/// Compiles a program with a sanitizer and runs it: a finding ends it with an error.
fn sanitized(folder: &Folder, name: &str, flag: &str, arguments: &[&str]) {
    let source = here().join(format!("tests/programs/{name}.c"));
    let options = [flag, "-fno-sanitize-recover=all", "-g"];
    let Some(program) = compile(folder, &source, Dialect::C, &options) else { return };
    let mut command = Command::new(program);
    // The library comes from the folder that it was built in, also where the sanitizer replaces the search path.
    command.args(arguments).env("LD_LIBRARY_PATH", library_folder()).env("TSAN_OPTIONS", "halt_on_error=1");
    let said = run(&mut command);
    assert!(said.contains("live 0"), "{said}");
}

/// Address, leak and undefined-behaviour sanitizers, where the compiler has them.
#[test]
fn sanitizers_find_nothing() {
    let folder = Folder::new("capi_sanitized");
    let flag = "-fsanitize=address,undefined";
    if !has(&folder, flag) {
        return skip_tool("no sanitizers for the C interface");
    }
    sanitized(&folder, "misuse", flag, &[]);
    sanitized(&folder, "leaks", flag, &["1000000", "sanitized"]);
}

/// The thread sanitizer watches the C program; the library is not instrumented. Kernels with another layout of memory
/// refuse it, so its absence is not reported.
#[test]
fn thread_sanitizer_finds_nothing() {
    let folder = Folder::new("capi_threads_sanitized");
    let flag = "-fsanitize=thread";
    if has(&folder, flag) {
        sanitized(&folder, "misuse", flag, &[]);
    }
}
