//! Yes, no, or not known.

/// Result of testing whether two bodies share a point. Touching counts. Exact for meshes, polyhedra, spheres
/// and capsules around them: rounding of poses or coordinates cannot change the verdict. Cylinders, cones and
/// ellipsoids also collide where they are within rounding of contact (see [`Guarantee`](crate::Guarantee)).
/// Verdicts about fields are proven, or unknown.
#[doc(alias = "CollisionResult")]
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Overlap {
    /// They share no point.
    Free,
    /// They share a point.
    Hit,
    /// The budget ran out first, a pose was invalid, or a field is neither provably hit nor provably free.
    Unknown,
}

/// [`Overlap`] with what was found.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Verdict<T> {
    /// There is none, proven.
    Free,
    /// This one.
    Hit(T),
    /// The budget ran out first, a pose was invalid, or nothing is proven about a field.
    Unknown,
}

impl<T> Verdict<T> {
    /// Returns the finding; `None` if nothing was found, or the verdict is unknown.
    pub fn hit(self) -> Option<T> {
        match self {
            Self::Hit(found) => Some(found),
            Self::Free | Self::Unknown => None,
        }
    }

    /// The same verdict about something else.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Verdict<U> {
        match self {
            Self::Free => Verdict::Free,
            Self::Hit(found) => Verdict::Hit(f(found)),
            Self::Unknown => Verdict::Unknown,
        }
    }

    /// The verdict alone.
    pub fn overlap(&self) -> Overlap {
        match self {
            Self::Free => Overlap::Free,
            Self::Hit(_) => Overlap::Hit,
            Self::Unknown => Overlap::Unknown,
        }
    }
}

/// Relation of two bodies.
///
/// For surfaces: `Intersecting` where two faces pass through each other; `Touching` where faces share points
/// but none passes through another. For solids: `Touching` where they share points but no volume, so walls in a
/// common plane are not a clash. Solids that share volume are `Intersecting` if a face, or a connected part of a
/// surface, passes through the surface of the other, else `Inside` (see [`Containment`]). Parts that lie elsewhere
/// or only touch do not matter.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Relation {
    /// They share no point.
    Separated,
    /// They share points, but neither reaches into the other.
    Touching,
    /// One passes through the other, or both reach into each other.
    Intersecting,
    /// One lies within the other, or a connected part of it does and no part passes through the other.
    Inside,
    /// The budget ran out first, a pose was invalid, or nothing is proven about a field.
    Unknown,
}

impl Relation {
    /// Returns whether the bodies share a point.
    pub fn overlap(self) -> Overlap {
        match self {
            Self::Separated => Overlap::Free,
            Self::Touching | Self::Intersecting | Self::Inside => Overlap::Hit,
            Self::Unknown => Overlap::Unknown,
        }
    }
}

impl From<noli_geom::Relation> for Relation {
    fn from(relation: noli_geom::Relation) -> Self {
        match relation {
            noli_geom::Relation::Separated => Self::Separated,
            noli_geom::Relation::Touching => Self::Touching,
            noli_geom::Relation::Intersecting => Self::Intersecting,
            noli_geom::Relation::Inside => Self::Inside,
        }
    }
}

/// Containment of two bodies that are [`Relation::Inside`].
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Containment {
    /// All of A lies in B.
    AInB,
    /// All of B lies in A.
    BInA,
    /// Both fill the same space.
    Same,
    /// Some parts lie in the other body and some do not, elsewhere or touching; none passes through the other.
    Parts,
}

impl Containment {
    /// The same with the bodies exchanged.
    pub fn swapped(self) -> Self {
        match self {
            Self::AInB => Self::BInA,
            Self::BInA => Self::AInB,
            Self::Same | Self::Parts => self,
        }
    }
}

/// Location of a point relative to a closed mesh.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Location {
    /// The mesh does not wind around it.
    Outside,
    /// On a face.
    OnSurface,
    /// The mesh winds around it (non-zero winding number).
    Inside,
    /// The budget ran out first, or the point or the pose was not finite.
    Unknown,
}
