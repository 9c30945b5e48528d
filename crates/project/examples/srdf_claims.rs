//! Claims of an SRDF about pairs of links, compared with proofs: `cargo run --release -p noli-project
//! --example srdf_claims ROBOT.urdf ROBOT.srdf [--states N]`. For each pair called `Never` that can meet, how
//! often it does in random configurations within limits, in how many of these nothing else meets that the
//! SRDF leaves on, and the deepest one found, with a bracket on how far the links must be moved to part.

use noli::penetration::{PenetrationQuery, penetration};
use noli::{Overlap, Pose};
use noli_project::{RobotOptions, load_robot, load_srdf};
use noli_robot::cell::{Cell, CellBuilder, DisableReason, PairRule, ProofOptions, Reachability, StateStatus};
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

type Problem = Box<dyn std::error::Error>;

/// The largest lower bound of the depth of any two shapes of a pair, with its upper bound.
fn deepest(cell: &Cell, pair: usize, values: &[f64], query: &PenetrationQuery) -> Result<[f64; 2], Problem> {
    let poses = cell.shape_poses(values)?;
    let [a, b] = cell.pairs()[pair].parts;
    let shapes: Vec<_> = cell.shapes().zip(&poses).collect();
    let mut most = [0.0; 2];
    for ((_, model), pose) in shapes.iter().filter(|((part, _), _)| *part == a) {
        for ((_, other), place) in shapes.iter().filter(|((part, _), _)| *part == b) {
            let found = penetration(&model.at(**pose), &other.at(**place), query).depth;
            if found.at_least >= most[0] {
                most = [found.at_least, found.at_most];
            }
        }
    }
    Ok(most)
}

fn main() -> Result<(), Problem> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let count = words.iter().position(|word| word == "--states").and_then(|k| words.get(k + 1));
    let count: usize = count.map_or(Ok(200_000), |word| word.parse())?;
    let [urdf, srdf] = [".urdf", ".srdf"].map(|end| words.iter().find(|word| word.ends_with(end)));
    let (urdf, srdf) = (urdf.ok_or("name a URDF file")?, srdf.ok_or("name an SRDF file")?);
    let loaded = load_robot(urdf, &RobotOptions::default())?;
    let srdf = load_srdf(srdf, &loaded.robot)?;
    let mut plan = CellBuilder::default();
    let arm = plan.add_robot("", Arc::new(loaded.robot.clone()), Pose::IDENTITY, &loaded.shapes)?;
    plan.apply_srdf(arm, &srdf);
    let cell = plan.build();
    let numbers: Vec<usize> = (0..cell.pairs().len()).collect();
    let begun = Instant::now();
    let proved = cell.prove_all(&numbers, &ProofOptions::default());
    let seconds = begun.elapsed().as_secs_f64();

    let mut out = std::io::stdout().lock();
    let reason = |pair: usize| match &cell.pairs()[pair].rule {
        PairRule::Checked { .. } => "asked about".to_owned(),
        PairRule::Disabled(DisableReason::Srdf(reason)) => reason.clone(),
        PairRule::Disabled(why) => why.to_string(),
    };
    let mut reasons: Vec<String> = numbers.iter().map(|&pair| reason(pair)).collect();
    reasons.sort();
    reasons.dedup();
    writeln!(out, "{}: {} pairs in {seconds:.1} s", loaded.robot.name(), numbers.len())?;
    for wanted in reasons {
        let of = |is: fn(&Reachability) -> bool| {
            proved.iter().filter(|found| reason(found.pair) == wanted && is(&found.meeting)).count()
        };
        writeln!(
            out,
            "  {wanted}: never {}, always {}, can {}, undecided {}",
            of(Reachability::is_never),
            of(Reachability::is_always),
            of(|found| matches!(found, Reachability::Possible { .. })),
            of(|found| *found == Reachability::Undecided),
        )?;
    }
    let claims = proved.iter().filter(|found| reason(found.pair).eq_ignore_ascii_case("never"));
    for found in claims.filter(|found| !found.meeting.is_never() && found.meeting != Reachability::Undecided)
    {
        refuted(&cell, found.pair, count, &mut out)?;
    }
    Ok(())
}

fn refuted(cell: &Cell, pair: usize, count: usize, out: &mut impl Write) -> Result<(), Problem> {
    let mut seed = 7u64;
    let mut share = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 * 2f64.powi(-53)
    };
    let robot = cell.robots().next().ok_or("no robot")?.clone();
    let mut checker = cell.checker();
    let (mut meet, mut unseen) = (0, 0);
    let mut worst: Option<([f64; 2], Vec<f64>)> = None;
    for _ in 0..count {
        let mut values: Vec<f64> = Vec::new();
        for variable in robot.variables() {
            let [low, high] = variable.limits.range.unwrap_or([-3.0, 3.0]);
            values.push(low + (high - low) * share());
        }
        robot.apply_laws(&mut values);
        if checker.pair_overlap(&values, pair)? != Overlap::Hit {
            continue;
        }
        meet += 1;
        unseen += usize::from(checker.check_state(&values)? == StateStatus::Free);
        let deep = deepest(cell, pair, &values, &PenetrationQuery::FAST)?;
        if worst.as_ref().is_none_or(|worst| deep[0] > worst.0[0]) {
            worst = Some((deep, values));
        }
    }
    let [a, b] = cell.pair_names(pair);
    let percent = 100.0 * f64::from(meet) / count as f64;
    writeln!(
        out,
        "  {a} - {b}, called never: {meet} of {count} meet ({percent:.2} %), {unseen} of them alone"
    )?;
    if let Some((_, values)) = worst {
        let [at_least, at_most] = deepest(cell, pair, &values, &PenetrationQuery::THOROUGH)?;
        let values: Vec<String> = values.iter().map(|x| format!("{x:.4}")).collect();
        let mm = [at_least, at_most].map(|x| x * 1000.0);
        writeln!(out, "    deepest {:.1} to {:.1} mm at {}", mm[0], mm[1], values.join(", "))?;
    }
    Ok(())
}
