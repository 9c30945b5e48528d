//! Checks of robot configurations, as reports.

use super::outcome::Outcome;
use super::robot::{
    LinkClearance, LinkReport, ReachabilityReport, RobotCheckReport, RobotCheckSummary, RobotSubject,
    StateReport,
};
use crate::load::robot::LoadedRobot;
use noli_geom::MeshKind;
use noli_robot::cell::{Cell, CellBuilder, Checker, Nearest, PartKind, StateStatus};
use noli_robot::{ConfigurationError, JointTable, LinkGeometry, LinkShape};

impl LoadedRobot {
    /// Returns the checked subject, for a report.
    pub fn subject(&self, source: &str, srdf: Option<&str>, plan: &CellBuilder) -> RobotSubject {
        let mut subject = RobotSubject {
            robot: self.robot.name().to_owned(),
            source: source.to_owned(),
            srdf: srdf.map(str::to_owned),
            ..RobotSubject::default()
        };
        let mut all: Vec<&LinkShape> = self.shapes.iter().collect();
        all.sort_by_key(|shape| shape.link);
        for shapes in all.chunk_by(|a, b| a.link == b.link) {
            let link = &self.robot.links()[shapes[0].link];
            let surface = |shape: &&&LinkShape| match &shape.solid {
                LinkGeometry::Mesh(mesh) => mesh.kind() == MeshKind::Surface,
                LinkGeometry::Convex(_) => false,
            };
            let triangles = |shape: &&LinkShape| match &shape.solid {
                LinkGeometry::Mesh(mesh) => mesh.triangles().len(),
                LinkGeometry::Convex(_) => 0,
            };
            let kind = match shapes.iter().filter(surface).count() {
                0 => "solid",
                count if count == shapes.len() => "surface",
                _ => "mixed",
            };
            subject.links.push(LinkReport {
                name: link.name.clone(),
                shapes: shapes.len(),
                triangles: shapes.iter().map(triangles).sum(),
                kind: kind.to_owned(),
            });
        }
        subject.take_pairs(plan.parts(), &plan.pairs());
        subject
    }
}

/// Checks the configurations of `table` in order: all colliding pairs, with a point of each, and clearances if
/// requested. Uses all threads, with the same answers in the same order. The summary's rate is 0. Configurations that are
/// not tested when `stop` returns `true` are undecided, without a pair.
pub fn check_states(
    cell: &Cell,
    table: &JointTable,
    subject: RobotSubject,
    clearance: bool,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<RobotCheckReport, ConfigurationError> {
    let shares: Vec<&[Vec<f64>]> = table.rows.chunks(256).collect();
    let mut answers: Vec<Result<Vec<StateReport>, ConfigurationError>> = vec![Ok(Vec::new()); shares.len()];
    let asked = noli::batch(&shares, &mut answers, |rows, _| {
        if stop() {
            return Ok(vec![StateReport::default(); rows.len()]);
        }
        let mut checker = cell.checker();
        let mut statuses = Vec::new();
        checker.check_states(&rows.concat(), &mut statuses)?;
        // Without variables all rows are one configuration.
        let statuses = statuses.iter().cycle();
        let rows = rows.iter().zip(statuses);
        rows.map(|(values, status)| match clearance && stop() {
            true => Ok(StateReport::default()),
            false => check_state(&mut checker, values, *status == StateStatus::Free, clearance),
        })
        .collect()
    });
    debug_assert!(asked.is_ok(), "as many answers as shares");
    let mut states = Vec::with_capacity(table.rows.len());
    for answer in answers {
        states.extend(answer?);
    }
    let colliding = states.iter().filter(|state| !state.pairs.is_empty()).count();
    let undecided = states.iter().filter(|state| !state.free && state.pairs.is_empty()).count();
    let outcome = match (colliding, undecided) {
        (0, 0) => Outcome::Free,
        (0, _) => Outcome::Undecided,
        _ => Outcome::Touching,
    };
    let summary = RobotCheckSummary { states: states.len(), colliding, undecided, per_second: 0.0 };
    let (assumed_zero, ignored_columns) = (table.assumed_zero.clone(), table.ignored_columns.clone());
    Ok(RobotCheckReport {
        subject,
        outcome,
        assumed_zero,
        ignored_columns,
        summary,
        states,
        warnings: Vec::new(),
    })
}

fn check_state(
    checker: &mut Checker<'_>,
    values: &[f64],
    free: bool,
    clearance: bool,
) -> Result<StateReport, ConfigurationError> {
    let cell = checker.cell();
    let names = |pair: usize| cell.pair_names(pair).map(str::to_owned);
    let mut hits = Vec::new();
    if !free {
        checker.colliding_pairs(values, &mut hits)?;
    }
    let mut state = StateReport { free: hits.is_empty(), ..StateReport::default() };
    for hit in &hits {
        if hit.proven {
            let point = checker.meeting_point(values, hit.pair)?.map(|point| point.to_array());
            state.pairs.push(ReachabilityReport { links: names(hit.pair), point });
        } else {
            state.undecided.push(names(hit.pair));
        }
    }
    if clearance {
        let gap = |found: Nearest| LinkClearance {
            at_least: found.clearance.at_least,
            at_most: found.clearance.at_most,
            links: found.pair.map(names),
        };
        state.clearance = Some(gap(checker.clearance(values)?));
        if !state.pairs.is_empty() {
            let meets = |pair: usize| hits.iter().any(|hit| hit.pair == pair);
            state.separated = Some(gap(checker.clearance_of(values, |pair| !meets(pair))?));
        }
        let stands = |pair: usize| {
            let parts = cell.pairs()[pair].parts;
            parts.iter().any(|&part| cell.parts()[part].holder == PartKind::World)
        };
        if cell.parts().iter().any(|part| part.holder == PartKind::World) {
            state.own = Some(gap(checker.clearance_of(values, |pair| !stands(pair))?));
            state.around = Some(gap(checker.clearance_of(values, stands)?));
        }
    }
    Ok(state)
}
