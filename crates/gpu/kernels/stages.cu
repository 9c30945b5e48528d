// Configurations in stages, with what is open compacted between them: one thread a configuration finds its near pairs,
// one thread a pair compares its cores and outer spheres, sixteen threads a pair its sphere sets and its hulls; one thread a
// pair poses its bodies, and sixteen compare their trees. A configuration that certainly collides is left at once.

#define STAGE_BLOCK 128

// Two bodies whose trees are compared, in a configuration or in the middle of a segment.
struct TreeItem { u32 owner, couple, pair, unused; };
struct Placement {
    Pose a, b;
    double wide, unused; // of a segment: the margin in its middle
};

// A walk of more steps holds up all others; the processor takes a few of them sooner.
#define TREE_STEPS 4096

// The items of the tree stage, which takes the next one whenever one is decided.
struct TreeItems {
    TreeItem *items;
    Placement *places;
};
#define CLOUD_COUNT 7
#define ITEM_COUNT 8
#define TAKEN_COUNT 9

// As `BatchView` of the Rust side.
struct Batch {
    States states;
    Frames frames;
    unsigned char *verdicts, *doubts;
    uint2 *near, *open; // configuration and pair; stages read one list and write the other
    TreeItems trees;
    u32 *unsure;        // configurations for the processor
    u32 *counters;      // pairs before each of four stages, unsure, hits, the complement of the first hit, pairs of clouds,
                        // items of trees, and how many of these are taken
    u32 count, near_room, open_room, tree_room, desk, unused;
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

// Adds an item for the tree stage; false where there is no room.
FN bool add_item(const TreeItems &list, u32 *counters, u32 room, const TreeItem &item, const CouplePlace &at, double wide) {
    u32 place = atomicAdd(counters + ITEM_COUNT, 1);
    if (place >= room) return false;
    list.items[place] = item;
    Placement &out = list.places[place];
    out.a = at.a;
    out.b = at.b;
    out.wide = wide;
    return true;
}

// The number of the next item, for all lanes.
FN u32 next_item(u32 *counters) {
    u32 taken = 0;
    if ((threadIdx.x & 15) == 0) taken = atomicAdd(counters + TAKEN_COUNT, 1);
    return __shfl_sync(half_warp(), taken, 0, 16);
}

extern "C" __global__ void __launch_bounds__(STAGE_BLOCK)
place_stage(const Filter f, const Cell cell, const Batch b) {
    extern __shared__ __align__(16) double numbers[];
    Values values = {numbers + threadIdx.x, STAGE_BLOCK};
    u32 all = min(b.counters[3], b.open_room);
    for (u32 k = blockIdx.x * STAGE_BLOCK + threadIdx.x; k < all; k += gridDim.x * STAGE_BLOCK) {
        uint2 item = b.open[k];
        if (b.verdicts[item.x] == HIT) continue;
        const FilterPair &pair = f.pairs[item.y];
        if (is_cloud(pair)) {
            keep(b, CLOUD_COUNT, b.near, b.near_room, item, true);
            continue;
        }
        state_values(b.states, cell.values, item.x, values.first, values.stride);
        for (u32 k = pair.first; k < pair.end; ++k) {
            CouplePlace at;
            TreeItem own = {item.x, k, item.y, 0};
            if (!place_couple(cell, cell.couples[k], values, 0.0f, at)) b.doubts[item.x] = 1;
            else if (at.near && !add_item(b.trees, b.counters, b.tree_room, own, at, 0.0)) b.doubts[item.x] = 1;
        }
    }
}

extern "C" __global__ void __launch_bounds__(STAGE_BLOCK, 8)
tree_stage(const Cell cell, const Batch b) {
    __shared__ Memory memories[STAGE_BLOCK / 16];
    Memory &memory = memories[threadIdx.x / 16];
    u32 all = min(b.counters[ITEM_COUNT], b.tree_room);
    for (;;) {
        u32 taken = next_item(b.counters);
        if (taken >= all) break;
        TreeItem item = b.trees.items[taken];
        if (is_decided(b, item.owner)) continue;
        const Couple &couple = cell.couples[item.couple];
        const Placement &at = b.trees.places[taken];
        int found = exact(cell, couple, at.a, at.b, couple.margin, memory, TREE_STEPS);
        if ((threadIdx.x & 15) == 0) {
            if (found == HIT) b.verdicts[item.owner] = HIT;
            if (found == UNSURE) b.doubts[item.owner] = 1;
        }
        together();
    }
}

// Pieces against clouds by faces, with a desk for each sixteen threads.
extern "C" __global__ void __launch_bounds__(STAGE_BLOCK, 3)
cloud_stage(const Filter f, const Cell cell, const Batch b) {
    extern __shared__ __align__(16) char desks[];
    Desk d = desk_at(desks + threadIdx.x / 16 * b.desk, cell);
    u32 all = min(b.counters[CLOUD_COUNT], b.near_room), groups = gridDim.x * (STAGE_BLOCK / 16);
    for (u32 k = blockIdx.x * (STAGE_BLOCK / 16) + threadIdx.x / 16; k < all; k += groups) {
        uint2 item = b.near[k];
        if (is_decided(b, item.x)) continue;
        together();
        if ((threadIdx.x & 15) == 0) state_values(b.states, cell.values, item.x, d.values, 1);
        together();
        stand(cell, d, nullptr, nullptr, 0.0);
        const FilterPair &pair = f.pairs[item.y];
        int found = classify_faces(f, cell, d, pair, place_of(f, b.frames, pair.piece, item.x), pair.more, 0.0);
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
