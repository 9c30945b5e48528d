// Poses of the bodies of a couple in one configuration, by one thread: the chains of `stand`, operation by operation.

// Joints and fixed steps between a link and its root; longer chains are for the processor.
#define MOST_CHAIN 32

// Values of a configuration, each `stride` behind the one before.
struct Values {
    double *first;
    u32 stride;
};
FN double &number(const Values &v, u32 k) { return v.first[u64(k) * v.stride]; }

// A couple in one configuration.
struct CouplePlace {
    Pose a, b;
    bool near, meets; // by the largest balls
    float far;        // sizes of all coordinates
};

FN bool frame_at(const Cell &c, u32 link, const Values &values, Frame &f) {
    u32 chain[MOST_CHAIN], length = 0, root = 0;
    for (int i = 0; i < 4; ++i) f.q[i] = i == 3 ? 1.0 : 0.0;
    for (int i = 0; i < 3; ++i) f.t[i] = 0.0;
    if (link != c.links) {
        // Those further from the root have higher numbers.
        for (u32 k = c.limb_count; k-- > 0;) {
            if (c.limbs[k].child != link) continue;
            if (length == MOST_CHAIN) return false;
            chain[length++] = k;
            link = c.limbs[k].parent;
        }
        while (root < c.root_count && c.roots[root].link != link) ++root;
        if (root == c.root_count) return false;
        for (int i = 0; i < 4; ++i) f.q[i] = c.roots[root].q[i];
        for (int i = 0; i < 3; ++i) f.t[i] = c.roots[root].t[i];
    }
    while (length-- > 0) {
        const Limb &limb = c.limbs[chain[length]];
        for (u32 s = limb.first; s < limb.end; ++s) {
            const Step &step = c.steps[s];
            double value = step.kind ? number(values, step.variable) : 0.0, sine = 0.0, cosine = 1.0;
            if (step.kind == TURN) sin_cos(halved(value), sine, cosine);
            after(f.q, f.t, step, value, sine, cosine);
        }
    }
    double r[9];
    matrix(f.q, norm_sq(f.q), r);
    for (int i = 0; i < 9; ++i) f.rows[i] = float(r[i]);
    for (int i = 0; i < 3; ++i) f.at[i] = float(f.t[i]);
    return true;
}

// A couple that may come nearer by `way`; false where it is for the processor.
FN bool place_couple(const Cell &c, const Couple &couple, const Values &values, float way, CouplePlace &out) {
    const Body &a = c.bodies[couple.a], &b = c.bodies[couple.b];
    Frame fa, fb;
    if (!frame_at(c, a.carrier, values, fa) || !frame_at(c, b.carrier, values, fb)) return false;
    look(c, fa, fb, couple, way, out.near, out.meets);
    out.a = placed_at(c, fa, a);
    out.b = placed_at(c, fb, b);
    out.far = sum_of(fa.at) + a.reach + sum_of(fb.at) + b.reach;
    return true;
}
