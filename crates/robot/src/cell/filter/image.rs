//! The filter as plain arrays, for kernels that classify configurations on other devices.

use super::spheres::SphereSet;
use super::{Joint, Piece, PiecePair, SphereFilter, Tables};
use crate::cell::LANES;
use crate::cell::cloud_image::{CloudImage, floats};

/// No joint, primitive or table.
const NONE: u32 = u32::MAX;

/// Arrays of the filter: words of 32 bits, `f32` as their bits. The layout of each is that of the struct named
/// behind it, in the kernels of `noli-gpu`.
#[derive(Clone, Debug, Default)]
#[doc(hidden)]
pub struct FilterImage {
    /// `FilterJoint`: parent, variable, slides, unused, the turn's rows, shift.
    pub joints: Vec<u32>,
    /// `FilterPiece`: centre of the bounding sphere and its radius with the error, centre of the core, joint,
    /// sets: outer, inner, first of the fine and first of the dense; first vertices of the hull in sixteens, how many, its
    /// radius, one unused.
    pub pieces: Vec<u32>,
    /// Vertices of hulls, sixteen side by side, of four numbers each.
    pub vertices: Vec<u32>,
    /// `SphereSet`: centre and radius of a sphere around all, count, three unused.
    pub sets: Vec<u32>,
    /// Of each set sixteen spheres: centre and radius.
    pub spheres: Vec<u32>,
    /// `FilterPair`: pieces, reach, its square, square below which cores collide, margin, primitive, the piece
    /// against it, reach and square to it, table, 1 if decided elsewhere or 2 and the number of a cloud, first and end of its
    /// pairs of bodies, two unused. Piece, reach and square are those to the cloud where there is one.
    pub pairs: Vec<u32>,
    /// `Primitive`: the turn's rows, centre, half size, cylinder or not, radius, error, two unused.
    pub primitives: Vec<u32>,
    /// `FilterTable`: for rows and columns variable, low and scale; first and end of `within`, place of the bits, three unused.
    pub tables: Vec<u32>,
    /// Variable, low and scale, one unused.
    pub within: Vec<u32>,
    /// Bits of all tables, 256 rows of eight words each.
    pub bits: Vec<u32>,
    /// Variable, and how far it may slide.
    pub slides: Vec<u32>,
    /// For each variable 1 if it turns.
    pub turns: Vec<u32>,
    /// Point clouds; the faces of bodies are added by the cell.
    pub clouds: CloudImage,
    /// Inverse of the length that is 1 here.
    pub inverse: f64,
    /// More than any moving piece may be off.
    pub error: f64,
}

impl FilterImage {
    /// `None` if the pairs of bodies of a pair of pieces are not in one run, or spheres have no smaller ones in their place.
    pub(in crate::cell) fn new(filter: &SphereFilter, tables: &Tables) -> Option<Self> {
        let mut image = Self { inverse: filter.inverse, error: filter.error, ..Self::default() };
        filter.joints.iter().for_each(|joint| image.joint(joint));
        filter.pieces.iter().for_each(|piece| image.piece(piece));
        let whole =
            |piece: &Piece| piece.fine.len() == piece.outer.count && piece.dense.len() == piece.outer.count;
        if !filter.of_pair.is_sorted() || !filter.pieces.iter().all(whole) {
            return None;
        }
        let mut clouds = vec![NONE; filter.pieces.len()];
        let found = filter
            .pieces
            .iter()
            .zip(&mut clouds)
            .filter_map(|(piece, own)| Some((piece.cloud.as_ref()?, own)));
        for (number, (cloud, own)) in found.enumerate() {
            *own = number as u32;
            cloud.write(&mut image.clouds);
        }
        for (number, pair) in filter.pairs.iter().enumerate() {
            let first = filter.of_pair.partition_point(|&of| (of as usize) < number);
            let end = filter.of_pair.partition_point(|&of| of as usize <= number);
            image.pair(pair, tables.number(number).unwrap_or(NONE), ([first as u32, end as u32], &clouds));
        }
        tables.write(&mut image.tables, &mut image.within, &mut image.bits);
        for &(variable, most) in &filter.slides {
            image.slides.extend([variable, most.to_bits()]);
        }
        image.turns = filter.turns.iter().map(|&turns| turns.into()).collect();
        Some(image)
    }

    fn joint(&mut self, joint: &Joint) {
        let Joint { parent, variable, slides, turn, shift } = joint;
        self.joints.extend([parent.unwrap_or(NONE), *variable, (*slides).into(), 0]);
        turn.iter().for_each(|row| floats(&mut self.joints, row));
        floats(&mut self.joints, shift);
    }

    fn piece(&mut self, piece: &Piece) {
        let own = |center: glam::DVec3| center.as_vec3().to_array();
        floats(&mut self.pieces, &own(piece.whole.center));
        floats(&mut self.pieces, &[piece.outside]);
        floats(&mut self.pieces, &own(piece.core.map_or(glam::DVec3::ZERO, |core| core.center)));
        self.pieces.push(piece.frame.unwrap_or(NONE));
        let (outer, inner) = (self.set(&piece.outer), self.set(&piece.inner));
        let first = |image: &mut Self, sets: &[SphereSet]| {
            let at = image.sets.len() as u32 / 8;
            sets.iter().for_each(|set| _ = image.set(set));
            at
        };
        let (fine, dense) = (first(self, &piece.fine), first(self, &piece.dense));
        self.pieces.extend([outer, inner, fine, dense]);
        let first = self.vertices.len() as u32 / (4 * LANES as u32);
        let (mut count, mut radius) = (0, 0.0f32);
        if let Some(hull) = &piece.hull {
            hull.vertices().for_each(|[x, y, z]| floats(&mut self.vertices, &[x, y, z, 0.0]));
            (count, radius) = (self.vertices.len() as u32 / (4 * LANES as u32) - first, hull.radius());
        }
        self.pieces.extend([first, count, radius.to_bits(), 0]);
    }

    /// The number of a set that is added.
    fn set(&mut self, set: &SphereSet) -> u32 {
        let number = self.sets.len() as u32 / 8;
        let (center, radius) = set.around();
        floats(&mut self.sets, &center);
        floats(&mut self.sets, &[radius]);
        self.sets.extend([set.count as u32, 0, 0, 0]);
        (0..LANES).for_each(|k| floats(&mut self.spheres, &set.sphere(k)));
        number
    }

    fn pair(&mut self, pair: &PiecePair, table: u32, ([first, end], clouds): ([u32; 2], &[u32])) {
        let mut primitive = [NONE, NONE, 0, 0];
        if let Some(other) = &pair.vs_primitive {
            let number = self.primitives.len() as u32 / 20;
            primitive = [number, other.piece, other.reach.to_bits(), other.separated.to_bits()];
            other.primitive.write(&mut self.primitives);
        }
        let mut elsewhere = u32::from(pair.open);
        if let Some(other) = pair.vs_cloud.as_ref().filter(|_| !pair.open) {
            elsewhere = 2 + clouds[other.cloud as usize];
            primitive = [NONE, other.piece, other.reach.to_bits(), other.separated.to_bits()];
        }
        self.pairs.extend(pair.pieces);
        floats(&mut self.pairs, &[pair.reach, pair.separated, pair.meet, pair.more]);
        self.pairs.extend(primitive);
        self.pairs.extend([table, elsewhere, first, end, 0, 0]);
    }
}
