//! The surfaces that are damaged.

use crate::connection::Studio;
use crate::damage::damaged;
use crate::files::{Conversion, Database, ShardFile};
use noli_testing::Random;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

/// Their names.
pub const NAMES: [&str; 5] = ["database", "shard", "conversion", "http", "websocket"];

#[allow(clippy::large_enum_variant, reason = "a handful of them exist")]
pub enum Target {
    Database(Database),
    Shard(ShardFile),
    Conversion(Conversion),
    Http(Studio),
    WebSocket(Studio),
}

/// Runs this program again with the variables of a target that needs some; `None` if they are set or none is needed.
pub fn restarted(name: &str) -> Option<ExitCode> {
    let needs_cache = name == "conversion" && std::env::var_os(Conversion::STARTED).is_none();
    needs_cache.then(Conversion::restart)
}

impl Target {
    /// A target by its name.
    pub fn new(name: &str) -> Self {
        match name {
            "database" => Self::Database(Database::new()),
            "shard" => Self::Shard(ShardFile::new()),
            "conversion" => Self::Conversion(Conversion::new()),
            "http" => Self::Http(Studio::start()),
            _ => Self::WebSocket(Studio::start()),
        }
    }

    /// The next input.
    pub fn input(&mut self, random: &mut Random) -> Vec<u8> {
        match self {
            Self::Database(database) => database.input(random),
            Self::Shard(shard) => damaged(random, &shard.bytes, &[b"PAR1", &[0xff; 8], &[0; 8]]),
            Self::Conversion(kept) => {
                damaged(random, &kept.bytes, &[b"f 1 2 3\n", b"v 0 0 0\n", b"# warning: \n"])
            }
            Self::Http(studio) => studio.request(random),
            Self::WebSocket(studio) => studio.frames(random),
        }
    }

    /// Takes an input to its answer: `true` if it was refused; an error if something happened that must not.
    pub fn execute(&mut self, input: &[u8]) -> Result<bool, String> {
        let run = || match self {
            Self::Database(database) => database.execute(input),
            Self::Shard(shard) => shard.execute(input),
            Self::Conversion(kept) => kept.execute(input),
            Self::Http(studio) => studio.execute_request(input),
            Self::WebSocket(studio) => studio.execute_frames(input),
        };
        catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Err("panicked".to_owned()))
    }
}
