//! Probability that parts clash when each is off by its tolerance: millions of draws with bounds, compared
//! with formulas.

use crate::{Cell, Session, Table, Verdict};
use anyhow::Result;
use noli_campaign::{Campaign, Merged, Shard, merge};
use serde::Deserialize;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

#[derive(Deserialize)]
struct Config {
    tolerance: f64,
    clearances: Vec<f64>,
    draws: u64,
    pegs: usize,
    clearance: f64,
    sigma: f64,
    peg_draws: u64,
    chunk: u64,
    seed: u64,
}

#[derive(Deserialize)]
struct Printed {
    covered: f64,
}

pub(super) fn run(session: &mut Session<'_>) -> Result<()> {
    let (config, goal): (Config, Printed) = (session.config()?, session.printed()?);
    let mut covered = Vec::new();
    let columns = ["clearance / tolerance", "by formula", "found", "at least", "at most", "us / draw"];
    let mut table = Table::new("Two blocks, each off by up to the tolerance, evenly", columns);
    for (number, &clearance) in config.clearances.iter().enumerate() {
        session.step(&format!("a clearance of {clearance}"));
        let (merged, micros) = answer(&blocks(&config, clearance, config.seed + number as u64))?;
        // The difference of two even deviations is spread as a triangle from -2t to 2t.
        let t = config.tolerance;
        let formula = (2.0 * t - clearance).max(0.0).powi(2) / (8.0 * t * t);
        covered.push(contains(&merged, formula));
        table.row(format!("{:.2}", clearance / t), cells(&merged, formula, micros));
    }
    session.table(table);

    let mut table = Table::new(
        "Square pegs in square holes, each off by a normal deviation in both directions",
        ["pegs", "by formula", "found", "at least", "at most", "us / draw"],
    );
    for pegs in [1, config.pegs] {
        session.step(&format!("{pegs} pegs"));
        let (merged, micros) = answer(&plate(&config, pegs, config.seed + 100 + pegs as u64))?;
        // A peg is free where neither of its two deviations exceeds the clearance.
        let free = within(config.clearance / config.sigma).powi(2);
        let formula = 1.0 - free.powi(pegs as i32);
        covered.push(contains(&merged, formula));
        table.row(pegs.to_string(), cells(&merged, formula, micros));
    }
    session.table(table);
    let share = covered.iter().filter(|&&holds| holds).count() as f64 / covered.len() as f64;
    session.finding(
        format!("At least {:.0} % of the bounds hold the value of the formula", 100.0 * goal.covered),
        Verdict::of(share >= goal.covered),
        format!("{:.0} % of {} do; each holds with 95 % confidence.", 100.0 * share, covered.len()),
    );
    session.note(
        "Every draw is answered exactly; draws come from a counter, so any part can be run anywhere, and `noli campaign` \
         runs the same plans by the billion.",
    );
    Ok(())
}

fn contains(merged: &Merged, formula: f64) -> bool {
    merged.share.at_least <= formula && formula <= merged.share.at_most
}

fn cells(merged: &Merged, formula: f64, micros: f64) -> [Cell; 5] {
    let share = &merged.share;
    [formula, share.found, share.at_least, share.at_most, micros].map(Cell::Ours)
}

fn answer(plan: &str) -> Result<(Merged, f64)> {
    let campaign = Campaign::from_text(plan, Path::new("tolerances.toml"))?;
    let start = Instant::now();
    let shards =
        (0..campaign.chunks()).map(|chunk| campaign.run(chunk)).collect::<Result<Vec<Shard>, _>>()?;
    let merged = merge(&shards)?;
    Ok((merged.clone(), 1e6 * start.elapsed().as_secs_f64() / merged.count as f64))
}

fn blocks(config: &Config, clearance: f64, seed: u64) -> String {
    let Config { tolerance, draws, chunk, .. } = config;
    format!(
        "seed = {seed}\ncount = {draws}\nchunk = {chunk}\nscene = '''\n\
         [[body]]\nname = \"a\"\nbox = [1, 1, 1]\n\
         [[body]]\nname = \"b\"\nbox = [1, 1, 1]\npose = {{ xyz = [{}, 0.2, 0.1] }}\n'''\n\
         [draw]\nkind = \"deviations\"\n[[draw.part]]\nname = \"*\"\nshift = [{tolerance}, 0, 0]\n",
        1.0 + clearance
    )
}

/// The share of a normal distribution within so many standard deviations of its mean, by its series.
fn within(deviations: f64) -> f64 {
    let x = deviations / std::f64::consts::SQRT_2;
    let (mut term, mut sum) = (x, 0.0);
    for k in 0..200 {
        sum += term / f64::from(2 * k + 1);
        term *= -x * x / f64::from(k + 1);
    }
    std::f64::consts::FRAC_2_SQRT_PI * sum
}

/// Square pegs in square holes, each hole of four walls.
fn plate(config: &Config, pegs: usize, seed: u64) -> String {
    let Config { clearance, sigma, peg_draws, chunk, .. } = config;
    let mut scene = String::new();
    let mut only = Vec::new();
    for peg in 0..pegs {
        let x = 5.0 * peg as f64;
        let _ = write!(
            scene,
            "[[body]]\nname = \"peg{peg}\"\nbox = [1, 1, 3]\npose = {{ xyz = [{x:?}, 0, 0] }}\n"
        );
        let off = 1.0 + clearance;
        for (wall, [dx, dy]) in [[off, 0.0], [-off, 0.0], [0.0, off], [0.0, -off]].into_iter().enumerate() {
            let _ = write!(
                scene,
                "[[body]]\nname = \"wall{peg}-{wall}\"\nbox = [1, 1, 1]\npose = {{ xyz = [{:?}, {dy:?}, 0] }}\n",
                x + dx
            );
        }
        only.push(format!("[\"wall{peg}-*\", \"peg{peg}\"]"));
    }
    format!(
        "seed = {seed}\ncount = {peg_draws}\nchunk = {chunk}\nscene = '''\n{scene}[check]\nonly = [{}]\n'''\n\
         [draw]\nkind = \"deviations\"\n[[draw.part]]\nname = \"peg*\"\nshift = [{sigma}, {sigma}, 0]\n\
         spread = \"normal\"\n",
        only.join(", ")
    )
}
