//! Every pair of forms and every question, against meshes within and around the same bodies.
//!
//! A round body lies between a polyhedron whose vertices are on it and one whose faces touch it. What exact mesh
//! queries say of those two bounds what may be said of the body.

use glam::{DVec3, dvec3};
use noli::answer::*;
use noli::model::*;
use noli::motion::*;
use noli::query::*;
use noli::*;
use noli_scenes::SplitMix64;
use std::f64::consts::{PI, TAU};

/// A body, and solids within and around it.
struct Body {
    name: &'static str,
    model: Model,
    inner: Model,
    outer: Model,
    convex: bool,
}

fn solid(points: impl IntoIterator<Item = DVec3>) -> Model {
    Model::new(Hull::new(points).unwrap().to_mesh().unwrap()).unwrap()
}

const SIDES: usize = 48;

fn ring(radius: f64, z: f64) -> Vec<DVec3> {
    let point = |k: usize| {
        let angle = TAU * k as f64 / SIDES as f64;
        dvec3(radius * angle.cos(), radius * angle.sin(), z)
    };
    (0..SIDES).map(point).collect()
}

fn round(name: &'static str, convex: Convex, inner: Vec<DVec3>, outer: Vec<DVec3>) -> Body {
    Body { name, model: Model::new(convex).unwrap(), inner: solid(inner), outer: solid(outer), convex: true }
}

fn exact(name: &'static str, convex: Convex, vertices: Vec<DVec3>) -> Body {
    round(name, convex, vertices.clone(), vertices)
}

/// Points of the unit sphere and how far faces between them may be from it.
fn globe() -> (Vec<DVec3>, f64) {
    let set = noli_scenes::geodesic(8);
    let inner = set.triangles.iter().map(|t| {
        let [p, q, r] = t.map(|v| set.vertices[v as usize]);
        (q - p).cross(r - p).normalize().dot(p)
    });
    let least = inner.fold(1.0, f64::min);
    (set.vertices, 1.0 / (least * (1.0 - 1e-12)))
}

fn vertices(half: DVec3) -> Vec<DVec3> {
    let sign = |i: u32, k: u32| if i >> k & 1 == 1 { 1.0 } else { -1.0 };
    (0..8).map(|i| half * dvec3(sign(i, 0), sign(i, 1), sign(i, 2))).collect()
}

