// Two trees, sixteen pairs of children at a step, nearest or deepest first.
//
// A stack entry is two sides; a side is the number of a node, or a leaf's slot (four times its parent plus its
// place) with bit 31 set, so that a leaf against a node still has its box.

#define STACK 160
#define MOST_STEPS 1000000
// Steps of the first search of CLEARANCE: twice as many find nothing nearer on smooth bodies of 70,000 triangles.
#define FIRST_STEPS 160

// What is asked.
#define OVERLAP 0
#define CLOSER 1
#define CLEARANCE 2
#define CROSSINGS 3 // how many pairs of faces meet

// Whether boxes and faces are only asked on which side of contact they are, not how far apart.
#define IS_SIGN(QUESTION) ((QUESTION) == OVERLAP || (QUESTION) == CROSSINGS)

// Counts below this are exact as `float`.
#define MOST_CROSSINGS 16777216.0f

// What sixteen lanes share about one question.
struct Memory {
    uint2 stack[STACK];
    float apart_sq[STACK]; // of CLEARANCE: no nearer than the root of this; how deep boxes overlap where it is negative
    Placed placed;
};

struct Answer {
    int verdict;             // APART: no faces meet or are closer; HIT: some are, certainly; UNSURE: for the processor
    float at_least, at_most; // of CLEARANCE, in units of A's tree; of CROSSINGS their number, in both
};

FN u32 side_of(u32 link, u32 slot) { return is_leaf(link) ? slot | 0x80000000u : record_of(link); }
FN u32 ordered(float key) {
    u32 bits = bits_of(key);
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}

// A side as the four children of a record, or as one of them.
FN const Record *opened(const Record *tree, u32 side, int &only) {
    only = side >> 31 ? int(side & 3) : -1;
    return tree + (side >> 31 ? (side & 0x7fffffffu) >> 2 : side);
}

// Two leaves: lane 4i + j has triangle i of A's and j of B's.
template <int QUESTION>
FN void leaves(const Trees &trees, const Placed &p, uint2 top, float &limit, Answer &answer, bool &unsure) {
    u32 slot_a = top.x & 0x7fffffffu, slot_b = top.y & 0x7fffffffu;
    u32 link_a = bits_of(trees.a[slot_a >> 2].child[slot_a & 3].center.w);
    u32 link_b = bits_of(trees.b[slot_b >> 2].child[slot_b & 3].center.w);
    const Record &a = trees.a[record_of(link_a)], &b = trees.b[record_of(link_b)];
    LANES(bool, hit);
    LANES(bool, open);
    LANES(u32, low);
    LANES(u32, high);
    float to_tree = float(a.unit / trees.unit_a);
    EACH {
        AT(hit) = AT(open) = false;
        AT(low) = AT(high) = bits_of(UNBOUNDED);
        if (lane / 4 < int(triangles_of(link_a)) && lane % 4 < int(triangles_of(link_b))) {
            Triangles t;
            if (to_tree < 1e-30f || !place_triangles(p, a, b, lane / 4, lane % 4, t)) {
                AT(open) = true;
            } else if (IS_SIGN(QUESTION)) {
                int found = crossing(t);
                if (found == UNSURE)
                    found = crossing_closely(p, a, b, remainders(trees.a, record_of(link_a)),
                                             remainders(trees.b, record_of(link_b)), lane / 4, lane % 4);
                AT(hit) = found == HIT;
                AT(open) = found == UNSURE;
            } else {
                float at_least, at_most;
                distance(t, at_least, at_most);
                at_least *= to_tree;
                at_most *= to_tree;
                if (at_least == 0.0f && crossing(t) == HIT) at_most = 0.0f;
                if (QUESTION == CLOSER) {
                    // The limit was rounded up.
                    AT(hit) = at_most <= limit * (1.0f - 4.0f * U);
                    AT(open) = at_least <= limit;
                    if (AT(open) && !AT(hit)) {
                        double low_closely, high_closely, closely = a.unit / trees.unit_a;
                        distance_closely(p, a, b, remainders(trees.a, record_of(link_a)),
                                         remainders(trees.b, record_of(link_b)), lane / 4, lane % 4, low_closely, high_closely);
                        AT(hit) = high_closely * closely <= double(limit) * (1.0 - 4.0 * U);
                        AT(open) = low_closely * closely <= double(limit);
                    }
                } else {
                    AT(low) = bits_of(at_least);
                    AT(high) = bits_of(at_most);
                }
            }
        }
    }
    if (QUESTION == CLEARANCE) {
        // Of numbers that are not negative the bits are in order too.
        answer.at_least = fminf(answer.at_least, f32_of(least(low)));
        answer.at_most = fminf(answer.at_most, f32_of(least(high)));
        limit = answer.at_most;
    } else if (QUESTION == CROSSINGS) {
        answer.at_least += float(count(votes(hit)));
    } else if (votes(hit)) {
        answer.verdict = HIT;
    }
    unsure = unsure || votes(open) != 0;
}

