//! Noise spheres, fur and free forms at many poses: proven verdicts against sampled ones.

use super::{Config, Printed};
use crate::{Cell, Session, Table, Verdict};
use anyhow::{Result, ensure};
use glam::{DQuat, DVec3, dvec3};
use noli::Pose;
use noli_classics::fields::{SobolQuery, sobol_search, sobol_search_as_published};
use noli_implicit::shapes::{self, Perturbed, Quadric, Waves};
use noli_implicit::{Expr, Field, FieldQuery, FieldVerdict, field_overlap};
use std::time::Instant;

pub(super) fn run(session: &mut Session<'_>, config: &Config, printed: &Printed) -> Result<()> {
    let columns = [
        "scene",
        "hits",
        "free",
        "undecided",
        "cells, hits: median",
        "most",
        "cells, misses: median",
        "most",
        "ms, hits: median",
        "ms, misses: median",
        "sampled: hits missed",
        "as published: hits missed",
        "starts, mean",
        "values, mean",
        "ms, mean",
    ];
    let mut table = Table::new("Proven verdicts, and what quasi-random points find", columns);
    let (mut missed, mut hits, mut undecided) = (0, 0, 0);
    let (mut published_missed, mut fewer, mut compared) = (0, 0, 0);
    for (name, field, range) in fields() {
        session.step(name);
        let mut scene = Scene::default();
        for i in 0..config.poses {
            // Bounds are found once, before any clock runs.
            field.bounds();
            scene.ask(&field, pose(i, config.poses, range.clone()), config)?;
        }
        (missed, hits, undecided) =
            (missed + scene.missed, hits + scene.hits.len(), undecided + scene.undecided);
        published_missed += scene.published_missed;
        fewer += scene.fewer;
        compared += scene.published.len();
        table.row(name, scene.cells());
    }
    session.table(table);
    baseline(session, config, printed)?;
    session.finding(
        format!(
            "{} quasi-random starts, each searched along a spiral as published, miss no contact",
            config.starts
        ),
        Verdict::of(published_missed == 0),
        format!("{published_missed} of {hits} proven contacts were missed."),
    );
    session.finding(
        "Cutting space takes fewer computations than the known algorithm",
        match fewer {
            0 => Verdict::Refuted,
            n if n == compared => Verdict::Confirmed,
            _ => Verdict::Partly,
        },
        format!("In {fewer} of {compared} questions fewer cells of space were looked at than the search at quasi-random starts took values."),
    );
    session.finding(
        "Collisions of noise spheres, fur and free forms are found for certain by cutting space",
        if undecided == 0 { Verdict::Confirmed } else { Verdict::Partly },
        format!("With outward rounding and remainders: {undecided} of all pairs undecided."),
    );
    session.finding(
        format!(
            "{} quasi-random points miss no contact (our question, not a claim of the source)",
            config.points
        ),
        Verdict::of(missed == 0),
        format!("{missed} of {hits} proven contacts were missed."),
    );
    Ok(())
}

/// The printed times of the search at quasi-random starts, beside those here for as many starts without a contact.
fn baseline(session: &mut Session<'_>, config: &Config, printed: &Printed) -> Result<()> {
    let sphere = Field::new(&shapes::sphere(1.0));
    sphere.bounds();
    // Boxes that overlap at a vertex where the spheres do not.
    let (a, b) = (sphere.at(Pose::IDENTITY), sphere.at(Pose::from_translation(DVec3::splat(1.3))));
    let mut table = Table::new(
        "Time of the search as published, all starts searched, s",
        ["quasi-random starts", "s", "values"],
    );
    for &[starts, seconds] in &printed.baseline {
        let starts = starts.min(config.starts as f64);
        let started = Instant::now();
        let query = SobolQuery { points: starts as u64, tolerance: 1e-3 };
        let found = sobol_search_as_published(&a, &b, &query);
        ensure!(found.hit.is_none(), "spheres apart were found to meet");
        let ours = started.elapsed().as_secs_f64();
        table.row(
            format!("{starts}"),
            [Cell::Beside { ours, printed: seconds }, Cell::Ours(found.points as f64)],
        );
    }
    session.table(table);
    session.note("The printed times are of a machine of 73 and 20 Mflops, the second for the recursive search (150 ms); the shapes are not given.");
    Ok(())
}

