//! Models: shapes prepared for queries.

use crate::border::{Answer, ErrorCode, Failure, In, Out, border, changed, fill, given, place, room, slice};
use crate::table::{Kind, Table};
use crate::values::{ModelHandle, PlacedRecord, guarantee};
use glam::DVec3;
use noli::model::{Aabb, MeshOptions};
use noli::{Convex, Mesh, Model, PointCloud, Pose, Shape, ShapeError};
use std::sync::Arc;

/// A model and what its queries do not need.
pub(crate) struct Kept {
    pub(crate) model: Model,
    /// For compounds: a model does not return the shape it was made of.
    shape: Option<Shape>,
    bounds: Aabb,
}

pub(crate) static MODELS: Table<Arc<Kept>> = Table::new(Kind::Model);

/// A model and its pose, kept alive for one query.
pub(crate) struct Held {
    pub(crate) kept: Arc<Kept>,
    pub(crate) pose: Pose,
}

impl Held {
    pub(crate) fn new(placed: In<'_, PlacedRecord>, what: &str) -> Answer<Self> {
        let placed = given(placed, what)?;
        let pose = placed.pose.pose(what)?;
        Ok(Self { kept: MODELS.get(placed.model.id)?, pose })
    }

    /// Returns both bodies of a query.
    pub(crate) fn both([a, b]: [In<'_, PlacedRecord>; 2]) -> Answer<[Self; 2]> {
        Ok([Self::new(a, "a")?, Self::new(b, "b")?])
    }

    pub(crate) fn placed(&self) -> noli::Placed<'_> {
        self.kept.model.at(self.pose)
    }
}

/// A triangle mesh; `noli_mesh_data` in C.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct MeshData {
    /// Coordinates, three a vertex.
    pub vertices: *const f64,
    /// Number of vertices.
    pub vertex_count: usize,
    /// Vertex numbers counted from 0, three a triangle.
    pub triangles: *const u32,
    /// Number of triangles.
    pub triangle_count: usize,
    /// Not 0: the interior belongs to the body; 0: the surface alone.
    pub solid: i32,
}

/// Room for the vertices and triangles of a model; `noli_mesh_buffer` in C.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct MeshBuffer {
    /// Coordinates, three a vertex; null if there is no room.
    pub vertices: *mut f64,
    /// Number of vertices that fit.
    pub vertex_capacity: usize,
    /// Vertex numbers counted from 0, three a triangle; null if there is no room.
    pub triangles: *mut u32,
    /// Number of triangles that fit.
    pub triangle_capacity: usize,
    /// Number of vertices, written by the call; those beyond the capacity are not stored.
    pub vertex_count: usize,
    /// Number of triangles.
    pub triangle_count: usize,
}

/// An axis-aligned box; `noli_bounds` in C.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Bounds {
    /// Smallest coordinates.
    pub min: [f64; 3],
    /// Largest coordinates.
    pub max: [f64; 3],
}

pub(crate) fn keep(shape: Shape, out: Out<'_, ModelHandle>) -> Answer<()> {
    let out = place(out, "out")?;
    let bounds = shape.aabb();
    let kept = match &shape {
        Shape::Mesh(_) | Shape::Convex(_) | Shape::Points(_) | Shape::HalfSpace => Some(shape.clone()),
        _ => None,
    };
    let model = Model::new(shape).map_err(Failure::value)?;
    out.write(ModelHandle { id: MODELS.insert(Arc::new(Kept { model, shape: kept, bounds }))? });
    Ok(())
}

fn keep_convex(convex: Result<Convex, ShapeError>, out: Out<'_, ModelHandle>) -> ErrorCode {
    border(|| keep(convex.map_err(Failure::value)?.into(), out))
}

/// Creates the model of a mesh.
///
/// # Safety
///
/// The arrays of `mesh` have the lengths that it states.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn noli_model_mesh(mesh: In<'_, MeshData>, out: Out<'_, ModelHandle>) -> ErrorCode {
    border(|| {
        let mesh = given(mesh, "mesh")?;
        // SAFETY: as the caller states.
        let vertices: &[[f64; 3]] = unsafe { slice(mesh.vertices.cast(), mesh.vertex_count, "vertices") }?;
        // SAFETY: as the caller states.
        let triangles: &[[u32; 3]] =
            unsafe { slice(mesh.triangles.cast(), mesh.triangle_count, "triangles") }?;
        let vertices = vertices.iter().map(|vertex| DVec3::from_array(*vertex)).collect();
        let built = Mesh::from_triangles(vertices, triangles.to_vec(), &MeshOptions::default());
        let built = built.map_err(Failure::value)?;
        keep(if mesh.solid == 0 { built } else { built.into_solid() }.into(), out)
    })
}

/// Creates the model of the convex hull of points.
///
/// # Safety
///
/// `points` has three numbers for each of `count` points.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn noli_model_convex(
    points: *const f64,
    count: usize,
    out: Out<'_, ModelHandle>,
) -> ErrorCode {
    border(|| {
        // SAFETY: as the caller states.
        let points: &[[f64; 3]] = unsafe { slice(points.cast(), count, "points") }?;
        let hull = Convex::hull(points.iter().map(|point| DVec3::from_array(*point)));
        keep(hull.map_err(Failure::value)?.into(), out)
    })
}

/// Creates the model of a sphere around the origin.
#[unsafe(no_mangle)]
pub extern "C" fn noli_model_sphere(radius: f64, out: Out<'_, ModelHandle>) -> ErrorCode {
    keep_convex(Convex::sphere(radius), out)
}

/// Creates the model of a box around the origin, from the lengths of its edges.
#[unsafe(no_mangle)]
pub extern "C" fn noli_model_box(x: f64, y: f64, z: f64, out: Out<'_, ModelHandle>) -> ErrorCode {
    keep_convex(Convex::cuboid(DVec3::new(x, y, z)), out)
}

