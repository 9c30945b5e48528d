//! Motions as tracks to show: a path that is followed, a removal path that is searched, the motions of a scene.

use super::Trouble;
use super::cast::Cast;
use crate::protocol::TrackView;
use glam::DVec3;
use noli::motion::{KeyFrames, Motion, Turning};
use noli::query::{Clock, SteadyClock};
use noli::world::{BodyId, BodySelector, Move, PassageOptions, PathClearance, StepOptions};
use noli::{Budget, Pose, World};
use noli_ask::{Context, Opened, Remove, RemoveAnswer};
use noli_pages::words;
use noli_plan::RemovalResult;
use noli_project::Staged;
use noli_project::report::ImpactReport;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

pub(super) fn follow(
    world: &mut World,
    cast: &Cast,
    (title, body, motion): (String, BodyId, Arc<dyn Motion>),
    without: &[BodyId],
) -> Result<TrackView, Trouble> {
    for &gone in without {
        // A body to which others are attached cannot be removed: its pair is disabled instead.
        if world.remove(gone).is_err() {
            world.rules_mut().set([BodySelector::Body(body), BodySelector::Body(gone)], false);
        }
    }
    // The clearance is that of enabled pairs.
    let is_unasked = |id: &BodyId| *id != body && matches!(world.margin_between(body, *id), Ok(None));
    let unasked: Vec<BodyId> = world.bodies().map(|(id, _)| id).filter(is_unasked).collect();
    unasked.into_iter().for_each(|id| drop(world.remove(id)));
    // A recorded path begins at the pose where it was recorded; the body may have moved since.
    world.move_to(body, motion.pose(0.0))?;
    let path_clearance = world.path_clearance(body, &motion, &PassageOptions::default())?;
    Ok(cast.track(title, (body, &*motion), without, &path_clearance, world))
}

/// Time limit of a path search.
const SEARCH: Duration = Duration::from_secs(90);

/// A clock that shows how much of the time for a search is over.
struct SearchClock<'p> {
    clock: SteadyClock,
    progress: &'p (dyn Fn(f64) + Sync),
}

impl Clock for SearchClock<'_> {
    fn now(&self) -> Duration {
        let now = self.clock.now();
        (self.progress)((now.as_secs_f64() / SEARCH.as_secs_f64()).min(1.0));
        now
    }
}

/// Plans a removal path; if none exists or is found, returns the pull that gets furthest.
pub(super) fn removal_path(
    opened: Opened,
    cast: &Cast,
    body: BodyId,
    cancel: &AtomicBool,
    progress: &(dyn Fn(f64) + Sync),
) -> Result<Option<TrackView>, Trouble> {
    let clock = SearchClock { clock: SteadyClock::start(), progress };
    let context = Context::new(Budget::UNLIMITED.until(SEARCH, &clock).cancelled_by(cancel));
    let question = Remove { part: opened.staged.name(body).to_owned(), ..Remove::default() };
    let RemoveAnswer { mut opened, removal, report, .. } = question.about(opened, &context)?;
    if cancel.load(Relaxed) {
        return Ok(None);
    }
    let world = &mut opened.staged.world;
    let on = if report.tessellation.is_some() { " for the triangles" } else { "" };
    let name = cast.name(body);
    let start = world.body(body)?.pose();
    let furthest = || {
        let best = removal.pulls.iter().max_by(|a, b| a.free.total_cmp(&b.free));
        best.map_or(start, |pull| Pose::new(start.rotation, start.translation + pull.direction * pull.free))
    };
    let held = |by: &[BodyId]| by.iter().map(|&id| cast.name(id)).collect::<Vec<_>>().join(", ");
    let (poses, verdict, free) = match &removal.found {
        RemovalResult::Path(path) => {
            let room = words::short(path.clearance.at_least);
            let length = words::short(path.length);
            let unit = cast.unit;
            let text = format!(
                "Free, proven{on} along the whole path of {length} {unit}, with at least {room} {unit} of room"
            );
            (path.poses.clone(), text, true)
        }
        RemovalResult::Infeasible(blocked) => (
            vec![start, furthest()],
            format!("No removal path exists, by proof{on}: held by {}", held(&blocked.by)),
            false,
        ),
        RemovalResult::Stopped(_) | RemovalResult::Nothing => {
            let text = "No path was found, which proves nothing; this pull gets furthest".to_owned();
            (vec![start, furthest()], text, false)
        }
    };
    // A path rotates about the origin of the part.
    let last = poses.len().saturating_sub(1).max(1) as f64;
    let mut keys: Vec<_> = poses.iter().enumerate().map(|(k, &pose)| (k as f64 / last, pose)).collect();
    if keys.len() < 2 {
        keys.push((1.0, start));
    }
    let motion = KeyFrames::new(&keys, DVec3::ZERO, Turning::Slerp)
        .map_err(|error| Trouble::new(format!("the path cannot be shown: {error}"), "report this fault"))?;
    let motion: Arc<dyn Motion> = Arc::new(motion);
    let path_clearance = world.path_clearance(body, &motion, &PassageOptions::default())?;
    let mut track =
        cast.track(format!("Removal path for {name}"), (body, &*motion), &[], &path_clearance, world);
    if free {
        // What starts in contact slides off it, which the plan has proven and a look at single moments may not see.
        let whole = PathClearance { free_until: 1.0, stopped_by: None, ..path_clearance };
        track = cast.track(track.title, (body, &*motion), &[], &whole, world);
    }
    let keys = if free { poses.iter().map(|pose| cast.key(body, pose)).collect() } else { Vec::new() };
    Ok(Some(TrackView { verdict, free, keys, ..track }))
}

