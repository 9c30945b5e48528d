//! The header: shapes, links, bodies and statements (sections 2 to 6).

use crate::cbor::Value;
use crate::dyadic::{Dyadic, Vector};
use crate::error::{Result, require, required};
use crate::fields::{Fields, check_magnitudes, number, numbers, wrong};
use crate::placement::{Placement, TURN};
use crate::sha256::sha256;
use crate::shape::{Mesh, Shape, unpack};
use crate::sources::{Files, MeshSource, Source};
use std::collections::{BTreeMap, HashSet};

type Pairs = [(usize, usize)];

const FEW: usize = 1 << 16;
const MANY: usize = 1 << 20;
const TRIANGLES: usize = 1 << 24;

#[derive(Debug)]
pub(crate) struct Joint {
    pub(crate) name: String,
    pub(crate) turns: bool,
    pub(crate) axis: Vector,
    pub(crate) limits: Option<[Dyadic; 2]>,
    /// Joint, multiplier and offset.
    pub(crate) mimic: Option<(usize, Dyadic, Dyadic)>,
}

impl Joint {
    fn new(value: &Value, place: String) -> Result<Self> {
        let fields = Fields::new(value, place, &["kind", "axis", "name"], &["limits", "mimic"])?;
        let turns = match fields.text("kind")?.as_str() {
            "turn" => true,
            "slide" => false,
            _ => return Err(fields.wrong("kind")),
        };
        let axis = fields.vector("axis")?;
        require(axis.iter().any(|x| !x.is_zero()), "E-HEADER", format!("{}: the axis is 0", fields.place))?;
        let limits = match fields.get("limits") {
            None => None,
            Some(limits) => {
                let ends: Option<[Dyadic; 2]> = numbers(limits).and_then(|ends| ends.try_into().ok());
                Some(ends.filter(|[low, high]| low <= high).ok_or_else(|| fields.wrong("limits"))?)
            }
        };
        let mimic = match fields.get("mimic") {
            None => None,
            Some(value) => {
                let Some([joint, by, plus]) = value.array() else { return Err(fields.wrong("mimic")) };
                let found = joint.index(FEW).zip(number(by)).zip(number(plus));
                let ((joint, by), plus) = found.ok_or_else(|| fields.wrong("mimic"))?;
                Some((joint, by, plus))
            }
        };
        Ok(Self { name: fields.text("name")?, turns, axis, limits, mimic })
    }
}

#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) name: String,
    pub(crate) parent: Option<usize>,
    pub(crate) origin: Option<Placement>,
    /// The number of its joint.
    pub(crate) joint: Option<usize>,
}

#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) name: String,
    pub(crate) link: usize,
    pub(crate) shape: usize,
    pub(crate) pose: Placement,
    pub(crate) padding: Dyadic,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    Separated,
    Colliding,
    Inside,
    NotInside,
}

impl Claim {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Separated => "separated",
            Self::Colliding => "colliding",
            Self::Inside => "inside",
            Self::NotInside => "not inside",
        }
    }
}

#[derive(Debug)]
pub(crate) enum Region {
    At(Vec<Dyadic>),
    /// The control values of each piece, and how far each joint may be from the curve; straight edges have two of them.
    Curve(Vec<Vec<Vec<Dyadic>>>, Vec<Dyadic>),
    /// The range of each joint without a mimic, by its number.
    Box(Vec<(usize, Dyadic, Dyadic)>),
}

#[derive(Debug)]
pub(crate) struct Statement {
    pub(crate) title: String,
    pub(crate) claim: Claim,
    pub(crate) pairs: Vec<(usize, usize)>,
    pub(crate) disabled: Vec<(usize, usize)>,
    pub(crate) region: Region,
    /// Whether its edges are straight.
    pub(crate) is_straight: bool,
    pub(crate) clearance: Dyadic,
}

impl Statement {
    pub(crate) fn edges(&self) -> usize {
        match &self.region {
            Region::Curve(pieces, _) => pieces.len(),
            Region::At(_) | Region::Box(_) => 1,
        }
    }

    /// Returns the number of pairs that have proofs of their own.
    pub(crate) fn proven_pairs(&self) -> usize {
        if self.claim == Claim::Colliding { 1 } else { self.pairs.len() }
    }
}

/// Everything that statements are about.
#[derive(Debug, Default)]
pub(crate) struct Model {
    pub(crate) version: i64,
    pub(crate) sources: Vec<Source>,
    pub(crate) shapes: Vec<Shape>,
    /// Hash, source and scale of each mesh.
    pub(crate) described: Vec<Option<MeshSource>>,
    pub(crate) links: Vec<Link>,
    pub(crate) joints: Vec<Joint>,
    pub(crate) bodies: Vec<Body>,
    pub(crate) statements: Vec<Statement>,
}

