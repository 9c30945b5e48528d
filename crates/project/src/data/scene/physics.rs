//! Parameters of a scene for contact and dynamics.

use crate::data::entry::Table;
use glam::DVec3;
use noli_formats::FileError;

/// Mass of a body, contact properties of its surface, and initial motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Physics {
    /// Its mass; that of even density where it is not given.
    pub mass: Option<f64>,
    /// Mass per volume, in the scene's unit of length.
    pub density: Option<f64>,
    /// Coulomb's coefficient.
    pub friction: Option<f64>,
    /// Coefficient of restitution, from 0 to 1.
    pub restitution: Option<f64>,
    /// `true` if it stays in place under any contact.
    pub fixed: bool,
    /// Of its centre of mass, at the start.
    pub velocity: DVec3,
    /// Its angular velocity at the start, in radians per second.
    pub spin_rad: DVec3,
}

/// Parameters of a whole scene.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Simulation {
    /// Acceleration of free fall, in the scene's unit; 9.81 m/s² down z where it is not given.
    pub gravity: Option<DVec3>,
    /// Simulated time; the duration of the motions if not given.
    pub seconds: Option<f64>,
    /// For bodies that do not give their own.
    pub friction: Option<f64>,
    /// For bodies that do not give their own.
    pub restitution: Option<f64>,
}

/// The keys of a body.
pub(super) fn physics(table: &mut Table<'_>) -> Result<Physics, FileError> {
    let mass = table.take("mass").map(|item| item.positive()).transpose()?;
    let density = match table.take("density") {
        Some(item) if mass.is_some() => {
            let reason = format!("{} has both `mass` and `density`", table.what());
            return Err(item.error(reason, "give one of them"));
        }
        item => item.map(|item| item.positive()).transpose()?,
    };
    let friction = table.take("friction").map(|item| item.not_negative()).transpose()?;
    let restitution = restitution(table)?;
    let fixed = table.take("fixed").map(|item| item.boolean()).transpose()?.unwrap_or(false);
    let velocity = table.take("velocity").map(|item| item.vector()).transpose()?.unwrap_or(DVec3::ZERO);
    let spin_rad = match table.take_one(&["spin_deg", "spin_rad"])? {
        Some(("spin_deg", item)) => item.vector()? * 1f64.to_radians(),
        Some((_, item)) => item.vector()?,
        None => DVec3::ZERO,
    };
    Ok(Physics { mass, density, friction, restitution, fixed, velocity, spin_rad })
}

fn restitution(table: &mut Table<'_>) -> Result<Option<f64>, FileError> {
    let Some(item) = table.take("restitution") else { return Ok(None) };
    let value = item.not_negative()?;
    if value <= 1.0 { Ok(Some(value)) } else { Err(item.wrong("give a number from 0 to 1")) }
}

/// The table `[simulation]`.
pub(super) fn simulation(root: &mut Table<'_>) -> Result<Simulation, FileError> {
    let Some(item) = root.take("simulation") else { return Ok(Simulation::default()) };
    let mut table = item.table()?;
    let gravity = table.take("gravity").map(|item| item.vector()).transpose()?;
    let seconds = table.take("seconds").map(|item| item.positive()).transpose()?;
    let friction = table.take("friction").map(|item| item.not_negative()).transpose()?;
    let restitution = restitution(&mut table)?;
    table.finish()?;
    Ok(Simulation { gravity, seconds, friction, restitution })
}
