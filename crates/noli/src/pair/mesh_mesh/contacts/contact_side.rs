//! A mesh of a pair, with what lies around its features.

use super::foot::{Place, nearest_on_triangle};
use crate::model::MeshModel;
use crate::model::features::{Held, MeshFeatures, NONE, unit};
use glam::DVec3;
use noli_geom::RelativePose;

/// Sine of the angle by which a side may lean over what it is about to lie on and still count as lying: else a body that
/// is not quite flat would be held at one end only.
pub(crate) const LEAN: f64 = 1e-3;

/// A mesh whose features are compared, placed in the frame of A and measured in a unit of the pair's size.
pub(super) struct Half<'a> {
    pub(super) model: &'a MeshModel,
    pub(super) features: &'a MeshFeatures,
    pub(super) a_from_self: Option<RelativePose>,
    pub(super) is_solid: bool,
    /// A power of two.
    pub(super) scale: f64,
}

impl Half<'_> {
    pub(super) fn point(&self, vertex: u32) -> DVec3 {
        let own = self.model.mesh.vertices()[vertex as usize];
        self.scale * self.a_from_self.as_ref().map_or(own, |pose| pose.transform_point(own))
    }

    pub(super) fn vector(&self, own: DVec3) -> DVec3 {
        self.a_from_self.as_ref().map_or(own, |pose| pose.rotation * own)
    }

    pub(super) fn vertices(&self, triangle: u32) -> [u32; 3] {
        self.model.mesh.triangles()[triangle as usize].map(|v| self.features.place[v as usize])
    }

    pub(super) fn normal(&self, triangle: u32) -> DVec3 {
        self.vector(self.features.normals[triangle as usize])
    }

    pub(super) fn ends(&self, edge: u32) -> [DVec3; 2] {
        self.features.edges[edge as usize].ends.map(|v| self.point(v))
    }

    pub(super) fn along(&self, edge: u32) -> DVec3 {
        let [from, to] = self.ends(edge);
        unit(to - from)
    }

    /// Returns the distance of a point from a triangle, or from adjacent triangles in the same plane.
    pub(super) fn wall_distance(&self, p: DVec3, triangle: u32) -> f64 {
        let to = |triangle: u32| {
            nearest_on_triangle(p, self.vertices(triangle).map(|v| self.point(v))).0.distance(p)
        };
        let flat = |&edge: &u32| edge != NONE && !self.features.edges[edge as usize].is_sharp;
        let seams = self.features.edge_of[triangle as usize].into_iter().filter(flat);
        let beside = seams.flat_map(|edge| self.features.sides(edge)).map(|side| to(side.triangle));
        beside.fold(to(triangle), f64::min)
    }

    /// Returns the feature that contains a point of a triangle.
    pub(super) fn held(&self, triangle: u32, place: Place) -> Held {
        let held = match place {
            Place::Inside => Held::Face(triangle),
            Place::Edge(k) => Held::Edge(self.features.edge_of[triangle as usize][k]),
            Place::Vertex(k) => self.features.held[self.vertices(triangle)[k] as usize],
        };
        match held {
            Held::Edge(edge) if !self.features.edges[edge as usize].is_sharp => Held::Face(triangle),
            Held::Face(_) => Held::Face(triangle),
            _ => held,
        }
    }

    /// Visits the directions in which the surface continues from a vertex or an edge.
    pub(super) fn each_ray(&self, held: Held, mut visit: impl FnMut(DVec3)) {
        match held {
            Held::Vertex(vertex) => {
                let from = self.point(vertex);
                self.features.neighbours(vertex).iter().for_each(|&to| visit(unit(self.point(to) - from)));
            }
            Held::Edge(edge) => {
                let along = self.along(edge);
                [along, -along].into_iter().for_each(&mut visit);
                self.features.sides(edge).iter().for_each(|side| visit(self.vector(side.inward)));
            }
            Held::Face(_) => {}
        }
    }

    /// The sum of the rays: where the body lies.
    pub(super) fn rest(&self, held: Held) -> DVec3 {
        let mut sum = DVec3::ZERO;
        self.each_ray(held, |ray| sum += ray);
        sum
    }

    /// The mean normal there.
    pub(super) fn outward(&self, held: Held) -> DVec3 {
        match held {
            Held::Vertex(vertex) => self.vector(self.features.outward[vertex as usize]),
            Held::Edge(edge) => {
                unit(self.features.sides(edge).iter().map(|side| self.normal(side.triangle)).sum())
            }
            Held::Face(triangle) => self.normal(triangle),
        }
    }

    /// Returns `true` if `out` points out of a solid, up to `slack`.
    pub(super) fn faces(&self, held: Held, out: DVec3, slack: f64) -> bool {
        !self.is_solid || self.outward(held).dot(out) >= -slack
    }

    /// Returns `true` if no neighbour is nearer to distant points along `out`, up to `slack`.
    pub(super) fn is_nearest(&self, held: Held, out: DVec3, slack: f64) -> bool {
        let mut most = f64::NEG_INFINITY;
        self.each_ray(held, |ray| most = most.max(ray.dot(out)));
        most <= slack && self.faces(held, out, slack)
    }

    /// `out`, square to the edge along `along` from which a vertex leans over what it is about to lie on; `None` where
    /// something around the vertex is nearer.
    pub(super) fn upright(&self, vertex: Held, out: DVec3, slack: f64, along: DVec3) -> Option<DVec3> {
        let (mut upright, mut is_nearest) = (out, self.faces(vertex, out, LEAN));
        self.each_ray(vertex, |ray| {
            let lean = ray.dot(out);
            let runs_along = ray.dot(along).abs() > 1.0 - LEAN;
            is_nearest &= lean <= if runs_along { LEAN } else { slack };
            upright -= ray * lean.max(0.0);
        });
        is_nearest.then_some(unit(upright))
    }
}
