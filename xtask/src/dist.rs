//! Release files under `target/dist`, made by one command on one machine: the program for each system with its
//! completions, manual pages and licences, bills of materials, Python wheels, the npm package, the published crates, and
//! checksums of all of them.
//!
//! Bytes depend on the commit, not on the folder: paths are remapped, times are those of the commit (or
//! `SOURCE_DATE_EPOCH`), and archives are sorted.

mod compilers;
mod licence_texts;
mod metadata;
mod sbom;
mod wheel;

use crate::package::PUBLISHED;
use crate::{cargo, npm, output_of, stdout_of, target, workspace};
use compilers::Compilers;
use metadata::Metadata;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Shells with completions, and the file of each.
const SHELLS: [(&str, &str); 4] =
    [("bash", "noli.bash"), ("zsh", "_noli"), ("fish", "noli.fish"), ("powershell", "_noli.ps1")];

/// Texts of the archive; with the pages of `docs`, everything that the readme links to.
const TEXTS: [&str; 9] = [
    "README.md",
    "SECURITY.md",
    "CHANGELOG.md",
    "LICENSE-MIT",
    "LICENSE-APACHE",
    "NOTICES.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "lab/BIAS.md",
];

/// Everything that a release is made with.
struct Release {
    version: String,
    /// Seconds since 1970 that all files carry.
    epoch: String,
    out: PathBuf,
    compilers: Compilers,
    /// Steps that this machine cannot do, with reasons.
    skipped: Vec<String>,
}

/// Makes all files. `quick` makes the program for this machine alone, and builds no package again.
pub(crate) fn make(quick: bool) -> Result<String, String> {
    let mut release = Release::new(quick)?;
    fresh(&release.out)?;
    let programs = release.programs()?;
    let native = &programs[0].1;
    let written = release.written_by(native)?;
    for (triple, program) in &programs {
        let archive = release.archive(triple, program, &written)?;
        release.try_archive(triple, &archive)?;
    }
    release.crates(quick)?;
    if quick {
        release
            .skipped
            .push("other systems, wheels, npm package, crates built from their packages: --quick".into());
    } else {
        release.wheels(&programs)?;
        release.npm()?;
    }
    release.checksums()
}

impl Release {
    fn new(quick: bool) -> Result<Self, String> {
        let mut skipped = Vec::new();
        let compilers = if quick { Compilers::of_this_machine()? } else { Compilers::find(&mut skipped)? };
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Ok(Self { version, epoch: epoch()?, out: target().join("dist"), compilers, skipped })
    }

    /// Returns the environment of compilers: no path of this machine gets into a file.
    fn environment(&self) -> Vec<(&'static str, String)> {
        let remapped = remapped();
        let rust = remapped.iter().map(|(from, to)| format!("--remap-path-prefix={from}={to}"));
        let c = remapped.iter().map(|(from, to)| format!("-ffile-prefix-map={from}={to}"));
        vec![
            // Separated as Cargo has it: folders may have spaces in their names.
            ("CARGO_ENCODED_RUSTFLAGS", rust.collect::<Vec<_>>().join("\u{1f}")),
            ("CFLAGS", c.collect::<Vec<_>>().join(" ")),
            ("CARGO_PROFILE_RELEASE_STRIP", "symbols".to_owned()),
            ("SOURCE_DATE_EPOCH", self.epoch.clone()),
            ("CARGO_TARGET_DIR", built().display().to_string()),
        ]
    }

    /// Builds the program for all systems, first for this one.
    fn programs(&self) -> Result<Vec<(String, PathBuf)>, String> {
        let build = |triple: &String| {
            println!("== program for {triple}");
            let mut command = self.compilers.build(triple);
            command.args(["--quiet", "--release", "--locked", "-p", "noli-cli"]);
            output_of(command.envs(self.environment()).current_dir(workspace()))?;
            Ok((triple.clone(), built().join(triple).join("release").join("noli")))
        };
        self.compilers.triples.iter().map(build).collect()
    }

