//! Results files and topics of a check, and its clashes in words.

use super::{Arguments, Checked};
use crate::output;
use anyhow::{Context, Result};
use noli_ask::CheckedPairs;
use noli_formats::{LockedFile, bytes_of};
use noli_project::bcf::{Bcf, TopicOptions};
use noli_project::clash::ClashResults;
use noli_project::report::CheckReport;
use std::path::Path;

/// Writes the results file and the topics, if requested.
pub(super) fn keep(checked: &Checked<'_>) -> Result<()> {
    let Arguments { question, bcf, bcf_version: version, .. } = checked.arguments;
    let (CheckedPairs { opened, result, report, .. }, after) = (&checked.pairs, checked.pairs.after());
    if let Some(path) = bcf {
        let date = noli_project::bcf::date(now());
        let options = TopicOptions { version: *version, author: "noli", date: &date, pictures: true };
        let topics = Bcf::of_check((&opened.staged, result), report, Some(&after), &options);
        output::write_file(path, &topics.to_bytes()?)?;
    }
    match &question.results {
        Some(path) => write(path, after, checked.pairs.results.as_ref()),
        None => Ok(()),
    }
}

/// Writes the results file. What others decided while the check ran stays decided.
fn write(path: &Path, mut after: ClashResults, read: Option<&ClashResults>) -> Result<()> {
    if !path.is_file() {
        return output::write_file(path, after.to_json().as_bytes());
    }
    let held = LockedFile::open(path)?;
    let changed = after.take_changes(read, &parse(path, held.bytes())?);
    if changed > 0 {
        let clashes = output::plural(changed, "clash was", "clashes were");
        output::note(&format!("{clashes} changed in {} meanwhile: kept", path.display()));
    }
    output::replace_file(held, after.to_json().as_bytes())
}

pub(crate) fn read(path: &Path) -> Result<ClashResults> {
    parse(path, &bytes_of(path).map_err(|error| error.in_file(path))?)
}

/// The content of a results file.
pub(crate) fn parse(path: &Path, bytes: &[u8]) -> Result<ClashResults> {
    ClashResults::from_json(bytes).with_context(|| path.display().to_string())
}

/// Returns the seconds since 1970, or the value of `SOURCE_DATE_EPOCH` for reproducible files.
fn now() -> u64 {
    let said = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.parse().ok());
    let clock = || {
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.as_secs())
    };
    said.unwrap_or_else(clock)
}

/// Formats the accepted, excluded and changed clashes as lines of text.
pub(super) fn lines(report: &CheckReport) -> String {
    let mut text = String::new();
    let mut line = |words: String| text += &format!("{words}\n");
    let of = &report.summary;
    let counted = [
        (of.within_tolerance, "within tolerance (--all lists contacts too)"),
        (of.approved, "approved"),
        (of.excluded, "excluded by design"),
    ];
    let counted: Vec<String> = counted
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    if !counted.is_empty() {
        line(format!("not counted as hits: {}", counted.join(", ")));
    }
    for rule in &report.exclusions {
        let reason = if rule.reason.is_empty() { String::new() } else { format!(" ({})", rule.reason) };
        let covers = output::plural(rule.pairs, "clash", "clashes");
        line(format!("excluded: {}{reason}: {covers}, {} of them new", rule.what, rule.new.len()));
    }
    if let Some(against) = &report.against {
        line(format!(
            "since the earlier check: {} new, {} still there ({} changed), {} gone{}",
            against.new.len(),
            against.still.len(),
            against.changed.len(),
            against.gone.len(),
            match against.not_asked.len() {
                0 => String::new(),
                count => format!(", {count} not checked"),
            },
        ));
        for (word, list) in [("new", &against.new), ("gone", &against.gone), ("changed", &against.changed)] {
            for clash in list.iter().take(20) {
                line(format!(
                    "  {word}: {} {} / {}  [{}]",
                    clash.kind.word(),
                    clash.a,
                    clash.b,
                    clash.id.get(..8).unwrap_or(&clash.id)
                ));
            }
            if list.len() > 20 {
                line(format!("  and {} more {word}", list.len() - 20));
            }
        }
        let bodies = &against.bodies;
        for (word, list) in
            [("added", &bodies.added), ("removed", &bodies.removed), ("changed", &bodies.changed)]
        {
            if !list.is_empty() {
                let some: Vec<&str> = list.iter().take(10).map(String::as_str).collect();
                let more = if list.len() > 10 { ", ..." } else { "" };
                line(format!("  bodies {word}: {}{more}", some.join(", ")));
            }
        }
    }
    text
}
