//! Cells of parameters, placements with bounds, and how far bodies move in a cell (section 7).

pub(crate) mod filter;

use crate::dyadic::{Dyadic, Vector, dot, sum};
use crate::error::{Result, require};
use crate::header::{Joint, Link, Model, Region, Statement};
use crate::interval::{Enclosure, Interval, cross, difference, inner, sine_cosine};
use crate::placement::{Placement, Rotation, identity};
use crate::shape::{Extent, Shape};
use filter::Filter;
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
            Region::Curve(..) => vec![(Dyadic::ZERO, Dyadic::integer(1))],
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
}

/// Joint values in the middle of a cell, and the half width of each.
pub(crate) struct Center {
    pub(crate) values: Vec<Dyadic>,
    pub(crate) halves: Vec<Dyadic>,
}

impl Center {
    /// Joint values in the middle of a part of a Bézier curve, by its control values there.
    fn of_curve(piece: &[Vec<Dyadic>], deviation: &[Dyadic], (low, high): &(Dyadic, Dyadic)) -> Self {
        let (degree, middle) = (piece.len() - 1, (low + high).half());
        let (mut values, mut halves) = (Vec::new(), Vec::new());
        for (joint, more) in deviation.iter().enumerate() {
            let controls: Vec<Dyadic> = piece.iter().map(|state| state[joint].clone()).collect();
            let value = interpolated(controls.clone(), (0..degree).map(|_| &middle));
            let part = (0..=degree).map(|k| {
                let shares = (0..degree).map(|step| if step < k { high } else { low });
                (&interpolated(controls.clone(), shares) - &value).abs()
            });
            halves.push(more + &part.max().unwrap_or(Dyadic::ZERO));
            values.push(value);
        }
        Self { values, halves }
    }

