//! Faces that agree about which side is out, where that is possible.

use crate::number::index;
use noli_geom::{Mesh, MeshError, MeshOptions};
use std::collections::{HashMap, HashSet};

/// A mesh some of whose faces were turned round.
pub struct Oriented {
    /// The mesh; faces and vertices keep their numbers.
    pub mesh: Mesh,
    turned: usize,
    outward: bool,
}

impl Oriented {
    /// Returns a user message.
    pub fn said(&self) -> String {
        let many =
            if self.turned == 1 { "1 face was".to_owned() } else { format!("{} faces were", self.turned) };
        let side = if self.outward { ", and all look outward" } else { "" };
        format!("{many} turned round so that neighbours agree about which side is out{side}")
    }
}

/// A connected part.
struct Part {
    faces: Vec<usize>,
    /// No edge has a face on one side only.
    closed: bool,
}

/// Faces at every edge, each with whether it runs from the smaller vertex to the larger.
type Edges = HashMap<[u32; 2], Vec<(usize, bool)>>;

/// The mesh with every connected part oriented: neighbours agree, and closed parts look outward, except those that may bound
/// a hollow: parts of several whose faces agree already. `None` if nothing had
/// to be turned, or if a part has no two sides (more than two faces at an edge, or a Möbius strip): then nothing is.
pub fn oriented(mesh: &Mesh) -> Result<Option<Oriented>, MeshError> {
    let report = mesh.report();
    if report.oriented && (!report.closed || report.signed_volume >= 0.0) {
        return Ok(None);
    }
    let mut at_edge = Edges::new();
    for (number, &triangle) in mesh.triangles().iter().enumerate() {
        for [from, to] in sides(triangle) {
            if from != to {
                at_edge.entry([from.min(to), from.max(to)]).or_default().push((number, from < to));
            }
        }
    }
    if at_edge.values().any(|faces| faces.len() > 2) {
        return Ok(None);
    }
    let mut turn: Vec<Option<bool>> = vec![None; mesh.triangles().len()];
    let mut outward = true;
    for first in 0..turn.len() {
        if turn[first].is_some() {
            continue;
        }
        let Some(part) = spread(mesh.triangles(), &at_edge, first, &mut turn) else { return Ok(None) };
        outward &= part.closed;
        // A closed part of several whose faces agree may bound a hollow in another one.
        let is_hollow = part.closed
            && part.faces.len() < turn.len()
            && part.faces.iter().all(|&number| turn[number] == Some(false));
        if is_hollow {
            continue;
        }
        if is_inside_out(mesh, &part, &turn) {
            part.faces.iter().for_each(|&number| turn[number] = turn[number].map(|turned| !turned));
        }
    }
    let is_turned = |number: usize| turn[number] == Some(true);
    if !(0..turn.len()).any(is_turned) {
        return Ok(None);
    }
    let flip =
        |(number, &[a, b, c]): (usize, &[u32; 3])| if is_turned(number) { [a, c, b] } else { [a, b, c] };
    let flipped: Vec<[u32; 3]> = mesh.triangles().iter().enumerate().map(flip).collect();
    let user_vertices: Vec<u32> = (0..index(mesh.vertices().len())).map(|v| mesh.user_vertex(v)).collect();
    let user_faces: Vec<u32> = (0..index(flipped.len())).map(|t| mesh.user_face(t)).collect();
    let faces: HashSet<u32> = (0..flipped.len()).filter(|&t| is_turned(t)).map(|t| user_faces[t]).collect();
    let made = Mesh::from_triangles(mesh.vertices().to_vec(), flipped, &MeshOptions { weld: false })?;
    let made = made.renumbered(&user_vertices, &user_faces)?.with_kind(mesh.kind());
    Ok(Some(Oriented { mesh: made, turned: faces.len(), outward }))
}

