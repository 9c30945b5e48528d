//! Methods of the Model Context Protocol that need no query, and its versions.

use crate::json_rpc::{INVALID_PARAMS, RpcError, UNSUPPORTED_VERSION};
use crate::tools;
use serde_json::{Map, Value, json};

/// Versions with the `initialize` handshake, the newest last.
const HANDSHAKE: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
/// Versions without a handshake: every request names its version.
const STATELESS: [&str; 1] = ["2026-07-28"];

/// Keys of `_meta`.
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const SERVER_KEY: &str = "io.modelcontextprotocol/serverInfo";

const INSTRUCTIONS: &str = "Exact collision queries of CAD and mesh files, scenes and robots. Every answer states its \
guarantee: lengths are brackets {at_least, at_most} in the unit `units`, `free` is proven, and `undecided` means that a \
limit was reached. Start with list_files. A collision of two parts: check_files. Distances: clearance. Motions of a part \
(a hinge, a slide): sweep. Assembly and service: can_remove. Robots: robot_check.";

/// Returns `true` if a request is of a protocol without a handshake; an error if its version is not supported.
pub(crate) fn is_stateless(params: &Map<String, Value>) -> Result<bool, RpcError> {
    let Some(version) = params.get("_meta").and_then(|meta| meta.get(VERSION_KEY)) else { return Ok(false) };
    if STATELESS.iter().any(|known| version == known) {
        return Ok(true);
    }
    if HANDSHAKE.iter().any(|known| version == known) {
        return Ok(false);
    }
    let mut error = RpcError::new(UNSUPPORTED_VERSION, "the protocol version is not supported");
    error.data = Some(json!({"supported": STATELESS, "requested": version}));
    Err(error)
}

/// Answers `initialize`: the version of the client if it is supported, else the newest one.
pub(crate) fn initialize(params: &Map<String, Value>) -> Result<Value, RpcError> {
    let Some(Value::String(asked)) = params.get("protocolVersion") else {
        return Err(RpcError::new(INVALID_PARAMS, "`protocolVersion` is missing"));
    };
    let [.., newest] = HANDSHAKE;
    let version = HANDSHAKE.into_iter().find(|known| known == asked).unwrap_or(newest);
    Ok(json!({
        "protocolVersion": version,
        "capabilities": capabilities(),
        "serverInfo": server_info(),
        "instructions": INSTRUCTIONS,
    }))
}

/// Answers `server/discover`.
pub(crate) fn discover() -> Value {
    json!({
        "supportedVersions": STATELESS,
        "capabilities": capabilities(),
        "instructions": INSTRUCTIONS,
        "ttlMs": 3_600_000,
        "cacheScope": "public",
    })
}

/// Answers `tools/list`, all on one page.
pub(crate) fn list_tools(params: &Map<String, Value>, is_stateless: bool) -> Result<Value, RpcError> {
    if params.get("cursor").is_some_and(|cursor| !cursor.is_null()) {
        return Err(RpcError::new(INVALID_PARAMS, "there is no further page: omit `cursor`"));
    }
    let mut result = json!({"tools": tools::descriptions()});
    if is_stateless {
        result["ttlMs"] = 3_600_000.into();
        result["cacheScope"] = "public".into();
    }
    Ok(result)
}

/// Adds the fields that every result of a protocol without a handshake has.
pub(crate) fn finished(mut result: Value, is_stateless: bool) -> Value {
    if is_stateless {
        result["resultType"] = "complete".into();
        result["_meta"][SERVER_KEY] = server_info();
    }
    result
}

fn capabilities() -> Value {
    json!({"tools": {"listChanged": false}})
}

fn server_info() -> Value {
    json!({"name": "noli", "title": "noli: exact collision queries", "version": env!("CARGO_PKG_VERSION")})
}
