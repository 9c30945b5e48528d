//! `noli robot`: description, collisions, reachable link pairs and programs of a robot.

mod check;
mod coordinate;
mod follow;
mod ik;
mod info;
mod jog;
mod limits;
mod pairs;
pub(crate) mod plan;
pub(crate) mod prove;
pub mod run;
mod sweep;
mod together;
mod tool;
mod trajectory;
mod tube;

use crate::Verdict;
use crate::certificate::refuse_tessellated;
use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::{Subcommand, ValueEnum};
use noli::Pose;
use noli_ask::quantity::{self, JointUnit, Length, joint_value};
use noli_formats::{Kernel, Units, UnknownCells};
use noli_project::report::{Asked, RobotSubject};
use noli_project::{
    CloudOptions, LinkKind, LoadedRobot, RobotOptions, Surrounding, TakeAs, load_obstacles, load_robot,
    load_srdf, load_surroundings, srdf_warnings,
};
use noli_robot::cell::{Cell, CellBuilder, CellError, PairRule, PartKind, ProofOptions};
use noli_robot::{DisabledPair, Geometry, GeometryKind, JointAxisKind, PumaSet, Robot, Srdf, puma560};
use std::cell::OnceCell;
use std::path::{Path, PathBuf};

/// Robots: exact on their true meshes, proven between samples.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Info(info::Arguments),
    Check(check::Arguments),
    Pairs(pairs::Arguments),
    Plan(plan::Arguments),
    Ik(ik::Arguments),
    Limits(limits::Arguments),
    Run(together::RunArguments),
    Jog(jog::Arguments),
    Sweep(sweep::Arguments),
    Coordinate(coordinate::Arguments),
    Follow(follow::Arguments),
}

/// The robot and its interpretation.
#[derive(clap::Args)]
struct Subject {
    /// A URDF file, or a DH table (TOML).
    #[arg(value_name = "ROBOT", required_unless_present = "demo")]
    robot: Option<PathBuf>,
    /// A PUMA 560 with plain bodies before a wall, instead of a file.
    #[arg(long, conflicts_with = "robot")]
    demo: bool,
    /// Leave out the pairs of links that this file disables. Without it, pairs that a joint joins are left
    /// out.
    #[arg(long, value_name = "FILE")]
    srdf: Option<PathBuf>,
    /// A folder that holds packages, for `package://` names; its own folders are looked through too, and the
    /// folder of the description. `NAME=DIR` gives the folder of one package. Repeatable.
    #[arg(long, value_name = "[NAME=]DIR", conflicts_with = "demo")]
    packages: Vec<PathBuf>,
    /// Let links without collision geometry collide by their visual geometry. Without it they do not collide.
    #[arg(long)]
    visual: bool,
    /// Obstacles in the frame of the robot's root: a planning scene (YAML, JSON), a scene (TOML), a
    /// mesh (in metres), a folder of meshes, an occupancy tree (.bt, .ot), or a point cloud (PCD, PLY without faces,
    /// XYZ, NPY, depth camera) with --radius. Repeatable.
    #[arg(long, visible_alias = "obstacles", value_name = "FILE")]
    around: Vec<PathBuf>,
    /// Radius of the points of point clouds, in metres or with a unit, such as 10mm.
    #[arg(long, value_name = "LENGTH", value_parser = quantity::positive_length, requires = "around")]
    radius: Option<Length>,
    /// Thin point clouds: every removed point lies within this distance of a kept one, and it is added to the radius.
    #[arg(long, value_name = "LENGTH", value_parser = quantity::positive_length, requires = "radius")]
    thin: Option<Length>,
    /// Unknown cells of occupancy trees are free. Without it they are obstacles.
    #[arg(long, requires = "around")]
    unknown_free: bool,
    /// Attach an object to a link, optionally at a pose: `LINK=FILE` or `LINK=FILE@x,y,z,qx,qy,qz,qw`. Repeatable.
    #[arg(long, value_name = "WHAT")]
    carry: Vec<String>,
    /// A link or body that attached objects may touch, besides the link that holds them. Repeatable.
    #[arg(long, value_name = "NAME", requires = "carry")]
    may_touch: Vec<String>,
    /// Interpret meshes as surfaces or as the solids they bound. `auto` takes closed meshes as solids.
    #[arg(long = "as", value_name = "KIND", value_enum, default_value_t = Kind::Auto, conflicts_with = "demo")]
    kind: Kind,
    /// Number of threads; by default one for each CPU.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Print one JSON object instead of the table, or write it to a file as well.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    json: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    Surface,
    Solid,
    Auto,
}

