//! Tessellated solids and shells of AP242: every triangle is a plane face.

use super::geometry::{Reader, Refusal};
use super::part21::{Instance, Record, Value};
use crate::body::Brep;
use crate::polyhedron::Triangles;
use crate::surface::SurfaceKind;
use glam::DVec3;
use std::collections::HashMap;

/// Keywords of bodies that are given by triangles.
pub(super) const TESSELLATED: [&str; 2] = ["TESSELLATED_SOLID", "TESSELLATED_SHELL"];

impl Reader<'_> {
    /// Returns `true` if a tessellated body stands for an exact one of the same file.
    pub(super) fn repeats_exact(&self, instance: &Instance) -> bool {
        let record = TESSELLATED.iter().find_map(|keyword| instance.record(keyword));
        let link = record.and_then(|record| record.values.get(2)).and_then(Value::reference);
        link.and_then(|id| self.exchange.get(id)).is_some_and(|exact| {
            exact.records.iter().any(|r| r.keyword.ends_with("_BREP") || r.keyword.ends_with("_SHELL"))
        })
    }

    /// The body of a TESSELLATED_SOLID or a TESSELLATED_SHELL.
    pub(super) fn tessellated(&self, instance: &Instance, record: &Record) -> Result<Brep, Refusal> {
        let mut triangles = Triangles::default();
        // Numbers of the faces of the file that the triangles belong to.
        let mut groups: Vec<u32> = Vec::new();
        let mut lists: HashMap<u64, Vec<DVec3>> = HashMap::new();
        for (group, id) in (0..).zip(self.references(record, 1)?) {
            let (face, record) = self.record(id)?;
            let list = self.reference(record, 1)?;
            let points = match lists.entry(list) {
                std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
                std::collections::hash_map::Entry::Vacant(entry) => entry.insert(self.coordinates(list)?),
            };
            let wrong = |text: &str| Refusal::at(face, text);
            let indices =
                |value: &Value| -> Option<Vec<usize>> { value.list()?.iter().map(Value::whole).collect() };
            let own = record.values.get(5).and_then(indices).ok_or_else(|| wrong("it has no indices"))?;
            let point = |index: usize| {
                let place = if own.is_empty() { Some(&index) } else { own.get(index.wrapping_sub(1)) };
                place
                    .and_then(|&place| points.get(place.wrapping_sub(1)).copied())
                    .ok_or_else(|| wrong("an index has no point"))
            };
            let rows = |position: usize| -> Result<Vec<Vec<usize>>, Refusal> {
                let list = record.values.get(position).and_then(Value::list).unwrap_or_default();
                list.iter()
                    .map(|row| indices(row).ok_or_else(|| wrong("its triangles are no lists")))
                    .collect()
            };
            let name = self.name(record, 0);
            let found = match record.keyword.as_str() {
                "TRIANGULATED_FACE" => rows(6)?,
                "COMPLEX_TRIANGULATED_FACE" => strips_and_fans(&rows(6)?, &rows(7)?),
                _ => return Err(wrong("this tessellated face is not supported")),
            };
            for triangle in found {
                let &[a, b, c] = triangle.as_slice() else {
                    return Err(wrong("a triangle needs three indices"));
                };
                if triangles.add([point(a)?, point(b)?, point(c)?], &name) {
                    groups.push(group);
                }
            }
        }
        let is_solid = record.keyword == "TESSELLATED_SOLID";
        let made = triangles.into_body(&self.name(record, 0), is_solid);
        let mut body = made.map_err(|error| Refusal::at(instance, error.to_string()))?;
        for (face, group) in body.faces.iter_mut().zip(groups) {
            (face.kind, face.group) = (SurfaceKind::Triangles, group);
        }
        body.uncertainty = self.units.uncertainty;
        Ok(body)
    }

    /// The points of a COORDINATES_LIST.
    fn coordinates(&self, id: u64) -> Result<Vec<DVec3>, Refusal> {
        let (instance, record) = self.record(id)?;
        let rows = record.values.iter().rev().find_map(Value::list).unwrap_or_default();
        let point = |row: &Value| -> Option<DVec3> {
            let numbers: Vec<f64> = row.list()?.iter().map(Value::number).collect::<Option<_>>()?;
            let &[x, y, z] = numbers.as_slice() else { return None };
            let point = DVec3::new(x, y, z) * self.units.length;
            (point.abs().max_element() <= noli_geom::MAX_COORDINATE).then_some(point)
        };
        let points: Option<Vec<DVec3>> = rows.iter().map(point).collect();
        points.ok_or_else(|| Refusal::at(instance, "its coordinates are no triples within the limits"))
    }
}

/// The triangles of strips, every second one turned, and of fans about their first vertex.
fn strips_and_fans(strips: &[Vec<usize>], fans: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let turned = |(k, &[a, b, c]): (usize, &[usize; 3])| match k % 2 {
        0 => vec![a, b, c],
        _ => vec![b, a, c],
    };
    let of_strips = strips.iter().flat_map(|strip| strip.array_windows().enumerate().map(turned));
    let of_fans = fans
        .iter()
        .filter_map(|fan| fan.split_first())
        .flat_map(|(&hub, others)| others.array_windows().map(move |&[b, c]| vec![hub, b, c]));
    of_strips.chain(of_fans).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_alternate_and_fans_turn_about_a_vertex() {
        let found = strips_and_fans(&[vec![1, 2, 3, 4]], &[vec![5, 6, 7, 8], vec![]]);
        assert_eq!(found, [[1, 2, 3], [3, 2, 4], [5, 6, 7], [5, 7, 8]]);
    }
}
