//! Closest features of two convex bodies by walking from neighbour to neighbour (Lin and Canny 1991), and a
//! tree of hulls for bodies that are not convex.
//!
//! Two features (vertex, edge, face) are closest if the nearest point of each lies in the Voronoi region of
//! the other; where it does not, the walk goes on to the neighbour behind the plane that it is beyond.
//! Near-constant time from the features of the last pose. Differs from the print: a point below a face goes
//! on to the face that it is furthest above, and there being none means overlap; that jump does not always come
//! nearer, so a walk from far features can go in circles: one that comes to a pair again begins once more from the
//! vertices that face each other (and overlap always goes in circles in print, see
//! [`printed::lin_canny`](super::printed::lin_canny)); an answer is what support functions prove of it, and
//! the search of [`overlap`](noli::overlap) decides where they do not.
//!
//! Regions are not split into parts of at most five planes, as the authors do to make one step constant: of a convex body
//! the vertices have fewer than six edges in the mean, and the faces fewer than six sides (Euler), so that a step costs
//! that much on average anyway.

use glam::DVec3;
use noli::seams::Supports;
use noli_geom::{Convex, Hull, PairFrame, Pose, RelativePose};
use std::collections::HashMap;

/// A part of the surface of a [`FeatureHull`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Feature {
    /// A vertex of the hull.
    Vertex(u32),
    /// An edge, numbered as in [`FeatureHull::edge`].
    Edge(u32),
    /// A face of the hull.
    Face(u32),
}

/// A hull with its features and their neighbours.
#[derive(Clone, Debug)]
pub struct FeatureHull {
    pub(super) convex: Convex,
    hull: Hull,
    edges: Vec<Edge>,
    /// The edges around each vertex.
    around: Vec<Vec<u32>>,
    /// The edges of each face, in order.
    sides: Vec<Vec<u32>>,
}

/// From `ends[0]` to `ends[1]`, counter-clockwise around `left` and clockwise around `right`.
#[derive(Clone, Copy, Debug)]
struct Edge {
    ends: [u32; 2],
    left: u32,
    right: u32,
}

impl FeatureHull {
    /// The features of a hull; nothing where it has no inside.
    pub fn new(hull: Hull) -> Option<Self> {
        if hull.dimension() < 3 {
            return None;
        }
        let mut numbers: HashMap<[u32; 2], u32> = HashMap::new();
        let mut edges: Vec<Edge> = Vec::new();
        let mut sides = Vec::with_capacity(hull.faces().len());
        for (face, vertices) in hull.faces().iter().enumerate() {
            let mut of_face = Vec::with_capacity(vertices.len());
            for (k, &from) in vertices.iter().enumerate() {
                let to = vertices[(k + 1) % vertices.len()];
                let number = *numbers.entry([from.min(to), from.max(to)]).or_insert_with(|| {
                    edges.push(Edge { ends: [from, to], left: face as u32, right: face as u32 });
                    edges.len() as u32 - 1
                });
                if edges[number as usize].ends[0] != from {
                    edges[number as usize].right = face as u32;
                }
                of_face.push(number);
            }
            sides.push(of_face);
        }
        let mut around = vec![Vec::new(); hull.vertices().len()];
        for (number, edge) in edges.iter().enumerate() {
            edge.ends.iter().for_each(|&v| around[v as usize].push(number as u32));
        }
        Some(Self { convex: Convex::from(hull.clone()), hull, edges, around, sides })
    }

    /// The hull it was made of.
    pub fn hull(&self) -> &Hull {
        &self.hull
    }

    /// The vertices of an edge.
    pub fn edge(&self, edge: u32) -> [u32; 2] {
        self.edges[edge as usize].ends
    }

    /// Returns the number of its vertices, edges and faces.
    pub fn size(&self) -> usize {
        self.around.len() + self.edges.len() + self.sides.len()
    }

    fn at(&self, vertex: u32) -> DVec3 {
        self.hull.vertices()[vertex as usize]
    }

