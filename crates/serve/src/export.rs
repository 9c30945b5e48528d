//! Reports of the scene in the studio, as `noli check` writes them.

use crate::session::Session;
use noli::query::{Clock, SteadyClock};
use noli_ask::{Check, CheckedPairs, Context, Opened};
use noli_formats::Units;
use noli_pages::{CheckPage, MOST_SEGMENTS, Up, check_page, report_json, words};
use noli_project::Staged;
use noli_project::bcf::{Bcf, BcfVersion, TopicOptions};
use noli_project::clash::{ClashResults, ClashStatus};
use noli_project::report::CheckReport;
use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

/// A file to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Export {
    Html,
    Json,
    Csv,
    Bcf,
}

/// All that a report is made of. Depths and volumes are measured for it, which the list in the page does without.
pub(crate) struct Job {
    pub(crate) staged: Box<Staged>,
    pub(crate) title: String,
    pub(crate) units: Option<Units>,
    pub(crate) clashes: noli_project::Check,
    /// Status of pairs, by their names in order.
    pub(crate) status: BTreeMap<[String; 2], String>,
    pub(crate) up: Up,
}

impl Session {
    /// A report of what was compared last; nothing before the first time.
    pub(crate) fn export_job(&self) -> Option<Job> {
        let (checked, up) = self.report()?;
        let (title, units, clashes, status) = self.of_report();
        Some(Job { staged: checked.staged.clone(), title, units, clashes, status, up })
    }
}

impl Job {
    pub(crate) fn write(self, export: Export) -> Result<Vec<u8>, String> {
        let clock = SteadyClock::start();
        let Self { staged, title, units, clashes, status, up } = self;
        staged.pairs_asked().map_err(|error| error.to_string())?;
        let is_drawn = matches!(export, Export::Html | Export::Bcf);
        let question = Check { pictured: if is_drawn { MOST_SEGMENTS } else { 0 }, ..Check::default() };
        let opened = Opened { check: clashes, ..Opened::of_staged(&title, units, *staged) };
        let checked = question.compare(opened, &Context::default()).map_err(|error| error.to_string())?;
        let CheckedPairs { opened: Opened { staged, .. }, result, mut report, .. } = checked;
        decide(&mut report, &status);
        let text = match export {
            Export::Json => report_json("check", &report).map_err(|error| error.to_string())?,
            Export::Csv => report.csv(),
            Export::Html => {
                let summary = words::summary(&report, false, clock.now());
                let (staged, result, report) = (&staged, &result, &report);
                let page = check_page(&CheckPage { staged, result, report, summary: summary.trim(), up });
                page.map_err(|error| error.to_string())?.html()
            }
            Export::Bcf => {
                let date = noli_project::bcf::date(now());
                let options =
                    TopicOptions { version: BcfVersion::V2_1, author: "noli", date: &date, pictures: true };
                let after = ClashResults::after(&report, None);
                let topics = Bcf::of_check((&staged, &result), &report, Some(&after), &options);
                return topics.to_bytes().map_err(|error| error.to_string());
            }
        };
        Ok(text.into_bytes())
    }
}

/// Puts what was decided about pairs into a report.
pub(crate) fn decide(report: &mut CheckReport, status: &BTreeMap<[String; 2], String>) {
    for pair in report.pairs.iter_mut().filter(|pair| pair.status.is_some()) {
        let (a, b) = (pair.a.clone(), pair.b.clone());
        let key = if a <= b { [a, b] } else { [b, a] };
        if let Some(said) = status.get(&key).and_then(|word| ClashStatus::from_word(word)) {
            pair.status = Some(said);
        }
    }
}

/// Returns the seconds since 1970, or the value of `SOURCE_DATE_EPOCH` for reproducible files.
fn now() -> u64 {
    let said = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.parse().ok());
    said.unwrap_or_else(|| SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()))
}
