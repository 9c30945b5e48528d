//! Choice of a split.

/// Split of the faces of a node among its children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Split {
    /// In halves by centroid along the axis of largest spread; counts are rounded so that leaves
    /// and nodes come out full.
    Median,
    /// Like [`Split::Median`], along the longest edge of the axis-aligned box of the centroids.
    #[default]
    LongestAxis,
    /// In halves along a curve through space (Morton 1966): one sort and no choice, so the fastest to
    /// build.
    Morton,
    /// At the least sum of surface times number of faces (Goldsmith and Salmon 1987), over sixteen places per
    /// axis.
    SurfaceArea,
    /// From the faces upward: neighbours along a curve that suit each other best are joined (Meister and
    /// Bittner 2018, after the bottom-up trees of Barequet et al. 1996), then nodes are drawn together to the
    /// wanted degree.
    BottomUp,
    /// The best of all partitions (Eckstein 1998, section 3.4.1) for nodes of at most
    /// [`Split::BRANCH_AND_BOUND_FACES`] faces, or the limit of [`BoundRules`]. Larger nodes are divided by
    /// [`Split::Exchange`]. Exponential: an oracle.
    BranchAndBound,
    /// Centres farthest from each other, each face to the nearest (modified Hochbaum–Shmoys; the rule is
    /// Gonzalez').
    HochbaumShmoys,
    /// The same seeds, then faces change to the nearest mean until none does (Eckstein's heuristic without
    /// intermediate optimisation).
    Exchange,
    /// Faces join the part whose volume they spoil least (Eckstein's heuristic with intermediate
    /// optimisation).
    Growth(Seeding, Insertion),
    /// By the nearest centre of equal parts of the oriented box (modified Gottschalk).
    Gottschalk,
    /// The same with the axis-aligned box (modified Zachmann).
    Zachmann,
    /// By the eight octants of the axis-aligned box (Palmer and Grimsdale 1995, Hubbard 1996); every face
    /// goes to the octant of its middle, so none is in two leaves. Up to eight children, whatever the degree.
    Octree,
    /// The halves of the oriented box across its longest axis that parts the middles (Gottschalk et al. 1996).
    /// Two children, whatever the degree.
    OriginalGottschalk(HalfAt),
    /// By a plane across an axis of the world (Klosowski et al. 1998). Two children, whatever the degree.
    Klosowski(AxisRule, PlaneAt),
    /// The halves of the box of the middles across its longest side (Quinlan 1994). Two children, whatever the degree.
    Quinlan,
    /// From the faces upward like [`Split::BottomUp`], by oriented boxes: two nodes are joined whose common box is smallest,
    /// its axes those of spread of the sixteen vertices of theirs (Barequet et al. 1996). Two children, whatever the degree.
    Barequet,
}

impl Split {
    /// Nodes of more faces are too many for [`Split::BranchAndBound`].
    pub const BRANCH_AND_BOUND_FACES: usize = 10;

    /// Every split that is compared, each with its usual setting; the original methods are in
    /// [`Split::ORIGINALS`].
    pub const ALL: [Self; 12] = [
        Self::Median,
        Self::LongestAxis,
        Self::Morton,
        Self::SurfaceArea,
        Self::BottomUp,
        Self::BranchAndBound,
        Self::HochbaumShmoys,
        Self::Exchange,
        Self::Growth(Seeding::Space, Insertion::Shuffled),
        Self::Gottschalk,
        Self::Zachmann,
        Self::Octree,
    ];

