//! Swept volumes: computed as long work, shown in all tabs, exported, and added as bodies.

use super::bodies::Drawn;
use super::cell::ProgramRun;
use super::{Answer, Session, ShapeSource, To, Trouble, pose_of_numbers};
use crate::protocol::{Event, SweptView};
use noli::motion::{Motion, Still};
use noli::query::{Clock, SteadyClock};
use noli::world::BodyId;
use noli::{Mesh, Model, Pose};
use noli_formats::{GltfBody, Kernel, MeshFormat, NamedMesh, Units};
use noli_geom::Carried;
use noli_pages::shape::middle_of;
use noli_plan::TimedPath;
use noli_program::run::RunOptions;
use noli_project::Staged;
use noli_project::cell::{LoadedCell, RobotProgram};
use noli_robot::GeometryKind;
use noli_robot::cell::{CellBuilder, Part, PartKind};
use noli_sweep::{ArmSweep, SweepError, SweepOptions, SweepWatch, SweptBody, SweptVolume, sweep_watched};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, PoisonError, RwLock};

/// The swept volume that is shown, which requests read while the session goes on.
pub(crate) type SharedSwept = Arc<RwLock<Option<ShownSwept>>>;

/// A swept volume with what tabs need of it.
#[derive(Clone, Debug)]
pub(crate) struct ShownSwept {
    pub(crate) view: SweptView,
    pub(crate) source: ShapeSource,
    pub(crate) units: Units,
    /// Names of the bodies that sweep it.
    moving: Vec<String>,
}

/// Triangles of a volume that pages can draw, and cells of the octree at most.
const MOST_TRIANGLES: usize = 2_000_000;
const MOST_CELLS: usize = 8_000_000;
/// Bodies whose pairs with their own volume are disabled when it is added.
const MOST_DISABLED: usize = 50;

/// A motion whose volume is computed.
#[derive(Debug)]
pub(super) struct SweepJob {
    title: String,
    of: Source,
    error: Option<f64>,
    units: Units,
}

#[derive(Debug)]
enum Source {
    /// Bodies of a scene, and the largest distance of their triangles from the true surfaces.
    Bodies(Vec<(String, Model, Arc<dyn Motion>)>, f64),
    /// The program of a cell.
    Program(Box<ProgramRun>),
}

/// A computed swept volume.
#[derive(Debug)]
pub struct ComputedSwept {
    title: String,
    mesh: Mesh,
    error: f64,
    volume: [f64; 2],
    seconds: f64,
    units: Units,
    moving: Vec<String>,
}

impl Session {
    /// Returns the motion whose volume is computed: of a body on a path, of a kept path or the motions of the scene by name,
    /// or of the program of a cell.
    pub(super) fn sweep_job(
        &self,
        (body, path): (Option<usize>, &[[f64; 7]]),
        name: Option<&str>,
        error: Option<f64>,
    ) -> Result<SweepJob, Trouble> {
        if error.is_some_and(|error| !(error > 0.0 && error.is_finite())) {
            return Err(Trouble::new("this is no error of a volume", "give a length above 0"));
        }
        let (title, of) = match (body, name) {
            _ if self.has_cell() => ("the program".to_owned(), Source::Program(self.program_run()?)),
            (Some(body), None) => {
                let poses = path
                    .iter()
                    .map(|&[x, y, z, qx, qy, qz, qw]| self.pose_from_page(body, [x, y, z], [qx, qy, qz, qw]));
                let poses = poses.collect::<Result<Vec<Pose>, _>>()?;
                (self.entry(body)?.name.clone(), self.on_path(self.id(body)?, &poses)?)
            }
            (None, Some("motions")) => {
                let parts = self.staged.moves.iter().flat_map(|one| one.parts());
                let moving = parts.map(|(id, motion)| (id, motion.clone())).collect();
                ("the motions of the scene".to_owned(), self.moving(moving)?)
            }
            (None, Some(name)) => {
                let none = || Trouble::new(format!("there is no path {name}"), "choose one of the list");
                let path = self.paths.get(name).ok_or_else(none)?;
                let body = self.named(&path.part).ok_or_else(none)?;
                let poses: Vec<Pose> = path.keys.iter().map(pose_of_numbers).collect();
                (name.to_owned(), self.on_path(self.id(body)?, &poses)?)
            }
            _ => return Err(Trouble::new("nothing moves", "record a path of a body, or choose a motion")),
        };
        Ok(SweepJob { title, of, error, units: self.staged.units })
    }

    /// A body on a path, with the bodies that are attached to it.
    fn on_path(&self, id: BodyId, poses: &[Pose]) -> Result<Source, Trouble> {
        const MOST: usize = 5000;
        if poses.len() < 2 || poses.len() > MOST {
            return Err(Trouble::new("invalid path", format!("record from 2 to {MOST} places")));
        }
        let (motion, world) = (self.keyed(id, poses)?, &self.staged.world);
        let start = world.body(id)?.pose();
        let mut moving: Vec<(BodyId, Arc<dyn Motion>)> = Vec::new();
        for one in world.with_descendants(id)? {
            let own = Arc::new(Still(world.body(one)?.pose()));
            let carried: Arc<dyn Motion> = Arc::new(Carried::new(start, motion.clone(), own));
            moving.push((one, if one == id { motion.clone() } else { carried }));
        }
        self.moving(moving)
    }

