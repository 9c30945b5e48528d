//! Tables of comma-separated values.

use super::JointTable;
use super::builder::{Builder, Holds};
use crate::text::Lines;
use crate::tree::Robot;
use crate::{Fault, RobotError};

impl JointTable {
    /// Reads a table of comma-separated values. Its first row names the columns: joints (radians and metres;
    /// `NAME_deg` is in degrees), perhaps `time`, and `NAME_velocity` and `NAME_acceleration` for all of them; other
    /// columns may hold anything, but one that is named almost like a joint is refused as a misspelt one.
    ///
    /// ```
    /// let robot = noli_robot::puma560(noli_robot::PumaSet::Eaik);
    /// let table = noli_robot::JointTable::from_csv_str("j1,j2_deg,note\n0.5,90,\"up, left\"\n", &robot)?;
    /// assert_eq!(table.rows[0][1], std::f64::consts::FRAC_PI_2);
    /// assert_eq!(table.ignored_columns, ["note"]);
    /// let error = noli_robot::JointTable::from_csv_str("j1,j2\n0.5,O.7\n", &robot).unwrap_err();
    /// assert_eq!(error.to_string(), "line 2, column 5: row 1, column `j2`: `O.7` is not a finite number");
    /// # Ok::<(), noli_robot::RobotError>(())
    /// ```
    pub fn from_csv_str(text: &str, robot: &Robot) -> Result<Self, RobotError> {
        Self::from_csv_columns(text, robot, |name| Some(name))
    }

    /// Reads the columns of one robot of a table for several: `own` returns the name of a column without the robot's
    /// prefix, `None` for a column of another robot.
    pub fn from_csv_columns(
        text: &str,
        robot: &Robot,
        own: impl for<'n> Fn(&'n str) -> Option<&'n str>,
    ) -> Result<Self, RobotError> {
        let lines = Lines::new(text)?;
        let mut cells = Cells { text, at: if text.starts_with('\u{feff}') { 3 } else { 0 } };
        let mut heading = Vec::new();
        if !cells.row(&mut heading, &lines)? {
            let (what, place) = ("a row that names the columns".to_owned(), "the table".to_owned());
            return Err(RobotError::at(lines.place(0), Fault::Missing { what, place }));
        }
        let mut builder = Builder::new(robot);
        for (name, at) in &heading {
            match own(name.trim()) {
                Some(name) => builder.column(name, lines.place(*at))?,
                None => builder.columns.push(Holds::Else),
            }
        }
        builder.check_columns(lines.place(0))?;
        let mut row = Vec::new();
        while cells.row(&mut row, &lines)? {
            let place = lines.place(row.first().map_or(0, |(_, at)| *at));
            builder.begin_row(place);
            if row.len() != heading.len() {
                let (found, wanted) = (row.len(), heading.len());
                let fault = Fault::RowLength { row: builder.table.rows.len(), found, wanted };
                return Err(RobotError::at(place, fault));
            }
            for (column, (text, at)) in row.iter().enumerate() {
                builder.cell(column, text, || lines.place(*at))?;
            }
            builder.end_row(place)?;
        }
        Ok(builder.finish())
    }
}

/// Cells with the bytes they begin at.
struct Cells<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cells<'a> {
    /// The next row that is not empty; false at the end.
    fn row(&mut self, row: &mut Vec<(String, usize)>, lines: &Lines<'a>) -> Result<bool, RobotError> {
        loop {
            if self.at >= self.text.len() {
                return Ok(false);
            }
            row.clear();
            while self.cell(row, lines)? {}
            let is_passed_over = match &row[..] {
                [] => true,
                [(only, _)] if only.trim().is_empty() => true,
                [(first, _), ..] => first.trim_start().starts_with('#'),
            };
            if !is_passed_over {
                return Ok(true);
            }
        }
    }

    /// Reads a cell; whether another follows on the row.
    #[allow(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        reason = "places of characters of one byte that were found, and the end of the text"
    )]
    fn cell(&mut self, row: &mut Vec<(String, usize)>, lines: &Lines<'a>) -> Result<bool, RobotError> {
        let start = self.at;
        let rest = &self.text[start..];
        let cell = if let Some(quoted) = rest.strip_prefix('"') {
            let mut cell = String::new();
            let mut from = 0;
            loop {
                let Some(end) = quoted[from..].find('"') else {
                    let reason = "a quotation mark is never closed".to_owned();
                    return Err(RobotError::at(
                        lines.place(start),
                        Fault::Syntax { format: "table", reason },
                    ));
                };
                cell.push_str(&quoted[from..from + end]);
                from += end + 1;
                if !quoted[from..].starts_with('"') {
                    break;
                }
                cell.push('"');
                from += 1;
            }
            self.at = start + 1 + from;
            // What stands behind the closing mark belongs to the cell.
            let tail = &self.text[self.at..];
            let end = tail.find([',', '\n']).unwrap_or(tail.len());
            cell.push_str(tail[..end].trim_end_matches('\r'));
            self.at += end;
            cell
        } else {
            let end = rest.find([',', '\n']).unwrap_or(rest.len());
            self.at = start + end;
            rest[..end].trim_end_matches('\r').to_owned()
        };
        row.push((cell, start));
        let more = self.text[self.at..].starts_with(',');
        self.at += usize::from(self.at < self.text.len());
        // A comma at the very end begins one more cell.
        if more && self.at >= self.text.len() {
            row.push((String::new(), self.at));
            return Ok(false);
        }
        Ok(more)
    }
}
