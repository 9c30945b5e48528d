//! Geometry as given: meshes, convex bodies, fields.

use crate::answer::PyBracket;
use crate::array::{points, triangles, vector, vectors};
use crate::error::{file, value};
use glam::DVec3;
use noli::model::{MeshKind, MeshOptions};
use noli::pieces::{PiecesQuery, convex_pieces};
use noli::{Convex, Field, Mesh};
use noli_geom::{Aabb, Core};
use noli_io::{NamedMesh, ReadOptions, read_mesh, write_mesh};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use std::path::PathBuf;

/// Vertices and triangles: a surface, or with `solid=True` the solid that it bounds.
///
/// `vertices` is `(n, 3)`, `faces` is `(m, 3)` numbers of vertices. The triangles of a mesh keep their numbers.
///
/// >>> import noli
/// >>> cube = noli.Mesh.cuboid([1, 2, 3])
/// >>> cube.faces.shape, cube.is_closed, cube.volume
/// ((12, 3), True, 6.0)
#[pyclass(frozen, eq, name = "Mesh", module = "noli", from_py_object)]
#[derive(Clone, PartialEq)]
pub(crate) struct PyMesh(pub(crate) Mesh);

#[pymethods]
impl PyMesh {
    #[new]
    #[pyo3(signature = (vertices, faces, *, solid = false, weld = false))]
    fn new(vertices: &Bound<'_, PyAny>, faces: &Bound<'_, PyAny>, solid: bool, weld: bool) -> PyResult<Self> {
        let (vertices, faces) = (vectors(vertices, "vertices")?, triangles(faces, "faces")?);
        let mesh = Mesh::from_triangles(vertices, faces, &MeshOptions { weld }).map_err(value)?;
        Ok(Self(if solid { mesh.into_solid() } else { mesh }))
    }

    /// From anything with `vertices` and `faces`, such as a `trimesh.Trimesh`, or with `vert_properties` and
    /// `tri_verts`, such as a `manifold3d.Mesh` (or a `Manifold`, by its `to_mesh`).
    #[staticmethod]
    #[pyo3(signature = (mesh, *, solid = false, weld = false))]
    fn of(mesh: &Bound<'_, PyAny>, solid: bool, weld: bool) -> PyResult<Self> {
        Self::of_any(mesh, solid, weld)
    }

    /// Reads a file: OBJ, STL, PLY, OFF, glTF or DXF. Corners at one place become one where the format parts them,
    /// or as `weld` says.
    #[staticmethod]
    #[pyo3(signature = (path, *, solid = false, weld = None))]
    fn read(py: Python<'_>, path: PathBuf, solid: bool, weld: Option<bool>) -> PyResult<Self> {
        let options = ReadOptions { weld, ..ReadOptions::default() };
        let mesh = py.detach(|| read_mesh(&path, &options)).map_err(file)?;
        Ok(Self(if solid { mesh.into_solid() } else { mesh }))
    }

    /// Writes a file, in the format that its extension names.
    fn write(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let objects = [NamedMesh { name, mesh: self.0.clone() }];
        py.detach(|| write_mesh(&path, &objects)).map_err(file)
    }

    /// Convex pieces whose union encloses the solid, as solids, and how far any of them reaches beyond it: a bracket, in
    /// the mesh's unit.
    ///
    /// Cut until none reaches further than `error`, into at most `pieces` (32, or 4096 where an error is given). Every
    /// vertex of the mesh lies in a piece. A mesh that bounds no solid is refused.
    ///
    /// >>> import noli
    /// >>> ring = noli.Mesh.torus(1.0, 0.25)
    /// >>> pieces, error = ring.convex_pieces(error=0.1)
    /// >>> len(pieces) < 40, error.at_most <= 0.1
    /// (True, True)
    #[pyo3(signature = (*, error = None, pieces = None))]
    fn convex_pieces(
        &self,
        py: Python<'_>,
        error: Option<f64>,
        pieces: Option<usize>,
    ) -> PyResult<(Vec<Self>, PyBracket)> {
        let most = if error.is_some() { 4096 } else { PiecesQuery::default().pieces };
        let query = PiecesQuery { error, pieces: pieces.unwrap_or(most) };
        let found = py.detach(|| convex_pieces(&self.0, &query)).map_err(value)?;
        // A flat piece bounds nothing: it is a wall that others hold, up to rounding.
        let hulls = found.pieces.iter().filter_map(|piece| piece.hull.to_mesh().ok());
        Ok((hulls.map(|hull| Self(hull.into_solid())).collect(), found.error.into()))
    }

