//! Spheres inside a body.

use noli_geom::Sphere;
use noli_geom::internals::sort_by;

/// Spheres that are kept: the largest, and behind them the latest.
const LARGEST: usize = 48;
pub(super) const MOST: usize = 96;

/// Spheres inside a body.
#[derive(Default)]
pub(super) struct Spheres {
    pub(super) spheres: Vec<Sphere>,
    next: usize,
}

impl Spheres {
    pub(super) fn add(&mut self, sphere: Sphere) {
        let holds = |other: &Sphere| other.center.distance(sphere.center) + sphere.radius <= other.radius;
        if sphere.radius <= 0.0 || self.spheres.iter().any(holds) {
            return;
        }
        if self.spheres.len() < MOST {
            self.spheres.push(sphere);
            if self.spheres.len() == MOST {
                sort_by(&mut self.spheres, |x, y| y.radius.total_cmp(&x.radius));
            }
            return;
        }
        let smallest =
            (0..LARGEST).min_by(|&x, &y| self.spheres[x].radius.total_cmp(&self.spheres[y].radius));
        match smallest {
            Some(smallest) if self.spheres[smallest].radius < sphere.radius => {
                self.spheres[smallest] = sphere
            }
            _ => {
                self.spheres[LARGEST + self.next] = sphere;
                self.next = (self.next + 1) % (MOST - LARGEST);
            }
        }
    }
}
