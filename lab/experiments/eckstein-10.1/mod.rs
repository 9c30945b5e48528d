//! All splits, degrees, rates, volumes and walks over four removals from the engine bay (section 10.1).

mod findings;

use crate::costs::{self, Costs};
use crate::{Cell, Plot, Series, Session, Table};
use anyhow::{Context, Result, ensure};
use glam::{DQuat, DVec3};
use noli::tree::{
    AnyVolume, Degree, Expansion, Fit, Insertion, Measure, Order, Seeding, Split, Tests, TreeOptions,
    VolumeChoice, VolumeKind, VolumeTree, WalkOptions,
};
use noli::{Mesh, Pose};
use noli_geom::Aabb;
use noli_scenes::{Assembly, Removal, engine_bay, engine_bay_removals};
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

/// The pose lists.
const MOTIONS: [(&str, &str); 4] = [
    ("M1", include_str!("M1.csv")),
    ("M2", include_str!("M2.csv")),
    ("M3", include_str!("M3.csv")),
    ("M4", include_str!("M4.csv")),
];

/// A moved part, what is around its way, and the poses.
struct Task {
    moved: Mesh,
    around: Mesh,
    poses: Vec<Pose>,
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
    let bay = engine_bay(config.detail);
    let mut tasks = Vec::new();
    for removal in engine_bay_removals().iter().filter(|r| config.motions.iter().any(|m| m == r.name)) {
        tasks.push(task(&bay, removal, config.every)?);
    }
    let sizes: Vec<String> = tasks
        .iter()
        .map(|t| format!("{} against {}", t.moved.triangle_count(), t.around.triangle_count()))
        .collect();
    session.note(format!(
        "The recordings and the scene of the study are lost. Stand-in: four removals from a generated engine bay, with a hesitant hand made from a seed, {} poses each; \
         faces of the moved part against those around its way: {}.",
        tasks[0].poses.len(),
        sizes.join(", ")
    ));
    let mut ran = Vec::new();
    let mut meeting = None;
    for (family, setting, options, walk) in settings(&config) {
        session.step(&format!("{family}: {setting}"));
        let (one, met) = measure(&tasks, family, setting, &options, &walk, &costs);
        ensure!(
            *meeting.get_or_insert(met) == met,
            "{}: {met} pairs of faces meet, not {meeting:?}",
            one.setting
        );
        ran.push(one);
    }
    report(session, &ran, meeting.unwrap_or(0));
    findings::tell(session, &ran)
}

fn task(bay: &Assembly, removal: &Removal, every: usize) -> Result<Task> {
    let part = bay.part(removal.part).context("the part is in the bay")?;
    let text = MOTIONS.iter().find(|(name, _)| *name == removal.name).context("every motion has a list")?.1;
    let poses: Vec<Pose> = poses(text)?.into_iter().step_by(every.max(1)).collect();
    let reach = part.mesh.vertices().iter().map(|v| v.length()).fold(0.0, f64::max);
    let way = Aabb::around(poses.iter().map(|p| p.translation));
    let way = Aabb { min: way.min - reach, max: way.max + reach };
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for other in
        bay.parts.iter().filter(|p| p.name != removal.part && !removal.without.contains(&p.name.as_str()))
    {
        let placed: Vec<DVec3> =
            other.mesh.vertices().iter().map(|v| other.pose.transform_point(*v)).collect();
        for t in other.mesh.triangles() {
            let corners = t.map(|v| placed[v as usize]);
            if Aabb::around(corners).overlaps(&way) {
                let first = vertices.len() as u32;
                vertices.extend(corners);
                triangles.push([first, first + 1, first + 2]);
            }
        }
    }
    let around = Mesh::from_triangles(vertices, triangles, &Default::default())?;
    Ok(Task { moved: part.mesh.clone(), around, poses })
}

/// Rows of a quaternion and a translation.
fn poses(text: &str) -> Result<Vec<Pose>> {
    let row = |line: &str| {
        let v: Vec<f64> = line.split(',').map(str::parse).collect::<Result<_, _>>()?;
        ensure!(v.len() == 7, "a pose has seven numbers: {line}");
        Ok(Pose::new(DQuat::from_xyzw(v[0], v[1], v[2], v[3]), DVec3::new(v[4], v[5], v[6])))
    };
    text.lines().skip(1).map(row).collect()
}

type Setting = (&'static str, String, TreeOptions, WalkOptions<'static>);

const GROWTH: Split = Split::Growth(Seeding::Space, Insertion::Shuffled);

fn settings(config: &Config) -> Vec<Setting> {
    let thesis = TreeOptions { fit: Fit::Best, ..TreeOptions::workshop() };
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
    let spheres = TreeOptions {
        split: Split::HochbaumShmoys,
        volume: VolumeKind::Sphere.into(),
        degree: Degree::Fixed(4),
        ..thesis
    };
    all.push(("modified Hochbaum–Shmoys", "spheres, degree 4".into(), spheres, one_sided));
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
    all.push((
        "walks",
        "one-sided, best first".into(),
        best,
        WalkOptions { order: Order::Best, ..one_sided },
    ));
    for (name, measure) in [
        ("volume", Measure::Volume),
        ("surface", Measure::Surface),
        ("diameter", Measure::Diameter),
        ("Hausdorff", Measure::Hausdorff),
    ] {
        all.push(("measures", name.into(), TreeOptions { measure, ..best }, one_sided));
    }
    for (name, fit) in [("quick", Fit::Quick), ("best", Fit::Best), ("Nelder–Mead", Fit::Descent)] {
        all.push(("fits", name.into(), TreeOptions { fit, ..best }, one_sided));
    }
    for (name, split) in [
        ("surface-area heuristic", Split::SurfaceArea),
        ("median", Split::Median),
        ("longest axis", Split::LongestAxis),
        ("Morton", Split::Morton),
        ("bottom-up", Split::BottomUp),
        ("octree", Split::Octree),
    ] {
        for degree in [2, 4] {
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
            let start = Instant::now();
            let found = trees[0].meet(&Pose::IDENTITY, &trees[1], pose, walk);
            steps.push(1e3 * start.elapsed().as_secs_f64());
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
        "tests of volumes",
        "tests of faces",
        "cost, ms a step",
        "time, ms a step",
        "worst step, ms",
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The pose lists are what the generator makes, and the hand does hit things.
    #[test]
    fn pose_lists_are_those_of_the_generator() {
        for (number, removal) in engine_bay_removals().iter().enumerate() {
            let kept = poses(MOTIONS[number].1).unwrap();
            let made = removal.hesitant(1999 + number as u64, kept.len());
            for (k, m) in kept.iter().zip(&made) {
                assert!(
                    k.translation.distance(m.translation) < 1e-6 && k.rotation.abs_diff_eq(m.rotation, 1e-9)
                );
            }
        }
    }
}
