//! Solids and shells: from faces to vertices.

use super::geometry::{Reader, Refusal};
use super::part21::{Record, Value};
use super::tessellated::TESSELLATED;
use crate::body::Brep;
use crate::boundary::{Edge, OrientedEdge};
use crate::curve::Curve;
use crate::face::FaceSpec;
use crate::recognize::{Simpler, simpler_surface};
use crate::surface::SurfaceKind;
use glam::DVec3;
use std::collections::HashMap;

/// Edges and faces of a body in the making.
#[derive(Default)]
struct Shells {
    edges: Vec<Edge>,
    /// Edges by the number of their instance, with their direction along the curve.
    numbers: HashMap<u64, (usize, bool)>,
    /// Edges of polygons by the bits of their ends, the lesser first.
    sides: HashMap<[[u64; 3]; 2], usize>,
    faces: Vec<FaceSpec>,
    /// Numbers of the instances of the faces.
    sources: Vec<u64>,
    /// Kinds of their surfaces in the file.
    kinds: Vec<SurfaceKind>,
    is_closed: bool,
}

impl Reader<'_> {
    /// The body of a solid or a surface model.
    pub(super) fn body(&self, id: u64) -> Result<Brep, Refusal> {
        let (instance, record) = self.record(id)?;
        if let Some(record) = TESSELLATED.iter().find_map(|keyword| instance.record(keyword)) {
            return self.tessellated(instance, record);
        }
        let record = ["BREP_WITH_VOIDS", "MANIFOLD_SOLID_BREP", "FACETED_BREP"]
            .iter()
            .find_map(|keyword| instance.record(keyword))
            .unwrap_or(record);
        let mut shells = Shells { is_closed: true, ..Shells::default() };
        match record.keyword.as_str() {
            "MANIFOLD_SOLID_BREP" | "FACETED_BREP" => {
                self.shell(self.reference(record, 1)?, true, &mut shells)?
            }
            "BREP_WITH_VOIDS" => {
                self.shell(self.reference(record, 1)?, true, &mut shells)?;
                for void in self.references(record, 2)? {
                    self.shell(void, true, &mut shells)?;
                }
            }
            "SHELL_BASED_SURFACE_MODEL" => {
                shells.is_closed = false;
                for shell in self.references(record, 1)? {
                    self.shell(shell, true, &mut shells)?;
                }
            }
            _ => return Err(Refusal::at(instance, "this body is not supported")),
        }
        let sources = shells.sources;
        let made = Brep::new(&self.name(record, 0), shells.edges, shells.faces, shells.is_closed);
        let mut body =
            made.map_err(|error| match sources.get(error.face).map(|&face| self.instance(face)) {
                Some(Ok(face)) => Refusal::at(face, format!("{}, a {}", error.fault, error.kind)),
                _ => Refusal::at(instance, error.to_string()),
            })?;
        for (face, kind) in body.faces.iter_mut().zip(shells.kinds) {
            face.kind = kind;
        }
        body.uncertainty = self.units.uncertainty;
        body.deviation = self.deviation.get();
        Ok(body)
    }

    fn shell(&self, id: u64, outward: bool, shells: &mut Shells) -> Result<(), Refusal> {
        let (instance, record) = self.record(id)?;
        match record.keyword.as_str() {
            "ORIENTED_CLOSED_SHELL" | "ORIENTED_OPEN_SHELL" => {
                let inner = self.reference(record, 2)?;
                if matches!(
                    self.record(inner)?.1.keyword.as_str(),
                    "ORIENTED_CLOSED_SHELL" | "ORIENTED_OPEN_SHELL"
                ) {
                    return Err(Refusal::at(instance, "an oriented shell of an oriented shell"));
                }
                self.shell(inner, outward == self.truth(record, 3), shells)
            }
            "CLOSED_SHELL" | "OPEN_SHELL" => {
                for face in self.references(record, 1)? {
                    let spec = self.face(face, outward, shells)?;
                    shells.faces.push(spec);
                    shells.sources.push(face);
                }
                Ok(())
            }
            _ => Err(Refusal::at(instance, "this shell is not supported")),
        }
    }

    fn face(&self, id: u64, outward: bool, shells: &mut Shells) -> Result<FaceSpec, Refusal> {
        let (instance, record) = self.record(id)?;
        if !matches!(record.keyword.as_str(), "ADVANCED_FACE" | "FACE_SURFACE") {
            return Err(Refusal::at(instance, "this face is not supported"));
        }
        let source = self.reference(record, 2)?;
        let given = self.surface(source, 0)?;
        let is_cone = self.record(source)?.1.keyword == "CONICAL_SURFACE";
        shells.kinds.push(if is_cone { SurfaceKind::Cone } else { given.kind() });
        let same_sense = self.truth(record, 3);
        let (surface, same_sense) = match simpler_surface(&given) {
            Some(Simpler { surface, deviation, flipped }) => {
                self.deviate(deviation);
                (surface, same_sense != flipped)
            }
            None => (given, same_sense),
        };
        let mut loops = Vec::new();
        for bound in self.references(record, 1)? {
            let (_, record) = self.record(bound)?;
            let mut ring = self.ring(self.reference(record, 1)?, shells)?;
            if self.truth(record, 2) != outward {
                ring = ring.into_iter().rev().map(|(edge, forward)| (edge, !forward)).collect();
            }
            if !ring.is_empty() {
                loops.push(ring);
            }
        }
        let first = loops.iter().flatten().next().and_then(|&(edge, _)| shells.edges.get(edge));
        let surface = first.map_or(surface.clone(), |edge| {
            surface.on_nappe_of(edge.curve.point((edge.from + edge.to) * 0.5))
        });
        Ok(FaceSpec { surface, same_sense: same_sense == outward, loops, name: self.name(record, 0) })
    }

    fn ring(&self, id: u64, shells: &mut Shells) -> Result<Vec<OrientedEdge>, Refusal> {
        let (instance, record) = self.record(id)?;
        match record.keyword.as_str() {
            // A pole of the surface; the surface has its boundary there already.
            "VERTEX_LOOP" => Ok(Vec::new()),
            "POLY_LOOP" => {
                let points: Vec<DVec3> = self
                    .references(record, 1)?
                    .into_iter()
                    .map(|id| self.point(id))
                    .collect::<Result<_, _>>()?;
                Ok(poly_loop(&points, shells))
            }
            "EDGE_LOOP" => {
                let mut ring = Vec::new();
                for oriented in self.references(record, 1)? {
                    let (_, record) = self.record(oriented)?;
                    let (edge, along) = self.edge(self.reference(record, 3)?, shells)?;
                    ring.push((edge, along == self.truth(record, 4)));
                }
                Ok(ring)
            }
            _ => Err(Refusal::at(instance, "this loop is not supported")),
        }
    }

    fn edge(&self, id: u64, shells: &mut Shells) -> Result<(usize, bool), Refusal> {
        if let Some(&found) = shells.numbers.get(&id) {
            return Ok(found);
        }
        let (instance, record) = self.record(id)?;
        if record.keyword != "EDGE_CURVE" {
            return Err(Refusal::at(instance, "this edge is not supported"));
        }
        let curve = self.curve(self.reference(record, 3)?, 0)?;
        let along = self.truth(record, 4);
        let [first, last] = [self.reference(record, 1)?, self.reference(record, 2)?];
        let [start, end] = if along { [first, last] } else { [last, first] };
        let points = [self.vertex(start)?, self.vertex(end)?];
        let (from, to) = parameters(&curve, points, start == end);
        if from == to {
            return Err(Refusal::at(instance, "it has no length"));
        }
        // Some files state the sense of the edge the wrong way round; its vertices count.
        let (from, to, along) = if from < to { (from, to, along) } else { (to, from, !along) };
        let found = (shells.edges.len(), along);
        shells.edges.push(Edge::new(curve, from, to));
        shells.numbers.insert(id, found);
        Ok(found)
    }

    fn vertex(&self, id: u64) -> Result<DVec3, Refusal> {
        let (_, record) = self.record(id)?;
        self.point(self.reference(record, 1)?)
    }

    /// Bodies among the items of a representation, and its mapped items.
    pub(super) fn items(&self, representation: &Record) -> Vec<u64> {
        match representation.values.get(1) {
            Some(Value::List(items)) => items.iter().filter_map(Value::reference).collect(),
            _ => Vec::new(),
        }
    }
}

