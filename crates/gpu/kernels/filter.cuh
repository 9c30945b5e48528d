// The filter of configurations: arrays and tests of `cell::filter` in noli_robot, with its bounds. Fused products leave
// roundings out, so the bounds hold with them.
//
// Poses and culling take one thread a configuration; what is near takes sixteen lanes a pair, one a sphere.

struct alignas(16) FilterJoint {
    u32 parent, variable, slides, first; // first: of the pieces that it moves, in `posed`
    float turn[9], shift[3];
};
struct alignas(16) FilterPiece {
    float whole[3], outside, core[3];
    u32 joint, outer, inner, fine, dense;
    u32 hull, hull_count; // sixteens of vertices
    float hull_radius;
    u32 unused;
};
struct alignas(16) SphereSet {
    float around[4];
    u32 count, unused[3];
};
struct alignas(16) FilterPair {
    u32 a, b;
    float reach, separated, meet, more;
    u32 primitive, piece; // the piece against the primitive
    float primitive_reach, primitive_separated;
    u32 table, elsewhere; // see FIRST_CLOUD; of a cloud `piece` and `primitive_...` are about it
    u32 first, end;       // its couples
    u32 slot_a, slot_b;   // of the centres; bit 31: a piece that stands still
};
struct alignas(16) Primitive {
    float turn[9], center[3], half[3];
    u32 is_cylinder;
    float radius, error;
    u32 unused[2];
};
struct alignas(16) FilterTable {
    u32 row;
    float row_low, row_scale;
    u32 column;
    float column_low, column_scale;
    u32 first, end, bits, unused[3];
};
struct alignas(16) Within { u32 variable; float low, scale; u32 unused; };
struct Slide { u32 variable; float most; };

// What the near stage reads of pairs, in their order: pairs of one kind follow each other, and those of one piece. A row or
// rows of each, in words:
//   both move:     slots of both, the square of the distance that separates, table
//   one moves:     centre of the other, that square; slot, table, two unused
//   a box, a cylinder: rows of the turn, each with a coordinate of the centre; half size, that square; slot, table, two unused
// Other pairs have no rows.
struct NearRows {
    const float4 *rows;
    u32 moving, still, boxes, cylinders; // ends of the kinds among the pairs
};
#define STILL_ROWS 2
#define PRIMITIVE_ROWS 5

struct Filter {
    const FilterJoint *joints; // and one more for the end of `posed`
    const FilterPiece *pieces;
    const SphereSet *sets;
    const float4 *spheres; // sixteen of each set
    const FilterPair *pairs;
    const Primitive *primitives;
    const FilterTable *tables;
    const Within *within;
    const u32 *bits;
    const Slide *slides;
    const u32 *turns;
    const u32 *posed; // pieces in the order of their joints
    const float4 *vertices; // of hulls, sixteen side by side
    Clouds clouds;
    NearRows near;
    double inverse;
    u32 joint_count, posed_count, pair_count, slide_count, value_count;
    float slack; // more than the error of a distance
};

#define WIDER (1.0f + 32.0f * U)
#define NARROWER (1.0f - 32.0f * U)

// A frame: rows of its rotation, and its origin.
struct Place { float r[9], t[3]; };

// The frames of all joints in all configurations of a batch: of each joint three rows with the origin behind them.
struct Frames {
    float4 *rows;
    u64 stride;
};

// Numbers of one configuration, each `stride` behind the one before.
struct Column {
    float *first;
    u32 stride;
};
FN float &number(const Column &c, u32 k) { return c.first[u64(k) * c.stride]; }

FN void resting(Place &p) {
    for (int k = 0; k < 9; ++k) p.r[k] = k % 4 ? 0.0f : 1.0f;
    for (int k = 0; k < 3; ++k) p.t[k] = 0.0f;
}

FN void frame_of(const Frames &frames, u32 joint, u32 configuration, Place &p) {
    for (int k = 0; k < 3; ++k) {
        float4 row = frames.rows[(3 * u64(joint) + k) * frames.stride + configuration];
        p.r[3 * k] = row.x; p.r[3 * k + 1] = row.y; p.r[3 * k + 2] = row.z;
        p.t[k] = row.w;
    }
}

FN Place place_of(const Filter &f, const Frames &frames, u32 piece, u32 configuration) {
    Place p;
    u32 joint = f.pieces[piece].joint;
    if (joint == NOBODY) resting(p);
    else frame_of(frames, joint, configuration, p);
    return p;
}

FN V3 at(const Place &p, float x, float y, float z) {
    return v3(p.t[0] + (p.r[0] * x + p.r[1] * y + p.r[2] * z), p.t[1] + (p.r[3] * x + p.r[4] * y + p.r[5] * z),
              p.t[2] + (p.r[6] * x + p.r[7] * y + p.r[8] * z));
}

