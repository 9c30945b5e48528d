//! All splits, degrees, rates, volumes and walks over four removals from the engine bay (section 10.1).

mod findings;

use crate::costs::{self, Costs};
use crate::removals::{self, Task};
use crate::timing::micros;
use crate::{Cell, Plot, Series, Session, Table};
use anyhow::{Result, ensure};
use noli::Pose;
use noli_classics::tree::{
    Aggregate, AnyVolume, Degree, Expansion, Fit, Insertion, Measure, Order, Seeding, Split, Tests,
    TreeOptions, VolumeChoice, VolumeKind, VolumeTree, WalkOptions,
};
use serde::Deserialize;
use std::time::Instant;

#[derive(Deserialize)]
struct Config {
    detail: u32,
    motions: Vec<String>,
    every: usize,
    degrees: Vec<usize>,
    rates: Vec<f64>,
    extras: bool,
}

/// One setting and what it cost over all tasks.
pub(super) struct Ran {
    family: &'static str,
    setting: String,
    /// Degree, or rate as a number below 1.
    degree: f64,
    tests: Tests,
    /// The comparison number of the thesis: counts times mean cost of a test, in ms a step.
    cost_ms: f64,
    step_ms: f64,
    worst_ms: f64,
    build_s: f64,
    nodes: usize,
}

pub(super) fn run(session: &mut Session<'_>) -> Result<()> {
    let config: Config = session.config()?;
    let costs = costs::measure(if config.extras { 5000 } else { 200 }, 3, 1);
    let tasks = removals::tasks(config.detail, &config.motions, config.every)?;
    let meeting = motions(session, &tasks);
    let mut ran = Vec::new();
    for (family, setting, options, walk) in settings(&config) {
        session.step(&format!("{family}: {setting}"));
        let (one, met) = measure(&tasks, family, setting, &options, &walk, &costs);
        ensure!(met == meeting, "{}: {met} pairs of faces meet, not {meeting}", one.setting);
        ran.push(one);
    }
    report(session, &ran, meeting);
    findings::tell(session, &ran)
}

/// What the hand did; how many pairs of faces meet over all poses.
fn motions(session: &mut Session<'_>, tasks: &[Task]) -> usize {
    session.note(
        "The recordings and the scene of the study are lost. Stand-in: four removals from a generated engine bay, led by a hesitant hand made from a seed \
         and stored as pose lists. The source gives no numbers of faces and says only that its motions hold both colliding and free parts, as these do.",
    );
    session.note("Times of steps hold interruptions by other work on the machine; the cost, counts times mean time of a test, does not.");
    let columns = [
        "motion",
        "part",
        "its faces",
        "faces around",
        "poses",
        "that collide",
        "bumps",
        "pairs of faces that meet",
    ];
    let mut table = Table::new("The motions", columns);
    let mut total = 0;
    for task in tasks {
        let meeting = task.meeting();
        let pairs = meeting.iter().sum::<usize>();
        let figures = [
            task.moved.triangle_count(),
            task.around.triangle_count(),
            task.poses.len(),
            meeting.iter().filter(|&&count| count > 0).count(),
            removals::bumps(&meeting),
            pairs,
        ];
        let cells = figures.map(|figure| Cell::Ours(figure as f64));
        table.row(task.name, std::iter::once(Cell::Text(task.part.into())).chain(cells));
        total += pairs;
    }
    session.table(table);
    total
}

type Setting = (&'static str, String, TreeOptions, WalkOptions<'static>);

const GROWTH: Split = Split::Growth(Seeding::Space, Insertion::Shuffled);

