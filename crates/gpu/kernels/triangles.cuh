// Two triangles of leaves: certainly crossing, certainly apart, or unsure; and a bracket on their distance.
//
// The bounds are derived in `leaf.rs` and `leaf_distance.rs` of noli, whose formulas these are: u = 2^-24, lengths in
// units of A's leaf, ratio = unit of B's leaf over A's, S = 1 + |d|_1 + 2·ratio, E the error of d beyond rounding it,
// w the largest component between corners, A and B the longest edges. A volume of edges and a corner difference errs by
// less than A·(192uw + A·c) for two edges of A, B·(512u·ratio·w + B·c) for two of B, and uw·(320·ratio·A + 128B) + AB·c
// for one of each, with c = 128uS + 8E; a connection or a support value by less than 64uS + 4E. A crossing with a
// certain sign needs an edge that certainly pierces a face.

struct Triangles {
    V3 a[3], b[3]; // corners in units of A's leaf
    V3 eb[3];      // edges of B, formed before the offset is added: it would cost them digits
    float size_a, size_b;
    float ratio, size, error;
};

#define MAX_RATIO 1048576.0f

// False where units differ so much that products could leave the range of `f32`.
FN bool place_triangles(const Placed &p, const Record &a, const Record &b, int i, int j, Triangles &t) {
    double d[3], per_unit = 1.0 / a.unit;
    offset(p, a.origin, b.origin, d);
    V3 shift = v3(float(d[0] * per_unit), float(d[1] * per_unit), float(d[2] * per_unit));
    t.ratio = float(b.unit * per_unit);
    float reach = fabsf(shift.x) + fabsf(shift.y) + fabsf(shift.z);
    if (!(t.ratio < MAX_RATIO && t.ratio > 1.0f / MAX_RATIO && reach < 2.0f * MAX_RATIO)) return false;
    float rows[9];
    for (int k = 0; k < 9; ++k) rows[k] = p.rows[k] * t.ratio;
    const Child &x = a.child[i], &y = b.child[j];
    t.a[0] = xyz(x.center); t.a[1] = xyz(x.half); t.a[2] = xyz(x.turn);
    V3 b0 = turn(rows, xyz(y.center)), b1 = turn(rows, xyz(y.half)), b2 = turn(rows, xyz(y.turn));
    t.b[0] = b0 + shift; t.b[1] = b1 + shift; t.b[2] = b2 + shift;
    t.eb[0] = b1 - b0; t.eb[1] = b2 - b1; t.eb[2] = b0 - b2;
    t.size_a = x.center.w;
    t.size_b = y.center.w * t.ratio;
    t.size = 1.0f + reach + 2.0f * t.ratio;
    t.error = up(p.error * per_unit);
    return true;
}

#define APART 0
#define HIT 1
#define UNSURE 2

// 1 certainly positive, -1 certainly negative, 0 unknown.
FN int sign(float x, float bound) { return x > bound ? 1 : x < -bound ? -1 : 0; }
FN bool same(int p, int q, int r) { return p != 0 && p == q && q == r; }

// Whether an edge whose ends have sides p and q certainly misses, or certainly pierces, the face around which the
// volumes turn.
FN void edge(int p, int q, int u, int v, int w, bool has_area, bool &miss, bool &hit) {
    bool both = (u > 0 || v > 0 || w > 0) && (u < 0 || v < 0 || w < 0);
    miss = miss && ((p != 0 && p == q) || both);
    hit = hit || (p * q < 0 && same(u, v, w) && has_area);
}

// Corners of each triangle against the plane of the other, and the volumes of all pairs of edges.
struct Signs { int side_a[3], side_b[3], volume[3][3]; };

FN int decided(const Signs &s) {
    if (same(s.side_b[0], s.side_b[1], s.side_b[2]) || same(s.side_a[0], s.side_a[1], s.side_a[2])) return APART;
    bool miss = true, hit = false;
    bool area_a = s.side_b[0] || s.side_b[1] || s.side_b[2], area_b = s.side_a[0] || s.side_a[1] || s.side_a[2];
    for (int e = 0; e < 3; ++e) {
        int n = (e + 1) % 3;
        edge(s.side_b[e], s.side_b[n], s.volume[0][e], s.volume[1][e], s.volume[2][e], area_a, miss, hit);
        edge(s.side_a[e], s.side_a[n], s.volume[e][0], s.volume[e][1], s.volume[e][2], area_b, miss, hit);
    }
    return hit ? HIT : miss ? APART : UNSURE;
}

