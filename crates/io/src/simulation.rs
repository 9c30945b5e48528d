//! Contact and dynamics of scenes: what is simulated, and what came of it.

use crate::scene::{LoadedScene, Units};
use crate::{StageError, StageOptions, Staged, stage};
use glam::{DMat3, DVec3};
use noli::answer::{Feature, Impact};
use noli::motion::{KeyFrames, Motion, RigidMotion, Turning};
use noli::world::BodyId;
use noli::{Ask, Model, Pose, Scratch, Shape, ShapeError};
use noli_geom::{KeyFramesError, rotation};
use noli_scenes::{Simulated, SimulatedRole, SimulatedShape, engine_bay, engine_bay_removals};
use noli_sim::{
    BodySpec, Carriage, CarriageOptions, Dynamics, DynamicsOptions, MassProperties, Material, Rider,
    SimError, Summary,
};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::Arc;

/// Why a scene cannot be simulated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SimulationError {
    /// It cannot be staged.
    #[error(transparent)]
    Stage(#[from] StageError),
    /// The simulation refuses it.
    #[error(transparent)]
    Sim(#[from] SimError),
    /// A shape is none.
    #[error("{0}: {1}")]
    Shape(String, ShapeError),
    /// A path is none.
    #[error("the motion of `{0}`: {1}")]
    Motion(String, KeyFramesError),
    /// Nothing moves.
    #[error("nothing is asked to move in this scene; add a [[motion]], or simulate its --dynamics")]
    NothingMoves,
    /// Everything is fixed.
    #[error("nothing can fall in this scene: every body is fixed, driven or without end; drop a `fixed`")]
    NothingFalls,
    /// A group does not move as one.
    #[error(
        "the motion `{0}` moves its bodies against each other; contact is simulated for bodies that move as one"
    )]
    NotRigid(String),
    /// No such scene.
    #[error("there is no simulated scene `{0}`; there are {1}")]
    NoSuchDemo(String, String),
}

/// A body to be simulated.
#[derive(Clone, Debug)]
pub struct SetupBody {
    /// How it is called.
    pub name: String,
    /// What it is.
    pub model: Model,
    /// What its mass is told from.
    pub shape: Shape,
    /// Where it stands.
    pub pose: Pose,
    /// Whether nothing moves it.
    pub fixed: bool,
    /// Its mass where it is known.
    pub mass: Option<MassProperties>,
    /// Mass and density as given.
    pub given: (Option<f64>, Option<f64>),
    /// Its surface.
    pub material: Material,
    /// At the start.
    pub velocity: DVec3,
    /// At the start, in radians per second.
    pub spin: DVec3,
}

impl SetupBody {
    fn properties(&self) -> Result<MassProperties, SimError> {
        match (self.mass, self.given) {
            (Some(mass), _) => Ok(mass),
            (None, (Some(mass), _)) => MassProperties::with_mass(&self.name, &self.shape, mass),
            (None, (None, density)) => {
                MassProperties::with_density(&self.name, &self.shape, density.unwrap_or(1.0))
            }
        }
    }

    /// The same; that of its box where the shape tells none.
    fn rough_properties(&self) -> MassProperties {
        self.properties().unwrap_or_else(|_| {
            let bounds = self.model.aabb();
            let size = bounds.size();
            let squares = size * size / 12.0;
            let spread = squares + DVec3::splat(1e-6 * squares.max_element());
            let inertia = DVec3::new(spread.y + spread.z, spread.z + spread.x, spread.x + spread.y);
            let mass = self.given.0.unwrap_or(1.0);
            MassProperties { mass, center: bounds.center(), inertia: DMat3::from_diagonal(inertia) * mass }
        })
    }
}

/// Bodies that are asked to move as one.
#[derive(Clone, Debug)]
pub struct SetupGroup {
    /// How it is called.
    pub name: String,
    /// Numbers of its bodies; the first leads.
    pub bodies: Vec<usize>,
    /// How the leader is asked to move, in the whole time.
    pub wanted: Arc<dyn Motion>,
}

