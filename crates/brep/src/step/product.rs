//! Products and assemblies: which bodies there are, and where.

use super::Units;
use super::extent::{Extent, Known, MAX_DEPTH, Node};
use super::geometry::{Reader, Refusal};
use super::part21::{Exchange, Instance, Record, Value};
use super::transform::between;
use super::{Part, StepFile, Unread};
use crate::body::Brep;
use noli_geom::Pose;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

const BODIES: [&str; 6] = [
    "MANIFOLD_SOLID_BREP",
    "BREP_WITH_VOIDS",
    "FACETED_BREP",
    "SHELL_BASED_SURFACE_MODEL",
    "TESSELLATED_SOLID",
    "TESSELLATED_SHELL",
];

/// Bodies that are listed as not read.
pub(super) const UNSUPPORTED: [&str; 4] =
    ["CSG_SOLID", "SWEPT_AREA_SOLID", "EXTRUDED_AREA_SOLID", "REVOLVED_AREA_SOLID"];

/// A component: the child's product definition, its name, and its pose in the parent.
pub(super) struct Occurrence {
    pub(super) child: u64,
    /// Its own name, and after all are read the one among its siblings.
    name: String,
    pose: Pose,
}

/// How the entities of a file refer to each other.
pub(super) struct Structure<'e> {
    pub(super) exchange: &'e Exchange,
    /// Representations of product definitions.
    pub(super) shapes: BTreeMap<u64, Vec<u64>>,
    /// Representations that stand for each other without a transformation.
    pub(super) same: HashMap<u64, Vec<u64>>,
    pub(super) occurrences: BTreeMap<u64, Vec<Occurrence>>,
    children: HashSet<u64>,
    pub(super) bodies: HashMap<u64, Option<Arc<Brep>>>,
    /// Representations whose items are placed.
    pub(super) placed: HashSet<u64>,
    /// The parts placed so far, and the extents of the nodes.
    extent: Extent,
    known: Known,
    pub(super) file: StepFile,
    /// What is listed as not read.
    refused: HashSet<Unread>,
}

/// All placed bodies of a file.
pub(super) fn parts(exchange: &Exchange) -> StepFile {
    let mut structure = Structure {
        exchange,
        shapes: BTreeMap::new(),
        same: HashMap::new(),
        occurrences: BTreeMap::new(),
        children: HashSet::new(),
        bodies: HashMap::new(),
        placed: HashSet::new(),
        extent: Extent::default(),
        known: Known::new(),
        file: StepFile { schema: exchange.schema.clone(), ..StepFile::default() },
        refused: HashSet::new(),
    };
    structure.index();
    let all: BTreeSet<u64> = structure.shapes.keys().chain(structure.occurrences.keys()).copied().collect();
    let (children, roots): (Vec<u64>, Vec<u64>) =
        all.into_iter().partition(|definition| structure.children.contains(definition));
    for root in roots {
        if !structure.fits(Node::Definition(root), root) {
            return structure.file;
        }
        let name = structure.product_name(root);
        structure.place(root, Pose::IDENTITY, &[name], 0);
    }
    // Components that no root leads to are components of each other.
    for child in children {
        let is_reached = structure.known.contains_key(&Node::Definition(child));
        if !is_reached
            && structure.occurrences.contains_key(&child)
            && !structure.fits(Node::Definition(child), child)
        {
            return structure.file;
        }
    }
    structure.add_loose();
    structure.file
}

pub(super) fn is_body(instance: &Instance) -> bool {
    BODIES.iter().any(|keyword| instance.record(keyword).is_some())
}

