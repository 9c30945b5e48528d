//! The tables of all settings, sizes and scenes.

use super::{Config, Ran, Unit, mean, measure_all, settings, thread_ms};
use crate::costs::Costs;
use crate::removals::{self, Task};
use crate::{Cell, Plot, Series, Session, Table, Verdict};
use anyhow::Result;
use noli_classics::tree::{BoundRules, Fit, TreeOptions, VolumeKind, branch_and_bound_by};
use noli_geom::Triangle;

pub(super) fn report(session: &mut Session<'_>, ran: &[Ran], meeting: usize) {
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
    let title = format!("All settings; the same {meeting} pairs of faces intersect in each");
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
    for one in ran {
        motion_row(&mut table, one);
    }
    session.table(table);
}

fn motion_row(table: &mut Table, one: &Ran) {
    let cells = one.motions.iter().flat_map(|m| {
        let peak = m.printed.iter().copied().fold(0.0, f64::max);
        [mean(m.printed.iter().copied()), peak].map(Cell::Ours)
    });
    table.row(one.family, std::iter::once(Cell::Text(one.setting.clone())).chain(cells));
}

/// The final settings of the thesis at every detail, of which the first has been run.
pub(super) fn sizes(
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
    let mut add = |one: &Ran, faces: usize| {
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
    let wanted = settings::finals(config);
    let is_wanted = |r: &&Ran| {
        settings::is_final(r.family, &r.setting)
            || wanted.iter().any(|s| s.family == r.family && s.name == r.setting)
    };
    ran.iter().filter(is_wanted).for_each(|one| add(one, faces(tasks)));
    for &detail in &config.details[1..] {
        let tasks = removals::long_tasks(detail, &config.motions, (1, config.poses))?;
        let meeting: Vec<Vec<usize>> = tasks.iter().map(Task::meeting).collect();
        session.step(&format!("detail {detail}"));
        for one in measure_all(session, &tasks, settings::finals(config), costs, &meeting)? {
            add(&one, faces(&tasks));
        }
    }
    session.table(table);
    Ok(())
}

/// The final settings on scenes of our own, marked so: the thesis has neither, and no claim is judged by them.
pub(super) fn our_scenes(session: &mut Session<'_>, config: &Config, costs: &[Costs; 2]) -> Result<()> {
    if config.ours.is_empty() {
        return Ok(());
    }
    let tasks = removals::long_tasks(config.details[0], &config.ours, (1, config.poses))?;
    let meeting: Vec<Vec<usize>> = tasks.iter().map(Task::meeting).collect();
    let ran = measure_all(session, &tasks, settings::finals(config), costs, &meeting)?;
    let names = tasks.iter().flat_map(|task| {
        let faces = task.moved.triangle_count() + task.around.triangle_count();
        [format!("{} ({faces} faces): mean", task.name), format!("{}: peak", task.name)]
    });
    let columns = ["split", "setting"].map(String::from).into_iter().chain(names);
    let mut table = Table::new("Scenes of ours, not of the thesis: cost of 1998, ms a step", columns);
    ran.iter().for_each(|one| motion_row(&mut table, one));
    session.table(table);
    Ok(())
}

/// Work of the search for the best partition, which the thesis calls enormous even for small examples and did not run
/// (10.1.5): means over neighbouring faces of the first motion's part, by their number.
pub(super) fn search(session: &mut Session<'_>, config: &Config, tasks: &[Task]) {
    let columns = ["faces", "partitions", "partial partitions tested", "proven, of all", "time, ms"];
    let mut table = Table::new("Branch and bound: spheres in two parts, by number of faces", columns);
    let triangles: Vec<Triangle> = tasks[0].moved.iter_triangles().collect();
    let options =
        TreeOptions { volume: VolumeKind::Sphere.into(), fit: Fit::Best, ..TreeOptions::workshop() };
    let mut tested = Vec::new();
    for &count in &config.searched {
        let sets: Vec<&[Triangle]> = triangles.chunks_exact(count.max(1)).take(8).collect();
        let rules = BoundRules { faces: count, limit: SEARCH_LIMIT, ..BoundRules::USUAL };
        let search = |faces: &[Triangle]| branch_and_bound_by(faces, 2, &options, &rules);
        let (found, ms) = thread_ms(|| sets.iter().map(|faces| search(faces)).collect::<Vec<_>>());
        let of_all = sets.len().max(1) as f64;
        let proven = found.iter().filter(|one| one.proven).count();
        let looked = found.iter().map(|one| one.looked_at as f64).sum::<f64>() / of_all;
        let partitions = 2f64.powi(count as i32 - 1);
        table.row(
            count.to_string(),
            [partitions, looked, proven as f64 / of_all, ms / of_all].map(Cell::Ours),
        );
        tested.push(looked);
    }
    session.table(table);
    if let [first, .., last] = tested[..] {
        let [few, many] = [config.searched[0], config.searched[config.searched.len() - 1]];
        let growth = (last / first).powf(1.0 / (many - few).max(1) as f64);
        session.finding(
            "Branch and bound is too costly even for small examples (10.1.5)",
            Verdict::of(growth > 1.2),
            format!(
                "One face more takes {growth:.2} times the partial partitions, from {few} to {many} faces; \
                 1.2 and more is taken as exponential."
            ),
        );
    }
}

/// Partial partitions tested before a proof is given up.
const SEARCH_LIMIT: usize = 200_000;
