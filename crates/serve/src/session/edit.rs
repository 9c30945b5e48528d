//! Changes of the session: made, undone, redone and kept in the journal.

use super::placing::SamePlace;
use super::{Added, Answer, Edit, Session, To, Trouble, numbers_of, pose_of_numbers};
use crate::project::confined;
use crate::protocol::{Event, Formula, Primitive};
use glam::DVec3;
use noli::Pose;
use noli_formats::{MeshFormat, ReadOptions};
use noli_project::{StageOptions, Staged, load_scene_text, stage};
use std::path::{Path, PathBuf};

/// Maximum number of changes that can be undone.
const MOST_UNDONE: usize = 1000;
/// Memory of their texts and poses, at most.
const MOST_UNDONE_BYTES: usize = 16 << 20;

impl Session {
    /// Makes a change and keeps it.
    pub(super) fn do_edit(&mut self, edit: Edit, answer: &mut Answer) -> Result<(), Trouble> {
        self.apply(&edit, answer)?;
        self.keep(edit, answer)
    }

    /// Keeps a change that has been made.
    pub(super) fn keep(&mut self, edit: Edit, answer: &mut Answer) -> Result<(), Trouble> {
        self.redo.clear();
        self.log(&edit, answer);
        let is_of_scene = edit.is_of_scene();
        // What is typed without a pause is one change.
        match (self.undo.last_mut(), &edit) {
            (Some(Edit::Program { to, .. }), Edit::Program { to: now, .. }) if self.is_typing => {
                to.clone_from(now);
            }
            _ => {
                self.is_typing = matches!(edit, Edit::Program { .. });
                self.undo.push(edit);
            }
        }
        self.bound_undo();
        self.changed(is_of_scene, answer);
        Ok(())
    }

    /// Writes a change to the journal. A full disk is reported, but does not stop the work.
    fn log(&mut self, edit: &Edit, answer: &mut Answer) {
        if !edit.is_of_scene() {
            return;
        }
        self.note_moved(edit);
        self.unsaved = self.unsaved.saturating_add(1);
        if let Some(Err(error)) = self.journal.as_mut().map(|journal| journal.add(edit)) {
            answer.tell(
                To::All,
                Event::Trouble {
                    text: format!("this change could not be kept on disk: {error}"),
                    help: "make room, then save".to_owned(),
                },
            );
        }
    }

    /// Notes which bodies a change moved: only their pairs are compared again.
    fn note_moved(&mut self, edit: &Edit) {
        let names: Vec<&String> = match edit {
            Edit::Move { name, .. } => vec![name],
            Edit::MoveGroup { moves } => moves.iter().map(|(name, ..)| name).collect(),
            _ => return self.moved = None,
        };
        let ids = names.into_iter().filter_map(|name| self.entries[self.named(name)?].id);
        let members = ids.flat_map(|id| self.staged.world.with_descendants(id).unwrap_or_default());
        let members: Vec<_> = members.collect();
        self.moved.iter_mut().for_each(|moved| moved.extend(&members));
    }

    fn changed(&mut self, is_of_scene: bool, answer: &mut Answer) {
        answer.tell(To::All, Event::Edits(self.edits()));
        if !is_of_scene {
            return;
        }
        self.stale = true;
        self.edition = self.edition.saturating_add(1);
        answer.work = Some(self.check_work());
    }

    pub(super) fn undo(&mut self, answer: &mut Answer) -> Result<(), Trouble> {
        let Some(last) = self.undo.last() else {
            return Err(Trouble::new("there is nothing to undo", "change something first"));
        };
        let inverse = last.inverse();
        self.is_typing = false;
        // A change that cannot be undone, for example because a file cannot be written, stays the last one.
        self.apply(&inverse, answer)?;
        self.log(&inverse, answer);
        self.redo.extend(self.undo.pop().map(Edit::again));
        self.changed(inverse.is_of_scene(), answer);
        Ok(())
    }

