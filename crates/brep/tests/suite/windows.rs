//! Curved faces with windows: points of their triangles that a window cuts off are no points of the face.

use glam::DVec3;
use noli_brep::{Brep, Curve, Edge, FaceSpec, Frame, OrientedEdge, SplineSurface, Surface};
use noli_brep::{Options, clearance};
use noli_geom::{Bracket, Pose};
use noli_testing::Random;
use std::f64::consts::TAU;

/// Error of the oracle and of rounding, for lengths about 1.
const ERROR: f64 = 1e-9;

/// A body of one face with a closed form of its trims.
struct Shell {
    body: Brep,
    edges: Vec<Edge>,
    /// Returns `true` for points of the surface that belong to the face.
    holds: Box<dyn Fn(DVec3) -> bool>,
    /// Points of the whole surface at which the distance from a point is stationary.
    feet: fn(DVec3) -> Vec<DVec3>,
}

impl Shell {
    fn new(
        surface: Surface,
        edges: Vec<Edge>,
        loops: Vec<Vec<OrientedEdge>>,
        holds: impl Fn(DVec3) -> bool + 'static,
        feet: fn(DVec3) -> Vec<DVec3>,
    ) -> Self {
        let face = FaceSpec { surface, same_sense: true, loops, name: String::new() };
        let body = Brep::new("shell", edges.clone(), vec![face], false).unwrap();
        Self { body, edges, holds: Box::new(holds), feet }
    }

    /// The distance of a point from the face: from stationary points and from dense samples of the boundary.
    fn distance(&self, point: DVec3) -> f64 {
        let feet = (self.feet)(point).into_iter().filter(|foot| (self.holds)(*foot));
        let inner = feet.map(|foot| foot.distance(point)).fold(f64::INFINITY, f64::min);
        self.edges.iter().map(|edge| nearest(edge, point)).fold(inner, f64::min)
    }
}

fn nearest(edge: &Edge, point: DVec3) -> f64 {
    const SAMPLES: usize = 2_000;
    let step = (edge.to - edge.from) / SAMPLES as f64;
    let at = |t: f64| edge.curve.point(t.clamp(edge.from, edge.to)).distance(point);
    let samples = (0..=SAMPLES).map(|k| edge.from + step * k as f64);
    let best = samples.min_by(|s, t| at(*s).total_cmp(&at(*t))).unwrap();
    let (mut low, mut high) = (best - step, best + step);
    for _ in 0..60 {
        let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if at(left) < at(right) { high = right } else { low = left }
    }
    at(0.5 * (low + high)).min(at(best))
}

fn radial(point: DVec3) -> Vec<DVec3> {
    let across = DVec3::new(point.x, point.y, 0.0).normalize();
    [across, -across].map(|foot| foot + DVec3::Z * point.z).to_vec()
}

fn central(point: DVec3) -> Vec<DVec3> {
    vec![point.normalize(), -point.normalize()]
}

fn below(point: DVec3) -> Vec<DVec3> {
    vec![DVec3::new(point.x, point.y, 0.0)]
}

/// The section of the cylinder of radius 1 by the plane `z = height + slope · x`, by the angle.
fn section(height: f64, slope: f64) -> Curve {
    let along = DVec3::new(1.0, 0.0, slope);
    let x = along.normalize();
    let frame = Frame { origin: DVec3::Z * height, x, y: DVec3::Y, z: x.cross(DVec3::Y) };
    Curve::Ellipse { frame, major: along.length(), minor: 1.0 }
}

