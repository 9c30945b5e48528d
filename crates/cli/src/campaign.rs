//! `noli campaign`: very many questions in chunks, resumable, here or on a cluster.

use crate::output::{self, Progress, Table, short};
use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;
use noli_campaign::{Campaign, Merged, Shard, merge};
use noli_io::write_whole;
use serde::Serialize;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Very many questions, in chunks that anybody may run twice.
///
/// A plan (TOML; docs/campaigns.md) names a scene or a robot, a seeded generator of poses, ways, configurations or
/// deviations, a question and a range. Without an action all chunks that are missing are run here, on all
/// processors, and added up. A chunk depends on nothing but its number: any scheduler may call `run --chunk K`, here
/// and elsewhere, again and at once.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The plan, and what to do with it, in either order: `plan` shows what there is to do, `run` answers chunks
    /// (all, or those that --chunk names), `status` counts shards, `resume` runs what is missing, `merge` adds up.
    #[arg(value_name = "PLAN.toml | ACTION", required = true, num_args = 1..=2)]
    words: Vec<String>,
    /// The chunk to run, from 0. Repeatable.
    #[arg(long, value_name = "K")]
    chunk: Vec<u64>,
    /// The folder of the shards; by default the plan's name with `.campaign` beside the plan.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Run chunks again that are there already.
    #[arg(long)]
    again: bool,
    /// How many threads work; by default one for each processor.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Print one JSON object instead of a table.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Action {
    Plan,
    Run,
    Status,
    Resume,
    Merge,
}

impl Arguments {
    /// Which word is the action; one that is a file is the plan.
    fn parts(&self) -> Result<(PathBuf, Option<Action>)> {
        let action = |word: &str| Action::from_str(word, false).ok();
        match &self.words[..] {
            [plan] if action(plan).is_some() && !Path::new(plan).exists() => {
                bail!("`campaign {plan}` needs a plan: noli campaign PLAN.toml {plan}")
            }
            [plan] => Ok((plan.into(), None)),
            [a, b] => match (action(a), action(b)) {
                (_, Some(action)) => Ok((a.into(), Some(action))),
                (Some(action), None) => Ok((b.into(), Some(action))),
                (None, None) => bail!("{b} is no action; there are plan, run, status, resume and merge"),
            },
            _ => bail!("give a plan and at most one action"),
        }
    }
}

#[derive(Serialize)]
struct Planned<'a> {
    name: &'a str,
    question: &'a str,
    seed: u64,
    count: u64,
    chunk: u64,
    chunks: u64,
    plan: &'a str,
    models: &'a str,
    version: &'a str,
    out: String,
}

#[derive(Serialize)]
struct Status {
    name: String,
    out: String,
    chunks: u64,
    done: u64,
    /// Shards of another plan, of other models or of another version, or that cannot be read.
    foreign: u64,
    missing: u64,
    /// The first of them.
    next: Vec<u64>,
    draws_done: u64,
    hits: u64,
}

struct Folder<'a> {
    campaign: &'a Campaign,
    path: PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let (plan, action) = arguments.parts()?;
    ensure!(
        arguments.chunk.is_empty() || action == Some(Action::Run),
        "--chunk says what `run` runs: noli campaign {} run --chunk 0",
        plan.display()
    );
    crate::on_threads(arguments.threads, || {
        let campaign = Campaign::open(&plan)?;
        let path = arguments.out.clone().unwrap_or_else(|| plan.with_extension("campaign"));
        let folder = Folder { campaign: &campaign, path };
        match action {
            Some(Action::Plan) => folder.plan(arguments),
            Some(Action::Status) => folder.status(arguments),
            Some(Action::Merge) => folder.merge(arguments),
            Some(Action::Run) => {
                let chunks = match &arguments.chunk[..] {
                    [] => (0..campaign.chunks()).collect(),
                    chosen => chosen.to_vec(),
                };
                folder.run(&chunks, arguments)?;
                folder.status(arguments)
            }
            Some(Action::Resume) | None => {
                folder.run(&(0..campaign.chunks()).collect::<Vec<_>>(), arguments)?;
                folder.merge(arguments)
            }
        }
    })
}