const KEYS: [&str; 9] =
    ["format", "version", "generator", "units", "sources", "shapes", "links", "bodies", "statements"];

impl Model {
    pub(crate) fn new(header: &Value, files: &Files) -> Result<Self> {
        require(header.map().is_some(), "E-ITEM", "the first item is no header")?;
        let format = header.get("format").and_then(Value::text) == Some("noli-certificate");
        let version = header.get("version").and_then(Value::integer).filter(|number| (1..3).contains(number));
        let version = required(version.filter(|_| format), "E-VERSION", "no certificate of version 1 or 2")?;
        let fields = Fields::new(header, "the header".into(), &KEYS, &[])?;
        fields.text("generator")?;
        fields.text("units")?;
        check_magnitudes(header)?;
        let list = |key: &str, least: usize, most: usize| -> Result<&[Value]> {
            let entries = fields.array(key)?;
            require(entries.len() >= least, "E-HEADER", format!("`{key}` has too few entries"))?;
            require(entries.len() <= most, "E-LIMIT", format!("`{key}` has too many entries"))?;
            Ok(entries)
        };
        let mut model = Self { version, ..Self::default() };
        for (index, value) in list("sources", 0, FEW)?.iter().enumerate() {
            model.sources.push(source(value, index)?);
        }
        for (index, value) in list("shapes", 1, FEW)?.iter().enumerate() {
            model.add_shape(value, index, files)?;
        }
        for (index, value) in list("links", 1, FEW)?.iter().enumerate() {
            model.add_link(value, index)?;
        }
        model.check_mimics()?;
        for (index, value) in list("bodies", 2, FEW)?.iter().enumerate() {
            model.add_body(value, index)?;
        }
        for (index, value) in list("statements", 1, MANY)?.iter().enumerate() {
            let statement = model.statement(value, format!("statement {index}"))?;
            model.statements.push(statement);
        }
        Ok(model)
    }

    fn add_shape(&mut self, value: &Value, index: usize, files: &Files) -> Result<()> {
        let place = format!("shape {index}");
        let kind = value.get("kind").and_then(Value::text).ok_or_else(|| wrong(&place, "it has no kind"))?;
        let keys: &[&str] = match kind {
            "mesh" => return self.add_mesh(value, place, files),
            "box" => &["kind", "size"],
            "sphere" => &["kind", "radius"],
            "capsule" | "cylinder" => &["kind", "radius", "length"],
            _ => return Err(wrong(&place, "it is of an unknown kind")),
        };
        let fields = Fields::new(value, place, keys, &[])?;
        let positive = |key: &str| {
            let found = fields.amount(key)?;
            if found.is_zero() { Err(fields.wrong(key)) } else { Ok(found) }
        };
        let shape = match kind {
            "box" => {
                let size = fields.vector("size")?;
                require(size.iter().all(Dyadic::is_positive), "E-HEADER", "a box has no size")?;
                Shape::Box { halves: size.each_ref().map(Dyadic::half) }
            }
            "sphere" => Shape::Sphere { radius: positive("radius")? },
            "capsule" => {
                Shape::Capsule { radius: positive("radius")?, half: fields.amount("length")?.half() }
            }
            _ => Shape::Cylinder { radius: positive("radius")?, half: positive("length")?.half() },
        };
        self.shapes.push(shape);
        self.described.push(None);
        Ok(())
    }

    fn add_mesh(&mut self, value: &Value, place: String, files: &Files) -> Result<()> {
        let keys = ["kind", "sha256", "count", "solid"];
        let fields = Fields::new(value, place, &keys, &["triangles", "source", "scale"])?;
        let (hash, solid) = (fields.hash()?, fields.boolean("solid")?);
        let count = fields.index("count", usize::MAX)?;
        require(count > 0, "E-HEADER", format!("{}: `count` is 0", fields.place))?;
        require(count <= TRIANGLES, "E-LIMIT", format!("{} has more than 2^24 triangles", fields.place))?;
        let scale = match fields.get("scale") {
            None => [1.0; 3],
            Some(_) => scale(fields.vector("scale")?).ok_or_else(|| fields.wrong("scale"))?,
        };
        let source = match fields.get("source") {
            None => None,
            Some(_) => Some(MeshSource { hash, source: fields.index("source", self.sources.len())?, scale }),
        };
        let read;
        let data = match fields.get("triangles") {
            Some(value) => value.bytes().ok_or_else(|| fields.wrong("triangles"))?,
            None => {
                let file =
                    source.as_ref().and_then(|mesh| Some((self.sources.get(mesh.source)?, mesh.scale)));
                read = match file {
                    Some((source, scale)) => files.triangles(source, &scale)?,
                    None => None,
                };
                required(read.as_deref(), "E-MISSING", &format!("{}: no triangles", fields.place))?
            }
        };
        require(sha256(data) == hash, "E-HASH", format!("{}: other triangles", fields.place))?;
        self.shapes.push(Shape::Mesh(Mesh::new(&unpack(data, count)?, hash, solid)?));
        self.described.push(source);
        Ok(())
    }

