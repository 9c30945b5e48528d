//! Result of a measurement: plain figures for programs, tables for people.

use crate::record::{Cell, Table};
use serde::Serialize;

/// Callback that receives the current step, and the total number of such steps.
pub type Progress<'a> = &'a mut (dyn FnMut(&str, usize) + Send);

/// The figures of a measurement. Serialised, they are the JSON object of `docs/command-line.md`.
pub trait Measured: Serialize {
    /// Returns the text for people.
    fn page(&self) -> Page;

    /// Wrong answers; where there are some, the times mean nothing.
    fn failures(&self) -> &[String] {
        &[]
    }
}

/// Tables with a few words around them.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// Subject of the measurement, in a line or two.
    pub heading: String,
    /// The figures.
    pub tables: Vec<Table>,
    /// Remarks, a line each.
    pub remarks: Vec<String>,
}

/// A row of words.
pub(crate) fn add_row(table: &mut Table, label: impl Into<String>, cells: impl IntoIterator<Item = String>) {
    table.row(label, cells.into_iter().map(Cell::Text));
}
