//! Statements of a certificate, and the configurations that they are about.

use super::number::Q;
use super::pair::World;
use super::read::{Checked, Value, fault, need};
use std::collections::HashSet;

/// Ranges of the values that are split.
pub(super) type Cell = Vec<[Q; 2]>;

pub(super) struct Statement {
    pub(super) claim: String,
    pub(super) pairs: Vec<[usize; 2]>,
    pub(super) region: Region,
    pub(super) clearance: Q,
}

pub(super) enum Region {
    At(Vec<Q>),
    Along(Vec<Vec<Q>>),
    /// Bézier curves by their control values, and deviations.
    Curve(Vec<Vec<Vec<Q>>>, Vec<Q>),
    Box(Vec<Option<[Q; 2]>>),
}

pub(super) fn read_statement(value: &Value, world: &World) -> Checked<Statement> {
    let get = value.map(&["title", "claim", "pairs", "region", "clearance", "disabled", "complete"])?;
    get("title").map_or(Ok(""), Value::text)?;
    let claim = need(get("claim"), "claim")?.text()?.to_owned();
    if !["separated", "colliding", "inside", "not inside"].contains(&claim.as_str()) {
        return fault("E-HEADER", "claim");
    }
    let read_pair = |items: &[Value]| -> Checked<[usize; 2]> {
        let [a, b] = [0, 1].map(|k| items[k].index(world.bodies.len()));
        let (a, b) = (a?, b?);
        if a == b { fault("E-HEADER", "pair") } else { Ok([a, b]) }
    };
    let mut listed = HashSet::new();
    let mut pairs = Vec::new();
    for item in need(get("pairs"), "pairs")?.array()? {
        let items = item.array()?;
        let pair = if items.len() == 2 { read_pair(items)? } else { return fault("E-HEADER", "pair") };
        if !listed.insert([pair[0].min(pair[1]), pair[0].max(pair[1])]) {
            return fault("E-HEADER", "a pair twice");
        }
        pairs.push(pair);
    }
    let inside = |pair: &[usize; 2]| world.shapes[world.bodies[pair[1]].shape].is_solid_mesh();
    if pairs.is_empty() || (claim.ends_with("inside") && !pairs.iter().all(inside)) {
        return fault("E-HEADER", "pairs");
    }
    let mut disabled = HashSet::new();
    for item in get("disabled").map_or(Ok(&[][..]), Value::array)? {
        let items = item.array()?;
        if items.len() != 3 {
            return fault("E-HEADER", "disabled");
        }
        items[2].text()?;
        let [a, b] = read_pair(items)?;
        let pair = [a.min(b), a.max(b)];
        if listed.contains(&pair) || !disabled.insert(pair) {
            return fault("E-PAIRS", "a disabled pair twice");
        }
    }
    if get("complete").map_or(Ok(false), Value::bool)? {
        let fixed = |body: usize| {
            world.ancestors(world.bodies[body].link).iter().all(|&link| world.links[link].joint.is_none())
        };
        for b in 0..world.bodies.len() {
            for a in 0..b {
                let wanted = world.bodies[a].link != world.bodies[b].link && !(fixed(a) && fixed(b));
                let said = listed.contains(&[a, b]) || disabled.contains(&[a, b]);
                if wanted && !said {
                    return fault("E-PAIRS", format!("{a} and {b}"));
                }
            }
        }
    }
    let clearance = get("clearance").map_or(Ok(Q::zero()), Value::number)?;
    if clearance.sign() < 0 || (get("clearance").is_some() && claim != "separated") {
        return fault("E-HEADER", "clearance");
    }
    Ok(Statement { claim, pairs, region: read_region(need(get("region"), "region")?, world)?, clearance })
}

