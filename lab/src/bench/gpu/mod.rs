//! Batches on a card beside the processor's threads, in the same run; what both answered is compared.

mod poses;
mod robots;

use crate::measured::{Measured, Page, Progress, add_row};
use crate::record::{Finding, Record, Size, Table, Verdict};
use anyhow::{Context, Result};
use noli_gpu::Device;
pub use poses::Row;
pub use robots::Row as RobotRow;
use serde::Serialize;
use std::path::PathBuf;

/// What is run.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The most poses of a row.
    pub poses: usize,
    /// Whether a machine without a card is an error; otherwise its processor answers the batches.
    pub needs_card: bool,
}

/// Rates by workload. Verdicts of both sides were equal.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Its name.
    pub workload: &'static str,
    /// The card.
    pub device: String,
    /// Threads of the processor.
    pub threads: usize,
    /// Poses of two bodies.
    pub rows: Vec<Row>,
    /// Configurations and ways of robots.
    pub robots: Vec<RobotRow>,
    /// Where verdicts differ.
    pub failures: Vec<String>,
}

/// The folder of published data, as tests look for it.
fn data_folder() -> PathBuf {
    std::env::var_os("NOLI_DATA").map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from)
}

impl Plan {
    /// Ask the same of card and processor. No card is an error, unless it is not needed.
    pub fn run(&self, progress: Progress<'_>) -> Result<Report> {
        let device =
            if self.needs_card { Device::open().context("the batches need a card")? } else { Device::best() };
        let (cases, cells) = (poses::cases(self.poses)?, robots::cases(self.poses)?);
        let count = cases.len() + cells.len();
        let mut report = Report {
            workload: "gpu",
            device: device.name().to_owned(),
            threads: rayon::current_num_threads(),
            rows: Vec::new(),
            robots: Vec::new(),
            failures: Vec::new(),
        };
        for case in &cases {
            progress(&case.name, count);
            let (row, wrong) = case.run(&device)?;
            report.compare(&row.name, wrong, row.compared);
            report.rows.push(row);
        }
        for case in &cells {
            progress(&case.name, count);
            for (row, wrong) in case.run(&device)? {
                report.compare(&row.name, wrong, row.compared);
                report.robots.push(row);
            }
        }
        Ok(report)
    }
}

impl Report {
    fn compare(&mut self, name: &str, wrong: usize, compared: usize) {
        if wrong > 0 {
            self.failures.push(format!("{name}: {wrong} of {compared} answers differ"));
        }
    }

    /// The same as a record of this machine, after so many seconds.
    pub fn record(&self, seconds: f64) -> Record {
        let page = self.page();
        let compared: usize = self.rows.iter().map(|row| row.compared).sum::<usize>()
            + self.robots.iter().map(|row| row.compared).sum::<usize>();
        let why = if self.failures.is_empty() {
            format!("{compared} answers of the card were given by the processor too: none differs.")
        } else {
            self.failures.join("; ")
        };
        let mut findings = vec![Finding {
            claim: "Every answer is the processor's".into(),
            verdict: Verdict::of(self.failures.is_empty()),
            why,
        }];
        if let Some(w1) = self.rows.first() {
            findings.push(Finding {
                claim: "150 million poses of W1 a second in kernel time".into(),
                verdict: Verdict::of(w1.kernel_rate >= 150e6),
                why: format!(
                    "{:.0} million; {:.0} million from call to last verdict.",
                    w1.kernel_rate * 1e-6,
                    w1.rate * 1e-6
                ),
            });
        }
        let mut notes = vec![page.heading];
        notes.extend(page.remarks);
        Record { seconds, notes, findings, tables: page.tables, ..Record::new("gpu", Size::Full) }
    }
}

fn rate(x: f64) -> String {
    match x {
        0.0 => "-".to_owned(),
        x if x >= 1e6 => format!("{:.2} M", x * 1e-6),
        x => format!("{:.1} k", x * 1e-3),
    }
}

impl Measured for Report {
    fn page(&self) -> Page {
        let header = [
            "asked",
            "count",
            "kernel",
            "end to end",
            "all threads",
            "one thread",
            "ratio",
            "unsure",
            "hits",
            "compared",
            "memory",
        ];
        let mut poses = Table::new("poses a second", header);
        for row in &self.rows {
            let cells = [
                row.poses.to_string(),
                rate(row.kernel_rate),
                rate(row.rate),
                rate(row.threads_rate),
                rate(row.thread_rate),
                format!("{:.1}x", row.rate / row.threads_rate),
                format!("{:.1e}", row.unsure),
                format!("{:.1} %", row.hits * 100.0),
                row.compared.to_string(),
                format!("{:.1} MB", row.model_bytes as f64 * 1e-6),
            ];
            add_row(&mut poses, row.name.clone(), cells);
        }
        let mut robots = Table::new("configurations and proven ways a second", header);
        for row in &self.robots {
            let cells = [
                row.count.to_string(),
                rate(row.kernel_rate),
                rate(row.rate),
                rate(row.threads_rate),
                rate(row.thread_rate),
                format!("{:.1}x", row.rate / row.threads_rate),
                format!("{:.1e}", row.unsure),
                format!("{:.1} %", row.hits * 100.0),
                row.compared.to_string(),
                format!("{:.1} MB", row.model_bytes as f64 * 1e-6),
            ];
            add_row(&mut robots, row.name.clone(), cells);
        }
        let heading =
            format!("{}: {} beside {} threads of the processor", self.workload, self.device, self.threads);
        let remarks = vec![
            "ratio: end to end over all threads; compared: answers that the processor gave too; memory: the models on the card"
                .into(),
        ];
        Page { heading, tables: vec![poses, robots], remarks }
    }

    fn failures(&self) -> &[String] {
        &self.failures
    }
}
