//! COLLADA (`.dae`): triangles and polygons, placed by the nodes of the scene. Every node with a mesh is an
//! object.
//!
//! Coordinates come out in metres. The declared upward axis is not applied but warned of: descriptions of
//! robots place such meshes as their viewers do, which leave it out. Controllers, materials and animations
//! are passed over.

use crate::assembly::{Assembly, Part};
use crate::display_name::UniqueNames;
use crate::error::{FileError, Place};
use crate::memory_limit::check_xml;
use crate::number::index;
use crate::raw::Raw;
use crate::text::{check_coordinate, excerpt};
use glam::{DAffine3, DMat3, DMat4, DQuat, DVec3};
use roxmltree::{Document, Node, ParsingOptions};
use std::collections::HashMap;

const MAX_NODES: u32 = 16_000_000;
/// Deeper than scenes are nested; a node that holds itself ends here.
const MAX_DEPTH: usize = 200;
/// Bytes in which the root element is searched: declarations and comments come first.
const BEGINNING: usize = 4096;

/// Returns `true` if the root of an XML text is COLLADA's.
pub(crate) fn looks_like(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let start = bytes.trim_ascii_start();
    let beginning = start.get(..BEGINNING).unwrap_or(start);
    beginning.starts_with(b"<") && beginning.windows(8).any(|word| word == b"<COLLADA")
}

pub(crate) fn parse(bytes: &[u8]) -> Result<Raw, FileError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let place = Place::Byte(error.valid_up_to());
        FileError::new(place, "the text is not UTF-8", "save it as UTF-8")
    })?;
    check_xml(bytes)?;
    let options = ParsingOptions { nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| {
        let place = Place::Line(error.pos().row as usize);
        FileError::new(place, format!("the XML is broken: {error}"), "export the file again")
    })?;
    let mut reader = Reader::new(&document, bytes.len());
    if document.root_element().tag_name().name() != "COLLADA" {
        return Err(reader.wrong(document.root_element(), "this is no COLLADA file", "give a .dae file"));
    }
    reader.read()?;
    Ok(reader.assembly.raw)
}

struct Reader<'a, 'b> {
    document: &'b Document<'a>,
    lines: Vec<usize>,
    by_id: HashMap<&'b str, Node<'b, 'a>>,
    parts: HashMap<roxmltree::NodeId, Part>,
    assembly: Assembly,
    names: UniqueNames,
}

fn children<'a, 'b>(node: Node<'b, 'a>, name: &'static str) -> impl Iterator<Item = Node<'b, 'a>> {
    node.children().filter(move |child| child.tag_name().name() == name)
}

fn child<'a, 'b>(node: Node<'b, 'a>, name: &'static str) -> Option<Node<'b, 'a>> {
    children(node, name).next()
}

impl<'a, 'b> Reader<'a, 'b> {
    fn new(document: &'b Document<'a>, size: usize) -> Self {
        let text = document.input_text();
        let after = text.bytes().zip(1..).filter(|(byte, _)| *byte == b'\n').map(|(_, next)| next);
        let lines = std::iter::once(0).chain(after).collect();
        let by_id = document.descendants().filter_map(|node| Some((node.attribute("id")?, node))).collect();
        let (assembly, names) = (Assembly::new(size), UniqueNames::default());
        Self { document, lines, by_id, parts: HashMap::new(), assembly, names }
    }

    fn place(&self, node: Node<'_, '_>) -> Place {
        Place::Line(self.lines.partition_point(|&start| start <= node.range().start))
    }

    fn wrong(&self, node: Node<'_, '_>, reason: impl Into<String>, remedy: &str) -> FileError {
        FileError::new(self.place(node), reason, remedy)
    }

