//! Point clouds of files, with the radius of their points.

use glam::DVec3;
use noli_formats::{FileError, Place, PointFile, UnknownCells, Warning, read_points};
use noli_geom::{Mesh, MeshOptions, PointCloud};
use std::path::Path;

/// Options for point clouds. Lengths are in the unit of the points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CloudOptions {
    /// Radius around every point; radii of the file if absent. A cloud with neither is refused: bodies pass between
    /// points of no size.
    pub radius: Option<f64>,
    /// Distance of thinning: every removed point lies within it of a kept one, and it is added to the radius.
    pub thin: Option<f64>,
    /// Treatment of unknown cells of occupancy trees.
    pub unknown: UnknownCells,
}

/// Reads a point cloud and thins it; also returns warnings.
pub fn load_cloud(
    path: impl AsRef<Path>,
    options: &CloudOptions,
) -> Result<(PointCloud, Vec<Warning>), FileError> {
    let path = path.as_ref();
    let PointFile { points, radii, has_unnamed_radii, dropped, mut warnings, .. } = read_points(path)?;
    if options.radius.is_none() && radii.is_none() {
        let remedy = "give the radius of its points: --radius LENGTH, or `radius` in a scene";
        let reason = "a point cloud has no size of its own";
        return Err(FileError::new(Place::Whole, reason, remedy).in_file(path));
    }
    if dropped > 0 {
        let all = dropped.saturating_add(points.len());
        let text = format!("{dropped} of {all} points were dropped: they have no finite position");
        warnings.push(Warning { place: Place::Whole, text });
    }
    let wrong = |error: noli::ShapeError| {
        FileError::new(Place::Whole, error.to_string(), "give an ordinary length").in_file(path)
    };
    let given = points.len();
    let mut cloud = PointCloud::new(points, options.radius.unwrap_or_default()).map_err(wrong)?;
    if let (None, Some(radii)) = (options.radius, radii) {
        cloud = cloud.with_radii(radii).map_err(wrong)?;
        if has_unnamed_radii {
            let text = "the fourth column is taken as the radius of each point; give --radius if it is something else";
            warnings.push(Warning { place: Place::Whole, text: text.to_owned() });
        }
    }
    if let Some(distance) = options.thin {
        cloud = cloud.thinned(distance).map_err(wrong)?;
        let text = format!(
            "thinned from {given} to {} points; {distance} was added to their radius",
            cloud.points().len()
        );
        warnings.push(Warning { place: Place::Whole, text });
    }
    Ok((cloud, warnings))
}

/// Points that are drawn, at most.
const DRAWN: usize = 20_000;

/// Creates a display mesh: an octahedron inscribed in the sphere of each point, of at most 20,000 points.
pub fn cloud_mesh(cloud: &PointCloud) -> Mesh {
    let points = cloud.points();
    let step = points.len().div_ceil(DRAWN).max(1);
    let size = cloud.aabb().size().max_element();
    let radius = |point: usize| match cloud.radius_of(point) {
        0.0 => 1e-3 * size.max(1e-3),
        radius => radius,
    };
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    // Six vertices for each point.
    for ((number, &point), first) in points.iter().enumerate().step_by(step).zip((0u32..).step_by(6)) {
        let radius = radius(number);
        vertices.extend(
            [DVec3::X, DVec3::Y, DVec3::Z]
                .iter()
                .flat_map(|&axis| [point + axis * radius, point - axis * radius]),
        );
        for (k, face) in FACES.iter().enumerate() {
            let [x, y, z] = face.map(|vertex| first.saturating_add(vertex));
            triangles.push(if k % 2 == 0 { [x, y, z] } else { [x, z, y] });
        }
    }
    Mesh::from_triangles(vertices, triangles, &MeshOptions::default()).unwrap_or_else(|_| Mesh::empty())
}

/// The faces of an octahedron, every other one the other way round.
const FACES: [[u32; 3]; 8] =
    [[0, 2, 4], [0, 2, 5], [0, 3, 5], [0, 3, 4], [1, 3, 4], [1, 3, 5], [1, 2, 5], [1, 2, 4]];
