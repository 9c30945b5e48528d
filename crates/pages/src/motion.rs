//! The page of a motion: its contacts, and a time line.

use crate::scene::PageScene;
use crate::shape::{Drawing, Up, View, encode, middle_of};
use crate::{Page, PageData, PairView, words};
use noli::Pose;
use noli::motion::Motion;
use noli::world::Move;
use noli_project::report::{AfterStart, ImpactKind, ImpactReport};
use noli_project::{Recording, SimulationReport};
use serde::Serialize;
use std::sync::Arc;

/// Poses of all moving bodies at sampled times.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// The times, from 0 to 1, rising.
    pub times: Vec<f64>,
    /// The numbers of the bodies.
    pub bodies: Vec<usize>,
    /// Their poses at every time, in the order of bodies.
    pub poses: Vec<Vec<Pose>>,
}

impl Track {
    /// Creates a track from a recording, starting at the poses before it.
    pub fn of_recording(recording: &Recording, before: &[Pose]) -> Self {
        let time =
            |frame: &noli_project::Frame| f64::from(frame.number + 1) / f64::from(recording.frame_count);
        Self::of_poses(before, recording.frames.iter().map(|frame| (time(frame), &frame.poses[..])))
    }

    /// Creates a track from a simulation.
    pub fn of_simulation(report: &SimulationReport) -> Self {
        let before: Vec<Pose> = report.start.iter().map(place).collect();
        let seconds = report.frames.last().map_or(1.0, |frame| frame.time).max(f64::MIN_POSITIVE);
        Self::of_poses(&before, report.frames.iter().map(|frame| (frame.time / seconds, &frame.poses[..])))
    }

    /// Creates a track from the poses before a motion and those of its frames. Bodies that never move are omitted.
    fn of_poses<'f>(before: &[Pose], frames: impl Iterator<Item = (f64, &'f [[f64; 7]])> + Clone) -> Self {
        let moves = |&body: &usize| {
            let is_moved =
                |(_, poses): (f64, &[[f64; 7]])| poses.get(body).map(place) != before.get(body).copied();
            frames.clone().any(is_moved)
        };
        let bodies: Vec<usize> = (0..before.len()).filter(moves).collect();
        let mut track = Self { times: vec![0.0], poses: vec![Vec::new()], bodies };
        track.poses[0].extend(track.bodies.iter().map(|&body| before[body]));
        for (time, poses) in frames {
            track.times.push(time);
            let now = |&body: &usize| poses.get(body).map_or(before[body], place);
            track.poses.push(track.bodies.iter().map(now).collect());
        }
        track
    }

    /// Creates a track from the poses of all bodies at rising times, the first of which are those of the start. Bodies that
    /// never move are omitted.
    pub fn of_frames(times: Vec<f64>, poses: &[Vec<Pose>]) -> Self {
        let count = poses.first().map_or(0, Vec::len);
        let moves = |&body: &usize| poses.iter().any(|frame| frame.get(body) != poses[0].get(body));
        let bodies: Vec<usize> = (0..count).filter(moves).collect();
        let poses = poses.iter().map(|frame| bodies.iter().map(|&body| frame[body]).collect()).collect();
        Self { times, bodies, poses }
    }

    /// Creates a track of whole motions, regardless of contacts.
    pub fn of_moves(moves: &[Move], moments: u32) -> Self {
        let parts: Vec<(usize, &Arc<dyn Motion>)> =
            moves.iter().flat_map(Move::parts).map(|(id, motion)| (id.index() as usize, motion)).collect();
        let times: Vec<f64> = (0..=moments).map(|k| f64::from(k) / f64::from(moments.max(1))).collect();
        let poses = times.iter().map(|&t| parts.iter().map(|(_, motion)| motion.pose(t)).collect()).collect();
        Self { times, bodies: parts.iter().map(|(body, _)| *body).collect(), poses }
    }
}

fn place(pose: &[f64; 7]) -> Pose {
    let [x, y, z, qx, qy, qz, qw] = *pose;
    Pose { translation: glam::DVec3::new(x, y, z), rotation: glam::DQuat::from_xyzw(qx, qy, qz, qw) }
}

