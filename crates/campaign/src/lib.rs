//! Very many queries, in chunks that can be run repeatedly on any machine.
//!
//! A [`Plan`] defines the bodies of a scene or a robot, a generator of draws, a query, the number of draws
//! and the chunk size. A [`Campaign`] is a plan with its models loaded. [`Campaign::run`] computes one chunk
//! from its number alone. Draw `i` depends on the seed and on `i`, by a counter-based generator and
//! arithmetic that is the same to the last bit everywhere. The [`Shard`] therefore has the same bytes on
//! every machine. [`merge`] adds shards up and rejects those of another plan, of other models or of another
//! version. A [`Folder`] keeps shards as files.

// Numbers of files are not to be cut, to wrap or to be looked up unchecked.
#![cfg_attr(
    not(test),
    warn(
        clippy::arithmetic_side_effects,
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "places in lists of its own making, and counts of at most 10^8 draws of a chunk"
)]
mod answer;
mod device;
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "bits of numbers, taken apart on purpose"
)]
mod exact_arithmetic;
mod fingerprint;
mod loaded_plan;
mod merge;
mod parquet;
mod plan;
mod plan_table;
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a generator of bits: words are cut on purpose, and blocks counted from 0"
)]
mod random_draws;
mod shard;
mod shard_folder;

pub use exact_arithmetic::ln;
pub use loaded_plan::{Campaign, CampaignError};
pub use merge::{LeftOut, MergeError, Merged, PairShare, Share, Smallest, merge};
pub use plan::{
    Cloud, Deviation, Drawing, Histogram, Plan, Question, RobotFiles, Spread, Subject, Turn, Where,
};
pub use plan_table::PlanError;
pub use random_draws::{Draw, Draws, Generator};
pub use shard::{Row, Shard, ShardError, Tally, Witness};
pub use shard_folder::{Folder, Status};

/// The version that answers are of: shards of different ones are not added up.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The examples of the readme are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
