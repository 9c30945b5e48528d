//! Parts of a solid in convex cells, and plane cuts of them.

use glam::DVec3;
use noli_geom::{Hull, Mesh, Polytope};
use robust::Coord3D;

/// A plane, by points or by a coordinate, so that the side of any point is exact.
#[derive(Clone, Copy, Debug)]
pub(super) enum Plane {
    /// Through three points.
    Through([DVec3; 3]),
    /// Plane of constant coordinate.
    Axis { axis: usize, at: f64 },
}

impl Plane {
    /// −1 below, 0 on it, 1 above. Exact unless products leave the range of numbers.
    fn side(&self, point: DVec3) -> i8 {
        match self {
            Self::Through(points) => orientation(*points, point),
            Self::Axis { axis, at } => sign(point[*axis] - at),
        }
    }

    fn normal(&self) -> Option<DVec3> {
        match self {
            Self::Through([a, b, c]) => (b - a).cross(c - a).try_normalize(),
            Self::Axis { axis, .. } => Some(DVec3::AXES[*axis]),
        }
    }

    /// Signed height of a point above the plane, rounded, for the plane's own normal.
    fn height(&self, normal: DVec3, point: DVec3) -> f64 {
        match self {
            Self::Through([a, ..]) => normal.dot(point - a),
            Self::Axis { axis, at } => point[*axis] - at,
        }
    }
}

fn sign(x: f64) -> i8 {
    (x > 0.0) as i8 - (x < 0.0) as i8
}

/// On which side of a plane through three points, counter-clockwise seen from above, a point lies.
fn orientation([a, b, c]: [DVec3; 3], point: DVec3) -> i8 {
    let [a, b, c, d] = [a, b, c, point].map(|p| Coord3D { x: p.x, y: p.y, z: p.z });
    // Positive below, by the convention there.
    -sign(robust::orient3d(a, b, c, d))
}

/// Returns `true` if a hull contains a point. Exact.
pub(super) fn holds(hull: &Hull, point: DVec3) -> bool {
    let vertex = |v: u32| hull.vertices()[v as usize];
    let below = |face: &[u32]| {
        // Vertices of a face are no mixture of others, so any three span its plane.
        orientation([vertex(face[0]), vertex(face[1]), vertex(face[2])], point) <= 0
    };
    match hull.dimension() {
        3 => hull.faces().iter().all(below),
        // Both sides of the plane, and within the loop: rare enough to be told by the vertices alone.
        _ => hull.vertices().contains(&point),
    }
}

/// The faces of a solid as far as they lie in a cell.
#[derive(Clone)]
pub(super) struct Part {
    vertices: Vec<DVec3>,
    /// The polygons follow each other in `vertices`; polygon `k` ends at `ends[k]`.
    ends: Vec<u32>,
    /// The triangle of the mesh that a polygon is a part of.
    sources: Vec<u32>,
    pub(super) cell: Polytope,
    /// Vertices of the cell that lie in the solid.
    pub(super) inner: Vec<DVec3>,
}

/// Directions whose support points represent a hull in the choice of a cut.
fn directions() -> impl Iterator<Item = DVec3> {
    (0..48u32).map(|k| {
        // Spread evenly by irrational turns.
        let z = 1.0 - (2.0 * f64::from(k) + 1.0) / 48.0;
        let angle = f64::from(k) * 2.399_963_229_728_653;
        let flat = (1.0 - z * z).sqrt();
        DVec3::new(flat * angle.cos(), flat * angle.sin(), z)
    })
}

/// Number of points evaluated in the choice of a cut.
const SAMPLES: usize = 6_000;

impl Part {
    /// All faces, in a cell with room around them.
    pub(super) fn whole(mesh: &Mesh) -> Option<Self> {
        let bounds = mesh.aabb();
        let cell = Polytope::cuboid(&bounds.expanded(0.1 * bounds.size().length()))?;
        let (mut vertices, mut ends, mut sources) = (Vec::new(), Vec::new(), Vec::new());
        for (number, triangle) in (0u32..).zip(mesh.iter_triangles()) {
            vertices.extend(triangle.vertices);
            ends.push(vertices.len() as u32);
            sources.push(number);
        }
        Some(Self { vertices, ends, sources, cell, inner: Vec::new() })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.vertices.is_empty() && self.inner.is_empty()
    }

