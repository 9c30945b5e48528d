//! Gear wheels and other star-shaped plates.

use super::Flat;
use glam::DVec2;
use std::f64::consts::{PI, TAU};

/// Pressure angle of the usual involute tooth.
const PRESSURE: f64 = PI / 9.0;

/// A spur gear about z, with a tooth along x.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gear {
    /// Number of teeth.
    pub(crate) teeth: u32,
    /// Pitch diameter over number of teeth.
    pub(crate) module: f64,
    /// Radius of the bore.
    pub(crate) bore: f64,
    /// Reduction of the tooth thickness at the pitch circle below half the pitch, as a fraction of the pitch.
    pub(crate) backlash: f64,
}

impl Gear {
    /// Radius of the circle on which wheels roll on each other.
    pub(crate) fn pitch_radius(&self) -> f64 {
        0.5 * self.module * f64::from(self.teeth)
    }

    /// The wheel's face: `flank` segments on each side of a tooth, and on its tip and the distance;
    /// `rows` from bore to outline.
    pub(crate) fn flat(&self, flank: u32, rows: u32) -> Flat {
        let flank = flank.max(1);
        let tooth = self.tooth(flank);
        let per_tooth = tooth.len() as u32;
        let around = per_tooth * self.teeth;
        let polar = |k: u32| {
            let (angle, radius) = tooth[(k % per_tooth) as usize];
            (angle + TAU * f64::from(k / per_tooth) / f64::from(self.teeth), radius)
        };
        let outer = |k: u32| DVec2::from_angle(polar(k).0) * polar(k).1;
        let inner = |k: u32| DVec2::from_angle(polar(k).0) * self.bore;
        Flat::annulus(around, rows.max(1), inner, outer)
    }

    /// Angle and radius of the points of the tooth about angle 0, from the middle of the distance before
    /// it up to, not including, the middle of the next.
    fn tooth(&self, flank: u32) -> Vec<(f64, f64)> {
        let pitch = TAU / f64::from(self.teeth);
        let (root, tip) = (self.pitch_radius() - 1.25 * self.module, self.pitch_radius() + self.module);
        let share = |step: u32| f64::from(step) / f64::from(flank);
        let foot = self.half_angle(root);
        let rising = (0..flank).map(|s| (-pitch / 2.0 + (pitch / 2.0 - foot) * share(s), root));
        let up = (0..flank).map(|s| root + (tip - root) * share(s)).map(|r| (-self.half_angle(r), r));
        let top = self.half_angle(tip);
        let over = (0..flank).map(|s| (-top + 2.0 * top * share(s), tip));
        let down = (0..flank).map(|s| tip + (root - tip) * share(s)).map(|r| (self.half_angle(r), r));
        let falling = (0..flank).map(|s| (foot + (pitch / 2.0 - foot) * share(s), root));
        rising.chain(up).chain(over).chain(down).chain(falling).collect()
    }

    /// Half the angle that a tooth fills at a radius: an involute above the base circle; below, a
    /// slope that widens towards the root, so that no two points of the outline have the same angle.
    fn half_angle(&self, radius: f64) -> f64 {
        let base = self.pitch_radius() * PRESSURE.cos();
        let involute = |pressure: f64| pressure.tan() - pressure;
        let at = if radius > base { (base / radius).acos() } else { 0.0 };
        let half_tooth = (0.5 - self.backlash) * PI / f64::from(self.teeth);
        let slope = 0.1 * (base - radius).max(0.0) / base;
        half_tooth + involute(PRESSURE) - involute(at) + slope
    }
}

/// A star about z whose radius swings between two values `points` times, with a round bore;
/// `around` segments to each swing.
pub(crate) fn star(points: u32, radii: [f64; 2], bore: f64, around: u32, rows: u32) -> Flat {
    let total = points * around;
    let angle = |k: u32| TAU * f64::from(k) / f64::from(total);
    let radius = |k: u32| {
        let swing = 0.5 - 0.5 * (f64::from(points) * angle(k)).cos();
        radii[0] + (radii[1] - radii[0]) * swing
    };
    Flat::annulus(
        total,
        rows.max(1),
        |k| DVec2::from_angle(angle(k)) * bore,
        |k| DVec2::from_angle(angle(k)) * radius(k),
    )
}
