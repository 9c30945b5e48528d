//! Robots among other bodies: which links collide with what, in a configuration and on the motion between two.
//!
//! A [`Cell`] holds robots, obstacles and attached objects, and for every pair of them the rule of the allowed
//! collision matrix with its [reason](DisableReason). A [`Checker`] answers for one configuration, for many, and for the
//! straight motion in joint space between two. Every verdict is that of [`noli::overlap`] on the true shapes.
//!
//! | stage | file |
//! |---|---|
//! | data: parts, bodies, pairs | `data`, `cover` (bounding and inscribed spheres), `build` |
//! | sixteen configurations: separated, in collision, or unsure | `filter` |
//! | filter, then exact queries on unsure pairs | `checker`, `cloud_faces`, `clearance` |
//! | motions | `edge`, `curve` and `tube` (collision-free or not), `contact` (first contact), `clearance_along` |
//! | two motions with any timing | `coordination` |
//! | points of a sensor on the robots | `self_filter`, `face_grid` |
//! | obstacles replaced in a built cell, and obstacles of which a part is certain | `replace`, `uncertain` |
//! | room for deviations of a tool | `widen` |
//! | all configurations of a pair | `prove`, and `table_proof` for the filter's tables |
//!
//! ```
//! use noli_robot::cell::{CellBuilder, StateStatus};
//! use noli_robot::{PumaSet, puma560};
//! use noli::{Convex, Model, Pose};
//! let robot = std::sync::Arc::new(puma560(PumaSet::FuGonzalezLee));
//! let shapes = robot.shapes(|file| Err(file.to_owned()))?;
//! let mut builder = CellBuilder::default();
//! let arm = builder.add_robot("", robot, Pose::IDENTITY, &shapes)?;
//! let sphere = Model::new(Convex::sphere(0.1)?)?;
//! builder.add_obstacle("sphere", &sphere, Pose::from_translation(glam::dvec3(0.4, 0.1, 0.0)))?;
//! let cell = builder.build();
//! let mut checker = cell.checker();
//! let StateStatus::Hit(pair) = checker.check_state(&[0.0; 6])? else { panic!("the arm reaches through it") };
//! assert_eq!(cell.pair_names(pair)[1], "sphere");
//! # let _ = arm;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arm_motion;
mod build;
mod checker;
mod clearance;
mod clearance_along;
mod cloud_faces;
mod cloud_image;
mod contact;
mod coordination;
mod cover;
mod curve;
mod data;
mod edge;
mod face_grid;
mod filter;
mod prove;
mod replace;
mod self_filter;
mod table_proof;
mod trail;
mod tube;
mod uncertain;
mod widen;

pub use build::{CellBuilder, CellError};
pub use checker::{Checker, CheckerMemory, CollidingPair, StateStatus};
pub use clearance::Nearest;
pub use clearance_along::Closest;
#[doc(hidden)]
pub use cloud_image::CloudImage;
pub use contact::EdgeTouch;
pub use coordination::{Coordination, CoordinationOptions, Zone};
pub use data::{Body, BodyPair, DisableReason, Pair, PairRule, Part, PartKind};
pub use edge::{EdgeError, MotionStatus};
pub use filter::FilterImage;
pub use prove::{Domain, DomainRange, PairProof, ProofOptions, RangeOrigin, Reachability};
pub use tube::TubeStatus;

use crate::ConfigurationError;
use crate::tree::{Robot, Variable};
use data::CellData;
use face_grid::FaceGrid;
use filter::{SphereFilter, Tables};
use noli::{Model, Pose};
use std::sync::{Arc, OnceLock};

/// Configurations of a batch, and spheres of a set.
pub(crate) const LANES: usize = 16;

/// Robots among other bodies, ready to be asked; any thread may.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Identity of the cell; equal copies share it.
    number: u64,
    data: CellData,
    filter: SphereFilter,
    /// Made when many configurations are asked about.
    tables: OnceLock<Arc<Tables>>,
    /// Faces of the bodies on links, made when points of a sensor are first compared with them.
    faces: OnceLock<Arc<Vec<Option<FaceGrid>>>>,
}

impl Cell {
    /// Its parts: links that have shapes, objects carried, bodies that stand still.
    pub fn parts(&self) -> &[Part] {
        &self.data.parts
    }

    /// All pairs of parts but those of two bodies that stand still, each with whether it is asked about.
    pub fn pairs(&self) -> &[Pair] {
        &self.data.pairs
    }