fn fields() -> [(&'static str, Field, std::ops::Range<f64>); 4] {
    let noise = shapes::noise_sphere(23.0, &Waves::default());
    let fur = shapes::furry(&noise, 160.0, 14.0, 0.55);
    let [x, y, z] = Expr::xyz().map(|c| c * 4.0);
    let lattice = shapes::sphere(1.0) - Expr::noise(&x, &y, &z) * 0.3;
    let bump = |center: DVec3, factor: f64| (factor, Quadric::sphere(center, 0.5));
    let free_form = Perturbed {
        base: Quadric::ellipsoid(DVec3::ZERO, dvec3(1.0, 0.7, 0.5)),
        bumps: vec![
            bump(dvec3(0.8, 0.2, 0.1), 2.0),
            bump(dvec3(-0.5, 0.5, 0.0), -1.5),
            bump(dvec3(0.0, -0.6, 0.3), 1.0),
        ],
        power: 3,
    };
    [
        ("noise spheres", Field::new(&noise), 44.0..54.0),
        ("furry noise spheres", Field::new(&fur), 46.0..60.0),
        ("lattice noise spheres", Field::new(&lattice), 1.6..2.6),
        ("quadrics with bumps", Field::new(&free_form.expr()), 1.0..2.4),
    ]
}

fn pose(i: u32, of: u32, range: std::ops::Range<f64>) -> Pose {
    let t = f64::from(i);
    let turn = DQuat::from_xyzw((t * 1.3).sin(), (t * 2.1).cos(), (t * 0.7).sin(), 0.7);
    let direction = dvec3((t * 0.37).sin(), (t * 0.61).cos(), (t * 0.83).sin()).normalize();
    Pose::new(turn, direction * (range.start + (range.end - range.start) * (t / f64::from(of))))
}

#[derive(Default)]
struct Scene {
    /// Cells and milliseconds.
    hits: Vec<(u64, f64)>,
    misses: Vec<(u64, f64)>,
    undecided: usize,
    missed: usize,
    /// Starts, values and milliseconds of the search as published.
    published: Vec<(u64, u64, f64)>,
    published_missed: usize,
    /// How often fewer cells were looked at than it took values.
    fewer: usize,
}

impl Scene {
    fn ask(&mut self, field: &Field, pose: Pose, config: &Config) -> Result<()> {
        let (a, b) = (field.at(Pose::IDENTITY), field.at(pose));
        let started = Instant::now();
        let found = field_overlap(&a, &b, &FieldQuery { cells: 400_000, ..Default::default() });
        let cost = (found.cells, 1e3 * started.elapsed().as_secs_f64());
        let sampled = sobol_search(&a, &b, &SobolQuery { points: config.points, ..Default::default() });
        let started = Instant::now();
        let query = SobolQuery { points: config.starts, tolerance: 1e-3 };
        let published = sobol_search_as_published(&a, &b, &query);
        self.published.push((published.starts, published.points, 1e3 * started.elapsed().as_secs_f64()));
        self.fewer += usize::from(found.cells < published.points);
        match found.verdict {
            FieldVerdict::Free => {
                let none = sampled.hit.is_none() && published.hit.is_none();
                ensure!(none, "a common point of objects proven apart was sampled");
                self.misses.push(cost);
            }
            FieldVerdict::Hit { .. } => {
                self.hits.push(cost);
                self.missed += usize::from(sampled.hit.is_none());
                self.published_missed += usize::from(published.hit.is_none());
            }
            FieldVerdict::Unknown { .. } => self.undecided += 1,
        }
        Ok(())
    }

    fn cells(mut self) -> Vec<Cell> {
        let counts = [self.hits.len(), self.misses.len(), self.undecided].map(|n| Cell::Ours(n as f64));
        let cells = |costs: &mut Vec<(u64, f64)>| {
            costs.sort_by_key(|cost| cost.0);
            let middle = costs.get(costs.len() / 2).map_or(0, |cost| cost.0);
            [middle, costs.last().map_or(0, |cost| cost.0)].map(|n| Cell::Ours(n as f64))
        };
        let time = |costs: &mut Vec<(u64, f64)>| {
            costs.sort_by(|p, q| p.1.total_cmp(&q.1));
            Cell::Ours(costs.get(costs.len() / 2).map_or(0.0, |cost| cost.1))
        };
        let mut row = Vec::from(counts);
        row.extend(cells(&mut self.hits));
        row.extend(cells(&mut self.misses));
        row.extend([time(&mut self.hits), time(&mut self.misses), Cell::Ours(self.missed as f64)]);
        let count = self.published.len().max(1) as f64;
        let mean = |of: &dyn Fn(&(u64, u64, f64)) -> f64| {
            Cell::Ours(self.published.iter().map(of).sum::<f64>() / count)
        };
        row.push(Cell::Ours(self.published_missed as f64));
        row.extend([mean(&|p| p.0 as f64), mean(&|p| p.1 as f64), mean(&|p| p.2)]);
        row
    }
}
