// Edges in stages: every segment takes the stages of a configuration, grown by how far pieces may come nearer in it. Segments
// that stay open are halved, and wait with the pairs that are open in them; one collision decides its edge. A round takes
// those that wait, whatever their level, and segments of new edges while there is room, so that no round is nearly empty.

#define FIRST_LEVEL 3

// As `EdgeView` of the Rust side.
struct EdgeBatch {
    Edges edges;
    Frames frames;
    unsigned char *verdicts, *doubts; // of edges
    unsigned char *splits;            // of segments
    uint2 *segments, *waiting;        // edge, and number
    u32 *pairs, *waiting_pairs;       // of each segment a bit for every pair that is open
    uint2 *near, *open;               // segment and pair
    float *near_paths, *open_paths;
    TreeItems trees;
    u32 *counters; // pairs before each of four stages, segments that wait, and from CLOUD_COUNT on as of configurations
    u32 count, near_room, open_room, tree_room, room, first_edge, old, desk, last_level, unused; // old: that have waited
};

FN u32 words_of(const Filter &f) { return (f.pair_count + 31) / 32; }

// Segments of the first level of new edges, with all pairs open.
extern "C" __global__ void __launch_bounds__(STAGE_BLOCK)
edge_start(const Filter f, const EdgeBatch b) {
    u32 words = words_of(f);
    for (u32 k = b.old + blockIdx.x * STAGE_BLOCK + threadIdx.x; k < b.count; k += gridDim.x * STAGE_BLOCK) {
        u32 number = k - b.old, part = number & ((1u << FIRST_LEVEL) - 1u);
        b.segments[k] = make_uint2(b.first_edge + (number >> FIRST_LEVEL), (1u << FIRST_LEVEL) | part);
        for (u32 w = 0; w < words; ++w)
            b.pairs[u64(k) * words + w] = 0xffffffffu >> (w + 1 == words ? 32 * words - f.pair_count : 0);
    }
}

FN bool is_open(const EdgeBatch &b, u32 edge) {
    return ((volatile unsigned char *)b.verdicts)[edge] != HIT && !((volatile unsigned char *)b.doubts)[edge];
}

// Leaves a pair of a segment to both halves of it.
FN void leave(const Filter &f, const EdgeBatch &b, uint2 item) {
    b.splits[item.x] = 1;
    atomicOr(b.pairs + u64(item.x) * words_of(f) + item.y / 32, 1u << (item.y & 31));
}

FN void keep_path(const Filter &f, const EdgeBatch &b, u32 counter, bool to_near, uint2 item, float path, bool kept) {
    if (!kept) return;
    u32 place = atomicAdd(b.counters + counter, 1);
    if (place >= (to_near ? b.near_room : b.open_room)) {
        leave(f, b, item);
        return;
    }
    (to_near ? b.near : b.open)[place] = item;
    (to_near ? b.near_paths : b.open_paths)[place] = path;
}

