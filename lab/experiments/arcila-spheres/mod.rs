//! Double hierarchies of spheres (Arcila et al., document 001), Tables 1 to 3.

use crate::double::{self, Ran};
use crate::placements::Pair;
use crate::{Session, Verdict};
use anyhow::Result;
use noli_classics::double::DoubleOptions;
use serde::Deserialize;

#[derive(Deserialize)]
struct Printed {
    pairs: Vec<Pair>,
}

pub(super) fn run(session: &mut Session<'_>) -> Result<()> {
    let printed: Printed = session.printed()?;
    let ran = double::run(session, &printed.pairs, DoubleOptions::spheres_as_printed())?;
    let separated = |r: &Ran| 100.0 * (r.printed.inner_share() - r.pair.inner_share(r.space));
    let rh: Vec<&Ran> = ran.iter().filter(|r| r.pair.b == "Rh").collect();
    session.finding(
        "Inner spheres decide three hits of four for the truncated octahedron and Rh (75.2 % and 83.5 %)",
        Verdict::of(rh.iter().all(|r| separated(r).abs() <= 5.0)),
        format!(
            "Ours {:.1} % and {:.1} %.",
            100.0 * rh[0].printed.inner_share(),
            100.0 * rh[1].printed.inner_share()
        ),
    );
    let ratio = |r: &Ran| r.printed.hit_us[1] / r.printed.hit_us[0].max(1e-9);
    let ratios: Vec<String> = ran.iter().map(|r| format!("{:.1}", ratio(r))).collect();
    session.finding(
        "A hit by faces costs far more than a hit by inner spheres (3 to 98 times in print)",
        Verdict::of(ran.iter().all(|r| ratio(r) > 1.0)),
        format!("Times as much here: {}.", ratios.join(", ")),
    );
    let rises = ran.chunks(2).all(|r| r[1].printed.inner_share() > r[0].printed.inner_share());
    session.finding(
        "The share of inner spheres rises where bodies are deeper in each other",
        Verdict::of(rises),
        "Compare the two spaces of each pair.",
    );
    double::depth_and_order(session, &ran, 3);
    let gains = ran.iter().filter(|r| r.printed.any_hit_us() < r.outer_only.any_hit_us()).count();
    session.finding(
        "Inner spheres make detection of hits faster",
        if gains == ran.len() {
            Verdict::Confirmed
        } else if gains > 0 {
            Verdict::Partly
        } else {
            Verdict::Refuted
        },
        format!("In {gains} of {} rows a hit takes less time with inner spheres than without.", ran.len()),
    );
    let faster = |us: &dyn Fn(&Ran) -> f64| ran.iter().filter(|r| us(r) < r.printed.any_hit_us()).count();
    session.note(format!(
        "Against today: of {} rows, hits are answered faster than by the double tree in {} by noli's query on the same solid meshes (which has inner spheres of its own) and in {} by GJK on \
         hulls. The double tree keeps its interest for early answers and for unions of convex pieces.",
        ran.len(),
        faster(&|r| r.engine_us[0]),
        faster(&|r| r.gjk_us[0]),
    ));
    Ok(())
}
