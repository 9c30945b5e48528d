//! One context for every question: hints, listeners and budgets, for every pair of forms.

use crate::common::{mesh, model, shift};
use glam::{DQuat, DVec3, dvec3};
use noli::answer::{Bracket, Coverage, Location, Verdict};
use noli::motion::{RigidMotion, Still};
use noli::query::{ApproachQuery, ClearanceQuery, CrossingsQuery, ImpactQuery, Ray, RayQuery, Tolerance};
use noli::trace::Stats;
use noli::{
    Ask, Budget, Convex, Field, Hint, Impact, Model, Moving, Overlap, Pose, Relation, Scratch, Shape,
};
use noli_scenes::{bumpy_sphere, cuboid, torus};

/// One of every form, each of about the size 2.
fn forms() -> Vec<(&'static str, Model)> {
    let shape = |shape: Shape| Model::new(shape).unwrap();
    let parts = vec![
        (shift(-0.5, 0.0, 0.0), Convex::cuboid(dvec3(1.0, 1.5, 0.5)).unwrap().into()),
        (shift(0.5, 0.0, 0.0), Convex::cylinder(1.0, 0.5).unwrap().into()),
        (shift(0.0, 0.0, 0.6), mesh(cuboid(DVec3::splat(0.3))).into_solid().into()),
    ];
    vec![
        ("surface", model(&mesh(bumpy_sphere(4, 0.3)))),
        ("solid", model(&mesh(torus(0.8, 0.3, 16, 8)).into_solid())),
        ("polyhedron", shape(Convex::cuboid(dvec3(1.5, 1.0, 1.2)).unwrap().into())),
        ("rounded", shape(Convex::capsule(1.0, 0.5).unwrap().into())),
        ("round", shape(Convex::cylinder(1.0, 0.8).unwrap().into())),
        ("half-space", shape(Shape::HalfSpace)),
        ("compound", shape(Shape::Compound(parts))),
        ("field", shape(Field::parse("x^2 + 1.5*y^2 + 2*z^2 <= 1").unwrap().into())),
    ]
}

/// Every pair in both orders.
fn for_each_pair(mut check: impl FnMut(&str, &Model, &Model)) {
    let all = forms();
    for (name_a, a) in &all {
        for (name_b, b) in &all {
            check(&format!("{name_a} and {name_b}"), a, b);
        }
    }
}

fn has_field(name: &str) -> bool {
    name.contains("field")
}

/// Falls from above, deep into what stands at the origin, and turns on its way.
fn fall() -> RigidMotion {
    let turn = DQuat::from_xyzw(0.1, 0.3, -0.2, 0.9);
    RigidMotion::between(&shift(0.3, 0.1, 3.5), &Pose::new(turn, dvec3(0.2, -0.1, 0.2)), DVec3::ZERO)
}

const QUESTIONS: [Question; 15] = [
    Question::Overlap,
    Question::CloserThan(0.25),
    Question::CloserThan(3.0),
    Question::Clearance,
    Question::Relation,
    Question::Contact,
    Question::Manifold,
    Question::Depth,
    Question::Crossings,
    Question::SelfCrossings,
    Question::Locate,
    Question::RayHits,
    Question::TimeOfImpact,
    Question::ClosestApproach,
    Question::ContactSpans,
];

#[derive(Clone, Copy, Debug)]
enum Question {
    Overlap,
    CloserThan(f64),
    Clearance,
    Relation,
    Contact,
    Manifold,
    Depth,
    Crossings,
    SelfCrossings,
    Locate,
    RayHits,
    TimeOfImpact,
    ClosestApproach,
    ContactSpans,
}

/// What can be compared of an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Said {
    Overlap(Overlap),
    Relation(Relation),
    Location(Location),
    Gap(Bracket),
    Contact(Verdict<Bracket>),
    Listed(usize, Coverage),
    /// With whether an overlap proves it.
    Impact(Impact<bool>),
}

