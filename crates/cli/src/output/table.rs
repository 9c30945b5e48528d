//! Text tables.

use super::short_names::ShortNames;
use std::ops::Range;
use unicode_width::UnicodeWidthStr as _;

/// Minimum number of columns in which names remain distinguishable.
const NARROWEST: usize = 12;

/// Indentation of the further lines of a row.
const INDENT: usize = 4;

/// Columns of text: the first ones aligned left, the others right. Where all of them are wider than the terminal, every
/// row takes several lines.
pub struct Table {
    left_columns: usize,
    rows: Vec<Vec<String>>,
    width: Option<usize>,
}

impl Table {
    /// A table with its header.
    pub fn new(left_columns: usize, header: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let rows = vec![header.into_iter().map(Into::into).collect()];
        Self { left_columns, rows, width: super::width() }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// Returns the table with the names in some columns cut where they are alike, so that lines fit into the terminal
    /// if possible.
    pub fn fitted(mut self, names: Range<usize>) -> Self {
        let Some(width) = self.width else { return self };
        let widths = self.widths();
        let cells = self.rows.iter().skip(1).flat_map(|row| row.get(names.clone()).unwrap_or_default());
        let short = ShortNames::new(cells.map(String::as_str));
        let mut left = self.room(names.clone(), width);
        if left < names.len() * (NARROWEST + 2) {
            // Rows take several lines in any case, the first of which is that of the names.
            left = width;
        }
        let mut columns: Vec<usize> = names.filter(|&column| column < widths.len()).collect();
        // The narrowest first: what they do not need goes to the others.
        columns.sort_by_key(|&column| widths[column]);
        for (done, &column) in columns.iter().enumerate() {
            let share = (left / (columns.len() - done)).saturating_sub(2).max(NARROWEST);
            for row in self.rows.iter_mut().skip(1) {
                row[column] = short.fitted(&row[column], share);
            }
            left = left.saturating_sub(widths[column].min(share) + 2);
        }
        self
    }

    /// Returns the table with the text in some columns broken at spaces into further lines, so that lines fit into
    /// the terminal if possible.
    pub fn wrapped(mut self, columns: Range<usize>) -> Self {
        let Some(width) = self.width else { return self };
        let room = self.room(columns.clone(), width) + 2;
        let share = (room / columns.len().max(1)).saturating_sub(2).max(NARROWEST);
        let mut rows = Vec::with_capacity(self.rows.len());
        for row in self.rows {
            let lines: Vec<Vec<String>> = row
                .iter()
                .enumerate()
                .map(|(column, cell)| match columns.contains(&column) {
                    true => broken(cell, share),
                    false => vec![cell.clone()],
                })
                .collect();
            let height = lines.iter().map(Vec::len).max().unwrap_or(1);
            rows.extend((0..height).map(|line| {
                lines.iter().map(|cell| cell.get(line).cloned().unwrap_or_default()).collect::<Vec<_>>()
            }));
        }
        self.rows = rows;
        self
    }

    /// Returns the columns that a line of this width leaves for some of its columns.
    pub fn room(&self, names: Range<usize>, width: usize) -> usize {
        let widths = self.widths();
        let others = widths.iter().enumerate().filter(|(column, _)| !names.contains(column));
        width.saturating_sub(others.map(|(_, width)| width + 2).sum())
    }

    /// Returns the columns of each line of a row.
    fn bands(&self, widths: &[usize]) -> Vec<Range<usize>> {
        let most = self.width.unwrap_or(usize::MAX);
        let (mut bands, mut start, mut used) = (Vec::new(), 0, 0);
        for (column, width) in widths.iter().enumerate() {
            if column > start && used + 2 + width > most {
                bands.push(start..column);
                (start, used) = (column, INDENT + width);
            } else {
                used += width + if column > start { 2 } else { 0 };
            }
        }
        bands.push(start..widths.len());
        bands
    }

    fn widths(&self) -> Vec<usize> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |row: &Vec<String>, column| row.get(column).map_or(0, |cell: &String| cell.width());
        (0..columns).map(|c| self.rows.iter().map(|row| width(row, c)).max().unwrap_or(0)).collect()
    }
}