fn read_region(value: &Value, world: &World) -> Checked<Region> {
    let get = value.map(&["at", "along", "curve", "deviation", "box"])?;
    let configuration = |value: &Value| {
        let values = value.numbers()?;
        if values.len() == world.joints.len() { Ok(values) } else { fault("E-HEADER", "configuration") }
    };
    if let Some(curve) = get("curve") {
        if [get("at"), get("along"), get("box")].iter().any(Option::is_some) {
            return fault("E-HEADER", "region");
        }
        let deviation = get("deviation").map_or(Ok(vec![Q::zero(); world.joints.len()]), configuration)?;
        let piece = |piece: &Value| piece.array()?.iter().map(configuration).collect::<Checked<Vec<_>>>();
        let pieces = curve.array()?.iter().map(piece).collect::<Checked<Vec<_>>>()?;
        let joined = pieces.windows(2).all(|two| two[0].last() == two[1].first());
        let sized = !pieces.is_empty() && pieces.iter().all(|piece| (2..=10).contains(&piece.len()));
        if !joined || !sized || deviation.iter().any(|each| *each < Q::zero()) {
            return fault("E-HEADER", "curve");
        }
        return Ok(Region::Curve(pieces, deviation));
    }
    if get("deviation").is_some() {
        return fault("E-HEADER", "region");
    }
    let region = match (get("at"), get("along"), get("box")) {
        (Some(at), None, None) => Region::At(configuration(at)?),
        (None, Some(along), None) => {
            let along = along.array()?.iter().map(configuration).collect::<Checked<Vec<_>>>()?;
            if along.len() < 2 {
                return fault("E-HEADER", "path");
            }
            Region::Along(along)
        }
        (None, None, Some(ranges)) => {
            let ranges = ranges.array()?;
            if ranges.len() != world.joints.len() {
                return fault("E-HEADER", "box");
            }
            let mut read = Vec::new();
            for (range, joint) in ranges.iter().zip(&world.joints) {
                read.push(match (range, &joint.mimic) {
                    (Value::Null, Some(_)) => None,
                    (Value::Array(_), None) => match <[Q; 2]>::try_from(range.numbers()?) {
                        Ok(range) if range[0] <= range[1] => Some(range),
                        _ => return fault("E-HEADER", "range"),
                    },
                    _ => return fault("E-HEADER", "range"),
                });
            }
            Region::Box(read)
        }
        _ => return fault("E-HEADER", "region"),
    };
    let most = Q::int(64);
    let too_far = |(values, halves): (Vec<Q>, Vec<Q>)| {
        let all = world.joints.iter().zip(values.iter().zip(&halves));
        all.clone().any(|(joint, (value, half))| joint.turns && value.abs() + half.clone() > most)
    };
    let edges = region.edges();
    if (0..edges).any(|edge| too_far(region.center(world, edge, &region.whole()))) {
        return fault("E-LIMIT", "a turn");
    }
    Ok(region)
}

impl Region {
    pub(super) fn edges(&self) -> usize {
        match self {
            Self::Along(all) => all.len() - 1,
            Self::Curve(pieces, _) => pieces.len(),
            Self::At(_) | Self::Box(_) => 1,
        }
    }

    pub(super) fn whole(&self) -> Cell {
        match self {
            Self::At(_) => Vec::new(),
            Self::Along(_) | Self::Curve(..) => vec![[Q::zero(), Q::int(1)]],
            Self::Box(ranges) => ranges.iter().flatten().cloned().collect(),
        }
    }

    pub(super) fn center(&self, world: &World, edge: usize, cell: &Cell) -> (Vec<Q>, Vec<Q>) {
        let middle = |range: &[Q; 2]| (range[0].clone() + range[1].clone()).half();
        let half = |range: &[Q; 2]| (range[1].clone() - range[0].clone()).half();
        match self {
            Self::At(values) => (values.clone(), vec![Q::zero(); values.len()]),
            Self::Along(all) => {
                let (t, h) = (middle(&cell[0]), half(&cell[0]));
                let pairs = || all[edge].iter().zip(&all[edge + 1]);
                let change = |(from, to): (&Q, &Q)| to.clone() - from.clone();
                let values = pairs().map(|(from, to)| from.clone() + t.clone() * change((from, to)));
                (values.collect(), pairs().map(|pair| change(pair).abs() * h.clone()).collect())
            }
            Self::Curve(pieces, deviation) => curve_center(&pieces[edge], deviation, &cell[0]),
            Self::Box(ranges) => {
                let mut own = cell.iter();
                let (mut values, mut halves) = (Vec::new(), Vec::new());
                for range in ranges {
                    let range = range.as_ref().and_then(|_| own.next());
                    values.push(range.map_or(Q::zero(), middle));
                    halves.push(range.map_or(Q::zero(), half));
                }
                for (number, joint) in world.joints.iter().enumerate() {
                    if let Some((of, multiplier, offset)) = &joint.mimic {
                        values[number] = multiplier.clone() * values[*of].clone() + offset.clone();
                        halves[number] = multiplier.abs() * halves[*of].clone();
                    }
                }
                (values, halves)
            }
        }
    }
}

/// The values in the middle of a part of a curve, and bounds on those of the part.
fn curve_center(piece: &[Vec<Q>], deviation: &[Q], cell: &[Q; 2]) -> (Vec<Q>, Vec<Q>) {
    let between = |points: &[Q], shares: &[Q]| {
        let mut points = points.to_vec();
        for t in shares {
            points = points
                .windows(2)
                .map(|two| two[0].clone() + t.clone() * (two[1].clone() - two[0].clone()))
                .collect();
        }
        points.swap_remove(0)
    };
    let (middle, degree) = ((cell[0].clone() + cell[1].clone()).half(), piece.len() - 1);
    let (mut values, mut halves) = (Vec::new(), Vec::new());
    for (joint, more) in deviation.iter().enumerate() {
        let points: Vec<Q> = piece.iter().map(|state| state[joint].clone()).collect();
        let value = between(&points, &vec![middle.clone(); degree]);
        let mut most = Q::zero();
        for k in 0..=degree {
            let shares: Vec<Q> =
                (0..degree).map(|step| if step < k { cell[1].clone() } else { cell[0].clone() }).collect();
            let off = (between(&points, &shares) - value.clone()).abs();
            most = if off > most { off } else { most };
        }
        values.push(value);
        halves.push(more.clone() + most);
    }
    (values, halves)
}