/// A scene to be simulated.
#[derive(Clone, Debug)]
pub struct SimulationSetup {
    /// How it is called.
    pub scene: String,
    /// The unit of lengths.
    pub units: Units,
    /// How long it takes.
    pub seconds: f64,
    /// Into how many frames that is divided.
    pub frames: u32,
    /// Acceleration of free fall.
    pub gravity: DVec3,
    /// The bodies.
    pub bodies: Vec<SetupBody>,
    /// What is asked to move.
    pub groups: Vec<SetupGroup>,
    /// Pairs that do not matter.
    pub excluded: Vec<(usize, usize)>,
    /// Whether groups go after wanted poses.
    pub follows_pose: bool,
    /// How far bodies stay apart, as a share of their radius; the usual where it is not given.
    pub skin: Option<f64>,
    /// What was odd.
    pub warnings: Vec<String>,
}

/// What a caller may choose.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SimulationOptions {
    /// Coulomb's coefficient for all pairs.
    pub friction: Option<f64>,
    /// How much of the speed of approach comes back, for all pairs.
    pub restitution: Option<f64>,
    /// Into how many frames the time is divided.
    pub frames: Option<u32>,
    /// How long it takes.
    pub seconds: Option<f64>,
    /// Speeds and driven motions are multiplied by this.
    pub speed: Option<f64>,
}

impl SimulationSetup {
    /// A loaded scene.
    pub fn of_scene(name: &str, loaded: &LoadedScene) -> Result<Self, SimulationError> {
        let Staged { world, moves, seconds, units, warnings, .. } = stage(loaded, &StageOptions::default())?;
        let simulation = loaded.scene.simulation;
        let numbers: HashMap<BodyId, usize> =
            world.bodies().enumerate().map(|(number, (id, _))| (id, number)).collect();
        let mut bodies = Vec::new();
        for (body, (_, placed)) in loaded.bodies.iter().zip(world.bodies()) {
            let physics = loaded.scene.bodies[body.entry].physics;
            let usual = Material::default();
            bodies.push(SetupBody {
                name: body.name.clone(),
                model: placed.model().clone(),
                shape: body.shape.clone(),
                pose: placed.pose(),
                fixed: physics.fixed || matches!(body.shape, Shape::HalfSpace),
                mass: None,
                given: (physics.mass, physics.density),
                material: Material {
                    friction: physics.friction.or(simulation.friction).unwrap_or(usual.friction),
                    restitution: physics.restitution.or(simulation.restitution).unwrap_or(usual.restitution),
                },
                velocity: physics.velocity,
                spin: physics.spin_rad,
            });
        }
        let mut groups = Vec::new();
        for moved in &moves {
            let members: Vec<(BodyId, &Arc<dyn Motion>)> = moved.parts().collect();
            let Some(&(_, wanted)) = members.first() else { continue };
            if !moved.is_rigid() {
                return Err(SimulationError::NotRigid(moved.name().to_owned()));
            }
            groups.push(SetupGroup {
                name: moved.name().to_owned(),
                bodies: members.iter().map(|(id, _)| numbers[id]).collect(),
                wanted: wanted.clone(),
            });
        }
        let all: Vec<(BodyId, &noli::world::Body)> = world.bodies().collect();
        let mut excluded = Vec::new();
        for (i, &a) in all.iter().enumerate() {
            for (k, &b) in all.iter().enumerate().skip(i + 1) {
                if world.rules().margin_between(a, b).is_none() {
                    excluded.push((i, k));
                }
            }
        }
        let down = DVec3::NEG_Z * Units::Metre.convert(9.81, units);
        let seconds = simulation.seconds.unwrap_or(if seconds > 0.0 { seconds } else { 3.0 });
        Ok(Self {
            scene: name.to_owned(),
            units,
            seconds,
            frames: ((seconds * 60.0).ceil() as u32).max(1),
            gravity: simulation.gravity.unwrap_or(down),
            bodies,
            groups,
            excluded,
            follows_pose: true,
            skin: None,
            warnings,
        })
    }

