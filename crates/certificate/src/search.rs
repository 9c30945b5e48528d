//! The search for the tree of an obligation: cells are halved until each has a leaf.

use crate::ProofError;
use crate::cbor::Tokens;
use crate::chain::{Chain, Placed};
use crate::cut::cut;
use crate::directions::Directions;
use crate::ray::Ray;
use crate::scene::Scene;
use crate::statement::{Claim, Region, Statement};
use crate::witness::{outside, pose, witness};
use noli::{Overlap, QueryContext, Scratch};
use noli_geom::random::SplitMix64;

/// Splits from a whole region to the smallest cell, as many as the format allows: a slide without limits is halved from
/// the largest length to that of a robot.
const DEEPEST: usize = 512;
/// Configurations that are tried against a statement without a proof.
const SAMPLES: usize = 256;

/// Size of a proof.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProofSize {
    /// Visited cells.
    pub cells: usize,
    /// Cells that needed no further split.
    pub leaves: usize,
}

/// Planes of a leaf for the whole of an edge; each halving of a path allows twice as many. Splitting a path is cheaper
/// than a large cut, until its bodies are close to each other.
const PLANES: usize = 8;

/// The search for the obligations of a statement: a pair and an edge, or all pairs of a claimed collision.
pub(crate) struct Search<'s> {
    scene: &'s Scene,
    statement: &'s Statement,
    /// The pairs that a leaf may be about, with their numbers in the statement.
    chains: Vec<(usize, Chain<'s>)>,
    edge: usize,
    limit: usize,
    scratch: Scratch,
    visited: usize,
    /// Sizes of all trees together.
    pub(crate) size: ProofSize,
    /// Has a leaf of a single plane been found for the pair?
    pub(crate) parted: bool,
}

/// The two rays of an item: those into the second body and those into the first.
pub(crate) type RayLists = [Vec<Tokens>; 2];

impl<'s> Search<'s> {
    pub(crate) fn new(scene: &'s Scene, statement: &'s Statement, limit: usize) -> Self {
        let (chains, scratch, size) = (Vec::new(), Scratch::default(), ProofSize::default());
        Self { scene, statement, chains, edge: 0, limit, scratch, visited: 0, size, parted: false }
    }

    /// The tree of the whole region for a pair, or for a collision of one of several.
    pub(crate) fn tree(
        &mut self,
        pairs: std::ops::Range<usize>,
        edge: usize,
        directions: &mut Directions,
    ) -> Result<Tokens, ProofError> {
        let chain = |pair: usize| (pair, Chain::new(self.scene, self.statement.pairs[pair]));
        self.chains = pairs.map(chain).collect();
        (self.edge, self.visited, self.parted) = (edge, 0, false);
        let mut tokens = Tokens::default();
        let whole = self.statement.region.whole();
        match self.grow(&whole, 0, directions, &mut tokens) {
            Ok(()) => Ok(tokens),
            // The search converges to the border of a collision; a configuration beyond it says more.
            Err(open @ ProofError::TooClose { .. }) => self.refute_anywhere(&whole).and(Err(open)),
            Err(error) => Err(error),
        }
    }

    /// Counts a leaf for a whole region that was found without this search.
    pub(crate) fn count_leaf(&mut self) {
        self.size.cells += 1;
        self.size.leaves += 1;
    }

    /// An error if a sampled configuration contradicts the statement.
    fn refute_anywhere(&mut self, whole: &[[f64; 2]]) -> Result<(), ProofError> {
        let mut random = SplitMix64::new(1);
        for _ in 0..SAMPLES {
            let point: Vec<[f64; 2]> =
                whole.iter().map(|[low, high]| [random.between(*low, *high); 2]).collect();
            let (values, halves) = self.statement.region.center(self.scene, self.edge, &point);
            let placed: Vec<Placed<'s>> =
                self.chains.iter().map(|(_, chain)| chain.place(&values, &halves)).collect();
            self.refute(&placed, &values)?;
        }
        Ok(())
    }

    fn grow(
        &mut self,
        cell: &[[f64; 2]],
        depth: usize,
        directions: &mut Directions,
        tokens: &mut Tokens,
    ) -> Result<(), ProofError> {
        let (values, halves) = self.statement.region.center(self.scene, self.edge, cell);
        if self.visited >= self.limit {
            let [a, b] = self.names(0);
            return Err(ProofError::Budget { a, b, cells: self.visited });
        }
        self.visited += 1;
        self.size.cells += 1;
        let placed: Vec<Placed<'s>> =
            self.chains.iter().map(|(_, chain)| chain.place(&values, &halves)).collect();
        if let Some(leaf) = self.leaf(&placed, depth, directions) {
            self.size.leaves += 1;
            self.parted |= leaf.count() == 1;
            tokens.nested(&leaf);
            return Ok(());
        }
        let at_rest = placed.iter().all(|placed| placed.motion == 0.0);
        if at_rest || self.visited.is_multiple_of(8) {
            self.refute(&placed, &values)?;
        }
        let split = self.widest(&placed).filter(|_| !at_rest && depth < DEEPEST);
        let Some([low, high]) = split.and_then(|by| cell.get(by)).copied() else {
            let [a, b] = self.names(0);
            return Err(ProofError::TooClose { a, b, configuration: values });
        };
        let by = split.unwrap_or(0);
        tokens.int(by as i64);
        let middle = 0.5 * (low + high);
        for half in [[low, middle], [middle, high]] {
            let mut cell = cell.to_vec();
            cell[by] = half;
            self.grow(&cell, depth + 1, directions, tokens)?;
        }
        Ok(())
    }