impl<'e> Structure<'e> {
    pub(super) fn reader(&self, units: Units) -> Reader<'e> {
        Reader::new(self.exchange, units)
    }

    pub(super) fn refuse(&mut self, refusal: Refusal) {
        if self.refused.insert(refusal.unread.clone()) {
            self.file.unread.push(refusal.unread);
        }
    }

    pub(super) fn named(
        &self,
        keyword: &'static str,
    ) -> impl Iterator<Item = (u64, &'e Instance, &'e Record)> + use<'e> {
        let exchange = self.exchange;
        exchange.order.iter().filter_map(move |&id| {
            let instance = exchange.get(id)?;
            Some((id, instance, instance.record(keyword)?))
        })
    }

    fn index(&mut self) {
        let reader = self.reader(Units::default());
        for (_, _, record) in self.named("SHAPE_DEFINITION_REPRESENTATION") {
            if let (Some(definition), Some(shape)) = (self.definition(record, 0), reference(record, 1)) {
                self.shapes.entry(definition).or_default().push(shape);
            }
        }
        for (_, instance, record) in self.named("SHAPE_REPRESENTATION_RELATIONSHIP") {
            let relation = instance.record("REPRESENTATION_RELATIONSHIP").unwrap_or(record);
            if instance.record("REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION").is_none()
                && let (Some(a), Some(b)) = (reference(relation, 2), reference(relation, 3))
            {
                self.same.entry(a).or_default().push(b);
                self.same.entry(b).or_default().push(a);
            }
        }
        let mut poses: HashMap<u64, Result<Pose, Refusal>> = HashMap::new();
        for (_, _, record) in self.named("CONTEXT_DEPENDENT_SHAPE_REPRESENTATION") {
            let usage = reference(record, 1)
                .and_then(|shape| reader.record(shape).ok())
                .and_then(|(_, r)| reference(r, 2));
            if let (Some(usage), Some(relation)) = (usage, reference(record, 0)) {
                poses.insert(usage, self.relation_pose(relation, usage));
            }
        }
        let mut maps: HashMap<u64, bool> = HashMap::new();
        for (id, _, record) in self.named("NEXT_ASSEMBLY_USAGE_OCCURRENCE") {
            let (Some(parent), Some(child)) = (reference(record, 3), reference(record, 4)) else { continue };
            let pose = match poses.remove(&id) {
                Some(Ok(pose)) => pose,
                Some(Err(refusal)) => {
                    self.refuse(refusal);
                    continue;
                }
                // Placed by a mapped item of its parent, which is read there.
                None if *maps.entry(parent).or_insert_with(|| self.maps_items(parent)) => {
                    self.children.insert(child);
                    continue;
                }
                None => Pose::IDENTITY,
            };
            let name = reader.name(record, 1);
            self.children.insert(child);
            self.occurrences.entry(parent).or_default().push(Occurrence { child, name, pose });
        }
        let mut occurrences = std::mem::take(&mut self.occurrences);
        occurrences.values_mut().for_each(|siblings| self.name_siblings(siblings));
        self.occurrences = occurrences;
    }

    /// Names the components of an assembly by their products. Those of one product have their own names too, if these differ.
    fn name_siblings(&self, siblings: &mut [Occurrence]) {
        let products: Vec<Option<String>> =
            siblings.iter().map(|component| self.given_name(component.child)).collect();
        let mut first: HashMap<&str, &str> = HashMap::new();
        let mut differ: HashSet<&str> = HashSet::new();
        for (component, product) in siblings.iter().zip(&products) {
            let Some(product) = product.as_deref() else { continue };
            if *first.entry(product).or_insert(&component.name) != component.name {
                differ.insert(product);
            }
        }
        let name = |component: &Occurrence, product: &Option<String>| match product {
            None if component.name.is_empty() => format!("#{}", component.child),
            None => component.name.clone(),
            Some(product) if component.name.is_empty() || !differ.contains(product.as_str()) => {
                product.clone()
            }
            Some(product) if component.name.starts_with(product.as_str()) => component.name.clone(),
            Some(product) => format!("{product}:{}", component.name),
        };
        let names: Vec<String> =
            siblings.iter().zip(&products).map(|(component, product)| name(component, product)).collect();
        siblings.iter_mut().zip(names).for_each(|(component, name)| component.name = name);
    }

    /// Returns `true` if a representation of a product definition has mapped items.
    fn maps_items(&self, definition: u64) -> bool {
        let is_mapped = |id: &u64| self.exchange.get(*id).is_some_and(|i| i.record("MAPPED_ITEM").is_some());
        let shapes = self.shapes.get(&definition).into_iter().flatten();
        let mut records = shapes.filter_map(|&shape| self.representation(shape));
        records.any(|record| self.reader(Units::default()).items(record).iter().any(is_mapped))
    }

    /// The product definition that a PRODUCT_DEFINITION_SHAPE describes.
    pub(super) fn definition(&self, record: &Record, position: usize) -> Option<u64> {
        let (_, shape) = self.reader(Units::default()).record(reference(record, position)?).ok()?;
        let id = reference(shape, 2)?;
        let instance = self.exchange.get(id)?;
        let is_product = instance.records.iter().any(|r| r.keyword.starts_with("PRODUCT_DEFINITION"));
        is_product.then_some(id)
    }

    fn product_name(&self, definition: u64) -> String {
        self.given_name(definition).unwrap_or_else(|| format!("#{definition}"))
    }

    /// The name or the identifier of a product.
    fn given_name(&self, definition: u64) -> Option<String> {
        let reader = self.reader(Units::default());
        let step = |id: u64, position: usize| {
            let instance = self.exchange.get(id)?;
            instance.records.iter().find_map(|r| reference(r, position))
        };
        let product = step(definition, 2).and_then(|formation| step(formation, 2));
        let record = product.and_then(|id| reader.record(id).ok()).map(|(_, record)| record);
        let names = record.map(|r| [reader.name(r, 1), reader.name(r, 0)]).unwrap_or_default();
        names.into_iter().find(|name| !name.is_empty())
    }

    /// The units of a representation.
    pub(super) fn units(&self, representation: &Record) -> Result<Units, Refusal> {
        match reference(representation, 2) {
            Some(context) => self.reader(Units::default()).units(context),
            None => Ok(Units::default()),
        }
    }

    pub(super) fn representation(&self, id: u64) -> Option<&'e Record> {
        let instance = self.exchange.get(id)?;
        instance.records.iter().find(|r| matches!(r.values.get(1), Some(Value::List(_))))
    }

    /// The pose of a child from a relationship of its representation to that of its parent.
    fn relation_pose(&self, relation: u64, usage: u64) -> Result<Pose, Refusal> {
        let reader = self.reader(Units::default());
        let instance = reader.instance(relation)?;
        let wrong = || Refusal::at(instance, "a relationship without a transformation that can be read");
        let transformed =
            instance.record("REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION").ok_or_else(wrong)?;
        let base = instance.record("REPRESENTATION_RELATIONSHIP").ok_or_else(wrong)?;
        let (from, to) = (reader.reference(base, 2)?, reader.reference(base, 3)?);
        let operator = transformed.values.iter().find_map(Value::reference).ok_or_else(wrong)?;
        let (target, operator) = reader.record(operator)?;
        if operator.keyword != "ITEM_DEFINED_TRANSFORMATION" {
            return Err(Refusal::at(target, "this transformation is not supported"));
        }
        let (first, second) = (reader.reference(operator, 2)?, reader.reference(operator, 3)?);
        let units = |id: u64| self.representation(id).map_or(Ok(Units::default()), |r| self.units(r));
        let a = self.reader(units(from)?).frame(first)?;
        let b = self.reader(units(to)?).frame(second)?;
        // The first representation is the child's, unless it is the parent's.
        let child = reader.record(usage).ok().and_then(|(_, r)| reference(r, 4));
        let parent = reader.record(usage).ok().and_then(|(_, r)| reference(r, 3));
        let belongs = |definition: Option<u64>, id: u64| {
            let own = definition.and_then(|d| self.shapes.get(&d));
            own.is_some_and(|shapes| {
                shapes.iter().any(|&s| s == id || self.same.get(&s).is_some_and(|x| x.contains(&id)))
            })
        };
        let reversed = belongs(parent, from) && belongs(child, to) && !belongs(child, from);
        Ok(if reversed { between(&b, &a) } else { between(&a, &b) })
    }

    /// Adds the bodies of a product definition and of its components.
    fn place(&mut self, definition: u64, pose: Pose, path: &[String], depth: usize) {
        for shape in self.shapes.get(&definition).cloned().unwrap_or_default() {
            self.place_representation(shape, pose, path, depth);
        }
        let components: Vec<(u64, String, Pose)> = self
            .occurrences
            .get(&definition)
            .map(|all| all.iter().map(|o| (o.child, o.name.clone(), o.pose)).collect())
            .unwrap_or_default();
        for (child, name, own) in components {
            let mut path = path.to_vec();
            path.push(name);
            self.place(child, pose * own, &path, depth.saturating_add(1));
        }
    }

    /// Adds the bodies of a representation and of those that stand for it.
    fn place_representation(&mut self, id: u64, pose: Pose, path: &[String], depth: usize) {
        for id in self.alike(id) {
            self.placed.insert(id);
            let Some(record) = self.representation(id) else { continue };
            let units = match self.units(record) {
                Ok(units) => units,
                Err(refusal) => {
                    self.refuse(refusal);
                    continue;
                }
            };
            for item in self.reader(units).items(record) {
                self.place_item(item, units, pose, path, depth);
            }
        }
    }

    pub(super) fn place_item(&mut self, item: u64, units: Units, pose: Pose, path: &[String], depth: usize) {
        let Some(instance) = self.exchange.get(item) else { return };
        if is_body(instance) {
            if self.reader(units).repeats_exact(instance) {
                return;
            }
            if let Some(body) = self.body(item, units) {
                self.file.parts.push(Part { path: path.to_vec(), body, pose });
            }
        } else if let Some(mapped) = instance.record("MAPPED_ITEM") {
            match self.mapped(mapped, units) {
                Ok((representation, own)) if depth < MAX_DEPTH => {
                    self.place_representation(representation, pose * own, path, depth.saturating_add(1));
                }
                Ok(_) => self.refuse(Refusal::at(instance, "it is mapped from itself")),
                Err(refusal) => self.refuse(refusal),
            }
        } else if UNSUPPORTED.iter().any(|keyword| instance.record(keyword).is_some()) {
            self.refuse(Refusal::at(instance, "this kind of body is not supported"));
        }
    }

    /// The representation that is mapped, and where.
    fn mapped(&self, record: &Record, units: Units) -> Result<(u64, Pose), Refusal> {
        let reader = self.reader(units);
        let (representation, origin) = reader.map(record)?;
        let own = self.representation(representation).map_or(Ok(units), |r| self.units(r))?;
        let from = self.reader(own).frame(origin)?;
        let to = reader.target(reader.reference(record, 2)?)?;
        Ok((representation, between(&from, &to)))
    }

    fn body(&mut self, id: u64, units: Units) -> Option<Arc<Brep>> {
        if let Some(found) = self.bodies.get(&id) {
            return found.clone();
        }
        let body = match self.reader(units).body(id) {
            Ok(body) => Some(Arc::new(body)),
            Err(refusal) => {
                self.refuse(refusal);
                None
            }
        };
        self.bodies.insert(id, body.clone());
        body
    }

    /// Counts a node with what is placed so far; `false` if all is more than a file may hold, which is listed by an entity.
    pub(super) fn fits(&mut self, node: Node, entity: u64) -> bool {
        let mut known = std::mem::take(&mut self.known);
        let found = self.extent(node, &mut known, 0);
        self.known = known;
        let reason = match found {
            Ok(extent) => {
                self.extent = self.extent.with(extent);
                self.extent.refusal()
            }
            Err(endless) => Some(endless.reason()),
        };
        let Some(reason) = reason else { return true };
        if let Some(instance) = self.exchange.get(entity) {
            self.refuse(Refusal::at(instance, reason));
        }
        false
    }
}

