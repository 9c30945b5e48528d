//! Building elements, most of which touch, against an independent exact answer.

use crate::common::{brute_meetings, count_intersections, data, model, rows, strongest};
use noli::{Model, Overlap, Pose, Relation, overlap, relation};
use noli_formats::{ReadOptions, read_objects};
use std::collections::HashMap;
use std::path::Path;

fn objects(path: &Path) -> HashMap<String, Model> {
    let file = read_objects(path, &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    file.objects.into_iter().map(|object| (object.name, model(&object.mesh))).collect()
}

/// Every listed pair meets exactly if CGAL says so; the relation and the number of meeting faces are those
/// of all pairs of faces.
#[test]
fn verdicts_equal_the_exact_reference() {
    let Some(folder) = data("ifc") else { return };
    for (name, pairs, meeting) in [("pcert-building", 104, 75), ("largebuilding", 227, 186)] {
        let objects = objects(&folder.join(format!("{name}.obj")));
        let rows = rows(&folder.join(format!("{name}-ref-pairs.csv")), 1);
        assert_eq!(rows.len(), pairs);
        let mut counts: HashMap<Relation, usize> = HashMap::new();
        for row in &rows {
            let (a, b) = (objects[&row[0]].at(Pose::IDENTITY), objects[&row[1]].at(Pose::IDENTITY));
            let found = relation(&a, &b);
            assert_eq!(found.overlap(), if row[2] == "1" { Overlap::Hit } else { Overlap::Free }, "{row:?}");
            assert_eq!(overlap(&a, &b), found.overlap());
            assert_eq!(overlap(&b, &a), found.overlap());
            assert_eq!(relation(&b, &a), found);
            let all = brute_meetings(&a, &b);
            assert_eq!(found, strongest(&all).into(), "{row:?}");
            assert_eq!(count_intersections(&a, &b), all.len() as u64, "{row:?}");
            *counts.entry(found).or_default() += 1;
        }
        eprintln!("{name}: {counts:?}");
        assert_eq!(pairs - counts[&Relation::Separated], meeting);
    }
}