    /// The methods of two children that the thesis changed or surveyed, in all their variants.
    /// [`zachmann`](super::zachmann) is another, whose faces may be in several leaves.
    pub const ORIGINALS: [Self; 12] = [
        Self::OriginalGottschalk(HalfAt::Middle),
        Self::OriginalGottschalk(HalfAt::HullMean),
        Self::Klosowski(AxisRule::LeastSum, PlaneAt::Mean),
        Self::Klosowski(AxisRule::LeastMax, PlaneAt::Mean),
        Self::Klosowski(AxisRule::Variance, PlaneAt::Mean),
        Self::Klosowski(AxisRule::LongestSide, PlaneAt::Mean),
        Self::Klosowski(AxisRule::LeastSum, PlaneAt::Median),
        Self::Klosowski(AxisRule::LeastMax, PlaneAt::Median),
        Self::Klosowski(AxisRule::Variance, PlaneAt::Median),
        Self::Klosowski(AxisRule::LongestSide, PlaneAt::Median),
        Self::Quinlan,
        Self::Barequet,
    ];

    /// The split of the engine that it is, if any.
    pub fn of_engine(self) -> Option<noli::tree::Split> {
        match self {
            Self::Median => Some(noli::tree::Split::Median),
            Self::LongestAxis => Some(noli::tree::Split::LongestAxis),
            Self::Morton => Some(noli::tree::Split::Morton),
            Self::SurfaceArea => Some(noli::tree::Split::SurfaceArea),
            _ => None,
        }
    }
}

/// Start faces of the growing parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Seeding {
    /// At faces drawn by lot, the same at every run.
    Random,
    /// At the faces nearest to points drawn by lot on the enclosing sphere, the same at every run: those of
    /// them that are farthest from each other.
    Sphere,
    /// At the faces nearest to the vertices of an icosahedron in the enclosing sphere: those of them that are
    /// farthest from each other.
    Icosahedron,
    /// At the faces nearest to the centres of equal parts of the enclosing box.
    #[default]
    Space,
}

/// Order in which faces join.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Insertion {
    /// In an order drawn by lot, the same at every run.
    #[default]
    Shuffled,
    /// The one that spoils the parts least; quadratic, for small nodes.
    Best,
}

/// Position at which Gottschalk's original method halves an oriented box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum HalfAt {
    /// In its middle.
    #[default]
    Middle,
    /// At the mean of the vertices of the hull.
    HullMean,
}

/// Across which axis of the world Klosowski's method cuts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AxisRule {
    /// That for which the volumes of the children add up to least.
    LeastSum,
    /// That for which the larger child is smallest.
    LeastMax,
    /// That along which middles vary most.
    Variance,
    /// The longest side of the box of the faces.
    #[default]
    LongestSide,
}

/// Position at which Klosowski's method cuts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PlaneAt {
    /// At the mean of the middles.
    #[default]
    Mean,
    /// At their median.
    Median,
}

/// The choices of the search. They change what a proof costs, never the best quality.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BoundRules {
    /// Choice of the face to place next.
    pub face: BranchFace,
    /// Choice of the next partial partition.
    pub next: NextProblem,
    /// `true` if the heuristic completes every partial partition without intermediate optimisation, for an
    /// upper bound. [`NextProblem::Estimate`] and [`NextProblem::Potential`] always do.
    pub complete: bool,
    /// Number of partial partitions tested before the proof is abandoned.
    pub limit: usize,
    /// In a tree, nodes of more faces than this are parted by [`Split::Exchange`].
    pub faces: usize,
}

impl BoundRules {
    /// The dearest face, the newest problem, no completions.
    pub const USUAL: Self = Self {
        face: BranchFace::Dearest,
        next: NextProblem::Newest,
        complete: false,
        limit: 20_000,
        faces: Split::BRANCH_AND_BOUND_FACES,
    };
}

impl Default for BoundRules {
    fn default() -> Self {
        Self::USUAL
    }
}

/// Choice of the face to place next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BranchFace {
    /// The one whose cheapest place is dearest: it raises the bounds of all children most.
    #[default]
    Dearest,
    /// One drawn by lot, the same at every run.
    Random,
}

/// Choice of the next partial partition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NextProblem {
    /// The newest, of its sisters that with the smallest lower bound: needs little storage.
    #[default]
    Newest,
    /// That with the smallest lower bound.
    Lowest,
    /// That with the smallest sum of lower bound times faces placed and upper bound times faces free.
    Estimate,
    /// That with the largest difference of bounds times faces free.
    Potential,
}