    /// Returns the height of a point above a face.
    fn height(&self, face: u32, point: DVec3) -> f64 {
        let vertex = self.hull.faces()[face as usize][0];
        self.hull.normal(face as usize).dot(point - self.at(vertex))
    }

    /// Returns the line or point on which nearest points of a feature are searched.
    fn ends(&self, feature: Feature) -> [DVec3; 2] {
        match feature {
            Feature::Vertex(v) => [self.at(v); 2],
            Feature::Edge(e) => self.edge(e).map(|v| self.at(v)),
            Feature::Face(f) => [self.at(self.hull.faces()[f as usize][0]); 2],
        }
    }

    /// The neighbour behind the plane that a point is furthest beyond, of those that bound a feature's
    /// region; none within it.
    fn neighbour(&self, feature: Feature, point: DVec3) -> Option<Feature> {
        let mut worst = (0.0, None);
        let mut plane = |beyond: f64, neighbour: Feature| {
            if beyond > worst.0 {
                worst = (beyond, Some(neighbour));
            }
        };
        match feature {
            Feature::Vertex(v) => {
                for &e in &self.around[v as usize] {
                    let [from, to] = self.edge(e);
                    let along = self.at(if from == v { to } else { from }) - self.at(v);
                    plane(along.normalize_or_zero().dot(point - self.at(v)), Feature::Edge(e));
                }
            }
            Feature::Edge(e) => {
                let Edge { ends: [from, to], left, right } = self.edges[e as usize];
                let along = (self.at(to) - self.at(from)).normalize_or_zero();
                plane(-along.dot(point - self.at(from)), Feature::Vertex(from));
                plane(along.dot(point - self.at(to)), Feature::Vertex(to));
                let [left_normal, right_normal] = [left, right].map(|f| self.hull.normal(f as usize));
                plane(left_normal.cross(along).dot(point - self.at(from)), Feature::Face(left));
                plane(along.cross(right_normal).dot(point - self.at(from)), Feature::Face(right));
            }
            Feature::Face(f) => {
                let normal = self.hull.normal(f as usize);
                for &e in &self.sides[f as usize] {
                    let Edge { ends: [from, to], left, .. } = self.edges[e as usize];
                    let along = (self.at(to) - self.at(from)).normalize_or_zero();
                    let outward = if left == f { along.cross(normal) } else { normal.cross(along) };
                    plane(outward.dot(point - self.at(from)), Feature::Edge(e));
                }
            }
        }
        worst.1
    }

    /// The face that a point is furthest above.
    fn furthest_face(&self, point: DVec3) -> (f64, u32) {
        let above = (0..self.sides.len() as u32).map(|f| (self.height(f, point), f));
        above.max_by(|x, y| x.0.total_cmp(&y.0)).unwrap_or((f64::NEG_INFINITY, 0))
    }
}

impl Default for Feature {
    fn default() -> Self {
        Self::Vertex(0)
    }
}

/// The features that two bodies were closest with, to walk from when they have moved a little. Changes what
/// an answer costs, never the answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct FeatureHint(pub [Feature; 2]);

/// Closest features of two bodies, and their distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestFeatures {
    /// Of A and of B; none where they overlap or the walk did not get there.
    pub features: Option<[Feature; 2]>,
    /// Lower bound on the distance.
    pub at_least: f64,
    /// And no more; 0 where the bodies overlap.
    pub at_most: f64,
    /// Number of times a feature was replaced by a neighbour.
    pub steps: usize,
}

/// Outcome of a walk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Walk {
    /// Nearest points in A's frame.
    Separated([DVec3; 2]),
    Overlap,
    /// Stopped after more steps than there are features.
    Lost,
}

