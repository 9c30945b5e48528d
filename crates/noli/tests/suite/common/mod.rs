//! Shared support of the integration tests: the location of the data, and a slow reference for every answer.
#![allow(dead_code, reason = "every test uses a part of it")]

pub(crate) mod contact_pairs;
pub(crate) mod depths;
pub(crate) mod feature_oracle;
pub(crate) mod polycubes;
pub(crate) mod slides;

use glam::{DQuat, DVec3};
use noli::answer::{Completeness, Count};
use noli::model::{MeshOptions, Triangle};
use noli::query::IntersectionsQuery;
use noli::{Mesh, Model, Placed, Pose, QueryContext, Scratch};
use noli_formats::{ReadOptions, read_mesh};
use noli_geom::{Aabb, PairFrame, Relation as FaceRelation, RelativePose, TrianglePair};
use noli_scenes::{SplitMix64, TriangleSet};
use std::path::{Path, PathBuf};

/// A folder of the shared data; `None`, said aloud, where there is no such data.
pub(crate) fn data(folder: &str) -> Option<PathBuf> {
    noli_testing::data(folder)
}

/// The rows of a text table, cut at commas.
pub(crate) fn rows(path: &Path, header_lines: usize) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let cut = |line: &str| line.split(',').map(str::to_owned).collect();
    text.lines().skip(header_lines).filter(|line| !line.is_empty()).map(cut).collect()
}

pub(crate) fn numbers(cells: &[String]) -> Vec<f64> {
    cells.iter().map(|cell| cell.parse().unwrap_or_else(|error| panic!("{cell}: {error}"))).collect()
}

pub(crate) fn load(path: &Path) -> Mesh {
    read_mesh(path, &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) fn mesh(set: TriangleSet) -> Mesh {
    Mesh::from_triangles(set.vertices, set.triangles, &MeshOptions::default()).expect("a valid mesh")
}

pub(crate) fn model(mesh: &Mesh) -> Model {
    Model::new(mesh).unwrap()
}

/// The mesh that a model was made of.
pub(crate) fn faces(model: &Model) -> &Mesh {
    model.mesh().expect("made of a mesh")
}

/// Number of pairs of faces with a common point.
pub(crate) fn count_intersections(a: &Placed<'_>, b: &Placed<'_>) -> u64 {
    let (mut count, query) = (Count::default(), IntersectionsQuery { segments: false, ..Default::default() });
    let completeness = QueryContext::new(&mut Scratch::default()).intersections(a, b, &query, &mut count);
    assert_eq!(completeness, Completeness::Complete);
    count.0
}

/// Some meshes as one.
pub(crate) fn merged(parts: impl IntoIterator<Item = TriangleSet>) -> TriangleSet {
    let mut whole = TriangleSet::default();
    for part in parts {
        let first = whole.vertices.len() as u32;
        whole.vertices.extend(part.vertices);
        whole.triangles.extend(part.triangles.iter().map(|t| t.map(|v| v + first)));
    }
    whole
}

pub(crate) fn shift(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z))
}

/// A vector in a cube of half extent `size`.
pub(crate) fn vector(random: &mut SplitMix64, size: f64) -> DVec3 {
    DVec3::from_array([(); 3].map(|()| random.between(-size, size)))
}

/// A tetrahedron, a blade, a peg, a bumpy sphere and two bodies in one, as surfaces.
pub(crate) fn small_models() -> Vec<Model> {
    let blade = noli_scenes::cuboid(DVec3::new(1.0, 0.01, 0.2));
    let peg = noli_scenes::cuboid(DVec3::new(0.02, 0.02, 1.0));
    [
        noli_scenes::tetrahedron(),
        blade,
        peg,
        noli_scenes::bumpy_sphere(4, 0.3),
        merged([noli_scenes::tetrahedron(), noli_scenes::cuboid(DVec3::splat(0.3))]),
    ]
    .map(|set| model(&mesh(set)))
    .into()
}

/// A box, a tetrahedron and a torus as solids.
pub(crate) fn solids() -> [Model; 3] {
    [
        noli_scenes::cuboid(DVec3::new(0.5, 0.4, 0.3)),
        noli_scenes::tetrahedron(),
        noli_scenes::torus(0.6, 0.2, 12, 6),
    ]
    .map(|set| model(&mesh(set).into_solid()))
}

/// A quarter turn about z, exact in a quaternion of any length.
pub(crate) const QUARTER_TURN: DQuat = DQuat::from_xyzw(0.0, 0.0, 1.0, 1.0);

/// The answer for two bodies from all pairs of their faces.
#[derive(Debug)]
pub(crate) struct Brute {
    pub(crate) relation: FaceRelation,
    /// Pairs of faces that share a point, in order.
    pub(crate) meeting: Vec<(u32, u32, FaceRelation)>,
    pub(crate) at_least: f64,
    pub(crate) at_most: f64,
    /// The pairs of faces that come within rounding of the distance, closest first.
    pub(crate) closest: Vec<(u32, u32)>,
}

