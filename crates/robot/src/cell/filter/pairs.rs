//! Pairs of pieces of the filter: their reach, the joints between them, and the order of tests.

use super::clouds::VsCloud;
use super::primitives::{Primitive, VsPrimitive};
use super::{Batch, PiecePair, RouteStep, Routes, SphereFilter, U};
use crate::cell::data::{BodyPair, CellData};
use noli_geom::internals::sort_by_key;
use std::collections::HashMap;

/// Pieces that reach further are not classified: squares of their lengths would lose too many bits.
const LONGEST: f64 = 1e9;

impl SphereFilter {
    pub(super) fn add_pairs(&mut self, data: &CellData, pairs: &[BodyPair], of_body: &[u32]) {
        let mut seen = HashMap::new();
        for pair in pairs {
            let pieces = pair.bodies.map(|body| of_body[body as usize]);
            let next = self.pairs.len() as u32;
            let number = *seen.entry(pieces).or_insert(next);
            if number == next {
                let new = self.piece_pair(data, pair, pieces);
                self.pairs.push(new);
            }
            self.of_pair.push(number);
        }
        self.posed = (0..self.pieces.len() as u32).map(|piece| (piece, false)).collect();
        for pair in self.pairs.iter().filter(|pair| pair.meet > 0.0) {
            pair.pieces.iter().for_each(|&piece| self.posed[piece as usize].1 = true);
        }
    }

    pub(super) fn piece_pair(&self, data: &CellData, pair: &BodyPair, pieces: [u32; 2]) -> PiecePair {
        let [a, b] = pieces.map(|piece| &self.pieces[piece as usize]);
        let in_range = a.length < LONGEST && b.length < LONGEST;
        let open = !in_range;
        let margin = pair.margin * self.inverse;
        let error = a.error + b.error;
        let versus = |piece: usize, primitive: Option<Primitive>| {
            let (primitive, piece) = (primitive.filter(|_| !open)?, pieces[piece]);
            let whole = &self.pieces[piece as usize].whole;
            let (reach, separated) = widened(whole.radius + f64::from(primitive.radius) + margin + error);
            Some(VsPrimitive { primitive, piece, reach, separated })
        };
        let vs_primitive = versus(0, b.primitive).or_else(|| versus(1, a.primitive));
        let versus = |cloud: usize| {
            let (own, piece) = (self.pieces[pieces[cloud] as usize].cloud.as_ref(), pieces[1 - cloud]);
            let (own, other) = (own.filter(|_| !open)?, &self.pieces[piece as usize]);
            let (reach, separated) = widened(other.whole.radius + own.reach() + margin + other.error);
            Some(VsCloud { cloud: pieces[cloud], piece, reach, separated })
        };
        let vs_cloud = versus(1).or_else(|| versus(0));
        let depth = match vs_primitive {
            _ if open => -1.0,
            Some(other) => {
                let core = self.pieces[other.piece as usize].core;
                core.map_or(-1.0, |core| core.radius + f64::from(other.primitive.radius) - error)
            }
            None => a.core.zip(b.core).map_or(-1.0, |(a, b)| a.radius + b.radius - error),
        };
        let reach = if open { f64::INFINITY } else { a.whole.radius + b.whole.radius + margin + error };
        let (reach, separated) = widened(reach);
        PiecePair {
            pieces,
            pair: pair.pair,
            margin: pair.margin,
            reach,
            separated,
            vs_primitive,
            vs_cloud,
            // The square errs by less than 8 roundoffs.
            meet: if depth > 0.0 { (depth * depth * (1.0 - 32.0 * U)) as f32 } else { -1.0 },
            more: (margin * (1.0 + 4.0 * U)) as f32,
            open,
            planes: a.hull.is_some() && b.hull.is_some() && !open,
            limbs: pair.bodies.map(|body| {
                let (arm, link) = data.arm_and_link(body as usize)?;
                Some((arm as u32, data.arms[arm].robot.limbs_to(link) as u32))
            }),
        }
    }