/// The closest features of two convex bodies, walking from those of a hint. Conservative: the bracket holds,
/// and is that of [`clearance`](noli::clearance) where the walk's own is wider than a millionth of a
/// millionth of the bodies.
///
/// ```
/// use noli_classics::{Feature, FeatureHint, FeatureHull, closest_features};
/// use noli::model::Hull;
/// use noli::Pose;
/// let cube = FeatureHull::new(Hull::cuboid(glam::DVec3::ONE)?).expect("it has an inside");
/// let there = Pose::from_translation(glam::dvec3(3.0, 0.5, 0.25));
/// let found = closest_features((&cube, &Pose::IDENTITY), (&cube, &there), &mut FeatureHint::default());
/// assert!(found.at_least <= 1.0 && 1.0 <= found.at_most);
/// # Ok::<(), noli::model::HullError>(())
/// ```
pub fn closest_features(
    a: (&FeatureHull, &Pose),
    b: (&FeatureHull, &Pose),
    hint: &mut FeatureHint,
) -> ClosestFeatures {
    let frame = PairFrame::new(&RelativePose::new(a.1, b.1));
    let supports = Supports::new(&a.0.convex, &b.0.convex, &frame);
    let (end, steps) = walk([a.0, b.0], frame.pose(), &mut hint.0, true);
    if let Walk::Separated([on_a, on_b]) = end {
        let at_least = supports.at_least_along(on_b - on_a);
        let at_most = supports.at_most_between(on_a, on_b);
        if at_least > 0.0 && at_most - at_least <= 1e-12 * supports.size() {
            return ClosestFeatures { features: Some(hint.0), at_least, at_most, steps };
        }
    }
    let [at_least, at_most] = supports.search(f64::INFINITY);
    let features = matches!(end, Walk::Separated(_)).then_some(hint.0).filter(|_| at_least > 0.0);
    ClosestFeatures { features, at_least, at_most, steps }
}

/// Walk from two features to the closest; `mended` or as printed, where a point below a face is nothing
/// special.
pub(super) fn walk(
    hulls: [&FeatureHull; 2],
    pose: &RelativePose,
    features: &mut [Feature; 2],
    mended: bool,
) -> (Walk, usize) {
    walk_seen(hulls, pose, features, mended, &mut |_| {})
}

/// Returns the pairs of features visited by a walk from two features, in order, the first included. If the
/// bodies are separated, distances never increase from one pair to the next.
pub fn feature_path(
    a: (&FeatureHull, &Pose),
    b: (&FeatureHull, &Pose),
    from: [Feature; 2],
) -> Vec<[Feature; 2]> {
    let (mut features, mut path) = (from, Vec::new());
    let pose = RelativePose::new(a.1, b.1);
    walk_seen([a.0, b.0], &pose, &mut features, true, &mut |pair| path.push(pair));
    path
}

fn walk_seen(
    [a, b]: [&FeatureHull; 2],
    pose: &RelativePose,
    features: &mut [Feature; 2],
    mended: bool,
    seen: &mut dyn FnMut([Feature; 2]),
) -> (Walk, usize) {
    let into_b = |p: DVec3| pose.rotation.transpose() * (p - pose.translation);
    if !a.has(features[0]) || !b.has(features[1]) {
        *features = Default::default();
    }
    let mut circle = Circle::default();
    for step in 0..4 * (a.size() + b.size()) {
        seen(*features);
        if mended && circle.closes(*features) {
            if circle.closed {
                return (Walk::Lost, step);
            }
            circle = Circle { closed: true, ..Circle::default() };
            *features = facing([a, b], pose);
            continue;
        }
        if clip([a, b], pose, features) && mended {
            return (Walk::Overlap, step);
        }
        // Beside a face there is a vertex now.
        let below = match *features {
            [Feature::Face(f), other] => a.above(f, pose.transform_point(b.ends(other)[0])).map(|h| (0, h)),
            [other, Feature::Face(f)] => b.above(f, into_b(a.ends(other)[0])).map(|h| (1, h)),
            _ => Ok((2, 1.0)),
        };
        let (side, height) = match below {
            Ok(found) => found,
            Err(edge) => {
                features[usize::from(!matches!(features[0], Feature::Face(_)))] = Feature::Edge(edge);
                continue;
            }
        };
        if mended && height <= 0.0 {
            let (height, face) = if side == 0 {
                a.furthest_face(pose.transform_point(b.ends(features[1])[0]))
            } else {
                b.furthest_face(into_b(a.ends(features[0])[0]))
            };
            if height <= 0.0 {
                return (Walk::Overlap, step);
            }
            features[side] = Feature::Face(face);
            continue;
        }
        let ends = b.ends(features[1]).map(|p| pose.transform_point(p));
        let (mut on_a, mut on_b) = nearest_on_segments(a.ends(features[0]), ends);
        if let Feature::Face(f) = features[0] {
            on_a = on_b - a.hull.normal(f as usize) * a.height(f, on_b);
        } else if let Feature::Face(f) = features[1] {
            let local = into_b(on_a);
            on_b = pose.transform_point(local - b.hull.normal(f as usize) * b.height(f, local));
        }
        let next = [a.neighbour(features[0], on_b), b.neighbour(features[1], into_b(on_a))];
        match next {
            [_, Some(next)] if side != 1 => features[1] = next,
            [Some(next), _] if side != 0 => features[0] = next,
            _ => return (Walk::Separated([on_a, on_b]), step),
        }
    }
    (Walk::Lost, 4 * (a.size() + b.size()))
}

