// Segments of straight edges in configuration space: how far pieces may come nearer to each other, and which pairs may
// meet.
//
// The joints between two pieces turn one after the other, each by at most its share, each moving what is behind it by at
// most its share times the distance from its axis: that in the middle of the segment, and what the joints beyond have
// added. Joints that move both pieces change nothing between them. Distances err by less than `slack`, eight times the
// error of the filter; the last factor is far above the rounding of the sums.

struct Edges {
    const double *from, *to; // rows of values
};

// A segment k of 2^level has the number 2^level + k, its halves the numbers twice that and the next.
FN u32 level_of(u32 number) { return u32(top_bit(number)); }
FN double half_of(u32 number) { return 1.0 / double(u64(2) << level_of(number)); }
FN double middle_of(u32 number) { return (2.0 * (number - (1u << level_of(number))) + 1.0) * half_of(number); }

FN double value_at(const Edges &e, u32 count, u32 edge, u32 variable, double share) {
    u64 k = u64(edge) * count + variable;
    return e.from[k] + (e.to[k] - e.from[k]) * share;
}

// The largest change of a variable in a segment, in the unit of the filter, rounded up.
FN float share_of(const Filter &f, const Edges &e, u32 edge, u32 variable, double half) {
    u64 k = u64(edge) * f.value_count + variable;
    double change = fabs(e.to[k] - e.from[k]) * half * (f.turns[variable] ? 1.0 : f.inverse);
    return float(change * (1.0 + 1e-6));
}

// What one joint adds to how far a sphere behind it is moved.
FN float moved_by(const Filter &f, const Frames &frames, u32 segment, u32 j, const Column &shares, V3 center, float radius,
                  float beyond) {
    const FilterJoint &joint = f.joints[j];
    float share = number(shares, joint.variable);
    if (joint.slides) return share;
    Place p;
    frame_of(frames, j, segment, p);
    V3 lever = cross(v3(p.r[2], p.r[5], p.r[8]), center - v3(p.t[0], p.t[1], p.t[2]));
    return share * (sqrtf(sq(lever)) + radius + f.slack + beyond);
}

// How far all its joints may move a piece.
FN float travel(const Filter &f, const Frames &frames, u32 segment, u32 piece, const Column &shares, V3 center) {
    float beyond = 0.0f;
    for (u32 j = f.pieces[piece].joint; j != NOBODY; j = f.joints[j].parent)
        beyond += moved_by(f, frames, segment, j, shares, center, f.pieces[piece].outside, beyond);
    return beyond * 1.00001f;
}

// How far two pieces may come nearer to each other by the joints that are not common to both.
FN float path_between(const Filter &f, const Frames &frames, u32 segment, const FilterPair &pair, const Column &shares,
                      V3 a, V3 b) {
    u32 ja = f.pieces[pair.a].joint, jb = f.pieces[pair.b].joint;
    float of_a = 0.0f, of_b = 0.0f;
    // Joints behind others have higher numbers.
    while (ja != jb) {
        if (jb == NOBODY || (ja != NOBODY && ja > jb)) {
            of_a += moved_by(f, frames, segment, ja, shares, a, f.pieces[pair.a].outside, of_a);
            ja = f.joints[ja].parent;
        } else {
            of_b += moved_by(f, frames, segment, jb, shares, b, f.pieces[pair.b].outside, of_b);
            jb = f.joints[jb].parent;
        }
    }
    return (of_a + of_b) * 1.00001f;
}

// The cells of a table that values within a share of a middle may be in; false where they leave its range. A tenth of a
// cell is far above the rounding.
FN bool cells_within(float middle, float share, float low, float scale, u32 &first, u32 &last) {
    float from = (middle - share - low) * scale + 0.9f, to = (middle + share - low) * scale + 1.1f;
    if (!(from >= 1.0f && to < 255.0f)) return false;
    first = u32(from);
    last = u32(to);
    return true;
}

