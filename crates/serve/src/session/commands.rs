//! The commands of tabs, each passed on to the code that executes it.

use super::{Answer, Session, To, Trouble, numbers_of};
use crate::edit::Edit;
use crate::protocol::{Command, Event};
use glam::DQuat;
use noli::Pose;

impl Session {
    /// Executes a command of a tab.
    pub fn handle(&mut self, client: u64, command: Command) -> Answer {
        let mut answer = Answer::default();
        if let Err(Trouble { text, help }) = self.act(client, command, &mut answer) {
            answer.tell(To::One(client), Event::Trouble { text, help });
        }
        answer
    }

    fn act(&mut self, client: u64, command: Command, answer: &mut Answer) -> Result<(), Trouble> {
        if moves_bodies(&command) {
            if self.is_database {
                let text = "the parts of a database stand as they are stored";
                return Err(Trouble::new(text, "open a scene to place them"));
            }
            if self.cell.is_some() {
                return match command {
                    Command::Drag(pull) => self.drag(client, &pull, answer),
                    Command::AddSwept => {
                        self.change_cell(command, answer)?;
                        self.forget_swept(answer);
                        Ok(())
                    }
                    other => self.change_cell(other, answer),
                };
            }
        }
        self.dispatch(client, command, answer)
    }

    /// Calls the code of a command: a table without exceptions, so that no command is forgotten.
    fn dispatch(&mut self, client: u64, command: Command, answer: &mut Answer) -> Result<(), Trouble> {
        match command {
            Command::Jog { values, seq } => self.jog(client, &values, seq, answer)?,
            Command::JogTool { step, turn_deg, frame, seq } => {
                self.jog_tool(client, (step, turn_deg, frame), seq, answer)?;
            }
            Command::DragTool { at, turn, seq } => self.drag_tool(client, (at, turn), seq, answer)?,
            Command::Branches => self.tell_branches(client, answer)?,
            Command::State { group, name, seq } => self.go_to_state(client, (&group, &name), seq, answer)?,
            Command::Teach { name, precise: true } => self.teach_point(&name, answer)?,
            Command::Teach { name, precise: false } => self.teach(&name, answer)?,
            Command::Forget { name } => self.forget(&name, answer)?,
            Command::Rename { name, to } => self.rename(&name, &to, answer)?,
            Command::PlanTo { location } => answer.work = Some(self.plan_work(&location)?),
            Command::Program { text, step } => self.set_program(client, (text, step), answer)?,
            Command::Run => self.start_run(answer)?,
            Command::Drag(pull) => self.drag(client, &pull, answer)?,
            Command::Drop { body } => self.drop_body(client, body, answer)?,
            Command::Place { body, xyz, quaternion } => self.place(body, xyz, quaternion, answer)?,
            Command::Undo => self.undo(answer)?,
            Command::Redo => self.redo(answer)?,
            Command::Check => answer.work = Some(self.check_work()),
            Command::Pair { a, b, on } => self.set_pair(a, b, on, answer)?,
            Command::Pattern { rule, on } => self.set_pattern(rule, on, answer)?,
            Command::Formula { body, formula } => self.set_formula(client, body, formula, answer)?,
            Command::Depth { a, b } => self.depth(client, a, b, answer)?,
            Command::Go { location, seq } => self.go_to(client, &location, seq, answer)?,
            Command::Margin { value } => self.set_margin(value, answer)?,
            Command::Status { a, b, status, comment } => self.set_status(a, b, (status, comment), answer)?,
            Command::Values { pairs, exact } => self.pair_values(client, &pairs, exact, answer)?,
            Command::DisabledPairs { body } => self.tell_disabled_pairs(client, body, answer)?,
            Command::Group { name, bodies } => self.make_group(&name, &bodies, answer)?,
            Command::Ungroup { name } => self.dissolve_group(&name, answer)?,
            Command::RenameGroup { name, to } => self.rename_group(&name, &to, answer)?,
            Command::Add { shape } => self.add_primitive(shape, answer)?,
            Command::AddFile { file, .. } => self.add_file(&file, answer)?,
            Command::Copy { body } => self.copy(body, answer)?,
            Command::Remove { body, with } => self.remove(body, &with, answer)?,
            Command::Measure { a, b } => self.measure(client, a, b, answer)?,
            Command::Play { frames } => answer.work = Some(self.play_work(frames)?),
            Command::Recording { file } => answer.work = Some(self.recording_work(&file)?),
            Command::Simulate { dynamics } => answer.work = Some(self.simulate_work(dynamics)?),
            Command::Parts { search } => self.parts(client, &search, answer)?,
            Command::Part { name } => self.part(client, &name, answer)?,
            Command::ImportPart { file } => self.import_part(&file, answer)?,
            Command::Compose { text, replace } => self.compose(client, &text, replace, answer)?,
            Command::StoredMass { .. } | Command::StoredPair { .. } | Command::StoredTool { .. } => {
                self.edit_stored(client, command, answer)?;
            }
            Command::UsePart { name } => self.use_part(&name, answer)?,
            Command::Study { name } => answer.work = Some(self.study_work(&name)?),
            Command::KeepPath { name, body, path } => self.keep_path(&name, body, &path, answer)?,
            Command::ForgetPath { name } => self.forget_path(&name, answer)?,
            Command::PlayPath { name, mode } => answer.work = Some(self.path_play_work(&name, mode)?),
            Command::PlayRemoval { name } => answer.work = Some(self.removal_work(&name)?),
            Command::FindPath { body } => answer.work = Some(self.path_work(body)?),
            Command::Sweep { body, path, name, error } => {
                answer.work = Some(self.sweep_work((body, &path), name.as_deref(), error)?);
            }
            Command::AddSwept => self.add_swept(answer)?,
            Command::ForgetSwept => self.forget_swept(answer),
            Command::TryPath { body, path, mode } => answer.work = Some(self.try_work(body, &path, mode)?),
            Command::Panel { panel, message } => self.call_panel(client, (panel, message), answer)?,
            Command::Save => self.save(answer)?,
            Command::SaveAs { file } => self.save_as(&file, answer)?,
            Command::AddRobot { .. }
            | Command::PlaceRobot { .. }
            | Command::RemoveRobot { .. }
            | Command::UseTool { .. }
            | Command::CellPair { .. } => self.change_cell(command, answer)?,
            Command::Cancel => answer.cancel = true,
        }
        Ok(())
    }