fn sides([a, b, c]: [u32; 3]) -> [[u32; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

/// Returns the part of a face, and marks those of its faces to be turned so that all agree with the first. `None` if
/// they cannot.
fn spread(triangles: &[[u32; 3]], at_edge: &Edges, first: usize, turn: &mut [Option<bool>]) -> Option<Part> {
    turn[first] = Some(false);
    let (mut part, mut next) = (Part { faces: vec![first], closed: true }, 0);
    while let Some(&number) = part.faces.get(next) {
        next += 1;
        let own = turn[number] == Some(true);
        for [from, to] in sides(triangles[number]) {
            let Some(faces) = at_edge.get(&[from.min(to), from.max(to)]) else { continue };
            let Some(&(other, other_up)) = faces.iter().find(|face| face.0 != number) else {
                part.closed = false;
                continue;
            };
            // Neighbours run through their edge in opposite directions.
            let wanted = (other_up == (from < to)) != own;
            match turn[other] {
                None => {
                    turn[other] = Some(wanted);
                    part.faces.push(other);
                }
                Some(is) if is != wanted => return None,
                Some(_) => {}
            }
        }
    }
    Some(part)
}

/// Returns `true` if a closed part looks inward by its volume. An open part has no outside: most faces stay as they are.
fn is_inside_out(mesh: &Mesh, part: &Part, turn: &[Option<bool>]) -> bool {
    let is_turned = |number: usize| turn[number] == Some(true);
    if !part.closed {
        return 2 * part.faces.iter().filter(|&&number| is_turned(number)).count() > part.faces.len();
    }
    let six_volumes = part.faces.iter().map(|&number| {
        let [a, b, c] = mesh.triangles()[number].map(|vertex| mesh.vertices()[vertex as usize]);
        let six = a.dot(b.cross(c));
        if is_turned(number) { -six } else { six }
    });
    six_volumes.sum::<f64>() < 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    #[test]
    fn turned_faces_are_turned_back_and_a_moebius_strip_is_left() {
        let cube = Mesh::cuboid(DVec3::ONE).unwrap();
        let mut triangles = cube.triangles().to_vec();
        for number in [0, 5, 6] {
            triangles[number].swap(1, 2);
        }
        let broken =
            Mesh::from_triangles(cube.vertices().to_vec(), triangles.clone(), &MeshOptions::default())
                .unwrap();
        assert!(broken.report().flaw().is_some());
        let mended = oriented(&broken).unwrap().unwrap();
        assert!(mended.mesh.report().flaw().is_none());
        assert!((mended.mesh.report().signed_volume - 1.0).abs() < 1e-12);
        assert!(mended.outward && mended.turned == 3, "{}", mended.said());
        // All of it inside out.
        triangles = cube.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
        let inside_out =
            Mesh::from_triangles(cube.vertices().to_vec(), triangles, &MeshOptions::default()).unwrap();
        assert_eq!(oriented(&inside_out).unwrap().unwrap().turned, 12);
        assert!(oriented(&cube).unwrap().is_none());
        // A strip of five quads joined with a half turn.
        let (mut vertices, mut strip) = (Vec::new(), Vec::new());
        for k in 0..5 {
            let angle = f64::from(k) * std::f64::consts::TAU / 5.0;
            let (out, up) = (DVec3::new(angle.cos(), angle.sin(), 0.0), DVec3::Z);
            let across = (out * (0.5 * angle).cos() + up * (0.5 * angle).sin()) * 0.3;
            vertices.extend([out - across, out + across]);
        }
        for k in 0..5u32 {
            let (a, b) = (2 * k, 2 * k + 1);
            let (c, d) = if k == 4 { (1, 0) } else { (a + 2, b + 2) };
            strip.extend([[a, b, c], [b, d, c]]);
        }
        let strip = Mesh::from_triangles(vertices, strip, &MeshOptions::default()).unwrap();
        assert!(oriented(&strip).unwrap().is_none());
    }
}
