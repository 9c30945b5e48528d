//! Reports as JSON, with the name and the version of their schema in `docs/schema`.

use serde::Serialize;

/// Version of all JSON reports: raised when a field changes its meaning or goes.
pub const SCHEMA_VERSION: u32 = 1;

#[derive(Serialize)]
struct Tagged<'a, T> {
    schema: String,
    version: u32,
    #[serde(flatten)]
    report: &'a T,
}

/// Returns a report as one JSON object that begins with `schema`, such as `noli/check`, and `version`.
pub fn report_json(schema: &str, report: &impl Serialize) -> Result<String, serde_json::Error> {
    let tagged = Tagged { schema: format!("noli/{schema}"), version: SCHEMA_VERSION, report };
    Ok(serde_json::to_string_pretty(&tagged)? + "\n")
}
