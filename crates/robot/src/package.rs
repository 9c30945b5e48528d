//! Possible locations of the files that a description names.

use std::path::{Component, Path, PathBuf};

/// Returns the possible paths of a file that a description names, likeliest first.
///
/// `package://NAME/REST` is searched as `NAME/REST` in each of the folders and as `REST` in a folder that is
/// itself called `NAME`. The same is done from the description's own folder upwards, and finally with
/// `NAME/REST` and `REST` in the description's folder. `file://` paths are taken unchanged; other names are
/// relative to the description, then to the folders. Components that leave the package (`..`) are rejected:
/// the list is then empty.
///
/// ```
/// use std::path::{Path, PathBuf};
/// let urdf = Path::new("/ros/arm/urdf");
/// let found = noli_robot::resolve_package_uri("package://arm/hand.stl", urdf, &["/ros".into()]);
/// assert_eq!(found[0], PathBuf::from("/ros/arm/hand.stl"));
/// ```
pub fn resolve_package_uri(name: &str, description: &Path, folders: &[PathBuf]) -> Vec<PathBuf> {
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

/// Returns possible paths of a package's file if the package was split up. They are the ends of its path, in
/// the folder of the description and those above, the longest first. A file name alone is too ambiguous and
/// is left out.
///
/// ```
/// let urdf = std::path::Path::new("/robots/kitchen");
/// let guesses = noli_robot::guess_package_path("package://scenes/kitchen/meshes/door.stl", urdf);
/// assert!(guesses.contains(&"/robots/kitchen/meshes/door.stl".into()));
/// ```
pub fn guess_package_path(name: &str, description: &Path) -> Vec<PathBuf> {
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
