//! Shorter paths, each proven.
//!
//! Vertices are removed where the direct motion is collision-free, then chords between random points of the
//! path replace the segments between (Geraerts and Overmars 2007). A path only ever gets shorter, so that
//! stopping later never gives a worse one.

use crate::connect::Effort;
use crate::space::Space;
use noli_geom::random::SplitMix64;

/// Shortens a path with a budget of motions proven or refuted; returns the number used.
pub fn shorten<P: Space>(space: &P, path: &mut Vec<P::State>, effort: &Effort<'_>) -> u64 {
    shorten_by(space, path, effort, 0.0)
}

/// The same by chords that save at least a share of the path.
pub(crate) fn shorten_by<P: Space>(
    space: &P,
    path: &mut Vec<P::State>,
    effort: &Effort<'_>,
    least: f64,
) -> u64 {
    let mut memory = space.memory();
    let mut steps = 0;
    leave_out_vertices(space, path, effort, &mut memory, &mut steps);
    let mut dice = SplitMix64::stream(effort.seed, 0x5150);
    let mut idle = 0;
    while steps < effort.steps && path.len() > 2 && idle < 200 && !(effort.stop)() {
        let lengths: Vec<f64> = path.windows(2).map(|w| space.distance(&w[0], &w[1])).collect();
        let whole: f64 = lengths.iter().sum();
        let mut cuts = [dice.unit() * whole, dice.unit() * whole];
        cuts.sort_by(f64::total_cmp);
        let [(i, from), (j, to)] = cuts.map(|cut| place(space, path, &lengths, cut));
        if i == j {
            idle += 1;
            continue;
        }
        let direct = space.distance(&from, &to);
        let around = cuts[1] - cuts[0];
        if direct > around * (1.0 - 1e-3) || around - direct < least * whole {
            idle += 1;
            continue;
        }
        steps += 1;
        if space.is_free_between(&from, &to, &mut memory) {
            path.splice(i + 1..=j, [from, to]);
            path.dedup_by(|next, state| space.distance(state, next) == 0.0);
            idle = 0;
        } else {
            idle += 1;
        }
    }
    // Chords leave vertices behind; what is straight again costs less to prove.
    leave_out_vertices(space, path, effort, &mut memory, &mut steps);
    steps
}

/// Goes from each vertex to the furthest that can be reached at once, found by halving.
fn leave_out_vertices<P: Space>(
    space: &P,
    path: &mut Vec<P::State>,
    effort: &Effort<'_>,
    memory: &mut P::Memory,
    steps: &mut u64,
) {
    let mut at = 0;
    while at + 2 < path.len() && *steps < effort.steps && !(effort.stop)() {
        let (mut low, mut high) = (at + 1, path.len() - 1);
        let mut reach = high;
        while low < high && *steps < effort.steps {
            *steps += 1;
            if reach > low && space.is_free_between(&path[at], &path[reach], memory) {
                low = reach;
            } else {
                high = reach - 1;
            }
            reach = (low + high).div_ceil(2);
        }
        let direct = space.distance(&path[at], &path[low]);
        let around: f64 = path[at..=low].windows(2).map(|w| space.distance(&w[0], &w[1])).sum();
        if low > at + 1 && direct <= around {
            path.drain(at + 1..low);
        }
        at += 1;
    }
}

/// Returns the segment and the state at a distance along the path.
fn place<P: Space>(space: &P, path: &[P::State], lengths: &[f64], mut left: f64) -> (usize, P::State) {
    for (number, &length) in lengths.iter().enumerate() {
        if left <= length || number + 1 == lengths.len() {
            let share = if length > 0.0 { (left / length).min(1.0) } else { 0.0 };
            return (number, space.between(&path[number], &path[number + 1], share));
        }
        left -= length;
    }
    (0, path[0].clone())
}
