//! Life cycle of clashes: counting, statuses and changes.
//!
//! Status rules follow the common practice of clash tools. A clash found for the first time is new, one found
//! again is active, and one that is gone is resolved. Reviewed and approved clashes keep their status. An
//! approval covers the current state: if the shape or pose of a body or the kind of clash changes, the clash is
//! active again. Pairs not tested or undecided keep their status: nothing is resolved without a test.

use super::grouping::{self, Grouping};
use super::judge::{Judgement, judge};
use super::results::{ClashResults, KnownClash, sorted};
use crate::data::clash::{ClashKind, ClashStatus, Exclusion, PatternGroup};
use crate::parallel::map;
use crate::report::check::{BodyReport, CheckReport, ToleranceBy, ToleranceReport};
use crate::report::clash::{AgainstReport, BodyChanges, ClashLine, ExclusionReport};
use crate::report::outcome::Outcome;
use crate::report::pair::{InterferenceReport, PairRelation, PairReport, Trust};
use crate::stage::body_identity::clash_id;
use crate::stage::interference::penetration_within;
use crate::stage::scene::Staged;
use noli::Budget;
use noli::world::{BodyId, Pattern};
use std::collections::{HashMap, HashSet};

/// Rules for hits, and the results of earlier checks.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClashOptions<'a> {
    /// Bodies that only touch are no hits.
    pub ignores_touching: bool,
    /// Intended clashes.
    pub exclusions: &'a [Exclusion],
    /// Permitted overlap.
    pub tolerance: Tolerance<'a>,
    /// Groups by names of bodies.
    pub groups: &'a [PatternGroup],
    /// By what the others are grouped.
    pub grouping: Grouping,
    /// Results of the last check: statuses, notes, groups.
    pub results: Option<&'a ClashResults>,
    /// Results to compare with; `results` if not given.
    pub against: Option<&'a ClashResults>,
    /// Limits on tests against the tolerance; pairs not finished are not within it.
    pub budget: Budget<'a>,
}

/// Permitted overlap of bodies, for models given or triangulated with an error of about that size.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tolerance<'a> {
    /// Of all pairs; `None` permits the sum of the uncertainties of both bodies, which triangulated bodies have.
    pub all: Option<f64>,
    /// Of some, by the names of their bodies; the last that fits counts.
    pub some: &'a [([Pattern; 2], f64)],
}

impl Tolerance<'_> {
    /// Returns the tolerance of a pair; `uncertainty` is that of both bodies.
    fn of(&self, a: &str, b: &str, uncertainty: f64) -> f64 {
        self.given(a, b).unwrap_or(uncertainty)
    }

    /// Returns the requested tolerance of a pair.
    fn given(&self, a: &str, b: &str) -> Option<f64> {
        let fits = |pair: &[Pattern; 2]| {
            let one = |a: &str, b: &str| pair[0].matches(a) && pair[1].matches(b);
            one(a, b) || one(b, a)
        };
        let own = self.some.iter().rev().find(|(pair, _)| fits(pair)).map(|(_, tolerance)| *tolerance);
        own.or(self.all)
    }
}

/// Uncertainties of the surfaces of bodies, by name; only those that have one.
struct Uncertainties<'s>(HashMap<&'s str, f64>);

impl<'s> Uncertainties<'s> {
    fn new(staged: &'s Staged) -> Self {
        let named = staged.bodies.iter().map(|body| (staged.name(body.id), body.origin.uncertainty));
        Self(named.filter(|(_, uncertainty)| *uncertainty > 0.0).collect())
    }

    /// Returns the sum of both bodies; 0 for a pair that was decided on its curved surfaces.
    fn of_both(&self, pair: &PairReport) -> f64 {
        if pair.guarantee == Trust::Curved {
            return 0.0;
        }
        // Not `sum`, which is -0 for nothing.
        [&pair.a, &pair.b].iter().filter_map(|name| self.0.get(name.as_str())).fold(0.0, |sum, x| sum + x)
    }

    /// Returns the largest sum of a pair, or that of the two largest bodies if no pair was decided on curved surfaces.
    fn largest(&self, pairs: &[PairReport]) -> f64 {
        if pairs.iter().any(|pair| pair.guarantee == Trust::Curved) {
            return pairs.iter().map(|pair| self.of_both(pair)).fold(0.0, f64::max);
        }
        let mut all: Vec<f64> = self.0.values().copied().collect();
        all.sort_by(|x, y| y.total_cmp(x));
        all.iter().take(2).fold(0.0, |sum, x| sum + x)
    }
}

/// Assignment of pairs to the clashes of an earlier check.
struct Matched<'k> {
    /// By number of the pair.
    of_pair: HashMap<usize, &'k KnownClash>,
    /// Those that no pair is.
    rest: Vec<&'k KnownClash>,
}

