//! Comparisons of pairs after changes: those of moved bodies alone give the results of a comparison of all pairs.

use noli_serve::protocol::{Command, Drag, Event, Hello, Pull, Results, ResultsChange};
use noli_serve::session::Session;
use noli_serve::{Opening, Project};
use noli_testing::Random;
use serde_json::{Value, json};
use std::sync::atomic::AtomicBool;

/// Compares pairs; returns what is sent.
fn send_results(session: &mut Session) -> Event {
    let finished = session.check_work().run(&AtomicBool::new(false), &|_, _| {});
    let answer = session.finish(finished);
    let is_results = |event: &Event| matches!(event, Event::Results(_) | Event::ResultsChange(_));
    answer.events.into_iter().map(|(_, event)| event).find(is_results).expect("results")
}

/// Results without their duration.
fn timeless(results: &Results) -> Value {
    assert!(!results.stale);
    let counted = results.summary.split(" compared").next().unwrap_or_default().to_owned();
    json!([results.outcome, counted, results.pairs, results.groups])
}

/// Compares pairs, and returns the results.
fn compare(session: &mut Session) -> Value {
    send_results(session);
    timeless(&hello(session).results.expect("results"))
}

fn hello(session: &Session) -> Hello {
    let Event::Hello(hello) = session.hello(1) else { panic!("no hello") };
    hello
}

/// A change that moves nothing, after which all pairs are compared.
fn compare_all(session: &mut Session) -> Value {
    let value = hello(session).rules.margin;
    session.handle(1, Command::Margin { value });
    compare(session)
}

#[test]
fn moved_bodies_alone_are_compared_with_the_results_of_all_pairs() {
    let project = Project::open(&Opening::Bundled("engine-bay".to_owned(), 1)).unwrap();
    let (mut session, _) = Session::new(project).unwrap();
    let mut before = compare(&mut session);
    let mut random = Random::new(43);
    let mut changed = 0;
    for round in 0..24 {
        let bodies = hello(&session).bodies;
        let one = random.index(bodies.len());
        let other = random.index(bodies.len());
        let (from, to) = (bodies[one].at, bodies[other].at);
        let share = random.unit();
        let at = [0, 1, 2].map(|k| from[k] + share * (to[k] - from[k]));
        let mode = if round % 3 == 0 { Drag::Stop } else { Drag::Ghost };
        let with = if round % 4 == 0 && other != one { vec![other] } else { Vec::new() };
        let turn = bodies[one].turn;
        session.handle(1, Command::Drag(Pull { body: one, with, seq: round, at, turn, mode }));
        session.handle(1, Command::Drop { body: one });
        if round % 5 == 0 {
            session.handle(1, Command::Undo);
        }
        let moved = compare(&mut session);
        changed += usize::from(moved != before);
        let all = compare_all(&mut session);
        assert_eq!(moved, all, "round {round}: {} to {}", bodies[one].name, bodies[other].name);
        before = all;
    }
    assert!(changed > 6, "moves change results: {changed}");
}

/// A body that is dragged while others are compared is compared again when it is dropped.
#[test]
fn a_comparison_during_a_drag_is_repeated_for_the_dragged_body() {
    let project = Project::open(&Opening::Bundled("engine-bay".to_owned(), 1)).unwrap();
    let (mut session, _) = Session::new(project).unwrap();
    let before = compare(&mut session);
    let bodies = hello(&session).bodies;
    let number = |name: &str| bodies.iter().position(|body| body.name == name).unwrap();
    let (horn, block) = (number("horn"), number("engine.block"));
    let pull = |at: [f64; 3], seq| {
        Command::Drag(Pull {
            body: horn,
            with: Vec::new(),
            seq,
            at,
            turn: bodies[horn].turn,
            mode: Drag::Ghost,
        })
    };
    session.handle(1, pull(bodies[block].at, 1));
    assert_ne!(compare_all(&mut session), before, "the horn is in the engine");
    session.handle(1, pull(bodies[horn].at, 2));
    session.handle(1, Command::Drop { body: horn });
    assert_eq!(compare(&mut session)[2], before[2], "it is back");
}

