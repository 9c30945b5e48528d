//! Bodies that touch before they move: they may part and slide, but not be pushed into each other.

use super::job::Job;
use super::options::StepOptions;
use crate::answer::{Impact, Overlap, Relation, TimeOfImpact, Touch};
use crate::context::Ask;
use crate::pair::{self, Progress};
use crate::query::ImpactQuery;
use glam::DVec3;

/// Times at which bodies that do not press against each other are looked at: whether they have parted.
const LOOKS: [f64; 7] = [1e-9, 1e-7, 1e-5, 1e-3, 1e-2, 1e-1, 1.0];
/// The time over which it is measured whether they press.
const MOMENT: f64 = 1e-4;
/// Share of the way that counts as no approach: the bend of a way within the moment, and rounding.
const STILL: f64 = 1e-3;

/// What becomes of two bodies that are in contact at the start. Those that overlap already are left as they are, which is
/// usual in construction data.
pub(super) fn after_touch(
    job: &Job<'_>,
    options: &StepOptions<'_>,
    touch: &Touch,
    ask: &mut Ask<'_>,
) -> Impact<Touch> {
    let at_start = Impact::AtStart(*touch);
    let [a, b] = &job.moving;
    if ask.relation(&a.at(0.0), &b.at(0.0)) != Relation::Touching {
        return at_start;
    }
    if presses(job, ask) {
        let time = TimeOfImpact { safe_until: 0.0, touching_by: 0.0 };
        return Impact::At { time, touch: Touch { proven: true, ..*touch } };
    }
    let mut held = 0.0;
    for at in LOOKS {
        let (now_a, now_b) = (a.at(at), b.at(at));
        match ask.overlap(&now_a, &now_b) {
            Overlap::Free => {
                let query = ImpactQuery { span: (at, 1.0), margin: 0.0, tolerance: options.tolerance };
                return match pair::time_of_impact(a, b, &query, ask, &mut Progress::default()) {
                    Impact::At { time, touch } => Impact::At { time, touch },
                    Impact::Unknown { safe_until } => Impact::Unknown { safe_until },
                    Impact::Free | Impact::AtStart(_) => at_start,
                };
            }
            Overlap::Unknown => return Impact::Unknown { safe_until: held },
            Overlap::Hit => match ask.relation(&now_a, &now_b) {
                Relation::Crossing | Relation::Inside => {
                    // Sliding at first, and then in.
                    let time = TimeOfImpact { safe_until: held, touching_by: at };
                    return Impact::At { time, touch: Touch { proven: true, ..*touch } };
                }
                Relation::Unknown => return Impact::Unknown { safe_until: held },
                Relation::Apart | Relation::Touching => held = at,
            },
        }
    }
    at_start
}

/// Whether a contact is pushed in at the start.
fn presses(job: &Job<'_>, ask: &mut Ask<'_>) -> bool {
    let [a, b] = &job.moving;
    let radii = job.moving.map(|moving| moving.ball().radius);
    let size = radii.into_iter().filter(|radius| radius.is_finite()).fold(0.0, f64::max);
    let mut found = Vec::new();
    // What a budget left out is found when they are seen to cross.
    let _ = ask.contacts(&a.at(0.0), &b.at(0.0), 1e-9 * size, &mut found);
    let moved = |body: &crate::model::Moving<'_>, point: DVec3| {
        let (now, then) = (body.motion.pose(0.0), body.motion.pose(MOMENT));
        then.transform_point(now.inverse().transform_point(point)) - point
    };
    found.iter().any(|contact| {
        let (of_a, of_b) = (moved(a, contact.on_a.point), moved(b, contact.on_b.point));
        let approach = (of_a - of_b).dot(contact.normal);
        approach > STILL * (of_a.length() + of_b.length())
    })
}
