//! The GPU: driver and compiler loaded at run time, models as buffers, batches in chunks with two in flight.

mod cell_view;
mod cells;
mod edges;
mod stage_lane;
mod stage_tables;
mod stages;

pub(crate) use cells::CellOnGpu;
pub(crate) use stage_tables::States;

use crate::{Answer, BatchReport, DeviceError, Poses, Question, Row, Task, is_set, kernels};
use cudarc::driver::{
    CudaContext, CudaEvent, CudaFunction, CudaSlice, CudaStream, DeviceRepr, DriverError, LaunchConfig,
    PinnedHostSlice, PushKernelArg, sys,
};
use cudarc::nvrtc::{self, CompileError, CompileOptions};
use noli::answer::Bracket;
use noli::seams::Image;
use noli::{Overlap, Pose};
use rayon::prelude::*;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Threads of a block, as in `entry.cu`; sixteen of them answer one question.
const BLOCK: u32 = 128;

/// Numbers or answers that a thread takes at a time.
const SHARE: usize = 1 << 16;

/// A GPU with the kernels compiled for it.
#[derive(Debug)]
pub(crate) struct Card {
    context: Arc<CudaContext>,
    name: String,
    cpus: u32,
    kernels: [Kernel; 4],
    /// Compiled when the first cell is loaded.
    robot_kernels: OnceLock<[Kernel; 3]>,
    stage_kernels: OnceLock<[Kernel; 8]>,
    edge_kernels: OnceLock<[Kernel; 9]>,
    /// Memory that the GPU reads by itself is slow to come by: kept from one batch to the next.
    staging: Mutex<Vec<PinnedHostSlice<f64>>>,
}

#[derive(Debug)]
struct Kernel {
    function: CudaFunction,
    /// Blocks that a CPU of the GPU holds at once.
    resident: u32,
}

/// A tree on a GPU.
#[derive(Debug)]
pub(crate) struct OnGpu {
    context: Arc<CudaContext>,
    records: CudaSlice<u32>,
    probes: CudaSlice<f64>,
    probe_count: u32,
    solid: bool,
    unit: f64,
    reach: f64,
}

impl OnGpu {
    pub(crate) fn bytes(&self) -> usize {
        4 * self.records.len() + 8 * self.probes.len()
    }
}

/// As in `entry.cu`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Parameters {
    reach_a: f64,
    reach_b: f64,
    unit_a: f64,
    fixed: Row,
    seed: u64,
    nearest: f64,
    furthest: f64,
    first: u64,
    scale: f32,
    limit: f32,
    moves_a: u32,
    generate: u32,
    count: u32,
    probes_a: u32,
    probes_b: u32,
    solid_a: u32,
    solid_b: u32,
    unused: u32,
}

// SAFETY: plain numbers in the order and with the alignment of the kernels' own struct; no padding (checked below).
#[allow(unsafe_code, reason = "the one way to hand a struct to a kernel")]
unsafe impl DeviceRepr for Parameters {}

const _: () = assert!(size_of::<Parameters>() == 8 * (3 + 7 + 4) + 4 * 10, "no padding");

impl From<DriverError> for DeviceError {
    fn from(error: DriverError) -> Self {
        match error.0 {
            sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY => Self::OutOfMemory,
            sys::CUresult::CUDA_ERROR_NO_DEVICE => Self::NoGpu("none is there".into()),
            _ => Self::Driver(
                error
                    .error_string()
                    .map_or_else(|_| format!("{:?}", error.0), |s| s.to_string_lossy().into_owned()),
            ),
        }
    }
}

