//! Bodies given directly: blocks, and solids of revolution about the z axis.

use crate::body::{Brep, FaceError};
use crate::boundary::{Edge, OrientedEdge};
use crate::curve::Curve;
use crate::face::FaceSpec;
use crate::frame::Frame;
use crate::surface::Surface;
use glam::{DVec2, DVec3};
use noli_geom::{Convex, Core};
use std::f64::consts::TAU;

/// A piece of a profile in the half plane of radius and height, to the start of the next piece.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ProfilePiece {
    /// A straight line from this point: a cylinder, a cone or a plane.
    Line(DVec2),
    /// An arc from this point about a centre, counter-clockwise (`true`) or clockwise: a torus, or a sphere if the centre
    /// lies on the axis.
    Arc(DVec2, DVec2, bool),
}

impl ProfilePiece {
    fn start(&self) -> DVec2 {
        match self {
            Self::Line(start) | Self::Arc(start, ..) => *start,
        }
    }
}

impl Brep {
    /// The solid whose profile is a closed counter-clockwise sequence of pieces. Pieces on the axis are left out.
    pub fn revolved(name: &str, profile: &[ProfilePiece]) -> Result<Self, FaceError> {
        let mut edges = Vec::new();
        let circles: Vec<Option<usize>> = profile
            .iter()
            .map(|piece| {
                let p = piece.start();
                let frame = Frame::at(DVec3::new(0.0, 0.0, p.y));
                (p.x > 0.0).then(|| {
                    edges.push(Edge::new(Curve::Circle { frame, radius: p.x }, 0.0, TAU));
                    edges.len() - 1
                })
            })
            .collect();
        let mut faces = Vec::new();
        for (i, piece) in profile.iter().enumerate() {
            let j = (i + 1) % profile.len();
            faces.extend(revolved_face(piece, profile[j].start(), [circles[i], circles[j]]));
        }
        Self::new(name, edges, faces, true)
    }

    fn of_lines(name: &str, points: &[[f64; 2]]) -> Self {
        let pieces: Vec<ProfilePiece> = points.iter().map(|&p| ProfilePiece::Line(p.into())).collect();
        Self::revolved(name, &pieces).unwrap_or_else(|_| Self::empty(name))
    }

    /// A body without faces, of which every question is answered.
    fn empty(name: &str) -> Self {
        Self::new(name, Vec::new(), Vec::new(), false)
            .unwrap_or_else(|error| unreachable!("no face to refuse: {error}"))
    }

    /// A cylinder from height 0 to `height`.
    pub fn cylinder(radius: f64, height: f64) -> Self {
        Self::of_lines("cylinder", &[[0.0, 0.0], [radius, 0.0], [radius, height], [0.0, height]])
    }

    /// A cylinder with a cylindrical hole along its axis.
    pub fn bush(inner: f64, outer: f64, height: f64) -> Self {
        Self::of_lines("bush", &[[inner, 0.0], [outer, 0.0], [outer, height], [inner, height]])
    }

    /// A cone, or a frustum, with its radius at height 0 and at `height`; one of them may be 0.
    pub fn cone(bottom: f64, top: f64, height: f64) -> Self {
        Self::of_lines("cone", &[[0.0, 0.0], [bottom, 0.0], [top, height], [0.0, height]])
    }

    /// A sphere about the origin.
    pub fn sphere(radius: f64) -> Self {
        let (low, high) = (DVec2::new(0.0, -radius), DVec2::new(0.0, radius));
        let profile = [ProfilePiece::Arc(low, DVec2::ZERO, true), ProfilePiece::Line(high)];
        Self::revolved("sphere", &profile).unwrap_or_else(|_| Self::empty("sphere"))
    }

    /// A torus about the origin.
    pub fn torus(major: f64, minor: f64) -> Self {
        let surface = Surface::Torus { frame: Frame::WORLD, major, minor };
        let face = FaceSpec { surface, same_sense: true, loops: Vec::new(), name: "torus".to_owned() };
        Self::new("torus", Vec::new(), vec![face], true).unwrap_or_else(|_| Self::empty("torus"))
    }

    /// A sphere, a cylinder or a cone about the origin, whose lengths are divided by `unit`; `None` for other convex bodies.
    pub fn of_convex(convex: &Convex, unit: f64) -> Option<Self> {
        let mut body = match *convex.core() {
            Core::Point if convex.radius() > 0.0 => Self::sphere(convex.radius() / unit),
            Core::Cylinder { half_height, radius } if convex.radius() == 0.0 => {
                let (h, r) = (half_height / unit, radius / unit);
                Self::of_lines("cylinder", &[[0.0, -h], [r, -h], [r, h], [0.0, h]])
            }
            Core::Cone { half_height, radius } if convex.radius() == 0.0 => {
                let (h, r) = (half_height / unit, radius / unit);
                Self::of_lines("cone", &[[0.0, -h], [r, -h], [0.0, h]])
            }
            _ => return None,
        };
        body.take_as_divided(unit);
        (!body.faces.is_empty()).then_some(body)
    }