    /// A box about the origin with these edges, whole lengths.
    #[staticmethod]
    fn cuboid(size: &Bound<'_, PyAny>) -> PyResult<Self> {
        Mesh::cuboid(vector(size, "size")?).map(Self).map_err(value)
    }

    /// A ball about the origin, of an icosahedron whose edges are cut `cuts` times.
    #[staticmethod]
    #[pyo3(signature = (radius, cuts = 4))]
    fn sphere(radius: f64, cuts: u32) -> PyResult<Self> {
        Mesh::sphere(radius, cuts).map(Self).map_err(value)
    }

    /// The same with three radii.
    #[staticmethod]
    #[pyo3(signature = (radii, cuts = 4))]
    fn ellipsoid(radii: &Bound<'_, PyAny>, cuts: u32) -> PyResult<Self> {
        Mesh::ellipsoid(vector(radii, "radii")?, cuts).map(Self).map_err(value)
    }

    /// Around z, centred.
    #[staticmethod]
    #[pyo3(signature = (height, radius, slices = 32))]
    fn cylinder(height: f64, radius: f64, slices: u32) -> PyResult<Self> {
        Mesh::cylinder(height, radius, slices).map(Self).map_err(value)
    }

    /// Around z, its tip up, centred.
    #[staticmethod]
    #[pyo3(signature = (height, radius, slices = 32))]
    fn cone(height: f64, radius: f64, slices: u32) -> PyResult<Self> {
        Mesh::cone(height, radius, slices).map(Self).map_err(value)
    }

    /// A ring around z: `major` is the radius of the ring, `minor` that of its tube.
    #[staticmethod]
    #[pyo3(signature = (major, minor, around = 32, along = 16))]
    fn torus(major: f64, minor: f64, around: u32, along: u32) -> PyResult<Self> {
        Mesh::torus(major, minor, around, along).map(Self).map_err(value)
    }

    /// With one corner at each of four corners of a cube.
    #[staticmethod]
    fn tetrahedron() -> Self {
        Self(Mesh::tetrahedron())
    }

