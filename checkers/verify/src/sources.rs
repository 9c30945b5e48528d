//! Files that the numbers of a certificate came from (section 11).

use crate::error::{CheckError, Result, require};
use crate::numeral;
use crate::sha256::sha256;
use crate::shape::{Triangle, canonical, pack};
use std::path::PathBuf;

/// A file by its name and the hash of its bytes.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) hash: [u8; 32],
}

/// The file that a mesh came from, and the hash of its triangles.
#[derive(Debug)]
pub(crate) struct MeshSource {
    pub(crate) hash: [u8; 32],
    pub(crate) source: usize,
    pub(crate) scale: [f64; 3],
}

/// A folder of source files, or none.
#[derive(Debug, Default)]
pub(crate) struct Files(pub(crate) Option<PathBuf>);

/// The state of one source after the comparison with its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// There is no such file.
    Absent,
    /// The bytes are those of the certificate.
    SameBytes,
    /// The triangles of the shapes are those of the file.
    Bound,
    /// The format of the file is not read.
    NotRead,
}

impl Binding {
    /// Returns the words of the report.
    pub fn words(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::SameBytes => "same bytes",
            Self::Bound => "bound",
            Self::NotRead => "not bound: this format is not read",
        }
    }
}

impl Files {
    /// Returns the bytes of a source, or `None` if there is no such file.
    fn read(&self, source: &Source) -> Result<Option<Vec<u8>>> {
        let Some(path) = self.0.as_ref().map(|folder| folder.join(&source.name)) else { return Ok(None) };
        if !path.is_file() {
            return Ok(None);
        }
        let data = std::fs::read(&path)
            .map_err(|error| CheckError::new("E-MISSING", format!("{}: {error}", path.display())))?;
        let same = sha256(&data) == source.hash;
        require(same, "E-BINDING", format!("{} is another file than that of the certificate", source.name))?;
        Ok(Some(data))
    }

    /// Returns the canonical triangles of a mesh file, or `None` if it is absent or of another format.
    pub(crate) fn triangles(&self, source: &Source, scale: &[f64; 3]) -> Result<Option<Vec<u8>>> {
        self.read(source)?.map_or(Ok(None), |data| triangles(&source.name, &data, scale))
    }

    /// Compares the files that are there with the sources.
    pub(crate) fn bind<'m>(
        &self,
        sources: &[Source],
        meshes: impl Iterator<Item = &'m MeshSource>,
    ) -> Result<Vec<(String, Binding)>> {
        let mut states = Vec::new();
        for source in sources.iter().filter(|_| self.0.is_some()) {
            let state = if self.read(source)?.is_some() { Binding::SameBytes } else { Binding::Absent };
            states.push((source.name.clone(), state));
        }
        for mesh in meshes {
            let named = sources.get(mesh.source).zip(states.get_mut(mesh.source));
            let Some((source, (_, state))) = named.filter(|(_, (_, state))| *state != Binding::Absent) else {
                continue;
            };
            *state = match self.triangles(source, &mesh.scale)? {
                None => Binding::NotRead,
                Some(data) => {
                    let same = sha256(&data) == mesh.hash;
                    require(same, "E-BINDING", format!("the triangles of {} are others", source.name))?;
                    Binding::Bound
                }
            };
        }
        Ok(states)
    }
}

/// Returns the SHA-256 of the canonical triangles of a mesh file, or `None` if it is of another format or cannot be read.
#[must_use]
pub fn mesh_sha256(name: &str, data: &[u8]) -> Option<[u8; 32]> {
    triangles(name, data, &[1.0; 3]).ok()?.map(|triangles| sha256(&triangles))
}

/// Returns the canonical triangles of a mesh file by its name and content, or `None` if it is of another format.
pub(crate) fn triangles(name: &str, data: &[u8], scale: &[f64; 3]) -> Result<Option<Vec<u8>>> {
    let broken = || CheckError::new("E-BINDING", format!("{name} cannot be read as a mesh"));
    let lower = name.to_ascii_lowercase();
    let read = if lower.ends_with(".stl") {
        Some(read_stl(data).ok_or_else(broken)?)
    } else if lower.ends_with(".obj") {
        read_obj(data).ok_or_else(broken)?
    } else {
        None
    };
    let Some(mut triangles) = read else { return Ok(None) };
    let mirrors = scale.iter().filter(|factor| **factor < 0.0).count() % 2 == 1;
    for t in &mut triangles {
        t.iter_mut().zip(scale.iter().cycle()).for_each(|(x, factor)| *x *= factor);
        if mirrors {
            let [a, b, c, d, e, f, g, h, i] = *t;
            *t = [a, b, c, g, h, i, d, e, f];
        }
    }
    canonical(&mut triangles)?;
    Ok(Some(pack(&triangles)))
}

fn read_stl(data: &[u8]) -> Option<Vec<Triangle>> {
    if let Some((head, records)) = data.split_first_chunk::<84>() {
        let count = head.last_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes)) as usize;
        let (records, rest) = records.as_chunks::<50>();
        if records.len() == count && rest.is_empty() {
            return Some(records.iter().filter_map(binary_triangle).collect());
        }
    }
    let mut words = numeral::words(std::str::from_utf8(data).ok()?);
    let mut numbers = Vec::new();
    while let Some(word) = words.next() {
        if word == "vertex" {
            for _ in 0..3 {
                numbers.push(numeral::double(words.next()?)?);
            }
        }
    }
    let (triangles, rest) = numbers.as_chunks::<9>();
    rest.is_empty().then(|| triangles.to_vec())
}

/// The three vertices of a record: after the normal, before two bytes of attributes.
fn binary_triangle(record: &[u8; 50]) -> Option<Triangle> {
    let numbers = record.as_chunks().0.last_chunk::<9>()?;
    Some(numbers.map(|bytes| f64::from(f32::from_le_bytes(bytes))))
}

/// Reads an OBJ file; an inner `None` if a face is no triangle.
fn read_obj(data: &[u8]) -> Option<Option<Vec<Triangle>>> {
    let text = std::str::from_utf8(data).ok()?.replace("\\\n", " ");
    let (mut points, mut triangles): (Vec<[f64; 3]>, Vec<Triangle>) = (Vec::new(), Vec::new());
    for line in text.split('\n') {
        let mut words = numeral::words(line.split('#').next()?);
        match words.next() {
            Some("v") => {
                let mut next = || numeral::double(words.next()?);
                points.push([next()?, next()?, next()?]);
            }
            Some("f") => {
                let corners: Vec<&str> = words.collect();
                let [a, b, c] = corners[..] else { return Some(None) };
                let corner = |word: &str| {
                    let k = numeral::index(word.split('/').next()?)?;
                    let number = usize::try_from(k.unsigned_abs()).ok()?;
                    let index =
                        if k < 0 { points.len().checked_sub(number)? } else { number.checked_sub(1)? };
                    points.get(index).copied()
                };
                let [[a, b, c], [d, e, f], [g, h, i]] = [corner(a)?, corner(b)?, corner(c)?];
                triangles.push([a, b, c, d, e, f, g, h, i]);
            }
            _ => {}
        }
    }
    Some(Some(triangles))
}
