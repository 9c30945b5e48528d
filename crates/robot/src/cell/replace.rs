//! Obstacles replaced in a built cell, as a sensor sends a new cloud at every frame.

use super::build::{CellError, next_number};
use super::cover::Cover;
use super::data::{Body, PartKind};
use super::{Cell, Tables};
use crate::error::suggestion;
use noli::{Model, Pose};
use std::sync::OnceLock;

impl Cell {
    /// Replaces the shape and the pose of an obstacle. Robots, other obstacles, rules and margins stay, and so do the
    /// tables of pairs without the obstacle. Answers are those of a cell that was built with the new shape.
    ///
    /// The time is that of the new shape alone. An empty point cloud is an obstacle that nothing touches: add one for
    /// every sensor when the cell is built, and set it at every frame.
    ///
    /// ```
    /// use noli_robot::cell::{CellBuilder, StateStatus};
    /// use noli_robot::{PumaSet, puma560};
    /// use noli::{Model, PointCloud, Pose};
    /// let robot = std::sync::Arc::new(puma560(PumaSet::FuGonzalezLee));
    /// let shapes = robot.shapes(|file| Err(file.to_owned()))?;
    /// let mut builder = CellBuilder::default();
    /// builder.add_robot("", robot, Pose::IDENTITY, &shapes)?;
    /// builder.disable("link2", "link4", "intersect in this model")?;
    /// builder.disable("link4", "link6", "intersect in this model")?;
    /// let cloud = |points| Model::new(PointCloud::new(points, 0.1)?);
    /// builder.add_obstacle("camera", &cloud(vec![])?, Pose::IDENTITY)?;
    /// let mut cell = builder.build();
    /// assert_eq!(cell.checker().check_state(&[0.0; 6])?, StateStatus::Free);
    /// cell.set_obstacle("camera", &cloud(vec![glam::dvec3(0.4, 0.1, 0.0)])?, Pose::IDENTITY)?;
    /// assert!(matches!(cell.checker().check_state(&[0.0; 6])?, StateStatus::Hit(_)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("set_cloud", "stream", "octomap update", "add_pointcloud"))]
    pub fn set_obstacle(&mut self, name: &str, model: &Model, place: Pose) -> Result<(), CellError> {
        let body = self.obstacle_body(name)?;
        if !place.is_valid() {
            return Err(CellError::Place(name.to_owned()));
        }
        let part = self.data.bodies[body].part;
        let cover = Cover::new(model, &place);
        let (carrier_from_body, model) = (place, model.clone());
        self.data.bodies[body] = Body { part, model, carrier_from_body, carrier: None, cover, certain: None };
        let pairs = self.filter.replace(&self.data, body as u32);
        let is_stale = |tables: &Tables| pairs.iter().any(|&pair| tables.has(pair));
        if self.tables().is_some_and(is_stale) {
            self.tables = OnceLock::new();
        }
        // Kept memory holds the places of the obstacles.
        self.number = next_number();
        Ok(())
    }

    /// The body of an obstacle, which has one.
    fn obstacle_body(&self, name: &str) -> Result<usize, CellError> {
        let obstacles = || self.data.parts.iter().filter(|part| part.holder == PartKind::World);
        let is_named = |body: &Body| {
            let part = &self.data.parts[body.part];
            part.holder == PartKind::World && part.name == name
        };
        self.data.bodies.iter().position(is_named).ok_or_else(|| {
            let hint = suggestion(name, obstacles().map(|part| part.name.as_str()));
            CellError::NoSuch { name: name.to_owned(), hint: format!(" among the obstacles{hint}") }
        })
    }
}
