//! Bodies that touch before they move: until when they are proven not to reach into each other.
//!
//! Two triangles that do not cross have a direction along which one lies behind the other. As long as that holds while they
//! move, they do not cross. A point that moves strays from its chord by a known bound, so that what holds of the ends of a
//! short time holds within it, less that bound; near the start, where nothing has parted yet, times are halved until the
//! bodies have moved by no more than rounding. What is proven so is that nothing reaches in deeper than [`SLACK`], the
//! rounding of the poses themselves: bodies that slide along each other exactly may go on, those that approach may not.
#![allow(clippy::neg_cmp_op_on_partial_ord, reason = "what is no number must not pass")]

use super::mesh_mesh::{near_faces, nearest_on_triangle};
use super::relation;
use crate::answer::{Completeness, Relation};
use crate::context::QueryContext;
use crate::model::features::unit;
use crate::model::{Form, Model, Moving};
use glam::DVec3;
use noli_geom::{Convex, Pose, UNIT_ROUNDOFF};

/// Penetration depth that rounding may cause, as a fraction of the bodies' size.
const SLACK: f64 = 16384.0 * UNIT_ROUNDOFF;
/// Travel in one segment, as a fraction of the smaller body: the first segment, the longest, and the shortest
/// tried.
const FIRST: f64 = 0.02;
const LONGEST: f64 = 64.0;
const SHORTEST: f64 = 1e-7;
/// Largest number of segments.
const MOST_PIECES: u32 = 400;
/// Largest number of face pairs in one segment.
const MOST_FACES: usize = 20_000;
/// Largest number of halvings of a segment.
const MOST_HALVINGS: usize = 64;

/// Behaviour of bodies that touch at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Parting {
    /// They reach into each other already.
    Within,
    /// Their relation at the start is unknown.
    Untold,
    /// They go on touching, or do not approach, until the end of the time.
    Slide,
    /// They are separated at this time.
    Separated(f64),
    /// From this time on it is not proven that they do not approach.
    Held(f64),
    /// The budget ran out before any of this was known.
    CutShort,
}

/// Computes the behaviour until `until` of bodies that touch at `from`.
pub(crate) fn parting(
    a: &Moving<'_>,
    b: &Moving<'_>,
    (from, until): (f64, f64),
    context: &mut QueryContext<'_>,
) -> Parting {
    match relation(&a.at(from), &b.at(from), context) {
        Relation::Touching => {}
        Relation::Intersecting | Relation::Inside => return Parting::Within,
        Relation::Unknown if !context.meter.allows_more() => return Parting::CutShort,
        Relation::Unknown | Relation::Separated => return Parting::Untold,
    }
    let Some(bodies) = Bodies::new(a, b) else { return Parting::Held(from) };
    let mut t = from;
    // Pieces grow fast until one was too long, and slowly from then on.
    let (mut share, mut growth) = (FIRST, 4.0);
    for _ in 0..MOST_PIECES {
        let (end, separated) = loop {
            let end = bodies.end(t, until, share);
            match bodies.piece(t, end, context) {
                Some(separated) => break (end, separated),
                None if !context.meter.allows_more() => return Parting::CutShort,
                None if end <= t.next_up() || share < SHORTEST => return Parting::Held(t),
                // What was not proven may have been far longer than it was let be.
                None => {
                    share = 0.25 * share.min(bodies.travel(t, end) / bodies.small);
                    growth = 1.25;
                }
            }
        };
        if separated {
            return Parting::Separated(end);
        }
        if end >= until {
            return Parting::Slide;
        }
        t = end;
        share = (growth * share).min(LONGEST);
    }
    Parting::Held(t)
}

struct Bodies<'a> {
    moving: [&'a Moving<'a>; 2],
    /// Of round cores, together.
    radius: f64,
    /// The length of the smaller one.
    small: f64,
    slack: f64,
}

/// Times of a segment, each half of the one before, with the poses of both bodies and their deviation from
/// chords.
struct Times {
    start: [Pose; 2],
    ends: Vec<([Pose; 2], f64)>,
}

