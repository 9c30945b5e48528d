//! Record of an experiment's run, and its storage.

use crate::Machine;
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Size of an experiment's run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Size {
    /// As published, or larger.
    Full,
    /// Enough to see that it works.
    Sample,
}

/// Results of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// Name of the experiment.
    pub experiment: String,
    /// Machine of the run.
    pub machine: Machine,
    /// The day it ran, year-month-day.
    pub date: String,
    /// Size of the run.
    pub size: Size,
    /// Every setting it ran with, as `config.toml` writes it.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
    /// Those that were not as `config.toml` has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
    /// Elapsed time, in seconds.
    pub seconds: f64,
    /// Differences from the source, with reasons.
    pub notes: Vec<String>,
    /// Findings on the source's claims.
    pub findings: Vec<Finding>,
    /// Figures.
    pub tables: Vec<Table>,
    /// Pictures.
    pub plots: Vec<Plot>,
}

/// Finding on one claim.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// Claim of the source.
    pub claim: String,
    /// Verdict of this run.
    pub verdict: Verdict,
    /// The figures that decide, and the reason where it does not.
    pub why: String,
}

/// Agreement of a run with a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It does.
    Confirmed,
    /// It does in part.
    Partly,
    /// It does not.
    Refuted,
    /// It is undecided.
    Open,
}

impl Verdict {
    /// Confirmed if so, refuted if not.
    pub fn of(agrees: bool) -> Self {
        if agrees { Self::Confirmed } else { Self::Refuted }
    }
}

/// Rows of figures.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Table {
    /// Description of the scene's purpose.
    pub title: String,
    /// Headings, that of the labels first.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Row>,
}

/// One row.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// Its first column.
    pub label: String,
    /// The others.
    pub cells: Vec<Cell>,
}

/// One figure.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Cell {
    /// Measured here.
    Ours(f64),
    /// Measured here, and what the source printed.
    Beside {
        /// Measured here.
        ours: f64,
        /// Printed in the source.
        printed: f64,
    },
    /// Printed in the source, not measured here.
    Printed {
        /// Printed in the source.
        printed: f64,
    },
    /// Words.
    Text(String),
}

impl Table {
    /// A table without rows.
    pub fn new(title: impl Into<String>, columns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { title: title.into(), columns: columns.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Add a row.
    pub fn row(&mut self, label: impl Into<String>, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(Row { label: label.into(), cells: cells.into_iter().collect() });
    }
}

/// A picture.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Plot {
    /// Description of the scene's purpose.
    pub title: String,
    /// Label of the horizontal axis.
    pub x: String,
    /// Label of the vertical axis.
    pub y: String,
    /// Lines or bars.
    pub shape: Shape,
    /// Names of the places on the horizontal axis; empty where it is a number.
    pub places: Vec<String>,
    /// Drawn items.
    pub series: Vec<Series>,
}

/// Style of a plot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// Points joined by lines.
    #[default]
    Lines,
    /// Bars side by side.
    Bars,
}

/// One line, or the bars of one colour.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Series {
    /// Name for the legend.
    pub name: String,
    /// Places and heights.
    pub points: Vec<[f64; 2]>,
}

impl Series {
    /// Heights at 0, 1, 2, ...
    pub fn heights(name: impl Into<String>, heights: impl IntoIterator<Item = f64>) -> Self {
        let points = heights.into_iter().enumerate().map(|(x, y)| [x as f64, y]).collect();
        Self { name: name.into(), points }
    }
}

impl Record {
    pub(crate) fn new(experiment: &str, size: Size) -> Self {
        Self {
            experiment: experiment.to_owned(),
            machine: Machine::this(),
            date: crate::timing::today(),
            size,
            settings: BTreeMap::new(),
            changed: Vec::new(),
            seconds: 0.0,
            notes: Vec::new(),
            findings: Vec::new(),
            tables: Vec::new(),
            plots: Vec::new(),
        }
    }
}

/// The folder of records: one folder for each machine, one file for each experiment.
#[derive(Clone, Debug)]
pub struct Store(PathBuf);

impl Store {
    /// The records in this folder, which need not exist yet.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self(folder.into())
    }

    /// Stores a record in place of an earlier one of the same experiment and machine; returns its path. A sample,
    /// or a run with changed settings, is rejected: it could be mistaken for the experiment.
    pub fn keep(&self, record: &Record) -> Result<PathBuf> {
        ensure!(record.size == Size::Full, "a sample is not kept");
        let changed = record.changed.join(", ");
        ensure!(changed.is_empty(), "a run with other settings is not kept; changed: {changed}");
        let folder = self.0.join(&record.machine.name);
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let path = folder.join(format!("{}.json", record.experiment));
        let text = serde_json::to_string_pretty(record).context("cannot write the record")? + "\n";
        noli_formats::write_whole(&path, text.as_bytes())?;
        Ok(path)
    }

    /// All records, in the order of the experiments, then by machine.
    pub fn all(&self) -> Result<Vec<Record>> {
        let mut records = Vec::new();
        for machine in entries(&self.0)?.into_iter().filter(|entry| entry.is_dir()) {
            for file in
                entries(&machine)?.into_iter().filter(|file| file.extension() == Some("json".as_ref()))
            {
                let text =
                    fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
                let record = serde_json::from_str(&text)
                    .with_context(|| format!("{} is no record; run its experiment again", file.display()))?;
                records.push(record);
            }
        }
        let place = |record: &Record| crate::list().iter().position(|e| e.name == record.experiment);
        records.sort_by(|a: &Record, b| (place(a), &a.machine.name).cmp(&(place(b), &b.machine.name)));
        Ok(records)
    }
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let read = || -> std::io::Result<Vec<PathBuf>> {
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect()
    };
    let mut paths = read().with_context(|| format!("cannot list {}", folder.display()))?;
    paths.sort();
    Ok(paths)
}
