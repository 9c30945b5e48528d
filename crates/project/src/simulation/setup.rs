//! Scenes as they are simulated.

use super::error::SimulationError;
use crate::load::scene::LoadedScene;
use crate::stage::scene::{StageOptions, Staged, stage};
use glam::{DMat3, DVec3};
use noli::motion::{Clip, KeyFrames, Motion, RigidMotion, Turning};
use noli::world::BodyId;
use noli::{Model, Pose, Shape};
use noli_formats::Units;
use noli_scenes::{Simulated, SimulatedRole, SimulatedShape, engine_bay, engine_bay_removals};
use noli_sim::{MassProperties, Material, SimError};
use std::collections::HashMap;
use std::sync::Arc;

/// A body to be simulated.
#[derive(Clone, Debug)]
pub struct SetupBody {
    /// Its name.
    pub name: String,
    /// Its model for queries.
    pub model: Model,
    /// Shape from which its mass is computed.
    pub shape: Shape,
    /// Its placement.
    pub pose: Pose,
    /// `true` if it cannot move.
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
    /// A body that falls, of density 1 and the usual surface, at rest.
    pub fn new(name: String, shape: Shape, model: Model, pose: Pose) -> Self {
        Self {
            name,
            model,
            shape,
            pose,
            fixed: false,
            mass: None,
            given: (None, None),
            material: Material::default(),
            velocity: DVec3::ZERO,
            spin: DVec3::ZERO,
        }
    }

    /// Its mass: as given, else by mass, density or the density 1 of its shape.
    pub fn properties(&self) -> Result<MassProperties, SimError> {
        match (self.mass, self.given) {
            (Some(mass), _) => Ok(mass),
            (None, (Some(mass), _)) => MassProperties::with_mass(&self.name, &self.shape, mass),
            (None, (None, density)) => {
                MassProperties::with_density(&self.name, &self.shape, density.unwrap_or(1.0))
            }
        }
    }

    /// Returns the mass properties; those of its box if the shape has none.
    pub(super) fn rough_properties(&self) -> MassProperties {
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

/// Bodies with a desired motion as one rigid group.
#[derive(Clone, Debug)]
pub struct SetupGroup {
    /// Its name.
    pub name: String,
    /// Numbers of its bodies; the first leads.
    pub bodies: Vec<usize>,
    /// Desired motion of the leader over the whole time.
    pub wanted: Arc<dyn Motion>,
}

/// A scene to be simulated.
#[derive(Clone, Debug)]
pub struct SimulationSetup {
    /// Its name.
    pub scene: String,
    /// The unit of lengths.
    pub units: Units,
    /// Duration, in seconds.
    pub seconds: f64,
    /// Into how many frames that is divided.
    pub frames: u32,
    /// Acceleration of free fall.
    pub gravity: DVec3,
    /// The bodies.
    pub bodies: Vec<SetupBody>,
    /// Groups with a desired motion.
    pub groups: Vec<SetupGroup>,
    /// Pairs that do not matter.
    pub excluded: Vec<(usize, usize)>,
    /// `true` if groups follow desired poses.
    pub follows_pose: bool,
    /// Distance that bodies keep, as a share of their radius; the default if not given.
    pub skin: Option<f64>,
    /// Warnings.
    pub warnings: Vec<String>,
}

/// Nothing, in metres, for a second and without gravity.
impl Default for SimulationSetup {
    fn default() -> Self {
        Self {
            scene: String::new(),
            units: Units::Metre,
            seconds: 1.0,
            frames: frames(1.0),
            gravity: DVec3::ZERO,
            bodies: Vec::new(),
            groups: Vec::new(),
            excluded: Vec::new(),
            follows_pose: true,
            skin: None,
            warnings: Vec::new(),
        }
    }
}

/// Sixty a second.
pub(super) fn frames(seconds: f64) -> u32 {
    ((seconds * 60.0).ceil() as u32).max(1)
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
            let (shape, model) = (body.shape.clone(), placed.model().clone());
            bodies.push(SetupBody {
                fixed: physics.fixed || matches!(body.shape, Shape::HalfSpace),
                given: (physics.mass, physics.density),
                material: Material {
                    friction: physics.friction.or(simulation.friction).unwrap_or(usual.friction),
                    restitution: physics.restitution.or(simulation.restitution).unwrap_or(usual.restitution),
                },
                velocity: physics.velocity,
                spin: physics.spin_rad,
                ..SetupBody::new(body.name.clone(), shape, model, placed.pose())
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
            frames: frames(seconds),
            gravity: simulation.gravity.unwrap_or(down),
            bodies,
            groups,
            excluded,
            warnings,
            ..Self::default()
        })
    }

    /// Creates a bundled scene by name; `bulbs` is the engine bay. `detail` sets the resolution of bulbs, runways
    /// and screws.
    pub fn demo(name: &str, detail: u32) -> Result<Self, SimulationError> {
        if name == "bulbs" {
            return Self::bulbs(detail);
        }
        let Some(scene) = noli_scenes::simulated(name, detail) else {
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
                fixed: body.role == SimulatedRole::Fixed,
                mass,
                material: Material { friction: body.friction, restitution: body.restitution },
                velocity: body.velocity,
                spin: body.spin,
                ..SetupBody::new(body.name.clone(), shape, model, body.pose)
            });
        }
        Ok(Self {
            scene: scene.name.to_owned(),
            seconds: scene.seconds,
            frames: scene.frames,
            gravity: scene.gravity,
            bodies,
            groups,
            follows_pose: scene.follows_pose,
            skin: scene.skin,
            ..Self::default()
        })
    }

    /// Creates the removal of both bulbs of the engine bay, by a hesitant hand that bumps into obstacles.
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
                fixed: true,
                material: Material::SMOOTH,
                ..SetupBody::new(part.name.clone(), shape, model, part.pose)
            });
        }
        Ok(Self {
            scene: "bulbs".to_owned(),
            units: Units::Millimetre,
            seconds: 4.0,
            frames: STEPS as u32,
            bodies,
            groups,
            ..Self::default()
        })
    }

    /// The same up to a share of its time, at the same pace.
    pub fn first_part(mut self, share: f64) -> Self {
        let share = share.clamp(f64::MIN_POSITIVE, 1.0);
        self.frames = ((share * f64::from(self.frames)).round() as u32).max(1);
        self.seconds *= share;
        for group in &mut self.groups {
            group.wanted = Arc::new(Clip::new(group.wanted.clone(), 0.0, share));
        }
        self
    }

    /// Number of triangles of all bodies.
    pub fn triangles(&self) -> usize {
        self.bodies.iter().filter_map(|body| body.model.mesh()).map(|mesh| mesh.triangle_count()).sum()
    }
}
