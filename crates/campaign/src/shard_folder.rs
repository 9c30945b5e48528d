//! Shards in a folder: which chunks are done, and what they come to.

use crate::{Campaign, CampaignError, LeftOut, MergeError, Merged, Shard, merge};
use noli_formats::{bytes_of, write_whole};
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};

/// The shards of a campaign in a folder, where any number of processes may put them at once.
#[derive(Clone, Debug)]
pub struct Folder<'a> {
    campaign: &'a Campaign,
    path: PathBuf,
}

/// Progress of a campaign.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Status {
    /// Number of chunks.
    pub chunks: u64,
    /// Number of chunks with a shard.
    pub done: u64,
    /// Shards of another plan, of other models or of another version, or that cannot be read: they count as missing.
    pub foreign: u64,
    /// Number of chunks without a shard.
    pub missing: u64,
    /// The first of them, sixteen at most.
    pub next: Vec<u64>,
    /// Draws that are answered.
    pub draws_done: u64,
    /// Those that hit.
    pub hits: u64,
}

impl<'a> Folder<'a> {
    /// Shards of a campaign at a path, which need not be there yet.
    pub fn new(campaign: &'a Campaign, path: impl Into<PathBuf>) -> Self {
        Self { campaign, path: path.into() }
    }

    /// Location.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of a chunk's shard.
    pub fn shard_path(&self, chunk: u64) -> PathBuf {
        self.path.join(name(chunk))
    }

    /// The shard of a chunk; `None` if there is none, or none of this campaign.
    pub fn shard(&self, chunk: u64) -> Option<Shard> {
        self.read(chunk).ok()
    }

    /// The shard of a chunk, or the reason that it cannot be counted.
    fn read(&self, chunk: u64) -> Result<Shard, LeftOut> {
        let path = self.shard_path(chunk);
        let left_out = |reason: String| LeftOut { chunk, reason };
        if !path.exists() {
            return Err(left_out("there is no shard".to_owned()));
        }
        let named = |reason: String| left_out(format!("{}: {reason}", path.display()));
        let bytes = bytes_of(&path).map_err(|error| named(error.reason))?;
        let shard = Shard::from_parquet(&bytes).map_err(|error| named(error.to_string()))?;
        if !self.campaign.is_own(&shard) {
            return Err(named("of another plan, other models or another version".to_owned()));
        }
        let range = self.campaign.plan().range(chunk);
        let is_of_chunk = shard.chunk == chunk
            && shard.chunks == self.campaign.chunks()
            && shard.first == range.start
            && shard.first.checked_add(shard.tally.count) == Some(range.end);
        if is_of_chunk { Ok(shard) } else { Err(named("its draws are not those of this chunk".to_owned())) }
    }

    /// The chunks that have no shard, in order.
    pub fn missing(&self) -> Vec<u64> {
        (0..self.campaign.chunks()).filter(|&chunk| self.shard(chunk).is_none()).collect()
    }

    /// Answers a chunk and keeps its shard: the unit of work for any scheduler. Doing it again changes nothing.
    pub fn run(&self, chunk: u64) -> Result<(), CampaignError> {
        let shard = self.campaign.run(chunk)?;
        self.keep(chunk, &shard.to_parquet(), shard.rows_to_parquet().as_deref())
    }

    /// Keeps the shard of a chunk, and its rows, as [`Shard::to_parquet`] and [`Shard::rows_to_parquet`] give them.
    pub fn keep(&self, chunk: u64, shard: &[u8], rows: Option<&[u8]>) -> Result<(), CampaignError> {
        make(&self.path)?;
        if let Some(rows) = rows {
            let folder = self.path.join("rows");
            make(&folder)?;
            write_whole(folder.join(name(chunk)), rows)?;
        }
        // Last: a shard says that its chunk is done.
        Ok(write_whole(self.shard_path(chunk), shard)?)
    }

    /// Returns its progress.
    pub fn status(&self) -> Status {
        let chunks = self.campaign.chunks();
        let next = Vec::new();
        let mut status = Status { chunks, done: 0, foreign: 0, missing: 0, next, draws_done: 0, hits: 0 };
        for chunk in 0..chunks {
            match self.shard(chunk) {
                Some(shard) => {
                    status.done = status.done.saturating_add(1);
                    status.draws_done = status.draws_done.saturating_add(shard.tally.count);
                    status.hits = status.hits.saturating_add(shard.tally.hits);
                }
                None => {
                    let is_there = self.shard_path(chunk).exists();
                    status.missing = status.missing.saturating_add(1);
                    status.foreign = status.foreign.saturating_add(u64::from(is_there));
                    if status.next.len() < 16 {
                        status.next.push(chunk);
                    }
                }
            }
        }
        status
    }

    /// Merges the shards of all chunks. Refused if one is missing or unreadable, unless a part is enough: then
    /// [`Merged::left_out`] names the chunks that are not counted.
    pub fn merge(&self, partial: bool) -> Result<Merged, MergeError> {
        let (mut shards, mut left_out) = (Vec::new(), Vec::new());
        for chunk in 0..self.campaign.chunks() {
            match self.read(chunk) {
                Ok(shard) => shards.push(shard),
                Err(reason) => left_out.push(reason),
            }
        }
        // Without any shard the remedy is another one.
        if !partial && !left_out.is_empty() && !shards.is_empty() {
            return Err(MergeError::Incomplete { left_out, chunks: self.campaign.chunks() });
        }
        Ok(Merged { left_out, ..merge(&shards)? })
    }
}

fn name(chunk: u64) -> String {
    format!("chunk-{chunk:09}.parquet")
}

fn make(folder: &Path) -> Result<(), CampaignError> {
    let wrong = |error| CampaignError::Missing(format!("{} cannot be made: {error}", folder.display()));
    fs::create_dir_all(folder).map_err(wrong)
}
