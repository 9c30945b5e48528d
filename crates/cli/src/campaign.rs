//! `noli campaign`: very many questions in chunks, resumable, here or on a cluster.

use crate::output::{self, Progress, Table, short};
use anyhow::{Result, bail, ensure};
use clap::ValueEnum;
use noli::query::{Clock, SteadyClock};
use noli_ask::quantity::duration;
use noli_campaign::{Campaign, Folder, Merged, Status};
use serde::Serialize;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Run very many queries, in chunks that may be run twice.
///
/// A plan (TOML; docs/campaigns.md) names a scene or a robot, a seeded generator of poses, paths,
/// configurations or deviations, a query and a range. Without an action all missing chunks are run here, on all
/// CPUs, and added up. A chunk depends only on its number: any scheduler may call `run --chunk K`, here and
/// elsewhere, repeatedly and concurrently.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The plan, and what to do with it, in either order: `plan` shows what there is to do, `run` answers chunks
    /// (all, or those that --chunk names), `status` counts shards, `resume` runs what is missing, `merge` adds up.
    #[arg(value_name = "PLAN.toml | ACTION", required = true, num_args = 1..=2)]
    words: Vec<String>,
    /// The chunk to run, from 0. Repeatable.
    #[arg(long, value_name = "K")]
    chunk: Vec<u64>,
    /// Folder of the shards; by default the plan's name with `.campaign`, next to the plan.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Run chunks again that are there already.
    #[arg(long)]
    again: bool,
    /// Number of threads; by default one for each CPU.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Compute verdicts on a CUDA GPU if there is one: the shards are the same. A plan may set it too:
    /// device = "cuda".
    #[arg(long)]
    gpu: bool,
    /// Add up the shards that are there, though others are missing or unreadable; names those.
    #[arg(long)]
    partial: bool,
    /// Print one JSON object instead of a table.
    #[arg(long)]
    json: bool,
    /// Time limit, such as `10min`: no chunk begins after it; `resume` goes on.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time: Option<Duration>,
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
    /// Returns the plan and the action; a word that names a file is the plan.
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
    noli_version: &'a str,
    out: String,
}

#[derive(Serialize)]
struct Told<'a> {
    name: &'a str,
    out: String,
    #[serde(flatten)]
    status: Status,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let (plan, action) = arguments.parts()?;
    ensure!(
        arguments.chunk.is_empty() || action == Some(Action::Run),
        "--chunk says what `run` runs: noli campaign {} run --chunk 0",
        plan.display()
    );
    ensure!(
        !arguments.partial || action == Some(Action::Merge),
        "--partial says what `merge` adds up: noli campaign {} merge --partial",
        plan.display()
    );
    ensure!(
        arguments.time.is_none() || matches!(action, None | Some(Action::Run | Action::Resume)),
        "--time limits what is run: noli campaign {} run --time 30s",
        plan.display()
    );
    crate::on_threads(arguments.threads, || {
        let mut campaign = Campaign::open(&plan)?;
        if arguments.gpu {
            campaign = campaign.on_gpu()?;
            if campaign.device() == "CPU" {
                output::warn("--gpu: no usable GPU, or no batches for this question on one; the CPU answers");
            }
        }
        let path = arguments.out.clone().unwrap_or_else(|| plan.with_extension("campaign"));
        let folder = Folder::new(&campaign, path);
        match action {
            Some(Action::Plan) => show_plan(&campaign, &folder, arguments),
            Some(Action::Status) => show_status(&campaign, &folder, arguments),
            Some(Action::Merge) => show_merged(&folder, arguments),
            Some(Action::Run) => {
                let chunks = match &arguments.chunk[..] {
                    [] => (0..campaign.chunks()).collect(),
                    chosen => chosen.to_vec(),
                };
                run_chunks(&folder, &chunks, arguments)?;
                show_status(&campaign, &folder, arguments)
            }
            Some(Action::Resume) | None => {
                run_chunks(&folder, &(0..campaign.chunks()).collect::<Vec<_>>(), arguments)?;
                show_merged(&folder, arguments)
            }
        }
    })
}

fn run_chunks(folder: &Folder<'_>, chunks: &[u64], arguments: &Arguments) -> Result<()> {
    let (clock, progress) = (SteadyClock::start(), Progress::new(chunks.len()));
    for (number, &chunk) in chunks.iter().enumerate() {
        progress.step("chunks");
        if !arguments.again && folder.shard(chunk).is_some() {
            continue;
        }
        ensure!(
            arguments.time.is_none_or(|most| clock.now() < most),
            "--time was reached after {number} of {} chunks, which are kept; go on with `resume`",
            chunks.len()
        );
        folder.run(chunk)?;
    }
    Ok(())
}

fn show_plan(campaign: &Campaign, folder: &Folder<'_>, arguments: &Arguments) -> Result<()> {
    let plan = campaign.plan();
    let planned = Planned {
        name: &plan.name,
        question: plan.question.word(),
        seed: plan.seed,
        count: plan.count,
        chunk: plan.chunk,
        chunks: plan.chunks(),
        plan: campaign.plan_fingerprint(),
        models: campaign.models_fingerprint(),
        noli_version: noli_campaign::VERSION,
        out: folder.path().display().to_string(),
    };
    if arguments.json {
        return output::print_report("campaign-plan", &planned);
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

fn show_status(campaign: &Campaign, folder: &Folder<'_>, arguments: &Arguments) -> Result<()> {
    let out = folder.path().display().to_string();
    let told = Told { name: &campaign.plan().name, out, status: folder.status() };
    if arguments.json {
        return output::print_report("campaign-status", &told);
    }
    let Told { name, out, status } = told;
    let mut text = format!(
        "{name}: {} of {} done, {}, {}\n",
        status.done,
        output::plural(status.chunks as usize, "chunk", "chunks"),
        output::plural(status.draws_done as usize, "draw", "draws"),
        output::plural(status.hits as usize, "hit", "hits")
    );
    if status.foreign > 0 {
        let _ = writeln!(
            text,
            "{} shards in {out} are of another plan, other models or another version, or cannot be read: they will be \
             run again",
            status.foreign
        );
    }
    output::print(&text)
}

fn show_merged(folder: &Folder<'_>, arguments: &Arguments) -> Result<()> {
    let merged = folder.merge(arguments.partial)?;
    for left_out in &merged.left_out {
        output::warn(&format!("chunk {} is not counted: {}", left_out.chunk, left_out.reason));
    }
    let json = output::report_json("campaign", &merged)?;
    output::write_file(&folder.path().join("merged.json"), json.as_bytes())?;
    if arguments.json { output::deliver(Path::new("-"), &json) } else { output::print(&text(&merged)) }
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
