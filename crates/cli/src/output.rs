//! Text tables, progress, and what happens when nobody reads them.

use anyhow::{Context, Result};
use std::io::{self, ErrorKind, IsTerminal, Write};

/// Print to standard output. A reader that has seen enough (`noli ... | head`) is not an error.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.context("cannot write to standard output"),
    }
}

/// Print one JSON object.
pub(crate) fn print_json(value: &impl serde::Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value).context("cannot write JSON")?;
    print(&(text + "\n"))
}

/// Columns of text: the first ones aligned left, the others right.
pub(crate) struct Table {
    left_columns: usize,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(left_columns: usize, header: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { left_columns, rows: vec![header.into_iter().map(Into::into).collect()] }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }
}

impl std::fmt::Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let cell =
            |row: &Vec<String>, column| row.get(column).map_or(0, |cell: &String| cell.chars().count());
        let widths: Vec<usize> =
            (0..columns).map(|c| self.rows.iter().map(|row| cell(row, c)).max().unwrap_or(0)).collect();
        for row in &self.rows {
            let mut line = String::new();
            for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                let gap = if column == 0 { "" } else { "  " };
                line += &if column < self.left_columns {
                    format!("{gap}{cell:<width$}")
                } else {
                    format!("{gap}{cell:>width$}")
                };
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// One line on the terminal that says what is being done; silent where nobody watches.
pub(crate) struct Progress {
    total: usize,
    done: usize,
    watched: bool,
}

impl Progress {
    pub(crate) fn new(total: usize) -> Self {
        Self { total, done: 0, watched: io::stderr().is_terminal() }
    }

    /// A step begins.
    pub(crate) fn step(&mut self, what: &str) {
        self.done += 1;
        if self.watched {
            eprint!("\r\x1b[K[{}/{}] {what}", self.done, self.total.max(self.done));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.watched && self.done > 0 {
            eprint!("\r\x1b[K");
        }
    }
}

/// A number with six digits that matter.
pub(crate) fn short(x: f64) -> String {
    if x == 0.0 || (1e-4..1e7).contains(&x.abs()) {
        let whole = if x == 0.0 { 0 } else { x.abs().log10().floor() as i32 };
        let text = format!("{x:.*}", (5 - whole).max(0) as usize);
        let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
        // Rounding may leave a minus before nothing.
        if text == "-0" { "0".into() } else { text.to_owned() }
    } else {
        format!("{x:.5e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_six_digits() {
        for (x, text) in [
            (0.0, "0"),
            (0.5, "0.5"),
            (-0.25, "-0.25"),
            (123456.7, "123457"),
            (1.0 / 3.0, "0.333333"),
            (1e-7, "1.00000e-7"),
            (100.0, "100"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(short(x), text);
        }
    }

    #[test]
    fn columns_are_aligned() {
        let mut table = Table::new(1, ["name", "n"]);
        table.row(["a", "100"]);
        table.row(["longer", "1"]);
        assert_eq!(table.to_string(), "name      n\na       100\nlonger    1\n");
    }
}
