//! Statements of removal paths.

use crate::ProofError;
use crate::motion::{MovingBody, RigidPath};
use crate::scene::Scene;
use crate::statement::{Region, Statement};
use crate::world::{Placed, Roster, WorldStatements, other, rest_of_joints, solid_bodies};
use glam::DVec3;
use noli::world::{Body, BodyId};
use noli::{Model, Overlap, Pose, QueryContext, Scratch, World};

/// Instants of a motion at which a pair that begins in contact is tested, as shares of it: halves of the first share
/// and even steps.
const HALVES: i32 = 16;
const EVEN: usize = 256;

/// A pair that is in contact at the start of a motion.
struct Contact {
    pair: [usize; 2],
    margin: f64,
    /// The share of the motion from which it is separated.
    from: f64,
}

/// Removal of some bodies of a world.
struct Removal<'w> {
    world: &'w World,
    moving: &'w [BodyId],
    lead_from_world: Pose,
    resting: Vec<(BodyId, Placed)>,
    scene: Scene,
}

impl WorldStatements {
    /// A part that is removed through poses of its first body, straight and turning about that body's origin, without
    /// some of the others.
    ///
    /// A pair that is in contact at the start of a motion has a statement of its own, from an instant on that its title
    /// gives; until then nothing is claimed about it, and the others list it as disabled for that reason. A pair
    /// that stays in contact to the end of a motion is in [`Self::in_contact`]. One pose alone is a statement about bodies
    /// at rest.
    pub fn removal(
        world: &World,
        moving: &[BodyId],
        without: &[BodyId],
        poses: &[Pose],
    ) -> Result<Self, ProofError> {
        let Some(&lead) = moving.first() else {
            return Err(ProofError::Statement("nothing moves; name a part".to_owned()));
        };
        let (mut scene, mut resting) = (Scene::default(), Vec::new());
        let stays = |id: &BodyId| !moving.contains(id) && !without.contains(id);
        for (id, body) in solid_bodies(world).filter(|(id, _)| stays(id)) {
            let number = scene.add_body(body.name(), 0, body.model(), body.pose(), 0.0)?;
            resting.push((id, Placed { body: number, group: None }));
        }
        let lead_from_world = world.body(lead).map_err(|error| other(&error))?.pose().inverse();
        let mut removal = Removal { world, moving, lead_from_world, resting, scene };
        let (mut statements, mut in_contact) = (Vec::new(), Vec::new());
        match poses {
            [] => return Err(ProofError::Statement("a removal path needs a pose".to_owned())),
            [pose] => statements = removal.at_rest(*pose)?,
            _ => {
                for (number, ends) in poses.windows(2).enumerate() {
                    let title = format!("motion {} of {}", number + 1, poses.len() - 1);
                    statements.extend(removal.motion(&title, [ends[0], ends[1]], &mut in_contact)?);
                }
                statements.iter_mut().for_each(|statement| statement.complete &= poses.len() == 2);
                rest_of_joints(&mut statements, removal.scene.joint_count());
            }
        }
        Ok(Self { scene: removal.scene, statements, in_contact, undecided: Vec::new(), deviation: 0.0 })
    }
}

impl<'w> Removal<'w> {
    /// The bodies that move and have faces or a volume, with their poses for one of the first.
    fn members(&self, lead: Pose) -> Result<Vec<(BodyId, &'w Body, Pose)>, ProofError> {
        let mut members = Vec::new();
        for &id in self.moving {
            let body = self.world.body(id).map_err(|error| other(&error))?;
            let pose = if id == self.moving[0] { lead } else { lead * (self.lead_from_world * body.pose()) };
            members.push((id, body, pose));
        }
        members.retain(|(_, body, _)| !body.model().is_empty());
        Ok(members)
    }

