//! A cell as the buffers that the kernels read; structs of the same names are in `chain.cuh` and `cell.cuh`.

use glam::{DVec3, dvec3};
use noli::seams::{self, RECORD};
use noli::{Mesh, Model};
use noli_geom::{Core, MeshOptions, Sphere};
use noli_robot::JointAxisKind;
use noli_robot::cell::{Body, Cell};

/// Bytes that sixteen lanes share, besides what depends on the cell.
const DESK: usize = 3376;
/// Number of path segments queued at a time.
const RING: usize = 64;
const NOBODY: u32 = u32::MAX;
/// More joints do not fit into a mask.
const MOST_JOINTS: usize = 64;

/// Words of 32 bits, wider numbers low word first.
#[derive(Clone, Debug, Default)]
pub struct Words(pub Vec<u32>);

impl Words {
    fn u32(&mut self, x: u32) {
        self.0.push(x);
    }

    fn u64(&mut self, x: u64) {
        self.0.extend([x as u32, (x >> 32) as u32]);
    }

    fn f32(&mut self, x: f32) {
        self.0.push(x.to_bits());
    }

    pub(crate) fn f64s(&mut self, all: &[f64]) {
        all.iter().for_each(|x| self.u64(x.to_bits()));
    }

    fn sphere(&mut self, center: DVec3, radius: f32) {
        center.to_array().iter().for_each(|&x| self.f32(x as f32));
        self.f32(radius);
    }
}

/// Tables of a cell. The order of the fields is that of the kernels' `Cell`.
#[derive(Clone, Debug, Default)]
pub struct PackedCell {
    /// Steps, limbs, roots, bodies, spheres, trees, couples and records.
    pub tables: [Words; 8],
    /// A point of each component of every body.
    pub probes: Vec<f64>,
    /// Steps, limbs, roots, couples, links, values, joints, and a word that is not used.
    pub counts: [u32; 8],
    /// Bytes of shared memory that sixteen lanes need.
    pub desk: usize,
    /// For each couple its pair.
    pub pairs: Vec<u32>,
}

impl PackedCell {
    /// `None` where there is too much of something.
    pub fn new(cell: &Cell) -> Option<Self> {
        let mut packed = Self::default();
        let joints = packed.chain(cell)?;
        let (bodies, pairs, links) = (cell.bodies(), cell.body_pairs(), joints.of_link.len());
        for body in bodies {
            packed.body(body, &joints)?;
        }
        for pair in pairs {
            let [a, b] = pair.bodies.map(|body| &bodies[body as usize]);
            let words = &mut packed.tables[6];
            words.f64s(&[pair.margin]);
            words.0.extend([pair.bodies[0], pair.bodies[1], pair.pair]);
            words.f32(up(a.bounding_sphere().radius + b.bounding_sphere().radius + pair.margin));
            let core = a.inner_spheres().first().zip(b.inner_spheres().first());
            words.f32(core.map_or(0.0, |(a, b)| down(a.radius + b.radius).max(0.0)));
            words.f32(up(pair.margin));
            packed.pairs.push(pair.pair);
        }
        let count = |words: &Words, size: usize| (words.0.len() / size) as u32;
        let [steps, limbs, roots] =
            [(0, 38), (1, 4), (2, 16)].map(|(k, size)| count(&packed.tables[k], size));
        let (values, moving) = (cell.value_count(), joints.moving);
        packed.counts =
            [steps, limbs, roots, pairs.len() as u32, links as u32, values as u32, moving as u32, 0];
        let masks = pairs.len().div_ceil(16);
        let own = 104 * (links + 1) + 24 * values + 32 * moving + 2 * masks * (RING + 1);
        packed.desk = (DESK + own).next_multiple_of(16);
        Some(packed)
    }

    /// Masks of couples, sixteen to one.
    pub fn masks(&self) -> usize {
        self.pairs.len().div_ceil(16)
    }

