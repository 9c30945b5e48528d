//! Paths recorded by hand, played in every mode: until contact, sliding along obstacles, or passing through
//! them.

use super::cast::Cast;
use super::{Trouble, simulated};
use crate::protocol::TrackView;
use noli::answer::Completeness;
use noli::motion::{Motion, Still};
use noli::query::{Clock, ImpactQuery, SteadyClock};
use noli::world::BodyId;
use noli::{Budget, QueryContext, Scratch};
use noli_pages::words;
use noli_project::{
    SetupBody, SetupGroup, SimulationError, SimulationOptions, SimulationSetup, Staged, Watch,
    simulate_contact,
};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Duration of a played path, and the number of frames of its simulation.
const SECONDS: f64 = 4.0;
const FRAMES: u32 = 240;
/// Contact intervals separated by less than this share of a path are reported as one.
const RESOLUTION: f64 = 1e-3;
/// Bodies that a sentence names.
const MOST_NAMED: usize = 4;

/// A body with its motion.
#[derive(Clone, Debug)]
pub(super) struct GuidedPath {
    pub(super) title: String,
    pub(super) body: BodyId,
    pub(super) motion: Arc<dyn Motion>,
}

/// Follows the whole path, and reports its contacts with their times.
pub(super) fn pass(
    staged: &Staged,
    cast: &Cast,
    GuidedPath { title, body, motion }: GuidedPath,
    cancel: &AtomicBool,
    progress: &dyn Fn(f64),
) -> Result<TrackView, Trouble> {
    let world = &staged.world;
    let model = world.body(body)?.model();
    let carried = world.with_descendants(body)?;
    let others: Vec<_> = world.bodies().filter(|(id, _)| !carried.contains(id)).collect();
    let mut scratch = Scratch::default();
    let mut context = QueryContext::new(&mut scratch).with_budget(Budget::UNLIMITED.cancelled_by(cancel));
    let (mut met, mut undecided, mut events) = (Vec::new(), Vec::new(), Vec::new());
    for (number, (id, other)) in others.iter().enumerate() {
        progress(number as f64 / others.len() as f64);
        let Some(margin) = world.margin_between(body, *id)? else { continue };
        let (still, query) = (Still(other.pose()), ImpactQuery { margin, ..Default::default() });
        let found = context.contact_intervals(
            &model.moving(&*motion),
            &other.model().moving(&still),
            &query,
            RESOLUTION,
        );
        let name = other.name();
        for span in &found.items {
            let begins = span.begins.safe_until;
            let place = span.touch.witness.map(|touch| touch.on_a.point.midpoint(touch.on_b.point));
            met.push((begins, name, place));
            events.push((begins, format!("collides with {name}"), "intersecting"));
            if span.ends_by < 1.0 {
                events.push((span.ends_by, format!("has left {name}"), "separated"));
            }
        }
        if found.completeness != Completeness::Complete {
            undecided.push(name);
        }
    }
    met.sort_by(|(a, ..), (b, ..)| a.total_cmp(b));
    events.sort_by(|(a, ..), (b, ..)| a.total_cmp(b));
    let mut names: Vec<&str> = Vec::new();
    met.iter().for_each(|(_, name, _)| {
        if !names.contains(name) {
            names.push(name);
        }
    });
    let more = names.len().saturating_sub(MOST_NAMED);
    let named = names.iter().take(MOST_NAMED).copied().collect::<Vec<_>>().join(", ");
    let verdict = match (names.len(), undecided.first()) {
        (0, None) => "Collision-free, proven along the whole path".to_owned(),
        (0, Some(first)) => format!("Undecided because of {first}"),
        _ if more > 0 => format!("Passes through {named} and {}", words::plural(more, "other", "others")),
        _ => format!("Passes through {named}"),
    };
    let times: Vec<f64> = (0..=FRAMES).map(|k| f64::from(k) / f64::from(FRAMES)).collect();
    Ok(TrackView {
        title,
        verdict,
        free: names.is_empty() && undecided.is_empty(),
        seconds: SECONDS,
        poses: times.iter().flat_map(|&t| cast.numbers(body, &motion.pose(t))).collect(),
        times,
        bodies: cast.number(body).into_iter().collect(),
        events,
        contact: met.first().and_then(|(_, _, place)| *place).map(|place| cast.view.point(place)),
        ..TrackView::default()
    })
}

/// Follows the path as far as contact allows; nothing else moves.
pub(super) fn slide(
    staged: &mut Staged,
    cast: &Cast,
    GuidedPath { title, body, motion }: GuidedPath,
    cancel: &AtomicBool,
    progress: &dyn Fn(f64),
) -> Result<Option<TrackView>, Trouble> {
    let start = motion.pose(0.0);
    staged.world.move_to(body, start)?;
    let world = &staged.world;
    let carried = world.with_descendants(body)?;
    let (mut bodies, mut moving) = (Vec::new(), Vec::new());
    for look in &staged.bodies {
        let found = world.body(look.id)?;
        if carried.contains(&look.id) {
            moving.push((look.id != body, bodies.len()));
        }
        let shape = noli::Shape::from(look.look.clone());
        bodies.push((
            look.id,
            SetupBody::new(found.name().to_owned(), shape, found.model().clone(), found.pose()),
        ));
    }
    // The first leads.
    moving.sort_unstable();
    let moving: Vec<usize> = moving.into_iter().map(|(_, number)| number).collect();
    let is_asked = |a: usize, b: usize| world.margin_between(bodies[a].0, bodies[b].0);
    let mut excluded = Vec::new();
    for &a in &moving {
        for b in (0..bodies.len()).filter(|b| !moving.contains(b)) {
            if is_asked(a, b)?.is_none() {
                excluded.push((a, b));
            }
        }
    }
    let name = world.body(body)?.name().to_owned();
    let setup = SimulationSetup {
        scene: title.clone(),
        units: staged.units,
        seconds: SECONDS,
        frames: FRAMES,
        bodies: bodies.into_iter().map(|(_, body)| body).collect(),
        groups: vec![SetupGroup { name, bodies: moving, wanted: motion }],
        excluded,
        ..SimulationSetup::default()
    };
    let clock = SteadyClock::start();
    let frame = |number: u32| {
        progress(f64::from(number) / f64::from(FRAMES));
        if cancel.load(Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let watch = Watch { clock: &|| clock.now().as_secs_f64() * 1e3, frame: &frame };
    let report = match simulate_contact(&setup, &SimulationOptions::default(), &watch) {
        Err(SimulationError::Stopped) => return Ok(None),
        found => found.map_err(|error| Trouble::new(error.to_string(), "play it in another mode"))?,
    };
    simulated::track(&report, title, world, cast).map(Some)
}
