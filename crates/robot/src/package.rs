//! Possible locations of the files that a description names.

use std::path::{Component, Path, PathBuf};

/// Splits the name of a file in a package, `package://NAME/REST` or `model://NAME/REST`; `None` for other names.
///
/// ```
/// assert_eq!(noli_robot::package_of("package://arm/meshes/hand.stl"), Some(("arm", "meshes/hand.stl")));
/// ```
pub fn package_of(name: &str) -> Option<(&str, &str)> {
    let inside = ["package://", "model://"].into_iter().find_map(|scheme| name.strip_prefix(scheme))?;
    inside.split_once('/')
}

/// Splits a folder that is given as `NAME=FOLDER`: the package of that name. `./NAME=FOLDER` is a folder.
///
/// ```
/// use std::path::Path;
/// let given = noli_robot::named_package(Path::new("arm=/ros/my_arm"));
/// assert_eq!(given, (Some("arm"), Path::new("/ros/my_arm")));
/// ```
pub fn named_package(folder: &Path) -> (Option<&str>, &Path) {
    match folder.to_str().and_then(|text| text.split_once('=')) {
        Some((name, path)) if !name.contains(['/', '\\']) && !name.is_empty() => {
            (Some(name), Path::new(path))
        }
        _ => (None, folder),
    }
}

/// Returns the possible paths of a file that a description names, likeliest first.
///
/// `package://NAME/REST` is searched as `REST` in a folder given as `NAME=FOLDER`, as `NAME/REST` in each of the
/// folders and as `REST` in a folder that is itself called `NAME`. The same is done from the description's own folder
/// upwards. `file://` paths are taken unchanged; other names are relative to the description, then to the folders.
/// Components that leave the package (`..`) are rejected: the list is then empty.
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
    if let Some((package, rest)) = package_of(name) {
        let rest = Path::new(rest);
        if climbs(rest) || climbs(Path::new(package)) {
            return found;
        }
        let within = |folder: &Path, push: &mut dyn FnMut(PathBuf)| {
            push(folder.join(package).join(rest));
            if folder.file_name().is_some_and(|name| name == package) {
                push(folder.join(rest));
            }
        };
        for folder in folders {
            match named_package(folder) {
                (Some(name), folder) if name == package => push(folder.join(rest)),
                (Some(_), _) => {}
                (None, folder) => within(folder, &mut push),
            }
        }
        description.ancestors().for_each(|folder| within(folder, &mut push));
    } else if let Some(path) = name.strip_prefix("file://") {
        push(description.join(path));
    } else if !name.contains("://") {
        push(description.join(name));
        let unnamed = folders.iter().filter(|folder| named_package(folder).0.is_none());
        unnamed.for_each(|folder| push(folder.join(name)));
    }
    found
}

/// Folders above that of a description in which the ends of paths are looked for.
const ABOVE: usize = 4;

/// Returns possible paths of a package's file if the package was renamed or split up. They are the ends of its path, in
/// the folder of the description and those above, the longest first. A file name alone is too ambiguous, unless the
/// package names no more.
///
/// ```
/// let urdf = std::path::Path::new("/robots/kitchen");
/// let guesses = noli_robot::guess_package_path("package://scenes/kitchen/meshes/door.stl", urdf);
/// assert!(guesses.contains(&"/robots/kitchen/meshes/door.stl".into()));
/// ```
pub fn guess_package_path(name: &str, description: &Path) -> Vec<PathBuf> {
    let Some((package, rest)) = package_of(name) else { return Vec::new() };
    let rest = Path::new(rest);
    if climbs(rest) || climbs(Path::new(package)) {
        return Vec::new();
    }
    let parts: Vec<Component<'_>> = rest.components().collect();
    let ends =
        (0..parts.len().saturating_sub(1).max(1)).map(|skip| parts.iter().skip(skip).collect::<PathBuf>());
    let above = || description.ancestors().take(1 + ABOVE);
    ends.flat_map(|end| above().map(move |folder| folder.join(&end))).collect()
}

fn climbs(path: &Path) -> bool {
    path.components().any(|part| !matches!(part, Component::Normal(_)))
}
