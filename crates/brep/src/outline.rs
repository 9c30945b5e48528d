//! The boundary of a face in its parameters: the points of its triangles that belong to it.
//!
//! Triangles end at chords of the sides of a face. The part between a side and its chord belongs to the face where the side
//! bends outward, and does not where it bends inward; it may reach into triangles of other sides. A piece of a side stays in
//! its [`Lens`]. A triangle that no lens but those of its own sides reaches into is part of the face, up to these. In others
//! a point that no lens holds is inside if a ray from it crosses an odd number of chords (even-odd rule, Shimrat 1962);
//! where a lens holds it, the piece is halved.

use crate::boundary::{Edge, LoopVertex, Side};
use crate::bulge::bulge;
use crate::curve::Curve;
use crate::lens::Lens;
use crate::surface::Surface;
use crate::triangulate::orientation;
use glam::{DVec2, DVec3};
use std::collections::BTreeSet;

/// Most halvings of pieces for one region on an analytic surface, and on one whose parameters are found by iteration.
const MAX_HALVINGS: [usize; 2] = [64, 0];
/// Steps of the search for the nearest point of a piece.
const NEAREST_STEPS: usize = 32;

/// The surface and the edges of an outline.
#[derive(Clone, Copy)]
pub(crate) struct Ground<'g> {
    pub(crate) surface: &'g Surface,
    pub(crate) edges: &'g [Edge],
    /// Rounding error of points.
    pub(crate) rounding: f64,
    /// Distance of the edges from the surface.
    pub(crate) gap: f64,
}

impl Ground<'_> {
    fn most_halvings(&self) -> usize {
        MAX_HALVINGS[usize::from(self.surface.frame().is_none())]
    }
}

/// How a patch lies with respect to its face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Membership {
    /// It is part of the face, up to its own curved sides.
    Inside,
    /// Sides of other patches may reach into it, about as far as this.
    Crossed(f64),
    /// No point of it belongs to the face.
    Outside,
}

/// The triangles of a face and its curved sides; empty if it has none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outline {
    triangles: Vec<[DVec2; 3]>,
    pieces: Vec<Piece>,
    /// For every piece its triangle.
    owners: Vec<usize>,
    /// Whole periods of the surface by which a point may be moved.
    shifts: Vec<DVec2>,
    /// A box around all triangles and pieces; without bounds if a piece has no lens.
    extent: [DVec2; 2],
}

/// A piece of a curved side.
#[derive(Clone, Copy, Debug)]
struct Piece {
    uv: [DVec2; 2],
    side: Side,
    reach: Reach,
    /// Bound on the length of the piece and of its chord together.
    length: f64,
    /// Bound on its distance from its chord.
    bend: f64,
    /// Halves are no nearer to their chords than rounding and gaps allow.
    is_fine: bool,
}

/// A part that a piece cannot leave.
#[derive(Clone, Copy, Debug)]
enum Reach {
    Lens(Lens),
    /// Points no further than a distance from the start of the piece: near poles.
    Around(DVec3, f64),
}

/// A triangle of parameters, and a sphere around the points over it.
#[derive(Clone, Copy)]
pub(crate) struct Region {
    pub(crate) triangle: [DVec2; 3],
    pub(crate) center: DVec3,
    pub(crate) radius: f64,
}

/// A place on a piece near a point.
#[derive(Clone, Copy)]
struct Place {
    distance: f64,
    piece: Piece,
    share: f64,
}

/// Triangles that sides of others reach into, and the edges of these sides.
#[derive(Default)]
pub(crate) struct Crossings {
    pub(crate) triangles: BTreeSet<usize>,
    pub(crate) edges: BTreeSet<usize>,
}

impl Outline {
    pub(crate) fn new(ground: &Ground<'_>, triangles: &[[LoopVertex; 3]]) -> Self {
        let (mut pieces, mut owners) = (Vec::new(), Vec::new());
        for (number, triangle) in triangles.iter().enumerate() {
            for k in 0..3 {
                let ends = [triangle[k].uv, triangle[(k + 1) % 3].uv];
                if let Some(side) = triangle[k].side.filter(|side| !side.straight) {
                    pieces.push(Piece::new(ground, side, ends));
                    owners.push(number);
                }
            }
        }
        if pieces.is_empty() {
            return Self::default();
        }
        let triangles: Vec<[DVec2; 3]> =
            triangles.iter().map(|triangle| triangle.map(|vertex| vertex.uv)).collect();
        let everywhere = [DVec2::NEG_INFINITY, DVec2::INFINITY];
        let boxes = triangles.iter().map(extent);
        let lenses = pieces.iter().map(|piece| piece.lens().map_or(everywhere, |lens| lens.extent()));
        let extent = boxes.chain(lenses).fold([DVec2::INFINITY, DVec2::NEG_INFINITY], joined);
        Self { triangles, pieces, owners, shifts: shifts(ground.surface), extent }
    }

