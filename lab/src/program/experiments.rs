//! `noli-lab list`, `run` and `report`: published experiments, compared with their printed figures.

use anyhow::{Result, bail};
use noli_cli::output::{Progress, Table, print, print_json};
use noli_lab::{Experiment, Record, Size, Store, Verdict};
use std::path::PathBuf;

/// The folder of records.
#[derive(clap::Args)]
pub(crate) struct Records {
    /// The folder of records, one folder for each machine.
    #[arg(long, value_name = "FOLDER", default_value = "lab/record")]
    record: PathBuf,
}

#[derive(clap::Subcommand)]
pub(crate) enum Action {
    /// List the experiments.
    List {
        /// Print one JSON object instead of a table.
        #[arg(long)]
        json: bool,
    },
    /// Run an experiment and keep its record.
    Run {
        #[command(flatten)]
        records: Records,
        /// Its name, or `all`.
        name: String,
        /// Run only a sample, in seconds; the record is not kept.
        #[arg(long)]
        sample: bool,
        /// Change a setting of the experiment's config.toml, such as steps=10000; the record is not kept.
        #[arg(long = "set", value_name = "KEY=VALUE", value_parser = setting)]
        settings: Vec<(String, String)>,
        /// Print the record as JSON instead of tables.
        #[arg(long)]
        json: bool,
    },
    /// Write one page with all records.
    Report {
        #[command(flatten)]
        records: Records,
        /// Output file.
        #[arg(long, value_name = "FILE", default_value = "lab-report.html")]
        html: PathBuf,
    },
}

pub(crate) fn run(action: &Action) -> Result<()> {
    match action {
        Action::List { json } => list(*json),
        Action::Run { records, name, sample, settings, json } => {
            let store = Store::new(&records.record);
            let size = if *sample { Size::Sample } else { Size::Full };
            let chosen: Vec<&Experiment> = if name == "all" {
                noli_lab::list().iter().collect()
            } else {
                vec![Experiment::named(name)?]
            };
            if let [only] = chosen[..] {
                return run_one(only, (size, settings), *json, &store);
            }
            // One that lacks its data does not keep the others from running.
            let mut failed = Vec::new();
            for experiment in chosen {
                if let Err(error) = run_one(experiment, (size, settings), *json, &store) {
                    failed.push(format!("{error:#}"));
                }
            }
            match &failed[..] {
                [] => Ok(()),
                failed => bail!("{}", failed.join("\n")),
            }
        }
        Action::Report { records: Records { record }, html } => {
            let records = Store::new(record).all()?;
            if records.is_empty() {
                bail!("there are no records in {}; run an experiment first", record.display());
            }
            noli_lab::report::write(&records, html)?;
            print(&format!(
                "{} in {}\n",
                noli_cli::output::plural(records.len(), "experiment", "experiments"),
                html.display()
            ))
        }
    }
}

fn list(json: bool) -> Result<()> {
    if json {
        let one = |e: &Experiment| {
            serde_json::json!({
                "name": e.name, "title": e.title, "source": e.source, "chapter": e.chapter, "duration": e.duration,
            })
        };
        let all: Vec<_> = noli_lab::list().iter().map(one).collect();
        return print_json(&serde_json::json!({ "experiments": all }));
    }
    let mut table = Table::new(5, ["experiment", "what it is", "chapter", "full run", "source"]);
    noli_lab::list().iter().for_each(|e| table.row([e.name, e.title, e.chapter, e.duration, e.source]));
    print(&table.to_string())
}

fn setting(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("give a setting and its value: steps=10000")?;
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}

fn run_one(
    experiment: &Experiment,
    (size, settings): (Size, &[(String, String)]),
    json: bool,
    store: &Store,
) -> Result<()> {
    let progress = Progress::new(0);
    let record = experiment.run(size, settings, &mut |what| progress.step(what))?;
    drop(progress);
    if json {
        print_json(&record)?
    } else {
        print(&text(&record))?
    }
    if size == Size::Full && settings.is_empty() {
        let path = store.keep(&record)?;
        if !json {
            print(&format!("kept in {}\n", path.display()))?;
        }
    }
    Ok(())
}

fn text(record: &Record) -> String {
    let mut out = String::new();
    for table in &record.tables {
        out += &crate::measured::table(table);
        out.push('\n');
    }
    for finding in &record.findings {
        let word = match finding.verdict {
            Verdict::Confirmed => "confirmed",
            Verdict::Partly => "in part",
            Verdict::Refuted => "not confirmed",
            Verdict::Open => "cannot be decided",
        };
        out += &format!("{word}: {}\n    {}\n", finding.claim, finding.why);
    }
    let lacking = record.notes.iter().filter(|note| note.contains("NOLI_DATA"));
    lacking.for_each(|note| out += &format!("left out: {note}\n"));
    out + "Figures in brackets are printed in the source.\n"
}
