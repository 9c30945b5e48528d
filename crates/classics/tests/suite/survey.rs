//! The surveyed methods against oracles of their own, and what their sources say of coherence, frames and pieces.

use crate::common::{mesh, model};
use glam::{DVec3, dvec3};
use noli::model::Hull;
use noli::{Budget, Convex, Mesh, Model, Overlap, Pose, Shape, overlap};
use noli_classics::double::{DoubleOptions, DoubleTree, DoubleUnion, HitBy, Paper};
use noli_classics::{
    Feature, FeatureHint, FeatureHull, Interference, MethodScratch, OccupancySpace, PairMethod, Polyhedron,
    closest_features, feature_path, interference,
};
use noli_geom::{Aabb, Polytope};
use noli_scenes::{SplitMix64, bumpy_sphere, cuboid, polyhedra, w4_paths};

type Vertex = [i64; 3];

/// Returns `true` if two tetrahedra with whole coordinates share a point: no axis of a face or of two edges
/// separates them, in integers.
fn tetrahedra_meet(a: &[Vertex; 4], b: &[Vertex; 4]) -> bool {
    let minus = |p: Vertex, q: Vertex| [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
    let cross = |u: Vertex, v: Vertex| {
        [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    };
    let dot = |u: Vertex, v: Vertex| u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
    let edges =
        |t: &[Vertex; 4]| [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)].map(|(i, j)| minus(t[j], t[i]));
    let faces = |t: &[Vertex; 4]| {
        [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)]
            .map(|(i, j, k)| cross(minus(t[j], t[i]), minus(t[k], t[i])))
    };
    let crossed = edges(a).into_iter().flat_map(|u| edges(b).map(|v| cross(u, v)));
    let mut axes = faces(a).into_iter().chain(faces(b)).chain(crossed);
    !axes.any(|axis| {
        let along = |t: &[Vertex; 4]| t.map(|vertex| dot(axis, vertex));
        let range =
            |t: &[Vertex; 4]| (along(t).into_iter().min().unwrap(), along(t).into_iter().max().unwrap());
        let ((low_a, high_a), (low_b, high_b)) = (range(a), range(b));
        high_a < low_b || high_b < low_a
    })
}

fn solid(t: &[Vertex; 4]) -> Option<Mesh> {
    let at = t.map(|c| dvec3(c[0] as f64, c[1] as f64, c[2] as f64));
    let volume = (at[1] - at[0]).cross(at[2] - at[0]).dot(at[3] - at[0]);
    let faces = if volume > 0.0 {
        vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]
    } else {
        vec![[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]]
    };
    let mesh = Mesh::from_triangles(at.to_vec(), faces, &Default::default()).ok()?;
    (volume != 0.0).then(|| mesh.into_solid())
}

/// Tetrahedra on a small grid, where touching, coplanar and contained ones abound: Boyse's edges and faces say what integers say.
#[test]
fn boyse_says_what_integers_say() {
    let mut random = SplitMix64::new(1979);
    let (mut met, mut inside, mut asked) = (0, 0, 0);
    while asked < 4000 {
        let mut vertex = |size: f64| [0, 1, 2].map(|_| random.between(0.0, size).floor() as i64);
        let (mut a, b) = ([(); 4].map(|()| vertex(5.0)), [(); 4].map(|()| vertex(5.0)));
        if asked % 8 == 0 {
            a = [[-1, -1, -1], [20, -1, -1], [-1, 20, -1], [-1, -1, 20]];
        }
        let (Some(solid_a), Some(solid_b)) = (solid(&a), solid(&b)) else { continue };
        let bodies = [&solid_a, &solid_b].map(Polyhedron::new);
        let here = Pose::IDENTITY;
        let (found, _) = interference((&bodies[0], &here), (&bodies[1], &here), &Budget::UNLIMITED).unwrap();
        let truth = tetrahedra_meet(&a, &b);
        assert_eq!(found != Interference::Disjoint, truth, "{a:?} {b:?}");
        if let Interference::Meeting { point, .. } = found {
            for body in &bodies {
                let off = body.mesh().iter_triangles().map(|t| t.closest_to(point).distance(point));
                let outside = off.fold(f64::INFINITY, f64::min);
                assert!(outside < 1e-9 || point_in(body.mesh(), point), "{a:?} {b:?} {point}");
            }
        }
        met += usize::from(truth);
        inside += usize::from(matches!(found, Interference::AInsideB | Interference::BInsideA));
        asked += 1;
    }
    assert!(met > 400 && asked - met > 400 && inside > 0, "{met} of {asked}, {inside} inside");
}

