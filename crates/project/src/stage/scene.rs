//! From a loaded scene to a [`World`] and what moves in it.

use crate::data::scene::{MotionPath, Mover, SceneMotion, SceneRemoval, Shape as SceneShape};
use crate::load::scene::{LoadedBody, LoadedMotion, LoadedScene};
use crate::parallel::map;
use crate::stage::mesh_kind::{TakeAs, TakenMesh, collapse_text};
use glam::DVec3;
use noli::model::MeshKind;
use noli::motion::{Clip, KeyFrames, Motion, RigidMotion};
use noli::world::{BodyId, Move, WorldError};
use noli::{Mesh, Model, Pose, Shape, ShapeError, World};
use noli_formats::{CurvedBody, Units, oriented};
use noli_geom::{KeyFramesError, SolidFlaw, Turning};
use noli_grid::ObstacleCells;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Options for staging a scene.
#[derive(Clone, Copy, Default)]
pub struct StageOptions<'a> {
    /// Interpretation of the faces of meshes; the scene's setting for a body takes precedence.
    pub take_as: TakeAs,
    /// Progress callback for every model: the number of models begun, and the total. Called by all threads.
    pub progress: Option<&'a (dyn Fn(usize, usize) + Sync)>,
}

/// Error of staging a scene.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StageError {
    /// A shape is out of range.
    #[error("{0}: {1}; give it an ordinary size")]
    Shape(String, ShapeError),
    /// Key frames are none.
    #[error("the motion of `{0}`: {1}")]
    Motion(String, KeyFramesError),
    /// The triangles of a solid do not bound it.
    #[error(
        "`{0}` is a solid in its file, but its triangles are not closed ({1} such bodies): nothing is decided about motions \
         beside it; mend it in its CAD program, or take it as a surface"
    )]
    OpenSolid(String, usize),
    /// A list of poses is still a path: the scene was not loaded.
    #[error("the motion of `{0}`: its list of poses was not read; load the scene")]
    NotLoaded(String),
    /// The world refuses a body or a motion.
    #[error(transparent)]
    World(#[from] WorldError),
}

/// A scene as a world, with its motions.
#[derive(Clone, Debug)]
pub struct Staged {
    /// The bodies, their attachments, and the checked pairs.
    pub world: World,
    /// Additional data of the world's bodies, in the same order.
    pub bodies: Vec<StagedBody>,
    /// The motions over the whole time; those that move the same bodies are joined.
    pub moves: Vec<Move>,
    /// Parts to be removed, as listed by the scene.
    pub removals: Vec<StagedRemoval>,
    /// Duration of all motions together: that of the longest.
    pub seconds: f64,
    /// The unit of lengths.
    pub units: Units,
    /// Warnings about the files, and about bodies requested as solids.
    pub warnings: Vec<String>,
}

/// A removal of a staged scene.
#[derive(Clone, Debug)]
pub struct StagedRemoval {
    /// The listed removal.
    pub removal: SceneRemoval,
    /// Its path; `None` if one is to be found.
    pub moving: Option<Move>,
}

/// A body of a staged scene.
#[derive(Clone, Debug)]
pub struct StagedBody {
    /// Its id in the world.
    pub id: BodyId,
    /// Display mesh: its own, or one inscribed in its true shape.
    pub look: Mesh,
    /// `true` if it is a true shape, and the mesh is for display only.
    pub is_true_shape: bool,
    /// Interpretation of its faces.
    pub kind: MeshKind,
    /// `true` if set by the scene.
    pub said: bool,
    /// Reason why its mesh does not bound a solid; not tested if it was requested as a surface.
    pub flaw: Option<SolidFlaw>,
    /// `true` if every face of its mesh is a segment or a point: the shape is lost.
    pub is_collapsed: bool,
    /// File of its shape.
    pub origin: Origin,
    /// Its cells, if it is a grid.
    pub cells: Option<Arc<ObstacleCells>>,
}

