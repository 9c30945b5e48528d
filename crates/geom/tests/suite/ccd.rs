//! Feature queries against each other: integers, filters and inclusion, on random and degenerate motions.

use glam::{DVec3, dvec3};
use noli_geom::{
    FeatureKind, FeaturePair, FeatureQuery, Impact, PairFrame, RelativePose, Triangle, TrianglePair,
};
use proptest::prelude::*;

fn kind() -> impl Strategy<Value = FeatureKind> {
    prop_oneof![Just(FeatureKind::VertexFace), Just(FeatureKind::EdgeEdge)]
}

/// Coordinates on a coarse grid: coplanar, collinear, coincident and resting points are common.
fn on_grid() -> impl Strategy<Value = FeaturePair> {
    let point = || prop::array::uniform3(-2i32..=2).prop_map(|p| DVec3::from_array(p.map(f64::from)));
    let points = || prop::array::uniform4(point());
    let flat = (0..4usize, 0..5usize);
    (kind(), points(), points(), flat).prop_map(|(kind, start, end, (axis, rest))| {
        let mut pair = FeaturePair { kind, start, end };
        if axis < 3 {
            for p in pair.start.iter_mut().chain(&mut pair.end) {
                p[axis] = 0.0;
            }
        }
        if rest < 4 {
            pair.end[rest] = pair.start[rest];
        }
        pair
    })
}

/// Points of a grid, some of them off it by so little that products of it vanish.
fn hardly_off_a_grid() -> impl Strategy<Value = FeaturePair> {
    let little = prop::sample::select(vec![5e-324, -5e-324, 1e-310, -3e-315]);
    let moved = prop::collection::vec((0..8usize, 0..3usize, little), 1..4);
    (on_grid(), moved).prop_map(|(mut pair, moved)| {
        for (point, axis, little) in moved {
            let points = if point < 4 { &mut pair.start } else { &mut pair.end };
            points[point % 4][axis] = little;
        }
        pair
    })
}

/// Coordinates anywhere; about half of the pairs meet.
fn anywhere() -> impl Strategy<Value = FeaturePair> {
    let point = || prop::array::uniform3(-1.0..1.0f64).prop_map(DVec3::from_array);
    let points = || prop::array::uniform4(point());
    (kind(), points(), points()).prop_map(|(kind, start, end)| FeaturePair { kind, start, end })
}

/// Pairs that meet at time 1/2 exactly: at a vertex, on an edge or inside, at any speed.
fn meeting() -> impl Strategy<Value = FeaturePair> {
    let grid = |n: i32| prop::array::uniform3(-n..=n).prop_map(|p| DVec3::from_array(p.map(f64::from)));
    let weights = (0..=4i32, 0..=4i32).prop_map(|(u, w)| (f64::from(u) / 4.0, f64::from(w) / 4.0));
    let speeds = prop::array::uniform4(grid(3));
    (kind(), prop::array::uniform4(grid(8)), speeds, weights).prop_map(|(kind, mut p, v, (u, w))| {
        match kind {
            FeatureKind::VertexFace => {
                let w = w * (1.0 - u);
                p[0] = p[1] + u * (p[2] - p[1]) + w * (p[3] - p[1]);
            }
            // The last point is moved so that the second edge passes through a point of the first.
            FeatureKind::EdgeEdge => {
                let on_first = p[0] + u * (p[1] - p[0]);
                p[3] = if w == 0.0 { p[3] } else { p[2] + 4.0 * (on_first - p[2]) };
                if w == 0.0 {
                    p[2] = on_first;
                }
            }
        }
        let start = std::array::from_fn(|k| p[k] - v[k]);
        let end = std::array::from_fn(|k| p[k] + v[k]);
        FeaturePair { kind, start, end }
    })
}

/// Pairs that meet at time 1/2 but for some units in the last place, far from the origin or not.
fn nearly_meeting() -> impl Strategy<Value = FeaturePair> {
    let nudges = prop::array::uniform8(prop::array::uniform3(-3i64..=3));
    let factor = prop_oneof![Just(1.0), Just(0.1), Just(1.0 / 3.0)];
    let offset = prop_oneof![Just(0.0), Just(0.7), Just(1e3), Just(1e9)];
    (meeting(), nudges, factor, offset).prop_map(|(pair, nudges, factor, offset)| {
        let nudged = |p: DVec3, by: [i64; 3]| {
            let at = p * factor + DVec3::splat(offset);
            DVec3::from_array(std::array::from_fn(|k| {
                at[k] + by[k] as f64 * f64::EPSILON * at[k].abs() / 2.0
            }))
        };
        FeaturePair {
            start: std::array::from_fn(|k| nudged(pair.start[k], nudges[k])),
            end: std::array::from_fn(|k| nudged(pair.end[k], nudges[k + 4])),
            ..pair
        }
    })
}

