//! Bodies by their numbers, and where they are in the scene and on the page.

use super::{Added, Entry, Session, Trouble};
use glam::{DQuat, DVec3};
use noli::model::PointCloud;
use noli::world::BodyId;
use noli::{Mesh, Model, Pose};
use noli_grid::{DrawnCells, UncertainCells};
use noli_pages::shape::{SIZE, View, middle_of};
use noli_project::StagedBody;
use std::collections::HashSet;
use std::sync::{Arc, RwLock};

/// Cells of a grid that are sent, at most: 600 kB, and as many triangles on the page.
const MOST_CELLS: usize = 50_000;

/// Drawn in place of a mesh.
#[derive(Clone, Debug)]
pub(crate) enum Drawn {
    /// The mesh itself.
    Mesh,
    /// The points of a cloud.
    Points(PointCloud),
    /// The cells of a grid.
    Cells(Arc<DrawnCells>),
}

impl Drawn {
    fn of(body: &StagedBody, model: &Model) -> Self {
        match (&body.cells, model.point_cloud()) {
            (Some(cells), _) => Self::Cells(Arc::new(cells.drawn(MOST_CELLS))),
            (None, Some(cloud)) => Self::Points(cloud.clone()),
            (None, None) => Self::Mesh,
        }
    }
}

/// Triangles, points or cells as they are sent: each shape once.
#[derive(Clone, Debug)]
pub struct ShapeSource {
    pub(crate) mesh: Mesh,
    pub(crate) drawn: Drawn,
    pub(crate) middle: DVec3,
    /// Scale factor of lengths on the page.
    pub(crate) scale: f64,
}

/// All shapes, which requests read while the session goes on.
pub type Shapes = Arc<RwLock<Vec<ShapeSource>>>;

impl Session {
    /// The shapes, for requests.
    pub fn shapes(&self) -> Shapes {
        self.shapes.clone()
    }

    /// Returns `true` if the scene is far too large, small or distant for a page that was scaled without bodies.
    pub(super) fn is_page_unfit(&self) -> bool {
        let fit = View::new(&self.staged);
        let offset = (fit.middle - self.view.middle).length() * self.view.scale;
        !(1.0..20.0).contains(&(fit.scale / self.view.scale)) || offset > SIZE
    }

    /// Scales the page to the current scene.
    pub(super) fn measure_page(&mut self) {
        self.view = View::new(&self.staged);
        // Results, bodies and volumes have other coordinates now.
        *self.swept.write().unwrap_or_else(std::sync::PoisonError::into_inner) = None;
        self.told = None;
        self.told_state.forget();
        let mut shapes = self.shapes.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        shapes.iter_mut().for_each(|shape| shape.scale = self.view.scale);
    }

    /// Another entry for a body of the world.
    pub(super) fn enter(&mut self, body: StagedBody, added: Option<Added>) -> Result<usize, Trouble> {
        let found = self.staged.world.body(body.id)?;
        let (name, group) = (found.name().to_owned(), found.group().map(str::to_owned));
        let (model, pose) = (found.model().clone(), found.pose());
        let (shape, middle) = self.shape_number(&body.look, || Drawn::of(&body, &model));
        let number = self.entries.len();
        self.numbers.insert(body.id, number);
        let (id, origin, formula) = (Some(body.id), None, None);
        self.entries.push(Entry {
            name,
            group,
            id,
            model,
            body,
            shape,
            middle,
            pose,
            parent: None,
            added,
            origin,
            formula,
        });
        Ok(number)
    }

    /// The number of the shape that a body looks like, and its middle.
    pub(super) fn shape_number(&mut self, look: &Mesh, drawn: impl FnOnce() -> Drawn) -> (usize, DVec3) {
        let key = look.vertices().as_ptr().addr();
        let mut shapes = self.shapes.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        let shape = *self.shape_of.entry(key).or_insert_with(|| {
            let (middle, scale) = (middle_of(look), self.view.scale);
            shapes.push(ShapeSource { mesh: look.clone(), drawn: drawn(), middle, scale });
            shapes.len().saturating_sub(1)
        });
        (shape, shapes[shape].middle)
    }

    /// Lets go of the shape of a body that gets another one. Its number stays taken.
    pub(super) fn free_shape(&mut self, body: usize) {
        let shape = self.entries[body].shape;
        if self.entries.iter().filter(|entry| entry.shape == shape).count() > 1 {
            return;
        }
        self.shape_of.retain(|_, number| *number != shape);
        let mut shapes = self.shapes.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        // A tetrahedron takes no room, and nobody draws it.
        (shapes[shape].mesh, shapes[shape].drawn) = (Mesh::tetrahedron(), Drawn::Mesh);
    }

