//! Poses bisected to contact: the proof test of the packed filters.
//!
//! Along a line the translation is halved until two neighbouring `f64` differ in verdict. There, and at
//! relative distances of 1e-3 to 1e-16 around, every query must agree with all pairs of faces, and the
//! faces that decide must agree with rational arithmetic.

use crate::common::{Brute, QUARTER_TURN, brute, count_crossings, data, faces, load, merged, mesh, model};
use glam::{DQuat, DVec3};
use noli::answer::Bracket;
use noli::model::{MeshOptions, ModelOptions};
use noli::query::Instructions;
use noli::tree::Effort;
use noli::{Ask, Mesh, Model, Overlap, Placed, Pose, Relation, Scratch, clearance, overlap, relation};
use noli_geom::{Relation as FaceRelation, RelativePose, naive};
use noli_scenes::{SplitMix64, TriangleSet, bumpy_sphere, cuboid, grid_plane, torus};
use std::cmp::Ordering;

/// Two bodies and the line along which B is moved.
struct Slide {
    a: Model,
    b: Model,
    world_from_a: Pose,
    rotation_b: DQuat,
    start_b: DVec3,
    direction: DVec3,
}

impl Slide {
    /// A random line, on which B starts at `base`, as does A.
    fn random(a: &Mesh, b: &Mesh, base: DVec3, rng: &mut SplitMix64) -> Self {
        Self {
            a: model(a),
            b: model(b),
            world_from_a: Pose::new(rng.rotation() * rng.between(0.5, 3.0), base),
            rotation_b: rng.rotation(),
            start_b: base,
            direction: rng.direction(),
        }
    }

    /// Along an axis, without rotation: faces meet in common planes.
    fn straight(a: &Mesh, b: &Mesh, direction: DVec3) -> Self {
        let [a, b] = [model(a), model(b)];
        let rotation_b = DQuat::IDENTITY;
        Self { a, b, world_from_a: Pose::IDENTITY, rotation_b, start_b: DVec3::ZERO, direction }
    }

    fn placed(&self, along: f64) -> (Placed<'_>, Placed<'_>) {
        let world_from_b = Pose::new(self.rotation_b, self.start_b + self.direction * along);
        (self.a.at(self.world_from_a), self.b.at(world_from_b))
    }

    fn hits(&self, along: f64) -> bool {
        let (a, b) = self.placed(along);
        overlap(&a, &b) == Overlap::Hit
    }

    /// How far B is certainly free.
    fn far(&self) -> f64 {
        let radius = |model: &Model| faces(model).vertices().iter().map(|v| v.length()).fold(0.0, f64::max);
        2.1 * (radius(&self.a) + radius(&self.b))
    }

    /// Looks for contact from far out inwards.
    fn contact(&self) -> Option<Contact> {
        let (far, step) = (self.far(), self.far() / 2048.0);
        let hit = (0..2048).map(|k| far - f64::from(k) * step).find(|&along| self.hits(along))?;
        Some(self.bisect(hit, hit + step))
    }

    /// Halves until the places are neighbours.
    fn bisect(&self, mut hit: f64, mut free: f64) -> Contact {
        assert!(self.hits(hit) && !self.hits(free), "no contact between {hit} and {free}");
        loop {
            let middle = hit + (free - hit) * 0.5;
            if middle <= hit || middle >= free {
                return Contact { hit, free };
            }
            *(if self.hits(middle) { &mut hit } else { &mut free }) = middle;
        }
    }

    /// The same with all lengths multiplied by a power of two.
    fn scaled(&self, factor: f64) -> Self {
        let of = |model: &Model| model.scaled(factor).expect("in range");
        let world_from_a = Pose::new(self.world_from_a.rotation, self.world_from_a.translation * factor);
        Self { a: of(&self.a), b: of(&self.b), world_from_a, start_b: self.start_b * factor, ..*self }
    }
}

/// Neighbouring places with a hit at the first only.
struct Contact {
    hit: f64,
    free: f64,
}

/// What was checked.
#[derive(Debug, Default)]
struct Tally {
    poses: usize,
    touching: usize,
    crossing: usize,
    contacts: usize,
}

fn verdict(hit: bool) -> Overlap {
    if hit { Overlap::Hit } else { Overlap::Free }
}

