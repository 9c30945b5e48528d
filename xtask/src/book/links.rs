//! Link check: what pages point at must exist.

use super::page::Link;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

/// Anchors of every page, by its file.
pub(crate) type Anchors = BTreeMap<PathBuf, BTreeSet<String>>;

/// Returns a line for every link of a page that leads nowhere.
pub(crate) fn faults(file: &Path, links: &[Link], anchors: &Anchors) -> Vec<String> {
    links
        .iter()
        .filter_map(|link| {
            let why = fault(file, &link.to, anchors)?;
            Some(format!("{}:{}: {}: {why}", file.display(), link.line, link.to))
        })
        .collect()
}

fn fault(file: &Path, to: &str, anchors: &Anchors) -> Option<&'static str> {
    if is_external(to) {
        return (!is_address(to)).then_some("no valid address");
    }
    let (path, anchor) = to.split_once('#').unwrap_or((to, ""));
    let target = if path.is_empty() { file.to_owned() } else { beside(file, path) };
    let known = anchors.get(&target);
    if known.is_none() && !target.exists() {
        return Some("there is no such file");
    }
    let missing = !anchor.is_empty() && known.is_some_and(|known| !known.contains(anchor));
    missing.then_some("the page has no such heading")
}

/// Returns `true` for addresses with a scheme.
pub(crate) fn is_external(to: &str) -> bool {
    to.contains("://") || to.starts_with("mailto:")
}

/// Checks an address by its syntax only: nothing is fetched.
fn is_address(to: &str) -> bool {
    let rest = ["https://", "http://", "mailto:"].iter().find_map(|scheme| to.strip_prefix(scheme));
    let host = rest.and_then(|rest| rest.split(['/', '?', '#']).next());
    host.is_some_and(|host| host.contains('.')) && !to.contains(char::is_whitespace)
}

/// Returns a path relative to the folder of a file, without `.` and `..`.
pub(crate) fn beside(file: &Path, path: &str) -> PathBuf {
    let joined = file.parent().unwrap_or(file).join(path);
    let mut plain = PathBuf::new();
    for component in joined.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}
