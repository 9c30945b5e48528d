//! `noli clash`: review of the clashes in a results file.

use crate::check::{parse_results, read_results};
use crate::output::{self, Table, plural};
use anyhow::{Context, Result, bail};
use noli_formats::{LockedFile, Units, bytes_of};
use noli_project::bcf::{Bcf, Taken};
use noli_project::clash::{ClashResults, ClashStatus, KnownBody, KnownClash};
use std::path::{Path, PathBuf};

/// Show a results file of `noli check --results`, and set the statuses of its clashes.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    List(List),
    Set(Set),
    Import(Import),
}

/// Take statuses and comments from BCF topics that were exported before.
#[derive(clap::Args)]
struct Import {
    /// A file of `noli check --results`.
    file: PathBuf,
    /// A BCF file, 2.1 or 3.0.
    bcf: PathBuf,
}

/// List the clashes of a results file.
#[derive(clap::Args)]
struct List {
    /// A file of `noli check --results` or `--json`.
    file: PathBuf,
    /// Only those with this status: new, active, reviewed, approved, resolved. Repeatable.
    #[arg(long, value_name = "STATUS", value_parser = status)]
    status: Vec<ClashStatus>,
    /// One JSON object instead of the table.
    #[arg(long)]
    json: bool,
    /// Comma-separated values instead of the table.
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

/// Give clashes a status, a note or a group.
#[derive(clap::Args)]
struct Set {
    /// A file of `noli check --results`.
    file: PathBuf,
    /// Ids of clashes, as far as they are not ambiguous, or names of groups.
    #[arg(required = true, value_name = "ID|GROUP")]
    which: Vec<String>,
    /// The status: new, active, reviewed, approved or resolved.
    #[arg(long, value_parser = status)]
    status: Option<ClashStatus>,
    /// Note to attach.
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// The group that it belongs to from now on.
    #[arg(long, value_name = "NAME")]
    group: Option<String>,
}

fn status(text: &str) -> Result<ClashStatus, String> {
    let words = || ClashStatus::ALL.map(ClashStatus::word).join(", ");
    ClashStatus::from_word(text).ok_or_else(|| format!("a status is one of {}", words()))
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    match &arguments.command {
        Command::List(list) => run_list(list),
        Command::Set(set) => run_set(set),
        Command::Import(import) => run_import(import),
    }
}

fn run_list(arguments: &List) -> Result<()> {
    let mut results = read_results(&arguments.file)?;
    if !arguments.status.is_empty() {
        results.clashes.retain(|clash| arguments.status.contains(&clash.status));
    }
    if arguments.json {
        return output::print_report("clash", &Listed::new(&results));
    }
    if arguments.csv {
        return output::deliver(Path::new("-"), &results.csv());
    }
    let mut table = Table::new(6, ["id", "status", "kind", "group", "A", "B", "note"]);
    for clash in &results.clashes {
        table.row([
            &clash.id[..clash.id.len().min(8)],
            clash.status.word(),
            clash.kind.word(),
            clash.group.as_deref().unwrap_or("-"),
            &clash.a,
            &clash.b,
            &clash.note,
        ]);
    }
    let table = table.fitted(3..6);
    output::print(&format!("{table}\n{}\n", plural(results.clashes.len(), "clash", "clashes")))
}

/// A results file without the version of its format: the report has one of its own.
#[derive(serde::Serialize)]
struct Listed<'r> {
    format: &'r str,
    source: &'r str,
    units: Option<Units>,
    bodies: &'r [KnownBody],
    clashes: &'r [KnownClash],
}

impl<'r> Listed<'r> {
    fn new(results: &'r ClashResults) -> Self {
        let ClashResults { format, version: _, source, units, bodies, clashes } = results;
        Self { format, source, units: *units, bodies, clashes }
    }
}

fn run_set(arguments: &Set) -> Result<()> {
    // Held until it is written: others who decide at the same time wait.
    let held = LockedFile::open(&arguments.file)?;
    let mut results = parse_results(&arguments.file, held.bytes())?;
    let mut count = 0;
    for which in &arguments.which {
        let numbers = find(&results, which)?;
        for number in numbers {
            let Some(clash) = results.clashes.get_mut(number) else { continue };
            clash.status = arguments.status.unwrap_or(clash.status);
            clash.note = arguments.note.clone().unwrap_or(std::mem::take(&mut clash.note));
            clash.group = arguments.group.clone().or(clash.group.take());
            count = usize::saturating_add(count, 1);
        }
    }
    output::replace_file(held, results.to_json().as_bytes())?;
    output::print(&format!("{} changed\n", plural(count, "clash", "clashes")))
}

fn run_import(arguments: &Import) -> Result<()> {
    let path = &arguments.bcf;
    let bytes = bytes_of(path).map_err(|error| error.in_file(path))?;
    let held = LockedFile::open(&arguments.file)?;
    let mut results = parse_results(&arguments.file, held.bytes())?;
    let topics = Bcf::from_bytes(&bytes).with_context(|| path.display().to_string())?;
    let Taken { changed, strange, unknown } = topics.take(&mut results);
    for title in &strange {
        output::warn(&format!("the topic {title:?} is about no group of these results"));
    }
    for word in &unknown {
        output::warn(&format!("{word:?} is no status that is known: left as it was"));
    }
    output::replace_file(held, results.to_json().as_bytes())?;
    output::print(&format!("{} changed\n", plural(changed, "clash", "clashes")))
}

/// The clashes of a group, or the one whose id begins so.
fn find(results: &ClashResults, which: &str) -> Result<Vec<usize>> {
    let numbers = |fits: &dyn Fn(&KnownClash) -> bool| -> Vec<usize> {
        let clashes = results.clashes.iter().enumerate();
        clashes.filter(|(_, clash)| fits(clash)).map(|(number, _)| number).collect()
    };
    let of_group = numbers(&|clash| clash.group.as_deref() == Some(which));
    if !of_group.is_empty() {
        return Ok(of_group);
    }
    match numbers(&|clash| clash.id.starts_with(which)) {
        found if found.len() == 1 => Ok(found),
        found if found.is_empty() => {
            bail!("no clash and no group is called {which:?}; `noli clash list` shows all")
        }
        found => bail!("the ids of {} clashes begin with {which:?}; give more of it", found.len()),
    }
}
