//! The page of commands and options: the help of the program, which is the only place where options are explained.

use super::Made;
use crate::{cargo, stdout_of, target, workspace};
use std::fmt::Write as _;
use std::process::Command;

const PATH: &str = "reference/commands.md";

/// Builds the program and makes the page of its help.
pub(crate) fn page() -> Result<Made, String> {
    // With the features of the whole workspace, as its tests are built: nothing is compiled twice.
    stdout_of(cargo().args(["build", "--quiet", "--workspace", "--bin", "noli"]).current_dir(workspace()))?;
    let program = target().join("debug").join(format!("noli{}", std::env::consts::EXE_SUFFIX));
    page_of(|command| {
        stdout_of(
            Command::new(&program).args(command).arg("--help").env("COLUMNS", "100").env("NO_COLOR", "1"),
        )
    })
}

/// Makes the page from a function that returns the help of a command.
fn page_of(help: impl Fn(&[&str]) -> Result<String, String>) -> Result<Made, String> {
    let mut text = String::from(
        "# Commands and options\n\nAll commands of `noli` with their options, as `noli COMMAND --help` prints \
         them. [Output, exit codes and JSON](../command-line.md) explains the output.\n",
    );
    add(&mut text, &help, &[])?;
    Ok(Made { path: PATH, text })
}

/// Appends the help of a command, then that of its own commands.
fn add(
    text: &mut String,
    help: &impl Fn(&[&str]) -> Result<String, String>,
    command: &[&str],
) -> Result<(), String> {
    let printed = help(command)?;
    let lines: Vec<&str> = printed.lines().map(str::trim_end).collect();
    let title = [&["noli"], command].concat().join(" ");
    let level = "#".repeat(2 + usize::from(command.len() > 1));
    let _ = writeln!(text, "\n{level} `{title}`\n\n```text\n{}\n```", lines.join("\n"));
    let listed =
        lines.iter().skip_while(|line| **line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // Names are indented by two; longer descriptions go on further right.
    let names =
        listed.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
    for name in names.filter(|name| *name != "help") {
        add(text, help, &[command, &[name]].concat())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_of_every_command_is_on_the_page() {
        let help = |command: &[&str]| {
            match command {
            [] => Ok("Usage: noli\n\nCommands:\n  check  Checks\n  clash  Keeps\n           statuses\n  help   Prints\n\nOptions:\n  none".to_owned()),
            ["clash"] => Ok("Commands:\n  list  Lists".to_owned()),
            ["check"] | ["clash", "list"] => Ok(format!("help of {}", command.join(" "))),
            other => Err(format!("no command {other:?}")),
        }
        };
        let page = page_of(help).unwrap();
        let headings: Vec<&str> = page.text.lines().filter(|line| line.starts_with("##")).collect();
        assert_eq!(headings, ["## `noli`", "## `noli check`", "## `noli clash`", "### `noli clash list`"]);
        assert!(page.text.contains("```text\nhelp of clash list\n```"), "{}", page.text);
    }

    #[test]
    fn a_command_without_help_is_an_error() {
        assert_eq!(page_of(|_| Err("broken".to_owned())).err().as_deref(), Some("broken"));
    }
}
