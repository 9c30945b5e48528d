//! How far an answer can be trusted.

/// What an answer promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Guarantee {
    /// The verdict equals that of real arithmetic on the numbers given.
    Exact,
    /// Never misses a contact; may report one that is not there but within the width of the answer's bracket, which for
    /// round bodies is rounding: some `1e-13` of their size.
    Conservative,
    /// May miss.
    Approximate,
}