    /// Places of the vertices, `(n, 3)`; a new array each time.
    #[getter]
    fn vertices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        points(py, self.0.vertices().iter().copied())
    }

    /// The triangles, `(m, 3)` numbers of vertices; a new array each time.
    #[getter]
    fn faces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let triangles = self.0.triangles();
        let flat = PyArray1::from_slice(py, triangles.as_flattened());
        flat.reshape([triangles.len(), 3]).map(Bound::into_any)
    }

    /// The solid that the triangles bound. Only a closed mesh has an inside.
    fn solid(&self) -> Self {
        Self(self.0.clone().into_solid())
    }

    /// The triangles alone.
    fn surface(&self) -> Self {
        Self(self.0.clone().with_kind(MeshKind::Surface))
    }

    /// Whether it is taken as the solid that its triangles bound.
    #[getter]
    fn is_solid(&self) -> bool {
        self.0.kind() == MeshKind::Solid
    }

    /// Whether every edge has a face on either side; vertices at one place count as one.
    #[getter]
    fn is_closed(&self) -> bool {
        self.0.is_closed()
    }

    /// The volume inside; negative if the triangles are turned inside out. Rounded.
    #[getter]
    fn volume(&self) -> f64 {
        self.0.signed_volume()
    }

    /// The lowest and the highest corner of the box around it, `(2, 3)`.
    #[getter]
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        bounds(py, self.0.aabb())
    }

    /// Every coordinate multiplied by a positive factor.
    fn scaled(&self, factor: f64) -> PyResult<Self> {
        self.0.scaled(factor).map(Self).map_err(value)
    }

    fn __len__(&self) -> usize {
        self.0.triangle_count()
    }

    fn __repr__(&self) -> String {
        let kind = if self.is_solid() { "solid" } else { "surface" };
        format!(
            "<noli.Mesh: {kind}, {} vertices, {} triangles>",
            self.0.vertices().len(),
            self.0.triangle_count()
        )
    }

    #[classattr]
    fn __hash__() -> Option<Py<PyAny>> {
        None
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let (py, mesh) = (slf.py(), slf.get());
        let make = py.import("noli._noli")?.getattr("_mesh")?;
        let numbers = |of: fn(&Mesh, u32) -> u32, count: usize| -> Option<Vec<u32>> {
            let all: Vec<u32> = (0..count as u32).map(|k| of(&mesh.0, k)).collect();
            all.iter().enumerate().any(|(k, &number)| k != number as usize).then_some(all)
        };
        let vertices = numbers(Mesh::user_vertex, mesh.0.vertices().len());
        let faces = numbers(Mesh::user_face, mesh.0.triangle_count());
        let parts = (mesh.vertices(py)?, mesh.faces(py)?, mesh.is_solid(), vertices, faces);
        Ok((make, parts.into_pyobject(py)?.into_any()))
    }
}

impl PyMesh {
    pub(crate) fn of_any(mesh: &Bound<'_, PyAny>, solid: bool, weld: bool) -> PyResult<Self> {
        if let Ok(mesh) = mesh.cast::<Self>() {
            let kind = if solid { MeshKind::Solid } else { mesh.get().0.kind() };
            return Ok(Self(mesh.get().0.clone().with_kind(kind)));
        }
        if mesh.hasattr("vertices")? && mesh.hasattr("faces")? {
            return Self::new(&mesh.getattr("vertices")?, &mesh.getattr("faces")?, solid, weld);
        }
        if mesh.hasattr("to_mesh")? {
            return Self::of_any(&mesh.call_method0("to_mesh")?, solid, weld);
        }
        if mesh.hasattr("vert_properties")? && mesh.hasattr("tri_verts")? {
            // Further columns are properties other than places.
            let py = mesh.py();
            let everything = pyo3::types::PySlice::full(py);
            let three = pyo3::types::PySlice::new(py, 0, 3, 1);
            let vertices = mesh.getattr("vert_properties")?.get_item((everything, three))?;
            return Self::new(&vertices, &mesh.getattr("tri_verts")?, solid, weld);
        }
        let name = mesh.get_type().name()?;
        Err(pyo3::exceptions::PyTypeError::new_err(format!(
            "expected a mesh with `vertices` and `faces`, got {name}"
        )))
    }
}

/// A mesh from its arrays and the numbers that the user gave, for pickle.
#[pyfunction(name = "_mesh")]
pub(crate) fn restore_mesh(
    vertices: &Bound<'_, PyAny>,
    faces: &Bound<'_, PyAny>,
    solid: bool,
    user_vertices: Option<Vec<u32>>,
    user_faces: Option<Vec<u32>>,
) -> PyResult<PyMesh> {
    let mesh = PyMesh::new(vertices, faces, solid, false)?.0;
    if user_vertices.is_none() && user_faces.is_none() {
        return Ok(PyMesh(mesh));
    }
    let own = |count: usize| (0..count as u32).collect();
    let user_vertices = user_vertices.unwrap_or_else(|| own(mesh.vertices().len()));
    let user_faces = user_faces.unwrap_or_else(|| own(mesh.triangle_count()));
    mesh.renumbered(&user_vertices, &user_faces).map(PyMesh).map_err(value)
}

