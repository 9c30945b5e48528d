//! Very many questions, in chunks that anybody may run twice.
//!
//! A [`Plan`] names what is asked: bodies of a scene or a robot, a generator of draws, a question, how many draws and
//! how many to a chunk. A [`Campaign`] is a plan with its models loaded. [`Campaign::run`] answers one chunk, from its
//! number alone: draw `i` depends on the seed and on `i`, by a counter-based generator and arithmetic that is the same
//! to the last bit everywhere, so the [`Shard`] has the same bytes whoever made it. [`merge`] adds shards up and
//! refuses those of another plan, of other models or of another version. A [`Folder`] keeps shards as files.

mod answer;
mod device;
mod draw;
mod fingerprint;
mod folder;
mod merge;
mod number;
mod open;
mod parquet;
mod plan;
mod shard;

pub use draw::{Draw, Draws, Generator};
pub use folder::{Folder, Status};
pub use merge::{MergeError, Merged, PairShare, Share, Smallest, merge};
pub use number::ln;
pub use open::{Campaign, CampaignError};
pub use plan::{
    Cloud, Deviation, Drawing, Histogram, Plan, PlanError, Question, Spread, Subject, Turn, Where,
};
pub use shard::{Row, Shard, ShardError, Tally, Witness};

/// The version that answers are of: shards of different ones are not added up.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The examples of the readme are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
