//! Contacts of two meshes from all pairs of their features, by definitions alone: which must be in a list, and which may.
#![allow(dead_code, reason = "every user takes a part of it")]
#![allow(clippy::neg_cmp_op_on_partial_ord, reason = "what is no number must not pass")]

use glam::DVec3;
use noli::Placed;
use noli::answer::Feature;
use noli::contacts::FeatureContact;
use std::collections::HashMap;

/// As a share of the size: what is nearer to being something else than this is not sure.
const CLEAR: f64 = 1e-6;
/// As a share of the size: what is off by less is rounding.
const ROUNDING: f64 = 1e-9;

/// A vertex: a place where the surface bends in more than one direction.
struct Vertex {
    at: DVec3,
    outward: DVec3,
}

/// An edge at which the surface bends, ends or branches.
struct Sharp {
    ends: [DVec3; 2],
    /// Into each face there, square to the edge.
    inward: Vec<DVec3>,
    outward: DVec3,
}

struct Wall {
    vertices: [DVec3; 3],
    normal: DVec3,
}

/// A placed mesh as features.
pub(crate) struct Faceted {
    vertices: Vec<Vertex>,
    edges: Vec<Sharp>,
    walls: Vec<Wall>,
    is_solid: bool,
    size: f64,
}

/// A contact that must be in the list.
#[derive(Debug)]
pub(crate) struct Sure {
    points: [DVec3; 2],
    /// From A to B.
    pub(crate) normal: DVec3,
    of_edges: bool,
    slack: f64,
}

impl Sure {
    pub(crate) fn is(&self, contact: &FeatureContact) -> bool {
        let two_edges = matches!(
            (contact.on_a.feature, contact.on_b.feature),
            (Some(Feature::Edge(_)), Some(Feature::Edge(_)))
        );
        two_edges == self.of_edges
            && contact.on_a.point.distance(self.points[0]) <= self.slack
            && contact.on_b.point.distance(self.points[1]) <= self.slack
            && contact.normal.dot(self.normal) > 1.0 - ROUNDING
    }
}

/// A place by the bits of its coordinates; both zeros are one.
fn key(p: DVec3) -> [u64; 3] {
    p.to_array().map(|x| (x + 0.0).to_bits())
}