    /// Returns a folder with the completions and manual pages that the program writes.
    fn written_by(&self, program: &Path) -> Result<PathBuf, String> {
        let folder = target().join("dist-written");
        fresh(&folder)?;
        for (shell, file) in SHELLS {
            let text = stdout_of(Command::new(program).args(["completions", shell]))?;
            write(&folder.join("completions").join(file), &(text + "\n"))?;
        }
        let pages = folder.join("man");
        fs::create_dir_all(&pages).map_err(|error| format!("{}: {error}", pages.display()))?;
        output_of(Command::new(program).arg("man").arg(&pages))?;
        Ok(folder)
    }

    /// Packs the program with completions, manual pages, the book, licences and the bill of materials.
    fn archive(&self, triple: &str, program: &Path, written: &Path) -> Result<PathBuf, String> {
        let name = self.name(triple);
        let folder = self.out.join(&name);
        copy(program, &folder.join("bin/noli"))?;
        for file in TEXTS {
            copy(&workspace().join(file), &folder.join(file))?;
        }
        copy_folder(&workspace().join("docs"), &folder.join("docs"))?;
        copy_folder(written, &folder)?;
        let metadata = Metadata::of("noli-cli", triple)?;
        write(&folder.join("THIRD-PARTY-LICENSES.txt"), &licence_texts::all(&metadata)?)?;
        let bill = sbom::cyclonedx(&metadata);
        write(&folder.join("sbom.cdx.json"), &bill)?;
        write(&self.out.join(format!("{name}.cdx.json")), &bill)?;
        let packed = pack(&self.out, &name, &self.epoch)?;
        fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(packed)
    }

    fn name(&self, triple: &str) -> String {
        format!("noli-{}-{triple}", self.version)
    }

    /// Unpacks an archive into a clean folder and uses the program there, by an emulator if it is for another machine.
    fn try_archive(&mut self, triple: &str, archive: &Path) -> Result<(), String> {
        let folder = target().join("dist-try");
        fresh(&folder)?;
        output_of(Command::new("tar").arg("xzf").arg(archive).current_dir(&folder))?;
        let unpacked = folder.join(self.name(triple));
        let readme = fs::read_to_string(unpacked.join("README.md")).map_err(|error| error.to_string())?;
        let dead = dead_links(&readme, &unpacked);
        if !dead.is_empty() {
            return Err(format!("the packed readme links to files that are not packed: {}", dead.join(", ")));
        }
        let program = unpacked.join("bin/noli");
        no_path_of_this_machine(&program)?;
        let start = || {
            let mut command = self.compilers.start(triple, &program)?;
            command.env_clear().current_dir(&folder);
            Some(command)
        };
        let (Some(mut version), Some(mut check)) = (start(), start()) else {
            self.skipped.push(format!(
                "a try of the program for {triple}: no emulator (Debian: qemu-user, libc6-arm64-cross)"
            ));
            return Ok(());
        };
        let version = output_of(version.arg("--version"))?;
        if !version.contains(&self.version) {
            return Err(format!("the packed program says {version:?}"));
        }
        check.args(["check", "--demo", "intersecting-boxes", "--html", "page.html"]);
        let status = check.output().map_err(|error| format!("{}: {error}", program.display()))?.status;
        if status.code() != Some(1) || !folder.join("page.html").is_file() {
            return Err(format!("the packed program ends a check of a clash with {status}"));
        }
        println!("== {} for {triple} runs from its archive", version.lines().next().unwrap_or_default());
        Ok(())
    }

    /// Packages the published crates. Cargo builds each against the packages before it, as from a registry.
    fn crates(&self, quick: bool) -> Result<(), String> {
        println!("== {} crates", PUBLISHED.len());
        let mut command = cargo();
        command.args(["package", "--quiet", "--locked", "--allow-dirty"]);
        command.args(PUBLISHED.iter().flat_map(|name| ["-p", name]));
        command.args(quick.then_some("--no-verify"));
        output_of(command.env("CARGO_TARGET_DIR", built()).current_dir(workspace()))?;
        for name in PUBLISHED {
            let file = format!("{name}-{}.crate", self.version);
            copy(&built().join("package").join(&file), &self.out.join("crates").join(&file))?;
        }
        Ok(())
    }

