//! Queries for very many poses of the same bodies on a GPU. The device traverses the trees in `f32` with
//! proven bounds and returns free, hit or undecided. Undecided poses are resolved on the CPU meanwhile. The
//! results are therefore the CPU's exact ones, pose by pose, for every GPU, order and division into chunks.
//!
//! ```
//! use noli::{Mesh, Model, Overlap, Pose};
//! use noli_gpu::{Device, Poses};
//! let cube = Model::new(Mesh::cuboid(glam::DVec3::ONE)?)?;
//! let device = Device::best(); // the first GPU, or the CPU where there is none
//! let cube = device.load(&cube)?;
//! let rows = [[0.0, 0.0, 0.0, 1.0, 0.9, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0, 1.1, 0.0, 0.0]];
//! let mut answers = [Overlap::Unknown; 2];
//! device.overlap_poses((&cube, &Pose::IDENTITY), &cube, &Poses::Rows(&rows), &mut answers)?;
//! assert_eq!(answers, [Overlap::Hit, Overlap::Free]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! CUDA is not needed to build: driver and compiler are searched when a [`Device`] is opened, and kernels are
//! compiled then. Meshes are traversed on the device; any other shape is evaluated on the CPU, by the same
//! call.

mod cell_task;
mod cells;
#[cfg(feature = "cuda")]
mod cuda;
mod draw;
pub mod kernels;
mod near_rows;
mod packed;
mod packed_filter;
mod state_source;
mod state_tally;

pub use cells::LoadedCell;
pub use draw::PoseSource;
#[doc(hidden)]
pub use packed::{PackedCell, Words};
#[doc(hidden)]
pub use packed_filter::PackedFilter;
pub use state_source::StateSource;
pub use state_tally::StateTally;

use noli::answer::{Bracket, Completeness, Count};
use noli::query::{ClearanceQuery, IntersectionsQuery};
use noli::seams::{self, Image};
use noli::{Model, Overlap, Pose, batch};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A pose as a row: rotation quaternion x y z w (of any length but 0), translation.
pub type Row = [f64; 7];

/// Source of the poses of a batch.
#[derive(Clone, Debug)]
pub enum Poses<'a> {
    /// Given, and sent to the device.
    Rows(&'a [Row]),
    /// Made on the device, by their numbers in a stream.
    Drawn(PoseSource, Range<u64>),
}

impl Poses<'_> {
    /// Number of items.
    pub fn len(&self) -> usize {
        match self {
            Self::Rows(rows) => rows.len(),
            Self::Drawn(_, numbers) => numbers.end.saturating_sub(numbers.start) as usize,
        }
    }

    /// Returns `true` if there are no polygons.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The pose at a place.
    pub fn get(&self, place: usize) -> Pose {
        match self {
            Self::Rows(rows) => pose_of(&rows[place]),
            Self::Drawn(source, numbers) => source.pose(numbers.start + place as u64),
        }
    }
}

fn pose_of(row: &Row) -> Pose {
    let [x, y, z, w, a, b, c] = *row;
    Pose::new(glam::DQuat::from_xyzw(x, y, z, w), glam::dvec3(a, b, c))
}

/// Reason that a device cannot be used. Every batch can run on [`Device::cpu`] instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// No driver is installed on this machine.
    #[error("no NVIDIA driver is installed here: install one, or use the CPU")]
    NoDriver,
    /// No run-time compiler is installed on this machine.
    #[error("NVRTC is not installed here (it comes with the CUDA toolkit): install it, or use the CPU")]
    NoCompiler,
    /// The driver has no GPU.
    #[error("the driver finds no GPU: {0}")]
    NoGpu(String),
    /// The kernels did not compile: most likely the toolkit is too old for the GPU.
    #[error("the kernels do not compile with this CUDA toolkit: {0}")]
    Compile(String),
    /// The GPU has not enough memory free.
    #[error("the GPU has not enough memory free: use smaller batches, fewer models, or a limit on memory")]
    OutOfMemory,
    /// Another error of the driver.
    #[error("CUDA driver: {0}")]
    Driver(String),
    /// A batch needs as many places for answers as it has poses.
    #[error("{poses} poses, but room for {room} answers")]
    WrongLengthError {
        /// Number of poses.
        poses: usize,
        /// Places for answers.
        room: usize,
    },
    /// A configuration that is none.
    #[error("{0}")]
    Configuration(String),
    /// A model belongs to the device that it was loaded to.
    #[error("the model was loaded to another device")]
    OtherDevice,
}

