//! The engine's judgement of what a certificate claims, read from its header without its proofs: an accepted change of
//! a header must leave claims that no sampled configuration contradicts.

use crate::value::Value;
use noli::answer::Containment;
use noli::glam::{DQuat, DVec3, EulerRot};
use noli::{Convex, Mesh, Model, Overlap, Placed, Pose, QueryContext, Relation, Scratch};

/// Configurations of a statement that are tested.
const SAMPLES: usize = 12;
/// Pairs of a statement that are tested.
const PAIRS: usize = 200;
/// Distances below this, relative to the sizes, are within the rounding of the poses here.
const ROUNDING: f64 = 1e-9;

/// Returns `true` if all of a body is in a solid, `false` if a point of it is not; none where the engine finds neither.
pub(crate) fn contained(a: &Placed<'_>, b: &Placed<'_>) -> Option<bool> {
    match noli::relation(a, b) {
        Relation::Separated | Relation::Intersecting => Some(false),
        Relation::Inside => match QueryContext::new(&mut Scratch::default()).containment(a, b).hit()? {
            Containment::AInB | Containment::Same => Some(true),
            Containment::BInA => Some(false),
            Containment::Parts => None,
        },
        Relation::Touching | Relation::Unknown => None,
    }
}

struct Link {
    parent: usize,
    origin: Pose,
    /// The number of the joint, its kind and its axis.
    joint: Option<(usize, bool, DVec3)>,
}

struct Body {
    link: usize,
    model: Model,
    pose: Pose,
    padding: f64,
}

/// The scene of a header.
struct Scene {
    links: Vec<Link>,
    /// The joint that each joint follows.
    mimics: Vec<Option<(usize, f64, f64)>>,
    bodies: Vec<Body>,
}

/// Claims that were tested, and those that are false; none if the header describes nothing that the engine takes.
pub(crate) fn judge(data: &[u8], share: &mut impl FnMut() -> f64) -> Option<(usize, usize)> {
    let header = Value::read(&mut &*data)?;
    let scene = Scene::new(&header)?;
    let (mut tested, mut contradicted) = (0, 0);
    for statement in header.get("statements")?.array()? {
        let claim = statement.get("claim")?.text()?;
        let clearance = statement.get("clearance").and_then(Value::number).unwrap_or(0.0);
        let pairs = statement.get("pairs")?.array()?.iter().take(PAIRS);
        let pairs: Vec<[usize; 2]> = pairs
            .map(|pair| {
                pair.numbers().and_then(|pair| Some([*pair.first()? as usize, *pair.get(1)? as usize]))
            })
            .collect::<Option<_>>()?;
        for values in scene.configurations(statement.get("region")?, share)? {
            let mut distances = pairs.iter().map(|pair| scene.distance(*pair, &values));
            let holds = match claim {
                "separated" => distances.zip(&pairs).all(|((distance, size), [a, b])| {
                    let padding = scene.bodies[*a].padding + scene.bodies[*b].padding;
                    let collides = distance.is_none();
                    !collides && distance.unwrap_or(0.0) >= clearance + padding - ROUNDING * size
                }),
                // One of the pairs that are not tested may be the one in collision.
                "colliding" => {
                    pairs.len() == PAIRS
                        || distances.any(|(distance, size)| distance.unwrap_or(0.0) <= ROUNDING * size)
                }
                "inside" => pairs.iter().all(|pair| scene.contained(*pair, &values) != Some(false)),
                _ => pairs.iter().all(|pair| scene.contained(*pair, &values) != Some(true)),
            };
            tested += 1;
            contradicted += usize::from(!holds);
        }
    }
    Some((tested, contradicted))
}

impl Scene {
    fn new(header: &Value) -> Option<Self> {
        let models: Vec<Model> = header.get("shapes")?.array()?.iter().map(model).collect::<Option<_>>()?;
        let (mut links, mut mimics) = (Vec::new(), Vec::new());
        for link in header.get("links")?.array()? {
            let joint = link.get("joint").and_then(|joint| {
                let axis = joint.get("axis")?.numbers()?;
                let mimic = joint.get("mimic").and_then(Value::numbers);
                mimics.push(mimic.and_then(|m| Some((*m.first()? as usize, *m.get(1)?, *m.get(2)?))));
                let axis = DVec3::new(*axis.first()?, *axis.get(1)?, *axis.get(2)?).normalize();
                Some((mimics.len() - 1, joint.get("kind")?.text()? == "turn", axis))
            });
            links.push(Link {
                parent: link.get("parent").and_then(Value::index).unwrap_or(0),
                origin: link.get("origin").map_or(Some(Pose::IDENTITY), placement)?,
                joint,
            });
        }
        let body = |body: &Value| {
            Some(Body {
                link: body.get("link")?.index()?,
                model: models.get(body.get("shape")?.index()?)?.clone(),
                pose: placement(body.get("pose")?)?,
                padding: body.get("padding").and_then(Value::number).unwrap_or(0.0),
            })
        };
        let bodies = header.get("bodies")?.array()?.iter().map(body).collect::<Option<_>>()?;
        Some(Self { links, mimics, bodies })
    }

    fn place(&self, body: &Body, values: &[f64]) -> Pose {
        let (mut pose, mut at) = (body.pose, body.link);
        while at != 0 {
            let link = &self.links[at];
            if let Some((joint, turns, axis)) = link.joint {
                let value = values[joint];
                let moved = if turns {
                    Pose::new(DQuat::from_axis_angle(axis, value), DVec3::ZERO)
                } else {
                    Pose::from_translation(axis * value)
                };
                pose = moved * pose;
            }
            pose = link.origin * pose;
            at = link.parent;
        }
        pose
    }

