//! One self-contained page from the records.

mod plot;

use crate::record::{Cell, Finding, Record, Size, Table, Verdict};
use anyhow::Result;
use noli_robot::escaped;
use std::fmt::Write;
use std::path::Path;

/// Write the page; an interrupted run leaves the old one.
pub fn write(records: &[Record], path: &Path) -> Result<()> {
    Ok(noli_formats::write_whole(path, page(records).as_bytes())?)
}

/// The page.
pub fn page(records: &[Record]) -> String {
    let mut out = String::from("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n");
    out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>noli lab</title>\n<style>";
    out += include_str!("style.css");
    out += "</style></head><body>\n<nav class=\"contents\"><b>Contents</b>";
    for record in records {
        let _ = write!(out, "<a href=\"#{}\">{}</a>", anchor(record), escaped(&record.experiment));
    }
    out += "</nav>\n<header id=\"top\"><h1>noli lab</h1><p>Published experiments of collision detection, rerun. Plain figures are measured here, ";
    out += "<span class=\"printed\">figures in italics</span> are printed in the source. What the sources claim is confirmed, confirmed in part, or not.</p></header>\n";
    out += "<div class=\"overview\"><ul>";
    for record in records {
        let (id, name, title) = (anchor(record), escaped(&record.experiment), escaped(title(record)));
        let _ = write!(out, "<li><a href=\"#{id}\">{name}</a> {title} {}</li>", tally(&record.findings));
    }
    out += "</ul></div>\n<main>\n";
    if records.is_empty() {
        out += "<p>There are no records yet: <code>noli-lab run NAME</code> makes one.</p>\n";
    }
    for record in records {
        section(&mut out, record);
    }
    out += "</main></body></html>\n";
    out
}

fn title(record: &Record) -> &str {
    crate::list().iter().find(|e| e.name == record.experiment).map_or("", |e| e.title)
}

fn anchor(record: &Record) -> String {
    format!("{}-{}", record.experiment, record.machine.name).replace('.', "-")
}

fn section(out: &mut String, record: &Record) {
    let source = crate::list().iter().find(|e| e.name == record.experiment).map_or("", |e| e.source);
    let sample = if record.size == Size::Sample { " · <b>a sample only</b>" } else { "" };
    let _ = writeln!(
        out,
        "<section id=\"{}\"><a class=\"up\" href=\"#top\">to the top</a><h2>{} <small>{}</small></h2>\n<p class=\"source\">{}<br>Run {} on {} ({}, {} threads), {:.0} s{sample}</p>",
        anchor(record),
        escaped(title(record)),
        escaped(&record.experiment),
        escaped(source),
        record.date,
        escaped(&record.machine.cpu),
        record.machine.instructions,
        record.machine.threads,
        record.seconds,
    );
    if !record.settings.is_empty() {
        let settings: Vec<String> = record
            .settings
            .iter()
            .map(|(key, value)| format!("{} = {}", escaped(key), escaped(value)))
            .collect();
        let _ = writeln!(out, "<p class=\"source\">Settings: {}</p>", settings.join("; "));
    }
    if !record.findings.is_empty() {
        out.push_str("<h3>What became of the claims</h3>\n<ul class=\"findings\">\n");
        for finding in &record.findings {
            let (class, word) = verdict(finding.verdict);
            let (claim, why) = (escaped(&finding.claim), escaped(&finding.why));
            let _ =
                writeln!(out, "<li><span class=\"{class}\">{word}</span> <q>{claim}</q> <p>{why}</p></li>");
        }
        out.push_str("</ul>\n");
    }
    if !record.notes.is_empty() {
        out.push_str("<h3>What differs, and why</h3>\n<ul class=\"notes\">\n");
        for note in &record.notes {
            let _ = writeln!(out, "<li>{}</li>", escaped(note));
        }
        out.push_str("</ul>\n");
    }
    for plot in &record.plots {
        plot::draw(out, plot);
    }
    for table in &record.tables {
        self::table(out, table);
    }
    out.push_str("</section>\n");
}

