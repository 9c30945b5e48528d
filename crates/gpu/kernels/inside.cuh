// A point in a solid, in double precision: the winding number is the sum of the signed crossings of a ray with the faces
// (closed surfaces alone are asked). Every crossing is certain, or another ray is tried.
//
// Lengths err as follows. The point is known within `error` as a vector; vertices of leaves are rounded to `f32` in units
// of their leaf, far within 2^-22 of it; differences cost U64 of their size. With e of length at most 1, vertices v seen
// from the point within `off`, and all of them within `far`: e·(v × w) errs by less than 2·off·far, and v·(w × x) by less
// than 3·off·far²; twice that is allowed, which covers the rounding of the products.

#define OUTSIDE 0
#define INSIDE 1
#define MOST_RAY_STEPS 4096

// Whether a ray from o in direction e, both along the axes of a box, misses it: separating axes of a segment and a box.
FN bool ray_misses(const double *o, const double *e, const double *half) {
    for (int k = 0; k < 3; ++k)
        if (fabs(o[k]) > half[k] && o[k] * e[k] >= 0.0) return true;
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        if (fabs(o[i] * e[j] - o[j] * e[i]) > half[i] * fabs(e[j]) + half[j] * fabs(e[i])) return true;
    }
    return false;
}

FN bool child_missed(const Record &record, int k, double unit, const double *d, const double *e, double error) {
    const Child &box = record.child[k];
    double q[4] = {box.turn.x, box.turn.y, box.turn.z, box.turn.w}, r[9], o[3], along[3], half[3];
    matrix(q, norm_sq(q), r);
    double from[3] = {d[0] - box.center.x * unit, d[1] - box.center.y * unit, d[2] - box.center.z * unit};
    double far = fabs(from[0]) + fabs(from[1]) + fabs(from[2]) + double(record.node.reach) * unit;
    double slack = (error + 1e-13 * far) * (1.0 + 1e-9);
    double sizes[3] = {box.half.x, box.half.y, box.half.z};
    for (int i = 0; i < 3; ++i) {
        o[i] = r[i] * from[0] + r[3 + i] * from[1] + r[6 + i] * from[2];
        along[i] = r[i] * e[0] + r[3 + i] * e[1] + r[6 + i] * e[2];
        half[i] = sizes[i] * unit + slack;
    }
    return ray_misses(o, along, half);
}

// The signed crossing of a ray with a triangle of a leaf: -1, 0 or 1; 2 where none is certain.
FN int crossing_of_ray(const Record &leaf, int k, const double *d, const double *e, double error) {
    const Child &corners = leaf.child[k];
    const float4 *corner[3] = {&corners.center, &corners.half, &corners.turn};
    double v[3][3], far = 0.0;
    for (int i = 0; i < 3; ++i) {
        v[i][0] = corner[i]->x * leaf.unit - d[0];
        v[i][1] = corner[i]->y * leaf.unit - d[1];
        v[i][2] = corner[i]->z * leaf.unit - d[2];
        far = fmax(far, fabs(v[i][0]) + fabs(v[i][1]) + fabs(v[i][2]));
    }
    double off = error + leaf.unit * 2.384185791015625e-7 + 64.0 * U64 * far;
    double bound = 4.0 * off * far, n[3], sum = 0.0;
    int above = 0, below = 0;
    for (int i = 0; i < 3; ++i) {
        const double *a = v[(i + 1) % 3], *b = v[(i + 2) % 3];
        double c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
        double side = e[0] * c[0] + e[1] * c[1] + e[2] * c[2];
        above += side > bound;
        below += side < -bound;
        sum += side;
        if (i == 0)
            for (int j = 0; j < 3; ++j) n[j] = c[j];
    }
    if (above && below) return 0;
    if (above != 3 && below != 3) return 2;
    double ahead = v[0][0] * n[0] + v[0][1] * n[1] + v[0][2] * n[2];
    if (!(fabs(ahead) > 6.0 * off * far * far)) return 2;
    if ((ahead > 0.0) != (sum > 0.0)) return 0;
    return sum > 0.0 ? 1 : -1;
}

