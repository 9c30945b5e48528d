//! The convex polyhedra of the double-hierarchy papers (Arcila et al.), by their vertices.

use glam::{DVec3, dvec3};
use noli_geom::Polytope;
use std::f64::consts::PI;

/// A polyhedron of the papers.
#[derive(Clone, Debug)]
pub struct Polyhedron {
    /// Name in the papers.
    pub name: &'static str,
    /// Description of the shape.
    pub description: &'static str,
    /// Vertices, edges and faces, as printed.
    pub printed: [usize; 3],
    /// The body.
    pub body: Polytope,
}

impl Polyhedron {
    fn new(name: &'static str, description: &'static str, printed: [usize; 3], vertices: Vec<DVec3>) -> Self {
        let body = Polytope::around(&vertices).expect("vertices of a known solid");
        Self { name, description, printed, body }
    }

    /// Vertices, edges and faces of the body.
    pub fn counts(&self) -> [usize; 3] {
        let sides: usize = self.body.faces.iter().map(|face| face.vertices.len()).sum();
        [self.body.vertices.len(), sides / 2, self.body.faces.len()]
    }
}

/// Returns the seven polyhedra of both papers. Where a name and the printed counts disagree, the counts
/// decide. The papers do not describe the diamond; it has a substitute with its counts.
pub fn polyhedra() -> Vec<Polyhedron> {
    let golden = (1.0 + 5.0f64.sqrt()) / 2.0;
    vec![
        Polyhedron::new("Cubo", "cube", [8, 12, 6], signs([dvec3(0.5, 0.5, 0.5)])),
        Polyhedron::new("Octaedro", "octahedron", [6, 12, 8], signs(DVec3::AXES)),
        Polyhedron::new("Diamante", "cut diamond, a stand-in", [41, 88, 49], diamond()),
        Polyhedron::new("Rh", "great rhombicosidodecahedron", [120, 180, 62], rhombicosidodecahedron(golden)),
        Polyhedron::new(
            "Troctaedro",
            "truncated octahedron",
            [24, 36, 14],
            signs(all_orders([dvec3(0.0, 1.0, 2.0)])),
        ),
        Polyhedron::new(
            "Dodecaedro",
            "icosahedron, by its counts",
            [12, 30, 20],
            signs(cycles([dvec3(0.0, 1.0, golden)])),
        ),
        Polyhedron::new("Eneagonal", "antiprism over nine sides, by its counts", [18, 36, 20], antiprism(9)),
    ]
}

/// All changes of sign, each point once.
fn signs(points: impl IntoIterator<Item = DVec3>) -> Vec<DVec3> {
    let mut all: Vec<DVec3> = Vec::new();
    for point in points {
        for k in 0..8u32 {
            let sign = |axis: u32| if k >> axis & 1 == 1 { -1.0 } else { 1.0 };
            // Adding zero turns −0 into 0.
            let turned = point * dvec3(sign(0), sign(1), sign(2)) + 0.0;
            if !all.contains(&turned) {
                all.push(turned);
            }
        }
    }
    all
}

/// The even orders of the coordinates.
fn cycles(points: impl IntoIterator<Item = DVec3>) -> impl Iterator<Item = DVec3> {
    points.into_iter().flat_map(|p| [p, dvec3(p.y, p.z, p.x), dvec3(p.z, p.x, p.y)])
}

fn all_orders(points: impl IntoIterator<Item = DVec3>) -> impl Iterator<Item = DVec3> {
    cycles(points.into_iter().flat_map(|p| [p, dvec3(p.y, p.x, p.z)]))
}

fn rhombicosidodecahedron(f: f64) -> Vec<DVec3> {
    signs(cycles([
        dvec3(1.0 / f, 1.0 / f, 3.0 + f),
        dvec3(2.0 / f, f, 1.0 + 2.0 * f),
        dvec3(1.0 / f, f * f, 3.0 * f - 1.0),
        dvec3(2.0 * f - 1.0, 2.0, 2.0 + f),
        dvec3(f, 3.0, 2.0 * f),
    ]))
}

/// Rings of eight points on the unit sphere, the lowest turned by half a side, and the lower pole.
fn diamond() -> Vec<DVec3> {
    let ring = |latitude: f64, turn: f64| {
        let (height, radius) = (latitude.to_radians().sin(), latitude.to_radians().cos());
        (0..8).map(move |k| {
            let angle = (f64::from(k) + turn) * PI / 4.0;
            dvec3(radius * angle.cos(), radius * angle.sin(), height)
        })
    };
    let rings = [(50.0, 0.0), (25.0, 0.0), (5.0, 0.0), (-15.0, 0.0), (-45.0, 0.5)];
    rings.into_iter().flat_map(|(latitude, turn)| ring(latitude, turn)).chain([-DVec3::Z]).collect()
}

/// Two rings of radius 1, rotated by half a side, at the distance that makes all edges equal.
fn antiprism(sides: u32) -> Vec<DVec3> {
    let step = 2.0 * PI / f64::from(sides);
    let chord_sq = |angle: f64| 2.0 - 2.0 * angle.cos();
    let half_height = 0.5 * (chord_sq(step) - chord_sq(0.5 * step)).sqrt();
    let vertex = |k: u32, turn: f64, z: f64| {
        let angle = (f64::from(k) + turn) * step;
        dvec3(angle.cos(), angle.sin(), z)
    };
    let ring = |turn: f64, z: f64| (0..sides).map(move |k| vertex(k, turn, z));
    ring(0.0, -half_height).chain(ring(0.5, half_height)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts as printed, volumes and areas as known.
    #[test]
    fn counts_are_those_printed() {
        let known = [
            (1.0, 6.0),
            (1.333333, 6.928203),
            (3.445693, 11.430409),
            (390.557281, 266.294526),
            (32.0, 53.569219),
            (17.453560, 34.641016),
            (1.741096, 9.432095),
        ];
        for (one, (volume, area)) in polyhedra().iter().zip(known) {
            assert_eq!(one.counts(), one.printed, "{}", one.name);
            let [v, e, f] = one.counts();
            assert_eq!(v + f, e + 2);
            assert!((one.body.volume() - volume).abs() < 1e-5, "{}: {}", one.name, one.body.volume());
            assert!((one.body.area() - area).abs() < 1e-5, "{}: {}", one.name, one.body.area());
        }
    }
}
