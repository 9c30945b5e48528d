//! Pictures of bodies without a graphics GPU: triangles with a depth for every pixel, written as PNG.
//!
//! Plain and slow on purpose: the same triangles give the same bytes on every machine that computes in `f64`.

use super::archive::Camera;
use glam::DVec3;
use noli_geom::{Mesh, Pose};
use std::io::Write;

/// Pixels drawn for each one written, along each side.
const FINER: usize = 2;
/// The background, from the top to the bottom.
const SKY: [[f64; 3]; 2] = [[236.0, 240.0, 245.0], [205.0, 212.0, 222.0]];

/// A picture in the making.
pub(crate) struct Picture {
    size: [usize; 2],
    colours: Vec<[u8; 3]>,
    /// One over the distance in front of the camera; 0 where nothing is.
    nearness: Vec<f64>,
    view: View,
}

/// A camera as axes.
#[derive(Clone, Copy)]
struct View {
    eye: DVec3,
    axes: [DVec3; 3],
    /// Pixels for a slope of 1.
    scale: f64,
    middle: [f64; 2],
}

impl View {
    /// Right, up and forward from the eye.
    fn seen(&self, point: DVec3) -> DVec3 {
        let from_eye = point - self.eye;
        DVec3::from_array(self.axes.map(|axis| axis.dot(from_eye)))
    }

    /// Projects a point in front of the eye; the third value is its inverse depth.
    fn drawn(&self, seen: DVec3) -> [f64; 3] {
        let near = 1.0 / seen.z;
        [self.middle[0] + self.scale * seen.x * near, self.middle[1] - self.scale * seen.y * near, near]
    }
}

impl Picture {
    /// An empty picture of so many pixels.
    pub(crate) fn new(width: usize, height: usize, camera: &Camera) -> Self {
        let size = [width * FINER, height * FINER];
        let forward = DVec3::from_array(camera.direction).normalize_or_zero();
        let right = forward.cross(DVec3::from_array(camera.up)).normalize_or_zero();
        let [wide, high] = size.map(|side| side as f64);
        let scale = 0.5 * high / (0.5 * camera.field_of_view.to_radians()).tan();
        let view = View {
            eye: DVec3::from_array(camera.eye),
            axes: [right, right.cross(forward), forward],
            scale,
            middle: [0.5 * wide, 0.5 * high],
        };
        let row = |y: usize| {
            let part = y as f64 / high;
            let channel = |c: usize| (SKY[0][c] + (SKY[1][c] - SKY[0][c]) * part).round() as u8;
            [channel(0), channel(1), channel(2)]
        };
        let colours = (0..size[1]).flat_map(|y| std::iter::repeat_n(row(y), size[0])).collect();
        Self { size, colours, nearness: vec![0.0; size[0] * size[1]], view }
    }

    /// Draws a body, lit from the eye; one that is a veil lets every other pixel through. `scale` is the length of
    /// the body's unit in those of the camera.
    pub(crate) fn body(&mut self, mesh: &Mesh, pose: &Pose, scale: f64, colour: [u8; 3], is_veil: bool) {
        let place = |vertex: &DVec3| self.view.seen(pose.transform_point(*vertex) * scale);
        let seen: Vec<DVec3> = mesh.vertices().iter().map(place).collect();
        for triangle in mesh.triangles() {
            let vertices = triangle.map(|corner| seen[corner as usize]);
            let normal = (vertices[1] - vertices[0]).cross(vertices[2] - vertices[0]).normalize_or_zero();
            let middle = (vertices[0] + vertices[1] + vertices[2]) / 3.0;
            let facing = normal.dot(middle.normalize_or_zero()).abs();
            let light = 0.35 + 0.65 * facing;
            let lit = colour.map(|channel| (f64::from(channel) * light).round() as u8);
            self.triangle(vertices, lit, is_veil);
        }
    }

