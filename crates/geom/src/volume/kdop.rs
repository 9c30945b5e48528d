//! k-DOPs: boxes with cut edges and vertices (Klosowski et al. 1998).

use super::ROUNDINGS;
use super::extent::Extent;
use crate::Aabb;
use crate::number::round;
use glam::DVec3;

/// Slab directions of a [`Kdop`] that are fitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Directions {
    /// Axes and vertices: 14 planes.
    Fourteen,
    /// Axes and edges: 18 planes.
    #[default]
    Eighteen,
    /// Axes, edges and vertices: 26 planes.
    TwentySix,
}

/// The points between pairs of parallel planes: along the axes, the edges and the vertices of a cube.
#[doc(alias = "discrete oriented polytope")]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kdop {
    /// Lower and upper limit of `direction · x` for each of [`Kdop::DIRECTIONS`]. Slabs that were not fitted
    /// hold what the others imply.
    pub slabs: [[f64; 2]; 13],
}

impl Kdop {
    /// Axes, edges, vertices; not normalised, so that they are exact.
    pub const DIRECTIONS: [DVec3; 13] = [
        DVec3::X,
        DVec3::Y,
        DVec3::Z,
        DVec3::new(1.0, 1.0, 0.0),
        DVec3::new(1.0, -1.0, 0.0),
        DVec3::new(1.0, 0.0, 1.0),
        DVec3::new(1.0, 0.0, -1.0),
        DVec3::new(0.0, 1.0, 1.0),
        DVec3::new(0.0, 1.0, -1.0),
        DVec3::new(1.0, 1.0, 1.0),
        DVec3::new(1.0, 1.0, -1.0),
        DVec3::new(1.0, -1.0, 1.0),
        DVec3::new(1.0, -1.0, -1.0),
    ];

    /// The smallest around some points, rounded outward.
    pub fn new(points: &[DVec3], directions: Directions) -> Self {
        let reach = points.iter().fold(0.0f64, |most, p| most.max(p.abs().max_element()));
        let slabs = Self::DIRECTIONS.map(|direction| {
            let range = points.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], p| {
                let along = direction.dot(*p);
                [low.min(along), high.max(along)]
            });
            // Sums of coordinates round; along an axis there is nothing to sum.
            let slack = if direction.abs().element_sum() > 1.0 { round::off(reach, ROUNDINGS) } else { 0.0 };
            [range[0] - slack, range[1] + slack]
        });
        let mut dop = Self { slabs };
        match directions {
            Directions::TwentySix => {}
            Directions::Eighteen => (9..13).for_each(|k| dop.imply_vertex(k)),
            Directions::Fourteen => (3..9).for_each(|k| dop.imply_edge(k)),
        }
        dop
    }

    /// An edge slab from the two axes it joins.
    fn imply_edge(&mut self, k: usize) {
        let (low, high) =
            Self::DIRECTIONS[k].to_array().into_iter().enumerate().fold((0.0, 0.0), |sum, (axis, sign)| {
                let [low, high] = self.slabs[axis];
                if sign > 0.0 {
                    (sum.0 + low, sum.1 + high)
                } else if sign < 0.0 {
                    (sum.0 - high, sum.1 - low)
                } else {
                    sum
                }
            });
        self.slabs[k] = self.outward(low, high);
    }

    /// A vertex slab from the three edges around it: `(1,1,1)` is half the sum of theirs.
    fn imply_vertex(&mut self, k: usize) {
        let vertex = Self::DIRECTIONS[k];
        let (mut low, mut high) = (0.0, 0.0);
        for drop in 0..3 {
            let mut edge = vertex;
            edge[drop] = 0.0;
            let [edge_low, edge_high] = self.limits(edge);
            low += 0.5 * edge_low;
            high += 0.5 * edge_high;
        }
        self.slabs[k] = self.outward(low, high);
    }

    fn outward(&self, low: f64, high: f64) -> [f64; 2] {
        let slack = round::off(self.bounding_radius(), ROUNDINGS);
        [low - slack, high + slack]
    }

    /// The limits along an axis, edge or vertex direction of entries −1, 0 and 1.
    fn limits(&self, direction: DVec3) -> [f64; 2] {
        let [x, y, z] = direction.to_array().map(|entry| (entry + 1.0) as usize);
        let slab = SLAB_OF[9 * x + 3 * y + z];
        if slab >= 0 {
            self.slabs[slab as usize]
        } else {
            let [low, high] = self.slabs[!slab as usize];
            [-high, -low]
        }
    }

    /// The box of its axis slabs.
    pub fn aabb(&self) -> Aabb {
        let [x, y, z] = [self.slabs[0], self.slabs[1], self.slabs[2]];
        Aabb { min: DVec3::new(x[0], y[0], z[0]), max: DVec3::new(x[1], y[1], z[1]) }
    }
}

/// The slab of every direction of entries −1, 0 and 1, complemented where the direction is the opposite one.
const SLAB_OF: [i8; 27] = {
    let mut table = [0; 27];
    let mut slab = 0;
    while slab < 13 {
        let DVec3 { x, y, z } = Kdop::DIRECTIONS[slab];
        let place = 9 * x as i8 + 3 * y as i8 + z as i8;
        table[(13 + place) as usize] = slab as i8;
        table[(13 - place) as usize] = !(slab as i8);
        slab += 1;
    }
    table
};

impl Extent for Kdop {
    /// A direction lies in a cone of an axis, an edge and a vertex of the cube; its limits are at most the
    /// same mixture of theirs.
    fn extent(&self, direction: DVec3) -> [f64; 2] {
        let size = direction.abs();
        let mut order = [0, 1, 2];
        for (i, j) in [(0, 1), (1, 2), (0, 1)] {
            if size[order[i]] < size[order[j]] {
                order.swap(i, j);
            }
        }
        let mut cone = DVec3::ZERO;
        let mut sum = [0.0; 2];
        for (rank, &axis) in order.iter().enumerate() {
            cone[axis] = 1.0f64.copysign(direction[axis]);
            let next = order.get(rank + 1).map_or(0.0, |&axis| size[axis]);
            let [low, high] = self.limits(cone);
            sum = [sum[0] + (size[axis] - next) * low, sum[1] + (size[axis] - next) * high];
        }
        sum
    }

    fn bounding_radius(&self) -> f64 {
        let bounds = self.aabb();
        bounds.min.abs().max(bounds.max.abs()).max_element()
    }
}