    /// The whole periods by which a box of parameters is moved to triangles or pieces.
    fn shifts_near(&self, [low, high]: [DVec2; 2]) -> impl Iterator<Item = DVec2> {
        let [from, to] = self.extent;
        let is_near = move |by: &DVec2| (low + *by).cmple(to).all() && from.cmple(high + *by).all();
        self.shifts.iter().copied().filter(is_near)
    }

    /// Returns `true` if no side is curved: the triangles are the face.
    pub(crate) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Triangles of the face whose part, or the lenses of whose own sides, lenses of others may reach into.
    pub(crate) fn crossings(&self, regions: &[Region]) -> Crossings {
        let mut found = Crossings::default();
        let mut own: Vec<Vec<usize>> = vec![Vec::new(); regions.len()];
        self.owners.iter().enumerate().for_each(|(piece, &owner)| own[owner].push(piece));
        for (number, region) in regions.iter().enumerate() {
            for &shift in &self.shifts {
                let region = region.shifted(shift);
                let lenses =
                    || own[number].iter().filter_map(|&k| self.pieces[k].lens()).map(|l| l.shifted(shift));
                let [low, high] = lenses().map(|lens| lens.extent()).fold(region.extent(), joined);
                for (piece, &owner) in self.pieces.iter().zip(&self.owners) {
                    let is_own = owner == number && shift == DVec2::ZERO;
                    if is_own || !piece.is_near(&region, [low, high]) {
                        continue;
                    }
                    let misses = |lens: Lens| lenses().all(|other| lens.misses_lens(&other));
                    if piece.reaches(&region) || !piece.lens().is_some_and(misses) {
                        found.triangles.insert(number);
                        found.edges.insert(piece.side.edge);
                    }
                }
            }
        }
        found
    }

    /// A point of the face at given parameters, or on its boundary near them and toward a target, and a bound on its
    /// error. `None` if neither is proven.
    pub(crate) fn land(&self, ground: &Ground<'_>, uv: DVec2, target: DVec3) -> Option<(DVec3, f64)> {
        let point = ground.surface.point(uv);
        let mut best: Option<Place> = None;
        let region = Region { triangle: [uv; 3], center: point, radius: 0.0 };
        let (is_inside, is_open) = self.scan(ground, &region, &[], |piece, at, _| {
            let share = piece.share_near(at);
            let distance = piece.point(ground, share).distance(target);
            if best.is_none_or(|known| distance < known.distance) {
                best = Some(Place { distance, piece: *piece, share });
            }
        });
        if is_inside && !is_open {
            return Some((point, 0.0));
        }
        best.map(|place| (nearest(ground, &place, target), ground.gap + 8.0 * ground.rounding))
    }

    /// Relation of the part over a triangle of parameters to the face; `own` are its sides.
    pub(crate) fn membership(
        &self,
        ground: &Ground<'_>,
        own: &[Option<Side>; 3],
        region: &Region,
    ) -> Membership {
        let mut depth = 0.0f64;
        let (is_odd, is_open) = self.scan(ground, region, own, |piece, _, is_open| {
            if is_open {
                let is_entered = piece.enters(&region.triangle);
                depth = depth.max(if is_entered { 2.0 * region.radius } else { 2.0 * piece.bend });
            }
        });
        let [a, b, c] = region.triangle;
        let is_bent = own.iter().flatten().any(|side| !side.straight);
        match is_bent {
            _ if is_open => Membership::Crossed(depth.max(f64::MIN_POSITIVE)),
            // The middle may be cut off by an own side; the face is on the left of that.
            true if orientation(a, b, c) > 0.0 => Membership::Inside,
            true => Membership::Crossed(2.0 * region.radius),
            false if is_odd => Membership::Inside,
            false => Membership::Outside,
        }
    }

