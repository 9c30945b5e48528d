//! URDF, the robot description of ROS.
//!
//! The reader is our own code on a parser that keeps positions. `urdf-rs` gives no line or column, and an
//! error in a description of thousands of lines must have a position. Cases that URDF leaves open follow
//! common practice. A missing axis is x. A missing limit of a revolute joint is an error. A speed limit of 0
//! means that none is stated. Irrelevant elements (materials, transmissions, simulators' extensions) are
//! skipped. Faults of published descriptions whose meaning is clear, because other readers agree on it, are
//! tolerated with a warning.

use crate::geometry::{Geometry, GeometryKind};
use crate::text::fixed_angles;
use crate::tree::{Inertial, Joint, JointKind, Limits, Link, Mimic, Parts, Robot};
use crate::xml::{Element, Xml, without_late_declaration};
use crate::{Fault, RobotError};
use glam::{DMat3, DVec3};
use noli_geom::Pose;
use std::collections::HashSet;

impl Robot {
    /// Reads the text of a URDF file.
    ///
    /// ```
    /// let text = r#"<robot name="arm">
    ///   <link name="base"/> <link name="slide"/>
    ///   <joint name="rail" type="prismatic">
    ///     <parent link="base"/> <child link="slide"/> <axis xyz="0 0 0"/> <limit lower="0" upper="1"/>
    ///   </joint>
    /// </robot>"#;
    /// let error = noli_robot::Robot::from_urdf_str(text).unwrap_err();
    /// let wrong = "line 3, column 3: the axis of joint `rail` is zero; give a direction";
    /// assert_eq!(error.to_string(), wrong);
    /// ```
    pub fn from_urdf_str(text: &str) -> Result<Self, RobotError> {
        Ok(Self::from_urdf_str_with_warnings(text)?.0)
    }

    /// Reads the text of a URDF file and returns the faults that were tolerated as well.
    ///
    /// ```
    /// let text = r#"<robot name="arm"> <link name="base"/> <link name="slide"/>
    ///   <joint name="rail" type="prismatic">
    ///     <parent link="base"/> <child link="slide"/> <limit lower="-1e16" upper="1e16"/>
    ///   </joint>
    /// </robot>"#;
    /// let (robot, warnings) = noli_robot::Robot::from_urdf_str_with_warnings(text)?;
    /// assert_eq!(robot.variables()[0].limits.range, None);
    /// assert_eq!(warnings.len(), 1);
    /// # Ok::<(), noli_robot::RobotError>(())
    /// ```
    pub fn from_urdf_str_with_warnings(text: &str) -> Result<(Self, Vec<RobotError>), RobotError> {
        let (parts, warnings) = parts(text)?;
        Ok((Self::new(parts)?, warnings))
    }
}

impl Parts {
    /// Reads the text of a URDF file as parts that need not make a robot yet.
    pub fn from_urdf_str(text: &str) -> Result<Self, RobotError> {
        Ok(parts(text)?.0)
    }
}

fn parts(text: &str) -> Result<(Parts, Vec<RobotError>), RobotError> {
    // Files written from C may end with the byte that ends a string there.
    let (text, declaration) = without_late_declaration(text.trim_end_matches('\0'));
    let xml = Xml::parse(&text, "URDF")?;
    let root = xml.root("robot")?;
    xml.refuse_macros()?;
    if declaration.is_some() {
        root.warn(root.place(), "the XML declaration does not begin the text", "it is left out");
    }
    let name = root.attribute("name").map_or("robot", |(name, _)| name).to_owned();
    if root.attribute("name").is_none() {
        root.warn(root.place(), "the robot has no name", "it is called `robot`");
    }
    let mut parts = Parts { name, ..Parts::default() };
    for element in root.children() {
        match element.name() {
            "link" => parts.links.push(link(element)?),
            "joint" => parts.joints.push(joint(element)?),
            _ => {}
        }
    }
    if parts.links.is_empty() {
        let names = ["group", "group_state", "disable_collisions"];
        root.refuse_children(&names, "an SRDF", "give the URDF of the robot")?;
    }
    drop_odd_mimics(root, &mut parts.joints);
    Ok((parts, xml.into_warnings()))
}

