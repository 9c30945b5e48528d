//! Joints and pieces of the filter, from the data of a cell.

use super::clouds::Cloud;
use super::hulls::{Hull, Vertices};
use super::primitives::Primitive;
use super::spheres::{SphereSet, around};
use super::{Joint, Piece, SphereFilter, U};
use crate::cell::LANES;
use crate::cell::data::{Arm, Body, BodyPair, CellData};
use crate::tree::JointAxisKind;
use glam::{DQuat, DVec3};
use noli::Pose;
use noli_geom::internals::sort_by;
use noli_geom::{Sphere, UNIT_ROUNDOFF};
use std::sync::OnceLock;

/// Robots of these sizes keep the unit of the cell.
const ORDINARY: [f64; 2] = [1e-6, 1e6];
/// How far a slide without limits may go.
const FAR: f64 = 8.0;
/// Squares of this, and sums of them, keep all their bits.
const FLOOR: f64 = 1e-12;

/// Which bodies share a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cell) enum Grouping {
    /// Bodies of one part whose spheres fit into one set.
    Parts,
    /// None: a pair of pieces for each pair of bodies, in the same order.
    Bodies,
}

/// The frame of a link: that of a joint and the pose there, and how the error grows up to here.
#[derive(Clone, Copy)]
pub(super) struct Stand {
    frame: Option<u32>,
    place: Pose,
    joints: f64,
    length: f64,
}

impl Stand {
    fn fixed(place: Pose) -> Self {
        Self { frame: None, place, joints: 0.0, length: 0.0 }
    }
}

impl SphereFilter {
    /// The filter for some pairs of bodies.
    pub(in crate::cell) fn new(data: &CellData, pairs: &[BodyPair], grouping: Grouping) -> Self {
        let unit = unit(data);
        let mut filter = Self {
            unit,
            inverse: 1.0 / unit,
            turns: vec![true; data.values],
            slides: Vec::new(),
            joints: Vec::new(),
            pieces: Vec::new(),
            posed: Vec::new(),
            pairs: Vec::new(),
            of_pair: Vec::new(),
            routes: OnceLock::new(),
            singly: OnceLock::new(),
            error: 0.0,
        };
        let mut wanted = vec![false; data.bodies.len()];
        pairs.iter().flat_map(|pair| pair.bodies).for_each(|body| wanted[body as usize] = true);
        let stands = filter.add_joints(data, &wanted);
        let groups = groups(data, &wanted, grouping);
        let mut of_body = vec![0; data.bodies.len()];
        for bodies in groups {
            bodies.iter().for_each(|&body| of_body[body as usize] = filter.pieces.len() as u32);
            filter.add_piece(data, &stands, bodies);
        }
        filter.add_pairs(data, pairs, &of_body);
        let moving = filter.pieces.iter().filter(|piece| piece.frame.is_some());
        filter.error = moving.map(|piece| piece.error).filter(|x| x.is_finite()).fold(0.0, f64::max);
        filter
    }

    /// The joints of the robots that carry bodies, and the frames of all their links.
    fn add_joints(&mut self, data: &CellData, wanted: &[bool]) -> Vec<Stand> {
        let mut stands = vec![Stand::fixed(Pose::IDENTITY); data.links];
        for arm in &data.arms {
            let links = arm.first_link..arm.first_link + arm.robot.links().len();
            let carries = |(body, wanted): (&Body, &bool)| {
                *wanted && body.carrier.is_some_and(|link| links.contains(&link))
            };
            if !data.bodies.iter().zip(wanted).any(carries) {
                continue;
            }
            let mut place = arm.world_from_root;
            place.translation = (place.translation - data.origin()) * self.inverse;
            stands[arm.first_link + arm.robot.root()] = Stand::fixed(place);
            for limb in arm.robot.limbs() {
                let mut stand = stands[arm.first_link + limb.parent as usize];
                for step in arm.robot.steps(limb) {
                    stand = self.add_step(arm, stand, step);
                }
                stands[arm.first_link + limb.child as usize] = stand;
            }
        }
        stands
    }

