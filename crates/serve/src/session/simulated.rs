//! Contact and dynamics, recorded or simulated now: moving bodies, and forces as arrows.

use super::cast::Cast;
use super::{Session, Trouble, numbers_of, pose_of_numbers};
use crate::number::count;
use crate::protocol::{PlayView, TrackView};
use glam::DVec3;
use noli::World;
use noli::query::{Clock, SteadyClock};
use noli::world::BodyId;
use noli_formats::ReadOptions;
use noli_pages::words;
use noli_project::{
    SimulationError, SimulationOptions, SimulationReport, SimulationSetup, Watch, simulate_contact,
    simulate_dynamics,
};
use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Length of the longest arrow on the page, for a scene of size 100.
const LONGEST: f64 = 15.0;
/// The largest recording that is read.
const LARGEST: u64 = 256 << 20;
/// Maximum number of arrows sent.
const MOST_FORCES: usize = 60_000;

/// Returns `true` if a file begins like a recording of a simulation.
pub(super) fn is_recording(path: &Path) -> bool {
    if path.extension().is_none_or(|extension| extension != "json") || !path.is_file() {
        return false;
    }
    let mut start = [0; 256];
    let read = std::fs::File::open(path).and_then(|mut file| file.read(&mut start));
    read.is_ok_and(|count| String::from_utf8_lossy(&start[..count]).contains("\"noli_simulation\""))
}

impl Session {
    /// Returns the available and the recorded simulations.
    pub(super) fn simulations(&self) -> Vec<PlayView> {
        let play = |name: &str, title: String| PlayView { name: name.to_owned(), title };
        let mut plays = Vec::new();
        if self.scene_file.is_some() && self.cell.is_none() {
            if !self.staged.moves.is_empty() {
                plays.push(play("contact", "The motions, sliding along what they meet".to_owned()));
            }
            if self.falls {
                plays.push(play("dynamics", "Everything that is not fixed falls and bounces".to_owned()));
            }
        }
        if self.cell.is_none() {
            let files = self.files_by(is_recording).into_iter();
            plays.extend(files.map(|file| play(&format!("recording {file}"), format!("Recording {file}"))));
        }
        plays
    }
}

pub(super) fn read(path: &Path, world: &World, cast: &Cast) -> Result<TrackView, Trouble> {
    let wrong = |why: String| Trouble::new(why, "record it again with noli play --record");
    if path.metadata().map_err(|error| wrong(error.to_string()))?.len() > LARGEST {
        return Err(wrong("this recording is too large".to_owned()));
    }
    let bytes = noli_formats::bytes_of(path).map_err(|error| wrong(error.to_string()))?;
    let report: SimulationReport =
        serde_json::from_slice(&bytes).map_err(|error| wrong(format!("this is no recording: {error}")))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    track(&report, format!("Recording {name}"), world, cast)
}