fn bodies() -> Vec<Body> {
    let (sphere, grow) = globe();
    let wider = 1.0 / (PI / SIDES as f64).cos() * (1.0 + 1e-12);
    let scaled = |by: DVec3| sphere.iter().map(|p| *p * by).collect::<Vec<_>>();
    let both = |half: f64, radius: f64| [ring(radius, half), ring(radius, -half)].concat();
    let cone = |half: f64, radius: f64| [ring(radius, -half), vec![DVec3::Z * half]].concat();
    let capsule = |by: f64| {
        let ends = [DVec3::Z * 0.6, DVec3::NEG_Z * 0.6];
        ends.iter().flat_map(|end| sphere.iter().map(move |p| *p * 0.4 * by + *end)).collect::<Vec<_>>()
    };
    let tetrahedron =
        [dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.1, 0.0), dvec3(0.1, 0.9, 0.2), dvec3(0.3, 0.3, 1.1)];
    let l_shape = [[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0], [0, 0, 1]];
    let voxels = Voxels::new(0.25, l_shape).unwrap();
    let blocks: Vec<(Pose, Shape)> = voxels
        .boxes()
        .map(|b| (Pose::from_translation(b.center()), Convex::cuboid(b.size()).unwrap().into()))
        .collect();
    let mesh_of = |parts: Vec<Vec<DVec3>>| {
        let (mut vertices, mut polygons) = (Vec::new(), Vec::new());
        for part in parts {
            let mesh = Hull::new(part).unwrap().to_mesh().unwrap();
            let first = vertices.len() as u32;
            vertices.extend_from_slice(mesh.vertices());
            polygons.extend(mesh.triangles().iter().map(|t| t.map(|v| v + first)));
        }
        let mesh = Mesh::from_triangles(vertices, polygons, &Default::default()).unwrap().into_solid();
        Model::new(&mesh).unwrap()
    };
    let block_vertices = || {
        voxels
            .boxes()
            .map(|b| vertices(b.size() * 0.5).into_iter().map(|p| p + b.center()).collect())
            .collect()
    };
    let several = |name, shape: Shape| Body {
        name,
        model: Model::new(shape).unwrap(),
        inner: mesh_of(block_vertices()),
        outer: mesh_of(block_vertices()),
        convex: false,
    };
    let floor =
        vertices(dvec3(50.0, 50.0, 25.0)).into_iter().map(|p| p - DVec3::Z * 25.0).collect::<Vec<_>>();
    let cut = noli_scenes::bumpy_sphere(3, 0.3);
    let bumpy = Mesh::from_triangles(cut.vertices, cut.triangles, &Default::default()).unwrap().into_solid();
    let bumpy = Model::new(&bumpy).unwrap();
    vec![
        round(
            "sphere",
            Convex::sphere(0.7).unwrap(),
            scaled(DVec3::splat(0.7)),
            scaled(DVec3::splat(0.7 * grow)),
        ),
        exact("point", Convex::sphere(0.0).unwrap(), vec![DVec3::ZERO]),
        exact("box", Convex::cuboid(dvec3(1.0, 0.6, 1.4)).unwrap(), vertices(dvec3(0.5, 0.3, 0.7))),
        exact("flat box", Convex::cuboid(dvec3(1.0, 0.0, 1.4)).unwrap(), vertices(dvec3(0.5, 0.0, 0.7))),
        round("capsule", Convex::capsule(1.2, 0.4).unwrap(), capsule(1.0), capsule(grow)),
        round("cylinder", Convex::cylinder(1.0, 0.6).unwrap(), both(0.5, 0.6), both(0.5, 0.6 * wider)),
        round("cone", Convex::cone(1.2, 0.6).unwrap(), cone(0.6, 0.6), cone(0.6, 0.6 * wider)),
        round("needle", Convex::cone(2.0, 1e-6).unwrap(), cone(1.0, 1e-6), cone(1.0, 1e-6 * wider)),
        round(
            "ellipsoid",
            Convex::ellipsoid(dvec3(1.0, 0.5, 0.2)).unwrap(),
            scaled(dvec3(1.0, 0.5, 0.2)),
            scaled(dvec3(1.0, 0.5, 0.2) * grow),
        ),
        exact("hull", Convex::hull(tetrahedron).unwrap(), tetrahedron.to_vec()),
        Body { name: "mesh", model: bumpy.clone(), inner: bumpy.clone(), outer: bumpy, convex: false },
        several("voxels", voxels.clone().into()),
        several("compound", Shape::Compound(blocks)),
        Body {
            name: "half-space",
            model: Model::new(Shape::HalfSpace).unwrap(),
            inner: solid(floor.clone()),
            outer: solid(floor),
            convex: true,
        },
    ]
}

fn separated_by(b: &Body, pose: Pose, by: DVec3) -> (Placed<'_>, Pose) {
    let moved = Pose::new(pose.rotation, pose.translation + by);
    (b.model.at(moved), moved)
}

