//! Scenes under contact.

use super::error::SimulationError;
use super::options::{SimulationOptions, Watch};
use super::report::{ForceReport, GroupSummary, SimulationFrame, SimulationReport, feature};
use super::setup::{SetupGroup, SimulationSetup};
use glam::{DMat3, DVec3};
use noli::answer::Impact;
use noli::world::BodyId;
use noli::{Pose, QueryContext, Scratch};
use noli_geom::rotation;
use noli_sim::{Force, GuidedContact, GuidedContactOptions, MassProperties};

/// Simulate contact: groups follow their wanted motions as far as contact allows.
pub fn simulate_contact(
    setup: &SimulationSetup,
    options: &SimulationOptions,
    watch: &Watch<'_>,
) -> Result<SimulationReport, SimulationError> {
    if setup.groups.is_empty() {
        return Err(SimulationError::NothingMoves);
    }
    let frames = options.frames.unwrap_or(setup.frames);
    let Prepared { mut carriage, place, centers, radii } = prepared(setup, options)?;
    let free: Vec<f64> = setup.groups.iter().map(|group| free_share(setup, group)).collect();
    let poses = |carriage: &GuidedContact| {
        place.iter().map(|&id| carriage.world()[id].pose().to_array()).collect::<Vec<[f64; 7]>>()
    };
    let start = poses(&carriage);
    let mut told = Vec::new();
    let starts: Vec<Pose> = (0..setup.groups.len()).map(|group| carriage.pose(group)).collect();
    let mut turned = vec![DVec3::ZERO; setup.groups.len()];
    let mut done = vec![(0.0, 0.0); setup.groups.len()];
    let length = setup.seconds / f64::from(frames);
    for number in 0..frames {
        if (watch.frame)(number).is_break() {
            return Err(SimulationError::Stopped);
        }
        let [from, to] = [number, number + 1].map(|k| f64::from(k) / f64::from(frames));
        let before: Vec<Pose> = (0..setup.groups.len()).map(|group| carriage.pose(group)).collect();
        let begun = (watch.clock)();
        let outcome = carriage.frame(from, to)?;
        let millis = (watch.clock)() - begun;
        let overlaps = carriage.check().len();
        for (group, setup) in setup.groups.iter().enumerate() {
            let path = |x: &Pose, y: &Pose| {
                let turn = rotation::log(y.rotation.normalize() * x.rotation.normalize().conjugate());
                (y.transform_point(centers[group]) - x.transform_point(centers[group]), turn)
            };
            let (moved, turn) = path(&before[group], &carriage.pose(group));
            let (asked, asked_turn) = path(&setup.wanted.pose(from), &setup.wanted.pose(to));
            turned[group] += turn;
            let square = radii[group].powi(2);
            done[group].0 += moved.dot(asked) + square * turn.dot(asked_turn);
            done[group].1 += asked.length_squared() + square * asked_turn.length_squared();
        }
        let force = |force: &Force| force_report(force, &carriage, length);
        told.push(SimulationFrame {
            number,
            time: to * setup.seconds,
            poses: poses(&carriage),
            contacts: outcome.contacts,
            forces: outcome.forces.iter().map(force).collect(),
            used: outcome.used,
            energy: None,
            overlaps,
            millis,
        });
    }
    let summary = |(group, wanted): (usize, &SetupGroup)| {
        let (behind, angle) = carriage.tracking_error(group, 1.0);
        let share = if done[group].1 > 0.0 { done[group].0 / done[group].1 } else { 1.0 };
        let there = behind <= 1e-2 * radii[group] && angle <= 1e-2;
        let end = carriage.pose(group).transform_point(centers[group]);
        GroupSummary {
            name: wanted.name.clone(),
            reached: if setup.follows_pose { there } else { share >= 0.9 },
            behind,
            behind_deg: angle.to_degrees(),
            moved: (end - starts[group].transform_point(centers[group])).to_array(),
            turned_deg: (turned[group] * 1f64.to_degrees()).to_array(),
            share,
            free_without_contact: free[group],
        }
    };
    let mut report = SimulationReport::new(setup, "contact", (start, told), carriage.summary());
    report.summary.groups = setup.groups.iter().enumerate().map(summary).collect();
    Ok(report)
}

/// The groups and fixed bodies of a scene, as contact takes them.
struct Prepared {
    carriage: GuidedContact,
    /// Every body in its world.
    place: Vec<BodyId>,
    /// The centre of mass of every group, in its leader's frame.
    centers: Vec<DVec3>,
    /// Half the diagonal of every leader's box.
    radii: Vec<f64>,
}

