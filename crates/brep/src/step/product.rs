//! Products and assemblies: which bodies there are, and where.

use super::Units;
use super::geometry::{Reader, Refusal};
use super::part21::{Exchange, Instance, Record, Value};
use super::{Part, StepFile, Unread};
use crate::body::Brep;
use crate::frame::Frame;
use glam::{DMat3, DQuat};
use noli_geom::Pose;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// Deepest nesting of assemblies.
const MAX_DEPTH: usize = 64;
/// Most placed bodies of a file.
const MAX_PARTS: usize = 1_000_000;

const BODIES: [&str; 6] = [
    "MANIFOLD_SOLID_BREP",
    "BREP_WITH_VOIDS",
    "FACETED_BREP",
    "SHELL_BASED_SURFACE_MODEL",
    "TESSELLATED_SOLID",
    "TESSELLATED_SHELL",
];

/// Bodies that are listed as not read.
const UNSUPPORTED: [&str; 4] =
    ["CSG_SOLID", "SWEPT_AREA_SOLID", "EXTRUDED_AREA_SOLID", "REVOLVED_AREA_SOLID"];

/// A component: the child's product definition, its name, and its pose in the parent.
struct Occurrence {
    child: u64,
    name: String,
    pose: Pose,
}

/// How the entities of a file refer to each other.
struct Structure<'e> {
    exchange: &'e Exchange,
    /// Representations of product definitions.
    shapes: BTreeMap<u64, Vec<u64>>,
    /// Representations that stand for each other without a transformation.
    same: HashMap<u64, Vec<u64>>,
    occurrences: BTreeMap<u64, Vec<Occurrence>>,
    children: HashSet<u64>,
    bodies: HashMap<u64, Option<Arc<Brep>>>,
    file: StepFile,
    truncated: bool,
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
        file: StepFile { schema: exchange.schema.clone(), ..StepFile::default() },
        truncated: false,
    };
    structure.index();
    let roots: Vec<u64> = structure.shapes.keys().chain(structure.occurrences.keys()).copied().collect();
    let mut seen = HashSet::new();
    for root in roots {
        if !structure.children.contains(&root) && seen.insert(root) {
            let name = structure.product_name(root);
            structure.place(root, Pose::IDENTITY, &[name], 0);
        }
    }
    structure.add_loose();
    structure.file
}

fn is_body(instance: &Instance) -> bool {
    BODIES.iter().any(|keyword| instance.record(keyword).is_some())
}

