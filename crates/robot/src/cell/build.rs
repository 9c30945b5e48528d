//! Cells from robots, obstacles, attached objects and the rules of their pairs.

use super::cover::Cover;
use super::data::{Arm, Body, BodyPair, CellData, DisableReason, Pair, PairRule, Part, PartKind};
use super::filter::{Batch, Grouping, Request, Scope, SphereFilter, Stop};
use super::{Cell, LANES, shares};
use crate::error::suggestion;
use crate::parallel::each;
use crate::tree::{JointKind, Robot};
use crate::{LinkGeometry, LinkShape, Srdf};
use noli::{Model, Pose};
use noli_geom::internals::sort_by_key;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Why something cannot be in a cell.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CellError {
    /// An invalid pose.
    #[error("the place of `{0}` is not a pose: a coordinate is not finite, or its quaternion is zero")]
    Place(String),
    /// A name that nothing has.
    #[error("there is no `{name}`{hint}")]
    NoSuch {
        /// The name.
        name: String,
        /// The nearest name there is, as the end of the sentence; may be empty.
        hint: String,
    },
    /// A name that is taken.
    #[error("there is a `{0}` already; give the robot or the body another name")]
    Taken(String),
    /// A length that is negative or not finite.
    #[error("a margin of {0}; give a finite length, at least 0")]
    Margin(f64),
}

/// Contents of a cell before it is built.
#[derive(Clone, Debug, Default)]
#[doc(alias = "PlanningScene")]
pub struct CellBuilder {
    arms: Vec<Arm>,
    parts: Vec<Part>,
    bodies: Vec<Draft>,
    /// Models whose spheres outlive the bodies that have them; copies of a builder share them.
    kept: Vec<(Model, Arc<OnceLock<Made>>)>,
    numbers: HashMap<String, usize>,
    said: HashMap<[usize; 2], PairRule>,
    links: usize,
    values: usize,
}

/// A body before its model and its spheres are needed. Copies of a builder share them, and so do links of equal shape.
#[derive(Clone, Debug)]
struct Draft {
    part: usize,
    shape: DraftShape,
    carrier_from_body: Pose,
    carrier: Option<usize>,
    certain: Option<Model>,
    made: Arc<OnceLock<Made>>,
}

/// A model, and its spheres in its own frame.
type Made = (Model, Cover);

#[derive(Clone, Debug)]
enum DraftShape {
    Link(LinkGeometry),
    Model(Model),
}

impl Draft {
    /// The model and its spheres; made once.
    fn made(&self) -> &Made {
        self.made.get_or_init(|| {
            let model = match &self.shape {
                DraftShape::Link(LinkGeometry::Convex(convex)) => Model::from(convex.clone()),
                DraftShape::Link(LinkGeometry::Mesh(mesh)) => Model::from(mesh.clone()),
                DraftShape::Model(model) => model.clone(),
            };
            let cover = Cover::in_own_frame(&model);
            (model, cover)
        })
    }

    fn body(&self) -> Body {
        let (model, cover) = self.made();
        let Self { part, carrier_from_body, carrier, .. } = *self;
        let (model, cover) = (model.clone(), cover.carried(&carrier_from_body));
        Body { part, model, carrier_from_body, carrier, cover, certain: self.certain.clone() }
    }
}

