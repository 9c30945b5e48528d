// What is launched about robots: sixteen threads a configuration or a way, and a desk of shared memory for them, of as
// many bytes as the cell needs.

#define BLOCK 128
#define RESIDENT 3

template <int MODE>
FN void run(const Cell &cell, const double *from, const double *to, u32 jobs, u32 desk, u32 first,
            unsigned char *verdicts, u32 *pairs, unsigned short *hits, u32 *counters) {
    extern __shared__ __align__(16) char desks[];
    Desk d = desk_at(desks + threadIdx.x / 16 * desk, cell);
    for (;;) {
        u32 taken = 0;
        if ((threadIdx.x & 15) == 0) taken = atomicAdd(counters, 1);
        taken = __shfl_sync(half_warp(), taken, 0, 16);
        if (taken >= jobs) break;
        u32 pair = NOBODY;
        const double *start = from + u64(taken) * cell.values, *end = to + u64(taken) * cell.values;
        unsigned short *own = first ? nullptr : hits + u64(taken) * mask_count(cell);
        int found = MODE == WAY ? edge(cell, d, start, end) : state<MODE>(cell, d, start, first, pair, own);
        if ((threadIdx.x & 15) == 0) {
            verdicts[taken] = (unsigned char)found;
            if (MODE == LIST && first) pairs[taken] = pair;
        }
        together();
    }
}

#define ENTRY(NAME, MODE)                                                                                             \
    extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT)                                                     \
    NAME(const Cell cell, const double *from, const double *to, u32 jobs, u32 desk, u32 first,                        \
         unsigned char *verdicts, u32 *pairs, unsigned short *hits, u32 *counters) {                                  \
        run<MODE>(cell, from, to, jobs, desk, first, verdicts, pairs, hits, counters);                                \
    }
ENTRY(states, ANY)
ENTRY(listed, LIST)
ENTRY(ways, WAY)
