//! Batches on a GPU and on the CPU's threads, in the same run; their answers are compared.

mod poses;
mod robots;

use crate::measured::{Measured, Page, Progress, add_row};
use crate::record::{Finding, Record, Size, Table, Verdict};
use anyhow::{Context, Result, ensure};
use noli_gpu::{BatchReport, Device};
use serde::Serialize;

/// Settings of the run.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The most poses of a row.
    pub poses: usize,
    /// `true` if a machine without a GPU is an error; otherwise its CPU answers the batches.
    pub needs_gpu: bool,
}

/// One workload.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Query.
    pub name: String,
    /// Number of poses, configurations or paths.
    pub count: usize,
    /// A second by the GPU's own clock; 0 without a GPU.
    pub kernel_rate: f64,
    /// A second from call to answer.
    pub rate: f64,
    /// A second on all threads of the CPU.
    pub threads_rate: f64,
    /// A second on one thread.
    pub thread_rate: f64,
    /// Share that the GPU left to the CPU.
    pub unsure: f64,
    /// Share of hits, if queried; for paths, of blocked ones.
    pub hits: f64,
    /// Number of compared answers.
    pub compared: usize,
    /// Number of them that differ.
    pub wrong: usize,
    /// Bytes that the models hold on the GPU.
    pub model_bytes: usize,
}

/// One batch on the GPU.
struct OnGpu {
    count: usize,
    seconds: f64,
    report: BatchReport,
    hits: usize,
    model_bytes: usize,
}

/// CPU times for the same batch.
struct OnCpu {
    threads_rate: f64,
    thread_rate: f64,
    compared: usize,
    wrong: usize,
}

impl Row {
    fn new(name: String, gpu: &OnGpu, own: &OnCpu) -> Result<Self> {
        let OnGpu { count, seconds, ref report, hits, model_bytes } = *gpu;
        ensure!(!report.cancelled, "nobody cancels");
        let share = |part: usize| part as f64 / count as f64;
        let kernel = report.kernel_seconds;
        Ok(Self {
            name,
            count,
            kernel_rate: if kernel > 0.0 { count as f64 / kernel } else { 0.0 },
            rate: count as f64 / seconds,
            threads_rate: own.threads_rate,
            thread_rate: own.thread_rate,
            unsure: share(report.unsure),
            hits: share(hits),
            compared: own.compared,
            wrong: own.wrong,
            model_bytes,
        })
    }
}

/// Rates by workload. Verdicts of both sides were equal.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Its name.
    pub workload: &'static str,
    /// The GPU.
    pub device: String,
    /// Threads of the CPU.
    pub threads: usize,
    /// Poses of two bodies.
    pub rows: Vec<Row>,
    /// Configurations and paths of robots.
    pub robots: Vec<Row>,
    /// Differing verdicts.
    pub failures: Vec<String>,
}

impl Plan {
    /// Runs the same queries on GPU and CPU. A missing GPU is an error, unless it is not needed.
    pub fn run(&self, progress: Progress<'_>) -> Result<Report> {
        let device =
            if self.needs_gpu { Device::open().context("the batches need a GPU")? } else { Device::best() };
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
            report.rows.push(case.run(&device)?);
        }
        for case in &cells {
            progress(&case.name, count);
            report.robots.extend(case.run(&device)?);
        }
        let differ = report.all().filter(|row| row.wrong > 0);
        report.failures = differ
            .map(|row| format!("{}: {} of {} answers differ", row.name, row.wrong, row.compared))
            .collect();
        Ok(report)
    }
}

impl Report {
    fn all(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().chain(&self.robots)
    }

    /// The same as a record of this machine, after so many seconds.
    pub fn record(&self, seconds: f64) -> Record {
        let page = self.page();
        let compared: usize = self.all().map(|row| row.compared).sum();
        let why = if self.failures.is_empty() {
            format!("{compared} answers of the GPU were given by the CPU too: none differs.")
        } else {
            self.failures.join("; ")
        };
        let mut findings = vec![Finding {
            claim: "Every answer is the CPU's".into(),
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

fn table(title: &str, rows: &[Row]) -> Table {
    let mut table = Table::new(
        title,
        [
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
        ],
    );
    for row in rows {
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
        add_row(&mut table, row.name.clone(), cells);
    }
    table
}

impl Measured for Report {
    fn page(&self) -> Page {
        let tables = vec![
            table("poses a second", &self.rows),
            table("configurations and proven ways a second", &self.robots),
        ];
        let heading =
            format!("{}: {} beside {} threads of the CPU", self.workload, self.device, self.threads);
        let remarks = vec![
            "ratio: end to end over all threads; compared: answers that the CPU gave too; memory: the models on the GPU"
                .into(),
        ];
        Page { heading, tables, remarks }
    }

    fn failures(&self) -> &[String] {
        &self.failures
    }
}
