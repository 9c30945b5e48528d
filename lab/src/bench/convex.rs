//! Workload W4: convex pairs near contact, cold and along coherent paths.

use super::measure::{Answer, Samples};
use super::peers::{self, JobFolder, Peer};
use super::w1::Question;
use crate::measured::{Measured, Page, Progress, add_row};
use crate::record::Table;
use anyhow::{Context, Result, ensure};
use noli::answer::Bracket;
use noli::model::Hull;
use noli::{Convex, Hint, Model, Overlap, Pose, QueryContext, Scratch, clearance};
use noli_scenes::{TriangleSet, W4_POINTS, W4_SQUEEZES, w4_paths, w4_points, w4_poses};
use serde::Serialize;

const QUESTIONS: [Question; 3] = [Question::Overlap, Question::Clearance, Question::Depth];
const PASSES: usize = 3;
const ROUNDS: usize = 3;
/// Steps of a path.
const STEPS: usize = 100;

/// Settings of the run.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Number of poses of each pair of bodies, at least one.
    pub poses: usize,
    /// `true` if the engines built by `cargo xtask peers` take turns with noli.
    pub peers: bool,
}

/// Times of noli and the peers, pair by pair and question by question.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Its name.
    pub workload: &'static str,
    /// Number of poses of each pair of bodies.
    pub poses: usize,
    /// The figures, grouped by query and pair, noli first.
    pub rows: Vec<Row>,
    /// Wrong answers.
    pub failures: Vec<String>,
}

/// One engine on one question about one pair of bodies.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Of each hull, before those inside are left out.
    pub points: usize,
    /// By how much the hulls are squeezed.
    pub squeeze: f64,
    /// Query.
    pub question: &'static str,
    /// `true` if poses follow each other closely, and engines that support it start from the last.
    pub path: bool,
    /// Engine that answered.
    pub engine: String,
    /// Number of overlapping poses.
    pub hits: usize,
    /// Microseconds, the median over poses.
    pub median_us: f64,
    /// Microseconds, the mean over poses.
    pub mean_us: f64,
    /// Times noli, medians; `None` for noli.
    pub ratio: Option<f64>,
    /// Answers that differ from noli's by more than a millionth.
    pub differing: usize,
}

/// Two bodies and all queries on them.
struct Pair {
    models: [Model; 2],
    meshes: [Model; 2],
    sets: [TriangleSet; 2],
}

impl Plan {
    /// Measure on one thread.
    pub fn run(&self, progress: Progress<'_>) -> Result<Report> {
        ensure!(self.poses > 0, "there must be at least one pose");
        super::on_one_thread(|| self.measure(progress))
    }

    fn measure(&self, progress: Progress<'_>) -> Result<Report> {
        let poses = self.poses;
        let peers = if self.peers { peers::find_convex() } else { Vec::new() };
        let steps = W4_POINTS.len() * W4_SQUEEZES.len() * QUESTIONS.len() * 2;
        let mut report = Report { workload: "w4", poses, rows: Vec::new(), failures: Vec::new() };
        for points in W4_POINTS {
            for squeeze in W4_SQUEEZES {
                let pair = Pair::new(points, squeeze)?;
                let job = if peers.is_empty() { None } else { Some(JobFolder::new(&pair.sets)?) };
                let path: Vec<Pose> = w4_paths(squeeze, poses.div_ceil(STEPS), STEPS).concat();
                for (poses, is_path) in [(w4_poses(squeeze, poses), false), (path, true)] {
                    report.failures.extend(pair.failures(points, squeeze, &poses));
                    for question in QUESTIONS {
                        let what = format!("{points} points, squeezed by {squeeze}: {}", question.name());
                        progress(&what, steps);
                        let peers = peers.iter().filter(|(_, warm)| is_path || !warm).map(|(peer, _)| peer);
                        let measured = pair.measure(question, &poses, is_path, peers, job.as_ref())?;
                        report.rows.extend(rows(points, squeeze, question, is_path, &measured));
                    }
                }
            }
        }
        Ok(report)
    }
}

impl Pair {
    fn new(points: usize, squeeze: f64) -> Result<Self> {
        let [a, b] =
            w4_points(points, squeeze).map(|points| Hull::new(points).context("the generated points"));
        let hulls = [a?, b?];
        let mesh = |hull: &Hull| hull.to_mesh().context("the generated hull");
        let meshes = [mesh(&hulls[0])?, mesh(&hulls[1])?];
        let sets = meshes.each_ref().map(|mesh| TriangleSet {
            vertices: mesh.vertices().to_vec(),
            triangles: mesh.triangles().to_vec(),
        });
        let meshes = meshes.map(|mesh| Model::from(&mesh));
        Ok(Self { models: hulls.map(|hull| Model::from(Convex::from(hull))), meshes, sets })
    }

    /// Verdicts and brackets against exact mesh queries, on some of the poses.
    fn failures(&self, points: usize, squeeze: f64, poses: &[Pose]) -> Option<String> {
        let wrong = |pose: &&Pose| {
            let [a, b] = &self.meshes;
            let truth = clearance(&a.at(Pose::IDENTITY), &b.at(**pose)).distance;
            let Answer { at_least, at_most } =
                self.context(Question::Clearance, pose, &mut Hint::default(), &mut Scratch::default());
            at_least > truth.at_most || at_most < truth.at_least || (at_most == 0.0) != (truth.at_most == 0.0)
        };
        let count = poses.iter().step_by(10).filter(wrong).count();
        (count > 0).then(|| format!("{points} points, squeezed by {squeeze}: wrong for {count} poses"))
    }

