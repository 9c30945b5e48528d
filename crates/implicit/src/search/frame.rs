//! A field as it is seen from the frame in which space is searched.

use super::field::{Field, Source, inclusion_affine};
use crate::evaluation::affine::{Affine, cell_coordinates, middle_and_half};
use crate::evaluation::lanes::{Cells, LANES};
use crate::evaluation::tape::{Choices, Tape};
use glam::{DQuat, DVec3};
use noli_geom::number::round;
use noli_geom::{Aabb, Interval, Pose, RelativePose};
use std::sync::Arc;

/// Enough from a linear start: each squares the distance to the surface.
const NEWTON_STEPS: usize = 4;

/// A field, its pose, and memory to evaluate it in.
pub(crate) struct Seen<'a> {
    pub(crate) field: &'a Field,
    /// Takes points of the search to points of the field; `None` where both frames are the same.
    pose: Option<RelativePose>,
    /// Depth inside at which a point counts.
    depth: f64,
    slots: Vec<Cells>,
    affine_slots: Vec<Affine>,
    point_slots: Vec<f64>,
    interval_slots: Vec<Interval>,
    choices: Choices,
}

/// The part of a function that matters in a cell; `None` for a function that is not a formula.
pub(crate) type Part = Option<Arc<Tape>>;

impl<'a> Seen<'a> {
    /// `field_from_search` takes points of the search to points of the field.
    pub(crate) fn new(field: &'a Field, field_from_search: &RelativePose) -> Self {
        let pose = (!field_from_search.is_identity()).then_some(*field_from_search);
        Self {
            field,
            pose,
            depth: 0.0,
            slots: Vec::new(),
            affine_slots: Vec::new(),
            point_slots: Vec::new(),
            interval_slots: Vec::new(),
            choices: Choices::default(),
        }
    }

    /// The same where a point counts as inside only with all of a cube around it.
    pub(crate) fn deep(self, depth: f64) -> Self {
        Self { depth, ..self }
    }

    /// All of the function.
    pub(crate) fn whole(&self) -> Part {
        match &self.field.source {
            Source::Tape(tape) => Some(tape.clone()),
            Source::Inclusion(_) => None,
        }
    }

    /// A box of the search that holds the field's bounds.
    pub(crate) fn bounds_in(&self, search_from_field: &RelativePose) -> Aabb {
        let bounds = self.field.bounds();
        if self.pose.is_none() || bounds.is_empty() {
            return bounds;
        }
        let forms = placed_coordinates(search_from_field, &bounds);
        let ends = forms.map(|form| (form.range.lo(), form.range.hi()));
        Aabb { min: DVec3::from_array(ends.map(|e| e.0)), max: DVec3::from_array(ends.map(|e| e.1)) }
    }

    fn coordinates(&self, cell: &Aabb) -> [Affine; 3] {
        match &self.pose {
            None => cell_coordinates(cell),
            Some(pose) => placed_coordinates(pose, cell),
        }
    }

    /// In which of eight cells nothing of the object lies, as bits, by intervals.
    pub(crate) fn empty_cells(&mut self, part: &Part, cells: &[Aabb; LANES]) -> u8 {
        let coordinates = cells.map(|cell| self.coordinates(&cell).map(|form| form.range));
        let bounds = self.field.bounds();
        let outside = |k: usize| {
            (0..3).any(|axis| {
                let side = coordinates[k][axis];
                side.hi() < bounds.min[axis] || bounds.max[axis] < side.lo()
            })
        };
        let beyond = (0..LANES).fold(0, |bits, k| bits | u8::from(outside(k)) << k);
        let positive = match (part, &self.field.source) {
            (Some(tape), _) => {
                let xyz = [0, 1, 2].map(|axis| Cells::new(std::array::from_fn(|k| coordinates[k][axis])));
                tape.evaluate_choosing(&xyz, &mut self.slots, &mut self.choices).positive()
            }
            (None, Source::Inclusion(inclusion)) => {
                (0..LANES).fold(0, |bits, k| bits | u8::from(inclusion.range(coordinates[k]).lo() > 0.0) << k)
            }
            (None, Source::Tape(_)) => 0,
        };
        positive | beyond
    }

