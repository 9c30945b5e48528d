//! All splits, degrees, rates, volumes and walks over removals led by a hand (section 10.1).

mod findings;
mod settings;

use crate::costs::{self, Costs};
use crate::removals::{self, Task};
use crate::timing::{ThreadClock, micros, side_by_side};
use crate::{Cell, Plot, Series, Session, Table};
use anyhow::{Result, ensure};
use noli::Pose;
use noli::query::Clock;
use noli_classics::tree::{AnyVolume, Tests, VolumeTree, WalkOptions};
use serde::Deserialize;
use settings::Setting;

#[derive(Deserialize)]
pub(super) struct Config {
    details: Vec<u32>,
    motions: Vec<String>,
    poses: usize,
    fit: String,
    degrees: Vec<usize>,
    rates: Vec<f64>,
    extras: bool,
}

/// What tests cost.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    /// By the table of 1998.
    Printed,
    /// On this machine.
    Ours,
}

/// One setting and what it cost in every motion.
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
    let tasks = removals::long_tasks(config.details[0], &config.motions, config.poses)?;
    let meeting = motions(session, &tasks);
    let ran = measure_all(session, &tasks, settings::all(&config), &costs, &meeting)?;
    report(session, &ran, meeting.iter().flatten().sum());
    series(session, &ran);
    sizes(session, &config, &costs, &ran, &tasks)?;
    findings::tell(session, &ran)
}