/// Cycle detection: a walk is tested for repeated pairs. One pair is stored for twice as many steps each
/// time (Brent 1980).
#[derive(Default)]
struct Circle {
    remembered: Option<[Feature; 2]>,
    steps: usize,
    until: usize,
    /// `true` if a cycle was found before.
    closed: bool,
}

impl Circle {
    fn closes(&mut self, pair: [Feature; 2]) -> bool {
        if self.remembered == Some(pair) {
            return true;
        }
        if self.steps >= self.until {
            (self.remembered, self.until) = (Some(pair), 2 * self.steps + 1);
        }
        self.steps += 1;
        false
    }
}

/// The vertices of two hulls that are farthest towards each other's middle.
fn facing([a, b]: [&FeatureHull; 2], pose: &RelativePose) -> [Feature; 2] {
    let middle = |hull: &FeatureHull| {
        hull.hull.vertices().iter().sum::<DVec3>() / hull.hull.vertices().len().max(1) as f64
    };
    let towards_b = pose.transform_point(middle(b)) - middle(a);
    let vertex = |hull: &FeatureHull, direction: DVec3| {
        let along = |v: &u32| direction.dot(hull.at(*v));
        let vertices = 0..hull.around.len() as u32;
        Feature::Vertex(vertices.max_by(|v, w| along(v).total_cmp(&along(w))).unwrap_or(0))
    };
    [vertex(a, towards_b), vertex(b, pose.rotation.transpose() * -towards_b)]
}

impl FeatureHull {
    /// Returns the total number of planes that bound the regions of all features: the cost of one applicability
    /// test of each.
    pub fn planes(&self) -> usize {
        let of_sides = self.sides.iter().map(Vec::len).sum::<usize>();
        self.around.iter().map(Vec::len).sum::<usize>() + of_sides + 4 * self.edges.len()
    }

    /// About how many bytes it takes: vertices, edges, and both lists of neighbours.
    pub(super) fn bytes(&self) -> usize {
        let lists = self.around.iter().chain(&self.sides);
        let neighbours: usize = lists.map(|list| size_of::<Vec<u32>>() + size_of_val(&list[..])).sum();
        2 * size_of_val(self.hull.vertices()) + size_of_val(&self.edges[..]) + neighbours
    }

    fn has(&self, feature: Feature) -> bool {
        match feature {
            Feature::Vertex(v) => (v as usize) < self.around.len(),
            Feature::Edge(e) => (e as usize) < self.edges.len(),
            Feature::Face(f) => (f as usize) < self.sides.len(),
        }
    }

    /// Returns the height above a face of a point within its prism, or else the edge that it is furthest
    /// beyond.
    fn above(&self, face: u32, point: DVec3) -> Result<f64, u32> {
        match self.neighbour(Feature::Face(face), point) {
            Some(Feature::Edge(edge)) => Err(edge),
            _ => Ok(self.height(face, point)),
        }
    }

