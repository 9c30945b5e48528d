//! Resources of a query: scratch memory, a budget, a hint, a trace.

use crate::budget::{Budget, Meter};
use crate::convex::SearchEnd;
use crate::hint::Hint;
use crate::scratch::Scratch;
use crate::trace::Trace;
use std::cell::RefCell;

/// Query context: borrowed scratch memory, the remaining budget, the end of the last search, and a trace.
///
/// Every query is a method, for every pair of shapes; the functions at the root of the crate are the same with
/// defaults. One `QueryContext` spends one budget over all its queries and their parts.
///
/// ```
/// use noli::{QueryContext, Budget, Convex, Hint, Model, Overlap, Pose, Scratch};
/// let cone = Model::new(Convex::cone(2.0, 1.0)?)?;
/// let (mut scratch, mut hint) = (Scratch::default(), Hint::default());
/// let mut ask = QueryContext::new(&mut scratch).with_budget(Budget::default().steps(10_000)).with_hint(&mut hint);
/// let hits = (0..100).filter(|&step| {
///     let there = Pose::from_translation(glam::dvec3(0.05 * f64::from(step), 0.0, 0.0));
///     ask.overlap(&cone.at(Pose::IDENTITY), &cone.at(there)) == Overlap::Hit
/// });
/// assert_eq!(hits.count(), 41);
/// # Ok::<(), noli::ShapeError>(())
/// ```
#[doc(alias("CollisionRequest", "DistanceRequest"))]
#[must_use]
pub struct QueryContext<'a> {
    pub(crate) scratch: &'a mut Scratch,
    pub(crate) meter: Meter<'a>,
    hint: Option<&'a mut Hint>,
    pub(crate) trace: Option<&'a mut dyn Trace>,
    pub(crate) faces_only: bool,
    is_parallel: bool,
}

impl<'a> QueryContext<'a> {
    /// Borrows `scratch`; no budget, hint or trace.
    #[inline]
    pub fn new(scratch: &'a mut Scratch) -> Self {
        scratch.search_end().about([0, 0]);
        let meter = Budget::UNLIMITED.meter();
        Self { scratch, meter, hint: None, trace: None, faces_only: false, is_parallel: false }
    }

    /// Spend no more than this, all questions together.
    #[inline]
    pub fn with_budget(mut self, budget: Budget<'a>) -> Self {
        self.meter = budget.meter();
        self
    }

    /// Start where the last question about the same two bodies ended, and remember where this one does. Changes what
    /// an answer costs, never a verdict.
    pub fn with_hint(mut self, hint: &'a mut Hint) -> Self {
        self.hint = Some(hint);
        self
    }

    /// Sets a trace of the visited nodes and tests.
    pub fn with_trace(mut self, trace: &'a mut dyn Trace) -> Self {
        self.trace = Some(trace);
        self
    }

    /// Look only at faces, not at spheres known to be inside solids. Changes the time, never a verdict.
    pub fn surfaces_only(mut self) -> Self {
        self.faces_only = true;
        self
    }

    /// Runs long traversals of two large meshes, or of one against itself, on all threads of the current rayon pool.
    ///
    /// Answers are the same for any number of threads, in the same order. Traversals below a quarter of a millisecond
    /// stay on one thread. So do queries with a trace or a budget of steps, lists of intersections of meshes with
    /// repeated faces, and everything without the `rayon` feature.
    ///
    /// ```
    /// use noli::answer::Count;
    /// use noli::{Mesh, Model, Pose, QueryContext, Scratch};
    /// let (ring, mut count) = (Model::new(Mesh::torus(2.0, 0.5, 192, 96)?)?, Count::default());
    /// let there = Pose::from_translation(glam::dvec3(0.1, 0.0, 0.0));
    /// let mut scratch = Scratch::default();
    /// let mut context = QueryContext::new(&mut scratch).in_parallel();
    /// let found = context.intersections(&ring.at(Pose::IDENTITY), &ring.at(there), &Default::default(), &mut count);
    /// assert_eq!(found, noli::answer::Completeness::Complete);
    /// assert_eq!(count.0, noli::intersections(&ring.at(Pose::IDENTITY), &ring.at(there)).len() as u64);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("threads", "parallel", "multithreading"))]
    pub fn in_parallel(mut self) -> Self {
        self.is_parallel = true;
        self
    }

    /// Returns `true` if a long traversal may be split: its order and its steps are not observed.
    #[inline]
    pub(crate) fn may_split(&self) -> bool {
        self.is_parallel && self.trace.is_none() && self.meter.budget().step_limit().is_none()
    }

    /// The same memory and listener without a budget or hint, for a question that is to be limited alone.
    pub fn reborrow(&mut self) -> QueryContext<'_> {
        let Self { scratch, trace, faces_only, is_parallel, .. } = self;
        scratch.search_end().about([0, 0]);
        let trace = trace.as_deref_mut().map(|trace| trace as &mut dyn Trace);
        let (meter, faces_only, is_parallel) = (Budget::UNLIMITED.meter(), *faces_only, *is_parallel);
        QueryContext { scratch, meter, hint: None, trace, faces_only, is_parallel }
    }

    /// Steps spent so far: node blocks, leaf pairs, support points and cells.
    pub fn steps(&self) -> u64 {
        self.meter.taken()
    }

    /// Returns the start of convex searches: that of the borrowed hint, else one that lasts for this `QueryContext`.
    #[inline]
    pub(crate) fn search_end(&mut self) -> &mut SearchEnd {
        match &mut self.hint {
            Some(hint) => &mut hint.convex,
            None => self.scratch.search_end(),
        }
    }

    /// Returns the faces that decided the last query, if the caller gave a hint.
    #[inline]
    pub(crate) fn hinted_faces(&self) -> Option<[u32; 2]> {
        self.hint.as_ref().and_then(|hint| hint.faces)
    }

    /// Returns the hint that the caller gave.
    #[inline]
    pub(crate) fn given_hint(&mut self) -> Option<&mut Hint> {
        self.hint.as_deref_mut()
    }

    /// Returns `true` if the traversal is traced.
    #[inline]
    pub(crate) fn is_traced(&self) -> bool {
        self.trace.is_some()
    }

    #[inline]
    pub(crate) fn remember_faces(&mut self, faces: [u32; 2]) {
        if let Some(hint) = &mut self.hint {
            hint.faces = Some(faces);
        }
    }
}

impl std::fmt::Debug for QueryContext<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ask").field("budget", &self.meter.budget()).field("steps", &self.steps()).finish()
    }
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch::default());
}

/// Runs a query with this thread's scratch, or with a new one if that is in use (a sink that queries).
#[inline]
pub(crate) fn with_context<R>(question: impl FnOnce(&mut QueryContext<'_>) -> R) -> R {
    SCRATCH.with(|shared| match shared.try_borrow_mut() {
        Ok(mut scratch) => question(&mut QueryContext::new(&mut scratch)),
        Err(_) => question(&mut QueryContext::new(&mut Scratch::default())),
    })
}
