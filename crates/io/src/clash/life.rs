//! What counts, what became of it, and what changed.
//!
//! The rules of statuses are those that clash tools agree on: what is seen for the first time is new, what is seen
//! again active; what is gone is resolved; reviewed and approved stay. Approved means "as it is": when the shape or the
//! place of a body or the kind of clash changes, it is active again. What was not asked about, or not decided, stays
//! as it was: nothing is resolved by not looking.

use super::group;
use super::results::sorted;
use super::{
    ClashKind, ClashResults, ClashStatus, Exclusion, ExclusionReport, Grouping, KnownClash, PatternGroup,
};
use crate::Staged;
use crate::report::{BodyReport, CheckReport, Outcome, PairRelation, PairReport};
use noli::penetration::immersion;
use noli::world::{BodyId, Pattern};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};

/// What [`CheckReport::settle`] goes by.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClashOptions<'a> {
    /// What is so by design.
    pub exclusions: &'a [Exclusion],
    /// How far bodies may reach into each other.
    pub tolerance: Tolerance<'a>,
    /// Groups by names of bodies.
    pub groups: &'a [PatternGroup],
    /// By what the others are grouped.
    pub grouping: Grouping,
    /// What was kept from the last check: statuses, notes, groups.
    pub results: Option<&'a ClashResults>,
    /// What the check is compared with; the results where there is nothing else.
    pub against: Option<&'a ClashResults>,
}

/// How far bodies may reach into each other: the overlap that is permitted, of what was given or triangulated with an
/// error of about that.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tolerance<'a> {
    /// Of all pairs.
    pub all: f64,
    /// Of some, by the names of their bodies; the last that fits counts.
    pub some: &'a [([Pattern; 2], f64)],
}

impl Tolerance<'_> {
    fn of(&self, a: &str, b: &str) -> f64 {
        let fits = |pair: &[Pattern; 2]| {
            let one = |a: &str, b: &str| pair[0].matches(a) && pair[1].matches(b);
            one(a, b) || one(b, a)
        };
        self.some.iter().rev().find(|(pair, _)| fits(pair)).map_or(self.all, |(_, tolerance)| *tolerance)
    }
}

/// A clash in a list of changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClashLine {
    /// Its id.
    pub id: String,
    /// The name of A.
    pub a: String,
    /// The name of B.
    pub b: String,
    /// What it is, or was.
    pub kind: ClashKind,
    /// What became of it.
    pub status: ClashStatus,
}

/// Bodies that are not what or where they were, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BodyChanges {
    /// Not there before.
    pub added: Vec<String>,
    /// Not there any more.
    pub removed: Vec<String>,
    /// Of another shape, or elsewhere.
    pub changed: Vec<String>,
}

/// What changed since an earlier check.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgainstReport {
    /// Clashes that were not there.
    pub new: Vec<ClashLine>,
    /// Clashes that were there and are.
    pub still: Vec<ClashLine>,
    /// Of those, the ones whose bodies or kind changed.
    pub changed: Vec<ClashLine>,
    /// Clashes that were there and are proven not to be any more.
    pub gone: Vec<ClashLine>,
    /// Clashes that were there and that this check did not ask about or did not decide.
    pub not_asked: Vec<ClashLine>,
    /// The bodies that changed.
    pub bodies: BodyChanges,
}

/// Which clash of an earlier check each pair is.
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
    /// Says of every clash whether it counts, what became of it and which group it belongs to, and what changed;
    /// counts all of that. May be called again with other options.
    pub fn settle(&mut self, staged: &Staged, options: &ClashOptions<'_>) {
        let id_of: HashMap<&str, BodyId> =
            staged.bodies.iter().map(|body| (staged.name(body.id), body.id)).collect();
        self.ask_how_deep(staged, &id_of, &options.tolerance);
        for pair in &mut self.pairs {
            pair.hit = pair.status.is_some();
            pair.status = pair.status.map(|_| ClashStatus::New);
            (pair.group, pair.excluded_by, pair.reopened) = (None, None, false);
            let tolerance = options.tolerance.of(&pair.a, &pair.b);
            let is_tracked = pair.status.is_some() && tolerance > 0.0;
            pair.within_tolerance =
                is_tracked && pair.overlap_at_most().is_some_and(|depth| depth <= tolerance);
            pair.note.clear();
        }
        self.recall(options.results);
        self.exclude(staged, &id_of, options.exclusions);
        group::assign(&mut self.pairs, options.grouping, options.groups);
        for pair in self.pairs.iter_mut().filter(|pair| pair.hit) {
            pair.hit = !pair.within_tolerance
                && pair.excluded_by.is_none()
                && pair.status != Some(ClashStatus::Approved);
        }
        self.groups = group::list(&self.pairs);
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

    /// Asks of pairs with a tolerance, and a way out that is longer, whether what they share is thin nevertheless: a
    /// shaft that fills its hole leaves it only at the end.
    fn ask_how_deep(&mut self, staged: &Staged, id_of: &HashMap<&str, BodyId>, tolerance: &Tolerance<'_>) {
        let open = |pair: &PairReport| {
            let tolerance = tolerance.of(&pair.a, &pair.b);
            let goes_deep = pair.overlap_at_most().is_none_or(|depth| depth > tolerance);
            let meets = matches!(pair.relation, PairRelation::Crossing | PairRelation::Inside);
            (pair.status.is_some() && tolerance > 0.0 && meets && goes_deep).then_some(tolerance)
        };
        let numbered = self.pairs.iter().enumerate();
        let asked: Vec<(usize, f64)> =
            numbered.filter_map(|(number, pair)| Some((number, open(pair)?))).collect();
        let found = crate::stage::map(&asked, |&(number, tolerance)| {
            let pair = &self.pairs[number];
            let body = |name: &str| staged.world.body(*id_of.get(name)?).ok();
            let (a, b) = body(&pair.a).zip(body(&pair.b))?;
            let found = immersion(&a.model().at(a.pose()), &b.model().at(b.pose()), tolerance);
            Some(found.at_most).filter(|at_most| at_most.is_finite())
        });
        for ((number, _), at_most) in asked.into_iter().zip(found) {
            self.pairs[number].immersion_at_most = at_most;
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
            if let Some(clash) = by_key.remove(&super::clash_id(a, b)) {
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

    /// Whether a clash from before is proven not to be there any more: a body is missing, or the pair was asked about
    /// and stands otherwise.
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
                self.exclusions[number].pairs += 1;
                if status == ClashStatus::New {
                    self.exclusions[number].new.push(pair.id.clone());
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
        self.outcome = match (hits, self.summary.undecided) {
            (0, 0) => Outcome::Free,
            (0, _) => Outcome::Undecided,
            _ => Outcome::Touching,
        };
    }
}
