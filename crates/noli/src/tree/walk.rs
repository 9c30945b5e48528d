//! The common traversal of two trees.
//!
//! A work list of node pairs is popped from the end. A [`NodeTest`] expands a pair of inner nodes into a
//! block of up to sixteen child pairs; survivors go back on the list. Pairs of leaves go to a [`Visit`]or,
//! which also sets the distance beyond which pairs are discarded. Budget, statistics and traces are handled
//! only here.
//!
//! Public as an internal interface: every hierarchy of `noli-classics` uses it. Most users need the queries
//! at the root of the crate, which use it too.

pub use crate::budget::Meter;

use crate::trace::{Reason, Trace};
use std::ops::ControlFlow;

/// A child pair of a block is numbered `4·i + j`.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Nodes of A.
    pub a: [u32; 4],
    /// Nodes of B.
    pub b: [u32; 4],
    /// Bit `4·i + j` is set if node `i` of A and node `j` of B may still collide.
    pub mask: u16,
    /// Rank of each pair: smaller is visited first. Also the lower bound that is compared with [`Visit::cutoff`].
    pub key: [f32; 16],
}

impl Block {
    pub(super) const EMPTY: Self = Self { a: [0; 4], b: [0; 4], mask: 0, key: [0.0; 16] };

    /// Set it to all pairs of up to four nodes of A and four of B, with the rank that `rank` gives each;
    /// `None` drops the pair.
    pub fn fill(
        &mut self,
        a: impl IntoIterator<Item = u32>,
        b: impl IntoIterator<Item = u32, IntoIter: Clone>,
        mut rank: impl FnMut(u32, u32) -> Option<f32>,
    ) {
        self.mask = 0;
        let b = b.into_iter();
        for (i, node_a) in a.into_iter().take(4).enumerate() {
            self.a[i] = node_a;
            for (j, node_b) in b.clone().take(4).enumerate() {
                self.b[j] = node_b;
                if let Some(key) = rank(node_a, node_b) {
                    self.key[4 * i + j] = key;
                    self.mask |= 1 << (4 * i + j);
                }
            }
        }
    }
}

/// A node pair still to be visited.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    /// Its rank.
    pub key: f32,
    /// Node of A.
    pub a: u32,
    /// Node of B.
    pub b: u32,
}

impl Item {
    /// The roots: where a walk begins.
    pub const ROOTS: Self = Self { key: 0.0, a: 0, b: 0 };
}

/// A pair of faces that may be the nearest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub(crate) at_least: f64,
    pub(crate) at_most: f64,
    pub(crate) a: u32,
    pub(crate) b: u32,
}

/// In which order pairs leave the work list. It changes neither verdict nor the set of hits, only what is
/// known when a budget runs out, and how soon a first hit is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// Depth first: the pair found last.
    #[default]
    Newest,
    /// Breadth first: the pair found first.
    Oldest,
    /// Best first: the pair with the smallest lower bound of the distance.
    Best,
}

/// Test of the children of two nodes.
pub trait NodeTest {
    /// `true` if survivors are visited strictly by rank; otherwise only the best of them comes first.
    const SORTED: bool;
    /// Returns, for each of the two, `true` if it is a leaf.
    fn is_leaf(&self, a: u32, b: u32) -> (bool, bool);
    /// Tests the children of `a` (or `a` itself, if a leaf) against those of `b`. At least one of the two is an
    /// inner node.
    fn expand(&self, a: u32, b: u32, cutoff: f32, block: &mut Block);
    /// Fills block number `part >= 1` of nodes that have more children than one block holds. Returns `true` if
    /// there was one.
    #[inline(always)]
    fn expand_more(&self, a: u32, b: u32, part: usize, block: &mut Block) -> bool {
        let _ = (a, b, part, block);
        false
    }
    /// In which order pairs are taken.
    #[inline(always)]
    fn order(&self) -> Order {
        Order::Newest
    }
    /// Requests the memory of a pair ahead of use; nothing by default.
    #[inline(always)]
    fn prefetch(&self, a: u32, b: u32) {
        let _ = (a, b);
    }
}

/// Visitor of leaf pairs.
pub trait Visit {
    /// Pairs whose key is above this are discarded; none by default.
    #[inline(always)]
    fn cutoff(&self) -> f32 {
        f32::INFINITY
    }
    /// Visits a pair before it is expanded or compared; its content may already decide the query.
    #[inline(always)]
    fn enter(&mut self, a: u32, b: u32) -> ControlFlow<()> {
        let _ = (a, b);
        ControlFlow::Continue(())
    }
    /// Visits a pair of leaves. Its step is spent; long computations query the meter first.
    fn leaves(&mut self, a: u32, b: u32, meter: &mut Meter<'_>, trace: &mut impl Trace)
    -> ControlFlow<Ended>;
}

/// Reason why a traversal ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// No pair is left to visit.
    Exhausted,
    /// The visitor has its answer.
    Answered,
    /// The budget ran out; the list holds the pairs that were not visited.
    OutOfBudget,
}