    /// Calls `near` for pieces that may reach into a region, with the region moved to them, and `true` if they are not
    /// halved any more. Returns `true` if the middle of the region is inside, up to pieces of its sides `own`, and `true`
    /// if a piece was left.
    fn scan(
        &self,
        ground: &Ground<'_>,
        region: &Region,
        own: &[Option<Side>],
        mut near: impl FnMut(&Piece, &Region, bool),
    ) -> (bool, bool) {
        let (mut is_odd, mut is_left) = (false, false);
        let mut open: Vec<Piece> = Vec::new();
        let mut left = ground.most_halvings();
        for shift in self.shifts_near(region.extent()) {
            let at = region.shifted(shift);
            let (middle, extent) = (at.middle(), at.extent());
            for [a, b, c] in &self.triangles {
                is_odd ^= crosses([*a, *b], middle) ^ crosses([*b, *c], middle) ^ crosses([*c, *a], middle);
            }
            for piece in self.pieces.iter().filter(|piece| piece.is_near(&at, extent)) {
                // Chords of halves take the place of the chord.
                is_odd ^= crosses(piece.uv, middle);
                open.push(*piece);
                while let Some(piece) = open.pop() {
                    let is_own = || own.iter().flatten().any(|side| piece.is_part_of(side));
                    if !piece.reaches(&at) || is_own() {
                        is_odd ^= crosses(piece.uv, middle);
                        continue;
                    }
                    let is_last = left == 0 || piece.is_fine || piece.length <= 0.5 * region.radius;
                    near(&piece, &at, is_last);
                    if is_last {
                        is_left = true;
                        is_odd ^= crosses(piece.uv, middle);
                    } else {
                        left -= 1;
                        open.extend(piece.halves(ground));
                    }
                }
            }
        }
        (is_odd, is_left)
    }
}

impl Region {
    fn middle(&self) -> DVec2 {
        let [a, b, c] = self.triangle;
        if a == b && b == c { a } else { (a + b + c) / 3.0 }
    }

    fn extent(&self) -> [DVec2; 2] {
        extent(&self.triangle)
    }

    fn shifted(&self, by: DVec2) -> Self {
        Self { triangle: self.triangle.map(|vertex| vertex + by), ..*self }
    }
}

impl Piece {
    fn new(ground: &Ground<'_>, side: Side, uv: [DVec2; 2]) -> Self {
        let [a, b] = uv;
        let surface = ground.surface;
        let slopes = surface.slopes(a.min(b), a.max(b));
        let as_length = |w: DVec2| slopes.u * w.x + slopes.v * w.y;
        let found = bulge(surface, ground.edges, side, uv);
        let length = found.length + as_length((b - a).abs());
        let slack = ground.gap + 8.0 * ground.rounding;
        match found.lens(surface, uv, slack).filter(|lens| as_length(lens.half) <= length + slack) {
            Some(lens) => {
                let bend = as_length(lens.half);
                let is_fine = bend <= 4.0 * as_length(DVec2::splat(slack) * found.per_length);
                Self { uv, side, reach: Reach::Lens(lens), length, bend, is_fine }
            }
            None => {
                let reach = Reach::Around(surface.point(a), length + slack);
                Self { uv, side, reach, length, bend: length, is_fine: length <= 2.0 * slack }
            }
        }
    }

    fn lens(&self) -> Option<Lens> {
        match self.reach {
            Reach::Lens(lens) => Some(lens),
            Reach::Around(..) => None,
        }
    }

    /// A quick test for pieces that may reach into a region or a box of parameters around it.
    fn is_near(&self, region: &Region, [low, high]: [DVec2; 2]) -> bool {
        match self.reach {
            Reach::Lens(lens) => {
                let [from, to] = lens.extent();
                from.cmple(high).all() && low.cmple(to).all()
            }
            Reach::Around(center, radius) => center.distance(region.center) <= radius + region.radius,
        }
    }

    /// Returns `false` if the piece certainly does not enter a region.
    fn reaches(&self, region: &Region) -> bool {
        match self.reach {
            Reach::Lens(lens) => self.is_near(region, region.extent()) && !lens.misses(&region.triangle),
            Reach::Around(..) => self.is_near(region, region.extent()),
        }
    }

    /// The share of the chord nearest to the middle of a region.
    fn share_near(&self, region: &Region) -> f64 {
        let Reach::Lens(lens) = self.reach else { return 0.5 };
        let (along, from) =
            ((self.uv[1] - self.uv[0]) / lens.half, (region.middle() - self.uv[0]) / lens.half);
        (from.dot(along) / along.length_squared()).clamp(0.0, 1.0)
    }

