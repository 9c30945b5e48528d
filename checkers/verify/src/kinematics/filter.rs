//! Leaves in doubles: placements in intervals that are rounded outward, motion and planes with a proven slack.
//!
//! Most planes hold with so much to spare that rounding cannot matter. The rest are decided by the exact rules.

use super::{Center, Frame, Kinematics, Rigid};
use crate::dyadic::Dyadic;
use crate::interval::{Enclosure, Interval};
use crate::shape::{Extent, Mesh, Part, Shape};
use crate::span::{Span, up};
use std::array::from_fn;

/// More than all roundings of a support, relative to the sum of the magnitudes of its terms: some fifty, of 2^-52 each.
const SLACK: f64 = 1.0 / (1u64 << 44) as f64;
/// More than the rounding of a few sums and products of positive numbers.
const UP: f64 = 1.0 + 1.0 / (1u64 << 46) as f64;
/// Lengths beyond are left to the exact rules, so that no product of a few leaves the range of doubles.
const LARGEST: f64 = 1e60;
/// More than is lost where a square is too small for a double.
const TINY: f64 = 1e-150;

type Spans = [Span; 3];

fn size(v: &[f64; 3]) -> f64 {
    v[0].abs() + v[1].abs() + v[2].abs()
}

fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Encloses sine and cosine of a number between two doubles of magnitude at most 65.
///
/// With k quarter turns taken away, the rest r is at most 1, so the series end with less than 1/20!, below 2^-60.
fn sine_cosine(value: Span) -> (Span, Span) {
    // π/2 is FIRST plus a number of REST. FIRST has 43 bits: its product with k is exact.
    const FIRST: f64 = f64::from_bits(0x3ff9_21fb_5444_2c00);
    const REST: Span =
        Span { low: f64::from_bits(0x3d31_8469_898c_c517), high: f64::from_bits(0x3d31_8469_898c_c518) };
    let k = (value.low * std::f64::consts::FRAC_2_PI).round();
    let one = Span::point(1.0);
    let r = Span::point(value.low).minus(&Span::point(k * FIRST)).minus(&Span::point(k).times(&REST));
    let square = r.times(&r);
    let series = |first: i32| {
        (first..first + 18).step_by(2).rev().fold(one, |sum, n| {
            let (scaled, divisor) = (square.times(&sum), f64::from((n + 1) * (n + 2)));
            one.minus(&Span::around(scaled.low / divisor, scaled.high / divisor))
        })
    };
    let slack = value.width() + 1.0 / (1u64 << 60) as f64;
    let [s, c] = [r.times(&series(1)), series(0)].map(|x| Span::around(x.low - slack, x.high + slack));
    match (k as i64).rem_euclid(4) {
        0 => (s, c),
        1 => (c, s.negated()),
        2 => (s.negated(), c.negated()),
        _ => (c.negated(), s),
    }
}

fn rough_frame(frame: &Frame) -> Rigid<Span> {
    let (frame, spans) = (frame.enclosed(), |row: &[Interval; 3]| row.each_ref().map(Span::of_interval));
    Rigid { rotation: frame.rotation.each_ref().map(spans), translation: spans(&frame.translation) }
}

/// The extent of a shape in doubles.
struct RoughExtent {
    points: Vec<[f64; 3]>,
    radius: f64,
    /// Radius and half the length of a cylinder, which has smaller supports than its extent.
    cylinder: Option<[f64; 2]>,
    /// At least the sum of the coordinates' magnitudes of any of its points.
    size: f64,
}

impl RoughExtent {
    fn of((extent, shape): (&Extent, &Shape)) -> Self {
        let points: Vec<_> = extent.points.iter().map(|p| p.each_ref().map(Dyadic::to_double_down)).collect();
        let radius = up(&extent.radius);
        let size = points.iter().map(size).fold(0.0, f64::max) + 2.0 * radius;
        let cylinder = match shape {
            Shape::Cylinder { radius, half } => Some([up(radius), up(half)]),
            _ => None,
        };
        Self { points, radius, cylinder, size: size * UP }
    }
}

