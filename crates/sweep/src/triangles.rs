//! Triangles of a body in a tree of boxes: distances, candidates within a radius, and winding numbers.

use glam::DVec3;
use noli_geom::Mesh;

/// A triangle: a vertex, two edges from there, the unit normal, and products of the edges.
#[derive(Clone, Copy, Debug)]
struct Face {
    start: DVec3,
    edges: [DVec3; 2],
    normal: DVec3,
    products: [f64; 3],
    /// Thin ones are measured by their edges alone.
    is_thin: bool,
}

/// A box of the tree. A leaf has `count` faces from `first` on; others have their children there.
#[derive(Clone, Copy, Debug)]
struct Node {
    min: DVec3,
    max: DVec3,
    first: u32,
    count: u32,
}

/// The faces of a body.
#[derive(Debug)]
pub(crate) struct Triangles {
    faces: Vec<Face>,
    nodes: Vec<Node>,
    /// Bound on the coordinates.
    reach: f64,
    /// Bound on the heights of thin triangles, which their edges may be nearer or farther by.
    thin: f64,
    /// Mean length of edges.
    edge: f64,
}

/// Faces of a leaf at most.
const LEAF: usize = 4;
/// Height over length below which a triangle is thin: distances from others are right to many digits.
const THIN: f64 = 1e-4;

impl Triangles {
    pub(crate) fn new(mesh: &Mesh) -> Option<Self> {
        let faces = mesh.iter_triangles().map(|triangle| {
            let [a, b, c] = triangle.vertices;
            let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
            let height = (b - a).cross(c - a).length() / longest.max(f64::MIN_POSITIVE);
            let is_thin = height <= THIN * longest;
            let (ab, ac) = (b - a, c - a);
            let normal = ab.cross(ac).normalize_or_zero();
            let products = [ab.dot(ab), ab.dot(ac), ac.dot(ac)];
            (Face { start: a, edges: [ab, ac], normal, products, is_thin }, height, longest)
        });
        let all: Vec<(Face, f64, f64)> = faces.collect();
        let reach = mesh.vertices().iter().map(|v| v.abs().max_element());
        let reach = reach.fold(0.0, f64::max);
        if all.is_empty() || !reach.is_finite() {
            return None;
        }
        let thin = all.iter().filter(|(face, ..)| face.is_thin).map(|(_, height, _)| *height);
        let thin = thin.fold(0.0, f64::max);
        let edge = all.iter().map(|(.., longest)| longest).sum::<f64>() / all.len() as f64;
        let mut faces: Vec<Face> = all.into_iter().map(|(face, ..)| face).collect();
        let mut nodes = vec![Node { min: DVec3::ZERO, max: DVec3::ZERO, first: 0, count: 0 }];
        build(&mut nodes, 0, &mut faces, 0);
        Some(Self { faces, nodes, reach, thin, edge })
    }

    /// Mean of the longest edges.
    pub(crate) fn edge(&self) -> f64 {
        self.edge
    }

    /// Bound on the error of a distance: rounding, and thin triangles.
    pub(crate) fn error(&self, point: DVec3) -> f64 {
        // Nearest points of triangles that are not thin lose at most four digits and a half.
        self.thin + 1e-10 * (self.reach + point.abs().max_element())
    }

    /// The distance of the nearest face, and its number.
    pub(crate) fn nearest(&self, point: DVec3) -> (f64, u32) {
        let (mut nearest, mut face) = (f64::INFINITY, 0);
        let mut todo = [(0u32, 0.0); 96];
        let mut open = 1;
        todo[0] = (0, self.nodes[0].distance_squared(point));
        while open > 0 {
            open -= 1;
            let (number, bound) = todo[open];
            if bound >= nearest {
                continue;
            }
            let node = self.nodes[number as usize];
            if node.count > 0 {
                for number in node.first..node.first + node.count {
                    let squared = self.faces[number as usize].distance_squared(point, nearest);
                    if squared < nearest {
                        (nearest, face) = (squared, number);
                    }
                }
                continue;
            }
            let (first, second) = (node.first, node.first + 1);
            let a = self.nodes[first as usize].distance_squared(point);
            let b = self.nodes[second as usize].distance_squared(point);
            // The nearer one is taken first.
            let (near, far) = if a < b { ((first, a), (second, b)) } else { ((second, b), (first, a)) };
            (todo[open], todo[open + 1]) = (far, near);
            open += 2;
        }
        (nearest.sqrt(), face)
    }

