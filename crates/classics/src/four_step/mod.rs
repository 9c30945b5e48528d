//! Four steps, each leaving fewer pairs for a costlier one (Garcia-Alonso, Serrano and Flaquer 1994).
//!
//! Participation, minimax boxes, voxels with face lists, faces. First comes [`Participation`]. Each
//! remaining pair of bodies then gets the box test, the voxel pairs, and each pair of faces once. Differs
//! from the print: faces between the walls of a voxel are listed, and every filter covers its rounding. The
//! face test is exact, and containment is detected. Near contact the cost is that of the face pairs in the
//! overlapping voxels; there is no finer level.

mod participation;
mod voxels;

pub use participation::Participation;
pub use voxels::{MAX_HALVINGS, halvings, suited_halvings};

use super::polyhedron::{Polyhedron, Stood, contained, minimax, world_box};
use super::work::{Tally, Work};
use glam::DVec3;
use noli::Budget;
use noli_geom::{Aabb, Mesh, PairFrame, Pose, RelativePose, TrianglePair, UNIT_ROUNDOFF};
use voxels::VoxelMatrix;

/// A body prepared for the four steps.
#[derive(Clone, Debug)]
pub struct VoxelBody {
    body: Polyhedron,
    /// None for a body without faces.
    voxels: Option<VoxelMatrix>,
}

/// The lists of one query, lent to the next: cleared, never freed.
#[derive(Clone, Debug, Default)]
pub struct VoxelScratch {
    voxel_pairs: Vec<(u32, u32)>,
    face_pairs: Vec<(u32, u32)>,
}

impl VoxelBody {
    /// Prepare a mesh with `m` halvings of its container, at most [`MAX_HALVINGS`]; the source takes 9.
    pub fn new(mesh: &Mesh, m: u8) -> Self {
        let body = Polyhedron::new(mesh);
        let voxels = (!body.mesh().is_empty()).then(|| VoxelMatrix::new(body.mesh(), body.bounds(), m));
        Self { body, voxels }
    }

    /// The faces it was made of.
    pub fn polyhedron(&self) -> &Polyhedron {
        &self.body
    }

    /// Bytes held by the voxels.
    pub fn voxel_bytes(&self) -> usize {
        self.voxels.as_ref().map_or(0, VoxelMatrix::bytes)
    }
}

/// Common features of two bodies of a scene that share a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collision {
    /// The first body.
    pub a: u32,
    /// The second body.
    pub b: u32,
    /// A face of each that intersect; `None` if one body is inside the other.
    pub faces: Option<(u32, u32)>,
    /// A point they share, rounded, in the world; nothing where one body is inside the other.
    pub point: Option<DVec3>,
}

/// Number of pairs left by each step, in the order of the steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepCounts {
    /// All pairs of faces of all pairs of bodies.
    pub all_faces: u64,
    /// All pairs of bodies.
    pub pairs: u64,
    /// Pairs of bodies after step 1, participation.
    pub participating: u64,
    /// Pairs of bodies after step 2, minimax boxes.
    pub boxes_meet: u64,
    /// Pairs of bodies after step 3, voxels.
    pub voxels_meet: u64,
    /// Pairs of bodies after step 4 that share a point.
    pub meet: u64,
    /// Tests by kind.
    pub work: Work,
}

