//! Bodies created by a generator instead of read from a file: the only module that uses the generators.

use noli_scenes::{Assembly, Listed, list};
use std::collections::HashMap;
use std::sync::LazyLock;

/// The assemblies that a scene may name.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    list().iter().map(|listed| listed.name)
}

/// The parts of an assembly; made once.
pub(crate) fn part_names(scene: &str) -> &'static [String] {
    static NAMES: LazyLock<HashMap<&str, Vec<String>>> = LazyLock::new(|| {
        let names =
            |listed: &Listed| (listed.name, listed.make(1).parts.into_iter().map(|part| part.name).collect());
        list().iter().map(names).collect()
    });
    NAMES.get(scene).map_or(&[], Vec::as_slice)
}

/// The assembly of this name, in millimetres; without parts if there is none.
pub(crate) fn assembly(scene: &str, detail: u32) -> Assembly {
    noli_scenes::assembly(scene, detail).unwrap_or_default()
}
