//! Separating planes against exact clearance.

use crate::cell::cover::Cover;
use crate::cell::filter::U;
use crate::cell::filter::hulls::{Hull, Vertices, parted};
use crate::cell::shares;
use glam::{DQuat, DVec3};
use noli::internals::{Instructions, Simd, Task, dispatch};
use noli::{Convex, Model, Pose};

struct Parting<'a> {
    hulls: [&'a Hull; 2],
    /// Of both, and how far the second one is turned about z.
    shifts: [[f32; 3]; 2],
    angle: f32,
    more: f32,
}

impl Task for Parting<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> bool {
        let [a, b] = self.shifts;
        let (sin, cos) = self.angle.sin_cos();
        let turns = [
            [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            [[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]],
        ];
        let between = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
        let places = [Some((turns[0], a)), Some((turns[1], b))];
        parted(s, (self.hulls[0], &places[0]), (self.hulls[1], &places[1]), between, self.more)
    }
}

/// A plane is found between most boxes, drums and capsules that are apart, and never between those that are not.
#[test]
fn planes_part_only_what_is_apart() {
    let bodies = [
        Convex::cuboid(DVec3::new(0.3, 0.1, 0.2)).unwrap(),
        Convex::cylinder(0.4, 0.15).unwrap(),
        Convex::capsule(0.5, 0.1).unwrap(),
    ];
    let models = bodies.map(|body| Model::new(body).unwrap());
    let error = 96.0 * 2.0 * U * 4.0;
    let hull = |model: &Model| {
        let cover = Cover::new(model, &Pose::IDENTITY);
        let vertices: Vertices<'_> = cover.vertices.as_ref().map(|(all, radius)| (&all[..], *radius));
        Hull::new(&[vertices], |vertex| vertex, error).unwrap()
    };
    let hulls = [0, 1, 2].map(|k| hull(&models[k]));
    let mut share = shares(7);
    let (mut separated, mut found) = (0, 0);
    for k in 0..6000 {
        let [a, b] = [k % 3, k / 3 % 3];
        let mut place = || [0.0; 3].map(|_: f64| (share() - 0.5) as f32 * 1.2);
        let shifts = [place(), place()];
        let (angle, more) = (share() as f32 * 6.0, if k % 2 == 0 { 0.0 } else { 0.05 * share() as f32 });
        let parts = [Instructions::Portable, Instructions::best()].map(|instructions| {
            let hulls = [&hulls[a], &hulls[b]];
            dispatch(instructions, Parting { hulls, shifts, angle, more })
        });
        assert_eq!(parts[0], parts[1], "the same on every machine");
        let at = |shift: [f32; 3]| DVec3::from_array(shift.map(f64::from));
        let (sin, cos) = angle.sin_cos();
        let turn = DQuat::from_rotation_z(f64::from(sin).atan2(f64::from(cos)));
        let places = [Pose::from_translation(at(shifts[0])), Pose::new(turn, at(shifts[1]))];
        let clearance = noli::clearance(&models[a].at(places[0]), &models[b].at(places[1])).distance;
        if parts[0] {
            assert!(clearance.at_most > f64::from(more), "{a} and {b} at {places:?} are {clearance:?} apart");
            found += 1;
        }
        separated += usize::from(clearance.at_least > f64::from(more) + 0.01);
    }
    assert!(separated > 2000 && 20 * found > 17 * separated, "{found} of {separated}");
}
