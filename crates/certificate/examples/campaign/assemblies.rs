//! Assemblies: all pairs at rest, and removal paths.

use crate::setup::{Problem, Words};
use crate::{Options, run};
use noli::world::{BodyId, CheckOptions};
use noli_certificate::{Certificate, WorldStatements};
use noli_plan::{Effort, RemovalResult, RemoveOptions, RigidSpace, remove};
use noli_project::{OpenOptions, StageOptions, TakeAs, bundled_names, open_bundled, open_paths, stage};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// All pairs of an assembly at rest, in one certificate.
pub(crate) fn world(words: &Words, options: &Options) -> Result<ExitCode, Problem> {
    let path = PathBuf::from(words.0.get(1).ok_or("name a file or a folder")?);
    let source = open_paths(std::slice::from_ref(&path), &OpenOptions::default())?;
    let staged = stage(&source.scene, &StageOptions { take_as: TakeAs::Auto, ..Default::default() })?;
    run(options, 1, |number, tally| {
        let begun = Instant::now();
        let result = staged.world.check(&CheckOptions::default())?;
        tally.verdicts += begun.elapsed();
        let found = WorldStatements::at_rest(&staged.world, &result)?;
        let mut certificate = Certificate::new(found.scene);
        for statement in found.statements {
            tally.prove(&mut certificate, statement, true);
        }
        tally.check(&certificate, options, number).map(drop)
    })
}

/// Motions that a search for a removal path tests at most, and its time.
const STEPS: u64 = 2000;
const PATIENCE: Duration = Duration::from_secs(4);

/// Every part of every bundled assembly, where a removal path is found.
pub(crate) fn removals(options: &Options) -> Result<ExitCode, Problem> {
    let mut tasks = Vec::new();
    for name in bundled_names() {
        let source = open_bundled(name, 1)?;
        let bodies = source.scene.bodies.len();
        tasks.extend((0..bodies).map(|part| (name, part)));
    }
    tasks.truncate(options.count);
    run(options, tasks.len(), |number, tally| {
        let (name, part) = tasks[number];
        let source = open_bundled(name, 1)?;
        let staged = stage(&source.scene, &StageOptions { take_as: TakeAs::Auto, ..Default::default() })?;
        let ids: Vec<BodyId> = staged.world.bodies().map(|(id, _)| id).collect();
        let Some(&lead) = ids.get(part) else { return Ok(()) };
        let moving = staged.world.with_descendants(lead)?;
        let begun = Instant::now();
        // A body that nothing is enabled against, or that is not placed to be removed, has no path to prove.
        let Ok(space) = RigidSpace::new(&staged.world, &moving, &[]) else { return Ok(()) };
        let stop = || begun.elapsed() > PATIENCE;
        let effort = Effort { steps: STEPS, seed: options.seed, searches: 1, stop: &stop };
        let removal = remove(&space, &RemoveOptions { effort, ..Default::default() });
        tally.searches += begun.elapsed();
        let RemovalResult::Path(found) = &removal.found else { return Ok(()) };
        let given = staged.world.body(lead)?.pose();
        let first = usize::from(given != space.start() && found.poses.first() == Some(&given));
        if found.poses.len() < first + 2 {
            return Ok(());
        }
        let Ok(found) = WorldStatements::removal(&staged.world, &moving, &[], &found.poses[first..]) else {
            return Ok(());
        };
        let mut certificate = Certificate::new(found.scene);
        for statement in found.statements {
            tally.prove(&mut certificate, statement, true);
        }
        tally.check(&certificate, options, number).map(drop)
    })
}
