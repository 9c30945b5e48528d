//! Deterministic damage to formulas and `.vm` texts, and what must hold for the result.

use crate::support::Random;
use noli_geom::{Aabb, Interval};
use noli_implicit::Field;
use std::path::Path;

const WORDS: &[&str] = &[
    "x", "y", "z", "(", ")", ",", ";", "=", "<=", ">=", "+", "-", "*", "/", "^", "**", "\n", "#", " ",
    "1e308", "1e-320", "0", "2", "0.5", "-1", "pi", "sin(", "sqrt(", "ln(", "max(", "min(", "move(",
    "scale(", "turn_x(", "noise(", "blend(", "x^-3", "1/0", "e", "é", "\t", "const ", "var-x", "_0 ", "_1 ",
    "mul ", "div ", "recip ", "atan2 ", "nan", "inf",
];

/// Texts kept at most.
const MOST_KEPT: usize = 256;
/// Longer texts are cut.
const LONGEST: usize = 400;

pub(crate) struct Damage {
    rng: Random,
    kept: Vec<String>,
    /// Number of them that are files of the corpus.
    seeds: usize,
}

impl Damage {
    /// Starts from the files in `fuzz/corpus`.
    pub(crate) fn new(kind: &str, seed: u64) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(kind);
        let entries =
            std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut kept: Vec<String> = entries
            .map(|entry| {
                std::fs::read_to_string(entry.expect("listed").path()).expect("a corpus file is text")
            })
            .collect();
        kept.sort();
        Self { rng: Random::new(seed), seeds: kept.len(), kept }
    }

    pub(crate) fn next_text(&mut self) -> String {
        let pick = |rng: &mut Random, kept: &[String]| kept[rng.below(kept.len() as u64) as usize].clone();
        let mut text: Vec<char> = pick(&mut self.rng, &self.kept).chars().collect();
        for _ in 0..1 + self.rng.below(6) {
            let at = self.rng.below(text.len() as u64 + 1) as usize;
            let end = (at + 1 + self.rng.below(8) as usize).min(text.len());
            match self.rng.below(6) {
                0 | 1 => {
                    let word = WORDS[self.rng.below(WORDS.len() as u64) as usize];
                    text.splice(at..at, word.chars());
                }
                2 => drop(text.drain(at..end)),
                3 => {
                    let copy = text[at..end].to_vec();
                    text.splice(at..at, copy);
                }
                4 => {
                    let other: Vec<char> = pick(&mut self.rng, &self.kept).chars().collect();
                    let from = self.rng.below(other.len() as u64 + 1) as usize;
                    text.splice(at.., other[from..].iter().copied());
                }
                _ => {
                    if let Some(c) = text.get_mut(at) {
                        *c = char::from(32 + self.rng.below(95) as u8);
                    }
                }
            }
        }
        text.truncate(LONGEST);
        text.into_iter().collect()
    }

    /// Damage this one further, now and then.
    pub(crate) fn keep(&mut self, text: String) {
        if self.kept.len() < MOST_KEPT {
            self.kept.push(text);
        } else {
            // The files of the corpus stay.
            let place = self.seeds + self.rng.below((MOST_KEPT - self.seeds) as u64) as usize;
            self.kept[place] = text;
        }
    }
}

/// Read a text and bound what it means; whether it could be read.
pub(crate) fn examine(kind: &str, text: &str) -> bool {
    let field = match kind {
        "vm" => Field::parse_vm(text),
        _ => Field::parse(text),
    };
    let field = match field {
        Ok(field) => field,
        Err(error) => {
            assert!(error.line >= 1 && error.column >= 1 && !error.to_string().is_empty());
            return false;
        }
    };
    let point = glam::dvec3(0.3, -0.7, 1.1);
    let value = field.value(point);
    let cell = Aabb { min: point - 0.25, max: point + 0.5 };
    let sides = [0, 1, 2].map(|k| Interval::new(cell.min[k], cell.max[k]));
    let mut ranges = vec![field.range(sides), field.range_on(&cell), field.range([Interval::EVERYTHING; 3])];
    ranges.push(field.range(point.to_array().map(Interval::from)));
    for range in ranges {
        assert!(range.lo() <= range.hi(), "{text}");
    }
    // Rounded values may leave narrow ranges, but not by much where everything is of moderate size.
    let wide = field.range(sides);
    if value.is_finite() && wide.magnitude() < 1e6 {
        let slack = 1e-3 * (1.0 + wide.magnitude());
        assert!(wide.lo() - slack <= value && value <= wide.hi() + slack, "{text}: {value} {wide:?}");
    }
    assert!(!field.lipschitz(sides).is_nan());
    true
}
