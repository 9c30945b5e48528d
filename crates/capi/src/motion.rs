//! Two models in motion.

use crate::border::{Answer, ErrorCode, Failure, In, Out, border, given, place};
use crate::context::ask;
use crate::model::{Kept, MODELS};
use crate::values::{ContextHandle, ModelHandle, PoseRecord, length, non_negative, points, vector};
use noli::answer::{Impact, Touch};
use noli::motion::{Motion, RigidMotion, Still};
use noli::query::{ImpactQuery, Tolerance};
use std::sync::Arc;

/// A motion during the time from 0 to 1; `noli_motion` in C.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct MotionRecord {
    /// 0: at rest at `start`. 1: from `start` to `end`, with the shorter rotation about `pivot`. 2: with the constant
    /// velocities `linear` and `angular` about `pivot`.
    pub kind: i32,
    /// Pose at time 0.
    pub start: PoseRecord,
    /// Pose at time 1, for kind 1.
    pub end: PoseRecord,
    /// Point of the body that moves on a straight line, in the frame of the body.
    pub pivot: [f64; 3],
    /// Translation of the pivot during the unit of time, for kind 2.
    pub linear: [f64; 3],
    /// Rotation vector, in the world; its length is the angle in radians, for kind 2.
    pub angular: [f64; 3],
}

/// A model in motion; `noli_moving` in C.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct MovingRecord {
    /// The model.
    pub model: ModelHandle,
    /// Its motion.
    pub motion: MotionRecord,
}

/// Options of a time-of-impact query; `noli_impact_query` in C.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct ImpactOptions {
    /// Bodies this close count as touching.
    pub margin: f64,
    /// Distance beyond the margin at which bodies that pass each other may be reported; 0 selects a millionth of the
    /// larger body.
    pub tolerance: f64,
}

/// First contact of two moving bodies; `noli_impact` in C.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct ImpactRecord {
    /// 0: no contact. 1: in contact at the start. 2: first contact later. 3: undecided after `safe_until`.
    pub kind: i32,
    /// 1 if the contact is proven; 0 if the bodies are only proven to come within the tolerance.
    pub proven: i32,
    /// No contact before this time.
    pub safe_until: f64,
    /// In contact, up to the tolerance, no later than this.
    pub touching_by: f64,
    /// Point of A at the contact, in world coordinates.
    pub on_a: [f64; 3],
    /// Point of B.
    pub on_b: [f64; 3],
    /// Unit vector from A to B; zero where overlap leaves it open.
    pub normal: [f64; 3],
    /// 1 if the points are set.
    pub has_points: i32,
}

/// A model and its motion, kept alive for one query.
struct Travelling {
    kept: Arc<Kept>,
    motion: Box<dyn Motion>,
}

impl Travelling {
    fn new(moving: In<'_, MovingRecord>, what: &str) -> Answer<Self> {
        let MovingRecord { model, motion } = given(moving, what)?;
        let start = motion.start.pose(&format!("the start of {what}"))?;
        let pivot = || vector(motion.pivot, "pivot");
        let motion: Box<dyn Motion> = match motion.kind {
            0 => Box::new(Still(start)),
            1 => {
                let end = motion.end.pose(&format!("the end of {what}"))?;
                Box::new(RigidMotion::between(&start, &end, pivot()?))
            }
            2 => {
                let (linear, angular) =
                    (vector(motion.linear, "linear")?, vector(motion.angular, "angular")?);
                Box::new(RigidMotion::with_velocities(&start, linear, angular, pivot()?))
            }
            kind => {
                return Err(Failure::value(format!("{kind} is no kind of motion; give 0, 1 or 2")));
            }
        };
        Ok(Self { kept: MODELS.get(model.id)?, motion })
    }

    fn moving(&self) -> noli::Moving<'_> {
        self.kept.model.moving(&*self.motion)
    }
}

/// Computes when two moving bodies first touch. `options` may be null for the defaults.
#[unsafe(no_mangle)]
pub extern "C" fn noli_time_of_impact(
    context: ContextHandle,
    a: In<'_, MovingRecord>,
    b: In<'_, MovingRecord>,
    options: In<'_, ImpactOptions>,
    out: Out<'_, ImpactRecord>,
) -> ErrorCode {
    border(|| {
        let out = place(out, "out")?;
        let options = options.copied().unwrap_or_default();
        let margin = length(options.margin, "margin")?;
        let mut query = ImpactQuery { margin, ..ImpactQuery::default() };
        if non_negative(options.tolerance, "tolerance")? > 0.0 {
            query.tolerance = Tolerance::Length(options.tolerance);
        }
        let (a, b) = (Travelling::new(a, "a")?, Travelling::new(b, "b")?);
        let found = ask(context, |ask| ask.time_of_impact(&a.moving(), &b.moving(), &query))?;
        out.write(match found {
            Impact::Free => record(0, [1.0, 1.0], None),
            Impact::AtStart(touch) => record(1, [0.0, 0.0], Some(touch)),
            Impact::At { time, touch } => record(2, [time.safe_until, time.touching_by], Some(touch)),
            Impact::Unknown { safe_until } => record(3, [safe_until, 1.0], None),
        });
        Ok(())
    })
}

fn record(kind: i32, [safe_until, touching_by]: [f64; 2], touch: Option<Touch>) -> ImpactRecord {
    let witness = touch.and_then(|touch| touch.witness);
    let [on_a, on_b] = points(witness);
    ImpactRecord {
        kind,
        proven: i32::from(touch.is_none_or(|touch| touch.proven)),
        safe_until,
        touching_by,
        on_a,
        on_b,
        normal: touch.and_then(|touch| touch.normal).unwrap_or_default().to_array(),
        has_points: i32::from(witness.is_some()),
    }
}
