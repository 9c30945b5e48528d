//! Names with wildcards.

/// A name pattern in which `*` matches any characters, also none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(String);

impl Pattern {
    /// The pattern of this text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns `true` if a name matches. Time is at most the product of the lengths.
    pub fn matches(&self, name: &str) -> bool {
        let Some((head, rest)) = self.0.split_once('*') else { return self.0 == name };
        let Some(mut left) = name.strip_prefix(head) else { return false };
        let mut pieces: Vec<&str> = rest.split('*').collect();
        let tail = pieces.pop().unwrap_or_default();
        for piece in pieces {
            let Some(found) = left.find(piece) else { return false };
            left = &left[found + piece.len()..];
        }
        left.ends_with(tail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_characters() {
        for (pattern, name, expected) in [
            ("bulb", "bulb", true),
            ("bulb", "bulbs", false),
            ("bulb*", "bulb", true),
            ("*", "", true),
            ("*lamp*", "headlamp.cover", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("a*a", "a", false),
            ("**", "x", true),
            ("ä*ö", "äßö", true),
        ] {
            assert_eq!(Pattern::new(pattern).matches(name), expected, "{pattern} {name}");
        }
    }
}
