//! Libraries open no files, read no clock and make no system-specific calls. They would build for wasm and
//! run step for step alike under a test clock. Calls of some systems only are under `cfg`.

use crate::workspace;
use std::fs;
use std::path::{Path, PathBuf};

/// Items forbidden in plain libraries.
const FORBIDDEN: [&str; 11] = [
    "std::fs",
    "std::net",
    "std::env",
    "std::process",
    "std::thread",
    "std::time::Instant",
    "std::time::SystemTime",
    "Instant::now",
    "SystemTime::now",
    "std::os::",
    "thread::sleep",
];

/// `formats` and `project` read files for their users.
const FORBIDDEN_BESIDE_FILES: [&str; 6] =
    ["std::net", "std::thread", "Instant::now", "SystemTime::now", "std::os::", "thread::sleep"];

const LIBRARIES: [(&str, &[&str]); 10] = [
    ("geom", &FORBIDDEN),
    ("implicit", &FORBIDDEN),
    ("noli", &FORBIDDEN),
    ("classics", &FORBIDDEN),
    ("certificate", &FORBIDDEN),
    ("brep", &FORBIDDEN),
    ("program", &FORBIDDEN),
    ("scenes", &FORBIDDEN),
    ("formats", &FORBIDDEN_BESIDE_FILES),
    ("project", &FORBIDDEN_BESIDE_FILES),
];

/// The clock that a user may pass to a `Budget`: it is read, never created. On `wasm32-unknown-unknown` it
/// panics when started, for lack of a clock; a user-defined `Clock` works everywhere.
const EXCEPTIONS: [(&str, &str); 10] = [
    ("noli/src/budget.rs", "std::time::Instant"),
    // Whether two names are one file, with a portable way beside it.
    ("formats/src/atomic_file.rs", "std::os::"),
    // Permissions of private files, under cfg.
    ("formats/src/locked_file.rs", "std::os::"),
    ("formats/src/private_folder.rs", "std::os::"),
    ("formats/src/convert/cache.rs", "std::os::"),
    // A cache is cleared by age, and another program is ended after a time limit.
    ("formats/src/convert/cache.rs", "SystemTime"),
    ("formats/src/convert/python.rs", "thread"),
    ("formats/src/convert/python.rs", "Instant"),
    ("formats/src/convert/python.rs", "std::process"),
    // Programs that run at once block for each other's signals; their results depend on no order of the threads.
    ("program/src/run/mod.rs", "std::thread"),
];

/// Calls that only Unix has.
const UNIX: [&str; 3] = ["std::os::unix", "nix::", "libc::"];

pub(crate) fn check() -> Result<String, String> {
    let mut found = Vec::new();
    let mut files = 0;
    for (name, forbidden) in LIBRARIES {
        let folder = workspace().join("crates").join(name).join("src");
        for path in if folder.is_dir() { sources(&folder)? } else { Vec::new() } {
            files += 1;
            let short = short(&path);
            let excused = |what: &str| {
                EXCEPTIONS.iter().any(|(file, call)| short.ends_with(file) && what.contains(call))
            };
            for (line, text) in code(&read(&path)?) {
                let calls = forbidden.iter().filter(|call| text.contains(**call) && !excused(text));
                found.extend(calls.map(|call| format!("{short}:{line}: {call} has no place in a library")));
            }
        }
    }
    for folder in ["crates", "lab", "xtask/src/peers.rs"] {
        for path in sources(&workspace().join(folder))? {
            files += 1;
            let calls = unguarded(&read(&path)?);
            found.extend(
                calls
                    .into_iter()
                    .map(|line| format!("{}:{line}: only on Unix, and no cfg(unix) above it", short(&path))),
            );
        }
    }
    if found.is_empty() { Ok(format!("{files} files looked through")) } else { Err(found.join("\n")) }
}

/// Numbered lines of code before the tests, without comments.
fn code(text: &str) -> Vec<(usize, &str)> {
    let lines = text.lines().enumerate().take_while(|(_, line)| line.trim() != "#[cfg(test)]");
    lines.map(|(i, line)| (i + 1, line.split("//").next().unwrap_or(""))).collect()
}

/// Lines with calls of Unix and no `cfg(unix)` within the three lines above.
fn unguarded(text: &str) -> Vec<usize> {
    let lines = code(text);
    let calls = |line: &str| UNIX.iter().any(|call| line.contains(call)) && !line.contains('"');
    let guarded = |i: usize| lines[i.saturating_sub(3)..i].iter().any(|(_, line)| line.contains("cfg(unix)"));
    (0..lines.len()).filter(|&i| calls(lines[i].1) && !guarded(i)).map(|i| lines[i].0).collect()
}

/// The Rust files of a folder and those below, without tests; or a file itself.
fn sources(folder: &Path) -> Result<Vec<PathBuf>, String> {
    if folder.is_file() {
        return Ok(vec![folder.to_path_buf()]);
    }
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !["tests", "examples", "benches"].contains(&name.as_str()) {
            found.extend(sources(&path)?);
        } else if name.ends_with(".rs") && name != "tests.rs" {
            found.push(path);
        }
    }
    Ok(found)
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn short(path: &Path) -> String {
    path.strip_prefix(workspace()).unwrap_or(path).display().to_string().replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_tests_do_not_count() {
        let text = "use a; // std::fs\n/// std::fs\nfn f() {}\n#[cfg(test)]\nmod tests { use std::fs; }\n";
        assert_eq!(code(text), [(1, "use a; "), (2, ""), (3, "fn f() {}")]);
    }

    #[test]
    fn a_call_of_unix_needs_its_cfg() {
        assert_eq!(unguarded("fn f() {\n    nix::time::now();\n}\n"), [2]);
        assert!(unguarded("#[cfg(unix)]\nfn f() {\n    nix::time::now();\n}\n").is_empty());
    }
}
