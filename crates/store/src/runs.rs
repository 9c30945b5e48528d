//! Programs, and what became of their runs.

use crate::store::counted;
use crate::{Store, StoreError};
use noli_project::report::RunReport;
use rusqlite::{OptionalExtension, params};

/// A run that was logged.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct LoggedRun {
    /// Its number.
    pub id: i64,
    /// The cell.
    pub cell: String,
    /// The program.
    pub program: String,
    /// `free`, `touching` or `undecided`.
    pub outcome: String,
    /// Its end.
    pub ended: String,
    /// Seconds of the program's own time.
    pub seconds: f64,
    /// Contacts of the run.
    pub contacts: Vec<LoggedContact>,
}

/// Something that touched.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct LoggedContact {
    /// The line of the program.
    pub line: i64,
    /// Proven free until then.
    pub safe_until: f64,
    /// Both parts.
    pub parts: [String; 2],
    /// Location.
    pub point: Option<[f64; 3]>,
}

impl Store {
    /// Stores the text of a program.
    pub fn add_program(&mut self, name: &str, text: &str) -> Result<(), StoreError> {
        self.change(|tx| tx.execute("INSERT INTO program (name, text) VALUES (?1, ?2)", [name, text]))
            .map(|_| ())
            .map_err(|error| crate::component::taken(error, "program", name))
    }

    /// The text of a program.
    pub fn program(&self, name: &str) -> Result<String, StoreError> {
        let found =
            self.connection.query_row("SELECT text FROM program WHERE name = ?1", [name], |row| row.get(0));
        let found = found.optional().map_err(|error| self.wrong(error))?;
        found.ok_or_else(|| self.no_such("program", name))
    }

    /// Logs a run with all its contacts; its number.
    pub fn log_run(&mut self, report: &RunReport) -> Result<i64, StoreError> {
        let json = serde_json::to_string(report)
            .map_err(|error| StoreError::unfit("a run", error, "run it again"))?;
        let outcome = serde_json::to_value(report.outcome).ok();
        let outcome = outcome.and_then(|word| Some(word.as_str()?.to_owned())).unwrap_or_default();
        self.change(|tx| {
            tx.execute(
                "INSERT INTO run (cell, program, outcome, ended, seconds, report) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![report.cell, report.program, outcome, report.ended, report.cycle_seconds, json],
            )?;
            let run = tx.last_insert_rowid();
            for (seq, contact) in report.contacts.iter().enumerate() {
                let (p, n) = (contact.point, contact.normal);
                let values = serde_json::to_string(&contact.configuration).unwrap_or_default();
                tx.execute(
                    "INSERT INTO collision_log (run, seq, line, safe_until, touching_by, a, b, x, y, z, nx, ny, nz, \
                     clearance, configuration) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
                    params![
                        run,
                        counted(seq),
                        contact.line,
                        contact.safe_until,
                        contact.touching_by,
                        contact.links[0],
                        contact.links[1],
                        p.map(|p| p[0]),
                        p.map(|p| p[1]),
                        p.map(|p| p[2]),
                        n.map(|n| n[0]),
                        n.map(|n| n[1]),
                        n.map(|n| n[2]),
                        contact.clearance.at_least,
                        values,
                    ],
                )?;
            }
            Ok(run)
        })
    }

    /// The runs that were logged, the last first.
    pub fn runs(&self, most: usize) -> Result<Vec<LoggedRun>, StoreError> {
        let query = "SELECT id, cell, program, outcome, ended, seconds FROM run ORDER BY id DESC LIMIT ?1";
        let mut runs = self.rows(query, [counted(most)], |row| {
            Ok(LoggedRun {
                id: row.get(0)?,
                cell: row.get(1)?,
                program: row.get(2)?,
                outcome: row.get(3)?,
                ended: row.get(4)?,
                seconds: row.get(5)?,
                contacts: Vec::new(),
            })
        })?;
        let query = "SELECT line, safe_until, a, b, x, y, z FROM collision_log WHERE run = ?1 ORDER BY seq";
        for run in &mut runs {
            run.contacts = self.rows(query, [run.id], |row| {
                let point: [Option<f64>; 3] = [row.get(4)?, row.get(5)?, row.get(6)?];
                let point = match point {
                    [Some(x), Some(y), Some(z)] => Some([x, y, z]),
                    _ => None,
                };
                let parts = [row.get(2)?, row.get(3)?];
                Ok(LoggedContact { line: row.get(0)?, safe_until: row.get(1)?, parts, point })
            })?;
        }
        Ok(runs)
    }
}
