//! Compared configurations.

use super::Config;
use noli::Mesh;
use noli_classics::tree::{
    Aggregate, AnyVolume, AxisRule, BaseTest, BoxRule, COLLISION_COST, Copies, Degree, Expansion, Fit,
    Insertion, Measure, OctantOptions, Order, PlaneAt, PlaneOptions, Rules, Seeding, SphereTree, Split,
    TreeOptions, Trial, VolumeChoice, VolumeKind, VolumeTree, WalkOptions, bsp, hubbard_medial,
    hubbard_octree, palmer_grimsdale, zachmann,
};
use noli_geom::Triangle;

pub(super) const ZACHMANN: &str = "modified Zachmann";
pub(super) const GOTTSCHALK: &str = "modified Gottschalk";
pub(super) const WITHOUT: &str = "without intermediate optimisation";
pub(super) const WITH: &str = "with intermediate optimisation";
/// The same with the engine's cheaper trials. Ours.
pub(super) const QUICK_TRIALS: &str = "with intermediate optimisation, quick trials (ours)";
pub(super) const FAMILIES: [&str; 4] = [ZACHMANN, GOTTSCHALK, WITHOUT, WITH];

pub(super) struct Setting {
    pub(super) family: &'static str,
    pub(super) name: String,
    pub(super) options: TreeOptions,
    pub(super) rules: Rules,
    /// Largest number of faces in a leaf of the part that moves.
    pub(super) leaf_moving: usize,
    pub(super) builder: Builder,
    pub(super) walk: WalkOptions<'static>,
}

impl Setting {
    /// `true` if both are traversals of the same trees.
    pub(super) fn same_trees(&self, other: &Self) -> bool {
        let trees = |s: &Self| (s.options, s.rules, s.leaf_moving, s.builder);
        trees(self) == trees(other)
    }
}

/// Method by which a tree is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Builder {
    /// By the options of the setting.
    Options,
    /// Sphere trees, and trees whose faces may be in several leaves, of before the thesis (3.2, 6.1.3).
    PalmerGrimsdale,
    HubbardOctree,
    HubbardMedial,
    Zachmann,
    FacePlanes,
}

impl Builder {
    pub(super) fn tree(self, mesh: &Mesh, options: &TreeOptions, rules: &Rules) -> VolumeTree<AnyVolume> {
        let faces: Vec<Triangle> = mesh.iter_triangles().collect();
        let spheres = |built: &SphereTree| VolumeTree::of_spheres(built, &faces, options);
        let copies = |built: &Copies| VolumeTree::of_copies(built, &faces, options);
        match self {
            Self::Options => VolumeTree::by(mesh, options, rules),
            Self::PalmerGrimsdale => spheres(&palmer_grimsdale(&faces, &OctantOptions::default())),
            Self::HubbardOctree => spheres(&hubbard_octree(&faces, &OctantOptions::default())),
            Self::HubbardMedial => spheres(&hubbard_medial(&faces)),
            Self::Zachmann => copies(&zachmann(&faces, &PlaneOptions::default())),
            // As far as planes part anything: the source stops at single faces.
            Self::FacePlanes => copies(&bsp(&faces, &PlaneOptions { depth: 40, few: 1, balance: 0.95 })),
        }
    }
}

/// Settings in groups of the same trees, so that each tree is built once.
pub(super) fn grouped(settings: Vec<Setting>) -> Vec<Vec<Setting>> {
    let mut groups: Vec<Vec<Setting>> = Vec::new();
    for setting in settings {
        match groups.iter_mut().find(|group| group[0].same_trees(&setting)) {
            Some(group) => group.push(setting),
            None => groups.push(vec![setting]),
        }
    }
    groups
}

/// Returns `true` if the thesis settles on it: degree 3 for Zachmann, a rate of 0.75 for the others.
pub(super) fn is_final(family: &str, name: &str) -> bool {
    FAMILIES.contains(&family) && name == final_name(family)
}

/// The setting on which the thesis settles for a method.
pub(super) fn final_name(family: &str) -> &'static str {
    if family == ZACHMANN { "degree 3" } else { "rate 0.75" }
}

pub(super) fn degree_of(options: &TreeOptions) -> f64 {
    match options.degree {
        Degree::Fixed(degree) => degree as f64,
        Degree::Rate { rate, .. } => rate,
    }
}

/// Boxes by surface, optimised, opened one at a time; faces by their edges; rules and costs as printed.
struct Thesis {
    options: TreeOptions,
    rules: Rules,
    walk: WalkOptions<'static>,
}