fn verdict(verdict: Verdict) -> (&'static str, &'static str) {
    match verdict {
        Verdict::Confirmed => ("yes", "confirmed"),
        Verdict::Partly => ("partly", "in part"),
        Verdict::Refuted => ("no", "not confirmed"),
        Verdict::Open => ("partly", "cannot be decided"),
    }
}

fn tally(findings: &[Finding]) -> String {
    let count = |wanted| findings.iter().filter(|finding| finding.verdict == wanted).count();
    let one = |wanted| match count(wanted) {
        0 => String::new(),
        n => format!(" <span class=\"{}\">{n} {}</span>", verdict(wanted).0, verdict(wanted).1),
    };
    [Verdict::Confirmed, Verdict::Partly, Verdict::Refuted, Verdict::Open].map(one).concat()
}

fn table(out: &mut String, table: &Table) {
    let long = table.rows.len() > LONG;
    let title = escaped(&table.title);
    let _ = match long {
        true => writeln!(out, "<details><summary>{title} ({} rows)</summary>", table.rows.len()),
        false => writeln!(out, "<h3>{title}</h3>"),
    };
    out.push_str("<div class=\"wide\"><table><thead><tr>");
    for (index, column) in table.columns.iter().enumerate() {
        let first = table.rows.first().and_then(|row| row.cells.get(index.wrapping_sub(1)));
        let class =
            if matches!(first, Some(Cell::Text(text)) if text != "–") { " class=\"text\"" } else { "" };
        let _ = write!(out, "<th{class}>{}</th>", escaped(column));
    }
    out.push_str("</tr></thead><tbody>\n");
    for row in &table.rows {
        let _ = write!(out, "<tr><th>{}</th>", escaped(&row.label));
        for cell in &row.cells {
            match cell {
                Cell::Ours(ours) => _ = write!(out, "<td>{}</td>", number(*ours)),
                Cell::Beside { ours, printed } => {
                    let (ours, printed) = (number(*ours), number(*printed));
                    let _ = write!(out, "<td>{ours} <span class=\"printed\">{printed}</span></td>");
                }
                Cell::Printed { printed } => {
                    _ = write!(out, "<td><span class=\"printed\">{}</span></td>", number(*printed));
                }
                Cell::Text(text) if text == "–" => out.push_str("<td>–</td>"),
                Cell::Text(text) => _ = write!(out, "<td class=\"text\">{}</td>", escaped(text)),
            }
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
    if long {
        out.push_str("</details>\n");
    }
}

/// Tables with more rows are folded: their plots and findings summarise them.
const LONG: usize = 30;

/// Four digits that matter; whole and large numbers in full.
pub fn number(x: f64) -> String {
    if !x.is_finite() {
        return "–".to_owned();
    }
    if (x == x.trunc() || x.abs() >= 1000.0) && x.abs() < 1e9 {
        let digits = format!("{:.0}", x.abs());
        let groups: Vec<&str> = digits
            .as_bytes()
            .rchunks(3)
            .rev()
            .map(|group| std::str::from_utf8(group).unwrap_or(""))
            .collect();
        return format!("{}{}", if x < 0.0 { "−" } else { "" }, groups.join(","));
    }
    let whole = x.abs().log10().floor() as i32;
    if (-5..9).contains(&whole) { format!("{x:.*}", (3 - whole).max(0) as usize) } else { format!("{x:.3e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        for (x, text) in [
            (0.0, "0"),
            (1234567.0, "1,234,567"),
            (-12.0, "−12"),
            (0.5, "0.5000"),
            (12.3456, "12.35"),
            (20507.4, "20,507"),
        ] {
            assert_eq!(number(x), text);
        }
        assert_eq!(number(f64::NAN), "–");
        assert_eq!(number(1.5e-9), "1.500e-9");
    }

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(escaped("<a href=\"x\">&"), "&lt;a href=&quot;x&quot;&gt;&amp;");
    }
}
