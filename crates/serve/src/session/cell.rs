//! Robots: joints, jogging that stops before contact, locations, programs and what becomes of them.

use super::{Answer, Edit, Session, To, Trouble, numbers_of, pose_of_numbers};
use crate::protocol::{BranchView, Event, JointView, LocationView, Results, RobotView, StopView, TrackView};
use crate::save::WantedCell;
use glam::DVec3;
use noli::query::Clock;
use noli::{Impact, Pose};
use noli_io::cell::{LoadedCell, RunSource, read_program_text, run_report};
use noli_io::report::RunReport;
use noli_pages::shape::View;
use noli_pages::{PairView, Room, words};
use noli_robot::cell::{Cell, Holder, Rule};
use noli_robot::run::{Run, RunOptions, Whereabouts};
use noli_robot::{IkOptions, Movement, SphericalWrist};
use std::collections::BTreeSet;
use std::path::Path;

/// Pictures of a run that are kept for a second of it, and at most in all.
const PICTURES: f64 = 30.0;
const MOST_PICTURES: usize = 3000;

/// A cell that is open.
#[derive(Debug)]
pub(super) struct CellState {
    pub(super) loaded: LoadedCell,
    /// The cell with its parts where they stand at the start.
    cell: Cell,
    /// All variables of the arm, then those of other robots.
    values: Vec<f64>,
    pub(crate) program: String,
    /// The program as it is on disk, or came.
    saved_program: String,
    /// Names of locations that the cell's file does not have as they are.
    taught: BTreeSet<String>,
    /// What the last run came to.
    pub(super) ran: Option<Box<RunReport>>,
}

impl CellState {
    pub(super) fn new(loaded: LoadedCell) -> Result<Self, Trouble> {
        let told = |error: String| Trouble::new(error, "mend the cell file");
        let stands: Vec<Whereabouts> =
            loaded.work.loose.iter().map(|part| Whereabouts::Stands(part.place)).collect();
        let cell = loaded.work.cell(&stands, None).map_err(|error| told(error.to_string()))?;
        let values = loaded.work.start.iter().chain(&loaded.work.others).copied().collect();
        let program = match &loaded.program {
            Some((_, Some(text))) => (*text).to_owned(),
            Some((path, None)) => std::fs::read_to_string(path).unwrap_or_default(),
            None => String::new(),
        };
        let (saved_program, taught) = (program.clone(), BTreeSet::new());
        Ok(Self { loaded, cell, values, program, saved_program, taught, ran: None })
    }

    fn arm_values(&self) -> &[f64] {
        &self.values[..self.loaded.work.robot.variables().len()]
    }

    /// Where all parts are drawn, in the order of looks.
    pub(super) fn poses(&self) -> Vec<Pose> {
        poses_of(&self.loaded, self.arm_values())
    }

    /// The tool as the root of the arm sees it.
    fn tool(&self) -> Pose {
        let work = &self.loaded.work;
        let mut links = vec![Pose::IDENTITY; work.robot.links().len()];
        work.robot.link_poses(self.arm_values(), &mut links);
        links[work.flange] * work.tool
    }
}

/// Where the looks of a cell are at the start.
pub(crate) fn cell_poses(loaded: &LoadedCell) -> Vec<Pose> {
    poses_of(loaded, &loaded.work.start)
}