fn check_pair(a: &Body, b: &Body, pose: Pose, random: &mut SplitMix64) -> [usize; 2] {
    let here = Pose::IDENTITY;
    let (pa, pb) = (a.model.at(here), b.model.at(pose));
    let context = || format!("{} {} {pose:?}", a.name, b.name);
    let inner = clearance(&a.inner.at(here), &b.inner.at(pose));
    let outer = clearance(&a.outer.at(here), &b.outer.at(pose));
    let found = clearance(&pa, &pb);
    assert!(found.distance.at_least <= found.distance.at_most, "{found:?} {}", context());
    assert!(
        found.distance.at_least <= inner.distance.at_most * (1.0 + 1e-12) + 1e-13,
        "{found:?} {inner:?} {}",
        context()
    );
    assert!(
        found.distance.at_most >= outer.distance.at_least * (1.0 - 1e-12) - 1e-13,
        "{found:?} {outer:?} {}",
        context()
    );
    assert!(
        found.distance.at_most - found.distance.at_least <= 1e-12 * (2.0 + pose.translation.length()),
        "{found:?} {}",
        context()
    );

    // Elsewhere answers depend on which body is named first.
    let back = clearance(&pb, &pa);
    assert!(
        back.distance.at_least <= found.distance.at_most && found.distance.at_least <= back.distance.at_most,
        "{found:?} {back:?}"
    );

    let verdict = overlap(&pa, &pb);
    assert_eq!(verdict == Overlap::Hit, found.distance.at_most == 0.0, "{found:?} {verdict:?} {}", context());
    assert_eq!(verdict, overlap(&pb, &pa), "{}", context());
    assert!(verdict == Overlap::Hit || inner.distance.at_most > 0.0, "missed: {}", context());
    assert!(verdict == Overlap::Free || outer.distance.at_least < 1e-12, "false alarm: {}", context());
    let relation = relation(&pa, &pb);
    assert_eq!(relation.overlap(), verdict, "{relation:?} {}", context());
    if let Some(witness) = found.witness.filter(|_| found.distance.at_most > 0.0) {
        let gap = witness.on_a.point.distance(witness.on_b.point);
        assert!((gap - found.distance.at_most).abs() < 1e-12, "{gap} {found:?} {}", context());
    }
    for margin in [0.9 * found.distance.at_least, 1.1 * found.distance.at_most + 1e-9] {
        let closer = within_distance(&pa, &pb, margin) == Overlap::Hit;
        assert_eq!(closer, margin >= found.distance.at_least, "{margin} {found:?} {}", context());
    }

    assert_eq!(contact(&pa, &pb).overlap(), verdict, "{}", context());
    if verdict == Overlap::Hit {
        check_contact(a, b, pose, random);
    }
    [1, usize::from(verdict == Overlap::Hit && !(a.name == "half-space" && b.name == "half-space"))]
}

/// Along the normal of their contact overlapping bodies come free, in no direction any sooner.
fn check_contact(a: &Body, b: &Body, pose: Pose, random: &mut SplitMix64) {
    let (pa, pb) = (a.model.at(Pose::IDENTITY), b.model.at(pose));
    let context = || format!("{} {} {pose:?}", a.name, b.name);
    let found = contact(&pa, &pb).hit().expect("they overlap");
    if a.name == "half-space" && b.name == "half-space" {
        // They have no end, so nothing takes them apart.
        assert_eq!(found.depth, Bracket::INFINITE, "{}", context());
        return;
    }
    let back = contact(&pb, &pa).hit().expect("they overlap");
    assert!(
        back.depth.at_least <= found.depth.at_most && found.depth.at_least <= back.depth.at_most,
        "{found:?} {back:?}"
    );
    assert!((found.normal.length() - 1.0).abs() < 1e-14 && found.depth.at_least <= found.depth.at_most);
    if a.convex && b.convex {
        let free = separated_by(b, pose, found.normal * (found.depth.at_most * (1.0 + 1e-12) + 4e-12)).0;
        let gap = clearance(&pa, &free);
        assert!(
            gap.distance.at_least < 1e-11 && overlap(&pa, &free) == Overlap::Free,
            "{found:?} {gap:?} {}",
            context()
        );
        for _ in 0..4 {
            let shorter = random.direction() * (found.depth.at_least * (1.0 - 1e-12) - 1e-13).max(0.0);
            let (stuck, _) = separated_by(b, pose, shorter);
            assert_eq!(overlap(&pa, &stuck), Overlap::Hit, "{found:?} {}", context());
        }
        let width = found.depth.at_most - found.depth.at_least;
        assert!(width < 1e-2, "{width:e} {}", context());
    }
    let manifold = manifold(&pa, &pb).hit().expect("they overlap");
    assert!((1..=4).contains(&manifold.contacts.len()));
}

#[test]
fn every_pair_answers_every_question() {
    let bodies = bodies();
    let mut random = SplitMix64::new(11);
    let mut counts = [0, 0];
    for a in &bodies {
        for b in &bodies {
            for round in 0..12 {
                let rotation = if round == 0 { glam::DQuat::IDENTITY } else { random.rotation() };
                let distance = random.between(0.0, 2.2);
                let pose = Pose::new(rotation, random.direction() * distance);
                let [asked, hit] = check_pair(a, b, pose, &mut random);
                counts = [counts[0] + asked, counts[1] + hit];
            }
        }
    }
    assert!(counts[1] * 5 > counts[0] && counts[1] * 5 < counts[0] * 4, "{counts:?}");
}

