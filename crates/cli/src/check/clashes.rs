//! Results of earlier checks, and results kept for later ones.

use super::{Arguments, BcfChoice, Checked, pair_of};
use crate::output;
use crate::quantity::{Length, positive_length};
use anyhow::{Context, Result};
use noli::Budget;
use noli_formats::{LockedFile, bytes_of};
use noli_project::bcf::{Bcf, BcfVersion, TopicOptions};
use noli_project::clash::{ClashOptions, ClashResults, Excluded, Exclusion, Grouping, Tolerance};
use noli_project::report::CheckReport;
use noli_project::{Source, Staged};
use std::path::Path;

/// Earlier checks that were named.
pub(super) struct Known {
    results: Option<ClashResults>,
    against: Option<ClashResults>,
}

impl Known {
    /// A results file need not be there yet; what is compared with must be.
    pub(super) fn read(arguments: &Arguments) -> Result<Self> {
        let there = arguments.results.as_deref().filter(|path| path.exists());
        Ok(Self {
            results: there.map(read).transpose()?,
            against: arguments.against.as_deref().map(read).transpose()?,
        })
    }

    pub(super) fn settle(
        &self,
        report: &mut CheckReport,
        arguments: &Arguments,
        source: &Source,
        (staged, budget): (&Staged, Budget<'_>),
    ) -> Result<()> {
        let check = &source.scene.scene.check;
        let mut exclusions = check.exclusions.clone();
        for text in &arguments.exclude {
            let of = Excluded::Pair(pair_of(text, &staged.world)?);
            exclusions.push(Exclusion { of, kinds: Vec::new(), reason: "--exclude".to_owned() });
        }
        let tolerance =
            arguments.tolerance.map(|length| length.of("--tolerance", source.units)).transpose()?;
        let grouping = match arguments.group {
            GroupBy::Body => Grouping::Body,
            GroupBy::Each => Grouping::Each,
            GroupBy::Near(length) => Grouping::Near(length.of("--group near:", source.units)?),
        };
        report.settle(
            staged,
            &ClashOptions {
                exclusions: &exclusions,
                tolerance: Tolerance { all: tolerance.or(check.tolerance), some: &check.tolerances },
                groups: &check.clash_groups,
                grouping,
                // Without a file of its own, a check goes on where the one that it is compared with ended.
                results: self.results.as_ref().or(self.against.as_ref()),
                against: self.against.as_ref(),
                budget,
            },
        );
        Ok(())
    }

    /// Writes the results file and the topics, if requested.
    pub(super) fn keep(&self, checked: &Checked<'_>) -> Result<()> {
        let Arguments { results, bcf, .. } = checked.arguments;
        let before = self.results.as_ref().or(self.against.as_ref());
        let after = ClashResults::after(&checked.report, before);
        if let Some(path) = bcf {
            let date = noli_project::bcf::date(now());
            let version = match checked.arguments.bcf_version {
                BcfChoice::V2_1 => BcfVersion::V2_1,
                BcfChoice::V3_0 => BcfVersion::V3_0,
            };
            let options = TopicOptions { version, author: "noli", date: &date, pictures: true };
            let found = (&checked.staged, &checked.result);
            let topics = Bcf::of_check(found, &checked.report, Some(&after), &options);
            output::write_file(path, &topics.to_bytes()?)?;
        }
        match results {
            Some(path) => self.write(path, after),
            None => Ok(()),
        }
    }

    /// Writes the results file. What others decided while the check ran stays decided.
    fn write(&self, path: &Path, mut after: ClashResults) -> Result<()> {
        if !path.is_file() {
            return output::write_file(path, after.to_json().as_bytes());
        }
        let held = LockedFile::open(path)?;
        let changed = after.take_changes(self.results.as_ref(), &parse(path, held.bytes())?);
        if changed > 0 {
            let clashes = output::plural(changed, "clash was", "clashes were");
            output::note(&format!("{clashes} changed in {} meanwhile: kept", path.display()));
        }
        output::replace_file(held, after.to_json().as_bytes())
    }
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

/// Grouping of clashes, with a length as it was given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum GroupBy {
    Body,
    Each,
    Near(Length),
}

/// `body`, `each` or `near:LENGTH`.
pub(super) fn grouping(text: &str) -> Result<GroupBy, String> {
    match text.split_once(':') {
        None if text == "body" => Ok(GroupBy::Body),
        None if text == "each" => Ok(GroupBy::Each),
        Some(("near", length)) => positive_length(length)
            .map(GroupBy::Near)
            .map_err(|_| "give a length greater than 0, as in near:0.5 or near:20mm".to_owned()),
        _ => Err("clashes are grouped by `body`, `each` or `near:LENGTH`".to_owned()),
    }
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
