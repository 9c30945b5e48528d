//! Files built from `web/`. `cargo xtask web` verifies that they match its sources.

/// The 3D view and what all pages share, three.js included; defines `NoliViewer`.
pub const VIEWER_JS: &str = include_str!("../assets/viewer.js");
/// The style that all pages share.
pub const VIEWER_CSS: &str = include_str!("../assets/viewer.css");
/// The script of reports.
pub const REPORT_JS: &str = include_str!("../assets/report.js");
/// The style of reports.
pub const REPORT_CSS: &str = include_str!("../assets/report.css");
/// Licence notice of pages with [`VIEWER_JS`].
pub const THREE_LICENCE: &str = include_str!("../vendor/three/LICENSE");
/// The page of the studio.
pub const STUDIO_HTML: &str = include_str!("../assets/studio.html");
/// The script of the studio.
pub const STUDIO_JS: &str = include_str!("../assets/studio.js");
/// The style of the studio.
pub const STUDIO_CSS: &str = include_str!("../assets/studio.css");
