//! Common parts of both experiments on double hierarchies: counts, times, and the study of levels.

use crate::placements::{self, Pair, PeerTimes, Provable, Tally};
use crate::record::{Cell, Plot, Series, Shape, Size, Table, Verdict};
use crate::session::Session;
use anyhow::Result;
use noli_classics::double::{DoubleOptions, InnerFit};
use noli_scenes::polyhedra;
use serde::Deserialize;

#[derive(Deserialize)]
pub(crate) struct Config {
    placements: usize,
    level_placements: usize,
    deepest_level: usize,
    /// Number of placements for other engines.
    peer_placements: usize,
    seed: u64,
}

/// One pair in one space.
pub(crate) struct Ran {
    pub(crate) pair: Pair,
    pub(crate) space: usize,
    /// As printed.
    pub(crate) printed: Tally,
    /// With the largest inner volumes.
    pub(crate) largest: Tally,
    /// Without inner volumes.
    pub(crate) outer_only: Tally,
    /// The engine's exact query on the same solids: microseconds of a hit and of a miss.
    pub(crate) engine_us: [f64; 2],
    /// The same on convex hulls: GJK.
    pub(crate) gjk_us: [f64; 2],
    /// Other engines on the first of the placements.
    pub(crate) peers: Vec<PeerTimes>,
    /// Mean microseconds of a placement by depth of the tree; empty where depths were not compared.
    pub(crate) by_depth: Vec<f64>,
    /// Shares of the hits that inner volumes can prove.
    pub(crate) provable: Provable,
}

impl Ran {
    /// The depth of least time, if depths were compared.
    fn best_depth(&self) -> Option<usize> {
        (0..self.by_depth.len()).min_by(|&i, &j| self.by_depth[i].total_cmp(&self.by_depth[j]))
    }
}

/// Reports findings on the depth that a paper recommends, and on the order of its shares.
pub(crate) fn depth_and_order(session: &mut Session<'_>, ran: &[Ran], depth: usize) {
    let compared = || ran.iter().filter(|r| !r.by_depth.is_empty());
    let alike = |r: &&Ran| {
        let least = r.by_depth.iter().copied().fold(f64::INFINITY, f64::min);
        r.by_depth.get(depth).is_some_and(|us| *us <= 1.1 * least)
    };
    let told: Vec<String> =
        compared().map(|r| format!("{} best at {}", r.pair.name(), r.best_depth().unwrap_or(0))).collect();
    let (all, good) = (compared().count(), compared().filter(alike).count());
    let verdict = match good {
        0 => Verdict::Refuted,
        n if n == all => Verdict::Confirmed,
        _ => Verdict::Partly,
    };
    session.finding(
        format!("Level {depth} of the tree is the most significant"),
        verdict,
        format!("Within a tenth of the least mean time in {good} of {all} pairs: {}.", told.join(", ")),
    );
    let rank = |of: &dyn Fn(&Ran) -> f64| {
        let mut rows: Vec<&Ran> = ran.iter().filter(|r| r.space == 1).collect();
        rows.sort_by(|x, y| of(x).total_cmp(&of(y)));
        rows.iter().map(|r| r.pair.name()).collect::<Vec<_>>()
    };
    let (printed, ours) = (rank(&|r| r.pair.inner_share(1)), rank(&|r| r.printed.inner_share()));
    session.finding(
        "The order of the pairs by their share of inner hits",
        Verdict::of(printed == ours),
        format!("In print, the lowest first: {}; here: {}.", printed.join(", "), ours.join(", ")),
    );
}

const SPACES: [&str; 2] = ["25 %", "75 %"];