    /// Adds the numbers of all faces within a distance; `false` if there are more than `most`.
    pub(crate) fn within(&self, point: DVec3, distance: f64, most: usize, found: &mut Vec<u32>) -> bool {
        let (start, limit) = (found.len(), distance * distance);
        let mut todo = [0u32; 96];
        let mut open = 1;
        while open > 0 {
            open -= 1;
            let node = self.nodes[todo[open] as usize];
            if node.distance_squared(point) > limit {
                continue;
            }
            if node.count == 0 {
                (todo[open], todo[open + 1]) = (node.first, node.first + 1);
                open += 2;
                continue;
            }
            for number in node.first..node.first + node.count {
                if self.faces[number as usize].distance_squared(point, limit) <= limit {
                    found.push(number);
                }
            }
            if found.len() - start > most {
                found.truncate(start);
                return false;
            }
        }
        true
    }

    /// A bracket on the distance of the nearest face, on the same sides of two limits as that: a far and a near one, which
    /// may be negative.
    /// The likely nearest one is tried first.
    pub(crate) fn compare(&self, likely: u32, point: DVec3, limits: [f64; 2]) -> [f64; 2] {
        let mut limits = Limits::new(limits);
        if limits.add(self.faces[likely as usize].distance_squared(point, limits.open)) {
            return limits.bracket();
        }
        let mut todo = [(0u32, 0.0); 96];
        let mut open = 1;
        todo[0] = (0, self.nodes[0].distance_squared(point));
        while open > 0 {
            open -= 1;
            let (number, bound) = todo[open];
            if bound > limits.open {
                continue;
            }
            let node = self.nodes[number as usize];
            if node.count > 0 {
                for face in &self.faces[node.first as usize..][..node.count as usize] {
                    if limits.add(face.distance_squared(point, limits.open)) {
                        return limits.bracket();
                    }
                }
                continue;
            }
            let (first, second) = (node.first, node.first + 1);
            let a = self.nodes[first as usize].distance_squared(point);
            let b = self.nodes[second as usize].distance_squared(point);
            // The nearer one is taken first.
            let (near, far) = if a < b { ((first, a), (second, b)) } else { ((second, b), (first, a)) };
            (todo[open], todo[open + 1]) = (far, near);
            open += 2;
        }
        limits.bracket()
    }

    /// The same for some faces, among which the nearest is.
    pub(crate) fn compare_of(
        &self,
        (likely, faces): (u32, &[u32]),
        point: DVec3,
        limits: [f64; 2],
    ) -> [f64; 2] {
        let mut limits = Limits::new(limits);
        for &face in std::iter::once(&likely).chain(faces) {
            if limits.add(self.faces[face as usize].distance_squared(point, limits.open)) {
                break;
            }
        }
        limits.bracket()
    }

    /// Returns `true` if a point is in the box of all faces.
    pub(crate) fn is_in_box(&self, point: DVec3) -> bool {
        let Node { min, max, .. } = self.nodes[0];
        point.cmpge(min).all() && point.cmple(max).all()
    }

    /// The change of the winding number from the end of a segment to its start, by some faces; `None` if the segment is
    /// too near to an edge or a vertex.
    pub(crate) fn crossings(&self, faces: &[u32], from: DVec3, to: DVec3) -> Option<i32> {
        faces.iter().try_fold(0, |sum, &face| Some(sum + self.faces[face as usize].crossed(from, to)?))
    }

