//! The loop of the server: one thread reads, one answers queries in order.

use crate::answer::{Answer, ToolError, result};
use crate::arguments::Arguments;
use crate::call::Call;
use crate::json_rpc::{
    BUSY, INVALID_PARAMS, INVALID_REQUEST, Line, METHOD_NOT_FOUND, Message, PARSE_ERROR, RpcError, parse,
    response,
};
use crate::output::{Output, write_line};
use crate::progress::Progress;
use crate::{protocol, tools};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::io::{BufRead, Read as _, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Limits of the server.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ServeOptions {
    /// Time limit of a call; calls may ask for less.
    pub time: Duration,
    /// Memory of the program, in bytes, beyond which queries end; `None` sets no limit.
    pub memory: Option<u64>,
}

impl ServeOptions {
    /// Creates limits of time and memory.
    #[must_use]
    pub fn new(time: Duration, memory: Option<u64>) -> Self {
        Self { time, memory }
    }
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self { time: Duration::from_secs(60), memory: None }
    }
}

/// Largest message that is read, in bytes.
const LARGEST_LINE: u64 = 16 << 20;
/// Calls that wait; more are refused.
const MOST_WAITING: usize = 64;
/// Time after the limit in which a call may still answer: reading a file cannot be stopped halfway.
const GRACE: Duration = Duration::from_secs(10);
/// Interval between two reports of progress.
const REPORT_INTERVAL: Duration = Duration::from_secs(1);
/// Calls that did not end after their limit and their grace; with more, further calls are refused.
const MOST_OVERDUE: usize = 4;

/// Answers requests until the input ends and the waiting calls are done.
///
/// Reading must have been restricted by [`noli_formats::restrict_reading`] before: without folders no file is found.
pub fn serve(
    input: impl BufRead,
    output: impl Write + Send + 'static,
    options: &ServeOptions,
) -> std::io::Result<()> {
    let (jobs, waiting) = mpsc::sync_channel::<Job>(MOST_WAITING);
    let calls = Calls::default();
    let of_worker = calls.clone();
    let worker = std::thread::Builder::new().name("calls".to_owned()).spawn(move || {
        let overdue = Arc::<AtomicUsize>::default();
        for job in waiting {
            let key = job.reply.id.to_string();
            answer(job, &overdue);
            of_worker.lock().remove(&key);
        }
    })?;
    let server = Server { output: Arc::new(Mutex::new(Box::new(output))), jobs, calls, options: *options };
    let read = server.read(input);
    // The worker ends when no more jobs can come.
    drop(server);
    let _ = worker.join();
    read
}

/// Calls that wait or run, by id.
#[derive(Clone, Default)]
struct Calls(Arc<Mutex<HashMap<String, Call>>>);

impl Calls {
    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Call>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Server {
    output: Output,
    jobs: SyncSender<Job>,
    calls: Calls,
    options: ServeOptions,
}

/// A call of a tool.
struct Job {
    reply: Reply,
    tool: &'static tools::Tool,
    arguments: Map<String, Value>,
    is_stateless: bool,
    call: Call,
    progress: Option<Progress>,
}

/// The responses of a batch, sent together once the last one is there.
struct Batch {
    missing: usize,
    responses: Vec<Value>,
}

/// Destination of one response.
struct Reply {
    id: Value,
    output: Output,
    batch: Option<Arc<Mutex<Batch>>>,
}

impl Reply {
    /// Sends the response. Without one, as for a cancelled call, only a batch counts it.
    fn send(self, outcome: Option<Result<Value, RpcError>>) {
        let message = outcome.map(|outcome| response(&self.id, outcome));
        let Some(batch) = &self.batch else {
            return message.iter().for_each(|message| write_line(&self.output, message));
        };
        let mut batch = batch.lock().unwrap_or_else(PoisonError::into_inner);
        batch.missing = batch.missing.saturating_sub(1);
        batch.responses.extend(message);
        if batch.missing == 0 && !batch.responses.is_empty() {
            write_line(&self.output, &Value::Array(std::mem::take(&mut batch.responses)));
        }
    }
}

impl Server {
    fn read(&self, mut input: impl BufRead) -> std::io::Result<()> {
        let mut line = Vec::new();
        loop {
            line.clear();
            let length = (&mut input).take(LARGEST_LINE).read_until(b'\n', &mut line)?;
            if length == 0 {
                return Ok(());
            }
            if length as u64 == LARGEST_LINE && line.last() != Some(&b'\n') {
                input.skip_until(b'\n')?;
                let text = format!("the message is longer than {LARGEST_LINE} bytes");
                self.reply(Value::Null, None).send(Some(Err(RpcError::new(PARSE_ERROR, text))));
                continue;
            }
            if line.trim_ascii().is_empty() {
                continue;
            }
            match parse(&line) {
                Line::Single(message) => self.handle(message, None),
                Line::Batch(messages) => self.handle_batch(messages),
            }
        }
    }

