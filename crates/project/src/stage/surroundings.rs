//! Obstacles and attached objects of a robot: planning scenes, scenes and meshes from files, in metres.

use super::mesh_kind::TakeAs;
use super::scene::{StageOptions, Staged, StagedBody, stage};
use crate::load::cloud::{CloudOptions, cloud_mesh, load_cloud};
use crate::load::grid::{LoadedGrid, is_grid_file, load_grid};
use crate::load::robot::{placed, read_text};
use crate::load::source::{OpenOptions, open_paths};
use noli::model::MeshKind;
use noli::world::BodySelector;
use noli::{Convex, Mesh, MeshError, Model, Pose, World};
use noli_formats::{FileError, Place, Units, display_name, is_point_file};
use noli_geom::{Core, MeshOptions};
use noli_grid::UncertainCells;
use noli_robot::cell::{Cell, CellBuilder, CellError, PairRule};
use noli_robot::{ConfigurationError, Obstacle};
use std::path::{Path, PathBuf};

/// A body around a robot, in metres.
#[derive(Clone, Debug)]
pub struct Surrounding {
    /// Its name, unique among those of one call.
    pub name: String,
    /// Its shape.
    pub model: Model,
    /// Its placement.
    pub place: Pose,
    /// The part of it that is there for certain; `None` if all is.
    pub certain: Option<Model>,
    /// `true` if its triangles replace the curved surfaces of a CAD file.
    pub is_tessellated: bool,
}

impl Surrounding {
    /// Adds it to a cell as an obstacle; returns the number of its part.
    pub fn add_to(&self, plan: &mut CellBuilder) -> Result<usize, CellError> {
        match &self.certain {
            Some(certain) => plan.add_uncertain_obstacle(&self.name, &self.model, certain, self.place),
            None => plan.add_obstacle(&self.name, &self.model, self.place),
        }
    }
}

/// Reads the environment of a robot: planning scenes (`.yaml`, `.yml`, `.json`), scenes (`.toml`), mesh files
/// and folders of them. Meshes without a unit are in metres. Also returns warnings.
pub fn load_surroundings(
    paths: &[PathBuf],
    take_as: TakeAs,
) -> Result<(Vec<Surrounding>, Vec<String>), FileError> {
    load_obstacles(paths, take_as, &CloudOptions::default())
}

/// [`load_surroundings`], with the radius of point clouds (PCD, PLY without faces, XYZ, NPY and depth cameras), in
/// metres.
pub fn load_obstacles(
    paths: &[PathBuf],
    take_as: TakeAs,
    clouds: &CloudOptions,
) -> Result<(Vec<Surrounding>, Vec<String>), FileError> {
    let (mut all, mut warnings): (Vec<Surrounding>, Vec<String>) = (Vec::new(), Vec::new());
    for path in paths {
        let end = path.extension().map(|end| end.to_string_lossy().to_ascii_lowercase());
        let found = match end.as_deref() {
            _ if is_grid_file(path) => grid(path, clouds, &mut warnings)?,
            _ if is_point_file(path) => point_cloud(path, clouds, &mut warnings)?,
            Some("yaml" | "yml" | "json") => planning_scene(path)?,
            _ => staged(path, take_as, &mut warnings)?,
        };
        // A grid in which all is free is a measurement; its counts are in the warning.
        if found.is_empty() && !is_grid_file(path) {
            let reason = "there is nothing in it that could be met";
            return Err(FileError::new(Place::Whole, reason, "give a file with bodies").in_file(path));
        }
        for mut body in found {
            let first = body.name.clone();
            let mut number = 1;
            while all.iter().any(|other| other.name == body.name) {
                number += 1;
                body.name = format!("{first}#{number}");
            }
            all.push(body);
        }
    }
    Ok((all, warnings))
}

fn point_cloud(
    path: &Path,
    options: &CloudOptions,
    warnings: &mut Vec<String>,
) -> Result<Vec<Surrounding>, FileError> {
    let (cloud, more) = load_cloud(path, options)?;
    warnings.extend(more.iter().map(|warning| format!("{}: {warning}", path.display())));
    let name = display_name::printable(&display_name::stem(path));
    let model = Model::new(cloud)
        .map_err(|error| FileError::new(Place::Whole, error.to_string(), "correct the file").in_file(path))?;
    Ok(vec![Surrounding { name, model, place: Pose::IDENTITY, certain: None, is_tessellated: false }])
}

