//! Bodies as a page draws them.
//!
//! Graphics GPUs count in 32 bits. So what is far from the origin is brought to the middle in 64 bits first: a page
//! draws `R(v - c) + (R c + t - middle)`, where `c` is the middle of the body's own box, and neither part is large.

use crate::scene::{PageScene, SceneBody};
use crate::words;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use glam::DVec3;
use noli::model::Aabb;
use noli::{Mesh, Pose};
use noli_project::Staged;
use serde::Serialize;
use std::collections::HashMap;
use std::path::PathBuf;

/// Triangles on a page: some 25 MB. Bodies beyond that are drawn as boxes, those that matter least first.
const MOST_TRIANGLES: usize = 2_000_000;
/// Size of the scene on the page.
pub const SIZE: f64 = 100.0;

/// Up axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Up {
    /// As in glTF.
    Y,
    /// As in most other files.
    #[default]
    Z,
}

impl Up {
    /// Returns the up axis of most input files: y for glTF; other formats define none.
    pub fn of_files(inputs: &[PathBuf]) -> Self {
        let is_gltf = |path: &PathBuf| {
            let extension = path.extension().map(|extension| extension.to_ascii_lowercase());
            extension.is_some_and(|extension| extension == "gltf" || extension == "glb")
        };
        if !inputs.is_empty() && inputs.iter().all(is_gltf) { Self::Y } else { Self::Z }
    }
}

/// From the scene to the page: `(x - middle) * scale`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Point that becomes the origin.
    pub middle: DVec3,
    /// Scale factor of lengths.
    pub scale: f64,
}

impl View {
    /// Fits all bodies at a normal size around the origin. Half-spaces are unbounded; the other bodies set the
    /// scale.
    pub fn new(staged: &Staged) -> Self {
        let finite = |bounds: &Aabb| !bounds.is_empty() && bounds.size().is_finite();
        let boxes = staged.world.bodies().map(|(_, body)| body.bounds()).filter(finite);
        Self::around(boxes.fold(Aabb::EMPTY, Aabb::union))
    }

    /// Fits a box at a normal size around the origin.
    pub(crate) fn around(whole: Aabb) -> Self {
        if whole.is_empty() {
            return Self { middle: DVec3::ZERO, scale: 1.0 };
        }
        let size = whole.size().max_element();
        Self { middle: whole.center(), scale: if size > 0.0 { SIZE / size } else { 1.0 } }
    }

    /// A point of the scene on the page.
    pub fn point(&self, point: DVec3) -> [f64; 3] {
        ((point - self.middle) * self.scale).to_array()
    }

    /// A point of the page in the scene.
    pub fn back(&self, point: [f64; 3]) -> DVec3 {
        DVec3::from_array(point) / self.scale + self.middle
    }

    /// Formats a point of the scene, with digits for a millionth of the scene at any position.
    pub fn text(&self, point: DVec3) -> String {
        words::place(point.to_array(), SIZE / self.scale)
    }

    /// Returns the pose on the page of a body whose shape has this centre.
    pub fn pose(&self, pose: &Pose, middle: DVec3) -> ([f64; 3], [f64; 4]) {
        (self.point(pose.transform_point(middle)), pose.rotation.normalize().to_array())
    }
}

/// Returns the centre of a mesh's box: the origin of its vertices on a page.
pub fn middle_of(mesh: &Mesh) -> DVec3 {
    let bounds = mesh.aabb();
    if bounds.is_empty() { DVec3::ZERO } else { bounds.center() }
}

/// Triangles, with vertices as 16-bit numbers between the vertices of a box around the origin.
#[derive(Serialize)]
pub(crate) struct PageShape {
    size: [f64; 3],
    vertices: String,
    triangles: String,
}

#[derive(Serialize)]
pub(crate) struct PageBody<'a> {
    name: &'a str,
    shape: usize,
    turn: [f64; 4],
    at: [f64; 3],
}

/// All bodies of a scene, each shape once.
pub(crate) struct Drawing<'a> {
    pub(crate) view: View,
    pub(crate) shapes: Vec<PageShape>,
    pub(crate) bodies: Vec<PageBody<'a>>,
    /// Number of shapes drawn as boxes.
    pub(crate) boxes: usize,
    triangles: usize,
}

impl<'a> Drawing<'a> {
    /// Bodies with these numbers come first to the triangles that a page may have.
    pub(crate) fn new(scene: &'a PageScene, first: impl Iterator<Item = usize>) -> Self {
        let view = View::around(scene.bounds());
        let mut drawing = Self { view, shapes: Vec::new(), bodies: Vec::new(), boxes: 0, triangles: 0 };
        let mut numbers: HashMap<*const DVec3, usize> = HashMap::new();
        let mut shape_of = vec![0; scene.bodies.len()];
        for body in first.chain(0..scene.bodies.len()) {
            let mesh = &scene.bodies[body].mesh;
            shape_of[body] = *numbers.entry(mesh.vertices().as_ptr()).or_insert_with(|| drawing.add(mesh));
        }
        let placed = |(body, shape): (&'a SceneBody, usize)| {
            let (at, turn) = view.pose(&body.pose, middle_of(&body.mesh));
            PageBody { name: &body.name, shape, turn, at }
        };
        drawing.bodies = scene.bodies.iter().zip(shape_of).map(placed).collect();
        drawing
    }

    fn add(&mut self, mesh: &Mesh) -> usize {
        let bounds = mesh.aabb();
        if self.triangles + mesh.triangle_count() <= MOST_TRIANGLES {
            self.triangles += mesh.triangle_count();
            self.shapes.push(self.shape(&bounds, mesh.vertices(), mesh.triangles()));
        } else {
            self.boxes += 1;
            self.shapes.push(self.shape(&bounds, &bounds.vertices(), &BOX_TRIANGLES));
        }
        self.shapes.len() - 1
    }

    fn shape(&self, bounds: &Aabb, vertices: &[DVec3], triangles: &[[u32; 3]]) -> PageShape {
        let (min, size) =
            if bounds.is_empty() { (DVec3::ZERO, DVec3::ZERO) } else { (bounds.min, bounds.size()) };
        let part = |x: f64, size: f64| if size > 0.0 { (x / size * 65535.0).round() as u16 } else { 32768 };
        let corner = |v: &DVec3| {
            let from_min = *v - min;
            [0, 1, 2].map(|axis| part(from_min[axis], size[axis]))
        };
        let corners = vertices.iter().flat_map(corner).flat_map(u16::to_le_bytes);
        let triangles = triangles.iter().flatten().flat_map(|vertex| vertex.to_le_bytes());
        PageShape {
            size: (size * self.view.scale).to_array(),
            vertices: encode(corners),
            triangles: encode(triangles),
        }
    }
}

pub(crate) fn encode(bytes: impl Iterator<Item = u8>) -> String {
    BASE64_STANDARD.encode(bytes.collect::<Vec<u8>>())
}

/// Two for each side of a box whose vertex `i` has the greater x, y or z where bit 0, 1 or 2 of `i` is set.
const BOX_TRIANGLES: [[u32; 3]; 12] = [
    [0, 2, 1],
    [1, 2, 3],
    [4, 5, 6],
    [5, 7, 6],
    [0, 1, 4],
    [1, 5, 4],
    [2, 6, 3],
    [3, 6, 7],
    [0, 4, 2],
    [2, 4, 6],
    [1, 3, 5],
    [3, 7, 5],
];
