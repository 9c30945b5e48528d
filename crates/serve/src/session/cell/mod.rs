//! Robots: joints, jogging that stops before contact, locations, programs and what becomes of them.

mod changes;
mod dragging;
mod jog;
mod locations;
mod plan;
mod results;
mod run;
mod saving;

pub(super) use plan::JointPlan;
pub(super) use run::{ProgramRun, RanProgram};

use super::{Answer, Edit, Session, To, Trouble};
use crate::cell_poses::poses_of;
use crate::project::{CellSource, OpenedCell};
use crate::protocol::{DhView, Event, JointView, RobotView};
use crate::save::WantedCell;
use locations::written_location;
use noli::Pose;
use noli_program::run::PartLocation;
use noli_project::cell::{LoadedCell, read_program_text};
use noli_robot::JointAxisKind;
use noli_robot::cell::{Cell, PairRule};
use noli_robot::message::suggestion;
use std::collections::BTreeSet;
use std::path::Path;

/// A cell that is open.
#[derive(Debug)]
pub(in crate::session) struct CellState {
    pub(in crate::session) loaded: LoadedCell,
    /// The text of the cell as it is now; `None` for bundled cells that were not saved.
    pub(in crate::session) source: Option<CellSource>,
    /// The cell with its parts at their initial poses.
    cell: Cell,
    /// All variables of the arm, then those of other robots.
    values: Vec<f64>,
    pub(crate) program: String,
    /// The program as it is on disk; empty if it is not.
    saved_program: String,
    /// Names of locations that the cell's file does not have as they are.
    taught: BTreeSet<String>,
    /// Report of the last run.
    pub(in crate::session) ran: Option<Box<RanProgram>>,
    /// `true` while the page shows that run: until the arm or the program is changed.
    pub(in crate::session) shows_run: bool,
}

impl CellState {
    pub(in crate::session) fn new(OpenedCell { loaded, source }: OpenedCell) -> Result<Self, Trouble> {
        let told = |error: String| Trouble::new(error, "mend the cell file");
        let stands: Vec<PartLocation> =
            loaded.work.loose.iter().map(|part| PartLocation::Stands(part.place)).collect();
        let cell = loaded.work.cell(&stands, None).map_err(|error| told(error.to_string()))?;
        let values = loaded.work.start.iter().chain(&loaded.work.others).copied().collect();
        let program = match &loaded.program {
            Some((_, Some(text))) => (*text).to_owned(),
            Some((path, None)) => noli_formats::text_of(path).unwrap_or_default(),
            None => String::new(),
        };
        // A bundled program is in no file.
        let is_bundled = matches!(&loaded.program, Some((_, Some(_))));
        let saved_program = if is_bundled { String::new() } else { program.clone() };
        let taught = BTreeSet::new();
        let (ran, shows_run) = (None, false);
        Ok(Self { loaded, source, cell, values, program, saved_program, taught, ran, shows_run })
    }

    fn arm_values(&self) -> &[f64] {
        &self.values[..self.loaded.work.robot.variables().len()]
    }

    /// Returns the drawing poses of all parts, in the order of looks.
    pub(in crate::session) fn poses(&self) -> Vec<Pose> {
        poses_of(&self.loaded, self.arm_values())
    }

    /// Returns the errors of the program with their lines: the first of its text, or all locations that nothing sets.
    fn program_errors(&self) -> Vec<(usize, String, String)> {
        let locations = &self.loaded.work.locations;
        let source = match read_program_text(&self.program, Path::new("program")) {
            Ok(source) => source,
            // A cell may be without a program.
            Err(_) if self.program.trim().is_empty() => return Vec::new(),
            Err(error) => return vec![(error_line(&error), error.reason, error.remedy)],
        };
        let names = || locations.transformations.keys().chain(locations.points.keys());
        let unset = source.programs.unset_locations(locations).into_iter().map(|(place, name)| {
            let near = suggestion(&name, names().map(String::as_str)).to_lowercase();
            let help = near.strip_prefix("; ").unwrap_or("teach it, or correct the name");
            let reason = format!("there is no location `{}`", name.to_lowercase());
            (place.line as usize, reason, help.to_owned())
        });
        unset.collect()
    }

    /// The tool as the root of the arm sees it.
    pub(super) fn tool(&self) -> Pose {
        self.tool_at(self.arm_values())
    }
}

impl Session {
    fn cell(&self) -> Result<&CellState, Trouble> {
        self.cell.as_ref().ok_or_else(|| {
            Trouble::new(
                "there is no robot here",
                "open a cell: noli serve CELL.toml, or noli serve --demo magazine",
            )
        })
    }

