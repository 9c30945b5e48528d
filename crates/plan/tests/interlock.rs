//! Interlocks: no schedule that keeps the waits enters a blocked cell, and none is stuck.

use noli_plan::{Axis, Interlock, SplitMix64, Wait, interlock, schedule};
use noli_robot::cell::Coordination;

/// Instructions at random places of an axis.
fn axis(dice: &mut SplitMix64, count: usize) -> Axis {
    let mut shares: Vec<f64> = (1..count).map(|_| dice.below(63) as f64 / 64.0 + 1.0 / 128.0).collect();
    shares.extend([0.0, 1.0]);
    shares.sort_by(f64::total_cmp);
    shares.dedup();
    let times = shares.iter().map(|share| 10.0 * share).collect();
    Axis { shares, times }
}

fn diagram(blocked: Vec<[[f64; 2]; 2]>) -> Coordination {
    Coordination::of_blocked(blocked, 1.0 / 32.0)
}

fn random_cells(dice: &mut SplitMix64) -> Vec<[[f64; 2]; 2]> {
    let mut cells = Vec::new();
    for _ in 0..1 + dice.below(5) {
        let [x, y] = [dice.below(32), dice.below(32)];
        let [w, h] = [1 + dice.below(6), 1 + dice.below(6)];
        for i in x..(x + w).min(32) {
            for j in y..(y + h).min(32) {
                cells.push([i, j].map(|k| [k as f64 / 32.0, (k + 1) as f64 / 32.0]));
            }
        }
    }
    cells
}

/// The share that a robot has reached at a time, each instruction driven evenly.
fn share(axis: &Axis, spans: &[[f64; 2]], time: f64) -> f64 {
    let mut at = 0.0;
    for (k, [start, end]) in spans.iter().enumerate() {
        if time >= *end {
            at = axis.shares[k + 1];
        } else if time > *start {
            let part = (time - start) / (end - start);
            return axis.shares[k] + (axis.shares[k + 1] - axis.shares[k]) * part;
        }
    }
    at
}

#[test]
fn no_schedule_that_keeps_the_waits_collides_or_is_stuck() {
    let mut dice = SplitMix64::new(41);
    let (mut ordered, mut impossible, mut schedules) = (0, 0, 0);
    for _ in 0..300 {
        let counts = [0, 1].map(|_| 1 + dice.below(9));
        let axes = counts.map(|count| axis(&mut dice, count));
        let cells = random_cells(&mut dice);
        let waits = match interlock(&diagram(cells.clone()), [&axes[0], &axes[1]], [0, 1]) {
            Interlock::Ordered(waits) => waits,
            _ => {
                impossible += 1;
                continue;
            }
        };
        ordered += 1;
        for _ in 0..30 {
            let durations: Vec<Vec<f64>> = axes
                .iter()
                .map(|axis| (1..axis.shares.len()).map(|_| dice.between(-3.0, 3.0).exp()).collect())
                .collect();
            let spans = schedule(&durations, &waits).expect("no deadlock");
            schedules += 1;
            let end = spans.iter().filter_map(|spans| Some(spans.last()?[1])).fold(0.0, f64::max);
            for k in 0..=400 {
                let time = end * f64::from(k) / 400.0;
                let [a, b] = [0, 1].map(|robot| share(&axes[robot], &spans[robot], time));
                let blocked = cells.iter().any(|[x, y]| x[0] < a && a < x[1] && y[0] < b && b < y[1]);
                assert!(!blocked, "at {a} {b} with {waits:?}");
            }
        }
    }
    eprintln!("{ordered} ordered, {impossible} without order, {schedules} schedules");
    assert!(ordered > 60 && impossible > 10);
}

/// By trying all sequences of whole instructions: an order is found wherever there is one.
#[test]
fn an_order_is_found_if_a_sequence_exists() {
    let mut dice = SplitMix64::new(5);
    let mut both = [0, 0];
    for _ in 0..400 {
        let counts = [0, 1].map(|_| 1 + dice.below(4));
        let axes = counts.map(|count| axis(&mut dice, count));
        let cells = random_cells(&mut dice);
        let touches = |spans: [[f64; 2]; 2]| {
            cells.iter().any(|cell| (0..2).all(|k| cell[k][0] <= spans[k][1] && spans[k][0] <= cell[k][1]))
        };
        let [n, m] = [0, 1].map(|k| axes[k].shares.len() - 1);
        let mut todo = vec![[0, 0]];
        let mut exists = false;
        while let Some([i, j]) = todo.pop() {
            exists |= [i, j] == [n, m];
            let (x, y) = (axes[0].shares[i], axes[1].shares[j]);
            if i < n && !touches([[x, axes[0].shares[i + 1]], [y, y]]) {
                todo.push([i + 1, j]);
            }
            if j < m && !touches([[x, x], [y, axes[1].shares[j + 1]]]) {
                todo.push([i, j + 1]);
            }
        }
        let found = interlock(&diagram(cells), [&axes[0], &axes[1]], [0, 1]);
        assert_eq!(exists, matches!(found, Interlock::Ordered(_)));
        both[usize::from(exists)] += 1;
    }
    assert!(both[0] > 20 && both[1] > 20, "{both:?}");
}

#[test]
fn robots_that_wait_for_each_other_are_stuck() {
    let durations = [vec![1.0, 1.0], vec![1.0, 1.0]];
    let wait = |robot: usize, before, after| Wait { robot, before, other: 1 - robot, after };
    assert_eq!(schedule(&durations, &[wait(0, 0, 1), wait(1, 0, 0)]), None);
    let done = schedule(&durations, &[wait(0, 1, 1)]).unwrap();
    assert_eq!(done, [[[0.0, 1.0], [2.0, 3.0]], [[0.0, 1.0], [1.0, 2.0]]]);
}