/// The faces of a body with boxes around them, in the frame of the other body.
struct Boxed {
    faces: Vec<Triangle>,
    boxes: Vec<Aabb>,
    middles: Vec<DVec3>,
}

impl Boxed {
    fn new(mesh: &Mesh, margin: f64, place: impl Fn(DVec3) -> DVec3) -> Self {
        let faces: Vec<Triangle> = mesh.iter_triangles().collect();
        let placed = faces.iter().map(|t| t.vertices.map(&place));
        let (boxes, middles) = placed
            .map(|vertices| {
                let tight = Aabb::from_points(vertices);
                let around =
                    Aabb { min: tight.min - DVec3::splat(margin), max: tight.max + DVec3::splat(margin) };
                (around, vertices[0])
            })
            .unzip();
        Self { faces, boxes, middles }
    }
}

fn reach(mesh: &Mesh) -> f64 {
    mesh.vertices().iter().fold(0.0, |most: f64, v| most.max(v.abs().max_element()))
}

/// Far more than any rounding of a pose or a coordinate of these bodies, far less than their size.
fn margin(a: &Mesh, b: &Mesh, pose: &RelativePose) -> f64 {
    1e-12 * (reach(a) + reach(b) + pose.translation.abs().max_element())
}

fn box_clearance(a: &Aabb, b: &Aabb) -> f64 {
    (a.min - b.max).max(b.min - a.max).max(DVec3::ZERO).length()
}

/// Ask the exact test about every pair of faces whose boxes come close.
pub(crate) fn brute(a: &Placed<'_>, b: &Placed<'_>) -> Brute {
    let pose = RelativePose::new(&a.world_from_self, &b.world_from_self);
    let (mesh_a, mesh_b) = (faces(a.model), faces(b.model));
    let margin = margin(mesh_a, mesh_b, &pose);
    let side_a = Boxed::new(mesh_a, margin, |p| p);
    let side_b = Boxed::new(mesh_b, margin, |p| pose.transform_point(p));
    let frame = PairFrame::new(&pose);
    let start = side_a.middles.iter().flat_map(|p| side_b.middles.iter().map(move |q| p.distance(*q)));
    let mut limit = start.fold(f64::INFINITY, f64::min) + 4.0 * margin;
    let (mut meeting, mut near) = (Vec::new(), Vec::new());
    for (i, box_a) in side_a.boxes.iter().enumerate() {
        for (k, box_b) in side_b.boxes.iter().enumerate() {
            if box_clearance(box_a, box_b) > limit {
                continue;
            }
            let pair = TrianglePair::new(&side_a.faces[i], &side_b.faces[k], &frame);
            let distance = pair.distance();
            let relation = pair.relation();
            assert_eq!(distance.at_most == 0.0, relation.overlaps());
            if relation.overlaps() {
                meeting.push((i as u32, k as u32, relation));
            }
            near.push((distance.at_most, distance.at_least, i as u32, k as u32));
            limit = limit.min(distance.at_most);
        }
    }
    near.sort_by(|x, y| x.0.total_cmp(&y.0));
    near.truncate(4096);
    Brute {
        relation: meeting.iter().map(|m| m.2).max().unwrap_or(FaceRelation::Separated),
        meeting,
        at_least: near.iter().map(|n| n.1).fold(f64::INFINITY, f64::min),
        at_most: near[0].0,
        closest: near.iter().take_while(|n| n.1 <= near[0].0).take(8).map(|n| (n.2, n.3)).collect(),
    }
}

/// Relation of two bodies, by the exact test of every pair of faces whose boxes overlap.
pub(crate) fn brute_meetings(a: &Placed<'_>, b: &Placed<'_>) -> Vec<(u32, u32, FaceRelation)> {
    let pose = RelativePose::new(&a.world_from_self, &b.world_from_self);
    let (mesh_a, mesh_b) = (faces(a.model), faces(b.model));
    let margin = margin(mesh_a, mesh_b, &pose);
    let side_a = Boxed::new(mesh_a, margin, |p| p);
    let side_b = Boxed::new(mesh_b, margin, |p| pose.transform_point(p));
    let frame = PairFrame::new(&pose);
    let all_b = side_b.boxes.iter().fold(Aabb::EMPTY, |whole, one| whole.union(*one));
    let mut meeting = Vec::new();
    for (i, box_a) in side_a.boxes.iter().enumerate().filter(|(_, one)| one.overlaps(&all_b)) {
        for (k, _) in side_b.boxes.iter().enumerate().filter(|(_, one)| one.overlaps(box_a)) {
            let relation = TrianglePair::new(&side_a.faces[i], &side_b.faces[k], &frame).relation();
            if relation.overlaps() {
                meeting.push((i as u32, k as u32, relation));
            }
        }
    }
    meeting
}

/// The strongest of some meetings.
pub(crate) fn strongest(meetings: &[(u32, u32, FaceRelation)]) -> FaceRelation {
    meetings.iter().map(|m| m.2).max().unwrap_or(FaceRelation::Separated)
}