FN int crossing(const Triangles &t) {
    V3 ea[3] = {t.a[1] - t.a[0], t.a[2] - t.a[1], t.a[0] - t.a[2]};
    const V3 *eb = t.eb;
    V3 na = cross(ea[0], ea[1]), nb = cross(eb[0], eb[1]);
    float la = t.size_a + 32.0f * U, lb = t.size_b + 160.0f * U * t.ratio;
    float w = U * (largest(t.b[0] - t.a[0]) + la + lb);
    float by_corner = 128.0f * U * t.size + 8.0f * t.error;
    float plane_a = la * (192.0f * w + la * by_corner), plane_b = lb * (512.0f * t.ratio * w + lb * by_corner);
    float edges = (320.0f * t.ratio * la + 128.0f * lb) * w + la * lb * by_corner;
    Signs s;
    for (int k = 0; k < 3; ++k) s.side_b[k] = sign(dot(na, t.b[k] - t.a[0]), plane_a);
    if (same(s.side_b[0], s.side_b[1], s.side_b[2])) return APART;
    for (int k = 0; k < 3; ++k) s.side_a[k] = sign(dot(nb, t.b[0] - t.a[k]), plane_b);
    if (same(s.side_a[0], s.side_a[1], s.side_a[2])) return APART;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) s.volume[i][k] = sign(dot(cross(ea[i], eb[k]), t.b[k] - t.a[i]), edges);
    return decided(s);
}

// The same signs in double precision, from corners without their rounding. They are known within 2^-49 of the leaf's unit;
// with what their rotation and the offset lose (p.error) a coordinate errs by less than e = 2·p.error + 2^-48·(unit_a +
// 2·unit_b), an edge and a corner difference by 2e. As in `leaf.rs`, a volume of edges L, M and a difference within w errs
// by less than 12ew(L + M) + 12eLM + 42·2^-53·wLM; more than twice that is allowed, and lengths are taken 16e longer.
FN double corner(const Child &child, const float *rest, int k, int c) {
    const float4 &v = k == 0 ? child.center : k == 1 ? child.half : child.turn;
    return double(c == 0 ? v.x : c == 1 ? v.y : v.z) + double(rest[3 * k + c]) * 5.9604644775390625e-8;
}

FN double volume(const double *e, const double *f, const double *g) {
    return (e[1] * f[2] - e[2] * f[1]) * g[0] + (e[2] * f[0] - e[0] * f[2]) * g[1] + (e[0] * f[1] - e[1] * f[0]) * g[2];
}

FN int sign(double x, double bound) { return x > bound ? 1 : x < -bound ? -1 : 0; }

FN double longest(const double edges[3][3]) {
    double most = 0.0;
    for (int k = 0; k < 3; ++k)
        most = fmax(most, fabs(edges[k][0]) + fabs(edges[k][1]) + fabs(edges[k][2]));
    return most;
}

SLOW int crossing_closely(const Placed &p, const Record &a, const Record &b, const Remainders &rest_a,
                          const Remainders &rest_b, int i, int j) {
    double d[3], va[3][3], vb[3][3], ea[3][3], eb[3][3];
    offset(p, a.origin, b.origin, d);
    for (int k = 0; k < 3; ++k) {
        double own[3];
        for (int c = 0; c < 3; ++c) {
            va[k][c] = a.unit * corner(a.child[i], rest_a.corner[i], k, c);
            own[c] = b.unit * corner(b.child[j], rest_b.corner[j], k, c);
        }
        for (int c = 0; c < 3; ++c)
            vb[k][c] = p.r[3 * c] * own[0] + p.r[3 * c + 1] * own[1] + p.r[3 * c + 2] * own[2] + d[c];
    }
    double w = 0.0;
    for (int k = 0; k < 3; ++k)
        for (int c = 0; c < 3; ++c) {
            ea[k][c] = va[(k + 1) % 3][c] - va[k][c];
            eb[k][c] = vb[(k + 1) % 3][c] - vb[k][c];
            w = fmax(w, fabs(vb[0][c] - va[0][c]));
        }
    double e = 2.0 * p.error + 3.5527136788005009e-15 * (a.unit + 2.0 * b.unit);
    double la = longest(ea) + 16.0 * e, lb = longest(eb) + 16.0 * e;
    w += la + lb;
    double plane_a = la * (64.0 * e * w + la * (32.0 * e + 128.0 * U64 * w));
    double plane_b = lb * (64.0 * e * w + lb * (32.0 * e + 128.0 * U64 * w));
    double edges = 32.0 * e * w * (la + lb) + la * lb * (32.0 * e + 128.0 * U64 * w);
    // Products of tiny lengths could vanish, and those of huge ones overflow.
    if (!(plane_a > 1e-280 && plane_b > 1e-280 && w * la * lb < 1e280 && w * la * la < 1e280 && w * lb * lb < 1e280))
        return UNSURE;
    Signs s;
    for (int k = 0; k < 3; ++k) {
        double to_b[3], to_a[3];
        for (int c = 0; c < 3; ++c) {
            to_b[c] = vb[k][c] - va[0][c];
            to_a[c] = vb[0][c] - va[k][c];
        }
        s.side_b[k] = sign(volume(ea[0], ea[1], to_b), plane_a);
        s.side_a[k] = sign(volume(eb[0], eb[1], to_a), plane_b);
    }
    for (int m = 0; m < 3; ++m)
        for (int k = 0; k < 3; ++k) {
            double between[3];
            for (int c = 0; c < 3; ++c) between[c] = vb[k][c] - va[m][c];
            s.volume[m][k] = sign(volume(ea[m], eb[k], between), edges);
        }
    return decided(s);
}

