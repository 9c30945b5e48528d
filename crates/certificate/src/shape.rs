//! Shapes of a certificate, and their parts in cuts.

use crate::ProofError;
use crate::canonical::Canonical;
use crate::cbor::Encoder;
use crate::cover::Cover;
use glam::DVec3;
use noli::model::Core;
use noli::{Convex, Model};
use noli_geom::MeshKind;
use std::sync::{Arc, OnceLock};

/// A shape as a certificate states it. Copies share everything but the nodes that proofs split.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) model: Model,
    pub(crate) form: Form,
    extent: Arc<OnceLock<Vec<DVec3>>>,
    probes: Arc<OnceLock<Vec<DVec3>>>,
}

/// Form of a shape.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    Mesh(Box<MeshForm>),
    Box { half: DVec3 },
    Sphere { radius: f64 },
    Capsule { half_length: f64, radius: f64 },
    Cylinder { half_length: f64, radius: f64 },
}

/// A mesh with its cover.
#[derive(Clone, Debug)]
pub(crate) struct MeshForm {
    pub(crate) canonical: Arc<Canonical>,
    pub(crate) cover: Cover,
    pub(crate) solid: bool,
}

/// A part of a shape in a cut: a node of its cover, a face, or all of a primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    Tree(u32),
    Face(u32),
    Whole,
}

impl Shape {
    /// A mesh, a polyhedron, or a primitive without rounding that the format has.
    pub(crate) fn new(name: &str, model: &Model) -> Result<Self, ProofError> {
        let form = match model.convex().map(|convex| (convex, primitive(convex))) {
            Some((_, Some(form))) => form,
            Some((convex, None)) if convex.radius() != 0.0 || !convex.core().is_polyhedral() => {
                return Err(ProofError::Shape { name: name.to_owned() });
            }
            convex => mesh(name, model, convex.is_some())?,
        };
        Ok(Self { model: model.clone(), form, extent: Arc::default(), probes: Arc::default() })
    }

    pub(crate) fn mesh(&self) -> Option<&MeshForm> {
        match &self.form {
            Form::Mesh(mesh) => Some(mesh),
            _ => None,
        }
    }

    pub(crate) fn solid_mesh(&self) -> Option<&MeshForm> {
        self.mesh().filter(|mesh| mesh.solid)
    }

    pub(crate) fn root(&self) -> Node {
        if self.mesh().is_some() { Node::Tree(0) } else { Node::Whole }
    }

    /// The point of a part that is furthest along a direction.
    pub(crate) fn support_point(&self, node: Node, direction: DVec3) -> DVec3 {
        let signed = |half: DVec3| half * direction.map(|c| if c >= 0.0 { 1.0 } else { -1.0 });
        let up = if direction.z >= 0.0 { DVec3::Z } else { -DVec3::Z };
        match &self.form {
            Form::Mesh(mesh) => mesh.support_point(node, direction),
            Form::Box { half } => signed(*half),
            Form::Sphere { radius } => direction.normalize_or_zero() * *radius,
            Form::Capsule { half_length, radius } => {
                up * *half_length + direction.normalize_or_zero() * *radius
            }
            Form::Cylinder { half_length, radius } => {
                up * *half_length + direction.with_z(0.0).normalize_or_zero() * *radius
            }
        }
    }

    /// A point in the middle of a part.
    pub(crate) fn center(&self, node: Node) -> DVec3 {
        match (&self.form, node) {
            (Form::Mesh(mesh), Node::Tree(node)) => mesh.cover.node_box(node, &mesh.canonical).center,
            (Form::Mesh(mesh), Node::Face(face)) => mesh.face(face).iter().sum::<DVec3>() / 3.0,
            _ => DVec3::ZERO,
        }
    }

    /// A measure of how large a part is; 0 if it has no children.
    pub(crate) fn size(&self, node: Node) -> f64 {
        match (&self.form, node) {
            (Form::Mesh(mesh), Node::Tree(node)) => mesh.cover.node_box(node, &mesh.canonical).size(),
            _ => 0.0,
        }
    }

    /// Points in whose convex hull the shape is, except for a radius.
    pub(crate) fn extent(&self) -> (&[DVec3], f64) {
        let box_vertices = |half: DVec3| noli_geom::Aabb { min: -half, max: half }.vertices().to_vec();
        let points = self.extent.get_or_init(|| match &self.form {
            Form::Mesh(mesh) => mesh.cover.extent(&mesh.canonical),
            Form::Box { half } => box_vertices(*half),
            Form::Sphere { .. } => vec![DVec3::ZERO],
            Form::Capsule { half_length, .. } => vec![DVec3::Z * *half_length, DVec3::Z * -half_length],
            Form::Cylinder { half_length, radius } => {
                box_vertices(DVec3::new(*radius, *radius, *half_length))
            }
        });
        let radius = match &self.form {
            Form::Sphere { radius } | Form::Capsule { radius, .. } => *radius,
            _ => 0.0,
        };
        (points, radius)
    }

