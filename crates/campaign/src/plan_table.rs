//! Tables of a campaign's text: keys are read one by one, and unknown ones are errors.

use glam::DVec3;
use std::collections::BTreeSet;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Reason that a text is an invalid plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}; {remedy}")]
pub struct PlanError {
    /// Location.
    pub line: usize,
    /// Cause of the error.
    pub reason: String,
    /// Action to take.
    pub remedy: String,
}

pub(crate) fn line(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|&byte| byte == b'\n').count().saturating_add(1)
}

/// A table of the text whose keys are taken one by one.
pub(crate) struct Table<'a> {
    text: &'a str,
    table: &'a DeTable<'a>,
    at: usize,
    taken: BTreeSet<&'static str>,
}

impl<'a> Table<'a> {
    pub(crate) fn new(text: &'a str, table: &'a DeTable<'a>, at: usize) -> Self {
        Self { text, table, at, taken: BTreeSet::new() }
    }

    pub(crate) fn error(&self, reason: &str, remedy: &str) -> PlanError {
        PlanError { line: line(self.text, self.at), reason: reason.to_owned(), remedy: remedy.to_owned() }
    }

    /// Creates an error at a key, or at the table if the key is absent.
    pub(crate) fn error_at(&self, key: &str, reason: &str, remedy: &str) -> PlanError {
        let at = self.table.get_key_value(key).map_or(self.at, |(key, _)| key.span().start);
        PlanError { line: line(self.text, at), reason: reason.to_owned(), remedy: remedy.to_owned() }
    }

    pub(crate) fn wrong(&self, value: &Spanned<DeValue<'_>>, key: &str, wanted: &str) -> PlanError {
        let reason = format!("`{key}` is not {wanted}");
        PlanError { line: line(self.text, value.span().start), reason, remedy: format!("give {wanted}") }
    }

    pub(crate) fn take(&mut self, key: &'static str) -> Option<&'a Spanned<DeValue<'a>>> {
        self.taken.insert(key);
        self.table.get(key)
    }

    pub(crate) fn read<T>(
        &mut self,
        key: &'static str,
        wanted: &str,
        read: impl FnOnce(&'a DeValue<'a>) -> Option<T>,
    ) -> Result<Option<T>, PlanError> {
        let Some(value) = self.take(key) else { return Ok(None) };
        read(value.get_ref()).map(Some).ok_or_else(|| self.wrong(value, key, wanted))
    }

    pub(crate) fn text(&mut self, key: &'static str) -> Result<Option<String>, PlanError> {
        self.read(key, "a text", |value| match value {
            DeValue::String(text) => Some(text.to_string()),
            _ => None,
        })
    }

    /// Reads one word of a list, and returns what it stands for.
    pub(crate) fn one_of<T: Copy>(
        &mut self,
        key: &'static str,
        words: &[(&str, T)],
    ) -> Result<Option<T>, PlanError> {
        let Some(word) = self.text(key)? else { return Ok(None) };
        let found = words.iter().find(|(known, _)| *known == word);
        found.map(|(_, value)| Some(*value)).ok_or_else(|| {
            let known: Vec<String> = words.iter().map(|(known, _)| format!("`{known}`")).collect();
            self.error(&format!("{key} = {word:?}"), &format!("use {}", known.join(" or ")))
        })
    }

    pub(crate) fn texts(&mut self, key: &'static str) -> Result<Option<Vec<String>>, PlanError> {
        self.read(key, "a list of texts", |value| match value {
            DeValue::Array(items) => items
                .iter()
                .map(|item| match item.get_ref() {
                    DeValue::String(text) => Some(text.to_string()),
                    _ => None,
                })
                .collect(),
            _ => None,
        })
    }

    pub(crate) fn whole(&mut self, key: &'static str) -> Result<Option<u64>, PlanError> {
        self.read(key, "a whole number, at least 0", |value| match value {
            DeValue::Integer(number) if number.radix() == 10 => number.as_str().replace('_', "").parse().ok(),
            _ => None,
        })
    }

    pub(crate) fn truth(&mut self, key: &'static str) -> Result<Option<bool>, PlanError> {
        self.read(key, "true or false", |value| match value {
            DeValue::Boolean(truth) => Some(*truth),
            _ => None,
        })
    }

    pub(crate) fn number(&mut self, key: &'static str) -> Result<Option<f64>, PlanError> {
        self.read(key, "a number", number)
    }

    pub(crate) fn numbers(&mut self, key: &'static str) -> Result<Option<Vec<f64>>, PlanError> {
        self.read(key, "a list of numbers", |value| match value {
            DeValue::Array(items) => items.iter().map(|item| number(item.get_ref())).collect(),
            _ => None,
        })
    }

    pub(crate) fn vector(&mut self, key: &'static str) -> Result<Option<DVec3>, PlanError> {
        let Some(value) = self.take(key) else { return Ok(None) };
        match self.numbers(key)?.as_deref() {
            Some(&[x, y, z]) => Ok(Some(DVec3::new(x, y, z))),
            _ => Err(self.wrong(value, key, "three numbers")),
        }
    }

    pub(crate) fn table(&mut self, key: &'static str) -> Result<Option<Table<'a>>, PlanError> {
        let Some(value) = self.take(key) else { return Ok(None) };
        match value.get_ref() {
            DeValue::Table(table) => Ok(Some(Table::new(self.text, table, value.span().start))),
            _ => Err(self.wrong(value, key, "a table")),
        }
    }

    pub(crate) fn tables(&mut self, key: &'static str) -> Result<Vec<Table<'a>>, PlanError> {
        let Some(value) = self.take(key) else { return Ok(Vec::new()) };
        let DeValue::Array(items) = value.get_ref() else {
            return Err(self.wrong(value, key, "a list of tables"));
        };
        let table = |item: &'a Spanned<DeValue<'a>>| match item.get_ref() {
            DeValue::Table(table) => Ok(Table::new(self.text, table, item.span().start)),
            _ => Err(self.wrong(item, key, "a list of tables")),
        };
        items.iter().map(table).collect()
    }

    /// Rejects keys that were not read: a mistyped one must not be ignored.
    pub(crate) fn finish(&self) -> Result<(), PlanError> {
        match self.table.iter().find(|(key, _)| !self.taken.contains(key.get_ref().as_ref())) {
            None => Ok(()),
            Some((key, _)) => {
                let known: Vec<&str> = self.taken.iter().copied().collect();
                Err(PlanError {
                    line: line(self.text, key.span().start),
                    reason: format!("there is no key `{}` here", key.get_ref()),
                    remedy: format!("known are {}", known.join(", ")),
                })
            }
        }
    }
}

fn number(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Integer(number) if number.radix() == 10 => number.as_str().replace('_', "").parse().ok(),
        DeValue::Float(number) => number.as_str().replace('_', "").parse().ok().filter(|x: &f64| !x.is_nan()),
        _ => None,
    }
}
