//! What came of a simulation, in figures.

/// Figures of a whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Summary {
    /// Pairs of bodies that were seen to overlap at a recorded instant by the exact test, and pieces of motion that were
    /// accepted without a proof. None of either is ever accepted knowingly.
    pub penetrations: u64,
    /// Share of the wanted motion, or of the simulated time, that was not moved because nothing could be proven.
    pub time_lost: f64,
    /// The most contacts that were in force at one time.
    pub contacts_most: usize,
    /// The fewest contacts in force in a frame, of the frames that had any.
    pub contacts_least: usize,
    /// Pieces of motion that were proven free.
    pub pieces: u64,
    /// Pairs of bodies that were looked at for it.
    pub proofs: u64,
    /// Impacts.
    pub impacts: u64,
    /// The largest violation of the conditions of contact that a solution had, as a share of the speeds involved.
    pub residual_most: f64,
}

/// How long frames took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FrameMillis {
    /// Half of the frames took no longer.
    pub median: f64,
    /// All but one in a hundred took no longer.
    pub p99: f64,
    /// None took longer.
    pub worst: f64,
}

impl FrameMillis {
    /// From the times of all frames, in milliseconds.
    pub fn new(mut millis: Vec<f64>) -> Self {
        millis.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let last = millis.len().checked_sub(1)?;
            millis.get(((share * last as f64).ceil() as usize).min(last)).copied()
        };
        Self { median: at(0.5).unwrap_or(0.0), p99: at(0.99).unwrap_or(0.0), worst: at(1.0).unwrap_or(0.0) }
    }
}
