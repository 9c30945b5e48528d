//! `noli prove path` and `noli prove pairs`, and certificates of other robot commands.

use super::tube::Tube;
use super::{Loaded, Subject};
use crate::Verdict;
use crate::certificate::Writer;
use crate::limits::TimeLimit;
use anyhow::{Result, bail, ensure};
use noli_certificate::{CellScene, Certificate, CertificateOptions, Region, Statement};
use noli_program::run::{DrivenKind, ExecutedMotion, PartLocation, Run, WorkCell};
use noli_project::{load_states, load_trajectory};
use noli_robot::cell::{Cell, PairProof, ProofOptions};
use noli_robot::{JointCurve, Robot};
use std::path::{Path, PathBuf};

/// Prove that a robot path is collision-free at every instant.
#[derive(clap::Args)]
pub(crate) struct PathArguments {
    #[command(flatten)]
    subject: Subject,
    /// The configurations of the path (CSV, YAML or JSON); motions between them are straight in joint space.
    #[arg(long, value_name = "FILE", required_unless_present = "trajectory")]
    states: Option<PathBuf>,
    /// A trajectory instead, proven as driven (docs/driven.md).
    #[arg(long, value_name = "FILE", conflicts_with_all = ["states", "each"])]
    trajectory: Option<PathBuf>,
    #[command(flatten)]
    tube: Tube,
    /// Prove only the configurations themselves, not the motions between them.
    #[arg(long)]
    each: bool,
    /// The certificate.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    limit: TimeLimit,
}

/// Prove which pairs of links never collide, always collide, or can collide within the joint limits.
#[derive(clap::Args)]
pub(crate) struct PairsArguments {
    #[command(flatten)]
    subject: Subject,
    /// Cells of joint space visited for a pair; then it has no proof.
    #[arg(long, value_name = "N", default_value_t = 400_000)]
    cells: usize,
    /// The certificate.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    limit: TimeLimit,
}

pub(crate) fn path(arguments: &PathArguments) -> Result<Verdict> {
    let time = arguments.limit.start();
    let progress = crate::output::Progress::of_time("proving");
    crate::on_threads(arguments.subject.threads, || {
        let loaded = arguments.subject.load_shapes()?;
        let inputs: Vec<PathBuf> =
            [&arguments.states, &arguments.trajectory].into_iter().flatten().cloned().collect();
        let output = Some(arguments.output.clone());
        loaded.refuse_to_overwrite(&arguments.subject, &inputs, [&output])?;
        loaded.refuse_tessellated(output.as_deref())?;
        let mut writer = match (&arguments.trajectory, &arguments.states) {
            (Some(path), _) => {
                let widened = arguments.tube.widened(&loaded)?;
                let mut warnings = loaded.warnings.clone();
                warnings.extend(widened.as_ref().and_then(|widened| widened.remark.clone()));
                let cell = widened.as_ref().map_or(loaded.cell(), |widened| &widened.cell);
                let curve = (&loaded.robot.robot, path.as_path(), arguments.tube.tracking_error);
                let mut writer = trajectory(cell, curve, warnings)?;
                writer.add_source(path, "other")?;
                writer
            }
            (None, Some(path)) => states(arguments, &loaded, path)?,
            (None, None) => bail!("which path? give configurations with --states, or --trajectory"),
        };
        add_sources(&mut writer, &loaded, &arguments.subject)?;
        drop(progress);
        drop(time);
        writer.finish(&arguments.output, arguments.subject.json.is_some(), false)
    })
}

/// A certificate of the configurations of a file.
fn states(arguments: &PathArguments, loaded: &Loaded, path: &Path) -> Result<Writer> {
    let rows = load_states(path, &loaded.robot.robot)?.rows;
    let least = if arguments.each { 1 } else { 2 };
    ensure!(
        rows.len() >= least,
        "{}: {} configurations are no path; give at least two, or --each",
        path.display(),
        rows.len()
    );
    collision_free(loaded.cell(), &rows, arguments.each, loaded.warnings.clone())
}

