//! The files of a call as the subject of a question, and numbers in words.

use crate::answer::ToolError;
use crate::arguments::Arguments;
use crate::call::Call;
use crate::files;
use noli_ask::{Context, Opened, Subject};
use noli_formats::Units;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Returns the question of a call: its options, but for those of the tool itself. Files are those of the server's folders.
pub(super) fn question<Q>(arguments: Arguments<'_>, own: &[&str]) -> Result<Q, ToolError>
where
    Q: DeserializeOwned + Serialize + Default,
{
    let is_option = |name: &str| name != TIME && !own.contains(&name);
    let given = arguments.0.iter().filter(|(name, value)| is_option(name) && !value.is_null());
    let mut options: Map<String, Value> = given.map(|(name, value)| (name.clone(), value.clone())).collect();
    if options.contains_key("files") {
        let files = files::resolve_all(&arguments.texts("files")?)?;
        options.insert("files".to_owned(), files.iter().map(|path| path.display().to_string()).collect());
    }
    for name in ["results", "against"] {
        if let Some(text) = arguments.text(name)? {
            options.insert(name.to_owned(), files::resolve(text)?.display().to_string().into());
        }
    }
    noli_ask::parse(Value::Object(options)).map_err(ToolError::of)
}

/// The argument that all tools have.
const TIME: &str = "time_s";

/// Opens the subject of a call; answers show its paths from the folder of the server.
pub(super) fn open(call: &Call, subject: &Subject) -> Result<Opened, ToolError> {
    if subject.files.is_empty() {
        return Err(ToolError("argument `files` is missing: name a scene, or mesh files".to_owned()));
    }
    let opened = subject.open(&context(call)).map_err(ToolError::of)?;
    let title = subject.files.iter().map(|path| files::shown(path)).collect::<Vec<_>>().join(", ");
    Ok(Opened { title, ..opened })
}

/// Returns the limits of a call.
pub(super) fn context(call: &Call) -> Context<'_> {
    Context { budget: call.budget(), progress: Some(call), ..Context::default() }
}

/// Returns the sign of a unit with a space before it, for texts.
pub(super) fn sign(units: Option<Units>) -> String {
    units.map_or_else(String::new, |units| format!(" {}", units.sign()))
}

/// Returns a bracket in words; `unit` has its space before it.
pub(super) fn bracket(at_least: f64, at_most: f64, unit: &str) -> String {
    let (low, high) = (short(at_least), short(at_most));
    match at_most.is_finite() {
        true if low == high => format!("{low}{unit}"),
        true => format!("{low} to {high}{unit}"),
        false => format!("at least {low}{unit}"),
    }
}

/// Returns a number with six significant digits.
pub(super) fn short(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return number.to_string();
    }
    let digits = 5.0 - number.abs().log10().floor();
    if !(0.0..=12.0).contains(&digits) {
        return format!("{number:.5e}");
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number from 0 to 12")]
    let text = format!("{number:.*}", digits as usize);
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}
