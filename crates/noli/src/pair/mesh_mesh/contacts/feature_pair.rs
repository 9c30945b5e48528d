//! Two features: whether they are a contact, and along which normal.
#![allow(clippy::neg_cmp_op_on_partial_ord, reason = "what is no number must not pass")]

use super::Features;
use super::contact_side::{Half, LEAN};
use super::foot::nearest_on_triangle;
use crate::model::features::{FLAT, Held, NONE, unit};
use crate::scratch::RawContact;
use glam::DVec3;

/// Largest number of rays of two touching vertices; with more, the surrounding faces are reported.
const MOST_RAYS: usize = 48;

/// Sine of the angle up to which edges are parallel; their ends then give the same contacts.
const PARALLEL: f64 = 1e-6;

/// Two features with the points where they are nearest: of A and of B.
#[derive(Clone, Copy)]
pub(super) struct Meeting {
    pub(super) held: [Held; 2],
    pub(super) points: [DVec3; 2],
}

impl Features<'_> {
    /// A vertex of one side and a triangle of the other.
    pub(super) fn vertex_and_triangle(
        &self,
        side: usize,
        vertex: u32,
        triangle: u32,
        raw: &mut Vec<RawContact>,
    ) {
        let (own, other) = (&self.halves[side], &self.halves[1 - side]);
        let p = own.point(vertex);
        let (mut foot, place) = nearest_on_triangle(p, other.vertices(triangle).map(|v| other.point(v)));
        let (corner, held) = (Held::Vertex(vertex), other.held(triangle, place));
        if let Held::Edge(edge) = held {
            // The same from whichever triangle it is seen.
            let [from, to] = other.ends(edge);
            let along = to - from;
            let on_line = from + along * (along.dot(p - from) / along.length_squared());
            // A straight line goes on beyond the vertex of a triangle: then another triangle is nearer.
            if on_line.distance(foot) > self.rounding {
                return;
            }
            foot = on_line;
        }
        let clearance = p.distance(foot);
        if !(clearance <= self.reach) {
            return;
        }
        let meeting = |held: Held, foot: DVec3| {
            let (held, points) = ([corner, held], [p, foot]);
            if side == 0 {
                Meeting { held, points }
            } else {
                Meeting { held: [held[1], held[0]], points: [foot, p] }
            }
        };
        let on_rim = match held {
            Held::Face(_) => None,
            // Where they touch, a body that goes on around an edge or vertex lies against the faces there.
            _ if clearance <= self.rounding => self.between(&meeting(held, foot)),
            _ => {
                // Where nothing around is nearer to either; an edge may lie nearly along the other.
                let (out, slack) = (unit(p - foot), FLAT + self.rounding / clearance);
                let along = match held {
                    Held::Edge(edge) => other.along(edge),
                    _ => DVec3::ZERO,
                };
                let back = own.upright(corner, -out, slack, along);
                let back = back.filter(|_| other.is_nearest(held, out, slack));
                back.map(|back| if side == 0 { back } else { -back })
            }
        };
        if let Some(normal) = on_rim {
            return self.add(&meeting(held, foot), normal, raw);
        }
        if let Some((out, foot)) = self.over_face(side, vertex, triangle, foot) {
            let face = Held::Face(triangle);
            self.add(&meeting(face, foot), if side == 0 { -out } else { out }, raw);
        }
    }

    /// Returns the normal of a face towards a vertex of a side, and the foot of the vertex in its plane. The vertex
    /// must be over the face or over walls that rise next to it: it could leave these only into the face. `nearest`
    /// is the point of the face nearest to the vertex.
    fn over_face(&self, side: usize, vertex: u32, triangle: u32, nearest: DVec3) -> Option<(DVec3, DVec3)> {
        let (own, other) = (&self.halves[side], &self.halves[1 - side]);
        let (p, normal, corner) = (own.point(vertex), other.normal(triangle), Held::Vertex(vertex));
        if normal == DVec3::ZERO {
            return None;
        }
        let (height, clearance) = ((p - nearest).dot(normal), p.distance(nearest));
        let touches = clearance <= self.rounding;
        let is_above =
            if touches { other.is_solid || own.rest(corner).dot(normal) >= 0.0 } else { height >= 0.0 };
        let out = if is_above { normal } else { -normal };
        let foot = p - normal * height;
        let is_over = touches || foot.distance(nearest) <= 2.0 * FLAT * clearance + self.rounding;
        let counts = (is_over
            || height.abs() > self.rounding && self.beside_walls(side, triangle, (p, foot), out))
            && other.faces(Held::Face(triangle), out, 0.0)
            && own.faces(corner, -out, LEAN);
        counts.then_some((out, if is_over { nearest } else { foot }))
    }

    /// Returns `true` if the foot of a point in the plane of the other side's triangle is within the triangle. The
    /// foot may lie beyond an edge if a wall rises from it along `out` with the point, like the triangle, in front
    /// of it.
    fn beside_walls(&self, side: usize, triangle: u32, (p, foot): (DVec3, DVec3), out: DVec3) -> bool {
        let other = &self.halves[1 - side];
        let vertices = other.vertices(triangle).map(|v| other.point(v));
        let normal = other.normal(triangle);
        (0..3).all(|k| {
            let (from, to) = (vertices[k], vertices[(k + 1) % 3]);
            let inward = normal.cross(to - from);
            if inward.dot(foot - from) >= 0.0 {
                return true;
            }
            let edge = other.features.edge_of[triangle as usize][k];
            let wall = match if edge == NONE { &[] } else { other.features.sides(edge) } {
                [x, y] if x.triangle == triangle => y,
                [x, y] if y.triangle == triangle => x,
                _ => return false,
            };
            let face = other.normal(wall.triangle);
            let front = if face.dot(inward) >= 0.0 { face } else { -face };
            other.vector(wall.inward).dot(out) > FLAT
                && front.dot(p - from) >= -self.rounding
                && other.wall_distance(p, wall.triangle) <= p.distance(foot)
        })
    }

    pub(super) fn two_edges(&self, e: u32, f: u32, raw: &mut Vec<RawContact>) {
        let [half_a, half_b] = &self.halves;
        let ([p0, p1], [q0, q1]) = (half_a.ends(e), half_b.ends(f));
        let (along_a, along_b) = (p1 - p0, q1 - q0);
        let across = along_a.cross(along_b);
        // The square of the sine of their angle, and the two parameters.
        let square = across.length_squared();
        let lengths = along_a.length_squared() * along_b.length_squared();
        if !(square > PARALLEL * PARALLEL * lengths) {
            return;
        }
        let between = q0 - p0;
        let s = between.cross(along_b).dot(across) / square;
        let t = between.cross(along_a).dot(across) / square;
        let points = [p0 + along_a * s, q0 + along_b * t];
        let between = points[1] - points[0];
        let clearance = between.length();
        let beyond = |x: f64, along: DVec3| (-x).max(x - 1.0).max(0.0) * along.length();
        if !(clearance + beyond(s, along_a) + beyond(t, along_b) <= self.reach) {
            return;
        }
        let held = [Held::Edge(e), Held::Edge(f)];
        let parts = |normal: &DVec3| {
            (clearance <= self.rounding || normal.dot(between) >= 0.0)
                && half_a.is_nearest(held[0], *normal, LEAN)
                && half_b.is_nearest(held[1], -*normal, LEAN)
                && self.runs_to(half_a, (e, s), (points[1], clearance), *normal)
                && self.runs_to(half_b, (f, t), (points[0], clearance), -*normal)
        };
        let square_to_both = unit(across);
        if let Some(normal) = [square_to_both, -square_to_both].into_iter().find(parts) {
            self.add(&Meeting { held, points }, normal, raw);
        }
    }

    /// Returns `true` if an edge extends to a fraction of its length. At an end the vertex there is near instead,
    /// if it is a feature. But if the surface continues there and rises along `out`, nearer to the point than the
    /// edge's line, the vertex lies below it. Points leaving the vertex then reach that surface.
    fn runs_to(
        &self,
        half: &Half<'_>,
        (edge, share): (u32, f64),
        (p, clearance): (DVec3, f64),
        out: DVec3,
    ) -> bool {
        let ends = half.features.edges[edge as usize].ends;
        let [from, to] = half.ends(edge);
        let (along, length) = (unit(to - from), from.distance(to));
        [(share, -along), (1.0 - share, along)].into_iter().zip(ends).all(|((share, on), end)| {
            let beyond = -share * length;
            let is_vertex = half.features.is_vertex(end);
            let rises = || {
                let vertex = half.point(end);
                half.features.neighbours(end).iter().any(|&other| {
                    let path = half.point(other) - vertex;
                    let ray = unit(path);
                    let share = (path.dot(p - vertex) / path.length_squared()).clamp(0.0, 1.0);
                    let rises = ray.dot(on) > 0.5 && ray.dot(out) > LEAN;
                    rises && (vertex + path * share).distance(p) <= clearance
                })
            };
            beyond < if is_vertex { -self.rounding } else { self.rounding }
                || is_vertex && beyond > self.rounding && rises()
        })
    }

    /// The direction from A to B in which features that touch part: the middle of all for which every ray of B leads on and
    /// every ray of A back. `None` if there is none, as where a vertex is in a groove.
    fn between(&self, meeting: &Meeting) -> Option<DVec3> {
        let (mut rays, mut count) = ([DVec3::ZERO; MOST_RAYS], 0);
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            self.halves[side].each_ray(meeting.held[side], |ray| {
                let ray = ray * sign;
                if count < MOST_RAYS && !rays[..count].iter().any(|known| known.abs_diff_eq(ray, FLAT)) {
                    rays[count] = ray;
                    count += 1;
                }
            });
        }
        let rays = &rays[..count];
        let parts = |normal: DVec3| rays.iter().all(|ray| ray.dot(normal) >= -4.0 * FLAT);
        let mut sum = DVec3::ZERO;
        for (i, x) in rays.iter().enumerate() {
            for y in &rays[i + 1..] {
                // The directions that part form a cone, whose edges are square to two rays.
                let vertex = unit(x.cross(*y));
                sum += [vertex, -vertex].into_iter().filter(|&normal| parts(normal)).sum::<DVec3>();
            }
        }
        let normal = unit(sum);
        (count < MOST_RAYS && normal != DVec3::ZERO && parts(normal)).then_some(normal)
    }
}
