// Configurations in stages, with what is open compacted between them: one thread a configuration finds its near pairs,
// one thread a pair compares its cores and outer spheres, sixteen threads a pair its sphere sets, its hulls, and its
// trees. A configuration that certainly collides is left at once.

#define STAGE_BLOCK 128

// As `BatchView` of the Rust side.
struct Batch {
    States states;
    Frames frames;
    unsigned char *verdicts, *doubts;
    uint2 *near, *open; // configuration and pair; stages read one list and write the other
    u32 *unsure;        // configurations for the processor
    u32 *counters;      // pairs before each of four stages, unsure, hits, and the complement of the first hit
    u32 count, near_room, open_room, desk;
};

FN u32 warp_lane() { return threadIdx.x & 31; }

extern "C" __global__ void __launch_bounds__(STAGE_BLOCK)
near_stage(const Filter f, const Batch b) {
    extern __shared__ __align__(16) float columns[];
    u32 words = (f.pair_count + 31) / 32, room = max(3 * f.posed_count, 2 * f.value_count);
    float *behind = columns + f.value_count * STAGE_BLOCK;
    Column values = {columns + threadIdx.x, STAGE_BLOCK}, centers = {behind + threadIdx.x, STAGE_BLOCK};
    u32 *masks = (u32 *)(behind + room * STAGE_BLOCK) + threadIdx.x;
    double *raw = (double *)behind + threadIdx.x;
    u32 all = (b.count + STAGE_BLOCK - 1) / STAGE_BLOCK * STAGE_BLOCK;
    for (u32 k = blockIdx.x * STAGE_BLOCK + threadIdx.x; k < all; k += gridDim.x * STAGE_BLOCK) {
        // Threads beyond the last repeat it and have nothing near.
        u32 i = min(k, b.count - 1), own = 0;
        __syncthreads();
        state_values(b.states, f.value_count, i, raw, STAGE_BLOCK);
        for (u32 v = 0; v < f.value_count; ++v) number(values, v) = filter_value(f, v, raw[u64(v) * STAGE_BLOCK]);
        __syncthreads();
        bool in_range = pose_filter(f, values, centers, b.frames, i), counts = k < b.count && in_range;
        if (k < b.count && !in_range) b.doubts[i] = 1;
        for (u32 w = 0; w < words; ++w) {
            u32 mask = counts ? near_pairs(f, values, centers, 32 * w) : 0;
            masks[w * STAGE_BLOCK] = mask;
            own += count(mask);
        }
        u32 before = own;
        for (int step = 1; step < 32; step *= 2) {
            u32 other = __shfl_up_sync(0xffffffffu, before, step);
            if (warp_lane() >= u32(step)) before += other;
        }
        u32 total = __shfl_sync(0xffffffffu, before, 31), start = 0;
        if (total == 0) continue;
        if (warp_lane() == 0) start = atomicAdd(b.counters, total);
        u32 place = __shfl_sync(0xffffffffu, start, 0) + before - own;
        if (own && place + own > b.near_room) b.doubts[i] = 1;
        for (u32 w = 0; w < words; ++w)
            for (u32 left = masks[w * STAGE_BLOCK]; left; left &= left - 1, ++place)
                if (place < b.near_room) b.near[place] = make_uint2(i, 32 * w + lowest(left));
    }
}

// Appends a pair to a list, or leaves its configuration to the processor.
FN void keep(const Batch &b, u32 counter, uint2 *list, u32 room, uint2 item, bool kept) {
    u32 wanted = __ballot_sync(__activemask(), kept);
    if (!kept) return;
    u32 start = 0, leader = u32(__ffs(int(wanted)) - 1);
    if (warp_lane() == leader) start = atomicAdd(b.counters + counter, u32(count(wanted)));
    u32 place = __shfl_sync(wanted, start, int(leader)) + u32(count(wanted & ((1u << warp_lane()) - 1u)));
    if (place < room) list[place] = item;
    else b.doubts[item.x] = 1;
}

extern "C" __global__ void __launch_bounds__(STAGE_BLOCK)
outer_stage(const Filter f, const Batch b) {
    u32 all = min(b.counters[0], b.near_room);
    for (u32 k = blockIdx.x * STAGE_BLOCK + threadIdx.x; k < all; k += gridDim.x * STAGE_BLOCK) {
        uint2 item = b.near[k];
        const FilterPair &pair = f.pairs[item.y];
        bool open = b.verdicts[item.x] != HIT;
        if (open && cores_collide(f, b.frames, pair, item.x)) {
            b.verdicts[item.x] = HIT;
            open = false;
        }
        open = open && open_pair(f, b.frames, pair, item.x, pair.more);
        keep(b, 1, b.open, b.open_room, item, open);
    }
}

