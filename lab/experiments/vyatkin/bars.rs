//! The recursive search as published against the known algorithm, on quadrics with perturbation functions: the objects that it
//! is for. Both are counted, and both are compared with proven verdicts.

use super::{Config, Printed};
use crate::{Cell, Session, Table, Verdict};
use anyhow::{Result, ensure};
use glam::{DVec3, dvec3};
use noli::Pose;
use noli_classics::fields::{BarQuery, SobolQuery, bar_search, sobol_search_as_published};
use noli_geom::Aabb;
use noli_implicit::shapes::{Perturbed, Quadric};
use noli_implicit::{Field, FieldQuery, FieldVerdict, field_overlap};
use noli_scenes::SplitMix64;

/// Operations on one quadric: a bar is cut (28) and its coefficients summed (19); a value takes 19. Bumps add a power and a sum.
const CUT: f64 = 47.0;
const VALUE: f64 = 19.0;
const BUMP: f64 = 4.0;

/// One pair: what both searches took, in operations, and what is true.
struct Asked {
    hit: bool,
    boxes: f64,
    bars: f64,
    known: f64,
    candidate: bool,
    found: bool,
}

pub(super) fn run(session: &mut Session<'_>, config: &Config, printed: &Printed) -> Result<()> {
    let columns = [
        "bumps on each",
        "pairs",
        "that collide",
        "bars: boxes of hits, least",
        "most",
        "of misses, least",
        "most",
        "candidates that are no hit",
        "operations of bars: hits, median",
        "misses, median",
        "of the known algorithm: hits, median",
        "misses, median",
        "hits it missed",
    ];
    let mut table = Table::new(
        "Quadrics with perturbation functions: bars as published, and quasi-random starts as published",
        columns,
    );
    let mut random = SplitMix64::new(2002);
    let mut all = Vec::new();
    for bumps in [0usize, 1, 3] {
        session.step(&format!("bars over quadrics with {bumps} bumps"));
        let mut asked = Vec::new();
        for _ in 0..config.shapes {
            let objects = [object(&mut random, bumps), object(&mut random, bumps)];
            asked.extend(ask(&objects, config)?);
        }
        table.row(bumps.to_string(), row(config.shapes, &asked).map(Cell::Ours));
        all.push(asked);
    }
    session.table(table);
    findings(session, &all, printed);
    Ok(())
}

fn object(random: &mut SplitMix64, bumps: usize) -> Perturbed {
    let center = random.direction() * random.between(0.0, 0.35);
    let half = dvec3(random.between(0.2, 0.45), random.between(0.2, 0.45), random.between(0.2, 0.45));
    let bumps = (0..bumps).map(|_| {
        let at = center + random.direction() * 0.3;
        (random.between(-4.0, 4.0), Quadric::sphere(at, 0.25))
    });
    Perturbed { base: Quadric::ellipsoid(center, half), bumps: bumps.collect(), power: 3 }
}

/// Nothing where the guaranteed search leaves it open.
fn ask(objects: &[Perturbed; 2], config: &Config) -> Result<Option<Asked>> {
    let cube = Aabb { min: DVec3::NEG_ONE, max: DVec3::ONE };
    let fields = objects.each_ref().map(|object| Field::new(&object.expr()).within(cube));
    let (a, b) = (fields[0].at(Pose::IDENTITY), fields[1].at(Pose::IDENTITY));
    let hit = match field_overlap(&a, &b, &FieldQuery { cells: 400_000, ..Default::default() }).verdict {
        FieldVerdict::Hit { .. } => true,
        FieldVerdict::Free => false,
        FieldVerdict::Unknown { .. } => return Ok(None),
    };
    let bars = bar_search(&objects[0], &objects[1], &BarQuery::default());
    let known = sobol_search_as_published(&a, &b, &SobolQuery { points: config.starts, tolerance: 1e-3 });
    ensure!(hit || known.hit.is_none(), "a common point of objects proven separated was found");
    let per = |of_quadric: f64| -> f64 {
        objects.iter().map(|o| of_quadric + o.bumps.len() as f64 * (of_quadric + BUMP)).sum()
    };
    Ok(Some(Asked {
        hit,
        boxes: bars.boxes as f64,
        bars: bars.boxes as f64 * per(CUT),
        known: known.points as f64 * per(VALUE),
        candidate: bars.candidate.is_some(),
        found: known.hit.is_some(),
    }))
}

