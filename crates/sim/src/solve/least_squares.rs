//! Least squares by orthogonal columns.
#![allow(clippy::neg_cmp_op_on_partial_ord, reason = "what is no number must not pass")]

pub(super) fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// Unit vectors that span the columns, and what each column is of them (`r[i][k]`: of column `i`, along vector `k`);
/// `None` where a column depends on those before.
#[expect(clippy::type_complexity, reason = "two lists of vectors")]
pub(super) fn orthogonal(columns: &[Vec<f64>]) -> Option<(Vec<Vec<f64>>, Vec<Vec<f64>>)> {
    let (mut q, mut r): (Vec<Vec<f64>>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
    for column in columns {
        let length = dot(column, column).sqrt();
        let (mut rest, mut along) = (column.clone(), vec![0.0; columns.len()]);
        // Twice is enough (Kahan).
        for _ in 0..2 {
            for (k, unit) in q.iter().enumerate() {
                let part = dot(&rest, unit);
                along[k] += part;
                rest.iter_mut().zip(unit).for_each(|(x, u)| *x -= u * part);
            }
        }
        let left = dot(&rest, &rest).sqrt();
        if !(left > 1e-10 * length) {
            return None;
        }
        along[q.len()] = left;
        rest.iter_mut().for_each(|x| *x /= left);
        q.push(rest);
        r.push(along);
    }
    Some((q, r))
}

/// The combination of columns nearest to the last unit vector.
pub(super) fn least_squares(
    size: usize,
    passive: &[usize],
    column: &impl Fn(usize, usize) -> f64,
) -> Option<Vec<f64>> {
    let columns: Vec<Vec<f64>> =
        passive.iter().map(|&number| (0..size).map(|k| column(number, k)).collect()).collect();
    let (q, r) = orthogonal(&columns)?;
    let m = passive.len();
    let mut x = vec![0.0; m];
    for i in (0..m).rev() {
        let sum: f64 = (i + 1..m).map(|k| r[k][i] * x[k]).sum();
        x[i] = (q[i][size - 1] - sum) / r[i][i];
    }
    Some(x)
}
