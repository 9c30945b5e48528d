//! The Python wheel with the program in it: `pip install noli` gives `import noli` and the command `noli`.

use super::compilers::GLIBC;
use super::{Release, fresh, no_path_of_this_machine, remapped};
use crate::book::files_below;
use crate::{output_of, python, target, workspace};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Packages that make and repack wheels.
const TOOLS: [&str; 3] = ["maturin>=1.9.4,<2", "wheel", "ziglang"];

/// Returns a Python with the tools; an error if they cannot be installed here.
pub(crate) fn tools() -> Result<PathBuf, String> {
    python::environment_with("dist-python", &TOOLS)
}

/// Builds the wheel for a system and adds the program; returns its place among the release files.
pub(crate) fn make(
    python: &Path,
    release: &Release,
    triple: &str,
    program: &Path,
) -> Result<PathBuf, String> {
    println!("== wheel for {triple}");
    let made = target().join("dist-wheel");
    fresh(&made)?;
    let mut build = Command::new(python);
    build.args(["-m", "maturin", "build", "--quiet", "--release", "--locked", "--target", triple]);
    if release.compilers.zig_for(triple).is_some() {
        build.args(["--zig", "--compatibility", &format!("manylinux_{}", GLIBC.replace('.', "_"))]);
    }
    // Zig is a package of the same Python.
    build.arg("--out").arg(&made).envs(release.environment()).env("CARGO_ZIGBUILD_PYTHON_PATH", python);
    output_of(build.current_dir(workspace().join("bindings/python")))?;
    add_program(python, &made, program, &release.epoch)?;
    let wheel = only(&made, "whl")?;
    let packed = release.out.join(wheel.file_name().unwrap_or_default());
    fs::copy(&wheel, &packed).map_err(|error| format!("{}: {error}", wheel.display()))?;
    Ok(packed)
}

/// Adds the program to the scripts of a wheel. Unpacked files have the time of now: those of the new wheel get that of
/// the release.
fn add_program(python: &Path, folder: &Path, program: &Path, epoch: &str) -> Result<(), String> {
    let wheel = only(folder, "whl")?;
    let open = folder.join("open");
    output_of(Command::new(python).args(["-m", "wheel", "unpack", "--dest"]).args([&open, &wheel]))?;
    let content = only(&open, "")?;
    let name = content.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let scripts = content.join(format!("{name}.data/scripts"));
    let told = |error: std::io::Error| format!("{}: {error}", scripts.display());
    fs::create_dir_all(&scripts).map_err(told)?;
    fs::copy(program, scripts.join("noli")).map_err(told)?;
    let bills = fs::read_dir(content.join(format!("{name}.dist-info/sboms"))).into_iter().flatten().flatten();
    bills.map(|bill| bill.path()).try_for_each(|bill| without_paths(&bill))?;
    files_below(&content)?.iter().try_for_each(|file| no_path_of_this_machine(file))?;
    fs::remove_file(&wheel).map_err(told)?;
    let mut pack = Command::new(python);
    pack.args(["-m", "wheel", "pack", "--dest-dir"]).args([folder, &content]);
    output_of(pack.env("SOURCE_DATE_EPOCH", epoch))?;
    fs::remove_dir_all(&open).map_err(told)
}

/// Replaces folders of this machine in the bill of materials that maturin adds.
fn without_paths(bill: &Path) -> Result<(), String> {
    let told = |error: std::io::Error| format!("{}: {error}", bill.display());
    let text = fs::read_to_string(bill).map_err(told)?;
    let text = remapped().iter().fold(text, |text, (folder, name)| text.replace(folder.as_str(), name));
    fs::write(bill, text).map_err(told)
}

/// Installs a wheel in a clean environment and uses the module and the program.
pub(crate) fn try_out(wheel: &Path) -> Result<(), String> {
    let clean = target().join("dist-try-python");
    fresh(&clean)?;
    fs::remove_dir_all(&clean).map_err(|error| format!("{}: {error}", clean.display()))?;
    let python = python::environment_with("dist-try-python", &[&wheel.display().to_string()])?;
    let test = "import noli; box = noli.Model(noli.Convex.cuboid([1, 1, 1])); assert noli.overlap(box, box)";
    output_of(Command::new(&python).args(["-c", test]))?;
    output_of(Command::new(python.with_file_name("noli")).arg("--version")).map(drop)
}

/// Returns the one entry of a folder with an extension, or its one folder.
fn only(folder: &Path, extension: &str) -> Result<PathBuf, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let fits = |path: &PathBuf| match extension {
        "" => path.is_dir(),
        _ => path.extension().is_some_and(|found| found == extension),
    };
    let found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(fits).collect();
    <[PathBuf; 1]>::try_from(found)
        .map(|[path]| path)
        .map_err(|found| format!("{} holds {} candidates, not one", folder.display(), found.len()))
}

#[cfg(test)]
mod tests_of_wheels {
    use super::*;

    #[test]
    fn bills_of_materials_have_no_path_of_this_machine() {
        let folder = std::env::temp_dir().join("noli-xtask-wheel");
        fresh(&folder).unwrap();
        let bill = folder.join("bill.json");
        fs::write(&bill, format!("path+file://{}/crates/geom#noli-geom", workspace().display())).unwrap();
        assert!(no_path_of_this_machine(&bill).is_err());
        without_paths(&bill).unwrap();
        no_path_of_this_machine(&bill).unwrap();
        assert_eq!(fs::read_to_string(&bill).unwrap(), "path+file:///noli/crates/geom#noli-geom");
    }
}
