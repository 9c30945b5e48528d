//! The extension point of the studio: panels of other programs.

use crate::trouble::Trouble;
use noli::{Mesh, Pose};
use noli_pages::shape::View;
use serde_json::Value;
use std::path::Path;

/// A body as panels see it.
#[derive(Clone, Copy, Debug)]
pub struct BodyOfPanel<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its triangles, in its own frame.
    pub mesh: &'a Mesh,
    /// Its pose.
    pub pose: Pose,
}

/// The state that panels can read.
pub trait PanelHost {
    /// Returns a body by its number.
    fn body(&self, body: usize) -> Result<BodyOfPanel<'_>, Trouble>;

    /// Returns the transformation from the world to the page.
    fn view(&self) -> View;

    /// Returns the folder of the project, if any.
    fn folder(&self) -> Option<&Path>;
}

/// A further panel of the studio. The page shows it where the server offers it.
pub trait Panel: Send {
    /// Name in messages.
    fn name(&self) -> &'static str;

    /// Data for a new tab.
    fn offer(&self, host: &dyn PanelHost) -> Value;

    /// Answers a message of a tab.
    fn answer(&self, message: Value, host: &dyn PanelHost) -> Result<Value, Trouble>;

    /// Returns `true` for a folder whose content is for this panel, so that its meshes are not opened.
    fn claims(&self, _folder: &Path) -> bool {
        false
    }
}
