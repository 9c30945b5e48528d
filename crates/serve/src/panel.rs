//! The extension point of the studio: panels of other programs.

use crate::session::{Session, Trouble};
use serde_json::Value;
use std::path::Path;

/// A further panel of the studio. The page shows it where the server offers it.
pub trait Panel: Send {
    /// Name in messages.
    fn name(&self) -> &'static str;

    /// Data for a new tab.
    fn offer(&self, session: &Session) -> Value;

    /// Answers a message of a tab.
    fn answer(&self, message: Value, session: &Session) -> Result<Value, Trouble>;

    /// True for a folder whose content is for this panel, so that its meshes are not opened.
    fn claims(&self, _folder: &Path) -> bool {
        false
    }
}
