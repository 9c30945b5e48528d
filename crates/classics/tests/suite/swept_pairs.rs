//! Boxes swept along a motion lose no pair of triangles.

use crate::common::{merged, mesh, model};
use glam::DVec3;
use noli::motion::{Still, SweptBox};
use noli::{Model, Pose, crossings};
use noli_classics::swept_pairs;
use noli_scenes::{SplitMix64, bumpy_sphere, cuboid, random_motion, tetrahedron};

fn small_models() -> Vec<Model> {
    let blade = cuboid(DVec3::new(1.0, 0.01, 0.2));
    let peg = cuboid(DVec3::new(0.02, 0.02, 1.0));
    [tetrahedron(), blade, peg, bumpy_sphere(4, 0.3), merged([tetrahedron(), cuboid(DVec3::splat(0.3))])]
        .map(|set| model(&mesh(set)))
        .into()
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
            for crossing in crossings(&a.at(t), &b.at(t)) {
                let pair = (crossing.triangle_a, crossing.triangle_b);
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