/// File that a body came from, and the uncertainty of its surface by conversion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Origin {
    /// The file; `None` for primitives, formulas and generated shapes.
    pub file: Option<PathBuf>,
    /// Uncertainty of the surface, in the unit of the scene; 0 unless a CAD kernel triangulated it.
    pub uncertainty: f64,
    /// Its curved surfaces, if they are known.
    pub curved: Option<CurvedBody>,
}

impl StagedBody {
    /// Returns the number of its triangles; 0 for a true shape, which has triangles for display only.
    pub fn triangles(&self) -> usize {
        if self.is_true_shape { 0 } else { self.look.triangle_count() }
    }

    /// Returns `true` if it is a solid: by its mesh, or by the surfaces of its file, whatever their triangles are.
    pub fn is_solid(&self) -> bool {
        self.kind == MeshKind::Solid || self.curved().is_some_and(|found| found.body.is_solid())
    }

    /// Returns its curved surfaces. A body that the user takes as its faces alone has none, whatever its file says, and
    /// triangles are not curved.
    pub(crate) fn curved(&self) -> Option<&CurvedBody> {
        let is_taken = self.kind == MeshKind::Solid || self.flaw.is_some();
        self.origin.curved.as_ref().filter(|found| is_taken && !found.body.is_tessellated())
    }
}

impl Staged {
    /// The name of a body; empty if it was removed.
    pub fn name(&self, id: BodyId) -> &str {
        self.world.body(id).map_or("", |body| body.name())
    }

    /// Refuses solids whose triangles leave openings: motions and paths are decided on triangles, and what is inside of open
    /// ones is not in the way.
    pub fn refuse_open_solids(&self) -> Result<(), StageError> {
        let is_open = |body: &&StagedBody| body.kind == MeshKind::Surface && body.is_solid();
        let open: Vec<&StagedBody> = self.bodies.iter().filter(is_open).collect();
        let Some(first) = open.first() else { return Ok(()) };
        Err(StageError::OpenSolid(self.name(first.id).to_owned(), open.len()))
    }

    /// The part of every motion between two times of the whole.
    pub fn between(&self, from: f64, to: f64) -> Vec<Move> {
        (0..self.moves.len()).map(|number| self.part(number, from, to)).collect()
    }

    /// The part of one motion between two times of the whole.
    pub fn part(&self, number: usize, from: f64, to: f64) -> Move {
        self.moves[number].clip(from, to)
    }

    /// Returns `true` if two bodies are copies of one mesh at one place: the same triangles, vertex for vertex, in
    /// any order.
    pub fn is_duplicate(&self, pair: [BodyId; 2]) -> bool {
        let found = pair
            .map(|id| self.world.body(id).ok().and_then(|body| Some((body.model().mesh()?, body.pose()))));
        let [Some((a, pose_a)), Some((b, pose_b))] = found else { return false };
        if a.triangle_count() != b.triangle_count() || a.is_empty() {
            return false;
        }
        let is_shared = a.vertices().as_ptr() == b.vertices().as_ptr() && a.triangles() == b.triangles();
        if is_shared && pose_a == pose_b {
            return true;
        }
        let is_equal = pose_a == pose_b;
        let vertices = |mesh: &Mesh, pose: &Pose| {
            // At one pose the vertices themselves are compared: no rounding at all.
            let place = |v: DVec3| if is_equal { v } else { pose.transform_point(v) };
            let key = |v: DVec3| place(v).to_array().map(|x| if x == 0.0 { 0 } else { x.to_bits() });
            let mut all: Vec<[[u64; 3]; 3]> = mesh.iter_triangles().map(|t| t.vertices.map(key)).collect();
            all.iter_mut().for_each(|vertices| vertices.sort_unstable());
            all.sort_unstable();
            all
        };
        vertices(a, &pose_a) == vertices(b, &pose_b)
    }

    /// Bytes of all meshes and their trees, shared ones once.
    pub fn model_bytes(&self) -> usize {
        let mut seen = std::collections::HashSet::new();
        let models = self.world.bodies().map(|(_, body)| body.model());
        let mut new = |mesh: &Mesh| seen.insert((mesh.vertices().as_ptr(), mesh.kind()));
        let new = |model: &&Model| model.mesh().is_none_or(&mut new);
        models.filter(new).map(Model::bytes).sum()
    }
}

