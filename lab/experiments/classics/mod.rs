//! All methods on the same poses: verdicts, work, time, and how each slows down near contact.

use crate::timing::seconds_per_call;
use crate::{Cell, Plot, Series, Session, Table, Verdict};
use anyhow::{Context, Result};
use noli::{Budget, Mesh, Model, Overlap, Pose, clearance, overlap};
use noli_classics::{MethodScratch, PairMethod, Work};
use noli_scenes::{SplitMix64, TriangleSet, bumpy_sphere, slide_to_gap};
use serde::Deserialize;

#[derive(Deserialize)]
struct Config {
    frequency: u32,
    gaps: Vec<f64>,
    poses: usize,
    occupancy: u32,
    rounds: usize,
    seed: u64,
}

/// Poses at one gap; overlapping where there is none.
struct Set {
    gap: Option<f64>,
    poses: Vec<Pose>,
}

pub(super) fn run(session: &mut Session<'_>) -> Result<()> {
    let config: Config = session.config()?;
    let models = [model(bumpy_sphere(config.frequency, 0.3))?, model(bumpy_sphere(config.frequency, 1.1))?];
    session.step("sliding bodies to their gaps");
    let sets = sets(&config, &models).context("a slide did not reach its gap")?;
    let methods = [
        PairMethod::Tree,
        PairMethod::FourStep { m: 9 },
        PairMethod::Boyse,
        PairMethod::Moore,
        PairMethod::Occupancy { resolution: config.occupancy },
    ];
    let columns = [
        "method",
        "wrong verdicts",
        "volumes",
        "voxel pairs",
        "planes",
        "cells",
        "face pairs",
        "exact tests",
    ];
    let mut work = Table::new("Verdicts and work per pose, mean over all gaps", columns);
    let columns = ["method".to_owned()].into_iter().chain(sets.iter().map(Set::name));
    let mut time = Table::new("Time per pose by gap, µs", columns);
    let mut plot = Plot {
        title: "Near contact".into(),
        x: "log₁₀ of the gap".into(),
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
            let truth = if set.gap.is_some() { Overlap::Free } else { Overlap::Hit };
            for pose in &set.poses {
                let answer = ask(pose);
                total += answer.work;
                wrong += usize::from(answer.overlap != truth);
            }
            seconds
                .push(seconds_per_call(&set.poses, config.rounds, |pose| ask(pose).overlap == Overlap::Hit));
        }
        let count = sets.iter().map(|set| set.poses.len()).sum::<usize>() as f64;
        let Work { volumes, voxel_pairs, face_pairs, planes, cells, exact } = total;
        let counts =
            [volumes, voxel_pairs, planes, cells, face_pairs, exact].map(|n| Cell::Ours(n as f64 / count));
        work.row(method.to_string(), [Cell::Ours(wrong as f64)].into_iter().chain(counts));
        time.row(method.to_string(), seconds.iter().map(|s| Cell::Ours(1e6 * s)));
        let apart =
            sets.iter().zip(&seconds).filter_map(|(set, s)| Some([set.gap?.log10(), (1e6 * s).log10()]));
        plot.series.push(Series { name: method.to_string(), points: apart.collect() });
        let last = sets.iter().rposition(|set| set.gap.is_some()).unwrap_or(0);
        let (ratio, nearest) = (seconds[last] / seconds[0], seconds[last]);
        slowdown.push(Slowdown { method, ratio, nearest, wrong });
    }
    session.table(work);
    session.table(time);
    session.plot(plot);
    findings(session, &slowdown);
    Ok(())
}

/// How a method fares as bodies come close.
struct Slowdown {
    method: PairMethod,
    /// Time at the smallest gap over that at the largest.
    ratio: f64,
    /// Seconds at the smallest gap.
    nearest: f64,
    wrong: usize,
}

fn findings(session: &mut Session<'_>, rows: &[Slowdown]) {
    let told = |show: &dyn Fn(&Slowdown) -> String| rows.iter().map(show).collect::<Vec<_>>().join("; ");
    let slower = rows[1..].iter().filter(|row| row.ratio > 3.0).count();
    session.finding(
        "No visible slowdown until bodies are very close, then a clear one",
        if slower == rows.len() - 1 { Verdict::Confirmed } else { Verdict::Partly },
        format!(
            "Time at the smallest gap over that at the largest: {}.",
            told(&|r| format!("{} {:.0}", r.method, r.ratio))
        ),
    );
    let fastest = rows[1..]
        .iter()
        .min_by(|x, y| x.nearest.total_cmp(&y.nearest))
        .map_or(PairMethod::Tree, |row| row.method);
    session.finding(
        "Uchiki's occupancy is the fastest of the surveyed methods",
        Verdict::of(matches!(fastest, PairMethod::Occupancy { .. })),
        format!(
            "At the smallest gap {fastest} is the fastest of the four for a pair that is rasterised anew."
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
        "Lin and Canny's method needs convex bodies and is measured with those; these bodies are not convex.",
    );
}

impl Set {
    fn name(&self) -> String {
        self.gap.map_or("overlapping".into(), |gap| format!("gap {gap}"))
    }
}

fn sets(config: &Config, models: &[Model; 2]) -> Option<Vec<Set>> {
    let mut random = SplitMix64::new(config.seed);
    let starts: Vec<Pose> =
        (0..config.poses).map(|_| Pose::new(random.rotation(), random.direction() * 3.0)).collect();
    let here = models[0].at(Pose::IDENTITY);
    let distance = |pose: &Pose| clearance(&here, &models[1].at(*pose)).gap.at_most;
    let at_gap = |&gap: &f64| {
        let poses: Option<Vec<Pose>> =
            starts.iter().map(|&start| slide_to_gap(start, gap, distance)).collect();
        Some(Set { gap: Some(gap), poses: poses? })
    };
    let mut sets: Vec<Set> = config.gaps.iter().map(at_gap).collect::<Option<_>>()?;
    let pushed = |start: &Pose| Pose::new(start.rotation, start.translation / 3.0 * random.between(1.2, 1.8));
    let poses: Vec<Pose> = starts.iter().map(pushed).collect();
    let meet = |pose: &&Pose| overlap(&here, &models[1].at(**pose)) == Overlap::Hit;
    sets.push(Set { gap: None, poses: poses.iter().filter(meet).copied().collect() });
    Some(sets)
}

fn model(set: TriangleSet) -> Result<Model> {
    let mesh = Mesh::from_triangles(set.vertices, set.triangles, &Default::default())?;
    Ok(Model::from(&mesh))
}
