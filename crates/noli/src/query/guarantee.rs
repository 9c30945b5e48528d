//! How far an answer can be trusted.

use crate::model::{Form, Model};

/// What an answer promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Guarantee {
    /// The verdict equals that of real arithmetic on the numbers given.
    Exact,
    /// Never misses a contact; may report one that is not there but within the width of the answer's bracket, which for
    /// round bodies is mostly `1e-12` of their size. Verdicts about fields are proofs, or unknown.
    Conservative,
    /// May miss.
    Approximate,
}

impl Model {
    /// What `overlap` and `relation` promise about this model and another. Brackets (`clearance`,
    /// `contact`) always hold.
    ///
    /// ```
    /// use noli::{Convex, Guarantee, Model};
    /// let ball = Model::convex(Convex::sphere(1.0)?);
    /// let drum = Model::convex(Convex::cylinder(1.0, 0.5)?);
    /// assert_eq!(ball.guarantee(&ball), Guarantee::Exact);
    /// assert_eq!(ball.guarantee(&drum), Guarantee::Conservative);
    /// # Ok::<(), noli::ShapeError>(())
    /// ```
    pub fn guarantee(&self, other: &Self) -> Guarantee {
        self.own_guarantee().max(other.own_guarantee())
    }

    fn own_guarantee(&self) -> Guarantee {
        match self.form() {
            Form::Mesh(_) | Form::HalfSpace => Guarantee::Exact,
            Form::Convex(model) if model.convex.core().is_polyhedral() => Guarantee::Exact,
            Form::Convex(_) | Form::Field(_) => Guarantee::Conservative,
            // The product of a part's pose and the body's is rounded.
            Form::Compound(compound) => compound.parts.iter().fold(Guarantee::Exact, |worst, part| {
                let placed = if part.pose == noli_geom::Pose::IDENTITY {
                    Guarantee::Exact
                } else {
                    Guarantee::Conservative
                };
                worst.max(placed).max(part.model.own_guarantee())
            }),
        }
    }
}