/// All collisions of a scene, by the four steps. Exact: the verdict of every pair is that of
/// [`overlap`](noli::overlap). Nothing where the budget ran out, a pose is none, or a body has no pose.
pub fn detect(
    bodies: &[&VoxelBody],
    poses: &[Pose],
    table: &Participation,
    budget: &Budget<'_>,
    scratch: &mut VoxelScratch,
) -> Option<(Vec<Collision>, StepCounts)> {
    if poses.len() != bodies.len() || !poses.iter().all(Pose::is_valid) {
        return None;
    }
    let mut tally = Tally::new(budget);
    let stood = |i: u32| Stood { body: &bodies[i as usize].body, pose: &poses[i as usize] };
    let boxes: Vec<Aabb> = (0..bodies.len() as u32).map(|i| world_box(&stood(i))).collect();
    let faces: Vec<u64> = bodies.iter().map(|b| b.body.mesh().triangle_count() as u64).collect();
    let (n, all) = (bodies.len() as u64, faces.iter().sum::<u64>());
    let all_faces = (all * all - faces.iter().map(|f| f * f).sum::<u64>()) / 2;
    let mut counts = StepCounts { pairs: n * n.saturating_sub(1) / 2, all_faces, ..Default::default() };
    let mut collisions = Vec::new();
    for (a, b) in table.pairs().filter(|&(_, b)| u64::from(b) < n) {
        counts.participating += 1;
        tally.work.volumes += 1;
        tally.step()?;
        if !boxes[a as usize].overlaps(&boxes[b as usize]) {
            continue;
        }
        counts.boxes_meet += 1;
        let before = tally.work.voxel_pairs;
        let sides = [(bodies[a as usize], &poses[a as usize]), (bodies[b as usize], &poses[b as usize])];
        let meeting = steps_three_and_four(sides, &mut tally, scratch)?;
        counts.voxels_meet += u64::from(tally.work.voxel_pairs > before);
        let inside = meeting.is_none() && contained(&stood(a), &stood(b), &mut tally)?;
        if meeting.is_some() || inside {
            collisions.push(Collision {
                a,
                b,
                faces: meeting.map(|m| m.faces),
                point: meeting.map(|m| m.point),
            });
        }
    }
    counts.meet = collisions.len() as u64;
    counts.work = tally.work;
    Some((collisions, counts))
}

/// Tests if two bodies share a point, by steps 2 to 4; `None` if the budget ran out.
pub(super) fn overlap(
    (a, pose_a): (&VoxelBody, &Pose),
    (b, pose_b): (&VoxelBody, &Pose),
    tally: &mut Tally<'_>,
    scratch: &mut VoxelScratch,
) -> Option<bool> {
    tally.step()?;
    tally.work.volumes += 1;
    let stood = [Stood { body: &a.body, pose: pose_a }, Stood { body: &b.body, pose: pose_b }];
    if !world_box(&stood[0]).overlaps(&world_box(&stood[1])) {
        return Some(false);
    }
    let meeting = steps_three_and_four([(a, pose_a), (b, pose_b)], tally, scratch)?;
    Some(meeting.is_some() || contained(&stood[0], &stood[1], tally)?)
}

/// Two intersecting faces, and their common point.
#[derive(Clone, Copy)]
struct Meeting {
    faces: (u32, u32),
    point: DVec3,
}

fn steps_three_and_four(
    [(a, pose_a), (b, pose_b)]: [(&VoxelBody, &Pose); 2],
    tally: &mut Tally<'_>,
    scratch: &mut VoxelScratch,
) -> Option<Option<Meeting>> {
    let (Some(voxels_a), Some(voxels_b)) = (&a.voxels, &b.voxels) else { return Some(None) };
    let a_from_b = RelativePose::new(pose_a, pose_b);
    voxel_pairs((voxels_a, &a.body), (voxels_b, &b.body), &a_from_b, tally, scratch)?;
    let VoxelScratch { voxel_pairs, face_pairs } = scratch;
    face_pairs.clear();
    for &(x, y) in &*voxel_pairs {
        tally.step()?;
        let of_b = voxels_b.faces(y);
        face_pairs.extend(voxels_a.faces(x).iter().flat_map(|&f| of_b.iter().map(move |&g| (f, g))));
    }
    face_pairs.sort_unstable();
    face_pairs.dedup();
    tally.work.face_pairs += face_pairs.len() as u64;
    let frame = PairFrame::new(&a_from_b);
    let (mesh_a, mesh_b) = (a.body.mesh(), b.body.mesh());
    for &(f, g) in &*face_pairs {
        tally.exact()?;
        let pair = TrianglePair::new(&mesh_a.triangle(f), &mesh_b.triangle(g), &frame);
        if pair.overlaps() {
            let shared = pair.intersection();
            let middle = shared.points().iter().sum::<DVec3>() / shared.points().len().max(1) as f64;
            return Some(Some(Meeting { faces: (f, g), point: pose_a.transform_point(middle) }));
        }
    }
    Some(None)
}

