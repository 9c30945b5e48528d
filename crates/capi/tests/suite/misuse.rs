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

/// Address and undefined-behaviour sanitizers, where the compiler has them.
#[test]
fn sanitizers_find_nothing() {
    let folder = Folder::new("capi_sanitized");
    let probe = folder.file("probe.c", "int main(void) { return 0; }\n");
    let flag = "-fsanitize=address,undefined";
    let linked = Command::new(std::env::var("CC").unwrap_or_else(|_| "cc".to_owned()))
        .args([flag, &probe, "-o"])
        .arg(folder.join("probe"))
        .output();
    if !linked.is_ok_and(|output| output.status.success()) {
        return skip_tool("no sanitizers for the C interface");
    }
    for (name, arguments) in [("misuse", &[][..]), ("leaks", &["20000", "sanitized"][..])] {
        let source = here().join(format!("tests/programs/{name}.c"));
        let options = [flag, "-fno-sanitize-recover=all", "-g"];
        let Some(program) = compile(&folder, &source, Dialect::C, &options) else { return };
        let mut command = Command::new(program);
        // The library comes from the folder that it was built in, also where the sanitizer replaces the search path.
        command.args(arguments).env("LD_LIBRARY_PATH", library_folder());
        run(&mut command);
    }
}
