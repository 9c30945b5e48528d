//! Speeds of motions, and blends at the via points between them.

use super::{CellHost, Wanted};
use crate::run::{DrivenKind, ExecutedMotion, Profile};
use crate::{MotionKind, MotionRequest, Pace};
use noli_robot::{JointAxisKind, Residual};

impl CellHost<'_> {
    /// As fast as speeds and accelerations of all joints allow, and the tool's where it is bounded.
    pub(super) fn profile(&self, keys: &[(f64, Vec<f64>)], motion: &MotionRequest<'_>) -> Profile {
        let percent = match motion.pace {
            Pace::Seconds(seconds) => return Profile::within(seconds),
            Pace::Percent(percent) => (percent / 100.0).min(1.0),
            Pace::Tool(_) => 1.0,
        };
        let (mut speed, mut acceleration) = (f64::INFINITY, f64::INFINITY);
        for (number, variable) in self.work.robot.variables().iter().enumerate() {
            let [own_speed, own_acceleration] = match variable.movement {
                JointAxisKind::Turn => self.work.turn_speed,
                JointAxisKind::Slide => self.work.slide_speed,
            };
            let rate = |pair: &[(f64, Vec<f64>)]| {
                (pair[1].1[number] - pair[0].1[number]).abs() / (pair[1].0 - pair[0].0)
            };
            let rate = keys.windows(2).map(rate).fold(0.0, f64::max);
            if rate > 0.0 {
                speed = speed.min(variable.limits.velocity.unwrap_or(own_speed) * percent / rate);
                acceleration =
                    acceleration.min(variable.limits.acceleration.unwrap_or(own_acceleration) / rate);
            }
        }
        // Nothing moves.
        if speed.is_infinite() {
            return Profile::NOTHING;
        }
        let tool = |values: &[f64]| self.tool_at(values, &motion.flange_from_tool);
        let straight = motion.kind == MotionKind::Straight;
        let [(_, first), .., (_, last)] = keys else { return Profile::NOTHING };
        let ends = [first, last];
        let length = if straight {
            let [a, b] = ends.map(|values| tool(values));
            a.translation.distance(b.translation)
        } else {
            let at = |share: f64| {
                let values: Vec<f64> =
                    keys[0].1.iter().zip(&keys[1].1).map(|(a, b)| a + (b - a) * share).collect();
                tool(&values).translation
            };
            let ends = (0..16).zip(1..).map(|(from, to)| [from, to].map(|k| at(f64::from(k) / 16.0)));
            ends.map(|[a, b]| a.distance(b)).sum()
        };
        if length > 0.0 {
            let [own, pick_up] = self.work.slide_speed;
            match motion.pace {
                Pace::Tool(wanted) => speed = speed.min(wanted / length),
                _ if straight => speed = speed.min(own * percent / length),
                _ => {}
            }
            if straight {
                acceleration = acceleration.min(pick_up / length);
            }
        }
        if straight {
            let [a, b] = ends.map(|values| tool(values));
            let turn = Residual::between(&a, &b).angle;
            if turn > 0.0 {
                let [spin, spin_up] = self.work.turn_speed;
                speed = speed.min(spin * percent / turn);
                acceleration = acceleration.min(spin_up / turn);
            }
        }
        Profile::fastest(speed, acceleration)
    }

    /// The vertex between the last motion and the next, and where it leaves the one and joins the other.
    pub(super) fn vertex(
        &self,
        motion: &MotionRequest<'_>,
        keys: &[(f64, Vec<f64>)],
        profile: &Profile,
    ) -> Option<(Wanted, [f64; 2])> {
        let before = self.run.driven.last()?;
        let moves = matches!(before.kind, DrivenKind::Joint | DrivenKind::Straight);
        let joined = (before.end() - motion.time).abs() <= 1e-9 * (1.0 + motion.time);
        if !moves || !joined || before.until < 1.0 || profile.seconds == 0.0 || before.profile.seconds == 0.0
        {
            return None;
        }
        let tool = |values: &[f64]| self.tool_at(values, &motion.flange_from_tool).translation;
        let vertex = &keys[0].1;
        let center = tool(vertex);
        // At most half of either motion is cut off.
        let cut = |value: &dyn Fn(f64) -> Vec<f64>| {
            let far = |share: f64| tool(&value(share)).distance(center) > self.options.blend;
            if !far(0.5) {
                return 0.5;
            }
            let (mut near, mut away) = (0.0, 0.5);
            for _ in 0..40 {
                let middle = 0.5 * (near + away);
                if far(middle) { away = middle } else { near = middle }
            }
            near
        };
        let after = ExecutedMotion { keys: keys.to_vec(), until: 1.0, ..before.clone() };
        let a = 1.0 - cut(&|share| before.values(1.0 - share));
        let b = cut(&|share| after.values(share));
        let (first, last) = (before.values(a), after.values(b));
        let start = before.start + before.profile.time(a);
        let seconds = motion.time + profile.time(b) - start;
        if !(seconds > 0.0 && a < 1.0 && b > 0.0) {
            return None;
        }
        let point = |k: u32| {
            let s = f64::from(k) / 8.0;
            let weights = [(1.0 - s) * (1.0 - s), 2.0 * s * (1.0 - s), s * s];
            let mix = |j: usize| weights[0] * first[j] + weights[1] * vertex[j] + weights[2] * last[j];
            let values = match k {
                0 => first.clone(),
                8 => last.clone(),
                _ => (0..first.len()).map(mix).collect(),
            };
            (s, values)
        };
        let wanted = Wanted {
            place: motion.place,
            kind: DrivenKind::Blend,
            start,
            profile: Profile::fastest(1.0 / seconds, f64::INFINITY),
            keys: (0..=8).map(point).collect(),
            deviation: 0.0,
        };
        Some((wanted, [a, b]))
    }
}
