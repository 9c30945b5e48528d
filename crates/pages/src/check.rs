//! The page of a check.

use crate::scene::PageScene;
use crate::shape::{Drawing, Up, View, encode};
use crate::{ClashView, Page, PageData, PairView, words};
use glam::DVec3;
use noli::world::{CheckResult, Finding, PairStatus};
use noli_project::Staged;
use noli_project::clash::ClashKind;
use noli_project::report::{CheckReport, PairRelation, PairReport, Trust, WhichInside};

/// Segments drawn for each pair.
pub const MOST_SEGMENTS: usize = 2000;
/// Segments of a whole page, where there are so many pairs; but for each at least the fewest that show where it is.
const MOST_OF_PAGE: usize = 200_000;
const FEWEST_SEGMENTS: usize = 24;

/// Returns the number of segments drawn for each of so many intersecting pairs.
pub fn segments_each(hits: usize) -> usize {
    (MOST_OF_PAGE / hits.max(1)).clamp(FEWEST_SEGMENTS, MOST_SEGMENTS)
}

/// Contents of a check page.
#[derive(Clone, Copy, Debug)]
pub struct CheckPage<'a> {
    /// The bodies.
    pub staged: &'a Staged,
    /// Their results.
    pub result: &'a CheckResult,
    /// The same for people; its pairs are the findings, in order.
    pub report: &'a CheckReport,
    /// A few words below the table.
    pub summary: &'a str,
    /// Up axis.
    pub up: Up,
}

/// A page with the table of a check and its 3D view.
pub fn check_page(page: &CheckPage<'_>) -> Result<PageData, serde_json::Error> {
    let CheckPage { staged, result, report, summary, up } = *page;
    let found = report.findings(staged, result);
    let findings = || report.pairs.iter().zip(found.iter().map(|finding| &**finding));
    let hits = findings().filter(|(pair, _)| pair.hit);
    let scene = PageScene::of_staged(staged);
    let Drawing { view, shapes, bodies, boxes, .. } =
        Drawing::new(&scene, hits.flat_map(|(_, finding)| numbers(finding)));
    let mut notes = report.warnings.clone();
    notes.extend(Some(words::tolerance(report)).filter(|text| !text.is_empty()));
    if boxes > 0 {
        let shapes = words::plural(boxes, "shape", "shapes");
        notes.push(format!("{shapes} drawn as boxes: too many triangles for a page"));
    }
    let most = segments_each(report.summary.hits);
    if most < MOST_SEGMENTS && result.findings.iter().any(|finding| finding.intersections.len() > most) {
        notes.push(format!(
            "of where faces cross, {most} segments of each pair are drawn: there are very many"
        ));
    }
    let unit = report.units.map_or("", noli_formats::Units::sign);
    Page {
        title: &report.source,
        outcome: words::outcome(report.summary.hits, report.summary.undecided),
        summary,
        notes,
        unit,
        scale: view.scale,
        up,
        shapes,
        bodies,
        pairs: findings().map(|(pair, finding)| pair_view(pair, finding, unit, view, most)).collect(),
        play: None,
    }
    .data()
}

fn numbers(finding: &Finding) -> [usize; 2] {
    finding.pair.map(|id| id.index() as usize)
}

/// A pair as a page shows it, with so many segments at most; bodies are numbered as in their world.
pub fn pair_view(pair: &PairReport, finding: &Finding, unit: &str, view: View, most: usize) -> PairView {
    // Triangles may intersect where the curved surfaces that they stand for do not.
    let is_drawn = pair.guarantee != Trust::Curved || pair.relation == PairRelation::Intersecting;
    let all: &[_] = if is_drawn { &finding.intersections } else { &[] };
    // Some of all along, rather than all of a part.
    let drawn = all.iter().step_by(all.len().div_ceil(most).max(1));
    let ends = drawn.flat_map(|intersection| [intersection.segment.start, intersection.segment.end]);
    let [a, b] = numbers(finding);
    let is_separated = matches!(finding.status, PairStatus::Closer | PairStatus::Separated);
    let witness = finding.clearance.witness.filter(|_| is_separated);
    PairView {
        a,
        b,
        relation: words::relation(pair),
        hit: pair.hit,
        says: words::sentence(pair, unit),
        intersections: pair.intersections.filter(|&count| count > 0),
        clearance: words::clearance(pair),
        clearance_at_least: Some(pair.clearance.at_least).filter(|clearance| clearance.is_finite()),
        guarantee: pair.guarantee.word(),
        place: pair.place.map(|place| view.point(place.into())),
        place_text: pair.place.map_or(String::new(), |place| view.text(place.into())),
        segments: encode(ends.flat_map(|end| view.point(end)).flat_map(|x| (x as f32).to_le_bytes())),
        line: witness.map(|witness| [witness.on_a.point, witness.on_b.point].map(|end| view.point(end))),
        outer: match pair.which_inside {
            Some(WhichInside::AInB) => Some(b),
            Some(WhichInside::BInA) => Some(a),
            Some(WhichInside::Same | WhichInside::Parts) | None => None,
        },
        clash: pair.kind.map(|kind| clash_view(pair, kind, view)),
        seconds: None,
        time: None,
    }
}

fn clash_view(pair: &PairReport, kind: ClashKind, view: View) -> ClashView {
    let text =
        |at_least, at_most| if at_most > 0.0 { words::bracket(at_least, at_most) } else { String::new() };
    let arrow = pair.place.zip(pair.depth).and_then(|(place, depth)| {
        let from = DVec3::from(place);
        Some([from, from + DVec3::from(depth.direction?) * depth.at_most])
    });
    ClashView {
        depth: pair.depth.map_or(String::new(), |depth| text(depth.at_least, depth.at_most)),
        depths: pair.depth.map(|depth| [depth.at_least, depth.at_most]).filter(|[_, most]| most.is_finite()),
        volume: pair.volume.map_or(String::new(), |volume| text(volume.at_least, volume.at_most)),
        arrow: arrow.map(|ends| ends.map(|end| view.point(end))),
        interference: words::interference(pair),
        kind: kind.word(),
        status: words::status(pair),
        group: pair.group.clone(),
    }
}