// The pair that the first search of CLEARANCE goes on with: the nearest of all. The top, which is the nearest of its
// kind, before anything is known and where boxes overlap: they lead to a contact, if there is one.
FN int nearest_pair(const Memory &memory, int size, float limit) {
    if (limit == UNBOUNDED || memory.apart_sq[size - 1] <= 0.0f) return size - 1;
    LANES(u32, key);
    EACH {
        AT(key) = 0xffffffffu;
        for (int k = lane; k < size; k += 16) AT(key) = min(AT(key), (ordered(memory.apart_sq[k]) & ~255u) | u32(k));
    }
    return int(least(key) & 255u);
}

// Leaves out pairs that are further than the answer; returns how many are left.
FN int compacted(Memory &memory, int size, float limit) {
    float most = limit * limit * (1.0f + 16.0f * U);
    int kept = 0;
    for (int first = 0; first < size; first += 16) {
        LANES(bool, near);
        LANES(uint2, sides);
        LANES(float, bound);
        EACH {
            int k = first + lane;
            AT(near) = k < size && !(memory.apart_sq[k] > most);
            if (AT(near)) {
                AT(sides) = memory.stack[k];
                AT(bound) = memory.apart_sq[k];
            }
        }
        u32 alive = votes(near);
        together();
        EACH if (AT(near)) {
            int place = kept + count(alive & ((1u << lane) - 1));
            memory.stack[place] = AT(sides);
            memory.apart_sq[place] = AT(bound);
        }
        kept += count(alive);
        together();
    }
    return kept;
}

// The roots alone.
FN void start(const Trees &trees, Memory &memory) {
    EACH if (lane == 0) {
        // Record 0 has the root for its only child.
        u32 root_a = bits_of(trees.a[0].child[0].center.w), root_b = bits_of(trees.b[0].child[0].center.w);
        memory.stack[0] = make_uint2(side_of(root_a, 0), side_of(root_b, 0));
        memory.apart_sq[0] = 0.0f;
    }
    together();
}

