//! The source of a robot: its files, and its parts as pickled.

use super::PyRobot;
use crate::error::{file, value};
use crate::model::{PyModel, one_pose};
use crate::pool::on_threads;
use crate::pose::PyPose;
use crate::shape::PyMesh;
use noli::Pose;
use noli_project::{LinkKind, LoadedRobot, RobotOptions, load_robot, load_srdf, srdf_warnings};
use noli_robot::{LinkGeometry, LinkShape, PumaSet, Robot, puma560};
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::path::PathBuf;
use std::sync::Arc;

/// The source of a robot: enough to recreate it without its files.
pub(super) struct Source {
    pub(super) text: Text,
    pub(super) srdf: Option<String>,
    pub(super) shapes: Vec<LinkShape>,
    /// Links without collision geometry collide by their visual geometry.
    pub(super) visual: bool,
    pub(super) place: Pose,
}

/// The description of a robot.
#[derive(Clone)]
pub(super) enum Text {
    Urdf(String),
    Dh(String),
    Puma560,
}

impl Text {
    pub(super) fn robot(&self) -> PyResult<Robot> {
        match self {
            Self::Urdf(text) => Robot::from_urdf_str(text).map_err(value),
            Self::Dh(text) => Robot::from_dh_str(text).map_err(value),
            Self::Puma560 => Ok(puma560(PumaSet::FuGonzalezLee)),
        }
    }

    fn parts(&self) -> (&'static str, &str) {
        match self {
            Self::Urdf(text) => ("urdf", text),
            Self::Dh(text) => ("dh", text),
            Self::Puma560 => ("puma560", ""),
        }
    }

    fn from_parts(word: &str, text: String) -> PyResult<Self> {
        match word {
            "urdf" => Ok(Self::Urdf(text)),
            "dh" => Ok(Self::Dh(text)),
            "puma560" => Ok(Self::Puma560),
            _ => Err(value(format!("unknown description of a robot: {word:?}"))),
        }
    }
}

/// Obstacles, attached objects and pair rules.
#[derive(Clone)]
pub(super) enum Extra {
    Body { name: String, model: PyModel, pose: Pose },
    Carried { link: String, name: String, model: PyModel, pose: Pose, may_touch: Vec<String> },
    Disabled { a: String, b: String },
    Margin { a: String, b: String, margin: f64 },
    Padding { name: String, margin: f64 },
}

pub(super) fn kind_of(word: &str) -> PyResult<LinkKind> {
    match word {
        "auto" => Ok(LinkKind::Auto),
        "solid" => Ok(LinkKind::Solid),
        "surface" => Ok(LinkKind::Surface),
        _ => Err(value(format!("kind={word:?}: unknown kind; give \"auto\", \"solid\" or \"surface\""))),
    }
}

pub(super) fn load(
    py: Python<'_>,
    path: PathBuf,
    srdf: Option<PathBuf>,
    options: RobotOptions,
    pose: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyRobot> {
    let place = pose.map(one_pose).transpose()?.unwrap_or_default();
    let read = |path: &PathBuf| noli_formats::text_of(path).map_err(|error| file(error.in_file(path)));
    let is_dh = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("toml"));
    on_threads(py, None, || {
        let LoadedRobot { robot, shapes, warnings } = load_robot(&path, &options).map_err(file)?;
        let mut warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        if let Some(path) = &srdf {
            warnings.extend(srdf_warnings(&load_srdf(path, &robot).map_err(file)?, path));
        }
        let srdf = srdf.as_ref().map(read).transpose()?;
        let text = read(&path)?;
        let text = if is_dh { Text::Dh(text) } else { Text::Urdf(text) };
        let source = Source { text, srdf, shapes, visual: options.visual, place };
        PyRobot::build(Arc::new(source), Arc::new(robot), Vec::new(), Arc::new(warnings))
    })?
}