    /// Steps, limbs and roots of all robots; links and variables are counted among those of all.
    fn chain(&mut self, cell: &Cell) -> Option<Joints> {
        let mut joints = Joints { of_link: Vec::new(), moving: 0 };
        let mut first_value = 0;
        for (robot, root) in cell.robots().zip(cell.roots()) {
            let first_link = joints.of_link.len();
            joints.of_link.resize(first_link + robot.links().len(), 0);
            let [steps, limbs, roots, ..] = &mut self.tables;
            for limb in robot.limbs() {
                let [parent, child] = [limb.parent, limb.child].map(|link| first_link as u32 + link);
                let first_step = (steps.0.len() / 38) as u32;
                let mut mask = joints.of_link[parent as usize];
                for step in robot.steps(limb) {
                    steps.f64s(&step.fixed);
                    steps.f64s(&step.turned);
                    [step.shift, step.along, step.axis.to_array()].iter().for_each(|three| steps.f64s(three));
                    let (kind, variable) = match step.variable {
                        None => (0, 0),
                        Some((JointAxisKind::Turn, own)) => (1, first_value + own),
                        Some((JointAxisKind::Slide, own)) => (2, first_value + own),
                    };
                    steps.0.extend([kind, variable, joints.moving as u32, 0]);
                    if kind != 0 {
                        if joints.moving == MOST_JOINTS {
                            return None;
                        }
                        mask |= 1u64 << joints.moving;
                        joints.moving += 1;
                    }
                }
                limbs.0.extend([parent, child, first_step, (steps.0.len() / 38) as u32]);
                joints.of_link[child as usize] = mask;
            }
            roots.f64s(&root.rotation.to_array());
            roots.f64s(&root.translation.to_array());
            roots.0.extend([(first_link + robot.root()) as u32, 0]);
            first_value += robot.variables().len() as u32;
        }
        Some(joints)
    }

    fn body(&mut self, body: &Body, joints: &Joints) -> Option<()> {
        let [holds, held] = self.stand_ins(body)?;
        let (place, whole) = (body.carrier_from_body(), body.bounding_sphere());
        let (outer, inner) = (body.outer_spheres(), body.inner_spheres());
        let [_, _, _, bodies, spheres, ..] = &mut self.tables;
        bodies.f64s(&place.rotation.to_array());
        bodies.f64s(&place.translation.to_array());
        bodies.sphere(whole.center, up(whole.radius));
        let core = inner.first().copied().unwrap_or(Sphere { radius: 0.0, ..whole });
        bodies.sphere(core.center, down(core.radius).max(0.0));
        bodies.u64(body.carrier().map_or(0, |link| joints.of_link[link]));
        bodies.u32(body.carrier().unwrap_or(joints.of_link.len()) as u32);
        bodies.0.extend([outer.len() as u32, inner.len() as u32, holds, held]);
        let all = outer.iter().chain(inner).chain([&whole]);
        let far = all.map(|sphere| sphere.center.abs().element_sum() + sphere.radius).fold(0.0, f64::max);
        bodies.f32(up(far));
        for (own, outward) in [(outer, true), (inner, false)] {
            if own.len() > 16 {
                return None;
            }
            for k in 0..16 {
                let sphere = own.get(k).copied().unwrap_or(Sphere { center: DVec3::ZERO, radius: 0.0 });
                spheres.sphere(sphere.center, if outward { up(sphere.radius) } else { down(sphere.radius) });
            }
        }
        Some(())
    }

    /// The numbers of a tree that holds the body and of one that it holds: the same where a mesh is the body.
    fn stand_ins(&mut self, body: &Body) -> Option<[u32; 2]> {
        let length_sq = body.carrier_from_body().rotation.length_squared();
        // Poses of other lengths are scaled before they are chained.
        if !(1e-12..1e12).contains(&length_sq) || body.model().is_empty() {
            return Some([NOBODY; 2]);
        }
        if let Some(tree) = self.tree(body.model()) {
            return tree.map(|tree| [tree; 2]);
        }
        Some(match prisms(body.model()) {
            Some([holds, held]) if holds.is_some() && held.is_none() => {
                let tree = holds.and_then(|model| self.tree(&model).flatten()).unwrap_or(NOBODY);
                [tree; 2]
            }
            Some(both) => {
                both.map(|model| model.and_then(|model| self.tree(&model).flatten()).unwrap_or(NOBODY))
            }
            None => [NOBODY; 2],
        })
    }

