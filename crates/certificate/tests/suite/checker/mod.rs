//! A naive checker of certificates, written after `docs/certificates.md`: exact rationals, no haste.

mod model;
mod number;
mod pair;
mod read;
mod statement;

use model::{Body, Placement, Shape, read_links};
use number::Q;
use pair::{World, room};
use read::{Checked, Value, fault, need, sequence};
use statement::{Cell, Statement, read_statement};
use std::collections::{HashMap, HashSet};

const VERSIONS: [Value; 2] = [Value::Int(1), Value::Int(2)];

/// A statement, a pair, an edge, and the splits to a cell.
type Obligation = (usize, usize, usize, Vec<i64>);

/// The code of the first error of a certificate.
pub(crate) fn check(bytes: &[u8]) -> Result<(), String> {
    checked(bytes).map_err(|(code, text)| format!("{code}: {text}"))
}

fn checked(bytes: &[u8]) -> Checked<()> {
    let items = sequence(bytes)?;
    let [header, items @ .., end] = &items[..] else { return fault("E-ITEM", "too few items") };
    let (mut world, statements, references) = read_header(header)?;
    if *end != Value::Array(vec![Value::Text("end".to_owned()), Value::Int(items.len() as i64)]) {
        return fault("E-ITEM", "end");
    }
    let split = items.iter().position(|item| tag(item) != Some("cover")).unwrap_or(items.len());
    for item in &items[..split] {
        let [_, shape, nodes] = parts(item)? else { return fault("E-ITEM", "cover") };
        let shape = shape.index(world.shapes.len()).map_err(|(_, text)| ("E-COVER", text))?;
        let Shape::Mesh(mesh) = &mut world.shapes[shape] else { return fault("E-COVER", "no mesh") };
        mesh.read_cover(nodes)?;
    }
    if world.shapes.iter().any(|shape| shape.mesh().is_some_and(|mesh| mesh.nodes.is_empty())) {
        return fault("E-COVER", "no cover");
    }
    let mut ledger = Ledger::new(&world, &statements);
    ledger.references = references;
    for item in &items[split..] {
        match (tag(item), parts(item)?) {
            (Some("proof"), [_, statement, pair, edge, path, tree]) => {
                let obligation =
                    |value: &Value| value.index(1 << 20).map_err(|(_, text)| ("E-OBLIGATION", text));
                let path: Checked<Vec<i64>> = path.array()?.iter().map(Value::int).collect();
                let which = (obligation(statement)?, obligation(pair)?, obligation(edge)?, path?);
                ledger.check_proof(which, tree.array()?)?;
            }
            (Some("proofs"), [_, statement, pair, edge, trees]) if ledger.references => {
                let obligation =
                    |value: &Value| value.index(1 << 20).map_err(|(_, text)| ("E-OBLIGATION", text));
                let (statement, pair, edge) = (obligation(statement)?, obligation(pair)?, obligation(edge)?);
                let cuts = |stated: &Statement| ["separated", "inside"].contains(&stated.claim.as_str());
                if trees.array()?.is_empty() || !statements.get(statement).is_none_or(cuts) {
                    return fault("E-ITEM", "no trees with cuts");
                }
                let mut known = Vec::new();
                for (number, tree) in trees.array()?.iter().enumerate() {
                    let leaves = tree.array()?.iter().map(|leaf| resolved(leaf, &mut known));
                    let tokens = leaves.collect::<Checked<Vec<Value>>>()?;
                    ledger.check_proof((statement, pair + number, edge, Vec::new()), &tokens)?;
                }
            }
            (Some("rays"), [_, statement, pair, a, b]) => {
                let obligation =
                    |value: &Value| value.index(1 << 20).map_err(|(_, text)| ("E-OBLIGATION", text));
                ledger.check_rays((obligation(statement)?, obligation(pair)?), [a.array()?, b.array()?])?;
            }
            _ => return fault("E-ITEM", "unknown item"),
        }
    }
    ledger.close()
}

/// A leaf with the directions that its references name: 2 is the last one before.
fn resolved(leaf: &Value, known: &mut Vec<Value>) -> Checked<Value> {
    let Value::Array(tokens) = leaf else { return Ok(leaf.clone()) };
    let mut all = Vec::new();
    for token in tokens {
        all.push(match token {
            Value::Int(back @ 2..) => {
                let at = known.len() as i64 + 1 - back;
                let Some(named) = usize::try_from(at).ok().and_then(|at| known.get(at)) else {
                    return fault("E-CUT", "reference");
                };
                named.clone()
            }
            Value::Array(_) => {
                known.push(token.clone());
                token.clone()
            }
            _ => token.clone(),
        });
    }
    Ok(Value::Array(all))
}

