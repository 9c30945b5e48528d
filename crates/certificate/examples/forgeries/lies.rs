//! Changes of a header that make its first statement false by construction, whatever the proofs say.

use super::Draw;
use super::value::Value;

/// A certificate that is being forged.
pub(crate) struct Forged {
    pub(crate) items: Vec<Value>,
    /// A configuration in which the bodies of each pair of the first statement collide.
    pub(crate) collides: Option<Vec<f64>>,
}

/// A rule of the grammar: `false` where it does not apply.
pub(crate) type Rule = fn(&mut Forged, &mut Draw) -> bool;

/// More than the size of every scene.
const FAR: f64 = 1000.0;

impl Forged {
    pub(crate) fn header(&mut self) -> &mut Value {
        &mut self.items[0]
    }

    pub(crate) fn statement(&mut self) -> &mut Value {
        &mut self.header().key("statements").list_mut().expect("statements")[0]
    }

    pub(crate) fn claim(&mut self) -> String {
        self.statement().key("claim").as_text().to_owned()
    }

    fn bodies(&mut self) -> &mut Vec<Value> {
        self.header().key("bodies").list_mut().expect("bodies")
    }

    fn pairs(&mut self) -> &mut Vec<Value> {
        self.statement().key("pairs").list_mut().expect("pairs")
    }

    /// One of the pairs, by its place among them and its bodies.
    fn pair(&mut self, draw: &mut Draw) -> (usize, [usize; 2]) {
        let at = draw.below(self.pairs().len());
        let pair = self.pairs()[at].list();
        (at, [pair[0].index(), pair[1].index()])
    }

    fn set_claim(&mut self, claim: &str) {
        self.statement().remove("clearance");
        *self.statement().key("claim") = Value::text(claim);
    }

    /// Whether a body of the first statement is a solid mesh.
    fn is_solid(&mut self, body: usize) -> bool {
        let shape = self.bodies()[body].key("shape").index();
        self.items[0]
            .get("shapes")
            .is_some_and(|shapes| shapes.list()[shape].get("solid") == Some(&Value::Bool(true)))
    }

    /// Moves a body far away; its placement may be of 3, 6 or 7 numbers.
    fn move_far(&mut self, body: usize, draw: &mut Draw) {
        let axis = draw.below(3);
        let pose = self.bodies()[body].key("pose").list_mut().expect("a pose");
        // All bodies of the scenes at rest are within 5 of their places.
        pose[axis] = Value::Float(12.0 * f64::from(10u32.pow(draw.below(5) as u32)));
    }
}