/// Where the looks of a cell are for values of its arm, all parts where they stand at the start.
fn poses_of(loaded: &LoadedCell, values: &[f64]) -> Vec<Pose> {
    let work = &loaded.work;
    let mut links = vec![Pose::IDENTITY; work.robot.links().len()];
    work.robot.link_poses(values, &mut links);
    let place = |look: &noli_io::cell::CellLook| match look.link {
        Some(link) => work.world_from_root * links[link] * look.place,
        None => look.place,
    };
    loaded.looks.iter().map(place).collect()
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

    /// What the page knows of the robot.
    pub(super) fn robot_view(&self) -> Option<RobotView> {
        let state = self.cell.as_ref()?;
        let work = &state.loaded.work;
        let joints = work.robot.variables().iter().enumerate().map(|(number, variable)| {
            let [low, high] = variable.limits.range.unwrap_or([-std::f64::consts::PI, std::f64::consts::PI]);
            JointView {
                name: variable.name.clone(),
                low,
                high,
                value: state.values[number],
                slides: variable.movement == Movement::Slide,
                follows: variable.mimic.is_some(),
            }
        });
        let world = |pose: &Pose| work.world_from_root * *pose;
        let mut locations: Vec<LocationView> = work
            .locations
            .transformations
            .iter()
            .map(|(name, pose)| {
                let pose = world(pose);
                LocationView {
                    name: name.clone(),
                    at: self.view.point(pose.translation),
                    turn: pose.rotation.normalize().to_array(),
                    taught: state.taught.contains(name),
                }
            })
            .collect();
        locations.sort_by(|a, b| a.name.cmp(&b.name));
        let off = state.cell.pairs().iter().enumerate().filter_map(|(number, pair)| match &pair.rule {
            Rule::Off(why) => {
                let [a, b] = state.cell.pair_names(number);
                Some((a.to_owned(), b.to_owned(), why.to_string()))
            }
            Rule::On { .. } => None,
        });
        let tool = world(&state.tool());
        Some(RobotView {
            name: work.robot.name().to_owned(),
            joints: joints.collect(),
            locations,
            program: state.program.clone(),
            off: off.collect(),
            asked: state.cell.pairs().iter().filter(|pair| matches!(pair.rule, Rule::On { .. })).count(),
            tool_at: tool.translation.to_array(),
        })
    }

    /// What meets where the arm stands.
    pub(super) fn cell_results(&self) -> Option<Results> {
        let state = self.cell.as_ref()?;
        let (mut checker, mut found) = (state.cell.checker(), Vec::new());
        let start = self.clock.now();
        checker.all_hits(&state.values, &mut found).ok()?;
        let pairs: Vec<PairView> = found
            .iter()
            .filter_map(|hit| {
                let [a, b] = state.cell.pair_names(hit.pair);
                let place = checker.meeting_point(&state.values, hit.pair).ok().flatten();
                Some(PairView {
                    a: self.named(a)?,
                    b: self.named(b)?,
                    relation: if hit.proven { "crossing" } else { "undecided" },
                    hit: true,
                    says: format!("{a} and {b} meet where the arm stands."),
                    crossings: None,
                    gap: "0".to_owned(),
                    gap_at_least: Some(0.0),
                    guarantee: if hit.proven { "exact" } else { "undecided" },
                    place: place.map(|place| self.view.point(place)),
                    place_text: place.map_or(String::new(), |place| self.view.text(place)),
                    segments: String::new(),
                    line: None,
                    outer: None,
                    seconds: None,
                    time: None,
                })
            })
            .collect();
        let asked = state.cell.pairs().iter().filter(|pair| matches!(pair.rule, Rule::On { .. })).count();
        let took = (self.clock.now() - start).as_secs_f64();
        Some(Results {
            outcome: words::outcome(
                found.iter().filter(|hit| hit.proven).count(),
                found.iter().filter(|hit| !hit.proven).count(),
            ),
            summary: format!(
                "{} asked about where the arm stands, in {:.4} s",
                words::plural(asked, "pair", "pairs"),
                took
            ),
            pairs,
            status: Vec::new(),
            groups: Vec::new(),
            stale: false,
        })
    }

    /// The bodies of looks stand where the arm's values put them.
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

    /// Joints towards these values, as far as is proven free.
    pub(super) fn jog(
        &mut self,
        client: u64,
        target: &[f64],
        seq: u64,
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        let start = self.clock.now();
        let state = self.cell()?;
        let robot = &state.loaded.work.robot;
        if target.len() != robot.variables().len() || target.iter().any(|value| !value.is_finite()) {
            return Err(Trouble::new("these are no joint values", "reload the page"));
        }
        let mut wanted = state.values.clone();
        for ((value, variable), to) in wanted.iter_mut().zip(robot.variables()).zip(target) {
            *value = variable.limits.range.map_or(*to, |[low, high]| to.clamp(low, high));
        }
        let arm = robot.variables().len();
        robot.apply_laws(&mut wanted[..arm]);
        let mut checker = state.cell.checker();
        let told = |error: String| Trouble::new(error, "move the joints back into their limits");
        let way = checker.edge(&state.values, &wanted).map_err(|error| told(error.to_string()))?;
        let (share, stop) = match way {
            Impact::Free => (1.0, None),
            // Pulled apart, as bodies are: what meets already does not hold the arm.
            Impact::AtStart(_) => (1.0, None),
            Impact::At { time, touch } => (time.safe_until, Some(touch)),
            Impact::Unknown { safe_until, .. } => (safe_until, None),
        };
        let accepted: Vec<f64> = state
            .values
            .iter()
            .zip(&wanted)
            .map(|(from, to)| if share >= 1.0 { *to } else { from + (to - from) * share })
            .collect();
        // Rounding must not carry the arm over the edge of what is proven.
        let meets = !matches!(checker.first_hit(&accepted), Ok(noli_robot::cell::Standing::Free));
        let held = stop.is_some() && meets;
        let accepted = if held { state.values.clone() } else { accepted };
        // To what stands around it: the links of an arm are always near each other.
        let is_outside = |pair: usize| {
            let parts = state.cell.pairs()[pair].parts.map(|part| state.cell.parts()[part].holder);
            parts.iter().any(|holder| !matches!(holder, Holder::Link { .. }))
        };
        let nearest = checker.clearance_of(&accepted, is_outside).map_err(|error| told(error.to_string()))?;
        let names = |pair: usize| state.cell.pair_names(pair).map(str::to_owned);
        let stopped = stop.map(|touch| {
            let [a, b] = names(touch.pair);
            let place = touch.touch.witness.map(|w| w.on_a.point.midpoint(w.on_b.point));
            StopView {
                by: self.named(&b).or_else(|| self.named(&a)).unwrap_or(0),
                place: place.map(|place| self.view.point(place)),
                text: format!("{a} would touch {b}"),
            }
        });
        let gap = nearest.pair.map(|pair| {
            let [a, b] = names(pair);
            let text = words::short(nearest.gap.at_least * 1e3);
            (
                format!("{text} mm between {a} and {b}"),
                nearest.witness.map(|w| [w.on_a.point, w.on_b.point].map(|point| self.view.point(point))),
            )
        });
        drop(checker);
        let micros = (self.clock.now() - start).as_micros() as u64;
        if let Some(state) = &mut self.cell {
            state.values.clone_from(&accepted);
        }
        self.place_looks(answer)?;
        let (gap_text, gap_line) = gap.unwrap_or_default();
        let tool = self.cell()?.loaded.work.world_from_root * self.cell()?.tool();
        let values = accepted[..arm].to_vec();
        answer.tell(
            To::Others(client),
            Event::Jogged {
                seq: 0,
                values: values.clone(),
                stopped: None,
                gap_text: String::new(),
                gap_line: None,
                tool_at: tool.translation.to_array(),
                micros,
            },
        );
        answer.tell(
            To::One(client),
            Event::Jogged {
                seq,
                values,
                stopped,
                gap_text,
                gap_line,
                tool_at: tool.translation.to_array(),
                micros,
            },
        );
        Ok(())
    }

    /// The tool to a location, straight in joint space, as far as is proven free.
    pub(super) fn go_to(
        &mut self,
        client: u64,
        name: &str,
        seq: u64,
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        let work = &self.cell()?.loaded.work;
        let none = || Trouble::new(format!("there is no location {name}"), "teach it first");
        let tool = *work.locations.transformations.get(&name.to_ascii_uppercase()).ok_or_else(none)?;
        let values = self.solved(&(tool * work.tool.inverse()))?;
        self.jog(client, &values, seq, answer)
    }

    /// The tool by a step in the world, straight in joint space, as far as is proven free.
    pub(super) fn jog_tool(
        &mut self,
        client: u64,
        step: [f64; 3],
        turn_deg: [f64; 3],
        seq: u64,
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        let state = self.cell()?;
        let work = &state.loaded.work;
        let finite = step.iter().chain(&turn_deg).all(|x| x.is_finite() && x.abs() < 1e6);
        if !finite {
            return Err(Trouble::new("this is no step", "give ordinary numbers"));
        }
        let mut links = vec![Pose::IDENTITY; work.robot.links().len()];
        work.robot.link_poses(state.arm_values(), &mut links);
        let flange = work.world_from_root * links[work.flange];
        let [x, y, z] = turn_deg.map(f64::to_radians);
        let turned = glam::DQuat::from_euler(glam::EulerRot::XYZ, x, y, z) * flange.rotation.normalize();
        let tool = flange.transform_point(work.tool.translation);
        let shifted = Pose::from_rotation(turned).transform_point(work.tool.translation);
        let target = Pose::new(turned, tool + DVec3::from(step) - shifted);
        let wanted = work.world_from_root.inverse() * target;
        let values = self.solved(&wanted)?;
        self.jog(client, &values, seq, answer)
    }

    /// Values that bring the flange to a pose as the root sees it, near the present ones.
    fn solved(&self, root_from_flange: &Pose) -> Result<Vec<f64>, Trouble> {
        let state = self.cell()?;
        let work = &state.loaded.work;
        let near = state.arm_values();
        let told = |error: String| Trouble::new(error, "go another way, or move single joints");
        if let Ok(wrist) = SphericalWrist::new(&work.robot, work.flange) {
            let all =
                wrist.solve(&work.robot, root_from_flange, near).map_err(|error| told(error.to_string()))?;
            if let Some(first) = all.first() {
                return Ok(placed(near, &wrist.variables(), &first.joints));
            }
        }
        let found =
            noli_robot::solve(&work.robot, work.flange, root_from_flange, near, &IkOptions::default());
        found.map(|found| found.values).map_err(|error| told(error.to_string()))
    }

    /// All ways to stand with the flange where it is.
    pub(super) fn branches(&self) -> Result<Vec<BranchView>, Trouble> {
        let state = self.cell()?;
        let work = &state.loaded.work;
        let near = state.arm_values();
        let mut links = vec![Pose::IDENTITY; work.robot.links().len()];
        work.robot.link_poses(near, &mut links);
        let wrist = SphericalWrist::new(&work.robot, work.flange).map_err(|error| {
            Trouble::new(error.to_string(), "branches are told of arms with a spherical wrist")
        })?;
        let all = wrist
            .solve_all(&work.robot, &links[work.flange], near)
            .map_err(|error| Trouble::new(error.to_string(), "move the arm a little"))?;
        let mut checker = state.cell.checker();
        Ok(all
            .iter()
            .map(|solution| {
                let values = placed(near, &wrist.variables(), &solution.joints);
                let whole: Vec<f64> = values.iter().chain(&state.values[values.len()..]).copied().collect();
                let free = matches!(checker.first_hit(&whole), Ok(noli_robot::cell::Standing::Free));
                let poses = poses_of(&state.loaded, &values);
                BranchView {
                    name: format!(
                        "{:?} {:?} {:?}",
                        solution.branch.shoulder, solution.branch.elbow, solution.branch.wrist
                    )
                    .to_lowercase(),
                    within: solution.beyond.is_none(),
                    free,
                    ghost: self.ghost(&poses),
                    values,
                }
            })
            .collect())
    }

    /// Where moved looks would be drawn.
    fn ghost(&self, poses: &[Pose]) -> Vec<(usize, [f64; 3], [f64; 4])> {
        let Some(state) = &self.cell else { return Vec::new() };
        let of_arm = state.loaded.looks.iter().enumerate().filter(|(_, look)| look.link.is_some());
        of_arm
            .map(|(number, _)| {
                let (at, turn) = self.view.pose(&poses[number], self.entries[number].middle);
                (number, at, turn)
            })
            .collect()
    }

    /// Keeps where the tool is under a name that programs can use.
    pub(super) fn teach(&mut self, name: &str, answer: &mut Answer) -> Result<(), Trouble> {
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.len() <= 15
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '.' || c == '_');
        if !is_name {
            return Err(Trouble::new(
                format!("{name:?} is no name of a location"),
                "begin with a letter, at most 15 letters and digits",
            ));
        }
        let state = self.cell()?;
        let (key, to) = (name.to_ascii_uppercase(), Some(numbers_of(&state.tool())));
        let from = state.loaded.work.locations.transformations.get(&key).map(numbers_of);
        self.do_edit(Edit::Teach { name: key, from, to }, answer)?;
        answer.tell(To::All, Event::Note { text: format!("{name} is where the tool is now.") });
        Ok(())
    }

    /// A location is here, or is none.
    pub(super) fn apply_teach(
        &mut self,
        name: &str,
        to: Option<&[f64; 7]>,
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        self.cell()?;
        if let Some(state) = &mut self.cell {
            let known = &mut state.loaded.work.locations.transformations;
            match to {
                Some(numbers) => drop(known.insert(name.to_owned(), pose_of_numbers(numbers))),
                None => drop(known.remove(name)),
            }
            state.taught.insert(name.to_owned());
        }
        if let Some(robot) = self.robot_view() {
            answer.tell(To::All, Event::Robot(robot));
        }
        Ok(())
    }

    /// Reads a program and says what is wrong with it, line by line.
    pub(super) fn set_program(
        &mut self,
        client: u64,
        text: String,
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        const LONGEST: usize = 200_000;
        if text.len() > LONGEST {
            return Err(Trouble::new("this program is too long", "at most 200 kB"));
        }
        let from = self.cell()?.program.clone();
        self.apply_program(&text, client, answer)?;
        if from == text { Ok(()) } else { self.keep(Edit::Program { from, to: text }, answer) }
    }

    /// The program reads so.
    pub(super) fn apply_program(&mut self, text: &str, by: u64, answer: &mut Answer) -> Result<(), Trouble> {
        self.cell()?;
        let told = read_program_text(text, Path::new("program")).err();
        if let Some(state) = &mut self.cell {
            text.clone_into(&mut state.program);
        }
        let errors =
            told.into_iter().map(|error| (error_line(&error), error.reason.clone(), error.remedy.clone()));
        answer.tell(To::All, Event::Program { text: text.to_owned(), errors: errors.collect(), by });
        Ok(())
    }

    /// What the files of a cell are to say: its program where that was changed, and locations in its own unit.
    pub(crate) fn wanted_of_cell(&self) -> Result<WantedCell, Trouble> {
        let state = self.cell()?;
        let work = &state.loaded.work;
        let locations = state.taught.iter().map(|name| {
            let pose = work.locations.transformations.get(name).map(|pose| work.world_from_root * *pose);
            (name.clone(), pose)
        });
        let path = state.loaded.program.as_ref().map(|(path, _)| path.clone());
        let program = Some(state.program.clone()).filter(|text| *text != state.saved_program);
        Ok(WantedCell { path, program, locations: locations.collect() })
    }

    /// Everything of the cell is on disk.
    pub(crate) fn cell_saved(&mut self) {
        if let Some(state) = &mut self.cell {
            state.saved_program.clone_from(&state.program);
            state.taught.clear();
        }
    }

    /// The program, to be run.
    pub(super) fn program_run(&self) -> Result<Box<ProgramRun>, Trouble> {
        let state = self.cell()?;
        let source = read_program_text(&state.program, Path::new("program"))
            .map_err(|error| Trouble::new(error.to_string(), "mend the line"))?;
        let middles = self.entries.iter().map(|entry| entry.middle).collect();
        Ok(Box::new(ProgramRun { loaded: state.loaded.clone(), source, view: self.view, middles }))
    }
}