/// A robot from the text of a URDF file and of an SRDF file; `load_mesh` is called with the file name of each mesh.
pub(super) fn load_text(
    py: Python<'_>,
    (text, srdf): (String, Option<String>),
    load_mesh: Option<&Bound<'_, PyAny>>,
    options: &RobotOptions,
    pose: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyRobot> {
    let RobotOptions { kind, visual, .. } = *options;
    let place = pose.map(one_pose).transpose()?.unwrap_or_default();
    let text = Text::Urdf(text);
    let robot = text.robot()?;
    let mesh = |name: &str| -> Result<noli::Mesh, String> {
        let Some(load) = load_mesh else {
            return Err("no load_mesh was given to read it".to_owned());
        };
        let mesh = load.call1((name,)).and_then(|mesh| PyMesh::from_any(&mesh, Some(false), true));
        mesh.map(|mesh| mesh.0).map_err(|error| error.to_string())
    };
    let shapes = if visual { robot.shapes_or_visual(mesh) } else { robot.shapes(mesh) };
    let mut shapes = shapes.map_err(value)?;
    for shape in &mut shapes {
        let LinkGeometry::Mesh(mesh) = &mut shape.solid else { continue };
        if kind == LinkKind::Solid || (kind == LinkKind::Auto && mesh.report().closed) {
            *mesh = mesh.clone().into_solid();
        }
    }
    let source = Source { text, srdf, shapes, visual, place };
    on_threads(py, None, || PyRobot::build(Arc::new(source), Arc::new(robot), Vec::new(), Arc::default()))?
}

impl PyRobot {
    /// Returns the arguments of `restore_robot`.
    pub(super) fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let source = &*self.source;
        let meshes = PyList::empty(py);
        for shape in &source.shapes {
            match &shape.solid {
                LinkGeometry::Mesh(mesh) => meshes.append(PyMesh(mesh.clone()))?,
                LinkGeometry::Convex(_) => meshes.append(py.None())?,
            }
        }
        let extras = PyList::empty(py);
        for extra in &self.extras {
            match extra {
                Extra::Body { name, model, pose } => {
                    extras.append(("body", (name, model.clone(), PyPose(*pose))))?;
                }
                Extra::Carried { link, name, model, pose, may_touch } => {
                    extras.append(("carried", (link, name, model.clone(), PyPose(*pose), may_touch)))?;
                }
                Extra::Disabled { a, b } => extras.append(("disabled", (a, b)))?,
                Extra::Margin { a, b, margin } => extras.append(("margin", (a, b, margin)))?,
                Extra::Padding { name, margin } => extras.append(("padding", (name, margin)))?,
            }
        }
        let (word, text) = source.text.parts();
        let texts = (word, text, &source.srdf, source.visual, source.place.to_array());
        Ok((texts, meshes, extras, self.warnings.to_vec()).into_pyobject(py)?.into_any())
    }
}

/// A robot from its texts, meshes and additions, for pickle.
#[pyfunction(name = "_robot")]
pub(crate) fn restore_robot(
    py: Python<'_>,
    texts: (String, String, Option<String>, bool, [f64; 7]),
    meshes: Vec<Option<PyMesh>>,
    extras: Vec<(String, Bound<'_, PyAny>)>,
    warnings: Vec<String>,
) -> PyResult<PyRobot> {
    let (word, text, srdf, visual, place) = texts;
    let text = Text::from_parts(&word, text)?;
    let robot = text.robot()?;
    // Any mesh will do at first: the true ones, which may have been scaled, are put in below.
    let stand_in = |_: &str| Ok::<_, String>(noli::Mesh::tetrahedron());
    let shapes = if visual { robot.shapes_or_visual(stand_in) } else { robot.shapes(stand_in) };
    let mut shapes = shapes.map_err(value)?;
    if shapes.len() != meshes.len() {
        return Err(value("the robot has other shapes than when it was pickled"));
    }
    for (shape, mesh) in shapes.iter_mut().zip(meshes) {
        if let Some(mesh) = mesh {
            shape.solid = LinkGeometry::Mesh(mesh.0);
        }
    }
    let model = |model: Bound<'_, PyModel>| model.get().clone();
    let mut kept = Vec::new();
    for (word, parts) in &extras {
        kept.push(match word.as_str() {
            "body" => {
                let (name, body, pose): (String, Bound<'_, PyModel>, PyPose) = parts.extract()?;
                Extra::Body { name, model: model(body), pose: pose.0 }
            }
            "carried" => {
                let (link, name, body, pose, may_touch): (_, _, Bound<'_, PyModel>, PyPose, _) =
                    parts.extract()?;
                Extra::Carried { link, name, model: model(body), pose: pose.0, may_touch }
            }
            "disabled" => {
                let (a, b) = parts.extract()?;
                Extra::Disabled { a, b }
            }
            "margin" => {
                let (a, b, margin) = parts.extract()?;
                Extra::Margin { a, b, margin }
            }
            "padding" => {
                let (name, margin) = parts.extract()?;
                Extra::Padding { name, margin }
            }
            _ => return Err(value(format!("unknown part of a pickled robot: {word:?}"))),
        });
    }
    let source = Arc::new(Source { text, srdf, shapes, visual, place: Pose::from_array(place) });
    on_threads(py, None, || PyRobot::build(source, Arc::new(robot), kept, Arc::new(warnings)))?
}