impl CellBuilder {
    /// Adds a robot; its number. Every link that has a shape becomes a part named `prefix` and the link's
    /// name.
    pub fn add_robot(
        &mut self,
        prefix: &str,
        robot: Arc<Robot>,
        world_from_root: Pose,
        shapes: &[LinkShape],
    ) -> Result<usize, CellError> {
        if !world_from_root.is_valid() {
            return Err(CellError::Place(format!("{prefix}{}", robot.name())));
        }
        let arm = self.arms.len();
        let q = world_from_root.rotation;
        let most = q.to_array().into_iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let world_from_root = Pose::new((q / most).normalize(), world_from_root.translation);
        let (first_link, first_value) = (self.links, self.values);
        let mut shapes: Vec<&LinkShape> = shapes.iter().collect();
        sort_by_key(&mut shapes, |shape| shape.link);
        for own in shapes.chunk_by(|a, b| a.link == b.link) {
            let link = own[0].link;
            let name = format!("{prefix}{}", robot.links()[link].name);
            let part = self.part(name, PartKind::Link { arm, link })?;
            for shape in own {
                let solid = DraftShape::Link(shape.solid.clone());
                self.body(part, solid, shape.link_from_shape, Some(first_link + link))?;
            }
        }
        self.links += robot.links().len();
        self.values += robot.variables().len();
        let prefix = prefix.to_owned();
        self.arms.push(Arm { robot, world_from_root, prefix, has_srdf: false, first_value, first_link });
        Ok(arm)
    }

    /// Adds the robots of another cell with what they carry and the rules between them, and a prefix to the names of
    /// their parts; the number of the first. Obstacles are left out.
    pub fn add_robots_of(&mut self, prefix: &str, other: &Self) -> Result<usize, CellError> {
        let (first, links, values) = (self.arms.len(), self.links, self.values);
        let mut numbers = HashMap::new();
        for (number, part) in other.parts.iter().enumerate() {
            let holder = match part.holder {
                PartKind::Link { arm, link } => PartKind::Link { arm: first + arm, link },
                PartKind::Carried { arm, link } => PartKind::Carried { arm: first + arm, link },
                PartKind::World => continue,
            };
            let new = self.part(format!("{prefix}{}", part.name), holder)?;
            self.parts[new].padding = part.padding;
            self.parts[new].touches = part.touches.iter().map(|name| format!("{prefix}{name}")).collect();
            numbers.insert(number, new);
        }
        for body in &other.bodies {
            if let (Some(&part), Some(carrier)) = (numbers.get(&body.part), body.carrier) {
                self.bodies.push(Draft { part, carrier: Some(links + carrier), ..body.clone() });
            }
        }
        for ([a, b], rule) in &other.said {
            if let (Some(&a), Some(&b)) = (numbers.get(a), numbers.get(b)) {
                self.said.insert(ordered(a, b), rule.clone());
            }
        }
        for arm in &other.arms {
            let (first_value, first_link) = (values + arm.first_value, links + arm.first_link);
            let prefix = format!("{prefix}{}", arm.prefix);
            self.arms.push(Arm { prefix, first_value, first_link, ..arm.clone() });
        }
        self.links += other.links;
        self.values += other.values;
        Ok(first)
    }

    /// Adds a body that stands still; its part's number.
    pub fn add_obstacle(&mut self, name: &str, model: &Model, place: Pose) -> Result<usize, CellError> {
        let part = self.part(name.to_owned(), PartKind::World)?;
        self.body(part, DraftShape::Model(model.clone()), place, None)?;
        Ok(part)
    }

    /// Keeps the spheres of a mesh: bodies of this model that are added later, to this builder or to copies of it, share
    /// them. For objects that are attached and put down, which are in one cell after another.
    pub fn keep_spheres(&mut self, model: &Model) {
        if model.mesh().is_some() && self.kept_spheres(model).is_none() {
            self.kept.push((model.clone(), Arc::default()));
        }
    }

    fn kept_spheres(&self, model: &Model) -> Option<&Arc<OnceLock<Made>>> {
        // Copies of a model share one mesh; while one is kept, no other mesh can lie where it does.
        let wanted = std::ptr::from_ref(model.mesh()?);
        let is_same = |known: &Model| known.mesh().is_some_and(|mesh| std::ptr::eq(mesh, wanted));
        self.kept.iter().find(|(known, _)| is_same(known)).map(|(_, made)| made)
    }

    /// Adds an obstacle of which only `certain`, a part of `possible`, is known to be there; its part's number. Links that
    /// touch neither are free, those that touch the certain part collide, and all others are unknown.
    pub fn add_uncertain_obstacle(
        &mut self,
        name: &str,
        possible: &Model,
        certain: &Model,
        place: Pose,
    ) -> Result<usize, CellError> {
        let part = self.add_obstacle(name, possible, place)?;
        if let Some(body) = self.bodies.last_mut() {
            body.certain = Some(certain.clone());
        }
        Ok(part)
    }

