//! Deviations for which a trajectory is proven as well: of each joint, and of the tool.

use super::{Loaded, tool};
use anyhow::{Result, ensure};
use noli_ask::quantity::{self, Length};
use noli_formats::Units;
use noli_robot::cell::Cell;

/// Options of commands that prove a trajectory file.
#[derive(clap::Args)]
pub(super) struct Tube {
    /// Deviation of each joint from the trajectory for which it is proven as well, such as 0.5deg.
    #[arg(long, value_name = "ANGLE", default_value = "0", value_parser = quantity::joint_distance, requires = "trajectory", conflicts_with = "states")]
    pub(super) tracking_error: f64,
    /// Deviation of the tool for which the trajectory is proven as well, such as 2mm: no point of the tool is farther than
    /// this from its place. The tool is the link with those rigidly joined to it, all behind it and what they carry.
    #[arg(long, value_name = "LENGTH", default_value = "0", value_parser = quantity::length, requires = "trajectory", conflicts_with = "states")]
    tool_deviation: Length,
    /// The link that is the tool; by default the tip of the longest chain of an SRDF group, or of the robot, before its
    /// gripper.
    #[arg(long, value_name = "LINK", requires = "tool_deviation")]
    tip: Option<String>,
}

/// The cell with room for a deviation of the tool.
pub(super) struct Widened {
    pub(super) cell: Cell,
    pub(super) deviation: f64,
    /// Names of the parts of the tool.
    pub(super) tool: Vec<String>,
    /// A remark that names the tool where nothing was given.
    pub(super) remark: Option<String>,
}

impl Tube {
    /// The cell with room for the deviation, if there is one.
    pub(super) fn widened(&self, loaded: &Loaded) -> Result<Option<Widened>> {
        let deviation = self.tool_deviation.of_unit(Units::Metre);
        if deviation == 0.0 {
            return Ok(None);
        }
        let tool = tool::tip(self.tip.as_deref(), &loaded.robot.robot, loaded.srdf.as_ref())?;
        Ok(Some(Widened { remark: tool.remark, ..widened(loaded, tool.link, deviation)? }))
    }
}

/// The cell with room for a deviation of the tool at a link.
pub(super) fn widened(loaded: &Loaded, link: usize, deviation: f64) -> Result<Widened> {
    let cell = loaded.cell();
    let parts = cell.tool_parts([0, link]);
    let name = &loaded.robot.robot.links()[link].name;
    ensure!(
        !parts.is_empty(),
        "--tool-deviation: the tool `{name}` has no shape, and neither has a link behind it; name another with --tip LINK"
    );
    let tool = parts.into_iter().map(|part| cell.parts()[part].name.clone()).collect();
    let cell = cell.with_tool_deviation([0, link], deviation)?;
    Ok(Widened { cell, deviation, tool, remark: None })
}