/// Run all pairs in both spaces and keep the tables.
pub(crate) fn run(session: &mut Session<'_>, pairs: &[Pair], as_printed: DoubleOptions) -> Result<Vec<Ran>> {
    let config: Config = session.config()?;
    let all = polyhedra();
    let mut counts = Table::new("Bodies", ["body", "vertices", "edges", "faces", "what it is"]);
    let names = pairs.iter().flat_map(|pair| [&pair.a, &pair.b]);
    for one in all.iter().filter(|one| names.clone().any(|name| *name == one.name)) {
        let printed = one.printed.map(|n| n as f64);
        let beside = one.counts().into_iter().zip(printed);
        let cells = beside.map(|(ours, printed)| Cell::Beside { ours: ours as f64, printed });
        counts.row(one.name, cells.chain([Cell::Text(one.description.to_owned())]));
    }
    session.table(counts);
    let mut ran = Vec::new();
    let mut levels = Plot {
        title: "Share of hits proven by inner volumes, by depth of the tree (75 % space)".into(),
        x: "levels of the tree".into(),
        y: "share, %".into(),
        ..Plot::default()
    };
    let mut times = Plot {
        title: "Mean time of a placement, by depth of the tree (75 % space)".into(),
        x: "levels of the tree".into(),
        y: "time, µs".into(),
        ..Plot::default()
    };
    for pair in pairs {
        for space in 0..2 {
            session.step(&format!("{} in the space of {}", pair.name(), SPACES[space]));
            let [a, b] = placements::trees(pair, &all, &as_printed)?;
            let radius = placements::calibrated(&a, &b, pair.hit_rate(space), config.seed, session.size());
            let at = placements::placements(config.seed + 1, radius, config.placements);
            let printed = placements::tally(&a, &b, &at, true);
            let outer_only = placements::tally(&a, &b, &at, false);
            let engine_us = placements::engine(a.model(), b.model(), &at, &printed.verdicts)?;
            let hulls = [placements::hull(&pair.a, &all)?, placements::hull(&pair.b, &all)?];
            let gjk_us = placements::engine(&hulls[0], &hulls[1], &at, &printed.verdicts)?;
            let better = DoubleOptions { inner: InnerFit::Largest, ..as_printed };
            let [c, d] = placements::trees(pair, &all, &better)?;
            let largest = placements::tally(&c, &d, &at, true);
            let some = &at[..config.peer_placements.min(at.len())];
            let peers = match session.size() {
                Size::Full => placements::peers(pair, &all, some)?,
                Size::Sample => Vec::new(),
            };
            let provable = placements::provable(&a, &b, some, &printed.verdicts);
            let mut by_depth = Vec::new();
            if space == 1 {
                let at = &at[..config.level_placements.min(at.len())];
                let (mut share, mut time) = (Series::default(), Series::default());
                for depth in 0..=config.deepest_level {
                    let [a, b] = placements::trees(pair, &all, &DoubleOptions { depth, ..as_printed })?;
                    let tally = placements::tally(&a, &b, at, true);
                    share.points.push([depth as f64, 100.0 * tally.inner_share()]);
                    time.points.push([depth as f64, tally.mean_us()]);
                    by_depth.push(tally.mean_us());
                }
                (share.name, time.name) = (pair.name(), pair.name());
                levels.series.push(share);
                times.series.push(time);
            }
            ran.push(Ran {
                pair: pair.clone(),
                space,
                printed,
                largest,
                outer_only,
                engine_us,
                gjk_us,
                peers,
                by_depth,
                provable,
            });
        }
    }
    tables(session, &ran);
    peers(session, &ran, config.peer_placements);
    session.plot(levels);
    session.plot(times);
    Ok(ran)
}