fn bracket(impact: Impact) -> Option<(f64, f64)> {
    match impact {
        Impact::AtStart(()) => Some((0.0, 0.0)),
        Impact::At { time, .. } => Some((time.safe_until, time.touching_by)),
        _ => None,
    }
}

/// Asserts the relations between the methods on any valid pair.
fn agree(pair: &FeaturePair) -> Result<(), TestCaseError> {
    let slow = pair.impact_by_integers();
    let fast = pair.impact();
    prop_assert_eq!(fast.is_hit(), slow.is_hit());
    let known = !matches!(fast, Impact::Unknown { .. });
    prop_assert!(known);
    let query = FeatureQuery::default();
    let guarded = pair.impact_by_inclusion(&query);
    if let (Some((f0, f1)), Some((s0, s1))) = (bracket(fast), bracket(slow)) {
        prop_assert!(f0 <= s1 && s0 <= f1, "{:?} {:?}", fast, slow);
        prop_assert!(f1 - f0 <= 2.0f64.powi(-27) && s1 - s0 <= 1e-14);
        for found in [guarded, pair.impact_by_advancement(&query), pair.impact_by_additive(&query)] {
            prop_assert!(found != Impact::Free);
            prop_assert!(found.safe_until() <= s1, "late: {:?} after {:?}", found, slow);
        }
    }
    Ok(())
}

/// Asserts that no contact on a grid of small numbers was missed or made up: such near misses are wider than
/// the tolerance.
fn same_verdict(pair: &FeaturePair) -> Result<(), TestCaseError> {
    agree(pair)?;
    let guarded = pair.impact_by_inclusion(&FeatureQuery::default());
    // Where a triangle closes to a line as it is met, the budget of the method may not suffice.
    let open = matches!(guarded, Impact::Unknown { .. });
    prop_assert!(open || guarded.is_hit() == pair.impact().is_hit(), "{:?}", guarded);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2500))]

    #[test]
    fn methods_agree_on_a_grid(pair in on_grid()) {
        same_verdict(&pair)?;
    }

    #[test]
    fn methods_agree_anywhere(pair in anywhere()) {
        agree(&pair)?;
    }

    #[test]
    fn methods_agree_hardly_off_a_grid(pair in hardly_off_a_grid()) {
        agree(&pair)?;
    }

    #[test]
    fn methods_agree_within_a_hair_of_contact(pair in nearly_meeting()) {
        agree(&pair)?;
    }

    #[test]
    fn a_meeting_is_never_missed(pair in meeting()) {
        prop_assert!(pair.impact().is_hit());
        prop_assert!(pair.impact().safe_until() <= 0.5);
        agree(&pair)?;
    }

    #[test]
    fn swapping_the_roles_changes_nothing(pair in on_grid()) {
        let order = match pair.kind {
            FeatureKind::VertexFace => [0, 2, 3, 1],
            FeatureKind::EdgeEdge => [2, 3, 1, 0],
        };
        let swapped = FeaturePair {
            start: order.map(|k| pair.start[k]),
            end: order.map(|k| pair.end[k]),
            ..pair
        };
        let (a, b) = (bracket(pair.impact()), bracket(swapped.impact()));
        prop_assert_eq!(a.is_some(), b.is_some());
        if let (Some(a), Some(b)) = (a, b) {
            prop_assert!(a.0 <= b.1 && b.0 <= a.1);
        }
    }

    /// Brackets are times: scaling by a power of two changes no bit of them.
    #[test]
    fn scaling_changes_nothing(pair in prop_oneof![on_grid(), anywhere()], exponent in -280..280i32) {
        let factor = 2.0f64.powi(exponent);
        let scaled = FeaturePair {
            start: pair.start.map(|p| p * factor),
            end: pair.end.map(|p| p * factor),
            ..pair
        };
        prop_assert_eq!(scaled.impact(), pair.impact());
        let query = FeatureQuery { margin: 0.125, ..Default::default() };
        let scaled_query = FeatureQuery { margin: 0.125 * factor, ..query };
        prop_assert_eq!(scaled.impact_by_inclusion(&query.without_margin()),
            pair.impact_by_inclusion(&query.without_margin()));
        prop_assert_eq!(scaled.impact_by_inclusion(&scaled_query), pair.impact_by_inclusion(&query));
    }

    /// However few steps: free until `safe_until`, and more steps never take that back.
    #[test]
    fn any_budget_is_safe(pair in prop_oneof![on_grid(), anywhere(), meeting()], steps in 0..40u32) {
        let full = FeatureQuery::default();
        let short = FeatureQuery { steps, ..full };
        let (known, last) = (pair.impact_by_inclusion(&short), pair.impact_by_inclusion(&full));
        match known {
            Impact::Unknown { safe_until } => prop_assert!(safe_until <= last.safe_until()),
            other => prop_assert_eq!(other, last),
        }
    }

    /// Before `safe_until` the distance exceeds the margin, and there it is used up but for the tolerance.
    #[test]
    fn a_margin_is_kept(pair in anywhere(), margin in 0.0..0.5f64) {
        let query = FeatureQuery { margin, ..Default::default() };
        let impact = pair.impact_by_inclusion(&query);
        let until = impact.safe_until();
        for k in 0..=20 {
            let time = until * f64::from(k) / 20.0;
            let found = distance(&pair, time);
            let kept = found >= margin * (1.0 - 1e-9) || impact == Impact::AtStart(());
            prop_assert!(kept, "{} at {}", found, time);
        }
        if let Impact::At { time, .. } = impact {
            prop_assert!(distance(&pair, time.safe_until) <= margin + 2e-6 * 2.0);
        }
    }
}