/// Statistics of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BatchReport {
    /// Poses that the device was unsure of and the CPU settled.
    pub unsure: usize,
    /// Poses evaluated on the CPU because a body has no faces or no device exists.
    pub on_cpu: usize,
    /// Seconds from the start of the first kernel to the end of the last, by the GPU's own clock; 0 without a GPU.
    pub kernel_seconds: f64,
    /// Pairs of pieces of configurations that were near by their bounding spheres; 0 without a GPU.
    pub near_pairs: u64,
    /// Pairs of them that spheres did not decide: their trees were traversed on the GPU.
    pub tree_pairs: u64,
    /// `true` if it was cancelled: results not reached are unknown.
    pub cancelled: bool,
}

/// Something that answers batches: a GPU, or the CPU.
#[derive(Clone, Debug)]
pub struct Device {
    #[cfg(feature = "cuda")]
    gpu: Option<Arc<cuda::Card>>,
    /// Memory limit of a batch on the GPU, in bytes.
    memory: usize,
    /// The user set it.
    limited: bool,
    cancel: Option<Arc<AtomicBool>>,
}

/// Poses in one launch, unless memory is limited further.
const CHUNK: usize = 1 << 21;
/// Bytes of a pose with its verdict and its bracket; two chunks are in flight at a time.
const POSE_BYTES: usize = 2 * (size_of::<Row>() + 1 + 8);

impl Device {
    /// The first GPU.
    #[cfg(feature = "cuda")]
    pub fn open() -> Result<Self, DeviceError> {
        Ok(Self {
            gpu: Some(Arc::new(cuda::Card::open()?)),
            memory: CHUNK * POSE_BYTES,
            limited: false,
            cancel: None,
        })
    }

    /// The first GPU; without the feature `cuda` there is none.
    #[cfg(not(feature = "cuda"))]
    pub fn open() -> Result<Self, DeviceError> {
        Err(DeviceError::NoDriver)
    }

    /// No GPU: every batch is answered by the CPU, on all threads.
    pub fn cpu() -> Self {
        Self {
            #[cfg(feature = "cuda")]
            gpu: None,
            memory: CHUNK * POSE_BYTES,
            limited: false,
            cancel: None,
        }
    }

    /// A GPU where there is one that can be used, otherwise the CPU.
    pub fn best() -> Self {
        Self::open().unwrap_or_else(|_| Self::cpu())
    }

    /// Returns its description.
    pub fn name(&self) -> &str {
        #[cfg(feature = "cuda")]
        if let Some(gpu) = &self.gpu {
            return gpu.name();
        }
        "CPU"
    }

    /// Keep what a batch holds on the GPU, besides the models, below so many bytes; large batches are cut. Without this
    /// call the limit is 260 MiB, and 2 GiB for configurations of robots.
    pub fn with_memory_limit(mut self, bytes: usize) -> Self {
        self.memory = bytes;
        self.limited = true;
        self
    }

    /// Poses in one launch.
    fn chunk(&self) -> usize {
        (self.memory / POSE_BYTES).clamp(1, CHUNK)
    }

    /// Stop batches between chunks once this is true.
    pub fn with_cancel(mut self, cancel: Arc<AtomicBool>) -> Self {
        self.cancel = Some(cancel);
        self
    }