pub(super) fn simulate(
    scene: &Path,
    dynamics: bool,
    (world, cast): (&World, &Cast),
    cancel: &AtomicBool,
    progress: &dyn Fn(f64),
) -> Result<Option<TrackView>, Trouble> {
    let told = |why: String| Trouble::new(why, "change the scene file");
    let loaded =
        noli_project::load_scene(scene, &ReadOptions::default()).map_err(|error| told(error.to_string()))?;
    let setup = SimulationSetup::of_scene("scene", &loaded).map_err(|error| told(error.to_string()))?;
    let (clock, frames) = (SteadyClock::start(), f64::from(setup.frames.max(1)));
    let frame = |number: u32| {
        progress(f64::from(number) / frames);
        if cancel.load(Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let watch = Watch { clock: &|| clock.now().as_secs_f64() * 1e3, frame: &frame };
    let options = SimulationOptions::default();
    let run = if dynamics { simulate_dynamics } else { simulate_contact };
    let report = match run(&setup, &options, &watch) {
        Err(SimulationError::Stopped) => return Ok(None),
        found => found.map_err(|error| told(error.to_string()))?,
    };
    let title = if dynamics { "Falling and bouncing" } else { "Sliding along what is met" };
    track(&report, title.to_owned(), world, cast).map(Some)
}

/// Returns a simulation as a motion to show. Bodies no longer in the scene are omitted.
pub(super) fn track(
    report: &SimulationReport,
    title: String,
    world: &World,
    cast: &Cast,
) -> Result<TrackView, Trouble> {
    let known = moving_bodies(report, world, cast)?;
    let poses = shown_poses(report, &known, cast)?;
    let seconds = report.frames.last().map_or(report.seconds, |frame| frame.time).max(1e-6);
    let times =
        std::iter::once(0.0).chain(report.frames.iter().map(|frame| (frame.time / seconds).clamp(0.0, 1.0)));
    let summary = &report.summary;
    let held: Vec<&str> =
        summary.groups.iter().filter(|group| !group.reached).map(|group| group.name.as_str()).collect();
    let end = match (report.mode.as_str(), held.is_empty()) {
        ("dynamics", _) => words::plural(count(summary.impacts), "impact", "impacts"),
        (_, true) => "every motion reached its end".to_owned(),
        (_, false) => format!("{} held back by contact", held.join(", ")),
    };
    let (forces, longest) = arrows(report, cast);
    Ok(TrackView {
        title,
        verdict: format!(
            "{end}; {}, at most {} at a time; {}",
            words::plural(count(summary.penetrations), "penetration", "penetrations"),
            words::plural(summary.contacts_most, "contact", "contacts"),
            words::time_lost(summary.time_lost)
        ),
        free: summary.penetrations == 0 && held.is_empty(),
        seconds,
        times: times.collect(),
        bodies: known.iter().filter_map(|(_, id)| cast.number(*id)).collect(),
        poses,
        forces,
        longest,
        ..TrackView::default()
    })
}

/// Returns the bodies of the scene that are ever elsewhere than there, with their places in the recording.
fn moving_bodies(
    report: &SimulationReport,
    world: &World,
    cast: &Cast,
) -> Result<Vec<(usize, BodyId)>, Trouble> {
    let names = report.bodies.iter().enumerate();
    let mut known: Vec<_> = names.filter_map(|(place, name)| Some((place, cast.named(name)?))).collect();
    if known.is_empty() {
        return Err(Trouble::new("no body of the recording is in this scene", "open the scene it is of"));
    }
    known.retain(|&(place, id)| {
        let stands = world.body(id).ok().map(|body| numbers_of(&body.pose()));
        let is_elsewhere = |poses: &Vec<[f64; 7]>| poses.get(place).copied() != stands;
        is_elsewhere(&report.start) || report.frames.iter().any(|frame| is_elsewhere(&frame.poses))
    });
    Ok(known)
}

/// Returns the poses of bodies at the start and in all frames.
fn shown_poses(
    report: &SimulationReport,
    bodies: &[(usize, BodyId)],
    cast: &Cast,
) -> Result<Vec<f32>, Trouble> {
    let start = std::iter::once(&report.start);
    let mut poses = Vec::new();
    for all in start.chain(report.frames.iter().map(|frame| &frame.poses)) {
        for &(place, id) in bodies {
            let numbers = all.get(place).ok_or_else(|| {
                Trouble::new("a frame of the recording has too few poses", "record it again")
            })?;
            let pose = pose_of_numbers(numbers);
            if !pose.is_valid() {
                return Err(Trouble::new("the recording holds an invalid pose", "record it again"));
            }
            poses.extend(cast.numbers(id, &pose));
        }
    }
    Ok(poses)
}

/// The number of a picture, and both ends of an arrow in it.
type Arrow = (usize, [f32; 3], [f32; 3]);

/// Returns the forces as arrows with the numbers of their pictures, and the largest force as text.
fn arrows(report: &SimulationReport, cast: &Cast) -> (Vec<Arrow>, String) {
    let length = |force: &[f64; 3]| DVec3::from(*force).length();
    let all = report.frames.iter().flat_map(|frame| &frame.forces).map(|force| length(&force.force));
    let most = all.filter(|force| force.is_finite()).fold(0.0, f64::max);
    let arrows = (1..).zip(&report.frames).flat_map(|(number, frame)| {
        frame.forces.iter().filter(|force| length(&force.force) > 1e-9 * most).map(move |force| {
            let from = DVec3::from(cast.view.point(force.point.into()));
            let to = from + DVec3::from(force.force) * (LONGEST / most);
            (number, from.as_vec3().to_array(), to.as_vec3().to_array())
        })
    });
    let longest = if most > 0.0 { words::short(most) } else { String::new() };
    (arrows.take(MOST_FORCES).collect(), longest)
}
