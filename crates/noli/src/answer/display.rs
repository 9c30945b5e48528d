//! Verdicts as text, in the words of the field.

use super::{Clearance, Guarantee, Overlap, Relation};
use std::fmt::{Display, Formatter, Result};

impl Display for Overlap {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.pad(match self {
            Self::Free => "separated",
            Self::Hit => "in collision",
            Self::Unknown => "unknown",
        })
    }
}

impl Display for Relation {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.pad(match self {
            Self::Separated => "separated",
            Self::Touching => "touching",
            Self::Intersecting => "intersecting",
            Self::Inside => "inside",
            Self::Unknown => "unknown",
        })
    }
}

impl Display for Guarantee {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.pad(match self {
            Self::Exact => "exact",
            Self::Conservative => "conservative",
            Self::Approximate => "approximate",
        })
    }
}

/// The bracket on the distance.
impl Display for Clearance {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        self.distance.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_words_of_the_field() {
        assert_eq!(format!("{:>10}", Overlap::Free), " separated");
        assert_eq!(Overlap::Hit.to_string(), "in collision", "touching counts");
        assert_eq!(Relation::Intersecting.to_string(), "intersecting");
        assert_eq!(Guarantee::Exact.to_string(), "exact");
        assert_eq!(Clearance::new(0.5, 0.6, None).to_string(), "0.5 .. 0.6");
    }
}