// A value as the filter has it: angles within half a turn, lengths in its unit.
FN float filter_value(const Filter &f, u32 variable, double raw) {
    const double rounder = 6755399441055744.0, turn = 6.283185307179586;
    if (!f.turns[variable]) return float(raw * f.inverse);
    double turns = add(mul(raw, 1.0 / turn), rounder);
    return float(raw - (turns - rounder) * turn);
}

FN float filter_sine(float x) {
    float z = x * x, sum = -1.0f / 39916800.0f;
    sum = sum * z + 1.0f / 362880.0f;
    sum = sum * z - 1.0f / 5040.0f;
    sum = sum * z + 1.0f / 120.0f;
    sum = sum * z - 1.0f / 6.0f;
    return x + x * (z * sum);
}

// The frame behind a joint.
FN void step_joint(const FilterJoint &joint, const Place &parent, float value, Place &out) {
    const float *c = joint.turn, *s = joint.shift;
    V3 moved = at(parent, s[0], s[1], s[2]);
    out.t[0] = moved.x; out.t[1] = moved.y; out.t[2] = moved.z;
    float sine = 0.0f, cosine = 1.0f;
    if (!joint.slides) {
        const float half = 3.14159274f;
        float folded = fminf(fmaxf(value, -half - value), half - value);
        sine = filter_sine(folded);
        cosine = filter_sine(1.57079637f - fabsf(value));
    }
    for (int row = 0; row < 3; ++row) {
        const float *p = parent.r + 3 * row;
        float x = p[0] * c[0] + p[1] * c[3] + p[2] * c[6];
        if (joint.slides) {
            out.t[row] += x * value;
            for (int k = 0; k < 3; ++k) out.r[3 * row + k] = p[k];
            continue;
        }
        float y = p[0] * c[1] + p[1] * c[4] + p[2] * c[7];
        out.r[3 * row] = x * cosine + y * sine;
        out.r[3 * row + 1] = y * cosine - x * sine;
        out.r[3 * row + 2] = p[0] * c[2] + p[1] * c[5] + p[2] * c[8];
    }
}

// The frames of all joints, and the centres of all pieces that move, in one configuration. False where a variable
// slides out of the range of the filter.
FN bool pose_filter(const Filter &f, const Column &values, const Column &centers, const Frames &frames, u32 configuration) {
    bool in_range = true;
    for (u32 k = 0; k < f.slide_count; ++k)
        in_range = in_range && fabsf(number(values, f.slides[k].variable)) <= f.slides[k].most;
    Place last, next;
    u32 known = NOBODY, slot = 0;
    resting(last);
    for (u32 j = 0; j < f.joint_count; ++j) {
        const FilterJoint &joint = f.joints[j];
        if (joint.parent == NOBODY) resting(last);
        else if (joint.parent != known) frame_of(frames, joint.parent, configuration, last);
        step_joint(joint, last, number(values, joint.variable), next);
        for (int k = 0; k < 3; ++k) {
            float4 row;
            row.x = next.r[3 * k]; row.y = next.r[3 * k + 1]; row.z = next.r[3 * k + 2]; row.w = next.t[k];
            frames.rows[(3 * u64(j) + k) * frames.stride + configuration] = row;
        }
        for (; slot < f.joints[j + 1].first; ++slot) {
            const float *whole = f.pieces[f.posed[slot]].whole;
            V3 center = at(next, whole[0], whole[1], whole[2]);
            number(centers, 3 * slot) = center.x;
            number(centers, 3 * slot + 1) = center.y;
            number(centers, 3 * slot + 2) = center.z;
        }
        last = next;
        known = j;
    }
    return in_range;
}

FN V3 seen(const Primitive &p, V3 point) {
    return turn(p.turn, point - v3(p.center[0], p.center[1], p.center[2]));
}

FN float beyond(float at, float half) { return fmaxf(0.0f, at - half); }

// The square of the distance of a point, seen from the primitive, from it; NaN where the point is.
FN float primitive_distance_sq(const Primitive &p, V3 at) {
    float sum = at.x + at.y + at.z, c = beyond(fabsf(at.z), p.half[2]);
    // The larger of a number and NaN is the number.
    if (!(sum - sum == 0.0f)) return sum - sum;
    if (p.is_cylinder) {
        float out = beyond(sqrtf(at.x * at.x + at.y * at.y), p.half[0]);
        return out * out + c * c;
    }
    float a = beyond(fabsf(at.x), p.half[0]), b = beyond(fabsf(at.y), p.half[1]);
    return a * a + b * b + c * c;
}

