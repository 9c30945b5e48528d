use super::*;
use glam::{DMat3, dvec3};
use proptest::prelude::*;
use std::f64::consts::TAU;

const PLAIN: MeshOptions = MeshOptions { weld: false };
const WELD: MeshOptions = MeshOptions { weld: true };

fn cube_quads() -> Polygons {
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    quads.iter().collect()
}

/// Vertex `i` has bit `k` of `i` as coordinate `k`.
fn cube_vertices() -> Vec<DVec3> {
    (0..8u32).map(|i| dvec3((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64)).collect()
}

fn cube() -> Mesh {
    Mesh::from_polygons(cube_vertices(), cube_quads(), &PLAIN).unwrap()
}

fn flat(points: &[(f64, f64)]) -> Mesh {
    let vertices = points.iter().map(|&(x, y)| dvec3(x, y, 0.0)).collect();
    let all = (0..points.len() as u32).collect::<Vec<_>>();
    Mesh::from_polygons(vertices, [all].iter().collect(), &PLAIN).unwrap()
}

fn outline_area(points: &[(f64, f64)]) -> f64 {
    let n = points.len();
    (0..n).map(|i| (points[i], points[(i + 1) % n])).map(|((x, y), (u, v))| (x * v - u * y) / 2.0).sum()
}

fn covered_area(mesh: &Mesh) -> f64 {
    mesh.iter_triangles().map(|t| t.doubled_area_vector().length() / 2.0).sum()
}

/// All triangles on the side of the polygon, and their unsigned areas add up to its area.
fn assert_covers(mesh: &Mesh, points: &[(f64, f64)]) {
    let area = outline_area(points).abs();
    assert!((covered_area(mesh) - area).abs() <= 1e-12 * area.max(1e-300), "{points:?}");
    assert_eq!(mesh.triangle_count(), points.len() - 2);
    assert!(mesh.triangulation_notes().self_intersection.is_empty(), "{points:?}");
}

#[test]
fn cube_of_quads_is_a_closed_solid() {
    let report = cube().report();
    let expected =
        MeshReport { closed: true, oriented: true, parts: 1, signed_volume: 1.0, ..Default::default() };
    assert_eq!(report, expected);
    assert_eq!(cube().adjacency().edge_count(), 18);
    assert_eq!(cube().face(3), [2, 6, 7, 3]);
    assert_eq!((0..12).map(|t| cube().face_of(t)).collect::<Vec<_>>(), [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
}

#[test]
fn diagonals_are_not_given_edges() {
    let mesh = cube();
    let given = (0..12).flat_map(|t| (0..3).map(move |k| (t, k))).filter(|&(t, k)| mesh.is_given_edge(t, k));
    assert_eq!(given.count(), 24);
    let triangle = Mesh::from_triangles(cube_vertices(), vec![[0, 1, 2]], &PLAIN).unwrap();
    assert!((0..3).all(|k| triangle.is_given_edge(0, k)));
}

#[test]
fn open_and_inside_out_cubes_are_seen() {
    let faces = cube_quads();
    let open: Polygons = faces.iter().skip(1).collect();
    let report = Mesh::from_polygons(cube_vertices(), open, &PLAIN).unwrap().report();
    assert!(!report.closed && report.oriented);
    assert_eq!(report.border_edges, 4);
    let reversed: Polygons = faces.iter().map(|f| f.iter().rev().copied().collect::<Vec<_>>()).collect();
    let report = Mesh::from_polygons(cube_vertices(), reversed, &PLAIN).unwrap().report();
    assert!(report.closed && report.signed_volume == -1.0);
    let mut one_wrong = cube().triangles().to_vec();
    one_wrong[5].swap(0, 1);
    let report = Mesh::from_triangles(cube_vertices(), one_wrong, &PLAIN).unwrap().report();
    assert!(!report.closed && !report.oriented);
}

#[test]
fn welding_keeps_user_numbers() {
    let soup: Vec<DVec3> = cube().iter_triangles().flat_map(|t| t.vertices).collect();
    let triangles: Vec<[u32; 3]> = (0..12).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let separated = Mesh::from_triangles(soup.clone(), triangles.clone(), &PLAIN).unwrap();
    assert_eq!(separated.report().border_edges, 36);
    assert_eq!(separated.report().parts, 12);
    let welded = Mesh::from_triangles(soup.clone(), triangles.clone(), &WELD).unwrap();
    assert_eq!(welded.vertices().len(), 8);
    assert!(welded.report().closed);
    for (given, vertices) in triangles.iter().zip(welded.triangles()) {
        for (&user, &kept) in given.iter().zip(vertices) {
            assert_eq!(welded.vertices()[kept as usize], soup[user as usize]);
            assert!(welded.user_vertex(kept) <= user);
            assert_eq!(soup[welded.user_vertex(kept) as usize], soup[user as usize]);
        }
    }
}

#[test]
fn negative_zero_welds_with_zero_and_nothing_else_does() {
    let tiny = f64::from_bits(1);
    let vertices = vec![dvec3(0.0, 0.0, 0.0), dvec3(-0.0, 0.0, -0.0), dvec3(tiny, 0.0, 0.0)];
    let mesh = Mesh::from_triangles(vertices, vec![[0, 1, 2]], &WELD).unwrap();
    assert_eq!(mesh.triangles(), [[0, 0, 1]]);
    assert_eq!(mesh.user_vertex(1), 2);
}

#[test]
fn user_numbers_can_be_renamed() {
    let triangles = vec![[0, 1, 2], [3, 2, 1]];
    let vertices = [0., 1., 2., 0.].map(|x| dvec3(x, x * x, 0.)).to_vec();
    let mesh = Mesh::from_triangles(vertices, triangles, &WELD).unwrap();
    let mesh = mesh.renumbered(&[10, 11, 12, 13], &[70, 80]).unwrap();
    assert_eq!([0, 1, 2].map(|v| mesh.user_vertex(v)), [10, 11, 12]);
    assert_eq!([0, 1].map(|t| mesh.user_face(t)), [70, 80]);
    assert!(mesh.clone().renumbered(&[1, 2], &[0, 0]).is_err());
    assert!(mesh.renumbered(&[0; 20], &[0]).is_err());
}

#[test]
fn errors_name_the_place() {
    let make = |vertices: Vec<DVec3>, faces: &[&[u32]]| {
        Mesh::from_polygons(vertices, faces.iter().collect(), &PLAIN).unwrap_err()
    };
    let error = make(cube_vertices(), &[&[0, 1, 2], &[0, 1, 2, 8]]);
    assert_eq!(error, MeshError::IndexOutOfRange { face: 1, vertex: 8, count: 8 });
    assert_eq!(make(cube_vertices(), &[&[0, 1, 2], &[]]), MeshError::EmptyFace { face: 1 });
    assert_eq!(make(vec![DVec3::ZERO, DVec3::NAN], &[]), MeshError::NotFinite { vertex: 1 });
    assert_eq!(make(vec![DVec3::X * 3e90], &[]), MeshError::TooFar { vertex: 0 });
    assert!(Mesh::from_triangles(vec![DVec3::X * MAX_COORDINATE], vec![[0, 0, 0]], &PLAIN).is_ok());
    assert!(matches!(cube().with_vertices(Vec::new()), Err(MeshError::WrongCount { .. })));
    for factor in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(cube().scaled(factor).is_err());
    }
    assert_eq!(cube().scaled(1e308), Err(MeshError::TooFar { vertex: 1 }));
}

#[test]
fn empty_and_degenerate_meshes_are_values() {
    let empty = Mesh::empty();
    assert!(empty.is_empty() && empty.aabb().is_empty() && empty.report().closed);
    assert_eq!(empty.report().parts, 0);
    let faces: Polygons = [vec![0], vec![0, 1], vec![1, 1, 1], vec![0, 1, 0, 1], vec![2; 5]].iter().collect();
    let mesh = Mesh::from_polygons(cube_vertices(), faces, &PLAIN).unwrap();
    assert_eq!(mesh.triangle_count(), 1 + 1 + 1 + 2 + 3);
    let report = mesh.report();
    assert_eq!(report.zero_area_triangles, mesh.triangle_count());
    assert!(report.closed);
}

#[test]
fn zero_area_is_decided_exactly_at_every_scale() {
    // (1, 3, 9) + k · (1, 1, 1) rounds nowhere; the second triangle is off the line by one ulp.
    let line = [dvec3(1., 3., 9.), dvec3(2., 4., 10.), dvec3(4., 6., 12.)];
    let bent = [line[0], line[1], dvec3(4.0f64.next_up(), 6., 12.)];
    for scale in [1.0, 2f64.powi(-600), 2f64.powi(290)] {
        let vertices = line.iter().chain(&bent).map(|&p| p * scale).collect();
        let mesh = Mesh::from_triangles(vertices, vec![[0, 1, 2], [3, 4, 5]], &PLAIN).unwrap();
        assert_eq!(mesh.report().zero_area_triangles, 1);
    }
}

#[test]
fn moved_vertices_share_the_topology() {
    let moved = cube().scaled(2.0).unwrap();
    assert_eq!(moved.signed_volume(), 8.0);
    let original = cube();
    let moved = original.with_vertices(original.vertices().iter().map(|v| v + DVec3::X).collect()).unwrap();
    assert!(Arc::ptr_eq(&original.topology, &moved.topology));
    assert_eq!(moved.aabb().min, DVec3::X);
}

#[test]
fn unused_vertices_do_not_widen_the_box() {
    let mut vertices = cube_vertices();
    vertices.push(DVec3::splat(50.0));
    let mesh = Mesh::from_polygons(vertices, cube_quads(), &PLAIN).unwrap();
    assert_eq!(mesh.aabb().max, DVec3::ONE);
}

#[test]
fn concave_and_awkward_outlines_are_covered() {
    let arrow = [(0., 0.), (4., 0.), (1., 1.), (0., 4.)];
    let comb: Vec<(f64, f64)> = (0..40)
        .map(|i| (i as f64, if i % 2 == 0 { 9.0 } else { 1.0 }))
        .chain([(39., 0.), (0., 0.)])
        .rev()
        .collect();
    let midpoints = [(0., 0.), (1., 0.), (2., 0.), (2., 1.), (2., 2.), (1., 2.), (0., 2.), (0., 1.)];
    let straight_side = [(0., 0.), (1., 0.), (2., 0.), (3., 0.), (0., 3.)];
    // A hole reached over a bridge that is run through twice, touching the outline at one vertex.
    let keyhole =
        [(0., 0.), (6., 0.), (6., 6.), (0., 6.), (0., 0.), (1., 1.), (1., 4.), (4., 4.), (4., 1.), (1., 1.)];
    let spike = [(0., 0.), (2., 0.), (5., 0.), (2., 0.), (2., 2.), (0., 2.)];
    let outlines: [&[(f64, f64)]; 6] = [&arrow, &comb, &midpoints, &straight_side, &keyhole, &spike];
    for outline in outlines {
        for turn in 0..outline.len() {
            let mut turned = outline.to_vec();
            turned.rotate_left(turn);
            assert_covers(&flat(&turned), &turned);
            turned.reverse();
            assert_covers(&flat(&turned), &turned);
        }
    }
}

#[test]
fn holes_on_bridges_from_one_vertex_are_left_out() {
    let outer = [(0., 0.), (10., 0.), (10., 10.), (0., 10.), (0., 0.)];
    let hole = |x: f64, y: f64| [(x, y), (x, y + 2.), (x + 2., y + 2.), (x + 2., y), (x, y), (0., 0.)];
    let mut points = [&outer[..], &hole(3., 6.), &hole(2., 2.), &hole(6., 3.)].concat();
    points.pop();
    for _ in 0..points.len() {
        points.rotate_left(1);
        let mesh = flat(&points);
        assert!(mesh.triangulation_notes().self_intersection.is_empty(), "{points:?}");
        assert!((covered_area(&mesh) - (100.0 - 12.0)).abs() < 1e-12);
    }
}

#[test]
fn straight_sides_give_no_flat_triangles() {
    let midpoints = [(0., 0.), (1., 0.), (2., 0.), (2., 1.), (2., 2.), (1., 2.), (0., 2.), (0., 1.)];
    assert_eq!(flat(&midpoints).report().zero_area_triangles, 0);
}

#[test]
fn self_crossing_outlines_become_reported_fans() {
    let bow_tie = [(0., 0.), (1., 1.), (1., 0.), (0., 1.)];
    let pentagram: Vec<_> = (0..5).map(|i| (TAU * 0.4 * i as f64).sin_cos()).collect();
    let lopsided = [(0., 0.), (3., 3.), (3., 0.), (0., 1.)];
    assert_eq!(flat(&bow_tie).triangulation_notes().self_intersection, [0]);
    assert_eq!(flat(&bow_tie).triangle_count(), 2);
    assert_eq!(flat(&lopsided).triangulation_notes().self_intersection, [0]);
    assert_eq!(flat(&pentagram).triangle_count(), 3);
}

#[test]
fn warped_faces_are_measured() {
    let vertices = vec![DVec3::ZERO, DVec3::X * 2.0, dvec3(2., 2., 0.1), DVec3::Y * 2.0];
    let mesh = Mesh::from_polygons(vertices, [[0, 1, 2, 3]].iter().collect(), &PLAIN).unwrap();
    let [warped] = mesh.triangulation_notes().warped[..] else { panic!("one face is warped") };
    assert!((0.02..0.05).contains(&warped.deviation), "{}", warped.deviation);
    assert!(cube().triangulation_notes().warped.is_empty());
}

#[test]
fn many_copies_of_one_triangle_stay_fast() {
    let mesh = Mesh::from_triangles(cube_vertices(), vec![[0, 1, 2]; 200_000], &PLAIN).unwrap();
    let report = mesh.report();
    assert_eq!((report.duplicate_triangles, report.non_manifold_edges, report.parts), (199_999, 3, 1));
    assert_eq!(mesh.adjacency().sides(0).len(), 200_000);
}

#[test]
fn hopeless_large_polygon_gives_up_in_linear_time() {
    let points: Vec<_> =
        (0..20_000u64).map(|i| ((i * 7919 % 10_007) as f64, (i * 104_729 % 9_973) as f64)).collect();
    assert_eq!(flat(&points).triangle_count(), points.len() - 2);
}

#[test]
fn large_spiral_is_covered() {
    let arm = |radius: f64| (0..6_000).map(move |i| (i as f64 * 0.01, radius + i as f64 * 0.01));
    let polar = |(angle, radius): (f64, f64)| (radius * angle.cos(), radius * angle.sin());
    let spiral: Vec<_> = arm(1.3).chain(arm(1.0).collect::<Vec<_>>().into_iter().rev()).map(polar).collect();
    let mesh = flat(&spiral);
    assert!(mesh.triangulation_notes().self_intersection.is_empty());
    let area = outline_area(&spiral).abs();
    assert!((covered_area(&mesh) - area).abs() < 1e-9 * area);
}

#[test]
fn twins_and_others() {
    let mesh = cube();
    let adjacency = mesh.adjacency();
    for half_edge in (0..12).flat_map(|t| (0..3).map(move |k| HalfEdge::new(t, k))) {
        let twin = adjacency.twin(half_edge).unwrap();
        let [start, end] = half_edge.vertices(&mesh);
        assert_eq!(twin.vertices(&mesh), [end, start]);
        assert_eq!(adjacency.others(half_edge).collect::<Vec<_>>(), [twin]);
    }
    let fin = Mesh::from_triangles(cube_vertices(), vec![[0, 1, 2], [1, 0, 3], [0, 1, 4]], &PLAIN).unwrap();
    let adjacency = fin.adjacency();
    assert_eq!(adjacency.twin(HalfEdge::new(0, 0)), None);
    assert_eq!(adjacency.twin(HalfEdge::new(0, 1)), None);
    assert_eq!(adjacency.others(HalfEdge::new(1, 0)).map(HalfEdge::triangle).collect::<Vec<_>>(), [0, 2]);
    assert_eq!(fin.report().non_manifold_edges, 1);
}

/// Regression: two sides of the same direction were reported as twins.
#[test]
fn a_face_turned_over_has_no_twins() {
    let mut triangles = cube().triangles().to_vec();
    triangles[3].swap(0, 1);
    let mesh = Mesh::from_triangles(cube_vertices(), triangles, &PLAIN).unwrap();
    let adjacency = mesh.adjacency();
    for vertex in 0..3 {
        let half_edge = HalfEdge::new(3, vertex);
        assert_eq!(adjacency.twin(half_edge), None);
        let other = adjacency.others(half_edge).next().unwrap();
        assert_eq!(adjacency.twin(other), None);
    }
    let twins = (0..36).filter(|&k| adjacency.twin(HalfEdge::new(k / 3, k as usize % 3)).is_some()).count();
    assert_eq!(twins, 36 - 6);
}

#[test]
fn parts_are_numbered_by_first_triangle() {
    let triangles = vec![[0, 1, 2], [4, 5, 6], [1, 2, 3], [5, 6, 7], [2, 3, 1]];
    let parts = Mesh::from_triangles(cube_vertices(), triangles, &PLAIN).unwrap().adjacency().parts();
    assert_eq!((parts.count, &parts.of_triangle[..]), (2, &[0, 1, 0, 1, 0][..]));
    assert_eq!(parts.first_triangles(), [0, 1]);
}

proptest! {
    #[test]
    fn star_polygons_are_covered(radii in prop::collection::vec(0.01..10.0f64, 4..60), mirrored: bool) {
        let n = radii.len() as f64;
        let points: Vec<_> = radii.iter().enumerate().map(|(i, radius)| {
            let (sin, cos) = (TAU * i as f64 / n).sin_cos();
            (radius * cos, if mirrored { -radius * sin } else { radius * sin })
        }).collect();
        assert_covers(&flat(&points), &points);
    }

    #[test]
    fn tilted_stars_are_covered_on_one_side(
        radii in prop::collection::vec(0.1..10.0f64, 4..30),
        (a, b, c) in (0.0..TAU, 0.0..TAU, 0.0..TAU),
    ) {
        let turn = DMat3::from_euler(glam::EulerRot::XYZ, a, b, c);
        let n = radii.len();
        let vertices: Vec<DVec3> = radii.iter().enumerate().map(|(i, radius)| {
            let (sin, cos) = (TAU * i as f64 / n as f64).sin_cos();
            turn * dvec3(radius * cos, radius * sin, 0.0)
        }).collect();
        let mesh = Mesh::from_polygons(vertices, [(0..n as u32).collect::<Vec<_>>()].iter().collect(), &PLAIN);
        let mesh = mesh.unwrap();
        let normal = turn * DVec3::Z;
        for triangle in mesh.iter_triangles() {
            prop_assert!(triangle.doubled_area_vector().dot(normal) > -1e-12);
        }
        prop_assert!(mesh.triangulation_notes().warped.is_empty());
    }

    #[test]
    fn staircases_with_vertices_on_straight_sides_are_covered(
        heights in prop::collection::vec(1..6u8, 1..9),
        start: prop::sample::Index,
    ) {
        let width = heights.len();
        let mut points: Vec<_> = (0..width).map(|x| (x as f64, 0.0)).collect();
        let mut height = 0;
        for (i, &next) in heights.iter().rev().chain([&0]).enumerate() {
            let x = (width - i) as f64;
            while height != next {
                points.push((x, f64::from(height)));
                height = if height < next { height + 1 } else { height - 1 };
            }
            if i < width {
                points.push((x, f64::from(height)));
            }
        }
        let start = start.index(points.len());
        points.rotate_left(start);
        assert_covers(&flat(&points), &points);
    }

    #[test]
    fn grid_polygons_never_panic_and_keep_their_area(points in prop::collection::vec((-3..4i8, -3..4i8), 3..12)) {
        let points: Vec<_> = points.iter().map(|&(x, y)| (f64::from(x), f64::from(y))).collect();
        let mesh = flat(&points);
        prop_assert_eq!(mesh.triangle_count(), points.len() - 2);
        let signed: f64 = mesh.iter_triangles().map(|t| t.doubled_area_vector().z / 2.0).sum();
        prop_assert_eq!(signed, outline_area(&points));
    }
}

/// Each face with vertices of its own, as in an STL file.
fn torn(mesh: &Mesh) -> Mesh {
    let vertices: Vec<DVec3> = mesh.iter_triangles().flat_map(|t| t.vertices).collect();
    let faces = (0..mesh.triangle_count() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    Mesh::from_triangles(vertices, faces, &MeshOptions::default()).unwrap()
}

#[test]
fn closedness_by_position_is_that_of_the_welded_mesh() {
    let whole = Mesh::sphere(1.0, 3).unwrap();
    let faces = whole.triangles();
    let open = |from: usize| {
        Mesh::from_triangles(whole.vertices().to_vec(), faces[from..].to_vec(), &MeshOptions::default())
            .unwrap()
    };
    let mut turned = faces.to_vec();
    turned[7].swap(0, 1);
    let turned = Mesh::from_triangles(whole.vertices().to_vec(), turned, &MeshOptions::default()).unwrap();
    for (mesh, closed) in [(whole.clone(), true), (open(1), false), (turned, false), (Mesh::empty(), true)] {
        assert_eq!(mesh.report().closed, closed);
        assert_eq!(mesh.is_closed(), closed);
        assert_eq!(torn(&mesh).is_closed(), closed);
    }
    assert!(!torn(&whole).report().closed);
}

#[test]
fn parts_by_position_hang_together_at_vertices() {
    let cube = |shift: f64| {
        let cube = Mesh::cuboid(DVec3::ONE).unwrap();
        cube.with_vertices(cube.vertices().iter().map(|v| *v + shift).collect()).unwrap()
    };
    let merged = |meshes: &[Mesh]| {
        let vertices: Vec<DVec3> = meshes.iter().flat_map(|m| torn(m).vertices().to_vec()).collect();
        let faces = (0..vertices.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        Mesh::from_triangles(vertices, faces, &MeshOptions::default()).unwrap()
    };
    // The first two meet in one vertex.
    let mesh = merged(&[cube(0.0), cube(1.0), cube(5.0)]);
    let parts = mesh.parts();
    assert_eq!((parts.count, parts.first_triangles()), (2, vec![0, 24]));
    assert!(parts.of_triangle[..24].iter().all(|&part| part == 0));
    assert_eq!(mesh.adjacency().parts().count, 36);
    assert_eq!(Mesh::empty().parts().count, 0);
}
