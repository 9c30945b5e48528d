//! Published experiments, rerun on this machine and compared with the printed figures; benchmarks
//! ([`mod@bench`]); feature queries with their truth ([`ccd`]).
//!
//! An experiment is a folder `lab/experiments/NAME`: `config.toml` (settings), `printed.toml` (figures printed
//! in the source) and `mod.rs` (its code). Running one creates a [`Record`]. Records are stored by machine
//! under `lab/record`, and [`report`] renders them as one page.

mod bay;
pub mod bench;
pub mod ccd;
mod costs;
mod double;
mod experiments;
pub mod frames;
mod machine;
mod measured;
pub mod panels;
pub mod peers;
mod placements;
mod record;
mod removals;
pub mod report;
mod session;
mod timing;

pub use machine::Machine;
pub use measured::{Measured, Page, Progress};
pub use record::{Cell, Finding, Plot, Record, Row, Series, Shape, Size, Store, Table, Verdict};
pub use session::Session;

use anyhow::{Context, Result, ensure};
use std::path::PathBuf;
use std::time::Instant;

/// The folder of published data, as tests look for it.
fn data_folder() -> PathBuf {
    std::env::var_os("NOLI_DATA").map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from)
}

/// A published experiment.
pub struct Experiment {
    /// The name of its folder.
    pub name: &'static str,
    /// Description in one line.
    pub title: &'static str,
    /// Author and publication.
    pub source: &'static str,
    /// Chapter, section or figures of the source.
    pub chapter: &'static str,
    /// Time of a full run on two cores, roughly.
    pub duration: &'static str,
    config: &'static str,
    printed: &'static str,
    run: fn(&mut Session<'_>) -> Result<()>,
}

/// All experiments, in the order of the report.
pub fn list() -> &'static [Experiment] {
    experiments::ALL
}

impl Experiment {
    /// The experiment of this name; the error lists the names there are.
    pub fn named(name: &str) -> Result<&'static Self> {
        let names = || list().iter().map(|experiment| experiment.name).collect::<Vec<_>>().join(", ");
        let found = list().iter().find(|experiment| experiment.name == name);
        found.with_context(|| format!("there is no experiment called {name}; there are: {}", names()))
    }

    /// Runs the experiment. `settings` override those of `config.toml`; `progress` receives the current step.
    pub fn run(
        &self,
        size: Size,
        settings: &[(String, String)],
        progress: &mut dyn FnMut(&str),
    ) -> Result<Record> {
        let mut config = parse(self.name, "config.toml", self.config)?;
        settings.iter().try_for_each(|setting| set(&mut config, setting))?;
        let printed = parse(self.name, "printed.toml", self.printed)?;
        let start = Instant::now();
        let mut session = Session::new(config, printed, size, progress, Record::new(self.name, size));
        (self.run)(&mut session).with_context(|| format!("experiment {}", self.name))?;
        let mut record = session.into_record();
        record.seconds = start.elapsed().as_secs_f64();
        record.changed = settings.iter().map(|(key, _)| key.clone()).collect();
        Ok(record)
    }
}

/// Change a setting that there is, in the sample too.
fn set(config: &mut toml::Table, (key, value): &(String, String)) -> Result<()> {
    let known = || config.keys().filter(|key| *key != "sample").cloned().collect::<Vec<_>>().join(", ");
    ensure!(key != "sample" && config.contains_key(key), "there is no setting {key}; there are: {}", known());
    // A word for a setting that is a word needs no quotation marks.
    let is_word = matches!(config.get(key), Some(toml::Value::String(_))) && !value.starts_with(['"', '\'']);
    let parsed: toml::Table = if is_word {
        toml::Table::from_iter([("value".to_owned(), toml::Value::String(value.clone()))])
    } else {
        format!("value = {value}").parse().with_context(|| format!("the setting {key} cannot be {value}"))?
    };
    if let Some(toml::Value::Table(sample)) = config.get_mut("sample") {
        sample.remove(key);
    }
    config.extend(parsed.into_iter().map(|(_, value)| (key.clone(), value)));
    Ok(())
}

fn parse(experiment: &str, file: &str, text: &str) -> Result<toml::Table> {
    text.parse().with_context(|| format!("lab/experiments/{experiment}/{file}"))
}
