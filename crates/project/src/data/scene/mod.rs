//! Scene files: bodies, where they stand, which pairs matter, how they move.
//!
//! A scene is TOML; `docs/scenes.md` is its reference. Reading has two steps: [`parse_scene`] checks the
//! text alone, [`load_scene`](crate::load_scene) also opens the files that the scene names. A key that is not known, a name
//! that does not exist or an invalid pose is an error with its line and a remedy.

mod body;
mod body_entries;
pub(crate) mod body_names;
mod check;
mod motion;
mod physics;
mod pose_list;
mod removal;

pub use body::{Body, FieldSource, Group, Shape};
pub use body_names::Named;
pub use check::{Check, MethodName};
pub use motion::{KeyFrame, MotionPath, Mover, SceneMotion};
pub use noli::world::Pattern;
pub use noli_geom::Turning;
pub use physics::{Physics, Simulation};
pub use pose_list::parse_poses;
pub use removal::SceneRemoval;

use crate::data::entry::{Lines, Table};
use body_names::BodyNames;
use noli_formats::{FileError, Place, Units, bytes_of};
use noli_geom::Pose;
use std::path::Path;

/// Content of a scene file. Lengths are in the scene's unit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// The unit of every length in the scene, and of every answer about it.
    pub units: Units,
    /// The bodies, in the order of the file.
    pub bodies: Vec<Body>,
    /// Bodies that move and stop together.
    pub groups: Vec<Group>,
    /// Checked pairs and their required clearances.
    pub check: Check,
    /// Motions of bodies and groups.
    pub motions: Vec<SceneMotion>,
    /// Parts to be removed, in the order of the file.
    pub removals: Vec<SceneRemoval>,
    /// Gravity and the like.
    pub simulation: Simulation,
    /// Every name and pattern that some body must match.
    pub named: Vec<Named>,
}

impl Scene {
    /// Returns the pose of a body in the world: its pose after those of its parents.
    ///
    /// # Panics
    /// Panics if there is no such body.
    #[allow(clippy::indexing_slicing, reason = "parents were found by their names when the scene was read")]
    pub fn world_pose(&self, body: usize) -> Pose {
        let mut body = &self.bodies[body];
        let mut pose = body.pose;
        while let Some(parent) = body.parent {
            body = &self.bodies[parent];
            pose = body.pose * pose;
        }
        pose
    }

    /// The number of the body of this name.
    pub fn body(&self, name: &str) -> Option<usize> {
        self.bodies.iter().position(|body| body.name == name)
    }
}

/// Reads the text of a scene. Files that it names are not opened.
///
/// ```
/// let scene = noli_project::parse_scene(br#"
///     units = "mm"
///     [[body]]
///     name = "table"
///     box = [800, 600, 30]
///     [[body]]
///     name = "sphere"
///     sphere = { radius = 20 }
///     pose = { xyz = [0, 0, 35] }
/// "#)?;
/// assert_eq!(scene.bodies[1].pose.translation.z, 35.0);
/// let error = noli_project::parse_scene(b"unit = 'mm'").unwrap_err();
/// assert_eq!(error.to_string(), "line 1: the scene has no key `unit`; did you mean `units`?");
/// # Ok::<(), noli_formats::FileError>(())
/// ```
pub fn parse_scene(text: &[u8]) -> Result<Scene, FileError> {
    parse_with(text, "the scene", |_| Ok(())).map(|(scene, ())| scene)
}

/// Reads a text that holds a scene and more, which `rest` takes after it.
pub(crate) fn parse_with<T>(
    text: &[u8],
    what: &str,
    rest: impl FnOnce(&mut Table<'_>) -> Result<T, FileError>,
) -> Result<(Scene, T), FileError> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let text = std::str::from_utf8(text).map_err(|error| {
        let before = text.iter().take(error.valid_up_to()).filter(|&&byte| byte == b'\n').count();
        FileError::new(
            Place::Line(before.saturating_add(1)),
            "this is not UTF-8 text",
            format!("save {what} as UTF-8"),
        )
    })?;
    let lines = Lines::new(text);
    let root = toml::de::DeTable::parse(text).map_err(|error| {
        let place = error.span().map_or(Place::Whole, |span| lines.place(span.start));
        let reason = error.message().lines().collect::<Vec<_>>().join(", ");
        FileError::new(place, format!("not TOML: {reason}"), "correct the syntax (https://toml.io)")
    })?;
    let mut root = Table::new(root.get_ref(), 0, what, &lines);
    let scene = scene(&mut root)?;
    let more = rest(&mut root)?;
    root.finish()?;
    Ok((scene, more))
}

/// Reads a scene file. Files that it names are not opened.
pub fn read_scene(path: impl AsRef<Path>) -> Result<Scene, FileError> {
    let path = path.as_ref();
    let read = || parse_scene(&bytes_of(path)?);
    read().map_err(|error| error.in_file(path))
}

fn scene(root: &mut Table<'_>) -> Result<Scene, FileError> {
    let units = root.take("units").map(|item| item.units()).transpose()?.unwrap_or_default();
    let (bodies, named_groups) = body_entries::bodies(root, units)?;
    let mut names = BodyNames::new(&bodies);
    let groups = body_entries::groups(root, &bodies, named_groups, &mut names)?;
    let check = check::check(root, &groups, &mut names)?;
    let motions = motion::motions(root, &bodies, &groups, &mut names)?;
    let simulation = physics::simulation(root)?;
    let removals = removal::removals(root, &bodies, &groups, &mut names)?;
    let named = names.named;
    Ok(Scene { units, bodies, groups, check, motions, removals, simulation, named })
}