    /// The winding number of a point; `None` if all rays that were tried pass too near to an edge.
    pub(crate) fn winding(&self, point: DVec3) -> Option<i32> {
        (0..8).find_map(|attempt| {
            // Irrational turns cover the sphere evenly and meet no axis or diagonal.
            let k = f64::from(attempt) + 0.38;
            let z = 1.0 - 2.0 * (k * 0.754_877_666_246_692_8).fract();
            let angle = std::f64::consts::TAU * (k * 0.569_840_290_998_053_2).fract();
            let flat = (1.0 - z * z).sqrt();
            let far = 4.0 * (self.reach + point.abs().max_element());
            self.wound(point, point + DVec3::new(flat * angle.cos(), flat * angle.sin(), z) * far)
        })
    }

    fn wound(&self, from: DVec3, to: DVec3) -> Option<i32> {
        let margin = 1e-12 * (self.reach + from.abs().max_element());
        let inverse = (to - from).recip();
        let (mut sum, mut todo, mut open) = (0, [0u32; 96], 1);
        while open > 0 {
            open -= 1;
            let node = self.nodes[todo[open] as usize];
            let (a, b) = ((node.min - margin - from) * inverse, (node.max + margin - from) * inverse);
            let (first, last) = (a.min(b).max_element().max(0.0), a.max(b).min_element().min(1.0));
            if first > last * (1.0 + 1e-12) {
                continue;
            }
            if node.count == 0 {
                (todo[open], todo[open + 1]) = (node.first, node.first + 1);
                open += 2;
                continue;
            }
            for face in &self.faces[node.first as usize..][..node.count as usize] {
                sum += face.crossed(from, to)?;
            }
        }
        Some(sum)
    }
}

/// The search for a face within a distance, and then for one within a smaller one. All are squared.
struct Limits {
    /// Faces farther away than this do not matter any more.
    open: f64,
    far: f64,
    near: f64,
    /// The distance of a face within the larger one.
    found: f64,
}

impl Limits {
    fn new([far, near]: [f64; 2]) -> Self {
        // No face is as near as a negative distance.
        let near = if near < 0.0 { -1.0 } else { near * near };
        Self { open: far * far, far: far * far, near, found: f64::INFINITY }
    }

    /// Returns `true` if no other face matters.
    #[inline]
    fn add(&mut self, squared: f64) -> bool {
        if squared <= self.open {
            (self.found, self.open) = (squared, self.near);
        }
        self.found <= self.near || self.open < 0.0
    }

    /// A bracket that is on the same sides of both limits as the distance.
    fn bracket(&self) -> [f64; 2] {
        if self.found == f64::INFINITY {
            return [self.far.sqrt(), f64::INFINITY];
        }
        let low = if self.found <= self.near { 0.0 } else { self.near.max(0.0).sqrt() };
        [low, self.found.sqrt()]
    }
}

/// Builds the node of some faces: halves at the median of the longest axis.
fn build(nodes: &mut Vec<Node>, number: usize, faces: &mut [Face], first: usize) {
    let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for vertex in faces.iter().flat_map(Face::vertices) {
        (min, max) = (min.min(vertex), max.max(vertex));
    }
    if faces.len() <= LEAF {
        nodes[number] = Node { min, max, first: first as u32, count: faces.len() as u32 };
        return;
    }
    let extent = max - min;
    let axis = (0..3).max_by(|&a, &b| extent[a].total_cmp(&extent[b])).unwrap_or(0);
    let key = |face: &Face| face.vertices().iter().map(|vertex| vertex[axis]).sum::<f64>();
    let half = faces.len() / 2;
    faces.select_nth_unstable_by(half, |a, b| key(a).total_cmp(&key(b)));
    let children = nodes.len();
    let blank = Node { min, max, first: 0, count: 0 };
    nodes.extend([blank, blank]);
    nodes[number] = Node { min, max, first: children as u32, count: 0 };
    let (low, high) = faces.split_at_mut(half);
    build(nodes, children, low, first);
    build(nodes, children + 1, high, first + half);
}