    /// Returns the robot data for the page.
    pub(in crate::session) fn robot_view(&self) -> Option<RobotView> {
        let state = self.cell.as_ref()?;
        let work = &state.loaded.work;
        let joints = work.robot.variables().iter().enumerate().map(|(number, variable)| {
            let [low, high] = variable.limits.range.unwrap_or([-std::f64::consts::PI, std::f64::consts::PI]);
            JointView {
                name: variable.name.clone(),
                low,
                high,
                value: state.values[number],
                slides: variable.movement == JointAxisKind::Slide,
                follows: variable.mimic.is_some(),
                speed: variable.limits.velocity.unwrap_or(match variable.movement {
                    JointAxisKind::Slide => work.slide_speed[0],
                    _ => work.turn_speed[0],
                }),
            }
        });
        let world = |pose: &Pose| work.world_from_root * *pose;
        let off = state.cell.pairs().iter().enumerate().filter_map(|(number, pair)| match &pair.rule {
            PairRule::Disabled(why) => {
                let [a, b] = state.cell.pair_names(number);
                Some((a.to_owned(), b.to_owned(), why.to_string()))
            }
            PairRule::Checked { .. } => None,
        });
        let tool = world(&state.tool());
        Some(RobotView {
            name: work.robot.name().to_owned(),
            joints: joints.collect(),
            locations: self.location_views(state),
            program: state.program.clone(),
            errors: state.program_errors(),
            off: off.collect(),
            asked: state
                .cell
                .pairs()
                .iter()
                .filter(|pair| matches!(pair.rule, PairRule::Checked { .. }))
                .count(),
            tool_at: tool.translation.to_array(),
            tool_turn: tool.rotation.normalize().to_array(),
            tool_speed: work.slide_speed[0],
            turn_speed: work.turn_speed[0],
            states: state.loaded.states.iter().map(|it| (it.group.clone(), it.name.clone())).collect(),
            dh: DhView::new(&work.robot, work.flange),
            parts: state.part_views(),
            margin: work.margin,
            robots: state.robot_views(),
            descriptions: if state.source.is_some() { self.robot_descriptions() } else { Vec::new() },
            tools: if state.source.is_some() { self.stored_names("tool") } else { Vec::new() },
        })
    }

    /// Returns the pose in the entry of a body that places it so.
    fn entry_pose(&self, body: usize, pose: Pose) -> Result<Pose, Trouble> {
        let piece = self.cell()?.loaded.looks.get(body).map_or(Pose::IDENTITY, |look| look.piece);
        Ok(if piece == Pose::IDENTITY { pose } else { pose * piece.inverse() })
    }

    /// Places the visual bodies according to the arm's values.
    fn place_looks(&mut self, answer: &mut Answer) -> Result<(), Trouble> {
        let poses = self.cell()?.poses();
        for (number, pose) in poses.into_iter().enumerate() {
            let Some(id) = self.entries.get(number).and_then(|entry| entry.id) else { continue };
            if self.staged.world.body(id)?.pose() == pose {
                continue;
            }
            self.staged.world.move_to(id, pose)?;
            let (at, turn) = self.place_of(number)?;
            answer.tell(To::All, Event::Moved { body: number, at, turn, by: 0 });
        }
        Ok(())
    }

    /// Parses a program and reports its errors, line by line.
    pub(in crate::session) fn set_program(
        &mut self,
        client: u64,
        (text, is_step): (String, bool),
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        const LONGEST: usize = 200_000;
        if text.len() > LONGEST {
            return Err(Trouble::new("this program is too long", "at most 200 kB"));
        }
        let from = self.cell()?.program.clone();
        self.apply_program(&text, client, answer)?;
        if from == text {
            return Ok(());
        }
        self.is_typing &= !is_step;
        self.keep(Edit::Program { from, to: text }, answer)?;
        self.is_typing &= !is_step;
        Ok(())
    }

    /// The program reads so.
    pub(in crate::session) fn apply_program(
        &mut self,
        text: &str,
        by: u64,
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        self.cell()?;
        if let Some(state) = &mut self.cell {
            text.clone_into(&mut state.program);
            state.shows_run = false;
        }
        let errors = self.cell()?.program_errors();
        answer.tell(To::All, Event::Program { text: text.to_owned(), errors, by });
        Ok(())
    }

    /// Returns the target content of a cell's files: the program if it was changed, and locations in the cell's
    /// unit.
    pub(crate) fn wanted_of_cell(&self) -> Result<WantedCell, Trouble> {
        let state = self.cell()?;
        let work = &state.loaded.work;
        let locations = state.taught.iter().map(|name| (name.clone(), written_location(work, name)));
        let path = state.loaded.program.as_ref().map(|(path, _)| path.clone());
        let program = Some(state.program.clone()).filter(|text| *text != state.saved_program);
        Ok(WantedCell { path, program, locations: locations.collect() })
    }

    /// Everything of the cell is on disk, where its file has this text.
    pub(crate) fn cell_saved(&mut self, text: &str) {
        if let Some(state) = &mut self.cell {
            state.saved_program.clone_from(&state.program);
            state.taught.clear();
            if let Some(source) = &mut state.source {
                (source.text, source.on_disk) = (text.to_owned(), text.to_owned());
            }
        }
    }

    /// The program, to be run.
    pub(in crate::session) fn program_run(&self) -> Result<Box<ProgramRun>, Trouble> {
        let state = self.cell()?;
        let source = read_program_text(&state.program, Path::new("program"))
            .map_err(|error| Trouble::new(error.to_string(), "mend the line"))?;
        let middles = self.entries.iter().map(|entry| entry.middle).collect();
        Ok(Box::new(ProgramRun { loaded: state.loaded.clone(), source, view: self.view, middles }))
    }
}

fn error_line(error: &noli_formats::FileError) -> usize {
    match error.place {
        noli_formats::Place::Line(line) => line,
        _ => 1,
    }
}