fn parts(item: &Value) -> Checked<&[Value]> {
    item.array().map_err(|(_, text)| ("E-ITEM", text))
}

fn tag(item: &Value) -> Option<&str> {
    match item {
        Value::Array(items) => items.first().and_then(|tag| tag.text().ok()),
        _ => None,
    }
}

/// The bodies, the statements, and `true` for a version with references.
fn read_header(header: &Value) -> Checked<(World, Vec<Statement>, bool)> {
    let get = header.map(&[
        "format",
        "version",
        "generator",
        "units",
        "sources",
        "shapes",
        "links",
        "bodies",
        "statements",
    ])?;
    let entry = |key: &str| need(get(key), key);
    if entry("format")?.text()? != "noli-certificate" || !VERSIONS.contains(entry("version")?) {
        return fault("E-VERSION", "version");
    }
    entry("generator")?.text()?;
    entry("units")?.text()?;
    entry("sources")?.array()?;
    let shapes = entry("shapes")?.array()?.iter().map(Shape::read).collect::<Checked<Vec<_>>>()?;
    let (links, joints) = read_links(entry("links")?)?;
    let read_body = |body: &Value| -> Checked<Body> {
        let get = body.map(&["name", "link", "shape", "pose", "padding"])?;
        need(get("name"), "name")?.text()?;
        let padding = get("padding").map_or(Ok(Q::zero()), Value::number)?;
        if padding.sign() < 0 {
            return fault("E-HEADER", "padding");
        }
        Ok(Body {
            link: need(get("link"), "link")?.index(links.len())?,
            shape: need(get("shape"), "shape")?.index(shapes.len())?,
            pose: Placement::read(need(get("pose"), "pose")?)?,
            padding,
        })
    };
    let bodies = entry("bodies")?.array()?.iter().map(read_body).collect::<Checked<Vec<_>>>()?;
    let world = World { shapes, links, joints, bodies };
    let statements = entry("statements")?.array()?;
    let statements =
        statements.iter().map(|each| read_statement(each, &world)).collect::<Checked<Vec<_>>>()?;
    if statements.is_empty() || world.bodies.len() < 2 {
        return fault("E-HEADER", "nothing is stated");
    }
    Ok((world, statements, *entry("version")? == VERSIONS[1]))
}

struct Ledger<'w> {
    world: &'w World,
    statements: &'w [Statement],
    wanted: HashMap<Obligation, usize>,
    rays: HashMap<(usize, usize), usize>,
    done: Vec<Obligation>,
    rays_done: Vec<(usize, usize)>,
    /// Version 2: references, and no rays for pairs with a leaf of one plane.
    references: bool,
    parted: HashSet<(usize, usize)>,
}

impl<'w> Ledger<'w> {
    fn new(world: &'w World, statements: &'w [Statement]) -> Self {
        let (mut wanted, mut rays) = (HashMap::new(), HashMap::new());
        for (number, statement) in statements.iter().enumerate() {
            let colliding = statement.claim == "colliding";
            let pairs = if colliding { 1 } else { statement.pairs.len() };
            for pair in 0..pairs {
                for edge in 0..statement.region.edges() {
                    wanted.insert((number, pair, edge, Vec::new()), 1);
                }
                let solid = |&body: &usize| world.shapes[world.bodies[body].shape].is_solid_mesh();
                let rays_show = ["separated", "inside"].contains(&statement.claim.as_str());
                if rays_show && statement.pairs[pair].iter().any(solid) {
                    rays.insert((number, pair), 1);
                }
            }
        }
        let (done, rays_done, parted) = (Vec::new(), Vec::new(), HashSet::new());
        Self { world, statements, wanted, rays, done, rays_done, references: false, parted }
    }