    /// Gives bodies that are about to be entered the shapes that tabs have already, where they look the same.
    pub(super) fn reuse_shapes(&mut self, bodies: &[StagedBody]) {
        let shapes = self.shapes.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        // The mesh of a grid has fewer cells than are drawn.
        let is_drawn = |shape: &ShapeSource, body: &StagedBody| match (&shape.drawn, &body.cells) {
            (Drawn::Cells(drawn), Some(cells)) => **drawn == cells.drawn(MOST_CELLS),
            (Drawn::Cells(_), None) | (_, Some(_)) => false,
            _ => true,
        };
        let known = |body: &StagedBody| {
            shapes.iter().position(|shape| shape.mesh == body.look && is_drawn(shape, body))
        };
        let found =
            bodies.iter().filter_map(|body| Some((body.look.vertices().as_ptr().addr(), known(body)?)));
        self.shape_of = found.collect();
    }

    /// Describes the cells of a grid: how many there are, and how they are drawn.
    pub(super) fn cells_text(&self, number: usize) -> Option<String> {
        let entry = &self.entries[number];
        let cells = entry.body.cells.as_ref()?;
        let shapes = self.shapes.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        let Drawn::Cells(drawn) = &shapes.get(entry.shape)?.drawn else { return None };
        let [certain, uncertain] = cells.counts();
        let others = match (cells.kind(), uncertain) {
            (_, 0) => String::new(),
            (UncertainCells::Unknown, count) => format!(" and {count} unknown"),
            (UncertainCells::Undecided, count) => format!(" and {count} undecided"),
        };
        let all = certain.saturating_add(uncertain);
        let noun = if all == 1 { "cell" } else { "cells" };
        let shown = match drawn.side {
            1 if drawn.centers.len() == all => String::new(),
            1 => format!("; the {} at the surface are drawn", drawn.centers.len()),
            side => format!("; drawn as {} blocks of {side} × {side} × {side} cells", drawn.centers.len()),
        };
        let solid = if cells.kind() == UncertainCells::Unknown { "occupied" } else { "solid" };
        Some(format!("{certain} {solid}{others} {noun}{shown}"))
    }

    /// Lets go of all shapes that no body has.
    pub(super) fn free_unused_shapes(&mut self) {
        let used: HashSet<usize> = self.entries.iter().map(|entry| entry.shape).collect();
        let mut shapes = self.shapes.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        let unused = shapes.iter_mut().enumerate().filter(|(number, _)| !used.contains(number));
        unused.for_each(|(_, shape)| (shape.mesh, shape.drawn) = (Mesh::tetrahedron(), Drawn::Mesh));
    }

    /// The number of a body that is there, by its name.
    pub(super) fn named(&self, name: &str) -> Option<usize> {
        self.entries.iter().position(|entry| entry.name == name)
    }

    pub(super) fn entry(&self, body: usize) -> Result<&Entry, Trouble> {
        let missing = || Trouble::new(format!("there is no body {body}"), "reload the page");
        self.entries.get(body).ok_or_else(missing)
    }

    /// The id of a body that is there.
    pub(super) fn id(&self, body: usize) -> Result<BodyId, Trouble> {
        let entry = self.entry(body)?;
        let gone = || Trouble::new(format!("{} was removed", entry.name), "undo that first");
        entry.id.ok_or_else(gone)
    }

    /// The names of a body and of others, each once. All of them are there.
    pub(super) fn names_of_all(&self, body: usize, with: &[usize]) -> Result<Vec<String>, Trouble> {
        let mut names: Vec<String> = Vec::new();
        for &one in std::iter::once(&body).chain(with) {
            self.id(one)?;
            let name = &self.entry(one)?.name;
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        Ok(names)
    }

    pub(super) fn pose_of(&self, body: usize) -> Result<Pose, Trouble> {
        match self.entry(body)?.id {
            Some(id) => Ok(self.staged.world.body(id)?.pose()),
            None => Ok(self.entry(body)?.pose),
        }
    }

    /// Returns the pose of a body's centre on the page.
    pub(super) fn place_of(&self, body: usize) -> Result<([f64; 3], [f64; 4]), Trouble> {
        Ok(self.view.pose(&self.pose_of(body)?, self.entry(body)?.middle))
    }

    /// The pose whose place on the page is this one. A turn that the page has not changed stays as it is, bit by bit.
    pub(super) fn pose_from_page(&self, body: usize, at: [f64; 3], turn: [f64; 4]) -> Result<Pose, Trouble> {
        let wrong = || Trouble::new("this is no place for a body", "reload the page");
        let now = self.pose_of(body)?;
        let asked = DQuat::from_array(turn);
        // Far beyond the scene is nowhere; the scene is 100 on the page.
        if !at.iter().chain(&turn).all(|x| x.abs() < 1e9) || asked.length_squared() < 1e-12 {
            return Err(wrong());
        }
        let same = now.rotation.normalize().to_array() == turn;
        let rotation = if same { now.rotation } else { asked.normalize() };
        let turned = Pose::from_rotation(rotation).transform_point(self.entry(body)?.middle);
        let pose = Pose::new(rotation, self.view.back(at) - turned);
        if pose.is_valid() { Ok(pose) } else { Err(wrong()) }
    }
}