    /// The part of a segment within the prism of a face: the lower end of it, with the edge whose side cuts
    /// it off there, and the other end's height.
    fn lower_end(&self, face: u32, [p, q]: [DVec3; 2]) -> Lower {
        let normal = self.hull.normal(face as usize);
        let (mut from, mut to) = ((0.0, None), (1.0, None));
        for &e in &self.sides[face as usize] {
            let Edge { ends: [start, end], left, .. } = self.edges[e as usize];
            let along = (self.at(end) - self.at(start)).normalize_or_zero();
            let outward = if left == face { along.cross(normal) } else { normal.cross(along) };
            let (x, y) = (outward.dot(p - self.at(start)), outward.dot(q - self.at(start)));
            match (x > 0.0, y > 0.0) {
                (true, true) => return Lower::Beyond(e),
                (true, false) if x / (x - y) > from.0 => from = (x / (x - y), Some(e)),
                (false, true) if x / (x - y) < to.0 => to = (x / (x - y), Some(e)),
                _ => {}
            }
        }
        if from.0 > to.0 {
            return from.1.or(to.1).map_or(Lower::End(0), Lower::Beyond);
        }
        let height = |t: f64| self.height(face, p.lerp(q, t));
        let (low, high) = (height(from.0), height(to.0));
        if low.min(high) <= 0.0 && low.max(high) >= 0.0 {
            return Lower::Through;
        }
        let (cut, end) = if low <= high { (from.1, 0) } else { (to.1, 1) };
        cut.map_or(Lower::End(end), Lower::Beyond)
    }
}

/// Lowest point of the part of a segment over a face.
enum Lower {
    /// At this end of the segment.
    End(usize),
    /// Above this edge of the face.
    Beyond(u32),
    /// It passes through the face.
    Through,
}

/// Leaves only a vertex paired with a face. An edge over the face is nearest at an end or over an edge of
/// the face. Returns `true` if an edge passes through a face.
fn clip([a, b]: [&FeatureHull; 2], pose: &RelativePose, features: &mut [Feature; 2]) -> bool {
    let into_b = |p: DVec3| pose.rotation.transpose() * (p - pose.translation);
    if let [Feature::Face(f), Feature::Face(g)] = *features {
        let lowest = b.hull.faces()[g as usize]
            .iter()
            .min_by(|v, w| {
                let height = |v: u32| a.height(f, pose.transform_point(b.at(v)));
                height(**v).total_cmp(&height(**w))
            })
            .copied();
        features[1] = Feature::Vertex(lowest.unwrap_or(0));
    }
    let (side, edge, lower) = match *features {
        [Feature::Face(f), Feature::Edge(e)] => {
            (1, b.edge(e), a.lower_end(f, b.edge(e).map(|v| pose.transform_point(b.at(v)))))
        }
        [Feature::Edge(e), Feature::Face(f)] => {
            (0, a.edge(e), b.lower_end(f, a.edge(e).map(|v| into_b(a.at(v)))))
        }
        _ => return false,
    };
    match lower {
        Lower::End(end) => features[side] = Feature::Vertex(edge[end]),
        Lower::Beyond(beyond) => features[1 - side] = Feature::Edge(beyond),
        Lower::Through => {
            features[side] = Feature::Vertex(edge[0]);
            return true;
        }
    }
    false
}

/// The nearest points of two segments, which may be points.
fn nearest_on_segments([p, q]: [DVec3; 2], [r, s]: [DVec3; 2]) -> (DVec3, DVec3) {
    let (u, v, w) = (q - p, s - r, p - r);
    let (uu, uv, vv) = (u.length_squared(), u.dot(v), v.length_squared());
    let (uw, vw) = (u.dot(w), v.dot(w));
    let share = |x: f64, of: f64| if of > 0.0 { (x / of).clamp(0.0, 1.0) } else { 0.0 };
    let along = share(uv * vw - vv * uw, uu * vv - uv * uv);
    let other = share(uv * along + vw, vv);
    let along = share(uv * other - uw, uu);
    (p + u * along, r + v * other)
}