/// Origins, poses, axes and extents in doubles.
pub(crate) struct Filter {
    origins: Vec<Option<Rigid<Span>>>,
    poses: Vec<Rigid<Span>>,
    axes: Vec<Spans>,
    extents: Vec<RoughExtent>,
}

impl Filter {
    pub(crate) fn new(own: &Kinematics<'_>) -> Self {
        Self {
            origins: own.origins.iter().map(|origin| origin.as_ref().map(rough_frame)).collect(),
            poses: own.poses.iter().map(rough_frame).collect(),
            axes: own.axes.iter().map(|axis| axis.each_ref().map(Span::of_interval)).collect(),
            extents: own.extents.iter().zip(&own.model.shapes).map(RoughExtent::of).collect(),
        }
    }
}

/// A placed body in doubles, and a bound on the distance of each of its points from the exact place.
struct RoughBody<'k> {
    mesh: Option<&'k Mesh>,
    extent: &'k RoughExtent,
    rotation: [[f64; 3]; 3],
    translation: [f64; 3],
    error: f64,
}

/// A turning joint with its axis, a point and a direction, or a slide; and the half width of its values.
type RoughJoint = (Option<[Spans; 2]>, f64);

impl<'k> RoughBody<'k> {
    /// Places a body; `None` where doubles do not suffice.
    fn new(
        own: &'k Kinematics<'_>,
        filter: &'k Filter,
        body: usize,
        link: Option<Rigid<Span>>,
    ) -> Option<Self> {
        let (pose, shape) = (&filter.poses[body], own.model.bodies[body].shape);
        let frame = link.map_or_else(|| pose.clone(), |frame| frame.then(pose));
        let extent = &filter.extents[shape];
        let spread: f64 = frame.rotation.iter().flatten().map(|entry| entry.width()).sum();
        let error = spread * extent.size + frame.translation.iter().map(|x| x.width()).sum::<f64>();
        let rotation = frame.rotation.map(|row| row.map(Span::middle));
        let translation = frame.translation.map(Span::middle);
        // Entries of the exact matrix are at most 1 in magnitude, so those of this one at most 2.
        let usual = spread < 1e-6 && size(&translation) < LARGEST && extent.size < LARGEST;
        let mesh = own.model.shapes[shape].mesh();
        usual.then_some(Self { mesh, extent, rotation, translation, error: error * UP })
    }

    /// An upper bound on the distance of a point of the body from a line.
    ///
    /// With offsets r and directions u as computed, errors of r and of u: the cross product of the exact ones is at most
    /// |r × u| + (error of r) + |r|·(error of u), as the exact direction is of unit length.
    fn farthest(&self, axis: &[Spans; 2]) -> f64 {
        let [o, u] = axis.map(|v| v.map(Span::middle));
        let [error_o, error_u] = axis.map(|v| v.iter().map(|x| x.width()).sum::<f64>());
        let mut worst: f64 = 0.0;
        for point in &self.extent.points {
            let r: [f64; 3] = from_fn(|i| dot(&self.rotation[i], point) + self.translation[i] - o[i]);
            let crossed = [r[1] * u[2] - r[2] * u[1], r[2] * u[0] - r[0] * u[2], r[0] * u[1] - r[1] * u[0]];
            worst = worst.max(dot(&crossed, &crossed));
        }
        let offset = size(&self.translation) + size(&o) + 6.0 * self.extent.size;
        let errors = self.error + error_o + offset * (error_u + 8.0 * SLACK);
        // A line so far away that a square could leave the range is no bound.
        if size(&o) < LARGEST {
            (worst.sqrt() + errors + self.extent.radius) * UP + TINY
        } else {
            f64::INFINITY
        }
    }

