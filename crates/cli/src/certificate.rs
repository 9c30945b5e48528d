//! Certificates on their way to a file, and the report about them.

use crate::output::{self, plural};
use crate::{Outcome, Verdict};
use anyhow::{Context, Result, bail};
use noli_certificate::{
    Certificate, CertificateOptions, Joint, ProofError, ProofSize, Region, Source, Statement, WorldStatements,
};
use noli_formats::Units;
use noli_project::Staged;
use noli_project::report::Asked;
use serde::Serialize;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Refuses a certificate about bodies whose curved surfaces are replaced by triangles: what is true of the triangles may be
/// false of the surfaces, and contradict the verdict on these.
pub(crate) fn refuse_tessellated(target: &Path, mut bodies: impl Iterator<Item = String>) -> Result<()> {
    bodies.next().map_or(Ok(()), |first| {
        bail!(
            "{}: no certificate is written: {first} is from a CAD file (STEP, IFC), and a certificate proves statements \
             about triangles, not about curved surfaces; export it as STL with a known chordal deviation, and certify \
             that file",
            target.display()
        )
    })
}

/// [`refuse_tessellated`] for the bodies of a scene.
pub(crate) fn refuse_tessellated_scene(target: Option<&PathBuf>, staged: &Staged) -> Result<()> {
    let Some(target) = target else { return Ok(()) };
    let curved = staged.bodies.iter().filter(|body| body.origin.uncertainty > 0.0);
    refuse_tessellated(target, curved.map(|body| staged.name(body.id).to_owned()))
}

/// [`refuse_tessellated`] for files.
pub(crate) fn refuse_tessellated_files<'p>(
    target: &Path,
    files: impl IntoIterator<Item = &'p PathBuf>,
) -> Result<()> {
    let curved = files.into_iter().filter(|file| noli_formats::Kernel::of(file).is_some());
    refuse_tessellated(target, curved.map(|file| file.display().to_string()))
}

/// A certificate that is being made.
pub(crate) struct Writer {
    certificate: Certificate,
    report: Report,
}

/// Statements of a certificate, and those without a proof.
#[derive(Serialize)]
struct Report {
    certificate: Option<PathBuf>,
    bytes: usize,
    outcome: Outcome,
    statements: Vec<Proven>,
    /// The ranges of joints that statements over ranges are about; each box of them once.
    ranges: Vec<String>,
    unproven: Vec<Unproven>,
    /// Pairs about which nothing is claimed where a claim was requested, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_claimed: Vec<String>,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct Proven {
    title: String,
    claim: &'static str,
    pairs: usize,
    disabled_pairs: usize,
    clearance: f64,
    cells: usize,
    leaves: usize,
}

#[derive(Serialize)]
struct Unproven {
    title: String,
    reason: String,
}

impl Proven {
    fn new(statement: &Statement) -> Self {
        Self {
            title: statement.title.clone(),
            claim: statement.claim.name(),
            pairs: statement.pairs.len(),
            disabled_pairs: statement.disabled.len(),
            clearance: statement.clearance,
            cells: 0,
            leaves: 0,
        }
    }
}

impl Writer {
    pub(crate) fn new(certificate: Certificate, warnings: Vec<String>) -> Self {
        let outcome = Outcome::Free;
        let report = Report {
            certificate: None,
            bytes: 0,
            outcome,
            statements: Vec::new(),
            ranges: Vec::new(),
            unproven: Vec::new(),
            not_claimed: Vec::new(),
            warnings,
        };
        Self { certificate, report }
    }

    /// A certificate of statements about a world, all proven where that is possible.
    pub(crate) fn of_world(
        found: WorldStatements,
        units: Option<Units>,
        inputs: &[PathBuf],
        warnings: Vec<String>,
    ) -> Result<Self> {
        let units = units.map_or(String::new(), |units| units.sign().to_owned());
        let options = CertificateOptions { units, ..CertificateOptions::default() };
        let mut writer = Self::new(Certificate::with_options(found.scene, options), warnings);
        writer.add_inputs(inputs)?;
        for statement in found.statements {
            writer.prove(statement)?;
        }
        for [a, b] in found.undecided {
            writer.give_up(format!("{a} and {b}"), "the engine came to no verdict within its budget");
        }
        for [a, b] in found.in_contact {
            let text =
                format!("{a} and {b} stay in contact to the end of a motion: nothing is claimed there");
            writer.report.not_claimed.push(text);
        }
        Ok(writer)
    }

