//! The world of a certificate: shapes, links with joints, bodies.

use crate::ProofError;
use crate::cbor::Encoder;
use crate::shape::Shape;
use glam::{DAffine3, DMat3, DVec3};
use noli::{Model, Pose};

/// Kind of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointKind {
    /// A rotation about the axis.
    Turn,
    /// A translation along the axis.
    Slide,
}

/// A joint of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Its name.
    pub name: String,
    /// Its motion.
    pub kind: JointKind,
    /// Its direction, of any length but 0.
    pub axis: DVec3,
    /// Limits of its value.
    pub limits: Option<[f64; 2]>,
    /// The joint it follows, the factor and the offset.
    pub mimic: Option<(usize, f64, f64)>,
}

/// A frame fixed to its parent, or moving relative to it by a joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Its name.
    pub name: String,
    /// Index of its parent, a link before it.
    pub parent: usize,
    /// Pose of the joint's frame on the parent.
    pub origin: Pose,
    /// Its joint.
    pub joint: Option<Joint>,
}

/// A shape fixed to a link.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub(crate) name: String,
    pub(crate) link: usize,
    pub(crate) shape: usize,
    pub(crate) pose: Pose,
    pub(crate) padding: f64,
}

/// Bodies of statements: shapes on links. Link 0 is the world.
///
/// ```
/// use noli::{Convex, Model, Pose};
/// use noli_certificate::{Certificate, Region, Scene, Statement};
/// let sphere = Model::new(Convex::sphere(0.5)?)?;
/// let mut scene = Scene::default();
/// let a = scene.add_body("a", 0, &sphere, Pose::IDENTITY, 0.0)?;
/// let b = scene.add_body("b", 0, &sphere, Pose::from_translation(glam::dvec3(2.0, 0.0, 0.0)), 0.0)?;
/// let mut certificate = Certificate::new(scene);
/// let statement = Statement { clearance: 0.75, ..Statement::separated(vec![[a, b]], Region::At(vec![])) };
/// certificate.prove(statement)?;
/// let bytes = certificate.to_bytes();
/// # assert!(bytes.len() < 500);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A copy shares the hierarchies of its meshes, and what certificates of other copies have made of them: a robot whose
/// edges go into several certificates is described once.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    pub(crate) shapes: Vec<Shape>,
    links: Vec<Link>,
    pub(crate) bodies: Vec<Body>,
    /// The link of each joint.
    joints: Vec<usize>,
}

impl Scene {
    /// Adds a link; its index.
    pub fn add_link(&mut self, link: Link) -> Result<usize, ProofError> {
        let index = self.links.len() + 1;
        if link.parent >= index {
            let (name, parent) = (&link.name, link.parent);
            return Err(ProofError::Statement(format!("link `{name}` is added before its parent {parent}")));
        }
        check_pose(&link.name, &link.origin)?;
        if let Some(joint) = &link.joint {
            let in_range = joint.axis.length_squared() > 0.0 && joint.axis.is_finite();
            if !in_range {
                return Err(ProofError::Limit(format!(
                    "the axis of joint `{}` has no direction",
                    joint.name
                )));
            }
            self.joints.push(index);
        }
        self.links.push(link);
        Ok(index)
    }

    /// Adds a body on a link; its index. Equal models share their shape in the certificate.
    pub fn add_body(
        &mut self,
        name: &str,
        link: usize,
        model: &Model,
        pose: Pose,
        padding: f64,
    ) -> Result<usize, ProofError> {
        if link > self.links.len() {
            return Err(ProofError::Statement(format!(
                "body `{name}` is on link {link}, which does not exist"
            )));
        }
        check_pose(name, &pose)?;
        if !(padding >= 0.0 && padding.is_finite()) {
            return Err(ProofError::Limit(format!("the padding {padding} of `{name}` is no length")));
        }
        let shape = match self.shapes.iter().position(|shape| same(&shape.model, model)) {
            Some(shape) => shape,
            None => {
                self.shapes.push(Shape::new(name, model)?);
                self.shapes.len() - 1
            }
        };
        self.bodies.push(Body { name: name.to_owned(), link, shape, pose, padding });
        Ok(self.bodies.len() - 1)
    }

    /// The body with these properties, if there is one.
    pub(crate) fn find_body(
        &self,
        name: &str,
        link: usize,
        model: &Model,
        (pose, padding): (Pose, f64),
    ) -> Option<usize> {
        self.bodies.iter().position(|body| {
            let placed = (body.link, body.pose, body.padding) == (link, pose, padding);
            placed && body.name == name && same(&self.shapes[body.shape].model, model)
        })
    }

    /// Number of joints: the length of a configuration.
    pub fn joint_count(&self) -> usize {
        self.joints.len()
    }

    /// The joints, in the order of a configuration.
    pub fn joints(&self) -> impl ExactSizeIterator<Item = &Joint> {
        let joint = |&link: &usize| self.links[link - 1].joint.as_ref();
        self.joints.iter().map(move |link| joint(link).unwrap_or_else(|| unreachable!("listed by add_link")))
    }