impl Thesis {
    fn new(config: &Config) -> Self {
        let fit = match &config.fit[..] {
            "quick" => Fit::Quick,
            "best" => Fit::Best,
            _ => Fit::Descent,
        };
        let walk = WalkOptions { all: true, base: BaseTest::Edges, ..WalkOptions::default() };
        let trial = if config.fitted { Trial::Fitted } else { Trial::Enlarged };
        let rules = Rules { trial, ..Rules::as_printed() };
        Self { options: TreeOptions { fit, ..TreeOptions::workshop() }, rules, walk }
    }

    fn family(&self, family: &str) -> TreeOptions {
        let split = match family {
            ZACHMANN => {
                return TreeOptions {
                    split: Split::Zachmann,
                    volume: VolumeKind::Aabb.into(),
                    ..self.options
                };
            }
            GOTTSCHALK => Split::Gottschalk,
            WITHOUT => Split::Exchange,
            _ => Split::Growth(Seeding::Space, Insertion::Shuffled),
        };
        TreeOptions { split, ..self.options }
    }

    fn setting(&self, family: &'static str, name: impl Into<String>, options: TreeOptions) -> Setting {
        Setting {
            family,
            name: name.into(),
            leaf_moving: options.leaf_faces,
            builder: Builder::Options,
            options,
            rules: self.rules,
            walk: self.walk,
        }
    }

    /// The same with the engine's cheaper trials.
    fn quick_trials(&self) -> Self {
        Self { rules: Rules { trial: Trial::Enlarged, ..self.rules }, ..*self }
    }
}

/// The final settings of the thesis, with quick trials: fitted ones grow with the square of the faces.
pub(super) fn finals(config: &Config) -> Vec<Setting> {
    let thesis = Thesis::new(config).quick_trials();
    let one = |family: &'static str| {
        let degree = if family == ZACHMANN { Degree::Fixed(3) } else { Degree::rate(0.75) };
        let name = final_name(family);
        let label = if family == WITH { QUICK_TRIALS } else { family };
        thesis.setting(label, name, TreeOptions { degree, ..thesis.family(family) })
    };
    FAMILIES.map(one).into()
}

pub(super) fn all(config: &Config) -> Vec<Setting> {
    let thesis = Thesis::new(config);
    let mut all = Vec::new();
    for family in FAMILIES {
        let options = thesis.family(family);
        for &degree in &config.degrees {
            let options = TreeOptions { degree: Degree::Fixed(degree), ..options };
            all.push(thesis.setting(family, format!("degree {degree}"), options));
        }
        for &rate in &config.rates {
            let options = TreeOptions { degree: Degree::rate(rate), ..options };
            all.push(thesis.setting(family, format!("rate {rate}"), options));
        }
    }
    if config.fitted {
        let quick = thesis.quick_trials();
        let degrees =
            config.degrees.iter().map(|&degree| (format!("degree {degree}"), Degree::Fixed(degree)));
        let rates = config.rates.iter().map(|&rate| (format!("rate {rate}"), Degree::rate(rate)));
        for (name, degree) in degrees.chain(rates) {
            all.push(quick.setting(QUICK_TRIALS, name, TreeOptions { degree, ..quick.family(WITH) }));
        }
    }
    let spheres = TreeOptions { volume: VolumeKind::Sphere.into(), ..thesis.options };
    for &degree in &config.degrees {
        let options = TreeOptions { split: Split::HochbaumShmoys, degree: Degree::Fixed(degree), ..spheres };
        all.push(thesis.setting("modified Hochbaum–Shmoys", format!("spheres, degree {degree}"), options));
    }
    for (name, builder, volume) in [
        ("Palmer–Grimsdale, spheres around octants", Builder::PalmerGrimsdale, VolumeKind::Sphere),
        ("Hubbard, annealed spheres of octants", Builder::HubbardOctree, VolumeKind::Sphere),
        ("Hubbard, spheres on the medial axis", Builder::HubbardMedial, VolumeKind::Sphere),
        ("Zachmann, cut faces in both sides", Builder::Zachmann, VolumeKind::Aabb),
        ("BSP by planes of faces", Builder::FacePlanes, VolumeKind::Aabb),
    ] {
        let options = TreeOptions { volume: volume.into(), ..thesis.options };
        all.push(Setting { builder, ..thesis.setting("original methods", name, options) });
    }
    if config.extras {
        extras(&thesis, config, &mut all);
    }
    all
}

