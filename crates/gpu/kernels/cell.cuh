// Robots among other bodies: sixteen lanes take one configuration, or one way between two.
//
// # Balls
// u = 2^-24. A ball's centre c, of a body whose points are within `reach` (in the 1-norm) of its carrier's origin, is
// put at R·c + t: R, c and t are rounded (u of each term), three products and three sums follow (4u): as a vector
// sqrt(3)·6u·far, below 11u·far with far = |t|_1 + reach; what double precision loses is far below u. Two centres and
// their difference: 13u·S with S = far_a + far_b; the root of the sum of squares: 3u·S; radii and margins are rounded
// outwards when they are stored, their sum errs by 3u·S, its square by u. Together below 24u·S; we allow 64u·S, and a
// floor where squares vanish. What cannot be compared (infinite, NaN) tells nothing.
//
// # Ways
// On a part of a way, joints turn one after the other by at most `share`, each moving what is behind it by at most its
// share times the distance from its axis: that of now, and what the joints beyond may add. Joints that move both bodies
// change nothing between them. All terms are positive, and distances err as above: the last factor is far above the
// rounding of the sum.

// Whether anything meets; which pairs do; whether anything does on a way.
#define ANY 0
#define LIST 1
#define WAY 2

struct Body {
    double place[7];
    float whole[4], core[4]; // centre and radius; no core: radius 0
    u64 joints;              // those that move it
    u32 carrier, outer, inner;
    u32 tree, within; // what holds it and what it holds, the same where the mesh is the body; NOBODY: none
    float reach;
};
struct Wood { // a tree among the records of all
    double reach, unit;
    u32 record, probe, probes, solid;
};
struct Couple {
    double margin;
    u32 a, b, pair;
    float sum, core, more; // radii and margin, radii of the cores, the margin
};

struct Cell {
    const Step *steps;
    const Limb *limbs;
    const Root *roots;
    const Body *bodies;
    const float4 *balls; // of each body sixteen around it, then sixteen inside
    const Wood *woods;
    const Couple *couples;
    const Record *records;
    const double *probes;
    u32 step_count, limb_count, root_count, couple_count;
    u32 links, values, joints, unused;
};

#define RING 64
struct Stretch { double middle, half; };

// What sixteen lanes share; as many frames, values, axes and masks as the cell has.
struct Desk {
    Memory *memory;
    float4 *balls;
    Stretch *ring;
    Frame *frames; // and what stands still, behind the last link
    double *values, *sines;
    Axis *axes;
    unsigned short *masks, *ring_masks; // a bit for each couple; for each part of a way
};

#define DESK_BYTES 3376
static_assert(sizeof(Memory) + 16 * sizeof(float4) + RING * sizeof(Stretch) == DESK_BYTES, "as on the Rust side");

FN u32 mask_count(const Cell &c) { return (c.couple_count + 15) / 16; }

FN Desk desk_at(char *base, const Cell &c) {
    Desk d;
    d.memory = (Memory *)base;
    base += sizeof(Memory);
    d.balls = (float4 *)base;
    base += 16 * sizeof(float4);
    d.ring = (Stretch *)base;
    base += RING * sizeof(Stretch);
    d.frames = (Frame *)base;
    base += (c.links + 1) * sizeof(Frame);
    d.values = (double *)base;
    base += c.values * sizeof(double);
    d.sines = (double *)base;
    base += 2 * c.values * sizeof(double);
    d.axes = (Axis *)base;
    base += c.joints * sizeof(Axis);
    d.masks = (unsigned short *)base;
    d.ring_masks = d.masks + mask_count(c);
    return d;
}

#define TINY 1e-36f

FN V3 on(const Frame &f, const float *p) { return turn(f.rows, v3(p[0], p[1], p[2])) + v3(f.at[0], f.at[1], f.at[2]); }
FN float sum_of(const float *p) { return fabsf(p[0]) + fabsf(p[1]) + fabsf(p[2]); }
FN float slack_of(const Frame &fa, const Frame &fb, const Body &a, const Body &b) {
    return 64.0f * U * (sum_of(fa.at) + a.reach + (sum_of(fb.at) + b.reach));
}
FN float sq(V3 a) { return dot(a, a); }

