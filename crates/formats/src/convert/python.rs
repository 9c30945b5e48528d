//! Scripts of noli in the user's Python, kept away from files that lie around.
//!
//! Python runs isolated: neither the working folder nor `PYTHON…` variables add to its modules, so a file `OCP.py`
//! next to a part is not run. It works in an empty folder, gets absolute paths and is ended after a time limit.

use crate::error::{FileError, Place};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// First lines of every script. Entries that depend on the working folder go, which versions without isolation of `-c`
/// would have; packages that the user installed for himself stay usable.
const PRELUDE: &str = "import sys
sys.path[:] = [entry for entry in sys.path if entry.startswith('/') or entry[1:3] == ':\\\\']
import os, site
if os.path.isdir(site.getusersitepackages()):
    site.addsitedir(site.getusersitepackages())
";

/// Time of one conversion unless `NOLI_CONVERT_SECONDS` names another.
const USUAL_SECONDS: u64 = 1800;

/// Messages of a script beyond this are dropped.
const MOST_MESSAGES: u64 = 1 << 20;

/// Result of a script.
pub(super) struct Ran {
    /// Its exit code; `None` if it was ended.
    pub(super) code: Option<i32>,
    /// Lines that it wrote about its work.
    pub(super) messages: String,
}

/// Reason that a script did not run to its end.
pub(super) enum NotRun {
    /// This Python cannot be started.
    NoPython(std::io::Error),
    /// It took longer than this.
    TooLong(Duration),
}

/// Returns the Python that was named, or those that there usually are.
pub(super) fn pythons() -> Vec<PathBuf> {
    match std::env::var_os("NOLI_PYTHON") {
        Some(named) => vec![absolute_program(named.into())],
        None => ["python3", "python"].map(PathBuf::from).to_vec(),
    }
}

/// A program by its path must be found from the empty folder too; a bare name is looked up by the system.
fn absolute_program(named: PathBuf) -> PathBuf {
    if named.components().count() > 1 { std::path::absolute(&named).unwrap_or(named) } else { named }
}

/// Returns the time that a conversion may take.
fn time_limit() -> Duration {
    let named = std::env::var("NOLI_CONVERT_SECONDS").ok().and_then(|text| text.parse().ok());
    Duration::from_secs(named.unwrap_or(USUAL_SECONDS))
}

/// Runs a script in an empty folder until it ends or its time is over.
pub(super) fn run(python: &Path, script: &str, arguments: &[&Path], folder: &Path) -> Result<Ran, NotRun> {
    let mut command = Command::new(python);
    command.args(["-I", "-X", "utf8", "-c"]).arg(format!("{PRELUDE}{script}")).args(arguments);
    command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(NotRun::NoPython)?;
    let stream = child.stderr.take();
    // Read meanwhile, so that a script with much to report does not wait for its reader.
    let reader = std::thread::spawn(move || {
        let mut messages = Vec::new();
        if let Some(mut stream) = stream {
            let _ = stream.by_ref().take(MOST_MESSAGES).read_to_end(&mut messages);
            let _ = std::io::copy(&mut stream, &mut std::io::sink());
        }
        String::from_utf8_lossy(&messages).into_owned()
    });
    let limit = time_limit();
    let ended = wait(&mut child, limit).map_err(NotRun::NoPython)?;
    // Processes that a script left behind may hold the stream open, so an ended one is not waited for.
    let Some(status) = ended else { return Err(NotRun::TooLong(limit)) };
    Ok(Ran { code: status.code(), messages: reader.join().unwrap_or_default() })
}

/// Waits for a process, which is ended when the time is over; `None` then.
fn wait(child: &mut Child, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() >= limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = pause.saturating_mul(2).min(Duration::from_millis(50));
    }
}

/// The error of a conversion that took too long.
pub(super) fn too_long(kernel: &str, limit: Duration) -> FileError {
    let reason = format!("{kernel} was ended after {} s", limit.as_secs());
    FileError::new(Place::Whole, reason, "set NOLI_CONVERT_SECONDS to more, or export STL or glTF from CAD")
}
