use glam::{DQuat, DVec3, dvec3};
use noli::{Convex, Mesh, Model, Overlap, Pose, clearance, overlap, within_distance};
use noli_grid::{CellStatus, DistanceGrid, GridError, GridOptions, UnknownSamples};
use noli_testing::Random;

fn torus() -> Model {
    Model::new(Mesh::torus(0.5, 0.22, 32, 16).unwrap().into_solid()).unwrap()
}

/// Signed distance from the mesh, by the engine.
fn distance(model: &Model, faces: &Model, point: DVec3) -> f64 {
    let dot = Model::from(Convex::POINT);
    let away = clearance(&faces.at(Pose::IDENTITY), &dot.at(Pose::from_translation(point))).distance.at_most;
    match model.locate_point(point) {
        noli::answer::Location::Inside => -away,
        _ => away,
    }
}

fn faces(model: &Model) -> Model {
    Model::new(model.mesh().unwrap().clone().with_kind(noli::model::MeshKind::Surface)).unwrap()
}

/// The same samples with another treatment: cut off, coarser by rounding, or with holes.
fn variants(grid: &DistanceGrid) -> Vec<DistanceGrid> {
    let place = (grid.edge(), grid.origin());
    let make = |values: Vec<f32>, change: &dyn Fn(&mut GridOptions)| {
        let mut options = *grid.options();
        change(&mut options);
        DistanceGrid::new(values, grid.size(), place, options).unwrap()
    };
    let limit = 0.15f32;
    let cut = grid.values().iter().map(|value| value.clamp(-limit, limit)).collect();
    let coarse = grid.values().iter().map(|value| (value * 100.0).round() / 100.0).collect();
    let holes = grid.values().iter().enumerate();
    let holes = holes.map(|(k, &value)| if k % 5 == 0 { f32::NAN } else { value }).collect();
    vec![
        grid.clone(),
        make(cut, &|options| options.truncation = Some(f64::from(limit))),
        make(coarse, &|options| options.error += 0.0051),
        make(holes, &|_| {}),
    ]
}

#[test]
fn brackets_hold_the_distance_from_the_mesh() {
    let model = torus();
    let surface = faces(&model);
    let made = DistanceGrid::of_model(&model, 0.09, 0.2).unwrap();
    let mut random = Random::new(1);
    for (kind, grid) in variants(&made).iter().enumerate() {
        let (mut widest, mut known) = (0.0f64, 0);
        let bounds = model.aabb().expanded(0.2);
        for _ in 0..1500 {
            let share = 0.5 * dvec3(random.real(), random.real(), random.real()) + 0.5;
            let point = bounds.min + bounds.size() * share;
            let Some([low, high]) = grid.bracket(point) else { continue };
            let true_one = distance(&model, &surface, point);
            assert!(low <= true_one && true_one <= high, "{kind}: {low} <= {true_one} <= {high}");
            known += 1;
            if kind == 0 {
                widest = widest.max(high - low);
            }
        }
        assert!(known > 1400, "{known}");
        assert!(widest < 2.0 * 0.09, "{widest}");
    }
    assert_eq!(made.bracket(DVec3::splat(9.0)), None);
    assert_eq!(made.bracket(DVec3::splat(f64::NAN)), None);
}

