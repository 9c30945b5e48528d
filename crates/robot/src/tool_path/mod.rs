//! Paths of a tool in space: lines and arcs with blends, followed through inverse kinematics with a proven path error.

mod follow;
mod segment;

pub use follow::{FollowOptions, FollowedPath, PathError, PathFault};
pub use segment::BlendRadius;
use segment::{Blend, Segment};

use glam::DVec3;
use noli_geom::{Pose, rotation};

/// A path of a tool in the frame of the root: lines and arcs, rounded where blends are given.
///
/// ```
/// use noli_geom::Pose;
/// use noli_robot::ToolPath;
/// use noli_robot::glam::dvec3;
/// let at = |x, y| Pose::from_translation(dvec3(x, y, 0.3));
/// let mut path = ToolPath::starting(at(0.5, 0.0));
/// path.line_to(at(0.5, 0.3))?;
/// path.blend(0.05)?;
/// path.line_to(at(0.2, 0.3))?;
/// path.arc_to(dvec3(0.1, 0.2, 0.3), at(0.2, 0.1))?;
/// // Both lines lose 50 mm to the blend, which is shorter than they were.
/// assert!(path.length() < 0.3 + 0.3 + 0.3142 && path.length() > 0.85);
/// # Ok::<(), noli_robot::ToolPathError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[doc(alias("cartesian path", "MoveL", "MoveC", "LIN", "CIRC"))]
pub struct ToolPath {
    start: Pose,
    end: Pose,
    segments: Vec<Segment>,
    /// The blend wanted at the present end.
    wanted: Option<Blend>,
}

/// Reason that a tool path cannot be made so.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolPathError {
    /// A pose that is not finite, or with a quaternion of length 0.
    #[error("move {0}: the pose is invalid; give finite numbers and a quaternion of non-zero length")]
    Pose(usize),
    /// Nothing changes.
    #[error("move {0}: the tool is there already")]
    Nothing(usize),
    /// Three points on a line.
    #[error("move {0}: start, via point and end of the arc lie on a line; use a line instead")]
    Straight(usize),
    /// A radius that is negative or not finite.
    #[error("blend radius {0}: give a finite one of at least 0")]
    Radius(f64),
}

impl ToolPath {
    /// Returns a path without extent.
    pub fn starting(root_from_tool: Pose) -> Self {
        Self { start: root_from_tool, end: root_from_tool, segments: Vec::new(), wanted: None }
    }

    /// The pose of the tool at the start.
    pub fn start(&self) -> Pose {
        self.start
    }

    /// The pose of the tool at the end.
    pub fn end(&self) -> Pose {
        self.end
    }

    /// Number of lines, arcs and blends.
    pub fn segments(&self) -> usize {
        self.segments.len()
    }

    /// The blends of the path: the number of the segment, and what was wanted of it and is driven.
    pub fn blends(&self) -> impl Iterator<Item = (usize, BlendRadius)> + '_ {
        self.segments.iter().enumerate().filter_map(|(number, segment)| Some((number, segment.blend()?)))
    }

    /// Length of the path of the tool's origin, in metres. A rotation in place counts as a quarter of a metre for each
    /// radian.
    pub fn length(&self) -> f64 {
        self.segments.iter().map(Segment::length).sum()
    }

    /// Rounds the path at its present end: the tool leaves the line at this distance from it, on a parabola, and joins the
    /// next line as far behind it. It begins later where a line is too short; half of the next line is left for a blend at
    /// its end ([`blends`](Self::blends)). It has no effect at the start and next to arcs, where the tool stops.
    pub fn blend(&mut self, radius: f64) -> Result<(), ToolPathError> {
        self.wanted = Some(Blend::Parabola(checked_radius(radius)?));
        Ok(())
    }

    /// Rounds the path at its present end by a circular arc of a radius, which is tangent to both lines; where they are too
    /// short for it, by a smaller one. It has no effect at the start, next to arcs, and between opposite lines, where the
    /// tool stops.
    #[doc(alias("fillet", "circular blend"))]
    pub fn round(&mut self, radius: f64) -> Result<(), ToolPathError> {
        self.wanted = Some(Blend::Arc(checked_radius(radius)?));
        Ok(())
    }

    /// Adds a line, on which the tool rotates evenly by the smaller angle.
    pub fn line_to(&mut self, root_from_tool: Pose) -> Result<(), ToolPathError> {
        let number = self.segments.len() + 1;
        if !root_from_tool.is_valid() || !self.start.is_valid() {
            return Err(ToolPathError::Pose(number));
        }
        let next = Segment::line(self.end, root_from_tool);
        if next.length() <= SHORTEST {
            return Err(ToolPathError::Nothing(number));
        }
        let blended = self.segments.last().and_then(|last| last.blended(&next, self.wanted?));
        match blended {
            Some(three) => {
                self.segments.pop();
                self.segments.extend(three);
            }
            None => self.segments.push(next),
        }
        (self.end, self.wanted) = (root_from_tool, None);
        Ok(())
    }

    /// Adds an arc through a point, on which the tool rotates evenly by the smaller angle.
    pub fn arc_to(&mut self, via: DVec3, root_from_tool: Pose) -> Result<(), ToolPathError> {
        let number = self.segments.len() + 1;
        if !root_from_tool.is_valid() || !self.start.is_valid() || !via.is_finite() {
            return Err(ToolPathError::Pose(number));
        }
        let arc = Segment::arc(self.end, via, root_from_tool).ok_or(ToolPathError::Straight(number))?;
        self.segments.push(arc);
        (self.end, self.wanted) = (root_from_tool, None);
        Ok(())
    }

    /// Returns the pose of the tool at a share of a segment.
    pub fn pose(&self, segment: usize, share: f64) -> Pose {
        self.segments.get(segment).map_or(self.end, |segment| segment.pose(share))
    }

    /// Segments that are driven without a stop: a blend joins its neighbours.
    fn runs(&self) -> Vec<std::ops::Range<usize>> {
        let mut runs = Vec::new();
        let mut first = 0;
        for number in 1..=self.segments.len() {
            let joined = self
                .segments
                .get(number)
                .is_some_and(|next| next.blend().or(self.segments[number - 1].blend()).is_some());
            if !joined {
                runs.push(first..number);
                first = number;
            }
        }
        runs
    }
}

fn checked_radius(radius: f64) -> Result<f64, ToolPathError> {
    if radius >= 0.0 && radius.is_finite() { Ok(radius) } else { Err(ToolPathError::Radius(radius)) }
}

/// Length of a move that is none, in metres.
const SHORTEST: f64 = 1e-9;

/// The rotation from one orientation to another by the smaller angle, in the frame of the root.
fn turn(from: &Pose, to: &Pose) -> DVec3 {
    rotation::log(to.rotation.normalize() * from.rotation.normalize().conjugate())
}
