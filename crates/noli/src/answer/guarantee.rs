//! Guarantee of an answer.

/// Guarantee of an answer.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Guarantee {
    /// The verdict equals that of real arithmetic on the numbers given.
    Exact,
    /// Never misses a contact; may report one that is not there but within the width of the answer's bracket, which
    /// for round bodies is mostly `1e-12` of their size. Verdicts about fields are proofs, or unknown.
    Conservative,
    /// May miss.
    Approximate,
}