    /// A bundled scene, by name; `bulbs` is the engine bay, as fine as `detail` says.
    pub fn demo(name: &str, detail: u32) -> Result<Self, SimulationError> {
        if name == "bulbs" {
            return Self::bulbs(detail);
        }
        let Some(scene) = noli_scenes::simulated(name) else {
            let mut names: Vec<&str> = noli_scenes::SIMULATED.iter().map(|(name, _)| *name).collect();
            names.insert(0, "bulbs");
            return Err(SimulationError::NoSuchDemo(name.to_owned(), names.join(", ")));
        };
        Self::of_simulated(&scene)
    }

    fn of_simulated(scene: &Simulated) -> Result<Self, SimulationError> {
        let (mut bodies, mut groups) = (Vec::new(), Vec::new());
        for (number, body) in scene.bodies.iter().enumerate() {
            let shape = match &body.shape {
                SimulatedShape::Mesh(mesh) => Shape::from(mesh),
                SimulatedShape::Convex(convex) => Shape::from(convex.clone()),
                SimulatedShape::HalfSpace => Shape::HalfSpace,
            };
            let model = Model::new(shape.clone())
                .map_err(|error| SimulationError::Shape(body.name.clone(), error))?;
            let mass = body.mass.map(|(mass, center, inertia)| MassProperties { mass, center, inertia });
            let wanted: Option<Arc<dyn Motion>> = match &body.role {
                SimulatedRole::Fixed | SimulatedRole::Free => None,
                SimulatedRole::Wanted(keys) => {
                    let pivot = mass.map_or(model.aabb().center(), |mass| mass.center);
                    let frames = KeyFrames::new(keys, pivot, Turning::Slerp);
                    Some(Arc::new(frames.map_err(|error| SimulationError::Motion(body.name.clone(), error))?))
                }
                SimulatedRole::WantedScrew { point, axis, angle, advance } => {
                    Some(Arc::new(RigidMotion::screw(&body.pose, *point, *axis, *angle, *advance)))
                }
            };
            groups.extend(wanted.map(|wanted| SetupGroup {
                name: body.name.clone(),
                bodies: vec![number],
                wanted,
            }));
            bodies.push(SetupBody {
                name: body.name.clone(),
                model,
                shape,
                pose: body.pose,
                fixed: body.role == SimulatedRole::Fixed,
                mass,
                given: (None, None),
                material: Material { friction: body.friction, restitution: body.restitution },
                velocity: body.velocity,
                spin: body.spin,
            });
        }
        Ok(Self {
            scene: scene.name.to_owned(),
            units: Units::Metre,
            seconds: scene.seconds,
            frames: scene.frames,
            gravity: scene.gravity,
            bodies,
            groups,
            excluded: Vec::new(),
            follows_pose: scene.follows_pose,
            skin: scene.skin,
            warnings: Vec::new(),
        })
    }