/// A wall of a cylinder, with a window between two sections that meet at `x = from`.
fn wall(from: f64, slope: f64) -> Shell {
    let end = from.acos();
    // Rims begin opposite of the window.
    let rim = |origin: DVec3| Frame { origin, x: -DVec3::X, y: -DVec3::Y, z: DVec3::Z };
    let edges = vec![
        Edge::new(Curve::Circle { frame: rim(-DVec3::Z), radius: 1.0 }, 0.0, TAU),
        Edge::new(Curve::Circle { frame: rim(DVec3::Z), radius: 1.0 }, 0.0, TAU),
        Edge::new(section(-slope * from, slope), -end, end),
        Edge::new(section(slope * from, -slope), -end, end),
    ];
    let loops = vec![vec![(0, true)], vec![(1, false)], vec![(2, true), (3, false)]];
    let holds = move |p: DVec3| p.z.abs() <= 1.0 && p.z.abs() >= slope * (p.x - from);
    Shell::new(Surface::Cylinder { frame: Frame::WORLD, radius: 1.0 }, edges, loops, holds, radial)
}

/// A cylinder cut off aslant at both ends.
fn slant(low: f64, high: f64) -> Shell {
    let edges = vec![Edge::new(section(-1.2, low), 0.0, TAU), Edge::new(section(1.2, high), 0.0, TAU)];
    let holds = move |p: DVec3| p.z >= -1.2 + low * p.x && p.z <= 1.2 + high * p.x;
    let loops = vec![vec![(0, true)], vec![(1, false)]];
    Shell::new(Surface::Cylinder { frame: Frame::WORLD, radius: 1.0 }, edges, loops, holds, radial)
}

/// A sphere without the cap beyond `height` along a direction.
fn capped(direction: DVec3, height: f64) -> Shell {
    let frame = Frame::new(direction * height, direction, None).unwrap();
    let circle = Curve::Circle { frame, radius: (1.0 - height * height).sqrt() };
    let holds = move |p: DVec3| p.dot(direction) <= height;
    let surface = Surface::Sphere { frame: Frame::WORLD, radius: 1.0 };
    Shell::new(surface, vec![Edge::new(circle, 0.0, TAU)], vec![vec![(0, false)]], holds, central)
}

/// A disc with a round hole, on a plane that is given as a spline with a bent net.
fn disc(center: DVec3, radius: f64) -> Shell {
    let row = |x: f64| [[x, 0.0], [x * 1.2, 0.6], [x, 1.0]].map(|[x, y]| DVec3::new(x, y, 0.0)).to_vec();
    let knots = (2usize, &[0.0, 1.0][..], &[3usize, 3][..]);
    let surface = SplineSurface::new(&[row(0.0), row(0.5), row(1.0)], None, knots, knots).unwrap();
    let outer = DVec3::new(0.5, 0.5, 0.0);
    let circle = |center: DVec3, radius: f64| Curve::Circle { frame: Frame::at(center), radius };
    let edges = vec![Edge::new(circle(outer, 0.45), 0.0, TAU), Edge::new(circle(center, radius), 0.0, TAU)];
    let holds = move |p: DVec3| p.distance(outer) <= 0.45 && p.distance(center) >= radius;
    Shell::new(Surface::Spline(surface), edges, vec![vec![(0, true)], vec![(1, false)]], holds, below)
}

/// A disc in a plane with two round holes that leave little between them and the rim.
fn plate(between: f64, radius: f64) -> Shell {
    let centers = [-1.0, 1.0].map(|side| DVec3::X * (side * (radius + 0.5 * between)));
    let circle =
        |center: DVec3, radius: f64| Edge::new(Curve::Circle { frame: Frame::at(center), radius }, 0.0, TAU);
    let outer = 2.0 * radius + 2.0 * between;
    let edges = vec![circle(DVec3::ZERO, outer), circle(centers[0], radius), circle(centers[1], radius)];
    let loops = vec![vec![(0, true)], vec![(1, false)], vec![(2, false)]];
    let holds = move |p: DVec3| p.length() <= outer && centers.iter().all(|c| p.distance(*c) >= radius);
    Shell::new(Surface::Plane(Frame::WORLD), edges, loops, holds, below)
}

