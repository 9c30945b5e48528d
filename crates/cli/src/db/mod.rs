//! `noli db`: the component database.

mod edit;

use crate::output::{self, Table, plural, short};
use anyhow::{Context, Result, bail};
use clap::Subcommand;
use noli_formats::Units;
use noli_store::{ImportOptions, Store};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The component database: parts, robots, cells, programs and runs in one file.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Make a new database.
    Init {
        /// The file; there must be none of that name.
        file: PathBuf,
    },
    /// Take files in: meshes (OBJ, STL, PLY, OFF, glTF, DXF), robots (URDF, DH table), cells, scenes, programs.
    Import(Import),
    /// List of the entries.
    List {
        /// The database.
        file: PathBuf,
        /// Of one kind only: component, manipulator, cell, scene, program, tool or run.
        #[arg(long, value_name = "KIND")]
        kind: Option<String>,
        /// Only names that contain this.
        #[arg(long, value_name = "TEXT")]
        named: Option<String>,
        /// One JSON object instead of the table.
        #[arg(long)]
        json: bool,
    },
    /// Show the stored data of one entry.
    Show {
        /// The database.
        file: PathBuf,
        /// Its name.
        name: String,
        /// One JSON object instead of the table.
        #[arg(long)]
        json: bool,
    },
    /// Make a manipulator of stored components, by a text that names parts and joints.
    Compose {
        /// The database.
        file: PathBuf,
        /// The text (TOML).
        composition: PathBuf,
        /// Take the place of the manipulator of that name.
        #[arg(long)]
        replace: bool,
    },
    /// Set the density or the mass of a component.
    Mass(edit::Mass),
    /// Check or disable a pair of links of a manipulator, in every cell that loads it.
    Pair(edit::Pair),
    /// Store a tool: its frame on the flange, and the component that is mounted there.
    Tool(edit::Tool),
    /// Write something into files: components as meshes, manipulators as URDF, cells, scenes, programs, runs.
    Export {
        /// The database.
        file: PathBuf,
        /// Its name.
        name: String,
        /// Target file; the extension selects the format.
        target: PathBuf,
        /// Write over files that are there already.
        #[arg(long)]
        replace: bool,
    },
    /// List the last runs and their contacts.
    Log {
        /// The database.
        file: PathBuf,
        /// Number of items.
        #[arg(long, value_name = "N", default_value_t = 20)]
        rows: usize,
        /// One JSON object instead of the table.
        #[arg(long)]
        json: bool,
    },
    /// Check the integrity of the file: schema, pages, references, contents, robots, geometry, masses.
    Check {
        /// The database.
        file: PathBuf,
    },
}

#[derive(clap::Args)]
struct Import {
    /// The database.
    file: PathBuf,
    /// The files.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Name of the entry; for a single file.
    #[arg(long)]
    name: Option<String>,
    /// The unit of mesh files: m, cm, mm, um, in or ft; by default mm, and m for glTF.
    #[arg(long, value_name = "UNIT", value_parser = unit)]
    units: Option<Units>,
    /// Density of parts in kilograms a cubic metre.
    #[arg(long, value_name = "RHO")]
    density: Option<f64>,
    /// Take the place of what has the same name.
    #[arg(long)]
    replace: bool,
    /// A folder that holds packages, for robots. Repeatable.
    #[arg(long, value_name = "DIR")]
    packages: Vec<PathBuf>,
    /// One JSON object instead of the table.
    #[arg(long)]
    json: bool,
}

#[derive(serde::Serialize)]
struct Entries<T> {
    entries: Vec<T>,
}

#[derive(serde::Serialize)]
struct Runs<T> {
    runs: Vec<T>,
}