// Poses of all links for the values on the desk; for a part of a way (`from` is given) also axes and shares.
FN void stand(const Cell &c, const Desk &d, const double *from, const double *to, double half) {
    EACH for (u32 k = lane; k < c.values; k += 16) sin_cos(halved(d.values[k]), d.sines[2 * k], d.sines[2 * k + 1]);
    together();
    EACH if (lane == 0) {
        for (u32 k = 0; k < c.root_count; ++k) {
            Frame &f = d.frames[c.roots[k].link];
            for (int i = 0; i < 4; ++i) f.q[i] = c.roots[k].q[i];
            for (int i = 0; i < 3; ++i) f.t[i] = c.roots[k].t[i];
        }
        for (u32 k = 0; k < c.limb_count; ++k) {
            const Limb &limb = c.limbs[k];
            const Frame &parent = d.frames[limb.parent];
            double q[4], t[3];
            for (int i = 0; i < 4; ++i) q[i] = parent.q[i];
            for (int i = 0; i < 3; ++i) t[i] = parent.t[i];
            for (u32 s = limb.first; s < limb.end; ++s) {
                const Step &step = c.steps[s];
                after(q, t, step, d.values[step.variable], d.sines[2 * step.variable],
                      d.sines[2 * step.variable + 1]);
                if (from && step.kind) {
                    Axis &axis = d.axes[step.joint];
                    double along[3];
                    rotated(q, step.axis, along);
                    for (int i = 0; i < 3; ++i) axis.direction[i] = float(along[i]);
                    for (int i = 0; i < 3; ++i) axis.point[i] = float(t[i]);
                    axis.share = up(fabs(to[step.variable] - from[step.variable]) * half * (1.0 + 1e-9));
                    axis.kind = step.kind;
                }
            }
            Frame &child = d.frames[limb.child];
            for (int i = 0; i < 4; ++i) child.q[i] = q[i];
            for (int i = 0; i < 3; ++i) child.t[i] = t[i];
        }
        Frame &still = d.frames[c.links];
        for (int i = 0; i < 4; ++i) still.q[i] = i == 3 ? 1.0 : 0.0;
        for (int i = 0; i < 3; ++i) still.t[i] = 0.0;
    }
    together();
    EACH for (u32 k = lane; k <= c.links; k += 16) {
        Frame &f = d.frames[k];
        double r[9];
        matrix(f.q, norm_sq(f.q), r);
        for (int i = 0; i < 9; ++i) f.rows[i] = float(r[i]);
        for (int i = 0; i < 3; ++i) f.at[i] = float(f.t[i]);
    }
    together();
}

// The largest balls of a couple that may come nearer by `way`, by the frames of its carriers.
FN void look(const Cell &c, const Frame &fa, const Frame &fb, const Couple &couple, float way, bool &near, bool &meets) {
    const Body &a = c.bodies[couple.a], &b = c.bodies[couple.b];
    float slack = slack_of(fa, fb, a, b), most = couple.sum + way + slack, least = couple.core - slack;
    near = !(sq(on(fa, a.whole) - on(fb, b.whole)) > most * most + TINY);
    meets = couple.core > 0.0f && least > 0.0f && sq(on(fa, a.core) - on(fb, b.core)) + TINY < least * least;
}

FN void look(const Cell &c, const Desk &d, const Couple &couple, float way, bool &near, bool &meets) {
    look(c, d.frames[c.bodies[couple.a].carrier], d.frames[c.bodies[couple.b].carrier], couple, way, near, meets);
}

