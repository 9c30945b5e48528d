//! Checks that did not run. A passing test shows no output, so tests that skip append a line to a file that
//! `NOLI_SKIPPED` names (`noli_testing::skip`, `skip_tool`). If published data is found next to the checkout, `NOLI_DATA`
//! names it.

use crate::workspace;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Beginning of the lines of `noli_testing::skip_tool`.
const TOOL: &str = "tool: ";

/// Public sources of the folders that tests look for.
const SOURCES: [(&str, &str); 10] = [
    ("bench", "answers of other engines to W1, not published; `noli-lab bench --peers` compares anew"),
    ("cad/rigid-ipc", "github.com/ipc-sim/rigid-ipc, fixtures and meshes"),
    ("cad/step", "github.com/mikedh/trimesh, models/*.STEP"),
    ("ccd", "github.com/Continuous-Collision-Detection: Sample-Queries and Sample-Scalable-CCD-Data"),
    ("dxf", "github.com/assimp/assimp, test/models/DXF, and github.com/mozman/ezdxf, examples_dxf"),
    ("ifc", "github.com/buildingSMART/Sample-Test-Files and github.com/andrewisen/bim-whale-ifc-samples"),
    ("implicit", "github.com/mkeeter/fidget, models"),
    ("meshes", "github.com/CGAL/cgal, Data/data/meshes, and github.com/mikedh/trimesh, models"),
    ("planning", "github.com/KavrakiLab/vamp, resources, and github.com/fishbotics/robometrics"),
    (
        "robots",
        "github.com/moveit/moveit_resources, github.com/nimasarli/puma560_description, github.com/KavrakiLab/vamp",
    ),
];

pub(crate) struct Skips {
    file: PathBuf,
    data: Option<OsString>,
    tools: Vec<String>,
    optional: Vec<String>,
}

/// Skipped checks by what they lack.
#[derive(Default)]
struct Skipped<'a> {
    /// Published data, or something that only a fault of the test explains.
    data: BTreeSet<&'a str>,
    /// A browser, Python, npm or a compiler.
    tools: BTreeSet<&'a str>,
    /// A target of the compiler, which only a network has; permitted with `--strict`.
    optional: BTreeSet<&'a str>,
}

impl Skips {
    /// Nothing skipped yet.
    pub(crate) fn new(target: &Path) -> Result<Self, String> {
        let file = target.join("skipped-tests.txt");
        match fs::remove_file(&file) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(format!("{}: {error}", file.display()));
            }
            _ => {}
        }
        fs::create_dir_all(target).map_err(|error| format!("{}: {error}", target.display()))?;
        Ok(Self { file, data: data(), tools: Vec::new(), optional: Vec::new() })
    }

    /// Returns environment variables of tests.
    pub(crate) fn env(&self) -> impl Iterator<Item = (&'static str, OsString)> {
        let data = self.data.clone().map(|data| ("NOLI_DATA", data));
        [("NOLI_SKIPPED", self.file.clone().into_os_string())].into_iter().chain(data)
    }

    /// Adds a step that lacks a tool.
    pub(crate) fn add_tool(&mut self, what: &str) {
        self.tools.push(what.to_owned());
    }

    /// Adds a step that lacks what cannot be installed without a network; `--strict` permits it.
    pub(crate) fn add_optional(&mut self, what: &str) {
        self.optional.push(what.to_owned());
    }

    /// Returns the final summary: an error if something was skipped that could have run, or anything at all with `strict`.
    pub(crate) fn verdict(&self, strict: bool) -> Result<String, String> {
        let text = match fs::read_to_string(&self.file) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => return Err(format!("{}: {error}", self.file.display())),
        };
        let mut skipped = Skipped::of_lines(&text);
        skipped.tools.extend(self.tools.iter().map(String::as_str));
        skipped.optional.extend(self.optional.iter().map(String::as_str));
        skipped.verdict(self.data.is_some(), strict)
    }
}

impl<'a> Skipped<'a> {
    fn of_lines(text: &'a str) -> Self {
        let mut skipped = Self::default();
        for line in text.lines() {
            match line.strip_prefix(TOOL) {
                Some(tool) => skipped.tools.insert(tool),
                None => skipped.data.insert(line),
            };
        }
        skipped
    }