    pub(super) fn redo(&mut self, answer: &mut Answer) -> Result<(), Trouble> {
        let Some(last) = self.redo.last().cloned() else {
            return Err(Trouble::new("there is nothing to do again", "undo something first"));
        };
        self.apply(&last, answer)?;
        self.log(&last, answer);
        let is_of_scene = last.is_of_scene();
        self.undo.extend(self.redo.pop());
        self.changed(is_of_scene, answer);
        Ok(())
    }

    /// Forgets the oldest changes beyond the limits of count and memory: each change of a program or cell holds its
    /// whole text twice.
    fn bound_undo(&mut self) {
        let mut held: usize = self.undo.iter().map(Edit::bytes).sum();
        let mut forgotten = self.undo.len().saturating_sub(MOST_UNDONE);
        for edit in &self.undo[..forgotten] {
            held = held.saturating_sub(edit.bytes());
        }
        while held > MOST_UNDONE_BYTES && forgotten.saturating_add(1) < self.undo.len() {
            held = held.saturating_sub(self.undo[forgotten].bytes());
            forgotten = forgotten.saturating_add(1);
        }
        self.undo.drain(..forgotten);
    }

    fn known(&self, name: &str) -> Result<usize, Trouble> {
        self.named(name).ok_or_else(|| {
            Trouble::new(
                format!("there is no body {name}"),
                "the scene has changed since; set the changes aside",
            )
        })
    }

    pub(super) fn apply(&mut self, edit: &Edit, answer: &mut Answer) -> Result<(), Trouble> {
        match edit {
            Edit::Move { name, to, .. } => self.apply_move(name, to, answer)?,
            Edit::MoveGroup { moves } => {
                for (name, _, to) in moves {
                    self.apply_move(name, to, answer)?;
                }
            }
            Edit::Pair { a, b, to, .. } => {
                let pair = [self.known(a)?, self.known(b)?];
                self.apply_pair(pair, *to)?;
                self.tell_rules(answer);
            }
            Edit::Pattern { rule, on } => {
                self.apply_pattern(rule, *on)?;
                self.tell_rules(answer);
            }
            Edit::Formula { name, to, .. } => {
                let body = self.known(name)?;
                self.reshape(body, to)?;
                self.tell_body_list(answer);
            }
            Edit::Program { to, .. } => self.apply_program(to, 0, answer)?,
            Edit::Cell { to, .. } => self.apply_cell(to, answer)?,
            Edit::Teach { name, to, .. } => self.apply_teach(name, to.as_ref(), answer)?,
            Edit::Rename { from, to } => self.apply_rename(from, to, answer)?,
            Edit::Path { name, to, .. } => self.apply_path(name, to.as_ref(), answer),
            Edit::Margin { to, .. } => {
                self.margin = *to;
                self.write_rules()?;
                self.tell_rules(answer);
            }
            Edit::Group { name, to, .. } => self.apply_group(name, to.as_ref(), answer)?,
            Edit::RenameGroup { from, to } => self.apply_group_name(from, to, answer)?,
            Edit::TeachPoint { name, to, .. } => self.apply_point(name, to.as_ref(), answer)?,
            Edit::Review { a, b, to, .. } => {
                self.reviews.set(a, b, to).map_err(|error| {
                    Trouble::new(
                        format!("the review was not kept: {error}"),
                        "make room, or check permissions",
                    )
                })?;
                self.tell_results(answer);
            }
            Edit::Add { toml, .. } => {
                self.add_scene(toml)?;
                self.tell_bodies(answer);
            }
            Edit::Copy { name, of, pose } => {
                self.add_copy(of, name, pose)?;
                self.tell_bodies(answer);
            }
            Edit::Remove { names } => {
                let bodies = names.iter().map(|name| self.known(name)).collect::<Result<Vec<_>, _>>()?;
                self.take_out(&bodies)?;
                self.tell_bodies(answer);
            }
            Edit::Restore { names } => {
                let bodies = names.iter().map(|name| self.known(name)).collect::<Result<Vec<_>, _>>()?;
                for &body in &bodies {
                    self.bring_back(body)?;
                }
                for body in bodies {
                    self.attach_again(body)?;
                }
                self.write_rules()?;
                self.tell_bodies(answer);
            }
            Edit::Stored { change, .. } => self.apply_stored(change, answer)?,
        }
        Ok(())
    }

