//! TOML tables with their place, their requested keys and their name in errors.

use super::suggest::{did_you_mean, shortened};

use glam::DVec3;
use noli_formats::{FileError, Place, Units};
use noli_geom::MAX_COORDINATE;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// Line starts of a text.
pub(crate) struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    pub(crate) fn new(text: &str) -> Self {
        let after_newline = text.bytes().zip(1..).filter(|(byte, _)| *byte == b'\n').map(|(_, next)| next);
        Self { starts: std::iter::once(0).chain(after_newline).collect() }
    }

    pub(crate) fn place(&self, byte: usize) -> Place {
        Place::Line(self.starts.partition_point(|&start| start <= byte))
    }
}

/// A table being read: every key is taken once, and what is left over is an error.
pub(crate) struct Table<'a> {
    table: &'a DeTable<'a>,
    start: usize,
    what: String,
    lines: &'a Lines,
    /// The requested keys, present or not.
    known: Vec<&'static str>,
}

impl<'a> Table<'a> {
    pub(crate) fn new(
        table: &'a DeTable<'a>,
        start: usize,
        what: impl Into<String>,
        lines: &'a Lines,
    ) -> Self {
        Self { table, start, what: what.into(), lines, known: Vec::new() }
    }

    /// Calls the table by another name in errors.
    pub(crate) fn rename(&mut self, what: String) {
        self.what = what;
    }

    /// The value of a key, if it is there.
    pub(crate) fn take(&mut self, key: &'static str) -> Option<Item<'a>> {
        self.known.push(key);
        let value = self.table.get(key)?;
        Some(Item { value, what: format!("`{key}` of {}", self.what), lines: self.lines })
    }

    /// The value of a key that must be there.
    pub(crate) fn need(&mut self, key: &'static str, remedy: &str) -> Result<Item<'a>, FileError> {
        self.take(key).ok_or_else(|| match self.misspelt(key) {
            Some(name) => {
                let reason = format!("{} has no key `{}`", self.what, shortened(name.get_ref()));
                let place = self.lines.place(name.span().start);
                FileError::new(place, reason, format!("did you mean `{key}`?"))
            }
            None => self.error(format!("{} has no `{key}`", self.what), remedy),
        })
    }

    /// The unknown key that resembles one, if there is any.
    fn misspelt(&self, key: &str) -> Option<&Spanned<DeString<'a>>> {
        self.table.keys().find(|name| {
            let name: &str = name.get_ref();
            !self.known.contains(&name) && did_you_mean(name, std::iter::once(key)).is_some()
        })
    }

    /// An error about the table as a whole.
    pub(crate) fn error(&self, reason: impl Into<String>, remedy: impl Into<String>) -> FileError {
        FileError::new(self.place(), reason, remedy)
    }

    /// Returns its place.
    pub(crate) fn place(&self) -> Place {
        self.lines.place(self.start)
    }

    /// Returns its name in errors.
    pub(crate) fn what(&self) -> &str {
        &self.what
    }

    /// Of several keys that exclude each other, the one that is there.
    pub(crate) fn take_one(
        &mut self,
        keys: &[&'static str],
    ) -> Result<Option<(&'static str, Item<'a>)>, FileError> {
        let mut found: Vec<(&'static str, Item<'a>)> =
            keys.iter().filter_map(|&key| Some((key, self.take(key)?))).collect();
        if let [(first, _), (second, item), ..] = &found[..] {
            let reason = format!("{} has both `{first}` and `{second}`", self.what);
            return Err(item.error(reason, "keep one of them"));
        }
        Ok(found.pop())
    }

    /// Rejects keys that were not requested; the error names the first in the file.
    pub(crate) fn finish(self) -> Result<(), FileError> {
        let unknown = self.table.keys().filter(|key| !self.known.contains(&key.get_ref().as_ref()));
        let Some(key) = unknown.min_by_key(|key| key.span().start) else { return Ok(()) };
        let name: &str = key.get_ref();
        let reason = format!("{} has no key `{}`", self.what, shortened(name));
        let remedy = did_you_mean(name, self.known.iter().copied())
            .unwrap_or_else(|| format!("known keys are {}", self.known.join(", ")));
        Err(FileError::new(self.lines.place(key.span().start), reason, remedy))
    }
}

/// A value and what errors call it.
pub(crate) struct Item<'a> {
    value: &'a Spanned<DeValue<'a>>,
    what: String,
    lines: &'a Lines,
}

impl<'a> Item<'a> {
    pub(crate) fn place(&self) -> Place {
        self.lines.place(self.value.span().start)
    }

    pub(crate) fn error(&self, reason: impl Into<String>, remedy: impl Into<String>) -> FileError {
        FileError::new(self.place(), reason, remedy)
    }

    /// Creates an error with the expected value.
    pub(crate) fn wrong(&self, remedy: &str) -> FileError {
        let found = self.value.get_ref().type_str();
        self.error(format!("{} cannot be this {found}", self.what), remedy)
    }

    pub(crate) fn is_text(&self) -> bool {
        self.value.get_ref().is_str()
    }

    pub(crate) fn is_array(&self) -> bool {
        self.value.get_ref().is_array()
    }

