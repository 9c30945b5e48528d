//! From a cell file to the workplace that programs run in.

use super::loaded::{LoadedCell, OpenStored, StoredArm};
use crate::data::cell::CellFile;
use crate::load::robot::{load_srdf, srdf_warnings};
use noli::Pose;
use noli_formats::display_name::printable;
use noli_formats::{FileError, Place, Units};
use noli_program::run::{WorkCell, WorkCellError};
use noli_robot::Robot;
use noli_robot::cell::CellBuilder;
use std::path::Path;
use std::sync::Arc;

pub(super) struct Loader<'a> {
    pub(super) cell: &'a CellFile,
    pub(super) path: &'a Path,
    pub(super) stored: OpenStored<'a>,
}

impl Loader<'_> {
    pub(super) fn error(
        &self,
        line: usize,
        reason: impl Into<String>,
        remedy: impl Into<String>,
    ) -> FileError {
        let place = if line > 0 { Place::Line(line) } else { Place::Whole };
        FileError::new(place, reason, remedy).in_file(self.path)
    }

    pub(super) fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    pub(super) fn length(&self, value: f64) -> f64 {
        self.cell.scene.units.convert(value, Units::Metre)
    }

    pub(super) fn load(&self) -> Result<LoadedCell, FileError> {
        let mut warnings = Vec::new();
        let mut inputs = vec![self.path.to_path_buf()];
        let (mut plan, mut looks, mut states) = (CellBuilder::default(), Vec::new(), Vec::new());
        let (mut first, mut others): (Option<(Arc<Robot>, Pose)>, Vec<f64>) = (None, Vec::new());
        let mut standing = Vec::new();
        for (number, entry) in self.cell.robots.iter().enumerate() {
            let StoredArm { mut loaded, rules } = self.robot(entry, &mut inputs)?;
            warnings.append(&mut loaded.warnings.iter().map(|warning| warning.to_string()).collect());
            if number == 0
                && let Some(gripper) = &self.cell.gripper
            {
                loaded = self.with_gripper(loaded, entry, gripper)?;
            }
            let robot = Arc::new(loaded.robot.clone());
            let arm = plan.add_robot(&entry.prefix, robot.clone(), entry.base, &loaded.shapes);
            let arm =
                arm.map_err(|error| self.error(entry.line, error.to_string(), "give the robot a `name`"))?;
            self.stored_rules(&mut plan, entry, &rules)?;
            if let Some(file) = &entry.srdf {
                let file = self.folder().join(file);
                let srdf = load_srdf(&file, &robot)?;
                warnings.extend(srdf_warnings(&srdf, &file));
                plan.apply_srdf(arm, &srdf);
                inputs.push(file);
                if number == 0 {
                    states = srdf.states;
                }
            }
            if number == 0 {
                looks.extend(self.link_looks(entry, &loaded, None)?);
                first = Some((robot, entry.base));
            } else {
                let flange = self.flange(entry, &robot)?;
                let values = self.chain_values(&robot, flange, entry.start.as_ref(), entry.line)?;
                standing.extend(self.link_looks(entry, &loaded, Some(&values))?);
                others.extend(values);
            }
        }
        let Some((robot, base)) = first else {
            return Err(self.error(0, "the cell has no robot", "add a [[robot]]"));
        };
        let entry = &self.cell.robots[0];
        let flange = self.flange(entry, &robot)?;
        let mut work = WorkCell::new(plan, robot.clone(), &entry.prefix, base, flange);
        work.others = others;
        work.start = self.chain_values(&robot, flange, entry.start.as_ref(), entry.line)?;
        work.ready =
            self.chain_values(&robot, flange, entry.ready.as_ref().or(entry.start.as_ref()), entry.line)?;
        work.tool = entry.tool;
        if let Some(speed) = self.cell.turn_speed {
            work.turn_speed = speed;
        }
        if let Some(speed) = self.cell.tool_speed {
            work.slide_speed = speed;
        }
        if let Some(gripper) = &self.cell.gripper {
            work.grasp = Some(self.grasp(gripper, &robot, entry)?);
        }
        self.bodies(&mut work, &mut looks, &mut warnings, &mut inputs)?;
        looks.append(&mut standing);
        self.locations(&mut work)?;
        self.signals(&mut work)?;
        self.rules(&mut work)?;
        // Faults of names and shapes are reported here, not in the middle of a run.
        let stand: Vec<_> =
            work.loose.iter().map(|part| noli_program::run::PartLocation::Stands(part.place)).collect();
        work.cell(&stand, None).map_err(|error: WorkCellError| {
            self.error(0, error.to_string(), "give robots and bodies different names")
        })?;
        let program = self.cell.program.as_ref().map(|file| (self.folder().join(file), None));
        let title = printable(&self.path.display().to_string());
        let (on_contact, blend) = (self.cell.on_contact, self.cell.blend);
        Ok(LoadedCell { title, work, looks, program, states, on_contact, blend, warnings, inputs })
    }
}
