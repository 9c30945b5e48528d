//! Reports as pages for any browser.
//!
//! A page is one file: table, 3D view and, if something moves, a time line. The scripts come from `web/`, built
//! and stored in [`assets`]. Shapes are for display, not for measuring: vertices are rounded to 16 bits of
//! their body's box. All numbers on a page are those of the report.

pub mod assets;
mod check;
mod json;
mod motion;
mod run;
mod scene;
pub mod shape;
mod simulation;
pub mod words;

pub use check::{CheckPage, MOST_SEGMENTS, check_page, pair_view, segments_each};
pub use json::{SCHEMA_VERSION, report_json};
pub use motion::{ContactPoints, Curve, MotionPage, PageStep, Room, Track, first_impacts, motion_page};
pub use run::{TogetherPage, run_page, together_page};
pub use scene::{PageScene, SceneBody};
pub use shape::Up;
pub use simulation::simulation_page;

use serde::Serialize;
use shape::{PageBody, PageShape};

/// Input of a report's script.
#[derive(Serialize)]
struct Page<'a> {
    title: &'a str,
    outcome: String,
    summary: &'a str,
    notes: Vec<String>,
    unit: &'static str,
    /// Length of a unit on the page.
    scale: f64,
    up: Up,
    shapes: Vec<PageShape>,
    bodies: Vec<PageBody<'a>>,
    pairs: Vec<PairView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    play: Option<motion::PagePlay>,
}

/// A pair of bodies, or a contact of two moving bodies, as shown on a page. Positions are those of the page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairView {
    /// The number of A.
    pub a: usize,
    /// The number of B.
    pub b: usize,
    /// Their relation, in a word.
    pub relation: &'static str,
    /// `true` if it counts as a hit.
    pub hit: bool,
    /// The result, in a sentence.
    pub says: String,
    /// Pairs of faces that cross.
    pub intersections: Option<u64>,
    /// The clearance in words.
    pub clearance: String,
    /// The clearance for sorting.
    pub clearance_at_least: Option<f64>,
    /// Guarantee of the result.
    pub guarantee: &'static str,
    /// Contact point.
    pub place: Option<[f64; 3]>,
    /// The same in the scene's coordinates.
    pub place_text: String,
    /// The ends of segments where faces cross: base64 of 32-bit numbers.
    pub segments: String,
    /// The ends of the measured clearance.
    pub line: Option<[[f64; 3]; 2]>,
    /// The one around the other.
    pub outer: Option<usize>,
    /// Details of colliding bodies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clash: Option<ClashView>,
    /// Time of the event, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Time of the event, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
}

/// Penetration depth of colliding bodies, and its status.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClashView {
    /// The depth in words; empty where it is not known.
    pub depth: String,
    /// The interference in words; empty unless the overlap is thin.
    pub interference: String,
    /// Both ends of the depth, where they are known and finite.
    pub depths: Option<[f64; 2]>,
    /// The shared volume in words, without its unit; empty where it is not known.
    pub volume: String,
    /// Arrow from the contact point along the shortest separating translation found.
    pub arrow: Option<[[f64; 3]; 2]>,
    /// Hard, touching, inside, …
    pub kind: &'static str,
    /// New, reviewed, within tolerance, …
    pub status: &'static str,
    /// Its group.
    pub group: Option<String>,
}

impl Page<'_> {
    fn data(&self) -> Result<PageData, serde_json::Error> {
        // A name such as `</script>` must not end the script.
        let json = serde_json::to_string(self)?.replace('<', "\\u003c");
        Ok(PageData { title: self.title.to_owned(), json })
    }
}

/// Contents of a page, ready to be written: alone, or as a chapter among others.
#[derive(Clone, Debug, PartialEq)]
pub struct PageData {
    /// Name of the chapter.
    pub title: String,
    json: String,
}

impl PageData {
    /// Returns the page as HTML.
    pub fn html(&self) -> String {
        html(std::slice::from_ref(self))
    }

    /// Returns the data of the page's script, as JSON.
    pub fn json(&self) -> &str {
        &self.json
    }
}

/// Returns one page of HTML with a chapter for each of several; readers switch between them.
pub fn html(chapters: &[PageData]) -> String {
    let data = |chapter: &PageData| {
        let name = chapter.title.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
        let json = &chapter.json;
        format!("<script type=\"application/json\" class=\"chapter\" data-name=\"{name}\">{json}</script>\n")
    };
    format!(
        include_str!("report.html"),
        style = [assets::VIEWER_CSS, assets::REPORT_CSS].concat(),
        viewer = assets::VIEWER_JS,
        licence = assets::THREE_LICENCE,
        script = assets::REPORT_JS,
        data = chapters.iter().map(data).collect::<String>(),
    )
}
