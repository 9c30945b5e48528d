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

pub use check::{CheckPage, MOST_SEGMENTS, check_page, pair_view, segments_each};
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
    /// How long a unit is on the page.
    scale: f64,
    up: Up,
    shapes: Vec<PageShape>,
    bodies: Vec<PageBody<'a>>,
    pairs: Vec<PairView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    play: Option<motion::PagePlay>,
}

/// A pair of bodies, or what two of them do on their way, as a page shows it. Places are those of the page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairView {
    /// The number of A.
    pub a: usize,
    /// The number of B.
    pub b: usize,
    /// How they stand to each other, in a word.
    pub relation: &'static str,
    /// Whether that counts.
    pub hit: bool,
    /// What was found, in a sentence.
    pub says: String,
    /// Pairs of faces that cross.
    pub crossings: Option<u64>,
    /// The gap in words.
    pub gap: String,
    /// The gap for sorting.
    pub gap_at_least: Option<f64>,
    /// How far it can be trusted.
    pub guarantee: &'static str,
    /// Where they meet.
    pub place: Option<[f64; 3]>,
    /// The same in the scene's coordinates.
    pub place_text: String,
    /// The ends of segments where faces cross: base64 of 32-bit numbers.
    pub segments: String,
    /// The ends of the measured gap.
    pub line: Option<[[f64; 3]; 2]>,
    /// The one around the other.
    pub outer: Option<usize>,
    /// More about bodies that meet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clash: Option<ClashView>,
    /// When it happens, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// When it happens, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
}

/// How far bodies that meet reach into each other, and what became of that.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClashView {
    /// The depth in words; empty where it is not known.
    pub depth: String,
    /// Both ends of the depth, where they are known and finite.
    pub depths: Option<[f64; 2]>,
    /// The shared volume in words, without its unit; empty where it is not known.
    pub volume: String,
    /// From where they meet along the shortest way that was found to take them apart.
    pub arrow: Option<[[f64; 3]; 2]>,
    /// Hard, touching, inside, …
    pub kind: &'static str,
    /// New, reviewed, within tolerance, …
    pub status: &'static str,
    /// What it belongs to.
    pub group: Option<String>,
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
