//! Answers of tools.

use base64::Engine as _;
use serde_json::{Value, json};

/// Answer of a tool.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answer {
    /// Summary in words.
    pub(crate) text: String,
    /// All of it, an object that fits the output schema of the tool.
    pub(crate) structured: Value,
    /// Picture, as PNG.
    pub(crate) picture: Option<Vec<u8>>,
}

/// Reason why a tool has no answer, with a remedy; the agent receives it and can correct its call.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct ToolError(pub(crate) String);

impl ToolError {
    /// Creates an error from any other one, without the numbers of system errors.
    pub(crate) fn of(error: impl std::fmt::Display) -> Self {
        Self(error.to_string())
    }
}

/// Creates the result of a call. The structured answer is repeated as text, for clients of protocols before 2025-06-18.
pub(crate) fn result(outcome: Result<Answer, ToolError>) -> Value {
    let text = |text: &str| json!({"type": "text", "text": text});
    match outcome {
        Ok(answer) => {
            let mut content = vec![text(&answer.text), text(&answer.structured.to_string())];
            if let Some(picture) = answer.picture {
                let data = base64::engine::general_purpose::STANDARD.encode(picture);
                content.push(json!({"type": "image", "data": data, "mimeType": "image/png"}));
            }
            json!({"content": content, "structuredContent": answer.structured, "isError": false})
        }
        Err(error) => json!({"content": [text(&error.0)], "isError": true}),
    }
}