/// Number of surviving children beyond which a collision is likely and pairs are expanded one at a time.
const FEW: usize = 2;

/// Walk until the list is empty, the visitor has enough, or the budget runs out.
#[inline(always)]
pub fn walk<P: NodeTest, V: Visit, T: Trace>(
    test: &P,
    visit: &mut V,
    list: &mut Vec<Item>,
    meter: &mut Meter<'_>,
    trace: &mut T,
) -> Ended {
    let mut blocks = [Block::EMPTY; 2];
    let mut queue = Queue { order: test.order(), list, head: 0 };
    let mut fresh = 0;
    while let Some(item) = queue.take() {
        let cutoff = visit.cutoff();
        if item.key > cutoff {
            trace.discarded(&[(item.a, item.b)], Reason::TooFar);
            continue;
        }
        if !meter.step() {
            queue.list.push(item);
            return Ended::OutOfBudget;
        }
        if visit.enter(item.a, item.b).is_break() {
            return Ended::Answered;
        }
        if test.is_leaf(item.a, item.b) == (true, true) {
            trace.leaf_pair(item.a, item.b);
            if let ControlFlow::Break(ended) = visit.leaves(item.a, item.b, meter, trace) {
                if ended == Ended::OutOfBudget {
                    queue.list.push(item);
                }
                return ended;
            }
            continue;
        }
        let mut items = [item; 2];
        let mut count = 1;
        if fresh <= FEW
            && let Some(second) = queue.peek_inner(test, cutoff)
            && meter.step()
        {
            queue.list.pop();
            if visit.enter(second.a, second.b).is_break() {
                return Ended::Answered;
            }
            (items[1], count) = (second, 2);
        }
        for (item, block) in items[..count].iter().zip(&mut blocks) {
            test.expand(item.a, item.b, cutoff, block);
        }
        for (item, block) in items[..count].iter().zip(&mut blocks).rev() {
            fresh = queue.push_children(test, item, block, trace);
        }
        if let [.., second, first] = queue.list[..] {
            test.prefetch(first.a, first.b);
            test.prefetch(second.a, second.b);
        }
    }
    Ended::Exhausted
}

/// Replaces the node pairs of a list by their children, level by level, until there are `wanted` or only leaves. The
/// order in which a walk takes them stays the same. Returns `false` if the budget ran out; nothing is lost then.
pub(crate) fn split<P: NodeTest>(
    test: &P,
    list: &mut Vec<Item>,
    cutoff: f32,
    wanted: usize,
    meter: &mut Meter<'_>,
) -> bool {
    let (mut block, mut below, mut is_on_time) = (Block::EMPTY, Vec::new(), true);
    while is_on_time && list.len() < wanted {
        let mut is_deeper = false;
        for item in list.drain(..) {
            let is_leaf = test.is_leaf(item.a, item.b) == (true, true);
            is_on_time &= is_leaf || meter.step();
            if is_leaf || !is_on_time {
                below.push(item);
                continue;
            }
            test.expand(item.a, item.b, cutoff, &mut block);
            let start = below.len();
            push_all(&block, &mut below);
            arrange_newest::<P>(&mut below[start..]);
            is_deeper = true;
        }
        std::mem::swap(list, &mut below);
        if !is_deeper {
            break;
        }
    }
    is_on_time
}

/// Number of pairs that a [`dive`] keeps at each level.
const BEAM: usize = 8;

/// Finds a good first bound. Descends level by level with the few most promising pairs and visits the leaves
/// they end in. Then drops pairs that are ruled out from the list and sorts the rest, best last.
///
/// A branch-and-bound traversal that starts with a poor bound visits several times as many pairs.
#[inline(always)]
pub(crate) fn dive<P: NodeTest, V: Visit, T: Trace>(
    test: &P,
    visit: &mut V,
    list: &mut Vec<Item>,
    meter: &mut Meter<'_>,
    trace: &mut T,
) -> Ended {
    let mut blocks = [Block::EMPTY; BEAM];
    let mut first = list.len().saturating_sub(BEAM);
    while first < list.len() {
        let mut beam = [Item { key: 0.0, a: 0, b: 0 }; BEAM];
        let width = list.len() - first;
        beam[..width].copy_from_slice(&list[first..]);
        list.truncate(first);
        let mut ended = Ended::Exhausted;
        let mut seen = 0;
        // All are expanded before any children are listed: the CPU works on several at a time.
        while seen < width && ended == Ended::Exhausted {
            let (item, block) = (&beam[seen], &mut blocks[seen]);
            if !meter.step() {
                ended = Ended::OutOfBudget;
                break;
            }
            block.mask = 0;
            if test.is_leaf(item.a, item.b) == (true, true) {
                trace.leaf_pair(item.a, item.b);
                if let ControlFlow::Break(early) = visit.leaves(item.a, item.b, meter, trace) {
                    ended = early;
                    if early == Ended::OutOfBudget {
                        break;
                    }
                }
            } else {
                test.expand(item.a, item.b, visit.cutoff(), block);
                trace.expanded(item.a, item.b, &block.a, &block.b, block.mask);
            }
            seen += 1;
        }
        blocks[..seen].iter().for_each(|block| push_all(block, list));
        if ended != Ended::Exhausted {
            list.extend_from_slice(&beam[seen..width]);
            return ended;
        }
        let fresh = &mut list[first..];
        if fresh.len() > BEAM {
            let rest = fresh.len() - BEAM;
            fresh.select_nth_unstable_by(rest, worst_first);
            first += rest;
        }
    }
    let cutoff = visit.cutoff();
    list.retain(|item| item.key <= cutoff);
    list.sort_unstable_by(worst_first);
    Ended::Exhausted
}