/// A robot ready for queries.
struct Loaded {
    robot: LoadedRobot,
    srdf: Option<Srdf>,
    /// Obstacles, and attached objects with their poses.
    around: Vec<Surrounding>,
    carried: Vec<(String, Surrounding)>,
    may_touch: Vec<String>,
    /// Minimum clearance of all links from the obstacles.
    margin: f64,
    /// Another robot in the same cell.
    second: Option<(LoadedRobot, Option<Srdf>, Pose)>,
    plan: CellBuilder,
    /// Made from the plan when the first query needs it: models and spheres take their time.
    cell: OnceCell<Cell>,
    report: RobotSubject,
    warnings: Vec<String>,
}

/// Name prefix of the parts of a second robot.
const SECOND: &str = "second/";

impl Loaded {
    /// The cell, ready for queries.
    fn cell(&self) -> &Cell {
        self.cell.get_or_init(|| self.plan.clone().build())
    }

    /// The cell with all that is in it.
    fn planned(&self, srdf: Option<&Srdf>) -> Result<CellBuilder, CellError> {
        let mut plan = CellBuilder::default();
        self.robot.add_to(&mut plan, "", Pose::IDENTITY, srdf)?;
        if let Some((robot, srdf, place)) = &self.second {
            robot.add_to(&mut plan, SECOND, *place, srdf.as_ref())?;
        }
        for body in &self.around {
            body.add_to(&mut plan)?;
            plan.set_padding(&body.name, self.margin)?;
        }
        let may_touch: Vec<&str> = self.may_touch.iter().map(String::as_str).collect();
        for (link, body) in &self.carried {
            plan.attach(link, &body.name, &body.model, body.place, &may_touch)?;
        }
        Ok(plan)
    }

    /// Plans the cell anew, with its description.
    fn replan(&mut self, source: &str, srdf: Option<&str>) -> Result<()> {
        self.plan = self.planned(self.srdf.as_ref())?;
        self.cell = OnceCell::new();
        self.report = self.robot.subject(source, srdf, &self.plan);
        let own = |holder: &PartKind| matches!(holder, PartKind::Link { arm: 0, .. });
        let others = self.plan.parts().iter().filter(|part| !own(&part.holder));
        self.report.others = others.map(|part| part.name.clone()).collect();
        Ok(())
    }

    /// Refuses to write over anything that was read.
    fn refuse_to_overwrite<'p>(
        &self,
        subject: &'p Subject,
        more: &[PathBuf],
        outputs: impl IntoIterator<Item = &'p Option<PathBuf>>,
    ) -> Result<()> {
        let mut inputs: Vec<PathBuf> = more.to_vec();
        inputs.extend(subject.robot.iter().chain(&subject.srdf).chain(&subject.around).cloned());
        inputs.extend(subject.carry.iter().filter_map(|word| Some(carry(word).ok()?.1)));
        if let Some(path) = &subject.robot {
            let meshes = noli_project::robot_files(path, &self.robot.robot, &subject.options())?;
            inputs.extend(meshes.into_iter().filter_map(|(_, file)| file));
        }
        let outputs = outputs.into_iter().flatten().chain(&subject.json);
        crate::output::refuse_inputs(outputs, &inputs)
    }
}

impl Loaded {
    /// Refuses a certificate where triangles replace curved surfaces of CAD files.
    fn refuse_tessellated(&self, certificate: Option<&Path>) -> Result<()> {
        certificate.map_or(Ok(()), |target| refuse_tessellated(target, self.tessellated()))
    }

    /// The link meshes of CAD files, and the bodies from them.
    fn tessellated(&self) -> impl Iterator<Item = String> + '_ {
        let robots = std::iter::once(&self.robot).chain(self.second.iter().map(|second| &second.0));
        let meshes = robots.flat_map(|loaded| tessellated_links(&loaded.robot));
        let bodies = self.around.iter().chain(self.carried.iter().map(|(_, body)| body));
        meshes.chain(bodies.filter(|body| body.is_tessellated).map(|body| body.name.clone()))
    }
}

