// Poses drawn by their number: any pose of a stream can be made anywhere, and comes out equal to the last bit on a
// device and on a processor, because every operation is one that is rounded once (no fused ones, no library functions
// but the root).

#ifdef __CUDACC__
FN double mul(double x, double y) { return __dmul_rn(x, y); }
FN double add(double x, double y) { return __dadd_rn(x, y); }
FN double root(double x) { return __dsqrt_rn(x); }
FN double over(double x, double y) { return __ddiv_rn(x, y); }
#else
// Compiled with -ffp-contract=off.
FN double mul(double x, double y) { return x * y; }
FN double add(double x, double y) { return x + y; }
FN double root(double x) { return std::sqrt(x); }
FN double over(double x, double y) { return x / y; }
#endif

// Counter-based: SplitMix64's mixing (Steele, Lea, Flood 2014) of a key that holds seed, pose and draw.
FN u64 mixed(u64 x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

struct Draws {
    u64 key;
    u64 at;
};
FN double next(Draws &d) {
    d.at += 0x9e3779b97f4a7c15ull;
    return mul(double((long long)(mixed(d.key ^ d.at) >> 11)), 1.1102230246251565e-16);
}
// In [-1, 1).
FN double next_signed(Draws &d) { return add(mul(2.0, next(d)), -1.0); }

struct Source {
    u64 seed;
    double nearest, furthest; // distance of the centres
};

// A uniform rotation (Marsaglia 1972: two points in discs), a uniform direction, a uniform distance.
FN Pose generated(const Source &source, u64 number) {
    Draws d = {mixed(source.seed + mixed(number + 0x9e3779b97f4a7c15ull)), 0};
    double x, y, s, u, v, r;
    do { x = next_signed(d); y = next_signed(d); s = add(mul(x, x), mul(y, y)); } while (s >= 1.0);
    do { u = next_signed(d); v = next_signed(d); r = add(mul(u, u), mul(v, v)); } while (r >= 1.0 || r == 0.0);
    double k = root(over(add(1.0, -s), r));
    Pose pose = {{x, y, mul(u, k), mul(v, k)}, {0.0, 0.0, 0.0}};
    do { x = next_signed(d); y = next_signed(d); s = add(mul(x, x), mul(y, y)); } while (s >= 1.0);
    double away = add(source.nearest, mul(next(d), add(source.furthest, -source.nearest)));
    double side = mul(mul(2.0, root(add(1.0, -s))), away);
    pose.t[0] = mul(x, side);
    pose.t[1] = mul(y, side);
    pose.t[2] = mul(add(1.0, mul(-2.0, s)), away);
    return pose;
}
