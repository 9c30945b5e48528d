//! The choices of `noli-lab tree`, by name.

use clap::ValueEnum;
use noli_classics::double::{DoubleOptions, DoubleVolumes};
use noli_classics::tree::{
    Aggregate, AxisRule, BaseTest, BoxRule, BranchFace, Enclosing, Expansion, Failing, Fit, HalfAt,
    Insertion, Measure, NextProblem, Order, PlaneAt, Rank, Seeding, Split, Trial, VolumeChoice, VolumeKind,
};
use noli_geom::{Finder, InsideTest};

/// Defines a choice on the command line and its value.
macro_rules! choices {
    ($name:ident => $meaning:ty { $($(#[$doc:meta])* $variant:ident => $value:expr),* $(,)? }) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
        pub(super) enum $name { $($(#[$doc])* $variant),* }
        impl $name {
            pub(super) fn meaning(self) -> $meaning {
                match self { $(Self::$variant => $value),* }
            }
        }
    };
}

choices!(SplitName => Split {
    /// halves by count along the axis of largest spread
    Median => Split::Median,
    /// halves by count along the longest edge of the box
    LongestAxis => Split::LongestAxis,
    /// halves by count along Morton's curve
    Morton => Split::Morton,
    /// the surface-area heuristic
    SurfaceArea => Split::SurfaceArea,
    /// from the faces upward
    BottomUp => Split::BottomUp,
    /// the best partition, for nodes of few faces
    BranchAndBound => Split::BranchAndBound,
    /// centres farthest from each other
    HochbaumShmoys => Split::HochbaumShmoys,
    /// Eckstein's heuristic without intermediate optimisation
    Exchange => Split::Exchange,
    /// Eckstein's heuristic with intermediate optimisation
    Growth => Split::Growth(Seeding::Space, Insertion::Shuffled),
    /// the same, seeds drawn by lot
    GrowthRandom => Split::Growth(Seeding::Random, Insertion::Shuffled),
    /// the same, seeds near the vertices of an icosahedron
    GrowthIcosahedron => Split::Growth(Seeding::Icosahedron, Insertion::Shuffled),
    /// the same, seeds near points drawn by lot on the sphere
    GrowthSphere => Split::Growth(Seeding::Sphere, Insertion::Shuffled),
    /// the same, always the face that spoils least
    GrowthBest => Split::Growth(Seeding::Space, Insertion::Best),
    /// equal parts of the oriented box
    Gottschalk => Split::Gottschalk,
    /// equal parts of the axis-aligned box
    Zachmann => Split::Zachmann,
    /// octants
    Octree => Split::Octree,
    /// Gottschalk's own: the oriented box halved in its middle
    OriginalGottschalk => Split::OriginalGottschalk(HalfAt::Middle),
    /// the same at the mean of the vertices of the hull
    OriginalGottschalkMean => Split::OriginalGottschalk(HalfAt::HullMean),
    /// Klosowski's: a plane at the mean, across the axis of the least sum of volumes
    KlosowskiSum => Split::Klosowski(AxisRule::LeastSum, PlaneAt::Mean),
    /// the same across the axis of the smallest larger child
    KlosowskiMax => Split::Klosowski(AxisRule::LeastMax, PlaneAt::Mean),
    /// the same across the axis of the largest variance
    KlosowskiVariance => Split::Klosowski(AxisRule::Variance, PlaneAt::Mean),
    /// the same across the longest side
    KlosowskiSide => Split::Klosowski(AxisRule::LongestSide, PlaneAt::Mean),
    /// Klosowski's at the median, least sum of volumes
    KlosowskiSumMedian => Split::Klosowski(AxisRule::LeastSum, PlaneAt::Median),
    /// the same, smallest larger child
    KlosowskiMaxMedian => Split::Klosowski(AxisRule::LeastMax, PlaneAt::Median),
    /// the same, largest variance
    KlosowskiVarianceMedian => Split::Klosowski(AxisRule::Variance, PlaneAt::Median),
    /// the same, longest side
    KlosowskiSideMedian => Split::Klosowski(AxisRule::LongestSide, PlaneAt::Median),
    /// Quinlan's: the box of the middles halved across its longest side
    Quinlan => Split::Quinlan,
    /// Barequet's: from the faces upward by oriented boxes
    Barequet => Split::Barequet,
});

choices!(FailingName => Failing {
    /// halve it by count
    Halve => Failing::Halve,
    /// leave it a leaf, as in Eckstein's thesis
    Leaf => Failing::Leaf,
});

choices!(TrialName => Trial {
    /// enlarge its volume
    Enlarged => Trial::Enlarged,
    /// fit a volume every time, as in Eckstein's thesis
    Fitted => Trial::Fitted,
});

choices!(BranchName => BranchFace {
    /// the one whose cheapest place is dearest
    Dearest => BranchFace::Dearest,
    /// one drawn by lot
    Random => BranchFace::Random,
});

choices!(NextName => NextProblem {
    /// the newest
    Newest => NextProblem::Newest,
    /// that with the smallest lower bound
    Lowest => NextProblem::Lowest,
    /// by an estimate from both bounds
    Estimate => NextProblem::Estimate,
    /// that with the largest difference of bounds
    Potential => NextProblem::Potential,
});

choices!(BaseName => BaseTest {
    /// exact
    Exact => BaseTest::Exact,
    /// edges of each against the other, counted, as in Eckstein's thesis
    Edges => BaseTest::Edges,
});

choices!(RankName => Rank {
    /// the clearance of the volumes
    Clearance => Rank::Distance,
    /// small volumes first
    Finest => Rank::Finest,
    /// large volumes first
    Coarsest => Rank::Coarsest,
});

choices!(EnclosingName => Enclosing {
    /// the places at both ends
    Ends => Enclosing::Ends,
    /// the volume at the start, enlarged by the path length
    Length => Enclosing::Length,
});

choices!(FinderName => Option<Finder> {
    /// no finder: inclusion, which misses nothing
    Inclusion => None,
    /// linear interpolation
    Linear => Some(Finder::Linear),
    /// regula falsi
    RegulaFalsi => Some(Finder::RegulaFalsi),
    /// quadratic interpolation
    Quadratic => Some(Finder::Quadratic),
    /// linear interpolation in four cells
    Sampling => Some(Finder::Sampling { cells: 4 }),
    /// regula falsi in four cells
    SamplingRegulaFalsi => Some(Finder::SamplingRegulaFalsi { cells: 4 }),
});

choices!(InsideName => InsideTest {
    /// at the time itself
    Exact => InsideTest::Exact,
    /// interpolated between both ends
    Interpolated => InsideTest::Interpolated,
});

choices!(VolumeName => VolumeChoice {
    Sphere => VolumeKind::Sphere.into(),
    Aabb => VolumeKind::Aabb.into(),
    Obb => VolumeKind::Obb.into(),
    Kdop => VolumeKind::Kdop.into(),
    /// for every node the kind with the least product of size and cost
    Mixed => VolumeChoice::Mixed,
});

choices!(MeasureName => Measure {
    Volume => Measure::Volume,
    Surface => Measure::Surface,
    Diameter => Measure::Diameter,
    /// how far the volume reaches beyond its faces
    Hausdorff => Measure::Hausdorff,
});

choices!(AggregateName => Aggregate { Mean => Aggregate::Mean, Max => Aggregate::Max });

choices!(FitName => Fit {
    /// no search
    Quick => Fit::Quick,
    /// smallest spheres, polished boxes
    Best => Fit::Best,
    /// Nelder and Mead's method, as in Eckstein's thesis
    Descent => Fit::Descent,
    /// boxes along all axes of spread (Barequet et al.)
    BarequetAll => Fit::Barequet(BoxRule::All),
    /// boxes with the least rectangle across the axis of most spread (Barequet et al.)
    BarequetMax => Fit::Barequet(BoxRule::Max),
    /// boxes with the least rectangle across the axis of least spread (Barequet et al.)
    BarequetMin => Fit::Barequet(BoxRule::Min),
});

choices!(WalkName => Expansion {
    OneSided => Expansion::OneSided,
    Simultaneous => Expansion::Simultaneous,
    Hybrid => Expansion::Hybrid,
    HybridByCount => Expansion::HybridByCount,
});

choices!(OrderName => Order {
    /// depth first
    Newest => Order::Newest,
    /// breadth first
    Oldest => Order::Oldest,
    /// the closest pair first
    Best => Order::Best,
});

choices!(DoubleName => DoubleOptions {
    /// largest spheres inside, cut through the outer centre
    Spheres => DoubleOptions::default(),
    /// largest boxes inside
    Boxes => DoubleOptions { volumes: DoubleVolumes::Boxes, ..DoubleOptions::default() },
    /// spheres as Arcila et al. print them
    SpheresAsPrinted => DoubleOptions::spheres_as_printed(),
    /// boxes as Arcila et al. print them
    BoxesAsPrinted => DoubleOptions::boxes_as_printed(),
});

/// Storage layout of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Storage {
    /// one volume a node, of any kind
    Generic,
    /// blocks of four oriented boxes, as the engine has them; also finds spheres inside closed meshes
    Packed,
}
