// Where B stands as A sees it, from two poses as given, with a bound on all rounding.
//
// The same formulas and bounds as `noli_geom::RelativePose` and `Frames` of noli's packed tests: with u = 2^-53, the
// entries of the rotation err by at most 40u and the translation by 24u times the 1-norm of the offset; a point of
// B whose coordinates are at most `reach` then errs by 3·40u·reach, that, and 4u of every term. Fused multiplications
// and additions only leave roundings out.

struct Pose {
    double q[4]; // x y z w, of any length but 0
    double t[3];
};

struct Placed {
    double r[9], t[3]; // rotation row by row, translation
    float rows[9];     // the rotation rounded
    float4 q;          // and as a unit quaternion
    double error;      // of each coordinate of an offset, in true lengths
    float least_slack; // what that and underflow take from a separation, in units of A
};

#define U64 1.1102230246251565e-16
#define LARGEST_OFFSET 1e30

// Rotation matrix of a quaternion over the square of its length.
FN void matrix(const double *q, double norm_sq, double *r) {
    double s = 2.0 / norm_sq, x = q[0], y = q[1], z = q[2], w = q[3];
    r[0] = 1.0 - s * (y * y + z * z); r[1] = s * (x * y - w * z); r[2] = s * (x * z + w * y);
    r[3] = s * (x * y + w * z); r[4] = 1.0 - s * (x * x + z * z); r[5] = s * (y * z - w * x);
    r[6] = s * (x * z - w * y); r[7] = s * (y * z + w * x); r[8] = 1.0 - s * (x * x + y * y);
}

FN double norm_sq(const double *q) { return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]; }

// Whether squares of its length neither overflow nor vanish; false for NaN.
FN bool in_range(double norm_sq) { return norm_sq >= 8.7e-19 && norm_sq <= 1.1e18; }

// B as A sees it: a quaternion, its matrix and a translation. False where numbers are out of range: then the question is for
// the processor.
FN bool relative(const Pose &a, const Pose &b, double *q, double *r, double *t) {
    double na = norm_sq(a.q), nb = norm_sq(b.q);
    if (!in_range(na) || !in_range(nb)) return false;
    double ax = -a.q[0], ay = -a.q[1], az = -a.q[2], aw = a.q[3];
    double bx = b.q[0], by = b.q[1], bz = b.q[2], bw = b.q[3];
    q[0] = aw * bx + ax * bw + ay * bz - az * by;
    q[1] = aw * by - ax * bz + ay * bw + az * bx;
    q[2] = aw * bz + ax * by - ay * bx + az * bw;
    q[3] = aw * bw - ax * bx - ay * by - az * bz;
    double n = norm_sq(q);
    if (!(n >= 1e-40)) return false;
    matrix(q, n, r);
    double ra[9], d[3] = {b.t[0] - a.t[0], b.t[1] - a.t[1], b.t[2] - a.t[2]};
    matrix(a.q, na, ra);
    for (int i = 0; i < 3; ++i) t[i] = ra[i] * d[0] + ra[3 + i] * d[1] + ra[6 + i] * d[2];
    return true;
}

FN bool place(const Trees &trees, const Pose &a, const Pose &b, Placed &out) {
    double q[4];
    if (!relative(a, b, q, out.r, out.t)) return false;
    double n = norm_sq(q);
    for (int i = 0; i < 9; ++i) out.rows[i] = float(out.r[i]);
    double per_length = 1.0 / sqrt(n);
    out.q.x = float(q[0] * per_length); out.q.y = float(q[1] * per_length);
    out.q.z = float(q[2] * per_length); out.q.w = float(q[3] * per_length);

    double t = fmax(fabs(out.t[0]), fmax(fabs(out.t[1]), fabs(out.t[2])));
    double offset = fabs(b.t[0] - a.t[0]) + fabs(b.t[1] - a.t[1]) + fabs(b.t[2] - a.t[2]);
    double reach = 1.001 * trees.reach_b, sum = 1.001 * trees.reach_a + t + 3.0 * reach;
    double per_unit = 1.0 / trees.unit_a;
    if (!(sum * per_unit <= LARGEST_OFFSET)) return false;
    // Sums of bounds round too: the last factor is far above that.
    out.error = (120.0 * U64 * reach + 24.0 * U64 * offset + 4.0 * U64 * (3.0 * reach + t) + 4.0 * U64 * sum) *
                    (1.0 + 1e-9) + 1e-300;
    // Far above what underflow takes from lengths of unit size.
    const float floor = 7.70371977754894341e-34f; // 2^-110
    out.least_slack = up(out.error * per_unit * 1.7321) + floor;
    return true;
}

// From a point of A to a point of B, in A's frame.
FN void offset(const Placed &p, const double *a, const double *b, double *d) {
    for (int i = 0; i < 3; ++i)
        d[i] = p.r[3 * i] * b[0] + p.r[3 * i + 1] * b[1] + p.r[3 * i + 2] * b[2] + (p.t[i] - a[i]);
}
