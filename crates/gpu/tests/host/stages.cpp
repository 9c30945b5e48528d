// Stages as a program of the host: a cell, its filter and configurations come in on standard input; out go the values of
// each configuration and a verdict on each pair of pieces, with the stage that gave it. Of edges the verdicts go out.

template <class T> static bool take(T *to, size_t count) { return std::fread(to, sizeof(T), count, stdin) == count; }

template <class T> static std::vector<T> table(u32 words) {
    std::vector<T> all(words * 4 / sizeof(T));
    if (!take(all.data(), all.size())) std::exit(1);
    return all;
}

struct Header {
    u32 words[8], probes, counts[8], filter_words[24], near_ends[4], filter_counts[6], ranges, count, desk, mode;
    double inverse;
    u64 seed, first;
};

// A pair of pieces by its trees, or by the faces near a cloud, in the configuration on the desk.
static int exact_pair(const Filter &f, const Frames &frames, const Cell &c, const Desk &d, const FilterPair &pair) {
    if (is_cloud(pair)) return classify_faces(f, c, d, pair, place_of(f, frames, pair.piece, 0), pair.more, 0.0);
    int all = APART;
    for (u32 k = pair.first; k < pair.end; ++k) {
        CouplePlace at;
        if (!place_couple(c, c.couples[k], {d.values, 1}, 0.0f, at)) return UNSURE;
        if (!at.near) continue;
        int found = exact(c, c.couples[k], at.a, at.b, c.couples[k].margin, *d.memory);
        if (found != exact(c, d, c.couples[k], c.couples[k].margin)) std::exit(3);
        if (found == HIT) return HIT;
        if (found == UNSURE) all = UNSURE;
    }
    return all;
}

// The same in a segment, whose middle is on the desk: APART in all of it, HIT in its middle, or SPLIT.
static int exact_in_segment(const Cell &c, const Desk &d, const Filter &f, const Frames &frames, const FilterPair &pair,
                            float path, double angles, u32 part) {
    double length = double(path) / f.inverse;
    if (is_cloud(pair)) return faces_in_segment(f, frames, 0, c, d, pair, path, length * (1.0 + 1e-6));
    int all = APART;
    for (u32 k = pair.first; k < pair.end; ++k) {
        CouplePlace at;
        double wide;
        int found = couple_in_segment(c, c.couples[k], {d.values, 1}, length, angles, at, wide);
        if (found == UNSURE) found = trees_in_segment(c, c.couples[k], at.a, at.b, wide, part, *d.memory);
        if (found == HIT) return HIT;
        if (found == SPLIT) all = SPLIT;
    }
    return all;
}

struct Room {
    std::vector<float4> rows;
    std::vector<float> numbers, shares, centers, travels;
};

// What the stages of an edge say of one segment: APART, HIT or SPLIT.
static int segment(const Filter &f, const Cell &c, const Desk &d, const Edges &e, Room &room, u32 edge, u32 part) {
    Frames frames = {room.rows.data(), 1};
    Column values = {room.numbers.data(), 1}, shares = {room.shares.data(), 1};
    Column centers = {room.centers.data(), 1}, travels = {room.travels.data(), 1};
    double middle = middle_of(part), angles = 1.0;
    for (u32 v = 0; v < c.values; ++v) {
        d.values[v] = value_at(e, c.values, edge, v, middle);
        number(values, v) = filter_value(f, v, d.values[v]);
        number(shares, v) = share_of(f, e, edge, v, half_of(part));
        angles += fmax(fabs(e.from[edge * c.values + v]), fabs(e.to[edge * c.values + v]));
    }
    if (!pose_filter(f, values, centers, frames, 0)) return UNSURE;
    stand(c, d, nullptr, nullptr, 0.0);
    for (u32 slot = 0; slot < f.posed_count; ++slot)
        number(travels, slot) = travel(f, frames, 0, f.posed[slot], shares, center_of(f, centers, slot));
    int all = APART;
    for (u32 p = 0; p < f.pair_count; ++p) {
        const FilterPair &pair = f.pairs[p];
        float path;
        if (!near_in_segment(f, frames, 0, pair, values, shares, centers, travels, path)) continue;
        if (cores_collide(f, frames, pair, 0)) return HIT;
        float more = grown(pair, path);
        if (!open_pair(f, frames, pair, 0, more)) continue;
        int found = classify_pair(f, frames, pair, 0, more);
        if (found == HIT) return HIT;
        Place pa = place_of(f, frames, pair.a, 0), pb = place_of(f, frames, pair.b, 0);
        if (found == APART || parted(f, pair, pa, pb, more)) continue;
        if (path > 0.3f * fminf(f.pieces[pair.a].outside, f.pieces[pair.b].outside)) {
            all = SPLIT;
            continue;
        }
        found = exact_in_segment(c, d, f, frames, pair, path, angles, part);
        if (found == HIT) return HIT;
        if (found == SPLIT) all = SPLIT;
    }
    return all;
}

static int decide(const Filter &f, const Cell &c, const Desk &d, const Edges &e, Room &room, u32 edge) {
    std::vector<u32> now, next;
    for (u32 k = 8; k < 16; ++k) now.push_back(k);
    for (u32 level = 3; level < 14 && !now.empty(); ++level) {
        next.clear();
        for (u32 k : now) {
            int found = segment(f, c, d, e, room, edge, k);
            if (found == HIT || found == UNSURE) return found;
            if (found == SPLIT) { next.push_back(2 * k); next.push_back(2 * k + 1); }
        }
        now.swap(next);
    }
    return now.empty() ? APART : UNSURE;
}

