//! Linking tests of a part and another body, as of the rings of a chain.
//!
//! Non-contractible closed lines along a mesh's edges come from a spanning tree of its vertices and a
//! non-crossing one of its faces. Each edge in neither closes one (Eppstein 2003). The linking number of two
//! closed polygons is half the sum of the signed intersections of their projections. The projection is in a
//! direction generic for all vertices and edges, and is repeated where a sign is uncertain.

use crate::blocked::{BlockingProof, Infeasible};
use crate::parallel::map;
use crate::rigid::{Member, RigidSpace};
use glam::DVec3;
use noli::world::SnapshotContext;
use noli_geom::random::SplitMix64;
use noli_geom::{Mesh, Pose};

/// Maximum number of lines tested for one mesh; meshes with more faces are not tested.
const LOOPS: usize = 24;
const FACES: usize = 60_000;

impl RigidSpace {
    /// Another body that the part is linked with.
    pub(crate) fn linked(&self) -> Option<Infeasible> {
        let loops_of = |mesh: Option<&Mesh>, pose: &Pose| -> Vec<Vec<DVec3>> {
            let loops = mesh.map_or(Vec::new(), loops);
            loops
                .into_iter()
                .map(|line| line.into_iter().map(|p| pose.transform_point(p)).collect())
                .collect()
        };
        let own = |member: &Member| loops_of(self.model(member).mesh(), &member.pose(&self.start));
        let own: Vec<Vec<Vec<DVec3>>> = self.members.iter().map(own).collect();
        if own.iter().all(Vec::is_empty) {
            return None;
        }
        let mut near = SnapshotContext::default();
        let near = self.bodies.candidates(&self.bounds(&self.start), &mut near);
        let theirs = map(near, |&id| loops_of(self.bodies[id].model().mesh(), &self.bodies[id].pose()));
        for (member, own) in self.members.iter().zip(&own) {
            for (&by, theirs) in near.iter().zip(&theirs) {
                if member.pair(by).is_none_or(|pair| pair.touches) {
                    continue;
                }
                for (mine, line) in own.iter().flat_map(|mine| theirs.iter().map(move |l| (mine, l))) {
                    if let Some(number) = linking_number(mine, line).filter(|&number| number != 0) {
                        let argument = BlockingProof::Linked { number };
                        return Some(Infeasible { argument, by: vec![by] });
                    }
                }
            }
        }
        None
    }
}

/// Returns closed lines along edges that together generate the loops of the surface. Empty if an edge does
/// not have two faces.
fn loops(mesh: &Mesh) -> Vec<Vec<DVec3>> {
    if mesh.triangle_count() > FACES || mesh.is_empty() {
        return Vec::new();
    }
    let adjacency = mesh.adjacency();
    let (edges, faces) = (adjacency.edge_count(), mesh.triangle_count());
    let vertices = mesh.vertices().len();
    let sides: Vec<&[noli_geom::HalfEdge]> = (0..edges).map(|edge| adjacency.sides(edge as u32)).collect();
    if sides.iter().any(|sides| sides.len() != 2) {
        return Vec::new();
    }
    let ends: Vec<[u32; 2]> = sides.iter().map(|sides| sides[0].vertices(mesh)).collect();
    let mut around: Vec<Vec<(u32, u32)>> = vec![Vec::new(); vertices];
    for (edge, &[a, b]) in ends.iter().enumerate() {
        around[a as usize].push((b, edge as u32));
        around[b as usize].push((a, edge as u32));
    }
    let (mut parent, mut depth) = (vec![u32::MAX; vertices], vec![u32::MAX; vertices]);
    let mut in_tree = vec![false; edges];
    for root in 0..vertices {
        if depth[root] != u32::MAX || around[root].is_empty() {
            continue;
        }
        depth[root] = 0;
        let mut queue = std::collections::VecDeque::from([root as u32]);
        while let Some(at) = queue.pop_front() {
            for &(next, edge) in &around[at as usize] {
                if depth[next as usize] == u32::MAX {
                    depth[next as usize] = depth[at as usize] + 1;
                    parent[next as usize] = at;
                    in_tree[edge as usize] = true;
                    queue.push_back(next);
                }
            }
        }
    }
    // Faces are joined across edges that the first tree does not run along.
    let mut set: Vec<usize> = (0..faces).collect();
    let mut closing = Vec::new();
    for edge in 0..edges {
        if in_tree[edge] {
            continue;
        }
        let [a, b] = [0, 1].map(|k| root(&mut set, sides[edge][k].triangle() as usize));
        if a == b {
            closing.push(edge);
        } else {
            set[a] = b;
        }
    }
    if closing.len() > LOOPS {
        closing.truncate(LOOPS);
    }
    let line = |edge: usize| -> Vec<DVec3> {
        let [mut a, mut b] = ends[edge];
        let (mut front, mut back) = (vec![a], vec![b]);
        while a != b {
            if depth[a as usize] >= depth[b as usize] {
                a = parent[a as usize];
                front.push(a);
            } else {
                b = parent[b as usize];
                back.push(b);
            }
        }
        // Both ended at the vertex where they meet.
        back.pop();
        back.reverse();
        front.extend(back);
        front.into_iter().map(|vertex| mesh.vertices()[vertex as usize]).collect()
    };
    closing.into_iter().map(line).collect()
}

