//! Files with analytic surfaces: STEP and IFC, triangulated by a kernel that the user installs.
//!
//! A small script of noli runs in the user's Python, on OpenCASCADE or IfcOpenShell as published there: a
//! separate program, nothing of which is linked. Results are cached by content, so each file is converted once.
//! The triangles lie within the chord error of the true surfaces, as far as the kernel guarantees it. Two
//! bodies whose triangles are separated by more than twice that error are therefore separated.

use crate::error::{FileError, Place, Warning};
use crate::units::Units;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Default chordal deviation of triangles from the true surface, in millimetres.
pub(crate) const CHORD_MM: f64 = 0.1;
/// Coordinates of IFC are rounded to a multiple of this, in metres; the script has it too.
const IFC_GRID_M: f64 = 1e-6;
/// Exit code of the scripts if the kernel is missing.
const NOT_INSTALLED: i32 = 3;

/// Kernel that converts a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// STEP, by OpenCASCADE; comes out in millimetres.
    OpenCascade,
    /// IFC, by IfcOpenShell; comes out in metres.
    IfcOpenShell,
}

impl Kernel {
    /// The one for a file of this name.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "step" | "stp" | "p21" => Some(Self::OpenCascade),
            "ifc" => Some(Self::IfcOpenShell),
            _ => None,
        }
    }

    /// The unit of what it makes.
    pub fn units(self) -> Units {
        match self {
            Self::OpenCascade => Units::Millimetre,
            Self::IfcOpenShell => Units::Metre,
        }
    }

    fn script(self) -> &'static str {
        match self {
            Self::OpenCascade => include_str!("step.py"),
            Self::IfcOpenShell => include_str!("ifc.py"),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::OpenCascade => "OpenCASCADE",
            Self::IfcOpenShell => "IfcOpenShell",
        }
    }

    fn format(self) -> &'static str {
        match self {
            Self::OpenCascade => "STEP",
            Self::IfcOpenShell => "IFC",
        }
    }

    /// Install hint.
    pub fn remedy(self) -> &'static str {
        match self {
            Self::OpenCascade => {
                "run `pip install cadquery-ocp` (or name a Python that has it in NOLI_PYTHON), or export STL or glTF"
            }
            Self::IfcOpenShell => {
                "run `pip install ifcopenshell` (or name a Python that has it in NOLI_PYTHON), or convert it with \
                 IfcConvert to .obj or .glb"
            }
        }
    }

    /// Returns the uncertainty of its surfaces for a chord in millimetres, in the unit of what it makes. Coordinates
    /// of IFC are rounded to a multiple of it: placements are products of many, and faces that coincide by
    /// design differ in the last digits.
    pub(crate) fn uncertainty(self, chord_mm: Option<f64>) -> f64 {
        match self {
            Self::OpenCascade => chord_mm.unwrap_or(CHORD_MM),
            Self::IfcOpenShell => IFC_GRID_M,
        }
    }

    /// Describes the triangles, for people.
    fn note(self, chord: f64) -> String {
        match self {
            Self::OpenCascade => format!(
                "triangulated by OpenCASCADE with a chordal deviation of {chord} mm: verdicts are those of the \
                 triangles; a clearance of more than {} mm holds between the true surfaces",
                2.0 * chord
            ),
            Self::IfcOpenShell => format!(
                "triangulated by IfcOpenShell with a chordal deviation of {chord} mm, coordinates rounded to a \
                 micrometre: verdicts are those of the triangles"
            ),
        }
    }

    fn missing(self, why: &str) -> FileError {
        FileError::new(Place::Whole, format!("{} ({why})", self.missing_reason()), self.remedy())
    }

    /// Returns the reason why a file cannot be read without it.
    pub fn missing_reason(self) -> String {
        format!("{} is read through {}, which is not there", self.format(), self.name())
    }

    /// Returns `true` if it is available. Starts it, so this takes a moment.
    pub fn is_there(self) -> bool {
        let module = match self {
            Self::OpenCascade => "import OCP.STEPCAFControl",
            Self::IfcOpenShell => "import ifcopenshell.geom",
        };
        let run = |python: PathBuf| {
            let mut command = Command::new(python);
            command.args(["-c", module]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            command.status().is_ok_and(|status| status.success())
        };
        pythons().into_iter().any(run)
    }
}

