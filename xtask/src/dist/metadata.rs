//! Packages that a program is made of, as cargo resolves them.

use crate::{cargo_output, workspace};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// A package that is linked, or runs while building.
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) licence: String,
    pub(crate) folder: PathBuf,
    /// Of the registry's archive; `None` for our own packages.
    pub(crate) checksum: Option<String>,
    /// Packages that it depends on, as `name@version`.
    pub(crate) needs: BTreeSet<String>,
}

impl Package {
    /// Returns `name@version`.
    pub(crate) fn key(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }
}

pub(crate) struct Metadata {
    /// The program itself.
    pub(crate) root: Package,
    /// Everything else, by `name@version`.
    pub(crate) packages: BTreeMap<String, Package>,
}

impl Metadata {
    /// Resolves a package of the workspace for a target, without what only tests need.
    pub(crate) fn of(name: &str, target: &str) -> Result<Self, String> {
        let arguments = ["metadata", "--format-version", "1", "--locked", "--filter-platform", target];
        let text = cargo_output(arguments)?;
        let lock =
            std::fs::read_to_string(workspace().join("Cargo.lock")).map_err(|error| error.to_string())?;
        Self::parse(name, &text, &lock)
    }

    fn parse(name: &str, metadata: &str, lock: &str) -> Result<Self, String> {
        let value: Value =
            serde_json::from_str(metadata).map_err(|error| format!("cargo metadata: {error}"))?;
        let listed = list(&value["packages"]).iter().map(|package| (text(&package["id"]), package));
        let listed: BTreeMap<&str, &Value> = listed.collect();
        let nodes = list(&value["resolve"]["nodes"]).iter().map(|node| (text(&node["id"]), node));
        let nodes: BTreeMap<&str, &Value> = nodes.collect();
        let root = listed.iter().find(|(_, package)| text(&package["name"]) == name);
        let (root, _) = root.ok_or_else(|| format!("cargo metadata has no package {name}"))?;
        let sums = checksums(lock);
        let mut found = BTreeMap::new();
        let mut open = vec![*root];
        while let Some(id) = open.pop() {
            let (Some(package), Some(node)) = (listed.get(id), nodes.get(id)) else { continue };
            let package = package_of(package, node, &listed, &sums);
            found.entry(package.key()).or_insert_with(|| {
                open.extend(needed(node));
                package
            });
        }
        let key = format!("{name}@{}", text(&listed[root]["version"]));
        let root = found.remove(&key).ok_or_else(|| format!("cargo metadata does not resolve {name}"))?;
        Ok(Self { root, packages: found })
    }
}

fn package_of(
    package: &Value,
    node: &Value,
    listed: &BTreeMap<&str, &Value>,
    sums: &BTreeMap<String, String>,
) -> Package {
    let key = |package: &Value| format!("{}@{}", text(&package["name"]), text(&package["version"]));
    Package {
        name: text(&package["name"]).to_owned(),
        version: text(&package["version"]).to_owned(),
        licence: text(&package["license"]).replace('/', " OR "),
        folder: PathBuf::from(text(&package["manifest_path"]))
            .parent()
            .map(PathBuf::from)
            .unwrap_or_default(),
        checksum: sums.get(&key(package)).cloned(),
        needs: needed(node).filter_map(|id| listed.get(id)).map(|package| key(package)).collect(),
    }
}

/// Returns ids of dependencies that are linked or run while building.
fn needed(node: &Value) -> impl Iterator<Item = &str> {
    let used =
        |dependency: &&Value| list(&dependency["dep_kinds"]).iter().any(|kind| text(&kind["kind"]) != "dev");
    list(&node["deps"]).iter().filter(used).map(|dependency| text(&dependency["pkg"]))
}

/// Returns the checksums of a lock file, by `name@version`.
fn checksums(lock: &str) -> BTreeMap<String, String> {
    let field = |block: &str, name: &str| {
        let rest = block.split_once(&format!("\n{name} = \""))?.1;
        rest.split('"').next().map(str::to_owned)
    };
    let entry = |block: &str| {
        let key = format!("{}@{}", field(block, "name")?, field(block, "version")?);
        Some((key, field(block, "checksum")?))
    };
    lock.split("[[package]]").filter_map(entry).collect()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    const LOCK: &str = "version = 4\n\n[[package]]\nname = \"b\"\nversion = \"2.0.0\"\nchecksum = \"ab12\"\n";

    /// A program `a` that needs `b`, and `c` for its tests.
    pub(crate) fn sample() -> Metadata {
        let package = |name: &str, version: &str| {
            format!(
                "{{\"id\":\"{name}\",\"name\":\"{name}\",\"version\":\"{version}\",\"license\":\"MIT/Apache-2.0\",\
                 \"manifest_path\":\"/no/{name}/Cargo.toml\"}}"
            )
        };
        let text = format!(
            "{{\"packages\":[{},{},{}],\"resolve\":{{\"nodes\":[{{\"id\":\"a\",\"deps\":[\
             {{\"pkg\":\"b\",\"dep_kinds\":[{{\"kind\":null}}]}},{{\"pkg\":\"c\",\"dep_kinds\":[{{\"kind\":\"dev\"}}]}}]}},\
             {{\"id\":\"b\",\"deps\":[]}},{{\"id\":\"c\",\"deps\":[]}}]}}}}",
            package("a", "1.0.0"),
            package("b", "2.0.0"),
            package("c", "3.0.0")
        );
        Metadata::parse("a", &text, LOCK).unwrap()
    }

    #[test]
    fn packages_of_tests_are_not_part_of_the_program() {
        let found = sample();
        assert_eq!(found.root.key(), "a@1.0.0");
        assert_eq!(found.packages.keys().collect::<Vec<_>>(), ["b@2.0.0"]);
        assert_eq!(found.packages["b@2.0.0"].checksum.as_deref(), Some("ab12"));
    }
}