/// Scaling by a power of two scales every answer exactly; by 1e-9 or 1e9, up to rounding.
#[test]
fn answers_scale() {
    let bodies = bodies();
    let mut random = SplitMix64::new(12);
    for a in &bodies {
        for b in &bodies {
            let pose = Pose::new(random.rotation(), random.direction() * random.between(0.3, 2.2));
            let ask = |factor: f64| {
                let [x, y] = [a, b].map(|body| body.model.scaled(factor).unwrap());
                let there = Pose::new(pose.rotation, pose.translation * factor);
                let (x, y) = (x.at(Pose::IDENTITY), y.at(there));
                (clearance(&x, &y), contact(&x, &y), relation(&x, &y))
            };
            let (gap, depth, stands) = ask(1.0);
            for factor in [-100, -40, 37, 100].map(|exponent| 2f64.powi(exponent)) {
                let (g, d, s) = ask(factor);
                let context = || format!("{} {} {factor:e}", a.name, b.name);
                // `next_up` and the smallest number do not scale; nor does the unit of a tree without extent, which
                // may choose another of two faces that are equally near.
                let alike = |x: f64, y: f64| x == y * factor || (x - y * factor).abs() <= 1e-14 * factor;
                assert!(
                    alike(g.distance.at_least, gap.distance.at_least)
                        && alike(g.distance.at_most, gap.distance.at_most),
                    "{g:?} {gap:?} {}",
                    context()
                );
                assert_eq!(s, stands, "{}", context());
                assert_eq!(d.overlap(), depth.overlap());
                if let (Verdict::Hit(d), Verdict::Hit(depth)) = (d, depth) {
                    assert!(
                        alike(d.depth.at_least, depth.depth.at_least)
                            && alike(d.depth.at_most, depth.depth.at_most),
                        "{d:?} {depth:?} {}",
                        context()
                    );
                    assert_eq!(d.normal, depth.normal);
                }
            }
            for factor in [1e-9, 1e9] {
                let (g, ..) = ask(factor);
                let near = |x: f64, y: f64| (x - y * factor).abs() <= 1e-11 * factor;
                assert!(
                    near(g.distance.at_least, gap.distance.at_least)
                        && near(g.distance.at_most, gap.distance.at_most),
                    "{g:?} {gap:?} {} {}",
                    a.name,
                    b.name
                );
            }
        }
    }
}

/// Points and rays against the solids within and around each body.
#[test]
fn points_and_rays_agree_with_meshes() {
    let mut random = SplitMix64::new(13);
    for body in bodies().iter().filter(|body| body.name != "half-space" && body.name != "needle") {
        let pose = Pose::new(random.rotation(), random.direction());
        for _ in 0..30 {
            let point = pose.translation + random.direction() * random.between(0.0, 1.2);
            let place = locate_point(&body.model.at(pose), point);
            let [inner, outer] = [&body.inner, &body.outer].map(|m| locate_point(&m.at(pose), point));
            assert!(
                [place, inner, outer].iter().all(|&found| found != Location::Unknown),
                "{} {point}",
                body.name
            );
            let flat = body.inner.mesh().unwrap().kind() == MeshKind::Surface;
            assert!(flat || inner != Location::Inside || place == Location::Inside, "{} {point}", body.name);
            assert!(
                flat || outer != Location::Outside || place == Location::Outside,
                "{} {point}",
                body.name
            );
            let origin = pose.translation + random.direction() * 4.0;
            let ray = Ray { origin, direction: pose.translation + random.direction() * 0.5 - origin };
            let first = |model: &Model| ray_cast(&model.at(pose), &ray).unwrap().first().map(|hit| hit.t);
            let (found, inner, outer) = (first(&body.model), first(&body.inner), first(&body.outer));
            let late = |x: Option<f64>| x.unwrap_or(f64::INFINITY);
            let between = late(outer) - 1e-6 <= late(found) && late(found) <= late(inner) + 1e-6;
            assert!(between, "{} {ray:?} {outer:?} {found:?} {inner:?}", body.name);
        }
    }
    let floor = Model::new(Shape::HalfSpace).unwrap();
    let down = Ray { origin: DVec3::Z * 3.0, direction: DVec3::NEG_Z };
    assert_eq!(ray_cast(&floor.at(Pose::IDENTITY), &down).unwrap().first().unwrap().t, 3.0);
}