/// The Python that was named, or those that there usually are.
fn pythons() -> Vec<PathBuf> {
    match std::env::var_os("NOLI_PYTHON") {
        Some(named) => vec![named.into()],
        None => ["python3", "python"].map(PathBuf::from).to_vec(),
    }
}

/// Returns the cache folder of conversions; `None` if there is none.
fn cache() -> Option<PathBuf> {
    let of = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = || of("HOME").map(|home| home.join(".cache")).or_else(|| of("LOCALAPPDATA"));
    of("NOLI_CACHE").or_else(|| of("XDG_CACHE_HOME").or_else(home).map(|folder| folder.join("noli")))
}

/// A converted file.
pub(crate) struct Converted {
    /// OBJ.
    pub(crate) bytes: Vec<u8>,
    pub(crate) warnings: Vec<Warning>,
}

/// Converts a file whose bytes are these, or finds it converted. The chord error is in millimetres.
pub(crate) fn convert(
    path: &Path,
    bytes: &[u8],
    kernel: Kernel,
    chord: Option<f64>,
) -> Result<Converted, FileError> {
    let chord = chord.unwrap_or(CHORD_MM);
    let mut hash = Sha256::new();
    for part in [kernel.script().as_bytes(), &chord.to_bits().to_le_bytes(), bytes] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let key: String = hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let folder = cache().filter(|folder| std::fs::create_dir_all(folder).is_ok());
    let kept = folder.as_ref().map(|folder| folder.join(format!("{key}.obj")));
    let note = |text: String| Warning { place: Place::Whole, text };
    let told = note(kernel.note(chord));
    if let Some(found) = kept.as_ref().and_then(|kept| std::fs::read(kept).ok()) {
        return Ok(Converted { bytes: found, warnings: vec![told] });
    }
    let folder = folder.unwrap_or_else(std::env::temp_dir);
    let target = folder.join(format!("{key}-{}.part", std::process::id()));
    let ran = run(path, &target, kernel, chord);
    let made = ran.and_then(|said| {
        let bytes = std::fs::read(&target).map_err(|error| {
            FileError::new(Place::Whole, format!("its conversion cannot be read: {error}"), "try again")
        })?;
        Ok((bytes, said))
    });
    let (bytes, said) = match made {
        Ok(made) => made,
        Err(error) => {
            std::fs::remove_file(&target).ok();
            return Err(error);
        }
    };
    // Kept whole or not at all; a cache that cannot be written only costs time.
    let is_kept = kept.is_some_and(|kept| std::fs::rename(&target, kept).is_ok());
    if !is_kept {
        std::fs::remove_file(&target).ok();
    }
    let warnings =
        said.lines().filter_map(|line| line.strip_prefix("warning: ")).map(|line| note(line.to_owned()));
    Ok(Converted { bytes, warnings: std::iter::once(told).chain(warnings).collect() })
}

/// Runs the script and returns its messages.
fn run(path: &Path, target: &Path, kernel: Kernel, chord: f64) -> Result<String, FileError> {
    let mut why = "no Python was found".to_owned();
    for python in pythons() {
        let mut command = Command::new(&python);
        command.arg("-c").arg(kernel.script()).arg(path).arg(target).arg(format!("{chord:?}"));
        command.env("PYTHONUTF8", "1").stdin(Stdio::null());
        let output = match command.output() {
            Ok(output) => output,
            Err(error) => {
                why = format!("{}: {error}", python.display());
                continue;
            }
        };
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let last = said.lines().last().unwrap_or("it did not say why").trim().to_owned();
        match output.status.code() {
            Some(0) => return Ok(said),
            Some(NOT_INSTALLED) => why = format!("{}: {last}", python.display()),
            _ => {
                let reason = format!("{} could not convert it: {last}", kernel.name());
                return Err(FileError::new(
                    Place::Whole,
                    reason,
                    "open it in CAD and export it again, or export STL",
                ));
            }
        }
    }
    Err(kernel.missing(&why))
}
