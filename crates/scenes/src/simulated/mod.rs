//! Scenes for contact and dynamics: bodies with their masses and what moves them, as plain data.

mod dynamics;
mod runway;
mod screw;
mod thread;

pub use thread::Thread;

use glam::{DMat3, DVec3};
use noli_geom::{Convex, Mesh, Pose};

/// Shape of a body.
#[derive(Clone, Debug, PartialEq)]
pub enum SimulatedShape {
    /// A mesh.
    Mesh(Mesh),
    /// A convex body.
    Convex(Convex),
    /// All below z = 0.
    HalfSpace,
}

/// Cause of a body's motion.
#[derive(Clone, Debug, PartialEq)]
pub enum SimulatedRole {
    /// Nothing.
    Fixed,
    /// Gravity and contact.
    Free,
    /// Target poses at these times from 0 to 1, with rotation about its centre of mass.
    Wanted(Vec<(f64, Pose)>),
    /// Target motion: a rotation by an angle, in radians, about a line through a point, and an advance along
    /// it.
    WantedScrew {
        /// A point of the line.
        point: DVec3,
        /// Its direction.
        axis: DVec3,
        /// The angle.
        angle: f64,
        /// Translation along it.
        advance: f64,
    },
}

/// A body of a simulated scene.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulatedBody {
    /// Its name.
    pub name: String,
    /// Its shape.
    pub shape: SimulatedShape,
    /// Its placement.
    pub pose: Pose,
    /// Cause of its motion.
    pub role: SimulatedRole,
    /// Mass, centre and inertia where they are not those of even density.
    pub mass: Option<(f64, DVec3, DMat3)>,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// Fraction of the approach speed returned after impact.
    pub restitution: f64,
    /// Velocity at the start.
    pub velocity: DVec3,
    /// Angular velocity at the start.
    pub spin: DVec3,
}

impl SimulatedBody {
    fn new(name: &str, shape: SimulatedShape, pose: Pose, role: SimulatedRole) -> Self {
        Self {
            name: name.to_owned(),
            shape,
            pose,
            role,
            mass: None,
            friction: 0.5,
            restitution: 0.0,
            velocity: DVec3::ZERO,
            spin: DVec3::ZERO,
        }
    }

    fn of(self, friction: f64, restitution: f64) -> Self {
        Self { friction, restitution, ..self }
    }

    fn moving(self, velocity: DVec3, spin: DVec3) -> Self {
        Self { velocity, spin, ..self }
    }
}

/// A scene for contact or dynamics.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulated {
    /// Its name.
    pub name: &'static str,
    /// Description of the scene's purpose.
    pub about: &'static str,
    /// `true` if it is for dynamics; otherwise for contact.
    pub falls: bool,
    /// The bodies.
    pub bodies: Vec<SimulatedBody>,
    /// Acceleration of free fall.
    pub gravity: DVec3,
    /// Duration, in seconds.
    pub seconds: f64,
    /// Into how many frames it is divided.
    pub frames: u32,
    /// `true` if a body follows its target pose; otherwise it repeats its target motion of each frame.
    pub follows_pose: bool,
    /// Clearance kept between bodies, as a fraction of their radius, where it is not the default.
    pub skin: Option<f64>,
}

/// Names and what they show: contact first.
pub const SIMULATED: [(&str, &str); 19] = [
    ("runway", "a plane comes down on a runway and rolls along it"),
    ("runway-bumpy", "the same on a runway with bumps"),
    ("screw", "a bolt is turned out of its nut: torque alone drives it"),
    ("screw-pull", "a bolt is pulled without turning: its thread holds it"),
    ("rod", "a rod falls on a floor at an angle"),
    ("bounce", "a sphere bounces to rest"),
    ("cradle", "two of five spheres in a row swing into the others"),
    ("stack", "ten boxes on each other"),
    ("slope", "three blocks on a slope: two are held by friction"),
    ("roll", "a sphere slips until it rolls"),
    ("turntable", "a sphere on a turning table runs on a circle"),
    ("spin", "a body turns over about its middle axis"),
    ("shot", "a small cube is shot at a thin plate"),
    ("chain", "ten links hang from a fixed one"),
    ("gears", "a driven gear turns another"),
    ("arch", "an arch of five stones stands"),
    ("dominoes", "a row of dominoes falls"),
    ("pile", "boxes fall on each other"),
    ("oblique", "a sphere hits a floor at an angle and takes spin"),
];

/// A simulated scene by name; `None` if there is none. With more than 1 for `detail`, runways and screws have that many
/// squared times the triangles, and the same shape.
///
/// ```
/// for (name, _) in noli_scenes::SIMULATED {
///     assert!(noli_scenes::simulated(name, 1).is_some_and(|scene| scene.name == name), "{name}");
/// }
/// ```
pub fn simulated(name: &str, detail: u32) -> Option<Simulated> {
    let detail = detail.clamp(1, 16);
    let thread = || {
        let usual = Thread::default();
        Thread { slices: usual.slices * detail * detail, ..usual }
    };
    let (name, about) = SIMULATED.into_iter().find(|(known, _)| *known == name)?;
    let mut scene = match name {
        "runway" => runway::runway(false, detail),
        "runway-bumpy" => runway::runway(true, detail),
        "screw" => screw::screw(&thread()),
        "screw-pull" => screw::pull(&thread()),
        _ => dynamics::scene(name)?,
    };
    (scene.name, scene.about) = (name, about);
    Some(scene)
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z))
}

fn mesh(set: crate::TriangleSet, solid: bool) -> SimulatedShape {
    let made = Mesh::from_triangles(set.vertices, set.triangles, &Default::default());
    // What is generated here is a mesh; the empty one would be seen at once.
    let mesh = made.unwrap_or_else(|_| Mesh::empty());
    SimulatedShape::Mesh(if solid { mesh.into_solid() } else { mesh })
}

fn cuboid(x: f64, y: f64, z: f64) -> SimulatedShape {
    mesh(crate::cuboid(0.5 * DVec3::new(x, y, z)), true)
}

fn sphere(radius: f64) -> SimulatedShape {
    SimulatedShape::Convex(Convex::sphere(radius).unwrap_or(Convex::POINT))
}
