//! Input of an experiment, and its collected results.

use crate::record::{Finding, Plot, Record, Size, Table, Verdict};
use anyhow::{Context, Result};
use serde::de::DeserializeOwned;

/// One run of an experiment.
pub struct Session<'a> {
    config: toml::Table,
    printed: toml::Table,
    size: Size,
    progress: &'a mut dyn FnMut(&str),
    record: Record,
}

impl<'a> Session<'a> {
    pub(crate) fn new(
        mut config: toml::Table,
        printed: toml::Table,
        size: Size,
        progress: &'a mut dyn FnMut(&str),
        mut record: Record,
    ) -> Self {
        let sample = config.remove("sample");
        if let (Size::Sample, Some(toml::Value::Table(sample))) = (size, sample) {
            config.extend(sample);
        }
        record.settings = config
            .iter()
            .map(|(key, value)| (key.clone(), serde_json::to_string(value).unwrap_or_default()))
            .collect();
        Self { config, printed, size, progress, record }
    }

    /// The settings: `config.toml`, with the table `[sample]` over it when only a sample is run.
    pub fn config<T: DeserializeOwned>(&self) -> Result<T> {
        toml::Value::Table(self.config.clone()).try_into().context("config.toml")
    }

    /// The figures of the source: `printed.toml`.
    pub fn printed<T: DeserializeOwned>(&self) -> Result<T> {
        toml::Value::Table(self.printed.clone()).try_into().context("printed.toml")
    }

    /// Returns the size of the run.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Reports the current step.
    pub fn step(&mut self, what: &str) {
        (self.progress)(what);
    }

    /// Keep a table.
    pub fn table(&mut self, table: Table) {
        self.record.tables.push(table);
    }

    /// Keep a plot.
    pub fn plot(&mut self, plot: Plot) {
        self.record.plots.push(plot);
    }

    /// Keep a remark on the run: what differs from the source, and why.
    pub fn note(&mut self, note: impl Into<String>) {
        self.record.notes.push(note.into());
    }

    /// Keep what became of a claim of the source.
    pub fn finding(&mut self, claim: impl Into<String>, verdict: Verdict, why: impl Into<String>) {
        self.record.findings.push(Finding { claim: claim.into(), verdict, why: why.into() });
    }

    pub(crate) fn into_record(self) -> Record {
        self.record
    }
}