    /// A parallelepiped, by its centre and half axes, and a radius: all points of the shape are within the radius of it.
    pub(crate) fn bound(&self) -> (DVec3, [DVec3; 3], f64) {
        let around = |half: DVec3| [DVec3::X * half.x, DVec3::Y * half.y, DVec3::Z * half.z];
        match &self.form {
            Form::Mesh(mesh) => {
                let root = mesh.cover.node_box(0, &mesh.canonical);
                (root.center, root.axes, 0.0)
            }
            Form::Box { half } => (DVec3::ZERO, around(*half), 0.0),
            Form::Sphere { radius } => (DVec3::ZERO, [DVec3::ZERO; 3], *radius),
            Form::Capsule { half_length, radius } => (DVec3::ZERO, around(DVec3::Z * *half_length), *radius),
            Form::Cylinder { half_length, radius } => {
                (DVec3::ZERO, around(DVec3::new(*radius, *radius, *half_length)), 0.0)
            }
        }
    }

    /// A point of each component.
    pub(crate) fn probes(&self) -> &[DVec3] {
        self.probes.get_or_init(|| self.mesh().map_or(vec![DVec3::ZERO], |mesh| mesh.canonical.probes()))
    }

    /// SHA-256 of the canonical triangles of a mesh.
    pub(crate) fn sha256(&self) -> Option<[u8; 32]> {
        self.mesh().map(|mesh| mesh.canonical.sha256)
    }

    /// Writes the shape; a mesh with its triangles or without them, and with the number of its source file.
    pub(crate) fn write(&self, with_triangles: bool, source: Option<usize>, out: &mut Encoder) {
        match &self.form {
            Form::Mesh(mesh) => {
                out.map(4 + usize::from(with_triangles) + usize::from(source.is_some()));
                kind(out, "mesh");
                out.text("sha256");
                out.blob(&mesh.canonical.sha256);
                out.text("count");
                out.index(mesh.canonical.triangles.len());
                out.text("solid");
                out.bool(mesh.solid);
                if with_triangles {
                    out.text("triangles");
                    out.blob(&mesh.canonical.bytes);
                }
                if let Some(source) = source {
                    out.text("source");
                    out.index(source);
                }
            }
            Form::Box { half } => {
                out.map(2);
                kind(out, "box");
                out.text("size");
                out.numbers(&(*half * 2.0).to_array());
            }
            Form::Sphere { radius } => write_round(out, "sphere", *radius, None),
            Form::Capsule { half_length, radius } => {
                write_round(out, "capsule", *radius, Some(2.0 * half_length));
            }
            Form::Cylinder { half_length, radius } => {
                write_round(out, "cylinder", *radius, Some(2.0 * half_length));
            }
        }
    }
}

fn kind(out: &mut Encoder, kind: &str) {
    out.text("kind");
    out.text(kind);
}

fn write_round(out: &mut Encoder, name: &str, radius: f64, length: Option<f64>) {
    out.map(2 + usize::from(length.is_some()));
    kind(out, name);
    out.text("radius");
    out.number(radius);
    if let Some(length) = length {
        out.text("length");
        out.number(length);
    }
}

/// The primitive of a convex body, if the format has it.
fn primitive(convex: &Convex) -> Option<Form> {
    match (convex.core(), convex.radius()) {
        (Core::Point, radius) if radius > 0.0 => Some(Form::Sphere { radius }),
        (Core::Segment { half_length }, radius) if radius > 0.0 => {
            Some(Form::Capsule { half_length: *half_length, radius })
        }
        (Core::Box { half_extents }, 0.0) if half_extents.min_element() > 0.0 => {
            Some(Form::Box { half: *half_extents })
        }
        (Core::Cylinder { half_height, radius }, 0.0) if half_height.min(*radius) > 0.0 => {
            Some(Form::Cylinder { half_length: *half_height, radius: *radius })
        }
        _ => None,
    }
}

fn mesh(name: &str, model: &Model, convex: bool) -> Result<Form, ProofError> {
    let (mesh, tree, _) =
        noli::seams::faces(model).ok_or_else(|| ProofError::Shape { name: name.to_owned() })?;
    if mesh.is_empty() {
        return Err(ProofError::Empty { name: name.to_owned() });
    }
    // A polyhedron is the solid between its faces; a flat one is all surface.
    let solid = mesh.kind() == MeshKind::Solid || (convex && mesh.is_closed());
    if solid && !mesh.is_closed() {
        return Err(ProofError::Open { name: name.to_owned() });
    }
    let (canonical, cover) = (Arc::new(Canonical::new(mesh)), Cover::new(tree));
    Ok(Form::Mesh(Box::new(MeshForm { canonical, cover, solid })))
}

impl MeshForm {
    pub(crate) fn face(&self, face: u32) -> &[DVec3; 3] {
        &self.canonical.triangles[face as usize]
    }

    fn support_point(&self, node: Node, direction: DVec3) -> DVec3 {
        let face = match node {
            Node::Tree(node) => {
                return self.cover.node_box(node, &self.canonical).support_point(direction);
            }
            Node::Face(face) => face,
            Node::Whole => 0,
        };
        let [a, b, c] = *self.face(face);
        let further = |x: DVec3, y: DVec3| if y.dot(direction) > x.dot(direction) { y } else { x };
        further(further(a, b), c)
    }

    /// The children of a part, in the order of the file; none for a face.
    pub(crate) fn children(&self, node: Node) -> Vec<Node> {
        let Node::Tree(node) = node else { return Vec::new() };
        let children = self.cover.children(node);
        if children.is_empty() {
            self.cover.faces(node, &self.canonical).map(Node::Face).collect()
        } else {
            children.map(Node::Tree).collect()
        }
    }
}