impl Question {
    /// Asked of the bodies where they are at a time, or of all their motion.
    fn ask(self, a: &Moving<'_>, b: &Moving<'_>, t: f64, ask: &mut Ask<'_>) -> Said {
        let (here, there) = (a.at(t), b.at(t));
        // As narrow as pairs of cells are quick to find.
        let tolerance = Tolerance::Length(1e-3);
        let impact = ImpactQuery { tolerance, ..Default::default() };
        match self {
            Self::Overlap => Said::Overlap(ask.overlap(&here, &there)),
            Self::CloserThan(margin) => Said::Overlap(ask.closer_than(&here, &there, margin)),
            Self::Clearance => {
                let query = ClearanceQuery { tolerance, ..Default::default() };
                Said::Gap(ask.clearance(&here, &there, &query).gap)
            }
            Self::Relation => Said::Relation(ask.relation(&here, &there)),
            Self::Contact => Said::Contact(ask.contact(&here, &there).map(|contact| contact.depth)),
            Self::Manifold => {
                Said::Contact(ask.manifold(&here, &there).map(|manifold| manifold.contacts[0].depth))
            }
            Self::Depth => Said::Gap(ask.depth(&here, &there)),
            Self::Crossings => {
                let mut found = Vec::new();
                let coverage = ask.crossings(&here, &there, &CrossingsQuery::default(), &mut found);
                Said::Listed(found.len(), coverage)
            }
            Self::SelfCrossings => {
                let mut found = Vec::new();
                let coverage = ask.self_crossings(b.model, &CrossingsQuery::default(), &mut found);
                Said::Listed(found.len(), coverage)
            }
            Self::Locate => Said::Location(ask.locate(&there, dvec3(0.1, 0.2, 0.3))),
            Self::RayHits => {
                let ray = Ray { origin: dvec3(-4.0, 0.1, 3.0), direction: dvec3(4.2, 0.0, -2.5) };
                let mut hits = Vec::new();
                let coverage = ask.ray_hits(&there, &ray, &RayQuery::default(), &mut hits).unwrap();
                Said::Listed(hits.len(), coverage)
            }
            Self::TimeOfImpact => Said::Impact(match ask.time_of_impact(a, b, &impact) {
                Impact::Free => Impact::Free,
                Impact::AtStart(touch) => Impact::AtStart(touch.proven),
                Impact::At { time, touch } => Impact::At { time, touch: touch.proven },
                Impact::Unknown { safe_until } => Impact::Unknown { safe_until },
            }),
            Self::ClosestApproach => {
                Said::Gap(ask.closest_approach(a, b, &ApproachQuery::default()).clearance.gap)
            }
            Self::ContactSpans => {
                let spans = ask.contact_spans(a, b, &impact, 0.05);
                Said::Listed(spans.len(), spans.coverage)
            }
        }
    }

    /// Whether it is about the motion, so that time does not matter.
    fn is_about_motion(self) -> bool {
        matches!(self, Self::TimeOfImpact | Self::ClosestApproach | Self::ContactSpans)
    }
}

impl Said {
    /// Whether an answer that was stopped early is a weaker form of the full one.
    fn is_weaker(&self, full: &Self) -> bool {
        match (self, full) {
            (Self::Overlap(found), Self::Overlap(full)) => found == full || *found == Overlap::Unknown,
            (Self::Relation(found), Self::Relation(full)) => found == full || *found == Relation::Unknown,
            (Self::Location(found), Self::Location(full)) => found == full || *found == Location::Unknown,
            (Self::Gap(found), Self::Gap(full)) => {
                let zero = found.at_most == 0.0 && full.at_most > 0.0;
                found.at_least <= full.at_most && full.at_least <= found.at_most && !zero
            }
            (Self::Contact(found), Self::Contact(full)) => match (found, full) {
                (Verdict::Unknown, _) | (Verdict::Free, Verdict::Free) => true,
                (Verdict::Hit(x), Verdict::Hit(y)) => x.at_least <= y.at_most && y.at_least <= x.at_most,
                _ => false,
            },
            (Self::Listed(found, coverage), Self::Listed(full, _)) => {
                if *coverage == Coverage::Part {
                    found <= full
                } else {
                    found == full
                }
            }
            (Self::Impact(found), Self::Impact(full)) => match (found, full) {
                (Impact::Unknown { safe_until }, full) => *safe_until <= full.safe_until(),
                (Impact::Free, Impact::Free) | (Impact::AtStart(_), Impact::AtStart(_)) => true,
                // Within the tolerance they may be told to touch before they do, if nothing proves it.
                (Impact::At { time: x, touch: proven }, Impact::At { time: y, .. }) => {
                    x.safe_until <= y.touching_by && (!proven || y.safe_until <= x.touching_by)
                }
                _ => false,
            },
            _ => false,
        }
    }

