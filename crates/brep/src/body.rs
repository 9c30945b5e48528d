//! A body: faces, edges, and a tree of its patches.

use crate::boundary::Edge;
use crate::bounds::{Cover, bounds};
use crate::face::{Face, FaceSpec};
use crate::hull::Hull;
use crate::patch::Patch;
use crate::region::FaceFault;
use crate::rim::replace_by_circles;
use crate::shell::{ShellReport, orient};
use crate::surface::SurfaceKind;
use glam::DVec3;
use noli_geom::{Aabb, Sphere};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// A boundary representation: trimmed faces on curved surfaces.
///
/// ```
/// use noli_brep::{Brep, Options, relation};
/// use noli_geom::{Pose, Relation};
/// let (pin, bush) = (Brep::cylinder(8.0, 30.0), Brep::bush(8.0075, 16.0, 20.0));
/// let found = relation(&pin, &bush, &Pose::IDENTITY, &Pose::IDENTITY, &Options::default());
/// assert_eq!(found.relation, Relation::Separated);
/// assert!((found.clearance.at_least - 0.0075).abs() < 1e-11);
/// assert!((found.fits[0].clearance - 0.0075).abs() < 1e-12);
/// ```
#[derive(Clone, Debug)]
pub struct Brep {
    pub(crate) name: String,
    pub(crate) edges: Vec<Edge>,
    pub(crate) faces: Vec<Face>,
    pub(crate) patches: Vec<Patch>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) is_solid: bool,
    shell: ShellReport,
    pub(crate) bounds: Aabb,
    pub(crate) uncertainty: f64,
    /// Bound on the distance of its curves and surfaces from those of its file.
    pub(crate) deviation: f64,
    /// Greatest distance between an edge and the surface of its face, where they were compared.
    pub(crate) gap: f64,
    /// Bound on the error of its points.
    pub(crate) rounding: f64,
    /// Largest coordinate of its box and of the origins of its surfaces.
    pub(crate) farthest: f64,
    /// Its convex hull, if it is simple.
    pub(crate) hull: Option<Hull>,
    /// Spheres inside it, once they are needed.
    pub(crate) inner: [OnceLock<Vec<Sphere>>; 2],
}

/// A box and a sphere around some patches: a leaf holds one, an inner node has two children.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) center: DVec3,
    /// Half the edges of the box.
    pub(crate) half: DVec3,
    pub(crate) radius: f64,
    pub(crate) content: Content,
}

impl Node {
    /// A lower bound of the distance of a point from the patches.
    pub(crate) fn distance_to(&self, point: DVec3) -> f64 {
        let offset = point - self.center;
        let outside = (offset.abs() - self.half).max(DVec3::ZERO);
        (offset.length() - self.radius).max(outside.length())
    }