/// A report by names and ids.
struct Index<'r> {
    by_name: HashMap<&'r str, &'r BodyReport>,
    by_id: HashMap<&'r str, &'r BodyReport>,
    pairs: HashMap<[&'r str; 2], &'r PairReport>,
}

impl<'r> Index<'r> {
    fn new(report: &'r CheckReport) -> Self {
        Self {
            by_name: report.bodies.iter().map(|body| (body.name.as_str(), body)).collect(),
            by_id: report.bodies.iter().map(|body| (body.id.as_str(), body)).collect(),
            pairs: report.pairs.iter().map(|pair| (sorted([&pair.a, &pair.b]), pair)).collect(),
        }
    }

    fn of(&self, name: &str) -> Option<&'r BodyReport> {
        self.by_name.get(name).copied()
    }

    /// The fingerprints of both bodies, in an order of their own.
    fn prints(&self, pair: &PairReport) -> [&'r str; 2] {
        sorted([&pair.a, &pair.b].map(|name| self.of(name).map_or("", |body| &body.fingerprint)))
    }
}

impl CheckReport {
    /// Determines the clashes that count, their statuses and groups, and the changes; updates all counts.
    pub(super) fn settle(&mut self, staged: &Staged, options: &ClashOptions<'_>) {
        let id_of: HashMap<&str, BodyId> =
            staged.bodies.iter().map(|body| (staged.name(body.id), body.id)).collect();
        let uncertainties = Uncertainties::new(staged);
        for pair in &mut self.pairs {
            let is_ignored = options.ignores_touching && pair.relation == PairRelation::Touching;
            pair.status = pair.kind.filter(|_| !is_ignored).map(|_| ClashStatus::New);
        }
        self.permit(&uncertainties, &options.tolerance);
        self.ask_how_deep(staged, &id_of, options);
        for pair in &mut self.pairs {
            let is_tracked = pair.status.is_some() && pair.tolerance > 0.0;
            // A tolerance of its own size cannot decide what is undecided by tessellation.
            let is_permitted = pair.is_within_error() && options.tolerance.given(&pair.a, &pair.b).is_some();
            pair.within_tolerance = (is_tracked || is_permitted)
                && pair.overlap_at_most().is_some_and(|depth| depth <= pair.tolerance);
            // An overlap within tessellation error is a contact, whatever is permitted beyond that.
            if pair.relation == PairRelation::Intersecting && !pair.duplicate {
                let uncertainty = uncertainties.of_both(pair);
                let is_contact = pair.overlap_at_most().is_some_and(|depth| depth <= uncertainty);
                let is_contact = pair.within_tolerance && is_contact;
                pair.kind = Some(if is_contact { ClashKind::Touching } else { ClashKind::Hard });
            }
        }
        self.recall(options.results);
        self.exclude(staged, &id_of, options.exclusions);
        grouping::assign(&mut self.pairs, options.grouping, options.groups);
        for pair in &mut self.pairs {
            pair.hit = judge(pair) == Judgement::Hit;
        }
        self.groups = grouping::list(&self.pairs);
        let (resolved, against) = {
            let index = Index::new(self);
            let fate = |known: &KnownClash| self.is_gone(known, &index, staged, &id_of);
            let resolved = options.results.map_or_else(Vec::new, |known| {
                let rest = self.matched(known, &index).rest;
                let gone = rest.into_iter().filter(|clash| fate(clash));
                gone.map(|clash| clash.id.clone()).collect()
            });
            let against = options.against.or(options.results);
            (resolved, against.map(|known| self.changes(known, &index, fate)))
        };
        (self.resolved, self.against) = (resolved, against);
        self.count_again();
    }

    /// Sets the tolerance of every pair, and that of the report.
    fn permit(&mut self, uncertainties: &Uncertainties<'_>, tolerance: &Tolerance<'_>) {
        for pair in &mut self.pairs {
            pair.tolerance = tolerance.of(&pair.a, &pair.b, uncertainties.of_both(pair));
        }
        self.tolerance = match (tolerance.all, uncertainties.largest(&self.pairs)) {
            (None, length) if length > 0.0 => ToleranceReport { length, by: ToleranceBy::Tessellation },
            (all, _) => ToleranceReport { length: all.unwrap_or(0.0), by: ToleranceBy::Request },
        };
    }

