//! The boundary of a face in its parameters: the points of its triangles that belong to it.
//!
//! Triangles end at chords of the sides of a face. The part between a side and its chord belongs to the face where the side
//! bends outward, and does not where it bends inward; it may reach into triangles of other sides. A piece of a side stays
//! within the distance of [`bulge`] from its chord. A point further than that from all chords is inside if a ray from it
//! crosses an odd number of them (even-odd rule, Shimrat 1962); where it is nearer, the piece is halved.

use crate::boundary::{Edge, LoopVertex, Side};
use crate::bulge::bulge;
use crate::surface::Surface;
use crate::triangulate::orientation;
use glam::{DVec2, DVec3};
use std::collections::BTreeMap;

/// Most halvings of a piece.
const MAX_DEPTH: usize = 40;
/// Steps of the search for the nearest point of a piece.
const NEAREST_STEPS: usize = 48;

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

/// How a patch lies with respect to its face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Membership {
    /// It is part of the face, up to its own curved sides.
    Inside,
    /// Sides of other patches reach into it, about as far as this.
    Crossed(f64),
    /// No point of it belongs to the face.
    Outside,
}

/// The boundary of a face with curved sides; empty for others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outline {
    pieces: Vec<Piece>,
    /// A box around the pieces.
    low: DVec2,
    high: DVec2,
    /// Whole periods of the surface by which a point may be moved.
    shifts: Vec<DVec2>,
}

/// A chord, and the piece of an edge between its ends.
#[derive(Clone, Copy, Debug)]
struct Piece {
    uv: [DVec2; 2],
    side: Option<Side>,
    reach: Reach,
    start: DVec3,
    /// Bound on the length of the piece and of its chord together.
    length: f64,
    /// Bound on its distance from its chord.
    bend: f64,
    /// Halves are no nearer to their chords than rounding and gaps allow.
    is_fine: bool,
}

/// Parameters that a piece cannot leave.
#[derive(Clone, Copy, Debug)]
enum Reach {
    /// No further from the chord than this.
    Strip(DVec2),
    /// Points no further than this from the start of the piece: near poles.
    Around(f64),
}

/// A box of parameters, and a sphere around the points over it.
#[derive(Clone, Copy)]
pub(crate) struct Region {
    pub(crate) middle: DVec2,
    pub(crate) half: DVec2,
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

impl Outline {
    pub(crate) fn new(ground: &Ground<'_>, triangles: &[[LoopVertex; 3]]) -> Self {
        let is_curved = |vertex: &LoopVertex| vertex.side.is_some_and(|side| !side.straight);
        if !triangles.iter().flatten().any(is_curved) {
            return Self::default();
        }
        // Sides that two triangles share are crossed twice.
        let mut inner: BTreeMap<[[u64; 2]; 2], (DVec2, DVec2)> = BTreeMap::new();
        let mut chords: Vec<(Option<Side>, [DVec2; 2])> = Vec::new();
        for triangle in triangles {
            for k in 0..3 {
                let (from, to) = (triangle[k], triangle[(k + 1) % 3].uv);
                if from.side.is_some() {
                    chords.push((from.side, [from.uv, to]));
                    continue;
                }
                let mut ends = [from.uv, to].map(|uv| [uv.x.to_bits(), uv.y.to_bits()]);
                ends.sort_unstable();
                if inner.remove(&ends).is_none() {
                    inner.insert(ends, (from.uv, to));
                }
            }
        }
        chords.extend(inner.into_values().map(|(from, to)| (None, [from, to])));
        let pieces: Vec<Piece> = chords.into_iter().map(|(side, uv)| Piece::new(ground, side, uv)).collect();
        let (low, high) = pieces.iter().fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(low, high), piece| {
            let [a, b] = piece.uv;
            let room = match piece.reach {
                Reach::Strip(room) => room,
                Reach::Around(_) => DVec2::INFINITY,
            };
            (low.min(a.min(b) - room), high.max(a.max(b) + room))
        });
        Self { pieces, low, high, shifts: shifts(ground.surface) }
    }

