//! What is compared.

use super::Config;
use noli_classics::tree::{
    Aggregate, BaseTest, Degree, Expansion, Fit, Insertion, Measure, Order, Seeding, Split, TreeOptions,
    VolumeChoice, VolumeKind, WalkOptions,
};

pub(super) const ZACHMANN: &str = "modified Zachmann";
pub(super) const GOTTSCHALK: &str = "modified Gottschalk";
pub(super) const WITHOUT: &str = "without intermediate optimisation";
pub(super) const WITH: &str = "with intermediate optimisation";
pub(super) const FAMILIES: [&str; 4] = [ZACHMANN, GOTTSCHALK, WITHOUT, WITH];

pub(super) struct Setting {
    pub(super) family: &'static str,
    pub(super) name: String,
    pub(super) options: TreeOptions,
    pub(super) walk: WalkOptions<'static>,
}

/// Whether the thesis settles on it: degree 3 for Zachmann, a rate of 0.75 for the others.
pub(super) fn is_final(family: &str, name: &str) -> bool {
    FAMILIES.contains(&family) && name == if family == ZACHMANN { "degree 3" } else { "rate 0.75" }
}

pub(super) fn degree_of(options: &TreeOptions) -> f64 {
    match options.degree {
        Degree::Fixed(degree) => degree as f64,
        Degree::Rate { rate, .. } => rate,
    }
}

/// Boxes by surface, optimised, opened one at a time; faces by their edges.
struct Thesis {
    options: TreeOptions,
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
        Self { options: TreeOptions { fit, ..TreeOptions::workshop() }, walk }
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
        Setting { family, name: name.into(), options, walk: self.walk }
    }
}

/// The final settings of the thesis.
pub(super) fn finals(config: &Config) -> Vec<Setting> {
    let thesis = Thesis::new(config);
    let one = |family: &'static str| {
        let degree = if family == ZACHMANN { Degree::Fixed(3) } else { Degree::rate(0.75) };
        let name = if family == ZACHMANN { "degree 3" } else { "rate 0.75" };
        thesis.setting(family, name, TreeOptions { degree, ..thesis.family(family) })
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
    let spheres = TreeOptions { volume: VolumeKind::Sphere.into(), ..thesis.options };
    for &degree in &config.degrees {
        let options = TreeOptions { split: Split::HochbaumShmoys, degree: Degree::Fixed(degree), ..spheres };
        all.push(thesis.setting("modified Hochbaum–Shmoys", format!("spheres, degree {degree}"), options));
    }
    if config.extras {
        extras(&thesis, config, &mut all);
    }
    all
}

fn extras(thesis: &Thesis, config: &Config, all: &mut Vec<Setting>) {
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
        }
    }
    for (family, heuristic) in [("walks, without", WITHOUT), ("walks, with", WITH)] {
        let options = TreeOptions { degree: Degree::rate(0.75), ..thesis.family(heuristic) };
        for (name, expansion, order) in [
            ("one-sided", Expansion::OneSided, Order::Newest),
            ("simultaneous", Expansion::Simultaneous, Order::Newest),
            ("hybrid", Expansion::Hybrid, Order::Newest),
            ("one-sided, breadth first", Expansion::OneSided, Order::Oldest),
        ] {
            let walk = WalkOptions { expansion, order, ..thesis.walk };
            all.push(Setting { walk, ..thesis.setting(family, name, options) });
        }
    }
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
        all.push(thesis.setting(
            "with intermediate optimisation, seeds",
            name,
            TreeOptions { split, ..best },
        ));
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