fn root(set: &mut [usize], mut at: usize) -> usize {
    while set[at] != at {
        set[at] = set[set[at]];
        at = set[at];
    }
    at
}

/// Computes the linking number of two closed polygons that do not intersect; `None` if rounding leaves it
/// undecided.
fn linking_number(a: &[DVec3], b: &[DVec3]) -> Option<i32> {
    let mut dice = SplitMix64::new(7);
    (0..8).find_map(|_| {
        let up = dice.direction();
        let (x, y) = up.any_orthonormal_pair();
        let flat = |line: &[DVec3]| -> Vec<DVec3> {
            line.iter().map(|p| DVec3::new(p.dot(x), p.dot(y), p.dot(up))).collect()
        };
        intersections(&flat(a), &flat(b))
    })
}

/// Half the signed intersections of two polygons seen from above.
fn intersections(a: &[DVec3], b: &[DVec3]) -> Option<i32> {
    let mut sum = 0;
    let size = a.iter().chain(b).fold(0.0, |most: f64, p| most.max(p.abs().max_element()));
    let unsure = 1e-12 * size * size;
    let area = |p: DVec3, q: DVec3, r: DVec3| (q - p).truncate().perp_dot((r - p).truncate());
    for i in 0..a.len() {
        let (p, q) = (a[i], a[(i + 1) % a.len()]);
        let (low, high) = (p.min(q), p.max(q));
        for j in 0..b.len() {
            let (r, s) = (b[j], b[(j + 1) % b.len()]);
            if r.max(s).x < low.x || r.min(s).x > high.x || r.max(s).y < low.y || r.min(s).y > high.y {
                continue;
            }
            let sides = [area(p, q, r), area(p, q, s), area(r, s, p), area(r, s, q)];
            if sides.iter().any(|side| side.abs() <= unsure) {
                return None;
            }
            if (sides[0] > 0.0) == (sides[1] > 0.0) || (sides[2] > 0.0) == (sides[3] > 0.0) {
                continue;
            }
            let height = |p: DVec3, q: DVec3, from: f64, to: f64| p.z + (q.z - p.z) * (from / (from - to));
            let (over, under) = (height(p, q, sides[2], sides[3]), height(r, s, sides[0], sides[1]));
            if (over - under).abs() <= 1e-9 * size {
                return None;
            }
            let sign = if (q - p).truncate().perp_dot((s - r).truncate()) > 0.0 { 1 } else { -1 };
            sum += if over > under { sign } else { -sign };
        }
    }
    (sum % 2 == 0).then_some(sum / 2)
}