    /// Returns `true` if the chord passes through the inside of a triangle.
    fn enters(&self, triangle: &[DVec2; 3]) -> bool {
        let [a, b, c] = *triangle;
        let area = (b - a).perp_dot(c - a);
        let weights = |p: DVec2| {
            [(c - b).perp_dot(p - b), (a - c).perp_dot(p - c), (b - a).perp_dot(p - a)].map(|w| w / area)
        };
        let (from, to) = (weights(self.uv[0]), weights(self.uv[1]));
        let least = |s: f64| (0..3).map(|k| from[k] + (to[k] - from[k]) * s).fold(f64::INFINITY, f64::min);
        let meets = |i: usize, j: usize| {
            let slope = (to[i] - from[i]) - (to[j] - from[j]);
            (from[j] - from[i]) / slope
        };
        let shares = [0.0, 1.0, meets(0, 1), meets(1, 2), meets(2, 0)];
        // Weights are shares of the area: a chord along a side of the triangle has one of 0, up to rounding.
        let inside = |s: &f64| (0.0..=1.0).contains(s) && least(*s) > 1e-9;
        !area.is_normal() || shares.iter().any(inside)
    }

    fn is_part_of(&self, side: &Side) -> bool {
        let range = |s: &Side| [s.from.min(s.to), s.from.max(s.to)];
        let ([low, high], [from, to]) = (range(&self.side), range(side));
        self.side.edge == side.edge && from <= low && high <= to
    }

    fn halves(&self, ground: &Ground<'_>) -> [Self; 2] {
        let ([a, b], side) = (self.uv, self.side);
        let t = (side.from + side.to) * 0.5;
        let uv = ground.surface.near_parameters(ground.edges[side.edge].curve.point(t), (a + b) * 0.5);
        let first = Self::new(ground, Side { to: t, ..side }, [a, uv]);
        [first, Self::new(ground, Side { from: t, ..side }, [uv, b])]
    }

    fn point(&self, ground: &Ground<'_>, share: f64) -> DVec3 {
        let side = self.side;
        ground.edges[side.edge].curve.point(side.from + (side.to - side.from) * share)
    }
}

/// Returns `true` if a ray along the first parameter crosses a chord. The same for both directions of the chord, also if it
/// begins on it: sides that triangles share are counted twice or not at all.
fn crosses([a, b]: [DVec2; 2], from: DVec2) -> bool {
    let [low, high] = if a.y <= b.y { [a, b] } else { [b, a] };
    low.y <= from.y && from.y < high.y && orientation(low, high, from) > 0.0
}

fn extent(&[a, b, c]: &[DVec2; 3]) -> [DVec2; 2] {
    [a.min(b).min(c), a.max(b).max(c)]
}

fn joined([low, high]: [DVec2; 2], [from, to]: [DVec2; 2]) -> [DVec2; 2] {
    [low.min(from), high.max(to)]
}

/// A point of a piece about as near to a point as any: in closed form, or by golden-section search from the nearest place
/// known.
fn nearest(ground: &Ground<'_>, place: &Place, point: DVec3) -> DVec3 {
    let at = |share: f64| place.piece.point(ground, share.clamp(0.0, 1.0));
    let Side { edge, from, to, .. } = place.piece.side;
    if let curve @ (Curve::Line { .. } | Curve::Circle { .. }) = &ground.edges[edge].curve {
        let (middle, found) = (0.5 * (from + to), curve.parameter(point, None));
        let turns = curve.period().map_or(0.0, |period| ((middle - found) / period).round() * period);
        let found = at((found + turns - from) / (to - from));
        return if found.distance(point) < place.distance { found } else { at(place.share) };
    }
    let golden = 0.5 * (5f64.sqrt() - 1.0);
    let (mut low, mut high) = ((place.share - 0.5).max(0.0), (place.share + 0.5).min(1.0));
    for _ in 0..NEAREST_STEPS {
        let (left, right) = (high - golden * (high - low), low + golden * (high - low));
        if at(left).distance_squared(point) <= at(right).distance_squared(point) {
            high = right;
        } else {
            low = left;
        }
    }
    let found = at(0.5 * (low + high));
    if found.distance(point) < place.distance { found } else { at(place.share) }
}

/// Moves by whole periods that bring a point near the parameters of a face back into them.
fn shifts(surface: &Surface) -> Vec<DVec2> {
    let steps = |period: Option<f64>| period.map_or(vec![0.0], |p| vec![0.0, p, -p]);
    let [u, v] = surface.periods().map(steps);
    u.iter().flat_map(|&u| v.iter().map(move |&v| DVec2::new(u, v))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Triangles of a plate with two holes share the side between these; points of it were inside once.
    #[test]
    fn chords_are_crossed_alike_in_both_directions() {
        let ends = [DVec2::new(20.0, 28.0), DVec2::new(52.0, 20.0)];
        for k in 0..=64 {
            let on = ends[0].lerp(ends[1], f64::from(k) / 64.0);
            for from in [on, on - DVec2::X, on + DVec2::X] {
                assert_eq!(crosses(ends, from), crosses([ends[1], ends[0]], from), "{from}");
            }
        }
    }
}
