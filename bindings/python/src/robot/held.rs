//! The cell of a robot, its kept checkers, and configurations as arrays.

use super::PyRobot;
use super::source::{Extra, Source};
use crate::array::{floats, wrong_shape};
use crate::error::value;
use crate::model::PyModel;
use crate::pool::{detached, on_threads};
use crate::pose::rows;
use noli::Pose;
use noli_robot::cell::{Cell, CellBuilder, Checker, PairRule};
use noli_robot::{Robot, Srdf};
use numpy::{PyArray1, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// Memories kept at most.
const KEPT: usize = 32;

impl PyRobot {
    /// The poses of all links in the frame of the root, as matrices.
    pub(super) fn poses_of_links<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (states, count) = self.states(q, "q")?;
        let (robot, links) = (&*self.robot, self.robot.links().len());
        let width = robot.variables().len();
        let total = count.unwrap_or(1);
        let flat = detached(py, || {
            let mut poses = vec![Pose::IDENTITY; links];
            let mut flat = Vec::with_capacity(16 * links * total);
            for row in 0..total {
                robot.link_poses(&states[row * width..][..width], &mut poses);
                flat.extend(poses.iter().flat_map(rows));
            }
            flat
        })?;
        let array = PyArray1::from_vec(py, flat);
        match count {
            Some(count) => array.reshape([count, links, 4, 4]).map(Bound::into_any),
            None => array.reshape([links, 4, 4]).map(Bound::into_any),
        }
    }

    pub(super) fn build(
        source: Arc<Source>,
        robot: Arc<Robot>,
        extras: Vec<Extra>,
        warnings: Arc<Vec<String>>,
    ) -> PyResult<Self> {
        let mut plan = CellBuilder::default();
        let arm = plan.add_robot("", robot.clone(), source.place, &source.shapes).map_err(value)?;
        if let Some(text) = &source.srdf {
            let srdf = text.parse::<Srdf>().map_err(value)?;
            plan.apply_srdf(arm, &srdf);
        }
        extras.iter().try_for_each(|extra| add(&mut plan, extra))?;
        let variables = robot.variables().iter().enumerate();
        let free =
            variables.filter(|(_, variable)| variable.mimic.is_none()).map(|(number, _)| number).collect();
        let plan = Arc::new(plan);
        let (built, kept) = (Arc::default(), Arc::default());
        let robot = Self { source, robot, extras, plan, built, free, kept, warnings };
        robot.cell();
        Ok(robot)
    }

    /// The cell, built when it is first needed: several changes in a row build one. Models and spheres of the links are
    /// shared with the robot before the changes.
    pub(crate) fn cell(&self) -> &Arc<Cell> {
        self.built.get_or_init(|| Arc::new((*self.plan).clone().build()))
    }

    /// Builds the cell on the threads of queries.
    pub(crate) fn prepare(&self, py: Python<'_>) -> PyResult<()> {
        match self.built.get() {
            Some(_) => Ok(()),
            None => on_threads(py, None, || drop(self.cell().clone())),
        }
    }

    /// Lets a kept checker answer. Whoever finds the others' list in use makes a new one, as a forked process does whose
    /// parent had it locked.
    pub(super) fn ask<R>(&self, question: impl FnOnce(&mut Checker<'_>) -> R) -> R {
        let kept = self.kept.try_lock().ok().and_then(|mut kept| kept.pop());
        let mut checker =
            kept.map_or_else(|| self.cell().checker(), |memory| self.cell().checker_with(memory));
        let answer = question(&mut checker);
        if let Ok(mut kept) = self.kept.try_lock()
            && kept.len() < KEPT
        {
            kept.push(checker.into_memory());
        }
        answer
    }

    pub(super) fn with(&self, py: Python<'_>, extra: Extra) -> PyResult<Self> {
        let mut changed = self.clone();
        let mut plan = (*self.plan).clone();
        let added = on_threads(py, None, || add(&mut plan, &extra))?;
        added?;
        changed.extras.push(extra);
        (changed.plan, changed.built, changed.kept) = (Arc::new(plan), Arc::default(), Arc::default());
        Ok(changed)
    }

    /// The robot with an obstacle replaced. A cell that was built is changed in a copy, which shares all models.
    pub(super) fn replaced(
        &self,
        py: Python<'_>,
        name: String,
        model: PyModel,
        pose: Pose,
    ) -> PyResult<Self> {
        let mut changed = self.clone();
        let (mut plan, shape) = ((*self.plan).clone(), &model.model);
        plan.set_obstacle(&name, shape, pose).map_err(value)?;
        let built = OnceLock::new();
        if let Some(cell) = self.built.get() {
            let cell = on_threads(py, None, || {
                let mut cell = Cell::clone(cell);
                cell.set_obstacle(&name, shape, pose).map(|()| cell)
            })?;
            let _ = built.set(Arc::new(cell.map_err(value)?));
        }
        let is_own = |extra: &&mut Extra| matches!(extra, Extra::Body { name: other, .. } if *other == name);
        if let Some(extra) = changed.extras.iter_mut().find(is_own) {
            *extra = Extra::Body { name, model, pose };
        }
        (changed.plan, changed.built, changed.kept) = (Arc::new(plan), Arc::new(built), Arc::default());
        Ok(changed)
    }

    /// Refuses a robot none of whose pairs is checked: it would be free of collisions that nothing was compared for.
    pub(super) fn require_pairs(&self, py: Python<'_>) -> PyResult<()> {
        self.prepare(py)?;
        if self.cell().pairs().iter().any(|pair| matches!(pair.rule, PairRule::Checked { .. })) {
            return Ok(());
        }
        Err(value("no pair is checked: all are disabled, or nothing moves between their bodies"))
    }

    /// The independent variables.
    pub(super) fn independent(&self) -> impl ExactSizeIterator<Item = usize> {
        self.free.iter().copied()
    }

    /// Values of all variables, one configuration after the other, and how many; `None` for one alone.
    pub(crate) fn states(&self, given: &Bound<'_, PyAny>, name: &str) -> PyResult<(Vec<f64>, Option<usize>)> {
        let array = floats(given, name)?;
        let free = &*self.free;
        let all = self.robot.variables().len();
        let (count, width) = match *array.shape() {
            [width] => (None, width),
            [count, width] => (Some(count), width),
            _ => (None, usize::MAX),
        };
        if width != free.len() && width != all {
            let wanted = format!("(n, {0}) or ({0},)", free.len());
            return Err(wrong_shape(name, &wanted, array.shape()));
        }
        let numbers = array.as_slice()?;
        let mut states = vec![0.0; count.unwrap_or(1) * all];
        for (row, to) in states.chunks_exact_mut(all.max(1)).enumerate() {
            let from = &numbers[row * width..][..width];
            if width == all {
                to.copy_from_slice(from);
            } else {
                free.iter().zip(from).for_each(|(&variable, &x)| to[variable] = x);
            }
            self.robot.apply_laws(to);
            self.robot.check_values(to).map_err(|error| value(format!("{name}[{row}]: {error}")))?;
        }
        Ok((states, count))
    }

    pub(super) fn one_state(&self, given: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<f64>> {
        match self.states(given, name)? {
            (state, None) => Ok(state),
            (_, Some(_)) => Err(PyTypeError::new_err(format!("{name}: expected one configuration"))),
        }
    }

    pub(super) fn link(&self, name: Option<&str>) -> PyResult<usize> {
        match name {
            Some(name) => {
                self.robot.link(name).ok_or_else(|| value(format!("the robot has no link `{name}`")))
            }
            None => Ok(self.robot.tip()),
        }
    }

    /// Configurations as rows of an array.
    pub(super) fn configurations<'py>(
        &self,
        py: Python<'py>,
        all: &[Vec<f64>],
    ) -> PyResult<Bound<'py, PyAny>> {
        let flat: Vec<f64> = all.iter().flat_map(|values| self.narrowed(values)).collect();
        PyArray1::from_vec(py, flat).reshape([all.len(), self.dof()]).map(Bound::into_any)
    }

    /// The numbers of variables with the ranges that are assumed for them.
    pub(super) fn assumed(&self, ranges: &HashMap<String, [f64; 2]>) -> PyResult<Vec<(usize, [f64; 2])>> {
        let one = |(name, range): (&String, &[f64; 2])| {
            let number = self.independent().find(|number| self.robot.variables()[*number].name == *name);
            let number = number.ok_or_else(|| value(format!("assume: no joint `{name}` moves by itself")))?;
            let [low, high] = range;
            if !(low <= high && low.is_finite() && high.is_finite()) {
                return Err(value(format!(
                    "assume: `{name}` from {low} to {high}; give finite ends in order"
                )));
            }
            Ok((number, *range))
        };
        ranges.iter().map(one).collect()
    }

    /// The values of the independent variables.
    pub(super) fn narrowed(&self, values: &[f64]) -> Vec<f64> {
        self.independent().map(|variable| values[variable]).collect()
    }
}

/// Adds an obstacle, an attached object or a rule.
fn add(plan: &mut CellBuilder, extra: &Extra) -> PyResult<()> {
    match extra {
        Extra::Body { name, model, pose } => plan.add_obstacle(name, &model.model, *pose).map(drop),
        Extra::Carried { link, name, model, pose, may_touch } => {
            let may_touch: Vec<&str> = may_touch.iter().map(String::as_str).collect();
            plan.attach(link, name, &model.model, *pose, &may_touch).map(drop)
        }
        Extra::Disabled { a, b } => plan.disable(a, b, "disabled by the user"),
        Extra::Margin { a, b, margin } => plan.margin(a, b, *margin),
        Extra::Padding { name, margin } => plan.set_padding(name, *margin),
    }
    .map_err(value)
}