impl<'a> Bodies<'a> {
    /// `None` where nothing is known of the surface.
    fn new(a: &'a Moving<'a>, b: &'a Moving<'a>) -> Option<Self> {
        let known = |model: &Model| model.faces().is_some() || matches!(model.form(), Form::HalfSpace);
        if !known(a.model) || !known(b.model) {
            return None;
        }
        let radius = |model: &Model| model.convex().map_or(0.0, Convex::radius);
        let lengths = [a, b].map(|body| body.sphere().radius).into_iter().filter(|length| length.is_finite());
        let [pose_a, pose_b] = [a, b].map(|body| body.motion.pose(0.0).translation);
        let sum: f64 = lengths.clone().sum();
        let far = pose_a.distance(pose_b) + pose_a.length().max(pose_b.length());
        let small = lengths.fold(f64::INFINITY, f64::min);
        let slack = SLACK * (sum + far);
        let radius = radius(a.model) + radius(b.model);
        small.is_finite().then_some(Self { moving: [a, b], radius, small, slack })
    }

    fn travel(&self, from: f64, to: f64) -> f64 {
        self.sum(|moving, sphere| moving.motion.travel(sphere, from, to))
    }

    fn sum(&self, of: impl Fn(&Moving<'_>, &noli_geom::Sphere) -> f64) -> f64 {
        let of = |moving: &Moving<'_>| {
            let sphere = moving.sphere();
            if sphere.radius.is_finite() { of(moving, &sphere) } else { 0.0 }
        };
        of(self.moving[0]) + of(self.moving[1])
    }

    /// Returns a time up to which the travel is at most a fraction of the smaller body.
    fn end(&self, t: f64, until: f64, share: f64) -> f64 {
        let bend = self.moving.iter().map(|moving| moving.motion.next_bend(t)).filter(|&bend| bend > t);
        let mut end = bend.fold(until, f64::min).max(t.next_up()).min(until);
        while self.travel(t, end) > share * self.small && end > t.next_up() {
            end = (t + 0.5 * (end - t)).max(t.next_up());
        }
        end
    }

    /// Proves that the bodies do not penetrate each other between two times. Returns `true` if they are separated
    /// at the end; `None` without a proof.
    fn piece(&self, from: f64, to: f64, context: &mut QueryContext<'_>) -> Option<bool> {
        let times = self.times(from, to)?;
        let [a, b] = self.moving;
        let within = self.travel(from, to) + self.radius + self.slack;
        let [x, y] = [a, b].map(|moving| moving.model.faces());
        let (Some(x), Some(y)) = (x, y) else { return self.over_half_space(&times) };
        let mut pairs = Vec::new();
        let [placed_a, placed_b] = [a, b].map(|moving| moving.at(from));
        let looked = near_faces(&placed_a.with(x), &placed_b.with(y), within, context, &mut |i, k| {
            if pairs.len() <= MOST_FACES {
                pairs.push((i, k));
            }
        });
        if looked != Completeness::Complete || pairs.len() > MOST_FACES {
            return None;
        }
        let mut separated = true;
        for (i, k) in pairs {
            if !context.meter.allows_costly() {
                return None;
            }
            let vertices = [x.mesh.triangle(i).vertices, y.mesh.triangle(k).vertices];
            separated &= self.triangles(&times, &vertices)?;
        }
        Some(separated)
    }

    fn times(&self, from: f64, to: f64) -> Option<Times> {
        let poses = |t: f64| self.moving.map(|moving| moving.motion.pose(t));
        let mut ends = Vec::new();
        let mut end = to;
        loop {
            let stray = self.sum(|moving, sphere| moving.motion.chord_deviation(sphere, from, end));
            ends.push((poses(end), stray));
            if self.travel(from, end) <= 0.25 * self.slack {
                break;
            }
            let half = from + 0.5 * (end - from);
            if !(half < end) || half <= from || ends.len() > MOST_HALVINGS {
                return None;
            }
            end = half;
        }
        let start = poses(from);
        let valid = start.iter().chain(ends.iter().flat_map(|(poses, _)| poses)).all(Pose::is_valid);
        valid.then_some(Times { start, ends })
    }

    /// Returns the distance by which the points of B are in front of those of A along a direction.
    fn ahead(&self, normal: DVec3, points: [&[DVec3]; 2]) -> f64 {
        let along = |side: usize, sign: f64| {
            points[side].iter().map(|p| p.dot(normal) * sign).fold(f64::INFINITY, f64::min)
        };
        along(0, -1.0) + along(1, 1.0) - self.radius
    }