/// A certificate that a cell is collision-free in configurations or along the motions between them.
pub(super) fn collision_free(
    cell: &Cell,
    rows: &[Vec<f64>],
    each: bool,
    warnings: Vec<String>,
) -> Result<Writer> {
    let described = CellScene::new(cell)?;
    let rows: Vec<Vec<f64>> = rows.iter().map(|row| described.values(row)).collect();
    let regions: Vec<(String, Region)> = if each {
        let state =
            |(number, row): (usize, Vec<f64>)| (format!("configuration {}", number + 1), Region::At(row));
        rows.into_iter().enumerate().map(state).collect()
    } else {
        vec![(format!("path of {} configurations", rows.len()), Region::Along(rows))]
    };
    let statements: Vec<Statement> =
        regions.iter().flat_map(|(title, region)| described.collision_free(cell, title, region)).collect();
    let mut writer = Writer::new(Certificate::new(described.scene), warnings);
    for statement in statements {
        writer.prove(statement)?;
    }
    Ok(writer)
}

/// A certificate that the trajectory of a file is collision-free as it is driven, each joint within a deviation of it. Room
/// for the tool is that of the cell.
pub(super) fn trajectory(
    cell: &Cell,
    (robot, path, deviation): (&Robot, &Path, f64),
    warnings: Vec<String>,
) -> Result<Writer> {
    let curve = load_trajectory(path, robot)?.curve()?;
    let described = CellScene::new(cell)?;
    let values = |piece: Vec<Vec<f64>>| piece.iter().map(|row| described.values(row)).collect::<Vec<_>>();
    let pieces: Vec<Vec<Vec<f64>>> = control_values(&curve)?.into_iter().map(values).collect();
    let title = format!("trajectory of {}", crate::output::plural(pieces.len(), "piece", "pieces"));
    let region = Region::Curve { pieces, deviation: vec![deviation; described.scene.joint_count()] };
    let statements = described.collision_free(cell, &title, &region);
    let mut writer = Writer::new(Certificate::new(described.scene), warnings);
    statements.into_iter().try_for_each(|statement| writer.prove(statement))?;
    Ok(writer)
}

/// Degree of the pieces of a trajectory: linear and cubic ones are quintic too.
const DEGREE: usize = 5;
/// Largest difference of a joint's value on the curve of a certificate from that of the trajectory, relative to the largest
/// value.
const LARGEST_DIFFERENCE: f64 = 1e-12;

/// The Bézier control configurations of the pieces of a trajectory, by its values at even shares of each: a piece begins
/// exactly where the one before ends. An error if values between differ from those of the trajectory by more than rounding.
fn control_values(curve: &JointCurve) -> Result<Vec<Vec<Vec<f64>>>> {
    let weights = |t: f64| {
        let choose = [1.0, 5.0, 10.0, 10.0, 5.0, 1.0];
        std::array::from_fn(|k: usize| choose[k] * t.powi(k as i32) * (1.0 - t).powi((DEGREE - k) as i32))
    };
    let shares: [f64; DEGREE + 1] = std::array::from_fn(|k| k as f64 / DEGREE as f64);
    let mut pieces: Vec<Vec<Vec<f64>>> = Vec::new();
    for span in curve.knots().windows(2) {
        let at = |t: f64| curve.position(if t == 1.0 { span[1] } else { span[0] + (span[1] - span[0]) * t });
        let found = shares.map(at);
        let joints = (0..curve.variables()).map(|joint| {
            let rows = shares.map(weights);
            solved(rows, found.each_ref().map(|row| row[joint]))
        });
        let joints: Vec<[f64; DEGREE + 1]> = joints.collect();
        let mut piece: Vec<Vec<f64>> =
            (0..=DEGREE).map(|k| joints.iter().map(|controls| controls[k]).collect()).collect();
        piece[0] = pieces.last().map_or(found[0].clone(), |last| last[DEGREE].clone());
        piece[DEGREE].clone_from(&found[DEGREE]);
        for k in 0..=32 {
            let (t, largest) =
                (f64::from(k) / 32.0, piece.iter().flatten().fold(1.0, |m: f64, x| m.max(x.abs())));
            let bernstein: [f64; DEGREE + 1] = weights(t);
            for (joint, value) in at(t).iter().enumerate() {
                let own: f64 = bernstein.iter().zip(&piece).map(|(weight, row)| weight * row[joint]).sum();
                ensure!(
                    (own - value).abs() <= LARGEST_DIFFERENCE * largest,
                    "the trajectory has a piece of a degree above five; certificates have linear, cubic and quintic ones"
                );
            }
        }
        pieces.push(piece);
    }
    Ok(pieces)
}