pub(crate) const LIES: [(&str, Rule); 24] = [
    ("coincide", coincide),
    ("coincide, quaternion scaled", coincide_scaled),
    ("coincide, by a copy of the shape", coincide_by_copy),
    ("clearance too large", |f, draw| {
        separated(f) && {
            *f.statement().key("clearance") = Value::Float(FAR * (1.0 + draw.unit()));
            true
        }
    }),
    ("clearance in other units", |f, _| {
        let old = f.statement().get("clearance").map_or(0.0, Value::number);
        separated(f) && old > 0.0 && {
            *f.statement().key("clearance") = Value::Float(old * FAR * 100.0);
            true
        }
    }),
    ("padding too large", |f, draw| {
        separated(f) && {
            let (_, pair) = f.pair(draw);
            *f.bodies()[pair[draw.below(2)]].key("padding") = Value::Float(FAR * (1.0 + draw.unit()));
            true
        }
    }),
    ("separated called colliding", |f, _| separated(f) && call(f, "colliding")),
    ("separated called inside", |f, draw| {
        let (_, [_, b]) = f.pair(draw);
        separated(f) && f.is_solid(b) && call(f, "inside")
    }),
    ("colliding called separated", |f, _| {
        f.claim() == "colliding" && f.pairs().len() == 1 && call(f, "separated")
    }),
    ("inside called separated", |f, _| f.claim() == "inside" && call(f, "separated")),
    ("inside called not inside", |f, _| f.claim() == "inside" && call(f, "not inside")),
    ("not inside called inside", |f, _| f.claim() == "not inside" && call(f, "inside")),
    ("reversed inside", |f, _| {
        f.claim() == "inside" && {
            let [a, b] = [f.pairs()[0].list()[0].clone(), f.pairs()[0].list()[1].clone()];
            let solid = f.is_solid(a.index());
            f.pairs()[0] = Value::Array(vec![b, a]);
            solid
        }
    }),
    ("moved far", |f, draw| {
        ["colliding", "inside"].contains(&&f.claim()[..]) && f.pairs().len() == 1 && {
            let (_, [a, b]) = f.pair(draw);
            let moved = if draw.below(2) == 0 { a } else { b };
            f.move_far(moved, draw);
            true
        }
    }),
    ("re-bound to a far copy", |f, draw| {
        ["colliding", "inside"].contains(&&f.claim()[..]) && f.pairs().len() == 1 && {
            let (_, [a, b]) = f.pair(draw);
            let copy = f.bodies()[b].clone();
            f.bodies().push(copy);
            let last = f.bodies().len() - 1;
            f.move_far(last, draw);
            f.pairs()[0] = Value::ints(&[a as i64, last as i64]);
            true
        }
    }),
    ("re-bound to a copy of itself", |f, draw| {
        let claim = f.claim();
        let (at, [a, _]) = f.pair(draw);
        let right = claim == "separated" || ["inside", "not inside"].contains(&&claim[..]) && f.is_solid(a);
        right && {
            let copy = f.bodies()[a].clone();
            f.bodies().push(copy);
            let last = f.bodies().len() as i64 - 1;
            f.pairs()[at] = Value::ints(&[a as i64, last]);
            *f.statement().key("complete") = Value::Bool(false);
            true
        }
    }),
    ("the solid is the body itself", |f, _| {
        let pair = f.pairs()[0].clone();
        let [a, b] = [0, 1].map(|k| pair.list()[k].index());
        f.claim() == "not inside" && f.is_solid(a) && {
            f.bodies()[b] = f.bodies()[a].clone();
            true
        }
    }),
    ("a size in other units", |f, draw| {
        separated(f) && {
            let (_, pair) = f.pair(draw);
            let shape = f.bodies()[pair[draw.below(2)]].key("shape").index();
            let shape = &mut f.header().key("shapes").list_mut().expect("shapes")[shape];
            let kind = shape.key("kind").as_text().to_owned();
            // All other bodies of the scenes are within a few units.
            match &kind[..] {
                "sphere" => *shape.key("radius") = Value::Float(FAR),
                "box" => *shape.key("size") = Value::floats(&[FAR; 3]),
                "capsule" => *shape.key("radius") = Value::Float(FAR),
                "cylinder" => {
                    *shape.key("radius") = Value::Float(FAR);
                    *shape.key("length") = Value::Float(FAR);
                }
                _ => return false,
            }
            true
        }
    }),
    ("a colliding configuration", |f, _| {
        separated(f)
            && f.collides.clone().is_some_and(|state| {
                *f.statement().key("region") = Value::Map(vec![("at".to_owned(), Value::floats(&state))]);
                true
            })
    }),
    ("a path to a collision", |f, draw| separated(f) && extended(f, "along", draw)),
    ("a curve to a collision", |f, draw| separated(f) && extended(f, "curve", draw)),
    ("a wider range", |f, _| separated(f) && wider(f)),
    ("a deviation to a collision", |f, _| {
        separated(f) && f.collides.is_some() && {
            let region = f.statement().key("region");
            region.get("curve").is_some() && {
                *region.key("deviation") = Value::floats(&[3.0; 3]);
                true
            }
        }
    }),
    ("a pair left out of a complete statement", |f, draw| {
        f.statement().get("complete") == Some(&Value::Bool(true)) && {
            let list = if draw.below(2) == 0 { "pairs" } else { "disabled" };
            let entries = f.statement().key(list).list_mut().expect("pairs");
            let at = draw.below(entries.len());
            entries.len() > 1 && {
                entries.remove(at);
                true
            }
        }
    }),
];

