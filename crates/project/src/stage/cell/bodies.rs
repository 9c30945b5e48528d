//! The bodies of a cell: obstacles, and parts that can be taken.

use super::loaded::CellLook;
use super::loader::Loader;
use crate::data::suggest::name_one;
use crate::load::scene::{LoadedBody, LoadedScene, load_parsed};
use crate::stage::mesh_kind::TakeAs;
use crate::stage::scene::{StageOptions, stage};
use crate::stage::surroundings::Surrounding;
use noli::{Model, Pose};
use noli_formats::{FileError, ReadOptions};
use noli_grid::UncertainCells;
use noli_program::run::{GraspablePart, WorkCell};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

impl Loader<'_> {
    pub(super) fn bodies(
        &self,
        work: &mut WorkCell,
        looks: &mut Vec<CellLook>,
        warnings: &mut Vec<String>,
        inputs: &mut Vec<PathBuf>,
    ) -> Result<(), FileError> {
        if self.cell.scene.bodies.is_empty() {
            return self.cell.parts.first().map_or(Ok(()), |part| {
                let reason = format!("no body is called `{}`", part.body.as_str());
                Err(self.error(part.line, reason, "add a [[body]] of that name"))
            });
        }
        let scene = load_parsed(self.cell.scene.clone(), self.path, &ReadOptions::default())?;
        inputs.extend(scene.files(self.path));
        let options = StageOptions { take_as: TakeAs::Auto, ..StageOptions::default() };
        let staged =
            stage(&scene, &options).map_err(|error| self.error(0, error.to_string(), "correct the body"))?;
        warnings.extend(staged.warnings.iter().cloned());
        let factor = self.length(1.0);
        let mut used = vec![false; self.cell.parts.len()];
        let mut scaled: HashMap<*const glam::DVec3, Model> = HashMap::new();
        for ((_, body), (shown, loaded)) in staged.world.bodies().zip(staged.bodies.iter().zip(&scene.bodies))
        {
            let line = self.cell.scene.bodies[loaded.entry].line;
            let wrong = |text: String| self.error(line, text, "give it an ordinary size");
            let key = body.model().mesh().map(|mesh| mesh.vertices().as_ptr());
            let known = key.and_then(|key| scaled.get(&key));
            let model = match known {
                Some(model) => model.clone(),
                None if factor == 1.0 => body.model().clone(),
                None => body.model().scaled(factor).map_err(|error| wrong(error.to_string()))?,
            };
            if let Some(key) = key {
                scaled.insert(key, model.clone());
            }
            let pose = Pose::new(body.pose().rotation, body.pose().translation * factor);
            let name = body.name().to_owned();
            let is_part = self.cell.parts.iter().rposition(|part| part.body.matches(&name));
            let mesh = shown.look.scaled(factor).map_err(|error| wrong(error.to_string()))?;
            let loose = is_part.map(|_| work.loose.len());
            let piece = piece_of(&scene, loaded);
            let cells = shown.cells.as_ref().map(|cells| Arc::new(cells.scaled(factor)));
            let undecided = cells.as_ref().filter(|cells| cells.kind() == UncertainCells::Undecided);
            let certain = undecided.map(|cells| cells.certain_model()).transpose();
            let certain = certain.map_err(|error| wrong(error.to_string()))?;
            looks.push(CellLook {
                name: name.clone(),
                mesh,
                model: (cells.is_some() || model.point_cloud().is_some()).then(|| model.clone()),
                cells,
                link: None,
                place: pose,
                piece: Pose::new(piece.rotation, piece.translation * factor),
                loose,
            });
            match is_part {
                Some(k) => {
                    used[k] = true;
                    let may_touch = self.cell.parts[k].may_touch.clone();
                    // Every grasp builds a cell; the spheres of its parts are built once.
                    work.plan.keep_spheres(&model);
                    work.loose.push(GraspablePart { name, model, place: pose, may_touch });
                }
                None => {
                    let is_tessellated = shown.origin.uncertainty > 0.0;
                    let obstacle = Surrounding { name, model, place: pose, certain, is_tessellated };
                    let added = obstacle.add_to(&mut work.plan);
                    added.map_err(|error| self.error(line, error.to_string(), "give it another name"))?;
                }
            }
        }
        let unused = self.cell.parts.iter().zip(&used).find(|(_, used)| !**used);
        if let Some((part, _)) = unused {
            let names = scene.bodies.iter().map(|body| body.name.as_str());
            let reason = format!("no body is called `{}`", part.body.as_str());
            return Err(self.error(part.line, reason, name_one(part.body.as_str(), names)));
        }
        self.allowed_contacts(work)
    }

    /// Resolves the patterns of what parts may touch to names of links and bodies.
    fn allowed_contacts(&self, work: &mut WorkCell) -> Result<(), FileError> {
        let names: Vec<String> = work
            .plan
            .part_names()
            .map(str::to_owned)
            .chain(work.loose.iter().map(|part| part.name.clone()))
            .collect();
        for part in 0..work.loose.len() {
            let entry = self.cell.parts.iter().rfind(|entry| entry.body.matches(&work.loose[part].name));
            let mut all = Vec::new();
            for wanted in work.loose[part].may_touch.clone() {
                let pattern = noli::world::Pattern::new(&wanted);
                let found: Vec<&String> = names.iter().filter(|name| pattern.matches(name)).collect();
                if found.is_empty() {
                    let line = entry.map_or(0, |entry| entry.line);
                    let reason = format!("nothing is called `{wanted}`");
                    return Err(self.error(
                        line,
                        reason,
                        name_one(&wanted, names.iter().map(String::as_str)),
                    ));
                }
                all.extend(found.into_iter().filter(|name| **name != work.loose[part].name).cloned());
            }
            work.loose[part].may_touch = all;
        }
        Ok(())
    }
}

/// Returns the pose of a body in the frame that its entry places.
fn piece_of(scene: &LoadedScene, body: &LoadedBody) -> Pose {
    let entry = scene.scene.world_pose(body.entry);
    if entry == body.pose { Pose::IDENTITY } else { entry.inverse() * body.pose }
}