impl Card {
    pub(crate) fn open() -> Result<Self, DeviceError> {
        let (driver, compiler) = libraries();
        if !driver {
            return Err(DeviceError::NoDriver);
        }
        if !compiler {
            return Err(DeviceError::NoCompiler);
        }
        let context = CudaContext::new(0).map_err(|error| match DeviceError::from(error) {
            DeviceError::Driver(words) => DeviceError::NoGpu(words),
            other => other,
        })?;
        let kernels =
            compiled(&context, kernels::program(), ["overlap", "closer", "clearance", "crossings"])?;
        let cpus = context.attribute(sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        let (name, staging) = (context.name()?, Mutex::new(Vec::new()));
        Ok(Self {
            name,
            cpus: cpus.unsigned_abs(),
            kernels,
            robot_kernels: OnceLock::new(),
            stage_kernels: OnceLock::new(),
            edge_kernels: OnceLock::new(),
            staging,
            context,
        })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn load(
        &self,
        image: &Image,
        solid: bool,
        mut probes: Vec<f64>,
    ) -> Result<OnGpu, DeviceError> {
        let stream = self.context.default_stream();
        let probe_count = (probes.len() / 3) as u32;
        // A buffer without bytes cannot be had.
        probes.resize(probes.len().max(3), 0.0);
        let on_gpu = OnGpu {
            context: self.context.clone(),
            records: stream.clone_htod(&image.words)?,
            probes: stream.clone_htod(&probes)?,
            probe_count,
            solid,
            unit: image.unit,
            reach: image.reach,
        };
        stream.synchronize()?;
        Ok(on_gpu)
    }

    pub(crate) fn run<A: Answer>(
        &self,
        task: &Task<'_>,
        (fixed, moving): (&OnGpu, &OnGpu),
        chunk: usize,
        cancel: Option<&AtomicBool>,
        answers: &mut [A],
    ) -> Result<BatchReport, DeviceError> {
        if !Arc::ptr_eq(&fixed.context, &self.context) || !Arc::ptr_eq(&moving.context, &self.context) {
            return Err(DeviceError::OtherDevice);
        }
        // When the first kernel began.
        let mut busy = None;
        let mut report = BatchReport::default();
        let chunk = chunk.min(answers.len()).max(1);
        let mut lanes = [Lane::new(self, task, chunk)?, Lane::new(self, task, chunk)?];
        let mut under_way: Option<(usize, Started)> = None;
        for (number, start) in (0..answers.len()).step_by(chunk).enumerate() {
            if is_set(cancel) {
                report.cancelled = true;
                break;
            }
            let places = start..(start + chunk).min(answers.len());
            let lane = number % 2;
            let started = lanes[lane].start(self, task, (fixed, moving), places)?;
            // While the device works on this chunk, the CPU settles the one before.
            if let Some((before, begun)) = under_way.replace((lane, started)) {
                lanes[before].finish(begun, task, (&mut report, &mut busy), answers)?;
            }
        }
        if let Some((lane, begun)) = under_way {
            lanes[lane].finish(begun, task, (&mut report, &mut busy), answers)?;
        }
        let kept = lanes.into_iter().filter_map(|lane| lane.staged);
        *self.staging() = kept.collect();
        Ok(report)
    }

    fn staging(&self) -> MutexGuard<'_, Vec<PinnedHostSlice<f64>>> {
        self.staging.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The kernels of a program, by name.
fn compiled<const N: usize>(
    context: &Arc<CudaContext>,
    program: String,
    names: [&str; N],
) -> Result<[Kernel; N], DeviceError> {
    let (major, minor) = context.compute_capability()?;
    let options = CompileOptions {
        // Bounds hold with fused arithmetic and without; divisions and roots must be rounded properly.
        prec_div: Some(true),
        prec_sqrt: Some(true),
        ftz: Some(false),
        options: vec![format!("--gpu-architecture=compute_{major}{minor}"), "--std=c++17".into()],
        ..CompileOptions::default()
    };
    let ptx = nvrtc::compile_ptx_with_opts(program, options).map_err(|error| {
        DeviceError::Compile(match error {
            CompileError::CompileError { log, .. } => log.to_string_lossy().into_owned(),
            other => format!("{other:?}"),
        })
    })?;
    let module = context.load_module(ptx)?;
    let mut all = Vec::with_capacity(N);
    for name in names {
        let function = module.load_function(name)?;
        let resident = function.occupancy_max_active_blocks_per_multiprocessor(BLOCK, 0, None)?;
        all.push(Kernel { function, resident: resident.max(1) });
    }
    all.try_into().map_err(|_| DeviceError::Driver("a kernel is missing".into()))
}

/// The buffers of one chunk and the queue that it goes through.
struct Lane {
    stream: Arc<CudaStream>,
    poses: CudaSlice<f64>,
    /// Poses in transfer, in memory that the GPU reads directly; `None` where they are generated on the GPU.
    staged: Option<PinnedHostSlice<f64>>,
    verdicts: CudaSlice<u8>,
    brackets: CudaSlice<f32>,
    /// The next question, then how many were answered how.
    counters: CudaSlice<u32>,
    on_host: Vec<u8>,
    brackets_on_host: Vec<f32>,
}

/// A chunk in flight.
struct Started {
    places: std::ops::Range<usize>,
    clock: Option<(CudaEvent, CudaEvent)>,
    /// Unit of the brackets.
    unit: f64,
}

impl Lane {
    #[allow(unsafe_code, reason = "memory that the card reads by itself comes without values")]
    fn new(gpu: &Card, task: &Task<'_>, chunk: usize) -> Result<Self, DeviceError> {
        let stream = gpu.context.new_stream()?;
        let is_given = matches!(task.poses, Poses::Rows(_));
        let rows = if is_given { 7 * chunk } else { 7 };
        let staged = if is_given {
            let kept = gpu.staging().pop().filter(|kept| kept.len() == rows);
            // SAFETY: any bits are an `f64`, and what is read is written before.
            Some(kept.map_or_else(|| unsafe { gpu.context.alloc_pinned(rows) }, Ok)?)
        } else {
            None
        };
        let brackets = if task.question.has_numbers() { 2 * chunk } else { 2 };
        Ok(Self {
            poses: stream.alloc_zeros(rows)?,
            staged,
            verdicts: stream.alloc_zeros(chunk)?,
            brackets: stream.alloc_zeros(brackets)?,
            counters: stream.alloc_zeros(4)?,
            on_host: vec![0; chunk],
            brackets_on_host: vec![0.0; brackets],
            stream,
        })
    }

    #[allow(unsafe_code, reason = "launching a kernel")]
    fn start(
        &mut self,
        gpu: &Card,
        task: &Task<'_>,
        (fixed, moving): (&OnGpu, &OnGpu),
        places: std::ops::Range<usize>,
    ) -> Result<Started, DeviceError> {
        // A is the one with the larger unit.
        let moves_a = moving.unit > fixed.unit;
        let (a, b) = if moves_a { (moving, fixed) } else { (fixed, moving) };
        let (source, first) = match task.poses {
            Poses::Rows(rows) => {
                let numbers = rows[places.clone()].as_flattened();
                if let Some(staged) = &mut self.staged {
                    let room = staged.as_mut_slice()?.par_chunks_mut(SHARE);
                    room.zip(numbers.par_chunks(SHARE))
                        .for_each(|(to, from)| to[..from.len()].copy_from_slice(from));
                    self.stream.memcpy_htod(staged, &mut self.poses)?;
                }
                (None, 0)
            }
            Poses::Drawn(source, numbers) => (Some(source), numbers.start + places.start as u64),
        };
        let (kernel, limit) = match task.question {
            Question::Overlap => (&gpu.kernels[0], 0.0),
            Question::Closer(margin) => (&gpu.kernels[1], up(margin / a.unit)),
            Question::Clearance => (&gpu.kernels[2], f32::INFINITY),
            Question::Intersections => (&gpu.kernels[3], 0.0),
        };
        let parameters = Parameters {
            reach_a: a.reach,
            reach_b: b.reach,
            unit_a: a.unit,
            fixed: row_of(task.fixed.1),
            seed: source.map_or(0, |source| source.seed),
            nearest: source.map_or(0.0, |source| source.nearest),
            furthest: source.map_or(0.0, |source| source.furthest),
            first,
            scale: (b.unit / a.unit) as f32,
            limit,
            moves_a: moves_a.into(),
            generate: source.is_some().into(),
            count: places.len() as u32,
            probes_a: a.probe_count,
            probes_b: b.probe_count,
            solid_a: a.solid.into(),
            solid_b: b.solid.into(),
            unused: 0,
        };
        self.stream.memset_zeros(&mut self.counters)?;
        let groups = BLOCK / 16;
        let config = LaunchConfig {
            grid_dim: ((places.len() as u32).div_ceil(groups).min(gpu.cpus * kernel.resident), 1, 1),
            block_dim: (BLOCK, 1, 1),
            shared_mem_bytes: 0,
        };
        let mut launch = self.stream.launch_builder(&kernel.function);
        launch
            .arg(&parameters)
            .arg(&a.records)
            .arg(&b.records)
            .arg(&a.probes)
            .arg(&b.probes)
            .arg(&self.poses);
        launch.arg(&mut self.verdicts).arg(&mut self.brackets).arg(&mut self.counters);
        launch.record_kernel_launch(sys::CUevent_flags::CU_EVENT_DEFAULT);
        // SAFETY: the arguments are those of `entry.cu` in order; every buffer outlives the launch, because it is
        // waited for before this lane or the models can be dropped; indices stay below `count` and below the records.
        let clock = unsafe { launch.launch(config) }?;
        let unit = if let Question::Intersections = task.question { 1.0 } else { a.unit };
        Ok(Started { places, clock, unit })
    }

    fn finish<A: Answer>(
        &mut self,
        begun: Started,
        task: &Task<'_>,
        (report, busy): (&mut BatchReport, &mut Option<CudaEvent>),
        answers: &mut [A],
    ) -> Result<(), DeviceError> {
        let count = begun.places.len();
        self.stream.memcpy_dtoh(&self.verdicts.slice(..count), &mut self.on_host[..count])?;
        let has_numbers = task.question.has_numbers();
        if has_numbers {
            let brackets = &mut self.brackets_on_host[..2 * count];
            self.stream.memcpy_dtoh(&self.brackets.slice(..2 * count), brackets)?;
        }
        self.stream.synchronize()?;
        if let Some((start, end)) = begun.clock {
            let first = busy.get_or_insert(start);
            report.kernel_seconds = f64::from(first.elapsed_ms(&end)?) * 1e-3;
        }
        let verdicts = &self.on_host[..count];
        let answer = |k: usize| match verdicts[k] {
            0 if has_numbers => {
                let [low, high] =
                    [0, 1].map(|end| f64::from(self.brackets_on_host[2 * k + end]) * begun.unit);
                A::from_bracket(Bracket { at_least: low, at_most: high })
            }
            0 => A::from_verdict(Overlap::Free),
            1 => A::from_verdict(Overlap::Hit),
            _ => A::UNKNOWN,
        };
        let first = begun.places.start;
        let room = answers[begun.places].par_iter_mut().with_min_len(SHARE).enumerate();
        room.for_each(|(k, place)| *place = answer(k));
        let unsure: Vec<usize> = (0..count).filter(|&k| verdicts[k] > 1).map(|k| first + k).collect();
        report.unsure += unsure.len();
        task.settle(&unsure, answers);
        Ok(())
    }
}

fn row_of(pose: &Pose) -> Row {
    let ([x, y, z, w], [a, b, c]) = (pose.rotation.to_array(), pose.translation.to_array());
    [x, y, z, w, a, b, c]
}

/// The smallest `f32` that is not below `x`.
fn up(x: f64) -> f32 {
    let nearest = x as f32;
    if f64::from(nearest) < x { nearest.next_up() } else { nearest }
}

/// Tests if driver and compiler can be loaded.
#[allow(unsafe_code, reason = "loading a library runs its start-up code")]
fn libraries() -> (bool, bool) {
    // SAFETY: these are the libraries of the driver's vendor, found as every CUDA program finds them.
    unsafe { (sys::is_culib_present(), nvrtc::sys::is_culib_present()) }
}
