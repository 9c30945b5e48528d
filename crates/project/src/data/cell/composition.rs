//! Robots composed of named components, as text.

use crate::data::entry::Table;
use crate::data::pose::pose_of;
use crate::data::scene::parse_with;
use crate::data::suggest::{name_one, shortened};
use glam::DVec3;
use noli_formats::FileError;
use noli_formats::Units;
use noli_geom::Pose;
use noli_robot::{Geometry, GeometryKind, Inertial, Joint, JointKind, Limits, Link, Mimic, Parts};

/// Reads a text that composes a robot: parts, the first of which stands fixed, and joints between them. A part's mesh
/// has the name of a component for its file. Metres.
///
/// ```
/// let text = br#"
///     name = "door"
///     [[part]]
///     name = "frame"
///     [[part]]
///     name = "leaf"
///     component = "leaf"
///     [[joint]]
///     name = "hinge"
///     kind = "revolute"
///     fixed = "frame"
///     moving = "leaf"
///     range_deg = [0, 90]
/// "#;
/// let parts = noli_project::cell::parse_composition(text)?;
/// assert_eq!((parts.links.len(), parts.joints.len()), (2, 1));
/// # Ok::<(), noli_formats::FileError>(())
/// ```
pub fn parse_composition(text: &[u8]) -> Result<Parts, FileError> {
    parse_with(text, "the composition", |root| {
        let units = root.take("units").map(|item| item.units()).transpose()?.unwrap_or_default();
        let name = root.need("name", "add `name = \"…\"`")?.name()?;
        let mut parts = Parts { name, ..Parts::default() };
        let tables = root.need("part", "add a [[part]]: the first stands fixed")?.tables("part")?;
        for table in tables {
            parts.links.push(part(table, units)?);
        }
        let tables = root.take("joint").map(|item| item.tables("joint")).transpose()?.unwrap_or_default();
        for table in tables {
            let joint = joint(table, units, &parts)?;
            parts.joints.push(joint);
        }
        Ok(parts)
    })
    .map(|(_, parts)| parts)
}

fn metres(pose: Pose, units: Units) -> Pose {
    Pose::new(pose.rotation, pose.translation.map(|x| units.convert(x, Units::Metre)))
}

fn part(mut table: Table<'_>, units: Units) -> Result<Link, FileError> {
    let name = table.need("name", "add `name = \"…\"`")?.name()?;
    table.rename(format!("part `{}`", shortened(&name)));
    let mut link = Link::named(name);
    let place = metres(pose_of(&mut table, "pose")?.unwrap_or_default(), units);
    let component = table.take("component").map(|item| item.name()).transpose()?;
    let size = table.take("box").map(|item| item.numbers::<3>()).transpose()?;
    if let Some(file) = component {
        let form = GeometryKind::Mesh { file, scale: DVec3::ONE };
        link.collision.push(Geometry { name: None, link_from_shape: place, form, place: None });
    }
    if let Some(size) = size {
        let size = DVec3::from_array(size.map(|x| units.convert(x, Units::Metre)));
        let form = GeometryKind::Box { size };
        link.collision.push(Geometry { name: None, link_from_shape: place, form, place: None });
    }
    if let Some(mass) = table.take("mass").map(|item| item.not_negative()).transpose()? {
        let inertia = glam::DMat3::ZERO;
        link.inertial = Some(Inertial { mass, link_from_center: Pose::IDENTITY, inertia });
    }
    table.finish()?;
    Ok(link)
}

fn joint(mut table: Table<'_>, units: Units, parts: &Parts) -> Result<Joint, FileError> {
    let name = table.need("name", "add `name = \"…\"`")?.name()?;
    table.rename(format!("joint `{}`", shortened(&name)));
    let kinds = [
        ("revolute", JointKind::Revolute),
        ("continuous", JointKind::Continuous),
        ("prismatic", JointKind::Prismatic),
        ("fixed", JointKind::Fixed),
    ];
    let kind = table.need("kind", "add `kind = \"revolute\"`")?.choice(&kinds)?;
    let mut end = |key: &'static str| -> Result<(String, usize), FileError> {
        let item = table.need(key, "name a part")?;
        let part = item.name()?;
        let number = parts.links.iter().position(|link| link.name == part);
        let number = number.ok_or_else(|| {
            let names = parts.links.iter().map(|link| link.name.as_str());
            item.error(format!("there is no part `{}`", shortened(&part)), name_one(&part, names))
        })?;
        Ok((part, number))
    };
    let ((fixed, first), (moving, second)) = (end("fixed")?, end("moving")?);
    if first >= second {
        return Err(table.error(
            format!("{} moves part {second} on part {first}", table.what()),
            "the part that stands comes first: list it before the one that moves",
        ));
    }
    let mut joint = Joint::new(name, kind, fixed, moving);
    joint.parent_from_joint = metres(pose_of(&mut table, "pose")?.unwrap_or_default(), units);
    joint.joint_from_child = metres(pose_of(&mut table, "child")?.unwrap_or_default(), units);
    if let Some(axis) = table.take("axis").map(|item| item.direction()).transpose()? {
        joint.axis = axis;
    }
    let range = match table.take_one(&["range_deg", "range"])? {
        None => None,
        Some(("range_deg", item)) if kind == JointKind::Prismatic => {
            return Err(item.error("a slide has no degrees", "write `range`"));
        }
        Some(("range_deg", item)) => Some(item.numbers::<2>()?.map(f64::to_radians)),
        Some((_, item)) if kind != JointKind::Prismatic => {
            return Err(item.error("a turn has no lengths", "write `range_deg`"));
        }
        Some((_, item)) => Some(item.numbers::<2>()?.map(|x| units.convert(x, Units::Metre))),
    };
    joint.limits = Limits { range, ..Limits::default() };
    if let Some(item) = table.take("follows") {
        let multiplier = table.take("multiplier").map(|item| item.number()).transpose()?.unwrap_or(1.0);
        joint.mimic = Some(Mimic { joint: item.name()?, multiplier, offset: 0.0 });
    }
    table.finish()?;
    Ok(joint)
}
