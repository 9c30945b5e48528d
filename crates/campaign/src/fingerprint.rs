//! Fingerprints of models and plans: FNV-1a with 128 bits (Fowler, Noll and Vo). They detect mistakes but do
//! not protect against malice.

use noli::{Mesh, Shape};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Fingerprint(u128);

impl Default for Fingerprint {
    fn default() -> Self {
        Self(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }
}

impl Fingerprint {
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        for &byte in bytes {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
        self
    }

    /// Adds a text, delimited from the next.
    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.number(text.len() as u64).bytes(text.as_bytes())
    }

    pub(crate) fn number(&mut self, number: u64) -> &mut Self {
        self.bytes(&number.to_le_bytes())
    }

    pub(crate) fn float(&mut self, number: f64) -> &mut Self {
        self.number(number.to_bits())
    }

    pub(crate) fn pose(&mut self, pose: &noli::Pose) -> &mut Self {
        for number in pose.rotation.to_array().into_iter().chain(pose.translation.to_array()) {
            self.float(number);
        }
        self
    }

    pub(crate) fn mesh(&mut self, mesh: &Mesh) -> &mut Self {
        self.text(&format!("{:?}", mesh.kind())).number(mesh.vertices().len() as u64);
        for vertex in mesh.vertices() {
            for x in vertex.to_array() {
                self.float(x);
            }
        }
        for corner in mesh.triangles().as_flattened() {
            self.bytes(&corner.to_le_bytes());
        }
        self
    }

    pub(crate) fn shape(&mut self, shape: &Shape) -> &mut Self {
        match shape {
            Shape::Mesh(mesh) => self.text("mesh").mesh(mesh),
            Shape::Compound(parts) => {
                self.text("compound").number(parts.len() as u64);
                for (pose, part) in parts {
                    self.pose(pose).shape(part);
                }
                self
            }
            Shape::Field(field) => {
                let bounds = field.bounds();
                self.text("field").text(&format!("{:?} {bounds:?}", field.tape()))
            }
            // Numbers are written so that they read back the same.
            other => self.text(&format!("{other:?}")),
        }
    }

    pub(crate) fn hex(&self) -> String {
        format!("{:032x}", self.0)
    }
}
