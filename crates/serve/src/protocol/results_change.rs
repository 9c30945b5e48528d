//! The difference of two results: of thousands of pairs, a moved body changes a few.

use super::{Results, ResultsChange};
use noli_pages::PairView;
use std::collections::HashMap;

/// Fewer pairs are sent whole.
const FEW: usize = 64;

/// Pairs with their groups, in order.
fn listed(results: &Results) -> impl Iterator<Item = ((usize, usize), (&PairView, &str))> {
    let groups = results.groups.iter().map(String::as_str).chain(std::iter::repeat(""));
    results.pairs.iter().zip(groups).map(|(pair, group)| ((pair.a, pair.b), (pair, group)))
}

impl ResultsChange {
    /// Returns the change from one list to another; `None` where the whole list is as short, or where unchanged pairs
    /// have another order.
    pub(crate) fn between(before: &Results, now: &Results) -> Option<Self> {
        let old: HashMap<_, _> = listed(before).collect();
        let new: HashMap<_, _> = listed(now).collect();
        let are_single = old.len() == before.pairs.len() && new.len() == now.pairs.len();
        let changed: Vec<_> = listed(now)
            .enumerate()
            .filter(|(_, (pair, view))| old.get(pair) != Some(view))
            .map(|(place, (_, (view, group)))| (place, view.clone(), group.to_owned()))
            .collect();
        if !are_single || now.pairs.len() < FEW || changed.len() > now.pairs.len() / 2 {
            return None;
        }
        let same = |(pair, view): &(_, _)| old.get(pair) == Some(view) && new.get(pair) == Some(view);
        let same_order = listed(before).filter(same).map(|(pair, _)| pair);
        if !same_order.eq(listed(now).filter(same).map(|(pair, _)| pair)) {
            return None;
        }
        let gone = listed(before).map(|(pair, _)| pair).filter(|pair| !new.contains_key(pair));
        Some(Self {
            outcome: now.outcome.clone(),
            summary: now.summary.clone(),
            gone: gone.collect(),
            changed,
            status: now.status.clone(),
            stale: now.stale,
        })
    }
}