/// The range of the parameter between two vertices.
fn parameters(curve: &Curve, [start, end]: [DVec3; 2], closed: bool) -> (f64, f64) {
    let (mut from, mut to) = (curve.parameter(start, None), curve.parameter(end, None));
    let domain = if let Curve::Spline(spline) = curve { Some(spline.domain()) } else { None };
    if let Some([low, high]) = domain {
        let near = |p: DVec3, t: f64| p.distance(curve.point(t)) <= 1e-9 * (1.0 + p.abs().max_element());
        let size = curve.point(low).distance(curve.point((low + high) * 0.5)) * 1e-6;
        let close = |p: DVec3, t: f64| near(p, t) || p.distance(curve.point(t)) <= size;
        if close(start, low) && (closed || from >= to) {
            from = low;
        }
        if close(end, high) && (closed || from >= to) {
            to = high;
        }
    }
    match curve.period() {
        Some(period) if closed => (from, if domain.is_some() && to > from { to } else { from + period }),
        Some(period) => {
            let width = (to - from).rem_euclid(period);
            (from, from + if width <= 1e-12 * period { period } else { width })
        }
        None => (from, to),
    }
}

/// Straight edges from point to point, shared by polygons with the same points.
fn poly_loop(points: &[DVec3], shells: &mut Shells) -> Vec<OrientedEdge> {
    let mut ring = Vec::new();
    for (&from, &to) in points.iter().zip(points.iter().cycle().skip(1)) {
        let [a, b] = [from, to].map(|point| point.to_array().map(f64::to_bits));
        if from == to {
            continue;
        }
        let Shells { edges, sides, .. } = &mut *shells;
        let number = *sides.entry([a.min(b), a.max(b)]).or_insert_with(|| {
            let [start, end] = if a < b { [from, to] } else { [to, from] };
            edges.push(Edge::new(Curve::Line { origin: start, direction: end - start }, 0.0, 1.0));
            edges.len().saturating_sub(1)
        });
        ring.push((number, a < b));
    }
    ring
}
