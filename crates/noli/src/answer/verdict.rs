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
/// `Crossing` where two faces pass through each other; `Touching` where faces share points but none passes through
/// another: walls that share a plane are not a clash. For solids, `Inside` where surfaces do not pass through each
/// other and a part of one body lies within the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Relation {
    /// They share no point.
    Apart,
    /// They share points, but neither passes through the other.
    Touching,
    /// One passes through the other.
    Crossing,
    /// A part of one lies within the other, and neither passes through the other's surface.
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