/// The meshes of a robot that are CAD files.
fn tessellated_links(robot: &Robot) -> impl Iterator<Item = String> + '_ {
    let shapes = robot.links().iter().flat_map(|link| {
        let shown = if link.collision.is_empty() { &link.visual } else { &link.collision };
        shown.iter().map(move |shape| (link, shape))
    });
    shapes.filter_map(|(link, shape)| match &shape.form {
        GeometryKind::Mesh { file, .. } if Kernel::of(Path::new(file)).is_some() => {
            Some(format!("mesh `{file}` of link `{}`", link.name))
        }
        _ => None,
    })
}

impl Subject {
    fn load(&self) -> Result<Loaded> {
        let (robot, source) = match &self.robot {
            Some(path) => (load_robot(path, &self.options())?, path.display().to_string()),
            None => (demo()?, "demo".to_owned()),
        };
        let srdf = self.srdf.as_ref().map(|path| load_srdf(path, &robot.robot)).transpose()?;
        let srdf = if self.demo && srdf.is_none() { Some(demo_srdf(&robot)?) } else { srdf };
        let proven = || self.demo.then(|| "proven for the demo".to_owned());
        let named = self.srdf.as_ref().map(|path| path.display().to_string()).or_else(proven);
        let mut warnings: Vec<String> =
            robot.warnings.iter().map(|warning| format!("{source}: {}", warning.text)).collect();
        if let (Some(srdf), Some(path)) = (&srdf, &self.srdf) {
            warnings.extend(srdf_warnings(srdf, path));
        }
        if srdf.is_none() {
            warnings.push("no SRDF: pairs of links that a joint joins are disabled".to_owned());
        }
        let (around, more) = load_obstacles(&self.around, self.take_as(), &self.clouds())?;
        warnings.extend(more);
        let mut carried = Vec::new();
        for word in &self.carry {
            let (link, file, place) = carry(word)?;
            known_link(&robot.robot, "--carry", link)?;
            let (bodies, more) = load_surroundings(&[file], self.take_as())?;
            warnings.extend(more);
            let on_link = |body: Surrounding| Surrounding { place: place * body.place, ..body };
            carried.extend(bodies.into_iter().map(|body| (link.to_owned(), on_link(body))));
        }
        let mut loaded = Loaded {
            robot,
            srdf,
            around,
            carried,
            may_touch: self.may_touch.clone(),
            margin: 0.0,
            second: None,
            plan: CellBuilder::default(),
            cell: OnceCell::new(),
            report: RobotSubject::default(),
            warnings,
        };
        loaded.replan(&source, named.as_deref())?;
        Ok(loaded)
    }

    /// The same for commands that ask about collisions: a robot without shapes is an error.
    fn load_shapes(&self) -> Result<Loaded> {
        let loaded = self.load()?;
        if loaded.report.links.is_empty() {
            let links = loaded.robot.robot.links();
            let hint = match links.iter().any(|link| !link.visual.is_empty()) {
                true => "; --visual takes the visual geometry",
                false => "",
            };
            bail!("{}: no link has a collision shape, so nothing could collide{hint}", loaded.report.source);
        }
        Ok(loaded)
    }

    fn take_as(&self) -> TakeAs {
        match self.kind {
            Kind::Surface => TakeAs::Surface,
            Kind::Solid => TakeAs::Solid,
            Kind::Auto => TakeAs::Auto,
        }
    }

    fn clouds(&self) -> CloudOptions {
        let metres = |length: Option<Length>| length.map(|length| length.of_unit(Units::Metre));
        let unknown = if self.unknown_free { UnknownCells::Free } else { UnknownCells::Obstacle };
        CloudOptions { radius: metres(self.radius), thin: metres(self.thin), unknown }
    }

    fn options(&self) -> RobotOptions {
        let kind = match self.kind {
            Kind::Surface => LinkKind::Surface,
            Kind::Solid => LinkKind::Solid,
            Kind::Auto => LinkKind::Auto,
        };
        RobotOptions { packages: self.packages.clone(), kind, visual: self.visual }
    }

    /// The table, unless JSON takes its place, and the JSON.
    fn deliver(
        &self,
        schema: &str,
        json: &impl serde::Serialize,
        warnings: &[String],
        table: &str,
    ) -> Result<()> {
        let printed = self.json.as_deref() == Some(std::path::Path::new("-"));
        if !printed {
            crate::output::warn_all(warnings);
            crate::output::print(table)?;
        }
        match &self.json {
            Some(target) => crate::output::deliver(target, &crate::output::report_json(schema, json)?),
            None => Ok(()),
        }
    }
}