/// Clearance at a time of the path.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Room {
    /// From 0 to 1.
    pub time: f64,
    /// Distance to the nearest other body.
    pub clearance: f64,
    /// The body at that distance.
    pub to: String,
}

/// A quantity over time, drawn above the time line.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Curve {
    /// Its name, such as `clearance`.
    pub name: String,
    /// Unit of its values; empty if they have none.
    pub unit: String,
    /// `true` if a value holds until the next one; otherwise they are joined by lines.
    pub steps: bool,
    /// Times from 0 to 1, rising, with their values.
    pub points: Vec<[f64; 2]>,
    /// A word on each point, such as the nearest body; or none at all.
    pub notes: Vec<String>,
}

impl Curve {
    /// Creates a curve of points joined by lines.
    pub fn new(name: &str, unit: &str, points: Vec<[f64; 2]>) -> Self {
        Self { name: name.to_owned(), unit: unit.to_owned(), points, ..Self::default() }
    }

    /// Creates a curve whose values hold until the next.
    pub fn of_steps(name: &str, points: Vec<[f64; 2]>) -> Self {
        Self { name: name.to_owned(), steps: true, points, ..Self::default() }
    }

    /// Creates the curve of the clearance along a path; `None` if it is not known at two times.
    pub fn of_room(room: &[Room], unit: &str) -> Option<Self> {
        let known: Vec<&Room> = room.iter().filter(|room| room.clearance.is_finite()).collect();
        let points = known.iter().map(|room| [room.time, room.clearance]).collect();
        let notes = known.iter().map(|room| format!("to {}", room.to)).collect();
        (known.len() > 1).then(|| Self { notes, ..Self::new("clearance", unit, points) })
    }
}

/// Contact points at one of the times of a track.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactPoints {
    /// From 0 to 1.
    pub time: f64,
    /// Contact points at that time.
    pub points: Vec<[f64; 3]>,
}

/// A step of a program or plan, listed below the contacts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PageStep {
    /// Begin, from 0 to 1.
    pub time: f64,
    /// Its number or line.
    pub label: String,
    /// Its text.
    pub text: String,
    /// A result in a few words.
    pub note: String,
    /// `true` if it was stopped by a contact.
    pub hit: bool,
}

/// Returns the first contact of every pair of bodies in a recording; times are from 0 to 1 of the whole.
pub fn first_impacts(recording: &Recording) -> Vec<ImpactReport> {
    let mut impacts: Vec<ImpactReport> = Vec::new();
    for (frame, hit) in
        recording.frames.iter().flat_map(|frame| frame.hits.iter().map(move |hit| (frame, hit)))
    {
        if !impacts.iter().any(|known| known.a == hit.a && known.b == hit.b) {
            let safe_until = frame.time + hit.safe_until / f64::from(recording.frame_count);
            impacts.push(ImpactReport { safe_until, ..hit.clone() });
        }
    }
    impacts
}

/// Contents of a motion page.
#[derive(Clone, Copy, Debug)]
pub struct MotionPage<'a> {
    /// The bodies where they begin.
    pub scene: &'a PageScene,
    /// Its name.
    pub title: &'a str,
    /// The result in a few words.
    pub outcome: &'a str,
    /// A few more below the table.
    pub summary: &'a str,
    /// Contacts; times are from 0 to 1 of the whole.
    pub impacts: &'a [ImpactReport],
    /// Poses over time.
    pub track: &'a Track,
    /// Quantities over time.
    pub curves: &'a [Curve],
    /// Contact points over time.
    pub contacts: &'a [ContactPoints],
    /// Steps of a program.
    pub steps: &'a [PageStep],
    /// Up axis.
    pub up: Up,
}

/// Times and poses for the script.
#[derive(Serialize)]
pub(crate) struct PagePlay {
    seconds: f64,
    times: Vec<f64>,
    bodies: Vec<usize>,
    poses: String,
    curves: Vec<Curve>,
    /// Times of contacts, and the number of points at each.
    contacts: Vec<(f64, usize)>,
    /// All contact points: base64 of 32-bit numbers.
    contact_points: String,
    steps: Vec<PageStep>,
}

