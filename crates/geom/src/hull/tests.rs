//! Hulls against brute force over all triples of points.

use super::*;
use proptest::prelude::*;

/// Coordinates on a coarse grid make coplanar, collinear and equal points.
fn grid(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<DVec3>> {
    let point = prop::array::uniform3(-2i32..3).prop_map(|p| DVec3::from_array(p.map(f64::from)));
    prop::collection::vec(point, count)
}

fn cloud() -> impl Strategy<Value = Vec<DVec3>> {
    let point = prop::array::uniform3(-1.0..1.0f64).prop_map(DVec3::from_array);
    prop::collection::vec(point, 1..30)
}

/// Returns `true` if a point is a convex combination of others: then it is one of at most four of them
/// (Carathéodory).
fn is_mixture(signs: &Signs<'_>, p: u32, others: &[u32]) -> bool {
    let at = |i: u32| signs.points[i as usize];
    let pairs = |n: usize| (0..n).flat_map(move |j| (0..j).map(move |i| (i, j)));
    let in_segment = |a: u32, b: u32| {
        let between = at(a).min(at(b)).cmple(at(p)).all() && at(p).cmple(at(a).max(at(b))).all();
        between && signs.axis_of([a, b, p]).is_none()
    };
    let in_triangle = |t: [u32; 3]| {
        let [a, b, c] = t;
        let level = signs.orient3d(t, p) == 0;
        level
            && signs.axis_of(t).is_some_and(|axis| {
                same_sign(&[[a, b], [b, c], [c, a]].map(|[i, j]| signs.orient2d([i, j, p], axis)))
            })
    };
    let in_tetrahedron = |[a, b, c, d]: [u32; 4]| {
        let sides = [[a, b, c], [d, c, b], [d, a, c], [d, b, a]];
        signs.orient3d(sides[0], d) != 0 && same_sign(&sides.map(|t| signs.orient3d(t, p)))
    };
    pairs(others.len()).any(|(i, j)| {
        let (a, b) = (others[i], others[j]);
        in_segment(a, b)
            || others[..i].iter().any(|&c| in_triangle([a, b, c]))
            || pairs(i).any(|(k, l)| in_tetrahedron([a, b, others[k], others[l]]))
    })
}

fn same_sign(signs: &[i8]) -> bool {
    signs.iter().all(|&s| s >= 0) || signs.iter().all(|&s| s <= 0)
}

fn validate(points: &[DVec3], hull: &Hull) {
    let signs = Signs::new(points);
    for (i, p) in points.iter().enumerate() {
        let kept = hull.vertices.iter().any(|v| v == p);
        let others: Vec<u32> = (0..points.len() as u32).filter(|&q| points[q as usize] != *p).collect();
        assert_eq!(kept, !is_mixture(&signs, i as u32, &others), "point {i} of {points:?}");
    }
    // Every point is behind every face, by exact signs.
    for vertices in hull.faces.iter().filter(|_| hull.dimension == 3) {
        let plane = [vertices[0], vertices[1], vertices[2]].map(|v| hull.given(v));
        assert!(signs.axis_of(plane).is_some(), "a face without area");
        assert!((0..points.len() as u32).all(|p| signs.orient3d(plane, p) <= 0));
        assert!(vertices.iter().all(|&v| signs.orient3d(plane, hull.given(v)) == 0));
    }
    // Every edge has one face on either side.
    let mut edges: Vec<[u32; 2]> = Vec::new();
    for vertices in hull.faces.iter() {
        edges.extend((0..vertices.len()).map(|k| [vertices[k], vertices[(k + 1) % vertices.len()]]));
    }
    edges.sort_unstable();
    let count = edges.len();
    edges.dedup();
    assert_eq!(edges.len(), count);
    assert!(edges.iter().all(|&[v, w]| edges.binary_search(&[w, v]).is_ok()));
    if hull.dimension == 3 {
        let euler = hull.vertices.len() + hull.faces.len();
        assert_eq!(euler, 2 + hull.edges().count());
    }
    for half_space in hull.half_spaces() {
        assert!(points.iter().all(|&p| half_space.excess(p) <= 0.0));
    }
}

proptest! {
    #[test]
    fn vertices_and_faces_are_those_of_brute_force(points in prop_oneof![grid(1..14), cloud()]) {
        validate(&points, &Hull::new(points.clone()).unwrap());
    }

    #[test]
    fn scaling_by_powers_of_two_changes_nothing(points in grid(4..14), exponent in -290..290i32) {
        let factor = 2.0f64.powi(exponent);
        let hull = Hull::new(points.clone()).unwrap();
        let scaled = Hull::new(points.iter().map(|&p| p * factor)).unwrap();
        prop_assert_eq!(&hull.faces, &scaled.faces);
        prop_assert_eq!(&hull.given, &scaled.given);
    }

    /// No vertex is lost to sorted directions, however flat the hull.
    #[test]
    fn nothing_is_further_than_the_furthest(
        points in cloud(),
        squeeze in prop::array::uniform2(-8..1i32),
        turn in prop::array::uniform4(-1.0..1.0f64),
        directions in prop::collection::vec(prop::array::uniform3(-1.0..1.0f64), 50),
    ) {
        let [y, z] = squeeze.map(|e| 10f64.powi(e));
        let turn = glam::DQuat::from_array(turn).normalize();
        let points = points.iter().map(|&p| turn * (p * DVec3::new(1.0, y, z)));
        let hull = Hull::new(points).unwrap();
        let across = hull.edges().map(|[v, w]| (hull.at(w) - hull.at(v)).any_orthogonal_vector());
        let normals = hull.normals.iter().flat_map(|&n| [n, n * 1e-200]);
        for d in directions.into_iter().map(DVec3::from_array).chain(across).chain(normals) {
            let (all, few) = (hull.support_point_of_all(d), hull.support_point(d));
            let missed = hull.at(all).dot(d) - hull.at(few).dot(d);
            prop_assert!(missed <= hull.support_rounding() * d.length(), "{d} {missed}");
        }
    }
}

/// Few vertices are tested, for any shape of the hull.
#[test]
fn cells_have_few_vertices() {
    let mut seed = 1u64;
    let mut random = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    for count in [16, 64, 256, 1024] {
        for squeeze in [1.0, 0.1] {
            let mut point = || {
                DVec3::new(random(), random(), random()).normalize()
                    * DVec3::new(1.0, squeeze, squeeze * squeeze)
            };
            let hull = Hull::new((0..count).map(|_| point())).unwrap();
            let mean = hull.mean_vertices_to_a_cell();
            assert!(mean < 4.0, "{count} {squeeze} {mean}");
        }
    }
}

#[test]
fn a_point_outside_by_one_bit_is_a_vertex() {
    let vertices = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let points = vertices.map(DVec3::from_array);
    let on_face = DVec3::new(0.25, 0.25, 0.0);
    let beneath = DVec3::new(0.25, 0.25, -f64::from_bits(1));
    assert_eq!(Hull::new(points.into_iter().chain([on_face])).unwrap().vertices().len(), 4);
    assert_eq!(Hull::new(points.into_iter().chain([beneath])).unwrap().vertices().len(), 5);
}

#[test]
fn points_that_span_less_make_less() {
    let hull = |points: &[[f64; 3]]| Hull::new(points.iter().map(|&p| DVec3::from_array(p))).unwrap();
    let sizes = |h: &Hull| (h.dimension(), h.vertices().len(), h.faces().len(), h.edges().count());
    assert_eq!(sizes(&hull(&[[1.0; 3]; 5])), (0, 1, 0, 0));
    assert_eq!(sizes(&hull(&[[0.0; 3], [2.0; 3], [1.0; 3]])), (1, 2, 0, 1));
    let square =
        hull(&[[0., 0., 1.], [1., 0., 1.], [1., 1., 1.], [0., 1., 1.], [0.5, 0.5, 1.], [0.5, 0., 1.]]);
    assert_eq!(sizes(&square), (2, 4, 2, 4));
    assert_eq!(sizes(&Hull::cuboid(DVec3::new(1.0, 2.0, 3.0)).unwrap()), (3, 8, 6, 12));
    assert_eq!(sizes(&Hull::cuboid(DVec3::new(1.0, 0.0, 3.0)).unwrap()), (2, 4, 2, 4));
}

#[test]
fn bad_points_are_refused() {
    assert_eq!(Hull::new([]), Err(HullError::Empty));
    assert_eq!(Hull::new([DVec3::ZERO, DVec3::NAN]), Err(HullError::NotFinite { point: 1 }));
    assert_eq!(Hull::new([DVec3::splat(1e200)]), Err(HullError::TooFar { point: 0 }));
}

#[test]
fn half_spaces_of_a_hull_give_it_back() {
    let cube = Hull::cuboid(DVec3::new(1.0, 2.0, 3.0)).unwrap();
    let back = half_space_intersection(&cube.half_spaces(), DVec3::new(0.2, 0.1, 0.3)).unwrap();
    for v in cube.vertices() {
        assert!(back.vertices().iter().any(|w| w.distance(*v) < 1e-14));
    }
    let open = &cube.half_spaces()[..5];
    assert_eq!(half_space_intersection(open, DVec3::ZERO), Err(HalfSpaceError::Unbounded));
    assert!(half_space_intersection(open, DVec3::splat(9.0)).is_err());
}