    fn check_proof(&mut self, which: Obligation, tokens: &[Value]) -> Checked<()> {
        let (number, pair, edge, path) = &which;
        let Some(statement) = self.statements.get(*number) else { return fault("E-OBLIGATION", "statement") };
        let pairs = if statement.claim == "colliding" { 1 } else { statement.pairs.len() };
        if *pair >= pairs || *edge >= statement.region.edges() {
            return fault("E-OBLIGATION", "pair or edge");
        }
        if tokens == [Value::Null] {
            return fault("E-TREE", "empty");
        }
        let mut cell = statement.region.whole();
        for step in path {
            let (by, side) = (usize::try_from(step / 2).unwrap_or(usize::MAX), step % 2);
            let Some(halves) = split(&cell, by) else { return fault("E-TREE", "path") };
            cell = halves[usize::from(side == 1)].clone();
        }
        let mut tokens = tokens.iter();
        let mut open = vec![(cell, path.clone())];
        while let Some((cell, path)) = open.pop() {
            if path.len() > 512 {
                return fault("E-LIMIT", "depth");
            }
            match tokens.next() {
                Some(Value::Int(by)) => {
                    let halves = usize::try_from(*by).ok().and_then(|by| split(&cell, by));
                    let Some([low, high]) = halves else { return fault("E-TREE", "split") };
                    let to = |side: i64| path.iter().copied().chain([2 * by + side]).collect();
                    open.push((high, to(1)));
                    open.push((low, to(0)));
                }
                Some(Value::Null) => {
                    *self.wanted.entry((*number, *pair, *edge, path)).or_default() += 1;
                }
                Some(Value::Array(leaf)) => {
                    self.check_leaf(statement, *pair, *edge, &cell, leaf)?;
                    if leaf.len() == 1 && self.references && statement.claim == "separated" {
                        self.parted.insert((*number, *pair));
                    }
                }
                _ => return fault("E-TREE", "token"),
            }
        }
        if tokens.next().is_some() {
            return fault("E-TREE", "tokens are left");
        }
        self.done.push(which);
        Ok(())
    }

    fn check_leaf(
        &self,
        statement: &Statement,
        pair: usize,
        edge: usize,
        cell: &Cell,
        leaf: &[Value],
    ) -> Checked<()> {
        let (values, halves) = statement.region.center(self.world, edge, cell);
        if statement.claim == "colliding" {
            let Some((pair, leaf)) = leaf.split_first() else { return fault("E-WITNESS", "leaf") };
            let pair = pair.index(statement.pairs.len()).map_err(|(_, text)| ("E-WITNESS", text))?;
            return self.world.pair(statement.pairs[pair], &values, &halves).check_witness(leaf);
        }
        let bodies = statement.pairs[pair];
        let placed = self.world.pair(bodies, &values, &halves);
        if statement.claim == "not inside" {
            return placed.check_outside(leaf);
        }
        let mut room = room(&placed);
        if statement.claim == "separated" {
            let padding = |body: usize| self.world.bodies[body].padding.clone();
            room = room + statement.clearance.clone() + padding(bodies[0]) + padding(bodies[1]);
        }
        placed.check_cut(&room, leaf)
    }

    fn check_rays(&mut self, which: (usize, usize), lists: [&[Value]; 2]) -> Checked<()> {
        if !self.rays.contains_key(&which) {
            return fault("E-OBLIGATION", "rays");
        }
        let statement = &self.statements[which.0];
        let region = &statement.region;
        let (values, _) = region.center(self.world, 0, &region.whole());
        let still = vec![Q::zero(); values.len()];
        let placed = self.world.pair(statement.pairs[which.1], &values, &still);
        let errors = [0, 1].map(|side: usize| placed.sides[side].error.clone());
        for (side, list) in lists.into_iter().enumerate() {
            let solid = placed.sides[1 - side].shape.is_solid_mesh();
            let wanted = if solid { placed.sides[side].shape.probes().len() } else { 0 };
            if list.len() != wanted {
                return fault("E-RAY", "number of rays");
            }
            for (component, ray) in list.iter().enumerate() {
                let probe = &placed.sides[side].shape.probes()[component];
                let winding = placed.winding(side, probe, &errors, ray)?;
                if (winding != 0) != (side == 0 && statement.claim == "inside") {
                    return fault("E-RAY", "winding number");
                }
            }
        }
        self.rays_done.push(which);
        Ok(())
    }

    fn close(mut self) -> Checked<()> {
        for done in &self.done {
            match self.wanted.get_mut(done) {
                Some(count @ 1..) => *count -= 1,
                _ => return fault("E-OBLIGATION", format!("{done:?}")),
            }
        }
        for done in &self.rays_done {
            match self.rays.get_mut(done) {
                Some(count @ 1..) => *count -= 1,
                _ => return fault("E-OBLIGATION", format!("rays {done:?}")),
            }
        }
        self.rays.retain(|which, _| !self.parted.contains(which));
        let open = self.wanted.values().chain(self.rays.values()).any(|&count| count > 0);
        if open { fault("E-OPEN-OBLIGATION", "not all is proven") } else { Ok(()) }
    }
}

fn split(cell: &Cell, by: usize) -> Option<[Cell; 2]> {
    let [low, high] = cell.get(by)?.clone();
    if low >= high {
        return None;
    }
    let middle = (low.clone() + high.clone()).half();
    let half = |range: [Q; 2]| {
        let mut cell = cell.clone();
        cell[by] = range;
        cell
    };
    Some([half([low, middle.clone()]), half([middle, high])])
}
