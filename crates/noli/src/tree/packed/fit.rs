//! Oriented boxes around faces: frames, extents, and what is stored of them.

use glam::{DMat3, DVec3};
use noli_geom::Triangle;

/// One box as stored.
pub(super) struct Fitted {
    pub(super) axes: [[f32; 3]; 3],
    pub(super) center: [f32; 3],
    pub(super) half: [f32; 3],
}

impl Fitted {
    /// Bound on the distance of any point of the box from the origin, rounded up generously.
    pub(super) fn bounding_radius(&self) -> f32 {
        let length = |v: [f32; 3]| v.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt();
        ((length(self.center) + length(self.half)) * (1.0 + 1e-6)) as f32
    }
}

/// Computes the box along `frame` around points, relative to `origin`, in units of `unit`.
///
/// Guarantee: for every vertex `p` and axis `k` as stored, `|axes_k · (p − center)| ≤ half_k`. Differences
/// from the origin have a relative error of one `f64` rounding. The last factor covers it a thousandfold
/// before the result is rounded up to `f32`.
pub(super) fn fit(vertices: impl Iterator<Item = DVec3>, frame: DMat3, origin: DVec3, unit: f64) -> Fitted {
    let axes: [[f32; 3]; 3] = [0, 1, 2].map(|k| frame.col(k).to_array().map(|x| x as f32));
    let exact = axes.map(|axis| DVec3::from_array(axis.map(f64::from)));
    let rows = DMat3::from_cols(exact[0], exact[1], exact[2]).transpose();
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    vertices.for_each(|vertex| {
        let along = (rows * (vertex - origin)).to_array();
        for k in 0..3 {
            // One instruction each, unlike `min` and `max`, which look out for NaN.
            low[k] = if along[k] < low[k] { along[k] } else { low[k] };
            high[k] = if along[k] > high[k] { along[k] } else { high[k] };
        }
    });
    let (low, high) = (DVec3::from_array(low) / unit, DVec3::from_array(high) / unit);
    let middle = (low + high) * 0.5;
    let center =
        (exact[0] * middle.x + exact[1] * middle.y + exact[2] * middle.z).to_array().map(|x| x as f32);
    let stored = rows * DVec3::from_array(center.map(f64::from));
    let half = (high - stored).max(stored - low);
    let slop = 1e-12 * (low.abs().max(high.abs()).max_element() + stored.abs().max_element());
    Fitted { axes, center, half: half.to_array().map(|h| round_up(h + slop)) }
}

/// `frame` turned about its last axis, along which the faces are thinnest, to the smallest rectangle of
/// a few tried. Only a choice of axes, so a sample of the vertices in `f32` is enough.
pub(super) fn turned(frame: DMat3, faces: &[Triangle], per_unit: f64) -> DMat3 {
    const TURNS: usize = 10;
    const SAMPLE: usize = 16;
    let step = faces.len().div_ceil(SAMPLE);
    let start = faces[0].vertices[0];
    let (mut xs, mut ys) = ([0.0f32; 3 * SAMPLE], [0.0f32; 3 * SAMPLE]);
    let mut count = 0;
    for vertex in faces.iter().step_by(step).flat_map(|f| f.vertices) {
        let offset = (vertex - start) * per_unit;
        (xs[count], ys[count]) = (offset.dot(frame.x_axis) as f32, offset.dot(frame.y_axis) as f32);
        count += 1;
    }
    let (xs, ys) = (&xs[..count], &ys[..count]);
    let area = |&(sin, cos): &(f32, f32)| {
        let (mut low, mut high) = ([f32::INFINITY; 2], [f32::NEG_INFINITY; 2]);
        for (x, y) in xs.iter().zip(ys) {
            for (k, along) in [x * cos + y * sin, y * cos - x * sin].into_iter().enumerate() {
                low[k] = low[k].min(along);
                high[k] = high[k].max(along);
            }
        }
        (high[0] - low[0]) * (high[1] - low[1])
    };
    let quarter = std::f32::consts::FRAC_PI_2 / TURNS as f32;
    let turns = (0..TURNS).map(|k| (k as f32 * quarter).sin_cos()).map(|turn| (area(&turn), turn));
    let best = turns.min_by(|x, y| x.0.total_cmp(&y.0)).map_or((0.0, 1.0), |(_, turn)| turn);
    let (sin, cos) = (f64::from(best.0), f64::from(best.1));
    let x = (frame.x_axis * cos + frame.y_axis * sin).normalize();
    DMat3::from_cols(x, frame.z_axis.cross(x), frame.z_axis)
}

/// The smallest `f32` that is not below `x`.
fn round_up(x: f64) -> f32 {
    let nearest = x as f32;
    if f64::from(nearest) < x { nearest.next_up() } else { nearest }
}

/// A frame for the few faces of a leaf: along their mean normal and their longest edge. Nothing where the
/// normals do not agree.
pub(super) fn along_faces(faces: &[Triangle]) -> Option<DMat3> {
    let (mut normal, mut area) = (DVec3::ZERO, 0.0);
    let (mut longest, mut length_sq) = (DVec3::ZERO, 0.0);
    for face in faces {
        let vector = face.doubled_area_vector();
        normal += vector;
        area += vector.length();
        for k in 0..3 {
            let edge = face.vertices[(k + 1) % 3] - face.vertices[k];
            if edge.length_squared() > length_sq {
                (longest, length_sq) = (edge, edge.length_squared());
            }
        }
    }
    let size = normal.length();
    // Not `<`: what is no number agrees with nothing.
    if !(size > 0.5 * area && size.is_normal() && size.recip().is_normal()) {
        return None;
    }
    let z = normal / size;
    let y = z.cross(longest).try_normalize()?;
    Some(DMat3::from_cols(y.cross(z), y, z))
}
