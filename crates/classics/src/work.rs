//! Work done by a method, and its remaining budget.

use noli::Budget;
use noli::tree::walk::Meter;

/// Number of tests of each kind that a method made: its cost on any machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Spheres or boxes compared; of a tree, pairs of node boxes.
    pub volumes: u64,
    /// Pairs of voxels that hold faces and may intersect.
    pub voxel_pairs: u64,
    /// Different pairs of faces, or of an edge and a face, that filters left over.
    pub face_pairs: u64,
    /// Points compared with planes.
    pub planes: u64,
    /// Cells of space written and read.
    pub cells: u64,
    /// Features replaced by a neighbour during the walk to the closest.
    pub walked: u64,
    /// Exact tests of two faces, or of an edge and a face.
    pub exact: u64,
}

impl std::ops::AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.volumes += other.volumes;
        self.voxel_pairs += other.voxel_pairs;
        self.face_pairs += other.face_pairs;
        self.planes += other.planes;
        self.cells += other.cells;
        self.walked += other.walked;
        self.exact += other.exact;
    }
}

/// Work under a budget. Methods answer nothing (`None`) once it is used up.
pub(crate) struct Tally<'b> {
    pub(crate) work: Work,
    meter: Meter<'b>,
}

impl<'b> Tally<'b> {
    pub(crate) fn new(budget: &Budget<'b>) -> Self {
        Self { work: Work::default(), meter: budget.meter() }
    }

    /// Spend one step.
    pub(crate) fn step(&mut self) -> Option<()> {
        self.meter.step().then_some(())
    }

    /// Spend a step on an exact test.
    pub(crate) fn exact(&mut self) -> Option<()> {
        self.work.exact += 1;
        self.step()
    }
}
