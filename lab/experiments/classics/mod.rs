//! All methods on the same poses: verdicts, work, time, and how each slows down near contact.

use crate::timing::seconds_per_call;
use crate::{Cell, Plot, Series, Session, Table, Verdict};
use anyhow::{Context, Result};
use noli::model::Hull;
use noli::{Budget, Mesh, Model, Overlap, Pose, clearance, overlap};
use noli_classics::{
    ApproachBounds, FeatureHint, FeatureHull, MethodScratch, PairMethod, Prepared, WakeQueue, Work,
    closest_features,
};
use noli_scenes::{SplitMix64, TriangleSet, bumpy_sphere, slide_to_distance, w4_paths};
use serde::Deserialize;

#[derive(Deserialize)]
struct Config {
    frequency: u32,
    clearances: Vec<f64>,
    poses: usize,
    occupancy: u32,
    rounds: usize,
    hulls: Vec<usize>,
    paths: usize,
    bodies: Vec<usize>,
    frames: usize,
    seed: u64,
}

/// Poses at one clearance; overlapping where there is none.
struct Set {
    clearance: Option<f64>,
    poses: Vec<Pose>,
}

pub(super) fn run(session: &mut Session<'_>) -> Result<()> {
    let config: Config = session.config()?;
    let models = [model(bumpy_sphere(config.frequency, 0.3))?, model(bumpy_sphere(config.frequency, 1.1))?];
    session.step("sliding bodies to their clearances");
    let sets = sets(&config, &models).context("a slide did not reach its clearance")?;
    let methods = [
        PairMethod::Tree,
        PairMethod::FourStep { m: 9 },
        PairMethod::Boyse,
        PairMethod::Moore,
        PairMethod::LinCanny,
        PairMethod::Occupancy { resolution: config.occupancy },
    ];
    let columns = [
        "method",
        "wrong verdicts",
        "volumes",
        "voxel pairs",
        "planes",
        "cells",
        "features walked",
        "face pairs",
        "exact tests",
        "kilobytes",
    ];
    let mut work = Table::new("Verdicts and work per pose, mean over all clearances", columns);
    let columns = ["method".to_owned()].into_iter().chain(sets.iter().map(Set::name));
    let mut time = Table::new("Time per pose by clearance, µs", columns);
    let mut plot = Plot {
        title: "Near contact".into(),
        x: "log₁₀ of the clearance".into(),
        y: "log₁₀ of µs per pose".into(),
        ..Default::default()
    };
    let mut slowdown = Vec::new();
    for method in methods {
        session.step(&method.to_string());
        let prepared = [0, 1].map(|k| method.prepare(&models[k]));
        let mut scratch = MethodScratch::default();
        let mut ask = |pose: &Pose| {
            prepared[0].overlap(&Pose::IDENTITY, &prepared[1], pose, &Budget::UNLIMITED, &mut scratch)
        };
        let (mut total, mut wrong, mut seconds) = (Work::default(), 0, Vec::new());
        for set in &sets {
            let truth = if set.clearance.is_some() { Overlap::Free } else { Overlap::Hit };
            for pose in &set.poses {
                let answer = ask(pose);
                total += answer.work;
                wrong += usize::from(answer.overlap != truth);
            }
            seconds
                .push(seconds_per_call(&set.poses, config.rounds, |pose| ask(pose).overlap == Overlap::Hit));
        }
        let count = sets.iter().map(|set| set.poses.len()).sum::<usize>() as f64;
        let Work { volumes, voxel_pairs, face_pairs, planes, cells, walked, exact } = total;
        let counts = [volumes, voxel_pairs, planes, cells, walked, face_pairs, exact]
            .map(|n| Cell::Ours(n as f64 / count));
        let kilobytes = prepared.iter().map(Prepared::bytes).sum::<usize>() as f64 / 1024.0;
        let row = [Cell::Ours(wrong as f64)].into_iter().chain(counts).chain([Cell::Ours(kilobytes)]);
        work.row(method.to_string(), row);
        time.row(method.to_string(), seconds.iter().map(|s| Cell::Ours(1e6 * s)));
        let separated = sets
            .iter()
            .zip(&seconds)
            .filter_map(|(set, s)| Some([set.clearance?.log10(), (1e6 * s).log10()]));
        plot.series.push(Series { name: method.to_string(), points: separated.collect() });
        let last = sets.iter().rposition(|set| set.clearance.is_some()).unwrap_or(0);
        slowdown.push(Slowdown { method, ratio: seconds[last] / seconds[0], wrong });
    }
    session.table(work);
    session.table(time);
    session.plot(plot);
    findings(session, &slowdown);
    data_obtained(session);
    coherence(session, &config)?;
    sleeping(session, &config)
}