/// Bodies that fly at each other touch when their clearance is used up.
#[test]
fn moving_bodies_touch_in_time() {
    let mut random = SplitMix64::new(14);
    let bodies = bodies();
    for a in &bodies {
        for b in bodies.iter().filter(|b| b.name != "half-space") {
            let (rotation, from) = (random.rotation(), random.direction() * 6.0 + DVec3::Z * 8.0);
            let flight = RigidMotion::between(
                &Pose::new(rotation, from),
                &Pose::new(rotation, DVec3::ZERO),
                DVec3::ZERO,
            );
            let still = Still(Pose::IDENTITY);
            let impact = time_of_impact(&a.model.moving(&still), &b.model.moving(&flight));
            let back = time_of_impact(&b.model.moving(&flight), &a.model.moving(&still));
            let gap = |t: f64| clearance(&a.model.at(Pose::IDENTITY), &b.model.at(flight.pose(t)));
            match impact {
                Impact::At { time, .. } => {
                    let Impact::At { time: other, .. } = back else {
                        panic!("{} {} {back:?}", a.name, b.name)
                    };
                    assert!(time.safe_until <= other.touching_by && other.safe_until <= time.touching_by);
                    assert!(gap(time.safe_until).distance.at_least < 1e-4, "{} {} {time:?}", a.name, b.name);
                    for k in 0..20 {
                        assert!(gap(time.safe_until * f64::from(k) / 20.0).distance.at_least > 0.0);
                    }
                }
                other => panic!("{} {} {other:?}: they end in the same place", a.name, b.name),
            }
        }
    }
}

/// Known failures of other engines.
mod regressions {
    use super::*;

    /// An absolute epsilon in GJK calls small triangles with a clearance of a tenth of their edge intersecting.
    #[test]
    fn small_triangles_apart_are_apart() {
        for edge in [1.0, 1e-2, 1e-4, 1e-8, 1e-30] {
            let triangle = Triangle::new(DVec3::ZERO, DVec3::X * edge, DVec3::Y * edge);
            let model = Model::new(Convex::triangle(triangle).unwrap()).unwrap();
            let there = Pose::from_translation(DVec3::Z * 0.1 * edge);
            assert_eq!(overlap(&model.at(Pose::IDENTITY), &model.at(there)), Overlap::Free);
            let gap = clearance(&model.at(Pose::IDENTITY), &model.at(there));
            assert!((gap.distance.at_most / edge - 0.1).abs() < 1e-14);
        }
    }

    /// Two unit spheres 0.5 deep, reported 0.03 deep elsewhere.
    #[test]
    fn deep_spheres_are_deep() {
        let sphere = Model::new(Convex::sphere(1.0).unwrap()).unwrap();
        let found = contact(&sphere.at(Pose::IDENTITY), &sphere.at(Pose::from_translation(DVec3::X * 1.5)))
            .hit()
            .unwrap();
        assert!(
            found.depth.at_least <= 0.5
                && 0.5 <= found.depth.at_most
                && found.depth.at_most - found.depth.at_least < 1e-13
        );
        // Concentric: any direction will do.
        let found = contact(&sphere.at(Pose::IDENTITY), &sphere.at(Pose::IDENTITY)).hit().unwrap();
        assert!((found.depth.at_most - 2.0).abs() < 1e-13 && (found.depth.at_least - 2.0).abs() < 1e-13);
    }