    fn is_unknown(&self) -> bool {
        match self {
            Self::Overlap(found) => *found == Overlap::Unknown,
            Self::Relation(found) => *found == Relation::Unknown,
            Self::Location(found) => *found == Location::Unknown,
            Self::Gap(found) => *found == Bracket::OPEN,
            Self::Contact(found) => matches!(found, Verdict::Unknown),
            Self::Listed(_, coverage) => *coverage == Coverage::Part,
            Self::Impact(found) => matches!(found, Impact::Unknown { .. }),
        }
    }
}

/// Starting where the last question ended, or being listened to, changes no verdict; brackets agree.
#[test]
fn hints_and_listeners_change_no_verdict() {
    let (fall, still) = (fall(), Still::default());
    for_each_pair(|name, a, b| {
        let (a, b) = (a.moving(&still), b.moving(&fall));
        let (mut cold, mut warm, mut heard) = (Scratch::default(), Scratch::default(), Scratch::default());
        let steps = if has_field(name) { 4 } else { 24 };
        for question in QUESTIONS {
            let mut hint = Hint::default();
            let is_long = question.is_about_motion() || matches!(question, Question::Depth);
            let times = if is_long { 0..=1 } else { 0..=steps };
            for t in times.map(|k| f64::from(k) / f64::from(steps)) {
                let full = question.ask(&a, &b, t, &mut Ask::new(&mut cold));
                let place = || format!("{name}, {question:?} at {t}: {full:?}");
                assert!(!full.is_unknown(), "{}", place());
                let hinted = question.ask(&a, &b, t, &mut Ask::new(&mut warm).hinted(&mut hint));
                assert!(hinted.is_weaker(&full) && full.is_weaker(&hinted), "{} {hinted:?}", place());
                let mut stats = Stats::default();
                let mut ask = Ask::new(&mut heard).traced(&mut stats);
                assert_eq!(question.ask(&a, &b, t, &mut ask), full, "{}", place());
                let again = question.ask(&a, &b, t, &mut Ask::new(&mut cold).faces_only());
                assert!(again.is_weaker(&full) && full.is_weaker(&again), "{} {again:?}", place());
            }
        }
    });
}

/// Listeners hear of the work on every pair that has faces on both sides.
#[test]
fn listeners_hear() {
    let (fall, still) = (fall(), Still::default());
    let mut scratch = Scratch::default();
    for_each_pair(|name, a, b| {
        let faces = |name: &str| ["surface", "solid", "polyhedron", "rounded"].contains(&name);
        if !name.split(" and ").all(faces) {
            return;
        }
        let (a, b) = (a.moving(&still), b.moving(&fall));
        for question in [Question::Clearance, Question::Crossings, Question::TimeOfImpact] {
            let mut stats = Stats::default();
            let mut ask = Ask::new(&mut scratch).traced(&mut stats);
            question.ask(&a, &b, 0.9, &mut ask);
            let steps = ask.steps();
            let convex = ["polyhedron", "rounded"];
            // Two polyhedra are searched by their corners.
            let is_heard = name.split(" and ").any(|form| !convex.contains(&form));
            assert!(!is_heard || stats.blocks > 0, "{name}, {question:?}: {stats:?}, {steps} steps");
        }
    });
}

