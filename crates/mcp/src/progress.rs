//! Progress notifications of a running call, for clients that request them.

use crate::call::Call;
use crate::output::{Output, write_line};
use serde_json::{Map, Value, json};

/// Destination of the reports of one call.
pub(crate) struct Progress {
    token: Value,
    output: Output,
}

impl Progress {
    /// Returns the destination that a request names by its `progressToken`; `None` without one.
    pub(crate) fn asked_for(params: &Map<String, Value>, output: &Output) -> Option<Self> {
        let token = params.get("_meta")?.get("progressToken")?;
        let is_token = token.is_string() || token.is_number();
        is_token.then(|| Self { token: token.clone(), output: output.clone() })
    }

    /// Reports the seconds of the call so far, of those it may take, and its stage. The number of steps of a search is
    /// not known beforehand, so time is the only measure that grows at every report and has an end.
    pub(crate) fn report(&self, call: &Call) {
        let (progress, total) = (call.elapsed().as_secs_f64(), call.time().as_secs_f64());
        let params = json!({
            "progressToken": self.token,
            "progress": progress,
            "total": total.max(progress),
            "message": call.stage(),
        });
        write_line(
            &self.output,
            &json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}),
        );
    }
}
