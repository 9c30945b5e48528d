//! Scenes and statements of worlds: bodies at rest, motions together, removals.

use crate::ProofError;
use crate::motion::{MovingBody, RigidPath};
use crate::scene::Scene;
use crate::statement::{Region, Statement};
use noli::World;
use noli::answer::{Containment, Verdict};
use noli::world::{Body, BodyId, CheckResult, Move, PairStatus};
use noli_geom::Motion;
use std::collections::HashMap;

/// Largest distance of a motion of the world from that of a certificate, relative to the lengths involved.
const LARGEST_DEVIATION: f64 = 1e-9;
/// Pairs of one certificate.
const MOST_PAIRS: usize = 1 << 20;
/// Pieces of a motion.
const MOST_PIECES: usize = 4096;

/// Statements about the bodies of a world, and the scene that they are about.
#[derive(Debug)]
pub struct WorldStatements {
    /// The bodies.
    pub scene: Scene,
    /// The statements, true ones by the verdict of the engine.
    pub statements: Vec<Statement>,
    /// Pairs without a verdict.
    pub undecided: Vec<[String; 2]>,
    /// Pairs that stay in contact to the end of a motion of a removal: nothing is claimed about them there.
    pub in_contact: Vec<[String; 2]>,
    /// Largest distance of a point on a motion of the world from its place on that of the scene, of 65 instants of each
    /// piece.
    pub deviation: f64,
}

/// A body of the world in the scene, and the rigid group that it moves with.
#[derive(Clone, Copy)]
pub(crate) struct Placed {
    pub(crate) body: usize,
    pub(crate) group: Option<usize>,
}

/// Bodies of a world by their number in the scene.
pub(crate) struct Roster<'w> {
    pub(crate) world: &'w World,
    pub(crate) placed: Vec<(BodyId, Placed)>,
}

impl Roster<'_> {
    /// The statements that all enabled pairs with a moving body are separated, one for each margin.
    pub(crate) fn separated(&self, title: &str, region: &Region) -> Result<Vec<Statement>, ProofError> {
        self.separated_but(title, region, &[])
    }

    /// The same, but for pairs about which nothing is claimed, with their reasons.
    pub(crate) fn separated_but(
        &self,
        title: &str,
        region: &Region,
        without: &[([usize; 2], String)],
    ) -> Result<Vec<Statement>, ProofError> {
        let mut groups: Vec<(f64, Vec<[usize; 2]>)> = Vec::new();
        let mut disabled = without.to_vec();
        for (k, (a, first)) in self.placed.iter().enumerate() {
            for (b, second) in &self.placed[..k] {
                if first.group == second.group {
                    continue;
                }
                let pair = [second.body, first.body];
                if without.iter().any(|(other, _)| *other == pair) {
                    continue;
                }
                match self.world.margin_between(*b, *a).map_err(|error| other(&error))? {
                    None => disabled.push((pair, "disabled by the rules of the scene".to_owned())),
                    Some(margin) => add_to(&mut groups, margin, pair),
                }
            }
            limit(groups.iter().map(|group| group.1.len()).sum())?;
        }
        let complete = groups.len() == 1;
        Ok(statements(groups, |clearance, pairs| Statement {
            title: title.to_owned(),
            clearance,
            disabled: disabled.clone(),
            complete,
            ..Statement::separated(pairs, region.clone())
        }))
    }
}

fn statements(
    groups: Vec<(f64, Vec<[usize; 2]>)>,
    statement: impl Fn(f64, Vec<[usize; 2]>) -> Statement,
) -> Vec<Statement> {
    groups.into_iter().map(|(margin, pairs)| statement(margin, pairs)).collect()
}

fn add_to(groups: &mut Vec<(f64, Vec<[usize; 2]>)>, margin: f64, pair: [usize; 2]) {
    match groups.iter_mut().find(|(own, _)| *own == margin) {
        Some((_, pairs)) => pairs.push(pair),
        None => groups.push((margin, vec![pair])),
    }
}

fn limit(pairs: usize) -> Result<(), ProofError> {
    let text = || format!("{pairs} pairs; a statement has at most {MOST_PAIRS}. Leave out pairs by rules");
    if pairs <= MOST_PAIRS { Ok(()) } else { Err(ProofError::Limit(text())) }
}

