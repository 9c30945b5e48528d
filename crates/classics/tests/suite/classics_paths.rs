//! Contact along a path by the classics, against the guaranteed answer.

use crate::common::{mesh, model, shift};
use glam::{DVec3, dvec3};
use noli::motion::{Motion, RigidMotion, Still};
use noli::{Budget, Impact, Mesh, Overlap, Pose, overlap, time_of_impact};
use noli_classics::{
    HalfSpaceBody, Polyhedron, Trajectory, backtracked_contact, rotation_contact, translation_contact,
};
use noli_scenes::SplitMix64;

fn bodies() -> [Mesh; 3] {
    [
        mesh(noli_scenes::cuboid(dvec3(0.6, 0.4, 0.2))).into_solid(),
        mesh(noli_scenes::icosphere(1).map_vertices(|p| p * 0.6)).into_solid(),
        mesh(noli_scenes::torus(0.6, 0.2, 10, 6)).into_solid(),
    ]
}

/// The closed form agrees with the guaranteed answer, and exact tests just before and after the contact agree with
/// both. Whether there was a contact.
#[track_caller]
fn agrees(found: Trajectory, a: &Mesh, motion: &dyn Motion, b: &Mesh, still: &Pose) -> bool {
    let (a, b, still) = (model(a), model(b), Still(*still));
    let truth = time_of_impact(&a.moving(motion), &b.moving(&still));
    match (found, truth) {
        (Trajectory::Free, Impact::Free) | (Trajectory::AtStart, Impact::AtStart(_)) => false,
        (Trajectory::At { share, .. }, Impact::At { time, .. }) => {
            assert!(share >= time.safe_until - 1e-9, "{share} {time:?}");
            let meet = |t: f64| overlap(&a.at(motion.pose(t)), &b.at(still.0)) == Overlap::Hit;
            assert!(!meet(share - 1e-9) && meet(share + 1e-9), "{share} {time:?}");
            true
        }
        // A graze within the tolerance of the guaranteed answer is no contact in closed form.
        (Trajectory::Free, Impact::At { touch, .. }) if !touch.proven => false,
        (found, truth) => panic!("{found:?} is not {truth:?}"),
    }
}

#[test]
fn straight_paths_end_where_the_guaranteed_answer_says() {
    let (meshes, mut random, mut contacts) = (bodies(), SplitMix64::new(17), 0);
    for round in 0..54 {
        let (a, b) = (&meshes[round % 3], &meshes[round / 3 % 3]);
        let start = Pose::new(random.rotation(), random.direction() * random.between(1.4, 2.5));
        let still = Pose::new(random.rotation(), random.direction() * 0.3);
        let path = -start.translation * random.between(0.5, 2.0) + random.direction() * 0.5;
        let found = translation_contact(
            (&Polyhedron::new(a), &start),
            (&Polyhedron::new(b), &still),
            path,
            &Budget::default(),
        );
        let motion = RigidMotion::with_velocities(&start, path, DVec3::ZERO, DVec3::ZERO);
        contacts += u32::from(agrees(found.unwrap(), a, &motion, b, &still));
    }
    assert!(contacts > 12, "{contacts}");
}

#[test]
fn circular_paths_end_where_the_guaranteed_answer_says() {
    let (meshes, mut random, mut contacts) = (bodies(), SplitMix64::new(19), 0);
    for round in 0..54 {
        let (a, b) = (&meshes[round % 3], &meshes[round / 3 % 3]);
        let start = Pose::new(random.rotation(), random.direction() * random.between(1.4, 2.5));
        let still = Pose::new(random.rotation(), random.direction() * 0.3);
        // About a point between the two, so that half a turn leads from one to the other.
        let point = start.translation * 0.5 + random.direction() * 0.3;
        let axis = start.translation.cross(random.direction());
        let angle = random.between(-4.0, 4.0);
        let found = rotation_contact(
            (&Polyhedron::new(a), &start),
            (&Polyhedron::new(b), &still),
            (point, axis),
            angle,
            &Budget::default(),
        );
        let motion = RigidMotion::screw(&start, point, axis, angle, 0.0);
        contacts += u32::from(agrees(found.unwrap(), a, &motion, b, &still));
    }
    assert!(contacts > 12, "{contacts}");
}

/// A thin rod at radius 1 turns about z into a standing rod at 60 degrees: they meet where arc and chord say.
#[test]
fn a_rod_meets_a_rod_at_the_angle_of_the_drawing() {
    let lying = mesh(noli_scenes::cuboid(dvec3(1.0, 1e-3, 1e-3))).into_solid();
    let status = mesh(noli_scenes::cuboid(dvec3(1e-3, 1e-3, 1.0))).into_solid();
    let angle = std::f64::consts::FRAC_PI_3;
    let still = Pose::new(glam::DQuat::from_rotation_z(angle), 1.5 * dvec3(angle.cos(), angle.sin(), 0.0));
    let found = rotation_contact(
        (&Polyhedron::new(&lying), &shift(1.0, 0.0, 0.0)),
        (&Polyhedron::new(&status), &still),
        (DVec3::ZERO, DVec3::Z),
        3.0,
        &Budget::default(),
    );
    let Some(Trajectory::At { share, .. }) = found else { panic!("{found:?}") };
    // Flank of the arm: a line at distance h from the axis; vertex of the post: radius r, a little before 60 degrees.
    let h = 1e-3f64;
    let vertex = dvec3(1.5 - h, -h, 0.0);
    let analytic = angle + vertex.y.atan2(vertex.x) - (h / vertex.length()).asin();
    assert!((3.0 * share - analytic).abs() < 1e-9, "{} {analytic}", 3.0 * share);
}