fn shells(random: &mut Random) -> Vec<Shell> {
    let mut direction = || random.vector().normalize();
    let directions = [direction(), direction(), DVec3::new(1.0, 0.1, 0.9).normalize()];
    let mut between = |low: f64, high: f64| random.between(low, high);
    vec![
        wall(between(-0.2, 0.7), between(0.5, 0.8)),
        wall(between(0.6, 0.9), between(0.3, 2.0)),
        slant(between(-0.9, 0.9), between(-0.9, 0.9)),
        capped(directions[0], between(0.2, 0.9)),
        capped(directions[1], between(-0.8, 0.2)),
        capped(directions[2], between(0.8, 0.97)),
        plate(between(0.01, 0.1), 0.4),
        disc(DVec3::new(between(0.4, 0.6), between(0.4, 0.6), 0.0), between(0.1, 0.3)),
    ]
}

fn check(found: Bracket, expected: f64, place: &str) {
    assert!(found.at_least <= expected + ERROR, "{place}: {found:?} {expected}");
    assert!(found.at_most >= expected - ERROR, "{place}: {found:?} {expected}");
}

#[test]
fn distances_over_windows_are_those_of_their_rims() {
    let mut random = Random::new(2038);
    let small = Brep::sphere(1e-3);
    let options = Options { precision: Some(1e-4), budget: 5_000, ..Options::default() };
    let (mut count, mut narrow) = (0, 0);
    for round in 0..6 {
        for (kind, shell) in shells(&mut random).into_iter().enumerate() {
            for _ in 0..12 {
                let edge = &shell.edges[random.index(shell.edges.len())];
                let rim = edge.curve.point(random.between(edge.from, edge.to));
                let near = rim + random.vector() * [0.3, 0.05, 0.005][random.index(3)];
                let expected = shell.distance(near);
                let place = format!("{round} {kind} {near}");
                let found = shell.body.distance_to_surface(near, 1e-9, 20_000);
                check(found, expected, &place);
                count += 1;
                narrow += usize::from(found.width() <= 2e-9);
                if expected < 2e-3 {
                    continue;
                }
                let at = Pose::from_translation(near);
                let found = clearance(&shell.body, &small, &Pose::IDENTITY, &at, &options);
                check(found, expected - 1e-3, &place);
            }
        }
    }
    // Few triangles are left that sides of others reach into.
    assert!(narrow * 10 > count * 9, "{narrow} of {count}");
}

/// Rays pass through a window and hit the wall behind it.
#[test]
fn rays_pass_through_windows() {
    let mut random = Random::new(2039);
    let (mut through, mut certain) = (0, 0);
    for _ in 0..20 {
        let shell = wall(random.between(-0.2, 0.7), random.between(0.5, 0.8));
        for _ in 0..12 {
            let edge = &shell.edges[2 + random.index(2)];
            let near = edge.curve.point(random.between(edge.from, edge.to)) + random.vector() * 0.03;
            let origin = near.normalize() * 3.0 + random.vector();
            let direction = (near - origin).normalize();
            let (d, o) = (DVec3::new(direction.x, direction.y, 0.0), DVec3::new(origin.x, origin.y, 0.0));
            let (a, b, c) = (d.length_squared(), d.dot(o), o.length_squared() - 1.0);
            let root = b * b - a * c;
            if root < 1e-4 {
                continue;
            }
            let times = [(-b - root.sqrt()) / a, (-b + root.sqrt()) / a];
            let hits = times.map(|t| (shell.holds)(origin + direction * t).then_some(t));
            let expected = hits[0].or(hits[1]);
            through += usize::from(hits[0].is_none());
            match (expected, shell.body.ray_cast(origin, direction, 1e-7, 20_000)) {
                (Some(distance), Some(hit)) => {
                    certain += usize::from(hit.distance.at_most < f64::INFINITY);
                    check(hit.distance, distance, &format!("{origin} {direction}"));
                }
                (Some(distance), None) => panic!("missed at {distance}"),
                (None, Some(hit)) => assert_eq!(hit.distance.at_most, f64::INFINITY, "{hit:?}"),
                (None, None) => {}
            }
        }
    }
    assert!(through > 60 && certain > 150, "{through} {certain}");
}
