//! The description of a robot: links, joints and collision shapes of a URDF (section 11).

use crate::error::{Result, require, required};
use crate::numeral::{Decimal, double, doubles};
use crate::xml::{Element, broken};
use std::collections::HashMap;

/// The motion that a joint allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Freedom {
    Turn,
    Slide,
    Fixed,
    /// Several variables, which are not compared.
    Other,
}

#[derive(Debug)]
pub(crate) struct Joint {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) freedom: Freedom,
    pub(crate) parent: usize,
    pub(crate) child: usize,
    pub(crate) origin: Origin,
    pub(crate) axis: [f64; 3],
    /// The lowest and the highest value; `None` if it is unlimited.
    pub(crate) limits: Option<[f64; 2]>,
    /// The joint that it follows, itself following none, with multiplier and offset.
    pub(crate) mimic: Option<(usize, Decimal, Decimal)>,
}

#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) name: String,
    pub(crate) collisions: Vec<Collision>,
}

#[derive(Debug)]
pub(crate) struct Collision {
    pub(crate) origin: Origin,
    pub(crate) form: Form,
}

#[derive(Debug)]
pub(crate) enum Form {
    Box([f64; 3]),
    Sphere(f64),
    Cylinder([f64; 2]),
    Capsule([f64; 2]),
    Mesh { file: String, scale: [f64; 3] },
}

/// A translation, and roll, pitch and yaw.
#[derive(Debug)]
pub(crate) struct Origin {
    pub(crate) xyz: [f64; 3],
    pub(crate) rpy: [f64; 3],
}

#[derive(Debug)]
pub(crate) struct Description {
    pub(crate) links: Vec<Link>,
    pub(crate) joints: Vec<Joint>,
    pub(crate) root: usize,
}

impl Description {
    pub(crate) fn read(data: &[u8]) -> Result<Self> {
        let robot = Element::document(data)?;
        require(robot.name == "robot", "E-BINDING", "the description is of no robot")?;
        let links = robot.all("link").map(Link::read).collect::<Result<Vec<_>>>()?;
        let link_of = numbered(links.iter().map(|link| &link.name[..]), "link")?;
        let elements: Vec<&Element> = robot.all("joint").collect();
        let joints = elements.iter().map(|joint| Joint::read(joint, &link_of));
        let mut joints = joints.collect::<Result<Vec<_>>>()?;
        let joint_of = numbered(joints.iter().map(|joint| &joint.name[..]), "joint")?;
        let laws = elements.iter().map(|joint| mimic(joint, &joint_of)).collect::<Result<Vec<_>>>()?;
        for (number, joint) in joints.iter_mut().enumerate() {
            joint.mimic = composed(&laws, number)?;
        }
        let root = root(links.len(), &joints)?;
        Ok(Self { links, joints, root })
    }
}

/// The number of each name; no name occurs twice.
fn numbered<'n>(names: impl Iterator<Item = &'n str>, what: &str) -> Result<HashMap<String, usize>> {
    let mut numbers = HashMap::new();
    for (number, name) in names.enumerate() {
        let fresh = numbers.insert(name.to_owned(), number).is_none();
        require(fresh, "E-BINDING", format!("the description has two {what}s {name:?}"))?;
    }
    Ok(numbers)
}

/// The link that is the child of no joint; all others are of one, and hang on it.
fn root(links: usize, joints: &[Joint]) -> Result<usize> {
    let mut parents: Vec<Option<usize>> = vec![None; links];
    for joint in joints {
        let place = parents.get_mut(joint.child).filter(|parent| parent.is_none());
        *place.ok_or_else(|| broken("a link is the child of two joints"))? = Some(joint.parent);
    }
    let mut roots = (0..links).filter(|&link| parents.get(link) == Some(&None));
    let root = roots.next().filter(|_| roots.next().is_none());
    let root = required(root, "E-BINDING", "the description has not one root")?;
    let above = |link: &usize| parents.get(*link).copied().flatten();
    let hangs = |link: usize| std::iter::successors(Some(link), above).take(links).any(|at| at == root);
    require((0..links).all(hangs), "E-BINDING", "links of the description hang on themselves")?;
    Ok(root)
}

fn mimic(joint: &Element, joint_of: &HashMap<String, usize>) -> Result<Option<(usize, Decimal, Decimal)>> {
    let Some(law) = joint.child("mimic")? else { return Ok(None) };
    let number = |name: &str, default: i64| match law.attribute(name) {
        None => Ok(Decimal::integer(default)),
        Some(text) => Decimal::new(text).ok_or_else(|| broken(format!("`{name}` of a mimic is no number"))),
    };
    let of = joint_of.get(law.named("joint")?);
    let of = *required(of, "E-BINDING", "a joint follows none of the description")?;
    Ok(Some((of, number("multiplier", 1)?, number("offset", 0)?)))
}

