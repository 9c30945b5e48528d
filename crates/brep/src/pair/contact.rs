//! Bodies in contact: surfaces that part them, and points inside both.
//!
//! Let the faces of B near A lie where the distance functions `h_f` of some of its surfaces are not positive. If every
//! face of A near B has one of these functions not negative, no point of A's surface is inside B. This holds for a pin in
//! its hole, a flange on its seat and a sphere in its cup without any refinement. Where it does not hold for the whole
//! region of contact, the region is halved.

use super::Pair;
use super::fit::Fit;
use super::shared::PROBE;
use super::view::View;
use crate::body::Content;
use crate::locate::Location;
use crate::patch::Patch;
use crate::surface::Surface;
use glam::DVec3;
use noli_geom::Aabb;

/// Most pairs of faces that are compared in closed form for the whole region.
const MAX_FACE_PAIRS: usize = 40_000;
/// Most regions that are examined.
const MAX_CELLS: usize = 400;
/// Most splits of patches for one range.
const MAX_SPLITS: usize = 400;
/// Most points of surfaces whose depth is computed.
const MAX_SURFACE_PROBES: usize = 12;
/// Most points that are tested for lying inside both solids.
const MAX_PROBES: usize = 400;

/// The region in which two bodies may touch.
pub(super) struct Contact<'p, 'b> {
    pair: &'p Pair<'b>,
    region: Aabb,
    /// Numbers and boxes of the patches in the region, in order.
    near: [Vec<(u32, Aabb)>; 2],
}

impl<'p, 'b> Contact<'p, 'b> {
    pub(super) fn new(pair: &'p Pair<'b>, reach: f64) -> Self {
        let around = |view: &View<'_>| view.bounds().expanded(reach);
        let region = around(&pair.a).intersection(around(&pair.b));
        let near =
            [&pair.a, &pair.b].map(|view| if region.is_empty() { Vec::new() } else { within(view, &region) });
        Self { pair, region, near }
    }

    fn view(&self, side: usize) -> &'p View<'b> {
        if side == 0 { &self.pair.a } else { &self.pair.b }
    }

    /// The patches of a body in the region, with their boxes.
    fn patches(&self, side: usize) -> impl Iterator<Item = (&'p Patch, &Aabb)> {
        let patches = &self.view(side).body.patches;
        self.near[side].iter().map(move |(number, bounds)| (&patches[*number as usize], bounds))
    }