/// More budget narrows an answer and never turns it round, and no question spends more than it was given,
/// however many questions it is made of.
#[test]
fn budgets_bound_every_question() {
    let (fall, still) = (fall(), Still::default());
    let mut scratch = Scratch::default();
    let (mut stopped, mut wrong) = (0, Vec::new());
    for_each_pair(|name, a, b| {
        let (a, b) = (a.moving(&still), b.moving(&fall));
        let times: &[f64] = if has_field(name) { &[0.3, 1.0] } else { &[0.0, 0.3, 0.6, 0.75, 0.9, 1.0] };
        for question in QUESTIONS {
            // How deep bodies are is searched for long: once is enough.
            let is_depth = matches!(question, Question::Depth);
            let times = match question.is_about_motion() {
                true => &times[..1],
                false if is_depth => &times[..1],
                false => times,
            };
            for &t in times {
                let mut ask = Ask::new(&mut scratch);
                let full = question.ask(&a, &b, t, &mut ask);
                let needed = ask.steps();
                let place =
                    |steps: u64| format!("{name}, {question:?} at {t}: {steps} of {needed} steps, {full:?}");
                let few = [0, 1, 2, 3, 5, 10, 30, 100, 300, 1000].into_iter().filter(|&few| few < needed);
                for steps in
                    few.chain([needed.saturating_sub(1), needed / 2, needed / 4 * 3, needed, needed + 1])
                {
                    let mut ask = Ask::new(&mut scratch).within(Budget::default().steps(steps));
                    let found = question.ask(&a, &b, t, &mut ask);
                    let is_enough = steps > needed || steps == needed && !has_field(name) && !is_depth;
                    if ask.steps() > steps || !found.is_weaker(&full) || is_enough && found != full {
                        wrong.push(format!("{}: {found:?} in {}", place(steps), ask.steps()));
                    }
                    stopped += usize::from(found.is_unknown());
                }
            }
        }
    });
    assert!(wrong.is_empty(), "{} wrong answers:\n{}", wrong.len(), wrong.join("\n"));
    assert!(stopped > 1000, "{stopped}");
}

/// One context spends one budget over several questions; a new one starts afresh.
#[test]
fn several_questions_share_one_budget() {
    let (fall, still) = (fall(), Still::default());
    let mut scratch = Scratch::default();
    for_each_pair(|name, a, b| {
        let (a, b) = (a.moving(&still), b.moving(&fall));
        for budget in [1, 7, 50, 400] {
            let mut ask = Ask::new(&mut scratch).within(Budget::default().steps(budget));
            let mut before = 0;
            for question in QUESTIONS.into_iter().chain(QUESTIONS) {
                question.ask(&a, &b, 0.9, &mut ask);
                assert!(
                    before <= ask.steps() && ask.steps() <= budget,
                    "{name}, {question:?}: {}",
                    ask.steps()
                );
                before = ask.steps();
            }
            if budget == 1 {
                let late = [Question::Overlap, Question::Contact, Question::Clearance];
                let taken = ask.steps();
                for question in late.into_iter().filter(|_| taken == budget) {
                    let found = question.ask(&a, &b, 0.0, &mut ask);
                    let full = question.ask(&a, &b, 0.0, &mut ask.anew());
                    assert!(found.is_unknown() || found == full, "{name}, {question:?}: {found:?} {full:?}");
                    assert!(!full.is_unknown(), "{name}, {question:?}: {full:?}");
                }
            }
        }
    });
}

