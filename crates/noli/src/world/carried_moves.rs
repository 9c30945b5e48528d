//! Bodies that move on moving bodies: a robot on a cart, a cup on a table.
//!
//! The move of the cart moves the robot, which has a move of its own. The robot then performs its own motion
//! on the cart: the motions are [composed](noli_geom::Carried), the outermost ancestor first. Both moves
//! determine the robot's pose, so they stop together.

use super::body::BodyId;
use super::moves::Move;
use super::stop_groups::Ties;
use super::{World, WorldError};
use noli_geom::{Carried, Motion};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Assigns every body to one move only: the last that moves it, composed with the moves of its ancestors.
pub(super) fn compose(world: &World, mut moves: Vec<Move>) -> Result<(Vec<Move>, Ties), WorldError> {
    let mut ties = Ties::none(moves.len());
    let mut movers: HashMap<BodyId, Vec<usize>> = HashMap::new();
    for (number, asked) in moves.iter().enumerate() {
        for id in asked.bodies() {
            movers.entry(id).or_default().push(number);
        }
    }
    movers.retain(|_, by| by.len() > 1);
    if movers.is_empty() {
        return Ok((moves, ties));
    }
    let members: Vec<HashSet<BodyId>> = moves.iter().map(|asked| asked.bodies().collect()).collect();
    let mut twice: Vec<(BodyId, Vec<usize>)> = movers.into_iter().collect();
    twice.sort_unstable();
    for (id, by) in twice {
        let mut carriers = Vec::new();
        for number in by {
            carriers.push((height(world, id, &members[number])?, number));
        }
        // Who carries from further up comes first.
        carriers.sort_unstable_by(|x, y| y.cmp(x));
        if carriers.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Err(WorldError::MovedTwice(id));
        }
        let start = world.body(id)?.pose();
        let mut whole: Option<Arc<dyn Motion>> = None;
        for &(_, number) in &carriers {
            ties.tie(carriers[0].1, number);
            let parts = &mut moves[number].parts;
            let place = parts.iter().position(|part| part.0 == id).ok_or(WorldError::MovedTwice(id))?;
            let own = parts.swap_remove(place).1;
            if own.pose(0.0) != start {
                return Err(WorldError::MovedTwice(id));
            }
            whole = Some(match whole {
                None => own,
                Some(carrier) => Arc::new(Carried::new(start, carrier, own)),
            });
        }
        let (_, last) = carriers[carriers.len() - 1];
        moves[last].parts.extend(whole.map(|motion| (id, motion)));
    }
    Ok((moves, ties))
}

impl World {
    /// Joins moves of the same bodies into one move with their composed motion; other moves are unchanged. A step
    /// composes moves by itself. This is for motions that are then followed segment by segment, since only whole
    /// motions begin at the current poses.
    pub fn join(&self, moves: Vec<Move>) -> Result<Vec<Move>, WorldError> {
        let (moves, ties) = compose(self, moves)?;
        let mut joined: Vec<(usize, Move)> = Vec::new();
        for (set, next) in ties.sets().into_iter().zip(moves) {
            match joined.iter_mut().find(|(of, _)| *of == set) {
                None => joined.push((set, next)),
                Some((_, first)) => {
                    first.name = format!("{} + {}", first.name, next.name);
                    first.is_rigid = false;
                    first.parts.extend(next.parts);
                }
            }
        }
        Ok(joined.into_iter().map(|(_, all)| all).collect())
    }
}

/// Number of consecutive ancestors of a body that a move includes: 0 if it moves the body but not its parent.
fn height(world: &World, id: BodyId, members: &HashSet<BodyId>) -> Result<usize, WorldError> {
    let (mut at, mut height) = (id, 0);
    while let Some(parent) = world.body(at)?.parent().filter(|parent| members.contains(parent)) {
        (at, height) = (parent, height + 1);
    }
    Ok(height)
}
