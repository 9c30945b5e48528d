//! Counts of a campaign.

use crate::Options;
use crate::mutants::{self, Change};
use crate::setup::{Problem, shares};
use noli_certificate::{Certificate, ProofError, Statement};
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::{Duration, Instant};

#[derive(Default)]
pub(crate) struct Tally {
    statements: usize,
    pairs: usize,
    unproven: BTreeMap<&'static str, usize>,
    wrong: usize,
    bytes: Vec<usize>,
    pub(crate) verdicts: Duration,
    proofs: Duration,
    checks: Duration,
    mutants: usize,
    /// Changed certificates that are accepted, by the reason that they are no false proofs.
    accepted: BTreeMap<&'static str, usize>,
    refused: usize,
    differing: usize,
    false_statements: usize,
}

/// The error code of the checker, or `valid`.
fn verdict(data: &[u8], exact: bool) -> &'static str {
    let options = noli_verify::Options::default().with_threads(1);
    let options = if exact { options.with_exact() } else { options };
    noli_verify::check(data, &options).error.map_or("valid", |error| error.code)
}

impl Tally {
    pub(crate) fn merge(&mut self, other: Self) {
        self.statements += other.statements;
        self.pairs += other.pairs;
        self.wrong += other.wrong;
        self.bytes.extend(other.bytes);
        self.verdicts += other.verdicts;
        self.proofs += other.proofs;
        self.checks += other.checks;
        self.mutants += other.mutants;
        self.refused += other.refused;
        self.differing += other.differing;
        self.false_statements += other.false_statements;
        for (own, others) in [(&mut self.unproven, other.unproven), (&mut self.accepted, other.accepted)] {
            others.into_iter().for_each(|(reason, count)| *own.entry(reason).or_default() += count);
        }
    }

    /// Proves a statement; it counts as wrong if it was refuted by the engine.
    pub(crate) fn prove(&mut self, certificate: &mut Certificate, statement: Statement, is_true: bool) {
        let (begun, before, pairs) = (Instant::now(), certificate.item_bytes(), statement.pairs.len());
        let proven = certificate.prove(statement);
        let took = begun.elapsed();
        match (proven, is_true) {
            (Ok(_), true) => {
                self.proofs += took;
                self.statements += 1;
                self.pairs += pairs;
                self.bytes.push(certificate.item_bytes() - before);
            }
            (Err(error), true) => {
                let reason = match error {
                    ProofError::False { .. } => "refuted by the prover",
                    ProofError::TooClose { .. } => "too close to a contact",
                    ProofError::Budget { .. } => "beyond the budget",
                    _ => "other",
                };
                *self.unproven.entry(reason).or_default() += 1;
            }
            (Ok(_), false) => self.wrong += 1,
            (Err(_), false) => self.false_statements += 1,
        }
    }

    /// Has the certificate checked, kept and changed; returns its bytes.
    pub(crate) fn check(
        &mut self,
        certificate: &Certificate,
        options: &Options,
        number: usize,
    ) -> Result<Vec<u8>, Problem> {
        let data = certificate.to_bytes();
        if certificate.statements().is_empty() {
            return Ok(data);
        }
        let begun = Instant::now();
        let found = verdict(&data, false);
        self.checks += begun.elapsed();
        if found != "valid" {
            self.wrong += 1;
            println!("certificate {number}: {found}");
        }
        if let Some(folder) = &options.keep {
            std::fs::create_dir_all(folder)?;
            let file = std::fs::File::create(folder.join(format!("{}-{number}.cert", options.seed)))?;
            certificate.write_compressed(file)?;
        }
        self.mutate(&data, options, number as u64);
        Ok(data)
    }

    fn mutate(&mut self, data: &[u8], options: &Options, number: u64) {
        let mut share = shares(options.seed ^ number.wrapping_mul(0x2545_f491_4f6c_dd1d));
        for _ in 0..options.mutations {
            let Change { bytes, first } = mutants::changed(data, &mut share);
            if bytes == data {
                continue;
            }
            self.mutants += 1;
            let found = verdict(&bytes, false);
            if options.exact && verdict(&bytes, true) != found {
                self.differing += 1;
                println!("byte {first}: {found} in doubles, {} exactly", verdict(&bytes, true));
            }
            if found == "valid" {
                *self.accepted.entry(mutants::reason(data, first)).or_default() += 1;
            }
        }
    }

    /// A false statement with the proof of a true one: it must not be accepted.
    pub(crate) fn refuse(&mut self, other: Option<Vec<u8>>, options: &Options) {
        let Some(bytes) = other else { return };
        let found = verdict(&bytes, options.exact);
        self.refused += 1;
        if found == "valid" {
            self.wrong += 1;
            println!("a false statement is accepted");
        }
    }

    pub(crate) fn print(mut self) -> ExitCode {
        self.bytes.sort_unstable();
        let count = self.statements.max(1) as f64;
        let each = |time: Duration| time.as_secs_f64() * 1e3 / count;
        let (middle, most) = (self.bytes.get(self.bytes.len() / 2), self.bytes.last());
        println!("{} statements about {} pairs proven, {} wrong", self.statements, self.pairs, self.wrong);
        for (reason, number) in &self.unproven {
            println!("  true but not proven: {number} {reason}");
        }
        println!("bytes a statement: median {}, largest {}", middle.unwrap_or(&0), most.unwrap_or(&0));
        println!(
            "ms a statement: verdict {:.4}, proof {:.3}, check {:.3}",
            each(self.verdicts),
            each(self.proofs),
            each(self.checks)
        );
        println!(
            "false statements: {} refused by the prover, {} by the checker with proofs of true ones",
            self.false_statements, self.refused
        );
        if self.mutants > 0 {
            let accepted: usize = self.accepted.values().sum();
            println!("{} changed certificates, {accepted} accepted", self.mutants);
            for (reason, number) in &self.accepted {
                println!("  {number}: {reason}");
            }
            println!("{} verdicts differ in exact arithmetic", self.differing);
        }
        let fine = self.wrong == 0 && self.differing == 0;
        if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}