    /// The joints that move a piece, from the world to it.
    fn chain(&self, piece: u32) -> Vec<u32> {
        let mut chain = Vec::new();
        let mut at = self.pieces[piece as usize].frame;
        while let Some(joint) = at {
            chain.push(joint);
            at = self.joints[joint as usize].parent;
        }
        chain.reverse();
        chain
    }

    /// The joints between the pieces of all pairs.
    pub(in crate::cell) fn routes(&self) -> &Routes {
        self.routes.get_or_init(|| self.find_routes())
    }

    /// The route of a pair.
    pub(in crate::cell) fn route(&self, pair: u32) -> u32 {
        self.routes().of_pair[pair as usize]
    }

    fn find_routes(&self) -> Routes {
        let mut found = Routes::default();
        let mut levers = HashMap::new();
        let mut routes: HashMap<Vec<(u32, Option<u32>, u32)>, u32> = HashMap::new();
        for pair in &self.pairs {
            let [mut a, mut b] = pair.pieces;
            if self.pieces[b as usize].frame.is_none() {
                (a, b) = (b, a);
            }
            let (up, down) = (self.chain(a), self.chain(b));
            let shared = up.iter().zip(&down).take_while(|(x, y)| x == y).count();
            let joints: Vec<u32> = up[shared..].iter().rev().chain(&down[shared..]).copied().collect();
            let first = self.pieces[a as usize].frame.map(|_| a);
            let named: Vec<_> = joints.into_iter().map(|joint| (joint, first, b)).collect();
            let back = up.len() - shared;
            let next = found.all.len() as u32;
            let route = *routes.entry(named.clone()).or_insert(next);
            if route == next {
                let mut slot = |piece: u32, joint: u32| {
                    *levers.entry((piece, joint)).or_insert_with(|| {
                        found.levers.push((piece, joint));
                        found.levers.len() as u32 - 1
                    })
                };
                let step = |(k, (joint, first, second)): (usize, (u32, Option<u32>, u32))| RouteStep {
                    joint,
                    first: first.map(|piece| slot(piece, joint)),
                    second: slot(second, joint),
                    is_back: k < back,
                };
                let steps = named.into_iter().enumerate().map(step).collect();
                found.all.push(steps);
            }
            found.of_pair.push(route);
        }
        found
    }

    /// Puts pairs of pieces with high scores first; equal ones stay in order. Returns the new order of the pairs
    /// of bodies.
    pub(in crate::cell) fn order(&mut self, scores: &[u32]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.pairs.len()).collect();
        sort_by_key(&mut order, |&pair| std::cmp::Reverse(scores[pair]));
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &pair)| place[pair] = at as u32);
        self.pairs = order.into_iter().map(|pair| self.pairs[pair].clone()).collect();
        let of_pair: Vec<u32> = self.of_pair.iter().map(|&pair| place[pair as usize]).collect();
        let mut body_pairs: Vec<usize> = (0..of_pair.len()).collect();
        sort_by_key(&mut body_pairs, |&number| of_pair[number]);
        self.of_pair = body_pairs.iter().map(|&number| of_pair[number]).collect();
        (self.routes, self.singly) = Default::default();
        body_pairs
    }

    /// Ends the search for planes between the pieces of pairs where a batch found few.
    pub(in crate::cell) fn drop_planes(&mut self, batch: &Batch) {
        for (pair, [failed, found]) in self.pairs.iter_mut().zip(&batch.planes) {
            pair.planes &= failed + found < 8 || 2 * found >= *failed;
        }
    }
}

/// A length and its square, with what comparing the square of a distance with it errs by: less than 8 roundoffs.
fn widened(length: f64) -> (f32, f32) {
    ((length * (1.0 + 32.0 * U)) as f32, (length * length * (1.0 + 32.0 * U)) as f32)
}
