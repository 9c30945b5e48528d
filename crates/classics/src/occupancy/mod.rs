//! Space as an array of cells that store their occupants (Uchiki, Ohashi and Tokoro 1983).
//!
//! Bodies write their number into the cells they occupy; a second number in a cell sends a message to both
//! bodies. Conservative: every cell a body touches is written, and solids are filled. So no overlap of
//! placed bodies is missed; bodies at the distance of a cell's diagonal may be reported. Nothing is tested
//! between two poses. Differs from the print: a cell stores all its occupants, so that leaving erases no
//! other body. Only cells in use are stored; bodies that protrude from the space are rejected. The cost is
//! that of the cells, almost independent of the number of bodies.

mod raster;

use super::grid::Grid;
use super::polyhedron::{Polyhedron, Stood, bounds_separated};
use super::work::Tally;
use noli::Budget;
use noli_geom::{Aabb, Mesh, Pose};
use std::collections::{BTreeSet, HashMap};

/// The most cells along an edge of a pair's space.
pub const MAX_RESOLUTION: u32 = 512;

/// The most cells along an edge of an [`OccupancySpace`], as in the source: `1024³` words.
pub const MAX_CELLS: u32 = 1024;

/// The number of a body in a space, from 1 to 255; 0 means no body.
pub type Occupant = u8;

/// Two bodies in one cell; both receive it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Message {
    /// The cell.
    pub cell: [u32; 3],
    /// Body that was there before.
    pub occupant: Occupant,
    /// Body that entered.
    pub intruder: Occupant,
}

/// Reason why a space rejects a request.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OccupancyError {
    /// A word of eight bits numbers 255 bodies.
    #[error("a space holds at most 255 bodies; use another space, or the four steps, for more")]
    Full,
    /// The space has no size, or too many cells.
    #[error("a space needs a finite box and 1 to {MAX_CELLS} cells along each edge, not {cells:?}")]
    BadSpace {
        /// Requested cells.
        cells: [u32; 3],
    },
    /// A body does not fit in the space.
    #[error("body {name:?} sticks out of the space; make the space larger than all places of all bodies")]
    OffGrid {
        /// The body.
        name: String,
    },
    /// A pose is none.
    #[error("the pose of body {name:?} is not finite or has no rotation")]
    BadPose {
        /// The body.
        name: String,
    },
    /// There is no body of this number.
    #[error("there is no body number {0} in the space")]
    Nobody(Occupant),
}

/// Cells of space and the bodies in them.
///
/// ```
/// use noli_classics::OccupancySpace;
/// # let cube = noli_scenes::cuboid(glam::DVec3::ONE);
/// # let cube = noli::Mesh::from_triangles(cube.vertices, cube.triangles, &Default::default())?.into_solid();
/// let shifted = |x| noli::Pose::from_translation(glam::dvec3(x, 0.0, 0.0));
/// let bounds = noli_geom::Aabb { min: glam::DVec3::splat(-8.0), max: glam::DVec3::splat(8.0) };
/// let mut space = OccupancySpace::new(bounds, [64; 3])?;
/// let (left, right) = (space.add("left", &cube)?, space.add("right", &cube)?);
/// space.place(left, &shifted(-3.0))?;
/// assert!(space.place(right, &shifted(3.0))?.is_empty());
/// assert!(!space.place(right, &shifted(-1.5))?.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct OccupancySpace {
    grid: Grid,
    bodies: Vec<Resident>,
    occupants: HashMap<u32, Vec<Occupant>>,
    messages: Vec<Message>,
}

#[derive(Clone, Debug)]
struct Resident {
    name: String,
    body: Polyhedron,
    cells: Vec<u32>,
}

impl OccupancySpace {
    /// An empty space with so many cells along each edge.
    pub fn new(bounds: Aabb, cells: [u32; 3]) -> Result<Self, OccupancyError> {
        let finite = bounds.min.is_finite() && bounds.max.is_finite() && bounds.min.cmplt(bounds.max).all();
        if !finite || cells.iter().any(|n| !(1..=MAX_CELLS).contains(n)) {
            return Err(OccupancyError::BadSpace { cells });
        }
        let grid = Grid::new(&bounds, cells);
        Ok(Self { grid, bodies: Vec::new(), occupants: HashMap::new(), messages: Vec::new() })
    }

    /// An empty plane of cells, as the array in two dimensions of the source: bodies take up what lies under them,
    /// and those above each other share cells. Nothing may stick out of `bounds`, its height included.
    pub fn flat(bounds: Aabb, cells: [u32; 2]) -> Result<Self, OccupancyError> {
        Self::new(bounds, [cells[0], cells[1], 1])
    }

