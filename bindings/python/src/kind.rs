//! Kinds of answers: the result of one query, and the arrays that a batch fills.

use crate::answer::{PyBracket, PyClearance, PyImpact};
use crate::array::{out, outs, points, put};
use crate::error::undecided;
use glam::DVec3;
use noli::answer::{Bracket, Overlap, Touch};
use noli::{Clearance, Guarantee, Impact};
use numpy::PyArray1;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBool;

/// `out=`, as it was given.
pub(crate) type Given<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

pub(crate) trait Kind<'py> {
    type Answer: Clone + Send;
    type Arrays;

    /// Returns the initial, undecided answer.
    fn blank(&self) -> Self::Answer;

    /// Returns the answer to one query.
    fn one(&self, py: Python<'py>, answer: Self::Answer) -> PyResult<Bound<'py, PyAny>>;

    /// Arrays for so many answers: the caller's, or new ones.
    fn arrays(&self, py: Python<'py>, given: Given<'_, 'py>, count: usize) -> PyResult<Self::Arrays>;

    /// Puts answers into the arrays from a row on.
    fn put(&self, arrays: &mut Self::Arrays, start: usize, answers: &[Self::Answer]) -> PyResult<()>;

    /// The result of a batch.
    fn whole(&self, py: Python<'py>, arrays: Self::Arrays) -> PyResult<Bound<'py, PyAny>>;

    /// Returns the answer to one query, which fills no array.
    fn alone(
        &self,
        py: Python<'py>,
        given: Given<'_, 'py>,
        answer: impl FnOnce() -> PyResult<Self::Answer>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match given {
            Some(_) => Err(PyTypeError::new_err("out: only batches fill an array; one answer is returned")),
            None => self.one(py, answer()?),
        }
    }
}

/// A class of `noli._results`, made of arrays.
fn named<'py>(
    py: Python<'py>,
    name: &str,
    arrays: impl pyo3::call::PyCallArgs<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    py.import("noli._results")?.getattr(name)?.call1(arrays)
}

/// A verdict: yes or no.
pub(crate) struct Flags {
    /// Value for an undecided verdict; an exception if `None`.
    pub(crate) unknown: Option<bool>,
    /// Name of the rows.
    pub(crate) rows: &'static str,
}

impl Flags {
    fn decided(&self, verdict: Overlap, row: Option<usize>) -> PyResult<bool> {
        match (verdict, self.unknown) {
            (Overlap::Hit, _) => Ok(true),
            (Overlap::Free, _) => Ok(false),
            (Overlap::Unknown, Some(unknown)) => Ok(unknown),
            (Overlap::Unknown, None) => {
                let place = row.map_or(String::new(), |row| format!("{}[{row}]: ", self.rows));
                let remedy = match self.rows {
                    "poses" => "; give unknown=True or unknown=False as the value of undecided verdicts",
                    _ => "",
                };
                Err(undecided(format!("{place}nothing is proven about this pair{remedy}")))
            }
        }
    }
}

impl<'py> Kind<'py> for Flags {
    type Answer = Overlap;
    type Arrays = Bound<'py, PyArray1<bool>>;

    fn blank(&self) -> Overlap {
        Overlap::Unknown
    }

    fn one(&self, py: Python<'py>, answer: Overlap) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyBool::new(py, self.decided(answer, None)?).to_owned().into_any())
    }

    fn arrays(&self, py: Python<'py>, given: Given<'_, 'py>, count: usize) -> PyResult<Self::Arrays> {
        out(py, given, count, "out")
    }

    fn put(&self, arrays: &mut Self::Arrays, start: usize, answers: &[Overlap]) -> PyResult<()> {
        let rows = answers.iter().zip(start..).map(|(&verdict, row)| self.decided(verdict, Some(row)));
        put(arrays, start, rows.collect::<PyResult<Vec<bool>>>()?.into_iter())
    }

    fn whole(&self, _: Python<'py>, arrays: Self::Arrays) -> PyResult<Bound<'py, PyAny>> {
        Ok(arrays.into_any())
    }
}

/// One word of several; in batches its code.
pub(crate) struct Words<T> {
    pub(crate) words: &'static [&'static str],
    pub(crate) number: fn(T) -> u8,
    pub(crate) blank: T,
}

impl<'py, T: Copy + Send> Kind<'py> for Words<T> {
    type Answer = T;
    type Arrays = Bound<'py, PyArray1<u8>>;

    fn blank(&self) -> T {
        self.blank
    }

    fn one(&self, py: Python<'py>, answer: T) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.words[usize::from((self.number)(answer))].into_pyobject(py)?.into_any())
    }

    fn arrays(&self, py: Python<'py>, given: Given<'_, 'py>, count: usize) -> PyResult<Self::Arrays> {
        out(py, given, count, "out")
    }

    fn put(&self, arrays: &mut Self::Arrays, start: usize, answers: &[T]) -> PyResult<()> {
        put(arrays, start, answers.iter().map(|&answer| (self.number)(answer)))
    }

    fn whole(&self, _: Python<'py>, arrays: Self::Arrays) -> PyResult<Bound<'py, PyAny>> {
        Ok(arrays.into_any())
    }
}

/// Two bounds of a true value.
pub(crate) struct Brackets;

impl<'py> Kind<'py> for Brackets {
    type Answer = Bracket;
    type Arrays = [Bound<'py, PyArray1<f64>>; 2];

    fn blank(&self) -> Bracket {
        Bracket::OPEN
    }

    fn one(&self, py: Python<'py>, answer: Bracket) -> PyResult<Bound<'py, PyAny>> {
        Ok(Bound::new(py, PyBracket::from(answer))?.into_any())
    }

    fn arrays(&self, py: Python<'py>, given: Given<'_, 'py>, count: usize) -> PyResult<Self::Arrays> {
        outs(py, given, count)
    }

    fn put(&self, arrays: &mut Self::Arrays, start: usize, answers: &[Bracket]) -> PyResult<()> {
        put(&arrays[0], start, answers.iter().map(|one| one.at_least))?;
        put(&arrays[1], start, answers.iter().map(|one| one.at_most))
    }

    fn whole(&self, py: Python<'py>, [at_least, at_most]: Self::Arrays) -> PyResult<Bound<'py, PyAny>> {
        named(py, "Brackets", (at_least, at_most))
    }
}

/// Clearances, with the nearest points if requested.
pub(crate) struct Clearances {
    pub(crate) witness: bool,
}

impl<'py> Kind<'py> for Clearances {
    type Answer = Clearance;
    type Arrays = ([Bound<'py, PyArray1<f64>>; 2], Vec<[DVec3; 2]>);

    fn blank(&self) -> Clearance {
        Clearance { distance: Bracket::OPEN, witness: None, guarantee: Guarantee::Approximate }
    }

    fn one(&self, py: Python<'py>, answer: Clearance) -> PyResult<Bound<'py, PyAny>> {
        Ok(Bound::new(py, PyClearance(answer))?.into_any())
    }

    fn arrays(&self, py: Python<'py>, given: Given<'_, 'py>, count: usize) -> PyResult<Self::Arrays> {
        let nearest = Vec::with_capacity(if self.witness { count } else { 0 });
        Ok((outs(py, given, count)?, nearest))
    }

    fn put(
        &self,
        (clearances, nearest): &mut Self::Arrays,
        start: usize,
        answers: &[Clearance],
    ) -> PyResult<()> {
        if self.witness {
            nearest.extend(answers.iter().map(|one| {
                one.witness.map_or([DVec3::NAN; 2], |witness| [witness.on_a.point, witness.on_b.point])
            }));
        }
        let clearance = |one: &Clearance| one.distance;
        Brackets.put(clearances, start, &answers.iter().map(clearance).collect::<Vec<_>>())
    }

    fn whole(&self, py: Python<'py>, (clearances, nearest): Self::Arrays) -> PyResult<Bound<'py, PyAny>> {
        let side =
            |side: usize| self.witness.then(|| points(py, nearest.iter().map(|pair| pair[side]))).transpose();
        let [at_least, at_most] = clearances;
        named(py, "Clearances", (at_least, at_most, side(0)?, side(1)?))
    }
}

/// First contacts of motions.
pub(crate) struct Impacts;

/// The words of impacts, by the codes that batches return.
pub(crate) const IMPACTS: [&str; 4] = ["free", "at start", "at", "unknown"];

impl<'py> Kind<'py> for Impacts {
    type Answer = Impact<Touch>;
    type Arrays = ([Bound<'py, PyArray1<f64>>; 2], Bound<'py, PyArray1<u8>>);

    fn blank(&self) -> Impact<Touch> {
        Impact::Unknown { safe_until: 0.0 }
    }

    fn one(&self, py: Python<'py>, impact: Impact<Touch>) -> PyResult<Bound<'py, PyAny>> {
        Ok(Bound::new(py, PyImpact { impact, parts: None })?.into_any())
    }

    fn arrays(&self, py: Python<'py>, given: Given<'_, 'py>, count: usize) -> PyResult<Self::Arrays> {
        Ok((outs(py, given, count)?, out(py, None, count, "kind")?))
    }

    fn put(&self, (times, kinds): &mut Self::Arrays, start: usize, found: &[Impact<Touch>]) -> PyResult<()> {
        let parts = |impact: &Impact<Touch>| match impact {
            Impact::Free => (0, f64::INFINITY),
            Impact::AtStart(_) => (1, 0.0),
            Impact::At { time, .. } => (2, time.touching_by),
            Impact::Unknown { .. } => (3, f64::INFINITY),
        };
        put(&times[0], start, found.iter().map(Impact::safe_until))?;
        put(&times[1], start, found.iter().map(|impact| parts(impact).1))?;
        put(kinds, start, found.iter().map(|impact| parts(impact).0))
    }

    fn whole(
        &self,
        py: Python<'py>,
        ([safe_until, touching_by], kinds): Self::Arrays,
    ) -> PyResult<Bound<'py, PyAny>> {
        named(py, "Impacts", (safe_until, touching_by, kinds))
    }
}
