//! The choices of `noli tree`, by name.

use clap::ValueEnum;
use noli_classics::double::{DoubleOptions, DoubleVolumes};
use noli_classics::tree::{
    Aggregate, Expansion, Fit, Insertion, Measure, Order, Seeding, Split, VolumeChoice, VolumeKind,
};

/// A choice on the command line and what it stands for.
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
    /// the same, seeds near the corners of an icosahedron
    GrowthIcosahedron => Split::Growth(Seeding::Icosahedron, Insertion::Shuffled),
    /// the same, always the face that spoils least
    GrowthBest => Split::Growth(Seeding::Space, Insertion::Best),
    /// equal parts of the oriented box
    Gottschalk => Split::Gottschalk,
    /// equal parts of the axis-aligned box
    Zachmann => Split::Zachmann,
    /// octants
    Octree => Split::Octree,
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
    /// smallest balls, polished boxes
    Best => Fit::Best,
    /// Nelder and Mead's method, as in Eckstein's thesis
    Descent => Fit::Descent,
});

choices!(WalkName => Expansion {
    OneSided => Expansion::OneSided,
    Simultaneous => Expansion::Simultaneous,
    Hybrid => Expansion::Hybrid,
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
    /// largest balls inside, cut through the outer centre
    Spheres => DoubleOptions::default(),
    /// largest boxes inside
    Boxes => DoubleOptions { volumes: DoubleVolumes::Boxes, ..DoubleOptions::default() },
    /// balls as Arcila et al. print them
    SpheresAsPrinted => DoubleOptions::spheres_as_printed(),
    /// boxes as Arcila et al. print them
    BoxesAsPrinted => DoubleOptions::boxes_as_printed(),
});

/// How a tree is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Storage {
    /// one volume a node, of any kind
    Generic,
    /// blocks of four oriented boxes, as the engine has them; also finds balls inside closed meshes
    Packed,
}