/// Joints that mimic an unknown joint, or one without a single variable, move by themselves.
fn drop_odd_mimics(root: Element<'_, '_>, joints: &mut [Joint]) {
    let single = |joint: &Joint| {
        matches!(joint.kind, JointKind::Revolute | JointKind::Continuous | JointKind::Prismatic)
    };
    let singles: HashSet<String> =
        joints.iter().filter(|joint| single(joint)).map(|joint| joint.name.clone()).collect();
    for joint in joints.iter_mut().filter(|joint| joint.kind != JointKind::Fixed) {
        let Some(mimic) = joint.mimic.as_ref().filter(|mimic| !singles.contains(&mimic.joint)) else {
            continue;
        };
        let what =
            format!("joint `{}` mimics `{}`, which is no joint with one variable", joint.name, mimic.joint);
        root.warn(joint.place.unwrap_or(root.place()), what, "it moves by itself");
        joint.mimic = None;
    }
}

fn link(element: Element<'_, '_>) -> Result<Link, RobotError> {
    let geometries = |name| element.named(name).map(geometry).collect::<Result<Vec<_>, _>>();
    Ok(Link {
        name: element.text_of("name")?,
        inertial: element.child("inertial").map(inertial).transpose()?.flatten(),
        visual: geometries("visual")?,
        collision: geometries("collision")?,
        place: Some(element.place()),
    })
}

/// Mass properties; `None`, with a warning, for an element without a mass: nothing of a collision depends on it.
fn inertial(element: Element<'_, '_>) -> Result<Option<Inertial>, RobotError> {
    let Some(mass) = element.child("mass") else {
        element.warn(element.place(), format!("{} has no mass", element.what()), "it is left out");
        return Ok(None);
    };
    let mass = mass.need_number("value")?;
    let inertia = match element.child("inertia") {
        None => DMat3::ZERO,
        Some(tensor) => {
            let part = |name| Ok::<_, RobotError>(tensor.number(name)?.unwrap_or(0.0));
            let (xy, xz, yz) = (part("ixy")?, part("ixz")?, part("iyz")?);
            DMat3::from_cols(
                DVec3::new(tensor.need_number("ixx")?, xy, xz),
                DVec3::new(xy, tensor.need_number("iyy")?, yz),
                DVec3::new(xz, yz, tensor.need_number("izz")?),
            )
        }
    };
    Ok(Some(Inertial { mass, link_from_center: origin(element)?, inertia }))
}

fn geometry(element: Element<'_, '_>) -> Result<Geometry, RobotError> {
    let holder = element.need_child("geometry")?;
    let Some(shape) = holder.children().next() else {
        return Err(holder.missing("a shape"));
    };
    let form = match shape.name() {
        "box" => GeometryKind::Box { size: need_vector(shape, "size")? },
        "cylinder" => GeometryKind::Cylinder {
            radius: shape.need_number("radius")?,
            length: shape.need_number("length")?,
        },
        "capsule" => GeometryKind::Capsule {
            radius: shape.need_number("radius")?,
            length: shape.need_number("length")?,
        },
        "sphere" => GeometryKind::Sphere { radius: shape.need_number("radius")? },
        "mesh" => GeometryKind::Mesh { file: shape.text_of("filename")?, scale: scale(shape)? },
        extension @ ("plane" | "cdf") => {
            let what = format!("the shape `{extension}`, an extension of Bullet,");
            let fault = Fault::Refused { what, remedy: "give a box, or a mesh in a file" };
            return Err(RobotError::at(shape.place(), fault));
        }
        other => {
            let known = vec!["box", "cylinder", "capsule", "sphere", "mesh"];
            let fault = Fault::UnknownWord { what: "shape".into(), word: other.into(), known };
            return Err(RobotError::at(shape.place(), fault));
        }
    };
    let name = element.attribute("name").map(|(name, _)| name.to_owned());
    Ok(Geometry { name, link_from_shape: origin(element)?, form, place: Some(shape.place()) })
}

fn joint(element: Element<'_, '_>) -> Result<Joint, RobotError> {
    let (word, place) = element.need("type")?;
    let Some(mut kind) = JointKind::from_word(word) else {
        let known = JointKind::ALL.iter().map(|kind| kind.word()).collect();
        let fault = Fault::UnknownWord { what: "type of joint".into(), word: word.into(), known };
        return Err(RobotError::at(place, fault));
    };
    let axis = match element.child("axis") {
        Some(axis) => need_vector(axis, "xyz")?,
        None => DVec3::X,
    };
    let limits = match element.child("limit") {
        Some(limit) => limits(limit, element, &mut kind)?,
        None if matches!(kind, JointKind::Revolute | JointKind::Prismatic) => {
            let fault = Fault::NoLimits { joint: element.text_of("name")?, kind: kind.word() };
            return Err(RobotError::at(element.place(), fault));
        }
        None => Limits::default(),
    };
    Ok(Joint {
        name: element.text_of("name")?,
        kind,
        parent: element.need_child("parent")?.text_of("link")?,
        child: element.need_child("child")?.text_of("link")?,
        parent_from_joint: origin(element)?,
        joint_from_child: Pose::IDENTITY,
        axis,
        limits,
        mimic: element.child("mimic").map(mimic).transpose()?,
        place: Some(element.place()),
    })
}

