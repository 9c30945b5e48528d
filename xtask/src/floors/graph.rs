//! Dependencies between the files of a crate, and the circles among them.

use super::source::{Path, Source};
use std::collections::{BTreeMap, BTreeSet};

/// Edges between named nodes.
pub(super) type Graph = BTreeMap<String, BTreeSet<String>>;

/// The modules of a crate that are files, by their paths from the root.
pub(super) struct Modules {
    files: BTreeMap<Path, (String, Source)>,
}

/// Imports that lead to each other are followed this far.
const MOST_HOPS: usize = 16;

impl Modules {
    /// Parses the files of a crate, given by their paths below `src`.
    pub(super) fn new(texts: impl IntoIterator<Item = (String, String)>) -> Self {
        let parsed = |(file, text): (String, String)| (module_of(&file), (file, Source::parse(&text)));
        let mut files: BTreeMap<Path, (String, Source)> = texts.into_iter().map(parsed).collect();
        let for_tests: Vec<Path> = files
            .iter()
            .flat_map(|(module, (_, source))| {
                source.test_modules.iter().map(|name| [module.clone(), vec![name.clone()]].concat())
            })
            .collect();
        files.retain(|module, _| !for_tests.iter().any(|test| module.starts_with(test)));
        Self { files }
    }

    /// The files that each file names, except modules above and below it.
    pub(super) fn files(&self) -> Graph {
        let mut graph = Graph::new();
        for (from, to) in self.edges() {
            let is_family = from.starts_with(to) || to.starts_with(from);
            let edges = graph.entry(self.files[from].0.clone()).or_default();
            if !is_family {
                edges.insert(self.files[to].0.clone());
            }
        }
        graph
    }

    /// The top-level modules that each top-level module names.
    pub(super) fn folders(&self) -> Graph {
        let mut graph: Graph =
            self.files.keys().filter_map(|module| Some((module.first()?.clone(), BTreeSet::new()))).collect();
        for (from, to) in self.edges() {
            if let (Some(from), Some(to)) = (from.first(), to.first())
                && from != to
            {
                graph.entry(from.clone()).or_default().insert(to.clone());
            }
        }
        graph
    }

    fn edges(&self) -> impl Iterator<Item = (&Path, &Path)> {
        self.files.iter().flat_map(move |(module, (_, source))| {
            let named = source.imports.iter().map(|import| &import.path).chain(&source.paths);
            named.filter_map(move |path| Some((module, self.resolve(module, path, MOST_HOPS)?)))
        })
    }

    /// Returns the module that defines what a path in a module names; `None` for other crates and local names.
    fn resolve(&self, from: &[String], path: &[String], hops: usize) -> Option<&Path> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => self.descend(&[], rest, hops),
            "self" => self.descend(from, rest, hops),
            "super" => {
                let parent = from.split_last()?.1;
                if rest.first().is_some_and(|name| name == "super") {
                    self.resolve(parent, rest, hops)
                } else {
                    self.descend(parent, rest, hops)
                }
            }
            name if self.child(from, name).is_some() => self.descend(from, path, hops),
            _ => self.imported(from, path, hops)?,
        }
    }

    /// Follows names downwards from a module.
    fn descend(&self, module: &[String], path: &[String], hops: usize) -> Option<&Path> {
        let Some((name, rest)) = path.split_first() else { return Some(self.files.get_key_value(module)?.0) };
        if let Some(child) = self.child(module, name) {
            return self.descend(child, rest, hops);
        }
        if let Some(target) = self.imported(module, path, hops) {
            return target;
        }
        Some(self.files.get_key_value(module)?.0)
    }

    fn child(&self, module: &[String], name: &str) -> Option<&Path> {
        let child = [module, &[name.to_owned()]].concat();
        Some(self.files.get_key_value(&child)?.0)
    }

    /// Resolves a path whose first name an import of the module brings in; `None` without such an import.
    fn imported(&self, module: &[String], path: &[String], hops: usize) -> Option<Option<&Path>> {
        let (name, rest) = path.split_first()?;
        let (source, hops) = (&self.files.get(module)?.1, hops.checked_sub(1)?);
        let is_other = |target: &Path| target != path;
        let named = source.imports.iter().find(|import| import.name == *name && is_other(&import.path));
        if let Some(import) = named {
            let target = [import.path.as_slice(), rest].concat();
            return Some(self.resolve(module, &target, hops));
        }
        let globs = source.imports.iter().filter(|import| import.name == "*");
        globs.filter_map(|import| self.resolve(module, &import.path, hops)).find_map(|target| {
            let inside = &self.files[target].1;
            let has = inside.items.contains(name) || inside.imports.iter().any(|import| import.name == *name);
            has.then(|| self.descend(target, path, hops))
        })
    }
}

/// The path of the module that a file is.
fn module_of(file: &str) -> Path {
    let mut names: Path = file.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if names.last().is_some_and(|last| last == "mod") || ["lib", "main"].contains(&names.join("/").as_str()) {
        names.pop();
    }
    names
}

/// The sets of at least two nodes that all lead to each other.
pub(super) fn circles(graph: &Graph) -> Vec<Vec<String>> {
    let reached: BTreeMap<&String, BTreeSet<&String>> =
        graph.keys().map(|node| (node, reachable(graph, node))).collect();
    let mut found = BTreeSet::new();
    for (node, beyond) in &reached {
        let circle: Vec<String> = beyond
            .iter()
            .filter(|other| reached.get(**other).is_some_and(|back| back.contains(node)))
            .map(|other| (*other).clone())
            .collect();
        if circle.len() > 1 {
            found.insert(circle);
        }
    }
    found.into_iter().collect()
}

fn reachable<'g>(graph: &'g Graph, from: &'g String) -> BTreeSet<&'g String> {
    let (mut found, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(node) = open.pop() {
        open.extend(graph.get(node).into_iter().flatten().filter(|next| found.insert(*next)));
    }
    found
}