pub(super) fn reference(record: &Record, position: usize) -> Option<u64> {
    record.values.get(position).and_then(Value::reference)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::part21::parse;
    use std::fmt::Write;

    /// A parent with many mapped items and components without a placement.
    fn mapped(count: usize) -> String {
        let mut text = "#1=PRODUCT_DEFINITION('','',$,$);#2=PRODUCT_DEFINITION_SHAPE('','',#1);".to_owned();
        let items: Vec<String> = (0..count).map(|k| format!("#{}", 100 + k)).collect();
        write!(text, "#3=SHAPE_REPRESENTATION('',({},#9),$);", items.join(",")).unwrap();
        text += "#4=SHAPE_DEFINITION_REPRESENTATION(#2,#3);#5=PRODUCT_DEFINITION('','',$,$);#9=MAPPED_ITEM('',$,$);";
        for k in 0..count {
            write!(text, "#{}=AXIS2_PLACEMENT_3D('',$,$,$);", 100 + k).unwrap();
            let id = 100 + count + k;
            write!(text, "#{id}=NEXT_ASSEMBLY_USAGE_OCCURRENCE('{k}','','',#1,#5,$);").unwrap();
        }
        text
    }

    /// Bodies of which none can be read, and each for the same reason.
    fn unsupported(count: usize) -> String {
        let mut text = String::new();
        for k in 0..count {
            writeln!(text, "#{}=MANIFOLD_SOLID_BREP('',.U.);", 100 + k).unwrap();
        }
        let items: Vec<String> = (0..count).map(|k| format!("#{}", 100 + k)).collect();
        text + &format!("#3=SHAPE_REPRESENTATION('',({}),$);", items.join(","))
    }

    #[test]
    fn work_doubles_with_the_file() {
        for data in [mapped, unsupported] {
            let lookups = |count: usize| {
                let text = format!("ISO-10303-21;HEADER;ENDSEC;DATA;{}ENDSEC;END-ISO-10303-21;", data(count));
                let exchange = parse(text.as_bytes(), usize::MAX).unwrap();
                parts(&exchange);
                exchange.lookups()
            };
            let [one, two, four] = [500, 1000, 2000].map(lookups);
            assert!(four - two <= 2 * (two - one) + 10, "{one} {two} {four}");
        }
    }
}
