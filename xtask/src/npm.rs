//! The npm package: the C interface as WebAssembly, the TypeScript around it, and a tarball.

use crate::{cargo, output_of, stdout_of, target, targets, web, workspace};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const TARGET: &str = "wasm32-unknown-unknown";

/// Builds of the library by their file: with SIMD instructions, and for hosts without them.
const BUILDS: [(&str, &str); 2] =
    [("noli.simd.wasm", "-C target-feature=+simd128 -C strip=symbols"), ("noli.wasm", "-C strip=symbols")];

/// Prints the size of each file below the folder that is named, as it is and as servers send it.
const SIZES: &str = "const fs=require('fs'),z=require('zlib'),d=process.argv[1];\
    for(const f of fs.readdirSync(d).filter(f=>/wasm$|js$/.test(f))){const b=fs.readFileSync(d+'/'+f);\
    console.log(f.padEnd(16),b.length,'bytes,',z.gzipSync(b,{level:9}).length,'gzipped')}";

/// Two boxes in one place, then with a gap.
const TRY: &str = "import { load } from 'noli'; const noli = await load(); const box = noli.box(1, 1, 1);\
    const far = box.at({ translation: [3, 0, 0], rotation: [0, 0, 0, 1] });\
    console.log(noli.overlap(box.at(), box.at()), noli.overlap(box.at(), far));";

/// Checks the tools that the package needs; an error names the missing one.
pub(crate) fn prepare() -> Result<(), String> {
    if !targets::has(TARGET) {
        return Err(format!("{TARGET} is not installed; try: rustup target add {TARGET}"));
    }
    web::prepare()
}

/// Builds the package as users get it, packs it and lists sizes.
pub(crate) fn pack() -> Result<String, String> {
    let tarball = tarball("")?;
    let bytes = fs::metadata(&tarball).map_err(|error| format!("{}: {error}", tarball.display()))?.len();
    let dist = target().join("npm/release/dist");
    let sizes = output_of(Command::new("node").args(["-e", SIZES]).arg(dist))?;
    Ok(format!("{sizes}\n{}: {bytes} bytes", tarball.display()))
}

/// Builds the package as users get it, with more flags of the compiler; returns the tarball.
pub(crate) fn tarball(flags: &str) -> Result<PathBuf, String> {
    let folder = build("release", &BUILDS.map(|(file, own)| (file, format!("{own}{flags}"))))?;
    let home = folder.parent().unwrap_or(&folder).to_owned();
    let mut npm = Command::new("npm");
    npm.args(["pack", "--silent", "--pack-destination"]).arg(&home).current_dir(&folder);
    let name = stdout_of(&mut npm)?;
    Ok(home.join(name.lines().last().unwrap_or_default().trim()))
}

/// Installs a tarball in a clean folder and asks two questions of it in Node.
pub(crate) fn try_out(tarball: &Path, folder: &Path) -> Result<(), String> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(format!("{}: {error}", folder.display()));
        }
        _ => {}
    }
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut install = Command::new("npm");
    install.args(["install", "--silent", "--no-audit", "--no-fund"]).arg(tarball);
    output_of(install.current_dir(folder))?;
    let said = stdout_of(Command::new("node").args(["--input-type=module", "-e", TRY]).current_dir(folder))?;
    if said == "colliding separated" { Ok(()) } else { Err(format!("the npm package says {said:?}")) }
}

/// Builds the package quickly and runs its tests in Node and, where there is one, in a browser. Answers are compared
/// with those of the C interface on this machine.
pub(crate) fn check() -> Result<String, String> {
    let mut node = Command::new("node");
    node.arg("--test").arg(workspace().join("bindings/js/tests"));
    node.env("NOLI_NPM", quick()?).env("NOLI_C", native()?).env("NOLI_ROOT", workspace());
    let said = output_of(&mut node)?;
    let line = |name: &str| said.lines().find(|line| line.contains(name)).unwrap_or_default().to_owned();
    Ok(["# tests", "# pass", "# skipped"].map(|name| line(name).replace("# ", "")).join(", "))
}

/// Returns the folder of the package, built quickly and once.
pub(crate) fn quick() -> Result<&'static Path, String> {
    static BUILT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let builds = || BUILDS[..1].iter().map(|(file, flags)| (*file, (*flags).to_owned()));
    let build = || build("dev", &builds().collect::<Vec<_>>());
    BUILT.get_or_init(build).as_deref().map_err(Clone::clone)
}

/// Returns the folder of the C library, which the tests of the workspace have built.
fn native() -> Result<PathBuf, String> {
    let name = format!("{}noli_c{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let folders = ["debug", "debug/deps"].map(|folder| target().join(folder));
    let find = || folders.iter().find(|folder| folder.join(&name).is_file()).cloned();
    if find().is_none() {
        output_of(cargo().args(["build", "--quiet", "-p", "noli-capi"]).current_dir(workspace()))?;
    }
    find().ok_or_else(|| format!("cargo built no {name}"))
}

/// Builds the package in a folder below the build folder, and returns it.
fn build(profile: &str, builds: &[(&str, String)]) -> Result<PathBuf, String> {
    prepare()?;
    let source = workspace().join("bindings/js");
    let package = target().join("npm").join(profile);
    let wrong = |path: &Path| format!("{}: ", path.display());
    match fs::remove_dir_all(&package) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(wrong(&package) + &error.to_string());
        }
        _ => {}
    }
    let dist = package.join("dist");
    fs::create_dir_all(&dist).map_err(|error| wrong(&dist) + &error.to_string())?;
    for (file, flags) in builds {
        let built = library(profile, flags)?;
        fs::copy(&built, dist.join(file)).map_err(|error| wrong(&built) + &error.to_string())?;
    }
    for file in ["package.json", "README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        let from = source.join(file);
        fs::copy(&from, package.join(file)).map_err(|error| wrong(&from) + &error.to_string())?;
    }
    let mut compiler = Command::new(workspace().join("web/node_modules/.bin/tsc"));
    compiler.arg("--project").arg(&source).arg("--outDir").arg(&dist);
    output_of(&mut compiler)?;
    Ok(package)
}

/// Builds the library for WebAssembly, without threads and robots.
fn library(profile: &str, flags: &str) -> Result<PathBuf, String> {
    let mut command = cargo();
    command.args(["rustc", "--quiet", "-p", "noli-capi", "--lib", "--crate-type", "cdylib"]);
    command.args(["--no-default-features", "--features", "files", "--target", TARGET, "--profile", profile]);
    command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", flags).current_dir(workspace());
    output_of(&mut command)?;
    let folder = if profile == "dev" { "debug" } else { profile };
    Ok(target().join(TARGET).join(folder).join("noli_c.wasm"))
}
