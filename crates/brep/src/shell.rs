//! How the faces of a body fit together: an edge belongs to two faces, which run through it in opposite directions.
//!
//! Some programs write the loops of a face the wrong way round, those of mirrored surfaces for example. Faces of a closed
//! shell that disagree with their neighbours about an edge are turned: a breadth-first search gives every face of a part a
//! direction. Those that bound no part of their surface decide which is the wrong one, else the lesser number of faces.

use crate::boundary::{Edge, LoopVertex, OrientedEdge};
use crate::face::{FaceSpec, on_left};
use crate::seam::whole;
use crate::trace::{Density, Traced, trace};
use crate::triangulate::doubled_area;
use crate::trim::assemble;
use std::cmp::Ordering;
use std::collections::{BTreeMap, VecDeque};

/// The edges of a body, seen from its faces.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ShellReport {
    /// Edges of one face only.
    pub border_edges: usize,
    /// Edges that faces run through more often in one direction than in the other, borders not counted.
    pub misoriented_edges: usize,
    /// Edges of three or more faces.
    pub non_manifold_edges: usize,
    /// Faces whose loops were the wrong way round in the file, and were turned.
    pub turned_faces: usize,
    /// Greatest distance between an edge and the surface of its face, where they were compared, in millimetres.
    pub gap: f64,
}

impl ShellReport {
    /// Returns `true` if the faces bound a solid: they agree at every edge.
    pub fn is_closed(&self) -> bool {
        self.border_edges == 0 && self.misoriented_edges == 0
    }

    /// Why the faces bound no solid, for people; `None` if they do.
    pub fn flaw(&self) -> Option<String> {
        let Self { border_edges, misoriented_edges, gap, .. } = *self;
        let mut flaws = Vec::new();
        if border_edges > 0 {
            flaws.push(format!("{border_edges} edges belong to one face only"));
        }
        if misoriented_edges > 0 {
            flaws.push(format!("faces disagree about which side is out at {misoriented_edges} edges"));
        }
        let gap = if gap > 0.0 {
            format!(" (edges are up to {gap:.1e} mm off their surfaces)")
        } else {
            String::new()
        };
        (!flaws.is_empty()).then(|| format!("its shell is open: {}{gap}", flaws.join(", ")))
    }

    pub(crate) fn new(edges: usize, loops: impl Iterator<Item = OrientedEdge>) -> Self {
        let mut uses = vec![[0usize; 2]; edges];
        loops.for_each(|(edge, forward)| uses[edge][usize::from(forward)] += 1);
        let count = |is: fn(&[usize; 2]) -> bool| uses.iter().filter(|found| is(found)).count();
        Self {
            border_edges: count(|[back, ahead]| back + ahead == 1),
            misoriented_edges: count(|[back, ahead]| back + ahead > 1 && back != ahead),
            non_manifold_edges: count(|[back, ahead]| back + ahead > 2),
            ..Self::default()
        }
    }
}

/// Turns the faces that disagree with their neighbours, and returns their number.
pub(crate) fn orient(faces: &mut [FaceSpec], edges: &[Edge]) -> usize {
    let mut uses: Vec<Vec<(usize, bool)>> = vec![Vec::new(); edges.len()];
    for (number, face) in faces.iter().enumerate() {
        face.loops.iter().flatten().for_each(|&(edge, forward)| uses[edge].push((number, forward)));
    }
    let disagree = |found: &Vec<(usize, bool)>| matches!(found[..], [a, b] if a.1 == b.1);
    if !uses.iter().any(disagree) {
        return 0;
    }
    let mut turned: Vec<Option<bool>> = vec![None; faces.len()];
    let mut sum = 0;
    for first in 0..faces.len() {
        let Some(part) = part(first, faces, &uses, &mut turned) else { continue };
        let (ahead, back): (Vec<usize>, Vec<usize>) =
            part.into_iter().partition(|&face| turned[face] == Some(false));
        if back.is_empty() {
            continue;
        }
        // Faces whose loops have no part of the surface on their left are certainly the wrong way round.
        let count = |part: &[usize]| part.iter().filter(|&&face| !bounds_part(&faces[face], edges)).count();
        let is_back = match count(&back).cmp(&count(&ahead)) {
            Ordering::Equal => back.len() <= ahead.len(),
            order => order == Ordering::Greater,
        };
        let wrong = if is_back { back } else { ahead };
        for face in wrong {
            turn(&mut faces[face], edges);
            sum += 1;
        }
    }
    sum
}

/// The faces that are connected with the first, each with its direction; `None` if they were found before, or none agrees.
fn part(
    first: usize,
    faces: &[FaceSpec],
    uses: &[Vec<(usize, bool)>],
    turned: &mut [Option<bool>],
) -> Option<Vec<usize>> {
    if turned[first].is_some() {
        return None;
    }
    turned[first] = Some(false);
    let (mut found, mut open, mut is_consistent) = (vec![first], VecDeque::from([first]), true);
    while let Some(number) = open.pop_front() {
        for &(edge, forward) in faces[number].loops.iter().flatten() {
            let [a, b] = uses[edge][..] else { continue };
            let (other, theirs) = if (a.0, a.1) == (number, forward) { b } else { a };
            if other == number {
                continue;
            }
            let wanted = turned[number].map(|own| own != (forward == theirs));
            match turned[other] {
                None => {
                    turned[other] = wanted;
                    found.push(other);
                    open.push_back(other);
                }
                known => is_consistent &= known == wanted,
            }
        }
    }
    is_consistent.then_some(found)
}

/// Turns the loops of a face. If these bound a part of its surface as they are, its outward normal was the wrong one too.
fn turn(face: &mut FaceSpec, edges: &[Edge]) {
    let bounds_part = bounds_part(face, edges);
    face.same_sense ^= bounds_part;
    for ring in &mut face.loops {
        ring.reverse();
        ring.iter_mut().for_each(|(_, forward)| *forward = !*forward);
    }
}

/// Returns `true` if the loops have a part of the surface to their left, seen against the outward normal.
fn bounds_part(face: &FaceSpec, edges: &[Edge]) -> bool {
    let density = Density { all: 1, finer: &BTreeMap::new() };
    let rings = on_left(&face.loops, face.same_sense);
    let traced: Vec<Traced> =
        rings.iter().filter_map(|ring| trace(&face.surface, edges, ring, density)).collect();
    let area = |ring: &[LoopVertex]| doubled_area(&ring.iter().map(|vertex| vertex.uv).collect::<Vec<_>>());
    if traced.iter().all(|ring| ring.winding == [0, 0]) {
        return traced.iter().map(|ring| area(&ring.vertices)).sum::<f64>() > 0.0;
    }
    // Loops around a closed surface have a part of it on either side: the smaller one is meant.
    let own: Option<f64> =
        assemble(&face.surface, traced).map(|polygons| polygons.iter().map(|polygon| area(polygon)).sum());
    let all = whole(&face.surface, &[]).map_or(f64::INFINITY, |domain| area(&domain));
    own.is_some_and(|own| 0.0 < own && own < 0.5 * all)
}
