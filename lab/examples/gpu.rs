//! The batches on a card, as a record: `gpu FILE DATE [POSES]` writes FILE and prints the tables.

use noli_lab::bench::gpu::Plan;
use noli_lab::{Cell, Measured};
use std::time::Instant;

fn main() -> anyhow::Result<()> {
    let mut words = std::env::args().skip(1);
    let (Some(file), Some(date)) = (words.next(), words.next()) else {
        anyhow::bail!("gpu FILE DATE [POSES]");
    };
    let poses = words.next().map(|word| word.parse()).transpose()?.unwrap_or(100_000_000);
    let start = Instant::now();
    let report = Plan { poses, needs_card: true }.run(&mut |step, _| eprintln!("{step}"))?;
    let record = report.record(date, start.elapsed().as_secs_f64());
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
    std::fs::write(file, serde_json::to_string_pretty(&record)? + "\n")?;
    anyhow::ensure!(report.failures().is_empty(), "{:?}", report.failures());
    Ok(())
}