/// The solution of a linear system by elimination with pivots.
fn solved<const N: usize>(mut rows: [[f64; N]; N], mut right: [f64; N]) -> [f64; N] {
    for k in 0..N {
        let pivot = (k..N).max_by(|&i, &j| rows[i][k].abs().total_cmp(&rows[j][k].abs())).unwrap_or(k);
        rows.swap(k, pivot);
        right.swap(k, pivot);
        for i in 0..N {
            if i != k {
                let factor = rows[i][k] / rows[k][k];
                let above = rows[k];
                rows[i].iter_mut().zip(above).for_each(|(entry, other)| *entry -= factor * other);
                right[i] -= factor * right[k];
            }
        }
    }
    std::array::from_fn(|k| right[k] / rows[k][k])
}

/// A certificate of configurations: collision-free, or with at least one of the named pairs of parts in collision.
pub(super) fn configurations(cell: &Cell, states: &[(Vec<f64>, Vec<[String; 2]>)]) -> Result<Writer> {
    let described = CellScene::new(cell)?;
    let part = |name: &String| cell.parts().iter().position(|part| part.name == *name);
    let mut statements = Vec::new();
    for (number, (row, colliding)) in states.iter().enumerate() {
        let title = format!("configuration {}", number + 1);
        let region = Region::At(described.values(row));
        if colliding.is_empty() {
            statements.extend(described.collision_free(cell, &title, &region));
            continue;
        }
        let parts = colliding.iter().filter_map(|[a, b]| Some([part(a)?, part(b)?]));
        let pairs: Vec<[usize; 2]> = parts.flat_map(|parts| described.bodies_of(parts)).collect();
        statements.push(Statement { title, ..Statement::colliding(pairs, region) });
    }
    let mut writer = Writer::new(Certificate::new(described.scene), Vec::new());
    statements.into_iter().try_for_each(|statement| writer.prove(statement))?;
    Ok(writer)
}

/// A certificate that the motions of a program are collision-free, each with the parts where they are then.
pub(super) fn program(work: &WorkCell, run: &Run, inputs: &[PathBuf]) -> Result<Writer> {
    let mut described: Option<CellScene> = None;
    let mut statements = Vec::new();
    for driven in run.driven.iter().filter(|driven| driven.kind != DrivenKind::Rest) {
        let (parts, let_go) = parts_at(run, driven);
        let cell = work.cell(&parts, let_go)?;
        let scene = match &mut described {
            Some(scene) => {
                scene.set_state(&cell)?;
                scene
            }
            None => described.insert(CellScene::new(&cell)?),
        };
        let between = driven.keys.iter().filter(|key| driven.from < key.0 && key.0 < driven.until);
        let ends = [driven.from, driven.until].map(|share| driven.values(share));
        let rows = std::iter::once(&ends[0]).chain(between.map(|key| &key.1)).chain([&ends[1]]);
        let mut rows: Vec<Vec<f64>> =
            rows.map(|row| scene.values(&[row.as_slice(), &work.others].concat())).collect();
        rows.dedup();
        let region = if rows.len() > 1 { Region::Along(rows) } else { Region::At(rows.swap_remove(0)) };
        let title = format!("line {}: {}", driven.place.line, driven.kind.word());
        statements.extend(scene.collision_free(&cell, &title, &region));
    }
    let scene =
        described.ok_or_else(|| anyhow::anyhow!("nothing moved, so there is nothing to prove"))?.scene;
    // Parts at their other places are bodies too: about those a statement claims nothing.
    let bodies = work.cell(&parts_at_start(run), None)?.bodies().len();
    statements
        .iter_mut()
        .for_each(|statement: &mut Statement| statement.complete &= bodies == scene.body_count());
    let mut writer = Writer::new(Certificate::new(scene), Vec::new());
    statements.into_iter().try_for_each(|statement| writer.prove(statement))?;
    writer.add_inputs(inputs)?;
    Ok(writer)
}