    fn context(&self, question: Question, pose: &Pose, hint: &mut Hint, scratch: &mut Scratch) -> Answer {
        let (a, b) = (self.models[0].at(Pose::IDENTITY), self.models[1].at(*pose));
        let mut context = QueryContext::new(scratch).with_hint(hint);
        let Bracket { at_least, at_most } = match question {
            Question::Overlap => {
                return Answer::exactly(f64::from(u8::from(context.overlap(&a, &b) == Overlap::Hit)));
            }
            Question::Depth => context.contact(&a, &b).hit().map_or(Bracket::ZERO, |contact| contact.depth),
            _ => context.clearance(&a, &b, &Default::default()).distance,
        };
        Answer { at_least, at_most }
    }

    /// Every engine's samples, noli first; along a path noli with a hint and then without.
    fn measure<'p>(
        &self,
        question: Question,
        poses: &[Pose],
        is_path: bool,
        peers: impl Iterator<Item = &'p Peer>,
        job: Option<&JobFolder>,
    ) -> Result<Vec<(String, Samples)>> {
        let peers: Vec<&Peer> = peers.collect();
        let mut rounds: Vec<(String, Vec<Samples>)> = Vec::new();
        let mut add =
            |name: String, samples: Samples| match rounds.iter_mut().find(|(known, _)| *known == name) {
                Some((_, list)) => list.push(samples),
                None => rounds.push((name, vec![samples])),
            };
        if let Some(job) = job {
            job.set_poses(poses)?;
        }
        let mut scratch = Scratch::default();
        for _ in 0..if peers.is_empty() { 1 } else { ROUNDS } {
            if is_path {
                let mut hint = Hint::default();
                let with_hint =
                    Samples::of(poses, PASSES, |pose| self.context(question, pose, &mut hint, &mut scratch));
                add("noli hinted".to_owned(), with_hint);
            }
            let cold = |pose: &Pose| self.context(question, pose, &mut Hint::default(), &mut scratch);
            add("noli".to_owned(), Samples::of(poses, PASSES, cold));
            for peer in &peers {
                let Some(job) = job else { continue };
                if let Some(samples) = peer.ask(question, job, PASSES)? {
                    add(peer.name(), samples);
                }
            }
        }
        Ok(rounds.into_iter().filter_map(|(name, rounds)| Some((name, Samples::merged(rounds)?))).collect())
    }
}

fn rows(
    points: usize,
    squeeze: f64,
    question: Question,
    path: bool,
    measured: &[(String, Samples)],
) -> Vec<Row> {
    let Some((_, ours)) = measured.first() else { return Vec::new() };
    let row = |(engine, samples): &(String, Samples)| Row {
        points,
        squeeze,
        question: question.name(),
        path,
        engine: engine.clone(),
        hits: samples
            .answers
            .iter()
            .filter(|answer| (answer.at_most == 0.0) == (question == Question::Clearance))
            .count(),
        median_us: samples.median(),
        mean_us: samples.mean(),
        ratio: (!engine.starts_with("noli")).then(|| samples.median() / ours.median()),
        differing: ours.disagreements(samples, 1e-6),
    };
    measured.iter().map(row).collect()
}

impl Measured for Report {
    fn page(&self) -> Page {
        let mut engines: Vec<&str> = Vec::new();
        for row in &self.rows {
            if !engines.contains(&row.engine.as_str()) {
                engines.push(&row.engine);
            }
        }
        let title = "microseconds, median over poses (times the first column; !n: n answers differ by more than 1e-6)";
        let mut table = Table::new(title, ["question", "hits"].into_iter().chain(engines.iter().copied()));
        let key = |row: &Row| (row.points, row.squeeze.to_bits(), row.question, row.path);
        for rows in self.rows.chunk_by(|x, y| key(x) == key(y)) {
            let Row { question, points, squeeze, path, hits, .. } = &rows[0];
            let path = if *path { ", path" } else { "" };
            let label = format!("{question} of {points} points, s = {squeeze}{path}");
            let cell =
                |engine: &&str| rows.iter().find(|row| row.engine == **engine).map_or("-".to_owned(), cell);
            add_row(&mut table, label, [hits.to_string()].into_iter().chain(engines.iter().map(cell)));
        }
        let poses = self.poses;
        let heading =
            format!("W4: hulls of points on a sphere, squeezed by (1, s, s²); {poses} poses; one thread");
        Page { heading, tables: vec![table], remarks: Vec::new() }
    }

    fn failures(&self) -> &[String] {
        &self.failures
    }
}

fn cell(row: &Row) -> String {
    let ratio = row.ratio.map_or(String::new(), |ratio| format!(" ({ratio:.1})"));
    let differing = if row.differing > 0 { format!(" !{}", row.differing) } else { String::new() };
    format!("{:.2}{ratio}{differing}", row.median_us)
}