    /// Returns the part that matters in these of the last tested cells.
    pub(crate) fn shortened(&self, part: &Part, lanes: u8) -> Part {
        let tape = part.as_ref()?;
        let shorter = if tape.choices() == 0 { None } else { tape.shortened(&self.choices, lanes) };
        Some(shorter.map_or_else(|| tape.clone(), Arc::new))
    }

    /// The function on a cell as an affine form in the position in the cell.
    pub(crate) fn affine(&mut self, part: &Part, cell: &Aabb) -> Affine {
        let coordinates = self.coordinates(cell);
        match (part, &self.field.source) {
            (Some(tape), _) => tape.evaluate(&coordinates, &mut self.affine_slots),
            (None, Source::Inclusion(inclusion)) => inclusion_affine(inclusion.as_ref(), &coordinates),
            (None, Source::Tape(_)) => Affine::from_range(Interval::EVERYTHING),
        }
    }

    /// The function at a point of the cell that `part` is for, rounded.
    pub(crate) fn value(&mut self, part: &Part, point: DVec3) -> f64 {
        let point = self.pose.map_or(point, |pose| pose.transform_point(point));
        match part {
            Some(tape) => tape.evaluate(&point.to_array(), &mut self.point_slots),
            None => self.field.value(point),
        }
    }

    /// Returns a point of the cell that is proven inside. It is as near as possible to where the line from
    /// `start` against the function's slope intersects the surface (Newton's steps along that line).
    pub(crate) fn surface_point(
        &mut self,
        part: &Part,
        cell: &Aabb,
        form: &Affine,
        start: DVec3,
    ) -> Option<DVec3> {
        let half = 0.5 * cell.size();
        let slope = [0, 1, 2].map(|k| if half[k] > 0.0 { form.slopes[k] / half[k] } else { 0.0 });
        let slope = DVec3::from_array(slope);
        // A step that changes the line through the function by one.
        let step = slope / slope.length_squared();
        let mut point = start.clamp(cell.min, cell.max);
        if !step.is_finite() {
            return Some(point).filter(|&point| self.certainly_holds(point));
        }
        let mut change = f64::INFINITY;
        for _ in 0..NEWTON_STEPS {
            let value = self.value(part, point);
            // Also ends where steps do not bring it nearer, or there is no value.
            if value.is_nan() || value.abs() >= change {
                break;
            }
            change = value.abs();
            point = (point - step * value).clamp(cell.min, cell.max);
        }
        // What is left, rounding of places, and the depth asked for.
        let rest = 2.0 * self.value(part, point).max(0.0);
        let rounding = (self.depth + round::off(point.abs().max_element(), 2)) * slope.length();
        for push in [1.0, 16.0, 256.0, 4096.0] {
            let inside = (point - step * (rest + push * rounding)).clamp(cell.min, cell.max);
            if self.certainly_holds(inside) {
                return Some(inside);
            }
        }
        let deepest = (cell.center() - step * 2.0 * form.center.max(0.0)).clamp(cell.min, cell.max);
        Some(deepest).filter(|&point| self.certainly_holds(point))
    }

    /// Returns `true` if the point is certainly inside, rounding of the pose included.
    pub(crate) fn certainly_holds(&mut self, point: DVec3) -> bool {
        self.certainly_holds_all(self.image(point))
    }

    /// Returns `true` if the segment between two points is certainly inside.
    pub(crate) fn certainly_holds_between(&mut self, [p, q]: [DVec3; 2]) -> bool {
        let (from, to) = (self.image(p), self.image(q));
        self.certainly_holds_all([0, 1, 2].map(|k| from[k].hull(to[k])))
    }

