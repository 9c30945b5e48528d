//! A build of the program from nothing, and the time that each crate takes of it.

use crate::{cargo, started, target, workspace};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Crates below this share of the total are summed up in one row.
const LEAST_SHARE: f64 = 0.01;

/// A cold build.
pub(crate) struct Cold {
    /// Seconds from an empty target folder to the table of `noli check --demo`.
    pub(crate) seconds: f64,
    /// The table of crates.
    pub(crate) table: String,
}

/// Builds the program in a folder of its own. Downloads of cargo are not counted: they exist already.
pub(crate) fn build() -> Result<Cold, String> {
    let folder = target().join("cold");
    let clean = || std::fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()));
    if folder.exists() {
        clean()?;
    }
    let start = Instant::now();
    let mut build = cargo();
    build.args(["build", "--quiet", "--release", "--timings", "--target-dir"]).arg(&folder);
    if !started(build.current_dir(workspace()).stdout(Stdio::null())) {
        return Err("the program cannot be built".to_owned());
    }
    let mut demo = Command::new(folder.join("release").join("noli"));
    let status = demo.args(["check", "--demo"]).stdout(Stdio::null()).status();
    let seconds = start.elapsed().as_secs_f64();
    // The demonstration finds clashes, which is exit code 1.
    match status.map(|status| status.code()) {
        Ok(Some(0 | 1)) => {}
        other => return Err(format!("noli check --demo: {other:?}")),
    }
    let table = table(&durations(&folder.join("cargo-timings").join("cargo-timing.html"))?);
    clean()?;
    Ok(Cold { seconds, table })
}

/// The seconds of each crate, its build script included, from a report of `cargo build --timings`.
fn durations(report: &Path) -> Result<BTreeMap<String, f64>, String> {
    let html = std::fs::read_to_string(report).map_err(|error| format!("{}: {error}", report.display()))?;
    let found = units(&html);
    if found.is_empty() { Err(format!("{}: no units", report.display())) } else { Ok(found) }
}

/// The report is a page; its data is a pretty-printed JSON array with one key a line.
fn units(html: &str) -> BTreeMap<String, f64> {
    let data = html.lines().skip_while(|line| !line.starts_with("const UNIT_DATA")).skip(1);
    let mut seconds = BTreeMap::new();
    let mut name = "";
    for line in data.take_while(|line| !line.starts_with(']')) {
        // Keys of a unit are indented by four.
        let Some((key, value)) = line.strip_prefix("    \"").and_then(|line| line.split_once("\": ")) else {
            continue;
        };
        let value = value.trim_end_matches(',');
        match key {
            "name" => name = value.trim_matches('"'),
            "duration" => *seconds.entry(name.to_owned()).or_default() += value.parse().unwrap_or(0.0),
            _ => {}
        }
    }
    seconds
}

/// Crate, seconds and share, longest first. Crates compile next to each other, so the total exceeds the wall time.
fn table(seconds: &BTreeMap<String, f64>) -> String {
    let total: f64 = seconds.values().sum();
    let mut rows: Vec<(&str, f64)> = seconds.iter().map(|(name, time)| (name.as_str(), *time)).collect();
    rows.sort_by(|x, y| y.1.total_cmp(&x.1));
    let long = rows.iter().take_while(|(_, time)| *time >= LEAST_SHARE * total).count();
    let others = format!("{} others", rows.len() - long);
    let rest: f64 = rows.drain(long..).map(|(_, time)| time).sum();
    rows.extend([(others.as_str(), rest), ("total", total)]);
    let row =
        |(name, time): &(&str, f64)| format!("{name:34} {time:>10.1} s {:>12.1} %", 100.0 * time / total);
    rows.iter().map(row).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = r#"
const UNIT_DATA = [
  {
    "name": "serde",
    "duration": 1.5,
    "sections": [
      [
        "frontend",
        {
          "start": 0.0,
          "duration": 9.0
        }
      ]
    ]
  },
  {
    "name": "noli",
    "duration": 98.0,
  },
  {
    "name": "serde",
    "duration": 0.25,
  },
  {
    "name": "either",
    "duration": 0.25,
  }
];
const CONCURRENCY_DATA = [
    "duration": 3.0,
"#;

    #[test]
    fn seconds_of_a_crate_are_summed_over_its_units() {
        let found: Vec<(String, f64)> = units(REPORT).into_iter().collect();
        assert_eq!(
            found,
            [("either".to_owned(), 0.25), ("noli".to_owned(), 98.0), ("serde".to_owned(), 1.75)]
        );
    }

    #[test]
    fn short_crates_share_a_row() {
        let table = table(&units(REPORT));
        let names: Vec<&str> = table.lines().map(|line| line[..34].trim()).collect();
        assert_eq!(names, ["noli", "serde", "1 others", "total"]);
        assert!(table.ends_with("100.0 s        100.0 %"), "{table}");
    }
}