/// Lines of a text, broken at spaces; a word wider than `width` has its own line.
fn broken(text: &str, width: usize) -> Vec<String> {
    let (mut lines, mut line) = (Vec::new(), String::new());
    for word in text.split_whitespace() {
        if !line.is_empty() && line.width() + 1 + word.width() > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

impl std::fmt::Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let widths = self.widths();
        let bands = self.bands(&widths);
        for row in &self.rows {
            for band in &bands {
                let mut line = String::new();
                for column in band.clone() {
                    let (cell, width) = (row.get(column).map_or("", String::as_str), widths[column]);
                    let before = match column == band.start {
                        true => {
                            if column == 0 {
                                0
                            } else {
                                INDENT
                            }
                        }
                        false => 2,
                    };
                    let blank = " ".repeat(width - cell.width());
                    line += &" ".repeat(before);
                    line += &if column < self.left_columns {
                        format!("{cell}{blank}")
                    } else {
                        format!("{blank}{cell}")
                    };
                }
                // Further lines of wrapped cells leave the other bands empty.
                if band.start == 0 || !line.trim_end().is_empty() {
                    writeln!(f, "{}", line.trim_end())?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table of a terminal with this width.
    fn of_width(width: Option<usize>, left: usize, header: &[&str]) -> Table {
        Table { width, ..Table::new(left, header.iter().copied()) }
    }

    #[test]
    fn rows_wider_than_the_terminal_take_several_lines() {
        let table = |width| {
            let mut table = of_width(width, 1, &["joint", "lower", "upper", "speed"]);
            table.row(["shoulder", "-1.5", "1.5", "0.25"]);
            table.to_string()
        };
        assert_eq!(table(None), "joint     lower  upper  speed\nshoulder   -1.5    1.5   0.25\n");
        assert_eq!(table(Some(29)), table(None));
        assert_eq!(table(Some(28)), "joint     lower  upper\n    speed\nshoulder   -1.5    1.5\n     0.25\n");
        assert!(table(Some(16)).lines().all(|line| line.width() <= 16), "{}", table(Some(16)));
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&table(Some(3))), words(&table(None)));
    }

    #[test]
    fn columns_are_aligned() {
        let mut table = of_width(None, 1, &["name", "n"]);
        table.row(["a", "100"]);
        table.row(["longer", "1"]);
        assert_eq!(table.to_string(), "name      n\na       100\nlonger    1\n");
    }

    #[test]
    fn wide_characters_count_twice() {
        let mut table = of_width(None, 1, &["name", "n"]);
        table.row(["螺栓", "1"]);
        table.row(["bolt.1", "2"]);
        assert_eq!(table.to_string(), "name    n\n螺栓    1\nbolt.1  2\n");
    }

    #[test]
    fn texts_are_broken_to_the_width_of_a_terminal() {
        let table = |width| {
            let mut table = of_width(width, 2, &["name", "what it is", "parts"]);
            table.row(["gearbox", "two gear stages on ball bearings in a split housing", "36"]);
            table.row(["boxes", "two boxes", "2"]);
            table.wrapped(1..2).to_string()
        };
        assert_eq!(table(Some(200)), table(None));
        let narrow = table(Some(40));
        assert!(narrow.lines().all(|line| line.width() <= 40), "{narrow}");
        let lines: Vec<&str> = narrow.lines().collect();
        assert_eq!(lines[1], "gearbox  two gear stages on ball     36", "{narrow}");
        assert_eq!(lines[2].trim(), "bearings in a split", "{narrow}");
        let words = |text: &str| text.split_whitespace().count();
        assert_eq!(words(&narrow), words(&table(None)));
    }

    #[test]
    fn names_give_way_to_the_width_of_a_terminal() {
        let table = |width| {
            let mut table = of_width(width, 2, &["A", "B", "where"]);
            table.row(["building/walls/2cXV28XOjE6f6irgi0CPfT", "door", "(1, 2, 3)"]);
            table.fitted(0..2).to_string()
        };
        assert!(table(None).contains("building/walls/2cXV28XOjE6f6irgi0CPfT  door  (1, 2, 3)"));
        assert_eq!(table(Some(200)), table(None));
        let narrow = table(Some(40));
        assert!(narrow.lines().all(|line| line.width() <= 40), "{narrow}");
        assert!(narrow.contains("building/walls  door  (1, 2, 3)"), "{narrow}");
        assert!(table(Some(3)).contains('…'));
    }
}