    fn reaches<'j>(&self, joints: impl Iterator<Item = &'j RoughJoint>) -> Vec<f64> {
        let mut displaced = 0.0;
        let reach = |(axis, half): &RoughJoint| {
            let reach = axis.as_ref().map_or(1.0, |axis| self.farthest(axis) + displaced) * UP;
            displaced = (displaced + half * reach) * UP;
            reach
        };
        joints.map(reach).collect()
    }

    /// A support of a node, and a bound on its error.
    fn support(&self, node: Part, n: [f64; 3]) -> Option<(f64, f64)> {
        let m = &self.rotation;
        let w: [f64; 3] = from_fn(|j| m[0][j] * n[0] + m[1][j] * n[1] + m[2][j] * n[2]);
        let (reach, extent) = match (node, self.mesh) {
            (Part::Whole, _) => {
                let most = self.extent.points.iter().map(|p| dot(&w, p)).fold(f64::NEG_INFINITY, f64::max);
                let reach = match self.extent.cylinder {
                    Some([radius, half]) => radius * (w[0] * w[0] + w[1] * w[1]).sqrt() + half * w[2].abs(),
                    None => most + self.extent.radius * dot(&w, &w).sqrt(),
                };
                (reach, self.extent.size)
            }
            (Part::Cover(index), Some(mesh)) => {
                let [c, u1, u2, u3] = &mesh.cover.as_ref()?.nodes[index].cell.rounded;
                let edges = [u1, u2, u3].map(|u| dot(&w, u).abs());
                (dot(&w, c) + edges[0] + edges[1] + edges[2], size(c) + size(u1) + size(u2) + size(u3))
            }
            (Part::Face(face), Some(mesh)) => {
                let points = mesh.faces[face].map(|vertex| &mesh.points[vertex]);
                let ([a, b, c], [p, q, r]) = (points.map(|p| dot(&w, p)), points.map(size));
                (a.max(b).max(c), p.max(q).max(r))
            }
            _ => return None,
        };
        let top = dot(&n, &self.translation) + reach;
        // Entries of the matrix are at most 2 in magnitude, so those of w at most twice the sum of those of n.
        let error = SLACK * 4.0 * size(&n) * (size(&self.translation) + extent);
        top.is_finite().then_some((top, error))
    }
}

/// Two placed bodies in doubles, with upper bounds on the room of a leaf and on the part of it that no claim demands.
pub(crate) struct RoughPair<'k> {
    bodies: [RoughBody<'k>; 2],
    room: f64,
    slack: f64,
}

impl Kinematics<'_> {
    /// Places two bodies at the centre of a cell; `None` where doubles do not suffice.
    pub(crate) fn rough_pair(
        &self,
        (a, b): (usize, usize),
        center: &Center,
        claimed: &Dyadic,
    ) -> Option<RoughPair<'_>> {
        let (filter, (path_a, path_b)) = (self.filter.as_ref()?, self.paths(a, b));
        let motion = |joint: usize| {
            let value = Span::of(&center.values[joint]);
            let turn = self.model.joints[joint].turns.then(|| sine_cosine(value));
            Rigid::of_joint(&filter.axes[joint], &value, turn.as_ref())
        };
        let (frame_a, mut joints) = self.walk(&path_a, &filter.origins, Rigid::then, motion);
        let (frame_b, joints_b) = self.walk(&path_b, &filter.origins, Rigid::then, motion);
        joints.reverse();
        joints.extend(joints_b);
        joints.retain(|(joint, _)| center.halves[*joint].is_positive());
        let axis = |(joint, frame): &(usize, Rigid<Span>)| {
            let line = [frame.translation, frame.turned(&filter.axes[*joint])];
            (self.model.joints[*joint].turns.then_some(line), up(&center.halves[*joint]))
        };
        let joints: Vec<RoughJoint> = joints.iter().map(axis).collect();
        let a = RoughBody::new(self, filter, a, frame_a)?;
        let b = RoughBody::new(self, filter, b, frame_b)?;
        let (reach_a, mut reach_b) = (a.reaches(joints.iter()), b.reaches(joints.iter().rev()));
        reach_b.reverse();
        let nearer = reach_a.iter().zip(&reach_b).map(|(a, b)| a.min(*b));
        let add = |sum: f64, ((_, half), reach): (&RoughJoint, f64)| (sum + half * reach * UP) * UP;
        let motion = joints.iter().zip(nearer).fold(0.0, add);
        let slack = (a.error + b.error + motion) * UP;
        Some(RoughPair { bodies: [a, b], room: (slack + up(claimed)) * UP, slack })
    }
}

