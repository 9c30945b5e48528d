//! Folders of planning problems: sets of `sceneNNNN.yaml` and `requestNNNN.yaml`.

use noli_formats::{FileError, Place};
use noli_robot::Problem;
use std::path::{Path, PathBuf};

/// The files of a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProblemFiles {
    /// The name of the set: that of its folder.
    pub set: String,
    /// The number in the names of its files, as written.
    pub number: String,
    /// The scene.
    pub scene: PathBuf,
    /// The request.
    pub request: PathBuf,
}

impl ProblemFiles {
    /// Reads them.
    pub fn read(&self) -> Result<Problem, FileError> {
        let text = |path: &Path| noli_formats::text_of(path).map_err(|error| error.in_file(path));
        Problem::from_yaml_str(&text(&self.scene)?, &text(&self.request)?).map_err(|error| {
            FileError::new(Place::Whole, error.to_string(), "correct it").in_file(&self.scene)
        })
    }
}

/// All problems of a folder of sets, or of one set, in order of name.
pub fn list_problems(folder: impl AsRef<Path>) -> Result<Vec<ProblemFiles>, FileError> {
    let folder = folder.as_ref();
    let entries = |folder: &Path| -> Result<Vec<PathBuf>, FileError> {
        let list = || -> std::io::Result<Vec<PathBuf>> {
            std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
        };
        let mut paths = list().map_err(|error| {
            let reason = format!("cannot be listed: {error}");
            FileError::new(Place::Whole, reason, "give a folder of problem sets").in_file(folder)
        })?;
        paths.sort();
        Ok(paths)
    };
    let mut problems = Vec::new();
    let mut sets: Vec<PathBuf> = entries(folder)?.into_iter().filter(|path| path.is_dir()).collect();
    sets.insert(0, folder.to_owned());
    for set in sets {
        for scene in entries(&set)? {
            let name = scene.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let number = name.strip_prefix("scene").and_then(|rest| rest.strip_suffix(".yaml"));
            let Some(number) = number else { continue };
            let request = set.join(format!("request{number}.yaml"));
            if request.is_file() {
                let set = set.file_name().unwrap_or_default().to_string_lossy().into_owned();
                problems.push(ProblemFiles { set, number: number.to_owned(), scene: scene.clone(), request });
            }
        }
    }
    if problems.is_empty() {
        let reason = "there is no pair of sceneNNNN.yaml and requestNNNN.yaml in it or its folders";
        return Err(FileError::new(Place::Whole, reason, "give a folder of problem sets").in_file(folder));
    }
    Ok(problems)
}
