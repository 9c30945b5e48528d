//! Spheres inside solids are inside, change no verdict, and bound the depth from below.

use crate::common::{merged, mesh};
use glam::DVec3;
use noli::answer::Location;
use noli::{Model, Pose, QueryContext, Scratch, locate_point};
use noli_scenes::{SplitMix64, TriangleSet, bumpy_sphere, cuboid, geodesic, grid_plane, torus};

fn inward(mut set: TriangleSet) -> TriangleSet {
    set.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    set
}

fn solids() -> Vec<(&'static str, Model)> {
    let small = || geodesic(2).map_vertices(|v| v * 0.5);
    let sets = vec![
        ("cube", cuboid(DVec3::ONE)),
        ("bumpy sphere", bumpy_sphere(5, 0.4)),
        ("ring", torus(1.0, 0.4, 16, 8)),
        ("hollow sphere", merged([geodesic(3), inward(small())])),
        ("inside out", inward(geodesic(3))),
        ("sphere in a sphere", merged([geodesic(3), small()])),
        ("large", geodesic(3).map_vertices(|v| v * 2.0f64.powi(250))),
        ("tiny", geodesic(3).map_vertices(|v| v * 2.0f64.powi(-250))),
    ];
    let model = |set| Model::new(mesh(set).into_solid()).unwrap();
    sets.into_iter().map(|(name, set)| (name, model(set))).collect()
}

#[test]
fn spheres_are_inside() {
    let mut random = SplitMix64::new(9);
    for (name, model) in solids() {
        let spheres = model.inner_spheres();
        assert!(!spheres.is_empty() && spheres.len() <= 4, "{name}");
        for sphere in spheres {
            for _ in 0..60 {
                let point = sphere.center + random.direction() * (sphere.radius * random.unit());
                assert_eq!(
                    locate_point(&model.at(Pose::IDENTITY), point),
                    Location::Inside,
                    "{name}: {sphere:?}"
                );
            }
        }
    }
}

#[test]
fn surfaces_and_open_meshes_have_none() {
    let surface = Model::new(mesh(geodesic(3))).unwrap();
    assert!(surface.inner_spheres().is_empty());
    let open = Model::new(mesh(grid_plane(1.0, 4)).into_solid()).unwrap();
    assert!(open.inner_spheres().is_empty());
    let mut torn = geodesic(3);
    torn.triangles.pop();
    assert!(Model::new(mesh(torn).into_solid()).unwrap().inner_spheres().is_empty());
}

#[test]
fn verdicts_are_those_of_faces_alone() {
    let mut random = SplitMix64::new(4);
    let mut scratch = Scratch::default();
    let all = solids();
    for (name_a, a) in &all[..6] {
        for (name_b, b) in &all[..6] {
            for _ in 0..40 {
                let at = Pose::new(random.rotation(), random.direction() * random.between(0.0, 2.6));
                let here = Pose::from_rotation(random.rotation());
                let early = QueryContext::new(&mut scratch).overlap(&a.at(here), &b.at(at));
                let late = QueryContext::new(&mut scratch).surfaces_only().overlap(&a.at(here), &b.at(at));
                assert_eq!(early, late, "{name_a}, {name_b}, {at:?}");
            }
        }
    }
}

#[test]
fn depth_is_never_overstated() {
    let sphere = Model::new(mesh(geodesic(6)).into_solid()).unwrap();
    for step in 0..=24 {
        let distance = f64::from(step) / 10.0;
        let depth = noli::penetration(
            &sphere.at(Pose::IDENTITY),
            &sphere.at(crate::common::shift(distance, 0.0, 0.0)),
        )
        .depth
        .at_least;
        // Polyhedra inscribed in unit spheres must be moved by at most this.
        assert!(depth <= (2.0 - distance).max(0.0), "{distance}: {depth}");
        assert!(distance > 1.8 || depth > 1.8 - distance, "{distance}: {depth}");
    }
}
