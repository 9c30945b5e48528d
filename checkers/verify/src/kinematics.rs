//! Cells of parameters, placements with bounds, and how far bodies move in a cell (section 7).

use crate::dyadic::{Dyadic, Vector, cross, dot, sum};
use crate::error::{Result, require};
use crate::filter::Filter;
use crate::header::{Joint, Link, Model, Region, Statement};
use crate::interval::{Fixed, Interval, sine_cosine};
use crate::placement::{Placement, Rotation};
use crate::shape::{Extent, Shape};
use std::array::from_fn;

pub(crate) const SPLITS: usize = 512;

/// A box of ranges of the parameters, with the path of splits that leads to it.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    ranges: Vec<(Dyadic, Dyadic)>,
    pub(crate) path: Vec<i64>,
}

impl Cell {
    pub(crate) fn whole(statement: &Statement) -> Self {
        let ranges = match &statement.region {
            Region::At(_) => Vec::new(),
            Region::Along(_) => vec![(Dyadic::ZERO, Dyadic::integer(1))],
            Region::Box(ranges) => ranges.iter().map(|(_, low, high)| (low.clone(), high.clone())).collect(),
        };
        Self { ranges, path: Vec::new() }
    }

    /// Returns the parameter of a number if its range can be split.
    pub(crate) fn splittable(&self, dimension: i64) -> Option<usize> {
        let dimension = usize::try_from(dimension).ok()?;
        self.ranges.get(dimension).filter(|(low, high)| low < high).map(|_| dimension)
    }

    /// Returns the half of one side.
    pub(crate) fn half(&self, dimension: usize, side: usize) -> Result<Self> {
        require(self.path.len() < SPLITS, "E-LIMIT", "a path has more than 512 splits")?;
        let mut half = self.clone();
        let (low, high) = &mut half.ranges[dimension];
        let middle = (&*low + &*high).half();
        *(if side == 0 { high } else { low }) = middle;
        half.path.push((2 * dimension + side) as i64);
        Ok(half)
    }

    fn centers(&self) -> impl Iterator<Item = (Dyadic, Dyadic)> + '_ {
        self.ranges.iter().map(|(low, high)| ((low + high).half(), (high - low).half()))
    }
}

/// Joint values in the middle of a cell, and the half width of each.
pub(crate) struct Center {
    pub(crate) values: Vec<Dyadic>,
    pub(crate) halves: Vec<Dyadic>,
}

impl Center {
    /// The same values, none of which varies.
    pub(crate) fn still(self) -> Self {
        Self { halves: vec![Dyadic::ZERO; self.values.len()], ..self }
    }

    pub(crate) fn new(statement: &Statement, model: &Model, edge: usize, cell: &Cell) -> Self {
        let still = || vec![Dyadic::ZERO; model.joints.len()];
        match &statement.region {
            Region::At(state) => Self { values: state.clone(), halves: still() },
            Region::Along(states) => {
                let (t, width) = cell.centers().next().unwrap_or((Dyadic::ZERO, Dyadic::ZERO));
                let ends = || states[edge].iter().zip(&states[edge + 1]);
                Self {
                    values: ends().map(|(a, b)| a + &(&t * &(b - a))).collect(),
                    halves: ends().map(|(a, b)| &(b - a).abs() * &width).collect(),
                }
            }
            Region::Box(ranges) => {
                let (mut values, mut halves) = (still(), still());
                for ((joint, ..), (value, half)) in ranges.iter().zip(cell.centers()) {
                    (values[*joint], halves[*joint]) = (value, half);
                }
                for (k, joint) in model.joints.iter().enumerate() {
                    if let Some((other, by, plus)) = &joint.mimic {
                        (values[k], halves[k]) =
                            (&(by * &values[*other]) + plus, &by.abs() * &halves[*other]);
                    }
                }
                Self { values, halves }
            }
        }
    }
}

type Matrix = [Vector; 3];
type FixedMatrix = [[Fixed; 3]; 3];

/// A rigid transformation: a rational one over a positive number, or one enclosed in intervals.
#[derive(Clone, Debug)]
pub(crate) enum Frame {
    Exact { rotation: Matrix, translation: Vector, over: Dyadic },
    Enclosed { rotation: FixedMatrix, translation: [Fixed; 3] },
}

fn identity() -> Matrix {
    from_fn(|i| from_fn(|j| Dyadic::integer(i64::from(i == j))))
}

fn zero() -> Vector {
    from_fn(|_| Dyadic::ZERO)
}

fn product(a: &FixedMatrix, b: &FixedMatrix) -> FixedMatrix {
    from_fn(|i| from_fn(|j| dot_fixed(&a[i], &from_fn(|k| &b[k][j]))))
}