    /// Makes a wheel for each program.
    fn wheels(&mut self, programs: &[(String, PathBuf)]) -> Result<(), String> {
        let python = match wheel::tools() {
            Ok(python) => python,
            Err(why) => {
                self.skipped.push(format!("wheels: {why}"));
                return Ok(());
            }
        };
        for (index, (triple, program)) in programs.iter().enumerate() {
            let wheel = wheel::make(&python, self, triple, program)?;
            match index {
                0 => wheel::try_out(&wheel)?,
                _ => self.skipped.push(format!("a try of the wheel for {triple}: no Python for it here")),
            }
        }
        Ok(())
    }

    /// Packs the npm package, and uses it in a clean folder.
    fn npm(&mut self) -> Result<(), String> {
        println!("== npm package");
        if let Err(why) = npm::prepare() {
            self.skipped.push(format!("npm package: {why}"));
            return Ok(());
        }
        let remapped: Vec<String> =
            remapped().iter().map(|(from, to)| format!(" --remap-path-prefix={from}={to}")).collect();
        let tarball = npm::tarball(&remapped.concat())?;
        npm::try_out(&tarball, &target().join("dist-try-npm"))?;
        copy(&tarball, &self.out.join(tarball.file_name().unwrap_or_default()))
    }

    /// Writes SHA-256 sums of all files; returns the list of files with their sizes.
    fn checksums(&self) -> Result<String, String> {
        let mut files = Vec::new();
        for folder in [self.out.clone(), self.out.join("crates")] {
            let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
            files.extend(entries.flatten().map(|entry| entry.path()).filter(|path| path.is_file()));
        }
        files.sort();
        let names: Vec<&Path> = files.iter().filter_map(|file| file.strip_prefix(&self.out).ok()).collect();
        let sums = output_of(Command::new("sha256sum").args(&names).current_dir(&self.out))?;
        write(&self.out.join("SHA256SUMS"), &(sums + "\n"))?;
        let size = |file: &PathBuf| fs::metadata(file).map_or(0, |found| found.len());
        let mut text: Vec<String> = files
            .iter()
            .zip(&names)
            .map(|(file, name)| format!("{:>12} {}", size(file), name.display()))
            .collect();
        text.extend(self.skipped.iter().map(|line| format!("LEFT OUT {line}")));
        Ok(format!("{}\n== {}", text.join("\n"), self.out.display()))
    }
}

/// Returns the folder of everything that is compiled for a release.
fn built() -> PathBuf {
    target().join("dist-build")
}

/// Returns folders of this machine with the names that files of a release have for them.
fn remapped() -> [(String, &'static str); 2] {
    [(workspace().display().to_string(), "/noli"), (cargo_home(), "/cargo")]
}

fn cargo_home() -> String {
    let home = || std::env::var("HOME").map(|home| format!("{home}/.cargo"));
    std::env::var("CARGO_HOME").or_else(|_| home()).unwrap_or_default()
}

/// Looks for the folders of this machine in a file of the release.
fn no_path_of_this_machine(file: &Path) -> Result<(), String> {
    let bytes = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let has =
        |name: &str| !name.is_empty() && bytes.windows(name.len()).any(|found| found == name.as_bytes());
    match remapped().iter().find(|(folder, _)| has(folder)) {
        Some((folder, _)) => Err(format!("{} has the path {folder} of this machine", file.display())),
        None => Ok(()),
    }
}

/// Packs a folder below another, the same bytes for the same contents; returns the archive.
fn pack(within: &Path, folder: &str, epoch: &str) -> Result<PathBuf, String> {
    let tar = format!("{folder}.tar");
    let time = format!("--mtime=@{epoch}");
    let fixed = [
        "--format=ustar",
        "--sort=name",
        "--owner=0",
        "--group=0",
        "--numeric-owner",
        "--mode=u=rwX,go=rX",
        &time,
    ];
    output_of(Command::new("tar").args(fixed).args(["-cf", &tar, folder]).current_dir(within))?;
    output_of(Command::new("gzip").args(["-n", "-9", "-f", &tar]).current_dir(within))?;
    Ok(within.join(format!("{tar}.gz")))
}

/// Returns the time of the release: `SOURCE_DATE_EPOCH`, or that of the commit.
fn epoch() -> Result<String, String> {
    if let Ok(epoch) = std::env::var("SOURCE_DATE_EPOCH") {
        return Ok(epoch);
    }
    output_of(Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(workspace())).map_err(
        |why| {
            format!("the time of the commit is unknown: {why}; set SOURCE_DATE_EPOCH to seconds since 1970")
        },
    )
}

fn fresh(folder: &Path) -> Result<(), String> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let told = |error: std::io::Error| format!("{}: {error}", from.display());
    fs::create_dir_all(to.parent().unwrap_or(to)).map_err(told)?;
    fs::copy(from, to).map(drop).map_err(told)
}

