//! Licences of everything that the program is made of, as one text: who is named, then every text once.

use super::metadata::{Metadata, Package};
use crate::workspace;
use std::collections::BTreeMap;
use std::fs;

/// Beginnings of names of files that hold a licence.
const NAMES: [&str; 5] = ["license", "licence", "copying", "notice", "unlicense"];

/// Returns the text, or an error that names the packages without a licence expression.
pub(crate) fn all(metadata: &Metadata) -> Result<String, String> {
    let others: Vec<&Package> =
        metadata.packages.values().filter(|package| !package.folder.starts_with(workspace())).collect();
    let nameless: Vec<String> =
        others.iter().filter(|package| package.licence.is_empty()).map(|package| package.key()).collect();
    if !nameless.is_empty() {
        return Err(format!("without a licence: {}", nameless.join(", ")));
    }
    let mut text = String::from("noli is licensed under MIT OR Apache-2.0, and contains these packages:\n\n");
    // The same text comes with many packages, and is printed once.
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in others {
        text += &format!("{:40} {}\n", package.key(), package.licence);
        for found in texts_of(package)? {
            texts.entry(found).or_default().push(package.key());
        }
    }
    for (found, keys) in texts {
        text += &format!("\n{}\n{}\n\n{}\n", "-".repeat(80), keys.join(", "), found.trim_end());
    }
    Ok(text)
}

fn texts_of(package: &Package) -> Result<Vec<String>, String> {
    let entries =
        fs::read_dir(&package.folder).map_err(|error| format!("{}: {error}", package.folder.display()))?;
    let mut files: Vec<_> =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    files.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        NAMES.iter().any(|start| name.starts_with(start))
    });
    files.sort();
    let read = |path| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).replace("\r\n", "\n"));
    files.iter().map(|path| read(path).map_err(|error| format!("{}: {error}", path.display()))).collect()
}
