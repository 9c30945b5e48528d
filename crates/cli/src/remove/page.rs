//! The page of a removal: the part on its path, or on the pull that gets furthest.

use anyhow::{Context, Result};
use noli::Pose;
use noli::world::BodyId;
use noli_pages::{Curve, MotionPage, PageData, PageScene, Room, Track, Up, motion_page};
use noli_plan::{ClearanceSample, Removal, RemovalResult, RigidSpace};
use noli_project::Staged;
use noli_project::report::{ImpactKind, ImpactReport, RemoveReport, RemoveVerdict, Trust};

/// Times at which poses are kept.
const MOMENTS: u32 = 200;
/// Duration on the page; a path has none of its own.
const SECONDS: f64 = 4.0;

/// Renders a removal; `moving` and `without` are the parts that move and those removed before.
pub(super) fn removal_page(
    staged: &Staged,
    (space, removal): (&RigidSpace, &Removal),
    [moving, without]: [&[BodyId]; 2],
    report: &RemoveReport,
) -> Result<PageData> {
    let mut scene = PageScene::of_staged(staged);
    scene.seconds = SECONDS;
    let gone: Vec<&str> = without.iter().map(|&id| staged.name(id)).collect();
    scene.bodies.retain(|body| !gone.contains(&body.name.as_str()));
    let lead = staged.world.body(moving[0])?.pose();
    let (path, impacts) = match &removal.found {
        RemovalResult::Path(path) => (Some(path), Vec::new()),
        _ => (None, furthest_pull(report).into_iter().collect()),
    };
    let pose_at = |time: f64| path.map_or_else(|| pulled(&lead, report, time), |path| path.pose(time));
    let moves: Vec<bool> =
        scene.bodies.iter().map(|body| moving.iter().any(|&id| staged.name(id) == body.name)).collect();
    let times: Vec<f64> = (0..=MOMENTS).map(|k| f64::from(k) / f64::from(MOMENTS)).collect();
    let frame = |&time: &f64| -> Vec<Pose> {
        let by = pose_at(time) * lead.inverse();
        let bodies = scene.bodies.iter().zip(&moves);
        bodies.map(|(body, &moves)| if moves { by * body.pose } else { body.pose }).collect()
    };
    let poses: Vec<Vec<Pose>> = times.iter().map(frame).collect();
    let samples = path.map(|path| staged.removal_clearances(space, path, [moving, without], 60));
    let curves: Vec<Curve> = samples.and_then(|samples| clearance(&samples, report)).into_iter().collect();
    let outcome = match report.verdict {
        RemoveVerdict::Found => "Removal path proven collision-free",
        RemoveVerdict::Blocked => "Blocked, proven",
        RemoveVerdict::NotFound => "No path found",
    };
    let page = MotionPage {
        scene: &scene,
        title: &format!("{} out of {}", report.part, report.scene),
        outcome,
        summary: &report.how,
        impacts: &impacts,
        track: &Track::of_frames(times, &poses),
        curves: &curves,
        contacts: &[],
        steps: &[],
        up: Up::Z,
    };
    motion_page(&page).context("cannot write the page")
}

fn clearance(samples: &[ClearanceSample], report: &RemoveReport) -> Option<Curve> {
    let room = samples.iter().map(|sample| Room {
        time: sample.time,
        clearance: sample.clearance.at_least,
        to: "the nearest part".to_owned(),
    });
    Curve::of_room(&room.collect::<Vec<_>>(), report.units.map_or("", |unit| unit.sign()))
}

/// Returns the straight pull with the largest collision-free share.
fn best(report: &RemoveReport) -> Option<&noli_project::report::BlockReport> {
    report.blocks.iter().max_by(|x, y| (x.free / x.needed).total_cmp(&(y.free / y.needed)))
}

/// Returns the pose at a time of the pull that gets furthest.
fn pulled(lead: &Pose, report: &RemoveReport, time: f64) -> Pose {
    let by =
        best(report).map_or(glam::DVec3::ZERO, |pull| glam::DVec3::from(pull.direction) * (pull.free * time));
    Pose::new(lead.rotation, lead.translation + by)
}

/// Returns the contact at the end of that pull.
fn furthest_pull(report: &RemoveReport) -> Option<ImpactReport> {
    let pull = best(report)?;
    Some(ImpactReport {
        a: report.part.clone(),
        b: pull.by.clone(),
        impact: ImpactKind::At,
        after_start: None,
        safe_until: 1.0,
        touching_by: Some(1.0),
        proven: None,
        guarantee: Trust::Conservative,
        features: None,
        point: None,
        normal: None,
        clearance_at_most: None,
        margin: 0.0,
        safe_until_s: None,
        touching_by_s: None,
        travelled: Some(pull.free),
    })
}
