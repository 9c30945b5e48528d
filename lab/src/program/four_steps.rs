//! `noli-lab four-steps`: a robot program, its frames tested with the four-step method of 1994.

use anyhow::{Result, ensure};
use noli_lab::frames::{FrameOptions, four_step_frames};
use std::time::Instant;

/// Run a robot program as `noli robot run` does, and test its frames with the four-step method of 1994.
#[derive(clap::Args)]
pub(crate) struct Command {
    #[command(flatten)]
    run: noli_cli::robot::run::Arguments,
    /// Largest tool displacement between frames, in millimetres.
    #[arg(long, value_name = "MM", default_value_t = 5.0)]
    frame_step: f64,
    /// Largest joint rotation between frames, in degrees.
    #[arg(long, value_name = "DEG", default_value_t = 1.0)]
    frame_turn: f64,
}

pub(crate) fn run(command: &Command) -> Result<()> {
    ensure!(
        command.frame_step > 0.0 && command.frame_turn > 0.0,
        "--frame-step and --frame-turn: give numbers greater than 0"
    );
    let options = FrameOptions {
        step: command.frame_step / 1000.0,
        turn: command.frame_turn.to_radians(),
        ..FrameOptions::default()
    };
    noli_cli::robot::run::run(
        &command.run,
        Some(&|cell, run| {
            let start = Instant::now();
            let mut frames = four_step_frames(cell, run, &options)?;
            frames.micros = start.elapsed().as_secs_f64() * 1e6 / frames.frames.max(1) as f64;
            Ok(frames)
        }),
    )?;
    Ok(())
}
