//! Bodies that belong to no product.

use super::extent::{Known, Node};
use super::geometry::Refusal;
use super::part21::Instance;
use super::product::{Structure, UNSUPPORTED, is_body, reference};
use super::{Units, Unread};
use noli_geom::Pose;
use std::collections::HashSet;

impl Structure<'_> {
    /// Adds bodies of representations that belong to no product, and lists those that are in none.
    pub(super) fn add_loose(&mut self) {
        let is_open = |structure: &Self, id: u64| {
            let reader = structure.reader(Units::default());
            let is_own = |instance: &Instance| is_body(instance) && !reader.repeats_exact(instance);
            structure.exchange.get(id).is_some_and(is_own) && !structure.bodies.contains_key(&id)
        };
        // Representations of features describe what was cut away, as those of holes do.
        let features: HashSet<u64> = self
            .named("SHAPE_DEFINITION_REPRESENTATION")
            .filter(|(_, _, record)| self.definition(record, 0).is_none())
            .filter_map(|(_, _, record)| reference(record, 1))
            .collect();
        let reader = self.reader(Units::default());
        let maps = self.named("REPRESENTATION_MAP");
        let mapped: HashSet<u64> = maps.filter_map(|(_, _, record)| reference(record, 1)).collect();
        let placed = self.placed.clone();
        let mut known = Known::new();
        let exchange = self.exchange;
        for &id in exchange.order.iter().filter(|id| !features.contains(*id)) {
            let Some(record) = self.representation(id) else { continue };
            let mut wanted = |item: &u64| {
                let Some(instance) = exchange.get(*item) else { return false };
                let is_mapped = instance.record("MAPPED_ITEM").is_some_and(|record| {
                    reader.map(record).is_ok_and(|(other, _)| {
                        !placed.contains(&other) && self.holds_bodies(other, &mut known)
                    })
                });
                let is_unsupported = UNSUPPORTED.iter().any(|keyword| instance.record(keyword).is_some());
                is_open(self, *item) || is_mapped || is_unsupported
            };
            // What is mapped from elsewhere is placed there.
            if placed.contains(&id) || mapped.contains(&id) {
                continue;
            }
            let items: Vec<u64> = reader.items(record).into_iter().filter(|item| wanted(item)).collect();
            if items.is_empty() {
                continue;
            }
            if !self.fits(Node::Representation(id), id) {
                return;
            }
            match self.units(record) {
                Ok(units) => items.into_iter().for_each(|item| self.add_loose_item(item, units)),
                Err(refusal) => self.refuse(refusal),
            }
        }
        for &id in exchange.order.iter().filter(|&&id| is_open(self, id)).collect::<Vec<_>>() {
            let Some(instance) = exchange.get(id) else { continue };
            let reason = "it is in no shape representation of a product: it is left out".to_owned();
            self.file.left_out.push(Unread { reason, ..Refusal::at(instance, "").unread });
        }
    }

    /// Returns `true` if bodies are placed with a representation.
    fn holds_bodies(&self, id: u64, known: &mut Known) -> bool {
        !matches!(self.extent(Node::Representation(id), known, 0), Ok(extent) if extent.bodies == 0)
    }

    /// Adds an item of a representation without a product, by its own name.
    fn add_loose_item(&mut self, item: u64, units: Units) {
        let record = self.exchange.get(item).and_then(|instance| instance.records.first());
        let name = record.map_or(String::new(), |record| self.reader(units).name(record, 0));
        let name = if name.is_empty() { format!("#{item}") } else { name };
        self.place_item(item, units, Pose::IDENTITY, &[name], 0);
    }
}
