//! Objects of the literature on collisions of functionally defined objects: cost of hits and misses, spread, and how
//! often a search at quasi-random points misses a contact.
//!
//! `cargo run --release -p noli-implicit --example vyatkin [-- --fidget PROGRAM FILE.vm...]`
//!
//! With `--fidget`, cells of the graphs given are also evaluated by the peer in `peers/fidget`, in turns.

#![allow(clippy::print_stdout)]

use glam::{DQuat, DVec3, dvec3};
use noli_geom::{Interval, Pose};
use noli_implicit::published::{BarQuery, SobolQuery, bar_search, sobol_search};
use noli_implicit::shapes::{self, Perturbed, Quadric, Waves};
use noli_implicit::{Cells, Field, FieldQuery, FieldVerdict, LANES, Tape, field_overlap, parse_vm};
use std::process::Command;
use std::time::Instant;

fn main() {
    gaps();
    distances();
    scenes();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, program, files @ ..] = arguments.as_slice()
        && flag == "--fidget"
    {
        files.iter().for_each(|file| throughput(program, file));
    }
}

fn milliseconds(started: Instant) -> f64 {
    started.elapsed().as_secs_f64() * 1e3
}

/// Cells for balls at known gaps and depths, with and without mixtures.
fn gaps() {
    println!("## Cells looked at: two balls, a ring and a ball; gap (free) and depth (hit)\n");
    println!("| gap | balls free, mixtures | alone | balls hit, mixtures | alone | ring free | ring hit |");
    println!("|---|---|---|---|---|---|---|");
    let ball = Field::new(&shapes::sphere(0.4));
    let ring = Field::new(&shapes::torus(1.0, 0.25));
    let away = dvec3(0.6, -0.48, 0.64);
    for exponent in 1..=9 {
        let gap = 10f64.powi(-exponent);
        let balls = |gap: f64, combine: bool| {
            // Alone, cells must be as small as the gap: beyond this it would take minutes.
            if !combine && exponent > 5 && gap > 0.0 {
                return "-".to_owned();
            }
            let query = FieldQuery { combine, cells: 10_000_000, ..Default::default() };
            let pose = Pose::from_translation(away * (0.8 + gap));
            cells_of(&ball, &ball, pose, gap, &query)
        };
        let ring_and_ball = |gap: f64| {
            let pose = Pose::from_translation(dvec3(0.35 - gap, 0.0, 0.0));
            cells_of(&ring, &ball, pose, gap, &FieldQuery::default())
        };
        println!(
            "| 1e-{exponent} | {} | {} | {} | {} | {} | {} |",
            balls(gap, true),
            balls(gap, false),
            balls(-gap, true),
            balls(-gap, false),
            ring_and_ball(gap),
            ring_and_ball(-gap)
        );
    }
}

fn cells_of(a: &Field, b: &Field, pose: Pose, gap: f64, query: &FieldQuery<'_>) -> String {
    let found = field_overlap(&a.at(Pose::IDENTITY), &b.at(pose), query);
    match found.verdict {
        FieldVerdict::Free => assert!(gap > 0.0, "{gap}"),
        FieldVerdict::Hit { .. } => assert!(gap < 0.0, "{gap}"),
        FieldVerdict::Unknown { .. } => return format!("undecided ({})", found.cells),
    }
    found.cells.to_string()
}