/// The results of a tab after a change, pair by pair.
fn changed(mut results: Results, change: &ResultsChange) -> Results {
    let mut list: Vec<_> = results.pairs.into_iter().zip(results.groups).collect();
    let is_old = |a: usize, b: usize| {
        change.gone.contains(&(a, b)) || change.changed.iter().any(|(_, pair, _)| (pair.a, pair.b) == (a, b))
    };
    list.retain(|(pair, _)| !is_old(pair.a, pair.b));
    change.changed.iter().for_each(|(place, pair, group)| list.insert(*place, (pair.clone(), group.clone())));
    (results.pairs, results.groups) = list.into_iter().unzip();
    (results.outcome, results.summary) = (change.outcome.clone(), change.summary.clone());
    Results { stale: change.stale, status: change.status.clone(), ..results }
}

/// Tabs are sent what has changed; with it they have the results of a tab that has just come.
#[test]
fn changes_of_results_give_the_whole_results() {
    let project = Project::open(&Opening::Bundled("engine-bay".to_owned(), 1)).unwrap();
    let (mut session, _) = Session::new(project).unwrap();
    let Event::Results(mut tab) = send_results(&mut session) else { panic!("the first results are whole") };
    let mut random = Random::new(44);
    let mut changes = 0;
    for round in 0..24 {
        let bodies = hello(&session).bodies;
        let [one, other] = [(); 2].map(|()| random.index(bodies.len()));
        let (at, turn) = (bodies[other].at, bodies[one].turn);
        session.handle(
            1,
            Command::Drag(Pull { body: one, with: Vec::new(), seq: round, at, turn, mode: Drag::Ghost }),
        );
        session.handle(1, Command::Drop { body: one });
        if round % 3 == 0 {
            session.handle(1, Command::Undo);
        }
        tab = match send_results(&mut session) {
            Event::ResultsChange(change) => {
                changes += 1;
                changed(tab, &change)
            }
            Event::Results(results) => results,
            other => panic!("{other:?}"),
        };
        assert_eq!(timeless(&tab), timeless(&hello(&session).results.unwrap()), "round {round}");
    }
    assert!(changes > 12, "most rounds change few pairs: {changes}");
}

/// Pulls that follow a slow answer repeat it with its reason: contact is not blamed on the clock.
#[test]
fn answers_without_a_query_have_the_reason_of_the_last_one() {
    let project = Project::open(&Opening::Bundled("engine-bay".to_owned(), 4)).unwrap();
    let (mut session, _) = Session::new(project).unwrap();
    compare(&mut session);
    let bodies = hello(&session).bodies;
    let body = bodies.iter().position(|body| body.name == "battery.case").unwrap();
    let (turn, mut last, mut slow, mut repeated) = (bodies[body].turn, None, false, 0);
    for seq in 0..24 {
        // Up, where the poles are in the way, then against the wall of its tray.
        let [x, y, z] = bodies[body].at;
        let at = if seq < 12 { [x, y, z + 2.0] } else { [x + 2.0, y, z] };
        let pull = Pull { body, with: Vec::new(), seq, at, turn, mode: Drag::Stop };
        let answer = session.handle(1, Command::Drag(pull));
        let found = answer.events.iter().find_map(|(_, event)| match event {
            Event::Dragged { stopped, pairs, micros, .. } => Some((stopped.clone(), *pairs, *micros)),
            _ => None,
        });
        let (stopped, pairs, micros) = found.expect("every pull is answered");
        // No pair was a candidate: it is the answer of the pull before.
        if pairs == [0, 0] && seq != 12 {
            assert_eq!(Some(&stopped), last.as_ref(), "pull {seq}");
            repeated += 1;
        }
        slow |= micros > 8000;
        last = Some(stopped);
    }
    assert!(repeated > 0 || !slow, "slow answers are repeated");
}
