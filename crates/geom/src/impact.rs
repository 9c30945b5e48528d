//! Time of first contact of moving bodies: answer types.

/// A bracket on the time of first contact, `0 <= safe_until <= touching_by <= 1`.
///
/// Nothing touches before `safe_until`, rounding included. The meaning of `touching_by` depends on the
/// guarantee of the method. For an exact method the contact lies between the two times. For a conservative
/// one the distance by then is at most its tolerance (beyond the requested margin).
#[doc(alias = "toi")]
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TimeOfImpact {
    /// No contact before this time.
    pub safe_until: f64,
    /// In contact, up to the tolerance of a conservative method, no later than this.
    pub touching_by: f64,
}

impl TimeOfImpact {
    /// Returns the difference of the two times.
    pub fn width(&self) -> f64 {
        self.touching_by - self.safe_until
    }
}

/// First contact of two moving objects during the closed time span [0, 1], if any. Touching counts.
///
/// `T` identifies the touching features: nothing for one pair of features, [`Features`] for meshes.
#[doc(alias("toi", "ccd"))]
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Impact<T = ()> {
    /// No contact during the whole time.
    Free,
    /// Already in contact at time 0.
    AtStart(T),
    /// First contact after the start.
    At {
        /// Time of contact.
        time: TimeOfImpact,
        /// First touching features.
        touch: T,
    },
    /// The budget ran out, or the input was not finite: nothing is known after `safe_until`.
    Unknown {
        /// No contact before this time.
        safe_until: f64,
    },
}

impl<T> Impact<T> {
    /// Returns `true` if a contact was found; `false` also if the result is unknown.
    pub fn is_hit(&self) -> bool {
        matches!(self, Impact::AtStart(_) | Impact::At { .. })
    }

    /// Until when the motion is proven free: 1 when it is free altogether.
    pub fn safe_until(&self) -> f64 {
        match self {
            Impact::Free => 1.0,
            Impact::AtStart(_) => 0.0,
            Impact::At { time, .. } => time.safe_until,
            Impact::Unknown { safe_until } => *safe_until,
        }
    }

    /// The same impact with other words for what touches.
    pub fn with_touch<U>(self, touch: U) -> Impact<U> {
        match self {
            Impact::Free => Impact::Free,
            Impact::AtStart(_) => Impact::AtStart(touch),
            Impact::At { time, .. } => Impact::At { time, touch },
            Impact::Unknown { safe_until } => Impact::Unknown { safe_until },
        }
    }
}

/// The features of two meshes A and B, or of one mesh, that touch first. The first contact of initially
/// separated surfaces is always one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Features {
    /// A vertex of A and a triangle of B.
    VertexFace {
        /// Vertex of A.
        vertex: u32,
        /// Triangle of B.
        face: u32,
    },
    /// A triangle of A and a vertex of B.
    FaceVertex {
        /// Triangle of A.
        face: u32,
        /// Vertex of B.
        vertex: u32,
    },
    /// An edge of A and an edge of B, as pairs of vertices.
    EdgeEdge {
        /// Edge of A.
        a: [u32; 2],
        /// Edge of B.
        b: [u32; 2],
    },
}