FN float unit_clamp(float x) { return fminf(fmaxf(x, 0.0f), 1.0f); }

FN void consider(V3 v, float &length_sq, V3 &best) {
    float sq = dot(v, v);
    if (sq < length_sq) { length_sq = sq; best = v; }
}

#define LEAST 1.17549435e-38f

// The corners of `p` over the inside of the face of `q`; `sense` turns connections so that they lead from A to B.
FN void over_face(const V3 *p, const V3 *q, float sense, float &length_sq, V3 &best) {
    V3 e0 = q[1] - q[0], e1 = q[2] - q[0];
    float a = dot(e0, e0), b = dot(e0, e1), c = dot(e1, e1);
    float per_det = 1.0f / fmaxf(a * c - b * b, LEAST);
    for (int k = 0; k < 3; ++k) {
        V3 w = p[k] - q[0];
        float s = dot(w, e0), r = dot(w, e1);
        float x = (c * s - b * r) * per_det, y = (a * r - b * s) * per_det;
        if (x > 0.0f && y > 0.0f && x + y < 1.0f) consider(sense * (w - x * e0 - y * e1), length_sq, best);
    }
}

// Bracket on the distance, in units of A's leaf (Ericson, Real-Time Collision Detection, 2005, for the candidates).
// However badly conditioned the search is, its connection joins points of both triangles, so its length bounds the
// distance from above, and the extents along it bound it from below.
FN void distance(const Triangles &t, float &at_least, float &at_most) {
    float length_sq = UNBOUNDED;
    V3 best = v3(0.0f, 0.0f, 0.0f);
    for (int i = 0; i < 3; ++i) {
        V3 ea = t.a[(i + 1) % 3] - t.a[i];
        float a = dot(ea, ea);
        for (int k = 0; k < 3; ++k) {
            V3 eb = t.b[(k + 1) % 3] - t.b[k], w = t.b[k] - t.a[i];
            float e = dot(eb, eb), b = dot(ea, eb), c = dot(ea, w), f = dot(eb, w);
            float x = unit_clamp((c * e - b * f) / fmaxf(a * e - b * b, LEAST));
            float y = unit_clamp((b * x - f) / fmaxf(e, LEAST));
            x = unit_clamp((b * y + c) / fmaxf(a, LEAST));
            consider(w + y * eb - x * ea, length_sq, best);
        }
    }
    over_face(t.b, t.a, 1.0f, length_sq, best);
    over_face(t.a, t.b, -1.0f, length_sq, best);
    float high_a = fmaxf(fmaxf(dot(best, t.a[0]), dot(best, t.a[1])), dot(best, t.a[2]));
    float low_b = fminf(fminf(dot(best, t.b[0]), dot(best, t.b[1])), dot(best, t.b[2]));
    float length = sqrtf(length_sq), slack = 64.0f * U * t.size + 4.0f * t.error;
    float gap = length > 0.0f ? (low_b - high_a) / length - slack : 0.0f;
    at_least = fmaxf(gap, 0.0f);
    at_most = length + slack;
}

