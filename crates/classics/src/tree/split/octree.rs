//! Octants of the box of the faces.

use super::problem::Problem;
use noli_geom::Aabb;

/// The faces by the octant of their middles. The box is that of the middles, so that a long face cannot keep
/// all others in one octant.
pub(super) fn parts(problem: &Problem<'_>) -> Vec<Vec<u32>> {
    let center = Aabb::from_points(problem.faces.iter().map(|&f| problem.all.middle(f))).center();
    let mut parts = vec![Vec::new(); 8];
    for &face in problem.faces {
        parts[problem.all.middle(face).cmpgt(center).bitmask() as usize].push(face);
    }
    parts
}