    /// Both bulbs of the engine bay on their way out, by a hesitant hand that bumps into what is around.
    fn bulbs(detail: u32) -> Result<Self, SimulationError> {
        const STEPS: usize = 240;
        let bay = engine_bay(detail);
        let removals: Vec<_> =
            engine_bay_removals().into_iter().filter(|removal| removal.part.ends_with(".bulb")).collect();
        let without: Vec<&str> =
            removals.iter().flat_map(|removal| removal.without.iter().copied()).collect();
        let (mut bodies, mut groups) = (Vec::new(), Vec::new());
        for part in bay.parts.iter().filter(|part| !without.contains(&part.name.as_str())) {
            let shape = Shape::from(&part.mesh);
            let model = Model::from(&part.mesh);
            if let Some(removal) = removals.iter().find(|removal| removal.part == part.name) {
                let poses = removal.hesitant(3, STEPS);
                let last = (poses.len() - 1) as f64;
                let keys: Vec<(f64, Pose)> =
                    poses.iter().enumerate().map(|(k, &pose)| (k as f64 / last, pose)).collect();
                let frames = KeyFrames::new(&keys, model.aabb().center(), Turning::Slerp)
                    .map_err(|error| SimulationError::Motion(part.name.clone(), error))?;
                let (name, wanted) = (part.name.clone(), Arc::new(frames));
                groups.push(SetupGroup { name, bodies: vec![bodies.len()], wanted });
            }
            bodies.push(SetupBody {
                name: part.name.clone(),
                model,
                shape,
                pose: part.pose,
                fixed: true,
                mass: None,
                given: (None, None),
                material: Material::SMOOTH,
                velocity: DVec3::ZERO,
                spin: DVec3::ZERO,
            });
        }
        Ok(Self {
            scene: "bulbs".to_owned(),
            units: Units::Millimetre,
            seconds: 4.0,
            frames: STEPS as u32,
            gravity: DVec3::ZERO,
            bodies,
            groups,
            excluded: Vec::new(),
            follows_pose: true,
            skin: None,
            warnings: Vec::new(),
        })
    }

    /// How many triangles all bodies have together.
    pub fn triangles(&self) -> usize {
        self.bodies.iter().filter_map(|body| body.model.mesh()).map(|mesh| mesh.triangle_count()).sum()
    }
}

/// What a simulation did, frame by frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SimulationReport {
    /// The version of the format: [`SimulationReport::VERSION`].
    pub noli_simulation: u32,
    /// `contact` or `dynamics`.
    pub mode: String,
    /// The scene.
    pub scene: String,
    /// The unit of lengths.
    pub units: Units,
    /// How long it takes.
    pub seconds: f64,
    /// Into how many frames that is divided.
    pub frame_count: u32,
    /// How many triangles all bodies have together.
    pub triangles: usize,
    /// The names of the bodies, in the order of poses.
    pub bodies: Vec<String>,
    /// Where they stood at the start.
    pub start: Vec<[f64; 7]>,
    /// The frames.
    pub frames: Vec<SimulationFrame>,
    /// Figures of all of it.
    pub summary: SimulationSummary,
}

/// A frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SimulationFrame {
    /// Its number, from 0.
    pub number: u32,
    /// When it ends, in seconds.
    pub time: f64,
    /// x, y, z, qx, qy, qz, qw of every body at its end.
    pub poses: Vec<[f64; 7]>,
    /// Contacts in force.
    pub contacts: usize,
    /// What they bear.
    pub forces: Vec<ForceReport>,
    /// How much of the frame was moved as contact allows; the rest could not be proven.
    pub used: f64,
    /// Kinetic and potential energy, of dynamics.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy: Option<f64>,
    /// Pairs that overlap at its end by the exact test.
    pub overlaps: usize,
    /// What it took, in milliseconds.
    pub millis: f64,
}

/// A force between two bodies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ForceReport {
    /// The one.
    pub a: String,
    /// The other, on which it acts.
    pub b: String,
    /// What of A: `vertex 3`, `edge 2 5` or `face 7`, in the numbers of its mesh.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature_a: Option<String>,
    /// What of B.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature_b: Option<String>,
    /// Where.
    pub point: [f64; 3],
    /// On B.
    pub force: [f64; 3],
}