/// Everything that must hold at one place.
fn check(slide: &Slide, scaled: &[(f64, Slide)], along: f64, what: &str, tally: &mut Tally) {
    let place = format!("{what} at {along:e}");
    let (a, b) = slide.placed(along);
    let expected = brute(&a, &b);
    check_verdicts(&a, &b, &expected, &place);
    check_clearance(&a, &b, &expected, &place);
    check_scaling(slide, scaled, along, &place);
    tally.poses += 1;
    tally.touching += usize::from(expected.relation == FaceRelation::Touching);
    tally.crossing += usize::from(expected.relation == FaceRelation::Crossing);
}

/// Overlap, relation and the number of meeting faces are those of all faces; rational arithmetic agrees
/// about the faces that decide.
fn check_verdicts(a: &Placed<'_>, b: &Placed<'_>, expected: &Brute, place: &str) {
    let hit = verdict(expected.relation.overlaps());
    assert_eq!(overlap(a, b), hit, "{place}");
    assert_eq!(overlap(b, a), hit, "{place}, turned round");
    assert_eq!(relation(a, b), Relation::from(expected.relation), "{place}");
    assert_eq!(relation(b, a), Relation::from(expected.relation), "{place}, turned round");
    assert_eq!(count_crossings(a, b), expected.meeting.len() as u64, "{place}");
    for instructions in Instructions::available() {
        let mut scratch = Scratch::with_instructions(instructions);
        assert_eq!(Ask::new(&mut scratch).overlap(a, b), hit, "{place}, {instructions:?}");
    }
    for &(i, k) in expected.closest.iter().take(3) {
        let pair = (faces(a.model).triangle(i), faces(b.model).triangle(k));
        let exact = naive::relation(&pair.0, &pair.1, &a.world_from_self, &b.world_from_self);
        assert_eq!(exact.overlaps(), expected.relation.overlaps(), "{place}, faces {i} and {k}");
    }
}

/// The bracket holds the exact distance, whichever body comes first, and is zero exactly at an overlap.
fn check_clearance(a: &Placed<'_>, b: &Placed<'_>, expected: &Brute, place: &str) {
    let exact: Vec<_> = expected.closest.iter().take(3).map(|&(i, k)| exact_distance(a, b, i, k)).collect();
    for found in [clearance(a, b), clearance(b, a)] {
        let Bracket { at_least, at_most } = found.gap;
        assert_eq!(at_most == 0.0, expected.relation.overlaps(), "{place}: {found:?}");
        assert!(at_least <= at_most, "{place}: {found:?}");
        assert!(
            at_least <= expected.at_most && expected.at_least <= at_most,
            "{place}: {found:?} {expected:?}"
        );
        assert!(at_most - at_least <= widest(a, b), "{place}: {found:?} is wide");
        assert!(exact.iter().all(|d| d.compare(at_least) != Ordering::Less), "{place}: {found:?} is high");
        assert!(exact.iter().any(|d| d.compare(at_most) != Ordering::Greater), "{place}: {found:?} is low");
    }
}

fn exact_distance(a: &Placed<'_>, b: &Placed<'_>, i: u32, k: u32) -> naive::ExactDistance {
    let (i, k) = (faces(a.model).triangle(i), faces(b.model).triangle(k));
    naive::ExactDistance::new(&i, &k, &a.world_from_self, &b.world_from_self)
}

/// The promised width, for the frame of either body.
fn widest(a: &Placed<'_>, b: &Placed<'_>) -> f64 {
    let reach =
        |body: &Placed<'_>| faces(body.model).vertices().iter().map(|v| v.length()).fold(0.0, f64::max);
    let apart = RelativePose::new(&a.world_from_self, &b.world_from_self).translation.length();
    32.0 * 2f64.powi(-53) * (apart + reach(a) + reach(b))
}

/// Lengths times a power of two: the same verdicts, and clearances times that power to the last bit.
fn check_scaling(slide: &Slide, scaled: &[(f64, Slide)], along: f64, place: &str) {
    let (a, b) = slide.placed(along);
    let plain = clearance(&a, &b);
    for (factor, slide) in scaled {
        let (a, b) = slide.placed(along * factor);
        let found = clearance(&a, &b);
        assert_eq!(found.gap.at_least, plain.gap.at_least * factor, "{place}, times {factor:e}");
        assert_eq!(found.gap.at_most, plain.gap.at_most * factor, "{place}, times {factor:e}");
        assert_eq!(overlap(&a, &b), verdict(plain.gap.at_most == 0.0), "{place}, times {factor:e}");
    }
}

