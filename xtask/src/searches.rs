//! The words that users of other systems search the documentation for lead to an item: by its name, or by an alias.

use crate::workspace;
use std::fs;

/// Words of a search, and the item that answers it: its file and declaration.
struct Search {
    words: &'static str,
    file: &'static str,
    item: &'static str,
}

const fn search(words: &'static str, file: &'static str, item: &'static str) -> Search {
    Search { words, file, item }
}

const QUERIES: &str = "crates/noli/src/queries/mod.rs";

const SEARCHES: [Search; 12] = [
    search("collide", QUERIES, "pub fn overlap"),
    search("distance", QUERIES, "pub fn clearance"),
    search("narrow phase", QUERIES, "pub fn overlap"),
    search("bounding sphere", "crates/geom/src/volume/mod.rs", "pub struct Sphere"),
    search("allowed collision matrix", "crates/noli/src/world/rules.rs", "pub struct Rules"),
    search("attached object", "crates/robot/src/cell/build.rs", "pub fn attach"),
    search("path", "crates/plan/src/path.rs", "pub struct Path"),
    search("penetration depth", QUERIES, "pub fn penetration"),
    search("self-collision", "crates/robot/src/cell/checker.rs", "pub fn check_state"),
    search("watertight", "crates/geom/src/mesh/places.rs", "pub fn is_closed"),
    search("padding", "crates/robot/src/cell/build.rs", "pub fn set_padding"),
    search("continuous collision", QUERIES, "pub fn time_of_impact"),
];

/// Returns a line for each search that leads to no item, or to another one.
pub(crate) fn astray() -> Result<Vec<String>, String> {
    let mut astray = Vec::new();
    for Search { words, file, item } in SEARCHES {
        let text = fs::read_to_string(workspace().join(file)).map_err(|error| format!("{file}: {error}"))?;
        if !is_found(&text, words, item) {
            astray.push(format!(
                "{file}: a search for `{words}` does not lead to `{item}`; add a `doc(alias)`"
            ));
        }
    }
    Ok(astray)
}

/// Returns `true` if the source declares the item with these words as its name or one of its aliases.
fn is_found(text: &str, words: &str, item: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let declares = |line: &str| {
        let rest = line.strip_prefix(item);
        rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_'))
    };
    let named = |name: &str| name.eq_ignore_ascii_case(words);
    let alias = format!("\"{words}\"");
    let has_alias = |at: usize| {
        let above = lines[..at].iter().rev().take_while(|line| !line.is_empty() && !line.ends_with('}'));
        let mut attributes: Vec<&str> = above.filter(|line| !line.starts_with("//")).copied().collect();
        attributes.reverse();
        let mut aliases = attributes.split(|line| line.starts_with("#[") && !line.contains("doc(alias"));
        aliases.any(|lines| lines.concat().contains(&alias))
    };
    let found = lines.iter().enumerate().filter(|(_, line)| declares(line));
    found.map(|(at, _)| at).any(|at| named(item.rsplit(' ').next().unwrap_or_default()) || has_alias(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_lead_to_their_items() {
        assert_eq!(astray().unwrap(), Vec::<String>::new());
    }

    #[test]
    fn an_alias_belongs_to_the_item_below_it() {
        let text = "/// One.\n#[doc(alias(\n    \"collide\",\n    \"hit\",\n))]\n#[inline]\npub fn overlap(a: A) {\n}\n\n\
                    /// Says \"distance\".\n#[must_use = \"narrow phase\"]\npub fn overlaps() {\n}\n\npub struct Path {\n}\n";
        assert!(is_found(text, "collide", "pub fn overlap") && is_found(text, "hit", "pub fn overlap"));
        assert!(is_found(text, "path", "pub struct Path") && !is_found(text, "pat", "pub struct Path"));
        for (words, item) in [
            ("collide", "pub fn overlaps"),
            ("distance", "pub fn overlaps"),
            ("narrow phase", "pub fn overlaps"),
            ("collide", "pub fn over"),
            ("collide", "pub struct Path"),
        ] {
            assert!(!is_found(text, words, item), "{words} at {item}");
        }
    }
}
