//! Changes of proofs, covers and rays that try to carry a false claim.

use super::Draw;
use super::lies::{Forged, Rule};
use super::value::Value;

impl Forged {
    /// The number of a drawn item of these kinds.
    fn item(&self, tags: &[&str], draw: &mut Draw) -> Option<usize> {
        let of = |item: &Value| item.list().first().is_some_and(|tag| tags.contains(&tag.as_text()));
        let all: Vec<usize> = (1..self.items.len()).filter(|&at| of(&self.items[at])).collect();
        (!all.is_empty()).then(|| all[draw.below(all.len())])
    }

    /// An entry of a drawn item.
    fn entry(&mut self, tags: &[&str], at: usize, draw: &mut Draw) -> Option<&mut Value> {
        let item = self.item(tags, draw)?;
        self.items[item].list_mut()?.get_mut(at)
    }

    /// The nodes of a drawn cover.
    fn nodes(&mut self, draw: &mut Draw) -> Option<&mut Vec<Value>> {
        self.entry(&["cover"], 2, draw)?.list_mut()
    }

    /// The list of a drawn node of a kind: 0 for nodes, 1 for faces.
    fn listed(&mut self, kind: i64, draw: &mut Draw) -> Option<&mut Vec<Value>> {
        let nodes = self.nodes(draw)?;
        let of = |node: &&mut Value| node.list().first() == Some(&Value::Int(kind));
        let count = nodes.iter_mut().filter(of).count();
        let at = draw.below(count.max(1));
        let list = nodes.iter_mut().filter(of).nth(at)?.list_mut()?.get_mut(2)?.list_mut()?;
        (!list.is_empty()).then_some(list)
    }

    /// A drawn leaf of a drawn tree.
    fn leaf(&mut self, draw: &mut Draw) -> Option<&mut Vec<Value>> {
        let item = self.item(&["proof", "proofs"], draw)?;
        let entries = self.items[item].list_mut()?;
        let last = entries.pop()?;
        let grouped = entries[0].as_text() == "proofs";
        entries.push(last);
        let mut tree = entries.last_mut()?.list_mut()?;
        if grouped {
            let at = draw.below(tree.len().max(1));
            tree = tree.get_mut(at)?.list_mut()?;
        }
        let count = tree.iter().filter(|token| !token.list().is_empty()).count();
        let at = draw.below(count.max(1));
        tree.iter_mut().filter(|token| !token.list().is_empty()).nth(at)?.list_mut()
    }

    /// The tokens of a drawn cut, or of a ray.
    fn tokens(&mut self, draw: &mut Draw) -> Option<&mut Vec<Value>> {
        if draw.below(2) == 0 && self.item(&["rays"], draw).is_some() {
            return self.ray(draw)?.get_mut(1)?.list_mut();
        }
        self.leaf(draw)
    }

    /// A drawn ray: direction and tokens.
    fn ray(&mut self, draw: &mut Draw) -> Option<&mut Vec<Value>> {
        let side = 3 + draw.below(2);
        let rays = self.entry(&["rays"], side, draw)?.list_mut()?;
        let at = draw.below(rays.len().max(1));
        rays.get_mut(at)?.list_mut()
    }

    /// A drawn direction among the tokens of a cut or a ray.
    fn direction(&mut self, draw: &mut Draw) -> Option<&mut Value> {
        let tokens = self.tokens(draw)?;
        let count = tokens.iter().filter(|token| token.list().len() == 3).count();
        let at = draw.below(count.max(1));
        tokens.iter_mut().filter(|token| token.list().len() == 3).nth(at)
    }
}

/// Applies a change where there is a place for it.
fn to<T>(place: Option<T>, change: impl FnOnce(T)) -> bool {
    place.map(change).is_some()
}

fn any_direction(draw: &mut Draw) -> Value {
    let size = [1.0, 2.0, 10.0, 1000.0, 1e12][draw.below(5)];
    let mut entry = || (draw.between(-size - 0.5, size + 0.5)).round() as i64;
    Value::ints(&[entry(), entry(), entry()])
}

