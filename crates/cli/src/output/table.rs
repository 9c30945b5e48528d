//! Text tables.

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
}