/// Compares other current engines with ours on the same placements.
fn peers(session: &mut Session<'_>, ran: &[Ran], placements: usize) {
    let Some(first) = ran.first().filter(|one| !one.peers.is_empty()) else {
        session.note("Other engines of today were not asked: none was found in target/peers (`cargo xtask peers` builds them).");
        return;
    };
    let names = ["double trees, here", "noli, solid meshes", "noli, convex (GJK)"];
    let names = names.into_iter().chain(first.peers.iter().map(|peer| peer.name));
    let columns = ["pair", "space"].into_iter().chain(names.clone());
    let title = |what: &str| format!("Today's engines on the same placements: mean microseconds of a {what}");
    let mut tables = ["hit", "miss"].map(|what| Table::new(title(what), columns.clone()));
    let mut differing = vec![0; first.peers.len()];
    for one in ran {
        let ours = [[one.printed.any_hit_us(), one.printed.miss_us], one.engine_us, one.gjk_us];
        let all: Vec<[f64; 2]> = ours.into_iter().chain(one.peers.iter().map(|peer| peer.us)).collect();
        for (kind, table) in tables.iter_mut().enumerate() {
            let space = Cell::Text(SPACES[one.space].into());
            table.row(
                one.pair.name(),
                std::iter::once(space).chain(all.iter().map(|us| Cell::Ours(us[kind]))),
            );
        }
        differing.iter_mut().zip(&one.peers).for_each(|(sum, peer)| *sum += peer.differing);
    }
    session.plot(Plot {
        title: "Mean time of a hit, today's engines (75 % space)".into(),
        x: "pair of bodies".into(),
        y: "time of a hit, µs".into(),
        shape: Shape::Bars,
        places: ran.iter().filter(|r| r.space == 1).map(|r| r.pair.name()).collect(),
        series: names
            .enumerate()
            .map(|(column, name)| {
                let time = |r: &Ran| match column {
                    0 => r.printed.any_hit_us(),
                    1 => r.engine_us[0],
                    2 => r.gjk_us[0],
                    _ => r.peers[column - 3].us[0],
                };
                Series::heights(name, ran.iter().filter(|r| r.space == 1).map(time).collect::<Vec<_>>())
            })
            .collect(),
    });
    let [hits, misses] = tables;
    session.table(hits);
    session.table(misses);
    let differing: Vec<String> =
        first.peers.iter().zip(differing).map(|(peer, count)| format!("{} {count}", peer.name)).collect();
    session.note(format!(
        "Today's engines: the first {placements} placements of each row, the median of three passes for each; ours the lesser of two. Trees of triangles succeed RAPID, PQP and QuickCD, convex methods SOLID and I-COLLIDE. Verdicts that differ from our \
         exact ones, over all rows: {}. Trees of triangles see surfaces only, so a body inside another is no hit for them.",
        differing.join(", ")
    ));
}

fn tables(session: &mut Session<'_>, ran: &[Ran]) {
    let columns = [
        "pair",
        "space",
        "by inner volumes",
        "by faces",
        "contained",
        "share of inner, %",
        "share, largest inner, %",
    ];
    let mut counts = Table::new("Hits in 100,000 placements, ours and printed", columns);
    let columns = [
        "pair",
        "space",
        "hit by inner, µs",
        "hit by faces, µs",
        "miss, µs",
        "any hit, no inner volumes, µs",
        "solid meshes, hit, µs",
        "miss, µs",
        "hulls (GJK), hit, µs",
        "miss, µs",
    ];
    let mut times = Table::new("Mean time of a placement", columns);
    for one in ran {
        let total = one.printed.all_hits() + one.printed.misses;
        let per = |count: f64| (count * 100_000.0 / total).round();
        let [inner, faces, contained] = one.printed.hits;
        let s = one.space;
        counts.row(
            one.pair.name(),
            [
                Cell::Text(SPACES[s].into()),
                Cell::Beside { ours: per(inner), printed: one.pair.inner[s] },
                Cell::Beside { ours: per(faces), printed: one.pair.faces[s] },
                Cell::Ours(per(contained)),
                Cell::Beside {
                    ours: 100.0 * one.printed.inner_share(),
                    printed: 100.0 * one.pair.inner_share(s),
                },
                Cell::Ours(100.0 * one.largest.inner_share()),
            ],
        );
        times.row(
            one.pair.name(),
            [
                Cell::Text(SPACES[s].into()),
                Cell::Beside { ours: one.printed.hit_us[0], printed: one.pair.inner_us[s] },
                Cell::Beside { ours: one.printed.hit_us[1], printed: one.pair.faces_us[s] },
                Cell::Ours(one.printed.miss_us),
                Cell::Ours(one.outer_only.any_hit_us()),
                Cell::Ours(one.engine_us[0]),
                Cell::Ours(one.engine_us[1]),
                Cell::Ours(one.gjk_us[0]),
                Cell::Ours(one.gjk_us[1]),
            ],
        );
    }
    let share = |of: &dyn Fn(&Ran) -> f64| ran.iter().filter(|r| r.space == 1).map(of).collect::<Vec<_>>();
    session.plot(Plot {
        title: "Share of hits proven by inner volumes (75 % space)".into(),
        x: "pair of bodies".into(),
        y: "share, %".into(),
        shape: Shape::Bars,
        places: ran.iter().filter(|r| r.space == 1).map(|r| r.pair.name()).collect(),
        series: vec![
            Series::heights("printed", share(&|r| 100.0 * r.pair.inner_share(1))),
            Series::heights("ours, as printed", share(&|r| 100.0 * r.printed.inner_share())),
            Series::heights("ours, largest inner", share(&|r| 100.0 * r.largest.inner_share())),
        ],
    });
    session.table(counts);
    session.table(times);
    session.table(reasons(ran));
    session.note("The paper gives no sizes: bodies have circumradius 1, and the radius of the space is found by bisection so that the printed total of hits comes out.");
    session.note("The totals printed add up to 25 % and 75 % of 100,000 placements, also where the text speaks of a million.");
    session.note("Traversal is the corrected one: the printed one tests the first pair of faces only, loses results of recursion and misses containment. Leaves hold whole faces of the body, so that the verdict is exact; every verdict was compared with that of noli::overlap, placement by placement, on solid meshes and on hulls.");
}

