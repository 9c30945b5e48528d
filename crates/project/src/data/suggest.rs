//! Remedies for misspelt words: the nearest of those that are known.

/// "did you mean `x`?" for the nearest of some words, if one is near enough.
pub(crate) fn did_you_mean<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let chars = word.chars().count();
    if chars > 100 {
        return None;
    }
    let nearest = known
        .filter(|candidate| candidate.chars().count().abs_diff(chars) <= 3)
        .map(|candidate| (distance(&word.to_lowercase(), &candidate.to_lowercase()), candidate))
        .min_by_key(|(distance, _)| *distance)?;
    (nearest.0 <= (chars / 4).saturating_add(1) && nearest.0 < chars)
        .then(|| format!("did you mean `{}`?", nearest.1))
}

/// Insertions, deletions and replacements that make one word the other.
#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "a row for two words of some hundred characters"
)]
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

/// The remedy for a name that is none of some.
pub(crate) fn name_one<'n>(name: &str, known: impl Iterator<Item = &'n str> + Clone) -> String {
    did_you_mean(name, known.clone()).unwrap_or_else(|| {
        let some: Vec<String> = known.take(12).map(shortened).collect();
        format!("name one of {}", some.join(", "))
    })
}

/// A text short enough for an error message.
pub(crate) fn shortened(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut short: String =
        text.chars().take(LONGEST).map(|c| if c.is_control() { '?' } else { c }).collect();
    if text.chars().nth(LONGEST).is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_suggested_and_far_ones_are_not() {
        let known = ["units", "body", "group"];
        let suggest = |word| did_you_mean(word, known.into_iter());
        assert_eq!(suggest("unit").unwrap(), "did you mean `units`?");
        assert_eq!(suggest("Bodys").unwrap(), "did you mean `body`?");
        assert_eq!(suggest("colour"), None);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
