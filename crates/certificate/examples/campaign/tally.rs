//! Counts of a campaign.

use crate::mutants::{self, Change};
use crate::setup::{Problem, shares};
use crate::{Options, oracle};
use noli_certificate::{Certificate, ProofError, Statement};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) statements: usize,
    pub(crate) pairs: usize,
    pub(crate) certificates: usize,
    /// Batches that the time left out.
    pub(crate) skipped: usize,
    unproven: BTreeMap<&'static str, usize>,
    wrong: usize,
    bytes: Vec<usize>,
    /// Time of the engine for the same verdicts, without proofs.
    pub(crate) verdicts: Duration,
    /// Time of searches for paths.
    pub(crate) searches: Duration,
    proofs: Duration,
    writing: Duration,
    checks: Duration,
    mutants: usize,
    /// Changed certificates that are accepted, by the reason that they are no false proofs.
    accepted: BTreeMap<&'static str, usize>,
    /// Accepted ones with another header, tested by the engine: certificates, claims, contradicted claims.
    judged: [usize; 3],
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

/// One in so many changed certificates is judged in exact arithmetic too.
const EXACT_EACH: usize = 8;
/// Larger ones take too long for that.
const EXACT_BYTES: usize = 1 << 18;
/// Changed certificates of larger ones are not kept.
const KEPT_BYTES: usize = 1 << 16;

impl Tally {
    pub(crate) fn merge(&mut self, other: Self) {
        self.statements += other.statements;
        self.pairs += other.pairs;
        self.certificates += other.certificates;
        self.skipped += other.skipped;
        self.wrong += other.wrong;
        self.bytes.extend(other.bytes);
        self.verdicts += other.verdicts;
        self.searches += other.searches;
        self.proofs += other.proofs;
        self.writing += other.writing;
        self.checks += other.checks;
        self.mutants += other.mutants;
        self.refused += other.refused;
        self.differing += other.differing;
        self.false_statements += other.false_statements;
        self.judged.iter_mut().zip(other.judged).for_each(|(own, other)| *own += other);
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
        let begun = Instant::now();
        let data = certificate.to_bytes();
        self.writing += begun.elapsed();
        if certificate.statements().is_empty() {
            return Ok(data);
        }
        let begun = Instant::now();
        let found = verdict(&data, false);
        self.checks += begun.elapsed();
        self.certificates += 1;
        if found != "valid" {
            self.wrong += 1;
            println!("certificate {number}: {found}");
        }
        let kept = options.keep.as_ref().filter(|_| number < options.kept);
        let kept = kept.map(|folder| folder.join(format!("{}-{number}", options.seed)));
        if let Some(name) = &kept {
            name.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            certificate.write_compressed(std::fs::File::create(name.with_extension("cert"))?)?;
        }
        self.mutate(&data, (options, number as u64), kept.filter(|_| data.len() <= KEPT_BYTES))?;
        Ok(data)
    }

    /// Changes a certificate; the first changed ones are kept under a name.
    fn mutate(
        &mut self,
        data: &[u8],
        (options, number): (&Options, u64),
        kept: Option<PathBuf>,
    ) -> Result<(), Problem> {
        let mut share = shares(options.seed ^ number.wrapping_mul(0x2545_f491_4f6c_dd1d));
        let items = mutants::items(data);
        for k in 0..options.mutations {
            let Change { bytes, first } = mutants::changed(data, &items, &mut share);
            if bytes == data {
                continue;
            }
            self.mutants += 1;
            let found = verdict(&bytes, false);
            if let Some(name) = kept.as_ref().filter(|_| k < options.kept_changed) {
                std::fs::write(name.with_extension(format!("{k}.{found}")), &bytes)?;
            }
            if options.exact && self.mutants.is_multiple_of(EXACT_EACH) && verdict(&bytes, true) != found {
                self.differing += 1;
                println!("byte {first}: {found} in doubles, {} exactly", verdict(&bytes, true));
            }
            if found == "valid" {
                self.explain(data, &bytes, first, &mut share);
            }
        }
        Ok(())
    }

