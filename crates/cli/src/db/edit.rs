//! `noli db mass|pair|tool`: properties of entries that no file contains.

use super::print_entry;
use anyhow::{Result, bail};
use noli::Pose;
use noli_store::{Store, StoredTool};
use std::path::PathBuf;

#[derive(clap::Args)]
pub(super) struct Mass {
    /// The database.
    file: PathBuf,
    /// The component.
    name: String,
    /// Density in kilograms a cubic metre; the mass follows from it and the volume.
    #[arg(long, value_name = "RHO")]
    density: Option<f64>,
    /// Mass in kilograms, in place of density times volume.
    #[arg(long, value_name = "KG")]
    mass: Option<f64>,
}

impl Mass {
    pub(super) fn run(&self) -> Result<()> {
        if self.density.is_none() && self.mass.is_none() {
            bail!("give --density RHO or --mass KG");
        }
        let mut store = Store::open(&self.file)?;
        let density = self.density.or(store.component(&self.name)?.density);
        store.set_mass(&self.name, density, self.mass)?;
        print_entry(&store, &self.name)
    }
}

#[derive(clap::Args)]
pub(super) struct Pair {
    /// The database.
    file: PathBuf,
    /// The manipulator.
    manipulator: String,
    /// A link.
    a: String,
    /// Another link.
    b: String,
    /// Disable the pair, for this reason; without it, the pair is checked.
    #[arg(long, value_name = "REASON", conflicts_with = "margin")]
    disable: Option<String>,
    /// Minimum clearance of the pair in metres.
    #[arg(long, value_name = "M")]
    margin: Option<f64>,
}

impl Pair {
    pub(super) fn run(&self) -> Result<()> {
        let mut store = Store::open(&self.file)?;
        let reason = self.disable.as_deref().unwrap_or_default();
        let links = [self.a.as_str(), self.b.as_str()];
        store.set_pair(&self.manipulator, links, self.disable.is_none(), self.margin, reason)?;
        print_entry(&store, &self.manipulator)
    }
}

#[derive(clap::Args)]
pub(super) struct Tool {
    /// The database.
    file: PathBuf,
    /// Its name.
    name: String,
    /// The stored component that is mounted on the flange.
    #[arg(long, value_name = "NAME")]
    component: Option<String>,
    /// Position of the tool on the flange, in metres.
    #[arg(long, value_name = "X,Y,Z", value_parser = triple, allow_hyphen_values = true, default_value = "0,0,0")]
    xyz: Triple,
    /// Roll, pitch and yaw of the tool on the flange, in degrees.
    #[arg(long, value_name = "R,P,Y", value_parser = triple, allow_hyphen_values = true, default_value = "0,0,0")]
    rpy_deg: Triple,
    /// Take the place of the tool of that name.
    #[arg(long)]
    replace: bool,
}

impl Tool {
    pub(super) fn run(&self) -> Result<()> {
        let mut store = Store::open(&self.file)?;
        let [roll, pitch, yaw] = self.rpy_deg.map(f64::to_radians);
        let rotation = glam::DQuat::from_euler(glam::EulerRot::ZYX, yaw, pitch, roll);
        let tool = StoredTool {
            name: self.name.clone(),
            component: self.component.clone(),
            flange_from_tool: Pose::new(rotation, self.xyz.into()),
        };
        store.add_tool(&tool, self.replace)?;
        print_entry(&store, &self.name)
    }
}

type Triple = [f64; 3];

/// Parses three numbers with commas between them.
fn triple(text: &str) -> Result<Triple, String> {
    let numbers: Vec<f64> = text.split(',').filter_map(|number| number.trim().parse().ok()).collect();
    let found = <Triple>::try_from(numbers).ok().filter(|numbers| numbers.iter().all(|x| x.is_finite()));
    found.ok_or_else(|| "give three numbers, such as 0,0,0.135".to_owned())
}
