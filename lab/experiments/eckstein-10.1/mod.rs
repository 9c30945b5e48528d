//! All splits, degrees, rates, volumes and walks over removals led by a hand (section 10.1).

mod findings;
mod judge;
mod series;
mod settings;
mod tables;

use crate::costs::{self, Costs};
use crate::removals::{self, Task};
use crate::timing::{ThreadClock, side_by_side, thread_ms};
use crate::{Cell, Session, Table};
use anyhow::{Result, ensure};
use noli::Pose;
use noli::query::Clock;
use noli_classics::tree::{AnyVolume, Tests, TreeOptions, VolumeTree, WalkOptions};
use serde::Deserialize;
use settings::Setting;

#[derive(Deserialize)]
pub(super) struct Config {
    details: Vec<u32>,
    /// The motions of the thesis.
    motions: Vec<String>,
    /// Scenes of our own, on which the final settings run and nothing is judged.
    ours: Vec<String>,
    /// Hands that lead each motion, each with a seed of its own.
    runs: usize,
    poses: usize,
    fit: String,
    /// A volume is fitted at every trial of the heuristic with intermediate optimisation, as published.
    fitted: bool,
    degrees: Vec<usize>,
    rates: Vec<f64>,
    extras: bool,
    /// Numbers of faces whose best partition is searched for.
    searched: Vec<usize>,
}

/// Costs of tests.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    /// By the table of 1998.
    Printed,
    /// On this machine.
    Ours,
}

/// One setting and its costs in every motion.
struct Ran {
    family: &'static str,
    setting: String,
    /// Degree, or rate as a number below 1.
    degree: f64,
    motions: Vec<InMotion>,
    build_s: f64,
    nodes: usize,
}

/// The steps of one motion: the comparison number of the thesis, counts times mean cost of a test, in ms.
struct InMotion {
    name: &'static str,
    runs: usize,
    tests: Tests,
    printed: Vec<f64>,
    ours: Vec<f64>,
    /// Measured, ms.
    time: Vec<f64>,
}

impl InMotion {
    fn costs(&self, unit: Unit) -> &[f64] {
        match unit {
            Unit::Printed => &self.printed,
            Unit::Ours => &self.ours,
        }
    }

    fn of_run(&self, unit: Unit, run: usize) -> &[f64] {
        let length = self.printed.len() / self.runs.max(1);
        &self.costs(unit)[run * length..(run + 1) * length]
    }

    /// Measured times of the first run, ms.
    fn first_times(&self) -> &[f64] {
        &self.time[..self.time.len() / self.runs.max(1)]
    }
}

impl Ran {
    /// Mean over all steps of all motions.
    fn cost(&self, unit: Unit) -> f64 {
        mean(self.motions.iter().flat_map(|m| m.costs(unit).iter().copied()))
    }

    /// The dearest step of all.
    fn peak(&self, unit: Unit) -> f64 {
        self.motions.iter().flat_map(|m| m.costs(unit)).copied().fold(0.0, f64::max)
    }

    fn tests(&self) -> Tests {
        let mut all = Tests::default();
        self.motions.iter().for_each(|m| all += m.tests);
        all
    }
}

fn mean(numbers: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = numbers.fold((0.0, 0.0), |(sum, count), n| (sum + n, count + 1.0));
    sum / f64::max(count, 1.0)
}

pub(super) fn run(session: &mut Session<'_>) -> Result<()> {
    let config: Config = session.config()?;
    let measured = costs::measure(if config.extras { 5000 } else { 200 }, 3, 1);
    let costs = [measured.printed(), measured];
    let size = (config.runs, config.poses);
    let tasks = removals::long_tasks(config.details[0], &config.motions, size)?;
    let meeting = motions(session, &config, &tasks);
    let ran = measure_all(session, &tasks, settings::all(&config), &costs, &meeting)?;
    tables::report(session, &ran, meeting.iter().flatten().sum());
    series::plot(session, &ran);
    tables::sizes(session, &config, &costs, &ran, &tasks)?;
    tables::search(session, &config, &tasks);
    tables::our_scenes(session, &config, &costs)?;
    findings::report(session, &ran)
}

