//! The order of files and folders: imports within a crate lead to no circle, and those of `noli` only downwards; doors put
//! questions and do not answer them.
//!
//! Modules above and below each other may name each other: a `mod.rs` uses its files, and these use its types.

mod doors;
mod graph;
mod source;

use crate::workspace;
use graph::{Graph, Modules, circles};
use std::fs;
use std::path::{Path, PathBuf};

/// The floors of `noli` from the ground up: a module names none above its own.
const FLOORS: [&[&str]; 5] = [&["answer"], &["model", "tree", "convex"], &["pair"], &["queries"], &["world"]];

/// Checks every crate of the workspace.
pub(crate) fn check() -> Result<String, String> {
    let mut faults = Vec::new();
    let (mut files, mut crates) = (0, 0);
    for folder in crate_folders()? {
        let texts = texts(&workspace().join(&folder).join("src"))?;
        (files, crates) = (files + texts.len(), crates + 1);
        if doors::DOORS.contains(&folder.as_str()) {
            faults.extend(
                texts
                    .iter()
                    .flat_map(|(name, text)| doors::own_answers(&format!("{folder}/src/{name}"), text)),
            );
        }
        let modules = Modules::new(texts);
        let found = circles(&modules.files()).into_iter().chain(circles(&modules.folders()));
        faults.extend(found.map(|circle| format!("{folder}: circle: {}", circle.join(" "))));
        if folder == "crates/noli" {
            faults.extend(upward(&modules.folders(), &FLOORS));
        }
    }
    if faults.is_empty() {
        Ok(format!("{files} files of {crates} crates, no circle"))
    } else {
        Err(faults.join("\n"))
    }
}

/// Imports that lead to a higher floor, and floors that do not exist.
fn upward(folders: &Graph, floors: &[&[&str]]) -> Vec<String> {
    let floor = |name: &str| floors.iter().position(|names| names.contains(&name));
    let missing = floors.concat().into_iter().filter(|name| !folders.contains_key(*name));
    let mut faults: Vec<String> = missing.map(|name| format!("crates/noli: no module {name}")).collect();
    for (from, targets) in folders {
        let above =
            targets.iter().filter(|to| floor(to).zip(floor(from)).is_some_and(|(to, from)| to > from));
        faults.extend(above.map(|to| format!("crates/noli: {from} names {to}, a floor above")));
    }
    faults
}

/// Folders of crates with sources, from the root of the workspace.
fn crate_folders() -> Result<Vec<String>, String> {
    let mut found: Vec<String> =
        ["lab", "bindings/python", "checkers/verify", "xtask"].map(str::to_owned).to_vec();
    for entry in entries(&workspace().join("crates"))? {
        if let Some(name) = entry.file_name().and_then(|name| name.to_str()) {
            found.push(format!("crates/{name}"));
        }
    }
    found.retain(|folder| workspace().join(folder).join("src").is_dir());
    found.sort();
    Ok(found)
}

/// All Rust files below a folder, by their paths from it, with `/` on every system.
fn texts(folder: &Path) -> Result<Vec<(String, String)>, String> {
    let mut found = Vec::new();
    let mut open = vec![(folder.to_owned(), String::new())];
    while let Some((path, name)) = open.pop() {
        if path.is_dir() {
            for entry in entries(&path)? {
                let own = entry.file_name().unwrap_or_default().to_string_lossy().into_owned();
                open.push((entry, if name.is_empty() { own } else { format!("{name}/{own}") }));
            }
        } else if name.ends_with(".rs") {
            let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            found.push((name, text));
        }
    }
    Ok(found)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let fault = |error| format!("{}: {error}", folder.display());
    let entries = fs::read_dir(folder).map_err(fault)?;
    entries.map(|entry| entry.map(|entry| entry.path()).map_err(fault)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modules(files: &[(&str, &str)]) -> Modules {
        Modules::new(files.iter().map(|&(name, text)| (name.to_owned(), text.to_owned())))
    }

    fn both(files: &[(&str, &str)]) -> [Vec<Vec<String>>; 2] {
        let modules = modules(files);
        [circles(&modules.files()), circles(&modules.folders())]
    }

    #[test]
    fn a_circle_is_found_through_a_reexport() {
        let files = [
            ("lib.rs", "mod a; mod b; mod c; pub use a::A; pub use c::C;"),
            ("a/mod.rs", "mod inner; pub use inner::A;"),
            ("a/inner.rs", "use crate::b::B; pub struct A(B);"),
            ("b.rs", "pub struct B; fn f(_: crate::A) {}"),
            ("c.rs", "use crate::{A, b::{self as other}}; pub struct C; fn f() { other::g(); }"),
        ];
        assert_eq!(
            both(&files),
            [vec![vec!["a/inner.rs".to_owned(), "b.rs".into()]], vec![vec!["a".to_owned(), "b".into()]]]
        );
    }

    #[test]
    fn parent_and_child_may_name_each_other() {
        let files = [
            ("lib.rs", "pub mod a; pub const X: u8 = a::Y;"),
            ("a.rs", "mod child; use child::Child; pub struct A(Child); pub const Y: u8 = crate::X;"),
            ("a/child.rs", "use super::A; pub struct Child(Option<Box<A>>);"),
        ];
        assert_eq!(both(&files), [vec![], Vec::<Vec<String>>::new()]);
    }

    #[test]
    fn siblings_may_not() {
        let files = [
            ("lib.rs", "mod a;"),
            ("a/mod.rs", "mod x; mod y; use x::X;"),
            ("a/x.rs", "use super::y::Y; pub struct X;"),
            ("a/y.rs", "pub struct Y(super::X);"),
        ];
        assert_eq!(both(&files), [vec![vec!["a/x.rs".to_owned(), "a/y.rs".into()]], vec![]]);
    }

    #[test]
    fn comments_strings_other_crates_and_tests_name_nothing() {
        let b = r##"
            //! crate::a::A
            use other::a; /* crate::a */
            const TEXT: &str = "crate::a \" crate::a"; const RAW: &str = r#"crate::a "quoted" "#;
            fn f<'a>(_: &'a char) -> char { '"' }
            pub(in crate::a) fn g() {}
            #[cfg(test)]
            mod tests { use crate::a::A; }
            #[cfg(test)]
            mod more;
        "##;
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "use crate::b; pub struct A;"),
            ("b.rs", b),
            ("b/more.rs", "use crate::a;"),
        ];
        assert_eq!(both(&files), [vec![], Vec::<Vec<String>>::new()]);
        assert!(modules(&files).folders()["a"].contains("b"));
    }

    #[test]
    fn globs_lead_to_what_they_bring() {
        let files = [
            ("lib.rs", "mod a; mod b; mod words; pub use words::*;"),
            ("words.rs", "use crate::a; pub struct Word;"),
            ("a.rs", "pub fn f(_: crate::Word) {}"),
            ("b.rs", "use super::Word; mod inner { use super::super::a; }"),
        ];
        assert_eq!(both(&files)[1], [["a", "words"]]);
        assert!(modules(&files).folders()["b"].contains("a"));
    }

    #[test]
    fn floors_are_named_downwards_only() {
        let files = [("lib.rs", ""), ("low.rs", "use crate::high;"), ("high.rs", "")];
        let folders = modules(&files).folders();
        assert_eq!(upward(&folders, &[&["low"], &["high"]]).len(), 1);
        assert_eq!(upward(&folders, &[&["high"], &["low"]]).len(), 0);
        assert_eq!(upward(&folders, &[&["high"], &["middle"], &["low"]]).len(), 1);
    }
}
