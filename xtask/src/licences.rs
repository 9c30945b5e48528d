//! Licence check: dependencies and bundled files may be used as freely as noli itself.

use crate::{cargo_output, workspace};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Enough for everybody.
const FREE: [&str; 11] = [
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-1-Clause",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "Zlib",
    "ISC",
    "0BSD",
    "Unicode-3.0",
    "Unicode-DFS-2016",
];

/// Allowed behind features that a user enables.
const BEHIND_FEATURES: [&str; 1] = ["MPL-2.0"];

/// Every dependency of the default build on any system has a free licence, others only come with features, and what is
/// bundled has its notice.
pub(crate) fn check() -> Result<String, String> {
    let default = dependencies(&[])?;
    refuse(&default, &FREE, "the default build")?;
    let every = dependencies(&["--all-features"])?;
    let more = [&FREE[..], &BEHIND_FEATURES].concat();
    refuse(&every, &more, "a build with all features")?;
    let bundled = notices()?;
    Ok(format!("{} dependencies ({} with all features), {bundled} bundled", default.len(), every.len()))
}

/// Name and licence of everything that is linked or runs while building, on any system.
fn dependencies(more: &[&str]) -> Result<BTreeSet<(String, String)>, String> {
    let arguments = ["tree", "--workspace", "--edges", "normal,build", "--target", "all", "--prefix", "none"];
    let text = cargo_output(arguments.iter().chain(more).copied().chain(["--format", "{p}|{l}"]))?;
    let line = |line: &str| {
        let (package, licence) = line.split_once('|')?;
        let name = package.split(" (").next().unwrap_or(package);
        // Lines seen before end in a star.
        Some((name.to_owned(), licence.trim_end_matches(" (*)").to_owned()))
    };
    Ok(text.lines().filter_map(line).collect())
}

fn refuse(packages: &BTreeSet<(String, String)>, allowed: &[&str], build: &str) -> Result<(), String> {
    if packages.is_empty() {
        return Err("cargo tree names no packages".to_owned());
    }
    let refused = packages.iter().filter(|(_, licence)| !is_allowed(licence, allowed));
    let lines: Vec<String> = refused
        .map(|(name, licence)| {
            format!("{name}: licence {licence:?} is not for {build}; replace it or ask for it with a feature")
        })
        .collect();
    if lines.is_empty() { Ok(()) } else { Err(lines.join("\n")) }
}

/// Returns `true` if an SPDX expression leaves an allowed choice. AND binds closer than OR, and `/` is an old
/// OR.
fn is_allowed(expression: &str, allowed: &[&str]) -> bool {
    let expression = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = expression.split_whitespace().peekable();
    let granted = any(&mut words, allowed);
    granted && words.next().is_none()
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn any(words: &mut Words<'_>, allowed: &[&str]) -> bool {
    let mut granted = all(words, allowed);
    while words.next_if_eq(&"OR").is_some() {
        granted |= all(words, allowed);
    }
    granted
}

fn all(words: &mut Words<'_>, allowed: &[&str]) -> bool {
    let mut granted = one(words, allowed);
    while words.next_if_eq(&"AND").is_some() {
        granted &= one(words, allowed);
    }
    granted
}

fn one(words: &mut Words<'_>, allowed: &[&str]) -> bool {
    match words.next() {
        Some("(") => {
            let granted = any(words, allowed);
            words.next() == Some(")") && granted
        }
        Some(name) if words.next_if_eq(&"WITH").is_some() => {
            let name = format!("{name} WITH {}", words.next().unwrap_or(""));
            allowed.contains(&name.as_str())
        }
        Some(name) => allowed.contains(&name),
        None => false,
    }
}

/// Checks that every folder under `vendor` of a crate has its licence and is listed in NOTICES.md; returns
/// their number.
fn notices() -> Result<usize, String> {
    let read = |path: &Path| fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()));
    let notices = read(&workspace().join("NOTICES.md"))?;
    let mut count = 0;
    for package in folders(&workspace().join("crates"))? {
        let vendor = package.join("vendor");
        for folder in if vendor.is_dir() { folders(&vendor)? } else { Vec::new() } {
            let licence = read(&folder.join("LICENSE"))?;
            let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let copyright = licence.lines().find(|line| line.starts_with("Copyright")).unwrap_or("Copyright");
            if !notices.contains(&format!("vendor/{name}")) || !notices.contains(copyright) {
                return Err(format!(
                    "NOTICES.md: {} is missing, or its line {copyright:?}",
                    folder.display()
                ));
            }
            count += 1;
        }
    }
    Ok(count)
}

fn folders(of: &Path) -> Result<Vec<std::path::PathBuf>, String> {
    let entries = fs::read_dir(of).map_err(|error| format!("{}: {error}", of.display()))?;
    let mut folders: Vec<_> =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    Ok(folders)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_allowed_choice_is_enough_and_every_part_counts() {
        for free in [
            "MIT",
            "MIT OR GPL-3.0",
            "LGPL-2.1-or-later OR (MIT AND Zlib)",
            "MIT/Apache-2.0",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception",
            "MIT OR GPL-2.0 AND GPL-3.0",
        ] {
            assert!(is_allowed(free, &FREE), "{free}");
        }
        for other in [
            "",
            "GPL-3.0",
            "MPL-2.0",
            "MIT AND GPL-3.0",
            "MIT AND (GPL-3.0 OR MPL-2.0)",
            "GPL-2.0 WITH Classpath-exception-2.0",
            "(MIT",
            "MIT GPL-3.0",
        ] {
            assert!(!is_allowed(other, &FREE), "{other}");
        }
    }

    #[test]
    fn what_is_bundled_has_its_notice() {
        assert!(notices().unwrap() > 0);
    }
}
