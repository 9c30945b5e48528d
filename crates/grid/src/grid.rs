//! Samples of a signed distance, and the cells that they decide.

use glam::DVec3;
use noli::answer::Location;
use noli::model::MeshKind;
use noli::query::ClearanceQuery;
use noli::{Convex, Model, Pose, QueryContext, Scratch, ShapeError};
use std::sync::Arc;

/// Cells of a grid, at most.
const MOST_CELLS: usize = 1 << 28;
/// More than the rounding of samples and cells, as a share of the lengths involved.
const ROUNDING: f64 = 1e-6;

/// Treatment of samples that are NaN.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnknownSamples {
    /// Their cells may be solid, unless samples around them prove them free.
    #[default]
    Obstacle,
    /// Their cells are free.
    Free,
}

/// Options of a grid. Lengths are in its unit.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GridOptions {
    /// No sample is further than this from the distance.
    pub error: f64,
    /// Samples of at least this magnitude state only that the distance is at least as large; `None` for a full grid.
    pub truncation: Option<f64>,
    /// Treatment of samples that are NaN.
    pub unknown: UnknownSamples,
}

/// Reason why samples are no distance grid.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GridError {
    /// The number of samples is not that of the cells.
    #[error("{found} samples for {} x {} x {} cells; give one for each", size[0], size[1], size[2])]
    Count {
        /// Number of samples.
        found: usize,
        /// Cells along each axis.
        size: [usize; 3],
    },
    /// No cells, or too many.
    #[error("a grid of {} x {} x {} cells; give from 1 to {MOST_CELLS}", size[0], size[1], size[2])]
    Size {
        /// Cells along each axis.
        size: [usize; 3],
    },
    /// A length that is not a length.
    #[error("the {what} is {value}; give a finite length of the proper sign")]
    Length {
        /// Name of the length.
        what: &'static str,
        /// Value given.
        value: f64,
    },
    /// A sample is infinite.
    #[error("sample {at:?} is {value}; give a finite distance, or NaN where nothing was measured")]
    Infinite {
        /// Indices of the sample.
        at: [usize; 3],
        /// Value given.
        value: f32,
    },
    /// Neighbouring samples differ by more than the length of a cell.
    #[error(
        "samples {at:?} and its successor along axis {axis} differ by {difference}, more than the cell of {edge} \
         allows: these are no Euclidean distances (a projective TSDF is not); give an ESDF, or an error of at least {}",
        0.5 * (difference - edge)
    )]
    Steep {
        /// Indices of the first sample.
        at: [usize; 3],
        /// The axis along which the second follows.
        axis: usize,
        /// Magnitude of the difference.
        difference: f64,
        /// Length of a cell.
        edge: f64,
    },
    /// The cells make no shape.
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

/// Status of a cell by the bracket of the distance in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellStatus {
    /// The distance is positive in all of it.
    Free,
    /// The distance is negative in all of it.
    Solid,
    /// Neither is proven.
    Undecided,
}

/// Samples of a Euclidean signed distance at the centres of cubic cells: positive outside, negative inside, NaN if unknown.
///
/// Nothing is known beyond the box of the grid; it is free there.
#[doc(alias("ESDF", "TSDF", "SDF", "nvblox", "voxblox", "VDB"))]
#[derive(Clone, Debug)]
pub struct DistanceGrid {
    values: Arc<Vec<f32>>,
    size: [usize; 3],
    edge: f64,
    origin: DVec3,
    options: GridOptions,
}

impl DistanceGrid {
    /// Samples with the last index fastest (as NumPy stores an array `(x, y, z)`), the length of a cell, and the
    /// centre of the first cell.
    pub fn new(
        values: Vec<f32>,
        size: [usize; 3],
        (edge, origin): (f64, DVec3),
        options: GridOptions,
    ) -> Result<Self, GridError> {
        let cells = size.iter().try_fold(1usize, |all, &count| all.checked_mul(count));
        match cells.filter(|cells| (1..=MOST_CELLS).contains(cells)) {
            None => return Err(GridError::Size { size }),
            Some(cells) if cells != values.len() => {
                return Err(GridError::Count { found: values.len(), size });
            }
            Some(_) => {}
        }
        let positive = |what, value: f64| match value > 0.0 && value.is_finite() {
            true => Ok(()),
            false => Err(GridError::Length { what, value }),
        };
        positive("voxel size", edge)?;
        options.truncation.map_or(Ok(()), |value| positive("truncation", value))?;
        if !(options.error >= 0.0 && options.error.is_finite()) {
            return Err(GridError::Length { what: "error", value: options.error });
        }
        if !origin.is_finite() {
            return Err(GridError::Length { what: "origin", value: f64::NAN });
        }
        if let Some(number) = values.iter().position(|value| value.is_infinite()) {
            return Err(GridError::Infinite { at: index_of(number, size), value: values[number] });
        }
        let grid = Self { values: Arc::new(values), size, edge, origin, options };
        grid.check_slopes()?;
        Ok(grid)
    }

