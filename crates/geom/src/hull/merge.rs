//! From triangles to faces.

use super::quick::Face;
use super::signs::Signs;

/// Returns the vertex loops of the faces formed by coplanar triangles. Points within an edge or a face are
/// not vertices: they lie on fewer than three loops.
pub(super) fn loops(signs: &Signs<'_>, triangles: &[Face]) -> Vec<Vec<u32>> {
    let group = groups(signs, triangles);
    let count = group.iter().max().map_or(0, |&g| g as usize + 1);
    let mut edges: Vec<Vec<[u32; 2]>> = vec![Vec::new(); count];
    for (triangle, face) in triangles.iter().enumerate() {
        for k in 0..3 {
            if group[face.across[k] as usize] != group[triangle] {
                edges[group[triangle] as usize].push([face.vertices[k], face.vertices[(k + 1) % 3]]);
            }
        }
    }
    let mut loops: Vec<Vec<u32>> = edges.into_iter().map(chained).collect();
    let mut on_loops = vec![0u32; signs.points.len()];
    loops.iter().flatten().for_each(|&p| on_loops[p as usize] += 1);
    for vertices in &mut loops {
        vertices.retain(|&p| on_loops[p as usize] > 2);
    }
    loops
}

/// Assigns a number to each connected set of coplanar triangles.
fn groups(signs: &Signs<'_>, triangles: &[Face]) -> Vec<u32> {
    let mut group = vec![u32::MAX; triangles.len()];
    let mut count = 0;
    for start in 0..triangles.len() {
        if group[start] != u32::MAX {
            continue;
        }
        group[start] = count;
        let mut stack = vec![start];
        while let Some(triangle) = stack.pop() {
            let face = &triangles[triangle];
            for &beyond in &face.across {
                let other = &triangles[beyond as usize];
                let apex = other.vertices.into_iter().find(|p| !face.vertices.contains(p));
                let level = apex.is_none_or(|apex| signs.orient3d(face.vertices, apex) == 0);
                if level && group[beyond as usize] == u32::MAX {
                    group[beyond as usize] = count;
                    stack.push(beyond as usize);
                }
            }
        }
        count += 1;
    }
    group
}

/// The edges of one loop, in order, as the points they start from.
fn chained(mut edges: Vec<[u32; 2]>) -> Vec<u32> {
    edges.sort_unstable();
    let mut ring = Vec::with_capacity(edges.len());
    let mut at = edges.first().map_or(0, |edge| edge[0]);
    for _ in 0..edges.len() {
        ring.push(at);
        at = edges.binary_search_by_key(&at, |edge| edge[0]).map_or(at, |i| edges[i][1]);
    }
    ring
}
