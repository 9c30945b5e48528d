//! Traces of a query: the visited node pairs, and the reasons for discarding the rest.

/// Reason for discarding a node pair from the work list. Pairs whose volumes are separated never get there:
/// they are the clear bits of [`Trace::expanded`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// They cannot be closer than what is known already.
    TooFar,
}

/// A listener to a query's decisions. Every method does nothing unless overridden, so a listener
/// that is not there costs nothing.
pub trait Trace {
    /// The children of `a` were tested against the children of `b`. Bit `4·i + j` of `survivors` marks pairs that
    /// are followed.
    #[inline(always)]
    fn expanded(&mut self, a: u32, b: u32, children_a: &[u32; 4], children_b: &[u32; 4], survivors: u16) {
        let _ = (a, b, children_a, children_b, survivors);
    }
    /// These node pairs were dropped from the work list.
    #[inline(always)]
    fn discarded(&mut self, pairs: &[(u32, u32)], reason: Reason) {
        let _ = (pairs, reason);
    }
    /// Two leaves are compared.
    #[inline(always)]
    fn leaf_pair(&mut self, a: u32, b: u32) {
        let _ = (a, b);
    }
    /// So many triangle pairs were beyond the packed filter and went to the `f64` and exact tests.
    #[inline(always)]
    fn unsure(&mut self, triangle_pairs: u32) {
        let _ = triangle_pairs;
    }
}

impl<T: Trace + ?Sized> Trace for &mut T {
    #[inline(always)]
    fn expanded(&mut self, a: u32, b: u32, children_a: &[u32; 4], children_b: &[u32; 4], survivors: u16) {
        (**self).expanded(a, b, children_a, children_b, survivors);
    }
    #[inline(always)]
    fn discarded(&mut self, pairs: &[(u32, u32)], reason: Reason) {
        (**self).discarded(pairs, reason);
    }
    #[inline(always)]
    fn leaf_pair(&mut self, a: u32, b: u32) {
        (**self).leaf_pair(a, b);
    }
    #[inline(always)]
    fn unsure(&mut self, triangle_pairs: u32) {
        (**self).unsure(triangle_pairs);
    }
}

/// A trace that records nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTrace;

impl Trace for NoTrace {}

/// Counts tests by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Blocks of node pairs tested.
    pub blocks: u64,
    /// Node pairs that survived their test.
    pub survivors: u64,
    /// Node pairs dropped because something closer was known.
    pub discarded: u64,
    /// Leaf pairs compared.
    pub leaf_pairs: u64,
    /// Triangle pairs that needed more than the packed filter.
    pub unsure: u64,
}

impl Trace for Stats {
    #[inline(always)]
    fn expanded(&mut self, _: u32, _: u32, _: &[u32; 4], _: &[u32; 4], survivors: u16) {
        self.blocks += 1;
        self.survivors += u64::from(survivors.count_ones());
    }
    #[inline(always)]
    fn discarded(&mut self, pairs: &[(u32, u32)], _: Reason) {
        self.discarded += pairs.len() as u64;
    }
    #[inline(always)]
    fn leaf_pair(&mut self, _: u32, _: u32) {
        self.leaf_pairs += 1;
    }
    #[inline(always)]
    fn unsure(&mut self, triangle_pairs: u32) {
        self.unsure += u64::from(triangle_pairs);
    }
}