    pub(crate) fn new(statement: &Statement, model: &Model, edge: usize, cell: &Cell) -> Self {
        let still = || vec![Dyadic::ZERO; model.joints.len()];
        match &statement.region {
            Region::At(state) => Self { values: state.clone(), halves: still() },
            Region::Curve(pieces, deviation) => Self::of_curve(&pieces[edge], deviation, &cell.ranges[0]),
            Region::Box(ranges) => {
                let (mut values, mut halves) = (still(), still());
                for ((joint, ..), (low, high)) in ranges.iter().zip(&cell.ranges) {
                    (values[*joint], halves[*joint]) = ((low + high).half(), (high - low).half());
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

/// Returns the value of control values that are interpolated once for each share.
fn interpolated<'d>(mut controls: Vec<Dyadic>, shares: impl Iterator<Item = &'d Dyadic>) -> Dyadic {
    for t in shares {
        controls = controls.windows(2).map(|pair| &pair[0] + &(t * &(&pair[1] - &pair[0]))).collect();
    }
    controls.swap_remove(0)
}

type Matrix = [Vector; 3];

/// A rigid transformation that is enclosed.
#[derive(Clone, Debug)]
pub(crate) struct Rigid<N> {
    pub(crate) rotation: [[N; 3]; 3],
    pub(crate) translation: [N; 3],
}

impl<N: Enclosure> Rigid<N> {
    /// The motion of a joint by a value: a turn by its sine and cosine, or a slide.
    pub(crate) fn of_joint(axis: &[N; 3], value: &N, turn: Option<&(N, N)>) -> Self {
        let number = |value: bool| N::of(&Dyadic::integer(i64::from(value)));
        let Some((sine, cosine)) = turn else {
            let rotation = from_fn(|i| from_fn(|j| number(i == j)));
            return Self { rotation, translation: axis.each_ref().map(|x| x.times(value)) };
        };
        let rest = number(true).minus(cosine);
        let rotation = from_fn(|i| {
            from_fn(|j| {
                let along = rest.times(&axis[i].times(&axis[j]));
                let across = sine.times(&axis[(6 - i - j) % 3]);
                let entry = match (j + 3 - i) % 3 {
                    0 => along.plus(cosine),
                    1 => along.minus(&across),
                    _ => along.plus(&across),
                };
                entry.rounded()
            })
        });
        Self { rotation, translation: from_fn(|_| number(false)) }
    }

    pub(crate) fn turned(&self, v: &[N; 3]) -> [N; 3] {
        self.rotation.each_ref().map(|row| inner(row, v))
    }

    /// Returns the transformation that applies `inner` first.
    pub(crate) fn then(&self, inner: &Self) -> Self {
        let columns: [[N; 3]; 3] = from_fn(|j| self.turned(&from_fn(|i| inner.rotation[i][j].clone())));
        let moved = self.turned(&inner.translation);
        Self {
            rotation: from_fn(|i| from_fn(|j| columns[j][i].clone().rounded())),
            translation: from_fn(|i| moved[i].plus(&self.translation[i]).rounded()),
        }
    }
}

/// A rigid transformation: a rational one over a positive number, or one enclosed in intervals.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "there are few of them")]
pub(crate) enum Frame {
    Exact { rotation: Matrix, translation: Vector, over: Dyadic },
    Enclosed(Rigid<Interval>),
}

impl Frame {
    fn still() -> Self {
        Self::Exact { rotation: identity(), translation: from_fn(|_| Dyadic::ZERO), over: Dyadic::integer(1) }
    }

    pub(crate) fn of_placement(placement: &Placement) -> Self {
        let translation = &placement.translation;
        match &placement.rotation {
            Rotation::Rational(rotation, over) => Self::Exact {
                rotation: (**rotation).clone(),
                translation: translation.each_ref().map(|x| x * over),
                over: over.clone(),
            },
            Rotation::Angles(angles) => {
                let [x, y, z] = from_fn(|k| {
                    let axis = from_fn(|d| Interval::of(&Dyadic::integer(i64::from(d == k))));
                    Rigid::of_joint(&axis, &Interval::of(&angles[k]), Some(&sine_cosine(&angles[k])))
                });
                let translation = translation.each_ref().map(Interval::of);
                Self::Enclosed(Rigid { translation, ..z.then(&y).then(&x) })
            }
        }
    }

    fn of_joint(joint: &Joint, axis: &[Interval; 3], value: &Dyadic) -> Self {
        if value.is_zero() {
            return Self::still();
        }
        let turn = joint.turns.then(|| sine_cosine(value));
        Self::Enclosed(Rigid::of_joint(axis, &Interval::of(value), turn.as_ref()))
    }

    pub(crate) fn enclosed(&self) -> Rigid<Interval> {
        match self {
            Self::Enclosed(frame) => frame.clone(),
            Self::Exact { rotation, translation, over } => {
                let row = |row: &Vector| row.each_ref().map(|x| Interval::quotient(x, over));
                Rigid { rotation: rotation.each_ref().map(row), translation: row(translation) }
            }
        }
    }

    /// Returns the transformation that applies `inner` first.
    pub(crate) fn then(&self, inner: &Self) -> Self {
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
        Self::Enclosed(self.enclosed().then(&inner.enclosed()))
    }
}

/// Encloses the unit vector of an axis.
fn unit(axis: &Vector) -> [Interval; 3] {
    let squared = dot(axis, axis);
    // The quotient of the square and an upper bound of the root is a lower bound of the root.
    let high = squared.root_up();
    let low = squared.divided_down(&high);
    let one = Dyadic::integer(1);
    let inverse = Interval { low: one.divided_down(&high), high: one.divided_up(&low) };
    axis.each_ref().map(|x| Interval::of(x).times(&inverse))
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
            Frame::Enclosed(Rigid { rotation, translation }) => {
                let size = extent.points.iter().flatten().map(Dyadic::abs).max().unwrap_or(Dyadic::ZERO);
                let size = &size + &extent.radius;
                let turned = &sum(rotation.iter().flatten().map(Interval::radius)) * &size;
                let error = &turned + &sum(translation.iter().map(Interval::radius));
                let middles = rotation.each_ref().map(|row| row.each_ref().map(Interval::middle));
                (middles, translation.each_ref().map(Interval::middle), Dyadic::integer(1), error)
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
                let rows = rotation.each_ref().map(|row| row.each_ref().map(Interval::of));
                (rows, translation.each_ref().map(Interval::of))
            }
            Frame::Enclosed(Rigid { rotation, translation }) => (rotation.clone(), translation.clone()),
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
type Axis = [[Interval; 3]; 2];

/// Placements of pairs of bodies at the centre of a cell.
pub(crate) struct Kinematics<'m> {
    pub(crate) model: &'m Model,
    pub(crate) origins: Vec<Option<Frame>>,
    pub(crate) poses: Vec<Frame>,
    pub(crate) axes: Vec<[Interval; 3]>,
    pub(crate) extents: Vec<Extent>,
    pub(crate) filter: Option<Filter>,
}

impl Model {
    /// Returns the links from the lowest common one of two links, itself left out, to each of them.
    pub(crate) fn paths(&self, a: usize, b: usize) -> (Vec<usize>, Vec<usize>) {
        let above = |link: &usize| self.links.get(*link).and_then(|link| link.parent);
        let [mut a, mut b] = [a, b].map(|link| {
            let mut links: Vec<usize> = std::iter::successors(Some(link), above).collect();
            links.reverse();
            links
        });
        let shared = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
        (a.split_off(shared), b.split_off(shared))
    }
}

impl<'m> Kinematics<'m> {
    pub(crate) fn new(model: &'m Model, exact: bool) -> Self {
        let origin = |link: &Link| link.origin.as_ref().map(Frame::of_placement);
        let origins: Vec<Option<Frame>> = model.links.iter().map(origin).collect();
        let poses: Vec<Frame> = model.bodies.iter().map(|body| Frame::of_placement(&body.pose)).collect();
        let axes: Vec<[Interval; 3]> = model.joints.iter().map(|joint| unit(&joint.axis)).collect();
        let extents: Vec<Extent> = model.shapes.iter().map(Shape::extent).collect();
        let own = Self { model, origins, poses, axes, extents, filter: None };
        Self { filter: (!exact).then(|| Filter::new(&own)), ..own }
    }

    /// Returns the links from the lowest common one of two bodies, itself left out, to each of them.
    pub(crate) fn paths(&self, a: usize, b: usize) -> (Vec<usize>, Vec<usize>) {
        let link = |body: usize| self.model.bodies[body].link;
        self.model.paths(link(a), link(b))
    }

    /// Returns the place of the last link of a path, if it has any, and of each joint before its own motion.
    pub(crate) fn walk<F: Clone>(
        &self,
        path: &[usize],
        origins: &[Option<F>],
        then: impl Fn(&F, &F) -> F,
        motion: impl Fn(usize) -> F,
    ) -> (Option<F>, Vec<(usize, F)>) {
        let (mut frame, mut joints) = (None::<F>, Vec::new());
        for (link, origin) in path.iter().filter_map(|&link| Some((link, origins[link].as_ref()?))) {
            let moved = frame.as_ref().map_or_else(|| origin.clone(), |frame| then(frame, origin));
            frame = Some(match self.model.links[link].joint {
                None => moved,
                Some(joint) => {
                    let next = then(&moved, &motion(joint));
                    joints.push((joint, moved));
                    next
                }
            });
        }
        (frame, joints)
    }

    fn place(&self, body: usize, path: &[usize], center: &Center) -> (Placed<'m>, Vec<(usize, Frame)>) {
        let motion = |joint: usize| {
            Frame::of_joint(&self.model.joints[joint], &self.axes[joint], &center.values[joint])
        };
        let (frame, joints) = self.walk(path, &self.origins, Frame::then, motion);
        let (pose, shape) = (&self.poses[body], self.model.bodies[body].shape);
        let frame = frame.map_or_else(|| pose.clone(), |frame| frame.then(pose));
        (Placed::new(frame, &self.model.shapes[shape], &self.extents[shape]), joints)
    }

    pub(crate) fn pair(&self, (a, b): (usize, usize), center: &Center) -> Pair<'m> {
        let (path_a, path_b) = self.paths(a, b);
        let (placed_a, mut joints) = self.place(a, &path_a, center);
        let (placed_b, joints_b) = self.place(b, &path_b, center);
        joints.reverse();
        joints.extend(joints_b);
        joints.retain(|(joint, _)| center.halves[*joint].is_positive());
        let axis = |(joint, frame): &(usize, Frame)| (self.axis(*joint, frame), &center.halves[*joint]);
        let axes: Vec<(Option<Axis>, &Dyadic)> = joints.iter().map(axis).collect();
        let extents = [a, b].map(|body| &self.extents[self.model.bodies[body].shape]);
        let reach_a = reaches(&placed_a, extents[0], axes.iter());
        let mut reach_b = reaches(&placed_b, extents[1], axes.iter().rev());
        reach_b.reverse();
        let nearer = reach_a.iter().zip(&reach_b).map(|(a, b)| a.min(b));
        let motion = sum(axes.iter().zip(nearer).map(|((_, half), reach)| *half * reach));
        let motion_b = sum(axes.iter().zip(&reach_b).map(|((_, half), reach)| *half * reach));
        Pair { a: placed_a, b: placed_b, motion, motion_b }
    }

    /// Returns the axis of a turning joint.
    fn axis(&self, joint: usize, frame: &Frame) -> Option<Axis> {
        self.model.joints[joint].turns.then(|| {
            let frame = frame.enclosed();
            [frame.translation.clone(), frame.turned(&self.axes[joint])]
        })
    }
}

/// Bounds on the distance of a body from each axis, with the displacement by the joints between.
fn reaches<'x>(
    placed: &Placed<'_>,
    extent: &Extent,
    axes: impl Iterator<Item = &'x (Option<Axis>, &'x Dyadic)>,
) -> Vec<Dyadic> {
    let (frame, mut displaced) = (placed.frame.enclosed(), Dyadic::ZERO);
    let reach = |(axis, half): &(Option<Axis>, &Dyadic)| {
        let far = axis.as_ref().map(|axis| &farthest(&frame, extent, axis) + &displaced);
        let reach = far.unwrap_or(Dyadic::integer(1));
        displaced = &displaced + &(*half * &reach);
        reach
    };
    axes.map(reach).collect()
}

/// An upper bound on the distance of a point of a body from a line.
fn farthest(frame: &Rigid<Interval>, extent: &Extent, axis: &Axis) -> Dyadic {
    let squared = extent.points.iter().map(|point| {
        let turned = frame.turned(&point.each_ref().map(Interval::of));
        let place = from_fn(|i| turned[i].plus(&frame.translation[i]));
        let crossed = cross(&difference(&place, &axis[0]), &axis[1]);
        inner(&crossed, &crossed).high
    });
    &squared.max().unwrap_or(Dyadic::ZERO).root_up() + &extent.radius
}
