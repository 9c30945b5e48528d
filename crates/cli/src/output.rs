//! What people and programs get to see: tables, JSON, progress, files.

mod file;
mod progress;
mod table;

pub(crate) use file::write_file;
pub(crate) use progress::Progress;
pub(crate) use table::Table;

use anyhow::{Context, Result, bail};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Print to standard output. A reader that has seen enough (`noli ... | head`) is not an error.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.context("cannot write to standard output"),
    }
}

/// One JSON object as text.
pub(crate) fn json(value: &impl serde::Serialize) -> Result<String> {
    Ok(serde_json::to_string_pretty(value).context("cannot write JSON")? + "\n")
}

/// Print one JSON object.
pub(crate) fn print_json(value: &impl serde::Serialize) -> Result<()> {
    print(&json(value)?)
}

/// Names of standard output: `-` is what an option without a value means.
const STANDARD: [&str; 4] = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

/// Refuses to write over what was read.
pub(crate) fn refuse_inputs<'p>(
    outputs: impl IntoIterator<Item = &'p PathBuf>,
    inputs: &[PathBuf],
) -> Result<()> {
    for output in outputs.into_iter().filter(|output| output.is_file()) {
        if let Some(input) = inputs.iter().find(|input| noli_io::is_same_file(input, output)) {
            bail!(
                "{} is read as {}: it would be overwritten; write to another file",
                output.display(),
                input.display()
            );
        }
    }
    Ok(())
}

/// Where a report goes: standard output, or a file.
pub(crate) fn deliver(target: &Path, text: &str) -> Result<()> {
    if STANDARD.iter().any(|name| target == Path::new(name)) {
        print(text)
    } else {
        write_file(target, text.as_bytes())
    }
}

/// As many steps as `--steps` allows.
pub(crate) fn budget(steps: Option<u64>) -> noli::Budget<'static> {
    steps.map_or(noli::Budget::UNLIMITED, |steps| noli::Budget::UNLIMITED.steps(steps))
}

/// Whether standard output is a terminal that may show colours.
pub(crate) fn colourful() -> bool {
    io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// `1 pair`, `2 pairs`.
pub(crate) fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A number with six digits that matter.
pub(crate) fn short(x: f64) -> String {
    if x == 0.0 || (1e-4..1e7).contains(&x.abs()) {
        let whole = if x == 0.0 { 0 } else { x.abs().log10().floor() as i32 };
        let text = format!("{x:.*}", (5 - whole).max(0) as usize);
        let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
        // Rounding may leave a minus before nothing.
        if text == "-0" { "0".into() } else { text.to_owned() }
    } else {
        format!("{x:.5e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_six_digits() {
        for (x, text) in [
            (0.0, "0"),
            (0.5, "0.5"),
            (-0.25, "-0.25"),
            (123456.7, "123457"),
            (1.0 / 3.0, "0.333333"),
            (1e-7, "1.00000e-7"),
            (100.0, "100"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(short(x), text);
        }
    }
}