fn dot_fixed(a: &[Fixed; 3], b: &[&Fixed; 3]) -> Fixed {
    &(&(&a[0] * b[0]) + &(&a[1] * b[1])) + &(&a[2] * b[2])
}

impl Frame {
    fn still() -> Self {
        Self::Exact { rotation: identity(), translation: zero(), over: Dyadic::integer(1) }
    }

    fn of_placement(placement: &Placement) -> Self {
        let translation = &placement.translation;
        match &placement.rotation {
            Rotation::None => Self::Exact {
                rotation: identity(),
                translation: translation.clone(),
                over: Dyadic::integer(1),
            },
            Rotation::Rational(rotation, over) => Self::Exact {
                rotation: (**rotation).clone(),
                translation: translation.each_ref().map(|x| x * over),
                over: over.clone(),
            },
            Rotation::Angles(angles) => {
                let [x, y, z] = from_fn(|axis| about_axis(axis, &angles[axis]));
                let one = Dyadic::integer(1);
                let translation = translation.each_ref().map(|x| Fixed::quotient(x, &one));
                Self::Enclosed { rotation: product(&product(&z, &y), &x), translation }
            }
        }
    }

    fn of_joint(joint: &Joint, axis: &[Fixed; 3], value: &Dyadic) -> Self {
        if value.is_zero() {
            return Self::still();
        }
        let fixed = |value: &Dyadic| Fixed::between(value, value);
        if !joint.turns {
            let shift = fixed(value);
            let rotation = identity().each_ref().map(|row| row.each_ref().map(fixed));
            return Self::Enclosed { rotation, translation: axis.each_ref().map(|x| &shift * x) };
        }
        let (sine, cosine) = sine_cosine(value);
        let rest = &Fixed::one() - &cosine;
        let [x, y, z] = axis;
        let across = [
            [Fixed::zero(), z.negated(), y.clone()],
            [z.clone(), Fixed::zero(), x.negated()],
            [y.negated(), x.clone(), Fixed::zero()],
        ];
        let rotation = from_fn(|i| {
            from_fn(|j| {
                let entry = &(&rest * &(&axis[i] * &axis[j])) + &(&sine * &across[i][j]);
                if i == j { &entry + &cosine } else { entry }
            })
        });
        Self::Enclosed { rotation, translation: from_fn(|_| Fixed::zero()) }
    }

    pub(crate) fn enclosed(&self) -> (FixedMatrix, [Fixed; 3]) {
        match self {
            Self::Enclosed { rotation, translation } => (rotation.clone(), translation.clone()),
            Self::Exact { rotation, translation, over } => {
                let fixed = |x: &Dyadic| Fixed::quotient(x, over);
                let rows = rotation.each_ref().map(|row| row.each_ref().map(fixed));
                (rows, translation.each_ref().map(fixed))
            }
        }
    }

    /// Returns the transformation that applies `inner` first.
    fn then(&self, inner: &Self) -> Self {
        if let (
            Self::Exact { rotation, translation, over },
            Self::Exact { rotation: r, translation: t, over: o },
        ) = (self, inner)
        {
            let columns: Matrix = from_fn(|j| from_fn(|i| r[i][j].clone()));
            return Self::Exact {
                rotation: from_fn(|i| from_fn(|j| dot(&rotation[i], &columns[j]))),
                translation: from_fn(|i| &dot(&rotation[i], t) + &(&translation[i] * o)),
                over: over * o,
            };
        }
        let ((rotation, translation), (r, t)) = (self.enclosed(), inner.enclosed());
        let moved = from_fn(|i| &dot_fixed(&rotation[i], &t.each_ref()) + &translation[i]);
        Self::Enclosed { rotation: product(&rotation, &r), translation: moved }
    }
}

/// The rotation about a coordinate axis.
fn about_axis(axis: usize, angle: &Dyadic) -> FixedMatrix {
    let (sine, cosine) = sine_cosine(angle);
    let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut rotation: FixedMatrix =
        from_fn(|r| from_fn(|c| if r == c { Fixed::one() } else { Fixed::zero() }));
    (rotation[i][j], rotation[j][i]) = (sine.negated(), sine);
    (rotation[i][i], rotation[j][j]) = (cosine.clone(), cosine);
    rotation
}

/// Encloses the unit vector of an axis.
fn unit(axis: &Vector) -> [Fixed; 3] {
    let squared = dot(axis, axis);
    // The quotient of the square and an upper bound of the root is a lower bound of the root.
    let high = squared.root_up();
    let low = squared.divided_down(&high);
    axis.each_ref().map(|x| {
        let ends = [x.divided_down(&low), x.divided_up(&low), x.divided_down(&high), x.divided_up(&high)];
        let least = ends.iter().min().unwrap_or(x);
        let most = ends.iter().max().unwrap_or(x);
        Fixed::between(least, most)
    })
}