/// Prepares all bodies of a scene, in parallel and each mesh once, and puts them into a world with the scene's rules and
/// motions.
///
/// ```
/// use noli_formats::ReadOptions;
/// use noli_project::{StageOptions, load_scene_text, stage};
/// let text = b"[[body]]\nname = 'sphere'\nsphere = { radius = 1 }\n[[body]]\nname = 'floor'\nhalf_space = true\n";
/// let scene = load_scene_text(text, "scene.toml".as_ref(), &ReadOptions::default())?;
/// let staged = stage(&scene, &StageOptions::default())?;
/// let result = staged.world.check(&noli::world::CheckOptions::default())?;
/// assert_eq!(result.findings[0].status, noli::world::PairStatus::Intersecting);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn stage(loaded: &LoadedScene, options: &StageOptions<'_>) -> Result<Staged, StageError> {
    let warnings = loaded.warnings.iter().map(|(path, warning)| format!("{}: {warning}", path.display()));
    let mut warnings: Vec<String> = warnings.collect();
    let (mut world, mut bodies) = (World::default(), Vec::new());
    for (body, model) in loaded.bodies.iter().zip(models(&loaded.bodies, options)?) {
        let id = world.add(body.name.clone(), &model.model, body.pose)?;
        let is_true_shape = !matches!(body.shape, Shape::Mesh(_));
        let kind = model.model.mesh().map_or(MeshKind::Solid, Mesh::kind);
        if kind == MeshKind::Solid && !is_true_shape {
            world.set_watertight(id, model.flaw.is_none())?;
            warnings.extend(model.flaw.map(|flaw| {
                let name = &body.name;
                format!("{name} is taken as a solid, but {flaw}; what is inside it is not well defined")
            }));
        }
        if model.is_collapsed {
            warnings.push(collapse_text(&body.name, &body.look));
        }
        let Prepared { flaw, is_collapsed, turned, .. } = model;
        warnings.extend(turned.iter().map(|(_, text)| format!("{}: {text}", body.name)));
        let said = is_true_shape || body.kind.is_some();
        let look = turned.map_or_else(|| body.look.clone(), |(mesh, _)| mesh);
        let file = match &loaded.scene.bodies[body.entry].shape {
            SceneShape::File { path, .. } => Some(path.clone()),
            _ => None,
        };
        let origin = Origin { file, uncertainty: body.uncertainty, curved: body.curved.clone() };
        let cells = body.cells.clone();
        bodies.push(StagedBody { id, look, is_true_shape, kind, said, flaw, is_collapsed, origin, cells });
    }
    let ids: Vec<BodyId> = bodies.iter().map(|body| body.id).collect();
    attach(loaded, &mut world, &ids)?;
    *world.rules_mut() = loaded.scene.check.rules();
    let seconds = loaded.motions.iter().map(|motion| motion.motion.seconds).fold(0.0, f64::max);
    let mut moves = Vec::new();
    for motion in &loaded.motions {
        let whole = Whole { loaded, motion: &motion.motion, share: motion.motion.seconds / seconds };
        moves.push(whole.of(&motion.bodies, &world, &ids)?);
    }
    let moves = world.join(moves)?;
    let mut removals = Vec::new();
    for (removal, way) in loaded.scene.removals.iter().zip(&loaded.paths) {
        let whole = |way: &LoadedMotion| {
            Whole { loaded, motion: &way.motion, share: 1.0 }.of(&way.bodies, &world, &ids)
        };
        let moving = way.as_ref().map(whole).transpose()?;
        removals.push(StagedRemoval { removal: removal.clone(), moving });
    }
    Ok(Staged { world, bodies, moves, removals, seconds, units: loaded.scene.units, warnings })
}