    fn need(&self, node: Node<'b, 'a>, name: &str) -> Result<&'b str, FileError> {
        node.attribute(name).ok_or_else(|| {
            let reason = format!("`{}` has no `{name}`", node.tag_name().name());
            self.wrong(node, reason, "export the file again")
        })
    }

    /// Returns the node of `#id`.
    fn find(&self, node: Node<'b, 'a>, attribute: &str) -> Result<Node<'b, 'a>, FileError> {
        let name = self.need(node, attribute)?;
        let found = name.strip_prefix('#').and_then(|id| self.by_id.get(id));
        found.copied().ok_or_else(|| {
            let reason = format!("`{}` is nowhere in the file", excerpt(name.as_bytes()));
            self.wrong(node, reason, "export the file with all it names")
        })
    }

    fn numbers(&self, node: Node<'b, 'a>) -> Result<Vec<f64>, FileError> {
        let mut numbers = Vec::new();
        for word in node.text().unwrap_or_default().split_ascii_whitespace() {
            let number = word.parse().map_err(|_| {
                let reason = format!("`{}` is not a number", excerpt(word.as_bytes()));
                self.wrong(node, reason, "write decimal numbers")
            })?;
            numbers.push(check_coordinate(number, self.place(node))?);
        }
        Ok(numbers)
    }

    fn whole(&self, node: Node<'b, 'a>, text: &str) -> Result<usize, FileError> {
        text.parse().map_err(|_| {
            let reason = format!("`{}` is not a whole number", excerpt(text.as_bytes()));
            self.wrong(node, reason, "count from 0")
        })
    }

    fn wholes(&self, node: Node<'b, 'a>) -> Result<Vec<usize>, FileError> {
        let words = node.text().unwrap_or_default().split_ascii_whitespace();
        words.map(|word| self.whole(node, word)).collect()
    }

    fn read(&mut self) -> Result<(), FileError> {
        let root = self.document.root_element();
        let asset = child(root, "asset");
        let unit = asset.and_then(|asset| child(asset, "unit"));
        let meter = match unit.and_then(|unit| Some((unit, unit.attribute("meter")?))) {
            None => 1.0,
            Some((unit, text)) => {
                let meter: Option<f64> = text.parse().ok();
                let usable = meter.filter(|meter| meter.is_finite() && *meter > 0.0);
                usable.ok_or_else(|| self.wrong(unit, "`meter` is no positive number", "write 1 or 0.001"))?
            }
        };
        let up = asset.and_then(|asset| child(asset, "up_axis"));
        if let Some(axis) = up.filter(|up| up.text().is_some_and(|text| text.trim() != "Z_UP")) {
            let place = self.place(axis);
            self.assembly.raw.warn(place, "another axis than z is declared upward: left as it is");
        }
        let base = DAffine3::from_scale(DVec3::splat(meter));
        let scene = child(root, "scene").and_then(|scene| child(scene, "instance_visual_scene"));
        match scene {
            Some(instance) => {
                let scene = self.find(instance, "url")?;
                self.walk(scene, base)
            }
            None => {
                self.assembly.raw.warn(Place::Whole, "the file shows no scene: every mesh is taken as it is");
                let geometries: Vec<_> =
                    self.document.descendants().filter(|node| node.has_tag_name_local("geometry")).collect();
                geometries.into_iter().try_for_each(|geometry| self.add(geometry, geometry, &base))
            }
        }
    }

    fn walk(&mut self, scene: Node<'b, 'a>, base: DAffine3) -> Result<(), FileError> {
        let mut todo = vec![(scene, base, 0)];
        while let Some((node, outer, depth)) = todo.pop() {
            if depth > MAX_DEPTH {
                return Err(self.wrong(node, "nodes are nested too deep", "take nodes out of each other"));
            }
            self.assembly.spend(1, self.place(node))?;
            let pose = outer * self.placement(node)?;
            let (first, depth) = (todo.len(), depth.saturating_add(1));
            for inner in node.children().filter(Node::is_element) {
                match inner.tag_name().name() {
                    "node" => todo.push((inner, pose, depth)),
                    "instance_node" => todo.push((self.find(inner, "url")?, pose, depth)),
                    "instance_geometry" => {
                        let geometry = self.find(inner, "url")?;
                        self.add(geometry, node, &pose)?;
                    }
                    _ => {}
                }
            }
            todo.get_mut(first..).unwrap_or_default().reverse();
        }
        Ok(())
    }

    /// The transformations of a node, first one outermost.
    fn placement(&self, node: Node<'b, 'a>) -> Result<DAffine3, FileError> {
        let mut pose = DAffine3::IDENTITY;
        for step in node.children().filter(Node::is_element) {
            let wanted = match step.tag_name().name() {
                "matrix" => 16,
                "rotate" => 4,
                "translate" | "scale" => 3,
                "lookat" | "skew" => {
                    let reason = format!("`{}` is not read", step.tag_name().name());
                    return Err(self.wrong(step, reason, "export the transformations as matrices"));
                }
                _ => continue,
            };
            let n = self.numbers(step)?;
            if n.len() != wanted {
                let reason = format!("{} numbers instead of {wanted}", n.len());
                return Err(self.wrong(step, reason, "export the file again"));
            }
            let is_shift = step.tag_name().name() == "translate";
            pose *= match *n.as_slice() {
                [x, y, z] if is_shift => DAffine3::from_translation(DVec3::new(x, y, z)),
                [x, y, z] => DAffine3::from_mat3(DMat3::from_diagonal(DVec3::new(x, y, z))),
                [x, y, z, degrees] => {
                    let axis = DVec3::new(x, y, z).try_normalize().unwrap_or(DVec3::Z);
                    DAffine3::from_quat(DQuat::from_axis_angle(axis, degrees.to_radians()))
                }
                // Sixteen, by their number above.
                _ => {
                    let rows: [f64; 16] = n.try_into().unwrap_or_default();
                    DAffine3::from_mat4(DMat4::from_cols_array(&rows).transpose())
                }
            };
        }
        Ok(pose)
    }

    fn add(&mut self, geometry: Node<'b, 'a>, user: Node<'b, 'a>, pose: &DAffine3) -> Result<(), FileError> {
        let place = self.place(user);
        if !self.parts.contains_key(&geometry.id()) {
            let part = self.part(geometry)?;
            self.parts.insert(geometry.id(), part);
        }
        let name = user.attribute("name").or(user.attribute("id")).filter(|name| !name.is_empty());
        self.assembly.start(&self.names.unique(name.unwrap_or("node")), place)?;
        self.parts.get(&geometry.id()).map_or(Ok(()), |part| self.assembly.add(part, pose, place))
    }

    fn part(&mut self, geometry: Node<'b, 'a>) -> Result<Part, FileError> {
        let mut part = Part::default();
        let Some(mesh) = child(geometry, "mesh") else {
            let place = self.place(geometry);
            self.assembly.raw.warn(place, "this geometry is not a mesh and is skipped");
            return Ok(part);
        };
        // Primitives of one mesh mostly share their vertices.
        let mut first_of: HashMap<roxmltree::NodeId, u32> = HashMap::new();
        for primitive in mesh.children().filter(Node::is_element) {
            match primitive.tag_name().name() {
                "triangles" | "polylist" | "polygons" | "tristrips" | "trifans" => {}
                "lines" | "linestrips" => {
                    let place = self.place(primitive);
                    self.assembly.raw.warn(place, "lines have no surface and are left out");
                    continue;
                }
                _ => continue,
            }
            let (source, offset, stride) = self.inputs(primitive)?;
            let first = match first_of.get(&source.id()) {
                Some(&first) => first,
                None => {
                    let first = index(part.vertices.len());
                    part.vertices.extend(self.positions(source)?);
                    first_of.insert(source.id(), first);
                    first
                }
            };
            let count = index(part.vertices.len()).saturating_sub(first);
            self.faces(primitive, [offset, stride], [first, count], &mut part)?;
        }
        Ok(part)
    }

    /// The source of positions, which of the numbers of a vertex is the vertex, and how many numbers a vertex
    /// has.
    fn inputs(&self, primitive: Node<'b, 'a>) -> Result<(Node<'b, 'a>, usize, usize), FileError> {
        let (mut stride, mut vertex) = (1, None);
        for input in children(primitive, "input") {
            let offset = self.whole(input, input.attribute("offset").unwrap_or("0"))?;
            if offset > 1000 {
                return Err(self.wrong(input, "a vertex has too many numbers", "export the file again"));
            }
            stride = stride.max(offset.saturating_add(1));
            if self.need(input, "semantic")? == "VERTEX" {
                vertex = Some((self.find(input, "source")?, offset));
            }
        }
        let missing = || self.wrong(primitive, "there is no input of positions", "export the file again");
        let (vertices, offset) = vertex.ok_or_else(missing)?;
        let position =
            children(vertices, "input").find(|input| input.attribute("semantic") == Some("POSITION"));
        let source = self.find(position.ok_or_else(missing)?, "source")?;
        Ok((source, offset, stride))
    }

    fn positions(&self, source: Node<'b, 'a>) -> Result<Vec<DVec3>, FileError> {
        let broken = |what: &str| self.wrong(source, what, "export the file again");
        let array = child(source, "float_array").ok_or_else(|| broken("the source holds no numbers"))?;
        let numbers = self.numbers(array)?;
        let accessor = child(source, "technique_common").and_then(|technique| child(technique, "accessor"));
        let attribute = |name: &str, default: usize| {
            let text = accessor.and_then(|accessor| accessor.attribute(name));
            text.map_or(Ok(default), |text| self.whole(source, text))
        };
        let stride = attribute("stride", 3)?;
        let offset = attribute("offset", 0)?;
        if stride < 3 {
            return Err(broken("positions need three numbers each"));
        }
        let count = attribute("count", numbers.chunks_exact(stride).len())?;
        let needed = count.checked_mul(stride).and_then(|all| all.checked_add(offset));
        if needed.is_none_or(|needed| needed > numbers.len()) {
            return Err(broken("the source promises more positions than it holds"));
        }
        let vertices = numbers.get(offset..).unwrap_or_default().chunks_exact(stride).take(count);
        Ok(vertices.filter_map(|numbers| Some(DVec3::from(*numbers.first_chunk::<3>()?))).collect())
    }

    fn faces(
        &self,
        primitive: Node<'b, 'a>,
        [offset, stride]: [usize; 2],
        [first, count]: [u32; 2],
        part: &mut Part,
    ) -> Result<(), FileError> {
        let kind = primitive.tag_name().name();
        let sizes = match child(primitive, "vcount").filter(|_| kind == "polylist") {
            Some(sizes) => self.wholes(sizes)?,
            None => Vec::new(),
        };
        for list in primitive.children().filter(|node| matches!(node.tag_name().name(), "p" | "ph")) {
            let holder = if list.tag_name().name() == "ph" { child(list, "p") } else { Some(list) };
            let Some(list) = holder else { continue };
            let numbers = self.wholes(list)?;
            let mut vertices = Vec::with_capacity(numbers.chunks_exact(stride).len());
            for corner in numbers.chunks_exact(stride) {
                let vertex = corner.get(offset).copied().unwrap_or(usize::MAX);
                if vertex >= count as usize {
                    let reason = format!("vertex {vertex} does not exist: there are {count}");
                    return Err(self.wrong(list, reason, "export the file again"));
                }
                vertices.push(first.saturating_add(index(vertex)));
            }
            match kind {
                "triangles" => {
                    vertices.chunks_exact(3).for_each(|face| part.faces.push(face.iter().copied()))
                }
                "polygons" => part.faces.push(vertices),
                "trifans" => {
                    if let Some((&first, others)) = vertices.split_first() {
                        others.array_windows().for_each(|&[b, c]| part.faces.push([first, b, c]));
                    }
                }
                "tristrips" => vertices.array_windows().enumerate().for_each(|(k, &[a, b, c])| {
                    part.faces.push(if k % 2 == 0 { [a, b, c] } else { [b, a, c] });
                }),
                _ => {
                    let mut at = 0usize;
                    for &size in &sizes {
                        let Some(face) = vertices.get(at..at.saturating_add(size)) else {
                            let reason = "`vcount` promises more vertices than there are";
                            return Err(self.wrong(list, reason, "export the file again"));
                        };
                        part.faces.push(face.iter().copied());
                        at = at.saturating_add(size);
                    }
                }
            }
        }
        Ok(())
    }
}