pub(crate) fn other(error: &impl std::fmt::Display) -> ProofError {
    ProofError::Statement(error.to_string())
}

/// The bodies of a world that have faces or a volume.
pub(crate) fn solid_bodies(world: &World) -> impl Iterator<Item = (BodyId, &Body)> {
    world.bodies().filter(|(_, body)| !body.model().is_empty())
}

impl WorldStatements {
    /// All enabled pairs of bodies at rest, by the result of a check: separated ones by more than their margins, pairs
    /// closer than that, and each pair in collision or inside one another.
    pub fn at_rest(world: &World, result: &CheckResult) -> Result<Self, ProofError> {
        let (mut scene, mut placed) = (Scene::default(), Vec::new());
        for (id, body) in solid_bodies(world) {
            placed.push((id, scene.add_body(body.name(), 0, body.model(), body.pose(), 0.0)?));
        }
        let found: HashMap<[BodyId; 2], (PairStatus, Option<bool>)> = result
            .findings
            .iter()
            .map(|finding| {
                let first_inside = match &finding.containment {
                    Verdict::Hit(Containment::AInB) => Some(true),
                    Verdict::Hit(Containment::BInA) => Some(false),
                    _ => None,
                };
                (finding.pair, (finding.status, first_inside))
            })
            .collect();
        let (mut groups, mut others, mut undecided) = (Vec::new(), Vec::new(), Vec::new());
        let mut disabled = Vec::new();
        let at = Region::At(Vec::new());
        for (k, &(second, b)) in placed.iter().enumerate() {
            for &(first, a) in &placed[..k] {
                let Some(margin) = world.margin_between(first, second).map_err(|error| other(&error))? else {
                    disabled.push(([a, b], "disabled by the rules of the scene".to_owned()));
                    continue;
                };
                let sorted = if first < second { [first, second] } else { [second, first] };
                let title = || format!("{} and {}", scene.body_name(a), scene.body_name(b));
                let pair = vec![[a, b]];
                match found.get(&sorted) {
                    None => add_to(&mut groups, margin, [a, b]),
                    // Near pairs have statements of their own: one too close for a proof takes no other with it.
                    Some((status @ (PairStatus::Separated | PairStatus::Closer), _)) => {
                        let clearance = if *status == PairStatus::Separated { margin } else { 0.0 };
                        let statement = Statement::separated(pair, at.clone());
                        others.push(Statement { title: title(), clearance, ..statement });
                    }
                    Some((PairStatus::Inside, Some(first_inside))) => {
                        let inner = if (sorted[0] == first) == *first_inside { [a, b] } else { [b, a] };
                        let title = format!("{} in {}", scene.body_name(inner[0]), scene.body_name(inner[1]));
                        others.push(Statement { title, ..Statement::inside(vec![inner], at.clone()) });
                    }
                    Some((PairStatus::Undecided, _)) => {
                        undecided.push([a, b].map(|body| scene.body_name(body).to_owned()));
                    }
                    Some(_) => {
                        others.push(Statement { title: title(), ..Statement::colliding(pair, at.clone()) });
                    }
                }
            }
            limit(groups.iter().map(|(_, pairs): &(f64, Vec<_>)| pairs.len()).sum())?;
        }
        let mut all = statements(groups, |clearance, pairs| Statement {
            title: "at rest".to_owned(),
            clearance,
            disabled: disabled.clone(),
            ..Statement::separated(pairs, at.clone())
        });
        all.extend(others);
        Ok(Self { scene, statements: all, undecided, in_contact: Vec::new(), deviation: 0.0 })
    }