    fn contained(&self, pair: [usize; 2], values: &[f64]) -> Option<bool> {
        let [a, b] = pair.map(|body| &self.bodies[body]);
        contained(&a.model.at(self.place(a, values)), &b.model.at(self.place(b, values)))
    }

    /// The largest distance that two bodies may have, none if they collide by more than rounding; and their size.
    fn distance(&self, pair: [usize; 2], values: &[f64]) -> (Option<f64>, f64) {
        let [a, b] = pair.map(|body| &self.bodies[body]);
        let [p, q] = [a, b].map(|body| self.place(body, values));
        let size = [(a, p), (b, q)]
            .iter()
            .map(|(body, pose)| {
                let bounds = body.model.aabb();
                bounds.min.abs().max(bounds.max.abs()).length() + pose.translation.length()
            })
            .sum::<f64>();
        let (x, y) = (a.model.at(p), b.model.at(q));
        if noli::overlap(&x, &y) == Overlap::Hit {
            // Bodies that touch up to rounding are separated by a shift of that size in some direction.
            let shift = |d: DVec3| Pose::new(q.rotation, q.translation + d * (ROUNDING * size));
            let axes = [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z];
            let parts = |d: &DVec3| noli::overlap(&x, &b.model.at(shift(*d))) == Overlap::Free;
            return (axes.iter().any(parts).then_some(0.0), size);
        }
        (Some(noli::clearance(&x, &y).distance.at_most), size)
    }

    fn configurations(&self, region: &Value, share: &mut impl FnMut() -> f64) -> Option<Vec<Vec<f64>>> {
        if let Some(at) = region.get("at") {
            return Some(vec![at.numbers()?]);
        }
        if let Some(along) = region.get("along") {
            let rows: Vec<Vec<f64>> = along.array()?.iter().map(Value::numbers).collect::<Option<_>>()?;
            let edges = rows.len() - 1;
            let point = |k: usize, t: f64| {
                let edge = k % edges;
                rows[edge].iter().zip(&rows[edge + 1]).map(|(a, b)| a + t * (b - a)).collect::<Vec<f64>>()
            };
            let ends = (0..edges.min(SAMPLES)).map(|k| point(k, 0.0)).collect::<Vec<_>>();
            let inner = (0..SAMPLES).map(|k| point(k, share())).collect::<Vec<_>>();
            return Some([ends, vec![point(edges - 1, 1.0)], inner].concat());
        }
        let ranges: Vec<Option<Vec<f64>>> =
            region.get("box")?.array()?.iter().map(|range| range.numbers()).collect();
        Some(
            (0..SAMPLES)
                .map(|_| {
                    let mut draw = |range: &Option<Vec<f64>>| match range.as_deref() {
                        Some([low, high]) => low + (high - low) * share(),
                        _ => 0.0,
                    };
                    let mut values: Vec<f64> = ranges.iter().map(&mut draw).collect();
                    for (joint, mimic) in self.mimics.iter().enumerate() {
                        if let Some((of, by, plus)) = mimic {
                            values[joint] = by * values[*of] + plus;
                        }
                    }
                    values
                })
                .collect(),
        )
    }
}

fn placement(value: &Value) -> Option<Pose> {
    let numbers = value.numbers()?;
    let at = DVec3::new(*numbers.first()?, *numbers.get(1)?, *numbers.get(2)?);
    let turn = match numbers[3..] {
        [] => DQuat::IDENTITY,
        [roll, pitch, yaw] => DQuat::from_euler(EulerRot::ZYX, yaw, pitch, roll),
        [x, y, z, w] => DQuat::from_xyzw(x, y, z, w).normalize(),
        _ => return None,
    };
    turn.is_finite().then(|| Pose::new(turn, at))
}

fn model(shape: &Value) -> Option<Model> {
    let length = |key: &str| shape.get(key).and_then(Value::number);
    let convex = match shape.get("kind")?.text()? {
        "box" => {
            let size = shape.get("size")?.numbers()?;
            Convex::cuboid(DVec3::new(*size.first()?, *size.get(1)?, *size.get(2)?))
        }
        "sphere" => Convex::sphere(length("radius")?),
        "capsule" => Convex::capsule(length("length")?, length("radius")?),
        "cylinder" => Convex::cylinder(length("length")?, length("radius")?),
        _ => return mesh(shape),
    };
    Model::new(convex.ok()?).ok()
}

fn mesh(shape: &Value) -> Option<Model> {
    let Value::Bytes(bytes) = shape.get("triangles")? else { return None };
    let number = |part: &[u8]| Some(f64::from_be_bytes(part.try_into().ok()?));
    let numbers: Vec<f64> = bytes.chunks_exact(8).map(number).collect::<Option<_>>()?;
    let vertices: Vec<DVec3> = numbers.chunks_exact(3).map(DVec3::from_slice).collect();
    let triangles = (0..vertices.len() as u32 / 3).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    let mesh = Mesh::from_triangles(vertices, triangles, &Default::default()).ok()?;
    let solid = shape.get("solid") == Some(&Value::Bool(true));
    Model::new(if solid { mesh.into_solid() } else { mesh }).ok()
}