    /// A clearance below 1e-6 called a collision elsewhere; here one bit parts them.
    #[test]
    fn touching_is_told_from_nearly_touching() {
        let cube = Model::new(Convex::cuboid(DVec3::ONE * 2.0).unwrap()).unwrap();
        let sphere = Model::new(Convex::sphere(1.0).unwrap()).unwrap();
        let at = |x: f64| Pose::from_translation(DVec3::X * x);
        let next = 2.0f64.next_up();
        for (a, b) in [(&cube, &cube), (&cube, &sphere), (&sphere, &cube), (&sphere, &sphere)] {
            let stands = |x: f64| relation(&a.at(Pose::IDENTITY), &b.at(at(x)));
            assert_eq!(stands(2.0), Relation::Touching);
            assert_eq!(stands(next), Relation::Separated);
            assert_eq!(stands(1.9), Relation::Intersecting);
            assert_eq!(overlap(&a.at(Pose::IDENTITY), &b.at(at(next))), Overlap::Free);
            assert_eq!(overlap(&a.at(Pose::IDENTITY), &b.at(at(2.0))), Overlap::Hit);
        }
    }

    /// A body wholly inside another overlaps it.
    #[test]
    fn containment_is_overlap() {
        let small = Convex::sphere(0.1).unwrap();
        let large = [
            Convex::sphere(1.0).unwrap(),
            Convex::cuboid(DVec3::splat(2.0)).unwrap(),
            Convex::cylinder(2.0, 1.0).unwrap(),
            Convex::ellipsoid(dvec3(1.0, 2.0, 3.0)).unwrap(),
        ];
        let small = Model::new(small).unwrap();
        for large in large {
            let large = Model::new(large).unwrap();
            let pair = (large.at(Pose::IDENTITY), small.at(Pose::from_translation(DVec3::splat(0.1))));
            let stand = [relation(&pair.0, &pair.1), relation(&pair.1, &pair.0)];
            assert_eq!(stand, [Relation::Inside; 2], "{large:?} {:?}", contact(&pair.0, &pair.1));
        }
    }

    /// A depth taken from intersecting faces goes to 0 as the mesh is refined.
    #[test]
    fn finer_meshes_are_as_deep() {
        for fineness in [2, 4, 8, 16] {
            let points = noli_scenes::geodesic(fineness).vertices;
            let sphere = Model::new(Convex::hull(points.iter().copied()).unwrap()).unwrap();
            let mesh = solid(points);
            let there = Pose::from_translation(DVec3::X * 1.5);
            let depth = |model: &Model| contact(&model.at(Pose::IDENTITY), &model.at(there)).hit().unwrap();
            let (found, of_mesh) = (depth(&sphere), depth(&mesh));
            assert!(found.depth.at_least > 0.3 && found.depth.at_most < 0.5 + 1e-12, "{fineness}: {found:?}");
            assert!(of_mesh.depth.at_most >= found.depth.at_least, "{fineness}: {of_mesh:?}");
        }
    }

    #[test]
    fn bad_poses_are_unknown() {
        let sphere = Model::new(Convex::sphere(1.0).unwrap()).unwrap();
        let nowhere = Pose::from_translation(DVec3::splat(f64::NAN));
        assert_eq!(overlap(&sphere.at(Pose::IDENTITY), &sphere.at(nowhere)), Overlap::Unknown);
        assert_eq!(relation(&sphere.at(nowhere), &sphere.at(Pose::IDENTITY)), Relation::Unknown);
        assert_eq!(clearance(&sphere.at(nowhere), &sphere.at(Pose::IDENTITY)).distance.at_least, 0.0);
        assert_eq!(contact(&sphere.at(nowhere), &sphere.at(Pose::IDENTITY)), Verdict::Unknown);
    }

    #[test]
    fn a_box_on_a_floor_rests_on_four_vertices() {
        let cube = Model::new(Convex::cuboid(DVec3::ONE).unwrap()).unwrap();
        let floor = Model::new(Shape::HalfSpace).unwrap();
        let low = Pose::from_translation(DVec3::Z * 0.49);
        for contacts in [
            manifold(&cube.at(low), &floor.at(Pose::IDENTITY)).hit().unwrap().contacts,
            manifold(&floor.at(Pose::IDENTITY), &cube.at(low)).hit().unwrap().contacts,
            manifold(&cube.at(Pose::from_translation(DVec3::NEG_Z * 0.5)), &cube.at(low))
                .hit()
                .unwrap()
                .contacts,
        ] {
            assert_eq!(contacts.len(), 4);
            assert!(
                contacts.iter().all(|c| (c.depth.at_most - 0.01).abs() < 1e-13 && c.normal.z.abs() > 0.999),
                "{contacts:?}"
            );
        }
    }
}