// What sixteen balls on either side tell: APART, HIT, or UNSURE.
FN int told(const Cell &c, const Desk &d, const Couple &couple, float way) {
    const Body &a = c.bodies[couple.a], &b = c.bodies[couple.b];
    const Frame &fa = d.frames[a.carrier], &fb = d.frames[b.carrier];
    float slack = slack_of(fa, fb, a, b);
    for (int inside = 0; inside < 2; ++inside) {
        u32 count_a = inside ? a.inner : a.outer, count_b = inside ? b.inner : b.outer;
        if (inside && (count_a == 0 || count_b == 0)) break;
        const float4 *own = c.balls + 32 * couple.a + 16 * inside, *others = c.balls + 32 * couple.b + 16 * inside;
        together();
        EACH if (u32(lane) < count_a) {
            float4 ball = own[lane];
            V3 at = on(fa, &ball.x);
            ball.x = at.x; ball.y = at.y; ball.z = at.z;
            d.balls[lane] = ball;
        }
        together();
        float more = inside ? -slack : couple.more + way + slack;
        LANES(bool, said);
        EACH {
            AT(said) = false;
            if (u32(lane) < count_b) {
                float4 ball = others[lane];
                V3 at = on(fb, &ball.x);
                float radius = ball.w + more;
                for (u32 k = 0; k < count_a; ++k) {
                    float sum = d.balls[k].w + radius, far = sq(xyz(d.balls[k]) - at);
                    AT(said) = AT(said) || (inside ? sum > 0.0f && far + TINY < sum * sum : !(far > sum * sum + TINY));
                }
            }
        }
        u32 any = votes(said);
        if (!inside && !any) return APART;
        if (inside && any) return HIT;
    }
    return UNSURE;
}

// Where a body is; what stands still is where it was put, not rounded again.
FN Pose placed_at(const Cell &c, const Frame &carrier, const Body &body) {
    if (body.carrier != c.links) return behind(carrier, body.place);
    Pose pose;
    for (int k = 0; k < 4; ++k) pose.q[k] = body.place[k];
    for (int k = 0; k < 3; ++k) pose.t[k] = body.place[4 + k];
    return pose;
}

FN Pose placed_at(const Cell &c, const Desk &d, const Body &body) { return placed_at(c, d.frames[body.carrier], body); }

// Whether a couple is closer than `margin`, or meets where that is 0, by its trees.
FN int exact(const Cell &c, const Couple &couple, const Pose &at_a, const Pose &at_b, double margin, Memory &memory,
             int most_steps = MOST_STEPS) {
    const Body &a = c.bodies[couple.a], &b = c.bodies[couple.b];
    bool is_body = a.tree == a.within && b.tree == b.within;
    for (int inside = 0; inside < 2; ++inside) {
        u32 number_a = inside ? a.within : a.tree, number_b = inside ? b.within : b.tree;
        if (number_a == NOBODY || number_b == NOBODY) return UNSURE;
        Wood wood_a = c.woods[number_a], wood_b = c.woods[number_b];
        bool swap = wood_b.unit > wood_a.unit;
        if (swap) {
            Wood w = wood_a;
            wood_a = wood_b;
            wood_b = w;
        }
        Trees trees = {c.records + wood_a.record, c.records + wood_b.record, wood_a.reach, wood_b.reach, wood_a.unit,
                       float(wood_b.unit / wood_a.unit)};
        Probes probes = {c.probes + 3 * wood_a.probe, c.probes + 3 * wood_b.probe, wood_a.probes, wood_b.probes,
                         wood_a.solid, wood_b.solid};
        together();
        const Pose &first = swap ? at_b : at_a, &second = swap ? at_a : at_b;
        Answer answer = margin > 0.0
                            ? ask<CLOSER>(trees, probes, first, second, memory, up(margin / wood_a.unit), most_steps)
                            : ask<OVERLAP>(trees, probes, first, second, memory, 0.0f, most_steps);
        if (answer.verdict == APART && !inside) return APART;
        if (is_body) return answer.verdict;
        if (inside) return answer.verdict == HIT ? HIT : UNSURE;
    }
    return UNSURE;
}

FN int exact(const Cell &c, const Desk &d, const Couple &couple, double margin) {
    Pose at_a = placed_at(c, d, c.bodies[couple.a]), at_b = placed_at(c, d, c.bodies[couple.b]);
    return exact(c, couple, at_a, at_b, margin, *d.memory);
}