    fn add_link(&mut self, value: &Value, index: usize) -> Result<()> {
        let place = format!("link {index}");
        if index == 0 {
            let name = Fields::new(value, place, &["name"], &[])?.text("name")?;
            self.links.push(Link { name, parent: None, origin: None, joint: None });
            return Ok(());
        }
        let fields = Fields::new(value, place, &["name", "parent", "origin"], &["joint"])?;
        let origin = Placement::new(fields.get("origin"), &fields.place)?;
        let joint = match fields.get("joint") {
            None => None,
            Some(value) => {
                let number = self.joints.len();
                self.joints.push(Joint::new(value, format!("the joint of {}", fields.place))?);
                Some(number)
            }
        };
        let (name, parent) = (fields.text("name")?, Some(fields.index("parent", index)?));
        self.links.push(Link { name, parent, origin: Some(origin), joint });
        Ok(())
    }

    fn check_mimics(&self) -> Result<()> {
        let is_own = |joint: usize| self.joints.get(joint).is_some_and(|joint| joint.mimic.is_none());
        let right = self.joints.iter().filter_map(|joint| joint.mimic.as_ref()).all(|mimic| is_own(mimic.0));
        require(right, "E-HEADER", "a joint mimics none, or one that mimics another")
    }

    fn add_body(&mut self, value: &Value, index: usize) -> Result<()> {
        let required = ["name", "link", "shape", "pose"];
        let fields = Fields::new(value, format!("body {index}"), &required, &["padding"])?;
        self.bodies.push(Body {
            name: fields.text("name")?,
            link: fields.index("link", self.links.len())?,
            shape: fields.index("shape", self.shapes.len())?,
            pose: Placement::new(fields.get("pose"), &fields.place)?,
            padding: fields.amount("padding")?,
        });
        Ok(())
    }

    /// The shape of a body by its number, which was checked where it was read.
    #[allow(clippy::indexing_slicing, reason = "bodies are named by `Value::index`, and so are their shapes")]
    pub(crate) fn shape_of(&self, body: usize) -> &Shape {
        &self.shapes[self.bodies[body].shape]
    }

    fn statement(&self, value: &Value, place: String) -> Result<Statement> {
        let optional = ["title", "clearance", "disabled", "complete"];
        let fields = Fields::new(value, place, &["claim", "pairs", "region"], &optional)?;
        let claim = fields.text("claim")?;
        let mut claims = [Claim::Separated, Claim::Colliding, Claim::Inside, Claim::NotInside].into_iter();
        let claim = claims.find(|known| known.name() == claim).ok_or_else(|| fields.wrong("claim"))?;
        require(self.version > 1 || claim != Claim::NotInside, "E-HEADER", "a claim of version 2")?;
        let clear = claim == Claim::Separated || fields.get("clearance").is_none();
        require(clear, "E-HEADER", format!("{}: only `separated` has a clearance", fields.place))?;
        let pairs = self.pairs(&fields, claim)?;
        let disabled = self.disabled(&fields, &pairs)?;
        let complete = if fields.get("complete").is_some() { fields.boolean("complete")? } else { false };
        if complete {
            self.check_complete(&pairs, &disabled, &fields.place)?;
        }
        Ok(Statement {
            title: if fields.get("title").is_some() { fields.text("title")? } else { String::new() },
            claim,
            pairs,
            disabled,
            region: self.region(&fields)?,
            is_straight: value.get("region").is_some_and(|region| region.get("along").is_some()),
            clearance: fields.amount("clearance")?,
        })
    }

    fn pair(&self, a: &Value, b: &Value) -> Option<(usize, usize)> {
        a.index(self.bodies.len()).zip(b.index(self.bodies.len())).filter(|(a, b)| a != b)
    }