/// The claim of constant time: boxes over twenty distances.
fn distances() {
    println!("\n## Two balls of radius 0.4 over twenty distances (printed claim: time within 1 %)\n");
    println!("| search | verdicts | boxes, hits | boxes, misses |");
    println!("|---|---|---|---|");
    let center = dvec3(-0.31, 0.13, -0.07);
    let direction = dvec3(0.8, 0.36, 0.48);
    let place = |i: u32| 0.1 + 0.06 * f64::from(i);
    for even_aware in [false, true] {
        let query = BarQuery { even_aware, ..Default::default() };
        let counts: Vec<(bool, u64)> = (0..20)
            .map(|i| {
                let ball = |c| Perturbed { base: Quadric::ball(c, 0.4), bumps: Vec::new(), power: 3 };
                let other = center + direction * place(i);
                let found = bar_search(&ball(center), &ball(other), &query);
                (found.candidate.is_some(), found.boxes)
            })
            .collect();
        print_counts(if even_aware { "bars, even-aware" } else { "bars, as printed (mended)" }, &counts);
    }
    let ball = Field::new(&shapes::sphere(0.4));
    let counts: Vec<(bool, u64)> = (0..20)
        .map(|i| {
            let pose = Pose::from_translation(direction * place(i));
            let found = field_overlap(&ball.at(Pose::IDENTITY), &ball.at(pose), &FieldQuery::default());
            (found.verdict != FieldVerdict::Free, found.cells)
        })
        .collect();
    print_counts("best-first, mixtures", &counts);
}

fn print_counts(name: &str, counts: &[(bool, u64)]) {
    let range = |hit: bool| {
        let all = counts.iter().filter(|(h, _)| *h == hit).map(|(_, n)| *n);
        let (least, most) = all.fold((u64::MAX, 0), |(least, most), n| (least.min(n), most.max(n)));
        format!("{least} to {most}")
    };
    let hits = counts.iter().filter(|(hit, _)| *hit).count();
    println!("| {name} | {hits} of {} | {} | {} |", counts.len(), range(true), range(false));
}