/// Hints that come from other bodies, from the other order or from meshes with more faces change nothing.
#[test]
fn foreign_hints_change_nothing() {
    let (fall, still) = (fall(), Still::default());
    let fine = [bumpy_sphere(20, 0.7), torus(0.9, 0.4, 60, 40)].map(|set| model(&mesh(set)));
    let (mut scratch, mut hint) = (Scratch::default(), Hint::default());
    let spoil = |hint: &mut Hint, k: usize| {
        let mut scratch = Scratch::default();
        let (a, b) = (fine[k % 2].at(Pose::IDENTITY), fine[(k + 1) % 2].at(shift(0.9, 0.3, 0.2)));
        let mut ask = Ask::new(&mut scratch).hinted(hint);
        if k.is_multiple_of(3) {
            assert_eq!(ask.overlap(&a, &b), Overlap::Hit);
        } else {
            let there = fine[(k + 1) % 2].at(shift(4.0, 0.3, 0.2));
            assert!(ask.clearance(&a, &there, &ClearanceQuery::default()).gap.at_least > 0.0);
        }
    };
    let mut k = 0;
    for_each_pair(|name, a, b| {
        let (a, b) = (a.moving(&still), b.moving(&fall));
        for question in
            QUESTIONS.into_iter().filter(|question| !question.is_about_motion() || !has_field(name))
        {
            for t in [0.2, 0.95] {
                k += 1;
                let full = question.ask(&a, &b, t, &mut Ask::new(&mut scratch));
                // Every other time the hint is what the pair before left behind.
                if k % 2 == 0 {
                    spoil(&mut hint, k);
                }
                let hinted = question.ask(&a, &b, t, &mut Ask::new(&mut scratch).hinted(&mut hint));
                assert!(
                    hinted.is_weaker(&full) && full.is_weaker(&hinted),
                    "{name}, {question:?}: {full:?} {hinted:?}"
                );
            }
        }
    });
}

/// A body deep in another does not cross it, however early the question was stopped.
#[test]
fn what_lies_inside_never_crosses() {
    let (all, mut scratch) = (forms(), Scratch::default());
    let mut stopped = 0;
    for (outer_name, outer) in all.iter().filter(|(name, _)| !["surface", "solid", "compound"].contains(name))
    {
        for (inner_name, inner) in all.iter().filter(|(name, _)| *name != "half-space") {
            let (outer, inner) = (outer.scaled(8.0).unwrap(), inner.scaled(0.25).unwrap());
            let low = if *outer_name == "half-space" { -2.0 } else { 0.1 };
            let (a, b) = (outer.at(Pose::IDENTITY), inner.at(shift(0.1, 0.2, low)));
            for (a, b) in [(&a, &b), (&b, &a)] {
                let mut ask = Ask::new(&mut scratch);
                let full = ask.relation(a, b);
                let needed = ask.steps();
                let is_told = ["polyhedron", "half-space", "field"].contains(outer_name);
                assert!(full == Relation::Inside || !is_told, "{inner_name} in {outer_name}: {full:?}");
                let few = (0..12).chain((1..64).map(|k| needed * k / 64));
                for steps in few.filter(|&few| few < needed) {
                    let mut ask = Ask::new(&mut scratch).within(Budget::default().steps(steps));
                    let found = ask.relation(a, b);
                    assert!(
                        found == full || found == Relation::Unknown,
                        "{inner_name} in {outer_name}, {steps} of {needed} steps: {found:?}"
                    );
                    stopped += usize::from(found != full);
                }
            }
        }
    }
    assert!(stopped > 100, "{stopped}");
}

/// What overlaps is never told to be free, however early the question was stopped.
#[test]
fn a_contact_stopped_early_is_unknown() {
    let (fall, still) = (fall(), Still::default());
    let mut scratch = Scratch::default();
    for_each_pair(|name, a, b| {
        let (a, b) = (a.moving(&still).at(1.0), b.moving(&fall).at(1.0));
        let mut ask = Ask::new(&mut scratch);
        let hit = ask.overlap(&a, &b);
        let contact = ask.anew().contact(&a, &b);
        assert_eq!(contact.overlap(), hit, "{name}");
        let mut full = ask.anew();
        let depth = full.depth(&a, &b);
        let needed = full.steps();
        let few = (0..20).chain([needed / 2, needed.saturating_sub(1)]).filter(|&few| few < needed);
        for steps in few {
            let budget = Budget::default().steps(steps);

            let found = Ask::new(&mut scratch).within(budget).contact(&a, &b);
            assert!(found.overlap() == hit || found == Verdict::Unknown, "{name}, {steps} steps: {found:?}");
            let found = Ask::new(&mut scratch).within(budget).manifold(&a, &b);
            assert!(found.overlap() == hit || found == Verdict::Unknown, "{name}, {steps} steps: {found:?}");
            let found = Ask::new(&mut scratch).within(budget).depth(&a, &b);
            assert!(
                found.at_least <= depth.at_most && depth.at_least <= found.at_most,
                "{name}, {steps} steps: {found:?} {depth:?}"
            );
        }
        let budget = Budget::default().steps(0);
        assert_eq!(Ask::new(&mut scratch).within(budget).contact(&a, &b), Verdict::Unknown, "{name}");
        assert_eq!(Ask::new(&mut scratch).within(budget).depth(&a, &b), Bracket::OPEN, "{name}");
    });
}

