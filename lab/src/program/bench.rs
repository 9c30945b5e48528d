//! `noli-lab bench`: workloads with known answers, against the peers in the same minutes.

use crate::measured;
use anyhow::{Result, ensure};
use clap::ValueEnum;
use noli::query::Instructions;
use noli_lab::bench::{boxes, coherence, convex, gpu, growth, scenes, w1};

/// Measure noli on a workload; wrong answers fail.
///
/// Every pose is queried in several passes after one warm-up pass; its time is their median. The table
/// gives median and mean over poses.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Workload to measure.
    #[arg(value_enum, default_value = "w1")]
    workload: Workload,
    /// Also run the engines built by `cargo xtask peers`, in turn with noli, and print the ratios.
    #[arg(long)]
    peers: bool,
    /// Number of poses; by default 1000, for which known counts are asserted. Clearance sets have a fifth as many.
    #[arg(long, value_name = "N")]
    poses: Option<usize>,
    /// SIMD instructions to use; by default the best of the machine.
    #[arg(long, value_enum)]
    instructions: Option<Vectors>,
    /// Leave out more triangles (growth), bodies (scenes) or boxes (world).
    #[arg(long, value_name = "N")]
    up_to: Option<usize>,
    /// The same as the workload `gpu`.
    #[arg(long, conflicts_with_all = ["peers", "instructions", "up_to"])]
    gpu: bool,
    /// Print one JSON object instead of tables.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Workload {
    /// Two bumpy spheres of 69,620 triangles around contact: the next five together, one thread.
    W1,
    /// Verdicts, around contact and at known clearances.
    Overlap,
    /// Clearances.
    Clearance,
    /// All pairs of intersecting faces.
    Intersections,
    /// First contact along motions.
    Motions,
    /// Preparing a model.
    Build,
    /// W4: convex pairs near contact, cold and along paths, one thread.
    Convex,
    /// W10: the bodies of W1 along smooth paths around contact, with a hint and without, one thread.
    Coherence,
    /// W5: which of 1,000 to 300,000 moving boxes overlap, one thread.
    World,
    /// Growth of times and sizes from 1,000 to 5,000,000 triangles, one thread.
    Growth,
    /// Cost of checking assemblies of 100 to 5,000 bodies, on all threads.
    Scenes,
    /// Millions of poses on a GPU, compared with all threads of the CPU.
    Gpu,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Vectors {
    Avx512,
    Avx2,
    Portable,
}

impl Arguments {
    fn instructions(&self) -> Instructions {
        match self.instructions {
            None => Instructions::best(),
            Some(Vectors::Avx512) => Instructions::Avx512,
            Some(Vectors::Avx2) => Instructions::Avx2,
            Some(Vectors::Portable) => Instructions::Portable,
        }
    }

    /// Rejects options that the workload does not support; they would be ignored silently.
    fn check_options(&self) -> Result<()> {
        let grows = matches!(self.workload, Workload::Growth | Workload::Scenes | Workload::World);
        let own = matches!(
            self.workload,
            Workload::Convex | Workload::Coherence | Workload::Scenes | Workload::World
        );
        let alone = matches!(
            self.workload,
            Workload::Coherence | Workload::Growth | Workload::Scenes | Workload::Gpu
        );
        let fixed = own || self.workload == Workload::Gpu;
        let name = self.workload.to_possible_value();
        let name = name.as_ref().map_or("", |value| value.get_name());
        ensure!(self.up_to.is_none() || grows, "{name} has one size: leave out --up-to");
        ensure!(self.poses.is_none() || !grows, "{name} has poses of its own: leave out --poses");
        ensure!(!self.peers || !alone, "{name} is not asked of peers: leave out --peers");
        ensure!(
            self.instructions.is_none() || !fixed,
            "{name} uses the best there are: leave out --instructions"
        );
        Ok(())
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    arguments.check_options()?;
    let (peers, json) = (arguments.peers, arguments.json);
    let poses = arguments.poses.unwrap_or(w1::POSES);
    let up_to = arguments.up_to.unwrap_or(usize::MAX);
    let w1 = |parts: &[w1::Part]| {
        let plan = w1::Plan { poses, instructions: arguments.instructions(), parts: parts.to_vec(), peers };
        measured::run(json, |progress| plan.run(progress))
    };
    let on_gpu = || {
        let plan = gpu::Plan { poses: arguments.poses.unwrap_or(100_000_000), needs_gpu: true };
        measured::run(json, |progress| plan.run(progress))
    };
    if arguments.gpu {
        return on_gpu();
    }
    match arguments.workload {
        Workload::Gpu => on_gpu(),
        Workload::W1 => w1(&w1::Part::ALL),
        Workload::Overlap => w1(&[w1::Part::Overlap]),
        Workload::Clearance => w1(&[w1::Part::Clearance]),
        Workload::Intersections => w1(&[w1::Part::Intersections]),
        Workload::Motions => w1(&[w1::Part::Motions]),
        Workload::Build => w1(&[w1::Part::Build]),
        Workload::Convex => measured::run(json, |progress| convex::Plan { poses, peers }.run(progress)),
        Workload::Coherence => {
            let poses = arguments.poses.unwrap_or(10_000);
            measured::run(json, |progress| coherence::Plan { poses }.run(progress))
        }
        Workload::World => measured::run(json, |progress| boxes::Plan { up_to, peers }.run(progress)),
        Workload::Growth => {
            let plan = growth::Plan { instructions: arguments.instructions(), up_to };
            measured::run(json, |progress| plan.run(progress))
        }
        Workload::Scenes => measured::run(json, |progress| scenes::Plan { up_to }.run(progress)),
    }
}