    pub(crate) fn text(&self) -> Result<&'a str, FileError> {
        match self.value.get_ref() {
            DeValue::String(text) => Ok(text),
            _ => Err(self.wrong("give a text in quotes")),
        }
    }

    /// A text that names something: not empty, no control characters.
    pub(crate) fn name(&self) -> Result<String, FileError> {
        let text = self.text()?;
        if text.is_empty() || text.chars().any(char::is_control) {
            return Err(
                self.error(format!("{} is not a name", self.what), "give one or more printable characters")
            );
        }
        Ok(text.to_owned())
    }

    pub(crate) fn boolean(&self) -> Result<bool, FileError> {
        self.value.get_ref().as_bool().ok_or_else(|| self.wrong("give true or false"))
    }

    /// A finite number within the range of coordinates.
    pub(crate) fn number(&self) -> Result<f64, FileError> {
        let number = match self.value.get_ref() {
            DeValue::Float(float) => float.as_str().parse().ok(),
            DeValue::Integer(whole) => {
                i64::from_str_radix(whole.as_str(), whole.radix()).ok().map(|n| n as f64)
            }
            _ => return Err(self.wrong("give a number")),
        };
        number.filter(|n: &f64| n.is_finite() && n.abs() <= MAX_COORDINATE).ok_or_else(|| {
            let wrong = if number.is_some_and(f64::is_finite) { "too large" } else { "not a finite number" };
            self.error(format!("{} is {wrong}", self.what), "give a number of ordinary size, at most 2^300")
        })
    }

    pub(crate) fn positive(&self) -> Result<f64, FileError> {
        let number = self.number()?;
        if number > 0.0 { Ok(number) } else { Err(self.wrong("give a number greater than 0")) }
    }

    pub(crate) fn not_negative(&self) -> Result<f64, FileError> {
        let number = self.number()?;
        if number >= 0.0 { Ok(number) } else { Err(self.wrong("give 0 or a greater number")) }
    }

    /// A whole number of a range.
    pub(crate) fn whole(&self, range: std::ops::RangeInclusive<u32>) -> Result<u32, FileError> {
        let whole = self.value.get_ref().as_integer();
        let number = whole.and_then(|whole| u32::from_str_radix(whole.as_str(), whole.radix()).ok());
        let remedy = || format!("give a whole number from {} to {}", range.start(), range.end());
        number.filter(|number| range.contains(number)).ok_or_else(|| self.wrong(&remedy()))
    }

    pub(crate) fn array(&self) -> Result<Vec<Item<'a>>, FileError> {
        let Some(array) = self.value.get_ref().as_array() else {
            return Err(self.wrong("give a list in [ ]"));
        };
        let item = |value| Item { value, what: format!("an entry of {}", self.what), lines: self.lines };
        Ok(array.iter().map(item).collect())
    }

    pub(crate) fn table(&self) -> Result<Table<'a>, FileError> {
        match self.value.get_ref() {
            DeValue::Table(table) => {
                Ok(Table::new(table, self.value.span().start, self.what.clone(), self.lines))
            }
            _ => Err(self.wrong("give a table in { }")),
        }
    }

    /// Tables of `[[key]]`, each called by the key and its number.
    pub(crate) fn tables(&self, key: &str) -> Result<Vec<Table<'a>>, FileError> {
        let heading = format!("write each one under [[{key}]]");
        if !self.is_array() {
            return Err(self.wrong(&heading));
        }
        let table = |(number, item): (usize, Item<'a>)| {
            let mut table = item.table().map_err(|_| item.wrong(&heading))?;
            table.rename(format!("{key} {}", number.saturating_add(1)));
            Ok(table)
        };
        self.array()?.into_iter().enumerate().map(table).collect()
    }

    /// So many numbers.
    pub(crate) fn numbers<const N: usize>(&self) -> Result<[f64; N], FileError> {
        let items = self.array()?;
        let numbers: Vec<f64> = items.iter().map(Item::number).collect::<Result<_, _>>()?;
        numbers.try_into().map_err(|numbers: Vec<f64>| {
            self.error(format!("{} has {} numbers", self.what, numbers.len()), format!("give {N} numbers"))
        })
    }

    pub(crate) fn vector(&self) -> Result<DVec3, FileError> {
        self.numbers().map(DVec3::from_array)
    }

    /// A vector that has a direction.
    pub(crate) fn direction(&self) -> Result<DVec3, FileError> {
        let vector = self.vector()?;
        vector.try_normalize().ok_or_else(|| self.wrong("give a vector that is not zero"))
    }

    /// A unit of length, by its sign.
    pub(crate) fn units(&self) -> Result<Units, FileError> {
        self.choice(&Units::ALL.map(|unit| (unit.sign(), unit)))
    }

    /// One of some words.
    pub(crate) fn choice<T: Copy>(&self, choices: &[(&'static str, T)]) -> Result<T, FileError> {
        let text = self.text()?;
        if let Some((_, value)) = choices.iter().find(|(word, _)| *word == text) {
            return Ok(*value);
        }
        let words = || choices.iter().map(|(word, _)| *word);
        let remedy = did_you_mean(text, words())
            .unwrap_or_else(|| format!("give one of {}", words().collect::<Vec<_>>().join(", ")));
        Err(self.error(format!("{} cannot be `{}`", self.what, shortened(text)), remedy))
    }
}
