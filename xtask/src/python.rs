//! The Python package: put into an environment under the target folder, and tested there.

use crate::{cargo, output_of, target, workspace};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Packages that the tests of `cargo xtask test` need in addition to noli.
const NEEDED: [&str; 4] = ["numpy", "pytest", "mypy", "trimesh"];

/// Packages of tests marked `further`, each used if available.
const FURTHER: [&str; 12] = [
    "scipy",
    "pyarrow",
    "pandas",
    "matplotlib",
    "tqdm",
    "duckdb",
    "polars",
    "manifold3d",
    "yourdfpy",
    "python-fcl",
    "pin",
    "ray",
];

/// Packages that read STEP and IFC files for noli, and the BCF topics that noli writes.
const KERNELS: [&str; 3] = ["cadquery-ocp", "ifcopenshell", "bcf-client"];

/// Returns the environment variable for tests of files that other tools convert: a Python with their packages,
/// or that there is none, and why. Installed on first use.
pub(crate) fn kernels() -> (&'static (&'static str, OsString), Option<&'static str>) {
    static FOUND: OnceLock<((&str, OsString), Option<String>)> = OnceLock::new();
    let (variable, missing) = FOUND.get_or_init(|| {
        if let Some(named) = std::env::var_os("NOLI_PYTHON") {
            return (("NOLI_PYTHON", named), None);
        }
        let installed = venv("python-kernels").and_then(|inside| install(&inside, &KERNELS).map(|()| inside));
        match installed {
            Ok(inside) => (("NOLI_PYTHON", inside.into_os_string()), None),
            Err(why) => (("NOLI_KERNELS", "none".into()), Some(last_line(&why))),
        }
    });
    (variable, missing.as_deref())
}

/// Returns the last line of a message: what a package manager says in the end.
fn last_line(text: &str) -> String {
    text.trim().lines().last().unwrap_or_default().trim().to_owned()
}

/// The tests without what only a call of its own installs, after the tests of the workspace.
pub(crate) fn quick() -> Result<String, String> {
    pytest(installed()?, &["-m", "not further"])
}

/// Returns a Python that has the package. It is built once, after the tests of the workspace.
pub(crate) fn installed() -> Result<&'static Path, String> {
    static INSTALLED: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    // With the tests, which are there: what they depend on gives some libraries other features, and so other artefacts.
    let build = || environment().and_then(|inside| build(&inside, &["--tests"]).map(|()| inside));
    INSTALLED.get_or_init(build).as_deref().map_err(Clone::clone)
}

/// Runs the tests of the checker of certificates that is written in Python.
pub(crate) fn checkers() -> Result<String, String> {
    let mut command = Command::new(environment()?);
    command.args(["-m", "unittest", "discover", "-s", "tests"]);
    output_of(command.current_dir(workspace().join("checkers/python")))
}

/// Runs all tests, with every available package; tests of unavailable ones are skipped and reported.
pub(crate) fn all() -> Result<String, String> {
    let inside = environment()?;
    build(&inside, &[])?;
    let missing = FURTHER.into_iter().filter(|package| install(&inside, &[package]).is_err());
    let missing: Vec<&str> = missing.collect();
    let told = pytest(&inside, &[])?;
    Ok(match missing[..] {
        [] => told,
        _ => format!("cannot be installed: {}\n{told}", missing.join(", ")),
    })
}

/// The Python of an environment that has what is needed, or why there is none.
pub(crate) fn environment() -> Result<PathBuf, String> {
    environment_with("python-test", &NEEDED).map_err(|why| last_line(&why))
}

/// The Python of an environment of a given name under the target folder, with packages.
pub(crate) fn environment_with(name: &str, packages: &[&str]) -> Result<PathBuf, String> {
    let inside = venv(name)?;
    install(&inside, packages)?;
    Ok(inside)
}

/// The Python of an environment under the target folder, which is made if it is not there.
fn venv(name: &str) -> Result<PathBuf, String> {
    let venv = target().join(name);
    let inside = venv.join(if cfg!(windows) { "Scripts" } else { "bin" }).join("python");
    if !inside.exists() {
        run(Command::new(find()?).args(["-m", "venv"]).arg(&venv))?;
    }
    Ok(inside)
}

/// A Python that is new enough and can make environments.
fn find() -> Result<&'static str, String> {
    let test = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";
    let fits = |python: &&str| {
        Command::new(python).args(["-c", test]).output().is_ok_and(|output| output.status.success())
    };
    let found = ["python3", "python"].into_iter().find(fits);
    found.ok_or_else(|| "there is no Python 3.10 or later with `venv`".to_owned())
}

/// Installs missing packages with pip.
fn install(inside: &Path, packages: &[&str]) -> Result<(), String> {
    let known = "import sys, importlib.metadata as m; [m.version(name) for name in sys.argv[1:]]";
    if run(Command::new(inside).args(["-c", known]).args(packages)).is_ok() {
        return Ok(());
    }
    let quiet = ["-m", "pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check"];
    run(Command::new(inside).args(quiet).args(packages)).map(drop)
}

/// Installs the package into the environment, as a wheel would.
///
/// All libraries are built together, because then they share features, and so artefacts. For the package alone
/// most would be compiled a second time.
fn build(inside: &Path, more: &[&str]) -> Result<(), String> {
    let libraries = ["build", "--quiet", "--workspace", "--lib"];
    run(cargo().args(libraries).args(more).current_dir(workspace()))?;
    let built = format!("{}_noli{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let module = if cfg!(windows) { "_noli.pyd" } else { "_noli.abi3.so" };
    let place =
        run(Command::new(inside)
            .args(["-c", "import sysconfig; print(sysconfig.get_path('platlib'), end='')"]))?;
    let place = Path::new(&place).join("noli");
    let io = |error: std::io::Error| format!("{}: {error}", place.display());
    if place.exists() {
        fs::remove_dir_all(&place).map_err(io)?;
    }
    fs::create_dir_all(&place).map_err(io)?;
    let sources = workspace().join("bindings/python/python/noli");
    for file in fs::read_dir(sources).map_err(io)? {
        let file = file.map_err(io)?;
        if file.file_type().map_err(io)?.is_file() {
            fs::copy(file.path(), place.join(file.file_name())).map_err(io)?;
        }
    }
    fs::copy(target().join("debug").join(built), place.join(module)).map_err(io)?;
    Ok(())
}

/// Returns the summary of pytest: the skipped tests, and the number passed.
fn pytest(inside: &Path, arguments: &[&str]) -> Result<String, String> {
    let tests = ["-m", "pytest", "-q", "-rs", "--no-header", "--durations=5"];
    let told = run(Command::new(inside)
        .args(tests)
        .args(arguments)
        .current_dir(workspace().join("bindings/python")))?;
    let matters = |line: &&str| line.starts_with("SKIPPED") || line.contains(" passed");
    Ok(told.lines().filter(matters).collect::<Vec<_>>().join("\n"))
}

/// Returns the output of a command, or the error.
fn run(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(told);
    }
    Err(format!("{command:?}\n{told}{}", String::from_utf8_lossy(&output.stderr)))
}