    /// All points that its hull is the hull of.
    pub(super) fn points(&self) -> impl Iterator<Item = DVec3> + '_ {
        self.vertices.iter().chain(&self.inner).copied()
    }

    pub(super) fn polygons(&self) -> impl Iterator<Item = &[DVec3]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.vertices[start as usize..*end as usize])
    }

    /// Triangles of the mesh with a polygon here that come as near as this to a point.
    pub(super) fn sources_near(&self, mesh: &Mesh, point: DVec3, within: f64) -> Vec<u32> {
        let near = |source: &u32| mesh.triangle(*source).closest_to(point).distance(point) <= within;
        let mut found: Vec<u32> = self.sources.iter().copied().filter(near).collect();
        found.dedup();
        found.truncate(32);
        found
    }

    /// Both parts of a cut; `None` if the plane does not pass through the cell.
    pub(super) fn cut(&self, plane: &Plane) -> Option<[Self; 2]> {
        let normal = plane.normal()?;
        let offset = match plane {
            Plane::Through([a, ..]) => normal.dot(*a),
            Plane::Axis { at, .. } => *at,
        };
        let cells = self.cell.halves(normal, offset)?;
        let mut parts = cells.map(|cell| Self {
            vertices: Vec::new(),
            ends: Vec::new(),
            sources: Vec::new(),
            cell,
            inner: Vec::new(),
        });
        let mut sides: Vec<i8> = Vec::new();
        for (polygon, source) in self.polygons().zip(&self.sources) {
            sides.clear();
            sides.extend(polygon.iter().map(|point| plane.side(*point)));
            if sides.iter().all(|side| *side == 0) {
                // A wall in the plane: the solid is behind it.
                let facing = area_vector(polygon).dot(normal);
                parts[usize::from(facing < 0.0)].push(polygon.iter().copied(), *source);
                continue;
            }
            for (part, which) in parts.iter_mut().zip([-1i8, 1]) {
                if sides.iter().any(|side| side * which > 0) {
                    part.push(clip(polygon, &sides, which, plane, normal), *source);
                }
            }
        }
        Some(parts)
    }

    fn push(&mut self, polygon: impl IntoIterator<Item = DVec3>, source: u32) {
        self.vertices.extend(polygon);
        self.ends.push(self.vertices.len() as u32);
        self.sources.push(source);
    }

    /// Computes, after a cut, the distance of the outermost of some points that a hull still contains, and the
    /// total volume of both hulls. Both are approximate. `None` if all points are on one side.
    pub(super) fn after_cut(&self, plane: &Plane, pocket: &[(f64, DVec3)]) -> Option<(f64, f64)> {
        let normal = plane.normal()?;
        let directions: Vec<DVec3> = directions().collect();
        let mut sides = [(); 2].map(|()| Furthest { directions: &directions, found: Vec::new() });
        let stride = self.ends.len().div_ceil(SAMPLES / 3).max(1);
        let mut strictly = [false; 2];
        for polygon in self.polygons().step_by(stride) {
            let count = polygon.len();
            for k in 0..count {
                let (here, next) = (polygon[k], polygon[(k + 1) % count]);
                let (h, g) = (plane.height(normal, here), plane.height(normal, next));
                if h <= 0.0 {
                    sides[0].add(here);
                }
                if h >= 0.0 {
                    sides[1].add(here);
                }
                strictly[0] |= h < 0.0;
                strictly[1] |= h > 0.0;
                if h * g < 0.0 {
                    let middle = here + (next - here) * (h / (h - g));
                    sides.iter_mut().for_each(|side| side.add(middle));
                }
            }
        }
        for vertex in &self.inner {
            sides[usize::from(plane.height(normal, *vertex) > 0.0)].add(*vertex);
        }
        if strictly != [true; 2] {
            return None;
        }
        let (mut reach, mut volumes) = (0.0, [0.0; 2]);
        for (side, volume) in sides.iter().zip(&mut volumes) {
            let hull = Hull::new(side.found.iter().map(|(_, point)| *point)).ok();
            let Some(hull) = hull.filter(|hull| hull.dimension() == 3) else { continue };
            *volume = crate::penetration::hull_volume(&hull);
            // Furthest first, so the first that is held is the one.
            let held = pocket.iter().find(|(_, point)| holds_roughly(&hull, *point));
            reach = held.map_or(reach, |(depth, _)| depth.max(reach));
        }
        let [x, y] = volumes;
        // Of cuts that gain as much, the one in the middle.
        Some((reach, x + y + 1e-3 * (x - y).abs()))
    }
}

fn holds_roughly(hull: &Hull, point: DVec3) -> bool {
    (0..hull.faces().len()).all(|face| {
        let vertex = hull.vertices()[hull.faces()[face][0] as usize];
        hull.normal(face).dot(point - vertex) <= 0.0
    })
}

/// The furthest points in some directions.
struct Furthest<'d> {
    directions: &'d [DVec3],
    found: Vec<(f64, DVec3)>,
}

impl Furthest<'_> {
    fn add(&mut self, point: DVec3) {
        if self.found.is_empty() {
            self.found = self.directions.iter().map(|direction| (direction.dot(point), point)).collect();
            return;
        }
        for (direction, best) in self.directions.iter().zip(&mut self.found) {
            let height = direction.dot(point);
            if height > best.0 {
                *best = (height, point);
            }
        }
    }
}

fn area_vector(polygon: &[DVec3]) -> DVec3 {
    let first = polygon[0];
    polygon[1..].windows(2).map(|w| (w[0] - first).cross(w[1] - first)).sum()
}

/// The part of a polygon on one side, whose vertices have these sides.
fn clip(polygon: &[DVec3], sides: &[i8], which: i8, plane: &Plane, normal: DVec3) -> Vec<DVec3> {
    let count = polygon.len();
    let mut kept = Vec::with_capacity(count + 1);
    for k in 0..count {
        let next = (k + 1) % count;
        if sides[k] * which >= 0 {
            kept.push(polygon[k]);
        }
        if sides[k] * sides[next] < 0 {
            // From the same end whichever face it is an edge of, so that neighbours agree.
            let (from, to) = match polygon[k].to_array() < polygon[next].to_array() {
                true => (polygon[k], polygon[next]),
                false => (polygon[next], polygon[k]),
            };
            let (h, g) = (plane.height(normal, from), plane.height(normal, to));
            let share = if h == g { 0.5 } else { (h / (h - g)).clamp(0.0, 1.0) };
            let mut point = from + (to - from) * share;
            if let Plane::Axis { axis, at } = plane {
                point[*axis] = *at;
            }
            kept.push(point);
        }
    }
    kept
}
