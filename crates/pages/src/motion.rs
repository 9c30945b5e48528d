//! The page of a motion: its contacts, and a time line.

use crate::shape::{Drawing, Up, View, encode, middle_of};
use crate::{Page, PairView, words};
use noli::Pose;
use noli::motion::Motion;
use noli::world::Move;
use noli_project::report::{AfterStart, ImpactKind, ImpactReport};
use noli_project::{Recording, Staged};
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
    /// Creates a track from a recording, starting at the poses before it. Bodies that never move are omitted.
    pub fn of_recording(recording: &Recording, before: &[Pose]) -> Self {
        let place = |pose: &[f64; 7]| {
            let [x, y, z, qx, qy, qz, qw] = *pose;
            Pose { translation: glam::DVec3::new(x, y, z), rotation: glam::DQuat::from_xyzw(qx, qy, qz, qw) }
        };
        let moves = |&body: &usize| {
            let at = |frame: &noli_project::Frame| frame.poses.get(body).map(place);
            recording.frames.iter().any(|frame| at(frame) != before.get(body).copied())
        };
        let bodies: Vec<usize> = (0..before.len()).filter(moves).collect();
        let mut times = vec![0.0];
        let mut poses = vec![bodies.iter().map(|&body| before[body]).collect()];
        for frame in &recording.frames {
            times.push(f64::from(frame.number + 1) / f64::from(recording.frame_count));
            poses
                .push(bodies.iter().map(|&body| frame.poses.get(body).map_or(before[body], place)).collect());
        }
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

/// Contents of a motion page.
#[derive(Clone, Copy, Debug)]
pub struct MotionPage<'a> {
    /// The bodies where they begin.
    pub staged: &'a Staged,
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
    /// Clearance along the path, if computed.
    pub room: &'a [Room],
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
    room: Vec<Room>,
}

/// Renders a page with the contacts along the path, a 3D view and a time line.
pub fn motion_page(page: &MotionPage<'_>) -> Result<String, serde_json::Error> {
    let MotionPage { staged, title, outcome, summary, impacts, track, room, up } = *page;
    let Drawing { view, shapes, bodies, boxes, .. } = Drawing::new(staged, track.bodies.iter().copied());
    let mut notes = staged.warnings.clone();
    if boxes > 0 {
        let shapes = words::plural(boxes, "shape", "shapes");
        notes.push(format!("{shapes} drawn as boxes: too many triangles for a page"));
    }
    let middles: Vec<glam::DVec3> =
        track.bodies.iter().map(|&body| middle_of(&staged.bodies[body].look)).collect();
    let numbers =
        track.poses.iter().flat_map(|frame| frame.iter().zip(&middles)).flat_map(|(pose, &middle)| {
            let (at, turn) = view.pose(pose, middle);
            at.into_iter().chain(turn).collect::<Vec<f64>>()
        });
    let play = PagePlay {
        seconds: staged.seconds,
        times: track.times.clone(),
        bodies: track.bodies.clone(),
        poses: encode(numbers.flat_map(|x| (x as f32).to_le_bytes())),
        room: room.to_vec(),
    };
    Page {
        title,
        outcome: outcome.to_owned(),
        summary,
        notes,
        unit: staged.units.sign(),
        scale: view.scale,
        up,
        shapes,
        bodies,
        pairs: impacts.iter().filter_map(|hit| page_pair(hit, staged, view)).collect(),
        play: Some(play),
    }
    .html()
}

fn page_pair(hit: &ImpactReport, staged: &Staged, view: View) -> Option<PairView> {
    let [a, b] = [&hit.a, &hit.b].map(|name| staged.world.find(name).map(|id| id.index() as usize));
    let (a, b) = (a?, b?);
    let seconds = hit.safe_until * staged.seconds;
    let unit = staged.units.sign();
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