/// The distance at a time, as that of two triangles, of which edges and vertices are special ones.
fn distance(pair: &FeaturePair, time: f64) -> f64 {
    let [p, q, r, s] = pair.at(time);
    let (a, b) = match pair.kind {
        FeatureKind::VertexFace => (Triangle::new(p, p, p), Triangle::new(q, r, s)),
        FeatureKind::EdgeEdge => (Triangle::new(p, q, q), Triangle::new(r, s, s)),
    };
    TrianglePair::new(&a, &b, &PairFrame::new(&RelativePose::identity())).distance().at_most
}

#[test]
fn what_is_not_a_number_is_unknown() {
    let fine = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    for bad in [f64::NAN, f64::INFINITY, 1e200] {
        let mut end = fine;
        end[2].y = bad;
        for pair in [FeaturePair::vertex_face(fine, end), FeaturePair::edge_edge(end, fine)] {
            assert_eq!(pair.impact(), Impact::Unknown { safe_until: 0.0 });
            assert_eq!(
                pair.impact_by_inclusion(&FeatureQuery::default()),
                Impact::Unknown { safe_until: 0.0 }
            );
        }
    }
}

/// Contacts that come and go within 1e-12 of the step, and times down to the smallest.
#[test]
fn extreme_times() {
    let floor = [dvec3(-1.0, -1.0, 0.0), dvec3(1.0, -1.0, 0.0), dvec3(0.0, 1.0, 0.0)];
    let vertex = |z| [dvec3(0.0, 0.0, z), floor[0], floor[1], floor[2]];
    for (above, below) in [(1.0, -1e-290), (1e-290, -1.0), (1e-80, -1e80), (1e80, -1e-80)] {
        let pair = FeaturePair::vertex_face(vertex(above), vertex(below));
        let Impact::At { time, .. } = pair.impact() else { panic!("{above} {below}") };
        let truth = above / (above - below);
        assert!(
            time.safe_until <= truth.next_up() && truth.next_down() <= time.touching_by,
            "{time:?} {truth}"
        );
        assert!(time.width() <= 2.0f64.powi(-27));
    }
    assert_eq!(FeaturePair::vertex_face(vertex(1.0), vertex(0.0)).impact().safe_until(), 1.0);
    assert_eq!(FeaturePair::vertex_face(vertex(0.0), vertex(1.0)).impact(), Impact::AtStart(()));
    assert_eq!(FeaturePair::vertex_face(vertex(1.0), vertex(1e-300)).impact(), Impact::Free);
}
