//! The end of a query, as the start of the next one on the same two bodies.

use crate::convex::SearchEnd;
use crate::tree::front::Front;

/// End of the last query on the same two bodies. Starting there is faster when they have moved little; it
/// never changes a verdict, and no other answer beyond the width of its bracket.
///
/// Of two meshes it keeps where the search ended, and up to which motion its bounds hold: memory in proportion to the
/// search, some kilobytes.
#[doc(alias("warm start", "cached_gjk_guess", "gjk", "temporal coherence"))]
#[derive(Clone, Debug, Default)]
pub struct Hint {
    pub(crate) convex: SearchEnd,
    /// Triangles of A and B that decided a query on two meshes. Of other meshes they are as good as any: a hint
    /// that is off costs time and changes nothing.
    pub(crate) faces: Option<[u32; 2]>,
    /// Front of the last search on two meshes.
    pub(crate) front: Option<Box<Front>>,
}

impl Hint {
    /// Returns the number of support points evaluated in the last search on two convex bodies.
    pub fn steps(&self) -> u32 {
        self.convex.steps()
    }
}

impl From<SearchEnd> for Hint {
    fn from(convex: SearchEnd) -> Self {
        Self { convex, ..Self::default() }
    }
}
