//! The one traversal of two trees.
//!
//! A work list of node pairs is popped from the end. A pair of inner nodes is expanded by a
//! [`PairTest`] into a block of up to sixteen child pairs; survivors go back on the list. Pairs of
//! leaves go to a [`Visit`]or, which also says how close a pair must be to be worth looking at.
//! Budget, statistics and traces live here and nowhere else.

use crate::budget::Meter;
use crate::trace::{Reason, Trace};
use std::ops::ControlFlow;

/// A child pair of a block is numbered `4·i + j`.
#[derive(Clone, Copy)]
pub(crate) struct Block {
    pub(crate) a: [u32; 4],
    pub(crate) b: [u32; 4],
    /// Bit `4·i + j` is set where child `i` of A and child `j` of B may still meet.
    pub(crate) mask: u16,
    /// Rank of each pair: smaller is looked at first; also the lower bound that [`Visit::cutoff`]
    /// is held against.
    pub(crate) key: [f32; 16],
}

/// A node pair still to be looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    pub(crate) key: f32,
    pub(crate) a: u32,
    pub(crate) b: u32,
}

/// How children of two nodes are told apart.
pub(crate) trait PairTest {
    /// Whether survivors are looked at strictly by rank; else only the best of them comes first.
    const SORTED: bool;
    /// Whether each of the two is a leaf.
    fn is_leaf(&self, a: u32, b: u32) -> (bool, bool);
    /// Test the children of `a` (or `a` itself, if a leaf) against those of `b`. At least one of the
    /// two is no leaf.
    fn expand(&self, a: u32, b: u32, cutoff: f32, block: &mut Block);
    /// Ask for the memory of a pair ahead of use.
    fn prefetch(&self, a: u32, b: u32);
}

/// What to do with pairs of leaves.
pub(crate) trait Visit {
    /// Pairs whose key is above this are discarded.
    fn cutoff(&self) -> f32;
    /// Look at a pair of leaves.
    fn leaves(&mut self, a: u32, b: u32, trace: &mut impl Trace) -> ControlFlow<()>;
}

/// Why a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// Nothing is left to look at.
    Exhausted,
    /// The visitor has its answer.
    Answered,
    /// The budget ran out; the list holds what was not looked at.
    OutOfBudget,
}

/// Walk until the list is empty, the visitor has enough, or the budget runs out.
#[inline(always)]
pub(crate) fn walk<P: PairTest, V: Visit, T: Trace>(
    test: &P,
    visit: &mut V,
    list: &mut Vec<Item>,
    meter: &mut Meter<'_>,
    trace: &mut T,
) -> Ended {
    let mut block = Block { a: [0; 4], b: [0; 4], mask: 0, key: [0.0; 16] };
    while let Some(item) = list.pop() {
        let cutoff = visit.cutoff();
        if item.key > cutoff {
            trace.discarded(&[(item.a, item.b)], Reason::TooFar);
            continue;
        }
        if !meter.step() {
            list.push(item);
            return Ended::OutOfBudget;
        }
        if test.is_leaf(item.a, item.b) == (true, true) {
            trace.leaf_pair(item.a, item.b);
            if visit.leaves(item.a, item.b, trace).is_break() {
                return Ended::Answered;
            }
            continue;
        }
        test.expand(item.a, item.b, cutoff, &mut block);
        trace.expanded(item.a, item.b, &block.a, &block.b, block.mask);
        push_survivors::<P>(&block, list);
        if let [.., second, first] = list[..] {
            test.prefetch(first.a, first.b);
            test.prefetch(second.a, second.b);
        }
    }
    Ended::Exhausted
}

/// How many pairs a [`dive`] keeps at each level.
const BEAM: usize = 8;

/// Find a good first answer: go down level by level with the few most promising pairs, look at the leaves
/// they end in, then drop from the list what that has ruled out and sort the rest, best last.
///
/// A branch-and-bound walk that starts with a poor bound looks at several times as many pairs.
#[inline(always)]
pub(crate) fn dive<P: PairTest, V: Visit, T: Trace>(
    test: &P,
    visit: &mut V,
    list: &mut Vec<Item>,
    meter: &mut Meter<'_>,
    trace: &mut T,
) -> Ended {
    let mut block = Block { a: [0; 4], b: [0; 4], mask: 0, key: [0.0; 16] };
    let mut first = list.len().saturating_sub(BEAM);
    while first < list.len() {
        let mut beam = [Item { key: 0.0, a: 0, b: 0 }; BEAM];
        let width = list.len() - first;
        beam[..width].copy_from_slice(&list[first..]);
        list.truncate(first);
        for (i, item) in beam[..width].iter().enumerate() {
            if !meter.step() {
                list.extend_from_slice(&beam[i..width]);
                return Ended::OutOfBudget;
            }
            if test.is_leaf(item.a, item.b) == (true, true) {
                trace.leaf_pair(item.a, item.b);
                if visit.leaves(item.a, item.b, trace).is_break() {
                    list.extend_from_slice(&beam[i + 1..width]);
                    return Ended::Answered;
                }
                continue;
            }
            test.expand(item.a, item.b, visit.cutoff(), &mut block);
            trace.expanded(item.a, item.b, &block.a, &block.b, block.mask);
            push_all(&block, list);
        }
        let fresh = &mut list[first..];
        if fresh.len() > BEAM {
            let rest = fresh.len() - BEAM;
            fresh.select_nth_unstable_by(rest, |x, y| {
                y.key.total_cmp(&x.key).then((y.a, y.b).cmp(&(x.a, x.b)))
            });
            first += rest;
        }
    }
    let cutoff = visit.cutoff();
    list.retain(|item| item.key <= cutoff);
    list.sort_unstable_by(|x, y| y.key.total_cmp(&x.key).then((y.a, y.b).cmp(&(x.a, x.b))));
    Ended::Exhausted
}

/// Put the survivors on the list in the order that [`PairTest::SORTED`] asks for.
#[inline(always)]
fn push_survivors<P: PairTest>(block: &Block, list: &mut Vec<Item>) {
    let start = list.len();
    push_all(block, list);
    let fresh = &mut list[start..];
    if P::SORTED {
        sort_descending(fresh);
    } else if let Some(last) = fresh.len().checked_sub(1) {
        let (mut best, mut least) = (last, fresh[last].key);
        for (i, item) in fresh[..last].iter().enumerate() {
            if item.key < least {
                (best, least) = (i, item.key);
            }
        }
        fresh.swap(best, last);
    }
}

#[inline(always)]
fn push_all(block: &Block, list: &mut Vec<Item>) {
    let mut mask = block.mask;
    while mask != 0 {
        let lane = mask.trailing_zeros() as usize;
        mask &= mask - 1;
        list.push(Item { key: block.key[lane], a: block.a[lane / 4], b: block.b[lane % 4] });
    }
}

/// Insertion sort: there are at most sixteen, mostly fewer than five.
#[inline(always)]
fn sort_descending(items: &mut [Item]) {
    for end in 1..items.len() {
        let item = items[end];
        let mut hole = end;
        while hole > 0 && items[hole - 1].key < item.key {
            items[hole] = items[hole - 1];
            hole -= 1;
        }
        items[hole] = item;
    }
}
