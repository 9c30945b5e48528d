//! Options of every command: colours, and how much is printed.

use std::io::{IsTerminal, Write as _, stderr, stdout};
use std::sync::OnceLock;

/// When colours are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Colour {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Options of every command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::Args)]
#[command(next_help_heading = "Output")]
pub struct Style {
    /// When to use colours.
    #[arg(long = "color", value_name = "WHEN", value_enum, default_value_t = Colour::Auto, global = true)]
    pub colour: Colour,
    /// Print no tables, warnings or progress. Requested JSON, CSV and files are written, and errors are printed.
    #[arg(long, short, global = true)]
    pub quiet: bool,
}

static STYLE: OnceLock<Style> = OnceLock::new();

/// Sets the style of the whole program; the first call counts.
pub fn set_style(style: Style) {
    let _ = STYLE.set(style);
}

pub(crate) fn style() -> Style {
    STYLE.get().copied().unwrap_or_default()
}

/// Returns `true` if tables are coloured.
pub fn colourful() -> bool {
    match style().colour {
        Colour::Auto => stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
        Colour::Always => true,
        Colour::Never => false,
    }
}

/// Prints a line to standard error. Where it is closed (`noli ... 2>&1 | head`), the exit code still has the
/// outcome; `eprintln!` would panic.
pub fn print_to_stderr(line: &str) {
    let _ = writeln!(stderr(), "{line}");
}

/// Prints a warning to standard error, unless `--quiet` is given.
pub fn warn(text: &str) {
    if !style().quiet {
        print_to_stderr(&format!("warning: {text}"));
    }
}

/// Prints a remark to standard error, unless `--quiet` is given.
pub fn note(text: &str) {
    if !style().quiet {
        print_to_stderr(&format!("noli: {text}"));
    }
}

/// Prints all warnings.
pub fn warn_all<T: AsRef<str>>(warnings: impl IntoIterator<Item = T>) {
    warnings.into_iter().for_each(|warning| warn(warning.as_ref()));
}