impl Faceted {
    /// `None` for what is no mesh.
    pub(crate) fn new(body: &Placed<'_>) -> Option<Self> {
        let mesh = body.model.mesh()?;
        let place = |p: DVec3| body.world_from_self.transform_point(p);
        let given: Vec<[DVec3; 3]> = mesh.iter_triangles().map(|triangle| triangle.vertices).collect();
        let normal = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a).normalize_or_zero();
        let mut sides: HashMap<[[u64; 3]; 2], Vec<(usize, usize)>> = HashMap::new();
        let mut around: HashMap<[u64; 3], (DVec3, DVec3)> = HashMap::new();
        for (number, vertices) in given.iter().enumerate() {
            for k in 0..3 {
                let [u, v, w] = [0, 1, 2].map(|n| vertices[(k + n) % 3]);
                let mut ends = [key(u), key(v)];
                ends.sort_unstable();
                sides.entry(ends).or_default().push((number, k));
                let weight = (v - u).angle_between(w - u);
                around.entry(key(u)).or_insert((u, DVec3::ZERO)).1 += normal(*vertices) * weight;
            }
        }
        let mut bends: HashMap<[u64; 3], Vec<DVec3>> = HashMap::new();
        let mut edges = Vec::new();
        for sides in sides.values() {
            let (first, k) = sides[0];
            let [from, to] = [given[first][k], given[first][(k + 1) % 3]];
            let along = (to - from).normalize();
            let inward = |&(triangle, k): &(usize, usize)| {
                let path = given[triangle][(k + 2) % 3] - from;
                (path - along * path.dot(along)).normalize()
            };
            let inward: Vec<DVec3> = sides.iter().map(inward).collect();
            if matches!(inward[..], [x, y] if (x + y).length() <= 1e-9) {
                continue;
            }
            bends.entry(key(from)).or_default().push(along);
            bends.entry(key(to)).or_default().push(-along);
            let outward: DVec3 = sides.iter().map(|&(triangle, _)| normal(given[triangle])).sum();
            let turn = |v: DVec3| body.world_from_self.transform_vector(v).normalize_or_zero();
            edges.push(Sharp {
                ends: [place(from), place(to)],
                inward: inward.into_iter().map(turn).collect(),
                outward: turn(outward),
            });
        }
        let is_vertex = |bends: &[DVec3]| match bends {
            [] => false,
            [x, y] => (*x + *y).length() > 1e-9,
            _ => true,
        };
        let vertices = bends.iter().filter(|(_, bends)| is_vertex(bends)).map(|(at, _)| {
            let (at, outward) = around[at];
            Vertex {
                at: place(at),
                outward: body.world_from_self.transform_vector(outward).normalize_or_zero(),
            }
        });
        let walls = given.iter().map(|vertices| {
            let vertices = vertices.map(place);
            Wall { vertices, normal: normal(vertices) }
        });
        let size = mesh.aabb().size().length() + body.world_from_self.translation.length();
        let is_solid = mesh.kind() == noli::model::MeshKind::Solid;
        Some(Self { vertices: vertices.collect(), edges, walls: walls.collect(), is_solid, size })
    }

    /// All contacts with another that no rounding and no rule about rims can put in doubt.
    pub(crate) fn sure_contacts(&self, other: &Self, within: f64) -> Vec<Sure> {
        let size = self.size + other.size;
        let mut sure = Vec::new();
        self.vertices_over_walls(other, within, size, |vertex, foot, out| {
            sure.push(Sure { points: [vertex, foot], normal: -out, of_edges: false, slack: ROUNDING * size });
        });
        other.vertices_over_walls(self, within, size, |vertex, foot, out| {
            sure.push(Sure { points: [foot, vertex], normal: out, of_edges: false, slack: ROUNDING * size });
        });
        for e in &self.edges {
            for f in &other.edges {
                if let Some((points, normal)) = crossed([(self, e), (other, f)], within, size) {
                    sure.push(Sure { points, normal, of_edges: true, slack: 1e3 * ROUNDING * size });
                }
            }
        }
        sure
    }

    fn vertices_over_walls(
        &self,
        other: &Self,
        within: f64,
        size: f64,
        mut tell: impl FnMut(DVec3, DVec3, DVec3),
    ) {
        for vertex in &self.vertices {
            for wall in &other.walls {
                let height = (vertex.at - wall.vertices[0]).dot(wall.normal);
                let foot = vertex.at - wall.normal * height;
                let touches = height.abs() <= ROUNDING * ROUNDING.sqrt() * size;
                let above = touches || height > 0.0;
                let beyond = height.abs() > within * (1.0 - CLEAR);
                let not_told = if other.is_solid { !above } else { touches };
                if beyond || not_told || !wall.is_over(foot, size) {
                    continue;
                }
                let out = if above { wall.normal } else { -wall.normal };
                // What leans away is behind its own body.
                if !self.is_solid || vertex.outward.dot(-out) > 0.01 {
                    tell(vertex.at, foot, out);
                }
            }
        }
    }

    /// Returns the reason why a contact is impossible, if it is.
    pub(crate) fn refuses(&self, other: &Self, contact: &FeatureContact, within: f64) -> Option<String> {
        let size = self.size + other.size;
        let slack = ROUNDING * size;
        let (p, q, n) = (contact.on_a.point, contact.on_b.point, contact.normal);
        let mut wrong = Vec::new();
        if !((p.distance(q) - contact.clearance).abs() <= slack && contact.clearance <= within + slack) {
            wrong.push("the clearance");
        }
        if !((n.length() - 1.0).abs() <= 1e-12) {
            wrong.push("the length of the normal");
        }
        if contact.clearance > 1e-3 * size && (q - p).dot(n) < 0.99 * contact.clearance {
            wrong.push("the direction");
        }
        let at_vertex = |body: &Self, p: DVec3| body.vertices.iter().any(|c| c.at.distance(p) <= slack);
        let on_edge = |body: &Self, p: DVec3, intersection: Option<DVec3>| {
            body.edges.iter().any(|edge| match intersection {
                Some(n) => edge.holds(p, slack) && edge.is_square(n),
                None => edge.holds(p, slack) && edge.ends_beyond(p, slack),
            })
        };
        let on_wall = |body: &Self, p: DVec3, out: DVec3| {
            body.walls.iter().any(|wall| {
                let turned = wall.normal.dot(out);
                let in_plane = (p - wall.vertices[0]).dot(wall.normal).abs() <= slack;
                in_plane && if body.is_solid { turned > 1.0 - 1e-9 } else { turned.abs() > 1.0 - 1e-9 }
            })
        };
        let holds = match (contact.on_a.feature, contact.on_b.feature) {
            (Some(Feature::Vertex(_)), Some(Feature::Face(_))) => at_vertex(self, p) && on_wall(other, q, -n),
            (Some(Feature::Face(_)), Some(Feature::Vertex(_))) => on_wall(self, p, n) && at_vertex(other, q),
            (Some(Feature::Edge(_)), Some(Feature::Edge(_))) => {
                on_edge(self, p, Some(n)) && on_edge(other, q, Some(n))
            }
            (Some(Feature::Vertex(_)), Some(Feature::Edge(_))) => {
                at_vertex(self, p) && on_edge(other, q, None)
            }
            (Some(Feature::Edge(_)), Some(Feature::Vertex(_))) => {
                on_edge(self, p, None) && at_vertex(other, q)
            }
            (Some(Feature::Vertex(_)), Some(Feature::Vertex(_))) => at_vertex(self, p) && at_vertex(other, q),
            _ => false,
        };
        if !holds {
            wrong.push("its features");
        }
        (!wrong.is_empty()).then(|| format!("{} of {contact:?}", wrong.join(", ")))
    }
}