fn demo() -> Result<LoadedRobot> {
    let mut parts = puma560(PumaSet::FuGonzalezLee).into_parts();
    // A wall behind the robot, so that it has something to meet.
    let wall = Geometry {
        name: Some("wall".to_owned()),
        link_from_shape: Pose::from_translation(glam::dvec3(-0.5, 0.0, 0.2)),
        form: GeometryKind::Box { size: glam::dvec3(0.1, 1.6, 1.6) },
        place: None,
    };
    parts.links[0].collision.push(wall);
    let robot = Robot::new(parts).context("the demo's robot cannot be made")?;
    let shapes = robot.shapes(|file| Err(format!("the demo has no mesh `{file}`")));
    let shapes = shapes.context("the demo's bodies cannot be made")?;
    Ok(LoadedRobot { robot, shapes, warnings: Vec::new() })
}

/// The demo's primitives intersect at the wrist: pairs that always collide are disabled, by proof,
/// and so are adjacent links.
fn demo_srdf(robot: &LoadedRobot) -> Result<Srdf> {
    let cell = robot.cell(None)?;
    let all: Vec<usize> = (0..cell.pairs().len()).collect();
    let always = cell.prove_always(&all, &ProofOptions { samples: 200, ..ProofOptions::default() });
    let reason = |pair: usize| match &cell.pairs()[pair].rule {
        _ if always[pair] => Some("Always"),
        PairRule::Disabled(_) => Some("Adjacent"),
        PairRule::Checked { .. } => None,
    };
    let disabled = all.iter().filter_map(|&pair| {
        let links = cell.pair_names(pair).map(str::to_owned);
        Some(DisabledPair { links, reason: reason(pair)?.to_owned(), place: None })
    });
    let disabled = disabled.collect();
    Ok(Srdf { robot: robot.robot.name().to_owned(), disabled, ..Srdf::default() })
}

/// The first line of every table: what was taken for what.
fn heading(report: &RobotSubject) -> String {
    let count = |kind: &str| report.links.iter().filter(|link| link.kind == kind).count();
    let (solid, surface, mixed) = (count("solid"), count("surface"), count("mixed"));
    let mixed = if mixed > 0 { format!(", {mixed} mixed") } else { String::new() };
    let why = match &report.srdf {
        Some(_) => "by the SRDF, or fixed to each other",
        None => "joined by a joint, or fixed to each other",
    };
    let others = match report.others.len() {
        0 => String::new(),
        count => format!(" among {}", crate::output::plural(count, "other body", "other bodies")),
    };
    format!(
        "{}: {} with shapes ({solid} solid, {surface} surface{mixed}){others}, {} checked, {} disabled ({why})\n",
        report.robot,
        crate::output::plural(report.links.len(), "link", "links"),
        crate::output::plural(report.active_pairs, "pair", "pairs"),
        report.disabled_pairs.len()
    )
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let threads = match &arguments.command {
        Command::Info(arguments) => arguments.subject.threads,
        Command::Check(arguments) => arguments.subject.threads,
        Command::Pairs(arguments) => arguments.subject.threads,
        Command::Plan(arguments) => arguments.subject.threads,
        Command::Ik(arguments) => arguments.subject.threads,
        Command::Limits(arguments) => arguments.subject.threads,
        Command::Sweep(arguments) => arguments.subject.threads,
        Command::Follow(arguments) => arguments.subject.threads,
        Command::Run(_) | Command::Jog(_) | Command::Coordinate(_) => None,
    };
    crate::on_threads(threads, || match &arguments.command {
        Command::Info(arguments) => info::run(arguments),
        Command::Check(arguments) => check::run(arguments),
        Command::Pairs(arguments) => pairs::run(arguments),
        Command::Plan(arguments) => plan::run(arguments),
        Command::Ik(arguments) => ik::run(arguments),
        Command::Limits(arguments) => limits::run(arguments),
        Command::Run(arguments) => together::run(arguments),
        Command::Jog(arguments) => jog::run(arguments),
        Command::Sweep(arguments) => sweep::run(arguments),
        Command::Coordinate(arguments) => coordinate::run(arguments),
        Command::Follow(arguments) => follow::run(arguments),
    })
}

