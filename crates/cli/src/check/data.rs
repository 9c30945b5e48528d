//! What a check says to programs: JSON and comma-separated values. `docs/command-line.md` describes the fields.

use super::Checked;
use super::bodies::Body;
use super::pairs::{Finding, Guarantee, Meeting, Verdict};
use crate::Outcome;
use crate::output::csv_line;
use serde::Serialize;

/// The JSON object.
#[derive(Serialize)]
pub(super) struct Report<'a> {
    source: &'a str,
    outcome: &'static str,
    units: Option<&'static str>,
    margin: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a super::method::Decided>,
    summary: Summary,
    bodies: Vec<BodyReport<'a>>,
    pairs: Vec<PairReport<'a>>,
    warnings: &'a [String],
}

/// How many of each kind.
#[derive(Serialize)]
struct Summary {
    bodies: usize,
    triangles: usize,
    pairs: usize,
    hits: usize,
    crossing: usize,
    inside: usize,
    touching: usize,
    closer: usize,
    undecided: usize,
    apart: usize,
    apart_by_boxes: usize,
    model_bytes: usize,
}

#[derive(Serialize)]
struct BodyReport<'a> {
    name: &'a str,
    triangles: usize,
    kind: &'static str,
    not_solid_because: Option<&'a str>,
}

#[derive(Serialize)]
struct PairReport<'a> {
    a: &'a str,
    b: &'a str,
    relation: &'static str,
    hit: bool,
    guarantee: Guarantee,
    margin: f64,
    gap: Gap,
    crossings: Option<u64>,
    touches: Option<u64>,
    #[serde(rename = "where")]
    place: Option<[f64; 3]>,
    faces: Option<[u32; 2]>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    segments: Vec<SegmentReport>,
}

/// `null` stands for no end.
#[derive(Serialize)]
struct Gap {
    at_least: f64,
    at_most: f64,
}

#[derive(Serialize)]
struct SegmentReport {
    faces: [u32; 2],
    start: [f64; 3],
    end: [f64; 3],
}

impl<'a> Report<'a> {
    pub(super) fn new(checked: &'a Checked<'_>) -> Self {
        Self {
            source: &checked.title,
            outcome: match checked.outcome() {
                Outcome::Free => "free",
                Outcome::Touching => "touching",
                Outcome::Undecided => "undecided",
            },
            units: checked.units.map(noli_io::Units::sign),
            margin: checked.margin,
            method: checked.by_method.as_ref(),
            summary: Summary::new(checked),
            bodies: checked.bodies.iter().map(BodyReport::new).collect(),
            pairs: checked.findings.iter().map(|finding| PairReport::new(finding, checked)).collect(),
            warnings: &checked.warnings,
        }
    }
}

impl Summary {
    fn new(checked: &Checked<'_>) -> Self {
        Self {
            bodies: checked.bodies.len(),
            triangles: super::triangles(&checked.bodies),
            pairs: checked.findings.len() + checked.apart_by_boxes,
            hits: checked.findings.iter().filter(|finding| checked.is_hit(finding)).count(),
            crossing: checked.count(Verdict::Crossing),
            inside: checked.count(Verdict::Inside),
            touching: checked.count(Verdict::Touching),
            closer: checked.count(Verdict::Closer),
            undecided: checked.count(Verdict::Undecided),
            apart: checked.count(Verdict::Apart) + checked.apart_by_boxes,
            apart_by_boxes: checked.apart_by_boxes,
            model_bytes: super::model_bytes(&checked.bodies),
        }
    }
}

impl<'a> BodyReport<'a> {
    fn new(body: &'a Body) -> Self {
        Self {
            name: &body.name,
            triangles: body.triangles(),
            kind: if body.is_solid() { "solid" } else { "surface" },
            not_solid_because: body.flaw.as_deref(),
        }
    }
}

impl<'a> PairReport<'a> {
    fn new(finding: &Finding, checked: &'a Checked<'_>) -> Self {
        Self {
            a: &checked.bodies[finding.a].name,
            b: &checked.bodies[finding.b].name,
            relation: relation(finding.verdict),
            hit: checked.is_hit(finding),
            guarantee: finding.guarantee,
            margin: finding.margin,
            gap: Gap { at_least: finding.gap.at_least, at_most: finding.gap.at_most },
            crossings: finding.crossing_faces,
            touches: finding.touching_faces,
            place: finding.place.map(|place| place.to_array()),
            faces: finding.faces,
            segments: finding
                .meetings
                .iter()
                .take(checked.arguments.segments())
                .map(SegmentReport::new)
                .collect(),
        }
    }
}

impl SegmentReport {
    fn new(meeting: &Meeting) -> Self {
        let [start, end] = [meeting.segment.start, meeting.segment.end].map(|point| point.to_array());
        Self { faces: meeting.faces, start, end }
    }
}

/// Bodies closer than the margin are apart, and hits.
fn relation(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Closer => "apart",
        other => super::report::word(other),
    }
}

/// One line for each pair under a line of names.
pub(super) fn csv(checked: &Checked<'_>) -> String {
    let mut text = csv_line([
        "relation",
        "a",
        "b",
        "hit",
        "guarantee",
        "margin",
        "gap_at_least",
        "gap_at_most",
        "crossings",
        "touches",
        "x",
        "y",
        "z",
    ]);
    let count = |count: Option<u64>| count.map_or(String::new(), |count| count.to_string());
    let number = |x: f64| if x.is_finite() { format!("{x:?}") } else { String::new() };
    for finding in &checked.findings {
        let pair = PairReport::new(finding, checked);
        let place = |axis: usize| pair.place.map_or(String::new(), |place| number(place[axis]));
        let guarantee = format!("{:?}", pair.guarantee).to_lowercase();
        text += &csv_line([
            pair.relation,
            pair.a,
            pair.b,
            if pair.hit { "yes" } else { "no" },
            &guarantee,
            &number(pair.margin),
            &number(pair.gap.at_least),
            &number(pair.gap.at_most),
            &count(pair.crossings),
            &count(pair.touches),
            &place(0),
            &place(1),
            &place(2),
        ]);
    }
    text
}
