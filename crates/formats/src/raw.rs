//! Common output of all parsers: the vertices and faces of a file with the names of its objects.

use crate::display_name::{UniqueNames, printable};
use crate::error::{FileError, Place, Warning};
use crate::number::index;
use crate::objects::NamedMesh;
use glam::DVec3;
use noli_geom::{Mesh, MeshError, MeshOptions, Polygons};
use std::collections::HashMap;

#[derive(Debug, Default)]
pub(crate) struct Raw {
    pub(crate) vertices: Vec<DVec3>,
    pub(crate) faces: Polygons,
    pub(crate) objects: Names,
    pub(crate) warnings: Vec<Warning>,
    /// Uncertainty of the surfaces, in the unit of the file.
    pub(crate) uncertainty: f64,
    /// Curved surfaces of the objects, in their order.
    #[cfg(feature = "step")]
    pub(crate) curved: Vec<crate::objects::CurvedBody>,
}

impl Raw {
    pub(crate) fn warn(&mut self, place: Place, text: impl Into<String>) {
        self.warnings.push(Warning { place, text: text.into() });
    }

    /// Everything as one mesh.
    pub(crate) fn into_mesh(self, options: &MeshOptions) -> Result<Mesh, FileError> {
        Mesh::from_polygons(self.vertices, self.faces, options).map_err(unexpected)
    }

    /// One mesh for each name that has faces, with the vertices it uses (all, if there is one name);
    /// vertices and faces keep their numbers in the file as user numbers. Unnamed faces get `default_name`; objects
    /// of one name are numbered.
    #[allow(clippy::indexing_slicing, reason = "faces by their own numbers")]
    pub(crate) fn into_objects(
        self,
        default_name: &str,
        options: &MeshOptions,
        warnings: &mut Vec<Warning>,
    ) -> Result<Vec<NamedMesh>, FileError> {
        if let Some(name) = self.objects.only_name(default_name) {
            return Ok(vec![NamedMesh { name, mesh: self.into_mesh(options)? }]);
        }
        const UNSEEN: u32 = u32::MAX;
        let mut number_of = vec![UNSEEN; self.vertices.len()];
        let (mut meshes, mut names) = (Vec::new(), UniqueNames::default());
        let (named, empty): (Vec<_>, Vec<_>) = self
            .objects
            .faces_by_name(self.faces.len(), default_name)
            .into_iter()
            .partition(|(_, faces)| !faces.is_empty());
        warnings.extend(left_out(&empty));
        for (name, faces) in named {
            let mut used = Vec::new();
            let mut polygons = Polygons::with_capacity(faces.len(), faces.len().saturating_mul(3));
            for &face in &faces {
                polygons.push(self.faces[face as usize].iter().map(|&vertex| {
                    // A vertex that does not exist is refused with the mesh.
                    let Some(number) = number_of.get_mut(vertex as usize) else { return UNSEEN };
                    if *number == UNSEEN {
                        *number = index(used.len());
                        used.push(vertex);
                    }
                    *number
                }));
            }
            for &vertex in &used {
                number_of.get_mut(vertex as usize).into_iter().for_each(|number| *number = UNSEEN);
            }
            let vertices = used.iter().filter_map(|&v| self.vertices.get(v as usize).copied()).collect();
            let mesh = Mesh::from_polygons(vertices, polygons, options)
                .and_then(|mesh| mesh.renumbered(&used, &faces))
                .map_err(unexpected)?;
            let given = printable(&name);
            let name = names.unique(&given);
            if name != given {
                let text = format!("there are several objects called `{given}`: this one is `{name}`");
                warnings.push(Warning { place: Place::Whole, text });
            }
            meshes.push(NamedMesh { name, mesh });
        }
        Ok(meshes)
    }
}

/// Converts an error that concerns the file as a whole; parsers check numbers at their place.
pub(crate) fn unexpected(error: MeshError) -> FileError {
    let message = error.to_string();
    let (reason, remedy) = message.rsplit_once("; ").unwrap_or((&message, "split the file"));
    FileError::new(Place::Whole, reason, remedy)
}

