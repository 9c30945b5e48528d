//! A pair that touches during its motion, or may.

use super::json::is_default;
use super::pair::Trust;
use crate::stage::scene::Staged;
use glam::DVec3;
use noli::answer::{Feature, SurfacePoint, Touch, Witness};
use noli::motion::Motion;
use noli::world::{self, Answer, BodyId, Move};
use noli::{Impact, World};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// Time of contact of two bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ImpactKind {
    /// During the motion.
    #[serde(rename = "at")]
    At,
    /// Before anything moved.
    #[serde(rename = "at start")]
    AtStart,
    /// Perhaps: the budget did not suffice.
    #[serde(rename = "undecided")]
    Undecided,
}

impl ImpactKind {
    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            Self::At => "at",
            Self::AtStart => "at start",
            Self::Undecided => "undecided",
        }
    }
}

/// Behaviour of bodies that share a point before they move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum AfterStart {
    /// They reach into each other already.
    #[serde(rename = "within")]
    Within,
    /// They touch and part.
    #[serde(rename = "leaves")]
    Leaves,
    /// They touch, and are proven never to reach into each other.
    #[serde(rename = "slides")]
    Slides,
    /// They touch, perhaps slide, and reach into each other.
    #[serde(rename = "goes in")]
    GoesIn,
    /// They touch, and perhaps slide; neither that they reach into each other nor that they do not is proven.
    #[serde(rename = "unproven")]
    Unproven,
}

impl From<world::AfterStart> for AfterStart {
    fn from(proven: world::AfterStart) -> Self {
        use world::AfterStart as Proven;
        match proven {
            Proven::Within => Self::Within,
            Proven::Leaves => Self::Leaves,
            Proven::Slides => Self::Slides,
            Proven::GoesIn => Self::GoesIn,
            Proven::Unproven => Self::Unproven,
        }
    }
}

/// A pair that touches, or may.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImpactReport {
    /// The name of A.
    pub a: String,
    /// The name of B.
    pub b: String,
    /// Time of contact.
    pub impact: ImpactKind,
    /// Behaviour after sharing a point before any motion; `None` if they do not, or if it is not tested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_start: Option<AfterStart>,
    /// Free before this time, from 0 to 1.
    pub safe_until: f64,
    /// In contact by this time, up to the tolerance; `None` if undecided.
    pub touching_by: Option<f64>,
    /// `true` if overlap is proven there; `false` if they may only graze.
    pub proven: Option<bool>,
    /// Guarantee of the answer.
    pub guarantee: Trust,
    /// Touching features.
    pub features: Option<TouchFeatures>,
    /// Location.
    pub point: Option<[f64; 3]>,
    /// The direction from A to B there.
    pub normal: Option<[f64; 3]>,
    /// Undecided: they come at least this close.
    pub clearance_at_most: Option<f64>,
    /// Required clearance; with a margin, the contact is with that distance and not with the body.
    #[serde(default, skip_serializing_if = "is_default")]
    pub margin: f64,
    /// [`safe_until`](Self::safe_until) in seconds; `None` if the duration of the motion is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub safe_until_s: Option<f64>,
    /// [`touching_by`](Self::touching_by) in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub touching_by_s: Option<f64>,
    /// Distance travelled by the centre of the moving body until [`safe_until`](Self::safe_until); the larger one
    /// if both move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub travelled: Option<f64>,
}

impl ImpactReport {
    /// `None` for a pair that is free.
    pub fn new(world: &World, answer: &Answer) -> Option<Self> {
        let (impact, touching_by, touch) = match answer.impact {
            Impact::Free => return None,
            Impact::AtStart(touch) => (ImpactKind::AtStart, Some(0.0), Some(touch)),
            Impact::At { time, touch } => (ImpactKind::At, Some(time.touching_by), Some(touch)),
            Impact::Unknown { .. } => (ImpactKind::Undecided, None, None),
        };
        let name = |id| world.body(id).map_or_else(|_| String::new(), |body| body.name().to_owned());
        let [a, b] = answer.pair.map(name);
        let witness = touch.and_then(|touch: Touch| touch.witness);
        Some(Self {
            a,
            b,
            impact,
            after_start: answer.after_start.map(AfterStart::from),
            safe_until: answer.impact.safe_until(),
            touching_by,
            proven: touch.map(|touch| touch.proven),
            guarantee: answer.guarantee.into(),
            features: witness.as_ref().map(TouchFeatures::new),
            point: witness.map(|witness| witness.on_a.point.midpoint(witness.on_b.point).to_array()),
            normal: touch.and_then(|touch| touch.normal).map(|normal| normal.to_array()),
            clearance_at_most: answer.clearance_at_most.filter(|clearance| clearance.is_finite()),
            margin: world.margin_between(answer.pair[0], answer.pair[1]).ok().flatten().unwrap_or(0.0),
            safe_until_s: None,
            touching_by_s: None,
            travelled: None,
        })
    }