fn any_token(draw: &mut Draw) -> Value {
    match draw.below(8) {
        0 => Value::Int(0),
        1 => Value::Int(1),
        2 => Value::Int(2 + draw.below(4) as i64),
        3 => Value::Null,
        4 => Value::Int(-1),
        5 => Value::Float(0.0),
        _ => any_direction(draw),
    }
}

/// A witness of a drawn kind.
fn any_witness(draw: &mut Draw) -> Vec<Value> {
    let mut small = |end: usize| Value::Int(draw.below(end) as i64);
    let (side, face, other, corner) = (small(2), small(12), small(12), small(3));
    let kind = small(4).index();
    let pair = small(2);
    let direction = any_direction(draw);
    let ray = Value::Array(vec![
        direction,
        Value::Array((0..1 + draw.below(13)).map(|_| any_token(draw)).collect()),
    ]);
    let mut witness = vec![pair, Value::Int(kind as i64)];
    witness.extend(match kind {
        0 => vec![side, face, corner, other],
        1 => vec![side, face, Value::ints(&[draw.below(3) as i64, draw.below(3) as i64 - 1, 1])],
        2 => {
            vec![Value::floats(&[draw.between(-1.0, 1.0), draw.between(-1.0, 1.0), draw.between(-1.0, 1.0)])]
        }
        _ => vec![side, Value::Int(0), ray],
    });
    witness
}

pub(crate) const COVERS: [(&str, Rule); 14] = [
    ("a face twice in a leaf", |f, d| to(f.listed(1, d), |list| list.push(list[0].clone()))),
    ("a drawn face twice in a leaf", |f, d| {
        let at = d.below(64);
        to(f.listed(1, d), |list| list.push(list[at % list.len()].clone()))
    }),
    ("a face in two leaves", |f, d| {
        let Some(face) = f.listed(1, d).map(|list| list[0].clone()) else { return false };
        to(f.listed(1, d), |list| list.push(face))
    }),
    ("a face left out", |f, d| to(f.listed(1, d), |list| drop(list.pop()))),
    ("a face exchanged for another", |f, d| {
        let face = Value::Int(d.below(12) as i64);
        to(f.listed(1, d), |list| list[0] = face)
    }),
    ("all faces of a leaf left out", |f, d| to(f.listed(1, d), |list| list.truncate(1))),
    ("a node twice", |f, d| to(f.listed(0, d), |list| list.push(list[0].clone()))),
    ("a node left out", |f, d| to(f.listed(0, d), |list| drop(list.pop()))),
    ("nodes in another order", |f, d| to(f.listed(0, d), |list| list.reverse())),
    ("a smaller box", |f, d| {
        to(f.nodes(d), |nodes| {
            let at = d.below(nodes.len());
            let numbers = nodes[at].list_mut().and_then(|node| node[1].list_mut());
            numbers.into_iter().for_each(|all| all[0] = Value::Int(all[0].index() as i64 - 1));
        })
    }),
    ("a flat box", |f, d| {
        to(f.nodes(d), |nodes| {
            let at = d.below(nodes.len());
            let numbers = nodes[at].list_mut().and_then(|node| node[1].list_mut());
            numbers.into_iter().for_each(|all| all[4..7].fill(Value::Int(0)));
        })
    }),
    ("a box elsewhere", |f, d| {
        to(f.nodes(d), |nodes| {
            let (at, axis) = (d.below(nodes.len()), 1 + d.below(3));
            let numbers = nodes[at].list_mut().and_then(|node| node[1].list_mut());
            numbers.into_iter().for_each(|all| all[axis] = Value::Int(1 << 50));
        })
    }),
    ("the cover of another shape", |f, d| {
        let Some(nodes) = f.nodes(d).cloned() else { return false };
        to(f.entry(&["cover"], 2, d), |own| *own = Value::Array(nodes))
    }),
    ("covers exchanged", |f, d| {
        let (Some(a), Some(b)) = (f.item(&["cover"], d), f.item(&["cover"], d)) else { return false };
        let [x, y] = [a, b].map(|at| f.items[at].list()[1].clone());
        let all = &mut f.items;
        to(all[a].list_mut(), |item| item[1] = y) && to(all[b].list_mut(), |item| item[1] = x)
    }),
];

