//! Jacobians, nearest points of many configurations, and the gradient of the clearance in joint space.

use super::PyRobot;
use crate::error::value;
use crate::pool::{detached, on_threads};
use noli::Pose;
use noli::answer::{Bracket, Witness};
use noli_robot::Column;
use noli_robot::cell::PartKind;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Configurations in a chunk, between which Ctrl-C is checked.
const CHUNK: usize = 1024;
/// Configurations that a thread takes at once.
const SHARE: usize = 16;

/// The nearest pair of one configuration.
#[derive(Clone)]
struct Row {
    clearance: Bracket,
    /// The pair of the cell; -1 if none is checked.
    pair: i64,
    witness: Option<Witness>,
    gradient: Vec<f64>,
}

/// Memory of kinematics.
struct Work {
    poses: Vec<Pose>,
    columns: Vec<Column>,
}

impl PyRobot {
    fn work(&self) -> Work {
        let (links, variables) = (self.robot.links().len(), self.robot.variables().len());
        Work { poses: vec![Pose::IDENTITY; links], columns: vec![Column::default(); variables] }
    }

    /// Computes the velocities of a point of the world on a link by the independent joints, in the world.
    fn columns(&self, state: &[f64], link: usize, point: glam::DVec3, work: &mut Work) -> Vec<Column> {
        let (robot, place) = (&*self.robot, self.source.place);
        robot.link_poses(state, &mut work.poses);
        robot.jacobian(state, &work.poses, link, place.inverse().transform_point(point), &mut work.columns);
        let mut all = work.columns.clone();
        for (number, variable) in robot.variables().iter().enumerate() {
            if let Some(mimic) = variable.mimic {
                let own = work.columns[number];
                all[mimic.of].linear += own.linear * mimic.multiplier;
                all[mimic.of].angular += own.angular * mimic.multiplier;
            }
        }
        let turned = |column: Column| Column {
            linear: place.transform_vector(column.linear),
            angular: place.transform_vector(column.angular),
        };
        self.independent().map(|variable| turned(all[variable])).collect()
    }

    /// The link that a part moves with; `None` for an obstacle.
    fn link_of(&self, part: usize) -> Option<usize> {
        match self.cell().parts()[part].holder {
            PartKind::Link { link, .. } | PartKind::Carried { link, .. } => Some(link),
            PartKind::World => None,
        }
    }

    /// Computes how the distance of the nearest points changes with each joint: the direction from A to B times the
    /// relative velocity of the points. The points need not be followed: to first order they slide on their surfaces.
    fn gradient_of(&self, state: &[f64], pair: usize, witness: &Witness, work: &mut Work) -> Vec<f64> {
        let (on_a, on_b) = (witness.on_a.point, witness.on_b.point);
        let direction = (on_b - on_a).normalize_or_zero();
        let mut gradient = vec![0.0; self.dof()];
        for (part, point, sign) in [
            (self.cell().pairs()[pair].parts[0], on_a, -1.0),
            (self.cell().pairs()[pair].parts[1], on_b, 1.0),
        ] {
            let Some(link) = self.link_of(part) else { continue };
            for (number, column) in self.columns(state, link, point, work).iter().enumerate() {
                gradient[number] += sign * direction.dot(column.linear);
            }
        }
        gradient
    }

    fn rows_of(
        &self,
        py: Python<'_>,
        states: &[f64],
        count: usize,
        threads: Option<usize>,
    ) -> PyResult<Vec<Row>> {
        let width = self.robot.variables().len();
        let empty = Row { clearance: Bracket::OPEN, pair: -1, witness: None, gradient: Vec::new() };
        let mut rows = Vec::with_capacity(count);
        let all: Vec<&[f64]> = (0..count).map(|row| &states[row * width..][..width]).collect();
        for chunk in all.chunks(CHUNK) {
            let shares: Vec<&[&[f64]]> = chunk.chunks(SHARE).collect();
            let mut found: Vec<Vec<Row>> = vec![Vec::new(); shares.len()];
            on_threads(py, threads, || {
                let done = noli::batch(&shares, &mut found, |share, _| {
                    let mut work = self.work();
                    self.ask(|checker| {
                        let mut row = |state: &&[f64]| {
                            let Ok(near) = checker.clearance(state) else { return empty.clone() };
                            let gradient = near
                                .pair
                                .zip(near.witness)
                                .map(|(pair, witness)| self.gradient_of(state, pair, &witness, &mut work));
                            Row {
                                clearance: near.clearance,
                                pair: near.pair.map_or(-1, |pair| pair as i64),
                                witness: near.witness,
                                gradient: gradient.unwrap_or_else(|| vec![f64::NAN; self.dof()]),
                            }
                        };
                        share.iter().map(&mut row).collect()
                    })
                });
                debug_assert!(done.is_ok(), "as many answers as shares");
            })?;
            rows.extend(found.concat());
            py.check_signals()?;
        }
        Ok(rows)
    }
}

