//! From files to bodies.

use super::Kind;
use anyhow::{Context, Result};
use glam::DVec3;
use noli::{Mesh, MeshKind, Model, Pose};
use noli_geom::{Aabb, RelativePose};
use noli_io::ReadOptions;
use noli_scenes::Part;
use rayon::prelude::*;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A model with a name and a place.
pub(super) struct Body {
    pub(super) name: String,
    /// Number of the file it came from.
    pub(super) file: usize,
    pub(super) model: Model,
    pub(super) world_from_self: Pose,
    /// Why it cannot be trusted as a solid, if so.
    pub(super) flaw: Option<String>,
}

/// All bodies and what was odd about their files.
pub(super) struct Bodies {
    pub(super) all: Vec<Body>,
    pub(super) warnings: Vec<String>,
}

impl Body {
    fn new(name: String, file: usize, mesh: Mesh, kind: Kind, world_from_self: Pose) -> Self {
        let flaw = if kind == Kind::Surface { None } else { flaw(&mesh) };
        let solid = kind == Kind::Solid || kind == Kind::Auto && flaw.is_none();
        let mesh = mesh.with_kind(if solid { MeshKind::Solid } else { MeshKind::Surface });
        let model = Model::new(&mesh, &Default::default());
        Self { name, file, model, world_from_self, flaw }
    }

    pub(super) fn placed(&self) -> noli::Placed<'_> {
        self.model.at(self.world_from_self)
    }

    /// A box in the world that holds the body, rounding included.
    pub(super) fn bounds(&self) -> Aabb {
        let mesh = self.model.mesh();
        let own = mesh.aabb();
        let reach = own.min.abs().max(own.max.abs()).max_element();
        let world_from_self = RelativePose::new(&Pose::IDENTITY, &self.world_from_self);
        let used = mesh.triangles().iter().flatten().map(|&vertex| mesh.vertices()[vertex as usize]);
        let rounded = Aabb::around(used.map(|vertex| world_from_self.transform_point(vertex)));
        grown(&rounded, world_from_self.point_error(reach))
    }
}

/// The box with `by` more on every side, rounded outward.
pub(super) fn grown(bounds: &Aabb, by: f64) -> Aabb {
    if by == 0.0 {
        return *bounds;
    }
    let outward = |corner: DVec3, next: fn(f64) -> f64| DVec3::from_array(corner.to_array().map(next));
    Aabb {
        min: outward(bounds.min - DVec3::splat(by), f64::next_down),
        max: outward(bounds.max + DVec3::splat(by), f64::next_up),
    }
}

/// Why a mesh bounds no solid.
fn flaw(mesh: &Mesh) -> Option<String> {
    let report = mesh.report();
    if report.closed && report.oriented {
        return None;
    }
    Some(match report.border_edges {
        0 => "its faces disagree about which side is out".to_owned(),
        1 => "it has 1 border edge".to_owned(),
        edges => format!("it has {edges} border edges"),
    })
}

/// How finely generated assemblies are meshed: the engine bay then has 64 thousand triangles.
const DEMO_DETAIL: u32 = 2;

pub(super) fn from_demo(name: &str, kind: Kind) -> Result<Bodies> {
    let names = || noli_scenes::list().iter().map(|listed| listed.name).collect::<Vec<_>>().join(", ");
    let assembly = noli_scenes::assembly(name, DEMO_DETAIL)
        .with_context(|| format!("there is no generated assembly called {name}; there are: {}", names()))?;
    let body = |part: Part| Body::new(part.name, 0, part.mesh, kind, part.pose);
    Ok(Bodies { all: assembly.parts.into_par_iter().map(body).collect(), warnings: Vec::new() })
}

pub(super) fn from_files(paths: &[PathBuf], kind: Kind, weld: bool) -> Result<Bodies> {
    let options = ReadOptions { weld: weld.then_some(true) };
    let mut warnings = Vec::new();
    let mut meshes = Vec::new();
    for (number, path) in paths.iter().enumerate() {
        let file = noli_io::read_objects(path, &options)?;
        warnings.extend(file.warnings.iter().map(|warning| format!("{}: {warning}", path.display())));
        let alone = file.objects.len() == 1;
        let label = |name: String| label(path, name, paths.len() > 1, alone);
        meshes.extend(file.objects.into_iter().map(|object| (label(object.name), number, object.mesh)));
    }
    make_unique(meshes.iter_mut().map(|(name, ..)| name));
    let body = |(name, file, mesh)| Body::new(name, file, mesh, kind, Pose::IDENTITY);
    let all: Vec<Body> = meshes.into_par_iter().map(body).collect();
    if kind == Kind::Solid {
        let doubt = |body: &Body| {
            let flaw = body.flaw.as_ref()?;
            Some(format!(
                "{} is taken as a solid, but {flaw}; what is inside it is not well defined",
                body.name
            ))
        };
        warnings.extend(all.iter().filter_map(doubt));
    }
    Ok(Bodies { all, warnings })
}

/// What an object is called: the file matters if there are several, the object if the file has several.
fn label(path: &Path, object: String, several_files: bool, alone: bool) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    match (several_files, alone) {
        (false, _) => object,
        (true, true) => stem.into_owned(),
        (true, false) => format!("{stem}/{object}"),
    }
}

fn make_unique<'a>(names: impl Iterator<Item = &'a mut String>) {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for name in names {
        let times = seen.entry(name.clone()).or_default();
        *times += 1;
        if *times > 1 {
            *name += &format!("#{times}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growing_rounds_outward() {
        let unit = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
        assert_eq!(grown(&unit, 0.0), unit);
        let tiny = grown(&unit, 1e-30);
        assert!(tiny.max.x > 1.0 && tiny.min.x < 0.0);
    }

    #[test]
    fn equal_names_are_numbered() {
        let mut names = ["cube", "ball", "cube", "cube"].map(str::to_owned);
        make_unique(names.iter_mut());
        assert_eq!(names, ["cube", "ball", "cube#2", "cube#3"]);
    }
}