    fn apply_move(&mut self, name: &str, to: &[f64; 7], answer: &mut Answer) -> Result<(), Trouble> {
        let (body, pose) = (self.known(name)?, pose_of_numbers(to));
        if !pose.is_valid() {
            return Err(Trouble::new(format!("{name}: invalid pose"), "reload the page"));
        }
        self.dragging = None;
        let id = self.id(body)?;
        self.staged.world.move_to(id, pose)?;
        for moved in self.staged.world.with_descendants(id)? {
            let Some(&number) = self.numbers.get(&moved) else { continue };
            let (at, turn) = self.place_of(number)?;
            answer.tell(To::All, Event::Moved { body: number, at, turn, by: 0 });
        }
        Ok(())
    }

    /// Returns the path against which a scene text resolves its files.
    fn scene_path(&self) -> PathBuf {
        self.folder.get().map(PathBuf::as_path).unwrap_or(Path::new("")).join("studio.toml")
    }

    /// The bodies that a text of a scene gives.
    pub(super) fn staged_text(&self, toml: &str) -> Result<Staged, Trouble> {
        let told = |text: String| Trouble::new(text, "give ordinary sizes, or another file");
        let loaded = load_scene_text(toml.as_bytes(), &self.scene_path(), &ReadOptions::default())
            .map_err(|error| told(error.reason.clone()))?;
        stage(&loaded, &StageOptions::default()).map_err(|error| told(error.to_string()))
    }

    /// Adds the bodies of a scene to the existing ones; returns their names.
    fn add_scene(&mut self, toml: &str) -> Result<Vec<String>, Trouble> {
        let told = |text: String| Trouble::new(text, "take its name for another one first");
        let fresh = self.staged_text(toml)?;
        let mut names = Vec::new();
        for body in &fresh.bodies {
            let found = fresh.world.body(body.id)?;
            if self.named(found.name()).is_some() {
                return Err(told(format!("there is a body {} already", found.name())));
            }
        }
        let texts = each_alone(toml);
        for (place, body) in fresh.bodies.iter().enumerate() {
            let found = fresh.world.body(body.id)?;
            let id = self.staged.world.add(found.name(), found.model(), found.pose())?;
            if !body.is_true_shape {
                self.staged.world.set_watertight(id, body.flaw.is_none())?;
            }
            let staged = noli_project::StagedBody { id, ..body.clone() };
            self.staged.bodies.push(staged.clone());
            names.push(found.name().to_owned());
            let text = texts.get(place).filter(|_| texts.len() == fresh.bodies.len());
            let text = text.cloned().unwrap_or_else(|| toml.to_owned());
            let number = self.enter(staged, Some(Added::Text(text)))?;
            self.entries[number].formula = formula_in(toml);
        }
        Ok(names)
    }

    /// A name that no body has.
    pub(super) fn new_name(&self, base: &str) -> String {
        let taken = |name: &str| {
            let below = format!("{name}/");
            self.entries.iter().any(|entry| entry.name == name || entry.name.starts_with(&below))
        };
        if !taken(base) {
            return base.to_owned();
        }
        (2..).map(|k| format!("{base}-{k}")).find(|name| !taken(name)).unwrap_or_default()
    }

    fn units_line(&self) -> String {
        format!("units = \"{}\"\n", self.staged.units.sign())
    }

    pub(super) fn add_primitive(&mut self, shape: Primitive, answer: &mut Answer) -> Result<(), Trouble> {
        let (base, text) = match shape {
            Primitive::Box { size: [x, y, z] } => ("box", format!("box = [{x:?}, {y:?}, {z:?}]")),
            Primitive::Sphere { radius } => ("sphere", format!("sphere = {{ radius = {radius:?} }}")),
            Primitive::Cylinder { radius, height } => {
                ("cylinder", format!("cylinder = {{ radius = {radius:?}, height = {height:?} }}"))
            }
        };
        let name = self.new_name(base);
        let said = |at: DVec3| {
            let pose = pose_line(&Pose::from_translation(at));
            format!("{}[[body]]\nname = {}\n{text}\n{pose}", self.units_line(), quoted(&name))
        };
        let toml = said(self.view.middle);
        let offset = self.offset_of(&self.staged_text(&toml)?, SamePlace::Center);
        let toml = if offset == DVec3::ZERO { toml } else { said(self.view.middle + offset) };
        self.add(toml, answer)
    }

