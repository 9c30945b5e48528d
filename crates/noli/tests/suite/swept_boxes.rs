//! Boxes swept along a motion lose no pair of triangles.

use crate::common::small_models;
use noli::motion::{Still, SweptBox};
use noli::{Moving, Pose, intersections};
use noli_geom::{Aabb, Sphere, UNIT_ROUNDOFF};
use noli_scenes::{SplitMix64, random_motion};

/// A box around the places of each triangle of a body.
fn swept_triangles(body: &Moving<'_>, span: (f64, f64), kind: SweptBox) -> Vec<Aabb> {
    let mesh = body.model.mesh().expect("a mesh");
    let swept = |face| {
        let own = mesh.triangle(face).aabb();
        let center = own.center();
        let radius = (own.max - center).max(center - own.min).length() * (1.0 + 8.0 * UNIT_ROUNDOFF);
        kind.around(&own, &Sphere { center, radius }, body.motion, span)
    };
    (0..mesh.triangle_count() as u32).map(swept).collect()
}

/// All pairs of triangles whose swept boxes overlap, in order.
fn swept_pairs(a: &Moving<'_>, b: &Moving<'_>, span: (f64, f64), kind: SweptBox) -> Vec<(u32, u32)> {
    let [boxes_a, boxes_b] = [a, b].map(|body| swept_triangles(body, span, kind));
    let pairs = (0..boxes_a.len()).flat_map(|i| (0..boxes_b.len()).map(move |j| (i, j)));
    let overlapping = pairs.filter(|&(i, j)| boxes_a[i].overlaps(&boxes_b[j]));
    overlapping.map(|(i, j)| (i as u32, j as u32)).collect()
}

/// Every pair of triangles that meets at a sampled time is among those whose swept boxes meet, whichever way these are made.
#[test]
fn swept_boxes_lose_no_pair() {
    let models = small_models();
    let mut random = SplitMix64::new(21);
    let (mut meeting, mut pruned) = (0, 0);
    for case in 0..40 {
        let motion = random_motion(&mut random, 8.0);
        let still = Still(Pose::from_rotation(random.rotation()));
        let (a, b) = (models[case % 5].moving(&still), models[(case / 5) % 5].moving(&motion));
        // Now the whole motion, now a short piece of it.
        let span = if case % 2 == 0 { (0.0, 1.0) } else { (0.6, 0.65) };
        let lists =
            [SweptBox::Chord, SweptBox::Reach, SweptBox::Both].map(|kind| swept_pairs(&a, &b, span, kind));
        assert!(lists[2].len() <= lists[0].len().min(lists[1].len()), "case {case}");
        let all = a.model.mesh().unwrap().triangle_count() * b.model.mesh().unwrap().triangle_count();
        pruned += usize::from(lists[2].len() < all / 2);
        for k in 0..=40 {
            let t = span.0 + (span.1 - span.0) * f64::from(k) / 40.0;
            for intersection in intersections(&a.at(t), &b.at(t)) {
                let pair = (intersection.triangle_a, intersection.triangle_b);
                assert!(
                    lists.iter().all(|list| list.binary_search(&pair).is_ok()),
                    "case {case}, {t}: {pair:?}"
                );
                meeting += 1;
            }
        }
    }
    assert!(meeting > 1000 && pruned > 5, "{meeting} {pruned}");
}
