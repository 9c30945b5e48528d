//! Triangle pairs that are hard on arithmetic, and what must hold for each of them.

use glam::{DQuat, DVec3};
use noli_geom::{
    Distance, Intersection, PairFrame, Pose, Relation, RelativePose, Triangle, TrianglePair, naive,
};
pub(crate) use noli_testing::Random;
use std::cmp::Ordering;

#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) a: Triangle,
    pub(crate) b: Triangle,
    pub(crate) world_from_a: Pose,
    pub(crate) world_from_b: Pose,
}

/// Triangles and poses in general position, about as often apart as intersecting.
pub(crate) fn random(rng: &mut Random) -> Case {
    let mut triangle = || Triangle { vertices: std::array::from_fn(|_| rng.vector()) };
    let (a, b) = (triangle(), triangle());
    let mut pose = || Pose::new(any_quaternion(rng), rng.vector() * 0.5);
    let case = Case { a, b, world_from_a: pose(), world_from_b: pose() };
    match rng.below(4) {
        0 => scaled(&case, 10f64.powi(rng.integer(9) as i32)),
        1 => shifted(case, rng.vector() * 10f64.powi(rng.below(9) as i32)),
        _ => case,
    }
}

/// Pairs built to touch, coincide, degenerate, or miss doing so by a rounding.
pub(crate) fn degenerate(rng: &mut Random) -> Case {
    let reach = 1 + rng.below(4) as i64;
    let a = shape(rng, reach);
    let mut b = shape(rng, reach);
    share(rng, &a, &mut b);
    let mut case = pose_with_contact(rng, a, b, reach);
    match rng.below(8) {
        0 => case = scaled(&case, 10f64.powi(rng.integer(9) as i32)),
        1 => case = scaled(&case, 2f64.powi(rng.integer(200) as i32)),
        2 => case = shifted(case, rng.vector() * 10f64.powi(rng.below(9) as i32)),
        3 => case = shifted(case, rng.grid(1 << 20)),
        _ => {}
    }
    if rng.one_in(4) {
        let side = if rng.one_in(2) { &mut case.a } else { &mut case.b };
        let coordinate = &mut side.vertices[rng.below(3) as usize][rng.below(3) as usize];
        *coordinate = if rng.one_in(2) { coordinate.next_up() } else { coordinate.next_down() };
        if coordinate.is_subnormal() {
            *coordinate = 2f64.powi(-200 - rng.below(100) as i32);
        }
    }
    case
}

/// Degenerate pairs at the ends of the range of `f64`, or with coordinates from both ends.
pub(crate) fn extreme(rng: &mut Random) -> Case {
    let grid = 1 + rng.below(3) as i64;
    let a = shape(rng, grid);
    let mut b = shape(rng, grid);
    share(rng, &a, &mut b);
    let case = pose_with_contact(rng, a, b, grid);
    match rng.below(4) {
        0 => scaled(&case, 2f64.powi(280)),
        // In two steps: the factor itself is too small for an f64.
        1 => scaled(&scaled(&case, 2f64.powi(-1000)), 2f64.powi(-70)),
        2 => scaled(&case, 2f64.powi(-1000 + rng.integer(40) as i32)),
        _ => {
            let mut case = case;
            let vertex = &mut case.b.vertices[rng.below(3) as usize];
            vertex[rng.below(3) as usize] =
                [f64::from_bits(1), 1e-300, 2f64.powi(300)][rng.below(3) as usize];
            case
        }
    }
}

fn shape(rng: &mut Random, reach: i64) -> Triangle {
    let mut vertices: [DVec3; 3] = std::array::from_fn(|_| rng.grid(reach));
    match rng.below(10) {
        0 => vertices[2] = vertices[rng.below(2) as usize],
        1 => vertices = [vertices[0]; 3],
        2 => vertices[2] = vertices[0] + (vertices[1] - vertices[0]) * rng.integer(2),
        3 => vertices[2] = (vertices[0] + vertices[1]) * 0.5,
        4 | 5 => {
            let (axis, level) = (rng.below(3) as usize, rng.integer(1));
            vertices.iter_mut().for_each(|c| c[axis] = level);
        }
        6 => vertices[2] = vertices[0].lerp(vertices[1], 0.5 + rng.real()),
        _ => {}
    }
    vertices.rotate_left(rng.below(3) as usize);
    Triangle { vertices }
}

/// Moves vertices of `b` onto vertices, edges, the plane or the inside of `a`.
fn share(rng: &mut Random, a: &Triangle, b: &mut Triangle) {
    let [p, q, r] = a.vertices;
    for k in 0..3 {
        match rng.below(12) {
            0 => b.vertices[k] = p,
            1 => b.vertices[k] = q,
            2 => b.vertices[k] = (p + q) * 0.5,
            3 => b.vertices[k] = p + (q - p) * rng.integer(2) + (r - p) * rng.integer(2),
            4 => b.vertices[k] = p * 0.5 + q * 0.25 + r * 0.25,
            5 => b.vertices[k] = p + q - r,
            6 => b.vertices[k] = r + (q - p),
            _ => {}
        }
    }
}

