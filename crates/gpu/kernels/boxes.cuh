// Two oriented boxes: gaps along separating axes (Gottschalk, Lin, Manocha 1996), with a proven error bound.
//
// # Error bound
// u = 2^-24, lengths in units of A's model, S = |d|_1 + reach_a + reach_b with d the offset of the two origins. Boxes
// are those of the stored quaternions made to length 1, which is off by at most u; half extents are exact.
// * Each component of a product of quaternions of length 1 errs by at most 4u (Cauchy-Schwarz), so the product by 8u
//   as a vector. conj(qa)·q·qb: the pose's quaternion is rounded by u, three stored ones by u each, two products:
//   below 20u. An entry of the matrix of a quaternion changes by at most 4 times the change of the quaternion and
//   is evaluated within 4u: every cosine errs by less than 90u.
// * Offset of the centres d + R·cb - ca: 6u·S a component (R rounded within u, three products), 11u·S as a vector.
//   Along A's axes, by A's quaternion (v, w) turned back: o + w·s + s x v with s = 2·o x v. A square of its length
//   that is off by 2u costs 4u·S; s errs by 8u·S and passes on at most sqrt(2) times that; its product with v costs
//   8u·S, the other terms and sums 6u·S: 30u·S, and 41u·S with the offset's own.
// * A's axes: 41u·S on the left; 90u·sqrt(3)·reach_b = 156u·S and rounding 8u·S on the right: 205u·S.
// * B's axes: sqrt(3)·(41u + 90u)·S + 6u·S on the left, 164u·S on the right: 397u·S.
// * Edge axes: 2·(41u + 90u)·S + 4u·S on the left, four products sqrt(2)·90u·S + 8u·S on the right: 402u·S.
// * Any direction, of length 1 within 6u: 41u·S and rounding 8u·S on the left; a product with a column of cosines errs
//   by sqrt(3)·90u, which half extents of sum sqrt(3)·reach_b turn into 270u·S, and rounding 16u·S on the right: 335u·S.
//
// A separation is believed only beyond 512u·S, plus the error of d itself and a floor for underflow. Where only the
// sign matters, origins further apart than both reaches mean that nothing meets, so the claim is true whatever the
// rounding, and nearer ones have S of at most 1 + sqrt(3) reaches: 1408u of the reach.

#define SLACK (512.0f * U)
#define SLACK_OF_SIGN (1408.0f * U)

struct Gaps {
    float a[3], b[3]; // along A's and B's axes; negative where the boxes overlap along it
    float c[9];       // cosines
    float t[3];       // offset of the centres along A's axes
    V3 ha, hb;
};

FN float4 product(const float4 &p, const float4 &q) {
    float4 r;
    r.x = p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y;
    r.y = p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x;
    r.z = p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w;
    r.w = p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z;
    return r;
}

// The matrix of a quaternion of length 1, row by row.
FN void matrix(const float4 &q, float *r) {
    float x = q.x + q.x, y = q.y + q.y, z = q.z + q.z;
    r[0] = 1.0f - (q.y * y + q.z * z); r[1] = q.x * y - q.w * z; r[2] = q.x * z + q.w * y;
    r[3] = q.x * y + q.w * z; r[4] = 1.0f - (q.x * x + q.z * z); r[5] = q.y * z - q.w * x;
    r[6] = q.x * z - q.w * y; r[7] = q.y * z + q.w * x; r[8] = 1.0f - (q.x * x + q.y * y);
}

FN Gaps gaps(const Placed &p, float scale, V3 d, const Child &a, const Child &b) {
    Gaps g;
    float4 back = a.turn;
    back.x = -back.x; back.y = -back.y; back.z = -back.z;
    matrix(product(product(back, p.q), b.turn), g.c);
    V3 o = d + scale * turn(p.rows, xyz(b.center)) - xyz(a.center);
    g.ha = xyz(a.half);
    g.hb = scale * xyz(b.half);
    V3 v = xyz(a.turn), s = cross(o, v + v), turned = o + a.turn.w * s + cross(s, v);
    g.t[0] = turned.x; g.t[1] = turned.y; g.t[2] = turned.z;
    float ha[3] = {g.ha.x, g.ha.y, g.ha.z}, hb[3] = {g.hb.x, g.hb.y, g.hb.z};
    for (int i = 0; i < 3; ++i) {
        const float *c = g.c + 3 * i;
        g.a[i] = fabsf(g.t[i]) - (ha[i] + hb[0] * fabsf(c[0]) + hb[1] * fabsf(c[1]) + hb[2] * fabsf(c[2]));
    }
    for (int j = 0; j < 3; ++j) {
        const float *c = g.c + j;
        g.b[j] = fabsf(g.t[0] * c[0] + g.t[1] * c[3] + g.t[2] * c[6]) -
                 (hb[j] + ha[0] * fabsf(c[0]) + ha[1] * fabsf(c[3]) + ha[2] * fabsf(c[6]));
    }
    return g;
}

