//! URDF, written.

use crate::geometry::{Geometry, GeometryKind};
use crate::tree::{JointKind, Robot};
use crate::xml::escaped;
use glam::{DMat3, DVec3};
use noli_geom::Pose;
use std::fmt::Write as _;

impl Robot {
    /// The text of a URDF file of a robot. Every number is written so that reading gives it back to the bit;
    /// rotations become turns about fixed axes, which are rounded.
    ///
    /// URDF has a child's frame on its joint. Where a robot has it elsewhere, as the rows of Denavit and Hartenberg do, the
    /// link keeps its name and its bodies stay where they are, but its frame moves to its joint.
    pub fn to_urdf(&self) -> String {
        let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        // Writing to a string cannot fail.
        let _ = write_all(self, &mut out);
        out
    }
}

fn write_all(robot: &Robot, out: &mut String) -> std::fmt::Result {
    writeln!(out, "<robot name=\"{}\">", escaped(robot.name()))?;
    // Where a link stands on its frame in the file.
    let shift = |link: usize| {
        robot.joint_of_link(link).map_or(Pose::IDENTITY, |joint| robot.joints()[joint].joint_from_child)
    };
    for (number, link) in robot.links().iter().enumerate() {
        let frame_from_link = shift(number);
        writeln!(out, "  <link name=\"{}\">", escaped(&link.name))?;
        if let Some(inertial) = &link.inertial {
            let i = inertial.inertia;
            writeln!(out, "    <inertial>")?;
            origin(out, "      ", &joined(&frame_from_link, &inertial.link_from_center))?;
            writeln!(out, "      <mass value=\"{}\"/>", inertial.mass)?;
            writeln!(
                out,
                "      <inertia ixx=\"{}\" ixy=\"{}\" ixz=\"{}\" iyy=\"{}\" iyz=\"{}\" izz=\"{}\"/>",
                i.x_axis.x, i.y_axis.x, i.z_axis.x, i.y_axis.y, i.z_axis.y, i.z_axis.z
            )?;
            writeln!(out, "    </inertial>")?;
        }
        for (word, list) in [("visual", &link.visual), ("collision", &link.collision)] {
            for geometry in list {
                shape(out, word, geometry, &frame_from_link)?;
            }
        }
        writeln!(out, "  </link>")?;
    }
    for (number, joint) in robot.joints().iter().enumerate() {
        let (name, kind) = (escaped(&joint.name), joint.kind.word());
        writeln!(out, "  <joint name=\"{name}\" type=\"{kind}\">")?;
        origin(out, "    ", &joined(&shift(robot.ends(number)[0]), &joint.parent_from_joint))?;
        writeln!(out, "    <parent link=\"{}\"/>", escaped(&joint.parent))?;
        writeln!(out, "    <child link=\"{}\"/>", escaped(&joint.child))?;
        if joint.kind != JointKind::Fixed && joint.kind != JointKind::Floating {
            writeln!(out, "    <axis xyz=\"{}\"/>", three(joint.axis))?;
        }
        let limits = &joint.limits;
        let stated = [limits.velocity, limits.acceleration, limits.effort];
        // URDF has no slide without limits: beyond such lengths they count as none.
        let range = limits.range.or((joint.kind == JointKind::Prismatic).then_some([-1e16, 1e16]));
        if range.is_some() || stated.iter().any(Option::is_some) {
            write!(out, "    <limit")?;
            if let Some([lower, upper]) = range {
                write!(out, " lower=\"{lower}\" upper=\"{upper}\"")?;
            }
            for (word, value) in [
                ("effort", limits.effort),
                ("velocity", limits.velocity),
                ("acceleration", limits.acceleration),
            ] {
                // A speed of 0 means that none is stated; force and speed must be there for others.
                match value {
                    Some(value) => write!(out, " {word}=\"{value}\"")?,
                    None if word == "acceleration" => {}
                    None => write!(out, " {word}=\"0\"")?,
                }
            }
            writeln!(out, "/>")?;
        }
        if let Some(mimic) = &joint.mimic {
            let (of, factor, added) = (escaped(&mimic.joint), mimic.multiplier, mimic.offset);
            writeln!(out, "    <mimic joint=\"{of}\" multiplier=\"{factor}\" offset=\"{added}\"/>")?;
        }
        writeln!(out, "  </joint>")?;
    }
    writeln!(out, "</robot>")
}

/// The second pose after the first, which is mostly nothing.
fn joined(first: &Pose, second: &Pose) -> Pose {
    if *first == Pose::IDENTITY { *second } else { *first * *second }
}

fn shape(out: &mut String, word: &str, geometry: &Geometry, frame_from_link: &Pose) -> std::fmt::Result {
    match &geometry.name {
        Some(name) => writeln!(out, "    <{word} name=\"{}\">", escaped(name))?,
        None => writeln!(out, "    <{word}>")?,
    }
    origin(out, "      ", &joined(frame_from_link, &geometry.link_from_shape))?;
    let form = match &geometry.form {
        GeometryKind::Box { size } => format!("<box size=\"{}\"/>", three(*size)),
        GeometryKind::Cylinder { radius, length } => {
            format!("<cylinder radius=\"{radius}\" length=\"{length}\"/>")
        }
        GeometryKind::Capsule { radius, length } => {
            format!("<capsule radius=\"{radius}\" length=\"{length}\"/>")
        }
        GeometryKind::Sphere { radius } => format!("<sphere radius=\"{radius}\"/>"),
        GeometryKind::Mesh { file, scale } if *scale == DVec3::ONE => {
            format!("<mesh filename=\"{}\"/>", escaped(file))
        }
        GeometryKind::Mesh { file, scale } => {
            format!("<mesh filename=\"{}\" scale=\"{}\"/>", escaped(file), three(*scale))
        }
    };
    writeln!(out, "      <geometry>{form}</geometry>")?;
    writeln!(out, "    </{word}>")
}

fn three(v: DVec3) -> String {
    format!("{} {} {}", v.x, v.y, v.z)
}

fn origin(out: &mut String, indent: &str, pose: &Pose) -> std::fmt::Result {
    if *pose == Pose::IDENTITY {
        return Ok(());
    }
    let angles = fixed_axes(&pose.rotation_matrix());
    writeln!(out, "{indent}<origin xyz=\"{}\" rpy=\"{}\"/>", three(pose.translation), three(angles))
}

/// Turns about the fixed axes x, then y, then z. Where the second is a quarter turn, the first takes all.
pub(crate) fn fixed_axes(m: &DMat3) -> DVec3 {
    let (x, y, z) = (m.x_axis, m.y_axis, m.z_axis);
    let across = x.x.hypot(x.y);
    let pitch = (-x.z).atan2(across);
    if across < 1e-12 {
        return DVec3::new((-z.y).atan2(y.y), pitch, 0.0);
    }
    DVec3::new(y.z.atan2(z.z), pitch, x.y.atan2(x.x))
}
