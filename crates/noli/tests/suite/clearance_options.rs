//! Limits and tolerances of a clearance widen its bracket as far as they allow, and no further.

use crate::common::{mesh, model};
use noli::query::{ClearanceQuery, Tolerance};
use noli::{Clearance, Model, Pose, QueryContext, Scratch, clearance};
use noli_scenes::{SplitMix64, bumpy_sphere, torus};

/// Random pairs, most of them apart, with their full answer.
fn for_each_pair(mut check: impl FnMut(&dyn Fn(&ClearanceQuery) -> Clearance, &Clearance, f64)) {
    let mut rng = SplitMix64::new(31);
    let bodies: [Model; 3] =
        [bumpy_sphere(6, 0.3), torus(1.0, 0.3, 20, 10), bumpy_sphere(3, 2.0)].map(|set| model(&mesh(set)));
    for number in 0..150 {
        let pose = Pose::new(rng.rotation(), rng.direction() * rng.between(1.7, 3.5));
        let (a, b) = (bodies[number % 3].at(Pose::IDENTITY), bodies[number / 3 % 3].at(pose));
        let context =
            |query: &ClearanceQuery| QueryContext::new(&mut Scratch::default()).clearance(&a, &b, query);
        check(&context, &clearance(&a, &b), rng.unit());
    }
}

/// A bracket widened by rounding alone.
const ROUNDING: f64 = 1e-14;

/// With a tolerance the bracket holds the full one and is at most that much wider.
#[test]
fn tolerance_bounds_the_width() {
    let mut wider = 0;
    for_each_pair(|context, full, share| {
        for tolerance in [1e-6, 1e-3, 0.1, 0.5].map(|length| length * (0.5 + share)) {
            let found =
                context(&ClearanceQuery { tolerance: Tolerance::Length(tolerance), ..Default::default() });
            assert!(
                found.distance.at_least <= full.distance.at_least + ROUNDING,
                "{tolerance}: {found:?} {full:?}"
            );
            assert!(
                found.distance.at_most >= full.distance.at_most - ROUNDING,
                "{tolerance}: {found:?} {full:?}"
            );
            assert!(
                found.distance.at_most - found.distance.at_least <= tolerance + ROUNDING,
                "{tolerance}: {found:?}"
            );
            assert_eq!(
                found.distance.at_most == 0.0,
                full.distance.at_most == 0.0,
                "{tolerance}: {found:?} {full:?}"
            );
            wider += usize::from(found.distance.at_most - found.distance.at_least > tolerance * 0.01);
        }
    });
    assert!(wider > 20, "only {wider} answers made use of the tolerance");
}

/// Within the limit the answer is the full one; beyond it, it starts at the limit.
#[test]
fn beyond_the_limit_only_the_limit_is_known() {
    let mut beyond = 0;
    for_each_pair(|context, full, share| {
        for max_distance in
            [0.0, full.distance.at_least * share, full.distance.at_most, full.distance.at_most * 1.01, 10.0]
        {
            let found = context(&ClearanceQuery { max_distance, ..Default::default() });
            assert!(
                found.distance.at_least <= full.distance.at_least + ROUNDING,
                "{max_distance}: {found:?} {full:?}"
            );
            assert!(
                found.distance.at_most >= full.distance.at_most - ROUNDING,
                "{max_distance}: {found:?} {full:?}"
            );
            if max_distance >= full.distance.at_most {
                assert!(
                    found.distance.at_most - found.distance.at_least <= ROUNDING,
                    "{max_distance}: {found:?} {full:?}"
                );
            } else {
                assert!(found.distance.at_least >= max_distance, "{max_distance}: {found:?} {full:?}");
                beyond += 1;
            }
        }
    });
    assert!(beyond > 100, "only {beyond} pairs lay beyond the limit");
}