/// Renders a page with the contacts along the path, a 3D view and a time line.
pub fn motion_page(page: &MotionPage<'_>) -> Result<PageData, serde_json::Error> {
    let MotionPage { scene, title, outcome, summary, impacts, up, .. } = *page;
    let Drawing { view, shapes, bodies, boxes, .. } = Drawing::new(scene, page.track.bodies.iter().copied());
    let mut notes = scene.notes.clone();
    if boxes > 0 {
        let shapes = words::plural(boxes, "shape", "shapes");
        notes.push(format!("{shapes} drawn as boxes: too many triangles for a page"));
    }
    Page {
        title,
        outcome: outcome.to_owned(),
        summary,
        notes,
        unit: scene.unit(),
        scale: view.scale,
        up,
        shapes,
        bodies,
        pairs: impacts.iter().filter_map(|hit| page_pair(hit, scene, view)).collect(),
        play: Some(page_play(page, view)),
    }
    .data()
}

fn page_play(page: &MotionPage<'_>, view: View) -> PagePlay {
    let MotionPage { scene, track, curves, contacts, steps, .. } = *page;
    let middles: Vec<glam::DVec3> =
        track.bodies.iter().map(|&body| middle_of(&scene.bodies[body].mesh)).collect();
    let numbers =
        track.poses.iter().flat_map(|frame| frame.iter().zip(&middles)).flat_map(|(pose, &middle)| {
            let (at, turn) = view.pose(pose, middle);
            at.into_iter().chain(turn).collect::<Vec<f64>>()
        });
    let points = contacts.iter().flat_map(|at| &at.points).flat_map(|&point| view.point(point.into()));
    PagePlay {
        seconds: scene.seconds,
        times: track.times.clone(),
        bodies: track.bodies.clone(),
        poses: encode(numbers.flat_map(|x| (x as f32).to_le_bytes())),
        curves: curves.to_vec(),
        contacts: contacts.iter().map(|at| (at.time, at.points.len())).collect(),
        contact_points: encode(points.flat_map(|x| (x as f32).to_le_bytes())),
        steps: steps.to_vec(),
    }
}

fn page_pair(hit: &ImpactReport, scene: &PageScene, view: View) -> Option<PairView> {
    let [a, b] = [&hit.a, &hit.b].map(|name| scene.find(name));
    let (a, b) = (a?, b?);
    let seconds = hit.safe_until * scene.seconds;
    let unit = scene.unit();
    let near = hit.margin > 0.0;
    let how = match (hit.impact, near) {
        (ImpactKind::Undecided, _) => "may touch".to_owned(),
        (_, false) if hit.proven == Some(false) => "touch or graze".to_owned(),
        (_, false) => "touch".to_owned(),
        (_, true) => format!("come within the margin of {} {unit}", words::short(hit.margin)),
    };
    let when = match hit.impact {
        ImpactKind::AtStart => match hit.after_start {
            Some(AfterStart::Leaves) => "before anything moves, then leave",
            Some(AfterStart::Slides) => "before anything moves, then slide along",
            _ => "before anything moves",
        }
        .to_owned(),
        ImpactKind::At | ImpactKind::Undecided => format!("at {} s", words::short(seconds)),
    };
    Some(PairView {
        a,
        b,
        relation: match (hit.impact, near) {
            (ImpactKind::Undecided, _) => "undecided",
            (_, true) => "closer",
            (_, false) => "touching",
        },
        hit: true,
        says: format!("{} and {} {how} {when}.", hit.a, hit.b),
        intersections: None,
        clearance: String::new(),
        clearance_at_least: None,
        guarantee: hit.guarantee.word(),
        place: hit.point.map(|point| view.point(point.into())),
        place_text: hit.point.map_or(String::new(), |point| view.text(point.into())),
        segments: String::new(),
        line: None,
        outer: None,
        clash: None,
        seconds: Some(seconds),
        time: Some(hit.safe_until),
    })
}
