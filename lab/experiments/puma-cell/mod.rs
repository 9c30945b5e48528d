//! Time per frame against clearance in a robot cell: the only result of the source, as a curve.

use crate::frames::{FrameOptions, four_step_frames, frame_count, frame_pairs};
use crate::{Cell, Plot, Series, Session, Table, Verdict};
use anyhow::{Context, Result, ensure};
use noli::Budget;
use noli_classics::{VoxelBody, VoxelScratch, detect};
use noli_program::run::{DrivenKind, OnContact, Run, RunOptions};
use noli_project::cell::{LoadedCell, RunSource, frame_poses, open_bundled_cell, parts_at};
use noli_robot::cell::StateStatus;
use serde::Deserialize;
use std::hint::black_box;
use std::time::Instant;

#[derive(Deserialize)]
struct Config {
    every: usize,
    step_mm: f64,
    turn_deg: f64,
    halvings: u8,
    repeats: u32,
}

#[derive(Deserialize)]
struct Printed {
    frame_ms: f64,
}

/// Bounds of clearance in millimetres.
const BINS: [f64; 6] = [1.0, 3.0, 6.0, 12.0, 25.0, 50.0];

/// Sums over the frames of one range of clearance.
#[derive(Clone, Copy, Default)]
struct Bin {
    frames: usize,
    clearance: f64,
    /// Seconds of the four steps, of a verdict and of a clearance.
    seconds: [f64; 3],
}

/// Frames by clearance.
#[derive(Default)]
struct Times {
    bins: [Bin; BINS.len() + 1],
    /// Seconds of the four steps at the slowest frame.
    worst: f64,
}

pub(super) fn run(session: &mut Session<'_>) -> Result<()> {
    let (config, printed): (Config, Printed) = (session.config()?, session.printed()?);
    let options = FrameOptions {
        step: config.step_mm / 1000.0,
        turn: config.turn_deg.to_radians(),
        halvings: config.halvings,
        ..FrameOptions::default()
    };
    let times = Times::measure(session, &config, &options)?;
    let rises = times.report(session);
    session.finding(
        "Real time on an ordinary computer",
        Verdict::of(1e3 * times.worst < printed.frame_ms),
        format!(
            "The slowest of the frames takes the four steps {:.3} ms; a frame of the day had {} ms.",
            1e3 * times.worst,
            printed.frame_ms
        ),
    );
    session.finding(
        "No loss until objects are very close, then a significant one",
        Verdict::of(rises[0] > 1.5),
        format!(
            "Nearest against farthest frames: four steps {:.2} times, meets or not {:.2} times, clearance {:.2} times.",
            rises[0], rises[1], rises[2]
        ),
    );
    session.step("frames against proof");
    let (cell, grazed) = driven("magazine-graze")?;
    let frames = four_step_frames(&cell, &grazed, &options)?;
    session.finding(
        "Frames are enough",
        if frames.missed.is_empty() { Verdict::Partly } else { Verdict::Refuted },
        format!(
            "{} contacts are proven on the way with a pin planted; {} frames, {} of them colliding; frames miss those of line {:?}.",
            grazed.contacts.len(),
            frames.frames,
            frames.colliding,
            frames.missed
        ),
    );
    session.note(
        "No cell, robot size or time is printed: the bundled cell stands in, plain bodies for the links of a PUMA 560. The four steps are \
         the mended ones of noli-classics, exact at every frame; round bodies are the meshes inscribed in them. One thread.",
    );
    Ok(())
}