    fn add_step(&mut self, arm: &Arm, stand: Stand, step: &crate::tree::Step) -> Stand {
        let shift = DVec3::from_array(step.shift) * self.inverse;
        let offset = Pose::new(DQuat::from_array(step.fixed), shift);
        let Some((movement, own)) = step.variable else {
            return Stand { place: stand.place * offset, ..stand };
        };
        let variable = arm.first_value as u32 + own;
        match movement {
            JointAxisKind::Turn => self.add_turn(&stand, &offset, step.axis, variable),
            JointAxisKind::Slide => {
                // Values beyond the limits are valid; further out they are out of range.
                let range = arm.robot.variables()[own as usize].limits.range;
                let most = range.map_or(FAR, |[low, high]| 4.0 * low.abs().max(high.abs()) * self.inverse);
                self.add_slide(&stand, &offset, DVec3::from_array(step.along), (variable, most))
            }
        }
    }

    fn add_turn(&mut self, stand: &Stand, offset: &Pose, axis: DVec3, variable: u32) -> Stand {
        let upright = DQuat::from_rotation_arc(DVec3::Z, axis);
        let fixed = stand.place * *offset * Pose::new(upright, DVec3::ZERO);
        let matrix = fixed.rotation_matrix();
        let turn = [0, 1, 2].map(|row| [0, 1, 2].map(|column| matrix.col(column)[row] as f32));
        let shift = fixed.translation.as_vec3().to_array();
        self.joints.push(Joint { parent: stand.frame, variable, slides: false, turn, shift });
        Stand {
            frame: Some(self.joints.len() as u32 - 1),
            place: Pose::new(upright.conjugate(), DVec3::ZERO),
            joints: stand.joints + 1.0,
            length: stand.length + fixed.translation.length(),
        }
    }

    fn add_slide(
        &mut self,
        stand: &Stand,
        offset: &Pose,
        along: DVec3,
        (variable, most): (u32, f64),
    ) -> Stand {
        let start = stand.place.transform_point(offset.translation);
        let along = stand.place.transform_vector(along).as_vec3();
        let turn = [0, 1, 2].map(|row| [along[row], 0.0, 0.0]);
        let shift = start.as_vec3().to_array();
        self.joints.push(Joint { parent: stand.frame, variable, slides: true, turn, shift });
        self.turns[variable as usize] = false;
        self.slides.push((variable, (most * (1.0 + 1e-6)) as f32));
        Stand {
            frame: Some(self.joints.len() as u32 - 1),
            place: Pose::new(stand.place.rotation * offset.rotation, DVec3::ZERO),
            joints: stand.joints + 1.0,
            length: stand.length + start.length() + 2.0 * most,
        }
    }

