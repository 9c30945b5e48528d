//! Summary figures of a simulation.

/// Figures of a whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Summary {
    /// Pairs of bodies that the exact test found to overlap at a recorded instant, and motion segments accepted
    /// without a proof. None of either is ever accepted knowingly.
    pub penetrations: u64,
    /// Share of the wanted motion, or of the simulated time, that was not moved because nothing could be proven.
    pub time_lost: f64,
    /// The most contacts that were in force at one time.
    pub contacts_most: usize,
    /// The fewest contacts in force in a frame, of the frames that had any.
    pub contacts_least: usize,
    /// Motion segments proven collision-free.
    pub pieces: u64,
    /// Pairs of bodies tested for it.
    pub proofs: u64,
    /// Impacts.
    pub impacts: u64,
    /// The largest violation of the conditions of contact that a solution had, as a share of the speeds involved.
    pub residual_most: f64,
}
