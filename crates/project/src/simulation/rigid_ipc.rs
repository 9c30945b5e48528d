//! Scenes in the format of the rigid-ipc collection (Ferguson, Li, Schneider and others 2021).

use super::error::SimulationError;
use super::setup::frames;
use super::setup::{SetupBody, SetupGroup, SimulationSetup};
use glam::{DQuat, DVec3};
use noli::motion::RigidMotion;
use noli::{Mesh, Model, Pose, Shape};
use noli_sim::Material;
use serde::Deserialize;
use std::sync::Arc;

#[derive(Deserialize)]
struct File {
    rigid_body_problem: Problem,
}

#[derive(Deserialize)]
struct Problem {
    #[serde(default)]
    gravity: [f64; 3],
    #[serde(default)]
    coefficient_friction: f64,
    rigid_bodies: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    mesh: String,
    #[serde(default)]
    position: [f64; 3],
    /// Degrees about x, then y, then z, all fixed axes.
    #[serde(default)]
    rotation: [f64; 3],
    #[serde(default)]
    linear_velocity: [f64; 3],
    /// In degrees per second.
    #[serde(default)]
    angular_velocity: [f64; 3],
    #[serde(default = "one")]
    scale: f64,
    #[serde(default = "water")]
    density: f64,
    #[serde(default, rename = "type")]
    kind: Kind,
    #[serde(default)]
    is_dof_fixed: Held,
    #[serde(default = "yes")]
    enabled: bool,
    /// Bodies that take the place of degrees of freedom that are held, such as the pin of a wheel.
    #[serde(default)]
    ipc_comparison_enabled: bool,
}

#[derive(Clone, Copy, Default, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Static,
    Kinematic,
    #[default]
    Dynamic,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Held {
    All(bool),
    Each(Vec<bool>),
}

impl Default for Held {
    fn default() -> Self {
        Self::All(false)
    }
}

impl Held {
    fn is_whole(&self) -> bool {
        match self {
            Self::All(held) => *held,
            Self::Each(held) => !held.is_empty() && held.iter().all(|held| *held),
        }
    }
}

fn one() -> f64 {
    1.0
}

fn water() -> f64 {
    1000.0
}

fn yes() -> bool {
    true
}

impl SimulationSetup {
    /// Creates a scene of the rigid-ipc collection from its text; `mesh` returns a mesh by its name in the scene,
    /// or the reason why not. Kinematic bodies are driven for `seconds`. Single degrees of freedom cannot be fixed.
    /// The scene's bodies for engines without that feature, such as pins, are used instead.
    pub fn rigid_ipc(
        name: &str,
        text: &str,
        seconds: f64,
        mesh: &mut dyn FnMut(&str) -> Result<Mesh, String>,
    ) -> Result<Self, SimulationError> {
        let refused = |reason: String| SimulationError::RigidIpc(name.to_owned(), reason);
        if !(seconds > 0.0 && seconds.is_finite()) {
            return Err(refused(format!("it cannot last for {seconds} seconds")));
        }
        let text = text.trim_start_matches('\u{feff}');
        let file: File = serde_json::from_str(text).map_err(|error| refused(error.to_string()))?;
        let Problem { gravity, coefficient_friction, rigid_bodies } = file.rigid_body_problem;
        let material = Material { friction: coefficient_friction.max(0.0), restitution: 0.0 };
        let (mut bodies, mut groups) = (Vec::new(), Vec::new());
        for entry in rigid_bodies.iter().filter(|entry| entry.enabled || entry.ipc_comparison_enabled) {
            let number = bodies.len();
            let body = format!("{number} {}", entry.mesh);
            let scaled = mesh(&entry.mesh)
                .and_then(|mesh| mesh.scaled(entry.scale).map_err(|error| error.to_string()))
                .map_err(|reason| refused(format!("{}: {reason}", entry.mesh)))?
                .into_solid();
            let shape = Shape::from(&scaled);
            let model =
                Model::new(shape.clone()).map_err(|error| SimulationError::Shape(body.clone(), error))?;
            let radians = |degrees: [f64; 3]| DVec3::from(degrees) * (std::f64::consts::PI / 180.0);
            let velocity = DVec3::from(entry.linear_velocity);
            let DVec3 { x, y, z } = radians(entry.rotation);
            let turn = DQuat::from_rotation_z(z) * DQuat::from_rotation_y(y) * DQuat::from_rotation_x(x);
            let pose = Pose::new(turn, DVec3::from(entry.position));
            let spin = radians(entry.angular_velocity);
            if entry.kind == Kind::Kinematic {
                let [path, turned] = [velocity, spin].map(|rate| rate * seconds);
                let wanted = RigidMotion::with_velocities(&pose, path, turned, DVec3::ZERO);
                groups.push(SetupGroup {
                    name: body.clone(),
                    bodies: vec![number],
                    wanted: Arc::new(wanted),
                });
            }
            bodies.push(SetupBody {
                fixed: entry.kind == Kind::Static || entry.is_dof_fixed.is_whole(),
                given: (None, Some(entry.density)),
                material,
                velocity,
                spin,
                ..SetupBody::new(body, shape, model, pose)
            });
        }
        Ok(Self {
            scene: name.to_owned(),
            seconds,
            frames: frames(seconds),
            gravity: DVec3::from(gravity),
            bodies,
            groups,
            ..Self::default()
        })
    }
}