/// Returns the number of queries on the pairs of links and bodies; an error if it is zero.
fn asked(pairs: usize, questions: usize) -> Result<Asked> {
    ensure!(
        pairs > 0,
        "no pair of links and bodies is checked: all are disabled by the SRDF or the cell, joined by a joint, or \
         fixed to each other; enable one in the SRDF or the cell, or add obstacles"
    );
    Ok(Asked::new(pairs.saturating_mul(questions))?)
}

/// Refuses a name that no link has.
fn known_link(robot: &Robot, option: &str, name: &str) -> Result<usize> {
    let names: Vec<&str> = robot.links().iter().map(|link| link.name.as_str()).collect();
    let found = names.iter().position(|known| *known == name);
    found.with_context(|| {
        format!("{option}: the robot has no link `{name}`; its links are {}", names.join(", "))
    })
}

/// `LINK=FILE` or `LINK=FILE@POSE`.
fn carry(word: &str) -> Result<(&str, PathBuf, Pose)> {
    let (link, file) = word.split_once('=').context("--carry: write LINK=FILE or LINK=FILE@POSE")?;
    Ok(match file.rsplit_once('@') {
        Some((file, text)) => (link, file.into(), pose("--carry", text)?),
        None => (link, file.into(), Pose::IDENTITY),
    })
}

/// `NAME=VALUE,...`, in radians and metres or with units that fit the joints.
fn named_values(text: &str, robot: &Robot) -> Result<Vec<(String, f64)>> {
    let one = |part: &str| {
        let (name, value) = part.split_once('=').with_context(|| format!("`{part}`: write JOINT=VALUE"))?;
        let (value, unit) = joint_value(value).map_err(|text| anyhow!("`{part}`: {text}"))?;
        if let Some(number) = robot.variable(name.trim()) {
            unit_fits(part, unit, robot.variables()[number].movement)?;
        }
        ensure!(unit.is_none() || !name.trim().ends_with("_deg"), "`{part}`: give the unit once");
        Ok((name.trim().to_owned(), value))
    };
    text.split(',').filter(|part| !part.trim().is_empty()).map(one).collect()
}

/// Refuses a unit of length for a joint that turns, and an angle for one that slides.
fn unit_fits(text: &str, unit: Option<JointUnit>, movement: JointAxisKind) -> Result<()> {
    match (unit, movement) {
        (Some(JointUnit::Length), JointAxisKind::Turn) => bail!("`{text}`: the joint turns; give deg or rad"),
        (Some(JointUnit::Angle), JointAxisKind::Slide) => bail!("`{text}`: the joint slides; give a length"),
        _ => Ok(()),
    }
}

/// `x,y,z`, or `x,y,z,qx,qy,qz,qw`, in metres or with units.
pub(crate) fn pose(option: &str, text: &str) -> Result<Pose> {
    pose_of_lengths(option, text, |length| Ok(length.of_unit(Units::Metre)))
}

/// Returns the pose `x,y,z` or `x,y,z,qx,qy,qz,qw`, whose coordinates `of` converts.
pub(crate) fn pose_of_lengths(
    option: &str,
    text: &str,
    of: impl Fn(Length) -> Result<f64, String>,
) -> Result<Pose> {
    let number = |(place, part): (usize, &str)| match place {
        0..3 => noli_ask::quantity::signed_length(part).and_then(&of),
        _ => part.trim().parse().map_err(|_| format!("`{}` is no number", part.trim())),
    };
    let numbers: Result<Vec<f64>, String> = text.split(',').enumerate().map(number).collect();
    let numbers =
        numbers.map_err(|why| anyhow!("{option} {text}: {why}; give x,y,z or x,y,z,qx,qy,qz,qw"))?;
    let pose = match numbers[..] {
        [x, y, z] => Pose::from_translation(glam::dvec3(x, y, z)),
        [x, y, z, qx, qy, qz, qw] => Pose::new(glam::DQuat::from_xyzw(qx, qy, qz, qw), glam::dvec3(x, y, z)),
        _ => bail!("{option} {text}: {} numbers; give x,y,z or x,y,z,qx,qy,qz,qw", numbers.len()),
    };
    ensure!(
        pose.is_valid(),
        "{option} {text}: not a pose; a number is not finite, or the quaternion is zero"
    );
    Ok(pose)
}