// Whether a point is inside the solid of a tree: OUTSIDE, INSIDE, or UNSURE. `d` leads there from the origin of the tree's
// first record, along the tree's axes, and errs by at most `error` as a vector.
SLOW int locate(const Record *tree, double unit, const double *d, double error, Memory &memory) {
    // Directions that are parallel to no face of ordinary parts.
    const double rays[3][3] = {{0.8112, 0.3711, 0.4493}, {-0.2931, 0.9049, -0.3057}, {0.1327, -0.5209, -0.8419}};
    for (int ray = 0; ray < 3; ++ray) {
        const double *e = rays[ray];
        int size = 1, winding = 0;
        bool sure = true;
        together();
        EACH if (lane == 0) memory.stack[0] = make_uint2(0, 0);
        together();
        for (int steps = 0; size > 0 && sure; ++steps) {
            const Record &record = tree[memory.stack[--size].x];
            together();
            double from[3];
            for (int i = 0; i < 3; ++i) from[i] = d[i] + (tree[0].origin[i] - record.origin[i]);
            LANES(bool, kept);
            EACH AT(kept) = u32(lane) < record.node.children && !child_missed(record, lane, unit, from, e, error);
            for (u32 left = votes(kept); left; left &= left - 1) {
                u32 link = bits_of(record.child[count((left & (0u - left)) - 1u)].center.w);
                if (!is_leaf(link)) {
                    if (size >= STACK || steps > MOST_RAY_STEPS) sure = false;
                    else {
                        EACH if (lane == 0) memory.stack[size] = make_uint2(record_of(link), 0);
                        ++size;
                    }
                    continue;
                }
                const Record &leaf = tree[record_of(link)];
                double at_leaf[3];
                for (int i = 0; i < 3; ++i) at_leaf[i] = d[i] + (tree[0].origin[i] - leaf.origin[i]);
                LANES(int, crossing);
                LANES(bool, up_through);
                LANES(bool, down_through);
                LANES(bool, open);
                EACH {
                    AT(crossing) = u32(lane) < triangles_of(link) ? crossing_of_ray(leaf, lane, at_leaf, e, error) : 0;
                    AT(up_through) = AT(crossing) == 1;
                    AT(down_through) = AT(crossing) == -1;
                    AT(open) = AT(crossing) == 2;
                }
                winding += count(votes(up_through)) - count(votes(down_through));
                if (votes(open)) sure = false;
            }
            together();
        }
        if (sure) return winding != 0 ? INSIDE : OUTSIDE;
    }
    return UNSURE;
}

// A point of the other body from the origin of a tree, along its axes; the error of that is added to `off`.
FN void see(const Placed &p, int turned, const double *point, const Record &root, double *seen, double &off) {
    double d[3];
    offset(p, turned ? point : root.origin, turned ? root.origin : point, d);
    for (int i = 0; i < 3; ++i) seen[i] = turned ? -(p.r[i] * d[0] + p.r[3 + i] * d[1] + p.r[6 + i] * d[2]) : d[i];
    if (turned) off += 256.0 * U64 * (fabs(d[0]) + fabs(d[1]) + fabs(d[2]));
}

// Where surfaces do not meet, whether a solid holds a piece of the other: HIT where a point of one is certainly inside the
// other, APART where a point of every piece is certainly outside.
SLOW int holding(const Trees &trees, const Placed &p, const Probes &probes, Memory &memory) {
    // A bound on the error of an offset as a vector, in either frame: turning it back costs as much again.
    double error = 4.0 * p.error;
    int all = APART;
    for (int turned = 0; turned < 2; ++turned) {
        if (!(turned ? probes.solid_b : probes.solid_a)) continue;
        const Record *tree = turned ? trees.b : trees.a;
        double unit = turned ? trees.unit_a * double(trees.scale) : trees.unit_a;
        u32 count_of = turned ? probes.count_a : probes.count_b;
        // A point for each lane; most are outside of the box of the tree.
        for (u32 first = 0; first < count_of; first += 16) {
            LANES(bool, kept);
            EACH {
                double seen[3], off = error;
                u32 k = first + u32(lane);
                AT(kept) = k < count_of;
                if (AT(kept)) {
                    see(p, turned, turned ? probes.a + 3 * k : probes.b + 3 * k, tree[0], seen, off);
                    AT(kept) = may_be_in(tree[0], unit, seen, off);
                }
            }
            for (u32 left = votes(kept); left; left &= left - 1) {
                u32 k = first + u32(count((left & (0u - left)) - 1u));
                double seen[3], off = error;
                see(p, turned, turned ? probes.a + 3 * k : probes.b + 3 * k, tree[0], seen, off);
                int found = locate(tree, unit, seen, off, memory);
                if (found == INSIDE) return HIT;
                if (found == UNSURE) all = UNSURE;
            }
        }
    }
    return all;
}

// What is asked of two bodies.
template <int QUESTION>
FN Answer ask(const Trees &trees, const Probes &probes, const Pose &a, const Pose &b, Memory &memory, float limit,
              int most_steps = MOST_STEPS) {
    Placed &p = memory.placed;
    Answer answer = {UNSURE, 0.0f, UNBOUNDED};
    LANES(bool, sound);
    EACH AT(sound) = lane > 0 || place(trees, a, b, p);
    together();
    if (votes(sound) != 0xffffu) return answer;
    answer = walk<QUESTION>(trees, p, memory, limit, most_steps);
    bool solid = QUESTION != CROSSINGS && (probes.solid_a || probes.solid_b);
    if (answer.verdict == APART && solid) {
        int held = holding(trees, p, probes, memory);
        // A clearance below 0 is for the processor.
        answer.verdict = held == HIT && QUESTION == CLEARANCE ? UNSURE : held;
    }
    return answer;
}