FN u32 table_cell(float value, float low, float scale) {
    return u32(fminf(fmaxf((value - low) * scale + 1.0f, 0.0f), 255.0f));
}

FN bool table_separates(const Filter &f, const FilterTable &table, const Column &values) {
    u32 row = table_cell(number(values, table.row), table.row_low, table.row_scale);
    u32 column = table_cell(number(values, table.column), table.column_low, table.column_scale);
    bool separated = f.bits[table.bits + 8 * row + (column >> 5)] >> (column & 31) & 1;
    for (u32 k = table.first; k < table.end; ++k) {
        u32 cell = table_cell(number(values, f.within[k].variable), f.within[k].low, f.within[k].scale);
        separated = separated && cell != 0 && cell != 255;
    }
    return separated;
}

FN V3 center_of(const Filter &f, const Column &centers, u32 slot) {
    if (slot >> 31) {
        const float *whole = f.pieces[slot & 0x7fffffffu].whole;
        return v3(whole[0], whole[1], whole[2]);
    }
    return v3(number(centers, 3 * slot), number(centers, 3 * slot + 1), number(centers, 3 * slot + 2));
}

// Whether a pair of any kind is near: by bounding spheres, the distance from a primitive or a cloud, and tables.
FN bool is_near(const Filter &f, const FilterPair &pair, const Column &values, const Column &centers) {
    V3 a = center_of(f, centers, pair.slot_a), b = center_of(f, centers, pair.slot_b);
    bool near = !(sq(a - b) > pair.separated);
    if (near && pair.primitive != NOBODY) {
        const Primitive &other = f.primitives[pair.primitive];
        near = !(primitive_distance_sq(other, seen(other, pair.piece == pair.a ? a : b)) > pair.primitive_separated);
    }
    if (near && pair.elsewhere >= FIRST_CLOUD)
        near = cloud_near(f.clouds, f.clouds.heads[pair.elsewhere - FIRST_CLOUD], pair.piece == pair.a ? a : b,
                          pair.primitive_separated);
    return near && !(pair.table != NOBODY && table_separates(f, f.tables[pair.table], values));
}

// The centre of a piece that moves, kept while pairs of the same piece follow each other.
struct Kept { u32 slot; V3 center; };
FN V3 kept_center(const Column &centers, Kept &kept, u32 slot) {
    if (slot != kept.slot) {
        kept.slot = slot;
        kept.center = v3(number(centers, 3 * slot), number(centers, 3 * slot + 1), number(centers, 3 * slot + 2));
    }
    return kept.center;
}

FN bool is_unseparated(const Filter &f, bool near, float table, const Column &values) {
    return near && !(bits_of(table) != NOBODY && table_separates(f, f.tables[bits_of(table)], values));
}

// The square of the distance of a point from a box or a cylinder of a pair; as `primitive_distance_sq`.
template <bool IS_CYLINDER> FN float row_distance_sq(const float4 *rows, V3 point) {
    float4 x = rows[0], y = rows[1], z = rows[2], half = rows[3];
    V3 away = point - v3(x.w, y.w, z.w);
    V3 at = v3(dot(xyz(x), away), dot(xyz(y), away), dot(xyz(z), away));
    float sum = at.x + at.y + at.z, c = beyond(fabsf(at.z), half.z);
    if (!(sum - sum == 0.0f)) return sum - sum;
    if (IS_CYLINDER) {
        float out = beyond(sqrtf(at.x * at.x + at.y * at.y), half.x);
        return out * out + c * c;
    }
    float a = beyond(fabsf(at.x), half.x), b = beyond(fabsf(at.y), half.y);
    return a * a + b * b + c * c;
}

template <bool IS_CYLINDER>
FN u32 near_primitives(const Filter &f, const Column &values, const Column &centers, const float4 *rows, u32 from, u32 to) {
    u32 mask = 0;
    Kept own = {NOBODY, {}};
    for (u32 k = from; k < to; ++k, rows += PRIMITIVE_ROWS) {
        float4 last = rows[4];
        V3 center = kept_center(centers, own, bits_of(last.x));
        bool near = !(row_distance_sq<IS_CYLINDER>(rows, center) > rows[3].w);
        mask |= u32(is_unseparated(f, near, last.y, values)) << (k & 31);
    }
    return mask;
}

