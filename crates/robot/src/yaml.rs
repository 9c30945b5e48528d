//! YAML, and JSON within it, as values with their places.

use crate::message::excerpt;
use crate::{Fault, Place, RobotError};
use saphyr_parser::{Event, Parser, ScalarStyle};

/// A value of YAML with its position.
pub(crate) struct Node {
    pub(crate) place: Place,
    pub(crate) value: Value,
}

pub(crate) enum Value {
    Scalar(String),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

impl Node {
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        let Value::Map(entries) = &self.value else { return None };
        entries.iter().find(|(name, _)| name == key).map(|(_, node)| node)
    }

    pub(crate) fn need(&self, key: &str) -> Result<&Node, RobotError> {
        self.get(key).ok_or_else(|| self.missing(&format!("`{key}`")))
    }

    pub(crate) fn list(&self, what: &str) -> Result<&[Node], RobotError> {
        match &self.value {
            Value::List(items) => Ok(items),
            _ => Err(self.wrong(what, "a list")),
        }
    }

    pub(crate) fn number(&self, what: &str) -> Result<f64, RobotError> {
        let number = match &self.value {
            Value::Scalar(text) => text.parse::<f64>().ok().filter(|value| value.is_finite()),
            _ => None,
        };
        number.ok_or_else(|| self.wrong(what, "a finite number"))
    }

    pub(crate) fn text(&self, what: &str) -> Result<String, RobotError> {
        match &self.value {
            Value::Scalar(text) => Ok(text.clone()),
            _ => Err(self.wrong(what, "a word")),
        }
    }

    pub(crate) fn missing(&self, what: &str) -> RobotError {
        let fault = Fault::Missing { what: what.to_owned(), place: "the trajectory".to_owned() };
        RobotError::at(self.place, fault)
    }

    pub(crate) fn wrong(&self, what: &str, wanted: &str) -> RobotError {
        let text = match &self.value {
            Value::Scalar(text) => excerpt(text),
            Value::List(_) => "a list".to_owned(),
            Value::Map(_) => "a table".to_owned(),
        };
        let fault = Fault::NotANumber { what: format!("`{what}`"), text, wanted: wanted.to_owned() };
        RobotError::at(self.place, fault)
    }
}

/// Deeper than any message is nested.
const MAX_DEPTH: usize = 64;

/// The first document of a text; more than one is refused, but an empty one behind it is not.
pub(crate) fn parse(text: &str) -> Result<Node, RobotError> {
    let mut open: Vec<(Node, Option<String>)> = Vec::new();
    let mut root: Option<Node> = None;
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            let mark = error.marker();
            let place = Place { line: mark.line() as u32, column: (mark.col() as u32).saturating_add(1) };
            let reason = error.info().to_owned();
            RobotError::at(place, Fault::Syntax { format: "YAML or JSON", reason })
        })?;
        let place =
            Place { line: span.start.line() as u32, column: (span.start.col() as u32).saturating_add(1) };
        let refuse =
            |what: &str, remedy| Err(RobotError::at(place, Fault::Refused { what: what.into(), remedy }));
        let done = match event {
            Event::Scalar(text, style, ..) => {
                let blank = text.is_empty() || (text == "~" && style == ScalarStyle::Plain);
                if open.is_empty() && root.is_some() && blank {
                    continue;
                }
                Node { place, value: Value::Scalar(text.into_owned()) }
            }
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                if open.len() >= MAX_DEPTH {
                    return refuse("containment deeper than 64", "flatten the text");
                }
                let list = matches!(event, Event::SequenceStart(..));
                let value = if list { Value::List(Vec::new()) } else { Value::Map(Vec::new()) };
                open.push((Node { place, value }, None));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some((node, _)) => node,
                None => continue,
            },
            Event::Alias(_) => return refuse("an alias", "write the value out"),
            _ => continue,
        };
        match open.last_mut() {
            None if root.is_some() => {
                let fault =
                    Fault::Refused { what: "a second document".into(), remedy: "give one trajectory a file" };
                return Err(RobotError::at(done.place, fault));
            }
            None => root = Some(done),
            Some((Node { value: Value::List(items), .. }, _)) => items.push(done),
            Some((Node { value: Value::Map(entries), .. }, key)) => match key.take() {
                Some(key) => entries.push((key, done)),
                None => match done.value {
                    Value::Scalar(name) => *key = Some(name),
                    _ => return refuse("a key that is not a word", "use plain keys"),
                },
            },
            Some((Node { value: Value::Scalar(_), .. }, _)) => {}
        }
    }
    root.ok_or_else(|| {
        let (what, place) = ("a trajectory".to_owned(), "the text".to_owned());
        RobotError::at(Place { line: 1, column: 1 }, Fault::Missing { what, place })
    })
}
