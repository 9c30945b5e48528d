//! Sums and products over any kind of number, written once: `f64`, pairs of `f64`, integers.

use super::double_double::DoubleDouble;
use dashu_int::IBig;
use std::array::from_fn;

/// Values that can be added, subtracted and multiplied.
pub(crate) trait Ring: Clone {
    fn plus(&self, other: &Self) -> Self;
    fn minus(&self, other: &Self) -> Self;
    fn times(&self, other: &Self) -> Self;
    fn negated(&self) -> Self;
}

impl Ring for f64 {
    #[inline(always)]
    fn plus(&self, other: &Self) -> Self {
        self + other
    }
    #[inline(always)]
    fn minus(&self, other: &Self) -> Self {
        self - other
    }
    #[inline(always)]
    fn times(&self, other: &Self) -> Self {
        self * other
    }
    #[inline(always)]
    fn negated(&self) -> Self {
        -self
    }
}

impl Ring for DoubleDouble {
    #[inline]
    fn plus(&self, other: &Self) -> Self {
        *self + *other
    }
    #[inline]
    fn minus(&self, other: &Self) -> Self {
        *self - *other
    }
    #[inline]
    fn times(&self, other: &Self) -> Self {
        *self * *other
    }
    #[inline]
    fn negated(&self) -> Self {
        Self { hi: -self.hi, lo: -self.lo }
    }
}

impl Ring for IBig {
    fn plus(&self, other: &Self) -> Self {
        self + other
    }
    fn minus(&self, other: &Self) -> Self {
        self - other
    }
    fn times(&self, other: &Self) -> Self {
        self * other
    }
    fn negated(&self) -> Self {
        -self
    }
}

/// `p − q`.
#[inline(always)]
pub(crate) fn minus<R: Ring>(p: &[R; 3], q: &[R; 3]) -> [R; 3] {
    [p[0].minus(&q[0]), p[1].minus(&q[1]), p[2].minus(&q[2])]
}

/// `p·q`.
#[inline(always)]
pub(crate) fn dot<R: Ring>(p: &[R; 3], q: &[R; 3]) -> R {
    p[0].times(&q[0]).plus(&p[1].times(&q[1])).plus(&p[2].times(&q[2]))
}

/// `p × q`.
#[inline(always)]
pub(crate) fn cross<R: Ring>(p: &[R; 3], q: &[R; 3]) -> [R; 3] {
    let minor = |i: usize, j: usize| p[i].times(&q[j]).minus(&p[j].times(&q[i]));
    [minor(1, 2), minor(2, 0), minor(0, 1)]
}

/// `conj(p)·q` of quaternions `[x, y, z, w]`.
#[inline(always)]
pub(crate) fn conjugate_product<R: Ring>(p: &[R; 4], q: &[R; 4]) -> [R; 4] {
    let ([px, py, pz, pw], [qx, qy, qz, qw]) = (p, q);
    [
        pw.times(qx).minus(&px.times(qw)).minus(&py.times(qz)).plus(&pz.times(qy)),
        pw.times(qy).minus(&py.times(qw)).minus(&pz.times(qx)).plus(&px.times(qz)),
        pw.times(qz).minus(&pz.times(qw)).minus(&px.times(qy)).plus(&py.times(qx)),
        pw.times(qw).plus(&px.times(qx)).plus(&py.times(qy)).plus(&pz.times(qz)),
    ]
}

/// The rotation `R(q)` of a quaternion `[x, y, z, w]` without a division: `|q|²`, and the columns of the
/// matrix `S` for which `R(q) = I + 2/|q|²·S`.
#[inline(always)]
pub(crate) fn rotation<R: Ring>([x, y, z, w]: &[R; 4]) -> (R, [[R; 3]; 3]) {
    let (xx, yy, zz) = (x.times(x), y.times(y), z.times(z));
    let (xy, xz, yz) = (x.times(y), x.times(z), y.times(z));
    let (wx, wy, wz) = (w.times(x), w.times(y), w.times(z));
    let norm_sq = xx.plus(&yy).plus(&zz).plus(&w.times(w));
    let columns = [
        [yy.plus(&zz).negated(), xy.plus(&wz), xz.minus(&wy)],
        [xy.minus(&wz), xx.plus(&zz).negated(), yz.plus(&wx)],
        [xz.plus(&wy), yz.minus(&wx), xx.plus(&yy).negated()],
    ];
    (norm_sq, columns)
}

/// `I + s·S` for the columns of [`rotation`]: the rotation itself where `s` is `2/|q|²`, and `|q|²` times it
/// where `one` is `|q|²` and `s` is 2.
#[inline(always)]
pub(crate) fn scaled_rotation<R: Ring>(one: &R, s: &R, columns: &[[R; 3]; 3]) -> [[R; 3]; 3] {
    from_fn(|column| {
        from_fn(|row| {
            let entry = s.times(&columns[column][row]);
            if row == column { one.plus(&entry) } else { entry }
        })
    })
}