// Which of 32 pairs from `base` on are near. Every thread of a warp reads the same rows.
FN u32 near_pairs(const Filter &f, const Column &values, const Column &centers, u32 base) {
    const NearRows &near = f.near;
    u32 mask = 0, end = min(base + 32, f.pair_count), k = base, stop = min(end, near.moving);
    const float4 *rows = near.rows + k;
    Kept own = {NOBODY, {}}, other = {NOBODY, {}};
    for (; k < stop; ++k, ++rows) {
        float4 row = *rows;
        V3 d = kept_center(centers, own, bits_of(row.x)) - kept_center(centers, other, bits_of(row.y));
        mask |= u32(is_unseparated(f, !(sq(d) > row.z), row.w, values)) << (k & 31);
    }
    rows = near.rows + near.moving + STILL_ROWS * (k - near.moving);
    for (stop = min(end, near.still); k < stop; ++k, rows += STILL_ROWS) {
        float4 row = rows[0], last = rows[1];
        V3 d = kept_center(centers, own, bits_of(last.x)) - xyz(row);
        mask |= u32(is_unseparated(f, !(sq(d) > row.w), last.y, values)) << (k & 31);
    }
    u32 before = near.moving + STILL_ROWS * (near.still - near.moving);
    if (k < (stop = min(end, near.boxes))) {
        mask |= near_primitives<false>(f, values, centers, near.rows + before + PRIMITIVE_ROWS * (k - near.still), k, stop);
        k = stop;
    }
    if (k < (stop = min(end, near.cylinders))) {
        mask |= near_primitives<true>(f, values, centers, near.rows + before + PRIMITIVE_ROWS * (k - near.still), k, stop);
        k = stop;
    }
    for (; k < end; ++k) mask |= u32(is_near(f, f.pairs[k], values, centers)) << (k & 31);
    return mask;
}

// Whether the largest spheres inside certainly overlap, or one and the primitive.
FN bool cores_collide(const Filter &f, const Frames &frames, const FilterPair &pair, u32 configuration) {
    if (!(pair.meet > 0.0f)) return false;
    u32 first = pair.primitive == NOBODY ? pair.a : pair.piece;
    const float *core = f.pieces[first].core;
    V3 a = at(place_of(f, frames, first, configuration), core[0], core[1], core[2]);
    if (pair.primitive != NOBODY) {
        const Primitive &other = f.primitives[pair.primitive];
        return primitive_distance_sq(other, seen(other, a)) < pair.meet;
    }
    core = f.pieces[pair.b].core;
    V3 b = at(place_of(f, frames, pair.b, configuration), core[0], core[1], core[2]);
    return sq(a - b) < pair.meet;
}

// Whether an outer sphere of a piece, grown by `more`, may reach a sphere.
FN bool any_reaches(const Filter &f, const FilterPiece &piece, const Place &p, float more, V3 c, float r) {
    u32 count_of = f.sets[piece.outer].count;
    for (u32 k = 0; k < count_of; ++k) {
        float4 sphere = f.spheres[16 * u64(piece.outer) + k];
        float sum = sphere.w + more + r;
        if (!(sq(at(p, sphere.x, sphere.y, sphere.z) - c) > sum * sum * WIDER)) return true;
    }
    return false;
}

FN Place seen(const Primitive &p, const Place &place) {
    Place out;
    V3 t = seen(p, v3(place.t[0], place.t[1], place.t[2]));
    out.t[0] = t.x; out.t[1] = t.y; out.t[2] = t.z;
    for (int row = 0; row < 3; ++row)
        for (int k = 0; k < 3; ++k)
            out.r[3 * row + k] =
                p.turn[3 * row] * place.r[k] + p.turn[3 * row + 1] * place.r[3 + k] + p.turn[3 * row + 2] * place.r[6 + k];
    return out;
}

// Whether the outer spheres of a near pair are near the other piece, each set against the bounding sphere or the primitive.
FN bool outer_near(const Filter &f, const Frames &frames, const FilterPair &pair, u32 configuration, float more) {
    if (pair.elsewhere) return true;
    if (pair.primitive != NOBODY) {
        const Primitive &p = f.primitives[pair.primitive];
        Place place = seen(p, place_of(f, frames, pair.piece, configuration));
        u32 set = f.pieces[pair.piece].outer, count_of = f.sets[set].count;
        for (u32 k = 0; k < count_of; ++k) {
            float4 sphere = f.spheres[16 * u64(set) + k];
            float reach = sphere.w + (p.radius + p.error + more);
            if (!(primitive_distance_sq(p, at(place, sphere.x, sphere.y, sphere.z)) > reach * reach * WIDER)) return true;
        }
        return false;
    }
    const FilterPiece &a = f.pieces[pair.a], &b = f.pieces[pair.b];
    Place pa = place_of(f, frames, pair.a, configuration), pb = place_of(f, frames, pair.b, configuration);
    return any_reaches(f, a, pa, more, at(pb, b.whole[0], b.whole[1], b.whole[2]), b.outside) &&
           any_reaches(f, b, pb, more, at(pa, a.whole[0], a.whole[1], a.whole[2]), a.outside);
}