/// Check at a contact and at these powers of ten of `size` around it.
fn check_around(
    slide: &Slide,
    contact: &Contact,
    size: f64,
    exponents: &[i32],
    what: &str,
    tally: &mut Tally,
) {
    tally.contacts += 1;
    let factors = [270, 200, -3, -200, -600].map(|exponent| 2f64.powi(exponent));
    let scaled = factors.map(|factor| (factor, slide.scaled(factor)));
    let around = exponents.iter().map(|&exponent| size * 10f64.powi(exponent));
    let places = around.flat_map(|distance| [contact.hit - distance, contact.free + distance]);
    for along in [contact.hit, contact.free].into_iter().chain(places) {
        check(slide, &scaled, along, what, tally);
    }
}

/// Bisect to contact and check there and around.
fn check_contact(slide: &Slide, exponents: &[i32], what: &str, tally: &mut Tally) {
    if let Some(contact) = slide.contact() {
        check_around(slide, &contact, contact.hit.abs(), exponents, what, tally);
    }
}

const ALL: [i32; 14] = [-3, -4, -5, -6, -7, -8, -9, -10, -11, -12, -13, -14, -15, -16];

/// Random slides of pairs made by `bodies`.
fn campaign(
    name: &str,
    seed: u64,
    count: usize,
    base: f64,
    mut bodies: impl FnMut(&mut SplitMix64) -> [Mesh; 2],
) {
    let mut rng = SplitMix64::new(seed);
    let mut tally = Tally::default();
    for number in 0..count {
        let [a, b] = bodies(&mut rng);
        let base = rng.direction() * base;
        let slide = Slide::random(&a, &b, base, &mut rng);
        check_contact(&slide, &ALL, &format!("{name} {number}"), &mut tally);
    }
    eprintln!("{name}: {tally:?}");
    assert!(tally.contacts * 2 >= count, "{name}: hardly any contact was found");
    assert!(tally.poses > tally.touching + tally.crossing && tally.touching + tally.crossing > 0);
}

fn sphere(rng: &mut SplitMix64) -> TriangleSet {
    bumpy_sphere(2 + (rng.next_u64() % 2) as u32, rng.between(0.0, 6.0))
}

/// Triangles that are not connected: every fifth is a point, every seventh a segment if `segments`.
fn soup(rng: &mut SplitMix64, count: usize, segments: bool) -> TriangleSet {
    let mut corner = || DVec3::new(rng.between(-1.0, 1.0), rng.between(-1.0, 1.0), rng.unit());
    let mut one = |number: usize| {
        let [p, q, r] = [corner(), corner(), corner()];
        let corners = match number {
            _ if number.is_multiple_of(5) => [p, p, p],
            _ if segments && number.is_multiple_of(7) => [p, q, q],
            _ => [p, q, r],
        };
        TriangleSet { vertices: corners.to_vec(), triangles: vec![[0, 1, 2]] }
    };
    merged((0..count).map(&mut one).collect::<Vec<_>>())
}

/// Smooth bodies meet corner to face and edge to edge.
#[test]
fn bumpy_spheres() {
    campaign("bumpy spheres", 1, 12, 0.0, |rng| [mesh(sphere(rng)), mesh(sphere(rng))]);
}

/// Boxes of any proportion.
#[test]
fn boxes() {
    let half = |rng: &mut SplitMix64| {
        DVec3::new(rng.between(0.1, 2.0), rng.between(0.1, 2.0), rng.between(0.1, 2.0))
    };
    campaign("boxes", 2, 20, 0.0, |rng| [mesh(cuboid(half(rng))), mesh(cuboid(half(rng)))]);
}

/// Boxes that meet face on face, edge on edge and corner on corner, where every filter must say "unsure".
#[test]
fn aligned_boxes() {
    let mut tally = Tally::default();
    let [a, b] = [DVec3::new(1.0, 0.75, 0.25), DVec3::new(0.125, 0.875, 1.5)].map(|half| mesh(cuboid(half)));
    for (number, direction) in
        [DVec3::X, DVec3::NEG_Y, DVec3::ONE, DVec3::new(0.0, 1.0, 2.0)].into_iter().enumerate()
    {
        let mut slide = Slide::straight(&a, &b, direction);
        for rotation in [DQuat::IDENTITY, QUARTER_TURN] {
            slide.rotation_b = rotation;
            check_contact(&slide, &ALL, &format!("aligned boxes {number}"), &mut tally);
        }
    }
    eprintln!("aligned boxes: {tally:?}");
    assert!(tally.touching >= 8, "faces in a common plane must touch: {tally:?}");
}