    /// Tests pairs with a tolerance and a longer removal translation for a thin shared volume. A shaft that fills
    /// its hole leaves it only at the end.
    fn ask_how_deep(&mut self, staged: &Staged, id_of: &HashMap<&str, BodyId>, options: &ClashOptions<'_>) {
        let is_open = |pair: &PairReport| {
            let goes_deep = pair.overlap_at_most().is_none_or(|depth| depth > pair.tolerance);
            let is_deeper = pair.interference.is_some_and(|found| found.at_least > pair.tolerance);
            let meets = matches!(pair.relation, PairRelation::Intersecting | PairRelation::Inside)
                && pair.guarantee != Trust::Curved;
            pair.status.is_some() && pair.tolerance > 0.0 && meets && goes_deep && !is_deeper
        };
        let asked: Vec<usize> =
            (0..self.pairs.len()).filter(|&number| is_open(&self.pairs[number])).collect();
        let found = map(&asked, |&number| {
            let PairReport { a, b, tolerance, .. } = &self.pairs[number];
            let pair = [*id_of.get(a.as_str())?, *id_of.get(b.as_str())?];
            penetration_within(staged, pair, *tolerance, options.budget)
        });
        for (number, tested) in asked.into_iter().zip(found) {
            let Some(tested) = tested else { continue };
            let known = &mut self.pairs[number].interference;
            let InterferenceReport { at_least, at_most } =
                known.unwrap_or(InterferenceReport { at_least: 0.0, at_most: f64::INFINITY });
            let (at_least, at_most) = (at_least.max(tested.at_least), at_most.min(tested.at_most));
            if at_least > 0.0 || at_most.is_finite() {
                *known = Some(InterferenceReport { at_least, at_most });
            }
        }
    }

    /// Takes statuses, notes, groups and ids from an earlier check.
    fn recall(&mut self, known: Option<&ClashResults>) {
        let Some(known) = known else { return };
        let found: Vec<(usize, KnownClash, bool)> = {
            let index = Index::new(self);
            let matched = self.matched(known, &index);
            let changed = |number: usize, clash: &KnownClash| self.is_changed(number, clash, &index);
            matched.of_pair.iter().map(|(&n, &clash)| (n, clash.clone(), changed(n, clash))).collect()
        };
        for (number, clash, is_changed) in found {
            let pair = &mut self.pairs[number];
            let (status, reopens) = match clash.status {
                ClashStatus::New | ClashStatus::Active => (ClashStatus::Active, clash.reopened),
                ClashStatus::Approved if is_changed => (ClashStatus::Active, true),
                ClashStatus::Resolved => (ClashStatus::Active, true),
                kept @ (ClashStatus::Reviewed | ClashStatus::Approved) => (kept, false),
            };
            (pair.id, pair.status, pair.reopened) = (clash.id, Some(status), reopens);
            (pair.group, pair.note) = (clash.group, clash.note);
        }
    }

    /// Pairs and known clashes that are one: those of the same bodies; then those of bodies with the same shapes at
    /// the same places under other names, where there is only one of each.
    fn matched<'k>(&self, known: &'k ClashResults, index: &Index<'_>) -> Matched<'k> {
        let mut by_key: HashMap<String, &KnownClash> =
            known.clashes.iter().map(|clash| (clash.key(), clash)).collect();
        let clashes = || self.pairs.iter().enumerate().filter(|(_, pair)| pair.status.is_some());
        let mut of_pair: HashMap<usize, &KnownClash> = HashMap::new();
        for (number, pair) in clashes() {
            let [a, b] = [&pair.a, &pair.b].map(|name| index.of(name).map_or("", |body| &body.id));
            if let Some(clash) = by_key.remove(&clash_id(a, b)) {
                of_pair.insert(number, clash);
            }
        }
        let mut open: HashMap<[&str; 2], Option<usize>> = HashMap::new();
        for (number, pair) in clashes().filter(|(number, _)| !of_pair.contains_key(number)) {
            open.entry(index.prints(pair)).and_modify(|only| *only = None).or_insert(Some(number));
        }
        let mut left: HashMap<[&str; 2], Option<&KnownClash>> = HashMap::new();
        for clash in by_key.values().filter(|clash| clash.status != ClashStatus::Resolved) {
            left.entry(clash.prints()).and_modify(|only| *only = None).or_insert(Some(clash));
        }
        for (prints, clash) in left {
            if let (Some(clash), Some(Some(number))) = (clash, open.get(&prints)) {
                by_key.remove(&clash.key());
                of_pair.insert(*number, clash);
            }
        }
        let rest = known.clashes.iter().filter(|clash| by_key.contains_key(&clash.key())).collect();
        Matched { of_pair, rest }
    }

    fn is_changed(&self, number: usize, clash: &KnownClash, index: &Index<'_>) -> bool {
        let pair = &self.pairs[number];
        pair.kind != Some(clash.kind) || index.prints(pair) != clash.prints()
    }

