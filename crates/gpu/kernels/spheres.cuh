// Sphere sets of two pieces in one configuration, sixteen lanes a pair: outer spheres separate, inner spheres collide.

#define FIRST_LANES(count) ((1u << (count)) - 1u)

FN u32 lowest(u32 bits) { return u32(count((bits & (0u - bits)) - 1u)); }

FN void pose_set(const Filter &f, u32 set, const Place &p, float more, OF_LANES(V3, center), OF_LANES(float, radius)) {
    EACH {
        float4 sphere = f.spheres[16 * u64(set) + lane];
        AT(center) = at(p, sphere.x, sphere.y, sphere.z);
        AT(radius) = sphere.w + more;
    }
}

// The spheres of a set that may reach a sphere.
FN u32 reaching(OF_LANES(V3, center), OF_LANES(float, radius), V3 c, float r) {
    LANES(bool, said);
    EACH {
        float sum = AT(radius) + r;
        AT(said) = !(sq(AT(center) - c) > sum * sum * WIDER);
    }
    return votes(said);
}

// Those of the second set that one of the first is nearer to than both radii, the square times `factor`. What cannot be
// compared is near for a factor above 1 and far for one below.
FN u32 nearer(V3 c, float r, OF_LANES(V3, center), OF_LANES(float, radius), float factor) {
    LANES(bool, said);
    EACH {
        float sum = r + AT(radius), far = sq(c - AT(center));
        AT(said) = factor > 1.0f ? !(far > sum * sum * factor) : sum * sum * factor > far;
    }
    return votes(said);
}

FN bool any_nearer(u32 wanted, OF_LANES(V3, ca), OF_LANES(float, ra), OF_LANES(V3, cb), OF_LANES(float, rb), float factor) {
    while (wanted) {
        int k = int(lowest(wanted));
        wanted &= wanted - 1;
        if (nearer(of_lane(ca, k), of_lane(ra, k), cb, rb, factor)) return true;
    }
    return false;
}

// The outer spheres of a set that may reach a primitive, and whether an inner sphere certainly does.
FN u32 outside_reach(const Filter &f, const Primitive &p, u32 set, const Place &place, float more) {
    LANES(bool, said);
    EACH {
        float4 sphere = f.spheres[16 * u64(set) + lane];
        float reach = sphere.w + (p.radius + p.error + more);
        AT(said) = !(primitive_distance_sq(p, at(place, sphere.x, sphere.y, sphere.z)) > reach * reach * WIDER);
    }
    return votes(said) & FIRST_LANES(f.sets[set].count);
}
FN bool inside_collides(const Filter &f, const Primitive &p, u32 set, const Place &place) {
    if (f.sets[set].count == 0) return false;
    LANES(bool, said);
    EACH {
        float4 sphere = f.spheres[16 * u64(set) + lane];
        float reach = fmaxf(sphere.w + (p.radius - p.error), 0.0f);
        AT(said) = reach * reach * NARROWER > primitive_distance_sq(p, at(place, sphere.x, sphere.y, sphere.z));
    }
    return (votes(said) & FIRST_LANES(f.sets[set].count)) != 0;
}

FN int classify_primitive(const Filter &f, const FilterPair &pair, const Place &own, float more) {
    const Primitive &p = f.primitives[pair.primitive];
    const FilterPiece &piece = f.pieces[pair.piece];
    Place place = seen(p, own);
    u32 near = outside_reach(f, p, piece.outer, place, more), reached = 0;
    if (near == 0) return APART;
    if (inside_collides(f, p, piece.inner, place)) return HIT;
    for (u32 left = near; left && !reached; left &= left - 1)
        reached = outside_reach(f, p, piece.fine + lowest(left), place, more);
    if (reached == 0) return APART;
    for (u32 left = near; left; left &= left - 1)
        if (inside_collides(f, p, piece.dense + lowest(left), place)) return HIT;
    return UNSURE;
}

