//! STEP files (ISO 10303-21; AP203, AP214, AP242): solids, shells and assemblies, in millimetres.

mod count;
mod extent;
mod geometry;
mod loose;
mod part21;
mod product;
mod scanner;
mod tessellated;
mod text;
mod topology;
mod transform;
mod units;

use crate::body::Brep;
use noli_geom::Pose;
use std::sync::Arc;

/// Factors to millimetres and radians, and the uncertainty in millimetres.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Units {
    length: f64,
    angle: f64,
    uncertainty: f64,
}

impl Default for Units {
    /// Millimetres and radians, as files without units mean.
    fn default() -> Self {
        Self { length: 1.0, angle: 1.0, uncertainty: 0.0 }
    }
}

/// A placed body of a file.
#[derive(Clone, Debug)]
pub struct Part {
    /// Names of the assemblies that it is in and its own, from the root.
    pub path: Vec<String>,
    /// The body in its own frame, in millimetres; shared by all its occurrences.
    pub body: Arc<Brep>,
    /// Its pose in the file.
    pub pose: Pose,
}

/// Something that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Unread {
    /// The entity, in capitals.
    pub entity: String,
    /// Its line, counted from 1.
    pub line: usize,
    /// The reason.
    pub reason: String,
}

/// The contents of a file.
#[derive(Clone, Debug, Default)]
pub struct StepFile {
    /// The schema that it states.
    pub schema: String,
    /// All bodies, placed.
    pub parts: Vec<Part>,
    /// What could not be read. A body that needs it is missing from `parts`.
    pub unread: Vec<Unread>,
    /// Bodies that are in no shape representation of a product, as construction geometry and features are. They are not
    /// among `parts`.
    pub left_out: Vec<Unread>,
}

/// Error of a file that cannot be read at all: line, reason, remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}; {remedy}")]
pub struct StepError {
    /// The line, counted from 1.
    pub line: usize,
    /// Reason of the error.
    pub reason: String,
    /// Remedy.
    pub remedy: String,
}

impl StepError {
    pub(crate) fn new(line: usize, reason: impl Into<String>, remedy: &str) -> Self {
        Self { line, reason: reason.into(), remedy: remedy.to_owned() }
    }
}

/// Reads the bytes of a file.
///
/// ```
/// let error = noli_brep::step::read(b"solid cube").unwrap_err();
/// assert_eq!(error.line, 1);
/// ```
pub fn read(bytes: &[u8]) -> Result<StepFile, StepError> {
    read_within(bytes, usize::MAX)
}

/// Reads the bytes of a file; its entities may take so many bytes of memory.
pub fn read_within(bytes: &[u8], memory: usize) -> Result<StepFile, StepError> {
    let exchange = part21::parse(bytes, memory)?;
    Ok(product::parts(&exchange))
}