    fn pairs(&self, fields: &Fields<'_>, claim: Claim) -> Result<Vec<(usize, usize)>> {
        let (values, mut seen, mut pairs) = (fields.array("pairs")?, HashSet::new(), Vec::new());
        require(!values.is_empty(), "E-HEADER", format!("{} has no pairs", fields.place))?;
        require(values.len() <= MANY, "E-LIMIT", format!("{} has more than 2^20 pairs", fields.place))?;
        for value in values {
            let Some([a, b]) = value.array() else { return Err(fields.wrong("pairs")) };
            let (a, b) = self.pair(a, b).ok_or_else(|| fields.wrong("pairs"))?;
            let fresh = seen.insert(sorted(&(a, b)));
            require(fresh, "E-HEADER", format!("{}: a pair is listed twice", fields.place))?;
            let solid = matches!(claim, Claim::Inside | Claim::NotInside);
            let right = !solid || self.shape_of(b).solid().is_some();
            require(right, "E-HEADER", format!("{}: body {b} is no solid mesh", fields.place))?;
            pairs.push((a, b));
        }
        Ok(pairs)
    }

    fn disabled(&self, fields: &Fields<'_>, pairs: &Pairs) -> Result<Vec<(usize, usize)>> {
        let Some(value) = fields.get("disabled") else { return Ok(Vec::new()) };
        let pair = |value: &Value| match value.array() {
            Some([a, b, Value::Text(_)]) => self.pair(a, b),
            _ => None,
        };
        let found: Option<Vec<_>> = value.array().and_then(|values| values.iter().map(pair).collect());
        let found = found.ok_or_else(|| fields.wrong("disabled"))?;
        let mut seen: HashSet<(usize, usize)> = pairs.iter().map(sorted).collect();
        let fresh = found.iter().all(|pair| seen.insert(sorted(pair)));
        require(fresh, "E-PAIRS", format!("{}: a disabled pair is listed twice", fields.place))?;
        Ok(found)
    }

    fn check_complete(&self, pairs: &Pairs, disabled: &Pairs, place: &str) -> Result<()> {
        let known: HashSet<(usize, usize)> = pairs.iter().chain(disabled).map(sorted).collect();
        let mut fixed: Vec<bool> = Vec::new();
        for link in &self.links {
            let is_held = link.parent.is_none_or(|parent| fixed.get(parent) == Some(&true));
            fixed.push(link.joint.is_none() && is_held);
        }
        let mut bodies: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (index, body) in self.bodies.iter().enumerate() {
            bodies.entry(body.link).or_default().push(index);
        }
        // Each pair of links has a pair of bodies, so the search ends soon where pairs are missing.
        for (link, own) in bodies.iter().filter(|(link, _)| fixed.get(**link) != Some(&true)) {
            for (_, others) in bodies.iter().filter(|(other, _)| *other != link) {
                for (a, b) in own.iter().flat_map(|a| others.iter().map(move |b| (a, b))) {
                    let said = known.contains(&sorted(&(*a, *b)));
                    require(said, "E-PAIRS", format!("{place}: nothing about bodies {a} and {b}"))?;
                }
            }
        }
        Ok(())
    }

    fn region(&self, fields: &Fields<'_>) -> Result<Region> {
        let entries = fields.get("region").and_then(Value::map).unwrap_or_default();
        let (extra, kinds): (Vec<_>, Vec<_>) = entries.iter().partition(|(key, _)| key == "deviation");
        let [(key, value)] = kinds[..] else { return Err(fields.wrong("region")) };
        let deviation = extra.first().map(|(_, value)| value);
        require(deviation.is_none() || key == "curve", "E-HEADER", "a deviation is of no curve")?;
        match key.as_str() {
            "curve" => self.curve(value, deviation, fields),
            "at" => Ok(Region::At(self.state(value, fields)?)),
            "along" => {
                let states = value.array().filter(|states| states.len() >= 2);
                let states = states.ok_or_else(|| fields.wrong("region"))?;
                require(states.len() <= MANY + 1, "E-LIMIT", format!("{} has too many edges", fields.place))?;
                let states = states.iter().map(|state| self.state(state, fields));
                let edges = states.collect::<Result<Vec<_>>>()?.windows(2).map(<[_]>::to_vec).collect();
                Ok(Region::Curve(edges, vec![Dyadic::ZERO; self.joints.len()]))
            }
            "box" => self.ranges(value, fields),
            _ => Err(fields.wrong("region")),
        }
    }

