//! Poses bisected to contact: the proof test of the packed filters.
//!
//! Along a line the translation is halved until two neighbouring `f64` differ in verdict. There, and at
//! relative distances of 1e-3 to 1e-16 around, every query must agree with all pairs of faces, and the
//! faces that decide must agree with rational arithmetic.

use crate::common::slides::{
    ALL, Slide, Tally, campaign, check_around, check_clearance, check_contact, check_verdicts,
};
use crate::common::{QUARTER_TURN, brute, data, load, merged, mesh, model};
use glam::{DQuat, DVec3};
use noli::model::{MeshOptions, ModelOptions};
use noli::tree::Effort;
use noli::{Mesh, Model, Pose};
use noli_scenes::{SplitMix64, TriangleSet, bumpy_sphere, cuboid, grid_plane, torus};

fn sphere(rng: &mut SplitMix64) -> TriangleSet {
    bumpy_sphere(2 + (rng.next_u64() % 2) as u32, rng.between(0.0, 6.0))
}

/// Triangles that are not connected: every fifth is a point, every seventh a segment if `segments`.
fn soup(rng: &mut SplitMix64, count: usize, segments: bool) -> TriangleSet {
    let mut vertex = || DVec3::new(rng.between(-1.0, 1.0), rng.between(-1.0, 1.0), rng.unit());
    let mut one = |number: usize| {
        let [p, q, r] = [vertex(), vertex(), vertex()];
        let corners = match number {
            _ if number.is_multiple_of(5) => [p, p, p],
            _ if segments && number.is_multiple_of(7) => [p, q, q],
            _ => [p, q, r],
        };
        TriangleSet { vertices: corners.to_vec(), triangles: vec![[0, 1, 2]] }
    };
    merged((0..count).map(&mut one).collect::<Vec<_>>())
}

/// Smooth bodies meet vertex to face and edge to edge.
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

/// Boxes that meet face on face, edge on edge and vertex on vertex, where every filter must say "unsure".
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

/// Triangles of 1 to 2⁻²⁰ of the size of those they meet, alone and among large ones in the same leaf: each sign has the
/// bound of its own edges.
#[test]
fn small_faces_on_large_ones() {
    campaign("small faces on large ones", 11, 24, 0.0, |rng| {
        let small = 0.5_f64.powi((rng.next_u64() % 21) as i32);
        let scaled = |mut set: TriangleSet| {
            set.vertices.iter_mut().for_each(|vertex| *vertex *= small);
            set
        };
        let wall = cuboid(DVec3::new(rng.between(0.5, 2.0), rng.between(0.01, 0.2), rng.between(0.5, 2.0)));
        let part = if rng.next_u64() % 2 == 0 { sphere(rng) } else { soup(rng, 9, false) };
        let part = scaled(part);
        let mixed = if rng.next_u64() % 2 == 0 { merged([part, soup(rng, 3, false)]) } else { part };
        [mesh(wall), mesh(mixed)]
    });
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
        check_around(&slide, &contact, (1.0, &ALL[..9]), &format!("far coordinates {number}"), &mut tally);
    }
    eprintln!("far coordinates: {tally:?}");
    assert!(tally.contacts >= 4);
}

/// Triangles a thousand and a million times longer than wide.
#[test]
fn needles() {
    campaign("needles", 6, 12, 0.0, |rng| {
        let segment = DVec3::new(1.0, 1e-3, if rng.next_u64().is_multiple_of(2) { 1e-6 } else { 1.0 });
        [
            mesh(sphere(rng).map_vertices(|v| v * segment)),
            mesh(sphere(rng).map_vertices(|v| v * DVec3::new(segment.z, segment.y, segment.x))),
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
    assert!(tally.touching >= 10 && tally.intersecting == 0, "{tally:?}");
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
        let [p, q, r] = big.triangle(face).vertices;
        let mut slide = Slide::straight(&big, &small, (q - p).cross(r - p).normalize());
        slide.start_b = p * 0.2 + q * 0.3 + r * 0.5;
        slide.rotation_b = rng.rotation();
        let free = (1..4000).map(|k| size * 0.1 * f64::from(k)).find(|&along| !slide.hits(along));
        let Some(free) = free else { continue };
        let contact = slide.bisect(free - size * 0.1, free);
        check_around(&slide, &contact, (size, &ALL), &format!("{name} {number}"), &mut tally);
    }
    eprintln!("{name}: {tally:?}");
    assert!(2 * tally.contacts >= count && tally.poses > tally.intersecting, "{name}: {tally:?}");
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
        let vertices = if rng.next_u64().is_multiple_of(3) { [p, p, p] } else { [p, q, r] };
        let one = Mesh::from_triangles(vertices.to_vec(), vec![[0, 1, 2]], &MeshOptions::default());
        [mesh(sphere(rng)), one.expect("valid")]
    });
}

/// A few triangles on a grid: vertices, edges and planes coincide all the time. Segments are left out.
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
        1 => Model::with_options(mesh, &ModelOptions { effort: Effort::Quick }).unwrap(),
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
    eprintln!("grids: apart, touching, intersecting: {counts:?}");
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
            check_around(
                &slide,
                &contact,
                (1.0, &exponents),
                &format!("flush {pair:?} {number}"),
                &mut tally,
            );
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
