//! Yes, no, or not known.

/// Whether two bodies share a point. Touching counts. Exact for meshes and polyhedra, balls and capsules around them: no
/// rounding of poses or coordinates can change the verdict. Cylinders, cones and ellipsoids are hit also where they are
/// within rounding of contact (see [`Guarantee`](crate::Guarantee)). Verdicts about fields are proven, or unknown.
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
    /// What was found; `None` if there is nothing, or nothing is known.
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

/// How two bodies stand to each other.
///
/// Of surfaces: `Crossing` where two faces pass through each other; `Touching` where faces share points but none passes
/// through another. Of solids: `Touching` where they share points, but no volume: walls that share a plane are not a
/// clash. Where they do share volume, `Inside` if one lies wholly in the other (see [`Nesting`]) or if no surfaces meet,
/// else `Crossing`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Relation {
    /// They share no point.
    Apart,
    /// They share points, but neither reaches into the other.
    Touching,
    /// One passes through the other, or both reach into each other.
    Crossing,
    /// One lies within the other; where no surfaces meet, a part of it is enough.
    Inside,
    /// The budget ran out first, a pose was invalid, or nothing is proven about a field.
    Unknown,
}

impl Relation {
    /// Whether the bodies share a point.
    pub fn overlap(self) -> Overlap {
        match self {
            Self::Apart => Overlap::Free,
            Self::Touching | Self::Crossing | Self::Inside => Overlap::Hit,
            Self::Unknown => Overlap::Unknown,
        }
    }
}

impl From<noli_geom::Relation> for Relation {
    fn from(relation: noli_geom::Relation) -> Self {
        match relation {
            noli_geom::Relation::Apart => Self::Apart,
            noli_geom::Relation::Touching => Self::Touching,
            noli_geom::Relation::Crossing => Self::Crossing,
            noli_geom::Relation::Inside => Self::Inside,
        }
    }
}

/// Which of two bodies that are [`Relation::Inside`] lies in which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Nesting {
    /// All of A lies in B.
    AInB,
    /// All of B lies in A.
    BInA,
    /// Both fill the same space.
    Same,
    /// Some parts lie in the other body and some do not; no surface meets the other.
    Parts,
}

impl Nesting {
    /// The same with the bodies exchanged.
    pub fn swapped(self) -> Self {
        match self {
            Self::AInB => Self::BInA,
            Self::BInA => Self::AInB,
            Self::Same | Self::Parts => self,
        }
    }
}

/// Where a point lies, as seen from a closed mesh.
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