    /// Replaces the shape and the pose of an obstacle; see [`Cell::set_obstacle`].
    pub fn set_obstacle(&mut self, name: &str, model: &Model, place: Pose) -> Result<(), CellError> {
        let part = self.find(name)?;
        let is_own = |body: &&mut Draft| body.part == part && body.carrier.is_none();
        let Some(body) = self.bodies.iter_mut().find(is_own) else {
            return Err(CellError::NoSuch { name: name.to_owned(), hint: " among the obstacles".to_owned() });
        };
        if !place.is_valid() {
            return Err(CellError::Place(name.to_owned()));
        }
        let shape = DraftShape::Model(model.clone());
        let (carrier_from_body, made) = (place, Arc::default());
        *body = Draft { part, shape, carrier_from_body, carrier: None, certain: None, made };
        Ok(())
    }

    /// Lets a link carry an object, which may touch the parts named; its part's number. The link that carries
    /// it is one of those.
    #[doc(alias("attached object", "attachBody"))]
    pub fn attach(
        &mut self,
        carrier: &str,
        name: &str,
        model: &Model,
        link_from_object: Pose,
        may_touch: &[&str],
    ) -> Result<usize, CellError> {
        let number = self.find(carrier)?;
        for name in may_touch {
            self.find(name)?;
        }
        let (PartKind::Link { arm, link } | PartKind::Carried { arm, link }) = self.parts[number].holder
        else {
            return Err(CellError::NoSuch { name: carrier.to_owned(), hint: ", no link".to_owned() });
        };
        let part = self.part(name.to_owned(), PartKind::Carried { arm, link })?;
        self.parts[part].touches = may_touch.iter().map(|&name| name.to_owned()).collect();
        let carrier = Some(self.arms[arm].first_link + link);
        self.body(part, DraftShape::Model(model.clone()), link_from_object, carrier)?;
        Ok(part)
    }

    /// Takes over the pairs that a robot's SRDF disables, instead of those that joints join.
    #[doc(alias("allowed collision matrix", "ACM", "AllowedCollisionMatrix"))]
    pub fn apply_srdf(&mut self, arm: usize, srdf: &Srdf) {
        let Some(owner) = self.arms.get_mut(arm) else { return };
        owner.has_srdf = true;
        let prefix = owner.prefix.clone();
        for pair in &srdf.disabled {
            let [a, b] = [0, 1].map(|k| self.numbers.get(&format!("{prefix}{}", pair.links[k])).copied());
            if let (Some(a), Some(b)) = (a, b)
                && a != b
            {
                self.said.insert(ordered(a, b), PairRule::Disabled(DisableReason::Srdf(pair.reason.clone())));
            }
        }
    }

    /// Says of a pair that it is not asked about.
    pub fn disable(&mut self, a: &str, b: &str, reason: &str) -> Result<(), CellError> {
        let pair = ordered(self.find(a)?, self.find(b)?);
        self.said.insert(pair, PairRule::Disabled(DisableReason::Said(reason.to_owned())));
        Ok(())
    }

    /// Says of a pair that it is asked about, with this margin, whatever else is known.
    pub fn margin(&mut self, a: &str, b: &str, margin: f64) -> Result<(), CellError> {
        let pair = ordered(self.find(a)?, self.find(b)?);
        self.said.insert(pair, PairRule::Checked { margin: length(margin)? });
        Ok(())
    }

    /// How much is added to the margin of all pairs of a part.
    #[doc(alias = "padding")]
    pub fn set_padding(&mut self, part: &str, padding: f64) -> Result<(), CellError> {
        let part = self.find(part)?;
        self.parts[part].padding = length(padding)?;
        Ok(())
    }