    fn verdict(&self, has_data: bool, strict: bool) -> Result<String, String> {
        let optional: String = self.optional.iter().map(|line| format!("SKIPPED {line}\n")).collect();
        let count = self.data.len() + self.tools.len();
        if count == 0 && optional.is_empty() {
            return Ok("== nothing was skipped".to_owned());
        }
        if count == 0 {
            return Ok(optional + "== only checks that need a network were skipped");
        }
        let skipped = self.data.iter().chain(&self.tools);
        let mut text: String = skipped.map(|line| format!("SKIPPED {line}\n")).collect();
        text += &optional;
        if !has_data && !self.data.is_empty() {
            text += &self.how_to_get_data();
        }
        let checks = if count == 1 { "1 check was".to_owned() } else { format!("{count} checks were") };
        if strict {
            Err(text + &format!("== FAILED: {checks} skipped, and --strict allows none"))
        } else if has_data && !self.data.is_empty() {
            Err(text
                + &format!(
                    "== FAILED: {checks} skipped though there is published data; `NOLI_DATA= cargo xtask test` \
                     tests without it"
                ))
        } else {
            Ok(text + &format!("== {checks} skipped"))
        }
    }

    /// Returns the sources of the folders that the lines name.
    fn how_to_get_data(&self) -> String {
        let is_missing = |folder: &str| {
            self.data.iter().any(|line| line.split([' ', '`', ',']).any(|word| word.starts_with(folder)))
        };
        let mut text =
            "Published data is not part of the repository. Put what you need into one folder and name it in \
                        NOLI_DATA, or put it in ../shared/data:\n"
                .to_owned();
        for (folder, source) in SOURCES.into_iter().filter(|(folder, _)| is_missing(folder)) {
            text += &format!("  {folder:13}  {source}\n");
        }
        text
    }
}

/// The folder of published data, if there is one. An empty `NOLI_DATA` means none.
fn data() -> Option<OsString> {
    let beside = || {
        let mut folders = workspace().ancestors().map(|above| above.join("shared/data"));
        folders.find(|folder| folder.is_dir()).map(PathBuf::into_os_string)
    };
    match std::env::var_os("NOLI_DATA") {
        Some(named) => Some(named).filter(|named| !named.is_empty()),
        None => beside(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATA: &str = "w1: no bench in NOLI_DATA or in shared/data beside the checkout\n";
    const TOOLS: &str = "tool: bcf: Python has no module bcf\n";

    #[test]
    fn missing_data_is_listed_with_its_source_and_fails_only_where_there_is_data() {
        let skipped = Skipped::of_lines(DATA);
        let listed = skipped.verdict(false, false).unwrap();
        assert!(listed.contains("1 check was skipped"), "{listed}");
        assert!(listed.contains("NOLI_DATA") && listed.contains("  bench "), "{listed}");
        assert!(!listed.contains("  robots "), "{listed}");
        assert!(skipped.verdict(true, false).unwrap_err().contains("FAILED"));
        assert!(skipped.verdict(false, true).is_err());
    }

    #[test]
    fn missing_tools_are_listed_and_fail_only_if_strict() {
        let twice = format!("{TOOLS}{TOOLS}");
        let skipped = Skipped::of_lines(&twice);
        for has_data in [false, true] {
            let listed = skipped.verdict(has_data, false).unwrap();
            assert!(listed.contains("SKIPPED bcf: Python has no module"), "{listed}");
            assert!(listed.contains("1 check was skipped"), "{listed}");
            assert!(skipped.verdict(has_data, true).is_err());
        }
        assert!(Skipped::default().verdict(true, true).is_ok());
    }

    #[test]
    fn checks_that_need_a_network_are_listed_and_permitted() {
        let skipped = Skipped { optional: BTreeSet::from(["npm package: no target"]), ..Skipped::default() };
        let listed = skipped.verdict(true, true).unwrap();
        assert!(listed.contains("SKIPPED npm package: no target"), "{listed}");
        let failed = Skipped { tools: BTreeSet::from(["bcf"]), ..skipped }.verdict(true, true).unwrap_err();
        assert!(failed.contains("npm package") && failed.contains("1 check was skipped"), "{failed}");
    }
}
