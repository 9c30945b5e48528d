//! Point clouds: the answers of all points one by one, for every partner and every query.

use glam::{DVec3, dvec3};
use noli::answer::{Location, Verdict};
use noli::motion::{RigidMotion, Still};
use noli::penetration::{PenetrationQuery, penetration};
use noli::query::{ClearanceQuery, Ray};
use noli::{
    Convex, Field, Guarantee, Impact, Mesh, Model, Overlap, Placed, PointCloud, Pose, QueryContext, Relation,
    Scratch, Shape, clearance, contact, locate_point, overlap, ray_cast, relation, time_of_impact,
    within_distance,
};
use noli_scenes::SplitMix64;

fn prepared(shape: impl Into<Shape>) -> Model {
    Model::new(shape).unwrap()
}

/// A sphere about one point, in the frame of the cloud and without a rounded pose.
fn sphere_at(point: DVec3, radius: f64) -> Model {
    Model::from(Convex::hull([point]).unwrap().rounded(radius).unwrap())
}

/// Points in a box, some of them in a plane and some twice.
fn scattered(random: &mut SplitMix64, count: usize) -> Vec<DVec3> {
    let mut points: Vec<DVec3> = Vec::new();
    for k in 0..count {
        let any = dvec3(random.between(-1.0, 1.0), random.between(-1.0, 1.0), random.between(-1.0, 1.0));
        points.push(match k % 5 {
            0 => any.with_z(0.25),
            1 if k > 10 => points[k - 7],
            _ => any,
        });
    }
    points
}

/// One body of every form.
fn partners() -> Vec<(&'static str, Model)> {
    let cube = Mesh::cuboid(dvec3(0.5, 0.3, 0.2)).unwrap();
    let torus = Mesh::torus(0.4, 0.1, 24, 12).unwrap();
    let bars = vec![
        (Pose::IDENTITY, Shape::from(Convex::cuboid(dvec3(0.8, 0.05, 0.05)).unwrap())),
        (Pose::from_translation(DVec3::Y * 0.2), Shape::from(torus.clone())),
    ];
    vec![
        ("solid box", prepared(cube.clone().into_solid())),
        ("surface of a box", prepared(cube)),
        ("solid torus", prepared(torus.clone().into_solid())),
        ("torus", prepared(torus)),
        ("box", prepared(Convex::cuboid(dvec3(0.4, 0.2, 0.6)).unwrap())),
        ("rounded box", prepared(Convex::cuboid(dvec3(0.4, 0.2, 0.1)).unwrap().rounded(0.0625).unwrap())),
        ("sphere", prepared(Convex::sphere(0.2).unwrap())),
        ("capsule", prepared(Convex::capsule(0.5, 0.1).unwrap())),
        ("cylinder", prepared(Convex::cylinder(0.5, 0.15).unwrap())),
        ("half-space", prepared(Shape::HalfSpace)),
        ("field", prepared(Field::parse("torus(0.4, 0.1)").unwrap())),
        ("compound", prepared(Shape::Compound(bars))),
        ("cloud", prepared(PointCloud::new(vec![DVec3::ZERO, DVec3::X * 0.3], 0.05).unwrap())),
    ]
}

#[test]
fn verdicts_are_those_of_all_points() {
    let mut random = SplitMix64::new(390);
    let (mut hits, mut free, mut compared) = (0, 0, 0);
    for count in [1, 3, 40, 400] {
        let points = scattered(&mut random, count);
        for radius in [0.0, 0.03] {
            let cloud = prepared(PointCloud::new(points.clone(), radius).unwrap());
            let alone: Vec<Model> = points.iter().map(|&point| sphere_at(point, radius)).collect();
            for (name, partner) in partners() {
                for _ in 0..12 {
                    let here = Pose::new(random.rotation(), random.direction() * 0.3);
                    let there = Pose::new(random.rotation(), random.direction() * random.between(0.0, 2.5));
                    let (a, b) = (cloud.at(here), partner.at(there));
                    let margin = if random.below(2) == 0 { 0.0 } else { random.between(0.0, 0.2) };
                    let test = |own: &Placed<'_>| within_distance(own, &b, margin);
                    let expected = alone.iter().map(|model| test(&model.at(here)));
                    let expected = expected.fold(Overlap::Free, |all, one| match (all, one) {
                        (Overlap::Hit, _) | (_, Overlap::Hit) => Overlap::Hit,
                        (Overlap::Unknown, _) | (_, Overlap::Unknown) => Overlap::Unknown,
                        _ => Overlap::Free,
                    });
                    let found = [test(&a), within_distance(&b, &a, margin)];
                    assert_eq!(found, [expected; 2], "{count} points of radius {radius}, {name}, {margin}");
                    hits += usize::from(expected == Overlap::Hit);
                    free += usize::from(expected == Overlap::Free);
                    compared += 1;
                }
            }
        }
    }
    assert!(hits > 200 && free > 200, "{hits} hits, {free} free of {compared}");
}