/// Explanation of the difference from print by the order of the walk, which is not printed: a hit counts for
/// inner volumes only if the walk tests such a pair before a pair of faces that intersect.
fn reasons(ran: &[Ran]) -> Table {
    let columns = [
        "pair",
        "25 %: points apart",
        "75 %: points apart",
        "roots prove, %",
        "of 75 %",
        "some pair proves, %",
        "of 75 %",
        "so",
        "of the bodies",
    ];
    let mut table =
        Table::new("Shares of inner volumes against print, and the shares that they can prove", columns);
    for rows in ran.chunks(2) {
        let apart = rows.iter().map(|r| r.printed.inner_share() - r.pair.inner_share(r.space));
        let roots = rows.iter().map(|r| r.provable.by_roots);
        let some = rows.iter().map(|r| r.provable.by_some_pair);
        let figures = apart.chain(roots).chain(some).map(|share| Cell::Ours(100.0 * share));
        let of_print: Vec<(f64, Provable)> =
            rows.iter().map(|r| (r.pair.inner_share(r.space), r.provable)).collect();
        let words = [explained(&of_print).to_owned(), rows[0].pair.known.clone()].map(Cell::Text);
        table.row(rows[0].pair.name(), figures.chain(words));
    }
    table
}

/// The printed shares against those that can be proven at all; a point is allowed for the draw of the placements.
fn explained(of_print: &[(f64, Provable)]) -> &'static str {
    const DRAW: f64 = 0.01;
    let above = of_print.iter().any(|(share, provable)| *share > provable.by_some_pair + DRAW);
    let below = of_print.iter().any(|(share, provable)| *share < provable.by_roots - DRAW);
    match (above, below) {
        (false, false) => "the printed shares lie between: another order of the walk explains them",
        (true, false) => "print proves more than any pair here can: its inner volumes or bodies are others",
        (false, true) => "print proves less than the roots alone: its inner volumes or bodies are others",
        (true, true) => "no order of the walk explains both spaces",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_follows_from_the_shares() {
        let provable = Provable { by_roots: 0.45, by_some_pair: 0.76 };
        let reason = |share: f64| explained(&[(0.6, provable), (share, provable)]);
        assert!(reason(0.75).contains("between"));
        assert!(reason(0.9).contains("more than any pair"));
        assert!(reason(0.3).contains("less than the roots"));
        assert!(explained(&[(0.3, provable), (0.9, provable)]).contains("both spaces"));
    }
}