/// The motions, and how many pairs of faces intersect in each pose of each, by the exact test.
fn motions(session: &mut Session<'_>, config: &Config, tasks: &[Task]) -> Vec<Vec<usize>> {
    session.note(format!(
        "The recordings and the scene of the study are lost. Stand-in: the same four removals from a generated engine bay, each led by {} hesitant hands made \
         from seeds. The source gives no numbers of faces and says only that its motions hold both colliding and free parts, as these do. All faces near a \
         path are one mesh; the thesis had many objects with a hierarchy each.",
        config.runs
    ));
    session.note(match config.fitted {
        true => "The heuristic with intermediate optimisation fits a volume at every trial, as published; the quick trials of the engine are listed apart, as ours.",
        false => "The heuristic with intermediate optimisation ran with the quick trials of the engine, not with a volume fitted at every trial as published.",
    });
    session.note(
        "Trees are built with the rules and the costs of the thesis, by which they are judged; a mixed tree judged by the costs of this machine is built with \
         those. Hybrid opening costs the sum of the tests of the children, in ms as printed; with the number of children it is listed apart, as ours.",
    );
    session.note(
        "Costs are the comparison number of the thesis, counts times mean cost of a test, by both tables of costs: that of 1998 and this machine's. The base test is \
         an edge against a face, counted one by one, up to six for two triangles. Times are those of the thread, least of two; costs are counts and do not depend on the machine.",
    );
    session.note(
        "Pairs of faces are those that the edge tests find; each pose was compared with the exact test, and more than one in a thousand that differ, by rounding, ends the run.",
    );
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
    let mut all = Vec::new();
    for task in tasks {
        session.step(&format!("exact intersections of {}", task.name));
        let meeting = task.meeting();
        let figures = [
            task.moved.triangle_count(),
            task.around.triangle_count(),
            task.poses.len(),
            meeting.iter().filter(|&&count| count > 0).count(),
            removals::bumps(&meeting),
            meeting.iter().sum::<usize>(),
        ];
        let cells = figures.map(|figure| Cell::Ours(figure as f64));
        table.row(task.name, std::iter::once(Cell::Text(task.part.into())).chain(cells));
        all.push(meeting);
    }
    session.table(table);
    all
}

/// Every setting, as many at once as the machine has threads: costs are counts, and times those of a thread.
fn measure_all(
    session: &mut Session<'_>,
    tasks: &[Task],
    settings: Vec<Setting>,
    costs: &[Costs; 2],
    meeting: &[Vec<usize>],
) -> Result<Vec<Ran>> {
    let order: Vec<(&str, String)> = settings.iter().map(|s| (s.family, s.name.clone())).collect();
    let groups = settings::grouped(settings);
    let total = groups.len();
    let mut done = 0;
    let ran = side_by_side(
        groups,
        |group| measure(tasks, &group, costs, meeting),
        |group| {
            done += 1;
            if let Ok([one, ..]) = group.as_deref() {
                let (family, setting, s) = (one.family, &one.setting, one.build_s);
                session.step(&format!("{done} of {total}: {family}, {setting} (built in {s:.0} s)"));
            }
        },
    );
    let mut ran: Vec<Ran> = ran.into_iter().collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
    let place = |r: &Ran| order.iter().position(|(family, name)| *family == r.family && *name == r.setting);
    ran.sort_by_key(place);
    Ok(ran)
}

/// Settings over the same trees.
fn measure(
    tasks: &[Task],
    group: &[Setting],
    costs: &[Costs; 2],
    meeting: &[Vec<usize>],
) -> Result<Vec<Ran>> {
    let (options, rules) = (&group[0].options, &group[0].rules);
    let start = ThreadClock.now();
    let moving = TreeOptions { leaf_faces: group[0].leaf_moving, ..*options };
    let built = |task: &Task| {
        [(&task.around, options), (&task.moved, &moving)]
            .map(|(mesh, options)| group[0].builder.tree(mesh, options, rules))
    };
    let trees: Vec<[VolumeTree<AnyVolume>; 2]> = tasks.iter().map(built).collect();
    let build_s = (ThreadClock.now() - start).as_secs_f64();
    let nodes = trees.iter().flatten().map(|tree| tree.tree().nodes.len()).sum();
    let mut ran = Vec::new();
    for Setting { family, name, walk, .. } in group {
        let mut motions = Vec::new();
        for ((task, trees), meeting) in tasks.iter().zip(&trees).zip(meeting) {
            let (one, wrong) = in_motion(task, trees, walk, costs, meeting);
            let poses = task.poses.len();
            let at = task.name;
            ensure!(
                wrong * 1000 <= poses,
                "{family}, {name}, {at}: {wrong} of {poses} poses differ from the exact test"
            );
            motions.push(one);
        }
        let (setting, degree) = (name.clone(), settings::degree_of(options));
        ran.push(Ran { family, setting, degree, motions, build_s, nodes });
    }
    Ok(ran)
}

/// One motion, and the number of poses in which more or fewer pairs of faces were found than there are.
fn in_motion(
    task: &Task,
    trees: &[VolumeTree<AnyVolume>; 2],
    walk: &WalkOptions<'_>,
    [printed, ours]: &[Costs; 2],
    meeting: &[usize],
) -> (InMotion, usize) {
    let mut one = InMotion {
        name: task.name,
        runs: task.runs,
        tests: Tests::default(),
        printed: Vec::new(),
        ours: Vec::new(),
        time: Vec::new(),
    };
    let mut wrong = 0;
    for (pose, known) in task.poses.iter().zip(meeting) {
        let (found, ms) = thread_ms(|| trees[0].meet(&Pose::IDENTITY, &trees[1], pose, walk));
        wrong += usize::from(found.faces.len() != *known);
        let cost = |costs: &Costs| 1e3 * found.tests.cost(&costs.volumes, costs.edge_faces);
        one.printed.push(cost(printed));
        one.ours.push(cost(ours));
        one.time.push(ms);
        one.tests += found.tests;
    }
    (one, wrong)
}
