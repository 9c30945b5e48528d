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
    text_claims(session, &ran, &rh);
    let rises = ran.chunks(2).all(|r| r[1].printed.inner_share() > r[0].printed.inner_share());
    session.finding(
        "The share of inner spheres rises where bodies are deeper in each other",
        Verdict::of(rises),
        shares_by_space(&ran),
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

/// Sentences of section 5, by the printed tables and by ours.
fn text_claims(session: &mut Session<'_>, ran: &[Ran], rh: &[&Ran]) {
    let large = &rh[0].pair;
    let share = |inner: [f64; 2], faces: [f64; 2]| {
        let [inner, faces] = [inner, faces].map(|[count, us]| count * us);
        100.0 * inner / (inner + faces)
    };
    let in_print = share([large.inner[0], large.inner_us[0]], [large.faces[0], large.faces_us[0]]);
    let [inner, faces, _] = rh[0].printed.hits;
    let here = share([inner, rh[0].printed.hit_us[0]], [faces, rh[0].printed.hit_us[1]]);
    session.finding(
        "0.01 % of the time decides 75 % of the hits (truncated octahedron and Rh)",
        Verdict::of(in_print <= 0.015 && here <= 0.015),
        format!(
            "By the printed tables themselves, counts times mean times: {in_print:.1} % of the time of all hits decides {:.1} % of them, and a hit by inner spheres \
             takes {:.1} % of one by faces. Here {here:.1} % of the time decides {:.1} %.",
            100.0 * large.inner_share(0),
            100.0 * large.inner_us[0] / large.faces_us[0],
            100.0 * rh[0].printed.inner_share()
        ),
    );
    let within = |ratios: &[f64]| ratios.iter().filter(|r| (2.0..=3.0).contains(*r)).count();
    let more = |ratios: &[f64]| ratios.iter().filter(|r| **r > 1.0).count();
    let told = |ratios: &[f64]| ratios.iter().map(|r| format!("{r:.1}")).collect::<Vec<_>>().join(", ");
    let in_print: Vec<f64> = ran.iter().map(|r| r.pair.inner[r.space] / r.pair.faces[r.space]).collect();
    let here: Vec<f64> = ran.iter().map(|r| r.printed.hits[0] / r.printed.hits[1].max(1.0)).collect();
    session.finding(
        "Inner spheres find two or three times as many hits as faces do",
        match (within(&here), more(&here)) {
            (n, _) if n == here.len() => Verdict::Confirmed,
            (_, 0) => Verdict::Refuted,
            _ => Verdict::Partly,
        },
        format!(
            "Times as many in print: {} ({} of {} between 2 and 3); here: {} ({} of {}).",
            told(&in_print),
            within(&in_print),
            in_print.len(),
            told(&here),
            within(&here),
            here.len()
        ),
    );
}

/// The shares of both spaces of each pair.
fn shares_by_space(ran: &[Ran]) -> String {
    let one = |r: &[Ran]| {
        let [large, small] = [0, 1].map(|k| 100.0 * r[k].printed.inner_share());
        format!("{}: {large:.1} % and {small:.1} %", r[0].pair.name())
    };
    ran.chunks(2).map(one).collect::<Vec<_>>().join("; ") + "."
}
