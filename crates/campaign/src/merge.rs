//! Shards added up.

use crate::{Shard, Tally, Witness};
use serde::Serialize;

/// A share with bounds that hold with 95 % confidence (Wilson 1927).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Share {
    /// Result.
    pub found: f64,
    /// Not less than this.
    pub at_least: f64,
    /// Not more than this.
    pub at_most: f64,
}

impl Share {
    /// Of so many hits among so many draws; draws of which nothing is known count for the upper bound.
    pub fn new(hits: u64, unknown: u64, count: u64) -> Self {
        let bounds = |hits: u64| {
            let (n, p) = (count as f64, hits as f64 / count as f64);
            // The quantile of the normal distribution that leaves 2.5 % on either side.
            let z = 1.959_963_984_540_054;
            let z2 = z * z;
            let center = p + z2 / (2.0 * n);
            let half = z * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
            let scale = 1.0 + z2 / n;
            [((center - half) / scale).max(0.0), ((center + half) / scale).min(1.0)]
        };
        if count == 0 {
            return Self { found: 0.0, at_least: 0.0, at_most: 1.0 };
        }
        let at_least = if hits == 0 { 0.0 } else { bounds(hits)[0] };
        let most = hits.saturating_add(unknown);
        let at_most = if most == count { 1.0 } else { bounds(most)[1] };
        Self { found: hits as f64 / count as f64, at_least, at_most }
    }
}

/// Result of a campaign, or of a part of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Merged {
    /// Name of the campaign.
    pub name: String,
    /// Fingerprint of the plan.
    pub plan: String,
    /// Fingerprint of the models.
    pub models: String,
    /// Version of noli.
    #[serde(rename = "noli_version")]
    pub version: String,
    /// Seed of the draws.
    pub seed: u64,
    /// Number of chunks included.
    pub chunks_done: u64,
    /// Of how many.
    pub chunks: u64,
    /// Number of draws.
    pub count: u64,
    /// Number of hits among them.
    pub hits: u64,
    /// Of how many nothing is proven.
    pub unknown: u64,
    /// Probability of a hit.
    pub share: Share,
    /// The smallest clearance or earliest time, and its draw; the first hit if only hits were queried.
    pub smallest: Option<Smallest>,
    /// Histogram of clearances or times.
    pub histogram: Vec<u64>,
    /// Hits of each pair, the most frequent first.
    pub pairs: Vec<PairShare>,
    /// Chunks that are not counted, if only a part was to be added up.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
}

/// A chunk that is not counted, and the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Its number.
    pub chunk: u64,
    /// Reason.
    pub reason: String,
}

/// Formats the first chunks that are left out, and the number of the others.
fn first_of(left_out: &[LeftOut]) -> String {
    const SHOWN: usize = 8;
    let mut text: Vec<String> =
        left_out.iter().take(SHOWN).map(|one| format!("chunk {}: {}", one.chunk, one.reason)).collect();
    if let Some(more @ 1..) = left_out.len().checked_sub(SHOWN) {
        text.push(format!("and {more} more"));
    }
    text.join("; ")
}

/// The draw that is nearest to a hit, or the first that is one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Smallest {
    /// Its number.
    pub index: u64,
    /// A lower bound on the clearance or time; `null` where it has none.
    pub at_least: Option<f64>,
    /// An upper bound.
    pub at_most: Option<f64>,
    /// The draw itself.
    pub draw: Vec<f64>,
}

/// Clash probability of two bodies.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairShare {
    /// Both names.
    pub pair: String,
    /// Number of hits.
    pub hits: u64,
    /// Probability.
    pub share: Share,
}

/// Reason that shards cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// There are none.
    #[error("there is no shard; run some chunks first")]
    Empty,
    /// Shards are missing or unreadable.
    #[error("{} of {chunks} chunks cannot be counted: {}; run `resume`, or add up the others with --partial",
        left_out.len(), first_of(left_out))]
    Incomplete {
        /// The chunks, with reasons.
        left_out: Vec<LeftOut>,
        /// Number of all chunks.
        chunks: u64,
    },
    /// Counts that no chunk can have.
    #[error("the counts of chunk {0} contradict each other; remove its shard and run it again")]
    Implausible(u64),
    /// Two shards of one chunk with different content.
    #[error("chunk {0} is there twice with different results; remove both shards and run it again")]
    Conflict(u64),
    /// Shards of different campaigns.
    #[error(
        "chunk {chunk} is of another {what} than chunk {first}; remove the shards of one of them, or use another folder"
    )]
    Other {
        /// The chunk that differs.
        chunk: u64,
        /// The first chunk.
        first: u64,
        /// In what.
        what: &'static str,
    },
}