/// Figures of a whole simulation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SimulationSummary {
    /// Overlaps by the exact test at every recorded instant, and pieces of motion without proof: 0.
    pub penetrations: u64,
    /// Share of the wanted motion or simulated time that was not moved because nothing could be proven.
    pub time_lost: f64,
    /// The most contacts at one time.
    pub contacts_most: usize,
    /// The fewest, of frames that had any.
    pub contacts_least: usize,
    /// How long frames took.
    pub frame_ms: FrameTimes,
    /// Simulated time over real time.
    pub real_time_factor: f64,
    /// Pieces of motion that were proven free.
    pub pieces: u64,
    /// Pairs that were looked at for it.
    pub proofs: u64,
    /// Impacts, of dynamics.
    pub impacts: u64,
    /// Largest violation of the conditions of contact in a solution, as a share of speeds.
    pub residual_most: f64,
    /// What became of each group that was asked to move.
    pub groups: Vec<GroupSummary>,
    /// Energy at the start and at the end, of dynamics.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy: Option<[f64; 2]>,
}

/// How long frames took, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FrameTimes {
    /// Half of the frames took no longer.
    pub median: f64,
    /// All but one in a hundred took no longer.
    pub p99: f64,
    /// None took longer.
    pub worst: f64,
}

impl FrameTimes {
    /// From the times of all frames.
    pub fn new(mut millis: Vec<f64>) -> Self {
        millis.sort_by(f64::total_cmp);
        let last = millis.len().saturating_sub(1);
        let at = |share: f64| {
            let place = ((share * last as f64).ceil() as usize).min(last);
            millis.get(place).copied().unwrap_or(0.0)
        };
        Self { median: at(0.5), p99: at(0.99), worst: at(1.0) }
    }
}

/// What became of a group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupSummary {
    /// Its name.
    pub name: String,
    /// Whether it did what was asked: it is where it is wanted at the end, or, where it does not go after poses, has done
    /// nine tenths of the wanted motion.
    pub reached: bool,
    /// How far its centre is from where it is wanted at the end.
    pub behind: f64,
    /// By what angle it is turned from it, in degrees.
    pub behind_deg: f64,
    /// How far its centre has moved.
    pub moved: [f64; 3],
    /// The turns of all frames, added up, in degrees.
    pub turned_deg: [f64; 3],
    /// The largest displacement of a frame that was not wanted, off the directions in which contact pushes, is not told
    /// here; the share of the wanted motion that was done is.
    pub share: f64,
    /// How much of the wanted motion is free without contact: until the first touch.
    pub free_without_contact: f64,
}

impl SimulationReport {
    /// The version of the format.
    pub const VERSION: u32 = 1;
}

fn feature(feature: Feature) -> String {
    match feature {
        Feature::Vertex(vertex) => format!("vertex {vertex}"),
        Feature::Edge([from, to]) => format!("edge {from} {to}"),
        Feature::Face(face) => format!("face {face}"),
    }
}

fn numbers(pose: &Pose) -> [f64; 7] {
    let (p, q) = (pose.translation, pose.rotation);
    [p.x, p.y, p.z, q.x, q.y, q.z, q.w]
}