    pub(super) fn add_piece(&mut self, data: &CellData, stands: &[Stand], bodies: Vec<u32>) {
        let (origin, inverse) = (data.origin(), self.inverse);
        let body = &data.bodies[bodies[0] as usize];
        let stand =
            body.carrier.map_or(Stand::fixed(Pose::from_translation(-origin * inverse)), |link| stands[link]);
        let on_frame = |sphere: &Sphere| Sphere {
            center: stand.place.transform_point(sphere.center * inverse),
            radius: sphere.radius * inverse,
        };
        let covers = || bodies.iter().map(|&body| &data.bodies[body as usize].cover);
        let all_on_frame = |spheres: &Vec<Sphere>| spheres.iter().map(on_frame).collect::<Vec<_>>();
        let wholes: Vec<Sphere> = covers().map(|cover| on_frame(&cover.whole)).collect();
        let whole = around(&wholes);
        let length = stand.length + whole.center.length() + whole.radius;
        let error = self.error_of(data, stand.joints, length);
        let certain = |spheres: Vec<Sphere>| -> Vec<Sphere> {
            spheres.into_iter().filter(|sphere| sphere.radius > error).collect()
        };
        let outer: Vec<Sphere> = covers().flat_map(|cover| &cover.outer).map(on_frame).collect();
        let mut inner: Vec<Sphere> = covers().flat_map(|cover| &cover.inner).map(on_frame).collect();
        sort_by(&mut inner, |a, b| b.radius.total_cmp(&a.radius));
        let fine = covers().flat_map(|cover| &cover.fine).map(all_on_frame);
        let dense = covers().flat_map(|cover| &cover.dense).map(all_on_frame);
        let vertices: Vec<Vertices<'_>> = covers()
            .map(|cover| cover.vertices.as_ref().map(|(all, radius)| (&all[..], radius * inverse)))
            .collect();
        let single = if bodies.len() == 1 { Some(body) } else { None };
        self.pieces.push(Piece {
            hull: Hull::new(&vertices, |vertex| stand.place.transform_point(vertex * inverse), error),
            primitive: single.and_then(|body| Primitive::new(body, (origin, inverse), error)),
            cloud: single.and_then(|body| Cloud::new(body, (origin, inverse), error)),
            frame: stand.frame,
            whole,
            core: inner.first().copied().filter(|core| core.radius > error),
            outside: ((whole.radius + error) * (1.0 + 4.0 * U)) as f32,
            outer: SphereSet::new(&outer, error),
            fine: fine.map(|spheres| SphereSet::new(&spheres, error)).collect(),
            dense: dense.map(|spheres| SphereSet::new(&certain(spheres), -error)).collect(),
            inner: SphereSet::new(&certain(inner), -error),
            length,
            error,
            bodies,
        });
    }

    /// How far a point may be off behind so many joints whose lengths add up to `length`.
    fn error_of(&self, data: &CellData, joints: f64, length: f64) -> f64 {
        let world = data.origin().length() * self.inverse + length;
        let of_poses = 512.0 * UNIT_ROUNDOFF * (data.steps + 4) as f64 * world;
        96.0 * U * (joints + 2.0) * length + of_poses + FLOOR
    }
}

/// The bodies of each piece.
fn groups(data: &CellData, wanted: &[bool], grouping: Grouping) -> Vec<Vec<u32>> {
    let counts = |body: u32| {
        let cover = &data.bodies[body as usize].cover;
        [cover.outer.len(), cover.inner.len()]
    };
    let room = |bodies: &[u32], body: u32| {
        let all = bodies.iter().map(|&body| counts(body));
        let [outer, inner] = all.fold(counts(body), |[o, i], [outer, inner]| [o + outer, i + inner]);
        outer.max(inner) <= LANES
    };
    let part = |body: u32| data.bodies[body as usize].part;
    let mut groups: Vec<Vec<u32>> = Vec::new();
    for body in (0..data.bodies.len() as u32).filter(|&body| wanted[body as usize]) {
        match groups.last_mut() {
            Some(bodies)
                if grouping == Grouping::Parts && part(bodies[0]) == part(body) && room(bodies, body) =>
            {
                bodies.push(body);
            }
            _ => groups.push(vec![body]),
        }
    }
    groups
}

/// A power of two near the size of the robots; 1 if that is ordinary.
fn unit(data: &CellData) -> f64 {
    let mut size = 0.0f64;
    for arm in &data.arms {
        let slides =
            arm.robot.variables().iter().filter(|variable| variable.movement == JointAxisKind::Slide);
        let ranges = slides.filter_map(|variable| variable.limits.range).flatten();
        let steps = arm.robot.limbs().iter().flat_map(|limb| arm.robot.steps(limb));
        let shifts = steps.map(|step| DVec3::from_array(step.shift).length());
        size = ranges.map(f64::abs).chain(shifts).fold(size, f64::max);
    }
    let spheres = data.bodies.iter().filter(|body| body.carrier.is_some()).map(|body| body.cover.whole);
    let reach = spheres.map(|sphere| sphere.center.length() + sphere.radius);
    size = reach.filter(|reach| reach.is_finite()).fold(size, f64::max);
    if size == 0.0 || (ORDINARY[0]..ORDINARY[1]).contains(&size) {
        return 1.0;
    }
    f64::from_bits(size.to_bits() & f64::INFINITY.to_bits())
}
