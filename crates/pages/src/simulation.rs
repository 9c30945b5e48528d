//! The page of a simulation: bodies and contact points over time, energy and the number of contacts.

use crate::motion::{ContactPoints, Curve, MotionPage, Track, motion_page};
use crate::scene::PageScene;
use crate::shape::Up;
use crate::{PageData, words};
use noli_project::report::{ImpactKind, ImpactReport, Trust};
use noli_project::{SimulationFrame, SimulationReport, SimulationSetup};

/// Renders a simulation with a 3D view, a time line and its quantities.
pub fn simulation_page(
    setup: &SimulationSetup,
    report: &SimulationReport,
    summary: &str,
) -> Result<PageData, serde_json::Error> {
    let mut scene = PageScene::of_simulation(setup);
    scene.seconds = end_of(report);
    let contacts: Vec<ContactPoints> = report
        .frames
        .iter()
        .map(|frame| ContactPoints {
            time: frame.time / scene.seconds,
            points: frame.forces.iter().map(|force| force.point).collect(),
        })
        .collect();
    motion_page(&MotionPage {
        scene: &scene,
        title: &format!("{} ({})", report.scene, report.mode),
        outcome: &outcome(report),
        summary,
        impacts: &first_contacts(report),
        track: &Track::of_simulation(report),
        curves: &curves(report),
        contacts: &contacts,
        steps: &[],
        up: Up::Z,
    })
}

fn end_of(report: &SimulationReport) -> f64 {
    report.frames.last().map_or(report.seconds, |frame| frame.time).max(f64::MIN_POSITIVE)
}

fn outcome(report: &SimulationReport) -> String {
    let held = report.summary.groups.iter().filter(|group| !group.reached).count();
    match (report.summary.penetrations, report.mode.as_str(), held) {
        (0, "contact", 0) => "Everything reached its end".to_owned(),
        (0, "contact", held) => format!("{} held back by contact", words::plural(held, "group", "groups")),
        (0, ..) => "No penetration".to_owned(),
        (count, ..) => words::plural(count as usize, "penetration", "penetrations"),
    }
}

fn curves(report: &SimulationReport) -> Vec<Curve> {
    let seconds = end_of(report);
    let over_time = |value: &dyn Fn(&SimulationFrame) -> Option<f64>| -> Vec<[f64; 2]> {
        let points = report.frames.iter().filter_map(|frame| Some([frame.time / seconds, value(frame)?]));
        points.collect()
    };
    let mut curves = Vec::new();
    let energy = over_time(&|frame| frame.energy);
    if energy.len() > 1 {
        curves.push(Curve::new("energy", "", energy));
    }
    curves.push(Curve::of_steps("contacts", over_time(&|frame| Some(frame.contacts as f64))));
    let length = |force: [f64; 3]| force.iter().map(|x| x * x).sum::<f64>().sqrt();
    let most =
        |frame: &SimulationFrame| frame.forces.iter().map(|force| length(force.force)).fold(0.0, f64::max);
    if report.frames.iter().any(|frame| !frame.forces.is_empty()) {
        curves.push(Curve::new("largest force", "", over_time(&|frame| Some(most(frame)))));
    }
    curves
}

/// Returns the first contact of every pair of bodies.
fn first_contacts(report: &SimulationReport) -> Vec<ImpactReport> {
    let seconds = end_of(report);
    let mut seen = std::collections::HashSet::new();
    let mut found = Vec::new();
    for frame in &report.frames {
        for force in &frame.forces {
            if seen.insert((&force.a, &force.b)) {
                let time = frame.time / seconds;
                found.push(ImpactReport {
                    a: force.a.clone(),
                    b: force.b.clone(),
                    impact: ImpactKind::At,
                    after_start: None,
                    safe_until: time,
                    touching_by: Some(time),
                    proven: None,
                    guarantee: Trust::Conservative,
                    features: None,
                    point: Some(force.point),
                    normal: None,
                    clearance_at_most: None,
                    margin: 0.0,
                    safe_until_s: Some(frame.time),
                    touching_by_s: Some(frame.time),
                    travelled: None,
                });
            }
        }
    }
    found
}
