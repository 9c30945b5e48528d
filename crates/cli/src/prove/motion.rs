//! `noli prove motion`: the motions of a scene.

use crate::certificate::{self, Writer};
use crate::limits::TimeLimit;
use crate::{Verdict, output, play};
use anyhow::Result;
use noli_certificate::WorldStatements;
use std::path::PathBuf;

/// Prove that the motions of a scene, all together, are collision-free at every instant.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The scene, with motions.
    #[arg(value_name = "SCENE.toml")]
    scene: PathBuf,
    /// The certificate.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limit: TimeLimit,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let time = arguments.limit.start();
    let progress = output::Progress::of_time("proving");
    let (staged, inputs) = play::stage_with_inputs(&arguments.scene)?;
    output::refuse_inputs([&arguments.output], &inputs)?;
    certificate::refuse_tessellated_scene(Some(&arguments.output), &staged)?;
    staged.pairs_moved()?;
    let found = WorldStatements::along(&staged.world, &staged.moves)?;
    let writer = Writer::of_world(found, Some(staged.units), &inputs, staged.warnings.clone())?;
    drop(progress);
    drop(time);
    writer.finish(&arguments.output, arguments.json, false)
}