/// The cells of an occupancy tree or of a distance grid; nothing if none is an obstacle.
fn grid(
    path: &Path,
    options: &CloudOptions,
    warnings: &mut Vec<String>,
) -> Result<Vec<Surrounding>, FileError> {
    let LoadedGrid { cells, frame, warning } = load_grid(path, options.unknown)?;
    warnings.push(format!("{}: {warning}", path.display()));
    if cells.counts() == [0, 0] {
        return Ok(Vec::new());
    }
    let wrong = |error: noli::ShapeError| {
        FileError::new(Place::Whole, error.to_string(), "correct the file").in_file(path)
    };
    let model = cells.voxels().and_then(Model::new).map_err(wrong)?;
    let certain = match cells.kind() {
        UncertainCells::Undecided => Some(cells.certain_model().map_err(wrong)?),
        UncertainCells::Unknown => None,
    };
    let name = display_name::printable(&display_name::stem(path));
    Ok(vec![Surrounding { name, model, place: frame, certain, is_tessellated: false }])
}

fn planning_scene(path: &Path) -> Result<Vec<Surrounding>, FileError> {
    let text = read_text(path)?;
    let obstacles = Obstacle::from_planning_scene_str(&text).map_err(|error| placed(&error).in_file(path))?;
    let prepared = |obstacle: Obstacle| {
        let model = Model::new(obstacle.shape).map_err(|error| {
            let reason = format!("`{}`: {error}", obstacle.name);
            FileError::new(Place::Whole, reason, "correct its sizes").in_file(path)
        })?;
        Ok(Surrounding {
            name: obstacle.name,
            model,
            place: obstacle.pose,
            certain: None,
            is_tessellated: false,
        })
    };
    obstacles.into_iter().map(prepared).collect()
}

fn staged(path: &Path, take_as: TakeAs, warnings: &mut Vec<String>) -> Result<Vec<Surrounding>, FileError> {
    let source = open_paths(&[path.to_owned()], &OpenOptions::default())?;
    let wrong = |reason: String| FileError::new(Place::Whole, reason, "correct the file").in_file(path);
    let options = StageOptions { take_as, ..StageOptions::default() };
    let staged = stage(&source.scene, &options).map_err(|error| wrong(error.to_string()))?;
    warnings.extend(staged.warnings.iter().cloned());
    // glTF files are read in metres; a scene says its unit.
    let unit = source.units.unwrap_or(Units::Metre);
    let factor = unit.convert(1.0, Units::Metre);
    let mut all = Vec::new();
    for ((_, body), of) in staged.world.bodies().zip(&staged.bodies) {
        let model = if factor == 1.0 { Ok(body.model().clone()) } else { body.model().scaled(factor) };
        let model = model.map_err(|error| wrong(error.to_string()))?;
        let pose = body.pose();
        let place = Pose::new(pose.rotation, pose.translation * factor);
        let (name, is_tessellated) = (body.name().to_owned(), of.origin.uncertainty > 0.0);
        all.push(Surrounding { name, model, place, certain: None, is_tessellated });
    }
    Ok(all)
}

