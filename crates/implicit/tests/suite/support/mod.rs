//! Random expressions and cells, and their exact values.

use glam::DVec3;
use noli_geom::naive::Fixed;
use noli_geom::{Aabb, Interval};
use noli_implicit::{Affine, Binary, Cells, Choices, Expr, LANES, Op, Slopes, Tape, Unary};

pub(crate) use noli_testing::Random;

/// An expression of up to `size` operations on earlier ones.
pub(crate) fn random_expr(rng: &mut Random, size: usize) -> Expr {
    let mut parts: Vec<Expr> = Expr::xyz().into();
    for _ in 0..1 + rng.below(size as u64) {
        // Recent parts more often, so that expressions become deep.
        let mut pick = || {
            let n = parts.len() as u64;
            let back = rng.below(n).min(rng.below(n));
            parts[(n - 1 - back) as usize].clone()
        };
        let (a, b) = (pick(), pick());
        let small = (rng.real() * 8.0).round() / 2.0;
        parts.push(match rng.below(24) {
            0..3 => a + b,
            3..5 => a - b,
            5..8 => a * b,
            8 => a / b,
            9 => a.min(&b),
            10 => a.max(&b),
            11 => a.smooth_union(&b),
            12 => a.smooth_intersection(&b),
            13 => a.abs(),
            14 => a.square(),
            15 => a.sqrt(),
            16 => a.exp(),
            17 => a.ln(),
            18 => a.sin(),
            19 => a.cos(),
            20 => a.powi(3 + rng.below(3) as i32),
            21 => a * small,
            22 => a + small * 0.3,
            _ => a.atan2(&b),
        });
    }
    parts.pop().expect("there are always coordinates")
}

pub(crate) fn random_cell(rng: &mut Random) -> Aabb {
    let center = rng.vector() * 2.0;
    let size = [0.0, 1e-6, 0.01, 0.3, 1.5][rng.below(5) as usize];
    let half = DVec3::new(rng.unit(), rng.unit(), rng.unit()) * size;
    Aabb { min: center - half, max: center + half }
}

pub(crate) fn point_in(rng: &mut Random, cell: &Aabb) -> DVec3 {
    let mut along = |lo: f64, hi: f64| match rng.below(4) {
        0 => lo,
        1 => hi,
        _ => (lo + (hi - lo) * rng.unit()).clamp(lo, hi),
    };
    DVec3::new(along(cell.min.x, cell.max.x), along(cell.min.y, cell.max.y), along(cell.min.z, cell.max.z))
}

/// The exact value at a point, unless it leaves the reach of the oracle.
pub(crate) fn exact(tape: &Tape, point: DVec3) -> Option<Fixed> {
    let mut values: Vec<Fixed> = Vec::with_capacity(tape.len());
    let small = |x: f64| Fixed::new(2f64.powf(x));
    for op in tape.ops() {
        let value = match *op {
            Op::Coordinate(axis) => Fixed::new(point[usize::from(axis)]),
            Op::Constant(c) => Fixed::new(c),
            Op::Noise(_) => return None,
            Op::Unary(function, a) => {
                let a = values[a as usize].clone();
                match function {
                    Unary::Neg => -a,
                    Unary::Abs => a.abs(),
                    Unary::Square => a.clone() * a,
                    // Below this the root of the last place matters.
                    Unary::Sqrt if a.clone().abs() < small(-60.0) => return None,
                    Unary::Sqrt => a.sqrt(),
                    Unary::Exp if a > Fixed::new(30.0) || a < Fixed::new(-60.0) => return None,
                    Unary::Exp => a.exp(),
                    Unary::Ln if a < small(-60.0) => return None,
                    Unary::Ln => a.ln(),
                    Unary::Sin => a.sin(),
                    Unary::Cos => a.cos(),
                    Unary::Floor => a.floor(),
                    Unary::Power(n) => (0..n).fold(Fixed::new(1.0), |power, _| power * a.clone()),
                    Unary::Plus(c) => a + Fixed::new(c),
                    Unary::Times(c) => a * Fixed::new(c),
                }
            }
            Op::Binary(function, a, b) => {
                let (a, b) = (values[a as usize].clone(), values[b as usize].clone());
                let norm = || (a.clone() * a.clone() + b.clone() * b.clone()).sqrt();
                match function {
                    Binary::Add => a + b,
                    Binary::Sub => a - b,
                    Binary::Mul => a * b,
                    Binary::Div if b.clone().abs() < small(-30.0) => return None,
                    Binary::Div => a / b,
                    Binary::Min => a.min(b),
                    Binary::Max => a.max(b),
                    Binary::SmoothMin | Binary::SmoothMax | Binary::Atan2 if norm() < small(-30.0) => {
                        return None;
                    }
                    Binary::SmoothMin => a.clone() + b.clone() - norm(),
                    Binary::SmoothMax => a.clone() + b.clone() + norm(),
                    Binary::Atan2 => a.atan2(&b),
                }
            }
        };
        if value.clone().abs() > small(40.0) {
            return None;
        }
        values.push(value);
    }
    values.pop()
}

