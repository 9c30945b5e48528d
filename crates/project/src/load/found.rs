//! Mesh files that paths mean: files as they are, folders with all below them.

use noli_formats::display_name::{self, printable};
use noli_formats::{FileError, Kernel, MeshFormat, Place, PointFormat, unsupported};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

pub(super) fn shown(path: &Path) -> String {
    printable(&path.display().to_string())
}

pub(super) fn whole(path: &Path, reason: impl Into<String>, remedy: impl Into<String>) -> FileError {
    FileError::new(Place::Whole, reason, remedy).in_file(path)
}

/// Returns the entries of a folder, by name.
pub(super) fn entries(folder: &Path) -> Result<Vec<PathBuf>, FileError> {
    let list = || -> std::io::Result<Vec<PathBuf>> {
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
    };
    let mut paths = list()
        .map_err(|error| whole(folder, format!("cannot be listed: {error}"), "check its permissions"))?;
    paths.sort();
    Ok(paths)
}

/// A mesh file that was named, or found in a folder that was.
pub(super) struct Named {
    pub(super) path: PathBuf,
    /// Number of the path that it came from.
    pub(super) argument: usize,
    /// Prefix of the names of its objects; `None` if the file is the only one.
    pub(super) label: Option<String>,
}

/// Files in a folder that look like 3D models and cannot be read.
pub(super) fn cannot_read(first: &Path, unread: &[PathBuf]) -> FileError {
    let names: Vec<String> = unread.iter().skip(1).take(8).map(|path| shown(path)).collect();
    let more = if unread.len() > 9 { ", …" } else { "" };
    let others = match &names[..] {
        [] => String::new(),
        [other] => format!("; {other} is not read either"),
        _ => format!("; {}{more} are not read either", names.join(", ")),
    };
    let (reason, remedy) = unreadable(first);
    whole(first, format!("{reason}{others}"), format!("{remedy}, or leave such files out with --leave-out"))
}

/// Returns the reason why a 3D model cannot be read, and the remedy.
pub(super) fn unreadable(path: &Path) -> (String, &'static str) {
    match (unsupported::format_of(path), Kernel::of(path)) {
        (Some(format), _) => (format.reason.to_owned(), format.remedy),
        (None, Some(kernel)) => (kernel.missing_reason(), kernel.remedy()),
        (None, None) => ("this file is not a mesh file".to_owned(), "convert it"),
    }
}

/// Files found at paths.
#[derive(Default)]
pub(super) struct Found {
    pub(super) named: Vec<Named>,
    /// Files of folders that look like 3D models of other formats.
    pub(super) unread: Vec<PathBuf>,
    /// `true` if unreadable files are left out.
    leave_out: bool,
    /// The kernels searched for, each with its availability.
    kernels: Vec<(Kernel, bool)>,
}

impl Found {
    /// Returns `true` if a kernel converts the file. Availability is tested only if files may be left out;
    /// otherwise the read error includes the remedy.
    fn is_converted(&mut self, path: &Path) -> bool {
        let Some(kernel) = Kernel::of(path) else { return false };
        if !self.leave_out {
            return true;
        }
        if let Some((_, is_there)) = self.kernels.iter().find(|(known, _)| *known == kernel) {
            return *is_there;
        }
        let is_there = kernel.is_there();
        self.kernels.push((kernel, is_there));
        is_there
    }
}

/// The mesh files that paths mean.
pub(super) fn find(paths: &[PathBuf], leave_out: bool) -> Result<Found, FileError> {
    let mut found = Found { leave_out, ..Found::default() };
    for (argument, path) in paths.iter().enumerate() {
        let stem = (paths.len() > 1).then(|| stem(path));
        if !path.is_dir() {
            found.named.push(Named { path: path.clone(), argument, label: stem });
            continue;
        }
        let before = found.named.len();
        add_folder(path, argument, stem.as_deref(), &mut found)?;
        if found.named.len() == before {
            if let Some(first) = found.unread.first() {
                return Err(cannot_read(first, &found.unread));
            }
            let remedy =
                "give one with .obj, .stl, .off, .ply, .gltf, .glb, .3mf, .dae, .dxf, .step or .ifc files";
            return Err(whole(path, "the folder has no mesh files", remedy));
        }
    }
    tell_apart(&mut found.named);
    Ok(found)
}

/// Files of one name in several folders are called by their paths.
fn tell_apart(named: &mut [Named]) {
    let mut paths: HashMap<String, Vec<PathBuf>> = HashMap::new();
    for file in named.iter() {
        let Some(label) = &file.label else { continue };
        let known = paths.entry(label.clone()).or_default();
        if !known.contains(&file.path) {
            known.push(file.path.clone());
        }
    }
    for file in named {
        if file.label.as_ref().is_some_and(|label| paths.get(label).is_some_and(|paths| paths.len() > 1)) {
            file.label = Some(shown(&file.path.with_extension("")));
        }
    }
}

/// The mesh files of a folder and of those in it. Links to folders are not followed: they may go in circles.
fn add_folder(
    folder: &Path,
    argument: usize,
    label: Option<&str>,
    found: &mut Found,
) -> Result<(), FileError> {
    for path in entries(folder)? {
        let below = |name: String| label.map_or_else(|| name.clone(), |label| format!("{label}/{name}"));
        if path.is_dir() {
            if !path.is_symlink() {
                let name = printable(&path.file_name().unwrap_or_default().to_string_lossy());
                add_folder(&path, argument, Some(&below(name)), found)?;
            }
        } else if MeshFormat::from_extension(&path).is_some()
            || PointFormat::from_extension(&path) == Some(PointFormat::Pcd)
            || found.is_converted(&path)
        {
            let label = Some(below(stem(&path)));
            found.named.push(Named { path, argument, label });
        } else if unsupported::format_of(&path).is_some() || Kernel::of(&path).is_some() {
            found.unread.push(path);
        }
    }
    Ok(())
}

pub(super) fn stem(path: &Path) -> String {
    printable(&display_name::stem(path))
}
