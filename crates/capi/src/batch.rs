//! Many queries at once, over plain arrays.

use crate::border::{ErrorCode, Failure, In, border, given, room, slice};
use crate::model::MODELS;
use crate::values::{ModelHandle, PlacedRecord, PoseRecord, verdict};
use noli::batch;

/// Tests one model at many poses against a placed one, on all threads.
///
/// # Safety
///
/// `poses` has `count` poses, and `out` has room for as many verdicts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn noli_overlap_batch(
    a: In<'_, PlacedRecord>,
    b: ModelHandle,
    poses: *const PoseRecord,
    count: usize,
    out: *mut i32,
) -> ErrorCode {
    border(|| {
        // SAFETY: as the caller states.
        let (poses, out) = unsafe { (slice(poses, count, "poses")?, room(out, count, "out")?) };
        let a = given(a, "a")?;
        let (model_a, model_b, pose_a) = (MODELS.get(a.model.id)?, MODELS.get(b.id)?, a.pose.pose("a")?);
        let placed = model_a.model.at(pose_a);
        let named = |(number, pose): (usize, &PoseRecord)| pose.pose(&format!("pose {number}"));
        let poses = poses.iter().enumerate().map(named).collect::<Result<Vec<_>, _>>()?;
        let mut verdicts = vec![0; count];
        batch(&poses, &mut verdicts, |pose, ask| verdict(ask.overlap(&placed, &model_b.model.at(*pose))))
            .map_err(Failure::value)?;
        for (item, verdict) in out.iter_mut().zip(verdicts) {
            item.write(verdict);
        }
        Ok(())
    })
}