    /// Adds times in seconds and the distance travelled by then.
    pub(super) fn timed(mut self, pair: [BodyId; 2], staged: &Staged, moves: &[Move]) -> Self {
        self.safe_until_s = Some(self.safe_until * staged.seconds);
        self.touching_by_s = self.touching_by.map(|time| time * staged.seconds);
        let parts = moves.iter().flat_map(|asked| asked.parts()).filter(|(id, _)| pair.contains(id));
        let paths = parts.filter_map(|(id, motion)| {
            let middle = staged.world.body(id).ok()?.model().aabb().center();
            Some(path(&**motion, middle, self.safe_until))
        });
        self.travelled = paths.reduce(f64::max);
        self
    }

    /// The name of the body that is not this one.
    pub fn other(&self, name: &str) -> &str {
        if self.a == name { &self.b } else { &self.a }
    }
}

/// Computes the path length of a point of a moving body along a polygon with many vertices: a lower bound.
fn path(motion: &dyn Motion, point: DVec3, until: f64) -> f64 {
    /// Vertices between two bends of the path.
    const CORNERS: u32 = 32;
    let at = |t: f64| motion.pose(t).transform_point(point);
    let (mut t, mut length) = (0.0, 0.0);
    while t < until {
        let end = motion.next_bend(t).min(until);
        let vertex = |k: u32| at(t + (end - t) * f64::from(k) / f64::from(CORNERS));
        length += (0..CORNERS).map(|k| vertex(k).distance(vertex(k + 1))).sum::<f64>();
        t = end;
    }
    length
}

/// A place on a body, by the user's numbers; written as `vertex 3`, `edge 3-5`, `face 2` or `surface`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FeatureName {
    /// A vertex of a mesh.
    Vertex(u32),
    /// An edge of a mesh, by its vertices.
    Edge([u32; 2]),
    /// A face of a mesh.
    Face(u32),
    /// A body that is not a mesh, without numbered features.
    Surface,
}

impl fmt::Display for FeatureName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Vertex(vertex) => write!(f, "vertex {vertex}"),
            Self::Edge([start, end]) => write!(f, "edge {start}-{end}"),
            Self::Face(face) => write!(f, "face {face}"),
            Self::Surface => f.write_str("surface"),
        }
    }
}

/// Not the name of a feature.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no feature; write \"vertex 3\", \"edge 3-5\", \"face 2\" or \"surface\"")]
pub struct NoFeature(String);

impl FromStr for FeatureName {
    type Err = NoFeature;

    fn from_str(text: &str) -> Result<Self, NoFeature> {
        let number = |text: &str| text.parse::<u32>().map_err(|_| NoFeature(text.into()));
        match text.split_once(' ') {
            None if text == "surface" => Ok(Self::Surface),
            Some(("vertex", vertex)) => Ok(Self::Vertex(number(vertex)?)),
            Some(("face", face)) => Ok(Self::Face(number(face)?)),
            Some(("edge", ends)) => {
                let (start, end) = ends.split_once('-').ok_or_else(|| NoFeature(text.into()))?;
                Ok(Self::Edge([number(start)?, number(end)?]))
            }
            _ => Err(NoFeature(text.into())),
        }
    }
}

/// Touching features of A and B; written as `vertex 3 / face 2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TouchFeatures {
    /// Of A.
    pub a: FeatureName,
    /// Of B.
    pub b: FeatureName,
}

impl TouchFeatures {
    fn new(witness: &Witness) -> Self {
        Self { a: FeatureName::of(&witness.on_a), b: FeatureName::of(&witness.on_b) }
    }
}

impl FeatureName {
    /// Only meshes have numbered features.
    fn of(spot: &SurfacePoint) -> Self {
        Self::named(spot.feature)
    }

    pub(crate) fn named(feature: Option<Feature>) -> Self {
        match feature {
            Some(Feature::Vertex(vertex)) => Self::Vertex(vertex),
            Some(Feature::Edge(ends)) => Self::Edge(ends),
            Some(Feature::Face(face)) => Self::Face(face),
            None => Self::Surface,
        }
    }
}

impl fmt::Display for TouchFeatures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} / {}", self.a, self.b)
    }
}

impl Serialize for TouchFeatures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for TouchFeatures {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let parse = |text: &str| text.parse().map_err(serde::de::Error::custom);
        let (a, b) =
            text.split_once(" / ").ok_or_else(|| serde::de::Error::custom("two features expected"))?;
        Ok(Self { a: parse(a)?, b: parse(b)? })
    }
}
