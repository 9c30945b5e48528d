//! Geometry as given: meshes, convex bodies, fields.

use crate::answer::PyBracket;
use crate::array::{points, triangles, vector, vectors};
use crate::error::{file, value};
use glam::DVec3;
use noli::model::{MeshKind, MeshOptions};
use noli::pieces::{DecompositionQuery, convex_decomposition};
use noli::{Convex, Field, Mesh};
use noli_formats::{NamedMesh, ReadOptions, read_mesh, write_mesh};
use noli_geom::{Aabb, Core};
use noli_project::with_own_kind;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use std::path::PathBuf;

/// Vertices and triangles. A closed, consistently oriented mesh is the solid that it bounds, any other one is a surface;
/// `solid` declares which.
///
/// `vertices` is `(n, 3)`, `faces` is `(m, 3)` vertex numbers. The triangles of a mesh keep their numbers.
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
    #[pyo3(signature = (vertices, faces, *, solid = None, weld = false))]
    fn new(
        vertices: &Bound<'_, PyAny>,
        faces: &Bound<'_, PyAny>,
        solid: Option<bool>,
        weld: bool,
    ) -> PyResult<Self> {
        let (vertices, faces) = (vectors(vertices, "vertices")?, triangles(faces, "faces")?);
        let mesh = Mesh::from_triangles(vertices, faces, &MeshOptions { weld }).map_err(value)?;
        Ok(Self::taken_as(mesh, solid))
    }

    /// Creates a mesh from an object with `vertices` and `faces`, such as a `trimesh.Trimesh`. Objects with
    /// `vert_properties` and `tri_verts` are accepted too: a `manifold3d.Mesh`, or a `Manifold` by its `to_mesh`.
    #[staticmethod]
    #[pyo3(signature = (mesh, *, solid = None, weld = false))]
    fn from_trimesh(mesh: &Bound<'_, PyAny>, solid: Option<bool>, weld: bool) -> PyResult<Self> {
        Self::from_any(mesh, solid, weld)
    }

    /// Reads a file: OBJ, STL, PLY, OFF, glTF, 3MF, COLLADA, DXF or STEP. Coincident vertices are merged if the format duplicates them,
    /// or as given by `weld`.
    #[staticmethod]
    #[pyo3(signature = (path, *, solid = None, weld = None))]
    fn read(py: Python<'_>, path: PathBuf, solid: Option<bool>, weld: Option<bool>) -> PyResult<Self> {
        let options = ReadOptions { weld, ..ReadOptions::default() };
        let mesh = py.detach(|| read_mesh(&path, &options).map(|mesh| Self::taken_as(mesh, solid)));
        mesh.map_err(file)
    }

    /// Writes a file, in the format that its extension names.
    fn write(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let objects = [NamedMesh { name, mesh: self.0.clone() }];
        py.detach(|| write_mesh(&path, &objects)).map_err(file)
    }

    /// Computes convex parts whose union encloses the solid, as solids. Also returns the largest distance by which
    /// one extends beyond it: a bracket, in the mesh's unit.
    ///
    /// Cuts until none extends further than `error`, into at most `pieces` (32, or 4096 where an error is given).
    /// Every vertex of the mesh lies in a part. A mesh that bounds no solid is rejected.
    ///
    /// >>> import noli
    /// >>> ring = noli.Mesh.torus(1.0, 0.25)
    /// >>> parts, error = ring.convex_decomposition(error=0.1)
    /// >>> len(parts) < 40, error.at_most <= 0.1
    /// (True, True)
    #[pyo3(signature = (*, error = None, pieces = None))]
    fn convex_decomposition(
        &self,
        py: Python<'_>,
        error: Option<f64>,
        pieces: Option<usize>,
    ) -> PyResult<(Vec<Self>, PyBracket)> {
        let most = if error.is_some() { 4096 } else { DecompositionQuery::default().pieces };
        let query = DecompositionQuery { error, pieces: pieces.unwrap_or(most) };
        let found = py.detach(|| convex_decomposition(&self.0, &query)).map_err(value)?;
        // A flat part bounds no volume: up to rounding, other parts contain it.
        let hulls = found.pieces.iter().filter_map(|piece| piece.hull.to_mesh().ok());
        Ok((hulls.map(|hull| Self(hull.into_solid())).collect(), found.error.into()))
    }

    /// Creates a box centred at the origin, with these full edge lengths.
    #[staticmethod]
    fn cuboid(size: &Bound<'_, PyAny>) -> PyResult<Self> {
        Mesh::cuboid(vector(size, "size")?).map(Self::solid_of).map_err(value)
    }

    /// Creates a sphere centred at the origin: an icosahedron whose edges are cut `cuts` times.
    #[staticmethod]
    #[pyo3(signature = (radius, cuts = 4))]
    fn sphere(radius: f64, cuts: u32) -> PyResult<Self> {
        Mesh::sphere(radius, cuts).map(Self::solid_of).map_err(value)
    }

    /// Creates an ellipsoid centred at the origin, meshed like `sphere`.
    #[staticmethod]
    #[pyo3(signature = (radii, cuts = 4))]
    fn ellipsoid(radii: &Bound<'_, PyAny>, cuts: u32) -> PyResult<Self> {
        Mesh::ellipsoid(vector(radii, "radii")?, cuts).map(Self::solid_of).map_err(value)
    }

    /// Creates a cylinder along z, centred at the origin.
    #[staticmethod]
    #[pyo3(signature = (height, radius, slices = 32))]
    fn cylinder(height: f64, radius: f64, slices: u32) -> PyResult<Self> {
        Mesh::cylinder(height, radius, slices).map(Self::solid_of).map_err(value)
    }

    /// Creates a cone along z, its tip up, centred at the origin.
    #[staticmethod]
    #[pyo3(signature = (height, radius, slices = 32))]
    fn cone(height: f64, radius: f64, slices: u32) -> PyResult<Self> {
        Mesh::cone(height, radius, slices).map(Self::solid_of).map_err(value)
    }

    /// Creates a torus around z: `major` is the radius of the ring, `minor` that of its tube.
    #[staticmethod]
    #[pyo3(signature = (major, minor, around = 32, along = 16))]
    fn torus(major: f64, minor: f64, around: u32, along: u32) -> PyResult<Self> {
        Mesh::torus(major, minor, around, along).map(Self::solid_of).map_err(value)
    }

    /// Creates a tetrahedron with its vertices at four vertices of a cube.
    #[staticmethod]
    fn tetrahedron() -> Self {
        Self::solid_of(Mesh::tetrahedron())
    }

    /// Positions of the vertices, `(n, 3)`; a new array each time.
    #[getter]
    fn vertices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        points(py, self.0.vertices().iter().copied())
    }

    /// Triangles, `(m, 3)` vertex numbers; a new array each time.
    #[getter]
    fn faces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let triangles = self.0.triangles();
        let flat = PyArray1::from_slice(py, triangles.as_flattened());
        flat.reshape([triangles.len(), 3]).map(Bound::into_any)
    }

    /// Returns the solid that the triangles bound. Only a closed mesh has an inside.
    fn solid(&self) -> Self {
        Self(self.0.clone().into_solid())
    }

    /// Returns the triangles as a surface, which has no inside.
    fn surface(&self) -> Self {
        Self(self.0.clone().with_kind(MeshKind::Surface))
    }

    /// `True` if it is interpreted as the solid that its triangles bound.
    #[getter]
    fn is_solid(&self) -> bool {
        self.0.kind() == MeshKind::Solid
    }

    /// `True` if every edge has a face on either side; coincident vertices count as one.
    #[getter]
    fn is_closed(&self) -> bool {
        self.0.is_closed()
    }

    /// Enclosed volume, rounded; negative if the triangles face inwards.
    #[getter]
    fn volume(&self) -> f64 {
        self.0.signed_volume()
    }

    /// Bounding box: its lowest and highest vertex, `(2, 3)`.
    #[getter]
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        bounds(py, self.0.aabb())
    }

    /// Returns the mesh with every coordinate multiplied by a positive factor.
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
    /// A mesh that bounds a solid by its construction.
    fn solid_of(mesh: Mesh) -> Self {
        Self(mesh.into_solid())
    }

    /// A mesh as it was declared, or as it is without a declaration.
    fn taken_as(mesh: Mesh, solid: Option<bool>) -> Self {
        Self(match solid {
            Some(true) => mesh.into_solid(),
            Some(false) => mesh.with_kind(MeshKind::Surface),
            None => with_own_kind(mesh),
        })
    }

    pub(crate) fn from_any(mesh: &Bound<'_, PyAny>, solid: Option<bool>, weld: bool) -> PyResult<Self> {
        if let Ok(mesh) = mesh.cast::<Self>() {
            let mesh = mesh.get().clone();
            return Ok(if solid.is_some() { Self::taken_as(mesh.0, solid) } else { mesh });
        }
        if mesh.hasattr("vertices")? && mesh.hasattr("faces")? {
            return Self::new(&mesh.getattr("vertices")?, &mesh.getattr("faces")?, solid, weld);
        }
        if mesh.hasattr("to_mesh")? {
            return Self::from_any(&mesh.call_method0("to_mesh")?, solid, weld);
        }
        if mesh.hasattr("vert_properties")? && mesh.hasattr("tri_verts")? {
            // Further columns are properties other than positions.
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
    let mesh = PyMesh::new(vertices, faces, Some(solid), false)?.0;
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

/// A convex body without triangles. Queries are exact, or conservative if it is round.
///
/// >>> import noli
/// >>> sphere = noli.Model(noli.Convex.sphere(0.5))
/// >>> noli.overlap(sphere, sphere, noli.Pose([1.0, 0, 0]))
/// True
#[pyclass(frozen, eq, name = "Convex", module = "noli", from_py_object)]
#[derive(Clone, PartialEq)]
pub(crate) struct PyConvex(pub(crate) Convex);

#[pymethods]
impl PyConvex {
    /// Creates a sphere centred at the origin.
    #[staticmethod]
    fn sphere(radius: f64) -> PyResult<Self> {
        Convex::sphere(radius).map(Self).map_err(value)
    }

    /// Creates a box centred at the origin, with these full edge lengths.
    #[staticmethod]
    fn cuboid(size: &Bound<'_, PyAny>) -> PyResult<Self> {
        Convex::cuboid(vector(size, "size")?).map(Self).map_err(value)
    }

    /// Creates a capsule: all points within `radius` of a segment along z of this length, centred at the origin.
    #[staticmethod]
    fn capsule(length_of_core: f64, radius: f64) -> PyResult<Self> {
        Convex::capsule(length_of_core, radius).map(Self).map_err(value)
    }

    /// Creates a cylinder along z, centred at the origin.
    #[staticmethod]
    fn cylinder(height: f64, radius: f64) -> PyResult<Self> {
        Convex::cylinder(height, radius).map(Self).map_err(value)
    }

    /// Creates a cone along z, its tip up, centred at the origin.
    #[staticmethod]
    fn cone(height: f64, radius: f64) -> PyResult<Self> {
        Convex::cone(height, radius).map(Self).map_err(value)
    }

    /// Creates an ellipsoid with these radii along the axes.
    #[staticmethod]
    fn ellipsoid(radii: &Bound<'_, PyAny>) -> PyResult<Self> {
        Convex::ellipsoid(vector(radii, "radii")?).map(Self).map_err(value)
    }

    /// Computes the convex hull of points `(n, 3)`.
    #[staticmethod]
    fn hull(points: &Bound<'_, PyAny>) -> PyResult<Self> {
        Convex::hull(vectors(points, "points")?).map(Self).map_err(value)
    }

    /// Returns the body of all points within `radius` of it.
    fn rounded(&self, radius: f64) -> PyResult<Self> {
        self.0.clone().rounded(radius).map(Self).map_err(value)
    }

    /// Bounding box: its lowest and highest vertex, `(2, 3)`.
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

    #[expect(clippy::type_complexity, reason = "the signature of pickle")]
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
                ("hull", triangle.vertices.iter().flat_map(|p| p.to_array()).collect())
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
        _ => return Err(value(format!("invalid convex body: {word} with {} numbers", numbers.len()))),
    };
    let core = core.map_err(value)?;
    if radius > 0.0 { core.rounded(radius).map(PyConvex).map_err(value) } else { Ok(PyConvex(core)) }
}

/// The solid of a formula in x, y and z, such as `torus(2, 0.5)` or `x^2 + y^2 + z^2 <= 1`.
///
/// An unbounded field needs `bounds`, the lowest and the highest vertex of a box, `(2, 3)`.
///
/// >>> import noli
/// >>> ring = noli.Model(noli.Field("torus(2, 0.5)"))
/// >>> sphere = noli.Model(noli.Convex.sphere(0.5))
/// >>> noli.overlap(ring, sphere), noli.overlap(ring, sphere, noli.Pose([2, 0, 0]))
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
        let vertices = bounds.map(|bounds| vectors(bounds, "bounds")).transpose()?;
        if let Some(vertices) = &vertices {
            let &[min, max] = &vertices[..] else {
                return Err(crate::array::wrong_shape("bounds", "(2, 3)", &[vertices.len(), 3]));
            };
            field = field.within(Aabb { min, max });
        }
        let bounds = vertices.map(|vertices| [vertices[0].to_array(), vertices[1].to_array()]);
        Ok(Self { field, formula, bounds })
    }

    /// The formula as it was given.
    #[getter]
    fn formula(&self) -> &str {
        &self.formula
    }

    fn __repr__(&self) -> String {
        format!("noli.Field({:?})", self.formula)
    }

    #[expect(clippy::type_complexity, reason = "the signature of pickle")]
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
