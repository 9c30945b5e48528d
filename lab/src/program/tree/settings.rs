//! Every parameter of a hierarchy and of its walk, from the command line or from a file.

use super::choices::*;
use anyhow::{Context, Result, bail};
use clap::Parser;
use noli_classics::tree::{
    Aggregate, BoundRules, COLLISION_COST, Degree, FaceTest, Rules, SweepOptions, SweptVolume, TreeOptions,
    VolumeChoice, VolumeKind, WalkOptions,
};
use noli_geom::{ApproximateQuery, FeatureQuery};
use std::path::Path;

/// Declares the parameters and their merging: the command line takes precedence over a file.
macro_rules! settings {
    ($($(#[$meta:meta])* $name:ident: $type:ty),* $(,)?) => {
        #[derive(clap::Args, Clone, Debug, Default)]
        pub(super) struct Settings { $($(#[$meta])* #[arg(long)] pub(super) $name: Option<$type>),* }

        impl Settings {
            /// Returns the parameters, with unset ones taken from another set.
            fn or(self, other: Self) -> Self {
                Self { $($name: self.$name.or(other.$name)),* }
            }
        }
    };
}

settings! {
    /// Splitting rule for the faces of a node [default: surface-area].
    #[arg(value_enum)]
    split: SplitName,
    /// Children of a node: a number from 2 to 16, or a rate of improvement such as 0.75 [default: 2].
    #[arg(value_name = "N|RATE", value_parser = degree)]
    degree: Degree,
    /// With a rate: no more children than these [default: 6].
    #[arg(value_name = "N", value_parser = clap::value_parser!(u8).range(2..=16))]
    most_children: u8,
    /// With a rate: a node of fewer faces that misses it stays a leaf [default: 8].
    #[arg(value_name = "N")]
    few_faces: usize,
    /// At most so many faces a leaf [default: 1].
    #[arg(value_name = "N")]
    leaf_faces: usize,
    /// No node is deeper than this; without it the splits decide.
    #[arg(value_name = "LEVELS")]
    deepest: usize,
    /// Bounding volume of the nodes [default: obb].
    #[arg(value_enum)]
    volume: VolumeName,
    /// By what volumes are compared [default: surface].
    #[arg(value_enum)]
    measure: MeasureName,
    /// Aggregation of the sizes of several volumes [default: mean].
    #[arg(value_enum)]
    aggregate: AggregateName,
    /// Test cost of each kind, for the quality of a node: `ours`, `printed-mean`, `printed-max`, or four numbers
    /// for sphere, aabb, obb, kdop [default: ours].
    #[arg(value_name = "COSTS", value_parser = costs)]
    costs: Costs,
    /// Fitting of volumes [default: best].
    #[arg(value_enum)]
    fit: FitName,
    /// Handling of a node that its split cannot divide [default: halve].
    #[arg(value_enum)]
    failing: FailingName,
    /// With growth: how a part is sized that a face might join [default: enlarged].
    #[arg(value_enum)]
    trial: TrialName,
    /// With branch-and-bound: which face is placed next [default: dearest].
    #[arg(value_enum)]
    branch: BranchName,
    /// With branch-and-bound: next problem to visit [default: newest].
    #[arg(value_enum)]
    next: NextName,
    /// With branch-and-bound: whether problems are completed for an upper bound [default: false].
    #[arg(value_name = "BOOL")]
    complete: bool,
    /// With branch-and-bound: problems visited before the proof is given up [default: 20000].
    #[arg(value_name = "N")]
    bound_limit: usize,
    /// With branch-and-bound: nodes of more faces are parted by exchange [default: 10].
    #[arg(value_name = "N")]
    bound_faces: usize,
    /// With two meshes: which nodes of an overlapping pair are opened [default: one-sided].
    #[arg(value_enum)]
    walk: WalkName,
    /// With two meshes: next pair to visit [default: newest].
    #[arg(value_enum)]
    order: OrderName,
    /// With --order best: by what pairs are ranked [default: clearance].
    #[arg(value_enum)]
    rank: RankName,
    /// With two meshes: how two faces are tested [default: exact].
    #[arg(value_enum)]
    base: BaseName,
    /// With --to: from what the volume around a moving one is made [default: ends].
    #[arg(value_enum)]
    swept: EnclosingName,
    /// With --to: in which kind moving volumes are enclosed; without it in their own.
    #[arg(value_enum)]
    swept_volume: VolumeName,
    /// With --to: swept volumes as printed, which hold the ends alone [default: false].
    #[arg(value_name = "BOOL")]
    swept_as_printed: bool,
    /// With --to: search method for the contact of two faces [default: inclusion].
    #[arg(value_enum)]
    finder: FinderName,
    /// With --finder: how a candidate time is tested [default: exact].
    #[arg(value_enum)]
    inside: InsideName,
}

/// Cost of a test of each kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Costs {
    Ours,
    Printed(Aggregate),
    Given([f64; 4]),
}

fn costs(text: &str) -> Result<Costs, String> {
    match text {
        "ours" => return Ok(Costs::Ours),
        "printed-mean" => return Ok(Costs::Printed(Aggregate::Mean)),
        "printed-max" => return Ok(Costs::Printed(Aggregate::Max)),
        _ => {}
    }
    let numbers: Option<Vec<f64>> =
        text.split(',').map(|n| n.trim().parse().ok().filter(|n| *n > 0.0)).collect();
    let numbers = numbers.and_then(|numbers| <[f64; 4]>::try_from(numbers).ok());
    numbers.map(Costs::Given).ok_or_else(|| {
        "costs are `ours`, `printed-mean`, `printed-max`, or four positive numbers: sphere,aabb,obb,kdop"
            .to_owned()
    })
}

fn degree(text: &str) -> Result<Degree, String> {
    let known = match text.parse::<usize>() {
        Ok(degree @ 2..=16) => Some(Degree::Fixed(degree)),
        Ok(_) => None,
        Err(_) => text.parse().ok().filter(|rate| (0.0..1.0).contains(rate) && *rate > 0.0).map(Degree::rate),
    };
    known
        .ok_or_else(|| "a degree is a number from 2 to 16, or a rate between 0 and 1 such as 0.75".to_owned())
}

/// Parameters of a file as the command line would have them.
#[derive(Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct OfFile {
    #[command(flatten)]
    settings: Settings,
}

impl Settings {
    /// Returns these parameters, with unset ones from a file: a line `split = exchange` for each, `#` before a
    /// comment.
    pub(super) fn with_file(self, path: Option<&Path>) -> Result<Self> {
        let Some(path) = path else { return Ok(self) };
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let mut flags = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let Some((key, value)) = line.split_once('=') else {
                bail!(
                    "{}, line {}: write `parameter = value`, such as `split = exchange`",
                    path.display(),
                    number + 1
                );
            };
            let value = value.trim().trim_matches(['"', '\'']);
            flags.push(format!("--{}={value}", key.trim().replace('_', "-")));
        }
        match OfFile::try_parse_from(flags) {
            Ok(OfFile { settings }) => Ok(self.or(settings)),
            Err(error) => bail!("{}: {}", path.display(), error.to_string().trim_end()),
        }
    }

    /// Returns the build options of the tree.
    pub(super) fn options(&self) -> TreeOptions {
        let plain = TreeOptions::workshop();
        let degree = match self.degree.unwrap_or(plain.degree) {
            Degree::Rate { rate, at_most, few } => Degree::Rate {
                rate,
                at_most: self.most_children.map_or(at_most, usize::from),
                few: self.few_faces.unwrap_or(few),
            },
            fixed => fixed,
        };
        TreeOptions {
            split: self.split.map_or(plain.split, SplitName::meaning),
            degree,
            leaf_faces: self.leaf_faces.unwrap_or(plain.leaf_faces).max(1),
            volume: self.volume.map_or(plain.volume, VolumeName::meaning),
            measure: self.measure.map_or(plain.measure, MeasureName::meaning),
            aggregate: self.aggregate.map_or(plain.aggregate, AggregateName::meaning),
            fit: self.fit.map_or(plain.fit, FitName::meaning),
        }
    }

    /// Returns the further rules in which the sources differ.
    pub(super) fn rules(&self) -> Rules {
        let plain = Rules::USUAL;
        let costs = match self.costs.unwrap_or(Costs::Ours) {
            Costs::Ours => COLLISION_COST,
            Costs::Printed(by) => Rules::printed_costs(by),
            Costs::Given(costs) => costs,
        };
        let bounds = BoundRules {
            face: self.branch.map_or(plain.bounds.face, BranchName::meaning),
            next: self.next.map_or(plain.bounds.next, NextName::meaning),
            complete: self.complete.unwrap_or(plain.bounds.complete),
            limit: self.bound_limit.unwrap_or(plain.bounds.limit),
            faces: self.bound_faces.unwrap_or(plain.bounds.faces),
        };
        Rules {
            failing: self.failing.map_or(plain.failing, FailingName::meaning),
            trial: self.trial.map_or(plain.trial, TrialName::meaning),
            costs,
            depth: self.deepest,
            bounds,
        }
    }

    /// Returns the options for the traversal of two trees; all pairs of faces are searched.
    pub(super) fn walk(&self) -> WalkOptions<'static> {
        let plain = WalkOptions::default();
        WalkOptions {
            expansion: self.walk.map_or(plain.expansion, WalkName::meaning),
            order: self.order.map_or(plain.order, OrderName::meaning),
            rank: self.rank.map_or(plain.rank, RankName::meaning),
            base: self.base.map_or(plain.base, BaseName::meaning),
            all: true,
            ..plain
        }
    }

    /// Options of the traversal of two trees in motion.
    pub(super) fn sweep(&self) -> SweepOptions<'static> {
        let walk = self.walk();
        let kind: Option<VolumeKind> = self.swept_volume.and_then(|name| match name.meaning() {
            VolumeChoice::Kind(kind) => Some(kind),
            VolumeChoice::Mixed => None,
        });
        let faces = match self.finder.and_then(FinderName::meaning) {
            None => FaceTest::Inclusion(FeatureQuery::default()),
            Some(finder) => {
                let inside = self.inside.map_or(InsideName::Exact, |name| name).meaning();
                let literal = self.swept_as_printed.unwrap_or(false);
                FaceTest::Finder(ApproximateQuery { finder, inside, literal, ..ApproximateQuery::default() })
            }
        };
        SweepOptions {
            volumes: SweptVolume {
                by: self.swept.map_or_else(Default::default, EnclosingName::meaning),
                kind,
                as_printed: self.swept_as_printed.unwrap_or(false),
            },
            faces,
            expansion: walk.expansion,
            order: walk.order,
            ..SweepOptions::default()
        }
    }
}
