// What is launched: sixteen threads a question, and groups that take the next question when they have answered one.

#define BLOCK 128
// Blocks that share a processor of the card: more hide more of the memory's latency, and leave 64 registers a thread.
#define RESIDENT 8

// As `Parameters` of the Rust side.
struct Parameters {
    double reach_a, reach_b, unit_a;
    Pose fixed;        // of the body that stays
    Source source;
    u64 first;         // number of the first pose for `source`
    float scale, limit;
    u32 moves_a;       // whether it is A that moves
    u32 generate;      // poses from `source` instead of `poses`
    u32 count;
    u32 probes_a, probes_b, solid_a, solid_b;
    u32 unused;
};

template <int QUESTION>
FN void run(const Parameters &job, const Record *a, const Record *b, const double *points_a, const double *points_b,
            const Pose *poses, unsigned char *verdicts, float2 *brackets, u32 *counters) {
    __shared__ Memory memories[BLOCK / 16];
    Memory &memory = memories[threadIdx.x / 16];
    Trees trees = {a, b, job.reach_a, job.reach_b, job.unit_a, job.scale};
    Probes probes = {points_a, points_b, job.probes_a, job.probes_b, job.solid_a, job.solid_b};
    u32 mine[3] = {0, 0, 0};
    for (;;) {
        u32 taken = 0;
        if ((threadIdx.x & 15) == 0) taken = atomicAdd(counters, 1);
        taken = __shfl_sync(half_warp(), taken, 0, 16);
        if (taken >= job.count) break;
        Pose moving = job.generate ? generated(job.source, job.first + taken) : poses[taken];
        Answer answer = job.moves_a ? ask<QUESTION>(trees, probes, moving, job.fixed, memory, job.limit)
                                    : ask<QUESTION>(trees, probes, job.fixed, moving, memory, job.limit);
        if ((threadIdx.x & 15) == 0) {
            verdicts[taken] = (unsigned char)answer.verdict;
            if (QUESTION == CLEARANCE || QUESTION == CROSSINGS) brackets[taken] = make_float2(answer.at_least, answer.at_most);
            mine[0] += answer.verdict == APART;
            mine[1] += answer.verdict == HIT;
            mine[2] += answer.verdict == UNSURE;
        }
    }
    if ((threadIdx.x & 15) == 0)
        for (int k = 0; k < 3; ++k)
            if (mine[k]) atomicAdd(counters + 1 + k, mine[k]);
}

#define ENTRY(NAME, QUESTION)                                                                                         \
    extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT)                                                     \
    NAME(const Parameters job, const Record *a, const Record *b, const double *points_a, const double *points_b,      \
         const Pose *poses, unsigned char *verdicts, float2 *brackets, u32 *counters) {                               \
        run<QUESTION>(job, a, b, points_a, points_b, poses, verdicts, brackets, counters);                            \
    }
ENTRY(overlap, OVERLAP)
ENTRY(closer, CLOSER)
ENTRY(clearance, CLEARANCE)
ENTRY(crossings, CROSSINGS)