/// A blade that meets a peg twice in a turn, asked with one budget: what is told of the spans is true, and spans
/// and approach spend no more than they were given.
#[test]
fn composite_questions_spend_one_budget() {
    let blade = model(&mesh(cuboid(dvec3(1.0, 0.01, 0.2))));
    let peg = model(&mesh(cuboid(dvec3(0.01, 0.01, 1.0))));
    let turn = std::f64::consts::TAU * DVec3::Z;
    let turn = RigidMotion::with_velocities(&Pose::IDENTITY, DVec3::ZERO, turn, DVec3::ZERO);
    let near = Still(shift(0.0, 0.9, 0.0));
    let far = Still(shift(0.0, 1.5, 0.0));
    let (blade, near, far) = (blade.moving(&turn), peg.moving(&near), peg.moving(&far));
    let mut scratch = Scratch::default();
    let query = ImpactQuery::default();
    let mut ask = Ask::new(&mut scratch);
    let spans = ask.contact_spans(&blade, &near, &query, 1e-3);
    let needed = ask.steps();
    assert_eq!((spans.len(), spans.coverage), (2, Coverage::Whole));
    let one = {
        let mut ask = Ask::new(&mut scratch);
        ask.time_of_impact(&blade, &near, &query);
        ask.steps()
    };
    assert!(needed > 2 * one, "{needed} steps for two spans, {one} for the first impact");
    let mut seen = [0; 3];
    for steps in (0..64).map(|k| needed * k / 64).chain([one, needed]) {
        let mut ask = Ask::new(&mut scratch).within(Budget::default().steps(steps));
        let found = ask.contact_spans(&blade, &near, &query, 1e-3);
        assert!(ask.steps() <= steps);
        assert_eq!(found.coverage == Coverage::Whole, steps == needed, "{steps} of {needed}");
        // The last may have been cut short: it begins no later, and ends no sooner than it is known to.
        let whole = found.len() - usize::from(found.coverage == Coverage::Part && !found.is_empty());
        assert_eq!(found.items[..whole], spans.items[..whole], "{steps} of {needed}");
        for (cut, full) in found.items[whole..].iter().zip(&spans.items[whole..]) {
            assert!(cut.begins.safe_until <= full.begins.touching_by && full.ends_by <= cut.ends_by);
        }
        seen[found.len()] += 1;
    }
    assert!(seen.iter().all(|&count| count > 0), "{seen:?}");

    let approach = ApproachQuery::default();
    let mut ask = Ask::new(&mut scratch);
    let last = ask.closest_approach(&blade, &far, &approach).clearance.gap;
    let needed = ask.steps();
    assert!(last.at_least > 0.98 * last.at_most && last.contains(0.49), "{last:?}");
    for steps in (0..64).map(|k| needed * k / 64).chain([needed]) {
        let mut ask = Ask::new(&mut scratch).within(Budget::default().steps(steps));
        let found = ask.closest_approach(&blade, &far, &approach).clearance.gap;
        assert!(ask.steps() <= steps);
        assert!(
            found.at_least <= last.at_most && last.at_least <= found.at_most,
            "{steps}: {found:?} {last:?}"
        );
        assert_eq!(found == last, steps == needed, "{steps} of {needed}: {found:?}");
    }
}