    /// Counts the reason that an accepted change is no false proof; changed headers are judged by the engine.
    fn explain(&mut self, data: &[u8], bytes: &[u8], first: usize, share: &mut impl FnMut() -> f64) {
        let reason = mutants::reason(data, first);
        *self.accepted.entry(reason).or_default() += 1;
        if reason == mutants::SAME {
            return;
        }
        let Some((tested, contradicted)) = oracle::judge(bytes, share) else { return };
        self.judged[0] += 1;
        self.judged[1] += tested;
        self.judged[2] += contradicted;
        if contradicted > 0 {
            println!("byte {first}: {contradicted} of {tested} claims are false by the engine ({reason})");
        }
    }

    /// A false statement with the proof of a true one: it must not be accepted.
    pub(crate) fn refuse(&mut self, other: Option<Vec<u8>>, options: &Options) {
        let Some(bytes) = other else { return };
        let found = verdict(&bytes, options.exact && bytes.len() < EXACT_BYTES);
        self.refused += 1;
        if found == "valid" {
            self.wrong += 1;
            println!("a false statement is accepted");
        }
    }

    /// Returns `true` if nothing false was accepted and nothing true refused.
    pub(crate) fn is_fine(&self) -> bool {
        let unexplained = self.accepted.contains_key("UNEXPLAINED");
        self.wrong == 0 && self.differing == 0 && self.judged[2] == 0 && !unexplained
    }

    fn ends_of_bytes(&mut self) -> [usize; 2] {
        self.bytes.sort_unstable();
        let middle = self.bytes.get(self.bytes.len() / 2);
        [middle, self.bytes.last()].map(|bytes| bytes.copied().unwrap_or(0))
    }

    fn milliseconds(&self, time: Duration) -> f64 {
        time.as_secs_f64() * 1e3 / self.statements.max(1) as f64
    }

    /// The figures of a table, between tabs.
    pub(crate) fn row(&mut self) -> String {
        let [median, largest] = self.ends_of_bytes();
        let times =
            [self.verdicts, self.proofs, self.writing, self.checks].map(|time| self.milliseconds(time));
        let unproven: usize = self.unproven.values().sum();
        let accepted: usize = self.accepted.values().sum();
        let counts = [self.statements, self.pairs, self.certificates, unproven, self.wrong, median, largest];
        let soundness = [self.mutants, accepted, self.judged[1], self.judged[2], self.differing];
        let refused = [self.false_statements, self.refused];
        let words = counts.iter().map(usize::to_string);
        let words = words.chain(times.iter().map(|time| format!("{time:.4}")));
        let words = words.chain(soundness.iter().chain(&refused).map(usize::to_string));
        words.collect::<Vec<_>>().join("\t")
    }

    pub(crate) fn print(&mut self) {
        let [median, largest] = self.ends_of_bytes();
        println!(
            "{} statements about {} pairs proven, in {} certificates, {} wrong",
            self.statements, self.pairs, self.certificates, self.wrong
        );
        if self.skipped > 0 {
            println!("  {} batches left out: no time", self.skipped);
        }
        for (reason, number) in &self.unproven {
            println!("  true but not proven: {number} {reason}");
        }
        println!("bytes a statement: median {median}, largest {largest}");
        let [verdict, search, proof, writing, check] =
            [self.verdicts, self.searches, self.proofs, self.writing, self.checks]
                .map(|t| self.milliseconds(t));
        println!(
            "ms a statement: verdict {verdict:.4}, proof {proof:.3}, writing {writing:.3}, check {check:.3}, search {search:.1}"
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
            let [certificates, claims, contradicted] = self.judged;
            println!(
                "  {certificates} with another header judged by the engine: {contradicted} of {claims} claims false"
            );
            println!("{} verdicts differ in exact arithmetic", self.differing);
        }
    }
}