/// The bracket on the least clearance of bodies that have one pose.
fn least_of(all: &[Model], pose: Pose, other: &Placed<'_>) -> [f64; 2] {
    let brackets = all.iter().map(|one| clearance(&one.at(pose), other).distance);
    brackets.fold([f64::INFINITY; 2], |[least, most], own| [least.min(own.at_least), most.min(own.at_most)])
}

#[test]
fn clearances_bracket_those_of_all_points() {
    let mut random = SplitMix64::new(391);
    let points = scattered(&mut random, 120);
    let cloud = prepared(PointCloud::new(points.clone(), 0.02).unwrap());
    let alone: Vec<Model> = points.iter().map(|&point| sphere_at(point, 0.02)).collect();
    for (name, partner) in partners() {
        for _ in 0..10 {
            let here = Pose::new(random.rotation(), random.direction() * 0.3);
            let there = Pose::new(random.rotation(), random.direction() * random.between(0.5, 3.0));
            let b = partner.at(there);
            let [least, most] = least_of(&alone, here, &b);
            let found = clearance(&cloud.at(here), &b);
            assert!(
                found.distance.at_least <= most * (1.0 + 1e-9) + 1e-12,
                "{name}: {found:?} {least} {most}"
            );
            assert!(
                least <= found.distance.at_most * (1.0 + 1e-9) + 1e-12,
                "{name}: {found:?} {least} {most}"
            );
            assert_eq!(found.distance.at_most == 0.0, most == 0.0, "{name}");
            if found.distance.at_most > 0.0 && found.distance.at_most.is_finite() {
                let witness = found.witness.expect("nearest points");
                let length = witness.on_a.point.distance(witness.on_b.point);
                assert!((length - found.distance.at_most).abs() < 1e-9, "{name}");
                let point = witness.on_a.part.expect("the number of a point");
                let center = here.transform_point(points[point as usize]);
                assert!((center.distance(witness.on_a.point) - 0.02).abs() < 1e-9, "{name}");
            }
            let back = clearance(&b, &cloud.at(here)).distance;
            assert!((back.at_most - found.distance.at_most).abs() <= 1e-12, "{name}");
        }
    }
}

/// Exactly at the radius they touch; the next number outward they do not. All numbers are dyadic.
#[test]
fn spheres_touch_at_exactly_their_radius() {
    let points: Vec<DVec3> = (0..1000)
        .map(|k| dvec3(0.5 * f64::from(k % 10), 0.5 * f64::from(k / 10 % 10), 0.5 * f64::from(k / 100)))
        .collect();
    let cloud = prepared(PointCloud::new(points, 0.125).unwrap());
    let a = cloud.at(Pose::IDENTITY);
    let cube = Mesh::cuboid(DVec3::splat(1.0)).unwrap();
    let cases = [
        (prepared(cube.clone().into_solid()), 0.5),
        (prepared(cube), 0.5),
        (prepared(Convex::cuboid(DVec3::splat(1.0)).unwrap()), 0.5),
        (prepared(Convex::sphere(0.25).unwrap()), 0.25),
        (prepared(PointCloud::new(vec![DVec3::ZERO], 0.25).unwrap()), 0.25),
    ];
    for (partner, half) in cases {
        assert_eq!(cloud.guarantee(&partner), Guarantee::Exact);
        // In line with a row of points along x, below them.
        let touching = -(half + 0.125f64);
        let at = |x: f64| partner.at(Pose::from_translation(dvec3(x, 1.0, 1.0)));
        assert_eq!(overlap(&a, &at(touching)), Overlap::Hit);
        assert_eq!(relation(&a, &at(touching)), Relation::Touching);
        assert_eq!(clearance(&a, &at(touching)).distance.at_most, 0.0);
        assert_eq!(overlap(&a, &at(touching.next_down())), Overlap::Free);
        assert_eq!(relation(&a, &at(touching.next_down())), Relation::Separated);
        assert!(clearance(&a, &at(touching.next_down())).distance.at_most > 0.0);
        assert_eq!(overlap(&a, &at(touching.next_up())), Overlap::Hit);
        assert_eq!(relation(&a, &at(touching + 1e-9)), Relation::Intersecting);
        assert_eq!(within_distance(&a, &at(touching - 0.25), 0.25), Overlap::Hit);
        assert_eq!(within_distance(&a, &at((touching - 0.25).next_down()), 0.25), Overlap::Free);
    }
    let floor = prepared(Shape::HalfSpace);
    let below = |z: f64| floor.at(Pose::from_translation(DVec3::Z * z));
    assert_eq!(overlap(&a, &below(-0.125)), Overlap::Hit);
    assert_eq!(overlap(&a, &below((-0.125f64).next_down())), Overlap::Free);
}

