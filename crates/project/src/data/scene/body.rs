//! Bodies, their shapes, and groups.

use super::physics::Physics;
use noli::world::Pattern;
use noli_formats::{Units, UnknownCells};
use noli_geom::{MeshKind, Pose};
use std::path::PathBuf;

/// A body of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Its name, unique in the scene.
    pub name: String,
    /// Its shape.
    pub shape: Shape,
    /// Surface or solid; `None` if the scene does not define it.
    pub kind: Option<MeshKind>,
    /// The body in whose frame the pose is given; the world if there is none.
    pub parent: Option<usize>,
    /// Pose in its parent's frame.
    pub pose: Pose,
    /// `true` if every object of the file (or part of the generator) becomes a separate body, named
    /// `body/object`.
    pub split: bool,
    /// `true` if a split also turns the parts of every object that share no edge into separate bodies.
    pub shells: bool,
    /// Properties for contact and dynamics.
    pub physics: Physics,
    /// Its line in the scene file, counted from 1.
    pub line: usize,
}

/// Shape of a body. Lengths are in the scene's unit.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A mesh file.
    File {
        /// Its path, as given: relative to the scene file.
        path: PathBuf,
        /// The object of the file that is meant; all of them if there is none.
        object: Option<String>,
        /// The unit of the file.
        units: Units,
    },
    /// A box about its origin.
    Box {
        /// Its edges.
        size: [f64; 3],
    },
    /// A sphere about its origin; its mesh is inscribed in it.
    Sphere {
        /// Its radius.
        radius: f64,
        /// Cuts per edge of the icosahedron it is made from.
        cuts: u32,
    },
    /// A segment along z, centred, and all within a radius of it; its mesh is inscribed in it.
    Capsule {
        /// Its radius.
        radius: f64,
        /// The length of the segment.
        length: f64,
        /// Cuts per edge of the icosahedron its ends are made from.
        cuts: u32,
    },
    /// An ellipsoid about its origin; its mesh is inscribed in it.
    Ellipsoid {
        /// Its half axes.
        radii: [f64; 3],
        /// Cuts per edge of the icosahedron it is made from.
        cuts: u32,
    },
    /// A cone about z with its tip up, centred at half its height; its mesh is inscribed in it.
    Cone {
        /// The radius of its base.
        radius: f64,
        /// Its height.
        height: f64,
        /// Number of flat sides that approximate the round one.
        slices: u32,
    },
    /// All points with `z <= 0`; it has no mesh.
    HalfSpace,
    /// A cylinder about z, centred; its mesh is inscribed in it.
    Cylinder {
        /// Its radius.
        radius: f64,
        /// Its height.
        height: f64,
        /// Number of flat sides that approximate the round one.
        slices: u32,
    },
    /// A ring about z, as a mesh inscribed in its sections.
    Torus {
        /// Radius of its core.
        major: f64,
        /// Radius of its tube.
        minor: f64,
        /// Sections around; half as many points to a section.
        slices: u32,
    },
    /// Points at which a function is zero or negative.
    Field {
        /// The formula, or the file that holds it.
        source: FieldSource,
        /// Two vertices that cut it off; needed where it has no end.
        bounds: Option<[[f64; 3]; 2]>,
        /// The unit of its coordinates.
        units: Units,
        /// Grid cells along its longest side, for the display mesh.
        cells: u32,
    },
    /// The points of a sensor, each with a sphere around it.
    Points {
        /// The file, as given: relative to the scene file.
        path: PathBuf,
        /// The radius around each point; radii of the file if absent.
        radius: Option<f64>,
        /// Distance of thinning, which is added to the radius.
        thin: Option<f64>,
        /// The unit of the file.
        units: Units,
    },
    /// The cells of an occupancy tree or of a distance grid, in metres.
    Grid {
        /// The file, as given: relative to the scene file.
        path: PathBuf,
        /// Treatment of unknown cells.
        unknown: UnknownCells,
    },
    /// A generated assembly or a part of it.
    Generated {
        /// Its name; `noli scenes list` has them.
        scene: String,
        /// The part; all of them if there is none.
        part: Option<String>,
        /// Level of detail.
        detail: u32,
    },
}

/// Source of a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldSource {
    /// The scene itself.
    Text(String),
    /// A `.vm` file, or any other text file with a formula; relative to the scene file.
    File(PathBuf),
}

/// Bodies that share one clock and are stopped together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// The numbers of its bodies, in order; of a split one, all parts belong to it.
    pub bodies: Vec<usize>,
    /// Patterns of its members, for parts of split bodies.
    pub patterns: Vec<Pattern>,
}
