//! Attacks that count: rays with a crossing for every face, over covers that have faces twice or not at all.

use super::Draw;
use super::lies::{Forged, Rule};
use super::value::Value;

pub(crate) const COUNTING: [(&str, Rule); 4] = [
    ("every face is crossed", |f, d| f.cross_all(0, d)),
    ("every face is crossed, one is counted twice", |f, d| f.cross_all(1, d)),
    ("every face is crossed, some are counted again", |f, d| {
        let more = 2 + d.below(4) as i64;
        f.cross_all(more, d)
    }),
    ("every face is crossed but one", |f, d| f.cross_all(-1, d)),
];

impl Forged {
    /// Doubles faces in the leaves of covers, or leaves one out, and gives the first statement rays that cross all that
    /// the covers list.
    fn cross_all(&mut self, more: i64, draw: &mut Draw) -> bool {
        let pair = self.statement().key("pairs").list()[0].clone();
        let shapes = [0, 1].map(|k| {
            let body = pair.list()[k].index();
            self.header().key("bodies").list()[body].get("shape").map_or(0, Value::index)
        });
        let covers = shapes.map(|shape| self.cover_of(shape));
        for at in covers.into_iter().flatten() {
            self.recount(at, more, draw);
        }
        let between = self.between(&pair);
        let mut turned = 1.0;
        let rays = covers.map(|at| {
            turned = -turned;
            at.map(|at| self.full_ray(at, between.map(|x| turned * x), draw))
        });
        let list = |ray: &Option<Value>| Value::Array(ray.iter().cloned().collect());
        let claim = self.claim();
        let item = |tag: &str, more: Vec<Value>| {
            let entries = [Value::text(tag), Value::Int(0), Value::Int(0)];
            Value::Array(entries.into_iter().chain(more).collect())
        };
        let side = draw.below(2);
        let proof = match (&claim[..], &rays[1 - side], &rays[1]) {
            ("colliding", Some(ray), _) => {
                vec![Value::Int(0), Value::Int(3), Value::Int(side as i64), Value::Int(0), ray.clone()]
            }
            ("not inside", _, Some(ray)) => vec![Value::Int(draw.below(3) as i64), ray.clone()],
            _ => {
                let own = item("rays", vec![list(&rays[1]), list(&rays[0])]);
                let is_own = |item: &Value| {
                    item.list().iter().map(Value::as_text).next() == Some("rays")
                        && item.list()[1] == Value::Int(0)
                };
                self.items.retain(|item| !is_own(item));
                let end = self.items.len() - 1;
                self.items.insert(end, own);
                return true;
            }
        };
        let tree = Value::Array(vec![Value::Array(proof)]);
        let proof = item("proof", vec![Value::Int(0), Value::Array(Vec::new()), tree]);
        let is_own = |item: &Value| {
            ["proof", "proofs"].contains(&item.list()[0].as_text()) && item.list()[1] == Value::Int(0)
        };
        let end = self.items.len() - 1;
        let first = self.items[1..end].iter().position(is_own).map_or(end, |at| at + 1);
        let mut number = 0;
        self.items.retain(|item| {
            number += 1;
            number == 1 || item.list().is_empty() || !is_own(item)
        });
        self.items.insert(first.min(self.items.len() - 1), proof);
        true
    }

    fn cover_of(&self, shape: usize) -> Option<usize> {
        let of = |item: &Value| matches!(item.list(), [tag, own, _] if tag.as_text() == "cover" && own.index() == shape);
        self.items.iter().position(of)
    }

    /// Lists drawn faces of a cover again, or one not at all.
    fn recount(&mut self, cover: usize, more: i64, draw: &mut Draw) {
        let Some(nodes) = self.items[cover].list_mut().and_then(|item| item[2].list_mut()) else { return };
        let leaves: Vec<usize> =
            (0..nodes.len()).filter(|&at| nodes[at].list()[0] == Value::Int(1)).collect();
        for _ in 0..more.abs() {
            let leaf = leaves[draw.below(leaves.len())];
            let Some(faces) = nodes[leaf].list_mut().and_then(|node| node[2].list_mut()) else { return };
            let at = draw.below(faces.len().max(1));
            if faces.is_empty() {
                continue;
            }
            if more > 0 {
                faces.push(faces[at].clone());
            } else {
                faces.remove(at);
            }
        }
    }

    /// From the first body of a pair to the second, about, if both are at rest.
    fn between(&mut self, pair: &Value) -> [f64; 3] {
        let bodies = self.header().key("bodies").list();
        let place = |k: usize| bodies[pair.list()[k].index()].get("pose").map_or(&[][..], Value::list);
        let (a, b) = (place(0), place(1));
        std::array::from_fn(|axis| b[axis].number() - a[axis].number())
    }

    /// A ray that splits every node and crosses every face, in a drawn direction or in one near to a given.
    fn full_ray(&self, cover: usize, towards: [f64; 3], draw: &mut Draw) -> Value {
        let nodes = self.items[cover].list()[2].list();
        let (mut tokens, mut stack) = (Vec::new(), vec![0]);
        while let Some(at) = stack.pop() {
            let [kind, _, list] = nodes[at].list() else { continue };
            tokens.push(Value::Int(0));
            if *kind == Value::Int(1) {
                tokens.extend(vec![Value::Int(1); list.list().len()]);
            } else {
                stack.extend(list.list().iter().rev().map(Value::index));
            }
        }
        let aimed = f64::from(draw.below(4) > 0);
        let entry = |x: f64| (1e4 * (aimed * x + draw.between(-1.0, 1.0))) as i64;
        Value::Array(vec![Value::ints(&towards.map(entry)), Value::Array(tokens)])
    }
}