#[test]
fn points_deep_in_a_solid_are_found() {
    let mut random = SplitMix64::new(392);
    let block = prepared(Mesh::cuboid(DVec3::splat(4.0)).unwrap().into_solid());
    let shell = prepared(Mesh::cuboid(DVec3::splat(4.0)).unwrap());
    for count in [1, 10, 500] {
        let points: Vec<DVec3> = (0..count).map(|_| random.direction() * random.between(0.0, 1.0)).collect();
        let cloud = prepared(PointCloud::new(points, 0.01).unwrap());
        let a = cloud.at(Pose::IDENTITY);
        assert_eq!(overlap(&a, &block.at(Pose::IDENTITY)), Overlap::Hit);
        assert_eq!(relation(&a, &block.at(Pose::IDENTITY)), Relation::Inside);
        assert_eq!(overlap(&a, &shell.at(Pose::IDENTITY)), Overlap::Free);
        assert_eq!(clearance(&a, &block.at(Pose::IDENTITY)).distance.at_most, 0.0);
    }
}

/// The naive form of a cloud: a compound of spheres.
#[test]
fn further_queries_are_those_of_a_compound_of_spheres() {
    let mut random = SplitMix64::new(393);
    let points = scattered(&mut random, 60);
    let cloud = prepared(PointCloud::new(points.clone(), 0.0625).unwrap());
    let parts = points
        .iter()
        .map(|&point| (Pose::IDENTITY, Shape::from(Convex::hull([point]).unwrap().rounded(0.0625).unwrap())));
    let compound = prepared(Shape::Compound(parts.collect()));
    for (name, partner) in partners() {
        for _ in 0..8 {
            let here = Pose::new(random.rotation(), random.direction() * 0.3);
            let there = Pose::new(random.rotation(), random.direction() * random.between(0.3, 2.0));
            let (a, naive, b) = (cloud.at(here), compound.at(here), partner.at(there));
            assert_eq!(relation(&a, &b), relation(&naive, &b), "{name}");
            match (contact(&a, &b), contact(&naive, &b)) {
                (Verdict::Hit(x), Verdict::Hit(y)) => {
                    assert!(
                        x.depth.at_least <= y.depth.at_most && y.depth.at_least <= x.depth.at_most,
                        "{name}"
                    );
                    assert!(x.on_a.part.is_some_and(|part| (part as usize) < points.len()));
                }
                (x, y) => assert_eq!(x.hit().is_some(), y.hit().is_some(), "{name}"),
            }
            let query = PenetrationQuery { looks: 200, ..PenetrationQuery::default() };
            if name != "cloud" && name != "half-space" {
                let (x, y) = (penetration(&a, &b, &query).depth, penetration(&naive, &b, &query).depth);
                assert!(x.at_least <= y.at_most && y.at_least <= x.at_most, "{name}: {x:?} {y:?}");
            }
            let ray = Ray { origin: random.direction() * 3.0, direction: random.direction() };
            let times = |placed: &Placed<'_>| {
                ray_cast(placed, &ray).unwrap().items.iter().map(|hit| hit.t).collect::<Vec<_>>()
            };
            assert_eq!(times(&a), times(&naive));
            let point = random.direction() * random.between(0.0, 1.5);
            let place = locate_point(&a, point);
            assert_eq!(place, locate_point(&naive, point));
            assert_ne!(place, Location::Unknown);
        }
    }
}