impl<'e> Structure<'e> {
    fn reader(&self, units: Units) -> Reader<'e> {
        Reader::new(self.exchange, units)
    }

    fn refuse(&mut self, refusal: Refusal) {
        if !self.file.unread.contains(&refusal.unread) {
            self.file.unread.push(refusal.unread);
        }
    }

    fn named(
        &self,
        keyword: &'static str,
    ) -> impl Iterator<Item = (u64, &'e Instance, &'e Record)> + use<'e> {
        let exchange = self.exchange;
        exchange.order.iter().filter_map(move |&id| {
            let instance = exchange.instances.get(&id)?;
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
        for (id, _, record) in self.named("NEXT_ASSEMBLY_USAGE_OCCURRENCE") {
            let (Some(parent), Some(child)) = (reference(record, 3), reference(record, 4)) else { continue };
            let pose = match poses.remove(&id) {
                Some(Ok(pose)) => pose,
                Some(Err(refusal)) => {
                    self.refuse(refusal);
                    continue;
                }
                // Placed by a mapped item of its parent, which is read there.
                None if self.maps_items(parent) => {
                    self.children.insert(child);
                    continue;
                }
                None => Pose::IDENTITY,
            };
            let given = reader.name(record, 1);
            let name = if given.is_empty() { self.product_name(child) } else { given };
            self.children.insert(child);
            self.occurrences.entry(parent).or_default().push(Occurrence { child, name, pose });
        }
    }

    /// Returns `true` if a representation of a product definition has mapped items.
    fn maps_items(&self, definition: u64) -> bool {
        let is_mapped =
            |id: &u64| self.exchange.instances.get(id).is_some_and(|i| i.record("MAPPED_ITEM").is_some());
        let shapes = self.shapes.get(&definition).into_iter().flatten();
        let mut records = shapes.filter_map(|&shape| self.representation(shape));
        records.any(|record| self.reader(Units::default()).items(record).iter().any(is_mapped))
    }

    /// The product definition that a PRODUCT_DEFINITION_SHAPE describes.
    fn definition(&self, record: &Record, position: usize) -> Option<u64> {
        let (_, shape) = self.reader(Units::default()).record(reference(record, position)?).ok()?;
        let id = reference(shape, 2)?;
        let instance = self.exchange.instances.get(&id)?;
        let is_product = instance.records.iter().any(|r| r.keyword.starts_with("PRODUCT_DEFINITION"));
        is_product.then_some(id)
    }

    fn product_name(&self, definition: u64) -> String {
        let reader = self.reader(Units::default());
        let step = |id: u64, position: usize| {
            let instance = self.exchange.instances.get(&id)?;
            instance.records.iter().find_map(|r| reference(r, position))
        };
        let product = step(definition, 2).and_then(|formation| step(formation, 2));
        let record = product.and_then(|id| reader.record(id).ok()).map(|(_, record)| record);
        let names = record.map(|r| [reader.name(r, 1), reader.name(r, 0)]).unwrap_or_default();
        names.into_iter().find(|name| !name.is_empty()).unwrap_or_else(|| format!("#{definition}"))
    }

    /// The units of a representation.
    fn units(&self, representation: &Record) -> Result<Units, Refusal> {
        match reference(representation, 2) {
            Some(context) => self.reader(Units::default()).units(context),
            None => Ok(Units::default()),
        }
    }

    fn representation(&self, id: u64) -> Option<&'e Record> {
        let instance = self.exchange.instances.get(&id)?;
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
        if depth > MAX_DEPTH || self.file.parts.len() >= MAX_PARTS {
            if !self.truncated {
                self.truncated = true;
                let reason = format!(
                    "assemblies are nested more than {MAX_DEPTH} deep or hold more than {MAX_PARTS} bodies"
                );
                self.file.unread.push(Unread {
                    entity: "NEXT_ASSEMBLY_USAGE_OCCURRENCE".to_owned(),
                    line: 0,
                    reason,
                });
            }
            return;
        }
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
        let mut seen = HashSet::from([id]);
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            for &other in self.same.get(&id).into_iter().flatten() {
                if seen.insert(other) {
                    open.push(other);
                }
            }
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

    fn place_item(&mut self, item: u64, units: Units, pose: Pose, path: &[String], depth: usize) {
        let Some(instance) = self.exchange.instances.get(&item) else { return };
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
        let (_, map) = reader.record(reader.reference(record, 1)?)?;
        let (origin, representation) = (reader.reference(map, 0)?, reader.reference(map, 1)?);
        let own = self.representation(representation).map_or(Ok(units), |r| self.units(r))?;
        let from = self.reader(own).frame(origin)?;
        let to = reader.frame(reader.reference(record, 2)?)?;
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

    /// Adds bodies of representations that belong to no product.
    fn add_loose(&mut self) {
        let bodies: Vec<u64> = self
            .exchange
            .order
            .iter()
            .copied()
            .filter(|id| {
                let reader = self.reader(Units::default());
                let is_own = |instance: &Instance| is_body(instance) && !reader.repeats_exact(instance);
                self.exchange.instances.get(id).is_some_and(is_own) && !self.bodies.contains_key(id)
            })
            .collect();
        if bodies.is_empty() {
            return;
        }
        // Representations of features describe what was cut away, as those of holes do.
        let features: HashSet<u64> = self
            .named("SHAPE_DEFINITION_REPRESENTATION")
            .filter(|(_, _, record)| self.definition(record, 0).is_none())
            .filter_map(|(_, _, record)| reference(record, 1))
            .collect();
        let mut units = HashMap::new();
        for &id in self.exchange.order.iter().filter(|id| !features.contains(*id)) {
            let Some(record) = self.representation(id) else { continue };
            if let Ok(own) = self.units(record) {
                units.extend(self.reader(own).items(record).into_iter().map(|item| (item, own)));
            }
        }
        for id in bodies {
            // Bodies outside of any representation are construction geometry.
            if let Some(&units) = units.get(&id)
                && let Some(body) = self.body(id, units)
            {
                let name = if body.name().is_empty() { format!("#{id}") } else { body.name().to_owned() };
                self.file.parts.push(Part { path: vec![name], body, pose: Pose::IDENTITY });
            }
        }
    }
}

fn reference(record: &Record, position: usize) -> Option<u64> {
    record.values.get(position).and_then(Value::reference)
}

/// The pose that takes one frame to another.
fn between(from: &Frame, to: &Frame) -> Pose {
    if from == to {
        return Pose::IDENTITY;
    }
    let (a, b) = (DMat3::from_cols(from.x, from.y, from.z), DMat3::from_cols(to.x, to.y, to.z));
    let rotation = if a == b { DQuat::IDENTITY } else { DQuat::from_mat3(&(b * a.transpose())) };
    let pose = Pose::from_rotation(rotation);
    Pose::new(rotation, to.origin - pose.transform_point(from.origin))
}