    fn handle_batch(&self, messages: Vec<Message>) {
        let expects =
            |message: &&Message| matches!(message, Message::Request { .. } | Message::Invalid { .. });
        let missing = messages.iter().filter(expects).count();
        let batch = Arc::new(Mutex::new(Batch { missing, responses: Vec::new() }));
        messages.into_iter().for_each(|message| self.handle(message, Some(&batch)));
    }

    fn reply(&self, id: Value, batch: Option<&Arc<Mutex<Batch>>>) -> Reply {
        Reply { id, output: self.output.clone(), batch: batch.cloned() }
    }

    fn handle(&self, message: Message, batch: Option<&Arc<Mutex<Batch>>>) {
        match message {
            Message::Request { id, method, params } => {
                let reply = self.reply(id, batch);
                match self.request(&method, params, reply) {
                    Ok(None) => {}
                    Ok(Some((reply, outcome))) => reply.send(Some(Ok(outcome))),
                    Err((reply, error)) => reply.send(Some(Err(error))),
                }
            }
            Message::Notification { method, params } if method == "notifications/cancelled" => {
                if let Some(call) =
                    params.get("requestId").and_then(|id| self.calls.lock().get(&id.to_string()).cloned())
                {
                    call.cancel();
                }
            }
            Message::Notification { .. } | Message::Response => {}
            Message::Invalid { id, error } => self.reply(id, batch).send(Some(Err(error))),
        }
    }

    /// Answers a request, or leaves it to the worker.
    fn request(
        &self,
        method: &str,
        params: Map<String, Value>,
        reply: Reply,
    ) -> Result<Option<(Reply, Value)>, (Reply, RpcError)> {
        let is_stateless = match protocol::is_stateless(&params) {
            Ok(is_stateless) => is_stateless,
            Err(error) => return Err((reply, error)),
        };
        let result = match method {
            "initialize" => protocol::initialize(&params),
            "server/discover" => Ok(protocol::discover()),
            "ping" => Ok(Value::Object(Map::new())),
            "tools/list" => protocol::list_tools(&params, is_stateless),
            "tools/call" => return self.enqueue(params, is_stateless, reply).map(|()| None),
            _ => Err(RpcError::new(METHOD_NOT_FOUND, format!("there is no method `{method}`"))),
        };
        match result {
            Ok(result) => {
                let is_stateless = is_stateless || method == "server/discover";
                Ok(Some((reply, protocol::finished(result, is_stateless))))
            }
            Err(error) => Err((reply, error)),
        }
    }

    fn enqueue(
        &self,
        mut params: Map<String, Value>,
        is_stateless: bool,
        reply: Reply,
    ) -> Result<(), (Reply, RpcError)> {
        let wrong = |reply: Reply, text: String| Err((reply, RpcError::new(INVALID_PARAMS, text)));
        let Some(Value::String(name)) = params.remove("name") else {
            return wrong(reply, "`name` of the tool is missing".to_owned());
        };
        let Some(tool) = tools::find(&name) else {
            return wrong(
                reply,
                format!("there is no tool `{name}`; the tools are {}", tools::names().join(", ")),
            );
        };
        let arguments = match params.remove("arguments") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(arguments)) => arguments,
            Some(_) => return wrong(reply, "`arguments` must be an object".to_owned()),
        };
        let call = Call::new(self.options.time, self.options.memory);
        let progress = Progress::asked_for(&params, &self.output);
        let key = reply.id.to_string();
        if self.calls.lock().contains_key(&key) {
            return Err((reply, RpcError::new(INVALID_REQUEST, "a request with this id is still running")));
        }
        self.calls.lock().insert(key.clone(), call.clone());
        let job = Job { reply, tool, arguments, is_stateless, call, progress };
        self.jobs.try_send(job).map_err(|error| {
            self.calls.lock().remove(&key);
            let (TrySendError::Full(job) | TrySendError::Disconnected(job)) = error;
            (job.reply, RpcError::new(BUSY, format!("{MOST_WAITING} calls wait already; try again later")))
        })
    }
}