    /// A triangle as the eye sees it, cut where it comes too close.
    fn triangle(&mut self, vertices: [DVec3; 3], colour: [u8; 3], is_veil: bool) {
        let far = vertices.iter().map(|vertex| vertex.z).fold(0.0, f64::max);
        // Nearer than this, a part of the depth of the triangle itself, nothing is drawn.
        let near = far * 1e-6;
        let mut kept: Vec<DVec3> = Vec::with_capacity(4);
        for (number, &vertex) in vertices.iter().enumerate() {
            let next = vertices[(number + 1) % 3];
            if vertex.z > near {
                kept.push(vertex);
            }
            if (vertex.z > near) != (next.z > near) {
                let part = (near - vertex.z) / (next.z - vertex.z);
                let mut cut = vertex.lerp(next, part);
                cut.z = near;
                kept.push(cut);
            }
        }
        if near > 0.0 && kept.len() >= 3 {
            let drawn: Vec<[f64; 3]> = kept.into_iter().map(|vertex| self.view.drawn(vertex)).collect();
            for number in 2..drawn.len() {
                self.fill([drawn[0], drawn[number - 1], drawn[number]], colour, is_veil);
            }
        }
    }

    fn fill(&mut self, [a, b, c]: [[f64; 3]; 3], colour: [u8; 3], is_veil: bool) {
        let cross = |p: [f64; 3], q: [f64; 3], x: f64, y: f64| {
            (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0])
        };
        let area = cross(a, b, c[0], c[1]);
        if area == 0.0 || !area.is_finite() {
            return;
        }
        let range = |axis: usize| {
            let low = a[axis].min(b[axis]).min(c[axis]).floor().clamp(0.0, self.size[axis] as f64);
            let high = a[axis].max(b[axis]).max(c[axis]).ceil().clamp(0.0, self.size[axis] as f64);
            low as usize..high as usize
        };
        let (columns, rows) = (range(0), range(1));
        for y in rows {
            for x in columns.clone() {
                if is_veil && (x / FINER + y / FINER).is_multiple_of(2) {
                    continue;
                }
                let (px, py) = (x as f64 + 0.5, y as f64 + 0.5);
                let shares =
                    [cross(b, c, px, py) / area, cross(c, a, px, py) / area, cross(a, b, px, py) / area];
                if shares.iter().any(|&share| share < 0.0) {
                    continue;
                }
                let near = shares[0] * a[2] + shares[1] * b[2] + shares[2] * c[2];
                let pixel = y * self.size[0] + x;
                if near > self.nearness[pixel] {
                    (self.nearness[pixel], self.colours[pixel]) = (near, colour);
                }
            }
        }
    }

    /// A line over everything else, from and to points in the unit of the camera.
    pub(crate) fn line(&mut self, from: DVec3, to: DVec3, colour: [u8; 3]) {
        let [from, to] = [from, to].map(|point| self.view.seen(point));
        if from.z > 0.0 && to.z > 0.0 {
            let [from, to] = [from, to].map(|point| self.view.drawn(point));
            self.stroke([from[0], from[1]], [to[0], to[1]], colour);
        }
    }

    /// A ring around a point.
    pub(crate) fn ring(&mut self, at: DVec3, colour: [u8; 3]) {
        const SIDES: usize = 48;
        let seen = self.view.seen(at);
        if seen.z <= 0.0 {
            return;
        }
        let [x, y, _] = self.view.drawn(seen);
        let radius = 0.05 * self.size[1] as f64;
        let vertex = |side: usize| {
            let (sin, cos) = (std::f64::consts::TAU * side as f64 / SIDES as f64).sin_cos();
            [x + radius * cos, y + radius * sin]
        };
        (0..SIDES).for_each(|side| self.stroke(vertex(side), vertex(side + 1), colour));
    }

    fn stroke(&mut self, from: [f64; 2], to: [f64; 2], colour: [u8; 3]) {
        let reach = (to[0] - from[0]).abs().max((to[1] - from[1]).abs());
        // Most of an endless line is not in the picture.
        if !reach.is_finite() || reach > 1e5 {
            return;
        }
        let steps = reach.ceil().max(1.0) as usize;
        for step in 0..=steps {
            let part = step as f64 / steps as f64;
            let [x, y] = [0, 1].map(|axis| (from[axis] + (to[axis] - from[axis]) * part).floor());
            for (dx, dy) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)] {
                let (x, y) = (x + dx, y + dy);
                if x >= 0.0 && y >= 0.0 && x < self.size[0] as f64 && y < self.size[1] as f64 {
                    self.colours[y as usize * self.size[0] + x as usize] = colour;
                }
            }
        }
    }

    /// As PNG.
    pub(crate) fn png(&self) -> Vec<u8> {
        let [width, height] = self.size.map(|side| side / FINER);
        let mut rows = Vec::with_capacity(height * (1 + 3 * width));
        for y in 0..height {
            rows.push(0); // no filter
            for x in 0..width {
                for channel in 0..3 {
                    let part = |dx: usize, dy: usize| {
                        let pixel = (y * FINER + dy) * self.size[0] + x * FINER + dx;
                        u32::from(self.colours[pixel][channel])
                    };
                    let sum: u32 =
                        (0..FINER * FINER).map(|number| part(number % FINER, number / FINER)).sum();
                    rows.push((sum / (FINER * FINER) as u32) as u8);
                }
            }
        }
        let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::new(6));
        // Writing into memory does not fail.
        let packed = packed.write_all(&rows).and_then(|()| packed.finish()).unwrap_or_default();
        let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
        let mut header = Vec::new();
        header.extend((width as u32).to_be_bytes());
        header.extend((height as u32).to_be_bytes());
        header.extend([8, 2, 0, 0, 0]);
        for (name, bytes) in [(b"IHDR", &header[..]), (b"IDAT", &packed[..]), (b"IEND", &[][..])] {
            png.extend((bytes.len() as u32).to_be_bytes());
            let mut sum = flate2::Crc::new();
            sum.update(name);
            sum.update(bytes);
            png.extend(name);
            png.extend(bytes);
            png.extend(sum.sum().to_be_bytes());
        }
        png
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cube seen from the front fills the middle and leaves the vertices, and a nearer one hides it.
    #[test]
    fn what_is_nearer_hides_what_is_farther() {
        let camera = Camera {
            eye: [0.0, -10.0, 0.0],
            direction: [0.0, 1.0, 0.0],
            up: [0.0, 0.0, 1.0],
            field_of_view: 60.0,
            aspect: 1.0,
        };
        let cube = Mesh::cuboid(DVec3::ONE).unwrap();
        let at = |y: f64| Pose::from_translation(DVec3::Y * y);
        let pixel = |picture: &Picture, x: usize, y: usize| picture.colours[y * picture.size[0] + x];
        for order in [[0.0, 5.0], [5.0, 0.0]] {
            let mut picture = Picture::new(40, 40, &camera);
            for y in order {
                picture.body(&cube, &at(y), 1.0, if y == 0.0 { [200, 0, 0] } else { [0, 200, 0] }, false);
            }
            assert_eq!(pixel(&picture, 40, 40)[1], 0, "{order:?}");
            assert!(pixel(&picture, 0, 0)[2] > 200);
        }
        // Behind the eye, or around it: nothing is drawn twice over.
        let mut picture = Picture::new(8, 8, &camera);
        picture.body(&cube, &at(-30.0), 1.0, [1, 2, 3], false);
        assert!(picture.nearness.iter().all(|&near| near == 0.0));
        picture.body(&cube, &at(-10.0), 1.0, [1, 2, 3], false);
        assert!(picture.nearness.iter().all(|near| near.is_finite()));
        let png = picture.png();
        assert!(png.starts_with(b"\x89PNG") && png.ends_with(&[0xae, 0x42, 0x60, 0x82]));
    }
}