impl RoughPair<'_> {
    /// Returns a lower bound of the clearance that a plane proves, if it certainly separates by more than the room.
    pub(crate) fn separates(&self, [a, b]: [Part; 2], n: [i64; 3]) -> Option<f64> {
        let n = n.map(|x| x as f64);
        let [body_a, body_b] = &self.bodies;
        let ((top_a, error_a), (top_b, error_b)) = (body_a.support(a, n)?, body_b.support(b, n.map(|x| -x))?);
        let margin = -top_b - top_a - (error_a + error_b);
        let length = dot(&n, &n).sqrt() * UP;
        // Sums of magnitudes far from the ends of the range: no product was lost, none is infinite.
        let usual = 1e-250 < error_a && 1e-250 < error_b && margin < 1e250;
        let holds = usual && margin > 0.0 && margin > self.room * UP * length;
        holds.then(|| margin / (length * UP) - self.slack * UP)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(state: &mut u64) -> f64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn holds(span: Span, low: &Dyadic, high: &Dyadic) -> bool {
        Dyadic::double(span.low) <= *low && *high <= Dyadic::double(span.high)
    }

    #[test]
    fn sine_and_cosine_hold_those_of_the_big_series() {
        let mut state = 1;
        let quarter = std::f64::consts::FRAC_PI_2;
        let near = (-40..=40).flat_map(|k| [0.0, 0.5, -1e-16, 1e-9].map(|d| f64::from(k) * quarter + d));
        let drawn: Vec<f64> = (0..20_000).map(|_| 64.0 * random(&mut state)).collect();
        for x in near.chain(drawn).chain([0.0, 5e-324, 1e-200, -64.0, 64.0]).filter(|x| x.abs() <= 64.0) {
            let (sine, cosine) = sine_cosine(Span::point(x));
            let (s, c) = crate::interval::sine_cosine(&Dyadic::double(x));
            for (rough, exact) in [(sine, s), (cosine, c)] {
                assert!(holds(rough, &exact.low, &exact.high) && rough.width() < 1e-14, "{x}: {rough:?}");
            }
        }
    }

    #[test]
    fn results_of_intervals_hold_the_exact_ones() {
        let mut state = 7;
        for round in 0..20_000 {
            let scale = [1.0, 1e-160, 1e150, 5e-324, 1e-300][round % 5];
            let [a, b, c, d] = [0; 4].map(|_| random(&mut state) * scale);
            let (x, y) = (Span { low: a.min(b), high: a.max(b) }, Span { low: c.min(d), high: c.max(d) });
            for (p, q) in [(a, c), (a, d), (b, c), (b, d)] {
                let [p, q] = [p, q].map(Dyadic::double);
                for (span, exact) in [(x.plus(&y), &p + &q), (x.minus(&y), &p - &q), (x.times(&y), &p * &q)] {
                    assert!(holds(span, &exact, &exact), "{x:?} {y:?} {span:?}");
                }
            }
        }
        let huge = Span::point(1e300);
        let none = huge.times(&huge).minus(&huge.times(&huge));
        for unknown in [none, none.times(&Span::point(0.0))] {
            assert!(!(unknown.low > 0.0 || unknown.high < 0.0));
        }
        assert!(none.width().is_nan() || none.width() > 1e300);
    }
}
