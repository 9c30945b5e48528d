//! The batches on a GPU beside the CPU, kept as a record of this machine: `gpu FOLDER [POSES]` prints the tables and
//! keeps the record below FOLDER.

#![allow(clippy::print_stdout, reason = "this is a program")]

use noli_lab::bench::gpu::Plan;
use noli_lab::{Cell, Measured, Store};
use std::time::Instant;

fn main() -> anyhow::Result<()> {
    let mut words = std::env::args().skip(1);
    let folder = words.next().ok_or_else(|| anyhow::anyhow!("gpu FOLDER [POSES]"))?;
    let poses = words.next().map(|word| word.parse()).transpose()?.unwrap_or(100_000_000);
    let start = Instant::now();
    let report = Plan { poses, needs_gpu: true }.run(&mut |step, _| eprintln!("{step}"))?;
    let record = report.record(start.elapsed().as_secs_f64());
    for table in &record.tables {
        println!("{}", table.columns.join(" | "));
        for row in &table.rows {
            let cells = row.cells.iter().map(|cell| match cell {
                Cell::Text(text) => text.clone(),
                other => format!("{other:?}"),
            });
            println!("{} | {}", row.label, cells.collect::<Vec<_>>().join(" | "));
        }
    }
    println!("{}", Store::new(folder).keep(&record)?.display());
    anyhow::ensure!(report.failures().is_empty(), "{:?}", report.failures());
    Ok(())
}
