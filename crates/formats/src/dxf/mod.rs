//! AutoCAD DXF, text: 3DFACE, MESH, polyface and polygon meshes, and blocks of them placed by INSERT.
//! Each layer is an object. Other entities are passed over with a warning, and so is paper space;
//! layers that are switched off are read all the same.
//!
//! Our own reader, not the `dxf` crate: faces and blocks are a small part of the format, and every error
//! names its line.

mod entity;
mod pairs;
mod polyline;

use crate::assembly::Assembly;
use crate::error::{FileError, Place};
use crate::raw::Raw;
use crate::text::excerpt;
use entity::{Entity, Insert, Shape};
use glam::{DAffine3, DVec3};
use pairs::{Pair, Pairs};
use polyline::Polyline;
use std::collections::{BTreeMap, HashMap};

const BINARY: &[u8] = b"AutoCAD Binary DXF";
/// Maximum nesting depth of blocks.
const DEEPEST: usize = 64;

/// Returns `true` if the bytes start like a DXF file, text or binary.
pub(crate) fn looks_like(bytes: &[u8]) -> bool {
    let start = bytes.get(..4096).unwrap_or(bytes);
    let first = Pairs::new(start).ok().and_then(|pairs| pairs.peek());
    bytes.starts_with(BINARY) || first.is_some_and(|pair| pair.code == 0 && pair.value == b"SECTION")
}

pub(crate) fn parse(bytes: &[u8]) -> Result<Raw, FileError> {
    if bytes.starts_with(BINARY) {
        let reason = "binary DXF is not supported";
        return Err(FileError::new(Place::Byte(0), reason, "save it as text (ASCII) DXF"));
    }
    let mut parser = Parser { pairs: Pairs::new(bytes)?, drawing: Drawing::default(), body: Vec::new() };
    parser.sections()?;
    let drawing = parser.drawing;
    let mut scene = Scene {
        drawing: &drawing,
        assembly: Assembly::new(bytes.len()),
        layer: None,
        open: Vec::new(),
        missing: BTreeMap::new(),
    };
    scene.draw(&drawing.entities, &DAffine3::IDENTITY, None)?;
    Ok(scene.finish())
}

/// A group of entities that can be placed.
#[derive(Debug, Default)]
struct Block {
    base: DVec3,
    entities: Vec<Entity>,
}

/// Content of a file, as given there.
#[derive(Debug, Default)]
struct Drawing {
    entities: Vec<Entity>,
    blocks: HashMap<String, Block>,
    /// Number of skipped entities of each kind.
    skipped: BTreeMap<String, usize>,
    first_skipped: Option<Place>,
    in_paper_space: usize,
    smooth: Option<Place>,
    ended: bool,
}

struct Parser<'a> {
    pairs: Pairs<'a>,
    drawing: Drawing,
    /// The pairs of the entity being read.
    body: Vec<Pair<'a>>,
}

impl Parser<'_> {
    fn sections(&mut self) -> Result<(), FileError> {
        while let Some(pair) = self.pairs.take()? {
            match (pair.code, pair.value) {
                (0, b"SECTION") => self.section()?,
                (0, b"EOF") => {
                    self.drawing.ended = true;
                    return Ok(());
                }
                _ => {
                    let reason = format!("`{}` found where a SECTION was expected", excerpt(pair.value));
                    return Err(FileError::new(pair.place, reason, "check that it is a text DXF file"));
                }
            }
        }
        Ok(())
    }

    fn section(&mut self) -> Result<(), FileError> {
        self.pairs.body(&mut self.body)?;
        match self.body.iter().find(|pair| pair.code == 2).map(|pair| pair.value) {
            Some(b"ENTITIES") => {
                let entities = self.entities()?;
                self.drawing.entities.extend(entities);
            }
            Some(b"BLOCKS") => self.blocks()?,
            _ => {}
        }
        // Whatever is left, and the ENDSEC.
        while let Some(pair) = self.pairs.take()? {
            if pair.code == 0 && pair.value == b"ENDSEC" {
                break;
            }
        }
        Ok(())
    }

    fn blocks(&mut self) -> Result<(), FileError> {
        while let Some(pair) = self.pairs.peek().filter(|pair| pair.value == b"BLOCK") {
            self.pairs.take()?;
            self.pairs.body(&mut self.body)?;
            let Some(name) = self.body.iter().find(|pair| pair.code == 2) else {
                return Err(FileError::new(pair.place, "a BLOCK has no name", "give it one with code 2"));
            };
            let name = entity::key(name.value);
            let base = entity::point(&self.body, 10)?.unwrap_or(DVec3::ZERO);
            let entities = self.entities()?;
            self.drawing.blocks.insert(name, Block { base, entities });
            if self.pairs.peek().is_some_and(|pair| pair.value == b"ENDBLK") {
                self.pairs.take()?;
                self.pairs.body(&mut self.body)?;
            }
        }
        Ok(())
    }

    /// The entities up to the end of the section or block.
    fn entities(&mut self) -> Result<Vec<Entity>, FileError> {
        let mut entities = Vec::new();
        while let Some(head) = self.pairs.peek() {
            if matches!(head.value, b"ENDSEC" | b"ENDBLK" | b"BLOCK" | b"SECTION" | b"EOF") {
                break;
            }
            self.pairs.take()?;
            self.pairs.body(&mut self.body)?;
            let (layer, in_paper_space) = entity::common(&self.body);
            let shape = self.shape(head)?;
            if in_paper_space {
                self.drawing.in_paper_space = self.drawing.in_paper_space.saturating_add(1);
            } else if let Some(shape) = shape {
                push(&mut entities, Entity { layer, place: head.place, shape });
            }
        }
        Ok(entities)
    }

    fn shape(&mut self, head: Pair<'_>) -> Result<Option<Shape>, FileError> {
        let place = head.place;
        Ok(Some(match head.value {
            b"3DFACE" => Shape::Faces(entity::face(&self.body, place)?),
            b"INSERT" => Shape::Insert(Insert::read(&self.body, place)?),
            b"MESH" => {
                let (part, smooth) = entity::mesh(&self.body, place)?;
                if smooth {
                    self.drawing.smooth.get_or_insert(place);
                }
                Shape::Faces(part)
            }
            b"POLYLINE" => match self.polyline(place)? {
                Some(shape) => shape,
                None => return Ok(self.skip(head)),
            },
            b"SEQEND" => return Ok(None), // after the attributes of an INSERT
            _ => return Ok(self.skip(head)),
        }))
    }

    fn skip(&mut self, head: Pair<'_>) -> Option<Shape> {
        self.drawing.first_skipped.get_or_insert(head.place);
        let count = self.drawing.skipped.entry(excerpt(head.value)).or_insert(0);
        *count = count.saturating_add(1);
        None
    }

    fn polyline(&mut self, place: Place) -> Result<Option<Shape>, FileError> {
        let mut polyline = Polyline::start(&self.body, place)?;
        while let Some(head) = self.pairs.peek().filter(|pair| matches!(pair.value, b"VERTEX" | b"SEQEND")) {
            self.pairs.take()?;
            self.pairs.body(&mut self.body)?;
            if head.value == b"SEQEND" {
                break;
            }
            polyline.vertex(&self.body, head.place)?;
        }
        Ok(polyline.finish()?.map(Shape::Faces))
    }
}

