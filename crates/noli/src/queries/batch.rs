//! Many questions at once: parallel with the `rayon` feature, the same answers in the same places for any
//! number of threads.

use crate::context::{QueryContext, with_context};
use crate::query::LengthError;

/// Answers one query for every item and stores each answer in its place. Each item has a [`QueryContext`] of
/// its own, so a step budget that it is given counts for each item alone and gives the same answers on every
/// machine.
///
/// ```
/// use noli::{Budget, Mesh, Model, Overlap, Pose, batch};
/// let cube = Model::new(Mesh::cuboid(glam::DVec3::ONE)?)?;
/// let shifts = [0.0, 1.0, 9.0];
/// let mut answers = [Overlap::Unknown; 3];
/// batch(&shifts, &mut answers, |&shift, ask| {
///     let there = cube.at(Pose::from_translation(glam::dvec3(shift, 0.0, 0.0)));
///     ask.reborrow().with_budget(Budget::default().steps(1000)).overlap(&cube.at(Pose::IDENTITY), &there)
/// })?;
/// assert_eq!(answers, [Overlap::Hit, Overlap::Hit, Overlap::Free]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias("vectorized", "batched collision"))]
pub fn batch<T: Sync, R: Send>(
    items: &[T],
    answers: &mut [R],
    question: impl Fn(&T, &mut QueryContext<'_>) -> R + Sync + Send,
) -> Result<(), LengthError> {
    if items.len() != answers.len() {
        return Err(LengthError { questions: items.len(), room: answers.len() });
    }
    // Each thread keeps its scratch from one batch to the next.
    for_each(items, answers, |item, answer| *answer = with_context(|context| question(item, context)));
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
