//! `list_files`: the models that can be read.

use super::{Tool, schema};
use crate::answer::{Answer, ToolError};
use crate::arguments::Arguments;
use crate::call::Call;
use crate::files;
use noli_formats::{Kernel, MeshFormat};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

pub(super) const TOOL: Tool = Tool {
    name: "list_files",
    title: "List models",
    description: "Lists the meshes, CAD files, scenes (.toml) and robots (.urdf, .srdf) below the folders of the server.",
    input,
    output,
    run,
};

/// Files that are listed.
const MOST_FILES: usize = 500;
/// Entries that are visited.
const MOST_ENTRIES: usize = 20_000;
/// Levels of folders.
const DEPTH: usize = 12;

fn input() -> Value {
    schema::input(
        &[],
        json!({"folder": {"type": "string", "description": "Only this folder and those below it."}}),
    )
}

fn output() -> Value {
    schema::output(json!({
        "folders": schema::texts("Folders of the server."),
        "files": schema::objects("path, kind (mesh, scene, robot, srdf) and bytes."),
        "complete": {"type": "boolean", "description": "false if there are more files than are listed."},
    }))
}

fn run(call: &Call, arguments: Arguments<'_>) -> Result<Answer, ToolError> {
    let folders = noli_formats::readable_folders().unwrap_or_default();
    let starts = match arguments.text("folder")? {
        Some(folder) => vec![files::resolve(folder)?],
        None => folders.to_vec(),
    };
    let mut walk = Walk { call, found: Vec::new(), entries: 0, is_complete: true };
    for start in starts {
        walk.folder(&start, DEPTH);
    }
    let one = |(path, kind): &(PathBuf, &str)| {
        let bytes = std::fs::metadata(path).map_or(0, |file| file.len());
        json!({"path": files::shown(path), "kind": kind, "bytes": bytes})
    };
    let listed: Vec<Value> = walk.found.iter().map(one).collect();
    let text = match listed.len() {
        0 => "There are no models below the folders of the server.".to_owned(),
        1 => "1 model.".to_owned(),
        count => format!("{count} models{}.", if walk.is_complete { "" } else { ", and more" }),
    };
    let shown: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
    let structured = json!({"folders": shown, "files": listed, "complete": walk.is_complete});
    Ok(Answer { text, structured, picture: None })
}

struct Walk<'a> {
    call: &'a Call,
    found: Vec<(PathBuf, &'static str)>,
    entries: usize,
    is_complete: bool,
}

impl Walk<'_> {
    /// Lists a folder. Links are not followed: a link to a folder above would never end.
    fn folder(&mut self, folder: &Path, depth: usize) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        let mut paths: Vec<PathBuf> =
            entries.flatten().take(MOST_ENTRIES).map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            self.entries = self.entries.saturating_add(1);
            if self.entries > MOST_ENTRIES || self.found.len() >= MOST_FILES || self.call.is_over() {
                self.is_complete = false;
                return;
            }
            let Ok(kind) = path.symlink_metadata().map(|found| found.file_type()) else { continue };
            if kind.is_dir() {
                match depth.checked_sub(1) {
                    Some(depth) => self.folder(&path, depth),
                    None => self.is_complete = false,
                }
            } else if kind.is_file()
                && let Some(kind) = kind_of(&path)
            {
                self.found.push((path, kind));
            }
        }
    }
}

/// Returns the kind of a file by its ending; `None` if it is no model.
pub(super) fn kind_of(path: &Path) -> Option<&'static str> {
    let end = path.extension()?.to_string_lossy().to_ascii_lowercase();
    match end.as_str() {
        "toml" => Some("scene"),
        "urdf" => Some("robot"),
        "srdf" => Some("srdf"),
        _ if MeshFormat::from_extension(path).is_some() || Kernel::of(path).is_some() => Some("mesh"),
        _ => None,
    }
}
