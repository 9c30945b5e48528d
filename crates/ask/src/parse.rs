//! Questions from JSON, and their schemas.

use crate::AskError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Reads a question from JSON: an object with its options. A name that is none of its options is an error.
pub fn parse<Q: DeserializeOwned + Serialize + Default>(options: Value) -> Result<Q, AskError> {
    let given: Vec<String> = match &options {
        Value::Object(object) => object.keys().cloned().collect(),
        other => return Err(AskError::option(format!("options are an object, not {other}"))),
    };
    let known = options_of::<Q>();
    if let Some(name) = given.iter().find(|name| !known.contains_key(*name)) {
        let names: Vec<&str> = known.keys().map(String::as_str).collect();
        return Err(AskError::option(format!(
            "there is no option `{name}`; the options are {}",
            names.join(", ")
        )));
    }
    // Named one by one first, so that the error names the option.
    for (name, value) in options.as_object().into_iter().flatten() {
        let one = Value::Object(Map::from_iter([(name.clone(), value.clone())]));
        serde_json::from_value::<Q>(one)
            .map_err(|error| AskError::option(format!("option `{name}`: {error}")))?;
    }
    serde_json::from_value(options).map_err(|error| AskError::option(error.to_string()))
}

/// The options of a question with their defaults.
fn options_of<Q: Serialize + Default>() -> Map<String, Value> {
    match serde_json::to_value(Q::default()) {
        Ok(Value::Object(object)) => object,
        _ => Map::new(),
    }
}

/// Returns the JSON Schema of the options of a question: their descriptions are the comments on the fields.
#[cfg(feature = "schema")]
pub fn schema<Q: schemars::JsonSchema>() -> Value {
    let settings = schemars::generate::SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    settings.into_generator().into_root_schema_for::<Q>().to_value()
}