    /// Returns `true` if no side is curved: the triangles are the face.
    pub(crate) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// A point of the face at given parameters or on its boundary near them, and a bound on its error. `None` if neither
    /// is proven.
    pub(crate) fn land(&self, ground: &Ground<'_>, uv: DVec2) -> Option<(DVec3, f64)> {
        let point = ground.surface.point(uv);
        let (mut best, mut seam): (Option<Place>, Option<Piece>) = (None, None);
        let (is_inside, is_open) = self.scan(ground, &Region::at(uv, point), &[], |piece, share, _| {
            if piece.side.is_none() {
                seam = Some(piece);
                return;
            }
            let distance = piece.point(ground, share).distance(point);
            if best.is_none_or(|known| distance < known.distance) {
                best = Some(Place { distance, piece, share });
            }
        });
        if is_inside && !is_open {
            return Some((point, 0.0));
        }
        // Rounding decides on which side of a seam a point lies; a point off the seam is tested in its place.
        for uv in seam.into_iter().flat_map(|piece| piece.off_chord(uv)) {
            let point = ground.surface.point(uv);
            if self.scan(ground, &Region::at(uv, point), &[], |_, _, _| {}) == (true, false) {
                return Some((point, 8.0 * ground.rounding));
            }
        }
        best.map(|place| (nearest(ground, &place, point), ground.gap + 8.0 * ground.rounding))
    }

    /// Relation of the part over a triangle of parameters to the face; `own` are its sides.
    pub(crate) fn membership(
        &self,
        ground: &Ground<'_>,
        triangle: &[DVec2; 3],
        own: &[Option<Side>; 3],
        region: &Region,
    ) -> Membership {
        let (mut depth, mut is_touched) = (0.0f64, false);
        self.scan(ground, region, own, |piece, _, is_open| {
            if is_open {
                let reached = if piece.enters(triangle) { 2.0 * region.radius } else { 2.0 * piece.bend };
                (depth, is_touched) = (depth.max(reached), true);
            }
        });
        let is_bent = own.iter().flatten().any(|side| !side.straight);
        let middle = (triangle[0] + triangle[1] + triangle[2]) / 3.0;
        let center = ground.surface.point(middle);
        let has_middle = || {
            let at = Region::at(middle, center);
            let (is_inside, is_open) = self.scan(ground, &at, &[], |_, _, _| {});
            is_inside || is_open
        };
        match is_bent || has_middle() {
            true if depth == 0.0 => Membership::Inside,
            true => Membership::Crossed(depth),
            false if is_touched => Membership::Crossed(2.0 * region.radius),
            false => Membership::Outside,
        }
    }

    /// Calls `near` for pieces that may reach into a region, with the share of the chord that is nearest, and `true` if
    /// they are not halved any more. Returns the parity of the chords that a ray from the middle crosses, and `true` if a
    /// piece was left. Pieces of the sides `own` do not count.
    fn scan(
        &self,
        ground: &Ground<'_>,
        region: &Region,
        own: &[Option<Side>],
        mut near: impl FnMut(Piece, f64, bool),
    ) -> (bool, bool) {
        let (mut is_odd, mut is_left) = (false, false);
        let mut open: Vec<(Piece, usize)> = Vec::new();
        for &shift in &self.shifts {
            let at = Region { middle: region.middle + shift, ..*region };
            if (at.middle + at.half).cmplt(self.low).any() || (at.middle - at.half).cmpgt(self.high).any() {
                continue;
            }
            for piece in &self.pieces {
                if piece.share_near(&at).is_none() {
                    is_odd ^= piece.is_crossed(at.middle);
                    continue;
                }
                open.push((*piece, 0));
                while let Some((piece, depth)) = open.pop() {
                    let is_own = || own.iter().flatten().any(|side| piece.is_part_of(side));
                    let Some(share) = piece.share_near(&at).filter(|_| !is_own()) else {
                        is_odd ^= piece.is_crossed(at.middle);
                        continue;
                    };
                    let is_last = depth >= MAX_DEPTH || piece.is_last(region.radius);
                    near(piece, share, is_last);
                    if is_last {
                        is_left = true;
                        is_odd ^= piece.is_crossed(at.middle);
                    } else {
                        open.extend(piece.halves(ground).map(|half| (half, depth + 1)));
                    }
                }
            }
        }
        (is_odd, is_left)
    }
}

impl Region {
    fn at(middle: DVec2, center: DVec3) -> Self {
        Self { middle, half: DVec2::ZERO, center, radius: 0.0 }
    }
}

