//! Pictures of two bodies and the place where they collide.

use super::archive::Camera;
use super::picture::Picture;
use crate::stage::scene::Staged;
use glam::DVec3;
use noli::Pose;
use noli::world::{BodyId, Finding};
use noli_geom::{Aabb, Mesh};

/// Intersecting segments drawn in a picture.
const MOST_SEGMENTS: usize = 2000;
/// Pixels of a picture.
const PICTURE: [usize; 2] = [480, 360];
/// The colours of A, of B and of where they cross.
pub(super) const COLOURS: [[u8; 3]; 3] = [[120, 178, 230], [240, 170, 90], [170, 0, 190]];

/// Two bodies, and the place of interest between them: A in blue, B in orange, intersections in magenta.
#[derive(Clone, Debug)]
pub struct Snapshot<'a> {
    /// Display meshes with their poses; `None` for a body that is not in the scene.
    bodies: [Option<(&'a Mesh, Pose)>; 2],
    /// World boxes of the bodies at their poses.
    boxes: [Option<Aabb>; 2],
    segments: Vec<[DVec3; 2]>,
    place: Option<DVec3>,
    /// Units of the camera for each unit of the scene.
    scale: f64,
}

impl<'a> Snapshot<'a> {
    /// Creates the picture of a finding of a check. `scale` is the length of the scene's unit in that of the camera.
    pub fn of_finding(staged: &'a Staged, finding: &Finding, scale: f64) -> Self {
        let mut all = Self::of_pair(staged, finding.pair, scale);
        all.place = finding.place;
        let segments = finding.intersections.iter().take(MOST_SEGMENTS);
        all.segments = segments.map(|found| [found.segment.start, found.segment.end]).collect();
        all
    }

    /// Creates the picture of two bodies at their poses in the world.
    pub fn of_pair(staged: &'a Staged, pair: [BodyId; 2], scale: f64) -> Self {
        let look = |id: BodyId| {
            let pose = staged.world.body(id).ok()?.pose();
            let look = &staged.bodies.iter().find(|body| body.id == id)?.look;
            Some((look, pose))
        };
        let bounds = |id: BodyId| staged.world.body(id).ok().map(|body| body.bounds());
        Self { bodies: pair.map(look), boxes: pair.map(bounds), segments: Vec::new(), place: None, scale }
    }

    /// Returns the same picture with A (0) or B (1) at another pose.
    #[must_use]
    pub fn with_pose(mut self, number: usize, pose: Pose) -> Self {
        if let (Some((look, old)), Some(bounds)) = (&mut self.bodies[number], &mut self.boxes[number]) {
            *old = pose;
            *bounds = look.aabb().transformed(&pose);
        }
        self
    }

    /// Returns the same picture with a ring around a point.
    #[must_use]
    pub fn with_place(mut self, place: Option<DVec3>) -> Self {
        self.place = place.or(self.place);
        self
    }

    /// Returns the camera: from above and aside, so far away that the smaller body is seen whole.
    pub fn camera(&self) -> Camera {
        const FIELD_OF_VIEW: f64 = 60.0;
        let boxes: Vec<&Aabb> =
            self.boxes.iter().flatten().filter(|bounds| bounds.size().is_finite()).collect();
        let smallest = boxes.iter().min_by(|a, b| a.size().length().total_cmp(&b.size().length()));
        let middle = self.place.or(smallest.map(|bounds| bounds.center())).unwrap_or(DVec3::ZERO);
        let reach = smallest.map_or(0.0, |bounds| bounds.size().length());
        let reach = if reach > 0.0 { reach } else { 1.0 };
        let direction = DVec3::new(-0.52, 0.68, -0.52).normalize();
        let right = direction.cross(DVec3::Z).normalize();
        Camera {
            eye: ((middle - direction * (1.1 * reach)) * self.scale).to_array(),
            direction: direction.to_array(),
            up: right.cross(direction).to_array(),
            field_of_view: FIELD_OF_VIEW,
            aspect: PICTURE[0] as f64 / PICTURE[1] as f64,
        }
    }

    /// Draws both bodies, the larger one as a veil, and where they cross; as PNG.
    pub fn png(&self) -> Vec<u8> {
        let mut picture = Picture::new(PICTURE[0], PICTURE[1], &self.camera());
        let size = |number: usize| self.boxes[number].map_or(0.0, |bounds| bounds.size().length());
        let larger = usize::from(size(1) > size(0));
        for number in [1 - larger, larger] {
            if let Some((look, pose)) = &self.bodies[number] {
                picture.body(look, pose, self.scale, COLOURS[number], number == larger);
            }
        }
        for [from, to] in &self.segments {
            picture.line(*from * self.scale, *to * self.scale, COLOURS[2]);
        }
        if let Some(place) = self.place {
            picture.ring(place * self.scale, COLOURS[2]);
        }
        picture.png()
    }
}