/// Rings, also through each other's hole.
#[test]
fn tori() {
    campaign("tori", 3, 8, 0.0, |rng| {
        let ring = |rng: &mut SplitMix64| mesh(torus(1.0, rng.between(0.1, 0.4), 10, 6));
        [ring(rng), ring(rng)]
    });
}

/// Bodies a million times their size from the origin of the world.
#[test]
fn far_poses() {
    campaign("far poses", 4, 8, 1e6, |rng| [mesh(sphere(rng)), mesh(sphere(rng))]);
}

/// Bodies whose own coordinates are a million times their size.
#[test]
fn far_coordinates() {
    let mut rng = SplitMix64::new(5);
    let mut tally = Tally::default();
    for number in 0..8 {
        let place = rng.direction() * 1e6;
        let [a, b] = [(); 2].map(|()| mesh(sphere(&mut rng).map_vertices(|v| v + place)));
        let mut slide = Slide::straight(&a, &b, rng.direction());
        // A small turn about a far origin moves the body by little only if it is tiny.
        slide.rotation_b = DQuat::from_xyzw(1e-8, -2e-8, 1e-8, 1.0);
        let Some(hit) = (0..400).map(|k| 4.0 - f64::from(k) * 0.02).find(|&along| slide.hits(along)) else {
            continue;
        };
        let contact = slide.bisect(hit, hit + 0.02);
        check_around(&slide, &contact, 1.0, &ALL[..9], &format!("far coordinates {number}"), &mut tally);
    }
    eprintln!("far coordinates: {tally:?}");
    assert!(tally.contacts >= 4);
}

/// Triangles a thousand and a million times longer than wide.
#[test]
fn needles() {
    campaign("needles", 6, 12, 0.0, |rng| {
        let stretch = DVec3::new(1.0, 1e-3, if rng.next_u64().is_multiple_of(2) { 1e-6 } else { 1.0 });
        [
            mesh(sphere(rng).map_vertices(|v| v * stretch)),
            mesh(sphere(rng).map_vertices(|v| v * DVec3::new(stretch.z, stretch.y, stretch.x))),
        ]
    });
}

/// One huge triangle shares leaves with tiny ones.
#[test]
fn a_huge_triangle_among_tiny_ones() {
    let huge = |rng: &mut SplitMix64| TriangleSet {
        vertices: [(); 3].map(|()| rng.direction() * 1e4).to_vec(),
        triangles: vec![[0, 1, 2]],
    };
    leave("huge among tiny", 7, 8, 1.0, |rng| [mesh(merged([sphere(rng), huge(rng)])), mesh(sphere(rng))]);
    leave("huge among tiny, twice", 8, 6, 1.0, |rng| {
        [(); 2].map(|()| mesh(merged([sphere(rng), sphere(rng).map_vertices(|v| v * 1e-7), huge(rng)])))
    });
}

/// Meshes without thickness.
#[test]
fn flat_meshes() {
    campaign("flat and flat", 9, 8, 0.0, |_| [mesh(grid_plane(1.0, 5)), mesh(grid_plane(0.7, 6))]);
    campaign("flat and sphere", 10, 8, 0.0, |rng| [mesh(grid_plane(1.0, 8)), mesh(sphere(rng))]);
    let mut tally = Tally::default();
    let slide = Slide::straight(&mesh(grid_plane(1.0, 4)), &mesh(grid_plane(0.5, 3)), DVec3::X);
    check_contact(&slide, &ALL, "coplanar", &mut tally);
    assert!(tally.touching >= 10 && tally.crossing == 0, "{tally:?}");
}

/// Small bodies, first with their middle on a face of the other (the last, or any), leave it.
fn leave(
    name: &str,
    seed: u64,
    count: usize,
    size: f64,
    mut bodies: impl FnMut(&mut SplitMix64) -> [Mesh; 2],
) {
    let mut rng = SplitMix64::new(seed);
    let mut tally = Tally::default();
    for number in 0..count {
        let [big, small] = bodies(&mut rng);
        let last = big.triangle_count() as u32 - 1;
        let face = if number % 2 == 0 { last } else { rng.next_u64() as u32 % last };
        let [p, q, r] = big.triangle(face).corners;
        let mut slide = Slide::straight(&big, &small, (q - p).cross(r - p).normalize());
        slide.start_b = p * 0.2 + q * 0.3 + r * 0.5;
        slide.rotation_b = rng.rotation();
        let free = (1..4000).map(|k| size * 0.1 * f64::from(k)).find(|&along| !slide.hits(along));
        let Some(free) = free else { continue };
        let contact = slide.bisect(free - size * 0.1, free);
        check_around(&slide, &contact, size, &ALL, &format!("{name} {number}"), &mut tally);
    }
    eprintln!("{name}: {tally:?}");
    assert!(2 * tally.contacts >= count && tally.poses > tally.crossing, "{name}: {tally:?}");
}