fn copy_folder(from: &Path, to: &Path) -> Result<(), String> {
    let told = |error: std::io::Error| format!("{}: {error}", from.display());
    for entry in fs::read_dir(from).map_err(told)? {
        let path = entry.map_err(told)?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() { copy_folder(&path, &target)? } else { copy(&path, &target)? }
    }
    Ok(())
}

/// Returns the links of a page that lead to no file below its folder.
fn dead_links(page: &str, folder: &Path) -> Vec<String> {
    let links = page.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    let dead = |link: &&str| !link.is_empty() && !link.starts_with("http") && !folder.join(link).exists();
    links.filter(dead).map(str::to_owned).collect()
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    let told = |error: std::io::Error| format!("{}: {error}", file.display());
    fs::create_dir_all(file.parent().unwrap_or(file)).map_err(told)?;
    fs::write(file, text).map_err(told)
}

#[cfg(test)]
mod tests {
    use super::compilers::host;
    use super::*;

    #[test]
    fn every_package_of_the_program_has_a_licence_and_a_checksum() {
        let metadata = Metadata::of("noli-cli", &host().unwrap()).unwrap();
        let texts = licence_texts::all(&metadata).unwrap();
        assert!(texts.contains("clap@") && texts.contains("Permission is hereby granted"));
        let foreign = metadata.packages.values().filter(|package| !package.folder.starts_with(workspace()));
        let without: Vec<String> =
            foreign.filter(|package| package.checksum.is_none()).map(|package| package.key()).collect();
        assert!(without.is_empty(), "{without:?}");
    }

    /// The archive had the readme without the pages that it links to.
    #[test]
    fn the_archive_has_all_pages_that_its_readme_links_to() {
        let folder = std::env::temp_dir().join(format!("noli-dist-links-{}", std::process::id()));
        fresh(&folder).unwrap();
        for file in TEXTS {
            copy(&workspace().join(file), &folder.join(file)).unwrap();
        }
        let readme = fs::read_to_string(folder.join("README.md")).unwrap();
        assert!(!dead_links(&readme, &folder).is_empty(), "pages are not copied yet");
        copy_folder(&workspace().join("docs"), &folder.join("docs")).unwrap();
        assert_eq!(dead_links(&readme, &folder), Vec::<String>::new());
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn archives_of_equal_folders_are_equal() {
        let packed = |place: &str, order: [&str; 2]| {
            let within = std::env::temp_dir().join(format!("noli-dist-{place}-{}", std::process::id()));
            fresh(&within).unwrap();
            for name in order {
                write(&within.join("release").join(name), &format!("{name} of the release")).unwrap();
            }
            let bytes = fs::read(pack(&within, "release", "1700000000").unwrap()).unwrap();
            fs::remove_dir_all(&within).unwrap();
            bytes
        };
        assert_eq!(packed("one", ["a", "b"]), packed("two", ["b", "a"]));
    }
}