    fn moving(&self, moving: Vec<(BodyId, Arc<dyn Motion>)>) -> Result<Source, Trouble> {
        let (mut bodies, mut deviation) = (Vec::new(), 0.0);
        for (id, motion) in moving {
            let body = self.staged.world.body(id)?;
            deviation = f64::max(deviation, deviation_of(&self.staged, id)?);
            bodies.push((body.name().to_owned(), body.model().clone(), motion));
        }
        if bodies.is_empty() {
            return Err(Trouble::new("nothing moves in this scene", "record a path of a body"));
        }
        Ok(Source::Bodies(bodies, deviation))
    }

    /// Shows a volume in all tabs.
    pub(super) fn show_swept(&mut self, swept: ComputedSwept, answer: &mut Answer) {
        let ComputedSwept { title, mesh, error, volume, seconds, units, moving } = swept;
        let (middle, triangles) = (middle_of(&mesh), mesh.triangles().len());
        self.swept_number = self.swept_number.saturating_add(1);
        let (number, at) = (self.swept_number, self.view.point(middle));
        let view = SweptView { number, title, error, volume, triangles, seconds, at };
        let source = ShapeSource { mesh, drawn: Drawn::Mesh, middle, scale: self.view.scale };
        *self.swept.write().unwrap_or_else(PoisonError::into_inner) =
            Some(ShownSwept { view, source, units, moving });
        answer.tell(To::All, self.swept_event());
    }

    /// Hides the volume.
    pub(super) fn forget_swept(&mut self, answer: &mut Answer) {
        *self.swept.write().unwrap_or_else(PoisonError::into_inner) = None;
        answer.tell(To::All, self.swept_event());
    }

    /// The volume that is shown, for the page.
    pub(super) fn swept_view(&self) -> Option<SweptView> {
        self.shown_swept().ok().map(|shown| shown.view)
    }

    fn swept_event(&self) -> Event {
        Event::Swept { swept: self.swept_view() }
    }

    fn shown_swept(&self) -> Result<ShownSwept, Trouble> {
        let shown = self.swept.read().unwrap_or_else(PoisonError::into_inner).clone();
        shown.ok_or_else(|| Trouble::new("there is no swept volume", "compute one first"))
    }

    /// Writes the volume to a new file of the folder; its name, and the names of the bodies that sweep it.
    pub(super) fn swept_file(&self) -> Result<(String, Vec<String>), Trouble> {
        let ShownSwept { view, source, moving, .. } = self.shown_swept()?;
        Ok((self.new_mesh_file(&format!("swept {}", view.title), source.mesh)?, moving))
    }

    /// Adds the volume as a body where it is. Its pairs with the bodies that sweep it are disabled: they are within it.
    pub(super) fn add_swept(&mut self, answer: &mut Answer) -> Result<(), Trouble> {
        let (file, moving) = self.swept_file()?;
        let name = self.add_file_in_place(&file, answer)?;
        let body = self.named(&name);
        for other in moving.iter().take(MOST_DISABLED) {
            if let (Some(body), Some(other)) = (body, self.named(other)) {
                self.set_pair(body, other, Some(false), answer)?;
            }
        }
        self.forget_swept(answer);
        Ok(())
    }
}

/// The largest distance of the triangles of a body from its curved surfaces; an error if none is proven.
fn deviation_of(staged: &Staged, id: BodyId) -> Result<f64, Trouble> {
    let Some(body) = staged.bodies.iter().find(|body| body.id == id) else { return Ok(0.0) };
    let origin = &body.origin;
    if origin.uncertainty > 0.0 && !(origin.curved.is_some() && origin.uncertainty.is_finite()) {
        let text =
            format!("the triangles of {} are not within a proven distance of its surfaces", staged.name(id));
        return Err(Trouble::new(text, "export it as a STEP file that noli reads by itself, or as STL"));
    }
    Ok(origin.uncertainty)
}

impl SweepJob {
    /// Returns a short description.
    pub(super) fn words(&self) -> String {
        format!("Sweeping {}", self.title)
    }

