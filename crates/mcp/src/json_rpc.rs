//! Messages of JSON-RPC 2.0: parsing and serialisation.

use serde_json::{Map, Value, json};

/// Invalid JSON was received.
pub(crate) const PARSE_ERROR: i64 = -32700;
/// The message is not a request.
pub(crate) const INVALID_REQUEST: i64 = -32600;
/// The method does not exist.
pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
/// The parameters are wrong.
pub(crate) const INVALID_PARAMS: i64 = -32602;
/// Too many requests wait; of the range that the protocol leaves to servers.
pub(crate) const BUSY: i64 = -32000;
/// The protocol version of a request is not supported.
pub(crate) const UNSUPPORTED_VERSION: i64 = -32022;

/// An error of the protocol.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RpcError {
    pub(crate) code: i64,
    pub(crate) message: String,
    pub(crate) data: Option<Value>,
}

impl RpcError {
    pub(crate) fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }
}

/// A message of the client.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Message {
    /// Expects a response with its id.
    Request { id: Value, method: String, params: Map<String, Value> },
    /// Expects none.
    Notification { method: String, params: Map<String, Value> },
    /// A response to a request of ours, of which there are none; ignored.
    Response,
    /// Not a message: the response is an error, with the id if it is known.
    Invalid { id: Value, error: RpcError },
}

/// The messages of one line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Line {
    Single(Message),
    /// A batch, whose responses are sent together; protocol 2025-03-26 has them.
    Batch(Vec<Message>),
}

/// Parses one line.
pub(crate) fn parse(line: &[u8]) -> Line {
    let invalid = |code: i64, message: String| {
        Line::Single(Message::Invalid { id: Value::Null, error: RpcError::new(code, message) })
    };
    match serde_json::from_slice(line) {
        Err(error) => invalid(PARSE_ERROR, format!("invalid JSON: {error}; send one message a line")),
        Ok(Value::Array(all)) if all.is_empty() => invalid(INVALID_REQUEST, "an empty batch".to_owned()),
        Ok(Value::Array(all)) => Line::Batch(all.into_iter().map(message).collect()),
        Ok(value) => Line::Single(message(value)),
    }
}

fn message(value: Value) -> Message {
    let invalid =
        |id: Value, text: &str| Message::Invalid { id, error: RpcError::new(INVALID_REQUEST, text) };
    let Value::Object(mut object) = value else {
        return invalid(Value::Null, "a message is an object");
    };
    let id = object.remove("id");
    let known = match &id {
        Some(Value::String(_) | Value::Number(_)) => id.clone().unwrap_or_default(),
        _ => Value::Null,
    };
    if object.get("jsonrpc") != Some(&Value::from("2.0")) {
        return invalid(known, "`jsonrpc` must be \"2.0\"");
    }
    let method = match object.remove("method") {
        Some(Value::String(method)) => method,
        Some(_) => return invalid(known, "`method` must be a string"),
        None if object.contains_key("result") || object.contains_key("error") => return Message::Response,
        None => return invalid(known, "there is no `method`"),
    };
    let params = match object.remove("params") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(params)) => params,
        Some(_) => {
            let error = RpcError::new(INVALID_PARAMS, "`params` must be an object");
            return Message::Invalid { id: known, error };
        }
    };
    match id {
        None => Message::Notification { method, params },
        Some(Value::String(_) | Value::Number(_)) => Message::Request { id: known, method, params },
        Some(_) => invalid(Value::Null, "`id` must be a string or a number"),
    }
}

/// Creates the response to a request.
pub(crate) fn response(id: &Value, outcome: Result<Value, RpcError>) -> Value {
    match outcome {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(RpcError { code, message, data }) => {
            let mut error = json!({"code": code, "message": message});
            if let Some(data) = data {
                error["data"] = data;
            }
            json!({"jsonrpc": "2.0", "id": id, "error": error})
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(line: impl AsRef<[u8]>) -> Option<(Value, i64)> {
        match parse(line.as_ref()) {
            Line::Single(Message::Invalid { id, error }) => Some((id, error.code)),
            _ => None,
        }
    }

    #[test]
    fn messages_and_errors_are_distinguished() {
        let request = parse(br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
        assert!(matches!(request, Line::Single(Message::Request { .. })));
        let note = parse(br#"{"jsonrpc":"2.0","method":"x","params":null}"#);
        assert!(matches!(note, Line::Single(Message::Notification { .. })));
        assert_eq!(parse(br#"{"jsonrpc":"2.0","id":1,"result":{}}"#), Line::Single(Message::Response));
        assert_eq!(code("{"), Some((Value::Null, PARSE_ERROR)));
        assert_eq!(code("[]"), Some((Value::Null, INVALID_REQUEST)));
        assert_eq!(code("17"), Some((Value::Null, INVALID_REQUEST)));
        assert_eq!(code(r#"{"id":7,"method":"ping"}"#), Some((7.into(), INVALID_REQUEST)));
        assert_eq!(code(r#"{"jsonrpc":"2.0","id":"a"}"#), Some(("a".into(), INVALID_REQUEST)));
        assert_eq!(
            code(r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#),
            Some((Value::Null, INVALID_REQUEST))
        );
        assert_eq!(
            code(r#"{"jsonrpc":"2.0","id":3,"method":"ping","params":[1]}"#),
            Some((3.into(), INVALID_PARAMS))
        );
        assert_eq!(code(b"\xff\xfe"), Some((Value::Null, PARSE_ERROR)));
        assert!(
            matches!(parse(br#"[1,{"jsonrpc":"2.0","id":1,"method":"ping"}]"#), Line::Batch(all) if all.len() == 2)
        );
    }

    #[test]
    fn deep_nesting_is_an_error() {
        let deep = "[".repeat(100_000);
        assert_eq!(code(&deep), Some((Value::Null, PARSE_ERROR)));
    }
}