    /// Adds the tree of a mesh; the outer `None` if it is none.
    fn tree(&mut self, model: &Model) -> Option<Option<u32>> {
        let (image, solid, probes) = crate::image(model)?;
        let [.., woods, _, records] = &mut self.tables;
        let number = (woods.0.len() / 8) as u32;
        let (record, probe) = (records.0.len() / RECORD, self.probes.len() / 3);
        woods.f64s(&[image.reach, image.unit]);
        woods.0.extend([record as u32, probe as u32, (probes.len() / 3) as u32, solid.into()]);
        records.0.extend(image.words);
        self.probes.extend(probes);
        // A link holds 29 bits; numbers of records have room for more.
        Some(u32::try_from(record).ok().map(|_| number))
    }
}

struct Joints {
    /// For each link the joints that move it.
    of_link: Vec<u64>,
    moving: usize,
}

/// The least `f32` that is not below.
fn up(x: f64) -> f32 {
    let nearest = x as f32;
    if f64::from(nearest) < x { nearest.next_up() } else { nearest }
}

/// The largest `f32` that is not above.
fn down(x: f64) -> f32 {
    -up(-x)
}

/// Number of sides of the prisms that represent a cylinder: they differ by 0.2 % of its radius.
const SIDES: u32 = 48;
/// More than the rounding of vertices, relative to their distance.
const ROUNDING: f64 = 1e-9;

/// A mesh that is a convex body, alone; or one that holds it and one that it holds.
fn prisms(model: &Model) -> Option<[Option<Model>; 2]> {
    let convex = model.convex().filter(|convex| convex.radius() == 0.0)?;
    if let Core::Cylinder { half_height, radius } = *convex.core() {
        let sector = std::f64::consts::PI / f64::from(SIDES);
        let grown = 1.0 + ROUNDING;
        let outer = prism(half_height * grown, radius / sector.cos() * grown)?;
        let inner = prism(half_height * (1.0 - ROUNDING), radius * (1.0 - ROUNDING))?;
        return Some([Some(outer), Some(inner)]);
    }
    if let Core::Box { half_extents } = *convex.core() {
        let mesh = Mesh::cuboid(2.0 * half_extents).ok()?;
        return Some([Some(Model::from(mesh.into_solid())), None]);
    }
    let (mesh, ..) = seams::faces(model)?;
    Some([Some(Model::from(mesh.clone().into_solid())), None])
}

/// A solid prism along z whose base has its vertices on a circle.
fn prism(half_height: f64, radius: f64) -> Option<Model> {
    let vertex = |k: u32, z: f64| {
        let angle = std::f64::consts::TAU * f64::from(k) / f64::from(SIDES);
        dvec3(radius * angle.cos(), radius * angle.sin(), z)
    };
    let mut vertices: Vec<DVec3> = (0..SIDES).map(|k| vertex(k, -half_height)).collect();
    vertices.extend((0..SIDES).map(|k| vertex(k, half_height)));
    let mut triangles = Vec::new();
    for k in 0..SIDES {
        let next = (k + 1) % SIDES;
        triangles.extend([[k, next, SIDES + next], [k, SIDES + next, SIDES + k]]);
    }
    for k in 1..SIDES - 1 {
        triangles.extend([[0, k + 1, k], [SIDES, SIDES + k, SIDES + k + 1]]);
    }
    let mesh = Mesh::from_triangles(vertices, triangles, &MeshOptions::default()).ok()?;
    Some(Model::from(mesh.into_solid()))
}
