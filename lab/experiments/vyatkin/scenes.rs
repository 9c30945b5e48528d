//! Noise spheres, fur and free forms at many poses: proven verdicts against sampled ones.

use super::{Config, Printed};
use crate::{Cell, Session, Table, Verdict};
use anyhow::{Result, ensure};
use glam::{DQuat, DVec3, dvec3};
use noli::Pose;
use noli_classics::fields::{SobolQuery, sobol_points, sobol_search, sobol_search_as_published};
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
        "sampled: hits missed",
        "as published: hits missed",
        "starts of hits: least",
        "median",
        "most",
        "values of hits: least",
        "most",
    ];
    let mut table = Table::new("Proven verdicts, and what quasi-random points find", columns);
    let mut scenes = Vec::new();
    for (name, field, range) in fields() {
        session.step(name);
        let mut scene = Scene { name, ..Scene::default() };
        // Bounds are found once, before any clock runs.
        field.bounds();
        for i in 0..config.poses {
            scene.ask(&field, pose(i, config.poses, range.clone()), config)?;
        }
        table.row(name, scene.cells());
        scenes.push(scene);
    }
    session.table(table);
    baseline(session, &scenes, printed);
    findings(session, &scenes, config, printed);
    accuracy(session, config);
    Ok(())
}

fn findings(session: &mut Session<'_>, scenes: &[Scene], config: &Config, printed: &Printed) {
    let sum = |of: &dyn Fn(&Scene) -> usize| scenes.iter().map(of).sum::<usize>();
    let (hits, undecided) = (sum(&|s| s.hits.len()), sum(&|s| s.undecided));
    let missed = sum(&|s| s.published_missed);
    session.finding(
        "The known algorithm cannot always determine a collision: it does not guarantee to find the event",
        // A guarantee is not shown by scenes on which nothing was missed.
        if missed > 0 { Verdict::Confirmed } else { Verdict::Open },
        format!(
            "Of {hits} proven collisions {missed} were missed by {} starts, each searched along a spiral. Where none is missed, nothing is guaranteed either: \
             the search proves nothing by finding nothing.",
            config.starts
        ),
    );
    let values: Vec<f64> = scenes.iter().flat_map(|s| s.published_hits.iter().map(|p| p.1 as f64)).collect();
    let (least, most) = values.iter().fold((f64::INFINITY, 0.0f64), |(l, m), &v| (l.min(v), m.max(v)));
    let times: Vec<f64> = printed.baseline.iter().map(|b| b.seconds).collect();
    let (shortest, longest) = times.iter().fold((f64::INFINITY, 0.0f64), |(l, m), &v| (l.min(v), m.max(v)));
    session.finding(
        "The known algorithm takes very different times for different collisions",
        if values.is_empty() { Verdict::Open } else { Verdict::of(most > 10.0 * least) },
        format!(
            "Values taken for a collision run from {least} to {most}; printed times from {shortest} to {longest} s, the longest without a collision."
        ),
    );
    session.finding(
        "Collisions of noise spheres, fur and free forms are found for certain by cutting space (ours: intervals, not bars)",
        if undecided == 0 { Verdict::Confirmed } else { Verdict::Partly },
        format!("With outward rounding and remainders: {undecided} of all pairs undecided."),
    );
    let sampled = sum(&|s| s.missed);
    session.finding(
        format!(
            "{} quasi-random values miss no contact (our question, not a claim of the source)",
            config.points
        ),
        Verdict::of(sampled == 0),
        format!("{sampled} of {hits} proven contacts were missed."),
    );
}

/// The printed times of the known algorithm on its own scenes, hits as hits and the worst case without one.
fn baseline(session: &mut Session<'_>, scenes: &[Scene], printed: &Printed) {
    let columns = ["scene", "kind", "pairs", "starts, median", "least", "most", "s, median"];
    let mut table = Table::new("The known algorithm on the scenes of the paper, here and printed", columns);
    for row in &printed.baseline {
        let Some(scene) = scenes.iter().find(|scene| scene.name == row.scene) else { continue };
        let mut ran = if row.hit { scene.published_hits.clone() } else { scene.published_misses.clone() };
        ran.sort_by_key(|one| one.0);
        let starts = |at: usize| ran.get(at).map_or(0.0, |one| one.0 as f64);
        let mut times: Vec<f64> = ran.iter().map(|one| 1e-3 * one.2).collect();
        times.sort_by(f64::total_cmp);
        let middle = times.get(times.len() / 2).copied().unwrap_or(0.0);
        let kind = if row.hit { "collision" } else { "worst case: none" };
        table.row(
            row.scene.clone(),
            [
                Cell::Text(kind.into()),
                Cell::Ours(ran.len() as f64),
                Cell::Beside { ours: starts(ran.len() / 2), printed: row.starts },
                Cell::Ours(starts(0)),
                Cell::Ours(starts(ran.len().saturating_sub(1))),
                Cell::Beside { ours: middle, printed: row.seconds },
            ],
        );
    }
    session.table(table);
    session.note(
        "Printed: noise spheres by formula (3) without a collision, the worst case, and with one; fur by formula (4) with one, on 16 transputers of 73 Mflops together. \
         Radius, noise and places are not printed: ours are at many. Seconds are of one run; starts are counts.",
    );
}