/// Adds an entity; faces join those before them on the same layer.
fn push(entities: &mut Vec<Entity>, entity: Entity) {
    match (entities.last_mut(), &entity.shape) {
        (Some(Entity { layer, shape: Shape::Faces(part), .. }), Shape::Faces(more))
            if *layer == entity.layer =>
        {
            part.append(more);
        }
        _ => entities.push(entity),
    }
}

/// Places the entities of a drawing in the world.
struct Scene<'d> {
    drawing: &'d Drawing,
    assembly: Assembly,
    /// The layer of the face added last.
    layer: Option<&'d str>,
    /// The blocks that are being placed, outermost first.
    open: Vec<&'d str>,
    /// Missing blocks, with the place of their first reference.
    missing: BTreeMap<&'d str, Place>,
}

impl<'d> Scene<'d> {
    /// `outer_layer` is where things on layer 0 of a block go: to the layer of its INSERT.
    fn draw(
        &mut self,
        entities: &'d [Entity],
        world_from_block: &DAffine3,
        outer_layer: Option<&'d str>,
    ) -> Result<(), FileError> {
        for entity in entities {
            let layer = outer_layer.filter(|_| entity.layer == "0").unwrap_or(&entity.layer);
            match &entity.shape {
                Shape::Faces(part) => {
                    if self.layer != Some(layer) {
                        self.assembly.start(layer, entity.place)?;
                        self.layer = Some(layer);
                    }
                    self.assembly.add(part, world_from_block, entity.place)?;
                }
                Shape::Insert(insert) => self.insert(insert, entity.place, world_from_block, layer)?,
            }
        }
        Ok(())
    }

    fn insert(
        &mut self,
        insert: &'d Insert,
        place: Place,
        world_from_outer: &DAffine3,
        layer: &'d str,
    ) -> Result<(), FileError> {
        let Some(block) = self.drawing.blocks.get(&insert.block) else {
            self.missing.entry(&insert.block).or_insert(place);
            return Ok(());
        };
        if self.open.contains(&insert.block.as_str()) {
            let reason = format!("block `{}` is placed inside itself", insert.shown_block());
            return Err(FileError::new(place, reason, "remove the INSERT that closes the circle"));
        }
        if self.open.len() == DEEPEST {
            let reason = format!("blocks lie in blocks more than {DEEPEST} deep");
            return Err(FileError::new(place, reason, "explode the innermost ones"));
        }
        self.open.push(&insert.block);
        for outer_from_block in insert.placements(block.base) {
            self.assembly.spend(block.entities.len().saturating_add(1), place)?;
            self.draw(&block.entities, &(*world_from_outer * outer_from_block), Some(layer))?;
        }
        self.open.pop();
        Ok(())
    }

    fn finish(self) -> Raw {
        let Self { drawing, assembly: Assembly { mut raw, .. }, missing, .. } = self;
        for (block, place) in missing {
            raw.warn(place, format!("the file has no block `{}`: passed over", excerpt(block.as_bytes())));
        }
        if let Some(place) = drawing.first_skipped {
            let kinds: Vec<String> = drawing.skipped.iter().map(|(kind, n)| format!("{n} {kind}")).collect();
            let total: usize = drawing.skipped.values().sum();
            let text = format!("{total} entities hold no faces: passed over ({})", listed(&kinds));
            raw.warn(place, text);
        }
        if drawing.in_paper_space > 0 {
            let text = format!("{} entities in paper space: passed over", drawing.in_paper_space);
            raw.warn(Place::Whole, text);
        }
        if let Some(place) = drawing.smooth {
            raw.warn(place, "a MESH asks to be smoothed: its faces are read as they stand");
        }
        if !drawing.ended {
            raw.warn(Place::Whole, "`EOF` is missing: the file may have been cut short");
        }
        raw
    }
}

/// The first few, and that there are more.
fn listed(kinds: &[String]) -> String {
    const SHOWN: usize = 8;
    let more = if kinds.len() > SHOWN { ", …" } else { "" };
    kinds.get(..SHOWN).unwrap_or(kinds).join(", ") + more
}
