//! Builds the peers into `target/peers`: one executable each, named like its folder under `peers/`.
//!
//! A peer that cannot be built gives one line with a remedy, never a failure: other engines are not required
//! to work on this one. Logs and downloads go to `target/peers/build`.

use crate::{cargo, target, workspace};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

/// The best the compiler can do for them. Their libraries were compiled without wide registers, so
/// Eigen's types must keep the 16-byte alignment they have there.
const CXX_FLAGS: [&str; 4] = ["-O3", "-march=native", "-DNDEBUG", "-DEIGEN_MAX_ALIGN_BYTES=16"];

/// The wheels that hold Coal and the Eigen it was built with.
const COAL_WHEELS: [&str; 2] = ["coal==3.0.3", "cmeel-eigen==3.4.1"];

/// Feature queries; `noli-lab ccd --peers` asks it.
const IPCTK_WHEELS: [&str; 2] = ["ipctk==1.6.1", "numpy"];

type Build = fn(&Place) -> Result<(), String>;

const PEERS: [(&str, Build); 5] = [
    ("parry", build_crate),
    ("fcl", build_fcl),
    ("coal", build_coal),
    ("ipctk", install_ipctk),
    ("fidget", build_crate),
];

/// Build location of one peer.
struct Place {
    source: PathBuf,
    scratch: PathBuf,
    executable: PathBuf,
}

pub(crate) fn build_all() -> ExitCode {
    for (name, build) in PEERS {
        let start = Instant::now();
        match Place::new(name).and_then(|place| place.replace_executable(build)) {
            Ok(path) => {
                println!("{name:6} built in {:.0} s: {}", start.elapsed().as_secs_f64(), path.display());
            }
            Err(reason) => println!("{name:6} missing: {reason}"),
        }
    }
    ExitCode::SUCCESS
}

impl Place {
    fn new(name: &str) -> Result<Self, String> {
        let peers = target().join("peers");
        let scratch = peers.join("build").join(name);
        fs::create_dir_all(&scratch).map_err(|error| format!("{}: {error}", scratch.display()))?;
        Ok(Self { source: workspace().join("peers").join(name), scratch, executable: peers.join(name) })
    }

    /// Builds from scratch, so that a peer reported missing does not exist.
    fn replace_executable(self, build: Build) -> Result<PathBuf, String> {
        match fs::remove_file(&self.executable) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.to_string()),
            _ => build(&self)?,
        }
        Ok(self.executable)
    }

    /// Runs a command with its output in a log; `remedy` installs its program.
    fn run(&self, command: &mut Command, remedy: &str) -> Result<(), String> {
        let program = Path::new(command.get_program()).display().to_string();
        let path = self.scratch.join("log");
        let at_log = |error: std::io::Error| format!("{}: {error}", path.display());
        let log = File::create(&path).map_err(at_log)?;
        command.stderr(log.try_clone().map_err(at_log)?).stdout(log);
        match command.status() {
            Ok(status) if status.success() => Ok(()),
            Ok(_) => Err(format!("{program} failed, see {}", path.display())),
            Err(error) => Err(format!("{program} cannot be started ({error}); try: {remedy}")),
        }
    }

    /// Compiles `main.cpp` with these flags after our own.
    fn compile(&self, flags: &[OsString]) -> Result<(), String> {
        let compiler = std::env::var_os("CXX").unwrap_or_else(|| "c++".into());
        let mut command = Command::new(compiler);
        command.args(CXX_FLAGS).arg(self.source.join("main.cpp")).arg("-o").arg(&self.executable);
        // The last -std wins: FCL's own flags ask for C++11.
        self.run(command.args(flags).arg("-std=c++17"), "apt-get install g++")
    }
}

/// A peer in Rust, whose program is called like its folder with `-peer`.
fn build_crate(place: &Place) -> Result<(), String> {
    let mut command = cargo();
    command.args(["build", "--release", "--locked"]).current_dir(&place.source);
    command.env("CARGO_TARGET_DIR", &place.scratch).env("RUSTFLAGS", "-C target-cpu=native");
    place.run(&mut command, "https://rustup.rs")?;
    let name = place.source.file_name().unwrap_or_default().to_string_lossy();
    let built = place.scratch.join("release").join(format!("{name}-peer"));
    fs::copy(built, &place.executable).map_err(|error| error.to_string())?;
    Ok(())
}

fn build_fcl(place: &Place) -> Result<(), String> {
    let query = Command::new("pkg-config").args(["--cflags", "--libs", "fcl"]).output();
    let found = query.ok().filter(|output| output.status.success());
    let flags = found.ok_or("FCL not found; try: apt-get install libfcl-dev pkg-config")?.stdout;
    let flags = String::from_utf8_lossy(&flags);
    place.compile(&flags.split_whitespace().map(OsString::from).collect::<Vec<_>>())
}

fn build_coal(place: &Place) -> Result<(), String> {
    let prefix = match coal_prefix(place) {
        Some(prefix) => prefix,
        None => install_coal(place)?,
    };
    let flag = |prefix_of_flag: &str, path: PathBuf| {
        let mut flag = OsString::from(prefix_of_flag);
        flag.push(path);
        flag
    };
    place.compile(&[
        "-isystem".into(),
        prefix.join("include").into(),
        "-isystem".into(),
        prefix.join("include/eigen3").into(),
        flag("-L", prefix.join("lib")),
        flag("-Wl,-rpath,", prefix.join("lib")),
        "-lcoal".into(),
    ])
}

fn install_coal(place: &Place) -> Result<PathBuf, String> {
    let venv = install_wheels(place, &COAL_WHEELS)?;
    coal_prefix(place).ok_or_else(|| format!("no Coal headers under {}", venv.display()))
}

/// A Python environment of its own with some wheels.
fn install_wheels(place: &Place, wheels: &[&str]) -> Result<PathBuf, String> {
    let venv = place.scratch.join("venv");
    place.run(Command::new("python3").args(["-m", "venv"]).arg(&venv), "apt-get install python3-venv")?;
    let mut pip = Command::new(venv.join("bin/pip"));
    place.run(pip.arg("install").args(wheels), "apt-get install python3-venv")?;
    Ok(venv)
}

/// A script that runs `main.py` in its environment.
fn install_ipctk(place: &Place) -> Result<(), String> {
    let python = install_wheels(place, &IPCTK_WHEELS)?.join("bin/python");
    let script = format!(
        "#!/bin/sh\nexec '{}' '{}' \"$@\"\n",
        python.display(),
        place.source.join("main.py").display()
    );
    let written = fs::write(&place.executable, script).and_then(|()| make_executable(&place.executable));
    written.map_err(|error| format!("{}: {error}", place.executable.display()))
}

#[cfg(unix)]
fn make_executable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_path: &Path) -> std::io::Result<()> {
    Err(std::io::Error::other("only on Unix"))
}

/// Returns the folder of the wheels' headers and libraries, if they exist.
fn coal_prefix(place: &Place) -> Option<PathBuf> {
    let lib = fs::read_dir(place.scratch.join("venv/lib")).ok()?;
    let prefixes = lib.flatten().map(|entry| entry.path().join("site-packages/cmeel.prefix"));
    let is_complete = |prefix: &PathBuf| {
        prefix.join("include/coal/collision.h").exists() && prefix.join("include/eigen3/Eigen").exists()
    };
    prefixes.into_iter().find(is_complete)
}