// One configuration: HIT, APART or UNSURE. Of LIST also the lowest pair that meets, and a bit for every couple that does;
// `first`: the lowest pair alone.
template <int MODE>
FN int state(const Cell &c, const Desk &d, const double *values, bool first, u32 &pair, unsigned short *hits) {
    EACH for (u32 k = lane; k < c.values; k += 16) d.values[k] = values[k];
    together();
    stand(c, d, nullptr, nullptr, 0.0);
    u32 masks = mask_count(c);
    for (u32 m = 0; m < masks; ++m) {
        LANES(bool, near);
        LANES(bool, meets);
        EACH {
            AT(near) = AT(meets) = false;
            u32 k = 16 * m + lane;
            if (k < c.couple_count) look(c, d, c.couples[k], 0.0f, AT(near), AT(meets));
        }
        if (MODE == ANY && votes(meets)) return HIT;
        u32 left = votes(near);
        EACH if (lane == 0) d.masks[m] = (unsigned short)left;
    }
    together();
    pair = NOBODY;
    u32 doubtful = NOBODY;
    // Of ANY, balls are asked about all couples before shapes are about any.
    for (int pass = MODE == ANY ? 0 : 1; pass < 2; ++pass) {
        for (u32 m = 0; m < masks; ++m) {
            u32 left = d.masks[m], kept = 0, met = 0;
            while (left) {
                u32 bit = left & (0u - left);
                left ^= bit;
                const Couple &couple = c.couples[16 * m + count(bit - 1)];
                if (first && couple.pair >= pair) continue;
                int found = MODE == ANY && pass == 1 ? UNSURE : told(c, d, couple, 0.0f);
                if (found == UNSURE && pass == 1) {
                    found = exact(c, d, couple, couple.margin);
                    if (found == UNSURE && couple.pair < doubtful) doubtful = couple.pair;
                }
                if (found == UNSURE) kept |= bit;
                if (found != HIT) continue;
                if (MODE == ANY) return HIT;
                met |= bit;
                if (couple.pair < pair) pair = couple.pair;
            }
            together();
            EACH if (lane == 0) {
                d.masks[m] = (unsigned short)kept;
                if (MODE == LIST && hits) hits[m] = (unsigned short)met;
            }
            together();
        }
    }
    if (first ? doubtful < pair : doubtful != NOBODY) return UNSURE;
    return pair == NOBODY ? APART : HIT;
}

// How far a body is moved at most by some of its joints.
FN float way_of(const Desk &d, const Body &body, u64 joints) {
    const Frame &f = d.frames[body.carrier];
    V3 center = on(f, body.whole);
    float far = sum_of(f.at) + body.reach, beyond = 0.0f;
    // Those furthest from the root have the highest numbers.
    while (joints) {
        int k = top_bit(joints);
        joints ^= u64(1) << k;
        const Axis &axis = d.axes[k];
        if (axis.kind == SLIDE) {
            beyond += axis.share;
            continue;
        }
        V3 arm = center - v3(axis.point[0], axis.point[1], axis.point[2]);
        V3 lever = cross(v3(axis.direction[0], axis.direction[1], axis.direction[2]), arm);
        float slack = 64.0f * U * (far + sum_of(axis.point));
        beyond += axis.share * (sqrtf(sq(lever)) + body.whole[3] + slack + beyond);
    }
    return beyond;
}

FN float way_between(const Cell &c, const Desk &d, const Couple &couple) {
    const Body &a = c.bodies[couple.a], &b = c.bodies[couple.b];
    u64 shared = a.joints & b.joints;
    return (way_of(d, a, a.joints & ~shared) + way_of(d, b, b.joints & ~shared)) * 1.0001f;
}

#define FIRST_STRETCHES 16
#define MOST_STRETCHES 4096

