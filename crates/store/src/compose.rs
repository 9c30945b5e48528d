//! Robots composed of stored parts.

use crate::{Store, StoreError};
use noli_formats::Units;
use noli_project::cell::parse_composition;
use noli_robot::{GeometryKind, Robot};

impl Store {
    /// Composes a manipulator from a text that names stored components as parts and joins them; see
    /// `docs/database.md`. Its name.
    pub fn compose(&mut self, text: &str, replace: bool) -> Result<String, StoreError> {
        let mut parts = parse_composition(text.as_bytes())?;
        for link in &mut parts.links {
            for geometry in &mut link.collision {
                if let GeometryKind::Mesh { file, scale } = &mut geometry.form {
                    let info = self.component(file)?;
                    *scale *= info.units.convert(1.0, Units::Metre);
                }
            }
        }
        let name = parts.name.clone();
        let unfit = |error: noli_robot::RobotError| {
            StoreError::unfit(format!("manipulator `{name}`"), error, "correct its parts and joints")
        };
        let robot = Robot::new(parts).map_err(unfit)?;
        self.add_robot(&name, &robot, replace)?;
        Ok(name)
    }
}

/// The text of a composition with a base and one part that turns: a beginning for one's own.
pub fn compose_text() -> &'static str {
    "name = \"turntable\"\nunits = \"mm\"\n\n[[part]]\nname = \"base\"\ncomponent = \"base\"\n\n[[part]]\nname = \"disc\"\n\
     component = \"disc\"\n\n[[joint]]\nname = \"turn\"\nkind = \"revolute\"\nfixed = \"base\"\nmoving = \"disc\"\n\
     pose = { xyz = [0, 0, 100] }\naxis = [0, 0, 1]\nrange_deg = [-180, 180]\n"
}
