//! One context for every question: hints, listeners and budgets, for every pair of forms.

mod question;

use crate::common::{mesh, model, shift};
use glam::{DQuat, DVec3, dvec3};
use noli::answer::{Bracket, Completeness, Verdict};
use noli::motion::{RigidMotion, Still};
use noli::query::{ApproachQuery, ClearanceQuery, ImpactQuery};
use noli::trace::Stats;
use noli::{Budget, Convex, Field, Hint, Model, Overlap, Pose, QueryContext, Relation, Scratch, Shape};
use noli_scenes::{bumpy_sphere, cuboid, torus};
use question::{DEPTH, QUESTIONS, Question};

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
                let full = question.context(&a, &b, t, &mut QueryContext::new(&mut cold));
                let place = || format!("{name}, {question:?} at {t}: {full:?}");
                assert!(!full.is_unknown(), "{}", place());
                let with_hint =
                    question.context(&a, &b, t, &mut QueryContext::new(&mut warm).with_hint(&mut hint));
                assert!(
                    with_hint.is_weaker(&full) && full.is_weaker(&with_hint),
                    "{} {with_hint:?}",
                    place()
                );
                let mut stats = Stats::default();
                let mut context = QueryContext::new(&mut heard).with_trace(&mut stats);
                assert_eq!(question.context(&a, &b, t, &mut context), full, "{}", place());
                let again = question.context(&a, &b, t, &mut QueryContext::new(&mut cold).surfaces_only());
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
        for question in [Question::Clearance, Question::Intersections, Question::TimeOfImpact] {
            let mut stats = Stats::default();
            let mut context = QueryContext::new(&mut scratch).with_trace(&mut stats);
            question.context(&a, &b, 0.9, &mut context);
            let steps = context.steps();
            let convex = ["polyhedron", "rounded"];
            // Two polyhedra are searched by their vertices.
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
                let mut context = QueryContext::new(&mut scratch);
                let full = question.context(&a, &b, t, &mut context);
                let needed = context.steps();
                let place =
                    |steps: u64| format!("{name}, {question:?} at {t}: {steps} of {needed} steps, {full:?}");
                let few = [0, 1, 2, 3, 5, 10, 30, 100, 300, 1000].into_iter().filter(|&few| few < needed);
                for steps in
                    few.chain([needed.saturating_sub(1), needed / 2, needed / 4 * 3, needed, needed + 1])
                {
                    let mut context =
                        QueryContext::new(&mut scratch).with_budget(Budget::default().steps(steps));
                    let found = question.context(&a, &b, t, &mut context);
                    let is_enough = steps > needed || steps == needed && !has_field(name) && !is_depth;
                    if context.steps() > steps || !found.is_weaker(&full) || is_enough && found != full {
                        wrong.push(format!("{}: {found:?} in {}", place(steps), context.steps()));
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
            let mut context = QueryContext::new(&mut scratch).with_budget(Budget::default().steps(budget));
            let mut before = 0;
            for question in QUESTIONS.into_iter().chain(QUESTIONS) {
                question.context(&a, &b, 0.9, &mut context);
                assert!(
                    before <= context.steps() && context.steps() <= budget,
                    "{name}, {question:?}: {}",
                    context.steps()
                );
                before = context.steps();
            }
            if budget == 1 {
                let late = [Question::Overlap, Question::Contact, Question::Clearance];
                let taken = context.steps();
                for question in late.into_iter().filter(|_| taken == budget) {
                    let found = question.context(&a, &b, 0.0, &mut context);
                    let full = question.context(&a, &b, 0.0, &mut context.reborrow());
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
        let mut context = QueryContext::new(&mut scratch).with_hint(hint);
        if k.is_multiple_of(3) {
            assert_eq!(context.overlap(&a, &b), Overlap::Hit);
        } else {
            let there = fine[(k + 1) % 2].at(shift(4.0, 0.3, 0.2));
            assert!(context.clearance(&a, &there, &ClearanceQuery::default()).distance.at_least > 0.0);
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
                let full = question.context(&a, &b, t, &mut QueryContext::new(&mut scratch));
                // Every other time the hint is what the pair before left behind.
                if k % 2 == 0 {
                    spoil(&mut hint, k);
                }
                let with_hint =
                    question.context(&a, &b, t, &mut QueryContext::new(&mut scratch).with_hint(&mut hint));
                assert!(
                    with_hint.is_weaker(&full) && full.is_weaker(&with_hint),
                    "{name}, {question:?}: {full:?} {with_hint:?}"
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
                let mut context = QueryContext::new(&mut scratch);
                let full = context.relation(a, b);
                let needed = context.steps();
                let is_told = ["polyhedron", "half-space", "field"].contains(outer_name);
                assert!(full == Relation::Inside || !is_told, "{inner_name} in {outer_name}: {full:?}");
                let few = (0..12).chain((1..64).map(|k| needed * k / 64));
                for steps in few.filter(|&few| few < needed) {
                    let mut context =
                        QueryContext::new(&mut scratch).with_budget(Budget::default().steps(steps));
                    let found = context.relation(a, b);
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

/// Overlapping bodies are never reported free, however early the query was stopped.
#[test]
fn a_contact_stopped_early_is_unknown() {
    let (fall, still) = (fall(), Still::default());
    let mut scratch = Scratch::default();
    for_each_pair(|name, a, b| {
        let (a, b) = (a.moving(&still).at(1.0), b.moving(&fall).at(1.0));
        let mut context = QueryContext::new(&mut scratch);
        let hit = context.overlap(&a, &b);
        let contact = context.reborrow().contact(&a, &b);
        assert_eq!(contact.overlap(), hit, "{name}");
        let mut full = context.reborrow();
        let depth = full.penetration(&a, &b, &DEPTH).depth;
        let needed = full.steps();
        let few = (0..20).chain([needed / 2, needed.saturating_sub(1)]).filter(|&few| few < needed);
        for steps in few {
            let budget = Budget::default().steps(steps);

            let found = QueryContext::new(&mut scratch).with_budget(budget).contact(&a, &b);
            assert!(found.overlap() == hit || found == Verdict::Unknown, "{name}, {steps} steps: {found:?}");
            let found = QueryContext::new(&mut scratch).with_budget(budget).manifold(&a, &b);
            assert!(found.overlap() == hit || found == Verdict::Unknown, "{name}, {steps} steps: {found:?}");
            let found = QueryContext::new(&mut scratch).with_budget(budget).penetration(&a, &b, &DEPTH).depth;
            assert!(
                found.at_least <= depth.at_most && depth.at_least <= found.at_most,
                "{name}, {steps} steps: {found:?} {depth:?}"
            );
        }
        let budget = Budget::default().steps(0);
        assert_eq!(
            QueryContext::new(&mut scratch).with_budget(budget).contact(&a, &b),
            Verdict::Unknown,
            "{name}"
        );
        assert_eq!(
            QueryContext::new(&mut scratch).with_budget(budget).penetration(&a, &b, &DEPTH).depth,
            Bracket::OPEN,
            "{name}"
        );
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
    let mut context = QueryContext::new(&mut scratch);
    let spans = context.contact_intervals(&blade, &near, &query, 1e-3);
    let needed = context.steps();
    assert_eq!((spans.len(), spans.completeness), (2, Completeness::Complete));
    let one = {
        let mut context = QueryContext::new(&mut scratch);
        let _ = context.time_of_impact(&blade, &near, &query);
        context.steps()
    };
    assert!(needed > 2 * one, "{needed} steps for two spans, {one} for the first impact");
    let mut seen = [0; 3];
    for steps in (0..64).map(|k| needed * k / 64).chain([one, needed]) {
        let mut context = QueryContext::new(&mut scratch).with_budget(Budget::default().steps(steps));
        let found = context.contact_intervals(&blade, &near, &query, 1e-3);
        assert!(context.steps() <= steps);
        assert_eq!(found.completeness == Completeness::Complete, steps == needed, "{steps} of {needed}");
        // The last may have been cut short: it begins no later, and ends no sooner than it is known to.
        let whole =
            found.len() - usize::from(found.completeness == Completeness::Partial && !found.is_empty());
        assert_eq!(found.items[..whole], spans.items[..whole], "{steps} of {needed}");
        for (cut, full) in found.items[whole..].iter().zip(&spans.items[whole..]) {
            assert!(cut.begins.safe_until <= full.begins.touching_by && full.ends_by <= cut.ends_by);
        }
        seen[found.len()] += 1;
    }
    assert!(seen.iter().all(|&count| count > 0), "{seen:?}");

    let approach = ApproachQuery::default();
    let mut context = QueryContext::new(&mut scratch);
    let last = context.closest_approach(&blade, &far, &approach).clearance.distance;
    let needed = context.steps();
    assert!(last.at_least > 0.98 * last.at_most && last.contains(0.49), "{last:?}");
    for steps in (0..64).map(|k| needed * k / 64).chain([needed]) {
        let mut context = QueryContext::new(&mut scratch).with_budget(Budget::default().steps(steps));
        let found = context.closest_approach(&blade, &far, &approach).clearance.distance;
        assert!(context.steps() <= steps);
        assert!(
            found.at_least <= last.at_most && last.at_least <= found.at_most,
            "{steps}: {found:?} {last:?}"
        );
        assert_eq!(found == last, steps == needed, "{steps} of {needed}: {found:?}");
    }
}
