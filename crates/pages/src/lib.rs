//! Reports as pages for any browser.
//!
//! A page is one file: table, 3D view and, where something moves, a time line. The scripts come from `web/`, built and
//! kept in [`assets`]. Shapes are for looking at, not for measuring: corners are rounded to 16 bits of their body's
//! box. All numbers that a page shows are those of the report.

pub mod assets;
mod check;
mod motion;
pub mod shape;
pub mod words;

pub use check::{CheckPage, MOST_SEGMENTS, check_page};
pub use motion::{MotionPage, Room, Track, motion_page};
pub use shape::Up;

use serde::Serialize;
use shape::{PageBody, PageShape};

/// What the script of a report gets.
#[derive(Serialize)]
struct Page<'a> {
    title: &'a str,
    outcome: String,
    summary: &'a str,
    notes: Vec<String>,
    unit: &'static str,
    up: Up,
    shapes: Vec<PageShape>,
    bodies: Vec<PageBody<'a>>,
    pairs: Vec<PagePair>,
    #[serde(skip_serializing_if = "Option::is_none")]
    play: Option<motion::PagePlay>,
}

/// A pair of bodies, or what two of them do on their way. Places are those of the page.
#[derive(Serialize)]
struct PagePair {
    a: usize,
    b: usize,
    relation: &'static str,
    hit: bool,
    says: String,
    crossings: Option<u64>,
    gap: String,
    gap_at_least: Option<f64>,
    guarantee: &'static str,
    place: Option<[f64; 3]>,
    place_text: String,
    segments: String,
    line: Option<[[f64; 3]; 2]>,
    outer: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<f64>,
}

impl Page<'_> {
    fn html(&self) -> Result<String, serde_json::Error> {
        // A name such as `</script>` must not end the script.
        let data = serde_json::to_string(self)?.replace('<', "\\u003c");
        Ok(format!(
            include_str!("report.html"),
            style = [assets::VIEWER_CSS, assets::REPORT_CSS].concat(),
            viewer = assets::VIEWER_JS,
            licence = assets::THREE_LICENCE,
            script = assets::REPORT_JS,
            data = data,
        ))
    }
}
