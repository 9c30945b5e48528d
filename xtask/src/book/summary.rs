//! Order of the book: `docs/SUMMARY.md`, a list of links under headings of parts.

/// A page in the order of the book.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) title: String,
    /// Relative to `docs/`.
    pub(crate) path: String,
}

/// A part of the book: its heading, empty for pages before the first heading, and its pages.
pub(crate) struct Part {
    pub(crate) title: String,
    pub(crate) entries: Vec<Entry>,
}

pub(crate) struct Summary {
    /// Name of the book.
    pub(crate) title: String,
    pub(crate) parts: Vec<Part>,
}

impl Summary {
    /// Reads `# Book`, `## Part` and `- [Title](path.md)`; anything else is an error with its line.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut title = "noli".to_owned();
        let mut parts = vec![Part { title: String::new(), entries: Vec::new() }];
        for (number, line) in text.lines().map(str::trim).enumerate() {
            if let Some(part) = line.strip_prefix("## ") {
                parts.push(Part { title: part.to_owned(), entries: Vec::new() });
            } else if let Some(name) = line.strip_prefix("# ") {
                title = name.to_owned();
            } else if let Some(entry) = entry(line) {
                // There is a part from the start.
                parts.last_mut().into_iter().for_each(|part| part.entries.push(entry.clone()));
            } else if !line.is_empty() {
                return Err(format!(
                    "docs/SUMMARY.md:{}: {line:?}; write `## Part` or `- [Title](page.md)`",
                    number + 1
                ));
            }
        }
        parts.retain(|part| !part.entries.is_empty());
        Ok(Self { title, parts })
    }

    /// Returns all pages in order.
    pub(crate) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.parts.iter().flat_map(|part| &part.entries)
    }
}

fn entry(line: &str) -> Option<Entry> {
    let (title, path) = line.strip_prefix("- [")?.strip_suffix(')')?.split_once("](")?;
    Some(Entry { title: title.to_owned(), path: path.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_keep_their_pages_in_order() {
        let summary =
            Summary::parse("# The book\n- [A](a.md)\n\n## Two\n- [B](x/b.md)\n- [C](c.md)\n").unwrap();
        let paths: Vec<&str> = summary.entries().map(|entry| entry.path.as_str()).collect();
        assert_eq!(paths, ["a.md", "x/b.md", "c.md"]);
        assert_eq!(summary.parts.len(), 2);
        assert!(Summary::parse("some prose\n").is_err_and(|told| told.contains("SUMMARY.md:1")));
    }
}
