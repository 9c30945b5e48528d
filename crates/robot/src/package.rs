//! Where the files may be that a description names.

use std::path::{Component, Path, PathBuf};

/// The paths at which a file may be that a description names, likeliest first.
///
/// `package://NAME/REST` is looked for as `NAME/REST` in each of the folders, as `REST` in a folder that is
/// itself called `NAME`, then likewise from the description's own folder upwards, and at last as `NAME/REST`
/// and `REST` beside the description. `file://` paths are taken as they are; other names are relative to the
/// description, then to the folders. Parts that climb out (`..`) behind a package's name are refused: the
/// list is then empty.
///
/// ```
/// use std::path::{Path, PathBuf};
/// let urdf = Path::new("/ros/arm/urdf");
/// let found = noli_robot::file_candidates("package://arm/hand.stl", urdf, &["/ros".into()]);
/// assert_eq!(found[0], PathBuf::from("/ros/arm/hand.stl"));
/// ```
pub fn file_candidates(name: &str, description: &Path, folders: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut push = |path: PathBuf| {
        if !found.contains(&path) {
            found.push(path);
        }
    };
    let package = ["package://", "model://"].into_iter().find_map(|scheme| name.strip_prefix(scheme));
    if let Some(inside) = package {
        let Some((package, rest)) = inside.split_once('/') else { return found };
        let rest = Path::new(rest);
        let climbs = |path: &Path| path.components().any(|part| !matches!(part, Component::Normal(_)));
        if climbs(rest) || climbs(Path::new(package)) {
            return found;
        }
        let within = |folder: &Path, push: &mut dyn FnMut(PathBuf)| {
            push(folder.join(package).join(rest));
            if folder.file_name().is_some_and(|name| name == package) {
                push(folder.join(rest));
            }
        };
        folders.iter().for_each(|folder| within(folder, &mut push));
        description.ancestors().for_each(|folder| within(folder, &mut push));
        push(description.join(rest));
    } else if let Some(path) = name.strip_prefix("file://") {
        push(description.join(path));
    } else {
        push(description.join(name));
        folders.iter().for_each(|folder| push(folder.join(name)));
    }
    found
}

/// Where a file of a package may be if the package was taken apart: the ends of its path, beside the description and
/// above it, the longest first. A file name alone says too little.
///
/// ```
/// let urdf = std::path::Path::new("/robots/kitchen");
/// let guesses = noli_robot::file_guesses("package://scenes/kitchen/meshes/door.stl", urdf);
/// assert!(guesses.contains(&"/robots/kitchen/meshes/door.stl".into()));
/// ```
pub fn file_guesses(name: &str, description: &Path) -> Vec<PathBuf> {
    let package = ["package://", "model://"].into_iter().find_map(|scheme| name.strip_prefix(scheme));
    let parts: Vec<Component<'_>> =
        package.map_or_else(Vec::new, |inside| Path::new(inside).components().collect());
    if parts.iter().any(|part| !matches!(part, Component::Normal(_))) {
        return Vec::new();
    }
    let ends = (2..parts.len().saturating_sub(1)).map(|skip| parts[skip..].iter().collect::<PathBuf>());
    let above = [Some(description), description.parent()];
    ends.flat_map(|end| above.into_iter().flatten().map(move |folder| folder.join(&end))).collect()
}