    /// Returns `true` if an earlier clash is proven to be gone: a body is missing, or the pair was tested and has
    /// another relation.
    fn is_gone(
        &self,
        clash: &KnownClash,
        index: &Index<'_>,
        staged: &Staged,
        id_of: &HashMap<&str, BodyId>,
    ) -> bool {
        let name_of = |id: &String| index.by_id.get(id.as_str()).map(|body| body.name.as_str());
        let [Some(a), Some(b)] = [&clash.bodies[0], &clash.bodies[1]].map(name_of) else { return true };
        let [Some(&a_id), Some(&b_id)] = [a, b].map(|name| id_of.get(name)) else { return true };
        let is_asked = staged.world.margin_between(a_id, b_id).is_ok_and(|margin| margin.is_some());
        match index.pairs.get(&sorted([a, b])) {
            Some(pair) if pair.relation == PairRelation::Undecided => false,
            // Touching ones are not counted this time, so nothing is said about them.
            Some(pair) => !(pair.kind == Some(ClashKind::Touching) && clash.kind == ClashKind::Touching),
            None => is_asked,
        }
    }

    fn exclude(&mut self, staged: &Staged, id_of: &HashMap<&str, BodyId>, exclusions: &[Exclusion]) {
        self.exclusions = exclusions
            .iter()
            .map(|rule| ExclusionReport {
                what: rule.text(),
                reason: rule.reason.clone(),
                pairs: 0,
                new: Vec::new(),
            })
            .collect();
        if exclusions.is_empty() {
            return;
        }
        for pair in &mut self.pairs {
            let (Some(kind), Some(status)) = (pair.kind, pair.status) else { continue };
            let body = |name: &str| staged.world.body(*id_of.get(name)?).ok();
            let (Some(a), Some(b)) = (body(&pair.a), body(&pair.b)) else { continue };
            pair.excluded_by = exclusions.iter().position(|rule| rule.covers([a, b], kind));
            if let Some(number) = pair.excluded_by {
                let exclusion = &mut self.exclusions[number];
                exclusion.pairs = exclusion.pairs.saturating_add(1);
                if status == ClashStatus::New {
                    exclusion.new.push(pair.id.clone());
                }
            }
        }
    }

    fn changes(
        &self,
        known: &ClashResults,
        index: &Index<'_>,
        is_gone: impl Fn(&KnownClash) -> bool,
    ) -> AgainstReport {
        let mut report = AgainstReport { bodies: self.body_changes(known), ..Default::default() };
        let mut matched = self.matched(known, index);
        for (number, pair) in self.pairs.iter().enumerate() {
            let (Some(kind), Some(status)) = (pair.kind, pair.status) else { continue };
            let line = ClashLine { id: pair.id.clone(), a: pair.a.clone(), b: pair.b.clone(), kind, status };
            // One that was resolved was not there.
            match matched.of_pair.remove(&number).filter(|clash| clash.status != ClashStatus::Resolved) {
                None => report.new.push(line),
                Some(clash) => {
                    if self.is_changed(number, clash, index) {
                        report.changed.push(line.clone());
                    }
                    report.still.push(line);
                }
            }
        }
        for clash in matched.rest.into_iter().filter(|clash| clash.status != ClashStatus::Resolved) {
            let line = |status| {
                let KnownClash { id, a, b, kind, .. } = clash.clone();
                ClashLine { id, a, b, kind, status }
            };
            if is_gone(clash) {
                report.gone.push(line(ClashStatus::Resolved));
            } else {
                report.not_asked.push(line(clash.status));
            }
        }
        report
    }

    fn body_changes(&self, known: &ClashResults) -> BodyChanges {
        let before: HashMap<&str, &str> =
            known.bodies.iter().map(|body| (body.id.as_str(), body.fingerprint.as_str())).collect();
        let now: HashSet<&str> = self.bodies.iter().map(|body| body.id.as_str()).collect();
        let mut changes = BodyChanges::default();
        for body in &self.bodies {
            match before.get(body.id.as_str()) {
                None => changes.added.push(body.name.clone()),
                Some(print) if *print != body.fingerprint => changes.changed.push(body.name.clone()),
                Some(_) => {}
            }
        }
        let removed = known.bodies.iter().filter(|body| !now.contains(body.id.as_str()));
        changes.removed = removed.map(|body| body.name.clone()).collect();
        changes
    }

    fn count_again(&mut self) {
        let count = |fits: &dyn Fn(&PairReport) -> bool| self.pairs.iter().filter(|pair| fits(pair)).count();
        let approved = count(&|pair| pair.status == Some(ClashStatus::Approved));
        let excluded = count(&|pair| pair.excluded_by.is_some());
        self.summary.within_tolerance = count(&|pair| pair.within_tolerance);
        let hits = count(&|pair| pair.hit);
        (self.summary.hits, self.summary.approved, self.summary.excluded) = (hits, approved, excluded);
        let undecided = count(&|pair| judge(pair) == Judgement::Undecided);
        self.outcome = match (hits, undecided) {
            (0, 0) => Outcome::Free,
            (0, _) => Outcome::Undecided,
            _ => Outcome::Touching,
        };
    }
}