    /// Returns `true` if a ray passes the box at more than `room`; `inverse` holds the inverses of the coordinates of
    /// its direction.
    pub(crate) fn is_missed_by(&self, origin: DVec3, inverse: DVec3, room: f64) -> bool {
        let middle = (self.center - origin) * inverse;
        let reach = (self.half + room) * inverse.abs();
        (middle + reach).min_element() < (middle - reach).max_element().max(0.0)
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Content {
    Patch(u32),
    Children([u32; 2]),
}

/// A face that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("face {face}, {kind}: {fault}")]
pub struct FaceError {
    /// Number of the face.
    pub face: usize,
    /// Kind of its surface.
    pub kind: SurfaceKind,
    /// Why it cannot be used.
    pub fault: FaceFault,
}

impl Brep {
    /// The body of these faces; a solid if they are closed.
    pub fn new(
        name: &str,
        mut edges: Vec<Edge>,
        mut faces: Vec<FaceSpec>,
        is_solid: bool,
    ) -> Result<Self, FaceError> {
        for face in &faces {
            replace_by_circles(&mut edges, &face.surface, &face.loops);
        }
        let turned_faces = orient(&mut faces, &edges);
        let loops = faces.iter().flat_map(|face| face.loops.iter().flatten().copied());
        let shell = ShellReport { turned_faces, ..ShellReport::new(edges.len(), loops) };
        let mut body = Self {
            name: name.to_owned(),
            edges,
            faces: Vec::with_capacity(faces.len()),
            patches: Vec::new(),
            nodes: Vec::new(),
            is_solid,
            shell,
            bounds: Aabb::EMPTY,
            uncertainty: 0.0,
            deviation: 0.0,
            gap: 0.0,
            rounding: 0.0,
            farthest: 0.0,
            hull: None,
            inner: Default::default(),
        };
        for (number, spec) in faces.into_iter().enumerate() {
            let kind = spec.surface.kind();
            let made =
                Face::new(number as u32, spec.surface, spec.same_sense, spec.loops, spec.name, &body.edges);
            let (face, patches) = made.map_err(|fault| FaceError { face: number, kind, fault })?;
            body.faces.push(face);
            body.patches.extend(patches);
        }
        body.bounds = bounds(Cover { patches: &body.patches, faces: &body.faces, edges: &body.edges });
        let over = |of: fn(&Face) -> f64| body.faces.iter().map(of).fold(0.0, f64::max);
        (body.gap, body.rounding) = (over(|face| face.gap), over(|face| face.rounding));
        let origins = over(|face| face.surface.frame().map_or(0.0, |f| f.origin.abs().max_element()));
        body.farthest = body.bounds.min.abs().max(body.bounds.max.abs()).max_element().max(origins);
        body.hull = Hull::new(&body.faces, &body.edges);
        let mut order: Vec<u32> = (0..body.patches.len() as u32).collect();
        if !order.is_empty() {
            body.build(&mut order);
        }
        Ok(body)
    }

    /// Builds the subtree of some patches and returns its number.
    fn build(&mut self, order: &mut [u32]) -> u32 {
        let number = self.nodes.len() as u32;
        let patches = || order.iter().map(|&p| &self.patches[p as usize]);
        let bounds = patches().fold(Aabb::EMPTY, |bounds, patch| bounds.union(patch.bounds()));
        let center = bounds.center();
        let reach = |patch: &Patch| {
            patch.points.map(|p| p.distance(center)).into_iter().fold(0.0, f64::max) + patch.outward
        };
        let room = 1.0 + 2f64.powi(-40);
        let radius = patches().map(reach).fold(0.0, f64::max) * room;
        let half = (bounds.max - center).max(center - bounds.min) * room;
        let is_leaf = order.len() == 1;
        let content = if is_leaf { Content::Patch(order[0]) } else { Content::Children([0, 0]) };
        self.nodes.push(Node { center, half, radius, content });
        if is_leaf {
            return number;
        }
        let middle = |p: u32| self.patches[p as usize].bounds().center();
        let axis = Aabb::from_points(order.iter().map(|&p| middle(p))).longest_axis();
        let half = order.len() / 2;
        order.select_nth_unstable_by(half, |&a, &b| middle(a)[axis].total_cmp(&middle(b)[axis]));
        let (left, right) = order.split_at_mut(half);
        let children = [self.build(left), self.build(right)];
        self.nodes[number as usize].content = Content::Children(children);
        number
    }

    /// Its name; may be empty.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The same body with another name.
    pub fn named(mut self, name: &str) -> Self {
        self.name = name.to_owned();
        self
    }

    /// Its faces.
    pub fn faces(&self) -> &[Face] {
        &self.faces
    }

    /// Its edges.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Returns `true` if its faces bound a solid.
    pub fn is_solid(&self) -> bool {
        self.is_solid
    }

    /// How its faces fit together. A body of a file whose report is not closed bounds a solid by name only.
    pub fn shell_report(&self) -> ShellReport {
        ShellReport { gap: self.gap, ..self.shell }
    }

    /// Returns `true` if its file gives triangles in place of its surfaces.
    pub fn is_tessellated(&self) -> bool {
        self.faces.first().is_some_and(|face| face.kind == SurfaceKind::Triangles)
    }

    /// A box around it: larger than the smallest one by a ten-thousandth, or by a few hundredths where searching for that
    /// takes long.
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// Largest edge of its box.
    pub fn size(&self) -> f64 {
        self.bounds.size().max_element().max(0.0)
    }

    /// The uncertainty that its file states, a length.
    pub fn uncertainty(&self) -> f64 {
        self.uncertainty
    }

    /// Bound on the distance of its curves and surfaces from those of its file, where splines were recognised as lines,
    /// circles, planes, cylinders or spheres.
    pub fn deviation(&self) -> f64 {
        self.deviation
    }

    /// Greatest distance between an edge and the surface of its face, where they were compared.
    pub fn gap(&self) -> f64 {
        self.gap
    }

    /// Numbers of faces by kind of surface in the file.
    pub fn kinds(&self) -> BTreeMap<SurfaceKind, usize> {
        let mut kinds = BTreeMap::new();
        for same in self.faces.chunk_by(|a, b| a.group == b.group) {
            *kinds.entry(same[0].kind).or_insert(0) += 1;
        }
        kinds
    }

    /// A name of a face for people: its name in the file, or its kind and number.
    pub fn face_name(&self, face: usize) -> String {
        match self.faces.get(face) {
            Some(found) if !found.name.is_empty() => found.name.clone(),
            Some(found) if found.kind == SurfaceKind::Triangles => format!("triangles {}", found.group),
            Some(found) => format!("{} {face}", found.surface.kind()),
            None => format!("face {face}"),
        }
    }
}