trait LocalName {
    fn has_tag_name_local(&self, name: &str) -> bool;
}

impl LocalName for Node<'_, '_> {
    fn has_tag_name_local(&self, name: &str) -> bool {
        self.tag_name().name() == name
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use noli_geom::MeshOptions;

    /// A tetrahedron of millimetres, placed twice: moved, and mirrored.
    pub(super) const TEXT: &str = r##"<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit name="millimeter" meter="0.001"/><up_axis>Y_UP</up_axis></asset>
  <library_geometries>
    <geometry id="tetra"><mesh>
      <source id="places"><float_array id="numbers" count="12">0 0 0 1000 0 0 0 1000 0 0 0 1000</float_array>
        <technique_common><accessor source="#numbers" count="4" stride="3"/></technique_common></source>
      <vertices id="vertices"><input semantic="POSITION" source="#places"/></vertices>
      <triangles><input semantic="VERTEX" source="#vertices" offset="1"/><input semantic="NORMAL" offset="0"/>
        <p>0 0 0 2 0 1 0 0 0 1 0 3</p></triangles>
      <polylist><input semantic="VERTEX" source="#vertices"/><vcount>3 3</vcount><p>0 3 2 1 2 3</p></polylist>
      <lines count="1"><input semantic="VERTEX" source="#vertices" offset="0"/><p>0 1</p></lines>
    </mesh></geometry>
  </library_geometries>
<library_nodes><node id="inner"><scale>-1 1 1</scale><instance_geometry url="#tetra"/></node></library_nodes>
  <library_visual_scenes><visual_scene id="all">
<node name="moved"><translate>0 0 2000</translate><rotate>0 0 1 90</rotate>
<instance_geometry url="#tetra"/></node>
    <node><matrix>1 0 0 5000 0 1 0 0 0 0 1 0 0 0 0 1</matrix><instance_node url="#inner"/></node>
  </visual_scene></library_visual_scenes>
  <scene><instance_visual_scene url="#all"/></scene>
</COLLADA>"##;

    #[test]
    fn meshes_come_out_placed_and_in_metres() {
        let raw = parse(TEXT.as_bytes()).unwrap();
        assert_eq!(raw.warnings.len(), 2, "{:?}", raw.warnings);
        let mesh = raw.into_mesh(&MeshOptions { weld: false }).unwrap();
        assert_eq!((mesh.vertices().len(), mesh.triangle_count()), (8, 8));
        assert!(mesh.vertices()[1].abs_diff_eq(DVec3::new(0.0, 1.0, 2.0), 1e-12));
        assert!(mesh.vertices()[5].abs_diff_eq(DVec3::new(4.0, 0.0, 0.0), 1e-12));
        // Outward as before, mirrored or not.
        assert!((mesh.signed_volume() - 2.0 / 6.0).abs() < 1e-12);
    }

    #[test]
    fn errors_name_their_line() {
        for (change, with, line, reason) in [
            ("1000 0 0 0 1000", "1000 O 0 0 1000", 6, "`O` is not a number"),
            ("count=\"4\" stride", "count=\"5\" stride", 6, "promises more positions"),
            ("0 3 2 1 2 3", "0 3 2 1 2 9", 11, "vertex 9 does not exist"),
            ("<vcount>3 3", "<vcount>3 4", 11, "promises more vertices"),
            ("url=\"#inner\"", "url=\"#outer\"", 19, "`#outer` is nowhere"),
            ("<translate>0 0 2000", "<translate>0 2000", 17, "2 numbers instead of 3"),
            ("meter=\"0.001\"", "meter=\"-1\"", 3, "no positive number"),
            ("<scale>-1 1 1</scale>", "<skew>1</skew>", 15, "`skew` is not read"),
            (
                "<instance_geometry url=\"#tetra\"/></node></library_nodes>",
                "<instance_node url=\"#inner\"/></node></library_nodes>",
                15,
                "nested too deep",
            ),
        ] {
            let text = TEXT.replacen(change, with, 1);
            assert_ne!(text, TEXT);
            let error = parse(text.as_bytes()).unwrap_err();
            assert!(error.reason.contains(reason), "{error}");
            assert_eq!(error.place, Place::Line(line), "{error}");
        }
        assert!(parse(b"<a/>").is_err() && parse(b"\xff").is_err() && parse(b"").is_err());
    }

    #[test]
    fn mutants_never_panic() {
        let mut seed = 9u64;
        let mut below = |n: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % n.max(1)
        };
        let words = ["-1", "1e300", "99999999999", "<node>", "#tetra", "\"", "nan", "0"];
        let mut good = 0;
        for _ in 0..5000 {
            let mut bytes = TEXT.as_bytes().to_vec();
            for _ in 0..1 + below(3) {
                let at = below(bytes.len());
                let end = (at + below(10)).min(bytes.len());
                match below(3) {
                    0 => bytes[at] = below(256) as u8,
                    1 => drop(bytes.drain(at..end)),
                    _ => drop(bytes.splice(at..end, words[below(words.len())].bytes())),
                }
            }
            good += usize::from(parse(&bytes).is_ok());
        }
        assert!(good > 50 && good < 5000);
    }
}