// The straight way between two configurations: APART where it is proven free, HIT where a configuration on it
// meets something, UNSURE otherwise.
FN int edge(const Cell &c, const Desk &d, const double *from, const double *to) {
    u32 masks = mask_count(c), head = 0, tail = FIRST_STRETCHES;
    double angles = 1.0;
    for (u32 k = 0; k < c.values; ++k) angles += fmax(fabs(from[k]), fabs(to[k]));
    EACH {
        // Far apart ones first: bits in reverse.
        u32 turned = (lane & 1) << 3 | (lane & 2) << 1 | (lane & 4) >> 1 | (lane & 8) >> 3;
        d.ring[lane].middle = (2.0 * turned + 1.0) / (2 * FIRST_STRETCHES);
        d.ring[lane].half = 1.0 / (2 * FIRST_STRETCHES);
        for (u32 m = 0; m < masks; ++m) d.ring_masks[lane * masks + m] = 0xffff;
    }
    together();
    for (u32 looked = 0; head != tail; ++looked) {
        if (looked >= MOST_STRETCHES) return UNSURE;
        // Wide before deep, as long as there is room.
        u32 taken = (tail - head <= RING / 2 ? head++ : --tail) % RING;
        Stretch part = d.ring[taken];
        EACH for (u32 k = lane; k < c.values; k += 16) d.values[k] = from[k] + (to[k] - from[k]) * part.middle;
        together();
        stand(c, d, from, to, part.half);
        bool open = false;
        for (u32 m = 0; m < masks; ++m) {
            u32 wanted = d.ring_masks[taken * masks + m], kept = 0;
            if (wanted == 0) {
                EACH if (lane == 0) d.masks[m] = 0;
                continue;
            }
            LANES(bool, near);
            LANES(bool, meets);
            LANES(float, way);
            EACH {
                AT(near) = AT(meets) = false;
                AT(way) = 0.0f;
                u32 k = 16 * m + lane;
                if (k < c.couple_count && (wanted >> lane & 1)) {
                    AT(way) = way_between(c, d, c.couples[k]);
                    look(c, d, c.couples[k], AT(way), AT(near), AT(meets));
                }
            }
            if (votes(meets)) return HIT;
            u32 left = votes(near);
            while (left) {
                u32 bit = left & (0u - left);
                left ^= bit;
                int place = count(bit - 1);
                const Couple &couple = c.couples[16 * m + place];
                float more = of_lane(way, place);
                int found = told(c, d, couple, more);
                if (found == APART) continue;
                if (found == HIT) return HIT;
                const Body &a = c.bodies[couple.a], &b = c.bodies[couple.b];
                float smaller = fminf(a.whole[3], b.whole[3]);
                // A question that is bound to be answered with yes is not worth its time.
                if (more > 0.3f * smaller) {
                    kept |= bit;
                    continue;
                }
                double far =
                    double(sum_of(d.frames[a.carrier].at) + a.reach + sum_of(d.frames[b.carrier].at) + b.reach);
                double wide = couple.margin + double(more) + 1e-12 * far * angles;
                // First with the way added: apart then is apart in the whole part. Then in its middle alone.
                for (int middle = 0; middle < 2; ++middle) {
                    found = exact(c, d, couple, middle ? couple.margin : wide);
                    if (middle && found == HIT) return HIT;
                    if (middle) kept |= bit;
                    else if (found == APART) break;
                }
                together();
            }
            EACH if (lane == 0) d.masks[m] = (unsigned short)kept;
            open = open || kept != 0;
        }
        together();
        if (!open) continue;
        if (tail + 2 - head > RING || part.half < 1e-7) return UNSURE;
        EACH {
            for (u32 m = lane; m < 2 * masks; m += 16) {
                u32 child = (tail + (m < masks ? 0 : 1)) % RING;
                d.ring_masks[child * masks + m % masks] = d.masks[m % masks];
            }
            if (lane < 2) {
                double half = halved(part.half);
                d.ring[(tail + lane) % RING].middle = lane ? part.middle + half : part.middle - half;
                d.ring[(tail + lane) % RING].half = half;
            }
        }
        together();
        tail += 2;
    }
    return APART;
}
