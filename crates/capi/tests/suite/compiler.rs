//! Compilers of this machine, and the library that this test was built with.

use noli_testing::{Folder, skip_tool};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Folder of the crate.
pub(crate) fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the folder of the shared library: cargo puts it next to the test program, or one folder above.
pub(crate) fn library_folder() -> PathBuf {
    let exe = std::env::current_exe().expect("the path of this program");
    let name = format!("{}noli_c{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let folder = exe.ancestors().skip(1).take(2).find(|folder| folder.join(&name).is_file());
    folder.unwrap_or_else(|| panic!("no {name} next to {}", exe.display())).to_owned()
}

/// Language and dialect of a program.
#[derive(Clone, Copy)]
pub(crate) enum Dialect {
    C,
    Cpp,
}

/// Compiles a program against the headers and the library; `None`, reported as skipped, without a compiler.
pub(crate) fn compile(folder: &Folder, source: &Path, dialect: Dialect, options: &[&str]) -> Option<PathBuf> {
    let (variable, default, standard) = match dialect {
        Dialect::C => ("CC", "cc", "-std=gnu11"),
        Dialect::Cpp => ("CXX", "c++", "-std=c++14"),
    };
    let compiler = std::env::var(variable).unwrap_or_else(|_| default.to_owned());
    if cfg!(windows) || Command::new(&compiler).arg("--version").output().is_err() {
        skip_tool(&format!("no compiler `{compiler}` for {}", source.display()));
        return None;
    }
    let libraries = library_folder();
    let program = folder.join(source.file_stem().expect("a named file"));
    let output = Command::new(&compiler)
        .args([standard, "-O1", "-Wall", "-Wextra", "-Werror"])
        .arg(format!("-I{}", here().join("include").display()))
        .args(options)
        .arg(source)
        .arg("-o")
        .arg(&program)
        .arg(format!("-L{}", libraries.display()))
        .arg(format!("-Wl,-rpath,{}", libraries.display()))
        .args(["-lnoli_c", "-lpthread", "-lm"])
        .output()
        .expect("the compiler runs");
    assert!(output.status.success(), "{}: {}", source.display(), text(&output.stderr));
    Some(program)
}

/// Runs a program and returns its output; fails with it if the program does.
pub(crate) fn run(command: &mut Command) -> String {
    // Cargo names several folders, one of which may hold the library of an earlier build.
    command.env("LD_LIBRARY_PATH", library_folder());
    let output: Output = command.output().expect("the program runs");
    let said = format!("{}{}", text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{command:?}: {}\n{said}", output.status);
    text(&output.stdout)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