pub(crate) const PROOFS: [(&str, Rule); 17] = [
    ("a direction exchanged", |f, d| {
        let other = any_direction(d);
        to(f.direction(d), |own| *own = other)
    }),
    ("a direction turned around", |f, d| {
        to(f.direction(d), |own| {
            let turned: Vec<Value> = own.list().iter().map(|x| Value::Int(-(x.number() as i64))).collect();
            *own = Value::Array(turned);
        })
    }),
    ("a direction of nothing", |f, d| to(f.direction(d), |own| *own = Value::ints(&[0, 0, 0]))),
    ("a direction beyond the limit", |f, d| {
        to(f.direction(d), |own| *own = Value::ints(&[i64::MAX, i64::MIN, 1]))
    }),
    ("a direction of other numbers", |f, d| {
        to(f.direction(d), |own| *own = Value::floats(&[1.0, -0.0, 1e-300]))
    }),
    ("a token left out", |f, d| to(f.tokens(d), |tokens| drop(tokens.pop()))),
    ("a token twice", |f, d| to(f.tokens(d), |tokens| tokens.extend(tokens.last().cloned()))),
    ("a token exchanged", |f, d| {
        let (token, at) = (any_token(d), d.below(64));
        to(f.tokens(d).filter(|tokens| !tokens.is_empty()), |tokens| {
            let at = at % tokens.len();
            tokens[at] = token;
        })
    }),
    ("a token added", |f, d| {
        let (token, at) = (any_token(d), d.below(64));
        to(f.tokens(d), |tokens| tokens.insert(at % (tokens.len() + 1), token))
    }),
    ("tokens in another order", |f, d| to(f.tokens(d), |tokens| tokens.reverse())),
    ("an empty leaf", |f, d| to(f.leaf(d), |leaf| leaf.clear())),
    ("a leaf of one plane", |f, d| {
        let plane = any_direction(d);
        to(f.leaf(d), |leaf| *leaf = vec![plane])
    }),
    ("a leaf of a reference", |f, d| {
        let back = 2 + d.below(4) as i64;
        to(f.leaf(d), |leaf| *leaf = vec![Value::Int(back)])
    }),
    ("a tree of nothing", |f, d| {
        to(f.entry(&["proof"], 5, d), |tree| *tree = Value::Array(vec![Value::Null]))
    }),
    ("a tree without leaves", |f, d| {
        to(f.entry(&["proof", "proofs"], 4, d), |tree| *tree = Value::Array(Vec::new()))
    }),
    ("a cell left open", |f, d| {
        to(f.entry(&["proof"], 5, d).and_then(Value::list_mut), |tree| {
            if let Some(last) = tree.last_mut() {
                *last = Value::Null;
            }
        })
    }),
    ("a split more", |f, d| {
        let dimension = d.below(4) as i64 - 1;
        to(f.entry(&["proof"], 5, d).and_then(Value::list_mut), |tree| {
            let leaf = tree.last().cloned().unwrap_or(Value::Null);
            tree.pop();
            tree.extend([Value::Int(dimension), leaf.clone(), leaf]);
        })
    }),
];