impl Piece {
    fn new(ground: &Ground<'_>, side: Option<Side>, uv: [DVec2; 2]) -> Self {
        let [a, b] = uv;
        let surface = ground.surface;
        // Parameters are known to a few roundings of the largest.
        let parameter = DVec2::splat((a.abs().max(b.abs())).max_element() * 2f64.powi(-48));
        let slopes = surface.slopes(a.min(b), a.max(b));
        let as_length = |w: DVec2| slopes.u * w.x + slopes.v * w.y;
        let (start, chord) = (surface.point(a), as_length((b - a).abs()));
        let Some(bent) = side.filter(|side| !side.straight) else {
            let reach = Reach::Strip(parameter);
            return Self { uv, side, reach, start, length: 2.0 * chord, bend: 0.0, is_fine: true };
        };
        let found = bulge(surface, ground.edges, bent, uv);
        let length = found.length + chord;
        let slack = ground.gap + 8.0 * ground.rounding;
        match found.from_chord.filter(|w| as_length(*w) <= length) {
            Some(from_chord) => {
                let room = DVec2::splat(slack) * found.per_length + parameter;
                let (bend, reach) = (as_length(from_chord), Reach::Strip(from_chord + room));
                Self { uv, side, reach, start, length, bend, is_fine: bend <= 2.0 * as_length(room) }
            }
            None => {
                let reach = Reach::Around(length + slack);
                Self { uv, side, reach, start, length, bend: length, is_fine: length <= 2.0 * slack }
            }
        }
    }

    /// Parameters on both sides of the chord, just off its strip.
    fn off_chord(&self, uv: DVec2) -> [DVec2; 2] {
        let room = match self.reach {
            Reach::Strip(room) => room.max_element(),
            Reach::Around(_) => 0.0,
        };
        let across = (self.uv[1] - self.uv[0]).perp().normalize_or_zero() * (4.0 * room);
        [uv + across, uv - across]
    }

    /// The share of the chord nearest to a region that the piece may reach into.
    fn share_near(&self, region: &Region) -> Option<f64> {
        let room = match self.reach {
            Reach::Strip(room) => room + region.half,
            Reach::Around(radius) => {
                return (self.start.distance(region.center) <= radius + region.radius).then_some(0.5);
            }
        };
        let (from, along) = (region.middle - self.uv[0], self.uv[1] - self.uv[0]);
        let (mut low, mut high) = (0.0f64, 1.0f64);
        for k in 0..2 {
            if along[k] == 0.0 {
                if from[k].abs() > room[k] {
                    return None;
                }
                continue;
            }
            let ends = [(from[k] - room[k]) / along[k], (from[k] + room[k]) / along[k]];
            low = low.max(ends[0].min(ends[1]));
            high = high.min(ends[0].max(ends[1]));
        }
        (low <= high).then_some(0.5 * (low + high))
    }

    /// Returns `true` if a ray along the first parameter crosses the chord.
    fn is_crossed(&self, from: DVec2) -> bool {
        let [a, b] = self.uv;
        (a.y > from.y) != (b.y > from.y) && (orientation(a, b, from) > 0.0) == (b.y > a.y)
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
        let inside = |s: &f64| (0.0..=1.0).contains(s) && least(*s) > 1e-9;
        !area.is_normal() || shares.iter().any(inside)
    }

    fn is_part_of(&self, side: &Side) -> bool {
        let range = |s: &Side| [s.from.min(s.to), s.from.max(s.to)];
        self.side.is_some_and(|own| {
            let ([low, high], [from, to]) = (range(&own), range(side));
            own.edge == side.edge && from <= low && high <= to
        })
    }

    /// Returns `true` if halves serve nothing for a region of a radius.
    fn is_last(&self, radius: f64) -> bool {
        self.is_fine || (matches!(self.reach, Reach::Strip(_)) && self.length <= 0.5 * radius)
    }

    fn halves(&self, ground: &Ground<'_>) -> [Self; 2] {
        let [a, b] = self.uv;
        let middle = (a + b) * 0.5;
        let Some(side) = self.side else {
            return [[a, middle], [middle, b]].map(|uv| Self::new(ground, None, uv));
        };
        let t = (side.from + side.to) * 0.5;
        let uv = ground.surface.near_parameters(ground.edges[side.edge].curve.point(t), middle);
        let first = Self::new(ground, Some(Side { to: t, ..side }), [a, uv]);
        [first, Self::new(ground, Some(Side { from: t, ..side }), [uv, b])]
    }

    /// A point of the piece; of a chord that is no edge, a point over it.
    fn point(&self, ground: &Ground<'_>, share: f64) -> DVec3 {
        match self.side {
            Some(side) => ground.edges[side.edge].curve.point(side.from + (side.to - side.from) * share),
            None => ground.surface.point(self.uv[0].lerp(self.uv[1], share)),
        }
    }
}

/// A point of a piece about as near to a point as any: golden-section search from the nearest place known.
fn nearest(ground: &Ground<'_>, place: &Place, point: DVec3) -> DVec3 {
    let at = |share: f64| place.piece.point(ground, share.clamp(0.0, 1.0));
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