fn error_line(error: &noli_io::FileError) -> usize {
    match error.place {
        noli_io::Place::Line(line) => line,
        _ => 1,
    }
}

fn placed(near: &[f64], variables: &[usize; 6], joints: &[f64; 6]) -> Vec<f64> {
    let mut values = near.to_vec();
    for (&variable, &joint) in variables.iter().zip(joints) {
        values[variable] = joint;
    }
    values
}

/// A program in its cell.
#[derive(Debug)]
pub(super) struct ProgramRun {
    loaded: LoadedCell,
    source: RunSource,
    view: View,
    middles: Vec<DVec3>,
}

impl ProgramRun {
    /// Runs it; what happened, as a motion to look at.
    pub(super) fn run(&self) -> Result<(TrackView, Box<RunReport>), Trouble> {
        let options = RunOptions {
            on_contact: self.loaded.on_contact,
            blend: self.loaded.blend,
            profile: 40,
            ..RunOptions::default()
        };
        let run = noli_robot::run::run(&self.loaded.work, &self.source.programs, &self.source.main, &options)
            .map_err(|error| Trouble::new(error.to_string(), "mend the cell"))?;
        let report = run_report(&self.loaded, &self.source, &run);
        Ok((self.track(&run, &report), Box::new(report)))
    }

