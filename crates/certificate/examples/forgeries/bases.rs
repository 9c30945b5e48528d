//! True certificates of every kind that the prover writes, small and with known places of contact.

use super::value::Value;
use noli::glam::{DQuat, DVec3, dvec3};
use noli::{Convex, Mesh, Model, Pose};
use noli_certificate::{Certificate, Joint, JointKind, Link, Region, Scene, Statement};

/// A true certificate, and what else is known about its first statement.
pub(crate) struct Base {
    pub(crate) name: &'static str,
    /// Header, covers, proofs, rays and end.
    pub(crate) items: Vec<Value>,
    /// A configuration in which the bodies of its pairs collide, each pair.
    pub(crate) collides: Option<Vec<f64>>,
}

impl Base {
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        self.items.iter().for_each(|item| item.write(out));
    }
}

/// A reason that stops the making of a certificate.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

fn base(
    name: &'static str,
    scene: Scene,
    statements: Vec<Statement>,
    collides: Option<&[f64]>,
) -> Result<Base, Failure> {
    let mut certificate = Certificate::new(scene);
    for statement in statements {
        certificate.prove(statement).map_err(|error| format!("{name}: {error}"))?;
    }
    let items = Value::sequence(&certificate.to_bytes());
    Ok(Base { name, items, collides: collides.map(<[f64]>::to_vec) })
}

fn cuboid(x: f64, y: f64, z: f64) -> Result<Model, Failure> {
    Ok(Model::new(Mesh::cuboid(dvec3(x, y, z))?.into_solid())?)
}

/// A solid cuboid of edge 4 with a cavity of edge 2.
fn hollow() -> Result<Model, Failure> {
    let (outer, inner) = (Mesh::cuboid(DVec3::splat(4.0))?, Mesh::cuboid(DVec3::splat(2.0))?);
    let first = outer.vertices().len() as u32;
    let vertices = [outer.vertices(), inner.vertices()].concat();
    let turned = inner.triangles().iter().map(|[a, b, c]| [c + first, b + first, a + first]);
    let triangles = outer.triangles().iter().copied().chain(turned).collect();
    Ok(Model::new(Mesh::from_triangles(vertices, triangles, &Default::default())?.into_solid())?)
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::new(DQuat::from_xyzw(0.1, 0.2, -0.1, 0.9).normalize(), dvec3(x, y, z))
}

fn here() -> Region {
    Region::At(Vec::new())
}

fn scene(bodies: &[(&Model, Pose)]) -> Result<Scene, Failure> {
    let mut scene = Scene::default();
    for (number, (model, pose)) in bodies.iter().enumerate() {
        scene.add_body(&format!("body {number}"), 0, model, *pose, 0.0)?;
    }
    Ok(scene)
}

/// Bodies at rest.
fn at_rest(all: &mut Vec<Base>) -> Result<(), Failure> {
    let (cube, rod, shell) = (cuboid(1.0, 1.0, 1.0)?, cuboid(3.0, 0.25, 0.25)?, hollow()?);
    let open = Model::new(Mesh::torus(1.0, 0.25, 8, 6)?)?;
    let [ball, pill] = [Convex::sphere(0.5)?, Convex::capsule(1.0, 0.25)?].map(Model::new);
    let [drum, block] =
        [Convex::cylinder(1.0, 0.375)?, Convex::cuboid(dvec3(1.0, 0.5, 0.75))?].map(Model::new);
    let (ball, pill, drum, block) = (ball?, pill?, drum?, block?);
    let pair = || vec![[0, 1]];
    let mut add = |name, bodies: &[(&Model, Pose)], statement: Statement| {
        all.push(base(name, scene(bodies)?, vec![statement], None)?);
        Ok::<_, Failure>(())
    };
    let origin = Pose::IDENTITY;
    let separated = || Statement { clearance: 0.125, ..Statement::separated(pair(), here()) };
    add("solids apart", &[(&cube, origin), (&rod, at(2.5, 0.5, 0.25))], separated())?;
    add(
        "a rod through a ring",
        &[(&open, origin), (&rod, Pose::from_rotation(DQuat::from_rotation_y(1.5)))],
        separated(),
    )?;
    add(
        "a solid in a cavity",
        &[(&cube, at(0.0, 0.0, 0.0)), (&shell, origin)],
        Statement::separated(pair(), here()),
    )?;
    add("a ball in a cavity", &[(&ball, at(0.25, 0.0, 0.0)), (&shell, origin)], separated())?;
    for (name, a, b) in
        [("ball and pill", &ball, &pill), ("drum and block", &drum, &block), ("pill and cube", &pill, &cube)]
    {
        add(name, &[(a, origin), (b, at(2.0, 0.5, 0.25))], separated())?;
    }
    let colliding = || Statement::colliding(pair(), here());
    add("solids crossing", &[(&cube, origin), (&rod, at(0.25, 0.125, 0.0))], colliding())?;
    add("a drum through a ring", &[(&open, origin), (&drum, at(1.0, 0.0, 0.0))], colliding())?;
    add("block in pill", &[(&block, origin), (&pill, at(0.25, 0.25, 0.0))], colliding())?;
    let large = cuboid(5.0, 5.0, 5.0)?;
    add("a solid deep in another", &[(&cube, at(0.5, 0.0, 0.25)), (&large, origin)], colliding())?;
    add(
        "a solid inside",
        &[(&cube, at(0.5, 0.0, 0.25)), (&large, origin)],
        Statement::inside(pair(), here()),
    )?;
    add(
        "a pill inside",
        &[(&pill, at(0.5, 0.0, 0.25)), (&large, origin)],
        Statement::inside(pair(), here()),
    )?;
    let material = cuboid(0.25, 0.25, 0.25)?;
    add(
        "a solid in the material",
        &[(&material, at(1.5, 0.0, 0.25)), (&shell, origin)],
        Statement::inside(pair(), here()),
    )?;
    add(
        "a solid not inside",
        &[(&cube, at(2.5, 0.0, 0.25)), (&large, origin)],
        Statement::not_inside(pair(), here()),
    )?;
    add(
        "a pill not inside",
        &[(&pill, at(2.5, 0.0, 0.25)), (&large, origin)],
        Statement::not_inside(pair(), here()),
    )?;
    add(
        "a solid outside in a cavity",
        &[(&cube, at(0.0, 0.0, 0.0)), (&shell, origin)],
        Statement::not_inside(pair(), here()),
    )?;
    Ok(())
}