fn point_in(tetrahedron: &Mesh, point: DVec3) -> bool {
    tetrahedron.iter_triangles().all(|t| {
        let [a, b, c] = t.vertices;
        (b - a).cross(c - a).dot(point - a) <= 1e-9
    })
}

/// Between two frames nothing is looked at: a plate that jumps over a thin wall meets nobody, one that stops in it does.
#[test]
fn occupancy_does_not_see_what_passes_between_frames() {
    let bounds = Aabb { min: DVec3::splat(-4.0), max: DVec3::splat(4.0) };
    let mut space = OccupancySpace::new(bounds, [32; 3]).unwrap();
    let wall = space.add("wall", &mesh(cuboid(dvec3(0.05, 2.0, 2.0))).into_solid()).unwrap();
    let sphere = space.add("sphere", &mesh(bumpy_sphere(2, 0.3)).into_solid()).unwrap();
    space.place(wall, &Pose::IDENTITY).unwrap();
    let at = |x: f64| Pose::from_translation(DVec3::X * x);
    assert!(space.place(sphere, &at(-2.5)).unwrap().is_empty());
    assert!(space.place(sphere, &at(2.5)).unwrap().is_empty(), "it passed through");
    assert!(!space.place(sphere, &at(0.2)).unwrap().is_empty());
}

/// Bodies made of pieces: every pair of pieces by Moore and Wilhelms says what the compound says.
#[test]
fn articulated_bodies_are_all_pairs_of_pieces() {
    let mut random = SplitMix64::new(1988);
    let pieces: Vec<Mesh> = [dvec3(1.0, 0.2, 0.2), dvec3(0.2, 1.0, 0.2), dvec3(0.2, 0.2, 1.0)]
        .map(|half| mesh(cuboid(half)).into_solid())
        .into();
    let places = [DVec3::ZERO, DVec3::X, DVec3::Y].map(Pose::from_translation);
    let parts = pieces.iter().zip(places).map(|(piece, place)| (place, Shape::from(piece.clone())));
    let whole = Model::new(Shape::Compound(parts.collect())).unwrap();
    let prepared: Vec<_> = pieces.iter().map(|piece| PairMethod::Moore.prepare(&model(piece))).collect();
    let (mut hits, mut scratch) = (0, MethodScratch::default());
    for _ in 0..150 {
        let pose = Pose::new(random.rotation(), random.direction() * random.between(0.5, 3.0));
        let mut any = false;
        for (a, place_a) in prepared.iter().zip(places) {
            for (b, place_b) in prepared.iter().zip(places) {
                let answer = a.overlap(&place_a, b, &(pose * place_b), &Budget::UNLIMITED, &mut scratch);
                any |= answer.overlap == Overlap::Hit;
            }
        }
        assert_eq!(overlap(&whole.at(Pose::IDENTITY), &whole.at(pose)) == Overlap::Hit, any);
        hits += usize::from(any);
    }
    assert!((20..140).contains(&hits), "{hits}");
}

fn random_hull(random: &mut SplitMix64, points: usize) -> Hull {
    Hull::new((0..points).map(|_| random.direction())).unwrap()
}

