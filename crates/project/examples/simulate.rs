//! Simulates scenes and prints the summary of each: `cargo run --release -p noli-project --example simulate rod stack`.
//!
//! `name:frames` takes fewer frames than a bundled scene has, `name::detail` is as fine as that. A scene of the rigid-ipc
//! collection is a path, `cad/rigid-ipc/scenes/bolt.json:seconds:speed`, with its meshes in the folder `meshes` beside its own;
//! so many times faster it takes so much less time. After `--CPU`, times are of the CPU, as Linux tells them, not
//! of the clock on the wall; of one thread, so set `RAYON_NUM_THREADS=1`.

use noli::query::{Clock, SteadyClock};
use noli_formats::{ReadOptions, read_mesh};
use noli_project::{
    SimulationOptions, SimulationReport, SimulationSetup, Watch, simulate_contact, simulate_dynamics,
};
use std::error::Error;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;

fn real(path: &Path, seconds: f64) -> Result<SimulationSetup, Box<dyn Error>> {
    let text = std::fs::read_to_string(path)?;
    let meshes = path.parent().and_then(Path::parent).unwrap_or(Path::new(".")).join("meshes");
    let mut mesh =
        |name: &str| read_mesh(meshes.join(name), &ReadOptions::default()).map_err(|error| error.to_string());
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    Ok(SimulationSetup::rigid_ipc(&name, &text, seconds, &mut mesh)?)
}

fn simulate(argument: &str, watch: &Watch<'_>) -> Result<SimulationReport, Box<dyn Error>> {
    let mut parts = argument.split(':');
    let name = parts.next().unwrap_or_default();
    let mut number = || parts.next().filter(|part| !part.is_empty()).map(str::parse::<f64>).transpose();
    let (first, second) = (number()?, number()?);
    if name.ends_with(".json") {
        let (seconds, speed) = (first.unwrap_or(10.0), second);
        let options =
            SimulationOptions { speed, seconds: speed.map(|speed| seconds / speed), ..Default::default() };
        return Ok(simulate_dynamics(&real(Path::new(name), seconds)?, &options, watch)?);
    }
    let options = SimulationOptions { frames: first.map(|frames| frames as u32), ..Default::default() };
    let setup = SimulationSetup::demo(name, second.map_or(1, |detail| detail as u32))?;
    let falls = noli_scenes::simulated(name, 1).is_some_and(|scene| scene.falls);
    let simulate = if falls { simulate_dynamics } else { simulate_contact };
    Ok(simulate(&setup, &options, watch)?)
}

/// Milliseconds that this thread has had of a CPU, where the system tells.
fn processor_time() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse::<f64>().ok().map(|nanos| nanos * 1e-6)
}

fn main() -> Result<(), Box<dyn Error>> {
    let steady = SteadyClock::start();
    let mut clock: Box<dyn Fn() -> f64> = Box::new(move || steady.now().as_secs_f64() * 1e3);
    for argument in std::env::args().skip(1) {
        if argument == "--CPU" {
            clock = Box::new(|| processor_time().unwrap_or(f64::NAN));
            continue;
        }
        let watch = Watch { clock: &*clock, frame: &|_| ControlFlow::Continue(()) };
        let report = simulate(&argument, &watch)?;
        let line = format!("{argument} {}\n", serde_json::to_string(&report.summary)?);
        std::io::stdout().lock().write_all(line.as_bytes())?;
    }
    Ok(())
}
