//! What a measurement gives: plain figures for programs, tables for people.

use crate::record::{Cell, Table};
use serde::Serialize;

/// Is told what is being done, and how many such steps there are in all.
pub type Progress<'a> = &'a mut (dyn FnMut(&str, usize) + Send);

/// The figures of a measurement. Serialised, they are the JSON object of `docs/command-line.md`.
pub trait Measured: Serialize {
    /// What people read.
    fn page(&self) -> Page;

    /// Wrong answers; where there are some, the times mean nothing.
    fn failures(&self) -> &[String] {
        &[]
    }
}

/// Tables with a few words around them.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// What was measured, in a line or two.
    pub heading: String,
    /// The figures.
    pub tables: Vec<Table>,
    /// What is worth knowing, a line each.
    pub remarks: Vec<String>,
}

/// A row of words.
pub(crate) fn add_row(table: &mut Table, label: impl Into<String>, cells: impl IntoIterator<Item = String>) {
    table.row(label, cells.into_iter().map(Cell::Text));
}
