// Where the links of robots are: the arithmetic of `noli_robot`, operation by operation, so that poses come out equal
// to the last bit on a device and on a processor. Every operation is one that is rounded once (`mul`, `add` and `over`
// are never fused), and sine and cosine are the same series.

#define NOBODY 0xffffffffu
#define TURN 1
#define SLIDE 2

// As the structs of the same names on the Rust side.
struct Step {
    double fixed[4], turned[4], shift[3], along[3], axis[3];
    u32 kind, variable, joint, unused;
};
struct Limb { u32 parent, child, first, end; };
struct Root { double q[4], t[3]; u32 link, unused; };

// A frame as given by double precision, and rounded for balls.
struct Frame {
    double q[4], t[3];
    float rows[9], at[3];
};

// A joint on a way: where its axis is, and how far it goes in the part of the way looked at.
struct Axis {
    float direction[3], point[3];
    float share;
    u32 kind;
};

FN double sub(double x, double y) { return add(x, -y); }
FN double halved(double x) { return mul(x, 0.5); }
#ifdef __CUDACC__
FN u64 bits_of(double x) { return (u64)__double_as_longlong(x); }
FN double f64_of(u64 bits) { return __longlong_as_double((long long)bits); }
#else
FN u64 bits_of(double x) { u64 bits; std::memcpy(&bits, &x, 8); return bits; }
FN double f64_of(u64 bits) { double x; std::memcpy(&x, &bits, 8); return x; }
#endif

// `noli_robot::sin_cos`: reduction in three parts (Cody and Waite 1980), then Taylor's series.
FN void sin_cos(double angle, double &sine, double &cosine) {
    const double rounder = 6755399441055744.0;
    double x = fabs(angle) <= 33554432.0 ? angle : f64_of(0x7ff8000000000000ull);
    double rounded = add(mul(x, 0.63661977236758134308), rounder);
    double quarters = sub(rounded, rounder);
    double near = sub(x, mul(quarters, f64_of(0x3ff921fb54000000ull)));
    double second = mul(quarters, f64_of(0x3e110b4610000000ull));
    double b = sub(near, second), back = sub(b, near);
    double lost = sub(sub(near, sub(b, back)), add(second, back));
    double tail = sub(lost, mul(quarters, f64_of(0x3c5a62633145c06eull)));
    double r = add(b, tail), rest = add(sub(b, r), tail), z = mul(r, r);
    const double s[8] = {-1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0, 1.0 / 362880.0, -1.0 / 39916800.0,
                         1.0 / 6227020800.0, -1.0 / 1307674368000.0, 1.0 / 355687428096000.0};
    const double c[7] = {1.0 / 24.0, -1.0 / 720.0, 1.0 / 40320.0, -1.0 / 3628800.0, 1.0 / 479001600.0,
                         -1.0 / 87178291200.0, 1.0 / 20922789888000.0};
    double sum = s[7], cos_sum = c[6];
    for (int k = 6; k >= 0; --k) sum = add(mul(sum, z), s[k]);
    for (int k = 5; k >= 0; --k) cos_sum = add(mul(cos_sum, z), c[k]);
    double half = halved(z), w = sub(1.0, half);
    double one = add(r, add(mul(mul(r, z), sum), mul(rest, sub(1.0, mul(0.5, z)))));
    double other = add(w, add(sub(sub(1.0, w), half), sub(mul(mul(z, z), cos_sum), mul(r, rest))));
    u64 turns = bits_of(rounded);
    if (turns & 1) {
        double swap = one;
        one = other;
        other = swap;
    }
    sine = f64_of(bits_of(one) ^ ((turns & 2) << 62));
    cosine = f64_of(bits_of(other) ^ (((turns + 1) & 2) << 62));
}

FN void cross(const double *a, const double *b, double *out) {
    out[0] = sub(mul(a[1], b[2]), mul(a[2], b[1]));
    out[1] = sub(mul(a[2], b[0]), mul(a[0], b[2]));
    out[2] = sub(mul(a[0], b[1]), mul(a[1], b[0]));
}

FN void rotated(const double *q, const double *v, double *out) {
    double half[3], twice[3], far[3];
    cross(q, v, half);
    for (int k = 0; k < 3; ++k) twice[k] = add(half[k], half[k]);
    cross(q, twice, far);
    for (int k = 0; k < 3; ++k) out[k] = add(v[k], add(mul(q[3], twice[k]), far[k]));
}

// The frame behind a step; `sine` and `cosine` are of half the value.
FN void after(double *q, double *t, const Step &step, double value, double sine, double cosine) {
    double shift[3], turn[4], moved[3];
    for (int k = 0; k < 3; ++k)
        shift[k] = step.kind == SLIDE ? add(step.shift[k], mul(step.along[k], value)) : step.shift[k];
    for (int k = 0; k < 4; ++k)
        turn[k] = step.kind == TURN ? add(mul(step.fixed[k], cosine), mul(step.turned[k], sine)) : step.fixed[k];
    rotated(q, shift, moved);
    const double *a = q, *b = turn;
    double next[4] = {add(add(mul(a[3], b[0]), mul(a[0], b[3])), sub(mul(a[1], b[2]), mul(a[2], b[1]))),
                      add(add(mul(a[3], b[1]), mul(a[1], b[3])), sub(mul(a[2], b[0]), mul(a[0], b[2]))),
                      add(add(mul(a[3], b[2]), mul(a[2], b[3])), sub(mul(a[0], b[1]), mul(a[1], b[0]))),
                      sub(sub(mul(a[3], b[3]), mul(a[0], b[0])), add(mul(a[1], b[1]), mul(a[2], b[2])))};
    for (int k = 0; k < 4; ++k) q[k] = next[k];
    for (int k = 0; k < 3; ++k) t[k] = add(t[k], moved[k]);
}

// A place on a frame: `noli::Pose`'s product, for quaternions that need no scaling.
FN Pose behind(const Frame &frame, const double *place) {
    const double *q = frame.q, *b = place;
    double x = q[0], y = q[1], z = q[2], w = q[3];
    Pose out;
    out.q[0] = sub(add(add(mul(w, b[0]), mul(x, b[3])), mul(y, b[2])), mul(z, b[1]));
    out.q[1] = add(add(sub(mul(w, b[1]), mul(x, b[2])), mul(y, b[3])), mul(z, b[0]));
    out.q[2] = add(sub(add(mul(w, b[2]), mul(x, b[1])), mul(y, b[0])), mul(z, b[3]));
    out.q[3] = sub(sub(sub(mul(w, b[3]), mul(x, b[0])), mul(y, b[1])), mul(z, b[2]));
    double xx = mul(x, x), yy = mul(y, y), zz = mul(z, z), xy = mul(x, y), xz = mul(x, z), yz = mul(y, z);
    double wx = mul(w, x), wy = mul(w, y), wz = mul(w, z);
    double s = over(2.0, add(add(add(xx, yy), zz), mul(w, w)));
    double r[9] = {add(1.0, mul(s, -add(yy, zz))), mul(s, sub(xy, wz)), mul(s, add(xz, wy)),
                   mul(s, add(xy, wz)), add(1.0, mul(s, -add(xx, zz))), mul(s, sub(yz, wx)),
                   mul(s, sub(xz, wy)), mul(s, add(yz, wx)), add(1.0, mul(s, -add(xx, yy)))};
    const double *t = place + 4;
    for (int k = 0; k < 3; ++k) {
        double turned = add(add(mul(r[3 * k], t[0]), mul(r[3 * k + 1], t[1])), mul(r[3 * k + 2], t[2]));
        out.t[k] = add(turned, frame.t[k]);
    }
    return out;
}