/// Walks from any features of bodies apart end: one that comes to a pair again starts anew, and hardly any is lost after that.
/// Of all hulls the regions have fewer than six planes in the mean.
#[test]
fn cold_walks_leave_their_circles() {
    let mut random = SplitMix64::new(1992);
    let (mut walks, mut circles, mut lost, mut longest) = (0, 0, 0, 0usize);
    for points in [8, 20, 60, 200] {
        let bodies = [(); 2].map(|()| FeatureHull::new(random_hull(&mut random, points)).unwrap());
        for body in &bodies {
            assert!(body.planes() < 6 * body.size());
        }
        for _ in 0..120 {
            let pose = Pose::new(random.rotation(), random.direction() * random.between(2.2, 4.0));
            let from = [0, 1]
                .map(|k| Feature::Vertex((random.unit() * bodies[k].hull().vertices().len() as f64) as u32));
            let path = feature_path((&bodies[0], &Pose::IDENTITY), (&bodies[1], &pose), from);
            let mut sorted: Vec<String> = path.iter().map(|pair| format!("{pair:?}")).collect();
            sorted.sort();
            let before = sorted.len();
            sorted.dedup();
            let found =
                closest_features((&bodies[0], &Pose::IDENTITY), (&bodies[1], &pose), &mut FeatureHint(from));
            walks += 1;
            circles += usize::from(sorted.len() < before);
            lost += usize::from(found.features.is_none());
            longest = longest.max(path.len() / (bodies[0].size() + bodies[1].size()).max(1));
        }
    }
    // Without a new start every one of these would be lost.
    assert!(
        circles > 0 && lost * 4 <= circles,
        "{lost} lost of {circles} that came to a pair twice, of {walks}"
    );
    assert!(longest <= 1, "never longer than there are features");
}

/// Hull trees start from the features of the last pose: along a path that costs fewer steps, and says the same.
#[test]
fn hull_trees_remember_the_last_pose() {
    let body = model(&mesh(bumpy_sphere(4, 0.3)));
    let prepared = PairMethod::LinCanny.prepare(&body);
    let (mut warm, mut steps, mut free) = (MethodScratch::default(), [0; 2], 0);
    for path in w4_paths(1.0, 1, 40) {
        for pose in path {
            let away = Pose::new(pose.rotation, pose.translation * 0.2 + DVec3::X * 2.6);
            let ask = |scratch: &mut MethodScratch| {
                prepared.overlap(&Pose::IDENTITY, &prepared, &away, &Budget::UNLIMITED, scratch)
            };
            let (remembered, reborrow) = (ask(&mut warm), ask(&mut MethodScratch::default()));
            assert_eq!(remembered.overlap, reborrow.overlap);
            steps[0] += remembered.work.walked;
            steps[1] += reborrow.work.walked;
            free += usize::from(reborrow.overlap == Overlap::Free);
        }
    }
    assert!(free > 5 && 2 * steps[0] < steps[1], "{steps:?} {free}");
}

/// The four steps with as many halvings as suit the faces say what any number of them does.
#[test]
fn halvings_by_rule_change_no_verdict() {
    let body = model(&mesh(bumpy_sphere(3, 0.3)));
    let methods: [PairMethod; 2] = [PairMethod::Tree, "four-step:auto".parse().unwrap()];
    assert_eq!(methods[1].to_string(), "four-step:auto");
    let prepared = methods.map(|method| method.prepare(&body));
    let mut random = SplitMix64::new(1994);
    let mut scratch = MethodScratch::default();
    for _ in 0..60 {
        let pose = Pose::new(random.rotation(), random.direction() * random.between(1.6, 2.4));
        let verdicts = prepared
            .each_ref()
            .map(|body| body.overlap(&Pose::IDENTITY, body, &pose, &Budget::UNLIMITED, &mut scratch).overlap);
        assert_eq!(verdicts[0], verdicts[1]);
    }
    assert!("four-step:0".parse::<PairMethod>().is_err() && "boyse:auto".parse::<PairMethod>().is_err());
}