    /// Make a model known to the device. The GPU holds a copy of its tree until the last handle is dropped.
    pub fn load(&self, model: &Model) -> Result<Loaded, DeviceError> {
        #[cfg(feature = "cuda")]
        let on_gpu = match (&self.gpu, image(model)) {
            (Some(gpu), Some((image, solid, probes))) => Some(Arc::new(gpu.load(&image, solid, probes)?)),
            _ => None,
        };
        Ok(Loaded {
            model: model.clone(),
            #[cfg(feature = "cuda")]
            on_gpu,
        })
    }

    /// Tests for every pose of `moving` if the bodies share a point.
    pub fn overlap_poses(
        &self,
        fixed: (&Loaded, &Pose),
        moving: &Loaded,
        poses: &Poses<'_>,
        answers: &mut [Overlap],
    ) -> Result<BatchReport, DeviceError> {
        self.run(Question::Overlap, fixed, moving, poses, answers)
    }

    /// Tests for every pose of `moving` if the distance of the bodies is at most `margin`.
    pub fn closer_than_poses(
        &self,
        fixed: (&Loaded, &Pose),
        moving: &Loaded,
        poses: &Poses<'_>,
        margin: f64,
        answers: &mut [Overlap],
    ) -> Result<BatchReport, DeviceError> {
        self.run(Question::Closer(margin), fixed, moving, poses, answers)
    }

    /// Brackets on the clearance, for every pose of `moving`. The device's are a few roundings of `f32` wide, relative to
    /// the distance and size of the parts that decide.
    pub fn clearance_poses(
        &self,
        fixed: (&Loaded, &Pose),
        moving: &Loaded,
        poses: &Poses<'_>,
        clearances: &mut [Bracket],
    ) -> Result<BatchReport, DeviceError> {
        self.run(Question::Clearance, fixed, moving, poses, clearances)
    }

    /// Counts the pairs of intersecting faces, including those that only touch, for every pose of `moving`. Bodies
    /// without faces have none; `None` where a pose is invalid or the batch was stopped before it.
    pub fn count_intersections_poses(
        &self,
        fixed: (&Loaded, &Pose),
        moving: &Loaded,
        poses: &Poses<'_>,
        counts: &mut [Option<u64>],
    ) -> Result<BatchReport, DeviceError> {
        self.run(Question::Intersections, fixed, moving, poses, counts)
    }

    fn run<A: Answer>(
        &self,
        question: Question,
        fixed: (&Loaded, &Pose),
        moving: &Loaded,
        poses: &Poses<'_>,
        answers: &mut [A],
    ) -> Result<BatchReport, DeviceError> {
        if poses.len() != answers.len() {
            return Err(DeviceError::WrongLengthError { poses: poses.len(), room: answers.len() });
        }
        answers.fill(A::UNKNOWN);
        let task = Task { question, fixed, moving, poses };
        #[cfg(feature = "cuda")]
        if let (Some(gpu), Some(a), Some(b)) = (&self.gpu, &fixed.0.on_gpu, &moving.on_gpu) {
            return gpu.run(&task, (a, b), self.chunk(), self.cancel.as_deref(), answers);
        }
        let mut report = BatchReport::default();
        for start in (0..answers.len()).step_by(self.chunk()) {
            if is_set(self.cancel.as_deref()) {
                report.cancelled = true;
                break;
            }
            let places: Vec<usize> = (start..(start + self.chunk()).min(answers.len())).collect();
            task.settle(&places, answers);
            report.on_cpu += places.len();
        }
        Ok(report)
    }
}

fn is_set(cancel: Option<&AtomicBool>) -> bool {
    cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed))
}

/// A model loaded to a [`Device`].
#[derive(Clone, Debug)]
pub struct Loaded {
    model: Model,
    #[cfg(feature = "cuda")]
    on_gpu: Option<Arc<cuda::OnGpu>>,
}

impl Loaded {
    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Bytes that it holds on a GPU.
    pub fn bytes(&self) -> usize {
        #[cfg(feature = "cuda")]
        if let Some(on_gpu) = &self.on_gpu {
            return on_gpu.bytes();
        }
        0
    }
}