    fn leaf(&mut self, placed: &[Placed<'s>], depth: usize, directions: &mut Directions) -> Option<Tokens> {
        let first = &placed[0];
        let halves_paths = matches!(self.statement.region, Region::Along(_) | Region::Curve { .. });
        let most = if halves_paths && first.motion > 0.0 { PLANES << depth.min(40) } else { usize::MAX };
        match self.statement.claim {
            Claim::Colliding => self
                .chains
                .iter()
                .zip(placed)
                .find_map(|((pair, _), placed)| witness(placed, *pair, &mut self.scratch)),
            Claim::Inside => cut(first, first.motion, most, directions, || true),
            Claim::NotInside => outside(first),
            Claim::Separated => {
                let room = self.distance(self.chains[0].0) + first.motion;
                // One plane is found sooner than the engine's distance.
                let is_free = || self.within(first, room + first.slack) == Overlap::Free;
                cut(first, room, most, directions, is_free)
            }
        }
    }

    /// The distance that is claimed: the clearance and both paddings.
    pub(crate) fn distance(&self, pair: usize) -> f64 {
        let padding = |body: usize| self.scene.bodies[body].padding;
        let [a, b] = self.statement.pairs[pair];
        (self.statement.clearance + padding(a) + padding(b)) * (1.0 + 4.0 * f64::EPSILON)
    }

    /// The engine's verdict on the placed bodies.
    fn within(&mut self, placed: &Placed<'_>, distance: f64) -> Overlap {
        let [a, b] = placed.sides.each_ref().map(|side| side.shape.model.at(pose(side)));
        let mut context = QueryContext::new(&mut self.scratch);
        if distance > 0.0 { context.within_distance(&a, &b, distance) } else { context.overlap(&a, &b) }
    }

    /// An error if the middle of a cell contradicts the statement.
    fn refute(&mut self, placed: &[Placed<'_>], values: &[f64]) -> Result<(), ProofError> {
        let (claim, distance) = (self.statement.claim, self.distance(self.chains[0].0));
        let finding = match claim {
            Claim::Separated => {
                let near = self.within(&placed[0], distance) == Overlap::Hit;
                let finding = if distance > 0.0 { "are closer than claimed" } else { "collide" };
                near.then_some(finding)
            }
            Claim::Colliding => {
                let free = placed.iter().all(|each| self.within(each, 0.0) == Overlap::Free);
                free.then_some("do not collide")
            }
            Claim::Inside | Claim::NotInside => None,
        };
        let Some(finding) = finding else { return Ok(()) };
        let [a, b] = self.names(0);
        Err(ProofError::False { a, b, finding, configuration: values.to_vec() })
    }

    /// The parameter that contributes most to the motion.
    fn widest(&self, placed: &[Placed<'_>]) -> Option<usize> {
        let region = &self.statement.region;
        let mut shares = vec![0.0; region.whole().len()];
        for ((_, chain), placed) in self.chains.iter().zip(placed) {
            for (&joint, share) in chain.joints.iter().zip(&placed.shares) {
                *shares.get_mut(region.parameter_of(self.scene, joint))? += share;
            }
        }
        (0..shares.len()).max_by(|&i, &j| shares[i].total_cmp(&shares[j]))
    }

    /// The rays of a pair, where one of its bodies is a solid mesh.
    pub(crate) fn rays(&mut self, pair: usize) -> Result<Option<RayLists>, ProofError> {
        self.chains = vec![(pair, Chain::new(self.scene, self.statement.pairs[pair]))];
        let region = &self.statement.region;
        let (values, halves) = region.center(self.scene, 0, &region.whole());
        let placed = self.chains[0].1.place(&values, &vec![0.0; halves.len()]);
        if placed.sides.iter().all(|side| side.shape.solid_mesh().is_none()) {
            return Ok(None);
        }
        let mut lists = [Vec::new(), Vec::new()];
        for (list, other) in [(0, 0), (1, 1)] {
            let (other, solid) = (&placed.sides[other], &placed.sides[1 - other]);
            if solid.shape.solid_mesh().is_none() {
                continue;
            }
            let inside = list == 0 && self.statement.claim == Claim::Inside;
            for &probe in other.shape.probes() {
                let [a, b] = self.names(0);
                let configuration = values.clone();
                let ray = Ray::from(other.place.transform_point3(probe), solid, 2.0 * placed.slack);
                let Some(ray) = ray else { return Err(ProofError::TooClose { a, b, configuration }) };
                if (ray.winding != 0) != inside {
                    let finding =
                        if inside { "are not one inside the other" } else { "are one inside the other" };
                    return Err(ProofError::False { a, b, finding, configuration });
                }
                lists[list].push(ray.write(solid));
            }
        }
        Ok(Some(lists))
    }

    fn names(&self, chain: usize) -> [String; 2] {
        let pair = self.statement.pairs[self.chains[chain].0];
        pair.map(|body| self.scene.body_name(body).to_owned())
    }
}