/// Every hit of double trees names a point that both bodies hold, whatever proved it.
#[test]
fn double_trees_name_a_common_point() {
    let mut random = SplitMix64::new(2007);
    let bodies = polyhedra();
    let mut seen = [0; 3];
    for options in [DoubleOptions::default(), DoubleOptions::boxes_as_printed()] {
        let trees: Vec<DoubleTree> =
            bodies.iter().map(|one| DoubleTree::new(&one.body, &options).unwrap()).collect();
        for round in 0..160 {
            let (i, j) = (round % trees.len(), (round / 3) % trees.len());
            let pose = Pose::new(random.rotation(), random.direction() * random.between(0.0, 1.6));
            let found = trees[i].overlap(&Pose::IDENTITY, &trees[j], &pose, round % 2 == 0);
            assert_eq!(found.hit.is_some(), found.point.is_some());
            let (Some(hit), Some(point)) = (found.hit, found.point) else { continue };
            let outside = |body: &Polytope, p: DVec3| {
                body.planes().iter().map(|(n, h)| n.dot(p) - h).fold(f64::NEG_INFINITY, f64::max)
            };
            let (on_a, on_b) = (point, pose.inverse().transform_point(point));
            assert!(
                outside(&bodies[i].body, on_a) < 1e-6 && outside(&bodies[j].body, on_b) < 1e-6,
                "{hit:?} {point}"
            );
            seen[match hit {
                HitBy::InnerVolumes => 0,
                HitBy::Faces => 1,
                HitBy::Containment => 2,
            }] += 1;
        }
    }
    assert!(seen[0] > 20 && seen[1] > 5, "{seen:?}");
}

/// A union of convex pieces says what the solids of its pieces say.
#[test]
fn unions_of_convex_pieces_are_exact() {
    let mut random = SplitMix64::new(2008);
    let bar = |half: DVec3, at: DVec3| Polytope::cuboid(&Aabb { min: at - half, max: at + half }).unwrap();
    let pieces = [
        bar(dvec3(1.0, 0.2, 0.2), DVec3::ZERO),
        bar(dvec3(0.2, 1.0, 0.2), DVec3::X),
        bar(dvec3(0.2, 0.2, 0.6), dvec3(1.0, 1.0, 0.5)),
    ];
    let union = DoubleUnion::new(&pieces, &DoubleOptions::default()).unwrap();
    assert_eq!(union.parts().len(), 3);
    let parts = pieces.iter().map(|piece| {
        let hull = Hull::new(piece.vertices.iter().copied()).unwrap();
        (Pose::IDENTITY, Shape::from(Convex::from(hull)))
    });
    let whole = Model::new(Shape::Compound(parts.collect())).unwrap();
    let mut hits = 0;
    for _ in 0..300 {
        let pose = Pose::new(random.rotation(), random.direction() * random.between(0.2, 3.0));
        let found = union.overlap(&Pose::IDENTITY, &union, &pose);
        let truth = overlap(&whole.at(Pose::IDENTITY), &whole.at(pose));
        assert_eq!(found.hit.is_some(), truth == Overlap::Hit);
        hits += usize::from(found.hit.is_some());
    }
    assert!((40..280).contains(&hits), "{hits}");
    assert!(DoubleUnion::new(&[], &DoubleOptions::default()).is_none());
}

/// As printed, two interior pieces whose outer spheres meet are a contact, which proves nothing; those of a cube lie too deep for
/// it to be told where there is none.
#[test]
fn interior_pieces_of_a_cube_lie_too_deep_for_false_contacts() {
    let mut random = SplitMix64::new(2009);
    let cube = Polytope::cuboid(&Aabb { min: -DVec3::splat(0.5), max: DVec3::splat(0.5) }).unwrap();
    let tree =
        DoubleTree::new(&cube, &DoubleOptions { depth: 6, ..DoubleOptions::spheres_as_printed() }).unwrap();
    let (mut told, mut asked) = (0, 0);
    for _ in 0..600 {
        let pose = Pose::new(random.rotation(), random.direction() * random.between(1.0, 1.7));
        if tree.overlap(&Pose::IDENTITY, &tree, &pose, true).hit.is_some() {
            continue;
        }
        asked += 1;
        told += usize::from(tree.overlap_as_printed(&Pose::IDENTITY, &tree, &pose, Paper::Spheres).contact);
    }
    assert!(asked > 100, "{asked}");
    assert_eq!(told, 0, "{told} of {asked}");
}
