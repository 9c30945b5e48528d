//! A robot with its obstacles; the cell is built on the first query after a change.

use crate::border::{Answer, Failure};
use noli::{Model, Pose};
use noli_project::LoadedRobot;
use noli_robot::cell::{Cell, CellBuilder, CellError, Checker, CheckerMemory, PairRule};
use noli_robot::{Robot, Srdf};
use std::ffi::CString;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Memories of checkers kept at most.
const KEPT: usize = 32;

/// An obstacle, or an object attached to a link.
pub(crate) struct Extra {
    pub(crate) name: String,
    pub(crate) link: Option<String>,
    pub(crate) model: Model,
    pub(crate) pose: Pose,
}

pub(crate) struct RobotCell {
    pub(crate) robot: Arc<Robot>,
    /// The variables that move by themselves.
    pub(crate) free: Vec<usize>,
    pub(crate) joint_names: Vec<CString>,
    state: Mutex<State>,
    kept: Mutex<Vec<CheckerMemory>>,
}

struct State {
    /// The robot alone, copied for each build; copies share models and covers.
    base: CellBuilder,
    extras: Vec<Extra>,
    disabled: Vec<[String; 2]>,
    built: Option<Arc<Cell>>,
}

impl RobotCell {
    pub(crate) fn new(loaded: &LoadedRobot, root: Pose, srdf: Option<&Srdf>) -> Answer<Self> {
        let mut base = CellBuilder::default();
        loaded.add_to(&mut base, "", root, srdf).map_err(Failure::value)?;
        let robot = Arc::new(loaded.robot.clone());
        let variables = robot.variables().iter().enumerate();
        let free: Vec<usize> =
            variables.filter(|(_, variable)| variable.mimic.is_none()).map(|(n, _)| n).collect();
        let name = |&variable: &usize| CString::new(robot.variables()[variable].name.as_str());
        let joint_names = free.iter().map(name).collect::<Result<_, _>>().map_err(Failure::value)?;
        let state = State { base, extras: Vec::new(), disabled: Vec::new(), built: None };
        Ok(Self { robot, free, joint_names, state: Mutex::new(state), kept: Mutex::default() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a body or replaces the one of that name; on an error nothing changes.
    pub(crate) fn put(&self, extra: Extra) -> Answer<()> {
        let mut state = self.state();
        extra.add_to(&mut state.base.clone()).map_err(Failure::value)?;
        match state.extras.iter_mut().find(|old| old.name == extra.name) {
            Some(old) => *old = extra,
            None => state.extras.push(extra),
        }
        state.built = None;
        Ok(())
    }

    pub(crate) fn take(&self, name: &str) -> Answer<()> {
        let mut state = self.state();
        let count = state.extras.len();
        state.extras.retain(|extra| extra.name != name);
        if state.extras.len() == count {
            return Err(Failure::value(format!("there is no obstacle or attached object `{name}`")));
        }
        state.disabled.retain(|pair| pair.iter().all(|part| part != name));
        state.built = None;
        Ok(())
    }

    pub(crate) fn disable(&self, a: &str, b: &str) -> Answer<()> {
        let mut state = self.state();
        state.builder()?.disable(a, b, "disabled by the user").map_err(Failure::value)?;
        state.disabled.push([a.to_owned(), b.to_owned()]);
        state.built = None;
        Ok(())
    }

    /// Returns the cell as it is now. A query goes on with the cell it began with.
    pub(crate) fn built(&self) -> Answer<Arc<Cell>> {
        let mut state = self.state();
        if let Some(cell) = &state.built {
            return Ok(cell.clone());
        }
        let cell = Arc::new(state.builder()?.build());
        if !cell.pairs().iter().any(|pair| matches!(pair.rule, PairRule::Checked { .. })) {
            let message = "no pair is checked: all are disabled, or nothing moves between their bodies";
            return Err(Failure::value(message));
        }
        state.built = Some(cell.clone());
        Ok(cell)
    }

    /// Runs a query with the memory of an earlier one.
    pub(crate) fn ask<R>(&self, query: impl FnOnce(&mut Checker<'_>) -> Answer<R>) -> Answer<R> {
        let cell = self.built()?;
        let kept = self.kept.try_lock().ok().and_then(|mut kept| kept.pop());
        let mut checker = kept.map_or_else(|| cell.checker(), |memory| cell.checker_with(memory));
        let answer = query(&mut checker)?;
        if let Ok(mut kept) = self.kept.try_lock()
            && kept.len() < KEPT
        {
            kept.push(checker.into_memory());
        }
        Ok(answer)
    }

    /// Returns the values of all variables of configurations of independent joints.
    pub(crate) fn widened(&self, states: &[f64]) -> Answer<Vec<f64>> {
        let all = self.robot.variables().len();
        let count = states.len() / self.free.len().max(1);
        let mut wide = vec![0.0; count * all];
        let rows = states.chunks_exact(self.free.len().max(1));
        for (row, (to, from)) in wide.chunks_exact_mut(all.max(1)).zip(rows).enumerate() {
            self.free.iter().zip(from).for_each(|(&variable, &value)| to[variable] = value);
            self.robot.apply_laws(to);
            self.robot
                .check_values(to)
                .map_err(|error| Failure::value(format!("configuration {row}: {error}")))?;
        }
        Ok(wide)
    }
}

impl State {
    fn builder(&self) -> Answer<CellBuilder> {
        let mut builder = self.base.clone();
        for extra in &self.extras {
            extra.add_to(&mut builder).map_err(Failure::value)?;
        }
        for [a, b] in &self.disabled {
            builder.disable(a, b, "disabled by the user").map_err(Failure::value)?;
        }
        Ok(builder)
    }
}

impl Extra {
    fn add_to(&self, builder: &mut CellBuilder) -> Result<(), CellError> {
        match &self.link {
            Some(link) => builder.attach(link, &self.name, &self.model, self.pose, &[]).map(drop),
            None => builder.add_obstacle(&self.name, &self.model, self.pose).map(drop),
        }
    }
}