extern "C" __global__ void __launch_bounds__(STAGE_BLOCK)
edge_near(const Filter f, const EdgeBatch b) {
    extern __shared__ __align__(16) float columns[];
    float *own = columns + threadIdx.x;
    Column values = {own, STAGE_BLOCK}, shares = {own + f.value_count * STAGE_BLOCK, STAGE_BLOCK};
    Column travels = {own + 2 * f.value_count * STAGE_BLOCK, STAGE_BLOCK};
    Column centers = {own + (2 * f.value_count + f.posed_count) * STAGE_BLOCK, STAGE_BLOCK};
    u32 words = words_of(f);
    for (u32 k = blockIdx.x * STAGE_BLOCK + threadIdx.x; k < b.count; k += gridDim.x * STAGE_BLOCK) {
        uint2 segment = b.segments[k];
        b.splits[k] = 0;
        if (!is_open(b, segment.x)) continue;
        double middle = middle_of(segment.y), half = half_of(segment.y);
        for (u32 v = 0; v < f.value_count; ++v) {
            number(values, v) = filter_value(f, v, value_at(b.edges, f.value_count, segment.x, v, middle));
            number(shares, v) = share_of(f, b.edges, segment.x, v, half);
        }
        if (!pose_filter(f, values, centers, b.frames, k)) {
            b.doubts[segment.x] = 1;
            continue;
        }
        for (u32 slot = 0; slot < f.posed_count; ++slot)
            number(travels, slot) = travel(f, b.frames, k, f.posed[slot], shares, center_of(f, centers, slot));
        for (u32 w = 0; w < words; ++w) {
            u32 left = b.pairs[u64(k) * words + w];
            // Later stages set the bits of those that stay open.
            b.pairs[u64(k) * words + w] = 0;
            for (; left; left &= left - 1) {
                u32 p = 32 * w + lowest(left);
                float path;
                bool near = near_in_segment(f, b.frames, k, f.pairs[p], values, shares, centers, travels, path);
                keep_path(f, b, 0, true, make_uint2(k, p), path, near);
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(STAGE_BLOCK)
edge_outer(const Filter f, const EdgeBatch b) {
    u32 all = min(b.counters[0], b.near_room);
    for (u32 k = blockIdx.x * STAGE_BLOCK + threadIdx.x; k < all; k += gridDim.x * STAGE_BLOCK) {
        uint2 item = b.near[k];
        u32 edge = b.segments[item.x].x;
        if (!is_open(b, edge)) continue;
        const FilterPair &pair = f.pairs[item.y];
        if (cores_collide(f, b.frames, pair, item.x)) {
            b.verdicts[edge] = HIT;
            continue;
        }
        float path = b.near_paths[k];
        keep_path(f, b, 1, false, item, path, open_pair(f, b.frames, pair, item.x, grown(pair, path)));
    }
}

// Whether a pair of a segment is worth a test, asked once for all lanes. If its segment is to be halved anyway, it is left to
// the halves.
FN bool is_open_to_all(const Filter &f, const EdgeBatch &b, u32 edge, uint2 item) {
    u32 open = 0;
    if ((threadIdx.x & 15) == 0 && is_open(b, edge)) {
        open = !((volatile unsigned char *)b.splits)[item.x];
        if (!open) leave(f, b, item);
    }
    return __shfl_sync(half_warp(), open, 0, 16) != 0;
}

extern "C" __global__ void __launch_bounds__(STAGE_BLOCK, 8)
edge_spheres(const Filter f, const EdgeBatch b) {
    u32 all = min(b.counters[1], b.open_room), groups = gridDim.x * (STAGE_BLOCK / 16);
    for (u32 k = blockIdx.x * (STAGE_BLOCK / 16) + threadIdx.x / 16; k < all; k += groups) {
        uint2 item = b.open[k];
        u32 edge = b.segments[item.x].x;
        if (!is_open_to_all(f, b, edge, item)) continue;
        const FilterPair &pair = f.pairs[item.y];
        float path = b.open_paths[k];
        int found = classify_pair(f, b.frames, pair, item.x, grown(pair, path));
        if ((threadIdx.x & 15) != 0) continue;
        if (found == HIT) b.verdicts[edge] = HIT;
        keep_path(f, b, 2, true, item, path, found == UNSURE);
    }
}

extern "C" __global__ void __launch_bounds__(STAGE_BLOCK, 8)
edge_planes(const Filter f, const EdgeBatch b) {
    u32 all = min(b.counters[2], b.near_room), groups = gridDim.x * (STAGE_BLOCK / 16);
    for (u32 k = blockIdx.x * (STAGE_BLOCK / 16) + threadIdx.x / 16; k < all; k += groups) {
        uint2 item = b.near[k];
        if (!is_open_to_all(f, b, b.segments[item.x].x, item)) continue;
        const FilterPair &pair = f.pairs[item.y];
        float path = b.near_paths[k];
        Place pa = place_of(f, b.frames, pair.a, item.x), pb = place_of(f, b.frames, pair.b, item.x);
        bool apart = parted(f, pair, pa, pb, grown(pair, path));
        if ((threadIdx.x & 15) == 0) keep_path(f, b, 3, false, item, path, !apart);
    }
}

extern "C" __global__ void __launch_bounds__(STAGE_BLOCK)
edge_places(const Filter f, const Cell cell, const EdgeBatch b) {
    extern __shared__ __align__(16) double numbers[];
    Values values = {numbers + threadIdx.x, STAGE_BLOCK};
    u32 all = min(b.counters[3], b.open_room);
    for (u32 k = blockIdx.x * STAGE_BLOCK + threadIdx.x; k < all; k += gridDim.x * STAGE_BLOCK) {
        uint2 item = b.open[k], segment = b.segments[item.x];
        if (!is_open(b, segment.x)) continue;
        const FilterPair &pair = f.pairs[item.y];
        float path = b.open_paths[k], least = fminf(f.pieces[pair.a].outside, f.pieces[pair.b].outside);
        // Halving costs less than trees that are bound to be near.
        if (!(path <= 0.3f * least)) {
            leave(f, b, item);
            continue;
        }
        if (is_cloud(pair)) {
            keep_path(f, b, CLOUD_COUNT, true, item, path, true);
            continue;
        }
        double angles = 1.0, middle = middle_of(segment.y), length = double(path) / f.inverse;
        for (u32 v = 0; v < cell.values; ++v) {
            u64 at_row = u64(segment.x) * cell.values + v;
            number(values, v) = value_at(b.edges, cell.values, segment.x, v, middle);
            angles += fmax(fabs(b.edges.from[at_row]), fabs(b.edges.to[at_row]));
        }
        for (u32 k = pair.first; k < pair.end; ++k) {
            CouplePlace at;
            double wide = 0.0;
            TreeItem own = {item.x, k, item.y, 0};
            int found = couple_in_segment(cell, cell.couples[k], values, length, angles, at, wide);
            if (found == HIT) b.verdicts[segment.x] = HIT;
            if (found == UNSURE && !add_item(b.trees, b.counters, b.tree_room, own, at, wide)) found = SPLIT;
            if (found == SPLIT) leave(f, b, item);
        }
    }
}

extern "C" __global__ void __launch_bounds__(STAGE_BLOCK, 8)
edge_trees(const Filter f, const Cell cell, const EdgeBatch b) {
    __shared__ Memory memories[STAGE_BLOCK / 16];
    Memory &memory = memories[threadIdx.x / 16];
    u32 all = min(b.counters[ITEM_COUNT], b.tree_room);
    for (;;) {
        u32 taken = next_item(b.counters);
        if (taken >= all) break;
        TreeItem own = b.trees.items[taken];
        uint2 item = make_uint2(own.owner, own.pair);
        uint2 segment = b.segments[item.x];
        if (!is_open_to_all(f, b, segment.x, item)) continue;
        const Placement &at = b.trees.places[taken];
        int found = trees_in_segment(cell, cell.couples[own.couple], at.a, at.b, at.wide, segment.y, memory);
        if ((threadIdx.x & 15) == 0) {
            if (found == HIT) b.verdicts[segment.x] = HIT;
            if (found == SPLIT) leave(f, b, item);
        }
        together();
    }
}

// Pieces against clouds by faces, with a desk for each sixteen threads.
extern "C" __global__ void __launch_bounds__(STAGE_BLOCK, 3)
edge_clouds(const Filter f, const Cell cell, const EdgeBatch b) {
    extern __shared__ __align__(16) char desks[];
    Desk d = desk_at(desks + threadIdx.x / 16 * b.desk, cell);
    u32 all = min(b.counters[CLOUD_COUNT], b.near_room), groups = gridDim.x * (STAGE_BLOCK / 16);
    for (u32 k = blockIdx.x * (STAGE_BLOCK / 16) + threadIdx.x / 16; k < all; k += groups) {
        uint2 item = b.near[k], segment = b.segments[item.x];
        if (!is_open_to_all(f, b, segment.x, item)) continue;
        float path = b.near_paths[k];
        double middle = middle_of(segment.y), length = double(path) / f.inverse;
        together();
        EACH for (u32 v = lane; v < cell.values; v += 16) d.values[v] = value_at(b.edges, cell.values, segment.x, v, middle);
        together();
        stand(cell, d, nullptr, nullptr, 0.0);
        int found = faces_in_segment(f, b.frames, item.x, cell, d, f.pairs[item.y], path, length * (1.0 + 1e-6));
        if ((threadIdx.x & 15) == 0) {
            if (found == HIT) b.verdicts[segment.x] = HIT;
            if (found == SPLIT) leave(f, b, item);
        }
        together();
    }
}

extern "C" __global__ void __launch_bounds__(STAGE_BLOCK)
edge_split(const Filter f, const EdgeBatch b) {
    u32 words = words_of(f);
    for (u32 k = blockIdx.x * STAGE_BLOCK + threadIdx.x; k < b.count; k += gridDim.x * STAGE_BLOCK) {
        uint2 segment = b.segments[k];
        if (!b.splits[k] || !is_open(b, segment.x)) continue;
        u32 place = b.room;
        if (level_of(segment.y) + 1 < b.last_level) place = atomicAdd(b.counters + 4, 2);
        if (place + 2 > b.room) {
            b.doubts[segment.x] = 1;
            continue;
        }
        for (u32 half = 0; half < 2; ++half) {
            b.waiting[place + half] = make_uint2(segment.x, 2 * segment.y + half);
            for (u32 w = 0; w < words; ++w)
                b.waiting_pairs[u64(place + half) * words + w] = b.pairs[u64(k) * words + w];
        }
    }
}