fn parts_at_start(run: &Run) -> Vec<PartLocation> {
    run.parts.iter().filter(|change| change.time == 0.0).map(|change| change.now).collect()
}

/// The places of parts during a motion, and the part that the gripper lets go of in it.
fn parts_at(run: &Run, driven: &ExecutedMotion) -> (Vec<PartLocation>, Option<usize>) {
    let (mut parts, mut let_go) = (Vec::new(), None);
    for change in &run.parts {
        let taken = matches!(change.now, PartLocation::Held(_));
        let later = change.time > driven.start
            || (change.time == driven.start && taken && driven.kind == DrivenKind::Close);
        if later {
            continue;
        }
        if parts.len() <= change.part {
            parts.resize(change.part + 1, change.now);
        }
        let was_held = matches!(parts[change.part], PartLocation::Held(_));
        let released = was_held && !taken && change.time == driven.start && driven.kind == DrivenKind::Open;
        let_go = if released { Some(change.part) } else { let_go };
        parts[change.part] = change.now;
    }
    (parts, let_go)
}

pub(crate) fn pairs(arguments: &PairsArguments) -> Result<Verdict> {
    let time = arguments.limit.start();
    let progress = crate::output::Progress::of_time("proving");
    crate::on_threads(arguments.subject.threads, || {
        let loaded = arguments.subject.load_shapes()?;
        let output = Some(arguments.output.clone());
        loaded.refuse_to_overwrite(&arguments.subject, &[], [&output])?;
        loaded.refuse_tessellated(output.as_deref())?;
        let all: Vec<usize> = (0..loaded.cell().pairs().len()).collect();
        let options = ProofOptions { cells: arguments.cells, ..ProofOptions::default() };
        let proofs = loaded.cell().prove_all(&all, &options);
        let mut writer = reachability(loaded.cell(), &proofs, arguments.cells, loaded.warnings.clone())?;
        add_sources(&mut writer, &loaded, &arguments.subject)?;
        drop(progress);
        drop(time);
        writer.finish(&arguments.output, arguments.subject.json.is_some(), true)
    })
}

/// A certificate of what the engine has proven about pairs.
pub(super) fn reachability(
    cell: &Cell,
    proofs: &[PairProof],
    cells: usize,
    warnings: Vec<String>,
) -> Result<Writer> {
    let described = CellScene::new(cell)?;
    let statements = described.reachability(cell, proofs);
    // The bounds of the format are simpler than the engine's, and take more cells.
    let options = CertificateOptions { cells: cells.saturating_mul(8), ..CertificateOptions::default() };
    let mut writer = Writer::new(Certificate::with_options(described.scene, options), warnings);
    for (title, statement) in statements {
        match statement {
            Some(statement) => writer.prove(statement)?,
            None => writer.give_up(title, "the engine found neither a proof nor a collision"),
        }
    }
    Ok(writer)
}

/// Names the files of a robot, its pairs and its surroundings.
pub(super) fn add_sources(writer: &mut Writer, loaded: &Loaded, subject: &Subject) -> Result<()> {
    let Some(path) = &subject.robot else { return Ok(()) };
    let described = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("urdf"));
    writer.add_source(path, if described { "urdf" } else { "other" })?;
    if let Some(srdf) = &subject.srdf {
        writer.add_source(srdf, "srdf")?;
    }
    for (_, mesh) in noli_project::robot_files(path, &loaded.robot.robot, &subject.options())? {
        if let Some(mesh) = mesh {
            writer.add_source(&mesh, "mesh")?;
        }
    }
    let is_file = |path: &&PathBuf| Path::new(path).is_file();
    subject.around.iter().filter(is_file).try_for_each(|path| writer.add_source(path, "other"))
}