fn prepared(setup: &SimulationSetup, options: &SimulationOptions) -> Result<Prepared, SimulationError> {
    let usual = GuidedContactOptions::default();
    let mut carriage = GuidedContact::new(GuidedContactOptions {
        skin: setup.skin.unwrap_or(usual.skin),
        friction: options.friction.unwrap_or(0.0),
        follows_pose: setup.follows_pose,
        ..usual
    });
    let moved: Vec<usize> = setup.groups.iter().flat_map(|group| group.bodies.iter().copied()).collect();
    // Fixed bodies come first: the order of contacts is that of the bodies.
    let fixed = (0..setup.bodies.len()).filter(|number| !moved.contains(number));
    let mut place: Vec<Option<BodyId>> = vec![None; setup.bodies.len()];
    for number in fixed.chain(moved.iter().copied()) {
        let body = &setup.bodies[number];
        place[number] = Some(carriage.add(&body.name, &body.model, body.pose)?);
    }
    // Every body was added.
    let place: Vec<BodyId> = place.into_iter().flatten().collect();
    let (mut centers, mut radii) = (Vec::new(), Vec::new());
    for group in &setup.groups {
        let leader = &setup.bodies[group.bodies[0]];
        let mass = joined(setup, &group.bodies);
        let members: Vec<BodyId> = group.bodies.iter().map(|&k| place[k]).collect();
        carriage.add_group(&members, mass, group.wanted.clone())?;
        centers.push(mass.center);
        radii.push(0.5 * leader.model.aabb().size().length());
    }
    for &(a, b) in &setup.excluded {
        carriage.exclude(place[a], place[b]);
    }
    Ok(Prepared { carriage, place, centers, radii })
}

/// A contact force of a frame of this length, with the names of its bodies.
fn force_report(force: &Force, carriage: &GuidedContact, length: f64) -> ForceReport {
    let [a, b] = force.bodies.map(|id| carriage.world()[id].name().to_owned());
    let contact = &force.contact;
    ForceReport {
        a,
        b,
        feature_a: contact.on_a.feature.map(feature),
        feature_b: contact.on_b.feature.map(feature),
        point: contact.middle().to_array(),
        force: (contact.normal * (force.push / (length * length))).to_array(),
    }
}

/// The mass of a group in its leader's frame.
fn joined(setup: &SimulationSetup, bodies: &[usize]) -> MassProperties {
    let leader = setup.bodies[bodies[0]].pose.inverse();
    let parts: Vec<MassProperties> = bodies
        .iter()
        .map(|&k| {
            let (own, pose) = (setup.bodies[k].rough_properties(), leader * setup.bodies[k].pose);
            let turn = pose.rotation_matrix();
            MassProperties {
                mass: own.mass,
                center: pose.transform_point(own.center),
                inertia: turn * own.inertia * turn.transpose(),
            }
        })
        .collect();
    let mass: f64 = parts.iter().map(|part| part.mass).sum();
    let center = parts.iter().map(|part| part.center * part.mass).sum::<DVec3>() / mass;
    let mut inertia = DMat3::ZERO;
    for part in &parts {
        let d = part.center - center;
        let outer = DMat3::from_cols(d * d.x, d * d.y, d * d.z);
        inertia += part.inertia + (DMat3::IDENTITY * d.length_squared() - outer) * part.mass;
    }
    MassProperties { mass, center, inertia }
}

/// Computes the share of a desired motion before the first contact with a fixed body.
fn free_share(setup: &SimulationSetup, group: &SetupGroup) -> f64 {
    let leader = &setup.bodies[group.bodies[0]];
    let mut scratch = Scratch::default();
    let mut free = 1.0f64;
    for (number, other) in setup.bodies.iter().enumerate() {
        if group.bodies.contains(&number) {
            continue;
        }
        let still = noli::motion::Still(other.pose);
        let budget = noli::Budget::default().steps(2_000_000);
        let mut context = QueryContext::new(&mut scratch).with_budget(budget);
        let found = context.time_of_impact(
            &leader.model.moving(&*group.wanted),
            &other.model.moving(&still),
            &Default::default(),
        );
        free = match found {
            Impact::Free => free,
            Impact::AtStart(_) => 0.0,
            Impact::At { time, .. } => free.min(time.safe_until),
            Impact::Unknown { safe_until } => free.min(safe_until),
        };
    }
    free
}