/// Poses under which `a` and `b`, given in one frame, keep their contacts exactly or almost.
fn pose_with_contact(rng: &mut Random, a: Triangle, b: Triangle, reach: i64) -> Case {
    let with = |a, b, world_from_a, world_from_b| Case { a, b, world_from_a, world_from_b };
    match rng.below(7) {
        0 | 1 => with(a, b, Pose::IDENTITY, Pose::IDENTITY),
        2 => {
            let pose = Pose::new(any_quaternion(rng), rng.vector());
            with(a, b, pose, pose)
        }
        3 => {
            let q = any_quaternion(rng);
            let twice = Pose::from_rotation(q * rng.real());
            with(a, b, Pose::from_rotation(q), if twice.is_valid() { twice } else { Pose::IDENTITY })
        }
        4 => {
            let mut pose = || Pose::new(quarter_turns(rng), rng.grid(reach));
            with(a, b, pose(), pose())
        }
        5 => rational_pose(rng, a, b, reach),
        _ => {
            // Almost: the vertices of b are rounded images.
            let pose = Pose::new(any_quaternion(rng), rng.vector());
            let inverse = pose.inverse();
            with(
                a,
                Triangle { vertices: b.vertices.map(|p| inverse.transform_point(p)) },
                Pose::IDENTITY,
                pose,
            )
        }
    }
}

/// With integer `q` the rotation is `M/n` in integers: B on the grid times `n`, A on its image.
fn rational_pose(rng: &mut Random, a: Triangle, b: Triangle, reach: i64) -> Case {
    let q = DQuat::from_xyzw(rng.integer(4), rng.integer(4), rng.integer(4), 1.0 + rng.below(4) as f64);
    let n = q.length_squared();
    let image = |p: DVec3| {
        let v = DVec3::new(q.x, q.y, q.z);
        // |q|² times the rotated vector, in small integers throughout.
        (2.0 * v.dot(p)) * v + (q.w * q.w - v.dot(v)) * p + 2.0 * q.w * v.cross(p)
    };
    let shift = rng.grid(reach);
    let turned = Triangle { vertices: a.vertices.map(|p| image(p) + shift) };
    let grown = Triangle { vertices: b.vertices.map(|p| p * n) };
    let stretched = q * [1.0, 0.5, 3.0, 0.1 + 0.9 * rng.real().abs()][rng.below(3) as usize];
    let (one, other) = (Pose::IDENTITY, Pose::new(stretched, shift));
    Case { a: turned, b: grown, world_from_a: one, world_from_b: other }
}

fn quarter_turns(rng: &mut Random) -> DQuat {
    let s = [1.0, 3.0, std::f64::consts::FRAC_1_SQRT_2, 0.1][rng.below(4) as usize];
    let t = if rng.one_in(2) { s } else { -s };
    match rng.below(6) {
        0 => DQuat::from_xyzw(s, 0.0, 0.0, t),
        1 => DQuat::from_xyzw(0.0, t, 0.0, s),
        2 => DQuat::from_xyzw(s, t, s, t),
        3 => DQuat::from_xyzw(0.0, s, t, 0.0),
        4 => DQuat::from_xyzw(0.0, 0.0, s, 0.0),
        _ => DQuat::from_xyzw(0.0, 0.0, 0.0, t),
    }
}

fn any_quaternion(rng: &mut Random) -> DQuat {
    loop {
        let q = DQuat::from_xyzw(rng.real(), rng.real(), rng.real(), rng.real());
        if q.length_squared() > 0.01 {
            return match rng.below(3) {
                0 => q,
                1 => q.normalize(),
                _ => q * 10f64.powi(rng.integer(30) as i32),
            };
        }
    }
}

/// Every length times a factor.
pub(crate) fn scaled(case: &Case, factor: f64) -> Case {
    let triangle = |t: &Triangle| Triangle { vertices: t.vertices.map(|p| p * factor) };
    let pose = |p: &Pose| Pose::new(p.rotation, p.translation * factor);
    Case {
        a: triangle(&case.a),
        b: triangle(&case.b),
        world_from_a: pose(&case.world_from_a),
        world_from_b: pose(&case.world_from_b),
    }
}

fn shifted(mut case: Case, by: DVec3) -> Case {
    if case.world_from_a == case.world_from_b {
        case.a.vertices.iter_mut().chain(&mut case.b.vertices).for_each(|p| *p += by);
    } else {
        case.world_from_a.translation += by;
        case.world_from_b.translation += by;
    }
    case
}

pub(crate) fn relation(case: &Case) -> Relation {
    let frame = PairFrame::new(&RelativePose::new(&case.world_from_a, &case.world_from_b));
    TrianglePair::new(&case.a, &case.b, &frame).relation()
}

pub(crate) fn swapped(case: &Case) -> Case {
    let Case { a, b, world_from_a, world_from_b } = case.clone();
    Case { a: b, b: a, world_from_a: world_from_b, world_from_b: world_from_a }
}

