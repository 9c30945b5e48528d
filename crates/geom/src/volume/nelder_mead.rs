//! Minima without derivatives (Nelder and Mead 1965), as the thesis fits its volumes.

/// Result of [`nelder_mead`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Minimum {
    /// The best place found.
    pub at: [f64; 3],
    /// The value there.
    pub value: f64,
    /// Number of function evaluations.
    pub evaluations: usize,
}

/// Go downhill from `start` with a simplex of this edge length, twice: the second time from where the first
/// ended, with a fresh simplex. Deterministic. Never worse than the start.
///
/// ```
/// use noli_geom::internals::nelder_mead;
/// let hollow = nelder_mead([0.0; 3], 0.5, 400, |x| (x[0] - 1.0).powi(2) + x[1].abs() + x[2] * x[2]);
/// assert!(hollow.value < 1e-6);
/// ```
pub fn nelder_mead(start: [f64; 3], edge: f64, limit: usize, f: impl Fn([f64; 3]) -> f64) -> Minimum {
    let first = descend(start, edge, limit / 2, &f);
    let second = descend(first.at, edge, limit / 2, &f);
    let evaluations = first.evaluations + second.evaluations;
    if second.value <= first.value {
        Minimum { evaluations, ..second }
    } else {
        Minimum { evaluations, ..first }
    }
}

/// Relative difference of best and worst at which a simplex has found its minimum.
const FLAT: f64 = 1e-10;

fn descend(start: [f64; 3], edge: f64, limit: usize, f: &impl Fn([f64; 3]) -> f64) -> Minimum {
    let mut simplex: Vec<([f64; 3], f64)> = (0..4)
        .map(|k| {
            let mut vertex = start;
            if k > 0 {
                vertex[k - 1] += edge;
            }
            (vertex, f(vertex))
        })
        .collect();
    let mut evaluations = 4;
    while evaluations < limit {
        simplex.sort_by(|a, b| a.1.total_cmp(&b.1));
        let (best, second, worst) = (simplex[0].1, simplex[2].1, simplex[3]);
        if 2.0 * (worst.1 - best).abs() <= FLAT * (worst.1.abs() + best.abs()) {
            break;
        }
        let middle = mean(&simplex[..3]);
        let along = |step: f64| {
            let at = std::array::from_fn(|k| middle[k] + step * (worst.0[k] - middle[k]));
            (at, f(at))
        };
        let reflected = along(-1.0);
        evaluations += 1;
        if reflected.1 < best {
            let expanded = along(-2.0);
            evaluations += 1;
            simplex[3] = if expanded.1 < reflected.1 { expanded } else { reflected };
        } else if reflected.1 < second {
            simplex[3] = reflected;
        } else {
            let contracted = along(if reflected.1 < worst.1 { -0.5 } else { 0.5 });
            evaluations += 1;
            if contracted.1 < worst.1.min(reflected.1) {
                simplex[3] = contracted;
            } else {
                let low = simplex[0].0;
                for vertex in &mut simplex[1..] {
                    vertex.0 = std::array::from_fn(|k| 0.5 * (low[k] + vertex.0[k]));
                    vertex.1 = f(vertex.0);
                }
                evaluations += 3;
            }
        }
    }
    simplex.sort_by(|a, b| a.1.total_cmp(&b.1));
    Minimum { at: simplex[0].0, value: simplex[0].1, evaluations }
}

fn mean(vertices: &[([f64; 3], f64)]) -> [f64; 3] {
    std::array::from_fn(|k| vertices.iter().map(|vertex| vertex.0[k]).sum::<f64>() / vertices.len() as f64)
}
