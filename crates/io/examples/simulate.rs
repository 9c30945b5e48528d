//! Simulates bundled scenes and prints the summary of each: `cargo run --release -p noli-io --example simulate rod stack`.

use noli::query::{Clock, SteadyClock};
use noli_io::{SimulationOptions, SimulationSetup, Watch, simulate_contact, simulate_dynamics};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let clock = SteadyClock::start();
    for argument in std::env::args().skip(1) {
        // `name:frames` for fewer of them than the scene has.
        let (name, frames) = argument.split_once(':').unwrap_or((&argument, ""));
        let options = SimulationOptions { frames: frames.parse().ok(), ..Default::default() };
        let setup = SimulationSetup::demo(name, 1)?;
        let watch = Watch { clock: &|| clock.now().as_secs_f64() * 1e3, frame: &|_| () };
        let falls = noli_scenes::simulated(name).is_some_and(|scene| scene.falls);
        let report = if falls {
            simulate_dynamics(&setup, &options, &watch)?
        } else {
            simulate_contact(&setup, &options, &watch)?
        };
        let mut out = std::io::stdout().lock();
        std::io::Write::write_all(
            &mut out,
            format!("{name} {}\n", serde_json::to_string(&report.summary)?).as_bytes(),
        )?;
    }
    Ok(())
}