/// Creates the model of a capsule along z: a cylinder of this length with a half-sphere at each end.
#[unsafe(no_mangle)]
pub extern "C" fn noli_model_capsule(length: f64, radius: f64, out: Out<'_, ModelHandle>) -> ErrorCode {
    keep_convex(Convex::capsule(length, radius), out)
}

/// Creates the model of a cylinder along z, around the origin.
#[unsafe(no_mangle)]
pub extern "C" fn noli_model_cylinder(height: f64, radius: f64, out: Out<'_, ModelHandle>) -> ErrorCode {
    keep_convex(Convex::cylinder(height, radius), out)
}

/// Creates the model of a cone along z with its tip at half the height, around the origin.
#[unsafe(no_mangle)]
pub extern "C" fn noli_model_cone(height: f64, radius: f64, out: Out<'_, ModelHandle>) -> ErrorCode {
    keep_convex(Convex::cone(height, radius), out)
}

/// Creates the model of an ellipsoid around the origin, from its half-axes.
#[unsafe(no_mangle)]
pub extern "C" fn noli_model_ellipsoid(x: f64, y: f64, z: f64, out: Out<'_, ModelHandle>) -> ErrorCode {
    keep_convex(Convex::ellipsoid(DVec3::new(x, y, z)), out)
}

/// Creates the model of all points with z at most 0.
#[unsafe(no_mangle)]
pub extern "C" fn noli_model_half_space(out: Out<'_, ModelHandle>) -> ErrorCode {
    border(|| keep(Shape::HalfSpace, out))
}

/// Creates one model of several, each at its pose in the frame of the whole. Parts are meshes, convex bodies, points
/// and half-spaces.
///
/// # Safety
///
/// `parts` has `count` records.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn noli_model_compound(
    parts: *const PlacedRecord,
    count: usize,
    out: Out<'_, ModelHandle>,
) -> ErrorCode {
    border(|| {
        // SAFETY: as the caller states.
        let parts = unsafe { slice(parts, count, "parts") }?;
        let part = |(number, part): (usize, &PlacedRecord)| -> Answer<(Pose, Shape)> {
            let pose = part.pose.pose(&format!("part {number}"))?;
            let shape = MODELS.get(part.model.id)?.shape.clone();
            let shape = shape.ok_or_else(|| {
                Failure::value(format!("part {number} is a compound; give its parts one by one"))
            })?;
            Ok((pose, shape))
        };
        let parts = parts.iter().enumerate().map(part).collect::<Answer<Vec<_>>>()?;
        keep(Shape::Compound(parts), out)
    })
}

/// Creates the model of points with a radius around each; 0 for the points themselves.
///
/// # Safety
///
/// `points` has three numbers for each of `count` points.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn noli_model_points(
    points: *const f64,
    count: usize,
    radius: f64,
    out: Out<'_, ModelHandle>,
) -> ErrorCode {
    border(|| {
        // SAFETY: as the caller states.
        let points: &[[f64; 3]] = unsafe { slice(points.cast(), count, "points") }?;
        let points = points.iter().map(|point| DVec3::from_array(*point)).collect();
        keep(Shape::Points(PointCloud::new(points, radius).map_err(Failure::value)?), out)
    })
}

/// Returns the vertices and triangles of a model that was made of a mesh, as far as the room reaches.
///
/// # Safety
///
/// The arrays of `buffer` have room for the numbers that it states.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn noli_model_triangles(
    model: ModelHandle,
    buffer: Option<&mut MeshBuffer>,
) -> ErrorCode {
    border(|| {
        let buffer = changed(buffer, "buffer")?;
        // SAFETY: as the caller states.
        let vertices =
            unsafe { room::<[f64; 3]>(buffer.vertices.cast(), buffer.vertex_capacity, "vertices") }?;
        // SAFETY: as the caller states.
        let triangles =
            unsafe { room::<[u32; 3]>(buffer.triangles.cast(), buffer.triangle_capacity, "triangles") }?;
        let kept = MODELS.get(model.id)?;
        let Some(Shape::Mesh(mesh)) = &kept.shape else {
            return Err(Failure::value("the model was not made of a mesh; only meshes have triangles"));
        };
        buffer.vertex_count = fill(vertices, mesh.vertices().iter().map(|vertex| vertex.to_array()));
        buffer.triangle_count = fill(triangles, mesh.triangles().iter().copied());
        Ok(())
    })
}

/// Computes a box around the model in its own frame; infinite for a half-space.
#[unsafe(no_mangle)]
pub extern "C" fn noli_model_bounds(model: ModelHandle, out: Out<'_, Bounds>) -> ErrorCode {
    border(|| {
        let out = place(out, "out")?;
        let bounds = MODELS.get(model.id)?.bounds;
        out.write(Bounds { min: bounds.min.to_array(), max: bounds.max.to_array() });
        Ok(())
    })
}

/// Returns the guarantee of verdicts about two models.
#[unsafe(no_mangle)]
pub extern "C" fn noli_model_guarantee(a: ModelHandle, b: ModelHandle, out: Out<'_, i32>) -> ErrorCode {
    border(|| {
        let out = place(out, "out")?;
        out.write(guarantee(MODELS.get(a.id)?.model.guarantee(&MODELS.get(b.id)?.model)));
        Ok(())
    })
}

/// Frees a model. Worlds, robots and running queries that use it keep it alive for themselves.
#[unsafe(no_mangle)]
pub extern "C" fn noli_model_free(model: ModelHandle) -> ErrorCode {
    border(|| MODELS.remove(model.id).map(drop))
}