#[derive(Clone, Copy, Debug)]
enum Question {
    Overlap,
    Closer(f64),
    Clearance,
    Intersections,
}

impl Question {
    /// Returns `true` if the GPU returns numbers, not only a verdict.
    #[cfg(feature = "cuda")]
    fn has_numbers(self) -> bool {
        matches!(self, Self::Clearance | Self::Intersections)
    }
}

/// A batch to be answered.
struct Task<'t> {
    question: Question,
    fixed: (&'t Loaded, &'t Pose),
    moving: &'t Loaded,
    poses: &'t Poses<'t>,
}

impl Task<'_> {
    /// The CPU answers at these places.
    fn settle<A: Answer>(&self, places: &[usize], answers: &mut [A]) {
        let mut settled = vec![A::UNKNOWN; places.len()];
        let asked = batch(places, &mut settled, |&place, ask| {
            let a = self.fixed.0.model.at(*self.fixed.1);
            let b = self.moving.model.at(self.poses.get(place));
            match self.question {
                Question::Overlap => A::from_verdict(ask.overlap(&a, &b)),
                Question::Closer(margin) => A::from_verdict(ask.within_distance(&a, &b, margin)),
                Question::Clearance => {
                    A::from_bracket(ask.clearance(&a, &b, &ClearanceQuery::default()).distance)
                }
                Question::Intersections => {
                    let (query, mut count) =
                        (IntersectionsQuery { segments: false, touching: true }, Count::default());
                    match ask.intersections(&a, &b, &query, &mut count) {
                        Completeness::Complete => A::from_bracket(Bracket::exactly(count.0 as f64)),
                        _ => A::UNKNOWN,
                    }
                }
            }
        });
        debug_assert!(asked.is_ok(), "as many answers as questions");
        for (&place, answer) in places.iter().zip(settled) {
            answers[place] = answer;
        }
    }
}

/// The result of a batch.
trait Answer: Copy + Send + Sync {
    const UNKNOWN: Self;
    fn from_verdict(verdict: Overlap) -> Self;
    /// Of a clearance, or of a count, whose ends are equal.
    fn from_bracket(bracket: Bracket) -> Self;
}

impl Answer for Overlap {
    const UNKNOWN: Self = Self::Unknown;

    fn from_verdict(verdict: Overlap) -> Self {
        verdict
    }

    fn from_bracket(clearance: Bracket) -> Self {
        if clearance.at_least > 0.0 { Self::Free } else { Self::Unknown }
    }
}

impl Answer for Bracket {
    const UNKNOWN: Self = Self { at_least: 0.0, at_most: f64::INFINITY };

    fn from_verdict(verdict: Overlap) -> Self {
        match verdict {
            Overlap::Hit => Self { at_least: 0.0, at_most: 0.0 },
            Overlap::Free | Overlap::Unknown => Self::UNKNOWN,
        }
    }

    fn from_bracket(clearance: Bracket) -> Self {
        clearance
    }
}

impl Answer for Option<u64> {
    const UNKNOWN: Self = None;

    fn from_verdict(verdict: Overlap) -> Self {
        (verdict == Overlap::Free).then_some(0)
    }

    fn from_bracket(count: Bracket) -> Self {
        Some(count.at_least as u64)
    }
}

/// Returns the tree of a mesh, `true` for a solid, and the probes of its components, as input of the kernels.
/// `None` for other shapes, and for a solid whose surface is open: it may extend beyond its faces, so the CPU
/// evaluates it.
#[doc(hidden)]
pub fn image(model: &Model) -> Option<(Image, bool, Vec<f64>)> {
    let (image, solid, probes) = seams::image(model)?;
    if solid && !model.mesh().is_some_and(noli::Mesh::is_closed) {
        return None;
    }
    Some((image, solid, probes.iter().flat_map(|point| point.to_array()).collect()))
}