/// Volumes and walks of both heuristics.
fn volumes_and_walks(thesis: &Thesis, all: &mut Vec<Setting>) {
    let kinds: [(&str, VolumeChoice); 4] = [
        ("spheres", VolumeKind::Sphere.into()),
        ("axis-aligned boxes", VolumeKind::Aabb.into()),
        ("oriented boxes", VolumeKind::Obb.into()),
        ("mixed", VolumeChoice::Mixed),
    ];
    for (family, heuristic) in [("volumes, without", WITHOUT), ("volumes, with", WITH)] {
        for (name, degree) in [
            ("degree 5", Degree::Fixed(5)),
            ("degree 6", Degree::Fixed(6)),
            ("rate 0.75", Degree::rate(0.75)),
        ] {
            for (kind, volume) in kinds {
                let options = TreeOptions { degree, volume, ..thesis.family(heuristic) };
                all.push(thesis.setting(family, format!("{kind}, {name}"), options));
            }
            // The kinds of a mixed tree are chosen by costs: those of this machine where it is judged by them.
            let rules = Rules { costs: COLLISION_COST, ..thesis.rules };
            let options = TreeOptions { degree, volume: VolumeChoice::Mixed, ..thesis.family(heuristic) };
            let mixed = thesis.setting(family, format!("mixed by costs here, {name}"), options);
            all.push(Setting { rules, ..mixed });
        }
    }
    for (family, heuristic) in [("walks, without", WITHOUT), ("walks, with", WITH)] {
        let options = TreeOptions { degree: Degree::rate(0.75), ..thesis.family(heuristic) };
        for (name, expansion, order) in [
            ("one-sided", Expansion::OneSided, Order::Newest),
            ("simultaneous", Expansion::Simultaneous, Order::Newest),
            ("hybrid", Expansion::Hybrid, Order::Newest),
            ("hybrid by count (ours)", Expansion::HybridByCount, Order::Newest),
            ("one-sided, breadth first", Expansion::OneSided, Order::Oldest),
        ] {
            let walk = WalkOptions { expansion, order, ..thesis.walk };
            all.push(Setting { walk, ..thesis.setting(family, name, options) });
        }
    }
}

fn extras(thesis: &Thesis, config: &Config, all: &mut Vec<Setting>) {
    volumes_and_walks(thesis, all);
    let quick = thesis.quick_trials();
    let best = TreeOptions { degree: Degree::rate(0.75), ..thesis.family(WITHOUT) };
    for (name, aggregate) in [("mean", Aggregate::Mean), ("max", Aggregate::Max)] {
        all.push(thesis.setting("aggregates", name, TreeOptions { aggregate, ..best }));
    }
    for (name, seeding) in [
        ("seeds by lot", Seeding::Random),
        ("seeds at an icosahedron", Seeding::Icosahedron),
        ("seeds on the sphere", Seeding::Sphere),
    ] {
        let split = Split::Growth(seeding, Insertion::Shuffled);
        let options = TreeOptions { split, ..best };
        all.push(quick.setting("seeds of the parts, quick trials (ours)", name, options));
    }
    for (name, measure) in
        [("volume", Measure::Volume), ("surface", Measure::Surface), ("diameter", Measure::Diameter)]
    {
        all.push(thesis.setting("measures", name, TreeOptions { measure, ..best }));
    }
    for (name, fit) in [("none", Fit::Quick), ("best", Fit::Best), ("Nelder–Mead", Fit::Descent)] {
        all.push(thesis.setting("fits", name, TreeOptions { fit, ..best }));
    }
    for split in Split::ORIGINALS {
        all.push(thesis.setting(
            "original methods",
            format!("{split:?}"),
            TreeOptions { split, ..thesis.options },
        ));
    }
    // Klosowski's leaves: 40 faces of the part that moves, one of those that stay (3.2.4).
    let split = Split::Klosowski(AxisRule::LeastSum, PlaneAt::Mean);
    let tau = thesis.setting(
        "original methods",
        "Klosowski(LeastSum, Mean), 40 faces a leaf of the moving part",
        TreeOptions { split, ..thesis.options },
    );
    all.push(Setting { leaf_moving: 40, ..tau });
    for rule in [BoxRule::All, BoxRule::Max, BoxRule::Min] {
        let options = TreeOptions { split: Split::Barequet, fit: Fit::Barequet(rule), ..thesis.options };
        all.push(thesis.setting("original methods", format!("Barequet, rule {rule:?}"), options));
    }
    for (name, split) in [
        ("surface-area heuristic", Split::SurfaceArea),
        ("median", Split::Median),
        ("bottom-up", Split::BottomUp),
        ("octree", Split::Octree),
        ("branch and bound below, exchange above", Split::BranchAndBound),
    ] {
        let degrees = if split == Split::SurfaceArea { &config.degrees[..] } else { &config.degrees[..1] };
        for &degree in degrees {
            let options = TreeOptions { split, degree: Degree::Fixed(degree), ..thesis.options };
            all.push(thesis.setting("other splits", format!("{name}, degree {degree}"), options));
        }
    }
}
