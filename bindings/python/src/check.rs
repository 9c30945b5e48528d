//! Whole assemblies: scenes, files and folders.

use crate::error::{file, value};
use crate::pool::on_threads;
use noli::world::{CheckOptions, Pattern, Who};
use noli::{Budget, World};
use noli_io::report::{CheckReport, ReportOptions};
use noli_io::{
    OpenOptions, ReadOptions, StageOptions, TakeAs, Units, bundled_names, open_bundled, open_paths, stage,
};
use pyo3::prelude::*;
use std::path::PathBuf;

fn take_as(word: &str) -> PyResult<TakeAs> {
    match word {
        "auto" => Ok(TakeAs::Auto),
        "solid" => Ok(TakeAs::Solid),
        "surface" => Ok(TakeAs::Surface),
        _ => Err(value(format!("kind={word:?}: \"auto\", \"solid\" or \"surface\" are known"))),
    }
}

fn units(word: &str) -> PyResult<Units> {
    let found = Units::ALL.into_iter().find(|unit| unit.sign() == word);
    found.ok_or_else(|| {
        value(format!("units={word:?}: a unit is one of {}", Units::ALL.map(Units::sign).join(", ")))
    })
}

/// A margin, if it is one.
pub(crate) fn checked_margin(margin: f64) -> PyResult<f64> {
    if margin >= 0.0 && margin.is_finite() {
        return Ok(margin);
    }
    Err(value(format!("margin={margin}: a margin is a length, at least 0")))
}

fn patterns(texts: &[String], world: &World) -> PyResult<Vec<[Who; 2]>> {
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
                return Err(value(format!("no body is called {pattern:?}")));
            }
        }
        Ok([a, b].map(|text| Who::Named(Pattern::new(text.trim()))))
    };
    texts.iter().map(pair).collect()
}

/// What a check of files says, as the JSON of the command line; `noli.check` makes a report of it.
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
        // Several files are several assemblies, which are held against each other.
        let across = source.is_files && source.scene.scene.groups.len() > 1 && !within;
        let rules = staged.world.rules_mut();
        if let Some(margin) = margin {
            rules.set_default_margin(checked_margin(margin)?);
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
        let options =
            ReportOptions { source: &source.title, units: source.units, touching_counts: touching, segments };
        serde_json::to_string(&CheckReport::new(&staged, &result, &options)).map_err(value)
    })?
}

/// The scenes and assemblies that come with noli, for `noli.check(demo=...)`.
#[pyfunction]
pub(crate) fn demos() -> Vec<&'static str> {
    bundled_names()
}