#[test]
fn contact_at_the_start_is_told_apart() {
    let cube = Polyhedron::new(&mesh(noli_scenes::cuboid(DVec3::ONE)).into_solid());
    let ask = |x: f64, path: DVec3| {
        translation_contact((&cube, &shift(x, 0.0, 0.0)), (&cube, &Pose::IDENTITY), path, &Budget::default())
            .unwrap()
    };
    assert_eq!(ask(2.0, DVec3::X), Trajectory::AtStart, "touching, though it leaves");
    assert_eq!(ask(0.0, DVec3::X), Trajectory::AtStart);
    assert_eq!(ask(3.0, DVec3::X), Trajectory::Free);
    assert_eq!(ask(3.0, DVec3::Y), Trajectory::Free);
    // Face to face, every edge parallel to another.
    assert!(matches!(ask(3.0, -DVec3::X * 4.0), Trajectory::At { share: 0.25, .. }));
    let far = shift(3.0, 0.0, 0.0);
    let turn = |axis| {
        rotation_contact(
            (&cube, &far),
            (&cube, &Pose::IDENTITY),
            (DVec3::ZERO, axis),
            1.0,
            &Budget::default(),
        )
    };
    assert_eq!(turn(DVec3::ZERO), Some(Trajectory::Free), "no axis, no turn");
    assert_eq!(turn(DVec3::Z), Some(Trajectory::Free));
    let none = Pose::from_translation(dvec3(f64::NAN, 0.0, 0.0));
    assert_eq!(translation_contact((&cube, &none), (&cube, &far), DVec3::X, &Budget::default()), None);
    let no_steps = Budget::default().steps(0);
    assert_eq!(translation_contact((&cube, &far), (&cube, &Pose::IDENTITY), DVec3::X, &no_steps), None);
}

#[test]
fn going_back_takes_as_many_halvings_as_the_tolerance_asks() {
    let cube = mesh(noli_scenes::cuboid(DVec3::ONE)).into_solid();
    let body = HalfSpaceBody::new(&cube);
    let start = shift(5.0, 0.0, 0.0);
    let motion = RigidMotion::with_velocities(&start, dvec3(-4.0, 0.0, 0.0), DVec3::ZERO, DVec3::ZERO);
    let still = Still(Pose::IDENTITY);
    for (frames, tolerance) in [(10u32, 1e-3f64), (16, 1e-6), (7, 1e-9)] {
        let found =
            backtracked_contact((&body, &motion), (&body, &still), frames, tolerance, &Budget::default());
        let found = found.unwrap().unwrap();
        let expected = (1.0 / f64::from(frames) / tolerance).log2().ceil() as u32;
        assert_eq!(found.halvings, expected);
        assert!(found.free_at <= 0.75 && 0.75 <= found.hit_at && found.hit_at - found.free_at <= tolerance);
    }
    let at_start =
        backtracked_contact((&body, &still), (&body, &still), 4, 1e-3, &Budget::default()).unwrap();
    assert_eq!(at_start.map(|found| found.hit_at), Some(0.0));
}

/// A thin plate passes a bullet between two frames: looking at frames sees nothing, the guaranteed answer does.
#[test]
fn frames_miss_what_passes_between_them() {
    let plate = mesh(noli_scenes::cuboid(dvec3(1.0, 1.0, 0.001))).into_solid();
    let bullet = mesh(noli_scenes::cuboid(DVec3::splat(0.01))).into_solid();
    let motion =
        RigidMotion::with_velocities(&shift(0.0, 0.0, 2.0), dvec3(0.0, 0.0, -4.0), DVec3::ZERO, DVec3::ZERO);
    let still = Still(Pose::IDENTITY);
    let bodies = [&bullet, &plate].map(HalfSpaceBody::new);
    let seen = backtracked_contact((&bodies[0], &motion), (&bodies[1], &still), 25, 1e-6, &Budget::default());
    assert_eq!(seen, Some(None));
    let impact = time_of_impact(&model(&bullet).moving(&motion), &model(&plate).moving(&still));
    let Impact::At { time, .. } = impact else { panic!("{impact:?}") };
    let exact = translation_contact(
        (&Polyhedron::new(&bullet), &shift(0.0, 0.0, 2.0)),
        (&Polyhedron::new(&plate), &Pose::IDENTITY),
        dvec3(0.0, 0.0, -4.0),
        &Budget::default(),
    );
    let Some(Trajectory::At { share, .. }) = exact else { panic!("{exact:?}") };
    assert!((time.safe_until..=time.touching_by + 1e-9).contains(&share));
}