fn sorted(asked: &[Asked], hit: bool, of: impl Fn(&Asked) -> f64) -> Vec<f64> {
    let mut all: Vec<f64> = asked.iter().filter(|a| a.hit == hit).map(of).collect();
    all.sort_by(f64::total_cmp);
    all
}

fn median(all: &[f64]) -> f64 {
    all.get(all.len() / 2).copied().unwrap_or(0.0)
}

fn ends(all: &[f64]) -> [f64; 2] {
    [all.first(), all.last()].map(|end| end.copied().unwrap_or(0.0))
}

fn row(pairs: usize, asked: &[Asked]) -> [f64; 12] {
    let boxes = [true, false].map(|hit| ends(&sorted(asked, hit, |a| a.boxes)));
    let bars = [true, false].map(|hit| median(&sorted(asked, hit, |a| a.bars)));
    let known = [true, false].map(|hit| median(&sorted(asked, hit, |a| a.known)));
    let count = |of: &dyn Fn(&Asked) -> bool| asked.iter().filter(|a| of(a)).count() as f64;
    [
        pairs as f64,
        count(&|a| a.hit),
        boxes[0][0],
        boxes[0][1],
        boxes[1][0],
        boxes[1][1],
        count(&|a| a.candidate && !a.hit),
        bars[0],
        bars[1],
        known[0],
        known[1],
        count(&|a| a.hit && !a.found),
    ]
}

fn findings(session: &mut Session<'_>, all: &[Vec<Asked>], printed: &Printed) {
    let asked = || all.iter().flatten();
    let spread = |asked: &[Asked]| {
        let [least, most] = ends(&sorted(asked, true, |a| a.boxes));
        if most > 0.0 { 1.0 - least / most } else { 0.0 }
    };
    let widest = all.iter().map(|asked| spread(asked)).fold(0.0, f64::max);
    session.finding(
        "The time does not depend on the shapes of the objects and on how they collide (150 ms, at most 1 % apart)",
        Verdict::of(widest <= printed.spread),
        format!(
            "Boxes of the quickest and the slowest collision with as many bumps are up to {:.0} % apart: how soon the first bar is left over depends on where it lies.",
            100.0 * widest
        ),
    );
    let excluded = asked().filter(|a| a.hit && !a.candidate).count();
    session.finding(
        "A collision is always found by dividing space",
        Verdict::of(excluded == 0),
        format!(
            "Of {} proven collisions {excluded} were excluded, with the criterion as mended; {} of {} separated pairs were left as candidates, so that a candidate is no proof.",
            asked().filter(|a| a.hit).count(),
            asked().filter(|a| a.candidate && !a.hit).count(),
            asked().filter(|a| !a.hit).count()
        ),
    );
    let fewer = |hit: bool| {
        let of = || asked().filter(move |a| a.hit == hit);
        (of().filter(|a| a.bars < a.known).count(), of().count())
    };
    let ((hits_fewer, hits), (misses_fewer, misses)) = (fewer(true), fewer(false));
    let mflop = |seconds: f64, mflops: f64| seconds * mflops;
    let in_print: Vec<String> = printed
        .baseline
        .iter()
        .map(|b| {
            let kind = if b.hit { "hit" } else { "miss" };
            format!("{} {kind} {:.1}", b.scene, mflop(b.seconds, printed.baseline_mflops))
        })
        .collect();
    session.finding(
        "Dividing space takes less than the known algorithm",
        match hits_fewer + misses_fewer {
            0 => Verdict::Refuted,
            n if n == hits + misses => Verdict::Confirmed,
            _ => Verdict::Partly,
        },
        format!(
            "Operations counted, bars as published against quasi-random starts as published: fewer in {hits_fewer} of {hits} collisions and in {misses_fewer} of \
             {misses} pairs without one. Printed times by the printed speeds, in Mflop: bars {:.1}; {}: by print itself less only than the worst case and more than \
             a hit of fur.",
            mflop(printed.recursive_s, printed.recursive_mflops),
            in_print.join(", ")
        ),
    );
}