/// Whoever watches: a clock in milliseconds, and who is told of every frame.
pub struct Watch<'a> {
    /// Milliseconds since some time.
    pub clock: &'a dyn Fn() -> f64,
    /// Told before every frame.
    pub frame: &'a dyn Fn(u32),
}

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
    let usual = CarriageOptions::default();
    let mut carriage = Carriage::new(CarriageOptions {
        skin: setup.skin.unwrap_or(usual.skin),
        friction: options.friction.unwrap_or(0.0),
        follows_pose: setup.follows_pose,
        ..usual
    });
    let rider =
        |body: &SetupBody| Rider { name: body.name.clone(), model: body.model.clone(), pose: body.pose };
    let mut place = vec![usize::MAX; setup.bodies.len()];
    let moved: Vec<usize> = setup.groups.iter().flat_map(|group| group.bodies.iter().copied()).collect();
    for (number, body) in setup.bodies.iter().enumerate() {
        if !moved.contains(&number) {
            place[number] = carriage.add_fixed(rider(body))?;
        }
    }
    let (mut centers, mut radii) = (Vec::new(), Vec::new());
    for group in &setup.groups {
        let leader = &setup.bodies[group.bodies[0]];
        let mass = joined(setup, &group.bodies);
        let members = group.bodies.iter().map(|&k| rider(&setup.bodies[k])).collect();
        let number = carriage.add_group(members, mass, group.wanted.clone())?;
        for (&body, &member) in group.bodies.iter().zip(carriage.members(number)) {
            place[body] = member;
        }
        centers.push(mass.center);
        radii.push(0.5 * leader.model.aabb().size().length());
    }
    for &(a, b) in &setup.excluded {
        carriage.exclude(place[a], place[b]);
    }
    for (a, b) in touching_at_start(setup, &moved) {
        // Fixed bodies may overlap each other; what moves may not.
        carriage.exclude(place[a], place[b]);
    }
    let free: Vec<f64> = setup.groups.iter().map(|group| free_share(setup, group)).collect();
    let poses = |carriage: &Carriage| {
        let all: Vec<Pose> = carriage.riders().map(|rider| rider.pose).collect();
        place.iter().map(|&k| numbers(&all[k])).collect::<Vec<[f64; 7]>>()
    };
    let name_of: HashMap<usize, &str> =
        place.iter().enumerate().map(|(body, &k)| (k, setup.bodies[body].name.as_str())).collect();
    let start = poses(&carriage);
    let mut told = Vec::new();
    let starts: Vec<Pose> = (0..setup.groups.len()).map(|group| carriage.pose(group)).collect();
    let mut turned = vec![DVec3::ZERO; setup.groups.len()];
    let mut done = vec![(0.0, 0.0); setup.groups.len()];
    let length = setup.seconds / f64::from(frames);
    for number in 0..frames {
        (watch.frame)(number);
        let [from, to] = [number, number + 1].map(|k| f64::from(k) / f64::from(frames));
        let before: Vec<Pose> = (0..setup.groups.len()).map(|group| carriage.pose(group)).collect();
        let begun = (watch.clock)();
        let outcome = carriage.frame(from, to)?;
        let millis = (watch.clock)() - begun;
        let overlaps = carriage.check().len();
        for (group, setup) in setup.groups.iter().enumerate() {
            let way = |x: &Pose, y: &Pose| {
                let turn = rotation::log(y.rotation.normalize() * x.rotation.normalize().conjugate());
                (y.transform_point(centers[group]) - x.transform_point(centers[group]), turn)
            };
            let (moved, turn) = way(&before[group], &carriage.pose(group));
            let (asked, asked_turn) = way(&setup.wanted.pose(from), &setup.wanted.pose(to));
            turned[group] += turn;
            let square = radii[group].powi(2);
            done[group].0 += moved.dot(asked) + square * turn.dot(asked_turn);
            done[group].1 += asked.length_squared() + square * asked_turn.length_squared();
        }
        let force = |force: &noli_sim::Force| {
            let [a, b] = force.bodies.map(|k| name_of.get(&k).copied().unwrap_or_default().to_owned());
            let contact = &force.contact;
            ForceReport {
                a,
                b,
                feature_a: contact.on_a.feature.map(feature),
                feature_b: contact.on_b.feature.map(feature),
                point: contact.middle().to_array(),
                force: (contact.normal * (force.push / (length * length))).to_array(),
            }
        };
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
    let groups = setup.groups.iter().enumerate().map(|(group, told)| {
        let (behind, angle) = carriage.behind(group, 1.0);
        let share = if done[group].1 > 0.0 { done[group].0 / done[group].1 } else { 1.0 };
        let there = behind <= 1e-2 * radii[group] && angle <= 1e-2;
        let end = carriage.pose(group).transform_point(centers[group]);
        GroupSummary {
            name: told.name.clone(),
            reached: if setup.follows_pose { there } else { share >= 0.9 },
            behind,
            behind_deg: angle.to_degrees(),
            moved: (end - starts[group].transform_point(centers[group])).to_array(),
            turned_deg: (turned[group] * 1f64.to_degrees()).to_array(),
            share,
            free_without_contact: free[group],
        }
    });
    let groups = groups.collect();
    Ok(report(setup, "contact", (start, told), carriage.summary(), groups, None))
}