fn unit(text: &str) -> Result<Units, String> {
    let found = Units::ALL.into_iter().find(|units| units.sign() == text);
    found.ok_or_else(|| "give m, cm, mm, um, in or ft".to_owned())
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    match &arguments.command {
        Command::Init { file } => {
            Store::init(file)?;
            output::print(&format!("{}: a new database\n", file.display()))
        }
        Command::Import(import) => take_in(import),
        Command::List { file, kind, named, json } => {
            let mut entries = Store::open_to_read(file)?.list(kind.as_deref())?;
            if let Some(text) = named {
                entries.retain(|entry| entry.name.contains(text.as_str()));
            }
            if *json {
                return output::print_report("db-list", &Entries { entries });
            }
            let mut table = Table::new(0, ["kind", "name", "about"]);
            for entry in &entries {
                table.row([entry.kind.clone(), entry.name.clone(), entry.about.clone()]);
            }
            output::print(&format!("{table}\n{}\n", plural(entries.len(), "entry", "entries")))
        }
        Command::Show { file, name, json: true } => {
            output::print_report("db-show", &Store::open_to_read(file)?.show(name)?)
        }
        Command::Show { file, name, json: false } => print_entry(&Store::open_to_read(file)?, name),
        Command::Compose { file, composition, replace } => {
            let text = noli_formats::text_of(composition).map_err(|error| error.in_file(composition))?;
            let name = Store::open(file)?
                .compose(&text, *replace)
                .with_context(|| format!("{}", composition.display()))?;
            output::print(&format!("manipulator {name}\n"))
        }
        Command::Mass(mass) => mass.run(),
        Command::Pair(pair) => pair.run(),
        Command::Tool(tool) => tool.run(),
        Command::Export { file, name, target, replace } => {
            output::refuse_overwriting([target], std::slice::from_ref(file))?;
            let done = Store::open_to_read(file)?.export(name, target, *replace)?;
            output::warn_all(&done.warnings);
            let files = done.files.iter().map(|file| format!("{}\n", file.display()));
            output::print(&files.collect::<String>())
        }
        Command::Log { file, rows, json } => log(file, *rows, *json),
        Command::Check { file } => {
            let found = Store::open_to_read(file)?.check()?;
            if let [first, ..] = found.as_slice() {
                found.iter().for_each(|line| output::print_to_stderr(line));
                bail!(
                    "{}: {} wrong, first: {first}",
                    file.display(),
                    plural(found.len(), "thing is", "things are")
                );
            }
            output::print(&format!("{}: in order\n", file.display()))
        }
    }
}

/// Prints the stored properties of an entry.
fn print_entry(store: &Store, name: &str) -> Result<()> {
    let shown = store.show(name)?;
    let mut text = format!("{} {}\n", shown.kind, shown.name);
    for (key, value) in &shown.values {
        let _ = writeln!(text, "  {key}: {value}");
    }
    output::print(&text)
}

fn take_in(import: &Import) -> Result<()> {
    if import.name.is_some() && import.paths.len() > 1 {
        bail!("--name names one file; import them one by one");
    }
    if import.density.is_some_and(|density| !(density > 0.0 && density.is_finite())) {
        bail!("--density: give a number greater than 0");
    }
    let options = ImportOptions {
        name: import.name.clone(),
        units: import.units,
        density: import.density,
        replace: import.replace,
        packages: import.packages.clone(),
    };
    let mut store = Store::open(&import.file)?;
    let mut all = noli_store::Imported::default();
    for path in &import.paths {
        let done = store.import(path, &options)?;
        all.entries.extend(done.entries);
        all.warnings.extend(done.warnings);
    }
    if import.json {
        return output::print_report("db-import", &all);
    }
    output::warn_all(&all.warnings);
    let lines = all.entries.iter().map(|[kind, name]| format!("{kind} {name}\n"));
    output::print(&lines.collect::<String>())
}

fn log(file: &Path, rows: usize, json: bool) -> Result<()> {
    let runs = Store::open_to_read(file)?.runs(rows)?;
    if json {
        return output::print_report("db-log", &Runs { runs });
    }
    let mut table = Table::new(1, ["run", "cell", "program", "outcome", "ended", "seconds", "contacts"]);
    for run in &runs {
        table.row([
            run.id.to_string(),
            run.cell.clone(),
            run.program.clone(),
            run.outcome.clone(),
            run.ended.clone(),
            format!("{:.3}", run.seconds),
            run.contacts.len().to_string(),
        ]);
    }
    let mut text = table.to_string();
    for run in &runs {
        for contact in &run.contacts {
            let point = contact.point.map_or(String::new(), |p| format!(" at {}", p.map(short).join(" ")));
            let _ =
                writeln!(text, "run {}, line {}: {}{point}", run.id, contact.line, contact.parts.join(" - "));
        }
    }
    output::print(&text)
}
