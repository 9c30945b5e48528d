//! Counts words outside the field's vocabulary in public documentation and pages, and fails above a limit per word.
//!
//! People who know FCL, Coal, parry, MoveIt and OMPL search for *bounding sphere*, *vertex* or *collision-free*.
//! Words that they would not search for are listed here with the term to use. Some have an ordinary meaning too, so
//! each has a limit; lower it when the count falls.

use crate::{searches, workspace};
use std::fs;
use std::path::{Path, PathBuf};

/// A word (or words) to avoid, the term of the field, and the occurrences allowed.
struct Entry {
    words: &'static [&'static str],
    term: &'static str,
    most: usize,
}

const fn entry(words: &'static [&'static str], term: &'static str, most: usize) -> Entry {
    Entry { words, term, most }
}

const ENTRIES: [Entry; 18] = [
    entry(&["ball", "balls"], "sphere", 0),
    entry(&["corner", "corners"], "vertex", 5),
    entry(&["meet", "meets"], "collide, intersect, touch", 30),
    entry(&["apart"], "separated", 15),
    entry(&["gap", "gaps"], "clearance, distance", 5),
    entry(&["way out", "ways out", "way there", "ways"], "path, removal path, plan", 10),
    entry(&["stretch", "stretches"], "segment", 8),
    entry(&["stands around", "stand around", "how it stands"], "obstacles, environment, status", 0),
    entry(&["hangs on", "hang on"], "attached, child", 0),
    entry(&["told", "tells", "tell"], "reported, returned, computed", 5),
    entry(&["asks", "asked", "ask"], "queries, queried", 50),
    entry(&["hears", "heard"], "receives", 0),
    entry(&["the card", "a card", "processor", "processors"], "GPU, CPU", 5),
    entry(&["looked at", "looks at", "look at"], "tested, visited, evaluated", 5),
    entry(&["nobody", "somebody", "anybody", "whoever"], "a noun", 5),
    entry(&["taken apart", "taken out"], "disassembled, removed", 0),
    entry(&["is no pose", "is no mass", "is no mesh"], "invalid", 0),
    entry(&["beside"], "against, next to, in addition to", 5),
];

/// First words of doc comments that name no thing and no action, and the occurrences allowed.
const STARTS: [(&str, usize); 6] =
    [("What", 27), ("Whether", 10), ("Whoever", 0), ("Who", 1), ("Whose", 2), ("How", 52)];

pub(crate) fn check() -> Result<String, String> {
    let mut texts = Vec::new();
    for folder in crates()? {
        for path in files(&folder, "rs")? {
            texts.extend(doc_lines(&read(&path)?).map(|line| (path.clone(), line)));
        }
    }
    for page in pages()? {
        texts.extend(read(&page)?.lines().map(|line| (page.clone(), line.to_lowercase())));
    }
    let mut over = Vec::new();
    for entry in &ENTRIES {
        let found: Vec<_> = texts.iter().filter(|(_, line)| has_any(line, entry.words)).collect();
        if found.len() > entry.most {
            over.push(format!(
                "`{}` occurs {} times, at most {} are allowed; use: {}",
                entry.words[0],
                found.len(),
                entry.most,
                entry.term
            ));
            over.extend(
                found.iter().take(5).map(|(path, line)| format!("  {}: {}", short(path), line.trim())),
            );
        }
    }
    over.extend(starts(&texts));
    over.extend(searches::astray()?);
    if over.is_empty() { Ok(format!("{} lines of documentation", texts.len())) } else { Err(over.join("\n")) }
}

/// Doc comments that begin with a relative clause instead of a noun or a verb.
fn starts(texts: &[(PathBuf, String)]) -> Vec<String> {
    let begins = |word: &str| {
        texts.iter().filter(|(_, line)| line.starts_with(&format!("{} ", word.to_lowercase()))).count()
    };
    let over =
        STARTS.iter().map(|(word, most)| (word, begins(word), most)).filter(|(_, count, most)| count > most);
    over.map(|(word, count, most)| {
        format!("{count} doc lines begin with `{word}`, at most {most} are allowed")
    })
    .collect()
}

/// Returns `true` if one of the words or phrases is in the line as a whole.
fn has_any(line: &str, words: &[&str]) -> bool {
    words.iter().any(|word| {
        line.match_indices(word).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            let after = line[at + word.len()..].chars().next();
            let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
            !before.is_some_and(is_part) && !after.is_some_and(is_part)
        })
    })
}

/// Doc comments without code blocks, in lower case.
fn doc_lines(text: &str) -> impl Iterator<Item = String> + '_ {
    let mut in_code = false;
    text.lines().filter_map(move |line| {
        let line = line.trim_start();
        let doc = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"))?.trim_start();
        if doc.starts_with("```") {
            in_code = !in_code;
            return None;
        }
        (!in_code).then(|| doc.to_lowercase())
    })
}

fn crates() -> Result<Vec<PathBuf>, String> {
    let all = entries(&workspace().join("crates"))?;
    Ok(all.into_iter().filter(|path| !path.ends_with("classics")).map(|path| path.join("src")).collect())
}

fn pages() -> Result<Vec<PathBuf>, String> {
    let mut pages = vec![workspace().join("README.md"), workspace().join("ARCHITECTURE.md")];
    pages.extend(files(&workspace().join("docs"), "md")?);
    Ok(pages)
}

/// Returns the files with an extension in a folder and below it.
fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    for path in entries(folder)? {
        if path.is_dir() {
            found.extend(files(&path, extension)?);
        } else if path.extension().is_some_and(|it| it == extension) {
            found.push(path);
        }
    }
    Ok(found)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let read = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = read.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    Ok(paths)
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn short(path: &Path) -> String {
    path.strip_prefix(workspace()).unwrap_or(path).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_count_only_as_a_whole() {
        assert!(has_any("a ball around it", &["ball"]));
        assert!(has_any("ball", &["ball"]) && has_any("(ball).", &["ball"]));
        assert!(
            !has_any("a ballast", &["ball"])
                && !has_any("ball_of", &["ball"])
                && !has_any("eight-ball-like", &["ball"])
        );
        assert!(has_any("the way out of it", &["way out"]) && !has_any("the ways", &["way"]));
    }

    #[test]
    fn code_is_no_prose() {
        let text = "/// One.\n/// ```\n/// let ball = 1;\n/// ```\n//! Two.\nlet corner = 3; // not public\n";
        assert_eq!(doc_lines(text).collect::<Vec<_>>(), ["one.", "two."]);
    }
}
