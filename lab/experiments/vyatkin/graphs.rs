//! Two published expression graphs against each other at random poses, as published and shrunk, beside dense samples.

use super::{Config, throughput};
use crate::{Cell, Session, Table, Verdict};
use anyhow::{Context, Result, ensure};
use glam::DVec3;
use noli::Pose;
use noli_geom::Aabb;
use noli_implicit::{Expr, Field, FieldQuery, FieldVerdict, field_overlap, parse_vm};
use noli_scenes::SplitMix64;

/// Where a part was cut off at its own face, the graphs have skins without thickness, which shrinking takes away.
const SHRUNK: [f64; 3] = [0.0, 1e-3, 1e-2];

pub(super) fn run(session: &mut Session<'_>, config: &Config) -> Result<()> {
    let [colonnade, tanglecube] = match ["colonnade.vm", "tanglecube.vm"].map(graph) {
        [Some(a), Some(b)] => [a?, b?],
        _ => {
            session.note("The published graphs were not compared: they are not in NOLI_DATA.");
            return Ok(());
        }
    };
    let columns =
        ["graphs", "free", "hits", "undecided", "cells: median", "most", "hits that no sample found"];
    let title = format!("colonnade and tanglecube at {} random poses", config.graph_poses);
    let mut table = Table::new(title, columns);
    let mut undecided = 0;
    for shrunk in SHRUNK {
        session.step(&format!("graphs, shrunk by {shrunk}"));
        let bounds = Aabb { min: DVec3::NEG_ONE, max: DVec3::ONE };
        let a = Field::new(&(colonnade.clone() + shrunk)).within(bounds);
        let b = Field::new(&(tanglecube.clone() + shrunk));
        let mut tally = Tally::default();
        let mut random = SplitMix64::new(12);
        for _ in 0..config.graph_poses {
            let pose = Pose::new(random.rotation(), random.direction() * random.between(0.0, 4.0));
            tally.ask(&a, &b, pose, &mut random)?;
        }
        undecided += tally.undecided;
        let name = if shrunk == 0.0 { "as published".to_owned() } else { format!("shrunk by {shrunk}") };
        table.row(name, tally.row());
    }
    session.table(table);
    session.finding(
        "Published graphs are decided as dense samples say (our question, not a claim of the source)",
        if undecided == 0 { Verdict::Confirmed } else { Verdict::Partly },
        format!(
            "{undecided} pairs undecided, none called free where a sample of {SAMPLES} points found a common one. Hits that no \
             sample found are thin overlaps, or skins without thickness, which are part of the objects."
        ),
    );
    Ok(())
}

fn graph(name: &str) -> Option<Result<Expr>> {
    let path = throughput::graphs_folder().join(name);
    let text = std::fs::read_to_string(&path).ok()?;
    Some(parse_vm(&text).with_context(|| path.display().to_string()))
}

const SAMPLES: usize = 10_000;

#[derive(Default)]
struct Tally {
    free: usize,
    hits: usize,
    undecided: usize,
    unseen: usize,
    cells: Vec<u64>,
}

impl Tally {
    fn ask(&mut self, a: &Field, b: &Field, pose: Pose, random: &mut SplitMix64) -> Result<()> {
        let back = pose.inverse();
        let sampled = (0..SAMPLES)
            .filter(|_| {
                let p = DVec3::from_array([(); 3].map(|()| random.between(-1.0, 1.0)));
                a.value(p) <= 0.0 && b.value(back.transform_point(p)) <= 0.0
            })
            .count();
        let found = field_overlap(&a.at(Pose::IDENTITY), &b.at(pose), &FieldQuery::default());
        self.cells.push(found.cells);
        match found.verdict {
            FieldVerdict::Free => {
                ensure!(sampled == 0, "a common point of objects proven apart was sampled");
                self.free += 1;
            }
            FieldVerdict::Hit { .. } => {
                self.hits += 1;
                self.unseen += usize::from(sampled == 0);
            }
            FieldVerdict::Unknown { .. } => self.undecided += 1,
        }
        Ok(())
    }

    fn row(mut self) -> [Cell; 6] {
        self.cells.sort_unstable();
        let middle = self.cells.get(self.cells.len() / 2).copied().unwrap_or(0);
        let most = self.cells.last().copied().unwrap_or(0);
        let counts = [self.free, self.hits, self.undecided].map(|count| count as f64);
        let [free, hits, undecided] = counts;
        [free, hits, undecided, middle as f64, most as f64, self.unseen as f64].map(Cell::Ours)
    }
}
