//! Signed distances of points from a body in its frame.

use crate::SweepError;
use crate::triangles::Triangles;
use glam::{DVec2, DVec3};
use noli::answer::Location;
use noli::query::{ClearanceQuery, Tolerance};
use noli::{Convex, Model, Overlap, Pose, QueryContext, Scratch};
use noli_geom::{Aabb, Core, Mesh, MeshKind, MeshOptions, Sphere};

/// Method by which the distance of a body is computed.
#[derive(Debug)]
pub(crate) enum Measure {
    /// By the nearest of its faces, less a radius; a solid has an inside.
    Faces { faces: Triangles, radius: f64, is_solid: bool },
    /// By a formula, exact up to rounding.
    Closed(Core, f64),
    /// By queries of the engine.
    Query,
}

/// A body whose distances are measured.
#[derive(Debug)]
pub(crate) struct Solid<'a> {
    pub(crate) model: &'a Model,
    /// A sphere around it.
    pub(crate) sphere: Sphere,
    /// A box around it in its frame.
    bounds: Aabb,
    pub(crate) measure: Measure,
    /// Bound on the distance of its surface from that of the true body.
    pub(crate) deviation: f64,
    /// The boundary of a mesh that is a solid.
    surface: Option<Model>,
}

/// The faces of a mesh without its inside.
fn surface(mesh: &Mesh) -> Result<Model, SweepError> {
    let (vertices, triangles) = (mesh.vertices().to_vec(), mesh.triangles().to_vec());
    Ok(Model::new(Mesh::from_triangles(vertices, triangles, &MeshOptions::default())?)?)
}

impl<'a> Solid<'a> {
    pub(crate) fn new(model: &'a Model, sphere: Sphere, deviation: f64) -> Result<Self, SweepError> {
        let measure = match (model.convex(), model.mesh()) {
            (Some(convex), _) => Self::measure_convex(convex),
            (None, Some(mesh)) => Triangles::new(mesh).map_or(Measure::Query, |faces| Measure::Faces {
                faces,
                radius: 0.0,
                is_solid: mesh.kind() == MeshKind::Solid,
            }),
            _ => Measure::Query,
        };
        let solid = model.mesh().filter(|mesh| mesh.kind() == MeshKind::Solid);
        let surface = solid.map(surface).transpose()?;
        Ok(Self { model, sphere, bounds: model.aabb(), measure, deviation, surface })
    }

    /// Returns `true` if a point of its frame is farther away than a distance, by its box alone.
    pub(crate) fn is_beyond(&self, point: DVec3, distance: f64) -> bool {
        let Aabb { min, max } = self.bounds;
        let off = (min - point).max(point - max).max(DVec3::ZERO).length_squared();
        off > distance * distance * (1.0 + 1e-9)
    }

    fn measure_convex(convex: &Convex) -> Measure {
        let radius = convex.radius();
        match convex.core() {
            core @ (Core::Point | Core::Segment { .. } | Core::Box { .. } | Core::Cylinder { .. }) => {
                Measure::Closed(core.clone(), radius)
            }
            Core::Hull(hull) if hull.dimension() == 3 => {
                let faces = hull.to_mesh().ok().and_then(|mesh| Triangles::new(&mesh));
                faces.map_or(Measure::Query, |faces| Measure::Faces { faces, radius, is_solid: true })
            }
            _ => Measure::Query,
        }
    }

    /// A bracket on the distance of a point by the engine: negative within solid meshes.
    pub(crate) fn query(&self, at: DVec3, near: f64, scratch: &mut Scratch) -> [f64; 2] {
        let radius = near / 64.0;
        let Some(probe) = Convex::sphere(radius).ok().and_then(|sphere| Model::new(sphere).ok()) else {
            return [f64::NEG_INFINITY, f64::INFINITY];
        };
        let max_distance = 4.0 * near + self.deviation;
        let query = ClearanceQuery { max_distance, tolerance: Tolerance::Length(0.01 * near) };
        let placed = probe.at(Pose::from_translation(at));
        let mut context = QueryContext::new(scratch);
        let mut from = |model: &Model| {
            let found = context.clearance(&placed, &model.at(Pose::IDENTITY), &query).distance;
            // From the surface of the probe; one that overlaps may be anywhere inside.
            let low = if found.at_least > 0.0 { found.at_least + radius } else { 0.0 };
            [low, found.at_most + radius]
        };
        let [low, high] = from(self.model);
        if low > 0.0 {
            return [low, high];
        }
        let Some(surface) = &self.surface else { return [f64::NEG_INFINITY, high] };
        let [low, high] = from(surface);
        match QueryContext::new(scratch).locate_point(&self.model.at(Pose::IDENTITY), at) {
            Location::Inside => [-high, -low],
            _ => [-radius, high],
        }
    }

    /// Returns `true` if a point is inside, by the engine.
    pub(crate) fn holds(&self, at: DVec3, scratch: &mut Scratch) -> bool {
        QueryContext::new(scratch).locate_point(&self.model.at(Pose::IDENTITY), at) == Location::Inside
    }

    /// Returns `true` if a cube is within a convex body at a pose; it is given by its middle and half its side.
    pub(crate) fn contains(&self, pose: Pose, (center, side): (DVec3, f64), scratch: &mut Scratch) -> bool {
        let (placed, mut context) = (self.model.at(pose), QueryContext::new(scratch));
        (0..8).all(|k| {
            let sign = |bit: u32| if k >> bit & 1 == 1 { side } else { -side };
            let vertex = center + DVec3::new(sign(0), sign(1), sign(2));
            context.locate_point(&placed, vertex) == Location::Inside
        })
    }

    /// The same for any body, by the engine; `around` is a sphere around the cube.
    pub(crate) fn contains_by_query(
        &self,
        pose: Pose,
        cube: (DVec3, f64),
        around: &Model,
        scratch: &mut Scratch,
    ) -> bool {
        if self.model.convex().is_some() {
            return self.contains(pose, cube, scratch);
        }
        let Some(surface) = &self.surface else { return false };
        let mut context = QueryContext::new(scratch);
        context.locate_point(&self.model.at(pose), cube.0) == Location::Inside
            && context.overlap(&around.at(Pose::from_translation(cube.0)), &surface.at(pose)) == Overlap::Free
    }
}

/// The signed distance of a point from a core with a formula.
pub(crate) fn closed_distance(core: &Core, p: DVec3) -> f64 {
    match core {
        Core::Segment { half_length } => p.with_z(p.z - p.z.clamp(-half_length, *half_length)).length(),
        Core::Box { half_extents } => {
            let beyond = p.abs() - *half_extents;
            beyond.max(DVec3::ZERO).length() + beyond.max_element().min(0.0)
        }
        Core::Cylinder { half_height, radius } => {
            let beyond = DVec2::new(p.truncate().length() - radius, p.z.abs() - half_height);
            beyond.max(DVec2::ZERO).length() + beyond.max_element().min(0.0)
        }
        _ => p.length(),
    }
}