pub(crate) fn bounds<'py>(py: Python<'py>, aabb: Aabb) -> PyResult<Bound<'py, PyAny>> {
    points(py, [aabb.min, aabb.max])
}

/// A convex body: exact, or never missing where it is round; needs no triangles.
///
/// >>> import noli
/// >>> ball = noli.Model(noli.Convex.sphere(0.5))
/// >>> noli.overlap(ball, ball, noli.Pose([1.0, 0, 0]))
/// True
#[pyclass(frozen, eq, name = "Convex", module = "noli", from_py_object)]
#[derive(Clone, PartialEq)]
pub(crate) struct PyConvex(pub(crate) Convex);

#[pymethods]
impl PyConvex {
    /// A ball about the origin.
    #[staticmethod]
    fn sphere(radius: f64) -> PyResult<Self> {
        Convex::sphere(radius).map(Self).map_err(value)
    }

    /// A box about the origin with these edges, whole lengths.
    #[staticmethod]
    fn cuboid(size: &Bound<'_, PyAny>) -> PyResult<Self> {
        Convex::cuboid(vector(size, "size")?).map(Self).map_err(value)
    }

    /// All points within `radius` of a segment along z of this length, centred.
    #[staticmethod]
    fn capsule(length_of_core: f64, radius: f64) -> PyResult<Self> {
        Convex::capsule(length_of_core, radius).map(Self).map_err(value)
    }

    /// Around z, centred.
    #[staticmethod]
    fn cylinder(height: f64, radius: f64) -> PyResult<Self> {
        Convex::cylinder(height, radius).map(Self).map_err(value)
    }

    /// Around z, its tip up, centred.
    #[staticmethod]
    fn cone(height: f64, radius: f64) -> PyResult<Self> {
        Convex::cone(height, radius).map(Self).map_err(value)
    }

    /// With these radii along the axes.
    #[staticmethod]
    fn ellipsoid(radii: &Bound<'_, PyAny>) -> PyResult<Self> {
        Convex::ellipsoid(vector(radii, "radii")?).map(Self).map_err(value)
    }

    /// The convex hull of points `(n, 3)`.
    #[staticmethod]
    fn hull(points: &Bound<'_, PyAny>) -> PyResult<Self> {
        Convex::hull(vectors(points, "points")?).map(Self).map_err(value)
    }

    /// All points within `radius` of it.
    fn rounded(&self, radius: f64) -> PyResult<Self> {
        self.0.clone().rounded(radius).map(Self).map_err(value)
    }

    /// The lowest and the highest corner of the box around it, `(2, 3)`.
    #[getter]
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        bounds(py, self.0.aabb())
    }

    fn __repr__(&self) -> String {
        let (word, numbers, radius) = self.parts();
        let numbers =
            if word == "hull" { format!("{} points", numbers.len() / 3) } else { format!("{numbers:?}") };
        format!("<noli.Convex: {word} {numbers}, radius {radius}>")
    }

    #[classattr]
    fn __hash__() -> Option<Py<PyAny>> {
        None
    }

    #[expect(clippy::type_complexity, reason = "what pickle asks for")]
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (&'static str, Vec<f64>, f64))> {
        Ok((slf.py().import("noli._noli")?.getattr("_convex")?, slf.get().parts()))
    }
}

impl PyConvex {
    fn parts(&self) -> (&'static str, Vec<f64>, f64) {
        let (word, numbers) = match self.0.core() {
            Core::Point => ("point", Vec::new()),
            Core::Segment { half_length } => ("segment", vec![2.0 * half_length]),
            Core::Box { half_extents } => ("box", (2.0 * *half_extents).to_array().to_vec()),
            Core::Cylinder { half_height, radius } => ("cylinder", vec![2.0 * half_height, *radius]),
            Core::Cone { half_height, radius } => ("cone", vec![2.0 * half_height, *radius]),
            Core::Ellipsoid { radii } => ("ellipsoid", radii.to_array().to_vec()),
            Core::Triangle(triangle) => {
                ("hull", triangle.corners.iter().flat_map(|p| p.to_array()).collect())
            }
            Core::Hull(hull) => ("hull", hull.vertices().iter().flat_map(|p| p.to_array()).collect()),
            Core::User(_) => ("user", Vec::new()),
        };
        (word, numbers, self.0.radius())
    }
}

