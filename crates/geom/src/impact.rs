//! When moving bodies first touch: the words of the answer.

/// A bracket on the time of first contact, `0 <= safe_until <= touching_by <= 1`.
///
/// Nothing touches before `safe_until`, rounding included. What `touching_by` says depends on the
/// guarantee of the method: an exact one has the contact between the two times, a conservative one has a gap
/// of at most its tolerance (beyond the margin asked for) by then.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TimeOfImpact {
    /// No contact before this time.
    pub safe_until: f64,
    /// In contact, up to the tolerance of a conservative method, no later than this.
    pub touching_by: f64,
}

impl TimeOfImpact {
    /// How far apart the two times are.
    pub fn width(&self) -> f64 {
        self.touching_by - self.safe_until
    }
}

/// Whether and when two moving things first touch during the closed time span [0, 1]. Touching counts.
///
/// `T` says what touches: nothing for one pair of features, [`Features`] for meshes.
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
        /// When.
        time: TimeOfImpact,
        /// What touches first.
        touch: T,
    },
    /// The budget ran out, or the input was not finite: nothing is known after `safe_until`.
    Unknown {
        /// No contact before this time.
        safe_until: f64,
    },
}

impl<T> Impact<T> {
    /// Whether a contact was found; false also when nothing is known.
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

/// The parts of two meshes A and B that touch first, or two parts of one mesh. First contact of surfaces
/// that start apart is always one of these.
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
