//! Location and principal axes of faces: area-weighted moments of triangles.
//!
//! The covariance of a triangulated surface (Gottschalk, Lin, Manocha 1996). Unlike that of the vertices it
//! does not depend on how finely a part is meshed.

use glam::{DMat3, DVec3};
use noli_geom::{Aabb, Triangle};

/// A shift and scale that brings a mesh to about unit size, so that moments stay in range.
#[derive(Clone, Copy, Debug)]
pub(in crate::tree) struct Units {
    middle: DVec3,
    size: f64,
    per_size: f64,
}

impl Units {
    pub(in crate::tree) fn of(triangles: &[Triangle]) -> Self {
        Self::within(&triangles.iter().fold(Aabb::EMPTY, |b, t| b.union(t.aabb())))
    }

    pub(in crate::tree) fn within(bounds: &Aabb) -> Self {
        let size = bounds.size().max_element();
        let size = if size > f64::MIN_POSITIVE { size } else { 1.0 };
        Self { middle: bounds.center(), size, per_size: size.recip() }
    }

    /// The moments of each triangle, in these units.
    pub(in crate::tree) fn moments(&self, triangles: &[Triangle]) -> Vec<Moments> {
        // Zero-area faces still need a place: a weight far below any real area.
        let least = 1e-12 / triangles.len() as f64;
        let one = |t: &Triangle| Moments::of(t.vertices.map(|c| self.shrunk(c)), least);
        crate::parallel::map(triangles, one)
    }

    /// A point of the mesh in these units.
    pub(in crate::tree) fn shrunk(&self, point: DVec3) -> DVec3 {
        (point - self.middle) * self.per_size
    }

    /// A point given in these units, in the mesh's own.
    pub(in crate::tree) fn point(&self, point: DVec3) -> DVec3 {
        point * self.size + self.middle
    }
}

/// Area, area times position, area times products of positions (xx, yy, zz, xy, xz, yz).
#[derive(Clone, Copy, Debug)]
pub(in crate::tree) struct Moments {
    weight: f64,
    first: DVec3,
    square: DVec3,
    mixed: DVec3,
    middle: DVec3,
}

impl Moments {
    pub(in crate::tree) const ZERO: Self = Self {
        weight: 0.0,
        first: DVec3::ZERO,
        square: DVec3::ZERO,
        mixed: DVec3::ZERO,
        middle: DVec3::ZERO,
    };

    fn of(vertices: [DVec3; 3], least: f64) -> Self {
        let [a, b, c] = vertices;
        let sum = a + b + c;
        let area = 0.5 * (b - a).cross(c - a).length();
        let weight = area.max(least);
        // ∫ x xᵀ over a triangle of area w: w/12 · (s sᵀ + Σ v vᵀ), s the sum of its vertices.
        let k = weight / 12.0;
        let mixed = |v: DVec3| DVec3::new(v.x * v.y, v.x * v.z, v.y * v.z);
        Self {
            weight,
            first: sum * (weight / 3.0),
            square: (sum * sum + a * a + b * b + c * c) * k,
            mixed: (mixed(sum) + mixed(a) + mixed(b) + mixed(c)) * k,
            middle: sum / 3.0,
        }
    }

    pub(in crate::tree) fn sum(all: &[Self], faces: &[u32]) -> Self {
        let mut total = Self::ZERO;
        faces.iter().for_each(|&face| total.add(&all[face as usize]));
        total
    }

    /// Take in more faces; [`Moments::middle`] means nothing then.
    pub(in crate::tree) fn add(&mut self, other: &Self) {
        self.weight += other.weight;
        self.first += other.first;
        self.square += other.square;
        self.mixed += other.mixed;
    }

    /// Centroid of the single face these moments were made of.
    pub(in crate::tree) fn middle(&self) -> DVec3 {
        self.middle
    }

    /// Weighted mean, in the shifted coordinates.
    pub(in crate::tree) fn center(&self) -> DVec3 {
        self.first / self.weight
    }

    /// Orthonormal axes of spread, largest first, right-handed.
    pub(in crate::tree) fn axes(&self) -> DMat3 {
        let mean = self.center();
        let square = self.square / self.weight - mean * mean;
        let mixed = self.mixed / self.weight - DVec3::new(mean.x * mean.y, mean.x * mean.z, mean.y * mean.z);
        principal_axes(square, mixed)
    }
}

/// Eigenvectors of a symmetric matrix by Jacobi rotations, largest eigenvalue first, as the columns
/// of a right-handed orthonormal matrix.
pub(crate) fn principal_axes(diagonal: DVec3, mixed: DVec3) -> DMat3 {
    let mut a =
        [[diagonal.x, mixed.x, mixed.y], [mixed.x, diagonal.y, mixed.z], [mixed.y, mixed.z, diagonal.z]];
    let mut v = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let size = diagonal.abs().max_element();
    for _ in 0..6 {
        let off = a[0][1].abs().max(a[0][2].abs()).max(a[1][2].abs());
        // Below this the axes are as good as the boxes can use.
        if off <= 1e-7 * size {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            rotate(&mut a, &mut v, p, q);
        }
    }
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| a[j][j].total_cmp(&a[i][i]));
    let column = |k: usize| DVec3::new(v[0][order[k]], v[1][order[k]], v[2][order[k]]);
    let (x, y) = (column(0), column(1));
    let frame = DMat3::from_cols(x, y, x.cross(y));
    if frame.is_finite() { frame } else { DMat3::IDENTITY }
}

/// One Jacobi rotation that clears `a[p][q]`.
fn rotate(a: &mut [[f64; 3]; 3], v: &mut [[f64; 3]; 3], p: usize, q: usize) {
    if a[p][q].abs() < f64::MIN_POSITIVE {
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = 1.0f64.copysign(theta) / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    let r = 3 - p - q;
    let (apq, arp, arq) = (a[p][q], a[r][p], a[r][q]);
    a[p][p] -= t * apq;
    a[q][q] += t * apq;
    (a[p][q], a[q][p]) = (0.0, 0.0);
    (a[r][p], a[r][q]) = (c * arp - s * arq, s * arp + c * arq);
    (a[p][r], a[q][r]) = (a[r][p], a[r][q]);
    for row in v {
        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_of_a_tilted_slab_are_its_edges() {
        let frame = DMat3::from_quat(glam::DQuat::from_xyzw(0.1, 0.5, -0.2, 0.8).normalize());
        let [x, y, z] = [frame.x_axis * 5.0, frame.y_axis * 2.0, frame.z_axis * 0.5];
        let vertex = |i: i32, j: i32, k: i32| x * f64::from(i) + y * f64::from(j) + z * f64::from(k);
        let triangles: Vec<_> = [-1, 1]
            .into_iter()
            .flat_map(|k| {
                let c = [vertex(-1, -1, k), vertex(1, -1, k), vertex(1, 1, k), vertex(-1, 1, k)];
                [Triangle::new(c[0], c[1], c[2]), Triangle::new(c[0], c[2], c[3])]
            })
            .collect();
        let all: Vec<u32> = (0..4).collect();
        let moments = Units::of(&triangles).moments(&triangles);
        let axes = Moments::sum(&moments, &all).axes();
        for k in 0..3 {
            assert!(axes.col(k).dot(frame.col(k)).abs() > 1.0 - 1e-9, "axis {k}: {axes:?}");
        }
    }
}