impl PyRobot {
    /// Returns the names of both parts of every pair.
    pub(super) fn names_of_pairs(&self) -> Vec<[String; 2]> {
        let parts = self.plan.parts();
        self.plan.pairs().iter().map(|pair| pair.parts.map(|part| parts[part].name.clone())).collect()
    }

    /// Returns the joints of the groups of the SRDF.
    pub(super) fn planning_groups<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let groups = PyDict::new(py);
        let Some(text) = &self.source.srdf else { return Ok(groups) };
        let srdf = text.parse::<noli_robot::Srdf>().map_err(value)?;
        for group in &srdf.groups {
            let joints = srdf.group_joints(&self.robot, &group.name);
            let variables = self.robot.variables();
            let names: Vec<&str> = self
                .independent()
                .filter(|&variable| joints.contains(&variables[variable].joint))
                .map(|variable| variables[variable].name.as_str())
                .collect();
            groups.set_item(&group.name, names)?;
        }
        Ok(groups)
    }

    /// Computes the Jacobian as an array.
    pub(super) fn jacobian_at<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        link: Option<&str>,
        point: Option<[f64; 3]>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (state, link) = (self.one_state(q, "q")?, self.link(link)?);
        let columns = detached(py, || {
            let mut work = self.work();
            let point = point.map(glam::DVec3::from_array).unwrap_or_else(|| {
                self.robot.link_poses(&state, &mut work.poses);
                self.source.place.transform_point(work.poses[link].translation)
            });
            self.columns(&state, link, point, &mut work)
        })?;
        let row = |k: usize| columns.iter().map(move |c| if k < 3 { c.linear[k] } else { c.angular[k - 3] });
        let flat: Vec<f64> = (0..6).flat_map(row).collect();
        PyArray1::from_vec(py, flat).reshape([6, columns.len()]).map(Bound::into_any)
    }

    /// Computes nearest pairs and gradients as arrays.
    pub(super) fn nearest_pairs<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyDict>> {
        self.require_pairs(py)?;
        let (states, count) = self.states(q, "q")?;
        let count = count.unwrap_or(1);
        let rows = self.rows_of(py, &states, count, threads)?;
        let points = |row: &Row| match row.witness {
            Some(witness) => [witness.on_a.point, witness.on_b.point].map(|p| p.to_array()).concat(),
            None => vec![f64::NAN; 6],
        };
        let answer = PyDict::new(py);
        let numbers = |of: fn(&Row) -> f64| PyArray1::from_vec(py, rows.iter().map(of).collect());
        answer.set_item("at_least", numbers(|row| row.clearance.at_least))?;
        answer.set_item("at_most", numbers(|row| row.clearance.at_most))?;
        answer.set_item("pair", PyArray1::from_vec(py, rows.iter().map(|row| row.pair).collect()))?;
        let flat: Vec<f64> = rows.iter().flat_map(points).collect();
        answer.set_item("points", PyArray1::from_vec(py, flat).reshape([count, 2, 3])?)?;
        let flat: Vec<f64> = rows.iter().flat_map(|row| row.gradient.clone()).collect();
        answer.set_item("gradient", PyArray1::from_vec(py, flat).reshape([count, self.dof()])?)?;
        Ok(answer)
    }

    /// Computes colliding pairs and points as arrays.
    pub(super) fn all_collisions<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        self.require_pairs(py)?;
        let (states, count) = self.states(q, "q")?;
        let (count, width) = (count.unwrap_or(1), self.robot.variables().len());
        let (mut of_state, mut of_pair, mut points) = (Vec::new(), Vec::new(), Vec::new());
        for row in 0..count {
            let state = &states[row * width..][..width];
            let found = detached(py, || {
                self.ask(|checker| -> Result<_, noli_robot::ConfigurationError> {
                    let mut hits = Vec::new();
                    checker.colliding_pairs(state, &mut hits)?;
                    let point = |pair: usize, checker: &mut noli_robot::cell::Checker<'_>| {
                        Ok((pair, checker.meeting_point(state, pair)?))
                    };
                    hits.iter().map(|hit| point(hit.pair, checker)).collect::<Result<Vec<_>, _>>()
                })
            })?;
            for (pair, point) in found.map_err(value)? {
                of_state.push(row as i64);
                of_pair.push(pair as i64);
                points.extend(point.map_or([f64::NAN; 3], |point| point.to_array()));
            }
            if row % CHUNK == 0 {
                py.check_signals()?;
            }
        }
        let answer = PyDict::new(py);
        let total = of_pair.len();
        answer.set_item("state", PyArray1::from_vec(py, of_state))?;
        answer.set_item("pair", PyArray1::from_vec(py, of_pair))?;
        answer.set_item("point", PyArray1::from_vec(py, points).reshape([total, 3])?)?;
        Ok(answer)
    }
}