/// A convex body from its parts, for pickle.
#[pyfunction(name = "_convex")]
pub(crate) fn restore_convex(word: &str, numbers: Vec<f64>, radius: f64) -> PyResult<PyConvex> {
    let core = match (word, &numbers[..]) {
        ("point", []) => return Convex::sphere(radius).map(PyConvex).map_err(value),
        ("segment", &[length]) => return Convex::capsule(length, radius).map(PyConvex).map_err(value),
        ("box", &[x, y, z]) => Convex::cuboid(DVec3::new(x, y, z)),
        ("cylinder", &[height, radius]) => Convex::cylinder(height, radius),
        ("cone", &[height, radius]) => Convex::cone(height, radius),
        ("ellipsoid", &[x, y, z]) => Convex::ellipsoid(DVec3::new(x, y, z)),
        ("hull", numbers) => Convex::hull(numbers.as_chunks::<3>().0.iter().copied().map(DVec3::from_array)),
        _ => return Err(value(format!("{word} with {} numbers is no convex body", numbers.len()))),
    };
    let core = core.map_err(value)?;
    if radius > 0.0 { core.rounded(radius).map(PyConvex).map_err(value) } else { Ok(PyConvex(core)) }
}

/// The body inside a formula in x, y and z, such as `torus(2, 0.5)` or `x^2 + y^2 + z^2 <= 1`.
///
/// A field that goes on for ever needs `bounds`, the lowest and the highest corner of a box, `(2, 3)`.
///
/// >>> import noli
/// >>> ring = noli.Model(noli.Field("torus(2, 0.5)"))
/// >>> ball = noli.Model(noli.Convex.sphere(0.5))
/// >>> noli.overlap(ring, ball), noli.overlap(ring, ball, noli.Pose([2, 0, 0]))
/// (False, True)
#[pyclass(frozen, name = "Field", module = "noli")]
#[derive(Clone)]
pub(crate) struct PyField {
    pub(crate) field: Field,
    formula: String,
    bounds: Option<[[f64; 3]; 2]>,
}

#[pymethods]
impl PyField {
    #[new]
    #[pyo3(signature = (formula, *, bounds = None))]
    fn new(formula: String, bounds: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let mut field = Field::parse(&formula).map_err(value)?;
        let corners = bounds.map(|bounds| vectors(bounds, "bounds")).transpose()?;
        if let Some(corners) = &corners {
            let &[min, max] = &corners[..] else {
                return Err(crate::array::wrong_shape("bounds", "(2, 3)", &[corners.len(), 3]));
            };
            field = field.within(Aabb { min, max });
        }
        let bounds = corners.map(|corners| [corners[0].to_array(), corners[1].to_array()]);
        Ok(Self { field, formula, bounds })
    }

    /// As it was given.
    #[getter]
    fn formula(&self) -> &str {
        &self.formula
    }

    fn __repr__(&self) -> String {
        format!("noli.Field({:?})", self.formula)
    }

    #[expect(clippy::type_complexity, reason = "what pickle asks for")]
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (String, Option<[[f64; 3]; 2]>))> {
        let make = slf.py().import("noli._noli")?.getattr("_field")?;
        Ok((make, (slf.get().formula.clone(), slf.get().bounds)))
    }
}

/// A field from its parts, for pickle.
#[pyfunction(name = "_field")]
pub(crate) fn restore_field(formula: String, bounds: Option<&Bound<'_, PyAny>>) -> PyResult<PyField> {
    PyField::new(formula, bounds)
}