/// A body a million, and a thousand million, times smaller than the other.
#[test]
fn very_different_sizes() {
    for (name, seed, size) in [("sizes 1 : 1e6", 11, 1e-6), ("sizes 1 : 1e9", 12, 1e-9)] {
        leave(name, seed, 8, size, |rng| [mesh(sphere(rng)), mesh(sphere(rng).map_vertices(|v| v * size))]);
    }
}

/// Triangles that are not connected, some of them points.
#[test]
fn soups() {
    campaign("soups", 13, 10, 0.0, |rng| [mesh(soup(rng, 60, false)), mesh(soup(rng, 50, false))]);
}

/// Triangles that are not connected, some of them segments: a segment through a face touches it, as the
/// exact test says.
#[test]
fn soups_with_segments() {
    campaign("soups with segments", 16, 10, 0.0, |rng| {
        [mesh(soup(rng, 60, true)), mesh(soup(rng, 50, true))]
    });
}

/// A body of one face, or of one point.
#[test]
fn single_faces() {
    campaign("single faces", 14, 9, 0.0, |rng| {
        let [p, q, r] = [(); 3].map(|()| rng.direction());
        let corners = if rng.next_u64().is_multiple_of(3) { [p, p, p] } else { [p, q, r] };
        let one = Mesh::from_triangles(corners.to_vec(), vec![[0, 1, 2]], &MeshOptions::default());
        [mesh(sphere(rng)), one.expect("valid")]
    });
}

/// A few triangles on a grid: corners, edges and planes coincide all the time. Segments are left out.
fn grid_soup(rng: &mut SplitMix64, reach: f64) -> Mesh {
    let mut vertices = Vec::new();
    while vertices.len() < 3 * 6 {
        let [p, q, r] = [(); 3].map(|()| DVec3::from([(); 3].map(|()| rng.between(-reach, reach).round())));
        let doubled_area = (q - p).cross(r - p);
        if doubled_area != DVec3::ZERO {
            vertices.extend([p, q, r]);
        }
    }
    let triangles = (0..6).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    Mesh::from_triangles(vertices, triangles, &MeshOptions::default()).expect("valid")
}

/// A rotation that takes the grid to itself, or nearly so, in a quaternion of any length.
fn grid_rotation(rng: &mut SplitMix64) -> DQuat {
    let part = |rng: &mut SplitMix64| rng.between(-1.0, 1.0).round();
    loop {
        let q = DQuat::from_xyzw(part(rng), part(rng), part(rng), part(rng));
        if q.length_squared() > 0.0 {
            return q * rng.between(0.1, 10.0);
        }
    }
}

/// The mesh prepared in one of three ways.
fn any_model(mesh: &Mesh, rng: &mut SplitMix64) -> Model {
    match rng.next_u64() % 3 {
        0 => model(mesh),
        1 => Model::with(mesh, &ModelOptions { effort: Effort::Quick }).unwrap(),
        // A tree that was made for other positions.
        _ => model(&mesh.with_vertices(mesh.vertices().iter().rev().copied().collect()).expect("as many"))
            .refit(mesh.vertices().to_vec())
            .expect("as many"),
    }
}

/// Many small bodies on a grid, with every kind of coincidence, however the model was made.
#[test]
fn grids() {
    let mut rng = SplitMix64::new(17);
    let mut counts = [0; 3];
    for number in 0..6000 {
        let [a, b] = [(); 2].map(|()| grid_soup(&mut rng, 2.5));
        let [a, b] = [a, b].map(|mesh| any_model(&mesh, &mut rng));
        let [world_from_a, world_from_b] = [(); 2].map(|()| {
            let shift = DVec3::from([(); 3].map(|()| (rng.between(-4.0, 4.0)).round() / 2.0));
            Pose::new(grid_rotation(&mut rng), shift)
        });
        let (a, b) = (a.at(world_from_a), b.at(world_from_b));
        let expected = brute(&a, &b);
        let place = format!("grid {number}");
        check_verdicts(&a, &b, &expected, &place);
        check_clearance(&a, &b, &expected, &place);
        counts[expected.relation as usize] += 1;
    }
    eprintln!("grids: apart, touching, crossing: {counts:?}");
    assert!(counts.iter().all(|&n| n > 100), "{counts:?}");
}