// Whether a configuration certainly collides, asked once for all lanes.
FN bool is_decided(const Batch &b, u32 configuration) {
    u32 verdict = 0;
    if ((threadIdx.x & 15) == 0) verdict = ((volatile unsigned char *)b.verdicts)[configuration];
    return __shfl_sync(half_warp(), verdict, 0, 16) == HIT;
}

extern "C" __global__ void __launch_bounds__(STAGE_BLOCK, 8)
sphere_stage(const Filter f, const Batch b) {
    u32 all = min(b.counters[1], b.open_room), groups = gridDim.x * (STAGE_BLOCK / 16);
    for (u32 k = blockIdx.x * (STAGE_BLOCK / 16) + threadIdx.x / 16; k < all; k += groups) {
        uint2 item = b.open[k];
        if (is_decided(b, item.x)) continue;
        const FilterPair &pair = f.pairs[item.y];
        int found = classify_pair(f, b.frames, pair, item.x, pair.more);
        if ((threadIdx.x & 15) != 0 || found == APART) continue;
        if (found == HIT) b.verdicts[item.x] = HIT;
        keep(b, 2, b.near, b.near_room, item, found == UNSURE);
    }
}

extern "C" __global__ void __launch_bounds__(STAGE_BLOCK, 8)
plane_stage(const Filter f, const Batch b) {
    u32 all = min(b.counters[2], b.near_room), groups = gridDim.x * (STAGE_BLOCK / 16);
    for (u32 k = blockIdx.x * (STAGE_BLOCK / 16) + threadIdx.x / 16; k < all; k += groups) {
        uint2 item = b.near[k];
        if (is_decided(b, item.x)) continue;
        const FilterPair &pair = f.pairs[item.y];
        Place pa = place_of(f, b.frames, pair.a, item.x), pb = place_of(f, b.frames, pair.b, item.x);
        bool apart = parted(f, pair, pa, pb, pair.more);
        if ((threadIdx.x & 15) == 0) keep(b, 3, b.open, b.open_room, item, !apart);
    }
}

extern "C" __global__ void __launch_bounds__(STAGE_BLOCK, 3)
tree_stage(const Filter f, const Cell cell, const Batch b) {
    extern __shared__ __align__(16) char desks[];
    Desk d = desk_at(desks + threadIdx.x / 16 * b.desk, cell);
    u32 all = min(b.counters[3], b.open_room), groups = gridDim.x * (STAGE_BLOCK / 16);
    for (u32 k = blockIdx.x * (STAGE_BLOCK / 16) + threadIdx.x / 16; k < all; k += groups) {
        uint2 item = b.open[k];
        if (is_decided(b, item.x)) continue;
        together();
        if ((threadIdx.x & 15) == 0) state_values(b.states, cell.values, item.x, d.values, 1);
        together();
        stand(cell, d, nullptr, nullptr, 0.0);
        int found = exact_pair(f, b.frames, cell, d, f.pairs[item.y], item.x);
        if ((threadIdx.x & 15) == 0) {
            if (found == HIT) b.verdicts[item.x] = HIT;
            if (found == UNSURE) b.doubts[item.x] = 1;
        }
        together();
    }
}

extern "C" __global__ void __launch_bounds__(STAGE_BLOCK)
tally_stage(const Batch b) {
    u32 hits = 0, first = 0;
    for (u32 k = blockIdx.x * STAGE_BLOCK + threadIdx.x; k < b.count; k += gridDim.x * STAGE_BLOCK) {
        bool hit = b.verdicts[k] == HIT;
        hits += hit;
        if (hit) first = max(first, ~k);
        if (!hit && b.doubts[k]) {
            b.verdicts[k] = UNSURE;
            b.unsure[atomicAdd(b.counters + 4, 1)] = k;
        }
    }
    for (int step = 16; step > 0; step /= 2) {
        hits += __shfl_xor_sync(0xffffffffu, hits, step);
        first = max(first, __shfl_xor_sync(0xffffffffu, first, step));
    }
    if (warp_lane() == 0 && hits) {
        atomicAdd(b.counters + 5, hits);
        atomicMax(b.counters + 6, first);
    }
}