// Along the product of A's axis i and B's axis j, both 0 or 1, times the length of that product, which is at most 1.
// Axes are stored longest first: the products of the two long ones tell flat boxes apart, the others hardly ever do.
FN float along_edges(const Gaps &g, int i, int j) {
    float ha[3] = {g.ha.x, g.ha.y, g.ha.z}, hb[3] = {g.hb.x, g.hb.y, g.hb.z};
    int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    float extent = ha[i1] * fabsf(g.c[3 * i2 + j]) + ha[i2] * fabsf(g.c[3 * i1 + j]) +
                   hb[j1] * fabsf(g.c[3 * i + j2]) + hb[j2] * fabsf(g.c[3 * i + j1]);
    return fabsf(g.t[i2] * g.c[3 * i1 + j] - g.t[i1] * g.c[3 * i2 + j]) - extent;
}

FN float along_all_edges(const Gaps &g) {
    return fmaxf(fmaxf(along_edges(g, 0, 0), along_edges(g, 0, 1)),
                 fmaxf(along_edges(g, 1, 0), along_edges(g, 1, 1)));
}

FN float along_faces(const Gaps &g) {
    return fmaxf(fmaxf(fmaxf(g.a[0], g.a[1]), g.a[2]), fmaxf(fmaxf(g.b[0], g.b[1]), g.b[2]));
}

// Along any direction, given along A's axes.
FN float along(const Gaps &g, V3 n) {
    float length = sqrtf(dot(n, n));
    if (!(length > 0.0f)) return 0.0f;
    n = (1.0f / length) * n;
    float x = n.x * g.c[0] + n.y * g.c[3] + n.z * g.c[6], y = n.x * g.c[1] + n.y * g.c[4] + n.z * g.c[7],
          z = n.x * g.c[2] + n.y * g.c[5] + n.z * g.c[8];
    return fabsf(n.x * g.t[0] + n.y * g.t[1] + n.z * g.t[2]) -
           (g.ha.x * fabsf(n.x) + g.ha.y * fabsf(n.y) + g.ha.z * fabsf(n.z)) -
           (g.hb.x * fabsf(x) + g.hb.y * fabsf(y) + g.hb.z * fabsf(z));
}

// No points of the boxes are nearer than the root of this: gaps along the axes of one box are components of one
// vector. What the squares lose to rounding is below the last factor.
FN float apart_sq(const Gaps &g, float slack) {
    float a = 0.0f, b = 0.0f, e = fmaxf(along_all_edges(g) - slack, 0.0f);
    for (int i = 0; i < 3; ++i) {
        float x = fmaxf(g.a[i] - slack, 0.0f), y = fmaxf(g.b[i] - slack, 0.0f);
        a += x * x;
        b += y * y;
    }
    return fmaxf(fmaxf(a, b), e * e) * (1.0f - 64.0f * U);
}

// The same with the gap along the longer of the two vectors, which leads to a box around the other box: the box itself is
// further away. Worth its cost where all near pairs are visited: a quarter fewer are.
FN float apart_sq_closely(const Gaps &g, float slack) {
    float a = 0.0f, b = 0.0f, x[3], y[3];
    for (int i = 0; i < 3; ++i) {
        // In the sense in which B lies.
        x[i] = copysignf(fmaxf(g.a[i], 0.0f), g.t[i]);
        y[i] = copysignf(fmaxf(g.b[i], 0.0f), g.t[0] * g.c[i] + g.t[1] * g.c[3 + i] + g.t[2] * g.c[6 + i]);
        a += x[i] * x[i];
        b += y[i] * y[i];
    }
    V3 n = a > b ? v3(x[0], x[1], x[2])
                 : v3(g.c[0] * y[0] + g.c[1] * y[1] + g.c[2] * y[2], g.c[3] * y[0] + g.c[4] * y[1] + g.c[5] * y[2],
                      g.c[6] * y[0] + g.c[7] * y[1] + g.c[8] * y[2]);
    float e = fmaxf(along(g, n) - slack, 0.0f);
    return fmaxf(apart_sq(g, slack), e * e * (1.0f - 64.0f * U));
}