/// The law of a joint, through all joints that follow others.
fn composed(
    laws: &[Option<(usize, Decimal, Decimal)>],
    joint: usize,
) -> Result<Option<(usize, Decimal, Decimal)>> {
    let Some(Some((mut of, mut by, mut plus))) = laws.get(joint).cloned() else { return Ok(None) };
    for _ in laws {
        let Some(Some((next, factor, offset))) = laws.get(of) else { return Ok(Some((of, by, plus))) };
        plus = by.times(offset).plus(&plus);
        (of, by) = (*next, by.times(factor));
    }
    Err(broken("joints follow each other"))
}

impl Link {
    fn read(element: &Element) -> Result<Self> {
        let collisions = element.all("collision").map(Collision::read).collect::<Result<_>>()?;
        Ok(Self { name: element.named("name")?.to_owned(), collisions })
    }
}

impl Joint {
    fn read(element: &Element, link_of: &HashMap<String, usize>) -> Result<Self> {
        let (name, kind) = (element.named("name")?.to_owned(), element.named("type")?.to_owned());
        let freedom = match &kind[..] {
            "revolute" | "continuous" => Freedom::Turn,
            "prismatic" => Freedom::Slide,
            "fixed" => Freedom::Fixed,
            _ => Freedom::Other,
        };
        let end = |which: &str| {
            let end =
                element.child(which)?.ok_or_else(|| broken(format!("joint {name:?} has no {which}")))?;
            let link = link_of.get(end.named("link")?).copied();
            required(link, "E-BINDING", "a joint is of no link of the description")
        };
        let axis = match element.child("axis")? {
            Some(axis) => list(axis, "xyz")?.ok_or_else(|| broken("an axis has no `xyz`"))?,
            None => [1.0, 0.0, 0.0],
        };
        let limited = freedom == Freedom::Slide || kind == "revolute";
        let limits = element.child("limit")?.filter(|_| limited).and_then(limits);
        let (parent, child, origin) = (end("parent")?, end("child")?, Origin::read(element)?);
        Ok(Self { kind, freedom, parent, child, origin, axis, limits, mimic: None, name })
    }
}

/// The limits of a joint; `None` if they limit nothing.
fn limits(element: &Element) -> Option<[f64; 2]> {
    let end = |name: &str| element.attribute(name).map_or(Some(0.0), double);
    Some([end("lower")?, end("upper")?]).filter(|[lower, upper]| lower <= upper)
}

impl Collision {
    fn read(element: &Element) -> Result<Self> {
        let holder = element.child("geometry")?;
        let holder = required(holder, "E-BINDING", "a collision has no geometry")?;
        let [shape] = &holder.children[..] else { return Err(broken("a geometry has not one shape")) };
        let size = |name: &str| {
            let found = double(shape.named(name)?);
            found.ok_or_else(|| broken(format!("`{name}` of a <{}> is no number", shape.name)))
        };
        let form = match &shape.name[..] {
            "box" => Form::Box(list(shape, "size")?.ok_or_else(|| broken("a box has no `size`"))?),
            "sphere" => Form::Sphere(size("radius")?),
            "cylinder" => Form::Cylinder([size("radius")?, size("length")?]),
            "capsule" => Form::Capsule([size("radius")?, size("length")?]),
            "mesh" => {
                let scale = list(shape, "scale")?.unwrap_or([1.0; 3]);
                Form::Mesh { file: shape.named("filename")?.to_owned(), scale }
            }
            other => return Err(broken(format!("<{other}> is no shape that is compared"))),
        };
        Ok(Self { origin: Origin::read(element)?, form })
    }
}

impl Origin {
    fn read(element: &Element) -> Result<Self> {
        let Some(origin) = element.child("origin")? else { return Ok(Self { xyz: [0.0; 3], rpy: [0.0; 3] }) };
        let part = |name: &str| list(origin, name).map(Option::unwrap_or_default);
        Ok(Self { xyz: part("xyz")?, rpy: part("rpy")? })
    }

    /// The matrix of its rotation.
    pub(crate) fn rotation(&self) -> [[f64; 3]; 3] {
        let [(sr, cr), (sp, cp), (sy, cy)] = self.rpy.map(f64::sin_cos);
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    }
}

/// Three numbers of an attribute, if it is there.
fn list(element: &Element, name: &str) -> Result<Option<[f64; 3]>> {
    let Some(text) = element.attribute(name) else { return Ok(None) };
    let numbers = doubles(text).ok_or_else(|| broken(format!("`{name}` has not three numbers")))?;
    Ok(Some(numbers))
}