/// The relation, if it equals the oracle's, is symmetric and does not change with scale.
pub(crate) fn check_relation(case: &Case, exponent: i32) -> Result<Relation, String> {
    let answer = relation(case);
    let truth = naive::relation(&case.a, &case.b, &case.world_from_a, &case.world_from_b);
    if answer != truth {
        return Err(format!("{answer:?}, but the oracle says {truth:?}: {case:?}"));
    }
    if relation(&swapped(case)) != answer {
        return Err(format!("{answer:?}, but not when swapped: {case:?}"));
    }
    if relation(&scaled(case, 2f64.powi(exponent))) != answer {
        return Err(format!("{answer:?}, but not times 2^{exponent}: {case:?}"));
    }
    Ok(answer)
}

pub(crate) fn distance(case: &Case) -> Distance {
    let frame = PairFrame::new(&RelativePose::new(&case.world_from_a, &case.world_from_b));
    TrianglePair::new(&case.a, &case.b, &frame).distance()
}

fn intersection(case: &Case) -> Intersection {
    let frame = PairFrame::new(&RelativePose::new(&case.world_from_a, &case.world_from_b));
    TrianglePair::new(&case.a, &case.b, &frame).intersection()
}

/// The largest coordinate of both triangles in A's frame, up to rounding.
fn largest(case: &Case) -> f64 {
    let pose = RelativePose::new(&case.world_from_a, &case.world_from_b);
    let b = case.b.vertices.map(|p| pose.transform_point(p));
    case.a.vertices.iter().chain(&b).fold(0.0, |m: f64, p| m.max(p.abs().max_element()))
}

/// Compares the distance of a point of A's frame from A or from B with a length.
fn off_triangles(case: &Case, point: DVec3, length: f64) -> (Ordering, Ordering) {
    let (point, pose) = (Triangle::new(point, point, point), case.world_from_a);
    let to_a = naive::ExactDistance::new(&point, &case.a, &pose, &pose);
    let to_b = naive::ExactDistance::new(&point, &case.b, &pose, &case.world_from_b);
    (to_a.compare(length), to_b.compare(length))
}

/// Asserts that the distance bracket holds the true value, is narrow, scales, and has its witnesses in place.
pub(crate) fn check_distance(case: &Case, exponent: i32) -> Result<(), String> {
    let gap = distance(case);
    let truth = naive::ExactDistance::new(&case.a, &case.b, &case.world_from_a, &case.world_from_b);
    let fail = |what: &str| Err(format!("{what}: {gap:?} of {case:?}"));
    if truth.compare(gap.at_least).is_lt() || truth.compare(gap.at_most).is_gt() {
        return fail("the bracket misses the distance");
    }
    if truth.compare(0.0).is_eq() != (gap.at_most == 0.0) {
        return fail("zero is not exact");
    }
    let size = largest(case);
    // The rounded pose makes the size uncertain where B's coordinates cancel; no bracket is narrower
    // than the spacing of subnormal numbers.
    let measurable = size > 1e-6 * reach(case) && size > 1e-290;
    let width = 32.0 * 2f64.powi(-53) * size * (1.0 + 1e-9);
    if measurable && gap.at_most - gap.at_least > width {
        return fail("the bracket is wide");
    }
    let near = 1e-11 * size;
    let (a, b) = (off_triangles(case, gap.witness_a, near).0, off_triangles(case, gap.witness_b, near).1);
    // Divided first: squares must not leave the range.
    let length = ((gap.witness_a - gap.witness_b) / size).length() * size;
    if measurable && (a.is_gt() || b.is_gt() || (length - gap.at_most).abs() > near) {
        return fail("the witnesses are off");
    }
    let factor = 2f64.powi(exponent);
    let same = distance(&scaled(case, factor));
    if (same.at_least, same.at_most) != (gap.at_least * factor, gap.at_most * factor) {
        return fail("the bracket does not scale");
    }
    Ok(())
}

fn reach(case: &Case) -> f64 {
    let poses = [case.world_from_a.translation, case.world_from_b.translation];
    case.b.vertices.iter().chain(&poses).fold(0.0, |m: f64, p| m.max(p.abs().max_element()))
}

/// Asserts that the common part has the right number of vertices, all on both triangles.
pub(crate) fn check_intersection(case: &Case) -> Result<(), String> {
    let found = intersection(case);
    let vertices = naive::common_vertices(&case.a, &case.b, &case.world_from_a, &case.world_from_b);
    if found.points().len() != vertices {
        return Err(format!("{found:?}, but the oracle has {vertices} vertices: {case:?}"));
    }
    if (found.relation == Relation::Intersecting) != found.segment().is_some() && vertices != 2 {
        return Err(format!("{found:?} is not a segment: {case:?}"));
    }
    let near = 2f64.powi(-35) * largest(case);
    for &p in found.points() {
        let (a, b) = off_triangles(case, p, near);
        if (a.is_gt() || b.is_gt()) && largest(case) > (1e-6 * reach(case)).max(1e-290) {
            return Err(format!("{p} of {found:?} is off: {case:?}"));
        }
    }
    Ok(())
}