    fn at_rest(&mut self, pose: Pose) -> Result<Vec<Statement>, ProofError> {
        let mut roster = Roster { world: self.world, placed: self.resting.clone() };
        for (id, body, pose) in self.members(pose)? {
            let number = self.scene.add_body(body.name(), 0, body.model(), pose, 0.0)?;
            roster.placed.push((id, Placed { body: number, group: Some(0) }));
        }
        roster.separated("out where it stands", &Region::At(Vec::new()))
    }

    fn motion(
        &mut self,
        title: &str,
        ends: [Pose; 2],
        in_contact: &mut Vec<[String; 2]>,
    ) -> Result<Vec<Statement>, ProofError> {
        let path = RigidPath::between(&ends[0], &ends[1], DVec3::ZERO);
        let mut roster = Roster { world: self.world, placed: self.resting.clone() };
        let mut first: Option<MovingBody> = None;
        let mut contacts = Vec::new();
        for (id, body, start) in self.members(ends[0])? {
            let member = self.scene.add_member(first.as_ref(), &path, body, start)?;
            let pose = |share: f64| path.pose(share) * (ends[0].inverse() * start);
            for (resting, placed) in &self.resting {
                let Some(margin) = self.world.margin_between(*resting, id).map_err(|error| other(&error))?
                else {
                    continue;
                };
                let still = self.world.body(*resting).map_err(|error| other(&error))?;
                let Some(from) = separated_from((body.model(), &pose), still, margin) else { continue };
                contacts.push(Contact { pair: [placed.body, member.body], margin, from });
            }
            roster.placed.push((id, Placed { body: member.body, group: Some(0) }));
            first.get_or_insert(member);
        }
        let whole = self.scene.along(&first.iter().collect::<Vec<_>>());
        let reason = |contact: &Contact| match contact.from {
            from if from < 1.0 => format!("in contact at the start; separated from {from} of the motion on"),
            _ => "in contact to the end of the motion".to_owned(),
        };
        let without: Vec<([usize; 2], String)> =
            contacts.iter().map(|contact| (contact.pair, reason(contact))).collect();
        let mut statements = roster.separated_but(title, &whole, &without)?;
        for Contact { pair, margin, from } in contacts {
            let [a, b] = pair.map(|body| self.scene.body_name(body).to_owned());
            if from >= 1.0 {
                in_contact.push([a, b]);
                continue;
            }
            let title = format!("{title}, from {from} of it on: {b} leaves {a}");
            let statement = Statement::separated(vec![pair], later(&whole, from));
            statements.push(Statement { title, clearance: margin, ..statement });
        }
        Ok(statements)
    }
}

/// The part of a motion from a share on.
fn later(whole: &Region, from: f64) -> Region {
    match whole {
        Region::Along(rows) => {
            let start = rows[0].iter().zip(&rows[1]).map(|(a, b)| a + from * (b - a)).collect();
            Region::Along(vec![start, rows[1].clone()])
        }
        other => other.clone(),
    }
}

/// The share of a motion from which two bodies that are in contact at its start are separated, by the engine at tested
/// instants; none if they are separated at the start, 1 if they are in contact to the end.
fn separated_from((model, pose): (&Model, &impl Fn(f64) -> Pose), still: &Body, margin: f64) -> Option<f64> {
    let mut scratch = Scratch::default();
    let mut near = |share: f64| {
        let (a, b) = (model.at(pose(share)), still.model().at(still.pose()));
        let mut context = QueryContext::new(&mut scratch);
        let found =
            if margin > 0.0 { context.within_distance(&a, &b, margin) } else { context.overlap(&a, &b) };
        found == Overlap::Hit
    };
    if !near(0.0) {
        return None;
    }
    let even = |k: usize| k as f64 / EVEN as f64;
    if let Some(last) = (1..=EVEN).rev().find(|&k| near(even(k))) {
        // A step later, so that there is room for a proof.
        return Some(if last + 2 < EVEN { even(last + 2) } else { 1.0 });
    }
    let least = (1..=HALVES).take_while(|&k| !near(even(1) * 0.5f64.powi(k))).last().unwrap_or(0);
    Some(even(1) * 0.5f64.powi((least - 1).max(0)))
}