/// Adds groups and attachments.
fn attach(loaded: &LoadedScene, world: &mut World, ids: &[BodyId]) -> Result<(), WorldError> {
    let mut first_of: HashMap<usize, BodyId> = HashMap::new();
    for (body, &id) in loaded.bodies.iter().zip(ids) {
        first_of.entry(body.entry).or_insert(id);
    }
    for (body, &id) in loaded.bodies.iter().zip(ids) {
        if let Some(group) = body.group {
            world.set_group(id, loaded.scene.groups[group].name.clone())?;
        }
        let parent = loaded.scene.bodies[body.entry].parent;
        if let Some(&parent) = parent.and_then(|parent| first_of.get(&parent)) {
            world.attach(id, parent)?;
        }
    }
    Ok(())
}

/// A prepared model, and why its mesh bounds no solid.
#[derive(Clone, Debug)]
struct Prepared {
    model: Model,
    flaw: Option<SolidFlaw>,
    is_collapsed: bool,
    /// Its mesh with faces turned round, and a sentence about these.
    turned: Option<(Mesh, String)>,
}

/// Key of a model: bodies with equal keys share one.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    /// A mesh by its address in memory, and the interpretation of its faces.
    Mesh(*const DVec3, *const [u32; 3], TakeAs),
    /// A true shape cannot be identified, so each body has its own.
    Body(usize),
}

/// The model of every body.
fn models(bodies: &[LoadedBody], options: &StageOptions<'_>) -> Result<Vec<Prepared>, StageError> {
    let mut numbers: HashMap<Key, usize> = HashMap::new();
    let mut firsts: Vec<(&LoadedBody, TakeAs)> = Vec::new();
    let mut model_of = Vec::with_capacity(bodies.len());
    for (number, body) in bodies.iter().enumerate() {
        let take_as = match body.kind {
            None => options.take_as,
            Some(MeshKind::Solid) => TakeAs::Solid,
            Some(MeshKind::Surface) => TakeAs::Surface,
        };
        let key = match &body.shape {
            Shape::Mesh(mesh) => Key::Mesh(mesh.vertices().as_ptr(), mesh.triangles().as_ptr(), take_as),
            _ => Key::Body(number),
        };
        model_of.push(*numbers.entry(key).or_insert_with(|| {
            firsts.push((body, take_as));
            firsts.len() - 1
        }));
    }
    let begun = AtomicUsize::new(0);
    let prepare = |&(body, take_as): &(&LoadedBody, TakeAs)| {
        if let Some(progress) = options.progress {
            progress(begun.fetch_add(1, Relaxed) + 1, firsts.len());
        }
        prepare(body, take_as)
    };
    // Collected first, so that of several errors the same one is reported every time.
    let models = map(&firsts, prepare).into_iter().collect::<Result<Vec<Prepared>, StageError>>()?;
    Ok(model_of.into_iter().map(|model| models[model].clone()).collect())
}

fn prepare(body: &LoadedBody, take_as: TakeAs) -> Result<Prepared, StageError> {
    let model = match &body.shape {
        Shape::Mesh(mesh) => {
            let TakenMesh { kind, flaw, is_collapsed } = TakenMesh::new(mesh, take_as);
            if take_as == TakeAs::Auto
                && flaw == Some(SolidFlaw::Sides)
                && let Some(found) = oriented(mesh).ok().flatten()
                && found.mesh.report().flaw().is_none()
            {
                let text = found.said();
                let body = LoadedBody { shape: found.mesh.clone().into(), ..body.clone() };
                return Ok(Prepared { turned: Some((found.mesh, text)), ..prepare(&body, take_as)? });
            }
            let mesh = mesh.clone().with_kind(kind);
            return Ok(Prepared { model: Model::from(&mesh), flaw, is_collapsed, turned: None });
        }
        shape => Model::new(shape.clone()),
    };
    let model = model.map_err(|error| StageError::Shape(body.name.clone(), error))?;
    Ok(Prepared { model, flaw: None, is_collapsed: false, turned: None })
}

/// A motion of the scene, over a share of the whole time.
struct Whole<'s> {
    loaded: &'s LoadedScene,
    motion: &'s SceneMotion,
    share: f64,
}

