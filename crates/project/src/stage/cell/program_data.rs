//! Locations, signals and rules for pairs, as programs find them.

use super::loader::Loader;
use crate::data::cell::{CellLocation, LocationPlace, SignalDrive};
use crate::data::suggest::name_one;
use noli::{Convex, Model, Pose};
use noli_formats::FileError;
use noli_program::run::{PairSetting, Signal, SignalSource, WorkCell};

impl Loader<'_> {
    pub(super) fn locations(&self, work: &mut WorkCell) -> Result<(), FileError> {
        let root_from_world = work.world_from_root.inverse();
        let chain = Self::chain(&work.robot, work.flange);
        for (number, location) in self.cell.locations.iter().enumerate() {
            let key = location.name.to_uppercase();
            match &location.place {
                LocationPlace::Joints(list) => {
                    let values = self.joint_values(&work.robot, &chain, list, location.line)?;
                    work.locations.points.insert(key, values);
                }
                LocationPlace::Relative(pose) => {
                    work.locations.transformations.insert(key, *pose);
                }
                LocationPlace::World(_) | LocationPlace::In(..) => {
                    let pose = root_from_world * self.in_world(number, 0)?;
                    work.locations.transformations.insert(key, pose);
                }
            }
        }
        Ok(())
    }

    pub(super) fn in_world(&self, number: usize, depth: usize) -> Result<Pose, FileError> {
        let location = &self.cell.locations[number];
        if depth > self.cell.locations.len() {
            let reason = format!("location `{}` is in its own frame", location.name);
            return Err(self.error(location.line, reason, "end the circle of `in`"));
        }
        match &location.place {
            LocationPlace::World(pose) => Ok(*pose),
            LocationPlace::In(frame, pose) => {
                let named = |other: &CellLocation| {
                    other.name.eq_ignore_ascii_case(frame)
                        && matches!(other.place, LocationPlace::World(_) | LocationPlace::In(..))
                };
                let Some(found) = self.cell.locations.iter().position(named) else {
                    let names = self.cell.locations.iter().map(|location| location.name.as_str());
                    let reason = format!("there is no location `{frame}` to be a frame");
                    return Err(self.error(location.line, reason, name_one(frame, names)));
                };
                Ok(self.in_world(found, depth + 1)? * *pose)
            }
            LocationPlace::Joints(_) | LocationPlace::Relative(_) => Ok(Pose::IDENTITY),
        }
    }

    pub(super) fn signals(&self, work: &mut WorkCell) -> Result<(), FileError> {
        for signal in &self.cell.signals {
            if let Some(name) = &signal.name {
                work.variables.insert(name.to_uppercase(), f64::from(signal.number));
            }
            let source = match &signal.drive {
                SignalDrive::Constant(on) => SignalSource::Constant(*on),
                SignalDrive::Timed(changes) => SignalSource::Timed(changes.clone()),
                &SignalDrive::Follows { output, delay, inverted } => {
                    SignalSource::Follows { output, delay, inverted }
                }
                SignalDrive::Sees { size, place } => {
                    let zone = Convex::cuboid((*size).into()).and_then(Model::new);
                    let zone = zone.map_err(|error| {
                        let reason = format!("the zone of signal {}: {error}", signal.number);
                        self.error(0, reason, "give it an ordinary size")
                    })?;
                    SignalSource::Sees { zone, place: *place }
                }
            };
            work.signals.push(Signal { number: signal.number, source });
        }
        Ok(())
    }

    pub(super) fn rules(&self, work: &mut WorkCell) -> Result<(), FileError> {
        work.margin = self.cell.margin;
        let names: Vec<String> = work
            .plan
            .part_names()
            .map(str::to_owned)
            .chain(work.loose.iter().map(|part| part.name.clone()))
            .collect();
        for rule in &self.cell.rules {
            let [a, b] = [&rule.pair[0], &rule.pair[1]]
                .map(|pattern| names.iter().filter(|name| pattern.matches(name)).collect::<Vec<_>>());
            for (pattern, found) in rule.pair.iter().zip([&a, &b]) {
                if found.is_empty() {
                    let reason = format!("no link or body is called `{}`", pattern.as_str());
                    let remedy = name_one(pattern.as_str(), names.iter().map(String::as_str));
                    return Err(self.error(rule.line, reason, remedy));
                }
            }
            for x in &a {
                for y in b.iter().filter(|y| *y != x) {
                    let said = rule
                        .margin
                        .map_or_else(|| PairSetting::Off(rule.reason.clone()), PairSetting::Margin);
                    work.rules.push(([(*x).clone(), (*y).clone()], said));
                }
            }
        }
        Ok(())
    }
}