    /// Counts the rounding of lengths that were divided.
    pub(crate) fn take_as_divided(&mut self, unit: f64) {
        if unit != 1.0 {
            self.deviation = 4.0 * f64::EPSILON * self.farthest;
        }
    }

    /// A block from the origin to a point with positive coordinates.
    pub fn block(size: DVec3) -> Self {
        let vertex = |n: usize| {
            DVec3::from_array(std::array::from_fn(|k| if n >> k & 1 == 1 { size[k] } else { 0.0 }))
        };
        let mut edges = Vec::new();
        let mut number = std::collections::HashMap::new();
        for axis in 0..3 {
            for n in (0..8).filter(|n| n >> axis & 1 == 0) {
                let direction = DVec3::from_array(std::array::from_fn(|k| f64::from(k == axis)));
                let curve = Curve::Line { origin: vertex(n), direction };
                edges.push(Edge::new(curve, 0.0, size[axis]));
                number.insert((n, n | 1 << axis), edges.len() - 1);
            }
        }
        let faces = (0..6).map(|f| {
            let (axis, upper) = (f / 2, f % 2 == 1);
            let base = if upper { 1 << axis } else { 0 };
            let (x, y) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
            let mut ring = [base, base | x, base | x | y, base | y];
            if !upper {
                ring.reverse();
            }
            let oriented = |k: usize| {
                let (a, b) = (ring[k], ring[(k + 1) % 4]);
                number.get(&(a, b)).map(|&e| (e, true)).or_else(|| number.get(&(b, a)).map(|&e| (e, false)))
            };
            let sign = if upper { 1.0 } else { -1.0 };
            let normal = DVec3::from_array(std::array::from_fn(|k| if k == axis { sign } else { 0.0 }));
            let reference = DVec3::from_array(std::array::from_fn(|k| f64::from(k == (axis + 1) % 3)));
            let frame = Frame::new(vertex(base), normal, Some(reference)).unwrap_or(Frame::WORLD);
            let name = format!("{}{}", if upper { '+' } else { '-' }, ['x', 'y', 'z'][axis]);
            let loops = vec![(0..4).filter_map(oriented).collect()];
            FaceSpec { surface: Surface::Plane(frame), same_sense: true, loops, name }
        });
        let faces = faces.collect();
        Self::new("block", edges, faces, true).unwrap_or_else(|_| Self::empty("block"))
    }
}

/// The face of a piece; `None` on the axis.
fn revolved_face(piece: &ProfilePiece, end: DVec2, circles: [Option<usize>; 2]) -> Option<FaceSpec> {
    let start = piece.start();
    if start.x == 0.0 && end.x == 0.0 && matches!(piece, ProfilePiece::Line(_)) {
        return None;
    }
    // `rises`: the second parameter grows along the piece.
    let (surface, same_sense, rises, name) = match *piece {
        ProfilePiece::Line(_) if start.y == end.y => {
            let frame = Frame::at(DVec3::new(0.0, 0.0, start.y));
            let loops = plane_loops(start, end, circles);
            return Some(FaceSpec {
                surface: Surface::Plane(frame),
                same_sense: end.x < start.x,
                loops,
                name: String::new(),
            });
        }
        ProfilePiece::Line(_) if start.x == end.x => {
            let surface = Surface::Cylinder { frame: Frame::WORLD, radius: start.x };
            (surface, end.y > start.y, end.y > start.y, if end.y > start.y { "shaft" } else { "hole" })
        }
        ProfilePiece::Line(_) => {
            let half_angle = ((end.x - start.x) / (end.y - start.y)).atan();
            let frame = Frame::at(DVec3::new(0.0, 0.0, start.y));
            (Surface::Cone { frame, radius: start.x, half_angle }, end.y > start.y, end.y > start.y, "cone")
        }
        ProfilePiece::Arc(_, center, turns_left) => {
            let frame = Frame::at(DVec3::new(0.0, 0.0, center.y));
            let radius = start.distance(center);
            let surface = match center.x == 0.0 {
                true => Surface::Sphere { frame, radius },
                false => Surface::Torus { frame, major: center.x, minor: radius },
            };
            (surface, turns_left, turns_left, if turns_left { "round" } else { "groove" })
        }
    };
    let [low, high] = if rises { circles } else { [circles[1], circles[0]] };
    let ring = |edge: usize, forward: bool| -> Vec<OrientedEdge> { vec![(edge, forward == same_sense)] };
    let loops = low.map(|e| ring(e, true)).into_iter().chain(high.map(|e| ring(e, false))).collect();
    Some(FaceSpec { surface, same_sense, loops, name: name.to_owned() })
}

fn plane_loops(start: DVec2, end: DVec2, [first, last]: [Option<usize>; 2]) -> Vec<Vec<OrientedEdge>> {
    let up = end.x < start.x;
    let (outer, inner) = if up { (first, last) } else { (last, first) };
    outer.map(|e| vec![(e, up)]).into_iter().chain(inner.map(|e| vec![(e, !up)])).collect()
}