/// Limits of a joint. A revolute joint without bounds becomes continuous.
fn limits(
    element: Element<'_, '_>,
    joint: Element<'_, '_>,
    kind: &mut JointKind,
) -> Result<Limits, RobotError> {
    let end = |name| Ok::<_, RobotError>(element.number_or_infinite(name)?.unwrap_or(0.0));
    let stated = |name| {
        let value = element.number_or_infinite(name)?.filter(|value| *value != 0.0 && value.is_finite());
        if value.is_some_and(|value| value < 0.0) {
            let what = format!("`{name}` of {} is negative", joint.what());
            element.warn(element.place(), what, "taken as not stated");
        }
        Ok::<_, RobotError>(value.filter(|value| *value > 0.0))
    };
    let ends = [end("lower")?, end("upper")?];
    // Planar and floating joints of published robots state an effort alone, which bounds nothing.
    let bounds = ["lower", "upper"].iter().any(|name| element.attribute(name).is_some());
    let limited = matches!(kind, JointKind::Revolute | JointKind::Prismatic);
    let mut range = (limited || bounds).then_some(ends);
    if limited {
        let [lower, upper] = ends;
        if ends.iter().any(|end| end.abs() > crate::MAX_ANGLE) {
            let what = format!("{} goes from {lower:e} to {upper:e}", joint.what());
            element.warn(element.place(), what, "taken as unlimited");
            range = None;
        } else if lower > upper {
            let what = format!("the limits of {} are reversed, from {lower} to {upper}", joint.what());
            element.warn(
                element.place(),
                what,
                "taken as unlimited, as Bullet does; swap them if they are limits",
            );
            range = None;
        }
        if range.is_none() && *kind == JointKind::Revolute {
            *kind = JointKind::Continuous;
        }
    }
    // Joints of other kinds ignore their bounds, or state none that are this large.
    range = range.filter(|ends| ends.iter().all(|end| end.is_finite()));
    Ok(Limits {
        range,
        velocity: stated("velocity")?,
        acceleration: stated("acceleration")?,
        effort: stated("effort")?,
    })
}

/// Factors of a mesh. One number is for all axes, a fourth is left out: both are common.
fn scale(shape: Element<'_, '_>) -> Result<DVec3, RobotError> {
    let Some((text, place)) = shape.attribute("scale") else { return Ok(DVec3::ONE) };
    let what = || format!("`scale` of {}", shape.what());
    match text.split_ascii_whitespace().count() {
        1 if !text.contains(['$', ',']) => {
            let [factor] = crate::text::numbers(text, place, what)?;
            shape.warn(place, format!("{} is one number", what()), "taken for all axes");
            Ok(DVec3::splat(factor))
        }
        4 if !text.contains(['$', ',']) => {
            let [x, y, z, _] = crate::text::numbers(text, place, what)?;
            shape.warn(place, format!("{} is 4 numbers", what()), "the last is left out");
            Ok(DVec3::new(x, y, z))
        }
        _ => need_vector(shape, "scale"),
    }
}

fn mimic(element: Element<'_, '_>) -> Result<Mimic, RobotError> {
    Ok(Mimic {
        joint: element.text_of("joint")?,
        multiplier: element.number("multiplier")?.unwrap_or(1.0),
        offset: element.number("offset")?.unwrap_or(0.0),
    })
}

fn origin(element: Element<'_, '_>) -> Result<Pose, RobotError> {
    let Some(origin) = element.child("origin") else { return Ok(Pose::IDENTITY) };
    let angles = vector(origin, "rpy")?.unwrap_or(DVec3::ZERO);
    if let Some(value) = angles.to_array().into_iter().find(|angle| angle.abs() > crate::MAX_ANGLE) {
        let what = format!("`rpy` of the origin of {}", element.what());
        let fault = Fault::OutOfRange { what, value, range: "at most 2^25" };
        return Err(RobotError::at(origin.place(), fault));
    }
    Ok(Pose::new(fixed_angles(angles), vector(origin, "xyz")?.unwrap_or(DVec3::ZERO)))
}

fn vector(element: Element<'_, '_>, name: &str) -> Result<Option<DVec3>, RobotError> {
    Ok(element.numbers::<3>(name)?.map(DVec3::from_array))
}

fn need_vector(element: Element<'_, '_>, name: &str) -> Result<DVec3, RobotError> {
    vector(element, name)?.ok_or_else(|| element.missing(&format!("the attribute `{name}`")))
}