fn settings(config: &Config) -> Vec<Setting> {
    // Boxes along the axes of spread: fits by search are compared apart, at one setting.
    let thesis = TreeOptions { fit: Fit::Quick, ..TreeOptions::workshop() };
    let one_sided = WalkOptions { all: true, ..WalkOptions::default() };
    let families = [
        (
            "modified Zachmann",
            TreeOptions { split: Split::Zachmann, volume: VolumeKind::Aabb.into(), ..thesis },
        ),
        ("modified Gottschalk", TreeOptions { split: Split::Gottschalk, ..thesis }),
        ("without intermediate optimisation", TreeOptions { split: Split::Exchange, ..thesis }),
        ("with intermediate optimisation", TreeOptions { split: GROWTH, ..thesis }),
    ];
    let mut all: Vec<Setting> = Vec::new();
    for (family, options) in families {
        for &degree in &config.degrees {
            let options = TreeOptions { degree: Degree::Fixed(degree), ..options };
            all.push((family, format!("degree {degree}"), options, one_sided));
        }
        for &rate in &config.rates {
            let options = TreeOptions { degree: Degree::rate(rate), ..options };
            all.push((family, format!("rate {rate}"), options, one_sided));
        }
    }
    let spheres = TreeOptions { volume: VolumeKind::Sphere.into(), ..thesis };
    for &degree in &config.degrees {
        let options = TreeOptions { split: Split::HochbaumShmoys, degree: Degree::Fixed(degree), ..spheres };
        all.push(("modified Hochbaum–Shmoys", format!("spheres, degree {degree}"), options, one_sided));
    }
    let octree = TreeOptions { split: Split::Octree, ..spheres };
    all.push(("octree (Palmer–Grimsdale, Hubbard)", "spheres".into(), octree, one_sided));
    if !config.extras {
        return all;
    }
    let best = TreeOptions { split: Split::Exchange, degree: Degree::rate(0.75), ..thesis };
    for (name, volume) in [
        ("spheres", VolumeKind::Sphere.into()),
        ("axis-aligned boxes", VolumeKind::Aabb.into()),
        ("oriented boxes", VolumeKind::Obb.into()),
        ("k-DOPs", VolumeKind::Kdop.into()),
        ("mixed", VolumeChoice::Mixed),
    ] {
        all.push(("volumes", name.into(), TreeOptions { volume, ..best }, one_sided));
    }
    for (name, expansion) in [
        ("one-sided", Expansion::OneSided),
        ("simultaneous", Expansion::Simultaneous),
        ("hybrid", Expansion::Hybrid),
    ] {
        all.push(("walks", name.into(), best, WalkOptions { expansion, ..one_sided }));
    }
    for (name, order) in [("one-sided, breadth first", Order::Oldest), ("one-sided, best first", Order::Best)]
    {
        all.push(("walks", name.into(), best, WalkOptions { order, ..one_sided }));
    }
    for (name, aggregate) in [("mean", Aggregate::Mean), ("max", Aggregate::Max)] {
        all.push(("aggregates", name.into(), TreeOptions { aggregate, ..best }, one_sided));
    }
    for (name, seeding) in
        [("seeds by lot", Seeding::Random), ("seeds at an icosahedron", Seeding::Icosahedron)]
    {
        let split = Split::Growth(seeding, Insertion::Shuffled);
        all.push((
            "with intermediate optimisation, seeds",
            name.into(),
            TreeOptions { split, ..best },
            one_sided,
        ));
    }
    for (name, measure) in [
        ("volume", Measure::Volume),
        ("surface", Measure::Surface),
        ("diameter", Measure::Diameter),
        ("Hausdorff", Measure::Hausdorff),
    ] {
        all.push(("measures", name.into(), TreeOptions { measure, ..best }, one_sided));
    }
    let octree = TreeOptions { split: Split::Octree, ..thesis };
    all.push(("other splits", "octree, oriented boxes".into(), octree, one_sided));
    for (name, fit) in [("quick", Fit::Quick), ("best", Fit::Best), ("Nelder–Mead", Fit::Descent)] {
        all.push(("fits", name.into(), TreeOptions { fit, ..best }, one_sided));
    }
    for (name, split) in [
        ("surface-area heuristic", Split::SurfaceArea),
        ("median", Split::Median),
        ("longest axis", Split::LongestAxis),
        ("Morton", Split::Morton),
        ("bottom-up", Split::BottomUp),
        ("branch and bound below, exchange above", Split::BranchAndBound),
    ] {
        let degrees = if split == Split::BranchAndBound { &config.degrees[..1] } else { &config.degrees[..] };
        for &degree in degrees {
            let options = TreeOptions { split, degree: Degree::Fixed(degree), ..thesis };
            all.push(("other splits", format!("{name}, degree {degree}"), options, one_sided));
        }
    }
    all
}

fn measure(
    tasks: &[Task],
    family: &'static str,
    setting: String,
    options: &TreeOptions,
    walk: &WalkOptions<'_>,
    costs: &Costs,
) -> (Ran, usize) {
    let (mut tests, mut build_s, mut nodes, mut met) = (Tests::default(), 0.0, 0, 0);
    let mut steps = Vec::new();
    for task in tasks {
        let start = Instant::now();
        let trees = [&task.around, &task.moved].map(|mesh| VolumeTree::<AnyVolume>::new(mesh, options));
        build_s += start.elapsed().as_secs_f64();
        nodes += trees.iter().map(|tree| tree.tree().nodes.len()).sum::<usize>();
        for pose in &task.poses {
            let (found, micros) = micros(|| trees[0].meet(&Pose::IDENTITY, &trees[1], pose, walk));
            steps.push(1e-3 * micros);
            tests += found.tests;
            met += found.faces.len();
        }
    }
    let count = steps.len() as f64;
    let degree = match options.degree {
        Degree::Fixed(degree) => degree as f64,
        Degree::Rate { rate, .. } => rate,
    };
    let ran = Ran {
        family,
        setting,
        degree,
        tests,
        cost_ms: 1e3 * tests.cost(&costs.volumes, costs.faces) / count,
        step_ms: steps.iter().sum::<f64>() / count,
        worst_ms: steps.iter().copied().fold(0.0, f64::max),
        build_s,
        nodes,
    };
    (ran, met)
}

fn report(session: &mut Session<'_>, ran: &[Ran], meeting: usize) {
    let columns = [
        "split",
        "setting",
        "volume tests",
        "face tests",
        "cost, ms/step",
        "time, ms/step",
        "worst, ms",
        "build, s",
        "nodes",
    ];
    let mut table = Table::new(
        format!(
            "All settings; the same {meeting} pairs of faces meet in each. Cost = counts × mean cost of a test"
        ),
        columns,
    );
    for one in ran {
        let cells = [
            one.tests.volume_tests() as f64,
            one.tests.faces as f64,
            one.cost_ms,
            one.step_ms,
            one.worst_ms,
            one.build_s,
            one.nodes as f64,
        ];
        table.row(one.family, std::iter::once(Cell::Text(one.setting.clone())).chain(cells.map(Cell::Ours)));
    }
    session.table(table);
    for (title, x, wanted) in
        [("Cost by fixed degree", "degree", (1.5, 20.0)), ("Cost by rate of improvement", "rate", (0.0, 1.0))]
    {
        let mut plot =
            Plot { title: title.into(), x: x.into(), y: "cost, ms a step".into(), ..Plot::default() };
        for family in [
            "modified Zachmann",
            "modified Gottschalk",
            "without intermediate optimisation",
            "with intermediate optimisation",
        ] {
            let points =
                ran.iter().filter(|r| r.family == family && wanted.0 < r.degree && r.degree < wanted.1);
            let name = family.replace("intermediate optimisation", "optimisation");
            plot.series.push(Series { name, points: points.map(|r| [r.degree, r.cost_ms]).collect() });
        }
        session.plot(plot);
    }
}