    /// Computes the volume; `None` if it was cancelled.
    pub(super) fn run(
        self,
        cancel: &AtomicBool,
        progress: &(dyn Fn(f64) + Sync),
    ) -> Result<Option<ComputedSwept>, Trouble> {
        let Self { title, of, error, units } = self;
        let (clock, watch) = (SteadyClock::start(), SweepWatch { cancel, progress });
        let (moving, swept) = match of {
            Source::Bodies(bodies, deviation) => {
                let swept: Vec<SweptBody<'_>> =
                    bodies.iter().map(|(_, model, motion)| SweptBody { model, motion: &**motion }).collect();
                let volume = volume_of(&swept, (error, deviation), &watch);
                (bodies.iter().map(|(name, ..)| name.clone()).collect(), volume)
            }
            Source::Program(program) => of_program(*program, error, &watch)?,
        };
        let told = |error: SweepError| Trouble::new(error.to_string(), "give a larger error");
        let volume = match swept {
            Err(SweepError::Cancelled) => return Ok(None),
            swept => swept.map_err(told)?,
        };
        let mesh = volume.outer_mesh().map_err(told)?;
        if mesh.triangles().len() > MOST_TRIANGLES {
            let text = format!("the volume has {} triangles, which no page draws", mesh.triangles().len());
            return Err(Trouble::new(text, "give a larger error"));
        }
        Ok(Some(ComputedSwept {
            title,
            mesh,
            error: volume.error(),
            volume: [volume.inner_volume(), volume.outer_volume()],
            seconds: clock.now().as_secs_f64(),
            units,
            moving,
        }))
    }
}

fn volume_of(
    bodies: &[SweptBody<'_>],
    (error, deviation): (Option<f64>, f64),
    watch: &SweepWatch<'_>,
) -> Result<SweptVolume, SweepError> {
    let mut options = match error {
        Some(error) => SweepOptions::new(error),
        None => SweepOptions::fitting(bodies, deviation).ok_or(SweepError::Empty)?,
    };
    (options.cells, options.deviation) = (MOST_CELLS, deviation);
    sweep_watched(bodies, &options, watch)
}

/// The volume of a robot in its program, with everything that it holds at some time; the names of its parts.
fn of_program(
    program: ProgramRun,
    error: Option<f64>,
    watch: &SweepWatch<'_>,
) -> Result<(Vec<String>, Result<SweptVolume, SweepError>), Trouble> {
    let (cell, source) = program.into_parts();
    let told =
        |error: &dyn std::fmt::Display| Trouble::new(error.to_string(), "mend the program or the cell");
    let options = RunOptions { profile: 0, blend: cell.blend, ..RunOptions::default() };
    let run = noli_program::run::run(&cell.work, &source.programs, &source.main, &options)
        .map_err(|error| told(&error))?;
    if run.driven.is_empty() {
        return Err(Trouble::new("nothing moved", "let the program reach a motion, such as MOVE"));
    }
    let program = RobotProgram { cell, source, prefix: String::new(), start: 0.0, run };
    let mut builder = CellBuilder::default();
    program.add_to(&mut builder).map_err(|error| told(&error))?;
    if let Some(file) = cad_file(&program.cell, builder.parts()) {
        let text =
            format!("{file} is a CAD file, and the triangles in place of its surfaces do not enclose it");
        return Err(Trouble::new(text, "export it as STL, grown by its chordal deviation"));
    }
    let (curve, built) = (program.path().map_err(|error| told(&error))?, builder.build());
    let is_moved = |holder: PartKind| !matches!(holder, PartKind::World);
    let moving = built.parts().iter().filter(|part| is_moved(part.holder)).map(|part| part.name.clone());
    let moving = moving.collect();
    let arm = match ArmSweep::new(&built, &curve) {
        Ok(arm) => arm,
        Err(error) => return Ok((moving, Err(error))),
    };
    Ok((moving, volume_of(&arm.bodies(), (error, 0.0), watch)))
}

/// A CAD file among those of the links, or among all files where the robot holds parts.
fn cad_file(cell: &LoadedCell, parts: &[Part]) -> Option<String> {
    let is_cad = |file: &Path| Kernel::of(file).is_some();
    let shapes = cell.work.robot.links().iter().flat_map(|link| link.collision.iter().chain(&link.visual));
    let mut meshes = shapes.filter_map(|shape| match &shape.form {
        GeometryKind::Mesh { file, .. } => Some(file.clone()),
        _ => None,
    });
    let of_links = meshes.find(|file| is_cad(Path::new(file)));
    let holds = parts.iter().any(|part| matches!(part.holder, PartKind::Carried { .. }));
    let held = || cell.inputs.iter().find(|file| holds && is_cad(file));
    of_links.or_else(|| held().map(|file| file.display().to_string()))
}

impl ShownSwept {
    /// The mesh as a file of a format: `obj`, `stl` or `glb`, which is in metres.
    pub(crate) fn file(&self, extension: &str) -> Result<Vec<u8>, String> {
        let mesh = &self.source.mesh;
        let told = |error: noli_formats::FileError| error.reason;
        if extension == "glb" {
            let scaled =
                mesh.scaled(self.units.convert(1.0, Units::Metre)).map_err(|error| error.to_string())?;
            let body = GltfBody { name: "swept", mesh: &scaled, pose: Pose::IDENTITY };
            return noli_formats::write_gltf(&[body], None).map_err(told);
        }
        let format = if extension == "stl" { MeshFormat::Stl } else { MeshFormat::Obj };
        let object = NamedMesh { name: "swept".to_owned(), mesh: mesh.clone() };
        noli_formats::write_bytes(format, &[object]).map_err(told)
    }
}