/// Data that a method returns beyond yes and no, as the survey compares it.
fn data_obtained(session: &mut Session<'_>) {
    let mut table = Table::new("What each method tells, in print and here", ["method", "in print", "here"]);
    for (method, printed, here) in [
        ("four steps", "pairs, faces, a point", "pairs, faces, a point (`detect`)"),
        (
            "Boyse",
            "edge, face and point; distance or angle to the contact",
            "the same (`interference`, `translation_contact`, `rotation_contact`)",
        ),
        (
            "Moore and Wilhelms",
            "all penetrating points",
            "all penetrating points (`printed::penetrations`), exact yes or no",
        ),
        (
            "Lin and Canny",
            "closest features, distance",
            "closest features, a proven bracket of the distance (`closest_features`)",
        ),
        (
            "Uchiki",
            "names of the bodies in a cell",
            "messages with both names and the cell (`OccupancySpace::messages`)",
        ),
    ] {
        table.row(method, [printed, here].map(|text| Cell::Text(text.into())));
    }
    session.table(table);
}

/// Steps of a walk between convex bodies of growing size, from the last features and from any.
fn coherence(session: &mut Session<'_>, config: &Config) -> Result<()> {
    let columns = [
        "points of each hull",
        "features",
        "steps, from the last features",
        "steps, from the first",
        "walks that circle",
    ];
    let mut table = Table::new("Lin and Canny: steps of a walk along a path, mean", columns);
    let mut random = SplitMix64::new(config.seed);
    let (mut warm_steps, mut cold_share) = (Vec::new(), Vec::new());
    for &points in &config.hulls {
        session.step(&format!("walks between hulls of {points} points"));
        let mut hull = || -> Result<FeatureHull> {
            FeatureHull::new(Hull::new((0..points).map(|_| random.direction()))?)
                .context("a hull with an inside")
        };
        let bodies = [hull()?, hull()?];
        let (mut hint, mut totals, mut circles, mut walks) = (FeatureHint::default(), [0usize; 2], 0, 0);
        for path in w4_paths(1.0, config.paths, 100) {
            for pose in path {
                let away = Pose::new(pose.rotation, pose.translation + glam::DVec3::X * 4.0);
                let ask = |hint: &mut FeatureHint| {
                    closest_features((&bodies[0], &Pose::IDENTITY), (&bodies[1], &away), hint)
                };
                let found = [ask(&mut hint), ask(&mut FeatureHint::default())];
                totals = [0, 1].map(|k| totals[k] + found[k].steps);
                circles += found.iter().filter(|f| f.features.is_none()).count();
                walks += 1;
            }
        }
        let mean = totals.map(|total| total as f64 / walks as f64);
        let size = bodies[0].size() as f64;
        table.row(points.to_string(), [size, mean[0], mean[1], circles as f64].map(Cell::Ours));
        warm_steps.push(mean[0]);
        cold_share.push(mean[1] / size);
    }
    session.table(table);
    let (least, most) = (warm_steps[0], warm_steps[warm_steps.len() - 1]);
    session.finding(
        "From the last features a walk takes constant time, however large the bodies",
        if most <= 2.0 * least + 1.0 { Verdict::Confirmed } else { Verdict::Partly },
        format!("Mean steps from the smallest to the largest hulls: {least:.2} and {most:.2}."),
    );
    session.finding(
        "Without them it is never worse than linear in the number of features",
        Verdict::of(cold_share.iter().all(|share| *share <= 1.0)),
        format!("Mean steps from the first feature over the number of features: {}.", joined(&cold_share)),
    );
    Ok(())
}

fn joined(numbers: &[f64]) -> String {
    numbers.iter().map(|n| format!("{n:.3}")).collect::<Vec<_>>().join(", ")
}

/// Many spheres with bounded speeds: how many pairs the queue wakes a frame, of all.
fn sleeping(session: &mut Session<'_>, config: &Config) -> Result<()> {
    let mut table = Table::new(
        "Lin and Canny: pairs woken a frame by their times, of all pairs",
        ["bodies", "pairs", "woken, mean", "share, %", "contacts", "contacts missed"],
    );
    let mut shares = Vec::new();
    for &count in &config.bodies {
        session.step(&format!("{count} bodies with a wake-up queue"));
        let run = queue_of_spheres(count, config.frames, config.seed);
        let pairs = (count * (count - 1) / 2) as f64;
        let share = 100.0 * run.woken / pairs;
        let figures = [pairs, run.woken, share, run.contacts as f64, run.missed as f64];
        table.row(count.to_string(), figures.map(Cell::Ours));
        anyhow::ensure!(run.missed == 0, "the queue slept through {} contacts", run.missed);
        shares.push(share);
    }
    session.table(table);
    session.finding(
        "A queue of wake-up times leaves few pairs to be looked at in a frame, and no contact is slept through",
        Verdict::of(shares.iter().all(|share| *share < 50.0)),
        format!("Shares woken a frame, %: {}; no contact missed.", joined(&shares)),
    );
    Ok(())
}

struct Queued {
    woken: f64,
    contacts: usize,
    missed: usize,
}

