//! Bodies whose faces are plane triangles: solids given by meshes.
//!
//! The pair code then answers about a mesh and a curved body as about two curved ones, and only the curved one is
//! enclosed with a deviation.

use crate::body::{Brep, FaceError};
use crate::boundary::{Edge, OrientedEdge};
use crate::curve::Curve;
use crate::face::FaceSpec;
use crate::frame::Frame;
use crate::surface::Surface;
use glam::DVec3;
use noli_geom::Mesh;
use std::collections::HashMap;

/// Triangles of a body in the making, with shared edges.
#[derive(Default)]
pub(crate) struct Triangles {
    edges: Vec<Edge>,
    /// Edges by the bits of their ends, the lesser first.
    numbers: HashMap<[[u64; 3]; 2], usize>,
    faces: Vec<FaceSpec>,
}

impl Triangles {
    fn edge(&mut self, from: DVec3, to: DVec3) -> OrientedEdge {
        let [a, b] = [from, to].map(|p| p.to_array().map(f64::to_bits));
        let forward = a <= b;
        let key = if forward { [a, b] } else { [b, a] };
        let edges = &mut self.edges;
        let number = *self.numbers.entry(key).or_insert_with(|| {
            let [start, end] = if forward { [from, to] } else { [to, from] };
            let line = Curve::Line { origin: start, direction: end - start };
            edges.push(Edge::new(line, 0.0, 1.0));
            edges.len() - 1
        });
        (number, forward)
    }

    /// Adds a triangle; one without area is covered by its neighbours, and gives `false`.
    pub(crate) fn add(&mut self, [a, b, c]: [DVec3; 3], name: &str) -> bool {
        let Some(frame) = Frame::new(a, (b - a).cross(c - a), Some(b - a)) else { return false };
        let ring = vec![self.edge(a, b), self.edge(b, c), self.edge(c, a)];
        let surface = Surface::Plane(frame);
        self.faces.push(FaceSpec { surface, same_sense: true, loops: vec![ring], name: name.to_owned() });
        true
    }

    /// The body of the triangles.
    pub(crate) fn into_body(self, name: &str, is_solid: bool) -> Result<Brep, FaceError> {
        Brep::new(name, self.edges, self.faces, is_solid)
    }
}

impl Brep {
    /// The solid inside a mesh with its faces outward, whose lengths are divided by `unit`.
    ///
    /// The mesh must wind around every point once or not at all, as a closed one does that does not intersect itself.
    ///
    /// ```
    /// use glam::DVec3;
    /// use noli_brep::{Brep, Options, relation};
    /// use noli_geom::{Mesh, Pose, Relation};
    /// let block = Brep::polyhedron("block", &Mesh::cuboid(DVec3::splat(2.0))?, 1.0)?;
    /// let beside = Pose::from_translation(DVec3::new(3.0, 0.0, -1.0));
    /// let found = relation(&block, &Brep::cylinder(1.5, 2.0), &Pose::IDENTITY, &beside, &Options::default());
    /// assert_eq!(found.relation, Relation::Separated);
    /// assert!((found.clearance.at_least - 0.5).abs() < 1e-8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn polyhedron(name: &str, mesh: &Mesh, unit: f64) -> Result<Self, FaceError> {
        let scaled = |vertex: DVec3| if unit == 1.0 { vertex } else { vertex / unit };
        let mut triangles = Triangles::default();
        for triangle in mesh.iter_triangles() {
            triangles.add(triangle.vertices.map(scaled), "");
        }
        let mut body = triangles.into_body(name, true)?;
        body.take_as_divided(unit);
        Ok(body)
    }
}
