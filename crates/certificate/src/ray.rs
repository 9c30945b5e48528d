//! Rays: winding numbers of solids, with planes that exclude the parts a ray does not cross.

use crate::cbor::Tokens;
use crate::chain::Side;
use crate::separate::{rounded, search, separate};
use crate::shape::Node;
use glam::DVec3;

/// A ray with the tokens that prove the winding number at its start.
pub(crate) struct Ray {
    direction: [i64; 3],
    tokens: Tokens,
    pub(crate) winding: i64,
    split: Vec<u32>,
}

/// Directions that are tried.
const ATTEMPTS: u64 = 32;
/// Determinants below this share of their largest term count as undecided.
const UNDECIDED: f64 = 1.0 / (1u64 << 36) as f64;

impl Ray {
    /// A ray from a point whose error, together with that of the solid, is at most `error`; `None` if every direction
    /// that was tried passes too close to an edge.
    pub(crate) fn from(point: DVec3, solid: &Side<'_>, error: f64) -> Option<Self> {
        let beyond = |n| point - solid.support_point(solid.shape.root(), n);
        if let Some(direction) = separate(error, point - solid.center(solid.shape.root()), &beyond) {
            let mut tokens = Tokens::default();
            tokens.ints(&direction);
            return Some(Self { direction, tokens, winding: 0, split: Vec::new() });
        }
        (0..ATTEMPTS).find_map(|attempt| Self::along(attempt_direction(attempt), point, solid, error))
    }

    fn along(direction: [i64; 3], point: DVec3, solid: &Side<'_>, error: f64) -> Option<Self> {
        let mut ray = Self { direction, tokens: Tokens::default(), winding: 0, split: Vec::new() };
        let d = DVec3::from_array(direction.map(|c| c as f64));
        let cast = Cast { point, d, solid, error, far: 8.0 * (reach(solid) + point.length()) };
        ray.pass(&cast, Node::Tree(0)).then_some(ray)
    }

    fn pass(&mut self, cast: &Cast<'_>, node: Node) -> bool {
        if let Some(plane) = cast.missed(node) {
            self.tokens.ints(&plane);
            return true;
        }
        let Some(mesh) = cast.solid.shape.mesh() else { return false };
        match node {
            Node::Face(face) => {
                let Some(crossing) = cast.crossing(mesh.face(face)) else { return false };
                self.winding += crossing;
                self.tokens.int(1);
                true
            }
            Node::Tree(index) => {
                self.split.push(index);
                self.tokens.int(0);
                mesh.children(node).into_iter().all(|child| self.pass(cast, child))
            }
            Node::Whole => false,
        }
    }

    /// The array `[direction, tokens]`; the solid's cover keeps the nodes that it needs.
    pub(crate) fn write(&self, solid: &Side<'_>) -> Tokens {
        if let Some(mesh) = solid.shape.mesh() {
            self.split.iter().for_each(|&node| mesh.cover.mark_split(node));
        }
        let mut ray = Tokens::default();
        ray.ints(&self.direction);
        ray.nested(&self.tokens);
        ray
    }
}

struct Cast<'a> {
    point: DVec3,
    d: DVec3,
    solid: &'a Side<'a>,
    error: f64,
    far: f64,
}

impl Cast<'_> {
    /// A plane with all of the ray on one side and the part on the other.
    fn missed(&self, node: Node) -> Option<[i64; 3]> {
        let unit = self.d.normalize();
        let end = self.point + unit * self.far;
        let near = |n: DVec3| if n.dot(unit) >= 0.0 { self.point } else { end };
        let found = search(self.error, self.point - self.solid.center(node), &|n| {
            near(n) - self.solid.support_point(node, n)
        })?
        .normalize();
        let holds = |n: DVec3| {
            let beyond = self.point - self.solid.support_point(node, n);
            n.dot(self.d) >= 0.0 && n.dot(beyond) > self.error * n.length()
        };
        // A little along the ray, so that rounding does not turn the plane against it.
        [0.03, 1e-3, 1e-5, 1e-8].iter().find_map(|lean| {
            let n = found - unit * found.dot(unit).min(0.0) + unit * *lean;
            let small = |n: DVec3| n.abs().max_element() < 2f64.powi(40) && holds(n);
            rounded(n, small)
        })
    }

    /// The sign with which the ray crosses a face; `None` if it is too close to call.
    fn crossing(&self, face: &[DVec3; 3]) -> Option<i64> {
        let v = face.map(|vertex| self.solid.place.transform_point3(vertex) - self.point);
        let size = v.iter().map(|v| v.length()).fold(0.0, f64::max) + self.error;
        let noise = self.d.length() * size * (8.0 * self.error + UNDECIDED * size);
        let sides = [0, 1, 2].map(|k| self.d.dot(v[k].cross(v[(k + 1) % 3])));
        let [above, below] = [sides.map(|s| s > noise), sides.map(|s| s < -noise)];
        if above.contains(&true) && below.contains(&true) {
            return Some(0);
        }
        if above != [true; 3] && below != [true; 3] {
            return None;
        }
        let side = -(v[1] - v[0]).cross(v[2] - v[0]).dot(v[0]);
        let certain = side.abs() > 4.0 * size * size * (8.0 * self.error + UNDECIDED * size);
        let sign = if above[0] { 1 } else { -1 };
        certain.then_some(if (side > 0.0) == above[0] { 0 } else { sign })
    }
}

fn reach(solid: &Side<'_>) -> f64 {
    let (points, _) = solid.shape.extent();
    points.iter().map(|&p| solid.place.transform_point3(p).length()).fold(0.0, f64::max)
}

/// Directions in small integers, always the same, none along an axis or a diagonal.
fn attempt_direction(attempt: u64) -> [i64; 3] {
    let mut random = noli_geom::random::SplitMix64::new(attempt + 1);
    std::array::from_fn(|k| {
        let size = (5 + 2 * k + random.below(12)) as i64;
        if random.below(2) == 0 { size } else { -size }
    })
}