    /// The names of all parts so far.
    pub fn part_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.parts.iter().map(|part| part.name.as_str())
    }

    /// The parts so far, as [`Cell::parts`].
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The cell, ready to be asked.
    pub fn build(self) -> Cell {
        let pairs = self.pairs();
        let deepest = self.arms.iter().map(|arm| depth(&arm.robot)).max();
        let steps = 8 * deepest.unwrap_or(0);
        // Models and spheres take the time, and none needs another. Each is made by one thread.
        let mut once: Vec<&Draft> = self.bodies.iter().collect();
        sort_by_key(&mut once, |draft| Arc::as_ptr(&draft.made));
        once.dedup_by_key(|draft| Arc::as_ptr(&draft.made));
        each(&once, |draft| _ = draft.made());
        let bodies = self.bodies.iter().map(Draft::body).collect();
        let Self { arms, parts, links, values, .. } = self;
        let mut data = CellData { arms, parts, bodies, pairs, on: Vec::new(), links, values, steps };
        let of_part = data.bodies_by_part();
        for (number, pair) in data.pairs.iter().enumerate() {
            if let PairRule::Checked { margin } = pair.rule {
                let [a, b] = pair.parts.map(|part| &of_part[part]);
                let pairs = a.iter().flat_map(|&x| b.iter().map(move |&y| [x, y]));
                let pair = number as u32;
                data.on.extend(pairs.map(|bodies| BodyPair { bodies, pair, margin }));
            }
        }
        let mut filter = SphereFilter::new(&data, &data.on, Grouping::Parts);
        order_pairs(&mut data, &mut filter);
        try_planes(&data, &mut filter);
        let (tables, faces) = Default::default();
        Cell { number: next_number(), data, filter, tables, faces }
    }

    fn part(&mut self, name: String, holder: PartKind) -> Result<usize, CellError> {
        if self.numbers.contains_key(&name) {
            return Err(CellError::Taken(name));
        }
        self.numbers.insert(name.clone(), self.parts.len());
        self.parts.push(Part { name, holder, padding: 0.0, touches: Vec::new() });
        Ok(self.parts.len() - 1)
    }

    fn body(
        &mut self,
        part: usize,
        shape: DraftShape,
        carrier_from_body: Pose,
        carrier: Option<usize>,
    ) -> Result<(), CellError> {
        if !carrier_from_body.is_valid() {
            return Err(CellError::Place(self.parts[part].name.clone()));
        }
        let equal = |draft: &&Draft| match (&draft.shape, &shape) {
            (DraftShape::Link(a), DraftShape::Link(b)) => a == b,
            _ => false,
        };
        let known = match &shape {
            DraftShape::Link(_) => self.bodies.iter().find(equal).map(|draft| &draft.made),
            DraftShape::Model(model) => self.kept_spheres(model),
        };
        let made = known.cloned().unwrap_or_default();
        self.bodies.push(Draft { part, shape, carrier_from_body, carrier, certain: None, made });
        Ok(())
    }

    fn find(&self, name: &str) -> Result<usize, CellError> {
        self.numbers.get(name).copied().ok_or_else(|| {
            let hint = suggestion(name, self.parts.iter().map(|part| part.name.as_str()));
            CellError::NoSuch { name: name.to_owned(), hint }
        })
    }

    /// The pairs so far with their rules, as [`Cell::pairs`]: all but those of two bodies that stand still.
    pub fn pairs(&self) -> Vec<Pair> {
        let stands: Vec<Option<(usize, usize)>> = self.parts.iter().map(|part| self.stand(part)).collect();
        let mut pairs = Vec::new();
        for b in 0..self.parts.len() {
            for a in 0..b {
                if (self.parts[a].holder, self.parts[b].holder) != (PartKind::World, PartKind::World) {
                    let together = stands[a] == stands[b];
                    pairs.push(Pair { parts: [a, b], rule: self.rule([a, b], together) });
                }
            }
        }
        pairs
    }

    fn rule(&self, pair: [usize; 2], held_together: bool) -> PairRule {
        let [a, b] = pair.map(|part| &self.parts[part]);
        let padding = a.padding + b.padding;
        match self.said.get(&pair) {
            Some(PairRule::Checked { margin }) => return PairRule::Checked { margin: margin + padding },
            Some(off) => return off.clone(),
            None => {}
        }
        let may_touch = |carried: &Part, other: &Part| {
            let PartKind::Carried { arm, link } = carried.holder else { return false };
            carried.touches.contains(&other.name) || other.holder == PartKind::Link { arm, link }
        };
        if may_touch(a, b) || may_touch(b, a) {
            return PairRule::Disabled(DisableReason::MayTouch);
        }
        if held_together {
            return PairRule::Disabled(DisableReason::HeldTogether);
        }
        if let (PartKind::Link { arm, link }, PartKind::Link { arm: other, link: end }) = (a.holder, b.holder)
            && arm == other
            && !self.arms[arm].has_srdf
        {
            let robot = &self.arms[arm].robot;
            let joined = |up: usize, down: usize| {
                robot.joint_of_link(down).is_some_and(|joint| robot.ends(joint)[0] == up)
            };
            if joined(link, end) || joined(end, link) {
                return PairRule::Disabled(DisableReason::Adjacent);
            }
        }
        PairRule::Checked { margin: padding }
    }

    /// The link that a part is rigidly joined to and that moves by itself; `None` for the world.
    fn stand(&self, part: &Part) -> Option<(usize, usize)> {
        let (PartKind::Link { arm, link } | PartKind::Carried { arm, link }) = part.holder else {
            return None;
        };
        let robot = &self.arms[arm].robot;
        let mut at = link;
        while let Some(joint) = robot.joint_of_link(at) {
            if robot.joints()[joint].kind != JointKind::Fixed {
                return Some((arm, at));
            }
            at = robot.ends(joint)[0];
        }
        None
    }
}