/// Creates a world from a cell in one configuration: parts with one shape keep their names, others are
/// numbered. The checked pairs are those of the cell.
pub fn stage_configuration(cell: &Cell, values: &[f64]) -> Result<Staged, ConfigurationError> {
    let poses = cell.shape_poses(values)?;
    let mut world = World::default();
    let mut bodies = Vec::new();
    let mut of_part: Vec<Vec<noli::world::BodyId>> = vec![Vec::new(); cell.parts().len()];
    for ((part, model), pose) in cell.shapes().zip(poses) {
        let several = cell.shapes().filter(|(other, _)| *other == part).count() > 1;
        let name = &cell.parts()[part].name;
        let name = if several { format!("{name}[{}]", of_part[part].len()) } else { name.clone() };
        // Poses of configurations are valid, and names need not be unique.
        let Ok(id) = world.add(name, model, pose) else { continue };
        of_part[part].push(id);
        bodies.push(StagedBody {
            id,
            look: display_mesh(model),
            is_true_shape: model.mesh().is_none(),
            kind: model.mesh().map_or(MeshKind::Solid, Mesh::kind),
            said: true,
            flaw: None,
            is_collapsed: false,
            origin: Default::default(),
            cells: None,
        });
    }
    let rules = world.rules_mut();
    let set = |a: usize, b: usize, on: Option<f64>, rules: &mut noli::world::Rules| {
        for &x in &of_part[a] {
            for &y in &of_part[b] {
                match on {
                    Some(margin) if margin > 0.0 => {
                        rules.set_margin([BodySelector::Body(x), BodySelector::Body(y)], margin)
                    }
                    Some(_) => {}
                    None => rules.set([BodySelector::Body(x), BodySelector::Body(y)], false),
                }
            }
        }
    };
    for pair in cell.pairs() {
        let [a, b] = pair.parts;
        match pair.rule {
            PairRule::Checked { margin } => set(a, b, Some(margin), rules),
            PairRule::Disabled(_) => set(a, b, None, rules),
        }
    }
    // Bodies that stand still, and shapes of one part, are no pairs of a cell.
    let paired =
        |a: usize, b: usize| cell.pairs().iter().any(|pair| pair.parts == [a, b] || pair.parts == [b, a]);
    for a in 0..of_part.len() {
        for b in a..of_part.len() {
            if a == b || !paired(a, b) {
                set(a, b, None, rules);
            }
        }
    }
    Ok(Staged {
        world,
        bodies,
        moves: Vec::new(),
        removals: Vec::new(),
        seconds: 0.0,
        units: Units::Metre,
        warnings: Vec::new(),
    })
}

/// Creates the display mesh of a model: its own, or one inscribed in a convex body or in the spheres of a point cloud. Half-spaces and formulas are drawn as a
/// mark.
pub fn display_mesh(model: &Model) -> Mesh {
    let convex = || model.convex().and_then(|convex| look(convex).ok());
    let mark = || Mesh::cuboid(glam::DVec3::splat(0.01)).ok();
    let points = || model.point_cloud().map(cloud_mesh);
    model.mesh().cloned().or_else(convex).or_else(points).or_else(mark).unwrap_or_else(Mesh::empty)
}

/// Creates a display mesh inscribed in a convex body.
fn look(convex: &Convex) -> Result<Mesh, MeshError> {
    let radius = convex.radius();
    match *convex.core() {
        Core::Box { half_extents } if radius == 0.0 => Mesh::cuboid(2.0 * half_extents),
        Core::Cylinder { half_height, radius: core } if radius == 0.0 => cylinder(half_height, core),
        _ => {
            let sphere = Mesh::sphere(1.0, 12)?;
            let furthest = |direction: &glam::DVec3| convex.support_point(*direction);
            sphere.with_vertices(sphere.vertices().iter().map(furthest).collect())
        }
    }
}

fn cylinder(half_height: f64, radius: f64) -> Result<Mesh, MeshError> {
    const SIDES: u32 = 32;
    let ring = |z: f64| {
        (0..SIDES).map(move |k| {
            let angle = std::f64::consts::TAU * f64::from(k) / f64::from(SIDES);
            glam::dvec3(radius * angle.cos(), radius * angle.sin(), z)
        })
    };
    let vertices: Vec<glam::DVec3> = ring(-half_height).chain(ring(half_height)).collect();
    let mut triangles = Vec::new();
    for k in 0..SIDES {
        let next = (k + 1) % SIDES;
        triangles.extend([[k, next, SIDES + next], [k, SIDES + next, SIDES + k]]);
        if k > 0 && next > 0 {
            triangles.extend([[0, next, k], [SIDES, SIDES + k, SIDES + next]]);
        }
    }
    Mesh::from_triangles(vertices, triangles, &MeshOptions { weld: false })
}