/// Adds shards up, whatever order they come in: the result depends only on which chunks there are. Shards of another
/// plan, of other models or of another version are refused; the same chunk twice counts once.
pub fn merge(shards: &[Shard]) -> Result<Merged, MergeError> {
    let mut order: Vec<&Shard> = shards.iter().collect();
    order.sort_by_key(|shard| shard.chunk);
    let Some(&first) = order.first() else { return Err(MergeError::Empty) };
    let mut tally = Tally::default();
    let (mut last, mut done): (Option<&Shard>, u64) = (None, 0);
    for shard in order {
        let differs = [
            ("plan", shard.plan != first.plan || shard.seed != first.seed || shard.chunks != first.chunks),
            ("set of models", shard.models != first.models),
            ("version of noli", shard.version != first.version),
        ];
        if let Some((what, _)) = differs.into_iter().find(|(_, differs)| *differs) {
            return Err(MergeError::Other { chunk: shard.chunk, first: first.chunk, what });
        }
        if let Some(last) = last.filter(|last| last.chunk == shard.chunk) {
            if last.tally != shard.tally {
                return Err(MergeError::Conflict(shard.chunk));
            }
            continue;
        }
        // All other counts are at most that of draws.
        if !shard.is_plausible() || tally.count.checked_add(shard.tally.count).is_none() {
            return Err(MergeError::Implausible(shard.chunk));
        }
        tally.add(&shard.tally);
        (last, done) = (Some(shard), done.saturating_add(1));
    }
    let finite = |x: f64| x.is_finite().then_some(x);
    let smallest = tally.smallest.map(|Witness { index, at_least, at_most, numbers }| Smallest {
        index,
        at_least: finite(at_least),
        at_most: finite(at_most),
        draw: numbers,
    });
    let share = |hits: u64, unknown: u64| Share::new(hits, unknown, tally.count);
    let mut pairs: Vec<PairShare> = first
        .pairs
        .iter()
        .zip(&tally.pair_hits)
        .map(|(pair, &hits)| PairShare { pair: pair.clone(), hits, share: share(hits, 0) })
        .collect();
    pairs.sort_by(|a, b| b.hits.cmp(&a.hits).then_with(|| a.pair.cmp(&b.pair)));
    Ok(Merged {
        name: first.name.clone(),
        plan: first.plan.clone(),
        models: first.models.clone(),
        version: first.version.clone(),
        seed: first.seed,
        chunks_done: done,
        chunks: first.chunks,
        count: tally.count,
        hits: tally.hits,
        unknown: tally.unknown,
        share: share(tally.hits, tally.unknown),
        smallest,
        histogram: tally.histogram,
        pairs,
        left_out: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Exact coverage by summing the binomial distribution: near 95 % where shares are not extreme.
    #[test]
    fn bounds_cover_what_they_promise() {
        let n = 200u64;
        for p in [0.02, 0.1, 0.5, 0.9] {
            let (mut weight, mut covered): (f64, f64) = ((1.0f64 - p).powi(n as i32), 0.0);
            for hits in 0..=n {
                let share = Share::new(hits, 0, n);
                if share.at_least <= p && p <= share.at_most {
                    covered += weight;
                }
                weight *= (n - hits) as f64 / (hits + 1) as f64 * p / (1.0 - p);
            }
            assert!((0.92..=0.985).contains(&covered), "{p}: {covered}");
        }
        assert_eq!(Share::new(0, 0, 100).at_least, 0.0);
        assert_eq!(Share::new(100, 0, 100).at_most, 1.0);
        assert!(Share::new(0, 10, 100).at_most > 0.1);
    }
}