    /// Returns the scene text of a body given by a formula.
    pub(super) fn formula_text(&self, name: &str, Formula { text, bounds }: &Formula) -> String {
        let bounds = bounds.map_or(String::new(), |bounds| format!("bounds = {bounds:?}\n"));
        format!(
            "{}[[body]]\nname = {}\nformula = {}\n{bounds}",
            self.units_line(),
            quoted(name),
            quoted(text)
        )
    }

    /// Adds a body given by a formula, or replaces a formula. Errors are reported at the input field.
    pub(super) fn set_formula(
        &mut self,
        client: u64,
        body: Option<usize>,
        formula: Formula,
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        const LONGEST: usize = 20_000;
        if formula.text.len() > LONGEST {
            return Err(Trouble::new("this formula is too long", "at most 20 kB; use a formula file"));
        }
        let done = match body {
            None => {
                let name = self.new_name("formula");
                let toml = self.formula_text(&name, &formula)
                    + &pose_line(&Pose::from_translation(self.view.middle));
                self.add_scene(&toml).and_then(|names| {
                    let number = self.known(&name)?;
                    self.tell_body_list(answer);
                    self.keep(Edit::Add { names, toml }, answer)?;
                    Ok(number)
                })
            }
            Some(body) => {
                let name = self.entry(body)?.name.clone();
                let none = || Trouble::new(format!("{name} has no formula"), "choose a body that has one");
                let from = self.entry(body)?.formula.clone().ok_or_else(none)?;
                if from == formula {
                    Ok(body)
                } else {
                    self.do_edit(Edit::Formula { name, from, to: formula }, answer).map(|()| body)
                }
            }
        };
        let (body, error) = match done {
            Ok(body) => (Some(body), String::new()),
            Err(trouble) => (body, trouble.text),
        };
        answer.tell(To::One(client), Event::Formula { body, error });
        Ok(())
    }

    pub(super) fn add_file(&mut self, file: &str, answer: &mut Answer) -> Result<(), Trouble> {
        let none =
            || Trouble::new(format!("the project has no file {file:?}"), "drop it onto the page to add it");
        let folder = self.folder.get().ok_or_else(none)?;
        confined(folder, file).ok_or_else(none)?;
        let stem = Path::new(file).file_stem().and_then(|stem| stem.to_str()).unwrap_or("part");
        let name = self.new_name(stem);
        // Some formats say their unit themselves.
        let own = MeshFormat::from_extension(Path::new(file)).and_then(MeshFormat::own_units);
        let own = own.filter(|_| self.units.is_some());
        let units = own.map_or(String::new(), |units| format!("units = \"{}\"\n", units.sign()));
        let said = |name: &str, more: &str| {
            format!("[[body]]\nname = {}\nfile = {}\n{units}{more}", quoted(name), quoted(file))
        };
        let line = self.units_line();
        let parts = self.staged_text(&(line.clone() + &said(&name, "split = true\n")))?;
        // A file that is added once more is not hidden by its first copy.
        let offset = match self.offset_of(&parts, SamePlace::Box) {
            DVec3::ZERO => String::new(),
            offset => pose_line(&Pose::from_translation(offset)),
        };
        let whole = line.clone() + &said(&name, &offset);
        let parts: Vec<&str> = parts.world.bodies().map(|(_, body)| body.name()).collect();
        if parts.len() < 2 {
            return self.add(whole, answer);
        }
        // Objects of a file are bodies of their own, as when the file is opened; one body where their names do not tell
        // them apart.
        let object = |part: &str| part.strip_prefix(&format!("{name}/")).unwrap_or(part).to_owned();
        let each =
            parts.iter().map(|part| said(part, &format!("object = {}\n{offset}", quoted(&object(part)))));
        let separated = line + &each.collect::<String>();
        let is_read = self.staged_text(&separated).is_ok_and(|staged| staged.bodies.len() == parts.len());
        self.add(if is_read { separated } else { whole }, answer)
    }

