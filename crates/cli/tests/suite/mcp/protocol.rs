//! The protocol: versions, errors, batches, and input that no client sends.

use super::designs::folder;
use super::session::Session;
use crate::support::{exit_code, noli, stderr};
use serde_json::{Value, json};

#[test]
fn versions_are_negotiated() {
    let folder = folder();
    let mut session = Session::start(&folder, &["--time", "5s"]);
    for (asked, given) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let answer = session.request("initialize", json!({"protocolVersion": asked, "capabilities": {}}));
        assert_eq!(answer["result"]["protocolVersion"], given);
        assert_eq!(answer["result"]["serverInfo"]["name"], "noli");
    }
    // Without a handshake, every request names the version, and results are marked.
    let meta = |version: &str| json!({"_meta": {"io.modelcontextprotocol/protocolVersion": version}});
    let answer = session.request("server/discover", meta("2026-07-28"));
    assert_eq!(answer["result"]["supportedVersions"], json!(["2026-07-28"]));
    let answer = session.request("tools/list", meta("2026-07-28"));
    assert_eq!(answer["result"]["resultType"], "complete");
    assert_eq!(answer["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "noli");
    let answer = session.request("tools/list", meta("2031-01-01"));
    assert_eq!(answer["error"]["code"], -32022);
    assert_eq!(answer["error"]["data"], json!({"supported": ["2026-07-28"], "requested": "2031-01-01"}));
    session.close();
}

#[test]
fn every_tool_has_schemas() {
    let folder = folder();
    let mut session = Session::open(&folder);
    let answer = session.request("tools/list", json!({}));
    let tools = answer["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        ["list_files", "info", "check_files", "clearance", "sweep", "can_remove", "robot_check"]
    );
    for tool in tools {
        for schema in [&tool["inputSchema"], &tool["outputSchema"]] {
            assert_eq!(schema["type"], "object");
            for required in schema["required"].as_array().unwrap() {
                assert!(schema["properties"].get(required.as_str().unwrap()).is_some(), "{tool}");
            }
        }
        assert_eq!(tool["annotations"]["readOnlyHint"], true);
    }
    session.close();
}

#[test]
fn wrong_messages_have_the_errors_of_the_standard() {
    let folder = folder();
    let mut session = Session::open(&folder);
    let huge = "9".repeat(400);
    for (line, id, code) in [
        ("{\"jsonrpc\":", Value::Null, -32700),
        ("nonsense", Value::Null, -32700),
        ("42", Value::Null, -32600),
        ("[]", Value::Null, -32600),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, json!(1), -32600),
        (r#"{"jsonrpc":"2.0","id":2}"#, json!(2), -32600),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, Value::Null, -32600),
        (r#"{"jsonrpc":"2.0","id":3,"method":"no/such"}"#, json!(3), -32601),
        (r#"{"jsonrpc":"2.0","id":"4","method":"ping","params":7}"#, json!("4"), -32602),
        (r#"{"jsonrpc":"2.0","id":5,"method":"initialize"}"#, json!(5), -32602),
        (r#"{"jsonrpc":"2.0","id":6,"method":"tools/call"}"#, json!(6), -32602),
        (r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"rm"}}"#, json!(7), -32602),
        (
            r#"{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"info","arguments":[]}}"#,
            json!(8),
            -32602,
        ),
        (r#"{"jsonrpc":"2.0","id":9,"method":"tools/list","params":{"cursor":"x"}}"#, json!(9), -32602),
        (&huge, Value::Null, -32700),
    ] {
        session.send(line);
        let answer = session.receive();
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), &id), "{line}: {answer}");
    }
    // Notifications and responses have no answer, whatever they are.
    session.send(r#"{"jsonrpc":"2.0","method":"notifications/unknown"}"#);
    session.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[1]}}"#);
    session.send(r#"{"jsonrpc":"2.0","id":17,"result":{}}"#);
    session.send("");
    assert_eq!(session.request("ping", json!({}))["result"], json!({}));
    session.close();
}

#[test]
fn a_batch_has_one_answer() {
    let folder = folder();
    let mut session = Session::open(&folder.join("designs"));
    let call = json!({"name": "info", "arguments": {"file": "cube.obj"}});
    let batch = json!([
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/unknown"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
        7,
    ]);
    session.send(&batch.to_string());
    let answer = session.receive();
    let mut ids: Vec<String> = answer.as_array().unwrap().iter().map(|one| one["id"].to_string()).collect();
    ids.sort();
    assert_eq!(ids, ["1", "2", "null"]);
    session.close();
}

#[test]
fn damaged_calls_never_end_the_program() {
    let folder = folder();
    let mut session = Session::open(&folder.join("designs"));
    let good = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "sweep", "arguments": {
            "files": ["lid.toml"], "part": "lid", "axis": [1, 0, 0], "point": [0, 30, 20.5], "angle_deg": 5,
            "picture": false, "time_s": 2,
        }},
    })
    .to_string();
    let mut random = noli_testing::Random::new(7);
    let other = b"{}[]\",:0e-\\\x00\xff\x80abx";
    for _ in 0..300 {
        let mut bytes = good.clone().into_bytes();
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len() as u64) as usize;
            match random.below(3) {
                0 => bytes[at] = other[random.below(other.len() as u64) as usize],
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, other[random.below(other.len() as u64) as usize]),
            }
        }
        let text = String::from_utf8_lossy(&bytes).replace('\n', " ");
        session.send(&text);
        session.send(r#"{"jsonrpc":"2.0","id":"end","method":"ping"}"#);
        while session.receive()["id"] != "end" {}
    }
    session.close();
}

#[test]
fn a_folder_is_required() {
    let output = noli(&["mcp"]);
    assert_eq!(exit_code(&output), 2);
    let output = noli(&["mcp", "no-such-folder"]);
    assert_eq!(exit_code(&output), 2);
    assert!(stderr(&output).contains("name a folder that exists"), "{}", stderr(&output));
}