impl Folder<'_> {
    fn shard_path(&self, chunk: u64) -> PathBuf {
        self.path.join(format!("chunk-{chunk:09}.parquet"))
    }

    /// The shard of a chunk; `None` if there is none or none of this campaign.
    fn shard(&self, chunk: u64) -> Option<Shard> {
        let shard = Shard::from_parquet(fs::read(self.shard_path(chunk)).ok()?).ok()?;
        (self.campaign.is_own(&shard) && shard.chunk == chunk).then_some(shard)
    }

    fn run(&self, chunks: &[u64], arguments: &Arguments) -> Result<()> {
        fs::create_dir_all(&self.path).with_context(|| format!("{} cannot be made", self.path.display()))?;
        let progress = Progress::new(chunks.len());
        for &chunk in chunks {
            progress.step("chunks");
            if !arguments.again && self.shard(chunk).is_some() {
                continue;
            }
            let shard = self.campaign.run(chunk)?;
            if let Some(rows) = shard.rows_to_parquet()? {
                let folder = self.path.join("rows");
                fs::create_dir_all(&folder)
                    .with_context(|| format!("{} cannot be made", folder.display()))?;
                write_whole(folder.join(format!("chunk-{chunk:09}.parquet")), &rows)?;
            }
            // Last: a shard says that its chunk is done.
            write_whole(self.shard_path(chunk), &shard.to_parquet()?)?;
        }
        Ok(())
    }

    fn plan(&self, arguments: &Arguments) -> Result<()> {
        let plan = self.campaign.plan();
        let planned = Planned {
            name: &plan.name,
            question: plan.question.word(),
            seed: plan.seed,
            count: plan.count,
            chunk: plan.chunk,
            chunks: plan.chunks(),
            plan: self.campaign.plan_fingerprint(),
            models: self.campaign.models_fingerprint(),
            version: noli_campaign::VERSION,
            out: self.path.display().to_string(),
        };
        if arguments.json {
            return output::print_json(&planned);
        }
        let mut table = Table::new(2, ["", ""]);
        table.row(["campaign", &plan.name]);
        table.row(["question", planned.question]);
        table.row(["draws", &format!("{} from seed {}", plan.count, plan.seed)]);
        table.row(["chunks", &format!("{} of {}", plan.chunks(), plan.chunk)]);
        table.row(["plan", planned.plan]);
        table.row(["models", planned.models]);
        table.row(["shards in", &planned.out]);
        output::print(&table.to_string())
    }

    fn status(&self, arguments: &Arguments) -> Result<()> {
        let chunks = self.campaign.chunks();
        let mut status = Status {
            name: self.campaign.plan().name.clone(),
            out: self.path.display().to_string(),
            chunks,
            done: 0,
            foreign: 0,
            missing: 0,
            next: Vec::new(),
            draws_done: 0,
            hits: 0,
        };
        for chunk in 0..chunks {
            match self.shard(chunk) {
                Some(shard) => {
                    status.done += 1;
                    status.draws_done += shard.tally.count;
                    status.hits += shard.tally.hits;
                }
                None => {
                    status.missing += 1;
                    status.foreign += u64::from(self.shard_path(chunk).exists());
                    if status.next.len() < 16 {
                        status.next.push(chunk);
                    }
                }
            }
        }
        if arguments.json {
            return output::print_json(&status);
        }
        let mut text = format!(
            "{}: {} of {} chunks done, {} draws, {} hits\n",
            status.name, status.done, status.chunks, status.draws_done, status.hits
        );
        if status.foreign > 0 {
            let _ = writeln!(
                text,
                "{} shards in {} are of another plan, other models or another version, or cannot be read: they will be \
                 run again",
                status.foreign, status.out
            );
        }
        output::print(&text)
    }

    fn merge(&self, arguments: &Arguments) -> Result<()> {
        let shards: Vec<Shard> = (0..self.campaign.chunks()).filter_map(|chunk| self.shard(chunk)).collect();
        let merged = merge(&shards)?;
        let json = output::json(&merged)?;
        write_whole(self.path.join("merged.json"), json.as_bytes())?;
        if arguments.json { output::print(&format!("{json}\n")) } else { output::print(&text(&merged)) }
    }
}

fn text(merged: &Merged) -> String {
    let mut table = Table::new(2, ["", ""]);
    let share = |share: &noli_campaign::Share| {
        format!(
            "{} ({} to {} with 95 % confidence)",
            short(share.found),
            short(share.at_least),
            short(share.at_most)
        )
    };
    table.row(["campaign", &merged.name]);
    table.row(["chunks", &format!("{} of {}", merged.chunks_done, merged.chunks)]);
    table.row(["draws", &merged.count.to_string()]);
    table.row(["hits", &merged.hits.to_string()]);
    if merged.unknown > 0 {
        table.row(["not known", &merged.unknown.to_string()]);
    }
    table.row(["share of hits", &share(&merged.share)]);
    if let Some(smallest) = &merged.smallest {
        let most = smallest.at_most.map_or_else(|| "open".to_owned(), short);
        table.row(["smallest", &format!("{most} at draw {}", smallest.index)]);
    }
    let mut text = table.to_string();
    if !merged.pairs.is_empty() {
        let mut pairs = Table::new(1, ["pair", "hits", "share"]);
        for pair in merged.pairs.iter().take(20) {
            pairs.row([pair.pair.clone(), pair.hits.to_string(), share(&pair.share)]);
        }
        let _ = write!(text, "\n{pairs}");
    }
    text
}