    /// Adds the body of a file where the file has it; its name.
    pub(super) fn add_file_in_place(&mut self, file: &str, answer: &mut Answer) -> Result<String, Trouble> {
        let stem = Path::new(file).file_stem().and_then(|stem| stem.to_str()).unwrap_or("part");
        let name = self.new_name(stem);
        let body = format!("[[body]]\nname = {}\nfile = {}\n", quoted(&name), quoted(file));
        self.add(self.units_line() + &body, answer)?;
        Ok(name)
    }

    fn add(&mut self, toml: String, answer: &mut Answer) -> Result<(), Trouble> {
        let was_empty = self.staged.bodies.is_empty();
        let names = self.add_scene(&toml)?;
        if was_empty && self.is_page_unfit() {
            self.measure_page();
            answer.renew = true;
        } else {
            self.tell_bodies(answer);
        }
        self.keep(Edit::Add { names, toml }, answer)
    }

    /// Duplicates a body and places the copy next to it.
    pub(super) fn copy(&mut self, body: usize, answer: &mut Answer) -> Result<(), Trouble> {
        let (id, entry) = (self.id(body)?, self.entry(body)?.clone());
        let bounds = self.staged.world.body(id)?.bounds();
        let aside = glam::DVec3::X * bounds.size().x * 1.1;
        let pose = self.pose_of(body)?;
        let pose = Pose::new(pose.rotation, pose.translation + aside);
        let name = self.new_name(&entry.name);
        self.do_edit(Edit::Copy { name, of: entry.name, pose: numbers_of(&pose) }, answer)
    }

    fn add_copy(&mut self, of: &str, name: &str, pose: &[f64; 7]) -> Result<(), Trouble> {
        let body = self.known(of)?;
        let entry = self.entry(body)?.clone();
        let copy = self.staged.world.add(name, &entry.model, pose_of_numbers(pose))?;
        if !entry.body.is_true_shape {
            self.staged.world.set_watertight(copy, entry.body.flaw.is_none())?;
        }
        let staged = noli_project::StagedBody { id: copy, ..entry.body };
        self.staged.bodies.push(staged.clone());
        self.enter(staged, Some(Added::Copy(of.to_owned())))?;
        Ok(())
    }
}

/// A text for each body of a text of ours.
fn each_alone(toml: &str) -> Vec<String> {
    let Ok(document) = toml.parse::<toml_edit::DocumentMut>() else { return Vec::new() };
    let tables = document.get("body").and_then(toml_edit::Item::as_array_of_tables);
    let alone = |table: &toml_edit::Table| {
        let mut document = document.clone();
        let only = std::iter::once(table.clone()).collect::<toml_edit::ArrayOfTables>();
        document.insert("body", toml_edit::Item::ArrayOfTables(only));
        document.to_string()
    };
    tables.into_iter().flat_map(toml_edit::ArrayOfTables::iter).map(alone).collect()
}

/// The formula of the only body that a text of ours has.
fn formula_in(toml: &str) -> Option<Formula> {
    let scene = noli_project::parse_scene(toml.as_bytes()).ok()?;
    super::origins::formula_of(scene.bodies.first()?, scene.units)
}

/// A text as TOML has it.
pub(crate) fn quoted(text: &str) -> String {
    toml_edit::Value::from(text).to_string()
}

/// A pose as a scene has it, to the last bit.
pub(crate) fn pose_line(pose: &Pose) -> String {
    let [x, y, z, qx, qy, qz, qw] = numbers_of(pose);
    format!("pose = {{ xyz = [{x:?}, {y:?}, {z:?}], quaternion = [{qx:?}, {qy:?}, {qz:?}, {qw:?}] }}\n")
}
