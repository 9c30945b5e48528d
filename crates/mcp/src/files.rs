//! Paths of calls: below the folders that may be read, and nowhere else.

use crate::answer::ToolError;
use std::path::{Component, Path, PathBuf};

/// Resolves a path of a call: absolute, or relative to one of the folders; of several, the first that has it. The
/// error for a file elsewhere is that for a missing one, so that nothing is disclosed.
pub(crate) fn resolve(text: &str) -> Result<PathBuf, ToolError> {
    let folders = noli_formats::readable_folders().unwrap_or_default();
    let path = Path::new(text);
    let is_plain = !text.is_empty() && !text.contains('\0');
    let candidates = folders.iter().filter(|_| is_plain).map(|folder| folder.join(path));
    let below = |found: &PathBuf| folders.iter().any(|folder| found.starts_with(folder));
    let found = candidates.filter_map(|candidate| candidate.canonicalize().ok()).find(below);
    found.ok_or_else(|| {
        let leads_out = path.components().any(|part| part == Component::ParentDir) || path.is_absolute();
        let shown: String = text.chars().take(200).collect();
        let hint = if leads_out { "only files below the folders of the server can be read; " } else { "" };
        ToolError(format!("{shown}: there is no such file or folder; {hint}`list_files` lists them"))
    })
}

/// Resolves several paths.
pub(crate) fn resolve_all(texts: &[&str]) -> Result<Vec<PathBuf>, ToolError> {
    texts.iter().map(|text| resolve(text)).collect()
}

/// Returns a path as answers show it: relative to its folder if there is only one.
pub(crate) fn shown(path: &Path) -> String {
    match noli_formats::readable_folders() {
        Some([folder]) => path.strip_prefix(folder).unwrap_or(path).display().to_string(),
        _ => path.display().to_string(),
    }
}
