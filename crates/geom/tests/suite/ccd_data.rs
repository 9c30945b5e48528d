//! Every method on published queries with symbolic ground truth (Wang et al. 2021).

use glam::DVec3;
use noli_geom::{FeatureKind, FeaturePair, FeatureQuery, Impact};
use std::path::{Path, PathBuf};

/// All queries of a folder with their truth; empty, said aloud, if there is no such data.
fn queries(folder: &str) -> Vec<(FeaturePair, bool)> {
    let mut all = Vec::new();
    if let Some(folder) = noli_testing::data(folder) {
        read_folder(&folder, &mut all);
    }
    all
}

fn read_folder(folder: &Path, all: &mut Vec<(FeaturePair, bool)>) {
    let mut entries: Vec<PathBuf> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            read_folder(&path, all);
        } else if path.extension().is_some_and(|e| e == "csv") {
            let kind = match path.parent().unwrap().file_name().unwrap().to_str() {
                Some("edge-edge") => FeatureKind::EdgeEdge,
                _ => FeatureKind::VertexFace,
            };
            let rows: Vec<Vec<f64>> = std::fs::read_to_string(&path)
                .unwrap()
                .lines()
                .map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect())
                .collect();
            for rows in rows.chunks_exact(8) {
                let point = |row: &Vec<f64>| DVec3::new(row[0] / row[1], row[2] / row[3], row[4] / row[5]);
                let points = |rows: &[Vec<f64>]| std::array::from_fn(|k| point(&rows[k]));
                let pair = FeaturePair { kind, start: points(&rows[..4]), end: points(&rows[4..]) };
                all.push((pair, rows[0][6] == 1.0));
            }
        }
    }
}

#[test]
fn the_exact_decision_is_right_on_all_published_queries() {
    let mut widest = 0.0f64;
    for (index, (pair, truth)) in queries("ccd/sample-queries").into_iter().enumerate() {
        let (fast, slow) = (pair.impact(), pair.impact_by_integers());
        assert_eq!(fast.is_hit(), truth, "query {index}: {pair:?}");
        assert_eq!(slow.is_hit(), truth, "query {index}: {pair:?}");
        if let (Impact::At { time: f, .. }, Impact::At { time: s, .. }) = (fast, slow) {
            assert!(f.safe_until <= s.touching_by && s.safe_until <= f.touching_by, "query {index}");
            widest = widest.max(f.width()).max(s.width());
        } else {
            assert_eq!(fast, slow, "query {index}");
        }
    }
    assert!(widest <= 2.0f64.powi(-27), "{widest}");
}

/// Never a miss, never late; inclusion brackets the contact to 1e-6 of the time unless the features are
/// within its tolerance long before they touch.
#[test]
fn conservative_methods_miss_nothing_on_published_queries() {
    let query = FeatureQuery::default();
    let (mut alarms, mut hits, mut bracketed) = (0, 0, 0);
    for (index, (pair, truth)) in queries("ccd/sample-queries").into_iter().enumerate() {
        let exact = pair.impact();
        let inclusion = pair.impact_by_inclusion(&query);
        for found in [inclusion, pair.impact_by_advancement(&query), pair.impact_by_additive(&query)] {
            assert!(!truth || found != Impact::Free, "query {index} missed: {pair:?}");
            assert!(found.safe_until() <= exact.safe_until() + 2.0f64.powi(-27), "query {index} late");
        }
        alarms += usize::from(!truth && inclusion != Impact::Free);
        hits += usize::from(truth);
        let covered = match (inclusion, exact) {
            (Impact::At { time, .. }, Impact::At { time: root, .. }) => {
                time.width() <= 1.001e-6 && root.safe_until <= time.touching_by
            }
            (found, exact) => found == exact,
        };
        bracketed += usize::from(truth && covered);
    }
    eprintln!("{alarms} false alarms; {bracketed} of {hits} contacts bracketed within 1e-6");
    assert!(alarms <= 130 && bracketed * 100 >= 97 * hits);
}
