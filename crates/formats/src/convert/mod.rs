//! Files with analytic surfaces: STEP and IFC, triangulated by a kernel that the user installs.
//!
//! A small script of noli runs in the user's Python, on OpenCASCADE or IfcOpenShell as published there: a
//! separate program, nothing of which is linked, and which runs apart from the files around the part. Results are
//! cached by content, so each file is converted once.
//!
//! The triangles lie within the chord error of the true surfaces, as far as the kernel guarantees it. Two
//! bodies whose triangles are separated by more than twice that error are therefore separated.

mod cache;
mod python;

use crate::error::{FileError, Place, Warning};
use crate::file_bytes::{bytes_at, bytes_of};
use crate::private_folder::PrivateFolder;
use crate::units::Units;
use cache::Cache;
use python::{NotRun, Ran};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

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
        let Ok(folder) = PrivateFolder::new() else { return false };
        let runs = |python: PathBuf| python::run(&python, module, &[], folder.path());
        python::pythons().into_iter().any(|python| runs(python).is_ok_and(|ran| ran.code == Some(0)))
    }
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
    let key = cache::hex(hash.finalize().get(..16).unwrap_or_default());
    let cache = Cache::open();
    let note = |text: String| Warning { place: Place::Whole, text };
    let told = note(kernel.note(chord));
    let kept = cache.as_ref().and_then(|cache| cache.read(&key));
    let content = match kept {
        Some(content) => content,
        None => {
            let content = run(path, kernel, chord)?;
            // A file that was changed while it was converted is not kept as what it was before.
            let is_same = bytes_of(path).is_ok_and(|now| now == bytes);
            if let Some(cache) = cache.filter(|_| is_same) {
                cache.keep(&key, &content);
            }
            content
        }
    };
    let warnings = warnings_in(&content).into_iter().map(note);
    let warnings = std::iter::once(told).chain(warnings).collect();
    Ok(Converted { bytes: content, warnings })
}

/// First words of the comments that hold the warnings of a kernel, so that they are kept with the conversion.
const WARNING: &str = "# warning: ";

/// Returns the warnings at the start of a conversion.
fn warnings_in(content: &[u8]) -> Vec<String> {
    let lines = content.split(|&byte| byte == b'\n');
    let warnings = lines.map_while(|line| line.strip_prefix(WARNING.as_bytes()));
    warnings.map(|text| String::from_utf8_lossy(text).into_owned()).collect()
}

/// Runs the script and returns the OBJ that it writes, after its warnings as comments.
fn run(path: &Path, kernel: Kernel, chord: f64) -> Result<Vec<u8>, FileError> {
    let failed = |reason: String, remedy: &str| FileError::new(Place::Whole, reason, remedy);
    let source = std::path::absolute(path)
        .map_err(|error| failed(format!("its folder is unknown: {error}"), "give an absolute path"))?;
    let folder = PrivateFolder::new()?;
    let (target, chord) = (folder.path().join("converted.obj"), format!("{chord:?}"));
    let mut why = "no Python was found".to_owned();
    for python in python::pythons() {
        let ran = python::run(&python, kernel.script(), &[&source, &target, chord.as_ref()], folder.path());
        let Ran { code, messages } = match ran {
            Ok(ran) => ran,
            Err(NotRun::TooLong(limit)) => return Err(python::too_long(kernel.name(), limit)),
            Err(NotRun::NoPython(error)) => {
                why = format!("{}: {error}", python.display());
                continue;
            }
        };
        let last = messages.lines().last().unwrap_or("it did not say why").trim();
        match code {
            Some(0) => {
                let content = bytes_at(&target)
                    .map_err(|error| failed(format!("its conversion {}", error.reason), "try again"))?;
                let warnings = messages.lines().filter_map(|line| line.strip_prefix("warning: "));
                let head: String = warnings.map(|line| format!("{WARNING}{line}\n")).collect();
                return Ok([head.as_bytes(), &content].concat());
            }
            Some(NOT_INSTALLED) => why = format!("{}: {last}", python.display()),
            _ => {
                let reason = format!("{} could not convert it: {last}", kernel.name());
                return Err(failed(reason, "open it in CAD and export it again, or export STL"));
            }
        }
    }
    Err(kernel.missing(&why))
}
