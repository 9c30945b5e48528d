//! Nonconvex bodies as trees of convex hulls (Lin and Canny 1991): two separated hulls leave no pair of
//! faces below them. Hulls are compared by their closest features. The remaining pairs of faces are
//! compared exactly.

use super::lin_canny::{Feature, FeatureHull, Walk, walk};
use super::polyhedron::{Polyhedron, Stood, contained};
use super::work::Tally;
use noli::seams::Supports;
use noli::tree::{Effort, Tree, TreeOptions};
use noli_geom::{Convex, Hull, Mesh, PairFrame, RelativePose, Triangle, TrianglePair};
use std::collections::HashMap;
use std::ops::Range;

/// A mesh with a hull around the faces of every node of its tree.
#[derive(Clone, Debug)]
pub(super) struct HullTree {
    pub(super) body: Polyhedron,
    nodes: Vec<Node>,
    /// Faces in the order of the nodes.
    faces: Vec<u32>,
}

#[derive(Clone, Debug)]
struct Node {
    hull: Piece,
    faces: Range<u32>,
    children: Range<u32>,
}

/// Flat hulls have no regions to walk through.
#[derive(Clone, Debug)]
enum Piece {
    Features(Box<FeatureHull>),
    Flat(Convex),
}

impl Piece {
    fn convex(&self) -> &Convex {
        match self {
            Self::Features(features) => &features.convex,
            Self::Flat(convex) => convex,
        }
    }
}

/// The closest features of pairs of hulls at the last pose, to walk from: bodies move little from one question to the next.
/// Change what an answer costs, never the answer.
#[derive(Clone, Debug, Default)]
pub(super) struct HullHints {
    /// Addresses of the nodes of the two trees that the hints belong to.
    of: Option<[usize; 2]>,
    features: HashMap<[u32; 2], [Feature; 2]>,
}

impl HullHints {
    /// The hints of two bodies; those of others are forgotten.
    fn between(&mut self, a: &HullTree, b: &HullTree) -> &mut HashMap<[u32; 2], [Feature; 2]> {
        let bodies = Some([a, b].map(|body| body.nodes.as_ptr().addr()));
        if self.of != bodies {
            *self = Self { of: bodies, features: HashMap::new() };
        }
        &mut self.features
    }
}

impl HullTree {
    /// Prepare a mesh; nothing where it has no faces.
    pub(super) fn new(mesh: &Mesh) -> Option<Self> {
        let body = Polyhedron::new(mesh);
        let triangles: Vec<Triangle> = body.mesh().iter_triangles().collect();
        let tree = Tree::build(&triangles, &TreeOptions::packed(Effort::Quick));
        let mut nodes = Vec::with_capacity(tree.nodes.len());
        for node in &tree.nodes {
            let faces = tree.faces_of(node);
            let hull = Hull::new(faces.iter().flat_map(|&f| triangles[f as usize].vertices)).ok()?;
            let hull = match FeatureHull::new(hull.clone()) {
                Some(features) => Piece::Features(Box::new(features)),
                None => Piece::Flat(Convex::from(hull)),
            };
            nodes.push(Node { hull, faces: node.faces.clone(), children: node.children.clone() });
        }
        (!nodes.is_empty()).then(|| Self { body, nodes, faces: tree.faces.clone() })
    }

    /// About how many bytes the hulls take, and what the body keeps.
    pub(super) fn bytes(&self) -> usize {
        let of_hull = |node: &Node| match &node.hull {
            Piece::Features(hull) => hull.bytes(),
            Piece::Flat(_) => size_of::<Convex>(),
        };
        self.nodes.iter().map(of_hull).sum::<usize>() + size_of_val(&self.nodes[..]) + self.body.bytes()
    }

    fn triangles(&self, node: &Node) -> impl Iterator<Item = Triangle> {
        let faces = &self.faces[node.faces.start as usize..node.faces.end as usize];
        faces.iter().map(|&face| self.body.mesh().triangle(face))
    }
}

/// Returns `true` if two bodies share a point; `None` if the budget ran out.
pub(super) fn overlap(
    (a, stood_a): (&HullTree, &Stood<'_>),
    (b, stood_b): (&HullTree, &Stood<'_>),
    tally: &mut Tally<'_>,
    hints: &mut HullHints,
) -> Option<bool> {
    let frame = PairFrame::new(&RelativePose::new(stood_a.pose, stood_b.pose));
    let hints = hints.between(a, b);
    let mut open = vec![(0, 0)];
    let mut roots_separated = false;
    while let Some((i, j)) = open.pop() {
        tally.step()?;
        tally.work.volumes += 1;
        let (x, y) = (&a.nodes[i as usize], &b.nodes[j as usize]);
        let hint = hints.entry([i, j]).or_default();
        let (separated, steps) = surely_separated(&x.hull, &y.hull, &frame, hint);
        tally.work.walked += steps as u64;
        if separated {
            roots_separated |= (i, j) == (0, 0);
            continue;
        }
        let larger_a = x.hull.convex().bounding_radius() >= y.hull.convex().bounding_radius();
        if !x.children.is_empty() && (larger_a || y.children.is_empty()) {
            open.extend(x.children.clone().map(|child| (child, j)));
        } else if !y.children.is_empty() {
            open.extend(y.children.clone().map(|child| (i, child)));
        } else if faces_meet((a, x), (b, y), &frame, tally)? {
            return Some(true);
        }
    }
    if roots_separated { Some(false) } else { contained(stood_a, stood_b, tally) }
}

fn faces_meet(
    (a, x): (&HullTree, &Node),
    (b, y): (&HullTree, &Node),
    frame: &PairFrame,
    tally: &mut Tally<'_>,
) -> Option<bool> {
    for face in a.triangles(x) {
        for other in b.triangles(y) {
            tally.work.face_pairs += 1;
            tally.exact()?;
            if TrianglePair::new(&face, &other, frame).overlaps() {
                return Some(true);
            }
        }
    }
    Some(false)
}

/// Returns `true` if support functions prove two hulls separated, and the number of steps of the walk to
/// their closest features. The direction is that between these features, or else one found by a search.
fn surely_separated(a: &Piece, b: &Piece, frame: &PairFrame, hint: &mut [Feature; 2]) -> (bool, usize) {
    let supports = Supports::new(a.convex(), b.convex(), frame);
    let mut walked = 0;
    if let (Piece::Features(x), Piece::Features(y)) = (a, b) {
        let (end, steps) = walk([x, y], frame.pose(), hint, true);
        walked = steps;
        match end {
            Walk::Separated([on_a, on_b]) if supports.at_least_along(on_b - on_a) > 0.0 => {
                return (true, walked);
            }
            _ => {}
        }
    }
    (supports.search(0.0)[0] > 0.0, walked)
}
