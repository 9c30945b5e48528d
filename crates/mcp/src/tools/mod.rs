//! The tools: one file each, and their descriptions.

mod can_remove;
mod check_files;
mod clearance;
mod design;
mod info;
mod list_files;
mod robot_check;
mod robot_model;
mod schema;
mod sweep;

use crate::answer::{Answer, ToolError};
use crate::arguments::Arguments;
use crate::call::Call;
use serde_json::{Value, json};

/// A tool.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    title: &'static str,
    description: &'static str,
    input: fn() -> Value,
    output: fn() -> Value,
    run: fn(&Call, Arguments<'_>) -> Result<Answer, ToolError>,
}

impl Tool {
    /// Answers a call. Arguments that the schema does not have are refused.
    pub(crate) fn answer(&self, call: &Call, arguments: Arguments<'_>) -> Result<Answer, ToolError> {
        arguments.known(&(self.input)())?;
        call.enter("reading files");
        (self.run)(call, arguments)
    }
}

static TOOLS: [Tool; 7] = [
    list_files::TOOL,
    info::TOOL,
    check_files::TOOL,
    clearance::TOOL,
    sweep::TOOL,
    can_remove::TOOL,
    robot_check::TOOL,
];

/// A tool that takes some seconds, for tests of the server.
#[cfg(test)]
pub(crate) static SLOW: Tool = Tool {
    name: "slow",
    title: "",
    description: "",
    input: || json!({"properties": {}}),
    output: || Value::Null,
    run: |call, _| {
        call.enter("sleeping");
        std::thread::sleep(std::time::Duration::from_millis(2500));
        Err(ToolError("slept".to_owned()))
    },
};

/// Returns a tool by its name.
pub(crate) fn find(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

/// Returns the names of all tools.
pub(crate) fn names() -> Vec<&'static str> {
    TOOLS.iter().map(|tool| tool.name).collect()
}

/// Returns the descriptions of all tools, as `tools/list` has them.
pub(crate) fn descriptions() -> Value {
    let one = |tool: &Tool| {
        json!({
            "name": tool.name,
            "title": tool.title,
            "description": tool.description,
            "inputSchema": (tool.input)(),
            "outputSchema": (tool.output)(),
            "annotations": {
                "title": tool.title,
                "readOnlyHint": true,
                "destructiveHint": false,
                "idempotentHint": true,
                "openWorldHint": false,
            },
        })
    };
    TOOLS.iter().map(one).collect()
}