    /// Lets a joint follow another.
    pub(crate) fn set_mimic(&mut self, joint: usize, relation: (usize, f64, f64)) {
        let link = self.joints[joint];
        if let Some(joint) = &mut self.links[link - 1].joint {
            joint.mimic = Some(relation);
        }
    }

    /// The name of a body.
    pub fn body_name(&self, body: usize) -> &str {
        &self.bodies[body].name
    }

    /// Number of bodies.
    pub fn body_count(&self) -> usize {
        self.bodies.len()
    }

    pub(crate) fn shape_of(&self, body: usize) -> &Shape {
        &self.shapes[self.bodies[body].shape]
    }

    /// Number of links, without the world.
    pub(crate) fn link_count(&self) -> usize {
        self.links.len()
    }

    pub(crate) fn link(&self, link: usize) -> Option<&Link> {
        self.links.get(link.checked_sub(1)?)
    }

    /// The number of the joint of a link.
    pub(crate) fn joint_of(&self, link: usize) -> Option<usize> {
        self.joints.binary_search(&link).ok()
    }

    /// A link and its ancestors, without the world.
    pub(crate) fn ancestors(&self, link: usize) -> Vec<usize> {
        let up = |&link: &usize| self.link(link).map(|link| link.parent).filter(|&parent| parent != 0);
        std::iter::successors(Some(link).filter(|&link| link != 0), up).collect()
    }

    /// Returns `true` if two bodies are on links of which at least one moves and which differ: pairs that a complete
    /// statement lists.
    pub fn is_pair(&self, a: usize, b: usize) -> bool {
        let links = [a, b].map(|body| self.bodies[body].link);
        let moves = |link: usize| self.ancestors(link).iter().any(|&link| self.joint_of(link).is_some());
        links[0] != links[1] && links.into_iter().any(moves)
    }

    pub(crate) fn write_links(&self, out: &mut Encoder) {
        out.array(self.links.len() + 1);
        out.map(1);
        out.text("name");
        out.text("world");
        for link in &self.links {
            out.map(3 + usize::from(link.joint.is_some()));
            out.text("name");
            out.text(&link.name);
            out.text("parent");
            out.index(link.parent);
            out.text("origin");
            write_pose(&link.origin, out);
            if let Some(joint) = &link.joint {
                out.text("joint");
                joint.write(out);
            }
        }
    }

    pub(crate) fn write_bodies(&self, out: &mut Encoder) {
        out.array(self.bodies.len());
        for body in &self.bodies {
            out.map(5);
            out.text("name");
            out.text(&body.name);
            out.text("link");
            out.index(body.link);
            out.text("shape");
            out.index(body.shape);
            out.text("pose");
            write_pose(&body.pose, out);
            out.text("padding");
            out.number(body.padding);
        }
    }
}

impl Joint {
    fn write(&self, out: &mut Encoder) {
        out.map(3 + usize::from(self.limits.is_some()) + usize::from(self.mimic.is_some()));
        out.text("kind");
        out.text(match self.kind {
            JointKind::Turn => "turn",
            JointKind::Slide => "slide",
        });
        out.text("axis");
        out.numbers(&self.axis.to_array());
        out.text("name");
        out.text(&self.name);
        if let Some(limits) = &self.limits {
            out.text("limits");
            out.numbers(limits);
        }
        if let Some((joint, multiplier, offset)) = self.mimic {
            out.text("mimic");
            out.array(3);
            out.index(joint);
            out.number(multiplier);
            out.number(offset);
        }
    }

    /// Motion of the frame for a value.
    pub(crate) fn movement(&self, value: f64) -> DAffine3 {
        let axis = self.axis.normalize();
        match self.kind {
            JointKind::Turn => DAffine3::from_mat3(DMat3::from_axis_angle(axis, value)),
            JointKind::Slide => DAffine3::from_translation(axis * value),
        }
    }
}

pub(crate) fn affine(pose: &Pose) -> DAffine3 {
    DAffine3 { matrix3: pose.rotation_matrix(), translation: pose.translation }
}

fn write_pose(pose: &Pose, out: &mut Encoder) {
    let ([x, y, z], [i, j, k, w]) = (pose.translation.to_array(), pose.rotation.to_array());
    if [i, j, k] == [0.0; 3] {
        out.numbers(&[x, y, z]);
    } else {
        out.numbers(&[x, y, z, i, j, k, w]);
    }
}

fn check_pose(name: &str, pose: &Pose) -> Result<(), ProofError> {
    if pose.is_valid() { Ok(()) } else { Err(ProofError::Limit(format!("invalid pose of `{name}`"))) }
}

/// Returns `true` if two models certainly have the same shape.
fn same(a: &Model, b: &Model) -> bool {
    match (a.mesh(), b.mesh(), a.convex(), b.convex()) {
        (Some(a), Some(b), ..) => a.vertices().len() == b.vertices().len() && a == b,
        (_, _, Some(a), Some(b)) => a == b,
        _ => false,
    }
}
