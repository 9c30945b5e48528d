// Robots as a program of the host: a cell and configurations come in on standard input, answers go out.

template <class T> static bool take(T *to, size_t count) { return std::fread(to, sizeof(T), count, stdin) == count; }

template <class T> static std::vector<T> table(u32 words) {
    std::vector<T> all(words * 4 / sizeof(T));
    if (!take(all.data(), all.size())) std::exit(1);
    return all;
}

#define FIRST 3
#define POSES 4

struct Header {
    u32 words[8], probes;
    u32 counts[8];
    u32 mode, count, desk, bodies, unused;
};

int main() {
    Header h;
    while (take(&h, 1)) {
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
        if (steps.size() != c.step_count || limbs.size() != c.limb_count || roots.size() != c.root_count ||
            couples.size() != c.couple_count || bodies.size() != h.bodies)
            return 2;
        std::vector<float4> memory(h.desk / 16);
        Desk d = desk_at((char *)memory.data(), c);
        if ((char *)(d.ring_masks + RING * mask_count(c)) > (char *)(memory.data() + memory.size())) return 3;
        std::vector<double> from(c.values), to(c.values);
        std::vector<unsigned short> hits(mask_count(c));
        for (u32 k = 0; k < h.count; ++k) {
            if (!take(from.data(), c.values)) return 1;
            if (h.mode == WAY && !take(to.data(), c.values)) return 1;
            if (h.mode == POSES) {
                for (u32 i = 0; i < c.values; ++i) d.values[i] = from[i];
                stand(c, d, nullptr, nullptr, 0.0);
                for (const Body &body : bodies) {
                    Pose pose = placed_at(c, d, body);
                    std::fwrite(&pose, sizeof(pose), 1, stdout);
                }
                continue;
            }
            u32 pair = NOBODY, verdict;
            std::fill(hits.begin(), hits.end(), 0);
            verdict = h.mode == WAY   ? edge(c, d, from.data(), to.data())
                      : h.mode == ANY ? state<ANY>(c, d, from.data(), false, pair, nullptr)
                                      : state<LIST>(c, d, from.data(), h.mode == FIRST, pair, hits.data());
            std::fwrite(&verdict, 4, 1, stdout);
            std::fwrite(&pair, 4, 1, stdout);
            std::fwrite(hits.data(), 2, hits.size(), stdout);
        }
    }
}