#[test]
fn motions_stop_before_the_nearest_point() {
    let mut random = SplitMix64::new(394);
    let points: Vec<DVec3> = scattered(&mut random, 500);
    let cloud = prepared(PointCloud::new(points, 0.02).unwrap());
    let still = Still(Pose::IDENTITY);
    let mut impacts = 0;
    for (name, partner) in partners() {
        if name == "half-space" {
            continue;
        }
        for _ in 0..4 {
            let from = Pose::new(random.rotation(), random.direction() * 4.0);
            let to = Pose::new(random.rotation(), random.direction() * 4.0);
            let motion = RigidMotion::between(&from, &to, DVec3::ZERO);
            let (a, b) = (cloud.moving(&still), partner.moving(&motion));
            let samples = (0..=64).map(|k| f64::from(k) / 64.0);
            let hits = |t: f64| overlap(&a.at(t), &b.at(t)) == Overlap::Hit;
            match time_of_impact(&a, &b) {
                Impact::Free => assert!(!samples.into_iter().any(hits), "{name}"),
                Impact::At { time, .. } => {
                    impacts += 1;
                    assert!(!samples.into_iter().filter(|&t| t < time.safe_until).any(hits), "{name}");
                    assert!(
                        clearance(&a.at(time.touching_by), &b.at(time.touching_by)).distance.at_least < 1e-3
                    );
                }
                other => panic!("{name}: {other:?}"),
            }
        }
    }
    assert!(impacts > 5, "{impacts}");
}

/// Thinning: every removed point lies within the distance of a kept one, and no overlap is lost.
#[test]
fn thinned_clouds_cover_all_points() {
    let mut random = SplitMix64::new(395);
    for (count, distance) in [(1, 0.1), (500, 0.3), (3000, 0.05), (3000, 1e-9)] {
        let cloud = PointCloud::new(scattered(&mut random, count), 0.01).unwrap();
        let thin = cloud.thinned(distance).unwrap();
        assert!(thin.radius() >= 0.01 + distance);
        for point in cloud.points() {
            assert!(thin.points().iter().any(|kept| kept.distance(*point) <= distance));
        }
        if distance > 0.04 && count > 1 {
            assert!(thin.points().len() < cloud.points().len());
        }
        assert!(thin.points().iter().all(|kept| cloud.points().contains(kept)));
    }
    assert!(PointCloud::new(vec![DVec3::ZERO], 0.0).unwrap().thinned(0.0).is_err());
    assert!(PointCloud::new(vec![DVec3::splat(f64::NAN)], 0.0).is_err());
    assert!(PointCloud::new(vec![DVec3::ZERO], -1.0).is_err());
    assert!(PointCloud::new(vec![DVec3::ZERO], f64::NAN).is_err());
}

#[test]
fn empty_clouds_and_spent_budgets_are_defined() {
    let empty = prepared(PointCloud::new(Vec::new(), 0.1).unwrap());
    let cube = prepared(Mesh::cuboid(DVec3::ONE).unwrap().into_solid());
    assert!(empty.is_empty());
    let (a, b) = (empty.at(Pose::IDENTITY), cube.at(Pose::IDENTITY));
    assert_eq!(overlap(&a, &b), Overlap::Free);
    assert_eq!(clearance(&a, &b).distance.at_least, f64::INFINITY);
    let many = prepared(PointCloud::new(vec![DVec3::X * 0.75; 100], 0.125).unwrap());
    let mut scratch = Scratch::default();
    let mut context = QueryContext::new(&mut scratch).with_budget(noli::Budget::default().steps(1));
    let there = many.at(Pose::IDENTITY);
    assert_ne!(context.overlap(&there, &b), Overlap::Hit);
    assert!(context.clearance(&there, &b, &ClearanceQuery::default()).distance.at_most > 0.0);
}

/// Points with radii from 0 to a tenth, many of them equal, and each as a model.
fn of_several_radii(random: &mut SplitMix64, count: usize) -> (PointCloud, Vec<Model>) {
    let points = scattered(random, count);
    let radii: Vec<f64> = (0..count).map(|_| 0.025 * random.below(5) as f64).collect();
    let alone = points.iter().zip(&radii).map(|(&point, &radius)| sphere_at(point, radius)).collect();
    (PointCloud::new(points, 0.0).unwrap().with_radii(radii).unwrap(), alone)
}

