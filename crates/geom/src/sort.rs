//! Sorting that is compiled once. A sort of the standard library is eight kilobytes of optimised code for every kind of
//! item and every order.

use std::cmp::Ordering;

/// Sorts by an order; equal items stay in theirs. Each comparison is two indirect calls, and the numbers of the items
/// are allocated: for short lists, and for those that are sorted once.
///
/// ```
/// let mut names = ["gripper", "arm", "base"];
/// noli_geom::internals::sort_by(&mut names, |a, b| a.len().cmp(&b.len()));
/// assert_eq!(names, ["arm", "base", "gripper"]);
/// ```
pub fn sort_by<T>(items: &mut [T], order: impl Fn(&T, &T) -> Ordering) {
    let numbers = sorted(items.len(), &|a, b| order(&items[a], &items[b]));
    arrange(numbers, &mut |a, b| items.swap(a, b));
}

/// The same by a key, which is computed for every comparison.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(items, |a, b| key(a).cmp(&key(b)));
}

/// The numbers below `count` in an order.
fn sorted(count: usize, order: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..count).collect();
    numbers.sort_by(|&a, &b| order(a, b));
    numbers
}

/// Moves the item `from[k]` to each place `k`, cycle by cycle.
fn arrange(mut from: Vec<usize>, swap: &mut dyn FnMut(usize, usize)) {
    for first in 0..from.len() {
        let mut at = first;
        while from[at] != first {
            let next = from[at];
            swap(at, next);
            from[at] = at;
            at = next;
        }
        from[at] = at;
    }
}

#[cfg(test)]
mod tests {
    use crate::random::SplitMix64;

    /// Keys repeat, so that the order of equal items counts.
    #[test]
    fn the_order_is_that_of_a_stable_sort() {
        let mut random = SplitMix64::new(3);
        for count in (0..70).chain([300, 4000]) {
            let mut items: Vec<(usize, usize)> = (0..count).map(|k| (random.below(16), k)).collect();
            let mut expected = items.clone();
            expected.sort_by_key(|item| item.0);
            super::sort_by_key(&mut items, |item| item.0);
            assert_eq!(items, expected, "{count}");
        }
    }
}