/// A body placed in the frame of the common link: a matrix and a translation over a positive number, with a bound on
/// the distance of every placed point from its exact place.
pub(crate) struct Placed<'m> {
    pub(crate) shape: &'m Shape,
    pub(crate) rotation: Matrix,
    pub(crate) translation: Vector,
    pub(crate) over: Dyadic,
    pub(crate) error: Dyadic,
    frame: Frame,
}

impl<'m> Placed<'m> {
    fn new(frame: Frame, shape: &'m Shape, extent: &Extent) -> Self {
        let (rotation, translation, over, error) = match &frame {
            Frame::Exact { rotation, translation, over } => {
                (rotation.clone(), translation.clone(), over.clone(), Dyadic::ZERO)
            }
            Frame::Enclosed { rotation, translation } => {
                let size = extent.points.iter().flatten().map(Dyadic::abs).max().unwrap_or(Dyadic::ZERO);
                let turned = &sum(rotation.iter().flatten().map(Fixed::radius)) * &(&size + &extent.radius);
                let error = &turned + &sum(translation.iter().map(Fixed::radius));
                let middles = rotation.each_ref().map(|row| row.each_ref().map(Fixed::middle));
                (middles, translation.each_ref().map(Fixed::middle), Dyadic::integer(1), error)
            }
        };
        Self { shape, rotation, translation, over, error, frame }
    }

    /// Returns the place of a point times `over`.
    pub(crate) fn place(&self, point: &Vector) -> Vector {
        from_fn(|i| &dot(&self.rotation[i], point) + &self.translation[i])
    }

    /// Returns the matrix and the translation, times `over`, as intervals.
    pub(crate) fn intervals(&self) -> ([[Interval; 3]; 3], [Interval; 3]) {
        match &self.frame {
            Frame::Exact { rotation, translation, .. } => {
                let rows = rotation.each_ref().map(|row| row.each_ref().map(Interval::point));
                (rows, translation.each_ref().map(Interval::point))
            }
            Frame::Enclosed { rotation, translation } => {
                let rows = rotation.each_ref().map(|row| row.each_ref().map(Fixed::ends));
                (rows, translation.each_ref().map(Fixed::ends))
            }
        }
    }
}

/// Two placed bodies, with bounds on their motion against each other and of b as seen from a.
pub(crate) struct Pair<'m> {
    pub(crate) a: Placed<'m>,
    pub(crate) b: Placed<'m>,
    pub(crate) motion: Dyadic,
    pub(crate) motion_b: Dyadic,
}

/// A line in the frame of the common link: a point and a unit direction.
struct Axis {
    origin: [Fixed; 3],
    direction: [Fixed; 3],
}

/// Placements of pairs of bodies at the centre of a cell.
pub(crate) struct Kinematics<'m> {
    pub(crate) model: &'m Model,
    origins: Vec<Option<Frame>>,
    poses: Vec<Frame>,
    axes: Vec<[Fixed; 3]>,
    extents: Vec<Extent>,
    pub(crate) filter: Option<Filter>,
}

impl<'m> Kinematics<'m> {
    pub(crate) fn new(model: &'m Model, exact: bool) -> Self {
        let origin = |link: &Link| link.origin.as_ref().map(Frame::of_placement);
        let origins: Vec<Option<Frame>> = model.links.iter().map(origin).collect();
        let poses: Vec<Frame> = model.bodies.iter().map(|body| Frame::of_placement(&body.pose)).collect();
        let axes: Vec<[Fixed; 3]> = model.joints.iter().map(|joint| unit(&joint.axis)).collect();
        let extents: Vec<Extent> = model.shapes.iter().map(Shape::extent).collect();
        let filter = (!exact).then(|| Filter::new(&origins, &poses, &axes, &extents));
        Self { model, origins, poses, axes, extents, filter }
    }

    /// Returns the links from the world to that of a body, the world first.
    fn ancestors(&self, body: usize) -> Vec<usize> {
        let first = Some(self.model.bodies[body].link);
        let mut links: Vec<usize> =
            std::iter::successors(first, |&link| self.model.links[link].parent).collect();
        links.reverse();
        links
    }

    /// Returns the links from the lowest common one of two bodies, itself left out, to each of them.
    pub(crate) fn paths(&self, a: usize, b: usize) -> (Vec<usize>, Vec<usize>) {
        let (mut a, mut b) = (self.ancestors(a), self.ancestors(b));
        let shared = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
        (a.split_off(shared), b.split_off(shared))
    }