pub(crate) const RAYS: [(&str, Rule); 13] = [
    ("a face crossed twice", |f, d| to(f.ray_tokens(d), |tokens| tokens.push(Value::Int(1)))),
    ("a crossing left out", |f, d| {
        to(f.ray_tokens(d), |tokens| {
            if let Some(at) = tokens.iter().rposition(|token| *token == Value::Int(1)) {
                tokens.remove(at);
            }
        })
    }),
    ("a crossing for a plane", |f, d| {
        to(f.ray_tokens(d), |tokens| {
            let plane = tokens.iter().position(|token| token.list().len() == 3);
            plane.into_iter().for_each(|at| tokens[at] = Value::Int(1));
        })
    }),
    ("a plane for a crossing", |f, d| {
        let plane = any_direction(d);
        to(f.ray_tokens(d), |tokens| {
            let crossing = tokens.iter().position(|token| *token == Value::Int(1));
            crossing.into_iter().for_each(|at| tokens[at] = plane.clone());
        })
    }),
    ("one plane before all", |f, d| {
        let plane = any_direction(d);
        to(f.ray_tokens(d), |tokens| *tokens = vec![plane])
    }),
    ("only crossings", |f, d| {
        let count = 1 + d.below(26);
        to(f.ray_tokens(d), |tokens| {
            *tokens = [Value::Int(0)].into_iter().chain(vec![Value::Int(1); count]).collect()
        })
    }),
    ("a ray elsewhere", |f, d| {
        let direction = any_direction(d);
        to(f.ray(d), |ray| ray[0] = direction)
    }),
    ("a ray left out", |f, d| {
        let side = 3 + d.below(2);
        to(f.entry(&["rays"], side, d).and_then(Value::list_mut), |rays| drop(rays.pop()))
    }),
    ("a ray twice", |f, d| {
        let side = 3 + d.below(2);
        to(f.entry(&["rays"], side, d).and_then(Value::list_mut), |rays| rays.extend(rays.last().cloned()))
    }),
    ("sides exchanged", |f, d| {
        let Some(at) = f.item(&["rays"], d) else { return false };
        to(f.items[at].list_mut(), |item| item.swap(3, 4))
    }),
    ("no rays", |f, d| to(f.item(&["rays"], d), |at| drop(f.items.remove(at)))),
    ("empty rays", |f, d| {
        to(f.item(&["rays"], d), |at| {
            f.items[at] = Value::Array(
                [Value::text("rays"), Value::Int(0), Value::Int(0)]
                    .into_iter()
                    .chain(vec![Value::Array(Vec::new()); 2])
                    .collect(),
            );
        })
    }),
    ("rays that were not asked for", |f, d| {
        let end = f.items.len() - 1;
        let ray = Value::Array(vec![any_direction(d), Value::Array(vec![any_direction(d)])]);
        let rays = vec![Value::Array(vec![ray.clone()]), Value::Array(vec![ray])];
        f.items.insert(
            end,
            Value::Array(
                [Value::text("rays"), Value::Int(0), Value::Int(0)].into_iter().chain(rays).collect(),
            ),
        );
        true
    }),
];

impl Forged {
    /// The tokens of a drawn ray: of a rays item, or of a leaf with a ray.
    fn ray_tokens(&mut self, draw: &mut Draw) -> Option<&mut Vec<Value>> {
        if self.item(&["rays"], draw).is_some() {
            return self.ray(draw)?.get_mut(1)?.list_mut();
        }
        let leaf = self.leaf(draw)?;
        leaf.last_mut()?.list_mut()?.get_mut(1)?.list_mut()
    }
}

pub(crate) const WITNESSES: [(&str, Rule); 6] = [
    ("a drawn witness", |f, d| {
        let witness = any_witness(d);
        to(f.leaf(d), |leaf| *leaf = witness)
    }),
    ("a drawn witness in every leaf", |f, d| {
        let witness = Value::Array(any_witness(d));
        to(f.entry(&["proof"], 5, d).and_then(Value::list_mut), |tree| {
            tree.iter_mut()
                .filter(|token| !token.list().is_empty())
                .for_each(|token| *token = witness.clone());
        })
    }),
    ("another number in a witness", |f, d| {
        let (at, number) = (d.below(6), [0, 1, 2, 3, 11, -1, 1 << 62][d.below(7)]);
        to(f.leaf(d).filter(|leaf| at < leaf.len()), |leaf| leaf[at] = Value::Int(number))
    }),
    ("another point in a witness", |f, d| {
        let point = [
            Value::floats(&[0.0, -0.0, 0.0]),
            Value::floats(&[f64::NAN; 3]),
            Value::ints(&[0, 0, 0]),
            Value::ints(&[-1, 2, 0]),
        ][d.below(4)]
        .clone();
        to(f.leaf(d).and_then(|leaf| leaf.last_mut()), |last| *last = point)
    }),
    ("the other side of a witness", |f, d| {
        to(f.leaf(d).filter(|leaf| leaf.len() > 2), |leaf| {
            leaf[2] = Value::Int(1 - leaf[2].index().min(1) as i64)
        })
    }),
    ("a part of a witness left out", |f, d| to(f.leaf(d), |leaf| drop(leaf.pop()))),
];