    /// Returns the position of a point in the field's frame.
    fn image(&self, point: DVec3) -> [Interval; 3] {
        match &self.pose {
            None => point.to_array().map(Interval::from),
            Some(pose) => image(pose, point),
        }
    }

    /// Two near points of the cell between which there is certainly a point of the object, where it is a skin
    /// in the cell.
    pub(crate) fn skin_between(&mut self, part: &Part, cell: &Aabb) -> Option<[DVec3; 2]> {
        let skin = part.as_ref()?.skin()?;
        // A point of a skin has no room around it.
        if self.depth > 0.0 {
            return None;
        }
        (0..3).find_map(|axis| {
            let at = |x: f64| {
                let mut point = cell.center();
                point[axis] = x;
                point
            };
            let mut sign = |x: f64| {
                let value = skin.evaluate(&self.image(at(x)), &mut self.interval_slots);
                f64::from(u8::from(value.lo() > 0.0)) - f64::from(u8::from(value.hi() < 0.0))
            };
            let mut ends = [cell.min[axis], cell.max[axis]];
            let first = sign(ends[0]);
            if first * sign(ends[1]) >= 0.0 {
                return None;
            }
            loop {
                let middle = 0.5 * (ends[0] + ends[1]);
                let side = sign(middle);
                if side == 0.0 || middle <= ends[0] || middle >= ends[1] {
                    break;
                }
                ends[usize::from(side != first)] = middle;
            }
            Some(ends.map(at))
                .filter(|&[p, q]| self.is_in_bounds(&self.image(p)) && self.is_in_bounds(&self.image(q)))
        })
    }

    /// Returns `true` if all of a box, given in the field's own frame, is certainly inside.
    pub(crate) fn certainly_holds_all(&mut self, image: [Interval; 3]) -> bool {
        let around = Interval::new(-self.depth, self.depth);
        let image = if self.depth > 0.0 { image.map(|c| c + around) } else { image };
        self.is_in_bounds(&image)
            && match &self.field.source {
                Source::Tape(tape) => tape.evaluate(&image, &mut self.interval_slots).hi() <= 0.0,
                Source::Inclusion(inclusion) => inclusion.range(image).hi() <= 0.0,
            }
    }

    fn is_in_bounds(&self, image: &[Interval; 3]) -> bool {
        let bounds = self.field.bounds();
        (0..3).all(|axis| bounds.min[axis] <= image[axis].lo() && image[axis].hi() <= bounds.max[axis])
    }
}

/// Returns the position of a point in the field's frame, rounding included; exact for translations without
/// rounding.
fn image(pose: &RelativePose, point: DVec3) -> [Interval; 3] {
    let is_shift = |pose: &Pose| pose.rotation == DQuat::IDENTITY;
    if is_shift(&pose.world_from_a) && is_shift(&pose.world_from_b) {
        return [0, 1, 2].map(|k| {
            let shift = Interval::from(pose.world_from_b.translation[k])
                - Interval::from(pose.world_from_a.translation[k]);
            Interval::from(point[k]) + shift
        });
    }
    let error = pose.point_error(point.abs().max_element());
    pose.transform_point(point).to_array().map(|c| Interval::around(c, error))
}

/// The coordinates of the image of a box as affine forms in the position in the box.
pub(crate) fn placed_coordinates(pose: &RelativePose, cell: &Aabb) -> [Affine; 3] {
    let sides = [0, 1, 2].map(|axis| middle_and_half(cell.min[axis], cell.max[axis]));
    let center = pose.transform_point(DVec3::from_array(sides.map(|side| side.0)));
    let reach = cell.min.abs().max(cell.max.abs()).max_element();
    let error = pose.point_error(reach);
    std::array::from_fn(|axis| {
        let slopes = [0, 1, 2].map(|k| pose.rotation.col(k)[axis] * sides[k].1);
        let rounding = round::off(slopes[0].abs() + slopes[1].abs() + slopes[2].abs(), 2);
        Affine::line(center[axis], slopes, (error + rounding).next_up())
    })
}
