// Edges in stages, breadth first: every segment of a level takes the stages of a configuration, grown by how far pieces may
// come nearer in it. Segments that stay open are halved for the next level; one collision decides its edge.

// As `EdgeView` of the Rust side.
struct EdgeBatch {
    Edges edges;
    Frames frames;
    unsigned char *verdicts, *doubts; // of edges
    unsigned char *splits;            // of segments
    uint2 *segments, *next;           // edge, and number at its level
    uint2 *near, *open;               // segment and pair
    float *near_paths, *open_paths;
    u32 *counters; // pairs before each of four stages, and segments of the next level
    u32 count, level, near_room, open_room, room, edge_count, desk, unused;
};

extern "C" __global__ void __launch_bounds__(STAGE_BLOCK)
edge_start(const EdgeBatch b) {
    u32 all = b.edge_count << b.level;
    for (u32 k = blockIdx.x * STAGE_BLOCK + threadIdx.x; k < all; k += gridDim.x * STAGE_BLOCK)
        b.segments[k] = make_uint2(k >> b.level, k & ((1u << b.level) - 1u));
}

FN bool is_open(const EdgeBatch &b, u32 edge) {
    return ((volatile unsigned char *)b.verdicts)[edge] != HIT && !((volatile unsigned char *)b.doubts)[edge];
}

FN void keep_path(const EdgeBatch &b, u32 counter, bool to_near, uint2 item, float path, bool kept) {
    if (!kept) return;
    u32 place = atomicAdd(b.counters + counter, 1);
    if (place >= (to_near ? b.near_room : b.open_room)) {
        b.splits[item.x] = 1;
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
    double half = half_of(b.level);
    for (u32 k = blockIdx.x * STAGE_BLOCK + threadIdx.x; k < b.count; k += gridDim.x * STAGE_BLOCK) {
        uint2 segment = b.segments[k];
        b.splits[k] = 0;
        if (!is_open(b, segment.x)) continue;
        double middle = middle_of(segment.y, b.level);
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
        for (u32 p = 0; p < f.pair_count; ++p) {
            float path;
            bool near = near_in_segment(f, b.frames, k, f.pairs[p], values, shares, centers, travels, path);
            keep_path(b, 0, true, make_uint2(k, p), path, near);
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
        keep_path(b, 1, false, item, path, open_pair(f, b.frames, pair, item.x, grown(pair, path)));
    }
}

// Whether an edge is open, asked once for all lanes; and whether its segment is to be halved anyway.
FN bool is_open_to_all(const EdgeBatch &b, u32 edge, u32 segment) {
    u32 open = 0;
    if ((threadIdx.x & 15) == 0) open = is_open(b, edge) && !((volatile unsigned char *)b.splits)[segment];
    return __shfl_sync(half_warp(), open, 0, 16) != 0;
}

extern "C" __global__ void __launch_bounds__(STAGE_BLOCK, 8)
edge_spheres(const Filter f, const EdgeBatch b) {
    u32 all = min(b.counters[1], b.open_room), groups = gridDim.x * (STAGE_BLOCK / 16);
    for (u32 k = blockIdx.x * (STAGE_BLOCK / 16) + threadIdx.x / 16; k < all; k += groups) {
        uint2 item = b.open[k];
        u32 edge = b.segments[item.x].x;
        if (!is_open_to_all(b, edge, item.x)) continue;
        const FilterPair &pair = f.pairs[item.y];
        float path = b.open_paths[k];
        int found = classify_pair(f, b.frames, pair, item.x, grown(pair, path));
        if ((threadIdx.x & 15) != 0) continue;
        if (found == HIT) b.verdicts[edge] = HIT;
        keep_path(b, 2, true, item, path, found == UNSURE);
    }
}

extern "C" __global__ void __launch_bounds__(STAGE_BLOCK, 8)
edge_planes(const Filter f, const EdgeBatch b) {
    u32 all = min(b.counters[2], b.near_room), groups = gridDim.x * (STAGE_BLOCK / 16);
    for (u32 k = blockIdx.x * (STAGE_BLOCK / 16) + threadIdx.x / 16; k < all; k += groups) {
        uint2 item = b.near[k];
        if (!is_open_to_all(b, b.segments[item.x].x, item.x)) continue;
        const FilterPair &pair = f.pairs[item.y];
        float path = b.near_paths[k];
        Place pa = place_of(f, b.frames, pair.a, item.x), pb = place_of(f, b.frames, pair.b, item.x);
        bool apart = parted(f, pair, pa, pb, grown(pair, path));
        if ((threadIdx.x & 15) == 0) keep_path(b, 3, false, item, path, !apart);
    }
}

extern "C" __global__ void __launch_bounds__(STAGE_BLOCK, 3)
edge_trees(const Filter f, const Cell cell, const EdgeBatch b) {
    extern __shared__ __align__(16) char desks[];
    Desk d = desk_at(desks + threadIdx.x / 16 * b.desk, cell);
    u32 all = min(b.counters[3], b.open_room), groups = gridDim.x * (STAGE_BLOCK / 16);
    for (u32 k = blockIdx.x * (STAGE_BLOCK / 16) + threadIdx.x / 16; k < all; k += groups) {
        uint2 item = b.open[k], segment = b.segments[item.x];
        if (!is_open_to_all(b, segment.x, item.x)) continue;
        const FilterPair &pair = f.pairs[item.y];
        float path = b.open_paths[k], least = fminf(f.pieces[pair.a].outside, f.pieces[pair.b].outside);
        int found = SPLIT;
        // Halving costs less than trees that are bound to be near.
        if (path <= 0.3f * least) {
            double angles = 1.0, middle = middle_of(segment.y, b.level);
            for (u32 v = 0; v < cell.values; ++v) {
                u64 at_row = u64(segment.x) * cell.values + v;
                angles += fmax(fabs(b.edges.from[at_row]), fabs(b.edges.to[at_row]));
            }
            together();
            EACH for (u32 v = lane; v < cell.values; v += 16) d.values[v] = value_at(b.edges, cell.values, segment.x, v, middle);
            together();
            stand(cell, d, nullptr, nullptr, 0.0);
            found = exact_in_segment(cell, d, f, b.frames, item.x, pair, path, angles);
        }
        if ((threadIdx.x & 15) == 0) {
            if (found == HIT) b.verdicts[segment.x] = HIT;
            if (found == SPLIT) b.splits[item.x] = 1;
        }
        together();
    }
}

extern "C" __global__ void __launch_bounds__(STAGE_BLOCK)
edge_split(const EdgeBatch b) {
    for (u32 k = blockIdx.x * STAGE_BLOCK + threadIdx.x; k < b.count; k += gridDim.x * STAGE_BLOCK) {
        uint2 segment = b.segments[k];
        if (!b.splits[k] || !is_open(b, segment.x)) continue;
        u32 place = atomicAdd(b.counters + 4, 2);
        if (place + 2 > b.room) {
            b.doubts[segment.x] = 1;
            continue;
        }
        b.next[place] = make_uint2(segment.x, 2 * segment.y);
        b.next[place + 1] = make_uint2(segment.x, 2 * segment.y + 1);
    }
}