    /// A new body, nowhere yet.
    pub fn add(&mut self, name: &str, mesh: &Mesh) -> Result<Occupant, OccupancyError> {
        let number = u8::try_from(self.bodies.len() + 1).map_err(|_| OccupancyError::Full)?;
        self.bodies.push(Resident { name: name.into(), body: Polyhedron::new(mesh), cells: Vec::new() });
        Ok(number)
    }

    /// The name of a body.
    pub fn name(&self, number: Occupant) -> Option<&str> {
        Some(&self.bodies.get(usize::from(number).checked_sub(1)?)?.name)
    }

    /// The number of the first body of a name.
    pub fn number(&self, name: &str) -> Option<Occupant> {
        self.bodies.iter().position(|body| body.name == name).and_then(|i| u8::try_from(i + 1).ok())
    }

    /// Move a body: it leaves its cells and takes up those of the new place. Returns the messages this made,
    /// by cell and occupant. A body that cannot be placed stays where it was.
    pub fn place(&mut self, number: Occupant, pose: &Pose) -> Result<Vec<Message>, OccupancyError> {
        let Resident { name, body, .. } = self.resident(number)?;
        if !pose.is_valid() {
            return Err(OccupancyError::BadPose { name: name.clone() });
        }
        if body.sticks_out(&self.grid, pose) {
            return Err(OccupancyError::OffGrid { name: name.clone() });
        }
        let mut tally = Tally::new(&Budget::UNLIMITED);
        let cells = raster::occupied(&self.grid, &Stood { body, pose }, &mut tally).unwrap_or_default();
        self.vacate(number)?;
        let mut made = Vec::new();
        for &cell in &cells {
            let here = self.occupants.entry(cell).or_default();
            let place = [
                cell % self.grid.dims[0],
                cell / self.grid.dims[0] % self.grid.dims[1],
                cell / (self.grid.dims[0] * self.grid.dims[1]),
            ];
            made.extend(here.iter().map(|&occupant| Message { cell: place, occupant, intruder: number }));
            here.push(number);
            here.sort_unstable();
        }
        self.bodies[usize::from(number) - 1].cells = cells;
        self.messages.extend_from_slice(&made);
        Ok(made)
    }

    /// Take a body out of the space; others in its cells stay.
    pub fn vacate(&mut self, number: Occupant) -> Result<(), OccupancyError> {
        self.resident(number)?;
        for cell in std::mem::take(&mut self.bodies[usize::from(number) - 1].cells) {
            if let Some(here) = self.occupants.get_mut(&cell) {
                here.retain(|&other| other != number);
                if here.is_empty() {
                    self.occupants.remove(&cell);
                }
            }
        }
        Ok(())
    }

    /// All messages so far, in order.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The messages that concern a body, as occupant or intruder.
    pub fn messages_to(&self, number: Occupant) -> impl Iterator<Item = &Message> {
        self.messages.iter().filter(move |m| m.occupant == number || m.intruder == number)
    }

    /// Pairs of bodies that now share a cell, in order: the same in whatever order they were placed.
    pub fn conflicts(&self) -> BTreeSet<(Occupant, Occupant)> {
        let pairs = |here: &Vec<Occupant>| {
            let here = here.clone();
            (0..here.len())
                .flat_map(move |i| {
                    (i + 1..here.len()).map({
                        let here = here.clone();
                        move |j| (here[i], here[j])
                    })
                })
                .collect::<Vec<_>>()
        };
        self.occupants.values().flat_map(pairs).collect()
    }

    /// Returns the largest distance of bodies that share a cell.
    pub fn tolerance(&self) -> f64 {
        raster::reach_of_cell(&self.grid)
    }

    /// Bytes of the array of the source, a word of eight bits a cell.
    pub fn dense_bytes(&self) -> usize {
        self.grid.cell_count()
    }

    /// Returns the number of occupied cells.
    pub fn occupied_cells(&self) -> usize {
        self.occupants.len()
    }

    fn resident(&self, number: Occupant) -> Result<&Resident, OccupancyError> {
        let place = usize::from(number).checked_sub(1);
        place.and_then(|i| self.bodies.get(i)).ok_or(OccupancyError::Nobody(number))
    }
}

/// Tests if two bodies share a cell of the space around them, and returns their largest distance in that
/// case.
pub(super) fn overlap(
    a: &Stood<'_>,
    b: &Stood<'_>,
    resolution: u32,
    tally: &mut Tally<'_>,
) -> Option<(bool, f64)> {
    tally.step()?;
    if bounds_separated(a, b, tally) {
        return Some((false, 0.0));
    }
    let Some(grid) = raster::pair_grid(a, b, resolution.clamp(1, MAX_RESOLUTION)) else {
        return Some((false, 0.0));
    };
    let cells_a = raster::occupied(&grid, a, tally)?;
    let cells_b = raster::occupied(&grid, b, tally)?;
    Some((raster::share_entry(&cells_a, &cells_b).is_some(), raster::reach_of_cell(&grid)))
}
