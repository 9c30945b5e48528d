//! Values within commands of tabs.

use serde::{Deserialize, Serialize};

/// Contact behaviour of a dragged body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Drag {
    /// It stops at contact; the path to the accepted pose is proven collision-free.
    #[default]
    Stop,
    /// It slides along obstacles; every segment of the path is proven collision-free.
    Slide,
    /// It passes through.
    Ghost,
}

/// Axes of a step of the tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JogFrame {
    /// Those of the world.
    #[default]
    World,
    /// Those of the tool.
    Tool,
}

/// A box, sphere or cylinder.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
pub enum Primitive {
    /// With these lengths.
    Box {
        /// Along x, y and z.
        size: [f64; 3],
    },
    /// A sphere.
    Sphere {
        /// Its radius.
        radius: f64,
    },
    /// Along z.
    Cylinder {
        /// Its radius.
        radius: f64,
        /// Its length.
        height: f64,
    },
}

/// A pull of a body, with others that move rigidly with it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pull {
    /// Its identifier.
    pub body: usize,
    /// Bodies that move with it.
    #[serde(default)]
    pub with: Vec<usize>,
    /// Increasing number that assigns an answer to its command.
    pub seq: u64,
    /// Target position of its centre.
    pub at: [f64; 3],
    /// Target rotation: x, y, z, w.
    pub turn: [f64; 4],
    /// Contact behaviour.
    #[serde(default)]
    pub mode: Drag,
}

/// A rule for all pairs whose names match two patterns; `*` matches any letters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PatternRule {
    /// Fits one body.
    pub a: String,
    /// Fits the other.
    pub b: String,
    /// Minimum clearance; without one, the pairs are disabled.
    #[serde(default)]
    pub margin: Option<f64>,
}

/// The set where a function of x, y and z is zero or negative.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Formula {
    /// In the language of formulas.
    pub text: String,
    /// Two vertices that cut it off; needed where it has no end.
    #[serde(default)]
    pub bounds: Option<[[f64; 3]; 2]>,
}