/// Equal keys stay in whatever order they are found in, which is the same in every run.
#[inline(always)]
fn worst_first(x: &Item, y: &Item) -> std::cmp::Ordering {
    y.key.total_cmp(&x.key)
}

/// The work list and the order in which it is taken.
struct Queue<'l> {
    order: Order,
    list: &'l mut Vec<Item>,
    /// Start of the list: earlier entries have been taken, oldest first.
    head: usize,
}

impl Queue<'_> {
    #[inline(always)]
    fn take(&mut self) -> Option<Item> {
        match self.order {
            Order::Newest => self.list.pop(),
            Order::Oldest => self.take_oldest(),
            Order::Best => self.take_best(),
        }
    }

    /// The pair to be taken next where it can be expanded together with another: the two do not depend on
    /// each other, so that the CPU works on one while it waits for the other.
    #[inline(always)]
    fn peek_inner<P: NodeTest>(&self, test: &P, cutoff: f32) -> Option<Item> {
        let next = *self.list.last()?;
        let together = self.order == Order::Newest && next.key <= cutoff;
        (together && test.is_leaf(next.a, next.b) != (true, true)).then_some(next)
    }

    /// Put the surviving children of `item` on the list, of which `block` holds the first.
    #[inline(always)]
    fn push_children<P: NodeTest, T: Trace>(
        &mut self,
        test: &P,
        item: &Item,
        block: &mut Block,
        trace: &mut T,
    ) -> usize {
        let (start, mut part) = (self.list.len(), 1);
        loop {
            trace.expanded(item.a, item.b, &block.a, &block.b, block.mask);
            push_all(block, self.list);
            if !test.expand_more(item.a, item.b, part, block) {
                break;
            }
            part += 1;
        }
        let fresh = self.list.len() - start;
        self.arrange::<P>(start);
        fresh
    }

    fn take_oldest(&mut self) -> Option<Item> {
        let item = *self.list.get(self.head)?;
        self.head += 1;
        Some(item)
    }

    /// The list is a heap, the smallest key first.
    fn take_best(&mut self) -> Option<Item> {
        if self.list.is_empty() {
            return None;
        }
        let best = self.list.swap_remove(0);
        let mut hole = 0;
        loop {
            let children = 2 * hole + 1..(2 * hole + 3).min(self.list.len());
            let least = children.min_by(|&i, &j| self.list[i].key.total_cmp(&self.list[j].key));
            match least.filter(|&child| self.list[child].key < self.list[hole].key) {
                Some(child) => self.list.swap(hole, child),
                None => return Some(best),
            }
            hole = least.unwrap_or(hole);
        }
    }

    /// Put the pairs from `start` on in the order that they are to be taken in.
    #[inline(always)]
    fn arrange<P: NodeTest>(&mut self, start: usize) {
        match self.order {
            Order::Newest => arrange_newest::<P>(&mut self.list[start..]),
            Order::Oldest => self.drop_taken(),
            Order::Best => (start..self.list.len()).for_each(|new| self.sift_up(new)),
        }
    }

    fn sift_up(&mut self, mut place: usize) {
        while place > 0 && self.list[place].key < self.list[(place - 1) / 2].key {
            self.list.swap(place, (place - 1) / 2);
            place = (place - 1) / 2;
        }
    }

    /// Free the taken half of the list.
    fn drop_taken(&mut self) {
        if 2 * self.head > self.list.len() {
            self.list.drain(..self.head);
            self.head = 0;
        }
    }
}

/// However the traversal ends, the list holds the pairs that were not visited.
impl Drop for Queue<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        if self.head > 0 {
            self.list.drain(..self.head);
        }
    }
}

/// Orders the survivors as [`NodeTest::SORTED`] requires.
#[inline(always)]
fn arrange_newest<P: NodeTest>(fresh: &mut [Item]) {
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