    /// Names files, the meshes among them by their ends.
    pub(crate) fn add_inputs(&mut self, inputs: &[PathBuf]) -> Result<()> {
        let mesh = |path: &Path| {
            let end = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
            ["stl", "obj", "off", "ply", "glb", "gltf", "3mf", "dae", "dxf"].contains(&end.as_str())
        };
        let files = inputs.iter().filter(|path| path.is_file());
        files
            .into_iter()
            .try_for_each(|path| self.add_source(path, if mesh(path) { "mesh" } else { "other" }))
    }

    /// Names a file that the bodies come from, by its own name.
    pub(crate) fn add_source(&mut self, path: &Path, role: &str) -> Result<()> {
        let bytes = noli_formats::bytes_of(path).map_err(|error| error.in_file(path))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let triangles = (role == "mesh").then(|| noli_verify::mesh_sha256(&name, &bytes)).flatten();
        self.certificate.add_source(Source::new(&name, role, &bytes).with_triangles(triangles));
        Ok(())
    }

    /// Proves a statement; a false one, or one without a proof, goes to the report.
    pub(crate) fn prove(&mut self, statement: Statement) -> Result<()> {
        let title = statement.title.clone();
        let proven = Proven::new(&statement);
        let ranges = self.ranges(&statement.region);
        let weaker = statement.weaker();
        let reason = match self.certificate.prove(statement) {
            Ok(size) => {
                self.report.add(Proven { cells: size.cells, leaves: size.leaves, ..proven }, ranges);
                return Ok(());
            }
            // Nested bodies with faces in contact share points all the same.
            Err(ProofError::TooClose { .. } | ProofError::False { .. }) if weaker.is_some() => {
                return weaker.map_or(Ok(()), |weaker| self.prove(weaker));
            }
            Err(error @ ProofError::False { .. }) => {
                self.report.outcome = Outcome::Touching;
                error.to_string()
            }
            Err(error @ (ProofError::TooClose { .. } | ProofError::Budget { .. } | ProofError::Limit(_))) => {
                if self.report.outcome == Outcome::Free {
                    self.report.outcome = Outcome::Undecided;
                }
                error.to_string()
            }
            Err(error) => return Err(error).context(title),
        };
        self.report.unproven.push(Unproven { title, reason });
        Ok(())
    }

    /// The ranges of a region in words, if it is a box of them.
    fn ranges(&self, region: &Region) -> Option<String> {
        let Region::Box(ranges) = region else { return None };
        let named = self.certificate.scene().joints().zip(ranges);
        let range = |(joint, range): (&Joint, &Option<[f64; 2]>)| {
            range.map(|[low, high]| format!("{} in [{low}, {high}]", joint.name))
        };
        let words: Vec<String> = named.filter_map(range).collect();
        (!words.is_empty()).then(|| words.join(", "))
    }

    /// Reports a statement for which there is no proof to write.
    pub(crate) fn give_up(&mut self, title: String, reason: &str) {
        self.report.outcome = Outcome::Undecided;
        self.report.unproven.push(Unproven { title, reason: reason.to_owned() });
    }

    /// A collision is proven where none was wanted.
    pub(crate) fn found_collision(&mut self) {
        self.report.outcome = Outcome::Touching;
    }