/// Runs a call on a thread of its own, so that one that does not end cannot block the others.
fn answer(job: Job, overdue: &Arc<AtomicUsize>) {
    let Job { reply, tool, arguments, is_stateless, mut call, progress } = job;
    if call.is_cancelled() {
        return reply.send(None);
    }
    if overdue.load(Relaxed) > MOST_OVERDUE {
        let text = "earlier calls have not ended after their time limit; restart the server";
        return reply.send(Some(Err(RpcError::new(BUSY, text))));
    }
    let outcome = match time_of(&arguments) {
        Err(error) => Err(error),
        Ok(time) => {
            call.start(time);
            match start(tool, arguments, &call, overdue) {
                Ok(receiver) => wait(&receiver, &call, progress.as_ref()),
                Err(error) => Err(error),
            }
        }
    };
    if call.is_cancelled() {
        return reply.send(None);
    }
    reply.send(Some(Ok(protocol::finished(result(outcome), is_stateless))));
}

fn time_of(arguments: &Map<String, Value>) -> Result<Option<Duration>, ToolError> {
    let time = Arguments(arguments).length("time_s")?;
    Ok(time.map(|time| Duration::try_from_secs_f64(time).unwrap_or(Duration::MAX)))
}

type Outcome = Result<Answer, ToolError>;

/// Starts a call; its outcome is sent once it is there.
fn start(
    tool: &'static tools::Tool,
    arguments: Map<String, Value>,
    call: &Call,
    overdue: &Arc<AtomicUsize>,
) -> Result<Receiver<Outcome>, ToolError> {
    let (sender, receiver) = mpsc::channel();
    let is_done = Arc::<AtomicBool>::default();
    let (its_call, its_done, its_overdue) = (call.clone(), is_done.clone(), overdue.clone());
    overdue.fetch_add(1, Relaxed);
    let started = std::thread::Builder::new().name(tool.name.to_owned()).spawn(move || {
        let work = || tool.answer(&its_call, Arguments(&arguments));
        let outcome = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
            Err(ToolError(
                "the query failed by an error of noli; please report the call with its files".to_owned(),
            ))
        });
        its_done.store(true, Relaxed);
        its_overdue.fetch_sub(1, Relaxed);
        let _ = sender.send(outcome);
    });
    if let Err(error) = started {
        overdue.fetch_sub(1, Relaxed);
        return Err(ToolError(format!("cannot start a thread: {error}; close other programs")));
    }
    let (watched, watched_done) = (call.clone(), is_done);
    std::thread::spawn(move || watched.watch(&watched_done));
    Ok(receiver)
}

/// Waits for an outcome until the time limit and its grace; reports progress meanwhile.
fn wait(receiver: &Receiver<Outcome>, call: &Call, progress: Option<&Progress>) -> Outcome {
    let limit = call.time().saturating_add(GRACE);
    let mut waited = Duration::ZERO;
    while waited < limit {
        let step = REPORT_INTERVAL.min(limit.saturating_sub(waited));
        match receiver.recv_timeout(step) {
            Ok(outcome) => return outcome,
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => waited = waited.saturating_add(step),
        }
        if let Some(progress) = progress.filter(|_| !call.is_cancelled()) {
            progress.report(call);
        }
    }
    let text =
        "the time limit was reached before anything could be reported; allow more, or give smaller files";
    Err(ToolError(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn messages(params: Value) -> Vec<Value> {
        let kept = Kept::default();
        let output: Output = Arc::new(Mutex::new(Box::new(kept.clone())));
        let Value::Object(params) = params else { return Vec::new() };
        let progress = Progress::asked_for(&params, &output);
        let call = Call::new(Duration::from_secs(20), None);
        let reply = Reply { id: 1.into(), output, batch: None };
        let tool = &tools::SLOW;
        answer(
            Job { reply, tool, arguments: Map::new(), is_stateless: false, call, progress },
            &Arc::default(),
        );
        let bytes = kept.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn progress_is_reported_to_who_asks_for_it_and_grows() {
        let all = messages(json!({"_meta": {"progressToken": "t"}}));
        let (response, reports) = all.split_last().unwrap();
        assert_eq!(response["id"], 1, "{response}");
        assert!(reports.len() >= 2, "{all:?}");
        let mut last = 0.0;
        for report in reports {
            assert_eq!(report["method"], "notifications/progress");
            let params = &report["params"];
            assert_eq!((&params["progressToken"], &params["total"]), (&json!("t"), &json!(20.0)));
            assert_eq!(params["message"], "sleeping");
            assert!(params["progress"].as_f64().unwrap() > last, "{report}");
            last = params["progress"].as_f64().unwrap();
        }
        assert_eq!(messages(json!({})).len(), 1);
    }
}
