//! Checks of whole assemblies: scenes, files and folders.

use crate::error::{file, value};
use crate::pool::on_threads;
use noli::world::{BodySelector, CheckOptions, Pattern};
use noli::{Budget, World};
use noli_formats::{ReadOptions, Units};
use noli_project::clash::ClashOptions;
use noli_project::report::{CheckReport, ReportOptions};
use noli_project::{OpenOptions, StageOptions, TakeAs, bundled_names, open_bundled, open_paths, stage};
use pyo3::prelude::*;
use std::path::PathBuf;

fn take_as(word: &str) -> PyResult<TakeAs> {
    match word {
        "auto" => Ok(TakeAs::Auto),
        "solid" => Ok(TakeAs::Solid),
        "surface" => Ok(TakeAs::Surface),
        _ => Err(value(format!("kind={word:?}: unknown kind; give \"auto\", \"solid\" or \"surface\""))),
    }
}

fn units(word: &str) -> PyResult<Units> {
    let found = Units::ALL.into_iter().find(|unit| unit.sign() == word);
    found.ok_or_else(|| {
        value(format!("units={word:?}: unknown unit; give one of {}", Units::ALL.map(Units::sign).join(", ")))
    })
}

/// Returns a length given as a keyword; an error if it is negative or not finite.
pub(crate) fn checked_length(name: &str, length: f64) -> PyResult<f64> {
    if length >= 0.0 && length.is_finite() {
        return Ok(length);
    }
    Err(value(format!("{name}={length}: invalid length; give a finite number of at least 0")))
}

fn patterns(texts: &[String], world: &World) -> PyResult<Vec<[BodySelector; 2]>> {
    let fits = |pattern: &str| {
        let pattern = Pattern::new(pattern);
        world.bodies().any(|(_, body)| pattern.matches(body.name()))
    };
    let pair = |text: &String| {
        // A comma may be part of a name.
        let (a, b) =
            if fits(text) { (text.as_str(), "*") } else { text.split_once(',').unwrap_or((text, "*")) };
        for pattern in [a, b].map(str::trim) {
            if !fits(pattern) {
                return Err(value(format!("no body matches {pattern:?}")));
            }
        }
        Ok([a, b].map(|text| BodySelector::Named(Pattern::new(text.trim()))))
    };
    texts.iter().map(pair).collect()
}

/// Returns the result of checking files, as the JSON of the command line; `noli.check` converts it into a
/// report.
#[pyfunction(name = "_check")]
#[pyo3(signature = (paths, demo, kind, margin, touching, segments, only, skip, within, all, weld, units, steps, threads))]
#[expect(clippy::too_many_arguments, reason = "called by noli.check alone")]
pub(crate) fn check(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    demo: Option<String>,
    kind: &str,
    margin: Option<f64>,
    touching: bool,
    segments: usize,
    only: Vec<String>,
    skip: Vec<String>,
    within: bool,
    all: bool,
    weld: Option<bool>,
    units: Option<&str>,
    steps: Option<u64>,
    threads: Option<usize>,
) -> PyResult<String> {
    let take_as = take_as(kind)?;
    let units = units.map(self::units).transpose()?;
    on_threads(py, threads, || -> PyResult<String> {
        let source = match &demo {
            Some(name) => open_bundled(name, 2),
            None => {
                let read = ReadOptions { weld, ..ReadOptions::default() };
                open_paths(&paths, &OpenOptions { read, units, ..OpenOptions::default() })
            }
        };
        let source = source.map_err(file)?;
        let options = StageOptions { take_as, progress: None };
        let mut staged = stage(&source.scene, &options).map_err(value)?;
        let (skip, only) = (patterns(&skip, &staged.world)?, patterns(&only, &staged.world)?);
        // Several files are several assemblies: only pairs across them are checked.
        let across = source.is_files && source.scene.scene.groups.len() > 1 && !within;
        let rules = staged.world.rules_mut();
        if let Some(margin) = margin {
            rules.set_default_margin(checked_length("margin", margin)?);
        }
        if !only.is_empty() {
            rules.keep_only(only);
        }
        skip.into_iter().for_each(|pair| rules.set(pair, false));
        if across {
            rules.set_within_groups(false);
        }
        staged.pairs_asked().map_err(value)?;
        let question = CheckOptions {
            far: all || staged.world.pair_count() == 1,
            count: true,
            place: true,
            keep: segments,
            budget: steps.map_or(Budget::default(), |steps| Budget::default().steps(steps)),
            ..CheckOptions::default()
        };
        let result = staged.world.check(&question).map_err(value)?;
        let options = ReportOptions {
            source: &source.title,
            units: source.units,
            touching_counts: touching,
            segments,
            budget: noli::Budget::UNLIMITED,
        };
        let mut report = CheckReport::new(&staged, &result, &options);
        // Permits the tessellation error of bodies from STEP and IFC files.
        report.settle(&staged, &ClashOptions::default());
        serde_json::to_string(&report).map_err(value)
    })?
}

/// Returns the names of the scenes and assemblies that come with noli, for `noli.check(demo=...)`.
#[pyfunction]
pub(crate) fn demos() -> Vec<&'static str> {
    bundled_names()
}