/// An arm that turns about z, a slide on it, a follower, and a post that the arm meets at a quarter turn.
fn arm() -> Result<Scene, Failure> {
    let (plate, post) = (cuboid(1.0, 0.125, 0.125)?, cuboid(0.25, 0.25, 2.0)?);
    let ball = Model::new(Convex::sphere(0.125)?)?;
    let mut scene = Scene::default();
    let joint =
        |name: &str, kind, axis, mimic| Joint { name: name.to_owned(), kind, axis, limits: None, mimic };
    let turn = joint("turn", JointKind::Turn, DVec3::Z, None);
    let first = Link { name: "first".to_owned(), parent: 0, origin: Pose::IDENTITY, joint: Some(turn) };
    let first = scene.add_link(first)?;
    let slide = joint("slide", JointKind::Slide, dvec3(2.0, 0.0, 0.0), None);
    let origin = Pose::from_translation(dvec3(1.25, 0.0, 0.5));
    let second =
        scene.add_link(Link { name: "second".to_owned(), parent: first, origin, joint: Some(slide) })?;
    let follower = joint("follower", JointKind::Turn, DVec3::Y, Some((0, 0.5, 0.125)));
    let origin = Pose::from_translation(dvec3(0.0, 0.0, 0.5));
    let third =
        scene.add_link(Link { name: "third".to_owned(), parent: first, origin, joint: Some(follower) })?;
    scene.add_body("plate", first, &plate, Pose::from_translation(dvec3(0.75, 0.0, 0.0)), 0.0)?;
    scene.add_body("post", 0, &post, Pose::from_translation(dvec3(0.0, 1.0, 0.0)), 0.0)?;
    scene.add_body("tip", second, &ball, Pose::IDENTITY, 0.0)?;
    scene.add_body("tail", third, &ball, Pose::from_translation(dvec3(0.5, 0.0, 0.5)), 0.0)?;
    // Around the plate wherever it turns.
    let axle = Model::new(Convex::cylinder(2.0, 0.5)?)?;
    scene.add_body("axle", 0, &axle, Pose::IDENTITY, 0.0)?;
    Ok(scene)
}

/// The plate meets the post.
const QUARTER: [f64; 3] = [std::f64::consts::FRAC_PI_2, 0.0, 0.125 + 0.5 * std::f64::consts::FRAC_PI_2];

/// A robot over paths, curves and ranges.
fn moving(all: &mut Vec<Base>) -> Result<(), Failure> {
    let row = |turn: f64, slide: f64| vec![turn, slide, 0.5 * turn + 0.125];
    let pair = || vec![[0, 1]];
    let mut add = |name, statement: Statement, collides: Option<&[f64]>| {
        all.push(base(name, arm()?, vec![statement], collides)?);
        Ok::<_, Failure>(())
    };
    let along = || Region::Along(vec![row(-0.5, 0.0), row(0.5, 0.25), row(0.75, 0.0)]);
    let ranges = || Region::Box(vec![Some([-0.75, 0.75]), Some([0.0, 0.25]), None]);
    add("a path", Statement::separated(pair(), along()), Some(&QUARTER))?;
    let pieces =
        vec![vec![row(-0.5, 0.0), row(0.0, 0.5), row(0.5, 0.0)], vec![row(0.5, 0.0), row(0.75, 0.25)]];
    let curve = Region::Curve { pieces, deviation: vec![0.03125, 0.0, 0.015625] };
    add("curves", Statement::separated(pair(), curve), Some(&QUARTER))?;
    add("never", Statement::separated(pair(), ranges()), Some(&QUARTER))?;
    let disabled = [[0, 2], [0, 3], [0, 4], [2, 3], [2, 4], [3, 4]];
    let disabled = disabled.into_iter().map(|pair| (pair, "adjacent".to_owned())).collect();
    let pairs = vec![[0, 1], [1, 2], [1, 3]];
    let complete =
        Statement { disabled, complete: true, clearance: 0.0625, ..Statement::separated(pairs, ranges()) };
    add("a complete statement", complete, None)?;
    add("always", Statement::colliding(vec![[0, 4]], ranges()), None)?;
    add("always, of two pairs", Statement::colliding(vec![[0, 1], [0, 4]], ranges()), None)?;
    add("a collision along a path", Statement::colliding(vec![[0, 4]], along()), None)?;
    add("can collide", Statement::colliding(pair(), Region::At(QUARTER.to_vec())), None)?;
    let two = vec![Statement::separated(vec![[0, 1]], ranges()), Statement::separated(vec![[1, 2]], along())];
    all.push(base("two statements", arm()?, two, Some(&QUARTER))?);
    Ok(())
}

/// All of them, a statement each in the first place.
pub(crate) fn all() -> Result<Vec<Base>, Failure> {
    let mut all = Vec::new();
    at_rest(&mut all)?;
    moving(&mut all)?;
    Ok(all)
}