    /// The faces of a body that reach into a region.
    fn faces(&self, side: usize, region: &Aabb) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        for (patch, bounds) in self.patches(side) {
            if found.last() != Some(&(patch.face as usize)) && bounds.overlaps(region) {
                found.push(patch.face as usize);
            }
        }
        found.dedup();
        found
    }

    /// Distance that surfaces of one body keep between the faces of both in the whole region: negative if they keep none.
    pub(super) fn margin(&self) -> f64 {
        if self.region.is_empty() {
            return f64::INFINITY;
        }
        let faces = [self.faces(0, &self.region), self.faces(1, &self.region)];
        let most = faces[0].len().max(faces[1].len());
        if most * most > MAX_FACE_PAIRS {
            return f64::NEG_INFINITY;
        }
        self.parted(0, &faces, &self.region, f64::NEG_INFINITY).max(self.parted(
            1,
            &faces,
            &self.region,
            f64::NEG_INFINITY,
        ))
    }

    /// Returns `true` if the faces are parted in every cell of the region.
    pub(super) fn cells_part(&self, tolerance: f64) -> bool {
        let mut cells = vec![(self.region, 0)];
        let mut count = 0;
        while let Some((cell, depth)) = cells.pop() {
            count += 1;
            if count > MAX_CELLS || !self.pair.spend(1) {
                return false;
            }
            let faces = [self.faces(0, &cell), self.faces(1, &cell)];
            if faces.iter().any(Vec::is_empty) {
                continue;
            }
            let parted = (0..2).any(|side| self.parted(side, &faces, &cell, -tolerance) >= -tolerance);
            if parted {
                continue;
            }
            if depth > 24 {
                return false;
            }
            let axis = cell.longest_axis();
            let (mut low, mut high) = (cell, cell);
            let middle = cell.center()[axis];
            low.max[axis] = middle;
            high.min[axis] = middle;
            cells.extend([(low, depth + 1), (high, depth + 1)]);
        }
        true
    }

    /// The least distance by which surfaces of body `of` part its faces from those of the other body. Searching for more
    /// than `enough` is not needed.
    fn parted(&self, of: usize, faces: &[Vec<usize>; 2], region: &Aabb, enough: f64) -> f64 {
        let own = self.view(of);
        let refine = enough > f64::NEG_INFINITY;
        let mut margin = f64::INFINITY;
        let mut planes: Vec<(usize, f64)> = Vec::new();
        for &f in &faces[of] {
            let Some(sigma) = own.surface(f) else { continue };
            let sign = if own.body.faces[f].same_sense { 1.0 } else { -1.0 };
            let mut out = 0.0f64;
            for &g in faces[of].iter().filter(|&&g| g != f) {
                let least = self.least(
                    of,
                    g,
                    sigma,
                    -sign,
                    region,
                    if refine { -self.pair.tolerance } else { f64::NEG_INFINITY },
                );
                out = out.max(-least);
                if out > 1e-2 * own.body.size() {
                    break;
                }
            }
            if out <= 1e-2 * own.body.size() {
                planes.push((f, out));
            }
        }
        for &p in &faces[1 - of] {
            let mut best = f64::NEG_INFINITY;
            for &(f, out) in &planes {
                let Some(sigma) = own.surface(f) else { continue };
                let sign = if own.body.faces[f].same_sense { 1.0 } else { -1.0 };
                let wanted = if refine { enough + out } else { f64::NEG_INFINITY };
                best = best.max(self.least(1 - of, p, sigma, sign, region, wanted) - out);
                if refine && best >= enough {
                    break;
                }
            }
            margin = margin.min(best);
            if refine && margin < enough {
                break;
            }
        }
        margin
    }

    /// A lower bound of `sign · side` over the part of a face in a region. It is made better by refinement only up to
    /// `wanted`.
    fn least(&self, side: usize, face: usize, sigma: &Surface, sign: f64, region: &Aabb, wanted: f64) -> f64 {
        let view = self.view(side);
        let oriented = |[low, high]: [f64; 2]| if sign > 0.0 { low } else { -high };
        let closed = view.range(sigma, face).map(oriented).unwrap_or(f64::NEG_INFINITY);
        if closed >= wanted && closed > f64::NEG_INFINITY {
            return closed;
        }
        let patches = self.patches(side);
        let mut open: Vec<Patch> =
            patches.filter(|(p, b)| p.face as usize == face && b.overlaps(region)).map(|(p, _)| *p).collect();
        let mut least = f64::INFINITY;
        let mut splits = 0;
        while let Some(patch) = open.pop() {
            let is_spent = !self.pair.spend(1);
            let low = view.patch_range(sigma, &patch).map_or(f64::NEG_INFINITY, oriented);
            let hopeless = || {
                let value = |p: DVec3| sigma.side(view.point(p)).map_or(f64::NEG_INFINITY, |s| s * sign);
                patch.points.iter().any(|&p| value(p) < wanted && region.contains(view.point(p)))
            };
            if is_spent
                || low >= wanted
                || splits >= MAX_SPLITS
                || patch.deviation <= 8.0 * view.rounding + 2.0 * view.body.faces[face].gap
                || hopeless()
            {
                least = least.min(low);
                if least < wanted {
                    break;
                }
                continue;
            }
            splits += 1;
            let halves = patch.split(&view.body.faces[face], &view.body.edges);
            open.extend(halves.into_iter().filter(|half| view.patch_box(half).overlaps(region)));
        }
        least.max(closed)
    }

    /// A depth that some point has in both solids: points inward of the middles of patches, those of tight fits first.
    /// At most `most` points are tried.
    pub(super) fn common_depth(&self, fits: &[Fit], margin: f64, most: usize) -> f64 {
        let size = self.pair.a.body.size().max(self.pair.b.body.size());
        let fine = fits.iter().map(|fit| -0.5 * fit.least_clearance()).chain([-0.5 * margin]);
        let mut steps: Vec<f64> = fine.filter(|&step| step > 0.0 && step < size).take(4).collect();
        steps.extend([1e-2, 1e-4, 1e-6, 1e-8].map(|s| s * size));
        let mut probes = 0;
        for (side, patch) in self.candidates(&tight(fits), most / steps.len().max(1)) {
            let view = self.view(side);
            let face = &view.body.faces[patch.face as usize];
            let [point, su, sv] = face.surface.evaluate(patch.middle());
            let normal = su.cross(sv).normalize_or_zero() * if face.same_sense { 1.0 } else { -1.0 };
            for &step in &steps {
                let point = view.point(point - normal * step);
                if !self.may_hold(side, point) {
                    continue;
                }
                probes += 1;
                let depth = self.pair.depth(point);
                if depth > 0.0 || probes > MAX_PROBES {
                    return depth;
                }
            }
        }
        0.0
    }

    /// The greatest depth in the other solid that was found for points of the surfaces, those of tight fits first.
    pub(super) fn surface_depth(&self, fits: &[Fit]) -> f64 {
        let mut deepest = 0.0f64;
        for (side, patch) in self.candidates(&tight(fits), MAX_SURFACE_PROBES) {
            let (own, other) = (self.view(side), self.view(1 - side));
            let point = own.point(own.body.faces[patch.face as usize].surface.point(patch.middle()));
            if patch.is_whole() && self.may_hold(side, point) && self.pair.spend(PROBE) {
                let at = other.back(point);
                let found = other.body.surface_bracket(at, 2_000, |b| b.at_least >= 0.999_999 * b.at_most);
                deepest = deepest.max(found.at_least - own.rounding - other.rounding);
            }
        }
        deepest
    }

    /// Patches of both bodies in the region, evenly drawn; those of given faces first.
    fn candidates(&self, first: &[[usize; 2]], most: usize) -> Vec<(usize, &'p Patch)> {
        let mut found: Vec<(bool, usize, &Patch)> = Vec::new();
        for side in 0..2 {
            for (patch, bounds) in self.patches(side) {
                if bounds.overlaps(&self.region) {
                    let is_first = first.iter().any(|faces| faces[side] == patch.face as usize);
                    found.push((!is_first, side, patch));
                }
            }
        }
        found.sort_by_key(|&(later, ..)| later);
        let chosen = found.iter().filter(|(later, ..)| !later).count();
        let thinned = |count: usize| count.div_ceil(most.max(1)).max(1);
        let (first, rest) = found.split_at(chosen);
        let drawn = first.iter().step_by(thinned(chosen)).chain(rest.iter().step_by(thinned(rest.len())));
        let drawn: Vec<(bool, usize, &Patch)> = drawn.copied().collect();
        drawn.into_iter().map(|(_, side, patch)| (side, patch)).collect()
    }

    /// The point lies inside the other body, which most do not.
    fn may_hold(&self, side: usize, point: DVec3) -> bool {
        self.region.contains(point) && self.pair.spend(PROBE) && {
            let other = self.view(1 - side);
            other.body.locate(other.back(point)) == Location::Inside
        }
    }
}

/// The faces of fits whose surfaces intersect.
fn tight(fits: &[Fit]) -> Vec<[usize; 2]> {
    fits.iter().filter(|fit| fit.least_clearance() < 0.0).map(|fit| [fit.face_a, fit.face_b]).collect()
}

/// Numbers and boxes of the patches of a body in a region of the common frame.
fn within(view: &View<'_>, region: &Aabb) -> Vec<(u32, Aabb)> {
    let (nodes, patches) = (&view.body.nodes, &view.body.patches);
    let mut found = Vec::new();
    let mut open: Vec<u32> = if nodes.is_empty() { Vec::new() } else { vec![0] };
    while let Some(number) = open.pop() {
        let node = &nodes[number as usize];
        let center = view.point(node.center);
        let nearest = center.clamp(region.min, region.max);
        if center.distance(nearest) > node.radius + view.rounding {
            continue;
        }
        match node.content {
            Content::Children(children) => open.extend(children),
            Content::Patch(patch) => {
                let bounds = view.patch_box(&patches[patch as usize]);
                if bounds.overlaps(region) {
                    found.push((patch, bounds));
                }
            }
        }
    }
    found.sort_unstable_by_key(|&(patch, _)| patch);
    found
}
