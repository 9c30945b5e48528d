//! From a scene file to a world and its moves: what `sweep` and `play` share.

use crate::check::{Kind, bodies, source::Part};
use anyhow::{Context, Result, ensure};
use glam::DVec3;
use noli::{BodyId, Clip, KeyFrames, Motion, Move, Pose, RigidMotion, Who, World};
use noli_io::{LoadedScene, MotionPath, Mover, ReadOptions, SceneMotion, Units};
use std::path::Path;
use std::sync::Arc;

/// A world, and what is asked to move in it.
pub(crate) struct Staged {
    pub(crate) title: String,
    pub(crate) units: Units,
    pub(crate) world: World,
    /// The whole motion of each group.
    pub(crate) movers: Vec<Move>,
    /// How long all motions take together: the longest of them.
    pub(crate) seconds: f64,
    pub(crate) warnings: Vec<String>,
}

pub(crate) fn stage(path: &Path) -> Result<Staged> {
    let loaded = noli_io::load_scene(path, &ReadOptions::default())?;
    ensure!(
        !loaded.motions.is_empty(),
        "{}: nothing moves in this scene; add a [[motion]], or ask `noli check` how its bodies stand",
        path.display()
    );
    let (world, ids) = world(&loaded)?;
    let seconds = loaded.motions.iter().map(|motion| motion.motion.seconds).fold(0.0, f64::max);
    let mut moves = Vec::new();
    for motion in &loaded.motions {
        let share = motion.motion.seconds / seconds;
        let mover = mover(&loaded, (&motion.motion, share), &motion.bodies, &world, &ids);
        moves.push(mover.with_context(|| format!("{}", path.display()))?);
    }
    let movers = world.join(moves).with_context(|| format!("{}", path.display()))?;
    let warnings = loaded.warnings.iter().map(|(path, warning)| format!("{}: {warning}", path.display()));
    Ok(Staged {
        title: path.display().to_string(),
        units: loaded.scene.units,
        world,
        movers,
        seconds,
        warnings: warnings.collect(),
    })
}

/// The bodies, what hangs on what, and which pairs matter.
fn world(loaded: &LoadedScene) -> Result<(World, Vec<BodyId>)> {
    let parts = loaded.bodies.iter().map(|body| Part::of_scene(&loaded.scene, body)).collect();
    let bodies = bodies::prepare(parts, Kind::Auto)?;
    let mut world = World::default();
    let mut ids = Vec::new();
    for body in &bodies {
        ids.push(world.add(body.name.clone(), &body.model, body.world_from_self)?);
    }
    let first_of = |entry: usize| loaded.bodies.iter().position(|body| body.entry == entry).map(|at| ids[at]);
    for (body, &id) in loaded.bodies.iter().zip(&ids) {
        if let Some(group) = body.group {
            world.set_group(id, loaded.scene.groups[group].name.clone())?;
        }
        if let Some(parent) = loaded.scene.bodies[body.entry].parent.and_then(first_of) {
            world.attach(id, parent)?;
        }
    }
    let (check, rules) = (&loaded.scene.check, world.rules_mut());
    let named = |pair: &[noli_io::Pattern; 2]| pair.clone().map(Who::Named);
    if !check.only.is_empty() {
        rules.set([Who::Anyone, Who::Anyone], false);
    }
    check.only.iter().for_each(|pair| rules.set(named(pair), true));
    check.skip.iter().for_each(|pair| rules.set(named(pair), false));
    rules.set_default_margin(check.margin);
    check.margins.iter().for_each(|(pair, margin)| rules.set_margin(named(pair), *margin));
    Ok((world, ids))
}

/// Where a path is told from, and what it is told about.
struct Frame {
    /// The parent of the body, or the world.
    world_from_parent: Pose,
    /// The body at the start; the world for a group.
    world_from_mover: Pose,
}

fn mover(
    loaded: &LoadedScene,
    (motion, share): (&SceneMotion, f64),
    bodies: &[usize],
    world: &World,
    ids: &[BodyId],
) -> Result<Move> {
    let scene = &loaded.scene;
    let (name, frame) = match motion.mover {
        Mover::Body(entry) => {
            let parent = scene.bodies[entry].parent.map_or(Pose::IDENTITY, |parent| scene.world_pose(parent));
            let frame = Frame { world_from_parent: parent, world_from_mover: scene.world_pose(entry) };
            (scene.bodies[entry].name.clone(), frame)
        }
        Mover::Group(group) => {
            let frame = Frame { world_from_parent: Pose::IDENTITY, world_from_mover: Pose::IDENTITY };
            (scene.groups[group].name.clone(), frame)
        }
    };
    let mut members = Vec::new();
    for &body in bodies {
        members.extend(world.with_descendants(ids[body])?);
    }
    members.sort_unstable();
    members.dedup();
    let mut parts: Vec<(BodyId, Arc<dyn Motion>)> = Vec::new();
    for id in members {
        let member = frame.member(&world.body(id)?.pose());
        let motion = member.motion(motion).with_context(|| format!("the motion of `{name}`"))?;
        parts.push((id, if share < 1.0 { Arc::new(Clip::within(motion, share)) } else { motion }));
    }
    Ok(Move::rigid(name, parts))
}

/// One body of a mover.
struct Member<'f> {
    frame: &'f Frame,
    start: Pose,
    mover_from_member: Pose,
}

impl Frame {
    fn member(&self, start: &Pose) -> Member<'_> {
        let is_mover = *start == self.world_from_mover;
        let mover_from_member =
            if is_mover { Pose::IDENTITY } else { self.world_from_mover.inverse() * *start };
        Member { frame: self, start: *start, mover_from_member }
    }
}

impl Member<'_> {
    /// Where the member stands when its mover has a pose in the parent's frame.
    fn when(&self, parent_from_mover: &Pose) -> Pose {
        self.frame.world_from_parent * *parent_from_mover * self.mover_from_member
    }

    /// A point of the mover, in the member's frame.
    fn point(&self, point: DVec3) -> DVec3 {
        self.mover_from_member.inverse().transform_point(point)
    }

    fn motion(&self, motion: &SceneMotion) -> Result<Arc<dyn Motion>> {
        let frame = &self.frame.world_from_parent;
        Ok(match &motion.path {
            MotionPath::Straight { from, to, pivot, turning } => {
                let start = from.as_ref().map_or(self.start, |from| self.when(from));
                let (end, pivot) = (self.when(to), self.point(*pivot));
                Arc::new(RigidMotion::interpolated(&start, &end, pivot, *turning))
            }
            MotionPath::Screw { point, axis, angle_rad, advance } => {
                let (point, axis) = (frame.transform_point(*point), frame.transform_vector(*axis));
                Arc::new(RigidMotion::screw(&self.start, point, axis, *angle_rad, *advance))
            }
            MotionPath::Velocity { linear, angular_rad, pivot } => {
                let [linear, angular] =
                    [linear, angular_rad].map(|v| frame.transform_vector(*v) * motion.seconds);
                Arc::new(RigidMotion::with_velocities(&self.start, linear, angular, self.point(*pivot)))
            }
            MotionPath::KeyFrames { keys, turning } => {
                let keys: Vec<(f64, Pose)> =
                    keys.iter().map(|key| (key.time, self.when(&key.pose))).collect();
                Arc::new(KeyFrames::new(&keys, self.point(DVec3::ZERO), *turning)?)
            }
            MotionPath::PoseList { path, .. } => {
                anyhow::bail!("{}: the list of poses was not read", path.display())
            }
        })
    }
}
