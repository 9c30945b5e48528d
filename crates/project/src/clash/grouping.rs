//! Groups of related clashes, to be reviewed as one.

use crate::data::clash::PatternGroup;
use crate::report::clash::GroupReport;
use crate::report::pair::PairReport;
use crate::stage::body_identity::uuid_of;
use glam::DVec3;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// By what clashes are grouped. What was grouped before stays in its group, so that groups survive reruns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Grouping {
    /// By the body that most of them have in common.
    #[default]
    Body,
    /// Those whose places are this close to each other, directly or by others between them.
    Near(f64),
    /// Each on its own.
    Each,
}

/// Gives a group to every clash that has none yet.
pub(super) fn assign(pairs: &mut [PairReport], grouping: Grouping, patterns: &[PatternGroup]) {
    let is_open = |pair: &PairReport| pair.status.is_some() && pair.group.is_none();
    for pair in pairs.iter_mut().filter(|pair| is_open(pair)) {
        pair.group =
            patterns.iter().find(|group| group.holds(&pair.a, &pair.b)).map(|group| group.name.clone());
    }
    let open: Vec<usize> = (0..pairs.len()).filter(|&number| is_open(&pairs[number])).collect();
    match grouping {
        Grouping::Body => by_body(pairs, open),
        Grouping::Near(reach) => by_place(pairs, &open, reach),
        Grouping::Each => open.into_iter().for_each(|number| {
            let pair = &mut pairs[number];
            pair.group = Some(format!("{} / {}", pair.a, pair.b));
        }),
    }
}

/// The body with the most clashes takes all of its own, then the next; of equals the first by name. A body that has a
/// group already takes its clashes first.
fn by_body(pairs: &mut [PairReport], open: Vec<usize>) {
    let known: std::collections::HashSet<String> =
        pairs.iter().filter_map(|pair| pair.group.clone()).collect();
    let mut of_body: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for &number in &open {
        for name in [&pairs[number].a, &pairs[number].b] {
            of_body.entry(name.clone()).or_default().push(number);
        }
    }
    let mut left: HashMap<&String, usize> = of_body.iter().map(|(name, own)| (name, own.len())).collect();
    // A body's count only falls, so one that is still right when it comes to the top is the greatest.
    let key = |name: &String, count: usize| (known.contains(name), count, std::cmp::Reverse(name.clone()));
    let mut heap: std::collections::BinaryHeap<_> =
        of_body.iter().map(|(name, own)| key(name, own.len())).collect();
    while let Some((_, count, std::cmp::Reverse(name))) = heap.pop() {
        match left[&name] {
            0 => {}
            now if now < count => heap.push(key(&name, now)),
            _ => {
                for &number in &of_body[&name] {
                    if pairs[number].group.is_some() {
                        continue;
                    }
                    pairs[number].group = Some(name.clone());
                    for of in [&pairs[number].a, &pairs[number].b] {
                        if let Some(count) = left.get_mut(of) {
                            *count = count.saturating_sub(1);
                        }
                    }
                }
            }
        }
    }
}

/// Groups chains of places within `reach` of each other, found in grid cells of that size. A clash without a
/// place is alone.
fn by_place(pairs: &mut [PairReport], open: &[usize], reach: f64) {
    let place = |number: usize| pairs[number].place.map(DVec3::from_array);
    #[allow(
        clippy::cast_possible_truncation,
        reason = "the cast saturates, and cells need only be near their neighbours"
    )]
    let cell = |place: DVec3| (place / reach).floor().to_array().map(|x| x as i64);
    let mut cells: HashMap<[i64; 3], Vec<usize>> = HashMap::new();
    for (own, &number) in open.iter().enumerate() {
        if let Some(place) = place(number).filter(|_| reach > 0.0) {
            cells.entry(cell(place)).or_default().push(own);
        }
    }
    let mut leader: Vec<usize> = (0..open.len()).collect();
    fn lead(leader: &mut [usize], mut of: usize) -> usize {
        while leader[of] != of {
            leader[of] = leader[leader[of]];
            of = leader[of];
        }
        of
    }
    for (own, &number) in open.iter().enumerate() {
        let Some(here) = place(number).filter(|_| reach > 0.0) else { continue };
        let [x, y, z] = cell(here).map(|own| [-1, 0, 1].map(|step| own.saturating_add(step)));
        let around = x.iter().flat_map(|x| y.iter().flat_map(|y| z.iter().map(|z| [*x, *y, *z])));
        // Cells at the end of all numbers have fewer neighbours.
        for of in around.collect::<BTreeSet<_>>() {
            for &other in cells.get(&of).into_iter().flatten() {
                if place(open[other]).is_some_and(|there| there.distance(here) <= reach) {
                    let (one, two) = (lead(&mut leader, own), lead(&mut leader, other));
                    leader[one.max(two)] = one.min(two);
                }
            }
        }
    }
    // Called by the smallest id, which does not depend on the order in which bodies came.
    let mut names: HashMap<usize, String> = HashMap::new();
    for (own, &number) in open.iter().enumerate() {
        let (top, id) = (lead(&mut leader, own), &pairs[number].id);
        let name = names.entry(top).or_insert_with(|| id.clone());
        if *id < *name {
            name.clone_from(id);
        }
    }
    for (own, &number) in open.iter().enumerate() {
        let name = &names[&lead(&mut leader, own)];
        // Ids may come from a file that was edited.
        pairs[number].group = Some(format!("near {}", name.get(..8).unwrap_or(name)));
    }
}

/// The groups of all clashes, the worst status first, then the larger, then by name.
pub(super) fn list(pairs: &[PairReport]) -> Vec<GroupReport> {
    let mut groups: BTreeMap<&str, GroupReport> = BTreeMap::new();
    for pair in pairs {
        let (Some(name), Some(status)) = (&pair.group, pair.status) else { continue };
        let group = groups.entry(name).or_insert_with(|| GroupReport {
            name: name.clone(),
            id: uuid_of(&["noli group", name]),
            status,
            clashes: 0,
            hits: 0,
        });
        group.status = group.status.min(status);
        group.clashes = group.clashes.saturating_add(1);
        group.hits = group.hits.saturating_add(usize::from(pair.hit));
    }
    let mut groups: Vec<GroupReport> = groups.into_values().collect();
    groups.sort_by_key(|group| (group.status, std::cmp::Reverse(group.clashes)));
    groups
}