/// "N points guarantee the point of contact to N^(−1/3)": how far a point of the unit cube can be from the nearest of N points.
fn accuracy(session: &mut Session<'_>, config: &Config) {
    let columns = ["points", "N^(−1/3)", "farthest by the largest coordinate", "times N^(1/3)"];
    let mut table =
        Table::new("Points of Sobol's sequence: the farthest point of the cube from the nearest", columns);
    let side = if config.starts < 100 { 12u32 } else { 40 };
    let probe = |n: u32| {
        let at = |k: u32| (f64::from(k) + 0.5) / f64::from(side);
        dvec3(at(n % side), at(n / side % side), at(n / side / side))
    };
    let mut ratios = Vec::new();
    for count in [8usize, 27, 106, 343, 1000] {
        let points: Vec<DVec3> = sobol_points().take(count).collect();
        let nearest =
            |p: DVec3| points.iter().map(|q| (p - q).abs().max_element()).fold(f64::INFINITY, f64::min);
        let farthest = (0..side.pow(3)).map(|n| nearest(probe(n))).fold(0.0, f64::max);
        let stated = (count as f64).cbrt().recip();
        ratios.push(farthest / stated);
        table.row(count.to_string(), [stated, farthest, farthest / stated].map(Cell::Ours));
    }
    session.table(table);
    let worst = ratios.iter().copied().fold(0.0, f64::max);
    let within = ratios.iter().filter(|ratio| **ratio <= 1.0).count();
    session.finding(
        "N points guarantee the point of contact to an accuracy of N^(−1/3)",
        match within {
            n if n == ratios.len() => Verdict::Confirmed,
            0 => Verdict::Refuted,
            _ => Verdict::Partly,
        },
        format!(
            "In shares of the box, by the largest coordinate, over {} probes: within it for {within} of {} numbers of points, at worst {worst:.2} times it. A common \
             region smaller than that can hold no point at all.",
            side.pow(3),
            ratios.len()
        ),
    );
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
    name: &'static str,
    /// Cells.
    hits: Vec<u64>,
    misses: Vec<u64>,
    undecided: usize,
    missed: usize,
    /// Starts, values and milliseconds of the search as published: where it found a collision, and where there is none.
    published_hits: Vec<(u64, u64, f64)>,
    published_misses: Vec<(u64, u64, f64)>,
    published_missed: usize,
}

impl Scene {
    fn ask(&mut self, field: &Field, pose: Pose, config: &Config) -> Result<()> {
        let (a, b) = (field.at(Pose::IDENTITY), field.at(pose));
        let found = field_overlap(&a, &b, &FieldQuery { cells: 400_000, ..Default::default() });
        let sampled = sobol_search(&a, &b, &SobolQuery { points: config.points, ..Default::default() });
        let started = Instant::now();
        let query = SobolQuery { points: config.starts, tolerance: 1e-3 };
        let published = sobol_search_as_published(&a, &b, &query);
        let took = (published.starts, published.points, 1e3 * started.elapsed().as_secs_f64());
        match found.verdict {
            FieldVerdict::Free => {
                let none = sampled.hit.is_none() && published.hit.is_none();
                ensure!(none, "a common point of objects proven separated was sampled");
                self.misses.push(found.cells);
                // Boxes that do not intersect leave nothing to search.
                if published.starts > 0 {
                    self.published_misses.push(took);
                }
            }
            FieldVerdict::Hit { .. } => {
                self.hits.push(found.cells);
                self.missed += usize::from(sampled.hit.is_none());
                match published.hit {
                    Some(_) => self.published_hits.push(took),
                    None => self.published_missed += 1,
                }
            }
            FieldVerdict::Unknown { .. } => self.undecided += 1,
        }
        Ok(())
    }

    fn cells(&self) -> Vec<Cell> {
        let cells = |costs: &[u64]| {
            let mut costs = costs.to_vec();
            costs.sort_unstable();
            [costs.get(costs.len() / 2), costs.last()].map(|n| n.copied().unwrap_or(0))
        };
        let ([hit, hit_most], [miss, miss_most]) = (cells(&self.hits), cells(&self.misses));
        let mut starts: Vec<u64> = self.published_hits.iter().map(|p| p.0).collect();
        starts.sort_unstable();
        let start = |at: usize| starts.get(at).copied().unwrap_or(0);
        let values = || self.published_hits.iter().map(|p| p.1);
        let figures = [
            self.hits.len() as u64,
            self.misses.len() as u64,
            self.undecided as u64,
            hit,
            hit_most,
            miss,
            miss_most,
            self.missed as u64,
            self.published_missed as u64,
            start(0),
            start(starts.len() / 2),
            start(starts.len().saturating_sub(1)),
            values().min().unwrap_or(0),
            values().max().unwrap_or(0),
        ];
        figures.map(|n| Cell::Ours(n as f64)).to_vec()
    }
}