fn separated(f: &mut Forged) -> bool {
    f.claim() == "separated"
}

fn call(f: &mut Forged, claim: &str) -> bool {
    f.set_claim(claim);
    true
}

/// The second body of a pair is made the first: both have all points in common.
fn coincide(f: &mut Forged, draw: &mut Draw) -> bool {
    let (_, [a, b]) = f.pair(draw);
    separated(f) && {
        let name = f.bodies()[b].key("name").clone();
        f.bodies()[b] = f.bodies()[a].clone();
        *f.bodies()[b].key("name") = name;
        true
    }
}

/// The same, and the rotation is that of another quaternion along the same line.
fn coincide_scaled(f: &mut Forged, draw: &mut Draw) -> bool {
    let (_, [a, b]) = f.pair(draw);
    if !separated(f) {
        return false;
    }
    f.bodies()[b] = f.bodies()[a].clone();
    let factor = [-1.0, 2.0, 1024.0, 0.0009765625][draw.below(4)];
    let pose = f.bodies()[b].key("pose").list_mut().expect("a pose");
    match pose.len() {
        3 => pose.extend([0.0, 0.0, 0.0, factor].map(Value::Float)),
        7 => pose[3..].iter_mut().for_each(|x| *x = Value::Float(x.number() * factor)),
        _ => {}
    }
    true
}

/// The same, with a shape and a cover of its own.
fn coincide_by_copy(f: &mut Forged, draw: &mut Draw) -> bool {
    let (_, [a, b]) = f.pair(draw);
    if !separated(f) {
        return false;
    }
    f.bodies()[b] = f.bodies()[a].clone();
    let own = f.bodies()[a].key("shape").index();
    let shapes = f.header().key("shapes").list_mut().expect("shapes");
    shapes.push(shapes[own].clone());
    let copy = shapes.len() as i64 - 1;
    *f.bodies()[b].key("shape") = Value::Int(copy);
    let cover = f.items.iter().position(
        |item| matches!(item.list(), [tag, shape, _] if tag.as_text() == "cover" && shape.index() == own),
    );
    if let Some(at) = cover {
        let nodes = f.items[at].list()[2].clone();
        f.items.insert(at + 1, Value::Array(vec![Value::text("cover"), Value::Int(copy), nodes]));
    }
    true
}

/// Appends a colliding configuration to a path or a curve, or puts it in the place of one.
fn extended(f: &mut Forged, kind: &str, draw: &mut Draw) -> bool {
    let Some(state) = f.collides.as_deref().map(Value::floats) else { return false };
    let region = f.statement().key("region");
    if region.get(kind).is_none() {
        return false;
    }
    let pieces = region.key(kind).list_mut().expect("configurations");
    let end = pieces.len() - 1;
    match (kind, draw.below(3)) {
        ("along", 0) => pieces.push(state),
        ("along", 1) => pieces[end] = state,
        ("along", _) => pieces[0] = state,
        (_, 0) => {
            let last = pieces[end].list().last().cloned().unwrap_or(Value::Null);
            pieces.push(Value::Array(vec![last, state]));
        }
        _ => {
            let controls = pieces[end].list_mut().expect("controls");
            let last = controls.len() - 1;
            controls[last] = state;
        }
    }
    true
}

/// Ranges with a colliding configuration in them.
fn wider(f: &mut Forged) -> bool {
    let Some(state) = f.collides.clone() else { return false };
    let region = f.statement().key("region");
    if region.get("box").is_none() {
        return false;
    }
    for (range, value) in region.key("box").list_mut().expect("ranges").iter_mut().zip(state) {
        if let Value::Array(ends) = range {
            let [low, high] = [ends[0].number().min(value), ends[1].number().max(value)];
            *range = Value::floats(&[low, high]);
        }
    }
    true
}
