//! Best number of halvings of the container for the four steps.

use crate::timing::{seconds_per_call, side_by_side};
use crate::{Cell, Plot, Series, Session, Table, Verdict};
use anyhow::{Result, ensure};
use noli::{Budget, Mesh, Model, Overlap, Pose};
use noli_classics::{MethodScratch, PairMethod, Prepared, Work, suited_halvings};
use noli_scenes::{SplitMix64, torus, uv_sphere};
use serde::Deserialize;

#[derive(Deserialize)]
struct Config {
    faces: Vec<u32>,
    m: Vec<u8>,
    poses: usize,
    rounds: usize,
    seed: u64,
}

#[derive(Deserialize)]
struct Printed {
    best_m: u8,
}

/// Cost of one setting on one pair of bodies.
struct Measured {
    seconds: f64,
    work: Work,
    verdicts: Vec<Overlap>,
}

impl Measured {
    fn hits(&self) -> usize {
        self.verdicts.iter().filter(|verdict| **verdict == Overlap::Hit).count()
    }
}

pub(super) fn run(session: &mut Session<'_>) -> Result<()> {
    let (config, printed): (Config, Printed) = (session.config()?, session.printed()?);
    let columns = ["bodies".to_owned()].into_iter().chain(config.m.iter().map(|m| format!("M = {m}, µs")));
    let columns = columns.chain(["tree, µs", "best M", "1.5·log₂(F/6)"].map(String::from));
    let mut times = Table::new("Time per pose by the number of halvings", columns);
    let mut falling = Table::new(
        "What each step leaves, M = 9, per pose",
        ["bodies", "all face pairs", "voxel pairs", "face pairs", "exact tests", "poses that meet, %"],
    );
    let mut plot = Plot {
        title: "Time per pose".into(),
        x: "voxels along an edge, M".into(),
        y: "time, µs".into(),
        ..Default::default()
    };
    let (mut best, mut falls) = (Vec::new(), true);
    for &faces in &config.faces {
        for body in [Body::Spheres, Body::Tori] {
            let label = format!("{} of {faces} faces", body.name());
            session.step(&label);
            let model = body.model(faces)?;
            let poses = body.poses(config.poses, config.seed);
            let tree = measure(PairMethod::Tree, &model, &poses, config.rounds);
            let four_step = |m| (m, measure(PairMethod::FourStep { m }, &model, &poses, config.rounds));
            let rows = side_by_side(config.m.clone(), four_step, |_| ());
            for (m, measured) in &rows {
                let differ = measured.verdicts.iter().zip(&tree.verdicts).filter(|(x, y)| x != y).count();
                ensure!(differ == 0, "{label}, M = {m}: {differ} verdicts are not the tree's");
            }
            let fastest =
                rows.iter().min_by(|x, y| x.1.seconds.total_cmp(&y.1.seconds)).map_or(0, |row| row.0);
            best.push((label.clone(), fastest));
            let rule = f64::from(suited_halvings(faces as usize));
            let cells = rows.iter().map(|row| Cell::Ours(1e6 * row.1.seconds));
            let last = [Cell::Ours(1e6 * tree.seconds), Cell::Ours(fastest.into()), Cell::Ours(rule)];
            times.row(label.clone(), cells.chain(last));
            let points = rows.iter().map(|(m, measured)| [f64::from(*m), 1e6 * measured.seconds]).collect();
            plot.series.push(Series { name: label.clone(), points });
            if let Some((_, at_nine)) = rows.iter().find(|row| row.0 == printed.best_m) {
                let per_pose = |count: u64| count as f64 / poses.len() as f64;
                let all = f64::from(faces) * f64::from(faces);
                let Work { voxel_pairs, face_pairs, exact, .. } = at_nine.work;
                falls &= all > per_pose(face_pairs) && face_pairs > exact;
                let share = 100.0 * at_nine.hits() as f64 / poses.len() as f64;
                let counts = [all, per_pose(voxel_pairs), per_pose(face_pairs), per_pose(exact), share];
                falling.row(label, counts.map(Cell::Ours));
            }
        }
    }
    session.table(times);
    session.table(falling);
    session.plot(plot);
    session.finding(
        "Each step leaves fewer pairs for the next, dearer one",
        Verdict::of(falls),
        "Face pairs after the voxels against all face pairs, and exact tests until the first hit against those.",
    );
    session.note("The objects of the source are not printed; tessellated spheres and tori stand in. Every verdict equals the tree's, pose by pose.");
    compare_best(session, &best, printed.best_m, config.m.last().copied().unwrap_or(0));
    Ok(())
}

/// Compares the best number of halvings by bodies with the printed one, and with the largest that was tried.
fn compare_best(session: &mut Session<'_>, best: &[(String, u8)], printed: u8, largest: u8) {
    let at_nine = best.iter().filter(|b| b.1 == printed).count();
    let list: Vec<String> = best.iter().map(|(label, m)| format!("{label}: {m}")).collect();
    let verdict = match at_nine {
        0 => Verdict::Refuted,
        n if n == best.len() => Verdict::Confirmed,
        _ => Verdict::Partly,
    };
    session.finding(
        "M = 9 gives the least time, whatever the bodies",
        verdict,
        format!("Best M: {}.", list.join("; ")),
    );
    let at_edge: Vec<&str> = best.iter().filter(|b| b.1 == largest).map(|b| b.0.as_str()).collect();
    session.note(match &at_edge[..] {
        [] => format!("No best M is {largest}, the largest tried: all curves turn within the range."),
        some => format!(
            "For {} the best M is {largest}, the largest tried: their curves do not turn within the range.",
            some.join(", ")
        ),
    });
}

fn measure(method: PairMethod, model: &Model, poses: &[Pose], rounds: usize) -> Measured {
    let body = method.prepare(model);
    let mut scratch = MethodScratch::default();
    let mut ask = |body: &Prepared, pose: &Pose| {
        body.overlap(&Pose::IDENTITY, body, pose, &Budget::UNLIMITED, &mut scratch)
    };
    let (mut work, mut verdicts) = (Work::default(), Vec::with_capacity(poses.len()));
    for pose in poses {
        let answer = ask(&body, pose);
        work += answer.work;
        verdicts.push(answer.overlap);
    }
    let seconds = seconds_per_call(poses, rounds, |pose| ask(&body, pose).overlap == Overlap::Hit);
    Measured { seconds, work, verdicts }
}

/// The bodies of one row.
#[derive(Clone, Copy)]
enum Body {
    Spheres,
    Tori,
}

impl Body {
    fn name(self) -> &'static str {
        match self {
            Self::Spheres => "spheres",
            Self::Tori => "tori",
        }
    }

    fn model(self, faces: u32) -> Result<Model> {
        // About as many around as along.
        let around = f64::from(faces / 2).sqrt().round().max(3.0) as u32;
        let along = (faces / 2).div_ceil(around);
        let set = match self {
            Self::Spheres => uv_sphere(along + 1, around),
            Self::Tori => torus(1.0, 0.35, around, along.max(3)),
        };
        let mesh = Mesh::from_triangles(set.vertices, set.triangles, &Default::default())?;
        Ok(Model::from(&mesh))
    }

    fn poses(self, count: usize, seed: u64) -> Vec<Pose> {
        let mut random = SplitMix64::new(seed);
        let reach = match self {
            Self::Spheres => (1.75, 2.1),
            Self::Tori => (0.8, 2.6),
        };
        let mut place =
            || Pose::new(random.rotation(), random.direction() * random.between(reach.0, reach.1));
        (0..count).map(|_| place()).collect()
    }
}
