//! Names from files, made printable and unique.

use std::collections::{HashMap, HashSet};

/// A name as a terminal and a table may show it: control characters, and those that turn the direction of text,
/// are written as `\u{1b}`.
pub fn printable(name: &str) -> String {
    let odd = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !name.contains(odd) {
        return name.to_owned();
    }
    let shown = |c: char| if odd(c) { format!("\\u{{{:x}}}", u32::from(c)) } else { c.to_string() };
    name.chars().map(shown).collect()
}

/// Makes names unique: `bolt`, `bolt-2`, `bolt-3`.
#[derive(Default)]
pub struct UniqueNames {
    taken: HashSet<String>,
    uses: HashMap<String, usize>,
}

impl UniqueNames {
    /// The name, with a number where it was given before.
    pub fn unique(&mut self, name: &str) -> String {
        let uses = self.uses.entry(name.to_owned()).or_insert(0);
        loop {
            *uses = uses.saturating_add(1);
            let candidate = if *uses == 1 { name.to_owned() } else { format!("{name}-{uses}") };
            if self.taken.insert(candidate.clone()) {
                return candidate;
            }
        }
    }
}

/// Returns the name of a file without its extension, and without the one before `.gz`.
pub fn stem(path: &std::path::Path) -> String {
    let stem = path.file_stem().unwrap_or_default();
    let is_packed = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("gz"));
    let inner = std::path::Path::new(stem).file_stem().filter(|_| is_packed);
    inner.unwrap_or(stem).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_written_out() {
        assert_eq!(printable("bolt ä 螺"), "bolt ä 螺");
        assert_eq!(printable("\x1b[31mred\n"), "\\u{1b}[31mred\\u{a}");
        assert_eq!(printable("a\u{202e}b"), "a\\u{202e}b");
    }
}