pub(crate) const ITEMS: [(&str, Rule); 14] = [
    ("an item left out", |f, d| {
        let at = 1 + d.below(f.items.len() - 1);
        f.items.remove(at);
        true
    }),
    ("an item twice", |f, d| {
        let at = 1 + d.below(f.items.len() - 1);
        f.items.insert(at, f.items[at].clone());
        true
    }),
    ("items exchanged", |f, d| {
        let [a, b] = [0, 1].map(|_| 1 + d.below(f.items.len() - 1));
        f.items.swap(a, b);
        a != b
    }),
    ("of another statement", |f, d| {
        to(f.entry(&["proof", "proofs", "rays"], 1, d), |own| {
            *own = Value::Int(1 - own.index().min(1) as i64)
        })
    }),
    ("of another pair", |f, d| {
        let pair = d.below(4) as i64 - 1;
        to(f.entry(&["proof", "proofs", "rays"], 2, d), |own| *own = Value::Int(pair))
    }),
    ("of another edge", |f, d| {
        let edge = d.below(4) as i64 - 1;
        to(f.entry(&["proof", "proofs"], 3, d), |own| *own = Value::Int(edge))
    }),
    ("of another cell", |f, d| {
        let path: Vec<i64> = (0..1 + d.below(3)).map(|_| d.below(7) as i64 - 1).collect();
        to(f.entry(&["proof"], 4, d), |own| *own = Value::ints(&path))
    }),
    ("the other version", |f, _| {
        let version = f.header().key("version");
        *version = Value::Int(3 - version.index().min(2) as i64);
        true
    }),
    ("a proof for the new edge", |f, d| {
        let Some(at) = f.item(&["proof"], d) else { return false };
        let mut copy = f.items[at].clone();
        to(copy.list_mut(), |item| item[3] = Value::Int(item[3].index() as i64 + 1));
        f.items.insert(at, copy);
        true
    }),
    ("a proof for every edge", |f, d| {
        let Some(at) = f.item(&["proof"], d) else { return false };
        for edge in 0..4 {
            let mut copy = f.items[at].clone();
            to(copy.list_mut(), |item| item[3] = Value::Int(edge));
            if !f.items.contains(&copy) {
                f.items.insert(at, copy);
            }
        }
        true
    }),
    ("single proofs for grouped ones", |f, d| {
        let Some(at) = f.item(&["proofs"], d) else { return false };
        let item = f.items.remove(at);
        for (number, tree) in item.list()[4].list().iter().enumerate() {
            let pair = item.list()[2].index() + number;
            let entries = [
                Value::text("proof"),
                item.list()[1].clone(),
                Value::Int(pair as i64),
                item.list()[3].clone(),
            ];
            f.items.insert(
                at,
                Value::Array(entries.into_iter().chain([Value::Array(Vec::new()), tree.clone()]).collect()),
            );
        }
        true
    }),
    ("a single proof for a collision", |f, d| {
        let Some(at) = f.item(&["proofs"], d) else { return false };
        let entries =
            [Value::text("proof"), Value::Int(0), Value::Int(0), Value::Int(0), Value::Array(Vec::new())];
        let tree = Value::Array(vec![Value::Array(any_witness(d))]);
        f.items[at] = Value::Array(entries.into_iter().chain([tree]).collect());
        true
    }),
    ("a wrong end", |f, d| {
        let (end, count) = (f.items.len() - 1, d.below(9) as i64 - 1);
        to(f.items[end].list_mut(), |item| item[1] = Value::Int(count))
    }),
    ("something behind the end", |f, d| {
        let token = any_token(d);
        f.items.push(token);
        true
    }),
];