int main() {
    Header h;
    if (!take(&h, 1)) return 1;
    auto steps = table<Step>(h.words[0]);
    auto limbs = table<Limb>(h.words[1]);
    auto roots = table<Root>(h.words[2]);
    auto bodies = table<Body>(h.words[3]);
    auto balls = table<float4>(h.words[4]);
    auto woods = table<Wood>(h.words[5]);
    auto couples = table<Couple>(h.words[6]);
    auto records = table<Record>(h.words[7]);
    auto probes = table<double>(2 * h.probes);
    Cell c = {steps.data(), limbs.data(), roots.data(), bodies.data(), balls.data(), woods.data(), couples.data(),
              records.data(), probes.data(), h.counts[0], h.counts[1], h.counts[2], h.counts[3], h.counts[4],
              h.counts[5], h.counts[6], h.counts[7]};
    const u32 *w = h.filter_words, *n = h.filter_counts;
    auto joints = table<FilterJoint>(w[0]);
    auto pieces = table<FilterPiece>(w[1]);
    auto sets = table<SphereSet>(w[2]);
    auto spheres = table<float4>(w[3]);
    auto pairs = table<FilterPair>(w[4]);
    auto primitives = table<Primitive>(w[5]);
    auto tables = table<FilterTable>(w[6]);
    auto within = table<Within>(w[7]);
    auto bits = table<u32>(w[8]);
    auto slides = table<Slide>(w[9]);
    auto turns = table<u32>(w[10]);
    auto posed = table<u32>(w[11]);
    auto vertices = table<float4>(w[12]);
    auto heads = table<FilterCloud>(w[13]);
    auto bounds = table<u32>(w[14]);
    auto starts = table<u32>(w[15]);
    auto points = table<float4>(w[16]);
    auto grids = table<FaceCells>(w[17]);
    auto face_starts = table<u32>(w[18]);
    auto faces = table<u32>(w[19]);
    auto triangles = table<double>(w[20]);
    auto sides = table<u32>(w[21]);
    auto grid_of = table<u32>(w[22]);
    auto near_rows = table<float4>(w[23]);
    Clouds clouds = {heads.data(), bounds.data(), starts.data(), points.data(), grids.data(), face_starts.data(),
                     faces.data(), triangles.data(), sides.data(), grid_of.data()};
    Filter f = {joints.data(), pieces.data(), sets.data(), spheres.data(), pairs.data(), primitives.data(), tables.data(),
                within.data(), bits.data(), slides.data(), turns.data(), posed.data(), vertices.data(), clouds,
                {near_rows.data(), h.near_ends[0], h.near_ends[1], h.near_ends[2], h.near_ends[3]}, h.inverse, n[0], n[1], n[2], n[3],
                n[4], f32_of(n[5])};
    if (joints.size() != f.joint_count + 1 || pairs.size() != f.pair_count || 16 * sets.size() != spheres.size()) return 2;
    auto ranges = table<Range>(h.ranges);
    std::vector<double> rows(h.ranges ? 0 : (h.mode + 1) * h.count * c.values), values(c.values);
    if (!take(rows.data(), rows.size())) return 1;
    States states = {h.ranges ? ranges.data() : nullptr, rows.data(), h.seed, h.first};
    std::vector<float4> memory(h.desk / 16), rows_of_frames(3 * f.joint_count + 1);
    std::vector<float> numbers(f.value_count), centers(3 * f.posed_count + 1);
    Desk d = desk_at((char *)memory.data(), c);
    Frames frames = {rows_of_frames.data(), 1};
    Column own = {numbers.data(), 1}, middle = {centers.data(), 1};
    if (h.mode) {
        Room room = {rows_of_frames, numbers, numbers, centers, centers};
        Edges edges = {rows.data(), rows.data() + h.count * c.values};
        for (u32 k = 0; k < h.count; ++k) {
            u32 verdict = u32(decide(f, c, d, edges, room, k));
            std::fwrite(&verdict, 4, 1, stdout);
        }
        return 0;
    }
    std::vector<unsigned char> found(2 * f.pair_count);
    for (u32 k = 0; k < h.count; ++k) {
        state_values(states, c.values, k, values.data(), 1);
        for (u32 v = 0; v < f.value_count; ++v) number(own, v) = filter_value(f, v, values[v]);
        bool in_range = pose_filter(f, own, middle, frames, 0);
        for (u32 v = 0; v < c.values; ++v) d.values[v] = values[v];
        stand(c, d, nullptr, nullptr, 0.0);
        for (u32 p = 0; p < f.pair_count; ++p) {
            const FilterPair &pair = pairs[p];
            int verdict = UNSURE, stage = 0;
            if (in_range && !(near_pairs(f, own, middle, p & ~31u) >> (p & 31) & 1)) verdict = APART;
            if (in_range && verdict == UNSURE && ++stage && cores_collide(f, frames, pair, 0)) verdict = HIT;
            if (in_range && verdict == UNSURE && !open_pair(f, frames, pair, 0, pair.more)) verdict = APART;
            if (in_range && verdict == UNSURE && ++stage)
                verdict = classify_pair(f, frames, pair, 0, pair.more);
            if (in_range && verdict == UNSURE && ++stage &&
                parted(f, pair, place_of(f, frames, pair.a, 0), place_of(f, frames, pair.b, 0), pair.more))
                verdict = APART;
            if (in_range && verdict == UNSURE && ++stage) verdict = exact_pair(f, frames, c, d, pair);
            found[2 * p] = (unsigned char)verdict;
            found[2 * p + 1] = (unsigned char)stage;
        }
        std::fwrite(values.data(), 8, values.size(), stdout);
        std::fwrite(found.data(), 1, found.size(), stdout);
    }
}
