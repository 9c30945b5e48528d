//! `noli prove pair`: two meshes at rest.

use crate::certificate::{self, Writer};
use crate::limits::TimeLimit;
use crate::{Verdict, output};
use anyhow::{Context, Result, anyhow, ensure};
use clap::ValueEnum;
use noli::{Model, Overlap, Pose};
use noli_ask::quantity::{self, Length};
use noli_certificate::{Certificate, CertificateOptions, Region, Scene, Statement};
use noli_formats::{ReadOptions, Units, defined_units, read_mesh};
use std::path::{Path, PathBuf};

/// Prove that two meshes are separated, that one is inside the other, or that they collide.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The first mesh file.
    a: PathBuf,
    /// The second mesh file.
    b: PathBuf,
    /// Pose of the first: `x,y,z` or `x,y,z,qx,qy,qz,qw`, in the unit of the files, or with units where these define theirs.
    #[arg(long, value_name = "POSE", allow_hyphen_values = true)]
    at_a: Option<String>,
    /// Pose of the second.
    #[arg(long, value_name = "POSE", allow_hyphen_values = true)]
    at_b: Option<String>,
    /// Prove that the distance is greater than this.
    #[arg(long, value_name = "LENGTH", value_parser = quantity::length, default_value = "0")]
    clearance: Length,
    /// Interpret meshes as surfaces or as the solids they bound. `auto` takes closed meshes as solids.
    #[arg(long = "as", value_name = "KIND", value_enum, default_value_t = Kind::Auto)]
    kind: Kind,
    /// The certificate.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limit: TimeLimit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    Surface,
    Solid,
    Auto,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let time = arguments.limit.start();
    let progress = output::Progress::of_time("proving");
    let inputs = [arguments.a.clone(), arguments.b.clone()];
    output::refuse_inputs([&arguments.output], &inputs)?;
    certificate::refuse_tessellated_files(&arguments.output, &inputs)?;
    let units = units(&inputs)?;
    let clearance = in_files(arguments.clearance, units)
        .map_err(|why| anyhow!("--clearance {}: {why}", arguments.clearance))?;
    let mut scene = Scene::default();
    let (mut models, mut poses, mut solid) = (Vec::new(), Vec::new(), Vec::new());
    for (path, option, text) in
        [(&arguments.a, "--at-a", &arguments.at_a), (&arguments.b, "--at-b", &arguments.at_b)]
    {
        let pose = |text| crate::robot::pose_of_lengths(option, text, |length| in_files(length, units));
        let pose = text.as_deref().map_or(Ok(Pose::IDENTITY), pose)?;
        let (model, is_solid) = model(path, arguments.kind)?;
        solid.push(is_solid);
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        scene.add_body(&name, 0, &model, pose, 0.0)?;
        models.push(model);
        poses.push(pose);
    }
    let overlap = noli::overlap(&models[0].at(poses[0]), &models[1].at(poses[1]));
    let (pairs, region) = (vec![[0, 1]], Region::At(Vec::new()));
    let title = format!("{} and {}", scene.body_name(0), scene.body_name(1));
    let sign = units.map_or(String::new(), |units| units.sign().to_owned());
    let options = CertificateOptions { units: sign, ..CertificateOptions::default() };
    let mut writer = Writer::new(Certificate::with_options(scene, options), Vec::new());
    for path in &inputs {
        writer.add_source(path, "mesh")?;
    }
    if overlap == Overlap::Hit {
        // One inside the other is the stronger claim, where no faces touch.
        let nested = [[0, 1], [1, 0]].into_iter().filter(|[_, outer]| solid[*outer]);
        let mut proven = false;
        for pair in nested {
            let statement =
                Statement { title: title.clone(), ..Statement::inside(vec![pair], region.clone()) };
            proven = proven || writer.try_prove(statement)?;
        }
        if !proven {
            writer.prove(Statement { title, ..Statement::colliding(pairs, region.clone()) })?;
            // Bodies that intersect: neither is contained in the other, where a vertex shows it.
            for pair in [[0, 1], [1, 0]].into_iter().filter(|[_, outer]| solid[*outer]) {
                let [a, b] = pair.map(|body| writer.body_name(body).to_owned());
                let title = format!("{a} is not contained in {b}");
                writer.try_prove(Statement { title, ..Statement::not_inside(vec![pair], region.clone()) })?;
            }
        }
        writer.found_collision();
    } else {
        let statement = Statement::separated(pairs, region);
        writer.prove(Statement { title, clearance, ..statement })?;
    }
    drop(progress);
    drop(time);
    writer.finish(&arguments.output, arguments.json, false)
}

/// Returns a length in the unit of the files. Where they leave theirs open, a unit cannot be converted.
fn in_files(length: Length, units: Option<Units>) -> Result<f64, String> {
    let open = "the files declare no unit; give the number alone, in their unit";
    length.of("", units).map_err(|_| open.to_owned())
}

/// The unit that the formats of both files define; `None` if one leaves it open.
fn units([a, b]: &[PathBuf; 2]) -> Result<Option<Units>> {
    let Some((of_a, of_b)) = defined_units(a).zip(defined_units(b)) else { return Ok(None) };
    ensure!(
        of_a == of_b,
        "{} is in {}, and {} in {}; convert one, or place both in a scene and run `noli check --certificate`",
        a.display(),
        of_a.sign(),
        b.display(),
        of_b.sign()
    );
    Ok(Some(of_a))
}

/// The mesh of a file, and `true` if it is taken as a solid.
fn model(path: &Path, kind: Kind) -> Result<(Model, bool)> {
    let mesh = read_mesh(path, &ReadOptions::default())?;
    let closed = mesh.report().flaw().is_none();
    ensure!(
        kind != Kind::Solid || closed,
        "{}: not closed, so it bounds no solid; use --as surface",
        path.display()
    );
    let solid = kind != Kind::Surface && closed;
    let model = Model::new(if solid { mesh.into_solid() } else { mesh })
        .with_context(|| format!("{}: cannot be prepared", path.display()))?;
    Ok((model, solid))
}
