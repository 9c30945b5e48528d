//! Names and excerpts of texts in error messages.

/// Returns at most 40 characters of a text, control characters escaped.
pub fn excerpt(text: &str) -> String {
    const LONGEST: usize = 40;
    let shown: String = text.chars().take(LONGEST).collect::<String>().escape_debug().collect();
    if text.chars().nth(LONGEST).is_some() { shown + "…" } else { shown }
}

/// Returns the end of a sentence that suggests the nearest of some names; empty if none is near.
pub fn suggestion<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> String {
    // Quadratic in the length of names: absurd ones get no suggestion.
    if name.len() > 64 {
        return String::new();
    }
    let nearest = names
        .filter(|other| other.len() <= 64)
        .take(1000)
        .map(|other| (edits(name, other), other))
        .min()
        .filter(|(edits, _)| *edits <= 1 + name.len() / 4);
    nearest.map_or_else(String::new, |(_, other)| format!("; did you mean `{other}`?"))
}

/// Edit distance (Levenshtein 1965).
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut vertex = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let change = vertex + usize::from(x != y);
            vertex = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(vertex + 1);
        }
    }
    row[b.len()]
}