/// Assignment of the faces of a file to objects.
#[derive(Debug, Default)]
pub(crate) struct Names {
    names: Vec<String>,
    numbers: HashMap<String, usize>,
    /// From which face on which name holds.
    runs: Vec<(usize, usize)>,
}

impl Names {
    /// Faces from this one on belong to the named object; a name may come back.
    pub(crate) fn start(&mut self, name: &[u8], face: usize) {
        self.begin(name, face, false);
    }

    /// Faces from this one on belong to an object of this name that is not an earlier one of the same name.
    pub(crate) fn start_new(&mut self, name: &[u8], face: usize) {
        self.begin(name, face, true);
    }

    fn begin(&mut self, name: &[u8], face: usize, is_new: bool) {
        if self.runs.is_empty() && face > 0 {
            self.start(b"", 0);
        }
        let name = String::from_utf8_lossy(name).into_owned();
        let next = self.names.len();
        let known = self.numbers.entry(name.clone()).or_insert(next);
        // An object without faces so far is the same one.
        let is_used = self.runs.last().is_some_and(|&(start, last)| last != *known || start < face);
        if is_new && is_used {
            *known = next;
        }
        let number = *known;
        if number == next {
            self.names.push(name);
        }
        self.runs.push((face, number));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The name of all faces, if they have but one.
    fn only_name(&self, default_name: &str) -> Option<String> {
        match self.names.as_slice() {
            [] => Some(default_name.to_owned()),
            [name] => Some(printable(&shown(name, default_name))),
            _ => None,
        }
    }

    /// All names, in order of appearance, with their faces.
    fn faces_by_name(&self, face_count: usize, default_name: &str) -> Vec<(String, Vec<u32>)> {
        let mut named: Vec<(String, Vec<u32>)> =
            self.names.iter().map(|name| (shown(name, default_name), Vec::new())).collect();
        let ends = self.runs.iter().skip(1).map(|next| next.0).chain([face_count]);
        for (&(start, name), end) in self.runs.iter().zip(ends) {
            named.get_mut(name).into_iter().for_each(|(_, faces)| faces.extend(index(start)..index(end)));
        }
        named
    }
}

/// Warns of objects without faces, which nothing could touch.
fn left_out(empty: &[(String, Vec<u32>)]) -> Option<Warning> {
    const MOST: usize = 5;
    let (first, _) = empty.first()?;
    let names: Vec<String> = empty.iter().take(MOST).map(|(name, _)| printable(name)).collect();
    let text = match empty.len() {
        1 => format!("the object `{}` holds no faces and is left out", printable(first)),
        count => format!(
            "{count} objects hold no faces and are left out: {}{}",
            names.join(", "),
            if count > MOST { ", ..." } else { "" }
        ),
    };
    Some(Warning { place: Place::Whole, text })
}

fn shown(name: &str, default_name: &str) -> String {
    if name.is_empty() { default_name } else { name }.to_owned()
}

/// Remembers the largest vertex number and where it stood: faces may come before their vertices, and
/// one place is enough to report.
#[derive(Debug, Default)]
pub(crate) struct LargestIndex {
    seen: Option<(u32, Place)>,
}

impl LargestIndex {
    pub(crate) fn see(&mut self, index: u32, place: Place) {
        if self.seen.is_none_or(|(largest, _)| index > largest) {
            self.seen = Some((index, place));
        }
    }

    /// Refuses numbers past the end; `first` is what the format calls the first vertex.
    pub(crate) fn check(&self, vertices: usize, first: u64) -> Result<(), FileError> {
        match self.seen {
            Some((index, place)) if index as usize >= vertices => {
                let named = u64::from(index).saturating_add(first);
                let reason = format!("a face names vertex {named}, but the file has {vertices} vertices");
                Err(FileError::new(place, reason, format!("correct the number (they start at {first})")))
            }
            _ => Ok(()),
        }
    }
}