/// A number that no cell has had.
pub(super) fn next_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The number of joints of the longest chain.
fn depth(robot: &Robot) -> usize {
    let mut depths = vec![0; robot.links().len()];
    robot.limbs().iter().for_each(|limb| depths[limb.child as usize] = depths[limb.parent as usize] + 1);
    depths.into_iter().max().unwrap_or(0)
}

/// Puts the pairs that are likeliest to collide first: those whose spheres do so most often in a few hundred
/// configurations, always the same.
fn order_pairs(data: &mut CellData, filter: &mut SphereFilter) {
    let mut scores = vec![0u32; filter.pairs.len()];
    sample(data, filter, (1, 32), Stop::Never, |batch| {
        batch.colliding.iter().for_each(|&(_, pair)| scores[pair as usize] += 8);
        batch.unsure.iter().for_each(|open| scores[open.pair as usize] += 1);
    });
    let order = filter.order(&scores);
    data.on = order.into_iter().map(|number| data.on[number]).collect();
}

/// Searches planes between pieces in some thousand configurations, always the same, and from then on only where
/// that pays.
pub(super) fn try_planes(data: &CellData, filter: &mut SphereFilter) {
    let batch = sample(data, filter, (2, 128), Stop::PerState, |_| {});
    filter.drop_planes(&batch);
}

/// Classifies batches of configurations within limits, always the same for a seed, and returns the last.
pub(super) fn sample(
    data: &CellData,
    filter: &SphereFilter,
    (seed, batches): (u64, usize),
    stop: Stop,
    mut each: impl FnMut(&Batch),
) -> Batch {
    let (mut batch, mut share) = (filter.batch(), shares(seed));
    for _ in 0..batches {
        let states: Vec<f64> = (0..LANES).flat_map(|_| data.any_state(&mut share)).collect();
        let request = Request { states: &states, count: LANES, tables: None, stop, scope: Scope::States };
        filter.classify(&mut batch, request);
        each(&batch);
    }
    batch
}

fn ordered(a: usize, b: usize) -> [usize; 2] {
    [a.min(b), a.max(b)]
}

fn length(margin: f64) -> Result<f64, CellError> {
    if margin >= 0.0 && margin.is_finite() { Ok(margin) } else { Err(CellError::Margin(margin)) }
}
