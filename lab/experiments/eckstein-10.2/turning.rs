//! Single pairs of features of bodies that turn: which finder misses what, and how late it is.

use super::Config;
use crate::{Cell, Session, Table, Verdict};
use anyhow::Result;
use glam::{DQuat, DVec3};
use noli::motion::{Motion, RigidMotion, Still};
use noli::{Impact, Pose};
use noli_geom::{
    ApproximateQuery, FeatureKind, FeatureQuery, Finder, InsideTest, RigidFeatures, approximate_impact,
};
use noli_scenes::SplitMix64;

/// Two features, of which the first turns and moves, and when they first touch.
struct Case {
    kind: FeatureKind,
    points: [DVec3; 4],
    motion: RigidMotion,
    truth: Option<f64>,
}

impl Case {
    fn new(random: &mut SplitMix64, number: usize, turn: f64) -> Self {
        let kind = if number.is_multiple_of(2) { FeatureKind::VertexFace } else { FeatureKind::EdgeEdge };
        let mut point = |size: f64| random.direction() * random.between(0.2, size);
        let points = match kind {
            FeatureKind::VertexFace => [point(1.0), point(1.5), point(1.5), point(1.5)],
            FeatureKind::EdgeEdge => [point(1.2), point(1.2), point(1.5), point(1.5)],
        };
        let angle = random.between(0.3, 1.0) * turn;
        let end = Pose::new(
            DQuat::from_axis_angle(random.direction(), angle),
            random.direction() * random.between(0.0, 0.6),
        );
        let motion = RigidMotion::between(&Pose::IDENTITY, &end, DVec3::ZERO);
        let mut case = Self { kind, points, motion, truth: None };
        let still = Still(Pose::IDENTITY);
        let features = RigidFeatures { kind, points, a: &case.motion, b: &still };
        case.truth = match features.impact(&FeatureQuery { tolerance: 1e-8, ..FeatureQuery::default() }) {
            Impact::At { time, .. } => Some(time.safe_until),
            Impact::AtStart(_) => Some(0.0),
            Impact::Free | Impact::Unknown { .. } => None,
        };
        case
    }

    fn found(&self, query: &ApproximateQuery) -> Option<f64> {
        let count = if self.kind == FeatureKind::VertexFace { 1 } else { 2 };
        let place = |t: f64| -> [DVec3; 4] {
            let pose = self.motion.pose(t);
            std::array::from_fn(
                |k| if k < count { pose.transform_point(self.points[k]) } else { self.points[k] },
            )
        };
        approximate_impact(self.kind, &place, query)
    }
}

/// Results of a method over all cases.
#[derive(Default)]
struct Score {
    missed: usize,
    false_alarms: usize,
    /// Later than the truth by more than a thousandth of the step.
    late: usize,
    worst: f64,
}

pub(super) fn run(session: &mut Session<'_>, config: &Config) -> Result<()> {
    let mut random = SplitMix64::new(config.seed + 1);
    session.step("single pairs of features that turn");
    let cases: Vec<Case> =
        (0..config.turning).map(|number| Case::new(&mut random, number, config.turning_rad)).collect();
    let contacts = cases.iter().filter(|case| case.truth.is_some()).count();
    let title = format!(
        "{} pairs of features, one of which turns by up to {} rad; {contacts} touch",
        cases.len(),
        config.turning_rad
    );
    let columns =
        ["finder", "contacts missed", "false alarms", "late by more than 0.001", "latest, share of the step"];
    let mut table = Table::new(title, columns);
    let mut missed = Vec::new();
    for (name, finder) in super::finders(4) {
        for (how, literal, inside) in [
            ("as printed", true, InsideTest::Exact),
            ("mended", false, InsideTest::Exact),
            ("mended, interpolated inside test", false, InsideTest::Interpolated),
        ] {
            let query = ApproximateQuery { finder, literal, inside, ..ApproximateQuery::default() };
            let score = score(&cases, &query);
            let counts = [score.missed, score.false_alarms, score.late].map(|n| Cell::Ours(n as f64));
            table.row(format!("{name}, {how}"), counts.into_iter().chain([Cell::Ours(score.worst)]));
            if how == "mended" {
                missed.push((finder, name, score));
            }
        }
    }
    session.table(table);
    let of = |wanted: Finder| missed.iter().find(|(finder, ..)| *finder == wanted).map(|(.., score)| score);
    if let (Some(linear), Some(finest)) = (of(Finder::Linear), of(Finder::SamplingRegulaFalsi { cells: 4 })) {
        let most = missed.iter().map(|(.., score)| score.missed + score.late).max().unwrap_or(0);
        let least = missed.iter().map(|(.., score)| score.missed + score.late).min().unwrap_or(0);
        let wrong = |score: &Score| score.missed + score.late;
        session.finding(
            "Sampling with regula falsi is the most accurate finder, linear interpolation the least",
            match (wrong(finest) == least, wrong(linear) == most) {
                (true, true) if least < most => Verdict::Confirmed,
                (false, false) => Verdict::Refuted,
                _ => Verdict::Partly,
            },
            format!(
                "Missed or late, of {contacts} contacts of features that turn: {}.",
                missed
                    .iter()
                    .map(|(_, name, score)| format!("{name} {}", wrong(score)))
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
        );
    }
    Ok(())
}

fn score(cases: &[Case], query: &ApproximateQuery) -> Score {
    let mut score = Score::default();
    for case in cases {
        match (case.truth, case.found(query)) {
            (Some(_), None) => score.missed += 1,
            (None, Some(_)) => score.false_alarms += 1,
            (Some(truth), Some(found)) => {
                score.late += usize::from(found > truth + 1e-3);
                score.worst = score.worst.max(found - truth);
            }
            (None, None) => {}
        }
    }
    score
}
