//! The book: the pages of `docs/` as a static site under `target/book`, which opens from files without a server.
//!
//! `docs/SUMMARY.md` gives parts and order. Building checks every link: files, pages and anchors must exist, and
//! external addresses must be well formed. Pages outside `docs/` that people read on the forge are checked too.
//! The page of commands is made from the help of the program and is not kept in the tree.

mod commands;
mod links;
mod page;
mod site;
mod summary;

use crate::{target, workspace};
use links::Anchors;
use page::Page;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use summary::Summary;

/// Pages that are read on the forge and are not part of the book.
const READ_ON_FORGE: [&str; 10] = [
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CODE_OF_CONDUCT.md",
    "NOTICES.md",
    "examples/README.md",
    "bindings/python/README.md",
    "bindings/js/README.md",
    "examples/web/README.md",
    "peers/README.md",
];

/// A page that the build makes, next to those of the tree.
struct Made {
    /// Relative to `docs/`.
    path: &'static str,
    text: String,
}

/// Builds the book and checks its links.
pub(crate) fn build() -> Result<String, String> {
    let docs = workspace().join("docs");
    let out = target().join("book");
    let (pages, links) = build_from(&docs, &[commands::page()?], &out)?;
    let forge = check_forge_pages(&docs)?;
    fits(&read(&workspace().join("README.md"))?)?;
    no_page_names_the_repository(&docs)?;
    Ok(format!(
        "{pages} pages, {links} links, and {forge} links of other pages: {}",
        out.join("index.html").display()
    ))
}

/// Builds the pages of a folder into another; returns the number of pages and of checked links.
fn build_from(docs: &Path, made: &[Made], out: &Path) -> Result<(usize, usize), String> {
    let summary = Summary::parse(&read(&docs.join("SUMMARY.md"))?)?;
    let source = |path: &str| match made.iter().find(|made| made.path == path) {
        Some(made) => Ok(made.text.clone()),
        None => read(&docs.join(path)),
    };
    let pages: Vec<Page> = summary
        .entries()
        .map(|entry| Ok(Page::parse(&entry.path, &source(&entry.path)?)))
        .collect::<Result<_, String>>()?;
    every_page_is_listed(docs, made, &pages)?;
    let anchors: Anchors = pages.iter().map(|page| (docs.join(&page.path), page.anchors())).collect();
    let mut faults = Vec::new();
    let mut links = 0;
    for page in &pages {
        links += page.links.len();
        faults.extend(links::faults(&docs.join(&page.path), &page.links, &anchors));
    }
    if !faults.is_empty() {
        return Err(faults.join("\n"));
    }
    let count = pages.len();
    site::write(docs, out, &summary, &pages)?;
    Ok((count, links))
}

fn every_page_is_listed(docs: &Path, made: &[Made], pages: &[Page]) -> Result<(), String> {
    let listed = |file: &PathBuf| pages.iter().any(|page| docs.join(&page.path) == *file);
    let kept = files_below(docs)?.into_iter().filter(|file| has_extension(file, "md"));
    let lost: Vec<String> = kept
        .chain(made.iter().map(|made| docs.join(made.path)))
        .filter(|file| !file.ends_with("SUMMARY.md") && !listed(file))
        .map(|file| format!("{}: not listed in docs/SUMMARY.md", file.display()))
        .collect();
    if lost.is_empty() { Ok(()) } else { Err(lost.join("\n")) }
}

/// Checks links of pages outside the book, and returns their number.
fn check_forge_pages(docs: &Path) -> Result<usize, String> {
    let mut anchors = Anchors::new();
    for file in files_below(docs)?.into_iter().filter(|file| has_extension(file, "md")) {
        let page = Page::parse("", &read(&file)?);
        anchors.insert(file, page.anchors());
    }
    let mut parsed = BTreeMap::new();
    for name in READ_ON_FORGE {
        let file = workspace().join(name);
        let page = Page::parse(name, &read(&file)?);
        anchors.insert(file.clone(), page.anchors());
        parsed.insert(file, page);
    }
    let faults: Vec<String> =
        parsed.iter().flat_map(|(file, page)| links::faults(file, &page.links, &anchors)).collect();
    if !faults.is_empty() {
        return Err(faults.join("\n"));
    }
    Ok(parsed.values().map(|page| page.links.len()).sum())
}

/// `Cargo.toml` alone has the address of the repository, which nobody can reach before the project is published.
fn no_page_names_the_repository(docs: &Path) -> Result<(), String> {
    let forge = READ_ON_FORGE.map(|name| workspace().join(name));
    for file in files_below(docs)?.into_iter().filter(|file| has_extension(file, "md")).chain(forge) {
        if let Some(line) = line_with_repository(&read(&file)?) {
            return Err(format!(
                "{}:{line}: the address of the repository; link the file instead",
                file.display()
            ));
        }
    }
    Ok(())
}