/// Compare every evaluation of a random expression on a random cell with the exact value at points of it;
/// how many points could be compared.
pub(crate) fn check_enclosures(rng: &mut Random, points: usize) -> usize {
    let tape = Tape::new(&random_expr(rng, 12));
    let cell = random_cell(rng);
    let sides = [0, 1, 2].map(|k| Interval::new(cell.min[k], cell.max[k]));
    let interval = tape.evaluate(&sides, &mut Vec::new());
    let lanes = sides.map(|side| Cells::new([side; LANES]));
    let mut choices = Choices::default();
    let cells = tape.evaluate_choosing(&lanes, &mut Vec::new(), &mut choices).lane(5);
    let coordinates = [0, 1, 2].map(|axis| {
        let center = 0.5 * cell.min[axis] + 0.5 * cell.max[axis];
        let mut slopes = [0.0; 3];
        slopes[axis] = (cell.max[axis] - center).max(center - cell.min[axis]).max(1e-30).next_up();
        Affine::line(center, slopes, 0.0)
    });
    let affine = tape.evaluate(&coordinates, &mut Vec::new());
    let slopes = tape.evaluate(&[0, 1, 2].map(|k| Slopes::coordinate(k, sides[k])), &mut Vec::new());
    let shortened = tape.shortened(&choices, 0xff);
    let mut compared = 0;
    let mut previous: Option<(DVec3, Fixed)> = None;
    for _ in 0..points {
        let point = point_in(rng, &cell);
        let Some(value) = exact(&tape, point) else { continue };
        compared += 1;
        let context = || format!("{:?} on {cell:?} at {point:?}", tape.ops());
        assert!(value.is_in(interval), "interval {interval:?}: {}", context());
        assert!(value.is_in(cells), "lanes {cells:?}: {}", context());
        assert!(value.is_in(affine.range), "affine {affine:?}: {}", context());
        assert!(value.is_in(slopes.value), "slopes {slopes:?}: {}", context());
        check_line(&affine, &coordinates, point, &value, &context);
        if let Some(exact) = shortened.as_ref().and_then(|tape| exact(tape, point)) {
            // Identities applied on the way may round the last places of the oracle otherwise.
            let difference = (exact - value.clone()).abs();
            assert!(difference <= Fixed::slack(), "shortened: {}", context());
        }
        if let Some((other, other_value)) = previous.replace((point, value.clone())) {
            let difference = (0..3).fold(Interval::ZERO, |sum, k| {
                let along = Interval::from(point[k]) - Interval::from(other[k]);
                sum + slopes.gradient[k] * along
            });
            assert!((value - other_value).is_in(difference), "gradient {slopes:?}: {}", context());
        }
    }
    compared
}

/// The value is as near to the line as the form says.
fn check_line(
    form: &Affine,
    coordinates: &[Affine; 3],
    point: DVec3,
    value: &Fixed,
    context: &dyn Fn() -> String,
) {
    if form.error.is_infinite() {
        return;
    }
    let line = (0..3).fold(Fixed::new(form.center), |sum, k| {
        let (center, half) = (coordinates[k].center, coordinates[k].slopes[k]);
        let position = (Fixed::new(point[k]) - Fixed::new(center)) / Fixed::new(half);
        sum + position * Fixed::new(form.slopes[k])
    });
    let distance = (value.clone() - line).abs();
    assert!(distance <= Fixed::new(form.error) + Fixed::slack(), "line {form:?}: {}", context());
}