impl Node {
    #[inline]
    fn distance_squared(&self, point: DVec3) -> f64 {
        (self.min - point).max(point - self.max).max(DVec3::ZERO).length_squared()
    }
}

impl Face {
    fn vertices(&self) -> [DVec3; 3] {
        [self.start, self.start + self.edges[0], self.start + self.edges[1]]
    }

    /// The square of the distance of a point, by its region (Ericson 2005, 5.1.5); where it is more than `most`, something
    /// larger than that.
    #[inline]
    fn distance_squared(&self, point: DVec3, most: f64) -> f64 {
        let ap = point - self.start;
        let off = ap.dot(self.normal);
        if off * off > most && !self.is_thin {
            return f64::INFINITY;
        }
        self.by_region(ap, off * off)
    }

    fn by_region(&self, ap: DVec3, off: f64) -> f64 {
        let [ab, ac] = self.edges;
        if self.is_thin {
            let edges = [[DVec3::ZERO, ab], [ab, ac], [ac, DVec3::ZERO]];
            return edges.map(|[a, b]| from_segment(ap, a, b)).into_iter().fold(f64::INFINITY, f64::min);
        }
        let [bb, bc, cc] = self.products;
        let (d1, d2) = (ab.dot(ap), ac.dot(ap));
        if d1 <= 0.0 && d2 <= 0.0 {
            return ap.length_squared();
        }
        let (d3, d4) = (d1 - bb, d2 - bc);
        if d3 >= 0.0 && d4 <= d3 {
            return (ap - ab).length_squared();
        }
        let vc = d1 * d4 - d3 * d2;
        if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
            return (ap - ab * (d1 / bb)).length_squared();
        }
        let (d5, d6) = (d1 - bc, d2 - cc);
        if d6 >= 0.0 && d5 <= d6 {
            return (ap - ac).length_squared();
        }
        let vb = d5 * d2 - d1 * d6;
        if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
            return (ap - ac * (d2 / cc)).length_squared();
        }
        let va = d3 * d6 - d5 * d4;
        let (along, beyond) = (d4 - d3, d5 - d6);
        if va <= 0.0 && along >= 0.0 && beyond >= 0.0 {
            return (ap - ab - (ac - ab) * (along / (along + beyond))).length_squared();
        }
        off
    }

    /// 1 if a segment leaves the solid through the face, -1 if it enters, 0 if it passes by; `None` if that is open.
    fn crossed(&self, from: DVec3, to: DVec3) -> Option<i32> {
        let [a, b, c] = self.vertices().map(|vertex| vertex - from);
        let along = to - from;
        let size = a.abs().max(b.abs()).max(c.abs()).max_element();
        let (near, far) = (1e-14 * size * size * size, 1e-14 * size * size * along.abs().max_element());
        let start = a.dot(b.cross(c));
        // Six times the volume with the end of the segment instead.
        let end = start - along.dot((b - a).cross(c - a));
        let unsure = near + 4.0 * far;
        if (start > unsure && end > unsure) || (start < -unsure && end < -unsure) {
            return Some(0);
        }
        let sides = [b.cross(c), c.cross(a), a.cross(b)].map(|normal| along.dot(normal));
        let sure = 4.0 * far;
        if sides.iter().any(|&side| side > sure) && sides.iter().any(|&side| side < -sure) {
            return Some(0);
        }
        let through = sides.iter().all(|&side| side > sure) || sides.iter().all(|&side| side < -sure);
        let across = start.abs() > unsure && end.abs() > unsure;
        (through && across).then_some(if start > 0.0 { 1 } else { -1 })
    }
}

fn from_segment(point: DVec3, a: DVec3, b: DVec3) -> f64 {
    let (along, to) = (b - a, point - a);
    let length = along.length_squared();
    let share = if length > 0.0 { (to.dot(along) / length).clamp(0.0, 1.0) } else { 0.0 };
    (to - along * share).length_squared()
}
