//! The thread that owns the session: processes commands from all tabs in order, sends them the changes, and
//! runs long work in the background.

use crate::export::Export;
use crate::protocol::{Command, Event};
use crate::session::{Answer, Finished, Session, To, Trouble, Work};
use noli_project::cell::run_csv;
use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex};
use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot};

/// Maximum number of messages waiting for a tab. A slower tab is disconnected, reconnects and receives the full
/// state.
pub(crate) const MOST_WAITING: usize = 512;
/// Maximum number of waiting commands of one tab; reading resumes when they are done. This bounds memory and
/// keeps other tabs responsive.
pub(crate) const MOST_ASKED: usize = 16;

/// Messages to the hub.
#[allow(clippy::large_enum_variant, reason = "few are under way at a time")]
pub(crate) enum Message {
    Join(u64, mpsc::Sender<Arc<str>>),
    Leave(u64),
    /// A command, and its place among those of its tab that wait.
    Say(u64, Command, OwnedSemaphorePermit),
    /// A message that was no command.
    Odd(u64, String, OwnedSemaphorePermit),
    Export(Export, oneshot::Sender<Result<Vec<u8>, String>>),
    Progress(u64, String, f64),
    Finished(u64, Finished),
    Stop,
}

/// Work that goes on at a time at most. Not all of it notices at once that it was stopped.
const MOST_WORK: usize = 4;

/// Work that is going on.
struct Running {
    number: u64,
    is_check: bool,
    cancel: Arc<AtomicBool>,
    /// `true` if its result is not needed any more.
    is_stopped: bool,
}

impl Running {
    fn stop(&mut self) {
        self.cancel.store(true, Relaxed);
        self.is_stopped = true;
    }
}

pub(crate) struct Hub {
    session: Session,
    clients: HashMap<u64, mpsc::Sender<Arc<str>>>,
    running: Vec<Running>,
    /// `true` if pairs are to be compared again after the running comparison.
    is_check_wanted: bool,
    /// Work to start when stopped work has ended.
    next_work: Option<Work>,
    last_work: u64,
    exporting: Arc<Mutex<()>>,
    /// Threads of background work: a drag on the common ones would wait until all pairs are compared.
    background: Option<Arc<rayon::ThreadPool>>,
    /// For work to come back by.
    sender: Sender<Message>,
}

impl Hub {
    pub(crate) fn new(session: Session, sender: Sender<Message>) -> Self {
        Self {
            session,
            clients: HashMap::new(),
            running: Vec::new(),
            is_check_wanted: false,
            next_work: None,
            last_work: 0,
            exporting: Arc::default(),
            background: background_threads(),
            sender,
        }
    }