FN double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
FN double unit_clamp(double x) { return fmin(fmax(x, 0.0), 1.0); }
FN void less(const double *a, const double *b, double *out) {
    for (int c = 0; c < 3; ++c) out[c] = a[c] - b[c];
}

// A connection w + y·f - x·e, if it is the shortest so far.
FN void consider(const double *w, double y, const double *f, double x, const double *e, double sense, double &length_sq,
                 double *best) {
    double v[3];
    for (int c = 0; c < 3; ++c) v[c] = sense * (w[c] + y * f[c] - x * e[c]);
    double sq = dot(v, v);
    if (!(sq < length_sq)) return;
    length_sq = sq;
    for (int c = 0; c < 3; ++c) best[c] = v[c];
}

#define LEAST_CLOSELY 1e-280

FN void over_face(const double p[3][3], const double q[3][3], double sense, double &length_sq, double *best) {
    double e0[3], e1[3], w[3];
    less(q[1], q[0], e0);
    less(q[2], q[0], e1);
    double a = dot(e0, e0), b = dot(e0, e1), c = dot(e1, e1), det = fmax(a * c - b * b, LEAST_CLOSELY);
    for (int k = 0; k < 3; ++k) {
        less(p[k], q[0], w);
        double s = dot(w, e0), r = dot(w, e1), x = (c * s - b * r) / det, y = (a * r - b * s) / det;
        if (x > 0.0 && y > 0.0 && x + y < 1.0) consider(w, -y, e1, x, e0, sense, length_sq, best);
    }
}

// The bracket of `distance` in double precision, from corners without their rounding: what f32 cannot decide of thin
// triangles, and of small ones near large ones. Bounds are those above with U64 for u, and with e of `crossing_closely`, in
// units of A's leaf, for each coordinate: a connection and a support value err by less than 4e more.
SLOW void distance_closely(const Placed &p, const Record &a, const Record &b, const Remainders &rest_a,
                           const Remainders &rest_b, int i, int j, double &at_least, double &at_most) {
    double d[3], va[3][3], vb[3][3], per_unit = 1.0 / a.unit, ratio = b.unit * per_unit, size = 1.0 + 2.0 * ratio;
    offset(p, a.origin, b.origin, d);
    for (int c = 0; c < 3; ++c) size += fabs(d[c] * per_unit);
    for (int k = 0; k < 3; ++k) {
        double own[3];
        for (int c = 0; c < 3; ++c) {
            va[k][c] = corner(a.child[i], rest_a.corner[i], k, c);
            own[c] = ratio * corner(b.child[j], rest_b.corner[j], k, c);
        }
        for (int c = 0; c < 3; ++c) vb[k][c] = dot(p.r + 3 * c, own) + d[c] * per_unit;
    }
    double length_sq = 1e300, best[3] = {0.0, 0.0, 0.0};
    for (int m = 0; m < 3; ++m) {
        double ea[3];
        less(va[(m + 1) % 3], va[m], ea);
        double a_sq = dot(ea, ea);
        for (int k = 0; k < 3; ++k) {
            double eb[3], w[3];
            less(vb[(k + 1) % 3], vb[k], eb);
            less(vb[k], va[m], w);
            double e = dot(eb, eb), b_ab = dot(ea, eb), c = dot(ea, w), f = dot(eb, w);
            double x = unit_clamp((c * e - b_ab * f) / fmax(a_sq * e - b_ab * b_ab, LEAST_CLOSELY));
            double y = unit_clamp((b_ab * x - f) / fmax(e, LEAST_CLOSELY));
            x = unit_clamp((b_ab * y + c) / fmax(a_sq, LEAST_CLOSELY));
            consider(w, y, eb, x, ea, 1.0, length_sq, best);
        }
    }
    over_face(vb, va, 1.0, length_sq, best);
    over_face(va, vb, -1.0, length_sq, best);
    double high_a = fmax(fmax(dot(best, va[0]), dot(best, va[1])), dot(best, va[2]));
    double low_b = fmin(fmin(dot(best, vb[0]), dot(best, vb[1])), dot(best, vb[2]));
    double e = 2.0 * p.error * per_unit + 3.5527136788005009e-15 * (1.0 + 2.0 * ratio);
    double length = sqrt(length_sq), slack = 64.0 * U64 * size + 8.0 * e;
    at_least = length > 0.0 ? fmax((low_b - high_a) / length - slack, 0.0) : 0.0;
    at_most = length + slack;
}
