//! Findings of all pairs of a report, for pages and topics.

use crate::report::check::CheckReport;
use crate::report::pair::PairReport;
use crate::stage::scene::Staged;
use noli::answer::{Bracket, Clearance, Guarantee, Verdict};
use noli::world::{BodyId, CheckResult, Finding};
use std::borrow::Cow;
use std::collections::HashMap;

impl CheckReport {
    /// Returns the findings of its pairs, in order. Pairs that only curved surfaces found, which come last, have one made
    /// from their report: without triangles that intersect.
    pub fn findings<'r>(&self, staged: &Staged, result: &'r CheckResult) -> Vec<Cow<'r, Finding>> {
        let ids: HashMap<&str, BodyId> =
            staged.bodies.iter().map(|body| (staged.name(body.id), body.id)).collect();
        let known = result.findings.iter().map(Cow::Borrowed);
        let found = self.pairs.iter().skip(result.findings.len());
        known.chain(found.map_while(|pair| finding(pair, &ids)).map(Cow::Owned)).collect()
    }
}

fn finding(pair: &PairReport, ids: &HashMap<&str, BodyId>) -> Option<Finding> {
    let [a, b] = [*ids.get(pair.a.as_str())?, *ids.get(pair.b.as_str())?];
    let distance = Bracket { at_least: pair.clearance.at_least, at_most: pair.clearance.at_most };
    Some(Finding {
        pair: [a.min(b), a.max(b)],
        margin: pair.margin,
        status: pair.status(),
        containment: Verdict::Unknown,
        guarantee: Guarantee::Exact,
        clearance: Clearance { distance, witness: None, guarantee: Guarantee::Exact },
        intersecting_faces: None,
        touching_faces: None,
        intersections: Vec::new(),
        contact: None,
        penetration: None,
        volume: None,
        place: pair.place.map(Into::into),
        faces: None,
    })
}