    fn place(&self, body: usize, path: &[usize], center: &Center) -> (Placed<'m>, Vec<(usize, Frame)>) {
        let (mut frame, mut joints) = (Frame::still(), Vec::new());
        for &link in path {
            if let Some(origin) = &self.origins[link] {
                frame = frame.then(origin);
            }
            if let Some(joint) = self.model.links[link].joint {
                let motion =
                    Frame::of_joint(&self.model.joints[joint], &self.axes[joint], &center.values[joint]);
                let moved = frame.then(&motion);
                joints.push((joint, std::mem::replace(&mut frame, moved)));
            }
        }
        let shape = self.model.bodies[body].shape;
        let placed =
            Placed::new(frame.then(&self.poses[body]), &self.model.shapes[shape], &self.extents[shape]);
        (placed, joints)
    }

    pub(crate) fn pair(&self, (a, b): (usize, usize), center: &Center) -> Pair<'m> {
        let (path_a, path_b) = self.paths(a, b);
        let (placed_a, mut joints) = self.place(a, &path_a, center);
        let (placed_b, joints_b) = self.place(b, &path_b, center);
        joints.reverse();
        joints.extend(joints_b);
        joints.retain(|(joint, _)| center.halves[*joint].is_positive());
        let halves: Vec<&Dyadic> = joints.iter().map(|(joint, _)| &center.halves[*joint]).collect();
        let axes: Vec<Option<Axis>> = joints.iter().map(|(joint, frame)| self.axis(*joint, frame)).collect();
        let extents = [a, b].map(|body| &self.extents[self.model.bodies[body].shape]);
        let reach_a = reaches(&placed_a, extents[0], &axes, &halves, false);
        let reach_b = reaches(&placed_b, extents[1], &axes, &halves, true);
        let nearer = reach_a.iter().zip(&reach_b).map(|(a, b)| a.min(b));
        let motion = sum(halves.iter().zip(nearer).map(|(half, reach)| *half * reach));
        let motion_b = sum(halves.iter().zip(&reach_b).map(|(half, reach)| *half * reach));
        Pair { a: placed_a, b: placed_b, motion, motion_b }
    }

    /// Returns the axis of a turning joint.
    fn axis(&self, joint: usize, frame: &Frame) -> Option<Axis> {
        if !self.model.joints[joint].turns {
            return None;
        }
        let (rotation, origin) = frame.enclosed();
        let direction = from_fn(|i| dot_fixed(&rotation[i], &self.axes[joint].each_ref()));
        Some(Axis { origin, direction })
    }
}

/// Bounds on the distance of a body from each axis, with the displacement by the joints between.
fn reaches(
    placed: &Placed<'_>,
    extent: &Extent,
    axes: &[Option<Axis>],
    halves: &[&Dyadic],
    from_end: bool,
) -> Vec<Dyadic> {
    let mut found = vec![Dyadic::ZERO; axes.len()];
    let mut displaced = Dyadic::ZERO;
    for step in 0..axes.len() {
        let k = if from_end { axes.len() - 1 - step } else { step };
        found[k] = match &axes[k] {
            None => Dyadic::integer(1),
            Some(axis) => &farthest(placed, extent, axis) + &displaced,
        };
        displaced = &displaced + &(halves[k] * &found[k]);
    }
    found
}

/// An upper bound on the distance of a point of a body from a line.
///
/// With the middles r and u of the enclosed offset and direction, the cross product is at most
/// |r × u| + (error of r)(|u| + error of u) + |r|·(error of u).
fn farthest(placed: &Placed<'_>, extent: &Extent, axis: &Axis) -> Dyadic {
    let origin = axis.origin.each_ref().map(|x| &x.middle() * &placed.over);
    let direction = axis.direction.each_ref().map(Fixed::middle);
    let (mut worst, mut largest) = (Dyadic::ZERO, Dyadic::ZERO);
    for point in &extent.points {
        let place = placed.place(point);
        let offset = from_fn(|i| &place[i] - &origin[i]);
        let crossed = cross(&offset, &direction);
        worst = worst.max(dot(&crossed, &crossed));
        largest = largest.max(sum(offset.iter().map(Dyadic::abs)));
    }
    let length = worst.root_up().divided_up(&placed.over);
    let error_r = &placed.error + &sum(axis.origin.iter().map(Fixed::radius));
    let error_u = sum(axis.direction.iter().map(Fixed::radius));
    let size_u = &sum(direction.iter().map(Dyadic::abs)) + &error_u;
    let turned = &largest.divided_up(&placed.over) * &error_u;
    sum([length, &error_r * &size_u, turned, extent.radius.clone()])
}
