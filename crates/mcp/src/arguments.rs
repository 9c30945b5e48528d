//! Typed access to the arguments of a call. Unknown and mistyped arguments are errors.

use crate::answer::ToolError;
use serde_json::{Map, Value};

/// Arguments of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arguments<'a>(pub(crate) &'a Map<String, Value>);

type Found<T> = Result<T, ToolError>;

fn wrong<T>(name: &str, wanted: &str, value: &Value) -> Found<T> {
    let shown: String = value.to_string().chars().take(80).collect();
    Err(ToolError(format!("argument `{name}`: {wanted} is wanted, not {shown}")))
}

impl<'a> Arguments<'a> {
    /// Refuses arguments that the schema of the tool does not have.
    pub(crate) fn known(self, schema: &Value) -> Found<()> {
        let known = |name: &str| schema["properties"].get(name).is_some();
        let Some(name) = self.0.keys().find(|name| !known(name)) else { return Ok(()) };
        let names: Vec<&str> =
            schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
        let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        Err(ToolError(format!("there is no argument `{name}`; the arguments are {names}")))
    }

    fn get(self, name: &str) -> Option<&'a Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// Returns a text; `None` if it is absent.
    pub(crate) fn text(self, name: &str) -> Found<Option<&'a str>> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => wrong(name, "a text", other),
        }
    }

    /// Returns a text that must be there.
    pub(crate) fn required_text(self, name: &str) -> Found<&'a str> {
        self.text(name)?.ok_or_else(|| ToolError(format!("argument `{name}` is missing")))
    }

    /// Returns a list of texts, or one text as a list; empty if it is absent.
    pub(crate) fn texts(self, name: &str) -> Found<Vec<&'a str>> {
        match self.get(name) {
            None => Ok(Vec::new()),
            Some(Value::String(text)) => Ok(vec![text]),
            Some(Value::Array(all)) => {
                let one = |value: &'a Value| match value {
                    Value::String(text) => Ok(text.as_str()),
                    other => wrong(name, "a list of texts", other),
                };
                all.iter().map(one).collect()
            }
            Some(other) => wrong(name, "a list of texts", other),
        }
    }

    /// Returns a flag; `None` if it is absent.
    pub(crate) fn flag(self, name: &str) -> Found<Option<bool>> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(other) => wrong(name, "true or false", other),
        }
    }

    /// Returns a finite number; `None` if it is absent.
    pub(crate) fn number(self, name: &str) -> Found<Option<f64>> {
        match self.get(name) {
            None => Ok(None),
            Some(value) => match value.as_f64().filter(|number| number.is_finite()) {
                Some(number) => Ok(Some(number)),
                None => wrong(name, "a number", value),
            },
        }
    }

    /// Returns a number that is not negative; `None` if it is absent.
    pub(crate) fn length(self, name: &str) -> Found<Option<f64>> {
        match self.number(name)? {
            Some(length) if length < 0.0 => wrong(name, "a number of at least 0", &self.0[name]),
            length => Ok(length),
        }
    }

    /// Returns an object; `None` if it is absent.
    pub(crate) fn object(self, name: &str) -> Found<Option<Arguments<'a>>> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Object(object)) => Ok(Some(Arguments(object))),
            Some(other) => wrong(name, "an object", other),
        }
    }

    /// Returns the names of an object of numbers with their values.
    pub(crate) fn numbers(self, name: &str) -> Found<Option<Vec<(&'a str, f64)>>> {
        let Some(object) = self.object(name)? else { return Ok(None) };
        let one = |(key, value): (&'a String, &'a Value)| match value.as_f64().filter(|x| x.is_finite()) {
            Some(number) => Ok((key.as_str(), number)),
            None => wrong(&format!("{name}.{key}"), "a number", value),
        };
        object.0.iter().map(one).collect::<Found<Vec<_>>>().map(Some)
    }
}