// More than `most_steps` are for the processor. `limit` is in units of A's tree: how close is close for CLOSER, how far it can be at most for CLEARANCE.
//
// CLEARANCE is searched twice. The first search takes the nearest pair of all and drops what finds no room, so that it soon
// knows almost the answer; if it dropped something, the second visits all that is nearer than that, depth first.
template <int QUESTION>
FN Answer walk(const Trees &trees, const Placed &p, Memory &memory, float limit, int most_steps) {
    Answer answer = {APART, QUESTION == CROSSINGS ? 0.0f : UNBOUNDED, UNBOUNDED};
    bool unsure = false;
    int size = 1;
    double per_unit = 1.0 / trees.unit_a;
    bool first = QUESTION == CLEARANCE, whole = true;
    start(trees, memory);
    for (int steps = 0; size > 0 || !whole; ++steps) {
        if (first && (size == 0 || steps == FIRST_STEPS)) {
            first = false;
            whole = true;
            size = 1;
            start(trees, memory);
        }
        int taken = first ? nearest_pair(memory, size, limit) : size - 1;
        --size;
        uint2 top = memory.stack[taken];
        bool late = QUESTION == CLEARANCE && memory.apart_sq[taken] > limit * limit * (1.0f + 16.0f * U);
        together();
        if (first && taken < size) {
            EACH if (lane == 0) {
                memory.stack[taken] = memory.stack[size];
                memory.apart_sq[taken] = memory.apart_sq[size];
            }
            together();
        }
        if (late) continue;
        if (top.x >> 31 && top.y >> 31) {
            leaves<QUESTION>(trees, p, top, limit, answer, unsure);
            if (answer.verdict == HIT || (QUESTION == CLEARANCE && answer.at_most == 0.0f)) break;
            // The processor counts from the start.
            if (QUESTION == CROSSINGS && (unsure || answer.at_least >= MOST_CROSSINGS)) {
                answer.verdict = UNSURE;
                return answer;
            }
            continue;
        }
        int only_a, only_b;
        const Record *a = opened(trees.a, top.x, only_a), *b = opened(trees.b, top.y, only_b);
        // Double precision is slow: a lane for each coordinate.
        LANES(float, along);
        EACH {
            int c = lane % 4 < 3 ? lane % 4 : 2;
            const double *row = p.r + 3 * c, *from = b->origin;
            double far = row[0] * from[0] + row[1] * from[1] + row[2] * from[2] + (p.t[c] - a->origin[c]);
            AT(along) = float(far * per_unit);
        }
        V3 d = first_three(along);
        float reach = a->node.reach + b->node.reach * trees.scale;
        float slack = (IS_SIGN(QUESTION) ? reach * SLACK_OF_SIGN
                                           : (fabsf(d.x) + fabsf(d.y) + (fabsf(d.z) + reach)) * SLACK) +
                      p.least_slack;
        LANES(bool, kept);
        LANES(u32, key);
        LANES(uint2, sides);
        LANES(float, bound);
        EACH {
            int i = only_a < 0 ? lane / 4 : only_a, j = only_b < 0 ? lane % 4 : only_b;
            bool real = (only_a < 0 ? u32(i) < a->node.children : lane / 4 == 0) &&
                        (only_b < 0 ? u32(j) < b->node.children : lane % 4 == 0);
            AT(kept) = false;
            AT(key) = 0xffffffffu;
            if (real) {
                const Child &x = a->child[i], &y = b->child[j];
                Gaps g = gaps(p, trees.scale, d, x, y);
                float order;
                if (IS_SIGN(QUESTION)) {
                    order = along_faces(g);
                    // What cannot be compared is kept.
                    AT(kept) = !(order > slack);
                    if (AT(kept)) AT(kept) = !(along_all_edges(g) > slack);
                } else {
                    order = QUESTION == CLEARANCE ? apart_sq_closely(g, slack) : apart_sq(g, slack);
                    if (QUESTION == CLEARANCE && order <= 0.0f) order = fminf(along_faces(g), 0.0f);
                    AT(bound) = order;
                    AT(kept) = !(order > limit * limit * (1.0f + 16.0f * U));
                }
                if (AT(kept)) AT(key) = (ordered(order) & ~15u) | u32(lane);
                u32 from_a = u32(a - trees.a) * 4 + u32(i), from_b = u32(b - trees.b) * 4 + u32(j);
                AT(sides) = make_uint2(side_of(bits_of(x.center.w), from_a), side_of(bits_of(y.center.w), from_b));
            }
        }
        u32 alive = votes(kept);
        if (alive == 0) continue;
        if (first && size + count(alive) > STACK) {
            size = compacted(memory, size, limit);
            whole = whole && size + count(alive) <= STACK;
            size = min(size, STACK - count(alive));
        }
        if (size + count(alive) > STACK || steps > most_steps) {
            answer.verdict = UNSURE;
            return answer;
        }
        if (QUESTION == CLEARANCE) {
            // All in order, the nearest on top.
            LANES(int, place);
            ranks(key, place);
            EACH if (AT(kept)) {
                memory.stack[size + count(alive) - 1 - AT(place)] = AT(sides);
                memory.apart_sq[size + count(alive) - 1 - AT(place)] = AT(bound);
            }
        } else {
            // The first of them in order goes on top.
            int first = int(least(key) & 15u), last = size + count(alive) - 1;
            EACH if (AT(kept)) {
                int place = size + count(alive & ((1u << lane) - 1));
                memory.stack[lane == first ? last : place - (lane > first ? 1 : 0)] = AT(sides);
            }
        }
        size += count(alive);
        together();
    }
    if (QUESTION == CLEARANCE) answer.at_least = fminf(answer.at_least, answer.at_most);
    if (QUESTION == CROSSINGS) answer.at_most = answer.at_least;
    if (unsure && answer.verdict != HIT && answer.at_most > 0.0f) answer.verdict = UNSURE;
    return answer;
}

// Where surfaces do not meet, a solid may still hold a piece of the other: a point of every piece is asked. Solids have
// closed surfaces here, so they lie within the convex hull of their faces.
struct Probes {
    const double *a, *b; // three numbers each
    u32 count_a, count_b;
    u32 solid_a, solid_b;
};

// Whether a point may be in the box of a whole tree: `d` leads there from the tree's origin, along the tree's axes, and
// errs by at most `error` as a vector.
FN bool may_be_in(const Record &root, double unit, const double *d, double error) {
    const Child &box = root.child[0];
    double far = fabs(d[0]) + fabs(d[1]) + fabs(d[2]), reach = double(root.node.reach) * unit;
    double slack = (error + 64.0 * U64 * (far + reach)) * (1.0 + 1e-9);
    double q[4] = {box.turn.x, box.turn.y, box.turn.z, box.turn.w}, r[9];
    matrix(q, norm_sq(q), r);
    double o[3] = {d[0] - box.center.x * unit, d[1] - box.center.y * unit, d[2] - box.center.z * unit};
    double half[3] = {box.half.x, box.half.y, box.half.z};
    for (int k = 0; k < 3; ++k)
        if (fabs(r[k] * o[0] + r[3 + k] * o[1] + r[6 + k] * o[2]) > half[k] * unit + slack) return false;
    return true;
}