/// Spheres that fly straight in a box and are turned back at its walls, a frame being one unit of time.
fn queue_of_spheres(count: usize, frames: usize, seed: u64) -> Queued {
    const SPEED: f64 = 0.05;
    const RADIUS: f64 = 0.3;
    let mut random = SplitMix64::new(seed);
    let room = (count as f64).cbrt() * 2.0;
    let mut places: Vec<glam::DVec3> =
        (0..count).map(|_| glam::DVec3::new(random.unit(), random.unit(), random.unit()) * room).collect();
    let mut paths: Vec<glam::DVec3> = (0..count).map(|_| random.direction() * SPEED).collect();
    let bounds = ApproachBounds { speed: 2.0 * SPEED, acceleration: 0.0 };
    let mut queue = WakeQueue::of_bodies(count as u32, 0);
    let clearance = |places: &[glam::DVec3], (i, j): (u32, u32)| {
        places[i as usize].distance(places[j as usize]) - 2.0 * RADIUS
    };
    let (mut woken, mut contacts, mut missed) = (0usize, 0, 0);
    for frame in 0..frames {
        let now = frame as f64;
        let mut touching = std::collections::BTreeSet::new();
        for number in queue.due(now) {
            woken += 1;
            let [i, j] = queue.pair(number);
            let distance = clearance(&places, (i, j));
            if distance <= 0.0 {
                touching.insert((i, j));
            }
            queue.sleep(number, now, distance, &bounds);
        }
        let all = (0..count as u32).flat_map(|i| (i + 1..count as u32).map(move |j| (i, j)));
        let truth: Vec<(u32, u32)> = all.filter(|&pair| clearance(&places, pair) <= 0.0).collect();
        contacts += truth.len();
        missed += truth.iter().filter(|pair| !touching.contains(pair)).count();
        for (place, path) in places.iter_mut().zip(&mut paths) {
            *place += *path;
            for k in 0..3 {
                if (place[k] < 0.0 && path[k] < 0.0) || (place[k] > room && path[k] > 0.0) {
                    path[k] = -path[k];
                }
            }
        }
    }
    Queued { woken: woken as f64 / frames as f64, contacts, missed }
}

/// Slowdown of a method as bodies come close.
struct Slowdown {
    method: PairMethod,
    /// Time at the smallest clearance over that at the largest.
    ratio: f64,
    wrong: usize,
}

fn findings(session: &mut Session<'_>, rows: &[Slowdown]) {
    let told = |show: &dyn Fn(&Slowdown) -> String| rows.iter().map(show).collect::<Vec<_>>().join("; ");
    let slower = rows[1..].iter().filter(|row| row.ratio > 3.0).count();
    session.finding(
        "No visible slowdown until bodies are very close, then a clear one",
        if slower == rows.len() - 1 { Verdict::Confirmed } else { Verdict::Partly },
        format!(
            "Time at the smallest clearance over that at the largest: {}.",
            told(&|r| format!("{} {:.0}", r.method, r.ratio))
        ),
    );
    let exact_wrong: usize =
        rows.iter().filter(|r| !matches!(r.method, PairMethod::Occupancy { .. })).map(|r| r.wrong).sum();
    session.finding(
        "Boyse's precision is excellent, that of the four steps as good as the face test, that of occupancy moderate",
        Verdict::of(exact_wrong == 0),
        format!("Wrong verdicts: {}.", told(&|r| format!("{} {}", r.method, r.wrong))),
    );
    session.note(
        "Lin and Canny's method is for convex bodies; these are not, so it runs on trees of hulls, each walk from the features of \
         the pose before. With convex bodies alone: the tables below. The source says of Uchiki's method that its time hardly \
         depends on the number of bodies, which the experiment `uchiki` looks at; for one pair, rasterised anew, nothing is claimed.",
    );
}

impl Set {
    fn name(&self) -> String {
        self.clearance.map_or("overlapping".into(), |clearance| format!("clearance {clearance}"))
    }
}

fn sets(config: &Config, models: &[Model; 2]) -> Option<Vec<Set>> {
    let mut random = SplitMix64::new(config.seed);
    let starts: Vec<Pose> =
        (0..config.poses).map(|_| Pose::new(random.rotation(), random.direction() * 3.0)).collect();
    let here = models[0].at(Pose::IDENTITY);
    let distance = |pose: &Pose| clearance(&here, &models[1].at(*pose)).distance.at_most;
    let at_clearance = |&gap: &f64| {
        let poses: Option<Vec<Pose>> =
            starts.iter().map(|&start| slide_to_distance(start, gap, distance)).collect();
        Some(Set { clearance: Some(gap), poses: poses? })
    };
    let mut sets: Vec<Set> = config.clearances.iter().map(at_clearance).collect::<Option<_>>()?;
    let pushed = |start: &Pose| Pose::new(start.rotation, start.translation / 3.0 * random.between(1.2, 1.8));
    let poses: Vec<Pose> = starts.iter().map(pushed).collect();
    let meet = |pose: &&Pose| overlap(&here, &models[1].at(**pose)) == Overlap::Hit;
    sets.push(Set { clearance: None, poses: poses.iter().filter(meet).copied().collect() });
    Some(sets)
}

fn model(set: TriangleSet) -> Result<Model> {
    let mesh = Mesh::from_triangles(set.vertices, set.triangles, &Default::default())?;
    Ok(Model::from(&mesh))
}
