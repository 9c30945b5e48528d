//! Every assembly holds what it says: closed solids, and exactly the planted pairs meet.

use glam::DVec3;
use noli::{Model, Overlap, Placed, Pose, overlap, relation};
use noli_geom::{Aabb, PairFrame, Relation, RelativePose, Triangle, TrianglePair};
use noli_scenes::{Assembly, Part, assembly, engine_bay_removals, list};

/// More pairs of faces than these are not compared one by one.
const MOST_FACE_PAIRS: usize = 4_000_000;

/// Levels of detail that the large and the small assemblies are tested at.
fn details(name: &str) -> &'static [u32] {
    match name {
        "engine-bay" => &[1, 3],
        "gearbox" | "engine-bay-turned" | "engine-bay-sealed" => &[1],
        // Puzzles have tests of their own; here they would take minutes.
        "alpha-puzzle" | "alpha-tight" | "bayonet" | "bugtrap" | "bugtrap-shut" | "double-l" | "flange"
        | "knotted-tube" | "past-bracket" | "threaded" => &[],
        _ => &[1, 2, 7],
    }
}

fn each(mut test: impl FnMut(&Assembly, u32)) {
    for listed in list() {
        for &detail in details(listed.name) {
            test(&listed.make(detail), detail);
        }
    }
}

fn models(assembly: &Assembly) -> Vec<Model> {
    assembly.parts.iter().map(|part| Model::from(&part.mesh)).collect()
}

#[test]
fn exactly_the_planted_pairs_meet() {
    each(|assembly, detail| {
        let models = models(assembly);
        for (i, a) in assembly.parts.iter().enumerate() {
            for (j, b) in assembly.parts.iter().enumerate().skip(i + 1) {
                let (placed_a, placed_b) = (models[i].at(a.pose), models[j].at(b.pose));
                let expected = assembly.expected(&a.name, &b.name);
                let pair = format!("{} and {} at detail {detail}", a.name, b.name);
                assert_eq!(relation(&placed_a, &placed_b), expected.into(), "{pair}");
                assert_eq!(relation(&placed_b, &placed_a), expected.into(), "{pair}, swapped");
            }
        }
    });
}

#[test]
fn parts_are_closed_solids() {
    each(|assembly, detail| {
        for part in &assembly.parts {
            let report = part.mesh.report();
            let sound = report.closed && report.oriented && report.signed_volume > 0.0;
            let plain = report.zero_area_triangles + report.non_manifold_edges + report.duplicate_triangles;
            assert!(sound && plain == 0, "{} at detail {detail}: {report:?}", part.name);
            assert_eq!(part.mesh.kind(), noli::model::MeshKind::Solid);
        }
    });
}

#[test]
fn a_planted_clash_vanishes_when_its_part_is_moved_away() {
    each(|assembly, _| {
        let models = models(assembly);
        let index = |name: &str| assembly.parts.iter().position(|part| part.name == name).unwrap();
        for planted in &assembly.planted {
            let [a, b] = planted.pair.each_ref().map(|name| index(name));
            let far = assembly.parts[b].pose.translation + DVec3::new(0.0, 0.0, 10_000.0);
            let away = models[b].at(Pose::new(assembly.parts[b].pose.rotation, far));
            let found = relation(&models[a].at(assembly.parts[a].pose), &away);
            assert_eq!(found, Relation::Separated.into(), "{:?}", planted.pair);
        }
    });
}

#[test]
fn names_are_unique_and_a_second_call_gives_the_same_bits() {
    each(|once, detail| {
        let again = assembly(&once.name, detail).unwrap();
        let bits = |assembly: &Assembly| -> Vec<u64> {
            let vertices = assembly.parts.iter().flat_map(|part| part.mesh.vertices());
            vertices.flat_map(|v| v.to_array().map(f64::to_bits)).collect()
        };
        assert_eq!(bits(once), bits(&again));
        assert_eq!(*once, again);
        let mut names: Vec<&str> = once.parts.iter().map(|part| part.name.as_str()).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
    });
    assert!(assembly("no-such-thing", 1).is_none());
}