    fn tell_branches(&self, client: u64, answer: &mut Answer) -> Result<(), Trouble> {
        let branches = self.branches()?;
        answer.tell(To::One(client), Event::Branches { branches });
        Ok(())
    }

    fn start_run(&mut self, answer: &mut Answer) -> Result<(), Trouble> {
        self.is_typing = false;
        answer.work = Some(self.run_work()?);
        Ok(())
    }

    /// Sets a body to a pose of numbers.
    fn place(
        &mut self,
        body: usize,
        xyz: [f64; 3],
        quaternion: [f64; 4],
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        let pose = Pose::new(DQuat::from_array(quaternion), xyz.into());
        let is_far = |x: &f64| x.is_nan() || x.abs() >= 1e9;
        if !pose.is_valid() || self.view.point(pose.translation).iter().any(is_far) {
            return Err(Trouble::new("these numbers are no place", "give ordinary lengths and a rotation"));
        }
        let name = self.entry(body)?.name.clone();
        let from = numbers_of(&self.pose_of(body)?);
        self.id(body)?;
        self.do_edit(Edit::Move { name, from, to: numbers_of(&pose) }, answer)
    }

    fn set_margin(&mut self, value: f64, answer: &mut Answer) -> Result<(), Trouble> {
        if !(value.is_finite() && value >= 0.0) {
            return Err(Trouble::new("a margin is a length of at least 0", "give a number such as 2.5"));
        }
        self.do_edit(Edit::Margin { from: self.margin, to: value }, answer)
    }

    fn remove(&mut self, body: usize, with: &[usize], answer: &mut Answer) -> Result<(), Trouble> {
        let names = self.names_of_all(body, with)?;
        self.do_edit(Edit::Remove { names }, answer)
    }

    fn call_panel(
        &self,
        client: u64,
        (panel, message): (String, serde_json::Value),
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        let found = self.panels.iter().find(|known| known.name() == panel);
        let none = || Trouble::new(format!("there is no panel {panel:?}"), "use `noli-lab serve`");
        let message = found.ok_or_else(none)?.answer(message, self)?;
        answer.tell(To::One(client), Event::Panel { panel, message });
        Ok(())
    }
}

/// Returns `true` for commands that place bodies or change the set of them.
fn moves_bodies(command: &Command) -> bool {
    matches!(
        command,
        Command::Drag(_)
            | Command::Place { .. }
            | Command::Add { .. }
            | Command::AddFile { .. }
            | Command::Copy { .. }
            | Command::Remove { .. }
            | Command::Pair { .. }
            | Command::Pattern { .. }
            | Command::Formula { .. }
            | Command::Margin { .. }
            | Command::FindPath { .. }
            | Command::TryPath { .. }
            | Command::UsePart { .. }
            | Command::AddSwept
    )
}
