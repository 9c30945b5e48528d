//! The table of all campaigns.

use crate::setup::{Problem, Words};
use std::collections::BTreeMap;
use std::process::ExitCode;

const HEADS: [&str; 12] = [
    "kind",
    "statements",
    "pairs",
    "not proven",
    "wrong",
    "median B",
    "largest B",
    "verdict ms",
    "proof ms",
    "write ms",
    "check B ms",
    "check A ms",
];

/// Prints rows that campaigns have appended to a file, and those of the other checker.
///
/// A row of the other checker is: name, files, accepted files, statements, seconds.
pub(crate) fn print(words: &Words) -> Result<ExitCode, Problem> {
    let text = std::fs::read_to_string(words.0.get(1).ok_or("name the file of rows")?)?;
    let other =
        words.0.get(2).map(std::fs::read_to_string).transpose().unwrap_or_default().unwrap_or_default();
    let other: BTreeMap<&str, Vec<f64>> = other.lines().filter_map(row).collect();
    let (mut lines, mut sums) = (vec![HEADS.map(str::to_owned).to_vec()], [0.0; 19]);
    for (name, figures) in text.lines().filter_map(row).filter(|(_, figures)| figures.len() == 18) {
        sums.iter_mut().zip(&figures).for_each(|(sum, figure)| *sum += figure);
        let by_other = other.get(name).filter(|row| row.len() == 4 && row[2] > 0.0);
        let by_other = by_other.map_or("-".to_owned(), |row| {
            let refused = if row[1] < row[0] { " REFUSED" } else { "" };
            format!("{:.0} ({} files){refused}", 1e3 * row[3] / row[2], row[0])
        });
        let counts = [0, 1, 3, 4, 5, 6].map(|k| format!("{:.0}", figures[k]));
        let times = [7, 8, 9, 10].map(|k| format!("{:.3}", figures[k]));
        lines.push([vec![name.to_owned()], counts.to_vec(), times.to_vec(), vec![by_other]].concat());
    }
    let widths: Vec<usize> = (0..HEADS.len())
        .map(|k| lines.iter().map(|line| line[k].chars().count()).max().unwrap_or(0))
        .collect();
    for line in &lines {
        let cells = line.iter().zip(&widths).map(|(cell, &width)| format!("{cell:>width$}"));
        println!("| {} |", cells.collect::<Vec<_>>().join(" | "));
        if line == &lines[0] {
            println!("|{}|", widths.iter().map(|&width| "-".repeat(width + 2)).collect::<Vec<_>>().join("|"));
        }
    }
    println!(
        "{:.0} statements about {:.0} pairs in {:.0} certificates, {:.0} wrong",
        sums[0], sums[1], sums[2], sums[4]
    );
    println!(
        "{:.0} changed certificates: {:.0} accepted, each with a reason; of {:.0} claims of changed headers {:.0} are false by the engine",
        sums[11], sums[12], sums[13], sums[14]
    );
    println!("{:.0} verdicts differ in exact arithmetic", sums[15]);
    println!(
        "false statements: {:.0} refused by the prover, {:.0} by the checker with proofs of true ones",
        sums[16], sums[17]
    );
    Ok(ExitCode::SUCCESS)
}

fn row(line: &str) -> Option<(&str, Vec<f64>)> {
    let (name, rest) = line.split_once('\t')?;
    Some((name, rest.split('\t').map(|word| word.parse().ok()).collect::<Option<_>>()?))
}
