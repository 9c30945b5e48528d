//! Records of experiments in the folder of the project, as `noli-lab run` writes them.

use noli_serve::{Panel, PanelHost, Trouble, confined};
use serde_json::{Value, json};
use std::path::Path;

/// Folders searched for records: a folder for each machine, a file for each experiment.
const PLACES: [&str; 2] = ["lab/record", "record"];
/// Records that are listed, and the largest that is read.
const MOST: usize = 300;
const LARGEST: u64 = 4 << 20;

/// Names in a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// The files of records, below a folder.
fn records_in(folder: &Path) -> Vec<String> {
    let Ok(folder) = folder.canonicalize() else { return Vec::new() };
    let machines = PLACES.iter().flat_map(|place| {
        let machines = names(&folder.join(place)).into_iter().map(move |name| format!("{place}/{name}"));
        machines.filter(|machine| confined(&folder, machine).is_some_and(|path| path.is_dir()))
    });
    let files = machines.flat_map(|machine| {
        let files = names(&folder.join(&machine)).into_iter().filter(|name| name.ends_with(".json"));
        files.map(move |file| format!("{machine}/{file}"))
    });
    files.take(MOST).collect()
}

/// Records of the folder: offers their files; answers `{ file }` with `{ file, record }`.
#[derive(Debug)]
pub struct Records;

fn listed(host: &dyn PanelHost) -> Vec<String> {
    host.folder().map(records_in).unwrap_or_default()
}

impl Panel for Records {
    fn name(&self) -> &'static str {
        "records"
    }

    fn offer(&self, host: &dyn PanelHost) -> Value {
        json!(listed(host))
    }

    fn claims(&self, folder: &Path) -> bool {
        folder.is_dir() && !records_in(folder).is_empty()
    }

    fn answer(&self, message: Value, host: &dyn PanelHost) -> Result<Value, Trouble> {
        let file = message["file"].as_str().unwrap_or_default();
        let none = || Trouble::new(format!("there is no record {file:?}"), "choose one of the list");
        let folder = host.folder().ok_or_else(none)?;
        if !listed(host).iter().any(|known| known == file) {
            return Err(none());
        }
        let path = confined(folder, file).ok_or_else(none)?;
        let wrong = |why: String| Trouble::new(format!("{file}: {why}"), "run the experiment again");
        if path.metadata().map_err(|error| wrong(error.to_string()))?.len() > LARGEST {
            return Err(wrong("this is larger than any record".to_owned()));
        }
        let text = std::fs::read(&path).map_err(|error| wrong(error.to_string()))?;
        let record: Value = serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))?;
        if !record["experiment"].is_string() || !record["tables"].is_array() {
            return Err(wrong("this is no record of an experiment".to_owned()));
        }
        Ok(json!({ "file": file, "record": record }))
    }
}
