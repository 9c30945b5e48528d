//! The program about itself: its version, completions of shells, man pages.

use crate::output;
use anyhow::{Context, Result, ensure};
use clap::{Command, ValueEnum};
use noli::query::Instructions;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The version, with the commit of a release that was built from the repository.
pub(crate) static VERSION: LazyLock<String> = LazyLock::new(|| {
    let commit = option_env!("NOLI_COMMIT").map_or(String::new(), |commit| format!(" ({commit})"));
    format!("{}{commit}", env!("CARGO_PKG_VERSION"))
});

/// The version and what this build can use here.
pub(crate) static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let instructions = match Instructions::best() {
        Instructions::Portable => "portable",
        Instructions::Avx2 => "AVX2",
        Instructions::Avx512 => "AVX-512",
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "{}\nfeatures: threads ({threads} here), SIMD ({instructions} here), CUDA (loaded at run time), \
         SQLite (bundled), STEP (surfaces), IFC (with its Python package)",
        *VERSION
    )
});

/// Print a script that completes commands and options in a shell.
///
/// bash: `noli completions bash > ~/.local/share/bash-completion/completions/noli`.
/// zsh: write `_noli` into a folder of `$fpath`. fish: `~/.config/fish/completions/noli.fish`.
/// PowerShell: add the output to `$PROFILE`.
#[derive(clap::Args)]
pub(crate) struct Completions {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
    Powershell,
}

/// Write the man pages of all commands.
#[derive(clap::Args)]
pub(crate) struct Man {
    /// The folder to write into; it is made if it is not there.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(crate) fn completions(arguments: &Completions, mut command: Command) -> Result<()> {
    let shell = match arguments.shell {
        Shell::Bash => clap_complete::Shell::Bash,
        Shell::Zsh => clap_complete::Shell::Zsh,
        Shell::Fish => clap_complete::Shell::Fish,
        Shell::Powershell => clap_complete::Shell::PowerShell,
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "noli", &mut script);
    output::deliver(Path::new("-"), &String::from_utf8_lossy(&script))
}

pub(crate) fn man(arguments: &Man, mut command: Command) -> Result<()> {
    let folder = &arguments.folder;
    ensure!(!folder.is_file(), "{} is a file; name a folder", folder.display());
    std::fs::create_dir_all(folder).with_context(|| format!("{}: cannot be made", folder.display()))?;
    command.build();
    let written = write_page(&command, folder)?;
    output::print(&format!("{} in {}\n", output::plural(written, "man page", "man pages"), folder.display()))
}

/// Writes the page of a command and those of the commands below it.
fn write_page(command: &Command, folder: &Path) -> Result<usize> {
    let mut text = Vec::new();
    // The name of a built command has those above it: `noli robot plan`.
    let name = command.get_display_name().unwrap_or(command.get_name()).replace(' ', "-");
    clap_mangen::Man::new(command.clone()).render(&mut text).context("cannot write a man page")?;
    output::write_file(&folder.join(format!("{name}.1")), &text)?;
    let mut written = 1;
    for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
        written += write_page(below, folder)?;
    }
    Ok(written)
}