/// What the hand did; how many pairs of faces meet in each pose of each motion, by the exact test.
fn motions(session: &mut Session<'_>, tasks: &[Task]) -> Vec<Vec<usize>> {
    session.note(
        "The recordings and the scene of the study are lost. Stand-in: removals from a generated engine bay, and of covers with a bayonet and with a thread, \
         led by a hesitant hand made from seeds. The source gives no numbers of faces and says only that its motions hold both colliding and free parts, as these do.",
    );
    session.note(
        "Costs are the comparison number of the thesis, counts times mean cost of a test, by both tables of costs: that of 1998 and this machine's. The base test is \
         an edge against a face, counted one by one, up to six for two triangles. Times of steps hold interruptions by other work on the machine; costs do not.",
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
        session.step(&format!("exact meetings of {}", task.name));
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
    let total = settings.len();
    let mut done = 0;
    let ran = side_by_side(
        settings,
        |setting| measure(tasks, setting, costs, meeting),
        |one| {
            done += 1;
            if let Ok(one) = one {
                let (family, setting, s) = (one.family, &one.setting, one.build_s);
                session.step(&format!("{done} of {total}: {family}, {setting} (built in {s:.0} s)"));
            }
        },
    );
    ran.into_iter().collect()
}

fn measure(tasks: &[Task], setting: Setting, costs: &[Costs; 2], meeting: &[Vec<usize>]) -> Result<Ran> {
    let Setting { family, name, options, walk } = setting;
    let start = ThreadClock.now();
    let built = |task: &Task| [&task.around, &task.moved].map(|mesh| VolumeTree::new(mesh, &options));
    let trees: Vec<[VolumeTree<AnyVolume>; 2]> = tasks.iter().map(built).collect();
    let build_s = (ThreadClock.now() - start).as_secs_f64();
    let nodes = trees.iter().flatten().map(|tree| tree.tree().nodes.len()).sum();
    let mut motions = Vec::new();
    for ((task, trees), meeting) in tasks.iter().zip(&trees).zip(meeting) {
        let one = in_motion(task, trees, &walk, costs, meeting);
        ensure!(
            one.1 * 1000 <= task.poses.len(),
            "{family}, {name}, {}: {} poses whose meetings are not the exact ones",
            task.name,
            one.1
        );
        motions.push(one.0);
    }
    Ok(Ran { family, setting: name, degree: settings::degree_of(&options), motions, build_s, nodes })
}

/// One motion, and in how many poses more or fewer pairs of faces were found than there are.
fn in_motion(
    task: &Task,
    trees: &[VolumeTree<AnyVolume>; 2],
    walk: &WalkOptions<'_>,
    [printed, ours]: &[Costs; 2],
    meeting: &[usize],
) -> (InMotion, usize) {
    let mut one = InMotion {
        name: task.name,
        tests: Tests::default(),
        printed: Vec::new(),
        ours: Vec::new(),
        time: Vec::new(),
    };
    let mut wrong = 0;
    for (pose, known) in task.poses.iter().zip(meeting) {
        let (found, micros) = micros(|| trees[0].meet(&Pose::IDENTITY, &trees[1], pose, walk));
        wrong += usize::from(found.faces.len() != *known);
        let cost = |costs: &Costs| 1e3 * found.tests.cost(&costs.volumes, costs.edge_faces);
        one.printed.push(cost(printed));
        one.ours.push(cost(ours));
        one.time.push(1e-3 * micros);
        one.tests += found.tests;
    }
    (one, wrong)
}

fn report(session: &mut Session<'_>, ran: &[Ran], meeting: usize) {
    let columns = [
        "split",
        "setting",
        "volume tests",
        "edge–face tests",
        "cost of 1998, ms/step",
        "its peak, ms",
        "cost here, ms/step",
        "its peak, ms",
        "time, ms/step",
        "build, s",
        "nodes",
    ];
    let title = format!("All settings; the same {meeting} pairs of faces meet in each");
    let mut table = Table::new(title, columns);
    for one in ran {
        let tests = one.tests();
        let cells = [
            tests.volume_tests() as f64,
            tests.edge_faces as f64,
            one.cost(Unit::Printed),
            one.peak(Unit::Printed),
            one.cost(Unit::Ours),
            one.peak(Unit::Ours),
            mean(one.motions.iter().flat_map(|m| m.time.iter().copied())),
            one.build_s,
            one.nodes as f64,
        ];
        table.row(one.family, std::iter::once(Cell::Text(one.setting.clone())).chain(cells.map(Cell::Ours)));
    }
    session.table(table);
    by_motion(session, ran);
    for (title, x, wanted) in [
        ("Cost of 1998 by fixed degree", "degree", (1.5, 20.0)),
        ("Cost of 1998 by rate of improvement", "rate", (0.0, 1.0)),
    ] {
        let mut plot =
            Plot { title: title.into(), x: x.into(), y: "cost, ms a step".into(), ..Plot::default() };
        for family in settings::FAMILIES {
            let points =
                ran.iter().filter(|r| r.family == family && wanted.0 < r.degree && r.degree < wanted.1);
            let name = family.replace("intermediate optimisation", "optimisation");
            let points = points.map(|r| [r.degree, r.cost(Unit::Printed)]).collect();
            plot.series.push(Series { name, points });
        }
        session.plot(plot);
    }
}

/// Mean and peak of every motion.
fn by_motion(session: &mut Session<'_>, ran: &[Ran]) {
    let Some(first) = ran.first() else { return };
    let names = first.motions.iter().flat_map(|m| [format!("{}: mean", m.name), format!("{}: peak", m.name)]);
    let columns = ["split", "setting"].map(String::from).into_iter().chain(names);
    let mut table = Table::new("Cost of 1998 by motion, ms a step", columns);
    for one in ran.iter().filter(|r| settings::FAMILIES.contains(&r.family)) {
        let cells = one.motions.iter().flat_map(|m| {
            let peak = m.printed.iter().copied().fold(0.0, f64::max);
            [mean(m.printed.iter().copied()), peak].map(Cell::Ours)
        });
        table.row(one.family, std::iter::once(Cell::Text(one.setting.clone())).chain(cells));
    }
    session.table(table);
}

/// The cost of every step, as figures D.8 to D.48 of the thesis show it, for its final settings.
fn series(session: &mut Session<'_>, ran: &[Ran]) {
    let Some(first) = ran.first() else { return };
    for (number, motion) in first.motions.iter().enumerate() {
        let mut plot = Plot {
            title: format!("Cost of 1998 of each step of {}", motion.name),
            x: "step".into(),
            y: "cost, ms".into(),
            ..Plot::default()
        };
        for one in ran.iter().filter(|r| settings::is_final(r.family, &r.setting)) {
            // As many points as a picture shows.
            let costs = &one.motions[number].printed;
            let stride = costs.len().div_ceil(250).max(1);
            let points = costs
                .chunks(stride)
                .enumerate()
                .map(|(k, part)| [(k * stride) as f64, part.iter().copied().fold(0.0, f64::max)]);
            plot.series.push(Series { name: one.family.to_owned(), points: points.collect() });
        }
        session.plot(plot);
    }
}

/// The final settings of the thesis at every detail, of which the first has been run.
fn sizes(
    session: &mut Session<'_>,
    config: &Config,
    costs: &[Costs; 2],
    ran: &[Ran],
    tasks: &[Task],
) -> Result<()> {
    let columns = [
        "split",
        "setting",
        "faces",
        "cost of 1998, ms/step",
        "its peak, ms",
        "cost here, ms/step",
        "build, s",
    ];
    let mut table = Table::new("The final settings of the thesis at every size", columns);
    let faces = |tasks: &[Task]| -> usize {
        tasks.iter().map(|t| t.around.triangle_count() + t.moved.triangle_count()).sum()
    };
    let mut tell = |one: &Ran, faces: usize| {
        let cells = [
            faces as f64,
            one.cost(Unit::Printed),
            one.peak(Unit::Printed),
            one.cost(Unit::Ours),
            one.build_s,
        ];
        let text = Cell::Text(one.setting.clone());
        table.row(one.family, std::iter::once(text).chain(cells.map(Cell::Ours)));
    };
    ran.iter().filter(|r| settings::is_final(r.family, &r.setting)).for_each(|one| tell(one, faces(tasks)));
    for &detail in &config.details[1..] {
        let tasks = removals::long_tasks(detail, &config.motions, config.poses)?;
        let meeting: Vec<Vec<usize>> = tasks.iter().map(Task::meeting).collect();
        session.step(&format!("detail {detail}"));
        for one in measure_all(session, &tasks, settings::finals(config), costs, &meeting)? {
            tell(&one, faces(&tasks));
        }
    }
    session.table(table);
    Ok(())
}
