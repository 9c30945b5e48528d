//! A grammar of forgeries: true certificates, lies that make their claims false by construction, and attacks on the
//! proofs that might carry them.

#[path = "attacks.rs"]
mod attacks;
#[path = "bases.rs"]
mod bases;
#[path = "counting.rs"]
mod counting;
#[path = "lies.rs"]
mod lies;
#[path = "value.rs"]
mod value;

pub(crate) use bases::{Base, all as bases};
use lies::{Forged, LIES, Rule};
use noli_geom::random::SplitMix64;
use std::collections::BTreeMap;
use value::Value;

/// Random numbers.
pub(crate) struct Draw(SplitMix64);

impl Draw {
    pub(crate) fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    fn below(&mut self, end: usize) -> usize {
        self.0.below(end)
    }

    fn unit(&mut self) -> f64 {
        self.0.unit()
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0.between(low, high)
    }
}

/// A certificate of a false claim.
pub(crate) struct Forgery {
    pub(crate) bytes: Vec<u8>,
    /// The lie, then the attacks.
    pub(crate) rules: Vec<&'static str>,
}

fn attacks() -> Vec<(&'static str, Rule)> {
    let plain =
        [&attacks::COVERS[..], &attacks::PROOFS, &attacks::RAYS, &attacks::WITNESSES, &attacks::ITEMS];
    [plain.concat(), counting::COUNTING.to_vec()].concat()
}

/// The names of all rules.
pub(crate) fn rules() -> Vec<&'static str> {
    LIES.iter().map(|rule| rule.0).chain(attacks().iter().map(|rule| rule.0)).collect()
}

/// A lie about a drawn true certificate, carried by up to four attacks; `None` where the drawn rules do not apply.
pub(crate) fn forge(bases: &[Base], draw: &mut Draw) -> Option<Forgery> {
    let base = &bases[draw.below(bases.len())];
    let mut forged = Forged { items: base.items.clone(), collides: base.collides.clone() };
    let (lie, apply) = LIES[draw.below(LIES.len())];
    if !apply(&mut forged, draw) {
        return None;
    }
    let (all, mut rules) = (attacks(), vec![lie]);
    // Attacks that count need the fewest other ones.
    let counting = if draw.below(4) == 0 { all.len() - counting::COUNTING.len() } else { 0 };
    for number in 0..draw.below(if counting == 0 { 5 } else { 3 }) {
        let first = if number == 0 { counting } else { 0 };
        let (attack, apply) = all[first + draw.below(all.len() - first)];
        if apply(&mut forged, draw) {
            rules.push(attack);
        }
    }
    // Most forgeries announce the items that they have.
    if !rules.contains(&"a wrong end") && draw.below(16) > 0 {
        let count = forged.items.iter().rposition(|item| item.list().first() == Some(&Value::text("end")));
        if let Some(at) = count {
            forged.items[at] = Value::Array(vec![Value::text("end"), Value::Int(at as i64 - 1)]);
        }
    }
    let mut bytes = Vec::new();
    forged.items.iter().for_each(|item| item.write(&mut bytes));
    Some(Forgery { bytes, rules })
}

/// The verdicts of a checker on forgeries, by rule.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) judged: usize,
    /// How often each rule was tried.
    pub(crate) tried: BTreeMap<&'static str, usize>,
    /// The codes of refusals.
    pub(crate) codes: BTreeMap<&'static str, usize>,
    /// The rules of accepted ones.
    pub(crate) accepted: Vec<Vec<&'static str>>,
}

impl Tally {
    pub(crate) fn add(&mut self, forgery: &Forgery) {
        self.judged += 1;
        forgery.rules.iter().for_each(|rule| *self.tried.entry(rule).or_default() += 1);
        let options = noli_verify::Options::default().with_threads(1);
        match noli_verify::check(&forgery.bytes, &options).error {
            Some(error) => *self.codes.entry(error.code).or_default() += 1,
            None => self.accepted.push(forgery.rules.clone()),
        }
    }
}