/// Frame in which a path is given, and frame of the mover.
struct Frame {
    /// The parent of the body, or the world.
    world_from_parent: Pose,
    /// The body at the start; the world for a group.
    world_from_mover: Pose,
}

impl Whole<'_> {
    /// Creates the move of bodies and their attached objects.
    fn of(&self, bodies: &[usize], world: &World, ids: &[BodyId]) -> Result<Move, StageError> {
        let scene = &self.loaded.scene;
        let hung = |entry: usize, world_from_mover: Pose| {
            let parent = scene.bodies[entry].parent;
            let world_from_parent = parent.map_or(Pose::IDENTITY, |parent| scene.world_pose(parent));
            Frame { world_from_parent, world_from_mover }
        };
        let free = Frame { world_from_parent: Pose::IDENTITY, world_from_mover: Pose::IDENTITY };
        let (name, frame) = match &self.motion.mover {
            &Mover::Body(entry) => (&scene.bodies[entry].name, hung(entry, scene.world_pose(entry))),
            Mover::Part(name) => {
                let part = bodies.first().map(|&part| &self.loaded.bodies[part]);
                (name, part.map_or(free, |part| hung(part.entry, part.pose)))
            }
            &Mover::Group(group) => (&scene.groups[group].name, free),
        };
        let mut members = Vec::new();
        for &body in bodies {
            members.extend(world.with_descendants(ids[body])?);
        }
        members.sort_unstable();
        members.dedup();
        let mut parts: Vec<(BodyId, Arc<dyn Motion>)> = Vec::new();
        for id in members {
            let motion = frame.motion(self.motion, world.body(id)?.pose(), name)?;
            // What takes a share of the whole time rests for the remainder.
            let early = |motion| Arc::new(Clip::new(motion, 0.0, 1.0 / self.share)) as Arc<dyn Motion>;
            parts.push((id, if self.share < 1.0 { early(motion) } else { motion }));
        }
        Ok(Move::rigid(name.clone(), parts))
    }
}

impl Frame {
    /// The motion of a member of the mover that begins at `start`.
    fn motion(&self, motion: &SceneMotion, start: Pose, name: &str) -> Result<Arc<dyn Motion>, StageError> {
        let is_mover = start == self.world_from_mover;
        let mover_from_member =
            if is_mover { Pose::IDENTITY } else { self.world_from_mover.inverse() * start };
        let frame = &self.world_from_parent;
        let when = |parent_from_mover: &Pose| *frame * *parent_from_mover * mover_from_member;
        let point = |point: DVec3| mover_from_member.inverse().transform_point(point);
        Ok(match &motion.path {
            MotionPath::Straight { from, to, pivot, turning } => {
                let start = from.as_ref().map_or(start, when);
                let (end, pivot) = (when(to), point(*pivot));
                Arc::new(match turning {
                    Turning::Slerp => RigidMotion::between(&start, &end, pivot),
                    Turning::Nlerp => RigidMotion::nlerp_between(&start, &end, pivot),
                })
            }
            MotionPath::Screw { point, axis, angle_rad, advance } => {
                let (point, axis) = (frame.transform_point(*point), frame.transform_vector(*axis));
                Arc::new(RigidMotion::screw(&start, point, axis, *angle_rad, *advance))
            }
            MotionPath::Velocity { linear, angular_rad, pivot } => {
                let [linear, angular] =
                    [linear, angular_rad].map(|v| frame.transform_vector(*v) * motion.seconds);
                Arc::new(RigidMotion::with_velocities(&start, linear, angular, point(*pivot)))
            }
            MotionPath::KeyFrames { keys, pivot, turning } => {
                let keys: Vec<(f64, Pose)> = keys.iter().map(|key| (key.time, when(&key.pose))).collect();
                let frames = KeyFrames::new(&keys, point(*pivot), *turning);
                Arc::new(frames.map_err(|error| StageError::Motion(name.to_owned(), error))?)
            }
            MotionPath::PoseList { .. } => return Err(StageError::NotLoaded(name.to_owned())),
        })
    }
}