    /// Runs until a stop message.
    pub(crate) fn run(mut self, receiver: &Receiver<Message>) {
        let first = self.session.check_work();
        self.start(first);
        let mut waiting: VecDeque<Message> = VecDeque::new();
        loop {
            let Some(next) = waiting.pop_front().or_else(|| receiver.recv().ok()) else { return };
            waiting.extend(receiver.try_iter());
            if is_outdated(&next, &waiting) {
                continue;
            }
            if matches!(next, Message::Stop) {
                self.running.iter().for_each(|running| running.cancel.store(true, Relaxed));
                self.tell(To::All, &Event::Bye);
                return;
            }
            // A mistake of ours about one command must not end the work of everybody.
            if catch_unwind(AssertUnwindSafe(|| self.take(next))).is_err() {
                let Trouble { text, help } = ours();
                self.tell(To::All, &Event::Trouble { text, help });
            }
        }
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Join(client, sender) => {
                self.clients.insert(client, sender);
                let hello = self.session.hello(client);
                self.tell(To::One(client), &hello);
            }
            Message::Leave(client) => {
                self.clients.remove(&client);
            }
            Message::Say(client, command, _place) => {
                let answer = self.session.handle(client, command);
                self.deliver(answer);
            }
            Message::Odd(client, text, _place) => {
                let help = "reload the page: it may be of another version".to_owned();
                self.tell(To::One(client), &Event::Trouble { text, help });
            }
            Message::Export(export, reply) => self.export(export, reply),
            Message::Progress(number, text, share) => {
                if self.running.iter().any(|running| running.number == number && !running.is_stopped) {
                    self.tell(To::All, &Event::Task { text, share, done: false });
                }
            }
            Message::Finished(number, finished) => {
                let known = self.running.iter().position(|running| running.number == number);
                let Some(known) = known else { return };
                let Running { is_check, is_stopped, .. } = self.running.swap_remove(known);
                if !is_stopped {
                    let answer = self.session.finish(finished);
                    self.deliver(answer);
                    self.tell_whether_idle();
                }
                if is_check && std::mem::take(&mut self.is_check_wanted) {
                    let work = self.session.check_work();
                    self.start(work);
                }
                if let Some(work) = self.next_work.take() {
                    self.start(work);
                }
            }
            Message::Stop => {}
        }
    }

    fn deliver(&mut self, answer: Answer) {
        for (to, event) in &answer.events {
            self.tell(*to, event);
        }
        if answer.renew {
            for client in self.clients.keys().copied().collect::<Vec<_>>() {
                let hello = self.session.hello(client);
                self.tell(To::One(client), &hello);
            }
        }
        if answer.cancel && self.stop_others() {
            self.tell(To::All, &Event::Note { text: "Stopped.".to_owned() });
            self.tell_whether_idle();
        }
        if let Some(work) = answer.work {
            self.start(work);
        }
    }

    /// Stops all work except comparisons of pairs. Returns `true` if there was any.
    fn stop_others(&mut self) -> bool {
        let mut any = self.next_work.take().is_some();
        for running in self.running.iter_mut().filter(|running| !running.is_check && !running.is_stopped) {
            running.stop();
            any = true;
        }
        any
    }

    /// Reports the idle state, unless work is running or waiting; comparisons of pairs do not count.
    fn tell_whether_idle(&mut self) {
        let is_busy = self.running.iter().any(|running| !running.is_check && !running.is_stopped);
        if !is_busy && self.next_work.is_none() {
            self.tell(To::All, &Event::Task { text: String::new(), share: 1.0, done: true });
        }
    }

    /// Starts work; unfinished work of the same kind is stopped, because its result is not needed any more.
    fn start(&mut self, work: Work) {
        let is_check = work.is_check();
        if is_check {
            // One at a time, however often it is asked for: the next is about how everything stands then.
            if let Some(check) = self.running.iter_mut().find(|running| running.is_check) {
                check.stop();
                self.is_check_wanted = true;
                return;
            }
        } else {
            self.stop_others();
            self.tell(To::All, &Event::Task { text: work.words(), share: 0.0, done: false });
            if self.running.iter().filter(|running| !running.is_check).count() >= MOST_WORK {
                self.next_work = Some(work);
                return;
            }
        }
        self.last_work = self.last_work.saturating_add(1);
        let (number, cancel, sender) =
            (self.last_work, Arc::new(AtomicBool::new(false)), self.sender.clone());
        self.running.push(Running { number, is_check, cancel: cancel.clone(), is_stopped: false });
        let background = self.background.clone();
        std::thread::spawn(move || {
            let told = Mutex::new(std::time::Instant::now());
            let progress = |text: &str, share: f64| {
                let Ok(mut last) = told.try_lock() else { return };
                if last.elapsed().as_millis() > 120 {
                    *last = std::time::Instant::now();
                    let _ = sender.send(Message::Progress(number, text.to_owned(), share));
                }
            };
            let run = || match &background {
                Some(threads) => threads.install(|| work.run(&cancel, &progress)),
                None => work.run(&cancel, &progress),
            };
            let finished = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Finished::Failed(ours()));
            let _ = sender.send(Message::Finished(number, finished));
        });
    }

    fn tell(&mut self, to: To, event: &Event) {
        let Ok(text) = serde_json::to_string(event) else { return };
        let text: Arc<str> = text.into();
        let mut lost = Vec::new();
        for (&client, sender) in &self.clients {
            let is_meant = match to {
                To::One(one) => one == client,
                To::All => true,
                To::Others(but) => but != client && sender.capacity() > MOST_WAITING / 2,
            };
            if is_meant && sender.try_send(text.clone()).is_err() {
                lost.push(client);
            }
        }
        lost.iter().for_each(|client| {
            self.clients.remove(client);
        });
    }

    /// Exports a report. It measures penetration depths, which may take seconds, so it runs without blocking
    /// others.
    fn export(&self, export: Export, reply: oneshot::Sender<Result<Vec<u8>, String>>) {
        // The tab that sent the request may have closed.
        if self.session.has_cell() {
            let _ = reply.send(self.export_run(export));
            return;
        }
        let Some(job) = self.session.export_job() else {
            let _ = reply.send(Err("nothing has been compared yet".to_owned()));
            return;
        };
        let one_at_a_time = self.exporting.clone();
        std::thread::spawn(move || {
            let _turn = one_at_a_time.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let written = catch_unwind(AssertUnwindSafe(|| job.write(export)));
            let _ = reply.send(written.unwrap_or_else(|_| Err(ours().text)));
        });
    }

    /// Of a cell there is what the last run of the program came to.
    fn export_run(&self, export: Export) -> Result<Vec<u8>, String> {
        let ran = self.session.ran_program().ok_or("run the program first: the report is about its run")?;
        let report = &ran.report;
        match export {
            Export::Json => noli_pages::report_json("robot-run", report)
                .map(String::into_bytes)
                .map_err(|error| error.to_string()),
            Export::Csv => Ok(run_csv(report).into_bytes()),
            Export::Html => Ok(ran.page.html().into_bytes()),
            Export::Bcf => Err("topics are about the clashes of a scene; a cell has none".to_owned()),
        }
    }
}

/// As many threads as the common pool has; `None` if the system grants no more.
fn background_threads() -> Option<Arc<rayon::ThreadPool>> {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(rayon::current_num_threads());
    threads.thread_name(|number| format!("background {number}")).build().ok().map(Arc::new)
}

/// A mistake of ours.
fn ours() -> Trouble {
    Trouble::new(
        "this went wrong inside noli; the server goes on",
        "undo the last change, and report this fault",
    )
}

/// Returns `true` if a newer pull of the same body by the same tab follows directly. Then only the newer one
/// counts, and the path to it is proven as a whole.
fn is_outdated(message: &Message, waiting: &VecDeque<Message>) -> bool {
    let Message::Say(client, Command::Drag(pull), _) = message else { return false };
    let next = waiting.iter().find_map(|message| match message {
        Message::Say(other, command, _) if other == client => Some(command),
        _ => None,
    });
    matches!(next, Some(Command::Drag(newer)) if newer.body == pull.body && newer.with == pull.with)
}
