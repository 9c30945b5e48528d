//! All contacts of the bodies of a world where they rest.

use super::body::{Body, BodyId};
use super::rules::ordered;
use super::{World, WorldError};
use crate::answer::{Completeness, FeatureContact, Guarantee};
use crate::broad::BroadPhase;
use crate::context::with_context;
use crate::parallel;

/// The contacts of two bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct PairContacts {
    /// A and B.
    pub pair: [BodyId; 2],
    /// Sorted by features.
    pub contacts: Vec<FeatureContact>,
    /// Completeness of the list.
    pub completeness: Completeness,
    /// Guarantee of the list.
    pub guarantee: Guarantee,
}

impl World {
    /// Returns every contact within a distance, of all enabled pairs at their current poses, in order of the
    /// bodies. Pairs without contacts are left out unless the search was incomplete.
    ///
    /// ```
    /// use noli::{Mesh, Model, Pose, World};
    /// use glam::DVec3;
    /// let brick = Model::new(Mesh::cuboid(DVec3::new(2.0, 1.0, 0.5))?.into_solid())?;
    /// let mut world = World::default();
    /// for row in 0..3 {
    ///     world.add(format!("brick {row}"), &brick, Pose::from_translation(DVec3::Z * 0.5 * f64::from(row)))?;
    /// }
    /// let found = world.contacts(1e-3)?;
    /// assert_eq!(found.iter().map(|pair| pair.contacts.len()).collect::<Vec<_>>(), [4, 4]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn contacts(&self, within: f64) -> Result<Vec<PairContacts>, WorldError> {
        let half = if within > 0.0 { (0.5 * within).next_up() } else { 0.0 };
        let mut broad = BroadPhase::new(self.method());
        broad.set_all(self.bodies().map(|(id, body)| (id.index, body.bounds().expanded(half))));
        broad.update();
        let matters = |(a, b): (u32, u32)| {
            let pair = ordered(self.at(a)?.0, self.at(b)?.0);
            self.asked_margin(pair).map(|_| pair)
        };
        let mut pairs: Vec<[BodyId; 2]> = broad.pairs().filter_map(matters).collect();
        pairs.sort_unstable();
        let found = parallel::map_few(&pairs, |&pair| {
            let [a, b] = self.pair(pair)?.map(|(_, body): (_, &Body)| body.model.at(body.pose()));
            let mut contacts = Vec::new();
            let (completeness, guarantee) = with_context(|ask| ask.contacts(&a, &b, within, &mut contacts));
            Ok(PairContacts { pair, contacts, completeness, guarantee })
        });
        let found = found.into_iter().collect::<Result<Vec<PairContacts>, WorldError>>()?;
        let tells =
            |found: &PairContacts| !found.contacts.is_empty() || found.completeness != Completeness::Complete;
        Ok(found.into_iter().filter(tells).collect())
    }
}
