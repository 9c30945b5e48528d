//! URDF, the robot description of ROS.
//!
//! The reader is our own code on a parser that keeps positions. `urdf-rs` gives no line or column, and an
//! error in a description of thousands of lines must have a position. Cases that URDF leaves open follow
//! common practice. A missing axis is x. A missing limit of a revolute joint is an error. A speed limit of 0
//! means that none is stated. Irrelevant elements (materials, transmissions, simulators' extensions) are
//! skipped.

use crate::geometry::{Geometry, GeometryKind};
use crate::text::fixed_angles;
use crate::tree::{Inertial, Joint, JointKind, Limits, Link, Mimic, Parts, Robot};
use crate::xml::{Element, Xml};
use crate::{Fault, RobotError};
use glam::{DMat3, DVec3};
use noli_geom::Pose;

impl Robot {
    /// Reads the text of a URDF file.
    ///
    /// ```
    /// let text = r#"<robot name="arm">
    ///   <link name="base"/> <link name="slide"/>
    ///   <joint name="rail" type="prismatic">
    ///     <parent link="base"/> <child link="slide"/> <axis xyz="0 0 2"/> <limit lower="1" upper="0"/>
    ///   </joint>
    /// </robot>"#;
    /// let error = noli_robot::Robot::from_urdf_str(text).unwrap_err();
    /// let wrong = "line 3, column 3: the limits of joint `rail` are reversed: from 1 to 0; swap them";
    /// assert_eq!(error.to_string(), wrong);
    /// ```
    pub fn from_urdf_str(text: &str) -> Result<Self, RobotError> {
        Self::new(Parts::from_urdf_str(text)?)
    }
}

impl Parts {
    /// Reads the text of a URDF file as parts that need not make a robot yet.
    pub fn from_urdf_str(text: &str) -> Result<Self, RobotError> {
        let xml = Xml::parse(text, "URDF")?;
        let root = xml.root("robot")?;
        let mut parts = Parts { name: root.text_of("name")?, ..Parts::default() };
        for element in root.children() {
            if element.is_macro() {
                let what = format!("the macro element `{}`", element.name());
                let fault = Fault::Refused { what, remedy: "expand it with the program `xacro` first" };
                return Err(RobotError::at(element.place(), fault));
            }
            match element.name() {
                "link" => parts.links.push(link(element)?),
                "joint" => parts.joints.push(joint(element)?),
                _ => {}
            }
        }
        Ok(parts)
    }
}

fn link(element: Element<'_, '_>) -> Result<Link, RobotError> {
    let geometries = |name| element.named(name).map(geometry).collect::<Result<Vec<_>, _>>();
    Ok(Link {
        name: element.text_of("name")?,
        inertial: element.child("inertial").map(inertial).transpose()?,
        visual: geometries("visual")?,
        collision: geometries("collision")?,
        place: Some(element.place()),
    })
}

fn inertial(element: Element<'_, '_>) -> Result<Inertial, RobotError> {
    let mass = element.need_child("mass")?.need_number("value")?;
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
    Ok(Inertial { mass, link_from_center: origin(element)?, inertia })
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
        "mesh" => GeometryKind::Mesh {
            file: shape.text_of("filename")?,
            scale: vector(shape, "scale")?.unwrap_or(DVec3::ONE),
        },
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
    let Some(kind) = JointKind::from_word(word) else {
        let known = JointKind::ALL.iter().map(|kind| kind.word()).collect();
        let fault = Fault::UnknownWord { what: "type of joint".into(), word: word.into(), known };
        return Err(RobotError::at(place, fault));
    };
    let axis = match element.child("axis") {
        Some(axis) => need_vector(axis, "xyz")?,
        None => DVec3::X,
    };
    Ok(Joint {
        name: element.text_of("name")?,
        kind,
        parent: element.need_child("parent")?.text_of("link")?,
        child: element.need_child("child")?.text_of("link")?,
        parent_from_joint: origin(element)?,
        joint_from_child: Pose::IDENTITY,
        axis,
        limits: element.child("limit").map(limits).transpose()?.unwrap_or_default(),
        mimic: element.child("mimic").map(mimic).transpose()?,
        place: Some(element.place()),
    })
}

fn limits(element: Element<'_, '_>) -> Result<Limits, RobotError> {
    let end = |name| Ok::<_, RobotError>(element.number(name)?.unwrap_or(0.0));
    let stated = |name| Ok::<_, RobotError>(element.number(name)?.filter(|value| *value != 0.0));
    Ok(Limits {
        range: Some([end("lower")?, end("upper")?]),
        velocity: stated("velocity")?,
        acceleration: stated("acceleration")?,
        effort: stated("effort")?,
    })
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
