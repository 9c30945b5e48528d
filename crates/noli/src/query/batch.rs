//! Many questions at once: parallel with the `rayon` feature, the same answers in the same places for any
//! number of threads.

use super::{Clearance, ClearanceQuery, Overlap, OverlapQuery, clearance_in, overlap_in, with_scratch};
use crate::model::{Model, Placed};
use crate::scratch::Scratch;
use noli_geom::Pose;

/// The array for the answers does not fit the questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{questions} questions were asked with room for {room} answers; give an array of the same length")]
pub struct WrongLength {
    /// How many questions were asked.
    pub questions: usize,
    /// How many answers there is room for.
    pub room: usize,
}

/// Ask one question of every item and put each answer in its place. A budget lent to `ask` counts for each
/// item alone, so a step budget gives the same answers on every machine.
///
/// ```
/// use noli::{Model, Overlap, OverlapQuery, Pose, batch, overlap_in};
/// # let tetrahedron = noli_scenes::tetrahedron();
/// # let mesh = noli::Mesh::from_triangles(tetrahedron.vertices, tetrahedron.triangles, &Default::default())?;
/// let model = Model::new(&mesh, &Default::default());
/// let shifts = [0.0, 1.0, 9.0];
/// let mut answers = [Overlap::Unknown; 3];
/// batch(&shifts, &mut answers, |&shift, scratch| {
///     let there = model.at(Pose::from_translation(glam::dvec3(shift, 0.0, 0.0)));
///     overlap_in(&model.at(Pose::IDENTITY), &there, &OverlapQuery::default(), scratch)
/// })?;
/// assert_eq!(answers, [Overlap::Hit, Overlap::Hit, Overlap::Free]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn batch<T: Sync, R: Send>(
    items: &[T],
    answers: &mut [R],
    ask: impl Fn(&T, &mut Scratch) -> R + Sync + Send,
) -> Result<(), WrongLength> {
    if items.len() != answers.len() {
        return Err(WrongLength { questions: items.len(), room: answers.len() });
    }
    // Each thread keeps its scratch from one batch to the next.
    for_each(items, answers, |item, answer| *answer = with_scratch(|scratch| ask(item, scratch)));
    Ok(())
}

/// Questions that a thread takes at a time, at least: enough to hide what it costs to hand them out.
#[cfg(feature = "rayon")]
const SHARE: usize = 8;

#[cfg(feature = "rayon")]
fn for_each<T: Sync, R: Send>(items: &[T], answers: &mut [R], f: impl Fn(&T, &mut R) + Sync + Send) {
    use rayon::prelude::*;
    items.par_iter().zip(answers).with_min_len(SHARE).for_each(|(item, answer)| f(item, answer));
}

#[cfg(not(feature = "rayon"))]
fn for_each<T, R>(items: &[T], answers: &mut [R], f: impl Fn(&T, &mut R)) {
    items.iter().zip(answers).for_each(|(item, answer)| f(item, answer));
}

/// [`overlap`](super::overlap) of a body and a model at many poses.
pub fn overlap_poses(
    a: &Placed<'_>,
    b: &Model,
    poses: &[Pose],
    answers: &mut [Overlap],
) -> Result<(), WrongLength> {
    let query = OverlapQuery::default();
    batch(poses, answers, |pose, scratch| overlap_in(a, &b.at(*pose), &query, scratch))
}

/// [`overlap`](super::overlap) of many pairs of bodies.
pub fn overlap_pairs(pairs: &[(Placed<'_>, Placed<'_>)], answers: &mut [Overlap]) -> Result<(), WrongLength> {
    let query = OverlapQuery::default();
    batch(pairs, answers, |(a, b), scratch| overlap_in(a, b, &query, scratch))
}

/// [`clearance`](super::clearance) of a body and a model at many poses.
pub fn clearance_poses(
    a: &Placed<'_>,
    b: &Model,
    poses: &[Pose],
    answers: &mut [Clearance],
) -> Result<(), WrongLength> {
    let query = ClearanceQuery::default();
    batch(poses, answers, |pose, scratch| clearance_in(a, &b.at(*pose), &query, scratch))
}

/// [`clearance`](super::clearance) of many pairs of bodies.
pub fn clearance_pairs(
    pairs: &[(Placed<'_>, Placed<'_>)],
    answers: &mut [Clearance],
) -> Result<(), WrongLength> {
    let query = ClearanceQuery::default();
    batch(pairs, answers, |(a, b), scratch| clearance_in(a, b, &query, scratch))
}
