//! Deforming meshes against all pairs of features, and on published frames of simulations.

use crate::common::{data, load};
use glam::{DVec3, dvec3};
use noli::deforming::{
    Deforming, deforming_impacts, first_deforming_impact, first_self_impact, self_impacts,
};
use noli::model::Features;
use noli::{Budget, Impact, Mesh, QueryContext, Scratch};
use noli_formats::benchmark_edges;
use noli_geom::{FeatureKind, FeaturePair};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Result of a pair of features, queried alone.
fn asked(a: &Deforming, b: &Deforming, features: Features) -> Impact<Features> {
    let (kind, vertices) = match features {
        Features::VertexFace { vertex, face } => {
            let [p, q, r] = b.start().triangles()[face as usize];
            (FeatureKind::VertexFace, [(a, vertex), (b, p), (b, q), (b, r)])
        }
        Features::FaceVertex { face, vertex } => {
            let [p, q, r] = a.start().triangles()[face as usize];
            (FeatureKind::VertexFace, [(b, vertex), (a, p), (a, q), (a, r)])
        }
        Features::EdgeEdge { a: [p, q], b: [r, s] } => {
            (FeatureKind::EdgeEdge, [(a, p), (a, q), (b, r), (b, s)])
        }
    };
    let start = vertices.map(|(mesh, v)| mesh.start().vertices()[v as usize]);
    let end = vertices.map(|(mesh, v)| mesh.end().vertices()[v as usize]);
    FeaturePair { kind, start, end }.impact().with_touch(features)
}

/// All pairs of features, of two meshes or of one.
fn all_features(a: &Mesh, b: &Mesh, same: bool) -> Vec<Features> {
    let mut all = Vec::new();
    for (face, corners) in b.triangles().iter().enumerate() {
        let vertices = used_vertices(a).into_iter().filter(|v| !same || !corners.contains(v));
        all.extend(vertices.map(|vertex| Features::VertexFace { vertex, face: face as u32 }));
    }
    if !same {
        for face in 0..a.triangles().len() as u32 {
            all.extend(used_vertices(b).into_iter().map(|vertex| Features::FaceVertex { face, vertex }));
        }
    }
    let (of_a, of_b) = (benchmark_edges(a), benchmark_edges(b));
    for &e in &of_a {
        let others = of_b.iter().filter(|d| !same || (e < **d && !d.contains(&e[0]) && !d.contains(&e[1])));
        all.extend(others.map(|&d| Features::EdgeEdge { a: e, b: d }));
    }
    all
}

fn used_vertices(mesh: &Mesh) -> BTreeSet<u32> {
    mesh.triangles().iter().flatten().copied().collect()
}

fn named(impacts: Vec<Impact<Features>>) -> BTreeMap<Features, Impact<Features>> {
    let name = |impact: &Impact<Features>| match impact {
        Impact::AtStart(touch) | Impact::At { touch, .. } => Some(*touch),
        _ => None,
    };
    let count = impacts.len();
    let all: BTreeMap<_, _> = impacts.into_iter().filter_map(|i| Some((name(&i)?, i))).collect();
    assert_eq!(all.len(), count, "each pair once");
    all
}

