//! Answers and poses as text.

use crate::{Bracket, Impact, Pose, Relation};
use std::fmt::{Display, Formatter, Result};

/// `0.5 .. 0.6`, `0.5` where both ends are equal, `>= 0.5` without an upper end. Precision applies to both ends.
impl Display for Bracket {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Self { at_least, at_most } = self;
        if at_least == at_most {
            return at_least.fmt(f);
        }
        if *at_most == f64::INFINITY {
            f.write_str(">= ")?;
            return at_least.fmt(f);
        }
        at_least.fmt(f)?;
        f.write_str(" .. ")?;
        at_most.fmt(f)
    }
}

impl Display for Relation {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.pad(match self {
            Self::Separated => "separated",
            Self::Touching => "touching",
            Self::Intersecting => "intersecting",
            Self::Inside => "inside",
        })
    }
}

/// Without the features that touch.
impl<T> Display for Impact<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Free => f.write_str("collision-free"),
            Self::AtStart(_) => f.write_str("in contact at the start"),
            Self::At { time, .. } => {
                let time = Bracket { at_least: time.safe_until, at_most: time.touching_by };
                f.write_str("first contact at ")?;
                time.fmt(f)
            }
            Self::Unknown { safe_until } => {
                f.write_str("unknown after ")?;
                safe_until.fmt(f)
            }
        }
    }
}

/// Translation and quaternion, x, y, z and w.
impl Display for Pose {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str("translation ")?;
        numbers(&self.translation.to_array(), f)?;
        f.write_str(", quaternion ")?;
        numbers(&self.rotation.to_array(), f)
    }
}

fn numbers(numbers: &[f64], f: &mut Formatter<'_>) -> Result {
    for (number, before) in numbers.iter().zip(["(", ", ", ", ", ", "]) {
        f.write_str(before)?;
        number.fmt(f)?;
    }
    f.write_str(")")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TimeOfImpact;

    #[test]
    fn answers_and_poses_are_short_text() {
        let bracket = |at_least, at_most| Bracket { at_least, at_most };
        assert_eq!(bracket(0.5, 0.6).to_string(), "0.5 .. 0.6");
        assert_eq!(bracket(0.5, 0.5).to_string(), "0.5");
        assert_eq!(bracket(0.5, f64::INFINITY).to_string(), ">= 0.5");
        assert_eq!(format!("{:.2}", bracket(0.0, 1.0 / 3.0)), "0.00 .. 0.33");
        let time = TimeOfImpact { safe_until: 0.25, touching_by: 0.5 };
        assert_eq!(Impact::At { time, touch: () }.to_string(), "first contact at 0.25 .. 0.5");
        let pose = Pose::from_translation(glam::dvec3(1.0, 2.0, 0.5));
        assert_eq!(pose.to_string(), "translation (1, 2, 0.5), quaternion (0, 0, 0, 1)");
    }
}