/// Two hundred poses on every leg of the paths of the study: nothing is touched on the way out, and the part
/// ends up above the bay.
#[test]
fn removals_have_a_path_out() {
    let bay = assembly("engine-bay", 1).unwrap();
    let models = models(&bay);
    for removal in engine_bay_removals() {
        let moving = bay.parts.iter().position(|part| part.name == removal.part).unwrap();
        assert_eq!(removal.path[0], bay.parts[moving].pose);
        assert!(bay.planted.iter().all(|planted| !planted.pair.iter().any(|name| name == removal.part)));
        let obstacle = |&i: &usize| i != moving && !removal.without.contains(&bay.parts[i].name.as_str());
        let others: Vec<Placed<'_>> =
            (0..models.len()).filter(obstacle).map(|i| models[i].at(bay.parts[i].pose)).collect();
        for leg in removal.path.windows(2) {
            for step in 0..200 {
                let t = f64::from(step) / 199.0;
                let [from, to] = [leg[0], leg[1]];
                let rotation = from.rotation.normalize().slerp(to.rotation.normalize(), t);
                let pose = Pose::new(rotation, from.translation.lerp(to.translation, t));
                let hit =
                    others.iter().find(|other| overlap(&models[moving].at(pose), other) == Overlap::Hit);
                assert!(hit.is_none(), "{} at {t} of {leg:?}", removal.name);
            }
        }
        let end = removal.path[removal.path.len() - 1];
        assert!(end.transform_point(DVec3::ZERO).z > 500.0);
    }
}

#[test]
fn sizes_grow_with_the_square_of_detail() {
    for name in ["engine-bay", "gearbox"] {
        let count = |detail| assembly(name, detail).unwrap().triangle_count();
        assert!((10_000..30_000).contains(&count(1)), "{name}: {}", count(1));
        assert!((8 * count(1)..10 * count(1)).contains(&count(3)));
    }
}

/// The strongest relation of any two faces, without any tree.
fn strongest_of_all_faces(a: &Part, b: &Part) -> Relation {
    let pose = RelativePose::new(&a.pose, &b.pose);
    let frame = PairFrame::new(&pose);
    let padded = |vertices: [DVec3; 3]| {
        let bounds = Aabb::from_points(vertices);
        Aabb { min: bounds.min - 1e-6, max: bounds.max + 1e-6 }
    };
    let faces_b: Vec<(Triangle, Aabb)> =
        b.mesh.iter_triangles().map(|t| (t, padded(t.vertices.map(|v| pose.transform_point(v))))).collect();
    let whole_b = faces_b.iter().fold(Aabb::EMPTY, |all, (_, bounds)| all.union(*bounds));
    let near_b = |bounds: &Aabb| bounds.overlaps(&whole_b);
    let mut strongest = Relation::Separated;
    for (face_a, bounds) in
        a.mesh.iter_triangles().map(|t| (t, padded(t.vertices))).filter(|(_, x)| near_b(x))
    {
        for (face_b, _) in faces_b.iter().filter(|(_, other)| other.overlaps(&bounds)) {
            strongest = strongest.max(TrianglePair::new(&face_a, face_b, &frame).relation());
        }
    }
    strongest
}

/// Planted clashes are those of all pairs of faces; a part inside another shares no point of its surface.
#[test]
fn planted_pairs_are_those_of_all_pairs_of_faces() {
    for listed in list() {
        let assembly = listed.make(1);
        for (i, a) in assembly.parts.iter().enumerate() {
            for b in &assembly.parts[i + 1..] {
                if a.mesh.triangle_count() * b.mesh.triangle_count() > MOST_FACE_PAIRS {
                    continue;
                }
                let expected = match assembly.expected(&a.name, &b.name) {
                    Relation::Inside => Relation::Separated,
                    relation => relation,
                };
                assert_eq!(strongest_of_all_faces(a, b), expected, "{} and {}", a.name, b.name);
            }
        }
    }
}