#[test]
fn points_with_a_radius_each_are_all_spheres() {
    let mut random = SplitMix64::new(395);
    let (mut hits, mut free) = (0, 0);
    for count in [2, 40, 300] {
        let (cloud, alone) = of_several_radii(&mut random, count);
        let cloud = prepared(cloud);
        for (name, partner) in partners() {
            for _ in 0..12 {
                let here = Pose::new(random.rotation(), random.direction() * 0.3);
                let there = Pose::new(random.rotation(), random.direction() * random.between(0.0, 2.5));
                let (a, b) = (cloud.at(here), partner.at(there));
                let margin = if random.below(2) == 0 { 0.0 } else { random.between(0.0, 0.2) };
                let verdicts: Vec<Overlap> =
                    alone.iter().map(|model| within_distance(&model.at(here), &b, margin)).collect();
                let expected = match () {
                    () if verdicts.contains(&Overlap::Hit) => Overlap::Hit,
                    () if verdicts.contains(&Overlap::Unknown) => Overlap::Unknown,
                    () => Overlap::Free,
                };
                let found = [within_distance(&a, &b, margin), within_distance(&b, &a, margin)];
                assert_eq!(found, [expected; 2], "{count} points, {name}, {margin}");
                hits += usize::from(expected == Overlap::Hit);
                free += usize::from(expected == Overlap::Free);
                if !verdicts.contains(&Overlap::Unknown) {
                    let wanted: Vec<u32> =
                        (0..).zip(&verdicts).filter(|(_, v)| **v == Overlap::Hit).map(|(k, _)| k).collect();
                    let within = noli::points_within(&a, &b, margin);
                    assert_eq!(within.items, wanted, "{count} points, {name}, {margin}");
                }
            }
        }
    }
    assert!(hits > 100 && free > 100, "{hits} hits, {free} free");
}

#[test]
fn clearances_of_points_with_a_radius_each_are_those_of_the_nearest_sphere() {
    let mut random = SplitMix64::new(396);
    let (cloud, alone) = of_several_radii(&mut random, 60);
    let model = prepared(cloud.clone());
    let mut apart = 0;
    for (name, partner) in partners() {
        for _ in 0..8 {
            let here = Pose::new(random.rotation(), random.direction() * 0.3);
            let there = Pose::new(random.rotation(), random.direction() * random.between(0.5, 3.0));
            let b = partner.at(there);
            let [least, most] = least_of(&alone, here, &b);
            let found = clearance(&model.at(here), &b);
            assert!(found.distance.at_least <= most * (1.0 + 1e-9) + 1e-12, "{name}: {found:?} {most}");
            assert!(least <= found.distance.at_most * (1.0 + 1e-9) + 1e-12, "{name}: {found:?} {least}");
            assert_eq!(found.distance.at_most == 0.0, most == 0.0, "{name}");
            if found.distance.at_most > 0.0 && found.distance.at_most.is_finite() {
                apart += 1;
                let witness = found.witness.expect("nearest points");
                let point = witness.on_a.part.expect("the number of a point") as usize;
                let center = here.transform_point(cloud.points()[point]);
                let off = center.distance(witness.on_a.point) - cloud.radius_of(point);
                assert!(off.abs() < 1e-9, "{name}: {off}");
            }
            let expected = if most == 0.0 { Verdict::Hit(()) } else { Verdict::Free };
            let touching = contact(&model.at(here), &b).map(|_| ());
            if name != "field" {
                assert_eq!(touching, expected, "{name}");
                assert_eq!(relation(&model.at(here), &b) == Relation::Separated, most > 0.0, "{name}");
            }
        }
    }
    assert!(apart > 30, "{apart}");
}

#[test]
fn clouds_with_a_radius_each_have_bounds_scales_and_thin_covers() {
    let mut random = SplitMix64::new(397);
    let (cloud, alone) = of_several_radii(&mut random, 500);
    let spheres = |cloud: &PointCloud| -> Vec<(DVec3, f64)> {
        cloud.points().iter().enumerate().map(|(k, &point)| (point, cloud.radius_of(k))).collect()
    };
    let bounds = cloud.aabb();
    for one in &alone {
        let own = one.aabb();
        assert!(own.min.cmpge(bounds.min - 1e-12).all() && own.max.cmple(bounds.max + 1e-12).all());
    }
    let thin = cloud.thinned(0.6).unwrap();
    assert!(thin.points().len() < 300 && thin.radii().is_some());
    let kept = spheres(&thin);
    for (point, radius) in spheres(&cloud) {
        let covers = |&(center, own): &(DVec3, f64)| center.distance(point) + radius <= own * (1.0 + 1e-12);
        assert!(kept.iter().any(covers), "{point} {radius}");
    }
    let scaled = spheres(&cloud.scaled(4.0).unwrap());
    let wanted: Vec<(DVec3, f64)> = spheres(&cloud).iter().map(|(p, r)| (*p * 4.0, r * 4.0)).collect();
    assert_eq!(scaled, wanted);
    let equal = cloud.with_radii(vec![0.5; 500]).unwrap();
    assert_eq!((equal.radii(), equal.radius(), equal.least_radius()), (None, 0.5, 0.5));
    for bad in [vec![0.1; 3], vec![-1.0; 500], vec![f64::NAN; 500]] {
        assert!(cloud.with_radii(bad).is_err());
    }
}