/// All motions of the scene, frame by frame.
pub(super) fn play(
    staged: &mut Staged,
    cast: &Cast,
    frames: u32,
    cancel: &AtomicBool,
    progress: &dyn Fn(f64),
) -> Result<Option<TrackView>, Trouble> {
    let whole = std::mem::take(&mut staged.moves);
    let surfaces = staged.curved_motion();
    let mut ids: Vec<BodyId> = whole.iter().flat_map(Move::bodies).collect();
    ids.sort_unstable();
    ids.dedup();
    let room = match &whole[..] {
        [only] if only.bodies().count() == 1 => {
            let (id, motion) = only.parts().next().expect("it has one");
            let options = PassageOptions::default();
            cast.room(&staged.world.path_clearance_by(id, motion, &options, &surfaces)?)
        }
        _ => Vec::new(),
    };
    let snapshot = |world: &World| -> Result<Vec<f32>, Trouble> {
        let each = ids.iter().map(|&id| Ok(cast.numbers(id, &world.body(id)?.pose())));
        Ok(each.collect::<Result<Vec<_>, Trouble>>()?.concat())
    };
    let (mut times, mut poses, mut events) = (vec![0.0], snapshot(&staged.world)?, Vec::new());
    let mut blocked = vec![false; whole.len()];
    for frame in 0..frames {
        if cancel.load(Relaxed) {
            return Ok(None);
        }
        progress(f64::from(frame) / f64::from(frames));
        let [from, to] = [frame, frame.saturating_add(1)].map(|k| f64::from(k) / f64::from(frames));
        let going: Vec<usize> = (0..whole.len()).filter(|&mover| !blocked[mover]).collect();
        if going.is_empty() {
            break;
        }
        let moves = going.iter().map(|&mover| whole[mover].clip(from, to)).collect();
        let cut = noli::world::StopPolicy::InOrder;
        let options = StepOptions { policy: &surfaces, cut, ..Default::default() };
        let step = staged.world.step(moves, &options)?;
        for (&mover, outcome) in going.iter().zip(&step.outcomes) {
            blocked[mover] = outcome.free_until < 1.0;
            let by = outcome.first.and_then(|first| ImpactReport::new(&staged.world, &step.answers[first]));
            if let (true, Some(hit)) = (blocked[mover], by) {
                let time = from + outcome.free_until / f64::from(frames);
                events.push((
                    time,
                    format!("{} stops: {} and {}", whole[mover].name(), hit.a, hit.b),
                    "intersecting",
                ));
            }
        }
        times.push(to);
        poses.extend(snapshot(&staged.world)?);
    }
    let free = events.is_empty();
    Ok(Some(TrackView {
        title: "The motions of the scene".into(),
        verdict: if free { "Everything reaches its end, proven".into() } else { events[0].1.clone() },
        free,
        seconds: staged.seconds.max(1e-6),
        times,
        bodies: ids.iter().filter_map(|id| cast.numbers.get(id).copied()).collect(),
        without: Vec::new(),
        poses,
        events,
        room,
        lines: Vec::new(),
        signals: Vec::new(),
        contact: None,
        unit: None,
        ..TrackView::default()
    }))
}