/// Step 3, every frame: pairs of voxels whose faces may intersect. The body with fewer such voxels in reach
/// of the other has its voxels placed one by one.
fn voxel_pairs(
    (voxels_a, body_a): (&VoxelMatrix, &Polyhedron),
    (voxels_b, body_b): (&VoxelMatrix, &Polyhedron),
    a_from_b: &RelativePose,
    tally: &mut Tally<'_>,
    scratch: &mut VoxelScratch,
) -> Option<()> {
    let pairs = &mut scratch.voxel_pairs;
    pairs.clear();
    let b_from_a = a_from_b.inverse();
    let reached_a = voxels_a.grid.covering(&minimax(body_b.bounds(), a_from_b));
    let reached_b = voxels_b.grid.covering(&minimax(body_a.bounds(), &b_from_a));
    let (Some(in_a), Some(in_b)) = (reached_a, reached_b) else { return Some(()) };
    let (count_a, count_b) = (voxels_a.occupied(in_a), voxels_b.occupied(in_b));
    if count_a == 0 || count_b == 0 {
        return Some(());
    }
    let swapped = count_a < count_b;
    let (fixed, in_fixed, placed, in_placed, pose) = if swapped {
        (voxels_b, in_b, voxels_a, in_a, &b_from_a)
    } else {
        (voxels_a, in_a, voxels_b, in_b, a_from_b)
    };
    let image = VoxelImage::new(placed, pose);
    for cell in in_placed.iter().filter(|&cell| !placed.is_empty(cell)) {
        tally.step()?;
        let covered = fixed.grid.covering(&image.of(cell)).and_then(|covered| covered.common(&in_fixed));
        let Some(covered) = covered else { continue };
        let voxel = placed.grid.index(cell) as u32;
        for other in covered.iter().filter(|&other| !fixed.is_empty(other)) {
            let other = fixed.grid.index(other) as u32;
            pairs.push(if swapped { (voxel, other) } else { (other, voxel) });
        }
    }
    tally.work.voxel_pairs += pairs.len() as u64;
    Some(())
}

/// Boxes around the voxels of a body as the other sees them: all of one size, rounded outward.
struct VoxelImage<'a> {
    voxels: &'a VoxelMatrix,
    pose: &'a RelativePose,
    half: DVec3,
}

impl<'a> VoxelImage<'a> {
    fn new(voxels: &'a VoxelMatrix, pose: &'a RelativePose) -> Self {
        let whole = voxels.grid.bounds(&voxels.grid.all());
        let reach = whole.min.abs().max(whole.max.abs()).max_element();
        let margin = 4.0 * pose.point_error(reach)
            + 64.0 * UNIT_ROUNDOFF * (3.0 * reach + pose.translation.abs().max_element());
        let rotation = pose.rotation;
        let half = rotation.x_axis.abs() * voxels.grid.size.x
            + rotation.y_axis.abs() * voxels.grid.size.y
            + rotation.z_axis.abs() * voxels.grid.size.z;
        Self { voxels, pose, half: half * 0.5 + margin }
    }

    fn of(&self, cell: [u32; 3]) -> Aabb {
        let grid = &self.voxels.grid;
        let center = grid.origin + grid.size * (DVec3::from_array(cell.map(f64::from)) + 0.5);
        let center = self.pose.transform_point(center);
        Aabb { min: center - self.half, max: center + self.half }
    }
}
