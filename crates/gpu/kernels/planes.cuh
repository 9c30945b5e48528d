// A separating plane between two pieces, searched by the vertices of their hulls, sixteen lanes a pair (Chung and Wang
// 1996): a direction that fails is mirrored at the line between the two furthest vertices along it. Bounds are those of
// `cell::filter::hulls` in noli_robot.

#define PLANE_ROUNDS 6

// A direction in the frame of a piece.
FN V3 turned_back(const Place &p, V3 d) {
    return v3(p.r[0] * d.x + p.r[3] * d.y + p.r[6] * d.z, p.r[1] * d.x + p.r[4] * d.y + p.r[7] * d.z,
              p.r[2] * d.x + p.r[5] * d.y + p.r[8] * d.z);
}

// How high a hull reaches along a direction but for its radius, and a vertex that does.
FN float highest(const Filter &f, const FilterPiece &piece, V3 d, V3 &vertex) {
    LANES(float, best);
    LANES(u32, number_of);
    LANES(bool, top);
    EACH {
        AT(best) = -3.0e38f;
        AT(number_of) = 0;
        for (u32 k = 0; k < piece.hull_count; ++k) {
            u32 place = 16 * (piece.hull + k) + u32(lane);
            float4 v = f.vertices[place];
            float high = v.x * d.x + v.y * d.y + v.z * d.z;
            if (high > AT(best)) {
                AT(best) = high;
                AT(number_of) = place;
            }
        }
    }
    float high = greatest(best);
    EACH AT(top) = AT(best) == high;
    u32 there = votes(top);
    float4 v = f.vertices[there ? of_lane(number_of, int(lowest(there))) : 16 * piece.hull];
    vertex = xyz(v);
    return high;
}

// Whether a direction is found along which two hulls are further apart than `more`.
FN bool parted(const Filter &f, const FilterPair &pair, const Place &pa, const Place &pb, float more) {
    const FilterPiece &a = f.pieces[pair.a], &b = f.pieces[pair.b];
    if (pair.elsewhere || a.hull_count == 0 || b.hull_count == 0) return false;
    // Directions are of unit length within 8 roundoffs.
    float wanted = (a.hull_radius + b.hull_radius + more) * (1.0f + 32.0f * U);
    V3 at_a = v3(pa.t[0], pa.t[1], pa.t[2]), at_b = v3(pb.t[0], pb.t[1], pb.t[2]);
    V3 d = at(pb, b.whole[0], b.whole[1], b.whole[2]) - at(pa, a.whole[0], a.whole[1], a.whole[2]);
    for (int round = 0; round < PLANE_ROUNDS; ++round) {
        d = (1.0f / sqrtf(dot(d, d))) * d;
        V3 top, bottom;
        float high = highest(f, a, turned_back(pa, d), top), low = highest(f, b, turned_back(pb, -1.0f * d), bottom);
        if ((dot(d, at_b) - low) - (dot(d, at_a) + high) > wanted) return true;
        V3 r = (at(pb, bottom.x, bottom.y, bottom.z) - at(pa, top.x, top.y, top.z)) - wanted * d;
        d = d - (2.0f * dot(d, r) / dot(r, r)) * r;
    }
    return false;
}