    fn curve(&self, value: &Value, deviation: Option<&Value>, fields: &Fields<'_>) -> Result<Region> {
        let wrong = || fields.wrong("region");
        let given = deviation.map(|value| numbers(value).ok_or_else(wrong)).transpose()?;
        let deviation = given.unwrap_or_else(|| vec![Dyadic::ZERO; self.joints.len()]);
        let right = deviation.len() == self.joints.len() && !deviation.iter().any(Dyadic::is_negative);
        require(right, "E-HEADER", "a deviation has not one number for each joint")?;
        let all = value.array().filter(|pieces| !pieces.is_empty()).ok_or_else(wrong)?;
        require(all.len() <= MANY, "E-LIMIT", format!("{} has too many edges", fields.place))?;
        let mut pieces: Vec<Vec<Vec<Dyadic>>> = Vec::new();
        for piece in all {
            let states = piece.array().filter(|states| (2..=10).contains(&states.len())).ok_or_else(wrong)?;
            let piece = states.iter().map(|state| self.state(state, fields)).collect::<Result<Vec<_>>>()?;
            for state in &piece {
                let furthest = state.iter().zip(&deviation).map(|(value, more)| &value.abs() + more);
                self.joints.iter().zip(furthest).try_for_each(|(joint, value)| check_turn(joint, &value))?;
            }
            let joins = pieces.last().is_none_or(|last| last.last() == piece.first());
            require(joins, "E-HEADER", "a piece of a curve does not begin where the last one ends")?;
            pieces.push(piece);
        }
        Ok(Region::Curve(pieces, deviation))
    }

    fn state(&self, value: &Value, fields: &Fields<'_>) -> Result<Vec<Dyadic>> {
        let values = numbers(value).filter(|values| values.len() == self.joints.len());
        let values = values.ok_or_else(|| fields.wrong("region"))?;
        self.joints.iter().zip(&values).try_for_each(|(joint, value)| check_turn(joint, value))?;
        Ok(values)
    }

    fn ranges(&self, value: &Value, fields: &Fields<'_>) -> Result<Region> {
        let entries = value.array().filter(|entries| entries.len() == self.joints.len());
        let entries = entries.ok_or_else(|| fields.wrong("region"))?;
        let mut ranges = Vec::new();
        for (index, (joint, entry)) in self.joints.iter().zip(entries).enumerate() {
            if joint.mimic.is_some() {
                require(*entry == Value::Null, "E-HEADER", "a joint that mimics another has a range")?;
                continue;
            }
            let ends: Option<[Dyadic; 2]> = numbers(entry).and_then(|ends| ends.try_into().ok());
            let [low, high] = ends.filter(|[low, high]| low <= high).ok_or_else(|| fields.wrong("region"))?;
            check_turn(joint, &low)?;
            check_turn(joint, &high)?;
            ranges.push((index, low, high));
        }
        for joint in &self.joints {
            let Some((other, by, plus)) = &joint.mimic else { continue };
            let range = ranges.iter().find(|range| range.0 == *other);
            for end in range.into_iter().flat_map(|(_, low, high)| [low, high]) {
                check_turn(joint, &(&(by * end) + plus))?;
            }
        }
        Ok(Region::Box(ranges))
    }
}

/// An unordered pair.
pub(crate) fn sorted(&(a, b): &(usize, usize)) -> (usize, usize) {
    (a.min(b), a.max(b))
}

fn check_turn(joint: &Joint, value: &Dyadic) -> Result<()> {
    require(!joint.turns || value.abs() <= Dyadic::integer(TURN), "E-LIMIT", "a turn is beyond 64")
}

/// Factors that are doubles and not 0.
fn scale(factors: Vector) -> Option<[f64; 3]> {
    let doubles = factors.each_ref().map(Dyadic::to_double_down);
    let same = factors.iter().zip(doubles).all(|(factor, double)| *factor == Dyadic::double(double));
    (same && doubles.iter().all(|factor| *factor != 0.0)).then_some(doubles)
}

fn source(value: &Value, index: usize) -> Result<Source> {
    let fields = Fields::new(value, format!("source {index}"), &["name", "sha256", "role"], &["text"])?;
    let (name, hash) = (fields.text("name")?, fields.hash()?);
    let parts = || name.split(['/', '\\']);
    let starts = parts().next().is_some_and(|first| !first.is_empty());
    let safe = starts && !parts().any(|part| part == "..") && !name.contains([':', '\0']);
    require(safe, "E-HEADER", format!("{}: the name is no relative path", fields.place))?;
    let known = ["mesh", "urdf", "srdf", "other"].contains(&fields.text("role")?.as_str());
    require(known, "E-HEADER", format!("{}: the role is unknown", fields.place))?;
    if fields.get("text").is_some() {
        let same = sha256(fields.text("text")?.as_bytes()) == hash;
        require(same, "E-HASH", format!("{}: the text has another hash", fields.place))?;
    }
    Ok(Source { name, hash })
}