/// Noise spheres, fur and free forms at many poses: proven verdicts against sampled ones.
fn scenes() {
    println!("\n## Scenes: proven verdicts, and what 1000 quasi-random points find\n");
    println!(
        "| scene | hit / free / undecided | cells, hits (median, most) | cells, misses | ms, hits | ms, misses | sampled: hits missed | points, hits (median) |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let noise = shapes::noise_sphere(23.0, &Waves::default());
    let fur = shapes::furry(&noise, 160.0, 14.0, 0.55);
    let perlin = shapes::sphere(1.0) - lattice_noise();
    let bump = |center: DVec3, factor: f64| (factor, Quadric::ball(center, 0.5));
    let free_form = Perturbed {
        base: Quadric::ellipsoid(DVec3::ZERO, dvec3(1.0, 0.7, 0.5)),
        bumps: vec![
            bump(dvec3(0.8, 0.2, 0.1), 2.0),
            bump(dvec3(-0.5, 0.5, 0.0), -1.5),
            bump(dvec3(0.0, -0.6, 0.3), 1.0),
        ],
        power: 3,
    };
    let scenes = [
        ("noise spheres", Field::new(&noise), 44.0..54.0),
        ("furry noise spheres", Field::new(&fur), 46.0..60.0),
        ("lattice noise spheres", Field::new(&perlin), 1.6..2.6),
        ("quadrics with bumps", Field::new(&free_form.expr()), 1.0..2.4),
    ];
    for (name, field, range) in scenes {
        let mut table = Scene::default();
        for i in 0..60 {
            let t = f64::from(i);
            let turn = DQuat::from_xyzw((t * 1.3).sin(), (t * 2.1).cos(), (t * 0.7).sin(), 0.7);
            let direction = dvec3((t * 0.37).sin(), (t * 0.61).cos(), (t * 0.83).sin()).normalize();
            let distance = range.start + (range.end - range.start) * (t / 60.0);
            table.run(&field, Pose::new(turn, direction * distance));
        }
        table.print(name);
    }
}

fn lattice_noise() -> noli_implicit::Expr {
    let [x, y, z] = noli_implicit::Expr::xyz().map(|c| c * 4.0);
    noli_implicit::Expr::noise(&x, &y, &z) * 0.3
}

#[derive(Default)]
struct Scene {
    hits: Vec<(u64, f64)>,
    misses: Vec<(u64, f64)>,
    undecided: usize,
    sampled_points: Vec<u64>,
    missed: usize,
}

impl Scene {
    fn run(&mut self, field: &Field, pose: Pose) {
        field.bounds();
        let (a, b) = (field.at(Pose::IDENTITY), field.at(pose));
        let started = Instant::now();
        let found = field_overlap(&a, &b, &FieldQuery { cells: 400_000, ..Default::default() });
        let cost = (found.cells, milliseconds(started));
        let sampled = sobol_search(&a, &b, &SobolQuery::default());
        match found.verdict {
            FieldVerdict::Free => {
                assert_eq!(sampled.hit, None, "a proven miss was sampled");
                self.misses.push(cost);
            }
            FieldVerdict::Hit { .. } => {
                self.hits.push(cost);
                match sampled.hit {
                    Some(_) => self.sampled_points.push(sampled.points),
                    None => self.missed += 1,
                }
            }
            FieldVerdict::Unknown { .. } => self.undecided += 1,
        }
    }

    fn print(mut self, name: &str) {
        let cells = |costs: &mut Vec<(u64, f64)>| {
            costs.sort_by_key(|c| c.0);
            match costs.as_slice() {
                [] => "-".to_owned(),
                all => format!("{}, {}", all[all.len() / 2].0, all[all.len() - 1].0),
            }
        };
        let time = |costs: &mut Vec<(u64, f64)>| {
            costs.sort_by(|p, q| p.1.total_cmp(&q.1));
            match costs.as_slice() {
                [] => "-".to_owned(),
                all => format!("{:.2}, {:.1}", all[all.len() / 2].1, all[all.len() - 1].1),
            }
        };
        self.sampled_points.sort_unstable();
        let points = self.sampled_points.get(self.sampled_points.len() / 2).copied().unwrap_or(0);
        println!(
            "| {name} | {} / {} / {} | {} | {} | {} | {} | {} of {} | {points} |",
            self.hits.len(),
            self.misses.len(),
            self.undecided,
            cells(&mut self.hits),
            cells(&mut self.misses),
            time(&mut self.hits),
            time(&mut self.misses),
            self.missed,
            self.missed + self.sampled_points.len(),
        );
    }
}

/// Interval evaluations of a whole graph on a grid of cells, here and in the peer, in turns.
fn throughput(program: &str, file: &str) {
    const GRID: usize = 16;
    const ROUNDS: usize = 5;
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let tape = Tape::new(&parse_vm(&text).unwrap_or_else(|error| panic!("{file}: {error}")));
    println!(
        "\n## {file}: {} operations, {} cells, each whole tape, nanoseconds a cell\n",
        tape.len(),
        GRID.pow(3)
    );
    println!("| round | noli, rounded outward | fidget interpreter | fidget JIT | noli / interpreter |");
    println!("|---|---|---|---|---|");
    let side = |i: usize| {
        let at = |i: usize| 2.0 * i as f64 / GRID as f64 - 1.0;
        Interval::new(at(i), at(i + 1))
    };
    let cells: Vec<[Interval; 3]> =
        (0..GRID.pow(3)).map(|i| [side(i % GRID), side(i / GRID % GRID), side(i / GRID / GRID)]).collect();
    for round in 1..=ROUNDS {
        let started = Instant::now();
        let mut slots = Vec::new();
        let mut sum = 0.0;
        for chunk in cells.chunks(LANES) {
            let xyz = [0, 1, 2].map(|axis| Cells::new(std::array::from_fn(|k| chunk[k][axis])));
            let value = tape.evaluate(&xyz, &mut slots);
            sum += (0..LANES).map(|k| value.lane(k).lo()).sum::<f64>();
        }
        let ours = started.elapsed().as_secs_f64() * 1e9 / cells.len() as f64;
        let output = Command::new(program).args([file, &GRID.to_string()]).output();
        let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
        let numbers: Vec<f64> = String::from_utf8_lossy(&output.stdout)
            .split_whitespace()
            .map(|word| word.parse().unwrap_or(f64::NAN))
            .collect();
        let [interpreter, jit, peer_sum] = numbers[..] else {
            panic!("{program}: {}", String::from_utf8_lossy(&output.stderr))
        };
        assert!((sum - peer_sum).abs() <= 1e-3 * sum.abs().max(1.0), "bounds differ: {sum} {peer_sum}");
        println!("| {round} | {ours:.0} | {interpreter:.0} | {jit:.0} | {:.2} |", ours / interpreter);
    }
}