    /// Returns `true` if B stays in front of A along a direction at all times, up to the slack, given that it
    /// starts there.
    fn holds(&self, normal: DVec3, at_start: f64, times: &Times, points: [&[DVec3]; 2]) -> bool {
        times.ends.iter().all(|(poses, stray)| {
            let lowest = |side: usize, normal: DVec3| {
                let heights = points[side].iter().map(|&p| poses[side].transform_point(p).dot(normal));
                heights.fold(f64::INFINITY, f64::min)
            };
            let ahead = lowest(0, -normal) + lowest(1, normal) - self.radius;
            // In the second half of the time, at least half of what is parted at its end is parted already.
            let least = if ahead > 0.0 { 0.5 * ahead } else { ahead } + 0.5 * at_start.min(0.0);
            least - stray >= -self.slack
        })
    }

    /// Proves that two triangles stay in front of each other. Returns `true` if they are separated at the end;
    /// `None` without a proof.
    fn triangles(&self, times: &Times, vertices: &[[DVec3; 3]; 2]) -> Option<bool> {
        let placed =
            |poses: &[Pose; 2]| [0, 1].map(|side| vertices[side].map(|p| poses[side].transform_point(p)));
        let (start, end) = (placed(&times.start), placed(&times.ends.first()?.0));
        let own = both(vertices);
        let mut sliding = Vec::new();
        for normal in directions(&start) {
            let at_start = self.ahead(normal, both(&start));
            if !(at_start >= -0.25 * self.slack) {
                continue;
            }
            if !(self.ahead(normal, both(&end)) > self.slack) {
                sliding.push((normal, at_start));
            } else if self.holds(normal, at_start, times, own) {
                return Some(true);
            }
        }
        sliding
            .into_iter()
            .any(|(normal, at_start)| self.holds(normal, at_start, times, own))
            .then_some(false)
    }

    /// A half-space that stays, and a body.
    fn over_half_space(&self, times: &Times) -> Option<bool> {
        let floor = self.moving.iter().position(|moving| matches!(moving.model.form(), Form::HalfSpace))?;
        let body = 1 - floor;
        if times.ends.iter().any(|(poses, _)| poses[floor] != times.start[floor]) {
            return None;
        }
        let up = unit(times.start[floor].transform_vector(DVec3::Z));
        let own = &self.moving[body].model.faces()?.mesh;
        let points: [&[DVec3]; 2] =
            if floor == 0 { [&[DVec3::ZERO], own.vertices()] } else { [own.vertices(), &[DVec3::ZERO]] };
        let normal = if floor == 0 { up } else { -up };
        let placed = |poses: &[Pose; 2]| {
            [0, 1]
                .map(|side| points[side].iter().map(|&p| poses[side].transform_point(p)).collect::<Vec<_>>())
        };
        let ahead = |poses| {
            let [a, b] = &placed(poses);
            self.ahead(normal, [a, b])
        };
        let (at_start, at_end) = (ahead(&times.start), ahead(&times.ends.first()?.0));
        let holds = at_start >= -0.25 * self.slack && self.holds(normal, at_start, times, points);
        holds.then_some(at_end > self.slack)
    }
}

fn both(triangles: &[[DVec3; 3]; 2]) -> [&[DVec3]; 2] {
    [&triangles[0], &triangles[1]]
}

/// Returns the directions, with both signs, along which one of two triangles may lie behind the other.
fn directions(placed: &[[DVec3; 3]; 2]) -> impl Iterator<Item = DVec3> {
    let edges = placed.map(|[a, b, c]| [unit(b - a), unit(c - b), unit(a - c)]);
    let normals = edges.map(|[u, v, _]| unit(u.cross(v)));
    let across = |side: usize| {
        let nearest = |p| nearest_on_triangle(p, placed[side]).0;
        placed[1 - side].map(|p| unit(p - nearest(p)))
    };
    let crossed = edges[0].map(|u| edges[1].map(|v| unit(u.cross(v))));
    let within = [0, 1].map(|side| edges[side].map(|edge| unit(edge.cross(normals[side]))));
    let all = normals.into_iter().chain([across(0), across(1)].into_iter().flatten());
    let all = all.chain(crossed.into_iter().flatten()).chain(within.into_iter().flatten());
    all.filter(|&normal| normal != DVec3::ZERO).flat_map(|normal| [normal, -normal])
}
