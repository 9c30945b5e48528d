// Runs the kernels' own walk on the host: questions on standard input, answers on standard output, in binary. Appended to the
// kernels by the test that compiles it.

template <class T> static bool take(T *out, size_t count) { return std::fread(out, sizeof(T), count, stdin) == count; }

struct Header {
    u32 question, moves_a, records_a, records_b, probes_a, probes_b, solid_a, solid_b, count, generate;
    float limit;
    u32 unused;
    double unit_a, unit_b, reach_a, reach_b;
    Source source;
    Pose fixed;
};

int main() {
    Header h;
    static Memory memory;
    while (take(&h, 1)) {
        std::vector<Record> a(h.records_a), b(h.records_b);
        std::vector<double> probes_a(3 * h.probes_a), probes_b(3 * h.probes_b);
        std::vector<Pose> poses(h.generate ? 0 : h.count);
        if (!take(a.data(), a.size()) || !take(b.data(), b.size()) || !take(probes_a.data(), probes_a.size()) ||
            !take(probes_b.data(), probes_b.size()) || !take(poses.data(), poses.size()))
            return 1;
        Trees trees = {a.data(), b.data(), h.reach_a, h.reach_b, h.unit_a, float(h.unit_b / h.unit_a)};
        Probes probes = {probes_a.data(), probes_b.data(), h.probes_a, h.probes_b, h.solid_a, h.solid_b};
        for (u32 k = 0; k < h.count; ++k) {
            Pose moving = h.generate ? generated(h.source, k) : poses[k];
            const Pose &at_a = h.moves_a ? moving : h.fixed, &at_b = h.moves_a ? h.fixed : moving;
            Answer answer = h.question == OVERLAP     ? ask<OVERLAP>(trees, probes, at_a, at_b, memory, h.limit)
                            : h.question == CLOSER    ? ask<CLOSER>(trees, probes, at_a, at_b, memory, h.limit)
                            : h.question == CLEARANCE ? ask<CLEARANCE>(trees, probes, at_a, at_b, memory, h.limit)
                                                      : ask<CROSSINGS>(trees, probes, at_a, at_b, memory, h.limit);
            float out[3] = {float(answer.verdict), answer.at_least, answer.at_most};
            std::fwrite(out, sizeof(out), 1, stdout);
            if (h.generate) std::fwrite(&moving, sizeof(moving), 1, stdout);
        }
    }
}