/// Two soups of triangles with shared vertices, on a coarse grid or anywhere.
fn soup(vertices: usize, faces: usize) -> impl Strategy<Value = (Mesh, Vec<DVec3>)> {
    let coordinate = prop_oneof![(-3..=3i32).prop_map(f64::from), -3.0..3.0f64];
    let point = prop::array::uniform3(coordinate).prop_map(DVec3::from_array);
    let number = 0..vertices as u32;
    (
        prop::collection::vec(point.clone(), vertices),
        prop::collection::vec(prop::array::uniform3(number), faces),
        prop::collection::vec(point, vertices),
    )
        .prop_map(|(start, triangles, moves)| {
            let end = start.iter().zip(moves).map(|(p, m)| *p + m * 0.25).collect();
            (Mesh::from_triangles(start, triangles, &Default::default()).unwrap(), end)
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn one_mesh_against_all_pairs((mesh, end) in soup(14, 12)) {
        let moving = Deforming::new(&mesh, end).unwrap();
        let truth = all_features(&mesh, &mesh, true).into_iter().map(|f| asked(&moving, &moving, f));
        let truth = named(truth.filter(Impact::is_hit).collect());
        let found: Vec<Features> = named(self_impacts(&moving)).into_keys().collect();
        prop_assert_eq!(found, truth.keys().copied().collect::<Vec<_>>());
        let first = first_self_impact(&moving);
        prop_assert_eq!(first.is_hit(), !truth.is_empty());
        let earliest = truth.values().map(Impact::safe_until).fold(1.0, f64::min);
        prop_assert_eq!(first.safe_until(), earliest);
    }

    #[test]
    fn two_meshes_against_all_pairs((a, end_a) in soup(8, 6), (b, end_b) in soup(8, 6)) {
        let (moving_a, moving_b) = (Deforming::new(&a, end_a).unwrap(), Deforming::new(&b, end_b).unwrap());
        let truth = all_features(&a, &b, false).into_iter().map(|f| asked(&moving_a, &moving_b, f));
        let truth = named(truth.filter(Impact::is_hit).collect());
        let found = named(deforming_impacts(&moving_a, &moving_b));
        prop_assert_eq!(&found, &truth);
        let first = first_deforming_impact(&moving_a, &moving_b);
        prop_assert_eq!(first.is_hit(), !truth.is_empty());
        let earliest = truth.values().map(Impact::safe_until).fold(1.0, f64::min);
        prop_assert_eq!(first.safe_until(), earliest);
    }

    /// However few steps: never later than the truth, and a contact only where there is one.
    #[test]
    fn any_budget_is_safe((mesh, end) in soup(14, 12), steps in 0..60u64) {
        let moving = Deforming::new(&mesh, end).unwrap();
        let full = first_self_impact(&moving);
        let mut scratch = Scratch::default();
        let short = QueryContext::new(&mut scratch).with_budget(Budget::default().steps(steps)).first_self_impact(&moving);
        prop_assert!(short.safe_until() <= full.safe_until());
        match (short, full) {
            (Impact::Free, full) => prop_assert_eq!(full, Impact::Free),
            (Impact::At { time, .. }, Impact::At { time: last, .. }) => {
                prop_assert!(last.touching_by <= time.touching_by);
            }
            (found, full) => prop_assert!(!found.is_hit() || full.is_hit()),
        }
    }
}

#[test]
fn empty_meshes_touch_nothing() {
    let empty = Deforming::new(&Mesh::empty(), Vec::new()).unwrap();
    assert_eq!(first_self_impact(&empty), Impact::Free);
    assert_eq!(first_deforming_impact(&empty, &empty), Impact::Free);
    assert!(self_impacts(&empty).is_empty());
}

#[test]
fn the_end_must_fit() {
    let square =
        Mesh::from_triangles(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]], &Default::default());
    let square = square.unwrap();
    assert!(Deforming::new(&square, vec![DVec3::ZERO]).is_err());
    assert!(Deforming::new(&square, vec![DVec3::ZERO, DVec3::X, dvec3(0.0, f64::NAN, 0.0)]).is_err());
}

/// A step of a simulation: every collision that is listed is found from the two meshes alone, in time.
fn check_scene(name: &str, frames: [&str; 2], lists: &str) {
    let Some(folder) = data(&format!("ccd/scalable-ccd/{name}")) else { return };
    let [start, end] = frames.map(|frame| load(&folder.join("frames").join(frame)));
    let edges = benchmark_edges(&start);
    let clock = std::time::Instant::now();
    let moving = Deforming::new(&start, end.vertices().to_vec()).unwrap();
    let built = clock.elapsed();
    let first = first_self_impact(&moving);
    let asked = clock.elapsed();
    let found = named(self_impacts(&moving));
    eprintln!(
        "{name}: prepared in {built:.1?}, first impact in {:.1?}, all {} in {:.1?}",
        asked - built,
        found.len(),
        clock.elapsed() - asked
    );
    let (vertices, edge_count) = (start.vertices().len() as u32, edges.len() as u32);
    let mut earliest = f64::INFINITY;
    for kind in ["vf", "ee"] {
        let json = |folder: &str, ending: &str| -> serde_json::Value {
            let path = Path::new(folder).join(format!("{lists}{kind}{ending}"));
            serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
        };
        let pairs = json(folder.join("boxes").to_str().unwrap(), ".json");
        let truth = json(folder.join("mma_bool").to_str().unwrap(), "_mma_bool.json");
        let times = times(&folder.join(format!("toi/{lists}{kind}_toi.csv")));
        for (index, pair) in pairs.as_array().unwrap().iter().enumerate() {
            if truth[index] != true {
                continue;
            }
            let [p, q] = [0, 1].map(|k| pair[k].as_u64().unwrap() as u32);
            let features = if kind == "vf" {
                Features::VertexFace { vertex: p, face: q - vertices - edge_count }
            } else {
                let [e, d] = [p, q].map(|id| edges[(id - vertices) as usize]);
                Features::EdgeEdge { a: e.min(d), b: e.max(d) }
            };
            let Some(impact) = found.get(&features) else { panic!("{name}: {kind} {index} not found") };
            if let Some(&time) = times.get(&index) {
                assert!(impact.safe_until() <= time, "{name}: {kind} {index} late");
                earliest = earliest.min(time);
            }
        }
    }
    assert!(first.safe_until() <= earliest);
}

/// Reference times of impact by query, where there are any.
fn times(path: &Path) -> BTreeMap<usize, f64> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let row = |line: &str| {
        let mut cells = line.split(',');
        Some((cells.next()?.parse().ok()?, cells.next()?.parse::<f64>().ok()?.next_up()))
    };
    text.lines().filter_map(row).collect()
}

#[test]
fn published_cloth_in_a_funnel() {
    check_scene("cloth-funnel", ["227.ply", "228.ply"], "227");
}

#[test]
fn published_armadillo_between_rollers() {
    check_scene("armadillo-rollers", ["326.ply", "327.ply"], "326");
}

#[test]
fn published_cloth_on_a_sphere() {
    check_scene("cloth-ball", ["cloth_ball92.ply", "cloth_ball93.ply"], "92");
}