impl Times {
    /// Times every so many frames of the free program.
    fn measure(session: &mut Session<'_>, config: &Config, options: &FrameOptions) -> Result<Self> {
        session.step("the program, every motion proven");
        let (cell, done) = driven("magazine")?;
        ensure!(done.contacts.is_empty(), "the free cell is not free");
        let bodies: Vec<VoxelBody> =
            cell.looks.iter().map(|look| VoxelBody::new(&look.mesh, options.halvings)).collect();
        let bodies: Vec<&VoxelBody> = bodies.iter().collect();
        let (mut times, mut scratch, mut number) = (Self::default(), VoxelScratch::default(), 0usize);
        let timed = |work: &mut dyn FnMut()| {
            let start = Instant::now();
            (0..config.repeats).for_each(|_| work());
            start.elapsed().as_secs_f64() / f64::from(config.repeats)
        };
        let is_still = |kind| matches!(kind, DrivenKind::Open | DrivenKind::Close | DrivenKind::Rest);
        for motion in done.driven.iter().filter(|motion| !is_still(motion.kind)) {
            session.step(&format!("line {}", motion.place.line));
            let parts = parts_at(&done, cell.work.loose.len(), motion.start);
            let asked = cell.work.cell(&parts, None)?;
            let table = frame_pairs(&cell, &asked);
            let mut checker = asked.checker();
            let count = frame_count(&cell, motion, options);
            for frame in 0..=count {
                number += 1;
                if !number.is_multiple_of(config.every) {
                    continue;
                }
                let values = motion.values(frame as f64 / count as f64);
                let poses = frame_poses(&cell, &values, &parts);
                let all = [&values[..], &cell.work.others].concat();
                let (mut hits, mut clearance) = (0, 0.0);
                let four = timed(&mut || {
                    let found = detect(&bodies, &poses, &table, &Budget::UNLIMITED, &mut scratch);
                    hits = found.map_or(0, |(found, _)| found.len());
                });
                ensure!(hits == 0, "frame {number}: the four steps see {hits} pairs where nothing meets");
                let state = timed(&mut || {
                    black_box(checker.check_state(&all).is_ok_and(|status| status == StateStatus::Free));
                });
                let nearest = timed(&mut || {
                    let found = checker.clearance(&all);
                    clearance = found.map_or(0.0, |nearest| 1000.0 * nearest.clearance.at_most);
                });
                times.add(clearance, [four, state, nearest]);
            }
        }
        Ok(times)
    }

    /// Adds a frame: its clearance in millimetres, and its seconds.
    fn add(&mut self, clearance: f64, seconds: [f64; 3]) {
        let bin = &mut self.bins[BINS.partition_point(|bound| *bound <= clearance)];
        bin.frames += 1;
        bin.clearance += clearance;
        bin.seconds.iter_mut().zip(seconds).for_each(|(sum, one)| *sum += one);
        self.worst = self.worst.max(seconds[0]);
    }

    /// Returns how many times the nearest frames take as long as the farthest.
    fn report(&self, session: &mut Session<'_>) -> [f64; 3] {
        let columns = [
            "clearance",
            "frames",
            "mean clearance, mm",
            "four steps, µs",
            "noli, meets or not, µs",
            "noli, clearance, µs",
        ];
        let mut table = Table::new("Time per frame by the smallest clearance in the cell", columns);
        let mut curves = [const { Vec::<[f64; 2]>::new() }; 3];
        for (k, bin) in self.bins.iter().enumerate().filter(|(_, bin)| bin.frames > 0) {
            let n = bin.frames as f64;
            let label = match k {
                0 => format!("below {} mm", BINS[0]),
                k if k == BINS.len() => format!("{} mm and more", BINS[k - 1]),
                k => format!("{} to {} mm", BINS[k - 1], BINS[k]),
            };
            let means = bin.seconds.map(|sum| 1e6 * sum / n);
            let counts = [n, bin.clearance / n].into_iter();
            table.row(label, counts.chain(means).map(Cell::Ours));
            curves.iter_mut().zip(means).for_each(|(curve, mean)| curve.push([bin.clearance / n, mean]));
        }
        session.table(table);
        let rises = curves.each_ref().map(|curve| match (curve.first(), curve.last()) {
            (Some(near), Some(far)) => near[1] / far[1],
            _ => 1.0,
        });
        let names = ["four steps", "noli, meets or not", "noli, clearance"];
        let curves = names.into_iter().zip(curves);
        session.plot(Plot {
            title: "Time per frame".into(),
            x: "smallest clearance, mm".into(),
            y: "time, µs".into(),
            series: curves.map(|(name, points)| Series { name: name.into(), points }).collect(),
            ..Default::default()
        });
        rises
    }
}

fn driven(name: &str) -> Result<(LoadedCell, Run)> {
    let cell = open_bundled_cell(name)?;
    let source = RunSource::of_cell(&cell)?;
    let options = RunOptions { profile: 0, on_contact: OnContact::Warn, ..RunOptions::default() };
    let done = noli_program::run::run(&cell.work, &source.programs, &source.main, &options)
        .context("the demo cannot be run")?;
    Ok((cell, done))
}