    fn track(&self, run: &Run, report: &RunReport) -> TrackView {
        let seconds = run.seconds.max(1e-3);
        let pictures = ((seconds * PICTURES) as usize).clamp(60, MOST_PICTURES);
        let times: Vec<f64> = (0..=pictures).map(|k| k as f64 / pictures as f64).collect();
        let moves = |look: &noli_io::cell::CellLook| look.link.is_some() || look.loose.is_some();
        let bodies: Vec<usize> = self
            .loaded
            .looks
            .iter()
            .enumerate()
            .filter(|(_, look)| moves(look))
            .map(|(number, _)| number)
            .collect();
        let mut poses = Vec::with_capacity(times.len() * bodies.len() * 7);
        for time in &times {
            let all = self.poses_at(run, time * seconds);
            for &body in &bodies {
                let (at, turn) = self.view.pose(&all[body], self.middles[body]);
                poses.extend(at.iter().chain(&turn).map(|x| *x as f32));
            }
        }
        let mut events: Vec<(f64, String, &'static str)> = report
            .contacts
            .iter()
            .map(|contact| {
                let at = contact
                    .point
                    .map_or(String::new(), |p| format!(" at ({})", p.map(words::short).join(", ")));
                let text =
                    format!("line {}: {} touches {}{at}", contact.line, contact.links[0], contact.links[1]);
                (contact.safe_until / seconds, text, "crossing")
            })
            .collect();
        events.extend(
            report.shown.iter().map(|shown| (shown.time / seconds, shown.text.trim().to_owned(), "apart")),
        );
        if let (true, Some(failure)) = (report.contacts.is_empty(), &report.first_failure) {
            events.push((
                failure.time / seconds,
                format!("line {}: {}", failure.line, failure.reason),
                "undecided",
            ));
        }
        events.sort_by(|a, b| a.0.total_cmp(&b.0));
        let gap = report.smallest_gap.as_ref().map_or(String::new(), |gap| {
            format!(", smallest gap {} mm in line {}", words::short(gap.gap.at_most * 1e3), gap.line)
        });
        let verdict = match (&report.contacts.first(), &report.first_failure) {
            (Some(contact), _) => {
                format!("stops in line {}: {} touches {}", contact.line, contact.links[0], contact.links[1])
            }
            (None, Some(failure)) => format!("stops in line {}: {}", failure.line, failure.reason),
            (None, None) => format!(
                "{} of {} motions proven free and driven in {} s{gap}",
                report.executable,
                report.motions,
                words::short(seconds)
            ),
        };
        let room = report.instructions.iter().filter_map(|instruction| {
            let found = instruction.clearance.as_ref()?;
            let to = found.gap.links.as_ref().map_or(String::new(), |links| links.join(" – "));
            Some(Room { time: found.time / seconds, gap: found.gap.at_most * 1e3, to })
        });
        let mut room: Vec<Room> = room.filter(|room| room.gap.is_finite()).collect();
        room.sort_by(|a, b| a.time.total_cmp(&b.time));
        TrackView {
            title: format!("Program {}", report.main),
            free: report.contacts.is_empty() && report.first_failure.is_none(),
            verdict,
            seconds,
            times,
            bodies,
            without: Vec::new(),
            poses,
            events,
            room,
            lines: report
                .instructions
                .iter()
                .map(|one| (one.start / seconds, one.line, one.text.clone()))
                .collect(),
            signals: report
                .signals
                .iter()
                .map(|one| (one.time / seconds, one.signal, one.on, one.output))
                .collect(),
            contact: report
                .contacts
                .first()
                .and_then(|contact| contact.point)
                .map(|point| self.view.point(point.into())),
            unit: Some("mm"),
        }
    }

    /// Where everything is at a time of the run.
    fn poses_at(&self, run: &Run, time: f64) -> Vec<Pose> {
        let work = &self.loaded.work;
        let values = run.values_at(time).unwrap_or_else(|| work.start.clone());
        let mut poses = poses_of(&self.loaded, &values);
        let mut links = vec![Pose::IDENTITY; work.robot.links().len()];
        work.robot.link_poses(&values, &mut links);
        for (number, look) in self.loaded.looks.iter().enumerate() {
            let Some(part) = look.loose else { continue };
            let now = run.parts.iter().rfind(|change| change.part == part && change.time <= time + 1e-9);
            match now.map(|change| change.now) {
                Some(Whereabouts::Stands(pose)) => poses[number] = pose,
                Some(Whereabouts::Held(place)) => {
                    let carrier = work.grasp.as_ref().map_or(work.flange, |grasp| grasp.link);
                    poses[number] = work.world_from_root * links[carrier] * place;
                }
                None => {}
            }
        }
        poses
    }
}
