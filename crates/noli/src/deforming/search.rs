//! The questions about deforming meshes.

use super::Deforming;
use super::features::FacePair;
use crate::budget::{Budget, Meter};
use crate::context::{QueryContext, with_context};
use noli_geom::{FeaturePair, Features, Impact, TimeOfImpact};

/// Two deforming meshes, or one. A step of the budget is a pair of nodes.
impl QueryContext<'_> {
    /// Computes the first contact of two deforming meshes; see [`first_deforming_impact`]. If the budget runs out, a
    /// contact found so far still bounds the time from above.
    pub fn first_deforming_impact(&mut self, a: &Deforming, b: &Deforming) -> Impact<Features> {
        first(&Sides { a, b, same: false }, &mut self.meter)
    }

    /// Computes the first self-contact of a deforming mesh; see [`first_self_impact`].
    pub fn first_self_impact(&mut self, mesh: &Deforming) -> Impact<Features> {
        first(&Sides { a: mesh, b: mesh, same: true }, &mut self.meter)
    }
}

/// Computes the time and features of the first contact of two deforming meshes. **Exact**: no missed contacts,
/// no false positives.
pub fn first_deforming_impact(a: &Deforming, b: &Deforming) -> Impact<Features> {
    with_context(|context| context.first_deforming_impact(a, b))
}

/// Computes the time and features of the first self-collision of a deforming mesh. **Exact**. Features that
/// share a vertex do not count.
#[doc(alias("self-collision", "cloth"))]
pub fn first_self_impact(mesh: &Deforming) -> Impact<Features> {
    with_context(|context| context.first_self_impact(mesh))
}

/// Every pair of features of two deforming meshes that touches during the step, with its first contact; by
/// time. **Exact**.
pub fn deforming_impacts(a: &Deforming, b: &Deforming) -> Vec<Impact<Features>> {
    all(&Sides { a, b, same: false })
}

/// Every pair of features of one deforming mesh that touches during the step, with its first contact; by
/// time. **Exact**. Features that share a vertex do not count.
///
/// Edges are named by their vertices, the lower first, and come in order.
pub fn self_impacts(mesh: &Deforming) -> Vec<Impact<Features>> {
    all(&Sides { a: mesh, b: mesh, same: true })
}

fn all(sides: &Sides<'_>) -> Vec<Impact<Features>> {
    let mut found = Vec::new();
    sides.walk(&mut Budget::UNLIMITED.meter(), |features, pair| {
        let impact = pair.impact();
        if impact.is_hit() {
            found.push(impact.with_touch(features));
        }
        1.0
    });
    let key = |impact: &Impact<Features>| match impact {
        Impact::AtStart(touch) => (0.0, Some(*touch)),
        Impact::At { time, touch } => (time.safe_until, Some(*touch)),
        _ => (1.0, None),
    };
    found.sort_by(|p, q| {
        let (p, q) = (key(p), key(q));
        p.0.total_cmp(&q.0).then(p.1.cmp(&q.1))
    });
    found
}

fn first(sides: &Sides<'_>, meter: &mut Meter<'_>) -> Impact<Features> {
    let mut best: Option<(TimeOfImpact, Features)> = None;
    let mut at_start = None;
    let finished = sides.walk(meter, |features, pair| {
        match pair.impact() {
            Impact::AtStart(()) => {
                at_start.get_or_insert(features);
                return 0.0;
            }
            Impact::At { time, .. } => {
                best = Some(best.map_or((time, features), |known| earlier(known, (time, features))));
            }
            Impact::Free | Impact::Unknown { .. } => {}
        }
        best.map_or(1.0, |(time, _)| time.touching_by)
    });
    match (at_start, best, finished) {
        (Some(touch), ..) => Impact::AtStart(touch),
        (None, Some((time, touch)), true) => Impact::At { time, touch },
        (None, None, true) => Impact::Free,
        (None, Some((time, touch)), false) => {
            Impact::At { time: TimeOfImpact { safe_until: 0.0, ..time }, touch }
        }
        (None, None, false) => Impact::Unknown { safe_until: 0.0 },
    }
}

/// Returns a bracket around the earlier of two contacts, and its features as far as the brackets decide.
fn earlier(p: (TimeOfImpact, Features), q: (TimeOfImpact, Features)) -> (TimeOfImpact, Features) {
    let time = TimeOfImpact {
        safe_until: p.0.safe_until.min(q.0.safe_until),
        touching_by: p.0.touching_by.min(q.0.touching_by),
    };
    (time, if q.0.safe_until < p.0.safe_until { q.1 } else { p.1 })
}

/// Two meshes, or one twice.
struct Sides<'a> {
    a: &'a Deforming,
    b: &'a Deforming,
    same: bool,
}

impl Sides<'_> {
    /// Visits every pair of features that the boxes cannot separate until the time that the callback returned last.
    /// Returns `false` if the budget ran out first.
    fn walk(&self, meter: &mut Meter<'_>, mut context: impl FnMut(Features, &FeaturePair) -> f64) -> bool {
        let (tree_a, tree_b) = (&self.a.tree, &self.b.tree);
        if tree_a.nodes.is_empty() || tree_b.nodes.is_empty() {
            return true;
        }
        let mut until = 1.0;
        let mut stack = vec![(0, 0)];
        while let Some((i, j)) = stack.pop() {
            let twice = self.same && i == j;
            if !twice && self.a.boxes[i as usize].separated(&self.b.boxes[j as usize], until) {
                continue;
            }
            if !meter.step() {
                return false;
            }
            let (of_a, of_b) = (&tree_a.nodes[i as usize], &tree_b.nodes[j as usize]);
            match (of_a.children.is_empty(), of_b.children.is_empty()) {
                (true, true) => until = self.leaves(i, j, until, &mut context),
                (false, false) if twice => {
                    for k in of_a.children.clone() {
                        stack.extend((k..of_a.children.end).map(|l| (k, l)));
                    }
                }
                // The larger one is opened, so that both sides shrink alike.
                (false, leaf) if leaf || of_a.faces.len() >= of_b.faces.len() => {
                    stack.extend(of_a.children.clone().map(|k| (k, j)));
                }
                _ => stack.extend(of_b.children.clone().map(|l| (i, l))),
            }
        }
        true
    }

    fn leaves(
        &self,
        i: u32,
        j: u32,
        mut until: f64,
        context: &mut impl FnMut(Features, &FeaturePair) -> f64,
    ) -> f64 {
        let twice = self.same && i == j;
        let (of_a, of_b) = (self.a.faces_below(i), self.b.faces_below(j));
        for (k, &f) in of_a.iter().enumerate() {
            for &g in of_b.iter().skip(if twice { k + 1 } else { 0 }) {
                if self.a.face_boxes[f as usize].separated(&self.b.face_boxes[g as usize], until) {
                    continue;
                }
                let pair = FacePair { a: self.a, b: self.b, faces: [f, g], same: self.same };
                pair.each(|features, pair| until = context(features, pair));
            }
        }
        until
    }
}
