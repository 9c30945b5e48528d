//! Text tables and comma-separated values.

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

/// A line of comma-separated values (RFC 4180), with its line break.
pub(crate) fn csv_line(cells: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let cells: Vec<String> = cells.into_iter().map(|cell| csv_cell(cell.as_ref())).collect();
    cells.join(",") + "\n"
}

fn csv_cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let mut table = Table::new(1, ["name", "n"]);
        table.row(["a", "100"]);
        table.row(["longer", "1"]);
        assert_eq!(table.to_string(), "name      n\na       100\nlonger    1\n");
    }

    #[test]
    fn cells_with_commas_and_quotes_are_quoted() {
        assert_eq!(csv_line(["a", "b, c", "5\" pipe", ""]), "a,\"b, c\",\"5\"\" pipe\",\n");
    }
}