    /// A variable of a configuration of all robots.
    ///
    /// # Panics
    ///
    /// If there is no such value.
    pub fn variable(&self, value: usize) -> &Variable {
        self.data.variable(value)
    }

    /// The names of both parts of a pair.
    ///
    /// # Panics
    ///
    /// If there is no such pair.
    pub fn pair_names(&self, pair: usize) -> [&str; 2] {
        self.data.pairs[pair].parts.map(|part| self.data.parts[part].name.as_str())
    }

    /// The number of a pair, by the names of its parts; `None` if there is none.
    pub fn pair(&self, a: &str, b: &str) -> Option<usize> {
        (0..self.data.pairs.len()).find(|&pair| {
            let names = self.pair_names(pair);
            names == [a, b] || names == [b, a]
        })
    }

    /// The shapes of all parts, with the number of the part.
    pub fn shapes(&self) -> impl ExactSizeIterator<Item = (usize, &Model)> {
        self.data.bodies.iter().map(|body| (body.part, &body.model))
    }

    /// Where the shapes are in a configuration, in the order of [`shapes`](Self::shapes).
    pub fn shape_poses(&self, values: &[f64]) -> Result<Vec<Pose>, ConfigurationError> {
        self.check_values(values)?;
        let mut links = vec![Pose::IDENTITY; self.data.links];
        self.data.pose_links(values, &mut links);
        let place = |body: &Body| match body.carrier {
            Some(link) => links[link] * body.carrier_from_body,
            None => body.carrier_from_body,
        };
        Ok(self.data.bodies.iter().map(place).collect())
    }

    /// The shapes with their spheres, in the order of [`shapes`](Self::shapes).
    pub fn bodies(&self) -> &[Body] {
        &self.data.bodies
    }

    /// The pairs of bodies that are tested, the likeliest to collide first.
    pub fn body_pairs(&self) -> &[BodyPair] {
        &self.data.on
    }

    /// How many numbers a configuration of all robots has, one robot's after the other's.
    pub fn value_count(&self) -> usize {
        self.data.values
    }

    /// The robots, in the order they were added.
    pub fn robots(&self) -> impl ExactSizeIterator<Item = &Arc<Robot>> {
        self.data.arms.iter().map(|arm| &arm.robot)
    }

    /// The poses of the roots of all robots, in the same order; quaternions are of unit length.
    pub fn roots(&self) -> impl ExactSizeIterator<Item = &Pose> {
        self.data.arms.iter().map(|arm| &arm.world_from_root)
    }

    /// Makes what pays only for many questions: tables over joint space for pairs that are always near, in
    /// about a tenth of a second for each of a few. A batch of some thousand configurations, or as many asked
    /// one by one, does so by itself. No answer depends on it.
    pub fn prepare(&self) {
        self.tables.get_or_init(|| Arc::new(table_proof::tables(&self.data, &self.filter)));
        if self.has_clouds() {
            self.face_grids();
        }
    }

    /// The arrays of the filter with its tables, for other devices; `None` if they have no such form.
    #[doc(hidden)]
    pub fn filter_image(&self) -> Option<FilterImage> {
        self.prepare();
        let mut image = FilterImage::new(&self.filter, self.tables()?)?;
        if self.has_clouds() {
            for grid in self.face_grids().iter() {
                let number = grid.as_ref().map_or(u32::MAX, |grid| grid.write(&mut image.clouds));
                image.clouds.grid_of.push(number);
            }
        }
        Some(image)
    }

    /// Somebody to ask, with memory of its own.
    pub fn checker(&self) -> Checker<'_> {
        Checker::new(self)
    }

    /// Returns a checker that goes on with the memory of an earlier one: for single questions, making it new costs more
    /// than the answer. Memory of another cell is replaced.
    pub fn checker_with(&self, memory: CheckerMemory) -> Checker<'_> {
        Checker::resumed(self, memory)
    }

    /// Refuses what is no configuration of all robots.
    pub fn check_values(&self, values: &[f64]) -> Result<(), ConfigurationError> {
        self.data.check_values(values)
    }

    fn tables(&self) -> Option<&Tables> {
        self.tables.get().map(|tables| &**tables)
    }
}

/// Even numbers in [0, 1), always the same.
fn shares(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 * 2f64.powi(-53)
    }
}
