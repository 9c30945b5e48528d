//! Maps of the header with known keys, and their numbers.

use crate::cbor::Value;
use crate::dyadic::{Dyadic, Vector};
use crate::error::{CheckError, Result, require};

pub(crate) fn wrong(place: &str, what: &str) -> CheckError {
    CheckError::new("E-HEADER", format!("{place}: {what}"))
}

/// A map whose keys are known.
pub(crate) struct Fields<'v> {
    value: &'v Value,
    pub(crate) place: String,
}

impl<'v> Fields<'v> {
    pub(crate) fn new(value: &'v Value, place: String, required: &[&str], optional: &[&str]) -> Result<Self> {
        let entries = value.map().ok_or_else(|| wrong(&place, "this is no map"))?;
        for (key, _) in entries {
            let known = required.contains(&key.as_str()) || optional.contains(&key.as_str());
            require(known, "E-HEADER", format!("{place}: unknown key {key:?}"))?;
        }
        for key in required {
            require(value.get(key).is_some(), "E-HEADER", format!("{place}: the key {key:?} is missing"))?;
        }
        Ok(Self { value, place })
    }

    pub(crate) fn wrong(&self, key: &str) -> CheckError {
        wrong(&self.place, &format!("`{key}` is of a wrong type or out of range"))
    }

    pub(crate) fn get(&self, key: &str) -> Option<&'v Value> {
        self.value.get(key)
    }

    pub(crate) fn text(&self, key: &str) -> Result<String> {
        self.get(key).and_then(Value::text).map(str::to_owned).ok_or_else(|| self.wrong(key))
    }

    pub(crate) fn array(&self, key: &str) -> Result<&'v [Value]> {
        self.get(key).and_then(Value::array).ok_or_else(|| self.wrong(key))
    }

    pub(crate) fn index(&self, key: &str, count: usize) -> Result<usize> {
        self.get(key).and_then(|value| value.index(count)).ok_or_else(|| self.wrong(key))
    }

    pub(crate) fn boolean(&self, key: &str) -> Result<bool> {
        self.get(key).and_then(Value::boolean).ok_or_else(|| self.wrong(key))
    }

    /// A number that is not negative, by default 0.
    pub(crate) fn amount(&self, key: &str) -> Result<Dyadic> {
        let found = self.get(key).map_or(Some(Dyadic::ZERO), number);
        found.filter(|value| !value.is_negative()).ok_or_else(|| self.wrong(key))
    }

    pub(crate) fn vector(&self, key: &str) -> Result<Vector> {
        let numbers = self.get(key).and_then(numbers).and_then(|all| all.try_into().ok());
        numbers.ok_or_else(|| self.wrong(key))
    }

    pub(crate) fn hash(&self) -> Result<[u8; 32]> {
        let bytes = self.get("sha256").and_then(Value::bytes).and_then(|bytes| bytes.try_into().ok());
        bytes.ok_or_else(|| self.wrong("sha256"))
    }
}

pub(crate) fn number(value: &Value) -> Option<Dyadic> {
    match *value {
        Value::Integer(value) => Some(Dyadic::integer(value)),
        Value::Float(value) => Some(Dyadic::double(value)),
        _ => None,
    }
}

pub(crate) fn numbers(value: &Value) -> Option<Vec<Dyadic>> {
    value.array()?.iter().map(number).collect()
}

pub(crate) fn check_magnitudes(value: &Value) -> Result<()> {
    match value {
        Value::Float(x) => require(x.abs() <= 2f64.powi(300), "E-LIMIT", "a number is beyond 2^300"),
        Value::Array(entries) => entries.iter().try_for_each(check_magnitudes),
        Value::Map(entries) => entries.iter().try_for_each(|(_, value)| check_magnitudes(value)),
        _ => Ok(()),
    }
}