/// Returns the number of the first line that has the address of the repository.
fn line_with_repository(text: &str) -> Option<usize> {
    text.lines().position(|line| line.contains(env!("CARGO_PKG_REPOSITORY"))).map(|at| at + 1)
}

/// The readme is read on one screen and a half: at most 90 lines of at most 120 columns.
fn fits(readme: &str) -> Result<(), String> {
    if let Some((number, line)) = readme.lines().enumerate().find(|(_, line)| line.chars().count() > 120) {
        return Err(format!("README.md:{}: {} columns, at most 120", number + 1, line.chars().count()));
    }
    let lines = readme.lines().count();
    if lines > 90 { Err(format!("README.md: {lines} lines, at most 90")) } else { Ok(()) }
}

/// Returns all files of a folder and of those below it, in order.
pub(crate) fn files_below(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            files.extend(files_below(&path)?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found == extension)
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("noli-book-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        for (path, text) in files {
            let file = folder.join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        folder
    }

    const SUMMARY: &str = "# Book\n\n- [Start](index.md)\n\n## Part\n\n- [Deep](part/deep.md)\n";

    #[test]
    fn pages_link_by_relative_paths_and_are_searchable() {
        let docs = folder(
            "good",
            &[
                ("SUMMARY.md", SUMMARY),
                ("index.md", "# Start\n\nSee [deep](part/deep.md#two-words) and [here](#start).\n"),
                ("part/deep.md", "# Deep\n\n## Two words\n\nPenetration depth. [Back](../index.md).\n"),
            ],
        );
        let out = docs.join("out");
        assert_eq!(build_from(&docs, &[], &out).unwrap(), (2, 3));
        let start = read(&out.join("index.html")).unwrap();
        assert!(start.contains("href=\"part/deep.html#two-words\""), "{start}");
        assert!(start.contains("rel=\"next\" href=\"part/deep.html\""), "{start}");
        let deep = read(&out.join("part/deep.html")).unwrap();
        assert!(deep.contains("id=\"two-words\"") && deep.contains("href=\"../index.html\""), "{deep}");
        assert!(deep.contains("src=\"../book.js\""), "{deep}");
        assert!(read(&out.join("search.js")).unwrap().contains("Penetration depth."));
    }

    #[test]
    fn broken_links_are_named_with_their_place() {
        let docs = folder(
            "broken",
            &[
                ("SUMMARY.md", SUMMARY),
                ("index.md", "# Start\n\n[a](no.md)\n\n[b](part/deep.md#nowhere)\n\n[c](http://bad host)\n"),
                ("part/deep.md", "# Deep\n\n![p](no.png) [d](https://) [e](<http://a b/>)\n"),
            ],
        );
        let told = build_from(&docs, &[], &docs.join("out")).unwrap_err();
        for fault in [
            "index.md:3: no.md",
            "index.md:5: part/deep.md#nowhere",
            "deep.md:3: no.png",
            "https://",
            "http://a b/",
        ] {
            assert!(told.contains(fault), "{fault} in:\n{told}");
        }
    }

    #[test]
    fn pages_that_the_build_makes_are_linked_like_kept_ones() {
        let docs = folder(
            "made",
            &[
                ("SUMMARY.md", "- [Start](index.md)\n- [Help](deep/help.md)\n"),
                ("index.md", "# Start\n\n[Options](deep/help.md#options)\n"),
            ],
        );
        let help = || Made {
            path: "deep/help.md",
            text: "# Help\n\n## Options\n\n[Back](../index.md)\n".to_owned(),
        };
        let out = docs.join("out");
        assert_eq!(build_from(&docs, &[help()], &out).unwrap(), (2, 2));
        assert!(read(&out.join("deep/help.html")).unwrap().contains("id=\"options\""));
        let unlisted = Made { path: "other.md", text: "# Other\n".to_owned() };
        assert!(build_from(&docs, &[help(), unlisted], &out).unwrap_err().contains("other.md: not listed"));
    }

    #[test]
    fn a_long_readme_is_an_error() {
        assert!(fits("short\n").is_ok());
        assert!(fits(&"x".repeat(121)).is_err_and(|told| told.contains("README.md:1")));
        assert!(fits(&"x\n".repeat(90)).is_ok());
        assert!(fits(&"x\n".repeat(91)).is_err());
    }

    #[test]
    fn the_address_of_the_repository_is_found() {
        let text = format!("# Install\n\ngit clone {}.git\n", env!("CARGO_PKG_REPOSITORY"));
        assert_eq!(line_with_repository(&text), Some(3));
        assert_eq!(line_with_repository("[CI](ci.md)"), None);
    }

    #[test]
    fn a_page_that_is_not_listed_is_an_error() {
        let docs = folder(
            "lost",
            &[("SUMMARY.md", "- [Start](index.md)\n"), ("index.md", "# Start\n"), ("lost.md", "# Lost\n")],
        );
        assert!(build_from(&docs, &[], &docs.join("out")).unwrap_err().contains("lost.md: not listed"));
    }
}