fn report(
    setup: &SimulationSetup,
    mode: &str,
    (start, frames): (Vec<[f64; 7]>, Vec<SimulationFrame>),
    summary: Summary,
    groups: Vec<GroupSummary>,
    energy: Option<[f64; 2]>,
) -> SimulationReport {
    let millis: Vec<f64> = frames.iter().map(|frame| frame.millis).collect();
    let real = millis.iter().sum::<f64>() / 1000.0;
    let simulated = frames.last().map_or(0.0, |frame| frame.time);
    SimulationReport {
        noli_simulation: SimulationReport::VERSION,
        mode: mode.to_owned(),
        scene: setup.scene.clone(),
        units: setup.units,
        seconds: setup.seconds,
        frame_count: frames.len() as u32,
        triangles: setup.triangles(),
        bodies: setup.bodies.iter().map(|body| body.name.clone()).collect(),
        start,
        frames,
        summary: SimulationSummary {
            penetrations: summary.penetrations,
            time_lost: summary.time_lost,
            contacts_most: summary.contacts_most,
            contacts_least: summary.contacts_least,
            frame_ms: FrameTimes::new(millis),
            real_time_factor: if real > 0.0 { simulated / real } else { 0.0 },
            pieces: summary.pieces,
            proofs: summary.proofs,
            impacts: summary.impacts,
            residual_most: summary.residual_most,
            groups,
            energy,
        },
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

/// Pairs of bodies that stay and overlap: usual in construction data, and nothing that contact could part.
fn touching_at_start(setup: &SimulationSetup, moved: &[usize]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for i in 0..setup.bodies.len() {
        for k in i + 1..setup.bodies.len() {
            if !moved.contains(&i) && !moved.contains(&k) {
                pairs.push((i, k));
            }
        }
    }
    pairs
}

/// How much of a wanted motion is free before the first touch with a body that stays.
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
        let mut ask = Ask::new(&mut scratch).within(budget);
        let found = ask.time_of_impact(
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

/// Simulate dynamics: bodies fall, hit, slide and rest; those with a motion are driven by it.
pub fn simulate_dynamics(
    setup: &SimulationSetup,
    options: &SimulationOptions,
    watch: &Watch<'_>,
) -> Result<SimulationReport, SimulationError> {
    let speed = options.speed.unwrap_or(1.0);
    let seconds = options.seconds.unwrap_or(setup.seconds);
    let frames = options.frames.unwrap_or(match options.seconds {
        Some(seconds) => ((f64::from(setup.frames) * seconds / setup.seconds).ceil() as u32).max(1),
        None => setup.frames,
    });
    let usual = DynamicsOptions::default();
    let mut sim = Dynamics::new(DynamicsOptions {
        gravity: setup.gravity,
        skin: setup.skin.unwrap_or(usual.skin),
        ..usual
    });
    let mut driver: HashMap<usize, (&SetupGroup, usize)> = HashMap::new();
    for group in &setup.groups {
        driver.extend(group.bodies.iter().map(|&body| (body, (group, group.bodies[0]))));
    }
    let mut falls = false;
    for (number, body) in setup.bodies.iter().enumerate() {
        let spec = match driver.get(&number) {
            Some((group, leader)) => {
                let own = setup.bodies[*leader].pose.inverse() * body.pose;
                let motion: Arc<dyn Motion> = if *leader == number {
                    group.wanted.clone()
                } else {
                    let led = Pose::IDENTITY == own;
                    if led {
                        group.wanted.clone()
                    } else {
                        Arc::new(Follows { leader: group.wanted.clone(), own })
                    }
                };
                BodySpec::driven(&body.name, body.model.clone(), motion, setup.seconds / speed)
            }
            None if body.fixed => BodySpec::fixed(&body.name, body.model.clone(), body.pose),
            None => {
                falls = true;
                let mass = body.properties()?;
                BodySpec::free(&body.name, body.model.clone(), body.pose)
                    .weighing(mass)
                    .moving(body.velocity * speed, body.spin * speed)
            }
        };
        let material = Material {
            friction: options.friction.unwrap_or(body.material.friction),
            restitution: options.restitution.unwrap_or(body.material.restitution),
        };
        sim.add(spec.of(material))?;
    }
    if !falls {
        return Err(SimulationError::NothingFalls);
    }
    for &(a, b) in &setup.excluded {
        sim.exclude(a, b);
    }
    let poses = |sim: &Dynamics| sim.bodies().iter().map(|body| numbers(&body.pose())).collect::<Vec<_>>();
    let (start, before) = (poses(&sim), sim.energy());
    let mut told = Vec::new();
    let mut lost = 0.0;
    for number in 0..frames {
        (watch.frame)(number);
        let begun = (watch.clock)();
        let length = seconds / f64::from(frames);
        sim.advance(length)?;
        let millis = (watch.clock)() - begun;
        let overlaps = sim.check().len();
        let forces: Vec<ForceReport> = sim
            .forces()
            .iter()
            .filter(|force| force.force != DVec3::ZERO)
            .map(|force| {
                let [a, b] = force.bodies.map(|k| setup.bodies[k].name.clone());
                ForceReport {
                    a,
                    b,
                    feature_a: force.contact.on_a.feature.map(feature),
                    feature_b: force.contact.on_b.feature.map(feature),
                    point: force.contact.middle().to_array(),
                    force: force.force.to_array(),
                }
            })
            .collect();
        let so_far = sim.summary().time_lost * sim.time();
        told.push(SimulationFrame {
            number,
            time: sim.time(),
            poses: poses(&sim),
            contacts: forces.len(),
            forces,
            used: 1.0 - (so_far - lost) / length,
            energy: Some(sim.energy()),
            overlaps,
            millis,
        });
        lost = so_far;
    }
    let energy = Some([before, sim.energy()]);
    Ok(report(setup, "dynamics", (start, told), sim.summary(), Vec::new(), energy))
}

/// A body that keeps its place relative to another that moves.
#[derive(Debug)]
struct Follows {
    leader: Arc<dyn Motion>,
    own: Pose,
}

impl Motion for Follows {
    fn pose(&self, t: f64) -> Pose {
        self.leader.pose(t) * self.own
    }

    fn travel(&self, ball: &noli::model::Sphere, t0: f64, t1: f64) -> f64 {
        self.leader.travel(&self.placed(ball), t0, t1) + self.rounding(ball)
    }

    fn chord_deviation(&self, ball: &noli::model::Sphere, t0: f64, t1: f64) -> f64 {
        self.leader.chord_deviation(&self.placed(ball), t0, t1) + self.rounding(ball)
    }

    fn next_bend(&self, t: f64) -> f64 {
        self.leader.next_bend(t)
    }
}

impl Follows {
    fn placed(&self, ball: &noli::model::Sphere) -> noli::model::Sphere {
        noli::model::Sphere {
            center: self.own.transform_point(ball.center),
            radius: ball.radius * (1.0 + 1e-12) + self.rounding(ball),
        }
    }

    /// Of a product of poses, by the lengths involved at any time of the motion.
    fn rounding(&self, ball: &noli::model::Sphere) -> f64 {
        let far = self.leader.pose(0.0).translation.length() + self.leader.pose(1.0).translation.length();
        let lengths = far + self.own.translation.length() + ball.center.length() + ball.radius;
        1024.0 * f64::EPSILON * lengths
    }
}