/// Bodies below y = 0 that reach it along an edge, with a face, at a tip: there their boxes end too.
#[derive(Clone, Copy, Debug)]
enum Flush {
    Ribbon,
    Slab,
    Tip,
}

impl Flush {
    fn set(self, rng: &mut SplitMix64) -> TriangleSet {
        let flat = || grid_plane(1.0, 6);
        match self {
            Self::Ribbon => {
                let tilt = DQuat::from_rotation_x(rng.between(-1.2, 1.2));
                flat().map_vertices(|v| tilt * DVec3::new(v.x, 0.5 * (v.y - 1.0), 0.0))
            }
            Self::Slab => merged([
                flat().map_vertices(|v| DVec3::new(v.x, 0.0, v.y)),
                flat().map_vertices(|v| DVec3::new(v.x, 0.25 * (v.y - 1.0), 1.0)),
                flat().map_vertices(|v| DVec3::new(v.x, 0.25 * (v.y - 1.0), -1.0)),
            ]),
            Self::Tip => {
                let corners = [DVec3::ZERO, DVec3::new(0.07, -1.0, 0.01), DVec3::new(-0.05, -0.9, 0.02)];
                TriangleSet { vertices: corners.to_vec(), triangles: vec![[0, 1, 2]] }
            }
        }
    }
}

/// B stands upside down on A, turned about the common normal; everything else is turned at random, the
/// bodies within their own frames too.
fn flush_slide([a, b]: [Flush; 2], size_b: f64, rng: &mut SplitMix64) -> Slide {
    let [own_a, own_b, world] = [(); 3].map(|()| rng.rotation());
    let set_a = a.set(rng).map_vertices(|v| own_a * v);
    let set_b = b.set(rng).map_vertices(|v| own_b * (v * size_b));
    let upside_down =
        DQuat::from_rotation_y(rng.between(0.4, 2.7)) * DQuat::from_rotation_x(std::f64::consts::PI);
    let offset = DVec3::new(rng.between(-0.2, 0.2), -5.0, rng.between(-0.2, 0.2) * size_b);
    Slide {
        a: model(&mesh(set_a)),
        b: model(&mesh(set_b)),
        world_from_a: Pose::from_rotation(world * own_a.conjugate()),
        rotation_b: world * upside_down * own_b.conjugate(),
        start_b: world * offset,
        direction: world * DVec3::Y,
    }
}

/// Contact where the boxes of the faces end, so that nothing but the slack of the box tests keeps a pair:
/// edge on edge, edge on face, face on face, tip on face.
#[test]
fn flush_contacts() {
    let mut rng = SplitMix64::new(18);
    let mut tally = Tally::default();
    use Flush::{Ribbon, Slab, Tip};
    for number in 0..4 {
        for pair in [[Ribbon, Ribbon], [Ribbon, Slab], [Slab, Ribbon], [Slab, Slab], [Slab, Tip]] {
            let size_b = [1.0, 0.3][number % 2];
            let slide = flush_slide(pair, size_b, &mut rng);
            let contact = slide.bisect(5.0 - 0.02 * size_b, 5.0 + 0.02);
            let exponents = [-5, -6, -7, -8, -9, -12, -15];
            check_around(&slide, &contact, 1.0, &exponents, &format!("flush {pair:?} {number}"), &mut tally);
        }
    }
    eprintln!("flush contacts: {tally:?}");
    assert_eq!(tally.contacts, 20);
}

/// Real parts, with fewer places around each contact.
#[test]
fn real_meshes() {
    let Some(folder) = data("meshes") else { return };
    let mut rng = SplitMix64::new(15);
    let mut tally = Tally::default();
    for [a, b] in
        [["helmet.off", "handle.off"], ["rotor_small.off", "helmet.off"], ["elephant.off", "handle.off"]]
    {
        let [a, b] = [a, b].map(|name| load(&folder.join(name)));
        let slide = Slide::random(&a, &b, DVec3::ZERO, &mut rng);
        check_contact(&slide, &[-3, -6, -9, -12, -15], "real meshes", &mut tally);
    }
    eprintln!("real meshes: {tally:?}");
    assert_eq!(tally.contacts, 3);
}