impl Wall {
    /// Returns `true` if a point of its plane is well inside.
    fn is_over(&self, foot: DVec3, size: f64) -> bool {
        (0..3).all(|k| {
            let (from, to) = (self.vertices[k], self.vertices[(k + 1) % 3]);
            let inward = self.normal.cross(to - from).normalize_or_zero();
            inward.dot(foot - from) > CLEAR * size
        })
    }
}

impl Sharp {
    fn along(&self) -> DVec3 {
        (self.ends[1] - self.ends[0]).normalize()
    }

    /// Returns `true` if a point is on its line.
    fn holds(&self, p: DVec3, slack: f64) -> bool {
        let (along, path) = (self.along(), p - self.ends[0]);
        (path - along * path.dot(along)).length() <= 1e3 * slack
    }

    /// Returns `true` if a point of its line is between its ends.
    fn ends_beyond(&self, p: DVec3, slack: f64) -> bool {
        let (along, path) = (self.along(), p - self.ends[0]);
        let (share, length) = (path.dot(along), self.ends[0].distance(self.ends[1]));
        share >= -1e3 * slack && share <= length + 1e3 * slack
    }

    fn is_square(&self, normal: DVec3) -> bool {
        self.along().dot(normal).abs() <= 1e-6
    }

    /// Returns `true` if all faces around lie behind its line as seen from far along `out`.
    fn faces(&self, out: DVec3, is_solid: bool) -> bool {
        self.inward.iter().all(|path| path.dot(out) <= 0.0) && (!is_solid || self.outward.dot(out) >= 0.0)
    }
}

/// Two edges that are nearest within both, and that part along the normal between them.
fn crossed(
    [(body_e, e), (body_f, f)]: [(&Faceted, &Sharp); 2],
    within: f64,
    size: f64,
) -> Option<([DVec3; 2], DVec3)> {
    let (u, v) = (e.ends[1] - e.ends[0], f.ends[1] - f.ends[0]);
    let across = u.cross(v);
    if across.length() <= 1e-3 * u.length() * v.length() {
        return None;
    }
    let between = f.ends[0] - e.ends[0];
    let s = between.cross(v).dot(across) / across.length_squared();
    let t = between.cross(u).dot(across) / across.length_squared();
    let inside = |x: f64, path: DVec3| x.min(1.0 - x) * path.length() > CLEAR * size;
    if !inside(s, u) || !inside(t, v) {
        return None;
    }
    let points = [e.ends[0] + u * s, f.ends[0] + v * t];
    let (path, normal) = (points[1] - points[0], across.normalize());
    if path.length() > within * (1.0 - CLEAR) {
        return None;
    }
    let touches = path.length() <= ROUNDING * ROUNDING.sqrt() * size;
    let parts = |n: &DVec3| {
        (touches || n.dot(path) > 0.0) && e.faces(*n, body_e.is_solid) && f.faces(-*n, body_f.is_solid)
    };
    let normal = [normal, -normal].into_iter().find(parts)?;
    Some((points, normal))
}