    /// Samples the distance from a model in a box around it; `margin` is added on every side. Surfaces have no inside.
    pub fn of_model(model: &Model, edge: f64, margin: f64) -> Result<Self, GridError> {
        if !(edge > 0.0 && edge.is_finite() && margin >= 0.0 && margin.is_finite()) {
            return Err(GridError::Length { what: "voxel size or margin", value: edge.min(margin) });
        }
        let bounds = model.aabb().expanded(margin);
        let size = (bounds.size() / edge).to_array().map(|count| count.ceil().max(1.0) as usize);
        let origin = bounds.min + 0.5 * edge;
        let cells = size.iter().try_fold(1usize, |all, &count| all.checked_mul(count));
        let Some(cells) = cells.filter(|cells| (1..=MOST_CELLS).contains(cells)) else {
            return Err(GridError::Size { size });
        };
        let surface = match model.mesh() {
            Some(mesh) => Model::new(mesh.clone().with_kind(MeshKind::Surface))?,
            None => model.clone(),
        };
        let dot = Model::from(Convex::POINT);
        let mut scratch = Scratch::default();
        let mut widest = 0.0f64;
        let values = (0..cells).map(|number| {
            let center = origin + edge * DVec3::from_array(index_of(number, size).map(|index| index as f64));
            let mut context = QueryContext::new(&mut scratch);
            let (here, there) = (surface.at(Pose::IDENTITY), dot.at(Pose::from_translation(center)));
            let distance = context.clearance(&here, &there, &ClearanceQuery::default()).distance;
            widest = widest.max(distance.at_most - distance.at_least);
            let inside = model.mesh().is_some() && model.locate_point(center) == Location::Inside;
            (if inside { -distance.at_least } else { distance.at_least }) as f32
        });
        let values: Vec<f32> = values.collect();
        let error = widest + ROUNDING * bounds.size().max_element();
        Self::new(values, size, (edge, origin), GridOptions { error, ..GridOptions::default() })
    }

    /// Cells along each axis.
    #[must_use]
    pub fn size(&self) -> [usize; 3] {
        self.size
    }

    /// The length of a cell.
    #[must_use]
    pub fn edge(&self) -> f64 {
        self.edge
    }

    /// The centre of the first cell.
    #[must_use]
    pub fn origin(&self) -> DVec3 {
        self.origin
    }

    /// The options of the grid.
    #[must_use]
    pub fn options(&self) -> &GridOptions {
        &self.options
    }

    /// The samples, the last index fastest.
    #[must_use]
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// A bracket on the distance at a point of the grid, by the samples around it; `None` beyond the grid or where all of
    /// them are unknown.
    #[must_use]
    pub fn bracket(&self, point: DVec3) -> Option<[f64; 2]> {
        let place = (point - self.origin) / self.edge + 0.5;
        let cell = [0, 1, 2].map(|axis| place[axis].floor() as i64);
        if (0..3).any(|axis| !(0..self.size[axis] as i64).contains(&cell[axis]) || !place[axis].is_finite()) {
            return None;
        }
        let [low, high] = self.by_samples(cell, |other| {
            let center =
                self.origin + self.edge * DVec3::new(other[0] as f64, other[1] as f64, other[2] as f64);
            center.distance(point)
        });
        (low > f64::NEG_INFINITY || high < f64::INFINITY).then_some([low, high])
    }

    /// The status of a cell by the samples in it and in the 26 cells around it.
    #[must_use]
    pub fn status(&self, cell: [usize; 3]) -> CellStatus {
        let own = self.values[self.number(cell)];
        if own.is_nan() && self.options.unknown == UnknownSamples::Free {
            return CellStatus::Free;
        }
        let cell = cell.map(|index| index as i64);
        let [low, high] = self.by_samples(cell, |other| {
            // The furthest vertex of the cell from the other centre.
            let side = |axis: usize| (other[axis] - cell[axis]).abs() as f64 + 0.5;
            self.edge * (side(0).powi(2) + side(1).powi(2) + side(2).powi(2)).sqrt()
        });
        match (low > 0.0, high < 0.0) {
            (true, _) => CellStatus::Free,
            (false, true) => CellStatus::Solid,
            (false, false) => CellStatus::Undecided,
        }
    }

    /// A bracket by the samples about a cell, each with an upper bound on its distance from all places in question.
    fn by_samples(&self, cell: [i64; 3], distance: impl Fn([i64; 3]) -> f64) -> [f64; 2] {
        let limit = self.options.truncation.map_or(f64::INFINITY, |limit| limit * (1.0 - ROUNDING));
        let [mut low, mut high] = [f64::NEG_INFINITY, f64::INFINITY];
        let range = |axis: usize| (cell[axis] - 1).max(0)..=(cell[axis] + 1).min(self.size[axis] as i64 - 1);
        for x in range(0) {
            for y in range(1) {
                for z in range(2) {
                    let value = f64::from(self.values[self.number([x, y, z].map(|index| index as usize))]);
                    if value.is_nan() {
                        continue;
                    }
                    let slack = self.options.error + ROUNDING * (value.abs() + self.edge);
                    let away = distance([x, y, z]) * (1.0 + ROUNDING) + slack;
                    if value > -limit {
                        low = low.max(value.min(limit) - away);
                    }
                    if value < limit {
                        high = high.min(value.max(-limit) + away);
                    }
                }
            }
        }
        [low, high]
    }

    pub(crate) fn number(&self, [x, y, z]: [usize; 3]) -> usize {
        (x * self.size[1] + y) * self.size[2] + z
    }

    /// Refuses samples that are no distances: neighbours differ by at most the length of a cell.
    fn check_slopes(&self) -> Result<(), GridError> {
        let most = self.edge * (1.0 + 1e-4) + 2.0 * self.options.error;
        let strides = [self.size[1] * self.size[2], self.size[2], 1];
        for (number, &value) in self.values.iter().enumerate() {
            let at = index_of(number, self.size);
            for axis in (0..3).filter(|&axis| at[axis] + 1 < self.size[axis]) {
                let difference = f64::from((self.values[number + strides[axis]] - value).abs());
                // NaN is unknown.
                if difference > most {
                    return Err(GridError::Steep { at, axis, difference, edge: self.edge });
                }
            }
        }
        Ok(())
    }
}

/// The indices of a sample.
fn index_of(number: usize, size: [usize; 3]) -> [usize; 3] {
    let (z, rest) = (number % size[2], number / size[2]);
    [rest / size[1], rest % size[1], z]
}