FN bool table_separates_within(const Filter &f, const FilterTable &table, const Column &values, const Column &shares) {
    u32 top, bottom, left, right;
    for (u32 k = table.first; k < table.end; ++k) {
        const Within &w = f.within[k];
        if (!cells_within(number(values, w.variable), number(shares, w.variable), w.low, w.scale, top, bottom)) return false;
    }
    if (!cells_within(number(values, table.row), number(shares, table.row), table.row_low, table.row_scale, top, bottom) ||
        !cells_within(number(values, table.column), number(shares, table.column), table.column_low, table.column_scale, left,
                      right))
        return false;
    for (u32 word = left / 32; word <= right / 32; ++word) {
        u32 from = word == left / 32 ? left % 32 : 0, to = word == right / 32 ? right % 32 : 31;
        u32 wanted = (0xffffffffu >> (31 - (to - from))) << from;
        for (u32 row = top; row <= bottom; ++row)
            if ((f.bits[table.bits + 8 * row + word] & wanted) != wanted) return false;
    }
    return true;
}

FN bool within_reach(float distance_sq, float reach) { return !(distance_sq > reach * reach * WIDER); }

// Whether a pair may meet in a segment, and how far its pieces may come nearer to each other.
FN bool near_in_segment(const Filter &f, const Frames &frames, u32 segment, const FilterPair &pair, const Column &values,
                        const Column &shares, const Column &centers, const Column &travels, float &path) {
    V3 a = center_of(f, centers, pair.slot_a), b = center_of(f, centers, pair.slot_b);
    bool moves_a = !(pair.slot_a >> 31), moves_b = !(pair.slot_b >> 31);
    path = (moves_a ? number(travels, pair.slot_a) : 0.0f) + (moves_b ? number(travels, pair.slot_b) : 0.0f);
    float distance_sq = sq(a - b);
    if (!within_reach(distance_sq, pair.reach + path)) return false;
    if (moves_a && moves_b) {
        path = fminf(path, path_between(f, frames, segment, pair, shares, a, b));
        if (!within_reach(distance_sq, pair.reach + path)) return false;
    }
    if (pair.primitive != NOBODY) {
        const Primitive &other = f.primitives[pair.primitive];
        float far = primitive_distance_sq(other, seen(other, pair.piece == pair.a ? a : b));
        if (!within_reach(far, pair.primitive_reach + path)) return false;
    }
    if (is_cloud(pair)) {
        float reach = pair.primitive_reach + path;
        const FilterCloud &cloud = f.clouds.heads[pair.elsewhere - FIRST_CLOUD];
        if (!cloud_near(f.clouds, cloud, pair.piece == pair.a ? a : b, reach * reach * WIDER)) return false;
    }
    return pair.table == NOBODY || !table_separates_within(f, f.tables[pair.table], values, shares);
}

FN float grown(const FilterPair &pair, float path) { return (pair.more + path) * (1.0f + 4.0f * U); }

#define SPLIT 3

// A piece and a cloud likewise, by faces.
FN int faces_in_segment(const Filter &f, const Frames &frames, u32 segment, const Cell &c, const Desk &d,
                        const FilterPair &pair, float path, double more) {
    Place own = place_of(f, frames, pair.piece, segment);
    if (classify_faces(f, c, d, pair, own, grown(pair, path), more) == APART) return APART;
    return classify_faces(f, c, d, pair, own, pair.more, 0.0) == HIT ? HIT : SPLIT;
}

// A couple in a segment before its trees are asked: APART, HIT, SPLIT or, with the margin that the segment asks for in its
// middle, UNSURE. `length` is that of the path, `angles` the sum of the sizes of all values.
FN int couple_in_segment(const Cell &c, const Couple &couple, const Values &values, double length, double angles,
                         CouplePlace &at, double &wide) {
    const Body &a = c.bodies[couple.a], &b = c.bodies[couple.b];
    if (!place_couple(c, couple, values, up(length), at)) return SPLIT;
    if (!at.near) return APART;
    if (at.meets) return HIT;
    // A question that is bound to be answered with yes is not worth its time.
    if (length > 0.3 * fminf(a.whole[3], b.whole[3])) return SPLIT;
    wide = couple.margin + length + 1e-12 * double(at.far) * angles;
    return UNSURE;
}

// Steps of a walk in a segment: halving a long segment costs less than a long walk, a short one has to be decided.
FN int segment_steps(u32 number) { return int(64u << min(level_of(number), 8u)); }

// Its trees: APART in all of the segment, HIT in its middle, or SPLIT.
FN int trees_in_segment(const Cell &c, const Couple &couple, const Pose &a, const Pose &b, double wide, u32 number,
                        Memory &memory) {
    int most = segment_steps(number);
    if (exact(c, couple, a, b, wide, memory, most) == APART) return APART;
    return exact(c, couple, a, b, couple.margin, memory, most) == HIT ? HIT : SPLIT;
}
