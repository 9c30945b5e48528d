//! The output of the server, shared by its threads.

use serde_json::Value;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

pub(crate) type Output = Arc<Mutex<Box<dyn Write + Send>>>;

/// Writes a message. A client that has gone receives nothing; the input then ends too.
pub(crate) fn write_line(output: &Output, message: &Value) {
    let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
    let _ = writeln!(output, "{message}").and_then(|()| output.flush());
}