#[test]
fn bodies_are_never_missed_and_decided_where_the_cells_decide() {
    let model = torus();
    let made = DistanceGrid::of_model(&model, 0.06, 0.2).unwrap();
    let bodies = [
        Model::new(Mesh::cuboid(dvec3(0.3, 0.1, 0.05)).unwrap().into_solid()).unwrap(),
        Model::new(Convex::sphere(0.05).unwrap()).unwrap(),
    ];
    let mut random = Random::new(2);
    for grid in variants(&made) {
        let cells = grid.model().unwrap();
        let place = Pose::new(DQuat::from_rotation_x(0.4), dvec3(0.3, -0.2, 0.1));
        let mut decided = [0; 3];
        for k in 0..250 {
            let other = &bodies[k % 2];
            let turn =
                DQuat::from_euler(glam::EulerRot::XYZ, random.real(), random.real(), 3.0 * random.real());
            let at = place.translation + 0.9 * dvec3(random.real(), random.real(), random.real());
            let other = other.at(Pose::new(turn, at));
            let own = model.at(place);
            let verdict = cells.overlap(place, &other);
            match verdict {
                Overlap::Free => decided[0] += 1,
                Overlap::Hit => decided[1] += 1,
                Overlap::Unknown => decided[2] += 1,
            }
            assert!(verdict == Overlap::Unknown || verdict == overlap(&own, &other), "{verdict:?}");
            match cells.within_distance(place, &other, 0.05) {
                Overlap::Unknown => {}
                near => assert_eq!(near, within_distance(&own, &other, 0.05)),
            }
            let (bracket, exact) = (cells.clearance(place, &other), clearance(&own, &other).distance);
            assert!(
                bracket.at_least <= exact.at_most && exact.at_least <= bracket.at_most,
                "{bracket:?} {exact:?}"
            );
        }
        assert!(decided.iter().sum::<usize>() == 250 && decided[0] > 20 && decided[1] > 5, "{decided:?}");
    }
}

#[test]
fn unknown_samples_are_obstacles_unless_said_otherwise() {
    let values = |k: usize| if k == 13 { f32::NAN } else { 0.3 };
    let make = |unknown| {
        let mut options = GridOptions::default();
        options.unknown = unknown;
        DistanceGrid::new((0..27).map(values).collect(), [3; 3], (1.0, DVec3::ZERO), options).unwrap()
    };
    assert_eq!(make(UnknownSamples::Obstacle).status([1, 1, 1]), CellStatus::Undecided);
    assert_eq!(make(UnknownSamples::Free).status([1, 1, 1]), CellStatus::Free);
    assert_eq!(make(UnknownSamples::Free).model().unwrap().counts(), [1, 0, 26]);
}

#[test]
fn samples_that_are_no_distances_are_refused() {
    let place = (0.1, DVec3::ZERO);
    let none = GridOptions::default();
    let steep = DistanceGrid::new(vec![0.0, 0.5], [1, 1, 2], place, none).unwrap_err();
    assert!(matches!(steep, GridError::Steep { at: [0, 0, 0], axis: 2, .. }), "{steep}");
    assert!(steep.to_string().contains("ESDF"), "{steep}");
    let mut wide = none;
    wide.error = 0.2;
    assert!(DistanceGrid::new(vec![0.0, 0.5], [1, 1, 2], place, wide).is_ok());
    let refused =
        |values: Vec<f32>, size, place, options| DistanceGrid::new(values, size, place, options).is_err();
    assert!(refused(vec![0.0; 3], [1, 1, 2], place, none));
    assert!(refused(vec![], [0, 1, 2], place, none));
    assert!(refused(vec![0.0; 2], [usize::MAX, 2, 2], place, none));
    assert!(refused(vec![0.0; 2], [1, 1, 2], (0.0, DVec3::ZERO), none));
    assert!(refused(vec![0.0; 2], [1, 1, 2], (f64::NAN, DVec3::ZERO), none));
    assert!(refused(vec![0.0; 2], [1, 1, 2], (0.1, DVec3::NAN), none));
    // Beside unknown samples no slope is too steep.
    for far in [f32::INFINITY, f32::NEG_INFINITY] {
        let error = DistanceGrid::new(vec![f32::NAN, far], [1, 1, 2], place, none).unwrap_err();
        assert_eq!(error, GridError::Infinite { at: [0, 0, 1], value: far });
    }
    let mut negative = none;
    negative.truncation = Some(-1.0);
    assert!(refused(vec![0.0; 2], [1, 1, 2], place, negative));
}