    /// All motions together: every enabled pair with a moving body, at every instant. Each piece of the motions, up to
    /// the next abrupt change of one, has its own moving bodies and statement.
    ///
    /// A motion must be a pivot on a straight line with the body turning about it at constant speed, or made of such
    /// pieces. The statements are about the motion of this form with the numbers of the certificate; `deviation` bounds
    /// how far the two differ at the compared instants.
    pub fn along(world: &World, moves: &[Move]) -> Result<Self, ProofError> {
        let mut scene = Scene::default();
        let moved: HashMap<BodyId, usize> =
            moves.iter().enumerate().flat_map(|(k, each)| each.bodies().map(move |id| (id, k))).collect();
        let mut resting = Vec::new();
        for (id, body) in solid_bodies(world).filter(|(id, _)| !moved.contains_key(id)) {
            let number = scene.add_body(body.name(), 0, body.model(), body.pose(), 0.0)?;
            resting.push((id, Placed { body: number, group: None }));
        }
        let times = pieces(moves)?;
        let (mut statements, mut deviation) = (Vec::new(), 0f64);
        for span in times.windows(2) {
            let (mut roster, mut bodies) = (Roster { world, placed: resting.clone() }, Vec::new());
            let mut group = 0;
            for each in moves {
                for (number, (id, motion)) in each.parts().enumerate() {
                    let body = world.body(id).map_err(|error| other(&error))?;
                    if body.model().is_empty() {
                        continue;
                    }
                    group += usize::from(number == 0 || !each.is_rigid());
                    let piece = Piece { motion: &**motion, span: [span[0], span[1]] };
                    let moving = scene.add_piece(body, &piece, &mut deviation)?;
                    roster.placed.push((id, Placed { body: moving.body, group: Some(group) }));
                    bodies.push(moving);
                }
            }
            let region = scene.along(&bodies.iter().collect::<Vec<_>>());
            let title = if times.len() == 2 {
                "all motions together".to_owned()
            } else {
                format!("all motions together, from {} to {} of the time", span[0], span[1])
            };
            let mut own = roster.separated(&title, &region)?;
            // Copies of moving bodies for other pieces are no pairs of this one.
            own.iter_mut()
                .for_each(|statement| statement.complete &= times.len() == 2 && moves_rigidly(moves));
            statements.extend(own);
        }
        rest_of_joints(&mut statements, scene.joint_count());
        Ok(Self { scene, statements, undecided: Vec::new(), in_contact: Vec::new(), deviation })
    }
}

/// Lets the joints of later pieces rest.
pub(crate) fn rest_of_joints(statements: &mut [Statement], joints: usize) {
    for statement in statements {
        if let Region::Along(rows) = &mut statement.region {
            rows.iter_mut().for_each(|row| row.resize(joints, 0.0));
        }
    }
}

/// Returns `true` if each move has a single body: bodies of a rigid one have links of their own, and are no pairs.
fn moves_rigidly(moves: &[Move]) -> bool {
    moves.iter().all(|each| !each.is_rigid() || each.bodies().count() == 1)
}

/// The times between which no motion changes abruptly.
fn pieces(moves: &[Move]) -> Result<Vec<f64>, ProofError> {
    let mut times = vec![0.0, 1.0];
    for (_, motion) in moves.iter().flat_map(Move::parts) {
        let mut t = motion.next_bend(0.0);
        while t > 0.0 && t < 1.0 && times.len() <= 4 * MOST_PIECES {
            times.push(t);
            let next = motion.next_bend(t);
            t = if next > t { next } else { 1.0 };
        }
    }
    times.sort_unstable_by(f64::total_cmp);
    times.dedup();
    if times.len() <= MOST_PIECES {
        return Ok(times);
    }
    Err(ProofError::Limit(format!("{} pieces of motions; at most {MOST_PIECES} are proven", times.len())))
}

/// A motion between two of its times.
struct Piece<'m> {
    motion: &'m dyn Motion,
    span: [f64; 2],
}

impl Scene {
    fn add_piece(
        &mut self,
        body: &Body,
        piece: &Piece<'_>,
        worst: &mut f64,
    ) -> Result<MovingBody, ProofError> {
        let bounds = body.model().aabb();
        let radius = bounds.min.abs().max(bounds.max.abs()).length();
        let (path, deviation) = RigidPath::of_motion(piece.motion, piece.span, radius);
        let [start, end] = piece.span.map(|t| piece.motion.pose(t).translation.length());
        if deviation.is_nan() || deviation > LARGEST_DEVIATION * (radius + start.max(end)) {
            return Err(ProofError::Statement(format!(
                "the motion of `{}` is no pivot on a straight line with an even turn: it differs by {deviation}",
                body.name()
            )));
        }
        *worst = worst.max(deviation);
        self.add_motion(body.name(), body.model(), &path, 0.0)
    }
}