// Smaller outer spheres in the places of those that overlap; `close` has for each of the first those of the second.
FN bool fine_touch(const Filter &f, const FilterPair &pair, const Place &pa, const Place &pb, float more,
                   OF_LANES(u32, close), OF_LANES(V3, outer_center), OF_LANES(float, outer_radius)) {
    const FilterPiece &a = f.pieces[pair.a], &b = f.pieces[pair.b];
    LANES(bool, some);
    EACH AT(some) = AT(close) != 0;
    for (u32 left = votes(some); left; left &= left - 1) {
        u32 k = lowest(left), count_k = f.sets[a.fine + k].count;
        LANES(V3, ca);
        LANES(float, ra);
        pose_set(f, a.fine + k, pa, more, ca, ra);
        for (u32 others = of_lane(close, int(k)); others; others &= others - 1) {
            int other = int(lowest(others));
            u32 reach = reaching(ca, ra, of_lane(outer_center, other), of_lane(outer_radius, other)) & FIRST_LANES(count_k);
            if (!reach) continue;
            LANES(V3, cb);
            LANES(float, rb);
            pose_set(f, b.fine + other, pb, 0.0f, cb, rb);
            if (f.sets[b.fine + other].count && any_nearer(reach, ca, ra, cb, rb, WIDER)) return true;
        }
    }
    return false;
}

// Spheres inside about the places of outer spheres that overlap.
FN bool dense_collide(const Filter &f, const FilterPair &pair, const Place &pa, const Place &pb, OF_LANES(u32, close)) {
    const FilterPiece &a = f.pieces[pair.a], &b = f.pieces[pair.b];
    LANES(bool, some);
    EACH AT(some) = AT(close) != 0;
    for (u32 left = votes(some); left; left &= left - 1) {
        u32 k = lowest(left), count_k = f.sets[a.dense + k].count;
        if (count_k == 0) continue;
        LANES(V3, ca);
        LANES(float, ra);
        pose_set(f, a.dense + k, pa, 0.0f, ca, ra);
        for (u32 others = of_lane(close, int(k)); others; others &= others - 1) {
            u32 other = b.dense + lowest(others);
            if (f.sets[other].count == 0) continue;
            const float *around = f.sets[other].around;
            u32 reach = reaching(ca, ra, at(pb, around[0], around[1], around[2]), around[3]) & FIRST_LANES(count_k);
            if (!reach) continue;
            LANES(V3, cb);
            LANES(float, rb);
            pose_set(f, other, pb, 0.0f, cb, rb);
            if (any_nearer(reach, ca, ra, cb, rb, NARROWER)) return true;
        }
    }
    return false;
}

// The verdict on a near pair: APART, HIT or UNSURE. Outer spheres of the first piece grow by `more`.
FN int classify(const Filter &f, const Frames &frames, const FilterPair &pair, u32 configuration, float more) {
    if (pair.elsewhere) return UNSURE;
    if (pair.primitive != NOBODY)
        return classify_primitive(f, pair, place_of(f, frames, pair.piece, configuration), more);
    Place pa = place_of(f, frames, pair.a, configuration), pb = place_of(f, frames, pair.b, configuration);
    const FilterPiece &a = f.pieces[pair.a], &b = f.pieces[pair.b];
    LANES(V3, ca);
    LANES(float, ra);
    LANES(V3, cb);
    LANES(float, rb);
    pose_set(f, a.outer, pa, more, ca, ra);
    V3 whole_a = at(pa, a.whole[0], a.whole[1], a.whole[2]), whole_b = at(pb, b.whole[0], b.whole[1], b.whole[2]);
    // Only spheres that reach the bounding sphere of the other piece may reach any of its spheres.
    u32 near_a = reaching(ca, ra, whole_b, b.outside) & FIRST_LANES(f.sets[a.outer].count);
    if (near_a == 0) return APART;
    pose_set(f, b.outer, pb, 0.0f, cb, rb);
    u32 near_b = reaching(cb, rb, whole_a, a.outside + more) & FIRST_LANES(f.sets[b.outer].count), some = 0;
    if (near_b == 0) return APART;
    LANES(u32, close);
    EACH AT(close) = 0;
    for (u32 left = near_a; left; left &= left - 1) {
        int k = int(lowest(left));
        u32 overlap = near_b & nearer(of_lane(ca, k), of_lane(ra, k), cb, rb, WIDER);
        some |= overlap;
        EACH if (lane == k) AT(close) = overlap;
    }
    if (some == 0) return APART;
    if (f.sets[a.inner].count && f.sets[b.inner].count) {
        LANES(V3, ia);
        LANES(float, sa);
        LANES(V3, ib);
        LANES(float, sb);
        pose_set(f, a.inner, pa, 0.0f, ia, sa);
        pose_set(f, b.inner, pb, 0.0f, ib, sb);
        if (any_nearer(FIRST_LANES(f.sets[a.inner].count), ia, sa, ib, sb, NARROWER)) return HIT;
    }
    if (!fine_touch(f, pair, pa, pb, more, close, cb, rb)) return APART;
    return dense_collide(f, pair, pa, pb, close) ? HIT : UNSURE;
}