    /// Statements without a proof, each with the reason.
    pub(crate) fn unproven(&self) -> impl Iterator<Item = String> + '_ {
        self.report
            .unproven
            .iter()
            .map(|each| format!("not in the certificate: {}: {}", each.title, each.reason))
    }

    /// Writes the file with what is proven, and warns about the rest; an error if nothing is.
    pub(crate) fn write_proven(mut self, path: &Path) -> Result<()> {
        anyhow::ensure!(
            !self.report.statements.is_empty(),
            "{}: no certificate is written, as nothing is proven; {}",
            path.display(),
            self.unproven().next().unwrap_or("no pair is checked".to_owned())
        );
        output::warn_all(self.unproven());
        self.warn_of_unclaimed();
        self.write(path)
    }

    /// Writes the file; an error if a statement has no proof.
    pub(crate) fn write_all(mut self, path: &Path) -> Result<()> {
        self.ensure_proven()?;
        self.warn_of_unclaimed();
        self.write(path)
    }

    fn warn_of_unclaimed(&self) {
        output::warn_all(&self.report.not_claimed);
    }

    /// The name of a body of its scene.
    pub(crate) fn body_name(&self, body: usize) -> &str {
        self.certificate.scene().body_name(body)
    }

    /// Proves a statement if it can be; returns `true` if it is proven.
    pub(crate) fn try_prove(&mut self, statement: Statement) -> Result<bool> {
        let described = Proven::new(&statement);
        let ranges = self.ranges(&statement.region);
        match self.certificate.prove(statement) {
            Ok(ProofSize { cells, leaves, .. }) => {
                self.report.add(Proven { cells, leaves, ..described }, ranges);
                Ok(true)
            }
            Err(ProofError::False { .. } | ProofError::TooClose { .. } | ProofError::Budget { .. }) => {
                Ok(false)
            }
            Err(error) => Err(error).context(described.title),
        }
    }

    /// An error if a statement has no proof.
    pub(crate) fn ensure_proven(&self) -> Result<()> {
        self.unproven().next().map_or(Ok(()), |reason| Err(anyhow::anyhow!(reason)))
    }

    fn is_proven(&self) -> bool {
        self.report.unproven.is_empty() && !self.report.statements.is_empty()
    }

    /// Writes the file.
    pub(crate) fn write(&mut self, path: &Path) -> Result<()> {
        let mut bytes = Vec::new();
        self.certificate.write_compressed(&mut bytes).context("cannot compress the certificate")?;
        output::write_file(path, &bytes)?;
        (self.report.certificate, self.report.bytes) = (Some(path.to_owned()), bytes.len());
        Ok(())
    }

    /// Writes the file unless a statement has no proof, and prints the report.
    pub(crate) fn finish(mut self, path: &Path, json: bool, partial: bool) -> Result<Verdict> {
        if self.is_proven() || (partial && !self.report.statements.is_empty()) {
            self.write(path)?;
        }
        let asked = Asked::new(self.report.statements.len() + self.report.unproven.len())?;
        if json {
            output::print_report("prove", &self.report)?;
        } else {
            output::warn_all(&self.report.warnings);
            output::print(&self.report.text())?;
        }
        Ok(Verdict::new(self.report.outcome, asked))
    }
}

impl Report {
    fn add(&mut self, proven: Proven, ranges: Option<String>) {
        self.statements.push(proven);
        let fresh = ranges.filter(|ranges| !self.ranges.contains(ranges));
        self.ranges.extend(fresh);
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for statement in &self.statements {
            let Proven { title, claim, pairs, disabled_pairs, leaves, .. } = statement;
            let pairs = plural(*pairs, "pair", "pairs");
            let disabled = match disabled_pairs {
                0 => String::new(),
                count => format!(", {count} disabled"),
            };
            let leaves = plural(*leaves, "cell", "cells");
            let _ = writeln!(text, "proven: {title}: {claim}, {pairs}{disabled}, {leaves}");
        }
        for ranges in &self.ranges {
            let _ = writeln!(text, "never and always are proven within {ranges}");
        }
        for Unproven { title, reason } in &self.unproven {
            let _ = writeln!(text, "not proven: {title}: {reason}");
        }
        match &self.certificate {
            Some(path) => {
                let _ = writeln!(text, "{}: {} bytes", path.display(), self.bytes);
            }
            None => text += "no certificate was written\n",
        }
        text
    }
}
